/* perfetto/cold.h - rare messages as protobuf-c structs, safely.
 *
 * protobuf-c rejects a whole message for one malformed field, merges repeated submessages and trusts its input's
 * nesting; Perfetto keeps what is before a malformed field and lets the last submessage win. So the bytes are first
 * walked with the wire cursor along the message's descriptor and written anew: known fields of the right wire type
 * only, the last of repeated singular submessages, each message up to its first malformed field, packed lists
 * unrolled. What is unpacked then is well-formed by construction, and as deep as the schema, which is not recursive.
 */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/buffer.h"

/* Space for one message at a time. */
typedef struct pf_cold {
    pf_budget *budget;
    pf_arena arena;  /* the structs; emptied by every unpacking */
    pf_buffer clean; /* the bytes written anew */
} pf_cold;

void pf_cold_init(pf_cold *c, pf_budget *budget);
void pf_cold_free(pf_cold *c);

/* The message in these bytes, valid until the next call. NULL if memory was refused, then *err is filled. */
ProtobufCMessage *pf_cold_unpack(pf_cold *c, const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                                 size_t len, pf_error *err);

/* A text of such a struct, which is no NULL if there is none. */
static inline pf_str pf_text_of(ProtobufCBinaryData text)
{
    return (pf_str){text.len ? (const char *)text.data : "", text.len};
}
