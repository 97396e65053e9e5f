/* test_bad_pickles.c - malicious and damaged pickles: what is refused says why and where, what only looks dangerous is
 * data, and no byte of a profile, cut or changed, does any harm. */
#include "pickles.h"

static const struct {
    const char *file;
    pf_status status;
    uint64_t offset;  /* PF_NOWHERE: of no single byte */
    const char *text; /* part of the message */
} bad[] = {
    {"pkl_bad_times", PF_OK, PF_NOWHERE, ""},
    {"pkl_below_the_mark", PF_ERR_INPUT, 8, "opcode 0x61 takes more than the stack holds"},
    {"pkl_build_system", PF_OK, PF_NOWHERE, ""},
    {"pkl_call_system", PF_OK, PF_NOWHERE, ""},
    {"pkl_class_of_numbers", PF_ERR_INPUT, 9, "opcode 0x93: the name of a class is not a text"},
    {"pkl_deep", PF_OK, PF_NOWHERE, ""},
    {"pkl_extension", PF_ERR_INPUT, 5, "opcode 0x82: not allowed in a profile"},
    {"pkl_instance", PF_ERR_INPUT, 10, "opcode 0x69: not allowed in a profile"},
    {"pkl_into_a_tuple", PF_ERR_INPUT, 10, "opcode 0x61: the value on the stack holds no members"},
    {"pkl_long_bytes", PF_ERR_INPUT, 14, "opcode 0x8e at byte 5 needs 18446744073709551615 bytes more, 5 are left"},
    {"pkl_long_integer", PF_ERR_INPUT, 10, "opcode 0x8b at byte 5 needs 2147483648 bytes more, 5 are left"},
    {"pkl_long_text", PF_ERR_INPUT, 14, "opcode 0x8d at byte 5 needs 4611686018427387904 bytes more, 5 are left"},
    {"pkl_many_times", PF_OK, PF_NOWHERE, ""},
    {"pkl_memo_bomb", PF_ERR_INPUT, 7, "opcode 0x72: memo index 4294967295 is beyond what a file of this size"},
    {"pkl_memo_unset", PF_ERR_INPUT, 5, "opcode 0x6a: nothing was put into the memo at 1000000"},
    {"pkl_no_value", PF_ERR_INPUT, 12, "opcode 0x75: a key without a value"},
    {"pkl_not_a_list", PF_ERR_INPUT, 5, "opcode 0x2e: the pickle holds no list"},
    {"pkl_persistent", PF_ERR_INPUT, 9, "opcode 0x51: not allowed in a profile"},
    {"pkl_recursive_list", PF_OK, PF_NOWHERE, ""},
    {"pkl_shared_graph", PF_ERR_LIMIT, 4166,
     "opcode 0x65: the pickle repeats its values so often that table tinygrad_dependency"},
    {"pkl_wide_integer", PF_ERR_INPUT, 5, "opcode 0x8b: an integer of more than 255 bytes"},
    {"pkl_without_stop", PF_ERR_INPUT, 4, "the pickle ends without opcode STOP"},
    {"pkl_billion_laughs", PF_OK, PF_NOWHERE, ""}, /* the limit is that of who writes it out */
    {"pkl_recursive", PF_OK, PF_NOWHERE, ""},
    {"pkl_deep_field", PF_OK, PF_NOWHERE, ""},
};

Test(bad_pickles, messages_name_opcode_and_offset)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[512];
        pf_trace *t;
        pf_error err;
        snprintf(path, sizeof path, PF_FIXTURES "/bad/%s.pkl", bad[i].file);
        cr_expect_eq(read_profile_file(path, &t, &err), bad[i].status, "%s: %s", bad[i].file, err.text);
        if (bad[i].status != PF_OK) {
            cr_expect_eq(err.offset, bad[i].offset, "%s: %llu", bad[i].file, (unsigned long long)err.offset);
            cr_expect(strstr(err.text, bad[i].text), "%s: %s", bad[i].file, err.text);
        }
        pf_trace_free(t);
    }
}

/* os.system of a text is an object that holds the name and the text, which is no event. */
Test(bad_pickles, a_call_is_data)
{
    pf_trace *t;
    pf_error err;
    cr_assert_eq(read_profile_file(PF_FIXTURES "/bad/pkl_call_system.pkl", &t, &err), PF_OK, "%s", err.text);
    cr_expect_neq(access("/tmp/ran", F_OK), 0);
    const pf_side_table *p = pf_trace_table(t, "tinygrad_profile");
    cr_expect_eq(*pf_side_number(p, 1, 0), 1, "one item");
    cr_expect_eq(*pf_side_number(p, 2, 0), 1, "that is no event");
    cr_expect_eq(pf_trace_table(t, "tinygrad_event")->count, 0);
    pf_trace_free(t);
}

/* Of seven ranges the two whose start is a number are there. */
Test(bad_pickles, times_that_are_no_times)
{
    pf_trace *t;
    pf_error err;
    cr_assert_eq(read_profile_file(PF_FIXTURES "/bad/pkl_bad_times.pkl", &t, &err), PF_OK, "%s", err.text);
    const pf_side_table *e = pf_trace_table(t, "tinygrad_event");
    cr_assert_eq(e->count, 2);
    cr_expect_eq(*pf_side_number(e, 3, 0), 12500);
    cr_expect_eq(*pf_side_number(e, 3, 1), -3250);
    pf_trace_free(t);
}

/* Before the first event is complete there is nothing to read; from then on there are more and more events, and all of
 * them where only the last opcode is missing. Which ones: tests/cli/cases/tinygrad_rules.sh. */
Test(bad_pickles, every_cut)
{
    size_t len;
    char *data = load_fixture("tinygrad_small.pkl", &len);
    pf_trace *t;
    pf_error err;
    int64_t items = 0;
    for (size_t i = 1; i < len; i++) {
        pf_status st = read_profile_bytes(data, i, &t, &err);
        if (st != PF_OK) {
            cr_assert_eq(st, PF_ERR_INPUT, "%zu", i);
            cr_assert_leq(err.offset, i, "%zu", i);
            cr_assert_eq(items, 0, "%zu", i);
            continue;
        }
        int64_t now = *pf_side_number(pf_trace_table(t, "tinygrad_profile"), 1, 0);
        cr_assert_geq(now, items > 1 ? items : 1, "%zu", i);
        items = now;
        pf_trace_free(t);
    }
    cr_assert_eq(read_profile_bytes(data, len, &t, &err), PF_OK);
    cr_expect_eq(*pf_side_number(pf_trace_table(t, "tinygrad_profile"), 1, 0), items);
    pf_trace_free(t);
    free(data);
}

Test(bad_pickles, every_changed_byte)
{
    static const uint8_t values[] = {0x00, 0x28, 0x52, 0x61, 0x68, 0x80, 0x94, 0xff};
    size_t len;
    char *data = load_fixture("tinygrad_small.pkl", &len);
    for (size_t i = 0; i < len; i++) {
        char before = data[i];
        data[i] = (char)values[i % sizeof values];
        pf_trace *t;
        pf_error err;
        pf_status st = read_profile_bytes(data, len, &t, &err);
        cr_assert(st == PF_OK || st == PF_ERR_INPUT || st == PF_ERR_LIMIT, "%zu: %d %s", i, st, err.text);
        for (uint32_t k = 0; st == PF_OK && k < pf_trace_events(t)->count; k++) {
            cr_assert_lt(pf_trace_events(t)->track[k], pf_trace_tracks(t)->count);
        }
        pf_trace_free(t);
        data[i] = before;
    }
    free(data);
}
