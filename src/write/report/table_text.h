/* write/report/table_text.h - the shapes of a report table. */
#ifndef PF_WRITE_REPORT_TABLE_TEXT_H
#define PF_WRITE_REPORT_TABLE_TEXT_H

#include "base/buffer.h"
#include "postfetto/findings.h"

/* The <details> block of a Markdown report: its title as summary, the table inside (docs/reference/aie.md, "Files"). */
void pf_table_details(pf_buffer *out, const pf_table *table);

/* A pipe table on its own; text cannot break out of its cell. */
void pf_table_markdown(pf_buffer *out, const pf_table *table);

/* Aligned columns for a terminal; control characters of traced names do not reach it. */
void pf_table_aligned(pf_buffer *out, const pf_table *table);

/* A number that is not NULL, with the decimals of its column. */
void pf_table_number(pf_buffer *out, const pf_column *column, const pf_cell *cell);

/* csv_text.c: the table as CSV; style may be NULL. */
void pf_table_csv(pf_buffer *out, const pf_table *table, const pf_csv_style *style);

#endif
