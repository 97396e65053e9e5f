/* query/graphs/scans.c - values that a statement carries along the edges of a graph.
 *
 *     __intrinsic_row_dataframe_agg('id', id, 'v', v, ...)            the rows at the start
 *     __intrinsic_graph_scan(graph, rows, 'SQL', '(v, ...)')
 *     __intrinsic_graph_aggregating_scan(graph, rows, 'SQL', '(v, ...)')
 *
 * Each row goes along the edges of its node: its values, under the ids of the nodes there, are rows of $table, which
 * the statement reads. What it answers are further rows, which go on in the same way. A scan takes one step at a time
 * and ends when no row goes on. An aggregating scan asks the statement about a node only when all rows have arrived
 * there: nodes are taken by the length of the longest way that is ahead of them, the longest first.
 */
#include <stdio.h>
#include <string.h>

#include "query/define/define.h"
#include "query/graphs/graph.h"
#include "query/session/split_sql.h"

#define ROWS_TAG "ROW_DATAFRAME"

static void rows_final(sqlite3_context *ctx)
{
    sqlite3_result_pointer(ctx, pf_sql_take_state(ctx), ROWS_TAG, pf_sql_made_free);
}

typedef struct scan {
    pf_query *q;
    sqlite3_stmt *step;
    const pf_sql_graph *graph;
    pf_sql_made *out;
    uint32_t *ahead;       /* of an aggregating scan: how long the ways from a node are */
    pf_sql_made **waiting; /* rows that go on, by that number; a scan has one list; a NULL is an empty one */
    uint64_t lists;
    char problem[256]; /* what is wrong; empty: memory */
} scan;

static bool fail(scan *s, const char *what)
{
    snprintf(s->problem, sizeof s->problem, "graph_scan: %.200s", what);
    return false;
}

static pf_sql_made *new_rows(const scan *s)
{
    return pf_sql_made_new(s->q, (const char *const *)s->out->name, s->out->columns);
}

static bool put(pf_sql_made *to, uint32_t id, const pf_sql_made_cell *values)
{
    pf_sql_made_cell *row = to ? pf_sql_made_row(to) : NULL;
    if (!row) {
        return false;
    }
    row[0] = pf_sql_made_int(id);
    for (unsigned i = 1; i < to->columns; i++) {
        row[i] = values[i];
        if (row[i].type == SQLITE_TEXT && !(row[i].as.text = pf_sql_made_text(to, values[i].as.text))) {
            return false;
        }
    }
    return true;
}

/* A row is an answer, and goes on. */
static bool pass_on(scan *s, const pf_sql_made_cell *values)
{
    uint32_t id, at, end;
    if (values[0].type != SQLITE_INTEGER || !pf_sql_node(values[0].as.i, &id)) {
        return fail(s, pf_sql_node_wanted);
    }
    bool fine = put(s->out, id, values);
    pf_sql_graph_edges(s->graph, id, &at, &end);
    for (; at < end && fine; at++) {
        uint32_t next = s->graph->next[at];
        pf_sql_made **list = &s->waiting[s->ahead ? s->ahead[next] : 0];
        *list = *list ? *list : new_rows(s);
        fine = put(*list, next, values);
    }
    return fine;
}

/* What $table stands for. */
static void put_table(pf_buffer *sql, const pf_sql_made *rows)
{
    pf_buffer_text(sql, "(SELECT ");
    for (unsigned i = 0; i < rows->columns; i++) {
        pf_buffer_format(sql, "%sc%u AS ", i ? ", " : "", i);
        pf_buffer_quoted(sql, pf_str_of(rows->name[i]), '"');
    }
    pf_buffer_text(sql, " FROM __intrinsic_table_ptr($var) WHERE ");
    for (unsigned i = 0; i < rows->columns; i++) {
        pf_buffer_format(sql, "%s__intrinsic_table_ptr_bind(c%u, ", i ? " AND " : "", i);
        pf_buffer_quoted(sql, pf_str_of(rows->name[i]), '\'');
        pf_buffer_text(sql, ")");
    }
    pf_buffer_text(sql, ")");
}

static void put_statement(pf_buffer *sql, const pf_sql_made *rows, pf_str text)
{
    static const pf_str TABLE = {"$table", 6};
    pf_buffer_text(sql, "SELECT * FROM ");
    for (size_t found = pf_str_find(text, TABLE); found < text.len; found = pf_str_find(text, TABLE)) {
        pf_buffer_put(sql, text.ptr, found);
        put_table(sql, rows);
        text = pf_str_from(text, found + TABLE.len);
    }
    pf_buffer_put(sql, text.ptr, text.len);
}

