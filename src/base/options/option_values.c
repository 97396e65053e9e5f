/* base/options/option_values.c - from the text of an option to its value.
 *
 * Each type has a function that reads one text; `within` is read by the same function, end by end, so that a limit is
 * written as a value is. What an option takes is said in one place (what_it_takes), for every error.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/options/option_words.h"
#include "base/str.h"
#include "base/text/number.h"
#include "postfetto/author/option.h"

int64_t pf_choice_index(const char *choices, const char *text, size_t len)
{
    int64_t index = 0;
    for (const char *at = choices; at; index++) {
        size_t width = strcspn(at, "|");
        if (width == len && memcmp(at, text, len) == 0) {
            return index;
        }
        at = at[width] ? at + width + 1 : NULL;
    }
    return -1;
}

/* ---- one text, by type ------------------------------------------------------------------------------------------- */

static bool read_int(const char *text, size_t len, pf_option_value *v)
{
    if (!pf_parse_int(text, len, &v->i)) {
        return false;
    }
    v->d = (double)v->i;
    return true;
}

static bool read_size(const char *text, size_t len, pf_option_value *v)
{
    char copy[32];
    if (len >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    return pf_parse_size(copy, &v->u);
}

/* Whole units and up to nine digits after the point, both exact. */
static bool read_duration(const char *text, size_t len, pf_option_value *v)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1},          {"us", 1000},         {"ms", 1000000},       {"s", 1000000000},
                 {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000}, {"", 0}};
    size_t at = 0;
    __int128 whole = 0, fraction = 0, scale = 1;
    for (; at < len && pf_is_digit(text[at]) && at < 19; at++) {
        whole = whole * 10 + (text[at] - '0');
    }
    size_t digits = at;
    if (at < len && text[at] == '.') {
        for (at++; at < len && pf_is_digit(text[at]) && scale < 1000000000; at++, digits++) {
            fraction = fraction * 10 + (text[at] - '0');
            scale *= 10;
        }
    }
    for (size_t i = 0; digits && i < sizeof units / sizeof units[0]; i++) {
        __int128 ns = whole * units[i].ns + fraction * units[i].ns / scale;
        if (strlen(units[i].name) == len - at && memcmp(units[i].name, text + at, len - at) == 0) {
            v->i = (int64_t)ns;
            return ns <= INT64_MAX && fraction * units[i].ns % scale == 0 && (units[i].ns || whole + fraction == 0);
        }
    }
    return false;
}

static bool read_choice(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    v->i = pf_choice_index(o->choices, text, len);
    return v->i >= 0;
}

static bool read_set(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    v->u = 0;
    for (size_t at = 0; at <= len;) {
        size_t width = strcspn(text + at, ",");
        int64_t index = pf_choice_index(o->choices, text + at, width);
        if (index < 0) {
            return false;
        }
        v->u |= (uint64_t)1 << index;
        at += width + 1;
    }
    return true;
}

