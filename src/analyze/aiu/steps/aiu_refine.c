/* analyze/aiu/steps/aiu_refine.c - how events are shown.
 *
 * Names of device slices lose their numbers, so that viewers group them; they get the categories that viewers know.
 * Hosts are processes of their own, 1000 above the device. Each process gets a name and a place.
 */
#include <string.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/aiu/steps/aiu_steps.h"
#include "base/str.h"

/* What a process is called, and its place: metadata events at the time of an event that is like them; PF_NONE: none
 * is, and the place comes before the label. */
static void put_process(aiu_run *run, uint32_t like, int64_t pid, const char *name, int64_t place, bool host,
                        bool label)
{
    static const char *const said[2][3] = {{"process_name", "process_label", "process_sort_index"},
                                           {"process_name", "process_sort_index", "process_label"}};
    aiu_events *v = &run->events;
    aiu_extra text = {.type = AIU_EXTRA_TEXT, .as.text = pf_aiu_text(run, pf_str_of(name))};
    for (unsigned i = 0; i < (label ? 3 : 2); i++) {
        const char *const own = said[like == PF_NONE][i];
        uint32_t e = pf_aiu_add_event(run, 'M');
        if (e == PF_NONE) {
            return;
        }
        v->name[e] = pf_aiu_text(run, pf_str_of(own));
        v->pid[e] = pid;
        v->rank[e] = like == PF_NONE ? 0 : v->rank[like];
        v->job[e] = like == PF_NONE ? 0 : v->job[like];
        v->ts[e] = like == PF_NONE ? -run->origin : v->ts[like];
        v->flags[e] = host ? AIU_HOST_PID : 0;
        if (strcmp(own, "process_sort_index") == 0) {
            pf_aiu_add_int(run, e, PF_STR("sort_index"), place);
        } else {
            pf_aiu_add_extra(run, e, PF_STR("name"), text);
        }
    }
}

/* Each process of a flex trace once, at the time of the first slice that the step meets, and the track of the bandwidth
 * of collectives. Acelyzer names none where a slice is of a torch trace; it says a host and a device for each rank, and
 * a default that nothing is on for one that has no slices. */
static void name_processes(aiu_run *run)
{
    const aiu_events *v = &run->events;
    bool *named = pf_aiu_scratch(run, 2 * (size_t)run->ranks.count, sizeof *named), names = !run->processes_named;
    bool alone = run->any_torch && pf_aiu_rule(run, AIU_FLEX_ALONE), drawn = false;
    for (uint32_t i = 0, e; alone && names && pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        names = !(v->flags[e] & AIU_TORCH);
    }
    for (uint32_t i = 0, count = named && names ? run->alive : 0; i < count; i++) {
        uint32_t e = run->order[i], rank = v->rank[e];
        bool host = !(v->flags[e] & AIU_HAS_TS);
        if (pf_aiu_is_slice(run, e) && !(v->flags[e] & AIU_TORCH) && !named[2 * rank + host]) {
            pf_str number = pf_aiu_pid_text(run, v->pid[e]);
            pf_str name =
                pf_findings_format(run->findings, "%s%.*s", host ? "Host" : "AIU Device", PF_TEXT_ARG(number));
            int64_t place = pf_aiu_is_number(v->pid[e]) ? v->pid[e] * 3 + !host : 0;
            named[2 * rank + host] = true;
            put_process(run, e, v->pid[e], name.ptr ? name.ptr : "", place, host, true);
        }
    }
    for (uint32_t r = 0; named && r < run->ranks.count && pf_aiu_rule(run, AIU_OTHER_NAMES); r++) {
        if (named[2 * r] != named[2 * r + 1]) {
            put_process(run, PF_NONE, 0, named[2 * r] ? "cpu_default" : "acc_default", 0, false, true);
        }
    }
    for (uint32_t i = 0; names && i < run->samples.count; i++) {
        drawn |= run->samples.series[i] == AIU_SERIES_BW_ALLREDUCE;
    }
    if (drawn) {
        put_process(run, PF_NONE, -1, "CollectiveBW", 0, false, false);
    }
    run->processes_named = true;
}

/* In torch traces, the processes of devices have small numbers, which hosts never have. Acelyzer looks at the category.
 */
static bool is_of_device(const aiu_run *run, uint32_t e)
{
    enum { FIRST_HOST = 1000 };
    int64_t pid = run->events.pid[e];
    pf_str cat = pf_aiu_text_of(run, run->events.cat[e]);
    return !(run->events.flags[e] & AIU_TORCH) ? pf_aiu_is_device(run, e)
           : pf_aiu_rule(run, AIU_FLEX_ALONE)  ? pf_aiu_contains(cat, "gpu") || pf_aiu_contains(cat, "kernel")
                                               : pid >= 0 && pid < FIRST_HOST;
}

void pf_aiu_refine_names(aiu_run *run)
{
    aiu_events *v = &run->events;
    uint32_t texts = run->texts.count;
    uint32_t *known = run->set.keep_names ? NULL : pf_aiu_scratch(run, texts, sizeof *known);
    for (uint32_t i = 0, e; known && pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        uint32_t name = v->name[e];
        if (!is_of_device(run, e) || v->flags[e] & AIU_REAL_COLL || name >= texts) {
            continue;
        }
        known[name] = known[name] ? known[name] : pf_aiu_without_numbers(run, name);
        if (known[name] != name) {
            pf_aiu_add_extra(run, e, PF_STR("orig_name"), (aiu_extra){.type = AIU_EXTRA_TEXT, .as.text = name});
            v->name[e] = known[name];
        }
    }
    if (!pf_aiu_rule(run, AIU_OTHER_NAMES) || pf_aiu_stage_on(run, "tb_refinement_lightweight")) {
        name_processes(run);
    }
}

static const char *device_category(pf_str name)
{
    bool dma = pf_aiu_contains(name, "DmaI") || pf_aiu_contains(name, "DmaO"), rdma = pf_aiu_contains(name, "Rdma");
    bool reduces = pf_aiu_contains(name, "AllReduce_all_reduce") && pf_aiu_contains(name, "Cmpt Exec");
    return (rdma && dma) || reduces ? "user_annotation" : dma ? "gpu_memcpy" : "kernel";
}

void pf_aiu_refine_lightly(aiu_run *run)
{
    aiu_events *v = &run->events;
    uint32_t host = pf_aiu_text(run, PF_STR("cpu_op"));
    name_processes(run);
    uint32_t *by_name =
        pf_aiu_scratch(run, run->texts.count, sizeof *by_name); /* categories of devices; 0: not known */
    for (uint32_t i = 0, e; by_name && pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        if (v->flags[e] & AIU_REAL_COLL) {
            pf_aiu_show_collective(run, e);
        } else if (!(v->flags[e] & (AIU_TORCH | AIU_HAS_TS))) {
            v->cat[e] = v->cat[e] ? v->cat[e] : host;
            v->flags[e] |= AIU_HOST_PID;
        } else if (!(v->flags[e] & AIU_TORCH)) {
            uint32_t *known = &by_name[v->name[e]];
            *known = *known ? *known : pf_aiu_text(run, pf_str_of(device_category(pf_aiu_text_of(run, v->name[e]))));
            v->cat[e] = *known;
            v->flags[e] |= AIU_SHOW_DEVICE;
        }
    }
}

/* The arguments that only steps need. */
void pf_aiu_hide_device_times(aiu_run *run)
{
    run->show_ts_dev = false;
}

void pf_aiu_hide_all_times(aiu_run *run)
{
    run->show_ts_all = false;
}
