/* analyze/gpu/partial/gpu_merge_facts.c - from the tables of partials to facts of inputs, devices and steps, in the
 * order of the inputs' paths, and their calls of collectives.
 *
 * The tables may say anything. Inputs without the rows that each has, and times that no trace can have are refused; a
 * wrong number makes wrong numbers. */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/partial/gpu_partial.h"
#include "analyze/pass/partials.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/str.h"

#define LATEST (INT64_MAX / 4)

static pf_status broken(const gpu_merge *m, const char *table)
{
    return pf_partials_broken(table, m->err);
}

static uint64_t count_at(const gpu_walk *w, unsigned column)
{
    int64_t v = pf_gpu_walk_int(w, column);
    return v < 0 ? 0 : (uint64_t)v;
}

static uint32_t small_at(const gpu_walk *w, unsigned column)
{
    uint64_t v = count_at(w, column);
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX - 1;
}

static int compare_texts(pf_str a, pf_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return order ? order : PF_COMPARE(a.len, b.len);
}

static int by_label(const void *a, const void *b)
{
    const gpu_old_label *x = a, *y = b;
    int order = compare_texts(x->label, y->label);
    return order ? order : PF_COMPARE(x->device, y->device);
}

const gpu_old_label *pf_gpu_merged_device(const gpu_merge *m, uint32_t input, pf_str label)
{
    uint32_t from = m->first_label[input], end = m->first_label[input + 1], to = end;
    PF_BISECT(from, to, compare_texts(m->labels[middle].label, label) < 0);
    return from < end && pf_str_equal(m->labels[from].label, label) ? &m->labels[from] : NULL;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const gpu_rank *)a)->path, ((const gpu_rank *)b)->path);
}

/* The inputs of all partials, in no order. */
static pf_status list_inputs(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    const pf_pass_table *p = &pf_gpu_parts[GPU_PART_INPUTS];
    gpu_merged *t = &m->parts[GPU_PART_INPUTS];
    uint32_t room = 0;
    for (uint32_t member = 0; pf_gpu_next_member(t, p->name, &member);) {
        for (gpu_walk w = {.t = t}; w.row < t->view.rows; w.row++) {
            pf_str path = pf_gpu_walk_text(&w, 0);
            PF_TRY(path.ptr && !memchr(path.ptr, 0, path.len) ? PF_OK : broken(m, p->name));
            PF_TRY(PF_ARENA_ROOM(g->arena, g->ranks, g->rank_count + 1, room, m->err));
            g->ranks[g->rank_count] = (gpu_rank){.path = pf_arena_copy(g->arena, path.ptr, path.len)};
            PF_TRY(g->ranks[g->rank_count++].path ? PF_OK : pf_budget_refused(g->arena->budget, path.len, m->err));
            g->unusable += small_at(&w, GPU_PART_LEFT_OUT);
            m->lost |= pf_gpu_walk_int(&w, GPU_PART_LOST) != 0;
        }
    }
    m->r->scheduler.lost = m->lost;
    m->inputs = g->rank_count;
    return m->inputs ? PF_OK : broken(m, p->name);
}

