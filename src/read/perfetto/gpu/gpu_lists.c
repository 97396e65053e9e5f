/* read/perfetto/gpu/gpu_lists.c - what is known of GPUs besides their events: the tables gpu, gpu_counter_group and
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
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

static pf_status no_memory(pf_import *im, size_t bytes)
{
    return pf_budget_refused(&im->t->budget, bytes, im->err);
}

/* The string id of a text, 0 if it is absent. */
static pf_status add_text(pf_import *im, bool has, ProtobufCBinaryData text, uint32_t *id)
{
    *id = has ? pf_strings_add(&im->t->strings, text.len ? (const char *)text.data : "", text.len, im->err) : 0;
    return *id == PF_NONE ? im->err->code : PF_OK;
}

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

pf_status pf_gpu_number(pf_import *im, uint32_t gpu, uint32_t *ugpu)
{
    pf_gpu *g = im->gpu;
    pf_side_table *side = &im->t->sides.known[PF_SIDE_GPU];
    *ugpu = pf_map_get(&g->numbers, gpu);
    if (*ugpu != PF_NONE) {
        int64_t *seen = &g->seen[*ugpu - g->first_ugpu];
        *seen = g->now < *seen ? g->now : *seen;
        return PF_OK;
    }
    if (g->seen_count == g->seen_room) {
        uint32_t room = g->seen_room ? g->seen_room * 2 : 8;
        int64_t *seen = pf_resize(&im->t->budget, g->seen, g->seen_room * sizeof *seen, (size_t)room * sizeof *seen);
        if (!seen) {
            return no_memory(im, room * sizeof *seen);
        }
        g->seen = seen;
        g->seen_room = room;
    }
    pf_status st = pf_side_add_row(&im->t->sides.known[PF_SIDE_GPU], im->err);
    if (st != PF_OK) {
        return st;
    }
    *ugpu = side->count - 1;
    *pf_side_number(side, PF_GPU_NUMBER, *ugpu) = gpu;
    g->seen[g->seen_count++] = g->now;
    return pf_map_set(&g->numbers, gpu, *ugpu) ? PF_OK : no_memory(im, 1u << 12);
}

/* What a packet says replaces what an earlier one said; an empty text says nothing. */
static pf_status set_text(pf_import *im, uint32_t ugpu, unsigned column, bool has, ProtobufCBinaryData text)
{
    uint32_t id;
    pf_status st = add_text(im, has && text.len, text, &id);
    if (st == PF_OK && id) {
        *pf_side_ref(&im->t->sides.known[PF_SIDE_GPU], column, ugpu) = id;
    }
    return st;
}

/* Bytes as hexadecimal text. */
static pf_status set_uuid(pf_import *im, uint32_t ugpu, ProtobufCBinaryData uuid)
{
    pf_buffer *b = &im->scratch;
    b->len = 0;
    for (size_t i = 0; i < uuid.len; i++) {
        pf_buffer_format(b, "%02x", uuid.data[i]);
    }
    return b->failed ? no_memory(im, 2 * uuid.len)
                     : set_text(im, ugpu, PF_GPU_UUID, true, (ProtobufCBinaryData){b->len, (uint8_t *)b->data});
}

static pf_status describe_gpu(pf_import *im, uint32_t ugpu, const Pf__Proto__GpuDescription *d)
{
    pf_status st = set_text(im, ugpu, PF_GPU_NAME, d->has_name, d->name);
    st = st == PF_OK ? set_text(im, ugpu, PF_GPU_VENDOR, d->has_vendor, d->vendor) : st;
    st = st == PF_OK ? set_text(im, ugpu, PF_GPU_MODEL, d->has_model, d->model) : st;
    st = st == PF_OK ? set_text(im, ugpu, PF_GPU_ARCHITECTURE, d->has_architecture, d->architecture) : st;
    st = st == PF_OK ? set_text(im, ugpu, PF_GPU_PCI, d->has_pci_bdf, d->pci_bdf) : st;
    st = st == PF_OK && d->has_uuid ? set_uuid(im, ugpu, d->uuid) : st;
    for (size_t i = 0; i < d->n_extra_info && st == PF_OK; i++) {
        const Pf__Proto__GpuExtraInfo *e = d->extra_info[i];
        const pf_value v = {.type = PF_VALUE_STRING,
                            .as.s = {e->value.len ? (const char *)e->value.data : "", e->value.len}};
        if (e->has_key && e->has_value) {
            const pf_str key = {e->key.len ? (const char *)e->key.data : "", e->key.len};
            st = pf_trace_add_row_arg(im->t, PF_OWNER_GPU, ugpu, key, &v, im->err);
        }
    }
    return st;
}

