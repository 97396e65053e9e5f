/* analyze/support/drawing.h - how a pass draws: one group per thing that is measured, rows in it in order.
 *
 * The name of every row begins with whose it is ("tile2,1 kernels"), unless the owner is "". A group is
 * made with its first row, so that nothing empty is drawn, and its rows are ranked in the order in which they are
 * added. Descriptions say what is measured, from what, and by which formula.
 */
#pragma once

#include "analyze/support/intervals.h"
#include "base/arena.h"
#include "postfetto/findings.h"

/* ---- byte_rates.c ------------------------------------------------------------------------------------------------ */

/* Transfers over time: how many bytes per time unit move at each moment.
 *
 * Every transfer spreads its bytes evenly over its length, and the rate at a moment is the sum over those that are
 * under way. The result is a step function, which a counter track draws. */

/* start < end. */
typedef struct pf_transfer {
    int64_t start, end;
    uint64_t bytes;
} pf_transfer;

/* From ts on, until the next step. */
typedef struct pf_rate_step {
    int64_t ts;
    double rate; /* bytes per time unit: GB/s where that is ns */
} pf_rate_step;

/* Working memory, each with room for 2 * n. */
typedef struct pf_rate_scratch {
    int64_t *edges;
    uint32_t *order, *spare;
} pf_rate_scratch;

/* The steps, each at another time and with another rate than the one before it; the last has rate 0. Transfers in any
 * order, n < 2^31; `out` has room for 2 * n. O(n log n). Returns the number of steps. */
size_t pf_byte_rates(const pf_transfer *list, size_t n, pf_rate_step *out, const pf_rate_scratch *scratch);

/* bytes / length, 0 where there is no length. */
double pf_byte_rate(uint64_t bytes, int64_t start, int64_t end);

/* ---- drawing.c -----------------------------------------------------------------------------------------------------
 */

typedef struct pf_drawing {
    pf_findings *f;
    pf_arena *arena;
    pf_overlay_track group; /* the group in hand */
    uint32_t group_id;      /* PF_NONE until it has a row */
    uint32_t notes;         /* its row of notes; PF_NONE until there is a note */
    pf_str owner;
    int32_t rank; /* of the next row */
} pf_drawing;

/* Begins a group: kind and parent of `group` are filled in. `owner` must outlive the group. */
void pf_drawing_group(pf_drawing *d, const pf_overlay_track *group, pf_str owner);

/* Begins a group within another one, which has been added. */
void pf_drawing_subgroup(pf_drawing *d, uint32_t parent, const pf_overlay_track *group, pf_str owner);

/* The same as the next row of the group of another drawing, which is made now if it is not there yet. */
pf_drawing pf_drawing_inside(pf_drawing *outer, const char *what, const char *description);

/* A row of slices, "OWNER WHAT". */
uint32_t pf_drawing_slices(pf_drawing *d, const char *what, const char *description);

/* The same with room for intervals that overlap: rows "OWNER WHAT", "OWNER WHAT 2", ... Returns the first, the others
 * follow it directly; lane[i] becomes the row of interval i, counted from the first. The intervals are ascending by
 * start. PF_NONE if there are none, or if memory was refused. */
uint32_t pf_drawing_lanes(pf_drawing *d, const char *what, const char *description, const pf_interval *list, size_t n,
                          const uint32_t **lane);

/* A counter. Siblings with the same share_key (may be NULL) are drawn on one scale. */
uint32_t pf_drawing_counter(pf_drawing *d, const char *what, const char *unit, const char *share_key,
                            const char *description);

/* A counter of what n transfers move at each moment, where they do; times are ns: GB/s of bytes. */
typedef struct pf_drawn_rate {
    const char *what, *share_key, *description;
    const char *unit; /* NULL: GB/s */
    double per;       /* so many GB/s are one of the unit; 0: 1 */
} pf_drawn_rate;
void pf_drawing_rates(pf_drawing *d, const pf_drawn_rate *drawn, const pf_transfer *list, size_t n);

/* A warning about the data: an instant at the place it concerns, with the text as name, on the row "OWNER notes". */
void pf_drawing_note(pf_drawing *d, int64_t ts, pf_str text);

/* The length of an interval as an argument or a duration. */
int64_t pf_drawing_length(uint64_t length);
