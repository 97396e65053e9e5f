/* query/vtab/row_filter.c - conditions that a scan tests row by row before SQLite sees the row.
 *
 * A number is compared with a closed interval: what SQLite's comparison with a value of any type means for integers is
 * decided once, exactly the way SQLite orders values, and NULLs, which are one particular number in each kind of array,
 * lie outside. A text that is to equal a value is a string id that is to equal another one. A pattern is compared by
 * SQLite's own functions, with each text once: the verdicts are remembered by string id, in a small table where a new
 * id replaces an old one.
 */
#include <math.h>
#include <string.h>

#include "query/vtab/plan.h"

typedef pf_sql_bounds bounds;

#define TWO_TO_63 9223372036854775808.0
#define LONGEST_PATTERN 4096 /* as authorizer.c limits it */

/* ---- which integers satisfy a comparison: NULL compares with nothing, numbers come before texts, an integer and a
 * real by their mathematical values
 * ------------------------------------------------------------------------------------- */

static bounds compare_int(char op, int64_t v)
{
    switch (op) {
    case PF_OP_LT:
        return v == INT64_MIN ? PF_SQL_NO_ROWS : (bounds){INT64_MIN, v - 1};
    case PF_OP_LE:
        return (bounds){INT64_MIN, v};
    case PF_OP_GT:
        return v == INT64_MAX ? PF_SQL_NO_ROWS : (bounds){v + 1, INT64_MAX};
    case PF_OP_GE:
        return (bounds){v, INT64_MAX};
    default:
        return (bounds){v, v};
    }
}

static bool is_less(char op)
{
    return op == PF_OP_LT || op == PF_OP_LE;
}

/* What integers satisfy `x op v` when every v is above (or below) all integers. */
static bounds compare_outside(char op, bool above)
{
    return is_less(op) == above && (is_less(op) || op == PF_OP_GT || op == PF_OP_GE) ? (bounds){INT64_MIN, INT64_MAX}
                                                                                     : PF_SQL_NO_ROWS;
}

static bounds compare_real(char op, double v)
{
    if (v >= TWO_TO_63 || v < -TWO_TO_63) {
        return compare_outside(op, v > 0);
    }
    double down = floor(v);
    int64_t whole = (int64_t)down;
    if (down == v) {
        return compare_int(op, whole);
    }
    /* Between whole and whole + 1: x < v is x <= whole, x > v is x > whole. */
    if (op == PF_OP_LT || op == PF_OP_LE) {
        return compare_int(PF_OP_LE, whole);
    }
    return op == PF_OP_GT || op == PF_OP_GE ? compare_int(PF_OP_GT, whole) : PF_SQL_NO_ROWS;
}

bounds pf_sql_compare(char op, sqlite3_value *value)
{
    switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
        return compare_int(op, sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return compare_real(op, sqlite3_value_double(value));
    case SQLITE_NULL:
        return PF_SQL_NO_ROWS;
    default:
        return compare_outside(op, true);
    }
}

/* The numbers in a column's array that are not NULL, and NULL itself, by source. */
static const struct {
    bounds values, null;
} NUMBERS[] = {
    [PF_DATA_INT64] = {{INT64_MIN, INT64_MAX}, {1, 0}},
    [PF_DATA_INT64_OR_NULL] = {{INT64_MIN + 1, INT64_MAX}, {INT64_MIN, INT64_MIN}},
    [PF_DATA_UINT32] = {{0, (int64_t)PF_NONE - 1}, {PF_NONE, PF_NONE}},
    [PF_DATA_STRING] = {{1, UINT32_MAX}, {0, 0}},
    [PF_DATA_KEY] = {{1, UINT32_MAX}, {0, 0}},
};

bool pf_sql_can_filter(const pf_data_column *column, char op, bool *exact)
{
    bool pattern = op == PF_OP_LIKE || op == PF_OP_GLOB, null = op == PF_OP_NULL || op == PF_OP_NOT_NULL;
    pf_data_source source = column->source;
    if (pf_data_is_text(source)) {
        *exact = pattern || null;
        return *exact || op == PF_OP_EQ || op == PF_OP_IS;
    }
    *exact = true;
    return !pattern && (source == PF_DATA_INT64 || source == PF_DATA_INT64_OR_NULL || source == PF_DATA_UINT32);
}

static pf_status add_pattern(pf_sql_filter *f, char op, sqlite3_value *value, bool *none, pf_error *err)
{
    const char *text = (const char *)sqlite3_value_text(value);
    size_t len = (size_t)sqlite3_value_bytes(value);
    *none = sqlite3_value_type(value) == SQLITE_NULL;
    if (*none) {
        return PF_OK;
    }
    if (len > LONGEST_PATTERN) {
        return pf_fail(err, PF_ERR_USAGE, "LIKE or GLOB pattern too complex");
    }
    f->pattern = text ? sqlite3_malloc64(len + 1) : NULL;
    if (!f->pattern) {
        return pf_no_memory(err);
    }
    memcpy(f->pattern, text, len);
    f->pattern[len] = '\0';
    f->glob = op == PF_OP_GLOB;
    memset(f->judged, 0, sizeof f->judged);
    return PF_OK;
}

