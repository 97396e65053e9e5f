/* analyze/aiu/steps/aiu_classes.c - what each slice does, by rules over names: later ones override earlier ones. Then
 * the counter TransferBW of transfers that say how fast they were.
 *
 * What a name says is worked out once for each text and remembered; the events then only look it up. A slice of a
 * collective has a class of its protocol: through the host's memory ("Host DMA", "HCOLL") or from card to card.
 * Transfers of a job between its first and its last kernel belong to a protocol too, even where nothing says so.
 */
#include <math.h>

#include "analyze/aiu/steps/aiu_steps.h"
#include "base/str.h"
#include "model/trace/trace.h"
#include "postfetto/arg_columns.h"

typedef struct rule {
    const char *word;
    uint8_t class; /* aiu_class */
} rule;

/* ---- slices of no collective ------------------------------------------------------------------------------------- */

static const rule flex_rules[] = {
    {" DmaI", AIU_CLASS_DATA_IN},
    {" DmaO", AIU_CLASS_DATA_OUT},
    {"AIU Roundtrip", AIU_CLASS_ROUNDTRIP_AIU},
};
static const rule torch_rules[] = {
    {"Memcpy (HtoD)", AIU_CLASS_DATA_IN},
    {"Memcpy (DtoH)", AIU_CLASS_DATA_OUT},
    {"aiuDataConvert", AIU_CLASS_DATA_CONVERT},
    {"aiuLaunchSuperNode", AIU_CLASS_ROUNDTRIP_FLEX},
    {"aiuSuperNodeExecution", AIU_CLASS_ROUNDTRIP_FLEX},
};
#define RULES(list) (list), sizeof(list) / sizeof *(list)

static aiu_class apply_rules(pf_str name, aiu_class c, const rule *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        c = pf_aiu_contains(name, list[i].word) ? (aiu_class)list[i].class : c;
    }
    return c;
}

/* "Compute of NODE", unless the node is the device's. */
static bool converts(pf_str name)
{
    const pf_str mark = PF_STR("Compute of ");
    size_t at = name.ptr ? pf_str_find(name, mark) : SIZE_MAX;
    return at != SIZE_MAX && !pf_str_starts(pf_str_from(name, at + mark.len), PF_STR("SenFusedDeviceNode"));
}

static aiu_class flex_class(pf_str name)
{
    aiu_class c = AIU_CLASS_OTHER;
    c = pf_str_ends(name, PF_STR("Cmpt Prep")) ? AIU_CLASS_COMPUTE_PREP : c;
    c = pf_str_ends(name, PF_STR("Cmpt Exec")) ? AIU_CLASS_COMPUTE_EXEC : c;
    c = converts(name) ? AIU_CLASS_DATA_CONVERT : c;
    c = pf_str_is(name, "PrepareAndSyncRdma") ? AIU_CLASS_WIREUP : c;
    c = pf_aiu_contains(name, "Barrier:") || pf_aiu_contains(name, "barrier:") ? AIU_CLASS_BARRIER : c;
    c = pf_str_is(name, "Flex RoundTrip") ? AIU_CLASS_ROUNDTRIP_FLEX : c;
    return apply_rules(name, c, RULES(flex_rules));
}

static aiu_class torch_class(pf_str name, pf_str cat)
{
    aiu_class c = pf_aiu_contains(cat, "kernel") ? AIU_CLASS_COMPUTE_EXEC : AIU_CLASS_OTHER;
    return apply_rules(name, c, RULES(torch_rules));
}

/* ---- slices of collectives --------------------------------------------------------------------------------------- */

/* The first that fits counts. */
static const rule host_rules[] = {
    {"Wdone DmaI", AIU_CLASS_HDMA_WAIT_DATA},
    {"Wait for Data Avail Notice", AIU_CLASS_HDMA_WAIT_DATA},
    {"Wait for Notice (gather notifications)", AIU_CLASS_HDMA_WAIT_DATA},
    {"R5 Wait DATA", AIU_CLASS_HDMA_WAIT_DATA},
    {"Wait for ACK", AIU_CLASS_HDMA_WAIT_ACK},
    {"R5 Wait ACK", AIU_CLASS_HDMA_WAIT_ACK},
    {"Send ACK Instruction", AIU_CLASS_HDMA_SIGNAL_ACK},
    {"R5 Send ACK", AIU_CLASS_HDMA_SIGNAL_ACK},
    {"Send Instruction", AIU_CLASS_HDMA_SIGNAL_DATA},
    {"HCOLL Signal", AIU_CLASS_HDMA_SIGNAL_DATA},
    {"R5 Send DATA", AIU_CLASS_HDMA_SIGNAL_DATA},
    {"Wait for Notice", AIU_CLASS_HDMA_MONITOR_NOTICE},
    {"Wait for Delivery Notice", AIU_CLASS_HDMA_MONITOR_NOTICE},
};

static aiu_class host_class(pf_str name, aiu_class c)
{
    for (size_t i = 0; i < sizeof host_rules / sizeof *host_rules; i++) {
        if (pf_aiu_contains(name, host_rules[i].word)) {
            return (aiu_class)host_rules[i].class;
        }
    }
    return c == AIU_CLASS_DATA_OUT ? AIU_CLASS_HDMA_SEND_DATA : c == AIU_CLASS_DATA_IN ? AIU_CLASS_HDMA_RECV_DATA : c;
}

