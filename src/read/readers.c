/* read/readers.c - the table of readers, and which of them gets an input.
 *
 * Readers are shown the first plain bytes, one after the other until one is sure, and say no, maybe or sure; the first
 * of the surest gets the input. JSON stands before binary Perfetto: 0x0A, the first byte of every binary trace, is also
 * a line feed, and JSON may begin with blank lines. Formats that people mistake for a trace or that wrap one (once too
 * often) are recognised by their magic number, so that the refusal can say what to do.
 */
#include <stdio.h>

#include "read/support/reader.h"
#include "wire/cursor.h"

static const pf_reader *const built_in[] = {&pf_reader_chrome_json, &pf_reader_perfetto, &pf_reader_ascend_csv,
                                            &pf_reader_tinygrad,    &pf_reader_neutrino, &pf_reader_partial};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

size_t pf_reader_count(void)
{
    return BUILT_IN;
}

const pf_reader *pf_reader_at(size_t i)
{
    return i < BUILT_IN ? built_in[i] : NULL;
}

/* The callers' own first, then those that are built in. */
static const pf_reader *reader_at(const pf_read_options *o, size_t i)
{
    return i < o->reader_count ? o->readers[i] : pf_reader_at(i - o->reader_count);
}

const pf_reader *pf_reader_named(const pf_read_options *o, const char *name)
{
    const pf_reader *r;
    for (size_t i = 0; (r = reader_at(o, i)); i++) {
        if (strcmp(r->name, name) == 0) {
            return r;
        }
    }
    return NULL;
}

const pf_reader *pf_reader_find(const char *name)
{
    const pf_read_options none = {0};
    return pf_reader_named(&none, name);
}

pf_status pf_reader_add_tables(const pf_reader *reader, pf_trace *t, pf_error *err)
{
    const pf_side_spec *spec;
    for (size_t i = 0; reader->table && (spec = reader->table(i)); i++) {
        pf_side_table *made;
        if (pf_trace_add_table(t, spec, &made, err) != PF_OK) {
            return err->code;
        }
    }
    return PF_OK;
}

static const pf_option *find_option(const pf_reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->option_count; i++) {
        if (strcmp(reader->options[i].name, name) == 0) {
            return &reader->options[i];
        }
    }
    return NULL;
}

/* The option that a setting is for, if it is one of this reader. */
static const pf_option *option_of(const pf_reader *reader, const pf_reader_setting *s)
{
    return !s->reader || strcmp(s->reader, reader->name) == 0 ? find_option(reader, s->name) : NULL;
}

pf_option_value *pf_reader_values(const pf_reader *reader, const pf_read_options *o, pf_arena *arena, pf_error *err)
{
    size_t bytes = (reader->option_count + 1) * sizeof(pf_option_value);
    pf_option_value *values = pf_arena_alloc(arena, bytes);
    if (!values) {
        pf_budget_refused(arena->budget, bytes, err);
        return NULL;
    }
    pf_option_defaults(reader->options, reader->option_count, values);
    for (size_t i = 0; i < o->setting_count; i++) {
        const pf_option *option = option_of(reader, &o->settings[i]);
        if (option && pf_option_parse(option, o->settings[i].value, &values[option - reader->options], err) != PF_OK) {
            pf_options_release(values, reader->option_count);
            return NULL;
        }
    }
    return values;
}

static pf_status check_setting(const pf_read_options *o, const pf_reader_setting *s, pf_error *err)
{
    const pf_reader *r;
    bool known = false;
    for (size_t i = 0; (r = reader_at(o, i)); i++) {
        const pf_option *option = option_of(r, s);
        pf_option_value ignored = {.set = false};
        pf_status st = option ? pf_option_parse(option, s->value, &ignored, err) : PF_OK;
        pf_options_release(&ignored, 1);
        PF_TRY(st);
        known |= option != NULL;
    }
    return known ? PF_OK : pf_fail(err, PF_ERR_USAGE, "no reader has an option '%s'", s->name);
}

pf_status pf_reader_check_settings(const pf_read_options *o, pf_error *err)
{
    for (size_t i = 0; i < o->setting_count; i++) {
        PF_TRY(check_setting(o, &o->settings[i], err));
    }
    return PF_OK;
}

typedef struct magic {
    size_t at;
    const char *bytes;
    size_t len;
    const char *what;
} magic;

static const magic refused[] = {
    {0, "\x1f\x8b", 2, "compressed more than once, gzip is inside; decompress it once before"},
    {0, "PK\x03\x04", 4, "a zip archive inside another packing; unpack it and give the trace inside"},
    {0, "\x28\xb5\x2f\xfd", 4, "compressed more than once, zstd is inside; decompress it once before"},
    {0,
     "\xfd"
     "7zXZ",
     5, "xz data; decompress it with xz -d"},
    {0, "BZh", 3, "bzip2 data; decompress it with bzip2 -d"},
    {0, "\x04\x22\x4d\x18", 4, "lz4 data; decompress it with lz4 -d"},
    {512, "{\"perfetto_manifest\"", 20,
     "a table archive, made of a trace for Perfetto's UI and trace processor; give the trace it was made from"},
    {257, "ustar", 5, "a tar archive; unpack it and give the trace inside"},
    {0, "ARROW1", 6, "an Arrow file; export the trace as Perfetto or Chrome JSON instead"},
    {0, "SQLite format 3", 15, "an SQLite database; give the trace it was made from"},
    {0, "\x10\x00\x04\x46\x78\x54\x16\x00", 8, "a Fuchsia trace; convert it to a Perfetto trace first"},
    {0, "PERFILE2", 8, "a perf.data file; convert it to a Perfetto trace first"},
    {0, "SIMPLEPERF", 10, "a simpleperf recording; convert it to a Perfetto trace first"},
    {0,
     "\x7f"
     "ELF",
     4, "an executable; give the trace it wrote"},
    {0, "<", 1, "a markup document; if it is a systrace report, convert it to a Perfetto trace first"},
    {0, "# tracer", 8, "ftrace text; convert it to a Perfetto trace first"},
};