pf_status pf_gpu_info(pf_import *im, const pf_field *data)
{
    const Pf__Proto__GpuInfo *m = (const Pf__Proto__GpuInfo *)pf_cold_unpack(
        &im->cold, &pf__proto__gpu_info__descriptor, data->bytes, data->len, im->err);
    pf_status st = m ? PF_OK : im->err->code;
    for (uint32_t i = 0, ugpu; m && i < m->n_gpus && st == PF_OK; i++) {
        im->gpu->now = INT64_MIN + im->gpu->informed++; /* before all events */
        st = pf_gpu_number(im, i, &ugpu);
        st = st == PF_OK ? describe_gpu(im, ugpu, m->gpus[i]) : st;
    }
    return st;
}

static int by_time(const void *a, const void *b, void *seen)
{
    const int64_t *ts = seen;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return ts[x] != ts[y] ? (ts[x] > ts[y]) - (ts[x] < ts[y]) : (x > y) - (x < y);
}

/* Rows and references get their final numbers: new_number[i] is that of the i-th GPU of this input. */
static pf_status renumber(pf_import *im, const uint32_t *new_number)
{
    pf_trace *t = im->t;
    const pf_gpu *g = im->gpu;
    pf_side_table *side = &t->sides.known[PF_SIDE_GPU];
    uint32_t key = pf_trace_find_string(t, PF_STR("ugpu")), n = g->seen_count;
    int64_t *cells = pf_alloc(&t->budget, n * sizeof *cells);
    if (!cells) {
        return no_memory(im, n * sizeof *cells);
    }
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
    pf_release(&t->budget, cells, n * sizeof *cells);
    return PF_OK;
}

pf_status pf_gpu_settle_numbers(pf_import *im)
{
    pf_gpu *g = im->gpu;
    uint32_t n = g->seen_count;
    size_t bytes = n * sizeof(uint32_t);
    uint32_t *order = n > 1 ? pf_alloc(&im->t->budget, 2 * bytes) : NULL;
    if (n <= 1) {
        return PF_OK;
    }
    if (!order) {
        return no_memory(im, 2 * bytes);
    }
    uint32_t *new_number = order + n;
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    qsort_r(order, n, sizeof *order, by_time, g->seen);
    for (uint32_t i = 0; i < n; i++) {
        new_number[order[i]] = i;
    }
    pf_status st = renumber(im, new_number);
    pf_release(&im->t->budget, order, 2 * bytes);
    return st;
}

/* ---- groups of counters ------------------------------------------------------------------------------------------ */

static pf_status add_group(pf_import *im, uint32_t track, const pf_gpu_group *group)
{
    pf_side_table *side = &im->t->sides.known[PF_SIDE_GPU_GROUP];
    pf_status st = pf_side_add_row(&im->t->sides.known[PF_SIDE_GPU_GROUP], im->err);
    if (st == PF_OK) {
        uint32_t row = side->count - 1;
        *pf_side_number(side, PF_GPU_GROUP_ID, row) = group->id;
        *pf_side_ref(side, PF_GPU_GROUP_TRACK, row) = track;
        *pf_side_ref(side, PF_GPU_GROUP_NAME, row) = group->name;
        *pf_side_ref(side, PF_GPU_GROUP_DESCRIPTION, row) = group->description;
    }
    return st;
}

static pf_status read_group(pf_import *im, const Pf__Proto__GpuCounterGroup *m, pf_gpu_group *group)
{
    group->id = m->group_id;
    pf_status st = add_text(im, m->has_name, m->name, &group->name);
    return st == PF_OK ? add_text(im, m->has_description, m->description, &group->description) : st;
}

