/* write/columns/parquet/thrift.h - Thrift's compact protocol, as far as the metadata of Parquet files needs it.
 *
 * A struct is a run of fields and a zero byte. A field is a byte, (steps since the number of the field before) << 4 |
 * type, and a value: integers as zigzag varints, texts as a varint length and bytes, lists as count << 4 | type (or
 * 0xf0 | type and a varint) and their elements. An element of a list has no byte in front: its field is 0 here.
 *
 *     pf_thrift_begin(t, 0);                      the outermost struct
 *     pf_thrift_number(t, 1, PF_THRIFT_I32, 2);
 *     pf_thrift_list(t, 2, PF_THRIFT_TEXT, 1);
 *     pf_thrift_text(t, 0, PF_STR("ts"));
 *     pf_thrift_end(t);
 *
 * Refused memory makes the buffer fail for good (pf_buffer.failed). */
#pragma once

#include "base/buffer.h"

#define PF_THRIFT_DEPTH 8 /* structs in structs */

typedef enum pf_thrift_type {
    PF_THRIFT_TRUE = 1,
    PF_THRIFT_FALSE = 2,
    PF_THRIFT_I8 = 3,
    PF_THRIFT_I32 = 5,
    PF_THRIFT_I64 = 6,
    PF_THRIFT_TEXT = 8,
    PF_THRIFT_LIST = 9,
    PF_THRIFT_STRUCT = 12
} pf_thrift_type;

typedef struct pf_thrift {
    pf_buffer *out;
    unsigned depth;                 /* structs that are open, */
    unsigned last[PF_THRIFT_DEPTH]; /* and the field that each had last */
} pf_thrift;

void pf_thrift_begin(pf_thrift *t, unsigned field);
void pf_thrift_end(pf_thrift *t);
void pf_thrift_number(pf_thrift *t, unsigned field, pf_thrift_type type, int64_t v);
void pf_thrift_bool(pf_thrift *t, unsigned field, bool v); /* not as an element */
void pf_thrift_text(pf_thrift *t, unsigned field, pf_str v);
void pf_thrift_list(pf_thrift *t, unsigned field, pf_thrift_type type, size_t count);

/* A struct without fields, which stands for a choice. */
static inline void pf_thrift_choice(pf_thrift *t, unsigned field)
{
    pf_thrift_begin(t, field);
    pf_thrift_end(t);
}
