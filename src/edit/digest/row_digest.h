/* edit/digest/row_digest.h - what rows do to their tracks, found out before it is known when they happened.
 *
 * Nearly all slices end soon after they began, and most of a trace lies before or after the window that is cut. So of
 * the rows of a batch little counts in the end: which slices stay open, which ends close what was open before, values
 * and flows. Any thread can find that out without the state of the trace, but for what the places of the rows stand
 * for. That it guesses: what they stood for when their batch was used before. Times count from where an incremental
 * clock stood before the rows. The owner of the state checks the guess and takes the digest instead of its rows, or
 * goes through the rows one by one.
 */
#pragma once

#include "perfetto/decode/batch.h"

#define PF_DIGEST_LANES 256u
#define PF_DIGEST_CLOCKS 64u
#define PF_DIGEST_DEPTH 32u

/* The rows of a track; their times do not run backwards. */
typedef struct pf_digest_lane {
    uint64_t first, last; /* times */
    uint32_t depth, ends; /* slices that stay open, outermost first; ends that close none of these */
    uint32_t track;
    uint16_t place;                /* of its first row */
    uint16_t row[PF_DIGEST_DEPTH]; /* that began them */
} pf_digest_lane;

/* The guess, the owner's; and what the digest made of the place. */
typedef struct pf_digest_place {
    uint64_t unit;
    pf_digest_lane *lane;
    uint32_t track; /* PF_NONE: each such place is alone */
    uint32_t clock; /* a number other than 0 of an incremental clock; 0: of another one */
    uint16_t ticks;
    uint8_t takes; /* 1 << type for each type that may be in a digest */
    uint8_t live;  /* the same while it has a lane; 0: none */
} pf_digest_place;

typedef struct pf_digest {
    uint32_t from, to; /* the rows */
    uint32_t lanes, clocks, places, values, ends;
    uint32_t labels;                       /* that `named` has */
    uint64_t source;                       /* sum of pf_packet_mix */
    uint64_t ticked[1 + PF_DIGEST_CLOCKS]; /* sum of the time stamps of each clock; 0: stays so */
    uint16_t clock[1 + PF_DIGEST_CLOCKS];  /* a place that has it */
    uint16_t lane_at[2 * PF_DIGEST_LANES]; /* by track: 1 + number, 0: free */
    uint16_t used[PF_ROW_PLACES];          /* places that have rows */
    bool named[PF_ROW_LABELS];             /* labels that say something */
    pf_digest_place place[PF_ROW_PLACES];
    pf_digest_lane lane[PF_DIGEST_LANES];
    uint64_t time[PF_ROWS_MAX];        /* by row */
    uint16_t value[1 + PF_ROW_VALUES]; /* rows: counters, slices and instants with one flow: those that have values */
    uint16_t end[PF_ROWS_MAX];         /* rows: ends that close no slice of the rows */
} pf_digest;

/* A packet with its tag and length in the hash of its trace, which is a sum. */
static inline uint64_t pf_packet_mix(uint64_t timestamp, uint64_t size)
{
    uint64_t mixed = (timestamp ^ size << 48) * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
}

/* Digests rows from `from` on, up to one of another kind. */
void pf_digest_rows(pf_digest *d, const pf_rows *b, uint32_t from);
