/* cli/hook/hook_files.c - the files under a folder, by a walk with fts, which needs no recursion and notices
 * loops; which of them are ranks of one capture, by their names, and whether those belong together. */
#include <fts.h>
#include <stdlib.h>

#include "base/files/folders.h"
#include "base/list.h"
#include "base/ordering.h"
#include "cli/common/command.h"
#include "cli/hook/hook_work.h"
#include "postfetto/author/pass.h"
#include "postfetto/author/reader.h"

static void add(pf_hook_files *f, const char *path, const struct stat *s)
{
    char *copy = PF_LIST_ROOM(NULL, f->at, f->count + 1, f->room, NULL) == PF_OK ? strdup(path) : NULL;
    if (!copy) {
        f->failed = true;
        return;
    }
    f->at[f->count++] =
        (pf_hook_file){.path = copy, .dev = s->st_dev, .ino = s->st_ino, .size = s->st_size, .changed = s->st_mtim};
}

PF_ORDER(by_path, pf_hook_file, strcmp(x->path, y->path));

void pf_hook_files_list(pf_hook_files *f, const char *folder, pf_hook_listing what)
{
    *f = (pf_hook_files){0};
    char *copy = strdup(folder);
    char *roots[2] = {copy, NULL};
    FTS *walk = copy ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    FTSENT *entry;
    f->failed = !walk;
    while (walk && (entry = fts_read(walk))) {
        bool below = what == PF_HOOK_FILES_IN && entry->fts_info == FTS_D;
        if (entry->fts_level > 0 && (entry->fts_name[0] == '.' || below)) {
            fts_set(walk, entry, FTS_SKIP);
        } else if (entry->fts_info == (what == PF_HOOK_FOLDERS ? FTS_D : FTS_F)) {
            bool dot = strncmp(entry->fts_path, "./", 2) == 0;
            add(f, entry->fts_path + (dot ? 2 : 0), entry->fts_statp);
        }
    }
    if (walk) {
        fts_close(walk);
    }
    free(copy);
    if (f->count) {
        qsort(f->at, f->count, sizeof *f->at, by_path);
    }
}

void pf_hook_files_free(pf_hook_files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->at[i].path);
    }
    free(f->at);
    *f = (pf_hook_files){0};
}

bool pf_hook_files_has(const pf_hook_files *before, const pf_hook_file *now)
{
    const pf_hook_file *old =
        before->count ? bsearch(now, before->at, before->count, sizeof *before->at, by_path) : NULL;
    return old && old->dev == now->dev && old->ino == now->ino && old->size == now->size &&
           old->changed.tv_sec == now->changed.tv_sec && old->changed.tv_nsec == now->changed.tv_nsec;
}

static bool is_recording(const char *folder)
{
    struct stat s;
    bool is = false;
    for (size_t i = 0; stat(folder, &s) == 0 && S_ISDIR(s.st_mode) && i < pf_reader_count() && !is; i++) {
        const pf_reader *r = pf_reader_at(i);
        is = r->is_recording && r->is_recording(folder);
    }
    return is;
}

bool pf_hook_recording_of(const char *path, const char *root, char out[PF_HOOK_PATH])
{
    size_t len = strlen(path), least = strcmp(root, ".") == 0 ? 1 : strlen(root);
    while (least > 1 && root[least - 1] == '/') {
        least--;
    }
    if (len >= PF_HOOK_PATH) {
        return false;
    }
    memcpy(out, path, len + 1);
    while (len >= least && len > 0) {
        while (len > 1 && out[len - 1] == '/') {
            out[--len] = '\0';
        }
        if (is_recording(out)) {
            return true;
        }
        while (len > 0 && out[len - 1] != '/') {
            len--;
        }
        len -= len > 1;
        out[len] = '\0';
    }
    return false;
}

bool pf_hook_is_output_name(const char *path)
{
    pf_str name = pf_str_of(path);
    return pf_str_ends(name, PF_STR(".report.json")) || pf_str_ends(name, PF_STR(".report.md")) ||
           pf_str_ends(name, PF_STR(".report.html")) || pf_str_ends(name, PF_STR(".enriched.pftrace")) ||
           pf_str_ends(name, PF_STR(PF_CLI_ARCHIVE_ENDING)) || strstr(path, ".reports/") != NULL ||
           strstr(pf_path_name(path), PF_HOOK_KEPT) != NULL;
}

/* ---- ranks --------------------------------------------------------------------------------------------------------
 */

#define MISSING_NAMED 8 /* ranks without a file, at most */

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
    return *digits && !pf_is_alnum(at[*digits]) ? at : NULL;
}

/* The number of the rank, and in `out` the name without numbers of ranks (and jobs). False: no rank is in the name. */
static bool split(const char *path, bool jobs, char out[PF_HOOK_PATH], uint64_t *rank)
{
    const char *name = pf_path_name(path);
    size_t put = (size_t)(name - path), len = strlen(path);
    bool any = false;
    if (len >= PF_HOOK_PATH) {
        return false;
    }
    memcpy(out, path, put);
    for (const char *at = name; *at;) {
        bool begins = at == name || !pf_is_alnum(at[-1]);
        size_t digits = 0;
        const char *number = begins ? number_after(at, "rank", &digits) : NULL;
        if (number) {
            *rank = strtoull(number, NULL, 10);
            any = true;
        } else {
            number = begins && jobs ? number_after(at, "job", &digits) : NULL;
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

bool pf_hook_capture_of(const char *path, bool jobs, char out[PF_HOOK_PATH])
{
    uint64_t rank;
    return split(path, jobs, out, &rank);
}

void pf_hook_ranks_list(const pf_hook_words *globs, const char *capture, pf_hook_words *files)
{
    const char *name = pf_path_name(capture);
    size_t len = (size_t)(name - capture);
    char *folder = len ? strndup(capture, len > 1 ? len - 1 : 1) : strdup(".");
    pf_hook_files all = {0};
    if (folder) {
        pf_hook_files_list(&all, folder, PF_HOOK_FILES_IN);
    }
    for (size_t i = 0; i < all.count; i++) {
        char own[PF_HOOK_PATH];
        const char *path = all.at[i].path;
        if (pf_hook_matches(globs, path) && !pf_hook_is_output_name(path) && pf_hook_capture_of(path, true, own) &&
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

bool pf_hook_takes_ranks(const pf_pass *pass, const pf_hook_words *files)
{
    char first[PF_HOOK_PATH], own[PF_HOOK_PATH];
    bool same = pf_hook_capture_of(files->word[0], false, first);
    for (size_t i = 1; i < files->count && same; i++) {
        same = pf_hook_capture_of(files->word[i], false, own) && strcmp(own, first) == 0;
    }
    return pass->joins_ranks && (pass->joins_jobs || same);
}

static bool joins(const pf_node *info, const pf_hook_words *files)
{
    bool any = false;
    for (size_t i = 0; i < pf_pass_count() && !any; i++) {
        any = pf_hook_fits(info, pf_pass_at(i)->name) && pf_hook_takes_ranks(pf_pass_at(i), files);
    }
    return any;
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
                 joins(pf_document_root(info), files) &&
                 !pf_hook_is_ours(files->word[i], pf_document_root(info), &(pf_hook_child_limits){0});
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
        most = split(files->word[i], true, name, &rank[i]) && rank[i] > most ? rank[i] : most;
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
