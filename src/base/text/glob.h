/* base/text/glob.h - file name patterns, byte by byte, whatever the host's locale is. */
#pragma once

#include <stdbool.h>

/* Whether the whole name fits the pattern: * any bytes, ? any byte, [a-z] one of these, [!a-z] or [^a-z] none of them,
 * \ takes the next byte as it is. A [ without its ] is itself. */
bool pf_glob_fits(const char *pattern, const char *name);
