/* analyze/tinygrad/device/dv_json.c - a document member by member. */
#include "analyze/tinygrad/device/dv_json.h"

#include <string.h>

static pf_str key_of(const char *key)
{
    return (pf_str){key, key ? strlen(key) : 0};
}

void pf_dv_object_named(dv_json *j, pf_str key)
{
    if (j->status == PF_OK) {
        j->status = j->v->begin_object(j->v->ctx, key);
    }
}

void pf_dv_object(dv_json *j, const char *key)
{
    pf_dv_object_named(j, key_of(key));
}

void pf_dv_list(dv_json *j, const char *key)
{
    if (j->status == PF_OK) {
        j->status = j->v->begin_array(j->v->ctx, key_of(key));
    }
}

void pf_dv_close(dv_json *j)
{
    if (j->status == PF_OK) {
        j->status = j->v->end(j->v->ctx);
    }
}

static void put_named(dv_json *j, pf_str key, const pf_value *v)
{
    if (j->status == PF_OK) {
        j->status = j->v->value(j->v->ctx, key, v);
    }
}

static void put(dv_json *j, const char *key, const pf_value *v)
{
    put_named(j, key_of(key), v);
}

void pf_dv_null(dv_json *j, const char *key)
{
    put(j, key, &(pf_value){.type = PF_VALUE_NULL});
}

void pf_dv_int_named(dv_json *j, pf_str key, int64_t v)
{
    const pf_value value = {.type = PF_VALUE_INT, .as.i = v};
    const pf_value null = {.type = PF_VALUE_NULL};
    put_named(j, key, v == INT64_MIN ? &null : &value);
}

void pf_dv_int(dv_json *j, const char *key, int64_t v)
{
    pf_dv_int_named(j, key_of(key), v);
}

void pf_dv_real(dv_json *j, const char *key, double v)
{
    put(j, key, &(pf_value){.type = PF_VALUE_REAL, .as.d = v});
}

void pf_dv_bool(dv_json *j, const char *key, bool v)
{
    put(j, key, &(pf_value){.type = PF_VALUE_BOOL, .as.b = v});
}

void pf_dv_text(dv_json *j, const char *key, pf_str v)
{
    put(j, key, &(pf_value){.type = PF_VALUE_STRING, .as.s = v.ptr ? v : PF_STR("")});
}

void pf_dv_word(dv_json *j, const char *key, const char *v)
{
    pf_dv_text(j, key, (pf_str){v, strlen(v)});
}

void pf_dv_wide(dv_json *j, const char *key, int64_t v, pf_str digits)
{
    if (digits.ptr) {
        put(j, key, &(pf_value){.type = PF_VALUE_JSON, .as.s = digits});
    } else {
        pf_dv_int(j, key, v);
    }
}
