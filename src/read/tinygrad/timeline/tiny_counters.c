/* read/tinygrad/timeline/tiny_counters.c - counters: what each device holds in memory, and devices called LINE:...
 * whose points are samples. */
#include <stdio.h>

#include "read/tinygrad/timeline/tiny_timeline.h"

#define MOST_ITEMS INT64_C(1000000000000) /* that an allocation counts for */

/* Rows of tinygrad_memory of this profile, by device, then by time. */
typedef struct changes {
    const pf_tiny_timeline *l;
    uint32_t first, count;
    uint32_t *rows;
    pf_map bytes_of; /* buffer of the device -> number in `bytes` */
    int64_t *bytes;
    uint32_t buffers;
} changes;

static uint32_t event_at(const pf_tiny_timeline *l, uint32_t row)
{
    return *pf_side_ref(l->p->table[PF_TINY_MEMORY], MEMORY_EVENT, row);
}

static uint32_t device_at(const pf_tiny_timeline *l, uint32_t row)
{
    return *pf_side_ref(l->p->table[PF_TINY_EVENT], EVENT_DEVICE, event_at(l, row));
}

static int64_t time_at(const pf_tiny_timeline *l, uint32_t row)
{
    return *pf_side_number(l->p->table[PF_TINY_EVENT], EVENT_TS, event_at(l, row));
}

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    const changes *c = ctx;
    uint32_t one = device_at(c->l, c->first + a), other = device_at(c->l, c->first + b);
    return one != other ? one > other : time_at(c->l, c->first + a) > time_at(c->l, c->first + b);
}

/* How the bytes in use change; *st says whether memory was refused. */
static int64_t difference(changes *c, uint32_t row, pf_status *st, pf_error *err)
{
    const pf_side_table *s = c->l->p->table[PF_TINY_MEMORY];
    int64_t buffer = *pf_side_number(s, MEMORY_BUFFER, row), items = *pf_side_number(s, MEMORY_ITEMS, row),
            size = *pf_side_number(s, MEMORY_ITEM_BYTES, row);
    uint32_t known = pf_map_get(&c->bytes_of, (uint64_t)buffer);
    if (buffer == INT64_MIN || (items == INT64_MIN && known == PF_NONE)) {
        return 0;
    }
    if (items == INT64_MIN) {
        int64_t held = c->bytes[known];
        c->bytes[known] = 0;
        return -held;
    }
    items = items < 0 ? 0 : items > MOST_ITEMS ? MOST_ITEMS : items;
    if (known == PF_NONE) {
        known = c->buffers++;
        *st = pf_map_set(&c->bytes_of, (uint64_t)buffer, known) ? PF_OK : pf_budget_refused(&c->l->t->budget, 0, err);
    }
    c->bytes[known] = items * size; /* at most 10^12 times 2^20 */
    return c->bytes[known];
}

