/* model/findings/table_parts.h - report tables whose rows are made when they are read, part by part, and not kept:
 * those of each input of a merge. What asks for the rows of such a table at once (pf_table_view) has all of them made,
 * and kept from then on. One thread at a time reads it.
 */
#pragma once

#include "postfetto/findings.h"

/* Adds the rows of a part by pf_table_next_row. */
typedef void (*pf_part_maker)(const void *of, uint32_t part, pf_table_builder *t);

/* A table that has no rows yet has so many in so many parts. `of` and texts of cells live as long as parts are
 * read. */
void pf_table_in_parts(pf_table_builder *t, uint32_t parts, size_t rows, pf_part_maker make, const void *of);

/* The cells of one more row, to be filled; NULL, and the findings failed, if refused. */
pf_cell *pf_table_next_row(pf_table_builder *t);

/* How many parts a table has: one where its rows are kept. */
uint32_t pf_table_parts(const pf_table_builder *t);

/* A part, until the next one is asked for. NULL: memory was refused. */
const pf_table *pf_table_part(const pf_table_builder *t, uint32_t part);

/* How many rows there are in all parts, 0 of NULL. */
size_t pf_table_row_count(const pf_table_builder *t);

/* Whether the i-th thing to show is a table. */
bool pf_findings_shows_table(const pf_findings *f, size_t i);
