/* tables/arg_sets.h - the table args: every argument of the trace as a row, sets of equal arguments kept once.
 *
 * A set is named by the number of its first row. Sets of tracks come first and are made without decoding any event;
 * the sets of slices, counters, states and flows follow when a query asks for the first of them.
 */
#pragma once

#include "base/columns.h"
#include "base/map.h"
#include "base/strings.h"
#include "postfetto/query.h"

#define PF_ARG_SETS_WAITING 16u

typedef struct pf_arg_store {
    pf_budget *budget;
    uint32_t count, room;
    uint32_t begun;     /* the first row of the set in work */
    uint32_t *set;      /* number of the set's first row */
    uint32_t *flat_key; /* ids in `keys` */
    uint32_t *key;
    uint8_t *type;  /* pf_value_type */
    uint64_t *bits; /* the number, the bits of the double, or an id in `texts` */
    pf_columns columns;
    pf_strings keys, texts;
    pf_map known; /* hash of a set's rows -> its number */

    /* Sets that have ended but are not known yet as new or as ones that exist; their rows stand before `begun`. */
    uint32_t waiting;
    struct pf_arg_set_waiting {
        uint64_t hash;
        uint32_t *set; /* where its number goes */
        uint32_t first;
    } wait[PF_ARG_SETS_WAITING];

    /* While a set is collected, by key id: the row of the key and the next index of the array of that name, valid
     * where the stamp is the number of the set in work. */
    uint32_t key_room, stamp;
    uint32_t *row_stamp, *row, *array_stamp, *next;
    pf_columns key_columns;
} pf_arg_store;

pf_status pf_arg_store_init(pf_arg_store *s, pf_budget *budget, pf_error *err);
void pf_arg_store_free(pf_arg_store *s);

/* Collecting: begin, any number of values and visits, end. Of values with one key the last one stays, in the place of
 * the first; elements of arrays with one key are numbered on through all visits, unless the array is begun anew. *set
 * is PF_NONE for an empty set; of others it is written later, at the latest by pf_arg_sets_settle, which ends a row of
 * sets. */
void pf_arg_set_begin(pf_arg_store *s);
pf_status pf_arg_set_value(pf_arg_store *s, pf_str flat_key, pf_str key, const pf_value *value, pf_error *err);
pf_status pf_arg_set_end(pf_arg_store *s, uint32_t *set, pf_error *err);
pf_status pf_arg_sets_settle(pf_arg_store *s, pf_error *err);

/* The next free index of the array `key` of the set in work; store->next[*id] counts it. */
pf_status pf_arg_array_next(pf_arg_store *s, pf_str key, uint32_t *id, uint32_t *index, pf_error *err);

/* The row of `key` in `set`, or PF_NONE. */
uint32_t pf_arg_find(const pf_arg_store *s, int64_t set, pf_str key);

/* The value in a row. */
pf_query_cell pf_arg_cell(const pf_arg_store *s, uint32_t row);
