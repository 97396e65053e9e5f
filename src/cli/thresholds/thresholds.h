/* cli/thresholds/thresholds.h - conditions that make a command end with a finding.
 *
 * A threshold is SQL over the tables of the trace and the report tables of a pass: a bare expression, or a query whose
 * first column counts. It is a finding where that is true in some row, and where it measured nothing: no row, or NULL.
 *
 * All thresholds of a command are tried on an empty trace before any work starts, so that a misspelt column costs no
 * analysis; afterwards all are judged, whatever the first ones gave.
 */
#pragma once

#include "cli/common/command.h"
#include "postfetto/query.h"

typedef enum pf_cli_verdict {
    PF_CLI_PASSED,
    PF_CLI_TRUE,    /* the condition holds in some row */
    PF_CLI_NOTHING, /* no row, NULL, or a text in place of a truth value */
    PF_CLI_WRONG    /* the SQL failed while it ran */
} pf_cli_verdict;

typedef struct pf_cli_threshold {
    const char *text;
    pf_cli_verdict verdict;
    char values[384]; /* what made it so: "min(dur) = 812.5" */
    double seconds;
} pf_cli_threshold;

/* Tries one threshold on an empty trace with the side tables of all readers and the report tables of `pass` (NULL:
 * none): PF_ERR_USAGE with what is wrong with it, else PF_OK. */
pf_status pf_cli_threshold_try(const char *text, const pf_pass *pass, const pf_limits *limits, pf_error *err);

/* Adds the report tables of a pass to a session; those that it did not make, all where f is NULL, are without rows.
 * NULL is no pass. */
pf_status pf_cli_add_pass_tables(pf_query *q, const pf_pass *pass, const pf_findings *f, pf_error *err);

/* Before the work: PF_ERR_USAGE with the fault of the first wrong one, else PF_OK. */
pf_status pf_cli_thresholds_try(pf_cli_run *run);

/* After it: judges all over run->trace (an empty one if that is NULL) and the tables of run->findings, reports those
 * that are findings, writes annotations and the JUnit file. A finding is the exit code. `path` is the input;
 * annotations go to standard error where standard output has data. */
pf_status pf_cli_thresholds_judge(pf_cli_run *run, const char *path, bool stdout_is_data);

/* The name in front of a threshold, NAME=SQL: letters, digits, '_', '-' and '.', and the '=' at once after it. Empty
 * where there is none: no SQL that means something begins so. */
pf_str pf_cli_threshold_name(const char *text);

/* The sentence after the text of the threshold: "is true: min(dur) = 812.5". */
#define PF_CLI_SAID 420
void pf_cli_threshold_say(const pf_cli_threshold *t, char out[PF_CLI_SAID]);

/* threshold_reports.c: workflow commands of GitHub, a line for each finding; a JUnit document, a case for each
 * threshold. */
void pf_cli_threshold_annotations(pf_buffer *b, const pf_cli_threshold *list, size_t count, const char *path);
void pf_cli_threshold_junit(pf_buffer *b, const pf_cli_threshold *list, size_t count, const char *command,
                            const char *path, int64_t unix_seconds);

/* ---- from the text of a threshold to the SQL that is run --------------------------------------------------------- */

#define PF_CLI_OPERANDS_MAX 8

/* Parts of a condition whose values say why it is true: "min(dur)" in "min(dur) < 900". They lie in the text. */
typedef struct pf_cli_operands {
    pf_str text[PF_CLI_OPERANDS_MAX];
    size_t count;
} pf_cli_operands;

/* Appends a query to `plain` (text that is no query becomes one), and to `explained` the same with the operands as
 * columns after the first. Where the text is not understood `explained` stays empty. Both end with a NUL. */
void pf_cli_threshold_sql(pf_str text, pf_buffer *plain, pf_buffer *explained, pf_cli_operands *operands);
