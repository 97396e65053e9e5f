/* analyze/gpu/tables/gpu_tables.c - the tables as data: names, columns, units; and the rows of devices and streams. */
#include "analyze/gpu/tables/gpu_tables.h"

#include <string.h>

#define INT_OF(name, unit)                                                                                             \
    {                                                                                                                  \
        name, PF_CELL_INT, 0, unit                                                                                     \
    }
#define TEXT_OF(name)                                                                                                  \
    {                                                                                                                  \
        name, PF_CELL_TEXT, 0, ""                                                                                      \
    }
#define REAL_OF(name, unit)                                                                                            \
    {                                                                                                                  \
        name, PF_CELL_REAL, -1, unit                                                                                   \
    }
#define NS(name) INT_OF(name, "ns")
#define COUNT(name) INT_OF(name, "")
#define WHOSE TEXT_OF("input"), COUNT("rank")
#define WORK                                                                                                           \
    NS("busy_ns"), NS("compute_ns"), NS("communication_ns"), NS("memory_ns"), NS("idle_ns"), NS("overlap_ns"),         \
        NS("exposed_communication_ns")
#define TIMES COUNT("events"), NS("start_ns"), NS("end_ns"), NS("span_ns"), WORK
#define STATS COUNT("calls"), NS("total_ns"), NS("mean_ns"), NS("median_ns"), NS("p95_ns"), NS("min_ns"), NS("max_ns")

static const pf_column devices[] = {WHOSE, COUNT("device"), TEXT_OF("device_name"), TIMES, COUNT("max_concurrency")};
static const pf_column streams[] = {WHOSE, COUNT("device"), COUNT("stream"), TEXT_OF("stream_name"), TIMES};
static const pf_column concurrency[] = {WHOSE, COUNT("device"), COUNT("running"), NS("time_ns")};
static const pf_column kernels[] = {WHOSE,
                                    TEXT_OF("name"),
                                    TEXT_OF("class"),
                                    STATS,
                                    REAL_OF("share_percent", "%"),
                                    TEXT_OF("grid"),
                                    TEXT_OF("block"),
                                    COUNT("registers_per_thread"),
                                    INT_OF("shared_memory_bytes", "bytes"),
                                    REAL_OF("occupancy_percent", "%")};
static const pf_column copies[] = {WHOSE, TEXT_OF("name"),          TEXT_OF("kind"),
                                   STATS, INT_OF("bytes", "bytes"), REAL_OF("bandwidth_gb_per_s", "GB/s")};
static const pf_column collectives[] = {WHOSE,
                                        TEXT_OF("kind"),
                                        INT_OF("bytes", "bytes"),
                                        COUNT("ranks"),
                                        TEXT_OF("type"),
                                        TEXT_OF("group"),
                                        STATS,
                                        REAL_OF("algorithm_bandwidth_gb_per_s", "GB/s"),
                                        REAL_OF("bus_bandwidth_gb_per_s", "GB/s")};
static const pf_column operators[] = {WHOSE,           TEXT_OF("name"),     TEXT_OF("shapes"), COUNT("calls"),
                                      NS("host_ns"),   NS("host_self_ns"),  COUNT("launched"), COUNT("launched_self"),
                                      NS("device_ns"), NS("device_self_ns")};

static const pf_column modules[] = {WHOSE, TEXT_OF("name"), COUNT("calls"), NS("total_ns"), NS("self_ns")};
static const pf_column threads[] = {
    WHOSE,          COUNT("process"), COUNT("thread"), TEXT_OF("thread_name"), COUNT("events"),
    NS("start_ns"), NS("end_ns"),     NS("busy_ns"),   NS("operator_ns")};
static const pf_column launches[] = {WHOSE,
                                     COUNT("device"),
                                     COUNT("launches"),
                                     COUNT("graph_launches"),
                                     COUNT("events_without_call"),
                                     INT_OF("delay_mean", "ns"),
                                     INT_OF("delay_median", "ns"),
                                     INT_OF("delay_p95", "ns"),
                                     INT_OF("delay_min", "ns"),
                                     INT_OF("delay_max", "ns"),
                                     INT_OF("wait_mean", "ns"),
                                     INT_OF("wait_median", "ns"),
                                     INT_OF("wait_p95", "ns"),
                                     INT_OF("wait_min", "ns"),
                                     INT_OF("wait_max", "ns"),
                                     COUNT("shorter_than_launch"),
                                     NS("shorter_than_launch_ns"),
                                     REAL_OF("queue_depth_mean", ""),
                                     COUNT("queue_depth_max"),
                                     NS("idle_host_bound_ns"),
                                     NS("idle_kernel_wait_ns"),
                                     NS("idle_other_ns")};
static const pf_column queue[] = {WHOSE,          COUNT("device"),           NS("start_ns"),    NS("end_ns"),
                                  NS("empty_ns"), REAL_OF("depth_mean", ""), COUNT("depth_max")};
