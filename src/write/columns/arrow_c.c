/* write/columns/arrow_c.c - the Arrow C data interface: a table for whoever takes it, in this process.
 *
 * All arrays of a table share what was made for it and hold the trace (struct shared); each of them, a child that was
 * moved out of its parent included, is released on its own, by any thread. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "model/trace/trace.h"
#include "postfetto/export.h"
#include "write/columns/arrow_ipc.h"

#define BUFFERS_MAX 3

typedef struct shared {
    atomic_uint holders; /* arrays that are not released */
    pf_trace *trace;
    pf_col_trace columns;
    pf_col_table table;
} shared;

/* Of each array. */
typedef struct owned {
    shared *of;
    const void *buffers[BUFFERS_MAX];
} owned;

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release) {
            s->children[i]->release(s->children[i]);
        }
        free(s->children[i]);
    }
    if (s->dictionary) {
        if (s->dictionary->release) {
            s->dictionary->release(s->dictionary);
        }
        free(s->dictionary);
    }
    free(s->children);
    free(s->private_data); /* the name */
    s->release = NULL;
}

static pf_status begin_schema(struct ArrowSchema *s, const char *format, const char *name, bool nullable, pf_error *err)
{
    char *copy = strdup(name);
    *s = (struct ArrowSchema){.format = format,
                              .name = copy,
                              .flags = nullable ? ARROW_FLAG_NULLABLE : 0,
                              .private_data = copy,
                              .release = release_schema};
    return copy ? PF_OK : pf_no_memory(err);
}

static pf_status describe_column(struct ArrowSchema *s, const pf_col *c, pf_error *err)
{
    static const char *const formats[] = {[PF_COL_UINT32] = "I", [PF_COL_INT32] = "i", [PF_COL_INT64] = "l",
                                          [PF_COL_DOUBLE] = "g", [PF_COL_TEXT] = "i",  [PF_COL_BINARY] = "i"};
    PF_TRY(begin_schema(s, formats[c->type], c->name, c->nullable, err));
    if (!pf_col_has_texts(c)) {
        return PF_OK;
    }
    s->dictionary = calloc(1, sizeof *s->dictionary);
    return s->dictionary ? begin_schema(s->dictionary, c->type == PF_COL_TEXT ? "u" : "z", "", false, err)
                         : pf_no_memory(err);
}

static pf_status describe_table(struct ArrowSchema *s, const pf_col_table *t, pf_error *err)
{
    PF_TRY(begin_schema(s, "+s", t->name, false, err));
    s->children = calloc(t->count, sizeof *s->children);
    for (size_t i = 0; s->children && i < t->count; i++) {
        s->children[i] = calloc(1, sizeof **s->children);
        if (!s->children[i]) {
            return pf_no_memory(err);
        }
        s->n_children++;
        PF_TRY(describe_column(s->children[i], &t->cols[i], err));
    }
    return s->children ? PF_OK : pf_no_memory(err);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static void drop(shared *of)
{
    if (atomic_fetch_sub_explicit(&of->holders, 1, memory_order_acq_rel) == 1) {
        pf_col_trace_close(&of->columns);
        pf_trace_free(of->trace);
        free(of);
    }
}

static void release_array(struct ArrowArray *a)
{
    owned *own = a->private_data;
    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release) {
            a->children[i]->release(a->children[i]);
        }
        free(a->children[i]);
    }
    if (a->dictionary) {
        if (a->dictionary->release) {
            a->dictionary->release(a->dictionary);
        }
        free(a->dictionary);
    }
    free(a->children);
    a->release = NULL;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): children hold it, too, and counted themselves */
    drop(own->of);
    free(own);
}

static pf_status begin_array(struct ArrowArray *a, shared *of, int64_t length, int64_t buffers, pf_error *err)
{
    owned *own = calloc(1, sizeof *own);
    *a = (struct ArrowArray){.length = length, .n_buffers = buffers, .private_data = own};
    if (!own) {
        return pf_no_memory(err);
    }
    atomic_fetch_add_explicit(&of->holders, 1, memory_order_relaxed);
    own->of = of;
    a->buffers = own->buffers;
    a->release = release_array;
    return PF_OK;
}

static pf_status give_dictionary(shared *of, struct ArrowArray *a, const pf_col_dictionary *d, pf_error *err)
{
    pf_arena *arena = &of->columns.arena;
    int32_t *end;
    char *bytes;
    PF_TRY(begin_array(a, of, d->count, BUFFERS_MAX, err));
    PF_TRY(PF_ARENA_NEW(arena, end, (size_t)d->count + 1, err));
    PF_TRY(PF_ARENA_NEW(arena, bytes, d->bytes, err));
    for (uint32_t i = 0; i < d->count; i++) {
        pf_str text = pf_strings_get(d->pool, d->ids[i]);
        memcpy(bytes + end[i], text.ptr, text.len);
        end[i + 1] = end[i] + (int32_t)text.len;
    }
    a->buffers[1] = end;
    a->buffers[2] = bytes;
    return PF_OK;
}

