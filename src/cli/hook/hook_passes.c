/* cli/hook/hook_passes.c - which passes run on a trace, and what they leave. */
#include "cli/hook/hook_work.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hook/hook_ranks.h"
#include "cli/hook/hook_thresholds.h"
#include "cli/run/run.h"

static void leave_out(pf_hook_work *w, const char *name, const char *reason)
{
    pf_hook_words_add(&w->report.not_run, name);
    pf_hook_words_add(&w->report.not_run, reason);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a folder that a pass wrote its reports to, by name. */
static bool list_reports(pf_hook_work *w, pf_hook_pass_run *run, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    bool good = true;
    while (dir && good && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || entry->d_type == DT_DIR) {
            continue;
        }
        char **names = realloc(run->report, (run->report_count + 1) * sizeof *names);
        run->report = names ? names : run->report;
        char *name = names ? strdup(entry->d_name) : NULL;
        good = name != NULL;
        if (good) {
            run->report[run->report_count++] = name;
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (run->report_count) {
        qsort(run->report, run->report_count, sizeof *run->report, compare_names);
    }
    return good ? true : pf_hook_no_memory(w);
}

/* Adds those thresholds that `judge` judges; returns how many. */
static size_t add_thresholds(pf_hook_work *w, pf_hook_words *words, int64_t judge)
{
    size_t count = 0;
    for (size_t i = 0; i < w->config->fail_if.count; i++) {
        if (w->judge[i] == judge) {
            pf_hook_words_add(words, "--fail-if");
            pf_hook_words_add(words, w->config->fail_if.word[i]);
            count++;
        }
    }
    if (count && w->config->junit) {
        pf_hook_words_add(words, "--junit");
        pf_hook_words_add(words, w->config->junit);
    }
    if (count && w->config->annotations) {
        pf_hook_words_add(words, "--annotations");
        pf_hook_words_add(words, w->config->annotations);
    }
    return count;
}

/* The command line of the pass with index `at`: its options first, then ours. */
static void pass_words(pf_hook_work *w, pf_hook_words *words, const pf_hook_pass *p, int64_t at, const char *folder,
                       bool draw)
{
    pf_hook_words_add(words, "analyze");
    pf_hook_words_add(words, p->name);
    pf_hook_words_add_all(words, &p->options);
    pf_hook_add_common(w, words);
    pf_hook_words_add(words, "--json");
    pf_hook_words_add(words, "--report");
    pf_hook_words_add(words, folder);
    if (draw) {
        pf_hook_words_add(words, "-o");
        pf_hook_words_add(words, w->enriched);
    }
    add_thresholds(w, words, at);
    pf_hook_add_inputs(w, NULL, words);
}

/* The lines that tell of thresholds; workflow commands are passed on as they are, for those who collect them. */
static void note_findings(pf_hook_work *w, const char *messages)
{
    for (const char *at = messages; at && *at;) {
        size_t len = strcspn(at, "\n");
        char *line = strndup(at, len);
        if (line && strstr(line, "--fail-if")) {
            pf_hook_words_add(&w->report.findings, strncmp(line, "postfetto: ", 11) == 0 ? line + 11 : line);
        } else if (line && strncmp(line, "::", 2) == 0) {
            puts(line);
        }
        free(line);
        at += len + (at[len] == '\n');
    }
    if (w->result->outcome == PF_HOOK_DONE) {
        w->result->outcome = PF_HOOK_FINDING;
        w->result->code = PF_CLI_FINDING;
    }
}

static void note_finding(pf_hook_work *w, const char *text)
{
    pf_hook_words_add(&w->report.findings, text);
    if (w->result->outcome == PF_HOOK_DONE) {
        w->result->outcome = PF_HOOK_FINDING;
        w->result->code = PF_CLI_FINDING;
    }
}

/* Finds out who judges each threshold. A threshold that nothing answers is a finding: it measured nothing. */
static bool choose_judges(pf_hook_work *w, const pf_hook_passes *all, const bool *running)
{
    size_t count = w->config->fail_if.count;
    int64_t first = -1;
    w->judge = calloc(count + 1, sizeof *w->judge);
    for (size_t i = 0; w->judge && i < count; i++) {
        pf_error err;
        const char *text = w->config->fail_if.word[i];
        w->judge[i] = pf_hook_threshold_judge(text, all, running, &err);
        if (w->judge[i] < 0) {
            char line[768];
            snprintf(line, sizeof line, "--fail-if '%.200s' measured nothing: %.500s", text, err.text);
            note_finding(w, line);
        } else if (w->config->junit && first >= 0 && w->judge[i] != first) {
            return pf_hook_fail(w, PF_CLI_USAGE,
                                "--junit takes the thresholds of one pass, these ask for tables of several");
        } else {
            first = w->judge[i];
        }
    }
    return w->judge ? true : pf_hook_no_memory(w);
}

/* What no pass judges is about the trace alone. */
static void judge_trace(pf_hook_work *w, const pf_hook_passes *all)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    pf_hook_words_add(&words, "query");
    pf_hook_add_common(w, &words);
    if (add_thresholds(w, &words, (int64_t)all->count) == 0) {
        pf_hook_words_free(&words);
        return;
    }
    pf_hook_add_inputs(w, "--input", &words);
    pf_hook_child_run(&child, &words, &w->limits);
    if (pf_hook_judge(w, "query", &child, PF_CLI_FINDING) && child.code == PF_CLI_FINDING) {
        char *messages = pf_hook_take_text(&child.err), *commands = pf_hook_take_text(&child.out);
        note_findings(w, messages);
        note_findings(w, commands);
        free(messages);
        free(commands);
    }
    pf_hook_child_free(&child);
    pf_hook_words_free(&words);
}

static bool run_pass(pf_hook_work *w, const pf_hook_pass *p, int64_t at, const char *folder, bool draw)
{
    pf_hook_pass_run *runs = realloc(w->report.pass, (w->report.pass_count + 1) * sizeof *runs);
    if (!runs) {
        return pf_hook_no_memory(w);
    }
    w->report.pass = runs;
    pf_hook_pass_run *run = &runs[w->report.pass_count++];
    *run = (pf_hook_pass_run){.name = pf_pass_find(p->name)->name};
    pf_hook_words_add_all(&run->options, &p->options);
    pf_hook_words words = {0};
    pf_hook_child child;
    pass_words(w, &words, p, at, folder, draw);
    run->folder = strdup(folder + strlen(w->folder) + 1);
    if (words.failed || !run->folder) {
        pf_hook_words_free(&words);
        return pf_hook_no_memory(w);
    }
    pf_hook_child_run(&child, &words, &w->limits);
    pf_hook_words_free(&words);
    run->code = child.code;
    bool good = pf_hook_judge(w, p->name, &child, PF_CLI_FINDING);
    run->messages = pf_hook_take_text(&child.err);
    run->summary = good ? pf_hook_take_text(&child.out) : NULL;
    if (good && run->code == PF_CLI_FINDING) {
        note_findings(w, run->messages);
    }
    if (good && draw) {
        w->report.enriched = strrchr(w->enriched, '/') + 1;
    }
    pf_hook_child_free(&child);
    return good && list_reports(w, run, folder);
}

/* Says which required options a pass lacks; true if there are none. */
static bool is_complete(pf_hook_work *w, const pf_pass *pass, const pf_hook_pass *p)
{
    pf_buffer missing = {0};
    for (size_t i = 0; i < pass->option_count; i++) {
        const pf_option *o = &pass->options[i];
        bool given = !(o->traits & PF_OPTION_REQUIRED);
        size_t len = strlen(o->name);
        for (size_t k = 0; p && k < p->options.count && !given; k++) {
            const char *word = p->options.word[k];
            given = strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, len) == 0 &&
                    (word[2 + len] == '\0' || word[2 + len] == '=');
        }
        if (!given) {
            pf_buffer_format(&missing, "%s--%s", missing.len ? ", " : "missing options: ", o->name);
        }
    }
    bool complete = missing.len == 0;
    if (!complete) {
        pf_buffer_put(&missing, "", 1);
        leave_out(w, pass->name, missing.failed ? "missing options" : missing.data);
    }
    pf_buffer_free(&missing);
    return complete;
}

