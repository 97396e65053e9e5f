/* analyze/gpu/facts/gpu_ops.c - from slices to operations.
 *
 * Slices are ordered by time. So two stable counting sorts, by device and by stream, leave each device's and each
 * stream's operations in order of their starts.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

static const pf_arg_key place_keys[GPU_PLACE_KEYS] = {
    [GPU_PLACE_DEVICE] = {.key = "device", .type = PF_ARG_INT},
    [GPU_PLACE_STREAM] = {.key = "stream", .type = PF_ARG_INT},
    [GPU_PLACE_CORRELATION] = {.key = "correlation", .type = PF_ARG_INT, .from_text = true},
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

static bool make_lists(gpu_facts *g, gpu_listed *l, uint32_t ops, uint32_t calls, pf_error *err)
{
    const struct {
        uint32_t **list, room;
        pf_arena *arena;
    } all[] = {{&l->slice, ops, g->arena},           {&l->device, ops, g->arena},
               {&l->stream, ops, g->arena},          {&l->asked, ops, &g->scratch},
               {&l->call_slice, calls, &g->scratch}, {&l->call_asked, calls, &g->scratch}};
    bool ok = true;
    for (size_t i = 0; i < sizeof all / sizeof *all && ok; i++) {
        *all[i].list = pf_pass_array(all[i].arena, all[i].room, sizeof **all[i].list, err);
        ok = *all[i].list != NULL;
    }
    l->event = ok ? pf_pass_array(&g->scratch, (size_t)ops + calls, sizeof *l->event, err) : NULL;
    return l->event != NULL;
}

static pf_status list_slices(gpu_facts *g, gpu_listed *l, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    uint32_t most = g->of_kind[GPU_SLICE_KERNEL] + g->of_kind[GPU_SLICE_COPY] + g->of_kind[GPU_SLICE_FILL];
    if (!make_lists(g, l, most, g->of_kind[GPU_SLICE_CALL], err)) {
        return err->code;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t end;
        bool is_op = gpu_is_device_kind(g->kind[i]);
        if (!is_op && g->kind[i] != GPU_SLICE_CALL) {
            continue;
        }
        if (s->dur[i] < 0 || __builtin_add_overflow(pf_slice_ts(s, i), s->dur[i], &end)) {
            g->unusable += is_op;
            continue;
        }
        uint32_t asked = l->count + l->calls;
        l->event[asked] = s->event[i];
        *(is_op ? &l->slice[l->count] : &l->call_slice[l->calls]) = i;
        *(is_op ? &l->asked[l->count++] : &l->call_asked[l->calls++]) = asked;
    }
    return PF_OK;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The next array of n cells. NULL also where an earlier one was refused: `ok` says so. */
static void *column(gpu_facts *g, size_t size, uint32_t n, bool *ok, pf_error *err)
{
    void *p = *ok ? pf_pass_array(g->arena, n, size, err) : NULL;
    *ok = p != NULL;
    return p;
}

static bool make_columns(gpu_facts *g, const gpu_listed *l, pf_error *err)
{
    bool ok = true;
    uint32_t n = l->count;
    g->ops = (gpu_ops){
        .count = n,
        .slice = l->slice,
        .device = l->device,
        .stream = l->stream,
        .name = column(g, 4, n, &ok, err),
        .arg = column(g, 4, n, &ok, err),
        .call = column(g, 4, n, &ok, err),
        .class = column(g, 1, n, &ok, err),
        .kind = column(g, 1, n, &ok, err),
        .start = column(g, 8, n, &ok, err),
        .end = column(g, 8, n, &ok, err),
    };
    g->by_stream = column(g, 4, n, &ok, err);
    return ok;
}

static void permute(uint32_t *a, const uint32_t *order, uint32_t n, uint32_t *spare)
{
    memcpy(spare, a, n * sizeof *a);
    for (uint32_t i = 0; i < n; i++) {
        a[i] = spare[order[i]];
    }
}

static bool ascends(const uint32_t *a, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && a[i - 1] <= a[i]) {
        i++;
    }
    return i >= n;
}

/* Puts the listed operations into the order of their devices. */
static pf_status order_by_device(gpu_facts *g, gpu_listed *l, uint32_t *first, pf_error *err)
{
    uint32_t *order = pf_pass_array(&g->scratch, l->count, sizeof *order, err);
    uint32_t *spare = order ? pf_pass_array(&g->scratch, l->count, sizeof *spare, err) : NULL;
    if (!spare) {
        return err->code;
    }
    pf_gpu_sort_by_key(l->device, l->count, g->device_count, first, order);
    if (!ascends(l->device, l->count)) {
        permute(l->slice, order, l->count, spare);
        permute(l->device, order, l->count, spare);
        permute(l->stream, order, l->count, spare);
        permute(l->asked, order, l->count, spare);
    }
    return PF_OK;
}

