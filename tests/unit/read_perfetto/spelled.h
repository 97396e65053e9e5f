/* Packets spelled as text, and everything that reading them gives, without places in the file.
 *
 * A text is a list of fields, each with its number: 5:-7 a varint, 5=2.5 a double, 5#7 a fixed64, 5%7 a fixed32,
 * 5'text' bytes, 5{...} a message and 5(...) one that is written as it stands. */
#ifndef TEST_READ_PERFETTO_SPELLED_H
#define TEST_READ_PERFETTO_SPELLED_H

#include "support.h"

typedef enum spelling {
    AS_IT_STANDS,
    NOISY,     /* every message within a packet has fields of four types around its own that nobody knows; what nobody
                  knows of the packet itself would be its data */
    DESCENDING /* fields of packets and their messages come in descending order of their numbers */
} spelling;

void spell(bytes *b, const char *fields, spelling how);

/* Slices, samples, events with arguments, threads, metadata, counts of faults, clocks, bounds, and the rows of side
 * tables. */
void show_all(const pf_trace *t, pf_buffer *out);

#endif
