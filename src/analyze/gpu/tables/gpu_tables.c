/* analyze/gpu/tables/gpu_tables.c - the tables as data: names, columns, units; and the rows of devices and streams. */
#include <inttypes.h>

#include "analyze/gpu/facts/gpu.h"
#include "analyze/pass/merge_rules.h"
#include "analyze/scheduler/thread_windows.h"
#include "base/str.h"

#define INT PF_INT_COLUMN
#define TEXT PF_TEXT_COLUMN
#define REAL_OF(name, unit) PF_REAL_COLUMN(name, -1, unit)
#define NS(name) INT(name, "ns")
#define COUNT(name) INT(name, "")
#define BYTES INT("bytes", "bytes")
#define GB_PER_S(name) PF_REAL_COLUMN(name "_gb_per_s", 3, "GB/s")
#define PERCENT(name) PF_REAL_COLUMN(name "_percent", 2, "%")

/* The columns of GPU_WHOSE, GPU_DEVICE, GPU_WORK, GPU_TIMES after the number of events, GPU_SPREAD, GPU_STATS. */
#define WHOSE TEXT("input"), COUNT("rank")
#define DEVICE WHOSE, COUNT("device")
#define WORK                                                                                                           \
    NS("busy_ns"), NS("compute_ns"), NS("communication_ns"), NS("memory_ns"), NS("idle_ns"), NS("overlap_ns"),         \
        NS("exposed_communication_ns"), NS("exposed_memcpy_ns"), PERCENT("busy")
#define TIMES COUNT("events"), NS("start_ns"), NS("end_ns"), NS("span_ns"), WORK
#define CAUSES NS("idle_host_bound_ns"), NS("idle_kernel_wait_ns"), NS("idle_other_ns"), TEXT("idle_cause")
#define MODULE COUNT("calls"), NS("total_ns"), NS("self_ns"), COUNT("launched"), NS("device_ns"), NS("device_self_ns")
#define SPREAD NS("mean_ns"), NS("median_ns"), NS("p95_ns"), NS("min_ns"), NS("max_ns")
#define SPREAD_OF(what) NS(what "_mean"), NS(what "_median"), NS(what "_p95"), NS(what "_min"), NS(what "_max")
#define STATS COUNT("calls"), NS("total_ns"), SPREAD

