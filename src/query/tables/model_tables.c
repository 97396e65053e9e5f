/* query/tables/model_tables.c - the tables of the trace as tables of a session: what the model says of a column, in a
 * main table (model/trace/trace_tables.h) or a side table (postfetto/side_table.h), makes a column in SQL. Nothing here
 * knows a table by name.
 *
 * Arrays that only a query has, such as the sets of arguments, are put into the columns that the model leaves to it.
 */
#include "query/tables/model_tables.h"

#include "model/trace/trace_tables.h"
#include "query/vtab/plan.h"

/* ---- columns ----------------------------------------------------------------------------------------------------- */

#define ARG_SET_FLAGS (PF_SQL_INDEX | PF_SQL_FEW | PF_SQL_LAZY)

typedef struct kind {
    pf_sql_source source;
    unsigned flags;
} kind;

static kind kind_of_int(unsigned flags)
{
    bool sorted = flags & PF_COLUMN_SORTED;
    return (kind){sorted || flags & PF_COLUMN_ALWAYS ? PF_SQL_INT64 : PF_SQL_INT64_OR_NULL, sorted ? PF_SQL_SORTED : 0};
}

static kind kind_of(int type, unsigned flags)
{
    static const kind kinds[] = {
        [PF_COLUMN_REAL] = {PF_SQL_REAL, 0},
        [PF_COLUMN_TEXT] = {PF_SQL_STRING, PF_SQL_INDEX},
        [PF_COLUMN_BLOB] = {PF_SQL_BLOB, 0},
        [PF_COLUMN_ROW] = {PF_SQL_UINT32, PF_SQL_INDEX},
        [PF_COLUMN_NUMBER] = {PF_SQL_ROW, 0},
        [PF_COLUMN_ZERO] = {PF_SQL_ZERO, 0},
        [PF_COLUMN_NULL_INT] = {PF_SQL_NULL_INT, 0},
        [PF_COLUMN_NULL_TEXT] = {PF_SQL_NULL_TEXT, 0},
        [PF_COLUMN_ARG_SET] = {PF_SQL_UINT32, ARG_SET_FLAGS},
        [PF_COLUMN_MADE_INT] = {PF_SQL_CALL_INT, 0},
        [PF_COLUMN_MADE_TEXT] = {PF_SQL_CALL_TEXT, 0},
        [PF_COLUMN_MADE_ROW] = {PF_SQL_UINT32, PF_SQL_INDEX},
    };
    kind k = type == PF_COLUMN_INT ? kind_of_int(flags) : kinds[type];
    k.flags |= flags & PF_COLUMN_FEW ? PF_SQL_FEW : 0;
    k.flags &= flags & PF_COLUMN_PLAIN ? ~(unsigned)PF_SQL_INDEX : ~0u;
    return k;
}

