/* cli/thresholds/threshold_sql.h - from the text of a threshold to the SQL that is run. */
#ifndef PF_CLI_THRESHOLDS_THRESHOLD_SQL_H
#define PF_CLI_THRESHOLDS_THRESHOLD_SQL_H

#include "base/buffer.h"
#include "postfetto/base.h"

#define PF_CLI_OPERANDS_MAX 8

/* Parts of a condition whose values say why it is true: "min(dur)" in "min(dur) < 900". They lie in the text. */
typedef struct pf_cli_operands {
    pf_str text[PF_CLI_OPERANDS_MAX];
    size_t count;
} pf_cli_operands;

/* Appends a query to `plain` (text that is no query becomes one), and to `explained` the same with the operands as
 * columns after the first. Where the text is not understood `explained` stays empty. Both end with a NUL. */
void pf_cli_threshold_sql(pf_str text, pf_buffer *plain, pf_buffer *explained, pf_cli_operands *operands);

#endif
