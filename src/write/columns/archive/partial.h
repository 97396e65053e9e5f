/* write/columns/archive/partial.h - what a pass found in some inputs, as a file that a merge reads back:
 * docs/reference/partial.md.
 */
#pragma once

#include "postfetto/findings.h"
#include "postfetto/write.h"

/* Writes the tables of the findings that have a name and rows. manifest: an object of the findings, which gets what the
 * reader needs to know of the tables. */
pf_status pf_partial_write(pf_findings *f, pf_node *manifest, const char *path, const pf_write_options *o,
                           pf_error *err);
