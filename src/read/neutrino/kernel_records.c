/* read/neutrino/kernel_records.c - records of in-kernel profilers as slices (docs/reference/in-kernel.md).
 *
 * A record is a tag and a time: the schema says which bits are what. Those of one track are begins and ends in order,
 * or have both times; a counter of few bits that wraps is carried on where it falls by more than half its range.
 */
#include "read/neutrino/kernel_schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/map.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/neutrino/neutrino_reading.h"

typedef struct kernel_track {
    uint32_t row;
    uint64_t last, carried; /* of the time */
    bool any;
} kernel_track;

typedef struct importer {
    neutrino_reading *n;
    kernel_schema schema;
    uint32_t upid;
    unsigned decoder;
    pf_map tracks, groups; /* string ids of both names -> index; string id -> row */
    kernel_track *track;
    uint32_t count, room;
    pf_buffer text;
    uint64_t dropped;
} importer;

/* The id of what is in `text`. */
static uint32_t keep_text(importer *m)
{
    if (m->text.failed) {
        pf_neutrino_no_memory(m->n, 1 << 16);
    }
    return pf_neutrino_id(m->n, (pf_str){m->text.data ? m->text.data : "", m->text.len});
}

/* The text with the values of fields in place of {field}. */
static uint32_t fill_in(importer *m, pf_str pattern, const uint8_t *p, uint64_t index)
{
    m->text.len = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        const char *close = pattern.ptr[i] == '{' ? memchr(pattern.ptr + i, '}', pattern.len - i) : NULL;
        pf_str name = close ? (pf_str){pattern.ptr + i + 1, (size_t)(close - pattern.ptr) - i - 1} : (pf_str){NULL, 0};
        uint32_t field = pf_kernel_find_field(&m->schema.record, name);
        if (field == KERNEL_NO_FIELD) {
            pf_buffer_put(&m->text, pattern.ptr + i, 1);
        } else {
            pf_buffer_decimal(&m->text, pf_kernel_value(&m->schema.record.field[field], p, index));
            i += name.len + 1;
        }
    }
    return keep_text(m);
}

static uint32_t add_track(importer *m, uint32_t name, uint32_t parent)
{
    const pf_track_row row = {.type = PF_TRACK_PROCESS_EVENT,
                              .name = name,
                              .upid = m->upid,
                              .utid = PF_NONE,
                              .parent = parent,
                              .group = PF_NONE};
    return pf_neutrino_track(m->n, &row);
}

/* The track that others of the group are below; PF_NONE where there are no groups. */
static uint32_t find_group(importer *m, uint32_t name)
{
    uint32_t row = name ? pf_map_get(&m->groups, name) : PF_NONE;
    if (name && row == PF_NONE) {
        row = add_track(m, name, PF_NONE);
        (void)PF_NEUTRINO_DO(m->n, pf_map_put(&m->groups, name, row, m->n->err));
    }
    return row;
}

static kernel_track *new_track(importer *m, uint64_t key, uint32_t group, uint32_t name)
{
    neutrino_reading *n = m->n;
    uint32_t row = add_track(m, name, find_group(m, group));
    if (!PF_NEUTRINO_DO(n, PF_LIST_ROOM(&n->t->budget, m->track, m->count + 1, m->room, n->err)) ||
        !PF_NEUTRINO_DO(n, pf_map_put(&m->tracks, key, m->count, n->err))) {
        return NULL;
    }
    m->track[m->count] = (kernel_track){.row = row};
    return &m->track[m->count++];
}

/* NULL after a failure. */
static kernel_track *find_track(importer *m, const uint8_t *p, uint64_t index)
{
    uint32_t group = m->schema.group.ptr ? fill_in(m, m->schema.group, p, index) : 0;
    uint32_t name = fill_in(m, m->schema.track, p, index);
    uint64_t key = (uint64_t)group << 32 | name;
    uint32_t i = pf_map_get(&m->tracks, key);
    return i == PF_NONE ? new_track(m, key, group, name) : &m->track[i];
}

static uint64_t field_value(const importer *m, uint32_t field, const uint8_t *p, uint64_t index)
{
    return pf_kernel_value(&m->schema.record.field[field], p, index);
}

