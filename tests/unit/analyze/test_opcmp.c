/* The parts of `compare ops`: blanks, shapes, mappings, forward passes, rows, contributions. By hand; blanks are those
 * of Python's str.strip. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "postfetto/document.h"

static bool is(pf_str s, const char *expected)
{
    return s.ptr && pf_str_equal(s, pf_str_of(expected));
}

static void begin(opcmp *c)
{
    pf_error err;
    cr_assert_eq(pf_opcmp_begin(c, NULL, &err), PF_OK);
}

/* ---- blanks ------------------------------------------------------------------------------------------------------ */

static size_t put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    out[0] = (char)(0xE0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 63));
    out[2] = (char)(0x80 | (code & 63));
    return 3;
}

static bool is_blank_in_python(uint32_t code)
{
    return (code >= 9 && code <= 13) || (code >= 28 && code <= 32) || code == 0x85 || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
           code == 0x3000;
}

Test(opcmp, blanks_are_those_of_python)
{
    for (uint32_t code = 1; code < 0x4000; code++) {
        char text[16];
        size_t n = put_utf8(text, code), len = n;
        text[len++] = 'a';
        memcpy(text + len, text, n);
        len += n;
        pf_str left = pf_opcmp_trim((pf_str){text, len});
        cr_assert_eq(left.len, is_blank_in_python(code) ? 1 : len, "U+%04X", code);
        cr_assert_eq(left.ptr, is_blank_in_python(code) ? text + n : text, "U+%04X", code);
        cr_assert_eq(pf_opcmp_trim((pf_str){text, n}).len, is_blank_in_python(code) ? 0 : n, "U+%04X", code);
    }
}

/* What is no UTF-8, or is cut off, is no blank, however much it looks like one. */
Test(opcmp, bytes_that_are_no_blanks)
{
    static const char *const texts[] = {"\xC2",         "\x85",         "\xA0",         "\xC3\x85",
                                        "\xE2\x80",     "\xE3\x80",     "\x80\x80",     "\xF2\x80\x80",
                                        "\xE2\xC0\x80", "\xE2\x40\x80", "\xE2\x80\xC0", "\xE2\x80\x40"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[16];
        size_t n = strlen(texts[i]);
        memcpy(text, texts[i], n);
        text[n] = 'a';
        memcpy(text + n + 1, texts[i], n);
        cr_expect_eq(pf_opcmp_trim((pf_str){text, n}).len, n, "text %zu", i);
        cr_expect_eq(pf_opcmp_trim((pf_str){text, 2 * n + 1}).len, 2 * n + 1, "text %zu", i);
    }
    cr_expect(is(pf_opcmp_trim(PF_STR(" \t\xC2\xA0 a b \xE3\x80\x80\n")), "a b"));
    cr_expect_eq(pf_opcmp_trim(PF_STR("\xE2\x80\x89\xE2\x80\x89")).len, 0);
    cr_expect_eq(pf_opcmp_trim((pf_str){NULL, 0}).len, 0);
}

