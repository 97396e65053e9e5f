/* read/perfetto/system/ftrace_stats.c - what the kernel's buffers of events held when the recording began and when it
 * ended, by CPU, as rows of stats: how much was written, read and lost. Where both are known, their difference is a
 * row, too. What the recorder could not set up counts once for each sequence.
 */
#include "read/perfetto/system/system.h"

enum { STATS_PHASE = 1, STATS_CPU = 2, STATS_PRESERVE = 8, STATS_PARSE_ERROR = 9, STATS_KPROBES = 10 };
enum { PHASE_BEGIN = 1, PHASE_END = 2 };
enum { ZERO_DATA_LENGTH = 12 }; /* of the errors of parsing: nothing is missing */

/* A number at the begin, at the end, and what came in between (PF_STAT_COUNT: nobody asks). */
typedef struct stat_kind {
    uint32_t field;
    pf_stat_id begin, end, delta;
} stat_kind;

#define KIND(field, id)                                                                                                \
    {                                                                                                                  \
        field, PF_STAT_##id##_BEGIN, PF_STAT_##id##_END, PF_STAT_##id##_DELTA                                          \
    }

static const stat_kind OF_CPU[] = {KIND(2, FTRACE_ENTRIES), KIND(3, FTRACE_OVERRUN), KIND(4, FTRACE_COMMIT_OVERRUN),
                                   KIND(5, FTRACE_BYTES),   KIND(8, FTRACE_DROPPED), KIND(9, FTRACE_READ)};
static const stat_kind TIMES[] = {{6, PF_STAT_FTRACE_OLDEST_BEGIN, PF_STAT_FTRACE_OLDEST_END, PF_STAT_COUNT},
                                  {7, PF_STAT_FTRACE_NOW_BEGIN, PF_STAT_FTRACE_NOW_END, PF_STAT_COUNT}};
static const stat_kind KPROBES[] = {KIND(1, KPROBE_HITS), KIND(2, KPROBE_MISSES)};

static uint64_t key_of(pf_stat_id id, uint32_t idx)
{
    return (uint64_t)id << 32 | idx;
}

void pf_system_stat(pf_import *im, const pf_record *r, pf_stat_id id, uint32_t idx, int64_t value)
{
    uint32_t row = pf_map_get(&im->system.stat_rows, key_of(id, idx));
    if (row == PF_NONE && !pf_import_failed(im)) {
        pf_import_put(im, &im->system.stat_rows, key_of(id, idx), im->t->stat_values.count);
        row = pf_trace_add_stat_value(im->t, id, idx, im->err);
    }
    if (!pf_import_failed(im)) {
        pf_trace_set_stat_value(im->t, row, value, pf_import_offset(im, r));
    }
}

void pf_system_stat_add(pf_import *im, const pf_record *r, pf_stat_id id, uint32_t idx, int64_t more)
{
    uint32_t row = pf_map_get(&im->system.stat_rows, key_of(id, idx));
    uint64_t value = row == PF_NONE ? 0 : (uint64_t)im->t->stat_values.value[row];
    pf_system_stat(im, r, id, idx, (int64_t)(value + (uint64_t)more));
}

/* What is not of a CPU begins with 0 in any case, which says nothing. */
static void set(pf_import *im, const pf_packet *p, const stat_kind *k, bool begin, uint32_t idx, int64_t value)
{
    uint32_t row = pf_map_get(&im->system.stat_rows, key_of(k->begin, idx));
    int64_t first = row == PF_NONE ? 0 : im->t->stat_values.value[row];
    pf_system_stat(im, p->r, begin ? k->begin : k->end, idx, value);
    if (!begin && k->delta != PF_STAT_COUNT && (first || (row != PF_NONE && idx != PF_NONE))) {
        pf_system_stat(im, p->r, k->delta, idx, (int64_t)((uint64_t)value - (uint64_t)first));
    }
}

static int64_t nanoseconds(uint64_t seconds)
{
    double ns = pf_bits_to_double(seconds) * 1e9;
    return ns >= 0x1p63 ? INT64_MAX : ns > -0x1p63 ? (int64_t)ns : 0; /* NaN: 0 */
}

static void take_cpu(pf_import *im, const pf_packet *p, pf_cursor c, bool begin)
{
    uint32_t cpu = (uint32_t)pf_cursor_last(c, PF_TAG_VARINT(1)).value;
    for (size_t i = 0; i < PF_TAG_COUNT(OF_CPU); i++) {
        set(im, p, &OF_CPU[i], begin, cpu, (int64_t)pf_cursor_last(c, PF_TAG_VARINT(OF_CPU[i].field)).value);
    }
    for (size_t i = 0; i < PF_TAG_COUNT(TIMES); i++) {
        set(im, p, &TIMES[i], begin, cpu, nanoseconds(pf_cursor_last(c, PF_TAG_FIXED64(TIMES[i].field)).value));
    }
}

/* Whether a sequence says for the first time how its recording began. */
static bool begins(pf_import *im, const pf_record *r)
{
    bool first = pf_map_get(&im->system.ftrace_began, r->sequence) == PF_NONE;
    pf_import_put(im, &im->system.ftrace_began, r->sequence, 0);
    return first;
}

static void count_setup_errors(pf_import *im, const pf_packet *p)
{
    static const uint32_t FIELDS[] = {5, 6, 7, 13}; /* of atrace; unknown and failed events; of what excludes others */
    for (size_t i = 0; i < PF_TAG_COUNT(FIELDS); i++) {
        pf_cursor c = pf_field_cursor(&p->data);
        pf_field f;
        while (pf_cursor_next_of(&c, PF_TAG_BYTES(FIELDS[i]), &f)) {
            pf_import_count(im, p->r, PF_STAT_FTRACE_SETUP);
        }
    }
}

void pf_import_ftrace_stats(pf_import *im, const pf_packet *p)
{
    uint64_t phase = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_VARINT(STATS_PHASE)).value;
    bool begin = phase == PHASE_BEGIN;
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    if (!begin && phase != PHASE_END) {
        return;
    }
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(STATS_CPU), &f)) {
        take_cpu(im, p, pf_field_cursor(&f), begin);
    }
    f = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_BYTES(STATS_KPROBES));
    for (size_t i = 0; i < PF_TAG_COUNT(KPROBES); i++) {
        int64_t value = (int64_t)pf_cursor_last(pf_field_cursor(&f), PF_TAG_VARINT(KPROBES[i].field)).value;
        set(im, p, &KPROBES[i], begin, PF_NONE, value);
    }
    pf_numbers errors = pf_numbers_of(pf_field_cursor(&p->data), STATS_PARSE_ERROR, false);
    for (uint64_t error; pf_numbers_next(&errors, &error);) {
        if (error == ZERO_DATA_LENGTH) {
            pf_import_count(im, p->r, PF_STAT_FTRACE_ZERO_LENGTH);
        }
    }
    if (begin && pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_VARINT(STATS_PRESERVE)).value) {
        im->system.keeps_early = true;
    }
    if (begin && begins(im, p->r)) {
        count_setup_errors(im, p);
    }
}
