/* postfetto/redact.h - texts of a trace replaced by hashes, so that it can be sent to somebody.
 *
 * A text becomes "x" and 12 hexadecimal digits of its HMAC-SHA256 under a key: who has not the key cannot find out
 * texts by guessing them, and with one key the same text has the same hash in every trace. Numbers, times and structure
 * stay as they are, and so do keys of arguments and words that the format itself defines. What is not understood is
 * left out and counted. pf_cut_options.redact (edit.h) asks for it.
 */
#ifndef POSTFETTO_REDACT_H
#define POSTFETTO_REDACT_H

#include "postfetto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whatever of these is chosen: command lines, what names the machine and its system, texts of the recording's settings
 * and of its attributes go too. */
enum {
    PF_REDACT_NAMES = 1, /* of events, tracks, counters, processes, threads, categories, functions */
    PF_REDACT_ARGS = 2,  /* values of arguments that are texts, and messages of logs */
    PF_REDACT_PATHS = 4  /* of files, also inside of texts that stay, and in keys of arguments */
};

#define PF_REDACT_KEY_MIN 16

typedef struct pf_redact_options { /* never grows */
    uint32_t what;                 /* PF_REDACT_* */
    pf_bytes key; /* at least PF_REDACT_KEY_MIN bytes; ptr NULL: a random one, whose hashes fit no other run */
    const char *const *keep; /* patterns (* ? [a-z]): texts that fit one of them as a whole stay as they are */
    size_t keep_count;
} pf_redact_options;

typedef struct pf_redact_result { /* never grows */
    uint64_t texts;               /* replaced, counted each time */
    uint64_t packets;             /* whose kind is not understood: their data is left out */
    uint64_t parts;               /* of other packets and events, left out for the same reason */
} pf_redact_result;

#ifdef __cplusplus
}
#endif
#endif
