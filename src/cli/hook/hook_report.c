/* cli/hook/hook_report.c - TRACE.report.json and TRACE.report.md.
 *
 * The documents that the commands printed are put in as they are, further to the right: a line feed never stands inside
 * a JSON string, so indenting every line leaves the values alone. Nothing here depends on the time or the machine:
 * equal inputs and options give equal bytes.
 */
#include "cli/hook/hook_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/text.h"
#include "postfetto/base.h"

static pf_str view(const char *text)
{
    return (pf_str){text, strlen(text)};
}

const char *pf_hook_outcome_name(pf_hook_outcome o)
{
    return o == PF_HOOK_FAILED ? "failed" : o == PF_HOOK_FINDING ? "finding" : "done";
}

pf_str pf_hook_member(const char *json, size_t indent, const char *key)
{
    size_t len = strlen(key);
    for (const char *line = json; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strspn(line, " ") != indent || line[indent] != '"' || strncmp(line + indent + 1, key, len) != 0 ||
            strncmp(line + indent + 1 + len, "\": ", 3) != 0) {
            continue;
        }
        const char *value = line + indent + len + 4;
        size_t width = strcspn(value, "\n");
        return (pf_str){value, width > 0 && value[width - 1] == ',' ? width - 1 : width};
    }
    return (pf_str){NULL, 0};
}

