/* A reader that the library does not know and that takes its input as it comes: a sliding window, lines that windows
 * cut in two, copies of bytes that go, and inputs that share their processes.
 *
 * An input is a list of lines; the first names a group ("-": none), the others are of any length. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "model/trace/trace.h"
#include "postfetto/postfetto.h"
#include "scratch.h"

/* ---- the reader -------------------------------------------------------------------------------------------------- */

enum { LINES_COUNT = 0, LINES_SUM, LINES_WINDOWS, LINES_LAST };

static const pf_side_column columns[] = {
    {"lines", PF_COLUMN_INT, NULL, NULL, "their number", 0},
    {"sum", PF_COLUMN_INT, NULL, NULL, "of the bytes, each times its line's number", 0},
    {"windows", PF_COLUMN_INT, NULL, NULL, "how many there were", 0},
    {"last", PF_COLUMN_BLOB, NULL, NULL, "the last line", 0},
};
static const pf_side_spec lines_table = {"lines", "lines", columns, 4};

static pf_probe probe_lines(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    (void)head, (void)size, (void)is_directory;
    return strstr(path, ".lines") ? PF_PROBE_SURE : PF_PROBE_NO;
}

typedef struct lines {
    int64_t count, sum;
    pf_str last;
} lines;

static pf_status take_line(pf_reading *r, lines *l, pf_str line, pf_error *err)
{
    char group[16];
    pf_status st = PF_OK;
    if (l->count++ == 0 && line.ptr[0] != '-') {
        snprintf(group, sizeof group, "%.*s", (int)line.len, line.ptr);
        st = pf_reading_set_group(r, group, err);
    }
    for (size_t i = 0; i < line.len; i++) {
        l->sum += l->count * line.ptr[i];
    }
    l->last = line;
    return st;
}

static pf_status read_lines(pf_reading *r, pf_error *err)
{
    pf_trace *t = pf_reading_trace(r);
    pf_side_table *s = NULL;
    lines l = {0};
    pf_window w = {.last = false};
    size_t used = 0;
    int64_t windows = 0;
    uint64_t offset = 0;
    pf_bytes last = {NULL, 0};
    pf_status st = pf_trace_add_table(t, &lines_table, &s, err);
    while (st == PF_OK && !w.last) {
        st = pf_reading_next(r, used, &w, err);
        cr_expect(st != PF_OK || w.offset == offset + used, "the window goes on where it was left");
        offset = w.offset;
        used = 0;
        windows++;
        for (const uint8_t *feed; st == PF_OK && (feed = memchr(w.data + used, '\n', w.len - used));) {
            st = take_line(r, &l, (pf_str){(const char *)w.data + used, (size_t)(feed - w.data) - used}, err);
            used = (size_t)(feed - w.data) + 1;
        }
        if (st == PF_OK && w.last) {
            st = pf_trace_keep_bytes(t, (pf_bytes){(const uint8_t *)l.last.ptr, l.last.len}, &last, err);
        }
    }
    st = st == PF_OK ? pf_side_add_row(s, err) : st;
    if (st != PF_OK) {
        return st;
    }
    const pf_ident pid = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = 5};
    *pf_side_number(s, LINES_COUNT, s->count - 1) = l.count;
    *pf_side_number(s, LINES_SUM, s->count - 1) = l.sum;
    *pf_side_number(s, LINES_WINDOWS, s->count - 1) = windows;
    *pf_side_blob(s, LINES_LAST, s->count - 1) = last;
    return pf_trace_process(t, &pid, err) == PF_NONE ? err->code : PF_OK;
}

static const pf_side_spec *table_of_lines(size_t i)
{
    return i == 0 ? &lines_table : NULL;
}

static const pf_reader lines_reader = {
    .name = "lines", .summary = "lines", .table = table_of_lines, .probe = probe_lines, .read = read_lines};
