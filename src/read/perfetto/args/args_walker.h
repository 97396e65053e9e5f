/* read/perfetto/args/args_walker.h - the walk over the arguments of one event, between the files that do parts of it.
 */
#pragma once

#include "base/buffer.h"
#include "perfetto/fields.h"
#include "read/perfetto/import/import.h"

#define PF_WALKER_INLINE_FRAMES 16

/* An open dictionary or list: the fields of `items` with that tag are its entries. */
typedef struct pf_walker_frame {
    pf_cursor items, keys; /* keys: of a deprecated dictionary, parallel to items */
    uint32_t tag;
    bool list, nested; /* nested: entries are NestedValues */
} pf_walker_frame;

typedef struct pf_walker {
    const pf_trace *t;
    const pf_generation *generation;
    const pf_arg_visitor *v;
    pf_error *err;
    pf_walker_frame *frames, inline_frames[PF_WALKER_INLINE_FRAMES];
    uint32_t depth, room, keys;
    bool damaged, unknown; /* something did not decode; something refers to an id that nothing defines */
    pf_buffer key, text;   /* text: a value that must be written anew */
} pf_walker;

/* args_walker.c: the string of an interning id; {NULL, 0} if nothing defines it. */
pf_str pf_walker_interned(pf_walker *w, pf_intern_kind kind, uint64_t iid);

/* args_walker.c: hand a value to the visitor, within the limits. The text is left out if its ptr is NULL. */
pf_status pf_walker_send(pf_walker *w, pf_str key, const pf_value *value);
pf_status pf_walker_send_text(pf_walker *w, const char *key, pf_str text);
pf_status pf_walker_send_number(pf_walker *w, const char *key, pf_value_type type, uint64_t number);

/* args_walker.c: fails because of the limit that the flag sets. */
pf_status pf_walker_too_much(pf_walker *w, const char *flag);

/* field_args.c: whether a field of the event may become an argument that is called so; of names without dots. */
bool pf_walker_field_gives(pf_str name);

/* field_args.c: the fields of the event that become arguments in front of its annotations, and after them. */
pf_status pf_walker_fields_before(pf_walker *w, const uint8_t *event, size_t len);
pf_status pf_walker_fields_after(pf_walker *w, const uint8_t *event, size_t len);

/* legacy_json_args.c: a JSON text as arguments below the key, which is {NULL, 0} inside a list; nothing if it is no
 * JSON. */
pf_status pf_walker_json(pf_walker *w, pf_str key, pf_str json);
