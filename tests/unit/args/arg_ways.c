/* arg_ways.c - where a wanted key leads in the arguments of an event, and which numbers a column takes. Expectations
 * are by hand; the quick way through JSON and the walk over all arguments agree on each. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/trace/trace.h"
#include "postfetto/postfetto.h"

/* A trace of events with one text of arguments each. */
static pf_trace *read_args(const char *const *args, size_t count)
{
    char path[] = "/tmp/pf_ways_XXXXXX";
    pf_read_options o = pf_read_options_default();
    const char *paths = path;
    pf_trace *t = NULL;
    pf_error err = {0};
    FILE *f = fdopen(mkstemp(path), "w");
    cr_assert_not_null(f);
    fputs("[", f);
    for (size_t i = 0; i < count; i++) {
        fprintf(f, "%s{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":%zu,\"name\":\"a\",\"args\":%s}", i ? "," : "", i,
                args[i]);
    }
    fputs("]", f);
    fclose(f);
    cr_assert_eq(pf_read(&paths, 1, &o, &t, &err), PF_OK, "%s", err.text);
    unlink(path);
    return t;
}

static pf_arg_columns *columns(const pf_trace *t, const pf_arg_key *keys, size_t count)
{
    pf_arg_columns *c = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_arg_columns_read(t, NULL, 0, keys, count, NULL, &c, &err), PF_OK, "%s", err.text);
    return c;
}

#define NONE INT64_MIN

typedef struct way {
    const char *key, *args;
    int64_t found;
} way;

static const way WAYS[] = {
    {"a", "{\"a\":1}", 1},
    {"args.a", "{\"a\":1}", 1},
    {"debug.a", "{\"a\":1}", 1},
    {"a", "{\"b\":1}", NONE},
    {"a", "{\"A\":1}", NONE},
    {"a", "{\"aa\":1}", NONE},
    {"aa", "{\"a\":1}", NONE},
    {"a", "{\"a\":{\"a\":1}}", NONE},
    {"a", "{\"a\":[1]}", NONE},
    /* into objects */
    {"a.b", "{\"a\":{\"b\":2}}", 2},
    {"a.b", "{\"a.b\":2}", 2},
    {"a.b", "{\"a\":{\"bb\":2}}", NONE},
    {"a.bb", "{\"a\":{\"b\":2}}", NONE},
    {"a.b", "{\"a\":{\"a\":1},\"b\":2}", NONE},
    {"a.b", "{\"a\":{\"c\":{\"b\":2}}}", NONE},
    {"a.b", "{\"a\":{\"c\":{\"b\":2},\"b\":3}}", 3},
    {"a.b.c", "{\"a\":{\"b\":{\"c\":4}}}", 4},
    {"a.b.c", "{\"a\":{\"x\":{},\"b\":{\"x\":[[1]],\"c\":4}}}", 4},
    {"a.b", "{\"c\":{\"a\":{\"b\":2}}}", NONE},
    {"c", "{\"a\":{\"c\":1,\"x\":{\"c\":2}},\"c\":3}", 3},
    {"a.b", "{\"a\":{\"x\":1},\"ab\":5}", NONE},
    /* into lists */
    {"a[0]", "{\"a\":[5,6]}", 5},
    {"a[1]", "{\"a\":[5,6]}", 6},
    {"a[2]", "{\"a\":[5,6]}", NONE},
    {"a[01]", "{\"a\":[5,6]}", 6},
    {"a[10]", "{\"a\":[0,1,2,3,4,5,6,7,8,9,100,11]}", 100},
    {"a[1]", "{\"a\":[[],6]}", 6},
    {"a[1]", "{\"a\":[{\"x\":1},6]}", 6},
    {"a[0][1]", "{\"a\":[[1,2],[3,4]]}", 2},
    {"a[1][0]", "{\"a\":[[1,2],[3,4]]}", 3},
    {"a[0].b", "{\"a\":[{\"b\":7}]}", 7},
    {"a[1].b", "{\"a\":[{\"b\":7},{\"c\":1,\"b\":8}]}", 8},
    {"a.b[0]", "{\"a\":{\"b\":[9]}}", 9},
    {"a.b[0].c[1]", "{\"a\":{\"b\":[{\"c\":[1,2]}]}}", 2},
    /* an object is no list and the other way round */
    {"a[0]", "{\"a\":{\"0\":5}}", NONE},
    {"a[0]", "{\"a\":{\"[0]\":5}}", NONE},
    {"a.0", "{\"a\":[5]}", NONE},
    {"a.b", "{\"a\":[{\"b\":5}]}", NONE},
    {"a[0].b", "{\"a\":{\"b\":5}}", NONE},
    {"a[0].b", "{\"a\":[[5]]}", NONE},
    {"a[0][0]", "{\"a\":[{\"b\":5}]}", NONE},
    /* no index */
    {"a[", "{\"a\":[5]}", NONE},
    {"a[]", "{\"a\":[5]}", NONE},
    {"a[0", "{\"a\":[5]}", NONE},
    {"a[0x]", "{\"a\":[5]}", NONE},
    {"a[-1]", "{\"a\":[5]}", NONE},
    {"a[ 0]", "{\"a\":[5]}", NONE},
    {"a[0]b", "{\"a\":[5]}", NONE},
    {"a[0]b", "{\"a\":[{\"b\":5}]}", NONE},
    {"a[4294967296]", "{\"a\":[5]}", NONE},
    {"a[18446744073709551616]", "{\"a\":[5]}", NONE},
    {"a[4294967295]", "{\"a\":[5]}", NONE},
    /* of one name several times the last one counts */
    {"a", "{\"a\":1,\"b\":3,\"a\":2}", 2},
};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

