/* Rows of cells as batches: types by the first batch, names, what does not fit, where batches end. The expected texts
 * are by hand; the random rows are kept as they were added, next to the batches. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/str.h"
#include "write/columns/row_batches.h"

#define NOTHING                                                                                                        \
    (pf_query_cell)                                                                                                    \
    {                                                                                                                  \
        .type = PF_VALUE_NULL                                                                                          \
    }

static pf_query_cell integer(int64_t v)
{
    return (pf_query_cell){.type = PF_VALUE_INT, .as.i = v};
}

static pf_query_cell real(double v)
{
    return (pf_query_cell){.type = PF_VALUE_REAL, .as.d = v};
}

static pf_query_cell text(const char *v)
{
    return (pf_query_cell){.type = PF_VALUE_STRING, .as.s = pf_str_of(v)};
}

static pf_query_cell blob(const char *v, size_t len)
{
    return (pf_query_cell){.type = PF_VALUE_STRING, .blob = true, .as.s = {v, len}};
}

/* What came out: "[name:type ...|cell ...|...]" for each batch, or only how many rows each had. */
typedef struct seen {
    pf_buffer text;
    size_t batches, rows, sizes[8];
    bool brief;
    void (*look)(struct seen *s, const pf_col_table *rows);
    const pf_query_cell *kept; /* for look */
} seen;

static void put_value(pf_buffer *b, const pf_col *c, const void *values, uint32_t row)
{
    if (c->type == PF_COL_INT64) {
        pf_buffer_format(b, " %lld", (long long)((const int64_t *)values)[row]);
    } else if (c->type == PF_COL_DOUBLE) {
        pf_buffer_format(b, " %g", ((const double *)values)[row]);
    } else {
        pf_str s = pf_strings_get(c->pool, ((const uint32_t *)values)[row]);
        pf_buffer_format(b, " '%.*s'", (int)s.len, s.ptr);
    }
}

static void put_rows(pf_buffer *b, const pf_col_table *t)
{
    static const char *const TYPES[] = {
        [PF_COL_INT64] = "int64", [PF_COL_DOUBLE] = "double", [PF_COL_TEXT] = "text", [PF_COL_BINARY] = "binary"};
    pf_buffer_text(b, "[");
    for (size_t i = 0; i < t->count; i++) {
        pf_buffer_format(b, "%s%s:%s", i ? " " : "", t->cols[i].name, TYPES[t->cols[i].type]);
    }
    for (uint32_t row = 0; row < t->rows; row++) {
        pf_buffer_text(b, "|");
        for (size_t i = 0; i < t->count; i++) {
            int64_t values[8];
            uint8_t bits;
            pf_col_fill(&t->cols[i], row & ~7u, (row & 7) + 1, values, &bits);
            if (bits >> (row & 7) & 1) {
                put_value(b, &t->cols[i], values, row & 7);
            } else {
                pf_buffer_text(b, " -");
            }
        }
    }
    pf_buffer_text(b, "]");
}

static pf_status on_batch(void *ctx, const pf_col_table *rows, pf_error *err)
{
    seen *s = ctx;
    (void)err;
    if (s->look) {
        s->look(s, rows);
    } else if (!s->brief) {
        put_rows(&s->text, rows);
    }
    if (s->batches < sizeof s->sizes / sizeof *s->sizes) {
        s->sizes[s->batches] = rows->rows;
    }
    s->batches++;
    s->rows += rows->rows;
    return PF_OK;
}

typedef struct session {
    pf_budget budget;
    pf_row_batches batches;
    pf_error err;
    seen seen;
} session;

static session *begin(size_t count, const char *const *names, const pf_value_type *types)
{
    session *s = calloc(1, sizeof *s);
    pf_str all[64];
    cr_assert(s != NULL);
    for (size_t i = 0; i < count; i++) {
        all[i] = pf_str_of(names[i]);
    }
    pf_budget_init(&s->budget, NULL);
    cr_assert_eq(pf_row_batches_begin(&s->batches, count, all, types, &s->budget, on_batch, &s->seen, &s->err), PF_OK);
    return s;
}

