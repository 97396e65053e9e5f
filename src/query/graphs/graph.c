/* query/graphs/graph.c - directed graphs, and which nodes can be reached in them.
 *
 *     __intrinsic_graph_agg(from, to)     a graph; a row without `to` is a node by itself
 *     __intrinsic_array_agg(x)            a list of values of one type
 *     __intrinsic_dfs(graph, starts)      nodes in the order of a depth-first search, with whom they were reached from
 *     __intrinsic_bfs(graph, starts)      in that of a breadth-first search
 *
 * A depth-first search needs no stack: a node that was reached remembers from whom, and which of its edges comes next.
 */
#include "query/graphs/graph.h"

#define TAG "GRAPH"
#define NUMBERS_TAG "ARRAY<LONG>"

const char pf_sql_node_wanted[] = "ids of nodes are integers from 0 to 4294967294";

bool pf_sql_node(int64_t number, uint32_t *node)
{
    *node = (uint32_t)number;
    return number >= 0 && number < PF_NONE;
}

bool pf_sql_graph_add(pf_sql_graph *g, uint32_t from, uint32_t to, bool edge)
{
    uint32_t largest = edge && to > from ? to : from;
    g->nodes = g->nodes > largest ? g->nodes : largest + 1;
    if (!edge) {
        return true;
    }
    bool fine = g->edges < PF_NONE - 2 && PF_SQL_ROOM(g->q, g->edge, g->edges, g->room);
    if (fine) {
        g->edge[g->edges++] = (pf_sql_edge){from, to};
    }
    return fine;
}

bool pf_sql_graph_arrange(pf_sql_graph *g)
{
    g->first = pf_sql_zeros(g->q, (uint64_t)g->nodes + 1, sizeof *g->first);
    g->next = g->first ? pf_sql_zeros(g->q, g->edges, sizeof *g->next) : NULL;
    if (!g->next) {
        return false;
    }
    for (uint64_t i = 0; i < g->edges; i++) {
        g->first[g->edge[i].from]++;
    }
    uint32_t end = 0;
    for (uint64_t i = 0; i <= g->nodes; i++) {
        end += g->first[i];
        g->first[i] = end;
    }
    for (uint64_t i = g->edges; i-- > 0;) {
        g->next[--g->first[g->edge[i].from]] = g->edge[i].to;
    }
    return true;
}

void pf_sql_graph_clear(pf_sql_graph *g)
{
    sqlite3_free(g->edge);
    sqlite3_free(g->first);
    sqlite3_free(g->next);
}

static void free_graph(void *graph)
{
    if (graph) {
        pf_sql_graph_clear(graph);
    }
    sqlite3_free(graph);
}

const pf_sql_graph *pf_sql_graph_of(sqlite3_value *pointer)
{
    return sqlite3_value_pointer(pointer, TAG);
}

static void graph_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_sql_graph *g = pf_sql_state(ctx, sizeof *g);
    uint32_t from, to;
    bool edge = sqlite3_value_type(argv[1]) != SQLITE_NULL;
    if (!g) {
        return;
    }
    g->q = pf_sql_session(ctx);
    if (!pf_sql_node(sqlite3_value_int64(argv[0]), &from) || !pf_sql_node(sqlite3_value_int64(argv[1]), &to)) {
        sqlite3_result_error(ctx, pf_sql_node_wanted, -1);
    } else if (!pf_sql_graph_add(g, from, to, edge)) {
        sqlite3_result_error_nomem(ctx);
    }
}

static void graph_final(sqlite3_context *ctx)
{
    pf_sql_graph *g = pf_sql_take_state(ctx);
    sqlite3_result_pointer(ctx, g, TAG, free_graph);
    if (g && !pf_sql_graph_arrange(g)) {
        sqlite3_result_error_nomem(ctx);
    }
}

const pf_sql_numbers *pf_sql_numbers_of(sqlite3_value *pointer)
{
    return sqlite3_value_pointer(pointer, NUMBERS_TAG);
}

static void numbers_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_sql_numbers *s = pf_sql_state(ctx, sizeof *s);
    int type = sqlite3_value_type(argv[0]);
    if (!s) {
        return;
    }
    if (type == SQLITE_NULL || type == SQLITE_BLOB || (s->type && s->type != type)) {
        sqlite3_result_error(ctx, "a list has values of one type, and neither NULL nor blobs", -1);
        return;
    }
    s->type = type;
    if (type == SQLITE_INTEGER && !PF_SQL_ROOM(pf_sql_session(ctx), s->list, s->count, s->room)) {
        sqlite3_result_error_nomem(ctx);
    } else if (type == SQLITE_INTEGER) {
        s->list[s->count++] = sqlite3_value_int64(argv[0]);
    }
}

static void numbers_final(sqlite3_context *ctx)
{
    pf_sql_result_list(ctx, NUMBERS_TAG);
}

/* The same as a blob, which a function of the session can be called with. */
static void blob_final(sqlite3_context *ctx)
{
    pf_sql_numbers *s = pf_sql_take_state(ctx);
    if (s) {
        sqlite3_result_blob64(ctx, s->list, s->count * sizeof *s->list, sqlite3_free);
    }
    sqlite3_free(s);
}

