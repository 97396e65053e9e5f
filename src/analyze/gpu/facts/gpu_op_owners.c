/* analyze/gpu/facts/gpu_op_owners.c - the device and the stream of each operation: what its arguments say, else what
 * its track does.
 *
 * The operations of a track mostly say the same. So what the last one of each track said is compared first; only then
 * are the lists of devices and streams asked.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/gpu/facts/gpu_owners.h"
#include "analyze/support/pass_memory.h"

/* What an operation says, and the rows that belong to it, in the order in which they were met. */
typedef struct said {
    int64_t device, stream;
    uint32_t input;
    bool known, own_device, own_stream; /* own: its arguments say it */
    uint32_t device_row, stream_row;
} said;

typedef struct owners {
    gpu_owners devices, streams; /* streams lie within rows of devices */
} owners;

static inline bool is_same(const said *a, const said *b)
{
    return a->known && a->device == b->device && a->stream == b->stream && a->input == b->input &&
           a->own_device == b->own_device && a->own_stream == b->own_stream;
}

static bool look_up(owners *o, const gpu_place *place, said *s, pf_error *err)
{
    const gpu_owner device = {.within = s->input, .number = s->device, .text = s->own_device ? 0 : place->device_text};
    s->device_row = pf_gpu_owners_row(&o->devices, &device, err);
    const gpu_owner stream = {
        .within = s->device_row, .number = s->stream, .text = s->own_stream ? 0 : place->stream_text};
    s->stream_row = s->device_row == PF_NONE ? PF_NONE : pf_gpu_owners_row(&o->streams, &stream, err);
    s->known = s->stream_row != PF_NONE;
    return s->known;
}

static pf_status find_rows(gpu_facts *g, const gpu_listed *l, const gpu_place *places, said *last, owners *o,
                           pf_error *err)
{
    const uint32_t *track = pf_trace_slices(g->trace)->track;
    const pf_arg_column *device = pf_arg_column_at(l->args, GPU_PLACE_DEVICE),
                        *stream = pf_arg_column_at(l->args, GPU_PLACE_STREAM);
    bool many = pf_trace_input_count(g->trace) > 1;
    for (uint32_t i = 0; i < g->ops.count; i++) {
        uint32_t at = track[g->ops.slice[i]], row = gpu_asked(l, i);
        const gpu_place *place = &places[at];
        said s = {.input = many ? pf_trace_event_input(g->trace, l->event[row]) : 0};
        s.own_device = !place->stage && pf_arg_has(device, row);
        s.own_stream = !place->stage && pf_arg_has(stream, row);
        s.device = s.own_device ? device->values.i[row] : place->device;
        s.stream = s.own_stream ? stream->values.i[row] : place->stream;
        if (!is_same(&last[at], &s)) {
            if (!look_up(o, place, &s, err)) {
                return err->code;
            }
            last[at] = s;
        }
        g->ops.device[i] = last[at].device_row;
        g->ops.stream[i] = last[at].stream_row;
    }
    return PF_OK;
}

static pf_status make_devices(gpu_facts *g, const gpu_owners *o, uint32_t **place, pf_error *err)
{
    gpu_owner *list;
    pf_status st = pf_gpu_owners_order(o, NULL, &g->scratch, &list, place, err);
    g->device_count = pf_gpu_owners_count(o);
    g->devices = st == PF_OK ? pf_pass_array(g->arena, g->device_count, sizeof *g->devices, err) : NULL;
    for (uint32_t i = 0; g->devices && i < g->device_count; i++) {
        g->devices[i] = (gpu_device){
            .input = list[i].within, .number = list[i].number, .name = pf_trace_string(g->trace, list[i].text)};
    }
    return g->devices ? PF_OK : err->code;
}

static pf_status make_streams(gpu_facts *g, const gpu_owners *o, const uint32_t *device_place, uint32_t **place,
                              pf_error *err)
{
    gpu_owner *list;
    pf_status st = pf_gpu_owners_order(o, device_place, &g->scratch, &list, place, err);
    g->stream_count = pf_gpu_owners_count(o);
    g->streams = st == PF_OK ? pf_pass_array(g->arena, g->stream_count, sizeof *g->streams, err) : NULL;
    for (uint32_t i = 0; g->streams && i < g->stream_count; i++) {
        gpu_device *d = &g->devices[list[i].within];
        d->first_stream = d->stream_count++ ? d->first_stream : i;
        g->streams[i] = (gpu_stream){
            .device = list[i].within, .number = list[i].number, .name = pf_trace_string(g->trace, list[i].text)};
    }
    return g->streams ? PF_OK : err->code;
}

static pf_status make_rows(gpu_facts *g, const gpu_listed *l, const gpu_place *places, owners *o, pf_error *err)
{
    uint32_t tracks = pf_trace_tracks(g->trace)->count, *device_place, *stream_place;
    said *last = pf_pass_array(&g->scratch, tracks, sizeof *last, err);
    if (!last) {
        return err->code;
    }
    memset(last, 0, tracks * sizeof *last);
    pf_status st = find_rows(g, l, places, last, o, err);
    st = st == PF_OK ? make_devices(g, &o->devices, &device_place, err) : st;
    st = st == PF_OK ? make_streams(g, &o->streams, device_place, &stream_place, err) : st;
    for (uint32_t i = 0; st == PF_OK && g->stream_count > 1 && i < g->ops.count; i++) {
        g->ops.device[i] = device_place[g->ops.device[i]];
        g->ops.stream[i] = stream_place[g->ops.stream[i]];
    }
    return st;
}

pf_status pf_gpu_make_owners(gpu_facts *g, const gpu_listed *l, const gpu_place *places, pf_error *err)
{
    owners o = {0};
    pf_status st = pf_gpu_owners_init(&o.devices, g->arena->budget, err);
    st = st == PF_OK ? pf_gpu_owners_init(&o.streams, g->arena->budget, err) : st;
    st = st == PF_OK ? make_rows(g, l, places, &o, err) : st;
    pf_gpu_owners_free(&o.streams);
    pf_gpu_owners_free(&o.devices);
    return st;
}
