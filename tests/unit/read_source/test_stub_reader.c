/* A reader that the library does not know: one file that registers it, reads folders with it, and fills side tables.
 *
 * Its input is a folder with a file `stub.txt`, whose first line is the name of a process, and files `*.samples`, each
 * a list of lines "counter value text". */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "postfetto/postfetto.h"
#include "scratch.h"

/* ---- the reader -------------------------------------------------------------------------------------------------- */

enum { STUB_FILE = 0, STUB_COUNTER, STUB_VALUE, STUB_BYTES, STUB_FIRST };

static const pf_side_column columns[] = {
    {"file", PF_COLUMN_TEXT, NULL, NULL, "the file that the sample is from", 0},
    {"counter", PF_COLUMN_INT, "cycles", NULL, "what the counter showed", 0},
    {"value", PF_COLUMN_REAL, "W", NULL, "power", 0},
    {"line", PF_COLUMN_BLOB, NULL, NULL, "the line as it is in the file", 0},
    {"first \"row\"", PF_COLUMN_ROW, NULL, "stub_sample", "first sample of the file", 0},
};
static const pf_side_spec sample_table = {"stub_sample", "samples", columns, 5};

static const pf_option options[] = {
    {.name = "stub-scale", .type = PF_OPTION_REAL, .fallback = "1", .help = "what values are multiplied with"},
    {.name = "stub-skip", .type = PF_OPTION_FLAG, .help = "leave out the first sample"},
    {.name = "stub-add", .type = PF_OPTION_INT, .help = "unused", .traits = PF_OPTION_REPEATABLE},
};

static pf_probe probe_stub(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    size_t len = strlen(path);
    (void)head, (void)size;
    return is_directory && len > 5 && strcmp(path + len - 5, ".stub") == 0 ? PF_PROBE_SURE : PF_PROBE_NO;
}

static pf_status add_sample(pf_reading *r, pf_side_table *s, uint32_t file, uint32_t first, pf_str line, pf_error *err)
{
    char text[64] = "";
    snprintf(text, sizeof text, "%.*s", (int)line.len, line.ptr);
    char *end;
    long long counter = strtoll(text, &end, 10);
    bool missing = end == text;
    pf_status st = pf_side_add_row(s, err);
    if (st == PF_OK) {
        uint32_t row = s->count - 1;
        *pf_side_ref(s, STUB_FILE, row) = file;
        *pf_side_ref(s, STUB_FIRST, row) = row == first ? PF_NONE : first;
        if (!missing) {
            *pf_side_number(s, STUB_COUNTER, row) = counter;
            *pf_side_real(s, STUB_VALUE, row) = strtod(end, NULL) * pf_reading_value(r, 0)->d;
            *pf_side_blob(s, STUB_BYTES, row) = (pf_bytes){(const uint8_t *)line.ptr, line.len};
        }
    }
    return st;
}

static pf_status read_samples(pf_reading *r, pf_side_table *s, const char *name, pf_error *err)
{
    pf_bytes b;
    uint32_t file = 0, first = s->count;
    pf_status st = pf_reading_companion(r, name, &b, err);
    st = st == PF_OK ? pf_trace_add_string(pf_reading_trace(r), (pf_str){name, strlen(name)}, &file, err) : st;
    bool skip = pf_reading_value(r, 1)->b;
    for (size_t at = 0; st == PF_OK && at < b.len;) {
        const uint8_t *feed = memchr(b.ptr + at, '\n', b.len - at);
        size_t len = feed ? (size_t)(feed - b.ptr) - at : b.len - at;
        if (!skip) {
            st = add_sample(r, s, file, first, (pf_str){(const char *)b.ptr + at, len}, err);
        }
        skip = false;
        at += len + 1;
    }
    return st;
}

