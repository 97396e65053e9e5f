/* Which files a pass gets for each of its roles, from options and operands. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "postfetto/author/pass.h"

enum { MANY, TWO, OPTIONAL, ROLES };
static const pf_option input_options[] = {{.name = "two", .type = PF_OPTION_TEXT, .help = "files"},
                                          {.name = "optional", .type = PF_OPTION_PATH, .help = "a file"}};
static const pf_role input_roles[ROLES] = {
    [MANY] = {.name = "many", .least = 1, .help = "any number"},
    [TWO] = {.name = "two", .least = 1, .most = 2, .option = "two", .is_list = true, .help = "one or two"},
    [OPTIONAL] = {.name = "optional", .most = 1, .option = "optional", .option_only = true, .help = "by its option"}};
static const pf_pass input_pass = {
    .name = "inputs", .options = input_options, .option_count = 2, .roles = input_roles, .role_count = ROLES};

/* The paths of the roles, " | " between them; or the error. */
static void expect_inputs(const char *two, const char *optional, const char *const *operands, size_t count,
                          const char *expected)
{
    pf_option_value v[2];
    pf_pass_inputs *in;
    pf_error err = {.text = ""};
    char found[300];
    size_t len = 0;
    pf_pass_defaults(&input_pass, v);
    v[0].s = (pf_str){two, two ? strlen(two) : 0};
    v[1].s = (pf_str){optional, optional ? strlen(optional) : 0};
    if (pf_pass_gather(&input_pass, v, operands, count, &in, &err) != PF_OK) {
        cr_expect_null(in);
        cr_expect(strstr(err.text, expected), "%s", err.text);
        return;
    }
    found[0] = '\0';
    for (size_t r = 0; r < ROLES; r++) {
        len += (size_t)snprintf(found + len, sizeof found - len, "%s", r ? "| " : "");
        for (size_t i = 0; i < pf_pass_inputs_count(in, r); i++) {
            len += (size_t)snprintf(found + len, sizeof found - len, "%s ", pf_pass_inputs_path(in, r, i));
        }
        cr_expect_null(pf_pass_inputs_path(in, r, pf_pass_inputs_count(in, r)));
    }
    cr_expect_eq(pf_pass_inputs_count(in, ROLES), 0);
    cr_expect_null(pf_pass_inputs_path(in, ROLES, 0));
    cr_expect_eq(pf_pass_inputs_add(in, ROLES, PF_STR("x"), &err), PF_ERR_INTERNAL);
    cr_expect_str_eq(found, expected);
    pf_pass_inputs_free(in);
}

/* Options go first; then each role gets what it lacks, and the first that has room for it the rest. */
Test(pass_inputs, inputs_are_dealt_out)
{
    static const char *const operands[] = {"a", "b", "c", "d"};
    expect_inputs(NULL, NULL, operands, 2, "a | b | ");
    expect_inputs(NULL, NULL, operands, 4, "a b c | d | ");
    expect_inputs("x", NULL, operands, 1, "a | x | ");
    expect_inputs("x", NULL, operands, 3, "a b c | x | ");
    expect_inputs(" x,\ty\n", "z", operands, 1, "a | x y | z ");
    expect_inputs("x, y, z", NULL, operands, 1,
                  "inputs takes at most 2 files as two, not 3; see postfetto analyze inputs --help");
    expect_inputs(" , ", NULL, operands, 1,
                  "inputs needs at least 1 file as two, not 0; see postfetto analyze inputs --help");
    expect_inputs(NULL, NULL, operands, 1, "inputs needs at least 1 file as two, not 0");
    expect_inputs(NULL, NULL, operands, 0, "inputs needs at least 1 file as many, not 0");
    expect_inputs("/,.", NULL, operands, 1, "a | / . | ");
    expect_inputs("/", NULL, operands, 1, "a | / | ");
}

/* Roles with room for some of what is left over. */
Test(pass_inputs, inputs_that_are_too_many)
{
    static const pf_role roles[] = {{.name = "first", .least = 1, .most = 2, .help = "one or two"},
                                    {.name = "second", .least = 2, .most = 2, .help = "two"},
                                    {.name = "third", .most = 1, .help = "at most one"}};
    static const char *const operands[] = {"a", "b", "c", "d", "e", "f"};
    static const char *const expected[] = {
        "first, not 0", "second, not 0", "second, not 1", "1 2 0", "2 2 0", "2 2 1", "'f' is one input too many"};
    const pf_pass p = {.name = "few", .roles = roles, .role_count = 3};
    for (size_t count = 0; count <= 6; count++) {
        pf_pass_inputs *in;
        pf_error err;
        char found[100];
        if (pf_pass_gather(&p, NULL, operands, count, &in, &err) != PF_OK) {
            cr_expect(strstr(err.text, expected[count]), "%zu: %s", count, err.text);
            cr_expect_eq(strstr(err.text, "at least") != NULL, count == 0, "%s", err.text);
            continue;
        }
        snprintf(found, sizeof found, "%zu %zu %zu", pf_pass_inputs_count(in, 0), pf_pass_inputs_count(in, 1),
                 pf_pass_inputs_count(in, 2));
        cr_expect_str_eq(found, expected[count], "%zu", count);
        cr_expect_str_eq(pf_pass_inputs_path(in, 1, 1), count == 3 ? "c" : "d");
        pf_pass_inputs_free(in);
    }
}
