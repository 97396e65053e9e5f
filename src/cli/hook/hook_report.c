/* cli/hook/hook_report.c - TRACE.report.json and TRACE.report.md.
 *
 * The report is one document, in which those that the commands printed are members; the Markdown is made from it alone.
 * Nothing here depends on the time or the machine: equal inputs and options give equal bytes.
 */
#include "cli/hook/hook_work.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal/terminal.h"
#include "postfetto/write.h"

#define ITEM ((pf_str){NULL, 0}) /* the key of what stands in a list */

static pf_str text_of(const pf_node *document, const char *key)
{
    const pf_node *n = pf_node_get(document, key);
    return n && n->type == PF_NODE_TEXT ? n->as.s : ITEM;
}

bool pf_hook_says(const pf_node *document, const char *key, const char *text)
{
    pf_str found = text_of(document, key);
    return found.ptr && pf_str_is(found, text);
}

bool pf_hook_is_damaged(const pf_node *check)
{
    const pf_node *ok = pf_node_get(check, "ok");
    return ok && ok->type == PF_NODE_BOOL && !ok->as.b;
}

bool pf_hook_report_begin(pf_hook_report *r)
{
    *r = (pf_hook_report){.all = pf_findings_new(NULL)};
    pf_node **const lists[] = {&r->files, &r->left_out, &r->findings, &r->passed, &r->not_run, &r->passes};
    for (size_t i = 0; r->all && i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = pf_node_root(r->all, PF_NODE_LIST);
    }
    return r->all && pf_findings_status(r->all, NULL) == PF_OK;
}

void pf_hook_report_free(pf_hook_report *r)
{
    pf_findings_free(r->all);
    *r = (pf_hook_report){0};
}

void pf_hook_report_text(pf_hook_report *r, pf_node *list, const char *text)
{
    pf_node_add_text(r->all, list, ITEM, pf_str_of(text));
}

void pf_hook_report_reason(pf_hook_report *r, pf_node *list, const char *name, const char *reason)
{
    pf_node *pair = pf_node_add(r->all, list, ITEM, PF_NODE_OBJECT);
    pf_node_add_text(r->all, pair, PF_STR("name"), pf_str_of(name));
    pf_node_add_text(r->all, pair, PF_STR("reason"), pf_str_of(reason));
}

const pf_node *pf_hook_report_copy(pf_hook_report *r, pf_node *parent, pf_str key, const pf_node *node)
{
    return node ? pf_node_copy(r->all, parent, key, node) : pf_node_add(r->all, parent, key, PF_NODE_NULL);
}

const pf_node *pf_hook_report_document(pf_hook_work *w)
{
    pf_hook_report *r = &w->report;
    pf_findings *f = r->all;
    pf_hook_outcome o = w->result->outcome;
    pf_str status = o == PF_HOOK_FAILED ? PF_STR("failed") : o == PF_HOOK_FINDING ? PF_STR("finding") : PF_STR("done");
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, root, PF_STR("schema_version"), 1);
    pf_node_add_text(f, root, PF_STR("postfetto.version"), pf_str_of(pf_version()));
    pf_node_add_text(f, root, PF_STR("postfetto.key"), pf_str_of(r->key));
    pf_node_add_text(f, root, PF_STR("trace"), pf_str_of(w->base));
    if (r->files->children) {
        pf_hook_report_copy(r, root, PF_STR("files"), r->files);
        pf_hook_report_copy(r, root, PF_STR("left_out"), r->left_out);
        pf_node_add_text(f, root, PF_STR("missing"), r->missing);
    }
    pf_node_add_text(f, root, PF_STR("input_hash"), pf_str_of(r->hash));
    pf_node_add_int(f, root, PF_STR("input_bytes"), (int64_t)r->bytes);
    pf_node_add_text(f, root, PF_STR("status"), status);
    pf_node_add_int(f, root, PF_STR("exit_code"), w->result->code);
    pf_node_add_text(f, root, PF_STR("reason"), o == PF_HOOK_DONE ? ITEM : pf_str_of(w->result->text));
    pf_hook_report_copy(r, root, PF_STR("findings"), r->findings);
    pf_hook_report_copy(r, root, PF_STR("passed"), r->passed);
    pf_node_add_text(f, root, PF_STR("enriched"), r->enriched);
    if (r->html.ptr) {
        pf_node_add_text(f, root, PF_STR("html"), r->html);
    }
    if (r->archive.ptr) {
        pf_node_add_text(f, root, PF_STR("archive"), r->archive);
    }
    if (w->config->keep) {
        pf_node_add_text(f, root, PF_STR("slowest_step"), r->kept);
        pf_node_add_text(f, root, PF_STR("slowest_step_is"), r->kept.ptr ? r->kept_of : ITEM);
        pf_node_add_text(f, root, PF_STR("whole_trace_stays"), r->whole);
    }
    pf_hook_report_copy(r, root, PF_STR("not_run"), r->not_run);
    pf_hook_report_copy(r, root, PF_STR("passes"), r->passes);
    pf_hook_report_copy(r, root, PF_STR("check"), r->check);
    pf_hook_report_copy(r, root, PF_STR("info"), r->info);
    return pf_findings_status(f, NULL) == PF_OK ? root : NULL;
}

