/* read/support/dialect.h - who wrote a trace, and what that means for reading it. */
#pragma once

#include "model/trace/trace.h"

/* What readers need to know of a dialect. Which traits a format has a use for is the format's business. */
typedef struct pf_dialect {
    const char *name, *summary;
    pf_time_unit unit;

    /* Ids mean what is written: threads are counted from 0, negative ids stay negative, an absent id is an id of its
     * own. Elsewhere Perfetto's rules hold: negative counts as 0, and thread 0 is the main thread. */
    bool ids_as_written;

    /* The last name that the file gives a process or thread counts, at whatever time it is given. */
    bool last_name_counts;

    /* The inputs of this dialect share their processes, as a group of this name: a pid means the same in all of them.
     * NULL: every input has processes of its own. */
    const char *group;

    /* The key of an event's arguments where it has none under "args"; NULL: nowhere else. */
    const char *args_key;

    /* Whether a process of that name occurs in no other dialect; may be NULL. Readers ask as soon as they read one,
     * since such a dialect changes how everything else is read. */
    bool (*has_process)(pf_str name);
} pf_dialect;

/* The dialect of that name, NULL if there is none. */
const pf_dialect *pf_dialect_named(const char *name);

/* The dialect that a process name gives away, NULL if it is none of those that do. */
const pf_dialect *pf_dialect_of_process(pf_str name);

/* The dialect that has an args_key. A format in which events have keys takes that key in every input, since the dialect
 * shows at the end only; and an event that has arguments there gives the dialect away if nothing else does. */
const pf_dialect *pf_dialect_with_args_key(void);

/* The dialect that the names and metadata of an input give away once it was read; NULL if none shows. */
const pf_dialect *pf_dialect_recognised(const pf_trace *t, const pf_input *in);
