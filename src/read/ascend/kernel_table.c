/* read/ascend/kernel_table.c - the list of kernels that the Ascend profiler exports as a table: kernel_details.csv of
 * its PyTorch interface, op_summary_*.csv of msprof.
 *
 * A row is a kernel on a device: a slice on the track of its stream, in the process of its device. All other columns
 * are arguments under their own names; what is empty or N/A is left out. Times are decimal microseconds, exact to the
 * nanosecond, and often end in a tab.
 */

#include "base/str.h"
#include "base/text/json_text.h"
#include "postfetto/document.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/support/reader.h"
#include "json/scan/words.h"

/* A column by what it is called in either file. */
typedef struct column_name {
    const char *details, *summary;
} column_name;

enum { START, LENGTH, NAME, DEVICE, STREAM, CORE, COLUMNS };
static const column_name names[COLUMNS] = {{"Start Time(us)", "Task Start Time(us)"},
                                           {"Duration(us)", "Task Duration(us)"},
                                           {"Name", "Op Name"},
                                           {"Device_id", "Device ID"},
                                           {"Stream ID", "Stream ID"},
                                           {"Accelerator Core", "Task Type"}};

/* The table that is read. Ids and rows are PF_NONE once there is an error. */
typedef struct table {
    pf_trace *t;
    pf_csv *csv;
    size_t column[COLUMNS], count;
    unsigned decoder;
    pf_buffer args;
    pf_error *err;
} table;

static bool has_field(const uint8_t *line, size_t len, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i + n <= len; i++) {
        bool starts = i == 0 || line[i - 1] == ',' || line[i - 1] == '"' || line[i - 1] == 0xBF;
        bool ends = i + n == len || line[i + n] == ',' || line[i + n] == '"' || line[i + n] == '\r';
        if (starts && ends && memcmp(line + i, name, n) == 0) {
            return true;
        }
    }
    return false;
}

static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    const uint8_t *end = size ? memchr(head, '\n', size) : NULL;
    size_t len = end ? (size_t)(end - head) : size;
    bool start = has_field(head, len, names[START].details) || has_field(head, len, names[START].summary);
    bool length = has_field(head, len, names[LENGTH].details) || has_field(head, len, names[LENGTH].summary);
    bool name = has_field(head, len, names[NAME].details) || has_field(head, len, names[NAME].summary);
    return !is_directory && start && length && name ? PF_PROBE_SURE : PF_PROBE_NO;
}

/* Without blanks and control characters around it. */
static pf_str without_controls(pf_str s)
{
    for (; s.len && (unsigned char)s.ptr[0] <= ' '; s.ptr++) {
        s.len--;
    }
    while (s.len && (unsigned char)s.ptr[s.len - 1] <= ' ') {
        s.len--;
    }
    return s;
}

static pf_str field(const table *k, const pf_str *fields, unsigned which)
{
    size_t at = k->column[which];
    return at < k->count && fields[at].ptr ? without_controls(fields[at]) : (pf_str){"", 0};
}

/* Some exports quote shapes once more: without these quotes. */
static pf_str unquoted(pf_str s)
{
    bool quoted = s.len >= 2 && s.ptr[0] == '"' && s.ptr[s.len - 1] == '"';
    return quoted ? (pf_str){s.ptr + 1, s.len - 2} : s;
}

static bool is_absent(pf_str s)
{
    return s.len == 0 || pf_str_is(s, "N/A");
}

/* Microseconds to nanoseconds. */
static bool read_time(pf_str s, int64_t *out)
{
    return s.len && pf_json_scale_decimal((const uint8_t *)s.ptr, s.len, 3, false, out);
}

/* Whether the text is a number as JSON writes it. */
static bool is_number(pf_str s)
{
    size_t i = s.len && s.ptr[0] == '-' ? 1 : 0, digits = 0, points = 0;
    bool zero = i + 1 < s.len && s.ptr[i] == '0' && s.ptr[i + 1] != '.';
    for (size_t from = i; i < s.len; i++) {
        bool digit = pf_is_digit(s.ptr[i]);
        bool point = s.ptr[i] == '.' && i > from && i + 1 < s.len && points == 0;
        if (!digit && !point) {
            return false;
        }
        digits += digit;
        points += point;
    }
    return digits > 0 && digits < 18 && !zero;
}

/* The columns that have no place in the row, as an object. */
static void put_args(table *k, const pf_str *fields)
{
    k->args.len = 0;
    for (size_t c = 0; c < k->count; c++) {
        bool placed = c == k->column[START] || c == k->column[LENGTH] || c == k->column[NAME];
        pf_str value = fields[c].ptr ? unquoted(without_controls(fields[c])) : (pf_str){NULL, 0};
        if (placed || is_absent(value)) {
            continue;
        }
        pf_buffer_text(&k->args, k->args.len ? "," : "{");
        pf_json_put_utf8(&k->args, without_controls(pf_csv_column_name(k->csv, c)));
        pf_buffer_text(&k->args, ":");
        if (is_number(value)) {
            pf_buffer_put(&k->args, value.ptr, value.len);
        } else {
            pf_json_put_utf8(&k->args, value);
        }
    }
    if (k->args.len) {
        pf_buffer_text(&k->args, "}");
    }
}

static uint32_t add_text(table *k, pf_str s)
{
    return pf_strings_add(&k->t->strings, s.ptr, s.len, k->err);
}

