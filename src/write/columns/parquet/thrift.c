/* write/columns/parquet/thrift.c - see thrift.h. Fields come in the order of their numbers, at most 15 apart. */
#include "write/columns/parquet/thrift.h"

#include "wire/writer.h"

static void put_varint(pf_thrift *t, uint64_t v)
{
    uint8_t bytes[PF_VARINT_MAX];
    pf_buffer_put(t->out, bytes, (size_t)(pf_store_varint(bytes, v) - bytes));
}

static void put_byte(pf_thrift *t, unsigned v)
{
    uint8_t byte = (uint8_t)v;
    pf_buffer_put(t->out, &byte, 1);
}

static void put_field(pf_thrift *t, unsigned field, pf_thrift_type type)
{
    if (field) {
        unsigned *last = &t->last[t->depth - 1];
        put_byte(t, (field - *last) << 4 | type);
        *last = field;
    }
}

void pf_thrift_begin(pf_thrift *t, unsigned field)
{
    put_field(t, field, PF_THRIFT_STRUCT);
    t->last[t->depth++] = 0;
}

void pf_thrift_end(pf_thrift *t)
{
    t->depth--;
    put_byte(t, 0);
}

void pf_thrift_number(pf_thrift *t, unsigned field, pf_thrift_type type, int64_t v)
{
    put_field(t, field, type);
    if (type == PF_THRIFT_I8) {
        put_byte(t, (uint8_t)v);
    } else {
        put_varint(t, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
    }
}

void pf_thrift_bool(pf_thrift *t, unsigned field, bool v)
{
    put_field(t, field, v ? PF_THRIFT_TRUE : PF_THRIFT_FALSE);
}

void pf_thrift_text(pf_thrift *t, unsigned field, pf_str v)
{
    put_field(t, field, PF_THRIFT_TEXT);
    put_varint(t, v.len);
    pf_buffer_put(t->out, v.ptr, v.len);
}

void pf_thrift_list(pf_thrift *t, unsigned field, pf_thrift_type type, size_t count)
{
    put_field(t, field, PF_THRIFT_LIST);
    if (count < 15) {
        put_byte(t, (unsigned)count << 4 | type);
    } else {
        put_byte(t, 0xf0u | type);
        put_varint(t, count);
    }
}
