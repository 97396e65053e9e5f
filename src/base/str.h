/* base/str.h - pf_str, made and compared. */
#pragma once

#include <string.h>

#include "postfetto/base.h"

static inline pf_str pf_str_of(const char *s)
{
    return (pf_str){s, strlen(s)};
}

static inline bool pf_str_equal(pf_str a, pf_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool pf_str_is(pf_str s, const char *text)
{
    return pf_str_equal(s, pf_str_of(text));
}

static inline bool pf_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool pf_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool pf_is_alnum(char c)
{
    return pf_is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* What a hexadecimal digit stands for; 16: it is none. */
static inline unsigned pf_hex_value(char c)
{
    char small = (char)(c | 32);
    return pf_is_digit(c) ? (unsigned)(c - '0') : small >= 'a' && small <= 'f' ? (unsigned)(small - 'a' + 10) : 16;
}

/* ASCII alone, whatever the locale. */
static inline char pf_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Whether two names are one where case does not count, as in SQL. */
static inline bool pf_is_same_name(const char *a, const char *b)
{
    for (; *a && pf_lower(*a) == pf_lower(*b); a++, b++) {
    }
    return pf_lower(*a) == pf_lower(*b);
}

/* The part from `at` on. */
static inline pf_str pf_str_from(pf_str s, size_t at)
{
    return (pf_str){s.ptr + at, s.len - at};
}

static inline pf_str pf_str_trim(pf_str s)
{
    while (s.len && pf_is_blank(s.ptr[0])) {
        s = pf_str_from(s, 1);
    }
    while (s.len && pf_is_blank(s.ptr[s.len - 1])) {
        s.len--;
    }
    return s;
}

/* Where `part` begins in s, or SIZE_MAX. */
static inline size_t pf_str_find(pf_str s, pf_str part)
{
    if (part.len == 0 || part.len > s.len) {
        return part.len ? SIZE_MAX : 0;
    }
    const char *found = memmem(s.ptr, s.len, part.ptr, part.len);
    return found ? (size_t)(found - s.ptr) : SIZE_MAX;
}

/* Whether the text is a word in small letters, whatever the case of its own is. */
static inline bool pf_str_is_word(pf_str s, const char *word)
{
    size_t i = 0;
    while (i < s.len && word[i] && pf_lower(s.ptr[i]) == word[i]) {
        i++;
    }
    return i == s.len && !word[i];
}

/* Whether it has the word in it. */
static inline bool pf_str_has_word(pf_str s, const char *word)
{
    size_t len = strlen(word), i = 0;
    while (i + len <= s.len && !pf_str_is_word((pf_str){s.ptr + i, len}, word)) {
        i++;
    }
    return i + len <= s.len;
}

static inline bool pf_str_starts(pf_str s, pf_str prefix)
{
    return s.len >= prefix.len && pf_str_equal((pf_str){s.ptr, prefix.len}, prefix);
}

static inline bool pf_str_ends(pf_str s, pf_str suffix)
{
    return s.len >= suffix.len && pf_str_equal((pf_str){s.ptr + s.len - suffix.len, suffix.len}, suffix);
}

/* The text without what colours it in a terminal (ESC [ parameters letter), as far as there is room; its length. */
static inline size_t pf_str_without_colours(pf_str s, char *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len && n < room; i++) {
        if (s.ptr[i] == '\x1b' && i + 1 < s.len && s.ptr[i + 1] == '[') {
            for (i += 2; i < s.len && (s.ptr[i] < '@' || s.ptr[i] > '~'); i++) {
            }
        } else {
            out[n++] = s.ptr[i];
        }
    }
    return n;
}

/* Less than, equal to or greater than 0: by bytes, then by length. */
static inline int pf_str_compare(pf_str a, pf_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}
