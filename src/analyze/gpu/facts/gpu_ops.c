/* analyze/gpu/facts/gpu_ops.c - from slices to operations, devices and streams.
 *
 * Slices are ordered by time. So two stable counting sorts, by device and by stream, leave each device's and each
 * stream's operations in order of their starts.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/gpu/facts/gpu_owners.h"
#include "analyze/support/pass_memory.h"

/* What every operation is asked for, before anything is known about it. */
enum { KEY_DEVICE, KEY_STREAM, KEY_CORRELATION, KEYS };
static const pf_arg_key place_keys[KEYS] = {
    [KEY_DEVICE] = {.key = "device", .type = PF_ARG_INT},
    [KEY_STREAM] = {.key = "stream", .type = PF_ARG_INT},
    [KEY_CORRELATION] = {.key = "correlation", .type = PF_ARG_INT, .from_text = true},
};

/* The names are those of the torch profiler, in whose native traces numbers are texts. */
static const pf_arg_key keys[GPU_ARGS] = {
    [GPU_ARG_BYTES] = {.key = "bytes", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_COLLECTIVE] = {.key = "Collective name", .type = PF_ARG_TEXT},
    [GPU_ARG_IN_ELEMENTS] = {.key = "In msg nelems", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_OUT_ELEMENTS] = {.key = "Out msg nelems", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_GROUP_SIZE] = {.key = "Group size", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_GROUP] = {.key = "Process Group Name", .type = PF_ARG_TEXT},
    [GPU_ARG_MEMBERS] = {.key = "Process Group Ranks", .type = PF_ARG_TEXT},
    [GPU_ARG_TYPE] = {.key = "dtype", .type = PF_ARG_TEXT},
};

void pf_gpu_sort_by_key(const uint32_t *key, uint32_t n, uint32_t keys_count, uint32_t *first, uint32_t *order)
{
    memset(first, 0, ((size_t)keys_count + 1) * sizeof *first);
    for (uint32_t i = 0; i < n; i++) {
        first[key[i] + 1]++;
    }
    for (uint32_t k = 0; k < keys_count; k++) {
        first[k + 1] += first[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        order[first[key[i]]++] = i;
    }
    memmove(first + 1, first, keys_count * sizeof *first);
    first[0] = 0;
}

/* ---- which slices ------------------------------------------------------------------------------------------------ */

typedef struct listed {
    uint32_t *slice, *event, *device, *stream;
    uint32_t count;
    pf_arg_columns *args; /* place_keys */
} listed;

static pf_status list_slices(gpu_facts *g, listed *l, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        n += gpu_is_device_kind(g->kind[i]);
    }
    l->slice = pf_pass_array(g->arena, n, sizeof *l->slice, err);
    l->event = l->slice ? pf_pass_array(g->arena, n, sizeof *l->event, err) : NULL;
    l->device = l->event ? pf_pass_array(g->arena, n, sizeof *l->device, err) : NULL;
    l->stream = l->device ? pf_pass_array(g->arena, n, sizeof *l->stream, err) : NULL;
    if (!l->stream) {
        return err->code;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t end;
        if (!gpu_is_device_kind(g->kind[i])) {
            continue;
        }
        if (s->dur[i] < 0 || __builtin_add_overflow(pf_slice_ts(s, i), s->dur[i], &end)) {
            g->unusable++;
            continue;
        }
        l->slice[l->count] = i;
        l->event[l->count++] = s->event[i];
    }
    return PF_OK;
}

/* ---- devices and streams ----------------------------------------------------------------------------------------- */

static gpu_owner device_of(const listed *l, const gpu_place *place, uint32_t input, uint32_t row)
{
    const pf_arg_column *c = pf_arg_column_at(l->args, KEY_DEVICE);
    bool said = !place->stage && pf_arg_has(c, row);
    return (gpu_owner){
        .within = input, .number = said ? c->values.i[row] : place->device, .text = said ? 0 : place->device_text};
}

static gpu_owner stream_of(const listed *l, const gpu_place *place, uint32_t device, uint32_t row)
{
    const pf_arg_column *c = pf_arg_column_at(l->args, KEY_STREAM);
    bool said = !place->stage && pf_arg_has(c, row);
    return (gpu_owner){
        .within = device, .number = said ? c->values.i[row] : place->stream, .text = said ? 0 : place->stream_text};
}

