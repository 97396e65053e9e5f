/* tables/event_args.c - the arguments of slices, counters, states and flows as sets, each of them once; from
 * nested arguments to keys.
 *
 * The visit is a walk over a tree in order; two texts grow and shrink with it, the key and the flat key. A member adds
 * ".name" to both, an element adds "[i]" to the key and nothing to the flat key. An element takes its index only when
 * it has produced a value: nulls and empty lists leave no hole. In JSON arguments, lists and objects always take one,
 * and elsewhere those whose key says so. Arrays of debug annotations and of JSON arguments go on where an earlier one
 * of the same key stopped, so that an end's elements follow its begin's; those of an event's own fields begin
 * anew, so that they take the place of the earlier ones.
 */

#include "base/list.h"
#include "base/str.h"
#include "tables/data.h"

typedef struct frame {
    size_t key_len, flat_len; /* of the texts before this object or array */
    uint32_t array;           /* key id of an array, PF_NONE for an object */
    bool produced;            /* or it takes an index anyway */
} frame;

typedef struct flattener {
    pf_arg_store *store;
    pf_error *err;
    pf_buffer key, flat;
    frame *frames;
    size_t depth, capacity;
    uint32_t begins, ends; /* places of the last begin and end in the list of arguments */
    bool json;             /* the top-level key is one of JSON's */
    bool foreign;          /* it is neither that nor of a debug annotation: its nulls are values */
} flattener;

static pf_str text_of(const pf_buffer *b)
{
    return (pf_str){b->data ? b->data : "", b->len};
}

/* Extends both texts by one step. */
static pf_status step_in(flattener *f, pf_str key)
{
    if (f->depth == 0) {
        f->json = pf_str_starts(key, PF_STR("args."));
        f->foreign = !f->json && !pf_str_starts(key, PF_STR("debug."));
        pf_buffer_put(&f->key, key.ptr, key.len);
        pf_buffer_put(&f->flat, key.ptr, key.len);
    } else if (f->frames[f->depth - 1].array != PF_NONE) {
        uint32_t id, index;
        pf_str array = {f->key.data, f->key.len};
        PF_TRY(pf_arg_array_next(f->store, array, &id, &index, f->err));
        pf_buffer_format(&f->key, "[%u]", index);
    } else {
        pf_buffer_text(&f->key, ".");
        pf_buffer_put(&f->key, key.ptr, key.len);
        pf_buffer_text(&f->flat, ".");
        pf_buffer_put(&f->flat, key.ptr, key.len);
    }
    PF_TRY(f->key.failed || f->flat.failed ? pf_no_memory(f->err) : PF_OK);
    return PF_OK;
}

/* Back to the texts of before; a value was produced below, or not. */
static void step_out(flattener *f, size_t key_len, size_t flat_len, bool produced)
{
    f->key.len = key_len;
    f->flat.len = flat_len;
    if (f->depth && produced) {
        frame *parent = &f->frames[f->depth - 1];
        parent->produced = true;
        if (parent->array != PF_NONE) {
            f->store->next[parent->array]++;
        }
    }
}

static pf_status begin(void *ctx, pf_str key, bool is_array)
{
    flattener *f = ctx;
    PF_TRY(PF_LIST_ROOM(f->store->budget, f->frames, f->depth + 1, f->capacity, f->err));
    frame added = {.key_len = f->key.len, .flat_len = f->flat.len, .array = PF_NONE};
    added.produced = f->depth && f->frames[f->depth - 1].array != PF_NONE && key.ptr;
    PF_TRY(step_in(f, key));
    if (is_array) {
        uint32_t index;
        PF_TRY(pf_arg_array_next(f->store, text_of(&f->key), &added.array, &index, f->err));
    }
    if (is_array && f->depth == 0 && f->foreign) {
        f->store->next[added.array] = 0;
    }
    f->frames[f->depth++] = added;
    return PF_OK;
}

