/* analyze/gpu/kernels/gpu_modules.c - modules of the network (nn.Module) as a tree and by name, with the time that they
 * took on the host and that of the device work which they launched.
 *
 * A module is a python function whose name begins with "nn.Module: ". A node of the tree is a module within a module:
 * calls with the same modules around them are one node. Slices come after those that they lie in, so one walk notes for
 * each slice the node that it is or lies in; a device event belongs to the node of its call. Nodes come after the ones
 * around them, so a walk from the last to the first adds what lies in them.
 */
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/trace/trace.h"

/* Nodes around one that are looked at for its name. */
enum { MOST_AROUND = 512 };

typedef struct module_sums {
    uint64_t calls, launched, launched_self, device, device_self;
    int64_t total, self;
} module_sums;

typedef struct module_node {
    uint32_t input, name, number;
    uint32_t parent, first, next; /* rows; the first one inside, and the next one inside the same; PF_NONE without */
    uint32_t depth;
    module_sums sums;
} module_node;

typedef struct module_row {
    uint32_t input, name, number; /* number: in order of appearance */
    module_sums sums;
} module_row;

typedef struct modules {
    gpu_facts *g;
    uint8_t *verdict; /* of names */
    uint32_t *node;   /* by slice: that it is or lies in, PF_NONE without */
    module_node *nodes;
    module_row *rows;
    uint32_t count, row_count;
    gpu_module_calls *calls;
    pf_map known; /* of nodes: by the one around, or input, and name; then of rows: by input and name */
} modules;

static bool names_module(pf_str name)
{
    const pf_str word = PF_STR("nn.Module: ");
    return name.len > word.len && pf_str_starts(name, word);
}

/* The node of a call of that name inside another one. */
static pf_status find_node(modules *m, uint32_t input, uint32_t parent, uint32_t name, uint32_t *out, pf_error *err)
{
    uint64_t key = (uint64_t)(parent == PF_NONE ? UINT32_MAX - input : parent) << 32 | name;
    *out = pf_map_get(&m->known, key);
    if (*out == PF_NONE) {
        *out = m->count++;
        m->nodes[*out] = (module_node){.input = input,
                                       .name = name,
                                       .number = *out,
                                       .parent = parent,
                                       .first = PF_NONE,
                                       .next = PF_NONE,
                                       .depth = parent == PF_NONE ? 0 : m->nodes[parent].depth + 1};
        return pf_map_put(&m->known, key, *out, err);
    }
    return PF_OK;
}

static pf_status grow(modules *m, pf_error *err)
{
    const gpu_facts *g = m->g;
    const pf_slices *s = pf_trace_slices(g->trace);
    bool many = pf_trace_input_count(g->trace) > 1;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t up = s->parent[i] < i ? m->node[s->parent[i]] : PF_NONE, name = pf_slice_name(s, i);
        bool module =
            g->kind[i] == GPU_SLICE_PYTHON && s->dur[i] >= 0 && gpu_name_is(g, m->verdict, name, names_module);
        m->node[i] = up;
        if (m->calls->around) {
            m->calls->around[i] = module ? i : s->parent[i] < i ? m->calls->around[s->parent[i]] : PF_NONE;
        }
        if (module) {
            PF_TRY(find_node(m, many ? pf_trace_event_input(g->trace, s->event[i]) : 0, up, name, &m->node[i], err));
            module_sums *own = &m->nodes[m->node[i]].sums;
            own->calls++;
            own->total += s->dur[i];
            own->self += s->dur[i];
            if (up != PF_NONE) {
                m->nodes[up].sums.self -= s->dur[i];
            }
        }
    }
    return PF_OK;
}

static void add_device_work(modules *m)
{
    const gpu_facts *g = m->g;
    for (uint32_t i = 0; i < g->ops.count; i++) {
        uint32_t call = gpu_call_of(g, i), at = call == PF_NONE ? PF_NONE : m->node[g->calls.slice[call]];
        if (at != PF_NONE) {
            m->nodes[at].sums.launched_self++;
            m->nodes[at].sums.device_self += gpu_length(&g->ops, i);
        }
    }
    for (uint32_t i = m->count; i-- > 0;) {
        module_node *n = &m->nodes[i];
        n->sums.launched += n->sums.launched_self;
        n->sums.device += n->sums.device_self;
        if (n->parent != PF_NONE) {
            m->nodes[n->parent].sums.launched += n->sums.launched;
            m->nodes[n->parent].sums.device += n->sums.device;
        }
    }
}

/* Those inside the same one next to each other, the one with most time last. */
static int by_place(const void *a, const void *b, void *nodes)
{
    const module_node *x = &((const module_node *)nodes)[*(const uint32_t *)a];
    const module_node *y = &((const module_node *)nodes)[*(const uint32_t *)b];
    int order = PF_COMPARE(y->input, x->input);
    order = order ? order : PF_COMPARE(x->parent, y->parent);
    order = order ? order : PF_COMPARE(x->sums.device, y->sums.device);
    order = order ? order : PF_COMPARE(x->sums.total, y->sums.total);
    return order ? order : PF_COMPARE(y->number, x->number);
}

