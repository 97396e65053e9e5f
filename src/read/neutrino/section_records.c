/* read/neutrino/section_records.c - the records of a section as rows of the table of their kind. A record of all zero
 * bytes is unused and has no row. */
#include <string.h>

#include "read/neutrino/neutrino_reading.h"

/* A walk over the units and records of a section. */
typedef struct walk {
    neutrino_reading *n;
    uint32_t section;
    const neutrino_header *h;
    const neutrino_section *s;
    const neutrino_map *map;
    const uint8_t *data;
} walk;

static int64_t field_at(const uint8_t *record, const neutrino_field *f)
{
    uint64_t v = 0;
    for (unsigned i = f->bytes; i-- > 0;) {
        v = v << 8 | record[f->offset + i];
    }
    return (int64_t)v;
}

static bool is_zero(const uint8_t *p, uint64_t len)
{
    return p[0] == 0 && memcmp(p, p + 1, len - 1) == 0;
}

static int64_t used_warps(const walk *w, uint64_t first)
{
    int64_t used = 0;
    for (uint64_t u = first; u < first + w->s->units_per_block && u < w->s->complete; u++) {
        used += !is_zero(w->data + u * w->s->unit_bytes, w->map->bytes);
    }
    return used;
}

static void add_blocks(const walk *w)
{
    const neutrino_field *sm = pf_neutrino_find_field(w->map, "cuid");
    const neutrino_field *start = pf_neutrino_find_field(w->map, "start");
    const neutrino_field *elapsed = pf_neutrino_find_field(w->map, "elapsed");
    uint64_t gx = w->h->grid[0], gy = w->h->grid[1];
    sm = sm ? sm : pf_neutrino_find_field(w->map, "smid");
    for (uint64_t u = 0; u < w->s->complete && pf_neutrino_works(w->n); u += w->s->units_per_block) {
        const uint8_t *r = w->data + u * w->s->unit_bytes;
        uint64_t block = u / w->s->units_per_block;
        if (!is_zero(r, w->map->bytes)) {
            PF_NEUTRINO_ADD(w->n, NEUTRINO_BLOCK, w->section, (int64_t)block, (int64_t)(block % gx),
                            (int64_t)(block / gx % gy), (int64_t)(block / gx / gy), field_at(r, start),
                            field_at(r, elapsed), field_at(r, sm), used_warps(w, u));
        }
    }
}

/* Kinds whose records are a row of their own table: block, unit, perhaps the number of the record, up to two fields. */
typedef struct shape {
    const char *kind;
    neutrino_table_id table;
    bool numbered;
    const char *fields[2];
} shape;

static const shape shapes[] = {{"dmat", NEUTRINO_ACCESS, false, {"clock", "addr"}},
                               {"gmem_bytes", NEUTRINO_BYTES, false, {"sync_bytes", "async_bytes"}},
                               {"tensorop", NEUTRINO_TENSOROP, false, {"count"}},
                               {"program_progress", NEUTRINO_SAMPLE, true, {"clock"}}};

static void add_record(const walk *w, const shape *s, const neutrino_field *const *fields, uint64_t unit, uint64_t i)
{
    const uint8_t *r = w->data + unit * w->s->unit_bytes + i * w->map->bytes;
    int64_t cells[6] = {w->section, (int64_t)(unit / w->s->units_per_block), (int64_t)(unit % w->s->units_per_block),
                        (int64_t)i};
    unsigned count = s->numbered ? 4 : 3;
    for (unsigned k = 0; k < 2 && fields[k]; k++) {
        cells[count++] = field_at(r, fields[k]);
    }
    pf_neutrino_add(w->n, s->table, cells);
}

/* A record of another kind: a row for each field. */
static void add_values(const walk *w, uint64_t unit, uint64_t i)
{
    const uint8_t *r = w->data + unit * w->s->unit_bytes + i * w->map->bytes;
    const uint64_t per_block = w->s->units_per_block;
    for (unsigned k = 0; k < w->map->fields; k++) {
        PF_NEUTRINO_ADD(w->n, NEUTRINO_VALUE, w->section, (int64_t)(unit / per_block), (int64_t)(unit % per_block),
                        (int64_t)i, pf_neutrino_id(w->n, w->map->field[k].name), field_at(r, &w->map->field[k]));
    }
}

void pf_neutrino_add_records(neutrino_reading *n, uint32_t section, const neutrino_header *h, const neutrino_section *s,
                             const neutrino_map *map, const uint8_t *data)
{
    const walk w = {n, section, h, s, map, data};
    const char *kind = pf_neutrino_kind(map);
    const shape *found = NULL;
    if (strcmp(kind, "block_sched") == 0) {
        add_blocks(&w);
        return;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        found = strcmp(kind, shapes[i].kind) == 0 ? &shapes[i] : found;
    }
    const neutrino_field *fields[2] = {NULL, NULL};
    for (unsigned k = 0; found && k < 2 && found->fields[k]; k++) {
        fields[k] = pf_neutrino_find_field(map, found->fields[k]);
    }
    const uint64_t capacity = s->unit_bytes / map->bytes;
    for (uint64_t u = 0; u < s->complete && (u % 4096 ? pf_neutrino_works(n) : pf_neutrino_goes_on(n)); u++) {
        for (uint64_t i = 0; i < capacity; i++) {
            if (is_zero(data + u * s->unit_bytes + i * map->bytes, map->bytes)) {
                continue;
            }
            if (found) {
                add_record(&w, found, fields, u, i);
            } else {
                add_values(&w, u, i);
            }
        }
    }
}
