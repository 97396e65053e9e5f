/* Packets of every kind in other forms of the same content: with fields that nobody knows in every message, with their
 * fields in another order, and with tables in which all hashes are the same. What is read from the packets as they
 * stand says what is expected, and a word in it that something is. */
#include "every_kind.h"

#include <string.h>

static void read_as_text(const char *spelled, spelling how, uint64_t seed, pf_buffer *out)
{
    bytes b;
    pf_read_options o = pf_read_options_default();
    o.limits.hash_seed = seed;
    start(&b);
    spell(&b, spelled, how);
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    show_all(t, out);
    pf_trace_free(t);
    finish(&b);
}

static void expect_same(const char *spelled, const pf_buffer *want, spelling how, uint64_t seed)
{
    pf_buffer got = {0};
    read_as_text(spelled, how, seed, &got);
    cr_expect(got.len == want->len && memcmp(got.data, want->data, got.len) == 0, "%s\ngot:\n%.*s\nexpected:\n%.*s",
              spelled, (int)got.len, got.data, (int)want->len, want->data);
    pf_buffer_free(&got);
}

Test(forms, unknown_fields_change_nothing)
{
    for (size_t i = 0; i < KINDS; i++) {
        pf_buffer want = {0};
        read_as_text(every_kind[i].spelled, AS_IT_STANDS, 1, &want);
        cr_expect_not_null(memmem(want.data, want.len, every_kind[i].word, strlen(every_kind[i].word)), "%s\n%.*s",
                           every_kind[i].word, (int)want.len, want.data);
        expect_same(every_kind[i].spelled, &want, NOISY, 1);
        pf_buffer_free(&want);
    }
}

/* But where a list is in this order. */
Test(forms, the_order_of_fields_changes_nothing)
{
    for (size_t i = 0; i < KINDS; i++) {
        pf_buffer want = {0};
        if (every_kind[i].listed) {
            continue;
        }
        read_as_text(every_kind[i].spelled, AS_IT_STANDS, 1, &want);
        expect_same(every_kind[i].spelled, &want, DESCENDING, 1);
        pf_buffer_free(&want);
    }
}

/* With this seed all numbers have one hash: every table is one chain. */
Test(forms, equal_hashes_change_nothing)
{
    for (size_t i = 0; i < KINDS; i++) {
        pf_buffer want = {0};
        read_as_text(every_kind[i].spelled, AS_IT_STANDS, 1, &want);
        expect_same(every_kind[i].spelled, &want, AS_IT_STANDS, 0x7f4a7c159e3779b9);
        pf_buffer_free(&want);
    }
}
