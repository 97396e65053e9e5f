/* read/neutrino/neutrino_cells.c - rows, faults and paths that all steps of the reader use. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/neutrino/neutrino_reading.h"

void pf_neutrino_no_memory(neutrino_reading *n, size_t bytes)
{
    if (pf_neutrino_works(n)) {
        n->status = pf_budget_refused(&n->t->budget, bytes, n->err);
    }
}

bool pf_neutrino_goes_on(neutrino_reading *n)
{
    const volatile int *cancel = pf_reading_options(n->r)->cancel;
    if (pf_neutrino_works(n) && cancel && *cancel) {
        n->status = pf_fail(n->err, PF_ERR_CANCELLED, "cancelled");
    }
    return pf_neutrino_works(n);
}

void *pf_neutrino_alloc(neutrino_reading *n, size_t bytes)
{
    void *p = pf_arena_alloc(&n->t->arena, bytes);
    if (!p) {
        pf_neutrino_no_memory(n, bytes);
    }
    return p;
}

uint32_t pf_neutrino_row(neutrino_reading *n, neutrino_table_id id)
{
    return PF_NEUTRINO_DO(n, pf_side_add_row(n->table[id], n->err)) ? n->table[id]->count - 1 : PF_NONE;
}

uint32_t pf_neutrino_add(neutrino_reading *n, neutrino_table_id id, const int64_t *cells)
{
    uint32_t row;
    return PF_NEUTRINO_DO(n, pf_side_put(n->table[id], cells, &row, n->err)) ? row : PF_NONE;
}

uint32_t pf_neutrino_id(neutrino_reading *n, pf_str text)
{
    uint32_t id = 0;
    return PF_NEUTRINO_DO(n, pf_trace_add_string(n->t, text, &id, n->err)) ? id : 0;
}

uint32_t pf_neutrino_word(neutrino_reading *n, const char *text)
{
    return pf_neutrino_id(n, pf_str_of(text));
}

uint32_t pf_neutrino_written(neutrino_reading *n, pf_str name)
{
    char *written = pf_demangle(&n->demangler, name);
    uint32_t id = pf_neutrino_id(n, written ? pf_str_of(written) : name);
    free(written);
    return id;
}

void pf_neutrino_text(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row, pf_str text)
{
    uint32_t cell = pf_neutrino_id(n, text);
    if (pf_neutrino_works(n)) {
        *pf_side_ref(n->table[id], column, row) = cell;
    }
}

uint32_t pf_neutrino_track(neutrino_reading *n, const pf_track_row *row)
{
    uint32_t track = PF_NONE;
    (void)PF_NEUTRINO_DO(n, pf_neutrino_made(n, &track, pf_trace_add_track(n->t, row, n->err)));
    return track;
}

void pf_neutrino_args(neutrino_reading *n, const pf_buffer *json, unsigned decoder)
{
    if (json->failed) {
        pf_neutrino_no_memory(n, json->len);
    }
    (void)PF_NEUTRINO_DO(n, pf_trace_add_args(n->t, (const uint8_t *)json->data, json->len, decoder, 0, true, n->err));
}

const char *pf_neutrino_full_path(neutrino_reading *n, const char *file)
{
    const pf_input *in = pf_reading_input(n->r);
    return in->is_directory ? pf_neutrino_join(n, in->path, file) : file;
}

void pf_neutrino_fault(neutrino_reading *n, const char *file, const neutrino_fault *f, bool fatal)
{
    file = pf_neutrino_full_path(n, file);
    PF_NEUTRINO_ADD(n, NEUTRINO_FAULT, pf_neutrino_word(n, file), pf_neutrino_word(n, f->field), fatal,
                    pf_neutrino_word(n, f->text));
    if (fatal && pf_neutrino_works(n) && n->bad++ == 0) {
        n->first_error = (pf_error){.code = PF_ERR_INPUT, .offset = f->offset, .packet = PF_NOWHERE};
        snprintf(n->first_error.file, sizeof n->first_error.file, "%s", file);
        snprintf(n->first_error.text, sizeof n->first_error.text, "%s: %s", f->field, f->text);
    }
}

void pf_neutrino_note(neutrino_reading *n, const char *file, const char *field, const char *format, ...)
{
    neutrino_fault f = {.offset = PF_NOWHERE};
    va_list args;
    va_start(args, format);
    vsnprintf(f.text, sizeof f.text, format, args);
    va_end(args);
    snprintf(f.field, sizeof f.field, "%s", field);
    pf_neutrino_fault(n, file, &f, false);
}

void pf_neutrino_failed(neutrino_reading *n, const char *file, const pf_error *why)
{
    neutrino_fault f = {.field = "file", .offset = why->offset};
    snprintf(f.text, sizeof f.text, "%.*s", (int)sizeof f.text - 1, why->text);
    pf_neutrino_fault(n, file, &f, true);
}

pf_bytes pf_neutrino_file_bytes(neutrino_reading *n, const char *path)
{
    pf_bytes b = {NULL, 0};
    pf_error why;
    pf_status st = pf_neutrino_works(n) ? pf_reading_companion(n->r, path, &b, &why) : PF_OK;
    if (st == PF_ERR_INPUT) {
        pf_neutrino_failed(n, path, &why);
    } else if (st != PF_OK) {
        n->status = st;
        *n->err = why;
    }
    return st == PF_OK ? b : (pf_bytes){NULL, 0};
}

const char *pf_neutrino_join(neutrino_reading *n, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = pf_neutrino_alloc(n, size);
    if (!path) {
        return "";
    }
    snprintf(path, size, "%s%s%s", folder, *folder && *name ? "/" : "", name);
    return path;
}

bool pf_neutrino_is_file(const char *name, const char *ending)
{
    static const char *const packed[] = {"", ".gz", ".zst", ".zip"};
    bool is = false;
    for (size_t i = 0; i < sizeof packed / sizeof *packed && !is; i++) {
        pf_str s = pf_str_of(name), more = pf_str_of(packed[i]);
        is = pf_str_ends(s, more) && pf_str_ends((pf_str){s.ptr, s.len - more.len}, pf_str_of(ending));
    }
    return is;
}
