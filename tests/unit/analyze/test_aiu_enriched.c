/* The enriched trace: where each event stands in it, what its process and thread are called, what it keeps of the
 * recorded one. */
#include <inttypes.h>
#include <math.h>

#include "aiu_support.h"
#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "postfetto/build.h"

#include "../../shown_args.h"

/* A run over a recorded trace of process 7, "app", with thread 8, "worker". */
typedef struct enriched_run {
    aiu_facts_run f;
    pf_builder *b;
    pf_trace *recorded, *made;
    uint32_t upid, track;
} enriched_run;

static void open_recorded(enriched_run *r)
{
    *r = (enriched_run){.made = NULL};
    facts_open(&r->f, NULL);
    r->b = pf_builder_new(NULL);
    r->upid = pf_build_process(r->b, 7, PF_STR("app"));
    r->track = pf_build_thread_track(r->b, pf_build_thread(r->b, r->upid, 8, PF_STR("worker")));
}

static void finish_recorded(enriched_run *r)
{
    cr_assert_eq(pf_builder_finish(r->b, &r->recorded, &r->f.err), PF_OK, "%s", r->f.err.text);
    r->f.run.trace = r->recorded;
}

static void close_enriched(enriched_run *r)
{
    pf_trace_free(r->made);
    facts_close(&r->f);
    pf_trace_free(r->recorded);
    pf_builder_free(r->b);
}

static pf_status report_nothing(aiu_run *run)
{
    (void)run;
    return PF_OK;
}

static void put_name(pf_buffer *b, pf_str name)
{
    pf_buffer_format(b, "%.*s", name.ptr ? (int)name.len : 1, name.ptr ? name.ptr : "-");
}

/* "TIME+LENGTH NAME (CATEGORY) PID PROCESS / TID THREAD ARGUMENTS" for each slice, then the arrows. */
static void expect_made(enriched_run *r, const char *expected)
{
    r->made = pf_aiu_enriched(&r->f.run, report_nothing);
    cr_assert(r->made, "%s", r->f.run.error.text);
    const pf_slices *s = pf_trace_slices(r->made);
    const pf_threads *threads = pf_trace_threads(r->made);
    const pf_processes *processes = pf_trace_processes(r->made);
    const pf_flows *flows = pf_trace_flows(r->made);
    pf_buffer b = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t utid = pf_trace_tracks(r->made)->utid[s->track[i]], upid = threads->upid[utid];
        pf_buffer_format(&b, "%" PRId64 "+%" PRId64 " ", s->event_ts[s->event[i]], s->dur[i]);
        put_name(&b, pf_trace_string(r->made, s->event_name[s->event[i]]));
        if (s->event_category && s->event_category[s->event[i]]) {
            pf_buffer_text(&b, " (");
            put_name(&b, pf_trace_string(r->made, s->event_category[s->event[i]]));
            pf_buffer_text(&b, ")");
        }
        pf_buffer_format(&b, " %" PRId64 " ", processes->pid[upid]);
        put_name(&b, pf_trace_string(r->made, processes->name[upid]));
        pf_buffer_format(&b, " / %" PRId64 " ", threads->tid[utid]);
        put_name(&b, pf_trace_string(r->made, threads->name[utid]));
        show_args(r->made, s->event[i], &b);
        pf_buffer_text(&b, "\n");
    }
    for (uint32_t i = 0; i < flows->count; i++) {
        pf_buffer_format(&b, "%" PRIu32 " -> %" PRIu32 "\n", flows->slice_out[i], flows->slice_in[i]);
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
}

static uint32_t add(enriched_run *r, const char *name, int64_t pid, int64_t tid, double ts, uint32_t flags,
                    uint32_t row)
{
    uint32_t e = add_host(&r->f, name, pid, tid, ts, 5);
    r->f.run.events.flags[e] = flags;
    r->f.run.events.row[e] = row;
    return e;
}

/* Devices have the process that was recorded for their rank, hosts one of their own, torch keeps its names. Threads of
 * devices are called by their first slice, and the last two digits of their number. A text is 2^32 and its place. */