static bool compile(scan *s, pf_str text)
{
    pf_buffer sql = {0}, whole = {0};
    pf_sql_expansion expansion;
    pf_error err = {0};
    put_statement(&sql, s->out, text);
    pf_sql_text from = {.text = {sql.data, sql.len}};
    bool fine = !sql.failed && (pf_sql_expand(s->q, &from, &expansion, &err) == PF_OK || fail(s, err.text));
    if (fine) {
        pf_buffer_put(&whole, from.text.ptr, from.text.len);
        pf_buffer_put(&whole, "", 1);
        fine = !whole.failed &&
               (pf_sql_prepare(s->q, whole.data, &s->step) == SQLITE_OK || fail(s, sqlite3_errmsg(s->q->db)));
    }
    if (!sql.failed) {
        pf_sql_expansion_free(&expansion);
    }
    pf_buffer_free(&whole);
    pf_buffer_free(&sql);
    return fine;
}

static bool check_columns(scan *s)
{
    unsigned count = (unsigned)sqlite3_column_count(s->step);
    bool same = count == s->out->columns;
    for (unsigned i = 0; i < count && same; i++) {
        same = strcmp(sqlite3_column_name(s->step, (int)i), s->out->name[i]) == 0;
    }
    return same || fail(s, "the statement has other columns than the rows at the start");
}

/* The values live until the next step. */
static bool read_row(scan *s, pf_sql_made_cell *values)
{
    for (unsigned i = 0; i < s->out->columns; i++) {
        values[i] = (pf_sql_made_cell){sqlite3_column_type(s->step, (int)i), {0}};
        if (values[i].type == SQLITE_BLOB) {
            return fail(s, "a column cannot have blobs");
        }
        if (values[i].type == SQLITE_INTEGER) {
            values[i].as.i = sqlite3_column_int64(s->step, (int)i);
        } else if (values[i].type == SQLITE_FLOAT) {
            values[i].as.d = sqlite3_column_double(s->step, (int)i);
        } else if (values[i].type == SQLITE_TEXT) {
            values[i].as.text = (const char *)sqlite3_column_text(s->step, (int)i);
        }
    }
    return true;
}

/* What the statement makes of the rows of a list. */
static bool answer(scan *s, uint64_t list)
{
    pf_sql_made_cell values[PF_SQL_MADE_COLUMNS] = {{0}};
    pf_sql_made *rows = s->waiting[list] ? s->waiting[list] : new_rows(s);
    s->waiting[list] = NULL;
    if (!rows || !pf_sql_affords(s->q, 0)) {
        pf_sql_made_free(rows);
        return false;
    }
    sqlite3_reset(s->step);
    int rc = sqlite3_bind_pointer(s->step, 1, rows, pf_sql_made_tag, pf_sql_made_free);
    bool fine = rc == SQLITE_OK || fail(s, "the statement does not read $table");
    while (fine && (rc = sqlite3_step(s->step)) == SQLITE_ROW) {
        fine = read_row(s, values) && pass_on(s, values);
    }
    return fine && (rc == SQLITE_DONE || fail(s, sqlite3_errmsg(s->q->db)));
}

/* A depth-first search that also sees when it leaves a node. */
typedef struct depths {
    const pf_sql_graph *graph;
    uint32_t *ahead, *parent;
    uint32_t *step; /* 0: not reached, PF_NONE: left, else how many of its edges have been followed, and 1 */
} depths;

static void enter(depths *d, uint32_t node, uint32_t parent)
{
    d->step[node] = 1;
    d->parent[node] = parent;
}

/* A way that leads back into itself has no length: false. */
static bool measure(depths *d, uint32_t start)
{
    enter(d, start, PF_NONE);
    for (uint32_t node = start; node != PF_NONE;) {
        uint32_t at, end, parent = d->parent[node];
        pf_sql_graph_edges(d->graph, node, &at, &end);
        at += d->step[node] - 1;
        if (at == end) {
            d->step[node] = PF_NONE;
            if (parent != PF_NONE && d->ahead[parent] <= d->ahead[node]) {
                d->ahead[parent] = d->ahead[node] + 1;
            }
            node = parent;
            continue;
        }
        uint32_t next = d->graph->next[at];
        d->step[node]++;
        if (d->step[next] == 0) {
            enter(d, next, node);
            node = next;
        } else if (d->step[next] != PF_NONE) {
            return false;
        } else if (d->ahead[node] <= d->ahead[next]) {
            d->ahead[node] = d->ahead[next] + 1;
        }
    }
    return true;
}

