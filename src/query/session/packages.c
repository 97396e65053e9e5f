/* query/session/packages.c - modules of SQL in folders of the user, and INCLUDE PERFETTO MODULE.
 *
 * A package is a folder: DIR/a/b.sql is the module NAME.a.b. The folders are gone through when the package is added,
 * the files are read when a module is included, each once in a session. Modules include others; one that
 * is being included already closes a circle. A module that failed has made a part of its tables: it fails again with
 * the same words, however often it is asked for.
 *
 * The prelude and slices.with_context are views of every session; what is in no package is warned of, since its
 * statements may not be needed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/files/operands.h"
#include "base/list.h"
#include "base/ordering.h"
#include "query/session/session.h"

enum { MODULES_MAX = 65536, INCLUDES_MAX = 64 /* inside of each other */ };

typedef enum module_state { UNUSED, UNDER_WAY, DONE, FAILED } module_state;

typedef struct module {
    const char *name, *path;
    module_state state;
    const char *failure; /* FAILED: its words */
} module;

struct pf_sql_packages {
    const char **name; /* of packages */
    uint32_t name_count;
    size_t name_room;
    module *module; /* in the order of their names, by bytes */
    uint32_t count;
    size_t room;
    unsigned depth; /* of includes */
    pf_sql_runner *run;
};

static pf_status make_text(pf_query *q, const char **out, pf_error *err, const char *before, const char *sign,
                           const char *after)
{
    pf_buffer b = {0};
    pf_buffer_format(&b, "%s%s%s", before, sign, after);
    const char *copy = b.failed ? NULL : pf_arena_copy(&q->data.arena, b.data, b.len);
    pf_buffer_free(&b);
    *out = copy;
    return copy ? PF_OK : pf_no_memory(err);
}

static pf_status add_module(pf_query *q, const char *prefix, const char *file, const char *path, pf_error *err)
{
    struct pf_sql_packages *p = q->packages;
    size_t len = strlen(file) - strlen(".sql");
    char *stem = pf_arena_copy(&q->data.arena, file, len);
    if (!stem) {
        return pf_no_memory(err);
    }
    if (memchr(file, '.', len)) {
        if (q->warn) {
            char text[512];
            snprintf(text, sizeof text, "%.400s is left out: a module has no '.' in its name", path);
            q->warn(q->warn_ctx, text);
        }
        return PF_OK;
    }
    if (p->count == MODULES_MAX) {
        return pf_fail(err, PF_ERR_LIMIT, "more than %d modules of SQL", MODULES_MAX);
    }
    PF_TRY(PF_LIST_ROOM(q->data.budget, p->module, p->count + 1, p->room, err));
    module *m = &p->module[p->count];
    *m = (module){.path = path};
    PF_TRY(make_text(q, &m->name, err, prefix, ".", stem));
    p->count++;
    return PF_OK;
}

typedef struct folder {
    const char *path, *prefix; /* of the names of modules in it */
} folder;

static pf_status add_entry(pf_query *q, const folder *in, const pf_entry *e, pf_operands *below, pf_error *err)
{
    const char *path, *prefix;
    size_t len = strlen(e->name);
    PF_TRY(make_text(q, &path, err, in->path, "/", e->name));
    if (!e->is_directory) {
        return len > 4 && strcmp(e->name + len - 4, ".sql") == 0 ? add_module(q, in->prefix, e->name, path, err)
                                                                 : PF_OK;
    }
    PF_TRY(make_text(q, &prefix, err, in->prefix, ".", e->name));
    PF_TRY(PF_ARENA_ROOM(&q->data.arena, below->list, below->count + 2, below->room, err));
    below->list[below->count++] = (pf_entry){path, true};
    below->list[below->count++] = (pf_entry){prefix, true};
    return PF_OK;
}

/* All modules below a folder. Folders wait in a list: path, prefix, path, prefix. */
static pf_status add_folder(pf_query *q, folder first, pf_error *err)
{
    pf_operands waiting = {.arena = &q->data.arena};
    for (folder in = first;; in = (folder){waiting.list[waiting.count].name, waiting.list[waiting.count + 1].name}) {
        pf_operands entries;
        PF_TRY(pf_folder_list(&entries, in.path, &q->data.arena, err));
        for (size_t i = 0; i < entries.count; i++) {
            PF_TRY(add_entry(q, &in, &entries.list[i], &waiting, err));
        }
        if (waiting.count == 0) {
            return PF_OK;
        }
        if (waiting.count > 2 * MODULES_MAX) {
            return pf_fail(err, PF_ERR_LIMIT, "more than %d folders of modules", MODULES_MAX);
        }
        waiting.count -= 2;
    }
}

/* Whether `inner` is `outer` or begins with it and a dot. */
static bool is_below(const char *inner, const char *outer)
{
    size_t len = strlen(outer);
    return strncmp(inner, outer, len) == 0 && (inner[len] == '\0' || inner[len] == '.');
}

PF_ORDER(by_name, module, strcmp(x->name, y->name));

