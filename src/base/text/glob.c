/* base/text/glob.c - matches without recursion: a star first stands for nothing, and whenever the rest does not fit,
 * the last star takes one byte more. Earlier stars never need another try, so the time is at most pattern times name.
 */
#include "base/text/glob.h"

#include <stddef.h>

/* Reads the set after a [; the place after its ], or NULL if there is none. */
static const char *take_set(const char *p, unsigned char byte, bool *fits)
{
    bool negated = *p == '!' || *p == '^', found = false;
    p += negated;
    for (bool first = true; *p && (first || *p != ']'); first = false) {
        p += *p == '\\' && p[1];
        unsigned char from = (unsigned char)*p++, to = from;
        if (*p == '-' && p[1] && p[1] != ']') {
            p++;
            p += *p == '\\' && p[1];
            to = (unsigned char)*p++;
        }
        found = found || (byte >= from && byte <= to);
    }
    *fits = found != negated;
    return *p ? p + 1 : NULL;
}

/* The place after the pattern's next element if that takes the byte, else NULL. */
static const char *take_one(const char *p, char byte)
{
    bool fits;
    if (*p == '[') {
        const char *end = take_set(p + 1, (unsigned char)byte, &fits);
        if (end) {
            return fits ? end : NULL;
        }
    } else if (*p == '?') {
        return p + 1;
    } else if (*p == '\\' && p[1]) {
        p++;
    }
    return *p && *p == byte ? p + 1 : NULL;
}

bool pf_glob_fits(const char *pattern, const char *name)
{
    const char *star = NULL, *rest = NULL; /* the pattern after the last star, the name from where that is tried */
    while (*name) {
        const char *next = *pattern == '*' ? NULL : take_one(pattern, *name);
        if (*pattern == '*') {
            star = ++pattern;
            rest = name;
        } else if (next) {
            pattern = next;
            name++;
        } else if (star) {
            pattern = star;
            name = ++rest;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}
