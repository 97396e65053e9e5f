/* read/tinygrad/sqtt/sqtt_waves.h - what the packets of one stream say about waves: from where to where each lives, how
 * many live at a time, and how fast the shader clock runs. */
#pragma once

#include "base/columns.h"
#include "read/tinygrad/sqtt/sqtt_kinds.h"

/* Waves in the order of their ends. */
typedef struct pf_sqtt_wave_table {
    uint32_t count, room;
    int64_t *start, *end;
    uint16_t *cu;
    uint8_t *simd, *wave;
    pf_columns columns;
} pf_sqtt_wave_table;

/* Points in time from which on a number holds: open waves, or the clock in Hz. */
typedef struct pf_sqtt_level_table {
    uint32_t count, room;
    int64_t *time, *value;
    pf_columns columns;
} pf_sqtt_level_table;

/* Slots that packets can name: 5 bits of CU, 2 of SIMD, 5 of wave. */
enum { PF_SQTT_SLOTS = 32 * 4 * 32 };

/* Totals of a stream, summed up packet by packet. */
typedef struct pf_sqtt_totals {
    uint64_t packets, counts[PF_SQTT_KINDS];
    int64_t first_time, last_time;
    int64_t layout; /* of the last header; -1: there was none */
    uint64_t unmatched_ends;
    int64_t wave_cycles; /* sum of the lengths of all waves that ended */
    uint64_t open;
    bool has_mark;
    int64_t mark_time;
    uint64_t mark_clock;
} pf_sqtt_totals;

typedef struct pf_sqtt_waves {
    pf_sqtt_wave_table waves;
    pf_sqtt_level_table occupancy; /* after each change */
    pf_sqtt_level_table clock;     /* at each marker but the first: the mean since the one before it, in Hz */
    pf_sqtt_totals total;
    int64_t started[PF_SQTT_SLOTS]; /* of open waves, else INT64_MIN */
} pf_sqtt_waves;

/* One object serves one stream after the other. After a failure it is to be freed all the same. */
pf_status pf_sqtt_waves_init(pf_sqtt_waves *w, pf_budget *budget, pf_error *err);
void pf_sqtt_waves_restart(pf_sqtt_waves *w);
void pf_sqtt_waves_free(pf_sqtt_waves *w);

/* Takes the next packets of the stream. */
pf_status pf_sqtt_waves_take(pf_sqtt_waves *w, const pf_sqtt_packet *packets, size_t count, pf_error *err);

/* The most waves that were open at a time: what one instant changes counts as one change. */
int64_t pf_sqtt_most_open(const pf_sqtt_waves *w);

/* The slot that a start or an end names. */
typedef struct pf_sqtt_slot {
    uint8_t cu, simd, wave;
} pf_sqtt_slot;
bool pf_sqtt_wave_start(const pf_sqtt_packet *p, pf_sqtt_slot *slot);
bool pf_sqtt_wave_end(const pf_sqtt_packet *p, pf_sqtt_slot *slot);
