/* analyze/gpu/kernels/gpu_kernels.c - point 2: kernels by name. Names are folded once each. The kernels are counted by
 * name first; so the lengths of those of a name can be put next to each other without a list of the kernels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

PF_ORDER(by_total, gpu_kernel_row, PF_DOWN(stats.total), PF_UP(group));

/* The work on the kernels of an input. A name belongs to a group: by string id of the trace, or by id of a folded text;
 * each name is folded once. Group k has low[first[k]] to low[first[k + 1] - 1]: the low halves of its lengths,
 * which mostly are below 2^32; high: the other halves where one is not, else NULL. */
typedef struct kernel_work {
    const gpu_facts *g;
    gpu_kernel_lists *out;
    pf_arena arena;
    uint32_t
        *folded;     /* by string id of the trace: id of the folded text; 0: not made yet; NULL: names are not folded */
    uint32_t *group; /* PF_NONE: none yet */
    char *room;      /* for a folded text */
    size_t room_bytes;
    uint32_t count;            /* groups */
    uint32_t *first, *longest; /* longest: of the group, the first one of several */
    uint64_t *most;            /* its length */
    uint32_t *low, *high;
    uint64_t *lengths, *scratch; /* of a group */
} kernel_work;

/* There are no more folded texts than string ids. */
static pf_status make_room(kernel_work *w, bool fold, pf_error *err)
{
    size_t ops = w->g->ops.count, strings = w->g->trace->strings.count, most = strings + 2;
    PF_TRY(PF_PASS_ARRAY(&w->arena, most, w->group, err));
    PF_TRY(PF_PASS_ARRAY(&w->arena, most + 1, w->first, err));
    PF_TRY(PF_PASS_ARRAY(&w->arena, most, w->longest, err));
    PF_TRY(PF_PASS_ARRAY(&w->arena, most, w->most, err));
    PF_TRY(PF_PASS_ARRAY(&w->arena, ops, w->low, err));
    PF_TRY(PF_PASS_ARRAY(&w->arena, ops, w->lengths, err));
    PF_TRY(PF_PASS_ARRAY(&w->arena, ops, w->scratch, err));
    memset(w->group, 0xff, most * sizeof *w->group); /* PF_NONE */
    if (!fold) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(&w->arena, w->folded, strings, err));
    return pf_strings_init(&w->out->names, w->arena.budget, err);
}

static pf_str text_of(const gpu_facts *g, uint32_t name)
{
    pf_str text = pf_trace_string(g->trace, name);
    return text.ptr ? text : PF_STR("(no name)");
}

static pf_status fold(kernel_work *w, uint32_t name, pf_error *err)
{
    pf_str text = text_of(w->g, name);
    if (text.len >= w->room_bytes) {
        w->room_bytes = 2 * text.len + 256;
        PF_TRY(PF_PASS_ARRAY(&w->arena, w->room_bytes, w->room, err));
    }
    uint32_t id = pf_strings_add(&w->out->names, w->room, pf_gpu_fold_name(text, w->room), err);
    w->folded[name] = id == PF_NONE ? 0 : id;
    return id == PF_NONE ? err->code : PF_OK;
}

static inline uint32_t *group_of(const kernel_work *w, uint32_t name)
{
    return &w->group[w->folded ? w->folded[name] : name];
}

enum { GRID = 0, BLOCK = 3, REGISTERS = 6, SHARED, OCCUPANCY, LAUNCH_KEYS, STAGE_KEYS = OCCUPANCY };

#define INT(name)                                                                                                      \
    {                                                                                                                  \
        .key = name, .type = PF_ARG_INT                                                                                \
    }
#define OF_EACH(what, x, y, z) INT(what x), INT(what y), INT(what z)

/* Grid and block are lists of three; render stages have other names for all but the occupancy, which follow. */
static const pf_arg_key launch_keys[LAUNCH_KEYS + STAGE_KEYS] = {
    OF_EACH("grid", "[0]", "[1]", "[2]"),
    OF_EACH("block", "[0]", "[1]", "[2]"),
    INT("registers per thread"),
    INT("shared memory"),
    {.key = "est. achieved occupancy %", .type = PF_ARG_REAL},
    OF_EACH("launch.grid_size", ".x", ".y", ".z"),
    OF_EACH("launch.workgroup_size", ".x", ".y", ".z"),
    INT("registers_per_thread"),
    INT("shared_mem_dynamic"),
};

