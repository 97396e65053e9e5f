/* query/graphs/dominators.c - __intrinsic_dominator_tree(from, to, root): for each node that the root reaches the last
 * node that all ways to it have in common.
 *
 * The algorithm of Lengauer and Tarjan. Nodes are numbered as a depth-first search reaches them. The semidominator of a
 * node is the smallest number from which a way leads to it over larger numbers only; from the largest number down it is
 * the smallest among the numbers of direct predecessors that are smaller, and the semidominators of those above the
 * others in the forest of what has been done. `best` keeps the one with the smallest semidominator on the way up in
 * that forest, and each question shortens the way it has gone.
 */
#include "query/graphs/graph.h"

#define DOMINATOR "dominator_node_id"

/* Whoever has no ancestor yet is a root of the forest. */
typedef struct forest {
    uint32_t count;
    uint32_t *semi, *best, *ancestor, *path, *dominator, *next, *bucket;
} forest;

static uint32_t best_above(const forest *f, uint32_t v)
{
    uint32_t length = 0;
    if (f->ancestor[v] == PF_NONE) {
        return v;
    }
    for (uint32_t at = v; f->ancestor[f->ancestor[at]] != PF_NONE; at = f->ancestor[at]) {
        f->path[length++] = at;
    }
    while (length-- > 0) {
        uint32_t at = f->path[length], above = f->ancestor[at];
        if (f->semi[f->best[above]] < f->semi[f->best[at]]) {
            f->best[at] = f->best[above];
        }
        f->ancestor[at] = f->ancestor[above];
    }
    return f->best[v];
}

/* Those whose semidominator is a parent that is done: either that is their dominator, or who has the same as another.
 */
static void empty_bucket(const forest *f, uint32_t parent)
{
    for (uint32_t v = f->bucket[parent]; v != PF_NONE; v = f->next[v]) {
        uint32_t best = best_above(f, v);
        f->dominator[v] = f->semi[best] < f->semi[v] ? best : parent;
    }
    f->bucket[parent] = PF_NONE;
}

/* The rows of the search are replaced by those of the dominators. */
static void find_dominators(const forest *f, const pf_sql_graph *into, const uint32_t *number, pf_sql_made *reached)
{
    for (uint32_t w = f->count; w-- > 1;) {
        const pf_sql_made_cell *row = &reached->cell[2 * (uint64_t)w];
        uint32_t parent = number[row[1].as.i], at, end;
        pf_sql_graph_edges(into, (uint32_t)row[0].as.i, &at, &end);
        for (; at < end; at++) {
            uint32_t v = number[into->next[at]];
            if (v != PF_NONE) { /* the root reaches it */
                uint32_t semi = f->semi[best_above(f, v)];
                f->semi[w] = semi < f->semi[w] ? semi : f->semi[w];
            }
        }
        f->next[w] = f->bucket[f->semi[w]];
        f->bucket[f->semi[w]] = w;
        f->ancestor[w] = parent;
        empty_bucket(f, parent);
    }
    for (uint32_t w = 1; w < f->count; w++) {
        if (f->dominator[w] != f->semi[w]) {
            f->dominator[w] = f->dominator[f->dominator[w]];
        }
        reached->cell[2 * (uint64_t)w + 1].as.i = reached->cell[2 * (uint64_t)f->dominator[w]].as.i;
    }
}

static bool make_dominators(pf_query *q, const pf_sql_graph *into, pf_sql_made *reached)
{
    forest f = {.count = (uint32_t)reached->rows};
    uint32_t **const lists[] = {&f.semi, &f.best, &f.ancestor, &f.path, &f.dominator, &f.next, &f.bucket};
    uint32_t *number = pf_sql_zeros(q, into->nodes, sizeof *number);
    bool fine = number != NULL;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = fine ? pf_sql_zeros(q, f.count, sizeof **lists[i]) : NULL;
        fine = *lists[i] != NULL;
    }
    for (uint32_t i = 0; fine && i < into->nodes; i++) {
        number[i] = PF_NONE;
    }
    for (uint32_t i = 0; fine && i < f.count; i++) {
        number[reached->cell[2 * (uint64_t)i].as.i] = i;
        f.semi[i] = f.best[i] = i;
        f.ancestor[i] = f.bucket[i] = PF_NONE;
    }
    if (fine) {
        find_dominators(&f, into, number, reached);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        sqlite3_free(*lists[i]);
    }
    sqlite3_free(number);
    return fine;
}

typedef struct flow_graph {
    pf_sql_graph from, into; /* edges as they are and turned */
    int64_t root;
    bool has_root;
} flow_graph;

static void tree_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    flow_graph *g = pf_sql_state(ctx, sizeof *g);
    uint32_t from, to;
    if (!g) {
        return;
    }
    g->from.q = g->into.q = pf_sql_session(ctx);
    g->root = g->has_root ? g->root : sqlite3_value_int64(argv[2]);
    g->has_root = true;
    if (!pf_sql_node(sqlite3_value_int64(argv[0]), &from) || !pf_sql_node(sqlite3_value_int64(argv[1]), &to)) {
        sqlite3_result_error(ctx, pf_sql_node_wanted, -1);
    } else if (!pf_sql_graph_add(&g->from, from, to, true) || !pf_sql_graph_add(&g->into, to, from, true)) {
        sqlite3_result_error_nomem(ctx);
    }
}

static void make_tree(sqlite3_context *ctx, flow_graph *g)
{
    pf_query *q = pf_sql_session(ctx);
    const pf_sql_numbers root = {.list = &g->root, .count = 1};
    if (g->root < 0 || g->root >= g->from.nodes) {
        sqlite3_result_error(ctx, "dominator_tree: the root is not in the graph", -1);
        return;
    }
    bool fine = pf_sql_graph_arrange(&g->from) && pf_sql_graph_arrange(&g->into);
    pf_sql_made *reached = fine ? pf_sql_search(q, &g->from, &root, PF_SQL_DEPTH_FIRST, DOMINATOR) : NULL;
    if (reached && reached->rows == 1) {
        pf_sql_made_free(reached);
        sqlite3_result_error(ctx, "dominator_tree: the root reaches no other node", -1);
        return;
    }
    pf_sql_made_return(ctx, reached, reached && make_dominators(q, &g->into, reached));
}

static void tree_final(sqlite3_context *ctx)
{
    static const char *const NAMES[] = {"node_id", DOMINATOR};
    flow_graph *g = pf_sql_take_state(ctx);
    if (g) {
        make_tree(ctx, g);
        pf_sql_graph_clear(&g->from);
        pf_sql_graph_clear(&g->into);
        sqlite3_free(g);
    } else {
        pf_sql_made_return(ctx, pf_sql_made_new(pf_sql_session(ctx), NAMES, 2), true);
    }
}

int pf_sql_add_dominators(pf_query *q)
{
    static const pf_sql_call CALLS[] = {{"__intrinsic_dominator_tree", 3, NULL, tree_step, tree_final}};
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
