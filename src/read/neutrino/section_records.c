/* read/neutrino/section_records.c - the records of a section as rows of the table of their kind. A record of all zero
 * bytes is unused and has no row. */
#include <string.h>

#include "model/trace/trace.h"
#include "read/neutrino/neutrino_reading.h"

/* A walk over the units and records of a section. */
typedef struct walk {
    neutrino_reading *n;
    uint32_t section;
    const neutrino_header *h;
    const neutrino_section *s;
    const neutrino_map *map;
    const uint8_t *data;
    uint64_t capacity;
} walk;

static uint64_t field_at(const uint8_t *record, const neutrino_field *f)
{
    uint64_t v = 0;
    for (unsigned i = f->bytes; i-- > 0;) {
        v = v << 8 | record[f->offset + i];
    }
    return v;
}

static bool is_zero(const uint8_t *p, uint64_t len)
{
    return p[0] == 0 && memcmp(p, p + 1, len - 1) == 0;
}

/* The first two fields of a kind, by name. */
typedef struct pair {
    const neutrino_field *a, *b;
} pair;

static pf_status add_row(const walk *w, neutrino_table_id id, uint64_t unit, uint32_t *row, pf_error *err)
{
    pf_status st = pf_side_add_rows(w->n->table[id], 1, row, err);
    if (st == PF_OK) {
        pf_neutrino_ref(w->n, id, 0, *row, w->section);
        pf_neutrino_number(w->n, id, 1, *row, unit / w->s->units_per_block);
        if (id != NEUTRINO_BLOCK) {
            pf_neutrino_number(w->n, id, 2, *row, unit % w->s->units_per_block);
        }
    }
    return st;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

static uint64_t used_warps(const walk *w, uint64_t first)
{
    uint64_t used = 0;
    for (uint64_t u = first; u < first + w->s->units_per_block && u < w->s->complete; u++) {
        used += !is_zero(w->data + u * w->s->unit_bytes, w->map->bytes);
    }
    return used;
}

static pf_status add_block(const walk *w, const neutrino_field *const *f, uint64_t unit, pf_error *err)
{
    const uint8_t *r = w->data + unit * w->s->unit_bytes;
    uint64_t block = unit / w->s->units_per_block, gx = w->h->grid[0], gy = w->h->grid[1];
    uint32_t row;
    pf_status st = add_row(w, NEUTRINO_BLOCK, unit, &row, err);
    if (st == PF_OK) {
        const uint64_t v[] = {block % gx,        block / gx % gy,   block / gx / gy,    field_at(r, f[0]),
                              field_at(r, f[1]), field_at(r, f[2]), used_warps(w, unit)};
        for (unsigned c = 0; c < sizeof v / sizeof *v; c++) {
            pf_neutrino_number(w->n, NEUTRINO_BLOCK, BLOCK_X + c, row, v[c]);
        }
    }
    return st;
}

static pf_status add_blocks(const walk *w, pf_error *err)
{
    const neutrino_field *sm = pf_neutrino_find_field(w->map, "cuid");
    const neutrino_field *const f[] = {pf_neutrino_find_field(w->map, "start"),
                                       pf_neutrino_find_field(w->map, "elapsed"),
                                       sm ? sm : pf_neutrino_find_field(w->map, "smid")};
    pf_status st = PF_OK;
    for (uint64_t u = 0; u < w->s->complete && st == PF_OK; u += w->s->units_per_block) {
        bool used = !is_zero(w->data + u * w->s->unit_bytes, w->map->bytes);
        st = used ? add_block(w, f, u, err) : PF_OK;
    }
    return st;
}

/* ---- the others -------------------------------------------------------------------------------------------------- */

/* A record as a row of its own table: up to two fields. */
static pf_status add_pair(const walk *w, neutrino_table_id id, unsigned column, pair p, uint64_t unit, uint64_t i,
                          pf_error *err)
{
    const uint8_t *r = w->data + unit * w->s->unit_bytes + i * w->map->bytes;
    uint32_t row;
    pf_status st = add_row(w, id, unit, &row, err);
    if (st == PF_OK) {
        pf_neutrino_number(w->n, id, column, row, field_at(r, p.a));
        if (p.b) {
            pf_neutrino_number(w->n, id, column + 1, row, field_at(r, p.b));
        }
        if (id == NEUTRINO_SAMPLE) {
            pf_neutrino_number(w->n, id, SAMPLE_NUMBER, row, i);
        }
    }
    return st;
}

static pf_status add_values(const walk *w, uint64_t unit, uint64_t i, pf_error *err)
{
    const uint8_t *r = w->data + unit * w->s->unit_bytes + i * w->map->bytes;
    pf_status st = PF_OK;
    for (unsigned k = 0; k < w->map->fields && st == PF_OK; k++) {
        uint32_t row;
        st = add_row(w, NEUTRINO_VALUE, unit, &row, err);
        if (st == PF_OK) {
            pf_neutrino_number(w->n, NEUTRINO_VALUE, VALUE_RECORD, row, i);
            pf_neutrino_number(w->n, NEUTRINO_VALUE, VALUE_VALUE, row, field_at(r, &w->map->field[k]));
            st = pf_neutrino_text(w->n, NEUTRINO_VALUE, VALUE_FIELD, row, w->map->field[k].name, err);
        }
    }
    return st;
}

typedef struct shape {
    const char *kind;
    neutrino_table_id table;
    unsigned column;
    const char *a, *b;
} shape;

static const shape shapes[] = {{"dmat", NEUTRINO_ACCESS, ACCESS_CLOCK, "clock", "addr"},
                               {"gmem_bytes", NEUTRINO_BYTES, BYTES_SYNC, "sync_bytes", "async_bytes"},
                               {"tensorop", NEUTRINO_TENSOROP, TENSOROP_COUNT, "count", NULL},
                               {"program_progress", NEUTRINO_SAMPLE, SAMPLE_CLOCK, "clock", NULL}};

static pf_status add_unit(const walk *w, const shape *s, pair p, uint64_t unit, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint64_t i = 0; i < w->capacity && st == PF_OK; i++) {
        if (!is_zero(w->data + unit * w->s->unit_bytes + i * w->map->bytes, w->map->bytes)) {
            st = s ? add_pair(w, s->table, s->column, p, unit, i, err) : add_values(w, unit, i, err);
        }
    }
    return st;
}

pf_status pf_neutrino_add_records(neutrino_reading *n, uint32_t section, const neutrino_header *h,
                                  const neutrino_section *s, const neutrino_map *map, const uint8_t *data,
                                  pf_error *err)
{
    const walk w = {n, section, h, s, map, data, s->unit_bytes / map->bytes};
    const char *kind = pf_neutrino_kind(map);
    const volatile int *cancel = pf_reading_options(n->r)->cancel;
    const shape *found = NULL;
    if (strcmp(kind, "block_sched") == 0) {
        return add_blocks(&w, err);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        found = strcmp(kind, shapes[i].kind) == 0 ? &shapes[i] : found;
    }
    pair p = {found ? pf_neutrino_find_field(map, found->a) : NULL,
              found && found->b ? pf_neutrino_find_field(map, found->b) : NULL};
    pf_status st = PF_OK;
    for (uint64_t u = 0; u < s->complete && st == PF_OK; u++) {
        bool cancelled = u % 4096 == 0 && cancel && *cancel;
        st = cancelled ? pf_fail(err, PF_ERR_CANCELLED, "cancelled") : add_unit(&w, found, p, u, err);
    }
    return st;
}
