/* read/perfetto/system/shared_tracks.c - the tracks of the system, as data: by type, how a track is called, in which
 * unit it counts, and what tells it from others of its type.
 *
 * A track is known by its type, its process or thread, and the values of its dimensions. In a name $0, $1 and $2 stand
 * for those values. A dimension that ends in "cpu" is a CPU; the table of CPUs lists those that came up.
 */
#include "base/str.h"
#include "read/perfetto/system/system.h"

#define DIMS 3
#define WAKELOCK_NAME_MAX 31 /* bytes, of the track */

typedef struct shape {
    const char *name, *unit, *dim[DIMS];
    unsigned texts; /* bit i: dimension i is a text */
    bool of_thread;
} shape;

static const shape SHAPES[PF_TRACK_TYPE_COUNT] = {
    [PF_TRACK_PROCESS_MEMORY] = {"mem.$0", NULL, {"process_memory_key"}, 1, false},
    [PF_TRACK_PROCESS_OOM] = {"oom_score_adj", NULL, {NULL}, 0, false},
    [PF_TRACK_PROCESS_RUNTIME] = {"runtime.$0", NULL, {"proc_stat_runtime_key"}, 1, false},
    [PF_TRACK_THREAD_MEMORY] = {"mem.$0", NULL, {"process_memory_key"}, 1, true},
    [PF_TRACK_THREAD_OOM] = {"oom_score_adj", NULL, {NULL}, 0, true},
    [PF_TRACK_CPU_FREQUENCY] = {"cpufreq", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_IDLE] = {"cpuidle", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_MAX_LIMIT] = {"Cpu $0 Max Freq Limit", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_MIN_LIMIT] = {"Cpu $0 Min Freq Limit", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_UTILIZATION] = {"Cpu $0 Util", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_CAPACITY] = {"Cpu $0 Cap", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_RUNNING] = {"Cpu $0 Nr Running", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_TIMES] = {"cpu.times.$1", NULL, {"cpu", "cpustat_key"}, 2, false},
    [PF_TRACK_CPU_IDLE_STATE] = {"cpuidle$0.$1", "us", {"cpu", "state"}, 2, false},
    [PF_TRACK_CLOCK_FREQUENCY] = {"$0 Frequency", NULL, {"linux_device"}, 1, false},
    [PF_TRACK_CLOCK_STATE] = {"$0 State", NULL, {"linux_device"}, 1, false},
    [PF_TRACK_GPU_FREQUENCY] = {"gpufreq", "kHz", {"ugpu", "gpu"}, 0, false},
    [PF_TRACK_MEMINFO] = {"$0", "bytes", {"meminfo_key"}, 1, false},
    [PF_TRACK_VMSTAT] = {"$0", NULL, {"vmstat_key"}, 1, false},
    [PF_TRACK_BUDDYINFO] = {"mem.buddyinfo[$0][$1][$2 kB]",
                            NULL,
                            {"buddyinfo_node", "buddyinfo_zone", "buddyinfo_chunk_size_kb"},
                            3,
                            false},
    [PF_TRACK_SLABINFO] = {"mem.slab.$0", "bytes", {"slab_name"}, 1, false},
    [PF_TRACK_DISKSTAT] = {"diskstat.[$0].$1", NULL, {"device_name", "counter_name"}, 3, false},
    [PF_TRACK_PRESSURE] = {"psi.$0", NULL, {"psi_resource"}, 1, false},
    [PF_TRACK_THERMAL] = {"$0", "C", {"thermal_zone"}, 1, false},
    [PF_TRACK_IRQ_COUNT] = {"num_irq (id: $0)", NULL, {"irq"}, 0, false},
    [PF_TRACK_SOFTIRQ_COUNT] = {"num_softirq (id: $0)", NULL, {"irq"}, 0, false},
    [PF_TRACK_FORKS] = {"num_forks", NULL, {NULL}, 0, false},
    [PF_TRACK_IRQ_TOTAL] = {"num_irq_total", NULL, {NULL}, 0, false},
    [PF_TRACK_SOFTIRQ_TOTAL] = {"num_softirq_total", NULL, {NULL}, 0, false},
    [PF_TRACK_ATRACE_COUNTER] = {"$0", NULL, {"name"}, 1, false},
    [PF_TRACK_SCREEN_STATE] = {"ScreenState", NULL, {NULL}, 0, false},
    [PF_TRACK_BATTERY_STATS] = {"$0", NULL, {"counter_key"}, 1, false},
    [PF_TRACK_ATRACE_ASYNC] = {"$0", NULL, {NULL}, 1, false},
    [PF_TRACK_ATRACE_NAMED] = {"$0", NULL, {NULL}, 1, false},
    [PF_TRACK_DEVICE_STATE] = {"DeviceStateChanged", NULL, {NULL}, 0, false},
    [PF_TRACK_LOW_MEMORY_KILLS] = {"LMK", NULL, {NULL}, 0, false},
    [PF_TRACK_CPU_IRQ] = {"Irq Cpu $0", NULL, {"cpu"}, 0, false},
    [PF_TRACK_CPU_SOFTIRQ] = {"SoftIrq Cpu $0", NULL, {"cpu"}, 0, false},
    [PF_TRACK_SUSPEND_RESUME] = {"Suspend/Resume Latency", NULL, {NULL}, 0, false},
    [PF_TRACK_DRM_RING] = {"sched-$0", NULL, {"name"}, 1, false},
    [PF_TRACK_DRM_FENCE] = {"fence-$0-$1", NULL, {"name", "context"}, 1, false},
    [PF_TRACK_DRM_VBLANK] = {"vblank-$0", NULL, {"drm_crtc"}, 0, false},
    [PF_TRACK_VIRTGPU_QUEUE] = {"Virtgpu $0 Queue", NULL, {"virtgpu_name"}, 1, false},
    [PF_TRACK_VIRTGPU_FREE] = {"Virtgpu $0 Free", NULL, {"virtgpu_name"}, 1, false},
    [PF_TRACK_VIRTGPU_LATENCY] = {"Virtgpu $0 Latency", NULL, {"virtgpu_name"}, 1, false},
    [PF_TRACK_DMA_HEAP] = {"mem.dma_heap", NULL, {NULL}, 0, false},
    [PF_TRACK_DMA_HEAP_CHANGE] = {"mem.dma_heap_change", NULL, {NULL}, 0, true},
    [PF_TRACK_DMA_ALLOCATIONS] = {"mem.dma_buffer", NULL, {NULL}, 0, false},
    [PF_TRACK_EXPECTED_FRAMES] = {"Expected Timeline", NULL, {NULL}, 0, false},
    [PF_TRACK_ACTUAL_FRAMES] = {"Actual Timeline", NULL, {NULL}, 0, false},
    [PF_TRACK_BATTERY] = {"batt.$1", NULL, {"battery_name", "counter_name"}, 3, false},
    [PF_TRACK_POWER_RAIL] = {"power.$0_uws", NULL, {"name", "session_uuid"}, 1, false},
    [PF_TRACK_PROPERTY] = {"$0", NULL, {"sysprop_name"}, 1, false},
    [PF_TRACK_PERF_COUNTER] = {"$2", NULL, {"cpu", "perf_session_id", "name"}, 4, false},
    [PF_TRACK_WAKELOCK] = {"Wakelock($0)", NULL, {"wakelock_event"}, 1, false},
};

