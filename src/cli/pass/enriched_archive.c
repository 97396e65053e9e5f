/* cli/pass/enriched_archive.c - the findings as ordinary rows of an archive for Perfetto's UI: the enriched trace goes
 * to a file without a name and is read again, so that the archive holds what the UI would make of that trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/text/errno_text.h"
#include "cli/pass/pass.h"

static pf_status write_again(pf_cli_run *run, const pf_trace *t, pf_findings *findings, const char *between,
                             const char *path, const pf_write_options *o, pf_error *err)
{
    pf_read_options r = pf_read_options_default();
    pf_trace *drawn = NULL;
    uint64_t unseen = 0;
    pf_write_options first = *o;
    first.written = &unseen;
    first.sync = false;
    PF_TRY(findings ? pf_write_enriched(t, findings, between, &first, err)
                    : pf_convert_pftrace(t, between, &first, err));
    r.want = PF_WANT_TABLES;
    r.cancel = o->cancel;
    r.limits = run->set->limits;
    pf_status st = pf_read(&between, 1, &r, &drawn, err);
    st = st == PF_OK ? pf_export_archive(drawn, path, NULL, o, err) : st;
    pf_trace_free(drawn);
    return st;
}

pf_status pf_cli_write_archive(pf_cli_run *run, const pf_trace *t, pf_findings *drawn, const char *path,
                               const pf_write_options *o, pf_error *err)
{
    pf_spool spool;
    char between[32];
    const char *folder = getenv("TMPDIR");
    if (!pf_spool_open(&spool, folder && *folder ? folder : "/tmp")) {
        return pf_fail(err, PF_ERR_OUTPUT, "a scratch file cannot be created: %s; free some space in TMPDIR",
                       pf_errno_text(errno));
    }
    snprintf(between, sizeof between, "/dev/fd/%d", spool.fd);
    pf_status st = write_again(run, t, drawn, between, path, o, err);
    close(spool.fd);
    return st;
}
