/* analyze/support/shape_text.h - the shapes of an operator's operands as text. */
#pragma once

#include "base/buffer.h"
#include "base/strings.h"
#include "postfetto/trace.h"

typedef struct pf_shape_form {
    const char *const *keys; /* of the arguments that are shapes; NULL after the last */
    const char *comma;       /* between values */
    bool whole;              /* "[[16, 559], []]": a list alone, in its brackets; else "[16,559],[]" */
} pf_shape_form;

/* The id of the text for an event; that of an empty text without shapes. PF_NONE and err filled if refused. */
uint32_t pf_shape_text(const pf_trace *t, uint32_t event, const pf_shape_form *form, pf_buffer *work, pf_strings *texts,
                       pf_error *err);
