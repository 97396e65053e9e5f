/* analyze/aiu/stages/aiu_stage_refine.c - tb_refinement_intrusive, tb_refinement_lightweight: how events are shown.
 *
 * Names of device slices lose their numbers, so that viewers group them; they get the categories that viewers know.
 * Hosts are processes of their own, 1000 above the device. Each process gets a name and a place.
 */
#include <string.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/aiu/stages/aiu_stages.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The text without its numbers and the underscores in front of them; a number after a V stays, as in V2. */
static size_t strip_numbers(pf_str text, char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        if (!is_digit(text.ptr[i]) || i == 0) {
            out[len++] = text.ptr[i++];
            continue;
        }
        bool kept = text.ptr[i - 1] == 'V';
        while (!kept && len && out[len - 1] == '_') {
            len--;
        }
        for (; i < text.len && is_digit(text.ptr[i]); i++) {
            if (kept) {
                out[len++] = text.ptr[i];
            }
        }
    }
    return len;
}

static uint32_t stripped(aiu_run *run, uint32_t name)
{
    pf_str text = pf_aiu_text_of(run, name);
    char *out = pf_alloc(run->budget, text.len + 1);
    if (!out) {
        pf_budget_refused(run->budget, text.len, &run->error);
        return PF_NONE;
    }
    uint32_t id = pf_aiu_text(run, (pf_str){out, strip_numbers(text, out)});
    pf_release(run->budget, out, text.len + 1);
    return id;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static pf_status put_metadata(aiu_run *run, uint32_t like, const char *name, pf_str key, aiu_extra value, bool host)
{
    aiu_events *v = &run->events;
    uint32_t e = pf_aiu_add_event(run, 'M');
    uint32_t text = e == PF_NONE ? PF_NONE : pf_aiu_text(run, (pf_str){name, strlen(name)});
    if (text == PF_NONE) {
        return run->error.code;
    }
    v->name[e] = text;
    v->pid[e] = v->pid[like];
    v->rank[e] = v->rank[like];
    v->job[e] = v->job[like];
    v->ts[e] = v->ts[like];
    v->flags[e] = host ? AIU_HOST_PID : 0;
    return pf_aiu_add_extra(run, e, key, value);
}

static pf_status name_process(aiu_run *run, uint32_t like, bool host)
{
    int64_t pid = run->events.pid[like];
    pf_str number = pf_aiu_pid_text(run, pid);
    pf_str name =
        pf_findings_format(run->findings, "%s%.*s", host ? "Host" : "AIU Device", (int)number.len, number.ptr);
    uint32_t text = pf_aiu_text(run, name);
    if (text == PF_NONE) {
        return run->error.code;
    }
    aiu_extra said = {.type = AIU_EXTRA_TEXT, .as.text = text};
    aiu_extra place = {.type = AIU_EXTRA_INT, .as.i = pf_aiu_is_number(pid) ? pid * 3 + !host : 0};
    pf_status st = put_metadata(run, like, "process_name", PF_STR("name"), said, host);
    st = st == PF_OK ? put_metadata(run, like, "process_label", PF_STR("name"), said, host) : st;
    return st == PF_OK ? put_metadata(run, like, "process_sort_index", PF_STR("sort_index"), place, host) : st;
}

/* Metadata of a process, by its number and three values. */
static pf_status put_process(aiu_run *run, int64_t pid, const char *name, unsigned parts)
{
    static const char *const names[] = {"process_name", "process_sort_index", "process_label"};
    uint32_t text = pf_aiu_text(run, (pf_str){name, strlen(name)});
    pf_status st = text == PF_NONE ? run->error.code : PF_OK;
    for (size_t k = 0; k < parts && st == PF_OK; k++) {
        uint32_t e = pf_aiu_add_event(run, 'M');
        uint32_t what = e == PF_NONE ? PF_NONE : pf_aiu_text(run, (pf_str){names[k], strlen(names[k])});
        if (what == PF_NONE) {
            return run->error.code;
        }
        run->events.pid[e] = pid;
        run->events.name[e] = what;
        run->events.ts[e] = -run->origin;
        st = k == 1 ? pf_aiu_add_int(run, e, PF_STR("sort_index"), 0)
                    : pf_aiu_add_text(run, e, PF_STR("name"), pf_aiu_text_of(run, text));
    }
    return st;
}

/* The track of the bandwidth of collectives, if there is one. */
static pf_status name_bandwidth(aiu_run *run)
{
    for (uint32_t i = 0; i < run->samples.count; i++) {
        if (run->samples.series[i] == AIU_SERIES_BW_ALLREDUCE) {
            return put_process(run, -1, "CollectiveBW", 2);
        }
    }
    return PF_OK;
}

/* Whether processes are named. The program before postfetto names none where a slice is of a torch trace. */
static bool names_processes(const aiu_run *run)
{
    bool torch = false;
    for (uint32_t i = 0; i < run->alive && run->any_torch && run->set.compat != AIU_WANT; i++) {
        torch |= pf_aiu_is_slice(run, run->order[i]) && run->events.flags[run->order[i]] & AIU_TORCH;
    }
    return !torch && !run->processes_named;
}

/* Each process of a flex trace once, at the time of the first slice that the stage meets. The program before postfetto
 * says a host and a device for each rank, and a default that nothing is on for one that has no slices. */
static pf_status name_processes(aiu_run *run)
{
    aiu_events *v = &run->events;
    bool *named = pf_pass_alloc(run->ctx, 2 * (size_t)run->ranks.count + 2, sizeof *named, &run->error);
    pf_status st = named ? PF_OK : run->error.code;
    uint32_t count = names_processes(run) ? run->alive : 0;
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        bool host = !(v->flags[e] & AIU_HAS_TS);
        if (pf_aiu_is_slice(run, e) && !(v->flags[e] & AIU_TORCH) && !named[2 * v->rank[e] + host]) {
            named[2 * v->rank[e] + host] = true;
            st = name_process(run, e, host);
        }
    }
    for (uint32_t r = 0; r < run->ranks.count && st == PF_OK && run->set.compat != AIU_WANT; r++) {
        if (named[2 * r] != named[2 * r + 1]) {
            st = put_process(run, 0, named[2 * r] ? "cpu_default" : "acc_default", 3);
        }
    }
    st = st == PF_OK && names_processes(run) ? name_bandwidth(run) : st;
    run->processes_named = true;
    return st;
}

