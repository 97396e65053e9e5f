/* read/neutrino/probe_maps.h - what a record holds: the maps that a probe definition declares
 * (docs/reference/neutrino.md, "Maps"). */
#pragma once

#include "base/arena.h"

#define NEUTRINO_FIELDS_MAX 32
#define NEUTRINO_MAPS_MAX 64
#define NEUTRINO_RECORD_MAX 65536u /* bytes */

typedef struct neutrino_field {
    pf_str name;
    unsigned bytes;  /* 4 or 8 */
    unsigned offset; /* in the record: all of 8 bytes come first */
} neutrino_field;

typedef enum neutrino_level { NEUTRINO_ANY_LEVEL = 0, NEUTRINO_THREAD, NEUTRINO_WARP } neutrino_level;

static inline const char *pf_neutrino_level_name(neutrino_level level)
{
    return level == NEUTRINO_WARP ? "warp" : "thread";
}

typedef struct neutrino_map {
    pf_str name; /* may be empty */
    neutrino_level level;
    uint64_t bytes;    /* of a record; 0: not known */
    uint64_t capacity; /* records of a unit; 0: dynamic or not known */
    uint64_t unit;     /* bytes of a unit as kernel.info says them; 0: not known */
    neutrino_field field[NEUTRINO_FIELDS_MAX];
    unsigned fields;
} neutrino_map;

typedef struct neutrino_maps {
    neutrino_map map[NEUTRINO_MAPS_MAX];
    unsigned count;
    const char *source; /* "probe.toml", "kernel.info", "--map", or NULL */
} neutrino_maps;

/* Each fills *maps. They return NULL, or what is wrong with the text, at *line where that is a pointer. Names point
 * into the text or the arena. */
const char *pf_neutrino_maps_of_toml(pf_str text, pf_arena *arena, neutrino_maps *maps, unsigned *line);
const char *pf_neutrino_map_of_option(pf_str text, neutrino_map *map);

/* kernel.info: name, number of parameters, and a map of unknown fields for each section. */
typedef struct neutrino_kernel {
    pf_str name;
    int64_t params;
    neutrino_maps maps;
} neutrino_kernel;
const char *pf_neutrino_kernel_info(pf_str text, neutrino_kernel *k);

/* "block_sched", "dmat", ...: what the fields make of the map; "" for others. */
const char *pf_neutrino_kind(const neutrino_map *map);

const neutrino_field *pf_neutrino_find_field(const neutrino_map *map, const char *name);

/* The next line without its end; false after the last one. */
bool pf_neutrino_line(pf_str *rest, pf_str *line);
