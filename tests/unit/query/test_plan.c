/* Plans of scans: which conditions are handed over and how, and what a scan is expected to cost. A plan is asked for as
 * SQLite asks; what it estimates decides the order of joins. Numbers are by hand from the rules that plan.c tells. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "query/vtab/plan.h"
#include "support.h"

enum { ID, TS, DUR, TRACK_ID, CATEGORY, NAME, DEPTH, PARENT_ID }; /* columns of slice */
enum {
    EQ = SQLITE_INDEX_CONSTRAINT_EQ,
    GT = SQLITE_INDEX_CONSTRAINT_GT,
    LE = SQLITE_INDEX_CONSTRAINT_LE,
    NE = SQLITE_INDEX_CONSTRAINT_NE,
    IS_NULL = SQLITE_INDEX_CONSTRAINT_ISNULL,
    NOT_NULL = SQLITE_INDEX_CONSTRAINT_ISNOTNULL,
    LIKE = SQLITE_INDEX_CONSTRAINT_LIKE
};

typedef struct condition {
    int column, op;
    bool unusable;
} condition;

#define MOST 6

/* SQLite keeps more behind the structure, which is 0 where nothing is DISTINCT or IN. */
typedef struct asked {
    struct sqlite3_index_info info;
    char behind[256];
    struct sqlite3_index_constraint constraints[MOST];
    struct sqlite3_index_constraint_usage usage[MOST];
} asked;

/* What the statement says on the right of every condition while a plan is asked for here, where no statement is; NULL:
 * it is not known. Everybody else asks SQLite. */
static struct {
    bool here;
    sqlite3_value *value;
} right;

int sqlite3_vtab_rhs_value(sqlite3_index_info *info, int i, sqlite3_value **out)
{
    int (*of_sqlite)(sqlite3_index_info *, int, sqlite3_value **);
    if (right.here) {
        *out = right.value;
        return right.value ? SQLITE_OK : SQLITE_NOTFOUND;
    }
    *(void **)&of_sqlite = dlsym(RTLD_NEXT, "sqlite3_vtab_rhs_value");
    return of_sqlite(info, i, out);
}

static int ask_plan(session *s, const char *table, const condition *conditions, int count, asked *a)
{
    *a = (asked){.info = {.nConstraint = count}};
    a->info.aConstraint = a->constraints;
    a->info.aConstraintUsage = a->usage;
    for (int i = 0; i < count; i++) {
        a->constraints[i].iColumn = conditions[i].column;
        a->constraints[i].op = (unsigned char)conditions[i].op;
        a->constraints[i].usable = !conditions[i].unusable;
    }
    right.here = true;
    int rc = pf_sql_plan(pf_data_find(&s->q->data, (pf_str){table, strlen(table)}), &a->info);
    right.here = false;
    return rc;
}

/* 1024 slices on 4 tracks, one after the other, all of one depth. */
static session open_many(void)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t tracks[4];
    for (int i = 0; i < 4; i++) {
        tracks[i] = add_thread_track(s.t, 1, i);
    }
    for (int i = 0; i < 1024; i++) {
        add_event(s.t, tracks[i % 4], 'X', 10 * i, 5, "n", NULL);
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    ask(&s, "SELECT count(*) FROM slice WHERE track_id = 0"); /* makes the index, so that its size is known */
    return s;
}

