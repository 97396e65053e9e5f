/* write/report/json_document.h - documents straight into files. */
#ifndef PF_WRITE_REPORT_JSON_DOCUMENT_H
#define PF_WRITE_REPORT_JSON_DOCUMENT_H

#include "base/buffer.h"
#include "base/files/outfile.h"
#include "postfetto/findings.h"

/* The text that pf_format_json_styled makes, without all of it being in memory. *written grows by what the file was
 * given. */
pf_status pf_json_write(const pf_node *root, const pf_json_style *style, pf_outfile *file, uint64_t *written,
                        pf_error *err);

/* json_stream.c: visits the report's document and writes it as JSON on one line, ", " and ": " between its parts: into
 * `file`, or into `text` where that is NULL. *len is what was written. */
pf_status pf_json_stream(const pf_report *report, pf_outfile *file, pf_buffer *text, uint64_t *len, pf_error *err);

#endif