static pf_status read_stub(pf_reading *r, pf_error *err)
{
    pf_bytes about;
    pf_side_table *s = NULL;
    const pf_entry *entries;
    size_t count;
    pf_status st = pf_reading_companion(r, "stub.txt", &about, err);
    if (st == PF_OK && !about.ptr) {
        return pf_fail(err, PF_ERR_INPUT, "has no stub.txt");
    }
    st = st == PF_OK ? pf_trace_add_table(pf_reading_trace(r), &sample_table, &s, err) : st;
    st = st == PF_OK ? pf_reading_list(r, ".", &entries, &count, err) : st;
    for (size_t i = 0; st == PF_OK && i < count; i++) {
        const char *dot = strchr(entries[i].name, '.');
        if (!entries[i].is_directory && dot && strncmp(dot, ".samples", 8) == 0) {
            st = read_samples(r, s, entries[i].name, err);
        }
    }
    pf_reading_set_dialect(r, "stubby");
    return st;
}

static const pf_side_spec *stub_table(size_t i)
{
    return i == 0 ? &sample_table : NULL;
}

static const pf_reader stub = {
    .name = "stub",
    .summary = "folders of samples",
    .options = options,
    .option_count = 3,
    .table = stub_table,
    .probe = probe_stub,
    .read = read_stub,
};
static const pf_reader *const readers[] = {&stub};

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

static void make_inputs(void)
{
    scratch_enter();
    cr_assert_eq(mkdir("a.stub", 0777), 0);
    cr_assert_eq(mkdir("b.stub", 0777), 0);
    cr_assert_eq(mkdir("a.stub/deeper", 0777), 0);
    put("a.stub/stub.txt", "first");
    put("a.stub/2.samples", "10 1.5 x\n-\n12 2.5 z");
    put("a.stub/1.samples", "9223372036854775807 0.5");
    put("b.stub/stub.txt", "second");
    put("b.stub/1.samples", "7 1");
    put("b.stub/2.other", "1 1");
    put("trace.json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"a\"}]");
}

TestSuite(stub, .init = make_inputs, .fini = scratch_leave);

static pf_read_options with_stub(void)
{
    pf_read_options o = pf_read_options_default();
    o.readers = readers;
    o.reader_count = 1;
    return o;
}

static pf_trace *read_paths(const char *const *paths, size_t count, const pf_read_options *o)
{
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_read(paths, count, o, &t, &err), PF_OK, "%s: %s", err.file, err.text);
    return t;
}

/* ---- SQL as text ------------------------------------------------------------------------------------------------- */

static pf_status no_names(void *ctx, size_t count, const pf_str *names)
{
    (void)ctx, (void)count, (void)names;
    return PF_OK;
}

static pf_status put_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    pf_buffer *b = ctx;
    for (size_t i = 0; i < count; i++) {
        pf_buffer_text(b, i ? "|" : "");
        switch (cells[i].type) {
        case PF_VALUE_NULL:
            pf_buffer_text(b, "-");
            break;
        case PF_VALUE_INT:
            pf_buffer_format(b, "%lld", (long long)cells[i].as.i);
            break;
        case PF_VALUE_REAL:
            pf_buffer_format(b, "%g", cells[i].as.d);
            break;
        default:
            pf_buffer_put(b, cells[i].as.s.ptr, cells[i].as.s.len);
        }
    }
    pf_buffer_text(b, "\n");
    return PF_OK;
}

static void expect_rows(const pf_trace *t, const char *sql, const char *expected)
{
    pf_query *q = NULL;
    pf_error err = {0};
    pf_buffer b = {0};
    const pf_query_sink sink = {&b, no_names, put_row};
    cr_assert_eq(pf_query_open(t, &q, &err), PF_OK, "%s", err.text);
    cr_expect_eq(pf_query_run(q, (pf_str){sql, strlen(sql)}, &sink, &err), PF_OK, "%s", err.text);
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected, "%s", sql);
    pf_buffer_free(&b);
    pf_query_free(q);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

