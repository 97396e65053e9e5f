/* query/tables/side_columns.c - side tables as tables of a session: a column of a side table is a column in SQL, after
 * the row number. Nothing here knows a table by name. */
#include <string.h>

#include "query/session.h"
#include "query/vtab/plan.h"

static pf_status open_side(pf_query *q, pf_sql_table *table, pf_error *err)
{
    (void)q, (void)err;
    const pf_sql_side *side = table->base;
    /* There is always a machine, even if nothing is known of it. */
    table->rows = side->s == &q->trace->sides.known[PF_SIDE_MACHINE] ? 1 : side->s->count;
    return PF_OK;
}

static pf_status load_row_sets(pf_query *q, pf_sql_table *table, pf_error *err)
{
    (void)table;
    return pf_sql_row_args_load(q, err);
}

/* States have the arguments of events. */
static pf_status load_event_sets(pf_query *q, pf_sql_table *table, pf_error *err)
{
    (void)table;
    return pf_sql_args_load(q, err);
}

static pf_sql_column column_of(const pf_side_column *c, size_t number)
{
    pf_sql_column sql = {.name = c->name, .offset = offsetof(pf_sql_side, cell) + number * sizeof(void *)};
    switch ((int)c->type) {
    case PF_COLUMN_INT:
        sql.source = c->flags & PF_COLUMN_SORTED ? PF_SQL_INT64 : PF_SQL_INT64_OR_NULL;
        sql.flags = c->flags & PF_COLUMN_SORTED ? PF_SQL_SORTED : 0;
        break;
    case PF_COLUMN_REAL:
        sql.source = PF_SQL_REAL;
        break;
    case PF_COLUMN_TEXT:
        sql.source = PF_SQL_STRING;
        sql.flags = PF_SQL_INDEX;
        break;
    case PF_COLUMN_BLOB:
        sql.source = PF_SQL_BLOB;
        break;
    case PF_COLUMN_ROW:
        sql.source = PF_SQL_UINT32;
        sql.flags = PF_SQL_INDEX;
        break;
    case PF_COLUMN_ARG_SET:
        sql.source = PF_SQL_UINT32;
        sql.flags = PF_SQL_INDEX | PF_SQL_FEW | PF_SQL_LAZY;
        sql.offset = offsetof(pf_sql_side, arg_set);
        break;
    case PF_COLUMN_ZERO:
        sql.source = PF_SQL_ZERO;
        break;
    case PF_COLUMN_NULL_INT:
        sql.source = PF_SQL_NULL_INT;
        break;
    case PF_COLUMN_NULL_TEXT:
        sql.source = PF_SQL_NULL_TEXT;
        break;
    default:
        sql.source = PF_SQL_ROW;
        break;
    }
    return sql;
}

static size_t side_bytes(const pf_side_table *s)
{
    return sizeof(pf_sql_side) + s->spec->column_count * sizeof(void *);
}

static size_t column_bytes(const pf_side_table *s)
{
    return (s->spec->column_count + 1) * sizeof(pf_sql_column);
}

static pf_sql_side *new_side(pf_query *q, const pf_side_table *s, pf_error *err)
{
    pf_sql_side *side = pf_alloc_zero(q->budget, 1, side_bytes(s));
    pf_sql_column *columns = side ? pf_alloc_zero(q->budget, 1, column_bytes(s)) : NULL;
    if (!columns) {
        pf_release(q->budget, side, side ? side_bytes(s) : 0);
        pf_budget_refused(q->budget, side_bytes(s), err);
        return NULL;
    }
    bool has_sets = false;
    size_t count = 0;
    columns[count++] = (pf_sql_column){.name = "id", .source = PF_SQL_ROW};
    for (size_t i = 0; i < s->spec->column_count; i++) {
        const pf_side_column *c = &s->spec->columns[i];
        side->cell[i] = s->column[i];
        has_sets |= (int)c->type == PF_COLUMN_ARG_SET;
        if (!(c->flags & PF_COLUMN_HIDDEN)) {
            columns[count] = column_of(c, i);
            columns[count].flags = count < PF_PLAN_COLUMN_END ? columns[count].flags : 0;
            count++;
        }
    }
    side->s = s;
    side->columns = columns;
    bool events = s == &q->trace->sides.known[PF_SIDE_STATE];
    side->spec = (pf_sql_spec){.name = s->spec->name,
                               .columns = columns,
                               .column_count = count,
                               .open = open_side,
                               .load = !has_sets ? NULL
                                       : events  ? load_event_sets
                                                 : load_row_sets};
    return side;
}

pf_status pf_sql_add_sides(pf_query *q, pf_error *err)
{
    size_t count = pf_trace_table_count(q->trace);
    q->sides = pf_alloc_zero(q->budget, count, sizeof *q->sides);
    if (!q->sides) {
        return pf_budget_refused(q->budget, count * sizeof *q->sides, err);
    }
    q->side_count = count;
    for (size_t i = 0; i < count; i++) {
        q->sides[i] = new_side(q, pf_trace_table_at(q->trace, i), err);
        if (!q->sides[i]) {
            return err->code;
        }
        pf_sql_table *table = &q->tables[pf_sql_spec_count + i];
        table->spec = &q->sides[i]->spec;
        table->base = q->sides[i];
    }
    return PF_OK;
}

void pf_sql_free_sides(pf_query *q)
{
    for (size_t i = 0; i < q->side_count; i++) {
        if (q->sides[i]) {
            pf_release(q->budget, q->sides[i]->columns, column_bytes(q->sides[i]->s));
            pf_release(q->budget, q->sides[i], side_bytes(q->sides[i]->s));
        }
    }
    pf_release(q->budget, q->sides, q->side_count * sizeof *q->sides);
}
