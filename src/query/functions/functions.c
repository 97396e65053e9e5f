/* query/functions/functions.c - Perfetto's scalar functions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/session/session.h"
#include "wire/writer.h"

static void fail(sqlite3_context *ctx, const pf_error *err)
{
    pf_sql_session(ctx)->failure = *err;
    sqlite3_result_error(ctx, err->text, -1);
}

static void wrong(sqlite3_context *ctx, const char *text)
{
    sqlite3_result_error(ctx, text, -1);
}

enum { START, END, LENGTH };

static void trace_bound(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t start, end;
    pf_trace_bounds(pf_sql_session(ctx)->data.trace, &start, &end);
    const int64_t results[] = {[START] = start, [END] = end, [LENGTH] = (int64_t)((uint64_t)end - (uint64_t)start)};
    sqlite3_result_int64(ctx, results[pf_sql_which(ctx)]);
}

uint32_t pf_sql_find_arg(const pf_query *q, int64_t set, pf_str key)
{
    static const pf_str JSON = {"args.", 5}, BINARY = {"debug.", 6};
    uint32_t row = pf_arg_find(&q->data.args, set, key);
    bool json = pf_str_starts(key, JSON);
    if (row != PF_NONE || (!json && !pf_str_starts(key, BINARY))) {
        return row;
    }
    char other[256];
    pf_str prefix = json ? BINARY : JSON, rest = pf_arg_plain_key(key);
    if (prefix.len + rest.len > sizeof other) {
        return PF_NONE;
    }
    memcpy(other, prefix.ptr, prefix.len);
    memcpy(other + prefix.len, rest.ptr, rest.len);
    return pf_arg_find(&q->data.args, set, (pf_str){other, prefix.len + rest.len});
}

static void extract_arg(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_query *q = pf_sql_session(ctx);
    pf_error err = {0};
    int type = sqlite3_value_type(argv[0]);
    if (type == SQLITE_NULL) {
        return;
    }
    if (type != SQLITE_INTEGER || sqlite3_value_type(argv[1]) != SQLITE_TEXT) {
        wrong(ctx, "extract_arg needs an arg_set_id (an integer) and a key (a text)");
        return;
    }
    int64_t set = sqlite3_value_int64(argv[0]);
    if (set >= (int64_t)q->data.args.count &&
        pf_data_load(&q->data, pf_data_find(&q->data, PF_STR("args")), &err) != PF_OK) {
        fail(ctx, &err);
        return;
    }
    uint32_t row = pf_sql_find_arg(q, set, pf_sql_text_of(argv[1]));
    if (row != PF_NONE) {
        pf_query_cell cell = pf_arg_cell(&q->data.args, row);
        pf_sql_result(ctx, &cell, SQLITE_STATIC);
    }
}

/* The first value under a name: of all, of a machine, of a trace. */
static void extract_metadata(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const OF[] = {"", " AND machine_id = ?2", " AND trace_id = ?2"};
    char sql[160];
    sqlite3_stmt *stmt = NULL;
    snprintf(sql, sizeof sql, "SELECT ifnull(str_value, int_value) FROM main.metadata WHERE name = ?1%s LIMIT 1",
             OF[pf_sql_which(ctx)]);
    int rc = sqlite3_prepare_v2(pf_sql_session(ctx)->db, sql, -1, &stmt, NULL);
    for (int i = 0; i < argc && rc == SQLITE_OK; i++) {
        rc = sqlite3_bind_value(stmt, i + 1, argv[argc - 1 - i]);
    }
    rc = rc == SQLITE_OK ? sqlite3_step(stmt) : rc;
    if (rc == SQLITE_ROW) {
        sqlite3_result_value(ctx, sqlite3_column_value(stmt, 0));
    } else if (rc != SQLITE_DONE) {
        sqlite3_result_error_code(ctx, rc);
    }
    sqlite3_finalize(stmt);
}

