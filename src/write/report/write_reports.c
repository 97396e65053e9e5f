/* write/report/write_reports.c - report files, each whole or not at all.
 *
 * File names hold names out of traces ("tile2,1.json"), so they are not trusted: a slash or a NUL becomes '_', as does
 * every dot of a name that is only dots, and thus no report can leave its folder.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/files/folders.h"
#include "base/text/errno_text.h"
#include "model/findings/table_parts.h"
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

static bool is_table(const pf_report *report)
{
    return report->form == PF_REPORT_CSV || report->form == PF_REPORT_MARKDOWN;
}

/* A part of a table as CSV or Markdown; NULL: it was refused. */
static void put_part(const pf_report *report, uint32_t number, const pf_table *part, pf_json_sink *s)
{
    pf_csv_style style = report->csv ? *report->csv : (pf_csv_style){0};
    style.no_header |= number > 0;
    if (!part) {
        s->out.failed = true;
    } else if (report->form == PF_REPORT_CSV) {
        pf_table_csv(&s->out, part, &style);
    } else if (number == 0) {
        pf_table_markdown(&s->out, part);
    } else {
        pf_table_markdown_rows(&s->out, part);
    }
    pf_json_sink_empty(s, PF_JSON_MUCH);
}

static void put_table(const pf_report *report, pf_json_sink *s)
{
    for (uint32_t i = 0; i < pf_table_parts(report->table) && pf_json_sink_works(s); i++) {
        put_part(report, i, pf_table_part(report->table, i), s);
    }
}

static pf_status put_report(const pf_report *report, pf_buffer *out, pf_error *err)
{
    uint64_t streamed;
    pf_str bytes;
    switch (report->form) {
    case PF_REPORT_MARKDOWN_DETAILS:
        pf_table_details(out, pf_table_view(report->table));
        break;
    case PF_REPORT_TABLE:
        pf_table_aligned(out, pf_table_view(report->table), NULL);
        break;
    case PF_REPORT_BYTES:
        bytes = pf_text_view(report->text);
        pf_buffer_put(out, bytes.ptr, bytes.len);
        break;
    case PF_REPORT_JSON_STREAM:
        return pf_json_stream(report, NULL, out, &streamed, err);
    case PF_REPORT_FIGURE:
        return pf_figure_file(report, out, err);
    default:
        return pf_fail(err, PF_ERR_INTERNAL, "a trace is converted, not formatted");
    }
    return PF_OK;
}

pf_status pf_format_report(const pf_report *report, char **text, size_t *len, pf_error *err)
{
    pf_json_sink s = {.file = NULL};
    pf_status st = PF_OK;
    *text = NULL;
    *len = 0;
    if (report->form == PF_REPORT_JSON) {
        return pf_format_json_styled(report->root, report->json, text, len, err);
    }
    if (is_table(report)) {
        put_table(report, &s);
    } else {
        st = put_report(report, &s.out, err);
    }
    if (st != PF_OK) {
        pf_buffer_free(&s.out);
        return st;
    }
    return pf_buffer_give(&s.out, text, len, err);
}

/* A report on its way: written, not yet in place. */
typedef struct pending {
    const pf_report *report;
    pf_outfile file;
    pf_buffer path;
    pf_json_sink sink; /* of a table */
    uint32_t parts;    /* of it that were written */
    uint64_t len;
} pending;

static pf_status end_table(pending *p, pf_error *err)
{
    pf_json_sink_empty(&p->sink, 1);
    pf_status st = p->sink.out.failed ? pf_no_memory(err) : p->sink.status;
    pf_buffer_free(&p->sink.out);
    p->len = p->sink.written;
    return st;
}

/* Writes the report, whose file is open. */
static pf_status write_open(pending *p, const pf_part_watch *watch, pf_error *err)
{
    const pf_report *report = p->report;
    char *text = NULL;
    size_t size = 0;
    if (is_table(report)) {
        p->sink.err = err;
        if (p->parts < pf_table_parts(report->table)) {
            put_table(report, &p->sink);
        }
        return end_table(p, err);
    }
    if (report->form == PF_REPORT_JSON_STREAM) {
        return pf_json_stream(report, &p->file, NULL, &p->len, err);
    }
    if (report->form == PF_REPORT_JSON) {
        return pf_json_write(report->root, report->json, &p->file, watch, &p->len, err);
    }
    pf_status st = pf_format_report(report, &text, &size, err);
    st = st == PF_OK ? pf_outfile_write(&p->file, text, size, err) : st;
    p->len = size;
    free(text);
    return st;
}

