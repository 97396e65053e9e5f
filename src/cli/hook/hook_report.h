/* cli/hook/hook_report.h - what a hook found out about one trace, and the two reports that say it. */
#ifndef PF_CLI_HOOK_HOOK_REPORT_H
#define PF_CLI_HOOK_HOOK_REPORT_H

#include "base/str.h"
#include "cli/hook/hook_trace.h"
#include "postfetto/findings.h"

/* Texts, lists and documents belong to `all`, which remembers where memory was refused. */
typedef struct pf_hook_report {
    pf_findings *all;
    pf_str name;       /* of the trace, without its folder */
    pf_node *files;    /* names of the ranks of a capture; empty: one trace */
    pf_node *left_out; /* of these: {name, reason} */
    pf_str missing;    /* which ranks have no file; {NULL, 0}: none */
    char hash[33];     /* of its bytes */
    char key[33];      /* of version, options and input: equal keys mean equal outputs */
    uint64_t bytes;
    const pf_node *info, *check; /* documents of the two commands, or NULL */
    pf_node *findings;           /* thresholds that are true, as sentences */
    pf_str enriched;             /* file name, or {NULL, 0} */
    pf_node *not_run;            /* {name, reason} of a pass */
    pf_node *passes;             /* those that ran: {name, options, exit_code, summary, messages, reports} */
} pf_hook_report;

/* False: memory was refused. */
bool pf_hook_report_begin(pf_hook_report *r);
void pf_hook_report_free(pf_hook_report *r);

/* An item of a list of texts; of a list of names with a reason each. */
void pf_hook_report_text(pf_hook_report *r, pf_node *list, const char *text);
void pf_hook_report_reason(pf_hook_report *r, pf_node *list, const char *name, const char *reason);

/* The report as a document, and as Markdown that says the same. NULL: memory was refused. */
const pf_node *pf_hook_report_document(const pf_hook_report *r, const pf_hook_result *result);
void pf_hook_report_markdown(const pf_node *report, pf_buffer *b);

/* "done", "finding" or "failed". */
const char *pf_hook_outcome_name(pf_hook_outcome o);

/* Whether a document (or NULL) has a member that is this text. */
bool pf_hook_says(const pf_node *document, const char *key, const char *text);

/* Whether something of the recording is lost, by the document of `check` (or NULL). */
bool pf_hook_is_damaged(const pf_node *check);

#endif
