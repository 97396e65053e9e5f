/* read/perfetto/gpu/gpu_lists.c - what is known of GPUs in addition to their events: the tables gpu, gpu_counter_group
 * and
 * __intrinsic_gpu_context (docs/reference/perfetto.md, "GPU work" and "Tables").
 *
 * GPUs are numbered (ugpu) in the order in which they come up: first those of GpuInfo packets in file order, then those
 * of events in time order. Times are settled at the end of the file, so that numbers are handed out as the file has
 * them and put in order then.
 *
 * A counter descriptor has groups of two kinds. The well-known ones are listed by each counter; the ones that the
 * descriptor makes up list their counters. An inline descriptor counts at once. Of an interned one the groups of its
 * own count whenever a generation refers to it for the first time, the well-known ones with the first value of a track.
 */
#include <stdlib.h>

#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

uint32_t pf_gpu_number(pf_import *im, uint32_t gpu)
{
    pf_gpu *g = im->gpu;
    uint32_t ugpu = pf_map_get(&g->numbers, gpu);
    if (ugpu != PF_NONE) {
        int64_t *seen = &g->seen[ugpu - g->first_ugpu];
        *seen = g->now < *seen ? g->now : *seen;
        return ugpu;
    }
    ugpu = pf_import_side_row(im, PF_SIDE_GPU);
    if (ugpu == PF_NONE || PF_LIST_ROOM(&im->t->budget, g->seen, g->seen_count + 1, g->seen_room, im->err) != PF_OK) {
        return PF_NONE;
    }
    *pf_side_number(&im->t->sides.known[PF_SIDE_GPU], PF_GPU_NUMBER, ugpu) = gpu;
    g->seen[g->seen_count++] = g->now;
    pf_import_put(im, &g->numbers, gpu, ugpu);
    return ugpu;
}

/* What a packet says replaces what an earlier one said; an empty text says nothing. */
static void set_text(pf_import *im, uint32_t ugpu, unsigned column, pf_str text)
{
    uint32_t id = text.len ? pf_import_text(im, text) : 0;
    if (id) {
        *pf_side_ref(&im->t->sides.known[PF_SIDE_GPU], column, ugpu) = id;
    }
}

static void describe_gpu(pf_import *im, uint32_t ugpu, const Pf__Proto__GpuDescription *d)
{
    set_text(im, ugpu, PF_GPU_NAME, pf_text_of(d->name));
    set_text(im, ugpu, PF_GPU_VENDOR, pf_text_of(d->vendor));
    set_text(im, ugpu, PF_GPU_MODEL, pf_text_of(d->model));
    set_text(im, ugpu, PF_GPU_ARCHITECTURE, pf_text_of(d->architecture));
    set_text(im, ugpu, PF_GPU_PCI, pf_text_of(d->pci_bdf));
    pf_buffer *b = &im->scratch;
    b->len = 0;
    for (size_t i = 0; i < d->uuid.len; i++) {
        pf_buffer_format(b, "%02x", d->uuid.data[i]);
    }
    set_text(im, ugpu, PF_GPU_UUID, pf_import_scratch_text(im));
    for (size_t i = 0; i < d->n_extra_info; i++) {
        const Pf__Proto__GpuExtraInfo *e = d->extra_info[i];
        if (e->has_key && e->has_value) {
            const pf_value v = {.type = PF_VALUE_STRING, .as.s = pf_text_of(e->value)};
            pf_import_arg(im, PF_OWNER_GPU, ugpu, pf_text_of(e->key), v);
        }
    }
}

void pf_gpu_info(pf_import *im, const pf_packet *p)
{
    const Pf__Proto__GpuInfo *m = pf_import_unpack(im, &pf__proto__gpu_info__descriptor, &p->data);
    for (uint32_t i = 0; m && i < m->n_gpus; i++) {
        im->gpu->now = INT64_MIN + im->gpu->informed++; /* before all events */
        describe_gpu(im, pf_gpu_number(im, i), m->gpus[i]);
    }
}

static int by_time(const void *a, const void *b, void *seen)
{
    const int64_t *ts = seen;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return ts[x] != ts[y] ? (ts[x] > ts[y]) - (ts[x] < ts[y]) : (x > y) - (x < y);
}

/* Rows and references get their final numbers: new_number[i] is that of the i-th GPU of this input; cells: room for
 * one column. */
static void renumber(pf_import *im, const uint32_t *new_number, int64_t *cells)
{
    pf_trace *t = im->t;
    const pf_gpu *g = im->gpu;
    pf_side_table *side = &t->sides.known[PF_SIDE_GPU];
    uint32_t key = pf_trace_find_string(t, PF_STR("ugpu")), n = g->seen_count;
    for (uint32_t i = g->first_row_arg; i < t->row_args.count; i++) {
        if (t->row_args.owner[i] == PF_OWNER_GPU) {
            t->row_args.row[i] = g->first_ugpu + new_number[t->row_args.row[i] - g->first_ugpu];
        } else if (t->row_args.owner[i] == PF_OWNER_TRACK_DIMENSION && t->row_args.key[i] == key) {
            t->row_args.number[i] = g->first_ugpu + new_number[t->row_args.number[i] - g->first_ugpu];
        }
    }
    for (unsigned column = PF_GPU_NUMBER; column <= PF_GPU_PCI; column++) {
        bool number = column == PF_GPU_NUMBER;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t row = g->first_ugpu + i;
            cells[new_number[i]] = number ? *pf_side_number(side, column, row) : *pf_side_ref(side, column, row);
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t row = g->first_ugpu + i;
            if (number) {
                *pf_side_number(side, column, row) = cells[i];
            } else {
                *pf_side_ref(side, column, row) = (uint32_t)cells[i];
            }
        }
    }
}

