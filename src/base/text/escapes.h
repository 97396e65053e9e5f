/* base/text/escapes.h - the escapes of JSON strings to UTF-8. */
#ifndef PF_BASE_TEXT_ESCAPES_H
#define PF_BASE_TEXT_ESCAPES_H

#include "postfetto/base.h"

/* Decodes the bytes between the quotes of a string into `out`, which has room for `len` bytes (a decoded string is
 * never longer). Returns the decoded length. *lone counts surrogates without a partner; they are kept in three-byte
 * form. Escapes that JSON does not know stand for themselves without the backslash. */
size_t pf_json_unescape(const uint8_t *text, size_t len, char *out, unsigned *lone);

#endif
