/* read/chrome_json/apply/json_arg_columns.c - some arguments of an event out of the text of its args object.
 *
 * Of most members only the key is read, and whether it can be one that is wanted shows by its length and first
 * character; the value is passed over, 16 bytes at a time. What is inside a wanted object or list goes to the visitor,
 * as on a walk over all arguments. Anything unusual (damage, a key with escapes) is left to that walk.
 *
 * Where only integers are wanted, the text is first compared with that of an earlier event of the category, all digits
 * counting as equal: where nothing else differs, the same keys have values in the same places.
 *
 * Loads of 16 bytes need readable memory after the text. There is some where the page goes on; other texts are copied
 * to where there is.
 */
#include <stdlib.h>

#include "base/text/json_text.h"
#include "model/args/arg_columns.h"
#include "read/chrome_json/apply/json_args.h"
#include "json/scan/skip.h"
#include "json/scan/words.h"

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
    pf_arg_alike *alike;    /* members of an earlier event of the category */
    pf_arg_shape *shape;    /* all of its arguments */
} finder;

/* Up to 18 digits without needless zeros in front; the byte after them, NULL if there are others. */
static inline const uint8_t *read_plain(const uint8_t *p, uint64_t *number)
{
    const uint8_t *end = pf_json_read_whole(p, number);
    return end && *p == '0' && end - p > 1 ? NULL : end;
}

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

static void put_exact(const finder *f, uint64_t keys, pf_str name, const pf_value *v)
{
    for (; keys; keys &= keys - 1) {
        unsigned k = (unsigned)__builtin_ctzll(keys);
        if (pf_arg_is(f->piece->columns, k, name)) {
            pf_arg_put(f->piece, k, v);
        }
    }
}

/* An integer for a column of integers. Text: it stood in quotes. */
static inline bool put_integer(pf_arg_piece *p, unsigned k, bool text, uint64_t number)
{
    return (!text || p->columns->wanted[k].from_text) && pf_arg_put_integer(p, k, number);
}

static pf_status take_text(finder *f, const pf_arg_alike *m, pf_str name)
{
    bool escaped = false;
    uint64_t number;
    const uint8_t *text = f->p + 1, *q = m->column < PF_ARG_KEYS_MAX ? read_plain(text, &number) : NULL;
    if (q && q < f->end && *q == '"' && put_integer(f->piece, m->column, true, number)) {
        f->p = q + 1;
        return PF_OK;
    }
    q = pf_json_string_end(text, f->end, &escaped);
    if (!q) {
        return PF_ERR_DAMAGED;
    }
    f->p = q + 1;
    if (!m->keys) {
        return PF_OK;
    }
    pf_value v = {.type = PF_VALUE_STRING, .as.s = {(const char *)text, (size_t)(q - text)}};
    char *made = NULL;
    if (escaped) {
        unsigned lone = 0;
        made = malloc(v.as.s.len + 1);
        PF_TRY(made ? PF_OK : pf_no_memory(&f->piece->error));
        v.as.s = (pf_str){made, pf_json_unescape(text, v.as.s.len, made, &lone)};
    }
    put_exact(f, m->keys, name, &v);
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
    pf_status st = v->begin(v->ctx, name, *from == '[');
    st = st == PF_OK ? pf_json_visit_object(from, (size_t)(to - from), (pf_str){NULL, 0}, v, &f->piece->error) : st;
    return st == PF_OK ? v->end(v->ctx) : st;
}

static pf_status take_word(finder *f, const pf_arg_alike *m, pf_str name)
{
    const uint8_t *q = pf_json_word_end(f->p, f->end);
    uint64_t number;
    if (q == f->p) {
        return PF_ERR_DAMAGED;
    }
    bool put = m->column < PF_ARG_KEYS_MAX && read_plain(f->p, &number) == q &&
               put_integer(f->piece, m->column, false, number);
    if (m->keys && !put) {
        const pf_value v = pf_json_word_value((const char *)f->p, (size_t)(q - f->p));
        put_exact(f, m->keys, name, &v);
    }
    f->p = q;
    return f->piece->status;
}

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

