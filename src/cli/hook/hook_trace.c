/* cli/hook/hook_trace.c - one trace from the lock to the report.
 *
 * The order is what makes it safe. A lock file next to the outputs, held with flock, so that a killed hook leaves
 * nothing that blocks; then the hash of the input and of what is asked for, which is compared with that of the report
 * that may be there; then the steps, each a child; then a look whether the trace is still the one that was read; and
 * the report last, so that a report always speaks of outputs that are there.
 */

#include <stdio.h>

#include "base/budget.h"
#include "base/files/folders.h"
#include "cli/common/command.h"
#include "cli/hook/hook_work.h"
#include "postfetto/write.h"

/* Writes and frees a text. */
static bool put_file(pf_hook_work *w, const char *path, pf_buffer *b)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    uint64_t written = 0;
    pf_status st = b->failed ? pf_no_memory(&err) : pf_cli_write(path, (pf_str){b->data, b->len}, NULL, &written, &err);
    pf_buffer_free(b);
    return st == PF_OK || pf_hook_fail(w, pf_cli_exit_code(st), "%s: %s", path, err.text);
}

static void put_reports(pf_hook_work *w)
{
    static const pf_json_style style = {.utf8 = true, .final_newline = true};
    pf_buffer json = {0}, markdown = {0};
    const pf_node *report = pf_hook_report_document(w);
    if (!report || pf_format_json_styled(report, &style, &json.data, &json.len, NULL) != PF_OK) {
        pf_hook_no_memory(w);
        return;
    }
    pf_hook_report_markdown(report, &markdown);
    if (put_file(w, w->markdown, &markdown)) {
        put_file(w, w->json, &json);
    }
    pf_buffer_free(&json);
}

/* What is left out of a capture of several ranks, and which rank has no file, after what else is said. */
static void say_what_lacks(pf_hook_work *w)
{
    char *text = w->result->text;
    size_t room = sizeof w->result->text;
    for (const pf_node *one = w->report.left_out->first; one; one = one->next) {
        size_t len = strlen(text);
        snprintf(text + len, room - len, "; without %s: %s", one->first->as.s.ptr, one->last->as.s.ptr);
    }
    if (w->report.missing.ptr) {
        size_t len = strlen(text);
        snprintf(text + len, room - len, "; %s", w->report.missing.ptr);
    }
}

static void say_what_is_kept(pf_hook_work *w)
{
    size_t len = strlen(w->result->text), room = sizeof w->result->text - len;
    bool kept = w->report.kept.ptr;
    if (w->result->outcome != PF_HOOK_FAILED && (kept || w->report.whole.ptr)) {
        snprintf(w->result->text + len, room, kept ? "; kept in place of the trace: %s" : "; the whole trace stays: %s",
                 kept ? w->kept : w->report.whole.ptr);
    }
}

static void say_what_was_done(pf_hook_work *w)
{
    if (w->result->outcome == PF_HOOK_FINDING) {
        const pf_node *first = w->report.findings->first;
        size_t count = w->report.findings->children;
        pf_hook_end(w, PF_HOOK_FINDING, PF_CLI_FINDING, "%zu finding%s: %s", count, count == 1 ? "" : "s",
                    first ? first->as.s.ptr : "");
    } else if (w->result->outcome == PF_HOOK_DONE) {
        bool drawn = w->report.enriched.ptr;
        pf_hook_end(w, PF_HOOK_DONE, PF_CLI_DONE, "%s%s%s%s", w->json, drawn ? ", " : "", drawn ? w->enriched : "",
                    pf_hook_is_damaged(w->report.check) ? " (the trace is damaged: a part of the recording is lost)"
                                                        : "");
    }
    say_what_is_kept(w);
    say_what_lacks(w);
}

/* Takes the rank that the last step could not read out of its capture. False: it failed for another reason. */
static bool leave_out_unread(pf_hook_work *w)
{
    const char *text = w->result->text;
    for (size_t i = 0; i < w->ranks.count; i++) {
        size_t len = strlen(w->ranks.word[i]);
        if (strncmp(text, w->ranks.word[i], len) == 0 && strncmp(text + len, ": ", 2) == 0) {
            return pf_hook_leave_out(w, w->ranks.word[i], text + len + 2);
        }
    }
    return false;
}

