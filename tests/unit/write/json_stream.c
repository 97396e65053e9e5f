/* json_stream.c - documents that are visited while they are written: the same text in memory and in a file, however
 * large it is, and an end of whatever was begun. */
#include "support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static pf_status put(const pf_arg_visitor *v, const char *key, pf_value value)
{
    return v->value(v->ctx, (pf_str){key, key ? strlen(key) : 0}, &value);
}

/* All types, nested, with an array left open. */
static pf_status visit_types(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    (void)of, (void)err;
    v->begin(v->ctx, (pf_str){NULL, 0}, false);
    put(v, "none", (pf_value){.type = PF_VALUE_NULL});
    put(v, "a\"b", (pf_value){.type = PF_VALUE_BOOL, .as.b = true});
    v->begin(v->ctx, PF_STR("list"), true);
    put(v, NULL, (pf_value){.type = PF_VALUE_INT, .as.i = -7});
    put(v, NULL, (pf_value){.type = PF_VALUE_UINT, .as.u = UINT64_MAX});
    put(v, NULL, (pf_value){.type = PF_VALUE_REAL, .as.d = 0.5});
    v->begin(v->ctx, (pf_str){NULL, 0}, false);
    v->end(v->ctx);
    put(v, NULL, (pf_value){.type = PF_VALUE_REAL, .spelling = PF_STR("123456789012345678901")});
    put(v, NULL, (pf_value){.type = PF_VALUE_JSON, .as.s = PF_STR("{\"x\":1}")});
    return put(v, NULL, (pf_value){.type = PF_VALUE_STRING, .as.s = PF_STR("t\n")});
}

Test(json_stream, types_keys_and_levels)
{
    const pf_report r = {.form = PF_REPORT_JSON_STREAM, .visit = visit_types};
    char *text;
    size_t len;
    pf_error err;
    cr_assert_eq(pf_format_report(&r, &text, &len, &err), PF_OK);
    cr_expect_str_eq(text, "{\"none\": null, \"a\\\"b\": true, \"list\": [-7, 18446744073709551615, 0.5, {}, "
                           "123456789012345678901, {\"x\":1}, \"t\\n\"]}");
    free(text);
}

enum { MANY = 200000 };

static pf_status visit_many(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    pf_status st = v->begin(v->ctx, (pf_str){NULL, 0}, true);
    for (int64_t i = 0; st == PF_OK && i < MANY; i++) {
        st = put(v, NULL, (pf_value){.type = PF_VALUE_INT, .as.i = i});
    }
    return st == PF_OK && of ? pf_fail(err, PF_ERR_LIMIT, "enough") : st;
}

Test(json_stream, a_large_document_is_the_same_in_a_file)
{
    char *folder = test_folder(), *path = test_path(folder, "many.json");
    pf_report r = {.form = PF_REPORT_JSON_STREAM, .visit = visit_many};
    uint64_t written = 0;
    pf_write_options o = pf_write_options_default();
    o.written = &written;
    pf_error err;
    char *text;
    size_t len, stored;
    cr_assert_eq(pf_write_report(&r, path, &o, &err), PF_OK);
    cr_assert_eq(pf_format_report(&r, &text, &len, &err), PF_OK);
    char *bytes = test_read(path, &stored);
    cr_expect_eq(stored, len);
    cr_expect_eq(written, len);
    cr_expect_str_eq(bytes, text);
    cr_expect_eq(memcmp(text, "[0, 1, 2, ", 10), 0);
    cr_expect_str_eq(text + len - 8, " 199999]");
    r.of = "fail";
    cr_expect_eq(pf_write_report(&r, path, &o, &err), PF_ERR_LIMIT);
    char *after = test_read(path, &stored);
    cr_expect_eq(stored, len, "a failure leaves the file as it was");
    free(after);
    free(bytes);
    free(text);
    free(path);
    test_folder_remove(folder);
}