/* Text in units of two or four bytes: a mark, or a first bracket with the zeros that belong to it. */
static bool is_wide_text(const uint8_t *head, size_t len)
{
    static const struct {
        const char *bytes;
        size_t len;
    } starts[] = {{"\xff\xfe", 2}, {"\xfe\xff", 2},     {"[\0", 2},     {"{\0", 2},    {"\0[", 2},
                  {"\0{", 2},      {"\0\0\xfe\xff", 4}, {"\0\0\0[", 4}, {"\0\0\0{", 4}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (starts[i].len <= len && memcmp(head, starts[i].bytes, starts[i].len) == 0) {
            return true;
        }
    }
    return false;
}

/* XSpace, what the profilers of JAX and TensorFlow export: planes (1) of a number (1, which may be absent), a name (2)
 * and more. Only the beginning of the first plane is looked at. */
static bool is_xspace(const uint8_t *head, size_t len)
{
    uint64_t length;
    const uint8_t *body = len > 1 && head[0] == PF_TAG_BYTES(1) ? pf_varint(head + 1, head + len, &length) : NULL;
    pf_field f = {.tag = 0};
    if (!body) {
        return false;
    }
    size_t seen = (size_t)(head + len - body);
    pf_cursor c = pf_cursor_over(body, length < seen ? (size_t)length : seen);
    pf_next next = pf_cursor_next(&c, &f);
    next = next == PF_NEXT_FIELD && f.tag == PF_TAG_VARINT(1) ? pf_cursor_next(&c, &f) : next;
    bool named = next == PF_NEXT_FIELD && f.tag == PF_TAG_BYTES(2) && f.len > 0;
    for (uint32_t i = 0; named && i < f.len; i++) {
        named = f.bytes[i] >= ' ' && f.bytes[i] < 0x7f;
    }
    return named;
}

/* The first bytes as a person can read them. */
static void show_head(const uint8_t *head, size_t len, char *out, size_t cap)
{
    size_t at = 0;
    for (size_t i = 0; i < len && i < 8; i++) {
        at += (size_t)snprintf(out + at, cap - at, "%s%02x", i ? " " : "", head[i]);
    }
}

static void refuse(const uint8_t *head, size_t len, const char *path, bool is_directory, pf_error *err)
{
    if (is_directory) {
        pf_fail(err, PF_ERR_INPUT, "is a folder; no reader takes it: name a trace in it, or all with '%.200s/*'", path);
        return;
    }
    if (len == 0) {
        pf_fail(err, PF_ERR_INPUT, "is empty; give a Chrome JSON or Perfetto trace");
        return;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const magic *m = &refused[i];
        if (m->at + m->len <= len && memcmp(head + m->at, m->bytes, m->len) == 0) {
            pf_fail(err, PF_ERR_INPUT, "is %s", m->what);
            return;
        }
    }
    if (is_wide_text(head, len)) {
        pf_fail(err, PF_ERR_INPUT,
                "is UTF-16 or UTF-32 text; convert it to UTF-8, for instance with iconv -f UTF-16 -t UTF-8");
        return;
    }
    if (is_xspace(head, len)) {
        pf_fail(
            err, PF_ERR_INPUT,
            "is an XSpace (.xplane.pb) of the JAX or TensorFlow profiler, no trace; give the .trace.json.gz that was "
            "written with it");
        return;
    }
    char shown[32];
    show_head(head, len, shown, sizeof shown);
    pf_fail(err, PF_ERR_INPUT,
            "is not a trace (begins with bytes %s); 'postfetto info --formats' lists what is read, plain, gzip, zstd "
            "or alone in a zip",
            shown);
}

const pf_reader *pf_reader_choose(const pf_read_options *o, const uint8_t *head, size_t len, const char *path,
                                  bool is_directory, pf_error *err)
{
    const pf_reader *r, *best = NULL;
    pf_probe best_answer = PF_PROBE_NO;
    len = len < PF_PROBE_BYTES ? len : PF_PROBE_BYTES;
    bool any = len > 0 || is_directory;
    for (size_t i = 0; any && best_answer != PF_PROBE_SURE && (r = reader_at(o, i)); i++) {
        pf_probe answer = r->probe(head, len, path, is_directory);
        if (answer > best_answer) {
            best = r;
            best_answer = answer;
        }
    }
    if (!best) {
        refuse(head, len, path, is_directory, err);
    }
    return best;
}
