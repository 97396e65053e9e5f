/* query/vtab/scan.c - xFilter: from bounds to row numbers. Bounds are closed intervals of int64. */
#include "base/ordering.h"
#include "query/vtab/plan.h"

typedef pf_sql_bounds bounds;

static int64_t sorted_value(const pf_data_column *column, const pf_data_values *values, uint32_t row)
{
    uint32_t place = pf_data_place(values, row);
    return column->source == PF_DATA_INT64 ? ((const int64_t *)values->array)[place]
                                           : ((const uint32_t *)values->array)[place];
}

/* The first of rows [0, count) whose value is at least v. */
static uint32_t lower_bound(const pf_data_column *column, const pf_data_values *values, uint32_t count, int64_t v)
{
    uint32_t low = 0;
    PF_BISECT(low, count, sorted_value(column, values, middle) < v);
    return low;
}

bounds pf_sql_rows_in(const pf_data_table *table, int c, bounds b)
{
    if (b.low > b.high || c < 0 || table->spec->columns[c].source == PF_DATA_ROW) {
        return b;
    }
    const pf_data_column *column = &table->spec->columns[c];
    pf_data_values values = pf_data_values_of(table, column);
    if (!values.array) {
        return PF_SQL_NO_ROWS;
    }
    int64_t first = lower_bound(column, &values, table->rows, b.low);
    int64_t end = b.high == INT64_MAX ? table->rows : lower_bound(column, &values, table->rows, b.high + 1);
    return (bounds){first, end - 1};
}

static uint32_t position(const uint32_t *list, uint32_t count, int64_t row)
{
    return row > UINT32_MAX ? count : pf_rows_lower_bound(list, count, (uint32_t)row);
}

/* Cuts the scan to a range of row numbers. */
static void cut(pf_sql_scan *scan, bounds rows)
{
    if (rows.low < 0) {
        rows.low = 0;
    }
    if (rows.low > rows.high) {
        scan->last = scan->first;
        return;
    }
    int64_t end = rows.high == INT64_MAX ? INT64_MAX : rows.high + 1;
    uint32_t first, last;
    if (scan->list) {
        first = position(scan->list, scan->last, rows.low);
        last = position(scan->list, scan->last, end);
    } else {
        first = rows.low < scan->last ? (uint32_t)rows.low : scan->last;
        last = end < scan->last ? (uint32_t)end : scan->last;
    }
    scan->first = first > scan->first ? first : scan->first;
    scan->last = last > scan->first ? last : scan->first;
}

/* The rows of an equality on an indexed column; false if the value cannot be looked up and SQLite has to compare. */
static bool equal_rows(const pf_query *q, const pf_sql_index *x, const pf_data_column *column, char op,
                       sqlite3_value *value, pf_sql_rows *rows)
{
    int type = sqlite3_value_type(value);
    *rows = (pf_sql_rows){NULL, 0};
    if (op == PF_OP_NULL || type == SQLITE_NULL) {
        if (op != PF_OP_EQ) {
            *rows = pf_sql_index_null(x);
        }
        return true;
    }
    if (!pf_data_is_text(column->source)) {
        bounds b = pf_sql_compare(PF_OP_EQ, value);
        if (b.low == b.high) {
            *rows = pf_sql_index_int(x, b.low);
        }
        return true;
    }
    if (type != SQLITE_TEXT) {
        return false;
    }
    const char *text = (const char *)sqlite3_value_text(value);
    if (!text) {
        return false;
    }
    *rows = pf_sql_index_text(q, x, column, (pf_str){text, (size_t)sqlite3_value_bytes(value)});
    return true;
}

/* Rows that `load` would append cannot matter if a sorted column is asked for a value below the rows that exist: there
 * the values of such columns are row numbers, and those of later rows are larger. */
static bool needs_load(const pf_data_table *table, bounds rows)
{
    return table->spec->lazy_rows && !table->loaded && rows.high >= (int64_t)table->rows;
}

static bounds row_values(char op, sqlite3_value *value)
{
    return op == PF_OP_NULL ? PF_SQL_NO_ROWS : pf_sql_compare(op, value);
}

/* Conditions that are tested row by row, the one on column `looked_at`, too. */
static pf_status start_filters(pf_query *q, pf_data_table *table, const char *operators, sqlite3_value **values,
                               int looked_at, pf_sql_scan *scan, pf_error *err)
{
    for (int i = 0; operators[i * PF_PLAN_ARGUMENT]; i++) {
        pf_plan_argument a = pf_plan_argument_at(operators, i);
        bool none = false;
        if (!a.filter && (looked_at < 0 || a.column != looked_at)) {
            continue;
        }
        if (!scan->filters && !(scan->filters = pf_alloc_zero(q->data.budget, 1, sizeof *scan->filters))) {
            return pf_budget_refused(q->data.budget, sizeof *scan->filters, err);
        }
        PF_TRY(pf_sql_filter_add(q, scan->filters, table, a.column, a.op, values[i], &none, err));
        if (none) {
            scan->last = scan->first;
        }
    }
    return PF_OK;
}

static void drop_order(pf_query *q, pf_sql_scan *scan)
{
    pf_release(q->data.budget, scan->order, ((size_t)scan->order_rows + 1) * sizeof *scan->order);
    scan->order = NULL;
}

