/* query/graphs/graph.h - directed graphs and lists of nodes, which aggregates make and functions go through.
 *
 * Nodes are numbers from 0 on. They should be small: an array has an entry for each up to the largest. */
#pragma once

#include "query/functions/made_table.h"
#include "query/session/memory.h"

typedef struct pf_sql_edge {
    uint32_t from, to;
} pf_sql_edge;

typedef struct pf_sql_graph {
    pf_query *q;
    pf_sql_edge *edge; /* in the order of the rows */
    uint64_t edges, room;
    uint32_t nodes;  /* one more than the largest */
    uint32_t *first; /* of a node: where its edges begin in `next`; `nodes` + 1 of them */
    uint32_t *next;
} pf_sql_graph;

/* Which node a number is; false: none. */
bool pf_sql_node(int64_t number, uint32_t *node);

/* Adds an edge, or with `edge` false the node `from` only; false: no memory. */
bool pf_sql_graph_add(pf_sql_graph *g, uint32_t from, uint32_t to, bool edge);

/* Arranges the edges by their first nodes; those of a node stay in the order of the rows. False: no memory. */
bool pf_sql_graph_arrange(pf_sql_graph *g);
void pf_sql_graph_clear(pf_sql_graph *g);

/* The graph of __intrinsic_graph_agg, NULL where it had no rows. */
const pf_sql_graph *pf_sql_graph_of(sqlite3_value *pointer);

/* The edges of a node are next[*at] up to next[*end]; a node that the graph lacks has none. */
static inline void pf_sql_graph_edges(const pf_sql_graph *g, uint32_t node, uint32_t *at, uint32_t *end)
{
    bool has = g && node < g->nodes;
    *at = has ? g->first[node] : 0;
    *end = has ? g->first[node + 1] : 0;
}

/* A list of nodes from __intrinsic_array_agg, NULL where it had no rows. */
typedef struct pf_sql_numbers {
    int64_t *list;
    uint64_t count, room;
    int type; /* SQLite's, of all values; only integers are kept */
} pf_sql_numbers;
const pf_sql_numbers *pf_sql_numbers_of(sqlite3_value *pointer);

extern const char pf_sql_node_wanted[];

/* A table of node_id and `from`: what can be reached from the starts, which are nodes, in the order of the search, and
 * from whom. NULL: no memory. */
enum { PF_SQL_DEPTH_FIRST, PF_SQL_BREADTH_FIRST };
pf_sql_made *pf_sql_search(pf_query *q, const pf_sql_graph *g, const pf_sql_numbers *starts, size_t which,
                           const char *from);
