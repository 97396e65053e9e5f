/* Packets of every kind in two inputs of one trace, and read for somebody who wants a part of it. What each gives alone
 * and in full says what is expected. */
#include "every_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_text(const pf_trace *t, uint32_t id, pf_buffer *out)
{
    const pf_str s = pf_trace_string(t, id);
    pf_buffer_format(out, s.ptr ? " '%.*s'" : " -", (int)s.len, s.ptr ? s.ptr : "");
}

/* A line for each event, without rows of other tables: those have other numbers in another trace. */
static void show_events_alone(const pf_trace *t, pf_buffer *out)
{
    const pf_events *e = pf_trace_events(t);
    for (uint32_t i = 0; i < e->count; i++) {
        pf_buffer args = {0};
        show_args(t, i, &args);
        pf_buffer_put(&args, "", 1);
        for (char *at = args.data; (at = strstr(at, "id=")); at += 3) {
            const bool row = at - args.data > 1 && at[-2] == 'u' && strchr("pt", at[-1]); /* upid, utid */
            memset(at + 3, '.', row ? strspn(at + 3, "0123456789") : 0);
        }
        const bool names = e->phase[i] == 'M'; /* without a time of its own */
        pf_buffer_format(out, "event %c %lld", e->phase[i], names ? 0 : (long long)e->ts[i]);
        put_text(t, e->name[i], out);
        put_text(t, e->category ? e->category[i] : 0, out);
        put_text(t, pf_trace_tracks(t)->name[e->track[i]], out);
        pf_buffer_format(out, "%s\n", args.data);
        pf_buffer_free(&args);
    }
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines of a text in alphabetical order. */
static void sort_lines(pf_buffer *text)
{
    char *line[1000], *rest;
    size_t count = 0;
    pf_buffer sorted = {0};
    pf_buffer_put(text, "", 1); /* where strtok_r ends */
    for (char *at = strtok_r(text->data, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
        cr_assert_lt(count, sizeof line / sizeof *line);
        line[count++] = at;
    }
    qsort(line, count, sizeof *line, compare_lines);
    for (size_t i = 0; i < count; i++) {
        pf_buffer_format(&sorted, "%s\n", line[i]);
    }
    pf_buffer_free(text);
    *text = sorted;
}

static void expect_equal(const pf_buffer *got, const pf_buffer *want, const char *what)
{
    cr_expect(got->len == want->len && (!got->len || memcmp(got->data, want->data, got->len) == 0),
              "%s\ngot:\n%.*s\nexpected:\n%.*s", what, (int)got->len, got->data, (int)want->len, want->data);
}

/* ---- two inputs -------------------------------------------------------------------------------------------------- */

static void show_alone(const pf_trace *t, pf_buffer *out)
{
    show_events_alone(t, out);
    show_slices(t, out);
    show_counters(t, out);
}

/* Events of another sequence that go, because nothing describes the parent of their track. */
static const char orphans[] = "1{10:9 13:1 87:1 12{3{1:1 2'gone'}}} 1{10:9 60{1:20 5:99 2'orphan'}}"
                              "1{8:1 10:9 11{9:1 11:20 23'gone' 22'gone' 4{1:1 4:1} 47#5 17:1}}"
                              "1{8:1000 10:9 11{9:3 11:20 23'gone' 4{1:1 4:2}}}";

static void write_packets(const char *path, const char *spelled, bool with_orphans)
{
    bytes b;
    start(&b);
    if (with_orphans) {
        spell(&b, orphans, AS_IT_STANDS);
    }
    spell(&b, spelled, AS_IT_STANDS);
    if (with_orphans) {
        spell(&b, orphans, AS_IT_STANDS);
    }
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(b.out.data, 1, b.out.len, f) == b.out.len && fclose(f) == 0);
    finish(&b);
}

static void show_files(const char *const *paths, size_t count, pf_buffer *out)
{
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(paths, count, NULL, &t, &err), PF_OK, "%s", err.text);
    show_alone(t, out);
    pf_trace_free(t);
}