/* All rows in the order of the plan's columns, or the first of them. */
static pf_status start_groups(pf_query *q, pf_data_table *table, int plan, uint64_t limit, pf_sql_scan *scan,
                              pf_error *err)
{
    int columns[PF_PLAN_COLUMNS_MAX];
    unsigned n = 0;
    while (n < PF_PLAN_COLUMNS_MAX && (columns[n] = pf_plan_column(plan, n)) >= 0) {
        n++;
    }
    if (n == 1 && !pf_plan_descends(plan, 0) && table->spec->columns[columns[0]].flags & PF_DATA_INDEX) {
        const pf_sql_index *x = pf_sql_index_get(q, table, (size_t)columns[0], err);
        if (!x) {
            return err->code;
        }
        scan->list = x->row;
        scan->last = x->rows;
        scan->distinct = plan & PF_PLAN_DISTINCT ? x : NULL;
        return PF_OK;
    }
    if (!scan->order || scan->order_plan != plan || scan->order_limit != limit) {
        drop_order(q, scan);
        scan->order = pf_sql_order_make(q, table, columns, n, plan >> PF_PLAN_DOWN, limit, &scan->order_rows, err);
        scan->order_plan = plan;
        scan->order_limit = limit;
    }
    scan->list = scan->order;
    scan->last = scan->order_rows;
    return scan->order ? PF_OK : err->code;
}

/* Whether the rows of a text are looked for one by one instead of by an index: making that takes several times as long,
 * and the first question is often the only one. */
static bool is_first_look(pf_data_table *table, int c, char op, sqlite3_value *value)
{
    uint64_t bit = pf_data_column_bit((size_t)c);
    bool first = !table->index[c] && !(table->looked_at & bit) && op != PF_OP_NULL &&
                 pf_data_is_text(table->spec->columns[c].source) && sqlite3_value_type(value) == SQLITE_TEXT;
    table->looked_at |= first ? bit : 0;
    return first;
}

/* The rows of one value of an index. */
static pf_status start_equal(pf_query *q, pf_data_table *table, int c, char op, sqlite3_value *value, pf_sql_scan *scan,
                             pf_error *err)
{
    const pf_sql_index *x = pf_sql_index_get(q, table, (size_t)c, err);
    pf_sql_rows rows;
    if (!x) {
        return err->code;
    }
    if (equal_rows(q, x, &table->spec->columns[c], op, value, &rows)) {
        scan->list = rows.row ? rows.row : x->row;
        scan->last = rows.count;
    }
    return PF_OK;
}

pf_status pf_sql_scan_start(pf_query *q, pf_data_table *table, int plan, const char *operators, sqlite3_value **values,
                            pf_sql_scan *scan, pf_error *err)
{
    bounds asked = {INT64_MIN, INT64_MAX};
    int mode = plan & PF_PLAN_MODE, indexed = pf_plan_column(plan, 0), equal = 0, looked_at = -1;
    uint64_t limit = UINT64_MAX; /* a negative one is none, too */
    for (int i = 0; operators[i * PF_PLAN_ARGUMENT]; i++) {
        pf_plan_argument a = pf_plan_argument_at(operators, i);
        if (a.op == PF_OP_LIMIT) {
            limit = (uint64_t)sqlite3_value_int64(values[i]);
        } else if (!a.filter && mode == PF_PLAN_EQUAL && a.column == indexed) {
            equal = i;
        } else if (!a.filter) {
            asked = pf_sql_intersect(asked, row_values(a.op, values[i]));
        }
    }
    PF_TRY(needs_load(table, asked) ? pf_data_load(&q->data, table, err) : PF_OK);
    if (scan->filters) {
        pf_sql_filters_clear(scan->filters);
    }
    scan->list = table->visible;
    scan->first = 0;
    scan->last = table->visible ? table->visible_count : table->rows;
    scan->distinct = NULL;
    if (mode == PF_PLAN_GROUPS) {
        PF_TRY(start_groups(q, table, plan, limit, scan, err));
    } else if (mode == PF_PLAN_EQUAL) {
        char op = pf_plan_argument_at(operators, equal).op;
        looked_at = is_first_look(table, indexed, op, values[equal]) ? indexed : -1;
        PF_TRY(looked_at < 0 ? start_equal(q, table, indexed, op, values[equal], scan, err) : PF_OK);
    }
    for (int i = 0; operators[i * PF_PLAN_ARGUMENT]; i++) {
        pf_plan_argument a = pf_plan_argument_at(operators, i);
        if (!a.filter && a.op != PF_OP_LIMIT && (mode != PF_PLAN_EQUAL || a.column != indexed)) {
            cut(scan, pf_sql_rows_in(table, a.column, row_values(a.op, values[i])));
        }
    }
    return start_filters(q, table, operators, values, looked_at, scan, err);
}

void pf_sql_scan_free(pf_query *q, pf_sql_scan *scan)
{
    if (scan->filters) {
        pf_sql_filters_clear(scan->filters);
        pf_release(q->data.budget, scan->filters, sizeof *scan->filters);
    }
    drop_order(q, scan);
    *scan = (pf_sql_scan){0};
}
