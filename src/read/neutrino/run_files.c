/* read/neutrino/run_files.c - the small files of a run: tensors, kernels, latencies, what a program said of its memory,
 * pages of a .dmat (docs/reference/neutrino.md, "Files of a run"). */
#include <stdio.h>
#include <string.h>

#include "base/text/number.h"
#include "model/trace/trace.h"
#include "postfetto/document.h"
#include "read/neutrino/neutrino_reading.h"

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

void pf_neutrino_read_tensors(neutrino_reading *n, pf_str text)
{
    pf_str line;
    while (pf_neutrino_works(n) && pf_neutrino_line(&text, &line)) {
        if (!pf_str_is(take_part(&line), "[call]")) {
            continue;
        }
        uint32_t row = pf_neutrino_row(n, NEUTRINO_TENSOR);
        pf_neutrino_ref(n, NEUTRINO_TENSOR, TENSOR_RUN, row, n->run);
        for (unsigned c = TENSOR_TS; c <= TENSOR_PLACE; c++) {
            pf_str part = c == TENSOR_PLACE ? line : take_part(&line);
            if (c == TENSOR_TS || c == TENSOR_BYTES || c == TENSOR_ADDRESS) {
                put_number(n, NEUTRINO_TENSOR, c, row, part);
            } else {
                pf_neutrino_text(n, NEUTRINO_TENSOR, c, row, part);
            }
        }
    }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static bool contains(pf_str s, const char *word)
{
    return pf_str_find(s, pf_str_of(word)) != SIZE_MAX;
}

/* "ptxas info    : Used N registers, ..." */
static bool used_registers(pf_str line, int64_t *out)
{
    size_t used = contains(line, "ptxas info") ? pf_str_find(line, PF_STR(": Used ")) : SIZE_MAX, len = 0;
    if (used == SIZE_MAX) {
        return false;
    }
    pf_str digits = pf_str_from(line, used + 7);
    while (len < digits.len && pf_is_digit(digits.ptr[len])) {
        len++;
    }
    return pf_parse_int(digits.ptr, len, out);
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
        size_t at = pf_str_find(line, PF_STR("entry function '"));
        pf_str name = pf_str_from(line, at == SIZE_MAX ? line.len : at + 16);
        size_t end = pf_str_find(name, PF_STR("'"));
        if (end != SIZE_MAX) {
            return (pf_str){name.ptr, end};
        }
    }
    return (pf_str){NULL, 0};
}

void pf_neutrino_read_kernel(neutrino_reading *n, const char *folder, pf_str info, pf_str log)
{
    neutrino_kernel k = {.params = -1};
    const char *fault = info.ptr ? pf_neutrino_kernel_info(info, &k) : NULL;
    uint32_t row = pf_neutrino_row(n, NEUTRINO_KERNEL);
    pf_neutrino_text(n, NEUTRINO_KERNEL, KERNEL_FOLDER, row, pf_str_of(folder));
    if (fault) {
        pf_neutrino_note(n, folder, "kernel.info", "%s", fault);
    }
    pf_str name = info.ptr && k.name.len ? k.name : name_in_log(log);
    pf_neutrino_ref(n, NEUTRINO_KERNEL, KERNEL_RUN, row, n->run);
    if (info.ptr && !fault) {
        pf_neutrino_number(n, NEUTRINO_KERNEL, KERNEL_PARAMS, row, (uint64_t)k.params);
        pf_neutrino_number(n, NEUTRINO_KERNEL, KERNEL_SECTIONS, row, k.maps.count);
    }
    read_registers(n, row, log);
    if (name.ptr) {
        pf_neutrino_text(n, NEUTRINO_KERNEL, KERNEL_NAME, row, name);
        pf_neutrino_ref(n, NEUTRINO_KERNEL, KERNEL_WRITTEN, row, pf_neutrino_written(n, name));
    }
}

/* ---- stdout.log -------------------------------------------------------------------------------------------------- */

/* The number at the end of the first line that begins with "max memory:". */
static bool max_memory(pf_str text, int64_t *out)
{
    pf_str line;
    while (pf_neutrino_line(&text, &line)) {
        if (line.len > 11 && pf_str_starts(line, PF_STR("max memory:"))) {
            line = pf_str_trim(line);
            size_t from = line.len;
            while (from && pf_is_digit(line.ptr[from - 1])) {
                from--;
            }
            return pf_parse_int(line.ptr + from, line.len - from, out);
        }
    }
    return false;
}

void pf_neutrino_read_stdout(neutrino_reading *n, pf_str text, const char *folder)
{
    int64_t v;
    uint32_t row = pf_neutrino_row(n, NEUTRINO_STDOUT);
    if (max_memory(text, &v)) {
        pf_neutrino_number(n, NEUTRINO_STDOUT, STDOUT_MAX_MEMORY, row, (uint64_t)v);
    }
    pf_neutrino_text(n, NEUTRINO_STDOUT, STDOUT_FOLDER, row, pf_str_of(folder));
}

/* ---- latencies --------------------------------------------------------------------------------------------------- */

static const char *const latency_columns[] = {"probe", "original", "ncu", "neutrino", "prologue", "kernel", "epilogue"};
enum { LATENCIES = sizeof latency_columns / sizeof *latency_columns };

