/* query/functions/interval_tables.c - which intervals of several tables overlap, partition by partition.
 *
 *     __intrinsic_interval_tree_intervals_agg(id, ts, dur[, 'name', value]...)   rows of a table, in the order of time
 *     __intrinsic_interval_intersect(rows, ..., '(name, ...)')                   tuples of rows that overlap
 *     __intrinsic_timestamp_set_agg(ts), __intrinsic_interval_create(starts, ends)
 *
 * The rows of each table are sorted by partition, stably. For a partition that all tables have, tuples are made table
 * by table: those of the first tables and the rows of the next one are gone through together in the order of time, and
 * each meets those of the other kind that have begun and not ended. Whoever is met and has ended is dropped, so the
 * work is that of sorting and of the results. Intervals are half open; one without length is met where it is.
 */
#include <stdlib.h>
#include <string.h>

#include "query/functions/made_table.h"
#include "query/session/memory.h"

enum { TABLES_MAX = 15, PARTS_MAX = 4 };

#define TAG "POSTFETTO_INTERVALS"
#define TIMES_TAG "POSTFETTO_TIMES"

typedef struct interval {
    int64_t ts, end; /* ts: an instant */
    uint32_t id;
    uint32_t number; /* of the row, and of its partition values; of the tuple */
} interval;

typedef struct intervals {
    uint64_t count, room;
    interval *row;
    unsigned parts;
    pf_sql_made *values; /* the partition of each row, NULL without parts */
} intervals;

static void free_intervals(void *list)
{
    intervals *s = list;
    if (s) {
        pf_sql_made_free(s->values);
        sqlite3_free(s->row);
    }
    sqlite3_free(s);
}

/* What is wrong with a row, NULL if nothing is; "" for memory. */
static const char *add_row(pf_query *q, intervals *s, int argc, sqlite3_value **argv)
{
    if (argc < 3 || (argc - 3) % 2 || argc > 3 + 2 * PARTS_MAX) {
        return "expected id, ts, dur, and up to four names with values";
    }
    int64_t ts = sqlite3_value_int64(argv[1]), dur = sqlite3_value_int64(argv[2]);
    if (dur < 0 || ts < 0) {
        return dur < 0 ? "Interval intersect only works on intervals with non negative duration."
                       : "Interval intersect only works on times that are not negative.";
    }
    if (s->count && ts < s->row[s->count - 1].ts) {
        return "Interval intersect requires intervals to be sorted by ts.";
    }
    if (s->count == UINT32_MAX || !PF_SQL_ROOM(q, s->row, s->count, s->room)) {
        return "";
    }
    s->row[s->count] = (interval){ts, ts > INT64_MAX - dur ? INT64_MAX : ts + dur,
                                  (uint32_t)sqlite3_value_int64(argv[0]), (uint32_t)s->count};
    s->count++;
    return NULL;
}

static const char *add_parts(pf_query *q, intervals *s, int argc, sqlite3_value **argv)
{
    unsigned parts = (unsigned)(argc - 3) / 2;
    if (parts == 0) {
        return NULL;
    }
    if (!s->values) {
        s->values = pf_sql_made_new(q, NULL, 0);
        for (unsigned i = 0; s->values && i < parts; i++) {
            const char *name = (const char *)sqlite3_value_text(argv[3 + 2 * i]);
            if (!name || !pf_sql_made_column(s->values, name)) {
                return "";
            }
        }
        s->parts = parts;
    }
    pf_sql_made_cell *cells = s->values ? pf_sql_made_row(s->values) : NULL;
    for (unsigned i = 0; cells && i < parts; i++) {
        cells[i] = pf_sql_made_value(s->values, argv[4 + 2 * i]);
        if (cells[i].type == SQLITE_TEXT && !cells[i].as.text) {
            return "";
        }
    }
    return cells ? NULL : "";
}

static void intervals_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_query *q = pf_sql_session(ctx);
    intervals *s = pf_sql_state(ctx, sizeof *s);
    if (!s) {
        return;
    }
    const char *wrong = add_row(q, s, argc, argv);
    wrong = wrong ? wrong : add_parts(q, s, argc, argv);
    if (wrong && !*wrong) {
        sqlite3_result_error_nomem(ctx);
    } else if (wrong) {
        sqlite3_result_error(ctx, wrong, -1);
    }
}

