/* model/findings/shown.c - what the command shows of findings: tables, lines and errors, in order. */
#include <string.h>

#include "base/sized.h"
#include "model/findings/findings.h"

static void add_shown(pf_findings *f, pf_shown_row row)
{
    if (pf_findings_room(f, &f->shown.columns, f->shown.count, &f->shown.room)) {
        f->shown.row[f->shown.count++] = row;
    }
}

void pf_findings_show_columns(pf_findings *f, const pf_table_builder *table, const char *columns)
{
    if (table) {
        add_shown(f, (pf_shown_row){.table = table, .columns = columns});
    }
}

void pf_findings_show_table(pf_findings *f, const pf_table_builder *table)
{
    pf_findings_show_columns(f, table, NULL);
}

__attribute__((format(printf, 4, 0))) static void show_line(pf_findings *f, const char *path, pf_severity severity,
                                                            const char *format, va_list list)
{
    pf_str text = pf_findings_keep_formatted(f, format, list);
    const char *kept = path ? pf_findings_keep(f, (pf_str){path, strlen(path)}).ptr : NULL;
    if (text.ptr) {
        add_shown(f, (pf_shown_row){.severity = severity, .line = text, .path = kept});
    }
}

void pf_findings_show_line(pf_findings *f, pf_severity severity, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    show_line(f, NULL, severity, format, list);
    va_end(list);
}

void pf_findings_show_about(pf_findings *f, const char *path, pf_severity severity, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    show_line(f, path, severity, format, list);
    va_end(list);
}

void pf_findings_show_error(pf_findings *f, const pf_error *error)
{
    pf_error *kept = pf_findings_alloc(f, sizeof *kept);
    if (kept) {
        *kept = *error;
        add_shown(f, (pf_shown_row){.error = kept});
    }
}

size_t pf_findings_shown_count(const pf_findings *f)
{
    return f->shown.count;
}

bool pf_findings_shows_table(const pf_findings *f, size_t i)
{
    return i < f->shown.count && f->shown.row[i].table;
}

void pf_findings_shown_get(const pf_findings *f, size_t i, pf_shown *out, size_t size)
{
    pf_shown s = {.table = NULL};
    if (i < f->shown.count) {
        const pf_shown_row *r = &f->shown.row[i];
        s = (pf_shown){pf_table_view(r->table), r->severity, r->line, r->path, r->error, r->columns};
    }
    pf_sized_give(out, size, &s, sizeof s);
}
