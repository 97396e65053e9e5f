/* json/fast/args_walk.h - passes over an object of any shape, for args that no template fits; part of
 * event_fast.h.
 *
 * Members and elements are passed over one after the other; besides where it stands, the walk knows a bit for each open
 * bracket.
 */
#pragma once

#include "json/fast/fast_tokens.h"

/* The opening quote of the next key where `"key": digits,` stands at p, NULL where anything else does. Its place
 * follows from the quotes alone: that the bytes between are what they should be is checked on the side, and nothing
 * waits for it. */
static HOT_INLINE const uint8_t *hot_next_key(const uint8_t *p, const uint8_t *end)
{
    uint64_t stops = kernel_stops(p + 1) | (uint64_t)kernel_stops(p + 33) << 32, later = stops & (stops - 1);
    if (!later || end - p < 80) {
        return NULL;
    }
    const uint8_t *close = p + 1 + __builtin_ctzll(stops), *next = p + 1 + __builtin_ctzll(later);
    const uint8_t *value = close + 2 + (close[2] == ' ');
    unsigned first = pf_json_digit_run(pf_json_load8(value)), more = pf_json_digit_run(pf_json_load8(value + 8));
    const uint8_t *comma = value + first + (first == 8 ? more : 0);
    uint32_t others = ~kernel_blanks(comma + 1);
    bool plain = pf_json_load2(close) == PF_KEY2('"', ':') && first > 0 && *comma == ',' && *next == '"' && others &&
                 comma + 1 + __builtin_ctz(others) == next;
    return plain ? hot_hide(next) : NULL;
}

/* A walk over an object. */
typedef struct hot_walk {
    const uint8_t *end;
    uint8_t *indent; /* by depth */
    uint64_t open;   /* a bit per open bracket, the innermost lowest: 1 is an object */
    uint64_t values; /* as pf_json_scan counts them */
    uint32_t depth, max_depth;
} hot_walk;

/* The first byte of the value whose key's opening quote is at p; `end` or more, or NULL, where there is none. */
static HOT_INLINE const uint8_t *hot_walk_key(hot_walk *w, const uint8_t *p)
{
    bool escaped;
    for (const uint8_t *next; (next = hot_next_key(p, w->end)); p = next) {
        w->values++;
    }
    p = hot_text_end(p + 1, w->end, &escaped);
    return p < w->end && p[1] == ':' ? hot_skip(p + 2, w->end) : NULL;
}

/* Enters the bracket at p; false if that is too deep. */
static HOT_INLINE bool hot_walk_enter(hot_walk *w, const uint8_t *p)
{
    w->open = w->open << 1 | (*p == '{');
    w->values++;
    return ++w->depth <= w->max_depth;
}

/* Passes over the closing brackets from p on and stops at a comma, or where no bracket is open any more. NULL if
 * something else stands there. */
static HOT_INLINE const uint8_t *hot_walk_leave(hot_walk *w, const uint8_t *p)
{
    while (*p != ',') {
        if (*p != (w->open & 1 ? '}' : ']')) {
            return NULL;
        }
        p++;
        w->open >>= 1;
        if (--w->depth == 0) {
            return p;
        }
        p = hot_skip_indent(p, w->end, &w->indent[(w->depth - 1) % 8]);
        if (p >= w->end) {
            return NULL;
        }
    }
    return p;
}

/* Whether nothing stands at p, where a member or an element may begin. */
static HOT_INLINE bool hot_walk_is_empty(const hot_walk *w, const uint8_t *p)
{
    return w->open & 1 ? *p != '"' : *p == ']';
}

/* Passes over one member or element, or enters its bracket: *entered. Returns the first byte after that is no blank,
 * NULL if it is not plain. */
static HOT_INLINE const uint8_t *hot_walk_member(hot_walk *w, const uint8_t *p, bool *entered)
{
    bool escaped;
    p = w->open & 1 ? hot_walk_key(w, p) : p;
    if (!p || p >= w->end) {
        return NULL;
    }
    *entered = *p == '{' || *p == '[';
    if (*entered) {
        return hot_walk_enter(w, p) ? p + 1 : NULL;
    }
    p = *p == '"' ? hot_text_end(p + 1, w->end, &escaped) + 1 : hot_word_end(p);
    p = p && p < w->end ? hot_skip_indent(p, w->end, &w->indent[(w->depth - 1) % 8]) : w->end;
    return p < w->end ? p : NULL;
}

/* Passes over the object at p; NULL if it is not plain. *values counts as pf_json_scan does. indent: by depth. */
static HOT_INLINE const uint8_t *hot_object_end(const uint8_t *p, const uint8_t *end, uint32_t max_depth,
                                                uint8_t *indent, uint64_t *values)
{
    hot_walk w = {.end = end, .indent = indent, .open = 1, .values = 1, .depth = 1, .max_depth = max_depth};
    p++;
    while (true) {
        p = hot_skip_indent(p, end, &indent[w.depth % 8]);
        if (p >= end) {
            return NULL;
        }
        bool empty = hot_walk_is_empty(&w, p), entered = false;
        w.values -= empty;
        p = empty ? p : hot_walk_member(&w, p, &entered);
        if (!p || (empty && *p == ',')) {
            return NULL;
        }
        if (entered) {
            continue;
        }
        p = hot_walk_leave(&w, p);
        if (!p || w.depth == 0) {
            *values = w.values;
            return p;
        }
        w.values++;
        p++;
    }
}
