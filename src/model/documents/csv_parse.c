/* model/documents/csv_parse.c - a CSV row by row.
 *
 * A field without quotes is a view into the text. One with quotes is a view, too, unless quotes are doubled in it; then
 * it is copied without the second ones into a buffer that the next row uses again. A row is read into two lists: where
 * the fields are, and, because the buffer may move while it grows, which of them are in the buffer.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/list.h"
#include "base/str.h"
#include "postfetto/document.h"

typedef struct csv_field {
    size_t start, len;
    bool copied;   /* start counts from the begin of the buffer */
    uint64_t line; /* where it begins */
    size_t column;
} csv_field;

struct pf_csv {
    const char *text;
    size_t len, at;
    uint64_t line, row_line; /* of `at`, of the row */
    size_t line_start;
    char separator;
    bool lenient, cut;
    csv_field *fields; /* of the row that was read last */
    size_t field_count, field_room;
    pf_buffer copies;
    pf_str *names;         /* the header, */
    pf_buffer name_copies; /* and those of its fields that are no views into the text */
    size_t columns;
    pf_str *out; /* what pf_csv_next gives */
};

void pf_csv_free(pf_csv *c)
{
    if (c) {
        free(c->names);
        free(c->out);
        free(c->fields);
        pf_buffer_free(&c->copies);
        pf_buffer_free(&c->name_copies);
        free(c);
    }
}

size_t pf_csv_column_count(const pf_csv *c)
{
    return c->columns;
}

pf_str pf_csv_column_name(const pf_csv *c, size_t column)
{
    return column < c->columns ? c->names[column] : (pf_str){NULL, 0};
}

size_t pf_csv_column(const pf_csv *c, const char *name)
{
    size_t found = c->columns;
    for (size_t i = 0; i < c->columns; i++) {
        found = pf_str_is(c->names[i], name) ? i : found;
    }
    return found;
}

bool pf_csv_is_cut(const pf_csv *c)
{
    return c->cut;
}

uint64_t pf_csv_line(const pf_csv *c)
{
    return c->row_line;
}

void pf_csv_place(const pf_csv *c, size_t field, uint64_t *line, size_t *column)
{
    const csv_field *last = c->field_count ? &c->fields[c->field_count - 1] : NULL;
    *line = c->row_line;
    *column = 1;
    if (field < c->field_count) {
        *line = c->fields[field].line;
        *column = c->fields[field].column;
    } else if (last) {
        *line = last->line;
        *column = last->column + last->len;
    }
}

static pf_status refuse(const pf_csv *c, size_t at, pf_error *err, const char *what)
{
    return pf_fail_at(err, PF_ERR_INPUT, at, "line %llu, column %zu: %s", (unsigned long long)c->line,
                      at - c->line_start + 1, what);
}

static pf_status add_field(pf_csv *c, csv_field f, pf_error *err)
{
    PF_TRY(c->copies.failed ? pf_no_memory(err)
                            : PF_LIST_ROOM(NULL, c->fields, c->field_count + 1, c->field_room, err));
    c->fields[c->field_count++] = f;
    return PF_OK;
}

/* Bytes of the line end at `at`: 1, 2, or 0 if there is none. The end of the text is one of no bytes. */
static size_t line_end(const pf_csv *c, size_t at)
{
    if (at < c->len && c->text[at] == '\n') {
        return 1;
    }
    return at + 1 < c->len && c->text[at] == '\r' && c->text[at + 1] == '\n' ? 2 : 0;
}

static bool ends_field(const pf_csv *c, size_t at)
{
    return at == c->len || c->text[at] == c->separator || line_end(c, at);
}