/* Adds a column whose values lie in `cell`. */
static void add_column(pf_sql_model *m, const char *name, kind k, pf_sql_values cell)
{
    size_t i = m->spec.column_count++, at = offsetof(pf_sql_model, cell) + i * sizeof cell;
    m->cell[i] = cell;
    m->columns[i] = (pf_sql_column){.name = name,
                                    .source = k.source,
                                    .flags = i < PF_PLAN_COLUMN_END ? k.flags : 0,
                                    .offset = at + offsetof(pf_sql_values, array),
                                    .through = cell.through ? at + offsetof(pf_sql_values, through) : 0};
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* A table with room for the columns. NULL if memory was refused. */
static pf_sql_model *new_model(pf_query *q, const char *of, size_t columns, pf_error *err)
{
    char *bytes;
    pf_sql_model *m;
    if (PF_ARENA_NEW(&q->arena, bytes, sizeof *m + columns * sizeof *m->cell, err) != PF_OK) {
        return NULL;
    }
    m = (pf_sql_model *)(void *)bytes;
    m->of = of;
    return PF_ARENA_NEW(&q->arena, m->columns, columns, err) == PF_OK ? m : NULL;
}

static void set_table(pf_sql_table *table, pf_sql_model *m, uint32_t rows)
{
    m->spec.columns = m->columns;
    table->spec = &m->spec;
    table->base = m;
    table->rows = rows;
}

static void set_made_columns(pf_sql_model *m, pf_error *err)
{
    for (size_t i = 0; i < m->spec.column_count; i++) {
        pf_sql_column *c = &m->columns[i];
        if (!pf_sql_make_column(m->of, c) && (c->source == PF_SQL_CALL_INT || c->source == PF_SQL_CALL_TEXT)) {
            pf_fail(err, PF_ERR_INTERNAL, "nothing makes the column %s of %s", c->name, m->of);
        }
    }
}

/* A main table under the name of a spec, or a function with its rows, which has no aliases. */
static pf_sql_model *new_main(pf_query *q, pf_sql_table *table, const pf_sql_spec *spec, pf_error *err)
{
    const pf_trace *t = q->trace;
    const pf_main_table *of = pf_main_table_named(spec->of);
    pf_sql_model *m = new_model(q, of->name, of->column_count, err);
    if (!m) {
        return NULL;
    }
    m->spec = *spec;
    for (size_t i = 0; i < of->column_count; i++) {
        const pf_main_column *c = &of->column[i];
        if (c->name && !(spec->call && c->flags & PF_COLUMN_ALIAS)) {
            const void *own = pf_main_array(t, c->at);
            pf_sql_values lent = {pf_main_array(t, c->of), pf_main_array(t, c->through)};
            add_column(m, c->name, kind_of(c->type, c->flags), own || !c->of ? (pf_sql_values){own, NULL} : lent);
        }
    }
    set_table(table, m, pf_main_rows(t, of));
    set_made_columns(m, err);
    return m;
}

static pf_sql_model *new_side(pf_query *q, pf_sql_table *table, const pf_side_table *s, pf_error *err)
{
    const pf_side_table *known = q->trace->sides.known;
    pf_sql_model *m = new_model(q, s->spec->name, s->spec->column_count + 1, err);
    if (!m) {
        return NULL;
    }
    add_column(m, "id", (kind){PF_SQL_ROW, 0}, (pf_sql_values){NULL, NULL});
    bool has_sets = false;
    for (size_t i = 0; i < s->spec->column_count; i++) {
        const pf_side_column *c = &s->spec->columns[i];
        has_sets |= (int)c->type == PF_COLUMN_ARG_SET;
        if (!(c->flags & PF_COLUMN_HIDDEN)) {
            unsigned flags = c->flags & PF_COLUMN_SORTED;
            add_column(m, c->name, kind_of((int)c->type, flags), (pf_sql_values){s->column[i], NULL});
        }
    }
    m->spec.name = s->spec->name;
    /* States have the arguments of events. */
    m->spec.load = !has_sets ? NULL : s == &known[PF_SIDE_STATE] ? pf_sql_args_load : pf_sql_row_args_load;
    /* There is always a machine, even if nothing is known of it. */
    set_table(table, m, s == &known[PF_SIDE_MACHINE] ? 1 : s->count);
    return m;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

pf_status pf_sql_add_models(pf_query *q, pf_error *err)
{
    pf_error own = {0};
    PF_TRY(PF_ARENA_NEW(&q->arena, q->models, q->table_count, err));
    for (size_t i = 0; i < q->table_count && own.code == PF_OK; i++) {
        pf_sql_table *table = &q->tables[i];
        if (i >= pf_sql_spec_count) {
            q->models[i] = new_side(q, table, pf_trace_table_at(q->trace, i - pf_sql_spec_count), &own);
        } else if (pf_sql_specs[i].of) {
            q->models[i] = new_main(q, table, &pf_sql_specs[i], &own);
        } else {
            table->spec = &pf_sql_specs[i];
        }
    }
    if (own.code != PF_OK) {
        *err = own;
    }
    return own.code;
}