/* The column of integers that the name is for; none where it is for several, or leads into its value. */
static uint8_t int_column(const pf_arg_columns *c, uint64_t keys, pf_str name)
{
    unsigned k = keys ? (unsigned)__builtin_ctzll(keys) : 0;
    bool one = keys && !(keys & (keys - 1)) && c->wanted[k].key.len == name.len &&
               (c->wanted[k].type == PF_ARG_INT || c->wanted[k].type == PF_ARG_UINT);
    return one ? (uint8_t)k : PF_ARG_KEYS_MAX;
}

/* Whether the text at p is that of the member of an earlier event, with a value after it; 32 bytes can be loaded there.
 */
static bool is_alike(const uint8_t *p, const uint8_t *end, const pf_arg_alike *m)
{
    if (m->len == 0 || end - p <= m->len) {
        return false;
    }
#if defined(__SSE2__)
    const __m128i *at = (const __m128i *)p, *text = (const __m128i *)m->text;
    unsigned low = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at), _mm_loadu_si128(text)));
    unsigned high = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(at + 1), _mm_loadu_si128(text + 1)));
    unsigned same = low | high << 16;
    return (unsigned)__builtin_ctzll(~(uint64_t)same) >= m->len;
#else
    return memcmp(p, m->text, m->len) == 0;
#endif
}

/* Puts the digits at p, in quotes or not, into the member's column of integers. The byte after, NULL where the value is
 * another one. */
static const uint8_t *put_digits(const finder *f, const pf_arg_alike *m, const uint8_t *p)
{
    uint64_t number;
    bool text = *p == '"';
    const uint8_t *next = m->column < PF_ARG_KEYS_MAX ? read_plain(p + text, &number) : NULL;
    bool whole = next && next < f->end && (text ? *next == '"' : *next == ',' || *next == '}');
    return whole && put_integer(f->piece, m->column, text, number) ? next + text : NULL;
}

/* The byte after a value that nobody wants; NULL if there is no end of one. */
static const uint8_t *value_end(const uint8_t *p, const uint8_t *end)
{
    if (*p == '"') {
        bool escaped;
        const uint8_t *q = pf_json_string_end(p + 1, end, &escaped);
        return q ? q + 1 : NULL;
    }
    return *p == '{' || *p == '[' ? container_end(p, end) : pf_json_short_word_end(p, end);
}

/* Takes members with the keys of an earlier event whose values are not wanted, or are digits, as most are; returns the
 * number of the first one that is another. */
static unsigned take_alike(finder *f, unsigned member)
{
    const uint8_t *p = f->p;
    for (; member < PF_ARG_ALIKE && !pf_arg_complete(f->piece); member++) {
        const pf_arg_alike *m = &f->alike[member];
        if (!is_alike(p, f->end, m)) {
            break;
        }
        const uint8_t *next = m->keys ? put_digits(f, m, p + m->len) : value_end(p + m->len, f->end);
        if (!next) {
            break;
        }
        p = next;
    }
    f->p = p;
    return member;
}

/* Goes to the value of the member that follows and keeps its text for later events; *at_end where none follows. */
static pf_status read_member(finder *f, unsigned member, pf_arg_alike *m, pf_str *name, bool *at_end)
{
    const uint8_t *from = f->p;
    f->p = pf_json_skip_space(from, f->end);
    if (member && f->p < f->end && *f->p == ',') {
        f->p = pf_json_skip_space(f->p + 1, f->end);
    }
    *at_end = f->p < f->end && *f->p == '}';
    if (f->p == f->end || *f->p != '"') {
        return *at_end ? PF_OK : PF_ERR_DAMAGED;
    }
    pf_status st = read_key(f, name);
    if (st != PF_OK) {
        return st;
    }
    m->keys = exact_keys(f->piece->columns, *name);
    m->column = int_column(f->piece->columns, m->keys, *name);
    if (member < PF_ARG_ALIKE && f->p - from <= PF_ARG_ALIKE_BYTES) {
        m->len = (uint8_t)(f->p - from);
        m->name_at = (uint8_t)((const uint8_t *)name->ptr - from);
        m->name_len = (uint8_t)name->len;
        memcpy(m->text, from, m->len);
        f->alike[member] = *m;
    }
    return PF_OK;
}

