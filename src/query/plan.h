/* query/plan.h - how one scan of a table finds its rows: chosen once per statement, carried out by every xFilter. */
#ifndef PF_QUERY_PLAN_H
#define PF_QUERY_PLAN_H

#include "query/session.h"

/* idxNum: a mode, flags, and the index column from bit 8 on. idxStr: two bytes per argument of xFilter, the column
 * number + 2 (so that the rowid, column -1, is 1) and an operator. */
enum {
    PF_PLAN_SCAN = 0,   /* rows in order, cut to ranges of sorted columns */
    PF_PLAN_EQUAL = 1,  /* the rows of one value of an indexed column, cut likewise */
    PF_PLAN_GROUPS = 2, /* all rows in the order of an indexed column */
    PF_PLAN_MODE = 3,
    PF_PLAN_DESC = 4,     /* backwards */
    PF_PLAN_DISTINCT = 8, /* GROUPS: one row per value */
    PF_PLAN_COLUMN = 8    /* shift */
};

enum {
    PF_OP_EQ = '=',
    PF_OP_IS = 'i', /* EQ where NULL equals NULL */
    PF_OP_NULL = 'n',
    PF_OP_LT = '<',
    PF_OP_LE = 'l',
    PF_OP_GT = '>',
    PF_OP_GE = 'g',
    PF_OP_CALL = 'c' /* the argument of a table-valued function */
};

/* xBestIndex. */
int pf_sql_plan(pf_query *q, const pf_sql_table *table, sqlite3_index_info *info);

/* The rows that a scan visits: positions [first, last) of `list`, or of the table itself where list is NULL. */
typedef struct pf_sql_scan {
    const uint32_t *list;
    uint32_t first, last;
    const pf_sql_index *distinct; /* one row per group of this index */
} pf_sql_scan;

/* xFilter: carries out a plan. */
pf_status pf_sql_scan_start(pf_query *q, pf_sql_table *table, int plan, const char *operators, sqlite3_value **values,
                            pf_sql_scan *scan, pf_error *err);

#endif
