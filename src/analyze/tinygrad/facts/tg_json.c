/* analyze/tinygrad/facts/tg_json.c - a document member by member. */
#include "analyze/tinygrad/facts/tg_input.h"

#include "base/str.h"

static pf_str key_of(const char *key)
{
    return (pf_str){key, key ? strlen(key) : 0};
}

void pf_tg_begin_object_named(tg_json *j, pf_str key)
{
    j->status = j->status == PF_OK ? j->v->begin(j->v->ctx, key, false) : j->status;
}

void pf_tg_begin_object(tg_json *j, const char *key)
{
    pf_tg_begin_object_named(j, key_of(key));
}

void pf_tg_begin_list(tg_json *j, const char *key)
{
    j->status = j->status == PF_OK ? j->v->begin(j->v->ctx, key_of(key), true) : j->status;
}

void pf_tg_end(tg_json *j)
{
    j->status = j->status == PF_OK ? j->v->end(j->v->ctx) : j->status;
}

void pf_tg_put(tg_json *j, pf_str key, pf_value value)
{
    j->status = j->status == PF_OK ? j->v->value(j->v->ctx, key, &value) : j->status;
}

void pf_tg_put_null(tg_json *j, const char *key)
{
    pf_tg_put(j, key_of(key), (pf_value){.type = PF_VALUE_NULL});
}

void pf_tg_put_int_named(tg_json *j, pf_str key, int64_t v)
{
    pf_tg_put(j, key, (pf_value){.type = v == INT64_MIN ? PF_VALUE_NULL : PF_VALUE_INT, .as.i = v});
}

void pf_tg_put_int(tg_json *j, const char *key, int64_t v)
{
    pf_tg_put_int_named(j, key_of(key), v);
}

void pf_tg_put_uint(tg_json *j, const char *key, uint64_t v)
{
    pf_tg_put(j, key_of(key), (pf_value){.type = PF_VALUE_UINT, .as.u = v});
}

void pf_tg_put_real(tg_json *j, const char *key, double v)
{
    pf_tg_put(j, key_of(key), (pf_value){.type = PF_VALUE_REAL, .as.d = v});
}

void pf_tg_put_text(tg_json *j, const char *key, pf_str v)
{
    pf_tg_put(j, key_of(key), (pf_value){.type = PF_VALUE_STRING, .as.s = v.ptr ? v : PF_STR("")});
}

void pf_tg_put_word(tg_json *j, const char *key, const char *v)
{
    pf_tg_put_text(j, key, key_of(v));
}

void pf_tg_put_wide(tg_json *j, const tg_input *in, const char *key, int64_t v, uint32_t digits)
{
    if (digits) {
        pf_tg_put(j, key_of(key), (pf_value){.type = PF_VALUE_JSON, .as.s = pf_tg_string(in, digits)});
    } else {
        pf_tg_put_int(j, key, v);
    }
}

void pf_tg_put_kernel(tg_json *j, const tg_input *in, const char *key, tg_kernel k)
{
    if (k.name) {
        pf_tg_put_text(j, key, pf_tg_string(in, k.name));
    } else {
        pf_tg_put_int(j, key, k.tag);
    }
}

void pf_tg_put_ints(tg_json *j, size_t count, const int64_t *values)
{
    pf_tg_begin_list(j, NULL);
    for (size_t i = 0; i < count; i++) {
        pf_tg_put_int(j, NULL, values[i]);
    }
    pf_tg_end(j);
}

void pf_tg_put_members(tg_json *j, size_t count, const char *const *keys, const int64_t *values)
{
    pf_tg_begin_object(j, NULL);
    for (size_t i = 0; i < count; i++) {
        pf_tg_put_int(j, keys[i], values[i]);
    }
    pf_tg_end(j);
}

void pf_tg_report_document(pf_findings *f, const char *file, pf_tg_visit visit, const void *of)
{
    pf_findings_add_report(
        f, &(pf_report){
               .file = pf_str_of(file), .form = PF_REPORT_JSON_STREAM, .announced = true, .visit = visit, .of = of});
}
