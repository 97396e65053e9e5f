/* analyze/gpu/kernels/gpu_kernels.c - point 2: kernels by name. Names are folded once each. The kernels are counted by
 * name first; so the lengths of those of a name can be put next to each other without a list of the kernels. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

static int by_total(const void *a, const void *b)
{
    const gpu_kernel_row *x = a, *y = b;
    int order = PF_COMPARE(y->stats.total, x->stats.total);
    return order ? order : PF_COMPARE(x->group, y->group);
}

/* Which group of the input in hand has a name: by string id of the trace, or by id of a folded text. Each name is
 * folded once. */
typedef struct kernel_names {
    pf_strings *texts;
    uint32_t
        *folded;     /* by string id of the trace: id of the folded text; 0: not made yet; NULL: names are not folded */
    uint32_t *group; /* PF_NONE: none yet */
    uint32_t most;   /* string ids; there are no more folded texts than these */
    pf_arena *arena;
    char *room;
    size_t room_bytes;
} kernel_names;

/* The caller has filled arena and texts. */
static pf_status kernel_names_make(const gpu_facts *g, bool fold, kernel_names *n, pf_error *err)
{
    n->most = g->trace->strings.count;
    PF_TRY(PF_PASS_ARRAY(n->arena, (size_t)n->most + 2, n->group, err));
    memset(n->group, 0xff, ((size_t)n->most + 2) * sizeof *n->group); /* PF_NONE */
    if (!fold) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(n->arena, n->folded, n->most, err));
    return pf_strings_init(n->texts, n->arena->budget, err);
}

static pf_str text_of(const gpu_facts *g, uint32_t name)
{
    pf_str text = pf_trace_string(g->trace, name);
    return text.ptr ? text : PF_STR("(no name)");
}

static pf_status fold(const gpu_facts *g, kernel_names *n, uint32_t name, pf_error *err)
{
    pf_str text = text_of(g, name);
    if (text.len >= n->room_bytes) {
        n->room_bytes = 2 * text.len + 256;
        PF_TRY(PF_PASS_ARRAY(n->arena, n->room_bytes, n->room, err));
    }
    uint32_t id = pf_strings_add(n->texts, n->room, pf_gpu_fold_name(text, n->room), err);
    n->folded[name] = id == PF_NONE ? 0 : id;
    return id == PF_NONE ? err->code : PF_OK;
}

static inline uint32_t *group_of(const kernel_names *n, uint32_t name)
{
    return &n->group[n->folded ? n->folded[name] : name];
}

/* ---- the longest call of each row -------------------------------------------------------------------------------- */

enum { GRID = 0, BLOCK = 3, REGISTERS = 6, SHARED, OCCUPANCY, LAUNCH_KEYS, STAGE_KEYS = OCCUPANCY };

/* Grid and block are lists of three; render stages have other names for all but the occupancy, which follow. */
static const pf_arg_key launch_keys[LAUNCH_KEYS + STAGE_KEYS] = {
    {.key = "grid[0]", .type = PF_ARG_INT},
    {.key = "grid[1]", .type = PF_ARG_INT},
    {.key = "grid[2]", .type = PF_ARG_INT},
    {.key = "block[0]", .type = PF_ARG_INT},
    {.key = "block[1]", .type = PF_ARG_INT},
    {.key = "block[2]", .type = PF_ARG_INT},
    {.key = "registers per thread", .type = PF_ARG_INT},
    {.key = "shared memory", .type = PF_ARG_INT},
    {.key = "est. achieved occupancy %", .type = PF_ARG_REAL},
    {.key = "launch.grid_size.x", .type = PF_ARG_INT},
    {.key = "launch.grid_size.y", .type = PF_ARG_INT},
    {.key = "launch.grid_size.z", .type = PF_ARG_INT},
    {.key = "launch.workgroup_size.x", .type = PF_ARG_INT},
    {.key = "launch.workgroup_size.y", .type = PF_ARG_INT},
    {.key = "launch.workgroup_size.z", .type = PF_ARG_INT},
    {.key = "registers_per_thread", .type = PF_ARG_INT},
    {.key = "shared_mem_dynamic", .type = PF_ARG_INT},
};

