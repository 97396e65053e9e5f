/* query/tables/flatten_args.c - from nested arguments to keys.
 *
 * The visit is a walk over a tree in order; two texts grow and shrink with it, the key and the flat key. A member adds
 * ".name" to both, an element adds "[i]" to the key and nothing to the flat key. An element takes its index only when
 * it has produced a value: nulls and empty lists leave no hole. In JSON arguments, lists and objects always take one,
 * and elsewhere those whose key says so. Arrays of debug annotations and of JSON arguments go on where an earlier one
 * of the same key stopped, so that an end's elements follow its begin's; those of an event's own fields begin
 * anew, so that they take the place of the earlier ones.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/list.h"
#include "base/str.h"
#include "query/tables/model_tables.h"

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
    bool json;    /* the top-level key is one of JSON's */
    bool foreign; /* it is neither that nor of a debug annotation: its nulls are values */
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
    if (f->key.failed || f->flat.failed) {
        return pf_no_memory(f->err);
    }
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
            pf_arg_array_bump(f->store, parent->array);
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
        pf_arg_array_begin_anew(f->store, added.array);
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

pf_status pf_arg_set_event(pf_arg_store *s, const pf_trace *t, uint32_t event, pf_error *err)
{
    flattener f = {.store = s, .err = err};
    const pf_arg_visitor visitor = {&f, begin, end, value, false};
    pf_status st = pf_trace_visit_args(t, event, &visitor, err);
    PF_LIST_FREE(s->budget, f.frames, f.capacity);
    pf_buffer_free(&f.key);
    pf_buffer_free(&f.flat);
    return st;
}
