/* analyze/compare/compare_trace.c - the new run with what got slower marked, and the base below it.
 *
 * The trace is a copy of the new one. A process "compare" has a row with a mark over every call of a row that got
 * slower, named after how much. The processes of the base follow as "base: NAME", their tracks as rows with slices and
 * samples, moved so that both runs start at the same time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "base/buffer.h"
#include "base/text/number.h"
#include "postfetto/build.h"

/* Pids of ours begin here and step over those of the trace. */
enum { FIRST_PID = 1000000000 };

typedef struct drawing {
    compare *c;
    const compare_result *r;
    const pf_trace *base, *now;
    const uint8_t *now_place; /* compare_place of its slices */
    pf_builder *b;
    int64_t next_pid, shift;
    uint32_t *process; /* by upid of the base, then one for what has none; the new upid + 1 */
    uint32_t *track;   /* by track of the base: the new one + 1 */
} drawing;

static int64_t free_pid(drawing *d)
{
    const pf_processes *p = pf_trace_processes(d->now);
    for (bool taken = true; taken;) {
        taken = false;
        d->next_pid++;
        for (uint32_t i = 0; i < p->count && !taken; i++) {
            taken = p->pid[i] == d->next_pid;
        }
    }
    return d->next_pid;
}

/* ---- marks ------------------------------------------------------------------------------------------------------- */

/* A length as people read it. */
static void put_length(char out[PF_FIXED_MAX + 8], double v, pf_time_unit unit)
{
    static const struct {
        double below, divisor;
        int decimals;
        const char *unit;
    } steps[] = {{1e3, 1, 0, " ns"}, {1e6, 1e3, 1, " us"}, {1e9, 1e6, 1, " ms"}, {HUGE_VAL, 1e9, 2, " s"}};
    size_t i = 0;
    while (unit == PF_UNIT_NS && i < 3 && v >= steps[i].below) {
        i++;
    }
    size_t len = pf_format_real_fixed(v / steps[i].divisor, steps[i].decimals, out);
    const char *word = unit == PF_UNIT_CYCLE ? " cycles" : steps[i].unit;
    memcpy(out + len, word, strlen(word) + 1);
}

static void mark(drawing *d, uint32_t track, const pf_slices *s, uint32_t i, const compare_row *row)
{
    char text[800], length[PF_FIXED_MAX + 8];
    pf_str name = pf_compare_row_text(d->c, row->name);
    double more = (double)s->dur[i] - row->base.mean;
    put_length(length, fabs(more), pf_trace_time_unit(d->now));
    int n = snprintf(text, sizeof text, "%s%s %.*s", more < 0 ? "-" : "+", length, name.len > 300 ? 300 : (int)name.len,
                     name.ptr);
    pf_build_slice(d->b, track, pf_slice_ts(s, i), s->dur[i], (pf_str){text, n > 0 ? (size_t)n : 0});
    pf_build_category(d->b, PF_STR("postfetto.compare"));
    pf_build_arg_real(d->b, PF_STR("more than the base's mean"), more);
    pf_build_arg_real(d->b, PF_STR("base mean"), row->base.mean);
    pf_build_arg_real(d->b, PF_STR("base median"), row->base.median);
    pf_build_arg_real(d->b, PF_STR("ratio of totals"), row->ratio);
}

static pf_status draw_marks(drawing *d, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(d->now);
    const compare_row **slower;
    uint32_t known = d->c->names.count;
    bool any = false;
    PF_TRY(PF_ARENA_NEW(&d->c->arena, slower, known, err));
    for (uint32_t i = 0; i < d->r->count; i++) {
        if (d->r->rows[i].verdict == COMPARE_SLOWER) {
            slower[d->r->rows[i].name] = &d->r->rows[i];
            any = true;
        }
    }
    compare_namer *namer = any ? pf_compare_namer_new(d->c, d->now, d->now_place, err) : NULL;
    if (!namer) {
        return any ? err->code : PF_OK;
    }
    const pf_build_track_row marks = {
        .of = PF_BUILD_PROCESS,
        .owner = pf_build_process(d->b, free_pid(d), PF_STR("compare")),
        .name = PF_STR("slower than the base"),
        .description = PF_STR("calls of names whose total time grew significantly; the name says by how much this call "
                              "is longer than the base's mean"),
        .rank = -1};
    uint32_t track = pf_build_track(d->b, &marks), row = 0;
    for (uint32_t i = 0; row != PF_NONE && i < s->count; i++) {
        if (d->now_place[i] != COMPARE_LEFT_OUT) {
            row = pf_compare_name(namer, i, err);
            if (row < known && slower[row]) {
                mark(d, track, s, i, slower[row]);
            }
        }
    }
    pf_compare_namer_free(namer);
    return row == PF_NONE ? err->code : PF_OK;
}

/* ---- the base ---------------------------------------------------------------------------------------------------- */

