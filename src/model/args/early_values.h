/* model/args/early_values.h - numbers (of texts: their ids) of some events, few bytes for each.
 *
 * Events are marked by a bit each, and how many were marked before is the row of an event. Rows are written into open
 * columns; when these are full they are packed as a block. The numbers of a block seldom differ much, so cells hold
 * the low bytes that are not the same in all of a column: mostly none, one or two.
 */
#pragma once

#include "base/arena.h"
#include "model/args/arg_columns.h"

enum { PF_EARLY_BLOCK = 1024 }; /* rows */

/* A column of a block. */
typedef struct pf_early_column {
    uint64_t base;     /* what is the same in all numbers */
    const void *cells; /* `width` bytes each: 0, 1, 2, 4 or 8 */
    unsigned width;
    const uint64_t *present; /* as in pf_arg_column */
} pf_early_column;

/* 64 events, and how many are marked before them. */
typedef struct pf_early_marks {
    uint64_t bits;
    uint32_t before;
} pf_early_marks;

typedef struct pf_early_values {
    pf_arg_columns *open; /* of PF_EARLY_BLOCK rows */
    pf_arena arena;       /* of full blocks */
    uint32_t rows;
    uint32_t alike; /* the last of them, which say what the one before them does and are not written yet */
    struct {
        uint32_t count, room;
        pf_early_marks *word;
        pf_columns columns;
    } marked;
    struct {
        uint32_t count, room;
        pf_early_column **list;
        pf_columns columns;
    } blocks;
} pf_early_values;

/* `v` is zeroed memory. */
pf_status pf_early_values_init(pf_early_values *v, pf_trace *t, const pf_arg_key *keys, size_t count, pf_error *err);
void pf_early_values_free(pf_early_values *v);

/* The row of v->open that is for an event, which is after those that have one already. */
pf_status pf_early_values_room(pf_early_values *v, uint32_t event, pf_error *err); /* the slow half */
static inline pf_status pf_early_values_add(pf_early_values *v, uint32_t event, uint32_t *row, pf_error *err)
{
    bool room = event / 64 < v->marked.count && v->rows / PF_EARLY_BLOCK == v->blocks.count && v->alike == 0;
    PF_TRY(room ? PF_OK : pf_early_values_room(v, event, err));
    v->marked.word[event / 64].bits |= 1ull << event % 64;
    *row = v->rows++ % PF_EARLY_BLOCK;
    return PF_OK;
}

/* Adds an event that says what the one added last does, where there is room for it next to that one. */
static inline bool pf_early_values_add_alike(pf_early_values *v, uint32_t event)
{
    if (event / 64 >= v->marked.count || v->rows % PF_EARLY_BLOCK == 0) {
        return false;
    }
    v->marked.word[event / 64].bits |= 1ull << event % 64;
    v->rows++;
    v->alike++;
    return true;
}

/* Writes what these say. To be called before anything is read. */
void pf_early_values_settle(pf_early_values *v);

/* Takes the event that was added last away again. */
void pf_early_values_remove(pf_early_values *v, uint32_t event);

/* The row of an event, counted from the first one; PF_NONE if it has none. */
static inline uint32_t pf_early_values_find(const pf_early_values *v, uint32_t event)
{
    const pf_early_marks *m = event / 64 < v->marked.count ? &v->marked.word[event / 64] : NULL;
    if (!m || !(m->bits >> event % 64 & 1)) {
        return PF_NONE;
    }
    return m->before + (uint32_t)__builtin_popcountll(m->bits & ((1ull << event % 64) - 1));
}

/* The same after the event `last`, whose row is last_row: mostly one that was marked next, or soon after it. */
static inline uint32_t pf_early_values_next(const pf_early_values *v, uint32_t event, uint32_t last, uint32_t last_row)
{
    if (last_row == PF_NONE || event <= last || event / 64 != last / 64) {
        return pf_early_values_find(v, event);
    }
    uint64_t bits = v->marked.word[event / 64].bits >> last % 64, between = bits & ((1ull << (event - last)) - 2);
    uint32_t row = last_row + 1 + (between ? (uint32_t)__builtin_popcountll(between) : 0);
    return bits >> (event - last) & 1 ? row : PF_NONE;
}

/* How many of the events, from the first one on, have rows that say the same under each of the first `keys` keys, and
 * what that is. Whole blocks are looked at: of a block in which numbers differ no row counts. */
uint32_t pf_early_values_agree(const pf_early_values *v, size_t keys, const uint32_t *events, uint32_t count,
                               uint64_t *value);

/* The values of a column in up to 64 rows, of which PF_NONE are left out. Returns a bit for each that is present. */
uint64_t pf_early_values_read(const pf_early_values *v, size_t key, const uint32_t *row, uint32_t count,
                              uint64_t *value);
