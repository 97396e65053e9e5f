/* read/support/reader.h - a reading as the library's own readers and pf_read see it. Adding a format is adding a row to
 * the table in readers.c. */
#pragma once

#include "base/files/operands.h"
#include "postfetto/author/reader.h"
#include "read/input/source.h"
#include "read/support/dialect.h"

struct pf_reading {
    pf_trace *t;
    pf_input *input;
    const pf_input *after; /* the input that is read next; NULL: none */
    const pf_reader *reader;
    const pf_read_options *o;
    const pf_option_value *values; /* parallel to reader->options */
    pf_source *source;             /* NULL: a folder */
    pf_window first;               /* the first window: was fetched to be probed and is not consumed */
    bool taken;                    /* pf_reading_next gave it out */
    const pf_dialect *dialect;     /* what the input is to be read as; NULL: recognise */

    const pf_dialect *hint; /* what inputs before it were, which decides the group that is tried; may be NULL */

    /* Set by a reader that learns too late that a dialect was right which changes what was read: everything is
     * forgotten and the input read again with that one. */
    const pf_dialect *again;
};

/* What the input is: dialect and unit. */
static inline void pf_reading_take_dialect(pf_reading *r, const pf_dialect *d)
{
    r->input->dialect = d->name;
    r->input->unit = d->unit;
}

/* reading.c: the whole contents of a file that a reader asked for; NULL if none did. */
pf_kept *pf_kept_find(const pf_trace *t, const char *path);

extern const pf_reader pf_reader_chrome_json;
extern const pf_reader pf_reader_perfetto;
extern const pf_reader pf_reader_ascend_csv;
extern const pf_reader pf_reader_tinygrad;
extern const pf_reader pf_reader_neutrino;
extern const pf_reader pf_reader_partial;

/* readers.c: the reader for an input, of the caller's own and those that are built in; NULL with the reason in err
 * (PF_ERR_INPUT): empty, a format that is known and not read, or none that is known. */
const pf_reader *pf_reader_choose(const pf_read_options *o, const uint8_t *head, size_t len, const char *path,
                                  bool is_directory, pf_error *err);

/* readers.c: the reader of that name; NULL if there is none. */
const pf_reader *pf_reader_named(const pf_read_options *o, const char *name);

/* readers.c: the values of a reader's options, in the arena, to be released; NULL with the reason in err. */
pf_option_value *pf_reader_values(const pf_reader *reader, const pf_read_options *o, pf_arena *arena, pf_error *err);

/* readers.c: whether every setting names an option that some reader has. */
pf_status pf_reader_check_settings(const pf_read_options *o, pf_error *err);
