/* cli/hook/config/hook_config.c - the keys as a table, and everything that follows from it: setting, checking,
 * printing, the search for a file. Reading YAML is config_file.c.
 *
 * A threshold may ask for the tables of the trace and the report tables of one pass. The hook reads no trace, so a
 * child judges: the first pass that runs and has the tables, else `query` on the trace alone. What nothing that runs
 * can answer measured nothing, which is a finding. That every threshold can be answered by some pass is checked before
 * any work starts. */
#include "cli/hook/config/hook_config.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "base/list.h"
#include "base/str.h"
#include "cli/thresholds/thresholds.h"

#define AT(field) offsetof(pf_hook_config, field)
#define CONFIG_NAME "postfetto.yaml"

#define LIST .traits = PF_OPTION_REPEATABLE

const pf_option pf_hook_keys[PF_HOOK_KEYS] = {
    {"pass", 0, PF_OPTION_TEXT, AT(passes), "'NAME OPTIONS'", NULL,
     "every pass that fits and whose required options are known",
     "a pass with its options, and --match GLOB for the files that it is for", LIST},
    {"fail-if", 0, PF_OPTION_TEXT, AT(fail_if), "EXPR", NULL, NULL,
     "a finding where this SQL is true of the trace or the tables of its passes", LIST},
    {"match", 0, PF_OPTION_TEXT, AT(match), "GLOB", NULL, NULL, "only files of such names", LIST},
    {"out", 0, PF_OPTION_PATH, AT(out), "DIR", NULL, "that of the trace", "folder for everything that is written"},
    {"in", 0, PF_OPTION_PATH, AT(in), "DIR", NULL, "the working directory",
     "run: the folder where the command leaves its traces"},
    {"enriched", 0, PF_OPTION_CHOICE, AT(enriched), NULL, "yes|no", NULL,
     "write the trace once more with the findings drawn in", .fallback = "yes"},
    {"html", 0, PF_OPTION_CHOICE, AT(html), NULL, "yes|no", NULL, "write what was found as a page, TRACE.report.html",
     .fallback = "yes"},
    {"pictures", 0, PF_OPTION_FLAG, AT(pictures), NULL, NULL, NULL,
     "write each figure as an SVG file into the folder of the reports"},
    {"archive", 0, PF_OPTION_FLAG, AT(archive), NULL, NULL, NULL,
     "write the trace, with its findings where they are drawn, as TRACE.perfetto.tar, which ui.perfetto.dev (v58 and "
     "later) opens without parsing"},
    {"keep", 0, PF_OPTION_CHOICE, AT(keep), NULL, "slowest-step", "the whole trace",
     "write the slowest step as TRACE.slowest-step.pftrace (.json, .gz), then REMOVE the trace; it stays where a pass "
     "failed or found no steps, or it is damaged; no enriched trace is written"},
    {"junit", 0, PF_OPTION_PATH, AT(junit), "FILE", NULL, NULL, "write JUnit XML with one case for each --fail-if"},
    {"annotations", 0, PF_OPTION_CHOICE, AT(annotations), NULL, "github", NULL, "print findings as workflow commands"},
    {"nice", 0, PF_OPTION_INT, AT(nice), "N", NULL, NULL, "add N to the niceness of the analysis", .within = "0..19",
     .fallback = "0"},
    {"timeout", 0, PF_OPTION_DURATION, AT(timeout), "DURATION", NULL, "none",
     "stop working at one trace after this time"},
    {"max-memory", 0, PF_OPTION_SIZE, AT(max_memory), "SIZE", NULL, "16G", "limit: memory for one trace"},
    {"settle", 0, PF_OPTION_DURATION, AT(settle), "DURATION", NULL, NULL,
     "watch: a file that nobody closed, and all ranks of a run, count as written after this time without a change",
     .fallback = "2s"},
    {"workers", 0, PF_OPTION_INT, AT(workers), "N", NULL, NULL, "watch: traces at once", .within = "1..64",
     .fallback = "1"},
    {"once", 0, PF_OPTION_FLAG, AT(once), NULL, NULL, NULL, "watch: process what is there and end"},
    {"strict", 0, PF_OPTION_FLAG, AT(strict), NULL, NULL, NULL, "let failures and findings show in the exit status"},
};

