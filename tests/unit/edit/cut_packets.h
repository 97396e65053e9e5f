/* unit/edit/cut_packets.h - packets built in a buffer, cut, read again, and shown: what the tests of cuts share. */
#ifndef PF_TEST_CUT_PACKETS_H
#define PF_TEST_CUT_PACKETS_H

#include "perfetto/fields.h"
#include "postfetto/postfetto.h"
#include "wire/cursor.h"
#include "wire/writer.h"

/* The packets so far, and what writes them. */
extern pf_buffer bytes;
extern pf_writer w;

void start(void);
void packet(uint64_t ts, uint64_t sequence);
void text(uint32_t field, const char *s);
void intern(uint64_t iid, const char *name);
/* An event whose fields may be added before `done`. */
void event(uint64_t ts, uint64_t sequence, int type, uint64_t track);
void done(void);
void begin(uint64_t ts, uint64_t sequence, uint64_t track, const char *name);
/* On sequence 1. */
void named(uint64_t ts, int type, uint64_t track, const char *name);
void end(uint64_t ts, uint64_t sequence, uint64_t track);
/* A clear with defaults: the clock (0: none) and the track of events without one. */
void clear(uint64_t ts, uint64_t sequence, uint64_t clock, uint64_t track);
void describe(uint64_t uuid, uint64_t parent, const char *name);
void describe_counter(uint64_t uuid, bool incremental);
void count(uint64_t ts, uint64_t sequence, uint64_t track, int64_t value);

/* On sequence 1, what Chrome writes: of the track, or of the sequence's thread. */
void chrome(uint64_t ts, uint64_t track, char phase, uint32_t field, uint64_t value);
/* Sequence 1 is of this thread. */
void begin_thread(uint64_t pid, uint64_t tid, const char *name);
/* A track of a process or a thread, said by a sequence. */
void describe_owner(uint64_t uuid, uint32_t field, uint64_t pid, uint64_t tid, uint64_t sequence, const char *name);

/* Ends the packets; the next ones begin with `start`. */
void write_file(const char *path);
char *read_file(const char *path, size_t *len);
/* Cuts, and compares what is said of it with what is there. */
pf_cut_result cut_file(const char *in, const char *out, pf_cut_options *o, int64_t from, int64_t to);
/* Slices as "name ts dur track", counter values as "ts value", one a line. */
void show(const char *path, pf_buffer *b);

/* Packets but for the one that says of what the trace was cut, a line each, as their fields: N=number, N"text",
 * N{message}. Numbers are those of perfetto/fields.h. */
void show_packets(const char *path, pf_buffer *b);

/* Marks of a cut, as they are shown; a counter's descriptor that is the first one of the output. */
#define BEFORE(ts) "4{10\"cut.begins_before\" 2=1} 4{10\"cut.original_ts\" 4=" #ts "}"
#define AFTER(ts) "4{10\"cut.ends_after\" 2=1} 4{10\"cut.original_end\" 4=" #ts "}"
#define COUNTER_FIRST "10=2120447348 13=1 60{1=8 2\"count\" 8{5=0}}\n"

/* Cuts the packets, and the cut again, which is to be the same, and compares what is shown. */
void expect_with(pf_cut_options *o, int64_t from, int64_t to, const char *want);
void expect_packets_with(pf_cut_options *o, int64_t from, int64_t to, const char *want);
void expect_packets(int64_t from, int64_t to, const char *want);
void expect(int64_t from, int64_t to, const char *want);
/* An end that names b. */
void end_outer(uint64_t ts, uint64_t sequence, uint64_t track);

#endif