/* The texts of a column, and its values, which are ids, as their numbers. */
static pf_status give_texts(shared *of, struct ArrowArray *a, const pf_col *c, uint32_t *ids, pf_error *err)
{
    pf_col_dictionary d;
    pf_status st = pf_col_dictionary_make(&d, c, of->table.rows, of->columns.data.budget, err);
    st = st == PF_OK ? pf_arrow_check_texts(&of->table, c, d.bytes, err) : st;
    a->dictionary = st == PF_OK ? calloc(1, sizeof *a->dictionary) : NULL;
    st = st == PF_OK && !a->dictionary ? pf_no_memory(err) : st;
    st = st == PF_OK ? give_dictionary(of, a->dictionary, &d, err) : st;
    if (st == PF_OK) {
        pf_col_dictionary_apply(&d, ids, of->table.rows);
    }
    pf_col_dictionary_free(&d);
    return st;
}

/* Whether the trace has the numbers row by row, in that width. What lies where a NULL is does not matter. */
static bool lies_there(const pf_col *c)
{
    size_t width = c->source == PF_COL_OF_UINT32 ? 4 : c->source == PF_COL_OF_ID ? 0 : 8;
    bool array = c->source == PF_COL_OF_INT64 || c->source == PF_COL_OF_UINT32 || c->source == PF_COL_OF_DOUBLE ||
                 c->source == PF_COL_OF_BITS;
    return array && c->array && !c->rows && !c->through && !c->renumber && width == pf_col_width(c->type);
}

static pf_status give_column(shared *of, struct ArrowArray *a, const pf_col *c, pf_error *err)
{
    enum { BITS, VALUES };
    enum { STEP = 1024 };
    uint32_t rows = of->table.rows;
    size_t width = pf_col_width(c->type);
    pf_arena *arena = &of->columns.arena;
    uint64_t unused[STEP] = {0};
    uint8_t *bits = NULL;
    void *values = NULL;
    PF_TRY(begin_array(a, of, rows, 2, err));
    PF_TRY(lies_there(c) ? PF_OK : pf_arena_new(arena, &values, width, rows, err));
    PF_TRY(c->nullable ? PF_ARENA_NEW(arena, bits, ((size_t)rows + 7) / 8, err) : PF_OK);
    for (uint32_t from = 0; from < rows && (values || bits); from += STEP) {
        uint32_t n = rows - from < STEP ? rows - from : STEP;
        void *to = values ? (char *)values + from * width : (char *)unused;
        uint32_t nulls = pf_col_fill(c, from, n, to, bits ? bits + from / 8 : NULL);
        a->null_count += bits ? nulls : 0;
    }
    a->buffers[BITS] = bits;
    a->buffers[VALUES] = values ? values : c->array;
    return pf_col_has_texts(c) ? give_texts(of, a, c, values, err) : PF_OK;
}

static pf_status give_table(shared *of, struct ArrowArray *a, pf_error *err)
{
    PF_TRY(begin_array(a, of, of->table.rows, 1, err));
    a->children = calloc(of->table.count, sizeof *a->children);
    for (size_t i = 0; a->children && i < of->table.count; i++) {
        a->children[i] = calloc(1, sizeof **a->children);
        if (!a->children[i]) {
            return pf_no_memory(err);
        }
        a->n_children++;
        PF_TRY(give_column(of, a->children[i], &of->table.cols[i], err));
    }
    return a->children ? PF_OK : pf_no_memory(err);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static pf_status lay_out(shared *of, const char *name, pf_error *err)
{
    pf_data_table *found;
    PF_TRY(pf_col_trace_open(&of->columns, of->trace, err));
    of->columns.utf8 = true;
    PF_TRY(pf_col_table_find(&of->columns, name, &found, err));
    PF_TRY(pf_col_table_of(&of->columns, found, &of->table, err));
    if (found->base != &of->columns.data.args) {
        pf_arg_store_free(&of->columns.data.args); /* others have the numbers of their sets only */
    }
    return PF_OK;
}

pf_status pf_table_arrow(const pf_trace *t, const char *name, struct ArrowSchema *schema, struct ArrowArray *array,
                         pf_error *err)
{
    pf_error own = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    shared *of = calloc(1, sizeof *of);
    *schema = (struct ArrowSchema){.release = NULL};
    *array = (struct ArrowArray){.release = NULL};
    if (!of) {
        return pf_no_memory(err);
    }
    atomic_init(&of->holders, 1); /* this function */
    of->trace = pf_trace_hold(t);
    pf_status st = lay_out(of, name, &own);
    st = st == PF_OK ? describe_table(schema, &of->table, &own) : st;
    st = st == PF_OK ? give_table(of, array, &own) : st;
    if (st != PF_OK && schema->release) {
        schema->release(schema);
    }
    if (st != PF_OK && array->release) {
        array->release(array);
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): this function holds it, the arrays that were released held it, too */
    drop(of);
    if (st != PF_OK && err) {
        *err = own;
    }
    return st;
}
