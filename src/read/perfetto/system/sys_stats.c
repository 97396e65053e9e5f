/* read/perfetto/system/sys_stats.c - statistics of the whole system, as counters: what /proc and /sys said at the time
 * of the packet.
 *
 * Most lists of a packet hold a key and a value each; they are rows of data below. The lists of a packet are taken in
 * Perfetto's order, whatever theirs is in the packet. Statistics of disks count up from boot: what a sample shows is
 * the difference to the device's sample before, so that its first sample shows nothing.
 */
#include <string.h>

#include "base/list.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/system/kernel_events.h"

/* Names of keys, by number, with spaces between them. */
static const char MEMINFO[] =
    "MemUnspecified MemTotal MemFree MemAvailable Buffers Cached SwapCached Active Inactive Active(anon) "
    "Inactive(anon) Active(file) Inactive(file) Unevictable Mlocked SwapTotal SwapFree Dirty Writeback AnonPages "
    "Mapped Shmem Slab SReclaimable SUnreclaim KernelStack PageTables CommitLimit Committed_AS VmallocTotal "
    "VmallocUsed VmallocChunk CmaTotal CmaFree Gpu Zram Misc ION_heap ION_heap_pool";
static const char VMSTAT[] =
    "VmstatUnspecified nr_free_pages nr_alloc_batch nr_inactive_anon nr_active_anon nr_inactive_file nr_active_file "
    "nr_unevictable nr_mlock nr_anon_pages nr_mapped nr_file_pages nr_dirty nr_writeback nr_slab_reclaimable "
    "nr_slab_unreclaimable nr_page_table_pages nr_kernel_stack nr_overhead nr_unstable nr_bounce nr_vmscan_write "
    "nr_vmscan_immediate_reclaim nr_writeback_temp nr_isolated_anon nr_isolated_file nr_shmem nr_dirtied nr_written "
    "nr_pages_scanned workingset_refault workingset_activate workingset_nodereclaim nr_anon_transparent_hugepages "
    "nr_free_cma nr_swapcache nr_dirty_threshold nr_dirty_background_threshold pgpgin pgpgout pgpgoutclean pswpin "
    "pswpout pgalloc_dma pgalloc_normal pgalloc_movable pgfree pgactivate pgdeactivate pgfault pgmajfault "
    "pgrefill_dma pgrefill_normal pgrefill_movable pgsteal_kswapd_dma pgsteal_kswapd_normal pgsteal_kswapd_movable "
    "pgsteal_direct_dma pgsteal_direct_normal pgsteal_direct_movable pgscan_kswapd_dma pgscan_kswapd_normal "
    "pgscan_kswapd_movable pgscan_direct_dma pgscan_direct_normal pgscan_direct_movable pgscan_direct_throttle "
    "pginodesteal slabs_scanned kswapd_inodesteal kswapd_low_wmark_hit_quickly kswapd_high_wmark_hit_quickly "
    "pageoutrun allocstall pgrotated drop_pagecache drop_slab pgmigrate_success pgmigrate_fail "
    "compact_migrate_scanned compact_free_scanned compact_isolated compact_stall compact_fail compact_success "
    "compact_daemon_wake unevictable_pgs_culled unevictable_pgs_scanned unevictable_pgs_rescued "
    "unevictable_pgs_mlocked unevictable_pgs_munlocked unevictable_pgs_cleared unevictable_pgs_stranded nr_zspages "
    "nr_ion_heap nr_gpu_heap allocstall_dma allocstall_movable allocstall_normal compact_daemon_free_scanned "
    "compact_daemon_migrate_scanned nr_fastrpc nr_indirectly_reclaimable nr_ion_heap_pool "
    "nr_kernel_misc_reclaimable nr_shadow_call_stack_bytes nr_shmem_hugepages nr_shmem_pmdmapped "
    "nr_unreclaimable_pages nr_zone_active_anon nr_zone_active_file nr_zone_inactive_anon nr_zone_inactive_file "
    "nr_zone_unevictable nr_zone_write_pending oom_kill pglazyfree pglazyfreed pgrefill pgscan_direct pgscan_kswapd "
    "pgskip_dma pgskip_movable pgskip_normal pgsteal_direct pgsteal_kswapd swap_ra swap_ra_hit workingset_restore "
    "allocstall_device allocstall_dma32 balloon_deflate balloon_inflate balloon_migrate cma_alloc_fail "
    "cma_alloc_success nr_file_hugepages nr_file_pmdmapped nr_foll_pin_acquired nr_foll_pin_released "
    "nr_sec_page_table_pages nr_shadow_call_stack nr_swapcached nr_throttled_written pgalloc_device pgalloc_dma32 "
    "pgdemote_direct pgdemote_kswapd pgreuse pgscan_anon pgscan_file pgskip_device pgskip_dma32 pgsteal_anon "
    "pgsteal_file thp_collapse_alloc thp_collapse_alloc_failed thp_deferred_split_page thp_fault_alloc "
    "thp_fault_fallback thp_fault_fallback_charge thp_file_alloc thp_file_fallback thp_file_fallback_charge "
    "thp_file_mapped thp_migration_fail thp_migration_split thp_migration_success thp_scan_exceed_none_pte "
    "thp_scan_exceed_share_pte thp_scan_exceed_swap_pte thp_split_page thp_split_page_failed thp_split_pmd "
    "thp_swpout thp_swpout_fallback thp_zero_page_alloc thp_zero_page_alloc_failed vma_lock_abort vma_lock_miss "
    "vma_lock_retry vma_lock_success workingset_activate_anon workingset_activate_file workingset_nodes "
    "workingset_refault_anon workingset_refault_file workingset_restore_anon workingset_restore_file";

