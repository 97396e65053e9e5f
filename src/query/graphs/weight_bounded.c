/* query/graphs/weight_bounded.c - depth-first searches that end when the weights of the edges on the way, over which
 * each node was reached first, exceed a bound.
 *
 *     __intrinsic_weight_bounded(from, to, weight, root, bound, over)
 *
 * Lists are blobs that repeatedfield() makes: of the edges' nodes and weights, and of roots and their bounds. With
 * `over` the node that exceeds the bound is found, too. Each root's search begins anew.
 */
#include "query/graphs/graph.h"

/* What is gone through; the edges' `to` are numbers of edges. */
typedef struct walk {
    pf_sql_graph graph;
    const int64_t *to, *weight;
    uint32_t *mark, *parent, *at; /* of nodes: number of the root that reached it, from 1; whence; the next edge */
    pf_sql_made *out;
    bool over;
} walk;

/* The blobs come from the functions of this file, or from anywhere: their lengths count. */
static const int64_t *list_of(sqlite3_value *v, uint64_t *count)
{
    const void *list = sqlite3_value_blob(v);
    *count = (uint64_t)sqlite3_value_bytes(v) / sizeof(int64_t);
    return list;
}

static bool put(walk *w, int64_t root, uint32_t node)
{
    pf_sql_made_cell *row = pf_sql_made_row(w->out);
    if (row) {
        row[0] = pf_sql_made_int(root);
        row[1] = pf_sql_made_int(node);
        if (w->parent[node] != PF_NONE) {
            row[2] = pf_sql_made_int(w->parent[node]);
        }
    }
    return row != NULL;
}

/* The next edge of a node, or of whom it was reached from, that leads to a new node; PF_NONE: there is none. */
static uint32_t next_edge(walk *w, uint32_t node, uint32_t mark)
{
    while (node != PF_NONE) {
        uint32_t first, end;
        pf_sql_graph_edges(&w->graph, node, &first, &end);
        for (uint32_t at = first + w->at[node]; at < end; at++) {
            uint32_t edge = w->graph.next[at];
            if (w->mark[w->to[edge]] != mark) {
                w->at[node] = at + 1 - first;
                w->parent[w->to[edge]] = node;
                return edge;
            }
        }
        w->at[node] = end - first;
        node = w->parent[node];
    }
    return PF_NONE;
}

static bool search(walk *w, uint32_t root, uint32_t mark, uint32_t bound)
{
    uint64_t sum = 0;
    w->parent[root] = PF_NONE;
    for (uint32_t node = root, edge; sum <= bound; node = (uint32_t)w->to[edge], sum += (uint32_t)w->weight[edge]) {
        w->mark[node] = mark;
        w->at[node] = 0;
        if (!put(w, root, node)) {
            return false;
        }
        edge = next_edge(w, node, mark);
        if (edge == PF_NONE) {
            return true;
        }
        uint64_t next = sum + (uint32_t)w->weight[edge];
        if (next > bound) {
            return !w->over || put(w, root, (uint32_t)w->to[edge]);
        }
    }
    return true;
}

/* NULL, or what is wrong; "" for memory. */
static const char *read_edges(walk *w, const int64_t *from, uint64_t count)
{
    uint32_t first, second;
    for (uint64_t i = 0; i < count; i++) {
        if (!pf_sql_node(from[i], &first) || !pf_sql_node(w->to[i], &second)) {
            return pf_sql_node_wanted;
        }
        if (!pf_sql_graph_add(&w->graph, second, 0, false) || !pf_sql_graph_add(&w->graph, first, 0, true)) {
            return "";
        }
        w->graph.edge[i].to = (uint32_t)i;
    }
    return NULL;
}

static const char *read_roots(walk *w, const int64_t *root, uint64_t count)
{
    uint32_t node;
    for (uint64_t i = 0; i < count; i++) {
        if (!pf_sql_node(root[i], &node)) {
            return pf_sql_node_wanted;
        }
        pf_sql_graph_add(&w->graph, node, 0, false);
    }
    return NULL;
}

static bool search_all(walk *w, const int64_t *root, const int64_t *bound, uint64_t roots)
{
    uint32_t **const lists[] = {&w->mark, &w->parent, &w->at};
    bool fine = w->out && roots < PF_NONE && pf_sql_graph_arrange(&w->graph);
    for (size_t i = 0; i < sizeof lists / sizeof *lists && fine; i++) {
        *lists[i] = pf_sql_zeros(w->graph.q, w->graph.nodes, sizeof **lists[i]);
        fine = *lists[i] != NULL;
    }
    for (uint64_t i = 0; i < roots && fine; i++) {
        fine = search(w, (uint32_t)root[i], (uint32_t)i + 1, (uint32_t)bound[i]) && pf_sql_affords(w->graph.q, 0);
    }
    return fine;
}

enum { FROM, TO, WEIGHT, ROOT, BOUND, OVER };

static void weight_bounded(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const NAMES[] = {"root_node_id", "node_id", "parent_node_id"};
    const int64_t *list[OVER];
    uint64_t count[OVER];
    pf_query *q = pf_sql_session(ctx);
    for (int i = FROM; i < OVER; i++) {
        list[i] = list_of(argv[i], &count[i]);
    }
    walk w = {.graph = {.q = q}, .to = list[TO], .weight = list[WEIGHT], .over = sqlite3_value_int(argv[OVER])};
    const char *wrong = count[FROM] != count[TO] || count[FROM] != count[WEIGHT] || count[ROOT] != count[BOUND]
                            ? "an edge has two nodes and a weight, a root a bound, and none is NULL"
                            : read_edges(&w, list[FROM], count[FROM]);
    wrong = wrong ? wrong : read_roots(&w, list[ROOT], count[ROOT]);
    if (wrong && *wrong) {
        sqlite3_result_error(ctx, wrong, -1);
    } else {
        w.out = pf_sql_made_new(q, NAMES, 3);
        uint64_t roots = count[FROM] ? count[ROOT] : 0;
        pf_sql_made_return(ctx, w.out, !wrong && search_all(&w, list[ROOT], list[BOUND], roots));
    }
    pf_sql_graph_clear(&w.graph);
    sqlite3_free(w.mark);
    sqlite3_free(w.parent);
    sqlite3_free(w.at);
}

int pf_sql_add_weight_bounded(pf_query *q)
{
    static const pf_sql_call CALLS[] = {{"__intrinsic_weight_bounded", 6, weight_bounded}};
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
