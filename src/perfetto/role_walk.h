/* perfetto/role_walk.h - visits the fields of a message that have a role, and writes the message anew with changes.
 *
 *     pf_role_walk_begin(&w, PF_MSG_PACKET, bytes, len, &writer);
 *     while (pf_role_walk_next(&w, &f)) {
 *         if (f.role == PF_ROLE_TRACK) {
 *             pf_role_walk_number(&w, renumbered(f.field.value));
 *         } else if (f.role == PF_ROLE_UNKNOWN) {
 *             pf_role_walk_drop(&w);
 *         }
 *     }
 *     bool changed = pf_role_walk_end(&w);
 *
 * A message comes first itself, then its fields, then what follows it. Values that refer to nothing are passed over
 * (PF_ROLE_NUMBER, PF_ROLE_DATA); elements of packed lists come one by one. What has no role comes as PF_ROLE_UNKNOWN,
 * also fields whose number Perfetto skips (field.tag 0, bytes are the whole field), and the rest of a message that
 * cannot be read as PF_ROLE_MALFORMED.
 *
 * Nothing is written before the first change. Then what lies in front of it is copied, the messages around it are
 * begun, and whatever is not changed is copied in one piece: lengths are minimal along the way to a change, and every
 * other byte is as it was. Without a change nothing is written at all, and the original bytes are the result.
 *
 * One stack of fixed size, no recursion: a message deeper than PF_ROLE_DEPTH is PF_ROLE_UNKNOWN.
 */
#pragma once

#include "perfetto/roles.h"
#include "wire/cursor.h"
#include "wire/writer.h"

#define PF_ROLE_DEPTH 256

typedef struct pf_role_field {
    pf_field_role role;
    pf_message message; /* that it is a field of */
    pf_message child;   /* of PF_ROLE_MESSAGE */
    uint32_t kind;      /* of PF_ROLE_IID and PF_ROLE_OWN_IID: the field of InternedData that lists the entries */
    bool element;       /* of a packed list: its field.tag is that of the list, its value the element */
    pf_field field;
} pf_role_field;

typedef struct pf_role_frame { /* an open message or packed list */
    const uint8_t *begin;      /* of its field in the message around it */
    const uint8_t *end;
    const uint8_t *copied; /* what lies in front is written, or left out */
    uint32_t tag;
    pf_fact fact; /* of its field */
    bool list;
    bool open; /* begun in the output */
} pf_role_frame;

typedef struct pf_role_walk {
    pf_writer *out; /* NULL: reads only */
    bool changed;
    bool enters;       /* the message delivered last is entered by the next step */
    const uint8_t *at; /* after the field delivered last, which began at `field` */
    const uint8_t *field;
    pf_role_field last;
    unsigned depth;
    pf_role_frame frame[PF_ROLE_DEPTH];
} pf_role_walk;

/* Begins with a message of less than 256 MiB, which may be malformed in any way. The fields of the output are appended
 * to the writer's innermost open message, which the caller begins and ends. */
void pf_role_walk_begin(pf_role_walk *w, pf_message message, const uint8_t *bytes, size_t len, pf_writer *out);

/* The next field with a role; false at the end. */
bool pf_role_walk_next(pf_role_walk *w, pf_role_field *f);

/* What is written in place of the field delivered last; one of them for a field, and none once it is entered. A number
 * keeps its wire type, and 32 bits of it count where that holds no more. */
void pf_role_walk_number(pf_role_walk *w, uint64_t value);
void pf_role_walk_text(pf_role_walk *w, pf_str text);
void pf_role_walk_drop(pf_role_walk *w);

/* After the last field: whether anything was changed, so that the whole message was written. Refused memory makes the
 * writer fail (pf_writer.failed). */
bool pf_role_walk_end(pf_role_walk *w);
