#include "base/text/errno_text.h"

#include <string.h>

/* strerror translates in glibc (and needs a buffer of its thread); other C libraries have no such twin of it. */
const char *pf_errno_text(int number)
{
#ifdef __GLIBC__
    const char *text = strerrordesc_np(number);
#else
    const char *text = strerror(number);
#endif
    return text ? text : "unknown error";
}
