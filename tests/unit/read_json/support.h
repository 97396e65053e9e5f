/* Reading JSON text that lies in a test, and showing what became of it as text. */
#ifndef TEST_READ_JSON_SUPPORT_H
#define TEST_READ_JSON_SUPPORT_H

#include <criterion/criterion.h>

#include "base/buffer.h"
#include "read/support/reader.h"

/* What follows the text in memory, which must make no difference. */
extern uint8_t slop_byte;

/* Runs the JSON reader over `text` with windows of `step` bytes (0: as usual) and finishes the trace. NULL options are
 * the defaults. The caller frees the trace; a failure of the reader is returned in *st, or asserted if st is NULL. */
pf_trace *load_bytes(const char *text, size_t len, const pf_read_options *o, size_t step, pf_status *st);
pf_trace *load(const char *text);
pf_trace *load_aie(const char *text); /* dialect forced */

/* "PHASE TS DUR NAME CATEGORY PID TID {args}" per event, tables, metadata and stats: everything that reading gives. */
void describe_trace(const pf_trace *t, pf_buffer *out);

/* The arguments of an event, for instance `args.a=1 [args.l 2 3]`; *out is appended to. */
void describe_args(const pf_trace *t, uint32_t row, pf_buffer *out);

uint64_t stat_of(const pf_trace *t, pf_stat_id id);
uint64_t stat_offset_of(const pf_trace *t, pf_stat_id id);
int64_t ts_of(const pf_trace *t, uint32_t row);
bool event_named(const pf_trace *t, uint32_t row, const char *name);
bool string_is(const pf_trace *t, uint32_t id, const char *text);
uint32_t upid_of(const pf_trace *t, uint32_t row);
uint32_t utid_of(const pf_trace *t, uint32_t row);

/* Asserts that the events have exactly these names, in this order, and returns the trace's count of `id`. */
uint64_t expect_names(const char *text, const char *const *names, size_t count, pf_stat_id id);

#endif
