/* analyze/tinygrad/facts/tg_input.h - the side tables of a profile as plain columns, those of what devices recorded
 * included.
 *
 * The tables are those that docs/reference/tinygrad.md describes; their rows are in the order of the file, so that rows
 * that belong to an event, a stream or an execution are found by its number. */
#pragma once

#include <stddef.h>

#include "postfetto/author/pass.h"
#include "postfetto/side_table.h"

/* The tables with the columns that are read: a text or row (a string id or row number), an integer (INT64_MIN: NULL), a
 * real. A column is a member of its name, but for AS. */
#define TG_TABLES(TABLE, ROW, INT, REAL, AS)                                                                           \
    TABLE(profiles, "tinygrad_profile", ROW(generation))                                                               \
    TABLE(events, "tinygrad_event", ROW(kind) ROW(device) ROW(name) INT(ts) INT(end) REAL(dur) INT(copy) ROW(graph))   \
    TABLE(notes, "tinygrad_note", ROW(event) ROW(returned) ROW(stack) ROW(profile_key) INT(bytes))                     \
    TABLE(memory, "tinygrad_memory", ROW(event) ROW(action) ROW(dtype) INT(buffer) INT(item_bytes) INT(items))         \
    TABLE(runs, "tinygrad_run", ROW(event) ROW(kernel) ROW(metadata) INT(run))                                         \
    TABLE(uses, "tinygrad_run_buffer", ROW(run) INT(buffer) INT(position) INT(mode))                                   \
    TABLE(variables, "tinygrad_variable", ROW(run) ROW(name) INT(value))                                               \
    TABLE(executions, "tinygrad_execution", ROW(event) ROW(run))                                                       \
    TABLE(markers, "tinygrad_marker", ROW(event) ROW(name) ROW(colour))                                                \
    TABLE(dependencies, "tinygrad_dependency", ROW(after))                                                             \
    TABLE(calls, "tinygrad_call", ROW(file) ROW(function) ROW(code) ROW(caller) INT(line))                             \
    TABLE(points, "tinygrad_sample", ROW(event) ROW(digits) INT(value))                                                \
    TABLE(jsons, "tinygrad_json", ROW(key) ROW(json))                                                                  \
    TABLE(programs, "tinygrad_program", ROW(name) ROW(target) ROW(code) INT(tag) INT(base))                            \
    TABLE(codes, "tinygrad_code", ROW(program) INT(pc) INT(size))                                                      \
    TABLE(streams, "tinygrad_sqtt",                                                                                    \
          ROW(event) ROW(kernel) ROW(program) ROW(first_packet) INT(tag) INT(se) INT(itrace) INT(exec_tag) INT(bytes)  \
              INT(packets) INT(first_time) INT(last_time) INT(layout) INT(waves_open) INT(unmatched_ends)              \
                  INT(max_waves) INT(wave_cycles) INT(instructions) INT(slices))                                       \
    TABLE(counts, "tinygrad_sqtt_count", ROW(stream) ROW(kind) INT(packets))                                           \
    TABLE(packets, "tinygrad_sqtt_packet", ROW(kind) INT(time) INT(raw))                                               \
    TABLE(fields, "tinygrad_sqtt_field", ROW(kind) ROW(field) ROW(words) INT(high) INT(low) INT(shift))                \
    TABLE(words, "tinygrad_sqtt_word", ROW(words) ROW(name) INT(code))                                                 \
    TABLE(waves, "tinygrad_sqtt_wave", ROW(stream) ROW(slot) INT(start) INT(end))                                      \
    TABLE(slots, "tinygrad_sqtt_slot", INT(cu) INT(simd) INT(wave))                                                    \
    TABLE(clock, "tinygrad_sqtt_clock", ROW(stream) INT(time) INT(hz))                                                 \
    TABLE(instructions, "tinygrad_sqtt_instruction", ROW(stream) INT(pc) INT(hits) INT(gap) INT(wait))                 \
    TABLE(unit_slices, "tinygrad_sqtt_slice",                                                                          \
          ROW(stream) ROW(row) ROW(name) ROW(link) INT(start) INT(length) INT(pc) INT(index))                          \
    TABLE(counters, "tinygrad_pmc",                                                                                    \
          ROW(event) ROW(kernel) ROW(name) ROW(block) ROW(sum_digits) ROW(first_value) AS(reg, "register") INT(tag)    \
              INT(exec_tag) INT(xcc) INT(instances) INT(se) INT(sa) INT(wgp) INT(offset) INT(size) INT(sum)            \
                  INT(values))                                                                                         \
    TABLE(values, "tinygrad_pmc_value", ROW(digits) INT(value))                                                        \
    TABLE(samplings, "tinygrad_pma",                                                                                   \
          ROW(event) ROW(kernel) ROW(first_sample) INT(tag) INT(sm_version) INT(bytes) INT(samples))                   \
    TABLE(stalls, "tinygrad_pma_stall", ROW(stream) ROW(reason) INT(pc) INT(samples))                                  \
    TABLE(samples, "tinygrad_pma_sample",                                                                              \
          ROW(reason) INT(gpc) INT(tpc) INT(sm) INT(pc) INT(key) INT(wave) INT(active))                                \
    TABLE(records, "tinygrad_record", ROW(kernel) ROW(event))

