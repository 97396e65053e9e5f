/* base/files/operands.c - from what the caller named to a list of inputs.
 *
 * A path is taken as it is if something of that name exists, whatever characters it has; only then may its components
 * be patterns. Folders stay what they are: a reader takes them as a whole or refuses them, unless the caller asks for
 * the traces in them.
 */
#include "base/files/operands.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/ordering.h"
#include "base/str.h"
#include "base/text/glob.h"

static pf_status add(pf_operands *o, const char *path, bool is_directory, pf_error *err)
{
    PF_TRY(PF_ARENA_ROOM(o->arena, o->list, o->count + 1, o->room, err));
    char *copy = pf_arena_copy(o->arena, path, strlen(path));
    PF_TRY(copy ? PF_OK : pf_budget_refused(o->arena->budget, strlen(path), err));
    o->list[o->count++] = (pf_entry){copy, is_directory};
    return PF_OK;
}

PF_ORDER(by_name, pf_entry, strcmp(x->name, y->name));

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
    pf_status st = path.failed ? pf_no_memory(err) : add(o, full ? path.data : name, is_folder(path.data), err);
    pf_buffer_free(&path);
    return st;
}

/* The entries of a folder that fit the pattern, with the folder before their names if `full`. */
static pf_status list_folder(pf_operands *o, const char *folder, const char *pattern, bool full, pf_error *err)
{
    DIR *d = opendir(*folder ? folder : ".");
    size_t first = o->count;
    pf_status st = PF_OK;
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

pf_status pf_folder_list(pf_operands *o, const char *path, pf_arena *arena, pf_error *err)
{
    *o = (pf_operands){.arena = arena};
    return list_folder(o, path, NULL, false, err);
}

pf_status pf_folder_paths(pf_operands *o, const char *path, pf_error *err)
{
    return list_folder(o, path, NULL, true, err);
}

static bool exists(const char *path)
{
    struct stat sb;
    return stat(path, &sb) == 0;
}

static pf_status expand_pattern(pf_operands *o, const char *path, const char *pattern, pf_error *err);

/* Each entry of `fit`, followed by the rest of the path, which may have patterns, too. */
static pf_status add_fitting(pf_operands *o, const pf_operands *fit, const char *rest, pf_error *err)
{
    for (size_t i = 0; i < fit->count; i++) {
        size_t len = strlen(fit->list[i].name), size = len + strlen(rest) + 1;
        char *joined = pf_arena_alloc(o->arena, size);
        PF_TRY(joined ? PF_OK : pf_budget_refused(o->arena->budget, size, err));
        memcpy(joined, fit->list[i].name, len);
        memcpy(joined + len, rest, size - len);
        const char *next = strpbrk(joined + len, "*?[");
        if (exists(joined)) {
            PF_TRY(add(o, joined, is_folder(joined), err));
        } else if (next) {
            PF_TRY(expand_pattern(o, joined, next, err));
        }
    }
    return PF_OK;
}

/* What fits a path whose first pattern is at `pattern`: the entries of the folder above it, each with what follows. */
static pf_status expand_pattern(pf_operands *o, const char *path, const char *pattern, pf_error *err)
{
    pf_operands fit = {.arena = o->arena};
    const char *slash = memrchr(path, '/', (size_t)(pattern - path)), *start = slash ? slash + 1 : path;
    const char *rest = start + strcspn(start, "/");
    char *folder = pf_arena_copy(o->arena, path, (size_t)(start - path));
    char *part = folder ? pf_arena_copy(o->arena, start, (size_t)(rest - start)) : NULL;
    PF_TRY(part ? PF_OK : pf_budget_refused(o->arena->budget, strlen(path), err));
    pf_status st = list_folder(&fit, folder, part, true, err);
    return st == PF_OK ? add_fitting(o, &fit, rest, err) : st;
}

static pf_status expand(pf_operands *o, const char *path, pf_error *err)
{
    const char *pattern = strpbrk(path, "*?[");
    if (strcmp(path, "-") == 0 || !pattern || exists(path)) {
        return add(o, path, strcmp(path, "-") != 0 && is_folder(path), err);
    }
    size_t first = o->count;
    PF_TRY(expand_pattern(o, path, pattern, err));
    if (o->count == first) {
        pf_fail(err, PF_ERR_INPUT, "is a pattern that fits no file; check it and the folder");
        pf_error_in(err, path);
        return PF_ERR_INPUT;
    }
    return PF_OK;
}

/* "x.json", "x.pftrace.gz": what traces are called. */
static bool names_trace(pf_str name)
{
    static const pf_str packed[] = {PF_STR(".gz"), PF_STR(".zst")},
                        endings[] = {PF_STR(".json"), PF_STR(".pftrace"), PF_STR(".perfetto-trace")};
    bool found = false;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        name.len -= pf_str_ends(name, packed[i]) ? packed[i].len : 0;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        found = found || pf_str_ends(name, endings[i]);
    }
    return found;
}

pf_status pf_operands_open_folders(pf_operands *o, pf_error *err)
{
    const pf_operands given = *o;
    *o = (pf_operands){.arena = given.arena};
    for (size_t i = 0; i < given.count; i++) {
        pf_operands inside = {.arena = given.arena};
        if (!given.list[i].is_directory) {
            PF_TRY(add(o, given.list[i].name, false, err));
            continue;
        }
        size_t first = o->count;
        PF_TRY(list_folder(&inside, given.list[i].name, NULL, true, err));
        for (size_t k = 0; k < inside.count; k++) {
            if (!inside.list[k].is_directory && names_trace(pf_str_of(inside.list[k].name))) {
                PF_TRY(add(o, inside.list[k].name, false, err));
            }
        }
        if (o->count == first) {
            pf_fail(err, PF_ERR_INPUT,
                    "is a folder without traces: no name in it ends in .json, .pftrace or "
                    ".perfetto-trace, with .gz or .zst or without");
            pf_error_in(err, given.list[i].name);
            return PF_ERR_INPUT;
        }
    }
    return PF_OK;
}

pf_status pf_operands_expand(pf_operands *o, const char *const *paths, size_t count, pf_arena *arena, pf_error *err)
{
    *o = (pf_operands){.arena = arena};
    for (size_t i = 0; i < count; i++) {
        PF_TRY(expand(o, paths[i], err));
    }
    return PF_OK;
}
