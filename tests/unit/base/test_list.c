/* test_list.c - arrays that grow keep what they hold, are counted exactly, and stay as they are where memory is
 * refused. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/list.h"
#include "base/str.h"

Test(list, grows_and_is_counted)
{
    pf_budget budget;
    uint64_t *numbers = NULL;
    uint32_t room = 0;
    pf_error err;
    pf_budget_init(&budget, NULL);
    for (uint32_t i = 0; i < 5000; i++) {
        cr_assert_eq(PF_LIST_ROOM(&budget, numbers, i + 1, room, &err), PF_OK);
        numbers[i] = i * 3;
    }
    for (uint32_t i = 0; i < 5000; i++) {
        cr_assert_eq(numbers[i], i * 3);
    }
    cr_expect_eq(room, 8192);
    cr_expect_eq(budget.used, 8192 * sizeof *numbers);
    PF_LIST_FREE(&budget, numbers, room);
    cr_expect_eq(budget.used, 0);
    pf_budget_end(&budget);
}

Test(list, stays_where_memory_is_refused)
{
    pf_limits limits = pf_limits_default();
    limits.memory = 100;
    pf_budget budget;
    char *bytes = NULL;
    size_t room = 0;
    pf_error err;
    pf_budget_init(&budget, &limits);
    cr_assert_eq(PF_LIST_ROOM(&budget, bytes, 60, room, &err), PF_OK);
    bytes[59] = 'x';
    char *before = bytes;
    cr_expect_eq(PF_LIST_ROOM(&budget, bytes, 101, room, &err), PF_ERR_LIMIT);
    cr_expect_eq(err.code, PF_ERR_LIMIT);
    cr_expect(bytes == before && room == 64 && bytes[59] == 'x');
    uint32_t small = 64;
    size_t much = SIZE_MAX, wide = UINT32_MAX;
    cr_expect_eq(PF_LIST_ROOM(&budget, bytes, much, room, NULL), PF_ERR_LIMIT);
    cr_expect_eq(PF_LIST_ROOM(&budget, bytes, wide, small, NULL), PF_ERR_LIMIT);
    PF_LIST_FREE(&budget, bytes, room);
    cr_expect_eq(budget.used, 0);
}

Test(list, needs_no_budget)
{
    int *list = NULL;
    size_t room = 0;
    cr_assert_eq(PF_LIST_ROOM(NULL, list, 1, room, NULL), PF_OK);
    list[0] = 1;
    cr_expect_eq(PF_LIST_ROOM(NULL, list, SIZE_MAX / 2, room, NULL), PF_ERR_MEMORY);
    free(list);
}

Test(list, quotes_are_doubled_inside_quotes)
{
    pf_buffer b = {0};
    pf_buffer_quoted(&b, PF_STR("a\"b\"\"c"), '"');
    pf_buffer_quoted(&b, PF_STR(""), '\'');
    cr_expect(pf_str_is((pf_str){b.data, b.len}, "\"a\"\"b\"\"\"\"c\"''"), "%.*s", (int)b.len, b.data);
    pf_buffer_free(&b);
}

Test(list, words_of_strings)
{
    cr_expect(pf_str_is(pf_str_trim(PF_STR(" \t a b\n")), "a b"));
    cr_expect_eq(pf_str_trim(PF_STR(" \n ")).len, 0);
    cr_expect_eq(pf_str_find(PF_STR("abcabc"), PF_STR("ca")), 2);
    cr_expect_eq(pf_str_find(PF_STR("abc"), PF_STR("d")), SIZE_MAX);
    cr_expect_eq(pf_str_find(PF_STR("abc"), PF_STR("")), 0);
    cr_expect(pf_is_digit('0') && pf_is_digit('9') && !pf_is_digit('/') && !pf_is_digit(':'));
    cr_expect(pf_is_blank('\v') && !pf_is_blank('\b') && !pf_is_blank(0x0e) && pf_lower('Z') == 'z' &&
              pf_lower('[') == '[');
}

Test(list, texts_without_colours)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {{"r_16", "r_16"},
                 {"\x1b[34mr_\x1b[0m16", "r_16"},
                 {"a\x1b[1;31mb", "ab"},
                 {"a\x1b", "a\x1b"},
                 {"a\x1b]b", "a\x1b]b"},
                 {"a\x1b[34", "a"},
                 {"", ""}};
    char out[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len = pf_str_without_colours(pf_str_of(cases[i].text), out, sizeof out);
        cr_expect(pf_str_is((pf_str){out, len}, cases[i].plain), "%zu: %.*s", i, (int)len, out);
    }
    cr_expect_eq(pf_str_without_colours(PF_STR("abc"), out, 2), 2, "no more than there is room for");
}

Test(list, grows_in_an_arena)
{
    pf_limits limits = pf_limits_default();
    limits.memory = 1 << 16;
    pf_budget budget;
    pf_arena arena;
    uint32_t *numbers = NULL, room = 0, i = 0;
    pf_error err;
    pf_budget_init(&budget, &limits);
    pf_arena_init(&arena, &budget);
    while (PF_ARENA_ROOM(&arena, numbers, (size_t)i + 1, room, &err) == PF_OK) {
        numbers[i] = i;
        i++;
    }
    cr_expect_eq(err.code, PF_ERR_LIMIT);
    cr_assert(i > 1000 && i == room, "%u of %u", i, room);
    while (i-- > 0) {
        cr_assert_eq(numbers[i], i);
    }
    size_t much = SIZE_MAX;
    cr_expect_eq(PF_ARENA_ROOM(&arena, numbers, much, room, NULL), PF_ERR_LIMIT);
    pf_arena_free(&arena);
    pf_budget_end(&budget);
}
