/* read/chrome_json/alike.h - events that look like earlier ones; part of hot.h.
 *
 * The events of a file differ in their names and times. What stands before the name, and between the name and the time,
 * is one of a few rows of bytes, blanks included:
 *
 *     {"ph":"B","cat":"io","name":"LoadHead_024","pid":1000,"tid":1003,"ts":1000000001.020}
 *     ----------- lead ------------            ---------- middle ----------
 *
 * So a piece remembers such rows of up to PF_JSON_SPAN bytes with what they say: a lead its phase, category and scope, a
 * middle its process and thread. They are found by a hash of 24 bytes, which reach to the end of the shortest row that was
 * met in events of that phase, in one of four places, and compared as a whole; then neither the keys nor the values in
 * them are looked at again. The time and what follows it, a duration and args in that order, are read as everywhere; so
 * is an id between name and middle, as arrows have it.
 *
 * Nothing is put into the piece before the event was read to its closing brace. An event that is not like that is refused
 * as a whole, read by hot_event and, if it was usual but for rows of bytes that are new, taken to pieces by
 * hot_learn for the next one.
 *
 * With so little to do for an event the loop would wait for its bytes. The processor fetches ahead by itself, but not from
 * one page of memory into the next; so they are asked for AHEAD bytes before they are needed.
 */

enum { AHEAD = 3072, WAYS = 4 };

/* Whether the span at p is `s`. */
static inline bool hot_same_span(const uint8_t *p, const pf_json_span *s)
{
    static const uint8_t masks[2 * PF_JSON_SPAN] = {[0 ... PF_JSON_SPAN - 1] = 255};
    return HOT_SAME(p, s->bytes, masks + PF_JSON_SPAN - s->len);
}

static inline uint32_t hot_span_place(const pf_json_spans *t, const uint8_t *p, uint8_t phase)
{
    const uint8_t *at = t->by_phase[phase % PF_JSON_SPAN_PHASES].at;
    uint64_t h = pf_json_load8(p + at[0]) * 0x9e3779b97f4a7c15ull ^ pf_json_load8(p + at[1]) * 0xc4ceb9fe1a85ec53ull ^
                 pf_json_load8(p + at[2]) * 0xff51afd7ed558ccdull;
    return (uint32_t)(h >> 40) % PF_JSON_SPANS;
}

/* The span that begins at p, NULL if it was not met before. */
static inline pf_json_span *hot_find_span(pf_json_spans *t, const uint8_t *p, uint8_t phase)
{
    uint32_t place = hot_span_place(t, p, phase);
    for (uint32_t i = 0; i < WAYS; i++) {
        pf_json_span *s = &t->span[place ^ i];
        if (__builtin_expect(s->len > 0 && hot_same_span(p, s), 1)) {
            return s;
        }
    }
    return NULL;
}

/* Remembers the `len` bytes at p; `meaning` has no bytes yet. */
static __attribute__((noinline)) void hot_keep_span(pf_json_spans *t, const uint8_t *p, size_t len,
                                                    pf_json_span meaning)
{
    uint8_t kind = meaning.phase % PF_JSON_SPAN_PHASES, least = t->by_phase[kind].least;
    if (len > PF_JSON_SPAN || len < 8) {
        return;
    }
    if (least == 0 || len < least) {
        t->by_phase[kind].least = (uint8_t)len;
        for (size_t i = 0; i < 3; i++) {
            t->by_phase[kind].at[i] = (uint8_t)(len >= 8 * (i + 1) ? len - 8 * (i + 1) : 0);
        }
    }
    meaning.len = (uint32_t)len;
    memcpy(meaning.bytes, p, len);
    uint32_t first = hot_span_place(t, p, meaning.phase), place = first;
    for (uint32_t i = 1; i < WAYS; i++) {
        place = t->span[first ^ i].used < t->span[place].used ? first ^ i : place;
    }
    t->span[place] = meaning;
}

