/* write/report/write_reports.c - report files, each whole or not at all.
 *
 * File names hold names out of traces ("tile2,1.json"), so they are not trusted: a slash or a NUL becomes '_', as does
 * every dot of a name that is only dots, and thus no report can leave its folder.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/files/folders.h"
#include "base/text/errno_text.h"
#include "output/sink.h"
#include "write/figure/figure_file.h"
#include "write/report/report_text.h"

void pf_write_options_init(pf_write_options *o, size_t size)
{
    const pf_write_options all = {.size = size, .sync = true};
    pf_sized_give(o, size, &all, sizeof all);
}

/* dir + "/" + name; "." and "" as dir are left out, as pathlib prints it. The result is terminated. */
static void compose_path(pf_buffer *out, const char *dir, pf_str name)
{
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/') {
        len--;
    }
    out->len = 0;
    if (len && !(len == 1 && dir[0] == '.')) {
        pf_buffer_put(out, dir, len);
        if (dir[len - 1] != '/') {
            pf_buffer_put(out, "/", 1);
        }
    }
    bool only_dots = name.len == 0 || (name.len <= 2 && name.ptr[0] == '.' && name.ptr[name.len - 1] == '.');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        pf_buffer_put(out, only_dots || c == '/' || c == '\0' ? "_" : &c, 1);
    }
    pf_buffer_put(out, name.len ? "" : "_", name.len ? 1 : 2);
}

static pf_status make_folder(const char *dir, pf_error *err)
{
    int fault = pf_make_folder(dir);
    if (!fault) {
        return PF_OK;
    }
    PF_TRY(fault == ENOMEM ? pf_no_memory(err) : PF_OK);
    pf_fail(err, PF_ERR_OUTPUT, "the report folder cannot be created: %s; choose another one", pf_errno_text(fault));
    pf_error_in(err, dir);
    return PF_ERR_OUTPUT;
}

pf_status pf_format_report(const pf_report *report, char **text, size_t *len, pf_error *err)
{
    pf_buffer out = {0};
    const pf_table *table = pf_table_view(report->table);
    uint64_t streamed;
    pf_str bytes;
    pf_status st = PF_OK;
    *text = NULL;
    *len = 0;
    switch (report->form) {
    case PF_REPORT_JSON:
        return pf_format_json_styled(report->root, report->json, text, len, err);
    case PF_REPORT_CSV:
        pf_table_csv(&out, table, report->csv);
        break;
    case PF_REPORT_MARKDOWN_DETAILS:
        pf_table_details(&out, table);
        break;
    case PF_REPORT_MARKDOWN:
        pf_table_markdown(&out, table);
        break;
    case PF_REPORT_TABLE:
        pf_table_aligned(&out, table, NULL);
        break;
    case PF_REPORT_BYTES:
        bytes = pf_text_view(report->text);
        pf_buffer_put(&out, bytes.ptr, bytes.len);
        break;
    case PF_REPORT_JSON_STREAM:
        st = pf_json_stream(report, NULL, &out, &streamed, err);
        break;
    case PF_REPORT_FIGURE:
        st = pf_figure_file(report, &out, err);
        break;
    case PF_REPORT_TRACE:
        return pf_fail(err, PF_ERR_INTERNAL, "a trace is converted, not formatted");
    }
    if (st != PF_OK) {
        pf_buffer_free(&out);
        return st;
    }
    return pf_buffer_give(&out, text, len, err);
}

/* Opens the report's file and writes it, without putting it in place. */
static pf_status write_file(const pf_report *report, const char *path, pf_outfile *file, uint64_t *len, pf_error *err)
{
    char *text = NULL;
    size_t size = 0;
    bool streams = report->form == PF_REPORT_JSON_STREAM;
    pf_status st = streams ? PF_OK : pf_format_report(report, &text, &size, err);
    st = st == PF_OK ? pf_outfile_open(file, path, err) : st;
    if (st == PF_OK) {
        st = streams ? pf_json_stream(report, file, NULL, len, err) : pf_outfile_write(file, text, size, err);
    }
    *len = streams ? *len : size;
    free(text);
    return st;
}

pf_status pf_write_report(const pf_report *report, const char *path, const pf_write_options *o, pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    pf_outfile file = {.fd = -1};
    uint64_t len = 0;
    o = &all;
    pf_status st = write_file(report, path, &file, &len, err);
    st = st == PF_OK ? pf_outfile_commit(&file, o->sync, err) : st;
    pf_outfile_abort(&file);
    if (st == PF_OK && o->written) {
        *o->written += len;
    }
    return st;
}

/* A report on its way: written, not yet in place. */
typedef struct pending {
    pf_outfile file;
    pf_buffer path;
    bool announced;
} pending;

/* Reports that are put in place together. Syncing them one after the other before the first rename lets the file
 * system write its journal once instead of once per report. */
#define BATCH 64

static pf_status write_report(const pf_report *report, const char *dir, pending *p, const pf_write_options *o,
                              pf_error *err)
{
    uint64_t len = 0;
    p->announced = report->announced;
    compose_path(&p->path, dir, report->file);
    PF_TRY(p->path.failed ? pf_no_memory(err) : write_file(report, p->path.data, &p->file, &len, err));
    PF_TRY(pf_outfile_flush(&p->file, err));
    if (o->written) {
        *o->written += len;
    }
    return PF_OK;
}

/* Writes these reports, syncs them, then puts them in place in their order. */
static pf_status write_batch(const pf_report *const *reports, size_t count, const char *dir, const pf_write_options *o,
                             void (*wrote)(void *ctx, const char *path, bool announced), void *ctx, pf_error *err)
{
    pending batch[BATCH];
    pf_status st = PF_OK;
    for (size_t i = 0; i < count; i++) {
        batch[i] = (pending){.file = {.fd = -1}};
    }
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        st = o->cancel && *o->cancel ? pf_fail(err, PF_ERR_CANCELLED, "cancelled")
                                     : write_report(reports[i], dir, &batch[i], o, err);
    }
    for (size_t i = 0; i < count && st == PF_OK && o->sync; i++) {
        st = pf_outfile_sync(&batch[i].file, err);
    }
    for (size_t i = 0; i < count; i++) {
        if (st == PF_OK) {
            st = pf_outfile_commit(&batch[i].file, false, err);
        }
        if (st == PF_OK && wrote) {
            wrote(ctx, batch[i].path.data, batch[i].announced);
        }
        pf_outfile_abort(&batch[i].file);
        pf_buffer_free(&batch[i].path);
    }
    return st;
}

pf_status pf_write_reports(const pf_findings *f, const char *dir, const pf_write_options *o,
                           void (*wrote)(void *ctx, const char *path, bool announced), void *ctx, pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    o = &all;
    const pf_report *batch[BATCH];
    size_t total = pf_findings_report_count(f), count = 0;
    bool any = false;
    for (size_t i = 0; i < total; i++) {
        const pf_report *r = pf_findings_report(f, i);
        if (r->place == PF_PLACE_REPORTS && r->form != PF_REPORT_TRACE) {
            PF_TRY(any ? PF_OK : make_folder(dir, err));
            any = true;
            batch[count++] = r;
        }
        if (count == BATCH || (i + 1 == total && count)) {
            PF_TRY(write_batch(batch, count, dir, o, wrote, ctx, err));
            count = 0;
        }
    }
    return PF_OK;
}
