/* tables/partial_view.h - a table of a partial, read cell by cell where its bytes lie (docs/reference/partial.md).
 *
 * The file says nothing that is not in the manifest: messages, whose lengths precede them, then buffers that begin at
 * multiples of 64 bytes, as long as rows, types and texts say. So nothing of Arrow's metadata is looked at. Opening
 * finds the buffers and holds every length against what is left, checking looks at every text; a cell is there then.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "postfetto/side_table.h"

#define PF_PARTIAL_COLUMNS 64u

typedef struct pf_partial_column {
    const uint8_t *bits, *values;   /* which rows have a value; numbers, or of a text its place in the dictionary */
    const uint8_t *offsets, *texts; /* of the dictionary */
    uint32_t strings;               /* in it */
} pf_partial_column;

typedef struct pf_partial_view {
    const pf_side_spec *spec;
    uint32_t rows;
    pf_partial_column column[PF_PARTIAL_COLUMNS];
} pf_partial_view;

/* member: the Arrow file, which begins `offset` bytes into the partial and outlives the view, as the spec does. texts:
 * by column how many its dictionary has. PF_ERR_INPUT with the offset of what is damaged. */
pf_status pf_partial_view_open(pf_partial_view *v, const pf_side_spec *spec, uint32_t rows, const uint32_t *texts,
                               pf_bytes member, uint64_t offset, pf_error *err);
pf_status pf_partial_view_check(const pf_partial_view *v, uint64_t offset, pf_error *err);

static inline bool pf_partial_has(const pf_partial_column *c, uint32_t row)
{
    return c->bits[row >> 3] >> (row & 7) & 1;
}

static inline int64_t pf_partial_int(const pf_partial_column *c, uint32_t row)
{
    int64_t v;
    memcpy(&v, c->values + 8ull * row, sizeof v);
    return pf_partial_has(c, row) ? v : INT64_MIN;
}

static inline double pf_partial_real(const pf_partial_column *c, uint32_t row)
{
    double v;
    memcpy(&v, c->values + 8ull * row, sizeof v);
    return pf_partial_has(c, row) ? v : (double)NAN;
}

/* Where the text of a row is in the dictionary, PF_NONE without one. */
static inline uint32_t pf_partial_text_at(const pf_partial_column *c, uint32_t row)
{
    uint32_t at;
    memcpy(&at, c->values + 4ull * row, sizeof at);
    return pf_partial_has(c, row) ? at : PF_NONE;
}

/* The i-th text of the dictionary, {NULL, 0} for PF_NONE. */
pf_str pf_partial_string(const pf_partial_column *c, uint32_t i);
