/* analyze/aiu/ranks/aiu_collective_slices.c - a slice for each rank of a complete collective (-R).
 *
 * A slice is as long as the rank's stay. Under --compat stays may be of negative length, and a rank without a kernel
 * gets the times of another one, as in the program before postfetto.
 */
#include <math.h>
#include <stdio.h>

#include "analyze/aiu/ranks/aiu_members.h"
#include "analyze/support/pass_memory.h"

/* "{0, 1, 2, 3}" */
static pf_str list_pids(aiu_run *run, const aiu_member *list, uint32_t n)
{
    pf_buffer b = {0};
    for (uint32_t i = 0; i < n; i++) {
        pf_buffer_format(&b, "%s%lld", i ? ", " : "{", (long long)list[i].pid);
    }
    pf_buffer_text(&b, "}");
    return pf_pass_keep_buffer(run->findings, &b);
}

/* The last number of a group's name, "0" without one. */
static pf_str number_of(pf_str name)
{
    size_t end = name.len;
    while (end && (name.ptr[end - 1] < '0' || name.ptr[end - 1] > '9')) {
        end--;
    }
    size_t start = end;
    while (start && name.ptr[start - 1] >= '0' && name.ptr[start - 1] <= '9') {
        start--;
    }
    return end > start ? (pf_str){name.ptr + start, end - start} : PF_STR("0");
}

/* What all slices of a collective say. */
typedef struct shared_args {
    pf_str group, peers, number;
    uint32_t name; /* text */
    uint64_t bytes, size;
    bool tree;
} shared_args;

static pf_status read_shared(aiu_run *run, const aiu_flows *f, const aiu_members *m, uint32_t collective,
                             shared_args *out, pf_error *err)
{
    const aiu_collective *c = &f->collective[collective];
    uint32_t from = m->from[collective], n = m->from[collective + 1] - from;
    pf_str group = pf_aiu_text_of(run, run->events.group[f->slice[c->first].event]);
    pf_str number = number_of(group);
    bool numbered = number.ptr >= group.ptr && number.ptr < group.ptr + group.len;
    uint64_t bytes = pf_aiu_collective_bytes(run, f, c), most = UINT64_MAX / 2 / (n ? n : 1);
    *out = (shared_args){.group = group,
                         .peers = list_pids(run, m->list + from, n),
                         .number = number,
                         .bytes = bytes,
                         .size = 2 * (uint64_t)(n - 1) * (bytes > most ? most : bytes),
                         .tree = m->list[from].last_multicast > -INFINITY};
    pf_str name = pf_findings_format(run->findings, "%.*s%s", (int)group.len, group.ptr, numbered ? "" : "_0");
    out->name = pf_aiu_text(run, name, err);
    return out->name == PF_NONE ? err->code : PF_OK;
}

/* Every number with the text before it loses the number and an underscore between them; after a V it stays. */
static pf_str without_numbers(aiu_run *run, pf_str name)
{
    pf_buffer b = {0};
    for (size_t i = 0; i < name.len;) {
        size_t text = i;
        while (i < name.len && (name.ptr[i] < '0' || name.ptr[i] > '9')) {
            i++;
        }
        size_t digits = i;
        while (i < name.len && name.ptr[i] >= '0' && name.ptr[i] <= '9') {
            i++;
        }
        bool stays = digits == text || i == digits || name.ptr[digits - 1] == 'V';
        size_t end = stays ? i : name.ptr[digits - 1] == '_' ? digits - 1 : digits;
        pf_buffer_put(&b, name.ptr + text, end - text);
    }
    return pf_pass_keep_buffer(run->findings, &b);
}

/* A kernel's name as it will be shown. */
static pf_str kernel_name(aiu_run *run, uint32_t kernel)
{
    pf_str name = pf_aiu_text_of(run, run->events.name[kernel]);
    return run->set.keep_names || run->set.disable_tb ? name : without_numbers(run, name);
}