/* The field whose opening quote is at c->at. */
static pf_status read_quoted(pf_csv *c, pf_error *err)
{
    size_t open = c->at, from = open + 1, at = from, first = c->copies.len;
    uint64_t line = c->line;
    size_t line_start = c->line_start;
    bool copied = false;
    for (;; at++) {
        if (at == c->len && c->lenient) {
            break;
        }
        if (at == c->len) {
            c->cut = c->line == line;
            c->line = line;
            c->line_start = line_start;
            return refuse(c, open, err,
                          "the quote that opens here is never closed; close it, or "
                          "write the field without it");
        }
        if (c->text[at] == '\n') {
            c->line++;
            c->line_start = at + 1;
        }
        if (c->text[at] != '"') {
            continue;
        }
        if (at + 1 == c->len || c->text[at + 1] != '"') {
            break;
        }
        copied = true;
        pf_buffer_put(&c->copies, c->text + from, at + 1 - from); /* with one quote of the two */
        from = at + 2;
        at++;
    }
    bool more = at < c->len && !ends_field(c, at + 1);
    if (more && !c->lenient) {
        return refuse(c, at + 1, err,
                      "after a closing quote a separator or the end of the line must follow; write "
                      "quotes inside a field twice");
    }
    copied |= more;
    pf_buffer_put(&c->copies, c->text + from, copied ? at - from : 0);
    for (c->at = at < c->len ? at + 1 : at; more && !ends_field(c, c->at); c->at++) {
        pf_buffer_put(&c->copies, c->text + c->at, 1);
    }
    csv_field f = {open + 1, at - open - 1, false, line, open - line_start + 1};
    if (copied) {
        f = (csv_field){first, c->copies.len - first, true, line, open - line_start + 1};
    }
    return add_field(c, f, err);
}

static pf_status read_plain(pf_csv *c, pf_error *err)
{
    size_t start = c->at;
    while (!ends_field(c, c->at)) {
        if (c->text[c->at] == '"' && !c->lenient) {
            return refuse(c, c->at, err,
                          "a quote stands inside a field that does not begin with one; put the field in "
                          "quotes, and write those inside it twice");
        }
        c->at++;
    }
    return add_field(c, (csv_field){start, c->at - start, false, c->line, start - c->line_start + 1}, err);
}

static void skip_line_end(pf_csv *c)
{
    size_t end = line_end(c, c->at);
    c->at += end;
    c->line += end > 0;
    c->line_start = end ? c->at : c->line_start;
}

/* The fields of the next line that is not empty; no fields: there is none. */
static pf_status read_row(pf_csv *c, pf_error *err)
{
    c->field_count = 0;
    c->copies.len = 0;
    while (line_end(c, c->at)) {
        skip_line_end(c);
    }
    c->row_line = c->line;
    while (c->at < c->len || c->field_count) {
        PF_TRY(c->at < c->len && c->text[c->at] == '"' ? read_quoted(c, err) : read_plain(c, err));
        if (c->at == c->len || c->text[c->at] != c->separator) {
            break;
        }
        c->at++;
    }
    c->cut |= c->at == c->len && c->field_count > 0 && c->field_count < c->columns;
    skip_line_end(c);
    return PF_OK;
}

static pf_str field_at(const pf_csv *c, size_t i)
{
    const csv_field *f = &c->fields[i];
    const char *copies = c->copies.data ? c->copies.data : "";
    return (pf_str){(f->copied ? copies : c->text) + f->start, f->len};
}

pf_status pf_csv_next(pf_csv *c, const pf_str **fields, pf_error *err)
{
    *fields = NULL;
    PF_TRY(read_row(c, err));
    if (c->field_count == 0) {
        return PF_OK;
    }
    for (size_t i = 0; i < c->columns; i++) {
        c->out[i] = i < c->field_count ? field_at(c, i) : (pf_str){NULL, 0};
    }
    *fields = c->out;
    return PF_OK;
}

static pf_status keep_header(pf_csv *c, pf_error *err)
{
    PF_TRY(read_row(c, err));
    if (c->field_count == 0) {
        return pf_fail_at(err, PF_ERR_INPUT, 0, "the table is empty: its first row must name the columns");
    }
    PF_TRY(PF_LIST_NEW(NULL, c->names, c->field_count, err));
    PF_TRY(PF_LIST_NEW(NULL, c->out, c->field_count, err));
    c->columns = c->field_count;
    for (size_t i = 0; i < c->columns; i++) {
        c->names[i] = field_at(c, i);
    }
    c->name_copies = c->copies;
    c->copies = (pf_buffer){0};
    return PF_OK;
}

pf_status pf_csv_open(pf_str text, const pf_csv_options *options, pf_csv **out, pf_error *err)
{
    pf_csv *c = calloc(1, sizeof *c);
    *out = NULL;
    PF_TRY(c ? PF_OK : pf_no_memory(err));
    c->text = text.ptr;
    c->len = text.len;
    c->line = 1;
    c->separator = options && options->separator ? options->separator : ',';
    c->lenient = options && options->lenient;
    if (pf_str_starts(text, PF_STR("\xef\xbb\xbf"))) {
        c->at = c->line_start = 3;
    }
    pf_status st = keep_header(c, err);
    if (st != PF_OK) {
        pf_csv_free(c);
        return st;
    }
    *out = c;
    return PF_OK;
}
