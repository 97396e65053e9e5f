/* tests/differential/diff.h - two decoders over the same packets: the wire cursor and protobuf-c must read the same.
 *
 * walk.c    compares field by field: what the cursor delivers against the struct that protobuf-c unpacked
 * records.c compares the hot decoder's records with that struct, and damaged events with their undamaged part
 * mutate.c  makes damaged packets of good ones, the same ones every time
 * synth.c   makes packets with fields that no trace at hand combines, the same ones every time, too
 * main.c    takes the packets out of files and runs all of this
 */
#ifndef PF_TESTS_DIFFERENTIAL_DIFF_H
#define PF_TESTS_DIFFERENTIAL_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "hot.pb-c.h"

/* Nesting up to which the two are compared: protobuf-c recurses, the cursor does not. */
#define DIFF_DEPTH 64

/* What a walk saw in the bytes of a message and of all its known submessages. */
typedef struct diff_verdict {
    bool malformed;  /* some message ends in the middle of a field */
    bool mismatched; /* a known field has a wire type that is not its own: protobuf-c rejects, we ignore the field */
    bool packed;     /* a repeated number came packed */

    /* The two are known to differ here, and are not compared. */
    bool wide;     /* a tag or a length of more than 5 bytes: legal for us, rejected by protobuf-c */
    bool zero;     /* field number 0: malformed for us, an unknown field for protobuf-c */
    bool loose;    /* a bool with a wire type that is not its own: protobuf-c 1.4.1 takes it, we ignore the field */
    bool overflow; /* a bool whose only bits are beyond the 64th: protobuf-c says true */
    bool repeated; /* a singular submessage twice: protobuf-c merges, the last one wins for us */
    bool deep;     /* more than DIFF_DEPTH levels */
} diff_verdict;

typedef struct diff_counts {
    uint64_t files, packets, mutants, accepted, rejected, excluded, damaged_events, usual, fields;
} diff_counts;

/* Where we are, and what was found. */
typedef struct diff_run {
    const char *file;
    uint64_t packet;   /* index in the file */
    unsigned mutation; /* 0 = as it is in the file */
    const uint8_t *bytes;
    size_t len;
    unsigned failures;
    diff_counts counts;
    struct diff_frame *frames; /* DIFF_DEPTH of them, for walks */
    struct pf_rows *rows;
} diff_run;

/* Prints a difference with its place and the bytes of the packet. */
void diff_report(diff_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct diff_frame *diff_frames_new(void);

/* Walks the bytes as a message of this type. */
diff_verdict diff_survey(diff_run *run, const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t len);

/* Walks the bytes and compares with what protobuf-c made of them. */
void diff_compare(diff_run *run, const ProtobufCMessage *message, const uint8_t *bytes, size_t len);

/* Everything that can be compared about one packet. */
void diff_packet(diff_run *run, const uint8_t *bytes, size_t len);

/* A sequence of numbers that depends on the seed alone; each below the given one. */
uint64_t diff_seed(uint64_t seed);
uint64_t diff_draw(uint64_t *state, uint64_t below);

/* Replaces out by a packet of random fields. False if memory is refused. */
bool diff_synthesize(pf_buffer *out, uint64_t seed);

/* Replaces out by a damaged copy of the packet; seed decides what is damaged. False if memory is refused. */
bool diff_mutate(pf_buffer *out, const uint8_t *bytes, size_t len, uint64_t seed);

#endif