static pf_status read_inputs(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    uint32_t id;
    for (size_t i = 0; i < GPU_PARTS; i++) {
        PF_TRY(pf_gpu_find_merged(g->trace, &pf_gpu_parts[i], &m->parts[i], m->err));
    }
    PF_TRY(list_inputs(m));
    qsort(g->ranks, m->inputs, sizeof *g->ranks, by_path);
    for (uint32_t i = 0; i < m->inputs; i++) {
        if (i && strcmp(g->ranks[i].path, g->ranks[i - 1].path) == 0) {
            return pf_fail(m->err, PF_ERR_INPUT, "'%s' is in two of the partials; each input counts once",
                           g->ranks[i].path);
        }
        PF_TRY(pf_strings_put(&m->paths, pf_str_of(g->ranks[i].path), &id, m->err));
    }
    for (size_t i = 0; i < GPU_TABLES; i++) {
        PF_TRY(pf_gpu_find_merged(g->trace, &pf_gpu_tables[i], &m->tables[i], m->err));
        PF_TRY(i > GPU_TABLE_RANKS
                   ? PF_OK
                   : pf_gpu_order_merged(&m->tables[i], &pf_gpu_tables[i], &m->paths, &g->scratch, g->f, m->err));
    }
    for (size_t i = 0; i < GPU_PARTS; i++) {
        PF_TRY(pf_gpu_order_merged(&m->parts[i], &pf_gpu_parts[i], &m->paths, &g->scratch, g->f, m->err));
    }
    return PF_OK;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* Columns of gpu_devices and, up to the times, of the others; GPU_TIMES goes on from START. */
enum { RANK = 1, DEVICE, DEVICE_NAME, EVENTS, START, END, SPAN, BUSY, IDLE = BUSY + 1 + GPU_CLASSES, OVERLAP, EXPOSED };
enum { HOST = EXPOSED + 4, WAITING, OTHER, LABEL = OTHER + 2 };

/* Of the row of gpu_devices and that of gpu_part_devices. */
static gpu_device device_of(uint32_t input, const gpu_walk *w, const gpu_walk *more)
{
    gpu_device d = {.input = input,
                    .number = pf_gpu_walk_int(w, DEVICE),
                    .name = pf_gpu_walk_text(w, DEVICE_NAME),
                    .op_count = small_at(w, EVENTS),
                    .stream_count = small_at(more, GPU_PART_STREAMS),
                    .depths = small_at(more, GPU_PART_DEPTHS),
                    .host = count_at(w, HOST),
                    .waiting = count_at(w, WAITING),
                    .other = count_at(w, OTHER),
                    .times = {.start = pf_gpu_walk_int(w, START),
                              .end = pf_gpu_walk_int(w, END),
                              .span = count_at(w, SPAN),
                              .busy = count_at(w, BUSY),
                              .idle = count_at(w, IDLE),
                              .overlap = count_at(w, OVERLAP),
                              .exposed = count_at(w, EXPOSED)}};
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        d.times.in_class[k] = count_at(w, BUSY + 1 + k);
    }
    return d;
}

/* The devices of an input, whose rows there are. */
static void read_input_devices(gpu_merge *m, uint32_t input)
{
    gpu_facts *g = &m->r->facts;
    gpu_rank *rank = &g->ranks[input];
    gpu_walk w = pf_gpu_walk_input(&m->tables[GPU_TABLE_DEVICES], input),
             more = pf_gpu_walk_input(&m->parts[GPU_PART_DEVICES], input);
    rank->first_device = m->first_label[input] = g->device_count;
    while (pf_gpu_walk_on(&w) && pf_gpu_walk_on(&more)) {
        gpu_device *d = &g->devices[g->device_count];
        *d = device_of(input, &w, &more);
        m->labels[g->device_count].label = pf_findings_keep(g->f, pf_gpu_walk_text(&w, LABEL));
        m->labels[g->device_count].device = g->device_count;
        g->device_count++;
        rank->op_count += d->op_count;
    }
    rank->device_count = g->device_count - rank->first_device;
    m->first_label[input + 1] = g->device_count;
    if (rank->device_count) {
        qsort(m->labels + rank->first_device, rank->device_count, sizeof *m->labels, by_label);
    }
}

