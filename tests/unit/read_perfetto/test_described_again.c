/* Second descriptors of a uuid: what contradicts the first one (docs/reference/perfetto.md, "Track reservation"), and
 * descriptors that say nothing at all. Expected is what Perfetto's engine v55.3 counts for the same packets,
 * but of states, which it does not know. */
#include "support.h"

/* What a descriptor says; 0 or NULL leaves a field out. */
typedef struct said {
    uint64_t parent, pid, tid, counter_type, multiplier, incremental, unit, merge, key_number, ordering;
    const char *name, *category, *axis, *key;
    bool thread, process, counter, state;
} said;

static void number(bytes *b, uint32_t field, uint64_t value)
{
    if (value) {
        pf_writer_varint(&b->w, field, value);
    }
}

static void word(bytes *b, uint32_t field, const char *s)
{
    if (s) {
        text(b, field, s);
    }
}

static void put_counter(bytes *b, const said *d)
{
    pf_writer_begin(&b->w, 8);
    number(b, 1, d->counter_type);
    word(b, 2, d->category);
    number(b, 3, d->unit);
    number(b, 4, d->multiplier);
    number(b, 5, d->incremental);
    word(b, 7, d->axis);
    end(b);
}

static void put(bytes *b, uint64_t uuid, const said *d)
{
    packet(b, NONE, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    if (uuid != NONE) {
        pf_writer_varint(&b->w, 1, uuid);
    }
    word(b, 2, d->name);
    if (d->process) {
        pf_writer_begin(&b->w, 3);
        number(b, 1, d->pid);
        end(b);
    }
    if (d->thread) {
        pf_writer_begin(&b->w, 4);
        number(b, 1, d->pid);
        number(b, 2, d->tid);
        end(b);
    }
    number(b, 5, d->parent);
    if (d->counter) {
        put_counter(b, d);
    }
    number(b, 11, d->ordering);
    number(b, 15, d->merge);
    word(b, 16, d->key);
    number(b, 17, d->key_number);
    if (d->state) {
        pf_writer_begin(&b->w, 18);
        end(b);
    }
    end(b);
    end(b);
}

static uint64_t contradictions(const said *first, const said *second)
{
    bytes b;
    start(&b);
    put(&b, 7, first);
    put(&b, 7, second);
    pf_trace *t = load(&b);
    uint64_t count = stat_of(t, PF_STAT_TRACK_CONFLICT);
    pf_trace_free(t);
    finish(&b);
    return count;
}

/* Each pair differs in one thing. */
Test(described_again, every_difference_that_contradicts)
{
    static const said pairs[][2] = {
        {{.name = "a", .parent = 1}, {.name = "a", .parent = 2}},
        {{.thread = true, .pid = 5, .tid = 5}, {.process = true, .pid = 5}},
        {{.name = "a"}, {.process = true, .pid = 5}},
        {{.process = true, .pid = 5}, {.process = true, .pid = 6}},
        {{.thread = true, .pid = 5, .tid = 8}, {.thread = true, .pid = 6, .tid = 8}},
        {{.thread = true, .pid = 5, .tid = 8}, {.thread = true, .pid = 5, .tid = 9}},
        {{.name = "a"}, {.name = "a", .counter = true}},
        {{.name = "a", .state = true}, {.name = "a"}},
        {{.name = "a", .merge = PF_MERGE_NONE}, {.name = "a"}},
        {{.name = "a", .merge = PF_MERGE_BY_KEY}, {.name = "a", .merge = PF_MERGE_BY_KEY, .key = ""}},
        {{.name = "a", .merge = PF_MERGE_BY_KEY, .key = "k"}, {.name = "a", .merge = PF_MERGE_BY_KEY, .key = "l"}},
        {{.name = "a", .merge = PF_MERGE_BY_KEY, .key_number = 3},
         {.name = "a", .merge = PF_MERGE_BY_KEY, .key_number = 4}},
        {{.name = "a", .counter = true, .category = "c"}, {.name = "a", .counter = true, .category = "d"}},
        {{.name = "a", .counter = true, .multiplier = 2}, {.name = "a", .counter = true, .multiplier = 3}},
        {{.name = "a", .counter = true, .incremental = 1}, {.name = "a", .counter = true}},
        {{.name = "a", .counter = true, .counter_type = 1}, {.name = "a", .counter = true, .counter_type = 2}},
        {{.name = "a", .counter = true, .axis = "x"}, {.name = "a", .counter = true, .axis = "y"}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cr_expect_eq(contradictions(&pairs[i][0], &pairs[i][1]), 1, "pair %zu", i);
        cr_expect_eq(contradictions(&pairs[i][1], &pairs[i][0]), 1, "pair %zu the other way round", i);
        cr_expect_eq(contradictions(&pairs[i][0], &pairs[i][0]), 0, "pair %zu, the first one twice", i);
        cr_expect_eq(contradictions(&pairs[i][1], &pairs[i][1]), 0, "pair %zu, the second one twice", i);
    }
}

Test(described_again, differences_that_do_not_matter)
{
    static const said pairs[][2] = {
        {{.name = "a"}, {.name = "b"}},
        {{.name = "a"}, {.name = "a", .merge = PF_MERGE_BY_NAME}},
        {{.name = "a", .key = "k"}, {.name = "a", .key = "l"}},
        {{.name = "a", .ordering = 1}, {.name = "a", .ordering = 2}},
        {{.name = "a", .counter = true, .unit = 1}, {.name = "a", .counter = true, .unit = 3}},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cr_expect_eq(contradictions(&pairs[i][0], &pairs[i][1]), 0, "pair %zu", i);
    }
}

/* What cannot be used is counted at its packet, the second one of the file. */
Test(described_again, descriptors_of_no_use)
{
    static const struct {
        uint64_t uuid;
        said d;
        pf_stat_id fault;
    } all[] = {
        {NONE, {.name = "a"}, PF_STAT_TRACK_NO_UUID},
        {7, {.thread = true, .pid = 5}, PF_STAT_TRACK_THREAD_NO_ID},
        {7, {.thread = true, .tid = 5}, PF_STAT_TRACK_THREAD_NO_ID},
        {7, {.process = true}, PF_STAT_TRACK_PROCESS_NO_PID},
        {0, {.name = "a", .parent = 3}, PF_STAT_TRACK_ROOT_PARENT},
        {7, {.name = "a", .ordering = 4}, PF_STAT_TRACK_ORDERING},
        {7, {.name = "a", .ordering = UINT64_MAX}, PF_STAT_TRACK_ORDERING},
        {7, {.name = "a", .ordering = 3}, PF_STAT_COUNT}, /* nothing is wrong */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bytes b;
        start(&b);
        put(&b, 8, &(said){.name = "other"});
        size_t at = b.out.len;
        put(&b, all[i].uuid, &all[i].d);
        put(&b, 7, &(said){.name = "b"}); /* contradicts nothing */
        pf_trace *t = load(&b);
        for (pf_stat_id id = 0; id < PF_STAT_COUNT; id++) {
            cr_expect_eq(stat_of(t, id), id == all[i].fault, "%zu: fault %d", i, (int)id);
        }
        cr_expect(all[i].fault == PF_STAT_COUNT || t->stat_offset[all[i].fault] == at, "%zu", i);
        pf_trace_free(t);
        finish(&b);
    }
}
