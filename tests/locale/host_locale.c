/* host_locale.c - makes the program that it is preloaded into a host with a locale of its own: the one that the
 * environment variable HOST_LOCALE names. HOST_POINT is the decimal point that it must have; see run.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void take_locale(void)
{
    const char *name = getenv("HOST_LOCALE"), *point = getenv("HOST_POINT");
    if (name && (!setlocale(LC_ALL, name) || !point || strcmp(localeconv()->decimal_point, point) != 0)) {
        fprintf(stderr, "the locale %s is not there or has another decimal point\n", name);
        _exit(99);
    }
}