static const pf_column gaps[] = {WHOSE,
                                 COUNT("device"),
                                 NS("start_ns"),
                                 NS("end_ns"),
                                 NS("length_ns"),
                                 TEXT_OF("cause"),
                                 NS("host_bound_ns"),
                                 NS("kernel_wait_ns"),
                                 NS("other_ns"),
                                 TEXT_OF("before"),
                                 TEXT_OF("after"),
                                 TEXT_OF("host_operator"),
                                 TEXT_OF("python_function")};
static const pf_column syncs[] = {WHOSE, TEXT_OF("name"), STATS};
static const pf_column steps[] = {WHOSE,
                                  COUNT("device"),
                                  COUNT("step"),
                                  TEXT_OF("name"),
                                  TEXT_OF("mark"),
                                  NS("host_start_ns"),
                                  NS("host_end_ns"),
                                  COUNT("events"),
                                  NS("start_ns"),
                                  NS("end_ns"),
                                  NS("span_ns"),
                                  NS("period_ns"),
                                  WORK,
                                  NS("lag_ns")};
static const pf_column step_summary[] = {WHOSE,
                                         COUNT("device"),
                                         TEXT_OF("source"),
                                         TEXT_OF("length"),
                                         COUNT("steps"),
                                         COUNT("warm_up"),
                                         COUNT("outliers"),
                                         COUNT("steady"),
                                         NS("mean_ns"),
                                         NS("median_ns"),
                                         NS("p95_ns"),
                                         NS("min_ns"),
                                         NS("max_ns"),
                                         REAL_OF("busy_percent", "%"),
                                         REAL_OF("exposed_communication_percent", "%"),
                                         REAL_OF("items_per_second", "1/s"),
                                         REAL_OF("flops_per_second", "FLOP/s"),
                                         COUNT("events_in_no_step"),
                                         COUNT("launches_in_no_step"),
                                         COUNT("events_by_stream"),
                                         COUNT("events_by_clock")};
static const pf_column critical_path[] = {WHOSE,           COUNT("step"),  TEXT_OF("kind"), TEXT_OF("name"),
                                          NS("start_ns"),  NS("end_ns"),   NS("length_ns"), COUNT("thread"),
                                          COUNT("device"), COUNT("stream")};
static const pf_column critical_path_share[] = {WHOSE,
                                                COUNT("device"),
                                                COUNT("step"),
                                                REAL_OF("compute_percent", "%"),
                                                REAL_OF("communication_percent", "%"),
                                                REAL_OF("memory_percent", "%"),
                                                REAL_OF("launch_percent", "%"),
                                                REAL_OF("host_percent", "%"),
                                                REAL_OF("waiting_percent", "%")};
static const pf_column ranks[] = {WHOSE,
                                  COUNT("devices"),
                                  COUNT("events"),
                                  COUNT("collectives"),
                                  INT_OF("clock_offset", "ns"),
                                  INT_OF("clock_offset_error", "ns"),
                                  COUNT("last"),
                                  NS("caused_ns"),
                                  NS("waited_ns"),
                                  REAL_OF("work_correlation", "")};
static const pf_column stragglers[] = {TEXT_OF("kind"),
                                       TEXT_OF("group"),
                                       COUNT("number"),
                                       INT_OF("bytes", "bytes"),
                                       COUNT("inputs"),
                                       NS("start_ns"),
                                       NS("recorded_spread_ns"),
                                       TEXT_OF("recorded_last_input"),
                                       COUNT("recorded_last_rank"),
                                       NS("spread_ns"),
                                       TEXT_OF("last_input"),
                                       COUNT("last_rank"),
                                       NS("behind_ns"),
                                       NS("lost_ns")};

#define TABLE(columns) columns, sizeof columns / sizeof *columns

