/* Files that are no traces, as bytes: plain and packed ones of any size, damage, and limits. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "postfetto/postfetto.h"
#include "scratch.h"

TestSuite(read_bytes, .init = scratch_enter, .fini = scratch_leave);

static char content_at(size_t i)
{
    return (char)(i * 7 + i / 251);
}

/* A file of that content, or of zeros; returns how long it is. */
static size_t write_file(const char *path, size_t len, bool packed, bool zeros)
{
    char *bytes = calloc(1, len + 1);
    for (size_t i = 0; i < len && !zeros; i++) {
        bytes[i] = content_at(i);
    }
    if (packed) {
        gzFile z = gzopen(path, "wb6");
        cr_assert_eq((size_t)gzwrite(z, bytes, (unsigned)len), len);
        cr_assert_eq(gzclose(z), Z_OK);
    } else {
        FILE *f = fopen(path, "wb");
        cr_assert_eq(fwrite(bytes, 1, len, f), len);
        cr_assert_eq(fclose(f), 0);
    }
    free(bytes);
    FILE *f = fopen(path, "rb");
    cr_assert_eq(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    fclose(f);
    return (size_t)size;
}

Test(read_bytes, of_any_size_plain_or_packed)
{
    static const size_t sizes[] = {0, 1, 1000, 65534, 65535, 65536, 65537, 131071, 131072, 300000};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        size_t want = sizes[i / 2], len = 1;
        char *bytes = NULL;
        pf_error err = {0};
        bool packed = i % 2;
        write_file("f", want, packed, false);
        cr_assert_eq(pf_read_bytes("f", NULL, &bytes, &len, &err), PF_OK, "%zu: %s", want, err.text);
        cr_expect_eq(len, want, "packed %d", packed);
        bool same = true;
        for (size_t k = 0; k < len; k++) {
            same &= bytes[k] == content_at(k);
        }
        cr_expect(same, "%zu bytes, packed %d", want, packed);
        cr_expect_eq(bytes[len], 0);
        free(bytes);
    }
}

static void expect_refused(const pf_limits *limits, pf_status status, const char *text)
{
    char *bytes = (char *)"";
    size_t len = 1;
    pf_error err = {0};
    cr_expect_eq(pf_read_bytes("f", limits, &bytes, &len, &err), status);
    cr_expect_str_eq(err.text, text);
    cr_expect_null(bytes);
    cr_expect_eq(len, 0);
}

Test(read_bytes, damage)
{
    size_t size = write_file("whole", 100000, true, false);
    char *packed = malloc(size);
    FILE *f = fopen("whole", "rb");
    cr_assert_eq(fread(packed, 1, size, f), size);
    fclose(f);
    packed[size - 5] ^= 1; /* the check value of the content */
    for (int cut = 0; cut <= 1; cut++) {
        f = fopen("f", "wb");
        cr_assert_eq(fwrite(packed, 1, cut ? size / 2 : size, f), cut ? size / 2 : size);
        fclose(f);
        expect_refused(NULL, PF_ERR_INPUT, "the gzip data is damaged or truncated; make the file once more");
    }
    free(packed);
}

Test(read_bytes, limits)
{
    pf_limits l = pf_limits_default();
    char *bytes = NULL;
    size_t len = 0;
    pf_error err = {0};
    write_file("f", 200000, true, false);
    l.plain = 199999;
    expect_refused(&l, PF_ERR_LIMIT, "more than 199999 bytes after decompression; raise --max-plain");
    l.plain = 200000;
    cr_expect_eq(pf_read_bytes("f", &l, &bytes, &len, &err), PF_OK, "%s", err.text);
    free(bytes);
    l = pf_limits_default();
    l.memory = 199999;
    expect_refused(&l, PF_ERR_LIMIT, "more than 199999 bytes after decompression; raise --max-memory");
    size_t stored = write_file("f", 70u << 20, true, true);
    l = pf_limits_default();
    l.ratio = 50;
    cr_assert_lt(stored, (64u << 20) / l.ratio);
    expect_refused(&l, PF_ERR_LIMIT,
                   "decompresses to more than 50 times its size; raise --max-ratio if it is meant to");
    l.ratio = 0;
    cr_expect_eq(pf_read_bytes("f", &l, &bytes, &len, &err), PF_OK, "%s", err.text);
    cr_expect_eq(len, 70u << 20);
    free(bytes);
}
