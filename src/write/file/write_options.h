/* write/file/write_options.h - the options of a caller, who may have been compiled with another release, as ours. */
#ifndef PF_WRITE_FILE_WRITE_OPTIONS_H
#define PF_WRITE_FILE_WRITE_OPTIONS_H

#include "base/sized.h"
#include "postfetto/write.h"

/* Defaults where o is NULL. */
static inline pf_write_options pf_write_options_of(const pf_write_options *o)
{
    pf_write_options all = pf_write_options_default();
    if (o) {
        pf_sized_take(&all, sizeof all, o, o->size, PF_SIZED_UPTO(pf_write_options, loose_flows));
    }
    return all;
}

#endif
