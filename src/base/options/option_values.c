/* base/options/option_values.c - options as data: from the text of an option to its value, and what is wrong with a
 * table of options, found when it is registered.
 *
 * A type is a row of `kinds`: its words, the function that reads one text, and where its value is. `within` is read by
 * the same function, end by end, so that a limit is written as a value is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/budget.h"
#include "base/str.h"
#include "base/text/number.h"
#include "postfetto/author/option.h"

#define CHOICES_MAX 64 /* of a set: its value is one word of bits */

/* `within` of an option, read. */
typedef struct bounds {
    bool has_least, has_most;
    bool above; /* the least value itself is excluded */
    pf_option_value least, most;
} bounds;

/* The place of a word among choices separated by '|'; -1 if it is none of them. */
static int64_t choice_index(const char *choices, const char *text, size_t len)
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

static bool read_flag(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    v->b = true;
    return true;
}

static bool read_int(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    if (!pf_parse_int(text, len, &v->i)) {
        return false;
    }
    v->d = (double)v->i;
    return true;
}

static bool read_real(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    return pf_parse_real(text, len, &v->d);
}

static bool read_text(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    return o->type == PF_OPTION_TEXT || len > 0;
}

static bool read_size(const pf_option *o, const char *text, size_t len, pf_option_value *v)
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
static bool read_duration(const pf_option *o, const char *text, size_t len, pf_option_value *v)
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
    v->i = choice_index(o->choices, text, len);
    return v->i >= 0;
}

static bool read_set(const pf_option *o, const char *text, size_t len, pf_option_value *v)
{
    v->u = 0;
    for (size_t at = 0; at <= len;) {
        size_t width = strcspn(text + at, ",");
        int64_t index = choice_index(o->choices, text + at, width);
        if (index < 0) {
            return false;
        }
        v->u |= (uint64_t)1 << index;
        at += width + 1;
    }
    return true;
}

#define VALUE(member) offsetof(pf_option_value, member), sizeof((pf_option_value *)NULL)->member

static const struct kind {
    const char *name, *word; /* in documents; of a value, in help */
    bool (*read)(const pf_option *o, const char *text, size_t len, pf_option_value *v);
    size_t at, bytes;         /* of the value */
    const char *takes, *then; /* it takes this, the limits or choices, and that; NULL: anything that is not empty */
    bool has_order, keeps_text;
} kinds[PF_OPTION_TYPES] = {
    [PF_OPTION_FLAG] = {"flag", "", read_flag, VALUE(b)},
    [PF_OPTION_INT] = {"integer", "N", read_int, VALUE(i), "an integer", "", true},
    [PF_OPTION_REAL] = {"real", "X", read_real, VALUE(d), "a decimal number", "", true},
    [PF_OPTION_TEXT] = {"text", "TEXT", read_text, VALUE(s.ptr), .keeps_text = true},
    [PF_OPTION_PATH] = {"path", "FILE", read_text, VALUE(s.ptr), .keeps_text = true},
    [PF_OPTION_CHOICE] = {"choice", "WORD", read_choice, VALUE(s.ptr), "one of ", "", .keeps_text = true},
    [PF_OPTION_SET] = {"set", "WORDS", read_set, VALUE(u), "some of ", ", separated by commas", .keeps_text = true},
    [PF_OPTION_SIZE] = {"size", "SIZE", read_size, VALUE(u), "a number", ", with K, M or G if you like", true},
    [PF_OPTION_DURATION] = {"duration", "TIME", read_duration, VALUE(i), "a time with its unit (1.5s, 200ms)", "",
                            true},
};

static bool has_choices(const pf_option *o)
{
    return o->type == PF_OPTION_CHOICE || o->type == PF_OPTION_SET;
}

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

/* False if `within` is not well made or the option's type has no order. */
static bool read_limits(const pf_option *o, bounds *b)
{
    *b = (bounds){.above = false};
    const char *text = o->within;
    if (!text) {
        return true;
    }
    b->above = *text == '>';
    text += b->above;
    const char *dots = strstr(text, "..");
    const struct kind *k = &kinds[o->type];
    if (!dots || !k->has_order) {
        return false;
    }
    b->has_least = dots > text;
    b->has_most = dots[2] != '\0';
    return (b->has_least || b->has_most) && (!b->has_least || k->read(o, text, (size_t)(dots - text), &b->least)) &&
           (!b->has_most || k->read(o, dots + 2, strlen(dots + 2), &b->most));
}

static bool is_within(const pf_option *o, const pf_option_value *v)
{
    bounds b;
    if (!o->within || !read_limits(o, &b)) {
        return true;
    }
    return !(b.has_least && compare(o, v, &b.least) < (b.above ? 1 : 0)) && !(b.has_most && compare(o, v, &b.most) > 0);
}

