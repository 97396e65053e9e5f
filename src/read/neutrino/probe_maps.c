/* read/neutrino/probe_maps.c - maps from probe.toml, kernel.info and --map (docs/reference/neutrino.md, "Maps").
 *
 * A probe definition of today has a table [map.NAME] for each section, with its registers in [map.NAME.regs]; one of
 * the artifact has a table for each probe with a line datamodel = "warp:16:1". In memory all fields of 8 bytes come
 * first, then those of 4, each in declared order.
 */
#include "read/neutrino/probe_maps.h"

#include <string.h>

#include "read/neutrino/neutrino_reading.h"

/* The part up to the separator, which goes with it. */
static pf_str take(pf_str *s, char separator)
{
    const char *at = s->len ? memchr(s->ptr, separator, s->len) : NULL;
    pf_str part = {s->ptr, at ? (size_t)(at - s->ptr) : s->len};
    size_t gone = part.len + (at != NULL);
    *s = (pf_str){s->len ? s->ptr + gone : s->ptr, s->len - gone};
    return part;
}

bool pf_neutrino_line(pf_str *rest, pf_str *line)
{
    bool any = rest->len > 0;
    if (any) {
        *line = take(rest, '\n');
        line->len -= pf_str_ends(*line, PF_STR("\r"));
    }
    return any;
}

static bool read_count(pf_str s, uint64_t most, uint64_t *out)
{
    int64_t v;
    if (!pf_parse_int(s.ptr, s.len, &v) || v < 0 || (uint64_t)v > most) {
        return false;
    }
    *out = (uint64_t)v;
    return true;
}

static neutrino_level level_of(pf_str s)
{
    return pf_str_is(s, "warp") ? NEUTRINO_WARP : pf_str_is(s, "thread") ? NEUTRINO_THREAD : 0;
}

static const char *add_field(neutrino_map *m, pf_str name, pf_str type)
{
    unsigned bytes = pf_str_is(type, "u64") ? 8 : pf_str_is(type, "u32") ? 4 : 0;
    if (!bytes) {
        return "the type of a field is neither u64 nor u32";
    }
    if (m->fields == NEUTRINO_FIELDS_MAX) {
        return "there are more than 32 fields";
    }
    m->field[m->fields++] = (neutrino_field){name, bytes, 0};
    return NULL;
}

/* Offsets in memory; returns the bytes of all fields. */
static unsigned place_fields(neutrino_map *m)
{
    unsigned at = 0;
    for (unsigned bytes = 8; bytes >= 4; bytes -= 4) {
        for (unsigned i = 0; i < m->fields; i++) {
            if (m->field[i].bytes == bytes) {
                m->field[i].offset = at;
                at += bytes;
            }
        }
    }
    return at;
}

const neutrino_field *pf_neutrino_find_field(const neutrino_map *m, const char *name)
{
    for (unsigned i = 0; i < m->fields; i++) {
        if (pf_str_is(m->field[i].name, name)) {
            return &m->field[i];
        }
    }
    return NULL;
}

const char *pf_neutrino_kind(const neutrino_map *m)
{
    const char *kind = pf_neutrino_find_field(m, "start") && pf_neutrino_find_field(m, "elapsed") &&
                               (pf_neutrino_find_field(m, "cuid") || pf_neutrino_find_field(m, "smid"))
                           ? "block_sched"
                       : pf_neutrino_find_field(m, "clock") && pf_neutrino_find_field(m, "addr") ? "dmat"
                       : pf_neutrino_find_field(m, "sync_bytes") && pf_neutrino_find_field(m, "async_bytes")
                           ? "gmem_bytes"
                       : m->fields == 1 && pf_neutrino_find_field(m, "count") ? "tensorop"
                       : m->fields == 1 && pf_neutrino_find_field(m, "clock") ? "program_progress"
                                                                              : "";
    return kind;
}

typedef struct known_map {
    const char *word; /* in the name, in lower case */
    neutrino_level level;
    uint64_t bytes;
    const char *fields;
} known_map;

