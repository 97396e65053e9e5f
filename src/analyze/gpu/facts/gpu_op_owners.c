/* analyze/gpu/facts/gpu_op_owners.c - the device and the stream of each operation: what its arguments say, else what
 * its track does; and the correlations of operations and calls.
 *
 * The arguments of both are read in one walk over the input, in pieces: what is learned takes less memory than the
 * arguments. The operations of a track mostly say the same. So what the last one of each track said is compared first;
 * only then are the lists of devices and streams asked.
 *
 * Each thread walks over a part of the input and has lists of its own, which are put into one in the order of the
 * parts: that in which devices and streams were met.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/strings.h"
#include "base/threads/threads.h"
#include "model/args/early_args.h"
#include "model/trace/trace.h"

/* A device is a number or a text within an input, a stream a number or a text within a device. Each gets a row when it
 * is first met; order_owners puts the rows into the order of their numbers. */
typedef struct owner {
    uint32_t within; /* the input of a device, the device of a stream */
    uint32_t text;   /* string id of the trace, where the number only stands for a text; else 0 */
    int64_t number;
} owner;

/* The row of an owner, made if new; PF_NONE and err filled if refused. keys: the bytes of owners; id - 1 is the row. */
static uint32_t row_of(pf_strings *keys, const owner *o, pf_error *err)
{
    uint32_t id = pf_strings_add(keys, (const char *)o, sizeof *o, err);
    return id == PF_NONE ? PF_NONE : id - 1;
}

typedef struct placed {
    owner owner;
    uint32_t row;
} placed;

PF_ORDER(compare, placed, PF_UP(owner.within), PF_UP(owner.number), PF_UP(row));

/* The owners in order of `within` and number; place[row] says where a row went. With `within` (may be NULL) what they
 * lie within is another row: within[row]. */
static pf_status order_owners(const pf_strings *keys, const uint32_t *within, pf_arena *arena, placed **list,
                              uint32_t **place, pf_error *err)
{
    uint32_t n = keys->count - 1;
    PF_TRY(PF_PASS_ARRAY(arena, n, *list, err));
    PF_TRY(PF_PASS_ARRAY(arena, n, *place, err));
    for (uint32_t i = 0; i < n; i++) {
        placed *p = &(*list)[i];
        memcpy(&p->owner, pf_strings_get(keys, i + 1).ptr, sizeof p->owner);
        p->owner.within = within ? within[p->owner.within] : p->owner.within;
        p->row = i;
    }
    qsort(*list, n, sizeof **list, compare);
    for (uint32_t i = 0; i < n; i++) {
        (*place)[(*list)[i].row] = i;
    }
    return PF_OK;
}

/* What an operation says, and the rows that belong to it, in the order in which they were met. */
typedef struct said {
    int64_t device, stream;
    uint32_t input;
    uint32_t own; /* KNOWN, and what of it the arguments say; 0: nothing is known */
    uint32_t device_row, stream_row;
} said;

enum { OWN_DEVICE = 1, OWN_STREAM = 2, KNOWN = 4 };

static const pf_arg_key keys[GPU_PLACE_KEYS] = {
    [GPU_PLACE_DEVICE] = {.key = "device", .type = PF_ARG_INT},
    [GPU_PLACE_STREAM] = {.key = "stream", .type = PF_ARG_INT},
    [GPU_PLACE_CORRELATION] = {.key = "correlation", .type = PF_ARG_INT, .from_text = true},
};
const pf_early_args pf_gpu_early_args = {.keys = keys,
                                         .count = GPU_PLACE_KEYS,
                                         .of_category = pf_gpu_is_placed,
                                         .next = &pf_gpu_early_details,
                                         .first_count = GPU_PLACE_CORRELATION,
                                         .of_more = pf_gpu_is_call};

/* Nothing more is asked of runtime calls, how it was launched of the longest kernel of each name, and perhaps anything
 * of others. */
static pf_args_kept args_kept(pf_str category)
{
    gpu_slice_kind kind = pf_gpu_kind_of(category);
    return kind == GPU_SLICE_CALL ? PF_ARGS_LEFT_OUT : kind == GPU_SLICE_KERNEL ? PF_ARGS_OF_LONGEST : PF_ARGS_KEPT;
}

static const pf_early_keeper keeper = {args_kept};
const pf_early_args pf_gpu_early_partial = {.next = &pf_gpu_early_args, .keeper = &keeper};