/* Reads text into a fresh value. */
static bool parse(const pf_option *o, const char *text, pf_option_value *v)
{
    *v = (pf_option_value){.set = false};
    if (!text && o->type != PF_OPTION_FLAG) {
        return false;
    }
    size_t len = text ? strlen(text) : 0;
    if (!kinds[o->type].read(o, text, len, v) || !is_within(o, v)) {
        return false;
    }
    v->s = kinds[o->type].keeps_text ? (pf_str){text, len} : (pf_str){NULL, 0};
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
    bounds b;
    out[0] = '\0';
    if (!o->within || !read_limits(o, &b)) {
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
    const struct kind *k = &kinds[o->type];
    char limits[80];
    put_limits(o, limits, sizeof limits);
    const char *which = has_choices(o)                           ? o->choices
                        : !limits[0] && o->type == PF_OPTION_INT ? " of at most 64 bits"
                                                                 : limits;
    return k->takes
               ? pf_fail(err, PF_ERR_USAGE, "--%s takes %s%s%s, not '%.100s'", o->name, k->takes, which, k->then, text)
               : pf_fail(err, PF_ERR_USAGE, "--%s needs a value that is not empty", o->name);
}

/* Appends `v` to the list that `whole` has. */
static pf_status append(pf_option_value *whole, pf_option_value v, pf_error *err)
{
    pf_option_value *list = realloc((void *)whole->all, (whole->count + 1) * sizeof *list);
    PF_TRY(list ? PF_OK : pf_no_memory(err));
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
    const struct kind *k = &kinds[o->type];
    bool list = pf_option_is_list(o);
    memcpy((char *)target + o->offset, (const char *)v + (list ? 0 : k->at), list ? sizeof *v : k->bytes);
}

static bool is_called(const char *is, const char *name, size_t len)
{
    return is && strlen(is) == len && memcmp(is, name, len) == 0;
}

size_t pf_options_find(const pf_option *options, size_t count, const char *name, size_t len)
{
    size_t i = 0;
    while (i < count && !is_called(options[i].name, name, len) && !is_called(options[i].also, name, len)) {
        i++;
    }
    return i;
}

size_t pf_options_find_letter(const pf_option *options, size_t count, char letter)
{
    size_t i = 0;
    while (i < count && !(letter && options[i].letter == letter)) {
        i++;
    }
    return i;
}

const char *pf_option_type_name(pf_option_type type)
{
    return (unsigned)type < PF_OPTION_TYPES ? kinds[type].name : "unknown";
}

const char *pf_option_value_word(const pf_option *o)
{
    return o->value ? o->value : has_choices(o) ? o->choices : kinds[o->type].word;
}

static bool is_name(const char *name)
{
    if (!name || !pf_is_alnum(name[0])) {
        return false;
    }
    for (; *name; name++) {
        if (!pf_is_alnum(*name) && *name != '-' && *name != '_') {
            return false;
        }
    }
    return true;
}

/* A list of words none of which is empty or there twice. */
static bool are_choices(const char *choices)
{
    size_t count = 0;
    for (const char *at = choices; at; count++) {
        size_t width = strcspn(at, "|");
        if (width == 0 || choice_index(choices, at, width) != (int64_t)count) {
            return false;
        }
        at = at[width] ? at + width + 1 : NULL;
    }
    return count > 0 && count <= CHOICES_MAX;
}

/* What is wrong with one row, or NULL. */
static const char *fault_of(const pf_option *o)
{
    bool words = has_choices(o);
    bool has_fallback = o->fallback && *o->fallback;
    bounds b;
    if (!is_name(o->name)) {
        return "a name is made of letters, digits, '-' and '_'";
    }
    if (o->letter && !pf_is_alnum(o->letter)) {
        return "the short form is a letter or a digit";
    }
    if ((unsigned)o->type >= PF_OPTION_TYPES) {
        return "the type is unknown";
    }
    if (words ? !o->choices || !are_choices(o->choices) : o->choices != NULL) {
        return words ? "the choices are 1 to 64 different words separated by '|'"
                     : "only a choice or a set has choices";
    }
    if (!read_limits(o, &b)) {
        return "the limits do not parse, or the type has none";
    }
    if (has_fallback && (o->type == PF_OPTION_FLAG || !pf_option_accepts(o, o->fallback))) {
        return "the default is not a value of it";
    }
    if ((o->traits & PF_OPTION_REQUIRED) && (has_fallback || o->type == PF_OPTION_FLAG)) {
        return "it is required and has a default";
    }
    size_t len = o->help ? strlen(o->help) : 0;
    return len == 0 || o->help[len - 1] == '.' ? "the help is one sentence without its full stop" : NULL;
}

pf_status pf_options_check(const pf_option *options, size_t count, pf_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const pf_option *o = &options[i];
        const char *fault = fault_of(o);
        if (!fault && pf_options_find(options, i, o->name, strlen(o->name)) < i) {
            fault = "the name occurs twice";
        }
        if (!fault && pf_options_find_letter(options, i, o->letter) < i) {
            fault = "the letter occurs twice";
        }
        if (fault) {
            return pf_fail(err, PF_ERR_INTERNAL, "option '%.60s' (row %zu): %s", o->name ? o->name : "", i, fault);
        }
    }
    return PF_OK;
}

pf_status pf_options_check_apart(const pf_option *outer, size_t outer_count, const pf_option *inner, size_t inner_count,
                                 pf_error *err)
{
    for (size_t i = 0; i < inner_count; i++) {
        const pf_option *o = &inner[i];
        if (pf_options_find(outer, outer_count, o->name, strlen(o->name)) < outer_count) {
            return pf_fail(err, PF_ERR_INTERNAL, "option --%s is one of the command already", o->name);
        }
        if (pf_options_find_letter(outer, outer_count, o->letter) < outer_count) {
            return pf_fail(err, PF_ERR_INTERNAL, "option --%s: -%c is one of the command already", o->name, o->letter);
        }
    }
    return PF_OK;
}
