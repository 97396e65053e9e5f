/* analyze/aiu/outputs/aiu_workers.c - a file for each rank (--tb), where there are several.
 *
 * A torch input says its rank, and what it holds is that rank's, whatever its pids are; in flex inputs ranks are the
 * pids of device events, and their hosts are 1000 higher. The program before postfetto writes as many files as there
 * are pids, hosts being their ranks, and one less if there are several.
 */
#include "analyze/aiu/outputs/aiu_outputs.h"

typedef struct ranks {
    int64_t *id;
    uint32_t count, room;
} ranks;

static pf_status add_rank(aiu_run *run, ranks *r, int64_t id, pf_error *err)
{
    uint32_t at = r->count;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->id[i] == id) {
            return PF_OK;
        }
    }
    void *list = r->id;
    pf_status st = pf_aiu_grow(run, &list, &r->room, r->count + 1, sizeof *r->id);
    r->id = list;
    if (st != PF_OK) {
        return st;
    }
    for (; at && r->id[at - 1] > id; at--) {
        r->id[at] = r->id[at - 1];
    }
    r->id[at] = id;
    r->count++;
    return PF_OK;
}

/* Ranks of inputs that have events, and of device events. */
static pf_status list_ranks(aiu_run *run, ranks *r, pf_error *err)
{
    const aiu_events *v = &run->events;
    bool *seen = pf_pass_alloc(run->ctx, (size_t)run->job_count + run->ranks.count + 1, sizeof *seen, err);
    pf_status st = seen && run->workers ? PF_OK : err->code;
    for (uint32_t i = 0; i < run->ranks.count && st == PF_OK; i++) {
        run->workers[i] = AIU_ID_NONE;
    }
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        bool torch = v->flags[e] & AIU_TORCH, device = !torch && v->flags[e] & AIU_HAS_TS;
        bool *known = torch ? &seen[v->job[e]] : &seen[run->job_count + v->rank[e]];
        int64_t id = torch ? run->jobs[v->job[e]].rank : run->ranks.pid[v->rank[e]];
        if (torch && v->row[e] != PF_NONE) {
            run->workers[v->rank[e]] = id;
        }
        if ((torch || device) && !*known && pf_aiu_is_number(id)) {
            *known = true;
            st = add_rank(run, r, id, err);
        }
    }
    return st;
}

/* A pid as the program before postfetto counts it: hosts, 1000 higher, are their ranks. */
static pf_status add_pid(aiu_run *run, pf_map *seen, ranks *r, int64_t pid, pf_error *err)
{
    int64_t id = pid >= 1000 ? pid - 1000 : pid;
    if (!pf_aiu_is_number(pid) || pf_map_get(seen, (uint64_t)id) != PF_NONE) {
        return PF_OK;
    }
    pf_status st = pf_map_set(seen, (uint64_t)id, 0) ? PF_OK : pf_budget_refused(run->budget, sizeof id, err);
    return st == PF_OK ? add_rank(run, r, (int64_t)r->count, err) : st;
}

/* It takes one pid less than there are for that of the bandwidth of collectives. */
static pf_status count_pids(aiu_run *run, ranks *r, pf_error *err)
{
    pf_map seen;
    pf_status st = PF_OK;
    pf_map_init(&seen, run->budget);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        st = run->events.flags[e] & AIU_DROPPED ? PF_OK : add_pid(run, &seen, r, run->events.pid[e], err);
    }
    for (uint32_t i = 0; i < run->samples.count && st == PF_OK; i++) {
        st = add_pid(run, &seen, r, run->samples.pid[i], err);
    }
    for (uint32_t i = 0; i < run->arrows.count && st == PF_OK; i++) {
        st = add_pid(run, &seen, r, run->arrows.pid[i], err);
    }
    pf_map_free(&seen);
    r->count -= r->count > 1;
    return st;
}

bool pf_aiu_is_of_worker(const aiu_run *run, uint32_t event, int64_t pid, int64_t rank)
{
    bool recorded = event != PF_NONE && run->workers && run->events.flags[event] & AIU_TORCH;
    uint32_t known = event == PF_NONE && run->workers ? pf_map_get(&run->ranks.by_pid, (uint64_t)pid) : PF_NONE;
    if (recorded) {
        return run->jobs[run->events.job[event]].rank == rank;
    }
    if (known != PF_NONE && run->workers[known] != AIU_ID_NONE) {
        return run->workers[known] == rank;
    }
    return pid == rank || pid == rank + 1000;
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
    pf_findings_add_report(
        run->findings,
        &(pf_report){.file = name, .form = PF_REPORT_BYTES, .text = text, .place = PF_PLACE_BESIDE, .announced = true});
    return PF_OK;
}

pf_status pf_aiu_write_workers(aiu_run *run, pf_error *err)
{
    ranks r = {NULL, 0, 0};
    bool by_pid = run->set.compat != AIU_WANT;
    run->workers = by_pid ? NULL : pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *run->workers, err);
    pf_status st = by_pid ? count_pids(run, &r, err) : list_ranks(run, &r, err);
    if (st == PF_OK && r.count == 1) {
        return pf_aiu_log(run, "WARNING", "TB_EXPORTER: Only 1 AIU is used, no distributed view");
    }
    for (uint32_t i = 0; i < r.count && st == PF_OK; i++) {
        st = write_worker(run, r.id[i], err);
    }
    return st;
}
