/* read/perfetto/args/packet_args.h - arguments of TrackEvents, from their bytes. */
#pragma once

#include "read/perfetto/import/import.h"

pf_status pf_perfetto_event_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                 const pf_arg_visitor *v, pf_error *err);
/* The same; in front of the event stands the utid of the thread it came from, low byte first. */
#define PF_PASSED_BYTES 4u
pf_status pf_perfetto_passed_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                  const pf_arg_visitor *v, pf_error *err);
pf_status pf_perfetto_name_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                const pf_arg_visitor *v, pf_error *err);
/* packet_arg_columns.c: the pf_args_finders of the two. */
pf_status pf_perfetto_find_args(struct pf_arg_piece *p, const uint8_t *bytes, size_t len, uint32_t context,
                                const pf_arg_visitor *v);
pf_status pf_perfetto_find_passed_args(struct pf_arg_piece *p, const uint8_t *bytes, size_t len, uint32_t context,
                                       const pf_arg_visitor *v);
/* The pf_args_checkers of the two. */
unsigned pf_perfetto_check_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context);
unsigned pf_perfetto_check_passed_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context);
/* The generations that the event arguments of this trace refer to; NULL before its first binary input. */
pf_generations *pf_perfetto_generations(const pf_trace *t);
/* Whether the arguments of an event are within --max-depth and --max-keys, found by decoding them. */
bool pf_perfetto_args_fit_decoded(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context);

/* A field like an interned source location is short, but gives several values; there are no more than these. */
#define PF_FIELD_VALUES_MAX 24u

/* Most events are too small to exceed anything, since a level or a value takes two bytes at least, but for fields that
 * are read as a whole. */
static inline bool pf_perfetto_args_are_small(const pf_trace *t, size_t len)
{
    const pf_limits *l = &t->budget.limits;
    return len / 2 <= l->depth && len / 2 + PF_FIELD_VALUES_MAX <= l->keys;
}

/* The same for any size. */
static inline bool pf_perfetto_args_fit(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context)
{
    return pf_perfetto_args_are_small(t, len) || pf_perfetto_args_fit_decoded(t, bytes, len, context);
}
