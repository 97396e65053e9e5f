/* json/fast/event_templates.h - events that look like earlier ones; part of event_fast.h.
 *
 * The events of a file differ in their names, ids and times. What stands before, between and after these is one of a
 * few rows of bytes, blanks included:
 *
 *     {"ph":"B","cat":"io","name":"LoadHead_024","pid":1000,"tid":1003,"ts":1000000001.020}
 *     ----------- lead ------------            ---------- middle ----------
 *
 *     {"ph":"s","id":1217,"pid":1000,"tid":1003,"ts":1000000001.020,"cat":"ac2g","name":"ac2g"}
 *     ----- lead ----    ---------- middle ----------              ---------- tail -----------
 *
 * So a piece remembers such rows of up to PF_JSON_SPAN bytes with what they say: a lead its phase, category and scope,
 * a middle its process and thread, a tail category and name. They are found by a hash of 24 bytes, which reach to the
 * end of the shortest row that was met in events of that phase, in one of four places, and compared as a whole; then
 * neither the keys nor the values in them are read again. The time is read as everywhere; so is what follows it in
 * events with a name in front, a duration and args in that order, and an id between name and middle, as arrows may have
 * it, too.
 *
 * Nothing is put into the piece before the event was read to its closing brace. An event that is not like that is
 * refused as a whole, read by hot_event and, if it was plain but for rows of bytes that are new, taken to pieces by
 * hot_learn (learn_templates.h) for the next one.
 *
 * With so little to do for an event the loop would wait for its bytes. The processor fetches ahead by itself, but not
 * from one page of memory into the next; so they are asked for AHEAD bytes before they are needed, as many as a long
 * event has.
 */

enum { AHEAD = 3072, WAYS = 4 };

/* Whether the span at p is `s`. */
static HOT_INLINE bool hot_same_span(const uint8_t *p, const pf_json_span *s)
{
    static const uint8_t masks[2 * PF_JSON_SPAN] = {[0 ... PF_JSON_SPAN - 1] = 255};
    return kernel_same(p, s->bytes, masks + s->unused);
}

static HOT_INLINE uint32_t hot_span_place(const pf_json_spans *t, const uint8_t *p, uint8_t phase)
{
    const uint8_t *at = t->by_phase[phase % PF_JSON_SPAN_PHASES].at;
    uint32_t mixed = kernel_mix(pf_json_load8(p + at[0]), pf_json_load8(p + at[1]), pf_json_load8(p + at[2]) + at[0]);
    return (uint32_t)(mixed * 0x9e3779b97f4a7c15ull >> 32) % PF_JSON_SPANS;
}

/* The span that begins at p; NULL, or one of no bytes where zeros stand, if it was not met before. */
static HOT_INLINE pf_json_span *hot_find_span(pf_json_spans *t, const uint8_t *p, uint8_t phase)
{
    uint32_t place = hot_span_place(t, p, phase);
    for (uint32_t i = 0; i < WAYS; i++) {
        pf_json_span *s = &t->span[place ^ i];
        if (__builtin_expect(hot_same_span(p, s), 1)) {
            return s;
        }
    }
    return NULL;
}

/* Whether an id follows the closing quote of the name at p. */
#define HOT_HAS_ID(p) HOT_STARTS(p, "\",\"id\":")

/* The byte after the id at p; NULL if it is not a number as most are. */
static HOT_INLINE const uint8_t *hot_arrow_id(const uint8_t *p, uint64_t *id)
{
    p = pf_json_read_whole(p, id);
    return p && !pf_json_word_byte[*p] && *id < 9000000000000000u ? p : NULL;
}

/* `"key": value` members after the time: what follows p in the order that most files have. */
static HOT_INLINE const uint8_t *hot_tail(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                          pf_json_head *head, pf_json_piece *piece, const pf_json_span *lead,
                                          pf_json_record *r)
{
    uint8_t *member = &head->indent[PF_JSON_INDENT_MEMBER], *close = &head->indent[PF_JSON_INDENT_CLOSE];
    p = hot_skip_indent(p, end, close);
    if (p < end && *p == ',') {
        const uint8_t *key = hot_skip_indent(p + 1, end, member);
        if (key < end && HOT_KEY(key, "dur")) {
            r->flags |= PF_JSON_HAS_DUR;
            p = hot_time(rules, HOT_VALUE(key, "dur"), end, head, &r->dur);
            p = p < end ? hot_skip_indent(p, end, close) : end;
            key = p < end && *p == ',' ? hot_skip_indent(p + 1, end, member) : end;
        }
        if (key < end && HOT_KEY(key, "args")) {
            uint64_t values;
            const uint8_t *args = HOT_VALUE(key, "args");
            p = hot_shaped_args(piece, lead, rules, args, end, head, &values);
            if (values > 0) {
                r->args = (uint32_t)(args - piece->base);
                r->args_len = (uint32_t)(p - args);
            } else {
                r->flags |= PF_JSON_ARGS_EMPTY;
            }
            p = p < end ? hot_skip_indent(p, end, close) : end;
        }
    }
    return p < end && *p == '}' ? p + 1 : NULL;
}