/* The arguments of the longest calls; row k of the columns is row k of the table. */
static pf_status read_launches(const gpu_facts *g, const gpu_kernel_row *rows, uint32_t n, pf_arena *arena,
                               pf_arg_columns **out, pf_error *err)
{
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel, .first_values = true};
    const uint32_t *event = pf_trace_slices(g->trace)->event;
    size_t keys = g->has_stages ? LAUNCH_KEYS + STAGE_KEYS : LAUNCH_KEYS;
    uint32_t *events;
    PF_TRY(PF_PASS_ARRAY(arena, n, events, err));
    for (uint32_t k = 0; k < n; k++) {
        events[k] = event[g->ops.slice[rows[k].longest]];
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

/* The kernels of an input by group: group k has lengths[first[k]] to lengths[first[k + 1] - 1]. */
typedef struct kernel_groups {
    uint32_t count;
    uint32_t *first, *longest; /* longest: of the group, the first one of several */
    uint64_t *lengths, *scratch;
} kernel_groups;

static pf_status make_groups(const gpu_facts *g, const kernel_names *names, kernel_groups *k, pf_error *err)
{
    size_t most = (size_t)names->most + 2;
    PF_TRY(PF_PASS_ARRAY(names->arena, most + 1, k->first, err));
    PF_TRY(PF_PASS_ARRAY(names->arena, most, k->longest, err));
    PF_TRY(PF_PASS_ARRAY(names->arena, g->ops.count, k->lengths, err));
    return PF_PASS_ARRAY(names->arena, g->ops.count, k->scratch, err);
}

/* Groups in the order in which their first kernels run. */
static pf_status count_kernels(const gpu_facts *g, const gpu_rank *rank, kernel_names *names, kernel_groups *k,
                               pf_error *err)
{
    const gpu_ops *o = &g->ops;
    k->count = 0;
    k->first[0] = 0;
    for (uint32_t i = rank->first_op; i < rank->first_op + rank->op_count; i++) {
        if (o->kind[i] != GPU_SLICE_KERNEL) {
            continue;
        }
        if (names->folded && !names->folded[o->name[i]] && fold(g, names, o->name[i], err) != PF_OK) {
            return err->code;
        }
        uint32_t *group = group_of(names, o->name[i]);
        if (*group == PF_NONE) {
            k->longest[k->count] = i;
            *group = k->count++;
            k->first[k->count] = 0;
        }
        k->first[*group + 1]++;
    }
    for (uint32_t n = 0; n < k->count; n++) {
        k->first[n + 1] += k->first[n];
    }
    return PF_OK;
}

static void gather_lengths(const gpu_facts *g, const gpu_rank *rank, const kernel_names *names, kernel_groups *k)
{
    const gpu_ops *o = &g->ops;
    for (uint32_t i = rank->first_op; i < rank->first_op + rank->op_count; i++) {
        if (o->kind[i] == GPU_SLICE_KERNEL) {
            uint32_t group = *group_of(names, o->name[i]), *longest = &k->longest[group];
            uint64_t length = gpu_length(o, i);
            k->lengths[k->first[group]++] = length;
            *longest = length > gpu_length(o, *longest) ? i : *longest;
        }
    }
    memmove(k->first + 1, k->first, k->count * sizeof *k->first);
    k->first[0] = 0;
}

static pf_status list_kernels(const gpu_facts *g, const kernel_groups *groups, kernel_names *names,
                              gpu_kernel_lists *out, uint32_t input, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(&out->arena, groups->count, out->rows[input], err));
    out->count[input] = groups->count;
    for (uint32_t k = 0; k < groups->count; k++) {
        uint32_t longest = groups->longest[k], name = g->ops.name[longest], first = groups->first[k];
        gpu_stats stats = pf_gpu_stats(groups->lengths + first, groups->first[k + 1] - first, groups->scratch);
        pf_str text = names->folded ? pf_strings_get(names->texts, names->folded[name]) : text_of(g, name);
        out->rows[input][k] = (gpu_kernel_row){text, k, longest, stats};
        *group_of(names, name) = PF_NONE;
    }
    return PF_OK;
}

pf_status pf_gpu_kernels_find(const gpu_facts *g, bool fold_names, gpu_kernel_lists *out, pf_error *err)
{
    kernel_groups k;
    pf_arena scratch;
    kernel_names names = {.arena = &scratch, .texts = &out->names};
    *out = (gpu_kernel_lists){.rows = NULL};
    pf_arena_init(&out->arena, g->arena->budget);
    pf_arena_init(&scratch, g->arena->budget);
    PF_TRY(PF_PASS_ARRAY(&out->arena, g->rank_count, out->rows, err));
    PF_TRY(PF_PASS_ARRAY(&out->arena, g->rank_count, out->count, err));
    pf_status st = kernel_names_make(g, fold_names, &names, err);
    st = st == PF_OK ? make_groups(g, &names, &k, err) : st;
    for (uint32_t i = 0; i < g->rank_count && st == PF_OK; i++) {
        st = count_kernels(g, &g->ranks[i], &names, &k, err);
        if (st == PF_OK) {
            gather_lengths(g, &g->ranks[i], &names, &k);
            st = list_kernels(g, &k, &names, out, i, err);
        }
    }
    pf_arena_free(&scratch);
    return st;
}

static pf_status tabulate_kernels(gpu_facts *g, uint32_t input, gpu_kernel_row *rows, uint32_t count, pf_error *err)
{
    pf_arg_columns *launches = NULL;
    double whole = 0;
    for (uint32_t k = 0; k < count; k++) {
        whole += (double)rows[k].stats.total;
    }
    qsort(rows, count, sizeof *rows, by_total);
    pf_status st = read_launches(g, rows, count, &g->scratch, &launches, err);
    for (uint32_t k = 0; k < count && st == PF_OK; k++) {
        add_kernel(g, launches, k, input, &rows[k], whole);
    }
    pf_arg_columns_free(launches);
    return st;
}

pf_status pf_gpu_kernels_tabulate(gpu_facts *g, const gpu_kernel_lists *kernels, pf_error *err)
{
    for (uint32_t i = 0; i < g->rank_count; i++) {
        PF_TRY(tabulate_kernels(g, i, kernels->rows[i], kernels->count[i], err));
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}

void pf_gpu_kernels_free(gpu_kernel_lists *kernels)
{
    pf_strings_free(&kernels->names);
    pf_arena_free(&kernels->arena);
}