/* Of all nodes that the rows at the start lead to. */
static bool measure_all(scan *s, const pf_sql_made *start)
{
    depths d = {.graph = s->graph};
    bool fine = true;
    d.ahead = s->ahead = pf_sql_zeros(s->q, s->graph->nodes, sizeof *s->ahead);
    d.parent = d.ahead ? pf_sql_zeros(s->q, s->graph->nodes, sizeof *d.parent) : NULL;
    d.step = d.parent ? pf_sql_zeros(s->q, s->graph->nodes, sizeof *d.step) : NULL;
    for (uint64_t i = 0; d.step && fine && i < start->rows; i++) {
        uint32_t id, at = 0, end = 0;
        if (pf_sql_node(start->cell[i * start->columns].as.i, &id)) {
            pf_sql_graph_edges(s->graph, id, &at, &end);
        }
        for (; at < end && fine; at++) {
            uint32_t next = s->graph->next[at];
            fine = d.step[next] || measure(&d, next) || fail(s, "the graph has a circle, in which no node is the last");
            s->lists = s->lists > d.ahead[next] ? s->lists : (uint64_t)d.ahead[next] + 1;
        }
    }
    fine = fine && d.step;
    sqlite3_free(d.parent);
    sqlite3_free(d.step);
    return fine;
}

static bool start_names(scan *s, const pf_sql_made *start, sqlite3_value *columns)
{
    static const char *const ID[] = {"id"};
    s->out = pf_sql_made_new(s->q, ID, 1);
    if (!s->out || !pf_sql_made_name_columns(s->out, columns)) {
        return false;
    }
    bool same = !start || start->columns == s->out->columns;
    for (unsigned i = 0; start && same && i < start->columns; i++) {
        same = strcmp(start->name[i], s->out->name[i]) == 0;
    }
    return same || fail(s, "the list of columns names others than the rows at the start have after id");
}

static bool run(scan *s, const pf_sql_made *start, pf_str text, bool aggregating)
{
    s->lists = 1;
    if (aggregating && !measure_all(s, start)) {
        return false;
    }
    s->waiting = pf_sql_zeros(s->q, s->lists, sizeof(pf_sql_made *));
    bool fine = s->waiting && compile(s, text) && check_columns(s);
    for (uint64_t i = 0; i < start->rows && fine; i++) {
        fine = pass_on(s, &start->cell[i * start->columns]);
    }
    if (aggregating) {
        for (uint64_t i = s->lists; i-- > 0 && fine;) {
            fine = answer(s, i);
        }
    }
    while (!aggregating && fine && s->waiting[0]) {
        fine = answer(s, 0);
    }
    return fine;
}

static void graph_scan(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const pf_sql_graph NO_EDGES;
    const pf_sql_graph *graph = pf_sql_graph_of(argv[0]);
    const pf_sql_made *start = sqlite3_value_pointer(argv[1], ROWS_TAG);
    scan s = {.q = pf_sql_session(ctx), .graph = graph ? graph : &NO_EDGES};
    bool fine = start_names(&s, start, argv[3]);
    fine = fine && (!start || run(&s, start, pf_sql_text_of(argv[2]), pf_sql_which(ctx)));
    if (!fine && *s.problem) {
        sqlite3_result_error(ctx, s.problem, -1);
        pf_sql_made_free(s.out);
    } else {
        pf_sql_made_return(ctx, s.out, fine);
    }
    for (uint64_t i = 0; s.waiting && i < s.lists; i++) {
        pf_sql_made_free(s.waiting[i]);
    }
    sqlite3_free(s.waiting);
    sqlite3_free(s.ahead);
    sqlite3_finalize(s.step);
}

int pf_sql_add_scans(pf_query *q)
{
    static const pf_sql_call CALLS[] = {
        {"__intrinsic_row_dataframe_agg", -1, NULL, pf_sql_made_step, rows_final},
        {"__intrinsic_graph_scan", 4, graph_scan},
        {"__intrinsic_graph_aggregating_scan", 4, graph_scan, .which = true},
    };
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
