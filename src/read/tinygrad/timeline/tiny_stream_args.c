/* read/tinygrad/timeline/tiny_stream_args.c - the arguments of waves, issues and executions, from the side tables when
 * somebody asks. Times are those of the stream, in cycles. */
#include <string.h>

#include "read/tinygrad/hardware/hardware.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

static pf_status put(const pf_arg_visitor *v, const char *key, int64_t number)
{
    return v->value(v->ctx, (pf_str){key, strlen(key)}, &(pf_value){.type = PF_VALUE_INT, .as.i = number});
}

/* What the wave issued, if its unit was traced. */
static pf_status put_traced(const pf_trace *t, uint32_t wave, const pf_arg_visitor *v)
{
    const pf_side_table *s = pf_trace_table(t, "tinygrad_sqtt_traced_wave");
    uint32_t row = s && s->count ? pf_rows_lower_bound(s->column[TRACED_WAVE], s->count, wave) : 0;
    if (!s || row >= s->count || *pf_side_ref(s, TRACED_WAVE, row) != wave) {
        return PF_OK;
    }
    pf_status st = put(v, "debug.instructions", *pf_side_number(s, TRACED_INSTRUCTIONS, row));
    return st == PF_OK ? put(v, "debug.wait_cycles", *pf_side_number(s, TRACED_WAIT, row)) : st;
}

pf_status pf_tiny_decode_wave(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                              const pf_arg_visitor *v, pf_error *err)
{
    (void)bytes, (void)len, (void)err;
    const pf_side_table *s = pf_trace_table(t, "tinygrad_sqtt_wave");
    if (!s || context >= s->count) {
        return PF_OK;
    }
    int64_t start = *pf_side_number(s, WAVE_START, context);
    pf_status st = put(v, "debug.start_cycle", start);
    st = st == PF_OK ? put(v, "debug.cycles", *pf_side_number(s, WAVE_END, context) - start) : st;
    return st == PF_OK ? put_traced(t, context, v) : st;
}

pf_status pf_tiny_decode_slice(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                               const pf_arg_visitor *v, pf_error *err)
{
    (void)bytes, (void)len, (void)err;
    const pf_side_table *s = pf_trace_table(t, "tinygrad_sqtt_slice");
    if (!s || context >= s->count) {
        return PF_OK;
    }
    int64_t pc = *pf_side_number(s, SLICE_PC, context);
    pf_status st = put(v, "debug.start_cycle", *pf_side_number(s, SLICE_START, context));
    st = st == PF_OK ? put(v, "debug.cycles", *pf_side_number(s, SLICE_LENGTH, context)) : st;
    return st == PF_OK && pc != INT64_MIN ? put(v, "debug.pc", pc) : st;
}
