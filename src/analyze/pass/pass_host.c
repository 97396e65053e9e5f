/* analyze/pass/pass_host.c - what a pass takes as input, read role by role.
 *
 * The files of a role are one trace, a trace each, or documents. What is read belongs to a table by role and file; the
 * main trace, the first one of the first role, belongs to the caller, because the findings are drawn into it. A role
 * whose files are read on request is left alone until the pass opens them.
 */
#include "analyze/pass/pass_host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/operands.h"
#include "postfetto/document.h"

/* The files of a role, where patterns stand for what they fit. */
static pf_status expand(pf_pass_host *h, size_t r, pf_error *err)
{
    size_t count = pf_pass_inputs_count(h->paths, r);
    pf_operands names = {.arena = &h->arena};
    const char **paths;
    pf_pass_file *files;
    PF_TRY(PF_ARENA_NEW(&h->arena, paths, count + 1, err));
    for (size_t i = 0; i < count; i++) {
        paths[i] = pf_pass_inputs_path(h->paths, r, i);
    }
    bool literal = h->pass->roles[r].literal;
    PF_TRY(literal ? PF_OK : pf_operands_expand(&names, paths, count, &h->arena, err));
    PF_TRY(h->pass->roles[r].folders ? pf_operands_open_folders(&names, err) : PF_OK);
    count = literal ? count : names.count;
    PF_TRY(PF_ARENA_NEW(&h->arena, files, count + 1, err));
    for (size_t i = 0; i < count; i++) {
        files[i].path = literal ? paths[i] : names.list[i].name;
    }
    h->files[r] = (pf_pass_files){files, count};
    return PF_OK;
}

pf_status pf_pass_host_find(pf_pass_host *h, const pf_option_value *values, const char *const *operands, size_t count,
                            pf_error *err)
{
    pf_budget_init(&h->budget, h->limits);
    pf_arena_init(&h->arena, &h->budget);
    PF_TRY(pf_pass_gather(h->pass, values, operands, count, &h->paths, err));
    PF_TRY(PF_ARENA_NEW(&h->arena, h->files, h->pass->role_count, err));
    for (size_t r = 0; r < h->pass->role_count; r++) {
        PF_TRY(expand(h, r, err));
    }
    return PF_OK;
}

const char *pf_pass_host_main(const pf_pass_host *h)
{
    return h->files[0].count ? h->files[0].files[0].path : "";
}

static pf_pass_file *file_at(const pf_pass_host *h, size_t role, size_t i)
{
    return (pf_pass_file *)&h->files[role].files[i];
}

static bool is_trace(const pf_role *role)
{
    return role->kind == PF_ROLE_TRACE || role->kind == PF_ROLE_TRACES;
}