/* Capitals of the text count as small letters; nothing else is changed. */
Test(opcmp, words_in_texts)
{
    static const struct {
        const char *text, *word;
        bool there;
    } cases[] = {{"my PROFILING run", "profiling", true},
                 {"profilinG", "profiling", true},
                 {"profilin", "profiling", false},
                 {"profprofiling", "profiling", true},
                 {"aab", "ab", true},
                 {"AZ", "az", true},
                 {"az", "az", true},
                 {"@[", "`{", false},
                 {"`{", "`{", true},
                 {"a", "ab", false},
                 {"", "a", false},
                 {"ax", "ab", false},
                 {"xb", "ab", false},
                 {"", "", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(pf_str_has_word(pf_str_of(cases[i].text), cases[i].word), cases[i].there, "%s in %s",
                     cases[i].word, cases[i].text);
    }
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

Test(opcmp, kernels_with_the_first_of_their_shapes)
{
    static const char *const cases[][3] = {{"MatMul", "\"16,5120;5120,768\"", "MatMul [16,5120]"},
                                           {"MatMul", "[[16, 5120], [5120, 768]]", "MatMul [16,5120]"},
                                           {"MatMul", "16,5120", "MatMul [16,5120]"},
                                           {"MatMul", " \t( 7 ,\t8 ) 9", "MatMul [7,8]"},
                                           {"M", "0", "M [0]"},
                                           {"M", "9]8", "M [9]"},
                                           {"M", "1\"2", "M [1]"},
                                           {"M", "/1", "M"},
                                           {"M", ":1", "M"},
                                           {"M", "-1", "M"},
                                           {"M", "[[]]", "M"},
                                           {"M", "[[(", "M"},
                                           {"M", ";1", "M"},
                                           {"M", "", "M"},
                                           {"MatMul", "N/A", "MatMul"},
                                           {"hcom_x", "16", "hcom_x"},
                                           {"hcom", "16", "hcom [16]"}};
    opcmp c;
    begin(&c);
    pf_error err;
    uint32_t id;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(pf_opcmp_shaped(&c, pf_str_of(cases[i][0]), pf_str_of(cases[i][1]), &id, &err), PF_OK);
        cr_expect(is(pf_strings_get(&c.texts, id), cases[i][2]), "%s: %.*s", cases[i][1],
                  PF_TEXT_ARG(pf_strings_get(&c.texts, id)));
    }
    char longest[200];
    memset(longest, '1', sizeof longest);
    cr_assert_eq(pf_opcmp_shaped(&c, PF_STR("M"), (pf_str){longest, sizeof longest}, &id, &err), PF_OK);
    cr_expect_eq(pf_strings_get(&c.texts, id).len, 1 + 2 + 128 + 1);
    pf_opcmp_end(&c);
    pf_opcmp_end(&c); /* once more is nothing */
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

/* The kernel type for the operator "torch.ops.s", which is called "s" for short. */
static void expect_type(const char *json, bool unnested, const char *expected, bool zero_cost)
{
    pf_document *d;
    pf_error err;
    pf_budget budget;
    opcmp_mapping m;
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_json_parse(pf_str_of(json), NULL, &d, &err), PF_OK, "%s", json);
    cr_assert_eq(pf_opcmp_mapping_open(&m, &budget, pf_document_root(d), unnested, &err), PF_OK, "%s", json);
    opcmp_entry e = pf_opcmp_mapping_find(&m, PF_STR("torch.ops.s"), PF_STR("s"));
    cr_expect(expected ? is(e.kernel_type, expected) : !e.kernel_type.ptr, "%s: %.*s", json,
              PF_TEXT_ARG(e.kernel_type));
    cr_expect_eq(e.zero_cost, zero_cost, "%s", json);
    pf_opcmp_mapping_close(&m);
    pf_document_free(d);
    pf_budget_end(&budget);
}

/* An entry for the short name counts where Python calls it true; what is true and no object says nothing. */
Test(opcmp, entries_of_the_short_name_go_before)
{
    static const struct {
        const char *entry, *expected;
    } cases[] = {{"null", "T"},
                 {"false", "T"},
                 {"0", "T"},
                 {"0.0", "T"},
                 {"\"\"", "T"},
                 {"[]", "T"},
                 {"{}", "T"},
                 {"true", NULL},
                 {"-1", NULL},
                 {"0.5", NULL},
                 {"\"x\"", NULL},
                 {"[0]", NULL},
                 {"123456789012345678901234567890", NULL},
                 {"{\"a\": 1}", NULL},
                 {"{\"kernel_type\": \"S\"}", "S"},
                 {"{\"kernel_type\": \"\"}", NULL},
                 {"{\"kernel_type\": 5}", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[200];
        snprintf(json, sizeof json, "{\"s\": %s, \"torch.ops.s\": {\"kernel_type\": \"T\"}}", cases[i].entry);
        expect_type(json, false, cases[i].expected, false);
    }
}

Test(opcmp, mappings)
{
    expect_type("{\"torch.ops.s\": {\"kernel_type\": \"T\", \"zero_cost\": 1}}", false, "T", true);
    expect_type("{\"other\": {\"kernel_type\": \"T\"}}", false, NULL, false);
    expect_type("{\"s\": {\"kernel_type\": \"A\"}, \"s\": {\"kernel_type\": \"B\"}}", false, "B", false);
    expect_type("{\"operator_mappings\": {\"s\": {\"kernel_type\": \"A\"}}}", true, "A", false);
    expect_type("{\"operator_mappings\": {\"s\": {\"kernel_type\": \"A\"}}}", false, NULL, false);
    expect_type("{\"s\": {\"kernel_type\": \"A\"}}", true, NULL, false);
    expect_type("null", true, NULL, false);
    expect_type("null", false, NULL, false);
    expect_type("{}", false, NULL, false);
}

Test(opcmp, a_mapping_is_an_object)
{
    static const char *const bad[] = {"[]", "1", "\"x\"", "{\"operator_mappings\": [1]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pf_document *d;
        pf_error err;
        pf_budget budget;
        opcmp_mapping m;
        pf_budget_init(&budget, NULL);
        cr_assert_eq(pf_json_parse(pf_str_of(bad[i]), NULL, &d, &err), PF_OK);
        cr_expect_eq(pf_opcmp_mapping_open(&m, &budget, pf_document_root(d), i == 3, &err), PF_ERR_INPUT, "%s", bad[i]);
        cr_expect(strstr(err.text, i == 3 ? "line 1, column 23" : "line 1, column 1"), "%s", err.text);
        pf_opcmp_mapping_close(&m);
        pf_document_free(d);
        pf_budget_end(&budget);
    }
}

static void expect_twice(const char *json, unsigned column)
{
    pf_document *d;
    pf_error err;
    pf_budget budget;
    opcmp_mapping m;
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_json_parse(pf_str_of(json), NULL, &d, &err), PF_OK, "%s", json);
    cr_assert_eq(pf_opcmp_mapping_open(&m, &budget, pf_document_root(d), false, &err), PF_OK, "%s", json);
    const pf_node *n = pf_opcmp_mapping_twice(&m);
    cr_expect_eq(n ? n->column : 0, column, "%s: %u", json, n ? n->column : 0);
    pf_opcmp_mapping_close(&m);
    pf_document_free(d);
    pf_budget_end(&budget);
}

/* The column of the value of the first name that was there before; entries first, then the keys of each. */
Test(opcmp, names_that_a_mapping_has_twice)
{
    expect_twice("null", 0);
    expect_twice("{\"a\": {\"k\": 1}, \"b\": {\"k\": 1}}", 0);
    expect_twice("{\"a\": 1, \"b\": 2, \"a\": 3}", 23);
    expect_twice("{\"a\": {\"k\": 1, \"k\": 2}, \"b\": 2, \"b\": 3}", 38);
    expect_twice("{\"a\": {\"k\": 1}, \"b\": {\"k\": 1, \"k\": 2}, \"c\": [1, 1]}", 36);
    expect_twice("{\"a\": {\"k\": 1, \"k\": 2}, \"b\": {\"k\": 1, \"k\": 2}}", 21);
}

/* ---- forward passes ---------------------------------------------------------------------------------------------- */

/* The anchor that is found, NULL: none, and how many passes it makes. Letters are kernels of 1 us, and of 0 in small.
 */
static void expect_passes(const char *order, const char *anchor, const char *expected, double passes)
{
    opcmp c;
    begin(&c);
    char csv[4096];
    size_t len = (size_t)snprintf(csv, sizeof csv, "Type,Duration(us)\n");
    for (; *order; order++) {
        bool small = *order >= 'a' && *order <= 'z';
        len += (size_t)snprintf(csv + len, sizeof csv - len, "%c,%d\n", *order, !small);
    }
    pf_error err;
    pf_str found = {NULL, 0};
    double count = -1;
    c.keep_order = true;
    cr_assert_eq(pf_opcmp_add_measured(&c, (pf_str){csv, len}, &err), PF_OK);
    pf_status st = pf_opcmp_count_passes(&c, pf_str_of(anchor), &count, &found, &err);
    cr_expect_eq(st, expected ? PF_OK : PF_ERR_INPUT, "%s", csv);
    if (st == PF_OK && expected) {
        cr_expect(is(found, expected), "%s: %.*s", csv, PF_TEXT_ARG(found));
        cr_expect_eq(count, passes, "%s: %g", csv, count);
    }
    pf_opcmp_end(&c);
}

Test(opcmp, forward_passes)
{
    expect_passes("EAABEAABEAAB", "auto", "E", 3); /* of E and B the first one */
    expect_passes("ABEAABEA", "auto", "B", 2);     /* the table begins inside a pass */
    expect_passes("EAEBEAEB", "auto", "A", 2);     /* E begins four parts, but A and B come in two of them */
    expect_passes("EAE", "auto", "A", 1);          /* A does not come in the last part */
    expect_passes("EAEAA", "auto", NULL, 0);       /* A comes more often in the last part */
    expect_passes("EAAEA", "auto", NULL, 0);       /* ... in the first one */
    expect_passes("", "auto", NULL, 0);
    expect_passes("eaabeaab", "auto", NULL, 0); /* what takes no time says nothing */
    expect_passes("EAEA", "auto", "E", 2);
    expect_passes("AEAEa", "auto", "A", 2); /* a takes no time, so it may come once */
    expect_passes("EAABEAAB", "A", "A", 4);
    expect_passes("EAABEAAB", "C", NULL, 0);
}

/* Up to 1 us in 1000 may be in types that do not come equally often. */
Test(opcmp, forward_passes_of_which_a_little_differs)
{
    static const struct {
        const char *odd, *expected;
        double passes;
    } cases[] = {{"1", "E", 2}, {"1.01", "N", 1}};
    for (size_t i = 0; i < 2; i++) {
        char csv[200];
        size_t len =
            (size_t)snprintf(csv, sizeof csv, "Type,Duration(us)\nE,250\nA,250\nN,%s\nE,250\nA,249\n", cases[i].odd);
        opcmp c;
        begin(&c);
        pf_error err;
        pf_str found = {NULL, 0};
        double count = -1;
        c.keep_order = true;
        cr_assert_eq(pf_opcmp_add_measured(&c, (pf_str){csv, len}, &err), PF_OK);
        cr_assert_eq(pf_opcmp_count_passes(&c, PF_STR("auto"), &count, &found, &err), PF_OK);
        cr_expect(is(found, cases[i].expected), "%s: %.*s", cases[i].odd, PF_TEXT_ARG(found));
        cr_expect_eq(count, cases[i].passes);
        pf_opcmp_end(&c);
    }
}

/* Collectives do not cut the table, and a kernel of the model alone is no anchor. */
Test(opcmp, forward_passes_of_what_is_listed)
{
    static const char csv[] = "Type,Start Time(us),Duration(us)\nhcom_a,1,5\nE,2,1\nhcom_a,3,5\nA,4,1\nE,5,1\nA,6,1\n";
    opcmp c;
    begin(&c);
    pf_error err;
    pf_str found;
    double count;
    c.keep_order = true;
    cr_assert_eq(pf_opcmp_add_measured(&c, PF_STR(csv), &err), PF_OK);
    cr_assert_eq(pf_opcmp_count_passes(&c, PF_STR("auto"), &count, &found, &err), PF_OK);
    cr_expect(is(found, "E"));
    cr_assert_eq(pf_opcmp_count_passes(&c, PF_STR("hcom_a"), &count, &found, &err), PF_OK);
    cr_expect_eq(count, 2);
    uint32_t id = pf_strings_add(&c.texts, "model", 5, &err);
    cr_expect_eq(pf_opcmp_count_passes(&c, PF_STR("model"), &count, &found, &err), PF_ERR_INPUT);
    pf_opcmp_kernel(&c, id, &err)->count = 1;
    cr_expect_eq(pf_opcmp_count_passes(&c, PF_STR("model"), &count, &found, &err), PF_ERR_INPUT);
    pf_opcmp_end(&c);
}

/* ---- the measured side ------------------------------------------------------------------------------------------- */

/* Calls of a collective that start in one microsecond are one, as long as the longest; those of another type are not.
 */
Test(opcmp, calls_of_collectives)
{
    static const char csv[] =
        "Type,Start Time(us),Duration(us)\nhcom_a,10.2,3\nhcom_a,10.9,5\nhcom_b,10.5,7\nhcom_a,11,4\n"
        "hcom_a,10,-2\nhcom_b,x,1\nhcom_b,-0.5,2\nhcom_b,inf,0.5\nhcom_c,20,-3\nxAicpuKernel,1,9\n"
        "AicpuKernel,1,9\nAicpuKernels,1,9\nhcom_AicpuKernel,1,6\n ,1,9\n";
    static const struct {
        const char *type;
        double total;
        uint64_t count;
    } expected[] = {{"hcom_a", 9, 2},       {"hcom_b", 9, 2},           {"hcom_c", 0, 1},
                    {"AicpuKernels", 9, 1}, {"hcom_AicpuKernel", 6, 1}, {NULL, 0, 0}};
    opcmp c;
    begin(&c);
    pf_error err;
    cr_assert_eq(pf_opcmp_add_measured(&c, PF_STR(csv), &err), PF_OK, "%s", err.text);
    size_t rows = 0;
    for (uint32_t i = 0; i < c.room; i++) {
        rows += c.kernels[i].measured_count > 0;
    }
    cr_expect_eq(rows, 5);
    for (size_t i = 0; expected[i].type; i++) {
        uint32_t id = pf_strings_find(&c.texts, expected[i].type, strlen(expected[i].type));
        cr_assert_neq(id, PF_NONE, "%s", expected[i].type);
        cr_expect_eq(c.kernels[id].measured_total, expected[i].total, "%s: %g", expected[i].type,
                     c.kernels[id].measured_total);
        cr_expect_eq(c.kernels[id].measured_count, expected[i].count, "%s", expected[i].type);
    }
    pf_opcmp_end(&c);
}

/* More calls than there is room for at first, each with a start of its own. */
Test(opcmp, many_calls_of_a_collective)
{
    enum { CALLS = 300 };
    static char csv[CALLS * 40];
    size_t len = (size_t)snprintf(csv, sizeof csv, "Type,Start Time(us),Duration(us)\n");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < CALLS; i++) {
            len += (size_t)snprintf(csv + len, sizeof csv - len, "hcom_a,%d,%d\n", i, 1 + round);
        }
    }
    opcmp c;
    begin(&c);
    pf_error err;
    cr_assert_eq(pf_opcmp_add_measured(&c, (pf_str){csv, len}, &err), PF_OK);
    uint32_t id = pf_strings_find(&c.texts, "hcom_a", 6);
    cr_expect_eq(c.kernels[id].measured_count, CALLS);
    cr_expect_eq(c.kernels[id].measured_total, 2.0 * CALLS);
    pf_opcmp_end(&c);
}

