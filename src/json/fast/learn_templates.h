/* json/fast/learn_templates.h - rows of bytes in an event that later ones may have, too; part of
 * event_fast.h.
 *
 * An event that was read member by member is gone through once more for the three rows that event_templates.h looks
 * for: up to the name or the id, from there to the time, and, where the id came first, from the time to the closing
 * brace. What it says is known already, so a row is remembered only if its values are those that the event has.
 *
 * This is done for a few events of a piece only: where it does not help, events have nothing in common.
 */

/* The number of the last piece that has met it; 0 for an empty place. */
static inline uint32_t hot_last_met(const pf_json_span *s)
{
    return s->used > s->learned ? s->used : s->learned;
}

/* A row is there twice if a shorter one came after it: then its place was another one. */
static inline bool hot_same_row(const pf_json_span *a, const pf_json_span *b)
{
    return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
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
    meaning.unused = PF_JSON_SPAN - meaning.len;
    memcpy(meaning.bytes, p, len);
    uint32_t first = hot_span_place(t, p, meaning.phase), place = first;
    for (uint32_t i = 1; i < WAYS; i++) {
        place = hot_last_met(&t->span[first ^ i]) < hot_last_met(&t->span[place]) ? first ^ i : place;
    }
    for (uint32_t i = 0; i < WAYS; i++) {
        if (hot_same_row(&meaning, &t->span[first ^ i])) {
            place = first ^ i;
        }
    }
    t->span[place] = meaning;
}

/* `"cat": text` or a letter under "s" or "bp" at p, which is a row's. The byte after; `end` for anything else. */
static inline const uint8_t *hot_learn_member(const uint8_t *p, const uint8_t *end, pf_json_text *category,
                                              pf_json_span *span)
{
    uint8_t bind = 0;
    if (HOT_KEY(p, "cat")) {
        return hot_text(HOT_VALUE(p, "cat"), end, category);
    }
    if (HOT_KEY(p, "s")) {
        return hot_letter(HOT_VALUE(p, "s"), end, &span->scope);
    }
    p = HOT_KEY(p, "bp") ? hot_letter(HOT_VALUE(p, "bp"), end, &bind) : end;
    span->flags = PF_JSON_BIND_ENCLOSING;
    return bind == 'e' ? p : end;
}

/* The opening quote of the name, or the id, after the phase, category and scope of the event at `start`; NULL if it is
 * not like that. */
static inline const uint8_t *hot_learn_lead(const uint8_t *start, const uint8_t *end, pf_json_text *category,
                                            pf_json_span *lead, uint32_t *phase_at)
{
    const uint8_t *p = pf_json_skip_space(start + 1, end);
    while (p < end && *p == '"') {
        if (HOT_KEY(p, "name")) {
            return HOT_VALUE(p, "name");
        }
        if (HOT_KEY(p, "id")) {
            lead->to_id = true;
            return HOT_VALUE(p, "id");
        }
        if (HOT_KEY(p, "ph")) {
            p = hot_letter(HOT_VALUE(p, "ph"), end, &lead->phase);
            *phase_at = (uint32_t)(p - start) - 2;
        } else {
            p = hot_learn_member(p, end, category, lead);
        }
        p = p < end ? pf_json_skip_space(p, end) : end;
        p = p < end && *p == ',' ? pf_json_skip_space(p + 1, end) : end;
    }
    return NULL;
}

/* The first byte of the time after the ids that follow p; NULL if it is not like that. */
static inline const uint8_t *hot_learn_middle(const uint8_t *p, const uint8_t *end, pf_json_id *pid, pf_json_id *tid)
{
    p = pf_json_skip_space(p, end);
    while (p < end && *p == ',') {
        p = pf_json_skip_space(p + 1, end);
        if (p >= end || HOT_KEY(p, "ts")) {
            bool plain = pf_json_id_is_plain(pid) && pf_json_id_is_plain(tid); /* their spelling does not stay */
            return p < end && plain ? HOT_VALUE(p, "ts") : NULL;
        }
        p = HOT_KEY(p, "pid")   ? hot_id(HOT_VALUE(p, "pid"), end, pid)
            : HOT_KEY(p, "tid") ? hot_id(HOT_VALUE(p, "tid"), end, tid)
                                : end;
        p = p < end ? pf_json_skip_space(p, end) : end;
    }
    return NULL;
}

/* The byte after the closing brace after p; NULL if anything else than category, name, scope or binding stands
 * before. */
