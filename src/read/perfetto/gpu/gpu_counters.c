/* read/perfetto/gpu/gpu_counters.c - GPU counters (docs/reference/perfetto.md, "GPU work").
 *
 * A descriptor names counters by small ids: an inline one for the whole trace, an interned one for the events that
 * refer to it. The value of a sample is what was measured since the sample before, unless its counter looks
 * forwards; Perfetto's counters hold from their time on. So, once all times are known, each value moves to the sample
 * before it on its track, and the last sample gets 0.
 */
#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"

static const char *unit_name(int32_t unit)
{
    static const char *const names[] = {
        "",   "bit", "Kb", "Mb",     "Gb",    "Tb",        "Pb",       "B",          "KB", "MB", "GB",
        "TB", "PB",  "Hz", "KHz",    "MHz",   "GHz",       "THz",      "PHz",        "ns", "us", "ms",
        "s",  "min", "h",  "Vertex", "Pixel", "Triangle",  "mW",       "W",          "kW", "J",  "V",
        "A",  "C",   "F",  "K",      "%",     "Primitive", "Fragment", "Instruction"};
    return unit >= 0 && (size_t)unit < sizeof names / sizeof *names ? names[unit] : "Unknown";
}

/* Numerators joined by ':', then '/' and the denominators, likewise; string id 0 if there are none at all. */
static uint32_t read_unit(pf_import *im, const Pf__Proto__GpuCounterSpec *s)
{
    pf_buffer *b = &im->scratch;
    const char *separator = "/";
    b->len = 0;
    for (size_t i = 0; i < s->n_numerator_units; i++) {
        pf_buffer_text(b, b->len ? ":" : "");
        pf_buffer_text(b, unit_name(s->numerator_units[i]));
    }
    for (size_t i = 0; i < s->n_denominator_units; i++) {
        const char *name = unit_name(s->denominator_units[i]);
        if (*name) {
            pf_buffer_text(b, separator);
            pf_buffer_text(b, name);
            separator = ":";
        }
    }
    return s->n_numerator_units || s->n_denominator_units ? pf_import_scratch(im) : 0;
}

/* One counter of the descriptor with that string id, 0 for the inline ones. The first meaning of an id stays. */
static void take_spec(pf_import *im, const pf_record *r, const Pf__Proto__GpuCounterDescriptor *d,
                      const Pf__Proto__GpuCounterSpec *s, uint32_t descriptor, uint32_t gpu)
{
    pf_gpu *g = im->gpu;
    uint64_t key = (uint64_t)descriptor << 32 | s->counter_id;
    if (!s->has_counter_id || !s->has_name || pf_map_get(&g->counter_ids, key) != PF_NONE) {
        if (!descriptor) {
            pf_import_count(im, r, PF_STAT_GPU_COUNTER_SPEC);
        }
        return;
    }
    pf_gpu_counter counter = {.forwards = s->value_direction == PF_GPU_FORWARDS_LOOKING};
    uint32_t name = pf_import_text(im, pf_text_of(s->name)), unit = read_unit(im, s);
    pf_str description = s->has_description ? pf_text_of(s->description) : (pf_str){NULL, 0};
    counter.track = pf_gpu_counter_track(im, gpu, name, unit, description);
    pf_gpu_known_groups(im, d, s, &counter);
    if (!descriptor) {
        pf_gpu_add_known_groups(im, &counter);
    }
    if (!pf_import_failed(im) &&
        PF_LIST_ROOM(&im->t->budget, g->counters, g->counter_count + 1, g->counter_room, im->err) == PF_OK) {
        g->counters[g->counter_count] = counter;
        pf_import_put(im, &g->counter_ids, key, g->counter_count++);
    }
}

static void take_descriptor(pf_import *im, const pf_record *r, const Pf__Proto__GpuCounterDescriptor *d,
                            uint32_t descriptor, uint32_t gpu)
{
    uint32_t first = im->gpu->counter_count;
    for (size_t i = 0; i < d->n_specs; i++) {
        take_spec(im, r, d, d->specs[i], descriptor, gpu);
    }
    if (!descriptor) {
        pf_gpu_add_own_groups(im, d, 0, first);
    }
}

/* The string id of the interned descriptor, 0 if nothing usable is defined (counted). */
static uint32_t find_interned(pf_import *im, const pf_record *r, pf_sequence *q, uint64_t iid)
{
    pf_gpu *g = im->gpu;
    const pf_generation *generation = q ? q->generation : NULL;
    uint32_t id = generation ? pf_intern_get(generation, PF_INTERN_GPU_COUNTER_DESCRIPTOR, iid) : PF_NONE;
    uint64_t use = generation ? (uint64_t)generation->number << 32 | id : 0;
    bool defined = id != PF_NONE && id;
    if (defined && pf_map_get(&g->described, use) != PF_NONE) {
        return id;
    }
    pf_str entry = pf_strings_get(&im->t->strings, defined ? id : 0);
    const pf_field message = {.bytes = (const uint8_t *)entry.ptr, .len = (uint32_t)entry.len};
    const Pf__Proto__InternedGpuCounterDescriptor *m =
        defined ? pf_import_unpack(im, &pf__proto__interned_gpu_counter_descriptor__descriptor, &message) : NULL;
    if (!m || !m->counter_descriptor) {
        pf_import_count(im, r, PF_STAT_GPU_COUNTER_SPEC);
        return 0;
    }
    if (pf_map_get(&g->descriptors, id) == PF_NONE) {
        take_descriptor(im, r, m->counter_descriptor, id, (uint32_t)m->gpu_id);
        pf_import_put(im, &g->descriptors, id, 1);
    }
    pf_gpu_add_own_groups(im, m->counter_descriptor, id, 0);
    pf_import_put(im, &g->described, use, 1);
    return id;
}

