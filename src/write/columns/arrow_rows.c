/* write/columns/arrow_rows.c - streams of the Arrow C interface over batches that stay, and the result of a query as
 * one: the batches that its rows make (row_batches.h).
 *
 * Each stream hands out its own copies of the structs, whose buffers are shared, so that there can be any number of
 * streams from the start on. The batches have one owner, which goes when the streams and all of them are released. */
#include <errno.h>
#include <stdlib.h>

#include "base/list.h"
#include "write/columns/arrow/arrow_c.h"
#include "write/columns/row_batches.h"

typedef struct batches {
    atomic_uint streams;
    struct ArrowSchema schema;
    struct ArrowArray *list;
    uint32_t count;
} batches;

typedef struct stream {
    batches *of;
    uint32_t next;
} stream;

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    const stream *at = s->private_data;
    return pf_arrow_copy_schema(out, &at->of->schema, NULL) == PF_OK ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    stream *at = s->private_data;
    *out = (struct ArrowArray){.release = NULL};
    if (at->next == at->of->count) {
        return 0;
    }
    return pf_arrow_share_array(out, &at->of->list[at->next++], NULL) == PF_OK ? 0 : ENOMEM;
}

static const char *get_last_error(struct ArrowArrayStream *s)
{
    return "the system refused memory"; /* what else can fail */
}

static void release(struct ArrowArrayStream *s)
{
    stream *at = s->private_data;
    batches *of = at->of;
    s->release = NULL;
    free(at);
    if (atomic_fetch_sub_explicit(&of->streams, 1, memory_order_acq_rel) == 1) {
        for (uint32_t i = 0; i < of->count; i++) {
            of->list[i].release(&of->list[i]);
        }
        of->schema.release(&of->schema);
        free(of->list);
        free(of);
    }
}

static pf_status open_stream(batches *of, struct ArrowArrayStream *out, pf_error *err)
{
    stream *at = calloc(1, sizeof *at);
    PF_TRY(at ? PF_OK : pf_no_memory(err));
    at->of = of;
    atomic_fetch_add_explicit(&of->streams, 1, memory_order_relaxed);
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release,
                                     .private_data = at};
    return PF_OK;
}

/* A stream of these batches, which are moved into it. After a failure they are the caller's. */
static pf_status stream_of(struct ArrowSchema *schema, struct ArrowArray *arrays, uint32_t count,
                           struct ArrowArrayStream *out, pf_error *err)
{
    batches *of = calloc(1, sizeof *of);
    struct ArrowArray *list = of ? malloc((count + 1u) * sizeof *list) : NULL;
    *out = (struct ArrowArrayStream){.release = NULL};
    if (!list || open_stream(of, out, err) != PF_OK) {
        free(list);
        free(of);
        return pf_no_memory(err);
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i] = arrays[i];
        arrays[i].release = NULL;
    }
    of->schema = *schema;
    schema->release = NULL;
    of->list = list;
    of->count = count;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the stream holds it, and frees it when it is released */
    return PF_OK;
}

pf_status pf_arrow_stream(struct ArrowSchema *schema, struct ArrowArray *array, struct ArrowArrayStream *out,
                          pf_error *err)
{
    return stream_of(schema, array, 1, out, err);
}

pf_status pf_arrow_again(const struct ArrowArrayStream *s, struct ArrowArrayStream *out, pf_error *err)
{
    const stream *at = s->private_data;
    *out = (struct ArrowArrayStream){.release = NULL};
    return open_stream(at->of, out, err);
}

typedef struct rows {
    pf_arrow_owner *of;
    pf_query *query;
    pf_row_batches batches;
    bool has_columns;
    struct ArrowArray *list;
    uint32_t count, room;
    pf_error error; /* the first one */
} rows;

static void free_batches(rows *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->list[i].release) {
            r->list[i].release(&r->list[i]);
        }
    }
    PF_LIST_FREE(r->of->budget, r->list, r->room);
    r->list = NULL;
    r->count = r->room = 0;
    pf_row_batches_free(&r->batches);
    r->has_columns = false;
}

static pf_status put_batch(void *ctx, const pf_col_table *table, pf_error *err)
{
    rows *r = ctx;
    PF_TRY(PF_LIST_ROOM(r->of->budget, r->list, r->count + 1, r->room, err));
    r->list[r->count] = (struct ArrowArray){.release = NULL};
    return pf_arrow_give(r->of, &r->list[r->count++], table, true, err);
}

/* The last statement with rows counts. */
static pf_status take_columns(void *ctx, size_t count, const pf_str *names)
{
    rows *r = ctx;
    pf_value_type *types = malloc((count + 1) * sizeof *types);
    PF_TRY(types ? PF_OK : pf_no_memory(&r->error));
    for (size_t i = 0; i < count; i++) {
        types[i] = pf_query_declared_type(r->query, i);
    }
    free_batches(r);
    r->has_columns = true;
    pf_status st = pf_row_batches_begin(&r->batches, count, names, types, r->of->budget, put_batch, r, &r->error);
    free(types);
    return st;
}

static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    rows *r = ctx;
    return pf_row_batches_add(&r->batches, cells, &r->error);
}

static pf_status run(rows *r, pf_str sql)
{
    const pf_query_sink sink = {r, take_columns, take_row};
    pf_error err = {.code = PF_OK, .offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_query_run(r->query, sql, &sink, &err);
    if (st == PF_OK && !r->has_columns) {
        st = take_columns(r, 0, NULL);
    }
    st = st == PF_OK ? pf_row_batches_end(&r->batches, &r->error) : st;
    if (st != PF_OK && r->error.code == PF_OK) {
        r->error = err;
    }
    return st;
}

pf_status pf_query_arrow(pf_query *q, pf_str sql, const pf_limits *limits, struct ArrowArrayStream *out, pf_error *err)
{
    rows r = {.of = pf_arrow_owner_new(limits), .query = q, .error = {.offset = PF_NOWHERE, .packet = PF_NOWHERE}};
    struct ArrowSchema schema = {.release = NULL};
    *out = (struct ArrowArrayStream){.release = NULL};
    PF_TRY(r.of ? PF_OK : pf_no_memory(err));
    pf_status st = run(&r, sql);
    st = st == PF_OK ? pf_arrow_describe(&schema, &r.batches.rows, true, &r.error) : st;
    st = st == PF_OK ? stream_of(&schema, r.list, r.count, out, &r.error) : st;
    if (st != PF_OK && schema.release) {
        schema.release(&schema);
    }
    if (st != PF_OK && err) {
        *err = r.error;
    }
    r.count = st == PF_OK ? 0 : r.count; /* the stream has them */
    free_batches(&r);
    pf_arrow_owner_drop(r.of);
    return st;
}