static pf_status add(session *s, pf_query_cell a, pf_query_cell b)
{
    return pf_row_batches_add(&s->batches, (pf_query_cell[]){a, b}, &s->err);
}

static void end(session *s)
{
    pf_row_batches_free(&s->batches);
    pf_budget_end(&s->budget);
    cr_expect_eq(s->budget.used, 0);
    pf_buffer_free(&s->seen.text);
    free(s);
}

static void ends_as(session *s, const char *expected)
{
    cr_assert_eq(pf_row_batches_end(&s->batches, &s->err), PF_OK, "%s", s->err.text);
    pf_buffer_put(&s->seen.text, "", 1);
    cr_expect_str_eq(s->seen.text.data, expected);
    end(s);
}

static const char *const AB[] = {"a", "b"};

Test(row_batches, types_of_the_first_batch)
{
    session *s = begin(2, AB, NULL);
    cr_expect_eq(add(s, NOTHING, text("x")), PF_OK);
    cr_expect_eq(add(s, integer(INT64_MIN), NOTHING), PF_OK);
    cr_expect_eq(add(s, integer(INT64_MAX), text("")), PF_OK);
    ends_as(s, "[a:int64 b:text| - 'x'| -9223372036854775808 -| 9223372036854775807 '']");

    s = begin(2, AB, NULL);
    cr_expect_eq(add(s, integer(-3), text("x")), PF_OK);
    cr_expect_eq(add(s, real(0.5), blob("y", 1)), PF_OK);
    cr_expect_eq(add(s, integer(1ll << 60), text("z")), PF_OK);
    cr_expect_eq(add(s, real(INFINITY), NOTHING), PF_OK);
    ends_as(s, "[a:double b:binary| -3 'x'| 0.5 'y'| 1.15292e+18 'z'| inf -]");
}

Test(row_batches, without_values)
{
    static const pf_value_type TYPES[] = {PF_VALUE_REAL, PF_VALUE_NULL};
    ends_as(begin(2, AB, TYPES), "[a:double b:text]");
    session *s = begin(2, AB, (const pf_value_type[]){PF_VALUE_INT, PF_VALUE_STRING});
    cr_expect_eq(add(s, NOTHING, NOTHING), PF_OK);
    ends_as(s, "[a:int64 b:text| - -]");
    ends_as(begin(0, NULL, NULL), "[]");
}

Test(row_batches, names)
{
    static const char *const NAMES[] = {"ts", "TS", "a", "ts_2", "ts", "A", "", "", "\xff"};
    ends_as(begin(9, NAMES, NULL),
            "[ts:text TS_2:text a:text ts_2_2:text ts_3:text A_2:text :text _2:text \xef\xbf\xbd:text]");
}

Test(row_batches, texts_that_are_no_utf8)
{
    session *s = begin(2, AB, NULL);
    cr_expect_eq(add(s, text("a\xff\xc3\xa4\xed\xa0\x80z"), blob("\xff", 1)), PF_OK);
    cr_expect_eq(add(s, text("\xef\xbf\xbd\xf0\x9f\x98\x80\xf0\x9f"), blob("", 0)), PF_OK);
    ends_as(s, "[a:text b:binary| 'a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbdz' '\xff'"
               "| '\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbd' '']");
}

static void refuses(pf_query_cell first, pf_query_cell second, const char *message)
{
    session *s = begin(1, AB, NULL);
    cr_assert_eq(pf_row_batches_add(&s->batches, &first, &s->err), PF_OK);
    cr_expect_eq(pf_row_batches_add(&s->batches, &second, &s->err), PF_ERR_USAGE);
    cr_expect_str_eq(s->err.text, message, "%s", s->err.text);
    end(s);
}

