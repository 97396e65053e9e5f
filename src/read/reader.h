/* read/reader.h - a format: how it is recognised and how it fills a trace. Adding a format is adding one of these to the
 * table in read.c. */
#ifndef PF_READ_READER_H
#define PF_READ_READER_H

#include "read/source.h"

typedef struct pf_reader {
    const char *format;                             /* "chrome-json", "perfetto" */
    bool (*sniff)(const uint8_t *head, size_t len); /* the first plain bytes, up to 4 KiB */

    /* Fills the trace from the source up to its end. `first` is the first window, not yet consumed. A reader that
     * learns at the end that another dialect was right sets t->dialect, *again = true and returns PF_OK: it is called
     * once more on an emptied trace (t->dialect keeps its value and o->dialect equals it). */
    pf_status (*read)(pf_trace *t, pf_input *input, pf_source *s, pf_window first, const pf_read_options *o,
                      bool *again, pf_error *err);
} pf_reader;

extern const pf_reader pf_reader_chrome_json;
extern const pf_reader pf_reader_perfetto;

#endif
