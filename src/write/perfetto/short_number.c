/* write/perfetto/short_number.c - numbers as JSON text, where that is short. It is asked for every number of a list,
 * so it does without printf. */
#include "write/perfetto/debug_annotations.h"

#include <math.h>
#include <string.h>

/* Digits of `v`, most significant first, in front of `end`. */
static char *digits_before(char *end, uint64_t v)
{
    do {
        *--end = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    return end;
}

/* Where a real is a whole number of thousandths below a million, the division by a power of ten is the nearest double
 * of its text; Perfetto adds the fraction to the whole part, which must come out as the same. */
static size_t short_real(double v, char out[PF_SHORT_NUMBER_MAX])
{
    double magnitude = fabs(v), thousandths = magnitude * 1000;
    if (!(magnitude < 1e6) || thousandths != floor(thousandths) || (v == 0 && signbit(v))) {
        return 0;
    }
    uint64_t all = (uint64_t)thousandths, fraction = all % 1000, whole = all / 1000;
    double scale = 1000;
    size_t places = 3;
    for (; places > 1 && fraction % 10 == 0; places--) {
        fraction /= 10;
        scale /= 10;
    }
    if (thousandths / 1000 != magnitude || (double)whole + (double)fraction / scale != magnitude) {
        return 0;
    }
    char text[PF_SHORT_NUMBER_MAX], *end = text + sizeof text, *start = end;
    for (size_t i = 0; i < places; i++, fraction /= 10) {
        *--start = (char)('0' + fraction % 10);
    }
    *--start = '.';
    start = digits_before(start, whole);
    if (v < 0) {
        *--start = '-';
    }
    memcpy(out, start, (size_t)(end - start));
    return (size_t)(end - start);
}

size_t pf_short_number(const pf_value *v, char out[PF_SHORT_NUMBER_MAX])
{
    if (v->type == PF_VALUE_REAL) {
        return short_real(v->as.d, out);
    }
    if (v->type != PF_VALUE_INT) {
        return 0;
    }
    char text[PF_SHORT_NUMBER_MAX], *end = text + sizeof text;
    char *start = digits_before(end, v->as.i < 0 ? 0 - (uint64_t)v->as.i : (uint64_t)v->as.i);
    if (v->as.i < 0) {
        *--start = '-';
    }
    memcpy(out, start, (size_t)(end - start));
    return (size_t)(end - start);
}
