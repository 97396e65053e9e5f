/* query/query_warnings.c - SQL that runs but may not mean what it says.
 *
 * Some data sources fill tables of Perfetto's engine and are not decoded here. A query of such a table would be wrong
 * without a word: so each statement's tables (what follows FROM or JOIN) are compared with the packets that
 * the trace has, and the caller is warned, once for each table and source.
 */
#include <stdio.h>
#include <string.h>

#include "query/session/session.h"
#include "query/session/split_sql.h"

void pf_query_set_warning(pf_query *q, pf_query_warning warn, void *ctx)
{
    q->warn = warn;
    q->warn_ctx = ctx;
}

#define SLICES "slice slices thread_slice process_slice thread_or_process_slice instant"
#define COUNTERS "counter counters"
#define SCHEDULING "sched sched_slice thread_state"

#define HEAP_GRAPH                                                                                                     \
    "heap_graph heap_graph_class heap_graph_object heap_graph_object_data heap_graph_reference heap_graph_primitive"
#define STACK_SAMPLES "stack_sample stack_sample_task_context stack_sample_execution_context stack_sample_session"
#define TRANSACTIONS "__intrinsic_surfaceflinger_transaction __intrinsic_surfaceflinger_transaction_flag"
#define SHELL_TRANSITIONS                                                                                              \
    "__intrinsic_window_manager_shell_transition_participants __intrinsic_window_manager_shell_transition_protos"
#define WINSCOPE                                                                                                       \
    "__intrinsic_android_key_events __intrinsic_android_motion_events __intrinsic_android_input_event_dispatch "       \
    "__intrinsic_inputmethod_clients __intrinsic_inputmethod_manager_service __intrinsic_inputmethod_service "         \
    "__intrinsic_viewcapture __intrinsic_viewcapture_view __intrinsic_windowmanager "                                  \
    "__intrinsic_windowmanager_windowcontainer"

static const struct {
    uint32_t field; /* of the packet */
    const char *tables;
    uint32_t want; /* which trace has them all the same; 0: none */
} FEEDS[] = {
    {1, "ftrace_event raw", PF_WANT_RAW_EVENTS},
    {37, "heap_profile heap_profile_allocation"},        /* profile_packet */
    {47, "package_list"},                                /* packages_list */
    {56, HEAP_GRAPH},                                    /* heap_graph */
    {57, SLICES},                                        /* graphics_frame_event */
    {66, "perf_sample " STACK_SAMPLES},                  /* perf_sample */
    {68, "profiler_smaps"},                              /* smaps_packet */
    {77, COUNTERS},                                      /* android_energy_estimation_breakdown */
    {88, SLICES " __intrinsic_android_network_packets"}, /* network_packet */
    {91, COUNTERS},                                      /* entity_state_residency */
    {92, SLICES " __intrinsic_android_network_packets"}, /* network_packet_bundle */
    {94, TRANSACTIONS},                                  /* surfaceflinger */
    {95, SCHEDULING},                                    /* etw_events */
    {96, SHELL_TRANSITIONS},                             /* shell_transition */
    {112, WINSCOPE},                                     /* winscope_extensions */
    {115, SLICES " " COUNTERS},                          /* kernel_wakelock_data */
    {119, "__intrinsic_android_cpu_per_uid_track"},      /* cpu_per_uid_data */
    {127, "__intrinsic_android_aflags"},                 /* android_aflags */
    {129, COUNTERS},                                     /* generic_gpu_frequency_event */
    {130, "_linux_interrupt_mapping"},                   /* interrupt_info */
    {135, STACK_SAMPLES},                                /* stack_sample */
};
#define FEED_COUNT (sizeof FEEDS / sizeof *FEEDS)
_Static_assert(FEED_COUNT <= PF_SQL_FEEDS, "the session has a word for each");

/* A bit for the place of the word in the list, 0 if it is not there. */
static uint32_t place_of(const char *list, pf_str word)
{
    for (uint32_t bit = 1; *list; bit <<= 1) {
        size_t len = strcspn(list, " ");
        if (len == word.len && sqlite3_strnicmp(list, word.ptr, (int)len) == 0) {
            return bit;
        }
        list += len + (list[len] == ' ');
    }
    return 0;
}

/* The packets of a kind, or NULL. Several inputs: the first that has some. */
static const pf_packet_kind *packets_of(const pf_trace *t, uint32_t field)
{
    for (size_t i = 0; i < pf_trace_input_count(t); i++) {
        const pf_input *in = pf_trace_input(t, i);
        for (size_t k = 0; k < in->packet_kinds; k++) {
            if (in->packets[k].field == field && in->packets[k].packets > 0) {
                return &in->packets[k];
            }
        }
    }
    return NULL;
}

static void warn_of_table(pf_query *q, pf_str table)
{
    for (size_t i = 0; i < FEED_COUNT; i++) {
        uint32_t bit = place_of(FEEDS[i].tables, table);
        const pf_packet_kind *kind = bit ? packets_of(q->data.trace, FEEDS[i].field) : NULL;
        if (kind && !(q->warned[i] & bit) && !(q->data.trace->want & FEEDS[i].want)) {
            char text[256];
            q->warned[i] |= bit;
            snprintf(text, sizeof text, "%.*s lacks rows: %llu packets of %s, which would fill it in Perfetto, are %s",
                     (int)(table.len < 64 ? table.len : 64), table.ptr, (unsigned long long)kind->packets, kind->name,
                     FEEDS[i].want ? "kept whole with --raw-events only" : "not decoded");
            q->warn(q->warn_ctx, text);
        }
    }
}

void pf_sql_warn_of_undecoded(pf_query *q, pf_str sql)
{
    pf_token before = {PF_TOKEN_END, 0, 0};
    for (pf_token t = pf_sql_token(sql, 0); q->warn && t.type != PF_TOKEN_END; t = pf_sql_token(sql, t.end)) {
        bool source = before.type != PF_TOKEN_END && (pf_sql_is(sql, before, "FROM") || pf_sql_is(sql, before, "JOIN"));
        if (t.type == PF_TOKEN_WORD && source) {
            warn_of_table(q, (pf_str){sql.ptr + t.start, t.end - t.start});
        }
        before = t;
    }
}
