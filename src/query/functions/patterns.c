/* query/functions/patterns.c - functions of regular expressions.
 *
 *     regexp(pattern, text[, flags])                      whether it is found; also: text REGEXP pattern
 *     regexp_extract(text, pattern)                       the first match, or its group
 *     regexp_replace_simple(text, pattern, replacement)   all matches replaced; \1 stands for a group
 */
#include <stdio.h>

#include "query/functions/regexp.h"
#include "query/session/memory.h"

/* A call: what it has to do, and the first thing that went wrong. */
typedef struct call {
    sqlite3_context *ctx;
    pf_regexp *re;
    pf_str text, with;
    char problem[PF_REGEXP_PROBLEM];
} call;

static bool find(call *c)
{
    int found = pf_regexp_find(c->re, c->text, 0, c->problem);
    if (found >= 0) {
        sqlite3_result_int(c->ctx, found);
    }
    return found >= 0;
}

/* Of a pattern without a group, or whose group took no part, the whole match. */
static bool extract(call *c)
{
    size_t groups = pf_regexp_groups(c->re);
    int found = pf_regexp_find(c->re, c->text, 0, c->problem);
    if (found > 0 && groups > 1) {
        snprintf(c->problem, sizeof c->problem, "the pattern has more than one group; write (?:...) for the others");
        return false;
    }
    if (found > 0) {
        pf_str group = groups ? pf_regexp_group(c->re, c->text, 1) : PF_STR("");
        pf_str part = group.len ? group : pf_regexp_group(c->re, c->text, 0);
        sqlite3_result_text64(c->ctx, part.ptr, part.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    return found >= 0;
}

/* What stands for a match: \0 to \9 are its groups, \\ is one \; any other \ ends it. */
static void put_replacement(const call *c, pf_buffer *out)
{
    for (size_t i = 0; i < c->with.len; i++) {
        bool escaped = c->with.ptr[i] == '\\';
        i += escaped;
        if (escaped && (i == c->with.len || (c->with.ptr[i] != '\\' && !pf_is_digit(c->with.ptr[i])))) {
            return;
        }
        bool group = escaped && c->with.ptr[i] != '\\';
        pf_str part =
            group ? pf_regexp_group(c->re, c->text, (size_t)(c->with.ptr[i] - '0')) : (pf_str){c->with.ptr + i, 1};
        pf_buffer_put(out, part.ptr, part.len);
    }
}

static bool names_unknown_group(const call *c)
{
    for (size_t i = 0; i + 1 < c->with.len; i++) {
        if (c->with.ptr[i] == '\\') {
            i++;
            if (pf_is_digit(c->with.ptr[i]) && (size_t)(c->with.ptr[i] - '0') > pf_regexp_groups(c->re)) {
                return true;
            }
        }
    }
    return false;
}

/* One match at or after *at, and what stands before it. An empty one where another ended at *last is a character of
 * the text. 1, 0 where there is none, or -1. */
static int replace_one(call *c, pf_buffer *out, size_t *at, size_t *last)
{
    int found = pf_regexp_find(c->re, c->text, *at, c->problem);
    pf_str match = found > 0 ? pf_regexp_group(c->re, c->text, 0) : PF_STR("");
    if (found <= 0 || match.ptr < c->text.ptr + *at) { /* \K may put its beginning anywhere */
        return found < 0 ? -1 : 0;
    }
    size_t begin = (size_t)(match.ptr - c->text.ptr), end = begin + match.len;
    pf_buffer_put(out, c->text.ptr + *at, begin - *at);
    if (match.len > 0 || begin != *last) {
        put_replacement(c, out);
        *at = *last = end;
        return 1;
    }
    for (end += end < c->text.len; end < c->text.len && ((unsigned char)c->text.ptr[end] & 0xc0) == 0x80;) {
        end++;
    }
    pf_buffer_put(out, c->text.ptr + begin, end - begin);
    *at = end;
    return end > begin;
}

static bool replace(call *c)
{
    pf_buffer out = {0};
    size_t at = 0, last = SIZE_MAX;
    int found = !names_unknown_group(c);
    while (found > 0 && !out.failed) {
        found = pf_sql_affords(pf_sql_session(c->ctx), out.len) ? replace_one(c, &out, &at, &last) : -1;
    }
    pf_buffer_put(&out, c->text.ptr + at, c->text.len - at);
    if (out.failed) {
        sqlite3_result_error_nomem(c->ctx);
    } else if (found >= 0) {
        sqlite3_result_text64(c->ctx, out.data ? out.data : "", out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    pf_buffer_free(&out);
    return found >= 0;
}

enum { FIND, EXTRACT, REPLACE };

static void free_regexp(void *re)
{
    pf_regexp_free(re);
}

/* 'i': A and a are the same; 'c': they are not; the last one counts. */
static bool read_flags(call *c, pf_str flags, bool *caseless)
{
    for (size_t i = 0; i < flags.len; i++) {
        *caseless = flags.ptr[i] == 'i';
        if (!*caseless && flags.ptr[i] != 'c') {
            snprintf(c->problem, sizeof c->problem, "the flags are 'i' and 'c'");
            return false;
        }
    }
    return true;
}

/* A pattern that stays the same is compiled once per statement. */
static void pattern_call(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static bool (*const WORK[])(call *) = {[FIND] = find, [EXTRACT] = extract, [REPLACE] = replace};
    size_t which = pf_sql_which(ctx);
    int pattern = which != FIND;
    call c = {.ctx = ctx, .text = pf_sql_text_of(argv[!pattern])};
    bool caseless = false, fine = argc == 2 || which == REPLACE || read_flags(&c, pf_sql_text_of(argv[2]), &caseless);
    c.with = argc == 3 ? pf_sql_text_of(argv[2]) : PF_STR("");
    c.re = fine ? sqlite3_get_auxdata(ctx, pattern) : NULL;
    bool fresh = fine && (!c.re || pf_regexp_is_caseless(c.re) != caseless);
    if (fresh) {
        c.re = pf_regexp_new(pf_sql_text_of(argv[pattern]), caseless, c.problem);
    }
    if (!c.re || !WORK[which](&c)) {
        char words[PF_REGEXP_PROBLEM + 16];
        snprintf(words, sizeof words, "regexp: %s", c.problem);
        sqlite3_result_error(ctx, words, -1);
    }
    if (fresh && c.re) {
        sqlite3_set_auxdata(ctx, pattern, c.re, free_regexp);
    }
}

int pf_sql_add_patterns(pf_query *q)
{
    static const pf_sql_call CALLS[] = {
        {"regexp", 2, pattern_call, .strict = true, .intrinsic = true, .which = FIND},
        {"regexp", 3, pattern_call, .strict = true, .which = FIND},
        {"__intrinsic_regexp_with_flags", 3, pattern_call, .strict = true, .which = FIND},
        {"regexp_extract", 2, pattern_call, .strict = true, .intrinsic = true, .which = EXTRACT},
        {"regexp_replace_simple", 3, pattern_call, .strict = true, .intrinsic = true, .which = REPLACE},
    };
    return pf_sql_add_calls(q, CALLS, sizeof CALLS / sizeof *CALLS);
}
