/* read/neutrino/run_files.c - the small files of a run: tensors, kernels, latencies, what a program said of its memory,
 * pages of a .dmat (docs/reference/neutrino.md, "Files of a run"). */
#include <stdio.h>
#include <string.h>

#include "base/text/number.h"
#include "model/trace/trace.h"
#include "postfetto/document.h"
#include "read/neutrino/neutrino_reading.h"

static pf_status put_text(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row, pf_str s,
                          pf_error *err)
{
    return pf_neutrino_text(n, id, column, row, s, err);
}

static void put_number(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row, pf_str s)
{
    int64_t v;
    if (pf_parse_int(s.ptr, s.len, &v)) {
        pf_neutrino_number(n, id, column, row, (uint64_t)v);
    }
}

/* ---- tensor.trace ------------------------------------------------------------------------------------------------ */

/* The part before the next two blanks. */
static pf_str take_part(pf_str *s)
{
    size_t i = 0;
    while (i < s->len && !(i + 1 < s->len && s->ptr[i] == ' ' && s->ptr[i + 1] == ' ')) {
        i++;
    }
    pf_str part = {s->ptr, i};
    while (i < s->len && s->ptr[i] == ' ') {
        i++;
    }
    *s = (pf_str){s->ptr + i, s->len - i};
    return part;
}

