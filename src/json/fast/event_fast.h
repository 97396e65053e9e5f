/* json/fast/event_fast.h - straight through events as they usually look; included once per instruction set.
 *
 * The including file has a byte kernel (byte_kernel.h) and is left with a loop of its own, HOT_LOOP.
 *
 * Every member is tried as what it usually is: a text of up to 32 bytes is one look at kernel_stops(), a number a few
 * multiplications (words.h), args a walk that keeps a bit per open bracket. Args that are built like earlier ones are
 * not walked over at all (args_templates.h). Whatever is not plain - blanks in odd places, escapes, other types,
 * deep nesting, damage, the end of the bytes at hand - is refused and read again by json_event.c, which knows all
 * cases. So these functions may refuse anything but must never accept what json_event.c would take for something else.
 *
 * Where an event ends is known only when all of it was read, so the next one could not be begun before. But in many
 * files each has a line of its own, and the end of a line is found at once: where both agree, the loop goes on at the
 * address that was found early, and the processor works on several events at a time.
 *
 * Bytes after `end` may have any value. They may be read, as far as PF_SLOP reaches, and a result counts only if
 * it ends before `end`.
 */
#include "json/fast/args_walk.h"
#include "json/fast/fast_tokens.h"
#include "json/fast/record_event.h"
#include "json/fast/timestamp_cache.h"
#include "json/scan/json_event.h"

static inline const uint8_t *hot_text(const uint8_t *p, const uint8_t *end, pf_json_text *text)
{
    if (*p != '"') {
        return end;
    }
    bool escaped = false;
    const uint8_t *q = hot_text_end(p + 1, end, &escaped);
    if ((size_t)(q - p - 2) > PF_JSON_EVENT_MAX) { /* too long, or empty, which json_event.c takes note of */
        return end;
    }
    *text = (pf_json_text){p + 1, (uint32_t)(q - p - 1), escaped};
    return q + 1;
}

/* A time or a duration, of which `decimals` digits stand after the point. */
static HOT_INLINE const uint8_t *hot_number(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                            pf_json_head *head, int64_t *time, unsigned *decimals)
{
    uint64_t number;
    const uint8_t *q = pf_json_read_long(p, head, &number, decimals);
    if (!q || pf_json_word_byte[*q] || (rules->cycles && *decimals > 0)) {
        return end;
    }
    if (!rules->cycles) {
        number *= pf_json_power_of_ten[3 - *decimals];
    }
    *time = (int64_t)number;
    return q;
}

static HOT_INLINE const uint8_t *hot_time(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                          pf_json_head *head, int64_t *time)
{
    unsigned decimals;
    return hot_number(rules, p, end, head, time, &decimals);
}

static __attribute__((noinline)) const uint8_t *hot_new_time(const pf_json_rules *rules, const uint8_t *p,
                                                             const uint8_t *end, pf_json_head *head, int64_t *time)
{
    unsigned decimals;
    const uint8_t *q = hot_number(rules, p, end, head, time, &decimals);
    if (q < end && q - p > 8 && pf_json_is_new_form(&head->form, p, decimals)) {
        pf_json_learn_form(&head->form, p, q, *time, rules->cycles ? 1 : pf_json_power_of_ten[3 - decimals]);
    }
    return q;
}

/* A time that is expected to look like the last one. */
static HOT_INLINE const uint8_t *hot_cached_time(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                                 pf_json_head *head, int64_t *time)
{
    const uint8_t *q = pf_json_read_form(p, &head->form, time);
    return __builtin_expect(q && !pf_json_word_byte[*q], 1) ? q : hot_new_time(rules, p, end, head, time);
}

