/* passes.c - the table of passes, and everything that follows from an option table: defaults, parsing, checking, and
 * the values spelled out again for documents and trace attributes. Adding a pass is adding a line to the table. */
#include "analyze/passes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/aie/aie.h"
#include "base/number.h"

static const pf_pass *const passes[] = {&pf_pass_aie};
enum { PASSES = sizeof passes / sizeof passes[0] };

size_t pf_pass_count(void)
{
    return PASSES;
}

const pf_pass *pf_pass_at(size_t i)
{
    return i < PASSES ? passes[i] : NULL;
}

const pf_pass *pf_pass_find(const char *name)
{
    for (size_t i = 0; i < PASSES; i++) {
        if (strcmp(passes[i]->name, name) == 0) {
            return passes[i];
        }
    }
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);
    for (const char *at = choices;; at++) {
        size_t width = strcspn(at, "|");
        if (width == len && memcmp(at, text, len) == 0) {
            return true;
        }
        at += width;
        if (*at == '\0') {
            return false;
        }
    }
}

/* False if the text is no value of the option's type. */
static bool parse(const pf_option *o, const char *text, pf_option_value *v)
{
    size_t len = strlen(text);
    switch (o->type) {
    case PF_OPTION_INT:
        if (!pf_parse_int(text, len, &v->i)) {
            return false;
        }
        v->d = (double)v->i;
        return true;
    case PF_OPTION_REAL:
        return pf_parse_real(text, len, &v->d);
    case PF_OPTION_CHOICE:
        v->s = (pf_str){text, len};
        return is_choice(o->choices, text);
    case PF_OPTION_TEXT:
        v->s = (pf_str){text, len};
        return true;
    case PF_OPTION_FLAG:
        v->b = true;
        return true;
    }
    return false;
}

void pf_pass_defaults(const pf_pass *p, pf_option_value *values)
{
    for (size_t i = 0; i < p->option_count; i++) {
        const char *fallback = p->options[i].fallback;
        values[i] = (pf_option_value){.set = false};
        if (fallback && *fallback) {
            parse(&p->options[i], fallback, &values[i]);
        }
    }
}

pf_status pf_pass_parse(const pf_pass *p, size_t option, const char *text, pf_option_value *values, pf_error *err)
{
    const pf_option *o = &p->options[option];
    pf_option_value v = {.set = true};
    if (o->type != PF_OPTION_FLAG && !text) {
        return pf_fail(err, PF_ERR_USAGE, "--%s needs a value", o->name);
    }
    if (!parse(o, text ? text : "", &v)) {
        switch (o->type) {
        case PF_OPTION_INT:
            return pf_fail(err, PF_ERR_USAGE, "--%s takes an integer of at most 64 bits, not '%.100s'", o->name, text);
        case PF_OPTION_REAL:
            return pf_fail(err, PF_ERR_USAGE, "--%s takes a decimal number, not '%.100s'", o->name, text);
        default:
            return pf_fail(err, PF_ERR_USAGE, "--%s takes one of %s, not '%.100s'", o->name, o->choices, text);
        }
    }
    values[option] = v;
    return PF_OK;
}

pf_status pf_pass_complete(const pf_pass *p, const pf_option_value *values, pf_error *err)
{
    char missing[300];
    size_t len = 0;
    for (size_t i = 0; i < p->option_count; i++) {
        if (p->options[i].fallback == NULL && !values[i].set && len < sizeof missing) {
            int n = snprintf(missing + len, sizeof missing - len, "%s--%s", len ? ", " : "", p->options[i].name);
            len += n > 0 ? (size_t)n : 0;
        }
    }
    if (len == 0) {
        return PF_OK;
    }
    return pf_fail(err, PF_ERR_USAGE, "analyze %s needs %s; see postfetto analyze %s --help", p->name, missing,
                   p->name);
}

/* ---- values spelled out ------------------------------------------------------------------------------------------ */

static bool has_value(const pf_option *o, const pf_option_value *v)
{
    return v->set || o->type == PF_OPTION_FLAG || (o->fallback && *o->fallback) || v->s.ptr;
}

/* The value as text; a number is written into `room`. */
static pf_str spell(const pf_option *o, const pf_option_value *v, char room[PF_NUMBER_MAX])
{
    if (!has_value(o, v)) {
        return PF_STR("");
    }
    switch (o->type) {
    case PF_OPTION_INT:
        return (pf_str){room, (size_t)snprintf(room, PF_NUMBER_MAX, "%" PRId64, v->i)};
    case PF_OPTION_REAL:
        return (pf_str){room, pf_format_real(v->d, room)};
    case PF_OPTION_FLAG:
        return v->b ? PF_STR("true") : PF_STR("false");
    default:
        return v->s;
    }
}

pf_str pf_pass_parameters(const pf_pass *p, const pf_option_value *values, pf_arena *arena)
{
    char room[PF_NUMBER_MAX];
    size_t len = 0;
    for (size_t i = 0; i < p->option_count; i++) {
        len += strlen(p->options[i].name) + 2 + spell(&p->options[i], &values[i], room).len;
    }
    char *text = pf_arena_alloc(arena, len + 1);
    if (!text) {
        return (pf_str){NULL, 0};
    }
    char *at = text;
    for (size_t i = 0; i < p->option_count; i++) {
        pf_str value = spell(&p->options[i], &values[i], room);
        at = stpcpy(stpcpy(stpcpy(at, i ? " " : ""), p->options[i].name), "=");
        if (value.len) {
            memcpy(at, value.ptr, value.len);
            at += value.len;
        }
    }
    return (pf_str){text, (size_t)(at - text)};
}

void pf_pass_add_parameters(const pf_pass *p, const pf_option_value *values, pf_findings *f, pf_node *object)
{
    for (size_t i = 0; i < p->option_count; i++) {
        const pf_option *o = &p->options[i];
        const pf_option_value *v = &values[i];
        pf_str key = {o->name, strlen(o->name)};
        pf_node *n = NULL;
        if (!has_value(o, v)) {
            pf_node_add(f, object, key, PF_NODE_NULL);
        } else if (o->type == PF_OPTION_INT) {
            pf_node_add_int(f, object, key, v->i);
        } else if (o->type == PF_OPTION_REAL) {
            pf_node_add_real(f, object, key, v->d);
        } else if (o->type == PF_OPTION_FLAG) {
            n = pf_node_add(f, object, key, PF_NODE_BOOL);
        } else {
            pf_node_add_text(f, object, key, v->s);
        }
        if (n) {
            n->as.b = v->b;
        }
    }
}