Test(stub, folders_and_a_file_form_one_trace_with_a_side_table_of_all_types)
{
    static const char *const paths[] = {"a.stub", "trace.json", "b.stub"};
    pf_read_options o = with_stub();
    pf_trace *t = read_paths(paths, 3, &o);
    const pf_input *in = pf_trace_input(t, 0);
    cr_expect(in->is_directory);
    cr_expect_str_eq(in->format, "stub");
    cr_expect_str_eq(in->dialect, "stubby");
    cr_expect_eq(in->stored_bytes, 5 + 19 + 23);
    cr_expect_str_eq(pf_trace_input(t, 1)->format, "chrome-json");
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    const pf_side_table *s = pf_trace_table(t, "stub_sample");
    cr_assert_not_null(s);
    cr_expect_eq(s->count, 5);
    cr_expect_str_eq(s->spec->columns[1].unit, "cycles");
    cr_expect_eq(*pf_side_number(s, STUB_COUNTER, 0), INT64_MAX);
    cr_expect_eq(*pf_side_number(s, STUB_COUNTER, 2), INT64_MIN);
    cr_expect(isnan(*pf_side_real(s, STUB_VALUE, 2)));
    cr_expect_null(pf_side_blob(s, STUB_BYTES, 2)->ptr);
    cr_expect_null(pf_trace_table(t, "stub_samples"));
    expect_rows(t, "SELECT * FROM stub_sample",
                "0|1.samples|9223372036854775807|0.5|9223372036854775807 0.5|-\n1|2.samples|10|1.5|10 1.5 x|-\n"
                "2|2.samples|-|-|-|1\n3|2.samples|12|2.5|12 2.5 z|1\n4|1.samples|7|1|7 1|-\n");
    expect_rows(t, "SELECT typeof(line), typeof(value), typeof(counter) FROM stub_sample WHERE counter = 12",
                "blob|real|integer\n");
    expect_rows(t, "SELECT id FROM stub_sample WHERE line = x'372031'", "4\n");
    expect_rows(t, "SELECT id FROM stub_sample WHERE value > 1 ORDER BY value DESC", "3\n1\n");
    expect_rows(t, "SELECT count(*), count(\"first \"\"row\"\"\") FROM stub_sample WHERE file = '2.samples'", "3|2\n");
    expect_rows(t, "SELECT trace_type FROM __intrinsic_trace_file", "stub\njson\nstub\n");
    pf_trace_free(t);
}

Test(stub, options_and_formats_are_chosen_by_the_caller)
{
    static const char *const paths[] = {"a.stub"}, *const plain[] = {"trace.json"};
    const pf_reader_setting set[] = {
        {"stub", "stub-scale", "4"}, {NULL, "stub-skip", ""}, {NULL, "stub-add", "1"}, {NULL, "stub-add", "2"}};
    pf_read_options o = with_stub();
    o.settings = set;
    o.setting_count = 4;
    pf_trace *t = read_paths(paths, 1, &o);
    expect_rows(t, "SELECT counter, value FROM stub_sample", "-|-\n12|10\n");
    pf_trace_free(t);
    t = NULL;
    pf_error err = {0};
    o.input_format = "stub";
    cr_expect_eq(pf_read(plain, 1, &o, &t, &err), PF_ERR_INPUT, "the reader is forced and finds no stub.txt");
    o.input_format = "klingon";
    cr_expect_eq(pf_read(plain, 1, &o, &t, &err), PF_ERR_USAGE);
    o = with_stub();
    const pf_reader_setting bad[] = {{"stub", "stub-scale", "x"}, {"stub", "scale", "1"}, {"other", "stub-scale", "1"}};
    for (size_t i = 0; i < 3; i++) {
        o.settings = &bad[i];
        o.setting_count = 1;
        cr_expect_eq(pf_read(paths, 1, &o, &t, &err), PF_ERR_USAGE, "%zu", i);
    }
    cr_expect_eq(pf_read(paths, 1, NULL, &t, &err), PF_ERR_INPUT, "without the reader a folder is refused");
    cr_expect_not_null(strstr(err.text, "is a folder"));
}

