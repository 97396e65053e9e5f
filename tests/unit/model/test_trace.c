/* Identity, lazily added columns, counters, bounds, damage counters, memory. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "model/trace/trace.h"

static pf_error err;

static uint32_t text(pf_trace *t, const char *s)
{
    return pf_strings_add(&t->strings, s, strlen(s), &err);
}

Test(identity, ids_compare_by_value_and_keep_their_first_spelling)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    const pf_ident two = {PF_ID_INT, PF_ID_INT, 2, 0};
    const pf_ident two_real = {PF_ID_INT, PF_ID_REAL, 2, text(t, "2.0")};
    const pf_ident three_real = {PF_ID_INT, PF_ID_REAL, 3, text(t, "3.0")};
    const pf_ident three = {PF_ID_INT, PF_ID_INT, 3, 0};
    const pf_ident zero = {PF_ID_INT, PF_ID_INT, 0, 0};
    const pf_ident zero_text = {PF_ID_TEXT, PF_ID_TEXT, 0, text(t, "0")};
    const pf_ident absent = {PF_ID_ABSENT, PF_ID_ABSENT, 0, 0};
    uint32_t a = pf_trace_process(t, &two, &err), b = pf_trace_process(t, &two_real, &err);
    uint32_t c = pf_trace_process(t, &three_real, &err), d = pf_trace_process(t, &three, &err);
    uint32_t e = pf_trace_process(t, &zero, &err), f = pf_trace_process(t, &zero_text, &err);
    uint32_t g = pf_trace_process(t, &absent, &err);
    cr_expect_eq(a, b);
    cr_expect_eq(c, d);
    cr_expect(e != f && f != g && e != g && e != 0);
    cr_expect_eq(g, pf_trace_process(t, &absent, &err));
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    const pf_processes *p = pf_trace_processes(t);
    cr_expect_eq(p->kind[a], PF_ID_INT);
    cr_expect_eq(p->kind[c], PF_ID_REAL);
    cr_expect_eq(p->pid[c], 3);
    cr_expect_eq(p->pid[f], 1ll << 32);
    cr_expect_eq(p->name[f], zero_text.text, "a text id is the process's name");
    cr_expect_eq(p->kind[g], PF_ID_ABSENT);
    cr_expect_eq(p->pid[g], 0);
    pf_trace_free(t);
}

/* With this seed the first factor of pf_hash_add is 0, whatever the number: all threads of a process have one hash. */
Test(identity, threads_of_one_hash_stay_apart)
{
    pf_limits limits = pf_limits_default();
    limits.hash_seed = 0x7f4a7c159e3779b9;
    cr_assert_eq(pf_hash_add(limits.hash_seed, 1), pf_hash_add(limits.hash_seed, 2));
    pf_trace *t = pf_trace_new(&limits, PF_WANT_TABLES, &err);
    const pf_ident pid = {PF_ID_INT, PF_ID_INT, 7, 0};
    uint32_t process = pf_trace_process(t, &pid, &err), row[4];
    for (uint32_t i = 0; i < 8; i++) {
        const pf_ident tid = {PF_ID_INT, PF_ID_INT, 100 + i % 4, 0};
        uint32_t thread = pf_trace_thread(t, process, &tid, &err);
        row[i % 4] = i < 4 ? thread : row[i % 4];
        cr_expect_eq(thread, row[i % 4], "thread %u", i);
        cr_expect_eq(t->threads.tid[thread], 100 + i % 4);
    }
    cr_expect_eq(t->threads.count, 6, "idle, the main thread, four others");
    pf_trace_free(t);
}

Test(identity, threads_belong_to_processes_and_64_bit_tids_stay_apart)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    const pf_ident pid = {PF_ID_INT, PF_ID_INT, 7, 0}, other = {PF_ID_INT, PF_ID_INT, 8, 0};
    uint32_t a = pf_trace_process(t, &pid, &err), b = pf_trace_process(t, &other, &err);
    const pf_ident big1 = {PF_ID_INT, PF_ID_INT, 0x7f0000000001ll, 0},
                   big2 = {PF_ID_INT, PF_ID_INT, 0x7f0100000001ll, 0};
    uint32_t x = pf_trace_thread(t, a, &big1, &err), y = pf_trace_thread(t, a, &big2, &err);
    uint32_t z = pf_trace_thread(t, b, &big1, &err), main_thread = pf_trace_thread(t, a, &pid, &err);
    cr_expect(x != y && x != z && y != z);
    cr_expect_eq(pf_trace_thread(t, a, &big1, &err), x);
    cr_expect_eq(t->threads.tid[y], 0x7f0100000001ll);
    cr_expect_eq(t->threads.is_main[main_thread], 1);
    cr_expect_eq(t->threads.count, 6, "idle, two main threads, three others");
    cr_expect_eq(pf_trace_thread_track(t, x, &err), pf_trace_thread_track(t, x, &err));
    uint32_t again = pf_trace_new_process(t, &pid, &err);
    cr_expect_neq(again, a);
    cr_expect_eq(pf_trace_process(t, &pid, &err), again, "the pid was used again: the new process is found");
    pf_trace_free(t);
}