/* The row of the CPU that another input has listed, or a new one. */
static uint32_t list_cpu(pf_import *im, uint32_t cpu)
{
    const pf_side_table *cpus = &im->t->sides.known[PF_SIDE_CPU];
    for (uint32_t i = 0; i < cpus->count; i++) {
        if (*pf_side_number(cpus, PF_CPU_UCPU, i) == pf_import_ucpu(im, cpu)) {
            return i;
        }
    }
    uint32_t row = pf_import_side_row(im, PF_SIDE_CPU);
    if (row != PF_NONE) {
        pf_side_set_row(&im->t->sides.known[PF_SIDE_CPU], row,
                        (int64_t[PF_CPU_COLUMNS]){pf_import_ucpu(im, cpu), cpu, 0, 0, 0, INT64_MIN});
    }
    return row;
}

uint32_t pf_system_cpu(pf_import *im, uint32_t cpu)
{
    uint32_t row = cpu < PF_UCPU_STEP ? pf_map_get(&im->system.cpus, cpu) : PF_NONE;
    if (row == PF_NONE && cpu < PF_UCPU_STEP && (row = list_cpu(im, cpu)) != PF_NONE) {
        pf_import_put(im, &im->system.cpus, cpu, row);
    }
    return row;
}

static pf_str text_of(pf_import *im, int64_t dim)
{
    return pf_strings_get(&im->t->strings, (uint32_t)dim);
}

