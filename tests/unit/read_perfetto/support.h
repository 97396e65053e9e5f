/* Packets built in a test, read by the binary reader, and shown as text. */
#ifndef TEST_READ_PERFETTO_SUPPORT_H
#define TEST_READ_PERFETTO_SUPPORT_H

#include <criterion/criterion.h>

#include "../../shown_args.h"
#include "base/buffer.h"
#include "perfetto/fields.h"
#include "read/support/reader.h"
#include "wire/writer.h"

/* ---- building ---------------------------------------------------------------------------------------------------- */

typedef struct bytes {
    pf_buffer out;
    pf_writer w;
} bytes;

void start(bytes *b);
void finish(bytes *b);

/* A packet with its envelope; NONE leaves a field out. Ends with pf_writer_end. */
#define NONE UINT64_MAX
void packet(bytes *b, uint64_t ts, uint64_t sequence, uint64_t flags);
void end(bytes *b);

/* Inside a packet. */
void text(bytes *b, uint32_t field, const char *s);
void intern(bytes *b, uint32_t kind, uint64_t iid, const char *s); /* interned_data with one entry */

/* Whole packets. track 0 and name NULL leave the field out. */
void event(bytes *b, uint64_t ts, uint64_t sequence, int type, uint64_t track, const char *name);
void counter_event(bytes *b, uint64_t ts, uint64_t sequence, uint64_t track, double value, bool integer);
void describe_process(bytes *b, uint64_t uuid, int64_t pid, const char *name);
void describe_thread(bytes *b, uint64_t sequence, uint64_t uuid, int64_t pid, int64_t tid, const char *name);
void describe_track(bytes *b, uint64_t uuid, uint64_t parent, const char *name, int merge);
void snapshot(bytes *b, uint64_t sequence, uint64_t flags, const uint64_t (*clocks)[4], size_t count, int primary);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reads the bytes with windows of `step` bytes (0: as usual) and finishes the trace. A failure is stored in *st, or
 * asserted if st is NULL. */
pf_trace *load_bytes(const void *data, size_t len, const pf_read_options *o, size_t step, pf_status *st);
pf_trace *load(const bytes *b);

/* One line per slice: "ts dur depth name category | type track pid tid". */
void show_slices(const pf_trace *t, pf_buffer *out);
/* One line per sample: "ts value | type track unit". */
void show_counters(const pf_trace *t, pf_buffer *out);
/* Everything that reading gives. */
void show_trace(const pf_trace *t, pf_buffer *out);

/* Asserts the text and empties the buffer. */
void expect_text(pf_buffer *got, const char *want);
void expect_slices(const bytes *b, const char *want);

uint64_t stat_of(const pf_trace *t, pf_stat_id id);

#endif
