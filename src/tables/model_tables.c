/* tables/model_tables.c - the tables of the trace with all that is shown of them: what the model says of a column, in
 * a main table (model/trace/trace_tables.h) or a side table (postfetto/side_table.h), makes a column. Nothing here
 * knows a table by name.
 *
 * Arrays that are made on demand, such as the sets of arguments, are put into the columns that the model leaves to it.
 */
#include "tables/data.h"

#include "model/trace/thread_states.h"
#include "model/trace/trace_tables.h"

#define ARG_SET_FLAGS (PF_DATA_INDEX | PF_DATA_FEW | PF_DATA_LAZY)

typedef struct kind {
    pf_data_source source;
    unsigned flags;
} kind;

static kind kind_of_int(unsigned flags)
{
    bool sorted = flags & PF_COLUMN_SORTED;
    return (kind){sorted || flags & PF_COLUMN_ALWAYS ? PF_DATA_INT64 : PF_DATA_INT64_OR_NULL,
                  sorted ? PF_DATA_SORTED : 0};
}

static kind kind_of(int type, unsigned flags)
{
    static const kind kinds[] = {
        [PF_COLUMN_REAL] = {PF_DATA_REAL, 0},
        [PF_COLUMN_TEXT] = {PF_DATA_STRING, PF_DATA_INDEX},
        [PF_COLUMN_BLOB] = {PF_DATA_BLOB, 0},
        [PF_COLUMN_ROW] = {PF_DATA_UINT32, PF_DATA_INDEX},
        [PF_COLUMN_NUMBER] = {PF_DATA_ROW, 0},
        [PF_COLUMN_ZERO] = {PF_DATA_ZERO, 0},
        [PF_COLUMN_NULL_INT] = {PF_DATA_NULL_INT, 0},
        [PF_COLUMN_NULL_TEXT] = {PF_DATA_NULL_TEXT, 0},
        [PF_COLUMN_ARG_SET] = {PF_DATA_UINT32, ARG_SET_FLAGS},
        [PF_COLUMN_MADE_INT] = {PF_DATA_CALL_INT, 0},
        [PF_COLUMN_MADE_TEXT] = {PF_DATA_CALL_TEXT, 0},
        [PF_COLUMN_MADE_ROW] = {PF_DATA_UINT32, PF_DATA_INDEX},
    };
    kind k = type == PF_COLUMN_INT ? kind_of_int(flags) : kinds[type];
    k.flags |= flags & PF_COLUMN_FEW ? PF_DATA_FEW : 0;
    k.flags |= flags & PF_COLUMN_ALIAS ? PF_DATA_AGAIN : 0;
    k.flags &= flags & PF_COLUMN_PLAIN ? ~(unsigned)PF_DATA_INDEX : ~0u;
    return k;
}

/* Adds a column whose values lie in `cell`. */
static void add_column(pf_data_model *m, const char *name, kind k, pf_data_values cell)
{
    size_t i = m->spec.column_count++, at = offsetof(pf_data_model, cell) + i * sizeof cell;
    m->cell[i] = cell;
    m->columns[i] = (pf_data_column){.name = name,
                                     .source = k.source,
                                     .flags = k.flags,
                                     .offset = at + offsetof(pf_data_values, array),
                                     .through = cell.through ? at + offsetof(pf_data_values, through) : 0};
}

/* The table tables[number], with room for its columns. NULL if memory was refused. */
static pf_data_model *new_model(pf_data *d, size_t number, const char *of, size_t columns, pf_error *err)
{
    char *bytes;
    pf_data_model *m;
    if (PF_ARENA_NEW(&d->arena, bytes, sizeof *m + columns * sizeof *m->cell, err) != PF_OK) {
        return NULL;
    }
    m = (pf_data_model *)(void *)bytes;
    m->of = of;
    d->models[number] = m;
    return PF_ARENA_NEW(&d->arena, m->columns, columns, err) == PF_OK ? m : NULL;
}

static void set_table(pf_data_table *table, pf_data_model *m, uint32_t rows)
{
    m->spec.columns = m->columns;
    table->spec = &m->spec;
    table->base = m;
    table->rows = rows;
}

static pf_status set_made_columns(pf_data_model *m, pf_error *err)
{
    for (size_t i = 0; i < m->spec.column_count; i++) {
        pf_data_column *c = &m->columns[i];
        if (!pf_data_make_column(m->of, c) && (c->source == PF_DATA_CALL_INT || c->source == PF_DATA_CALL_TEXT)) {
            return pf_fail(err, PF_ERR_INTERNAL, "nothing makes the column %s of %s", c->name, m->of);
        }
    }
    return PF_OK;
}

