/* read/input/zip.c - finding the one file in an archive.
 *
 * A zip ends with a directory: an end record, which says where the directory begins (a zip64 one in front of it takes
 * over where 32 bits are not enough), and per file an entry that says where the file's own header and bytes are, how
 * long and how packed. The directory is what counts: it has the lengths and checksums also of files that were written
 * in one go, whose own headers do not know them yet.
 *
 * An archive that was cut off has no directory. Then the headers in front of the files are walked from the start, as
 * far as they know how long their files are. A directory that makes no sense is treated the same way.
 *
 * Nothing here trusts a length: every record is checked to lie inside the archive before it is read, and a file's
 * bytes end with the archive. Nothing is allocated.
 */
#include "read/input/unpack.h"

#include <string.h>

#include "base/little_endian.h"

#define LOCAL_BYTES 30u
#define ENTRY_BYTES 46u
#define END_BYTES 22u
#define END64_BYTES 56u
#define LOCATOR_BYTES 20u
#define COMMENT_MAX 65535u
#define FLAG_ENCRYPTED 0x1u
#define FLAG_LENGTHS_AFTER 0x8u /* the file's own header does not know its lengths */

typedef struct archive {
    const uint8_t *bytes;
    size_t size;
} archive;

/* What a header or an entry says about a file. */
typedef struct header {
    unsigned flags, method;
    uint32_t crc;
    uint64_t stored, plain, at; /* at: of its own header (entries only) */
} header;

/* Whether `len` bytes from `at` on lie inside and begin with "PK" and the two numbers. */
static bool has_record(const archive *a, uint64_t at, size_t len, const char *kind)
{
    return at <= a->size && len <= a->size - at && memcmp(a->bytes + at, "PK", 2) == 0 &&
           memcmp(a->bytes + at + 2, kind, 2) == 0;
}

bool pf_zip_is(const uint8_t *bytes, size_t len)
{
    const archive a = {bytes, len};
    return has_record(&a, 0, 4, "\3\4") || has_record(&a, 0, 4, "\5\6");
}

/* Folders, and what macOS adds to each file. */
static bool is_no_file(const uint8_t *name, size_t len)
{
    static const char fork[] = "__MACOSX/";
    return (len > 0 && name[len - 1] == '/') || (len >= sizeof fork - 1 && memcmp(name, fork, sizeof fork - 1) == 0);
}

/* Replaces the numbers that do not fit 32 bits by those of the zip64 field, which has only these, in this order. */
static void widen(header *h, const uint8_t *extra, size_t len)
{
    uint64_t *wide[] = {&h->plain, &h->stored, &h->at};
    for (size_t at = 0; at + 4 <= len;) {
        size_t kind = pf_little_number(extra + at, 2), bytes = pf_little_number(extra + at + 2, 2);
        at += 4;
        bytes = bytes < len - at ? bytes : len - at;
        for (size_t i = 0, used = 0; kind == 1 && i < 3; i++) {
            if (*wide[i] == UINT32_MAX && used + 8 <= bytes) {
                *wide[i] = pf_little_number(extra + at + used, 8);
                used += 8;
            }
        }
        at += bytes;
    }
}

/* Fills what the caller found out; refuses what cannot be unpacked. `data`: where the stored bytes begin. */
static pf_status take(pf_zip_member *m, const archive *a, const header *h, uint64_t data, pf_error *err)
{
    if (h->flags & FLAG_ENCRYPTED) {
        return pf_fail(err, PF_ERR_INPUT, "is a zip archive with an encrypted file; unpack it and give the trace");
    }
    switch (h->method) {
    case 0:
        m->kind = PF_CODEC_COPY;
        break;
    case 8:
        m->kind = PF_CODEC_DEFLATE;
        break;
    case 93:
        m->kind = PF_CODEC_ZSTD;
        break;
    default:
        return pf_fail(err, PF_ERR_INPUT,
                       "is a zip archive whose file is packed by method %u, which is not read; unpack it and give the "
                       "trace",
                       h->method);
    }
    uint64_t left = a->size - data;
    m->at = (size_t)data;
    m->len = (size_t)(h->stored < left ? h->stored : left);
    m->crc = h->crc;
    m->plain = h->plain;
    m->stored = h->stored;
    return PF_OK;
}

static pf_status refuse_count(uint64_t files, pf_error *err)
{
    return files == 0 ? pf_fail(err, PF_ERR_INPUT, "is a zip archive without a file; give a trace")
                      : pf_fail(err, PF_ERR_INPUT,
                                "is a zip archive of %llu files, but only an archive of one file is read; unpack it "
                                "and give the trace",
                                (unsigned long long)files);
}

/* The last end record whose comment fits after it. */
static bool find_end(const archive *a, size_t *end)
{
    size_t lowest = a->size > END_BYTES + COMMENT_MAX ? a->size - END_BYTES - COMMENT_MAX : 0;
    for (size_t at = a->size; at-- > lowest;) {
        if (has_record(a, at, END_BYTES, "\5\6") &&
            pf_little_number(a->bytes + at + 20, 2) <= a->size - at - END_BYTES) {
            *end = at;
            return true;
        }
    }
    return false;
}

