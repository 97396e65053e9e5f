/* read/perfetto/gpu/gpu_counters.c - GPU counters (docs/reference/perfetto.md, "GPU work").
 *
 * A descriptor names counters by small ids: an inline one for the whole trace, an interned one for the events that
 * refer to it. The value of a sample is what was measured since the sample before, unless its counter looks
 * forwards; Perfetto's counters hold from their time on. So, once all times are known, each value moves to the sample
 * before it on its track, and the last sample gets 0.
 */
#include <string.h>

#include "perfetto/fields.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/import/packet_times.h"

static pf_status no_memory(pf_import *im, size_t bytes)
{
    return pf_budget_refused(&im->t->budget, bytes, im->err);
}

static void count(pf_import *im, pf_stat_id id, const pf_record *r)
{
    pf_trace_count(im->t, id, pf_import_offset(im, r));
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static const char *unit_name(int32_t unit)
{
    static const char *const names[] = {
        "",   "bit", "Kb", "Mb",     "Gb",    "Tb",        "Pb",       "B",          "KB", "MB", "GB",
        "TB", "PB",  "Hz", "KHz",    "MHz",   "GHz",       "THz",      "PHz",        "ns", "us", "ms",
        "s",  "min", "h",  "Vertex", "Pixel", "Triangle",  "mW",       "W",          "kW", "J",  "V",
        "A",  "C",   "F",  "K",      "%",     "Primitive", "Fragment", "Instruction"};
    return unit >= 0 && (size_t)unit < sizeof names / sizeof *names ? names[unit] : "Unknown";
}

/* Numerators joined by ':', then '/' and the denominators, likewise; NULL (id 0) if there are none at all. */
static pf_status read_unit(pf_import *im, const Pf__Proto__GpuCounterSpec *s, uint32_t *unit)
{
    pf_buffer *b = &im->scratch;
    const char *separator = "/";
    *unit = 0;
    if (!s->n_numerator_units && !s->n_denominator_units) {
        return PF_OK;
    }
    b->len = 0;
    for (size_t i = 0; i < s->n_numerator_units; i++) {
        if (b->len) {
            pf_buffer_text(b, ":");
        }
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
    if (b->failed) {
        return no_memory(im, b->len);
    }
    *unit = pf_strings_add(&im->t->strings, b->len ? b->data : "", b->len, im->err);
    return *unit == PF_NONE ? im->err->code : PF_OK;
}

static pf_status add_counter(pf_import *im, uint64_t key, const pf_gpu_counter *counter)
{
    pf_gpu *g = im->gpu;
    if (g->counter_count == g->counter_room) {
        uint32_t room = g->counter_room ? g->counter_room * 2 : 64;
        pf_gpu_counter *list =
            room ? pf_resize(&im->t->budget, g->counters, g->counter_room * sizeof *list, (size_t)room * sizeof *list)
                 : NULL;
        if (!list) {
            return no_memory(im, (size_t)room * sizeof *list);
        }
        g->counters = list;
        g->counter_room = room;
    }
    g->counters[g->counter_count] = *counter;
    return pf_map_set(&g->counter_ids, key, g->counter_count++) ? PF_OK : no_memory(im, 1u << 12);
}

/* One counter of the descriptor with that string id, 0 for the inline ones. The first meaning of an id stays. */
static pf_status take_spec(pf_import *im, const pf_record *r, const Pf__Proto__GpuCounterDescriptor *d,
                           const Pf__Proto__GpuCounterSpec *s, uint32_t descriptor, uint32_t gpu)
{
    uint64_t key = (uint64_t)descriptor << 32 | s->counter_id;
    bool known = pf_map_get(&im->gpu->counter_ids, key) != PF_NONE;
    if (!s->has_counter_id || !s->has_name || known) {
        if (!descriptor) {
            count(im, PF_STAT_GPU_COUNTER_SPEC, r);
        }
        return PF_OK;
    }
    pf_gpu_counter counter = {.forwards = s->value_direction == PF_GPU_FORWARDS_LOOKING};
    uint32_t unit, name = pf_strings_add(&im->t->strings, (const char *)s->name.data, s->name.len, im->err);
    pf_str description = {s->has_description ? (s->description.len ? (const char *)s->description.data : "") : NULL,
                          s->description.len};
    if (name == PF_NONE) {
        return im->err->code;
    }
    pf_status st = read_unit(im, s, &unit);
    st = st == PF_OK ? pf_gpu_counter_track(im, gpu, name, unit, description, &counter.track) : st;
    st = st == PF_OK ? pf_gpu_known_groups(im, d, s, &counter) : st;
    st = st == PF_OK && !descriptor ? pf_gpu_add_known_groups(im, &counter) : st;
    return st == PF_OK ? add_counter(im, key, &counter) : st;
}

static pf_status take_descriptor(pf_import *im, const pf_record *r, const Pf__Proto__GpuCounterDescriptor *d,
                                 uint32_t descriptor, uint32_t gpu)
{
    pf_status st = PF_OK;
    uint32_t first = im->gpu->counter_count;
    for (size_t i = 0; i < d->n_specs && st == PF_OK; i++) {
        st = take_spec(im, r, d, d->specs[i], descriptor, gpu);
    }
    return st == PF_OK && !descriptor ? pf_gpu_add_own_groups(im, d, 0, first) : st;
}

/* *descriptor is the string id of the entry, 0 if nothing usable is defined (counted). */
static pf_status find_interned(pf_import *im, const pf_record *r, pf_sequence *q, uint64_t iid, uint32_t *descriptor)
{
    pf_gpu *g = im->gpu;
    const pf_generation *generation = q ? q->generation : NULL;
    uint32_t id = generation ? pf_intern_get(generation, PF_INTERN_GPU_COUNTER_DESCRIPTOR, iid) : PF_NONE;
    *descriptor = id == PF_NONE ? 0 : id;
    uint64_t use = generation ? (uint64_t)generation->number << 32 | *descriptor : 0;
    if (*descriptor && pf_map_get(&g->described, use) != PF_NONE) {
        return PF_OK;
    }
    pf_str entry = pf_strings_get(&im->t->strings, *descriptor);
    const Pf__Proto__InternedGpuCounterDescriptor *m =
        *descriptor ? (const Pf__Proto__InternedGpuCounterDescriptor *)pf_cold_unpack(
                          &im->cold, &pf__proto__interned_gpu_counter_descriptor__descriptor,
                          (const uint8_t *)entry.ptr, entry.len, im->err)
                    : NULL;
    if (*descriptor && !m) {
        return im->err->code;
    }
    if (!m || !m->counter_descriptor) {
        count(im, PF_STAT_GPU_COUNTER_SPEC, r);
        *descriptor = 0;
        return PF_OK;
    }
    pf_status st = PF_OK;
    if (pf_map_get(&g->descriptors, id) == PF_NONE) {
        st = take_descriptor(im, r, m->counter_descriptor, id, (uint32_t)m->gpu_id);
        st = st != PF_OK || pf_map_set(&g->descriptors, id, 1) ? st : no_memory(im, 1u << 12);
    }
    st = st == PF_OK ? pf_gpu_add_own_groups(im, m->counter_descriptor, id, 0) : st;
    return st != PF_OK || pf_map_set(&g->described, use, 1) ? st : no_memory(im, 1u << 12);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* *added: the sample has a time that counts, and samples are wanted. */
static pf_status add_sample(pf_import *im, const pf_record *r, const pf_moment *at, double value, uint32_t track,
                            bool *added)
{
    int64_t ts = at->when == PF_WHEN_KNOWN ? at->ts : im->latest_ts;
    *added = false;
    if (ts < 0) {
        count(im, PF_STAT_NEGATIVE_TS, r);
        return PF_OK;
    }
    if (!(im->t->want & PF_WANT_COUNTERS)) {
        return PF_OK;
    }
    *added = true;
    pf_status st = pf_trace_add_sample(im->t, ts, value, track, PF_NONE, im->err);
    return st == PF_OK && at->when == PF_WHEN_LATER ? pf_import_defer(im, r, at, PF_NONE, im->t->counters.count - 1)
                                                    : st;
}

static pf_status note_backwards(pf_import *im)
{
    pf_gpu *g = im->gpu;
    if (g->backward_count == g->backward_room) {
        uint32_t room = g->backward_room ? g->backward_room * 2 : 1024;
        uint32_t *list =
            room ? pf_resize(&im->t->budget, g->backwards, g->backward_room * sizeof *list, (size_t)room * sizeof *list)
                 : NULL;
        if (!list) {
            return no_memory(im, (size_t)room * sizeof *list);
        }
        g->backwards = list;
        g->backward_room = room;
    }
    g->backwards[g->backward_count++] = im->t->counters.count - 1;
    return PF_OK;
}

static pf_status take_sample(pf_import *im, const pf_record *r, const pf_moment *at, pf_cursor c, uint32_t descriptor,
                             bool interned)
{
    bool has_id = false, has_int = false, has_double = false, added;
    uint64_t id = 0, number = 0, bits = 0;
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_GPU_SAMPLE_COUNTER_ID)) {
            has_id = true;
            id = (uint32_t)f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_GPU_SAMPLE_INT)) {
            has_int = true;
            number = f.value;
        } else if (f.tag == PF_TAG_FIXED64(PF_F_GPU_SAMPLE_DOUBLE)) {
            has_double = true;
            bits = f.value;
        }
    }
    if (!has_id || (!has_int && !has_double)) {
        return PF_OK;
    }
    uint32_t index = pf_map_get(&im->gpu->counter_ids, (uint64_t)descriptor << 32 | id);
    if (index == PF_NONE) {
        if (interned) {
            count(im, PF_STAT_GPU_COUNTER_SPEC, r);
        }
        return PF_OK;
    }
    const pf_gpu_counter counter = im->gpu->counters[index];
    if (interned && pf_map_get(&im->gpu->grouped, counter.track) == PF_NONE) {
        pf_status known = pf_gpu_add_known_groups(im, &counter);
        if (known != PF_OK) {
            return known;
        }
    }
    double value = has_int ? (double)(int64_t)number : pf_bits_to_double(bits);
    pf_status st = add_sample(im, r, at, value, counter.track, &added);
    return st == PF_OK && added && !counter.forwards ? note_backwards(im) : st;
}

