/* write/report/json_rows.h - the rows of a table as a list in a JSON document, and what documents share with that. */
#ifndef PF_WRITE_REPORT_JSON_ROWS_H
#define PF_WRITE_REPORT_JSON_ROWS_H

#include "base/buffer.h"
#include "base/files/outfile.h"
#include "postfetto/findings.h"

/* Where the text of a document goes: into a buffer, and from there into a file whenever much is in it, so that a long
 * text does not take new memory of the system, which costs more than making the text. */
typedef struct pf_json_sink {
    pf_buffer out;
    pf_outfile *file; /* NULL: everything stays in `out` */
    uint64_t written; /* bytes that the file was given */
    pf_status status; /* of the file */
    pf_error *err;
} pf_json_sink;

/* Gives the file what is in the buffer, if that is `least` bytes or more; whether it did. */
bool pf_json_sink_empty(pf_json_sink *s, size_t least);

/* When a document on its way to a file does so. */
#define PF_JSON_MUCH (256u * 1024)

/* Whether the rest of a document is to be written. */
static inline bool pf_json_sink_works(const pf_json_sink *s)
{
    return !s->out.failed && s->status == PF_OK;
}

/* A line feed and the blanks of the level; nothing in a document on one line. */
void pf_json_put_line(pf_buffer *b, const pf_json_style *style, size_t level);

/* A text in quotes, escaped as the style says. */
void pf_json_put_styled(pf_buffer *b, const pf_json_style *style, pf_str s);

/* A list of objects, one for each row, with the columns from `from` on; the list stands on `level`. The style is
 * complete: no separator is NULL. */
void pf_json_put_rows(pf_json_sink *s, const pf_json_style *style, const pf_table *t, size_t from, size_t level);

#endif
