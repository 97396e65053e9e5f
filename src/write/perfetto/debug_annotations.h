/* write/perfetto/debug_annotations.h - the arguments of an event as debug annotations of the track event being written.
 */
#pragma once

#include "model/trace/trace.h"
#include "postfetto/trace.h"
#include "write/perfetto/packet_writer.h"

/* ---- args_ahead.c ------------------------------------------------------------------------------------------------ */

/* Arguments of events that will be written soon, decoded by other threads.
 *
 * Decoding the arguments of an event is most of what its packet costs, and needs nothing but the trace: helpers visit
 * those of a block of events and record what they see. Whoever writes the packets plays it back, event by event in the
 * order that was announced. What is played back is what a visit would have shown.
 *
 * What it brings to conversions of JSON to .pftrace with two threads: 15 to 23 % of the time for JSON like PyTorch's, 3
 * to 5 % for gen_trace's. */

typedef struct pf_args_ahead pf_args_ahead;

/* For the events order[0..count) (NULL: 0 to count - 1), with so many threads in all; 0 means two. NULL if there is
 * nothing to gain: no second thread, few arguments, a builder's own ones, or no memory. `order` is used until the end.
 */
pf_args_ahead *pf_args_ahead_start(const pf_trace *t, const uint32_t *order, uint32_t count, unsigned jobs,
                                   pf_budget *budget);
void pf_args_ahead_stop(pf_args_ahead *a); /* NULL is legal */

/* Place `i` of the order is written next; places ascend by one. */
void pf_args_ahead_next(pf_args_ahead *a, uint32_t i);

/* pf_trace_visit_args, with raw names, for the event at that place, from the record where there is one. */
pf_status pf_args_ahead_visit(const pf_args_ahead *a, uint32_t row, const pf_arg_visitor *v, pf_error *err);

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

/* ---- short_number.c ---------------------------------------------------------------------------------------------- */

#define PF_SHORT_NUMBER_MAX 24

/* The text of an integer, or of a real with at most three decimals that reads back to it, exactly and in the way that
 * Perfetto reads numbers (base/text/number.h). Returns its length, without a NUL; 0 if there is none. */
size_t pf_short_number(const pf_value *value, char out[PF_SHORT_NUMBER_MAX]);
