/* read/tinygrad/pickle/pickle_collect.c - lets go of values that nobody can reach any more.
 *
 * Reachable are: what lies on the stack, what the memo holds (which is only what the rest of the file fetches), and
 * what was kept. These are marked, with a stack of their own; then marked rows move down over the others, and every
 * reference is looked up in a map from old rows to new ones. Members of a chain are marked until one that is marked
 * already, since what follows that one was marked with it. Shared small values that nothing holds go, too, and are made
 * anew when they are needed. */
#include <string.h>

#include "read/tinygrad/pickle/pickle_machine.h"

enum { WORTH = 1 << 16 }; /* values and items, below which nothing is gained */

typedef struct collection {
    pf_pickle *p;
    pf_pickle_values *v;
    uint32_t *values, *items; /* new rows by old ones; PF_NONE: not reached, 0 until then: reached */
    uint32_t *pending;        /* reached, members not visited; at most one entry for each value */
    uint32_t pending_count;
} collection;

static void reach(collection *c, uint32_t value)
{
    if (value != PF_NONE && c->values[value] == PF_NONE) {
        c->values[value] = 0;
        c->pending[c->pending_count++] = value;
    }
}

static void reach_members(collection *c, uint32_t value)
{
    const pf_pickle_values *v = c->v;
    for (uint32_t i = pf_pickle_first(v, value); i != PF_NONE && c->items[i] == PF_NONE; i = pf_pickle_next(v, i)) {
        c->items[i] = 0;
        reach(c, pf_pickle_key(v, i));
        reach(c, pf_pickle_member(v, i));
    }
}

static void reach_all(collection *c)
{
    pf_pickle *p = c->p;
    for (size_t i = 0; i < p->stack.count; i++) {
        reach(c, p->stack.row[i]);
    }
    for (size_t i = 0; p->memo.slots && i <= p->memo.mask; i++) {
        reach(c, p->memo.slots[i].value ? p->memo.slots[i].value - 1 : PF_NONE);
    }
    for (uint32_t i = 0; i < c->v->kept_count; i++) {
        reach(c, c->v->kept[i].value);
    }
    while (c->pending_count) {
        reach_members(c, c->pending[--c->pending_count]);
    }
}

static uint32_t number_rows(uint32_t *rows, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = rows[i] == PF_NONE ? PF_NONE : next++;
    }
    return next;
}

static uint32_t moved(const uint32_t *rows, uint32_t row)
{
    return row == PF_NONE ? PF_NONE : rows[row];
}

static void move_values(collection *c, uint32_t left)
{
    pf_pickle_values *v = c->v;
    for (uint32_t i = 0; i < v->value.count; i++) {
        pf_pickle_row row = v->value.row[i];
        if (pf_pickle_has_members(row.type)) {
            row.first = moved(c->items, row.first);
            row.last = moved(c->items, row.last);
        }
        if (c->values[i] != PF_NONE) {
            v->value.row[c->values[i]] = row;
        }
    }
    v->value.count = left;
}

/* The rest of a chain was reached with its beginning, but for what was appended to a chain that two values share: then
 * an item that is not reached ends it. */
static void move_items(collection *c, uint32_t left)
{
    pf_pickle_values *v = c->v;
    for (uint32_t i = 0; i < v->item.count; i++) {
        const pf_pickle_item_row row = v->item.row[i];
        if (c->items[i] != PF_NONE) {
            v->item.row[c->items[i]] = (pf_pickle_item_row){moved(c->values, row.key), moved(c->values, row.member),
                                                            moved(c->items, row.next)};
        }
    }
    v->item.count = left;
}

static void move_references(collection *c)
{
    pf_pickle *p = c->p;
    for (size_t i = 0; i < p->stack.count; i++) {
        p->stack.row[i] = c->values[p->stack.row[i]];
    }
    for (size_t i = 0; p->memo.slots && i <= p->memo.mask; i++) {
        uint32_t *value = &p->memo.slots[i].value;
        *value = *value ? c->values[*value - 1] + 1 : 0;
    }
    for (unsigned i = 0; i < PF_PICKLE_SHARED; i++) {
        c->v->shared[i] = moved(c->values, c->v->shared[i]);
    }
    for (uint32_t i = 0; i < c->v->kept_count; i++) {
        c->v->kept[i].value = moved(c->values, c->v->kept[i].value);
    }
    p->decimal = moved(c->values, p->decimal);
}

static void collect(collection *c)
{
    pf_pickle_values *v = c->v;
    memset(c->values, 0xFF, v->value.count * sizeof *c->values);
    memset(c->items, 0xFF, v->item.count * sizeof *c->items);
    reach_all(c);
    uint32_t values = number_rows(c->values, v->value.count), items = number_rows(c->items, v->item.count);
    move_references(c);
    move_values(c, values);
    move_items(c, items);
}

pf_status pf_pickle_collect(pf_pickle *p)
{
    pf_pickle_values *v = p->v;
    uint64_t there = (uint64_t)v->value.count + v->item.count;
    if (there < p->collect_at) {
        return PF_OK;
    }
    size_t bytes = (2 * (size_t)v->value.count + v->item.count) * sizeof(uint32_t);
    collection c = {.p = p, .v = v, .values = pf_alloc(p->budget, bytes)};
    PF_TRY(c.values ? PF_OK : pf_budget_refused(p->budget, bytes, p->err));
    c.pending = c.values + v->value.count;
    c.items = c.pending + v->value.count;
    collect(&c);
    pf_release(p->budget, c.values, bytes);
    p->collect_at = 2 * ((uint64_t)v->value.count + v->item.count) + WORTH;
    return PF_OK;
}
