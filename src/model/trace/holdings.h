/* model/trace/holdings.h - what a trace holds, in a few words, for messages that say that something is not there. */
#ifndef PF_MODEL_TRACE_HOLDINGS_H
#define PF_MODEL_TRACE_HOLDINGS_H

#include "base/buffer.h"
#include "postfetto/trace.h"

/* "375 events (cpu_op 300, cuda_runtime 70 and 2 more categories), 12 counter samples, 40 rows of neutrino_page";
 * "no events". */
void pf_trace_put_holdings(const pf_trace *t, pf_buffer *out);

#endif
