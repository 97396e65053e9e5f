/* cli/hook/hook_report.h - what a hook found out about one trace, and the two reports that say it. */
#ifndef PF_CLI_HOOK_HOOK_REPORT_H
#define PF_CLI_HOOK_HOOK_REPORT_H

#include "cli/hook/hook_trace.h"

/* A pass that ran. */
typedef struct pf_hook_pass_run {
    const char *name;
    pf_hook_words options;
    int code;
    char *summary;  /* JSON, or NULL */
    char *messages; /* what it said on standard error */
    char *folder;   /* of its reports, relative to the report; NULL: none were written */
    char **report;  /* file names in the folder, sorted */
    size_t report_count;
} pf_hook_pass_run;

typedef struct pf_hook_report {
    const char *name;       /* of the trace, without its folder */
    pf_hook_words files;    /* names of the ranks of a capture; empty: one trace */
    pf_hook_words left_out; /* of these: file, reason, file, reason, ... */
    char *missing;          /* which ranks have no file; NULL: none */
    char hash[33];          /* of its bytes */
    char key[33];           /* of version, options and input: equal keys mean equal outputs */
    uint64_t bytes;
    char *info, *check; /* JSON of the two commands, or NULL */
    pf_hook_pass_run *pass;
    size_t pass_count;
    pf_hook_words not_run;  /* pass, reason, pass, reason, ... */
    pf_hook_words findings; /* thresholds that are true, as sentences */
    const char *enriched;   /* file name, or NULL */
} pf_hook_report;

void pf_hook_report_json(const pf_hook_report *r, const pf_hook_result *result, pf_buffer *b);
void pf_hook_report_markdown(const pf_hook_report *r, const pf_hook_result *result, pf_buffer *b);
void pf_hook_report_free(pf_hook_report *r);

/* "done", "finding" or "failed". */
const char *pf_hook_outcome_name(pf_hook_outcome o);

/* The value of a member of a document that `postfetto --json` printed, found by its indentation: the first line that
 * begins with `indent` blanks and the key. Empty if there is none; a container's value is its opening bracket. */
pf_str pf_hook_member(const char *json, size_t indent, const char *key);

#endif