/* Integers of eight digits and more: those beyond 63 bits are spelled. */
static __attribute__((noinline)) const uint8_t *hot_long_id(const uint8_t *p, const uint8_t *end, pf_json_id *id)
{
    const uint8_t *q = p;
    uint64_t v = 0;
    for (; *q >= '0' && *q <= '9' && q - p < 19; q++) {
        v = v * 10 + (uint64_t)(*q - '0');
    }
    bool more = *q >= '0' && *q <= '9';
    q += more;
    if (pf_json_word_byte[*q] || *p == '0') {
        return end;
    }
    *id = (pf_json_id){.number = (int64_t)v, .kind = PF_JSON_ID_INT};
    if (more || v > INT64_MAX) {
        *id = (pf_json_id){.ptr = p, .len = (uint32_t)(q - p), .kind = PF_JSON_ID_REAL};
    }
    return q;
}

/* Up to seven digits are kept as they are written: they only have to tell ids apart. */
static inline const uint8_t *hot_id(const uint8_t *p, const uint8_t *end, pf_json_id *id)
{
    uint64_t w = pf_json_load8(p);
    unsigned n = pf_json_digit_run(w);
    if (__builtin_expect(n == 8, 0)) {
        return hot_long_id(p, end, id);
    }
    p += n;
    if (n == 0 || pf_json_word_byte[*p]) {
        return end;
    }
    id->number = (int64_t)(w & ~(~0ull << 8 * n));
    id->kind = PF_JSON_ID_DIGITS;
    return p;
}

/* A text of one letter. */
static inline const uint8_t *hot_letter(const uint8_t *p, const uint8_t *end, uint8_t *letter)
{
    if (p[0] != '"' || p[2] != '"' || !pf_json_word_byte[p[1]]) {
        return end;
    }
    *letter = p[1];
    return p + 3;
}

/* The byte after the object at p, `end` if it is none, not plain or beyond the limits. *values: as above. */
static HOT_INLINE const uint8_t *hot_args_end(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                              pf_json_head *head, uint64_t *values)
{
    uint32_t depth = rules->depth < 64 ? rules->depth : 64;
    *values = 0;
    const uint8_t *q = *p == '{' && depth > 0 ? hot_object_end(p, end, depth, head->indent, values) : NULL;
    return q && *values <= rules->keys ? q : end;
}

/* The byte after the args at p if they are the last ones once more, as those of an end often are those of its begin;
 * else NULL. */
static inline const uint8_t *hot_same_args(const uint8_t *p, const uint8_t *end, const pf_json_head *head)
{
    size_t len = head->args_len;
    bool same = len >= 8 && end - p > (ptrdiff_t)len &&
                pf_json_load8(p + len - 8) == pf_json_load8(head->args + len - 8) && memcmp(p, head->args, len) == 0;
    return same ? p + len : NULL;
}

static inline const uint8_t *hot_args(pf_json_event *e, const uint8_t *p, const uint8_t *end, pf_json_head *head)
{
    const uint8_t *q = hot_same_args(p, end, head);
    uint64_t values = 1;
    if (!q) {
        q = hot_args_end(e->rules, p, end, head, &values);
        head->args = p;
        head->args_len = q < end && values > 0 ? (size_t)(q - p) : 0;
    }
    if (q >= end || q - e->start > PF_JSON_EVENT_MAX) {
        return end;
    }
    e->flags &= (uint16_t) ~(PF_JSON_ARGS_EMPTY | PF_JSON_ARGS_LOST | PF_JSON_OTHER_ARGS);
    e->flags |= values == 0 ? PF_JSON_ARGS_EMPTY : 0;
    e->args = (pf_json_text){p, (uint32_t)(q - p), false};
    if (values == 0) {
        e->args = (pf_json_text){0};
    }
    return q;
}

/* Args under the key that a dialect has for them; their event is no plain one. */
static inline const uint8_t *hot_other_args(pf_json_event *e, const uint8_t *p, const uint8_t *end, pf_json_head *head)
{
    const pf_json_rules *rules = e->rules;
    if (!rules->args_mask || (pf_json_load8(p) & rules->args_mask) != rules->args_word || e->args.ptr ||
        e->flags & (PF_JSON_ARGS_EMPTY | PF_JSON_ARGS_LOST)) {
        return end;
    }
    p += rules->args_key.len + 3;
    p = hot_args(e, p + (*p == ' '), end, head);
    if (p < end) {
        e->flags = (uint16_t)((e->flags & ~PF_JSON_ARGS_EMPTY) | PF_JSON_OTHER_ARGS | PF_JSON_ODD);
    }
    return p;
}