/* Whether a configured pass is for this trace; if not, why not is noted. */
static bool is_wanted(pf_hook_work *w, const pf_hook_pass *p)
{
    bool named = w->ranks.count == 0 && pf_hook_matches(&p->match, w->path);
    for (size_t i = 0; i < w->ranks.count; i++) {
        named = named || pf_hook_matches(&p->match, w->ranks.word[i]);
    }
    if (!named) {
        leave_out(w, p->name, "the name of the trace does not match");
        return false;
    }
    if (!pf_hook_fits(w->report.info, p->name)) {
        leave_out(w, p->name, "does not fit this trace");
        return false;
    }
    if (w->ranks.count && !pf_pass_find(p->name)->joins_ranks) {
        leave_out(w, p->name, "takes no ranks together");
        return false;
    }
    return is_complete(w, pf_pass_find(p->name), p);
}

/* Without configured passes: those that fit and need nothing. The list is in `made`, whose names are malloc'd. */
static bool default_passes(pf_hook_work *w, pf_hook_passes *made)
{
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *pass = pf_pass_at(i);
        if (!pf_hook_fits(w->report.info, pass->name)) {
            continue;
        }
        pf_hook_pass *more = realloc(made->at, (made->count + 1) * sizeof *more);
        if (!more) {
            return pf_hook_no_memory(w);
        }
        made->at = more;
        more[made->count] = (pf_hook_pass){.name = strdup(pass->name)};
        if (!more[made->count++].name) {
            return pf_hook_no_memory(w);
        }
    }
    return true;
}

/* Runs what is wanted. Where several passes run, each has a folder of its own in the folder of reports, and the first
 * one that draws makes the enriched trace. */
void pf_hook_run_passes(pf_hook_work *w)
{
    pf_hook_passes fitting = {0};
    const pf_hook_passes *all = &w->config->passes;
    if (all->count == 0) {
        if (!default_passes(w, &fitting)) {
            goto done;
        }
        all = &fitting;
    }
    bool *wanted = calloc(all->count + 1, sizeof *wanted);
    size_t count = 0;
    for (size_t i = 0; wanted && i < all->count; i++) {
        wanted[i] = is_wanted(w, &all->at[i]);
        count += wanted[i];
    }
    bool ready = wanted ? choose_judges(w, all, wanted) : pf_hook_no_memory(w);
    if (ready) {
        judge_trace(w, all);
    }
    for (size_t i = 0; ready && i < all->count; i++) {
        char *folder = NULL;
        int made =
            count > 1 ? asprintf(&folder, "%s/%s", w->reports, all->at[i].name) : asprintf(&folder, "%s", w->reports);
        if (made < 0 ||
            (wanted[i] && !run_pass(w, &all->at[i], (int64_t)i, folder, w->config->enriched && !w->report.enriched))) {
            free(made < 0 ? NULL : folder);
            break;
        }
        free(folder);
    }
    free(wanted);
done:
    for (size_t i = 0; i < fitting.count; i++) {
        free(fitting.at[i].name);
    }
    free(fitting.at);
}
