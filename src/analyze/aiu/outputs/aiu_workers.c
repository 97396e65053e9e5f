/* analyze/aiu/outputs/aiu_workers.c - a file for each rank (--tb), where there are several.
 *
 * A torch input says its rank, and what it holds is that rank's, whatever its pids are; in flex inputs ranks are the
 * pids of device events, and their hosts are 1000 higher. The original writes as many files as there are pids, hosts
 * being their ranks, and one less if there are several.
 */
#include "analyze/aiu/acelyzer/acelyzer_forms.h"
#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/support/order_stats.h"

/* The ranks of inputs that have events, and of device events: keys of `ranks`. */
static void find_ranks(aiu_run *run, pf_map *ranks)
{
    const aiu_events *v = &run->events;
    run->workers = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *run->workers);
    for (uint32_t i = 0; run->workers && i < run->ranks.count; i++) {
        run->workers[i] = AIU_ID_NONE;
    }
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t e = run->order[i];
        bool torch = v->flags[e] & AIU_TORCH;
        int64_t id = torch ? run->jobs[v->job[e]].rank : run->ranks.pid[v->rank[e]];
        if (torch && v->row[e] != PF_NONE) {
            run->workers[v->rank[e]] = id;
        }
        if ((torch || v->flags[e] & AIU_HAS_TS) && pf_aiu_is_number(id)) {
            pf_aiu_map(run, ranks, (uint64_t)id, 0);
        }
    }
}

/* A pid as the original counts it: hosts, 1000 higher, are their ranks. */
static void add_pid(aiu_run *run, pf_map *pids, int64_t pid)
{
    if (pf_aiu_is_number(pid)) {
        pf_aiu_map(run, pids, (uint64_t)(pid >= AIU_HOST_PIDS ? pid - AIU_HOST_PIDS : pid), 0);
    }
}

/* The pids of everything that is written. */
static void find_pids(aiu_run *run, pf_map *pids)
{
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        add_pid(run, pids, run->events.flags[e] & AIU_DROPPED ? AIU_ID_NONE : run->events.pid[e]);
    }
    for (uint32_t i = 0; i < run->samples.count; i++) {
        add_pid(run, pids, run->samples.pid[i]);
    }
    for (uint32_t i = 0; i < run->arrows.count; i++) {
        add_pid(run, pids, run->arrows.pid[i]);
    }
}

static void write_worker(aiu_run *run, int64_t rank)
{
    pf_str stem = pf_aiu_stem(run), own = pf_aiu_last_part(run->ctx->output);
    pf_str name =
        pf_findings_format(run->findings, "%.*s_worker_%lld.pt.trace.json", (int)stem.len, stem.ptr, (long long)rank);
    pf_aiu_add_file(run, name,
                    pf_acelyzer_json(run, &(acelyzer_json_form){.trace_name = own, .one_rank = true, .rank = rank}),
                    PF_PLACE_BESIDE);
}

/* The original takes one pid less than there are for that of the bandwidth of collectives, and counts from 0. */
void pf_aiu_write_workers(aiu_run *run)
{
    bool want = run->set.compat == AIU_WANT;
    pf_map found;
    pf_map_init(&found, run->budget);
    run->workers = NULL;
    (want ? find_ranks : find_pids)(run, &found);
    size_t n = 0, room = found.count + 1;
    int64_t *ranks = pf_aiu_alloc(run, 2 * room, sizeof *ranks);
    for (size_t i = 0; ranks && found.count && i <= found.mask; i++) {
        if (found.slots[i].value) {
            ranks[n] = want ? (int64_t)found.slots[i].key : (int64_t)n;
            n++;
        }
    }
    pf_map_free(&found);
    pf_sort_times(ranks, n, ranks + room);
    n -= !want && n > 1;
    if (n == 1) {
        pf_aiu_log(run, "WARNING", "TB_EXPORTER: Only 1 AIU is used, no distributed view");
    }
    for (size_t i = 0; n > 1 && i < n; i++) {
        write_worker(run, ranks[i]);
    }
}
