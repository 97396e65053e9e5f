/* Files after the one that is being read are read ahead by other threads. Whatever they are, the result is that of one
 * thread: what was read by the rules of another file, or from where no event begins, is not used. */
#include "support.h"

#include <string.h>

#include "scratch.h"

/* Files are larger than what one thread reads alone, so that others look at them. */
#define LENGTH ((size_t)300 << 10)

#define EVENT "{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":2,\"name\":\"n\",\"args\":{\"a\":\"b\"}}"

/* The head, then the body until the file is long enough, then the tail. */
typedef struct file {
    const char *name, *head, *body, *tail;
} file;

static const file plain = {"plain", "[", EVENT, "]"};
static const file other_names = {
    "other", "[", "{\"ph\":\"B\",\"ts\":4,\"pid\":\"p\",\"tid\":7,\"name\":\"m\"},{\"ph\":\"E\",\"ts\":9}", "]"};
static const file keys_after = {"keys", "{\"traceEvents\":[", EVENT, "],\"unit\":\"ms\",\"list\":[" EVENT "]}"};
static const file one_text = {"text", "[" EVENT ",{\"ph\":\"X\",\"ts\":1,\"args\":{\"s\":\"",
                              "},{\\\"ph\\\":\\\"X\\\",\\\"ts\\\":1}", "\"}}," EVENT "]"};
static const file one_list = {"list", "[" EVENT ",{\"ph\":\"X\",\"ts\":1,\"args\":{\"s\":[{},", EVENT,
                              "]}}," EVENT "]"};
static const file cut = {"cut", "{\"traceEvents\":[", EVENT, ",{\"ph\":\"X\",\"ts\":7,\"name\":\"cut"};
static const file lost_brackets = {"lost", "[", EVENT ",{\"ph\":\"X\",\"ts\":2,\"args\":{\"a\":[1,2," EVENT, "]"};
static const file after_blanks = {"blanks", "  \n[", EVENT, "]"};
static const file in_cycles = {
    "cycles", "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}},",
    "{\"ph\":\"B\",\"ts\":12,\"pid\":0,\"tid\":1,\"name\":\"INSTR_EVENT_0\"},{\"ph\":\"E\",\"ts\":13.9,\"pid\":0,"
    "\"tid\":1}",
    "]"};
static const file late_cycles = {
    "late", "[",
    "{\"ph\":\"B\",\"ts\":12,\"pid\":0,\"tid\":1,\"name\":\"INSTR_EVENT_0\"},{\"ph\":\"E\",\"ts\":13.9,\"pid\":0,"
    "\"tid\":1}",
    ",{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}}]"};

/* Writes it, and returns its path. */
static const char *write_file(const file *f, size_t number)
{
    static char paths[8][32];
    pf_buffer b = {0};
    pf_buffer_text(&b, f->head);
    for (unsigned i = 0; b.len < LENGTH; i++) {
        pf_buffer_text(&b, i ? "," : "");
        pf_buffer_text(&b, f->body);
    }
    pf_buffer_text(&b, f->tail);
    pf_buffer_put(&b, "", 1);
    snprintf(paths[number], sizeof paths[number], "%zu-%s.json", number, f->name);
    scratch_write(paths[number], b.data);
    pf_buffer_free(&b);
    return paths[number];
}

static pf_buffer description(const char *const *paths, size_t count, unsigned jobs)
{
    pf_buffer b = {0};
    pf_trace *t = NULL;
    pf_read_options o = pf_read_options_default();
    o.jobs = jobs;
    pf_status st = pf_read(paths, count, &o, &t, NULL);
    if (st == PF_OK) {
        describe_trace(t, &b);
    }
    pf_buffer_format(&b, "status %d\n", (int)st);
    pf_trace_free(t);
    return b;
}

static void expect_same(const file *const *files, size_t count)
{
    const char *paths[8];
    for (size_t i = 0; i < count; i++) {
        paths[i] = write_file(files[i], i);
    }
    pf_buffer alone = description(paths, count, 1);
    for (unsigned jobs = 2; jobs <= 5; jobs++) {
        pf_buffer b = description(paths, count, jobs);
        cr_expect(b.len == alone.len && memcmp(b.data, alone.data, b.len) == 0, "%u threads, from %s on", jobs,
                  files[0]->name);
        pf_buffer_free(&b);
    }
    pf_buffer_free(&alone);
}

TestSuite(inputs_ahead, .init = scratch_enter, .fini = scratch_leave);

Test(inputs_ahead, names_and_threads_are_those_of_the_file)
{
    static const file *const files[] = {&plain, &other_names, &plain, &plain, &other_names};
    expect_same(files, sizeof files / sizeof *files);
}

/* Where the next file is read from, no event begins. */
Test(inputs_ahead, files_that_mislead)
{
    static const file *const files[] = {&plain, &one_text, &one_list, &after_blanks, &plain, &lost_brackets};
    expect_same(files, sizeof files / sizeof *files);
}

/* The one before ends too early or has more after its events. */
Test(inputs_ahead, after_files_that_end_otherwise)
{
    static const file *const files[] = {&cut, &plain, &keys_after, &plain, &lost_brackets, &keys_after, &cut};
    expect_same(files, sizeof files / sizeof *files);
}

/* Times in cycles, which the file says at its begin, are no microseconds in the file after it. */
Test(inputs_ahead, units_change_between_files)
{
    static const file *const files[] = {&in_cycles, &in_cycles, &plain, &in_cycles, &plain};
    expect_same(files, sizeof files / sizeof *files);
}

/* A file that is read once more, in another dialect, was left with the next one read ahead. */
Test(inputs_ahead, files_read_again)
{
    static const file *const files[] = {&late_cycles, &late_cycles, &plain, &late_cycles};
    expect_same(files, sizeof files / sizeof *files);
}