Test(identity, a_text_tid_is_not_the_main_thread_of_a_text_pid_by_its_number)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    const pf_ident pid = {PF_ID_TEXT, PF_ID_TEXT, 0, text(t, "foo")}, tid = {PF_ID_TEXT, PF_ID_TEXT, 0, text(t, "bar")};
    uint32_t upid = pf_trace_process(t, &pid, &err);
    uint32_t other = pf_trace_thread(t, upid, &tid, &err), own = pf_trace_thread(t, upid, &pid, &err);
    cr_expect_neq(other, own);
    cr_expect_eq(t->threads.is_main[own], 1);
    cr_expect_eq(t->threads.is_main[other], 0);
    pf_trace_free(t);
}

static void add(pf_trace *t, char phase, int64_t ts, int64_t dur, uint32_t category)
{
    const pf_ident id = {PF_ID_INT, PF_ID_INT, 1, 0};
    uint32_t upid = pf_trace_process(t, &id, &err);
    uint32_t track = pf_trace_thread_track(t, pf_trace_thread(t, upid, &id, &err), &err);
    const pf_event e = {.ts = ts, .dur = dur, .category = category, .track = track, .phase = (uint8_t)phase};
    cr_assert_eq(pf_trace_add_event(t, &e, &err), PF_OK);
}

Test(events, optional_columns_appear_when_first_used_and_cover_all_rows)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    for (int i = 0; i < 10000; i++) {
        add(t, 'i', i, 0, 0);
    }
    cr_expect_null(t->events.dur);
    cr_expect_null(t->events.category);
    uint32_t category = text(t, "c");
    add(t, 'X', 10000, 5, category);
    for (int i = 0; i < 20000; i++) {
        add(t, 'i', 10001 + i, 0, 0);
    }
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 30001);
    cr_expect_eq(e->dur[10000], 5);
    cr_expect_eq(e->category[10000], category);
    cr_expect_eq(e->category[0], 0);
    cr_expect_eq(e->category[30000], 0);
    cr_expect_eq(e->dur[30000], 0);
    pf_trace_free(t);
}

Test(counters, samples_are_sorted_stably_by_time)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    const pf_track_row r = {
        .type = PF_TRACK_GLOBAL_COUNTER, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    uint32_t a = pf_trace_add_track(t, &r, &err), b = pf_trace_add_track(t, &r, &err);
    const struct {
        int64_t ts;
        double value;
        uint32_t track;
    } in[] = {{5, 1, a}, {3, 2, b}, {5, 3, b}, {1, 4, a}, {3, 5, a}};
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(pf_trace_add_sample(t, in[i].ts, in[i].value, in[i].track, PF_NONE, &err), PF_OK);
    }
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    const pf_counters *c = pf_trace_counters(t);
    const double expected[] = {4, 2, 5, 1, 3};
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(c->value[i], expected[i]);
        cr_expect_eq(c->track[i], (int)expected[i] == 2 || (int)expected[i] == 3 ? b : a);
    }
    int64_t start, end;
    pf_trace_bounds(t, &start, &end);
    cr_expect_eq(start, 1);
    cr_expect_eq(end, 5);
    cr_expect_eq(pf_trace_tracks(t)->used[a], 1);
    pf_trace_free(t);
}

Test(trace, bounds_follow_perfetto)
{
    int64_t start, end;
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    pf_trace_bounds(t, &start, &end);
    cr_expect(start == 0 && end == 0, "empty");
    pf_trace_free(t);

    t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    add(t, 'B', 70, 0, 0);
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    pf_trace_bounds(t, &start, &end);
    cr_expect(start == 70 && end == 71, "an open slice counts with its start only");
    pf_trace_free(t);
}

Test(trace, damage_is_counted_with_its_first_offset)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_trace_count(t, PF_STAT_JSON_SYNTAX, 123);
    pf_trace_count(t, PF_STAT_JSON_SYNTAX, 7);
    pf_stat s = pf_trace_stat(t, PF_STAT_JSON_SYNTAX);
    cr_expect_eq(s.count, 2);
    cr_expect_eq(s.first_offset, 123);
    cr_expect_eq(s.severity, PF_ERROR);
    cr_expect_eq(pf_trace_stat(t, PF_STAT_GZIP_TRUNCATED).first_offset, PF_NOWHERE);
    pf_trace_free(t);
}