/* In torch traces, the processes of devices have small numbers, which hosts never have. The program before postfetto
 * looks at the category. */
static bool is_of_device(const aiu_run *run, uint32_t e)
{
    enum { FIRST_HOST = 1000 };
    int64_t pid = run->events.pid[e];
    if (run->events.flags[e] & AIU_TORCH && run->set.compat != AIU_WANT) {
        pf_str cat = pf_aiu_text_of(run, run->events.cat[e]);
        return pf_aiu_contains(cat, "gpu") || pf_aiu_contains(cat, "kernel");
    }
    return run->events.flags[e] & AIU_TORCH ? pid >= 0 && pid < FIRST_HOST : pf_aiu_is_device(run, e);
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

pf_status pf_aiu_refine_names(aiu_run *run)
{
    aiu_events *v = &run->events;
    uint32_t texts = run->texts.count;
    uint32_t *known = pf_pass_alloc(run->ctx, texts, sizeof *known, &run->error);
    pf_status st = known ? PF_OK : run->error.code;
    for (uint32_t i = 0; i < run->alive && st == PF_OK && !run->set.keep_names; i++) {
        uint32_t e = run->order[i], name = v->name[e];
        if (!pf_aiu_is_slice(run, e) || !is_of_device(run, e) || v->flags[e] & AIU_REAL_COLL || name >= texts) {
            continue;
        }
        known[name] = known[name] ? known[name] : stripped(run, name);
        if (known[name] == PF_NONE) {
            return run->error.code;
        }
        if (known[name] != name) {
            aiu_extra original = {.type = AIU_EXTRA_TEXT, .as.text = name};
            st = pf_aiu_add_extra(run, e, PF_STR("orig_name"), original);
            v->name[e] = known[name];
        }
    }
    bool names = run->set.compat == AIU_WANT || pf_aiu_stage_on(run, "tb_refinement_lightweight");
    return st == PF_OK && names ? name_processes(run) : st;
}

/* Texts that stand for categories, by the name of a slice: 0 as long as nobody asked. */
typedef struct categories {
    uint32_t *by_name;
    uint32_t host;
} categories;

static const char *device_category(pf_str name)
{
    bool dma = pf_aiu_contains(name, "DmaI") || pf_aiu_contains(name, "DmaO"), rdma = pf_aiu_contains(name, "Rdma");
    bool reduces = pf_aiu_contains(name, "AllReduce_all_reduce") && pf_aiu_contains(name, "Cmpt Exec");
    return (rdma && dma) || reduces ? "user_annotation" : dma ? "gpu_memcpy" : "kernel";
}

static pf_status refine(aiu_run *run, uint32_t e, const categories *c)
{
    aiu_events *v = &run->events;
    if (!(v->flags[e] & AIU_HAS_TS)) {
        v->cat[e] = v->cat[e] ? v->cat[e] : c->host;
        v->flags[e] |= AIU_HOST_PID;
        return PF_OK;
    }
    uint32_t *known = &c->by_name[v->name[e]];
    if (!*known) {
        const char *word = device_category(pf_aiu_text_of(run, v->name[e]));
        *known = pf_aiu_text(run, (pf_str){word, strlen(word)});
    }
    v->cat[e] = *known;
    v->flags[e] |= AIU_SHOW_DEVICE;
    return *known == PF_NONE ? run->error.code : PF_OK;
}

pf_status pf_aiu_refine_lightly(aiu_run *run)
{
    aiu_events *v = &run->events;
    categories c = {.host = pf_aiu_text(run, PF_STR("cpu_op"))};
    pf_status st = c.host == PF_NONE ? run->error.code : name_processes(run);
    c.by_name = st == PF_OK ? pf_pass_alloc(run->ctx, run->texts.count, sizeof *c.by_name, &run->error) : NULL;
    st = c.by_name ? PF_OK : run->error.code;
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e) && v->flags[e] & AIU_REAL_COLL) {
            st = pf_aiu_show_collective(run, e);
        } else if (pf_aiu_is_slice(run, e) && !(v->flags[e] & AIU_TORCH)) {
            st = refine(run, e, &c);
        }
    }
    return st;
}