static const pf_reader *const readers[] = {&lines_reader};

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* A file whose lines grow; returns what `sum` must be. */
static int64_t write_lines(const char *path, const char *group, unsigned count, bool packed)
{
    int64_t sum = 0;
    gzFile z = packed ? gzopen(path, "wb1") : NULL;
    FILE *f = packed ? NULL : fopen(path, "wb");
    cr_assert(z || f);
    for (unsigned i = 1; i <= count; i++) {
        char line[1024];
        int len = i == 1 ? snprintf(line, sizeof line, "%s", group)
                         : snprintf(line, sizeof line, "line %u %0*u", i, (int)(i % 900) + 1, i);
        for (int k = 0; k < len; k++) {
            sum += (int64_t)i * line[k];
        }
        line[len++] = '\n';
        cr_assert_eq(packed ? gzwrite(z, line, (unsigned)len) : (int)fwrite(line, 1, (size_t)len, f), len);
    }
    cr_assert_eq(packed ? gzclose(z) : fclose(f), 0);
    return sum;
}

static pf_status read_paths(const char *const *paths, size_t count, bool merge, pf_trace **t, pf_error *err)
{
    pf_read_options o = pf_read_options_default();
    o.readers = readers;
    o.reader_count = 1;
    o.merge_pids = merge;
    *t = NULL;
    return pf_read(paths, count, &o, t, err);
}

TestSuite(streaming, .init = scratch_enter, .fini = scratch_leave);

Test(streaming, windows_slide_over_an_input_of_any_size)
{
    enum { LINES = 30000 };
    static const char *const paths[] = {"a.lines", "b.lines"};
    int64_t sums[] = {write_lines(paths[0], "-", LINES, false), write_lines(paths[1], "-", LINES, true)};
    pf_trace *t;
    pf_error err = {0};
    cr_assert_eq(read_paths(paths, 2, false, &t, &err), PF_OK, "%s", err.text);
    const pf_side_table *s = pf_trace_table(t, "lines");
    cr_assert_eq(s->count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const pf_bytes *last = pf_side_blob(s, LINES_LAST, i);
        cr_expect_eq(*pf_side_number(s, LINES_COUNT, i), LINES);
        cr_expect_eq(*pf_side_number(s, LINES_SUM, i), sums[i]);
        cr_expect(last->len > 12 && memcmp(last->ptr, "line 30000 0", 12) == 0, "it is there after its window");
        cr_expect_str_eq(pf_trace_input(t, i)->format, "lines");
    }
    cr_expect_gt(*pf_side_number(s, LINES_WINDOWS, 1), 1, "what is unpacked comes in windows");
    pf_trace_free(t);
}

Test(streaming, inputs_of_a_group_share_their_processes)
{
    static const char *const paths[] = {"1.lines", "2.lines", "3.lines", "4.lines", "5.lines"};
    static const char *const groups[] = {"g", "other", "g", "-", "-"};
    for (size_t i = 0; i < 5; i++) {
        write_lines(paths[i], groups[i], 3, false);
    }
    for (int merge = 0; merge <= 1; merge++) {
        pf_trace *t;
        pf_error err = {0};
        uint32_t found = 0;
        cr_assert_eq(read_paths(paths, 5, merge, &t, &err), PF_OK, "%s", err.text);
        for (uint32_t i = 0; i < pf_trace_processes(t)->count; i++) {
            found += pf_trace_processes(t)->pid[i] == 5;
        }
        cr_expect_eq(found, merge ? 1 : 4, "%u", found);
        pf_trace_free(t);
    }
}

Test(streaming, a_folder_has_no_bytes)
{
    static const char *const paths[] = {"folder.lines"};
    pf_trace *t;
    pf_error err = {0};
    cr_assert_eq(mkdir(paths[0], 0777), 0);
    cr_expect_eq(read_paths(paths, 1, false, &t, &err), PF_ERR_INPUT);
    cr_expect_str_eq(err.text, "is a folder; name a trace file");
    cr_expect_str_eq(err.file, paths[0]);
    cr_expect_null(t);
}