Test(trace, everything_counts_against_the_memory_limit)
{
    pf_limits l = pf_limits_default();
    l.memory = 2u << 20;
    pf_trace *t = pf_trace_new(&l, PF_WANT_TABLES, &err);
    cr_assert_not_null(t);
    const pf_ident id = {PF_ID_INT, PF_ID_INT, 1, 0};
    uint32_t upid = pf_trace_process(t, &id, &err);
    uint32_t track = pf_trace_thread_track(t, pf_trace_thread(t, upid, &id, &err), &err);
    pf_status st = PF_OK;
    uint32_t n = 0;
    for (; st == PF_OK && n < 1000000; n++) {
        const pf_event e = {.ts = n, .track = track, .phase = 'i'};
        st = pf_trace_add_event(t, &e, &err);
    }
    cr_expect_eq(st, PF_ERR_LIMIT);
    cr_expect_not_null(strstr(err.text, "--max-memory"));
    cr_expect_gt(n, 50000, "17 bytes an event");
    cr_expect_lt(n, 2u * (1u << 20) / 17 + 2);
    uint64_t now, peak;
    pf_trace_memory(t, &now, &peak);
    cr_expect_leq(peak, l.memory);
    pf_trace_free(t);
}

static pf_table_size size_of(const pf_trace *t, const char *name)
{
    pf_table_size size = {NULL, 0, 0};
    for (size_t i = 0; pf_trace_table_size(t, i, &size) && strcmp(size.name, name) != 0; i++) {
    }
    return size;
}

/* Cells are 8 bytes for times and values, 4 for strings, rows and lengths, 1 for phases. */
Test(trace, the_size_of_a_table_counts_the_columns_that_are_there)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    add(t, 'B', 1, 0, 0);
    add(t, 'E', 3, 0, 0);
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    cr_expect_eq(size_of(t, "event").rows, 2);
    cr_expect_eq(size_of(t, "event").bytes, 2 * (8 + 1 + 4 + 4));
    cr_expect_eq(size_of(t, "slice").rows, 1);
    cr_expect_eq(size_of(t, "slice").bytes, 8 + 5 * 4);
    cr_expect_eq(size_of(t, "counter").rows, 0);
    cr_expect_eq(size_of(t, "counter").bytes, 0);
    cr_assert_eq(pf_trace_restart(t, &err), PF_OK);
    add(t, 'X', 5, 5, text(t, "c"));
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    cr_expect_eq(size_of(t, "event").bytes, 8 + 1 + 4 + 4 + 8 + 4, "complete events and categories have columns more");
    pf_trace_free(t);
}

Test(trace, sizes_have_the_side_tables_after_the_main_ones)
{
    static const pf_side_column columns[] = {{"n", PF_COLUMN_INT, NULL, NULL, NULL, 0},
                                             {"bytes", PF_COLUMN_BLOB, NULL, NULL, NULL, 0}};
    static const pf_side_spec spec = {"probes", NULL, columns, 2};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    pf_side_table *s = NULL;
    cr_assert_eq(pf_trace_add_table(t, &spec, &s, &err), PF_OK);
    cr_assert_eq(pf_side_add_row(s, &err), PF_OK);
    cr_assert_eq(pf_side_add_row(s, &err), PF_OK);
    cr_expect_eq(size_of(t, "probes").rows, 2);
    cr_expect_eq(size_of(t, "probes").bytes, 2 * (8 + sizeof(pf_bytes)));
    pf_table_size size;
    size_t last = 0;
    while (pf_trace_table_size(t, last, &size)) {
        last++;
    }
    cr_assert(pf_trace_table_size(t, last - 1, &size));
    cr_expect_str_eq(size.name, "probes");
    pf_trace_free(t);
}

Test(trace, restart_forgets_rows_but_not_limits)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    add(t, 'X', 5, 5, text(t, "c"));
    pf_trace_count(t, PF_STAT_JSON_SYNTAX, 1);
    cr_assert_eq(pf_trace_restart(t, &err), PF_OK);
    cr_expect_eq(t->events.count, 0);
    cr_expect_eq(t->processes.count, 1);
    cr_expect_eq(pf_trace_stat(t, PF_STAT_JSON_SYNTAX).count, 0);
    add(t, 'B', 1, 0, 0);
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    cr_expect_null(pf_trace_events(t)->dur);
    pf_trace_free(t);
}

static bool is_zero(const void *bytes, size_t len)
{
    const uint8_t *b = bytes;
    return len == 0 || (b[0] == 0 && memcmp(b, b + 1, len - 1) == 0);
}

