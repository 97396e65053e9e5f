/* Hashes of inputs, made in a thread or when they are asked for.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "cli/pass/pass.h"
#include "postfetto/read.h"
#include "scratch.h"

TestSuite(input_hashes, .init = scratch_enter, .fini = scratch_leave);

Test(input_hashes, of_every_input)
{
    static const char *const texts[] = {"[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"pid\":1,\"tid\":1}]",
                                        "[{\"ph\":\"i\",\"name\":\"b\",\"ts\":1,\"pid\":1,\"tid\":1}]\n"};
    static const char *const paths[] = {"a.json", "b.json"};
    pf_read_options o = pf_read_options_default();
    pf_error err = {0};
    pf_trace *t = NULL;
    scratch_write(paths[0], texts[0]);
    scratch_write(paths[1], texts[1]);
    cr_assert_eq(pf_read(paths, 2, &o, &t, &err), PF_OK, "%s", err.text);
    for (int threaded = 0; threaded < 2; threaded++) {
        pf_cli_hashes *h = pf_cli_hashes_start(t, threaded);
        cr_assert_not_null(h);
        for (size_t k = 4; k-- > 0;) { /* in any order, also twice */
            XXH128_hash_t whole = XXH3_128bits(texts[k % 2], strlen(texts[k % 2]));
            char expected[33];
            snprintf(expected, sizeof expected, "%016" PRIx64 "%016" PRIx64, (uint64_t)whole.high64,
                     (uint64_t)whole.low64);
            cr_expect_str_eq(pf_cli_hashes_at(h, k % 2), expected);
        }
        pf_cli_hashes_free(h);
        pf_cli_hashes_free(pf_cli_hashes_start(t, threaded)); /* asked for by nobody */
    }
    pf_cli_hashes_free(NULL);
    pf_trace_free(t);
}
