/* query/functions/arg_peers.c - argument sets by the value of an argument.
 *
 * __intrinsic_arg_peers(set, key, other) has a row for each set whose argument `other` equals the argument `key` of
 * `set`, equal as extract_arg(...) = extract_arg(...) has it. For each key that is asked for, all sets that have it are
 * sorted by its value once; then a call is a binary search.
 */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "query/session/session.h"

typedef enum value_class { NUMBER, REAL, TEXT } value_class;

/* A value in a form in which equal ones have equal bits: reals that are integers are numbers. */
typedef struct peer {
    uint64_t bits;
    uint32_t set;
    uint32_t class;
} peer;

struct pf_sql_peers {
    char *key;
    peer *list;
    uint32_t count;
    size_t room;
};

static bool value_of(const pf_arg_store *s, uint32_t row, peer *out)
{
    double real;
    switch (s->type[row]) {
    case PF_VALUE_NULL:
        return false;
    case PF_VALUE_REAL:
        memcpy(&real, &s->bits[row], sizeof real);
        *out = (peer){s->bits[row], s->set[row], REAL};
        if (real >= -0x1p63 && real < 0x1p63 && (double)(int64_t)real == real) {
            *out = (peer){(uint64_t)(int64_t)real, s->set[row], NUMBER};
        }
        return real == real;
    case PF_VALUE_STRING:
    case PF_VALUE_JSON:
        *out = (peer){s->bits[row], s->set[row], TEXT};
        return pf_strings_get(&s->texts, (uint32_t)s->bits[row]).ptr != NULL;
    default:
        *out = (peer){s->bits[row], s->set[row], NUMBER};
        return true;
    }
}

static int by_value(const void *pa, const void *pb)
{
    const peer *a = pa, *b = pb;
    if (a->class != b->class) {
        return a->class < b->class ? -1 : 1;
    }
    return (a->bits > b->bits) - (a->bits < b->bits);
}

static pf_status sort_sets(pf_query *q, struct pf_sql_peers *p, pf_str key, pf_error *err)
{
    const pf_arg_store *s = &q->args;
    for (uint32_t set = 0; set < s->count; set++) {
        if (s->set[set] != set) {
            continue; /* a further row of a set, which is named by its first */
        }
        uint32_t row = pf_sql_find_arg(q, set, key);
        peer found;
        if (row == PF_NONE || !value_of(s, row, &found)) {
            continue;
        }
        PF_TRY(PF_LIST_ROOM(q->budget, p->list, p->count + 1, p->room, err));
        p->list[p->count++] = found;
    }
    if (p->count) {
        qsort(p->list, p->count, sizeof *p->list, by_value);
    }
    return PF_OK;
}

static void forget(pf_query *q, struct pf_sql_peers *p)
{
    PF_LIST_FREE(q->budget, p->list, p->room);
    sqlite3_free(p->key);
    *p = (struct pf_sql_peers){0};
}

/* The sets by this key, sorted on first use. Keys that were used long ago make room. */
static const struct pf_sql_peers *peers_of(pf_query *q, pf_str key, pf_error *err)
{
    if (!q->peers && PF_LIST_NEW(q->budget, q->peers, PF_SQL_PEERS, err) != PF_OK) {
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
    pf_release(q->budget, q->peers, PF_SQL_PEERS * sizeof *q->peers);
}

/* ---- the table-valued function ----------------------------------------------------------------------------------- */

typedef struct peers_table {
    sqlite3_vtab base;
    pf_query *q;
} peers_table;

typedef struct peers_cursor {
    sqlite3_vtab_cursor base;
    uint32_t *set; /* a copy: another cursor may make room for its key */
    uint32_t at, count;
} peers_cursor;

static int peers_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
    (void)argc, (void)argv, (void)error;
    int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(peer INTEGER, arg_set HIDDEN, key HIDDEN, other HIDDEN)");
    peers_table *t = rc == SQLITE_OK ? sqlite3_malloc(sizeof *t) : NULL;
    if (!t) {
        return rc == SQLITE_OK ? SQLITE_NOMEM : rc;
    }
    *t = (peers_table){.q = aux};
    *out = &t->base;
    return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
}

static int peers_best_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
    unsigned seen = 0;
    (void)t;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        if (column < 1 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) {
            continue;
        }
        if (!info->aConstraint[i].usable) {
            return SQLITE_CONSTRAINT;
        }
        info->aConstraintUsage[i].argvIndex = column;
        info->aConstraintUsage[i].omit = 1;
        seen |= 1u << column;
    }
    info->estimatedCost = 5;
    info->estimatedRows = 2;
    return seen == 0xe ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int peers_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
    (void)t;
    peers_cursor *c = sqlite3_malloc(sizeof *c);
    if (!c) {
        return SQLITE_NOMEM;
    }
    *c = (peers_cursor){0};
    *out = &c->base;
    return SQLITE_OK;
}

static int peers_close(sqlite3_vtab_cursor *base)
{
    sqlite3_free(((peers_cursor *)base)->set);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* The place of the first entry that is not below the value. */
static uint32_t lower_bound(const struct pf_sql_peers *p, const peer *value)
{
    uint32_t low = 0, high = p->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_value(&p->list[middle], value) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static pf_status find_peers(pf_query *q, sqlite3_value **argv, peers_cursor *c, pf_error *err)
{
    peer value;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        return PF_OK;
    }
    PF_TRY(pf_sql_load(q, pf_sql_find(q, PF_STR("args")), err));
    uint32_t row = pf_sql_find_arg(q, sqlite3_value_int64(argv[0]), pf_sql_text_of(argv[1]));
    if (row == PF_NONE || !value_of(&q->args, row, &value)) {
        return PF_OK;
    }
    const struct pf_sql_peers *p = peers_of(q, pf_sql_text_of(argv[2]), err);
    if (!p) {
        return err->code;
    }
    uint32_t first = lower_bound(p, &value), last = first;
    while (last < p->count && by_value(&p->list[last], &value) == 0) {
        last++;
    }
    c->set = sqlite3_malloc64(((uint64_t)last - first + 1) * sizeof *c->set);
    if (!c->set) {
        return pf_no_memory(err);
    }
    for (uint32_t i = first; i < last; i++) {
        c->set[c->count++] = p->list[i].set;
    }
    return PF_OK;
}

static int peers_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
    peers_cursor *c = (peers_cursor *)base;
    pf_query *q = ((peers_table *)base->pVtab)->q;
    pf_error err = {0};
    (void)plan, (void)text, (void)argc;
    sqlite3_free(c->set);
    c->set = NULL;
    c->at = c->count = 0;
    if (find_peers(q, argv, c, &err) != PF_OK) {
        q->failure = err;
        return SQLITE_ERROR;
    }
    return SQLITE_OK;
}

static int peers_next(sqlite3_vtab_cursor *base)
{
    ((peers_cursor *)base)->at++;
    return SQLITE_OK;
}

static int peers_eof(sqlite3_vtab_cursor *base)
{
    return ((peers_cursor *)base)->at >= ((peers_cursor *)base)->count;
}

static int peers_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const peers_cursor *c = (peers_cursor *)base;
    if (i == 0) {
        sqlite3_result_int64(ctx, c->set[c->at]);
    }
    return SQLITE_OK;
}

static int peers_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = ((peers_cursor *)base)->at;
    return SQLITE_OK;
}

int pf_sql_add_peers(pf_query *q)
{
    static const sqlite3_module PEERS = PF_SQL_MODULE(peers, peers, NULL);
    return sqlite3_create_module(q->db, "__intrinsic_arg_peers", &PEERS, q);
}
