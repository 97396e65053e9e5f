/* analyze/compare/compare_trace.c - the new run with what changed marked, and the base below it.
 *
 * The trace is a copy of the new one. A group "compare" comes first: the iterations of both runs, then rows of marks
 * (compare_marks.c). The processes of the base follow as "base: NAME", their tracks as rows with slices and samples,
 * moved so that both runs start at the same time.
 */
#include <inttypes.h>

#include "analyze/compare/compare.h"
#include "base/text/number.h"
#include "postfetto/findings.h"

/* Pids of ours begin here and step over those of the trace. */
enum { FIRST_PID = 1000000000 };

/* The base, as it is drawn. */
typedef struct base_drawing {
    compare_drawing *d;
    int64_t next_pid;
    pf_map taken;      /* pids of the new run */
    uint32_t *process; /* by upid of the base, then one for what has none; the new upid + 1 */
    uint32_t *track;   /* by track of the base: the new one + 1 */
} base_drawing;

/* The length of an iteration: to the start of the next one, of the last one to the end of its anchor. */
static int64_t length_of(const compare_calls *calls, uint32_t k)
{
    int64_t length;
    return __builtin_sub_overflow(calls->start[k + 1], calls->start[k], &length) ? INT64_MAX : length;
}

/* The arguments "cause 1", ...: "+4.0 ms in 8 calls of gemm". */
static void put_causes(const compare_drawing *d, uint32_t k)
{
    const compare_cause *cause = d->cause + (size_t)k * COMPARE_CAUSES;
    for (unsigned i = 0; i < COMPARE_CAUSES && cause[i].more != 0; i++) {
        char key[] = "cause 1";
        pf_buffer b = {0};
        pf_str name = pf_compare_row_text(d->c, cause[i].row);
        key[sizeof key - 2] += (char)i;
        pf_compare_put_length(&b, cause[i].more, pf_trace_time_unit(d->now), true);
        pf_buffer_format(&b, " in %u call%s of ", cause[i].calls, cause[i].calls == 1 ? "" : "s");
        pf_buffer_put(&b, name.ptr, name.len);
        pf_build_arg_text(d->b, pf_str_of(key), pf_compare_text_of(d->c, &b));
        pf_buffer_free(&b);
    }
}

/* "+4.0 % ProfilerStep#12". */
static void put_iteration(const compare_drawing *d, uint32_t track, uint32_t k)
{
    const pf_slices *s = pf_trace_slices(d->now);
    uint32_t anchor = d->now_calls->anchor[k];
    int64_t length = length_of(d->now_calls, k), was = length_of(d->base_calls, k);
    pf_str name = pf_trace_string(d->now, pf_slice_name(s, anchor));
    char number[PF_FIXED_MAX];
    pf_buffer b = {0};
    if (was > 0) {
        double percent = ((double)length / (double)was - 1) * 100;
        pf_buffer_text(&b, percent < 0 ? "" : "+");
        pf_buffer_put(&b, number, pf_format_real_fixed(percent, 1, number));
        pf_buffer_text(&b, " % ");
    }
    pf_buffer_put(&b, name.ptr, name.len);
    pf_build_slice(d->b, track, d->now_calls->start[k], length, pf_compare_text_of(d->c, &b));
    pf_buffer_free(&b);
    pf_build_category(d->b, PF_STR("postfetto.compare"));
    pf_compare_arg_time(d, "base", (double)was);
    pf_compare_arg_time(d, "more", (double)length - (double)was);
    put_causes(d, k);
}

static void draw_iterations(const compare_drawing *d)
{
    const pf_slices *s = pf_trace_slices(d->base);
    if (d->iterations == 0) {
        return;
    }
    const pf_build_track_row rows[] = {
        {.of = PF_BUILD_TRACK,
         .owner = d->group,
         .name = PF_STR("iterations"),
         .description = PF_STR("of the new run, each from its start to the start of the next one, the last one to the "
                               "end of its anchor; the name says by how much it is longer than the same one of the "
                               "base, causes are the names whose self time changed most"),
         .rank = 1},
        {.of = PF_BUILD_TRACK,
         .owner = d->group,
         .name = PF_STR("iterations of the base"),
         .description = PF_STR("the same ones of the base; both runs are drawn from the same start on"),
         .rank = 2}};
    uint32_t now = pf_build_track(d->b, &rows[0]), base = pf_build_track(d->b, &rows[1]);
    for (uint32_t k = 0; k < d->iterations; k++) {
        int64_t ts, length = length_of(d->base_calls, k);
        put_iteration(d, now, k);
        if (pf_compare_move(d->base_calls->start[k], length, d->shift, &ts)) {
            pf_build_slice(d->b, base, ts, length,
                           pf_trace_string(d->base, pf_slice_name(s, d->base_calls->anchor[k])));
            pf_build_category(d->b, PF_STR("postfetto.compare"));
        }
    }
}

static int64_t free_pid(base_drawing *o)
{
    do {
        o->next_pid++;
    } while (pf_map_get(&o->taken, (uint64_t)o->next_pid) != PF_NONE);
    return o->next_pid;
}

