/* cli/hook/hook_passes.c - which passes run on a trace, and what they leave. */
#include "cli/hook/hook_work.h"

#include <unistd.h>

#include "base/files/folders.h"
#include "cli/common/command.h"

static void leave_out(pf_hook_work *w, const char *name, const char *reason)
{
    pf_hook_report_reason(&w->report, w->report.not_run, name, reason);
}

bool pf_hook_list_reports(pf_hook_work *w, pf_node *list, const char *folder)
{
    pf_hook_files files;
    pf_hook_files_list(&files, folder, PF_HOOK_FILES_IN);
    for (size_t i = 0; i < files.count; i++) {
        pf_str path =
            pf_findings_format(w->report.all, "%s/%s", folder + strlen(w->folder) + 1, pf_path_name(files.at[i].path));
        pf_node_add_text(w->report.all, list, (pf_str){NULL, 0}, path);
    }
    bool good = !files.failed || pf_hook_no_memory(w);
    pf_hook_files_free(&files);
    return good;
}

/* --pictures is ours where the pass has none of its own. */
static bool draws_pictures(const pf_hook_work *w, const pf_pass *p)
{
    static const char name[] = "pictures";
    return w->config->pictures &&
           pf_options_find(p->options, p->option_count, name, sizeof name - 1) == p->option_count;
}

void pf_hook_pass_words(pf_hook_work *w, pf_hook_words *words, size_t run, int64_t at, const char *folder, bool draw)
{
    const pf_hook_pass *p = w->runs[run];
    pf_hook_words_put(words, "analyze", p->pass->name);
    pf_hook_words_add_all(words, &p->options);
    pf_hook_add_common(w, words);
    pf_hook_words_put(words, "--json", "--report", folder);
    if (draw) {
        pf_hook_words_put(words, "-o", w->enriched);
    }
    if (draws_pictures(w, p->pass)) {
        pf_hook_words_add(words, "--pictures");
    }
    pf_hook_add_page(w, run, words);
    pf_hook_add_thresholds(w, words, at);
    pf_hook_add_inputs(w, NULL, words);
}

bool pf_hook_choose_judges(pf_hook_work *w, const pf_hook_passes *all, const bool *running)
{
    size_t count = w->config->fail_if.count;
    int64_t first = -1;
    w->judge = pf_findings_alloc(w->report.all, count * sizeof *w->judge);
    for (size_t i = 0; w->judge && i < count; i++) {
        pf_error err;
        const char *text = w->config->fail_if.word[i];
        w->judge[i] = pf_hook_threshold_judge(text, all, running, &err);
        if (w->judge[i] < 0) {
            pf_str line =
                pf_findings_format(w->report.all, "--fail-if '%.200s' measured nothing: %.500s", text, err.text);
            pf_node_add_text(w->report.all, w->report.findings, (pf_str){NULL, 0}, line);
            pf_hook_end(w, PF_HOOK_FINDING, PF_CLI_FINDING, "findings");
        } else if (w->config->junit && first >= 0 && w->judge[i] != first) {
            return pf_hook_fail(w, PF_CLI_USAGE,
                                "--junit takes the thresholds of one pass, these ask for tables of several");
        } else {
            first = w->judge[i];
        }
    }
    return w->judge ? true : pf_hook_no_memory(w);
}

static bool run_pass(pf_hook_work *w, size_t number, int64_t at, const char *folder, bool draw)
{
    pf_findings *f = w->report.all;
    const pf_hook_pass *p = w->runs[number];
    pf_hook_words words = {0};
    pf_hook_child child;
    pf_hook_pass_words(w, &words, number, at, folder, draw);
    pf_hook_child_run(&child, &words, &w->limits);
    bool good = pf_hook_judge(w, p->pass->name, &child, PF_CLI_FINDING);
    pf_node *run = pf_node_add(f, w->report.passes, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    pf_node_add_text(f, run, PF_STR("name"), pf_str_of(p->pass->name));
    pf_node *options = pf_node_add(f, run, PF_STR("options"), PF_NODE_LIST);
    for (size_t i = 0; i < p->options.count; i++) {
        pf_hook_report_text(&w->report, options, p->options.word[i]);
    }
    pf_node_add_int(f, run, PF_STR("exit_code"), child.code);
    pf_hook_report_copy(&w->report, run, PF_STR("summary"), good ? pf_hook_printed(w, &child.out) : NULL);
    const pf_node *messages = pf_node_copy(f, run, PF_STR("messages"), pf_hook_lines(w, &child.err));
    pf_node *reports = pf_node_add(f, run, PF_STR("reports"), PF_NODE_LIST);
    pf_hook_child_free(&child);
    if (good && child.code == PF_CLI_FINDING) {
        pf_hook_note_findings(w, messages);
    }
    if (good && draw && access(w->enriched, F_OK) == 0) { /* --align-clocks may be refused */
        w->report.enriched = pf_str_of(pf_path_name(w->enriched));
    }
    good = good && pf_hook_list_reports(w, reports, folder);
    const char *page = good && w->config->html ? pf_hook_page_of(w, number) : NULL;
    if (page && number) {
        pf_hook_report_text(&w->report, reports, page + strlen(w->folder) + 1);
    } else if (page) {
        w->report.html = pf_str_of(pf_path_name(w->html));
    }
    return good;
}

/* The trace with its findings, if they were drawn, as an archive. */
static void write_archive(pf_hook_work *w)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    pf_hook_words_add(&words, "convert");
    pf_hook_add_common(w, &words);
    pf_hook_words_put(&words, "-o", w->archive);
    if (w->report.enriched.ptr) {
        pf_hook_words_put(&words, "--", w->enriched);
    } else {
        pf_hook_add_inputs(w, NULL, &words);
    }
    pf_hook_child_run(&child, &words, &w->limits);
    if (pf_hook_judge(w, "convert", &child, PF_CLI_DONE)) {
        w->report.archive = pf_str_of(pf_path_name(w->archive));
    }
    pf_hook_child_free(&child);
}