static const char *const CPU_TIMES[] = {"user_ns",    "user_nice_ns", "system_mode_ns", "idle_ns",
                                        "io_wait_ns", "irq_ns",       "softirq_ns",     "steal_ns"};
static const char *const PRESSURE[] = {
    "resource.unspecified", "cpu.some", "cpu.full", "io.some", "io.full", "mem.some", "mem.full"};

/* SysStats, and the messages in it. */
enum {
    MEMINFO_LIST = 1,
    VMSTAT_LIST = 2,
    CPU_LIST = 3,
    FORKS = 4,
    IRQ_TOTAL = 5,
    IRQ_LIST = 6,
    SOFTIRQ_TOTAL = 7,
    SOFTIRQ_LIST = 8,
    DEVFREQ_LIST = 10,
    CPUFREQ = 11,
    BUDDY_LIST = 12,
    DISK_LIST = 13,
    PRESSURE_LIST = 14,
    THERMAL_LIST = 15,
    CPUIDLE_LIST = 16,
    GPUFREQ = 17,
    SLAB_LIST = 18
};
enum { KEY = 1, VALUE = 2 };

static void add(pf_import *im, const pf_packet *p, pf_track_type type, int64_t a, int64_t b, int64_t c, double value)
{
    pf_import_add_sample(im, p->r, p->at, pf_system_track(im, type, PF_NONE, (pf_dims){a, b, c}), value);
}

static int64_t word(pf_import *im, const char *name)
{
    return pf_import_word(im, name);
}

static int64_t text(pf_import *im, const pf_field *f)
{
    return pf_import_text(im, pf_field_text(f));
}

typedef struct pair_list {
    uint32_t field, key_tag;
    pf_track_type type;
    const char *names; /* of the keys; NULL: a key that is a text or a number stands for itself */
    pf_stat_id unknown;
    double factor;
} pair_list;

