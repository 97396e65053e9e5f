/* analyze/aie/converted.h - what a conversion of Chrome JSON to Perfetto noted, for inputs that are one. */
#ifndef PF_ANALYZE_AIE_CONVERTED_H
#define PF_ANALYZE_AIE_CONVERTED_H

#include "base/arena.h"
#include "model/trace/trace.h"

/* An event without a packet. */
typedef struct aie_noted {
    uint32_t upid, input, place;
    char phase;
    bool timed;
    int64_t ts;
    pf_str name;    /* of the event */
    pf_str process; /* args.name; ptr NULL: none that is a text */
} aie_noted;

typedef struct aie_converted {
    const uint32_t *names; /* of the rows; 0 for those that stand for another event */
    uint32_t *place;       /* by row, of inputs that are conversions; NULL: there are none */
    aie_noted *list;
    uint32_t count;
} aie_converted;

pf_status pf_aie_read_notes(const pf_trace *t, pf_arena *scratch, aie_converted *out, pf_error *err);

#endif