static pf_status add_args(aiu_run *run, uint32_t e, const shared_args *s, uint32_t kernel, pf_error *err)
{
    pf_str bytes = pf_findings_format(run->findings, "%lluB", (unsigned long long)s->bytes);
    pf_status st = pf_aiu_add_text(run, e, PF_STR("CollGroup"), s->group, err);
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("external id"), s->number, err) : st;
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("bytes"), bytes, err) : st;
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("peers"), s->peers, err) : st;
    st = st == PF_OK ? pf_aiu_add_int(run, e, PF_STR("Coll_data_size"), (int64_t)s->size, err) : st;
    pf_str type = s->tree ? PF_STR("tree") : PF_STR("chain");
    st = st == PF_OK ? pf_aiu_add_text(run, e, PF_STR("collective algorithm type"), type, err) : st;
    if (kernel != PF_NONE && st == PF_OK) {
        st = pf_aiu_add_text(run, e, PF_STR("rank group compute event"), kernel_name(run, kernel), err);
    }
    return st;
}

static pf_status add_slice(aiu_run *run, const aiu_member *m, aiu_stay at, const shared_args *s, uint32_t kernel,
                           pf_error *err)
{
    aiu_events *v = &run->events;
    pf_str row = pf_findings_format(run->findings, "coll%lld", (long long)m->pid);
    uint32_t tid = pf_aiu_text(run, row, err), e = tid == PF_NONE ? PF_NONE : pf_aiu_add_event(run, 'X', err);
    if (e == PF_NONE) {
        return err->code;
    }
    v->flags[e] = AIU_REAL_COLL;
    v->pid[e] = m->pid;
    v->rank[e] = v->rank[m->transfer];
    v->job[e] = v->job[m->transfer];
    v->tid[e] = AIU_ID_TEXT | (int64_t)tid;
    v->ts[e] = at.start;
    v->dur[e] = at.end - at.start;
    v->name[e] = s->name;
    v->bytes[e] = s->size;
    return add_args(run, e, s, kernel, err);
}

/* The first rank without a kernel has what the last one has; any other has what the one before it has. */
static uint32_t substitute(const aiu_members *b, uint32_t from, uint32_t n, uint32_t i)
{
    for (uint32_t steps = 0; steps < n && b->list[from + i].kernel == PF_NONE; steps++) {
        i = (i + n - 1) % n;
    }
    return i;
}

static pf_status add_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m, uint32_t collective, pf_error *err)
{
    shared_args shared;
    uint32_t from = m->from[collective], n = m->from[collective + 1] - from;
    pf_status st = read_shared(run, f, m, collective, &shared, err);
    if (shared.tree && run->set.compat != AIU_WANT) {
        return st;
    }
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        uint32_t like = run->set.compat == AIU_WANT ? i : substitute(m, from, n, i);
        const aiu_member *times = &m->list[from + like];
        st = add_slice(run, &m->list[from + i], pf_aiu_stay_of(run, times), &shared, times->kernel, err);
    }
    return st;
}

pf_status pf_aiu_collective_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < f->done_count && st == PF_OK; i++) {
        st = add_slices(run, f, m, f->done[i], err);
    }
    return st;
}

pf_status pf_aiu_show_collective(aiu_run *run, uint32_t event, pf_error *err)
{
    aiu_events *v = &run->events;
    aiu_extra original = {.type = AIU_EXTRA_TEXT, .as.text = v->name[event]};
    uint32_t name = pf_aiu_text(run, PF_STR("gloo:all_reduce"), err);
    uint32_t cat = name == PF_NONE ? PF_NONE : pf_aiu_text(run, PF_STR("user_annotation"), err);
    if (cat == PF_NONE) {
        return err->code;
    }
    v->cat[event] = cat;
    v->name[event] = run->set.keep_names ? v->name[event] : name;
    v->flags[event] |= AIU_HOST_PID;
    return run->set.keep_names ? PF_OK : pf_aiu_add_extra(run, event, PF_STR("orig_name"), original, err);
}
