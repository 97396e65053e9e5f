/* The table of passes, option parsing, defaults, checks, and values spelled out again. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "postfetto/author/pass.h"

static const pf_option options[] = {
    {.name = "count", .type = PF_OPTION_INT, .help = "how many", .unit = "rows", .traits = PF_OPTION_REQUIRED},
    {.name = "rate", .type = PF_OPTION_REAL, .help = "how fast", .unit = "GHz", .fallback = "1.25"},
    {.name = "name", .type = PF_OPTION_TEXT, .help = "who"},
    {.name = "mode", .type = PF_OPTION_CHOICE, .help = "how", .choices = "fast|faster|slow", .fallback = "fast"},
    {.name = "quick", .type = PF_OPTION_FLAG, .help = "whether"},
    {.name = "size", .type = PF_OPTION_INT, .help = "how big", .unit = "bytes", .traits = PF_OPTION_REQUIRED},
};
enum { COUNT, RATE, NAME, MODE, QUICK, SIZE, OPTIONS };
static const pf_pass pass = {.name = "test", .options = options, .option_count = OPTIONS};

static pf_status parse(unsigned option, const char *text, pf_option_value *values, pf_error *err)
{
    return pf_pass_parse(&pass, option, text, values, err);
}

Test(passes, are_found_by_name)
{
    cr_assert_geq(pf_pass_count(), 1);
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *p = pf_pass_at(i);
        cr_assert_eq(pf_pass_find(p->name), p);
        cr_assert_not_null(p->run);
        cr_assert_not_null(p->fits);
    }
    cr_assert_null(pf_pass_at(pf_pass_count()));
    cr_assert_null(pf_pass_find("no such pass"));
}

Test(passes, have_sound_rows)
{
    pf_error err = {.text = ""};
    for (size_t i = 0; i < pf_pass_count(); i++) {
        cr_assert_eq(pf_pass_check(pf_pass_at(i), &err), PF_OK, "%s", err.text);
    }
}

Test(passes, defaults_are_filled_in)
{
    pf_option_value v[OPTIONS];
    pf_pass_defaults(&pass, v);
    cr_assert_not(v[RATE].set);
    cr_assert_eq(v[RATE].d, 1.25);
    cr_assert_null(v[NAME].s.ptr);
    cr_assert_eq(memcmp(v[MODE].s.ptr, "fast", v[MODE].s.len), 0);
    cr_assert_not(v[QUICK].b);
}

Test(passes, values_are_parsed_by_type)
{
    pf_option_value v[OPTIONS];
    pf_error err;
    pf_pass_defaults(&pass, v);
    cr_assert_eq(parse(COUNT, "-9223372036854775808", v, &err), PF_OK);
    cr_assert_eq(v[COUNT].i, INT64_MIN);
    cr_assert(v[COUNT].set);
    cr_assert_eq(parse(RATE, "2.5", v, &err), PF_OK);
    cr_assert_eq(v[RATE].d, 2.5);
    cr_assert_eq(parse(NAME, "", v, &err), PF_OK);
    cr_assert_eq(v[NAME].s.len, 0);
    cr_assert(v[NAME].set);
    cr_assert_eq(parse(MODE, "faster", v, &err), PF_OK);
    cr_assert_eq(v[MODE].s.len, 6);
    cr_assert_eq(parse(QUICK, NULL, v, &err), PF_OK);
    cr_assert(v[QUICK].b);
}

static void expect_refused(unsigned option, const char *text, const char *part)
{
    pf_option_value v[OPTIONS];
    pf_error err = {.code = PF_OK};
    pf_pass_defaults(&pass, v);
    cr_assert_eq(parse(option, text, v, &err), PF_ERR_USAGE, "--%s %s", options[option].name, text);
    cr_assert_not_null(strstr(err.text, options[option].name), "%s", err.text);
    cr_assert_not_null(strstr(err.text, part), "'%s' lacks '%s'", err.text, part);
    cr_assert_not(v[option].set);
}

Test(passes, wrong_values_are_refused)
{
    expect_refused(COUNT, "", "integer");
    expect_refused(COUNT, "1.5", "'1.5'");
    expect_refused(COUNT, "0x10", "integer");
    expect_refused(COUNT, "9223372036854775808", "integer");
    expect_refused(RATE, "fast", "number");
    expect_refused(RATE, "inf", "number");
    expect_refused(RATE, "1e999", "number");
    expect_refused(MODE, "fas", "fast|faster|slow");
    expect_refused(MODE, "", "fast|faster|slow");
    expect_refused(MODE, "fast|faster", "fast|faster|slow");
    expect_refused(NAME, NULL, "value");
}

Test(passes, missing_options_are_listed)
{
    pf_option_value v[OPTIONS];
    pf_error err = {.code = PF_OK};
    pf_pass_defaults(&pass, v);
    cr_assert_eq(pf_pass_complete(&pass, v, &err), PF_ERR_USAGE);
    cr_assert_not_null(strstr(err.text, "--count, --size"), "%s", err.text);
    cr_assert_eq(parse(COUNT, "1", v, &err), PF_OK);
    cr_assert_eq(pf_pass_complete(&pass, v, &err), PF_ERR_USAGE);
    cr_assert_null(strstr(err.text, "--count"));
    cr_assert_eq(parse(SIZE, "1", v, &err), PF_OK);
    cr_assert_eq(pf_pass_complete(&pass, v, &err), PF_OK);
}

Test(passes, parameters_are_spelled_in_table_order)
{
    const char expected[] = "count=3 rate=1.25 name= mode=slow quick=true size=0";
    pf_option_value v[OPTIONS];
    pf_error err;
    pf_findings *f = pf_findings_new(NULL);
    pf_pass_defaults(&pass, v);
    parse(COUNT, "3", v, &err);
    parse(MODE, "slow", v, &err);
    parse(QUICK, NULL, v, &err);
    parse(SIZE, "0", v, &err);
    pf_str text = pf_pass_parameters(&pass, v, f);
    cr_assert_eq(text.len, strlen(expected));
    cr_assert_eq(memcmp(text.ptr, expected, text.len), 0, "%.*s", (int)text.len, text.ptr);
    pf_findings_free(f);
}

Test(passes, parameters_given_several_times_are_joined)
{
    const char expected[] = "count=3,-12,456 rate=1.25 name=one,,three mode=fast quick=false size=";
    pf_option_value v[OPTIONS];
    pf_option_value counts[] = {{.set = true, .i = 3}, {.set = true, .i = -12}, {.set = true, .i = 456}};
    pf_option_value names[] = {{.s = PF_STR("one")}, {.s = PF_STR("")}, {.s = PF_STR("three")}};
    pf_findings *f = pf_findings_new(NULL);
    pf_pass_defaults(&pass, v);
    v[COUNT].all = counts;
    v[NAME].all = names;
    v[COUNT].count = v[NAME].count = 3;
    pf_str text = pf_pass_parameters(&pass, v, f);
    cr_assert_eq(text.len, strlen(expected), "%.*s", (int)text.len, text.ptr);
    cr_assert_eq(memcmp(text.ptr, expected, text.len), 0, "%.*s", (int)text.len, text.ptr);
    pf_findings_free(f);
}

Test(passes, parameters_as_a_document)
{
    pf_option_value v[OPTIONS];
    pf_error err;
    pf_findings *f = pf_findings_new(NULL);
    pf_pass_defaults(&pass, v);
    parse(COUNT, "3", v, &err);
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    pf_pass_add_parameters(&pass, v, f, o);
    cr_assert_eq(o->children, OPTIONS);
    cr_assert_eq(pf_node_get(o, "count")->as.i, 3);
    cr_assert_eq(pf_node_get(o, "rate")->as.d, 1.25);
    cr_assert_eq(pf_node_get(o, "name")->type, PF_NODE_NULL);
    cr_assert_eq(pf_node_get(o, "quick")->type, PF_NODE_BOOL);
    cr_assert_not(pf_node_get(o, "quick")->as.b);
    cr_assert_eq(pf_node_get(o, "size")->type, PF_NODE_NULL);
    pf_findings_free(f);
}

/* Options of every type, once where they were given and once where they were not; as text, and as a document. */
Test(passes, parameters_of_every_type)
{
    static const pf_option all[] = {{.name = "length", .type = PF_OPTION_DURATION, .help = "how long"},
                                    {.name = "room", .type = PF_OPTION_SIZE, .help = "how much"},
                                    {.name = "path", .type = PF_OPTION_PATH, .help = "where"},
                                    {.name = "rate", .type = PF_OPTION_REAL, .help = "how fast"}};
    enum { LENGTH, ROOM, PATH, ALL = 4 };
    const pf_pass p = {.name = "all", .options = all, .option_count = ALL};
    pf_option_value v[ALL];
    pf_findings *f = pf_findings_new(NULL);
    static const char expected[] = "length=-1500ns room=1099511627776 path=a b rate=";
    pf_pass_defaults(&p, v);
    v[LENGTH] = (pf_option_value){.set = true, .i = -1500};
    v[ROOM] = (pf_option_value){.set = true, .u = 1ull << 40};
    v[PATH] = (pf_option_value){.s = PF_STR("a b")};
    pf_str text = pf_pass_parameters(&p, v, f);
    cr_assert_eq(text.len, strlen(expected), "%.*s", (int)text.len, text.ptr);
    cr_assert_eq(memcmp(text.ptr, expected, text.len), 0, "%.*s", (int)text.len, text.ptr);
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    pf_pass_add_parameters(&p, v, f, o);
    cr_assert_eq(o->children, ALL);
    cr_expect_eq(pf_node_get(o, "length")->as.i, -1500);
    cr_expect_eq(pf_node_get(o, "room")->as.i, INT64_C(1) << 40);
    cr_expect_eq(pf_node_get(o, "path")->as.s.len, 3);
    cr_expect_eq(pf_node_get(o, "rate")->type, PF_NODE_NULL);
    pf_findings_free(f);
}

