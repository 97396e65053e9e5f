/* analyze/tinygrad/device/tg_device.h - what the device recorded, as plain columns: the tables that
 * docs/reference/tinygrad.md describes under thread traces, PMC and PMA. Rows of a table that belong to a stream or an
 * execution follow one another, in the order of the streams.
 */
#ifndef PF_ANALYZE_TINYGRAD_DEVICE_TG_INPUT_H
#define PF_ANALYZE_TINYGRAD_DEVICE_TG_INPUT_H

#include "analyze/tinygrad/timeline/tg_timeline.h"

typedef struct tg_programs { /* tinygrad_program */
    uint32_t count;
    const uint32_t *name, *target, *code;
    const int64_t *tag, *base;
} tg_programs;

typedef struct tg_codes { /* tinygrad_code */
    uint32_t count;
    const uint32_t *program;
    const int64_t *pc, *size;
} tg_codes;

typedef struct tg_streams { /* tinygrad_sqtt */
    uint32_t count;
    const uint32_t *event, *kernel, *program, *first_packet;
    const int64_t *tag, *se, *itrace, *exec_tag, *bytes, *packets, *first_time, *last_time, *layout, *waves_open,
        *unmatched_ends, *max_waves, *wave_cycles, *instructions, *lost_waves, *slices;
} tg_streams;

typedef struct tg_counts { /* tinygrad_sqtt_count */
    uint32_t count;
    const uint32_t *stream, *kind;
    const int64_t *packets;
} tg_counts;

typedef struct tg_packets { /* tinygrad_sqtt_packet */
    uint32_t count;
    const uint32_t *kind;
    const int64_t *time, *raw;
} tg_packets;

typedef struct tg_waves { /* tinygrad_sqtt_wave */
    uint32_t count;
    const uint32_t *stream, *slot;
    const int64_t *start, *end;
} tg_waves;

typedef struct tg_slots { /* tinygrad_sqtt_slot */
    uint32_t count;
    const int64_t *cu, *simd, *wave;
} tg_slots;

typedef struct tg_fields { /* tinygrad_sqtt_field */
    uint32_t count;
    const uint32_t *kind, *field, *words;
    const int64_t *high, *low, *shift;
} tg_fields;

typedef struct tg_words { /* tinygrad_sqtt_word */
    uint32_t count;
    const uint32_t *words, *name;
    const int64_t *code;
} tg_words;

typedef struct tg_levels { /* tinygrad_sqtt_occupancy, tinygrad_sqtt_clock */
    uint32_t count;
    const uint32_t *stream;
    const int64_t *time, *value;
} tg_levels;

typedef struct tg_instructions { /* tinygrad_sqtt_instruction */
    uint32_t count;
    const uint32_t *stream;
    const int64_t *pc, *hits, *gap, *wait;
} tg_instructions;

typedef struct tg_unit_slices { /* tinygrad_sqtt_slice */
    uint32_t count;
    const uint32_t *stream, *row, *name, *link;
    const int64_t *start, *length, *pc, *index;
} tg_unit_slices;

typedef struct tg_pmc { /* tinygrad_pmc */
    uint32_t count;
    const uint32_t *event, *kernel, *name, *block, *reg, *digits, *first;
    const int64_t *tag, *exec_tag, *dims[5], *offset, *size, *sum, *values;
} tg_pmc;

typedef struct tg_pmc_values { /* tinygrad_pmc_value */
    uint32_t count;
    const int64_t *value;
    const uint32_t *digits;
} tg_pmc_values;

typedef struct tg_pma { /* tinygrad_pma */
    uint32_t count;
    const uint32_t *event, *kernel, *first_sample;
    const int64_t *tag, *exec_tag, *sm_version, *bytes, *samples, *dropped;
} tg_pma;

typedef struct tg_stalls { /* tinygrad_pma_stall */
    uint32_t count;
    const uint32_t *stream, *reason;
    const int64_t *pc, *samples;
} tg_stalls;

typedef struct tg_pma_samples { /* tinygrad_pma_sample */
    uint32_t count;
    const int64_t *gpc, *tpc, *sm, *pc, *key, *wave, *active;
    const uint32_t *reason;
} tg_pma_samples;

typedef struct tg_records { /* tinygrad_record */
    uint32_t count;
    const uint32_t *kernel, *event;
} tg_records;

typedef struct tg_device {
    const tg_input *in;
    pf_findings *f;
    const tg_estimates *estimates;
    tg_programs programs;
    tg_codes codes;
    tg_streams streams;
    tg_counts counts;
    tg_packets packets;
    tg_fields fields;
    tg_words words;
    tg_waves waves;
    tg_slots slots;
    tg_levels occupancy, clock;
    tg_instructions instructions;
    tg_unit_slices slices;
    tg_pmc counters;
    tg_pmc_values values;
    tg_pma pma;
    tg_stalls stalls;
    tg_pma_samples samples;
    tg_records records;
} tg_device;

/* Names are made in the findings. */
pf_status pf_tg_open_device(tg_device *d, const tg_input *in, const tg_estimates *estimates, pf_findings *f,
                            pf_error *err);

/* How a stream names its program: a text, or a number. */
typedef struct tg_kernel {
    uint32_t name;
    int64_t tag;
} tg_kernel;
bool pf_tg_same_kernel(tg_kernel a, tg_kernel b);

/* The program that it names, PF_NONE: it is not in the profile. The last one counts. */
uint32_t pf_tg_program_of(const tg_device *d, tg_kernel k);

/* Its name: the program's, or what the stream says. */
pf_str pf_tg_kernel_name(const tg_device *d, tg_kernel k);

#endif