/* The arguments that only stages need. */
pf_status pf_aiu_hide_device_times(aiu_run *run)
{
    run->show_ts_dev = false;
    return PF_OK;
}

pf_status pf_aiu_hide_all_times(aiu_run *run)
{
    run->show_ts_all = false;
    return PF_OK;
}

static void keep_arrows(aiu_run *run, pf_str types)
{
    aiu_arrows *a = &run->arrows;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        a->phase[kept] = a->phase[i];
        a->ts[kept] = a->ts[i];
        a->pid[kept] = a->pid[i];
        a->tid[kept] = a->tid[i];
        a->id[kept] = a->id[i];
        a->name[kept] = a->name[i];
        a->cat[kept] = a->cat[i];
        kept += memchr(types.ptr, a->phase[i], types.len) != NULL;
    }
    a->count = kept;
}

/* Only the phases that --filter names stay. */
pf_status pf_aiu_keep_types(aiu_run *run)
{
    pf_str types = run->set.keep_types;
    for (uint32_t i = 0; i < run->alive; i++) {
        if (!memchr(types.ptr, run->events.phase[run->order[i]], types.len)) {
            run->events.flags[run->order[i]] |= AIU_DROPPED;
        }
    }
    pf_aiu_compact(run);
    if (!memchr(types.ptr, 'C', types.len)) {
        run->samples.count = 0;
    }
    keep_arrows(run, types);
    return PF_OK;
}