/* Arguments are written "COLUMN OPERATOR USE"; column 0 is A, the rowid @. Rows are one more than is expected. */
static const struct {
    condition conditions[MOST];
    const char *arguments;
    int64_t rows;
    double cost;
    int plan;
} PLANS[] = {
    {{{0}}, "", 1025, 3074, PF_PLAN_SCAN},
    /* a row number has one row, and everything else is left to SQLite */
    {{{ID, EQ}}, "A=s", 2, 3, PF_PLAN_SCAN},
    {{{-1, EQ}}, "@=s", 2, 3, PF_PLAN_SCAN},
    {{{ID, EQ}, {DUR, GT}}, "A=s", 2, 3, PF_PLAN_SCAN},
    {{{TRACK_ID, EQ}, {ID, EQ}}, "A=s", 2, 3, PF_PLAN_SCAN},
    /* bounds: 8 rows of a time, half of the rows, an eighth */
    {{{TS, EQ}}, "B=s", 9, 10, PF_PLAN_SCAN},
    {{{TS, EQ}, {ID, GT}}, "B=sA>s", 9, 10, PF_PLAN_SCAN},
    {{{TS, GT}}, "B>s", 513, 514, PF_PLAN_SCAN},
    {{{ID, LE}}, "Als", 513, 514, PF_PLAN_SCAN},
    {{{TS, GT}, {TS, LE}}, "B>sBls", 129, 130, PF_PLAN_SCAN},
    {{{TS, GT}, {TS, LE}, {ID, GT}}, "B>sBlsA>s", 129, 130, PF_PLAN_SCAN},
    {{{TS, NOT_NULL}}, "", 1025, 3074, PF_PLAN_SCAN},
    {{{TS, NE}}, "", 1025, 3074, PF_PLAN_SCAN},
    {{{TS, GT, true}}, "", 1025, 3074, PF_PLAN_SCAN},
    /* an equality by the index: 256 rows each; of two the first, also if the second has as many */
    {{{TRACK_ID, EQ}}, "D=s", 257, 258, PF_PLAN_EQUAL | 4 << 8},
    {{{TRACK_ID, EQ}, {TRACK_ID, EQ}}, "D=sD=f", 26, 256 * 0.19 + 2, PF_PLAN_EQUAL | 4 << 8},
    {{{TRACK_ID, EQ, true}, {TRACK_ID, EQ}}, "D=s", 257, 258, PF_PLAN_EQUAL | 4 << 8},
    {{{TRACK_ID, EQ}, {TS, GT}}, "D=sB>s", 129, 130, PF_PLAN_EQUAL | 4 << 8},
    /* without an index: 32 values are guessed, 32 rows each; a slice is expected to have 4 children */
    {{{DEPTH, EQ}}, "G=s", 33, 34, PF_PLAN_EQUAL | 7 << 8},
    {{{PARENT_ID, EQ}}, "H=s", 5, 6, PF_PLAN_EQUAL | 8 << 8},
    {{{TRACK_ID, EQ}, {PARENT_ID, IS_NULL}}, "D=fHns", 1, 4 * 0.19 + 2, PF_PLAN_EQUAL | 8 << 8},
    {{{PARENT_ID, EQ}, {DEPTH, EQ}}, "H=sG=f", 1, 4 * 0.19 + 2, PF_PLAN_EQUAL | 8 << 8},
    {{{TRACK_ID, GT}}, "D>f", 257, 1024 * 0.325 + 2, PF_PLAN_SCAN},
    /* tested row by row: a tenth, a quarter, nine tenths are expected */
    {{{DUR, EQ}}, "C=f", 103, 1024 * 0.19 + 2, PF_PLAN_SCAN},
    {{{DUR, GT}}, "C>f", 257, 1024 * 0.325 + 2, PF_PLAN_SCAN},
    {{{DUR, NOT_NULL}}, "CNf", 922, 1024 * 0.91 + 2, PF_PLAN_SCAN},
    {{{NAME, LIKE}}, "Fkf", 257, 1024 * 0.325 + 2, PF_PLAN_SCAN},
    {{{DUR, GT}, {DUR, LE}}, "C>fClf", 65, 1024 * 0.15625 + 2, PF_PLAN_SCAN},
    {{{DUR, GT, true}, {DUR, LE}}, "Clf", 257, 1024 * 0.325 + 2, PF_PLAN_SCAN},
    {{{TS, GT}, {DUR, GT}}, "B>sC>f", 129, 512 * 0.325 + 2, PF_PLAN_SCAN},
    /* four of them at most */
    {{{DUR, GT}, {DUR, GT}, {DUR, GT}, {DUR, GT}, {DUR, GT}, {TS, GT}},
     "C>fC>fC>fC>fB>s",
     3,
     512 * (0.1 + 0.9 / 256) + 2,
     PF_PLAN_SCAN},
};