/* The same for a member that may have the key of an earlier event. */
static pf_status next_member(finder *f, unsigned member, pf_arg_alike *m, pf_str *name, bool *at_end)
{
    if (member >= PF_ARG_ALIKE || !is_alike(f->p, f->end, &f->alike[member])) {
        return read_member(f, member, m, name, at_end);
    }
    *m = f->alike[member];
    *name = (pf_str){(const char *)f->p + m->name_at, m->name_len};
    f->p += m->len;
    return PF_OK;
}

static pf_status take_member(finder *f, unsigned member, bool *at_end)
{
    pf_str name = {NULL, 0};
    pf_arg_alike m = {.len = 0};
    pf_status st = next_member(f, member, &m, &name, at_end);
    if (st != PF_OK || *at_end) {
        return st;
    }
    switch (*f->p) {
    case '"':
        return take_text(f, &m, name);
    case '{':
    case '[':
        return take_container(f, m.keys, name);
    default:
        return take_word(f, &m, name);
    }
}

/* Most events have the members that an earlier one of their category had: each is first compared with the one there. */
static pf_status find(finder *f)
{
    bool at_end = false;
    pf_status st = PF_OK;
    for (unsigned member = 0; st == PF_OK && !at_end; member++) {
        member = take_alike(f, member);
        if (pf_arg_complete(f->piece) || (member && f->p < f->end && *f->p == '}')) {
            return PF_OK;
        }
        st = take_member(f, member, &at_end);
    }
    return st;
}

/* Whether the 16 bytes at p are of these kinds. */
static inline bool has_kinds(const uint8_t *p, const uint8_t *kinds)
{
#if defined(__SSE2__)
    const __m128i zero = _mm_set1_epi8('0'), v = _mm_loadu_si128((const __m128i *)p), d = _mm_sub_epi8(v, zero);
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d);
    const __m128i kind = _mm_or_si128(_mm_andnot_si128(is_digit, v), _mm_and_si128(is_digit, zero));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(kind, _mm_loadu_si128((const __m128i *)kinds))) == 0xffff;
#else
    bool same = true;
    for (unsigned i = 0; i < 16; i++) {
        same &= (pf_is_digit((char)p[i]) ? '0' : p[i]) == kinds[i];
    }
    return same;
#endif
}

/* Takes the values of arguments that are like those of the shape. */
static bool take_shape(const finder *f)
{
    const pf_arg_shape *s = f->shape;
    const uint8_t *p = f->p;
    ptrdiff_t left = f->end - p;
    bool same = s->len && (s->whole ? left == s->len : left >= s->len);
    for (unsigned i = 0; same && i < s->len; i += 16) {
        unsigned at = s->len - i < 16 ? s->len - 16u : i; /* the last ones once more */
        same = has_kinds(p + at, s->kinds + at);
    }
    for (unsigned k = 0; same && k < s->values; k++) {
        same = s->value[k].digits == 1 || p[s->value[k].at] != '0';
    }
    for (unsigned k = 0; same && k < s->values; k++) {
        uint64_t number = pf_json_digit_number(pf_json_load8(p + s->value[k].at), s->value[k].digits);
        pf_arg_put_integer(f->piece, s->value[k].column, number);
    }
    return same;
}