pf_status pf_gpu_known_groups(pf_import *im, const Pf__Proto__GpuCounterDescriptor *d,
                              const Pf__Proto__GpuCounterSpec *s, pf_gpu_counter *counter)
{
    static const int32_t unclassified = 0;
    const int32_t *ids = s->n_groups ? s->groups : &unclassified;
    uint32_t count = s->n_groups ? (uint32_t)s->n_groups : 1;
    pf_gpu_group *groups = pf_arena_alloc(&im->t->arena, count * sizeof *groups);
    pf_status st = groups ? PF_OK : no_memory(im, count * sizeof *groups);
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        groups[i] = (pf_gpu_group){.id = ids[i]};
        for (size_t k = 0; k < d->n_counter_groups && st == PF_OK; k++) {
            const Pf__Proto__GpuCounterGroup *m = d->counter_groups[k];
            if (m->has_group_id && (int64_t)m->group_id == groups[i].id) {
                st = read_group(im, m, &groups[i]);
                break;
            }
        }
    }
    counter->groups = groups;
    counter->group_count = st == PF_OK ? count : 0;
    return st;
}

pf_status pf_gpu_add_known_groups(pf_import *im, const pf_gpu_counter *counter)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < counter->group_count && st == PF_OK; i++) {
        st = add_group(im, counter->track, &counter->groups[i]);
    }
    return st != PF_OK || pf_map_set(&im->gpu->grouped, counter->track, 1) ? st : no_memory(im, 1u << 12);
}

pf_status pf_gpu_add_own_groups(pf_import *im, const Pf__Proto__GpuCounterDescriptor *d, uint32_t descriptor,
                                uint32_t first_counter)
{
    const pf_gpu *g = im->gpu;
    pf_status st = PF_OK;
    for (size_t i = 0; i < d->n_counter_groups && st == PF_OK; i++) {
        const Pf__Proto__GpuCounterGroup *m = d->counter_groups[i];
        pf_gpu_group group;
        st = m->has_group_id ? read_group(im, m, &group) : PF_OK;
        for (size_t k = 0; m->has_group_id && k < m->n_counter_ids && st == PF_OK; k++) {
            uint32_t index = pf_map_get(&g->counter_ids, (uint64_t)descriptor << 32 | m->counter_ids[k]);
            if (index != PF_NONE && index >= first_counter) {
                st = add_group(im, g->counters[index].track, &group);
            }
        }
    }
    return st;
}

/* ---- graphics contexts ------------------------------------------------------------------------------------------- */

/* The API's name as Perfetto spells it. */
static pf_str api_name(uint64_t api)
{
    static const char *const names[] = {"UNDEFINED", "OPEN_GL", "VULKAN", "OPEN_CL", "CUDA", "HIP"};
    const char *name = names[api < sizeof names / sizeof *names ? api : 0];
    return (pf_str){name, strlen(name)};
}

pf_status pf_gpu_note_context(pf_import *im, const pf_generation *generation, uint64_t iid)
{
    pf_trace *t = im->t;
    pf_side_table *side = &t->sides.known[PF_SIDE_GPU_CONTEXT];
    pf_cursor c;
    pf_field f;
    if (pf_map_get(&im->gpu->contexts, iid) != PF_NONE ||
        !pf_gpu_interned(t, generation, PF_INTERN_GRAPHICS_CONTEXT, iid, &c)) {
        return PF_OK;
    }
    pf_status st = pf_side_add_row(&t->sides.known[PF_SIDE_GPU_CONTEXT], im->err);
    if (st != PF_OK) {
        return st;
    }
    uint32_t row = side->count - 1;
    *pf_side_number(side, PF_GPU_CONTEXT_ID, row) = (int64_t)iid;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_CONTEXT_PID)) {
            *pf_side_number(side, PF_GPU_CONTEXT_PID, row) = (int32_t)f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_CONTEXT_API)) {
            pf_str name = api_name(f.value);
            uint32_t id = pf_strings_add(&t->strings, name.ptr, name.len, im->err);
            *pf_side_ref(side, PF_GPU_CONTEXT_API, row) = id == PF_NONE ? 0 : id;
            st = id == PF_NONE ? im->err->code : st;
        }
    }
    return st != PF_OK || pf_map_set(&im->gpu->contexts, iid, row) ? st : no_memory(im, 1u << 12);
}
