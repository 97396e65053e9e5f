/* write/report/csv_text.h - a report table as CSV. */
#ifndef PF_WRITE_REPORT_CSV_TEXT_H
#define PF_WRITE_REPORT_CSV_TEXT_H

#include "base/buffer.h"
#include "postfetto/findings.h"

/* style may be NULL. */
void pf_table_csv(pf_buffer *out, const pf_table *table, const pf_csv_style *style);

#endif