/* What the reader before said of its events, and how they are read, is not that of the next one. */
Test(trace, restart_forgets_the_reader)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    memset(t->checker, 1, sizeof t->checker);
    memset(t->finder, 1, sizeof t->finder);
    memset(t->decoder, 1, sizeof t->decoder);
    t->unit = PF_UNIT_CYCLE;
    t->has_states = true;
    t->covered.any = true;
    t->covered.from = t->covered.to = 7;
    t->flow_salt = t->input = 5;
    t->unnamed_slice = 3;
    cr_assert_eq(pf_trace_restart(t, &err), PF_OK);
    cr_expect(is_zero(t->checker, sizeof t->checker));
    cr_expect(is_zero(t->finder, sizeof t->finder));
    cr_expect(is_zero(t->decoder, sizeof t->decoder));
    cr_expect_eq(t->unit, PF_UNIT_NS);
    cr_expect_not(t->has_states);
    cr_expect_eq(t->flow_salt, 0);
    cr_expect_eq(t->input, 0);
    cr_expect_eq(t->unnamed_slice, 0);
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    int64_t start, end;
    pf_trace_bounds(t, &start, &end);
    cr_expect(start == 0 && end == 0, "nothing is covered");
    pf_trace_free(t);
}

/* Arguments: the range of an event is found again and handed to its decoder. */
static pf_status echo(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context, const pf_arg_visitor *v,
                      pf_error *e)
{
    pf_value value = {.type = PF_VALUE_STRING, .as.s = {(const char *)bytes, len}};
    pf_status st = v->value(v->ctx, PF_STR("args.name"), &value);
    value = (pf_value){.type = PF_VALUE_INT, .as.i = context};
    return st == PF_OK ? v->value(v->ctx, PF_STR("args.context"), &value) : st;
}

/* Decoders with states of their own do not take each other's place, and when there is no place, it is said. */
static pf_status say_state(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                           const pf_arg_visitor *v, pf_error *e, const char *text)
{
    pf_value value = {.type = PF_VALUE_STRING, .as.s = {text, 1}};
    return v->value(v->ctx, PF_STR("args.state"), &value);
}

#define SAYING(n)                                                                                                      \
    static pf_status say_##n(const pf_trace *t, const uint8_t *b, size_t l, uint32_t c, const pf_arg_visitor *v,       \
                             pf_error *e)                                                                              \
    {                                                                                                                  \
        return say_state(t, b, l, c, v, e, #n);                                                                        \
    }
SAYING(0)
SAYING(1)
SAYING(2)

Test(args, many_decoders)
{
    static const pf_args_decoder saying[] = {say_0, say_1, say_2};
    static char states[PF_DECODERS_MAX];
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    for (uint32_t i = 0; i < PF_DECODERS_MAX; i++) {
        unsigned decoder = pf_trace_add_decoder(t, saying[i % 3], &states[i]);
        cr_assert_eq(decoder, i);
        add(t, 'i', i, 0, 0);
        cr_assert_eq(pf_trace_add_args(t, (const uint8_t *)"", 0, decoder, 1u << 25, true, &err), PF_OK);
    }
    cr_expect_eq(pf_trace_add_decoder(t, echo, states), PF_NONE);
    cr_expect_eq(pf_trace_add_args(t, (const uint8_t *)"", 0, PF_NONE, 0, true, &err), PF_ERR_INTERNAL);
    for (uint32_t i = 0; i < PF_DECODERS_MAX; i++) {
        char buf = 0;
        cr_expect_eq(pf_trace_arg_text(t, i, PF_STR("state"), &buf, 1), 1);
        cr_expect_eq(buf, "012"[i % 3], "%u", i);
    }
    pf_trace_free(t);
}

Test(args, ranges_are_found_by_event)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, &err);
    unsigned decoder = pf_trace_add_decoder(t, echo, NULL);
    cr_expect_eq(pf_trace_add_decoder(t, echo, NULL), decoder);
    for (int i = 0; i < 1000; i++) {
        add(t, 'i', i, 0, 0);
        if (i % 3 == 0) {
            char name[16];
            int len = snprintf(name, sizeof name, "arg %d", i);
            cr_assert_eq(pf_trace_add_args(t, (const uint8_t *)name, (size_t)len, decoder, 5, true, &err), PF_OK);
        }
    }
    char buf[8];
    cr_expect_eq(pf_trace_arg_text(t, 999, PF_STR("name"), buf, sizeof buf), 7);
    cr_expect_eq(memcmp(buf, "arg 999", 7), 0);
    cr_expect_eq(pf_trace_arg_text(t, 998, PF_STR("name"), buf, sizeof buf), PF_NOWHERE);
    cr_expect_eq(pf_trace_arg_text(t, 999, PF_STR("context"), buf, sizeof buf), PF_NOWHERE, "not a text");
    cr_expect_eq(pf_trace_arg_text(t, 0, PF_STR("name"), buf, 2), 5, "the full length, whatever fits");
    pf_trace_free(t);
}
