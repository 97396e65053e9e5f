/* wire/wire.h - the few facts of the protobuf wire format that the cursor and the writer share.
 *
 * A message is a run of fields. A field is a tag (a varint: field number << 3 | wire type) and a value whose length the
 * wire type says: a varint, 8 bytes, a varint length with that many bytes, or 4 bytes. A varint holds 7 bits per byte,
 * lowest first; the top bit says that another byte follows; 10 bytes hold 64 bits.
 */
#pragma once

#include <stdint.h>

enum { PF_WIRE_VARINT = 0, PF_WIRE_FIXED64 = 1, PF_WIRE_BYTES = 2, PF_WIRE_FIXED32 = 5 };

/* The tag as a number; usable in case labels. */
#define PF_TAG(field, wire_type) ((uint32_t)(field) << 3 | (uint32_t)(wire_type))
#define PF_TAG_VARINT(field) PF_TAG(field, PF_WIRE_VARINT)
#define PF_TAG_FIXED64(field) PF_TAG(field, PF_WIRE_FIXED64)
#define PF_TAG_BYTES(field) PF_TAG(field, PF_WIRE_BYTES)

/* The same as entries of a table by number (pf_cursor_fields). */
#define PF_AT_VARINT(field) [field] = PF_TAG_VARINT(field)
#define PF_AT_FIXED64(field) [field] = PF_TAG_FIXED64(field)
#define PF_AT_BYTES(field) [field] = PF_TAG_BYTES(field)

/* Bytes of the longest varint. */
#define PF_VARINT_MAX 10
