/* postfetto/author/reader.h - readers: formats as data, each a row with a name, a probe and a function that fills a
 * trace.
 *
 * An input is a file, a stream or a folder. Every reader is shown its first plain bytes (or that it is a folder); the
 * one that is surest gets it. A reader may look for companion files next to its input, or in it where it is a folder.
 * The readers that are built in are listed by pf_reader_at; a caller adds his own with pf_read_options.readers.
 */
#ifndef POSTFETTO_READER_H
#define POSTFETTO_READER_H

#include "postfetto/author/option.h"
#include "postfetto/read.h"
#include "postfetto/side_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the row ----------------------------------------------------------------------------------------------------- */

typedef enum pf_probe { PF_PROBE_NO = 0, PF_PROBE_MAYBE, PF_PROBE_SURE } pf_probe;

/* Bytes that a probe is shown at most. */
#define PF_PROBE_BYTES 4096

/* One input on its way into a trace. Of the thread that called pf_read. */
typedef struct pf_reading pf_reading;

typedef struct pf_reader {
    const char *name;         /* as --input-format takes it: "chrome-json" */
    const char *summary;      /* one line, no final full stop */
    const char *description;  /* a paragraph for --help: folders and companions it takes; may be NULL */
    const char *trace_type;   /* Perfetto's word for the format in metadata and files ("json"); NULL: the name */
    bool own_clock;           /* times count in a clock of the file's own, unrelated to other inputs' */
    const pf_option *options; /* flags of all reading commands; none is required */
    size_t option_count;

    /* The side tables that it fills whatever the input holds, first to last; NULL after the last. They are there, maybe
     * without rows, before `read` is called, and known to thresholds before a file is opened. The member may be NULL.
     */
    const pf_side_spec *(*table)(size_t i);

    /* Whether the input is of this format. head: its first plain bytes, `size` of them, at most PF_PROBE_BYTES; none of
     * a folder. path: as given, "-" for standard input. Content decides, the path may help. */
    pf_probe (*probe)(const uint8_t *head, size_t size, const char *path, bool is_directory);

    /* Whether a folder is one recording, whose files are not inputs of their own; a folder of recordings is none. NULL:
     * no folder is. */
    bool (*is_recording)(const char *folder);

    /* Fills the trace. Damage is counted and survived; errors are what pf_read returns. */
    pf_status (*read)(pf_reading *r, pf_error *err);

    /* Visits what an input is as a document (pf_visit_input): `plain` are the bytes that pf_reading_whole gave out. For
     * formats that say more than tables show; NULL: there is nothing to visit. */
    pf_status (*visit)(const pf_trace *t, pf_bytes plain, const struct pf_arg_visitor *v, pf_error *err);
} pf_reader;

/* The readers that are built in, in the order in which they are asked; the first of the surest gets an input. */
PF_API size_t pf_reader_count(void);
PF_API const pf_reader *pf_reader_at(size_t i);
PF_API const pf_reader *pf_reader_find(const char *name); /* NULL if there is none */

/* Adds the side tables of a reader to a trace; those that it has already stay. */
PF_API pf_status pf_reader_add_tables(const pf_reader *reader, pf_trace *t, pf_error *err);

/* ---- what a reader works with ------------------------------------------------------------------------------------ */

PF_API pf_trace *pf_reading_trace(const pf_reading *r);
PF_API const pf_input *pf_reading_input(const pf_reading *r);
PF_API const pf_read_options *pf_reading_options(const pf_reading *r);

/* The row of the reader itself: a caller's own reader can be part of a struct that holds what it needs. */
PF_API const pf_reader *pf_reading_reader(const pf_reading *r);

/* The value of the reader's option number `option`; the default where the user gave none. */
PF_API const pf_option_value *pf_reading_value(const pf_reading *r, size_t option);

/* The input's plain bytes as a sliding window, for formats that are read as they come. */
typedef struct pf_window {
    const uint8_t *data; /* `len` bytes, then at least 64 readable bytes of any value */
    size_t len;
    uint64_t offset; /* plain offset of data[0] */
    bool last;       /* nothing follows this window */
    bool stable;     /* the bytes live as long as the trace */
} pf_window;

/* The first call (consumed 0) gives the first window. Every other one gives up the first `consumed` bytes of the window
 * and appends at least one byte, unless the input ends (then `last`). Reports progress, polls cancel, tests limits. Not
 * for folders. */
PF_API pf_status pf_reading_next(pf_reading *r, size_t consumed, pf_window *w, pf_error *err);

/* All plain bytes of the input at once; they live as long as the trace and are followed by 64 readable ones. Not
 * together with pf_reading_next, not for folders. */
PF_API pf_status pf_reading_whole(pf_reading *r, pf_bytes *out, pf_error *err);

/* A companion file: name is relative to the folder of the input, or to the input itself where that is a folder, and
 * has no "..", but for one at its beginning. Plain bytes as above, whatever the file is compressed with. PF_OK with
 * out->ptr NULL: there is no such file. */
PF_API pf_status pf_reading_companion(pf_reading *r, const char *name, pf_bytes *out, pf_error *err);

/* The entries of a folder, relative as above ("" or "." is that folder itself), sorted by the bytes of their names;
 * none if there is no such folder. They live as long as the trace. */
typedef struct pf_entry {
    const char *name;
    bool is_directory;
} pf_entry;
PF_API pf_status pf_reading_list(pf_reading *r, const char *folder, const pf_entry **entries, size_t *count,
                                 pf_error *err);

/* Names the group of inputs whose processes the input shares: a pid means the same process in all inputs of the group.
 * To be called before there is a process; without it the input's processes are its own. The caller's merge_pids wins.
 */
PF_API pf_status pf_reading_set_group(pf_reading *r, const char *group, pf_error *err);

/* Says who wrote the input: a name that lives as long as the trace. */
PF_API void pf_reading_set_dialect(pf_reading *r, const char *dialect);

/* Says which of several forms of its format the input has ("layout v2"): a text that lives as long as the trace. */
PF_API void pf_reading_set_variant(pf_reading *r, const char *variant);

#ifdef __cplusplus
}
#endif
#endif