static aiu_class collective_class(pf_str name, aiu_class c)
{
    if (pf_aiu_contains(name, "Host DMA") || pf_aiu_contains(name, "HCOLL")) {
        return host_class(name, c);
    }
    if (pf_aiu_contains(name, "DLM Wait")) {
        return AIU_CLASS_HDMA_WAIT_DATA;
    }
    if (pf_aiu_contains(name, "Set BcList") || pf_aiu_contains(name, "Xseg to rank")) {
        return AIU_CLASS_PROTOCOL_SERIAL;
    }
    return c == AIU_CLASS_DATA_OUT ? AIU_CLASS_P2P_SEND_DATA : c == AIU_CLASS_DATA_IN ? AIU_CLASS_P2P_RECV_DATA : c;
}

static aiu_class class_of(const aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, v->name[e]);
    if (v->flags[e] & AIU_TORCH) {
        aiu_class c = torch_class(name, pf_aiu_text_of(run, v->cat[e]));
        return pf_aiu_contains(name, "HCOLL") ? collective_class(name, c) : c;
    }
    aiu_class c = flex_class(name);
    return v->group[e] ? collective_class(name, c) : c;
}

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* What a class depends on, as a key: the name's text and whether the slice is of a collective. Categories are few, and
 * only torch slices look at them. */
static uint64_t key_of(const aiu_run *run, uint32_t e)
{
    const aiu_events *v = &run->events;
    bool torch = v->flags[e] & AIU_TORCH;
    return (uint64_t)v->name[e] << 32 | (torch ? (uint64_t)v->cat[e] << 2 | 2u : 0) | (v->group[e] ? 1u : 0);
}

void pf_aiu_classify(aiu_run *run)
{
    pf_map known;
    uint64_t flex = 0;
    pf_map_init(&known, run->budget);
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (!pf_aiu_is_slice(run, e)) {
            continue;
        }
        uint64_t key = key_of(run, e);
        uint32_t c = pf_map_get(&known, key);
        if (c == PF_NONE) {
            c = class_of(run, e);
            pf_aiu_map(run, &known, key, c);
        }
        run->events.class[e] = (uint8_t)c;
        run->events.flags[e] |= AIU_HAS_CLASS;
        flex += !(run->events.flags[e] & AIU_TORCH);
    }
    pf_map_free(&known);
    if (flex && pf_acelyzer(run) && run->classes_on) {
        pf_aiu_log(run, "WARNING", "CAT: Found %llu categorization mismatches compared to FLEX src classifier.",
                   (unsigned long long)flex);
    }
}

/* The starts of a job's first and last kernel. */
typedef struct kernel_range {
    double first, last;
} kernel_range;

static void find_ranges(const aiu_run *run, kernel_range *ranges)
{
    for (uint32_t j = 0; j < run->job_count; j++) {
        ranges[j] = (kernel_range){INFINITY, -INFINITY};
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e) && run->events.class[e] == AIU_CLASS_COMPUTE_EXEC) {
            kernel_range *r = &ranges[run->events.job[e]];
            r->first = fmin(r->first, run->events.ts[e]);
            r->last = fmax(r->last, run->events.ts[e]);
        }
    }
}

static uint8_t class_between(const aiu_events *v, uint32_t e)
{
    bool signal = (v->flags[e] & AIU_BYTES_NUMBER) && v->bytes[e] == 128;
    switch (v->class[e]) {
    case AIU_CLASS_DATA_OUT:
        return signal ? AIU_CLASS_PROTOCOL_SIGNAL_DATA : AIU_CLASS_PROTOCOL_SEND_DATA;
    case AIU_CLASS_DATA_IN:
        return signal ? AIU_CLASS_PROTOCOL_SIGNAL_ACK : AIU_CLASS_PROTOCOL_RECV_DATA;
    default:
        return v->class[e];
    }
}

/* ---- the speed of transfers -------------------------------------------------------------------------------------- */

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
    if (!columns) {
        return;
    }
    const pf_arg_column *speed = pf_arg_column_at(columns, 0);
    for (uint32_t i = 0; i < rows.count; i++) {
        uint32_t e = rows.list[i];
        if (pf_arg_has(speed, i) && speed->values.d[i] > 0) {
            pf_aiu_add_plateau(run, AIU_SERIES_TRANSFER_BW, run->events.pid[e], run->events.ts[e], pf_aiu_end(run, e),
                               speed->values.d[i]);
        }
    }
    pf_arg_columns_free(columns);
    pf_trace_leave_inputs(run->trace);
}

void pf_aiu_classify_between(aiu_run *run)
{
    kernel_range *ranges = pf_aiu_scratch(run, run->job_count, sizeof *ranges);
    aiu_events *v = &run->events;
    if (!ranges) {
        return;
    }
    find_ranges(run, ranges);
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        const kernel_range *r = &ranges[v->job[e]];
        bool between = v->ts[e] > r->first && v->ts[e] < r->last;
        if (pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e) && !(v->flags[e] & AIU_TORCH) && between) {
            v->class[e] = class_between(v, e);
        }
    }
    draw_speeds(run);
}
