/* query/functions/aggregates.c - percentile(value, p) and median(value): the value below which p percent of the values
 * lie, linear between the two neighbours. NULLs do not count; the numbers are kept and sorted at the end. */
#include <stdlib.h>

#include "base/ordering.h"
#include "query/session/session.h"

typedef struct sample {
    double *values;
    size_t count, capacity;
    double fraction; /* 0..1 */
    bool started;
} sample;

PF_ORDER(by_value, double, PF_COMPARE(*x, *y));

static void add(sqlite3_context *ctx, sample *s, sqlite3_value *value)
{
    int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) {
        return;
    }
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
        sqlite3_result_error(ctx, "the values of percentile() and median() must be numbers", -1);
        return;
    }
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity * 2 : 256;
        double *values = sqlite3_realloc64(s->values, capacity * sizeof *values);
        if (!values) {
            sqlite3_result_error_nomem(ctx);
            return;
        }
        s->values = values;
        s->capacity = capacity;
    }
    s->values[s->count++] = sqlite3_value_double(value);
}

static void percentile_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    sample *s = sqlite3_aggregate_context(ctx, sizeof *s);
    if (!s) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (argc == 2) {
        double p = sqlite3_value_double(argv[1]);
        int type = sqlite3_value_numeric_type(argv[1]);
        if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(p >= 0 && p <= 100)) {
            sqlite3_result_error(ctx, "the second argument of percentile() must be a number from 0 to 100", -1);
            return;
        }
        if (s->started && s->fraction != p / 100) {
            sqlite3_result_error(ctx, "the second argument of percentile() must be the same in all rows", -1);
            return;
        }
        s->fraction = p / 100;
    } else {
        s->fraction = 0.5;
    }
    s->started = true;
    add(ctx, s, argv[0]);
}

static void percentile_final(sqlite3_context *ctx)
{
    sample *s = sqlite3_aggregate_context(ctx, 0);
    if (!s) {
        return; /* no rows: NULL */
    }
    if (s->count) {
        qsort(s->values, s->count, sizeof *s->values, by_value);
        double place = s->fraction * (double)(s->count - 1);
        size_t below = (size_t)place, above = below + 1 < s->count ? below + 1 : below;
        double low = s->values[below], high = s->values[above];
        sqlite3_result_double(ctx, low == high ? low : low + (high - low) * (place - (double)below));
    }
    sqlite3_free(s->values);
    s->values = NULL;
}

int pf_sql_add_aggregates(pf_query *q)
{
    static const pf_sql_call CALLS[] = {{"percentile", 2, NULL, percentile_step, percentile_final},
                                        {"median", 1, NULL, percentile_step, percentile_final}};
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