/* What Python's float() says of a field is kept as it says it. */
Test(opcmp, durations_that_are_no_numbers)
{
    static const struct {
        const char *csv, *fault;
    } cases[] = {
        {"Type,Duration(us)\nA,x y\n", "ValueError: could not convert string to float: 'x y'"},
        {"Type,Duration(us)\nA,\n", "ValueError: could not convert string to float: ''"},
        {"Type,Duration(us)\nA,\"a\nb\tc\rd\\e\"\n",
         "ValueError: could not convert string to float: 'a\\nb\\tc\\rd\\\\e'"},
        {"Type,Duration(us)\nA\n", "TypeError: float() argument must be a string or a real number, not 'NoneType'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opcmp c;
        begin(&c);
        pf_error err;
        cr_assert_eq(pf_opcmp_add_measured(&c, pf_str_of(cases[i].csv), &err), PF_ERR_INPUT, "%s", cases[i].csv);
        cr_expect(is(c.fault, cases[i].fault), "%.*s", PF_TEXT_ARG(c.fault));
        pf_opcmp_end(&c);
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void add_kernel(opcmp *c, const char *name, opcmp_kernel k)
{
    pf_error err;
    uint32_t id = pf_strings_add(&c->texts, name, strlen(name), &err);
    *pf_opcmp_kernel(c, id, &err) = k;
}

typedef struct expected_row {
    const char *name;
    opcmp_status status;
    double model, measured, error, count_error;
    int64_t calls;
    bool has_error, has_count_error;
} expected_row;

static void expect_rows(const opcmp *c, const opcmp_rows *rows, const expected_row *expected, size_t n)
{
    cr_assert_eq(rows->count, n);
    for (size_t i = 0; i < n; i++) {
        const opcmp_row *r = &rows->row[i];
        const expected_row *e = &expected[i];
        cr_expect(is(pf_strings_get(&c->texts, r->kernel), e->name), "row %zu is %.*s", i,
                  PF_TEXT_ARG(pf_strings_get(&c->texts, r->kernel)));
        cr_expect_eq(r->status, e->status, "%s", e->name);
        cr_expect_eq(r->model_us, e->model, "%s: %g", e->name, r->model_us);
        cr_expect_eq(r->measured_us, e->measured, "%s: %g", e->name, r->measured_us);
        cr_expect_eq(r->error_percent, e->error, "%s: %g", e->name, r->error_percent);
        cr_expect_eq(r->count_error_percent, e->count_error, "%s: %g", e->name, r->count_error_percent);
        cr_expect_eq(r->measured_count, e->calls, "%s: %lld", e->name, (long long)r->measured_count);
        cr_expect_eq(r->has_error, e->has_error, "%s", e->name);
        cr_expect_eq(r->has_count_error, e->has_count_error, "%s", e->name);
    }
}

static void add_kernels(opcmp *c)
{
    add_kernel(
        c, "b",
        (opcmp_kernel){.hits = 1, .count = 1, .model_total = 10.04, .measured_total = 20.1, .measured_count = 2});
    add_kernel(c, "ab", (opcmp_kernel){.count = 2, .model_total = 10.1});
    add_kernel(c, "a", (opcmp_kernel){.count = 1, .model_total = 10.1});
    add_kernel(c, "partial", (opcmp_kernel){.hits = 3, .count = 4, .model_total = 3, .measured_count = 2});
    add_kernel(c, "new", (opcmp_kernel){.measured_total = 100, .measured_count = 3});
    add_kernel(c, "many", (opcmp_kernel){.measured_total = 8, .measured_count = 5});
    add_kernel(c, "neither", (opcmp_kernel){.model_total = 77, .measured_total = 77});
}

/* Two passes. Of equal times names decide, the shorter one first; half a call is rounded to the even number. */
Test(opcmp, rows)
{
    static const expected_row expected[] = {
        {"new", OPCMP_NOT_MODELLED, 0, 50, -100, -100, 2, true, true},
        {"a", OPCMP_MISS, 10.1, 0, 0, 0, 0, false, false},
        {"ab", OPCMP_MISS, 10.1, 0, 0, 0, 0, false, false},
        {"b", OPCMP_HIT, 10, 10.1, -0.1, 0, 1, true, true}, /* 10.05 us */
        {"many", OPCMP_NOT_MODELLED, 0, 4, -100, -100, 2, true, true},
        {"partial", OPCMP_PARTIAL, 3, 0, 0, 300, 1, false, true},
    };
    opcmp c;
    begin(&c);
    pf_error err;
    opcmp_rows rows;
    add_kernels(&c);
    cr_assert_eq(pf_opcmp_compare(&c, 2, &rows, &err), PF_OK);
    expect_rows(&c, &rows, expected, sizeof expected / sizeof *expected);
    cr_expect_float_eq(rows.model_total, 10 + 10.1 + 10.1 + 3, 1e-9);
    cr_expect_float_eq(rows.measured_total, 50 + 10.1 + 4, 1e-9);
    cr_expect_eq(rows.row[0].model_count, 0);
    cr_expect_eq(rows.row[2].model_count, 2);
    cr_expect(rows.row[0].per_pass);
    pf_opcmp_end(&c);
}

/* Without a pass nothing was measured in one. */
Test(opcmp, rows_without_a_pass)
{
    static const expected_row expected[] = {
        {"a", OPCMP_MISS, 10.1, 0, 0, 0, 0, false, false},
        {"ab", OPCMP_MISS, 10.1, 0, 0, 0, 0, false, false},
        {"b", OPCMP_HIT, 10, 0, 0, 0, 0, false, false},
        {"partial", OPCMP_PARTIAL, 3, 0, 0, 0, 0, false, false},
        {"many", OPCMP_NOT_MODELLED, 0, 0, 0, 0, 0, false, false},
        {"new", OPCMP_NOT_MODELLED, 0, 0, 0, 0, 0, false, false},
    };
    opcmp c;
    begin(&c);
    pf_error err;
    opcmp_rows rows;
    add_kernels(&c);
    cr_assert_eq(pf_opcmp_compare(&c, 0, &rows, &err), PF_OK);
    expect_rows(&c, &rows, expected, sizeof expected / sizeof *expected);
    cr_expect_not(rows.row[0].per_pass);
    pf_opcmp_end(&c);
}

/* ---- contributions ----------------------------------------------------------------------------------------------- */

static void expect_contributors(const double (*us)[2], size_t n, size_t most, const char *expected)
{
    opcmp c;
    begin(&c);
    opcmp_row list[8];
    opcmp_rows rows = {.row = list, .count = n};
    pf_buffer b = {0};
    pf_error err;
    for (size_t i = 0; i < n; i++) {
        char name[] = {(char)('A' + i), '\0'};
        list[i] = (opcmp_row){
            .kernel = pf_strings_add(&c.texts, name, 1, &err), .model_us = us[i][0], .measured_us = us[i][1]};
        rows.model_total += us[i][0];
        rows.measured_total += us[i][1];
    }
    pf_opcmp_put_contributors(&b, &c, &rows, most);
    cr_expect(is((pf_str){b.data, b.len}, expected), "%.*s", (int)b.len, b.data);
    pf_buffer_free(&b);
    pf_opcmp_end(&c);
}

Test(opcmp, contributions_to_the_error)
{
    /* Sizes are 5, 5, 0, 2.5, 12.5 of 25; the sum is 5 - 5 - 2.5 + 12.5 = 10 of 20. */
    static const double us[][2] = {{10, 5}, {0, 5}, {5, 5}, {2.5, 5}, {12.5, 0}};
    expect_contributors(us, 5, 8,
                        "\nThe total is +10.0 us off (+50.0 %). Most of it:\n"
                        "       +12.5 us   50.0 %  E\n"
                        "        +5.0 us   20.0 %  A\n"
                        "        -5.0 us   20.0 %  B\n"
                        "        -2.5 us   10.0 %  D\n");
    expect_contributors(us, 5, 2,
                        "\nThe total is +10.0 us off (+50.0 %). Most of it:\n"
                        "       +12.5 us   50.0 %  E\n"
                        "        +5.0 us   20.0 %  A\n");
    expect_contributors(us, 3, 0, "\nThe total is +0.0 us off (+0.0 %). Most of it:\n");
    static const double large[][2] = {{12345678901.5, 0}, {12345678901234.5, 0}};
    expect_contributors(large, 1, 1,
                        "\nThe total is +12345678901.5 us off. Most of it:\n+12345678901.5 us  100.0 %  A\n");
    expect_contributors(large + 1, 1, 1,
                        "\nThe total is +12345678901234.5 us off. Most of it:\n+12345678901234.5 us  100.0 %  A\n");
    static const double faster[][2] = {{1, 3}};
    expect_contributors(faster, 1, 1,
                        "\nThe total is -2.0 us off (-66.7 %). Most of it:\n        -2.0 us  100.0 %  A\n");
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* Fifteen rows are shown; widths count code points, and what is too wide is not cut. */
Test(opcmp, the_table_for_people)
{
    opcmp c;
    begin(&c);
    opcmp_row list[17];
    opcmp_rows rows = {.row = list, .count = 17, .model_total = 12.34, .measured_total = 50};
    pf_buffer b = {0};
    pf_error err;
    for (size_t i = 0; i < 17; i++) {
        char name[60];
        int len = i == 0   ? snprintf(name, sizeof name, "%s", "\xC3\xA4\xE6\xAC\xA1")
                  : i == 1 ? snprintf(name, sizeof name, "%s", "a name of more than thirty-five letters")
                           : snprintf(name, sizeof name, "row %zu", i);
        list[i] = (opcmp_row){.kernel = pf_strings_add(&c.texts, name, (size_t)len, &err),
                              .status = i ? OPCMP_PARTIAL : OPCMP_NOT_MODELLED,
                              .model_us = 1.5,
                              .measured_us = i ? 25 : 0,
                              .error_percent = -94,
                              .count_error_percent = 300,
                              .model_count = 7,
                              .measured_count = -8};
    }
    pf_opcmp_put_table(&b, &c, PF_STR("name"), &rows);
    pf_buffer_put(&b, "", 1);
    cr_expect(strstr(b.data, "\n\xC3\xA4\xE6\xAC\xA1                                           1.5       7      "
                             "    0.0       -8    -94.0%    300.0%     0.0% TC\xE6\x9C\xAA\xE5\xBB\xBA\xE6\xA8\xA1 \n"),
              "%s", b.data);
    cr_expect(strstr(b.data, "\na name of more than thirty-five letters          1.5       7         25.0"
                             "       -8    -94.0%    300.0%    50.0% PARTIAL\n"),
              "%s", b.data);
    cr_expect(strstr(b.data, "row 14 ") && !strstr(b.data, "row 15 "), "%s", b.data);
    cr_expect(strstr(b.data, "\nTOTAL                                       12.3                 50.0\n"), "%s",
              b.data);
    pf_buffer_free(&b);
    pf_opcmp_end(&c);
}

Test(opcmp, operators_of_a_kernel)
{
    opcmp c;
    begin(&c);
    pf_findings *f = pf_findings_new(NULL);
    pf_error err;
    uint32_t names[3];
    for (size_t i = 0; i < 3; i++) {
        char name[] = {(char)('x' + i), '\0'};
        names[i] = pf_strings_add(&c.texts, name, 1, &err);
    }
    static const char *const expected[] = {"", "x", "x, y", "x, y, z"};
    for (unsigned n = 0; n <= 3; n++) {
        *pf_opcmp_kernel(&c, 0, &err) = (opcmp_kernel){.functions = n, .function = {names[0], names[1], names[2]}};
        cr_expect(is(pf_opcmp_functions(f, &c, 0), expected[n]));
    }
    pf_findings_free(f);
    pf_opcmp_end(&c);
}
