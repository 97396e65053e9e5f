/* read/tinygrad/tracks/tiny_counters.c - counters: what each device holds in memory; devices called LINE:... whose
 * points are samples; and what hardware counters counted in an execution, from the kernel's start to its end, then 0.
 */
#include <stdio.h>

#include "read/tinygrad/tracks/tiny_tracks.h"

#define MOST_ITEMS INT64_C(1000000000000) /* that an allocation counts for */

/* Rows of tinygrad_memory of this profile, by device, then by time. */
typedef struct changes {
    pf_tiny_tracks *l; /* its map: buffer of the device -> number in `bytes` */
    uint32_t first, count;
    uint32_t *rows;
    int64_t *bytes;
    uint32_t buffers;
} changes;

static uint32_t device_at(const pf_tiny_tracks *l, uint32_t row)
{
    return pf_tiny_event_ref(l, EVENT_DEVICE, *pf_tiny_ref_at(l->p, PF_TINY_MEMORY, MEMORY_EVENT, row));
}

static int64_t time_at(const pf_tiny_tracks *l, uint32_t row)
{
    return pf_tiny_event_int(l, EVENT_TS, *pf_tiny_ref_at(l->p, PF_TINY_MEMORY, MEMORY_EVENT, row));
}

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    const changes *c = ctx;
    uint32_t one = device_at(c->l, c->first + a), other = device_at(c->l, c->first + b);
    return one != other ? one > other : time_at(c->l, c->first + a) > time_at(c->l, c->first + b);
}

/* By how many bytes a row of tinygrad_memory changes what is in use. */
static pf_status difference(changes *c, uint32_t row, int64_t *bytes)
{
    const pf_side_table *s = c->l->p->table[PF_TINY_MEMORY];
    int64_t buffer = *pf_side_number(s, MEMORY_BUFFER, row), items = *pf_side_number(s, MEMORY_ITEMS, row);
    uint32_t known = pf_map_get(&c->l->map, (uint64_t)buffer);
    *bytes = 0;
    if (buffer == INT64_MIN || (items == INT64_MIN && known == PF_NONE)) {
        return PF_OK;
    }
    if (items == INT64_MIN) {
        *bytes = -c->bytes[known];
        c->bytes[known] = 0;
        return PF_OK;
    }
    if (known == PF_NONE) {
        known = c->buffers++;
        PF_TRY(pf_map_put(&c->l->map, (uint64_t)buffer, known, c->l->p->err));
    }
    items = items < 0 ? 0 : items > MOST_ITEMS ? MOST_ITEMS : items;
    c->bytes[known] = items * *pf_side_number(s, MEMORY_ITEM_BYTES, row); /* at most 10^12 times 2^20 */
    *bytes = c->bytes[known];
    return PF_OK;
}

static pf_status add_memory_track(pf_tiny_tracks *l, uint32_t device, uint32_t *track)
{
    char text[256];
    pf_str name = pf_trace_string(l->t, device);
    snprintf(text, sizeof text, "%.*s memory (bytes)", name.len < 200 ? (int)name.len : 200, name.ptr ? name.ptr : "");
    pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_COUNTER,
        .parent = PF_NONE,
        .unit = "bytes",
        .detail = {{"description", "Bytes that the buffers of this device hold. What is held when the profile ends "
                                   "counts as released there."},
                   {"y_axis_share_key", "tinygrad memory"}},
    };
    PF_TRY(pf_tiny_process(l, device, &k.upid));
    k.name = pf_tiny_word(l->p, text);
    return pf_tiny_add_track(l, &k, NULL, 0, track);
}

static pf_status add_sample(pf_tiny_tracks *l, int64_t ts, double value, uint32_t track)
{
    return pf_trace_add_sample(l->t, ts, value, track, PF_NONE, l->p->err);
}

/* The changes of one device, from rows[*at] on; *at is then where those of the next one begin. */
static pf_status draw_device(pf_tiny_tracks *l, changes *c, uint32_t *at, int64_t end)
{
    uint32_t device = device_at(l, c->first + c->rows[*at]), track;
    double held = 0;
    int64_t bytes;
    PF_TRY(add_memory_track(l, device, &track));
    pf_map_clear(&l->map);
    for (; *at < c->count && device_at(l, c->first + c->rows[*at]) == device; (*at)++) {
        uint32_t row = c->first + c->rows[*at];
        PF_TRY(difference(c, row, &bytes));
        held += (double)bytes;
        PF_TRY(add_sample(l, time_at(l, row), held, track));
    }
    return held != 0 ? add_sample(l, end, 0, track) : PF_OK;
}

