/* edit/merge/stand_in.c - files without a name for inputs that are no packets, or that cannot be read twice.
 *
 * Another format becomes packets the way `convert` does it. Such a file is reached through its descriptor: written as
 * a stream (/dev/fd/N), read as the file that it is (/proc/self/fd/N).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/outfile.h"
#include "base/text/errno_text.h"
#include "edit/merge/merge.h"

static pf_status open_spool(merge *m, merge_input *in, pf_spool *s, pf_error *err)
{
    const char *folder = m->read.spool ? m->read.spool : "/var/tmp";
    if (!pf_spool_open(s, folder)) {
        return pf_fail(err, PF_ERR_OUTPUT, "no file for an input could be made in %s; set TMPDIR to a folder with room",
                       folder);
    }
    in->fd = s->fd;
    snprintf(in->stand_in, sizeof in->stand_in, "/proc/self/fd/%d", s->fd);
    in->path = in->stand_in;
    return PF_OK;
}

pf_status pf_merge_keep_stream(merge *m, merge_input *in, pf_error *err)
{
    static const size_t step = 1u << 20;
    const char *path = in->path;
    if (strcmp(path, "-") != 0 && !pf_outfile_is_stream(path)) {
        return PF_OK;
    }
    int from = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        return PF_OK; /* who reads it says why */
    }
    pf_spool s;
    pf_status st = open_spool(m, in, &s, err);
    uint8_t *bytes = st == PF_OK ? pf_alloc(&m->budget, step) : NULL;
    if (st == PF_OK && !bytes) {
        st = pf_budget_refused(&m->budget, step, err);
    }
    ssize_t n = 1;
    while (st == PF_OK && n > 0) {
        do {
            n = read(from, bytes, step);
        } while (n < 0 && errno == EINTR);
        if (n < 0) {
            st = pf_fail(err, PF_ERR_INPUT, "cannot be read: %s", pf_errno_text(errno));
        } else if (s.size + (size_t)n > m->read.limits.input) {
            st = pf_fail(err, PF_ERR_LIMIT, "is larger than %llu bytes; raise --max-input",
                         (unsigned long long)m->read.limits.input);
        } else if (pf_spool_write(&s, bytes, (size_t)n) != (size_t)n) {
            st = pf_fail(err, PF_ERR_OUTPUT, "there is no room for it in the folder of temporary files; set TMPDIR");
        }
    }
    pf_release(&m->budget, bytes, step);
    if (from != STDIN_FILENO) {
        close(from);
    }
    return st;
}

pf_status pf_merge_convert(merge *m, merge_input *in, pf_error *err)
{
    pf_read_options read = m->read;
    pf_write_options write = m->write;
    pf_spool s;
    pf_trace *t = NULL;
    char path[40];
    read.want = PF_WANT_TO_WRITE;
    write.gzip = write.compress_packets = write.sync = false;
    write.written = NULL;
    const char *from = in->path;
    int kept = in->fd;
    PF_TRY(pf_read(&from, 1, &read, &t, err));
    pf_status st = open_spool(m, in, &s, err);
    if (st == PF_OK) {
        snprintf(path, sizeof path, "/dev/fd/%d", s.fd);
        st = pf_convert_pftrace(t, path, &write, err);
    }
    pf_trace_free(t);
    if (kept >= 0) {
        close(kept);
    }
    return st;
}
