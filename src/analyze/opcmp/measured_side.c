/* analyze/opcmp/measured_side.c - kernels as the profiler listed them.
 *
 * A collective (a type that begins with hcom_) is listed once for every stream that it occupies: rows of one type that
 * start in the same microsecond are one call, as long as its longest row. These calls are added after all others, in
 * order of first appearance. Kernels of the host processor (types that end in AicpuKernel) are left out.
 */
#include <math.h>

#include "analyze/opcmp/opcmp.h"
#include "base/list.h"
#include "base/str.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "postfetto/document.h"

/* A call of a collective. */
typedef struct call {
    double longest;
    uint32_t type;
} call;

typedef struct side {
    opcmp *c;
    pf_csv *csv;
    size_t columns, type, duration, start, shapes;
    uint64_t rows;     /* with a type */
    pf_strings starts; /* of calls, each with its type, as bytes */
    call *calls;       /* by the id of that, from 1 on */
    uint32_t room;
} side;

/* The length of a blank at text[from..] as Python's strip sees it, 0 if there is none. */
static size_t blank_at(pf_str text, size_t from)
{
    size_t at = from;
    bool plain = at == text.len || (signed char)text.ptr[at] > ' '; /* most are */
    uint32_t c = plain ? 0 : pf_utf8_next(text, &at);
    bool space = (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
                 (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
                 c == 0x3000;
    return space ? at - from : 0;
}

pf_str pf_opcmp_trim(pf_str s)
{
    size_t n;
    while ((n = blank_at(s, 0)) > 0) {
        s = pf_str_from(s, n);
    }
    for (n = 1; n <= 3 && n <= s.len;) {
        bool blank = blank_at(s, s.len - n) == n;
        s.len -= blank ? n : 0;
        n = blank ? 1 : n + 1;
    }
    return s;
}

/* A double as Python's float() reads it. */
static bool read_real(pf_str text, double *v)
{
    char plain[512];
    size_t n = 0;
    pf_str s = pf_opcmp_trim(text);
    bool minus = s.len && s.ptr[0] == '-';
    pf_str word = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+') ? (pf_str){s.ptr + 1, s.len - 1} : s;
    if (pf_str_is_word(word, "inf") || pf_str_is_word(word, "infinity")) {
        *v = minus ? -HUGE_VAL : HUGE_VAL;
        return true;
    }
    if (pf_str_is_word(word, "nan")) {
        *v = NAN;
        return true;
    }
    if (!memchr(s.len ? s.ptr : "", '_', s.len)) {
        return s.len && pf_parse_real_or_infinity(s.ptr, s.len, v);
    }
    for (size_t i = 0; i < s.len; i++) {
        bool between = i > 0 && i + 1 < s.len && pf_is_digit(s.ptr[i - 1]) && pf_is_digit(s.ptr[i + 1]);
        if (s.ptr[i] == '_' ? !between : n == sizeof plain) {
            return false;
        }
        if (s.ptr[i] != '_') {
            plain[n++] = s.ptr[i];
        }
    }
    return pf_parse_real_or_infinity(plain, n, v);
}

static pf_status add_collective(side *s, uint32_t type, pf_str start_text, double d, pf_error *err)
{
    double start;
    start = start_text.ptr && read_real(start_text, &start) && isfinite(start) ? trunc(start) : 0;
    start = start == 0 ? 0 : start; /* -0 */
    const double what[] = {start, type};
    uint32_t known = s->starts.count, id;
    PF_TRY(pf_strings_put(&s->starts, (pf_str){(const char *)what, sizeof what}, &id, err));
    PF_TRY(PF_LIST_ROOM(&s->c->budget, s->calls, (size_t)id + 1, s->room, err));
    double before = id < known ? s->calls[id].longest : 0;
    s->calls[id] = (call){d > before ? d : before, type};
    return PF_OK;
}

static pf_status add_call(side *s, uint32_t type, double d, pf_error *err)
{
    opcmp_kernel *k = pf_opcmp_kernel(s->c, type, err);
    PF_TRY(k ? PF_OK : err->code);
    k->measured_total += d;
    k->measured_count++;
    return PF_OK;
}

/* Notes the kernel for pf_opcmp_count_passes. */
static pf_status add_order(opcmp *c, uint32_t type, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(&c->budget, c->order, c->order_count + 1, c->order_room, err));
    c->order[c->order_count++] = type;
    return PF_OK;
}

void pf_opcmp_put_escaped(pf_buffer *b, char c)
{
    static const char known[] = "\n\t\r\\", letters[] = "ntr\\";
    const char *at = c ? strchr(known, c) : NULL;
    pf_buffer_put(b, "\\", at != NULL);
    pf_buffer_put(b, at ? &letters[at - known] : &c, 1);
}

/* What Python's float() says of a text that is no number. */
static pf_str python_fault(opcmp *c, pf_str f)
{
    pf_buffer b = {0};
    if (!f.ptr) {
        return PF_STR("TypeError: float() argument must be a string or a real number, not 'NoneType'");
    }
    pf_buffer_text(&b, "ValueError: could not convert string to float: '");
    for (size_t i = 0; i < f.len; i++) {
        pf_opcmp_put_escaped(&b, f.ptr[i]);
    }
    pf_buffer_text(&b, "'");
    pf_str text = {b.failed ? NULL : pf_arena_copy(&c->arena, b.data, b.len), b.len};
    pf_buffer_free(&b);
    return text.ptr ? text : (pf_str){NULL, 0};
}

static pf_status refuse_duration(side *s, pf_str field, pf_error *err)
{
    uint64_t line = 0;
    size_t column = 0;
    s->c->fault = python_fault(s->c, field);
    pf_csv_place(s->csv, s->duration, &line, &column);
    return pf_fail(err, PF_ERR_INPUT,
                   "line %llu, column %zu: Duration(us) '%.*s' is not a number; repair the row or remove it",
                   (unsigned long long)line, column, field.len > 60 ? 60 : (int)field.len, field.ptr ? field.ptr : "");
}

static pf_status add_row(side *s, const pf_str *fields, pf_error *err)
{
    double d = 0;
    pf_str type = pf_opcmp_trim(fields[s->type]);
    if (type.len == 0) {
        return PF_OK;
    }
    s->rows++;
    if (s->duration < s->columns && !(fields[s->duration].ptr && read_real(fields[s->duration], &d))) {
        return refuse_duration(s, fields[s->duration], err);
    }
    bool collective = pf_str_starts(type, PF_STR("hcom_"));
    s->c->anchors += !collective && pf_str_equal(type, s->c->anchor);
    if (!collective && pf_str_ends(type, PF_STR("AicpuKernel"))) {
        return PF_OK;
    }
    if (collective && s->start == s->columns && s->c->strict) {
        return pf_fail(
            err, PF_ERR_INPUT,
            "line %llu: there is no column 'Start Time(us)', which separates calls of a collective from copies "
            "of one on other streams; export it too",
            (unsigned long long)pf_csv_line(s->csv));
    }
    uint32_t id;
    PF_TRY(s->c->by_shape ? pf_opcmp_shaped(s->c, type, fields[s->shapes], &id, err)
                          : pf_strings_put(&s->c->texts, type, &id, err));
    PF_TRY(s->c->keep_order && !collective ? add_order(s->c, id, err) : PF_OK);
    pf_str start = s->start < s->columns ? fields[s->start] : PF_STR("0");
    return collective ? add_collective(s, id, start, d, err) : add_call(s, id, d, err);
}

/* The column of that name; the last of several, which a strict reading refuses. */
static pf_status find_column(const side *s, const char *name, size_t *at, pf_error *err)
{
    *at = pf_csv_column(s->csv, name);
    for (size_t i = 0; s->c->strict && i < *at && *at < s->columns; i++) {
        if (pf_str_equal(pf_csv_column_name(s->csv, i), pf_str_of(name))) {
            uint64_t line = 0;
            size_t column = 0;
            pf_csv_place(s->csv, *at, &line, &column);
            return pf_fail(err, PF_ERR_INPUT,
                           "line %llu, column %zu: a second column is called '%s'; rename one of the two",
                           (unsigned long long)line, column, name);
        }
    }
    return PF_OK;
}

static pf_status find_columns(side *s, pf_error *err)
{
    s->columns = pf_csv_column_count(s->csv);
    PF_TRY(find_column(s, "Type", &s->type, err));
    PF_TRY(find_column(s, "Duration(us)", &s->duration, err));
    PF_TRY(find_column(s, "Start Time(us)", &s->start, err));
    PF_TRY(find_column(s, "Input Shapes", &s->shapes, err));
    if (s->type == s->columns || (s->duration == s->columns && s->c->strict)) {
        return pf_fail(err, PF_ERR_INPUT,
                       "line 1: there is no column '%s'; give the kernel_details.csv of the Ascend profiler",
                       s->type == s->columns ? "Type" : "Duration(us)");
    }
    if (s->c->by_shape && s->shapes == s->columns) {
        return pf_fail(err, PF_ERR_INPUT,
                       "line 1: there is no column 'Input Shapes', which --by-shape needs; leave out --by-shape");
    }
    return PF_OK;
}

/* The next whole row; a strict reading leaves out one in which the table ends. */
static pf_status next_row(side *s, const pf_str **fields, pf_error *err)
{
    pf_status st = pf_csv_next(s->csv, fields, err);
    if (!s->c->strict || !pf_csv_is_cut(s->csv)) {
        return st;
    }
    s->c->cut_line = pf_csv_line(s->csv);
    *fields = NULL;
    return PF_OK;
}

static pf_status add_rows(side *s, pf_error *err)
{
    const pf_str *fields = NULL;
    PF_TRY(find_columns(s, err));
    PF_TRY(next_row(s, &fields, err));
    while (fields) {
        PF_TRY(add_row(s, fields, err));
        PF_TRY(next_row(s, &fields, err));
    }
    if (s->rows == 0 && s->c->strict) {
        return pf_fail(err, PF_ERR_INPUT,
                       "lists no kernel, so there is nothing to compare with; give the table of a run");
    }
    for (uint32_t i = 1; i < s->starts.count; i++) {
        PF_TRY(add_call(s, s->calls[i].type, s->calls[i].longest, err));
    }
    return PF_OK;
}

pf_status pf_opcmp_add_measured(opcmp *c, pf_str csv, pf_error *err)
{
    side s = {.c = c};
    PF_TRY(pf_csv_open(csv, &(pf_csv_options){.lenient = !c->strict}, &s.csv, err));
    pf_status st = pf_strings_init(&s.starts, &c->budget, err);
    st = st == PF_OK ? add_rows(&s, err) : st;
    pf_strings_free(&s.starts);
    PF_LIST_FREE(&c->budget, s.calls, s.room);
    pf_csv_free(s.csv);
    return st;
}
