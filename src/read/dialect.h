/* read/dialect.h - who wrote a trace. */
#ifndef PF_READ_DIALECT_H
#define PF_READ_DIALECT_H

#include "model/trace.h"

/* The dialect that the names and metadata of a trace give away, NULL if none shows. */
const char *pf_dialect_told(const pf_trace *t);

/* Whether a process name is one that AIE trace tools write. */
bool pf_dialect_is_aie_process(pf_str name);

/* All dialects, ended by NULL, and the one of this name as static text, NULL if there is none. */
const char *const *pf_dialects(void);
const char *pf_dialect_named(const char *name);

#endif
