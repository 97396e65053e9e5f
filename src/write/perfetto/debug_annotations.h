/* write/perfetto/debug_annotations.h - the arguments of an event as debug annotations of the track event being written.
 */
#ifndef PF_WRITE_PERFETTO_DEBUG_ANNOTATIONS_H
#define PF_WRITE_PERFETTO_DEBUG_ANNOTATIONS_H

#include "write/perfetto/args_ahead.h"
#include "write/perfetto/packet_writer.h"

/* Longer texts are not tried. */
#define PF_LIST_BYTES 4096u

/* The walk over the arguments of one event; its memory serves one event after the other. */
typedef struct pf_annotator {
    pf_packets *p;
    const pf_args_ahead *ahead; /* where arguments come from; NULL: the trace */
    pf_buffer nesting;          /* per open container: 'd' or 'a', 'D' or 'A' with entries, 'N' for an array of nulls */
    unsigned arrays;            /* of them arrays */
    bool plain;                 /* the outermost array has nothing but numbers and arrays so far: `list` is its text */
    size_t start;               /* where its entries begin among the bytes of the packet */
    size_t list_len;
    char list[PF_LIST_BYTES];
    bool lossy; /* the arguments of the last event, as they are written, would not come back as the same JSON */
} pf_annotator;

void pf_annotator_init(pf_annotator *a, pf_packets *p);
void pf_annotator_free(pf_annotator *a);

/* Writes the arguments of event `row`; a failure is the packets'. */
void pf_annotate_event(pf_annotator *a, const pf_trace *t, uint32_t row);

/* Whether a number of JSON comes back from the double that it is read as. */
bool pf_real_comes_back(const pf_value *v);

/* One scalar argument. */
void pf_annotate(pf_packets *p, pf_str name, const pf_value *value);

#endif
