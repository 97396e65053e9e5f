/* Interning tables and sequence state. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "perfetto/fields.h"
#include "perfetto/seqstate.h"
#include "wire/writer.h"

typedef struct world {
    pf_budget budget;
    pf_arena arena;
    pf_strings strings;
    pf_sequences sequences;
} world;

static void open_world(world *w)
{
    pf_error err;
    pf_budget_init(&w->budget, NULL);
    pf_arena_init(&w->arena, &w->budget);
    cr_assert_eq(pf_strings_init(&w->strings, &w->budget, &err), PF_OK);
    pf_generations *g = pf_generations_new(&w->arena);
    cr_assert_not_null(g);
    pf_sequences_init(&w->sequences, &w->budget, g, &w->strings, (1u << PF_INTERN_KINDS) - 1);
}

static void close_world(world *w)
{
    pf_sequences_free(&w->sequences);
    pf_strings_free(&w->strings);
    pf_arena_free(&w->arena);
    cr_expect_eq(w->budget.used, 0);
}

/* Each iid is twice the one before: an array that grew over them would double with every entry. */
Test(intern, distant_iids_make_no_large_array)
{
    world w;
    open_world(&w);
    pf_generations *g = w.sequences.generations;
    pf_generation *n = pf_generation_add(g);
    for (uint32_t i = 0; i < 64; i++) {
        cr_assert(pf_intern_set(g, n, PF_INTERN_EVENT_NAME, 1ull << i, i));
    }
    cr_expect_lt(w.budget.used, 100000);
    for (uint32_t i = 0; i < 64; i++) {
        cr_expect_eq(pf_intern_get(n, PF_INTERN_EVENT_NAME, 1ull << i), i);
    }
    close_world(&w);
}

Test(intern, first_value_stays_and_any_iid_works)
{
    world w;
    open_world(&w);
    pf_generations *g = w.sequences.generations;
    pf_generation *n = pf_generation_add(g);
    cr_expect_eq(n->number, 1);
    static const uint64_t iids[] = {1, 2, 15, 16, 17, 200, 5000, 100000, 1ull << 32, UINT64_MAX, 3, 90, 400};
    for (uint32_t i = 0; i < sizeof iids / sizeof *iids; i++) {
        cr_expect_eq(pf_intern_get(n, PF_INTERN_EVENT_NAME, iids[i]), PF_NONE);
        cr_assert(pf_intern_set(g, n, PF_INTERN_EVENT_NAME, iids[i], i));
        cr_assert(pf_intern_set(g, n, PF_INTERN_EVENT_NAME, iids[i], 99));
    }
    for (uint64_t iid = 300; iid < 1300; iid++) { /* lets the array grow over hashed iids */
        cr_assert(pf_intern_set(g, n, PF_INTERN_EVENT_NAME, iid, 7));
    }
    for (uint32_t i = 0; i < sizeof iids / sizeof *iids; i++) {
        cr_expect_eq(pf_intern_get(n, PF_INTERN_EVENT_NAME, iids[i]), i, "iid %llu", (unsigned long long)iids[i]);
    }
    cr_expect_eq(pf_intern_get(n, PF_INTERN_EVENT_NAME, 0), PF_NONE);
    cr_expect_eq(pf_intern_get(n, PF_INTERN_EVENT_NAME, 4), PF_NONE);
    cr_expect_eq(pf_intern_get(n, PF_INTERN_CATEGORY, 1), PF_NONE);
    cr_expect_eq(pf_intern_get(g->list[0], PF_INTERN_EVENT_NAME, 1), PF_NONE);
    close_world(&w);
}

Test(sequence, many_are_kept_apart)
{
    world w;
    open_world(&w);
    for (uint32_t id = 1; id <= 1000; id++) {
        pf_sequence *q = pf_sequence_find(&w.sequences, id * 7919);
        cr_assert(q && !q->valid);
        q->pid = id;
    }
    for (uint32_t id = 1000; id >= 1; id--) {
        cr_assert_eq(pf_sequence_find(&w.sequences, id * 7919)->pid, id);
    }
    close_world(&w);
}

Test(sequence, clear_and_loss)
{
    world w;
    double sum;
    open_world(&w);
    pf_sequence *q = pf_sequence_find(&w.sequences, 1);
    pf_sequence_clear(q);
    cr_expect(q->valid);
    const pf_generation *first = pf_sequence_generation(&w.sequences, q);
    q->clock_id = 64;
    q->track_uuid = 5;
    q->has_thread = q->has_reference = true;
    cr_assert(pf_sequence_add(&w.sequences, q, 9, 2.5, &sum));
    cr_expect_eq(sum, 2.5);
    cr_assert(pf_sequence_add(&w.sequences, q, 9, 1, &sum));
    cr_expect_eq(sum, 3.5);

    pf_sequence_lose(q);
    cr_expect_not(q->valid);
    cr_expect_eq(q->generation, first);
    cr_expect(q->clock_id == 64 && q->track_uuid == 5 && q->has_thread && !q->has_reference);
    cr_assert(pf_sequence_add(&w.sequences, q, 9, 1, &sum));
    cr_expect_eq(sum, 1);

    pf_sequence_clear(q);
    cr_expect(q->valid && q->clock_id == 0 && q->track_uuid == 0 && q->has_thread);
    cr_expect_neq(pf_sequence_generation(&w.sequences, q), first);
    cr_assert(pf_sequence_add(&w.sequences, q, 9, 4, &sum));
    cr_expect_eq(sum, 4);
    close_world(&w);
}