Test(row_batches, what_does_not_fit)
{
    refuses(integer(1), text("x"),
            "row 2, column a: a text in a column that began with an integer; CAST(... AS TEXT) gives it one type");
    refuses(text("x"), real(1),
            "row 2, column a: a real in a column that began with a text; CAST(... AS TEXT) gives it one type");
    refuses(integer((1ll << 53) + 1), real(1),
            "row 2, column a: a real in a column that began with an integer; CAST(... AS REAL) gives it one type");
    refuses(real(1), integer(INT64_MAX),
            "row 2, column a: an integer in a column that began with a real; CAST(... AS REAL) gives it one type");
}

#define MOST_NULLS (1u << 23) /* rows of one column that are waited for a value */

/* Rows until a batch ends. */
static session *after_a_batch(pf_query_cell a)
{
    bool none = a.type == PF_VALUE_NULL;
    session *s = begin(1, AB, NULL);
    s->seen.brief = true;
    for (uint32_t i = 0; i < (none ? MOST_NULLS : PF_ROW_BATCH); i++) {
        cr_assert_eq(s->seen.batches, 0);
        cr_assert_eq(pf_row_batches_add(&s->batches, &a, &s->err), PF_OK);
    }
    cr_assert_eq(s->seen.batches, none ? MOST_NULLS / PF_ROW_BATCH : 1);
    return s;
}

/* A column without a value holds the first batch up, but not where its type is declared. */
Test(row_batches, a_late_value)
{
    for (int declared = 0; declared < 2; declared++) {
        session *s = begin(2, AB, (const pf_value_type[]){PF_VALUE_NULL, declared ? PF_VALUE_INT : PF_VALUE_NULL});
        s->seen.brief = true;
        for (uint32_t i = 0; i < 2 * PF_ROW_BATCH + 1; i++) {
            cr_assert_eq(s->seen.batches, declared ? i / PF_ROW_BATCH : 0);
            cr_assert_eq(add(s, integer(i), NOTHING), PF_OK);
        }
        cr_expect_eq(add(s, integer(-1), integer(7)), PF_OK);
        cr_expect_eq(s->seen.batches, 2);
        s->seen.brief = false;
        ends_as(s, "[a:int64 b:int64| 245760 -| -1 7]");
    }
}

