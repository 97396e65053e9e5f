/* edit/redact/redact.h - replaces texts in packets and in JSON by keyed hashes (postfetto/redact.h).
 *
 * Which texts there are and what they mean is known from perfetto/roles.h; this room decides what becomes of each:
 *
 *   role                     names   args    paths               else
 *   NAME                     hash            hash paths in it    stays
 *   VALUE, JSON                      hash    hash paths in it    stays
 *   PATH                                     hash                stays
 *   KEY                                      hash paths in it    stays
 *   COMMAND, PRIVATE         hash    hash    hash
 *
 * Hashes are kept, so that each text is hashed once as long as memory for them lasts (PF_REDACT_KNOWN bytes).
 */
#pragma once

#include "base/buffer.h"
#include "base/strings.h"
#include "perfetto/role_walk.h"
#include "postfetto/redact.h"

#define PF_REDACT_DIGITS 12
#define PF_REDACT_KNOWN ((uint64_t)32 << 20)

typedef struct pf_redact_known { /* of a text: its hash, empty where it stays */
    char hash[1 + PF_REDACT_DIGITS + 1];
} pf_redact_known;

typedef struct pf_redactor {
    pf_redact_options o;
    uint8_t key[64]; /* as a block of the hash */
    pf_budget *budget;
    pf_strings texts;
    pf_redact_known *known; /* by string id */
    uint32_t known_room;
    uint64_t known_bytes;
    pf_buffer block;  /* what is hashed, and a text with its NUL */
    pf_buffer text;   /* a text with hashes in it */
    pf_buffer plain;  /* a text of JSON without its escapes */
    pf_buffer pieces; /* a text that is put together */
    pf_buffer json;
    pf_buffer packet;
    pf_writer writer;
    pf_role_walk walk;
    bool metadata; /* the event in hand names a thread or process: its value is a name */
    pf_redact_result result;
} pf_redactor;

/* The options are copied, their key too; the patterns must outlive the redactor. PF_ERR_USAGE: the key is too short. */
pf_status pf_redactor_init(pf_redactor *r, const pf_redact_options *o, pf_budget *budget, pf_error *err);
void pf_redactor_free(pf_redactor *r);

/* A key that nobody knows, for several redactors. */
#define PF_REDACT_KEY_MADE 32
pf_status pf_redact_make_key(uint8_t key[PF_REDACT_KEY_MADE], pf_error *err);

/* A packet without its tag and length; *out is the same bytes, others that are valid until the next call, or
 * {NULL, 0}: it is left out. Compressed packets are left out: unpack them before. */
pf_status pf_redact_packet(pf_redactor *r, pf_bytes packet, pf_bytes *out, pf_error *err);

/* Whole packets, tags and lengths included: appends what remains of them. */
pf_status pf_redact_packets(pf_redactor *r, pf_bytes packets, pf_buffer *out, pf_error *err);

typedef enum pf_redact_place {
    PF_REDACT_EVENT,    /* an event of Chrome JSON */
    PF_REDACT_MEMBER,   /* the value of a member next to the events */
    PF_REDACT_ARGUMENT, /* a value of arguments */
} pf_redact_place;

/* A JSON value with its texts replaced, valid until the next call. `key` is the name of the member. {NULL, 0}, where it
 * cannot be read as JSON: it is left out. */
pf_status pf_redact_json(pf_redactor *r, pf_redact_place place, pf_str key, pf_str value, pf_str *out, pf_error *err);

/* ---- for the files of this folder -------------------------------------------------------------------------------- */

/* What becomes of a text, valid until the next call: *to is the text itself where it stays. */
pf_status pf_redact_text(pf_redactor *r, pf_field_role role, pf_str text, pf_str *to, pf_error *err);

/* What becomes of a text as a whole, whatever the options say: its hash, or itself if it is to be kept. */
pf_status pf_redact_whole(pf_redactor *r, pf_str text, pf_str *to, pf_error *err);

/* Paths inside a text. */
pf_status pf_redact_paths(pf_redactor *r, pf_str text, pf_str *to, pf_error *err);

/* Whether it is a number, as a decimal or after 0x: names nobody. */
bool pf_redact_is_number(pf_str text);
