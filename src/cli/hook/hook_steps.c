/* cli/hook/hook_steps.c - the steps that are children: how they are started, and how their end is judged. */
#include "cli/hook/hook_work.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/files/folders.h"
#include "cli/common/command.h"

#define CODE_TIMEOUT 124 /* as timeout(1) says it */

bool pf_hook_end(pf_hook_work *w, pf_hook_outcome outcome, int code, const char *format, ...)
{
    if (w->result->outcome == PF_HOOK_FAILED) {
        return false;
    }
    va_list args;
    va_start(args, format);
    w->result->outcome = outcome;
    w->result->code = code;
    vsnprintf(w->result->text, sizeof w->result->text, format, args);
    va_end(args);
    return false;
}

bool pf_hook_no_memory(pf_hook_work *w)
{
    return pf_hook_fail(w, PF_CLI_LIMIT, "the system refused memory");
}

/* What a child said last, without our name and without its file in front. */
static pf_str last_words(const pf_hook_work *w, const pf_buffer *said)
{
    pf_str line = {said->data ? said->data : "", said->len}, path = pf_str_of(w->path);
    while (line.len > 0 && line.ptr[line.len - 1] == '\n') {
        line.len--;
    }
    const char *feed = memrchr(line.ptr, '\n', line.len);
    line = feed ? pf_str_from(line, (size_t)(feed - line.ptr) + 1) : line;
    line = pf_str_starts(line, PF_STR("postfetto: ")) ? pf_str_from(line, 11) : line;
    bool named = pf_str_starts(line, path) && pf_str_starts(pf_str_from(line, path.len), PF_STR(": "));
    return named ? pf_str_from(line, path.len + 2) : line;
}

bool pf_hook_judge(pf_hook_work *w, const char *what, pf_hook_child *c, int good)
{
    if (c->code == -1) {
        return pf_hook_fail(w, PF_CLI_LIMIT, "%s cannot be started: %s", what, strerror(c->start_errno));
    }
    if (c->cancelled || pf_cli_signal_code()) {
        return pf_hook_fail(w, pf_cli_signal_code(), "stopped by a signal");
    }
    if (c->timed_out) {
        return pf_hook_fail(w, CODE_TIMEOUT, "%s was stopped after %g s (--timeout)", what, w->config->timeout);
    }
    if (c->code > 128) {
        return pf_hook_fail(w, PF_CLI_BUG, "%s was ended by signal %d", what, c->code - 128);
    }
    pf_str why = last_words(w, &c->err);
    return c->code <= good || pf_hook_fail(w, c->code, "%.*s", (int)why.len, why.ptr);
}

const pf_node *pf_hook_printed(pf_hook_work *w, const pf_buffer *text)
{
    pf_findings *f = w->report.all;
    pf_document *d;
    pf_str bytes = {text->data ? text->data : "", text->len};
    if (pf_json_parse(bytes, NULL, &d, NULL) == PF_OK) {
        pf_findings_adopt(f, d);
        return pf_document_root(d);
    }
    pf_node *raw = pf_node_root(f, PF_NODE_RAW);
    if (raw) {
        raw->as.s = pf_findings_keep(f, bytes);
    }
    return raw && raw->as.s.ptr ? raw : NULL;
}

pf_node *pf_hook_lines(pf_hook_work *w, const pf_buffer *text)
{
    pf_node *lines = pf_node_root(w->report.all, PF_NODE_LIST);
    for (size_t at = 0; at < text->len;) {
        const char *line = text->data + at, *feed = memchr(line, '\n', text->len - at);
        size_t len = feed ? (size_t)(feed - line) : text->len - at;
        const pf_str said = {line, len}, passed = PF_STR("passed: ");
        bool threshold = pf_str_starts(said, passed);
        pf_node_add_text(w->report.all, threshold ? w->report.passed : lines, (pf_str){NULL, 0},
                         threshold ? pf_str_from(said, passed.len) : said);
        at += len + 1;
    }
    return lines;
}

