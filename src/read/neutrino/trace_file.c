/* read/neutrino/trace_file.c - one binary trace: its rows, and its sections as bytes with a description of their
 * records (docs/reference/neutrino.md, "Binary trace").
 *
 * The data is not copied: table neutrino_section has a view of it, so that a pass walks over a gigabyte without a table
 * of its records. Tables of single records are made only where they are wanted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/number.h"
#include "model/trace/trace.h"
#include "read/neutrino/neutrino_reading.h"

#define SECTIONS_MAX 4096u

/* ---- what a record holds ----------------------------------------------------------------------------------------- */

/* A map for a section that none is known of: what its level and size suggest. */
static void guess(neutrino_map *m, uint64_t unit)
{
    const char *fields = "";
    if (m->level == NEUTRINO_WARP && unit == 16) {
        fields = "block_sched:warp:start=u64,elapsed=u32,cuid=u32";
    } else if (m->level == NEUTRINO_THREAD && unit == 8) {
        fields = "GMEMBytes:thread:sync_bytes=u32,async_bytes=u32";
    } else if (m->level == NEUTRINO_THREAD && unit == 1024) {
        fields = "Sample:thread:clock=u64";
    } else if (m->level == NEUTRINO_THREAD && unit % 16 == 0) {
        fields = "DMAT:thread:clock=u64,addr=u64";
    } else if (m->level == NEUTRINO_THREAD && unit % 8 == 0) {
        fields = "Sample:thread:clock=u64";
    } else {
        fields = unit % 8 ? "words:thread:word=u32" : "words:thread:word=u64";
    }
    neutrino_level level = m->level;
    pf_neutrino_map_of_option(pf_neutrino_str(fields), m);
    m->level = level;
}

static bool size_fault(neutrino_fault *f, uint32_t i, const char *text)
{
    snprintf(f->field, sizeof f->field, "section %" PRIu32 " size", i);
    snprintf(f->text, sizeof f->text, "%s", text);
    f->offset = NEUTRINO_HEADER + (uint64_t)i * NEUTRINO_SECTION_HEADER;
    return false;
}

/* The map of section i; *guessed: nothing said it. */
static bool find_map(const neutrino_reading *n, uint32_t i, const neutrino_section *s, neutrino_map *m, bool *guessed,
                     neutrino_fault *fault)
{
    bool known = n->maps && i < n->maps->count;
    *m = known ? n->maps->map[i] : (neutrino_map){.level = s->level};
    m->level = s->level;
    *guessed = !known;
    if (!known) {
        guess(m, s->unit_bytes);
    } else if (m->fields == 0) {
        m->field[0] = (neutrino_field){PF_STR("word"), s->unit_bytes % 8 ? 4 : 8, 0};
        m->fields = m->bytes >= m->field[0].bytes;
    }
    if (m->bytes == 0 || s->unit_bytes % m->bytes) {
        return size_fault(fault, i, "is no multiple of the bytes of a record; check the map");
    }
    return true;
}