/* The name, in im->scratch. */
static uint32_t make_name(pf_import *im, const shape *s, const int64_t *dims)
{
    pf_buffer *b = &im->scratch;
    b->len = 0;
    for (const char *at = s->name; *at; at++) {
        if (*at != '$') {
            pf_buffer_put(b, at, 1);
            continue;
        }
        unsigned i = (unsigned)(*++at - '0');
        if (s->texts >> i & 1) {
            pf_buffer_put(b, text_of(im, dims[i]).ptr, text_of(im, dims[i]).len);
        } else {
            pf_buffer_format(b, "%lld", (long long)dims[i]);
        }
    }
    b->len = s == &SHAPES[PF_TRACK_WAKELOCK] && b->len > WAKELOCK_NAME_MAX ? WAKELOCK_NAME_MAX : b->len;
    return pf_import_scratch(im);
}

uint32_t pf_system_new_track(pf_import *im, pf_track_type type, uint32_t owner, const int64_t *dims)
{
    const shape *s = &SHAPES[type];
    uint32_t thread = s->of_thread ? owner : PF_NONE;
    const pf_track_row row = {.type = type,
                              .name = make_name(im, s, dims),
                              .unit = s->unit ? pf_import_word(im, s->unit) : 0,
                              .upid = thread == PF_NONE ? owner : im->t->threads.upid[thread],
                              .utid = thread,
                              .parent = PF_NONE,
                              .group = PF_NONE};
    uint32_t track = pf_import_failed(im) ? PF_NONE : pf_trace_add_track(im->t, &row, im->err);
    for (unsigned i = 0; track != PF_NONE && i < DIMS && s->dim[i]; i++) {
        if (s->texts >> i & 1) {
            pf_import_arg_text(im, PF_OWNER_TRACK_DIMENSION, track, s->dim[i], text_of(im, dims[i]));
        } else {
            pf_import_arg_int(im, PF_OWNER_TRACK_DIMENSION, track, s->dim[i], dims[i]);
        }
    }
    if (s->dim[0] && pf_str_is(PF_STR("cpu"), s->dim[0])) {
        pf_system_cpu(im, (uint32_t)dims[0]);
    }
    return track;
}

uint32_t pf_system_track(pf_import *im, pf_track_type type, uint32_t owner, const pf_dims dims)
{
    const int64_t parts[2 + DIMS] = {type, owner, dims[0], dims[1], dims[2]};
    uint32_t key = pf_import_key(im, parts, sizeof parts);
    uint32_t track = key == PF_NONE ? PF_NONE : pf_map_get(&im->system.tracks, key);
    if (track == PF_NONE && key != PF_NONE && (track = pf_system_new_track(im, type, owner, dims)) != PF_NONE) {
        pf_import_put(im, &im->system.tracks, key, track);
    }
    return track;
}
