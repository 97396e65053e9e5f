/* tests/unit/write/support.h - scratch folders, files, and an independent look into packets. */
#ifndef TEST_WRITE_SUPPORT_H
#define TEST_WRITE_SUPPORT_H

#include <stdio.h>

#include "model/trace/trace.h"
#include "postfetto/write.h"

#include "trace_packet.pb-c.h"

/* A folder of its own for the calling test, removed by test_folder_remove. */
char *test_folder(void);
void test_folder_remove(char *folder);

/* "folder/name", to be freed. */
char *test_path(const char *folder, const char *name);

/* The bytes of a file with a NUL after them, to be freed; fails the test if there is none. */
char *test_read(const char *path, size_t *len);

/* Regular files and folders directly in `folder`, hidden ones too. */
size_t test_entries(const char *folder);

/* Inflates all gzip members. */
char *test_inflate(const char *bytes, size_t len, size_t *plain_len);

/* One packet: the envelope as protobuf-c sees it, and the track event inside as counted from its raw fields. */
typedef struct test_packet {
    Pf__Proto__TracePacket *envelope;
    bool is_event;
    uint64_t type, track, name_iid, category_iid, flow;
    int64_t counter;
    char phase; /* of a legacy event */
    int64_t dur_us, thread_us, thread_dur_us;
    uint64_t bind, binds_here;
    int direction;
    double double_counter;
    bool has_counter, has_double_counter;
    char name[64], category[64]; /* in place or resolved by the interned data so far; "" if none */
    char args[512]; /* "key=value;" in order, containers as key{...} and key[...], JSON texts in <>, texts with an id in
                       "" */
} test_packet;

typedef struct test_packets {
    size_t count;
    test_packet *list;
} test_packets;

/* Decodes a whole trace; fails the test where it is malformed. */
test_packets test_decode(const void *bytes, size_t len);
void test_packets_free(test_packets *p);

/* The n-th packet (from 0) that has a track event, or a track descriptor. */
const test_packet *test_event(const test_packets *p, size_t n);
const Pf__Proto__TrackDescriptor *test_descriptor(const test_packets *p, size_t n);
const Pf__Proto__TrackDescriptor *test_descriptor_of(const test_packets *p, uint64_t uuid); /* the first with it */
size_t test_event_count(const test_packets *p);

/* The value of a trace attribute, "" if there is none. */
const char *test_attribute(const test_packets *p, const char *key, char buf[64]);

bool test_bytes_are(ProtobufCBinaryData bytes, const char *text);

/* ---- traces made by hand ----------------------------------------------------------------------------------------- */

/* A trace that says it came from `format` and whose arguments are texts "key=value;..." (see support.c). */
pf_trace *test_trace(const char *format, uint32_t want);
uint32_t test_string(pf_trace *t, const char *text);
uint32_t test_thread(pf_trace *t, int64_t pid, int64_t tid); /* its track */
uint32_t test_text_thread(pf_trace *t, const char *pid, int64_t tid);
uint32_t test_word_thread(pf_trace *t, int64_t pid, const char *tid);
void test_add(pf_trace *t, uint8_t phase, int64_t ts, int64_t dur, uint32_t track, const char *name,
              const char *category);
void test_args(pf_trace *t, const char *args); /* of the event added last */
void test_finish(pf_trace *t);

/* Finishes, converts and frees the trace: what its .pftrace says. *bytes is what the packets point into, to be freed.
 */
test_packets test_converted(pf_trace *t, char **bytes);

/* 'B', 'E', 'I' or 'C' by the type of an event, or the phase of a legacy one. */
char test_phase(const test_packet *event);

#endif
