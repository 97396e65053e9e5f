/* analyze/aiu/ranks/aiu_collective_slices.c - a slice for each rank of a complete collective (-R), as long as the
 * rank's stay. */
#include <math.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/str.h"

/* "{0, 1, 2, 3}" */
static pf_str list_pids(aiu_run *run, const int64_t *pid, uint32_t n)
{
    pf_buffer b = {0};
    for (uint32_t i = 0; i < n; i++) {
        pf_buffer_format(&b, "%s%lld", i ? ", " : "{", (long long)pid[i]);
    }
    pf_buffer_text(&b, "}");
    return pf_pass_keep_buffer(run->findings, &b);
}

/* The last number of a group's name, "0" without one. */
static pf_str number_of(pf_str name)
{
    size_t end = name.len;
    while (end && !pf_is_digit(name.ptr[end - 1])) {
        end--;
    }
    size_t start = end;
    while (start && pf_is_digit(name.ptr[start - 1])) {
        start--;
    }
    return end > start ? (pf_str){name.ptr + start, end - start} : PF_STR("0");
}

aiu_collective_args pf_aiu_collective_args(aiu_run *run, const aiu_flows *f, uint32_t collective, const int64_t *pid,
                                           uint32_t n)
{
    const aiu_collective *c = &f->collective[collective];
    pf_str group = pf_aiu_text_of(run, run->events.group[f->slice[c->first].event]);
    pf_str number = number_of(group);
    bool numbered = number.ptr >= group.ptr && number.ptr < group.ptr + group.len;
    uint64_t bytes = pf_aiu_collective_bytes(run, f, c), most = UINT64_MAX / 2 / (n ? n : 1);
    pf_str name = pf_findings_format(run->findings, "%.*s%s", PF_TEXT_ARG(group), numbered ? "" : "_0");
    return (aiu_collective_args){.group = group,
                                 .peers = list_pids(run, pid, n),
                                 .number = number,
                                 .name = pf_aiu_text(run, name),
                                 .bytes = bytes,
                                 .size = 2 * (uint64_t)(n - 1) * (bytes > most ? most : bytes)};
}

/* The text without its numbers and the underscores in front of them; a number after a V stays, as in V2. */
uint32_t pf_aiu_without_numbers(aiu_run *run, uint32_t name)
{
    pf_str text = pf_aiu_text_of(run, name);
    char *out = pf_aiu_scratch(run, text.len, 1);
    size_t len = 0;
    for (size_t i = 0; out && i < text.len;) {
        if (!pf_is_digit(text.ptr[i]) || i == 0) {
            out[len++] = text.ptr[i++];
            continue;
        }
        bool kept = text.ptr[i - 1] == 'V';
        while (!kept && len && out[len - 1] == '_') {
            len--;
        }
        for (; i < text.len && pf_is_digit(text.ptr[i]); i++) {
            if (kept) {
                out[len++] = text.ptr[i];
            }
        }
    }
    return pf_aiu_text(run, (pf_str){out, len});
}

/* A kernel's name as it will be shown. */
static pf_str kernel_name(aiu_run *run, uint32_t kernel)
{
    uint32_t name = run->events.name[kernel];
    bool stays = run->set.keep_names || run->set.disable_tb;
    return pf_aiu_text_of(run, stays ? name : pf_aiu_without_numbers(run, name));
}

void pf_aiu_add_collective_slice(aiu_run *run, uint32_t transfer, aiu_stay at, const aiu_collective_args *s,
                                 uint32_t kernel)
{
    aiu_events *v = &run->events;
    pf_str row = pf_findings_format(run->findings, "coll%lld", (long long)v->pid[transfer]);
    pf_str bytes = pf_findings_format(run->findings, "%lluB", (unsigned long long)s->bytes);
    uint32_t tid = pf_aiu_text(run, row), e = pf_aiu_add_event(run, 'X');
    if (e == PF_NONE) {
        return;
    }
    v->flags[e] = AIU_REAL_COLL;
    v->pid[e] = v->pid[transfer];
    v->rank[e] = v->rank[transfer];
    v->job[e] = v->job[transfer];
    v->tid[e] = AIU_ID_TEXT | (int64_t)tid;
    v->ts[e] = at.start;
    v->dur[e] = at.end - at.start;
    v->name[e] = s->name;
    v->bytes[e] = s->size;
    pf_aiu_add_text(run, e, PF_STR("CollGroup"), s->group);
    pf_aiu_add_text(run, e, PF_STR("external id"), s->number);
    pf_aiu_add_text(run, e, PF_STR("bytes"), bytes);
    pf_aiu_add_text(run, e, PF_STR("peers"), s->peers);
    pf_aiu_add_int(run, e, PF_STR("Coll_data_size"), (int64_t)s->size);
    pf_aiu_add_text(run, e, PF_STR("collective algorithm type"), s->tree ? PF_STR("tree") : PF_STR("chain"));
    if (kernel != PF_NONE) {
        pf_aiu_add_text(run, e, PF_STR("rank group compute event"), kernel_name(run, kernel));
    }
}

void pf_aiu_collective_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m)
{
    int64_t *pid = pf_aiu_scratch(run, m->count, sizeof *pid);
    for (uint32_t i = 0; pid && i < m->count; i++) {
        pid[i] = m->list[i].pid;
    }
    for (uint32_t i = 0; pid && i < f->done_count; i++) {
        uint32_t from = m->from[f->done[i]], to = m->from[f->done[i] + 1];
        aiu_collective_args args = pf_aiu_collective_args(run, f, f->done[i], pid + from, to - from);
        args.tree = from < to && m->list[from].last_multicast > -INFINITY;
        for (; from < to; from++) {
            const aiu_member *own = &m->list[from];
            pf_aiu_add_collective_slice(run, own->transfer, pf_aiu_stay_of(run, own), &args, own->kernel);
        }
    }
}

void pf_aiu_show_collective(aiu_run *run, uint32_t event)
{
    aiu_events *v = &run->events;
    aiu_extra original = {.type = AIU_EXTRA_TEXT, .as.text = v->name[event]};
    v->cat[event] = pf_aiu_text(run, PF_STR("user_annotation"));
    v->flags[event] |= AIU_HOST_PID;
    if (!run->set.keep_names || pf_aiu_rule(run, AIU_OTHER_NAMES)) {
        v->name[event] = pf_aiu_text(run, PF_STR("gloo:all_reduce"));
        pf_aiu_add_extra(run, event, PF_STR("orig_name"), original);
    }
}