/* 100 counters of one sequence with less memory than they need: what is refused is said, and goes on where it was once
 * there is memory again. */
Test(sequence, sums_wait_for_memory)
{
    unsigned refused = 0;
    for (uint64_t room = 0; room < 8192; room += 64) {
        world w;
        double sum;
        open_world(&w);
        pf_sequence *q = pf_sequence_find(&w.sequences, 1);
        w.budget.limits.memory = w.budget.used + room;
        for (uint32_t i = 1; i <= 100; i++) {
            sum = -1;
            if (!pf_sequence_add(&w.sequences, q, i, i, &sum)) {
                refused++;
                w.budget.limits.memory = 1 << 20;
                cr_assert(pf_sequence_add(&w.sequences, q, i, i, &sum));
            }
            cr_assert_eq(sum, i, "%" PRIu64 ": %u", room, i);
        }
        for (uint32_t i = 1; i <= 100; i++) {
            cr_assert(pf_sequence_add(&w.sequences, q, i, 0.5, &sum));
            cr_assert_eq(sum, i + 0.5);
        }
        close_world(&w);
    }
    cr_expect_gt(refused, 10);
}

Test(sequence, defaults_are_replaced_as_a_whole)
{
    static const uint8_t clock_only[] = "\xd0\x03\x40";                                         /* clock 64 */
    static const uint8_t event_only[] = "\x5a\x0a\x58\x05\xf8\x01\x07\xf8\x01\x08\xe8\x02\x09"; /* uuid 5, lists */
    static const uint8_t packed[] = "\x5a\x05\xfa\x01\x02\x0a\x0b";
    world w;
    open_world(&w);
    pf_sequence *q = pf_sequence_find(&w.sequences, 1);
    cr_assert(pf_sequence_set_defaults(&w.sequences, q, clock_only, sizeof clock_only - 1));
    cr_expect_eq(q->clock_id, 64);
    cr_assert(pf_sequence_set_defaults(&w.sequences, q, event_only, sizeof event_only - 1));
    cr_expect_eq(q->clock_id, 0);
    cr_expect_eq(q->track_uuid, 5);
    cr_expect(q->extra_uuids.count == 2 && q->extra_uuids.uuid[0] == 7 && q->extra_uuids.uuid[1] == 8);
    cr_expect_eq(q->extra_double_uuids.count, 0, "the message ends before it");
    cr_assert(pf_sequence_set_defaults(&w.sequences, q, packed, sizeof packed - 1));
    cr_expect(q->extra_uuids.count == 2 && q->extra_uuids.uuid[0] == 10 && q->extra_uuids.uuid[1] == 11);
    close_world(&w);
}

Test(sequence, interned_data)
{
    world w;
    pf_buffer b = {0};
    pf_writer wr;
    pf_error err;
    uint64_t without = 0;
    open_world(&w);
    pf_writer_init(&wr, &b);
    for (int i = 0; i < 3; i++) {
        pf_writer_begin(&wr, i == 2 ? PF_F_INTERNED_SOURCE_LOCATIONS : PF_F_INTERNED_EVENT_NAMES);
        if (i != 1) {
            pf_writer_varint(&wr, PF_F_ENTRY_IID, 4);
        }
        pf_writer_bytes(&wr, PF_F_ENTRY_TEXT, "nm", 2);
        pf_writer_end(&wr);
    }
    pf_sequence *q = pf_sequence_find(&w.sequences, 1);
    cr_assert_eq(pf_sequence_intern(&w.sequences, q, (uint8_t *)b.data, b.len, &without, &err), PF_OK);
    cr_expect_eq(without, 1);
    pf_str name = pf_strings_get(&w.strings, pf_intern_get(q->generation, PF_INTERN_EVENT_NAME, 4));
    cr_expect(name.len == 2 && memcmp(name.ptr, "nm", 2) == 0);
    pf_str entry = pf_strings_get(&w.strings, pf_intern_get(q->generation, PF_INTERN_SOURCE_LOCATION, 4));
    cr_expect_eq(entry.len, 6, "a source location is kept as its whole entry");
    pf_writer_free(&wr);
    pf_buffer_free(&b);
    close_world(&w);
}
