/* read/chrome_json/apply/json_args.h - the text of an args object to visitor calls, that of an outer key to rows. */
#pragma once

#include "model/trace/trace.h"

/* Visits the members of the object `bytes` (with its braces), keys of the first level prefixed. Readable memory
 * ends one byte after the object (the arena's NUL). Damage ends the visit early with PF_OK, every begun level ended.
 */
pf_status pf_json_visit_object(const uint8_t *bytes, size_t len, pf_str prefix, const pf_arg_visitor *v, pf_error *err);

/* Visits the first level of an object, or of a list, as it is written: containers there as NULL. */
typedef pf_status pf_json_member_taker(void *ctx, pf_str key, const pf_value *v);
pf_status pf_json_visit_members(const void *text, size_t len, pf_json_member_taker *take, void *ctx, pf_error *err);

/* pf_json_visit_object as a decoder of the trace, with the prefix "args.". */
pf_status pf_json_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err);

/* A finder of the trace: the same for some keys only. */
pf_status pf_json_find_args(struct pf_arg_piece *p, const uint8_t *bytes, size_t len, uint32_t context,
                            const pf_arg_visitor *v);

/* The value of a bare word: number, true, false, null, or one of the words that JSON does not have. What begins like a
 * number and is none (0x10, 1.2.3) is kept as a text. */
pf_value pf_json_word_value(const char *p, size_t len);

/* json_metadata.c: adds what an outer key says, both as they are written. The members of the object "metadata" become
 * rows json_metadata.MEMBER, any other key a row json.KEY: booleans as 0 and 1, integers, other numbers and texts as
 * text, objects and arrays as their JSON text; null adds nothing. */
pf_status pf_json_add_metadata(pf_trace *t, pf_str key, pf_str value, pf_error *err);