Test(arg_ways, keys)
{
    const char *args[WAY_COUNT];
    for (size_t i = 0; i < WAY_COUNT; i++) {
        args[i] = WAYS[i].args;
    }
    pf_trace *t = read_args(args, WAY_COUNT);
    for (int quick = 1; quick >= 0; quick--) {
        if (!quick) {
            memset(t->finder, 0, sizeof t->finder);
        }
        for (uint32_t i = 0; i < WAY_COUNT; i++) {
            const pf_arg_key key = {WAYS[i].key, PF_ARG_INT, false};
            pf_arg_columns *c = columns(t, &key, 1);
            const pf_arg_column *column = pf_arg_column_at(c, 0);
            int64_t found = pf_arg_has(column, i) ? column->values.i[i] : NONE;
            cr_expect_eq(found, WAYS[i].found, "%s of %s: %lld", WAYS[i].key, WAYS[i].args, (long long)found);
            pf_arg_columns_free(c);
        }
    }
    pf_trace_free(t);
}

/* All keys at once: what one is not led into another may be. */
Test(arg_ways, many_keys_at_once)
{
    enum { HALF = 30 };
    for (size_t from = 0; from + HALF <= WAY_COUNT; from += WAY_COUNT - HALF) {
        pf_arg_key keys[HALF];
        const char *args[HALF];
        for (size_t i = 0; i < HALF; i++) {
            keys[i] = (pf_arg_key){WAYS[from + i].key, PF_ARG_INT, false};
            args[i] = WAYS[from + i].args;
        }
        pf_trace *t = read_args(args, HALF);
        for (int quick = 1; quick >= 0; quick--) {
            if (!quick) {
                memset(t->finder, 0, sizeof t->finder);
            }
            pf_arg_columns *c = columns(t, keys, HALF);
            for (uint32_t i = 0; i < HALF; i++) {
                const pf_arg_column *column = pf_arg_column_at(c, i);
                int64_t found = pf_arg_has(column, i) ? column->values.i[i] : NONE;
                cr_expect_eq(found, WAYS[from + i].found, "%s of %s", keys[i].key, args[i]);
            }
            pf_arg_columns_free(c);
        }
        pf_trace_free(t);
    }
}

/* What a column of integers, of unsigned ones and of reals takes from a value, a text in quotes included. */
typedef struct value {
    const char *json;
    bool is_int, is_uint, is_real;
    uint64_t bits; /* of the integer */
    double real;
} value;

static const value VALUES[] = {
    {"0", true, true, true, 0, 0},
    {"-0", true, true, true, 0, 0},
    {"true", true, true, true, 1, 1},
    {"false", true, true, true, 0, 0},
    {"null", false, false, false, 0, 0},
    {"9223372036854775807", true, true, true, INT64_MAX, 0x1p63},
    {"9223372036854775808", false, true, true, 1ull << 63, 0x1p63},
    {"-9223372036854775808", true, false, true, 1ull << 63, -0x1p63},
    {"-9223372036854775809", false, false, true, 0, -0x1p63},
    {"18446744073709551615", false, true, true, UINT64_MAX, 0x1p64},
    {"18446744073709551616", false, false, true, 0, 0x1p64},
    {"2.0", true, true, true, 2, 2},
    {"-2.0", true, false, true, (uint64_t)-2, -2},
    {"2.5", false, false, true, 0, 2.5},
    {"1e3", true, true, true, 1000, 1000},
    {"\"5\"", true, true, true, 5, 5},
    {"\"+5\"", true, true, true, 5, 5},
    {"\"-5\"", true, false, true, (uint64_t)-5, -5},
    {"\"-0\"", true, true, true, 0, 0},
    {"\"  \\t\\n\\u000b\\f\\r5 \\r\\t \"", true, true, true, 5, 5},
    {"\"\\u00085\"", false, false, false, 0, 0},
    {"\"\\u000e5\"", false, false, false, 0, 0},
    {"\"5 5\"", false, false, false, 0, 0},
    {"\"\"", false, false, false, 0, 0},
    {"\" \"", false, false, false, 0, 0},
    {"\"-\"", false, false, false, 0, 0},
    {"\"+\"", false, false, false, 0, 0},
    {"\"--5\"", false, false, false, 0, 0},
    {"\"0x1F\"", true, true, true, 31, 31},
    {"\"0Xaf\"", true, true, true, 175, 175},
    {"\"-0x10\"", true, false, true, (uint64_t)-16, -16},
    {"\"0x9fAF09\"", true, true, true, 10465033, 10465033},
    {"\"0xffffffffffffffff\"", false, true, true, UINT64_MAX, 0x1p64},
    {"\"0x10000000000000000\"", false, false, false, 0, 0},
    {"\"0x\"", false, false, false, 0, 0},
    {"\"0xg\"", false, false, false, 0, 0},
    {"\"1f\"", false, false, false, 0, 0},
    {"\"1:\"", false, false, false, 0, 0},
    {"\"1/\"", false, false, false, 0, 0},
    {"\"18446744073709551615\"", false, true, true, UINT64_MAX, 0x1p64},
    {"\"18446744073709551616\"", false, false, true, 0, 0x1p64},
    {"\"-9223372036854775808\"", true, false, true, 1ull << 63, -0x1p63},
    {"\"-9223372036854775809\"", false, false, true, 0, -0x1p63},
    {"\"1.5\"", false, false, true, 0, 1.5},
    {"\"1.0\"", true, true, true, 1, 1},
    {"\"-1.5e1\"", true, false, true, (uint64_t)-15, -15},
    {"\"x\"", false, false, false, 0, 0},
    {"[1]", false, false, false, 0, 0},
    {"{\"v\":1}", false, false, false, 0, 0},
};
enum { VALUE_COUNT = sizeof VALUES / sizeof *VALUES };

