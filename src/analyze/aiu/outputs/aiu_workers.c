/* analyze/aiu/outputs/aiu_workers.c - a file for each rank (--tb), where there are several.
 *
 * A torch input says its rank, and what it holds is that rank's, whatever its pids are; in flex inputs ranks are the
 * pids of device events, and their hosts are 1000 higher. The original writes as many files as there are pids, hosts
 * being their ranks, and one less if there are several.
 */
#include "analyze/aiu/acelyzer/aiu_forms.h"
#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/support/order_stats.h"

/* The ranks of inputs that have events, and of device events: keys of `ranks`. */
static pf_status find_ranks(aiu_run *run, pf_map *ranks, pf_error *err)
{
    const aiu_events *v = &run->events;
    run->workers = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *run->workers, err);
    if (!run->workers) {
        return err->code;
    }
    for (uint32_t i = 0; i < run->ranks.count; i++) {
        run->workers[i] = AIU_ID_NONE;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        bool torch = v->flags[e] & AIU_TORCH;
        int64_t id = torch ? run->jobs[v->job[e]].rank : run->ranks.pid[v->rank[e]];
        if (torch && v->row[e] != PF_NONE) {
            run->workers[v->rank[e]] = id;
        }
        if ((torch || v->flags[e] & AIU_HAS_TS) && pf_aiu_is_number(id) && !pf_map_set(ranks, (uint64_t)id, 0)) {
            return pf_budget_refused(run->budget, sizeof id, err);
        }
    }
    return PF_OK;
}

/* A pid as the original counts it: hosts, 1000 higher, are their ranks. */
static bool add_pid(pf_map *pids, int64_t pid)
{
    return !pf_aiu_is_number(pid) || pf_map_set(pids, (uint64_t)(pid >= 1000 ? pid - 1000 : pid), 0);
}

/* The pids of everything that is written. */
static pf_status find_pids(const aiu_run *run, pf_map *pids, pf_error *err)
{
    bool room = true;
    for (uint32_t i = 0; i < run->alive && room; i++) {
        uint32_t e = run->order[i];
        room = run->events.flags[e] & AIU_DROPPED || add_pid(pids, run->events.pid[e]);
    }
    for (uint32_t i = 0; i < run->samples.count && room; i++) {
        room = add_pid(pids, run->samples.pid[i]);
    }
    for (uint32_t i = 0; i < run->arrows.count && room; i++) {
        room = add_pid(pids, run->arrows.pid[i]);
    }
    return room ? PF_OK : pf_budget_refused(run->budget, sizeof(int64_t), err);
}

static pf_status write_worker(aiu_run *run, int64_t rank, pf_error *err)
{
    pf_str stem = pf_aiu_stem(run), own = pf_aiu_last_part(run->ctx->output);
    pf_str name =
        pf_findings_format(run->findings, "%.*s_worker_%lld.pt.trace.json", (int)stem.len, stem.ptr, (long long)rank);
    pf_text *text = pf_aiu_json(run, &(aiu_json_form){.trace_name = own, .one_rank = true, .rank = rank}, err);
    if (!text) {
        return err->code;
    }
    pf_aiu_add_file(run, name, text, PF_PLACE_BESIDE);
    return PF_OK;
}

/* The original takes one pid less than there are for that of the bandwidth of collectives, and counts from 0. */
static pf_status write_each(aiu_run *run, const pf_map *found, pf_error *err)
{
    bool want = run->set.compat == AIU_WANT;
    size_t n = 0, room = found->count + 1;
    int64_t *ranks = pf_pass_alloc(run->ctx, 2 * room, sizeof *ranks, err);
    if (!ranks) {
        return err->code;
    }
    for (size_t i = 0; found->count && i <= found->mask; i++) {
        if (found->slots[i].value) {
            ranks[n] = want ? (int64_t)found->slots[i].key : (int64_t)n;
            n++;
        }
    }
    pf_sort_times(ranks, n, ranks + room);
    n -= !want && n > 1;
    if (n == 1) {
        return pf_aiu_log(run, "WARNING", "TB_EXPORTER: Only 1 AIU is used, no distributed view");
    }
    for (size_t i = 0; i < n; i++) {
        PF_TRY(write_worker(run, ranks[i], err));
    }
    return PF_OK;
}

pf_status pf_aiu_write_workers(aiu_run *run, pf_error *err)
{
    pf_map found;
    run->workers = NULL;
    pf_map_init(&found, run->budget);
    pf_status st = run->set.compat == AIU_WANT ? find_ranks(run, &found, err) : find_pids(run, &found, err);
    st = st == PF_OK ? write_each(run, &found, err) : st;
    pf_map_free(&found);
    return st;
}