/* An option that may be given several times is a list, however often it was; without a value it is none. */
Test(passes, parameters_that_are_lists)
{
    static const pf_option lists[] = {
        {.name = "count", .type = PF_OPTION_INT, .help = "how many", .traits = PF_OPTION_REPEATABLE},
        {.name = "name", .type = PF_OPTION_TEXT, .help = "who", .traits = PF_OPTION_REPEATABLE},
        {.name = "other", .type = PF_OPTION_TEXT, .help = "who else", .traits = PF_OPTION_REPEATABLE}};
    const pf_pass p = {.name = "lists", .options = lists, .option_count = 3};
    pf_option_value v[3], counts[] = {{.set = true, .i = 3}, {.set = true, .i = -12}};
    pf_findings *f = pf_findings_new(NULL);
    pf_pass_defaults(&p, v);
    v[0] = (pf_option_value){.set = true, .all = counts, .count = 2};
    v[1] = (pf_option_value){.set = true, .s = PF_STR("one")};
    pf_node *o = pf_node_root(f, PF_NODE_OBJECT);
    pf_pass_add_parameters(&p, v, f, o);
    const pf_node *count = pf_node_get(o, "count"), *name = pf_node_get(o, "name");
    cr_assert_eq(count->type, PF_NODE_LIST);
    cr_assert_eq(count->children, 2);
    cr_expect_eq(count->first->as.i, 3);
    cr_expect_eq(count->first->next->as.i, -12);
    cr_assert_eq(name->children, 1);
    cr_expect_eq(name->first->as.s.len, 3);
    cr_expect_eq(pf_node_get(o, "other")->type, PF_NODE_NULL);
    pf_findings_free(f);
}
