/* read/chrome_json/args.h - the text of an args object to visitor calls. */
#ifndef PF_READ_JSON_ARGS_H
#define PF_READ_JSON_ARGS_H

#include "model/trace.h"

/* Visits the members of the object `bytes` (with its braces), keys of the first level prefixed. Readable memory
 * ends one byte behind the object (the arena's NUL). Damage ends the visit early with PF_OK, every begun level ended. */
pf_status pf_json_visit_object(const uint8_t *bytes, size_t len, pf_str prefix, const pf_arg_visitor *v, pf_error *err);

/* The same as a decoder of the trace, with the prefix "args.". */
pf_status pf_json_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err);

#endif