/* The string ids that equal the value. False: that is for SQLite to say. */
static bool equal_ids(const pf_sql_filter *f, sqlite3_value *value, pf_sql_bounds *in)
{
    const char *text = sqlite3_value_type(value) == SQLITE_TEXT ? (const char *)sqlite3_value_text(value) : NULL;
    if (!text) {
        return false;
    }
    uint32_t id = pf_strings_find(f->pool, text, (size_t)sqlite3_value_bytes(value));
    *in = id == PF_NONE ? (pf_sql_bounds){1, 0} : (pf_sql_bounds){id, id};
    return true;
}

pf_status pf_sql_filter_add(pf_query *q, pf_sql_filters *filters, pf_data_table *table, int c, char op,
                            sqlite3_value *value, bool *none, pf_error *err)
{
    const pf_data_column *column = &table->spec->columns[c];
    pf_status st = column->flags & PF_DATA_LAZY ? pf_data_load(&q->data, table, err) : PF_OK;
    pf_sql_filter *f = &filters->all[filters->count];
    pf_sql_bounds in = NUMBERS[column->source].values;
    f->array = (const void *const *)((const char *)table->base + column->offset);
    f->through = pf_data_values_of(table, column).through;
    f->wide = column->source == PF_DATA_INT64 || column->source == PF_DATA_INT64_OR_NULL;
    f->pool = pf_data_pool(&q->data, column);
    f->pattern = NULL;
    bool null = op == PF_OP_NULL || (op == PF_OP_IS && sqlite3_value_type(value) == SQLITE_NULL);
    if (st != PF_OK || (!*f->array && null)) {
        return st;
    }
    if (null) {
        in = NUMBERS[column->source].null;
    } else if (op == PF_OP_LIKE || op == PF_OP_GLOB) {
        st = add_pattern(f, op, value, none, err);
    } else if (pf_data_is_text(column->source) && op != PF_OP_NOT_NULL) {
        if (!equal_ids(f, value, &in)) {
            return PF_OK;
        }
    } else if (op != PF_OP_NOT_NULL) {
        in = pf_sql_intersect(pf_sql_compare(op, value), NUMBERS[column->source].values);
    }
    *none |= !*f->array || in.low > in.high;
    f->in = in;
    filters->count += st == PF_OK;
    return st;
}

static bool fits(pf_sql_filter *f, uint32_t id)
{
    unsigned slot = id & (PF_SQL_VERDICTS - 1);
    if (f->judged[slot] != id) {
        const char *text = f->pool->ptr[id];
        f->judged[slot] = id;
        f->fits[slot] = (f->glob ? sqlite3_strglob(f->pattern, text) : sqlite3_strlike(f->pattern, text, 0)) == 0;
    }
    return f->fits[slot];
}

/* The number or string id of a row. */
static inline int64_t number_of(const pf_sql_filter *f, uint32_t row)
{
    uint32_t place = f->through ? f->through[row] : row;
    return f->wide ? ((const int64_t *)*f->array)[place] : ((const uint32_t *)*f->array)[place];
}

bool pf_sql_filters_pass(pf_sql_filters *filters, uint32_t row)
{
    for (unsigned i = 0; i < filters->count; i++) {
        pf_sql_filter *f = &filters->all[i];
        int64_t v = number_of(f, row);
        if (v < f->in.low || v > f->in.high || (f->pattern && !fits(f, (uint32_t)v))) {
            return false;
        }
    }
    return true;
}

/* The first row whose number or string id lies in the interval: loops that do nothing else. */
static uint32_t next_between(const pf_sql_filter *f, uint32_t row, uint32_t end)
{
    uint64_t low = (uint64_t)f->in.low, width = (uint64_t)f->in.high - low;
    const pf_data_values values = {*f->array, f->through};
    if (f->wide) {
        const int64_t *wide = values.array;
        while (row < end && (uint64_t)wide[pf_data_place(&values, row)] - low > width) {
            row++;
        }
    } else {
        const uint32_t *narrow = values.array;
        while (row < end && narrow[pf_data_place(&values, row)] - low > width) {
            row++;
        }
    }
    return row;
}

uint32_t pf_sql_filters_next(pf_sql_filters *filters, uint32_t row, uint32_t end)
{
    pf_sql_filter *first = &filters->all[0];
    for (row = next_between(first, row, end); row < end; row = next_between(first, row + 1, end)) {
        if (filters->count > 1 ? pf_sql_filters_pass(filters, row)
                               : !first->pattern || fits(first, (uint32_t)number_of(first, row))) {
            break;
        }
    }
    return row;
}

void pf_sql_filters_clear(pf_sql_filters *filters)
{
    for (unsigned i = 0; i < filters->count; i++) {
        sqlite3_free(filters->all[i].pattern);
    }
    filters->count = 0;
}
