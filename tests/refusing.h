/* refusing.h - allocators that refuse the n-th request: for programs that are linked with --wrap for each of them
 * (tests/CMakeLists.txt). Include it in one file of a program.
 */
#ifndef PF_TESTS_REFUSING_H
#define PF_TESTS_REFUSING_H

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static atomic_uint asked;  /* requests so far */
static unsigned refuse_at; /* 0: none */

static inline bool refuses(void)
{
    if (atomic_fetch_add(&asked, 1) + 1 != refuse_at) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

/* Whether the next refusal is one of those to try: all are, or with POSTFETTO_SHARE=N one of N, by POSTFETTO_SEED; all
 * with POSTFETTO_LONG=1. */
static inline bool is_chosen(void)
{
    static unsigned long turn;
    const char *share = getenv("POSTFETTO_SHARE"), *seed = getenv("POSTFETTO_SEED"), *all = getenv("POSTFETTO_LONG");
    if (!share || (all && strcmp(all, "1") == 0)) {
        return true;
    }
    return (turn++ + strtoul(seed ? seed : "0", NULL, 10)) % strtoul(share, NULL, 10) == 0;
}

void *__wrap_malloc(size_t size)
{
    return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return refuses() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
    return refuses() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return refuses() ? NULL : __real_strndup(s, n);
}

int __wrap_asprintf(char **out, const char *format, ...)
{
    if (refuses()) {
        return -1;
    }
    va_list list;
    va_start(list, format);
    int n = vasprintf(out, format, list);
    va_end(list);
    return n;
}

#endif