/* The time with what was carried: 2^bits for each wrap. */
static uint64_t unwrapped(const importer *m, kernel_track *t, uint64_t now)
{
    uint64_t bits = m->schema.record.field[m->schema.time].bits;
    bool wrapped = t->any && now < t->last && bits < 63 && t->last - now > (uint64_t)1 << (bits - 1);
    t->carried += wrapped ? (uint64_t)1 << bits : 0;
    t->last = now;
    t->any = true;
    return t->carried + now;
}

static bool to_ns(const importer *m, uint64_t time, int64_t *out)
{
    double ns = (double)time * m->schema.ns;
    *out = m->schema.ns == 1 ? (int64_t)time : ns < 9e18 ? llrint(ns) : -1;
    return *out >= 0;
}

static uint32_t name_event(importer *m, const uint8_t *p, uint64_t index)
{
    uint64_t v = m->schema.event == KERNEL_NO_FIELD ? 0 : field_value(m, m->schema.event, p, index);
    pf_str name = m->schema.event == KERNEL_NO_FIELD ? PF_STR("record") : pf_kernel_event_name(&m->schema, v);
    if (name.ptr) {
        return pf_neutrino_id(m->n, name);
    }
    m->text.len = 0;
    pf_buffer_format(&m->text, "event %" PRIu64, v);
    return keep_text(m);
}

/* All fields as arguments; names are those of the schema. */
static void add_args(importer *m, const uint8_t *p, uint64_t index)
{
    m->text.len = 0;
    for (uint32_t i = 0; i < m->schema.record.count; i++) {
        const kernel_field *f = &m->schema.record.field[i];
        pf_buffer_text(&m->text, i ? ",\"" : "{\"");
        for (size_t k = 0; k < f->name.len; k++) {
            bool plain = f->name.ptr[k] >= ' ' && f->name.ptr[k] != '"' && f->name.ptr[k] != '\\';
            pf_buffer_put(&m->text, plain ? f->name.ptr + k : "_", 1);
        }
        pf_buffer_format(&m->text, "\":%" PRIu64, pf_kernel_value(f, p, index));
    }
    pf_buffer_text(&m->text, "}");
    pf_neutrino_args(m->n, &m->text, m->decoder);
}

/* B, E, i or X; 0: none of them. */
static uint8_t phase_of(const importer *m, const uint8_t *p, uint64_t index)
{
    const kernel_schema *s = &m->schema;
    if (s->phase == KERNEL_NO_FIELD) {
        return 'X';
    }
    uint64_t v = field_value(m, s->phase, p, index);
    return v == s->begins ? 'B' : v == s->ends ? 'E' : v == s->instant ? 'i' : 0;
}

/* Where a record with both times ends, in its own unit; an end of few bits may have wrapped. */
static bool find_end(const importer *m, const uint8_t *p, uint64_t index, uint64_t begin, int64_t *out)
{
    uint64_t end;
    if (m->schema.length != KERNEL_NO_FIELD) {
        bool over = __builtin_add_overflow(begin, field_value(m, m->schema.length, p, index), &end);
        *out = (int64_t)end;
        return !over && end <= INT64_MAX;
    }
    uint64_t bits = m->schema.record.field[m->schema.end].bits;
    end = field_value(m, m->schema.end, p, index);
    end += end < begin && bits < 63 ? (uint64_t)1 << bits : 0;
    *out = (int64_t)end;
    return end >= begin && end <= INT64_MAX;
}

static void add_record(importer *m, const uint8_t *p, uint64_t index)
{
    kernel_track *t = find_track(m, p, index);
    pf_event e = {.phase = phase_of(m, p, index)};
    int64_t end = 0;
    if (!t) {
        return;
    }
    uint64_t begin = field_value(m, m->schema.time, p, index);
    bool good = e.phase && to_ns(m, unwrapped(m, t, begin), &e.ts);
    if (good && e.phase == 'X') {
        good = find_end(m, p, index, begin, &end) && to_ns(m, t->carried + (uint64_t)end, &end);
        e.dur = good ? end - e.ts : 0;
    }
    if (!good) {
        m->dropped++;
        return;
    }
    e.track = t->row;
    e.name = name_event(m, p, index);
    pf_trace_cover(m->n->t, e.ts, e.ts + e.dur);
    (void)PF_NEUTRINO_DO(m->n, pf_trace_add_event(m->n->t, &e, m->n->err));
    if (e.phase != 'E' && m->n->t->want & PF_WANT_ARGS) {
        add_args(m, p, index);
    }
}

