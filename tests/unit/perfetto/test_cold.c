/* Rare messages through protobuf-c: what it would reject, merge or trust is gone before it sees the bytes. */
#include <criterion/criterion.h>
#include <string.h>

#include "perfetto/cold.h"
#include "trace_packet.pb-c.h"
#include "wire/writer.h"

typedef Pf__Proto__TrackDescriptor descriptor;

static pf_budget budget;
static pf_cold cold;

static void setup(void)
{
    pf_budget_init(&budget, NULL);
    pf_cold_init(&cold, &budget);
}

static void teardown(void)
{
    pf_cold_free(&cold);
    cr_expect_eq(budget.used, 0);
}

TestSuite(cold, .init = setup, .fini = teardown);

static const descriptor *unpack(const char *bytes, size_t len)
{
    pf_error err;
    const descriptor *d = (const descriptor *)pf_cold_unpack(&cold, &pf__proto__track_descriptor__descriptor,
                                                             (const uint8_t *)bytes, len, &err);
    cr_assert_not_null(d);
    return d;
}

#define UNPACK(s) unpack(s, sizeof(s) - 1)

Test(cold, last_submessage_wins_without_merging)
{
    const descriptor *d = UNPACK("\x08\x05\x1a\x02\x08\x07\x1a\x03\x32\x01p");
    cr_expect_eq(d->uuid, 5);
    cr_assert_not_null(d->process);
    cr_expect_not(d->process->has_pid, "protobuf-c alone would have merged the first one in");
    cr_expect(d->process->has_process_name && d->process->process_name.len == 1);
}

Test(cold, fields_before_a_malformed_one_count)
{
    const descriptor *d = UNPACK("\x08\x05\x1a\x04\x08\x07\x0b\x0c\x12\x02nm\x0b");
    cr_expect_eq(d->uuid, 5);
    cr_expect(d->process && d->process->pid == 7);
    cr_expect(d->has_name && d->name.len == 2);
}

Test(cold, wrong_wire_types_and_unknown_fields_vanish)
{
    const descriptor *d = UNPACK("\x0a\x01x\x1a\x02\x08\x07\x18\x09\xc0\x3e\x01\x12\x03"
                                 "a\0b");
    cr_expect_not(d->has_uuid);
    cr_expect(d->process && d->process->pid == 7, "a varint with the number of a message is not it");
    cr_expect(d->name.len == 3 && memcmp(d->name.data, "a\0b", 3) == 0, "names may hold any byte");
}

Test(cold, negative_numbers)
{
    const descriptor *d = UNPACK("\x60\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    cr_expect_eq(d->sibling_order_rank, -1);
}

Test(cold, packed_lists_are_unrolled)
{
    pf_error err;
    const Pf__Proto__TrackEventDefaults *d = (const Pf__Proto__TrackEventDefaults *)pf_cold_unpack(
        &cold, &pf__proto__track_event_defaults__descriptor, (const uint8_t *)"\xfa\x01\x03\x01\x80\x01\xf8\x01\x09", 9,
        &err);
    cr_assert_not_null(d);
    cr_assert_eq(d->n_extra_counter_track_uuids, 3);
    cr_expect_eq(d->extra_counter_track_uuids[1], 128);
    cr_expect_eq(d->extra_counter_track_uuids[2], 9);
}

/* protobuf-c 1.4.1 recurses on what it is given; unknown nesting never reaches it. */
Test(cold, deep_nesting_is_harmless)
{
    pf_buffer b = {0};
    pf_writer w;
    pf_writer_init(&w, &b);
    for (int i = 0; i < 5000; i++) {
        pf_writer_begin(&w, 3);
    }
    for (int i = 0; i < 5000; i++) {
        pf_writer_end(&w);
    }
    cr_expect_not_null(unpack(b.data, b.len)->process);
    pf_writer_free(&w);
    pf_buffer_free(&b);
}

Test(cold, empty_message)
{
    cr_expect_not(unpack("", 0)->has_uuid);
}

Test(cold, refused_memory_is_an_error)
{
    pf_error err = {0};
    budget.limits.memory = 100;
    cr_expect_null(
        pf_cold_unpack(&cold, &pf__proto__track_descriptor__descriptor, (const uint8_t *)"\x08\x05", 2, &err));
    cr_expect_eq(err.code, PF_ERR_LIMIT);
}
