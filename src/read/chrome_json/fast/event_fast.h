/* read/chrome_json/fast/event_fast.h - straight through events as they usually look; included once per instruction set.
 *
 * The including file defines
 *     HOT_STOPS(p)   bit i set: byte i of the 32 bytes at p is a quote or a backslash
 *     HOT_BLANKS(p)  likewise for spaces and line feeds
 *     HOT_UNLIKE(p, kinds)  bit i set: byte i of the 32 at p is not of the kind that HOT_KINDS made of another byte i
 *     HOT_KINDS(p, kinds)  the kinds of 32 bytes: all digits are one, every other byte its own
 *     HOT_SAME(p, bytes, mask)  whether PF_JSON_SPAN bytes are equal where those at `mask` are 255
 *     HOT_LINE_END(p)  the first line feed after p if it is not far, else anything; looks at up to HOT_LINE bytes
 *     HOT_LOOP       the name of the loop that this file defines
 *
 * Every member is tried as what it usually is: a text of up to 32 bytes is one look at HOT_STOPS, a number a few
 * multiplications (digits.h), args a walk with one label per state of the grammar, so that where the walk stands in the
 * code is all it has to remember besides a bit per open bracket. Args that are built like earlier ones are not walked
 * over at all (args_templates.h). Whatever is not as usual - blanks in odd places, escapes, other types, deep nesting,
 * damage, the end of the bytes at hand - is refused and read again by json_event.c, which knows all cases. So these
 * functions may refuse anything but must never accept what json_event.c would take for something else.
 *
 * Where an event ends is known only when all of it was read, so the next one could not be begun before. But in many
 * files each has a line of its own, and the end of a line is found at once: where both agree, the loop goes on at the
 * address that was found early, and the processor works on several events at a time.
 *
 * Bytes after `end` may have any value. They may be looked at, as far as PF_SLOP reaches, and a result counts only if
 * it ends before `end`.
 */
#include "read/chrome_json/fast/record_event.h"
#include "read/chrome_json/fast/timestamp_cache.h"
#include "read/chrome_json/scan/event_keys.h"

#define HOT_INLINE inline __attribute__((always_inline))

/* Blanks as indentation has them: line feeds, then a row of spaces. May go a few bytes beyond end. */
static __attribute__((noinline)) const uint8_t *hot_blanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        uint64_t other = pf_json_load8(p) ^ 0x2020202020202020ull;
        p += other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
        if (*p != '\n' && *p != '\r' && *p != '\t') {
            if (*p != ' ') {
                break;
            }
            continue;
        }
        p++;
    }
    return p;
}

/* The same address, of which the compiler does not know where it came from. */
static HOT_INLINE const uint8_t *hot_hide(const uint8_t *p)
{
    __asm__("" : "+r"(p));
    return p;
}

/* Blanks between tokens: none or one in most files, a line feed and indentation in others. */
static HOT_INLINE const uint8_t *hot_skip(const uint8_t *p, const uint8_t *end)
{
    if (__builtin_expect(*p > ' ', 1)) {
        return p;
    }
    p += *p == ' ';
    if (*p <= ' ') {
        uint32_t others = ~HOT_BLANKS(p);
        p += others ? __builtin_ctz(others) : 32;
    }
    return __builtin_expect(*p > ' ', 1) ? p : hot_blanks(p, end);
}

/* The same where the last indentation of that depth is known: if this one is as long, where it ends need not be waited
 * for. */
static HOT_INLINE const uint8_t *hot_skip_indent(const uint8_t *p, const uint8_t *end, uint8_t *usual)
{
    if (__builtin_expect(*p > ' ', 1)) {
        return p;
    }
    uint32_t others = ~HOT_BLANKS(p);
    const uint8_t *q = p + *usual;
    if (others && q == p + __builtin_ctz(others)) {
        p = hot_hide(q);
        return __builtin_expect(*p > ' ', 1) ? p : hot_blanks(p, end);
    }
    q = hot_skip(p, end);
    *usual = q - p < 32 ? (uint8_t)(q - p) : 0;
    return q;
}

/* The closing quote of the text whose first byte is p; `end` or more if there is none before it. */
static HOT_INLINE const uint8_t *hot_text_end(const uint8_t *p, const uint8_t *end, bool *escaped)
{
    uint32_t stops = HOT_STOPS(p);
    if (__builtin_expect(stops != 0, 1)) {
        p += __builtin_ctz(stops);
        if (__builtin_expect(*p == '"', 1)) {
            return p;
        }
    } else {
        p += 32;
    }
    p = pf_json_string_end(p, end, escaped);
    return p ? p : end;
}

/* The byte after a number or one of the three words of JSON, NULL for anything else; whether that is where it ends is
 * not looked at. */