static void intervals_final(sqlite3_context *ctx)
{
    sqlite3_result_pointer(ctx, pf_sql_take_state(ctx), TAG, free_intervals);
}

static const pf_sql_made_cell *parts_of(const intervals *s, const interval *row)
{
    return s->values ? &s->values->cell[(uint64_t)row->number * s->parts] : NULL;
}

static int compare_cells(const pf_sql_made_cell *a, const pf_sql_made_cell *b)
{
    if (a->type != b->type) {
        return a->type < b->type ? -1 : 1;
    }
    switch (a->type) {
    case SQLITE_INTEGER:
        return (a->as.i > b->as.i) - (a->as.i < b->as.i);
    case SQLITE_FLOAT:
        return (a->as.d > b->as.d) - (a->as.d < b->as.d);
    case SQLITE_TEXT:
        return strcmp(a->as.text, b->as.text);
    default:
        return 0;
    }
}

static int compare_parts(const pf_sql_made_cell *a, const pf_sql_made_cell *b, unsigned parts)
{
    int order = 0;
    for (unsigned i = 0; i < parts && order == 0; i++) {
        order = compare_cells(&a[i], &b[i]);
    }
    return order;
}

static int by_partition(const void *pa, const void *pb, void *list)
{
    const intervals *s = list;
    const interval *a = pa, *b = pb;
    int order = compare_parts(parts_of(s, a), parts_of(s, b), s->parts);
    return order ? order : (a->number > b->number) - (a->number < b->number); /* the order of time */
}

/* The rows of a table that have not been looked at. */
typedef struct place {
    intervals *list;
    uint64_t at, end; /* end: of the partition in work */
} place;

static void find_end(place *p, unsigned parts)
{
    const interval *row = p->list->row;
    p->end = parts ? p->at : p->list->count;
    while (p->end < p->list->count &&
           compare_parts(parts_of(p->list, &row[p->at]), parts_of(p->list, &row[p->end]), parts) == 0) {
        p->end++;
    }
}

/* Goes on to the next partition that all tables have; false if there is none. */
static bool next_partition(place *places, unsigned tables, unsigned parts)
{
    for (unsigned equal = 0, i = 0; equal < tables; i = (i + 1) % tables) {
        place *p = &places[i];
        const place *first = &places[(i + tables - 1) % tables];
        while (equal && p->at < p->list->count &&
               compare_parts(parts_of(p->list, &p->list->row[p->at]),
                             parts_of(first->list, &first->list->row[first->at]), parts) < 0) {
            p->at++;
        }
        if (p->at >= p->list->count) {
            return false;
        }
        bool same = equal && compare_parts(parts_of(p->list, &p->list->row[p->at]),
                                           parts_of(first->list, &first->list->row[first->at]), parts) == 0;
        equal = same ? equal + 1 : 1;
    }
    for (unsigned i = 0; i < tables; i++) {
        find_end(&places[i], parts);
    }
    return true;
}

/* Tuples of one partition so far: their overlap, and `width` ids each. */
typedef struct tuples {
    pf_query *q;
    interval *overlap; /* number: of its ids */
    uint32_t *ids;
    uint64_t count, room, ids_room;
    unsigned width;
} tuples;

static void free_tuples(tuples *t)
{
    sqlite3_free(t->overlap);
    sqlite3_free(t->ids);
}

static bool add_tuple(tuples *to, const tuples *from, const interval *tuple, const interval *row)
{
    bool both = tuple->ts == tuple->end || row->ts == row->end;
    int64_t ts = tuple->ts > row->ts ? tuple->ts : row->ts, end = tuple->end < row->end ? tuple->end : row->end;
    uint64_t at = to->count * to->width;
    if (to->count == UINT32_MAX || !PF_SQL_ROOM(to->q, to->overlap, to->count, to->room)) {
        return false;
    }
    while (at + to->width > to->ids_room) {
        uint64_t room = to->ids_room;
        if (!PF_SQL_ROOM(to->q, to->ids, room, to->ids_room)) {
            return false;
        }
    }
    to->overlap[to->count] = (interval){ts, both ? ts : end, 0, (uint32_t)to->count};
    memcpy(to->ids + at, from->ids + (uint64_t)tuple->number * from->width, from->width * sizeof *to->ids);
    to->ids[at + from->width] = row->id;
    to->count++;
    return true;
}

