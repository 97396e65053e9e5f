/* early_args.c - arguments that are read during the import: they are those that are read later, and are used. */
#include <criterion/criterion.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/args/early_args.h"
#include "model/trace/trace.h"
#include "postfetto/postfetto.h"

enum { EVENTS = 5000 };

static const pf_arg_key keys[] = {{"same", PF_ARG_INT, false},   {"byte", PF_ARG_INT, false},
                                  {"half", PF_ARG_UINT, false},  {"word", PF_ARG_INT, true},
                                  {"long", PF_ARG_UINT, false},  {"real", PF_ARG_REAL, false},
                                  {"some", PF_ARG_INT, false},   {"in.side[1]", PF_ARG_INT, false},
                                  {"device", PF_ARG_INT, false}, {"TS1", PF_ARG_UINT, true}};
enum { KEYS = sizeof keys / sizeof *keys };

/* Names that decoders look out for on their way (pf_early_args_names). */
static const pf_arg_key plain[] = {
    {"device", PF_ARG_INT, false}, {"stream", PF_ARG_INT, false}, {"correlation", PF_ARG_INT, true}};
static const pf_early_args of_plain = {.keys = plain, .count = 3};

static bool is_call(pf_str category)
{
    return category.ptr && category.len == 4 && memcmp(category.ptr, "call", 4) == 0;
}

/* The last of them is only read once there was a call. */
static const pf_early_args of_calls = {.keys = plain, .count = 3, .first_count = 2, .of_more = is_call};

static bool is_device(pf_str category)
{
    return category.ptr && category.len == 6 && memcmp(category.ptr, "kernel", 6) == 0;
}

static const pf_early_args of_all = {.keys = keys, .count = KEYS},
                           of_device = {.keys = keys, .count = KEYS, .of_category = is_device};

static pf_trace *read_path(const char *path, const pf_early_args *early)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err = {0};
    o.early_args = early;
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    return t;
}

/* Events of three categories, every fifth without arguments; "byte" to "long" differ by what their names say. `last`:
 * an event after them, or "". */
static void write_events(char *path, const char *last)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fputs("[", f);
    for (int i = 0; i < EVENTS; i++) {
        static const char *const category[] = {"\"cat\":\"kernel\",", "\"cat\":\"cpu_op\",", ""};
        fprintf(f, "%s{\"ph\":\"X\",%s\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":1,\"name\":\"n%d\"", i ? ",\n" : "",
                category[i % 7 % 3], i % 3, i, i % 9);
        if (i % 5) {
            fprintf(f, ",\"args\":{\"same\":-3,\"byte\":%d,\"half\":%d,\"word\":\"%d\",\"long\":%" PRIu64,
                    i % 200 - 100, i * 13 % 60000, i * 400000 - 7, (uint64_t)i << 50);
            fprintf(f, ",\"real\":%d.5,\"in\":{\"side\":[%d,%d]}%s}", i, i, -i, i % 4 ? "" : ",\"some\":1,\"same\":9");
        }
        fputs("}", f);
    }
    fprintf(f, "%s]", last);
    fclose(f);
}

/* What is at rows that `events` choose (NULL: all) has to be the same in both traces. */
static void expect_same_of(const pf_trace *a, const pf_trace *b, const uint32_t *events, uint32_t count, unsigned jobs,
                           const pf_arg_key *key, size_t key_count)
{
    const pf_arg_options o = {.jobs = jobs, .first_values = true};
    pf_arg_columns *x = NULL, *y = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_arg_columns_read(a, events, count, key, key_count, &o, &x, &err), PF_OK, "%s", err.text);
    cr_assert_eq(pf_arg_columns_read(b, events, count, key, key_count, &o, &y, &err), PF_OK, "%s", err.text);
    uint32_t rows = events ? count : pf_trace_events(a)->count;
    for (size_t k = 0; k < key_count; k++) {
        const pf_arg_column *p = pf_arg_column_at(x, k), *q = pf_arg_column_at(y, k);
        cr_expect_eq(p->found, q->found, "%s: %u and %u", key[k].key, p->found, q->found);
        cr_expect_eq(memcmp(p->values.u, q->values.u, rows * sizeof *p->values.u), 0, "%s", key[k].key);
        cr_expect_eq(memcmp(p->present, q->present, (rows / 64 + 1) * sizeof *p->present), 0, "%s", key[k].key);
    }
    pf_arg_columns_free(x);
    pf_arg_columns_free(y);
}