static void take_sample(pf_import *im, const pf_packet *p, pf_cursor c, uint32_t descriptor, bool interned)
{
    pf_gpu *g = im->gpu;
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(PF_F_GPU_SAMPLE_COUNTER_ID), PF_AT_VARINT(PF_F_GPU_SAMPLE_INT),
                     PF_AT_FIXED64(PF_F_GPU_SAMPLE_DOUBLE));
    const pf_field *id = &f[PF_F_GPU_SAMPLE_COUNTER_ID], *integer = &f[PF_F_GPU_SAMPLE_INT];
    if (!id->tag || (!integer->tag && !f[PF_F_GPU_SAMPLE_DOUBLE].tag)) {
        return;
    }
    uint32_t index = pf_map_get(&g->counter_ids, (uint64_t)descriptor << 32 | (uint32_t)id->value);
    if (index == PF_NONE) {
        if (interned) {
            pf_import_count(im, p->r, PF_STAT_GPU_COUNTER_SPEC);
        }
        return;
    }
    const pf_gpu_counter counter = g->counters[index];
    if (interned && pf_map_get(&g->grouped, counter.track) == PF_NONE) {
        pf_gpu_add_known_groups(im, &counter);
    }
    double value = integer->tag ? (double)(int64_t)integer->value : pf_bits_to_double(f[PF_F_GPU_SAMPLE_DOUBLE].value);
    if (pf_import_now(im, p->at) < 0) {
        pf_import_count(im, p->r, PF_STAT_NEGATIVE_TS);
        return;
    }
    if (!(im->t->want & PF_WANT_COUNTERS)) {
        return;
    }
    pf_import_add_sample(im, p->r, p->at, counter.track, value);
    if (!counter.forwards && !pf_import_failed(im) &&
        PF_LIST_ROOM(&im->t->budget, g->backwards, g->backward_count + 1, g->backward_room, im->err) == PF_OK) {
        g->backwards[g->backward_count++] = im->t->counters.count - 1;
    }
}

void pf_gpu_counter_event(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    PF_CURSOR_FIELDS(all, c, PF_AT_BYTES(PF_F_GPU_COUNTER_DESCRIPTOR), PF_AT_BYTES(PF_F_GPU_COUNTER_SAMPLES),
                     PF_AT_VARINT(PF_F_GPU_COUNTER_GPU_ID), PF_AT_VARINT(PF_F_GPU_COUNTER_DESCRIPTOR_IID));
    const pf_field *iid = &all[PF_F_GPU_COUNTER_DESCRIPTOR_IID], *inlined = &all[PF_F_GPU_COUNTER_DESCRIPTOR];
    uint32_t descriptor = 0;
    if (iid->tag) {
        descriptor = find_interned(im, p->r, p->q, iid->value);
    } else if (inlined->tag) {
        const Pf__Proto__GpuCounterDescriptor *m =
            pf_import_unpack(im, &pf__proto__gpu_counter_descriptor__descriptor, inlined);
        if (m) {
            take_descriptor(im, p->r, m, 0, (uint32_t)all[PF_F_GPU_COUNTER_GPU_ID].value);
        }
    }
    if (pf_import_failed(im) || !all[PF_F_GPU_COUNTER_SAMPLES].tag || (iid->tag && !descriptor)) {
        return;
    }
    if (p->at->when == PF_WHEN_MISSING) {
        pf_import_count(im, p->r, PF_STAT_GPU_COUNTER_NO_TIMESTAMP);
        return;
    }
    uint32_t noted = im->late.time_count;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_GPU_COUNTER_SAMPLES), &f)) {
        take_sample(im, p, pf_field_cursor(&f), descriptor, iid->tag);
    }
    pf_import_defer_packet(im, noted);
}

static bool after(const void *ctx, uint32_t a, uint32_t b)
{
    const pf_trace *t = ctx;
    return t->counters.ts[a] > t->counters.ts[b];
}

void pf_gpu_settle_counters(pf_import *im)
{
    pf_trace *t = im->t;
    pf_gpu *g = im->gpu;
    pf_map last; /* track row -> its latest sample so far */
    uint32_t *scratch;
    if (!g->backward_count || pf_import_failed(im) ||
        PF_LIST_NEW(&t->budget, scratch, g->backward_count, im->err) != PF_OK) {
        return;
    }
    pf_sort_rows(g->backwards, scratch, g->backward_count, after, t);
    PF_LIST_FREE(&t->budget, scratch, g->backward_count);
    pf_map_init(&last, &t->budget);
    for (uint32_t i = 0; i < g->backward_count && !pf_import_failed(im); i++) {
        uint32_t row = g->backwards[i], track = t->counters.track[row];
        if (track == PF_NONE) { /* its time is unknown */
            continue;
        }
        uint32_t before = pf_map_get(&last, track);
        if (before != PF_NONE) {
            t->counters.value[before] = t->counters.value[row];
        }
        t->counters.value[row] = 0;
        pf_import_put(im, &last, track, row);
    }
    pf_map_free(&last);
}