static void fill_columns(gpu_facts *g)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    gpu_ops *o = &g->ops;
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t slice = o->slice[i];
        o->name[i] = pf_slice_name(s, slice);
        o->kind[i] = g->kind[slice];
        o->start[i] = pf_slice_ts(s, slice);
        o->end[i] = o->start[i] + s->dur[slice];
    }
    memset(o->arg, 0xff, o->count * sizeof *o->arg); /* PF_NONE */
    memset(o->call, 0xff, o->count * sizeof *o->call);
}

static pf_status fill(gpu_facts *g, gpu_listed *l, pf_error *err)
{
    uint32_t most = g->device_count > g->stream_count ? g->device_count : g->stream_count;
    uint32_t *first = pf_pass_array(&g->scratch, (size_t)most + 1, sizeof *first, err);
    pf_status st = first ? order_by_device(g, l, first, err) : err->code;
    if (st != PF_OK || !make_columns(g, l, err)) {
        return err->code;
    }
    for (uint32_t d = 0; d < g->device_count; d++) {
        g->devices[d].first_op = first[d];
        g->devices[d].op_count = first[d + 1] - first[d];
    }
    fill_columns(g);
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

/* Names are judged once each: their verdicts are kept by string id. *others: how many operations do not compute. */
static pf_status classify_ops(gpu_facts *g, uint32_t *others, pf_error *err)
{
    const gpu_ops *o = &g->ops;
    uint32_t strings = g->trace->strings.count, n = 0;
    uint8_t *verdict = pf_pass_array(&g->scratch, strings, 1, err); /* gpu_class + 1; 0: not judged yet */
    if (!verdict) {
        return err->code;
    }
    memset(verdict, 0, strings);
    for (uint32_t i = 0; i < o->count; i++) {
        uint8_t *v = &verdict[o->name[i]];
        if (!*v) {
            *v = 1 + (is_communication(pf_trace_string(g->trace, o->name[i])) ? GPU_COMMUNICATION : GPU_COMPUTE);
        }
        o->class[i] = o->kind[i] == GPU_SLICE_KERNEL ? *v - 1 : GPU_MEMORY;
        n += o->class[i] != GPU_COMPUTE;
    }
    *others = n;
    return PF_OK;
}

/* The arguments of everything but compute kernels, of which there are many and little is asked. */
static pf_status read_args(gpu_facts *g, uint32_t others, const pf_arg_options *options, pf_error *err)
{
    const uint32_t *event = pf_trace_slices(g->trace)->event;
    gpu_ops *o = &g->ops;
    uint32_t *events = pf_pass_array(&g->scratch, others, sizeof *events, err);
    if (!events) {
        return err->code;
    }
    for (uint32_t i = 0, n = 0; i < o->count && n < others; i++) {
        if (o->class[i] != GPU_COMPUTE) {
            o->arg[i] = n;
            events[n++] = event[o->slice[i]];
        }
    }
    return pf_arg_columns_read(g->trace, events, others, keys, GPU_ARGS, options, &g->args, err);
}

/* Device and stream of the listed operations, and the numbers of these and of the calls. */
static pf_status read_places(gpu_facts *g, gpu_listed *l, const gpu_place *places, const pf_arg_options *options,
                             pf_error *err)
{
    const size_t asked = l->calls ? GPU_PLACE_KEYS : GPU_PLACE_CORRELATION, n = (size_t)l->count + l->calls;
    pf_status st =
        pf_arg_columns_read(g->trace, l->event, l->count + l->calls, place_keys, asked, options, &l->args, err);
    st = st == PF_OK ? pf_gpu_make_owners(g, l, places, err) : st;
    if (st == PF_OK && l->calls) {
        l->number = pf_pass_array(&g->scratch, n, sizeof *l->number, err);
        st = l->number ? PF_OK : err->code;
    }
    if (l->number) {
        memcpy(l->number, pf_arg_column_at(l->args, GPU_PLACE_CORRELATION)->values.i, n * sizeof *l->number);
    }
    pf_arg_columns_free(l->args);
    l->args = NULL;
    return st;
}

pf_status pf_gpu_read_ops(gpu_facts *g, gpu_listed *l, pf_error *err)
{
    gpu_place *places = NULL;
    uint32_t others = 0;
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel, .first_values = true};
    pf_status st = list_slices(g, l, err);
    st = st == PF_OK ? pf_gpu_places(g, &places, err) : st;
    st = st == PF_OK ? read_places(g, l, places, &options, err) : st;
    st = st == PF_OK ? fill(g, l, err) : st;
    st = st == PF_OK ? classify_ops(g, &others, err) : st;
    return st == PF_OK ? read_args(g, others, &options, err) : st;
}
