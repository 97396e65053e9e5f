/* query/functions/counter_tables.c - samples of counters as intervals.
 *
 *     __intrinsic_counter_per_track_agg(id, ts, track_id, value)      samples in the order of time
 *     __intrinsic_counter_intervals('leading', end, samples)          each up to the next one of its track
 *
 * Of equal values in a row the first two stay and, when another value comes, the last one. Tracks come in the order of
 * their first samples. */
#include <stdlib.h>

#include "base/ordering.h"
#include "query/functions/made_table.h"
#include "query/session/memory.h"

#define TAG "POSTFETTO_COUNTERS"

typedef struct sample {
    int64_t id, ts, track;
    double value;
    uint64_t number; /* in the order of time */
} sample;

typedef struct samples {
    sample *list;
    uint64_t count, room;
} samples;

static void samples_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    samples *s = pf_sql_state(ctx, sizeof *s);
    if (s && !PF_SQL_ROOM(pf_sql_session(ctx), s->list, s->count, s->room)) {
        sqlite3_result_error_nomem(ctx);
    } else if (s) {
        s->list[s->count] = (sample){sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1]),
                                     sqlite3_value_int64(argv[2]), sqlite3_value_double(argv[3]), s->count};
        s->count++;
    }
}

static void samples_final(sqlite3_context *ctx)
{
    pf_sql_result_list(ctx, TAG);
}

PF_ORDER(by_track, sample, PF_UP(track), PF_UP(number));

/* The samples of one track; where they begin and end in the list. */
typedef struct track {
    uint64_t first, end, number; /* number: of its first sample */
} track;

PF_ORDER(by_appearance, track, PF_UP(number));

/* Keeps what stays of the samples of a track, at the front of them; returns how many. */
static uint64_t thin_out(sample *list, uint64_t count)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool third = kept >= 2 && list[kept - 1].value == list[i].value && list[kept - 2].value == list[i].value;
        bool ends = i + 1 < count && list[i + 1].value != list[i].value;
        if (!third || ends) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

static bool put_track(pf_sql_made *out, const sample *list, uint64_t count, int64_t end)
{
    for (uint64_t i = 0; i < count; i++) {
        pf_sql_made_cell *row = pf_sql_made_row(out);
        bool last = i + 1 == count;
        if (!row) {
            return false;
        }
        row[0] = pf_sql_made_int(list[i].id);
        row[1] = pf_sql_made_int(list[i].ts);
        row[2] = pf_sql_made_int((int64_t)((uint64_t)(last ? end : list[i + 1].ts) - (uint64_t)list[i].ts));
        row[3] = pf_sql_made_int(list[i].track);
        row[4] = pf_sql_made_real(list[i].value);
        if (!last) {
            row[5] = pf_sql_made_real(list[i + 1].value);
        }
        if (i > 0) {
            row[6] = pf_sql_made_real(list[i].value - list[i - 1].value);
        }
    }
    return true;
}

static bool put_tracks(pf_sql_made *out, samples *s, int64_t end)
{
    track *tracks = NULL;
    uint64_t count = 0, room = 0;
    bool fine = true;
    qsort(s->list, s->count, sizeof *s->list, by_track);
    for (uint64_t i = 0; i < s->count && fine; i++) {
        if (i == 0 || s->list[i].track != s->list[i - 1].track) {
            fine = PF_SQL_ROOM(out->q, tracks, count, room);
            count += fine;
            if (fine) {
                tracks[count - 1] = (track){.first = i, .number = s->list[i].number};
            }
        }
        if (fine) {
            tracks[count - 1].end = i + 1;
        }
    }
    if (fine && count) {
        qsort(tracks, count, sizeof *tracks, by_appearance);
    }
    for (uint64_t i = 0; i < count && fine; i++) {
        sample *list = s->list + tracks[i].first;
        fine = put_track(out, list, thin_out(list, tracks[i].end - tracks[i].first), end);
    }
    sqlite3_free(tracks);
    return fine;
}

static void counter_intervals(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const NAMES[] = {"id", "ts", "dur", "track_id", "value", "next_value", "delta_value"};
    samples *s = sqlite3_value_pointer(argv[2], TAG);
    if (!pf_str_is(pf_sql_text_of(argv[0]), "leading")) {
        sqlite3_result_error(ctx, "only 'leading' intervals of counters are known", -1);
        return;
    }
    pf_sql_made *out = pf_sql_made_new(pf_sql_session(ctx), NAMES, sizeof NAMES / sizeof *NAMES);
    pf_sql_made_return(ctx, out, !out || !s || put_tracks(out, s, sqlite3_value_int64(argv[1])));
}

int pf_sql_add_counter_intervals(pf_query *q)
{
    static const pf_sql_call CALLS[] = {
        {"__intrinsic_counter_per_track_agg", 4, NULL, samples_step, samples_final},
        {"__intrinsic_counter_intervals", 3, counter_intervals},
    };
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