/* Events whose arguments are read at once: they stay in the cache until they are taken. */
enum { PIECE = 1 << 14, PARTS_MAX = 16 };

enum { ONE = 2 }; /* pf_strings.count with one owner */

/* The walk over the operations and calls of a part, both in order of their slices. The streams of its operations are
 * not written before there is a second one. */
typedef struct asking {
    gpu_facts *g;
    gpu_listed *l;
    const gpu_place *places;
    said *last;                  /* by track */
    pf_strings devices, streams; /* their owners; streams lie within rows of devices */
    uint32_t op, call;           /* the next ones */
    uint32_t end_op, end_call;
    uint32_t *event, *what; /* of the piece; what: an operation, or a call after all operations */
    uint32_t count;
    uint32_t first_op;
    uint32_t *stream_row; /* what a stream of this part is in the list of all */
} asking;

static bool look_up(asking *a, const gpu_place *place, said *s, pf_error *err)
{
    const owner device = {s->input, s->own & OWN_DEVICE ? 0 : place->device_text, s->device};
    s->device_row = row_of(&a->devices, &device, err);
    const owner stream = {s->device_row, s->own & OWN_STREAM ? 0 : place->stream_text, s->stream};
    s->stream_row = s->device_row == PF_NONE ? PF_NONE : row_of(&a->streams, &stream, err);
    return s->stream_row != PF_NONE;
}

/* The events of the next piece. */
static void list_piece(asking *a)
{
    const gpu_ops *o = &a->g->ops;
    const gpu_calls *c = &a->g->calls;
    const uint32_t *event = pf_trace_slices(a->g->trace)->event;
    a->count = 0;
    while (a->count < PIECE && (a->op < a->end_op || a->call < a->end_call)) {
        bool is_op = a->call == a->end_call || (a->op < a->end_op && gpu_slice(o, a->op) < c->slice[a->call]);
        a->event[a->count] = event[is_op ? gpu_slice(o, a->op) : c->slice[a->call]];
        a->what[a->count++] = is_op ? a->op : o->count + a->call;
        a->op += is_op;
        a->call += !is_op;
    }
}

static bool take_op(asking *a, uint32_t op, uint32_t track, const said *says, pf_error *err)
{
    const gpu_ops *o = &a->g->ops;
    said *last = &a->last[track];
    if (__builtin_expect(last->own != says->own || last->device != says->device || last->stream != says->stream ||
                             last->input != says->input,
                         0)) {
        *last = *says;
        bool one = a->streams.count <= ONE;
        if (!look_up(a, &a->places[track], last, err)) {
            return false;
        }
        if (one && a->streams.count > ONE) {
            memset(o->stream + a->first_op, 0, (op - a->first_op) * sizeof *o->stream);
        }
    }
    if (a->streams.count > ONE) {
        o->stream[op] = last->stream_row;
    }
    return true;
}

/* What the piece's arguments say; numbers: the column of correlations, NULL where they are not asked for. */
static pf_status take_piece(asking *a, const pf_arg_columns *args, pf_error *err)
{
    const pf_arg_column *device = pf_arg_column_at(args, GPU_PLACE_DEVICE),
                        *stream = pf_arg_column_at(args, GPU_PLACE_STREAM);
    const int64_t *number = a->l->number ? pf_arg_column_at(args, GPU_PLACE_CORRELATION)->values.i : NULL;
    const uint32_t *track = pf_trace_slices(a->g->trace)->track;
    bool many = pf_trace_input_count(a->g->trace) > 1;
    for (uint32_t row = 0; row < a->count; row++) {
        uint32_t op = a->what[row];
        if (op >= a->g->ops.count) {
            a->l->call_number[op - a->g->ops.count] = number[row];
            continue;
        }
        if (number) {
            a->l->number[op] = number[row];
        }
        uint32_t at = track[gpu_slice(&a->g->ops, op)];
        const gpu_place *place = &a->places[at];
        bool own_device = !place->stage && pf_arg_has(device, row),
             own_stream = !place->stage && pf_arg_has(stream, row);
        const said says = {.device = own_device ? device->values.i[row] : place->device,
                           .stream = own_stream ? stream->values.i[row] : place->stream,
                           .input = many ? pf_trace_event_input(a->g->trace, a->event[row]) : 0,
                           .own = KNOWN | (own_device ? OWN_DEVICE : 0) | (own_stream ? OWN_STREAM : 0)};
        if (!take_op(a, op, at, &says, err)) {
            return err->code;
        }
    }
    return PF_OK;
}

