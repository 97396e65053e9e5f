/* query/functions/clock_times.c - from trace time to other clocks: to_realtime, to_monotonic, abs_time_str.
 *
 * The clock snapshots say what a clock showed at some trace times. From each of them on the clock ran as fast as the
 * trace clock, but not beyond what the next one says; before the first one it stood still. The list of a clock is made
 * on first use.
 */
#include <stdlib.h>
#include <time.h>

#include "base/ordering.h"
#include "perfetto/fields.h"
#include "query/session/session.h"

static const int64_t CLOCK_OF[PF_SQL_CLOCKS] = {PF_CLOCK_REALTIME, PF_CLOCK_MONOTONIC};

PF_ORDER(by_time, pf_sql_instant, PF_UP(ts), PF_UP(row));

/* The readings of the clock in the order of time; of several at one time the last one stays. */
static pf_status make_timeline(pf_query *q, size_t clock, pf_error *err)
{
    const pf_clock_snapshots *c = pf_trace_clock_snapshots(q->data.trace);
    pf_sql_timeline *line = &q->timelines[clock];
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        count += c->clock_id[i] == CLOCK_OF[clock];
    }
    PF_TRY(PF_ARENA_NEW(&q->data.arena, line->list, count, err));
    pf_sql_instant *list = line->list;
    line->made = true;
    for (uint32_t i = 0, n = 0; i < c->count; i++) {
        if (c->clock_id[i] == CLOCK_OF[clock]) {
            list[n++] = (pf_sql_instant){c->ts[i], c->clock_value[i], i};
        }
    }
    qsort(list, count, sizeof *list, by_time);
    for (uint32_t i = 0; i < count; i++) {
        kept -= kept > 0 && list[kept - 1].ts == list[i].ts;
        list[kept++] = list[i];
    }
    line->count = kept;
    return PF_OK;
}

/* What the clock showed at the time. */
static int64_t reading_at(const pf_sql_timeline *line, int64_t ts)
{
    uint32_t low = 0; /* the first reading after ts */
    PF_BISECT(low, line->count, line->list[middle].ts <= ts);
    if (low == 0) {
        return line->list[0].value;
    }
    const pf_sql_instant *last = &line->list[low - 1];
    int64_t value = (int64_t)((uint64_t)last->value + (uint64_t)ts - (uint64_t)last->ts);
    return low < line->count && last->ts < ts && line->list[low].value < value ? line->list[low].value : value;
}

/* False: the trace says nothing of the clock, or memory was refused; then the result was set. */
static bool convert(sqlite3_context *ctx, size_t clock, sqlite3_value *value, int64_t *ns)
{
    pf_query *q = pf_sql_session(ctx);
    const pf_sql_timeline *line = &q->timelines[clock];
    pf_error err = {0};
    if (!line->made && make_timeline(q, clock, &err) != PF_OK) {
        q->failure = err;
        sqlite3_result_error(ctx, err.text, -1);
        return false;
    }
    *ns = line->count ? reading_at(line, sqlite3_value_int64(value)) : 0;
    return line->count > 0;
}

static void to_clock(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t ns;
    if (convert(ctx, pf_sql_which(ctx), argv[0], &ns)) {
        sqlite3_result_int64(ctx, ns);
    }
}

/* The real time as ISO 8601 text in UTC. */
static void abs_time_str(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t ns;
    if (convert(ctx, PF_SQL_REALTIME, argv[0], &ns)) {
        struct tm date;
        int64_t part = ns % 1000000000;
        time_t seconds = (time_t)(ns / 1000000000 - (part < 0));
        if (gmtime_r(&seconds, &date)) {
            char *text = sqlite3_mprintf("%04d-%02d-%02dT%02d:%02d:%02d.%09lld", date.tm_year + 1900, date.tm_mon + 1,
                                         date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec,
                                         (long long)(part < 0 ? part + 1000000000 : part));
            sqlite3_result_text(ctx, text, -1, sqlite3_free);
        }
    }
}

int pf_sql_add_times(pf_query *q)
{
    static const char WRONG[] = "to_realtime, to_monotonic and abs_time_str need a time (an integer)";
    static const pf_sql_call CALLS[] = {
        {"to_realtime", 1, to_clock, .strict = true, .intrinsic = true, .integers = WRONG, .which = PF_SQL_REALTIME},
        {"to_monotonic", 1, to_clock, .strict = true, .intrinsic = true, .integers = WRONG, .which = PF_SQL_MONOTONIC},
        {"abs_time_str", 1, abs_time_str, .strict = true, .intrinsic = true, .integers = WRONG}};
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