static void expect_same(const pf_trace *a, const pf_trace *b, const uint32_t *events, uint32_t count, unsigned jobs)
{
    expect_same_of(a, b, events, count, jobs, keys, KEYS);
    expect_same_of(a, b, events, count, jobs, plain, sizeof plain / sizeof *plain);
}

static void expect_same_everywhere(const pf_trace *a, const pf_trace *b)
{
    uint32_t events = pf_trace_events(a)->count, chosen[3 * EVENTS], count = 3 * EVENTS;
    cr_assert_eq(events, pf_trace_events(b)->count);
    for (uint32_t i = 0; i < count && events; i++) { /* back and forth, some twice */
        chosen[i] = (uint32_t)((uint64_t)i * i * 7 % events);
    }
    expect_same(a, b, NULL, 0, 1);
    expect_same(a, b, NULL, 0, 3);
    expect_same(a, b, chosen, events ? count : 0, 1);
    expect_same(a, b, chosen, events ? count : 0, 3);
}

/* From now on no event has arguments but those that were read. */
static void forget_bytes(pf_trace *t)
{
    static const uint8_t none[32] = "{}";
    for (uint32_t i = 0; i < t->args.count; i++) {
        t->args.bytes[i] = none;
        t->args.len[i] = 2;
    }
}

/* Rows of key k with a value, whose sum is *sum. */
static uint32_t found(const pf_trace *t, const pf_arg_key *key, bool first_values, int64_t *sum)
{
    const pf_arg_options o = {.jobs = 1, .first_values = first_values};
    pf_arg_columns *c = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_arg_columns_read(t, NULL, 0, key, 1, &o, &c, &err), PF_OK, "%s", err.text);
    const pf_arg_column *column = pf_arg_column_at(c, 0);
    uint32_t n = column->found;
    *sum = 0;
    for (uint32_t i = 0; i < pf_trace_events(t)->count; i++) {
        *sum += column->values.i[i];
    }
    pf_arg_columns_free(c);
    return n;
}

Test(early_args, are_those_that_are_read_later)
{
    char path[] = "/tmp/pf_early_XXXXXX";
    write_events(path, "");
    pf_trace *later = read_path(path, NULL), *all = read_path(path, &of_all), *some = read_path(path, &of_device);
    unlink(path);
    expect_same_everywhere(later, all);
    expect_same_everywhere(later, some);
    pf_trace_free(later);
    pf_trace_free(all);
    pf_trace_free(some);
}

Test(early_args, are_used)
{
    char path[] = "/tmp/pf_early_XXXXXX";
    const pf_arg_key other_type = {"byte", PF_ARG_UINT, false}, other_text = {"byte", PF_ARG_INT, true};
    int64_t sum, expected = 0, of_same = 0;
    uint32_t rows = 0;
    write_events(path, "");
    pf_trace *t = read_path(path, &of_device);
    unlink(path);
    for (int i = 0; i < EVENTS; i++) {
        bool wanted = i % 5 && i % 7 % 3 == 0;
        rows += wanted;
        expected += wanted ? i % 200 - 100 : 0;
        of_same += wanted ? -3 : 0;
    }
    forget_bytes(t);
    cr_expect_eq(found(t, &keys[1], true, &sum), rows);
    cr_expect_eq(sum, expected);
    cr_expect_eq(found(t, &keys[0], true, &sum), rows, "of two values the first counts");
    cr_expect_eq(sum, of_same);
    cr_expect_eq(found(t, &keys[1], false, &sum), 0, "the last value is not known");
    cr_expect_eq(found(t, &other_type, true, &sum), 0);
    cr_expect_eq(found(t, &other_text, true, &sum), 0);
    pf_trace_free(t);
}