static uint32_t add_track(pf_tiny_timeline *l, uint32_t device, pf_error *err)
{
    char text[256];
    pf_str name = pf_trace_string(l->t, device);
    int len = snprintf(text, sizeof text, "%.*s memory (bytes)", name.len < 200 ? (int)name.len : 200,
                       name.ptr ? name.ptr : "");
    pf_track_row row = {.type = PF_TRACK_PROCESS_COUNTER, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    row.upid = pf_tiny_process(l, device, err);
    pf_status st =
        row.upid == PF_NONE ? err->code : pf_trace_add_string(l->t, (pf_str){text, (size_t)len}, &row.name, err);
    st = st == PF_OK ? pf_trace_add_string(l->t, PF_STR("bytes"), &row.unit, err) : st;
    uint32_t track = st == PF_OK ? pf_trace_add_track(l->t, &row, err) : PF_NONE;
    st = track == PF_NONE
             ? err->code
             : pf_tiny_describe(l, track, "description",
                                "Bytes that the buffers of this device hold. What is held when the profile "
                                "ends counts as released there.",
                                err);
    st = st == PF_OK ? pf_tiny_describe(l, track, "y_axis_share_key", "tinygrad memory", err) : st;
    return st == PF_OK ? track : PF_NONE;
}

/* The last time of the profile, where what is left counts as released. */
static int64_t end_of(const pf_tiny_timeline *l)
{
    int64_t end = INT64_MIN;
    for (uint32_t i = l->first; i < l->first + l->count; i++) {
        int64_t at = *pf_side_number(l->p->table[PF_TINY_EVENT], EVENT_END, i);
        at = at == INT64_MIN ? *pf_side_number(l->p->table[PF_TINY_EVENT], EVENT_TS, i) : at; /* not ended */
        end = at > end ? at : end;
    }
    return end;
}

/* The changes of one device, from rows[from] on; returns where those of the next one begin. */
static uint32_t draw_device(pf_tiny_timeline *l, changes *c, uint32_t from, int64_t end, pf_status *st, pf_error *err)
{
    uint32_t device = device_at(l, c->first + c->rows[from]), track = add_track(l, device, err), i = from;
    double held = 0;
    *st = track == PF_NONE ? err->code : PF_OK;
    pf_map_clear(&c->bytes_of);
    for (; *st == PF_OK && i < c->count && device_at(l, c->first + c->rows[i]) == device; i++) {
        uint32_t row = c->first + c->rows[i];
        held += (double)difference(c, row, st, err);
        *st = *st == PF_OK ? pf_trace_add_sample(l->t, time_at(l, row), held, track, PF_NONE, err) : *st;
    }
    if (*st == PF_OK && held != 0) {
        *st = pf_trace_add_sample(l->t, end, 0, track, PF_NONE, err);
    }
    return i;
}

static pf_status draw_all(pf_tiny_timeline *l, changes *c, pf_error *err)
{
    int64_t end = end_of(l);
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < c->count; i++) {
        c->rows[i] = i;
    }
    pf_sort_rows(c->rows, c->rows + c->count, c->count, is_after, c);
    for (uint32_t i = 0; st == PF_OK && i < c->count;) {
        i = draw_device(l, c, i, end, &st, err);
    }
    return st;
}

pf_status pf_tiny_draw_memory(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *s = l->p->table[PF_TINY_MEMORY];
    changes c = {.l = l, .first = s->count};
    while (c.first > 0 && event_at(l, c.first - 1) >= l->first) {
        c.first--;
    }
    c.count = s->count - c.first;
    size_t room = c.count, bytes = room * (sizeof *c.bytes + 2 * sizeof *c.rows);
    c.bytes = pf_alloc(&l->t->budget, bytes);
    if (!c.bytes) {
        return pf_budget_refused(&l->t->budget, bytes, err);
    }
    c.rows = (uint32_t *)(c.bytes + room);
    pf_map_init(&c.bytes_of, &l->t->budget);
    pf_status st = draw_all(l, &c, err);
    pf_map_free(&c.bytes_of);
    pf_release(&l->t->budget, c.bytes, bytes);
    return st;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

enum { PREFIX = sizeof "LINE:" - 1 };

static uint32_t line_track(pf_tiny_timeline *l, uint32_t device, pf_error *err)
{
    pf_str name = pf_trace_string(l->t, device);
    pf_track_row row = {
        .type = PF_TRACK_GLOBAL_COUNTER, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    uint64_t key = 2 * (uint64_t)device;
    uint32_t track = pf_map_get(&l->track_of, key);
    if (track != PF_NONE) {
        return track;
    }
    pf_status st = pf_trace_add_string(l->t, (pf_str){name.ptr + PREFIX, name.len - PREFIX}, &row.name, err);
    track = st == PF_OK ? pf_trace_add_track(l->t, &row, err) : PF_NONE;
    st = track == PF_NONE ? err->code
                          : pf_tiny_describe(l, track, "description",
                                             "Values that the program recorded on a line of this name.", err);
    if (st == PF_OK && !pf_map_set(&l->track_of, key, track)) {
        st = pf_budget_refused(&l->t->budget, 0, err);
    }
    return st == PF_OK ? track : PF_NONE;
}

pf_status pf_tiny_draw_lines(pf_tiny_timeline *l, pf_error *err)
{
    const pf_side_table *s = l->p->table[PF_TINY_SAMPLE], *events = l->p->table[PF_TINY_EVENT];
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < s->count; i++) {
        uint32_t event = *pf_side_ref(s, SAMPLE_EVENT_ROW, i);
        if (event >= l->first) {
            int64_t v = *pf_side_number(s, SAMPLE_NUMBER, i), ts = *pf_side_number(events, EVENT_TS, event);
            uint32_t track = line_track(l, *pf_side_ref(events, EVENT_DEVICE, event), err);
            st = track == PF_NONE ? err->code
                                  : pf_trace_add_sample(l->t, ts, (double)(v < 0 ? 0 : v), track, PF_NONE, err);
        }
    }
    return st;
}
