/* read/perfetto/system/event_counters.c - counters that single kernel events change.
 *
 * Most are a value for a CPU or a device: rows of data. Memory of processes is said of a thread, whose process may be
 * known later only: such samples are added when all events were applied.
 */
#include "base/list.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/system/kernel_events.h"

void pf_system_sample_with(pf_import *im, int64_t ts, uint32_t track, double value, const pf_system_arg *args,
                           size_t count)
{
    uint32_t event = PF_NONE;
    if (args && im->t->want & PF_WANT_ARGS) {
        event = im->t->events.count;
        pf_system_event(im, ts, 'C', track, 0, 0, args, count);
    }
    if (track != PF_NONE && !pf_import_failed(im)) {
        (void)pf_trace_add_sample(im->t, ts, value, track, event, im->err);
    }
}

void pf_system_sample(pf_import *im, int64_t ts, uint32_t track, double value)
{
    pf_system_sample_with(im, ts, track, value, NULL, 0);
}

static const struct {
    uint32_t kind;  /* of the event */
    uint32_t owner; /* tag of the CPU or the device's name */
    uint32_t value; /* field */
    pf_track_type type;
} COUNTERS[] = {
    {11, PF_TAG_VARINT(2), 1, PF_TRACK_CPU_FREQUENCY},    /* cpu_frequency */
    {12, PF_TAG_VARINT(3), 2, PF_TRACK_CPU_MAX_LIMIT},    /* cpu_frequency_limits */
    {12, PF_TAG_VARINT(3), 1, PF_TRACK_CPU_MIN_LIMIT},    /* cpu_frequency_limits */
    {13, PF_TAG_VARINT(2), 1, PF_TRACK_CPU_IDLE},         /* cpu_idle */
    {14, PF_TAG_BYTES(1), 2, PF_TRACK_CLOCK_STATE},       /* clock_enable */
    {15, PF_TAG_BYTES(1), 2, PF_TRACK_CLOCK_STATE},       /* clock_disable */
    {16, PF_TAG_BYTES(1), 2, PF_TRACK_CLOCK_FREQUENCY},   /* clock_set_rate */
    {421, PF_TAG_VARINT(4), 6, PF_TRACK_CPU_UTILIZATION}, /* sched_cpu_util_cfs */
    {421, PF_TAG_VARINT(4), 2, PF_TRACK_CPU_CAPACITY},    /* sched_cpu_util_cfs */
    {421, PF_TAG_VARINT(4), 11, PF_TRACK_CPU_RUNNING},    /* sched_cpu_util_cfs */
};

void pf_event_counter(pf_import *im, const pf_ftrace_now *now)
{
    for (size_t i = 0; i < sizeof COUNTERS / sizeof *COUNTERS; i++) {
        if (COUNTERS[i].kind == now->event->kind) {
            const pf_field owner = pf_cursor_last(now->fields, COUNTERS[i].owner);
            bool device = COUNTERS[i].owner == PF_TAG_BYTES(1);
            int64_t dim = device ? pf_import_text(im, pf_field_text(&owner)) : (uint32_t)owner.value;
            uint64_t value = pf_cursor_last(now->fields, PF_TAG_VARINT(COUNTERS[i].value)).value;
            pf_system_sample(im, now->ts, pf_system_track(im, COUNTERS[i].type, PF_NONE, (pf_dims){dim}),
                             (double)value);
        }
    }
}

void pf_event_gpu_frequency(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(2));
    uint32_t gpu = (uint32_t)f[1].value, ugpu = pf_gpu_seen(im, gpu, now->ts);
    pf_system_sample(im, now->ts, pf_system_track(im, PF_TRACK_GPU_FREQUENCY, PF_NONE, (pf_dims){ugpu, gpu}),
                     (double)f[2].value);
}

/* The memory of a process that is not alive is not counted. */
void pf_event_gpu_memory(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3));
    uint32_t gpu = (uint32_t)f[1].value, pid = (uint32_t)f[2].value;
    uint32_t utid = pid ? pf_lives_find(im, pid) : PF_NONE;
    if (pf_gpu_seen(im, gpu, now->ts) == PF_NONE || (pid && utid == PF_NONE)) {
        return;
    }
    if (pid && im->t->threads.upid[utid] == PF_NONE) {
        utid = pf_lives_update(im, pid, pid);
    }
    uint32_t upid = utid == PF_NONE ? PF_NONE : im->t->threads.upid[utid];
    pf_system_sample(im, now->ts, pf_gpu_memory_track(im, gpu, upid), (double)f[3].value);
}

static void add_late(pf_import *im, int64_t ts, uint32_t utid, uint32_t key, double value)
{
    pf_system *s = &im->system;
    if (utid == PF_NONE || pf_import_failed(im) ||
        PF_LIST_ROOM(&im->t->budget, s->late, s->late_count + 1, s->late_room, im->err) != PF_OK) {
        return;
    }
    s->late[s->late_count++] = (pf_late_sample){ts, value, utid, key};
}

/* An address space is known by a number; whoever used it last as the current one is its thread. */
static uint32_t thread_of_memory(pf_import *im, const pf_ftrace_now *now, const pf_field *current, const pf_field *id)
{
    pf_map *users = &im->system.memory_users;
    if (!id->tag || !current->tag) {
        return pf_lives_thread(im, now->event->tid);
    }
    if (current->value) {
        uint32_t utid = pf_lives_thread(im, now->event->tid);
        pf_import_put(im, users, (uint32_t)id->value, utid);
        return utid;
    }
    uint32_t utid = pf_map_get(users, (uint32_t)id->value);
    if (utid != PF_NONE && !pf_lives_is_alive(im, utid)) {
        utid = PF_NONE; /* for good: who has ended does not come back */
    }
    if (utid == PF_NONE) {
        pf_trace_count(im->t, PF_STAT_RSS_NO_THREAD, PF_NOWHERE);
    }
    return utid;
}

void pf_event_rss(pf_import *im, const pf_ftrace_now *now)
{
    static const char *const KEYS[] = {"rss.file", "rss.anon", "swap", "rss.shmem", "unreclaimable", "unknown"};
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4));
    uint64_t member = f[1].value, known = PF_TAG_COUNT(KEYS) - 1;
    int64_t size = (int64_t)f[2].value;
    if (size < 0) {
        pf_trace_count(im->t, PF_STAT_RSS_NEGATIVE, PF_NOWHERE);
        return;
    }
    uint32_t key = pf_import_word(im, KEYS[member < known ? member : known]);
    add_late(im, now->ts, thread_of_memory(im, now, &f[3], &f[4]), key, (double)size);
}

void pf_event_oom_score(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(2), PF_AT_VARINT(3));
    add_late(im, now->ts, pf_lives_thread(im, (int32_t)f[3].value), 0, (int16_t)f[2].value);
}

void pf_system_settle_counters(pf_import *im)
{
    static const pf_track_type TYPES[2][2] = {{PF_TRACK_THREAD_OOM, PF_TRACK_PROCESS_OOM},
                                              {PF_TRACK_THREAD_MEMORY, PF_TRACK_PROCESS_MEMORY}};
    for (uint32_t i = 0; i < im->system.late_count && !pf_import_failed(im); i++) {
        const pf_late_sample *l = &im->system.late[i];
        uint32_t upid = im->t->threads.upid[l->utid];
        bool owned = upid != PF_NONE;
        pf_system_sample(im, l->ts,
                         pf_system_track(im, TYPES[l->key != 0][owned], owned ? upid : l->utid, (pf_dims){l->key}),
                         l->value);
    }
}