/* The opening quote of the name behind the phase, category and scope of the event at `start`, NULL if it is not like that. */
static inline const uint8_t *hot_learn_lead(const uint8_t *start, const uint8_t *end, pf_json_text *category,
                                            pf_json_span *lead, uint32_t *phase_at)
{
    uint8_t bind = 'e';
    const uint8_t *p = hot_skip(start + 1, end);
    while (p < end && *p == '"' && bind == 'e') {
        if (HOT_KEY(p, "name")) {
            return HOT_VALUE(p, "name");
        }
        if (HOT_KEY(p, "ph")) {
            p = hot_letter(HOT_VALUE(p, "ph"), end, &lead->phase);
            *phase_at = (uint32_t)(p - start) - 2;
        } else if (HOT_KEY(p, "bp")) {
            p = hot_letter(HOT_VALUE(p, "bp"), end, &bind);
            lead->flags = PF_JSON_BIND_ENCLOSING;
        } else {
            p = HOT_KEY(p, "cat") ? hot_text(HOT_VALUE(p, "cat"), end, category)
                : HOT_KEY(p, "s") ? hot_letter(HOT_VALUE(p, "s"), end, &lead->scope)
                                  : end;
        }
        p = p < end ? hot_skip(p, end) : end;
        p = p < end && *p == ',' ? hot_skip(p + 1, end) : end;
    }
    return NULL;
}

/* Whether an id follows the closing quote of the name at p. */
#define HOT_HAS_ID(p) HOT_STARTS(p, "\",\"id\":")

/* The byte behind that id; NULL if it is not a number as most are. */
static inline const uint8_t *hot_arrow_id(const uint8_t *p, uint64_t *id)
{
    p = pf_json_read_whole(p + 7, id);
    return p && !pf_json_word_byte[*p] && *id < 9000000000000000u ? p : NULL;
}

/* The first byte of the time behind the ids that follow p, where the name ended; NULL if it is not like that. */
static inline const uint8_t *hot_learn_middle(const uint8_t *p, const uint8_t *end, pf_json_id *pid, pf_json_id *tid)
{
    p = hot_skip(p, end);
    while (p < end && *p == ',') {
        p = hot_skip(p + 1, end);
        if (p >= end || HOT_KEY(p, "ts")) {
            return p < end ? HOT_VALUE(p, "ts") : NULL;
        }
        p = HOT_KEY(p, "pid")   ? hot_id(HOT_VALUE(p, "pid"), end, pid)
            : HOT_KEY(p, "tid") ? hot_id(HOT_VALUE(p, "tid"), end, tid)
                                : end;
        p = p < end ? hot_skip(p, end) : end;
    }
    return NULL;
}

/* Remembers the lead and the middle of an event that hot_event has read. */
static __attribute__((noinline)) void hot_learn(pf_json_piece *piece, const pf_json_event *e, const uint8_t *end)
{
    pf_json_span lead = {0}, middle = {0};
    pf_json_text category = {0};
    uint32_t phase_at = 0;
    if (piece->lessons++ >= PF_JSON_LESSONS) {
        return;
    }
    const uint8_t *name = hot_learn_lead(e->start, end, &category, &lead, &phase_at);
    if (!name || e->name.ptr != name + 1 || lead.phase == 0 || phase_at >= PF_JSON_SPAN || category.escaped) {
        return;
    }
    uint64_t id;
    const uint8_t *quote = e->name.ptr + e->name.len, *behind = HOT_HAS_ID(quote) ? hot_arrow_id(quote, &id) : quote;
    middle.pid.kind = middle.tid.kind = PF_JSON_ID_ABSENT;
    const uint8_t *time = behind ? hot_learn_middle(behind + (behind == quote), end, &middle.pid, &middle.tid) : NULL;
    if (!time) {
        return;
    }
    middle.phase = lead.phase;
    piece->leads.phase_at = phase_at;
    lead.text_at = category.ptr ? (uint32_t)(category.ptr - e->start) : 0;
    lead.text_len = category.len;
    hot_keep_span(&piece->leads, e->start, (size_t)(e->name.ptr - e->start), lead);
    hot_keep_span(&piece->middles, behind, (size_t)(time - behind), middle);
}

