/* cli/hook/trace/hook_ranks.c - which files are ranks of one capture, by their names, and whether they belong together.
 */
#include "cli/hook/trace/hook_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/folders.h"
#include "base/str.h"
#include "cli/common/command.h"
#include "cli/hook/trace/hook_work.h"
#include "postfetto/author/pass.h"

#define MISSING_NAMED 8 /* ranks without a file, at most */

static bool is_word(char c)
{
    return pf_is_digit(c) || (pf_lower(c) >= 'a' && pf_lower(c) <= 'z');
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
    const char *name = pf_path_name(path);
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
    const char *name = pf_path_name(capture);
    size_t len = (size_t)(name - capture);
    char *folder = len ? strndup(capture, len > 1 ? len - 1 : 1) : strdup(".");
    pf_hook_files all = {0};
    if (folder) {
        pf_hook_files_in(&all, folder);
    }
    for (size_t i = 0; i < all.count; i++) {
        char own[PF_HOOK_PATH];
        const char *path = all.at[i].path;
        if (pf_hook_matches(globs, path) && !pf_hook_is_output_name(path) && pf_hook_capture_of(path, own) &&
            strcmp(pf_path_name(own), name) == 0) {
            pf_hook_words_add(files, path);
        }
    }
    files->failed |= all.failed || !folder;
    pf_hook_files_free(&all);
    free(folder);
}

bool pf_hook_fits(const pf_node *info, const char *name)
{
    const pf_node *list = pf_node_get(info, "passes"), *pass = list ? list->first : NULL;
    while (pass && !(pass->type == PF_NODE_TEXT && pf_str_is(pass->as.s, name))) {
        pass = pass->next;
    }
    return pass;
}

/* Whether a pass that takes ranks together fits; Perfetto traces that it fits are conversions, so no captures. */
static bool joins(const pf_node *info)
{
    bool any = false;
    for (size_t i = 0; i < pf_pass_count() && !any; i++) {
        any = pf_pass_at(i)->joins_ranks && pf_hook_fits(info, pf_pass_at(i)->name);
    }
    return any && !pf_hook_says(info, "format", "perfetto");
}

bool pf_hook_ranks_are_joined(const pf_hook_words *files)
{
    bool readable = false, joined = false;
    for (size_t i = 0; i < files->count && files->count > 1 && !readable; i++) {
        pf_hook_words words = {0};
        pf_hook_child child;
        pf_document *info = NULL;
        pf_hook_words_put(&words, "info", "--json", "--no-progress", "--", files->word[i]);
        pf_hook_child_run(&child, &words, &(pf_hook_child_limits){0});
        readable = child.code == PF_CLI_DONE;
        joined = readable && pf_json_parse((pf_str){child.out.data, child.out.len}, NULL, &info, NULL) == PF_OK &&
                 joins(pf_document_root(info));
        pf_document_free(info);
        pf_hook_child_free(&child);
    }
    return joined;
}

void pf_hook_ranks_missing(const pf_hook_words *files, pf_buffer *text)
{
    char name[PF_HOOK_PATH];
    uint64_t *rank = calloc(files->count + 1, sizeof *rank), most = 0, missing = 0;
    text->failed |= !rank;
    for (size_t i = 0; rank && i < files->count; i++) {
        most = split(files->word[i], name, &rank[i]) && rank[i] > most ? rank[i] : most;
    }
    for (uint64_t r = 0; rank && r < most && missing <= MISSING_NAMED; r++) {
        size_t at = 0;
        while (at < files->count && rank[at] != r) {
            at++;
        }
        if (at == files->count && ++missing <= MISSING_NAMED) {
            pf_buffer_format(text, "%s%llu", missing == 1 ? "no file of rank " : ", ", (unsigned long long)r);
        }
    }
    pf_buffer_text(text, missing > MISSING_NAMED ? " and others" : "");
    free(rank);
}