static pf_status add_package(pf_query *q, const char *dir, const char *name, pf_error *err)
{
    struct pf_sql_packages *p = q->packages;
    const char *copy;
    for (uint32_t i = 0; i < p->name_count; i++) {
        if (is_below(name, p->name[i]) || is_below(p->name[i], name)) {
            return pf_fail(err, PF_ERR_USAGE, "there is a package %.100s already; give this one another name: DIR@NAME",
                           p->name[i]);
        }
    }
    PF_TRY(make_text(q, &copy, err, name, "", ""));
    PF_TRY(PF_LIST_ROOM(q->data.budget, p->name, p->name_count + 1, p->name_room, err));
    p->name[p->name_count++] = copy;
    PF_TRY(add_folder(q, (folder){dir, copy}, err));
    if (p->count) {
        qsort(p->module, p->count, sizeof *p->module, by_name);
    }
    return PF_OK;
}

/* The folder may be named by dots. */
static pf_status add_named(pf_query *q, const char *dir, const char *name, pf_error *err)
{
    char *whole = realpath(dir, NULL);
    if (!whole) {
        return pf_fail(err, PF_ERR_INPUT, "the folder cannot be read; it should have files NAME.sql");
    }
    const char *last = strrchr(whole, '/');
    name = name && *name ? name : last ? last + 1 : whole;
    pf_status st =
        *name ? add_package(q, whole, name, err) : pf_fail(err, PF_ERR_USAGE, "this folder has no name; say DIR@NAME");
    free(whole);
    return st;
}

/* Folders of the library are packages. */
static pf_status add_library(pf_query *q, const char *dir, pf_error *err)
{
    pf_operands entries;
    uint32_t before = q->packages->count;
    PF_TRY(pf_folder_list(&entries, dir, &q->data.arena, err));
    for (size_t i = 0; i < entries.count; i++) {
        const char *path;
        PF_TRY(make_text(q, &path, err, dir, "/", entries.list[i].name));
        PF_TRY(entries.list[i].is_directory ? add_package(q, path, entries.list[i].name, err) : PF_OK);
    }
    return q->packages->count > before
               ? PF_OK
               : pf_fail(err, PF_ERR_INPUT, "no module of SQL below it; it should have folders with files NAME.sql");
}

/* For the first package, with the tables that its modules may name. */
static pf_status make_packages(pf_query *q, pf_error *err)
{
    pf_buffer sql = {0};
    pf_sql_put_empties(&sql, "CREATE TEMP VIEW", pf_sql_module_empties, pf_sql_module_empty_count);
    pf_buffer_text(&sql,
                   "CREATE TEMP VIEW logs AS SELECT id, ts, utid, prio, 'android_logcat' AS log_source, tag, msg, "
                   "NULL AS arg_set_id FROM android_logs;");
    pf_buffer_put(&sql, "", 1);
    bool made = !sql.failed && sqlite3_exec(q->db, sql.data, NULL, NULL, NULL) == SQLITE_OK;
    pf_buffer_free(&sql);
    return made ? PF_ARENA_NEW(&q->data.arena, q->packages, 1, err) : pf_no_memory(err);
}

pf_status pf_query_add_package(pf_query *q, const char *dir, const char *name, pf_error *err)
{
    pf_status st = q->packages ? PF_OK : make_packages(q, err);
    st = st == PF_OK ? add_named(q, dir, name, err) : st;
    if (st != PF_OK) {
        pf_error_in(err, dir);
    }
    return st;
}

pf_status pf_query_add_library(pf_query *q, const char *dir, pf_error *err)
{
    pf_status st = q->packages ? PF_OK : make_packages(q, err);
    st = st == PF_OK ? add_library(q, dir, err) : st;
    if (st != PF_OK) {
        pf_error_in(err, dir);
    }
    return st;
}

void pf_sql_packages_free(pf_query *q)
{
    if (q->packages) {
        PF_LIST_FREE(q->data.budget, q->packages->module, q->packages->room);
        PF_LIST_FREE(q->data.budget, q->packages->name, q->packages->name_room);
    }
}

static pf_status refuse_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    return pf_fail(ctx, PF_ERR_USAGE, "INCLUDE: Included module returning values.");
}

static pf_status run_file(pf_query *q, const module *m, pf_error *err)
{
    pf_file f;
    PF_TRY(pf_file_open(&f, m->path, false, q->data.budget, err));
    const pf_query_sink sink = {err, NULL, refuse_row};
    pf_status st = q->packages->run(q, (pf_str){(const char *)f.data, f.size}, &sink, err);
    pf_file_close(&f);
    return st;
}

