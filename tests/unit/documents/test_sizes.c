/* test_sizes.c - structs of callers that were compiled with an older or a newer release: what they do not know has its
 * default, and nothing is written beyond what they have room for. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/sized.h"
#include "postfetto/document.h"
#include "postfetto/read.h"
#include "postfetto/write.h"

#define GUARD 0x5a

/* A struct of the caller's with bytes after it that nobody may write. */
typedef union boxed {
    pf_parse_limits limits;
    pf_read_options read;
    pf_write_options write;
    unsigned char bytes[1024];
} boxed;

static bool is_guarded(const boxed *b, size_t from)
{
    for (size_t i = from; i < sizeof b->bytes; i++) {
        if (b->bytes[i] != GUARD) {
            return false;
        }
    }
    return true;
}

Test(sizes, a_shorter_struct_is_filled_to_its_end)
{
    boxed b;
    const size_t shorter = offsetof(pf_parse_limits, memory);
    memset(&b, GUARD, sizeof b);
    pf_parse_limits_init(&b.limits, shorter);
    cr_expect(is_guarded(&b, shorter));
    cr_expect_eq(b.limits.size, shorter);
    cr_expect_eq(b.limits.nodes, 1u << 24);
    memset(&b, GUARD, sizeof b);
    pf_read_options_init(&b.read, offsetof(pf_read_options, settings));
    cr_expect(is_guarded(&b, offsetof(pf_read_options, settings)));
    memset(&b, GUARD, sizeof b);
    pf_write_options_init(&b.write, offsetof(pf_write_options, gzip));
    cr_expect(is_guarded(&b, offsetof(pf_write_options, gzip)) && b.write.sync);
}

Test(sizes, a_longer_struct_has_zeros_at_its_end)
{
    boxed b;
    memset(&b, GUARD, sizeof b);
    pf_write_options_init(&b.write, sizeof b.write + 16);
    cr_expect(is_guarded(&b, sizeof b.write + 16));
    for (size_t i = sizeof b.write; i < sizeof b.write + 16; i++) {
        cr_expect_eq(b.bytes[i], 0);
    }
}

/* Refused by the limit of depth alone, where it counts. */
static pf_status parse(const pf_parse_limits *limits)
{
    pf_document *d = NULL;
    pf_error err;
    pf_status st = pf_json_parse(PF_STR("[[[[1]]]]"), limits, &d, &err);
    pf_document_free(d);
    return st;
}

Test(sizes, members_beyond_the_size_are_defaults)
{
    pf_parse_limits limits = pf_parse_limits_default();
    cr_expect_eq(limits.size, sizeof limits);
    limits.depth = 2;
    cr_expect_eq(parse(&limits), PF_ERR_LIMIT);
    limits.size = offsetof(pf_parse_limits, depth);
    cr_expect_eq(parse(&limits), PF_OK, "depth was not there yet");
    limits.size = 0;
    cr_expect_eq(parse(&limits), PF_ERR_LIMIT, "0 is the first release, which had it");
}
