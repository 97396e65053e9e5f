/* write/columns/arrow/arrow_c.c - the Arrow C data interface: a table for whoever takes it, in this process.
 *
 * All arrays of a table share what was made for it and hold the trace (pf_arrow_owner); each of them, a child that was
 * moved out of its parent included, is released on its own, by any thread. */
#include <stdlib.h>
#include <string.h>

#include "model/trace/trace.h"
#include "write/columns/arrow/arrow_c.h"
#include "write/columns/arrow/arrow_ipc.h"

#define BUFFERS_MAX 3

/* Of each array. */
typedef struct owned {
    pf_arrow_owner *of;
    const void *buffers[BUFFERS_MAX];
} owned;

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

static pf_status describe_column(struct ArrowSchema *s, const pf_col *c, bool plain, pf_error *err)
{
    static const char *const formats[] = {[PF_COL_UINT32] = "I", [PF_COL_INT32] = "i", [PF_COL_INT64] = "l",
                                          [PF_COL_DOUBLE] = "g", [PF_COL_TEXT] = "i",  [PF_COL_BINARY] = "i"};
    const char *text = c->type == PF_COL_TEXT ? "u" : "z";
    bool texts = pf_col_has_texts(c);
    PF_TRY(begin_schema(s, texts && plain ? text : formats[c->type], c->name, c->nullable, err));
    if (!texts || plain) {
        return PF_OK;
    }
    s->dictionary = calloc(1, sizeof *s->dictionary);
    return s->dictionary ? begin_schema(s->dictionary, text, "", false, err) : pf_no_memory(err);
}

pf_status pf_arrow_describe(struct ArrowSchema *s, const pf_col_table *t, bool plain, pf_error *err)
{
    PF_TRY(begin_schema(s, "+s", t->name, false, err));
    s->children = calloc(t->count, sizeof *s->children);
    for (size_t i = 0; s->children && i < t->count; i++) {
        s->children[i] = calloc(1, sizeof **s->children);
        PF_TRY(s->children[i] ? PF_OK : pf_no_memory(err));
        s->n_children++;
        PF_TRY(describe_column(s->children[i], &t->cols[i], plain, err));
    }
    return s->children ? PF_OK : pf_no_memory(err);
}

pf_status pf_arrow_copy_schema(struct ArrowSchema *to, const struct ArrowSchema *from, pf_error *err)
{
    bool nullable = from->flags & ARROW_FLAG_NULLABLE;
    pf_status st = begin_schema(to, from->format, from->name, nullable, err);
    to->children = calloc((size_t)from->n_children + 1, sizeof *to->children);
    to->dictionary = from->dictionary ? calloc(1, sizeof *to->dictionary) : NULL;
    st = !to->children || (from->dictionary && !to->dictionary) ? pf_no_memory(err) : st;
    if (st == PF_OK && from->dictionary) {
        st = begin_schema(to->dictionary, from->dictionary->format, "", false, err);
    }
    for (int64_t i = 0; st == PF_OK && i < from->n_children; i++) {
        to->children[i] = calloc(1, sizeof **to->children);
        to->n_children += to->children[i] != NULL;
        st = to->children[i] ? pf_arrow_copy_schema(to->children[i], from->children[i], err) : pf_no_memory(err);
    }
    if (st != PF_OK) {
        to->release(to);
    }
    return st;
}

pf_arrow_owner *pf_arrow_owner_new(const pf_limits *limits)
{
    pf_arrow_owner *of = calloc(1, sizeof *of);
    if (of) {
        atomic_init(&of->holders, 1);
        pf_budget_init(&of->own, limits);
        of->budget = &of->own;
        pf_arena_init(&of->arena, of->budget);
    }
    return of;
}