const pf_option *pf_hook_key_named(const char *name)
{
    if (strcmp(name, "passes") == 0) {
        name = "pass"; /* as a file says it, where the key has a list */
    }
    for (size_t k = 0; k < PF_HOOK_KEYS; k++) {
        size_t i = 0;
        while (name[i] && (name[i] == pf_hook_keys[k].name[i] || (name[i] == '_' && pf_hook_keys[k].name[i] == '-'))) {
            i++;
        }
        if (name[i] == '\0' && pf_hook_keys[k].name[i] == '\0') {
            return &pf_hook_keys[k];
        }
    }
    return NULL;
}

void pf_hook_config_init(pf_hook_config *c)
{
    *c = (pf_hook_config){.workers = 1, .settle = 2, .enriched = true, .html = true};
}

static void forget_passes(pf_hook_passes *p)
{
    for (size_t i = 0; i < p->count; i++) {
        pf_hook_words_free(&p->at[i].options);
        pf_hook_words_free(&p->at[i].match);
    }
    free(p->at);
    *p = (pf_hook_passes){0};
}

static void *field(const pf_hook_config *c, const pf_option *key)
{
    return (char *)c + key->offset;
}

static bool is_passes(const pf_option *key)
{
    return key->offset == AT(passes);
}

/* A choice between yes and no is a bool. */
static bool is_yes_or_no(const pf_option *key)
{
    return key->offset == AT(enriched) || key->offset == AT(html);
}

/* Whether the member is a text of its own. */
static bool is_text(const pf_option *key)
{
    return !pf_option_is_list(key) &&
           (key->type == PF_OPTION_PATH || (key->type == PF_OPTION_CHOICE && !is_yes_or_no(key)));
}

static void forget(pf_hook_config *c, const pf_option *key)
{
    if (is_passes(key)) {
        forget_passes(field(c, key));
    } else if (pf_option_is_list(key)) {
        pf_hook_words_free(field(c, key));
    } else if (is_text(key)) {
        char **text = field(c, key);
        free(*text);
        *text = NULL;
    }
}

void pf_hook_config_free(pf_hook_config *c)
{
    for (size_t k = 0; k < PF_HOOK_KEYS; k++) {
        forget(c, &pf_hook_keys[k]);
    }
    free(c->file);
    *c = (pf_hook_config){0};
}

/* What a file may say of a flag; every second word sets it. */
static const pf_option flag_words = {
    .name = "flag", .type = PF_OPTION_CHOICE, .choices = "no|yes|false|true|off|on|0|1"};

pf_status pf_hook_config_add_pass(pf_hook_config *c, const pf_hook_words *words, pf_error *err)
{
    pf_hook_passes *p = &c->passes;
    const pf_pass *pass = pf_pass_find(words->word[0]);
    if (!pass) {
        return pf_fail(err, PF_ERR_USAGE, "unknown pass '%.100s'; 'postfetto analyze --list' shows the passes",
                       words->word[0]);
    }
    PF_TRY(PF_LIST_ROOM(NULL, p->at, p->count + 1, p->room, err));
    pf_hook_pass *made = &p->at[p->count++];
    *made = (pf_hook_pass){.pass = pass};
    for (size_t i = 1; i < words->count; i++) {
        const char *word = words->word[i];
        if (strncmp(word, "--match=", 8) == 0) {
            pf_hook_words_add(&made->match, word + 8);
        } else if (strcmp(word, "--match") == 0 && i + 1 < words->count) {
            pf_hook_words_add(&made->match, words->word[++i]);
        } else {
            pf_hook_words_add(&made->options, word);
        }
    }
    return words->failed || made->options.failed || made->match.failed ? pf_no_memory(err) : PF_OK;
}

/* The same from a line. */
static pf_status add_pass(pf_hook_config *c, const char *text, pf_error *err)
{
    pf_hook_words words = {0};
    bool whole = pf_hook_words_split(&words, text) && words.count > 0;
    pf_status st =
        whole ? pf_hook_config_add_pass(c, &words, err)
              : pf_fail(err, PF_ERR_USAGE, "pass: '%.200s' is not a pass and its options; a quote may be open", text);
    pf_hook_words_free(&words);
    return st;
}

