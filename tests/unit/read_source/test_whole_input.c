/* Inputs that a reader wants whole: packed ones, of the reading and next to it, with a folder for what is large. */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "model/trace/trace.h"
#include "postfetto/author/reader.h"
#include "postfetto/read.h"
#include "scratch.h"

enum { LARGE = 24 << 20, SMALL = 1 << 20 };

static void enter_folder(void)
{
    scratch_enter_below("/var/tmp");
}

TestSuite(whole_input, .init = enter_folder, .fini = scratch_leave);

/* ---- a reader that wants everything ------------------------------------------------------------------------------ */

static pf_bytes input, companion;

static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    (void)path;
    return !is_directory && size > 1 && head[0] == 'W' ? PF_PROBE_SURE : PF_PROBE_NO;
}

static pf_status read_all(pf_reading *r, pf_error *err)
{
    pf_status st = pf_reading_whole(r, &input, err);
    return st == PF_OK ? pf_reading_companion(r, "companion.gz", &companion, err) : st;
}

static const pf_reader reader = {.name = "whole", .summary = "for this test", .probe = probe, .read = read_all};

/* ---- files ------------------------------------------------------------------------------------------------------- */

static uint8_t byte_at(size_t i)
{
    return i == 0 ? 'W' : (uint8_t)(i >> 12 ^ i >> 5);
}

static void make_packed(const char *name, size_t len)
{
    char *plain = malloc(len);
    pf_buffer packed = {0};
    for (size_t i = 0; i < len; i++) {
        plain[i] = (char)byte_at(i);
    }
    add_member(&packed, plain, len);
    FILE *f = fopen(name, "wb");
    cr_assert(f && fwrite(packed.data, 1, packed.len, f) == packed.len);
    fclose(f);
    pf_buffer_free(&packed);
    free(plain);
}

static void expect_bytes(pf_bytes b, size_t len, const char *what)
{
    size_t wrong = 0;
    cr_assert_eq(b.len, len, "%s: %zu bytes", what, b.len);
    for (size_t i = 0; i < len + PF_SLOP; i++) {
        wrong += b.ptr[i] != (i < len ? byte_at(i) : 0);
    }
    cr_expect_eq(wrong, 0, "%s: %zu bytes are wrong", what, wrong);
}

/* The bytes are right, also after their pages left memory, and memory holds those that are said to be there. */
static void expect_whole(const char *spool, size_t len, bool in_memory)
{
    const pf_reader *const list[] = {&reader};
    const char *path = "input.gz";
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err = {0};
    make_packed(path, len);
    make_packed("companion.gz", len);
    o.readers = list;
    o.reader_count = 1;
    o.map = true;
    o.spool = spool;
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    cr_expect_eq(t->budget.used >= 2 * len, in_memory, "%zu bytes are charged", (size_t)t->budget.used);
    cr_expect_eq(pf_trace_input(t, 0)->plain_bytes, len);
    expect_bytes(input, len, "the input");
    expect_bytes(companion, len, "the companion");
    pf_trace_drop_bytes(t, input);
    pf_trace_drop_bytes(t, companion);
    expect_bytes(input, len, "the input after it was dropped");
    expect_bytes(companion, len, "the companion after it was dropped");
    pf_trace_free(t);
}

static unsigned files_here(void)
{
    char line[64] = "";
    FILE *p = popen("ls -A | wc -l", "r");
    cr_assert(p && fgets(line, sizeof line, p));
    pclose(p);
    return (unsigned)atoi(line);
}

Test(whole_input, large_ones_go_to_files_without_a_name)
{
    expect_whole(".", LARGE, false);
    cr_expect_eq(files_here(), 2, "the packed ones");
}

Test(whole_input, small_ones_stay_in_memory)
{
    expect_whole(".", SMALL, true);
}

Test(whole_input, memory_where_no_file_can_be_made)
{
    expect_whole("nowhere", LARGE, true);
    expect_whole(NULL, LARGE, true);
}

/* The folder is full after 20 of 24 MB: what is there already is taken back. */
Test(whole_input, a_full_folder_is_done_without)
{
    struct rlimit most = {(rlim_t)20 << 20, (rlim_t)20 << 20};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
    expect_whole(".", LARGE, true);
}
