/* read/reading/operands.c - from what the caller named to a list of inputs.
 *
 * A path is taken as it is if something of that name exists, whatever characters it has; only then may its last
 * component be a pattern. Folders stay what they are: a reader takes them as a whole or refuses them.
 */
#include "read/reading/operands.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/text/glob.h"

static pf_status refused(pf_arena *arena, size_t bytes, pf_error *err)
{
    return pf_budget_refused(arena->budget, bytes, err);
}

static pf_status add(pf_operands *o, const char *path, bool is_directory, pf_error *err)
{
    if (o->count == o->room) {
        size_t room = o->room ? o->room * 2 : 16, bytes = room * sizeof *o->list;
        pf_operand *list = pf_arena_alloc(o->arena, bytes);
        if (!list) {
            return refused(o->arena, bytes, err);
        }
        if (o->count) {
            memcpy(list, o->list, o->count * sizeof *list);
        }
        o->list = list;
        o->room = room;
    }
    char *copy = pf_arena_copy(o->arena, path, strlen(path));
    if (!copy) {
        return refused(o->arena, strlen(path), err);
    }
    o->list[o->count++] = (pf_operand){copy, is_directory};
    return PF_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const pf_operand *)a)->path, ((const pf_operand *)b)->path);
}

static bool is_folder(const char *path)
{
    struct stat sb;
    return stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
}

/* Entry `name` of a folder. */
static pf_status add_entry(pf_operands *o, const char *folder, const char *name, bool full, pf_error *err)
{
    pf_buffer path = {0};
    size_t len = strlen(folder);
    pf_buffer_format(&path, "%s%s%s", folder, len && folder[len - 1] != '/' ? "/" : "", name);
    pf_buffer_put(&path, "", 1);
    pf_status st = path.failed ? pf_fail(err, PF_ERR_MEMORY, "the system refused memory for a list of files")
                               : add(o, full ? path.data : name, is_folder(path.data), err);
    pf_buffer_free(&path);
    return st;
}

/* The entries of a folder that fit the pattern, with the folder before their names if `full`; *opened: it is one. */
static pf_status list_folder(pf_operands *o, const char *folder, const char *pattern, bool full, bool *opened,
                             pf_error *err)
{
    DIR *d = opendir(*folder ? folder : ".");
    size_t first = o->count;
    pf_status st = PF_OK;
    *opened = d != NULL;
    for (struct dirent *e; d && st == PF_OK && (e = readdir(d));) {
        if (e->d_name[0] != '.' && (!pattern || pf_glob_fits(pattern, e->d_name))) {
            st = add_entry(o, folder, e->d_name, full, err);
        }
    }
    if (d) {
        closedir(d);
    }
    if (o->count > first) {
        qsort(o->list + first, o->count - first, sizeof *o->list, by_name);
    }
    return st;
}

pf_status pf_folder_list(const char *path, pf_arena *arena, pf_operand **list, size_t *count, pf_error *err)
{
    pf_operands o = {.arena = arena};
    bool opened;
    pf_status st = list_folder(&o, path, NULL, false, &opened, err);
    *list = o.list;
    *count = o.count;
    return st;
}

static pf_status expand(pf_operands *o, const char *path, pf_error *err)
{
    struct stat sb;
    const char *slash = strrchr(path, '/'), *pattern = slash ? slash + 1 : path;
    if (strcmp(path, "-") == 0 || stat(path, &sb) == 0 || !strpbrk(pattern, "*?[")) {
        return add(o, path, strcmp(path, "-") != 0 && is_folder(path), err);
    }
    char *folder = pf_arena_copy(o->arena, path, (size_t)(pattern - path));
    size_t first = o->count;
    bool opened;
    pf_status st = folder ? list_folder(o, folder, pattern, true, &opened, err) : refused(o->arena, strlen(path), err);
    if (st == PF_OK && o->count == first) {
        size_t len = strlen(path);
        st = pf_fail(err, PF_ERR_INPUT, "is a pattern that fits no file; check it and the folder");
        len = len < sizeof err->file ? len : sizeof err->file - 1;
        memcpy(err->file, path, len);
        err->file[len] = 0;
    }
    return st;
}

pf_status pf_operands_expand(pf_operands *o, const char *const *paths, size_t count, pf_arena *arena, pf_error *err)
{
    pf_status st = PF_OK;
    *o = (pf_operands){.arena = arena};
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        st = expand(o, paths[i], err);
    }
    return st;
}