/* "WORD TEXT", or `none` where the text is empty. */
static uint32_t add_name(table *k, const char *word, pf_str text, const char *none)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, text.len ? word : none);
    pf_buffer_put(&b, text.ptr, text.len);
    uint32_t id = PF_NONE;
    if (b.failed) {
        pf_no_memory(k->err);
    } else {
        id = add_text(k, (pf_str){b.data, b.len});
    }
    pf_buffer_free(&b);
    return id;
}

/* The process of a device; its name is set when it is made. */
static uint32_t process_of(table *k, pf_str device)
{
    pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT};
    if (!pf_json_integer_text((const uint8_t *)device.ptr, device.len, &id.number) && device.len) {
        id.kind = id.spelling = PF_ID_TEXT;
        id.text = add_text(k, device);
    }
    uint32_t upid = id.text == PF_NONE ? PF_NONE : pf_trace_process(k->t, &id, k->err);
    if (upid != PF_NONE && !k->t->processes.name[upid]) {
        uint32_t name = add_name(k, "NPU ", device, "NPU");
        k->t->processes.name[upid] = name == PF_NONE ? 0 : name;
        upid = name == PF_NONE ? PF_NONE : upid;
    }
    return upid;
}

/* The track of a stream; they are few, and rows of one follow each other. */
static uint32_t track_of(table *k, uint32_t upid, pf_str stream)
{
    uint32_t name = upid == PF_NONE ? PF_NONE : add_name(k, "stream ", stream, "no stream");
    for (uint32_t i = k->t->tracks.count; name != PF_NONE && i-- > 0;) {
        if (k->t->tracks.upid[i] == upid && k->t->tracks.name[i] == name) {
            return i;
        }
    }
    const pf_track_row row = {.type = PF_TRACK_PROCESS_EVENT,
                              .name = name,
                              .upid = upid,
                              .utid = PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE};
    return name == PF_NONE ? PF_NONE : pf_trace_add_track(k->t, &row, k->err);
}

static pf_str unless_absent(pf_str s)
{
    return is_absent(s) ? (pf_str){"", 0} : s;
}

static pf_status add_row(table *k, const pf_str *fields)
{
    pf_event e = {.phase = 'X'};
    if (!read_time(field(k, fields, START), &e.ts) || !read_time(field(k, fields, LENGTH), &e.dur) || e.dur < 0 ||
        e.ts < 0 || e.dur > INT64_MAX - e.ts) {
        pf_trace_count(k->t, PF_STAT_CSV_ROW, PF_NOWHERE);
        return PF_OK;
    }
    pf_str core = unless_absent(field(k, fields, CORE));
    uint32_t upid = process_of(k, unless_absent(field(k, fields, DEVICE)));
    e.track = track_of(k, upid, unless_absent(field(k, fields, STREAM)));
    e.name = e.track == PF_NONE ? PF_NONE : add_text(k, field(k, fields, NAME));
    e.category = e.name == PF_NONE || !core.len ? 0 : add_text(k, core);
    PF_TRY(e.name == PF_NONE || e.category == PF_NONE ? k->err->code : PF_OK);
    pf_trace_cover(k->t, e.ts, e.ts + e.dur);
    PF_TRY(pf_trace_add_event(k->t, &e, k->err));
    if (!(k->t->want & PF_WANT_ARGS)) {
        return PF_OK;
    }
    put_args(k, fields);
    PF_TRY(k->args.failed ? pf_no_memory(k->err) : PF_OK);
    const uint8_t *args = (const uint8_t *)k->args.data;
    return k->args.len ? pf_trace_add_args(k->t, args, k->args.len, k->decoder, 0, true, k->err) : PF_OK;
}

static void find_columns(table *k)
{
    k->count = pf_csv_column_count(k->csv);
    for (unsigned c = 0; c < COLUMNS; c++) {
        size_t at = pf_csv_column(k->csv, names[c].details);
        k->column[c] = at < k->count ? at : pf_csv_column(k->csv, names[c].summary);
    }
}

/* The next whole row; one in which the table ends is dropped. */
static pf_status next_row(table *k, const pf_str **fields)
{
    pf_status st = pf_csv_next(k->csv, fields, k->err);
    if (!pf_csv_is_cut(k->csv)) {
        return st;
    }
    pf_trace_count(k->t, PF_STAT_CSV_ROW, PF_NOWHERE);
    *fields = NULL;
    return PF_OK;
}

static pf_status read_rows(table *k, const pf_read_options *o)
{
    const pf_str *fields = NULL;
    PF_TRY(next_row(k, &fields));
    for (uint32_t i = 0; fields; i++) {
        if (i % 4096 == 0 && o->cancel && *o->cancel) {
            return pf_fail(k->err, PF_ERR_CANCELLED, "cancelled");
        }
        PF_TRY(add_row(k, fields));
        PF_TRY(next_row(k, &fields));
    }
    return PF_OK;
}

static pf_status read_table(pf_reading *r, pf_error *err)
{
    pf_bytes text;
    table k = {.t = r->t, .err = err};
    PF_TRY(pf_reading_whole(r, &text, err));
    PF_TRY(pf_csv_open((pf_str){(const char *)text.ptr, text.len}, NULL, &k.csv, err));
    find_columns(&k);
    k.decoder = pf_trace_add_decoder(k.t, pf_json_decode_args, NULL);
    pf_reading_set_dialect(r, "ascend");
    pf_status st = read_rows(&k, r->o);
    pf_csv_free(k.csv);
    pf_buffer_free(&k.args);
    return st;
}

const pf_reader pf_reader_ascend_csv = {
    .name = "ascend-csv",
    .summary = "kernels of the Ascend profiler as a table (kernel_details.csv, op_summary_*.csv)",
    .own_clock = true,
    .probe = probe,
    .read = read_table,
};