static pf_status end(void *ctx)
{
    flattener *f = ctx;
    if (f->depth) {
        frame done = f->frames[--f->depth];
        step_out(f, done.key_len, done.flat_len, done.produced || f->json);
    }
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    flattener *f = ctx;
    size_t key_len = f->key.len, flat_len = f->flat.len;
    PF_TRY(step_in(f, key));
    bool produced = v->type != PF_VALUE_NULL || f->foreign;
    if (produced) {
        PF_TRY(pf_arg_set_value(f->store, text_of(&f->flat), text_of(&f->key), v, f->err));
    }
    step_out(f, key_len, flat_len, produced);
    return PF_OK;
}

/* Adds the arguments of an event to the set in work. */
static pf_status set_event(flattener *f, const pf_trace *t, uint32_t event, uint32_t *hint, pf_error *err)
{
    const pf_arg_visitor visitor = {f, begin, end, value, false};
    f->depth = f->key.len = f->flat.len = 0;
    return pf_trace_visit_args_near(t, event, hint, &visitor, err);
}

static pf_status collect(flattener *f, const pf_trace *t, uint32_t first, uint32_t last, uint32_t *set, pf_error *err)
{
    pf_arg_set_begin(f->store);
    PF_TRY(set_event(f, t, first, &f->begins, err));
    if (last != PF_NONE) {
        PF_TRY(set_event(f, t, last, &f->ends, err));
    }
    return pf_arg_set_end(f->store, set, err);
}

/* Chrome's flows also differ by name and category: those are their arguments. */
static pf_status collect_flow(pf_data *d, uint32_t event, uint32_t *set, pf_error *err)
{
    const pf_events *e = pf_trace_events(d->trace);
    uint32_t category_id = e->category ? e->category[event] : 0;
    const pf_value name = {.type = PF_VALUE_STRING, .as.s = pf_trace_string(d->trace, e->name[event])};
    const pf_value category = {.type = PF_VALUE_STRING, .as.s = pf_trace_string(d->trace, category_id)};
    pf_arg_set_begin(&d->args);
    PF_TRY(pf_arg_set_value(&d->args, PF_STR("name"), PF_STR("name"), &name, err));
    PF_TRY(pf_arg_set_value(&d->args, PF_STR("cat"), PF_STR("cat"), &category, err));
    return pf_arg_set_end(&d->args, set, err);
}

static pf_status collect_all(pf_data *d, flattener *f, pf_error *err)
{
    const pf_trace *t = d->trace;
    const pf_slices *slices = pf_trace_slices(t);
    const pf_counters *counters = pf_trace_counters(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    const pf_flows *flows = pf_trace_flows(t);
    const pf_side_table *states = &t->sides.known[PF_SIDE_STATE];
    const pf_data_row_sets *of = d->row_sets;
    for (uint32_t i = 0; i < of[PF_SETS_SLICE].rows; i++) {
        PF_TRY(collect(f, t, slices->event[i], slices->end_event[i], &of[PF_SETS_SLICE].set[i], err));
    }
    for (uint32_t i = 0; i < of[PF_SETS_COUNTER].rows; i++) {
        /* The arguments of a JSON counter event are its samples. */
        if (counters->event[i] != PF_NONE && tracks->type[counters->track[i]] != PF_TRACK_JSON_COUNTER) {
            PF_TRY(collect(f, t, counters->event[i], PF_NONE, &of[PF_SETS_COUNTER].set[i], err));
        }
    }
    for (uint32_t i = 0; i < of[PF_SETS_STATE].rows; i++) {
        PF_TRY(collect(f, t, *pf_side_ref(states, PF_STATE_EVENT, i), PF_NONE, &of[PF_SETS_STATE].set[i], err));
    }
    for (uint32_t i = 0; flows->event && i < of[PF_SETS_FLOW].rows; i++) {
        if (flows->event[i] != PF_NONE) {
            PF_TRY(collect_flow(d, flows->event[i], &of[PF_SETS_FLOW].set[i], err));
        }
    }
    return pf_arg_sets_settle(&d->args, err);
}

pf_status pf_data_event_args_load(pf_data *d, pf_error *err)
{
    flattener f = {.store = &d->args, .err = err};
    pf_status st = collect_all(d, &f, err);
    PF_LIST_FREE(d->budget, f.frames, f.capacity);
    pf_buffer_free(&f.key);
    pf_buffer_free(&f.flat);
    return st;
}
