/* canary.c - a test that passes and leaks, and one that overflows. Criterion runs tests in forked workers whose exit
 * status hides what the leak sanitizer found; only its report file tells. The sanitizer run is trusted after it has
 * found both. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>

Test(canary, leaks)
{
    char *volatile leaked = malloc(4711);
    cr_assert_not_null(leaked);
    leaked = NULL;
}

Test(canary, overflows)
{
    volatile int number = INT_MAX;
    number = number + 1;
}
