/* cli/common/read_inputs.c - the inputs of a command, read into a trace as its flags say. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "cli/common/command.h"

/* Whether `name`, where there is one, is among the names; if not, says so with the nearest one or all of them. */
static pf_status check_name(pf_cli_run *run, const char *what, const char *name, size_t count,
                            const char *(*name_at)(size_t))
{
    pf_cli_suggest s = pf_cli_suggest_start(name ? name : "");
    pf_buffer names = {0};
    bool known = !name;
    for (size_t i = 0; i < count && !known; i++) {
        known = strcmp(name_at(i), name) == 0;
        pf_cli_suggest_offer(&s, name_at(i));
        pf_buffer_format(&names, "%s%s", names.len ? ", " : "", name_at(i));
    }
    if (!known && s.best) {
        pf_cli_usage(run, "unknown %s '%s'; did you mean '%s'?", what, name, s.best);
    } else if (!known) {
        pf_cli_usage(run, "unknown %s '%s'; choose one of %.*s", what, name, (int)names.len,
                     names.data ? names.data : "");
    }
    pf_buffer_free(&names);
    return known ? PF_OK : PF_ERR_USAGE;
}

static const char *reader_name(size_t i)
{
    return pf_reader_at(i)->name;
}

pf_status pf_cli_check_reading(pf_cli_run *run)
{
    PF_TRY(check_name(run, "dialect", run->set->dialect, pf_dialect_count(), pf_dialect_name));
    return check_name(run, "input format", run->set->input_format, pf_reader_count(), reader_name);
}

const char *pf_cli_spool_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/var/tmp";
}

/* Bytes of all files, 0 where one is no regular file. */
static uint64_t size_of_files(const char *const *paths, size_t count)
{
    uint64_t all = 0;
    struct stat sb;
    for (size_t i = 0; i < count; i++) {
        if (stat(paths[i], &sb) != 0 || !S_ISREG(sb.st_mode)) {
            return 0;
        }
        all += (uint64_t)sb.st_size;
    }
    return all;
}

pf_read_options pf_cli_read_options(pf_cli_run *run, const char *path)
{
    pf_read_options o = pf_read_options_default();
    o.dialect = run->set->dialect;
    o.input_format = run->set->input_format;
    o.settings = run->settings;
    o.setting_count = run->setting_count;
    o.limits = run->set->limits;
    o.strict = run->set->strict;
    o.merge_pids = run->set->merge_pids;
    o.map = true;
    o.spool = pf_cli_spool_folder();
    o.jobs = run->set->jobs > 1024 ? 1024 : (unsigned)run->set->jobs;
    o.cancel = pf_cli_cancel_flag();
    o.progress = pf_cli_progress_update;
    o.progress_ctx = &run->progress;
    pf_cli_signals_input(pf_cli_name(path));
    pf_cli_start_progress(run);
    return o;
}

pf_status pf_cli_read_trace(pf_cli_run *run, const char *const *paths, size_t count, uint32_t want, const pf_role *role,
                            pf_trace **out, pf_error *err)
{
    pf_read_options o = pf_cli_read_options(run, paths[0]);
    o.want = want | (run->set->raw_events ? PF_WANT_RAW_EVENTS : 0);
    o.input_format = o.input_format ? o.input_format : role ? role->reader : NULL;
    o.early_args = role ? role->early_args : NULL;
    o.without_findings = run->pass ? run->pass->name : NULL;
    double before = pf_cli_now();
    run->progress.all = count > 1 ? size_of_files(paths, count) : 0;
    pf_status st = pf_read(paths, count, &o, out, err);
    pf_cli_progress_clear(&run->progress);
    if (st == PF_OK && run->set->verbose) {
        pf_cli_note(run, paths[0], "read in %.3f s, dialect %s", pf_cli_now() - before, pf_trace_dialect(*out));
    }
    return st;
}

pf_status pf_cli_check_inputs(pf_cli_run *run)
{
    const char *out = run->set->out;
    if (!out) {
        return PF_OK;
    }
    const pf_file_id id = pf_file_id_of(out, STDOUT_FILENO);
    const char *same = NULL;
    for (size_t i = 0; !same && i < pf_trace_input_count(run->trace); i++) {
        const char *path = pf_trace_input(run->trace, i)->path;
        same = strcmp(path, "-") != 0 && pf_file_id_is(&id, path) ? path : NULL;
    }
    return pf_cli_check_output(run, &same, same != NULL, out);
}

pf_status pf_cli_read(pf_cli_run *run, const char *const *paths, size_t count, uint32_t want, bool warn)
{
    PF_TRY(pf_cli_check_reading(run));
    run->at = paths[0];
    PF_TRY(pf_cli_read_trace(run, paths, count, want, NULL, &run->trace, &run->err));
    run->at = NULL;
    if (warn) {
        pf_cli_warn_of_damage(run, run->trace);
    }
    return pf_cli_check_inputs(run);
}