static pf_status read_launches(const gpu_facts *g, const gpu_kernel_row *rows, uint32_t n, pf_arena *arena,
                               pf_arg_columns **out, pf_error *err)
{
    const pf_arg_options options = {.jobs = 1, .cancel = g->ctx->cancel, .first_values = true};
    const uint32_t *event = pf_trace_slices(g->trace)->event;
    size_t keys = g->has_stages ? LAUNCH_KEYS + STAGE_KEYS : LAUNCH_KEYS;
    uint32_t *events;
    PF_TRY(PF_PASS_ARRAY(arena, n, events, err));
    for (uint32_t k = 0; k < n; k++) {
        events[k] = event[gpu_slice(&g->ops, rows[k].longest)];
    }
    return pf_arg_columns_read(g->trace, events, n, launch_keys, keys, &options, out, err);
}

/* The column that has the value of a row, under the one name or the other. */
static const pf_arg_column *launch_column(const gpu_facts *g, const pf_arg_columns *c, unsigned key, uint32_t row)
{
    const pf_arg_column *column = pf_arg_column_at(c, key);
    bool other = g->has_stages && key < STAGE_KEYS && !pf_arg_has(column, row);
    return other ? pf_arg_column_at(c, LAUNCH_KEYS + key) : column;
}

static pf_cell launch_cell(const gpu_facts *g, const pf_arg_columns *c, unsigned key, uint32_t row)
{
    const pf_arg_column *column = launch_column(g, c, key, row);
    return pf_cell_int_if(pf_arg_has(column, row), column->values.i[row]);
}

/* "[4, 106, 1]", or nothing where the first of the three is absent. */
static pf_cell shape_cell(const gpu_facts *g, const pf_arg_columns *c, unsigned key, uint32_t row)
{
    const pf_cell x = launch_cell(g, c, key, row), y = launch_cell(g, c, key + 1, row),
                  z = launch_cell(g, c, key + 2, row);
    return pf_cell_text(
        x.null ? (pf_str){NULL, 0}
               : pf_findings_format(g->f, "[%" PRId64 ", %" PRId64 ", %" PRId64 "]", x.as.i, y.as.i, z.as.i));
}

static void add_kernel(const gpu_facts *g, const pf_arg_columns *c, uint32_t place, uint32_t input,
                       const gpu_kernel_row *k, double whole)
{
    const pf_arg_column *occupancy = pf_arg_column_at(c, OCCUPANCY);
    bool communication = g->ops.class[k->longest] == GPU_COMMUNICATION;
    GPU_ROW(g, GPU_TABLE_KERNELS, GPU_WHOSE(g, input), pf_cell_text(k->name),
            pf_cell_text(communication ? PF_STR("communication") : PF_STR("compute")), GPU_STATS(&k->stats),
            pf_cell_real_if(whole > 0, 100 * (double)k->stats.total / whole), shape_cell(g, c, GRID, place),
            shape_cell(g, c, BLOCK, place), launch_cell(g, c, REGISTERS, place), launch_cell(g, c, SHARED, place),
            pf_cell_real_if(pf_arg_has(occupancy, place), occupancy->values.d[place]));
}

/* Groups in the order in which their first kernels run. */
static pf_status count_kernels(kernel_work *w, const gpu_rank *rank, pf_error *err)
{
    const gpu_ops *o = &w->g->ops;
    w->count = 0;
    w->first[0] = 0;
    for (uint32_t i = rank->first_op; i < rank->first_op + rank->op_count; i++) {
        if (o->class[i] == GPU_MEMORY) {
            continue;
        }
        if (w->folded && !w->folded[o->name[i]]) {
            PF_TRY(fold(w, o->name[i], err));
        }
        uint32_t *group = group_of(w, o->name[i]);
        if (*group == PF_NONE) {
            w->longest[w->count] = i;
            w->most[w->count] = 0;
            *group = w->count++;
            w->first[w->count] = 0;
        }
        w->first[*group + 1]++;
    }
    for (uint32_t n = 0; n < w->count; n++) {
        w->first[n + 1] += w->first[n];
    }
    return PF_OK;
}