/* The first eight bytes of a text as one number, the rest zero. Made of single letters, so that the compiler knows it.
 */
#define HOT_LETTER(text, i) ((uint64_t)(uint8_t)(text "\0\0\0\0\0\0\0")[i] << 8 * (i))
#define HOT_LETTERS(text)                                                                                              \
    (HOT_LETTER(text, 0) | HOT_LETTER(text, 1) | HOT_LETTER(text, 2) | HOT_LETTER(text, 3) | HOT_LETTER(text, 4) |     \
     HOT_LETTER(text, 5) | HOT_LETTER(text, 6) | HOT_LETTER(text, 7))
#define HOT_LEN(text) (sizeof(text) - 1)
#define HOT_STARTS(p, text) (((pf_json_load8(p) ^ HOT_LETTERS(text)) & ~0ull >> (64 - 8 * HOT_LEN(text))) == 0)

/* Whether the key whose opening quote is at p is `word`. */
#define HOT_KEY(p, word) HOT_STARTS(p, "\"" word "\":")
#define HOT_VALUE(p, word) ((p) + sizeof(word) + 2 + ((p)[sizeof(word) + 2] == ' '))

/* Whether the member after the one that ends at p has this key, with no blanks. */
#define HOT_NEXT(p, end, word) ((p) < (end) && HOT_STARTS(p, ",\"" word "\":"))

/* `"key":value`, and what usually follows; p stands on the opening quote. Returns the byte after the value, or `end`
 * or more: then nothing was taken that will not be taken again, or it does not count. The first letter of a key leaves
 * one or two that it can be. */
static inline const uint8_t *hot_member(pf_json_event *e, const uint8_t *p, const uint8_t *end, pf_json_head *head)
{
    switch (p[1]) {
    case 'n':
        return HOT_KEY(p, "name") ? hot_text(HOT_VALUE(p, "name"), end, &e->name) : end;
    case 'c':
        if (!HOT_KEY(p, "cat")) {
            return end;
        }
        p = hot_text(HOT_VALUE(p, "cat"), end, &e->category);
        return HOT_NEXT(p, end, "name") ? hot_text(p + 8, end, &e->name) : p;
    case 'p':
        if (HOT_KEY(p, "pid")) {
            p = hot_id(HOT_VALUE(p, "pid"), end, &e->pid);
            if (HOT_NEXT(p, end, "tid")) {
                p = hot_id(p + 7, end, &e->tid);
                if (HOT_NEXT(p, end, "ts")) {
                    e->flags |= PF_JSON_HAS_TS;
                    p = hot_time(e->rules, p + 6, end, head, &e->ts);
                }
            }
            return p;
        }
        return HOT_KEY(p, "ph") ? hot_letter(HOT_VALUE(p, "ph"), end, &e->phase) : end;
    case 't':
        if (HOT_KEY(p, "tid")) {
            return hot_id(HOT_VALUE(p, "tid"), end, &e->tid);
        }
        if (!HOT_KEY(p, "ts")) {
            return end;
        }
        e->flags |= PF_JSON_HAS_TS;
        return hot_time(e->rules, HOT_VALUE(p, "ts"), end, head, &e->ts);
    case 'd':
        if (!HOT_KEY(p, "dur")) {
            return end;
        }
        e->flags = (uint16_t)((e->flags | PF_JSON_HAS_DUR) & ~(PF_JSON_BAD_DUR | PF_JSON_ROUNDED_DUR));
        return hot_time(e->rules, HOT_VALUE(p, "dur"), end, head, &e->dur);
    case 'a':
        if (HOT_KEY(p, "args")) {
            return hot_args(e, HOT_VALUE(p, "args"), end, head);
        }
        return hot_other_args(e, p, end, head);
    case 's':
        return HOT_KEY(p, "s") ? hot_letter(HOT_VALUE(p, "s"), end, &e->scope) : end;
    default:
        return hot_other_args(e, p, end, head);
    }
}

