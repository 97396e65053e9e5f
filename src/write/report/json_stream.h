/* write/report/json_stream.h - documents that are written while they are visited. */
#ifndef PF_WRITE_REPORT_JSON_STREAM_H
#define PF_WRITE_REPORT_JSON_STREAM_H

#include "base/buffer.h"
#include "base/files/outfile.h"
#include "postfetto/findings.h"

/* Visits the report's document and writes it as JSON on one line, ", " and ": " between its parts: into `file`, or into
 * `text` where that is NULL. *len is what was written. */
pf_status pf_json_stream(const pf_report *report, pf_outfile *file, pf_buffer *text, uint64_t *len, pf_error *err);

#endif