/* Operations that follow each other and say the same, and nothing else is asked of them: they are taken at once. */
static pf_status take_alike(asking *a, pf_error *err)
{
    const gpu_ops *o = &a->g->ops;
    const pf_slices *s = pf_trace_slices(a->g->trace);
    uint64_t on[GPU_PLACE_CORRELATION];
    if (o->slice || a->l->number || a->g->has_stages || pf_trace_input_count(a->g->trace) > 1) {
        return PF_OK;
    }
    uint32_t first = a->op, slice = gpu_slice(o, first);
    a->op += pf_early_args_agree(a->g->trace, &pf_gpu_early_args, GPU_PLACE_CORRELATION, s->event + slice,
                                 a->end_op - first, on);
    for (uint32_t op = first; op < a->op && (op == first || a->streams.count > ONE); op++) {
        const said says = {.device = (int64_t)on[GPU_PLACE_DEVICE],
                           .stream = (int64_t)on[GPU_PLACE_STREAM],
                           .own = KNOWN | OWN_DEVICE | OWN_STREAM};
        PF_TRY(take_op(a, op, s->track[slice], &says, err) ? PF_OK : err->code);
    }
    return PF_OK;
}

static pf_status ask_part(void *ctx, pf_error *err)
{
    asking *a = ctx;
    const pf_arg_options options = {.jobs = 1, .cancel = a->g->ctx->cancel, .first_values = true};
    const size_t asked = a->l->number ? GPU_PLACE_KEYS : GPU_PLACE_CORRELATION;
    PF_TRY(pf_strings_init(&a->devices, a->g->arena->budget, err));
    PF_TRY(pf_strings_init(&a->streams, a->g->arena->budget, err));
    pf_status st = PF_OK;
    for (a->count = 1; a->count && st == PF_OK;) {
        pf_arg_columns *args = NULL;
        PF_TRY(take_alike(a, err));
        list_piece(a);
        st = pf_arg_columns_read(a->g->trace, a->event, a->count, keys, asked, &options, &args, err);
        st = st == PF_OK ? take_piece(a, args, err) : st;
        pf_arg_columns_free(args);
    }
    return st;
}

/* Rows of the list of all for those of a part, made where they are new. within: the rows of what they lie within. */
static pf_status add_owners(pf_strings *all, const pf_strings *met, const uint32_t *within, uint32_t *row,
                            pf_error *err)
{
    for (uint32_t i = 0; i + 1 < met->count; i++) {
        owner o;
        memcpy(&o, pf_strings_get(met, i + 1).ptr, sizeof o);
        o.within = within ? within[o.within] : o.within;
        row[i] = row_of(all, &o, err);
        PF_TRY(row[i] == PF_NONE ? err->code : PF_OK);
    }
    return PF_OK;
}

static pf_status join_part(asking *all, asking *part, pf_error *err)
{
    uint32_t *device_row;
    PF_TRY(PF_PASS_ARRAY(&all->g->scratch, part->devices.count, device_row, err));
    PF_TRY(PF_PASS_ARRAY(&all->g->scratch, part->streams.count, part->stream_row, err));
    PF_TRY(add_owners(&all->devices, &part->devices, NULL, device_row, err));
    return add_owners(&all->streams, &part->streams, device_row, part->stream_row, err);
}

static pf_status make_devices(gpu_facts *g, const pf_strings *met, uint32_t **place, pf_error *err)
{
    placed *list;
    PF_TRY(order_owners(met, NULL, &g->scratch, &list, place, err));
    g->device_count = met->count - 1;
    PF_TRY(PF_PASS_ARRAY(g->arena, g->device_count, g->devices, err));
    for (uint32_t i = 0; i < g->device_count; i++) {
        const owner *o = &list[i].owner;
        g->devices[i] =
            (gpu_device){.input = o->within, .number = o->number, .name = pf_trace_string(g->trace, o->text)};
    }
    return PF_OK;
}

