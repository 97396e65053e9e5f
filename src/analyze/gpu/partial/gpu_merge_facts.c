/* analyze/gpu/partial/gpu_merge_facts.c - from the tables of partials to facts of inputs, devices and steps, in the
 * order of the inputs' paths, and their calls of collectives.
 *
 * The tables may say anything. Rows of inputs that no partial names, inputs without the rows that each has, and times
 * that no trace can have are refused; a wrong number makes wrong numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/partial/gpu_partial.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/trace/trace.h"
#include "tables/partial_file.h"

#define LATEST (INT64_MAX / 4)

static pf_status broken(const gpu_merge *m, const char *table)
{
    return pf_fail(m->err, PF_ERR_INPUT, "table %s of the partials is damaged; write them again with --partial", table);
}

int64_t pf_gpu_merged_int(const gpu_merged *t, unsigned column, uint32_t row)
{
    int64_t v = *pf_side_number(t->s, column, row);
    return v == INT64_MIN ? 0 : v;
}

static uint64_t count_at(const gpu_merged *t, unsigned column, uint32_t row)
{
    int64_t v = pf_gpu_merged_int(t, column, row);
    return v < 0 ? 0 : (uint64_t)v;
}

static uint32_t small_at(const gpu_merged *t, unsigned column, uint32_t row)
{
    uint64_t v = count_at(t, column, row);
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX - 1;
}

pf_str pf_gpu_merged_text(const gpu_merged *t, unsigned column, uint32_t row)
{
    return pf_trace_string(t->trace, *pf_side_ref(t->s, column, row));
}

uint32_t pf_gpu_merged_device(const gpu_merge *m, uint32_t input, uint32_t label)
{
    const gpu_rank *rank = &m->r->facts.ranks[input];
    uint32_t from = rank->first_device, end = from + rank->device_count, to = end;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        bool before = m->labels[middle].label < label;
        from = before ? middle + 1 : from;
        to = before ? to : middle;
    }
    return from < end && m->labels[from].label == label ? m->labels[from].device : PF_NONE;
}

PF_ORDER(by_label, gpu_old_label, PF_UP(label), PF_UP(device));

/* ---- rows by input ----------------------------------------------------------------------------------------------- */

static pf_status find_table(gpu_merge *m, const pf_trace *trace, const pf_pass_table *p, gpu_merged *out)
{
    static const pf_column_type types[] = {
        [PF_CELL_INT] = PF_COLUMN_INT, [PF_CELL_REAL] = PF_COLUMN_REAL, [PF_CELL_TEXT] = PF_COLUMN_TEXT};
    char name[64];
    snprintf(name, sizeof name, PF_PARTIAL_PREFIX "%s", p->name);
    *out = (gpu_merged){.trace = trace, .s = pf_trace_table(trace, name)};
    bool same = !out->s || out->s->spec->column_count == p->column_count;
    for (size_t i = 0; out->s && same && i < p->column_count; i++) {
        const pf_side_column *c = &out->s->spec->columns[i];
        same = strcmp(c->name, p->columns[i].name) == 0 && c->type == types[p->columns[i].type];
    }
    return same ? PF_OK : broken(m, p->name);
}

/* 1 + the input of that path, 0 if there is none: a string of the trace of a table. */
static uint32_t input_of(const gpu_merge *m, const gpu_merged *t, uint32_t path)
{
    const pf_trace *all = m->r->facts.trace;
    uint32_t id = t->trace == all ? path : pf_trace_find_string(all, pf_trace_string(t->trace, path));
    return id == PF_NONE ? 0 : m->input_of[id];
}

/* Their first column is the input. */
static pf_status order_rows(gpu_merge *m, const pf_pass_table *p, pf_arena *arena, gpu_merged *t)
{
    uint32_t rows = t->s ? t->s->count : 0, input = 0, *key;
    PF_TRY(PF_ARENA_NEW(arena, t->first, (size_t)m->inputs + 1, m->err));
    PF_TRY(PF_PASS_ARRAY(arena, rows, t->order, m->err));
    PF_TRY(PF_PASS_ARRAY(&m->r->facts.scratch, rows, key, m->err));
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t *path = pf_side_ref(t->s, 0, i);
        input = i && path[0] == path[-1] ? input : input_of(m, t, *path);
        PF_TRY(input ? PF_OK : broken(m, p->name));
        key[i] = input - 1;
    }
    pf_gpu_sort_by_key(key, rows, m->inputs, t->first, t->order);
    return PF_OK;
}

static uint32_t rows_of(const gpu_merged *t, uint32_t input)
{
    return t->first[input + 1] - t->first[input];
}

static uint32_t row_of(const gpu_merged *t, uint32_t input, uint32_t i)
{
    return t->order[t->first[input] + i];
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const gpu_rank *)a)->path, ((const gpu_rank *)b)->path);
}