static pf_str or_else(pf_str s, pf_str other)
{
    return s.ptr && s.len ? s : other;
}

static uint32_t process_of(drawing *d, uint32_t track)
{
    const pf_tracks *k = pf_trace_tracks(d->base);
    const pf_processes *p = pf_trace_processes(d->base);
    uint32_t upid = k->upid[track];
    uint32_t at = upid < p->count ? upid : p->count;
    if (!d->process[at]) {
        pf_buffer b = {0};
        pf_str name = at < p->count ? pf_trace_string(d->base, p->name[at]) : PF_STR("without a process");
        if (name.ptr && name.len) {
            pf_buffer_text(&b, "base: ");
            pf_buffer_put(&b, name.ptr, name.len);
        } else {
            pf_buffer_format(&b, "base: process %" PRId64, p->pid[at]);
        }
        d->process[at] =
            1 + pf_build_process(d->b, free_pid(d), (pf_str){b.failed ? "" : b.data, b.failed ? 0 : b.len});
        pf_buffer_free(&b);
    }
    return d->process[at] - 1;
}

static uint32_t track_of(drawing *d, uint32_t track, bool counter)
{
    const pf_tracks *k = pf_trace_tracks(d->base);
    const pf_threads *t = pf_trace_threads(d->base);
    if (!d->track[track]) {
        char number[40];
        uint32_t utid = k->utid[track];
        int n = utid == PF_NONE ? snprintf(number, sizeof number, "track %" PRIu32, track)
                                : snprintf(number, sizeof number, "thread %" PRId64, t->tid[utid]);
        pf_str own = pf_trace_string(d->base, k->name[track]);
        pf_str thread = utid == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(d->base, t->name[utid]);
        pf_str name = or_else(counter ? own : thread, or_else(own, (pf_str){number, (size_t)n}));
        pf_build_track_row row = {.of = PF_BUILD_PROCESS,
                                  .owner = process_of(d, track),
                                  .counter = counter,
                                  .name = name,
                                  .unit = counter ? pf_trace_string(d->base, k->unit[track]) : (pf_str){NULL, 0}};
        d->track[track] = 1 + pf_build_track(d->b, &row);
    }
    return d->track[track] - 1;
}

static void draw_base(drawing *d)
{
    const pf_slices *s = pf_trace_slices(d->base);
    const pf_counters *k = pf_trace_counters(d->base);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str category = pf_trace_string(d->base, pf_slice_category(s, i));
        int64_t ts;
        if (__builtin_add_overflow(pf_slice_ts(s, i), d->shift, &ts) || ts < 0 || pf_compare_is_ours(category)) {
            continue;
        }
        uint32_t track = track_of(d, s->track[i], false);
        pf_str name = pf_trace_string(d->base, pf_slice_name(s, i));
        if (pf_trace_events(d->base)->phase[s->event[i]] == 'i') {
            pf_build_instant(d->b, track, ts, name);
        } else {
            pf_build_slice(d->b, track, ts, s->dur[i] < 0 ? 0 : s->dur[i], name);
        }
        if (category.ptr) {
            pf_build_category(d->b, category);
        }
    }
    for (uint32_t i = 0; i < k->count; i++) {
        int64_t ts;
        if (!__builtin_add_overflow(k->ts[i], d->shift, &ts) && ts >= 0) {
            pf_build_sample(d->b, track_of(d, k->track[i], true), ts, k->value[i]);
        }
    }
}

static pf_status draw(drawing *d, pf_trace **out, pf_error *err)
{
    pf_arena *arena = &d->c->arena;
    PF_TRY(PF_ARENA_NEW(arena, d->process, (size_t)pf_trace_processes(d->base)->count + 1, err));
    PF_TRY(PF_ARENA_NEW(arena, d->track, pf_trace_tracks(d->base)->count, err));
    pf_build_copy_events(d->b, 0, pf_trace_events(d->now)->count);
    pf_build_copy_samples(d->b);
    PF_TRY(draw_marks(d, err));
    draw_base(d);
    return pf_builder_finish(d->b, out, err);
}

pf_status pf_compare_draw(compare *c, const compare_result *r, const pf_trace *base, const pf_trace *now,
                          const uint8_t *now_place, const pf_limits *limits, pf_trace **out, pf_error *err)
{
    int64_t base_start, now_start, end;
    drawing d = {.c = c, .r = r, .base = base, .now = now, .now_place = now_place, .next_pid = FIRST_PID - 1};
    *out = NULL;
    pf_trace_bounds(base, &base_start, &end);
    pf_trace_bounds(now, &now_start, &end);
    if (__builtin_sub_overflow(now_start, base_start, &d.shift)) {
        return pf_fail(err, PF_ERR_INPUT, "the runs are too far apart to be drawn together");
    }
    d.b = pf_builder_derive(now, limits);
    pf_status st = d.b ? draw(&d, out, err) : pf_no_memory(err);
    pf_builder_free(d.b);
    return st;
}
