/* read/neutrino/neutrino_cells.c - rows, faults and paths that all steps of the reader use. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/trace/trace.h"
#include "read/neutrino/neutrino_reading.h"

pf_status pf_neutrino_row(neutrino_reading *n, neutrino_table_id id, uint32_t *row, pf_error *err)
{
    pf_status st = pf_side_add_row(n->table[id], err);
    *row = n->table[id]->count - 1;
    return st;
}

pf_status pf_neutrino_text(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row, pf_str text,
                           pf_error *err)
{
    uint32_t string = 0;
    pf_status st = pf_trace_add_string(n->t, text, &string, err);
    *pf_side_ref(n->table[id], column, row) = st == PF_OK ? string : 0;
    return st;
}

pf_status pf_neutrino_written(neutrino_reading *n, pf_str name, uint32_t *id, pf_error *err)
{
    char *written = pf_demangle(&n->demangler, name);
    pf_status st = pf_trace_add_string(n->t, written ? pf_neutrino_str(written) : name, id, err);
    free(written);
    return st;
}

const char *pf_neutrino_full_path(neutrino_reading *n, const char *file, pf_error *err)
{
    const pf_input *in = pf_reading_input(n->r);
    return in->is_directory ? pf_neutrino_join(n, in->path, file, err) : file;
}

pf_status pf_neutrino_fault(neutrino_reading *n, const char *file, const neutrino_fault *f, bool fatal, pf_error *err)
{
    uint32_t row = 0;
    file = pf_neutrino_full_path(n, file, err);
    pf_status st = file ? pf_neutrino_row(n, NEUTRINO_FAULT, &row, err) : err->code;
    st = st == PF_OK ? pf_neutrino_text(n, NEUTRINO_FAULT, FAULT_FILE, row, pf_neutrino_str(file), err) : st;
    st = st == PF_OK ? pf_neutrino_text(n, NEUTRINO_FAULT, FAULT_FIELD, row, pf_neutrino_str(f->field), err) : st;
    st = st == PF_OK ? pf_neutrino_text(n, NEUTRINO_FAULT, FAULT_TEXT, row, pf_neutrino_str(f->text), err) : st;
    if (st != PF_OK) {
        return st;
    }
    pf_neutrino_number(n, NEUTRINO_FAULT, FAULT_FATAL, row, fatal);
    if (fatal && n->bad++ == 0) {
        n->first_error = (pf_error){.code = PF_ERR_INPUT, .offset = f->offset, .packet = PF_NOWHERE};
        snprintf(n->first_error.file, sizeof n->first_error.file, "%s", file);
        snprintf(n->first_error.text, sizeof n->first_error.text, "%s: %s", f->field, f->text);
    }
    return PF_OK;
}

pf_status pf_neutrino_note(neutrino_reading *n, const char *file, const char *field, pf_error *err, const char *format,
                           ...)
{
    neutrino_fault f = {.offset = PF_NOWHERE};
    va_list args;
    va_start(args, format);
    vsnprintf(f.text, sizeof f.text, format, args);
    va_end(args);
    snprintf(f.field, sizeof f.field, "%s", field);
    return pf_neutrino_fault(n, file, &f, false, err);
}

pf_status pf_neutrino_failed(neutrino_reading *n, const char *file, pf_error *err)
{
    neutrino_fault f = {.field = "file", .offset = err->offset};
    snprintf(f.text, sizeof f.text, "%.*s", (int)sizeof f.text - 1, err->text);
    return pf_neutrino_fault(n, file, &f, true, err);
}

pf_status pf_neutrino_file_bytes(neutrino_reading *n, const char *path, pf_bytes *out, pf_error *err)
{
    pf_status st = pf_reading_companion(n->r, path, out, err);
    if (st == PF_ERR_INPUT) {
        *out = (pf_bytes){NULL, 0};
        st = pf_neutrino_failed(n, path, err);
    }
    return st;
}

const char *pf_neutrino_join(neutrino_reading *n, const char *folder, const char *name, pf_error *err)
{
    size_t a = strlen(folder), b = strlen(name), slash = a && b;
    char *path = pf_arena_alloc(&n->t->arena, a + b + 2);
    if (!path) {
        pf_budget_refused(&n->t->budget, a + b + 2, err);
        return NULL;
    }
    memcpy(path, folder, a);
    path[a] = '/';
    memcpy(path + a + slash, name, b);
    path[a + slash + b] = '\0';
    return path;
}

bool pf_neutrino_is_file(const char *name, const char *ending)
{
    static const char *const packed[] = {"", ".gz", ".zst", ".zip"};
    size_t len = strlen(name), width = strlen(ending);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t more = strlen(packed[i]);
        if (pf_neutrino_ends(name, packed[i]) && len >= width + more &&
            memcmp(name + len - more - width, ending, width) == 0) {
            return true;
        }
    }
    return false;
}
