/* read/chrome_json/dialect.h - who wrote a trace. */
#ifndef PF_READ_JSON_DIALECT_H
#define PF_READ_JSON_DIALECT_H

#include "model/trace.h"

/* The dialect of a trace whose document was read, "chrome-json" if none shows. has_attr: an event has an object "attr". */
const char *pf_json_dialect(const pf_trace *t, bool has_attr);

#endif
