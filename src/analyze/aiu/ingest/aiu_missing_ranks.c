/* analyze/aiu/ingest/aiu_missing_ranks.c - what a capture of several ranks lacks: inputs without events, ranks that
 * others exchange data with and that no input is of, ranks without the collectives that others have. Everything counts
 * as it is, and a line says what that means. Without any event of an AIU there is nothing to count, which is an error.
 */
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

enum { MOST_NAMED = 32 }; /* missing ranks that get a line each */

typedef struct missing {
    aiu_run *run;
    uint32_t *events_of; /* by job */
    bool *device;        /* by rank: it has device events, */
    bool *grouped;       /* and events of collectives */
    bool any;            /* an event that can be of an AIU */
    pf_map looked_at;    /* texts of Peer */
    int64_t pids[MOST_NAMED];
    uint32_t count;
} missing;

static bool is_known(const missing *a, int64_t pid)
{
    bool known = pf_map_get(&a->run->ranks.by_pid, (uint64_t)pid) != PF_NONE;
    for (uint32_t i = 0; i < a->count && !known; i++) {
        known = a->pids[i] == pid;
    }
    return known;
}

static void take_peer(missing *a, uint32_t text)
{
    pf_str digits = pf_aiu_text_of(a->run, text);
    int64_t pid;
    if (pf_map_get(&a->looked_at, text) != PF_NONE) {
        return;
    }
    if (pf_parse_int(digits.ptr, digits.len, &pid) && a->count < MOST_NAMED && !is_known(a, pid)) {
        a->pids[a->count++] = pid;
    }
    pf_aiu_map(a->run, &a->looked_at, text, 1);
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

static void say(const missing *a)
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

pf_status pf_aiu_check_missing_ranks(aiu_run *run)
{
    size_t ranks = (size_t)run->ranks.count + 1;
    missing a = {.run = run,
                 .events_of = pf_aiu_alloc(run, (size_t)run->job_count + 1, sizeof *a.events_of),
                 .device = pf_aiu_alloc(run, ranks, sizeof *a.device),
                 .grouped = pf_aiu_alloc(run, ranks, sizeof *a.grouped)};
    if (pf_aiu_failed(run)) {
        return run->error.code;
    }
    pf_map_init(&a.looked_at, run->budget);
    look_at_events(&a);
    pf_map_free(&a.looked_at);
    if (a.any) {
        say(&a);
    } else if (!pf_aiu_failed(run)) {
        pf_fail(&run->error, PF_ERR_INPUT,
                "no event of an AIU is in it%s: no TS1 to TS5, no Cmpt Exec, no torch trace (deviceProperties)",
                run->job_count > 1 ? ", nor in the other inputs" : "");
        pf_error_in(&run->error, pf_trace_input(run->trace, 0)->path);
    }
    return run->error.code;
}