const pf_pass_table pf_gpu_tables[GPU_TABLES] = {
    [GPU_TABLE_DEVICES] = {"gpu_devices", "a device of an input", TABLE(devices)},
    [GPU_TABLE_STREAMS] = {"gpu_streams", "a stream of a device", TABLE(streams)},
    [GPU_TABLE_CONCURRENCY] = {"gpu_concurrency", "time of a device with that many operations running at once",
                               TABLE(concurrency)},
    [GPU_TABLE_KERNELS] = {"gpu_kernels", "a kernel of an input, by name", TABLE(kernels)},
    [GPU_TABLE_MEMCPY] = {"gpu_memcpy", "memcpy and memset of an input, by name", TABLE(copies)},
    [GPU_TABLE_COLLECTIVES] = {"gpu_collectives", "collectives of an input, by kind, size and group",
                               TABLE(collectives)},
    [GPU_TABLE_OPERATORS] = {"gpu_operators", "an operator of the host and what it launched", TABLE(operators)},
    [GPU_TABLE_MODULES] = {"gpu_modules", "a module of the network (nn.Module) on the host", TABLE(modules)},
    [GPU_TABLE_THREADS] = {"gpu_threads", "a thread of the host", TABLE(threads)},
    [GPU_TABLE_LAUNCHES] = {"gpu_launches", "launches of a device, its queue, and its idle time by cause",
                            TABLE(launches)},
    [GPU_TABLE_QUEUE] = {"gpu_queue", "the queue of a device in a window of time: operations launched and not started",
                         TABLE(queue)},
    [GPU_TABLE_GAPS] = {"gpu_gaps", "the largest gaps of a device, and what the host did meanwhile", TABLE(gaps)},
    [GPU_TABLE_SYNCS] = {"gpu_syncs", "calls that wait for the device, by name", TABLE(syncs)},
    [GPU_TABLE_STEPS] = {"gpu_steps", "a step of an input on one of its devices", TABLE(steps)},
    [GPU_TABLE_STEP_SUMMARY] = {"gpu_step_summary", "the steady state of an input on one of its devices",
                                TABLE(step_summary)},
    [GPU_TABLE_CRITICAL_PATH] = {"gpu_critical_path", "a piece of the chain that set the length of a step",
                                 TABLE(critical_path)},
    [GPU_TABLE_CRITICAL_PATH_SHARE] = {"gpu_critical_path_share",
                                       "what the critical path of a step on a device is made of",
                                       TABLE(critical_path_share)},
    [GPU_TABLE_RANKS] = {"gpu_ranks", "an input: its clock, and what it lost and caused in collectives", TABLE(ranks)},
    [GPU_TABLE_STRAGGLERS] = {"gpu_stragglers", "a collective of several inputs: who started last", TABLE(stragglers)},
};

void pf_gpu_tables_make(gpu_tables *t, pf_findings *f)
{
    for (size_t i = 0; i < GPU_TABLES; i++) {
        const pf_pass_table *p = &pf_gpu_tables[i];
        t->table[i] = pf_table_new_named(f, p->name, (pf_str){p->help, strlen(p->help)}, p->columns, p->column_count);
    }
}

pf_cell pf_gpu_input_cell(const gpu_facts *g, uint32_t input)
{
    const char *path = pf_trace_input(g->trace, input)->path;
    return pf_cell_text((pf_str){path, strlen(path)});
}

pf_cell pf_gpu_rank_cell(const gpu_facts *g, uint32_t input)
{
    return pf_cell_int_if(g->ranks[input].known, g->ranks[input].rank);
}

pf_cell pf_gpu_slice_cell(const gpu_facts *g, uint32_t slice)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    return pf_cell_text(slice == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(g->trace, pf_slice_name(s, slice)));
}

pf_cell *pf_gpu_put_times(pf_cell *at, uint64_t events, const gpu_times *t)
{
    *at++ = pf_cell_count(events);
    *at++ = pf_cell_int(t->start);
    *at++ = pf_cell_int(t->end);
    *at++ = pf_cell_count(t->span);
    *at++ = pf_cell_count(t->busy);
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        *at++ = pf_cell_count(t->in_class[k]);
    }
    *at++ = pf_cell_count(t->idle);
    *at++ = pf_cell_count(t->overlap);
    *at++ = pf_cell_count(t->exposed);
    return at;
}

static void add_device(const gpu_facts *g, const gpu_device *d, gpu_tables *t, pf_findings *f)
{
    pf_cell row[sizeof devices / sizeof *devices] = {pf_gpu_input_cell(g, d->input), pf_gpu_rank_cell(g, d->input),
                                                     pf_cell_int(d->number), pf_cell_text(d->name)};
    pf_cell *at = pf_gpu_put_times(row + 4, d->op_count, &d->times);
    *at++ = pf_cell_count(d->most);
    pf_table_row(f, t->table[GPU_TABLE_DEVICES], row);
    for (uint32_t k = 0; k <= d->most; k++) {
        const pf_cell depth[] = {row[0], row[1], row[2], pf_cell_count(k), pf_cell_count(d->running[k])};
        if (d->running[k]) {
            pf_table_row(f, t->table[GPU_TABLE_CONCURRENCY], depth);
        }
    }
}

static void add_stream(const gpu_facts *g, const gpu_stream *s, gpu_tables *t, pf_findings *f)
{
    const gpu_device *d = &g->devices[s->device];
    pf_cell row[sizeof streams / sizeof *streams] = {pf_gpu_input_cell(g, d->input), pf_gpu_rank_cell(g, d->input),
                                                     pf_cell_int(d->number), pf_cell_int(s->number),
                                                     pf_cell_text(s->name)};
    pf_gpu_put_times(row + 5, s->count, &s->times);
    pf_table_row(f, t->table[GPU_TABLE_STREAMS], row);
}

void pf_gpu_tabulate_devices(const gpu_facts *g, gpu_tables *t, pf_findings *f)
{
    for (uint32_t i = 0; i < g->device_count; i++) {
        add_device(g, &g->devices[i], t, f);
    }
    for (uint32_t i = 0; i < g->stream_count; i++) {
        add_stream(g, &g->streams[i], t, f);
    }
}
