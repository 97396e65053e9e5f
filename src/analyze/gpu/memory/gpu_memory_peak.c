/* analyze/gpu/memory/gpu_memory_peak.c - how much memory each device held at most, and who held it then.
 *
 * The allocations and frees of a device are followed in order of time up to the moment at which the most was allocated.
 * What was allocated by then and not freed again is held by the code around its allocation: the innermost operator that
 * does more than to allocate, the innermost python function and module. What the totals of the allocator have beyond
 * that was allocated before the recording began.
 */
#include <stdlib.h>

#include "analyze/gpu/memory/gpu_memory.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/ordering.h"
#include "base/str.h"
#include "base/strings.h"
#include "model/trace/trace.h"

/* Slices around an allocation that are looked at. */
enum { MOST_AROUND = 2048 };

/* Of one device: its rows in order of time, and what they add up to. */
typedef struct held {
    const gpu_memory_row *rows;
    const uint32_t *order;
    uint32_t count, peak; /* peak: the place in `order` after which the most was allocated */
    uint64_t allocations, frees, allocated, freed;
    uint64_t most, reserved, at_end, recorded;
} held;

typedef struct holder {
    uint32_t inside, python, module; /* string ids, PF_NONE without one; inside: an operator */
    uint32_t number;
    uint64_t allocations, bytes;
} holder;

typedef struct holders {
    gpu_facts *g;
    pf_map live;     /* address: the place in `order` + 1 of the allocation that holds it; 0: freed */
    pf_strings keys; /* of the rows */
    holder *list;
    uint32_t count, room;
} holders;

static const gpu_memory_row *at(const held *h, uint32_t i)
{
    return &h->rows[h->order[i]];
}

/* Sums, and the peak: by the totals of the allocator; where no row says them, by what was allocated since the start. */
static void add_up(held *h)
{
    bool said = false;
    int64_t level = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        said |= at(h, i)->bytes[0] >= 0;
    }
    for (uint32_t i = 0; i < h->count; i++) {
        const gpu_memory_row *r = at(h, i);
        h->allocations += r->change > 0;
        h->frees += r->change < 0;
        h->allocated = gpu_plus(h->allocated, r->change > 0 ? (uint64_t)r->change : 0);
        h->freed = gpu_plus(h->freed, r->change < 0 ? -(uint64_t)r->change : 0);
        level = __builtin_add_overflow(level, r->change, &level) ? INT64_MAX : level;
        h->at_end = said ? r->bytes[0] < 0 ? h->at_end : (uint64_t)r->bytes[0] : level < 0 ? 0 : (uint64_t)level;
        h->reserved = r->bytes[1] > (int64_t)h->reserved ? (uint64_t)r->bytes[1] : h->reserved;
        if (h->at_end > h->most) {
            h->most = h->at_end;
            h->peak = i;
        }
    }
}

static bool allocates_only(pf_str name)
{
    return pf_str_starts(name, PF_STR("aten::empty")) || pf_str_starts(name, PF_STR("aten::new_empty")) ||
           pf_str_starts(name, PF_STR("aten::resize"));
}

static holder holder_of(const gpu_facts *g, uint32_t slice)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    holder h = {.inside = PF_NONE, .python = PF_NONE, .module = PF_NONE};
    bool settled = false;
    for (uint32_t n = 0; n < MOST_AROUND && s->parent[slice] < slice; n++) {
        slice = s->parent[slice];
        uint32_t name = pf_slice_name(s, slice);
        if (g->kind[slice] == GPU_SLICE_OPERATOR && !settled) {
            settled = !allocates_only(pf_trace_string(g->trace, name));
            h.inside = settled || h.inside == PF_NONE ? name : h.inside;
        } else if (g->kind[slice] == GPU_SLICE_PYTHON) {
            bool module = pf_str_starts(pf_trace_string(g->trace, name), PF_STR("nn.Module: "));
            h.python = h.python == PF_NONE ? name : h.python;
            h.module = module && h.module == PF_NONE ? name : h.module;
        }
    }
    return h;
}

static pf_status add_holder(holders *k, const gpu_memory_row *r, pf_error *err)
{
    holder found = holder_of(k->g, r->slice);
    const uint32_t key[] = {found.inside, found.python, found.module};
    uint32_t id;
    PF_TRY(pf_strings_put(&k->keys, (pf_str){(const char *)key, sizeof key}, &id, err));
    if (id > k->count) {
        PF_TRY(PF_ARENA_ROOM(&k->g->scratch, k->list, (size_t)k->count + 1, k->room, err));
        found.number = k->count;
        k->list[k->count++] = found;
    }
    k->list[id - 1].allocations++;
    k->list[id - 1].bytes = gpu_plus(k->list[id - 1].bytes, (uint64_t)r->change);
    return PF_OK;
}

static pf_status follow(holders *k, held *h, pf_error *err)
{
    for (uint32_t i = 0; i < h->count && i <= h->peak; i++) {
        const gpu_memory_row *r = at(h, i);
        if (r->change != 0) {
            PF_TRY(pf_map_put(&k->live, r->address, r->change > 0 ? i + 1 : 0, err));
        }
    }
    for (uint32_t i = 0; i < h->count && i <= h->peak; i++) {
        const gpu_memory_row *r = at(h, i);
        if (r->change > 0 && pf_map_get(&k->live, r->address) == i + 1) {
            h->recorded = gpu_plus(h->recorded, (uint64_t)r->change);
            PF_TRY(add_holder(k, r, err));
        }
    }
    return PF_OK;
}

PF_ORDER(by_bytes, holder, PF_DOWN(bytes), PF_UP(number));