/* Those that have begun, of one kind. */
typedef struct begun {
    const interval **list;
    uint64_t count, room;
} begun;

/* Meets all that have not ended with one that begins; drops the others. */
static bool meet(begun *b, const interval *begins, tuples *to, const tuples *from, bool begins_is_row)
{
    uint64_t kept = 0;
    bool fine = true;
    for (uint64_t i = 0; i < b->count && fine; i++) {
        const interval *other = b->list[i];
        bool ended = other->ts == other->end ? other->ts < begins->ts : other->end <= begins->ts;
        if (!ended) {
            b->list[kept++] = other;
            fine = begins_is_row ? add_tuple(to, from, other, begins) : add_tuple(to, from, begins, other);
        }
    }
    b->count = kept;
    return fine;
}

static bool begin(pf_query *q, begun *b, const interval *begins)
{
    bool fine = PF_SQL_ROOM(q, b->list, b->count, b->room);
    if (fine) {
        b->list[b->count++] = begins;
    }
    return fine;
}

/* Tuples and rows that overlap become tuples of one more. */
static bool join(const tuples *from, const place *p, tuples *to)
{
    begun tuples_begun = {0}, rows_begun = {0};
    uint64_t i = 0, k = p->at;
    bool fine = true;
    while (fine && (i < from->count || k < p->end)) {
        const interval *tuple = i < from->count ? &from->overlap[i] : NULL, *row = k < p->end ? &p->list->row[k] : NULL;
        if (!row || (tuple && tuple->ts <= row->ts)) {
            fine = meet(&rows_begun, tuple, to, from, false) && begin(to->q, &tuples_begun, tuple);
            i++;
        } else {
            fine = meet(&tuples_begun, row, to, from, true) && begin(to->q, &rows_begun, row);
            k++;
        }
    }
    sqlite3_free(tuples_begun.list);
    sqlite3_free(rows_begun.list);
    return fine;
}

static bool put_tuples(pf_sql_made *out, const tuples *t, const place *first)
{
    const pf_sql_made_cell *parts = parts_of(first->list, &first->list->row[first->at]);
    pf_sql_made_cell own[PARTS_MAX];
    for (unsigned i = 0; i < first->list->parts; i++) {
        own[i] = parts[i];
        if (own[i].type == SQLITE_TEXT && !(own[i].as.text = pf_sql_made_text(out, parts[i].as.text))) {
            return false;
        }
    }
    for (uint64_t i = 0; i < t->count; i++) {
        pf_sql_made_cell *row = pf_sql_made_row(out);
        if (!row) {
            return false;
        }
        row[0] = pf_sql_made_int(t->overlap[i].ts);
        row[1] = pf_sql_made_int(t->overlap[i].end - t->overlap[i].ts);
        for (unsigned k = 0; k < t->width; k++) {
            row[2 + k] = pf_sql_made_int(t->ids[i * t->width + k]);
        }
        for (unsigned k = 0; k < first->list->parts; k++) {
            row[2 + TABLES_MAX + k] = own[k];
        }
    }
    return true;
}

/* One partition of all tables. */
static bool intersect(pf_sql_made *out, const place *places, unsigned tables)
{
    uint32_t none[1] = {0};
    interval all = {INT64_MIN, INT64_MAX, 0, 0};
    tuples t = {.overlap = &all, .ids = none, .count = 1};
    bool fine = true;
    for (unsigned i = 0; i < tables && fine; i++) {
        tuples next = {.q = out->q, .width = i + 1};
        fine = join(&t, &places[i], &next);
        if (i > 0) {
            free_tuples(&t);
        }
        t = next;
    }
    fine = fine && put_tuples(out, &t, &places[0]);
    free_tuples(&t);
    return fine;
}

static pf_sql_made *new_result(pf_query *q, const intervals *first)
{
    static const char *const NAMES[] = {"ts",   "dur",  "id_0", "id_1",  "id_2",  "id_3",  "id_4",  "id_5", "id_6",
                                        "id_7", "id_8", "id_9", "id_10", "id_11", "id_12", "id_13", "id_14"};
    pf_sql_made *m = pf_sql_made_new(q, NAMES, 2 + TABLES_MAX);
    for (unsigned i = 0; m && first && i < first->parts; i++) {
        if (!pf_sql_made_column(m, first->values->name[i])) {
            pf_sql_made_free(m);
            return NULL;
        }
    }
    return m;
}

