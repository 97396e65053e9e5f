/* tables/data.c - opening the tables of a trace, loading what is made on first use. */
#include "tables/data.h"

static pf_status add_tables(pf_data *d, const pf_data_spec *more, size_t count, pf_error *err)
{
    size_t sides = pf_trace_table_count(d->trace), specs = pf_data_spec_count + count;
    PF_TRY(PF_ARENA_NEW(&d->arena, d->tables, specs + sides, err));
    PF_TRY(PF_ARENA_NEW(&d->arena, d->models, specs + sides, err));
    for (size_t i = 0; i < specs; i++) {
        const pf_data_spec *spec = i < pf_data_spec_count ? &pf_data_specs[i] : &more[i - pf_data_spec_count];
        d->tables[d->table_count++].spec = spec;
        PF_TRY(spec->of ? pf_data_add_main(d, i, spec, err) : PF_OK);
    }
    for (size_t i = 0; i < sides; i++) {
        PF_TRY(pf_data_add_side(d, d->table_count++, pf_trace_table_at(d->trace, i), err));
    }
    return PF_OK;
}

pf_status pf_data_open(pf_data *d, const pf_trace *trace, const pf_data_spec *more, size_t count, pf_error *err)
{
    *d = (pf_data){.trace = trace};
    d->budget = (pf_budget *)&trace->budget; /* its counters are atomic; the trace itself is not written to */
    pf_arena_init(&d->arena, d->budget);
    PF_TRY(add_tables(d, more, count, err));
    for (size_t i = 0; i < d->table_count; i++) {
        const pf_data_spec *spec = d->tables[i].spec;
        PF_TRY(spec->open ? spec->open(d, &d->tables[i], err) : PF_OK);
    }
    return PF_OK;
}

void pf_data_close(pf_data *d)
{
    pf_arena_free(&d->arena);
    pf_arg_store_free(&d->args);
}

pf_status pf_data_make(pf_data *d, pf_data_table *table, uint64_t columns, pf_error *err)
{
    columns |= table->made | 1; /* id, the number of the row */
    if (table->spec->make && columns != table->made) {
        PF_TRY(table->spec->make(d, table, columns, err));
        table->made = columns;
    }
    return PF_OK;
}

pf_status pf_data_load(pf_data *d, pf_data_table *table, pf_error *err)
{
    if (table->loaded || !table->spec->load) {
        return PF_OK;
    }
    PF_TRY(table->spec->load(d, err));
    table->loaded = true;
    return PF_OK;
}