const pf_pass_table pf_gpu_tables[GPU_TABLES] = {
    [GPU_TABLE_DEVICES] = PF_PASS_TABLE("gpu_devices", "a device of an input", DEVICE, TEXT("device_name"), TIMES,
                                        COUNT("max_concurrency"), CAUSES, TEXT("label")),
    [GPU_TABLE_STREAMS] = PF_PASS_TABLE("gpu_streams", "a stream of a device", DEVICE, COUNT("stream"),
                                        TEXT("stream_name"), TIMES, CAUSES),
    [GPU_TABLE_CONCURRENCY] =
        PF_PASS_TABLE("gpu_concurrency", "time of a device with that many operations running at once", DEVICE,
                      COUNT("running"), NS("time_ns")),
    [GPU_TABLE_KERNELS] =
        PF_PASS_TABLE("gpu_kernels", "a kernel of an input, by name", WHOSE, TEXT("name"), TEXT("class"), STATS,
                      PERCENT("share"), TEXT("grid"), TEXT("block"), COUNT("registers_per_thread"),
                      INT("shared_memory_bytes", "bytes"), PERCENT("occupancy")),
    [GPU_TABLE_MEMCPY] = PF_PASS_TABLE("gpu_memcpy", "memcpy and memset of an input, by name", WHOSE, TEXT("name"),
                                       TEXT("kind"), STATS, BYTES, GB_PER_S("bandwidth")),
    [GPU_TABLE_COLLECTIVES] = PF_PASS_TABLE("gpu_collectives", "collectives of an input, by kind, size and group",
                                            WHOSE, TEXT("kind"), BYTES, COUNT("ranks"), TEXT("type"), TEXT("group"),
                                            STATS, GB_PER_S("algorithm_bandwidth"), GB_PER_S("bus_bandwidth")),
    [GPU_TABLE_OPERATORS] =
        PF_PASS_TABLE("gpu_operators", "an operator of the host and what it launched", WHOSE, TEXT("name"),
                      TEXT("shapes"), COUNT("calls"), NS("host_ns"), NS("host_self_ns"), COUNT("launched"),
                      COUNT("launched_self"), NS("device_ns"), NS("device_self_ns")),
    [GPU_TABLE_OPERATOR_KERNELS] =
        PF_PASS_TABLE("gpu_operator_kernels", "what an operator of the host launched itself, by name", WHOSE,
                      TEXT("operator"), TEXT("shapes"), TEXT("kernel"), TEXT("class"), COUNT("calls"), NS("total_ns"),
                      NS("mean_ns"), NS("min_ns"), NS("max_ns"), PERCENT("share")),
    [GPU_TABLE_FLOPS] = PF_PASS_TABLE(
        "gpu_flops", "a matmul, convolution or attention operator, by the inputs of its calls", WHOSE, TEXT("name"),
        TEXT("kind"), TEXT("shapes"), TEXT("type"), COUNT("calls"), NS("host_ns"), COUNT("launched"), NS("device_ns"),
        INT("flop", "FLOP"), BYTES, PF_REAL_COLUMN("tflop_per_s", 3, "TFLOP/s"), GB_PER_S("bandwidth"),
        PF_REAL_COLUMN("intensity", 2, "FLOP/byte"), PERCENT("peak"), TEXT("bound")),
    [GPU_TABLE_MODULES] =
        PF_PASS_TABLE("gpu_modules", "a module of the network (nn.Module) on the host", WHOSE, TEXT("name"), MODULE),
    [GPU_TABLE_MODULE_TREE] =
        PF_PASS_TABLE("gpu_module_tree", "a module of the network with the modules around it, and what it launched",
                      WHOSE, COUNT("node"), COUNT("parent"), COUNT("depth"), TEXT("name"), MODULE),
    [GPU_TABLE_THREADS] = PF_PASS_TABLE("gpu_threads", "a thread of the host", WHOSE, COUNT("process"), COUNT("thread"),
                                        TEXT("thread_name"), COUNT("events"), NS("start_ns"), NS("end_ns"),
                                        NS("busy_ns"), NS("operator_ns")),
    [GPU_TABLE_COUNTERS] =
        PF_PASS_TABLE("gpu_counters", "a counter of CUPTI's profiler, by the kernel that it was counted for", WHOSE,
                      TEXT("name"), TEXT("counter"), COUNT("ranges"), REAL_OF("sum", ""), REAL_OF("mean", ""),
                      REAL_OF("min", ""), REAL_OF("max", "")),
    [GPU_TABLE_MEMORY] = PF_PASS_TABLE("gpu_memory", "memory of the framework's allocator, by device", DEVICE,
                                       TEXT("memory"), COUNT("allocations"), COUNT("frees"),
                                       INT("allocated_bytes", "bytes"), INT("freed_bytes", "bytes"),
                                       INT("peak_bytes", "bytes"), NS("peak_ns"), INT("peak_recorded_bytes", "bytes"),
                                       INT("reserved_bytes", "bytes"), INT("end_bytes", "bytes"), TEXT("label")),
    [GPU_TABLE_MEMORY_HOLDERS] =
        PF_PASS_TABLE("gpu_memory_holders", "what had allocated the memory that a device held at its peak", DEVICE,
                      TEXT("memory"), TEXT("operator"), TEXT("python_function"), TEXT("module"), TEXT("allocated"),
                      COUNT("allocations"), BYTES, PERCENT("share"), TEXT("label")),
    [GPU_TABLE_LAUNCHES] = PF_PASS_TABLE(
        "gpu_launches", "launches of a device, its queue, and its idle time by cause", DEVICE, COUNT("launches"),
        COUNT("graph_launches"), COUNT("events_without_call"), SPREAD_OF("delay"), SPREAD_OF("wait"),
        COUNT("shorter_than_launch"), NS("shorter_than_launch_ns"), REAL_OF("queue_depth_mean", ""),
        COUNT("queue_depth_max"), NS("idle_host_bound_ns"), NS("idle_kernel_wait_ns"), NS("idle_other_ns")),
    [GPU_TABLE_QUEUE] = PF_PASS_TABLE(
        "gpu_queue", "the queue of a device in a window of time: operations launched and not started", DEVICE,
        NS("start_ns"), NS("end_ns"), NS("empty_ns"), REAL_OF("depth_mean", ""), COUNT("depth_max")),
    [GPU_TABLE_GAPS] = PF_PASS_TABLE("gpu_gaps", "the largest gaps of a device, and what the host did meanwhile",
                                     DEVICE, NS("start_ns"), NS("end_ns"), NS("length_ns"), TEXT("cause"),
                                     NS("host_bound_ns"), NS("kernel_wait_ns"), NS("other_ns"), TEXT("before"),
                                     TEXT("after"), TEXT("host_operator"), TEXT("python_function"), TEXT("label")),
    [GPU_TABLE_HOST_GAPS] =
        PF_PASS_TABLE("gpu_host_gaps", "what the thread that ended a host-bound gap did meanwhile, by the scheduler",
                      DEVICE, PF_WINDOW_COLUMNS, TEXT("label")),
    [GPU_TABLE_HOST_WAKERS] =
        PF_PASS_TABLE("gpu_host_wakers", "who ended the longest wait in a host-bound gap, who woke that one, and so on",
                      DEVICE, PF_WAKER_COLUMNS),
    [GPU_TABLE_RUNTIME] = PF_PASS_TABLE("gpu_runtime", "calls of the runtime and the driver, by name", WHOSE,
                                        TEXT("name"), STATS, PERCENT("share"), COUNT("launched")),
    [GPU_TABLE_SYNCS] =
        PF_PASS_TABLE("gpu_syncs", "calls that wait for the device, by name", WHOSE, TEXT("name"), STATS),
    [GPU_TABLE_STEPS] =
        PF_PASS_TABLE("gpu_steps", "a step of an input on one of its devices", DEVICE, COUNT("step"), TEXT("name"),
                      TEXT("mark"), NS("host_start_ns"), NS("host_end_ns"), COUNT("events"), NS("start_ns"),
                      NS("end_ns"), NS("span_ns"), NS("period_ns"), WORK, NS("lag_ns"), TEXT("label")),
    [GPU_TABLE_STEP_SUMMARY] =
        PF_PASS_TABLE("gpu_step_summary", "the steady state of an input on one of its devices", DEVICE, TEXT("source"),
                      TEXT("length"), COUNT("steps"), COUNT("warm_up"), COUNT("outliers"), COUNT("steady"), SPREAD,
                      PERCENT("busy"), PERCENT("exposed_communication"), PF_REAL_COLUMN("items_per_second", 3, "1/s"),
                      PF_REAL_COLUMN("flops_per_second", 0, "FLOP/s"), COUNT("events_in_no_step"),
                      COUNT("launches_in_no_step"), COUNT("events_by_stream"), COUNT("events_by_clock"), TEXT("label")),
    [GPU_TABLE_CRITICAL_PATH] = PF_PASS_TABLE("gpu_critical_path", "a segment of the critical path of a step", WHOSE,
                                              COUNT("step"), TEXT("kind"), TEXT("name"), NS("start_ns"), NS("end_ns"),
                                              NS("length_ns"), COUNT("thread"), COUNT("device"), COUNT("stream")),
    [GPU_TABLE_CRITICAL_PATH_SHARE] =
        PF_PASS_TABLE("gpu_critical_path_share", "what the critical path of a step on a device is made of", DEVICE,
                      COUNT("step"), PERCENT("compute"), PERCENT("communication"), PERCENT("memory"), PERCENT("launch"),
                      PERCENT("host"), PERCENT("waiting")),
    [GPU_TABLE_RANKS] = PF_PASS_TABLE(
        "gpu_ranks", "an input: what it did, its clock, and what it lost and caused in collectives", WHOSE,
        COUNT("devices"), COUNT("events"), COUNT("steps"), NS("median_step_ns"), NS("busy_ns"), NS("compute_ns"),
        NS("communication_ns"), NS("exposed_communication_ns"), NS("exposed_memcpy_ns"), NS("idle_ns"),
        COUNT("collectives"), NS("clock_offset"), NS("clock_offset_error"), NS("clock_line_at"),
        NS("clock_line_offset"), PF_REAL_COLUMN("drift_ppb", 3, "ppb"), NS("clock_uncertainty"), COUNT("last"),
        NS("caused_ns"), NS("waited_ns"), PF_REAL_COLUMN("work_correlation", 3, ""), TEXT("label")),
    [GPU_TABLE_STRAGGLERS] = PF_PASS_TABLE(
        "gpu_stragglers", "a collective of several inputs: who started last", TEXT("kind"), TEXT("group"),
        COUNT("number"), BYTES, COUNT("inputs"), NS("start_ns"), NS("recorded_spread_ns"), TEXT("recorded_last_input"),
        COUNT("recorded_last_rank"), NS("spread_ns"), TEXT("last_input"), COUNT("last_rank"), NS("behind_ns"),
        NS("lost_ns"), COUNT("step"), TEXT("cause_input"), COUNT("cause_rank")),
    [GPU_TABLE_RANK_COSTS] = PF_PASS_TABLE(
        "gpu_rank_costs", "a rank whose delays others waited for: the 32 that cost most", WHOSE, COUNT("collectives"),
        NS("cost_ns"), PERCENT("share"), COUNT("step"), TEXT("kind"), TEXT("group"), COUNT("number"), NS("start_ns"),
        NS("lost_ns"), TEXT("cause"), TEXT("name"), NS("more_ns"), TEXT("label")),
    [GPU_TABLE_RANK_CAUSES] = PF_PASS_TABLE(
        "gpu_rank_causes", "what one of the eight costliest ranks did longer than the others", WHOSE, TEXT("cause"),
        TEXT("name"), COUNT("calls"), NS("total_ns"), NS("others_ns"), NS("more_ns"), TEXT("label")),
    [GPU_TABLE_STEP_SPREAD] =
        PF_PASS_TABLE("gpu_step_spread", "how long a step, or some in a row, took over all devices of several inputs",
                      COUNT("step"), COUNT("last_step"), COUNT("devices"), SPREAD_OF("period"), TEXT("longest_input"),
                      COUNT("longest_rank"), SPREAD_OF("work"), TEXT("most_work_input"), COUNT("most_work_rank")),
    [GPU_TABLE_RANK_MAP] = PF_PASS_TABLE(
        "gpu_rank_map", "what devices of a rank, or of some in a row, did in a window of time", COUNT("line"),
        COUNT("first_rank"), COUNT("last_rank"), COUNT("devices"), NS("start_ns"), NS("end_ns"), NS("device_ns"),
        NS("busy_ns"), NS("communication_ns"), NS("exposed_communication_ns"), PERCENT("busy"),
        PERCENT("communication"), PERCENT("exposed_communication"), TEXT("label")),
};

