/* query/tables/model_cells.c - cells that are put into the tables of the trace: which tracks are visible, and whose
 * they are.
 *
 * The model has a row for every described track; Perfetto shows those that have events and the ancestors of those. Of
 * a thread's track it gives the thread only, not the process.
 */
#include <string.h>

#include "base/list.h"
#include "query/tables/model_tables.h"

uint32_t pf_sql_rows_of(const pf_query *q, const char *table)
{
    size_t i = 0;
    while (i < q->table_count && !(q->models[i] && strcmp(q->models[i]->of, table) == 0)) {
        i++;
    }
    return i < q->table_count ? q->tables[i].rows : 0;
}

void pf_sql_set_cells(pf_query *q, const char *table, const char *column, const uint32_t *cells)
{
    for (size_t i = 0; i < q->table_count; i++) {
        pf_sql_model *m = q->models[i];
        for (size_t c = 0; m && strcmp(m->of, table) == 0 && c < m->spec.column_count; c++) {
            if (strcmp(m->columns[c].name, column) == 0) {
                m->cell[c].array = cells;
            }
        }
    }
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* Marks a track and its ancestors; stops where the way is marked already, so that all tracks together cost one walk. */
static void mark(const pf_tracks *t, uint8_t *marked, uint32_t track)
{
    while (track < t->count && !marked[track]) {
        marked[track] = 1;
        track = t->parent[track];
    }
}

pf_status pf_sql_tracks_open(pf_query *q, pf_sql_table *table, pf_error *err)
{
    const pf_tracks *t = pf_trace_tracks(q->trace);
    uint32_t *upid, *visible; /* upid is the dimension: PF_NONE for tracks of threads */
    uint8_t *marked;
    PF_TRY(PF_ARENA_NEW(&q->arena, upid, t->count, err));
    PF_TRY(PF_ARENA_NEW(&q->arena, visible, t->count, err));
    PF_TRY(PF_LIST_NEW(q->budget, marked, t->count, err));
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
    PF_LIST_FREE(q->budget, marked, t->count);
    table->visible = visible;
    pf_sql_set_cells(q, "track", "upid", upid);
    return PF_OK;
}
