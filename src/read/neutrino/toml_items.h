/* read/neutrino/toml_items.h - the part of TOML that probe definitions use, item by item: tables, and keys with
 * strings, integers or lists of strings. Values of other kinds are stepped over. */
#ifndef PF_READ_NEUTRINO_TOML_ITEMS_H
#define PF_READ_NEUTRINO_TOML_ITEMS_H

#include "base/arena.h"

typedef enum pf_toml_kind {
    PF_TOML_END = 0,
    PF_TOML_TABLE,   /* [a.b.c]: path */
    PF_TOML_TEXT,    /* key = "text": text[0] */
    PF_TOML_INTEGER, /* key = 12: number */
    PF_TOML_LIST,    /* key = ["a", "b"]: the first texts of it */
    PF_TOML_OTHER    /* key = a value of another kind */
} pf_toml_kind;

#define PF_TOML_PATH_MAX 8
#define PF_TOML_LIST_MAX 4

typedef struct pf_toml_item {
    pf_toml_kind kind;
    unsigned line;
    pf_str path[PF_TOML_PATH_MAX]; /* TABLE: the words between the dots; else path[0] is the key */
    unsigned path_count;
    pf_str text[PF_TOML_LIST_MAX];
    unsigned text_count; /* of the list; may be more than are kept */
    int64_t number;
} pf_toml_item;

typedef struct pf_toml {
    const char *at, *end;
    unsigned line;
    pf_arena *arena; /* of strings with escapes */
} pf_toml;

/* The next item. Returns NULL, or what is wrong at t->line. */
const char *pf_toml_next(pf_toml *t, pf_toml_item *item);

#endif
