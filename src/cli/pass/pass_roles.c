/* cli/pass/pass_roles.c - what a pass takes as input, read as the command's flags say. */
#include <sys/stat.h>

#include "analyze/pass/passes.h"
#include "cli/pass/pass.h"
#include "model/trace/trace.h"

/* Whether all can be read twice. */
static bool are_files(const char *const *paths, size_t count)
{
    struct stat sb;
    bool files = true;
    for (size_t i = 0; i < count && files; i++) {
        files = stat(paths[i], &sb) == 0 && S_ISREG(sb.st_mode);
    }
    return files;
}

/* A partial alone needs few arguments. Which kernel of a name is the longest is known early where no slice is left out,
 * which can be undone if the files can be read twice. */
static const struct pf_early_args *partial_args(const pf_cli_run *run, const char *const *paths, size_t count)
{
    const pf_cli_settings *set = run->set;
    bool alone = pf_cli_partial(run) && !set->out && !set->html && !set->tables && !set->fail_if.count;
    bool few = alone && run->pass->partials && run->pass->partials->early_args && are_files(paths, count);
    return few ? run->pass->partials->early_args(run->values) : NULL;
}

static pf_status read_trace(void *ctx, const char *const *paths, size_t count, uint32_t want, const pf_role *role,
                            pf_trace **out, pf_error *err)
{
    pf_cli_run *run = ctx;
    pf_role few = *role;
    const struct pf_early_args *args = partial_args(run, paths, count);
    few.early_args = args ? args : role->early_args;
    PF_TRY(pf_cli_read_trace(run, paths, count, want, &few, out, err));
    if (args && (*out)->stat_count[PF_STAT_SLICE_MAX_DEPTH]) {
        pf_trace_free(*out);
        PF_TRY(pf_cli_read_trace(run, paths, count, want, role, out, err));
    }
    if (!role->unwarned) {
        pf_cli_warn_of_damage(run, *out);
    }
    return PF_OK;
}

static void drop_trace(void *ctx, pf_trace *t)
{
    pf_cli_run *run = ctx;
    pf_cli_add_totals(&run->dropped, t);
    pf_trace_free(t);
}

pf_status pf_cli_roles_find(pf_cli_run *run, pf_pass_host *roles, const char *const *operands, size_t count)
{
    roles->pass = run->pass;
    roles->limits = &run->set->limits;
    roles->trace = &run->trace;
    roles->ctx = run;
    roles->read = read_trace;
    roles->drop = drop_trace;
    return pf_cli_usage_of(run, pf_pass_host_find(roles, run->values, operands, count, &run->err));
}

pf_status pf_cli_roles_read(pf_cli_run *run, pf_pass_host *roles)
{
    PF_TRY(pf_cli_check_reading(run));
    return pf_pass_host_read(roles, &run->err);
}

pf_status pf_cli_roles_open(void *host, size_t role, size_t i, uint32_t more, pf_pass_file *out, pf_error *err)
{
    pf_pass_host *roles = host;
    pf_cli_show_findings(roles->ctx, pf_pass_host_main(roles)); /* before what is said of this file */
    return pf_pass_host_open(roles, role, i, more, out, err);
}

void pf_cli_roles_close(void *host, size_t role, size_t i)
{
    pf_pass_host_close(host, role, i);
}
