/* analyze/aiu/steps/aiu_refine.c - how events are shown.
 *
 * Names of device slices lose their numbers, so that viewers group them; they get the categories that viewers know.
 * Hosts are processes of their own, 1000 above the device. Each process gets a name and a place.
 */
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/aiu/steps/aiu_steps.h"
#include "base/str.h"

/* A metadata event of a process, at the time of an event that is like it; PF_NONE: none is. */
static void put_metadata(aiu_run *run, uint32_t like, int64_t pid, const char *name, pf_str key, aiu_extra value,
                         bool host)
{
    aiu_events *v = &run->events;
    uint32_t e = pf_aiu_add_event(run, 'M');
    if (e == PF_NONE) {
        return;
    }
    v->name[e] = pf_aiu_text(run, pf_str_of(name));
    v->pid[e] = pid;
    v->ts[e] = -run->origin;
    if (like != PF_NONE) {
        v->rank[e] = v->rank[like];
        v->job[e] = v->job[like];
        v->ts[e] = v->ts[like];
    }
    v->flags[e] = host ? AIU_HOST_PID : 0;
    pf_aiu_add_extra(run, e, key, value);
}

static aiu_extra text_extra(aiu_run *run, pf_str text)
{
    return (aiu_extra){.type = AIU_EXTRA_TEXT, .as.text = pf_aiu_text(run, text)};
}

static void name_process(aiu_run *run, uint32_t like, bool host)
{
    int64_t pid = run->events.pid[like];
    pf_str number = pf_aiu_pid_text(run, pid);
    pf_str name = pf_findings_format(run->findings, "%s%.*s", host ? "Host" : "AIU Device", PF_TEXT_ARG(number));
    aiu_extra said = text_extra(run, name);
    aiu_extra place = {.type = AIU_EXTRA_INT, .as.i = pf_aiu_is_number(pid) ? pid * 3 + !host : 0};
    put_metadata(run, like, pid, "process_name", PF_STR("name"), said, host);
    put_metadata(run, like, pid, "process_label", PF_STR("name"), said, host);
    put_metadata(run, like, pid, "process_sort_index", PF_STR("sort_index"), place, host);
}

/* Of a process that has no events. */
static void put_process(aiu_run *run, int64_t pid, const char *name, bool label)
{
    aiu_extra said = text_extra(run, pf_str_of(name)), place = {.type = AIU_EXTRA_INT};
    put_metadata(run, PF_NONE, pid, "process_name", PF_STR("name"), said, false);
    put_metadata(run, PF_NONE, pid, "process_sort_index", PF_STR("sort_index"), place, false);
    if (label) {
        put_metadata(run, PF_NONE, pid, "process_label", PF_STR("name"), said, false);
    }
}

/* The track of the bandwidth of collectives, if there is one. */
static void name_bandwidth(aiu_run *run)
{
    for (uint32_t i = 0; i < run->samples.count; i++) {
        if (run->samples.series[i] == AIU_SERIES_BW_ALLREDUCE) {
            put_process(run, -1, "CollectiveBW", false);
            return;
        }
    }
}

/* Whether processes are named. Acelyzer names none where a slice is of a torch trace. */
static bool names_processes(const aiu_run *run)
{
    bool torch = false;
    for (uint32_t i = 0; i < run->alive && run->any_torch && pf_aiu_rule(run, AIU_FLEX_ALONE); i++) {
        torch |= pf_aiu_is_slice(run, run->order[i]) && run->events.flags[run->order[i]] & AIU_TORCH;
    }
    return !torch && !run->processes_named;
}

/* Each process of a flex trace once, at the time of the first slice that the step meets. Acelyzer says a host and a
 * device for each rank, and a default that nothing is on for one that has no slices. */
static void name_processes(aiu_run *run)
{
    const aiu_events *v = &run->events;
    bool *named = pf_aiu_scratch(run, 2 * (size_t)run->ranks.count, sizeof *named), names = names_processes(run);
    for (uint32_t i = 0, count = named && names ? run->alive : 0; i < count; i++) {
        uint32_t e = run->order[i];
        bool host = !(v->flags[e] & AIU_HAS_TS);
        if (pf_aiu_is_slice(run, e) && !(v->flags[e] & AIU_TORCH) && !named[2 * v->rank[e] + host]) {
            named[2 * v->rank[e] + host] = true;
            name_process(run, e, host);
        }
    }
    for (uint32_t r = 0; named && r < run->ranks.count && pf_aiu_rule(run, AIU_OTHER_NAMES); r++) {
        if (named[2 * r] != named[2 * r + 1]) {
            put_process(run, 0, named[2 * r] ? "cpu_default" : "acc_default", true);
        }
    }
    if (names) {
        name_bandwidth(run);
    }
    run->processes_named = true;
}

/* In torch traces, the processes of devices have small numbers, which hosts never have. Acelyzer looks at the category.
 */
static bool is_of_device(const aiu_run *run, uint32_t e)
{
    enum { FIRST_HOST = 1000 };
    int64_t pid = run->events.pid[e];
    if (!(run->events.flags[e] & AIU_TORCH)) {
        return pf_aiu_is_device(run, e);
    }
    pf_str cat = pf_aiu_text_of(run, run->events.cat[e]);
    return pf_aiu_rule(run, AIU_FLEX_ALONE) ? pf_aiu_contains(cat, "gpu") || pf_aiu_contains(cat, "kernel")
                                            : pid >= 0 && pid < FIRST_HOST;
}

void pf_aiu_refine_names(aiu_run *run)
{
    aiu_events *v = &run->events;
    uint32_t texts = run->texts.count;
    uint32_t *known = pf_aiu_scratch(run, texts, sizeof *known);
    for (uint32_t i = 0; i < run->alive && known && !run->set.keep_names; i++) {
        uint32_t e = run->order[i], name = v->name[e];
        if (!pf_aiu_is_slice(run, e) || !is_of_device(run, e) || v->flags[e] & AIU_REAL_COLL || name >= texts) {
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

/* `by_name`: categories of devices, 0 as long as nobody asked. */
static void refine(aiu_run *run, uint32_t e, uint32_t *by_name, uint32_t host)
{
    aiu_events *v = &run->events;
    if (!(v->flags[e] & AIU_HAS_TS)) {
        v->cat[e] = v->cat[e] ? v->cat[e] : host;
        v->flags[e] |= AIU_HOST_PID;
        return;
    }
    uint32_t *known = &by_name[v->name[e]];
    *known = *known ? *known : pf_aiu_text(run, pf_str_of(device_category(pf_aiu_text_of(run, v->name[e]))));
    v->cat[e] = *known;
    v->flags[e] |= AIU_SHOW_DEVICE;
}

void pf_aiu_refine_lightly(aiu_run *run)
{
    uint32_t host = pf_aiu_text(run, PF_STR("cpu_op"));
    name_processes(run);
    uint32_t *by_name = pf_aiu_scratch(run, run->texts.count, sizeof *by_name);
    for (uint32_t i = 0; i < run->alive && by_name; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e) && run->events.flags[e] & AIU_REAL_COLL) {
            pf_aiu_show_collective(run, e);
        } else if (pf_aiu_is_slice(run, e) && !(run->events.flags[e] & AIU_TORCH)) {
            refine(run, e, by_name, host);
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