/* One that is under way. */
typedef struct search {
    const pf_sql_graph *graph;
    pf_sql_made *out;
    uint32_t *parent; /* of a node that was reached; PF_NONE: it is a start */
    uint32_t *edge;   /* of a node whose edges are followed: the next one; 1 more than it, 0: it was not reached */
} search;

static bool start_search(search *s, pf_query *q, const pf_sql_graph *g, const pf_sql_numbers *starts, const char *from)
{
    const char *names[] = {"node_id", from};
    uint64_t nodes = g->nodes;
    for (uint64_t i = 0; i < starts->count; i++) {
        uint64_t start = (uint64_t)starts->list[i];
        nodes = nodes > start ? nodes : start + 1;
    }
    *s = (search){.graph = g, .out = pf_sql_made_new(q, names, 2)};
    s->parent = s->out ? pf_sql_zeros(q, nodes, sizeof *s->parent) : NULL;
    s->edge = s->parent ? pf_sql_zeros(q, nodes, sizeof *s->edge) : NULL;
    return s->edge != NULL;
}

static bool reach(search *s, uint32_t node, uint32_t parent)
{
    uint32_t at, end;
    pf_sql_made_cell *row = pf_sql_made_row(s->out);
    if (!row) {
        return false;
    }
    pf_sql_graph_edges(s->graph, node, &at, &end);
    s->parent[node] = parent;
    s->edge[node] = at + 1;
    row[0] = pf_sql_made_int(node);
    if (parent != PF_NONE) {
        row[1] = pf_sql_made_int(parent);
    }
    return true;
}

static bool depth_first(search *s, const pf_sql_numbers *starts)
{
    for (uint64_t i = starts->count; i-- > 0;) { /* the last start comes first */
        uint32_t node = (uint32_t)starts->list[i], at, end;
        if (s->edge[node]) {
            continue;
        }
        if (!reach(s, node, PF_NONE)) {
            return false;
        }
        while (node != PF_NONE) {
            pf_sql_graph_edges(s->graph, node, &at, &end);
            at = s->edge[node] - 1;
            while (at < end && s->edge[s->graph->next[at]]) {
                at++;
            }
            s->edge[node] = at + 2;
            if (at >= end) {
                node = s->parent[node];
            } else if (!reach(s, s->graph->next[at], node)) {
                return false;
            } else {
                node = s->graph->next[at];
            }
        }
    }
    return true;
}

/* The rows that were put are the queue. */
static bool breadth_first(search *s, const pf_sql_numbers *starts)
{
    bool fine = true;
    for (uint64_t i = 0; i < starts->count && fine; i++) {
        uint32_t start = (uint32_t)starts->list[i];
        fine = s->edge[start] || reach(s, start, PF_NONE);
    }
    for (uint64_t i = 0; i < s->out->rows && fine; i++) {
        uint32_t node = (uint32_t)s->out->cell[2 * i].as.i, at, end;
        pf_sql_graph_edges(s->graph, node, &at, &end);
        for (; at < end && fine; at++) {
            fine = s->edge[s->graph->next[at]] || reach(s, s->graph->next[at], node);
        }
    }
    return fine;
}

pf_sql_made *pf_sql_search(pf_query *q, const pf_sql_graph *g, const pf_sql_numbers *starts, size_t which,
                           const char *from)
{
    static bool (*const SEARCHES[])(search *, const pf_sql_numbers *) = {depth_first, breadth_first};
    search s;
    bool fine = start_search(&s, q, g, starts, from) && SEARCHES[which](&s, starts);
    sqlite3_free(s.parent);
    sqlite3_free(s.edge);
    if (!fine) {
        pf_sql_made_free(s.out);
    }
    return fine ? s.out : NULL;
}

static void find_reachable(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const pf_sql_graph NO_EDGES;
    static const pf_sql_numbers NO_STARTS;
    const pf_sql_graph *g = pf_sql_graph_of(argv[0]);
    const pf_sql_numbers *starts = pf_sql_numbers_of(argv[1]);
    uint32_t node;
    starts = g && starts ? starts : &NO_STARTS;
    for (uint64_t i = 0; i < starts->count; i++) {
        if (!pf_sql_node(starts->list[i], &node)) {
            sqlite3_result_error(ctx, pf_sql_node_wanted, -1);
            return;
        }
    }
    pf_sql_made *found =
        pf_sql_search(pf_sql_session(ctx), g ? g : &NO_EDGES, starts, pf_sql_which(ctx), "parent_node_id");
    pf_sql_made_return(ctx, found, true);
}

int pf_sql_add_graphs(pf_query *q)
{
    static const pf_sql_call CALLS[] = {
        {"__intrinsic_graph_agg", 2, NULL, graph_step, graph_final},
        {"__intrinsic_array_agg", 1, NULL, numbers_step, numbers_final},
        {"repeatedfield", 1, NULL, numbers_step, blob_final},
        {"__intrinsic_dfs", 2, find_reachable, .which = PF_SQL_DEPTH_FIRST},
        {"__intrinsic_bfs", 2, find_reachable, .which = PF_SQL_BREADTH_FIRST},
    };
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
