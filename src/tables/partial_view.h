/* tables/partial_view.h - a table of a partial, read cell by cell where its bytes lie (docs/reference/partial.md).
 *
 * The file says nothing that is not in the manifest: buffers that begin at multiples of 8 bytes, as long as rows, types
 * and texts say. So nothing of Arrow's metadata is looked at. Opening finds the buffers and holds every length against
 * what is left, checking looks at every text; a cell is there then.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "postfetto/side_table.h"

#define PF_PARTIAL_COLUMNS 64u
#define PF_PARTIAL_ALIGNMENT 8u

/* The dictionary of all texts of a partial. */
typedef struct pf_partial_texts {
    const uint8_t *offsets, *texts;
    uint32_t count;
} pf_partial_texts;

typedef struct pf_partial_column {
    const uint8_t *bits, *values; /* which rows have a value; numbers, or of a text its place in the dictionary */
} pf_partial_column;

typedef struct pf_partial_view {
    const pf_side_spec *spec;
    uint32_t rows;
    pf_partial_texts texts;
    pf_partial_column column[PF_PARTIAL_COLUMNS];
} pf_partial_view;

/* A walk over buffers of `bytes`, which begin `offset` bytes into the partial. */
typedef struct pf_partial_place {
    pf_bytes bytes;
    size_t at;
    uint64_t offset;
    pf_error *err;
} pf_partial_place;

/* Goes over the head of a message to its body. */
pf_status pf_partial_skip_head(pf_partial_place *p);

/* The dictionary of so many texts; its bytes outlive what is returned, as those of tables do. PF_ERR_INPUT with the
 * offset of what is damaged, here and below. */
pf_status pf_partial_texts_open(pf_partial_texts *t, uint32_t count, pf_partial_place *p);

/* The same again, of bytes from its first one on. */
static inline pf_partial_texts pf_partial_texts_at(const uint8_t *bytes, uint32_t count)
{
    uint64_t offsets = (4 * ((uint64_t)count + 1) + PF_PARTIAL_ALIGNMENT - 1) / PF_PARTIAL_ALIGNMENT;
    return (pf_partial_texts){bytes, bytes + offsets * PF_PARTIAL_ALIGNMENT, count};
}

/* The columns of a table; v->texts is there. The spec outlives the view. */
pf_status pf_partial_view_open(pf_partial_view *v, const pf_side_spec *spec, uint32_t rows, pf_partial_place *p);
pf_status pf_partial_view_check(const pf_partial_view *v, const pf_partial_place *p);

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
pf_str pf_partial_string(const pf_partial_texts *t, uint32_t i);
