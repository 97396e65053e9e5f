/* edit/cut/cut_processes.c - a part for each process of packets: a pass over the input for each, which takes its tracks
 * and those of its threads. What belongs to no process is in no part. */
#include <stdio.h>

#include "base/list.h"
#include "edit/cut/cut_run.h"

pf_status pf_cut_select_processes(pf_cut_run *run, pf_error *err)
{
    run->only.process = (pf_edit_patterns){.keep = &run->pattern, .keep_count = 1};
    return pf_cutter_select(&run->cutter, &run->only, err);
}

/* Each process that a track belongs to, once. */
static pf_status find(const pf_cut_run *run, pf_map *seen, pf_json_found *found, uint32_t *count, pf_error *err)
{
    const pf_selection *s = &run->cutter.selection;
    for (uint32_t i = 0; i < s->track_count; i++) {
        const struct pf_surveyed *t = &s->tracks[i];
        uint64_t pid = (uint64_t)t->pid;
        if ((!t->has_process && !t->has_thread) || pf_map_get(seen, pid) != PF_NONE) {
            continue;
        }
        PF_TRY(pf_map_put(seen, pid, *count, err));
        found[(*count)++] = (pf_json_found){.number = t->pid,
                                            .name = pf_selection_process_name(s, t->pid),
                                            .first = run->cutter.first,
                                            .last = run->cutter.last};
    }
    return PF_OK;
}

pf_status pf_cut_plan_processes(pf_cut_run *run, pf_error *err)
{
    uint32_t most = run->cutter.selection.track_count, count = 0;
    pf_json_found *found = NULL;
    pf_map seen;
    pf_map_init(&seen, &run->budget);
    pf_status st = PF_LIST_NEW(&run->budget, found, most, err);
    st = st == PF_OK ? find(run, &seen, found, &count, err) : st;
    st = st == PF_OK ? run->plan_processes(run, found, count, err) : st;
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        run->parts[i].pid = found[i].number;
    }
    pf_map_free(&seen);
    PF_LIST_FREE(&run->budget, found, found ? most : 0);
    return st;
}

void pf_cut_take_process(pf_cut_run *run)
{
    snprintf(run->digits, sizeof run->digits, "%lld", (long long)run->parts[run->at].pid);
    run->pattern = run->digits;
}