/* Whether a member is one that a shape can have; its value, if it is wanted. A key with digits would be like others. */
static bool add_member(pf_arg_shape *s, const pf_arg_columns *c, const pf_arg_alike *m, const uint8_t *from,
                       const uint8_t *p)
{
    uint64_t number;
    bool text = p[m->len] == '"', fits = true;
    const uint8_t *at = p + m->len + text, *end = m->keys ? read_plain(at, &number) : at;
    for (unsigned i = 0; i < m->len; i++) {
        fits &= !pf_is_digit((char)m->text[i]);
    }
    for (unsigned k = 0; k < s->values && m->keys; k++) {
        fits &= s->value[k].column != m->column;
    }
    if (!fits || !m->keys) {
        return fits;
    }
    bool whole = end && end - at <= 8 && (text ? *end == '"' : *end == ',' || *end == '}');
    if (!whole || m->column >= PF_ARG_KEYS_MAX || (text && !c->wanted[m->column].from_text) ||
        s->values == PF_ARG_SHAPE_VALUES) {
        return false;
    }
    s->value[s->values].at = (uint16_t)(at - from);
    s->value[s->values].digits = (uint8_t)(end - at);
    s->value[s->values++].column = m->column;
    return true;
}

/* Keeps the arguments at `from`, whose members were found. */
static void learn_shape(const finder *f, const uint8_t *from)
{
    pf_arg_shape *s = f->shape;
    const pf_arg_columns *c = f->piece->columns;
    const uint8_t *p = from, *last = f->end - from < PF_ARG_SHAPE_MOST ? f->end : from + PF_ARG_SHAPE_MOST;
    uint32_t len = 0;
    s->values = 0;
    for (unsigned member = 0; member < PF_ARG_ALIKE && p && p < last && !len; member++) {
        const pf_arg_alike *m = &f->alike[member];
        s->whole = *p == '}';
        if (s->whole || s->values == c->count) {
            len = (uint32_t)(p + 1 - from);
        } else {
            p = is_alike(p, f->end, m) && add_member(s, c, m, from, p) ? value_end(p + m->len, f->end) : NULL;
        }
    }
    s->len = len < PF_ARG_SHAPE_LEAST ? 0 : (uint16_t)len;
    for (unsigned i = 0; i < s->len; i++) {
        s->kinds[i] = pf_is_digit((char)from[i]) ? '0' : from[i];
    }
}

/* Of several values under one key the first one is where the shape has it. */
static pf_status find_shaped(finder *f)
{
    const uint8_t *from = f->p;
    pf_arg_shape *s = f->shape;
    if (f->piece->first_values && take_shape(f)) {
        s->patience = PF_ARG_SHAPE_PATIENCE;
        return PF_OK;
    }
    pf_status st = find(f);
    if (f->piece->first_values && st == PF_OK && s->patience-- == 0) {
        learn_shape(f, from);
        s->patience = PF_ARG_SHAPE_PATIENCE;
    }
    return st;
}

/* Whether PF_SLOP bytes after the text can be loaded where it is: those on its last page can. A sanitizer does not know
 * that. */
static bool has_slop(const uint8_t *bytes, size_t len)
{
#if defined(PF_SANITIZED)
    return false;
#else
    return ((uintptr_t)(bytes + len - 1) & 4095) + PF_SLOP < 4096;
#endif
}

/* The set of what is kept of earlier events. */
static unsigned set_of(const pf_arg_piece *p)
{
    uint32_t event = p->events ? p->events[p->row] : p->row;
    return event < p->t->events.category_room ? p->t->events.category[event] % PF_ARG_ALIKE_SETS : 0;
}

pf_status pf_json_find_args(pf_arg_piece *p, const uint8_t *bytes, size_t len, uint32_t context,
                            const pf_arg_visitor *v)
{
    finder f;
    f.piece = p;
    f.visitor = v;
    f.alike = p->alike[set_of(p)];
    f.shape = &p->shape[set_of(p)];
    f.p = bytes + 1;
    f.end = bytes + len;
    if (len == 0 || has_slop(bytes, len)) {
        return len ? find_shaped(&f) : PF_OK;
    }
    uint8_t copy[COPY_BYTES + PF_SLOP], *large = len > COPY_BYTES ? malloc(len + PF_SLOP) : NULL;
    uint8_t *text = len > COPY_BYTES ? large : copy;
    PF_TRY(text ? PF_OK : pf_budget_refused(NULL, len, &p->error));
    memcpy(text, bytes, len);
    memset(text + len, 0, PF_SLOP);
    f.p = text + 1;
    f.end = text + len;
    pf_status st = find_shaped(&f);
    free(large);
    return st;
}