/* Others: rows of each input as they are. */
#define LABELLED                                                                                                       \
    {                                                                                                                  \
        PF_MERGE_ROWS, NULL, "label"                                                                                   \
    }
const pf_merge_rule pf_gpu_merge_rules[GPU_TABLES] = {
    [GPU_TABLE_DEVICES] = LABELLED,
    [GPU_TABLE_MODULE_TREE] = {PF_MERGE_ROWS, NULL, "node, parent"},
    [GPU_TABLE_MEMORY] = LABELLED,
    [GPU_TABLE_MEMORY_HOLDERS] = LABELLED,
    [GPU_TABLE_GAPS] = {PF_MERGE_LARGEST, "length_ns", "label"},
    [GPU_TABLE_HOST_GAPS] = {PF_MERGE_ABOUT, "gpu_gaps", "label, data_lost"},
    [GPU_TABLE_HOST_WAKERS] = {PF_MERGE_ABOUT, "gpu_gaps", NULL},
    [GPU_TABLE_STEPS] = LABELLED,
    [GPU_TABLE_STEP_SUMMARY] = LABELLED,
    [GPU_TABLE_RANKS] = {PF_MERGE_ANEW, "gpu_ranks, gpu_devices, gpu_step_summary, gpu_part_calls", NULL},
    [GPU_TABLE_STRAGGLERS] = {PF_MERGE_ANEW, "gpu_ranks, gpu_part_calls, gpu_steps", NULL},
    [GPU_TABLE_RANK_COSTS] =
        {PF_MERGE_ANEW, "gpu_ranks, gpu_steps, gpu_part_calls, gpu_devices, gpu_kernels, gpu_memcpy, gpu_operators",
         NULL},
    [GPU_TABLE_RANK_CAUSES] = {PF_MERGE_ANEW,
                               "gpu_ranks, gpu_part_calls, gpu_devices, gpu_kernels, gpu_memcpy, gpu_operators", NULL},
    [GPU_TABLE_STEP_SPREAD] = {PF_MERGE_ANEW, "gpu_ranks, gpu_steps", NULL},
    [GPU_TABLE_RANK_MAP] = {PF_MERGE_ANEW, "gpu_ranks, gpu_devices, gpu_part_calls, gpu_part_windows", NULL},
};

