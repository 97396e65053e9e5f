/* analyze/aiu/ingest/aiu_rank_checks.c - inputs that say the same rank where they should not, and ranks that a
 * capture lacks.
 *
 * Files of a flex capture are jobs, and the jobs of a rank run one after the other. Where kernels of two of them run on
 * a rank at the same time, a rank number was given twice, one file twice, or two captures are mixed: everything counts,
 * and a line says so. A torch trace is all of its rank, so two of one rank are suspicious as they are. A flex and a
 * torch trace of a rank at the same time are two views of one device: the kernels of flex count.
 *
 * A capture lacks inputs without events, ranks that others exchange data with and that no input is of, ranks without
 * the collectives that others have. Everything counts as it is, and a line says what that means. Without any event of
 * an AIU there is nothing to count, which is an error. */
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

/* From when to when kernels of a job ran on a rank. */
typedef struct span {
    double from, to;
    uint32_t job, rank;
} span;

typedef struct spans {
    aiu_run *run;
    span *list;
    uint32_t count, room;
    pf_map *by_job; /* job and rank -> place in the list */
} spans;

static void take_kernel(spans *s, uint32_t e)
{
    const aiu_events *v = &s->run->events;
    double from = v->ts[e], to = pf_aiu_end(s->run, e);
    uint64_t key = (uint64_t)v->job[e] << 32 | v->rank[e];
    uint32_t at = pf_map_get(s->by_job, key);
    if (at != PF_NONE) {
        span *of = &s->list[at];
        of->from = from < of->from ? from : of->from;
        of->to = to > of->to ? to : of->to;
    } else if (AIU_ROOM(s->run, s->list, s->count + 1, s->room) == PF_OK &&
               pf_aiu_map(s->run, s->by_job, key, s->count) == PF_OK) {
        s->list[s->count++] = (span){from, to, v->job[e], v->rank[e]};
    }
}

static void say(aiu_run *run, uint32_t rank, uint32_t a, uint32_t b, const char *what)
{
    pf_str one = run->jobs[a].name, other = run->jobs[b].name, pid = pf_aiu_pid_text(run, run->ranks.pid[rank]);
    pf_aiu_log(run, "WARNING",
               "Ingestion: %.*s and %.*s %s rank %.*s; both are taken for it, and their kernels count together. Is a "
               "rank number given twice, or are two captures mixed?",
               PF_TEXT_ARG(one), PF_TEXT_ARG(other), what, PF_TEXT_ARG(pid));
}

/* Spans in the order of their begins, rank by rank: the first pair of each rank that overlaps. */
static void say_overlaps(spans *s)
{
    aiu_key *keys = pf_aiu_alloc(s->run, (size_t)s->count + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < s->count; i++) {
        keys[i] = (aiu_key){s->list[i].rank, s->list[i].from, i};
    }
    uint32_t said = PF_NONE, count = pf_aiu_sort_keys(s->run, keys, s->count) == PF_OK ? s->count : 0;
    for (uint32_t i = 1; i < count; i++) {
        const span *a = &s->list[keys[i - 1].row], *b = &s->list[keys[i].row];
        if (a->rank == b->rank && b->from < a->to && said != b->rank) {
            say(s->run, b->rank, a->job, b->job, "have kernels at the same time on");
            said = b->rank;
        }
    }
}

/* Torch inputs by the rank that they say, or 0 if they say none. */
static void say_torch_ranks(aiu_run *run)
{
    pf_map *first = pf_aiu_scratch_map(run);
    for (uint32_t i = 0; i < run->job_count; i++) {
        const aiu_job *job = &run->jobs[i];
        if (!job->torch || job->ignored) {
            continue;
        }
        uint32_t other = pf_map_get(first, (uint64_t)job->rank);
        uint32_t rank = other == PF_NONE ? PF_NONE : pf_aiu_rank(run, job->rank);
        if (rank != PF_NONE) {
            say(run, rank, other, i, job->has_rank ? "both say that they are" : "do not say whose they are: each is");
        } else if (other == PF_NONE) {
            pf_aiu_map(run, first, (uint64_t)job->rank, i);
        }
    }
}

/* Ranks whose kernels flex and torch inputs show at the same time. */
static void find_views(aiu_run *run)
{
    const aiu_events *v = &run->events;
    uint32_t n = run->ranks.count;
    span *of = pf_aiu_alloc(run, 2 * (size_t)n + 1, sizeof *of);
    bool *twice = pf_aiu_alloc(run, (size_t)n + 1, sizeof *twice);
    for (uint32_t i = 0; twice && i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_kernel(run, e)) {
            span *s = &of[2 * v->rank[e] + (v->flags[e] & AIU_TORCH ? 1 : 0)];
            bool first = !s->job;
            *s = (span){first || v->ts[e] < s->from ? v->ts[e] : s->from,
                        first || pf_aiu_end(run, e) > s->to ? pf_aiu_end(run, e) : s->to, 1, v->rank[e]};
        }
    }
    for (uint32_t r = 0; twice && r < n; r++) {
        const span *flex = &of[2 * r], *torch = flex + 1;
        twice[r] = flex->job && torch->job && flex->from < torch->to && torch->from < flex->to;
        if (twice[r]) {
            pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[r]);
            pf_aiu_log(run, "WARNING",
                       "Ingestion: a flex and a torch trace show rank %.*s at the same time; they are two views of one "
                       "device, and kernels of the flex trace count",
                       PF_TEXT_ARG(pid));
        }
    }
    run->twice = twice;
    run->twice_count = twice ? n : 0;
}

