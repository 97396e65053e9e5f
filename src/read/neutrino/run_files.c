/* read/neutrino/run_files.c - the small files of a run: tensors, kernels, latencies, what a program said of its memory,
 * pages of a .dmat (docs/reference/neutrino.md, "Files of a run"). */
#include <math.h>

#include "postfetto/document.h"
#include "read/neutrino/neutrino_reading.h"

/* A cell; NULL where the text is no number. */
static int64_t number_of(pf_str s)
{
    int64_t v;
    return pf_parse_int(s.ptr, s.len, &v) ? v : INT64_MIN;
}

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

void pf_neutrino_read_tensors(neutrino_reading *n, pf_str text, const char *name)
{
    enum { TS, SHAPE, BYTES, ADDRESS, NAME, FUNCTION, PARTS };
    pf_str line, part[PARTS];
    while (pf_neutrino_works(n) && pf_neutrino_line(&text, &line)) {
        if (!pf_str_is(take_part(&line), "[call]")) {
            continue;
        }
        for (unsigned i = 0; i < PARTS; i++) {
            part[i] = take_part(&line);
        }
        PF_NEUTRINO_ADD(n, NEUTRINO_TENSOR, n->run, number_of(part[TS]), pf_neutrino_id(n, part[SHAPE]),
                        number_of(part[BYTES]), number_of(part[ADDRESS]), pf_neutrino_id(n, part[NAME]),
                        pf_neutrino_id(n, part[FUNCTION]), pf_neutrino_id(n, line));
    }
}

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
static void read_registers(pf_str log, int64_t *probed, int64_t *pruned)
{
    pf_str line;
    int64_t *next = NULL;
    while (pf_neutrino_line(&log, &line)) {
        if (contains(line, "ptxas ") && contains(line, ".ptx")) {
            next = contains(line, "probed.ptx") ? probed : contains(line, "pruned.ptx") ? pruned : NULL;
        } else if (next && used_registers(line, next)) {
            next = NULL;
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
    bool known = info.ptr && !fault;
    int64_t probed = INT64_MIN, pruned = INT64_MIN;
    if (fault) {
        pf_neutrino_note(n, folder, "kernel.info", "%s", fault);
    }
    pf_str name = info.ptr && k.name.len ? k.name : name_in_log(log);
    read_registers(log, &probed, &pruned);
    PF_NEUTRINO_ADD(n, NEUTRINO_KERNEL, n->run, pf_neutrino_word(n, folder), pf_neutrino_id(n, name),
                    known ? k.params : INT64_MIN, known ? k.maps.count : INT64_MIN, probed, pruned,
                    pf_neutrino_written(n, name));
}

/* The number at the end of the first line that begins with "max memory:", as a cell. */
static int64_t max_memory(pf_str text)
{
    pf_str line;
    while (pf_neutrino_line(&text, &line)) {
        if (line.len > 11 && pf_str_starts(line, PF_STR("max memory:"))) {
            line = pf_str_trim(line);
            size_t from = line.len;
            while (from && pf_is_digit(line.ptr[from - 1])) {
                from--;
            }
            return number_of(pf_str_from(line, from));
        }
    }
    return INT64_MIN;
}

void pf_neutrino_read_stdout(neutrino_reading *n, pf_str text, const char *folder)
{
    PF_NEUTRINO_ADD(n, NEUTRINO_STDOUT, pf_neutrino_word(n, folder), max_memory(text));
}

static const char *const latency_columns[] = {"probe", "original", "ncu", "neutrino", "prologue", "kernel", "epilogue"};
enum { LATENCIES = sizeof latency_columns / sizeof *latency_columns };

static void latency_row(neutrino_reading *n, const char *file, const char *path, const size_t *column,
                        const pf_str *fields)
{
    int64_t cells[1 + LATENCIES] = {pf_neutrino_word(n, path), pf_neutrino_id(n, fields[column[0]])};
    for (unsigned i = 1; i < LATENCIES; i++) {
        pf_str s = fields[column[i]];
        double v = NAN;
        if (!s.ptr || !pf_parse_real(s.ptr, s.len, &v)) {
            pf_neutrino_note(n, file, latency_columns[i], "'%.*s' is not a number", (int)(s.len > 60 ? 60 : s.len),
                             s.ptr ? s.ptr : "");
        }
        cells[1 + i] = pf_side_bits(v);
    }
    pf_neutrino_add(n, NEUTRINO_LATENCY, cells);
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

/* The counts of one clock, 12 bytes each. */
static void dmat_pages(neutrino_reading *n, uint32_t file, uint64_t clock, const uint8_t *p, uint32_t count)
{
    enum { FILE, CLOCK, PAGE, COUNT };
    pf_side_table *t = n->table[NEUTRINO_PAGE];
    uint32_t row = 0, past = PF_NEUTRINO_DO(n, pf_side_add_rows(t, count, &row, n->err)) ? row + count : 0;
    for (; row < past; row++, p += 12) {
        *pf_side_ref(t, FILE, row) = file;
        *pf_side_number(t, CLOCK, row) = (int64_t)clock;
        *pf_side_number(t, PAGE, row) = (int64_t)pf_little_u64(p);
        *pf_side_number(t, COUNT, row) = pf_little_u32(p + 8);
    }
}

/* numPages, numClocks, the pages; then for each clock: clock, n, n times page and count. */
static bool dmat_header(pf_bytes b, uint64_t *clocks, size_t *at, neutrino_fault *f)
{
    uint64_t pages = b.len >= 16 ? pf_little_u64(b.ptr) : 0;
    if (b.len < 16) {
        return pf_neutrino_fault_at(f, b.len, "numPages", "the header of 16 bytes is truncated");
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

void pf_neutrino_read_dmat(neutrino_reading *n, pf_str text, const char *name)
{
    const pf_bytes b = {(const uint8_t *)text.ptr, text.len};
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
        pf_neutrino_note(n, name, "end", "%zu trailing bytes after the last clock", b.len - at);
    }
}