pf_status pf_write_report(const pf_report *report, const char *path, const pf_write_options *o, pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    pending p = {.report = report, .file = {.fd = -1}};
    p.sink.file = &p.file;
    o = &all;
    pf_status st = pf_outfile_open(&p.file, path, err);
    st = st == PF_OK ? write_open(&p, NULL, err) : st;
    st = st == PF_OK ? pf_outfile_commit(&p.file, o->sync, err) : st;
    pf_outfile_abort(&p.file);
    if (st == PF_OK && o->written) {
        *o->written += p.len;
    }
    return st;
}

/* Reports that are put in place together. Syncing them one after the other before the first rename lets the file
 * system write its journal once instead of once per report. */
#define BATCH 80

typedef struct batch {
    pending list[BATCH];
    size_t count;
} batch;

/* A document goes over a table whose rows are made for it: the files of the table in the batch get them, too. */
static void see_part(void *ctx, const pf_table_builder *t, uint32_t number, const pf_table *part)
{
    batch *b = ctx;
    for (pending *p = b->list; p < b->list + b->count; p++) {
        if (p->report->table == t && is_table(p->report) && p->parts == number) {
            put_part(p->report, number, part, &p->sink);
            p->parts++;
            if (p->parts == pf_table_parts(t)) {
                pf_json_sink_empty(&p->sink, 1);
                pf_buffer_free(&p->sink.out);
            }
        }
    }
}

static pf_status open_report(const pf_report *report, const char *dir, pending *p, pf_error *err)
{
    compose_path(&p->path, dir, report->file);
    p->report = report;
    p->sink = (pf_json_sink){.file = &p->file, .err = err};
    return p->path.failed ? pf_no_memory(err) : pf_outfile_open(&p->file, p->path.data, err);
}

static pf_status write_all(batch *b, const pf_write_options *o, pf_error *err)
{
    const pf_part_watch watch = {see_part, b};
    for (pending *p = b->list; p < b->list + b->count; p++) {
        PF_TRY(o->cancel && *o->cancel ? pf_fail(err, PF_ERR_CANCELLED, "cancelled") : write_open(p, &watch, err));
        PF_TRY(pf_outfile_flush(&p->file, err));
        if (o->written) {
            *o->written += p->len;
        }
    }
    for (pending *p = b->list; p < b->list + b->count && o->sync; p++) {
        PF_TRY(pf_outfile_sync(&p->file, err));
    }
    return PF_OK;
}

/* Writes these reports, syncs them, then puts them in place in their order. */
static pf_status write_batch(const pf_report *const *reports, size_t count, const char *dir, const pf_write_options *o,
                             void (*wrote)(void *ctx, const char *path, bool announced), void *ctx, pf_error *err)
{
    batch b = {.count = count};
    pf_status st = PF_OK;
    for (size_t i = 0; i < count; i++) {
        b.list[i].file.fd = -1;
    }
    for (size_t i = 0; i < count && st == PF_OK; i++) {
        st = open_report(reports[i], dir, &b.list[i], err);
    }
    st = st == PF_OK ? write_all(&b, o, err) : st;
    for (pending *p = b.list; p < b.list + count; p++) {
        if (st == PF_OK) {
            st = pf_outfile_commit(&p->file, false, err);
        }
        if (st == PF_OK && wrote) {
            wrote(ctx, p->path.data, p->report->announced);
        }
        pf_outfile_abort(&p->file);
        pf_buffer_free(&p->path);
        pf_buffer_free(&p->sink.out);
    }
    return st;
}

pf_status pf_write_reports(const pf_findings *f, const char *dir, const pf_write_options *o,
                           void (*wrote)(void *ctx, const char *path, bool announced), void *ctx, pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    o = &all;
    const pf_report *list[BATCH];
    size_t total = pf_findings_report_count(f), count = 0;
    bool any = false;
    for (size_t i = 0; i < total; i++) {
        const pf_report *r = pf_findings_report(f, i);
        if (r->place == PF_PLACE_REPORTS && r->form != PF_REPORT_TRACE) {
            PF_TRY(any ? PF_OK : make_folder(dir, err));
            any = true;
            list[count++] = r;
        }
        if (count == BATCH || (i + 1 == total && count)) {
            PF_TRY(write_batch(list, count, dir, o, wrote, ctx, err));
            count = 0;
        }
    }
    return PF_OK;
}
