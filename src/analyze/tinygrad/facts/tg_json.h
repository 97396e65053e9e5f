/* analyze/tinygrad/facts/tg_json.h - writing a document member by member. The first failure stays, and nothing is
 * written after it, so that it needs to be read once only. */
#ifndef PF_ANALYZE_TINYGRAD_FACTS_TG_JSON_H
#define PF_ANALYZE_TINYGRAD_FACTS_TG_JSON_H

#include "analyze/tinygrad/facts/tg_input.h"

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

#endif
