/* model/args/arg_search.c - finds wanted arguments on a walk over all of an event's (postfetto/trace.h,
 * pf_arg_visitor), whatever the format.
 *
 * A wanted key is a way: names joined by dots, and indexes in brackets. On each level of the walk it is known how much
 * of each key the names down to it have used up; a level whose names no key begins with is only counted. A way into a
 * container uses up a dot or a bracket of the key, so there are never more levels to keep than keys have of those.
 */

#include "model/args/arg_columns.h"

/* No value or container under this name can be wanted. */
#define DEAD UINT32_MAX

/* Of level 0, whose names come first in every key, nothing ever changes: it stays as pf_arg_columns_read cleared it. */
typedef struct search {
    pf_arg_piece *p;
    uint32_t level; /* containers that wanted keys lead into, so far */
    uint32_t below; /* containers inside those that none leads into */
    uint32_t *used; /* by level and key: characters of the key, or DEAD; the level's index follows */
} search;

/* What level `level` knows; after the keys the index of the next element, counted from 1, or 0 in an object. */
static uint32_t *of_level(const search *s, uint32_t level)
{
    return s->used + level * (s->p->columns->count + 1);
}

/* How much of the key is used up with element `index` after the first `used` characters, or DEAD. Where a level goes
 * on, the key does, too: with a dot or a bracket. */
static uint32_t use_index(pf_str key, uint32_t used, uint32_t index)
{
    size_t at = (size_t)used + 1;
    uint64_t number = 0;
    if (key.ptr[used] != '[') {
        return DEAD;
    }
    for (; at < key.len && pf_is_digit(key.ptr[at]) && number <= UINT32_MAX; at++) {
        number = number * 10 + (uint64_t)(key.ptr[at] - '0');
    }
    bool closed = at > (size_t)used + 1 && at < key.len && key.ptr[at] == ']' && number == index;
    return closed ? (uint32_t)at + 1 : DEAD;
}

static uint32_t use_name(pf_str key, uint32_t used, bool first, pf_str name)
{
    size_t at = used;
    if (!first) {
        if (key.ptr[at] != '.') {
            return DEAD;
        }
        at++;
    }
    bool same = key.len - at >= name.len && memcmp(key.ptr + at, name.ptr, name.len) == 0;
    return same ? (uint32_t)(at + name.len) : DEAD;
}

/* Takes a value, or with NULL a container, which is entered. */
static void take(search *s, pf_str name, const pf_value *v, bool list)
{
    const pf_arg_columns *c = s->p->columns;
    uint32_t *here = of_level(s, s->level), *inside = of_level(s, s->level + 1), index = here[c->count];
    bool leads = false;
    name = name.ptr ? name : PF_STR("");
    name = s->level == 0 ? pf_arg_plain_key(name) : name;
    for (size_t k = 0; k < c->count; k++) {
        pf_str key = c->wanted[k].key;
        uint32_t used = here[k] == DEAD ? DEAD
                        : index         ? use_index(key, here[k], index - 1)
                                        : use_name(key, here[k], s->level == 0, name);
        if (used == key.len) {
            pf_arg_put(s->p, k, v);
        }
        bool goes_on = !v && used < key.len && (key.ptr[used] == '.' || key.ptr[used] == '[');
        if (goes_on && !leads) {
            memset(inside, 0xff, c->count * sizeof *inside);
        }
        leads = leads || goes_on;
        if (goes_on) {
            inside[k] = used;
        }
    }
    here[c->count] += index > 0;
    if (!v && leads) {
        inside[c->count] = list;
        s->level++;
    } else if (!v) {
        s->below = 1;
    }
}

static pf_status on_begin(void *ctx, pf_str key, bool list)
{
    search *s = ctx;
    if (s->below) {
        s->below++;
    } else {
        take(s, key, NULL, list);
    }
    return s->p->status;
}

static pf_status on_end(void *ctx)
{
    search *s = ctx;
    if (s->below) {
        s->below--;
    } else {
        s->level--;
    }
    return PF_OK;
}

static pf_status on_value(void *ctx, pf_str key, const pf_value *v)
{
    search *s = ctx;
    if (!s->below) {
        take(s, key, v, false);
    }
    return s->p->status;
}

static pf_status find(pf_arg_piece *p, uint32_t index, const pf_arg_visitor *v)
{
    const pf_trace *t = p->t;
    unsigned decoder = t->args.context[index] % PF_DECODERS_MAX;
    uint32_t context = t->args.context[index] / PF_DECODERS_MAX;
    p->missing = (uint32_t)p->columns->count;
    p->unnamed = false;
    return t->finder[decoder] ? t->finder[decoder](p, t->args.bytes[index], t->args.len[index], context, v)
                              : PF_ERR_DAMAGED;
}

pf_status pf_arg_search_quick(pf_arg_piece *p, uint32_t index)
{
    search s = {.p = p, .used = p->ways};
    const pf_arg_visitor v = {&s, on_begin, on_end, on_value, true};
    pf_status st = find(p, index, &v);
    return p->unnamed ? PF_ERR_DAMAGED : st;
}

pf_status pf_arg_search(pf_arg_piece *p, uint32_t index)
{
    const pf_trace *t = p->t;
    search s = {.p = p, .used = p->ways};
    const pf_arg_visitor v = {&s, on_begin, on_end, on_value, true};
    unsigned decoder = t->args.context[index] % PF_DECODERS_MAX;
    uint32_t context = t->args.context[index] / PF_DECODERS_MAX;
    pf_trace_note_args(t, index);
    pf_status st = find(p, index, &v);
    if (st != PF_ERR_DAMAGED) {
        return st;
    }
    s = (search){.p = p, .used = p->ways};
    return t->decoder[decoder](t, t->args.bytes[index], t->args.len[index], context, &v, &p->error);
}
