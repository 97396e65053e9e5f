/* query/functions/arg_peers.c - argument sets by the value of an argument.
 *
 * __intrinsic_arg_peers(set, key, other) has a row for each set whose argument `other` equals the argument `key` of
 * `set`, equal as extract_arg(...) = extract_arg(...) has it. For each key that is asked for, all sets that have it are
 * sorted by its value once; then a call is a binary search.
 */
#include <stdlib.h>

#include "base/list.h"
#include "base/ordering.h"
#include "query/session/session.h"

/* A value in a form in which equal ones have equal bits: reals that are integers are numbers. */
typedef struct peer {
    uint64_t bits;
    uint32_t set;
    pf_value_type type; /* INT, REAL or STRING */
} peer;

struct pf_sql_peers {
    char *key;
    peer *list;
    uint32_t count;
    size_t room;
};

static bool value_of(const pf_arg_store *s, uint32_t row, peer *out)
{
    pf_query_cell cell = pf_arg_cell(s, row);
    *out = (peer){s->bits[row], s->set[row], cell.type};
    if (cell.type == PF_VALUE_REAL && cell.as.d >= -0x1p63 && cell.as.d < 0x1p63 &&
        (double)(int64_t)cell.as.d == cell.as.d) {
        *out = (peer){(uint64_t)(int64_t)cell.as.d, s->set[row], PF_VALUE_INT};
    }
    return cell.type == PF_VALUE_REAL     ? cell.as.d == cell.as.d
           : cell.type == PF_VALUE_STRING ? cell.as.s.ptr != NULL
                                          : cell.type != PF_VALUE_NULL;
}

PF_ORDER(by_value, peer, PF_UP(type), PF_UP(bits));

static pf_status sort_sets(pf_query *q, struct pf_sql_peers *p, pf_str key, pf_error *err)
{
    const pf_arg_store *s = &q->data.args;
    for (uint32_t set = 0; set < s->count; set++) {
        if (s->set[set] != set) {
            continue; /* a further row of a set, which is named by its first */
        }
        uint32_t row = pf_sql_find_arg(q, set, key);
        peer found;
        if (row == PF_NONE || !value_of(s, row, &found)) {
            continue;
        }
        PF_TRY(PF_LIST_ROOM(q->data.budget, p->list, p->count + 1, p->room, err));
        p->list[p->count++] = found;
    }
    if (p->count) {
        qsort(p->list, p->count, sizeof *p->list, by_value);
    }
    return PF_OK;
}

static void forget(pf_query *q, struct pf_sql_peers *p)
{
    PF_LIST_FREE(q->data.budget, p->list, p->room);
    sqlite3_free(p->key);
    *p = (struct pf_sql_peers){0};
}

/* The sets by this key, sorted on first use. Keys that were used long ago make room. */
static const struct pf_sql_peers *peers_of(pf_query *q, pf_str key, pf_error *err)
{
    if (!q->peers && PF_ARENA_NEW(&q->data.arena, q->peers, PF_SQL_PEERS, err) != PF_OK) {
        return NULL;
    }
    for (size_t i = 0; i < PF_SQL_PEERS; i++) {
        if (q->peers[i].key && pf_str_is(key, q->peers[i].key)) {
            return &q->peers[i];
        }
    }
    struct pf_sql_peers *p = &q->peers[q->next_peers++ % PF_SQL_PEERS];
    forget(q, p);
    pf_status st = sort_sets(q, p, key, err);
    p->key = st == PF_OK ? sqlite3_mprintf("%.*s", (int)key.len, key.ptr) : NULL;
    if (st == PF_OK && !p->key) {
        st = pf_no_memory(err);
    }
    if (st != PF_OK) {
        forget(q, p);
        return NULL;
    }
    return p;
}

void pf_sql_peers_free(pf_query *q)
{
    for (size_t i = 0; q->peers && i < PF_SQL_PEERS; i++) {
        forget(q, &q->peers[i]);
    }
}

/* The place of the first entry that is not below the value. */
static uint32_t lower_bound(const struct pf_sql_peers *p, const peer *value)
{
    uint32_t low = 0;
    PF_BISECT(low, p->count, by_value(&p->list[middle], value) < 0);
    return low;
}

pf_status pf_sql_arg_peers(pf_query *q, int64_t set, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    peer value;
    if (sqlite3_value_type(all[0]) != SQLITE_INTEGER) {
        return PF_OK; /* a text with a number in it */
    }
    PF_TRY(pf_data_load(&q->data, pf_data_find(&q->data, PF_STR("args")), err));
    uint32_t row = pf_sql_find_arg(q, set, pf_sql_text_of(all[1]));
    if (row == PF_NONE || !value_of(&q->data.args, row, &value)) {
        return PF_OK;
    }
    const struct pf_sql_peers *p = peers_of(q, pf_sql_text_of(all[2]), err);
    if (!p) {
        return err->code;
    }
    for (uint32_t i = lower_bound(p, &value); i < p->count && by_value(&p->list[i], &value) == 0; i++) {
        PF_TRY(PF_LIST_ROOM(q->data.budget, found->row, found->count + 1, found->room, err));
        found->row[found->count++] = p->list[i].set;
    }
    return PF_OK;
}