/* NULL if one of the slices does not exist. */
static void slice_is_ancestor(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const pf_slices *s = pf_trace_slices(pf_sql_session(ctx)->data.trace);
    int64_t ancestor = sqlite3_value_int64(argv[0]), slice = sqlite3_value_int64(argv[1]);
    if (ancestor < 0 || slice < 0 || ancestor >= (int64_t)s->count || slice >= (int64_t)s->count) {
        return;
    }
    uint32_t at = s->parent[slice];
    while (at != PF_NONE && at > (uint32_t)ancestor) { /* a parent comes before its children */
        at = s->parent[at];
    }
    sqlite3_result_int(ctx, at == (uint32_t)ancestor);
}

/* Where hexadecimal digits may begin: at the start of the text, after a sign or "0x", and with a digit of ten. They
 * become "<num>" if there are enough of them, and one is a digit of ten or "0x" stands before. */
static void strip_hex(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_str s = pf_sql_text_of(argv[0]);
    int64_t least = sqlite3_value_int64(argv[1]);
    pf_buffer out = {0};
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT || sqlite3_value_type(argv[1]) != SQLITE_INTEGER || least < 0) {
        wrong(ctx, "__intrinsic_strip_hex needs a text and the least number of digits (an integer from 0 on)");
        return;
    }
    for (size_t at = 0; at < s.len;) {
        char c = s.ptr[at];
        bool counts = at > 0 && (c | 32) == 'x' && s.ptr[at - 1] == '0', sign = counts || !pf_is_alnum(c);
        bool digits = pf_is_digit(c) || (at == 0 && pf_hex_value(c) < 16);
        size_t start = at + !digits, end = start;
        for (; (digits || sign) && end < s.len && pf_hex_value(s.ptr[end]) < 16; end++) {
            counts |= pf_is_digit(s.ptr[end]);
        }
        bool strips = counts && end - start >= (uint64_t)least;
        pf_buffer_put(&out, s.ptr + at, (strips ? start : end) - at);
        pf_buffer_text(&out, strips ? "<num>" : "");
        at = end;
    }
    if (out.failed) {
        sqlite3_result_error_nomem(ctx);
    } else {
        sqlite3_result_text64(ctx, out.data ? out.data : "", out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    pf_buffer_free(&out);
}

/* The n-th part of a text, counted from 0; NULL where there is none. */
static void str_split(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_str text = pf_sql_text_of(argv[0]), delimiter = pf_sql_text_of(argv[1]);
    if (sqlite3_value_type(argv[1]) != SQLITE_TEXT || delimiter.len == 0) {
        wrong(ctx, "str_split needs a delimiter (a text that is not empty)");
        return;
    }
    int64_t field = sqlite3_value_int64(argv[2]);
    if (sqlite3_value_type(argv[2]) != SQLITE_INTEGER || field < 0) {
        wrong(ctx, "str_split needs the number of a field (an integer from 0 on)");
        return;
    }
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) {
        return;
    }
    for (;; field--) {
        size_t found = pf_str_find(text, delimiter), len = found < text.len ? found : text.len;
        if (field == 0) {
            sqlite3_result_text64(ctx, text.ptr, len, SQLITE_TRANSIENT, SQLITE_UTF8);
            return;
        }
        if (found == SIZE_MAX) {
            return;
        }
        text = pf_str_from(text, len + delimiter.len);
    }
}

static void reverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_str s = pf_sql_text_of(argv[0]);
    char *out = sqlite3_malloc64(s.len + 1);
    if (!out) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    /* By characters: the bytes after a leading byte stay after it. */
    for (size_t at = 0; at < s.len;) {
        size_t end = at + 1;
        while (end < s.len && ((unsigned char)s.ptr[end] & 0xc0) == 0x80) {
            end++;
        }
        memcpy(out + s.len - end, s.ptr + at, end - at);
        at = end;
    }
    sqlite3_result_text64(ctx, out, s.len, sqlite3_free, SQLITE_UTF8);
}

