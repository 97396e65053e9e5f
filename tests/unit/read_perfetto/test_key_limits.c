/* The most arguments that an event of a GPU may have (pf_limits.keys): no more are given. An event whose bytes alone
 * would allow for more, two to an argument, has none and is counted. */
#include "spelled.h"

#include <string.h>

static pf_trace *load_keys(const char *spelled, uint32_t keys)
{
    bytes b;
    pf_read_options o = pf_read_options_default();
    o.limits.keys = keys;
    start(&b);
    spell(&b, spelled, AS_IT_STANDS);
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    finish(&b);
    return t;
}

static size_t count_values(const pf_buffer *shown)
{
    size_t count = 0;
    for (size_t i = 0; i < shown->len; i++) {
        count += shown->data[i] == '=';
    }
    return count;
}

/* The arguments of event 0 with limits from `least` on, and how many there are in all. */
static void expect_first(const char *spelled, uint32_t least, size_t all)
{
    pf_buffer full = {0};
    pf_trace *t = load_keys(spelled, 1000);
    show_args(t, 0, &full);
    pf_trace_free(t);
    cr_expect_eq(count_values(&full), all, "%zu in%.*s", count_values(&full), (int)full.len, full.data);
    for (uint32_t keys = least; keys < all + 2; keys++) {
        pf_buffer got = {0};
        t = load_keys(spelled, keys);
        show_args(t, 0, &got);
        cr_expect_eq(stat_of(t, PF_STAT_JSON_ARGS_DROPPED), 0);
        cr_expect_eq(count_values(&got), keys < all ? keys : all, "%u:%.*s", keys, (int)got.len, got.data);
        for (; got.len >= 2 && memcmp(got.data + got.len - 2, " .", 2) == 0; got.len -= 2) { /* ends of lists */
        }
        cr_expect(got.len <= full.len && memcmp(got.data, full.data, got.len) == 0, "%u:%.*s", keys, (int)got.len,
                  got.data);
        pf_trace_free(t);
        pf_buffer_free(&got);
    }
    pf_buffer_free(&full);
}

/* A stage has eleven arguments in any case; the kernel here has three texts and two numbers of its own, the launch six
 * numbers and one more. */
Test(key_limits, arguments_of_gpu_events)
{
    expect_first("1{8:10 53{1:5 2:20}}", 2, 11);
    expect_first("1{10:7 13:1 12{1000{1:1 2'f' 3'f()' 4'sm' 5{1:1 4:5} 5{2'b' 3:6}} 1001{1:1 2'a'}}}"
                 "1{8:10 10:7 53{1:5 2:20 19:1}}",
                 4, 16);
    expect_first("1{8:10 53{1:5 21{1{1:1 2:2 3:3} 2{1:4 2:5 3:6} 3{2'n' 3:7}}}}", 16, 18);
    expect_first("1{8:10 53{1:5 6{1'x' 2'y'} 6{1'z' 2'u'}}}", 9, 13);
    expect_first("1{8:13 65{2{1:5 2:300 3:301 5:20 5:21 5:22 6:4}}}", 8, 7);
    expect_first("1{8:13 63{1:3 2'a' 3'b'}}", 4, 2);
}

/* Messages of 12 and 13 bytes may have six arguments, one of 14 may have seven. */
Test(key_limits, bytes_that_allow_for_too_many)
{
    static const struct {
        const char *spelled;
        bool kept;
    } cases[] = {{"1{8:10 53{1:5 6{1'' 2'abcd'}}}", true},    {"1{8:10 53{1:5 6{1'' 2'abcde'}}}", true},
                 {"1{8:10 53{1:5 6{1'' 2'abcdef'}}}", false}, {"1{8:10 63{2'12345' 3'123'}}", true},
                 {"1{8:10 63{2'12345' 3'1234'}}", true},      {"1{8:10 63{2'12345' 3'12345'}}", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer got = {0};
        pf_trace *t = load_keys(cases[i].spelled, 6);
        show_args(t, 0, &got);
        cr_expect_eq(got.len > 0, cases[i].kept, "%s", cases[i].spelled);
        cr_expect_eq(stat_of(t, PF_STAT_JSON_ARGS_DROPPED), cases[i].kept ? 0 : 1, "%s", cases[i].spelled);
        pf_trace_free(t);
        pf_buffer_free(&got);
    }
}