Test(plan, conditions_and_costs)
{
    session s = open_many();
    for (size_t i = 0; i < sizeof PLANS / sizeof *PLANS; i++) {
        const condition *c = PLANS[i].conditions;
        int count = 0;
        asked a;
        while (count < MOST && c[count].op) {
            count++;
        }
        cr_assert_eq(ask_plan(&s, "slice", c, count, &a), SQLITE_OK);
        cr_expect_str_eq(a.info.idxStr, PLANS[i].arguments, "plan %zu: %s", i, a.info.idxStr);
        cr_expect_eq(a.info.estimatedRows, PLANS[i].rows, "plan %zu: %lld rows", i, (long long)a.info.estimatedRows);
        cr_expect_float_eq(a.info.estimatedCost, PLANS[i].cost, 1e-6, "plan %zu: %f", i, a.info.estimatedCost);
        cr_expect_eq(a.info.idxNum, PLANS[i].plan, "plan %zu: %d", i, a.info.idxNum);
        cr_expect_eq(a.info.idxFlags, PLANS[i].rows == 2 ? SQLITE_INDEX_SCAN_UNIQUE : 0, "plan %zu", i);
        cr_expect_eq(a.info.needToFreeIdxStr, 1);
        int next = 1; /* the arguments are numbered in the order of the conditions */
        for (int k = 0; k < count; k++) {
            cr_expect(a.usage[k].argvIndex == 0 || a.usage[k].argvIndex == next, "plan %zu, condition %d", i, k);
            next += a.usage[k].argvIndex > 0;
            cr_expect(!a.usage[k].omit || a.usage[k].argvIndex, "plan %zu, condition %d is left out", i, k);
        }
        cr_expect_eq((size_t)next - 1, strlen(PLANS[i].arguments) / 3, "plan %zu", i);
        sqlite3_free(a.info.idxStr);
    }
    close_session(&s);
}

/* What is compared exactly is not compared again; a text with a pattern is. */
Test(plan, what_sqlite_need_not_test)
{
    static const struct {
        condition condition;
        bool omit;
    } EXPECTED[] = {{{ID, EQ}, true},        {{TS, GT}, true},         {{TRACK_ID, EQ}, true},
                    {{DUR, GT}, true},       {{-1, LE}, true},         {{TS, NE}, false},
                    {{DUR, NOT_NULL}, true}, {{DUR, GT, true}, false}, {{DEPTH, EQ}, true}};
    session s = open_many();
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        asked a;
        cr_assert_eq(ask_plan(&s, "slice", &EXPECTED[i].condition, 1, &a), SQLITE_OK);
        cr_expect_eq(a.usage[0].omit, EXPECTED[i].omit, "condition %zu", i);
        sqlite3_free(a.info.idxStr);
    }
    close_session(&s);
}