/* What stands above the tables that people see first. */
static const char *const titles[GPU_TABLES] = {
    [GPU_TABLE_DEVICES] = "devices",
    [GPU_TABLE_KERNELS] = "kernels by total time",
    [GPU_TABLE_COLLECTIVES] = "collectives by total time",
    [GPU_TABLE_OPERATORS] = "operators",
    [GPU_TABLE_OPERATOR_KERNELS] = "what operators launched themselves, by total time",
    [GPU_TABLE_MODULES] = "modules (nn.Module) by self time",
    [GPU_TABLE_THREADS] = "threads of the host by busy time",
    [GPU_TABLE_FLOPS] = "matmul, convolution and attention by time, against the peaks",
    [GPU_TABLE_MEMORY] = "memory of the framework's allocator",
    [GPU_TABLE_MEMORY_HOLDERS] = "what held memory at its peak",
    [GPU_TABLE_RUNTIME] = "runtime calls by total time",
    [GPU_TABLE_GAPS] = "longest gaps, and what the host did meanwhile",
    [GPU_TABLE_HOST_GAPS] = "what threads did in host-bound gaps, by the scheduler",
    [GPU_TABLE_STEPS] = "steps",
    [GPU_TABLE_STEP_SUMMARY] = "steps by device",
    [GPU_TABLE_RANKS] = "ranks, and in how many collectives each arrived last",
    [GPU_TABLE_RANK_COSTS] = "ranks by what their delays cost the others in collectives, and what they did longer",
};