static const known_map known[] = {{"block_sched", NEUTRINO_WARP, 16, "start=u64,elapsed=u32,cuid=u32"},
                                  {"dmat", NEUTRINO_THREAD, 16, "clock=u64,addr=u64"},
                                  {"gmem", NEUTRINO_THREAD, 8, "sync_bytes=u32,async_bytes=u32"},
                                  {"tensorop", NEUTRINO_THREAD, 8, "count=u64"},
                                  {"sample", NEUTRINO_THREAD, 8, "clock=u64"},
                                  {"progress", NEUTRINO_THREAD, 8, "clock=u64"}};
enum { KNOWN = sizeof known / sizeof *known };

static const char *add_fields(neutrino_map *m, pf_str list)
{
    const char *fault = NULL;
    while (list.len && !fault) {
        pf_str type = take(&list, ','), name = take(&type, '=');
        fault = name.len ? add_field(m, name, type) : "a field has no name";
    }
    return fault;
}

static const known_map *find_known(pf_str name)
{
    for (unsigned i = 0; i < KNOWN; i++) {
        if (pf_str_has_word(name, known[i].word)) {
            return &known[i];
        }
    }
    return NULL;
}

/* A map without fields has those of the built-in one that its name says. */
static void complete_map(neutrino_map *m)
{
    const known_map *k = m->fields ? NULL : find_known(m->name);
    if (k && (m->bytes == 0 || m->bytes == k->bytes)) {
        add_fields(m, pf_str_of(k->fields));
        m->bytes = k->bytes;
        m->level = m->level ? m->level : k->level;
    }
    unsigned all = place_fields(m);
    m->bytes = m->bytes ? m->bytes : all;
}

static const char *check_map(neutrino_map *m)
{
    complete_map(m);
    if (m->bytes == 0 || m->bytes > NEUTRINO_RECORD_MAX) {
        return "the bytes of a record are not given, or above 65536";
    }
    return place_fields(m) > m->bytes ? "the fields are larger than the record" : NULL;
}

static neutrino_map *add_map(neutrino_maps *maps, pf_str name)
{
    if (maps->count == NEUTRINO_MAPS_MAX) {
        return NULL;
    }
    neutrino_map *m = &maps->map[maps->count++];
    *m = (neutrino_map){.name = name};
    return m;
}

/* "thread:8:128": level, bytes, capacity. */
static const char *read_datamodel(pf_str model, neutrino_map *m)
{
    m->level = level_of(take(&model, ':'));
    pf_str bytes = take(&model, ':'), capacity = take(&model, ':');
    m->capacity = 1;
    if (!m->level || !read_count(bytes, NEUTRINO_RECORD_MAX, &m->bytes)) {
        return "a datamodel is not LEVEL:BYTES or LEVEL:BYTES:CAPACITY";
    }
    if (pf_str_is(capacity, "count")) {
        m->capacity = 0;
    } else if (capacity.len && !read_count(capacity, INT32_MAX, &m->capacity)) {
        return "the capacity of a datamodel is not a number";
    }
    return NULL;
}

static const char *set_map_key(neutrino_map *m, const pf_toml_item *i)
{
    pf_str key = i->path[0], text = i->text[0];
    uint64_t number = i->number > 0 ? (uint64_t)i->number : 0;
    bool given = i->kind == PF_TOML_INTEGER || (i->kind == PF_TOML_TEXT && read_count(text, INT64_MAX, &number));
    if (pf_str_is(key, "level")) {
        m->level = i->kind == PF_TOML_TEXT ? level_of(text) : 0;
        return m->level ? NULL : "the level of a map is neither warp nor thread";
    }
    if (pf_str_is(key, "size")) {
        m->bytes = number;
        return given && number ? NULL : "the size of a map is not a number above 0";
    }
    if (pf_str_is(key, "cap")) {
        m->capacity = number;
        bool dynamic = i->kind == PF_TOML_TEXT && pf_str_is(text, "dynamic");
        return given || dynamic ? NULL : "the cap of a map is neither a number nor dynamic";
    }
    return NULL;
}

/* Where the reader of a definition is. */
typedef struct place {
    neutrino_maps *maps;
    neutrino_map *map; /* of [map.NAME] */
    bool regs;
    pf_str probe; /* the last word of any other table */
} place;