/* The string id of the name with that number in the list, 0 if there is none; found once. */
static uint32_t name_of(pf_import *im, const pair_list *l, uint64_t number)
{
    const char *at = l->names;
    uint64_t key = number << 8 | l->field;
    uint32_t id = number < UINT32_MAX ? pf_map_get(&im->system.names, key) : 0;
    if (id != PF_NONE) {
        return id;
    }
    for (; *at && number > 0; number--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    id = *at ? pf_import_text(im, (pf_str){at, strcspn(at, " ")}) : 0;
    pf_import_put(im, &im->system.names, key, id);
    return id;
}

static void add_pairs(pf_import *im, const pf_packet *p, const pair_list *l)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field entry;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(l->field), &entry)) {
        PF_CURSOR_FIELDS(f, pf_field_cursor(&entry), PF_AT_VARINT(KEY), PF_AT_VARINT(VALUE));
        int64_t key = (int32_t)f[KEY].value;
        if (l->key_tag == PF_TAG_BYTES(KEY)) {
            const pf_field name = pf_cursor_last(pf_field_cursor(&entry), l->key_tag);
            key = text(im, &name);
        } else if (l->names && !(key = name_of(im, l, f[KEY].value))) {
            pf_import_count(im, p->r, l->unknown);
            continue;
        }
        add(im, p, l->type, key, 0, 0, (double)f[VALUE].value * l->factor);
    }
}

static void add_cpu_times(pf_import *im, const pf_packet *p, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4), PF_AT_VARINT(5),
                     PF_AT_VARINT(6), PF_AT_VARINT(7), PF_AT_VARINT(8), PF_AT_VARINT(9));
    if (!f[1].tag) {
        pf_import_count(im, p->r, PF_STAT_CPU_TIMES_NO_CPU);
        return;
    }
    for (size_t i = 0; i < PF_TAG_COUNT(CPU_TIMES); i++) {
        add(im, p, PF_TRACK_CPU_TIMES, (uint32_t)f[1].value, word(im, CPU_TIMES[i]), 0, (double)f[2 + i].value);
    }
}

static void add_number(pf_import *im, const pf_packet *p, uint32_t field, pf_track_type type)
{
    const pf_field f = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_VARINT(field));
    if (f.tag) {
        add(im, p, type, 0, 0, 0, (double)f.value);
    }
}

/* A number for each CPU. */
static void add_frequencies(pf_import *im, const pf_packet *p)
{
    pf_numbers l = pf_numbers_of(pf_field_cursor(&p->data), CPUFREQ, false);
    uint64_t value;
    for (int64_t cpu = 0; pf_numbers_next(&l, &value); cpu++) {
        add(im, p, PF_TRACK_CPU_FREQUENCY, cpu, 0, 0, (double)value);
    }
}

static void add_gpu_frequencies(pf_import *im, const pf_packet *p)
{
    pf_numbers l = pf_numbers_of(pf_field_cursor(&p->data), GPUFREQ, false);
    for (uint64_t value; pf_numbers_next(&l, &value);) {
        add(im, p, PF_TRACK_GPU_FREQUENCY, pf_gpu_seen(im, 0, pf_import_now(im, p->at)), 0, 0, (double)value);
    }
}

/* Free pieces of memory by their size, twice that of the one before. */
static void add_buddies(pf_import *im, const pf_packet *p, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(1), PF_AT_BYTES(2));
    pf_numbers l = pf_numbers_of(c, 3, false);
    int64_t node = text(im, &f[1]), zone = text(im, &f[2]), size = im->system.page_size / 1024;
    for (uint64_t pages; pf_numbers_next(&l, &pages); size = (int64_t)((uint64_t)size << 1)) {
        add(im, p, PF_TRACK_BUDDYINFO, node, zone, size, (double)pages);
    }
}