static pf_status check_map(neutrino_reading *n, const char *name, uint32_t i, const neutrino_section *s,
                           const neutrino_map *m, bool guessed, pf_error *err)
{
    char field[64];
    const neutrino_map *said = guessed ? NULL : &n->maps->map[i];
    snprintf(field, sizeof field, "section %" PRIu32 " map", i);
    if (guessed) {
        return pf_neutrino_note(n, name, field, err,
                                "is in no probe definition; taken for %.*s; say --map if it is not", (int)m->name.len,
                                m->name.ptr);
    }
    if (said->level && said->level != s->level) {
        return pf_neutrino_note(
            n, name, field, err, "the probe definition says %s, the section header %s, which counts",
            said->level == NEUTRINO_WARP ? "warp" : "thread", s->level == NEUTRINO_WARP ? "warp" : "thread");
    }
    if (m->capacity && m->capacity != s->unit_bytes / m->bytes) {
        return pf_neutrino_note(n, name, field, err,
                                "the probe definition says %" PRIu64 " records, there are %" PRIu64, m->capacity,
                                s->unit_bytes / m->bytes);
    }
    return PF_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static pf_status add_fields(neutrino_reading *n, uint32_t section, const neutrino_map *m, pf_error *err)
{
    pf_status st = PF_OK;
    for (unsigned i = 0; i < m->fields && st == PF_OK; i++) {
        uint32_t row;
        st = pf_neutrino_row(n, NEUTRINO_FIELD, &row, err);
        st = st == PF_OK ? pf_neutrino_text(n, NEUTRINO_FIELD, FIELD_NAME, row, m->field[i].name, err) : st;
        if (st == PF_OK) {
            pf_neutrino_ref(n, NEUTRINO_FIELD, FIELD_SECTION, row, section);
            pf_neutrino_number(n, NEUTRINO_FIELD, FIELD_OFFSET, row, m->field[i].offset);
            pf_neutrino_number(n, NEUTRINO_FIELD, FIELD_BYTES, row, m->field[i].bytes);
        }
    }
    return st;
}

static pf_status add_section(neutrino_reading *n, uint32_t trace, uint32_t i, const neutrino_section *s,
                             const neutrino_map *m, pf_bytes data, uint32_t *row, pf_error *err)
{
    const neutrino_table_id id = NEUTRINO_SECTION;
    pf_status st = pf_neutrino_row(n, id, row, err);
    st = st == PF_OK ? pf_neutrino_text(n, id, SECTION_MAP, *row, m->name, err) : st;
    st = st == PF_OK ? pf_neutrino_text(n, id, SECTION_KIND, *row, pf_neutrino_str(pf_neutrino_kind(m)), err) : st;
    pf_str level = s->level == NEUTRINO_WARP ? PF_STR("warp") : PF_STR("thread");
    st = st == PF_OK ? pf_neutrino_text(n, id, SECTION_LEVEL, *row, level, err) : st;
    if (st != PF_OK) {
        return st;
    }
    pf_neutrino_ref(n, id, SECTION_TRACE, *row, trace);
    pf_neutrino_number(n, id, SECTION_NUMBER, *row, i);
    pf_neutrino_number(n, id, SECTION_UNITS, *row, s->units);
    pf_neutrino_number(n, id, SECTION_UNITS_PER_BLOCK, *row, s->units_per_block);
    pf_neutrino_number(n, id, SECTION_UNIT_BYTES, *row, s->unit_bytes);
    pf_neutrino_number(n, id, SECTION_RECORD_BYTES, *row, m->bytes);
    pf_neutrino_number(n, id, SECTION_CAPACITY, *row, s->unit_bytes / m->bytes);
    pf_neutrino_number(n, id, SECTION_OFFSET, *row, s->offset);
    pf_neutrino_number(n, id, SECTION_STORED_OFFSET, *row, s->stored_offset);
    pf_neutrino_number(n, id, SECTION_COMPLETE_UNITS, *row, s->complete);
    *pf_side_blob(n->table[id], SECTION_DATA, *row) = data;
    return add_fields(n, *row, m, err);
}

/* "result/0.486795.bin.gz": 0.486795 */
static bool seconds_of(const char *name, double *out)
{
    const char *slash = strrchr(name, '/'), *from = slash ? slash + 1 : name;
    const char *end = strstr(from, ".bin");
    return end && pf_parse_real(from, (size_t)(end - from), out);
}

static pf_status add_trace(neutrino_reading *n, const char *name, const neutrino_header *h, uint64_t size,
                           const char *layout, unsigned warp, uint32_t launch, uint32_t *row, pf_error *err)
{
    const neutrino_table_id id = NEUTRINO_TRACE;
    double seconds;
    const char *path = pf_neutrino_full_path(n, name, err);
    pf_status st = path ? pf_neutrino_row(n, id, row, err) : err->code;
    st = st == PF_OK ? pf_neutrino_text(n, id, TRACE_FILE, *row, pf_neutrino_str(path), err) : st;
    st = st == PF_OK ? pf_neutrino_text(n, id, TRACE_LAYOUT, *row, pf_neutrino_str(layout), err) : st;
    if (st != PF_OK) {
        return st;
    }
    if (seconds_of(name, &seconds)) {
        pf_neutrino_real(n, id, TRACE_SECONDS, *row, seconds);
    }
    pf_neutrino_ref(n, id, TRACE_RUN, *row, n->run);
    pf_neutrino_ref(n, id, TRACE_LAUNCH, *row, launch);
    pf_neutrino_number(n, id, TRACE_WARP, *row, warp);
    pf_neutrino_number(n, id, TRACE_BYTES, *row, size);
    for (unsigned i = 0; i < 3; i++) {
        pf_neutrino_number(n, id, TRACE_GRID_X + i, *row, h->grid[i]);
        pf_neutrino_number(n, id, TRACE_BLOCK_X + i, *row, h->block[i]);
    }
    pf_neutrino_number(n, id, TRACE_SHARED, *row, h->shared);
    pf_neutrino_number(n, id, TRACE_SECTIONS, *row, h->sections);
    return PF_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* What is cut off, and what is to spare. */
static pf_status check_length(neutrino_reading *n, const char *name, uint64_t size, const neutrino_header *h,
                              const neutrino_section *s, pf_error *err)
{
    pf_status st = PF_OK;
    uint64_t end = NEUTRINO_HEADER + (uint64_t)h->sections * NEUTRINO_SECTION_HEADER;
    for (uint32_t i = 0; i < h->sections && st == PF_OK; i++) {
        char field[64];
        snprintf(field, sizeof field, "section %" PRIu32 " data", i);
        end = s[i].offset + s[i].length;
        if (s[i].complete < s[i].units) {
            pf_trace_count(n->t, PF_STAT_RECORDS_CUT, size);
            st = pf_neutrino_note(n, name, field, err, "is cut: %" PRIu64 " of %" PRIu64 " units are complete and kept",
                                  s[i].complete, s[i].units);
        }
    }
    if (st == PF_OK && end < size) {
        pf_trace_count(n->t, PF_STAT_RECORDS_SPARE, end);
        st = pf_neutrino_note(n, name, "end of the data", err, "%" PRIu64 " spare bytes after the last section",
                              size - end);
    }
    return st == PF_OK && h->sections == 0
               ? pf_neutrino_note(n, name, "numSections", err, "is 0: no probe wrote a thing")
               : st;
}

/* Nothing complete anywhere: the file is of no use. */
static bool check_any(const neutrino_header *h, const neutrino_section *s, uint64_t size, neutrino_fault *f)
{
    bool any = h->sections == 0;
    for (uint32_t i = 0; i < h->sections; i++) {
        any |= s[i].complete > 0;
    }
    if (!any) {
        snprintf(f->field, sizeof f->field, "section 0 data");
        snprintf(f->text, sizeof f->text, "is cut: not one unit is complete");
        f->offset = size;
    }
    return any;
}

static pf_status add_sections(neutrino_reading *n, const char *name, pf_bytes file, uint32_t trace,
                              const neutrino_header *h, const neutrino_section *s, const neutrino_map *maps,
                              pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < h->sections && st == PF_OK; i++) {
        uint32_t row;
        pf_bytes data = {s[i].complete ? file.ptr + s[i].offset : file.ptr, (size_t)(s[i].complete * s[i].unit_bytes)};
        st = add_section(n, trace, i, &s[i], &maps[i], data, &row, err);
        st = st == PF_OK && n->wants_records ? pf_neutrino_add_records(n, row, h, &s[i], &maps[i], data.ptr, err) : st;
    }
    return st == PF_OK ? check_length(n, name, file.len, h, s, err) : st;
}

/* The sections of a trace, placed and with their maps, in the trace's arena. False with the fault. */
static bool place(neutrino_reading *n, pf_bytes file, const neutrino_header *h, const neutrino_hints *hints,
                  neutrino_section *s, neutrino_map *maps, bool *guessed, neutrino_layout *layout, unsigned *warp,
                  neutrino_fault *fault)
{
    bool good = pf_neutrino_place_sections(file.ptr, file.len, h, hints, s, layout, warp, fault);
    for (uint32_t i = 0; i < h->sections && good; i++) {
        good = find_map(n, i, &s[i], &maps[i], &guessed[i], fault);
    }
    return good && check_any(h, s, file.len, fault);
}

pf_status pf_neutrino_read_trace(neutrino_reading *n, pf_bytes file, const char *name, const neutrino_maps *kernel,
                                 uint32_t launch, pf_error *err)
{
    neutrino_header h;
    neutrino_fault fault;
    neutrino_hints hints = {n->maps, kernel, n->has_log || kernel, n->hip, n->forced_layout};
    if (!pf_neutrino_read_header(file.ptr, file.len, &h, &fault)) {
        return pf_neutrino_fault(n, name, &fault, true, err);
    }
    if (h.sections > SECTIONS_MAX) {
        fault = (neutrino_fault){"numSections", "is above 4096", 28};
        return pf_neutrino_fault(n, name, &fault, true, err);
    }
    size_t bytes = (h.sections + 1) * (sizeof(neutrino_section) + sizeof(neutrino_map) + sizeof(bool));
    neutrino_map *maps = pf_alloc_zero(&n->t->budget, 1, bytes);
    if (!maps) {
        return pf_budget_refused(&n->t->budget, bytes, err);
    }
    neutrino_section *s = (neutrino_section *)(maps + h.sections + 1);
    bool *guessed = (bool *)(s + h.sections + 1);
    neutrino_layout layout;
    unsigned warp;
    uint32_t row = 0;
    pf_status st;
    if (!place(n, file, &h, &hints, s, maps, guessed, &layout, &warp, &fault)) {
        st = pf_neutrino_fault(n, name, &fault, true, err);
    } else {
        st = add_trace(n, name, &h, file.len, pf_neutrino_layout_name(layout), warp, launch, &row, err);
        for (uint32_t i = 0; i < h.sections && st == PF_OK; i++) {
            st = check_map(n, name, i, &s[i], &maps[i], guessed[i], err);
        }
        st = st == PF_OK ? add_sections(n, name, file, row, &h, s, maps, err) : st;
        n->good++;
        n->layouts |= 1u << layout;
    }
    pf_release(&n->t->budget, maps, bytes);
    return st;
}
