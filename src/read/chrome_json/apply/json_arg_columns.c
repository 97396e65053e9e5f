/* read/chrome_json/apply/json_arg_columns.c - some arguments of an event out of the text of its args object.
 *
 * Of most members only the key is looked at, and whether it can be one that is wanted is told by its length and first
 * character; the value is passed over, 16 bytes at a time. What is inside a wanted object or list goes to the visitor,
 * as on a walk over all arguments. Anything unusual (damage, a key with escapes) is left to that walk.
 *
 * Loads of 16 bytes need readable memory after the text. There is some where the page goes on; other texts are copied
 * to where there is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text/escapes.h"
#include "model/args/arg_columns.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/chrome_json/scan/skip.h"

#define COPY_BYTES 4096u

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define PF_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PF_SANITIZED
#endif

typedef struct finder {
    pf_arg_piece *piece;
    const pf_arg_visitor *visitor;
    const uint8_t *p, *end; /* PF_SLOP readable bytes follow */
} finder;

/* The byte after the bracket that closes the one at p; NULL if there is none. */
static const uint8_t *container_end(const uint8_t *p, const uint8_t *end)
{
    size_t depth = 0;
    bool escaped;
    while (p < end) {
#if defined(__SSE2__)
        /* '[' and ']' differ from '{' and '}' in one bit only. */
        __m128i v = _mm_loadu_si128((const __m128i *)p), folded = _mm_or_si128(v, _mm_set1_epi8(32));
        __m128i brackets =
            _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')), _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(brackets, _mm_cmpeq_epi8(v, _mm_set1_epi8('"'))));
        if (hits == 0) {
            p += 16;
            continue;
        }
        p += __builtin_ctz(hits);
        if (p >= end) {
            return NULL;
        }
#endif
        if (*p == '"') {
            p = pf_json_string_end(p + 1, end, &escaped);
            if (!p) {
                return NULL;
            }
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if ((*p == '}' || *p == ']') && --depth == 0) {
            return p + 1;
        }
        p++;
    }
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void put_exact(const finder *f, uint64_t keys, pf_str name, const pf_value *v)
{
    for (; keys; keys &= keys - 1) {
        unsigned k = (unsigned)__builtin_ctzll(keys);
        if (pf_arg_is(f->piece->columns, k, name)) {
            pf_arg_put(f->piece, k, v);
        }
    }
}

/* Up to 18 digits without zeros in front; the byte after them, NULL if there are others. */
static const uint8_t *read_digits(const finder *f, const uint8_t *digits, int64_t *number)
{
    const uint8_t *p = digits;
    int64_t v = 0;
    for (; p < f->end && p - digits < 18 && (unsigned)(*p - '0') <= 9; p++) {
        v = v * 10 + (*p - '0');
    }
    *number = v;
    return p == digits || p == f->end || (p - digits > 1 && *digits == '0') ? NULL : p;
}

/* Puts a number into one column of integers, as most wanted values are: no way round by a value of any type. `keys` are
 * those that the name is, or leads into. */
static bool put_integer(const finder *f, uint64_t keys, pf_str name, bool is_text, int64_t number)
{
    pf_arg_piece *p = f->piece;
    unsigned k = (unsigned)__builtin_ctzll(keys);
    const pf_arg_column *c = &p->columns->column[k];
    const pf_arg_wanted *wanted = &p->columns->wanted[k];
    uint64_t bit = 1ull << p->row % 64, *word = (uint64_t *)(uintptr_t)&c->present[p->row / 64];
    bool is = wanted->key.len == name.len && (wanted->from_text || !is_text); /* not only leads into the value */
    if ((keys & (keys - 1)) || !is || (c->type != PF_ARG_INT && c->type != PF_ARG_UINT) || *word & bit) {
        return false;
    }
    ((int64_t *)(uintptr_t)c->values.i)[p->row] = number;
    *word |= bit;
    p->missing -= p->first_values;
    return true;
}

static pf_status take_text(finder *f, uint64_t keys, pf_str name)
{
    bool escaped = false;
    int64_t number;
    const uint8_t *text = f->p + 1, *q = keys ? read_digits(f, text, &number) : NULL;
    if (q && *q == '"' && put_integer(f, keys, name, true, number)) {
        f->p = q + 1;
        return PF_OK;
    }
    q = pf_json_string_end(text, f->end, &escaped);
    if (!q) {
        return PF_ERR_DAMAGED;
    }
    f->p = q + 1;
    if (!keys) {
        return PF_OK;
    }
    pf_value v = {.type = PF_VALUE_STRING, .as.s = {(const char *)text, (size_t)(q - text)}};
    char *made = NULL;
    if (escaped) {
        unsigned lone = 0;
        made = malloc(v.as.s.len + 1);
        if (!made) {
            return pf_fail(&f->piece->error, PF_ERR_MEMORY, "the system refused memory for the text of an argument");
        }
        v.as.s = (pf_str){made, pf_json_unescape(text, v.as.s.len, made, &lone)};
    }
    put_exact(f, keys, name, &v);
    free(made);
    return f->piece->status;
}

/* A container is none of the values that a column holds; keys may lead into it. */
static pf_status take_container(finder *f, uint64_t keys, pf_str name)
{
    const uint8_t *from = f->p, *to = container_end(f->p, f->end);
    bool leads = false;
    if (!to) {
        return PF_ERR_DAMAGED;
    }
    f->p = to;
    put_exact(f, keys, name, NULL);
    for (; keys && !leads; keys &= keys - 1) {
        leads = pf_arg_leads_into(f->piece->columns, (unsigned)__builtin_ctzll(keys), name);
    }
    if (!leads) {
        return PF_OK;
    }
    const pf_arg_visitor *v = f->visitor;
    pf_status st = *from == '{' ? v->begin_object(v->ctx, name) : v->begin_array(v->ctx, name);
    st = st == PF_OK ? pf_json_visit_object(from, (size_t)(to - from), (pf_str){NULL, 0}, v, &f->piece->error) : st;
    return st == PF_OK ? v->end(v->ctx) : st;
}

static pf_status take_word(finder *f, uint64_t keys, pf_str name)
{
    const uint8_t *q = pf_json_word_end(f->p, f->end);
    if (q == f->p) {
        return PF_ERR_DAMAGED;
    }
    int64_t number;
    bool digits = keys && read_digits(f, f->p, &number) == q;
    if (keys && !(digits && put_integer(f, keys, name, false, number))) {
        const pf_value v = pf_json_word_value((const char *)f->p, (size_t)(q - f->p));
        put_exact(f, keys, name, &v);
    }
    f->p = q;
    return f->piece->status;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Reads the key at f->p and goes to its value; DAMAGED where there is none. */
static pf_status read_key(finder *f, pf_str *name)
{
    bool escaped = false;
    const uint8_t *text = f->p + 1, *q = pf_json_string_end(text, f->end, &escaped);
    if (!q || escaped) {
        return PF_ERR_DAMAGED;
    }
    *name = (pf_str){(const char *)text, (size_t)(q - text)};
    q = pf_json_skip_space(q + 1, f->end);
    if (q == f->end || *q != ':') {
        return PF_ERR_DAMAGED;
    }
    f->p = pf_json_skip_space(q + 1, f->end);
    return f->p == f->end ? PF_ERR_DAMAGED : PF_OK;
}

/* Of the keys that the name is a candidate for those that it is, or leads into. */
static uint64_t exact_keys(const pf_arg_columns *c, pf_str name)
{
    uint64_t exact = 0;
    for (uint64_t keys = pf_arg_candidates(c, name); keys; keys &= keys - 1) {
        unsigned k = (unsigned)__builtin_ctzll(keys);
        exact |= (uint64_t)(pf_arg_is(c, k, name) || pf_arg_leads_into(c, k, name)) << k;
    }
    return exact;
}

/* The same with the keys that are wanted of the name. Most events have the members that the event before had: the
 * text up to the value is compared as a whole. */
static pf_status next_key(finder *f, unsigned member, pf_str *name, uint64_t *keys)
{
    const uint8_t *from = f->p;
    pf_arg_alike *alike = member < PF_ARG_ALIKE ? &f->piece->alike[member] : NULL;
    if (alike && alike->len && (size_t)(f->end - from) > alike->len && memcmp(from, alike->text, alike->len) == 0) {
        *name = (pf_str){(const char *)from + 1, alike->name_len};
        *keys = alike->keys;
        f->p += alike->len;
        return PF_OK;
    }
    pf_status st = read_key(f, name);
    if (st != PF_OK) {
        return st;
    }
    *keys = exact_keys(f->piece->columns, *name);
    if (alike && f->p - from <= PF_ARG_ALIKE_BYTES) {
        memcpy(alike->text, from, (size_t)(f->p - from));
        alike->len = (uint8_t)(f->p - from);
        alike->name_len = (uint8_t)name->len;
        alike->keys = *keys;
    }
    return PF_OK;
}

/* The member whose key begins at f->p. */
static pf_status take_member(finder *f, unsigned member)
{
    pf_str name;
    uint64_t keys;
    pf_status st = next_key(f, member, &name, &keys);
    if (st != PF_OK) {
        return st;
    }
    switch (*f->p) {
    case '"':
        return take_text(f, keys, name);
    case '{':
    case '[':
        return take_container(f, keys, name);
    default:
        return take_word(f, keys, name);
    }
}

static pf_status find(finder *f)
{
    for (unsigned member = 0;; member++) {
        f->p = pf_json_skip_space(f->p, f->end);
        if (f->p == f->end || *f->p != '"') {
            return f->p < f->end && *f->p == '}' ? PF_OK : PF_ERR_DAMAGED;
        }
        pf_status st = take_member(f, member);
        if (st != PF_OK || pf_arg_complete(f->piece)) {
            return st;
        }
        f->p = pf_json_skip_space(f->p, f->end);
        if (f->p < f->end && *f->p == ',') {
            f->p++;
        }
    }
}

/* Whether PF_SLOP bytes after the text can be loaded where it is: those on its last page can. A sanitizer does not know
 * that. */
static bool has_slop(const uint8_t *bytes, size_t len)
{
#if defined(PF_SANITIZED)
    (void)bytes;
    (void)len;
    return false;
#else
    return ((uintptr_t)(bytes + len - 1) & 4095) + PF_SLOP < 4096;
#endif
}

pf_status pf_json_find_args(pf_arg_piece *p, const uint8_t *bytes, size_t len, const pf_arg_visitor *v)
{
    if (len == 0) {
        return PF_OK;
    }
    if (has_slop(bytes, len)) {
        finder f = {.piece = p, .visitor = v, .p = bytes + 1, .end = bytes + len};
        return find(&f);
    }
    uint8_t copy[COPY_BYTES + PF_SLOP], *large = len > COPY_BYTES ? malloc(len + PF_SLOP) : NULL;
    uint8_t *text = len > COPY_BYTES ? large : copy;
    if (!text) {
        return pf_fail(&p->error, PF_ERR_MEMORY, "the system refused %zu bytes for the arguments of an event", len);
    }
    memcpy(text, bytes, len);
    memset(text + len, 0, PF_SLOP);
    finder f = {.piece = p, .visitor = v, .p = text + 1, .end = text + len};
    pf_status st = find(&f);
    free(large);
    return st;
}
