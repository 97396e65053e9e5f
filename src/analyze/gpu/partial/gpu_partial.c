/* analyze/gpu/partial/gpu_partial.c - what a partial has besides the tables. */
#include "analyze/gpu/partial/gpu_partial.h"

#include "base/str.h"
#include "model/trace/trace.h"

#define INT PF_INT_COLUMN
#define TEXT PF_TEXT_COLUMN

const pf_pass_table pf_gpu_parts[GPU_PARTS] = {
    [GPU_PART_INPUTS] = PF_PASS_TABLE("gpu_part_inputs", "an input", TEXT("input"), TEXT("hash"), INT("left_out", ""),
                                      INT("data_lost", "")),
    [GPU_PART_DEVICES] = PF_PASS_TABLE("gpu_part_devices", "a device of an input, or an input without devices",
                                       TEXT("input"), INT("streams", ""), INT("depths", ""), INT("steady_ns", "ns")),
    [GPU_PART_CALLS] = PF_PASS_TABLE("gpu_part_calls", "a call of a collective", TEXT("input"), TEXT("kind"),
                                     TEXT("group"), TEXT("members"), INT("bytes", "bytes"), INT("start_ns", "ns"),
                                     INT("end_ns", "ns"), INT("work_ns", "ns")),
    [GPU_PART_WINDOWS] = PF_PASS_TABLE("gpu_part_windows", "a window of a device's time", TEXT("input"),
                                       INT("busy_ns", "ns"), INT("communication_ns", "ns"), INT("exposed_ns", "ns")),
};

void pf_gpu_make_parts(pf_findings *f, pf_table_builder *parts[GPU_PARTS])
{
    for (size_t i = 0; i < GPU_PARTS; i++) {
        const pf_pass_table *p = &pf_gpu_parts[i];
        parts[i] = pf_table_new_named(f, p->name, pf_str_of(p->help), p->columns, p->column_count);
    }
}

static void add_input(gpu_results *r, pf_table_builder *const *parts, uint32_t input)
{
    const gpu_facts *g = &r->facts;
    const gpu_rank *rank = &g->ranks[input];
    char hash[33];
    pf_trace_hash_input(g->trace, input, hash);
    PF_TABLE_ROW(g->f, parts[GPU_PART_INPUTS], pf_gpu_input_cell(g, input), pf_cell_text(pf_str_of(hash)),
                 pf_cell_count(input ? 0 : g->unusable), pf_cell_int(r->scheduler.lost));
    for (uint32_t i = 0; i < rank->device_count || i == 0; i++) {
        static const gpu_device none;
        const gpu_device *d = rank->device_count ? &g->devices[rank->first_device + i] : &none;
        uint32_t device = rank->device_count ? rank->first_device + i : PF_NONE;
        const gpu_device_steps *steps = pf_gpu_steps_of(g, &r->steps, input, device);
        PF_TABLE_ROW(g->f, parts[GPU_PART_DEVICES], pf_gpu_input_cell(g, input), pf_cell_count(d->stream_count),
                     pf_cell_count(d->depths), pf_cell_count(steps->steady.total));
    }
}

static void add_windows(const gpu_results *r, pf_table_builder *table)
{
    const gpu_facts *g = &r->facts;
    for (size_t i = 0; i < (size_t)g->device_count * GPU_WINDOWS; i++) {
        const gpu_window *w = &r->ranks.windows[i];
        PF_TABLE_ROW(g->f, table, pf_gpu_input_cell(g, g->devices[i / GPU_WINDOWS].input), pf_cell_count(w->busy),
                     pf_cell_count(w->communication), pf_cell_count(w->exposed));
    }
}

pf_status pf_gpu_add_parts(gpu_results *r, pf_error *err)
{
    gpu_facts *g = &r->facts;
    pf_table_builder *parts[GPU_PARTS];
    gpu_ranks calls; /* those of r->ranks that have no partner are gone */
    PF_TRY(r->ranks.windows ? PF_OK : pf_gpu_measure_windows(g, &r->ranks, err));
    pf_gpu_make_parts(g->f, parts);
    add_windows(r, parts[GPU_PART_WINDOWS]);
    for (uint32_t i = 0; i < g->rank_count; i++) {
        add_input(r, parts, i);
    }
    pf_status st = pf_gpu_ranks_init(&calls, g, err);
    st = st == PF_OK ? pf_gpu_list_calls(g, &calls, err) : st;
    for (uint32_t i = 0; i < calls.part_count && st == PF_OK; i++) {
        const gpu_rank_part *p = &calls.parts[i];
        const gpu_series key = pf_gpu_series_of(&calls, p->series);
        PF_TABLE_ROW(g->f, parts[GPU_PART_CALLS], pf_gpu_input_cell(g, p->input),
                     pf_cell_text(pf_gpu_collective_name(key.kind)),
                     pf_cell_text(pf_strings_get(&calls.texts, key.group)),
                     pf_cell_text(pf_strings_get(&calls.texts, key.members)), pf_cell_int(key.bytes),
                     pf_cell_int(p->began), pf_cell_int(p->end), pf_cell_int(p->work));
    }
    pf_gpu_ranks_free(&calls);
    return st == PF_OK ? pf_findings_status(g->f, err) : st;
}
