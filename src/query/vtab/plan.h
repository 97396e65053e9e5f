/* query/vtab/plan.h - how one scan of a table finds its rows: chosen once per statement, carried out by every xFilter.
 */
#pragma once

#include "query/session/session.h"

/* idxNum: a mode, flags, and up to three columns from bit 8 on. idxStr: PF_PLAN_ARGUMENT characters per argument of
 * xFilter: its column as a letter ('A' is column 0, '@' the rowid), an operator, and how it is used. */
enum {
    PF_PLAN_SCAN = 0,   /* rows in order, cut to ranges of sorted columns */
    PF_PLAN_EQUAL = 1,  /* the rows of one value of an indexed column, cut likewise */
    PF_PLAN_GROUPS = 2, /* all rows in the order of indexed columns, in ascending numbers where all are equal */
    PF_PLAN_MODE = 3,
    PF_PLAN_DESC = 4,     /* backwards */
    PF_PLAN_DISTINCT = 8, /* GROUPS: one row per value */
    PF_PLAN_COLUMN = 8,   /* shift of the first column, whose number + 1 is stored */
    PF_PLAN_WIDTH = 6,    /* bits of a column */
    PF_PLAN_DOWN = 26,    /* shift of a bit for each column: GROUPS, its values descend */
    PF_PLAN_ARGUMENT = 3,
    PF_PLAN_ROWID = '@',
    PF_PLAN_SEARCH = 's', /* the rows are searched by it */
    PF_PLAN_FILTER = 'f'  /* the rows are tested one by one */
};

/* Columns from this one on have no place in a plan: SQLite tests them. */
#define PF_PLAN_COLUMN_END 62

/* The k-th column of a plan, -1 if it has fewer. */
static inline int pf_plan_column(int plan, unsigned k)
{
    return (plan >> (PF_PLAN_COLUMN + k * PF_PLAN_WIDTH) & ((1 << PF_PLAN_WIDTH) - 1)) - 1;
}

static inline bool pf_plan_descends(int plan, unsigned k)
{
    return plan >> (PF_PLAN_DOWN + k) & 1;
}

enum {
    PF_OP_EQ = '=',
    PF_OP_IS = 'i', /* EQ where NULL equals NULL */
    PF_OP_NULL = 'n',
    PF_OP_NOT_NULL = 'N',
    PF_OP_LT = '<',
    PF_OP_LE = 'l',
    PF_OP_GT = '>',
    PF_OP_GE = 'g',
    PF_OP_LIKE = 'k',
    PF_OP_GLOB = 'b',
    PF_OP_LIMIT = '#' /* of the scan, on no column: how many rows are wanted */
};

/* The i-th argument of an idxStr. */
typedef struct pf_plan_argument {
    int column;
    char op;
    bool filter;
} pf_plan_argument;

static inline pf_plan_argument pf_plan_argument_at(const char *operators, int i)
{
    const char *at = operators + (size_t)i * PF_PLAN_ARGUMENT;
    return (pf_plan_argument){at[0] - PF_PLAN_ROWID - 1, at[1], at[2] == PF_PLAN_FILTER};
}

/* xBestIndex. */
int pf_sql_plan(const pf_data_table *table, sqlite3_index_info *info);

/* Hands the values of hidden columns, `count` from `first` on, to xFilter as the arguments of a table-valued function;
 * of two values for one argument the first is the argument, the other one a condition. False: not all are known. */
bool pf_sql_plan_arguments(sqlite3_index_info *info, int first, int count);

/* Closed intervals of int64; low > high: none. */
typedef struct pf_sql_bounds {
    int64_t low, high;
} pf_sql_bounds;

#define PF_SQL_NO_ROWS ((pf_sql_bounds){1, 0})

static inline pf_sql_bounds pf_sql_intersect(pf_sql_bounds a, pf_sql_bounds b)
{
    return (pf_sql_bounds){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

/* What integers satisfy `x op value`; op is a comparison, NULL satisfies none. */
pf_sql_bounds pf_sql_compare(char op, sqlite3_value *value);

/* scan.c: the row numbers whose sorted column (-1: the row number) lies in the bounds. */
pf_sql_bounds pf_sql_rows_in(const pf_data_table *table, int column, pf_sql_bounds b);

#define PF_PLAN_COLUMNS_MAX 3u
#define PF_SQL_FILTERS_MAX 4
#define PF_SQL_VERDICTS 256 /* a power of two */

/* A condition on one column of a row: its number or string id lies in an interval, or its text fits a pattern. */
typedef struct pf_sql_filter {
    const void *const *array;
    const uint32_t *through; /* see pf_data_values */
    bool wide;               /* int64, else uint32 */
    pf_sql_bounds in;
    char *pattern; /* of LIKE or GLOB, or NULL */
    bool glob;
    const pf_strings *pool;
    uint32_t judged[PF_SQL_VERDICTS]; /* string ids whose text was compared with the pattern, 0 = none */
    bool fits[PF_SQL_VERDICTS];
} pf_sql_filter;

typedef struct pf_sql_filters {
    unsigned count;
    pf_sql_filter all[PF_SQL_FILTERS_MAX + 1]; /* one may be an equality that a plan would look up */
} pf_sql_filters;

/* Whether the operator can be tested on that column, and whether the test is as exact as SQLite's own. */
bool pf_sql_can_filter(const pf_data_column *column, char op, bool *exact);

/* Adds a condition; *none: no row satisfies it. */
pf_status pf_sql_filter_add(pf_query *q, pf_sql_filters *f, pf_data_table *table, int column, char op,
                            sqlite3_value *value, bool *none, pf_error *err);
bool pf_sql_filters_pass(pf_sql_filters *f, uint32_t row);
/* The first of [row, end) that passes; end: none. */
uint32_t pf_sql_filters_next(pf_sql_filters *f, uint32_t row, uint32_t end);
void pf_sql_filters_clear(pf_sql_filters *f);

/* The rows that a scan visits: positions [first, last) of `list`, or of the table itself where list is NULL. */
typedef struct pf_sql_scan {
    const uint32_t *list;
    uint32_t first, last;
    const pf_sql_index *distinct; /* one row per group of this index */
    /* Kept from scan to scan of a cursor; NULL until needed. */
    pf_sql_filters *filters;
    uint32_t *order; /* all rows in the order of `order_plan`'s columns */
    uint32_t order_rows;
    int order_plan;
    uint64_t order_limit;
} pf_sql_scan;

/* xFilter: carries out a plan. */
pf_status pf_sql_scan_start(pf_query *q, pf_data_table *table, int plan, const char *operators, sqlite3_value **values,
                            pf_sql_scan *scan, pf_error *err);
void pf_sql_scan_free(pf_query *q, pf_sql_scan *scan);
