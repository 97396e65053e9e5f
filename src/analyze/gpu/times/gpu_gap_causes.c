/* analyze/gpu/times/gpu_gap_causes.c - point 3: the largest gaps, and what the host did meanwhile.
 *
 * Under the middle of a gap lie, on the thread that launched what ended it, an operator and a python function: the
 * innermost ones. They are found for all listed gaps in one walk over the slices, with the gaps in order of their
 * middles.
 */
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

/* Gaps that are listed: of a device, and in all. */
enum { MOST_OF_DEVICE = 20, MOST_GAPS = 1024 };

/* Longest first; the earlier of two. */
static int compare_times(pf_interval x, pf_interval y)
{
    int order = PF_COMPARE(pf_interval_length(y), pf_interval_length(x));
    return order ? order : PF_COMPARE(x.start, y.start);
}

static bool is_later(const void *gaps, uint32_t a, uint32_t b)
{
    const gpu_listed_gap *list = gaps;
    return list[a].middle > list[b].middle;
}

static uint32_t thread_of(const gpu_facts *g, const gpu_gap *gap)
{
    uint32_t call = gpu_call_of(g, gap->after);
    return call == PF_NONE ? PF_NONE : gpu_thread_of_slice(g, g->calls.slice[call]);
}

static pf_interval gap_time(const gpu_device *d, size_t gap)
{
    return (pf_interval){d->busy.list[gap].end, d->busy.list[gap + 1].start};
}

/* The longest gaps of a device, in order; `best` has room for them. Most gaps are shorter than the last of them. */
static size_t longest_gaps(const gpu_device *d, size_t *best, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < d->gap_count; i++) {
        pf_interval time = gap_time(d, i);
        if (n == room && compare_times(gap_time(d, best[n - 1]), time) < 0) {
            continue;
        }
        size_t at = n < room ? n++ : n - 1;
        for (; at > 0 && compare_times(time, gap_time(d, best[at - 1])) < 0; at--) {
            best[at] = best[at - 1];
        }
        best[at] = i;
    }
    return n;
}

static size_t take_gaps(const gpu_facts *g, uint32_t device, gpu_listed_gap *list, size_t room)
{
    size_t best[MOST_OF_DEVICE], n = longest_gaps(&g->devices[device], best, room);
    for (size_t i = 0; i < n; i++) {
        const gpu_gap gap = pf_gpu_gap_at(g, &g->devices[device], best[i]);
        list[i] = (gpu_listed_gap){.gap = gap,
                                   .device = device,
                                   .thread = thread_of(g, &gap),
                                   .middle = gap.time.start + (int64_t)(pf_interval_length(gap.time) / 2),
                                   .operator= PF_NONE,
                                   .python = PF_NONE};
    }
    return n;
}

/* ---- what the host did ------------------------------------------------------------------------------------------- */

/* Slices come in order of their starts: the last one that covers a middle is the innermost; one without an end, whose
 * length is -1, covers none. `from`: the first gap whose middle is not before the slice. */
static void look_under(const gpu_facts *g, gpu_listed_gap *list, const uint32_t *order, uint32_t n)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const uint32_t *utid = pf_trace_tracks(g->trace)->utid;
    uint32_t from = 0;
    for (uint32_t i = 0; i < s->count && from < n; i++) {
        if (g->kind[i] != GPU_SLICE_OPERATOR && g->kind[i] != GPU_SLICE_PYTHON) {
            continue;
        }
        int64_t ts = pf_slice_ts(s, i), end;
        while (from < n && list[order[from]].middle < ts) {
            from++;
        }
        if (__builtin_add_overflow(ts, s->dur[i], &end)) {
            continue;
        }
        for (uint32_t k = from; k < n && list[order[k]].middle < end; k++) {
            gpu_listed_gap *gap = &list[order[k]];
            if (gap->thread == utid[s->track[i]] && gap->thread != PF_NONE) {
                *(g->kind[i] == GPU_SLICE_OPERATOR ? &gap->operator : &gap->python) = i;
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

/* The last operation, in order of starts, that ends where the gap begins: there is one, for a gap follows it. */
static uint32_t ended_before(const gpu_facts *g, const gpu_gap *gap)
{
    uint32_t at = gap->after - 1;
    while (g->ops.end[at] != gap->time.start) {
        at--;
    }
    return at;
}

pf_status pf_gpu_gaps_list(gpu_facts *g, gpu_gap_list *out, pf_error *err)
{
    size_t share = g->device_count > MOST_GAPS / MOST_OF_DEVICE ? MOST_GAPS / g->device_count : MOST_OF_DEVICE, n = 0;
    uint32_t order[MOST_GAPS], scratch[MOST_GAPS];
    gpu_listed_gap *list;
    PF_TRY(PF_PASS_ARRAY(g->arena, MOST_GAPS, list, err));
    share = share ? share : 1;
    for (uint32_t i = 0; i < g->device_count && n < MOST_GAPS; i++) {
        n += take_gaps(g, i, list + n, share);
    }
    pf_order_rows(order, scratch, (uint32_t)n, is_later, list);
    look_under(g, list, order, (uint32_t)n);
    *out = (gpu_gap_list){list, n};
    return PF_OK;
}

void pf_gpu_gaps_tabulate(const gpu_facts *g, const gpu_gap_list *gaps)
{
    for (const gpu_listed_gap *l = gaps->list; l < gaps->list + gaps->count; l++) {
        const gpu_device *d = &g->devices[l->device];
        const gpu_gap *gap = &l->gap;
        GPU_ROW(g, GPU_TABLE_GAPS, GPU_DEVICE(g, d), pf_cell_int(gap->time.start), pf_cell_int(gap->time.end),
                pf_cell_count(pf_interval_length(gap->time)), pf_cell_text(pf_gpu_gap_cause(gap)),
                pf_cell_count(gap->host), pf_cell_count(gap->waiting), pf_cell_count(gap->other),
                pf_gpu_slice_cell(g, g->ops.slice[ended_before(g, gap)]),
                pf_gpu_slice_cell(g, g->ops.slice[gap->after]), pf_gpu_slice_cell(g, l->operator),
                pf_gpu_slice_cell(g, l->python));
    }
}