/* Runs it unless it has run. Its failure is one line: what is wrong at which byte of the file. */
static pf_status include(pf_query *q, uint32_t number, uint64_t at, pf_error *err)
{
    struct pf_sql_packages *p = q->packages;
    module *m = &p->module[number];
    if (m->state == DONE) {
        return PF_OK;
    }
    if (m->state == FAILED) {
        return pf_fail_at(err, PF_ERR_USAGE, at, "%s", m->failure);
    }
    if (m->state == UNDER_WAY || p->depth == INCLUDES_MAX) {
        return pf_fail_at(err, PF_ERR_USAGE, at, "INCLUDE: module '%.100s' %s", m->name,
                          m->state == UNDER_WAY ? "includes itself" : "is included too deep in others");
    }
    pf_error own = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    m->state = UNDER_WAY;
    p->depth++;
    pf_status st = run_file(q, m, &own);
    p->depth--;
    m->state = st == PF_OK ? DONE : FAILED;
    if (st == PF_OK) {
        return PF_OK;
    }
    char text[sizeof own.text], place[32] = "";
    if (own.offset != PF_NOWHERE) {
        snprintf(place, sizeof place, ", byte %llu", (unsigned long long)own.offset);
    }
    snprintf(text, sizeof text, "module %.100s%s: %.350s", m->name, place, own.text);
    if (make_text(q, &m->failure, err, text, "", "") != PF_OK) {
        m->state = UNDER_WAY; /* it has no words: a circle is the next best failure */
    }
    return pf_fail_at(err, st, at, "%s", text);
}

static uint32_t first_not_below(const struct pf_sql_packages *p, pf_str name)
{
    uint32_t low = 0;
    PF_BISECT(low, p->count, pf_str_compare(pf_str_of(p->module[middle].name), name) < 0);
    return low;
}

/* Tables by functions that modules call. */
static const pf_str FUNCTIONS = PF_STR(
    "CREATE PERFETTO FUNCTION __intrinsic_dfs_weight_bounded(source BYTES, dest BYTES, weight BYTES, root BYTES, "
    "target BYTES, is_floor LONG) RETURNS TABLE(root_node_id LONG, node_id LONG, parent_node_id LONG) AS "
    "SELECT c0 AS root_node_id, c1 AS node_id, c2 AS parent_node_id FROM __intrinsic_table_ptr("
    "__intrinsic_weight_bounded($source, $dest, $weight, $root, $target, $is_floor)) "
    "WHERE __intrinsic_table_ptr_bind(c0, 'root_node_id') AND __intrinsic_table_ptr_bind(c1, 'node_id') "
    "AND __intrinsic_table_ptr_bind(c2, 'parent_node_id')");

static bool is_built_in(pf_str name)
{
    return pf_str_is(name, "slices.with_context") || pf_str_is(name, "prelude") ||
           pf_str_starts(name, PF_STR("prelude."));
}

/* Those that begin with a name and a dot, of which there may be none. */
static pf_status include_all(pf_query *q, pf_str prefix, uint64_t at, pf_error *err)
{
    uint32_t first = first_not_below(q->packages, prefix), end = first;
    while (end < q->packages->count && pf_str_starts(pf_str_of(q->packages->module[end].name), prefix)) {
        end++;
    }
    for (uint32_t i = first; i < end; i++) {
        PF_TRY(is_built_in(pf_str_of(q->packages->module[i].name)) ? PF_OK : include(q, i, at, err));
    }
    return PF_OK;
}

/* Whether the name is one of a package, which then should have it. */
static bool is_in_package(const struct pf_sql_packages *p, pf_str name)
{
    for (uint32_t i = 0; p && i < p->name_count; i++) {
        size_t len = strlen(p->name[i]);
        if (name.len > len && name.ptr[len] == '.' && memcmp(name.ptr, p->name[i], len) == 0) {
            return true;
        }
    }
    return false;
}

pf_status pf_sql_include(pf_query *q, pf_str name, uint64_t at, pf_sql_runner *run, pf_error *err)
{
    struct pf_sql_packages *p = q->packages;
    bool all = name.len && name.ptr[name.len - 1] == '*';
    if (p && !p->run) {
        p->run = run;
        PF_TRY(run(q, FUNCTIONS, NULL, err));
    }
    uint32_t found = p && !all ? first_not_below(p, name) : 0;
    if (p && !all && found < p->count && pf_str_is(name, p->module[found].name)) {
        return is_built_in(name) ? PF_OK : include(q, found, at, err);
    }
    if (p && all && (name.len == 1 || is_in_package(p, name))) {
        return include_all(q, (pf_str){name.ptr, name.len - 1}, at, err);
    }
    if (is_in_package(p, name)) {
        return pf_fail_at(err, PF_ERR_USAGE, at, "INCLUDE: unknown module '%.*s'",
                          (int)(name.len < 100 ? name.len : 100), name.ptr);
    }
    if (q->warn && !is_built_in(name)) {
        char text[320];
        snprintf(text, sizeof text,
                 "the module %.*s is not built in; tables, views, functions and macros that it would make are missing, "
                 "unless --override-stdlib or --add-sql-package says where it is",
                 (int)(name.len < 100 ? name.len : 100), name.ptr);
        q->warn(q->warn_ctx, text);
    }
    return PF_OK;
}
