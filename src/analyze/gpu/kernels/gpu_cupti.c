/* analyze/gpu/kernels/gpu_cupti.c - counters of CUPTI's profiler: each range of category "cuda_profiler_range" has
 * the kernel's name, and counters as arguments. Which ones is up to the recording, so each range is asked for all of
 * its arguments that are numbers.
 */
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

typedef struct counter_row {
    uint32_t input, name, counter, number; /* counter: an id of `names` */
    uint64_t ranges;
    double sum, least, most;
} counter_row;

typedef struct counters {
    pf_arg_depth lists; /* and objects around the argument at hand */
    gpu_facts *g;
    pf_strings names, keys; /* of counters; of rows: input, range and counter */
    counter_row *rows;
    uint32_t count, room;
    uint32_t input, name; /* of the range at hand */
    pf_interval time;
    gpu_counter_samples *samples;
    pf_error *err;
} counters;

static pf_status find_row(counters *c, pf_str counter, uint32_t *row)
{
    uint32_t key[] = {c->input, c->name, 0}, id;
    PF_TRY(pf_strings_put(&c->names, counter, &key[2], c->err));
    PF_TRY(pf_strings_put(&c->keys, (pf_str){(const char *)key, sizeof key}, &id, c->err));
    *row = id - 1;
    if (id > c->count) {
        PF_TRY(PF_ARENA_ROOM(&c->g->scratch, c->rows, (size_t)c->count + 1, c->room, c->err));
        c->rows[*row] = (counter_row){.input = c->input, .name = c->name, .counter = key[2], .number = c->count++};
    }
    return PF_OK;
}

static pf_status keep_sample(counters *c, uint32_t counter, double number)
{
    gpu_counter_samples *s = c->samples;
    if (c->g->ctx->skip_overlay || c->time.start >= c->time.end) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_ROOM(c->g->arena, s->list, (size_t)s->count + 1, s->room, c->err));
    PF_TRY(PF_ARENA_ROOM(c->g->arena, s->names, (size_t)counter, s->name_room, c->err));
    for (; s->name_count < counter; s->name_count++) {
        s->names[s->name_count] = pf_findings_keep(c->g->f, pf_strings_get(&c->names, s->name_count + 1));
    }
    s->list[s->count] = (gpu_counter_sample){c->input, counter - 1, s->count, c->time, number};
    s->count++;
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    counters *c = ctx;
    double number = v->type == PF_VALUE_INT    ? (double)v->as.i
                    : v->type == PF_VALUE_UINT ? (double)v->as.u
                    : v->type == PF_VALUE_REAL ? v->as.d
                                               : 0;
    uint32_t at;
    if (c->lists.depth || (v->type != PF_VALUE_INT && v->type != PF_VALUE_UINT && v->type != PF_VALUE_REAL)) {
        return PF_OK;
    }
    PF_TRY(find_row(c, pf_arg_plain_key(key), &at));
    counter_row *r = &c->rows[at];
    r->least = r->ranges == 0 || number < r->least ? number : r->least;
    r->most = r->ranges == 0 || number > r->most ? number : r->most;
    r->sum += number;
    r->ranges++;
    return keep_sample(c, r->counter, number);
}

static pf_status gather(counters *c, uint32_t category)
{
    const pf_trace *t = c->g->trace;
    const pf_slices *s = pf_trace_slices(t);
    const pf_arg_visitor visitor = {
        .ctx = c, .begin = pf_arg_enter, .end = pf_arg_leave, .value = value, .raw_names = true};
    for (uint32_t i = 0; i < s->count; i++) {
        if (pf_slice_category(s, i) == category) {
            c->input = pf_trace_event_input(t, s->event[i]);
            c->name = pf_slice_name(s, i);
            c->time = (pf_interval){pf_slice_ts(s, i), pf_slice_ts(s, i)};
            c->time.end = __builtin_add_overflow(c->time.start, s->dur[i], &c->time.end) ? INT64_MAX : c->time.end;
            c->lists.depth = 0;
            PF_TRY(pf_trace_visit_args(t, s->event[i], &visitor, c->err));
        }
    }
    return PF_OK;
}

PF_ORDER(by_input, counter_row, PF_UP(input), PF_UP(number));

PF_ORDER(by_counter, gpu_counter_sample, PF_UP(input), PF_UP(counter), PF_UP(number));

static void put_rows(const counters *c)
{
    const gpu_facts *g = c->g;
    if (c->count) {
        qsort(c->rows, c->count, sizeof *c->rows, by_input);
    }
    for (const counter_row *r = c->rows; r < c->rows + c->count; r++) {
        GPU_ROW(g, GPU_TABLE_COUNTERS, GPU_WHOSE(g, r->input), pf_cell_text(pf_trace_string(g->trace, r->name)),
                pf_cell_text(pf_strings_get(&c->names, r->counter)), pf_cell_count(r->ranges), pf_cell_real(r->sum),
                pf_cell_real(r->sum / (double)r->ranges), pf_cell_real(r->least), pf_cell_real(r->most));
    }
}

pf_status pf_gpu_counters(gpu_facts *g, gpu_counter_samples *samples, pf_error *err)
{
    uint32_t category = pf_trace_find_string(g->trace, PF_STR("cuda_profiler_range"));
    counters c = {.g = g, .samples = samples, .err = err};
    if (category == PF_NONE) {
        return PF_OK;
    }
    pf_status st = pf_strings_init(&c.names, g->arena->budget, err);
    st = st == PF_OK ? pf_strings_init(&c.keys, g->arena->budget, err) : st;
    st = st == PF_OK ? gather(&c, category) : st;
    if (st == PF_OK) {
        put_rows(&c);
        if (samples->count) {
            qsort(samples->list, samples->count, sizeof *samples->list, by_counter);
        }
    }
    pf_strings_free(&c.keys);
    pf_strings_free(&c.names);
    pf_arena_reset(&g->scratch);
    return st;
}
