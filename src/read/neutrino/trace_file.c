/* read/neutrino/trace_file.c - one binary trace: its rows, and its sections as bytes with a description of their
 * records (docs/reference/neutrino.md, "Binary trace").
 *
 * The data is not copied: table neutrino_section has a view of it, so that a pass walks over a gigabyte without a table
 * of its records. Tables of single records are made only where they are wanted.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/files/folders.h"
#include "read/neutrino/neutrino_reading.h"

#define SECTIONS_MAX 4096u

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
    pf_neutrino_map_of_option(pf_str_of(fields), m);
    m->level = level;
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
    return (m->bytes && s->unit_bytes % m->bytes == 0) ||
           pf_neutrino_fault_in(fault, i, 0, "size", "is not a multiple of the bytes of a record; check the map");
}

static void check_map(neutrino_reading *n, const char *name, uint32_t i, const neutrino_section *s,
                      const neutrino_map *m, bool guessed)
{
    char field[64];
    const neutrino_map *said = guessed ? NULL : &n->maps->map[i];
    snprintf(field, sizeof field, "section %" PRIu32 " map", i);
    if (guessed) {
        pf_neutrino_note(n, name, field, "is in no probe definition; taken for %.*s; say --map if it is not",
                         (int)m->name.len, m->name.ptr);
    } else if (said->level && said->level != s->level) {
        pf_neutrino_note(n, name, field, "the probe definition says %s, the section header %s, which counts",
                         pf_neutrino_level_name(said->level), pf_neutrino_level_name(s->level));
    } else if (m->capacity && m->capacity != s->unit_bytes / m->bytes) {
        pf_neutrino_note(n, name, field, "the probe definition says %" PRIu64 " records, there are %" PRIu64,
                         m->capacity, s->unit_bytes / m->bytes);
    }
}

static uint32_t add_section(neutrino_reading *n, uint32_t trace, uint32_t i, const neutrino_section *s,
                            const neutrino_map *m, pf_bytes data)
{
    const pf_side_table *t = n->table[NEUTRINO_SECTION];
    uint32_t section = PF_NEUTRINO_ADD(
        n, NEUTRINO_SECTION, trace, i, pf_neutrino_id(n, m->name), pf_neutrino_word(n, pf_neutrino_kind(m)),
        pf_neutrino_word(n, pf_neutrino_level_name(s->level)), (int64_t)s->units, (int64_t)s->units_per_block,
        (int64_t)s->unit_bytes, (int64_t)m->bytes, (int64_t)(s->unit_bytes / m->bytes), (int64_t)s->offset,
        (int64_t)s->stored_offset, (int64_t)s->complete, 0);
    if (section != PF_NONE) {
        *pf_side_blob(t, (unsigned)t->spec->column_count - 1, section) = data;
    }
    for (unsigned k = 0; k < m->fields; k++) {
        PF_NEUTRINO_ADD(n, NEUTRINO_FIELD, section, pf_neutrino_id(n, m->field[k].name), m->field[k].offset,
                        m->field[k].bytes);
    }
    return section;
}

/* "result/0.486795.bin.gz": 0.486795 */
static double seconds_of(const char *name)
{
    const char *from = pf_path_name(name), *end = strstr(from, ".bin");
    double v = NAN;
    return end && pf_parse_real(from, (size_t)(end - from), &v) ? v : NAN;
}

static uint32_t add_trace(neutrino_reading *n, const char *name, const neutrino_header *h, uint64_t size,
                          neutrino_layout layout, unsigned warp, uint32_t launch)
{
    return PF_NEUTRINO_ADD(n, NEUTRINO_TRACE, n->run, launch, pf_neutrino_word(n, pf_neutrino_full_path(n, name)),
                           pf_side_bits(seconds_of(name)), pf_neutrino_word(n, pf_neutrino_layout_name(layout)), warp,
                           (int64_t)size, h->grid[0], h->grid[1], h->grid[2], h->block[0], h->block[1], h->block[2],
                           h->shared, h->sections);
}

