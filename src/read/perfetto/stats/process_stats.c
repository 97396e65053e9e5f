/* read/perfetto/stats/process_stats.c - memory and run time of processes as counters (docs/reference/perfetto.md).
 *
 * A packet lists processes, each with the values that were read for it. A value becomes a sample on a counter track of
 * its process, made on first use. Sizes come in KiB and are shown in bytes.
 */
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/stats/stats.h"

enum { PF_F_STATS_PROCESSES = 1, PF_F_STATS_PID = 1 };

typedef struct stat_kind {
    uint32_t field;
    pf_track_type type;
    const char *name;
    const char *key; /* of the dimension in which tracks of one type differ, and its value; NULL = none */
    const char *value;
    double factor;
} stat_kind;

#define MEMORY(field, value)                                                                                           \
    {                                                                                                                  \
        field, PF_TRACK_PROCESS_MEMORY, "mem." value, "process_memory_key", value, 1024                                \
    }
#define RUNTIME(field, value)                                                                                          \
    {                                                                                                                  \
        field, PF_TRACK_PROCESS_RUNTIME, "runtime." value, "proc_stat_runtime_key", value, 1                           \
    }

static const stat_kind kinds[] = {
    MEMORY(2, "virt"),      MEMORY(3, "rss"),           MEMORY(4, "rss.anon"),
    MEMORY(5, "rss.file"),  MEMORY(6, "rss.shmem"),     MEMORY(7, "swap"),
    MEMORY(8, "locked"),    MEMORY(9, "rss.watermark"), {10, PF_TRACK_PROCESS_OOM, "oom_score_adj", NULL, NULL, 1},
    RUNTIME(21, "user_ns"), RUNTIME(22, "kernel_ns"),   MEMORY(24, "dmabuf_rss"),
};
#define KINDS (sizeof kinds / sizeof *kinds)

static uint32_t find_track(pf_import *im, uint32_t upid, size_t kind)
{
    const stat_kind *k = &kinds[kind];
    uint64_t key = (uint64_t)upid << 5 | kind;
    uint32_t track = pf_map_get(&im->stats.tracks, key);
    if (track == PF_NONE) {
        track = pf_import_track(im, k->type, pf_import_word(im, k->name), upid);
        if (k->key) {
            pf_import_arg_text(im, PF_OWNER_TRACK_DIMENSION, track, k->key, pf_str_of(k->value));
        }
        pf_import_put(im, &im->stats.tracks, key, track);
    }
    return track;
}

static double value_of(size_t kind, uint64_t value)
{
    bool is_signed = kinds[kind].type == PF_TRACK_PROCESS_OOM;
    return (is_signed ? (double)(int64_t)value : (double)value) * kinds[kind].factor;
}

/* The last value of each kind counts; a process without values is not made known. */
static void add_process(pf_import *im, const pf_record *r, pf_cursor c, const pf_moment *at)
{
    uint64_t value[KINDS];
    bool given[KINDS] = {false}, any = false;
    int64_t pid = 0;
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_STATS_PID)) {
            pid = (int32_t)f.value;
        }
        for (size_t i = 0; i < KINDS; i++) {
            if (f.tag == PF_TAG_VARINT(kinds[i].field)) {
                value[i] = f.value;
                given[i] = any = true;
            }
        }
    }
    uint32_t upid = any ? pf_import_process(im, pid) : PF_NONE;
    for (size_t i = 0; any && i < KINDS; i++) {
        if (given[i] && im->t->want & PF_WANT_COUNTERS) {
            pf_import_add_sample(im, r, at, find_track(im, upid, i), value_of(i, value[i]));
        }
    }
}

void pf_import_process_stats(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    uint32_t noted = im->late.time_count;
    pf_field f;
    if (p->at->when == PF_WHEN_KNOWN && p->at->ts < 0) {
        pf_import_count(im, p->r, PF_STAT_NEGATIVE_TS);
        return;
    }
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_STATS_PROCESSES), &f)) {
        add_process(im, p->r, pf_field_cursor(&f), p->at);
    }
    pf_import_defer_packet(im, noted);
}
