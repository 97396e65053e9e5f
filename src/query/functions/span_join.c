/* query/functions/span_join.c - CREATE VIRTUAL TABLE j USING SPAN_JOIN(a [PARTITIONED p], b [PARTITIONED p]).
 *
 * A row for each span of a and each of b that overlap within a partition, from the later start to the earlier end;
 * SPAN_LEFT_JOIN also has what of a lies in gaps of b, SPAN_OUTER_JOIN that of b, too. A scan reads both tables in the
 * order of partition and time. Of a partition, the spans of each side, with the gaps between them where these count,
 * are gone through together: the one that ends first makes way for the next of its side. A span without length counts
 * as one of a nanosecond there. Where only one side has partitions the other is joined with each of them.
 */

#include "query/session/memory.h"
#include "query/session/split_sql.h"

typedef enum kind { JOIN, LEFT, OUTER, KINDS } kind;

/* One of the two tables: the columns ts, dur, the partition, and others. */
typedef struct side {
    char *select; /* ts, dur, partition, others; in order */
    char **other; /* their names */
    uint64_t others, room;
    char *partition;
    bool has_dur;
} side;

typedef struct table {
    sqlite3_vtab base;
    pf_query *q;
    kind kind;
    side side[2];
    bool reading; /* its sides */
} table;

/* A span or a gap. */
typedef struct span {
    int64_t ts, dur, partition;
    sqlite3_value **cell; /* of the other columns; NULL: a gap */
} span;

typedef struct spans {
    span *list;
    uint64_t count, room;
    uint64_t at, end; /* of the partition in work */
    span now;         /* the one in work */
    bool done;        /* there is none in the partition */
    bool gaps;        /* they count */
} spans;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    spans side[2];
    int64_t partition;
    bool eof;
    uint64_t row;
} cursor;

static void clear_side(side *s)
{
    for (uint64_t i = 0; i < s->others; i++) {
        sqlite3_free(s->other[i]);
    }
    sqlite3_free(s->other);
    sqlite3_free(s->select);
    sqlite3_free(s->partition);
}

static int table_disconnect(sqlite3_vtab *base)
{
    table *t = (table *)base;
    clear_side(&t->side[0]);
    clear_side(&t->side[1]);
    sqlite3_free(t);
    return SQLITE_OK;
}

static int refuse(char **error, char *text)
{
    sqlite3_free(*error);
    *error = text ? sqlite3_mprintf("SPAN_JOIN: %s", text) : NULL;
    sqlite3_free(text);
    return SQLITE_ERROR;
}

/* "name", or "name PARTITIONED column". */
static bool parse_side(const char *text, char **name, char **partition)
{
    pf_str sql = pf_str_of(text);
    pf_token first = pf_sql_token(sql, 0), word = pf_sql_token(sql, first.end), column = pf_sql_token(sql, word.end);
    bool alone = word.type == PF_TOKEN_END;
    if (first.type != PF_TOKEN_WORD ||
        (!alone && (!pf_sql_is(sql, word, "PARTITIONED") || column.type != PF_TOKEN_WORD ||
                    pf_sql_token(sql, column.end).type != PF_TOKEN_END))) {
        return false;
    }
    *name = sqlite3_mprintf("%.*s", (int)(first.end - first.start), text + first.start);
    *partition = alone ? NULL : sqlite3_mprintf("%.*s", (int)(column.end - column.start), text + column.start);
    return true;
}

static bool add_other(pf_query *q, side *s, const char *name)
{
    char *copy = PF_SQL_ROOM(q, s->other, s->others, s->room) ? sqlite3_mprintf("%s", name) : NULL;
    if (copy) {
        s->other[s->others++] = copy;
    }
    return copy != NULL;
}

