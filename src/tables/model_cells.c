/* tables/model_cells.c - finding a table; cells that are put into those of the trace: which tracks are visible, and
 * whose they are.
 *
 * The model has a row for every described track; Perfetto shows those that have events and the ancestors of those. Of
 * a thread's track it gives the thread only, not the process.
 */

#include "base/list.h"
#include "base/str.h"
#include "tables/data.h"

pf_data_table *pf_data_find(const pf_data *d, pf_str name)
{
    for (size_t i = 0; i < d->table_count; i++) {
        if (pf_str_is(name, d->tables[i].spec->name)) {
            return &d->tables[i];
        }
    }
    return NULL;
}

uint32_t pf_data_rows_of(const pf_data *d, const char *table)
{
    size_t i = 0;
    while (i < d->table_count && !(d->models[i] && strcmp(d->models[i]->of, table) == 0)) {
        i++;
    }
    return i < d->table_count ? d->tables[i].rows : 0;
}

void pf_data_set_cells(pf_data *d, const char *table, const char *column, const uint32_t *cells)
{
    for (size_t i = 0; i < d->table_count; i++) {
        pf_data_model *m = d->models[i];
        for (size_t c = 0; m && strcmp(m->of, table) == 0 && c < m->spec.column_count; c++) {
            if (strcmp(m->columns[c].name, column) == 0) {
                m->cell[c].array = cells;
            }
        }
    }
}

/* Marks a track and its ancestors; stops where the way is marked already, so that all tracks together cost one walk. */
static void mark(const pf_tracks *t, uint8_t *marked, uint32_t track)
{
    while (track < t->count && !marked[track]) {
        marked[track] = 1;
        track = t->parent[track];
    }
}

pf_status pf_data_tracks_open(pf_data *d, pf_data_table *table, pf_error *err)
{
    const pf_tracks *t = pf_trace_tracks(d->trace);
    uint32_t *upid, *visible; /* upid is the dimension: PF_NONE for tracks of threads */
    uint8_t *marked;
    PF_TRY(PF_ARENA_NEW(&d->arena, upid, t->count, err));
    PF_TRY(PF_ARENA_NEW(&d->arena, visible, t->count, err));
    PF_TRY(PF_LIST_NEW(d->budget, marked, t->count, err));
    for (uint32_t i = 0; i < t->count; i++) {
        upid[i] = t->utid[i] == PF_NONE ? t->upid[i] : PF_NONE;
        if (t->used[i]) {
            mark(t, marked, i);
        }
    }
    for (uint32_t i = 0; i < t->count; i++) {
        if (marked[i]) {
            visible[table->visible_count++] = i;
        }
    }
    PF_LIST_FREE(d->budget, marked, t->count);
    table->visible = visible;
    pf_data_set_cells(d, "track", "upid", upid);
    return PF_OK;
}
