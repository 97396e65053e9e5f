/* Names of leftovers, and tables that were written by the rules of CSV and are read back. */
#include "model/trace/json_notes.h"
#include "support.h"

Test(document_members, names)
{
    static const struct {
        const char *object, *name;
    } CASES[] = {{"{\"a\":1}", "a"},
                 {"{\"two words\":{\"x\":1}}", "two words"},
                 {"{\"a\\\"b\":1}", "a\\\"b"},
                 {"{\"a\\\\\":1}", "a\\\\"},
                 {"{\"\\\\\\\"\":1}", "\\\\\\\""},
                 {"{\"\":1}", ""},
                 {"{}", ""},
                 {"{", ""},
                 {"", ""},
                 {"{\"", ""},
                 {"{\"a", ""},
                 {"{\"a\\", ""},
                 {"{\"a\\\"", ""},
                 {"[\"a\"]", ""},
                 {"{ \"a\":1}", ""},
                 {"x\"a\":1}", ""}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        pf_str name = pf_document_member_name(text_of(CASES[i].object));
        cr_expect(name.len == strlen(CASES[i].name) && memcmp(name.ptr, CASES[i].name, name.len) == 0, "%s gives %.*s",
                  CASES[i].object, (int)name.len, name.ptr);
    }
}

static uint32_t roll(uint32_t *state, uint32_t sides)
{
    return ((*state = *state * 1664525u + 1013904223u) >> 8) % sides;
}

enum { ROWS = 60, COLUMNS = 40, CELL = 700 };
static char cells[ROWS][COLUMNS][CELL];

/* Fields in quotes where they must be, and now and then where they need not. */
static size_t write_table(char *out, uint32_t *state, const char *line_end)
{
    size_t n = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            static const char LETTERS[] = "abc\",\n\r;\xc3\xa4 ";
            size_t len = roll(state, 20) ? roll(state, 12) : roll(state, CELL - 1);
            for (size_t i = 0; i < len; i++) {
                cells[r][c][i] = LETTERS[roll(state, sizeof LETTERS - 1)];
            }
            cells[r][c][len] = '\0';
            bool quoted = strpbrk(cells[r][c], "\",\n\r") || roll(state, 4) == 0 || (c == 0 && len == 0);
            n += (size_t)sprintf(out + n, "%s%s", c ? "," : "", quoted ? "\"" : "");
            for (size_t i = 0; i < len; i++) {
                n += (size_t)sprintf(out + n, cells[r][c][i] == '"' ? "\"\"" : "%c", cells[r][c][i]);
            }
            n += (size_t)sprintf(out + n, "%s", quoted ? "\"" : "");
        }
        n += (size_t)sprintf(out + n, "%s", line_end);
    }
    return n;
}

/* Forty columns, fields of up to 700 bytes full of what is special. */
Test(document_members, tables_that_are_read_back)
{
    char *text = malloc(2ull * ROWS * COLUMNS * (CELL + 3));
    cr_assert_not_null(text);
    uint32_t state = 3;
    for (int round = 0; round < 6; round++) {
        const pf_csv_options lenient = {.lenient = round % 3 == 2};
        size_t len = write_table(text, &state, round % 2 ? "\r\n" : "\n");
        pf_csv *c;
        const pf_str *row;
        pf_error err = {.text = ""};
        cr_assert_eq(pf_csv_open((pf_str){text, len}, &lenient, &c, &err), PF_OK, "%s", err.text);
        cr_assert_eq(pf_csv_column_count(c), COLUMNS);
        cr_expect_null(pf_csv_column_name(c, COLUMNS).ptr);
        for (int r = 0; r < ROWS; r++) {
            if (r > 0) {
                cr_assert_eq(pf_csv_next(c, &row, &err), PF_OK, "%s", err.text);
                cr_assert_not_null(row);
            }
            for (int k = 0; k < COLUMNS; k++) {
                pf_str field = r ? row[k] : pf_csv_column_name(c, (size_t)k);
                cr_assert(field.len == strlen(cells[r][k]) && memcmp(field.ptr, cells[r][k], field.len) == 0,
                          "row %d, column %d", r, k);
            }
        }
        cr_assert_eq(pf_csv_next(c, &row, &err), PF_OK);
        cr_assert_null(row);
        pf_csv_free(c);
    }
    free(text);
}

/* The header has places, too; a carriage return alone is no line end. */
Test(document_members, line_ends_and_places)
{
    static const struct {
        const char *text, *first;
        uint64_t line;
        size_t column; /* of what would be the third field */
    } CASES[] = {{"a,b\n1,2", "1", 2, 4},
                 {"a,b\r\n1,2\r\n", "1", 2, 4},
                 {"a,b\n\n\n1,2", "1", 4, 4},
                 {"a,b\n\r\n1,2", "1", 3, 4},
                 {"a,b\n1\r,2", "1\r", 2, 5},
                 {"a,b\n\r,2", "\r", 2, 4},
                 {"a,b\n1,2\r", "1", 2, 5},
                 {"a,b\n,", "", 2, 2},
                 {"a,b\n1", "1", 2, 2},
                 {"\xef\xbb\xbf"
                  "a,b\n1,2",
                  "1", 2, 4},
                 {"a,b\n\"1\",2", "1", 2, 6}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        pf_csv *c;
        const pf_str *row;
        pf_error err = {.text = ""};
        uint64_t line;
        size_t column;
        cr_assert_eq(pf_csv_open(text_of(CASES[i].text), NULL, &c, &err), PF_OK, "%s", err.text);
        pf_csv_place(c, 0, &line, &column);
        cr_expect(line == 1 && column == 1, "the header");
        cr_assert_eq(pf_csv_next(c, &row, &err), PF_OK, "%s", err.text);
        cr_assert_not_null(row);
        cr_expect(row[0].len == strlen(CASES[i].first) && memcmp(row[0].ptr, CASES[i].first, row[0].len) == 0, "%zu",
                  i);
        pf_csv_place(c, 2, &line, &column);
        cr_expect_eq(line, CASES[i].line, "case %zu: line %d", i, (int)line);
        cr_expect_eq(column, CASES[i].column, "case %zu: column %zu", i, column);
        pf_csv_free(c);
    }
}
