/* write/columns/arrow_rows.c - the result of a query as a stream of the Arrow C interface: the batches that its rows
 * make (row_batches.h) are kept, and handed out one by one. They share one owner, which goes when the stream and all of
 * them are released. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "write/columns/arrow_c.h"
#include "write/columns/row_batches.h"

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
    if (!types) {
        return pf_no_memory(&r->error);
    }
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
    (void)count;
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
    if (!r.of) {
        return pf_no_memory(err);
    }
    pf_status st = run(&r, sql);
    st = st == PF_OK ? pf_arrow_describe(&schema, &r.batches.rows, true, &r.error) : st;
    st = st == PF_OK ? pf_arrow_stream_of(&schema, r.list, r.count, out, &r.error) : st;
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
