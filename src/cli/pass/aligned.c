/* cli/pass/aligned.c - --align-clocks: the inputs on the clock of the first one, with what the pass finds there.
 *
 * What the pass found in the inputs as they were recorded says where they go (clock_lines.c). Each is written into a
 * file without a name, moved as `merge` moves it; these files are read as the inputs, under their names, and the pass
 * runs once more, so that what it draws lies where the events are. Reports and tables stay those of the first run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "base/text/errno_text.h"
#include "cli/pass/pass.h"
#include "model/trace/trace.h"

bool pf_cli_aligns(const pf_cli_run *run)
{
    static const char name[] = "align-clocks";
    size_t at = pf_options_find(run->pass->options, run->pass->option_count, name, sizeof name - 1);
    return at < run->pass->option_count && run->values[at].b;
}

struct pf_cli_moved {
    pf_merge_input merge;
    pf_spool spool;
    char between[32]; /* its path */
};

/* What attributes call an input: its file's name up to the first dot, where several have the same the path. */
static const char *label_of(const pf_cli_aligned *a, size_t i, char name[256])
{
    const char *path = a->input[i].merge.path;
    int len = snprintf(name, 256, "%.*s", (int)strcspn(pf_path_name(path), "."), pf_path_name(path));
    for (size_t k = 0; k < a->count; k++) {
        const char *other = pf_path_name(a->input[k].merge.path);
        if (k != i && (int)strcspn(other, ".") == len && memcmp(other, name, (size_t)len) == 0) {
            return path;
        }
    }
    return len > 0 && len < 256 ? name : path;
}

static pf_status move_input(pf_cli_run *run, pf_cli_aligned *a, size_t i, pf_error *err)
{
    struct pf_cli_moved *in = &a->input[i];
    const char *folder = getenv("TMPDIR");
    const pf_read_options read = pf_cli_read_options(run, in->merge.path);
    pf_write_options write = pf_cli_write_options(run);
    pf_merge_options o = pf_merge_options_default();
    char name[256];
    uint64_t unseen = 0;
    if (!pf_spool_open(&in->spool, folder && *folder ? folder : "/tmp")) {
        in->spool.fd = -1;
        return pf_fail(err, PF_ERR_OUTPUT, "a scratch file cannot be created: %s; free some space in TMPDIR",
                       pf_errno_text(errno));
    }
    snprintf(in->between, sizeof in->between, "/dev/fd/%d", in->spool.fd);
    in->merge.label = label_of(a, i, name);
    write.written = &unseen;
    write.sync = false;
    o.inputs = &in->merge;
    o.input_count = 1;
    o.read = &read;
    o.write = &write;
    pf_status st = pf_merge(in->between, &o, NULL, err);
    pf_trace_free(in->merge.trace);
    in->merge.label = NULL;
    return st;
}

static pf_status read_moved(pf_cli_run *run, const pf_pass_host *roles, pf_cli_aligned *a, pf_error *err)
{
    const pf_role *role = &run->pass->roles[0];
    const char **paths = calloc(a->count, sizeof *paths), *format = run->set->input_format;
    PF_TRY(paths ? PF_OK : pf_no_memory(err));
    for (size_t i = 0; i < a->count; i++) {
        paths[i] = a->input[i].between;
    }
    run->set->input_format = NULL; /* that of the originals */
    pf_status st = pf_cli_read_trace(run, paths, a->count, role->want | roles->more_want, role, &a->trace, err);
    run->set->input_format = format;
    for (size_t i = 0; i < a->count && st == PF_OK; i++) {
        a->trace->inputs[i].path = a->input[i].merge.path;
    }
    free(paths);
    return st;
}

static pf_status make(pf_cli_run *run, pf_pass_host *roles, pf_cli_aligned *a, pf_error *err)
{
    pf_status st = PF_OK;
    for (size_t i = 0; i < a->count && st == PF_OK; i++) {
        st = move_input(run, a, i, err);
    }
    PF_TRY(st);
    PF_TRY(read_moved(run, roles, a, err));
    a->findings = pf_findings_new(&run->set->limits);
    PF_TRY(a->findings ? PF_OK : pf_no_memory(err));
    pf_cli_swap_aligned(run, a);
    st = pf_cli_compute(run, roles, NULL, NULL, err);
    pf_cli_swap_aligned(run, a);
    return st;
}

pf_status pf_cli_align(pf_cli_run *run, pf_pass_host *roles, pf_cli_aligned *a)
{
    static const pf_cli_clock_words words = {"--align-clocks", "leave out --align-clocks", "-o was not written"};
    const pf_pass_files *files = &roles->files[0];
    pf_merge_input *lines = calloc(files->count, sizeof *lines);
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    a->input = calloc(files->count, sizeof *a->input);
    pf_status st = a->input && lines ? PF_OK : pf_no_memory(&err);
    for (size_t i = 0; st == PF_OK && i < files->count; i++) {
        lines[i] = (pf_merge_input){.path = files->files[i].path, .uncertainty_ns = -1};
    }
    if (st == PF_OK) {
        pf_cli_take_clock_lines(run, run->findings, &words, lines, files->count);
    }
    for (; st == PF_OK && run->code == PF_CLI_DONE && a->count < files->count; a->count++) {
        a->input[a->count] = (struct pf_cli_moved){.merge = lines[a->count], .spool = {.fd = -1}};
    }
    st = st == PF_OK && a->count ? make(run, roles, a, &err) : st;
    free(lines);
    return st == PF_OK ? st : pf_cli_report(run, files->files[0].path, &err);
}

void pf_cli_aligned_free(pf_cli_run *run, pf_cli_aligned *a)
{
    for (size_t i = 0; i < a->count; i++) {
        if (a->input[i].spool.fd >= 0) {
            close(a->input[i].spool.fd);
        }
    }
    pf_cli_add_totals(&run->dropped, a->trace);
    pf_findings_free(a->findings);
    pf_trace_free(a->trace);
    free(a->input);
}
