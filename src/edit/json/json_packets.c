/* edit/json/json_packets.c - a part of a JSON trace as packets: it is cut into a file without a name, which is read and
 * written as a Perfetto trace by the same code as any other. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/str.h"
#include "base/text/errno_text.h"
#include "edit/json/json_cut.h"

bool pf_json_wants_packets(const char *path)
{
    pf_str name = pf_str_of(path);
    name.len -= pf_str_ends(name, PF_STR(".gz")) ? 3 : 0;
    return pf_str_ends(name, PF_STR(".pftrace")) || pf_str_ends(name, PF_STR(".perfetto-trace"));
}

static pf_status convert(const char *json, const char *out, const pf_read_options *read, const pf_write_options *write,
                         pf_error *err)
{
    pf_trace *t = NULL;
    pf_read_options o = *read;
    o.want = PF_WANT_TO_WRITE;
    o.input_format = "chrome-json";
    pf_status st = pf_read(&json, 1, &o, &t, err);
    st = st == PF_OK ? pf_convert_pftrace(t, out, write, err) : st;
    pf_trace_free(t);
    return st;
}

pf_status pf_json_cut_to_packets(pf_json_job *job, const pf_json_source *from, pf_trace **t, pf_error *err)
{
    const pf_read_options *read = from->reading ? pf_reading_options(from->reading) : from->read;
    const pf_write_options *write = job->write;
    pf_write_options plain = *write;
    const char *out = job->parts->path;
    pf_spool spool;
    char between[32];
    if (!pf_spool_open(&spool, read->spool ? read->spool : "/tmp")) {
        return pf_fail(err, PF_ERR_OUTPUT, "a scratch file cannot be created: %s; write a .json", pf_errno_text(errno));
    }
    snprintf(between, sizeof between, "/dev/fd/%d", spool.fd);
    plain.written = NULL;
    pf_json_job own = *job;
    own.write = &plain;
    own.parts->path = between;
    pf_status st = pf_json_cut(&own, from, t, err);
    own.write = write;
    *job = own;
    st = st == PF_OK ? convert(between, out, read, write, err) : st;
    job->parts->path = out;
    close(spool.fd);
    return st;
}