/* Fewer rows than a guess has; a table without rows. */
Test(plan, small_tables)
{
    session s = open_session();
    const condition id = {ID, EQ}, ts = {TS, EQ}, track = {TRACK_ID, EQ}, parent = {PARENT_ID, EQ}, depth = {DEPTH, EQ};
    asked a;
    cr_assert_eq(ask_plan(&s, "slice", &ts, 1, &a), SQLITE_OK);
    cr_expect_eq(a.info.estimatedRows, 7, "all six");
    sqlite3_free(a.info.idxStr);
    cr_assert_eq(ask_plan(&s, "slice", &parent, 1, &a), SQLITE_OK);
    cr_expect_eq(a.info.estimatedRows, 5, "four children");
    sqlite3_free(a.info.idxStr);
    cr_assert_eq(ask_plan(&s, "slice", &depth, 1, &a), SQLITE_OK);
    cr_expect_eq(a.info.estimatedRows, 2, "fewer rows than 32 values: one each");
    sqlite3_free(a.info.idxStr);
    ask(&s, "SELECT count(*) FROM slice WHERE track_id = 0");
    cr_assert_eq(ask_plan(&s, "slice", &track, 1, &a), SQLITE_OK);
    cr_expect_eq(a.info.estimatedRows, 3, "6 rows on 3 tracks");
    cr_expect_float_eq(a.info.estimatedCost, 4, 1e-9);
    sqlite3_free(a.info.idxStr);
    cr_assert_eq(ask_plan(&s, "flow", &id, 1, &a), SQLITE_OK);
    cr_expect_eq(a.info.estimatedRows, 1, "no flow");
    cr_expect_float_eq(a.info.estimatedCost, 2, 1e-9);
    sqlite3_free(a.info.idxStr);
    close_session(&s);
}

static void remember(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    *(sqlite3_value **)sqlite3_user_data(ctx) = sqlite3_value_dup(argv[0]);
}

/* Numbers that the statement says: the rows of the range are counted. Slices begin every 10 ns. */
Test(plan, known_bounds)
{
    static const struct {
        condition conditions[MOST];
        int64_t rows;
    } EXPECTED[] = {{{{ID, LE}}, 502},           {{{TS, LE}}, 52},  {{{TS, GT}}, 974},       {{{ID, EQ}}, 2},
                    {{{TS, GT}, {ID, LE}}, 451}, {{{-1, LE}}, 502}, {{{ID, GT, true}}, 1025}};
    session s = open_many();
    cr_assert_eq(
        sqlite3_create_function_v2(s.q->db, "remember", 1, SQLITE_UTF8, &right.value, remember, NULL, NULL, NULL),
        SQLITE_OK);
    ask(&s, "SELECT remember(500)");
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        int count = 0;
        asked a;
        while (EXPECTED[i].conditions[count].op) {
            count++;
        }
        cr_assert_eq(ask_plan(&s, "slice", EXPECTED[i].conditions, count, &a), SQLITE_OK);
        cr_expect_eq(a.info.estimatedRows, EXPECTED[i].rows, "%zu: %lld rows", i, (long long)a.info.estimatedRows);
        sqlite3_free(a.info.idxStr);
    }
    sqlite3_value_free(right.value);
    right.value = NULL;
    close_session(&s);
}

/* A function with rows needs its argument, an equality on the column after the others (13 of a slice, 5 of a flow). */
Test(plan, table_functions)
{
    static const struct {
        const char *name;
        int columns;
    } FUNCTIONS[] = {{"ancestor_slice", 13},
                     {"descendant_slice", 13},
                     {"following_flow", 5},
                     {"preceding_flow", 5},
                     {"directly_connected_flow", 5}};
    session s = open_session();
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        int column = FUNCTIONS[i].columns;
        const condition good[] = {{column - 1, EQ}, {column, GT}, {column, EQ, true}, {column, EQ}};
        asked a;
        cr_expect_eq(ask_plan(&s, FUNCTIONS[i].name, good, 3, &a), SQLITE_CONSTRAINT, "%s", FUNCTIONS[i].name);
        cr_expect_eq(ask_plan(&s, FUNCTIONS[i].name, NULL, 0, &a), SQLITE_CONSTRAINT);
        cr_assert_eq(ask_plan(&s, FUNCTIONS[i].name, good, 4, &a), SQLITE_OK);
        for (int k = 0; k < 4; k++) {
            cr_expect_eq(a.usage[k].argvIndex, k == 3);
            cr_expect_eq(a.usage[k].omit, k == 3);
        }
        cr_expect_gt(a.info.estimatedRows, 0);
        cr_expect_lt(a.info.estimatedCost, 1000, "cheaper than a table");
    }
    close_session(&s);
}