/* Gives each listed slice its device, or, with `streams`, its stream: rows in the order of their numbers. */
static pf_status find_owners(gpu_facts *g, listed *l, const gpu_place *places, bool streams, gpu_owner **list,
                             uint32_t *count, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    bool many = pf_trace_input_count(g->trace) > 1;
    uint32_t *found = streams ? l->stream : l->device, *place;
    gpu_owners owners;
    pf_status st = pf_gpu_owners_init(&owners, g->arena->budget, err);
    for (uint32_t i = 0; i < l->count && st == PF_OK; i++) {
        const gpu_place *at = &places[s->track[l->slice[i]]];
        uint32_t input = many ? pf_trace_event_input(g->trace, l->event[i]) : 0;
        gpu_owner o = streams ? stream_of(l, at, l->device[i], i) : device_of(l, at, input, i);
        found[i] = pf_gpu_owners_row(&owners, &o, err);
        st = found[i] == PF_NONE ? err->code : PF_OK;
    }
    st = st == PF_OK ? pf_gpu_owners_order(&owners, g->arena, list, &place, err) : st;
    *count = pf_gpu_owners_count(&owners);
    for (uint32_t i = 0; i < l->count && st == PF_OK; i++) {
        found[i] = place[found[i]];
    }
    pf_gpu_owners_free(&owners);
    return st;
}

static pf_status make_devices(gpu_facts *g, listed *l, const gpu_place *places, pf_error *err)
{
    gpu_owner *list;
    pf_status st = find_owners(g, l, places, false, &list, &g->device_count, err);
    g->devices = st == PF_OK ? pf_pass_array(g->arena, g->device_count, sizeof *g->devices, err) : NULL;
    for (uint32_t i = 0; g->devices && i < g->device_count; i++) {
        g->devices[i] = (gpu_device){
            .input = list[i].within, .number = list[i].number, .name = pf_trace_string(g->trace, list[i].text)};
    }
    return g->devices ? PF_OK : err->code;
}

static pf_status make_streams(gpu_facts *g, listed *l, const gpu_place *places, pf_error *err)
{
    gpu_owner *list;
    pf_status st = find_owners(g, l, places, true, &list, &g->stream_count, err);
    g->streams = st == PF_OK ? pf_pass_array(g->arena, g->stream_count, sizeof *g->streams, err) : NULL;
    for (uint32_t i = 0; g->streams && i < g->stream_count; i++) {
        gpu_device *d = &g->devices[list[i].within];
        d->first_stream = d->stream_count++ ? d->first_stream : i;
        g->streams[i] = (gpu_stream){
            .device = list[i].within, .number = list[i].number, .name = pf_trace_string(g->trace, list[i].text)};
    }
    return g->streams ? PF_OK : err->code;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The next array of n cells. NULL also where an earlier one was refused: `ok` says so. */
static void *column(gpu_facts *g, size_t size, uint32_t n, bool *ok, pf_error *err)
{
    void *p = *ok ? pf_pass_array(g->arena, n, size, err) : NULL;
    *ok = p != NULL;
    return p;
}

static bool make_columns(gpu_facts *g, uint32_t n, pf_error *err)
{
    bool ok = true;
    g->ops = (gpu_ops){
        .count = n,
        .slice = column(g, 4, n, &ok, err),
        .device = column(g, 4, n, &ok, err),
        .stream = column(g, 4, n, &ok, err),
        .name = column(g, 4, n, &ok, err),
        .arg = column(g, 4, n, &ok, err),
        .correlation = column(g, 8, n, &ok, err),
        .call = column(g, 4, n, &ok, err),
        .class = column(g, 1, n, &ok, err),
        .kind = column(g, 1, n, &ok, err),
        .start = column(g, 8, n, &ok, err),
        .end = column(g, 8, n, &ok, err),
    };
    g->by_stream = column(g, 4, n, &ok, err);
    return ok;
}

static void fill_row(gpu_facts *g, const listed *l, uint32_t row, uint32_t from)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    gpu_ops *o = &g->ops;
    uint32_t slice = l->slice[from];
    o->slice[row] = slice;
    o->device[row] = l->device[from];
    o->stream[row] = l->stream[from];
    o->name[row] = pf_slice_name(s, slice);
    o->arg[row] = PF_NONE;
    o->correlation[row] = pf_arg_column_at(l->args, KEY_CORRELATION)->values.i[from]; /* 0 without one */
    o->call[row] = PF_NONE;
    o->kind[row] = g->kind[slice];
    o->start[row] = pf_slice_ts(s, slice);
    o->end[row] = o->start[row] + s->dur[slice];
}

