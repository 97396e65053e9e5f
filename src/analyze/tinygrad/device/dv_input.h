/* analyze/tinygrad/device/dv_input.h - what the device recorded, as plain columns: the tables that
 * docs/reference/tinygrad.md describes under thread traces, PMC and PMA. Rows of a table that belong to a stream or an
 * execution follow one another, in the order of the streams.
 */
#ifndef PF_ANALYZE_TINYGRAD_DV_INPUT_H
#define PF_ANALYZE_TINYGRAD_DV_INPUT_H

#include "analyze/tinygrad/timeline/tg_timeline.h"

/* Rows first .. end - 1. */
typedef struct dv_span {
    uint32_t first, end;
} dv_span;

typedef struct dv_programs { /* tinygrad_program, tinygrad_code */
    uint32_t count;
    const uint32_t *name, *target, *code;
    const int64_t *tag, *base;
    uint32_t code_count;
    const uint32_t *code_program;
    const int64_t *pc, *size;
} dv_programs;

typedef struct dv_streams { /* tinygrad_sqtt */
    uint32_t count;
    const uint32_t *event, *kernel, *program, *first_packet;
    const int64_t *tag, *se, *itrace, *execution, *bytes, *packets, *first_time, *last_time, *layout, *waves_open,
        *unmatched_ends, *max_waves, *wave_cycles, *instructions, *lost_waves, *slices;
} dv_streams;

typedef struct dv_counts { /* tinygrad_sqtt_count */
    uint32_t count;
    const uint32_t *stream, *kind;
    const int64_t *packets;
} dv_counts;

typedef struct dv_packets { /* tinygrad_sqtt_packet */
    uint32_t count;
    const uint32_t *kind;
    const int64_t *time, *raw;
} dv_packets;

typedef struct dv_waves { /* tinygrad_sqtt_wave, _slot, _traced_wave */
    uint32_t count;
    const uint32_t *stream, *slot;
    const int64_t *start, *end, *cu, *simd, *wave;
    uint32_t traced_count;
    const uint32_t *traced;
    const int64_t *traced_instructions, *traced_wait;
} dv_waves;

typedef struct dv_levels { /* tinygrad_sqtt_occupancy, tinygrad_sqtt_clock */
    uint32_t count;
    const uint32_t *stream;
    const int64_t *time, *value;
} dv_levels;

typedef struct dv_instructions { /* tinygrad_sqtt_instruction */
    uint32_t count;
    const uint32_t *stream;
    const int64_t *pc, *hits, *gap, *wait;
} dv_instructions;

typedef struct dv_slices { /* tinygrad_sqtt_slice */
    uint32_t count;
    const uint32_t *stream, *row, *name, *link;
    const int64_t *start, *length, *pc, *index;
} dv_slices;

typedef struct dv_counters { /* tinygrad_pmc, tinygrad_pmc_value */
    uint32_t count;
    const uint32_t *event, *kernel, *name, *block, *reg, *digits, *first;
    const int64_t *tag, *execution, *dims[5], *offset, *size, *sum, *values;
    const int64_t *value;
    const uint32_t *value_digits;
} dv_counters;

typedef struct dv_samples { /* tinygrad_pma, _stall, _sample */
    uint32_t count;
    const uint32_t *event, *kernel, *first;
    const int64_t *tag, *execution, *sm_version, *bytes, *samples, *dropped;
    uint32_t stall_count;
    const uint32_t *stall_stream, *stall_reason;
    const int64_t *stall_pc, *stall_samples;
    const int64_t *gpc, *tpc, *sm, *pc, *key, *wave, *active;
    const uint32_t *reason;
} dv_samples;

typedef struct dv_input {
    const tg_input *in;
    pf_findings *f;
    const tg_estimates *estimates;
    dv_programs programs;
    dv_streams streams;
    dv_counts counts;
    dv_packets packets;
    dv_waves waves;
    dv_levels occupancy, clock;
    dv_instructions instructions;
    dv_slices slices;
    dv_counters counters;
    dv_samples samples;
} dv_input;

/* Names are made in the findings. */
void pf_dv_open(dv_input *d, const tg_input *in, const tg_estimates *estimates, pf_findings *f);

/* The rows of an ascending column that have this value. */
dv_span pf_dv_span(const uint32_t *column, uint32_t count, uint32_t value);

/* How a stream names its program: a text, or a number. */
typedef struct dv_kernel {
    uint32_t name;
    int64_t tag;
} dv_kernel;
bool pf_dv_same_kernel(dv_kernel a, dv_kernel b);

/* The program that it names, PF_NONE: it is not in the profile. The last one counts. */
uint32_t pf_dv_program(const dv_input *d, dv_kernel k);

/* Its name: the program's, or what the stream says. */
pf_str pf_dv_kernel_name(const dv_input *d, dv_kernel k);

#endif