pf_status pf_gpu_counter_event(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                               const pf_moment *at)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f, inlined = {0};
    bool has_iid = false, has_samples = false;
    uint64_t iid = 0;
    uint32_t gpu = 0, descriptor = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_GPU_COUNTER_DESCRIPTOR)) {
            inlined = f;
        } else if (f.tag == PF_TAG_BYTES(PF_F_GPU_COUNTER_SAMPLES)) {
            has_samples = true;
        } else if (f.tag == PF_TAG_VARINT(PF_F_GPU_COUNTER_GPU_ID)) {
            gpu = (uint32_t)f.value;
        } else if (f.tag == PF_TAG_VARINT(PF_F_GPU_COUNTER_DESCRIPTOR_IID)) {
            has_iid = true;
            iid = f.value;
        }
    }
    pf_status st = PF_OK;
    if (has_iid) {
        st = find_interned(im, r, q, iid, &descriptor);
    } else if (inlined.bytes) {
        const Pf__Proto__GpuCounterDescriptor *m = (const Pf__Proto__GpuCounterDescriptor *)pf_cold_unpack(
            &im->cold, &pf__proto__gpu_counter_descriptor__descriptor, inlined.bytes, inlined.len, im->err);
        st = m ? take_descriptor(im, r, m, 0, gpu) : im->err->code;
    }
    if (st != PF_OK || !has_samples || (has_iid && !descriptor)) {
        return st;
    }
    if (at->when == PF_WHEN_MISSING) {
        count(im, PF_STAT_GPU_COUNTER_NO_TIMESTAMP, r);
        return PF_OK;
    }
    uint32_t noted = im->late.time_count;
    c = pf_field_cursor(data);
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_GPU_COUNTER_SAMPLES)) {
            st = take_sample(im, r, at, pf_field_cursor(&f), descriptor, has_iid);
        }
    }
    pf_import_defer_packet(im, noted);
    return st;
}