/* The name shows, after all events were read, that their times are cycles: they are read once more. */
Test(early_args, of_a_trace_that_is_read_twice)
{
    char path[] = "/tmp/pf_early_XXXXXX";
    write_events(
        path, ",\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"core_trace for tile0,1\"}}");
    pf_trace *later = read_path(path, NULL), *early = read_path(path, &of_device);
    unlink(path);
    cr_expect_eq(pf_trace_time_unit(early), PF_UNIT_CYCLE);
    expect_same_everywhere(later, early);
    pf_trace_free(later);
    pf_trace_free(early);
}

Test(early_args, of_fixtures)
{
    glob_t paths;
    cr_assert_eq(glob(PF_FIXTURES "/*.json*", 0, NULL, &paths), 0);
    cr_assert_eq(glob(PF_FIXTURES "/*/*.json*", GLOB_APPEND, NULL, &paths), 0);
    cr_assert_eq(glob(PF_FIXTURES "/*.pftrace", GLOB_APPEND, NULL, &paths), 0);
    cr_assert_eq(glob(PF_FIXTURES "/*/*.pftrace", GLOB_APPEND, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        pf_read_options o = pf_read_options_default();
        const char *path = paths.gl_pathv[i];
        pf_trace *later = NULL;
        pf_error err = {0};
        if (pf_read(&path, 1, &o, &later, &err) == PF_OK) {
            pf_trace *early = read_path(path, &of_all), *found = read_path(path, &of_plain);
            expect_same_everywhere(later, early);
            expect_same_everywhere(later, found);
            pf_trace_free(early);
            pf_trace_free(found);
        }
        pf_trace_free(later);
    }
    cr_expect_gt(paths.gl_pathc, 5);
    globfree(&paths);
}

Test(early_args, of_several_inputs)
{
    char first[] = "/tmp/pf_early_XXXXXX", second[] = "/tmp/pf_early_XXXXXX";
    write_events(first, "");
    write_events(second, "");
    const char *paths[] = {first, PF_FIXTURES "/aie_small.json.gz", second};
    pf_read_options o = pf_read_options_default();
    pf_trace *later = NULL, *early = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(paths, 3, &o, &later, &err), PF_OK, "%s", err.text);
    o.early_args = &of_device;
    cr_assert_eq(pf_read(paths, 3, &o, &early, &err), PF_OK, "%s", err.text);
    unlink(first);
    unlink(second);
    expect_same_everywhere(later, early);
    pf_trace_free(later);
    pf_trace_free(early);
}

/* ---- what is not kept besides ------------------------------------------------------------------------------------ */

static pf_args_kept kept_of(pf_str category)
{
    return is_device(category) ? PF_ARGS_OF_LONGEST : category.ptr ? PF_ARGS_LEFT_OUT : PF_ARGS_KEPT;
}

enum { NAMES = 40 };

static int length_of(int i)
{
    return i * 7919 % 911;
}

/* Two inputs, the second one with gzip; every eleventh event is a begin. */
static void write_lengths(const char *path, const char *command)
{
    char line[100];
    snprintf(line, sizeof line, "%s > %s", command, path);
    FILE *f = popen(line, "w");
    fputs("[", f);
    for (int i = 0; i < EVENTS; i++) {
        static const char *const category[] = {"\"cat\":\"kernel\",", "\"cat\":\"cpu_op\",", ""};
        fprintf(f,
                "%s{\"ph\":\"%c\",%s\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"name\":\"n%d\",\"args\":{\"byte\":%d,",
                i ? "," : "", i % 11 ? 'X' : 'B', category[i % 3], i, i, length_of(i), i % NAMES, i);
        fprintf(f, "\"other\":\"%d\"}}\n", i);
    }
    fputs("]", f);
    cr_assert_eq(pclose(f), 0);
}