static void expect_values(const pf_trace *t, bool from_text)
{
    const pf_arg_key keys[] = {
        {"v", PF_ARG_INT, from_text}, {"v", PF_ARG_UINT, from_text}, {"v", PF_ARG_REAL, from_text}};
    pf_arg_columns *c = columns(t, keys, 3);
    const pf_arg_column *ints = pf_arg_column_at(c, 0), *uints = pf_arg_column_at(c, 1),
                        *reals = pf_arg_column_at(c, 2);
    for (uint32_t i = 0; i < VALUE_COUNT; i++) {
        const value *v = &VALUES[i];
        bool taken = from_text || v->json[0] != '"';
        cr_expect_eq(pf_arg_has(ints, i), taken && v->is_int, "int of %s", v->json);
        cr_expect_eq(pf_arg_has(uints, i), taken && v->is_uint, "uint of %s", v->json);
        cr_expect_eq(pf_arg_has(reals, i), taken && v->is_real, "real of %s", v->json);
        cr_expect(!taken || !v->is_int || (uint64_t)ints->values.i[i] == v->bits, "int of %s", v->json);
        cr_expect(!taken || !v->is_uint || uints->values.u[i] == v->bits, "uint of %s", v->json);
        cr_expect(!taken || !v->is_real || reals->values.d[i] == v->real, "real of %s", v->json);
    }
    pf_arg_columns_free(c);
}

Test(arg_ways, numbers)
{
    static char texts[VALUE_COUNT][64];
    const char *args[VALUE_COUNT];
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "{\"v\":%s}", VALUES[i].json);
        args[i] = texts[i];
    }
    pf_trace *t = read_args(args, VALUE_COUNT);
    for (int quick = 1; quick >= 0; quick--) {
        if (!quick) {
            memset(t->finder, 0, sizeof t->finder);
        }
        expect_values(t, true);
        expect_values(t, false);
    }
    pf_trace_free(t);
}

/* What cannot be a key; 64 columns at most. */
Test(arg_ways, wrong_keys)
{
    static const char *const EMPTY[] = {NULL, "", "args.", "debug."};
    const char *const args[] = {"{\"a\":1}"};
    pf_trace *t = read_args(args, 1);
    for (size_t i = 0; i < 5; i++) {
        pf_arg_key keys[] = {{"a", PF_ARG_INT, false}, {i < 4 ? EMPTY[i] : "a", PF_ARG_INT, false}};
        keys[1].type = i < 4 ? PF_ARG_INT : (pf_arg_type)(PF_ARG_TEXT + 1);
        pf_arg_columns *c = NULL;
        pf_error err = {0};
        cr_expect_eq(pf_arg_columns_read(t, NULL, 0, keys, 2, NULL, &c, &err), PF_ERR_USAGE, "case %zu", i);
        cr_expect_str_eq(err.text, "argument column 1 has no key, or an unknown type", "%s", err.text);
        cr_expect_null(c);
        cr_expect_eq(pf_arg_columns_read(t, NULL, 0, keys, 2, NULL, &c, NULL), PF_ERR_USAGE);
        cr_expect_eq(pf_arg_columns_read(t, NULL, 0, keys, 1, NULL, &c, &err), PF_OK, "the first is one");
        pf_arg_columns_free(c);
    }
    pf_trace_free(t);
}