/* The columns of a table, and the statement that reads them. */
static int describe_side(pf_query *q, side *s, const char *name, char **error)
{
    sqlite3_stmt *stmt = NULL;
    bool has_ts = false, has_partition = !s->partition, fine = true;
    char *all = sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT 0", name);
    int rc = all ? sqlite3_prepare_v2(q->db, all, -1, &stmt, NULL) : SQLITE_NOMEM;
    sqlite3_free(all);
    if (rc != SQLITE_OK) {
        return refuse(error, sqlite3_mprintf("Unknown table or view name '%s'", name));
    }
    pf_buffer others = {0};
    for (int i = 0; i < sqlite3_column_count(stmt) && fine; i++) {
        const char *column = sqlite3_column_name(stmt, i);
        bool is_ts = sqlite3_stricmp(column, "ts") == 0, is_dur = sqlite3_stricmp(column, "dur") == 0;
        bool is_partition = s->partition && sqlite3_stricmp(column, s->partition) == 0;
        has_ts |= is_ts;
        s->has_dur |= is_dur;
        has_partition |= is_partition;
        if (!is_ts && !is_dur && !is_partition) {
            fine = add_other(q, s, column);
            pf_buffer_text(&others, ", ");
            pf_buffer_quoted(&others, pf_str_of(column), '"');
        }
    }
    sqlite3_finalize(stmt);
    pf_buffer_put(&others, "", 1);
    if (fine && !others.failed) {
        const char *p = s->partition;
        s->select = sqlite3_mprintf("SELECT ts, %s, %s%w%s%s FROM \"%w\"%s%w%s ORDER BY 3, 1", s->has_dur ? "dur" : "0",
                                    p ? "\"" : "", p ? p : "0", p ? "\"" : "", others.data, name, p ? " WHERE \"" : "",
                                    p ? p : "", p ? "\" IS NOT NULL" : "");
    }
    pf_buffer_free(&others);
    if (!has_ts || !has_partition) {
        return refuse(error, sqlite3_mprintf("Missing %s column in table %s", has_ts ? s->partition : "ts", name));
    }
    return s->select ? SQLITE_OK : SQLITE_NOMEM;
}

static int check_sides(const table *t, char *const *name, char **error)
{
    const side *a = &t->side[0], *b = &t->side[1];
    if (!a->has_dur && !b->has_dur) {
        return refuse(
            error, sqlite3_mprintf("column dur must be present in at least one of tables %s and %s", name[0], name[1]));
    }
    if (a->partition && b->partition && sqlite3_stricmp(a->partition, b->partition) != 0) {
        return refuse(error, sqlite3_mprintf("mismatching partitions between the two tables; %s and %s", a->partition,
                                             b->partition));
    }
    for (uint64_t i = 0; i < a->others; i++) {
        for (uint64_t k = 0; k < b->others; k++) {
            if (sqlite3_stricmp(a->other[i], b->other[k]) == 0) {
                return refuse(error, sqlite3_mprintf("column %s present in both tables %s and %s", a->other[i], name[0],
                                                     name[1]));
            }
        }
    }
    return SQLITE_OK;
}

static const char *partition_of(const table *t)
{
    return t->side[0].partition ? t->side[0].partition : t->side[1].partition;
}

static int declare(sqlite3 *db, const table *t)
{
    pf_buffer sql = {0};
    pf_buffer_text(&sql, "CREATE TABLE x(ts INTEGER, dur INTEGER");
    if (partition_of(t)) {
        pf_buffer_text(&sql, ",");
        pf_buffer_quoted(&sql, pf_str_of(partition_of(t)), '"');
        pf_buffer_text(&sql, " INTEGER");
    }
    for (unsigned i = 0; i < 2; i++) {
        for (uint64_t k = 0; k < t->side[i].others; k++) {
            pf_buffer_text(&sql, ",");
            pf_buffer_quoted(&sql, pf_str_of(t->side[i].other[k]), '"');
        }
    }
    pf_buffer_text(&sql, ")");
    pf_buffer_put(&sql, "", 1);
    int rc = sql.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, sql.data);
    pf_buffer_free(&sql);
    return rc;
}

static int make_table(sqlite3 *db, table *t, const char *const *argument, char **error)
{
    char *name[2] = {NULL, NULL};
    int rc = SQLITE_OK;
    for (unsigned i = 0; i < 2 && rc == SQLITE_OK; i++) {
        rc = !parse_side(argument[i], &name[i], &t->side[i].partition) ? refuse(error, sqlite3_mprintf("Invalid token"))
             : !name[i]                                                ? SQLITE_NOMEM
                        : describe_side(t->q, &t->side[i], name[i], error);
    }
    rc = rc == SQLITE_OK ? check_sides(t, name, error) : rc;
    sqlite3_free(name[0]);
    sqlite3_free(name[1]);
    return rc == SQLITE_OK ? declare(db, t) : rc;
}

