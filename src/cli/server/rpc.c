/* cli/server/rpc.c - the trace of the server and its short answers.
 *
 * A trace comes in pieces, which go into a file without a name: nothing is left of it however the server ends. When the
 * client says that it was the last one, the file is read like any other input, by its content. The client does not look
 * at that answer, so a failure is kept, and every query gets it.
 */
#include "cli/server/rpc.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text/errno_text.h"
#include "base/text/utf8.h"
#include "postfetto/build.h"
#include "postfetto/export.h"
#include "wire/cursor.h"
#include "wire/writer.h"

static void drop(pf_rpc *r)
{
    pf_query_free(r->query);
    pf_trace_free(r->trace);
    r->query = NULL;
    r->trace = NULL;
    r->loaded = 0;
    r->failure = (pf_error){.code = PF_OK};
}

/* A session over the trace; none after a failure. */
static pf_status open_query(pf_rpc *r, pf_error *err)
{
    PF_TRY(pf_query_open(r->trace, &r->query, err));
    pf_status st = r->prepare ? r->prepare(r->ctx, r->query, err) : PF_OK;
    if (st != PF_OK) {
        pf_query_free(r->query);
        r->query = NULL;
    }
    return st;
}

static pf_status load(pf_rpc *r, const char *path, pf_error *err)
{
    drop(r);
    PF_TRY(pf_read(&path, 1, &r->read, &r->trace, err));
    PF_TRY(open_query(r, err));
    r->loaded = pf_trace_input(r->trace, 0)->stored_bytes + 1;
    return PF_OK;
}

/* A trace without events, for queries before there is another one. */
static pf_status load_nothing(pf_rpc *r, pf_error *err)
{
    pf_builder *b = pf_builder_new(&r->read.limits);
    pf_status st = b ? pf_builder_finish(b, &r->trace, err) : pf_fail(err, PF_ERR_MEMORY, "out of memory");
    pf_builder_free(b);
    return st == PF_OK ? open_query(r, err) : st;
}

pf_status pf_rpc_open(pf_rpc *r, const char *path, pf_error *err)
{
    r->file = path;
    return path ? load(r, path, err) : load_nothing(r, err);
}

static void end_upload(pf_rpc *r)
{
    if (r->receiving) {
        close(r->upload.fd);
    }
    r->receiving = false;
}

void pf_rpc_close(pf_rpc *r)
{
    end_upload(r);
    drop(r);
}

void pf_rpc_receive(pf_rpc *r, const void *bytes, size_t len)
{
    if (!r->receiving) {
        drop(r);
        r->file = NULL;
        r->receiving = pf_spool_open(&r->upload, r->scratch);
        if (!r->receiving) {
            pf_fail(&r->failure, PF_ERR_OUTPUT, "no file can be created in TMPDIR: %s", pf_errno_text(errno));
        }
    }
    if (r->failure.code != PF_OK) {
        return;
    }
    if (len > r->read.limits.input - r->upload.size) {
        pf_fail(&r->failure, PF_ERR_LIMIT, "the trace is larger than --max-input allows; start the server with more");
    } else if (pf_spool_write(&r->upload, bytes, len) < len) {
        pf_fail(&r->failure, PF_ERR_OUTPUT, "the trace could not be written to TMPDIR: %s", pf_errno_text(errno));
    }
}

void pf_rpc_finish(pf_rpc *r)
{
    if (r->receiving && r->failure.code == PF_OK) {
        char path[32];
        pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
        snprintf(path, sizeof path, "/dev/fd/%d", r->upload.fd);
        pf_status st = load(r, path, &err);
        if (st != PF_OK && err.offset != PF_NOWHERE) {
            pf_fail(&r->failure, st, "the trace that was sent: at byte %llu: %.440s", (unsigned long long)err.offset,
                    err.text);
        } else if (st != PF_OK) {
            pf_fail(&r->failure, st, "the trace that was sent %.480s", err.text);
        }
    }
    end_upload(r);
}

void pf_rpc_restore(pf_rpc *r)
{
    if (r->query) {
        pf_query_free(r->query);
        r->query = NULL;
        r->failure.code = open_query(r, &r->failure);
    }
}

enum { API_VERSION = 14 };
enum { STATUS_NAME = 1, STATUS_VERSION = 2, STATUS_API = 3 };
enum { APPEND_ERROR = 2, METRIC_ERROR = 2, SUMMARY_ERROR = 3, METATRACE_BYTES = 1 };
enum { METRIC_NAMES = 1, EXPORT_FORMAT = 1 };

static void put_text(pf_buffer *out, uint32_t field, const char *text)
{
    pf_writer w;
    pf_writer_init(&w, out);
    pf_writer_bytes(&w, field, text, strlen(text));
    pf_writer_free(&w);
}

void pf_rpc_put_status(const pf_rpc *r, pf_buffer *out)
{
    char name[512] = "";
    uint64_t loaded = r->loaded;
    if (loaded) {
        const char *file = r->file ? r->file : "Unnamed trace";
        snprintf(name, sizeof name, "%.480s (%llu MB)", file, (unsigned long long)((loaded - 1) >> 20));
    }
    put_text(out, STATUS_NAME, name);
    char version[64];
    snprintf(version, sizeof version, "postfetto %s", pf_version());
    put_text(out, STATUS_VERSION, version);
    pf_writer w;
    pf_writer_init(&w, out);
    pf_writer_varint(&w, STATUS_API, API_VERSION);
    pf_writer_free(&w);
}

void pf_rpc_put_received(const pf_rpc *r, pf_buffer *out)
{
    if (r->failure.code != PF_OK) {
        put_text(out, APPEND_ERROR, r->failure.text);
    }
}

void pf_rpc_put_metric(pf_bytes args, pf_buffer *out)
{
    pf_field name = pf_cursor_last(pf_cursor_over(args.ptr, args.len), PF_TAG_BYTES(METRIC_NAMES));
    pf_str asked = pf_field_text(&name);
    pf_buffer text = {0}, clean = {0};
    pf_buffer_text(&text, "Unknown metric ");
    asked = pf_utf8_clean(asked, &clean);
    pf_buffer_put(&text, asked.ptr, asked.len);
    pf_buffer_put(&text, "", 1);
    if (!text.failed) {
        put_text(out, METRIC_ERROR, text.data);
    }
    pf_buffer_free(&text);
    pf_buffer_free(&clean);
}

void pf_rpc_put_summary(pf_buffer *out)
{
    put_text(out, SUMMARY_ERROR, "trace summaries are not supported; ask for the numbers with a query");
}

void pf_rpc_put_metatrace(pf_buffer *out)
{
    put_text(out, METATRACE_BYTES, "");
}

pf_status pf_rpc_export(pf_rpc *r, pf_bytes args, int fd, pf_error *err)
{
    enum { ARCHIVE = 1, DATABASE = 3 };
    pf_field format = pf_cursor_last(pf_cursor_over(args.ptr, args.len), PF_TAG_VARINT(EXPORT_FORMAT));
    char path[32];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    if (!format.tag || format.value == 0) {
        return pf_fail(err, PF_ERR_USAGE, "Export format is required");
    }
    if (!r->loaded) {
        return pf_fail(err, PF_ERR_USAGE, "there is no trace to export");
    }
    switch (format.value) {
    case ARCHIVE:
        return pf_export_archive(r->trace, path, NULL, &r->write, err);
    case DATABASE:
        return pf_export_sqlite(r->trace, path, &r->write, err);
    default:
        return pf_fail(err, PF_ERR_USAGE, "this export format is not supported; choose perfetto or sqlite");
    }
}
