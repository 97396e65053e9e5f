/* query/graphs/critical_path.c - whom a thread waited for.
 *
 *     __intrinsic_wakeup_graph_agg(id, utid, ts, dur, idle_dur, waker_id, prev_id)
 *     __intrinsic_critical_path_walk(graph, roots)
 *
 * A node is a time in which a thread ran, with the wait that came before it: it waited from ts - idle_dur to ts and ran
 * to ts + dur. Of a root the whole time is explained: what it ran is its own, what it waited is asked of the node that
 * woke it, one level deeper, and what lies before that node's wait of the thread's node before it. Questions go to
 * earlier nodes only, so they end.
 */
#include "query/graphs/graph.h"

#define TAG "WAKEUP_GRAPH"

enum { NODE_HAS_IDLE = 1, NODE_EXISTS = 2 };

typedef struct node {
    int64_t ts, end, idle;
    uint32_t utid, waker, prev; /* PF_NONE: none */
    unsigned flags;
} node;

typedef struct wakeups {
    node *node; /* by id */
    uint64_t count;
} wakeups;

/* An id, or none. */
static bool read_id(sqlite3_value *v, uint32_t *id)
{
    bool none = sqlite3_value_type(v) == SQLITE_NULL;
    bool fine = none || pf_sql_node(sqlite3_value_int64(v), id);
    *id = none ? PF_NONE : *id;
    return fine;
}

static bool make_room(pf_query *q, wakeups *g, uint32_t id)
{
    uint64_t wanted = g->count ? g->count : 16;
    while (wanted <= id) {
        wanted *= 2;
    }
    node *larger = wanted > g->count ? pf_sql_zeros(q, wanted, sizeof *larger) : g->node;
    for (uint64_t i = 0; larger && larger != g->node && i < g->count; i++) {
        larger[i] = g->node[i];
    }
    if (larger && larger != g->node) {
        sqlite3_free(g->node);
        *g = (wakeups){larger, wanted};
    }
    return larger != NULL;
}

static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void wakeups_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    wakeups *g = pf_sql_state(ctx, sizeof *g);
    uint32_t id = PF_NONE;
    if (!g) {
        return;
    }
    node n = {.utid = (uint32_t)sqlite3_value_int64(argv[1]), .ts = sqlite3_value_int64(argv[2]), .flags = NODE_EXISTS};
    n.end = (int64_t)((uint64_t)n.ts + (uint64_t)sqlite3_value_int64(argv[3]));
    n.idle = minus(n.ts, sqlite3_value_int64(argv[4]));
    n.flags |= sqlite3_value_type(argv[4]) == SQLITE_NULL ? 0 : NODE_HAS_IDLE;
    if (!pf_sql_node(sqlite3_value_int64(argv[0]), &id) || !read_id(argv[5], &n.waker) || !read_id(argv[6], &n.prev)) {
        sqlite3_result_error(ctx, pf_sql_node_wanted, -1);
    } else if (!make_room(pf_sql_session(ctx), g, id)) {
        sqlite3_result_error_nomem(ctx);
    } else {
        g->node[id] = n;
    }
}

static void wakeups_final(sqlite3_context *ctx)
{
    pf_sql_result_list(ctx, TAG);
}

/* Time that is to be explained by a node. */
typedef struct question {
    int64_t start, end;
    uint32_t id, depth;
} question;

typedef struct walk {
    const wakeups *graph;
    pf_sql_made *out;
    question *open;
    uint64_t count, room, steps;
    uint32_t root;
} walk;

static const node *node_of(const walk *w, uint32_t id)
{
    const node *n = id < w->graph->count ? &w->graph->node[id] : NULL;
    return n && n->flags ? n : NULL;
}

/* Of a later node nothing is asked. */
static bool ask(walk *w, const question *by, uint32_t id, int64_t start, int64_t end, uint32_t depth)
{
    const node *asked = node_of(w, id), *n = node_of(w, by->id);
    if (!asked || start >= end || asked->ts > n->ts || (asked->ts == n->ts && id >= by->id)) {
        return true;
    }
    bool fine = PF_SQL_ROOM(w->out->q, w->open, w->count, w->room);
    if (fine) {
        w->open[w->count++] = (question){start, end, id, depth};
    }
    return fine;
}

static bool put(const walk *w, const question *of, int64_t start, int64_t end)
{
    const int64_t values[] = {w->root, of->depth, start, minus(end, start), of->id, node_of(w, of->id)->utid, w->root};
    pf_sql_made_cell *row = pf_sql_made_row(w->out);
    for (unsigned i = 0; row && i < sizeof values / sizeof *values; i++) {
        row[i] = pf_sql_made_int(values[i]);
    }
    return row != NULL;
}

static bool explain(walk *w, const question *of)
{
    const node *n = node_of(w, of->id);
    bool has_idle = n->flags & NODE_HAS_IDLE;
    int64_t idle = has_idle ? n->idle : of->start;
    int64_t start = of->start > idle ? of->start : idle, end = of->end < n->end ? of->end : n->end;
    if (has_idle && of->start < idle && !ask(w, of, n->prev, of->start, of->end < idle ? of->end : idle, of->depth)) {
        return false;
    }
    int64_t wait_end = end < n->ts ? end : n->ts, run = start > n->ts ? start : n->ts;
    if (start < wait_end) {
        bool own = n->waker == PF_NONE && n->prev != PF_NONE;
        if (!(own ? put(w, of, start, wait_end) : ask(w, of, n->waker, start, wait_end, of->depth + 1))) {
            return false;
        }
    }
    return run >= end || start >= end || put(w, of, run, end);
}

static bool walk_root(walk *w, uint32_t root)
{
    const node *n = node_of(w, root);
    if (!n) {
        return true;
    }
    question first = {n->flags & NODE_HAS_IDLE ? n->idle : n->ts, n->end, root, 0};
    bool fine = PF_SQL_ROOM(w->out->q, w->open, 0, w->room) && pf_sql_affords(w->out->q, 0);
    w->root = root;
    if (fine && first.start < first.end) {
        w->open[w->count++] = first;
    }
    while (fine && w->count) {
        question next = w->open[--w->count];
        fine = explain(w, &next) && (++w->steps % 65536 != 0 || pf_sql_affords(w->out->q, 0));
    }
    return fine;
}

static void critical_path_walk(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const NAMES[] = {"root_id", "depth", "ts", "dur", "blocker_id", "blocker_utid", "parent_id"};
    const pf_sql_numbers *roots = pf_sql_numbers_of(argv[1]);
    walk w = {.graph = sqlite3_value_pointer(argv[0], TAG), .out = pf_sql_made_new(pf_sql_session(ctx), NAMES, 7)};
    bool fine = w.out != NULL;
    uint32_t root;
    for (uint64_t i = 0; fine && w.graph && roots && i < roots->count; i++) {
        fine = !pf_sql_node(roots->list[i], &root) || walk_root(&w, root);
    }
    sqlite3_free(w.open);
    pf_sql_made_return(ctx, w.out, fine);
}

int pf_sql_add_critical_path(pf_query *q)
{
    static const pf_sql_call CALLS[] = {{"__intrinsic_wakeup_graph_agg", 7, NULL, wakeups_step, wakeups_final},
                                        {"__intrinsic_critical_path_walk", 2, critical_path_walk}};
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