static uint32_t process_of(base_drawing *o, uint32_t track)
{
    const pf_trace *t = o->d->base;
    const pf_processes *p = pf_trace_processes(t);
    uint32_t upid = pf_trace_tracks(t)->upid[track];
    uint32_t at = upid < p->count ? upid : p->count;
    if (!o->process[at]) {
        pf_buffer b = {0};
        pf_str name = at < p->count ? pf_trace_string(t, p->name[at]) : PF_STR("without a process");
        if (name.ptr && name.len) {
            pf_buffer_text(&b, "base: ");
            pf_buffer_put(&b, name.ptr, name.len);
        } else {
            pf_buffer_format(&b, "base: process %" PRId64, p->pid[at]);
        }
        o->process[at] = 1 + pf_build_process(o->d->b, free_pid(o), pf_compare_text_of(o->d->c, &b));
        pf_buffer_free(&b);
    }
    return o->process[at] - 1;
}

static uint32_t track_of(base_drawing *o, uint32_t track, bool counter)
{
    const pf_trace *t = o->d->base;
    const pf_tracks *k = pf_trace_tracks(t);
    if (!o->track[track]) {
        char room[40];
        pf_str own = pf_trace_string(t, k->name[track]);
        pf_build_track_row row = {.of = PF_BUILD_PROCESS,
                                  .owner = process_of(o, track),
                                  .counter = counter,
                                  .name = counter && own.len ? own : pf_compare_lane_text(t, track, room),
                                  .unit = counter ? pf_trace_string(t, k->unit[track]) : (pf_str){NULL, 0},
                                  .description = PF_STR("as it is in the base, moved so that both runs start at the "
                                                        "same time")};
        o->track[track] = 1 + pf_build_track(o->d->b, &row);
    }
    return o->track[track] - 1;
}

static void draw_base(base_drawing *o)
{
    const compare_drawing *d = o->d;
    const pf_slices *s = pf_trace_slices(d->base);
    const pf_counters *k = pf_trace_counters(d->base);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str category = pf_trace_string(d->base, pf_slice_category(s, i));
        int64_t ts, dur = s->dur[i] < 0 ? 0 : s->dur[i];
        if (!pf_compare_move(pf_slice_ts(s, i), dur, d->shift, &ts) || pf_compare_is_ours(category)) {
            continue;
        }
        uint32_t track = track_of(o, s->track[i], false);
        pf_str name = pf_trace_string(d->base, pf_slice_name(s, i));
        if (pf_trace_events(d->base)->phase[s->event[i]] == 'i') {
            pf_build_instant(d->b, track, ts, name);
        } else {
            pf_build_slice(d->b, track, ts, dur, name);
        }
        if (category.ptr) {
            pf_build_category(d->b, category);
        }
    }
    for (uint32_t i = 0; i < k->count; i++) {
        int64_t ts;
        if (pf_compare_move(k->ts[i], 0, d->shift, &ts)) {
            pf_build_sample(d->b, track_of(o, k->track[i], true), ts, k->value[i]);
        }
    }
}

static pf_status prepare(base_drawing *o, pf_error *err)
{
    const compare_drawing *d = o->d;
    const pf_processes *p = pf_trace_processes(d->now);
    pf_map_init(&o->taken, &d->c->budget);
    for (uint32_t i = 0; i < p->count; i++) {
        PF_TRY(pf_map_put(&o->taken, (uint64_t)p->pid[i], i, err));
    }
    PF_TRY(PF_ARENA_NEW(&d->c->arena, o->process, (size_t)pf_trace_processes(d->base)->count + 1, err));
    return PF_ARENA_NEW(&d->c->arena, o->track, pf_trace_tracks(d->base)->count, err);
}

static pf_status draw(compare_drawing *d, base_drawing *base, pf_error *err)
{
    PF_TRY(prepare(base, err));
    d->iterations =
        d->now_calls->iterations < d->base_calls->iterations ? d->now_calls->iterations : d->base_calls->iterations;
    pf_build_copy_events(d->b, 0, pf_trace_events(d->now)->count);
    pf_build_copy_samples(d->b);
    d->group = pf_build_track(
        d->b, &(pf_build_track_row){.name = PF_STR("compare"),
                                    .description = PF_STR("what changed from the base to this run, by the time that "
                                                          "calls took themselves, without the calls inside"),
                                    .rank = -1});
    PF_TRY(pf_compare_mark(d, err));
    draw_iterations(d);
    draw_base(base);
    return d->c->refused ? pf_no_memory(err) : PF_OK;
}

pf_status pf_compare_draw(compare_drawing *d, const pf_limits *limits, pf_trace **out, pf_error *err)
{
    int64_t base_start, now_start, end;
    *out = NULL;
    pf_trace_bounds(d->base, &base_start, &end);
    pf_trace_bounds(d->now, &now_start, &end);
    if (__builtin_sub_overflow(now_start, base_start, &d->shift)) {
        return pf_fail(err, PF_ERR_INPUT, "the runs are too far apart to be drawn together");
    }
    d->b = pf_builder_derive(d->now, limits);
    base_drawing base = {.d = d, .next_pid = FIRST_PID - 1};
    pf_status st = d->b ? draw(d, &base, err) : pf_no_memory(err);
    st = st == PF_OK ? pf_builder_finish(d->b, out, err) : st;
    pf_map_free(&base.taken);
    pf_builder_free(d->b);
    return st;
}