static HOT_INLINE void hot_keep_id(pf_json_piece *piece, pf_json_record *r, uint64_t id)
{
    if (!(r->flags & PF_JSON_HAS_DUR)) {
        r->dur = (int64_t)id;
        r->rare = PF_JSON_ONLY_ID;
        return;
    }
    r->rare = ++piece->rare_count;
    piece->rare[r->rare] =
        (pf_json_rare){.id = {.kind = PF_JSON_ID_INT, .number = (int64_t)id}, .bind_id = {.kind = PF_JSON_ID_ABSENT}};
}

/* Makes the texts of a lead or tail whose bytes stand at p, too, texts of this piece. */
static HOT_INLINE void hot_refer_texts(pf_json_piece *piece, pf_json_span *s, const uint8_t *p)
{
    if (__builtin_expect(s->used != piece->number, 0)) {
        const pf_json_text category = {p + s->category_at, s->category_len, false};
        const pf_json_text name = {p + s->name_at, s->name_len, false};
        s->category = pf_json_refer_text(piece, &category);
        s->name = pf_json_refer_text(piece, &name);
        s->used = piece->number;
    }
}

static HOT_INLINE void hot_refer_thread(pf_json_piece *piece, pf_json_span *s)
{
    if (__builtin_expect(s->used != piece->number, 0)) {
        s->thread = pf_json_refer_thread(piece, &s->pid, &s->tid);
        s->used = piece->number;
    }
}

/* hot_alike for an event whose lead ends where an id begins. */
static HOT_INLINE const uint8_t *hot_arrow(pf_json_piece *piece, const pf_json_rules *rules, const uint8_t *start,
                                           const uint8_t *end, pf_json_head *head, pf_json_span *lead,
                                           pf_json_record *r)
{
    uint64_t id;
    int64_t ts;
    const uint8_t *p = hot_arrow_id(start + lead->len, &id);
    if (!p || end - p < PF_JSON_SPAN) {
        return NULL;
    }
    pf_json_span *middle = hot_find_span(&piece->middles, p, lead->phase);
    if (!middle || !middle->len) {
        return NULL;
    }
    p = hot_cached_time(rules, p + middle->len, end, head, &ts);
    pf_json_span *tail = end - p < PF_JSON_SPAN ? NULL : hot_find_span(&piece->tails, p, lead->phase);
    if (!tail || !tail->len) {
        return NULL;
    }
    hot_refer_texts(piece, lead, start);
    hot_refer_thread(piece, middle);
    hot_refer_texts(piece, tail, p);
    piece->count++;
    *r = (pf_json_record){
        .ts = ts,
        .dur = (int64_t)id,
        .offset = (uint32_t)(start - piece->base),
        .name = tail->name,
        .category = tail->category ? tail->category : lead->category,
        .thread = middle->thread,
        .rare = PF_JSON_ONLY_ID,
        .flags = PF_JSON_HAS_TS | lead->flags | tail->flags,
        .phase = lead->phase,
        .scope = tail->scope ? tail->scope : lead->scope,
    };
    return p + tail->len;
}

/* Reads the event at `start` and keeps it. The byte after it; NULL, and nothing has changed, if it is not like others.
 */
static HOT_INLINE const uint8_t *hot_alike(pf_json_piece *piece, const pf_json_rules *rules, const uint8_t *start,
                                           const uint8_t *end, pf_json_head *head, pf_json_record *r)
{
    if (end - start < 2 * PF_JSON_SPAN) {
        return NULL;
    }
    for (unsigned i = 0; i < 256; i += 64) {
        __builtin_prefetch(start + AHEAD + i);
    }
    pf_json_span *lead = hot_find_span(&piece->leads, start, start[piece->leads.phase_at]);
    if (!lead) {
        return NULL;
    }
    if (__builtin_expect(lead->to_id, 0)) {
        return hot_arrow(piece, rules, start, end, head, lead, r);
    }
    pf_json_text name = {.ptr = start + lead->len};
    const uint8_t *p = hot_text_end(name.ptr, end, &name.escaped);
    if (end - p < PF_JSON_SPAN || p == name.ptr) {
        return NULL;
    }
    name.len = (uint32_t)(p - name.ptr);
    uint64_t id = 0;
    bool has_id = HOT_HAS_ID(p);
    if (__builtin_expect(has_id, 0)) {
        p = hot_arrow_id(p + HOT_LEN("\",\"id\":"), &id);
        if (!p || end - p < PF_JSON_SPAN) {
            return NULL;
        }
    }
    pf_json_span *middle = hot_find_span(&piece->middles, p, lead->phase);
    if (!middle || !middle->len) {
        return NULL;
    }
    r->dur = 0;
    r->args = r->args_len = 0;
    r->flags = PF_JSON_HAS_TS | lead->flags;
    p = hot_cached_time(rules, p + middle->len, end, head, &r->ts);
    p = p < end && *p == '}' ? p + 1 : hot_tail(rules, p, end, head, piece, lead, r);
    if (!p) {
        return NULL;
    }
    hot_refer_texts(piece, lead, start);
    hot_refer_thread(piece, middle);
    r->offset = (uint32_t)(start - piece->base);
    r->name = pf_json_refer_some_text(piece, &name);
    r->category = lead->category;
    r->thread = middle->thread;
    r->rare = 0;
    if (has_id) {
        hot_keep_id(piece, r, id);
    }
    r->phase = lead->phase;
    r->scope = lead->scope;
    piece->count++;
    return p;
}