/* `"key": value` members behind the time: what follows p in the order that most files have. */
static inline const uint8_t *hot_tail(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                      pf_json_head *head, pf_json_record *r, const uint8_t **args)
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
            *args = HOT_VALUE(key, "args");
            p = hot_args_end(rules, *args, end, head, &values);
            r->flags |= values == 0 ? PF_JSON_ARGS_EMPTY : 0;
            r->args_len = values == 0 ? 0 : (uint32_t)(p - *args);
            p = p < end ? hot_skip_indent(p, end, close) : end;
        }
    }
    return p < end && *p == '}' ? p + 1 : NULL;
}

static inline uint32_t hot_keep_id(pf_json_piece *piece, uint64_t id)
{
    piece->rare[++piece->rare_count] =
        (pf_json_rare){.id = {.kind = PF_JSON_ID_INT, .number = (int64_t)id}, .bind_id = {.kind = PF_JSON_ID_ABSENT}};
    return piece->rare_count;
}

/* Reads the event at `start` and keeps it. The byte behind it; NULL, and nothing has changed, if it is not like others. */
static inline const uint8_t *hot_alike(pf_json_piece *piece, const pf_json_rules *rules, const uint8_t *start,
                                       const uint8_t *end, pf_json_head *head)
{
    if (end - start < 2 * PF_JSON_SPAN) {
        return NULL;
    }
    __builtin_prefetch(start + AHEAD);
    __builtin_prefetch(start + AHEAD + 64);
    pf_json_span *lead = hot_find_span(&piece->leads, start, start[piece->leads.phase_at]);
    if (!lead) {
        return NULL;
    }
    pf_json_text name = {.ptr = start + lead->len};
    const uint8_t *p = hot_text_end(name.ptr, end, &name.escaped);
    if (end - p < PF_JSON_SPAN || p == name.ptr || (size_t)(p - name.ptr) > PF_JSON_EVENT_MAX) {
        return NULL;
    }
    name.len = (uint32_t)(p - name.ptr);
    uint64_t id = 0;
    bool has_id = HOT_HAS_ID(p);
    if (__builtin_expect(has_id, 0)) {
        p = hot_arrow_id(p, &id);
        if (!p || end - p < PF_JSON_SPAN) {
            return NULL;
        }
    }
    pf_json_span *middle = hot_find_span(&piece->middles, p, lead->phase);
    if (!middle) {
        return NULL;
    }
    pf_json_record *r = &piece->record[piece->count];
    const uint8_t *args = piece->base;
    r->dur = 0;
    r->args_len = 0;
    r->flags = PF_JSON_HAS_TS | lead->flags;
    p = hot_time(rules, p + middle->len, end, head, &r->ts);
    p = p < end && *p == '}' ? p + 1 : hot_tail(rules, p, end, head, r, &args);
    if (!p || p - start > PF_JSON_EVENT_MAX) {
        return NULL;
    }
    if (__builtin_expect(lead->used != piece->number, 0)) {
        const pf_json_text category = {start + lead->text_at, lead->text_len, false};
        lead->ref = pf_json_refer_text(piece, &category);
        lead->used = piece->number;
    }
    if (__builtin_expect(middle->used != piece->number, 0)) {
        middle->ref = pf_json_refer_thread(piece, &middle->pid, &middle->tid);
        middle->used = piece->number;
    }
    r->offset = (uint32_t)(start - piece->base);
    r->args = r->args_len ? (uint32_t)(args - piece->base) : 0;
    r->name = pf_json_refer_text(piece, &name);
    r->category = lead->ref;
    r->thread = middle->ref;
    r->rare = has_id ? hot_keep_id(piece, id) : 0;
    r->phase = lead->phase;
    r->scope = lead->scope;
    piece->count++;
    return p;
}
