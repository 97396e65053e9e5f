/* write/report/report_text.h - the shapes of a report table. */
#pragma once

#include "base/buffer.h"
#include "base/files/outfile.h"
#include "postfetto/findings.h"

/* The <details> block of a Markdown report: its title as summary, the table inside (docs/reference/aie.md, "Files"). */
void pf_table_details(pf_buffer *out, const pf_table *table);

/* A pipe table on its own; text cannot break out of its cell. Its rows alone. */
void pf_table_markdown(pf_buffer *out, const pf_table *table);
void pf_table_markdown_rows(pf_buffer *out, const pf_table *table);

/* ---- table_aligned.c --------------------------------------------------------------------------------------------- */

/* How a table is laid out. */
typedef struct pf_table_shape {
    const char *columns; /* those alone, in this order, commas between their names; NULL: all */
    size_t rows;         /* the first ones, and then how many more there are; 0: all */
    size_t more;         /* rows that were left out when the table was made */
    size_t width;        /* columns of the terminal, to which texts are shortened; 0: as wide as it gets */
    bool eased;  /* for people: headings in words, times and bytes in the unit that suits the column, and columns
                  * that have no room left out, in favour of those before them */
    bool styled; /* bold and colours, as escape sequences */
} pf_table_shape;

/* Aligned columns for a terminal; control characters of traced names do not reach it. shape NULL: all, as it is. */
void pf_table_aligned(pf_buffer *out, const pf_table *table, const pf_table_shape *shape);

/* ---- parts of all shapes ----------------------------------------------------------------------------------------- */

typedef enum pf_cell_guard { PF_GUARD_NONE, PF_GUARD_PIPES, PF_GUARD_TERMINAL } pf_cell_guard;

/* Appends the text as valid UTF-8, guarded. */
void pf_table_guarded(pf_buffer *out, pf_str s, pf_cell_guard guard);

void pf_table_cell(pf_buffer *out, const pf_column *column, const pf_cell *cell, pf_cell_guard guard);

/* Where in a buffer texts were written lately, with all that was put around and into them: one that comes again (an
 * input, a kind, a name) is copied from there instead of being looked through. Texts of findings are kept once mostly,
 * so that equal ones lie in one place. All zero: none; so it is to be when the buffer is emptied. */
typedef struct pf_written_text {
    pf_str text;
    size_t at, size;
} pf_written_text;

typedef struct pf_lately {
    pf_written_text list[64];
} pf_lately;

/* Writes a text that was written lately once more, and returns NULL; or else returns what pf_lately_note takes when
 * the caller has written it. */
static inline pf_written_text *pf_lately_again(pf_lately *l, pf_buffer *b, pf_str s)
{
    uintptr_t at = (uintptr_t)s.ptr;
    pf_written_text *w = &l->list[(at >> 3 ^ at >> 9) % (sizeof l->list / sizeof *l->list)];
    if (!s.ptr || w->text.ptr != s.ptr || w->text.len != s.len) {
        *w = (pf_written_text){s, b->len, 0};
        return w;
    }
    char *room = w->size ? pf_buffer_room(b, w->size) : NULL;
    if (room) {
        memcpy(room, b->data + w->at, w->size);
        b->len += w->size;
    }
    return NULL;
}

static inline void pf_lately_note(pf_written_text *w, const pf_buffer *b)
{
    w->size = b->len - w->at;
}

/* Whether a name holds the unit as a word. */
bool pf_table_says_unit(pf_str name, const char *unit);

/* The heading names the unit where the column's name does not. */
void pf_table_heading(pf_buffer *out, const pf_column *column);

/* In which unit people read a column whose largest magnitude is `most`: values are divided and get three decimals; 1:
 * as they are. name: "" if there is none. */
typedef struct pf_shown_unit {
    const char *name;
    double divisor;
} pf_shown_unit;
pf_shown_unit pf_table_unit(const pf_column *column, double most);

/* The heading in words, with that unit in parentheses: "self (ms)" of self_ns. */
void pf_table_eased_heading(pf_buffer *out, const pf_column *column, const char *unit);

/* A number of the table, which is not NULL. */
static inline double pf_table_value(const pf_column *column, const pf_cell *cell)
{
    return column->type == PF_CELL_INT ? (double)cell->as.i : cell->as.d;
}

/* How many code points a text of valid UTF-8 has. */
size_t pf_table_width(const char *text, size_t len);

void pf_table_repeat(pf_buffer *out, char c, size_t n);

/* csv_text.c: the table as CSV; style may be NULL. */
void pf_table_csv(pf_buffer *out, const pf_table *table, const pf_csv_style *style);

/* ---- json_rows.c ------------------------------------------------------------------------------------------------- */

/* Who wants to see the parts of tables that are made part by part, as they are written. */
typedef struct pf_part_watch {
    void (*see)(void *ctx, const pf_table_builder *t, uint32_t number, const pf_table *part);
    void *ctx;
} pf_part_watch;

/* Where the text of a document goes: into a buffer, and from there into a file whenever much is in it, so that a long
 * text does not take new memory of the system, which costs more than making the text. */
typedef struct pf_json_sink {
    pf_buffer out;
    const pf_part_watch *watch; /* NULL: nobody asks */
    pf_outfile *file;           /* NULL: everything stays in `out` */
    uint64_t written;           /* bytes that the file was given */
    pf_status status;           /* of the file */
    pf_error *err;
} pf_json_sink;

/* Gives the file what is in the buffer, if that is `least` bytes or more; whether it did. */
bool pf_json_sink_empty(pf_json_sink *s, size_t least);

/* When a document on its way to a file does so. */
#define PF_JSON_MUCH (256u * 1024)

/* Whether the rest of a document is to be written. */
static inline bool pf_json_sink_works(const pf_json_sink *s)
{
    return !s->out.failed && s->status == PF_OK;
}

/* A line feed and the blanks of the level; nothing in a document on one line. */
void pf_json_put_line(pf_buffer *b, const pf_json_style *style, size_t level);

/* A text in quotes, escaped as the style says. */
void pf_json_put_styled(pf_buffer *b, const pf_json_style *style, pf_str s);

/* A list of objects, one for each row, with the columns from `from` on; the list stands on `level`. The style is
 * complete: no separator is NULL. */
void pf_json_put_rows(pf_json_sink *s, const pf_json_style *style, const pf_table *t, size_t from, size_t level);

/* The same, part by part. */
void pf_json_put_table(pf_json_sink *s, const pf_json_style *style, const pf_table_builder *t, size_t from,
                       size_t level);

/* ---- json_document.c --------------------------------------------------------------------------------------------- */

/* The text that pf_format_json_styled makes, without all of it being in memory. *written grows by what the file was
 * given. */
pf_status pf_json_write(const pf_node *root, const pf_json_style *style, pf_outfile *file, const pf_part_watch *watch,
                        uint64_t *written, pf_error *err);

/* json_stream.c: visits the report's document and writes it as JSON on one line, ", " and ": " between its parts: into
 * `file`, or into `text` where that is NULL. *len is what was written. */
pf_status pf_json_stream(const pf_report *report, pf_outfile *file, pf_buffer *text, uint64_t *len, pf_error *err);
