/* cli/hook/trace/hook_files.c - a walk with fts, which needs no recursion and notices loops. */
#include "cli/hook/trace/hook_trace.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/str.h"
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

static int by_path(const void *a, const void *b)
{
    return strcmp(((const pf_hook_file *)a)->path, ((const pf_hook_file *)b)->path);
}

static void list(pf_hook_files *f, const char *folder, int kind, bool deep)
{
    *f = (pf_hook_files){0};
    char *copy = strdup(folder);
    char *roots[2] = {copy, NULL};
    FTS *walk = copy ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    FTSENT *entry;
    f->failed = !walk;
    while (walk && (entry = fts_read(walk))) {
        bool below = !deep && entry->fts_info == FTS_D;
        if (entry->fts_level > 0 && (entry->fts_name[0] == '.' || below)) {
            fts_set(walk, entry, FTS_SKIP);
        } else if (entry->fts_info == kind) {
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

void pf_hook_files_list(pf_hook_files *f, const char *folder)
{
    list(f, folder, FTS_F, true);
}

void pf_hook_files_in(pf_hook_files *f, const char *folder)
{
    list(f, folder, FTS_F, false);
}

void pf_hook_folders_list(pf_hook_files *f, const char *folder)
{
    list(f, folder, FTS_D, true);
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
           pf_str_ends(name, PF_STR(".enriched.pftrace")) || strstr(path, ".reports/") != NULL;
}
