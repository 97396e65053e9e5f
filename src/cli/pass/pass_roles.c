/* cli/pass/pass_roles.c - what a pass takes as input, read role by role.
 *
 * The files of a role are one trace, a trace each, or documents. What is read belongs to a table by role and file; the
 * main trace, the first one of the first role, belongs to the run, because the findings are drawn into it. A role whose
 * files are read on request is left alone until the pass opens them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "cli/common/command.h"
#include "cli/pass/pass.h"
#include "read/support/reader.h"

/* The files of a role, where patterns stand for what they fit. */
static pf_status expand(pf_cli_roles *roles, size_t r, pf_error *err)
{
    size_t count = pf_pass_inputs_count(roles->paths, r);
    pf_operands names = {.arena = &roles->arena};
    const char **paths;
    pf_pass_file *files;
    PF_TRY(PF_ARENA_NEW(&roles->arena, paths, count + 1, err));
    for (size_t i = 0; i < count; i++) {
        paths[i] = pf_pass_inputs_path(roles->paths, r, i);
    }
    bool literal = roles->run->pass->roles[r].literal;
    PF_TRY(literal ? PF_OK : pf_operands_expand(&names, paths, count, &roles->arena, err));
    PF_TRY(roles->run->pass->roles[r].folders ? pf_operands_open_folders(&names, err) : PF_OK);
    count = literal ? count : names.count;
    PF_TRY(PF_ARENA_NEW(&roles->arena, files, count + 1, err));
    for (size_t i = 0; i < count; i++) {
        files[i].path = literal ? paths[i] : names.list[i].name;
    }
    roles->files[r] = (pf_pass_files){files, count};
    return PF_OK;
}

pf_status pf_cli_roles_find(pf_cli_run *run, pf_cli_roles *roles, const char *const *operands, size_t count)
{
    const pf_pass *p = run->pass;
    roles->run = run;
    pf_budget_init(&roles->budget, &run->set->limits);
    pf_arena_init(&roles->arena, &roles->budget);
    PF_TRY(pf_cli_usage_of(run, pf_pass_gather(p, run->values, operands, count, &roles->paths, &run->err)));
    PF_TRY(PF_ARENA_NEW(&roles->arena, roles->files, p->role_count, &run->err));
    for (size_t r = 0; r < p->role_count; r++) {
        PF_TRY(expand(roles, r, &run->err));
    }
    return PF_OK;
}

const char *pf_cli_roles_main(const pf_cli_roles *roles)
{
    return roles->files[0].count ? roles->files[0].files[0].path : "";
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

static pf_pass_file *file_at(const pf_cli_roles *roles, size_t role, size_t i)
{
    return (pf_pass_file *)&roles->files[role].files[i];
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

static pf_status read_document(pf_cli_run *run, pf_pass_file *file, pf_error *err)
{
    char *bytes = NULL;
    size_t len = 0;
    pf_status st = pf_read_bytes(file->path, &run->set->limits, &bytes, &len, err);
    pf_error_in(st == PF_OK ? NULL : err, file->path);
    file->bytes = (pf_str){bytes, len};
    return st;
}

/* Reads file i of a role, or all of them where they are one trace. */
static pf_status read_files(pf_cli_roles *roles, size_t r, size_t i, uint32_t more, pf_error *err)
{
    pf_cli_run *run = roles->run;
    const pf_role *role = &run->pass->roles[r];
    pf_pass_file *file = file_at(roles, r, i);
    bool may = role->may_be_missing && strcmp(file->path, "-") != 0;
    file->missing = may && faccessat(AT_FDCWD, file->path, R_OK, AT_EACCESS) < 0 ? errno : 0;
    if (file->missing) {
        return PF_OK;
    }
    if (!is_trace(role)) {
        return read_document(run, file, err);
    }
    bool main_trace = r == 0 && i == 0;
    size_t count = role->kind == PF_ROLE_TRACE ? roles->files[r].count : 1;
    const char **paths;
    PF_TRY(PF_ARENA_NEW(&roles->arena, paths, count, err));
    for (size_t k = 0; k < count; k++) {
        paths[k] = file[k].path;
    }
    pf_trace *t = main_trace ? run->trace : NULL;
    bool there = t != NULL;
    more |= main_trace ? roles->more_want : 0;
    pf_status st = there ? PF_OK : pf_cli_read_trace(run, paths, count, role->want | more, role, &t, err);
    if (st == PF_OK) {
        if (!role->unwarned && !there) {
            pf_cli_warn_of_damage(run, t);
        }
        st = check_dialect(run->pass, role, pf_trace_dialect(t), err);
    }
    if (st != PF_OK) {
        pf_trace_free(there ? NULL : t);
        pf_error_in(err, file->path);
        return st;
    }
    run->trace = main_trace ? t : run->trace;
    for (size_t k = 0; k < count; k++) {
        file[k].trace = t;
    }
    return PF_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

pf_status pf_cli_roles_read(pf_cli_roles *roles)
{
    pf_cli_run *run = roles->run;
    const pf_pass *p = run->pass;
    PF_TRY(pf_cli_check_reading(run));
    for (size_t r = 0; r < p->role_count; r++) {
        size_t count = p->roles[r].kind == PF_ROLE_TRACE && roles->files[r].count ? 1 : roles->files[r].count;
        for (size_t i = 0; i < count && !p->roles[r].on_request; i++) {
            run->at = roles->files[r].files[i].path;
            PF_TRY(read_files(roles, r, i, 0, &run->err));
        }
    }
    return PF_OK;
}

pf_status pf_cli_roles_open(void *host, size_t role, size_t i, uint32_t more, pf_pass_file *out, pf_error *err)
{
    pf_cli_roles *roles = host;
    const pf_pass_file *file = &roles->files[role].files[i];
    pf_cli_show_findings(roles->run, roles->files[0].files[0].path); /* before what is said of this file */
    pf_status st = file->trace || file->bytes.ptr ? PF_OK : read_files(roles, role, i, more, err);
    *out = *file;
    return st;
}

void pf_cli_roles_close(void *host, size_t role, size_t i)
{
    pf_cli_roles *roles = host;
    const pf_role *r = &roles->run->pass->roles[role];
    pf_pass_file *file = file_at(roles, role, i);
    pf_trace *t = (pf_trace *)(uintptr_t)file->trace; /* of several files the first one's */
    bool main_trace = role == 0 && i == 0, kept = main_trace && (roles->kept || !r->on_request);
    if (t && !kept && (i == 0 || r->kind == PF_ROLE_TRACES)) {
        roles->run->trace = main_trace ? NULL : roles->run->trace;
        pf_cli_add_totals(&roles->run->dropped, t);
        pf_trace_free(t);
        file->trace = NULL;
    }
    free((char *)(uintptr_t)file->bytes.ptr);
    file->bytes = (pf_str){NULL, 0};
}

void pf_cli_roles_free(pf_cli_roles *roles)
{
    size_t count = roles->paths && roles->files ? roles->run->pass->role_count : 0;
    for (size_t r = 0; r < count; r++) {
        for (size_t i = 0; i < roles->files[r].count; i++) {
            pf_cli_roles_close(roles, r, i);
        }
    }
    pf_pass_inputs_free(roles->paths);
    pf_arena_free(&roles->arena);
    pf_budget_end(&roles->budget);
    *roles = (pf_cli_roles){.run = NULL};
}