Test(stub, patterns_stand_for_what_fits_in_order)
{
    static const char *const all[] = {"?.stub"}, *const none[] = {"x*"};
    pf_read_options o = with_stub();
    pf_trace *t = read_paths(all, 1, &o);
    cr_expect_eq(pf_trace_input_count(t), 2);
    cr_expect_str_eq(pf_trace_input(t, 0)->path, "a.stub");
    cr_expect_str_eq(pf_trace_input(t, 1)->path, "b.stub");
    pf_trace_free(t);
    pf_error err = {0};
    cr_expect_eq(pf_read(none, 1, &o, &t, &err), PF_ERR_INPUT);
    cr_expect_str_eq(err.file, "x*");
    put("[x].json", "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}]");
    static const char *const literal[] = {"[x].json"};
    t = read_paths(literal, 1, &o);
    cr_expect_eq(pf_trace_input_count(t), 1, "a file of that very name comes first");
    pf_trace_free(t);
}

/* ---- companions -------------------------------------------------------------------------------------------------- */

static pf_status expect_near(pf_reading *r, const char *name, const char *content, pf_error *err)
{
    pf_bytes b;
    pf_status st = pf_reading_companion(r, name, &b, err);
    cr_expect_eq(st, PF_OK, "%s: %s", name, err->text);
    if (content) {
        cr_expect(b.len == strlen(content) && memcmp(b.ptr, content, b.len) == 0, "%s", name);
    } else {
        cr_expect_null(b.ptr, "%s", name);
    }
    return st;
}

static pf_status read_beside(pf_reading *r, pf_error *err)
{
    pf_bytes whole;
    cr_assert_eq(pf_reading_whole(r, &whole, err), PF_OK, "%s", err->text);
    cr_expect_eq(whole.len, 19);
    cr_expect_eq(memcmp(whole.ptr, "10 1.5 x\n-\n12 2.5 z", 19), 0);
    cr_expect_eq(pf_reading_input(r)->plain_bytes, 19);
    expect_near(r, "stub.txt", "first", err);
    expect_near(r, "../b.stub/stub.txt", "second", err);
    expect_near(r, "../packed.gz", "packed", err);
    expect_near(r, "missing", NULL, err);
    expect_near(r, "../../etc/passwd", NULL, err);
    expect_near(r, "deeper/../stub.txt", NULL, err);
    expect_near(r, "/etc/passwd", NULL, err);
    const pf_entry *entries;
    size_t count;
    cr_expect_eq(pf_reading_list(r, "..", &entries, &count, err), PF_OK);
    cr_expect_eq(count, 4);
    cr_expect_str_eq(entries[2].name, "packed.gz");
    cr_expect(entries[0].is_directory && !entries[3].is_directory);
    return PF_OK;
}

static pf_probe probe_maybe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    (void)path;
    return !is_directory && size >= 2 && memcmp(head, "10", 2) == 0 ? PF_PROBE_MAYBE : PF_PROBE_NO;
}

Test(stub, companions_lie_next_to_the_input)
{
    static const pf_reader near = {
        .name = "near", .summary = "", .probe = probe_maybe, .read = read_beside, .table = stub_table};
    static const pf_reader *const list[] = {&near};
    static const char *const path[] = {"a.stub/2.samples"};
    pf_buffer gz = {0};
    add_member(&gz, "packed", 6);
    FILE *f = fopen("packed.gz", "wb");
    cr_assert(f && fwrite(gz.data, 1, gz.len, f) == gz.len);
    fclose(f);
    pf_buffer_free(&gz);
    for (int map = 0; map < 2; map++) {
        pf_read_options o = pf_read_options_default();
        o.map = map;
        o.readers = list;
        o.reader_count = 1;
        pf_trace *t = read_paths(path, 1, &o);
        const pf_side_table *listed = pf_trace_table(t, sample_table.name);
        cr_expect(listed && listed->count == 0, "a table that the row lists is there without rows");
        pf_trace_free(t);
    }
}

