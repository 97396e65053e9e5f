/* analyze/aiu/steps/aiu_classes.c - what each slice does, by rules over names. Then the counter TransferBW
 * of transfers that say how fast they were.
 *
 * What a name says is worked out once for each text and remembered; the events then only look it up. A slice of a
 * collective has a class of its protocol: through the host's memory ("Host DMA", "HCOLL") or from card to card.
 * Transfers of a job between its first and its last kernel belong to a protocol too, even where nothing says so.
 */

#include "analyze/aiu/steps/aiu_steps.h"
#include "base/str.h"
#include "model/trace/trace.h"
#include "postfetto/arg_columns.h"

/* A name that contains WORD, ends in it (WORD$) or is it (^WORD$) has the class, unless it contains the other word,
 * too. The last rule that fits counts. */
typedef struct rule {
    const char *word;
    aiu_class class;
    const char *unless;
} rule;

static const rule flex_rules[] = {
    {"Cmpt Prep$", AIU_CLASS_COMPUTE_PREP, NULL},
    {"Cmpt Exec$", AIU_CLASS_COMPUTE_EXEC, NULL},
    {"Compute of ", AIU_CLASS_DATA_CONVERT, "Compute of SenFusedDeviceNode"},
    {"^PrepareAndSyncRdma$", AIU_CLASS_WIREUP, NULL},
    {"Barrier:", AIU_CLASS_BARRIER, NULL},
    {"barrier:", AIU_CLASS_BARRIER, NULL},
    {"^Flex RoundTrip$", AIU_CLASS_ROUNDTRIP_FLEX, NULL},
    {" DmaI", AIU_CLASS_DATA_IN, NULL},
    {" DmaO", AIU_CLASS_DATA_OUT, NULL},
    {"AIU Roundtrip", AIU_CLASS_ROUNDTRIP_AIU, NULL},
    {NULL, AIU_CLASS_OTHER, NULL},
};
static const rule torch_rules[] = {
    {"Memcpy (HtoD)", AIU_CLASS_DATA_IN, NULL},
    {"Memcpy (DtoH)", AIU_CLASS_DATA_OUT, NULL},
    {"aiuDataConvert", AIU_CLASS_DATA_CONVERT, NULL},
    {"aiuLaunchSuperNode", AIU_CLASS_ROUNDTRIP_FLEX, NULL},
    {"aiuSuperNodeExecution", AIU_CLASS_ROUNDTRIP_FLEX, NULL},
    {NULL, AIU_CLASS_OTHER, NULL},
};
/* Slices of collectives: through the memory of the host, and from card to card. */
static const rule host_rules[] = {
    {"Wait for Delivery Notice", AIU_CLASS_HDMA_MONITOR_NOTICE, NULL},
    {"Wait for Notice", AIU_CLASS_HDMA_MONITOR_NOTICE, NULL},
    {"R5 Send DATA", AIU_CLASS_HDMA_SIGNAL_DATA, NULL},
    {"HCOLL Signal", AIU_CLASS_HDMA_SIGNAL_DATA, NULL},
    {"Send Instruction", AIU_CLASS_HDMA_SIGNAL_DATA, NULL},
    {"R5 Send ACK", AIU_CLASS_HDMA_SIGNAL_ACK, NULL},
    {"Send ACK Instruction", AIU_CLASS_HDMA_SIGNAL_ACK, NULL},
    {"R5 Wait ACK", AIU_CLASS_HDMA_WAIT_ACK, NULL},
    {"Wait for ACK", AIU_CLASS_HDMA_WAIT_ACK, NULL},
    {"R5 Wait DATA", AIU_CLASS_HDMA_WAIT_DATA, NULL},
    {"Wait for Notice (gather notifications)", AIU_CLASS_HDMA_WAIT_DATA, NULL},
    {"Wait for Data Avail Notice", AIU_CLASS_HDMA_WAIT_DATA, NULL},
    {"Wdone DmaI", AIU_CLASS_HDMA_WAIT_DATA, NULL},
    {NULL, AIU_CLASS_OTHER, NULL},
};
static const rule direct_rules[] = {
    {"Xseg to rank", AIU_CLASS_PROTOCOL_SERIAL, NULL},
    {"Set BcList", AIU_CLASS_PROTOCOL_SERIAL, NULL},
    {"DLM Wait", AIU_CLASS_HDMA_WAIT_DATA, NULL},
    {NULL, AIU_CLASS_OTHER, NULL},
};

static bool fits(pf_str name, const char *word)
{
    bool start = *word == '^', end = word[strlen(word) - 1] == '$';
    pf_str part = {word + start, strlen(word) - start - end};
    size_t at = end && name.len >= part.len ? name.len - part.len : 0;
    return start ? pf_str_equal(name, part) : name.ptr && pf_str_find(pf_str_from(name, at), part) != SIZE_MAX;
}

static aiu_class apply(pf_str name, aiu_class c, const rule *r)
{
    for (; r->word; r++) {
        c = fits(name, r->word) && !(r->unless && fits(name, r->unless)) ? r->class : c;
    }
    return c;
}