pf_str pf_gpu_rank_text(const gpu_facts *g, uint32_t input, pf_findings *f)
{
    const gpu_rank *r = &g->ranks[input];
    return r->known ? pf_findings_format(f, "rank %" PRId64, r->rank) : pf_findings_format(f, "input %" PRIu32, input);
}

pf_str pf_gpu_device_text(const gpu_facts *g, const gpu_device *d, pf_findings *f)
{
    pf_str name = d->name.ptr ? pf_findings_format(f, "GPU %.*s", d->name.len > 40 ? 40 : (int)d->name.len, d->name.ptr)
                              : pf_findings_format(f, "GPU %" PRId64, d->number);
    if (g->rank_count < 2 && !g->ranks[d->input].known) {
        return name;
    }
    pf_str rank = pf_gpu_rank_text(g, d->input, f);
    return pf_findings_format(f, "%s %s", rank.ptr ? rank.ptr : "", name.ptr ? name.ptr : "");
}

void pf_gpu_tables_make(gpu_facts *g, pf_findings *f, bool cycles)
{
    g->f = f;
    for (uint32_t i = 0; i < g->device_count; i++) {
        g->devices[i].label = pf_gpu_device_text(g, &g->devices[i], f);
    }
    for (size_t i = 0; i < GPU_TABLES; i++) {
        const pf_pass_table *p = &pf_gpu_tables[i];
        const char *title = titles[i] ? titles[i] : p->help;
        title = cycles && i == GPU_TABLE_STEPS ? "cycles of the pattern that kernels repeat" : title;
        g->table[i] = pf_table_new_named(f, p->name, pf_str_of(title), p->columns, p->column_count);
    }
}