static pf_status fill(gpu_facts *g, const listed *l, pf_error *err)
{
    uint32_t most = g->device_count > g->stream_count ? g->device_count : g->stream_count;
    uint32_t *first = pf_pass_array(g->arena, (size_t)most + 1, sizeof *first, err);
    uint32_t *order = first ? pf_pass_array(g->arena, l->count, sizeof *order, err) : NULL;
    if (!order || !make_columns(g, l->count, err)) {
        return err->code;
    }
    pf_gpu_sort_by_key(l->device, l->count, g->device_count, first, order);
    for (uint32_t i = 0; i < l->count; i++) {
        fill_row(g, l, i, order[i]);
    }
    for (uint32_t d = 0; d < g->device_count; d++) {
        g->devices[d].first_op = first[d];
        g->devices[d].op_count = first[d + 1] - first[d];
    }
    pf_gpu_sort_by_key(g->ops.stream, l->count, g->stream_count, first, g->by_stream);
    for (uint32_t i = 0; i < g->stream_count; i++) {
        g->streams[i].first = first[i];
        g->streams[i].count = first[i + 1] - first[i];
    }
    return PF_OK;
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_communication(pf_str name)
{
    for (size_t i = 0; i + 4 <= name.len; i++) {
        char c = lower(name.ptr[i]);
        if ((c == 'n' || c == 'r' || c == 'h') && lower(name.ptr[i + 1]) == 'c' && lower(name.ptr[i + 2]) == 'c' &&
            lower(name.ptr[i + 3]) == 'l') {
            return true;
        }
    }
    return false;
}

/* Names are judged once each: their verdicts are kept by string id. */
static pf_status classify_ops(gpu_facts *g, pf_error *err)
{
    const gpu_ops *o = &g->ops;
    uint32_t most = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        most = o->name[i] > most ? o->name[i] : most;
    }
    uint8_t *verdict = pf_pass_array(g->arena, (size_t)most + 1, 1, err); /* gpu_class + 1; 0: not judged yet */
    if (!verdict) {
        return err->code;
    }
    memset(verdict, 0, (size_t)most + 1);
    for (uint32_t i = 0; i < o->count; i++) {
        uint8_t *v = &verdict[o->name[i]];
        if (!*v) {
            *v = 1 + (is_communication(pf_trace_string(g->trace, o->name[i])) ? GPU_COMMUNICATION : GPU_COMPUTE);
        }
        o->class[i] = o->kind[i] == GPU_SLICE_KERNEL ? *v - 1 : GPU_MEMORY;
    }
    return PF_OK;
}

/* The arguments of everything but compute kernels, of which there are many and little is asked. */
static pf_status read_args(gpu_facts *g, const pf_arg_options *options, pf_error *err)
{
    const uint32_t *event = pf_trace_slices(g->trace)->event;
    gpu_ops *o = &g->ops;
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        n += o->class[i] != GPU_COMPUTE;
    }
    uint32_t *events = pf_pass_array(g->arena, n, sizeof *events, err);
    if (!events) {
        return err->code;
    }
    n = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        if (o->class[i] != GPU_COMPUTE) {
            o->arg[i] = n;
            events[n++] = event[o->slice[i]];
        }
    }
    return pf_arg_columns_read(g->trace, events, n, keys, GPU_ARGS, options, &g->args, err);
}

pf_status pf_gpu_read_ops(gpu_facts *g, pf_error *err)
{
    listed l = {0};
    gpu_place *places;
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel, .first_values = true};
    pf_status st = list_slices(g, &l, err);
    st = st == PF_OK ? pf_gpu_places(g, &places, err) : st;
    st = st == PF_OK ? pf_arg_columns_read(g->trace, l.event, l.count, place_keys, KEYS, &options, &l.args, err) : st;
    st = st == PF_OK ? make_devices(g, &l, places, err) : st;
    st = st == PF_OK ? make_streams(g, &l, places, err) : st;
    st = st == PF_OK ? fill(g, &l, err) : st;
    st = st == PF_OK ? classify_ops(g, err) : st;
    pf_arg_columns_free(l.args);
    return st == PF_OK ? read_args(g, &options, err) : st;
}