Test(early_args, go_but_those_of_the_longest)
{
    static const pf_early_keeper keeper = {kept_of};
    static const pf_early_args kept = {.next = &of_all, .keeper = &keeper};
    char first[] = "/tmp/pf_early_XXXXXX", second[] = "/tmp/pf_early_XXXXXX";
    const char *paths[] = {first, second};
    pf_read_options o = pf_read_options_default();
    pf_trace *all = NULL, *few = NULL;
    pf_error err = {0};
    close(mkstemp(first));
    close(mkstemp(second));
    write_lengths(paths[0], "cat");
    write_lengths(paths[1], "gzip");
    cr_assert_eq(pf_read(paths, 2, &o, &all, &err), PF_OK, "%s", err.text);
    o.early_args = &kept;
    cr_assert_eq(pf_read(paths, 2, &o, &few, &err), PF_OK, "%s", err.text);
    unlink(paths[0]);
    unlink(paths[1]);
    expect_same_everywhere(all, few);
    int longest[2][NAMES] = {{0}};
    uint32_t row = 0;
    cr_assert_eq(all->args.count, 2 * EVENTS);
    for (uint32_t event = 0; event < 2 * EVENTS; event++) {
        int i = (int)event % EVENTS, *most = &longest[event / EVENTS][i % NAMES];
        bool complete = i % 11, stays = !complete || i % 3 == 2 || (i % 3 == 0 && length_of(i) >= *most);
        *most = complete && i % 3 == 0 && length_of(i) > *most ? length_of(i) : *most;
        if (stays) {
            cr_assert(row < few->args.count && few->args.event[row] == event, "arguments of event %u", event);
            cr_assert_eq(few->args.len[row], all->args.len[event]);
            cr_assert_eq(memcmp(few->args.bytes[row], all->args.bytes[event], all->args.len[event]), 0);
            row++;
        }
    }
    cr_expect_eq(few->args.count, row);
    cr_expect_lt(row, EVENTS);
    cr_expect_null(pf_trace_events(few)->dur);
    pf_trace_free(all);
    pf_trace_free(few);
}

/* ---- numbers that decoders find -------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Args of a few forms, of which one is mostly as the last one was; values and what is odd change. */
static void write_random_args(FILE *f, uint64_t *state, unsigned form)
{
    static const char *const before[] = {"",
                                         "\"grid\":[1,2],",
                                         "\"x\":\"device\",",
                                         "\"device1\":7,",
                                         "\"a\":{\"device\":1},",
                                         "\"device\":\"3\",",
                                         "\"stream\" :4,",
                                         "\"de\\u0076ice\":5,"};
    static const char *const odd[] = {"-1",  "007",  "1.5",  "123456789", "12345678901234567890", "\"12\"",
                                      "1e3", "null", "true", "[3]",       "{\"device\":4}",       " 6"};
    static const char *const names[][3] = {{"device", "stream", "correlation"},
                                           {"correlation", "device", "stream"},
                                           {"device", "correlation", "device"},
                                           {"cbid", "correlation", "External id"}};
    fprintf(f, "{\"External id\":%" PRIu64 ",%s", next_random(state) % 1000, before[form % 8]);
    for (unsigned k = 0; k < 3; k++) {
        fprintf(f, "%s\"%s\":", k ? "," : "", names[form / 8 % 4][k]);
        if (next_random(state) % 40 == 0) {
            fputs(odd[next_random(state) % (sizeof odd / sizeof *odd)], f);
        } else {
            fprintf(f, "%" PRIu64, k < 2 && form % 3 ? form : next_random(state) >> next_random(state) % 32);
        }
    }
    fprintf(f, "%s}", form / 32 % 2 ? ",\"name\":\"a text\",\"grid\":[1,1,1]" : "");
}