pf_cell pf_gpu_input_cell(const gpu_facts *g, uint32_t input)
{
    return pf_cell_text(pf_str_of(g->ranks[input].path));
}

pf_cell pf_gpu_rank_cell(const gpu_facts *g, uint32_t input)
{
    return pf_cell_int_if(g->ranks[input].known, g->ranks[input].rank);
}

pf_cell pf_gpu_device_cell(const gpu_facts *g, uint32_t device)
{
    return pf_cell_int_if(device != PF_NONE, device == PF_NONE ? 0 : g->devices[device].number);
}

pf_cell pf_gpu_label_cell(const gpu_facts *g, uint32_t device)
{
    return pf_cell_text(device == PF_NONE ? (pf_str){NULL, 0} : g->devices[device].label);
}

pf_cell pf_gpu_slice_cell(const gpu_facts *g, uint32_t slice)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    return pf_cell_text(slice == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(g->trace, pf_slice_name(s, slice)));
}

pf_str pf_gpu_idle_cause(uint64_t host, uint64_t waiting, uint64_t other)
{
    return host >= waiting && host >= other ? PF_STR("host-bound")
           : waiting >= other               ? PF_STR("kernel wait")
                                            : PF_STR("other");
}

/* The cells of CAUSES, of a device or a stream. */
#define CAUSES_OF(d)                                                                                                   \
    pf_cell_count((d)->host), pf_cell_count((d)->waiting), pf_cell_count((d)->other),                                  \
        pf_cell_text((d)->times.idle ? pf_gpu_idle_cause((d)->host, (d)->waiting, (d)->other) : (pf_str){NULL, 0})

void pf_gpu_tabulate_devices(const gpu_facts *g)
{
    for (gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        GPU_ROW(g, GPU_TABLE_DEVICES, GPU_DEVICE(g, d), pf_cell_text(d->name), pf_cell_count(d->op_count),
                GPU_TIMES(&d->times), pf_cell_count(d->most), CAUSES_OF(d), pf_cell_text(d->label));
        for (uint32_t k = 0; k <= d->most; k++) {
            if (d->running[k]) {
                GPU_ROW(g, GPU_TABLE_CONCURRENCY, GPU_DEVICE(g, d), pf_cell_count(k), pf_cell_count(d->running[k]));
                d->depths++;
            }
        }
    }
    for (const gpu_stream *s = g->streams; s < g->streams + g->stream_count; s++) {
        const gpu_device *d = &g->devices[s->device];
        GPU_ROW(g, GPU_TABLE_STREAMS, GPU_DEVICE(g, d), pf_cell_int(s->number), pf_cell_text(s->name),
                pf_cell_count(s->count), GPU_TIMES(&s->times), CAUSES_OF(s));
    }
}
