/* test_profile_memory.c - a profile needs at most four times its size, however its list was pickled. */
#include "base/buffer.h"
#include "pickles.h"

enum { EVENTS = 300000, TIMES = 4 };

/* Texts and classes are put into the memo first, in this order, and fetched from there. */
static void put_names(pf_buffer *b)
{
    static const char *const texts[] = {"device", "AMD", "name", "r_16_16", "st", "en", "is_copy"};
    pf_buffer_text(b, "ctinygrad.helpers\nProfileRangeEvent\n\x94"
                      "0"
                      "cdecimal\nDecimal\n\x94"
                      "0");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pf_buffer_format(b,
                         "\x8c%c%s\x94"
                         "0",
                         (char)strlen(texts[i]), texts[i]);
    }
}

static void put_time(pf_buffer *b, int64_t ns)
{
    pf_buffer_format(b, "h\x01\x8c\x0e%010lld.%03lld\x94\x85\x94R\x94", (long long)(ns / 1000), (long long)(ns % 1000));
}

/* A kernel as Python writes it. */
static void put_kernel(pf_buffer *b, int64_t ns)
{
    static const char begin[] = "h\0)\x81\x94}\x94(h\2h\3h\4h\5h\6", middle[] = "h\7", end[] = "h\x08\x89ub";
    pf_buffer_put(b, begin, sizeof begin - 1);
    put_time(b, ns);
    pf_buffer_put(b, middle, sizeof middle - 1);
    put_time(b, ns + 900);
    pf_buffer_put(b, end, sizeof end - 1);
}

static void expect_memory(int batch)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "\x80\x04]");
    put_names(&b);
    for (int i = 0; i < EVENTS; i++) {
        pf_buffer_text(&b, i % batch == 0 ? "(" : "");
        put_kernel(&b, 7000000000000 + 1000 * (int64_t)i);
        pf_buffer_text(&b, i % batch == batch - 1 ? "e" : "");
    }
    pf_buffer_text(&b, ".");
    cr_assert_not(b.failed);
    cr_assert_gt(b.len, 20000000, "%zu", b.len);
    pf_trace *t;
    pf_error err;
    pf_status st = read_profile_within(b.data, b.len, TIMES * b.len, &t, &err);
    cr_assert_eq(st, PF_OK, "%d at a time: %s", batch, err.text);
    cr_expect_eq(pf_trace_slices(t)->count, EVENTS);
    pf_trace_free(t);
    pf_buffer_free(&b);
}

Test(profile_memory, lists_in_batches_as_python_writes_them)
{
    expect_memory(1000);
}

Test(profile_memory, a_list_in_one_batch)
{
    expect_memory(EVENTS);
}
