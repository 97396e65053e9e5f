/* read/neutrino/kernel_schema.h - what the records of an in-kernel profiler hold, as a YAML file says it
 * (docs/reference/in-kernel.md). */
#pragma once

#include "postfetto/document.h"

#define KERNEL_FIELDS_MAX 32u
#define KERNEL_NO_FIELD UINT32_MAX

/* Some bits of the record (or the record's number in the file), divided and reduced. */
typedef struct kernel_field {
    pf_str name;
    bool position;
    uint64_t bit, bits;          /* from the lowest bit of the first byte on */
    uint64_t divide, modulo;     /* 0: not */
    pf_str divide_by, modulo_by; /* a field of the header with the number; ptr NULL: none */
} kernel_field;

typedef struct kernel_fields {
    kernel_field field[KERNEL_FIELDS_MAX];
    uint32_t count;
} kernel_fields;

typedef struct kernel_schema {
    pf_document *document; /* texts point into it */
    pf_str name;
    uint64_t record_bytes, header_bytes;
    uint64_t unit_records; /* of a block or warp, after a head of its own; 0: all records follow each other */
    uint64_t unit_head;    /* bytes */
    bool zero_is_record;   /* else records of all zero bytes are unused */
    kernel_fields header, record;
    uint32_t time, end, length, phase, event; /* fields of the record, or KERNEL_NO_FIELD */
    double ns;                                /* of a unit of time */
    uint64_t begins, ends, instant;           /* values of `phase` */
    const pf_node *names;                     /* of events: by number, or NULL */
    pf_str track, group;                      /* texts with {field}; group may be empty */
} kernel_schema;

/* Reads the text of a schema; PF_ERR_INPUT says which member is wrong. Released with pf_kernel_schema_free. */
pf_status pf_kernel_schema_read(pf_str text, kernel_schema *s, pf_error *err);
void pf_kernel_schema_free(kernel_schema *s);

uint32_t pf_kernel_find_field(const kernel_fields *f, pf_str name);

/* The name of event number v; {NULL, 0} if it has none. */
pf_str pf_kernel_event_name(const kernel_schema *s, uint64_t v);

/* Numbers out of the header take their places; false where one is 0 or the header is cut. */
bool pf_kernel_apply_header(kernel_schema *s, const uint8_t *file, size_t size);

/* The value of a field of record number `index`, whose bytes are at p. */
uint64_t pf_kernel_value(const kernel_field *f, const uint8_t *p, uint64_t index);
