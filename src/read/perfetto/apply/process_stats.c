/* read/perfetto/apply/process_stats.c - memory and run time of processes as counters (docs/reference/perfetto.md).
 *
 * A packet lists processes, each with the values that were read for it. A value becomes a sample on a counter track of
 * its process, made on first use. Sizes come in KiB and are shown in bytes.
 */
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/system/system.h"

enum { PF_F_STATS_PROCESSES = 1, PF_F_STATS_PID = 1 };

typedef struct stat_kind {
    uint32_t field;
    pf_track_type type;
    const char *key; /* in which tracks of one type differ; NULL: there is one track */
    double factor;
} stat_kind;

#define MEMORY(field, key)                                                                                             \
    {                                                                                                                  \
        field, PF_TRACK_PROCESS_MEMORY, key, 1024                                                                      \
    }
#define RUNTIME(field, key)                                                                                            \
    {                                                                                                                  \
        field, PF_TRACK_PROCESS_RUNTIME, key, 1                                                                        \
    }

static const stat_kind kinds[] = {
    MEMORY(2, "virt"),      MEMORY(3, "rss"),           MEMORY(4, "rss.anon"),
    MEMORY(5, "rss.file"),  MEMORY(6, "rss.shmem"),     MEMORY(7, "swap"),
    MEMORY(8, "locked"),    MEMORY(9, "rss.watermark"), {10, PF_TRACK_PROCESS_OOM, NULL, 1},
    RUNTIME(21, "user_ns"), RUNTIME(22, "kernel_ns"),   MEMORY(24, "dmabuf_rss"),
};
#define KINDS (sizeof kinds / sizeof *kinds)

static uint32_t find_track(pf_import *im, uint32_t upid, const stat_kind *k)
{
    return pf_system_track(im, k->type, upid, (pf_dims){k->key ? pf_import_word(im, k->key) : 0});
}

static double value_of(size_t kind, uint64_t value)
{
    bool is_signed = kinds[kind].type == PF_TRACK_PROCESS_OOM;
    return (is_signed ? (double)(int64_t)value : (double)value) * kinds[kind].factor;
}

/* The last value of each kind counts; a process without values is not made known. */
static void add_process(pf_import *im, const pf_packet *p, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(PF_F_STATS_PID), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4),
                     PF_AT_VARINT(5), PF_AT_VARINT(6), PF_AT_VARINT(7), PF_AT_VARINT(8), PF_AT_VARINT(9),
                     PF_AT_VARINT(10), PF_AT_VARINT(21), PF_AT_VARINT(22), PF_AT_VARINT(24));
    uint32_t upid = PF_NONE;
    for (size_t i = 0; i < KINDS; i++) {
        const pf_field *value = &f[kinds[i].field];
        if (value->tag && upid == PF_NONE) {
            upid = pf_import_process(im, (int32_t)f[PF_F_STATS_PID].value);
        }
        if (value->tag && im->t->want & PF_WANT_COUNTERS) {
            pf_import_add_sample(im, p->r, p->at, find_track(im, upid, &kinds[i]), value_of(i, value->value));
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
        add_process(im, p, pf_field_cursor(&f));
    }
    pf_import_defer_packet(im, noted);
}