static aiu_class collective_class(pf_str name, aiu_class c)
{
    bool host = pf_aiu_contains(name, "Host DMA") || pf_aiu_contains(name, "HCOLL");
    c = c == AIU_CLASS_DATA_OUT  ? (host ? AIU_CLASS_HDMA_SEND_DATA : AIU_CLASS_P2P_SEND_DATA)
        : c == AIU_CLASS_DATA_IN ? (host ? AIU_CLASS_HDMA_RECV_DATA : AIU_CLASS_P2P_RECV_DATA)
                                 : c;
    return apply(name, c, host ? host_rules : direct_rules);
}

static aiu_class class_of(const aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, v->name[e]);
    if (v->flags[e] & AIU_TORCH) {
        bool kernel = pf_aiu_contains(pf_aiu_text_of(run, v->cat[e]), "kernel");
        aiu_class c = apply(name, kernel ? AIU_CLASS_COMPUTE_EXEC : AIU_CLASS_OTHER, torch_rules);
        return pf_aiu_contains(name, "HCOLL") ? collective_class(name, c) : c;
    }
    aiu_class c = apply(name, AIU_CLASS_OTHER, flex_rules);
    return v->group[e] ? collective_class(name, c) : c;
}

/* A class depends on the name's text and on whether the slice is of a collective; of torch slices on their category,
 * too. These are few. */
void pf_aiu_classify(aiu_run *run)
{
    aiu_events *v = &run->events;
    uint64_t flex = 0;
    pf_map *known = pf_aiu_scratch_map(run);
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        uint64_t torch = v->flags[e] & AIU_TORCH ? (uint64_t)v->cat[e] << 2 | 2u : 0;
        uint64_t key = (uint64_t)v->name[e] << 32 | torch | (v->group[e] ? 1u : 0);
        uint32_t c = pf_map_get(known, key);
        if (c == PF_NONE) {
            c = class_of(run, e);
            pf_aiu_map(run, known, key, c);
        }
        v->class[e] = (uint8_t)c;
        v->flags[e] |= AIU_HAS_CLASS;
        flex += !torch;
    }
    pf_aiu_warn(run, "CAT: Found ", pf_aiu_rule(run, AIU_OTHER_WORDS) && run->classes_on ? flex : 0,
                " categorization mismatches compared to FLEX src classifier.");
}

static bool is_transfer(aiu_run *run, uint32_t e)
{
    uint8_t c = run->events.class[e];
    return pf_aiu_is_slice(run, e) && run->events.row[e] != PF_NONE &&
           (c == AIU_CLASS_DATA_IN || c == AIU_CLASS_DATA_OUT || c == AIU_CLASS_PROTOCOL_RECV_DATA ||
            c == AIU_CLASS_PROTOCOL_SEND_DATA);
}

/* The speed that a transfer says it had, until its end. */
static void draw_speeds(aiu_run *run)
{
    static const pf_arg_key key = {.key = "memory bandwidth (GB/s)", .type = PF_ARG_REAL, .from_text = true};
    aiu_rows rows = pf_aiu_rows(run, is_transfer);
    pf_arg_columns *columns = pf_aiu_arguments(run, rows, &key, 1);
    const pf_arg_column *speed = columns ? pf_arg_column_at(columns, 0) : NULL;
    for (uint32_t i = 0; speed && i < rows.count; i++) {
        uint32_t e = rows.list[i];
        if (pf_arg_has(speed, i) && speed->values.d[i] > 0) {
            pf_aiu_add_plateau(run, AIU_SERIES_TRANSFER_BW, run->events.pid[e], run->events.ts[e], pf_aiu_end(run, e),
                               speed->values.d[i]);
        }
    }
    pf_arg_columns_free(columns);
    if (columns) {
        pf_trace_leave_inputs(run->trace);
    }
}

static bool computes(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && run->events.class[e] == AIU_CLASS_COMPUTE_EXEC;
}

void pf_aiu_classify_between(aiu_run *run)
{
    aiu_events *v = &run->events;
    aiu_range *starts = pf_aiu_scratch(run, run->job_count, sizeof *starts); /* of a job's kernels */
    for (uint32_t i = 0, e; starts && pf_aiu_next(run, computes, &i, &e);) {
        pf_aiu_widen(&starts[v->job[e]], v->ts[e], v->ts[e]);
    }
    for (uint32_t i = 0, e; starts && pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        const aiu_range *r = &starts[v->job[e]];
        bool between = !(v->flags[e] & AIU_TORCH) && r->any && v->ts[e] > r->from && v->ts[e] < r->to;
        bool signal = (v->flags[e] & AIU_BYTES_NUMBER) && v->bytes[e] == 128;
        if (between && v->class[e] == AIU_CLASS_DATA_OUT) {
            v->class[e] = signal ? AIU_CLASS_PROTOCOL_SIGNAL_DATA : AIU_CLASS_PROTOCOL_SEND_DATA;
        } else if (between && v->class[e] == AIU_CLASS_DATA_IN) {
            v->class[e] = signal ? AIU_CLASS_PROTOCOL_SIGNAL_ACK : AIU_CLASS_PROTOCOL_RECV_DATA;
        }
    }
    draw_speeds(run);
}
