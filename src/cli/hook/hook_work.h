/* cli/hook/hook_work.h - one trace while a hook works at it; shared by the files that take it from the lock to
 * the report. */
#pragma once

#include "base/str.h"
#include "cli/hook/hook.h"
#include "postfetto/findings.h"

/* What was found out. Texts, lists and documents belong to `all`, which remembers where memory was refused. */
typedef struct pf_hook_report {
    pf_findings *all;
    pf_node *files;    /* names of the ranks of a capture; empty: one trace */
    pf_node *left_out; /* of these: {name, reason} */
    pf_str missing;    /* which ranks have no file; {NULL, 0}: none */
    char hash[33];     /* of its bytes */
    char key[33];      /* of version, options and input: equal keys mean equal outputs */
    uint64_t bytes;
    const pf_node *info, *check;    /* documents of the two commands, or NULL */
    pf_node *findings, *passed;     /* thresholds that are true, and those that are not, as sentences */
    pf_str enriched, archive, html; /* file names, or {NULL, 0} */
    pf_str kept, kept_of, whole;    /* of `keep`: the part, which step it is; or why the whole trace stays */
    pf_node *not_run;               /* {name, reason} of a pass */
    pf_node *passes;                /* those that ran: {name, options, exit_code, summary, messages, reports} */
} pf_hook_report;

typedef struct pf_hook_work {
    const pf_hook_config *config;
    const char *path, *base;    /* of a trace, or of a capture of several ranks */
    const pf_hook_words *files; /* of such a capture; NULL: one trace */
    pf_hook_words ranks;        /* those of them that are read */
    const char *folder;         /* where everything is written; like the next it belongs to the report */
    const char *json, *markdown, *html, *enriched, *archive, *reports, *lock; /* paths */
    const char *kept; /* likewise, of the slowest step; NULL: it is not cut */
    int lock_fd;
    uint64_t before; /* pf_hook_state */
    pf_hook_child_limits limits;
    pf_hook_report report;
    const pf_hook_pass **runs; /* the passes that run, in order */
    size_t run_count;
    int64_t *judge; /* of each threshold: the index of the pass that judges it, see pf_hook_threshold_judge */
    pf_hook_result *result;
} pf_hook_work;

/* hook_report.c: TRACE.report.json and TRACE.report.md */
bool pf_hook_report_begin(pf_hook_report *r); /* false: memory was refused */
void pf_hook_report_free(pf_hook_report *r);

/* An item of a list of texts; of a list of names with a reason each. */
void pf_hook_report_text(pf_hook_report *r, pf_node *list, const char *text);
void pf_hook_report_reason(pf_hook_report *r, pf_node *list, const char *name, const char *reason);

/* The report as a document, and as Markdown that says the same. NULL: memory was refused. */
const pf_node *pf_hook_report_document(pf_hook_work *w);
void pf_hook_report_markdown(const pf_node *report, pf_buffer *b);

/* Adds a copy of a node; NULL: null. */
const pf_node *pf_hook_report_copy(pf_hook_report *r, pf_node *parent, pf_str key, const pf_node *node);

/* Whether a document (or NULL) has a member that is this text. */
bool pf_hook_says(const pf_node *document, const char *key, const char *text);

/* Whether something of the recording is lost, by the document of `check` (or NULL). */
bool pf_hook_is_damaged(const pf_node *check);

/* hook_begin.c */
bool pf_hook_make_names(pf_hook_work *w);
/* Takes the lock of the trace; false, with the reason in the result, if that cannot be. */
bool pf_hook_take_lock(pf_hook_work *w);
void pf_hook_leave_lock(pf_hook_work *w);

/* The hash of the bytes, the key of what is asked for, and whether the outputs of that key are there. */
bool pf_hook_hash_input(pf_hook_work *w);
/* What changes when the input does: number, size and time of the file, or of each of the ranks or in the folder; 0 if
 * it is not there. */
uint64_t pf_hook_state(const pf_hook_work *w);
bool pf_hook_make_key(pf_hook_work *w);
bool pf_hook_is_done(pf_hook_work *w);
/* The report that is there; NULL: none, or what is no document. */
const pf_node *pf_hook_read_report(pf_hook_work *w);

/* hook_steps.c */
/* Sets the result, where no failure is noted: what comes after one follows from it. Returns false, so that a step can
 * return it. */
