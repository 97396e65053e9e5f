/* Rows of passes: what is checked when one is registered, and how files are dealt out to roles. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postfetto/author/pass.h"

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    (void)f;
    return ctx->jobs == 1 && ctx->arena && pf_pass_alloc(ctx, 3, 5, err) ? PF_OK : PF_ERR_INTERNAL;
}

static const pf_option options[] = {
    {.name = "input", .letter = 'i', .type = PF_OPTION_TEXT, .help = "files", .traits = PF_OPTION_REPEATABLE},
    {.name = "mapping", .type = PF_OPTION_PATH, .help = "a file", .fallback = "map.yaml"},
    {.name = "count", .type = PF_OPTION_INT, .help = "a number"},
};

#define PASS(...)                                                                                                      \
    {                                                                                                                  \
        .name = "test", .summary = "s", .options = options, .option_count = 3, .run = run, __VA_ARGS__                 \
    }

static const pf_role two[] = {
    {.name = "base", .least = 1, .most = 1, .help = "h"},
    {.name = "new", .least = 1, .help = "h"},
    {.name = "mapping", .kind = PF_ROLE_DOCUMENT, .most = 1, .option = "mapping", .option_only = true, .help = "h"}};
static const pf_pass both = PASS(.roles = two, .role_count = 3);
static const pf_role listed[] = {
    {.name = "trace", .least = 1, .option = "input", .is_list = true, .want = PF_WANT_SLICES, .help = "h"}};
static const pf_pass list = PASS(.roles = listed, .role_count = 1);

/* The roles' files as "a b|c|d". */
static void expect_dealt(const pf_pass *p, const char *input, const char *operands, const char *expected)
{
    pf_option_value v[3];
    pf_error err = {.text = ""};
    char room[200], got[200] = "";
    const char *words[16];
    size_t count = 0, len = 0;
    pf_pass_inputs *in;
    pf_pass_defaults(p, v);
    if (input) {
        cr_assert_eq(pf_pass_parse(p, 0, input, v, &err), PF_OK);
    }
    strcpy(room, operands);
    for (char *save, *w = strtok_r(room, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        words[count++] = w;
    }
    pf_status st = pf_pass_gather(p, v, words, count, &in, &err);
    for (size_t r = 0; st == PF_OK && r < p->role_count; r++) {
        for (size_t i = 0; i < pf_pass_inputs_count(in, r); i++) {
            len += (size_t)snprintf(got + len, sizeof got - len, "%s%s", i ? " " : "", pf_pass_inputs_path(in, r, i));
        }
        len += (size_t)snprintf(got + len, sizeof got - len, "|");
    }
    cr_assert_str_eq(st == PF_OK ? got : err.text, expected);
    pf_pass_inputs_free(in);
    pf_options_release(v, 3);
}

Test(pass_rows, operands_are_dealt_to_roles)
{
    expect_dealt(&both, NULL, "a b", "a|b|map.yaml|");
    expect_dealt(&both, NULL, "a b c d", "a|b c d|map.yaml|");
    expect_dealt(&both, NULL, "a", "test needs at least 1 file as new, not 0; see postfetto analyze test --help");
    expect_dealt(&list, NULL, "a b", "a b|");
    expect_dealt(&list, "x", "a", "x a|");
    expect_dealt(&list, "no/x.json,no/y.json\tno/z.json", "", "no/x.json no/y.json no/z.json|");
    expect_dealt(&list, NULL, "a,b c", "a b c|");
}

Test(pass_rows, a_file_with_a_comma_is_no_list)
{
    char path[] = "/tmp/postfetto-a,b-XXXXXX", expected[64];
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    snprintf(expected, sizeof expected, "%s|", path);
    expect_dealt(&list, path, "", expected);
    unlink(path);
}

Test(pass_rows, running_makes_what_the_context_lacks)
{
    pf_error err;
    pf_findings *f = pf_findings_new(NULL);
    const pf_pass_context ctx = {.jobs = 0};
    cr_assert_eq(pf_pass_run(&both, &ctx, f, &err), PF_OK);
    cr_assert_eq(pf_pass_poll(&ctx, &err), PF_OK);
    cr_assert_eq(pf_pass_poll(&(pf_pass_context){.cancel = &(int){1}}, &err), PF_ERR_CANCELLED);
    pf_findings_free(f);
    f = pf_findings_new(&(pf_limits){.memory = 1 << 20, .rows = 100});
    cr_assert_null(pf_findings_alloc(f, 1 << 24));
    cr_assert_eq(pf_pass_run(&both, &ctx, f, &err), PF_ERR_LIMIT, "a failure of the findings is one of the run");
    pf_findings_free(f);
}

static void expect_fault(const pf_pass *p, const char *part)
{
    pf_error err = {.text = ""};
    cr_assert_eq(pf_pass_register(p, &err), PF_ERR_INTERNAL, "%s", part);
    cr_assert_not_null(strstr(err.text, part), "'%s' lacks '%s'", err.text, part);
}

Test(pass_rows, a_row_is_checked_when_it_is_registered)
{
    static const pf_role ok[] = {{.name = "trace", .help = "h"}};
    static const pf_role twice[] = {{.name = "a", .help = "h"}, {.name = "a", .help = "h"}};
    static const pf_role no_path[] = {{.name = "a", .option = "count", .help = "h"}};
    static const pf_role many[] = {{.name = "a", .least = 2, .most = 1, .help = "h"}};
    static const pf_role wants[] = {{.name = "a", .kind = PF_ROLE_DOCUMENT, .want = PF_WANT_TABLES, .help = "h"}};
    static const pf_column columns[] = {{"a", PF_CELL_INT, 0, ""}, {"a", PF_CELL_INT, 0, ""}};
    static const pf_pass_table doubled[] = {{"t", "h", columns, 2}}, named[] = {{"T-x", "h", columns, 1}};
    expect_fault(&(pf_pass)PASS(.role_count = 0), "role or function is missing");
    expect_fault(&(pf_pass){.name = "Test", .summary = "s", .roles = ok, .role_count = 1, .run = run}, "is missing");
    expect_fault(&(pf_pass)PASS(.roles = twice, .role_count = 2), "role 1: the name occurs twice");
    expect_fault(&(pf_pass)PASS(.roles = no_path, .role_count = 1), "takes no path");
    expect_fault(&(pf_pass)PASS(.roles = many, .role_count = 1), "above the most");
    expect_fault(&(pf_pass)PASS(.roles = wants, .role_count = 1), "only traces");
    expect_fault(&(pf_pass)PASS(.roles = ok, .role_count = 1, .tables = doubled, .table_count = 1), "a column occurs");
    expect_fault(&(pf_pass)PASS(.roles = ok, .role_count = 1, .tables = named, .table_count = 1), "a name, help");
    expect_fault(&(pf_pass){.name = "aie", .summary = "s", .roles = ok, .role_count = 1, .run = run}, "already");
    size_t before = pf_pass_count();
    static const pf_pass mine = PASS(.roles = ok, .role_count = 1);
    pf_error err = {.text = ""};
    cr_assert_eq(pf_pass_register(&mine, &err), PF_OK, "%s", err.text);
    cr_assert_eq(pf_pass_count(), before + 1);
    cr_assert_eq(pf_pass_find("test"), &mine);
    expect_fault(&mine, "already");
}
