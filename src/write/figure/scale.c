/* write/figure/scale.c - scales, their marks and units. */
#include "write/figure/scale.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text/number.h"

void pf_range_add(axis_range *r, double v)
{
    r->least = r->any && r->least < v ? r->least : v;
    r->most = r->any && r->most > v ? r->most : v;
    r->positive = v > 0 && v < r->positive ? v : r->positive;
    r->any = true;
}

axis_scale pf_scale_of(const axis_range *r, pf_scale kind, bool zero, double most, double origin, double length)
{
    axis_scale s = {r->least, r->most, origin, length, kind};
    if (kind == PF_SCALE_LOG && isfinite(r->positive)) {
        s.least = pow(10, floor(log10(r->positive)));
        s.most = pow(10, ceil(log10(r->most)));
        s.most = s.most > s.least ? s.most : s.least * 10;
        return s;
    }
    s.kind = PF_SCALE_LINEAR;
    s.least = zero && s.least > 0 ? 0 : s.least;
    s.most = zero && s.most < 0 ? 0 : s.most;
    s.most = most != 0 && most > s.least ? most : s.most;
    s.most = s.most > s.least ? s.most : s.least + (s.least ? fabs(s.least) : 1);
    return s;
}

double pf_scale_place(const axis_scale *s, double v)
{
    v = v < s->least ? s->least : v > s->most ? s->most : v;
    double share = s->kind == PF_SCALE_LOG ? log(v / s->least) / log(s->most / s->least)
                                           : (v / 2 - s->least / 2) / (s->most / 2 - s->least / 2);
    return s->origin + (isfinite(share) ? share : 0) * s->length;
}

/* A step of 1, 2 or 5 times a power of ten that gives at most that many marks. */
static double step_of(double span, double marks)
{
    double step = pow(10, floor(log10(span / marks)));
    const double factors[] = {1, 2, 5, 10};
    for (unsigned i = 0; i < 3; i++) {
        if (span / (step * factors[i]) <= marks) {
            return step * factors[i];
        }
    }
    return step * 10;
}

unsigned pf_scale_ticks(const axis_scale *s, double divisor, double ticks[TICKS])
{
    unsigned n = 0;
    if (s->kind == PF_SCALE_LOG) {
        double decades = log10(s->most / s->least), every = ceil(decades / 8);
        for (double d = 0; d <= decades + 0.01 && n < TICKS; d += every) {
            ticks[n++] = s->least * pow(10, d);
        }
        return n;
    }
    double span = s->most / divisor - s->least / divisor, step = step_of(span, fabs(s->length) < 200 ? 4 : 8) * divisor;
    double first = ceil(s->least / step - 1e-9);
    for (unsigned i = 0; n < TICKS && isfinite(step) && (first + i) * step <= s->most + step * 1e-9; i++) {
        ticks[n++] = (first + i) * step;
    }
    return n;
}

typedef struct step {
    const char *name;
    double size; /* in the first of them */
} step;

/* The largest that is not larger than `most`. */
static const step *pick(const step *steps, size_t count, double most)
{
    size_t i = 0;
    while (i + 1 < count && most >= steps[i + 1].size) {
        i++;
    }
    return &steps[i];
}

static void use_suffix(axis_unit *u, double most)
{
    static const step plain[] = {{"", 1}, {"k", 1e4}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}};
    const step *s = pick(plain, 6, most);
    u->divisor = s == &plain[1] ? 1e3 : s->size;
    u->suffix = s->name;
}

axis_unit pf_unit_of(pf_str name, double most)
{
    static const step times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    static const step sizes[] = {{"bytes", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
    axis_unit u = {.divisor = 1, .suffix = ""};
    most = fabs(most);
    for (unsigned i = 0; i < 4; i++) {
        if (pf_str_is(name, times[i].name)) {
            const step *s = pick(times, 4, most * times[i].size);
            u.divisor = s->size / times[i].size;
            snprintf(u.name, sizeof u.name, "%s", s->name);
            return u;
        }
    }
    if (pf_str_is(name, "bytes") || pf_str_is(name, "B")) {
        const step *s = pick(sizes, 4, most);
        u.divisor = s->size;
        snprintf(u.name, sizeof u.name, "%s", s->name);
        return u;
    }
    use_suffix(&u, most);
    snprintf(u.name, sizeof u.name, "%.*s", name.len < 20 ? (int)name.len : 20, name.len ? name.ptr : "");
    return u;
}

void pf_unit_number(pf_buffer *out, const axis_unit *u, double v)
{
    char text[PF_FIXED_MAX];
    axis_unit own = *u;
    if (u->suffix[0] && fabs(v) < u->divisor) {
        use_suffix(&own, fabs(v));
    }
    v /= own.divisor;
    double size = fabs(v);
    if (size && (size < 1e-3 || size >= 1e9)) {
        pf_buffer_put(out, text, pf_format_real_short(v, text));
    } else {
        size_t len = pf_format_real_fixed(v,
                                          size >= 100   ? 0
                                          : size >= 10  ? 1
                                          : size >= 1   ? 2
                                          : size >= 0.1 ? 3
                                                        : 5,
                                          text);
        bool fraction = memchr(text, '.', len) != NULL;
        while (fraction && text[len - 1] == '0') {
            len--;
        }
        pf_buffer_put(out, text, len - (fraction && text[len - 1] == '.'));
    }
    pf_buffer_text(out, v ? own.suffix : "");
}
