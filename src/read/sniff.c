/* sniff.c - recognising content (specs/perfetto.md 1.1). JSON is asked before binary Perfetto: 0x0A, the first byte of
 * every binary trace, is also a line feed, and JSON may begin with blank lines. Formats that people mistake for a trace
 * or that wrap one (once too often) are recognised by their magic number, so that the refusal can say what to do. */
#include "read/sniff.h"

#include <stdio.h>
#include <string.h>

static const pf_reader *const readers[] = {&pf_reader_chrome_json, &pf_reader_perfetto};

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

/* The first bytes as a person can read them. */
static void show_head(const uint8_t *head, size_t len, char *out, size_t cap)
{
    size_t at = 0;
    for (size_t i = 0; i < len && i < 8; i++) {
        at += (size_t)snprintf(out + at, cap - at, "%s%02x", i ? " " : "", head[i]);
    }
}

const pf_reader *pf_sniff(const uint8_t *head, size_t len, pf_error *err)
{
    if (len == 0) {
        pf_fail(err, PF_ERR_INPUT, "is empty; give a Chrome JSON or Perfetto trace");
        return NULL;
    }
    if (len > PF_SNIFF_BYTES) {
        len = PF_SNIFF_BYTES;
    }
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i]->sniff(head, len)) {
            return readers[i];
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const magic *m = &refused[i];
        if (m->at + m->len <= len && memcmp(head + m->at, m->bytes, m->len) == 0) {
            pf_fail(err, PF_ERR_INPUT, "is %s", m->what);
            return NULL;
        }
    }
    if (is_wide_text(head, len)) {
        pf_fail(err, PF_ERR_INPUT,
                "is UTF-16 or UTF-32 text; convert it to UTF-8, for instance with iconv -f UTF-16 -t UTF-8");
        return NULL;
    }
    char shown[32];
    show_head(head, len, shown, sizeof shown);
    pf_fail(err, PF_ERR_INPUT,
            "is not a trace (begins with bytes %s); accepted are Chrome JSON and Perfetto traces, plain, gzip, "
            "zstd or alone in a zip",
            shown);
    return NULL;
}
