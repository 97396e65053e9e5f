/* edit/select/filters.h - the patterns of a selection, and what they say of names and numbers.
 *
 * A place is what an event belongs to, in words that binary traces and JSON share. */
#pragma once

#include "base/buffer.h"
#include "postfetto/edit.h"

typedef struct pf_edit_place {
    bool has_process, has_thread;
    int64_t pid, tid;
    pf_str process, thread;       /* names; ptr NULL: none */
    pf_str process_id, thread_id; /* that are texts, likewise */
    const pf_str *tracks;         /* the names of the track and of those above it */
    size_t track_count;
} pf_edit_place;

/* Whether the selection looks at places at all. */
bool pf_filters_have_places(const pf_cut_options *o);

/* Whether events of a place are kept. scratch: for names with a NUL after them. */
bool pf_filters_take_place(const pf_cut_options *o, const pf_edit_place *p, pf_buffer *scratch);

/* Whether a slice or an instant with these categories, with commas between, is kept. */
bool pf_filters_take_categories(const pf_cut_options *o, pf_str categories, pf_buffer *scratch);
