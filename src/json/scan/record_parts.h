/* json/scan/record_parts.h - what the parts of a record refer to, and the members of an object as they are written. */
#pragma once

#include "model/trace/trace.h"
#include "json/scan/json_record.h"

/* The text that `ref` refers to, a record's name or category; ptr NULL: absent or empty. */
pf_json_text pf_json_text_of(const pf_json_piece *piece, uint32_t ref);

/* The name of the event between its quotes. */
pf_str pf_json_name_of(const pf_json_piece *piece, const pf_json_record *r);

/* Rare members are absent where the record has none; the id is asked for by itself. */
const pf_json_rare *pf_json_rare_of(const pf_json_piece *piece, const pf_json_record *r);
pf_json_id pf_json_id_of(const pf_json_piece *piece, const pf_json_record *r);

static inline pf_json_text pf_json_args_of(const pf_json_piece *piece, const pf_json_record *r)
{
    return (pf_json_text){r->args_len ? piece->base + r->args : NULL, r->args_len, false};
}

/* An id of digits as written becomes an integer. */
void pf_json_settle_digits(pf_json_id *id);

/* The next member of an object at *at, which is moved after it; false at the end of the object. */
typedef struct pf_json_member {
    pf_str key, value; /* the key between its quotes, the value as written */
} pf_json_member;
bool pf_json_next_member(const uint8_t **at, const uint8_t *end, pf_json_member *m);

/* Adds a piece's counts of faults to those of the trace. */
void pf_json_merge_faults(pf_trace *t, const pf_json_faults *f);
