/* analyze/neutrino/partial/neutrino_partial.h - what one recording contributes to a run over more, and that run from
 * such parts (docs/reference/partial.md).
 *
 * Analyses of logs and trees look at small side tables, which a partial has; those of records leave pieces (documents,
 * lines, rows of tables), which it has in their order. A merge reads both in the order of the inputs' paths and then is
 * the run itself, but for records, whose pieces are reported as if they had just been made.
 */
#pragma once

#include "analyze/neutrino/facts/neutrino.h"

#define NEUTRINO_PART_INPUTS "neutrino_part_inputs"
#define NEUTRINO_PART_PIECES "neutrino_part_pieces"
extern const pf_pass_table pf_neutrino_part_inputs, pf_neutrino_part_pieces;
extern const char *const pf_neutrino_piece_names[NEUTRINO_PIECES];
enum { NEUTRINO_INPUT_PATH, NEUTRINO_INPUT_HASH };
enum {
    NEUTRINO_PIECE_INPUT,
    NEUTRINO_PIECE_UNIT,
    NEUTRINO_PIECE_KIND,
    NEUTRINO_PIECE_NAME,
    NEUTRINO_PIECE_TEXT,
    NEUTRINO_PIECE_ROWS
};

/* A side table as a table of partials: the input, then the columns that are not left out. False: partials have none. */
#define NEUTRINO_PART_COLUMNS 32
typedef struct neutrino_part {
    const neutrino_side *side;
    pf_pass_table table;
    const pf_side_binding *binding[NEUTRINO_PART_COLUMNS]; /* of a column after the first */
    uint32_t of[NEUTRINO_PART_COLUMNS];                    /* NEUTRINO_SIDE_* whose rows it numbers; PF_NONE */
} neutrino_part;
bool pf_neutrino_part(const neutrino_run *n, unsigned side, neutrino_part *out);

/* The array of a column. */
static inline const void **pf_neutrino_array(const neutrino_run *n, const neutrino_side *side, const pf_side_binding *b)
{
    return (const void **)((char *)(uintptr_t)n + side->member + b->member);
}

/* The parts of a trace with one input. */
pf_status pf_neutrino_begin_parts(neutrino_run *n, pf_error *err);

/* Adds tables of all parts to findings that have all else. */
pf_status pf_neutrino_add_parts(const neutrino_run *n, pf_error *err);

/* Fills side tables and pieces from n->t, a trace of partials; in the place of pf_neutrino_bind. */
pf_status pf_neutrino_read_parts(neutrino_run *n, pf_error *err);

/* Reports the pieces of a unit; r: as for its analysis. */
pf_status pf_neutrino_report_pieces(neutrino_run *n, uint32_t unit, const neutrino_records *r, pf_error *err);

/* What `multi` has of a section; an empty object where the partial has nothing. */
pf_status pf_neutrino_read_sums(const neutrino_run *n, uint32_t section, pf_node **out, pf_error *err);