static const char *enter_table(place *p, const pf_toml_item *i)
{
    bool is_map = i->path_count >= 2 && pf_str_is(i->path[0], "map");
    p->regs = is_map && i->path_count == 3 && pf_str_is(i->path[2], "regs");
    p->probe = i->path[i->path_count - 1];
    p->map = NULL;
    for (unsigned k = 0; is_map && k < p->maps->count; k++) {
        p->map = pf_str_equal(p->maps->map[k].name, i->path[1]) ? &p->maps->map[k] : p->map;
    }
    if (is_map && !p->map) {
        p->map = add_map(p->maps, i->path[1]);
        return p->map ? NULL : "there are more than 64 maps";
    }
    return NULL;
}

static const char *read_item(place *p, const pf_toml_item *i)
{
    if (i->kind == PF_TOML_TABLE) {
        return enter_table(p, i);
    }
    if (p->map && p->regs) {
        return i->kind == PF_TOML_LIST && i->text_count ? add_field(p->map, i->path[0], i->text[0])
               : i->kind == PF_TOML_TEXT                ? add_field(p->map, i->path[0], i->text[0])
                                                        : "a field is not NAME = [TYPE, ...]";
    }
    if (p->map) {
        return set_map_key(p->map, i);
    }
    if (i->kind == PF_TOML_TEXT && pf_str_is(i->path[0], "datamodel")) {
        neutrino_map *m = add_map(p->maps, p->probe);
        return m ? read_datamodel(i->text[0], m) : "there are more than 64 maps";
    }
    return NULL;
}

const char *pf_neutrino_maps_of_toml(pf_str text, pf_arena *arena, neutrino_maps *maps, unsigned *line)
{
    pf_toml toml = {.at = text.ptr, .end = text.ptr + text.len, .line = 1, .arena = arena};
    place p = {.maps = maps};
    pf_toml_item item;
    const char *fault = NULL;
    maps->count = 0;
    do {
        fault = pf_toml_next(&toml, &item);
        fault = !fault && item.kind != PF_TOML_END ? read_item(&p, &item) : fault;
    } while (!fault && item.kind != PF_TOML_END);
    for (unsigned i = 0; i < maps->count && !fault; i++) {
        fault = check_map(&maps->map[i]);
    }
    *line = toml.line;
    return fault;
}

const char *pf_neutrino_map_of_option(pf_str text, neutrino_map *m)
{
    *m = (neutrino_map){.name = take(&text, ':')};
    m->level = level_of(take(&text, ':'));
    pf_str fields = take(&text, ':'), capacity = text;
    if (!m->name.len || !m->level) {
        return "is not NAME:LEVEL:FIELD=TYPE,...[:CAPACITY] with a level warp or thread";
    }
    if (capacity.len && !pf_str_is(capacity, "dynamic") && !read_count(capacity, INT32_MAX, &m->capacity)) {
        return "has a capacity that is neither a number nor 'dynamic'";
    }
    const char *fault = add_fields(m, fields);
    return fault ? fault : check_map(m);
}

static const char *read_section_line(pf_str line, neutrino_map *m)
{
    pf_str level = take(&line, ',');
    m->level = pf_str_is(level, "1") ? NEUTRINO_WARP : pf_str_is(level, "0") ? NEUTRINO_THREAD : 0;
    bool dynamic = pf_str_is(line, "-1");
    if (!m->level || (!dynamic && !read_count(line, INT64_MAX, &m->unit))) {
        return "a section is not LEVEL,SIZE with a level 0 or 1";
    }
    return NULL;
}

const char *pf_neutrino_kernel_info(pf_str text, neutrino_kernel *k)
{
    pf_str params = {"", 0}, sections = {"", 0}, line;
    uint64_t count = 0, n = 0;
    k->maps.count = 0;
    if (!pf_neutrino_line(&text, &k->name) || !pf_neutrino_line(&text, &params) ||
        !pf_neutrino_line(&text, &sections)) {
        return "fewer than three lines";
    }
    if (!read_count(params, INT32_MAX, &n) || !read_count(sections, NEUTRINO_MAPS_MAX, &count)) {
        return "lines two and three are not counts";
    }
    k->params = (int64_t)n;
    const char *fault = NULL;
    for (uint64_t i = 0; i < count && !fault; i++) {
        neutrino_map *m = add_map(&k->maps, (pf_str){"", 0});
        fault = pf_neutrino_line(&text, &line) ? read_section_line(line, m) : "a line for a section is missing";
    }
    return fault;
}
