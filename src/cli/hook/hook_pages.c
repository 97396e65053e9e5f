/* cli/hook/hook_pages.c - the pages of a trace, TRACE.report.html and one more for each further pass.
 *
 * They link each other, so each is told of all before any is there. Where a pass fails, its page and those of the
 * passes that do not run any more say so: no link leads nowhere. */
#include "cli/hook/hook_work.h"

#include <stdlib.h>

#include "base/files/folders.h"
#include "cli/common/command.h"
#include "postfetto/write.h"

const char *pf_hook_page_of(pf_hook_work *w, size_t run)
{
    return run ? pf_findings_format(w->report.all, "%s/%s.html", w->reports, w->runs[run]->pass->name).ptr : w->html;
}

/* A page as it is seen from another, which is that of the trace, or lies in the folder of reports. */
static const char *seen_from(pf_hook_work *w, size_t from, size_t run)
{
    const char *name = w->runs[run]->pass->name;
    pf_findings *f = w->report.all;
    pf_str path = run == 0    ? pf_findings_format(f, "../%s", pf_path_name(w->html))
                  : from == 0 ? pf_findings_format(f, "%s/%s.html", pf_path_name(w->reports), name)
                              : pf_findings_format(f, "%s.html", name);
    return path.ptr;
}

/* A pass with its options, which tell two runs of one pass apart. */
static const char *title_of(pf_hook_work *w, size_t run)
{
    pf_buffer b = {0};
    const pf_hook_pass *p = w->runs[run];
    pf_buffer_text(&b, p->pass->name);
    for (size_t i = 0; i < p->options.count; i++) {
        pf_buffer_format(&b, " %s", p->options.word[i]);
    }
    const char *title = b.failed ? NULL : pf_findings_keep(w->report.all, (pf_str){b.data, b.len}).ptr;
    pf_buffer_free(&b);
    return title;
}

static void add_word(pf_hook_work *w, pf_hook_words *words, const char *option, const char *value)
{
    pf_str word = pf_findings_format(w->report.all, "%s=%s", option, value ? value : "");
    words->failed |= !value || !word.ptr;
    pf_hook_words_add(words, word.ptr ? word.ptr : option);
}

void pf_hook_add_page(pf_hook_work *w, size_t run, pf_hook_words *words)
{
    if (!w->config->html) {
        return;
    }
    add_word(w, words, "--html", pf_hook_page_of(w, run));
    for (size_t i = 0; i < w->run_count; i++) {
        if (i != run) {
            add_word(w, words, "--hook-page", title_of(w, i));
            add_word(w, words, "--hook-page", seen_from(w, run, i));
        }
    }
}

/* A page of what the hook knows itself: that a step failed. up: from its folder to that of the trace's page. */
static bool write_failure(pf_hook_work *w, const char *path, const char *up, const char *why)
{
    char *text = NULL;
    size_t len = 0;
    uint64_t written = 0;
    pf_findings *f = w->report.all;
    const char *markdown = pf_path_name(w->markdown), *json = pf_path_name(w->json);
    const pf_page_line facts[] = {{PF_STR("Tool"), pf_findings_format(f, "postfetto %s", pf_version()), NULL},
                                  {PF_STR("File"), pf_str_of(w->path), NULL}};
    const pf_page_line links[] = {
        {PF_STR("What was done"), pf_str_of(markdown), pf_findings_format(f, "%s%s", up, markdown).ptr},
        {PF_STR("The same as JSON"), pf_str_of(json), pf_findings_format(f, "%s%s", up, json).ptr}};
    pf_page page = pf_page_default();
    page.title = pf_findings_format(f, "hook: %s", w->base);
    page.facts = facts;
    page.links = links;
    page.fact_count = page.link_count = 2;
    pf_findings_set_headline(f, "Not analysed: %s", why);
    pf_status st = pf_make_folder_of(path) == 0 ? pf_findings_status(f, NULL) : PF_ERR_OUTPUT;
    st = st == PF_OK ? pf_format_page(f, &page, &text, &len, NULL) : st;
    st = st == PF_OK ? pf_cli_write(path, (pf_str){text, len}, NULL, &written, NULL) : st;
    free(text);
    return st == PF_OK;
}

void pf_hook_write_failures(pf_hook_work *w, size_t run)
{
    for (size_t i = run > 0 ? run : w->run_count; w->config->html && !pf_cli_signal_code() && i < w->run_count; i++) {
        const char *path = pf_hook_page_of(w, i);
        if (path) {
            write_failure(w, path, "../", w->result->text);
        }
    }
}

static void run_info(pf_hook_work *w, pf_hook_words *words)
{
    pf_hook_child child;
    if (w->config->html) {
        pf_hook_words_put(words, "--html", w->html);
    }
    if (w->config->html && w->config->pictures) {
        pf_hook_words_put(words, "--pictures", "--report", w->reports);
    }
    pf_hook_add_inputs(w, NULL, words);
    pf_hook_child_run(&child, words, &w->limits);
    bool good = pf_hook_judge(w, "info", &child, PF_CLI_FINDING);
    const pf_node *said = good ? pf_hook_lines(w, &child.err) : NULL;
    if (good && child.code == PF_CLI_FINDING) {
        pf_hook_note_findings(w, said);
    }
    if (good && w->config->html) {
        w->report.html = pf_str_of(pf_path_name(w->html));
    }
    pf_hook_child_free(&child);
}

void pf_hook_judge_trace(pf_hook_work *w, int64_t judge)
{
    pf_hook_words words = {0};
    pf_hook_words_add(&words, "info");
    pf_hook_add_common(w, &words);
    if (pf_hook_add_thresholds(w, &words, judge) > 0) {
        run_info(w, &words);
    }
    pf_hook_words_free(&words);
}

void pf_hook_write_page(pf_hook_work *w)
{
    pf_hook_words words = {0};
    if (!w->config->html || w->report.html.ptr) {
        return;
    }
    if (w->result->outcome != PF_HOOK_FAILED) {
        pf_hook_words_add(&words, "info");
        pf_hook_add_common(w, &words);
        run_info(w, &words);
    } else if (write_failure(w, w->html, "", w->result->text)) {
        w->report.html = pf_str_of(pf_path_name(w->html));
    }
}