static pf_status gather_lengths(kernel_work *w, const gpu_rank *rank, pf_error *err)
{
    const gpu_ops *o = &w->g->ops;
    for (uint32_t i = rank->first_op; i < rank->first_op + rank->op_count; i++) {
        if (o->class[i] != GPU_MEMORY) {
            uint32_t group = *group_of(w, o->name[i]);
            uint64_t length = gpu_length(o, i);
            if (length > UINT32_MAX && !w->high) {
                PF_TRY(PF_ARENA_NEW(&w->arena, w->high, o->count, err));
            }
            if (w->high) {
                w->high[w->first[group]] = (uint32_t)(length >> 32);
            }
            w->low[w->first[group]++] = (uint32_t)length;
            if (length > w->most[group]) {
                w->most[group] = length;
                w->longest[group] = i;
            }
        }
    }
    memmove(w->first + 1, w->first, w->count * sizeof *w->first);
    w->first[0] = 0;
    return PF_OK;
}

static gpu_stats measure_group(const kernel_work *w, uint32_t group)
{
    uint32_t first = w->first[group], n = w->first[group + 1] - first;
    for (uint32_t i = 0; i < n; i++) {
        w->lengths[i] = w->low[first + i] | (w->high ? (uint64_t)w->high[first + i] << 32 : 0);
    }
    return pf_gpu_stats(w->lengths, n, w->scratch);
}

static pf_status list_kernels(kernel_work *w, uint32_t input, pf_error *err)
{
    gpu_kernel_lists *out = w->out;
    PF_TRY(count_kernels(w, &w->g->ranks[input], err));
    PF_TRY(gather_lengths(w, &w->g->ranks[input], err));
    PF_TRY(PF_PASS_ARRAY(&out->arena, w->count, out->rows[input], err));
    out->count[input] = w->count;
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t longest = w->longest[k], name = w->g->ops.name[longest];
        pf_str text = w->folded ? pf_strings_get(&out->names, w->folded[name]) : text_of(w->g, name);
        out->rows[input][k] = (gpu_kernel_row){text, k, longest, measure_group(w, k)};
        *group_of(w, name) = PF_NONE;
    }
    qsort(out->rows[input], w->count, sizeof **out->rows, by_total);
    return read_launches(w->g, out->rows[input], w->count, &w->arena, &out->launches[input], err);
}

pf_status pf_gpu_kernels_find(const gpu_facts *g, bool fold_names, gpu_kernel_lists *out, pf_error *err)
{
    kernel_work w = {.g = g, .out = out};
    *out = (gpu_kernel_lists){.inputs = g->rank_count};
    pf_arena_init(&out->arena, g->arena->budget);
    pf_arena_init(&w.arena, g->arena->budget);
    PF_TRY(PF_PASS_ARRAY(&out->arena, g->rank_count, out->rows, err));
    PF_TRY(PF_PASS_ARRAY(&out->arena, g->rank_count, out->count, err));
    PF_TRY(PF_ARENA_NEW(&out->arena, out->launches, g->rank_count, err));
    pf_status st = make_room(&w, fold_names, err);
    for (uint32_t i = 0; i < g->rank_count && st == PF_OK; i++) {
        st = list_kernels(&w, i, err);
    }
    pf_arena_free(&w.arena);
    return st;
}

void pf_gpu_kernels_tabulate(const gpu_facts *g, const gpu_kernel_lists *kernels)
{
    for (uint32_t i = 0; i < kernels->inputs; i++) {
        const gpu_kernel_row *rows = kernels->rows[i];
        double whole = 0;
        for (uint32_t k = 0; k < kernels->count[i]; k++) {
            whole += (double)rows[k].stats.total;
        }
        for (uint32_t k = 0; k < kernels->count[i]; k++) {
            add_kernel(g, kernels->launches[i], k, i, &rows[k], whole);
        }
    }
}

void pf_gpu_kernels_free(gpu_kernel_lists *kernels)
{
    for (uint32_t i = 0; kernels->launches && i < kernels->inputs; i++) {
        pf_arg_columns_free(kernels->launches[i]);
    }
    pf_strings_free(&kernels->names);
    pf_arena_free(&kernels->arena);
}