/* The numbers of the device at its last sample; *first: this is the first one. NULL after an error. */
static uint64_t *last_of_disk(pf_import *im, uint32_t device, bool *first)
{
    pf_system *s = &im->system;
    uint32_t i = pf_map_get(&s->disk_of, device);
    *first = i == PF_NONE;
    if (*first && !pf_import_failed(im) &&
        PF_LIST_ROOM(&im->t->budget, s->disks, s->disk_count + 1, s->disk_room, im->err) == PF_OK) {
        i = s->disk_count++;
        pf_import_put(im, &s->disk_of, device, i);
    }
    return i == PF_NONE ? NULL : s->disks[i].last;
}

static void add_disk_value(pf_import *im, const pf_packet *p, int64_t device, const char *name, const char *unit,
                           double value)
{
    uint32_t track = pf_system_track(im, PF_TRACK_DISKSTAT, PF_NONE, (pf_dims){device, word(im, name), 0});
    uint32_t id = pf_import_word(im, unit);
    if (track != PF_NONE) {
        im->t->tracks.unit[track] = id;
    }
    pf_import_add_sample(im, p->r, p->at, track, value);
}

static void add_disk(pf_import *im, const pf_packet *p, pf_cursor c)
{
    static const struct {
        const char *amount, *throughput;
    } NAMES[] = {{"read_amount", "read_throughput"},
                 {"write_amount", "write_throughput"},
                 {"discard_amount", "discard_throughput"}};
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(1), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4), PF_AT_VARINT(5),
                     PF_AT_VARINT(6), PF_AT_VARINT(7), PF_AT_VARINT(8), PF_AT_VARINT(9));
    int64_t device = text(im, &f[1]), difference[PF_DISK_NUMBERS];
    bool first;
    uint64_t *last = last_of_disk(im, (uint32_t)device, &first);
    for (size_t i = 0; last && i < PF_DISK_NUMBERS; i++) {
        difference[i] = (int64_t)(f[2 + i].value - (first ? 0 : last[i]));
        last[i] = f[2 + i].value;
    }
    if (first || !last) {
        return;
    }
    for (size_t i = 0; i < PF_TAG_COUNT(NAMES); i++) {
        double megabytes = (double)difference[2 * i] / 2048, ms = (double)difference[2 * i + 1];
        add_disk_value(im, p, device, NAMES[i].amount, "MB", megabytes);
        add_disk_value(im, p, device, NAMES[i].throughput, "MB/s", ms == 0 ? 0 : megabytes * 1000 / ms);
    }
    add_disk_value(im, p, device, "flush_amount", "count", (double)difference[6]);
    add_disk_value(im, p, device, "flush_time", "ms", (double)difference[7]);
}

/* False: the resource is unknown, which ends the packet. */
static bool add_pressure(pf_import *im, const pf_packet *p, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(1), PF_AT_VARINT(2));
    if (f[1].value >= PF_TAG_COUNT(PRESSURE)) {
        pf_import_count(im, p->r, PF_STAT_PRESSURE_UNKNOWN);
        return false;
    }
    add(im, p, PF_TRACK_PRESSURE, word(im, PRESSURE[f[1].value]), 0, 0, (double)f[2].value);
    return true;
}

static void add_thermal(pf_import *im, const pf_packet *p, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(1), PF_AT_VARINT(2), PF_AT_BYTES(3));
    add(im, p, PF_TRACK_THERMAL, text(im, &f[3]), 0, 0, (double)f[2].value);
}

static void add_idle_states(pf_import *im, const pf_packet *p, pf_cursor c)
{
    uint32_t cpu = (uint32_t)pf_cursor_last(c, PF_TAG_VARINT(1)).value;
    pf_field entry;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(2), &entry)) {
        PF_CURSOR_FIELDS(f, pf_field_cursor(&entry), PF_AT_BYTES(1), PF_AT_VARINT(2));
        add(im, p, PF_TRACK_CPU_IDLE_STATE, cpu, text(im, &f[1]), 0, (double)f[2].value);
    }
}