static pf_status read_devices(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    gpu_merged *t = &m->tables[GPU_TABLE_DEVICES], *ranks = &m->tables[GPU_TABLE_RANKS],
               *more = &m->parts[GPU_PART_DEVICES];
    PF_TRY(t->rows < UINT32_MAX ? PF_OK : broken(m, pf_gpu_tables[GPU_TABLE_DEVICES].name));
    PF_TRY(PF_ARENA_NEW(g->arena, g->devices, (size_t)t->rows, m->err));
    m->labels = pf_findings_alloc(g->f, (size_t)t->rows * sizeof *m->labels);
    m->first_label = pf_findings_alloc(g->f, (m->inputs + (size_t)1) * sizeof *m->first_label);
    PF_TRY(pf_findings_status(g->f, m->err));
    for (uint32_t i = 0; i < m->inputs; i++) {
        gpu_rank *rank = &g->ranks[i];
        uint64_t n = pf_gpu_rows_of(t, i);
        gpu_walk w = pf_gpu_walk_input(ranks, i);
        PF_TRY(pf_gpu_rows_of(ranks, i) == 1 && pf_gpu_walk_on(&w) ? PF_OK
                                                                   : broken(m, pf_gpu_tables[GPU_TABLE_RANKS].name));
        PF_TRY(pf_gpu_rows_of(more, i) == (n ? n : 1) ? PF_OK : broken(m, pf_gpu_parts[GPU_PART_DEVICES].name));
        rank->known = pf_gpu_walk_has(&w, RANK);
        rank->rank = pf_gpu_walk_int(&w, RANK);
        read_input_devices(m, i);
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

/* Of the row of gpu_step_summary and that of gpu_part_devices. */
static void read_device_steps(const gpu_walk *w, const gpu_walk *more, gpu_device_steps *out)
{
    out->steady = (gpu_stats){.count = count_at(w, STEADY),
                              .total = count_at(more, GPU_PART_STEADY),
                              .mean = count_at(w, MEAN),
                              .median = count_at(w, MEAN + 1),
                              .p95 = count_at(w, MEAN + 2),
                              .least = count_at(w, MEAN + 3),
                              .most = count_at(w, MEAN + 4)};
    pf_str length = pf_gpu_walk_text(w, LENGTH);
    out->with_period = pf_str_is(length, "host window") ? 0 : small_at(w, STEADY);
    out->with_period += pf_str_is(length, "both"); /* neither none nor all */
}

/* An input that has steps, one row of its summary for each device at least. */
static pf_status read_input_steps(gpu_merge *m, uint32_t input)
{
    gpu_facts *g = &m->r->facts;
    gpu_step_facts *s = &m->r->steps;
    const gpu_rank *rank = &g->ranks[input];
    gpu_steps *own = &s->of_input[input];
    gpu_walk w = pf_gpu_walk_input(&m->tables[GPU_TABLE_STEP_SUMMARY], input),
             more = pf_gpu_walk_input(&m->parts[GPU_PART_DEVICES], input),
             step = pf_gpu_walk_input(&m->tables[GPU_TABLE_STEPS], input);
    for (uint32_t k = 0; pf_gpu_walk_on(&w) && pf_gpu_walk_on(&more); k++) {
        uint32_t device = rank->device_count ? rank->first_device + k : g->device_count + input;
        if (k == 0) {
            own->count = small_at(&w, STEPS);
            own->source = source_named(pf_gpu_walk_text(&w, SOURCE));
        }
        read_device_steps(&w, &more, &s->devices[device]);
        if (rank->device_count) {
            s->counts[device].outside = count_at(&w, OUTSIDE);
        }
    }
    PF_TRY(own->count && own->count <= pf_gpu_rows_of(&m->tables[GPU_TABLE_STEPS], input)
               ? PF_OK
               : broken(m, pf_gpu_tables[GPU_TABLE_STEPS].name));
    PF_TRY(PF_ARENA_NEW(g->arena, own->list, own->count, m->err));
    for (uint32_t k = 0; k < own->count && pf_gpu_walk_on(&step); k++) {
        own->list[k].number = pf_gpu_walk_int(&step, STEP_NUMBER);
    }
    return PF_OK;
}

static pf_status read_steps(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    gpu_step_facts *s = &m->r->steps;
    PF_TRY(PF_ARENA_NEW(g->arena, s->of_input, m->inputs, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, s->counts, g->device_count, m->err));
    PF_TRY(PF_ARENA_NEW(g->arena, s->devices, (size_t)g->device_count + m->inputs, m->err));
    for (uint32_t i = 0; i < m->inputs; i++) {
        uint64_t rows = pf_gpu_rows_of(&m->tables[GPU_TABLE_STEP_SUMMARY], i),
                 most = g->ranks[i].device_count ? g->ranks[i].device_count : 1;
        PF_TRY(rows == 0 || rows == most ? PF_OK : broken(m, pf_gpu_tables[GPU_TABLE_STEP_SUMMARY].name));
        PF_TRY(rows ? read_input_steps(m, i) : PF_OK);
    }
    return PF_OK;
}

static pf_status read_windows(gpu_merge *m)
{
    gpu_facts *g = &m->r->facts;
    gpu_merged *t = &m->parts[GPU_PART_WINDOWS];
    PF_TRY(PF_ARENA_NEW(g->arena, m->r->ranks.windows, (size_t)g->device_count * GPU_WINDOWS, m->err));
    for (uint32_t i = 0; i < m->inputs; i++) {
        gpu_window *out = m->r->ranks.windows + (size_t)g->ranks[i].first_device * GPU_WINDOWS;
        bool whole = pf_gpu_rows_of(t, i) == (uint64_t)g->ranks[i].device_count * GPU_WINDOWS;
        PF_TRY(whole ? PF_OK : broken(m, pf_gpu_parts[GPU_PART_WINDOWS].name));
        for (gpu_walk w = pf_gpu_walk_input(t, i); pf_gpu_walk_on(&w);) {
            *out++ = (gpu_window){count_at(&w, GPU_PART_BUSY), count_at(&w, GPU_PART_COMMUNICATION),
                                  count_at(&w, GPU_PART_EXPOSED)};
        }
    }
    return PF_OK;
}

static pf_status add_call(gpu_merge *m, const gpu_walk *w, uint32_t input)
{
    const gpu_rank_part call = {.input = input,
                                .op = PF_NONE,
                                .began = pf_gpu_walk_int(w, GPU_PART_START),
                                .end = pf_gpu_walk_int(w, GPU_PART_END),
                                .work = pf_gpu_walk_int(w, GPU_PART_WORK)};
    if (call.began < -LATEST || call.end < call.began || call.end > LATEST || call.work < 0) {
        return broken(m, pf_gpu_parts[GPU_PART_CALLS].name);
    }
    const gpu_series key = {.kind = pf_gpu_collective_named(pf_gpu_walk_text(w, GPU_PART_KIND)),
                            .bytes = pf_gpu_walk_int(w, GPU_PART_BYTES)};
    return pf_gpu_add_call(&m->r->facts, &m->r->ranks, key, pf_gpu_walk_text(w, GPU_PART_GROUP),
                           pf_gpu_walk_text(w, GPU_PART_MEMBERS), &call, m->err);
}

/* The calls of an input. */
static pf_status read_block(void *merge, uint32_t block, pf_error *err)
{
    gpu_merge *m = merge;
    (void)err; /* m->err */
    for (gpu_walk w = pf_gpu_walk_input(&m->parts[GPU_PART_CALLS], block); pf_gpu_walk_on(&w);) {
        PF_TRY(add_call(m, &w, block));
    }
    return PF_OK;
}

pf_status pf_gpu_merge_read(gpu_merge *m)
{
    gpu_ranks *r = &m->r->ranks;
    PF_TRY(read_inputs(m));
    PF_TRY(read_devices(m));
    PF_TRY(read_steps(m));
    PF_TRY(pf_gpu_ranks_init(r, &m->r->facts, m->err));
    PF_TRY(m->inputs > 1 ? read_windows(m) : PF_OK);
    r->read_block = read_block;
    r->source = m;
    r->blocks = m->inputs;
    return pf_gpu_compare_ranks(&m->r->facts, r, m->err);
}