void pf_arrow_owner_drop(pf_arrow_owner *of)
{
    if (atomic_fetch_sub_explicit(&of->holders, 1, memory_order_acq_rel) == 1) {
        pf_arena_free(&of->arena);
        pf_col_trace_close(&of->columns);
        pf_trace_free(of->trace);
        pf_budget_end(&of->own);
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
    pf_arrow_owner_drop(own->of);
    free(own);
}

static pf_status begin_array(struct ArrowArray *a, pf_arrow_owner *of, int64_t length, int64_t buffers, pf_error *err)
{
    owned *own = calloc(1, sizeof *own);
    *a = (struct ArrowArray){.length = length, .n_buffers = buffers, .private_data = own};
    PF_TRY(own ? PF_OK : pf_no_memory(err));
    atomic_fetch_add_explicit(&of->holders, 1, memory_order_relaxed);
    own->of = of;
    a->buffers = own->buffers;
    a->release = release_array;
    return PF_OK;
}

/* The texts of `count` ids, of `total` bytes together, in place of the ids. */
static pf_status give_spelled(pf_arrow_owner *of, struct ArrowArray *a, const pf_strings *pool, const uint32_t *ids,
                              uint32_t count, uint64_t total, pf_error *err)
{
    int32_t *end;
    char *bytes;
    PF_TRY(PF_ARENA_NEW(&of->arena, end, (size_t)count + 1, err));
    PF_TRY(PF_ARENA_NEW(&of->arena, bytes, total, err));
    for (uint32_t i = 0; i < count; i++) {
        pf_str text = ids[i] ? pf_strings_get(pool, ids[i]) : (pf_str){"", 0};
        memcpy(bytes + end[i], text.ptr, text.len);
        end[i + 1] = end[i] + (int32_t)text.len;
    }
    a->n_buffers = BUFFERS_MAX;
    a->buffers[1] = end;
    a->buffers[2] = bytes;
    return PF_OK;
}

static pf_status give_dictionary(pf_arrow_owner *of, struct ArrowArray *a, const pf_col_dictionary *d, pf_error *err)
{
    PF_TRY(begin_array(a, of, d->count, BUFFERS_MAX, err));
    return give_spelled(of, a, d->pool, d->ids, d->count, d->bytes, err);
}

static pf_status give_plain(pf_arrow_owner *of, struct ArrowArray *a, const pf_col_table *t, const pf_col *c,
                            const uint32_t *ids, pf_error *err)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < t->rows; i++) {
        total += ids[i] ? pf_strings_get(c->pool, ids[i]).len : 0;
    }
    PF_TRY(pf_arrow_check_texts(t, c, total, err));
    return give_spelled(of, a, c->pool, ids, t->rows, total, err);
}