static pf_status read_inputs(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    gpu_merged *t = &m->parts[GPU_PART_INPUTS];
    PF_TRY(find_table(m, g->trace, &pf_gpu_parts[GPU_PART_INPUTS], t));
    PF_TRY(t->s ? PF_OK : broken(m, pf_gpu_parts[GPU_PART_INPUTS].name));
    g->rank_count = m->inputs = t->s->count;
    PF_TRY(PF_ARENA_NEW(g->arena, g->ranks, m->inputs, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, m->input_of, g->trace->strings.count, m->err));
    for (uint32_t i = 0; i < m->inputs; i++) {
        pf_str path = pf_gpu_merged_text(t, 0, i);
        PF_TRY(path.ptr && strlen(path.ptr) == path.len ? PF_OK : broken(m, pf_gpu_parts[GPU_PART_INPUTS].name));
        g->ranks[i].path = path.ptr;
        g->unusable += small_at(t, GPU_PART_LEFT_OUT, i);
        m->r->scheduler.lost |= pf_gpu_merged_int(t, GPU_PART_LOST, i) != 0;
    }
    qsort(g->ranks, m->inputs, sizeof *g->ranks, by_path);
    for (uint32_t i = 0; i < m->inputs; i++) {
        if (i && strcmp(g->ranks[i].path, g->ranks[i - 1].path) == 0) {
            return pf_fail(m->err, PF_ERR_INPUT, "'%s' is in two of the partials; each input counts once",
                           g->ranks[i].path);
        }
        m->input_of[pf_trace_find_string(g->trace, pf_str_of(g->ranks[i].path))] = i + 1;
    }
    for (size_t i = 0; i < GPU_TABLES; i++) {
        PF_TRY(find_table(m, g->trace, &pf_gpu_tables[i], &m->tables[i]));
        PF_TRY(i > GPU_TABLE_RANKS ? PF_OK : order_rows(m, &pf_gpu_tables[i], g->arena, &m->tables[i]));
        pf_arena_reset(&g->scratch);
    }
    for (size_t i = 0; i < GPU_PARTS; i++) {
        PF_TRY(find_table(m, g->trace, &pf_gpu_parts[i], &m->parts[i]));
        PF_TRY(i == GPU_PART_CALLS ? PF_OK : order_rows(m, &pf_gpu_parts[i], g->arena, &m->parts[i]));
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* Columns of gpu_devices and, up to the times, of the others; GPU_TIMES goes on from START. */
enum { RANK = 1, DEVICE, DEVICE_NAME, EVENTS, START, END, SPAN, BUSY, IDLE = BUSY + 1 + GPU_CLASSES, OVERLAP, EXPOSED };
enum { HOST = EXPOSED + 4, WAITING, OTHER, LABEL = OTHER + 2 };

static gpu_device device_of(const gpu_merge *m, uint32_t input, uint32_t row, uint32_t part)
{
    const gpu_merged *t = &m->tables[GPU_TABLE_DEVICES], *more = &m->parts[GPU_PART_DEVICES];
    gpu_device d = {.input = input,
                    .number = pf_gpu_merged_int(t, DEVICE, row),
                    .name = pf_gpu_merged_text(t, DEVICE_NAME, row),
                    .op_count = small_at(t, EVENTS, row),
                    .stream_count = small_at(more, GPU_PART_STREAMS, part),
                    .depths = small_at(more, GPU_PART_DEPTHS, part),
                    .host = count_at(t, HOST, row),
                    .waiting = count_at(t, WAITING, row),
                    .other = count_at(t, OTHER, row),
                    .times = {.start = pf_gpu_merged_int(t, START, row),
                              .end = pf_gpu_merged_int(t, END, row),
                              .span = count_at(t, SPAN, row),
                              .busy = count_at(t, BUSY, row),
                              .idle = count_at(t, IDLE, row),
                              .overlap = count_at(t, OVERLAP, row),
                              .exposed = count_at(t, EXPOSED, row)}};
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        d.times.in_class[k] = count_at(t, BUSY + 1 + k, row);
    }
    return d;
}

static pf_status read_devices(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    const gpu_merged *t = &m->tables[GPU_TABLE_DEVICES], *ranks = &m->tables[GPU_TABLE_RANKS],
                     *more = &m->parts[GPU_PART_DEVICES];
    uint32_t count = t->s ? t->s->count : 0;
    PF_TRY(PF_ARENA_NEW(g->arena, g->devices, count, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, m->labels, count, m->err));
    for (uint32_t i = 0; i < m->inputs; i++) {
        gpu_rank *rank = &g->ranks[i];
        uint32_t n = rows_of(t, i);
        PF_TRY(rows_of(ranks, i) == 1 ? PF_OK : broken(m, pf_gpu_tables[GPU_TABLE_RANKS].name));
        PF_TRY(rows_of(more, i) == (n ? n : 1) ? PF_OK : broken(m, pf_gpu_parts[GPU_PART_DEVICES].name));
        int64_t number = *pf_side_number(ranks->s, RANK, row_of(ranks, i, 0));
        rank->known = number != INT64_MIN;
        rank->rank = rank->known ? number : 0;
        rank->first_device = g->device_count;
        rank->device_count = n;
        for (uint32_t k = 0; k < n; k++) {
            gpu_device *d = &g->devices[g->device_count];
            *d = device_of(m, i, row_of(t, i, k), row_of(more, i, k));
            m->labels[g->device_count] = (gpu_old_label){*pf_side_ref(t->s, LABEL, row_of(t, i, k)), g->device_count};
            g->device_count++;
            rank->op_count += d->op_count;
        }
        if (n) {
            qsort(m->labels + rank->first_device, n, sizeof *m->labels, by_label);
        }
    }
    return PF_OK;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

enum { SOURCE = 3, LENGTH, STEPS, WARM_UP, OUTLIERS, STEADY, MEAN, OUTSIDE = MEAN + 9, STEP_NUMBER = 3 };

static gpu_step_source source_named(pf_str name)
{
    gpu_step_source s = GPU_STEP_ANNOTATION;
    while (s < GPU_STEP_PATTERN && !pf_str_equal(pf_gpu_step_source_name(s), name)) {
        s++;
    }
    return s;
}

static void read_device_steps(const gpu_merge *m, uint32_t row, uint32_t part, gpu_device_steps *out)
{
    const gpu_merged *t = &m->tables[GPU_TABLE_STEP_SUMMARY];
    out->steady = (gpu_stats){.count = count_at(t, STEADY, row),
                              .total = count_at(&m->parts[GPU_PART_DEVICES], GPU_PART_STEADY, part),
                              .mean = count_at(t, MEAN, row),
                              .median = count_at(t, MEAN + 1, row),
                              .p95 = count_at(t, MEAN + 2, row),
                              .least = count_at(t, MEAN + 3, row),
                              .most = count_at(t, MEAN + 4, row)};
    pf_str length = pf_gpu_merged_text(t, LENGTH, row);
    out->with_period = pf_str_is(length, "host window") ? 0 : small_at(t, STEADY, row);
    out->with_period += pf_str_is(length, "both"); /* neither none nor all */
}

static pf_status read_steps(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    gpu_step_facts *s = &m->r->steps;
    const gpu_merged *t = &m->tables[GPU_TABLE_STEP_SUMMARY], *steps = &m->tables[GPU_TABLE_STEPS];
    PF_TRY(PF_ARENA_NEW(g->arena, s->of_input, m->inputs, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, s->counts, g->device_count, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, s->devices, (size_t)g->device_count + m->inputs, m->err));
    for (uint32_t i = 0; i < m->inputs; i++) {
        const gpu_rank *rank = &g->ranks[i];
        gpu_steps *own = &s->of_input[i];
        uint32_t rows = rows_of(t, i), most = rank->device_count ? rank->device_count : 1;
        if (rows == 0) {
            continue;
        }
        PF_TRY(rows == most ? PF_OK : broken(m, pf_gpu_tables[GPU_TABLE_STEP_SUMMARY].name));
        own->count = small_at(t, STEPS, row_of(t, i, 0));
        own->source = source_named(pf_gpu_merged_text(t, SOURCE, row_of(t, i, 0)));
        PF_TRY(own->count && own->count <= rows_of(steps, i) ? PF_OK : broken(m, pf_gpu_tables[GPU_TABLE_STEPS].name));
        PF_TRY(PF_ARENA_NEW(g->arena, own->list, own->count, m->err));
        for (uint32_t k = 0; k < own->count; k++) {
            own->list[k].number = pf_gpu_merged_int(steps, STEP_NUMBER, row_of(steps, i, k));
        }
        for (uint32_t k = 0; k < rows; k++) {
            uint32_t device = rank->device_count ? rank->first_device + k : g->device_count + i;
            read_device_steps(m, row_of(t, i, k), row_of(&m->parts[GPU_PART_DEVICES], i, k), &s->devices[device]);
            if (rank->device_count) {
                s->counts[device].outside = count_at(t, OUTSIDE, row_of(t, i, k));
            }
        }
    }
    return PF_OK;
}

static pf_status read_windows(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    const gpu_merged *t = &m->parts[GPU_PART_WINDOWS];
    PF_TRY(PF_ARENA_NEW(g->arena, m->r->ranks.windows, (size_t)g->device_count * GPU_WINDOWS, m->err));
    for (uint32_t i = 0; i < m->inputs; i++) {
        gpu_window *out = m->r->ranks.windows + (size_t)g->ranks[i].first_device * GPU_WINDOWS;
        bool whole = rows_of(t, i) == (uint64_t)g->ranks[i].device_count * GPU_WINDOWS;
        PF_TRY(whole ? PF_OK : broken(m, pf_gpu_parts[GPU_PART_WINDOWS].name));
        for (uint32_t k = 0; k < rows_of(t, i); k++) {
            uint32_t row = row_of(t, i, k);
            out[k] = (gpu_window){count_at(t, GPU_PART_BUSY, row), count_at(t, GPU_PART_COMMUNICATION, row),
                                  count_at(t, GPU_PART_EXPOSED, row)};
        }
    }
    return PF_OK;
}

void pf_gpu_close_calls(gpu_merge *m)
{
    if (m->open && m->parts[GPU_PART_CALLS].trace != m->r->facts.trace) {
        pf_pass_close(m->r->facts.ctx, GPU_MERGE_CALLS, m->open - 1);
    }
    m->open = 0;
}

pf_status pf_gpu_open_calls(gpu_merge *m, uint32_t block)
{
    gpu_facts *g = &m->r->facts;
    gpu_merged *t = &m->parts[GPU_PART_CALLS];
    pf_pass_file file = {.trace = g->trace};
    if (m->open == block + 1) {
        return PF_OK;
    }
    pf_gpu_close_calls(m);
    pf_arena_reset(&g->scratch);
    PF_TRY(m->parts_apart ? pf_pass_open(g->ctx, GPU_MERGE_CALLS, block, 0, &file, m->err) : PF_OK);
    m->open = block + 1;
    t->trace = file.trace;
    PF_TRY(find_table(m, file.trace, &pf_gpu_parts[GPU_PART_CALLS], t));
    return order_rows(m, &pf_gpu_parts[GPU_PART_CALLS], &g->scratch, t);
}

static pf_status add_call(gpu_merge *m, const gpu_merged *t, uint32_t input, uint32_t row)
{
    const gpu_rank_part call = {.input = input,
                                .op = PF_NONE,
                                .began = pf_gpu_merged_int(t, GPU_PART_START, row),
                                .end = pf_gpu_merged_int(t, GPU_PART_END, row),
                                .work = pf_gpu_merged_int(t, GPU_PART_WORK, row)};
    if (call.began < -LATEST || call.end < call.began || call.end > LATEST || call.work < 0) {
        return broken(m, pf_gpu_parts[GPU_PART_CALLS].name);
    }
    const gpu_series key = {.kind = pf_gpu_collective_named(pf_gpu_merged_text(t, GPU_PART_KIND, row)),
                            .bytes = pf_gpu_merged_int(t, GPU_PART_BYTES, row)};
    return pf_gpu_add_call(&m->r->facts, &m->r->ranks, key, pf_gpu_merged_text(t, GPU_PART_GROUP, row),
                           pf_gpu_merged_text(t, GPU_PART_MEMBERS, row), &call, m->err);
}

/* All calls of an input are in one block. */
static pf_status read_block(void *merge, uint32_t block, pf_error *err)
{
    gpu_merge *m = merge;
    const gpu_merged *t = &m->parts[GPU_PART_CALLS];
    (void)err; /* m->err */
    PF_TRY(pf_gpu_open_calls(m, block));
    for (uint32_t i = 0; i < m->inputs; i++) {
        if (rows_of(t, i) && m->block_of[i] && m->block_of[i] != block + 1) {
            return broken(m, pf_gpu_parts[GPU_PART_CALLS].name);
        }
        m->block_of[i] = rows_of(t, i) ? block + 1 : m->block_of[i];
        for (uint32_t k = 0; k < rows_of(t, i); k++) {
            PF_TRY(add_call(m, t, i, row_of(t, i, k)));
        }
    }
    return PF_OK;
}

static pf_status compare_ranks(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    gpu_ranks *r = &m->r->ranks;
    const gpu_merged *calls = &m->parts[GPU_PART_CALLS];
    m->parts_apart = !calls->s && g->ctx->open;
    PF_TRY(PF_ARENA_NEW(g->arena, m->block_of, m->inputs, m->err));
    r->read_block = read_block;
    r->source = m;
    r->blocks = m->parts_apart ? (uint32_t)g->ctx->roles[GPU_MERGE_CALLS].count : 1;
    return pf_gpu_compare_ranks(g, r, m->err);
}

pf_status pf_gpu_merge_read(gpu_merge *m)
{
    PF_TRY(read_inputs(m));
    PF_TRY(read_devices(m));
    PF_TRY(read_steps(m));
    PF_TRY(pf_gpu_ranks_init(&m->r->ranks, &m->r->facts, m->err));
    PF_TRY(m->inputs > 1 ? read_windows(m) : PF_OK);
    pf_status st = compare_ranks(m);
    pf_gpu_close_calls(m);
    return st;
}
