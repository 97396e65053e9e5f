/* write/report/json_document.h - a document straight into a file. */
#ifndef PF_WRITE_REPORT_JSON_DOCUMENT_H
#define PF_WRITE_REPORT_JSON_DOCUMENT_H

#include "base/files/outfile.h"
#include "postfetto/findings.h"

/* The text that pf_format_json_styled makes, without all of it being in memory. *written grows by what the file was
 * given. */
pf_status pf_json_write(const pf_node *root, const pf_json_style *style, pf_outfile *file, uint64_t *written,
                        pf_error *err);

#endif