void pf_aiu_check_duplicate_ranks(aiu_run *run)
{
    spans s = {.run = run};
    s.by_job = pf_aiu_scratch_map(run);
    for (uint32_t i = 0; i < run->alive && run->job_count > 1; i++) {
        uint32_t e = run->order[i];
        bool counts = pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e) && pf_aiu_is_kernel(run, e);
        if (counts && !(run->events.flags[e] & AIU_TORCH)) {
            take_kernel(&s, e);
        }
    }
    say_overlaps(&s);
    if (run->any_torch) {
        say_torch_ranks(run);
    }
    if (run->any_torch && run->any_flex) {
        find_views(run);
    }
}

enum { MOST_NAMED = 32 }; /* missing ranks that get a line each */

typedef struct missing {
    aiu_run *run;
    uint32_t *events_of; /* by job */
    bool *device;        /* by rank: it has device events, */
    bool *grouped;       /* and events of collectives */
    bool any;            /* an event that can be of an AIU */
    pf_map *looked_at;   /* texts of Peer */
    int64_t pids[MOST_NAMED];
    uint32_t count;
} missing;

static bool is_known(const missing *a, int64_t pid)
{
    bool known = pf_map_get(a->run->ranks.by_pid, (uint64_t)pid) != PF_NONE;
    for (uint32_t i = 0; i < a->count && !known; i++) {
        known = a->pids[i] == pid;
    }
    return known;
}

static void take_peer(missing *a, uint32_t text)
{
    pf_str digits = pf_aiu_text_of(a->run, text);
    int64_t pid;
    if (pf_map_get(a->looked_at, text) != PF_NONE) {
        return;
    }
    if (pf_parse_int(digits.ptr, digits.len, &pid) && a->count < MOST_NAMED && !is_known(a, pid)) {
        a->pids[a->count++] = pid;
    }
    pf_aiu_map(a->run, a->looked_at, text, 1);
}

/* Of flex traces what has counters or the name of a step, or is a round trip; torch says its devices. */
static bool can_be_aiu(aiu_run *run, uint32_t e)
{
    const aiu_name *name = pf_aiu_name(run, run->events.name[e]);
    return run->events.flags[e] & (AIU_HAS_TS | AIU_TORCH) || name->has != AIU_OP_NONE ||
           name->flags & AIU_NAME_ROUNDTRIP;
}

static void look_at_events(missing *a)
{
    const aiu_events *v = &a->run->events;
    for (uint32_t i = 0; i < a->run->alive; i++) {
        uint32_t e = a->run->order[i];
        a->events_of[v->job[e]]++;
        a->any |= can_be_aiu(a->run, e);
        if (pf_aiu_is_device(a->run, e)) {
            a->device[v->rank[e]] = true;
            a->grouped[v->rank[e]] |= v->group[e] != 0;
            if (v->peer[e]) {
                take_peer(a, v->peer[e]);
            }
        }
    }
}

static void say_missing(const missing *a)
{
    aiu_run *run = a->run;
    bool any_grouped = false;
    for (uint32_t i = 0; i < run->job_count; i++) {
        if (!a->events_of[i] && !run->jobs[i].ignored) {
            pf_aiu_log(run, "WARNING", "Ingestion: %.*s has no events", PF_TEXT_ARG(run->jobs[i].name));
        }
    }
    for (uint32_t i = 0; i < a->count; i++) {
        pf_str pid = pf_aiu_pid_text(run, a->pids[i]);
        pf_aiu_log(
            run, "WARNING",
            "Ingestion: transfers name rank %.*s as their peer, and no input is of it; what needs its side, flows "
            "and whole collectives, is left out",
            PF_TEXT_ARG(pid));
    }
    for (uint32_t i = 0; i < run->ranks.count; i++) {
        any_grouped |= a->grouped[i];
    }
    for (uint32_t i = 0; i < run->ranks.count && any_grouped; i++) {
        if (a->device[i] && !a->grouped[i]) {
            pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[i]);
            pf_aiu_log(run, "WARNING",
                       "Ingestion: rank %.*s has no collectives, other ranks have; comparisons of ranks are without it",
                       PF_TEXT_ARG(pid));
        }
    }
}

void pf_aiu_check_missing_ranks(aiu_run *run)
{
    size_t ranks = (size_t)run->ranks.count + 1;
    missing a = {.run = run,
                 .events_of = pf_aiu_alloc(run, (size_t)run->job_count + 1, sizeof *a.events_of),
                 .device = pf_aiu_alloc(run, ranks, sizeof *a.device),
                 .grouped = pf_aiu_alloc(run, ranks, sizeof *a.grouped)};
    if (pf_aiu_failed(run)) {
        return;
    }
    a.looked_at = pf_aiu_scratch_map(run);
    look_at_events(&a);
    if (a.any) {
        say_missing(&a);
    } else if (!pf_aiu_failed(run)) {
        pf_fail(&run->error, PF_ERR_INPUT,
                "no event of an AIU is in it%s: no TS1 to TS5, no Cmpt Exec, no torch trace (deviceProperties)",
                run->job_count > 1 ? ", nor in the other inputs" : "");
        pf_error_in(&run->error, pf_trace_input(run->trace, 0)->path);
    }
}
