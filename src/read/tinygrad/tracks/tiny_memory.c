/* read/tinygrad/tracks/tiny_memory.c - memory: what each device holds as a counter, and below it its buffers as slices
 * from allocation to release, called after their size.
 *
 * Buffers are packed into lanes: one that comes takes a lane that is free, else a new one. One that is allocated once
 * more without a release ends there; what is not released ends with the profile. */
#include <stdio.h>

#include "base/text/number.h"
#include "read/tinygrad/tracks/tiny_tracks.h"

/* A buffer of a device. */
typedef struct buffer {
    int64_t bytes;
    uint32_t row;  /* of tinygrad_memory: its allocation */
    uint32_t lane; /* PF_NONE: it is not there */
} buffer;

/* Rows of tinygrad_memory of this profile, by device, then by time. */
typedef struct changes {
    pf_tiny_tracks *l; /* its map: buffer of the device -> number in `buffers` */
    uint32_t first, count;
    uint32_t *rows;
    buffer *buffers;
    uint32_t buffer_count;
    uint32_t upid, counter;   /* of the device */
    uint32_t *lanes, *unused; /* tracks; numbers of lanes that no buffer has */
    uint32_t lane_count, unused_count;
    bool slices;
    unsigned decoder;
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

static pf_status lane_track(changes *c, uint32_t *lane)
{
    if (c->unused_count) {
        *lane = c->unused[--c->unused_count];
        return PF_OK;
    }
    const pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_EVENT,
        .upid = c->upid,
        .parent = c->counter,
        .name = pf_tiny_word(c->l->p, "buffers"),
        .description = "Buffers of this device from allocation to release, called after their size (table "
                       "tinygrad_memory). What is not released ends with the profile.",
        .packed = true,
        .first = c->lane_count ? c->lanes[0] : PF_NONE,
    };
    *lane = c->lane_count++;
    return pf_tiny_add_track(c->l, &k, NULL, 0, &c->lanes[*lane]);
}

/* "4 KiB float[1024]" */
static uint32_t name_of(const changes *c, const buffer *b)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    const pf_side_table *s = c->l->p->table[PF_TINY_MEMORY];
    pf_str dtype = pf_trace_string(c->l->t, *pf_side_ref(s, MEMORY_DTYPE, b->row));
    double size = (double)b->bytes;
    unsigned unit = 0;
    char text[PF_FIXED_MAX + 160], number[PF_FIXED_MAX];
    for (; size >= 1024 && unit < 5; unit++) {
        size /= 1024;
    }
    number[pf_format_real_fixed(size, size == (double)(int64_t)size ? 0 : 1, number)] = '\0';
    snprintf(text, sizeof text, "%s %s %.*s[%lld]", number, units[unit], (int)(dtype.len < 80 ? dtype.len : 80),
             dtype.ptr ? dtype.ptr : "", (long long)pf_tiny_items(s, b->row));
    return pf_tiny_word(c->l->p, text);
}

static pf_status end_buffer(changes *c, buffer *b, int64_t end)
{
    int64_t from = time_at(c->l, b->row);
    if (b->lane == PF_NONE) {
        return PF_OK;
    }
    const pf_event e = {
        .phase = 'X', .ts = from, .dur = pf_tiny_between(from, end), .track = c->lanes[b->lane], .name = name_of(c, b)};
    c->unused[c->unused_count++] = b->lane;
    b->lane = PF_NONE;
    PF_TRY(c->l->p->text_status);
    return pf_tiny_draw_event(c->l, &e, c->decoder, b->row);
}

static pf_status find_buffer(changes *c, int64_t id, bool added, buffer **out)
{
    uint32_t known = pf_map_get(&c->l->map, (uint64_t)id);
    if (known == PF_NONE && added) {
        known = c->buffer_count++;
        PF_TRY(pf_map_put(&c->l->map, (uint64_t)id, known, c->l->p->err));
        c->buffers[known] = (buffer){.lane = PF_NONE};
    }
    *out = known == PF_NONE ? NULL : &c->buffers[known];
    return PF_OK;
}