static bool read_value(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    switch (o->type) {
    case PF_OPTION_FLAG:
        v->b = true;
        return true;
    case PF_OPTION_INT:
        return read_int(text, len, v);
    case PF_OPTION_REAL:
        return pf_parse_real(text, len, &v->d);
    case PF_OPTION_TEXT:
        return true;
    case PF_OPTION_PATH:
        return len > 0;
    case PF_OPTION_CHOICE:
        return read_choice(o, text, len, v);
    case PF_OPTION_SET:
        return read_set(o, text, len, v);
    case PF_OPTION_SIZE:
        return read_size(text, len, v);
    case PF_OPTION_DURATION:
        return read_duration(text, len, v);
    }
    return false;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static int compare(const pf_option *o, const pf_option_value *a, const pf_option_value *b)
{
    switch (o->type) {
    case PF_OPTION_REAL:
        return (a->d > b->d) - (a->d < b->d);
    case PF_OPTION_SIZE:
        return (a->u > b->u) - (a->u < b->u);
    default:
        return (a->i > b->i) - (a->i < b->i);
    }
}

bool pf_option_limits(const pf_option *o, pf_option_bounds *b)
{
    *b = (pf_option_bounds){.above = false};
    const char *text = o->within;
    if (!text) {
        return true;
    }
    b->above = *text == '>';
    text += b->above;
    const char *dots = strstr(text, "..");
    if (!dots || !(o->type == PF_OPTION_INT || o->type == PF_OPTION_REAL || o->type == PF_OPTION_SIZE ||
                   o->type == PF_OPTION_DURATION)) {
        return false;
    }
    b->has_least = dots > text;
    b->has_most = dots[2] != '\0';
    return (b->has_least || b->has_most) && (!b->has_least || read_value(o, text, (size_t)(dots - text), &b->least)) &&
           (!b->has_most || read_value(o, dots + 2, strlen(dots + 2), &b->most));
}

static bool is_within(const pf_option *o, const pf_option_value *v)
{
    pf_option_bounds b;
    if (!o->within || !pf_option_limits(o, &b)) {
        return true;
    }
    return !(b.has_least && compare(o, v, &b.least) < (b.above ? 1 : 0)) && !(b.has_most && compare(o, v, &b.most) > 0);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Reads text into a fresh value. */
static bool parse(const pf_option *o, const char *text, pf_option_value *v)
{
    *v = (pf_option_value){.set = false};
    if (!text && o->type != PF_OPTION_FLAG) {
        return false;
    }
    size_t len = text ? strlen(text) : 0;
    if (!read_value(o, text, len, v) || !is_within(o, v)) {
        return false;
    }
    bool keeps_text = o->type == PF_OPTION_TEXT || o->type == PF_OPTION_PATH || o->type == PF_OPTION_CHOICE ||
                      o->type == PF_OPTION_SET;
    v->s = keeps_text ? (pf_str){text, len} : (pf_str){NULL, 0};
    return true;
}

bool pf_option_accepts(const pf_option *o, const char *text)
{
    pf_option_value v;
    return parse(o, text, &v);
}

void pf_option_defaults(const pf_option *options, size_t count, pf_option_value *values)
{
    for (size_t i = 0; i < count; i++) {
        const char *fallback = options[i].fallback;
        if (!fallback || !*fallback || !parse(&options[i], fallback, &values[i])) {
            values[i] = (pf_option_value){.set = false};
        }
    }
}

/* The limits of a number in words: "from 1 on", "from 0 to 4", "above 0". */
static void put_limits(const pf_option *o, char *out, size_t cap)
{
    pf_option_bounds b;
    out[0] = '\0';
    if (!o->within || !pf_option_limits(o, &b)) {
        return;
    }
    const char *least = o->within + b.above, *most = strstr(o->within, "..") + 2;
    int width = (int)(most - 2 - least);
    if (b.has_least && b.has_most) {
        snprintf(out, cap, " %s %.*s %s %s", b.above ? "above" : "from", width, least, b.above ? "up to" : "to", most);
    } else if (b.has_least) {
        snprintf(out, cap, " %s %.*s%s", b.above ? "above" : "from", width, least, b.above ? "" : " on");
    } else {
        snprintf(out, cap, " up to %s", most);
    }
}

static pf_status refuse(const pf_option *o, const char *text, pf_error *err)
{
    char limits[80];
    put_limits(o, limits, sizeof limits);
    switch (o->type) {
    case PF_OPTION_INT:
        return pf_fail(err, PF_ERR_USAGE, "--%s takes an integer%s, not '%.100s'", o->name,
                       limits[0] ? limits : " of at most 64 bits", text);
    case PF_OPTION_REAL:
        return pf_fail(err, PF_ERR_USAGE, "--%s takes a decimal number%s, not '%.100s'", o->name, limits, text);
    case PF_OPTION_SIZE:
        return pf_fail(err, PF_ERR_USAGE, "--%s takes a number%s, with K, M or G if you like, not '%.100s'", o->name,
                       limits, text);
    case PF_OPTION_DURATION:
        return pf_fail(err, PF_ERR_USAGE, "--%s takes a time with its unit (1.5s, 200ms)%s, not '%.100s'", o->name,
                       limits, text);
    case PF_OPTION_SET:
        return pf_fail(err, PF_ERR_USAGE, "--%s takes some of %s, separated by commas, not '%.100s'", o->name,
                       o->choices, text);
    case PF_OPTION_CHOICE:
        return pf_fail(err, PF_ERR_USAGE, "--%s takes one of %s, not '%.100s'", o->name, o->choices, text);
    default:
        return pf_fail(err, PF_ERR_USAGE, "--%s needs a value that is not empty", o->name);
    }
}

/* Appends `v` to the list that `whole` has. */
static pf_status append(pf_option_value *whole, pf_option_value v, pf_error *err)
{
    pf_option_value *list = realloc((void *)whole->all, (whole->count + 1) * sizeof *list);
    if (!list) {
        return pf_no_memory(err);
    }
    list[whole->count] = v;
    size_t count = whole->count + 1;
    uint64_t bits = whole->set ? whole->u : 0; /* of a set that is given in parts */
    *whole = v;
    whole->u |= bits;
    whole->all = list;
    whole->count = count;
    return PF_OK;
}

pf_status pf_option_parse(const pf_option *o, const char *text, pf_option_value *v, pf_error *err)
{
    pf_option_value parsed;
    if (o->type != PF_OPTION_FLAG && !text) {
        return pf_fail(err, PF_ERR_USAGE, "--%s needs a value", o->name);
    }
    if (!parse(o, text, &parsed)) {
        return refuse(o, text, err);
    }
    parsed.set = true;
    if (pf_option_is_list(o)) {
        return append(v, parsed, err);
    }
    *v = parsed;
    return PF_OK;
}

void pf_options_release(pf_option_value *values, size_t count)
{
    for (size_t i = 0; values && i < count; i++) {
        free((void *)values[i].all);
        values[i].all = NULL;
        values[i].count = 0;
    }
}

pf_status pf_options_complete(const pf_option *options, size_t count, const pf_option_value *values, pf_error *err)
{
    char missing[300];
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        if ((options[i].traits & PF_OPTION_REQUIRED) && !values[i].set && len < sizeof missing) {
            int n = snprintf(missing + len, sizeof missing - len, "%s--%s", len ? ", " : "", options[i].name);
            len += n > 0 ? (size_t)n : 0;
        }
    }
    return len ? pf_fail(err, PF_ERR_USAGE, "%s", missing) : PF_OK;
}

void pf_option_store(const pf_option *o, const pf_option_value *v, void *target)
{
    char *at = (char *)target + o->offset;
    if (pf_option_is_list(o)) {
        memcpy(at, v, sizeof *v);
        return;
    }
    switch (o->type) {
    case PF_OPTION_FLAG:
        memcpy(at, &v->b, sizeof v->b);
        break;
    case PF_OPTION_REAL:
        memcpy(at, &v->d, sizeof v->d);
        break;
    case PF_OPTION_SIZE:
    case PF_OPTION_SET:
        memcpy(at, &v->u, sizeof v->u);
        break;
    case PF_OPTION_INT:
    case PF_OPTION_DURATION:
        memcpy(at, &v->i, sizeof v->i);
        break;
    default:
        memcpy(at, &v->s.ptr, sizeof v->s.ptr);
        break;
    }
}