/* Where the directory begins and ends, by the end record. */
static bool find_directory(const archive *a, size_t end, uint64_t *from, uint64_t *to)
{
    uint64_t bytes = pf_little_number(a->bytes + end + 12, 4);
    *from = pf_little_number(a->bytes + end + 16, 4);
    if (end >= LOCATOR_BYTES && has_record(a, end - LOCATOR_BYTES, LOCATOR_BYTES, "\6\7")) {
        uint64_t at = pf_little_number(a->bytes + end - LOCATOR_BYTES + 8, 8);
        if (has_record(a, at, END64_BYTES, "\6\6")) {
            bytes = pf_little_number(a->bytes + at + 40, 8);
            *from = pf_little_number(a->bytes + at + 48, 8);
        }
    }
    if (*from > end || bytes > end - *from) {
        return false;
    }
    *to = *from + bytes;
    return true;
}

/* Counts the files of the directory; the first one's entry goes to *h. False if it breaks off or makes no sense. */
static bool walk_directory(const archive *a, uint64_t from, uint64_t to, uint64_t *files, header *h)
{
    uint64_t at = from;
    *files = 0;
    while (at < to) {
        if (!has_record(a, at, ENTRY_BYTES, "\1\2")) {
            return false;
        }
        const uint8_t *p = a->bytes + at;
        size_t name = pf_little_number(p + 28, 2), extra = pf_little_number(p + 30, 2),
               comment = pf_little_number(p + 32, 2);
        if (name + extra + comment + ENTRY_BYTES > to - at) {
            return false;
        }
        if (!is_no_file(p + ENTRY_BYTES, name) && (*files)++ == 0) {
            *h = (header){.flags = (unsigned)pf_little_number(p + 8, 2),
                          .method = (unsigned)pf_little_number(p + 10, 2),
                          .crc = (uint32_t)pf_little_number(p + 16, 4),
                          .stored = pf_little_number(p + 20, 4),
                          .plain = pf_little_number(p + 24, 4),
                          .at = pf_little_number(p + 42, 4)};
            widen(h, p + ENTRY_BYTES + name, extra);
        }
        at += ENTRY_BYTES + name + extra + comment;
    }
    return true;
}

/* The header at `at`, with the offset of what follows it; false if there is none. */
static bool local_header(const archive *a, uint64_t at, header *h, bool *no_file, uint64_t *data)
{
    if (!has_record(a, at, LOCAL_BYTES, "\3\4")) {
        return false;
    }
    const uint8_t *p = a->bytes + at;
    size_t name = pf_little_number(p + 26, 2), extra = pf_little_number(p + 28, 2);
    *data = at + LOCAL_BYTES + name + extra;
    if (*data > a->size) {
        return false;
    }
    *h = (header){.flags = (unsigned)pf_little_number(p + 6, 2),
                  .method = (unsigned)pf_little_number(p + 8, 2),
                  .crc = (uint32_t)pf_little_number(p + 14, 4),
                  .stored = pf_little_number(p + 18, 4),
                  .plain = pf_little_number(p + 22, 4)};
    widen(h, p + LOCAL_BYTES + name, extra);
    *no_file = is_no_file(p + LOCAL_BYTES, name);
    return true;
}

static pf_status walk_headers(pf_zip_member *m, const archive *a, pf_error *err)
{
    uint64_t files = 0, at = 0, data = 0, first_data = 0;
    header h, first = {0};
    bool no_file, known = true;
    while (known && local_header(a, at, &h, &no_file, &data)) {
        known = !(h.flags & FLAG_LENGTHS_AFTER) || h.stored > 0;
        if (!no_file && files++ == 0) {
            first = h;
            first_data = data;
            m->checked = !(h.flags & FLAG_LENGTHS_AFTER);
            first.stored = known ? h.stored : UINT64_MAX;
        }
        if (h.stored > a->size - data) {
            break;
        }
        at = data + h.stored;
    }
    if (files == 0) {
        return pf_fail(err, PF_ERR_INPUT, "is a zip archive that is truncated before its first file; get it again");
    }
    return files > 1 ? refuse_count(files, err) : take(m, a, &first, first_data, err);
}

pf_status pf_zip_find(pf_zip_member *m, const uint8_t *zip, size_t size, pf_error *err)
{
    const archive a = {zip, size};
    size_t end = 0;
    uint64_t from = 0, to = 0, files = 0, data = 0;
    header entry = {0}, own;
    bool no_file;
    *m = (pf_zip_member){.fault = PF_CODEC_COMPLETE};
    bool ended = find_end(&a, &end);
    if (!ended || !find_directory(&a, end, &from, &to) || !walk_directory(&a, from, to, &files, &entry)) {
        m->fault = ended ? PF_CODEC_DAMAGED : PF_CODEC_TRUNCATED;
        return walk_headers(m, &a, err);
    }
    if (files != 1) {
        return refuse_count(files, err);
    }
    if (!local_header(&a, entry.at, &own, &no_file, &data)) {
        m->fault = PF_CODEC_DAMAGED;
        return walk_headers(m, &a, err);
    }
    m->checked = true;
    return take(m, &a, &entry, data, err);
}