pf_status pf_hook_config_set(pf_hook_config *c, const pf_option *key, const pf_option_value *v, bool first,
                             pf_error *err)
{
    if (first && pf_option_is_list(key)) {
        forget(c, key);
    }
    if (is_passes(key)) {
        return add_pass(c, v->s.ptr, err);
    }
    if (pf_option_is_list(key)) {
        pf_hook_words_add(field(c, key), v->s.ptr);
    } else if (is_text(key)) {
        char **text = field(c, key);
        free(*text);
        *text = strdup(v->s.ptr);
        return *text ? PF_OK : pf_no_memory(err);
    } else if (is_yes_or_no(key)) {
        *(bool *)field(c, key) = strcmp(v->s.ptr, "yes") == 0;
    } else if (key->type == PF_OPTION_DURATION) {
        *(double *)field(c, key) = (double)v->i * 1e-9;
    } else {
        pf_option_store(key, v, c);
    }
    return PF_OK;
}

pf_status pf_hook_config_set_text(pf_hook_config *c, const pf_option *key, const char *text, pf_error *err)
{
    pf_option one = *key; /* a list is set one value after the other */
    pf_option_value value = {0};
    one.traits = 0;
    if (key->type == PF_OPTION_FLAG || is_yes_or_no(key)) {
        if (pf_option_parse(&flag_words, text, &value, err) != PF_OK) {
            return pf_fail(err, PF_ERR_USAGE, "%s takes yes or no, not '%.100s'", key->name, text);
        }
        *(bool *)field(c, key) = value.i % 2;
        return PF_OK;
    }
    PF_TRY(pf_option_parse(&one, text, &value, err));
    return pf_hook_config_set(c, key, &value, false, err);
}

bool pf_hook_matches(const pf_hook_words *globs, const char *path)
{
    bool matches = globs->count == 0;
    for (size_t i = 0; i < globs->count && !matches; i++) {
        matches = fnmatch(globs->word[i], pf_path_name(path), 0) == 0 || fnmatch(globs->word[i], path, 0) == 0;
    }
    return matches;
}

/* A text as YAML in single quotes, where only the quote itself is special; control characters need double quotes. */
static void put_scalar(pf_buffer *b, const char *text)
{
    bool odd = false;
    for (const char *p = text; *p; p++) {
        odd |= (unsigned char)*p < ' ' || *p == 0x7f;
    }
    if (!odd) {
        pf_buffer_quoted(b, pf_str_of(text), '\'');
        return;
    }
    pf_buffer_text(b, "\"");
    for (const char *p = text; *p; p++) {
        bool control = (unsigned char)*p < ' ' || *p == 0x7f;
        pf_buffer_format(b, control ? "\\x%02x" : *p == '"' || *p == '\\' ? "\\%c" : "%c", (unsigned char)*p);
    }
    pf_buffer_text(b, "\"");
}

static void put_list(pf_buffer *b, const char *indent, const char *name, const pf_hook_words *list)
{
    pf_buffer_format(b, "%s%s:%s\n", indent, name, list->count ? "" : " []");
    for (size_t i = 0; i < list->count; i++) {
        pf_buffer_format(b, "%s  - ", indent);
        put_scalar(b, list->word[i]);
        pf_buffer_text(b, "\n");
    }
}

static void put_passes(pf_buffer *b, const pf_hook_passes *p)
{
    pf_buffer_format(b, "passes:%s\n", p->count ? "" : " []");
    for (size_t i = 0; i < p->count; i++) {
        pf_buffer_text(b, "  - name: ");
        put_scalar(b, p->at[i].pass->name);
        pf_buffer_text(b, "\n");
        put_list(b, "    ", "words", &p->at[i].options);
        put_list(b, "    ", "match", &p->at[i].match);
    }
}