static void add_slab(pf_import *im, const pf_packet *p, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(1), PF_AT_VARINT(2), PF_AT_VARINT(3));
    uint32_t track = pf_system_track(im, PF_TRACK_SLABINFO, PF_NONE, (pf_dims){text(im, &f[1])});
    const pf_system_arg args[] = {{"pages_per_slab", PF_VALUE_UINT, (int64_t)f[2].value},
                                  {"num_slabs", PF_VALUE_UINT, (int64_t)f[3].value}};
    double bytes = (double)(f[2].value * f[3].value * (uint64_t)im->system.page_size);
    if (p->at->when == PF_WHEN_KNOWN) {
        pf_system_sample_with(im, p->at->ts, track, bytes, args, PF_TAG_COUNT(args));
    } else {
        pf_import_add_sample(im, p->r, p->at, track, bytes);
    }
}

/* The messages of one list. */
static void add_messages(pf_import *im, const pf_packet *p, uint32_t field,
                         void (*take)(pf_import *im, const pf_packet *p, pf_cursor c))
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(field), &f)) {
        take(im, p, pf_field_cursor(&f));
    }
}

static bool add_pressures(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    bool known = true;
    while (known && pf_cursor_next_of(&c, PF_TAG_BYTES(PRESSURE_LIST), &f)) {
        known = add_pressure(im, p, pf_field_cursor(&f));
    }
    return known;
}

static void add_all(pf_import *im, const pf_packet *p)
{
    static const pair_list MEMORY = {MEMINFO_LIST, PF_TAG_VARINT(KEY),      PF_TRACK_MEMINFO,
                                     MEMINFO,      PF_STAT_MEMINFO_UNKNOWN, 1024},
                           DEVICES = {DEVFREQ_LIST, PF_TAG_BYTES(KEY), PF_TRACK_CLOCK_FREQUENCY,
                                      NULL,         PF_STAT_COUNT,     1},
                           VIRTUAL = {VMSTAT_LIST, PF_TAG_VARINT(KEY),     PF_TRACK_VMSTAT,
                                      VMSTAT,      PF_STAT_VMSTAT_UNKNOWN, 1},
                           IRQS = {IRQ_LIST, PF_TAG_VARINT(KEY), PF_TRACK_IRQ_COUNT, NULL, PF_STAT_COUNT, 1},
                           SOFTIRQS = {SOFTIRQ_LIST, PF_TAG_VARINT(KEY), PF_TRACK_SOFTIRQ_COUNT,
                                       NULL,         PF_STAT_COUNT,      1};
    add_pairs(im, p, &MEMORY);
    add_pairs(im, p, &DEVICES);
    add_frequencies(im, p);
    add_pairs(im, p, &VIRTUAL);
    add_messages(im, p, CPU_LIST, add_cpu_times);
    add_pairs(im, p, &IRQS);
    add_pairs(im, p, &SOFTIRQS);
    add_number(im, p, FORKS, PF_TRACK_FORKS);
    add_number(im, p, IRQ_TOTAL, PF_TRACK_IRQ_TOTAL);
    add_number(im, p, SOFTIRQ_TOTAL, PF_TRACK_SOFTIRQ_TOTAL);
    add_messages(im, p, BUDDY_LIST, add_buddies);
    add_messages(im, p, DISK_LIST, add_disk);
    if (!add_pressures(im, p)) {
        return;
    }
    add_messages(im, p, THERMAL_LIST, add_thermal);
    add_messages(im, p, CPUIDLE_LIST, add_idle_states);
    add_gpu_frequencies(im, p);
    add_messages(im, p, SLAB_LIST, add_slab);
}

void pf_import_sys_stats(pf_import *im, const pf_packet *p)
{
    uint32_t noted = im->late.time_count;
    if (p->at->when == PF_WHEN_KNOWN && p->at->ts < 0) {
        pf_import_count(im, p->r, PF_STAT_NEGATIVE_TS);
    } else if (im->t->want & PF_WANT_COUNTERS) {
        add_all(im, p);
        pf_import_defer_packet(im, noted);
    }
}