/* The texts of a column, and its values, which are ids, as their numbers. */
static pf_status give_texts(pf_arrow_owner *of, struct ArrowArray *a, const pf_col_table *t, const pf_col *c,
                            uint32_t *ids, pf_error *err)
{
    pf_col_dictionary d;
    pf_status st = pf_col_dictionary_make(&d, c, t->rows, of->budget, err);
    st = st == PF_OK ? pf_arrow_check_texts(t, c, d.bytes, err) : st;
    a->dictionary = st == PF_OK ? calloc(1, sizeof *a->dictionary) : NULL;
    st = st == PF_OK && !a->dictionary ? pf_no_memory(err) : st;
    st = st == PF_OK ? give_dictionary(of, a->dictionary, &d, err) : st;
    if (st == PF_OK) {
        pf_col_dictionary_apply(&d, ids, t->rows);
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

static pf_status give_column(pf_arrow_owner *of, struct ArrowArray *a, const pf_col_table *t, const pf_col *c,
                             bool plain, pf_error *err)
{
    enum { BITS, VALUES };
    enum { STEP = 1024 };
    uint32_t rows = t->rows;
    size_t width = pf_col_width(c->type);
    bool there = !plain && lies_there(c);
    uint64_t unused[STEP] = {0};
    uint8_t *bits = NULL;
    void *values = NULL;
    PF_TRY(begin_array(a, of, rows, 2, err));
    PF_TRY(there ? PF_OK : pf_arena_new(&of->arena, &values, width, rows, err));
    PF_TRY(c->nullable ? PF_ARENA_NEW(&of->arena, bits, ((size_t)rows + 7) / 8, err) : PF_OK);
    for (uint32_t from = 0; from < rows && (values || bits); from += STEP) {
        uint32_t n = rows - from < STEP ? rows - from : STEP;
        void *to = values ? (char *)values + from * width : (char *)unused;
        uint32_t nulls = pf_col_fill(c, from, n, to, bits ? bits + from / 8 : NULL);
        a->null_count += bits ? nulls : 0;
    }
    a->buffers[BITS] = bits;
    a->buffers[VALUES] = values ? values : c->array;
    if (!pf_col_has_texts(c)) {
        return PF_OK;
    }
    return plain ? give_plain(of, a, t, c, values, err) : give_texts(of, a, t, c, values, err);
}

pf_status pf_arrow_give(pf_arrow_owner *of, struct ArrowArray *a, const pf_col_table *t, bool plain, pf_error *err)
{
    PF_TRY(begin_array(a, of, t->rows, 1, err));
    a->children = calloc(t->count + 1, sizeof *a->children);
    for (size_t i = 0; a->children && i < t->count; i++) {
        a->children[i] = calloc(1, sizeof **a->children);
        PF_TRY(a->children[i] ? PF_OK : pf_no_memory(err));
        a->n_children++;
        PF_TRY(give_column(of, a->children[i], t, &t->cols[i], plain, err));
    }
    return a->children ? PF_OK : pf_no_memory(err);
}

pf_status pf_arrow_share_array(struct ArrowArray *to, const struct ArrowArray *from, pf_error *err)
{
    const owned *own = from->private_data;
    PF_TRY(begin_array(to, own->of, from->length, from->n_buffers, err));
    memcpy(((owned *)to->private_data)->buffers, own->buffers, sizeof own->buffers);
    to->null_count = from->null_count;
    to->children = calloc((size_t)from->n_children + 1, sizeof *to->children);
    to->dictionary = from->dictionary ? calloc(1, sizeof *to->dictionary) : NULL;
    pf_status st = !to->children || (from->dictionary && !to->dictionary) ? pf_no_memory(err) : PF_OK;
    st = st == PF_OK && from->dictionary ? pf_arrow_share_array(to->dictionary, from->dictionary, err) : st;
    for (int64_t i = 0; st == PF_OK && i < from->n_children; i++) {
        to->children[i] = calloc(1, sizeof **to->children);
        to->n_children += to->children[i] != NULL;
        st = to->children[i] ? pf_arrow_share_array(to->children[i], from->children[i], err) : pf_no_memory(err);
    }
    if (st != PF_OK) {
        to->release(to);
    }
    return st;
}

static pf_arrow_owner *begin_both(struct ArrowSchema *schema, struct ArrowArray *array, pf_error *err)
{
    pf_arrow_owner *of = pf_arrow_owner_new(NULL);
    *schema = (struct ArrowSchema){.release = NULL};
    *array = (struct ArrowArray){.release = NULL};
    if (!of) {
        pf_no_memory(err);
    }
    return of;
}

/* Fills both, or none, once the columns are there. */
static pf_status end_both(pf_arrow_owner *of, pf_status st, const pf_col_table *table, bool plain,
                          struct ArrowSchema *schema, struct ArrowArray *array, pf_error *own, pf_error *err)
{
    st = st == PF_OK ? pf_arrow_describe(schema, table, plain, own) : st;
    st = st == PF_OK ? pf_arrow_give(of, array, table, plain, own) : st;
    if (st != PF_OK && schema->release) {
        schema->release(schema);
    }
    if (st != PF_OK && array->release) {
        array->release(array);
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the caller held it, the arrays that were released held it, too */
    pf_arrow_owner_drop(of);
    if (st != PF_OK && err) {
        *err = *own;
    }
    return st;
}

/* Columns that are made for the table, and arrays, count against the limits of the trace. */
static pf_status lay_out(pf_arrow_owner *of, const pf_trace *t, const char *name, pf_col_table *table, pf_error *err)
{
    pf_data_table *found;
    of->trace = pf_trace_hold(t);
    PF_TRY(pf_col_trace_open(&of->columns, t, err));
    of->budget = of->columns.data.budget;
    pf_arena_init(&of->arena, of->budget);
    of->columns.utf8 = true;
    PF_TRY(pf_col_table_find(&of->columns, name, &found, err));
    PF_TRY(pf_col_table_of(&of->columns, found, table, err));
    if (found->base != &of->columns.data.args) {
        pf_arg_store_free(&of->columns.data.args); /* others have the numbers of their sets only */
    }
    return PF_OK;
}

pf_status pf_table_arrow(const pf_trace *t, const char *name, struct ArrowSchema *schema, struct ArrowArray *array,
                         pf_error *err)
{
    pf_error own = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_arrow_owner *of = begin_both(schema, array, err);
    pf_col_table table = {0};
    return of ? end_both(of, lay_out(of, t, name, &table, &own), &table, false, schema, array, &own, err)
              : PF_ERR_MEMORY;
}

pf_status pf_report_arrow(const pf_table *table, struct ArrowSchema *schema, struct ArrowArray *array, pf_error *err)
{
    pf_error own = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_arrow_owner *of = begin_both(schema, array, err);
    pf_col_table columns = {0};
    pf_strings made = {0};
    if (!of) {
        return PF_ERR_MEMORY;
    }
    pf_status st = pf_strings_init(&made, of->budget, &own);
    st = st == PF_OK ? pf_col_report(&of->arena, &made, table, true, &columns, &own) : st;
    st = end_both(of, st, &columns, true, schema, array, &own, err);
    pf_strings_free(&made);
    return st;
}