/* By how many bytes a row of tinygrad_memory changes what is in use. */
static pf_status change(changes *c, uint32_t row, int64_t *bytes)
{
    const pf_side_table *s = c->l->p->table[PF_TINY_MEMORY];
    int64_t id = *pf_side_number(s, MEMORY_BUFFER, row), items = *pf_side_number(s, MEMORY_ITEMS, row);
    buffer *b = NULL;
    *bytes = 0;
    PF_TRY(id == INT64_MIN ? PF_OK : find_buffer(c, id, items != INT64_MIN, &b));
    if (!b) {
        return PF_OK;
    }
    PF_TRY(end_buffer(c, b, time_at(c->l, row)));
    if (items == INT64_MIN) {
        *bytes = -b->bytes;
        b->bytes = 0;
        return PF_OK;
    }
    b->bytes = pf_tiny_items(s, row) * *pf_side_number(s, MEMORY_ITEM_BYTES, row); /* at most 10^12 times 2^20 */
    b->row = row;
    *bytes = b->bytes;
    return c->slices ? lane_track(c, &b->lane) : PF_OK;
}

static pf_status open_device(changes *c, uint32_t device)
{
    pf_tiny_tracks *l = c->l;
    char text[256];
    pf_str name = pf_trace_string(l->t, device);
    snprintf(text, sizeof text, "%.*s memory (bytes)", name.len < 200 ? (int)name.len : 200, name.ptr ? name.ptr : "");
    PF_TRY(pf_tiny_process(l, device, &c->upid));
    const pf_tiny_track k = {
        .type = PF_TRACK_PROCESS_COUNTER,
        .upid = c->upid,
        .parent = PF_NONE,
        .name = pf_tiny_word(l->p, text),
        .unit = "bytes",
        .description =
            "Bytes that the buffers of this device hold; below it the buffers. What is held when the profile "
            "ends counts as released there.",
        .scale = "tinygrad memory",
        .ranked = true,
        .rank = PF_TINY_RANK_MEMORY,
    };
    pf_map_clear(&l->map);
    c->buffer_count = c->lane_count = c->unused_count = 0;
    return pf_tiny_add_track(l, &k, NULL, 0, &c->counter);
}

static pf_status add_sample(const changes *c, int64_t ts, double value)
{
    return c->l->t->want & PF_WANT_COUNTERS ? pf_trace_add_sample(c->l->t, ts, value, c->counter, PF_NONE, c->l->p->err)
                                            : PF_OK;
}

/* The changes of one device, from rows[*at] on; *at is then where those of the next one begin. */
static pf_status draw_device(changes *c, uint32_t *at, int64_t end)
{
    uint32_t device = device_at(c->l, c->first + c->rows[*at]);
    double held = 0;
    int64_t bytes;
    PF_TRY(open_device(c, device));
    for (; *at < c->count && device_at(c->l, c->first + c->rows[*at]) == device; (*at)++) {
        uint32_t row = c->first + c->rows[*at];
        PF_TRY(change(c, row, &bytes));
        held += (double)bytes;
        PF_TRY(add_sample(c, time_at(c->l, row), held));
    }
    for (uint32_t i = 0; i < c->buffer_count; i++) {
        PF_TRY(end_buffer(c, &c->buffers[i], end));
    }
    return held != 0 ? add_sample(c, end, 0) : PF_OK;
}

/* The end of the profile, where what is left counts as released. */
static int64_t last_end(const pf_tiny_tracks *l)
{
    int64_t end = INT64_MIN;
    for (uint32_t i = l->first; i < l->first + l->count; i++) {
        int64_t at = pf_tiny_event_int(l, EVENT_END, i);
        at = at == INT64_MIN ? pf_tiny_event_int(l, EVENT_TS, i) : at; /* not ended */
        end = at > end ? at : end;
    }
    return end;
}

pf_status pf_tiny_draw_memory(pf_tiny_tracks *l)
{
    const pf_side_table *s = l->p->table[PF_TINY_MEMORY];
    changes c = {.l = l, .first = pf_tiny_first_of(s, MEMORY_EVENT, l->first)};
    int64_t end = last_end(l);
    c.slices = l->t->want & (PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_ARGS);
    c.count = s->count - c.first;
    c.decoder = pf_trace_add_decoder(l->t, pf_tiny_decode_buffer, NULL);
    PF_TRY(c.decoder == PF_NONE ? pf_trace_no_decoder(l->p->err) : PF_OK);
    PF_TRY(PF_ARENA_NEW(&l->arena, c.buffers, c.count, l->p->err));
    PF_TRY(PF_ARENA_NEW(&l->arena, c.lanes, c.count, l->p->err));
    PF_TRY(PF_ARENA_NEW(&l->arena, c.unused, c.count, l->p->err));
    PF_TRY(PF_ARENA_NEW(&l->arena, c.rows, 2 * (size_t)c.count, l->p->err));
    pf_order_rows(c.rows, c.rows + c.count, c.count, is_after, &c);
    for (uint32_t i = 0; i < c.count;) {
        PF_TRY(draw_device(&c, &i, end));
    }
    return PF_OK;
}