static HOT_INLINE const uint8_t *hot_word_end(const uint8_t *p)
{
    if (__builtin_expect(*p > '9', 0)) {
        uint32_t w = pf_json_load4(p);
        bool is_false = w == PF_KEY4('f', 'a', 'l', 's') && p[4] == 'e';
        if (!is_false && w != PF_KEY4('t', 'r', 'u', 'e') && w != PF_KEY4('n', 'u', 'l', 'l')) {
            return NULL;
        }
        p += 4 + is_false;
    } else {
        p += *p == '-';
        unsigned n = pf_json_digit_run(pf_json_load8(p));
        if (n == 0) {
            return NULL;
        }
        for (p += n; pf_json_word_byte[*p] && n < 32; n++) {
            p++;
        }
    }
    return p;
}

/* The opening quote of the next key where `"key": digits,` stands at p, NULL where anything else does. Its place
 * follows from the quotes alone: that the bytes between are what they should be is checked on the side, and nothing
 * waits for it. */
static HOT_INLINE const uint8_t *hot_next_key(const uint8_t *p, const uint8_t *end)
{
    uint64_t stops = HOT_STOPS(p + 1) | (uint64_t)HOT_STOPS(p + 33) << 32, later = stops & (stops - 1);
    if (!later || end - p < 80) {
        return NULL;
    }
    const uint8_t *close = p + 1 + __builtin_ctzll(stops), *next = p + 1 + __builtin_ctzll(later);
    const uint8_t *value = close + 2 + (close[2] == ' ');
    unsigned first = pf_json_digit_run(pf_json_load8(value)), more = pf_json_digit_run(pf_json_load8(value + 8));
    const uint8_t *comma = value + first + (first == 8 ? more : 0);
    uint32_t others = ~HOT_BLANKS(comma + 1);
    bool usual = pf_json_load2(close) == PF_KEY2('"', ':') && first > 0 && *comma == ',' && *next == '"' && others &&
                 comma + 1 + __builtin_ctz(others) == next;
    return usual ? hot_hide(next) : NULL;
}

/* Passes over the object at p; NULL if it is not as usual. *values counts as pf_json_scan does. indent: by depth. */
static HOT_INLINE const uint8_t *hot_object_end(const uint8_t *p, const uint8_t *end, uint32_t max_depth,
                                                uint8_t *indent, uint64_t *values)
{
    uint64_t kinds = 1; /* a bit per open level, the innermost lowest: an object */
    uint32_t depth = 1;
    bool escaped = false;
    uint64_t n = 1;
    p++;
key:
    p = hot_skip_indent(p, end, &indent[depth % 8]);
    if (p >= end) {
        return NULL;
    }
    if (*p != '"') {
        n--;
        goto close;
    }
    for (const uint8_t *next; (next = hot_next_key(p, end)); p = next) {
        n++;
    }
    p = hot_text_end(p + 1, end, &escaped);
    if (p[1] != ':') {
        return NULL;
    }
    p += 2;
value:
    p = hot_skip(p, end);
    if (p >= end) {
        return NULL;
    }
    if (*p == '"') {
        p = hot_text_end(p + 1, end, &escaped) + 1;
    } else if (*p == '{' || *p == '[') {
        kinds = kinds << 1 | (*p == '{');
        n++;
        p++;
        if (++depth > max_depth) {
            return NULL;
        }
        if (kinds & 1) {
            goto key;
        }
        goto element;
    } else {
        p = hot_word_end(p);
        if (!p) {
            return NULL;
        }
    }
separator:
    p = hot_skip_indent(p, end, &indent[(depth - 1) % 8]);
    if (p >= end) {
        return NULL;
    }
    if (*p == ',') {
        n++;
        p++;
        if (kinds & 1) {
            goto key;
        }
        goto element;
    }
close:
    if (*p != (kinds & 1 ? '}' : ']')) {
        return NULL;
    }
    p++;
    kinds >>= 1;
    if (--depth > 0) {
        goto separator;
    }
    *values = n;
    return p;
element:
    p = hot_skip_indent(p, end, &indent[depth % 8]);
    if (p >= end) {
        return NULL;
    }
    if (*p == ']') {
        n--;
        goto close;
    }
    goto value;
}

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
static HOT_INLINE const uint8_t *hot_usual_time(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                                pf_json_head *head, int64_t *time)
{
    const uint8_t *q = pf_json_read_form(p, &head->form, time);
    return __builtin_expect(q && !pf_json_word_byte[*q], 1) ? q : hot_new_time(rules, p, end, head, time);
}