Test(row_batches, later_batches_keep_the_types)
{
    static const struct {
        pf_query_cell first, later;
        const char *message;
    } CASES[] = {
        {{.type = PF_VALUE_INT, .as.i = 7},
         {.type = PF_VALUE_REAL, .as.d = 7},
         "row 122881, column a: a real in a column that began with an integer; CAST(... AS REAL) gives it one type"},
        {{.type = PF_VALUE_STRING, .as.s = {"x", 1}},
         {.type = PF_VALUE_STRING, .blob = true, .as.s = {"x", 1}},
         "row 122881, column a: a blob in a column that began with a text; CAST(... AS TEXT) gives it one type"},
        {{.type = PF_VALUE_NULL},
         {.type = PF_VALUE_INT, .as.i = 7},
         "row 8388609, column a: an integer in a column that is NULL for so long that its type became that of a text; "
         "ORDER BY it DESC, or select the rows IS NOT NULL, so that a value comes first"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        session *s = after_a_batch(CASES[i].first);
        cr_expect_eq(pf_row_batches_add(&s->batches, &CASES[i].later, &s->err), PF_ERR_USAGE);
        cr_expect_str_eq(s->err.text, CASES[i].message, "%s", s->err.text);
        end(s);
    }
    session *s = after_a_batch(real(0.5));
    pf_query_cell whole = integer(3), none = NOTHING;
    s->seen.brief = false;
    cr_expect_eq(pf_row_batches_add(&s->batches, &whole, &s->err), PF_OK);
    cr_expect_eq(pf_row_batches_add(&s->batches, &none, &s->err), PF_OK);
    ends_as(s, "[a:double| 3| -]");
}

/* Batches are short where their texts are long or their rows wide; a text that is there already costs nothing. */
Test(row_batches, memory_is_bounded)
{
    size_t len = 1 << 20;
    char *large = malloc(len + 1);
    cr_assert(large != NULL);
    memset(large, 'x', len);
    large[len] = '\0';
    session *s = begin(2, AB, NULL);
    s->seen.brief = true;
    for (int i = 0; i < 300; i++) {
        memcpy(large, i < 200 ? (char[]){(char)('a' + i % 25), (char)('a' + i / 25)} : "same", 2);
        cr_assert_eq(add(s, text(large), text("x")), PF_OK, "%s", s->err.text);
    }
    cr_expect_eq(pf_row_batches_end(&s->batches, &s->err), PF_OK);
    cr_expect_eq(s->seen.rows, 300);
    cr_expect_eq(s->seen.batches, 4);
    cr_expect_eq(s->seen.sizes[0], 64);
    cr_expect_lt(s->budget.peak, 70u << 20);
    end(s);
    free(large);
}

/* ---- random rows ------------------------------------------------------------------------------------------------- */

#define RANDOM_ROWS 300000u

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static const char *const WORDS[] = {"", "a", "kernel", "\xc3\xa4", "a longer text that no pool has inline"};

static void compare_rows(seen *s, const pf_col_table *t)
{
    static const pf_col_type TYPES[] = {PF_COL_INT64, PF_COL_DOUBLE, PF_COL_TEXT};
    int64_t *values = calloc(t->rows + 1, sizeof *values);
    uint8_t *bits = calloc(t->rows / 8 + 1, 1);
    cr_assert(values && bits && t->count == 3);
    for (size_t i = 0; i < t->count; i++) {
        cr_assert_eq(t->cols[i].type, TYPES[i]);
        pf_col_fill(&t->cols[i], 0, t->rows, values, bits);
        for (uint32_t row = 0; row < t->rows; row++) {
            const pf_query_cell *c = &s->kept[(s->rows + row) * 3 + i];
            bool there = bits[row >> 3] >> (row & 7) & 1;
            cr_assert_eq(there, c->type != PF_VALUE_NULL);
            if (there && i == 2) {
                pf_str got = pf_strings_get(t->cols[i].pool, ((const uint32_t *)(const void *)values)[row]);
                cr_assert(pf_str_equal(got, c->as.s));
            } else if (there) {
                double d = c->type == PF_VALUE_INT ? (double)c->as.i : c->as.d;
                cr_assert_eq(memcmp(&values[row], i == 0 ? (const void *)&c->as.i : &d, sizeof d), 0);
            }
        }
    }
    free(values);
    free(bits);
}

Test(row_batches, random_rows)
{
    static const char *const NAMES[] = {"i", "d", "t"};
    uint64_t seed = (uint64_t)time(NULL) | 1, state = seed;
    printf("row_batches: seed %llu\n", (unsigned long long)seed);
    pf_query_cell *kept = calloc((size_t)RANDOM_ROWS * 3, sizeof *kept);
    session *s = begin(3, NAMES, NULL);
    cr_assert(kept != NULL);
    s->seen.look = compare_rows;
    s->seen.kept = kept;
    for (uint32_t row = 0; row < RANDOM_ROWS; row++) {
        pf_query_cell *c = &kept[(size_t)row * 3];
        uint64_t r = next(&state), none = row ? r >> 60 : 15;
        double special[] = {0.5, -0.0, NAN, INFINITY, -INFINITY, DBL_MAX, DBL_MIN / 4, 1e-9};
        c[0] = none == 0 ? NOTHING : integer(none == 1 ? INT64_MIN : none == 2 ? INT64_MAX : (int64_t)next(&state));
        c[1] = r >> 56 & 1 && row ? r >> 57 & 1 ? NOTHING : integer((int64_t)(r & 0xffff) - 5) : real(special[r & 7]);
        c[2] = r >> 48 & 1 && row ? NOTHING : text(WORDS[(r >> 8) % 5]);
        cr_assert_eq(pf_row_batches_add(&s->batches, c, &s->err), PF_OK, "%s", s->err.text);
    }
    cr_expect_eq(pf_row_batches_end(&s->batches, &s->err), PF_OK);
    cr_expect_eq(s->seen.rows, RANDOM_ROWS);
    cr_expect_eq(s->seen.batches, 3);
    end(s);
    free(kept);
}
