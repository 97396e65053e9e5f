/* analyze/aiu/classes/aiu_transfers.c - the counter TransferBW: the speed that a transfer says it had, until its end.
 */
#include "analyze/aiu/classes/aiu_classes.h"
#include "model/trace/trace.h"
#include "postfetto/arg_columns.h"

static bool is_transfer(const aiu_run *run, uint32_t e)
{
    if (!pf_aiu_is_slice(run, e) || run->events.row[e] == PF_NONE) {
        return false;
    }
    switch (run->events.class[e]) {
    case AIU_CLASS_DATA_IN:
    case AIU_CLASS_DATA_OUT:
    case AIU_CLASS_PROTOCOL_RECV_DATA:
    case AIU_CLASS_PROTOCOL_SEND_DATA:
        return true;
    default:
        return false;
    }
}

static pf_status add_samples(aiu_run *run, const uint32_t *event, uint32_t count, const pf_arg_column *speed)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        uint32_t e = event[i];
        if (!pf_arg_has(speed, i) || !(speed->values.d[i] > 0)) {
            continue;
        }
        int64_t pid = run->events.pid[e];
        st = pf_aiu_add_sample(run, AIU_SERIES_TRANSFER_BW, pid, run->events.ts[e], speed->values.d[i], 0);
        st = st == PF_OK ? pf_aiu_add_sample(run, AIU_SERIES_TRANSFER_BW, pid, pf_aiu_end(run, e), 0, 0) : st;
    }
    return st;
}

pf_status pf_aiu_transfer_counters(aiu_run *run)
{
    static const pf_arg_key keys[] = {{.key = "memory bandwidth (GB/s)", .type = PF_ARG_REAL, .from_text = true}};
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        count += is_transfer(run, run->order[i]);
    }
    uint32_t *event = pf_pass_alloc(run->ctx, (size_t)count + 1, sizeof *event, &run->error);
    uint32_t *row = event ? pf_pass_alloc(run->ctx, (size_t)count + 1, sizeof *row, &run->error) : NULL;
    if (!row || !count) {
        return row ? PF_OK : run->error.code;
    }
    for (uint32_t i = 0, k = 0; i < run->alive; i++) {
        if (is_transfer(run, run->order[i])) {
            row[k] = run->events.row[run->order[i]];
            event[k++] = run->order[i];
        }
    }
    pf_arg_columns *columns;
    pf_arg_options options = {.jobs = run->ctx->jobs, .cancel = run->ctx->cancel};
    pf_status st = pf_arg_columns_read(run->trace, row, count, keys, 1, &options, &columns, &run->error);
    if (st == PF_OK) {
        st = add_samples(run, event, count, pf_arg_column_at(columns, 0));
        pf_arg_columns_free(columns);
        pf_trace_leave_inputs(run->trace);
    }
    return st;
}
