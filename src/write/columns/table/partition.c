/* write/columns/table/partition.c - which rows of a trace's tables belong to which of its inputs.
 *
 * Slices and counters belong to the input of their event, flows to that of the slice they leave, threads to that of
 * their process, and tracks to that of what is on them. A row that says nothing belongs to all. Arguments may be shared
 * by inputs, so they go with the rows that name their sets. */
#include "write/columns/table/partition.h"

#include <string.h>

static const char *const NAMES[PF_PARTS] = {
    [PF_PART_SLICE] = "slice", [PF_PART_COUNTER] = "counter",   [PF_PART_FLOW] = "flow",
    [PF_PART_STATE] = "state", [PF_PART_PROCESS] = "process",   [PF_PART_THREAD] = "thread",
    [PF_PART_TRACK] = "track", [PF_PART_METADATA] = "metadata", [PF_PART_STATS] = "stats",
    [PF_PART_ARGS] = "args",
};

size_t pf_partition_of(const char *table)
{
    size_t i = 0;
    while (i < PF_PARTS && strcmp(NAMES[i], table) != 0) {
        i++;
    }
    return i;
}

/* What rows of another table say; of_row NULL: what events do. */
static pf_status by_row(pf_col_trace *s, const uint32_t *row, const uint32_t *of_row, uint32_t rows,
                        const uint32_t **out, pf_error *err)
{
    uint32_t *input;
    PF_TRY(PF_ARENA_NEW(&s->arena, input, rows, err));
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t at = row ? row[i] : PF_NONE;
        input[i] = at == PF_NONE ? PF_NONE : of_row ? of_row[at] : pf_trace_event_input(s->data.trace, at);
    }
    *out = input;
    return PF_OK;
}

/* A track belongs to the input of its first event; one without events to that of its process; a parent whose tracks
 * belong to several inputs to all of them. */
static pf_status by_content(pf_partitions *p, pf_error *err)
{
    enum { UNKNOWN = PF_NONE - 1 };
    const pf_trace *trace = p->of->data.trace;
    const pf_tracks *t = pf_trace_tracks(trace);
    const pf_slices *s = pf_trace_slices(trace);
    const pf_counters *c = pf_trace_counters(trace);
    uint32_t *input;
    PF_TRY(PF_ARENA_NEW(&p->of->arena, input, t->count, err));
    for (uint32_t i = 0; i < t->count; i++) {
        input[i] = t->upid[i] != PF_NONE ? p->input[PF_PART_PROCESS][t->upid[i]] : (uint32_t)UNKNOWN;
    }
    for (uint32_t i = s->count; i-- > 0;) {
        input[s->track[i]] = p->input[PF_PART_SLICE][i];
    }
    for (uint32_t i = c->count; i-- > 0;) {
        input[c->track[i]] = p->input[PF_PART_COUNTER][i];
    }
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = t->used[i] ? t->parent[i] : PF_NONE;
        for (; at < t->count && input[at] != input[i] && input[at] != PF_NONE; at = t->parent[at]) {
            input[at] = input[at] == (uint32_t)UNKNOWN ? input[i] : PF_NONE;
        }
    }
    for (uint32_t i = 0; i < t->count; i++) {
        input[i] = input[i] == (uint32_t)UNKNOWN ? PF_NONE : input[i];
    }
    p->input[PF_PART_TRACK] = input;
    return PF_OK;
}

static pf_status by_kind_of_fault(pf_partitions *p, pf_error *err)
{
    const pf_data_table *stats = pf_data_find(&p->of->data, PF_STR("stats"));
    size_t kinds = pf_trace_stat_count(p->of->data.trace);
    uint32_t *input;
    PF_TRY(PF_ARENA_NEW(&p->of->arena, input, stats->rows, err));
    for (uint32_t i = 0; i < stats->rows; i++) {
        input[i] = (uint32_t)(i / kinds);
    }
    p->input[PF_PART_STATS] = input;
    return PF_OK;
}

pf_status pf_partitions_make(pf_partitions *p, pf_col_trace *s, pf_error *err)
{
    const pf_trace *t = s->data.trace;
    const pf_slices *slices = pf_trace_slices(t);
    const pf_counters *counters = pf_trace_counters(t);
    const pf_flows *flows = pf_trace_flows(t);
    const pf_threads *threads = pf_trace_threads(t);
    const pf_side_table *states = &t->sides.known[PF_SIDE_STATE];
    *p = (pf_partitions){.of = s};
    p->input[PF_PART_PROCESS] = pf_trace_processes(t)->input;
    p->input[PF_PART_METADATA] = pf_trace_metadata(t)->input;
    PF_TRY(by_row(s, slices->event, NULL, slices->count, &p->input[PF_PART_SLICE], err));
    PF_TRY(by_row(s, counters->event, NULL, counters->count, &p->input[PF_PART_COUNTER], err));
    PF_TRY(by_row(s, flows->slice_out, p->input[PF_PART_SLICE], flows->count, &p->input[PF_PART_FLOW], err));
    PF_TRY(by_row(s, threads->upid, p->input[PF_PART_PROCESS], threads->count, &p->input[PF_PART_THREAD], err));
    PF_TRY(by_content(p, err));
    PF_TRY(by_row(s, states->column[PF_STATE_EVENT], NULL, states->count, &p->input[PF_PART_STATE], err));
    return by_kind_of_fault(p, err);
}

pf_status pf_partition_select(const pf_partitions *p, uint32_t input, size_t part, pf_col_table *table, pf_error *err)
{
    const uint32_t *of = p->input[part], *visible = table->count ? table->cols[0].rows : NULL;
    uint32_t *rows, count = 0;
    PF_TRY(PF_ARENA_NEW(&p->of->arena, rows, table->rows, err));
    for (uint32_t i = 0; i < table->rows; i++) {
        uint32_t row = visible ? visible[i] : i;
        if (of[row] == input || of[row] == PF_NONE) {
            rows[count++] = row;
        }
    }
    pf_col_select(table, rows, count);
    return PF_OK;
}

/* Marks the sets that a column names. */
static void mark_sets(const pf_col *c, uint32_t rows, uint8_t *marked)
{
    enum { STEP = 1024 };
    uint32_t sets[STEP];
    uint8_t bits[STEP / 8];
    for (uint32_t from = 0; from < rows; from += STEP) {
        uint32_t n = rows - from < STEP ? rows - from : STEP;
        pf_col_fill(c, from, n, sets, bits);
        for (uint32_t i = 0; i < n; i++) {
            if (bits[i >> 3] >> (i & 7) & 1) {
                marked[sets[i]] = 1;
            }
        }
    }
}

pf_status pf_partition_select_args(const pf_partitions *p, const pf_col_table *tables, size_t count, pf_col_table *args,
                                   pf_error *err)
{
    static const char *const SETS[] = {"arg_set_id", "source_arg_set_id", "dimension_arg_set_id"};
    pf_col_trace *s = p->of;
    const pf_arg_store *store = &s->data.args;
    uint32_t *rows, found = 0;
    uint8_t *marked;
    PF_TRY(PF_ARENA_NEW(&s->arena, rows, store->count, err));
    PF_TRY(PF_ARENA_NEW(&s->arena, marked, store->count, err));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof SETS / sizeof *SETS; k++) {
            const pf_col *c = pf_col_named(&tables[i], SETS[k]);
            if (c && c->array) {
                mark_sets(c, tables[i].rows, marked);
            }
        }
    }
    for (uint32_t i = 0; i < store->count; i++) {
        if (marked[store->set[i]]) {
            rows[found++] = i;
        }
    }
    pf_col_select(args, rows, found);
    return PF_OK;
}