static void compare_random(uint64_t seed)
{
    char path[] = "/tmp/pf_early_XXXXXX", packets[] = "/tmp/pf_early_XXXXXX.pftrace";
    uint64_t state = seed;
    unsigned form = 0, calls_from = next_random(&state) % 2 ? EVENTS : (unsigned)next_random(&state) % EVENTS;
    int fd = mkstemp(path), other = mkstemps(packets, 8);
    cr_assert(fd >= 0 && other >= 0);
    close(other);
    FILE *f = fdopen(fd, "w");
    fputs("[", f);
    for (int i = 0; i < EVENTS; i++) {
        bool call = (unsigned)i >= calls_from && next_random(&state) % 3 == 0;
        fprintf(f, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"k%d\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":1,\"args\":",
                i ? ",\n" : "", call ? "call" : "kernel", i % 9, i);
        form = next_random(&state) % 16 ? form : (unsigned)next_random(&state);
        write_random_args(f, &state, form);
        fputs("}", f);
    }
    fputs("]", f);
    fclose(f);
    pf_trace *later = read_path(path, NULL), *early = read_path(path, &of_plain), *some = read_path(path, &of_calls);
    expect_same_everywhere(later, early);
    expect_same_everywhere(later, some);
    pf_trace_free(early);
    pf_trace_free(some);
    const pf_write_options o = pf_write_options_default();
    pf_error err = {0};
    cr_assert_eq(pf_convert_pftrace(later, packets, &o, &err), PF_OK, "%s", err.text);
    pf_trace_free(later);
    later = read_path(packets, NULL);
    early = read_path(packets, &of_plain);
    some = read_path(packets, &of_calls);
    expect_same_everywhere(later, early);
    expect_same_everywhere(later, some);
    pf_trace_free(later);
    pf_trace_free(early);
    pf_trace_free(some);
    unlink(path);
    unlink(packets);
}

Test(early_args, are_found_by_decoders)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t seed = (uint64_t)time(NULL) * 8 + i;
        printf("early_args: seed %" PRIu64 "\n", seed);
        compare_random(seed);
    }
}

/* Events with the same device 4 and a correlation each, the one at `call` is a call: correlations are known from there
 * on, and devices everywhere. */
Test(early_args, may_be_more_of_keys_from_some_event_on)
{
    for (int call = 700; call <= EVENTS; call += 1400) {
        char path[] = "/tmp/pf_early_XXXXXX";
        int fd = mkstemp(path);
        cr_assert(fd >= 0);
        FILE *f = fdopen(fd, "w");
        int64_t sum, expected = 0;
        for (int i = 0; i < EVENTS; i++) {
            fprintf(f, "%s{\"ph\":\"X\",\"cat\":\"%s\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":1,\"name\":\"n\",",
                    i ? ",\n" : "[", i == call ? "call" : "kernel", i);
            fprintf(f, "\"args\":{\"device\":4,\"correlation\":%d}}", i);
            expected += i >= call ? i : 0;
        }
        fputs("]", f);
        fclose(f);
        pf_trace *t = read_path(path, &of_calls);
        unlink(path);
        forget_bytes(t);
        cr_expect_eq(found(t, &plain[0], true, &sum), EVENTS);
        cr_expect_eq(sum, 4 * EVENTS);
        cr_expect_eq(found(t, &plain[2], true, &sum), (uint32_t)(EVENTS - call), "%d", call);
        cr_expect_eq(sum, expected);
        pf_trace_free(t);
    }
}

static bool is_n3(pf_str name)
{
    return name.len == 2 && memcmp(name.ptr, "n3", 2) == 0;
}

/* "word" is a text that differs from event to event; events that were not read early have no bytes any more. */
Test(early_args, may_be_texts_of_some_names)
{
    char path[] = "/tmp/pf_early_XXXXXX", expected[16];
    const pf_arg_key texts[] = {{"word", PF_ARG_TEXT, false}, {"half", PF_ARG_UINT, false}};
    const pf_early_args named = {.keys = texts, .count = 2, .of_category = is_device, .of_name = is_n3},
                        early = {.keys = keys, .count = KEYS, .next = &named};
    pf_arg_columns *c = NULL;
    pf_error err = {0};
    write_events(path, "");
    pf_trace *t = read_path(path, &early);
    unlink(path);
    forget_bytes(t);
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        const pf_arg_options o = {.jobs = jobs, .first_values = true};
        cr_assert_eq(pf_arg_columns_read(t, NULL, 0, texts, 2, &o, &c, &err), PF_OK, "%s", err.text);
        for (int i = 0; i < EVENTS; i++) {
            bool wanted = i % 5 && i % 7 % 3 == 0 && i % 9 == 3;
            pf_str text = pf_arg_columns_text(c, pf_arg_column_at(c, 0)->values.text[i]);
            snprintf(expected, sizeof expected, "%d", i * 400000 - 7);
            cr_assert_eq(pf_arg_has(pf_arg_column_at(c, 0), (uint32_t)i), wanted, "%d", i);
            cr_assert(!wanted || (text.len == strlen(expected) && memcmp(text.ptr, expected, text.len) == 0), "%d", i);
            cr_assert_eq(pf_arg_column_at(c, 1)->values.u[i], wanted ? (uint64_t)i * 13 % 60000 : 0, "%d", i);
        }
        pf_arg_columns_free(c);
    }
    int64_t sum;
    cr_expect_eq(found(t, &keys[0], true, &sum), EVENTS / 5 * 4, "the numbers of all events");
    pf_trace_free(t);
}