/* Two inputs have the rows of each. The second one may have more events in the file, which leave no trace. */
static void expect_rows_of_each(bool with_orphans)
{
    char folder[] = "/tmp/pf_together_XXXXXX", path[KINDS][64];
    pf_buffer alone[KINDS] = {0};
    cr_assert_not_null(mkdtemp(folder));
    for (size_t i = 0; i < KINDS; i++) {
        snprintf(path[i], sizeof path[i], "%s/%zu", folder, i);
        write_packets(path[i], every_kind[i].spelled, false);
        show_files((const char *const[]){path[i]}, 1, &alone[i]);
    }
    for (size_t i = 0; i < 2 * KINDS; i++) { /* each after itself and after the next one */
        const size_t first = (i + i / KINDS) % KINDS, second = i % KINDS;
        write_packets(path[second], every_kind[second].spelled, with_orphans);
        pf_buffer got = {0}, want = {0};
        show_files((const char *const[]){path[first], path[second]}, 2, &got);
        pf_buffer_put(&want, alone[first].data, alone[first].len);
        pf_buffer_put(&want, alone[second].data, alone[second].len);
        sort_lines(&got);
        sort_lines(&want);
        expect_equal(&got, &want, every_kind[second].spelled);
        write_packets(path[second], every_kind[second].spelled, false);
        pf_buffer_free(&got);
        pf_buffer_free(&want);
    }
    for (size_t i = 0; i < KINDS; i++) {
        pf_buffer_free(&alone[i]);
        unlink(path[i]);
    }
    rmdir(folder);
}

Test(together, two_inputs_have_the_rows_of_each)
{
    expect_rows_of_each(false);
}

Test(together, events_that_go_leave_those_of_two_inputs_alone)
{
    expect_rows_of_each(true);
}

/* The table of categories is as long as it had to be for the last event that had one. */
Test(together, categories_behind_events_that_go)
{
    enum { EVENTS = 3000 };
    bytes b;
    start(&b);
    spell(&b, orphans, AS_IT_STANDS);
    spell(&b, "1{10:7 60{1:30 2'stays'}} 1{8:1 10:7 11{9:3 11:30 22'first'}}", AS_IT_STANDS);
    for (uint64_t i = 0; i < EVENTS; i++) {
        event(&b, 2 + i, 7, PF_EVENT_INSTANT, 30, "e");
    }
    pf_trace *t = load(&b);
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 1 + EVENTS);
    for (uint32_t i = 0; i < e->count; i++) {
        const pf_str category = pf_trace_string(t, e->category[i]);
        cr_assert(i ? !category.ptr : category.len == 5 && memcmp(category.ptr, "first", 5) == 0, "%u", i);
    }
    pf_trace_free(t);
    finish(&b);
}

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

static pf_trace *load_wanting(const char *spelled, uint32_t want)
{
    bytes b;
    pf_read_options o = pf_read_options_default();
    o.want = want;
    start(&b);
    spell(&b, spelled, AS_IT_STANDS);
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    finish(&b);
    return t;
}

static uint32_t notable_args(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->args.count; i++) {
        count += e->phase[t->args.event[i]] != 'M';
    }
    return count;
}

Test(together, what_is_not_wanted_changes_nothing_else)
{
    for (size_t i = 0; i < KINDS; i++) {
        for (uint32_t left_out = 0; left_out < 5; left_out++) {
            const uint32_t want = PF_WANT_TABLES & ~(1u << left_out);
            pf_trace *full = load_wanting(every_kind[i].spelled, PF_WANT_TABLES);
            pf_trace *t = load_wanting(every_kind[i].spelled, want);
            pf_buffer all = {0}, got = {0};
            if (want & PF_WANT_SLICES) {
                show_slices(full, &all);
                show_slices(t, &got);
            }
            if (want & PF_WANT_COUNTERS) {
                show_counters(full, &all);
                show_counters(t, &got);
            }
            if (want & PF_WANT_ARGS) {
                show_events_alone(full, &all);
                show_events_alone(t, &got);
            }
            expect_equal(&got, &all, every_kind[i].spelled);
            cr_expect_eq(pf_trace_slices(t)->count, want & PF_WANT_SLICES ? pf_trace_slices(full)->count : 0);
            cr_expect_eq(pf_trace_counters(t)->count, want & PF_WANT_COUNTERS ? pf_trace_counters(full)->count : 0);
            cr_expect_eq(notable_args(t), want & PF_WANT_ARGS ? notable_args(full) : 0, "%s", every_kind[i].spelled);
            cr_expect_eq(t->flow_refs.count, want & PF_WANT_FLOWS ? full->flow_refs.count : 0);
            cr_expect_eq(pf_trace_metadata(t)->count, pf_trace_metadata(full)->count);
            pf_buffer_free(&all);
            pf_buffer_free(&got);
            pf_trace_free(full);
            pf_trace_free(t);
        }
    }
}