#define TG_ROW(name) const uint32_t *name;
#define TG_INT(name) const int64_t *name;
#define TG_REAL(name) const double *name;
#define TG_AS(member, name) const uint32_t *member;
#define TG_STRUCT(table, name, columns)                                                                                \
    typedef struct tg_##table {                                                                                        \
        uint32_t count;                                                                                                \
        columns                                                                                                        \
    } tg_##table;
TG_TABLES(TG_STRUCT, TG_ROW, TG_INT, TG_REAL, TG_AS)

/* Values of tinygrad_event.kind, as string ids; PF_NONE where the trace has none of that kind. */
typedef struct tg_kinds {
    uint32_t range, point, entry, batch;
} tg_kinds;

/* Which program wrote the profile: what its viewer shows differs. */
typedef enum tg_generation { TG_DEC25 = 0, TG_MID26, TG_AUG26 } tg_generation;

typedef struct tg_input {
    const pf_trace *t;
    pf_findings *f; /* names are made there */
    const struct tg_estimates *estimates;
#define TG_MEMBER(table, name, columns) tg_##table table;
    TG_TABLES(TG_MEMBER, , , , )
    tg_kinds kinds;
    tg_generation generation;
    uint32_t event_count; /* items of the list that are events */
} tg_input;

/* PF_ERR_INPUT: the tables are not those of this release's reader. */
pf_status pf_tg_open(tg_input *in, const pf_trace *t, pf_findings *f, const struct tg_estimates *estimates,
                     pf_error *err);

/* Rows first .. end - 1. */
typedef struct tg_rows {
    uint32_t first, end;
} tg_rows;

/* The rows of an ascending column that have this value; the first one, or PF_NONE. */
tg_rows pf_tg_rows_of(const uint32_t *column, uint32_t count, uint32_t value);
uint32_t pf_tg_find(const uint32_t *column, uint32_t count, uint32_t value);

static inline int64_t pf_tg_us(int64_t ns) /* whole microseconds, towards zero */
{
    return ns / 1000;
}

pf_str pf_tg_string(const tg_input *in, uint32_t id);
bool pf_tg_is(const tg_input *in, uint32_t id, const char *text);

/* How a stream names its program: a text, or a number. */
typedef struct tg_kernel {
    uint32_t name;
    int64_t tag;
} tg_kernel;

/* The program that it names, PF_NONE: it is not in the profile. The last one counts. */
uint32_t pf_tg_program_of(const tg_input *in, tg_kernel k);

/* Its name: the program's, or what the stream says. */
pf_str pf_tg_kernel_name(const tg_input *in, tg_kernel k);

/* tg_input.c: events.json, every event of the profile plainly, in the order of the file. Tables have what can be
 * measured; the rest is in the input, which is read once more. */
pf_status pf_tg_visit_events(const void *of, const pf_arg_visitor *v, pf_error *err);

/* ---- tg_json.c: writing a document member by member -------------------------------------------------------------- */

/* The first failure stays, and nothing is written after it, so that it needs to be read once only. */
typedef struct tg_json {
    const pf_arg_visitor *v;
    pf_error *err;
    pf_status status;
} tg_json;

/* key NULL: an item of a list, or the document. */
void pf_tg_begin_object(tg_json *j, const char *key);
void pf_tg_begin_list(tg_json *j, const char *key);
void pf_tg_begin_object_named(tg_json *j, pf_str key);
void pf_tg_end(tg_json *j);
void pf_tg_put(tg_json *j, pf_str key, pf_value value);
void pf_tg_put_int(tg_json *j, const char *key, int64_t v); /* INT64_MIN: null */
void pf_tg_put_int_named(tg_json *j, pf_str key, int64_t v);
void pf_tg_put_uint(tg_json *j, const char *key, uint64_t v);
void pf_tg_put_real(tg_json *j, const char *key, double v);
void pf_tg_put_text(tg_json *j, const char *key, pf_str v);
void pf_tg_put_word(tg_json *j, const char *key, const char *v);
void pf_tg_put_null(tg_json *j, const char *key);
/* An integer: the number, or its digits (a string id, else 0) where it has more than 63 bits. */
void pf_tg_put_wide(tg_json *j, const tg_input *in, const char *key, int64_t v, uint32_t digits);

/* The kernel as documents name it: its text or its number. */
void pf_tg_put_kernel(tg_json *j, const tg_input *in, const char *key, tg_kernel k);

/* An item that is a list of integers; one that is an object of them, in their order. */
void pf_tg_put_ints(tg_json *j, size_t count, const int64_t *values);
void pf_tg_put_members(tg_json *j, size_t count, const char *const *keys, const int64_t *values);

/* Reports a document that is visited while its file is written. The name is static. */
typedef pf_status (*pf_tg_visit)(const void *of, const pf_arg_visitor *v, pf_error *err);
void pf_tg_report_document(pf_findings *f, const char *file, pf_tg_visit visit, const void *of);
