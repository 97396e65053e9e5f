/* json/scan/skip.c - passing over a JSON value of any size and depth without recursion.
 *
 * The scanner is a small state machine over tokens. It remembers of every open level only whether it is an object or
 * an array: one bit each, for the first PF_JSON_TYPED_DEPTH levels. Checking the grammar that far is what makes damage
 * visible where it happens: after an unescaped quote or a lost bracket the next token or two cannot follow, and the
 * reader resumes a few bytes later instead of taking the rest of the file for one huge value. Deeper levels are only
 * counted; whoever nests that deep gets any grammar accepted.
 */
#include "json/scan/skip.h"

/* What the next token may be. */
enum {
    EXPECT_VALUE = 0,
    EXPECT_VALUE_OR_CLOSE, /* directly after an opening bracket or a comma */
    EXPECT_COLON,
    EXPECT_SEPARATOR /* comma or closing bracket */
};

const uint8_t pf_json_word_byte[256] = {
    ['0' ... '9'] = 1, ['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['+'] = 1, ['-'] = 1, ['.'] = 1, ['_'] = 1,
};

bool pf_json_word_is_foreign(const uint8_t *p, size_t len)
{
    if ((*p >= '0' && *p <= '9') || (*p == '-' && len > 1 && p[1] >= '0' && p[1] <= '9')) {
        return false;
    }
    return !((len == 4 && (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0)) ||
             (len == 5 && memcmp(p, "false", 5) == 0));
}

void pf_json_scan_start(pf_json_scan *s)
{
    s->depth = s->deepest = 0;
    s->values = s->foreign = 0;
    s->expect = EXPECT_VALUE;
}

static bool level_is_typed(const pf_json_scan *s)
{
    return s->depth <= PF_JSON_TYPED_DEPTH;
}

static bool in_object(const pf_json_scan *s)
{
    size_t level = s->depth - 1;
    return s->in_object[level / 64] >> (level % 64) & 1;
}

static void open_level(pf_json_scan *s, bool object)
{
    size_t level = s->depth++;
    if (level < PF_JSON_TYPED_DEPTH) {
        uint64_t bit = 1ull << (level % 64);
        s->in_object[level / 64] = object ? s->in_object[level / 64] | bit : s->in_object[level / 64] & ~bit;
    }
    if (s->depth > s->deepest) {
        s->deepest = s->depth;
    }
    s->values++;
    s->expect = EXPECT_VALUE_OR_CLOSE;
}

/* Closes a level; false if the bracket is of the other kind. `empty`: nothing stood after the last bracket or comma.
 */
static bool close_level(pf_json_scan *s, bool object, bool empty)
{
    if (level_is_typed(s) && in_object(s) != object) {
        return false;
    }
    s->values -= empty;
    s->depth--;
    s->expect = EXPECT_SEPARATOR;
    return true;
}

/* The token at p where a value is expected; returns the byte after it, p itself if it is wrong, NULL for more. */
static const uint8_t *take_value(pf_json_scan *s, const uint8_t *p, const uint8_t *end)
{
    bool may_close = s->expect == EXPECT_VALUE_OR_CLOSE;
    if (*p == '"') {
        bool escaped = false;
        const uint8_t *q = pf_json_string_end(p + 1, end, &escaped);
        /* In an object, what stands after a bracket or a comma is a key. */
        s->expect = may_close && (!level_is_typed(s) || in_object(s)) ? EXPECT_COLON : EXPECT_SEPARATOR;
        return q ? q + 1 : NULL;
    }
    if (*p == '}' || *p == ']') {
        return may_close && close_level(s, *p == '}', true) ? p + 1 : p;
    }
    if (may_close && level_is_typed(s) && in_object(s)) {
        return p;
    }
    if (*p == '{' || *p == '[') {
        open_level(s, *p == '{');
        return p + 1;
    }
    const uint8_t *q = pf_json_word_end(p, end);
    if (q == end) {
        return NULL;
    }
    if (q > p) {
        s->foreign += (*p > '9' || *p < '0') && pf_json_word_is_foreign(p, (size_t)(q - p));
        s->expect = EXPECT_SEPARATOR;
    }
    return q;
}

/* The same where a comma or a closing bracket is expected. */
static const uint8_t *take_separator(pf_json_scan *s, const uint8_t *p)
{
    if (*p == ',') {
        s->values++;
        s->expect = EXPECT_VALUE_OR_CLOSE;
        return p + 1;
    }
    if (*p == '}' || *p == ']') {
        return close_level(s, *p == '}', false) ? p + 1 : p;
    }
    /* Beyond the typed depth a string may have been a key. */
    if (*p == ':' && !level_is_typed(s)) {
        s->expect = EXPECT_VALUE;
        return p + 1;
    }
    return p;
}

pf_json_scan_result pf_json_scan_value(pf_json_scan *s, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    for (;;) {
        if (s->expect == EXPECT_SEPARATOR && s->depth == 0) {
            *at = p;
            return PF_JSON_DONE;
        }
        p = pf_json_skip_space(p, end);
        *at = p;
        if (p == end) {
            return PF_JSON_MORE;
        }
        unsigned before = s->expect;
        const uint8_t *q = p;
        switch (s->expect) {
        case EXPECT_VALUE:
        case EXPECT_VALUE_OR_CLOSE:
            q = take_value(s, p, end);
            break;
        case EXPECT_COLON:
            if (*p == ':') {
                s->expect = EXPECT_VALUE;
                q = p + 1;
            } else if (!level_is_typed(s) && *p != '"') {
                s->expect = EXPECT_SEPARATOR;
                continue;
            }
            break;
        default:
            q = take_separator(s, p);
            break;
        }
        if (!q) {
            s->expect = before;
            return PF_JSON_MORE;
        }
        if (q == p) {
            return PF_JSON_BAD;
        }
        p = q;
    }
}
