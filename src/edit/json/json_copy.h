/* edit/json/json_copy.h - the second pass of a cut: the events of each window, as they are written, to its output. */
#pragma once

#include "edit/json/json_survey.h"
#include "edit/redact/redact.h"
#include "postfetto/write.h"

/* Outputs that are written in one pass over the document. */
#define PF_JSON_OUTPUTS 64

/* An output and what went into it. */
typedef struct pf_json_part {
    const char *path;
    uint32_t window;     /* of the survey */
    uint32_t process;    /* only this one; PF_NONE: all */
    pf_redactor *redact; /* of what is written, the same one for all parts; NULL: nothing */
    uint64_t kept, changed, added, begun, ended, bytes;
} pf_json_part;

/* Writes `count` parts, of which PF_JSON_OUTPUTS at a time are open. The outputs are atomic, each by itself. *d is the
 * document of the last pass. */
pf_status pf_json_copy(pf_json_survey *s, const pf_json_source *from, const pf_write_options *o, pf_json_part *parts,
                       uint32_t count, pf_json_document *d, pf_error *err);