/* Text of a trace as Markdown text, between texts of ours: what could start markup is escaped, line feeds become
 * blanks. */
static void put_plain(pf_buffer *b, const char *before, pf_str text, const char *after)
{
    pf_buffer clean = {0};
    pf_cli_put_clean(&clean, text.ptr ? text.ptr : "", text.len, false);
    pf_buffer_text(b, before);
    for (size_t i = 0; i < clean.len; i++) {
        if (strchr("\\`*_{}[]<>#|!&", clean.data[i])) {
            pf_buffer_put(b, "\\", 1);
        }
        pf_buffer_put(b, clean.data + i, 1);
    }
    pf_buffer_text(b, after);
    pf_buffer_free(&clean);
}

static const pf_node *items(const pf_node *document, const char *key)
{
    const pf_node *list = pf_node_get(document, key);
    return list ? list->first : NULL;
}

/* A line for each text of a list. */
static void put_texts(pf_buffer *b, const pf_node *text)
{
    for (; text; text = text->next) {
        put_plain(b, "- ", text->as.s, "\n");
    }
}

/* A line for each name with its reason. */
static void put_reasons(pf_buffer *b, const pf_node *pair, const char *before, const char *between)
{
    for (; pair; pair = pair->next) {
        put_plain(b, before, text_of(pair, "name"), between);
        put_plain(b, "", text_of(pair, "reason"), "\n");
    }
}

static void put_fence(pf_buffer *b, size_t quotes, const char *after)
{
    for (size_t i = 0; i < quotes; i++) {
        pf_buffer_text(b, "`");
    }
    pf_buffer_text(b, after);
}

/* Lines as they are; the fence around them is longer than any run of backquotes in them. */
static void put_block(pf_buffer *b, const pf_node *lines)
{
    size_t fence = 3;
    for (const pf_node *line = lines; line; line = line->next) {
        for (const char *p = strchr(line->as.s.ptr, '`'); p; p = strchr(p, '`')) {
            size_t run = strspn(p, "`");
            fence = run >= fence ? run + 1 : fence;
            p += run;
        }
    }
    put_fence(b, fence, "\n");
    for (const pf_node *line = lines; line; line = line->next) {
        pf_cli_put_clean(b, line->as.s.ptr, line->as.s.len, true);
        pf_buffer_text(b, "\n");
    }
    put_fence(b, fence, "\n\n");
}

/* Kinds of damage by which something of the recording is lost. */
static void put_losses(pf_buffer *b, const pf_node *check)
{
    if (!pf_hook_is_damaged(check)) {
        return;
    }
    pf_buffer_text(b, "**Damaged**: a part of the recording is lost.\n\n");
    for (const pf_node *one = items(check, "damage"); one; one = one->next) {
        const pf_node *loss = pf_node_get(one, "loss");
        if (loss && loss->as.b) {
            put_plain(b, "- ", text_of(one, "description"), "\n");
        }
    }
    pf_buffer_text(b, "\n");
}