Test(aiu_enriched, slices_have_processes_and_threads)
{
    enriched_run r;
    open_recorded(&r);
    pf_build_slice(r.b, r.track, 0, 1, PF_STR("recorded"));
    pf_build_arg_int(r.b, PF_STR("a"), 1);
    finish_recorded(&r);
    int64_t proc = AIU_ID_TEXT | (int64_t)text_of(&r.f, "proc"), main = AIU_ID_TEXT | (int64_t)text_of(&r.f, "main");
    add(&r, "k Cmpt Exec", 7, 8, 10, AIU_HAS_TS, 0);
    add(&r, "x DmaI", 7, 100, 20, AIU_HAS_TS, PF_NONE);
    add(&r, "later DmaO", 7, 100, 30, AIU_HAS_TS, PF_NONE);
    add(&r, "x DmaO", 7, 101, 40, AIU_HAS_TS, PF_NONE);
    add(&r, "x Cmpt Prep", 7, 299, 50, AIU_HAS_TS, PF_NONE);
    add(&r, "other", 7, 5, 60, AIU_HAS_TS, PF_NONE);
    add(&r, "x DmaI of the host", 7, 6, 70, AIU_HOST_PID, 0);
    add(&r, "x DmaI", 6, main, 80, AIU_HAS_TS, PF_NONE);
    add(&r, "text", proc, AIU_ID_NONE, 90, AIU_HOST_PID, PF_NONE);
    add(&r, "no process", AIU_ID_NONE, 1, 95, 0, PF_NONE);
    add(&r, "collective", 7, 1, 96, AIU_REAL_COLL, PF_NONE);
    aiu_events *v = &r.f.run.events;
    v->cat[0] = text_of(&r.f, "c");
    v->class[1] = AIU_CLASS_DATA_IN;
    v->flags[1] |= AIU_HAS_CLASS;
    v->dur[2] = -3;
    pf_aiu_add_int(&r.f.run, 0, PF_STR("i"), 2);
    pf_aiu_add_real(&r.f.run, 0, PF_STR("a"), 0.5);
    expect_made(
        &r,
        "10000+5000 k Cmpt Exec (c) 7 AIU Device7 / 8 kernels 9 debug.a=0.5 real debug.i=2 debug.jobname='job-1.json'\n"
        "20000+5000 x DmaI 7 AIU Device7 / 100 transfers in debug.class='DATA_IN' debug.jobname='job-1.json'\n"
        "30000+0 later DmaO 7 AIU Device7 / 100 transfers in debug.jobname='job-1.json'\n"
        "40000+5000 x DmaO 7 AIU Device7 / 101 transfers out 2 debug.jobname='job-1.json'\n"
        "50000+5000 x Cmpt Prep 7 AIU Device7 / 299 kernels queued 100 debug.jobname='job-1.json'\n"
        "60000+5000 other 7 AIU Device7 / 5 - debug.jobname='job-1.json'\n"
        "70000+5000 x DmaI of the host 1007 Host7 / 6 - debug.a=1 debug.jobname='job-1.json'\n"
        "80000+5000 x DmaI 6 AIU Device6 / 4294967298 main debug.jobname='job-1.json'\n"
        "90000+5000 text 4294967297 proc / 0 - debug.jobname='job-1.json'\n");
    close_enriched(&r);
}

/* What torch inputs say of their processes stays, with what stages added; of other inputs nothing does. An instant
 * keeps its arguments; events that are neither are as they were recorded. */