pf_status pf_neutrino_read_tensors(neutrino_reading *n, pf_str text, pf_error *err)
{
    pf_str line;
    pf_status st = PF_OK;
    while (st == PF_OK && pf_neutrino_line(&text, &line)) {
        uint32_t row;
        if (!pf_neutrino_is(take_part(&line), "[call]")) {
            continue;
        }
        st = pf_neutrino_row(n, NEUTRINO_TENSOR, &row, err);
        if (st != PF_OK) {
            return st;
        }
        pf_neutrino_ref(n, NEUTRINO_TENSOR, TENSOR_RUN, row, n->run);
        for (unsigned c = TENSOR_TS; c <= TENSOR_PLACE && st == PF_OK; c++) {
            pf_str part = c == TENSOR_PLACE ? line : take_part(&line);
            if (c == TENSOR_TS || c == TENSOR_BYTES || c == TENSOR_ADDRESS) {
                put_number(n, NEUTRINO_TENSOR, c, row, part);
            } else {
                st = put_text(n, NEUTRINO_TENSOR, c, row, part, err);
            }
        }
    }
    return st;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static bool contains(pf_str s, const char *word)
{
    return s.len && memmem(s.ptr, s.len, word, strlen(word)) != NULL;
}

/* "ptxas info    : Used N registers, ..." */
static bool used_registers(pf_str line, int64_t *out)
{
    const char *used = contains(line, "ptxas info") ? memmem(line.ptr, line.len, ": Used ", 7) : NULL;
    if (!used) {
        return false;
    }
    const char *digits = used + 7, *end = line.ptr + line.len;
    size_t len = 0;
    while (digits + len < end && digits[len] >= '0' && digits[len] <= '9') {
        len++;
    }
    return pf_parse_int(digits, len, out);
}

/* Registers of both kernels: each follows the call of ptxas that names its source. The first of a name counts. */
static void read_registers(neutrino_reading *n, uint32_t row, pf_str log)
{
    pf_str line;
    int column = -1;
    int64_t v;
    while (pf_neutrino_line(&log, &line)) {
        if (contains(line, "ptxas ") && contains(line, ".ptx")) {
            column = contains(line, "probed.ptx") ? KERNEL_PROBED : contains(line, "pruned.ptx") ? KERNEL_PRUNED : -1;
        } else if (column >= 0 && used_registers(line, &v)) {
            pf_neutrino_number(n, NEUTRINO_KERNEL, (unsigned)column, row, (uint64_t)v);
            column = -1;
        }
    }
}

/* Without a kernel.info its name is what ptxas calls the function. */
static pf_str name_in_log(pf_str log)
{
    pf_str line;
    while (pf_neutrino_line(&log, &line)) {
        const char *from = memmem(line.ptr, line.len, "entry function '", 16);
        const char *to = from ? memchr(from + 16, '\'', (size_t)(line.ptr + line.len - from) - 16) : NULL;
        if (to) {
            return (pf_str){from + 16, (size_t)(to - from) - 16};
        }
    }
    return (pf_str){NULL, 0};
}

pf_status pf_neutrino_read_kernel(neutrino_reading *n, const char *folder, pf_str info, pf_str log, pf_error *err)
{
    uint32_t row;
    neutrino_kernel k = {.params = -1};
    const char *fault = info.ptr ? pf_neutrino_kernel_info(info, &k) : NULL;
    pf_status st = pf_neutrino_row(n, NEUTRINO_KERNEL, &row, err);
    st = st == PF_OK ? put_text(n, NEUTRINO_KERNEL, KERNEL_FOLDER, row, pf_neutrino_str(folder), err) : st;
    if (st == PF_OK && fault) {
        st = pf_neutrino_note(n, folder, "kernel.info", err, "%s", fault);
    }
    if (st != PF_OK) {
        return st;
    }
    pf_str name = info.ptr && k.name.len ? k.name : name_in_log(log);
    pf_neutrino_ref(n, NEUTRINO_KERNEL, KERNEL_RUN, row, n->run);
    if (info.ptr && !fault) {
        pf_neutrino_number(n, NEUTRINO_KERNEL, KERNEL_PARAMS, row, (uint64_t)k.params);
        pf_neutrino_number(n, NEUTRINO_KERNEL, KERNEL_SECTIONS, row, k.maps.count);
    }
    read_registers(n, row, log);
    st = name.ptr ? put_text(n, NEUTRINO_KERNEL, KERNEL_NAME, row, name, err) : PF_OK;
    return name.ptr && st == PF_OK
               ? pf_neutrino_written(n, name, pf_side_ref(n->table[NEUTRINO_KERNEL], KERNEL_WRITTEN, row), err)
               : st;
}

/* ---- stdout.log -------------------------------------------------------------------------------------------------- */

/* The number at the end of the first line that begins with "max memory:". */
static bool max_memory(pf_str text, int64_t *out)
{
    pf_str line;
    while (pf_neutrino_line(&text, &line)) {
        if (line.len > 11 && memcmp(line.ptr, "max memory:", 11) == 0) {
            size_t end = line.len;
            while (end && line.ptr[end - 1] == ' ') {
                end--;
            }
            size_t from = end;
            while (from && line.ptr[from - 1] >= '0' && line.ptr[from - 1] <= '9') {
                from--;
            }
            return pf_parse_int(line.ptr + from, end - from, out);
        }
    }
    return false;
}

pf_status pf_neutrino_read_stdout(neutrino_reading *n, pf_str text, const char *folder, pf_error *err)
{
    uint32_t row;
    int64_t v;
    pf_status st = pf_neutrino_row(n, NEUTRINO_STDOUT, &row, err);
    if (st == PF_OK && max_memory(text, &v)) {
        pf_neutrino_number(n, NEUTRINO_STDOUT, STDOUT_MAX_MEMORY, row, (uint64_t)v);
    }
    return st == PF_OK ? put_text(n, NEUTRINO_STDOUT, STDOUT_FOLDER, row, pf_neutrino_str(folder), err) : st;
}

/* ---- latencies --------------------------------------------------------------------------------------------------- */

static const char *const latency_columns[] = {"probe", "original", "ncu", "neutrino", "prologue", "kernel", "epilogue"};
enum { LATENCIES = sizeof latency_columns / sizeof *latency_columns };

static pf_status latency_row(neutrino_reading *n, const char *file, const char *path, const size_t *column,
                             const pf_str *fields, pf_error *err)
{
    uint32_t row;
    pf_status st = pf_neutrino_row(n, NEUTRINO_LATENCY, &row, err);
    st = st == PF_OK ? put_text(n, NEUTRINO_LATENCY, LATENCY_FILE, row, pf_neutrino_str(path), err) : st;
    st = st == PF_OK ? put_text(n, NEUTRINO_LATENCY, LATENCY_PROBE, row, fields[column[0]], err) : st;
    for (unsigned i = 1; i < LATENCIES && st == PF_OK; i++) {
        pf_str s = fields[column[i]];
        double v;
        if (s.ptr && pf_parse_real(s.ptr, s.len, &v)) {
            pf_neutrino_real(n, NEUTRINO_LATENCY, LATENCY_PROBE + i, row, v);
        } else {
            st = pf_neutrino_note(n, file, latency_columns[i], err, "'%.*s' is no number",
                                  (int)(s.len > 60 ? 60 : s.len), s.ptr ? s.ptr : "");
        }
    }
    return st;
}

/* How many of the columns there are, and the place of each; *missing: one that is not there. */
static unsigned find_columns(const pf_csv *csv, size_t *column, const char **missing)
{
    unsigned found = 0;
    for (unsigned i = 0; i < LATENCIES; i++) {
        column[i] = pf_csv_column(csv, latency_columns[i]);
        bool there = column[i] < pf_csv_column_count(csv);
        *missing = there ? *missing : latency_columns[i];
        found += there;
    }
    return found;
}

static pf_status latency_rows(neutrino_reading *n, pf_csv *csv, const size_t *column, const char *file, pf_error *err)
{
    const pf_str *fields;
    const char *path = pf_neutrino_full_path(n, file, err);
    pf_status st = path ? PF_OK : err->code;
    while (st == PF_OK && (st = pf_csv_next(csv, &fields, err)) == PF_OK && fields) {
        st = latency_row(n, file, path, column, fields, err);
    }
    return st;
}

/* In a tree a CSV without most of the columns is somebody else's. */
pf_status pf_neutrino_read_latency(neutrino_reading *n, pf_str text, const char *file, pf_error *err)
{
    pf_csv *csv;
    size_t column[LATENCIES];
    const char *missing = NULL;
    bool tree = pf_reading_input(n->r)->is_directory;
    pf_status st = pf_csv_open(text, NULL, &csv, err);
    if (st != PF_OK) {
        return tree && st == PF_ERR_INPUT ? PF_OK : st;
    }
    unsigned found = find_columns(csv, column, &missing);
    if (missing && tree && found <= LATENCIES / 2) {
        pf_csv_free(csv);
        return PF_OK;
    }
    st = missing ? pf_fail(err, PF_ERR_INPUT, "has no column '%s'", missing) : latency_rows(n, csv, column, file, err);
    pf_csv_free(csv);
    n->good += st == PF_OK;
    return st == PF_ERR_INPUT && tree ? pf_neutrino_failed(n, file, err) : st;
}

/* ---- .dmat ------------------------------------------------------------------------------------------------------- */

static uint64_t u64_at(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 8; i-- > 0;) {
        v = v << 8 | p[i];
    }
    return v;
}

