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

static void say(aiu_run *run, uint32_t rank, uint32_t a, uint32_t b, const char *what)
{
    pf_aiu_log(run, "WARNING",
               "Ingestion: %.*s and %.*s %s rank %s; both are taken for it, and their kernels count together. Is a "
               "rank number given twice, or are two captures mixed?",
               PF_TEXT_ARG(run->jobs[a].name), PF_TEXT_ARG(run->jobs[b].name), what, pf_aiu_rank_name(run, rank));
}

static bool is_flex_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_device_slice(run, e) && pf_aiu_is_kernel(run, e) && !(run->events.flags[e] & AIU_TORCH);
}

/* When kernels of jobs ran on ranks, in the order of their begins, rank by rank: the first pair of each rank that
 * overlaps. */
static void say_overlaps(aiu_run *run)
{
    const aiu_events *v = &run->events;
    aiu_pairs pairs = pf_aiu_scratch_pairs(run);
    aiu_rows kernels = pf_aiu_rows(run, is_flex_kernel);
    aiu_range *ranges = pf_aiu_scratch(run, kernels.count, sizeof *ranges);
    uint32_t *kernel = pf_aiu_scratch(run, kernels.count, sizeof *kernel), count = 0, said = PF_NONE;
    aiu_key *keys = pf_aiu_scratch(run, kernels.count, sizeof *keys);
    for (uint32_t i = 0; keys && i < kernels.count; i++) {
        uint32_t e = kernels.list[i], at = pf_aiu_pair(run, &pairs, v->job[e], v->rank[e]);
        if (at < kernels.count) {
            pf_aiu_widen(&ranges[at], v->ts[e], pf_aiu_end(run, e));
            kernel[at] = e;
            count = at < count ? count : at + 1;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (aiu_key){v->rank[kernel[i]], ranges[i].from, i};
    }
    pf_aiu_sort_keys(run, keys, count);
    for (uint32_t i = 1; i < count && !pf_aiu_failed(run); i++) {
        uint32_t a = keys[i - 1].row, b = keys[i].row, rank = v->rank[kernel[b]];
        if (v->rank[kernel[a]] == rank && ranges[b].from < ranges[a].to && said != rank) {
            say(run, rank, v->job[kernel[a]], v->job[kernel[b]], "have kernels at the same time on");
            said = rank;
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
    aiu_range *of = pf_aiu_scratch(run, 2 * (size_t)n, sizeof *of);
    bool *twice = pf_aiu_alloc(run, (size_t)n + 1, sizeof *twice);
    for (uint32_t i = 0, e; twice && pf_aiu_next(run, pf_aiu_is_kernel, &i, &e);) {
        pf_aiu_widen(&of[2 * v->rank[e] + (v->flags[e] & AIU_TORCH ? 1 : 0)], v->ts[e], pf_aiu_end(run, e));
    }
    for (uint32_t r = 0; twice && r < n; r++) {
        const aiu_range *flex = &of[2 * r], *torch = flex + 1;
        twice[r] = flex->any && torch->any && flex->from < torch->to && torch->from < flex->to;
        if (twice[r]) {
            pf_aiu_log(run, "WARNING",
                       "Ingestion: a flex and a torch trace show rank %s at the same time; they are two views of one "
                       "device, and kernels of the flex trace count",
                       pf_aiu_rank_name(run, r));
        }
    }
    run->twice = twice;
    run->twice_count = twice ? n : 0;
}

void pf_aiu_check_duplicate_ranks(aiu_run *run)
{
    if (run->job_count > 1) {
        say_overlaps(run);
    }
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
    bool any_grouped;
    bool any;          /* an event that can be of an AIU */
    pf_map *looked_at; /* texts of Peer */
    int64_t pids[MOST_NAMED];
    uint32_t count;
} missing;

static void take_peer(missing *a, uint32_t text)
{
    pf_str digits = pf_aiu_text_of(a->run, text);
    int64_t pid;
    if (pf_map_get(a->looked_at, text) == PF_NONE && pf_parse_int(digits.ptr, digits.len, &pid)) {
        bool known = pf_map_get(a->run->ranks.by_pid, (uint64_t)pid) != PF_NONE || a->count == MOST_NAMED;
        for (uint32_t i = 0; i < a->count; i++) {
            known |= a->pids[i] == pid;
        }
        if (!known) {
            a->pids[a->count++] = pid;
        }
    }
    pf_aiu_map(a->run, a->looked_at, text, 1);
}

/* Of flex traces an AIU's is what has counters or the name of a step, or is a round trip; torch says its devices. */
static void look_at_events(missing *a)
{
    aiu_run *run = a->run;
    const aiu_events *v = &run->events;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        const aiu_name *name = pf_aiu_name(run, v->name[e]);
        a->events_of[v->job[e]]++;
        a->any |=
            v->flags[e] & (AIU_HAS_TS | AIU_TORCH) || name->has != AIU_OP_NONE || name->flags & AIU_NAME_ROUNDTRIP;
        if (pf_aiu_is_device(run, e)) {
            a->device[v->rank[e]] = true;
            a->grouped[v->rank[e]] |= v->group[e] != 0;
            a->any_grouped |= v->group[e] != 0;
            if (v->peer[e]) {
                take_peer(a, v->peer[e]);
            }
        }
    }
}

static void say_missing(const missing *a)
{
    aiu_run *run = a->run;
    for (uint32_t i = 0; i < run->job_count; i++) {
        if (!a->events_of[i] && !run->jobs[i].ignored) {
            pf_aiu_log(run, "WARNING", "Ingestion: %.*s has no events", PF_TEXT_ARG(run->jobs[i].name));
        }
    }
    for (uint32_t i = 0; i < a->count; i++) {
        pf_str pid = pf_aiu_pid_text(run, a->pids[i]);
        pf_aiu_log(run, "WARNING",
                   "Ingestion: transfers name rank %.*s as their peer, and no input is of it; what needs its side, "
                   "flows and whole collectives, is left out",
                   PF_TEXT_ARG(pid));
    }
    for (uint32_t i = 0; i < run->ranks.count && a->any_grouped; i++) {
        if (a->device[i] && !a->grouped[i]) {
            pf_aiu_log(run, "WARNING",
                       "Ingestion: rank %s has no collectives, other ranks have; comparisons of ranks are without it",
                       pf_aiu_rank_name(run, i));
        }
    }
}

void pf_aiu_check_missing_ranks(aiu_run *run)
{
    size_t ranks = (size_t)run->ranks.count + 1;
    missing a = {.run = run,
                 .events_of = pf_aiu_scratch(run, (size_t)run->job_count + 1, sizeof *a.events_of),
                 .device = pf_aiu_scratch(run, ranks, sizeof *a.device),
                 .grouped = pf_aiu_scratch(run, ranks, sizeof *a.grouped),
                 .looked_at = pf_aiu_scratch_map(run)};
    if (pf_aiu_failed(run)) {
        return;
    }
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