pf_status pf_data_add_main(pf_data *d, size_t number, const pf_data_spec *spec, pf_error *err)
{
    const pf_trace *t = d->trace;
    const pf_main_table *of = pf_main_table_named(spec->of);
    pf_data_model *m = new_model(d, number, of->name, of->column_count, err);
    PF_TRY(m ? PF_OK : err->code);
    m->spec = *spec;
    for (size_t i = 0; i < of->column_count; i++) {
        const pf_main_column *c = &of->column[i];
        if (c->name && !(spec->finder && c->flags & PF_COLUMN_ALIAS)) { /* a function has no aliases */
            const void *own = pf_main_array(t, c->at);
            pf_data_values lent = {pf_main_array(t, c->of), pf_main_array(t, c->through)};
            add_column(m, c->name, kind_of(c->type, c->flags), own || !c->of ? (pf_data_values){own, NULL} : lent);
        }
    }
    set_table(&d->tables[number], m, pf_main_rows(t, of));
    return set_made_columns(m, err);
}

/* Cells of those of these columns that are shown. */
static void set_cells(pf_data_model *m, const pf_side_table *s, uint64_t columns)
{
    size_t n = 1; /* 0: id */
    for (size_t i = 0; i < s->spec->column_count; i++) {
        if (!(s->spec->columns[i].flags & PF_COLUMN_HIDDEN)) {
            m->cell[n].array = columns & pf_data_column_bit(n) ? s->column[i] : NULL;
            n++;
        }
    }
}

/* Rows and columns that the trace makes only now. */
static pf_status make_states(pf_data *d, pf_data_table *table, uint64_t columns, pf_error *err)
{
    size_t number = (size_t)(table - d->tables);
    const pf_side_table *s = pf_trace_table(d->trace, table->spec->name);
    uint32_t of_states = s == &d->trace->sides.known[PF_SIDE_THREAD_STATE] ? (uint32_t)(columns >> 1) : 0;
    /* Once for all who read the trace. */
    PF_TRY(pf_trace_make_thread_states((pf_trace *)(uintptr_t)d->trace, of_states, err));
    set_cells(d->models[number], s, columns);
    table->rows = s->count;
    return PF_OK;
}

pf_status pf_data_add_side(pf_data *d, size_t number, const pf_side_table *s, pf_error *err)
{
    const pf_side_table *known = d->trace->sides.known;
    pf_data_model *m = new_model(d, number, s->spec->name, s->spec->column_count + 1, err);
    PF_TRY(m ? PF_OK : err->code);
    bool is_cpu = s == &known[PF_SIDE_CPU]; /* whose id is the ucpu, its first column */
    add_column(m, "id", (kind){is_cpu ? PF_DATA_INT64 : PF_DATA_ROW, 0}, (pf_data_values){NULL, NULL});
    bool has_sets = false;
    for (size_t i = 0; i < s->spec->column_count; i++) {
        const pf_side_column *c = &s->spec->columns[i];
        has_sets |= (int)c->type == PF_COLUMN_ARG_SET;
        if (!(c->flags & PF_COLUMN_HIDDEN)) {
            unsigned flags = c->flags & PF_COLUMN_SORTED;
            kind k = kind_of((int)c->type, flags);
            k.flags |= c->type == PF_COLUMN_REAL ? PF_DATA_HOLES : 0;
            add_column(m, c->name, k, (pf_data_values){NULL, NULL});
        }
    }
    set_cells(m, s, UINT64_MAX);
    if (is_cpu) {
        m->cell[0] = m->cell[1];
    }
    bool is_late = s == &known[PF_SIDE_THREAD_STATE] || s == &known[PF_SIDE_SPURIOUS];
    m->spec.make = is_late && d->trace->want & PF_WANT_LATE_STATES ? make_states : NULL;
    m->spec.name = s->spec->name;
    /* States have the arguments of events. */
    m->spec.load = !has_sets ? NULL : s == &known[PF_SIDE_STATE] ? pf_data_args_load : pf_data_row_args_load;
    /* There is always a machine, even if nothing is known of it. */
    set_table(&d->tables[number], m, s == &known[PF_SIDE_MACHINE] && !s->count ? 1 : s->count);
    return set_made_columns(m, err);
}
