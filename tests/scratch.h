/* scratch.h - a folder of its own for each test of a Criterion suite, which is also the test's current one:
 *
 *     TestSuite(files, .init = scratch_enter, .fini = scratch_leave);
 */
#ifndef PF_TESTS_SCRATCH_H
#define PF_TESTS_SCRATCH_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch_folder[64];

/* Below /var/tmp, for instance, which unlike /tmp is not in memory. */
static inline void scratch_enter_below(const char *parent)
{
    snprintf(scratch_folder, sizeof scratch_folder, "%s/postfetto-test-XXXXXX", parent);
    cr_assert_not_null(mkdtemp(scratch_folder));
    cr_assert_eq(chdir(scratch_folder), 0);
}

static inline void scratch_enter(void)
{
    scratch_enter_below("/tmp");
}

static inline void scratch_leave(void)
{
    char command[sizeof scratch_folder + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    cr_assert_eq(system(command), 0);
}

/* A new file in it. */
static inline void scratch_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

#endif
