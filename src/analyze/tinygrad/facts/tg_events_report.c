/* analyze/tinygrad/facts/tg_events_report.c - events.json: every event of the profile plainly, in the order of the
 * file. Tables have what can be measured; the rest is in the input, which is read once more. */
#include "analyze/tinygrad/facts/tg_input.h"
#include "postfetto/read.h"

pf_status pf_tg_visit_events(const void *of, const pf_arg_visitor *v, pf_error *err)
{
    const tg_input *in = of;
    return pf_visit_input(in->t, 0, v, err);
}