bool pf_hook_leave_out(pf_hook_work *w, const char *path, const char *reason)
{
    size_t at = pf_hook_words_find(&w->ranks, path);
    if (at == w->ranks.count || w->ranks.count == 1 || w->result->code != PF_CLI_INPUT) {
        return false;
    }
    pf_hook_report_reason(&w->report, w->report.left_out, pf_path_name(path), reason);
    free(w->ranks.word[at]);
    memmove(&w->ranks.word[at], &w->ranks.word[at + 1], (w->ranks.count - at) * sizeof *w->ranks.word);
    w->ranks.count--;
    *w->result = (pf_hook_result){.outcome = PF_HOOK_DONE};
    return true;
}

void pf_hook_add_inputs(const pf_hook_work *w, const char *more, pf_hook_words *words)
{
    for (size_t i = 1; i < w->ranks.count && more; i++) {
        pf_hook_words_put(words, more, w->ranks.word[i]);
    }
    pf_hook_words_put(words, "--", w->ranks.count ? w->ranks.word[0] : w->path);
    for (size_t i = 1; i < w->ranks.count && !more; i++) {
        pf_hook_words_add(words, w->ranks.word[i]);
    }
}

void pf_hook_add_common(pf_hook_work *w, pf_hook_words *words)
{
    pf_hook_words_add(words, "--no-progress");
    if (w->config->max_memory) {
        char bytes[24];
        snprintf(bytes, sizeof bytes, "%" PRIu64, w->config->max_memory);
        pf_hook_words_put(words, "--max-memory", bytes);
    }
}

size_t pf_hook_add_thresholds(pf_hook_work *w, pf_hook_words *words, int64_t judge)
{
    size_t count = 0;
    for (size_t i = 0; i < w->config->fail_if.count; i++) {
        if (w->judge[i] == judge) {
            pf_hook_words_put(words, "--fail-if", w->config->fail_if.word[i]);
            count++;
        }
    }
    if (count && w->config->junit) {
        pf_hook_words_put(words, "--junit", w->config->junit);
    }
    if (count && w->config->annotations) {
        pf_hook_words_put(words, "--annotations", w->config->annotations);
    }
    if (count) {
        pf_hook_words_add(words, "--hook-passed");
    }
    return count;
}

void pf_hook_note_findings(pf_hook_work *w, const pf_node *lines)
{
    for (const pf_node *line = lines ? lines->first : NULL; line; line = line->next) {
        const char *text = line->as.s.ptr;
        if (strstr(text, "--fail-if") || strstr(text, ": not aligned: ")) {
            pf_hook_report_text(&w->report, w->report.findings,
                                text + (strncmp(text, "postfetto: ", 11) == 0 ? 11 : 0));
        } else if (strncmp(text, "::", 2) == 0) {
            puts(text);
        }
    }
    pf_hook_end(w, PF_HOOK_FINDING, PF_CLI_FINDING, "findings"); /* which are counted at the end */
}

const pf_node *pf_hook_run_json(pf_hook_work *w, const char *command, int good)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    const pf_node *document = NULL;
    pf_hook_words_add(&words, command);
    pf_hook_add_common(w, &words);
    pf_hook_words_add(&words, "--json");
    pf_hook_add_inputs(w, NULL, &words);
    pf_hook_child_run(&child, &words, &w->limits);
    if (pf_hook_judge(w, command, &child, good) && !(document = pf_hook_printed(w, &child.out))) {
        pf_hook_no_memory(w);
    }
    pf_hook_child_free(&child);
    return document;
}

void pf_hook_leave_alone(pf_hook_work *w)
{
    pf_hook_end(w, PF_HOOK_NO_INPUT, PF_CLI_DONE, "skipped: postfetto wrote it");
}

bool pf_hook_is_ours(const char *path, const pf_node *info, const pf_hook_child_limits *limits)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    if (!pf_hook_says(info, "format", "perfetto")) {
        return false;
    }
    pf_hook_words_put(&words, "query", "--format", "csv", "--no-progress", "--", path,
                      "select name from metadata where name glob '*postfetto.*' limit 1");
    pf_hook_child_run(&child, &words, limits);
    pf_str rows = {child.out.data, child.out.len};
    bool ours = child.code == 0 && rows.len > 0 && pf_str_find(rows, PF_STR("postfetto.")) != SIZE_MAX;
    pf_hook_child_free(&child);
    return ours;
}