static int table_connect(sqlite3 *db, void *q, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
    static const char *const NAMES[KINDS] = {"SPAN_JOIN", "SPAN_LEFT_JOIN", "SPAN_OUTER_JOIN"};
    if (argc != 5) {
        return refuse(error, sqlite3_mprintf("expected exactly two arguments"));
    }
    table *t = sqlite3_malloc(sizeof *t);
    if (!t) {
        return SQLITE_NOMEM;
    }
    *t = (table){.q = q};
    while (t->kind + 1 < KINDS && sqlite3_stricmp(argv[0], NAMES[t->kind]) != 0) {
        t->kind++;
    }
    int rc = make_table(db, t, argv + 3, error);
    if (rc != SQLITE_OK) {
        table_disconnect(&t->base);
        return rc;
    }
    *out = &t->base;
    return SQLITE_OK;
}

static int table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    info->estimatedCost = 1e6;
    info->estimatedRows = 100000;
    return SQLITE_OK;
}

static void clear_spans(spans *s, uint64_t others)
{
    for (uint64_t i = 0; i < s->count; i++) {
        for (uint64_t k = 0; k < others; k++) {
            sqlite3_value_free(s->list[i].cell[k]);
        }
        sqlite3_free(s->list[i].cell);
    }
    sqlite3_free(s->list);
    *s = (spans){0};
}

static int take_row(table *t, spans *s, const side *from, sqlite3_stmt *stmt)
{
    if (from->partition && sqlite3_column_type(stmt, 2) != SQLITE_INTEGER) {
        return refuse(&t->base.zErrMsg, sqlite3_mprintf("partition is not an INT column"));
    }
    sqlite3_value **cell = PF_SQL_ROOM(t->q, s->list, s->count, s->room)
                               ? sqlite3_malloc64((from->others + 1) * sizeof(sqlite3_value *))
                               : NULL;
    if (!cell) {
        return SQLITE_NOMEM;
    }
    for (uint64_t i = 0; i < from->others; i++) {
        cell[i] = sqlite3_value_dup(sqlite3_column_value(stmt, (int)(3 + i)));
    }
    s->list[s->count++] =
        (span){sqlite3_column_int64(stmt, 0), sqlite3_column_int64(stmt, 1), sqlite3_column_int64(stmt, 2), cell};
    return SQLITE_OK;
}

static int read_side(table *t, spans *s, const side *from)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(t->q->db, from->select, -1, &stmt, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        rc = take_row(t, s, from, stmt);
    }
    if (rc != SQLITE_DONE && !t->base.zErrMsg) {
        t->base.zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(t->q->db));
    }
    sqlite3_finalize(stmt);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Where a span ends for those that are beside it. */
static int64_t end_of(const span *s)
{
    return s->dur == 0 ? s->ts + 1 : (int64_t)((uint64_t)s->ts + (uint64_t)s->dur);
}

/* Goes on to the span or gap that begins at `from`, where the one before ended. */
static void take_next(spans *s, int64_t from, bool first)
{
    bool more = s->at < s->end;
    const span *next = more ? &s->list[s->at] : NULL;
    if (s->gaps && (first || from != INT64_MAX) && (!more || next->ts > from)) {
        int64_t end = more ? next->ts : INT64_MAX;
        s->now = (span){from, (int64_t)((uint64_t)end - (uint64_t)from), 0, NULL};
        return;
    }
    s->done = !more;
    if (more) {
        s->now = *next;
        s->at++;
    }
}

/* The spans of a side in a partition: all where it has none of its own. */
static void begin_side(spans *s, bool partitioned, int64_t partition)
{
    if (!partitioned) {
        s->at = 0;
    }
    s->end = partitioned ? s->at : s->count;
    while (s->end < s->count && s->list[s->end].partition == partition) {
        s->end++;
    }
    s->done = false;
    take_next(s, INT64_MIN / 2, true);
}

/* The least partition that is left on a side; false: none is. */
static bool next_of(const spans *s, bool partitioned, int64_t *partition)
{
    bool more = partitioned && s->end < s->count;
    if (more) {
        *partition = s->list[s->end].partition;
    }
    return more;
}

/* Begins the next partition; false if there is none. */
static bool begin_partition(const table *t, cursor *c)
{
    int64_t of[2] = {0, 0};
    bool parts[2] = {t->side[0].partition != NULL, t->side[1].partition != NULL}, more[2];
    for (unsigned i = 0; i < 2; i++) {
        c->side[i].at = c->side[i].end;
        more[i] = next_of(&c->side[i], parts[i], &of[i]);
    }
    if (!more[0] && !more[1]) {
        return false;
    }
    c->partition = !more[1] || (more[0] && of[0] <= of[1]) ? of[0] : of[1];
    for (unsigned i = 0; i < 2; i++) {
        begin_side(&c->side[i], parts[i], c->partition);
    }
    return true;
}