static void put_facts(pf_buffer *b, const pf_node *info)
{
    static const char *const facts[] = {"format",    "dialect", "compression", "input_bytes", "plain_bytes",
                                        "time_unit", "start",   "end",         "length"};
    pf_buffer_text(b, "## Trace\n\n| | |\n|---|---|\n");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const pf_node *value = pf_node_get(info, facts[i]);
        pf_str text = value && value->type == PF_NODE_TEXT ? value->as.s : ITEM;
        char *json = NULL;
        if (value && !text.ptr && pf_format_json(value, &json, &text.len, NULL) == PF_OK) {
            text.ptr = json;
        }
        if (text.ptr) {
            pf_buffer_format(b, "| %s", facts[i]);
            put_plain(b, " | ", text, " |\n");
        }
        free(json);
    }
    pf_buffer_text(b, "\n");
}

static void put_pass(pf_buffer *b, const pf_node *pass)
{
    const pf_node *code = pf_node_get(pass, "exit_code"), *messages = items(pass, "messages");
    const pf_node *reports = items(pass, "reports");
    pf_buffer_format(b, "## %s\n\n", text_of(pass, "name").ptr);
    if (code->as.i > 1) {
        pf_buffer_format(b, "Failed with exit code %d.\n\n", (int)code->as.i);
    }
    if (messages) {
        put_block(b, messages);
    }
    put_texts(b, reports);
    pf_buffer_text(b, reports ? "\n" : "");
}

/* The files of a capture of several ranks, those of which nothing is in the report, and ranks without one. */
static void put_ranks(pf_buffer *b, const pf_node *report)
{
    if (!items(report, "files")) {
        return;
    }
    put_texts(b, items(report, "files"));
    put_reasons(b, items(report, "left_out"), "- without ", ": ");
    if (text_of(report, "missing").ptr) {
        pf_buffer_format(b, "- %s\n", text_of(report, "missing").ptr);
    }
    pf_buffer_text(b, "\n");
}

void pf_hook_report_markdown(const pf_node *report, pf_buffer *b)
{
    const pf_node *findings = items(report, "findings"), *passed = items(report, "passed");
    const pf_node *not_run = items(report, "not_run"), *passes = items(report, "passes");
    const pf_node *check = pf_node_get(report, "check"), *info = pf_node_get(report, "info");
    put_plain(b, "# ", text_of(report, "trace"), "\n\n");
    if (!pf_hook_says(report, "status", "done")) {
        pf_buffer_text(b, pf_hook_says(report, "status", "finding") ? "**Finding**: " : "**Failed**: ");
        put_plain(b, "", text_of(report, "reason"), "\n\n");
    }
    put_texts(b, findings);
    put_texts(b, passed);
    pf_buffer_text(b, findings || passed ? "\n" : "");
    put_ranks(b, report);
    put_losses(b, check);
    if (check->type != PF_NODE_NULL && !passes && !not_run) {
        pf_buffer_text(b, "No pass fits this trace.\n\n");
    }
    if (text_of(report, "enriched").ptr) {
        put_plain(b, "Open ", text_of(report, "enriched"), " in ui.perfetto.dev to see the findings in the trace.\n\n");
    }
    if (text_of(report, "html").ptr) {
        put_plain(b, "Read ", text_of(report, "html"), " for pictures and tables.\n\n");
    }
    if (text_of(report, "slowest_step").ptr) {
        put_plain(b, "In place of the trace ", text_of(report, "slowest_step"), " is kept: ");
        put_plain(b, "", text_of(report, "slowest_step_is"), ".\n\n");
    } else if (text_of(report, "whole_trace_stays").ptr) {
        put_plain(b, "The whole trace stays: ", text_of(report, "whole_trace_stays"), ".\n\n");
    }
    put_reasons(b, not_run, "- ", " did not run: ");
    pf_buffer_text(b, not_run ? "\n" : "");
    if (info->type != PF_NODE_NULL) {
        put_facts(b, info);
    }
    for (const pf_node *pass = passes; pass; pass = pass->next) {
        put_pass(b, pass);
    }
    pf_buffer_format(b, "postfetto %s\n", pf_version());
}