/* The steps between lock and report. */
static void examine(pf_hook_work *w)
{
    do {
        w->report.info = pf_hook_run_json(w, "info", PF_CLI_DONE);
    } while (!w->report.info && leave_out_unread(w));
    if (w->report.info && !w->files && pf_hook_is_ours(w->path, w->report.info, &w->limits)) {
        pf_hook_leave_alone(w);
        return;
    }
    w->report.check = w->report.info ? pf_hook_run_json(w, "check", PF_CLI_FINDING) : NULL;
    if (w->report.check) {
        pf_hook_run_passes(w);
    }
    if (!pf_cli_signal_code()) {
        pf_hook_keep_step(w);
    }
    if (pf_hook_state(w) != w->before) {
        w->result->outcome = PF_HOOK_DONE; /* this is the reason of whatever failed before */
        w->report.html = w->report.kept = (pf_str){NULL, 0};
        pf_hook_fail(w, PF_CLI_INPUT, "changed while it was read; run the hook again when its writer has finished");
    }
    if (w->config->strict && w->result->outcome == PF_HOOK_DONE && w->report.left_out->children) {
        pf_hook_fail(w, PF_CLI_INPUT, "not all ranks can be read");
    }
    if (w->config->strict && w->result->outcome == PF_HOOK_DONE && pf_hook_is_damaged(w->report.check)) {
        pf_hook_fail(w, PF_CLI_DAMAGED, "is damaged; postfetto check says how");
    }
    if (!pf_cli_signal_code()) {
        pf_hook_write_page(w);
    }
    say_what_was_done(w);
    if (!pf_cli_signal_code()) {
        put_reports(w);
    }
    pf_hook_remove_whole(w);
}

/* Notes the files of a capture: their names, and which rank has none. */
static bool take_ranks(pf_hook_work *w)
{
    pf_buffer missing = {0};
    pf_hook_words_add_all(&w->ranks, w->files);
    pf_hook_ranks_missing(w->files, &missing);
    if (missing.len) {
        w->report.missing = pf_findings_keep(w->report.all, (pf_str){missing.data, missing.len});
    }
    for (size_t i = 0; i < w->files->count; i++) {
        pf_hook_report_text(&w->report, w->report.files, pf_path_name(w->files->word[i]));
    }
    bool failed = w->ranks.failed || missing.failed;
    pf_buffer_free(&missing);
    return !failed || pf_hook_no_memory(w);
}

void pf_hook_trace(const pf_hook_config *c, const char *path, const pf_hook_words *ranks, pf_hook_result *result)
{
    *result = (pf_hook_result){.outcome = PF_HOOK_DONE};
    pf_hook_work w = {.config = c, .path = path, .files = ranks, .lock_fd = -1, .result = result};
    w.limits = (pf_hook_child_limits){.deadline = c->timeout > 0 ? pf_cli_now() + c->timeout : 0, .nice = (int)c->nice};
    if (pf_hook_is_output_name(path)) {
        pf_hook_leave_alone(&w);
        return;
    }
    pf_cli_signals_hold(true);
    if (!pf_hook_report_begin(&w.report)) {
        pf_hook_no_memory(&w);
    } else if (pf_hook_make_names(&w) && pf_hook_take_lock(&w)) {
        if ((!ranks || take_ranks(&w)) && !pf_hook_is_kept(&w) && pf_hook_hash_input(&w) && pf_hook_make_key(&w) &&
            !pf_hook_is_done(&w)) {
            examine(&w);
        }
    }
    pf_hook_leave_lock(&w);
    pf_cli_signals_hold(false);
    pf_hook_report_free(&w.report);
    pf_hook_words_free(&w.ranks);
}

bool pf_hook_is_candidate(const char *path)
{
    struct stat s;
    if (pf_path_name(path)[0] == '.' || pf_hook_is_output_name(path) || lstat(path, &s) != 0 ||
        !(S_ISDIR(s.st_mode) || (S_ISREG(s.st_mode) && s.st_size > 0))) {
        return false;
    }
    pf_hook_words words = {0};
    pf_hook_child child;
    /* A few rows are enough, but more than the strings of a JSON object that turns out at its end to be no trace. */
    pf_hook_words_put(&words, "info", "--json", "--no-progress", "--max-rows", "1000", "--", path);
    pf_hook_child_run(&child, &words, &(pf_hook_child_limits){0});
    pf_hook_child_free(&child);
    return child.code == PF_CLI_DONE || child.code == PF_CLI_LIMIT;
}