/* ---- specs ------------------------------------------------------------------------------------------------------- */

Test(side_tables, names_and_columns_are_checked)
{
    static const pf_side_column one[] = {{"a", PF_COLUMN_INT, NULL, NULL, NULL, 0}},
                                two[] = {{"a", PF_COLUMN_INT, NULL, NULL, NULL, 0}, {"A", 0, NULL, NULL, NULL, 0}},
                                id[] = {{"ID", PF_COLUMN_INT, NULL, NULL, NULL, 0}},
                                odd[] = {{"a", (pf_column_type)9, NULL, NULL, NULL, 0}},
                                real[] = {{"a", PF_COLUMN_REAL, NULL, NULL, NULL, 0}};
    const pf_side_spec bad[] = {{"", "", one, 1},      {"1a", "", one, 1},     {"a b", "", one, 1}, {"t", "", one, 0},
                                {"t", "", two, 2},     {"t", "", id, 1},       {"t", "", odd, 1},   {"GPU", "", one, 1},
                                {"slice", "", one, 1}, {"Counter", "", one, 1}};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, NULL);
    pf_side_table *s = NULL, *again = NULL;
    pf_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(pf_trace_add_table(t, &bad[i], &s, &err), PF_ERR_USAGE, "%zu", i);
    }
    const pf_side_spec good = {"t", "help", one, 1}, other = {"t", "help", real, 1};
    cr_assert_eq(pf_trace_add_table(t, &good, &s, &err), PF_OK);
    cr_expect_eq(pf_trace_add_table(t, &good, &again, &err), PF_OK);
    cr_expect_eq(s, again);
    cr_expect_eq(pf_trace_add_table(t, &other, &again, &err), PF_ERR_USAGE);
    cr_expect_eq(pf_side_column_named(s, "a"), 0);
    cr_expect_eq(pf_side_column_named(s, "b"), PF_NONE);
    pf_trace_free(t);
}

/* More columns than a plan or a cursor of SQL has bits for, and many rows at once. */
Test(side_tables, wide_and_long)
{
    enum { WIDE = 100, ROWS = 100000 };
    static char names[WIDE][8];
    static pf_side_column wide[WIDE];
    for (int i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        wide[i] = (pf_side_column){names[i], i % 2 ? PF_COLUMN_TEXT : PF_COLUMN_INT, NULL, NULL, NULL, 0};
    }
    const pf_side_spec spec = {"wide", "", wide, WIDE};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, NULL);
    pf_side_table *s = NULL;
    pf_error err;
    uint32_t first = 1, text = 0;
    cr_assert_eq(pf_trace_add_string(t, PF_STR("last"), &text, &err), PF_OK);
    cr_assert_eq(pf_trace_add_table(t, &spec, &s, &err), PF_OK);
    cr_assert_eq(pf_side_add_rows(s, ROWS, &first, &err), PF_OK);
    cr_expect_eq(first, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        *pf_side_number(s, 0, i) = i;
        *pf_side_number(s, 98, i) = ROWS - i;
        *pf_side_ref(s, 99, i) = i == 77 ? text : 0;
    }
    cr_assert_eq(pf_trace_finish(t, &err), PF_OK);
    expect_rows(t, "SELECT c0 FROM wide WHERE c99 = 'last'", "77\n");
    expect_rows(t, "SELECT c0 FROM wide WHERE c98 BETWEEN 5 AND 6 ORDER BY c98", "99995\n99994\n");
    expect_rows(t, "SELECT c99, count(*), sum(c98) FROM wide GROUP BY c99 ORDER BY 1",
                "-|99999|4999950077\nlast|1|99923\n");
    pf_trace_free(t);
}