static bool dmat_fault(neutrino_fault *f, uint64_t offset, const char *field, const char *text)
{
    snprintf(f->field, sizeof f->field, "%s", field);
    snprintf(f->text, sizeof f->text, "%s", text);
    f->offset = offset;
    return false;
}

/* The counts of one clock, 12 bytes each. */
static pf_status dmat_pages(neutrino_reading *n, uint32_t file, uint64_t clock, const uint8_t *p, uint64_t count,
                            pf_error *err)
{
    uint32_t row;
    pf_status st = pf_side_add_rows(n->table[NEUTRINO_PAGE], (uint32_t)count, &row, err);
    for (uint64_t i = 0; i < count && st == PF_OK; i++, row++, p += 12) {
        uint32_t times = p[8] | (uint32_t)p[9] << 8 | (uint32_t)p[10] << 16 | (uint32_t)p[11] << 24;
        pf_neutrino_ref(n, NEUTRINO_PAGE, PAGE_FILE, row, file);
        pf_neutrino_number(n, NEUTRINO_PAGE, PAGE_CLOCK, row, clock);
        pf_neutrino_number(n, NEUTRINO_PAGE, PAGE_PAGE, row, u64_at(p));
        pf_neutrino_number(n, NEUTRINO_PAGE, PAGE_COUNT, row, times);
    }
    return st;
}

/* numPages, numClocks, the pages; then for each clock: clock, n, n times page and count. */
static bool dmat_header(pf_bytes b, uint64_t *clocks, size_t *at, neutrino_fault *f)
{
    uint64_t pages = b.len >= 16 ? u64_at(b.ptr) : 0;
    if (b.len < 16) {
        return dmat_fault(f, b.len, "numPages", "the header of 16 bytes is cut");
    }
    if (pages > (b.len - 16) / 8) {
        return dmat_fault(f, 0, "numPages", "the file has not that many pages");
    }
    *at = 16 + (size_t)pages * 8;
    *clocks = u64_at(b.ptr + 8);
    if (*clocks > (b.len - *at) / 16) {
        return dmat_fault(f, 8, "numClocks", "the file has not that many clocks");
    }
    return true;
}

pf_status pf_neutrino_read_dmat(neutrino_reading *n, pf_bytes b, const char *name, pf_error *err)
{
    neutrino_fault fault;
    uint64_t clocks = 0;
    size_t at = 0;
    uint32_t file = 0;
    const char *path = pf_neutrino_full_path(n, name, err);
    pf_status st = path ? pf_trace_add_string(n->t, pf_neutrino_str(path), &file, err) : err->code;
    bool good = dmat_header(b, &clocks, &at, &fault);
    for (uint64_t i = 0; i < clocks && good && st == PF_OK; i++) {
        uint64_t left = b.len - at, count = left >= 16 ? u64_at(b.ptr + at + 8) : 0;
        good = left >= 16 && count <= (left - 16) / 12 && count <= UINT32_MAX;
        if (!good) {
            dmat_fault(&fault, at, "clock", "its list of pages goes past the end of the file");
            break;
        }
        st = dmat_pages(n, file, u64_at(b.ptr + at), b.ptr + at + 16, count, err);
        at += 16 + (size_t)count * 12;
    }
    if (st == PF_OK && !good) {
        return pf_neutrino_fault(n, name, &fault, true, err);
    }
    n->good++;
    return st == PF_OK && at < b.len
               ? pf_neutrino_note(n, name, "end", err, "%zu spare bytes after the last clock", b.len - at)
               : st;
}