/* Hexadecimal text to an integer, as Perfetto has it; "0x" may stand in front. */
static void unhex(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_str s = pf_sql_text_of(argv[0]);
    uint64_t value = 0;
    size_t at = s.len > 2 && s.ptr[0] == '0' && (s.ptr[1] | 32) == 'x' ? 2 : 0;
    bool good = at < s.len;
    for (; at < s.len && good; at++) {
        unsigned digit = pf_hex_value(s.ptr[at]);
        good = digit < 16 && value <= INT64_MAX >> 4;
        value = value << 4 | (digit & 15);
    }
    if (good) {
        sqlite3_result_int64(ctx, (int64_t)value);
    } else {
        wrong(ctx, "unhex needs a hexadecimal number below 2^63");
    }
}

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64_encode(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_buffer out = {0};
    pf_buffer_base64(&out, sqlite3_value_blob(argv[0]), (size_t)sqlite3_value_bytes(argv[0]));
    if (out.failed) {
        sqlite3_result_error_nomem(ctx);
    } else {
        sqlite3_result_text64(ctx, out.data ? out.data : "", out.len, SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    pf_buffer_free(&out);
}

/* The padding may be missing. */
static void base64_decode(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_str s = pf_sql_text_of(argv[0]);
    while (s.len && s.ptr[s.len - 1] == '=') {
        s.len--;
    }
    unsigned char *out = sqlite3_malloc64(s.len / 4 * 3 + 4);
    if (!out) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    uint32_t bits = 0;
    size_t n = 0;
    bool good = s.len % 4 != 1;
    for (size_t i = 0; i < s.len && good; i++) {
        const char *digit = s.ptr[i] ? strchr(BASE64, s.ptr[i]) : NULL;
        good = digit != NULL;
        bits = bits << 6 | (uint32_t)(good ? digit - BASE64 : 0);
        if (i % 4 != 0) {
            out[n++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
        }
    }
    if (good) {
        sqlite3_result_blob64(ctx, out, n, sqlite3_free);
    } else {
        sqlite3_free(out);
        wrong(ctx, "base64_decode needs base64 text");
    }
}

/* hh:mm:ss and nine digits of nanoseconds in groups. */
static void to_timecode(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t ts = sqlite3_value_int64(argv[0]), s = ts / 1000000000, ns = ts % 1000000000;
    char *text = sqlite3_mprintf("%02lld:%02lld:%02lld %03lld %03lld %03lld", s / 3600, s / 60 % 60, s % 60,
                                 ns / 1000000, ns / 1000 % 1000, ns % 1000);
    sqlite3_result_text(ctx, text, -1, sqlite3_free);
}

static void demangle(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    char *text = pf_demangle(&pf_sql_session(ctx)->demangler, pf_sql_text_of(argv[0]));
    if (text) {
        sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
    }
    free(text);
}

/* FNV-1a in 64 bits, over integers as eight bytes, the lowest first, and strings. */
static void hash(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < argc; i++) {
        int type = sqlite3_value_type(argv[i]);
        uint64_t number = (uint64_t)sqlite3_value_int64(argv[i]);
        uint8_t bytes[8];
        for (unsigned k = 0; k < 8; k++) {
            bytes[k] = (uint8_t)(number >> 8 * k);
        }
        pf_str s = type == SQLITE_TEXT ? pf_sql_text_of(argv[i]) : (pf_str){(const char *)bytes, sizeof bytes};
        if (type != SQLITE_TEXT && type != SQLITE_INTEGER) {
            wrong(ctx, "hash takes integers and strings");
            return;
        }
        for (size_t k = 0; k < s.len; k++) {
            h = (h ^ (uint8_t)s.ptr[k]) * 0x100000001b3u;
        }
    }
    sqlite3_result_int64(ctx, (int64_t)h);
}

/* A frame of a stack as a message: a field 1 with a name in its field 1. */
static void put_frame(pf_buffer *out, pf_str name)
{
    uint8_t inner[1 + PF_VARINT_MAX] = {0x0a}, outer[1 + PF_VARINT_MAX] = {0x0a};
    size_t inner_len = (size_t)(pf_store_varint(inner + 1, name.len) - inner);
    size_t outer_len = (size_t)(pf_store_varint(outer + 1, inner_len + name.len) - outer);
    pf_buffer_put(out, outer, outer_len);
    pf_buffer_put(out, inner, inner_len);
    pf_buffer_put(out, name.ptr, name.len);
}

/* Names and stacks, from the root on, as one stack, which begins with the last of them; NULLs are left out. */
static void cat_stacks(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    pf_buffer out = {0};
    bool any = false;
    for (int i = argc; i-- > 0;) {
        int type = sqlite3_value_type(argv[i]);
        if (type == SQLITE_TEXT) {
            put_frame(&out, pf_sql_text_of(argv[i]));
        } else if (type == SQLITE_BLOB) {
            pf_buffer_put(&out, sqlite3_value_blob(argv[i]), (size_t)sqlite3_value_bytes(argv[i]));
        } else if (type != SQLITE_NULL) {
            wrong(ctx, "cat_stacks takes names (strings), stacks (blobs) and NULL");
            any = false;
            break;
        }
        any |= type != SQLITE_NULL;
    }
    if (out.failed) {
        sqlite3_result_error_nomem(ctx);
    } else if (any) {
        sqlite3_result_blob64(ctx, out.data ? out.data : "", out.len, SQLITE_TRANSIENT);
    }
    pf_buffer_free(&out);
}

/* Modules name it; nothing here has what it would work on. */
static void not_here(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    wrong(ctx, "this function of Perfetto's is not known here");
}

enum { NATURAL_LOG, EXPONENTIAL, SQUARE_ROOT };

static void of_number(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const struct {
        double (*f)(double);
        double least;
    } FUNCTIONS[] = {[NATURAL_LOG] = {log, 0x1p-1074}, [EXPONENTIAL] = {exp, -INFINITY}, [SQUARE_ROOT] = {sqrt, 0}};
    int type = sqlite3_value_numeric_type(argv[0]);
    double v = sqlite3_value_double(argv[0]);
    size_t which = pf_sql_which(ctx);
    if ((type == SQLITE_INTEGER || type == SQLITE_FLOAT) && v >= FUNCTIONS[which].least) {
        sqlite3_result_double(ctx, FUNCTIONS[which].f(v));
    }
}

int pf_sql_add_functions(pf_query *q)
{
    static const pf_sql_call FUNCTIONS[] = {
        {"trace_start", 0, trace_bound, .which = START},
        {"trace_end", 0, trace_bound, .which = END},
        {"trace_dur", 0, trace_bound, .which = LENGTH},
        {"extract_arg", 2, extract_arg},
        {"slice_is_ancestor", 2, slice_is_ancestor, .strict = true,
         .integers = "slice_is_ancestor needs two slice ids (integers)"},
        {"extract_metadata", 1, extract_metadata, .strict = true},
        {"extract_metadata_for_machine", 2, extract_metadata, .strict = true, .which = 1},
        {"extract_metadata_for_trace", 2, extract_metadata, .strict = true, .which = 2},
        {"__intrinsic_strip_hex", 2, strip_hex, .strict = true},
        {"reverse", 1, reverse, .strict = true, .intrinsic = true},
        {"str_split", 3, str_split},
        {"unhex", 1, unhex, .strict = true, .intrinsic = true},
        {"base64_encode", 1, base64_encode, .strict = true, .intrinsic = true},
        {"base64_decode", 1, base64_decode, .strict = true, .intrinsic = true},
        {"demangle", 1, demangle, .strict = true, .intrinsic = true},
        {"hash", -1, hash},
        {"cat_stacks", -1, cat_stacks},
        {"experimental_profile", -1, not_here},
        {"__intrinsic_perf_counter_for_sample", 2, not_here},
        {"_intrinsic_package_lookup", 1, not_here},
        {"to_timecode", 1, to_timecode, .strict = true, .intrinsic = true,
         .integers = "to_timecode needs a time (an integer)"},
        {"ln", 1, of_number, .intrinsic = true, .which = NATURAL_LOG},
        {"exp", 1, of_number, .intrinsic = true, .which = EXPONENTIAL},
        {"sqrt", 1, of_number, .intrinsic = true, .which = SQUARE_ROOT},
    };
    return pf_sql_add_calls(q, FUNCTIONS, sizeof FUNCTIONS / sizeof *FUNCTIONS);
}