static pf_cell name_cell(const gpu_facts *g, uint32_t name)
{
    return pf_cell_text(name == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(g->trace, name));
}

#define DEVICE_OF(g, r)                                                                                                \
    GPU_WHOSE(g, (r)->input), pf_cell_int_if((r)->number >= 0, (r)->number),                                           \
        pf_cell_text((r)->type < 0    ? (pf_str){NULL, 0}                                                              \
                     : (r)->type == 0 ? PF_STR("host")                                                                 \
                                      : PF_STR("device"))

static void put_holder(const gpu_facts *g, const held *h, const holder *k, pf_str since)
{
    const gpu_memory_row *r = at(h, 0);
    GPU_ROW(g, GPU_TABLE_MEMORY_HOLDERS, DEVICE_OF(g, r), name_cell(g, k->inside), name_cell(g, k->python),
            name_cell(g, k->module), pf_cell_text(since), pf_cell_count(k->allocations), pf_cell_count(k->bytes),
            pf_cell_real_if(h->most > 0, 100 * (double)k->bytes / (double)(h->most ? h->most : 1)),
            pf_gpu_label_cell(g, r->device));
}

static void put_rows(const holders *k, const held *h)
{
    const gpu_memory_row *r = at(h, 0);
    const gpu_facts *g = k->g;
    if (k->count) {
        qsort(k->list, k->count, sizeof *k->list, by_bytes);
    }
    GPU_ROW(g, GPU_TABLE_MEMORY, DEVICE_OF(g, r), pf_cell_count(h->allocations), pf_cell_count(h->frees),
            pf_cell_count(h->allocated), pf_cell_count(h->freed), pf_cell_count(h->most),
            pf_cell_int(at(h, h->peak)->ts), pf_cell_count(h->recorded), pf_cell_count(h->reserved),
            pf_cell_count(h->at_end), pf_gpu_label_cell(g, r->device));
    if (h->most > h->recorded) {
        const holder before = {PF_NONE, PF_NONE, PF_NONE, 0, 0, h->most - h->recorded};
        put_holder(g, h, &before, PF_STR("before"));
    }
    for (uint32_t i = 0; i < k->count; i++) {
        put_holder(g, h, &k->list[i], PF_STR("recorded"));
    }
}

static pf_status put_device(gpu_facts *g, held *h, gpu_memory *m, pf_error *err)
{
    gpu_holding *rows = &m->holdings[m->holding_count++];
    holders k = {.g = g};
    pf_map_init(&k.live, g->arena->budget);
    pf_status st = pf_strings_init(&k.keys, g->arena->budget, err);
    add_up(h);
    st = st == PF_OK ? follow(&k, h, err) : st;
    if (st == PF_OK) {
        uint32_t first = (uint32_t)pf_table_rows(g->table[GPU_TABLE_MEMORY_HOLDERS]);
        put_rows(&k, h);
        uint32_t end = (uint32_t)pf_table_rows(g->table[GPU_TABLE_MEMORY_HOLDERS]);
        *rows = (gpu_holding){at(h, 0)->device, h->order, h->count, h->peak, first, end - first};
        for (uint32_t i = 0; m->operator&& i<h->count; i++) {
            m->operator[h->order[i]] = at(h, i)->change > 0 ? holder_of(g, at(h, i)->slice).inside : PF_NONE;
        }
    }
    pf_strings_free(&k.keys);
    pf_map_free(&k.live);
    return st;
}

/* Which device each row is about: of rows of equal device equal numbers, by input, then first appearance. `order` has
 * room for the rows. */
static pf_status number_devices(gpu_facts *g, const gpu_memory *m, pf_strings *devices, uint32_t *key, uint32_t *order,
                                pf_error *err)
{
    uint32_t *first;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, (size_t)g->rank_count + 1, first, err));
    for (uint32_t i = 0; i < m->count; i++) {
        key[i] = m->rows[i].input;
    }
    pf_gpu_sort_by_key(key, m->count, g->rank_count, first, order);
    for (uint32_t i = 0; i < m->count; i++) {
        const gpu_memory_row *r = &m->rows[order[i]];
        const int64_t name[] = {r->input, r->type, r->number};
        uint32_t id;
        PF_TRY(pf_strings_put(devices, (pf_str){(const char *)name, sizeof name}, &id, err));
        key[order[i]] = id - 1;
    }
    return PF_OK;
}

static pf_status put_devices(gpu_facts *g, gpu_memory *m, pf_strings *devices, pf_error *err)
{
    uint32_t *key, *order, *first;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, m->count, key, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, m->count, order, err));
    if (!g->ctx->skip_overlay) {
        PF_TRY(PF_PASS_ARRAY(g->arena, m->count, m->operator, err));
    }
    PF_TRY(number_devices(g, m, devices, key, order, err));
    uint32_t count = devices->count - 1;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, (size_t)count + 1, first, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, count, m->holdings, err));
    pf_gpu_sort_by_key(key, m->count, count, first, order);
    for (uint32_t i = 0; i < count; i++) {
        held h = {.rows = m->rows, .order = order + first[i], .count = first[i + 1] - first[i]};
        PF_TRY(put_device(g, &h, m, err));
    }
    return PF_OK;
}

pf_status pf_gpu_tabulate_memory(gpu_facts *g, gpu_memory *m, pf_error *err)
{
    pf_strings devices;
    PF_TRY(pf_strings_init(&devices, g->arena->budget, err));
    pf_status st = m->count ? put_devices(g, m, &devices, err) : PF_OK;
    pf_strings_free(&devices);
    pf_arena_reset(&g->scratch);
    return st;
}