static bool is_unused(const importer *m, const uint8_t *p)
{
    return !m->schema.zero_is_record && p[0] == 0 && memcmp(p, p + 1, m->schema.record_bytes - 1) == 0;
}

/* Bytes before record `i`, those of a unit's head included. */
static uint64_t place_of(const kernel_schema *s, uint64_t i)
{
    uint64_t heads = s->unit_records ? i / s->unit_records + 1 : 0;
    return s->header_bytes + heads * s->unit_head + i * s->record_bytes;
}

/* How many records the file has, a unit that is cut included. */
static uint64_t count_of(const kernel_schema *s, uint64_t size)
{
    uint64_t left = size - s->header_bytes;
    if (!s->unit_records) {
        return left / s->record_bytes;
    }
    uint64_t unit = s->unit_head + s->unit_records * s->record_bytes, rest = left % unit;
    return left / unit * s->unit_records + (rest > s->unit_head ? (rest - s->unit_head) / s->record_bytes : 0);
}

static void add_records(importer *m, pf_bytes file)
{
    uint64_t count = count_of(&m->schema, file.len);
    for (uint64_t i = 0; i < count && (i % 65536 ? pf_neutrino_works(m->n) : pf_neutrino_goes_on(m->n)); i++) {
        const uint8_t *p = file.ptr + place_of(&m->schema, i);
        if (!is_unused(m, p)) {
            add_record(m, p, i);
        }
    }
}

/* All tracks belong to one process, the kernel. */
static void begin_process(importer *m)
{
    neutrino_reading *n = m->n;
    const pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = 1};
    pf_str kernel = m->schema.name.ptr ? m->schema.name : PF_STR("kernel");
    if (PF_NEUTRINO_DO(n, pf_neutrino_made(n, &m->upid, pf_trace_process(n->t, &id, n->err)))) {
        n->t->processes.name[m->upid] = pf_neutrino_id(n, kernel);
    }
    m->decoder = pf_trace_add_decoder(n->t, pf_json_decode_args, NULL);
}

static void import(importer *m, pf_bytes file)
{
    const char *path = pf_reading_input(m->n->r)->path;
    if (!pf_kernel_apply_header(&m->schema, file.ptr, file.len)) {
        m->n->status = pf_fail(m->n->err, PF_ERR_INPUT,
                               "header: is truncated, or a number that fields are divided by is 0 or missing");
        return;
    }
    begin_process(m);
    add_records(m, file);
    uint64_t count = count_of(&m->schema, file.len);
    uint64_t end = count ? place_of(&m->schema, count - 1) + m->schema.record_bytes : m->schema.header_bytes;
    uint64_t spare = file.len - end;
    if (m->dropped) {
        pf_trace_count(m->n->t, PF_STAT_RECORDS_CUT, PF_NOWHERE);
        pf_neutrino_note(m->n, path, "phase", "%" PRIu64 " records with an unknown phase or time", m->dropped);
    }
    if (spare) {
        pf_trace_count(m->n->t, PF_STAT_RECORDS_SPARE, file.len - spare);
        pf_neutrino_note(m->n, path, "end of the data", "%" PRIu64 " trailing bytes after the last record", spare);
    }
}

static pf_status read_schema(importer *m, const char *path, pf_error *err)
{
    char *text = NULL;
    size_t len = 0;
    PF_TRY(pf_read_bytes(path, &pf_reading_options(m->n->r)->limits, &text, &len, err));
    pf_status st = pf_kernel_schema_read((pf_str){text, len}, &m->schema, err);
    free(text);
    return st;
}

void pf_neutrino_read_kernel_records(neutrino_reading *n, const char *schema)
{
    importer m = {.n = n};
    pf_bytes file;
    pf_map_init(&m.tracks, &n->t->budget);
    pf_map_init(&m.groups, &n->t->budget);
    if (PF_NEUTRINO_DO(n, read_schema(&m, schema, n->err)) &&
        PF_NEUTRINO_DO(n, pf_reading_whole(n->r, &file, n->err))) {
        import(&m, file);
    }
    pf_map_free(&m.tracks);
    pf_map_free(&m.groups);
    PF_LIST_FREE(&n->t->budget, m.track, m.room);
    pf_buffer_free(&m.text);
    pf_kernel_schema_free(&m.schema);
}