/* A partition column without any value, counted from 0; -1: none. */
static int column_of_nulls(const intervals *s)
{
    for (unsigned i = 0; i < s->parts; i++) {
        uint64_t row = 0;
        while (row < s->count && s->values->cell[row * s->parts + i].type == SQLITE_NULL) {
            row++;
        }
        if (row == s->count) {
            return (int)i;
        }
    }
    return -1;
}

static void interval_intersect(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    place places[TABLES_MAX];
    unsigned tables = (unsigned)argc - 1;
    bool empty = false;
    if (argc < 2 || tables > TABLES_MAX) {
        sqlite3_result_error(ctx, "expected 1 to 15 tables of intervals and a list of columns", -1);
        return;
    }
    for (unsigned i = 0; i < tables; i++) {
        places[i] = (place){.list = sqlite3_value_pointer(argv[i], TAG)};
        empty |= !places[i].list;
        if (!empty && places[i].list->parts != places[0].list->parts) {
            sqlite3_result_error(ctx, "the tables of intervals have different partition columns", -1);
            return;
        }
        int nulls = places[i].list ? column_of_nulls(places[i].list) : -1;
        if (nulls >= 0) {
            char *text = sqlite3_mprintf("Partition has unknown type in column %d", nulls);
            sqlite3_result_error(ctx, text ? text : "out of memory", -1);
            sqlite3_free(text);
            return;
        }
    }
    pf_sql_made *out = new_result(pf_sql_session(ctx), empty ? NULL : places[0].list);
    bool fine = out && (!empty || pf_sql_made_name_columns(out, argv[argc - 1]));
    unsigned parts = empty ? 0 : places[0].list->parts;
    for (unsigned i = 0; fine && !empty && parts && i < tables; i++) {
        qsort_r(places[i].list->row, places[i].list->count, sizeof(interval), by_partition, places[i].list);
    }
    while (fine && !empty && next_partition(places, tables, parts)) {
        fine = intersect(out, places, tables);
        for (unsigned i = 0; i < tables; i++) {
            places[i].at = places[i].end;
        }
    }
    pf_sql_made_return(ctx, out, fine);
}

typedef struct times {
    int64_t *ts;
    uint64_t count, room;
} times;

static void times_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    times *s = pf_sql_state(ctx, sizeof *s);
    if (s && !PF_SQL_ROOM(pf_sql_session(ctx), s->ts, s->count, s->room)) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    int64_t ts = sqlite3_value_int64(argv[0]);
    if (s && s->count && ts < s->ts[s->count - 1]) {
        sqlite3_result_error(ctx, "times must be sorted", -1);
    } else if (s) {
        s->ts[s->count++] = ts;
    }
}

static void times_final(sqlite3_context *ctx)
{
    pf_sql_result_list(ctx, TIMES_TAG);
}

/* Each start up to the first later end. */
static void interval_create(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const NAMES[] = {"ts", "dur"};
    const times *starts = sqlite3_value_pointer(argv[0], TIMES_TAG), *ends = sqlite3_value_pointer(argv[1], TIMES_TAG);
    pf_sql_made *out = pf_sql_made_new(pf_sql_session(ctx), NAMES, 2);
    bool fine = true;
    for (uint64_t i = 0, k = 0; out && starts && ends && i < starts->count; i++) {
        while (k < ends->count && ends->ts[k] <= starts->ts[i]) {
            k++;
        }
        pf_sql_made_cell *row = k < ends->count ? pf_sql_made_row(out) : NULL;
        if (k == ends->count) {
            break;
        }
        if (!row) {
            fine = false;
            break;
        }
        row[0] = pf_sql_made_int(starts->ts[i]);
        row[1] = pf_sql_made_int((int64_t)((uint64_t)ends->ts[k] - (uint64_t)starts->ts[i]));
    }
    pf_sql_made_return(ctx, out, fine);
}

int pf_sql_add_intervals(pf_query *q)
{
    static const pf_sql_call CALLS[] = {
        {"__intrinsic_interval_tree_intervals_agg", -1, NULL, intervals_step, intervals_final},
        {"__intrinsic_interval_intersect", -1, interval_intersect},
        {"__intrinsic_timestamp_set_agg", 1, NULL, times_step, times_final},
        {"__intrinsic_interval_create", 2, interval_create},
    };
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
