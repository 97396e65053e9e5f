/* analyze/gpu/times/gpu_gap_causes.c - point 3: the largest gaps, and what the host did meanwhile.
 *
 * Under the middle of a gap lie, on the thread that launched what ended it, an operator and a python function: the
 * innermost ones. They are found for all listed gaps in one walk over the slices, which looks up by binary search whose
 * middle it covers.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/report/gpu_tables.h"
#include "analyze/support/pass_memory.h"

/* Gaps that are listed: of a device, and in all. */
enum { MOST_OF_DEVICE = 20, MOST_GAPS = 1024 };

typedef struct listed_gap {
    const gpu_gap *gap;
    uint32_t device, thread; /* thread: utid, PF_NONE if unknown */
    int64_t middle;
    uint32_t operator, python; /* slices, or PF_NONE */
} listed_gap;

/* Longest first; the earlier of two. */
static int compare_gaps(const gpu_gap *x, const gpu_gap *y)
{
    uint64_t m = pf_interval_length(x->time), n = pf_interval_length(y->time);
    if (m != n) {
        return m > n ? -1 : 1;
    }
    return x->time.start < y->time.start ? -1 : x->time.start > y->time.start;
}

static int by_middle(const void *a, const void *b)
{
    const listed_gap *x = a, *y = b;
    return x->middle < y->middle ? -1 : x->middle > y->middle;
}

static int by_place(const void *a, const void *b)
{
    const listed_gap *x = a, *y = b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return compare_gaps(x->gap, y->gap);
}

static uint32_t thread_of(const gpu_facts *g, const gpu_gap *gap)
{
    uint32_t call = g->ops.call[gap->after];
    return call == PF_NONE ? PF_NONE
                           : pf_trace_tracks(g->trace)->utid[pf_trace_slices(g->trace)->track[g->calls.slice[call]]];
}

/* The longest gaps of a device, in order; `best` has room for them. Most gaps are shorter than the last of them. */
static size_t longest_gaps(const gpu_device *d, const gpu_gap **best, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < d->gap_count; i++) {
        const gpu_gap *gap = &d->gaps[i];
        if (n == room && compare_gaps(best[n - 1], gap) < 0) {
            continue;
        }
        size_t at = n < room ? n++ : n - 1;
        for (; at > 0 && compare_gaps(gap, best[at - 1]) < 0; at--) {
            best[at] = best[at - 1];
        }
        best[at] = gap;
    }
    return n;
}

static size_t take_gaps(const gpu_facts *g, uint32_t device, listed_gap *list, size_t room)
{
    const gpu_gap *best[MOST_OF_DEVICE];
    size_t n = longest_gaps(&g->devices[device], best, room);
    for (size_t i = 0; i < n; i++) {
        const pf_interval *time = &best[i]->time;
        list[i] = (listed_gap){.gap = best[i],
                               .device = device,
                               .thread = thread_of(g, best[i]),
                               .middle = time->start + (int64_t)(pf_interval_length(*time) / 2),
                               .operator= PF_NONE,
                               .python = PF_NONE};
    }
    return n;
}

/* ---- what the host did ------------------------------------------------------------------------------------------- */

static size_t first_from(const listed_gap *list, size_t n, int64_t ts)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].middle < ts) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Slices come in order of their starts: the last one that covers a middle is the innermost. */
static void look_under(const gpu_facts *g, listed_gap *list, size_t n)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const uint32_t *utid = pf_trace_tracks(g->trace)->utid;
    for (uint32_t i = 0; i < s->count && n; i++) {
        if (g->kind[i] != GPU_SLICE_OPERATOR && g->kind[i] != GPU_SLICE_PYTHON) {
            continue;
        }
        int64_t ts = pf_slice_ts(s, i), end;
        if (ts > list[n - 1].middle || s->dur[i] < 0 || __builtin_add_overflow(ts, s->dur[i], &end)) {
            continue;
        }
        for (size_t k = first_from(list, n, ts); k < n && list[k].middle < end; k++) {
            if (list[k].thread == utid[s->track[i]] && list[k].thread != PF_NONE) {
                *(g->kind[i] == GPU_SLICE_OPERATOR ? &list[k].operator : &list[k].python) = i;
            }
        }
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

pf_str pf_gpu_gap_cause(const gpu_gap *gap)
{
    return gap->host >= gap->waiting && gap->host >= gap->other ? PF_STR("host-bound")
           : gap->waiting >= gap->other                         ? PF_STR("kernel wait")
                                                                : PF_STR("other");
}

static pf_cell name_cell(const gpu_facts *g, uint32_t slice)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    return gpu_text_cell(slice == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(g->trace, pf_slice_name(s, slice)));
}

static void add_row(const gpu_facts *g, const listed_gap *l, gpu_tables *t, pf_findings *f)
{
    const gpu_device *d = &g->devices[l->device];
    const gpu_gap *gap = l->gap;
    uint32_t before = gap->before == PF_NONE ? PF_NONE : g->ops.slice[gap->before];
    const pf_cell row[] = {pf_gpu_input_cell(g, d->input),
                           pf_gpu_rank_cell(g, d->input),
                           gpu_int_cell(d->number),
                           gpu_int_cell(gap->time.start),
                           gpu_int_cell(gap->time.end),
                           gpu_count_cell(pf_interval_length(gap->time)),
                           gpu_text_cell(pf_gpu_gap_cause(gap)),
                           gpu_count_cell(gap->host),
                           gpu_count_cell(gap->waiting),
                           gpu_count_cell(gap->other),
                           name_cell(g, before),
                           name_cell(g, g->ops.slice[gap->after]),
                           name_cell(g, l->operator),
                           name_cell(g, l->python)};
    pf_table_row(f, t->table[GPU_TABLE_GAPS], row);
}

pf_status pf_gpu_gaps(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err)
{
    size_t share = g->device_count > MOST_GAPS / MOST_OF_DEVICE ? MOST_GAPS / g->device_count : MOST_OF_DEVICE, n = 0;
    listed_gap *list = pf_pass_array(g->arena, MOST_GAPS, sizeof *list, err);
    if (!list) {
        return err->code;
    }
    share = share ? share : 1;
    for (uint32_t i = 0; i < g->device_count && n < MOST_GAPS; i++) {
        n += take_gaps(g, i, list + n, share);
    }
    qsort(list, n, sizeof *list, by_middle);
    look_under(g, list, n);
    qsort(list, n, sizeof *list, by_place);
    for (size_t i = 0; i < n; i++) {
        add_row(g, &list[i], t, f);
    }
    return PF_OK;
}