/* The same for members that are not plain; `end` if the event is incomplete or damaged. */
static inline const uint8_t *hot_other_member(pf_json_event *e, const uint8_t *p, const uint8_t *end)
{
    pf_json_event copy = *e; /* so that no other event needs to be in memory */
    pf_json_scan_result result = pf_json_read_member(&copy, &p);
    *e = copy;
    return result == PF_JSON_DONE ? p : end;
}

/* The byte after the event whose opening brace is e->start, NULL if it is incomplete or damaged. */
static inline const uint8_t *hot_event(pf_json_event *e, const uint8_t *end, pf_json_head *head, bool *empty)
{
    const uint8_t *p = hot_skip(e->start + 1, end);
    *empty = p >= end || *p != '"';
    while (p < end && *p == '"') {
        const uint8_t *q = hot_member(e, p, end, head);
        while (__builtin_expect(q < end && pf_json_load2(q) == PF_KEY2(',', '"'), 1)) {
            p = q + 1;
            q = hot_member(e, p, end, head);
        }
        if (__builtin_expect(q >= end, 0)) {
            q = hot_other_member(e, p, end);
            if (q >= end) {
                return NULL;
            }
        }
        p = hot_skip_indent(q, end, &head->indent[PF_JSON_INDENT_CLOSE]);
        if (p >= end || *p != ',') {
            break;
        }
        p = hot_skip_indent(p + 1, end, &head->indent[PF_JSON_INDENT_MEMBER]);
    }
    return p < end && *p == '}' ? p + 1 : NULL;
}

#include "json/fast/args_templates.h"

#include "json/fast/event_templates.h"
#include "json/fast/learn_templates.h"

/* Reads and keeps the event at `start`, whatever it looks like; NULL if it is incomplete or damaged. */
static __attribute__((noinline)) const uint8_t *hot_unlike(pf_json_piece *piece, const pf_json_rules *rules,
                                                           const uint8_t *start, const uint8_t *end, pf_json_head *head)
{
    bool empty;
    pf_json_event e;
    pf_json_event_start(&e, rules, start, end);
    const uint8_t *after = hot_event(&e, end, head, &empty);
    if (!after || (e.phase == 0 && !empty)) {
        return NULL;
    }
    pf_json_keep(piece, &e, empty);
    if (!(e.flags & PF_JSON_ODD)) {
        hot_learn(piece, &e, end);
    }
    return after;
}

pf_json_hot_loop HOT_LOOP;

const uint8_t *HOT_LOOP(pf_json_piece *piece, const pf_json_rules *rules, const uint8_t *p, const uint8_t *limit,
                        const uint8_t *end)
{
    pf_json_head head = {0};
    const uint64_t patience = rules->patience < PF_JSON_EVENT_MAX ? rules->patience : PF_JSON_EVENT_MAX;
    pf_json_record *r = piece->record + piece->count;
    while (p < limit && r < piece->record + PF_JSON_RECORDS) {
        const uint8_t *next = end - p > PF_JSON_LINE ? kernel_line_end(p) + 1 : NULL;
        const uint8_t *event_end = (uint64_t)(end - p) > patience ? p + patience : end;
        const uint8_t *after = hot_alike(piece, rules, p, event_end, &head, r++);
        if (__builtin_expect(!after, 0)) {
            after = hot_unlike(piece, rules, p, event_end, &head);
            if (!after) {
                break;
            }
            r = piece->record + piece->count;
        }
        if (after + 2 == next && pf_json_load2(after) == PF_KEY2(',', '\n') && *next == '{') {
            p = hot_hide(next);
            continue;
        }
        p = after + (*after == ',');
        p += *p == '\n';
        if (p >= end || *p != '{') {
            p = hot_skip(after, end);
            p = p < end && *p == ',' ? hot_skip_indent(p + 1, end, &head.indent[PF_JSON_INDENT_EVENT]) : p;
        }
        if (p >= end || *p != '{') {
            return after;
        }
    }
    return p;
}