Test(aiu_enriched, recorded_events_stay)
{
    enriched_run r;
    open_recorded(&r);
    for (int i = 0; i < 5; i++) {
        pf_build_slice(r.b, r.track, 1000 * i, 1, PF_STR("recorded"));
        pf_build_arg_int(r.b, PF_STR("a"), i);
    }
    finish_recorded(&r);
    aiu_events *v = &r.f.run.events;
    static const struct {
        char phase;
        int64_t pid;
        uint32_t flags;
    } events[] = {{'M', 7, AIU_TORCH}, {'M', 7, 0},           {'i', 7, AIU_TORCH},     {'n', 7, 0},
                  {'X', 7, AIU_TORCH}, {'n', AIU_ID_NONE, 0}, {'n', 7, AIU_REAL_COLL}, {'M', AIU_ID_NONE, AIU_TORCH}};
    for (uint32_t i = 0; i < sizeof events / sizeof *events; i++) {
        uint32_t e = add(&r, "shown", events[i].pid, 8, 10 * (i + 1), events[i].flags, i % 5);
        v->phase[e] = (uint8_t)events[i].phase;
        v->cat[e] = text_of(&r.f, "c");
        pf_aiu_add_text(&r.f.run, e, PF_STR("x"), PF_STR("y"));
    }
    expect_made(&r, "0+1 recorded 7 app / 8 worker debug.a=0 debug.x='y'\n"
                    "2000+1 recorded 7 app / 8 worker debug.a=2 debug.x='y'\n"
                    "3000+1 recorded 7 app / 8 worker debug.a=3\n"
                    "30000+0 shown 7 app / 8 worker debug.a=2 debug.x='y' debug.jobname='job-1.json'\n"
                    "50000+5000 shown (c) 7 app / 8 worker debug.a=4 debug.x='y' debug.jobname='job-1.json'\n");
    close_enriched(&r);
}

/* Arrows end at instants where receives end, 1 ns before, but not before they begin; those that go back begin there. */
Test(aiu_enriched, arrows_end_where_receives_do)
{
    enriched_run r;
    open_recorded(&r);
    finish_recorded(&r);
    uint32_t send = add(&r, "send", 7, 1, 10, 0, PF_NONE), get = add(&r, "get", 9, 2, 4, 0, PF_NONE);
    uint32_t late = add(&r, "late send", 9, 2, 100, 0, PF_NONE), early = add(&r, "early", 7, 1, 90, 0, PF_NONE);
    uint32_t none = add(&r, "none", 7, 1, 120, 0, PF_NONE);
    r.f.run.events.dur[get] = 16;
    r.f.run.events.dur[none] = 0;
    r.f.run.order[0] = get;
    r.f.run.order[1] = send;
    r.f.run.order[2] = early;
    r.f.run.order[3] = late;
    aiu_arrow_pair pairs[] = {{send, get}, {late, early}, {early, none}};
    aiu_exchange *x = pf_aiu_exchange(&r.f.run);
    x->arrow = pairs;
    x->arrows = 3;
    expect_made(&r, "4000+16000 get 9 AIU Device9 / 2 - debug.jobname='job-1.json'\n"
                    "10000+5000 send 7 AIU Device7 / 1 - debug.jobname='job-1.json'\n"
                    "19999+0 from rank 7 (postfetto) 9 AIU Device9 / 2 -\n"
                    "90000+5000 early 7 AIU Device7 / 1 - debug.jobname='job-1.json'\n"
                    "94999+0 from rank 9 (postfetto) 7 AIU Device7 / 1 -\n"
                    "100000+5000 late send 9 AIU Device9 / 2 - debug.jobname='job-1.json'\n"
                    "120000+0 from rank 7 (postfetto) 7 AIU Device7 / 1 -\n"
                    "120000+0 none 7 AIU Device7 / 1 - debug.jobname='job-1.json'\n"
                    "1 -> 2\n"
                    "4 -> 5\n"
                    "3 -> 6\n");
    close_enriched(&r);
}

/* Beyond 64 bits of nanoseconds half of what there is. */
Test(aiu_enriched, times_are_nanoseconds)
{
    static const struct {
        double us;
        int64_t ns;
    } cases[] = {{0, 5},
                 {1.0004, 1005},
                 {1.0006, 1006},
                 {-1, -995},
                 {8.9e15, INT64_C(8900000000000000000) + 5},
                 {-8.9e15, INT64_C(-8900000000000000000) + 5},
                 {9e15, INT64_MAX / 2},
                 {-9e15, INT64_MIN / 2},
                 {1e300, INT64_MAX / 2},
                 {INFINITY, INT64_MAX / 2},
                 {-INFINITY, INT64_MIN / 2},
                 {NAN, INT64_MIN / 2}};
    aiu_run run = {.origin_ns = 5};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ns = pf_aiu_nanoseconds(&run, cases[i].us);
        cr_expect_eq(ns, cases[i].ns, "%g us: %" PRId64, cases[i].us, ns);
    }
}
