/* analyze/tinygrad/device/tg_executions.c - all_pmc.json: a row for each execution with counters: kernel, duration,
 * sums. Which range an execution is, and so how long it took, is in tinygrad_record. */
#include <string.h>

#include "analyze/tinygrad/device/tg_device_reports.h"
#include "model/trace/trace.h"

typedef struct execution_list {
    const tg_input *in;
    uint32_t
        *counters; /* of each execution the first of its rows of tinygrad_pmc; PF_NONE: it has thread traces alone */
    uint32_t count;
    uint32_t *range; /* by row of tinygrad_pmc: the kernel's, PF_NONE: not known */
} execution_list;

/* The kernel and the number of the execution say what belongs together; the first record of any kind says its place,
 * the first counters count. Both tables are in the order of the events. */
static pf_status gather(execution_list *l, pf_strings *keys, pf_error *err)
{
    const tg_counters *c = &l->in->counters;
    const tg_streams *s = &l->in->streams;
    tg_rows at = {0, 0};
    for (uint32_t stream = 0; stream < s->count || at.end < c->count;) {
        bool counted = at.end < c->count && (stream == s->count || c->event[at.end] < s->event[stream]);
        uint32_t i = counted ? at.end : stream++;
        const int64_t key[] = {counted ? c->kernel[i] : s->kernel[i], counted ? c->tag[i] : s->tag[i],
                               counted ? c->exec_tag[i] : s->exec_tag[i]};
        uint32_t id = pf_strings_add(keys, (const char *)key, sizeof key, err);
        PF_TRY(id == PF_NONE ? err->code : PF_OK);
        if (id > l->count) {
            l->counters[l->count++] = PF_NONE;
        }
        if (counted) {
            at = pf_tg_counters_at(l->in, i);
            l->counters[id - 1] = l->counters[id - 1] == PF_NONE ? i : l->counters[id - 1];
        }
    }
    memset(l->range, 0xFF, c->count * sizeof *l->range);
    for (uint32_t i = 0; i < l->in->records.count; i++) {
        uint32_t row = pf_tg_find(c->event, c->count, l->in->records.event[i]);
        l->range[row == PF_NONE ? c->count : row] = l->in->records.kernel[i];
    }
    return PF_OK;
}

/* With colours, where an estimate tells how the viewer shows the kernel. */
static pf_str shown_name(const tg_input *in, tg_kernel k)
{
    uint32_t program = pf_tg_program_of(in, k), id = program == PF_NONE ? k.name : in->programs.name[program];
    for (size_t i = 0; id && i < in->estimates->count; i++) {
        if (in->estimates->ids[2 * i] == id || in->estimates->ids[2 * i + 1] == id) {
            return in->estimates->estimate[i].name;
        }
    }
    return pf_tg_kernel_name(in, k);
}

static void put_row(tg_json *j, const execution_list *l, uint32_t first)
{
    const tg_counters *c = &l->in->counters;
    tg_rows s = pf_tg_counters_at(l->in, first);
    char text[32];
    pf_tg_begin_list(j, NULL);
    pf_tg_put_text(j, NULL, shown_name(l->in, (tg_kernel){c->kernel[first], c->tag[first]}));
    if (l->range[first] == PF_NONE) {
        pf_tg_put_null(j, NULL);
    } else {
        pf_tg_put_real(j, NULL, l->in->events.dur[l->range[first]]);
    }
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_put_wide(j, l->in, NULL, c->sum[i], c->sum_digits[i]);
    }
    for (unsigned i = 0; i < PF_TG_METRICS; i++) {
        pf_str shown = pf_tg_utilisation(l->in, s, i, text);
        if (shown.ptr) {
            pf_tg_put_text(j, NULL, shown);
        }
    }
    pf_tg_end(j);
}

/* The names of all counters and metrics, each where it is first met; seen: by string id. */
static void put_columns(tg_json *j, const execution_list *l, bool *seen)
{
    bool metric_seen[PF_TG_METRICS] = {false};
    char text[32];
    pf_tg_begin_list(j, "cols");
    pf_tg_put_word(j, NULL, "Kernel");
    pf_tg_put_word(j, NULL, "Duration");
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t first = l->counters[i];
        tg_rows s = first == PF_NONE ? (tg_rows){0, 0} : pf_tg_counters_at(l->in, first);
        for (uint32_t row = s.first; row < s.end; row++) {
            uint32_t name = l->in->counters.name[row];
            if (!seen[name]) {
                seen[name] = true;
                pf_tg_put_text(j, NULL, pf_tg_string(l->in, name));
            }
        }
        for (unsigned k = 0; k < PF_TG_METRICS; k++) {
            if (!metric_seen[k] && pf_tg_utilisation(l->in, s, k, text).ptr) {
                metric_seen[k] = true;
                pf_tg_put_word(j, NULL, pf_tg_metrics[k].name);
            }
        }
    }
    pf_tg_end(j);
}

static pf_status put_all(tg_json *j, const tg_input *in, pf_arena *arena, pf_strings *keys)
{
    execution_list l = {.in = in};
    bool *seen;
    PF_TRY(pf_strings_init(keys, arena->budget, j->err));
    PF_TRY(PF_ARENA_NEW(arena, l.counters, (size_t)in->counters.count + in->streams.count, j->err));
    PF_TRY(PF_ARENA_NEW(arena, l.range, (size_t)in->counters.count + 1, j->err));
    PF_TRY(PF_ARENA_NEW(arena, seen, in->t->strings.count, j->err));
    PF_TRY(gather(&l, keys, j->err));
    pf_tg_begin_object(j, NULL);
    put_columns(j, &l, seen);
    pf_tg_begin_list(j, "rows");
    for (uint32_t i = 0; i < l.count; i++) {
        if (l.counters[i] != PF_NONE) {
            put_row(j, &l, l.counters[i]);
        }
    }
    pf_tg_end(j);
    pf_tg_end(j);
    return j->status;
}

pf_status pf_tg_visit_executions(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    tg_json j = {v, err, PF_OK};
    pf_budget budget;
    pf_arena arena;
    pf_strings keys = {.count = 0};
    pf_budget_init(&budget, NULL);
    pf_arena_init(&arena, &budget);
    pf_status st = put_all(&j, of, &arena, &keys);
    pf_strings_free(&keys);
    pf_arena_free(&arena);
    return st;
}
