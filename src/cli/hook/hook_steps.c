/* cli/hook/hook_steps.c - the steps that are children: how they are started, and how their end is judged. */
#include "cli/hook/hook_work.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run.h"
#include "cli/terminal/signals.h"

#define CODE_TIMEOUT 124 /* as timeout(1) says it */

bool pf_hook_fail(pf_hook_work *w, int code, const char *format, ...)
{
    if (w->result->outcome == PF_HOOK_FAILED) {
        return false;
    }
    va_list args;
    va_start(args, format);
    w->result->outcome = PF_HOOK_FAILED;
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
static const char *last_words(pf_hook_work *w, pf_hook_child *c)
{
    pf_buffer_put(&c->err, "", 1);
    if (c->err.failed) {
        return "the system refused memory";
    }
    char *text = c->err.data;
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '\n') {
        text[--len] = '\0';
    }
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    line += strncmp(line, "postfetto: ", 11) == 0 ? 11 : 0;
    size_t name = strlen(w->path);
    return strncmp(line, w->path, name) == 0 && strncmp(line + name, ": ", 2) == 0 ? line + name + 2 : line;
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
    return c->code <= good || pf_hook_fail(w, c->code, "%s", last_words(w, c));
}

char *pf_hook_take_text(pf_buffer *b)
{
    pf_buffer_put(b, "", 1);
    char *text = b->failed ? NULL : b->data;
    if (text) {
        *b = (pf_buffer){0};
    }
    return text;
}

bool pf_hook_leave_out(pf_hook_work *w, const char *path, const char *reason)
{
    const char *slash = strrchr(path, '/');
    size_t at = 0;
    while (at < w->ranks.count && strcmp(w->ranks.word[at], path) != 0) {
        at++;
    }
    if (at == w->ranks.count || w->ranks.count == 1 || w->result->code != PF_CLI_INPUT) {
        return false;
    }
    pf_hook_words_add(&w->report.left_out, slash ? slash + 1 : path);
    pf_hook_words_add(&w->report.left_out, reason);
    free(w->ranks.word[at]);
    memmove(&w->ranks.word[at], &w->ranks.word[at + 1], (w->ranks.count - at) * sizeof *w->ranks.word);
    w->ranks.count--;
    *w->result = (pf_hook_result){.outcome = PF_HOOK_DONE};
    return true;
}

void pf_hook_add_inputs(const pf_hook_work *w, const char *more, pf_hook_words *words)
{
    for (size_t i = 1; i < w->ranks.count && more; i++) {
        pf_hook_words_add(words, more);
        pf_hook_words_add(words, w->ranks.word[i]);
    }
    pf_hook_words_add(words, "--");
    pf_hook_words_add(words, w->ranks.count ? w->ranks.word[0] : w->path);
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
        pf_hook_words_add(words, "--max-memory");
        pf_hook_words_add(words, bytes);
    }
}

char *pf_hook_run_json(pf_hook_work *w, const char *command, int good)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    char *text = NULL;
    pf_hook_words_add(&words, command);
    pf_hook_add_common(w, &words);
    pf_hook_words_add(&words, "--json");
    pf_hook_add_inputs(w, NULL, &words);
    if (words.failed) {
        pf_hook_no_memory(w);
    } else {
        pf_hook_child_run(&child, &words, &w->limits);
        if (pf_hook_judge(w, command, &child, good)) {
            text = pf_hook_take_text(&child.out);
            if (!text) {
                pf_hook_no_memory(w);
            }
        }
        pf_hook_child_free(&child);
    }
    pf_hook_words_free(&words);
    return text;
}

void pf_hook_leave_alone(pf_hook_work *w)
{
    w->result->outcome = PF_HOOK_NO_INPUT;
    snprintf(w->result->text, sizeof w->result->text, "skipped: postfetto wrote it");
}

/* Whether a Perfetto trace carries metadata of ours: what a hook, `analyze -o` or `convert` wrote is no capture. */
bool pf_hook_is_ours(pf_hook_work *w)
{
    static const char *const sql[] = {"query", "--format", "csv", "--no-progress", "--"};
    pf_str format = pf_hook_member(w->report.info, 2, "format");
    if (format.len != 10 || memcmp(format.ptr, "\"perfetto\"", 10) != 0) {
        return false;
    }
    pf_hook_words words = {0};
    pf_hook_child child;
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
        pf_hook_words_add(&words, sql[i]);
    }
    pf_hook_words_add(&words, w->path);
    pf_hook_words_add(&words, "select name from metadata where name glob '*postfetto.*' limit 1");
    pf_hook_child_run(&child, &words, &w->limits);
    bool ours = child.code == 0 && child.out.len > 0 && memmem(child.out.data, child.out.len, "postfetto.", 10);
    pf_hook_child_free(&child);
    pf_hook_words_free(&words);
    if (ours) {
        pf_hook_leave_alone(w);
    }
    return ours;
}