void pf_hook_config_print(const pf_hook_config *c, pf_buffer *b)
{
    pf_buffer_format(b, "# %s%s\n", c->file ? "from " : "no configuration file; ",
                     c->file ? c->file : "defaults and flags");
    for (size_t k = 0; k < PF_HOOK_KEYS; k++) {
        const void *at = field(c, &pf_hook_keys[k]);
        char *const *text = at;
        if (is_passes(&pf_hook_keys[k])) {
            put_passes(b, at);
        } else if (pf_option_is_list(&pf_hook_keys[k])) {
            put_list(b, "", pf_hook_keys[k].name, at);
        } else if (is_text(&pf_hook_keys[k])) {
            if (*text) {
                pf_buffer_format(b, "%s: ", pf_hook_keys[k].name);
                put_scalar(b, *text);
                pf_buffer_text(b, "\n");
            }
        } else if (pf_hook_keys[k].type == PF_OPTION_SIZE) {
            if (*(const uint64_t *)at) {
                pf_buffer_format(b, "%s: %llu\n", pf_hook_keys[k].name, (unsigned long long)*(const uint64_t *)at);
            }
        } else if (pf_hook_keys[k].type == PF_OPTION_INT) {
            pf_buffer_format(b, "%s: %lld\n", pf_hook_keys[k].name, (long long)*(const int64_t *)at);
        } else if (pf_hook_keys[k].type == PF_OPTION_DURATION) {
            pf_buffer_format(b, "%s: %lldms\n", pf_hook_keys[k].name, (long long)(*(const double *)at * 1e3 + 0.5));
        } else {
            pf_buffer_format(b, "%s: %s\n", pf_hook_keys[k].name, *(const bool *)at ? "yes" : "no");
        }
    }
}

static bool suits(const char *text, const pf_pass *pass, pf_error *err)
{
    const pf_limits limits = pf_limits_default();
    *err = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    return pf_cli_threshold_try(text, pass, &limits, err) == PF_OK;
}

/* The error of the last try is that of the first configured pass, whose tables were probably meant. */
static bool any_suits(const pf_hook_passes *configured, const char *text, pf_error *err)
{
    size_t left = configured->count ? configured->count : pf_pass_count();
    bool any = suits(text, NULL, err);
    while (!any && left-- > 0) {
        const pf_pass *pass = configured->count ? configured->at[left].pass : pf_pass_at(pf_pass_count() - 1 - left);
        any = suits(text, pass, err);
    }
    return any;
}

pf_status pf_hook_thresholds_check(const pf_hook_config *c, pf_error *err)
{
    if (c->fail_if.count == 0 && (c->junit || c->annotations)) {
        return pf_fail(err, PF_ERR_USAGE, "--annotations and --junit report thresholds; add --fail-if");
    }
    if (c->keep && c->archive) {
        return pf_fail(err, PF_ERR_USAGE, "--archive writes the whole trace, --keep removes it; leave one of them out");
    }
    for (size_t i = 0; i < c->fail_if.count; i++) {
        pf_error why;
        const char *text = c->fail_if.word[i];
        if (!any_suits(&c->passes, text, &why)) {
            return pf_fail(err, why.code, "--fail-if '%.200s': %s", text, why.text);
        }
    }
    return PF_OK;
}

int64_t pf_hook_threshold_judge(const char *text, const pf_hook_passes *passes, const bool *running, pf_error *err)
{
    for (size_t i = 0; i < passes->count; i++) {
        if (running[i] && suits(text, passes->at[i].pass, err)) {
            return (int64_t)i;
        }
    }
    return suits(text, NULL, err) ? (int64_t)passes->count : -1;
}

/* Whether a file that nobody named may say what runs here: NULL, or why not. */
static const char *distrust(const struct stat *s)
{
    if (!S_ISREG(s->st_mode)) {
        return "is not a regular file";
    }
    if (s->st_uid != geteuid() && s->st_uid != 0) {
        return "belongs to somebody else";
    }
    return s->st_mode & (S_IWGRP | S_IWOTH) ? "can be written by others" : NULL;
}

/* Cuts the last part of an absolute path off; false at the root. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || strcmp(path, "/") == 0) {
        return false;
    }
    slash[slash == path] = '\0';
    return true;
}

char *pf_hook_config_find(const char *folder, pf_buffer *ignored)
{
    const char *named = getenv("POSTFETTO_CONFIG");
    if (named && *named) {
        return strdup(named);
    }
    char path[PATH_MAX + sizeof CONFIG_NAME + 1], here[PATH_MAX];
    if (!realpath(folder, here)) {
        return NULL;
    }
    do {
        struct stat s;
        snprintf(path, sizeof path, "%s/" CONFIG_NAME, here);
        if (stat(path, &s) == 0) {
            const char *why = distrust(&s);
            if (!why) {
                return strdup(path);
            }
            pf_buffer_format(ignored, "%s %s and is not used; name it with --config if it is meant", path, why);
            return NULL;
        }
    } while (go_up(here));
    return NULL;
}
