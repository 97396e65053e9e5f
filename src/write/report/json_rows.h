/* write/report/json_rows.h - the rows of a table as a list in a JSON document, and what documents share with that. */
#ifndef PF_WRITE_REPORT_JSON_ROWS_H
#define PF_WRITE_REPORT_JSON_ROWS_H

#include "base/buffer.h"
#include "postfetto/findings.h"

/* A line feed and the blanks of the level; nothing in a document on one line. */
void pf_json_put_line(pf_buffer *b, const pf_json_style *style, size_t level);

/* A text in quotes, escaped as the style says. */
void pf_json_put_styled(pf_buffer *b, const pf_json_style *style, pf_str s);

/* A list of objects, one for each row, with the columns from `from` on; the list stands on `level`. The style is
 * complete: no separator is NULL. */
void pf_json_put_rows(pf_buffer *b, const pf_json_style *style, const pf_table *t, size_t from, size_t level);

#endif