void pf_gpu_settle_numbers(pf_import *im)
{
    pf_gpu *g = im->gpu;
    uint32_t n = g ? g->seen_count : 0;
    int64_t *cells;
    if (n < 2 || pf_import_failed(im) || PF_LIST_NEW(&im->t->budget, cells, 2 * (size_t)n, im->err) != PF_OK) {
        return;
    }
    uint32_t *order = (uint32_t *)(cells + n), *new_number = order + n;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    qsort_r(order, n, sizeof *order, by_time, g->seen);
    for (uint32_t i = 0; i < n; i++) {
        new_number[order[i]] = i;
    }
    renumber(im, new_number, cells);
    PF_LIST_FREE(&im->t->budget, cells, 2 * (size_t)n);
}

static void add_group(pf_import *im, uint32_t track, const pf_gpu_group *group)
{
    uint32_t row = pf_import_side_row(im, PF_SIDE_GPU_GROUP);
    if (row != PF_NONE) {
        pf_side_set_row(&im->t->sides.known[PF_SIDE_GPU_GROUP], row,
                        (int64_t[]){group->id, track, group->name, group->description});
    }
}

static pf_gpu_group read_group(pf_import *im, const Pf__Proto__GpuCounterGroup *m)
{
    pf_gpu_group group = {.id = m->group_id};
    group.name = m->has_name ? pf_import_text(im, pf_text_of(m->name)) : 0;
    group.description = m->has_description ? pf_import_text(im, pf_text_of(m->description)) : 0;
    return group;
}

void pf_gpu_known_groups(pf_import *im, const Pf__Proto__GpuCounterDescriptor *d, const Pf__Proto__GpuCounterSpec *s,
                         pf_gpu_counter *counter)
{
    static const int32_t unclassified = 0;
    const int32_t *ids = s->n_groups ? s->groups : &unclassified;
    uint32_t count = s->n_groups ? (uint32_t)s->n_groups : 1;
    pf_gpu_group *groups;
    if (pf_import_failed(im) || PF_ARENA_NEW(&im->t->arena, groups, count, im->err) != PF_OK) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        groups[i] = (pf_gpu_group){.id = ids[i]};
        for (size_t k = 0; k < d->n_counter_groups; k++) {
            const Pf__Proto__GpuCounterGroup *m = d->counter_groups[k];
            if (m->has_group_id && (int64_t)m->group_id == groups[i].id) {
                groups[i] = read_group(im, m);
                break;
            }
        }
    }
    counter->groups = groups;
    counter->group_count = count;
}

void pf_gpu_add_known_groups(pf_import *im, const pf_gpu_counter *counter)
{
    for (uint32_t i = 0; i < counter->group_count; i++) {
        add_group(im, counter->track, &counter->groups[i]);
    }
    pf_import_put(im, &im->gpu->grouped, counter->track, 1);
}

void pf_gpu_add_own_groups(pf_import *im, const Pf__Proto__GpuCounterDescriptor *d, uint32_t descriptor,
                           uint32_t first_counter)
{
    const pf_gpu *g = im->gpu;
    for (size_t i = 0; i < d->n_counter_groups; i++) {
        const Pf__Proto__GpuCounterGroup *m = d->counter_groups[i];
        if (!m->has_group_id) {
            continue;
        }
        const pf_gpu_group group = read_group(im, m);
        for (size_t k = 0; k < m->n_counter_ids; k++) {
            uint32_t index = pf_map_get(&g->counter_ids, (uint64_t)descriptor << 32 | m->counter_ids[k]);
            if (index != PF_NONE && index >= first_counter) {
                add_group(im, g->counters[index].track, &group);
            }
        }
    }
}

void pf_gpu_note_context(pf_import *im, const pf_generation *generation, uint64_t iid)
{
    /* The APIs' names as Perfetto spells them. */
    static const char *const apis[] = {"UNDEFINED", "OPEN_GL", "VULKAN", "OPEN_CL", "CUDA", "HIP"};
    const pf_side_table *side = &im->t->sides.known[PF_SIDE_GPU_CONTEXT];
    pf_cursor c;
    if (pf_map_get(&im->gpu->contexts, iid) != PF_NONE ||
        !pf_gpu_interned(im->t, generation, PF_INTERN_GRAPHICS_CONTEXT, iid, &c)) {
        return;
    }
    const pf_field pid = pf_cursor_last(c, PF_TAG_VARINT(PF_F_CONTEXT_PID));
    const pf_field api = pf_cursor_last(c, PF_TAG_VARINT(PF_F_CONTEXT_API));
    uint32_t row = pf_import_side_row(im, PF_SIDE_GPU_CONTEXT);
    if (row == PF_NONE) {
        return;
    }
    *pf_side_number(side, PF_GPU_CONTEXT_ID, row) = (int64_t)iid;
    if (pid.tag) {
        *pf_side_number(side, PF_GPU_CONTEXT_PID, row) = (int32_t)pid.value;
    }
    if (api.tag) {
        const char *name = apis[api.value < PF_TAG_COUNT(apis) ? api.value : 0];
        *pf_side_ref(side, PF_GPU_CONTEXT_API, row) = pf_import_word(im, name);
    }
    pf_import_put(im, &im->gpu->contexts, iid, row);
}