/* Links each node to those inside of it; *root: the first of those in none. */
static pf_status link_nodes(modules *m, uint32_t *root, pf_error *err)
{
    uint32_t *order;
    *root = PF_NONE;
    PF_TRY(PF_PASS_ARRAY(&m->g->scratch, m->count, order, err));
    for (uint32_t i = 0; i < m->count; i++) {
        order[i] = i;
    }
    qsort_r(order, m->count, sizeof *order, by_place, m->nodes);
    for (uint32_t i = 0; i < m->count; i++) {
        module_node *n = &m->nodes[order[i]];
        uint32_t *first = n->parent == PF_NONE ? root : &m->nodes[n->parent].first;
        n->next = *first;
        *first = order[i];
    }
    return PF_OK;
}

#define SUMS_OF(s)                                                                                                     \
    pf_cell_count((s)->calls), pf_cell_int((s)->total), pf_cell_int((s)->self), pf_cell_count((s)->launched),          \
        pf_cell_count((s)->device), pf_cell_count((s)->device_self)

/* Each module, then those inside of it. */
static void put_tree(const modules *m, uint32_t at)
{
    const gpu_facts *g = m->g;
    uint32_t number = 0;
    while (at != PF_NONE) {
        module_node *n = &m->nodes[at];
        bool inner = n->parent != PF_NONE;
        n->number = number++;
        GPU_ROW(g, GPU_TABLE_MODULE_TREE, GPU_WHOSE(g, n->input), pf_cell_count(n->number),
                pf_cell_int_if(inner, inner ? m->nodes[n->parent].number : 0), pf_cell_count(n->depth),
                pf_cell_text(pf_trace_string(g->trace, n->name)), SUMS_OF(&n->sums));
        at = n->first;
        while (at == PF_NONE && n) {
            at = n->next;
            n = n->parent == PF_NONE ? NULL : &m->nodes[n->parent];
        }
    }
}

/* Whether one of that name is around the node: its device work is counted there. */
static bool is_repeated(const modules *m, const module_node *node)
{
    const module_node *n = node;
    for (uint32_t k = 0; k < MOST_AROUND && n->parent != PF_NONE; k++) {
        n = &m->nodes[n->parent];
        if (n->name == node->name) {
            return true;
        }
    }
    return false;
}

static pf_status add_rows(modules *m, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(&m->g->scratch, m->count, m->rows, err));
    pf_map_clear(&m->known);
    for (uint32_t i = 0; i < m->count; i++) {
        const module_node *n = &m->nodes[i];
        uint64_t key = (uint64_t)n->input << 32 | n->name;
        uint32_t at = pf_map_get(&m->known, key);
        if (at == PF_NONE) {
            at = m->row_count++;
            m->rows[at] = (module_row){.input = n->input, .name = n->name, .number = at};
            PF_TRY(pf_map_put(&m->known, key, at, err));
        }
        module_sums *sums = &m->rows[at].sums;
        bool outer = !is_repeated(m, n);
        sums->calls += n->sums.calls;
        sums->total += n->sums.total;
        sums->self += n->sums.self;
        sums->device_self += n->sums.device_self;
        sums->launched += outer ? n->sums.launched : 0;
        sums->device += outer ? n->sums.device : 0;
    }
    return PF_OK;
}

PF_ORDER(by_self, module_row, PF_UP(input), PF_DOWN(sums.self), PF_UP(number));

static void put_rows(const modules *m)
{
    qsort(m->rows, m->row_count, sizeof *m->rows, by_self);
    for (const module_row *r = m->rows; r < m->rows + m->row_count; r++) {
        GPU_ROW(m->g, GPU_TABLE_MODULES, GPU_WHOSE(m->g, r->input), pf_cell_text(pf_trace_string(m->g->trace, r->name)),
                SUMS_OF(&r->sums));
    }
}

static pf_status tabulate(modules *m, pf_error *err)
{
    gpu_facts *g = m->g;
    uint32_t root;
    PF_TRY(PF_ARENA_NEW(&g->scratch, m->verdict, g->trace->strings.count, err));
    bool drawn = !g->ctx->skip_overlay;
    uint32_t slices = pf_trace_slices(g->trace)->count;
    PF_TRY(PF_PASS_ARRAY(drawn ? g->arena : &g->scratch, slices, m->node, err));
    PF_TRY(drawn ? PF_PASS_ARRAY(g->arena, slices, m->calls->around, err) : PF_OK);
    PF_TRY(PF_PASS_ARRAY(&g->scratch, g->of_kind[GPU_SLICE_PYTHON], m->nodes, err));
    PF_TRY(grow(m, err));
    add_device_work(m);
    PF_TRY(link_nodes(m, &root, err));
    put_tree(m, root);
    for (uint32_t i = 0; drawn && i < slices; i++) {
        m->node[i] = m->node[i] == PF_NONE ? PF_NONE : m->nodes[m->node[i]].number;
    }
    m->calls->node = m->node;
    PF_TRY(add_rows(m, err));
    put_rows(m);
    return PF_OK;
}

pf_status pf_gpu_modules(gpu_facts *g, gpu_module_calls *calls, pf_error *err)
{
    modules m = {.g = g, .calls = calls};
    if (g->of_kind[GPU_SLICE_PYTHON] == 0) {
        return PF_OK;
    }
    pf_map_init(&m.known, g->arena->budget);
    pf_status st = tabulate(&m, err);
    pf_map_free(&m.known);
    pf_arena_reset(&g->scratch);
    return st;
}