static void latency_row(neutrino_reading *n, const char *file, const char *path, const size_t *column,
                        const pf_str *fields)
{
    uint32_t row = pf_neutrino_row(n, NEUTRINO_LATENCY);
    pf_neutrino_text(n, NEUTRINO_LATENCY, LATENCY_FILE, row, pf_str_of(path));
    pf_neutrino_text(n, NEUTRINO_LATENCY, LATENCY_PROBE, row, fields[column[0]]);
    for (unsigned i = 1; i < LATENCIES; i++) {
        pf_str s = fields[column[i]];
        double v;
        if (s.ptr && pf_parse_real(s.ptr, s.len, &v)) {
            pf_neutrino_real(n, NEUTRINO_LATENCY, LATENCY_PROBE + i, row, v);
        } else {
            pf_neutrino_note(n, file, latency_columns[i], "'%.*s' is no number", (int)(s.len > 60 ? 60 : s.len),
                             s.ptr ? s.ptr : "");
        }
    }
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

/* Of the status of a row that cannot be read the caller judges. */
static pf_status latency_rows(neutrino_reading *n, pf_csv *csv, const size_t *column, const char *file, pf_error *err)
{
    const pf_str *fields;
    const char *path = pf_neutrino_full_path(n, file);
    for (;;) {
        PF_TRY(pf_csv_next(csv, &fields, err));
        if (!fields || !pf_neutrino_works(n)) {
            return PF_OK;
        }
        latency_row(n, file, path, column, fields);
    }
}

/* In a tree a CSV without most of the columns is somebody else's, and one that cannot be read is noted. */
void pf_neutrino_read_latency(neutrino_reading *n, pf_str text, const char *file)
{
    pf_csv *csv;
    size_t column[LATENCIES];
    const char *missing = NULL;
    pf_error why;
    bool tree = pf_reading_input(n->r)->is_directory;
    pf_status st = pf_csv_open(text, NULL, &csv, &why);
    if (st == PF_ERR_INPUT && tree) {
        return;
    }
    if (st == PF_OK) {
        unsigned found = find_columns(csv, column, &missing);
        bool others = missing && tree && found <= LATENCIES / 2;
        st = others    ? PF_OK
             : missing ? pf_fail(&why, PF_ERR_INPUT, "has no column '%s'", missing)
                       : latency_rows(n, csv, column, file, &why);
        n->good += st == PF_OK && !others;
        pf_csv_free(csv);
    }
    if (st == PF_ERR_INPUT && tree) {
        pf_neutrino_failed(n, file, &why);
    } else if (st != PF_OK && pf_neutrino_works(n)) {
        *n->err = why;
        n->status = st;
    }
}

/* ---- .dmat ------------------------------------------------------------------------------------------------------- */

/* The counts of one clock, 12 bytes each. */
static void dmat_pages(neutrino_reading *n, uint32_t file, uint64_t clock, const uint8_t *p, uint32_t count)
{
    uint32_t row = 0;
    if (!pf_neutrino_works(n) || !pf_neutrino_did(n, pf_side_add_rows(n->table[NEUTRINO_PAGE], count, &row, n->err))) {
        return;
    }
    for (uint32_t end = row + count; row < end; row++, p += 12) {
        pf_neutrino_ref(n, NEUTRINO_PAGE, PAGE_FILE, row, file);
        pf_neutrino_number(n, NEUTRINO_PAGE, PAGE_CLOCK, row, clock);
        pf_neutrino_number(n, NEUTRINO_PAGE, PAGE_PAGE, row, pf_little_u64(p));
        pf_neutrino_number(n, NEUTRINO_PAGE, PAGE_COUNT, row, pf_little_u32(p + 8));
    }
}

/* numPages, numClocks, the pages; then for each clock: clock, n, n times page and count. */
static bool dmat_header(pf_bytes b, uint64_t *clocks, size_t *at, neutrino_fault *f)
{
    uint64_t pages = b.len >= 16 ? pf_little_u64(b.ptr) : 0;
    if (b.len < 16) {
        return pf_neutrino_fault_at(f, b.len, "numPages", "the header of 16 bytes is cut");
    }
    if (pages > (b.len - 16) / 8) {
        return pf_neutrino_fault_at(f, 0, "numPages", "the file has not that many pages");
    }
    *at = 16 + (size_t)pages * 8;
    *clocks = pf_little_u64(b.ptr + 8);
    if (*clocks > (b.len - *at) / 16) {
        return pf_neutrino_fault_at(f, 8, "numClocks", "the file has not that many clocks");
    }
    return true;
}

void pf_neutrino_read_dmat(neutrino_reading *n, pf_bytes b, const char *name)
{
    neutrino_fault fault;
    uint64_t clocks = 0;
    size_t at = 0;
    uint32_t file = pf_neutrino_id(n, pf_str_of(pf_neutrino_full_path(n, name)));
    bool good = dmat_header(b, &clocks, &at, &fault);
    for (uint64_t i = 0; i < clocks && good && pf_neutrino_works(n); i++) {
        uint64_t left = b.len - at, count = left >= 16 ? pf_little_u64(b.ptr + at + 8) : 0;
        good = (left >= 16 && count <= (left - 16) / 12 && count <= UINT32_MAX) ||
               pf_neutrino_fault_at(&fault, at, "clock", "its list of pages goes past the end of the file");
        if (good) {
            dmat_pages(n, file, pf_little_u64(b.ptr + at), b.ptr + at + 16, (uint32_t)count);
            at += 16 + (size_t)count * 12;
        }
    }
    if (!good) {
        pf_neutrino_fault(n, name, &fault, true);
        return;
    }
    n->good++;
    if (at < b.len) {
        pf_neutrino_note(n, name, "end", "%zu spare bytes after the last clock", b.len - at);
    }
}