static pf_status make_streams(gpu_facts *g, const pf_strings *met, const uint32_t *device_place, uint32_t **place,
                              pf_error *err)
{
    placed *list;
    PF_TRY(order_owners(met, device_place, &g->scratch, &list, place, err));
    g->stream_count = met->count - 1;
    PF_TRY(PF_PASS_ARRAY(g->arena, g->stream_count, g->streams, err));
    for (uint32_t i = 0; i < g->stream_count; i++) {
        const owner *o = &list[i].owner;
        gpu_device *d = &g->devices[o->within];
        d->first_stream = d->stream_count++ ? d->first_stream : i;
        g->streams[i] =
            (gpu_stream){.device = o->within, .number = o->number, .name = pf_trace_string(g->trace, o->text)};
    }
    return PF_OK;
}

/* Gives the operations of a part their rows. */
static void place_ops(const gpu_facts *g, const asking *part, const uint32_t *stream_place)
{
    bool one = part->streams.count <= ONE;
    for (uint32_t i = part->first_op; i < part->end_op; i++) {
        g->ops.stream[i] = stream_place[part->stream_row[one ? 0 : g->ops.stream[i]]];
    }
}

static pf_status make_rows(asking *part, unsigned parts, pf_error *err)
{
    gpu_facts *g = part->g;
    uint32_t *device_place, *stream_place;
    for (unsigned i = 0; i < parts; i++) {
        PF_TRY(join_part(part, &part[i], err));
    }
    PF_TRY(make_devices(g, &part->devices, &device_place, err));
    PF_TRY(make_streams(g, &part->streams, device_place, &stream_place, err));
    for (unsigned i = 0; g->stream_count > 1 && i < parts; i++) {
        place_ops(g, &part[i], stream_place);
    }
    g->ops.stream = g->stream_count > 1 ? g->ops.stream : NULL;
    return PF_OK;
}

static pf_status make_part(asking *a, pf_error *err)
{
    pf_arena *arena = &a->g->scratch;
    uint64_t rows = (uint64_t)(a->end_op - a->op) + (a->end_call - a->call), most = rows < PIECE ? rows : PIECE;
    PF_TRY(PF_PASS_ARRAY(arena, most, a->event, err));
    PF_TRY(PF_PASS_ARRAY(arena, most, a->what, err));
    return PF_ARENA_NEW(arena, a->last, pf_trace_tracks(a->g->trace)->count, err);
}

/* Parts of as many operations each, and the calls between them. */
static pf_status make_parts(asking *part, unsigned parts, pf_task *tasks, pf_error *err)
{
    gpu_facts *g = part->g;
    uint32_t ops = g->ops.count, calls = g->calls.count, call = 0;
    for (unsigned i = 0; i < parts; i++) {
        asking *a = &part[i];
        *a = (asking){.g = g, .l = part->l, .places = part->places};
        a->first_op = a->op = (uint32_t)((uint64_t)ops * i / parts);
        a->end_op = (uint32_t)((uint64_t)ops * (i + 1) / parts);
        a->call = call;
        bool last = i + 1 == parts;
        call = last ? calls : pf_rows_lower_bound(g->calls.slice, calls, gpu_slice(&g->ops, a->end_op));
        a->end_call = call;
        tasks[i] = (pf_task){ask_part, a};
        PF_TRY(make_part(a, err));
    }
    return PF_OK;
}

pf_status pf_gpu_make_owners(gpu_facts *g, gpu_listed *l, const gpu_place *places, pf_error *err)
{
    asking part[PARTS_MAX] = {{.g = g, .l = l, .places = places}};
    pf_task tasks[PARTS_MAX];
    unsigned jobs = pf_gpu_jobs(g), parts = g->ops.count < PIECE ? 1 : jobs < PARTS_MAX ? jobs : PARTS_MAX;
    if (g->calls.count) {
        PF_TRY(PF_PASS_ARRAY(&g->scratch, g->ops.count, l->number, err));
        PF_TRY(PF_PASS_ARRAY(&g->scratch, g->calls.count, l->call_number, err));
    }
    pf_status st = make_parts(part, parts, tasks, err);
    st = st == PF_OK ? pf_tasks_run(tasks, parts, jobs, g->arena->budget, err) : st;
    st = st == PF_OK ? make_rows(part, parts, err) : st;
    for (unsigned i = 0; i < parts; i++) {
        pf_strings_free(&part[i].streams);
        pf_strings_free(&part[i].devices);
    }
    return st;
}
