/* shared.h - where tests in C find the shared corpus: in the folder that the environment variable POSTFETTO_SHARED
 * names (an absolute path), else in `shared` next to the repository. A test that needs what is not there is skipped,
 * and with POSTFETTO_REQUIRE_SHARED=1 it fails. tests/shared.sh is the same for tests in bash.
 */
#ifndef PF_TESTS_SHARED_H
#define PF_TESTS_SHARED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline const char *shared_folder(void)
{
    const char *folder = getenv("POSTFETTO_SHARED");
    return folder && *folder ? folder : PF_SHARED_DEFAULT;
}

static inline bool shared_required(void)
{
    const char *value = getenv("POSTFETTO_REQUIRE_SHARED");
    return value && strcmp(value, "1") == 0;
}

/* For Criterion programs: ends the test as skipped, or as failed where the corpus is required. */
#define SKIP_WITHOUT_CORPUS()                                                                                          \
    do {                                                                                                               \
        cr_assert(!shared_required(), "no corpus in %s, and POSTFETTO_REQUIRE_SHARED is set", shared_folder());        \
        cr_skip_test("no corpus in %s", shared_folder());                                                              \
    } while (0)

#endif