Test(early_args, are_checked)
{
    const pf_arg_key empty = {"", PF_ARG_INT, false};
    const pf_early_args nothing = {.keys = NULL}, empties = {.keys = &empty, .count = 1, .next = &nothing};
    const char *path = PF_FIXTURES "/aie_small.json.gz";
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err = {0};
    o.early_args = &empties;
    cr_expect_eq(pf_read(&path, 1, &o, &t, &err), PF_ERR_USAGE);
    o.early_args = &nothing;
    cr_expect_eq(pf_read(&path, 1, &o, &t, &err), PF_OK);
    pf_trace_free(t);
    o.early_args = &of_all;
    o.want &= ~(uint32_t)PF_WANT_ARGS;
    cr_expect_eq(pf_read(&path, 1, &o, &t, &err), PF_OK);
    pf_trace_free(t);
}

/* Kernels of stream 7, from CHANGE on of stream 8; every 700th of the last ones says no stream. */
enum { ALIKE = 9000, CHANGE = 5000, GAPS = 7000 };

static pf_trace *read_alike(void)
{
    char path[] = "/tmp/pf_early_XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    FILE *f = fdopen(fd, "w");
    for (int i = 0; i < ALIKE; i++) {
        fprintf(f, "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,",
                i ? ",\n" : "[", i);
        fprintf(f,
                i > GAPS && i % 700 == 0 ? "\"args\":{\"device\":3}}"
                                         : "\"args\":{\"device\":3,\"stream\":%d,\"correlation\":%d}}",
                i < CHANGE ? 7 : 8, i);
    }
    fputs("]", f);
    fclose(f);
    pf_trace *t = read_path(path, &of_plain);
    unlink(path);
    return t;
}

/* Of events first, first + step, ...: how many agree, which all have to say what the first one says. */
static uint32_t expect_agreement(const pf_trace *t, uint32_t first, int step, uint32_t count)
{
    uint32_t events[ALIKE];
    uint64_t value[2] = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        events[i] = (uint32_t)((int)first + (int)i * step);
    }
    uint32_t n = pf_early_args_agree(t, &of_plain, 2, events, count, value);
    cr_assert_leq(n, count);
    for (uint32_t i = 0; i < n; i++) {
        cr_assert(events[i] <= GAPS || events[i] % 700, "event %u says no stream", events[i]);
        cr_assert_eq(value[0], 3);
        cr_assert_eq(value[1], events[i] < CHANGE ? 7 : 8, "event %u from %u, %d apart", events[i], first, step);
    }
    return n;
}

Test(early_args, that_agree_are_found)
{
    pf_trace *t = read_alike();
    cr_expect_eq(expect_agreement(t, 0, 1, ALIKE), 4 * 1024);
    cr_expect_eq(expect_agreement(t, 100, 1, 2000), 2000);
    cr_expect_eq(expect_agreement(t, 5 * 1024, 1, 1500), 1500);
    cr_expect_eq(expect_agreement(t, 4 * 1024, 1, 10), 0, "a block of two streams");
    cr_expect_eq(expect_agreement(t, 8 * 1024 + 1, 1, 5), 0, "the last block, which is open");
    cr_expect_eq(expect_agreement(t, 0, 2, 1500), 0, "others lie between");
    cr_expect_eq(expect_agreement(t, 2000, -1, 1000), 0, "they descend");
    cr_expect_eq(expect_agreement(t, 2000, 0, 1000), 0, "one is asked for many times");
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t first = i * 7919 % ALIKE, most = ALIKE - first;
        expect_agreement(t, first, 1, i * 31 % most + 1);
    }
    pf_trace_free(t);
}