pf_status pf_tiny_draw_memory(pf_tiny_tracks *l)
{
    const pf_side_table *s = l->p->table[PF_TINY_MEMORY];
    changes c = {.l = l, .first = pf_tiny_first_of(s, MEMORY_EVENT, l->first)};
    int64_t end = INT64_MIN; /* of the profile, where what is left counts as released */
    for (uint32_t i = l->first; i < l->first + l->count; i++) {
        int64_t at = pf_tiny_event_int(l, EVENT_END, i);
        at = at == INT64_MIN ? pf_tiny_event_int(l, EVENT_TS, i) : at; /* not ended */
        end = at > end ? at : end;
    }
    c.count = s->count - c.first;
    PF_TRY(PF_ARENA_NEW(&l->arena, c.bytes, c.count, l->p->err));
    PF_TRY(PF_ARENA_NEW(&l->arena, c.rows, 2 * (size_t)c.count, l->p->err));
    pf_order_rows(c.rows, c.rows + c.count, c.count, is_after, &c);
    for (uint32_t i = 0; i < c.count;) {
        PF_TRY(draw_device(l, &c, &i, end));
    }
    return PF_OK;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static pf_status line_track(pf_tiny_tracks *l, uint32_t device, uint32_t *track)
{
    pf_tiny_track k = {.type = PF_TRACK_GLOBAL_COUNTER,
                       .upid = PF_NONE,
                       .parent = PF_NONE,
                       .detail = {{"description", "Values that the program recorded on a line of this name."}}};
    uint64_t key = 2 * (uint64_t)device;
    *track = pf_map_get(&l->track_of, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    k.name = pf_tiny_id(l->p, pf_str_from(pf_trace_string(l->t, device), sizeof "LINE:" - 1));
    return pf_tiny_add_track(l, &k, &l->track_of, key, track);
}

pf_status pf_tiny_draw_lines(pf_tiny_tracks *l)
{
    const pf_side_table *s = l->p->table[PF_TINY_SAMPLE];
    for (uint32_t i = pf_tiny_first_of(s, SAMPLE_EVENT_ROW, l->first), track; i < s->count; i++) {
        uint32_t event = *pf_side_ref(s, SAMPLE_EVENT_ROW, i);
        int64_t v = *pf_side_number(s, SAMPLE_NUMBER, i);
        PF_TRY(line_track(l, pf_tiny_event_ref(l, EVENT_DEVICE, event), &track));
        PF_TRY(add_sample(l, pf_tiny_event_int(l, EVENT_TS, event), (double)(v < 0 ? 0 : v), track));
    }
    return PF_OK;
}

/* ---- hardware counters ------------------------------------------------------------------------------------------- */

/* The sum of a counter as a double, also where it is beyond 63 bits. */
static double sum_of(const pf_tiny_tracks *l, uint32_t row)
{
    pf_str digits = pf_trace_string(l->t, *pf_tiny_ref_at(l->p, PF_TINY_PMC, PMC_SUM_DIGITS, row));
    double value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        value = value * 10 + (digits.ptr[i] - '0');
    }
    return digits.len ? value : (double)*pf_tiny_int_at(l->p, PF_TINY_PMC, PMC_SUM, row);
}

/* The track of a counter of a device. */
static pf_status counter_track(pf_tiny_tracks *l, uint32_t device, uint32_t name, uint32_t *track)
{
    uint64_t key = (uint64_t)device << 32 | name;
    *track = pf_map_get(&l->map, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_COUNTER,
        .parent = PF_NONE,
        .name = name,
        .unit = "count",
        .detail = {{"description", "What this hardware counter counted in an execution of a kernel, from the kernel's "
                                   "start to its end: the sum of all units (table tinygrad_pmc)."}},
    };
    PF_TRY(pf_tiny_process(l, device, &k.upid));
    return pf_tiny_add_track(l, &k, &l->map, key, track);
}

pf_status pf_tiny_draw_device_counters(pf_tiny_tracks *l)
{
    const pf_side_table *s = l->p->table[PF_TINY_PMC], *records = l->p->table[PF_TINY_RECORD];
    for (uint32_t i = l->first_record, track; i < records->count; i++) {
        uint32_t event = *pf_side_ref(records, RECORD_EVENT, i), kernel = *pf_side_ref(records, RECORD_KERNEL, i);
        uint32_t device = pf_tiny_event_ref(l, EVENT_DEVICE, event), row = pf_tiny_first_of(s, PMC_EVENT, event);
        for (; row < s->count && *pf_side_ref(s, PMC_EVENT, row) == event; row++) {
            PF_TRY(counter_track(l, device, *pf_side_ref(s, PMC_NAME, row), &track));
            PF_TRY(pf_tiny_hold(l, kernel, sum_of(l, row), track));
        }
    }
    return PF_OK;
}