/* Says which required options a pass lacks; true if there are none. */
static bool is_complete(pf_hook_work *w, const pf_pass *pass, const pf_hook_words *words)
{
    pf_option_value *given = pf_findings_alloc(w->report.all, (pass->option_count + 1) * sizeof *given);
    pf_error err;
    for (size_t i = 0; given && i < words->count; i++) {
        const char *word = words->word[i], *name = word + strspn(word, "-");
        if (name - word == 2) {
            given[pf_options_find(pass->options, pass->option_count, name, strcspn(name, "="))].set = true;
        }
    }
    if (given && pf_options_complete(pass->options, pass->option_count, given, &err) != PF_OK) {
        pf_str reason = pf_findings_format(w->report.all, "missing options: %s", err.text);
        leave_out(w, pass->name, reason.ptr ? reason.ptr : "missing options");
        return false;
    }
    return given;
}

bool pf_hook_is_wanted(pf_hook_work *w, const pf_hook_pass *p)
{
    bool named = w->ranks.count == 0 && pf_hook_matches(&p->match, w->path);
    for (size_t i = 0; i < w->ranks.count; i++) {
        named = named || pf_hook_matches(&p->match, w->ranks.word[i]);
    }
    const char *reason = !named                                                ? "the name of the trace does not match"
                         : !pf_hook_fits(w->report.info, p->pass->name)        ? "does not fit this trace"
                         : w->files && !pf_hook_takes_ranks(p->pass, w->files) ? "takes no such ranks together"
                                                                               : NULL;
    if (reason) {
        leave_out(w, p->pass->name, reason);
    }
    return !reason && is_complete(w, p->pass, &p->options);
}

pf_hook_passes pf_hook_default_passes(pf_hook_work *w)
{
    pf_hook_passes made = {.at = pf_findings_alloc(w->report.all, pf_pass_count() * sizeof *made.at)};
    for (size_t i = 0; made.at && i < pf_pass_count(); i++) {
        if (pf_hook_fits(w->report.info, pf_pass_at(i)->name)) {
            made.at[made.count++].pass = pf_pass_at(i);
        }
    }
    return made;
}

/* Runs what is wanted. Where several passes run, each has a folder of its own in the folder of reports, and the first
 * one that draws makes the enriched trace. */
void pf_hook_run_passes(pf_hook_work *w)
{
    const pf_hook_passes all = w->config->passes.count ? w->config->passes : pf_hook_default_passes(w);
    bool *wanted = pf_findings_alloc(w->report.all, all.count * sizeof *wanted);
    w->runs = pf_findings_alloc(w->report.all, all.count * sizeof *w->runs);
    for (size_t i = 0; wanted && w->runs && i < all.count; i++) {
        wanted[i] = pf_hook_is_wanted(w, &all.at[i]);
        w->runs[w->run_count] = &all.at[i];
        w->run_count += wanted[i];
    }
    if (!wanted || !w->runs || !pf_hook_choose_judges(w, &all, wanted)) {
        return;
    }
    pf_hook_judge_trace(w, (int64_t)all.count);
    for (size_t i = 0, run = 0; i < all.count; run += wanted[i++]) {
        pf_str own = pf_findings_format(w->report.all, "%s/%s", w->reports, all.at[i].pass->name);
        bool draw = w->config->enriched && !w->config->keep && !w->report.enriched.ptr;
        const char *folder = w->run_count > 1 ? own.ptr : w->reports;
        if (wanted[i] && folder && !run_pass(w, run, (int64_t)i, folder, draw)) {
            pf_hook_write_failures(w, run);
            return;
        }
    }
    if (w->config->archive) {
        write_archive(w);
    }
}