static bool overlap(const span *a, const span *b)
{
    return a->ts == b->ts || (a->ts < b->ts ? b->ts < end_of(a) : a->ts < end_of(b));
}

/* The side that ends first makes way. */
static void advance(cursor *c)
{
    const span *a = &c->side[0].now, *b = &c->side[1].now;
    bool equal = end_of(a) == end_of(b);
    unsigned first = equal ? (a->cell && !b->cell) : end_of(a) > end_of(b);
    const span *last = &c->side[first].now;
    take_next(&c->side[first], (int64_t)((uint64_t)last->ts + (uint64_t)last->dur), false);
}

/* Goes on until a pair counts. */
static void find_pair(const table *t, cursor *c)
{
    spans *a = &c->side[0], *b = &c->side[1];
    for (;;) {
        while (a->done || b->done) {
            if (!partition_of(t) || !begin_partition(t, c)) {
                c->eof = true;
                return;
            }
        }
        if ((a->now.cell || b->now.cell) && overlap(&a->now, &b->now)) {
            return;
        }
        advance(c);
    }
}

PF_SQL_OPEN(cursor_open, cursor, .eof = false);

static void clear(cursor *c)
{
    const table *t = (const table *)c->base.pVtab;
    clear_spans(&c->side[0], t->side[0].others);
    clear_spans(&c->side[1], t->side[1].others);
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
    clear((cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
    cursor *c = (cursor *)base;
    table *t = (table *)base->pVtab;
    clear(c);
    c->eof = false;
    c->row = 0;
    if (t->reading) { /* a view that has taken the place of a side reads this table */
        return refuse(&base->pVtab->zErrMsg, sqlite3_mprintf("this table joins itself"));
    }
    t->reading = true;
    int rc = read_side(t, &c->side[0], &t->side[0]);
    rc = rc == SQLITE_OK ? read_side(t, &c->side[1], &t->side[1]) : rc;
    t->reading = false;
    if (rc != SQLITE_OK) {
        return rc;
    }
    c->side[0].gaps = t->kind == OUTER;
    c->side[1].gaps = t->kind != JOIN;
    if (partition_of(t)) {
        c->side[0].done = true;
    } else {
        begin_side(&c->side[0], false, 0);
        begin_side(&c->side[1], false, 0);
    }
    find_pair(t, c);
    return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;
    c->row++;
    advance(c);
    find_pair((const table *)base->pVtab, c);
    return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
    return ((cursor *)base)->eof;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((cursor *)base)->row;
    return SQLITE_OK;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int i)
{
    const cursor *c = (const cursor *)base;
    const table *t = (const table *)base->pVtab;
    const span *a = &c->side[0].now, *b = &c->side[1].now;
    int64_t ts = a->ts > b->ts ? a->ts : b->ts;
    uint64_t ends[2] = {(uint64_t)a->ts + (uint64_t)a->dur, (uint64_t)b->ts + (uint64_t)b->dur};
    int first = partition_of(t) ? 3 : 2;
    if (i == 0) {
        sqlite3_result_int64(ctx, ts);
    } else if (i == 1) {
        int64_t end = (int64_t)ends[0] < (int64_t)ends[1] ? (int64_t)ends[0] : (int64_t)ends[1];
        sqlite3_result_int64(ctx, (int64_t)((uint64_t)end - (uint64_t)ts));
    } else if (i < first) {
        sqlite3_result_int64(ctx, c->partition);
    } else {
        uint64_t k = (uint64_t)(i - first);
        bool of_b = k >= t->side[0].others;
        const span *s = of_b ? b : a;
        if (s->cell && s->cell[k - (of_b ? t->side[0].others : 0)]) {
            sqlite3_result_value(ctx, s->cell[k - (of_b ? t->side[0].others : 0)]);
        }
    }
    return SQLITE_OK;
}

int pf_sql_add_span_joins(pf_query *q)
{
    static const sqlite3_module MODULE = PF_SQL_MODULE(table, cursor, table_connect, table_disconnect, NULL);
    int rc = sqlite3_create_module(q->db, "SPAN_JOIN", &MODULE, q);
    rc = rc == SQLITE_OK ? sqlite3_create_module(q->db, "SPAN_LEFT_JOIN", &MODULE, q) : rc;
    return rc == SQLITE_OK ? sqlite3_create_module(q->db, "SPAN_OUTER_JOIN", &MODULE, q) : rc;
}
