/* analyze/tinygrad/device/dv_json.h - writing a document member by member. The first failure stays, and nothing is
 * written after it, so that it needs to be read once only. */
#ifndef PF_ANALYZE_TINYGRAD_DV_JSON_H
#define PF_ANALYZE_TINYGRAD_DV_JSON_H

#include "postfetto/trace.h"

typedef struct dv_json {
    const pf_arg_visitor *v;
    pf_status status;
} dv_json;

/* key NULL: an item of a list. */
void pf_dv_object(dv_json *j, const char *key);
void pf_dv_list(dv_json *j, const char *key);
void pf_dv_object_named(dv_json *j, pf_str key);
void pf_dv_int_named(dv_json *j, pf_str key, int64_t v);
void pf_dv_close(dv_json *j);
void pf_dv_int(dv_json *j, const char *key, int64_t v); /* INT64_MIN: null */
void pf_dv_real(dv_json *j, const char *key, double v);
void pf_dv_bool(dv_json *j, const char *key, bool v);
void pf_dv_text(dv_json *j, const char *key, pf_str v);
void pf_dv_word(dv_json *j, const char *key, const char *v);
void pf_dv_null(dv_json *j, const char *key);
/* An integer: the number, or its digits where it has more than 63 bits. */
void pf_dv_wide(dv_json *j, const char *key, int64_t v, pf_str digits);

#endif