/* Up to seven digits are kept as they are written: they only have to tell ids apart. */
static inline const uint8_t *hot_id(const uint8_t *p, const uint8_t *end, pf_json_id *id)
{
    uint64_t w = pf_json_load8(p);
    unsigned n = pf_json_digit_run(w);
    p += n;
    if (n == 0 || n == 8 || pf_json_word_byte[*p]) {
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

/* The byte after the object at p, `end` if it is none, not as usual or beyond the limits. *values: as above. */
static HOT_INLINE const uint8_t *hot_args_end(const pf_json_rules *rules, const uint8_t *p, const uint8_t *end,
                                              pf_json_head *head, uint64_t *values)
{
    uint32_t depth = rules->depth < 64 ? rules->depth : 64;
    *values = 0;
    const uint8_t *q = *p == '{' && depth > 0 ? hot_object_end(p, end, depth, head->indent, values) : NULL;
    return q && *values <= rules->keys ? q : end;
}

static inline const uint8_t *hot_args(pf_json_event *e, const uint8_t *p, const uint8_t *end, pf_json_head *head)
{
    uint64_t values;
    const uint8_t *q = hot_args_end(e->rules, p, end, head, &values);
    if (q >= end || q - e->start > PF_JSON_EVENT_MAX) {
        return end;
    }
    e->flags &= (uint16_t) ~(PF_JSON_ARGS_EMPTY | PF_JSON_ARGS_LOST | PF_JSON_HAS_ATTR);
    e->flags |= values == 0 ? PF_JSON_ARGS_EMPTY : 0;
    e->args = (pf_json_text){p, (uint32_t)(q - p), false};
    if (values == 0) {
        e->args = (pf_json_text){0};
    }
    return q;
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
        e->flags = (uint16_t)((e->flags | PF_JSON_HAS_DUR) & ~PF_JSON_BAD_DUR);
        return hot_time(e->rules, HOT_VALUE(p, "dur"), end, head, &e->dur);
    case 'a':
        return HOT_KEY(p, "args") ? hot_args(e, HOT_VALUE(p, "args"), end, head) : end;
    case 's':
        return HOT_KEY(p, "s") ? hot_letter(HOT_VALUE(p, "s"), end, &e->scope) : end;
    default:
        return end;
    }
}

/* The same for members that are not as usual; `end` if the event is incomplete or damaged. */
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

#include "read/chrome_json/fast/args_templates.h"

#include "read/chrome_json/fast/event_templates.h"
#include "read/chrome_json/fast/learn_templates.h"

/* Reads and keeps the event at `start`, whatever it looks like; NULL if it is incomplete or damaged. */
static __attribute__((noinline)) const uint8_t *hot_unlike(pf_json_piece *piece, const pf_json_rules *rules,
                                                           const uint8_t *start, const uint8_t *end, pf_json_head *head)
{
    bool empty;
    pf_json_event e;
    pf_json_event_start(&e, rules, start, end);
    const uint8_t *behind = hot_event(&e, end, head, &empty);
    if (!behind || (e.phase == 0 && !empty)) {
        return NULL;
    }
    pf_json_keep(piece, &e, empty);
    if (!(e.flags & PF_JSON_ODD)) {
        hot_learn(piece, &e, end);
    }
    return behind;
}

enum { HOT_LINE = 416 };

const uint8_t *HOT_LOOP(pf_json_piece *piece, const pf_json_rules *rules, const uint8_t *p, const uint8_t *limit,
                        const uint8_t *end)
{
    pf_json_head head = {0};
    const uint64_t patience = rules->patience < PF_JSON_EVENT_MAX ? rules->patience : PF_JSON_EVENT_MAX;
    pf_json_record *r = piece->record + piece->count;
    while (p < limit && r < piece->record + PF_JSON_RECORDS) {
        const uint8_t *next = end - p > HOT_LINE ? HOT_LINE_END(p) + 1 : NULL;
        const uint8_t *event_end = (uint64_t)(end - p) > patience ? p + patience : end;
        const uint8_t *behind = hot_alike(piece, rules, p, event_end, &head, r++);
        if (__builtin_expect(!behind, 0)) {
            behind = hot_unlike(piece, rules, p, event_end, &head);
            if (!behind) {
                break;
            }
            r = piece->record + piece->count;
        }
        if (behind + 2 == next && pf_json_load2(behind) == PF_KEY2(',', '\n') && *next == '{') {
            p = hot_hide(next);
            continue;
        }
        p = behind + (*behind == ',');
        p += *p == '\n';
        if (p >= end || *p != '{') {
            p = hot_skip(behind, end);
            p = p < end && *p == ',' ? hot_skip_indent(p + 1, end, &head.indent[PF_JSON_INDENT_EVENT]) : p;
        }
        if (p >= end || *p != '{') {
            return behind;
        }
    }
    return p;
}