/* What is cut off, and what is to spare. */
static void check_length(neutrino_reading *n, const char *name, uint64_t size, const neutrino_header *h,
                         const neutrino_section *s)
{
    uint64_t end = NEUTRINO_HEADER + (uint64_t)h->sections * NEUTRINO_SECTION_HEADER;
    for (uint32_t i = 0; i < h->sections && pf_neutrino_works(n); i++) {
        char field[64];
        snprintf(field, sizeof field, "section %" PRIu32 " data", i);
        end = s[i].offset + s[i].length;
        if (s[i].complete < s[i].units) {
            pf_trace_count(n->t, PF_STAT_RECORDS_CUT, size);
            pf_neutrino_note(n, name, field, "is truncated: %" PRIu64 " of %" PRIu64 " units are complete and kept",
                             s[i].complete, s[i].units);
        }
    }
    if (end < size && pf_neutrino_works(n)) {
        pf_trace_count(n->t, PF_STAT_RECORDS_SPARE, end);
        pf_neutrino_note(n, name, "end of the data", "%" PRIu64 " trailing bytes after the last section", size - end);
    }
    if (h->sections == 0) {
        pf_neutrino_note(n, name, "numSections", "is 0: no probe wrote a thing");
    }
}

/* Nothing complete anywhere: the file is of no use. */
static bool check_any(const neutrino_header *h, const neutrino_section *s, uint64_t size, neutrino_fault *f)
{
    bool any = h->sections == 0;
    for (uint32_t i = 0; i < h->sections; i++) {
        any |= s[i].complete > 0;
    }
    return any || pf_neutrino_fault_at(f, size, "section 0 data", "is truncated: not one unit is complete");
}

/* A trace while it is read; `s`, `maps` and `guessed` have a place for each section. */
typedef struct trace_file {
    pf_bytes bytes;
    const char *name;
    neutrino_header h;
    neutrino_section *s;
    neutrino_map *maps;
    bool *guessed; /* nothing said the map */
    neutrino_layout layout;
    unsigned warp;
} trace_file;

static void add_rows(neutrino_reading *n, const trace_file *f, uint32_t launch)
{
    uint32_t trace = add_trace(n, f->name, &f->h, f->bytes.len, f->layout, f->warp, launch);
    for (uint32_t i = 0; i < f->h.sections; i++) {
        check_map(n, f->name, i, &f->s[i], &f->maps[i], f->guessed[i]);
    }
    for (uint32_t i = 0; i < f->h.sections && pf_neutrino_works(n); i++) {
        const neutrino_section *s = &f->s[i];
        pf_bytes data = {f->bytes.ptr + (s->complete ? s->offset : 0), (size_t)(s->complete * s->unit_bytes)};
        uint32_t row = add_section(n, trace, i, s, &f->maps[i], data);
        if (n->wants_records) {
            pf_neutrino_add_records(n, row, &f->h, s, &f->maps[i], data.ptr);
        }
    }
    check_length(n, f->name, f->bytes.len, &f->h, f->s);
}

/* Places the sections and finds their maps. False with the fault. */
static bool place(const neutrino_reading *n, trace_file *f, const neutrino_maps *kernel, neutrino_fault *fault)
{
    const neutrino_hints hints = {n->maps, kernel, n->has_log || kernel, n->hip, n->forced_layout};
    bool good =
        pf_neutrino_place_sections(f->bytes.ptr, f->bytes.len, &f->h, &hints, f->s, &f->layout, &f->warp, fault);
    for (uint32_t i = 0; i < f->h.sections && good; i++) {
        good = find_map(n, i, &f->s[i], &f->maps[i], &f->guessed[i], fault);
    }
    return good && check_any(&f->h, f->s, f->bytes.len, fault);
}

void pf_neutrino_read_trace(neutrino_reading *n, pf_bytes file, const char *name, const neutrino_maps *kernel,
                            uint32_t launch)
{
    trace_file f = {.bytes = file, .name = name};
    neutrino_fault fault;
    if (!pf_neutrino_read_header(file.ptr, file.len, &f.h, &fault) ||
        (f.h.sections > SECTIONS_MAX && !pf_neutrino_fault_at(&fault, 28, "numSections", "is above 4096"))) {
        pf_neutrino_fault(n, name, &fault, true);
        return;
    }
    size_t bytes = (f.h.sections + 1) * (sizeof *f.s + sizeof *f.maps + sizeof *f.guessed);
    f.maps = pf_alloc_zero(&n->t->budget, 1, bytes);
    if (!f.maps) {
        pf_neutrino_no_memory(n, bytes);
        return;
    }
    f.s = (neutrino_section *)(f.maps + f.h.sections + 1);
    f.guessed = (bool *)(f.s + f.h.sections + 1);
    if (place(n, &f, kernel, &fault)) {
        add_rows(n, &f, launch);
        n->good++;
        n->layouts |= 1u << f.layout;
    } else {
        pf_neutrino_fault(n, name, &fault, true);
    }
    pf_release(&n->t->budget, f.maps, bytes);
}