static bool is_one_of(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* A pass for traces of one kind would find nothing in others, and its empty reports would look like a result. */
static pf_status check_dialect(const pf_pass *pass, const pf_role *role, const char *is, pf_error *err)
{
    const char *const *d = role->dialects;
    if (!d || is_one_of(d, is)) {
        return PF_OK;
    }
    char names[200];
    size_t len = 0;
    for (size_t i = 0; d[i] && len < sizeof names; i++) {
        int n = snprintf(names + len, sizeof names - len, "%s%s", i == 0 ? "" : d[i + 1] ? ", " : " or ", d[i]);
        len += n > 0 ? (size_t)n : 0;
    }
    return pf_fail(err, PF_ERR_INPUT,
                   "is a trace of dialect %s, but %s reads dialect %s; --dialect %s takes it for one", is, pass->name,
                   names, d[0]);
}

static pf_status read_document(pf_pass_host *h, pf_pass_file *file, pf_error *err)
{
    char *bytes = NULL;
    size_t len = 0;
    pf_status st = pf_read_bytes(file->path, h->limits, &bytes, &len, err);
    pf_error_in(st == PF_OK ? NULL : err, file->path);
    file->bytes = (pf_str){bytes, len};
    return st;
}

/* Reads file i of a role, or all of them where they are one trace. */
static pf_status read_traces(pf_pass_host *h, size_t r, size_t i, uint32_t more, pf_error *err)
{
    const pf_role *role = &h->pass->roles[r];
    pf_pass_file *file = file_at(h, r, i);
    bool main_trace = r == 0 && i == 0;
    size_t count = role->kind == PF_ROLE_TRACE ? h->files[r].count : 1;
    const char **paths;
    PF_TRY(PF_ARENA_NEW(&h->arena, paths, count, err));
    for (size_t k = 0; k < count; k++) {
        paths[k] = file[k].path;
    }
    pf_trace *t = main_trace ? *h->trace : NULL;
    bool there = t != NULL;
    more |= main_trace ? h->more_want : 0;
    PF_TRY(there ? PF_OK : h->read(h->ctx, paths, count, role->want | more, role, &t, err));
    pf_status st = check_dialect(h->pass, role, pf_trace_dialect(t), err);
    if (st != PF_OK) {
        pf_trace_free(there ? NULL : t);
        return st;
    }
    *h->trace = main_trace ? t : *h->trace;
    for (size_t k = 0; k < count; k++) {
        file[k].trace = t;
    }
    return PF_OK;
}

static pf_status read_files(pf_pass_host *h, size_t r, size_t i, uint32_t more, pf_error *err)
{
    const pf_role *role = &h->pass->roles[r];
    pf_pass_file *file = file_at(h, r, i);
    bool may = role->may_be_missing && strcmp(file->path, "-") != 0;
    file->missing = may && faccessat(AT_FDCWD, file->path, R_OK, AT_EACCESS) < 0 ? errno : 0;
    if (file->missing) {
        return PF_OK;
    }
    pf_status st = is_trace(role) ? read_traces(h, r, i, more, err) : read_document(h, file, err);
    pf_error_in(st == PF_OK ? NULL : err, file->path);
    return st;
}

pf_status pf_pass_host_read(pf_pass_host *h, pf_error *err)
{
    const pf_pass *p = h->pass;
    for (size_t r = 0; r < p->role_count; r++) {
        size_t count = p->roles[r].kind == PF_ROLE_TRACE && h->files[r].count ? 1 : h->files[r].count;
        for (size_t i = 0; i < count && !p->roles[r].on_request; i++) {
            PF_TRY(read_files(h, r, i, 0, err));
        }
    }
    return PF_OK;
}

pf_status pf_pass_host_open(pf_pass_host *h, size_t role, size_t i, uint32_t more, pf_pass_file *out, pf_error *err)
{
    const pf_pass_file *file = &h->files[role].files[i];
    pf_status st = file->trace || file->bytes.ptr ? PF_OK : read_files(h, role, i, more, err);
    *out = *file;
    return st;
}

void pf_pass_host_close(pf_pass_host *h, size_t role, size_t i)
{
    const pf_role *r = &h->pass->roles[role];
    pf_pass_file *file = file_at(h, role, i);
    pf_trace *t = (pf_trace *)(uintptr_t)file->trace; /* of several files the first one's */
    bool main_trace = role == 0 && i == 0, kept = main_trace && (h->kept || !r->on_request);
    if (t && !kept && (i == 0 || r->kind == PF_ROLE_TRACES)) {
        *h->trace = main_trace ? NULL : *h->trace;
        h->drop(h->ctx, t);
        file->trace = NULL;
    }
    free((char *)(uintptr_t)file->bytes.ptr);
    file->bytes = (pf_str){NULL, 0};
}

void pf_pass_host_free(pf_pass_host *h)
{
    size_t count = h->paths && h->files ? h->pass->role_count : 0;
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < h->files[r].count; i++) {
            pf_pass_host_close(h, r, i);
        }
    }
    pf_pass_inputs_free(h->paths);
    pf_arena_free(&h->arena);
    pf_budget_end(&h->budget);
    *h = (pf_pass_host){.ctx = NULL};
}