void pf_hook_report_free(pf_hook_report *r)
{
    for (size_t i = 0; i < r->pass_count; i++) {
        pf_hook_pass_run *p = &r->pass[i];
        for (size_t f = 0; f < p->report_count; f++) {
            free(p->report[f]);
        }
        free(p->report);
        free(p->summary);
        free(p->messages);
        free(p->folder);
        pf_hook_words_free(&p->options);
    }
    free(r->pass);
    free(r->info);
    free(r->check);
    free(r->missing);
    pf_hook_words_free(&r->files);
    pf_hook_words_free(&r->left_out);
    pf_hook_words_free(&r->not_run);
    pf_hook_words_free(&r->findings);
    *r = (pf_hook_report){0};
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* A member's key, after a comma unless it is the first one. */
static void put_key(pf_buffer *b, size_t level, const char *key, bool first)
{
    pf_buffer_format(b, "%s\n%*s", first ? "" : ",", (int)(2 * level), "");
    if (key) {
        pf_cli_put_json_text(b, view(key));
        pf_buffer_text(b, ": ");
    }
}

static void put_text(pf_buffer *b, const char *text)
{
    if (text) {
        pf_cli_put_json_text(b, view(text));
    } else {
        pf_buffer_text(b, "null");
    }
}

/* A document of several lines, indented by `level` from its second line on. */
static void put_document(pf_buffer *b, size_t level, const char *json)
{
    if (!json) {
        pf_buffer_text(b, "null");
        return;
    }
    size_t len = strlen(json);
    while (len > 0 && json[len - 1] == '\n') {
        len--;
    }
    for (size_t i = 0; i < len; i++) {
        pf_buffer_put(b, &json[i], 1);
        if (json[i] == '\n') {
            pf_buffer_format(b, "%*s", (int)(2 * level), "");
        }
    }
}

static void put_words(pf_buffer *b, size_t level, const pf_hook_words *words)
{
    pf_buffer_text(b, "[");
    for (size_t i = 0; i < words->count; i++) {
        put_key(b, level + 1, NULL, i == 0);
        put_text(b, words->word[i]);
    }
    if (words->count) {
        put_key(b, level, NULL, true);
    }
    pf_buffer_text(b, "]");
}

/* What is said on standard error, a line an element. */
static void put_lines(pf_buffer *b, size_t level, const char *text)
{
    bool first = true;
    pf_buffer_text(b, "[");
    for (const char *at = text ? text : ""; *at;) {
        size_t len = strcspn(at, "\n");
        put_key(b, level + 1, NULL, first);
        pf_cli_put_json_text(b, (pf_str){at, len});
        first = false;
        at += len + (at[len] == '\n');
    }
    if (!first) {
        put_key(b, level, NULL, true);
    }
    pf_buffer_text(b, "]");
}

static void put_pass(pf_buffer *b, const pf_hook_pass_run *p, bool first)
{
    put_key(b, 2, NULL, first);
    pf_buffer_text(b, "{");
    put_key(b, 3, "name", true);
    put_text(b, p->name);
    put_key(b, 3, "options", false);
    put_words(b, 3, &p->options);
    put_key(b, 3, "exit_code", false);
    pf_buffer_format(b, "%d", p->code);
    put_key(b, 3, "summary", false);
    put_document(b, 3, p->summary);
    put_key(b, 3, "messages", false);
    put_lines(b, 3, p->messages);
    put_key(b, 3, "reports", false);
    pf_buffer_text(b, "[");
    for (size_t i = 0; i < p->report_count; i++) {
        pf_buffer path = {0};
        pf_buffer_format(&path, "%s/%s", p->folder, p->report[i]);
        put_key(b, 4, NULL, i == 0);
        put_text(b, path.failed ? "" : path.data);
        pf_buffer_free(&path);
    }
    if (p->report_count) {
        put_key(b, 3, NULL, true);
    }
    pf_buffer_text(b, "]");
    put_key(b, 2, NULL, true);
    pf_buffer_text(b, "}");
}

static void put_not_run(pf_buffer *b, const pf_hook_words *pairs)
{
    pf_buffer_text(b, "[");
    for (size_t i = 0; i + 1 < pairs->count; i += 2) {
        put_key(b, 2, NULL, i == 0);
        pf_buffer_text(b, "{");
        put_key(b, 3, "name", true);
        put_text(b, pairs->word[i]);
        put_key(b, 3, "reason", false);
        put_text(b, pairs->word[i + 1]);
        put_key(b, 2, NULL, true);
        pf_buffer_text(b, "}");
    }
    if (pairs->count > 1) {
        put_key(b, 1, NULL, true);
    }
    pf_buffer_text(b, "]");
}

void pf_hook_report_json(const pf_hook_report *r, const pf_hook_result *result, pf_buffer *b)
{
    pf_buffer_text(b, "{");
    put_key(b, 1, "schema_version", true);
    pf_buffer_text(b, "1");
    put_key(b, 1, "postfetto.version", false);
    put_text(b, pf_version());
    put_key(b, 1, "postfetto.key", false);
    put_text(b, r->key);
    put_key(b, 1, "trace", false);
    put_text(b, r->name);
    if (r->files.count) {
        put_key(b, 1, "files", false);
        put_words(b, 1, &r->files);
        put_key(b, 1, "left_out", false);
        put_not_run(b, &r->left_out);
        put_key(b, 1, "missing", false);
        put_text(b, r->missing);
    }
    put_key(b, 1, "input_hash", false);
    put_text(b, r->hash);
    put_key(b, 1, "input_bytes", false);
    pf_buffer_format(b, "%" PRIu64, r->bytes);
    put_key(b, 1, "status", false);
    put_text(b, pf_hook_outcome_name(result->outcome));
    put_key(b, 1, "exit_code", false);
    pf_buffer_format(b, "%d", result->code);
    put_key(b, 1, "reason", false);
    put_text(b, result->outcome == PF_HOOK_DONE ? NULL : result->text);
    put_key(b, 1, "findings", false);
    put_words(b, 1, &r->findings);
    put_key(b, 1, "enriched", false);
    put_text(b, r->enriched);
    put_key(b, 1, "not_run", false);
    put_not_run(b, &r->not_run);
    put_key(b, 1, "passes", false);
    pf_buffer_text(b, "[");
    for (size_t i = 0; i < r->pass_count; i++) {
        put_pass(b, &r->pass[i], i == 0);
    }
    if (r->pass_count) {
        put_key(b, 1, NULL, true);
    }
    pf_buffer_text(b, "]");
    put_key(b, 1, "check", false);
    put_document(b, 1, r->check);
    put_key(b, 1, "info", false);
    put_document(b, 1, r->info);
    pf_buffer_text(b, "\n}\n");
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

/* Text of a trace as Markdown text: what could start markup is escaped, line feeds become blanks. */
static void put_plain(pf_buffer *b, pf_str text)
{
    pf_buffer clean = {0};
    pf_cli_put_clean(&clean, text.ptr ? text.ptr : "", text.len, false);
    for (size_t i = 0; i < clean.len; i++) {
        if (strchr("\\`*_{}[]<>#|!&", clean.data[i])) {
            pf_buffer_put(b, "\\", 1);
        }
        pf_buffer_put(b, clean.data + i, 1);
    }
    pf_buffer_free(&clean);
}

/* A block of preformatted lines; the fence is longer than any run of backquotes inside. */
static void put_block(pf_buffer *b, const char *text)
{
    size_t fence = 3;
    for (const char *p = strchr(text, '`'); p; p = strchr(p, '`')) {
        size_t run = strspn(p, "`");
        fence = run >= fence ? run + 1 : fence;
        p += run;
    }
    pf_buffer line = {0};
    for (size_t i = 0; i < fence; i++) {
        pf_buffer_text(&line, "`");
    }
    pf_buffer_text(&line, "\n");
    if (!line.failed) {
        pf_buffer_put(b, line.data, line.len);
        pf_cli_put_clean(b, text, strlen(text), true);
        pf_buffer_text(b, text[0] && text[strlen(text) - 1] != '\n' ? "\n" : "");
        pf_buffer_put(b, line.data, line.len);
    }
    b->failed |= line.failed;
    pf_buffer_free(&line);
}

static void put_facts(pf_buffer *b, const char *info)
{
    static const char *const facts[] = {"format",    "dialect", "compression", "input_bytes", "plain_bytes",
                                        "time_unit", "start",   "end",         "length"};
    pf_buffer_text(b, "## Trace\n\n| | |\n|---|---|\n");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        pf_str value = pf_hook_member(info, 2, facts[i]);
        if (value.len) {
            bool quoted = value.len > 1 && value.ptr[0] == '"';
            pf_buffer_format(b, "| %s | ", facts[i]);
            put_plain(b, quoted ? (pf_str){value.ptr + 1, value.len - 2} : value);
            pf_buffer_text(b, " |\n");
        }
    }
    pf_buffer_text(b, "\n");
}

static void put_pass_section(pf_buffer *b, const pf_hook_pass_run *p)
{
    pf_buffer_format(b, "## %s\n\n", p->name);
    if (p->code > 1) {
        pf_buffer_format(b, "Failed with exit code %d.\n\n", p->code);
    }
    if (p->messages && *p->messages) {
        put_block(b, p->messages);
        pf_buffer_text(b, "\n");
    }
    for (size_t i = 0; i < p->report_count; i++) {
        pf_buffer_text(b, "- ");
        put_plain(b, view(p->folder));
        pf_buffer_text(b, "/");
        put_plain(b, view(p->report[i]));
        pf_buffer_text(b, "\n");
    }
    pf_buffer_text(b, p->report_count ? "\n" : "");
}

/* Kinds of damage by which something of the recording is lost, from the document of check. */
static void put_losses(pf_buffer *b, const char *check)
{
    static const char LOSS[] = "\"loss\": true", TEXT[] = "\"description\": \"";
    pf_str ok = check ? pf_hook_member(check, 2, "ok") : (pf_str){NULL, 0};
    if (ok.len != 5) {
        return;
    }
    pf_buffer_text(b, "**Damaged**: a part of the recording is lost.\n\n");
    for (const char *at = strstr(check, LOSS); at; at = strstr(at + 1, LOSS)) {
        const char *text = strstr(at, TEXT), *start = text ? text + sizeof TEXT - 1 : NULL;
        if (start) {
            pf_buffer_text(b, "- ");
            put_plain(b, (pf_str){start, strcspn(start, "\"")});
            pf_buffer_text(b, "\n");
        }
    }
    pf_buffer_text(b, "\n");
}

/* A line for each name with its reason, which follow each other in the list. */
static void put_reasons(pf_buffer *b, const pf_hook_words *list, const char *before, const char *between)
{
    for (size_t i = 0; i + 1 < list->count; i += 2) {
        pf_buffer_text(b, before);
        put_plain(b, view(list->word[i]));
        pf_buffer_text(b, between);
        put_plain(b, view(list->word[i + 1]));
        pf_buffer_text(b, "\n");
    }
}

/* The files of a capture of several ranks, those of which nothing is in the report, and ranks without one. */
static void put_ranks(pf_buffer *b, const pf_hook_report *r)
{
    for (size_t i = 0; i < r->files.count; i++) {
        pf_buffer_text(b, "- ");
        put_plain(b, view(r->files.word[i]));
        pf_buffer_text(b, "\n");
    }
    put_reasons(b, &r->left_out, "- without ", ": ");
    if (r->missing) {
        pf_buffer_format(b, "- %s\n", r->missing);
    }
    pf_buffer_text(b, r->files.count ? "\n" : "");
}

void pf_hook_report_markdown(const pf_hook_report *r, const pf_hook_result *result, pf_buffer *b)
{
    pf_buffer_text(b, "# ");
    put_plain(b, view(r->name));
    pf_buffer_text(b, "\n\n");
    if (result->outcome != PF_HOOK_DONE) {
        pf_buffer_format(b, "**%s**: ", result->outcome == PF_HOOK_FINDING ? "Finding" : "Failed");
        put_plain(b, view(result->text));
        pf_buffer_text(b, "\n\n");
    }
    for (size_t i = 0; i < r->findings.count; i++) {
        pf_buffer_text(b, "- ");
        put_plain(b, view(r->findings.word[i]));
        pf_buffer_text(b, i + 1 == r->findings.count ? "\n\n" : "\n");
    }
    put_ranks(b, r);
    put_losses(b, r->check);
    if (r->check && r->pass_count == 0 && r->not_run.count == 0) {
        pf_buffer_text(b, "No pass fits this trace.\n\n");
    }
    if (r->enriched) {
        pf_buffer_text(b, "Open ");
        put_plain(b, view(r->enriched));
        pf_buffer_text(b, " in ui.perfetto.dev to see the findings in the trace.\n\n");
    }
    put_reasons(b, &r->not_run, "- ", " did not run: ");
    pf_buffer_text(b, r->not_run.count > 1 ? "\n" : "");
    if (r->info) {
        put_facts(b, r->info);
    }
    for (size_t i = 0; i < r->pass_count; i++) {
        put_pass_section(b, &r->pass[i]);
    }
    pf_buffer_format(b, "postfetto %s\n", pf_version());
}
