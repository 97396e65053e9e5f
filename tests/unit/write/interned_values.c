/* interned_values.c - which texts of arguments get an id. A text that was used before has one, unless fewer than 32 of
 * 1,024 values of its key had: then the next 15,360 are written in place. test_packet shows texts with an
 * id in "", others in ''. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support.h"

enum { WANT = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES, LOOKUPS = 1024, IN_PLACE = 15360 };

/* A trace of `count` instants, converted; value(i) is the argument "v" of the ith, and each has an argument "w". */
static test_packets converted(uint32_t count, const char *(*value)(uint32_t i, char buf[32]), char **bytes)
{
    pf_trace *t = test_trace("perfetto", WANT);
    uint32_t track = test_thread(t, 7, 1);
    for (uint32_t i = 0; i < count; i++) {
        char buf[32], args[96];
        snprintf(args, sizeof args, "t%s args.v|tcommon args.w", value(i, buf));
        test_add(t, 'i', i, 0, track, "I", NULL);
        test_args(t, args);
    }
    return test_converted(t, bytes);
}

/* The arguments of the events from `first` on, a line for each. */
static void expect_args(const test_packets *p, uint32_t first, const char *expected)
{
    char found[256] = "";
    uint32_t n = 0;
    for (size_t i = 0; i < p->count && strlen(found) < strlen(expected); i++) {
        if (p->list[i].is_event && n++ >= first) {
            strcat(strcat(found, p->list[i].args), "\n");
        }
    }
    cr_expect_str_eq(found, expected, "from %u on: %s", first, found);
}

static const char *different_then_same(uint32_t i, char buf[32])
{
    snprintf(buf, 32, i < LOOKUPS ? "value %u" : "same", i);
    return buf;
}

Test(interned_values, values_that_differ_are_not_looked_up_for_a_while)
{
    char *bytes;
    test_packets p = converted(LOOKUPS + IN_PLACE + 3, different_then_same, &bytes);
    expect_args(&p, 0, "v='value 0';w='common';\nv='value 1';w=\"common\";\n");
    expect_args(&p, LOOKUPS, "v='same';w=\"common\";\nv='same';w=\"common\";\n");
    expect_args(&p, LOOKUPS + IN_PLACE - 1,
                "v='same';w=\"common\";\nv='same';w=\"common\";\nv=\"same\";w=\"common\";\n");
    test_packets_free(&p);
    free(bytes);
}

/* The value that comes again is first used at 0, and so often until the decision. */
static uint32_t repeated;
static const char *some_again(uint32_t i, char buf[32])
{
    snprintf(buf, 32, i < repeated || i >= LOOKUPS ? "again" : "value %u", i);
    return buf;
}

Test(interned_values, one_of_32_values_is_enough)
{
    for (repeated = 32; repeated <= 33; repeated++) {
        char *bytes;
        test_packets p = converted(LOOKUPS + 1, some_again, &bytes);
        expect_args(&p, 0, "v='again';w='common';\nv=\"again\";w=\"common\";\n");
        expect_args(&p, LOOKUPS, repeated == 33 ? "v=\"again\";w=\"common\";\n" : "v='again';w=\"common\";\n");
        test_packets_free(&p);
        free(bytes);
    }
}