/* ---- values that look backwards ---------------------------------------------------------------------------------- */

static bool after(const void *ctx, uint32_t a, uint32_t b)
{
    const pf_trace *t = ctx;
    return t->counters.ts[a] > t->counters.ts[b];
}

pf_status pf_gpu_settle_counters(pf_import *im)
{
    pf_trace *t = im->t;
    pf_gpu *g = im->gpu;
    size_t bytes = g->backward_count * sizeof *g->backwards;
    pf_map last; /* track row -> its latest sample so far */
    pf_status st = PF_OK;
    if (!g->backward_count) {
        return PF_OK;
    }
    uint32_t *scratch = pf_alloc(&t->budget, bytes);
    if (!scratch) {
        return no_memory(im, bytes);
    }
    pf_sort_rows(g->backwards, scratch, g->backward_count, after, t);
    pf_release(&t->budget, scratch, bytes);
    pf_map_init(&last, &t->budget);
    for (uint32_t i = 0; i < g->backward_count && st == PF_OK; i++) {
        uint32_t row = g->backwards[i], track = t->counters.track[row];
        if (track == PF_NONE) { /* its time is unknown */
            continue;
        }
        uint32_t before = pf_map_get(&last, track);
        if (before != PF_NONE) {
            t->counters.value[before] = t->counters.value[row];
        }
        t->counters.value[row] = 0;
        st = pf_map_set(&last, track, row) ? PF_OK : no_memory(im, 1u << 12);
    }
    pf_map_free(&last);
    return st;
}