static inline const uint8_t *hot_learn_tail(const uint8_t *p, const uint8_t *end, pf_json_text *category,
                                            pf_json_text *name, pf_json_span *tail)
{
    p = pf_json_skip_space(p, end);
    while (p < end && *p == ',') {
        p = pf_json_skip_space(p + 1, end);
        if (p >= end) {
            break;
        }
        p = HOT_KEY(p, "name") ? hot_text(HOT_VALUE(p, "name"), end, name) : hot_learn_member(p, end, category, tail);
        p = p < end ? pf_json_skip_space(p, end) : end;
    }
    return p < end && *p == '}' ? p + 1 : NULL;
}

/* Remembers lead, middle and tail of an event whose id is at p. */
static inline void hot_learn_arrow(pf_json_piece *piece, const pf_json_event *e, const uint8_t *end, const uint8_t *p,
                                   pf_json_span *lead, const pf_json_text *lead_category)
{
    uint64_t id;
    int64_t ts;
    pf_json_head head = {0};
    pf_json_span middle = {
        .learned = piece->number, .phase = lead->phase, .pid.kind = PF_JSON_ID_ABSENT, .tid.kind = PF_JSON_ID_ABSENT};
    pf_json_span tail = {.learned = piece->number, .phase = lead->phase};
    pf_json_text category = {0}, name = {0};
    const uint8_t *after = hot_arrow_id(p, &id);
    const uint8_t *time = after ? hot_learn_middle(after, end, &middle.pid, &middle.tid) : NULL;
    const uint8_t *time_end = time ? hot_time(e->rules, time, end, &head, &ts) : end;
    const uint8_t *event_end = time_end < end ? hot_learn_tail(time_end, end, &category, &name, &tail) : NULL;
    if (!event_end || name.ptr != e->name.ptr ||
        (category.ptr ? category.ptr : lead_category->ptr) != e->category.ptr || e->name.escaped ||
        e->category.escaped) {
        return;
    }
    tail.category_at = category.ptr ? (uint32_t)(category.ptr - time_end) : 0;
    tail.category_len = category.len;
    tail.name_at = name.ptr ? (uint32_t)(name.ptr - time_end) : 0;
    tail.name_len = name.len;
    hot_keep_span(&piece->leads, e->start, (size_t)(p - e->start), *lead);
    hot_keep_span(&piece->middles, after, (size_t)(time - after), middle);
    hot_keep_span(&piece->tails, time_end, (size_t)(event_end - time_end), tail);
}

/* Remembers the rows of an event that hot_event has read. */
static __attribute__((noinline)) void hot_learn(pf_json_piece *piece, const pf_json_event *e, const uint8_t *end)
{
    pf_json_span lead = {.learned = piece->number},
                 middle = {.learned = piece->number, .pid.kind = PF_JSON_ID_ABSENT, .tid.kind = PF_JSON_ID_ABSENT};
    pf_json_text category = {0};
    uint32_t phase_at = 0;
    if (piece->learned_count++ >= PF_JSON_LEARNED_MAX) {
        return;
    }
    const uint8_t *name = hot_learn_lead(e->start, end, &category, &lead, &phase_at);
    if (!name || lead.phase == 0 || phase_at >= PF_JSON_SPAN || category.escaped) {
        return;
    }
    lead.category_at = category.ptr ? (uint32_t)(category.ptr - e->start) : 0;
    lead.category_len = category.len;
    if (lead.to_id) {
        piece->leads.phase_at = phase_at;
        hot_learn_arrow(piece, e, end, name, &lead, &category);
        return;
    }
    uint64_t id;
    const uint8_t *quote = e->name.ptr + e->name.len;
    const uint8_t *after = HOT_HAS_ID(quote) ? hot_arrow_id(quote + HOT_LEN("\",\"id\":"), &id) : quote;
    const uint8_t *time = after ? hot_learn_middle(after + (after == quote), end, &middle.pid, &middle.tid) : NULL;
    if (!time || e->name.ptr != name + 1) {
        return;
    }
    middle.phase = lead.phase;
    piece->leads.phase_at = phase_at;
    lead.shape = (uint8_t)(piece->shape_count++ % PF_JSON_SHAPES);
    hot_keep_span(&piece->leads, e->start, (size_t)(e->name.ptr - e->start), lead);
    hot_keep_span(&piece->middles, after, (size_t)(time - after), middle);
}
