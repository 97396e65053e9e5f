/* query/vtab/bounds.c - which integers satisfy a comparison. That is decided exactly the way SQLite orders values: NULL
 * compares with nothing, numbers come before texts, an integer and a real by their mathematical values. */
#include <math.h>

#include "query/vtab/plan.h"

#define TWO_TO_63 9223372036854775808.0

typedef pf_sql_bounds bounds;

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
