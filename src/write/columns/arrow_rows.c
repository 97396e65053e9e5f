/* write/columns/arrow_rows.c - the result of a query as a stream of the Arrow C interface: the batches that its rows
 * make (row_batches.h) are kept, and handed out one by one. They share one owner, which goes when the stream and all of
 * them are released. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "write/columns/arrow_c.h"
#include "write/columns/row_batches.h"

typedef struct rows {
    pf_arrow_owner *of;
    pf_query *query;
    pf_row_batches batches; /* its columns are the schema */
    bool has_columns;
    struct ArrowArray *list;
    uint32_t count, room, next;
    pf_error error; /* the first one */
} rows;

static void free_batches(rows *r)
{
    for (uint32_t i = r->next; i < r->count; i++) {
        if (r->list[i].release) {
            r->list[i].release(&r->list[i]);
        }
    }
    PF_LIST_FREE(r->of->budget, r->list, r->room);
    r->list = NULL;
    r->count = r->room = r->next = 0;
    pf_row_batches_free(&r->batches);
    r->has_columns = false;
}

static void free_rows(rows *r)
{
    free_batches(r);
    pf_arrow_owner_drop(r->of);
    free(r);
}

/* ---- from a query ------------------------------------------------------------------------------------------------ */

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

/* ---- the stream -------------------------------------------------------------------------------------------------- */

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    rows *r = s->private_data;
    *out = (struct ArrowSchema){.release = NULL};
    pf_status st = pf_arrow_describe(out, &r->batches.rows, true, &r->error);
    if (st != PF_OK && out->release) {
        out->release(out);
    }
    return st == PF_OK ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
    rows *r = s->private_data;
    *out = r->next < r->count ? r->list[r->next++] : (struct ArrowArray){.release = NULL};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *s)
{
    const rows *r = s->private_data;
    return r->error.code == PF_OK ? NULL : r->error.text;
}

static void release(struct ArrowArrayStream *s)
{
    free_rows(s->private_data);
    s->release = NULL;
}

pf_status pf_query_arrow(pf_query *q, pf_str sql, const pf_limits *limits, struct ArrowArrayStream *out, pf_error *err)
{
    rows *r = calloc(1, sizeof *r);
    *out = (struct ArrowArrayStream){.release = NULL};
    if (!r || !(r->of = pf_arrow_owner_new(limits))) {
        free(r);
        return pf_no_memory(err);
    }
    r->query = q;
    r->error.offset = r->error.packet = PF_NOWHERE;
    pf_status st = run(r, sql);
    if (st != PF_OK) {
        if (err) {
            *err = r->error;
        }
        free_rows(r);
        return st;
    }
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release,
                                     .private_data = r};
    return PF_OK;
}