bool pf_hook_end(pf_hook_work *w, pf_hook_outcome outcome, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define pf_hook_fail(w, code, ...) pf_hook_end((w), PF_HOOK_FAILED, (code), __VA_ARGS__)
bool pf_hook_no_memory(pf_hook_work *w);
/* Judges how a child ended: false, with the reason noted, unless its exit status is at most `good`. */
bool pf_hook_judge(pf_hook_work *w, const char *what, pf_hook_child *c, int good);
/* The document that a child printed; what is none is a node that is written as it is. NULL: memory was refused. */
const pf_node *pf_hook_printed(pf_hook_work *w, const pf_buffer *text);
/* The lines that a child printed, as a list of texts; thresholds that are not true are noted instead. */
pf_node *pf_hook_lines(pf_hook_work *w, const pf_buffer *text);
/* Takes a rank that could not be read, which is why a step failed, out of its capture, and says so in the report.
 * False: it is the last one, or the step failed otherwise. */
bool pf_hook_leave_out(pf_hook_work *w, const char *path, const char *reason);
/* The files that are read, after "--"; `more` stands before each but the first, which then come before "--". */
void pf_hook_add_inputs(const pf_hook_work *w, const char *more, pf_hook_words *words);
/* Words that every child gets. */
void pf_hook_add_common(pf_hook_work *w, pf_hook_words *words);
/* Adds those thresholds that `judge` judges; returns how many. */
size_t pf_hook_add_thresholds(pf_hook_work *w, pf_hook_words *words, int64_t judge);
/* The lines about thresholds; workflow commands are passed on as they are, for those who collect them. */
void pf_hook_note_findings(pf_hook_work *w, const pf_node *lines);
/* `postfetto COMMAND TRACE --json`; its document. NULL with the reason noted. */
const pf_node *pf_hook_run_json(pf_hook_work *w, const char *command, int good);
/* The result of a trace that postfetto wrote. */
void pf_hook_leave_alone(pf_hook_work *w);

/* hook_keep.c */
#define PF_HOOK_KEPT ".slowest-step." /* between the names of the trace and of the format */
/* After the passes: writes the slowest step, if that is asked for, or notes why the whole trace stays. */
void pf_hook_keep_step(pf_hook_work *w);
/* After the reports: removes the trace whose slowest step was written. */
void pf_hook_remove_whole(pf_hook_work *w);
/* Whether an earlier hook did so, and the result says it. */
bool pf_hook_is_kept(pf_hook_work *w);

/* hook_passes.c: runs what is wanted and notes it in the report. */
void pf_hook_run_passes(pf_hook_work *w);
/* Its steps. */
/* Adds the files of a folder that a pass wrote its reports to, by name, as paths from the report's own folder on. */
bool pf_hook_list_reports(pf_hook_work *w, pf_node *list, const char *folder);
/* The command line of the pass with index `at` (that runs as number `run`): its options first, then ours. */
void pf_hook_pass_words(pf_hook_work *w, pf_hook_words *words, size_t run, int64_t at, const char *folder, bool draw);
/* hook_pages.c: the first pass that runs makes the page of the trace, others one of their own. */
/* Where that of the pass is that runs as number `run`; NULL: memory was refused. */
const char *pf_hook_page_of(pf_hook_work *w, size_t run);
/* Adds that page, and those of the others, which it shall link. */
void pf_hook_add_page(pf_hook_work *w, size_t run, pf_hook_words *words);
/* For what failed before the page was made, and what came after it: pages that say why. */
void pf_hook_write_failures(pf_hook_work *w, size_t run);
/* Where there is no page of a pass: that of `info`, or where a step failed one that says why. */
void pf_hook_write_page(pf_hook_work *w);
/* Those thresholds that no pass judges (`judge`), by `info`, which makes the page of the trace, too. */
void pf_hook_judge_trace(pf_hook_work *w, int64_t judge);
/* Finds out who judges each threshold. A threshold that nothing answers is a finding: it measured nothing. */
bool pf_hook_choose_judges(pf_hook_work *w, const pf_hook_passes *all, const bool *running);
/* Whether a configured pass is for this trace; if not, why not is noted. */
bool pf_hook_is_wanted(pf_hook_work *w, const pf_hook_pass *p);
/* Without configured passes: those that fit and need nothing. */
pf_hook_passes pf_hook_default_passes(pf_hook_work *w);
