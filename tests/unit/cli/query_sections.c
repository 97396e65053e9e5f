/* Sections of SQL files, arguments of a query, and what is said of unknown tables. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/query/query_output.h"

Test(query_sections, names)
{
    static const char *const rows[][2] = {
        {"-- @name a", "a"},
        {"--@name a", "a"},
        {"--  \t @name a", "a"},
        {"-- @name\ta", "a"},
        {"-- @name   a b", "a b"},
        {"-- @name a  ", "a"},
        {"-- @name a\t\r", "a"},
        {"-- @name a\r", "a"},
        {"-- @name ab", "ab"},
        {"-- @name", NULL},
        {"-- @name ", NULL},
        {"-- @name  \t\r", NULL},
        {"-- @nameless", NULL},
        {"-- @name\n", NULL},
        {"- @name a", NULL},
        {"@name a", NULL},
        {"", NULL},
        {"-", NULL},
        {"--", NULL},
        {"-- ", NULL},
        {"--\r@name a", NULL},
        {" -- @name a", NULL},
        {"-- a @name a", NULL},
        {"-- @Name a", NULL},
        {"SELECT 1 -- @name a", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_str found = pf_cli_section_name((pf_str){rows[i][0], strlen(rows[i][0])});
        cr_expect_eq(found.ptr != NULL, rows[i][1] != NULL, "%s", rows[i][0]);
        cr_expect(!rows[i][1] || (found.len == strlen(rows[i][1]) && memcmp(found.ptr, rows[i][1], found.len) == 0),
                  "%s: %.*s", rows[i][0], (int)found.len, found.ptr ? found.ptr : "");
    }
}

/* Parts as NAME=SQL|, where the prelude has no name. */
Test(query_sections, parts)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"SELECT 1", "=SELECT 1|"},
        {"a\nb\n", "=a\nb\n|"},
        {"-- @name x\na", "x=-- @name x\na|"},
        {"a\n-- @name x\nb\n-- @name y\n", "=a\n|x=-- @name x\nb\n|y=-- @name y\n|"},
        {"-- @name x\n-- @name y", "x=-- @name x\n|y=-- @name y|"},
        {"\n-- @name x\nb", "=\n|x=-- @name x\nb|"},
        {"-- @name\n-- @name x\n", "=-- @name\n|x=-- @name x\n|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_str text = {rows[i][0], strlen(rows[i][0])}, name, sql;
        pf_buffer b = {0};
        for (size_t at = 0; pf_cli_next_section(text, &at, &name, &sql);) {
            pf_buffer_put(&b, name.ptr ? name.ptr : "", name.len);
            pf_buffer_text(&b, "=");
            pf_buffer_put(&b, sql.ptr, sql.len);
            pf_buffer_text(&b, "|");
        }
        pf_buffer_put(&b, "", 1);
        cr_expect_str_eq(b.data, rows[i][1], "%s: %s", rows[i][0], b.data);
        cr_expect_eq(pf_cli_has_sections(text), strstr(rows[i][1], "x=") != NULL, "%s", rows[i][0]);
        pf_buffer_free(&b);
    }
}

Test(query_sections, formats)
{
    static const struct {
        const char *name;
        bool to_file;
        pf_cli_rows_format format;
    } rows[] = {
        {"json", false, PF_CLI_JSON}, {"csv", false, PF_CLI_CSV},  {"table", false, PF_CLI_TABLE},
        {NULL, true, PF_CLI_CSV},     {"json", true, PF_CLI_JSON}, {"table", true, PF_CLI_TABLE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(pf_cli_rows_format_of(rows[i].name, rows[i].to_file), rows[i].format, "row %zu", i);
    }
}
