/* cli/hook/hook_ranks.c - which files are ranks of one capture, by their names, and whether they belong together. */
#include "cli/hook/hook_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/hook/hook_report.h"
#include "cli/run/run.h"
#include "postfetto/pass.h"

#define MISSING_NAMED 8 /* ranks without a file, at most */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The digits after a word that begins here, one - or _ between them; NULL: another text. */
static const char *number_after(const char *at, const char *word, size_t *digits)
{
    size_t len = strlen(word);
    if (strncmp(at, word, len) != 0) {
        return NULL;
    }
    at += len;
    at += *at == '-' || *at == '_';
    *digits = strspn(at, "0123456789");
    return *digits && !is_word(at[*digits]) ? at : NULL;
}

/* The number of the rank, and in `out` the name without numbers. False: no rank is in the name. */
static bool split(const char *path, char out[PF_HOOK_PATH], uint64_t *rank)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t put = (size_t)(name - path), len = strlen(path);
    bool any = false;
    if (len >= PF_HOOK_PATH) {
        return false;
    }
    memcpy(out, path, put);
    for (const char *at = name; *at;) {
        bool begins = at == name || !is_word(at[-1]);
        size_t digits = 0;
        const char *number = begins ? number_after(at, "rank", &digits) : NULL;
        if (number) {
            *rank = strtoull(number, NULL, 10);
            any = true;
        } else {
            number = begins ? number_after(at, "job", &digits) : NULL;
        }
        size_t kept = number ? (size_t)(number - at) : 1;
        memcpy(out + put, at, kept);
        put += kept;
        at += kept + digits;
        if (number) {
            out[put++] = 'N';
        }
    }
    out[put] = '\0';
    return any;
}

bool pf_hook_capture_of(const char *path, char out[PF_HOOK_PATH])
{
    uint64_t rank;
    return split(path, out, &rank);
}

void pf_hook_ranks_list(const pf_hook_words *globs, const char *capture, pf_hook_words *files)
{
    const char *slash = strrchr(capture, '/');
    size_t len = slash == capture ? 1 : slash ? (size_t)(slash - capture) : 0;
    char *folder = slash ? strndup(capture, len) : strdup(".");
    pf_hook_files all = {0};
    if (folder) {
        pf_hook_files_in(&all, folder);
    }
    for (size_t i = 0; i < all.count; i++) {
        char own[PF_HOOK_PATH];
        const char *end, *path = all.at[i].path;
        if (pf_hook_matches(globs, path) && !pf_hook_is_output_name(path) && pf_hook_capture_of(path, own)) {
            end = strrchr(own, '/');
            if (strcmp(end ? end + 1 : own, slash ? slash + 1 : capture) == 0) {
                pf_hook_words_add(files, path);
            }
        }
    }
    files->failed |= all.failed || !folder;
    pf_hook_files_free(&all);
    free(folder);
}

bool pf_hook_fits(const char *info, const char *name)
{
    pf_str list = pf_hook_member(info, 2, "passes");
    const char *end = list.ptr ? strchr(list.ptr, ']') : NULL;
    size_t len = strlen(name);
    for (const char *p = list.ptr; end && p < end; p++) {
        if (*p == '"' && strncmp(p + 1, name, len) == 0 && p[len + 1] == '"') {
            return true;
        }
    }
    return false;
}

/* Whether a pass that takes ranks together fits; Perfetto traces that it fits are conversions, so no captures. */
static bool joins(const char *info)
{
    pf_str format = pf_hook_member(info, 2, "format");
    for (size_t i = 0; i < pf_pass_count() && strncmp(format.ptr ? format.ptr : "", "\"perfetto\"", 10) != 0; i++) {
        if (pf_pass_at(i)->joins_ranks && pf_hook_fits(info, pf_pass_at(i)->name)) {
            return true;
        }
    }
    return false;
}

bool pf_hook_ranks_are_joined(const pf_hook_words *files)
{
    bool readable = false, joined = false;
    for (size_t i = 0; i < files->count && files->count > 1 && !readable; i++) {
        static const char *const probe[] = {"info", "--json", "--no-progress", "--"};
        pf_hook_words words = {0};
        pf_hook_child child;
        for (size_t k = 0; k < sizeof probe / sizeof *probe; k++) {
            pf_hook_words_add(&words, probe[k]);
        }
        pf_hook_words_add(&words, files->word[i]);
        pf_hook_child_run(&child, &words, &(pf_hook_child_limits){0});
        readable = child.code == PF_CLI_DONE;
        pf_buffer_put(&child.out, "", 1);
        joined = readable && !child.out.failed && joins(child.out.data);
        pf_hook_child_free(&child);
        pf_hook_words_free(&words);
    }
    return joined;
}

char *pf_hook_ranks_missing(const pf_hook_words *files)
{
    char name[PF_HOOK_PATH];
    uint64_t *rank = calloc(files->count + 1, sizeof *rank), most = 0, missing = 0;
    pf_buffer b = {0};
    for (size_t i = 0; rank && i < files->count; i++) {
        most = split(files->word[i], name, &rank[i]) && rank[i] > most ? rank[i] : most;
    }
    for (uint64_t r = 0; rank && r < most && missing <= MISSING_NAMED; r++) {
        size_t at = 0;
        while (at < files->count && rank[at] != r) {
            at++;
        }
        if (at == files->count && ++missing <= MISSING_NAMED) {
            pf_buffer_format(&b, "%s%llu", missing == 1 ? "no file of rank " : ", ", (unsigned long long)r);
        }
    }
    pf_buffer_text(&b, missing > MISSING_NAMED ? " and others" : "");
    pf_buffer_put(&b, "", 1);
    free(rank);
    if (missing == 0 || b.failed) {
        pf_buffer_free(&b);
        return NULL;
    }
    return b.data;
}
