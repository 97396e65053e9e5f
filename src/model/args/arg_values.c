/* model/args/arg_values.c - from a value as the trace has it to a cell of a typed column. */

#include "base/text/number.h"
#include "model/args/arg_columns.h"

/* Digits of a base, and nothing else, that fit 64 bits. */
static bool parse_digits(pf_str s, unsigned base, uint64_t *out)
{
    uint64_t v = 0;
    bool good = s.len > 0;
    for (size_t i = 0; i < s.len && good; i++) {
        unsigned digit = pf_hex_value(s.ptr[i]);
        good = digit < base && !__builtin_mul_overflow(v, (uint64_t)base, &v) &&
               !__builtin_add_overflow(v, (uint64_t)digit, &v);
    }
    *out = v;
    return good;
}

/* An integer of any size up to 64 bits and its sign, decimal or hexadecimal with 0x. */
static bool parse_integer(pf_str s, bool *negative, uint64_t *out)
{
    *negative = s.len && s.ptr[0] == '-';
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+')) {
        s.ptr++;
        s.len--;
    }
    if (s.len > 2 && s.ptr[0] == '0' && (s.ptr[1] | 32) == 'x') {
        return parse_digits((pf_str){s.ptr + 2, s.len - 2}, 16, out);
    }
    return parse_digits(s, 10, out);
}

/* A value on its way to a column: an integer with its sign, or a real. */
typedef struct number {
    bool is_integer, negative;
    uint64_t magnitude;
    double real;
} number;

static number of_magnitude(uint64_t magnitude, bool negative)
{
    double real = (double)magnitude;
    return (number){.is_integer = true, .negative = negative, .magnitude = magnitude, .real = negative ? -real : real};
}

/* A real counts as an integer if it has no fraction. */
static number of_real(double d)
{
    bool whole = d > -0x1p64 && d < 0x1p64 && (double)(uint64_t)(d < 0 ? -d : d) == (d < 0 ? -d : d);
    return (number){
        .is_integer = whole, .negative = d < 0, .magnitude = whole ? (uint64_t)(d < 0 ? -d : d) : 0, .real = d};
}

static bool number_of_text(pf_str s, number *n)
{
    bool negative;
    uint64_t magnitude;
    double real;
    s = pf_str_trim(s);
    if (parse_integer(s, &negative, &magnitude)) {
        *n = of_magnitude(magnitude, negative);
        return true;
    }
    if (s.len && pf_parse_real(s.ptr, s.len, &real)) {
        *n = of_real(real);
        return true;
    }
    return false;
}

static bool number_of(const pf_value *v, bool from_text, number *n)
{
    bool negative;
    uint64_t magnitude;
    switch (v->type) {
    case PF_VALUE_BOOL:
        *n = of_magnitude(v->as.b, false);
        return true;
    case PF_VALUE_INT:
        *n = of_magnitude(v->as.i < 0 ? 0 - (uint64_t)v->as.i : (uint64_t)v->as.i, v->as.i < 0);
        return true;
    case PF_VALUE_UINT:
    case PF_VALUE_POINTER:
        *n = of_magnitude(v->as.u, false);
        return true;
    case PF_VALUE_REAL:
        *n = of_real(v->as.d);
        if (v->spelling.ptr && parse_integer(v->spelling, &negative, &magnitude)) { /* beyond int64: exactly */
            n->is_integer = true;
            n->magnitude = magnitude;
        }
        return true;
    case PF_VALUE_STRING:
        return from_text && number_of_text(v->as.s, n);
    case PF_VALUE_NULL:
    case PF_VALUE_JSON:
        break;
    }
    return false;
}

static bool put_number(const pf_arg_column *c, uint32_t row, const number *n)
{
    switch (c->type) {
    case PF_ARG_INT:
        if (!n->is_integer || n->magnitude > (uint64_t)INT64_MAX + n->negative) {
            return false;
        }
        ((int64_t *)(uintptr_t)c->values.i)[row] = (int64_t)(n->negative ? 0 - n->magnitude : n->magnitude);
        return true;
    case PF_ARG_UINT:
        if (!n->is_integer || (n->negative && n->magnitude)) {
            return false;
        }
        ((uint64_t *)(uintptr_t)c->values.u)[row] = n->magnitude;
        return true;
    default:
        ((double *)(uintptr_t)c->values.d)[row] = n->real;
        return true;
    }
}

uint32_t pf_arg_text_id(pf_arg_piece *p, pf_str text)
{
    uint32_t id = PF_NONE;
    p->status = p->strings.budget ? PF_OK : pf_strings_init(&p->strings, p->columns->budget, &p->error);
    p->status = p->status == PF_OK ? pf_strings_put(&p->strings, text, &id, &p->error) : p->status;
    return id;
}

static bool put_text(pf_arg_piece *p, const pf_arg_column *c, const pf_value *v)
{
    if (v->type != PF_VALUE_STRING && v->type != PF_VALUE_JSON) {
        return false;
    }
    uint32_t id = pf_arg_text_id(p, (pf_str){v->as.s.ptr ? v->as.s.ptr : "", v->as.s.len});
    if (id == PF_NONE) {
        return false;
    }
    ((uint32_t *)(uintptr_t)c->values.text)[p->row] = id;
    return true;
}

void pf_arg_put(pf_arg_piece *p, size_t key, const pf_value *v)
{
    const pf_arg_column *c = &p->columns->column[key];
    uint64_t *word = (uint64_t *)(uintptr_t)&c->present[p->row / 64], bit = 1ull << p->row % 64;
    number n;
    if (p->first_values && *word & bit) {
        return;
    }
    bool put = v && c->type == PF_ARG_TEXT
                   ? put_text(p, c, v)
                   : v && number_of(v, p->columns->wanted[key].from_text, &n) && put_number(c, p->row, &n);
    p->missing -= put && p->first_values;
    *word = put ? *word | bit : *word & ~bit;
}
