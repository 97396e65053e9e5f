/* perfetto/roles.c - the table of facts: fields and their roles, message by message.
 *
 * A row is read as: field 47 of an event is a list of flow ids. Numbers of fields are Perfetto's (fields.h, proto/,
 * perfetto.dev/docs/reference/trace-packet-proto); tests/conformance/roles compares them, and whether they are numbers,
 * texts or messages, with Perfetto's own descriptors.
 */
#include "perfetto/roles.h"

#include "wire/wire.h"

#define N                                                                                                              \
    {                                                                                                                  \
        PF_ROLE_NUMBER, PF_FACT_LIST, 0                                                                                \
    } /* a value or a list of values */
#define R(role)                                                                                                        \
    {                                                                                                                  \
        PF_ROLE_##role, 0, 0                                                                                           \
    }
#define LIST(role)                                                                                                     \
    {                                                                                                                  \
        PF_ROLE_##role, PF_FACT_LIST, 0                                                                                \
    }
#define IID(kind)                                                                                                      \
    {                                                                                                                  \
        PF_ROLE_IID, 0, PF_F_INTERNED_##kind                                                                           \
    }
#define IIDS(kind)                                                                                                     \
    {                                                                                                                  \
        PF_ROLE_IID, PF_FACT_LIST, PF_F_INTERNED_##kind                                                                \
    }
#define M(message)                                                                                                     \
    {                                                                                                                  \
        PF_ROLE_MESSAGE, 0, PF_MSG_##message                                                                           \
    }

enum { PF_F_INTERNED_HISTOGRAM_NAMES = 25, PF_F_INTERNED_VALUE_TYPE_NAMES = 27, PF_F_INTERNED_UNSYMBOLIZED = 28 };

static const pf_fact packet[] = {
    [1] = M(FTRACE),
    [2] = M(PROCESS_TREE),
    [3] = N, /* trusted_uid */
    [5] = M(CHROME_EVENTS),
    [6] = M(CLOCKS),
    [7] = M(SYS_STATS),
    [8] = R(TIME),
    [9] = M(PROCESS_STATS),
    [10] = R(SEQUENCE),
    [11] = M(EVENT),
    [12] = M(INTERNED),
    [13] = N,
    [33] = M(CONFIG),
    [34] = M(FTRACE_STATS),
    [35] = M(TRACE_STATS),
    [36] = R(DATA), /* synchronization_marker */
    [39] = M(ANDROID_LOG),
    [41] = N,
    [42] = N,
    [43] = M(PROCESS),
    [44] = M(THREAD),
    [45] = M(SYSTEM_INFO),
    [46] = M(TRIGGER),
    [50] = R(PACKETS),
    [52] = M(GPU_COUNTERS),
    [53] = M(STAGE),
    [54] = M(SAMPLES),
    [58] = R(CLOCK),
    [59] = M(DEFAULTS),
    [60] = M(TRACK),
    [62] = M(VULKAN_MEMORY),
    [63] = M(GPU_LOG),
    [65] = M(VULKAN_API),
    [66] = M(SAMPLE),
    [67] = M(CPU_INFO),
    [69] = M(SERVICE),
    [71] = M(GPU_MEMORY),
    [72] = R(OPAQUE), /* extension_descriptor */
    [76] = M(FRAMES),
    [78] = M(UI_STATE),
    [79] = R(PID),
    [87] = N,
    [89] = M(NUMBERS), /* trace_uuid */
    [90] = M(RANGE),
    [98] = N, /* machine_id */
    [109] = M(CHROME_TRIGGER),
    [113] = M(TRIGGER),
    [117] = M(KERNEL_STATE),
    [118] = M(NUMBERS),
    [120] = M(KERNEL_RENAME),
    [122] = M(KERNEL_TREE),
    [126] = M(ATTRIBUTES),
    [128] = M(GPU_INFO),
    [129] = M(NUMBERS),
    [133] = R(PACKETS),
};

static const pf_fact defaults[] = {[11] = M(EVENT_DEFAULTS), [58] = R(CLOCK)};
static const pf_fact event_defaults[] = {[11] = R(TRACK), [31] = LIST(TRACK), [45] = LIST(TRACK)};

/* ---- interned data ----------------------------------------------------------------------------------------------- */

static const pf_fact interned[] = {
    [1] = M(INTERNED_NAME), /* categories */
    [2] = M(INTERNED_NAME),     [3] = M(INTERNED_KEY),    [4] = M(LOCATION),
    [5] = M(INTERNED_NAME),     [6] = M(FRAME),           [7] = M(CALLSTACK),
    [16] = M(INTERNED_PATH), /* build ids */
    [17] = M(INTERNED_PATH),    [18] = M(INTERNED_PATH),  [19] = M(MAPPING),
    [20] = M(INTERNED_VALUE),   [22] = M(INTERNED_VALUE), /* keys and values of Vulkan's memory events */
    [23] = M(GRAPHICS_CONTEXT), [24] = M(STAGE_SPEC),     [25] = M(INTERNED_NAME),
    [26] = M(INTERNED_NAME),    [27] = M(INTERNED_NAME),  [28] = M(UNSYMBOLIZED),
    [29] = M(INTERNED_VALUE),   [43] = M(INTERNED_VALUE), [47] = M(COUNTERS_ENTRY),
};
static const pf_fact interned_name[] = {[1] = R(OWN_IID), [2] = R(NAME)};
static const pf_fact interned_key[] = {[1] = R(OWN_IID), [2] = R(KEY)};
static const pf_fact interned_value[] = {[1] = R(OWN_IID), [2] = R(VALUE)};
static const pf_fact interned_path[] = {[1] = R(OWN_IID), [2] = R(PATH)};
static const pf_fact location[] = {[1] = R(OWN_IID), [2] = R(PATH), [3] = R(NAME), [4] = N};
static const pf_fact frame[] = {[1] = R(OWN_IID),
                                [2] = IID(FUNCTION_NAMES),
                                [3] = IID(MAPPINGS),
                                [4] = N,
                                [5] = IID(SOURCE_PATHS),
                                [6] = N,
                                [7] = N,
                                [8] = R(NAME)};
static const pf_fact callstack[] = {[1] = R(OWN_IID), [2] = IIDS(FRAMES)};
static const pf_fact mapping[] = {
    [1] = R(OWN_IID), [2] = IID(BUILD_IDS), [3] = N, [4] = N, [5] = N, [6] = N, [7] = IIDS(MAPPING_PATHS), [8] = N};
static const pf_fact unsymbolized[] = {[1] = R(OWN_IID), [2] = IID(MAPPINGS), [3] = N};
static const pf_fact graphics_context[] = {[1] = R(OWN_IID), [2] = R(PID), [3] = N};
static const pf_fact stage_spec[] = {[1] = R(OWN_IID), [2] = R(NAME), [3] = R(NAME), [4] = N};
static const pf_fact kernel[] = {[1] = R(OWN_IID), [2] = R(NAME), [3] = R(NAME), [4] = R(NAME), [5] = M(COMPUTE_ARG)};
static const pf_fact counters_entry[] = {[1] = R(OWN_IID), [2] = M(COUNTER_SPECS), [3] = R(GPU)};

/* ---- track events ------------------------------------------------------------------------------------------------ */

static const pf_fact event[] = {
    [1] = R(TIME_DELTA_US),
    [2] = N, /* thread_time_delta_us */
    [3] = IIDS(EVENT_CATEGORIES),
    [4] = M(ANNOTATION),
    [5] = M(TASK),
    [6] = M(LEGACY),
    [8] = N,
    [9] = N,
    [10] = IID(EVENT_NAMES),
    [11] = R(TRACK),
    [12] = N,
    [16] = R(TIME_US),
    [17] = N,
    [20] = N,
    [21] = M(LOG_MESSAGE),
    [22] = R(NAME),
    [23] = R(NAME),
    [24] = R(OPAQUE), /* cc_scheduler_state */
    [25] = M(NAMES),
    [26] = M(NAMES),
    [27] = M(NUMBERS),
    [28] = M(HISTOGRAM),
    [29] = M(LATENCY),
    [30] = N,
    [31] = LIST(TRACK),
    [32] = M(NAMES),
    [33] = M(INLINE_LOCATION),
    [34] = IID(SOURCE_LOCATIONS),
    [35] = M(PUMP),
    [36] = LIST(FLOW),
    [38] = M(MOJO),
    [39] = M(NUMBERS),
    [40] = M(NUMBERS),
    [41] = M(NUMBERS),
    [42] = LIST(FLOW),
    [43] = M(NUMBERS),
    [44] = N,
    [45] = LIST(TRACK),
    [46] = N,
    [47] = {PF_ROLE_FLOW, PF_FACT_LIST | PF_FACT_FIXED, 0},
    [48] = {PF_ROLE_FLOW, PF_FACT_LIST | PF_FACT_FIXED, 0},
    [49] = M(ACTIVE_PROCESSES),
    [50] = R(OPAQUE),
    [52] = N,
    [53] = R(VALUE),
    [54] = IID(CORRELATION_ID_STR),
    [55] = M(INLINE_STACK),
    [56] = IID(CALLSTACKS),
    [57] = N,
};
static const pf_fact legacy[] = {[1] = IID(EVENT_NAMES),
                                 [2] = N,
                                 [3] = N,
                                 [4] = N,
                                 [6] = R(ASYNC),
                                 [7] = R(NAME), /* id_scope */
                                 [8] = R(FLOW),
                                 [9] = N,
                                 [10] = R(ASYNC),
                                 [11] = R(ASYNC),
                                 [12] = N,
                                 [13] = N,
                                 [14] = N,
                                 [15] = N,
                                 [18] = R(PID),
                                 [19] = R(TID)};
static const pf_fact annotation[] = {[1] = IID(DEBUG_ANNOTATION_NAMES),
                                     [2] = N,
                                     [3] = N,
                                     [4] = N,
                                     [5] = N,
                                     [6] = R(VALUE),
                                     [7] = N,
                                     [8] = M(NESTED),
                                     [9] = R(JSON),
                                     [10] = R(KEY),
                                     [11] = M(ANNOTATION),
                                     [12] = M(ANNOTATION),
                                     [13] = IID(VALUE_TYPE_NAMES),
                                     [14] = R(OPAQUE), /* proto_value */
                                     [16] = R(NAME),
                                     [17] = IID(DEBUG_ANNOTATION_STRING_VALUES)};
static const pf_fact nested[] = {
    [1] = N, [2] = R(KEY), [3] = M(NESTED), [4] = M(NESTED), [5] = N, [6] = N, [7] = N, [8] = R(VALUE)};
static const pf_fact task[] = {[1] = IID(SOURCE_LOCATIONS)};
static const pf_fact log_message[] = {[1] = IID(SOURCE_LOCATIONS), [2] = IID(LOG_MESSAGE_BODY), [3] = N};
static const pf_fact inline_location[] = {[1] = N, [2] = R(PATH), [3] = R(NAME), [4] = N};
static const pf_fact inline_stack[] = {[1] = M(INLINE_FRAME)};
static const pf_fact inline_frame[] = {[1] = R(NAME), [2] = R(PATH), [3] = N};
static const pf_fact histogram[] = {[1] = N, [2] = R(NAME), [3] = N, [4] = IID(HISTOGRAM_NAMES)};
static const pf_fact latency[] = {[1] = N, [2] = N, [3] = N, [4] = M(NUMBERS), [5] = N, [6] = N, [7] = N, [8] = N};
static const pf_fact pump[] = {[1] = N, [2] = IID(SOURCE_LOCATIONS)};
static const pf_fact mojo[] = {
    [1] = R(NAME), [2] = N, [3] = R(NAME), [4] = IID(UNSYMBOLIZED), [5] = N, [6] = N, [7] = N};
static const pf_fact active_processes[] = {[1] = LIST(PID)};
static const pf_fact gpu_correlation[] = {[1] = LIST(STAGE), [2] = LIST(STAGE)};

/* ---- tracks, processes, threads ---------------------------------------------------------------------------------- */

static const pf_fact track[] = {
    [1] = R(TRACK),   [2] = R(NAME),     [3] = M(PROCESS), [4] = M(THREAD), [5] = R(PARENT),
    [6] = M(NAMES), /* chrome_process */
    [7] = M(NUMBERS), [8] = M(COUNTER),  [9] = N,          [10] = R(NAME),  [11] = N,
    [12] = N,         [13] = R(NAME),    [14] = R(NAME),   [15] = N,        [16] = R(NAME), /* sibling_merge_key */
    [17] = N,         [18] = M(NUMBERS), [19] = N,         [20] = N};
static const pf_fact process[] = {
    [1] = R(PID), [2] = R(COMMAND), [3] = N, [4] = N, [5] = N, [6] = R(NAME), [7] = R(TIME_BOOT), [8] = R(NAME)};
static const pf_fact thread[] = {
    [1] = R(PID), [2] = R(TID), [3] = N, [4] = N, [5] = R(NAME), [6] = R(TIME_US), [7] = N, [8] = N};
static const pf_fact counter[] = {[1] = N, [2] = R(NAME), [3] = N, [4] = N, [5] = N, [6] = R(NAME), [7] = R(NAME)};
static const pf_fact process_tree[] = {[1] = M(TREE_PROCESS), [2] = M(TREE_THREAD), [3] = R(TIME_BOOT)};
static const pf_fact tree_process[] = {
    [1] = R(PID), [2] = R(PID), [3] = R(COMMAND), [5] = N, [6] = N, [7] = R(TIME_BOOT), [8] = N, [9] = N};
static const pf_fact tree_thread[] = {[1] = R(TID), [2] = R(NAME), [3] = R(PID), [4] = N};
static const pf_fact process_stats[] = {[1] = M(STATS_PROCESS), [2] = R(TIME_BOOT)};
static const pf_fact stats_process[] = {[1] = R(PID),
                                        [2] = N,
                                        [3] = N,
                                        [4] = N,
                                        [5] = N,
                                        [6] = N,
                                        [7] = N,
                                        [8] = N,
                                        [9] = N,
                                        [10] = N,
                                        [11] = M(STATS_THREAD),
                                        [12] = N,
                                        [13] = N,
                                        [14] = N,
                                        [15] = M(STATS_FILE),
                                        [16] = N,
                                        [17] = N,
                                        [18] = N,
                                        [19] = N,
                                        [20] = N,
                                        [21] = N,
                                        [22] = N,
                                        [23] = N,
                                        [24] = N};
static const pf_fact stats_thread[] = {[1] = R(TID)};
static const pf_fact stats_file[] = {[1] = N, [2] = R(PATH)};

/* ---- about the recording ----------------------------------------------------------------------------------------- */

static const pf_fact clocks[] = {[1] = M(CLOCK_READING), [2] = R(CLOCK)};
static const pf_fact clock_reading[] = {[1] = R(CLOCK), [2] = R(TIME_READ), [3] = N, [4] = N};
static const pf_fact config[] = {
    [1] = M(NUMBERS), [2] = R(OPAQUE), /* data_sources */
    [3] = N,          [4] = N,           [5] = N,          [6] = R(OPAQUE),   [7] = R(OPAQUE),
    [8] = N,          [9] = N,           [10] = N,         [11] = R(OPAQUE),  [12] = N,
    [13] = N,         [14] = N,          [16] = N,         [17] = R(OPAQUE),  [18] = R(PRIVATE),
    [19] = N,         [20] = R(OPAQUE),  [21] = R(OPAQUE), [22] = R(PRIVATE), [23] = N,
    [24] = N,         [25] = R(OPAQUE),  [27] = N,         [28] = N,          [29] = R(PRIVATE),
    [30] = N,         [31] = N,          [33] = R(OPAQUE), [34] = R(OPAQUE),  [35] = R(OPAQUE),
    [36] = N,         [38] = R(PRIVATE), [39] = R(OPAQUE), [40] = R(OPAQUE),  [41] = N,
    [43] = N,         [44] = N,          [45] = N,         [47] = R(OPAQUE),  [48] = M(ATTRIBUTES),
    [49] = N,         [50] = N};
static const pf_fact attributes[] = {[1] = M(ATTRIBUTE)};
static const pf_fact attribute[] = {[1] = R(KEY), [2] = N, [3] = R(PRIVATE)};
static const pf_fact system_info[] = {
    [1] = M(UTSNAME),  [2] = R(PRIVATE),  [3] = N,           [4] = R(PRIVATE),  [5] = N,           [6] = N,
    [7] = N,           [8] = N,           [9] = R(PRIVATE),  [10] = R(PRIVATE), [11] = R(PRIVATE), [12] = R(PRIVATE),
    [13] = R(PRIVATE), [14] = R(PRIVATE), [15] = R(PRIVATE), [16] = N,          [17] = R(PRIVATE), [18] = R(PRIVATE)};
static const pf_fact utsname[] = {[1] = R(DATA), [2] = R(PRIVATE), [3] = R(PRIVATE), [4] = R(DATA)};
static const pf_fact cpu_info[] = {[1] = M(CPU)};
static const pf_fact cpu[] = {[1] = R(NAME), [2] = N, [3] = N, [4] = M(NUMBERS), [5] = N};
static const pf_fact trigger[] = {[1] = R(NAME), [2] = R(PRIVATE), [3] = N, [4] = N};
static const pf_fact chrome_trigger[] = {[1] = R(NAME), [2] = N, [3] = R(FLOW)};
static const pf_fact service[] = {
    [1] = N, [2] = N,  [3] = N, [4] = N, [5] = N, [6] = N, [7] = M(SLOW_SOURCES), [8] = M(SLOW_SOURCES),
    [9] = N, [10] = N, [11] = N};
static const pf_fact slow_sources[] = {[1] = M(PRIVATES)};
static const pf_fact trace_stats[] = {[1] = M(NUMBERS),
                                      [2] = N,
                                      [3] = N,
                                      [4] = N,
                                      [5] = N,
                                      [6] = N,
                                      [7] = N,
                                      [8] = N,
                                      [9] = N,
                                      [10] = N,
                                      [11] = M(NUMBERS),
                                      [12] = N,
                                      [13] = N,
                                      [14] = N,
                                      [15] = N,
                                      [17] = N,
                                      [18] = M(WRITER_STATS)};
static const pf_fact writer_stats[] = {[1] = R(SEQUENCE), [2] = N, [3] = N, [4] = N};
static const pf_fact ui_state[] = {[1] = R(TIME_BOOT), [2] = R(TIME_BOOT), [3] = M(UI_PROCESS)};
static const pf_fact ui_process[] = {[1] = R(PID), [2] = R(COMMAND)};
static const pf_fact chrome_events[] = {
    [1] = R(OPAQUE), [2] = M(CHROME_METADATA), [3] = R(OPAQUE), [4] = R(OPAQUE), [5] = R(OPAQUE)};
static const pf_fact chrome_metadata[] = {[1] = R(KEY), [2] = R(PRIVATE), [3] = N, [4] = N, [5] = R(PRIVATE)};
static const pf_fact range[] = {[1] = R(TIME_US)};

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

static const pf_fact stage[] = {[1] = R(STAGE),
                                [2] = N,
                                [3] = N,
                                [4] = N,
                                [5] = IID(GRAPHICS_CONTEXTS),
                                [6] = M(STAGE_EXTRA),
                                [7] = M(STAGE_SPECS),
                                [8] = N,
                                [9] = N,
                                [10] = R(STAGE), /* submission_id */
                                [11] = R(GPU),
                                [12] = N,
                                [13] = IID(GPU_SPECIFICATIONS),
                                [14] = IID(GPU_SPECIFICATIONS),
                                [15] = N,
                                [16] = N,
                                [17] = R(NAME),
                                [18] = LIST(STAGE),
                                [19] = IID(COMPUTE_KERNELS),
                                [20] = IID(EVENT_NAMES),
                                [21] = M(LAUNCH)};
static const pf_fact stage_specs[] = {[1] = M(STAGE_CONTEXT), [2] = M(NAMES), [3] = M(NAMES)};
static const pf_fact stage_context[] = {[1] = N, [2] = R(PID)};
static const pf_fact stage_extra[] = {[1] = R(KEY), [2] = R(VALUE)};
static const pf_fact launch[] = {[1] = M(NUMBERS), [2] = M(NUMBERS), [3] = M(COMPUTE_ARG)};
static const pf_fact compute_arg[] = {[1] = IID(COMPUTE_ARG_NAMES),
                                      [2] = R(KEY),
                                      [3] = N,
                                      [4] = N,
                                      [5] = N,
                                      [6] = R(VALUE),
                                      [7] = IID(DEBUG_ANNOTATION_STRING_VALUES)};
static const pf_fact gpu_counters[] = {
    [1] = M(COUNTER_SPECS), [2] = M(GPU_SAMPLE), [3] = R(GPU), [4] = IID(GPU_COUNTER_DESCRIPTORS)};
static const pf_fact gpu_sample[] = {[1] = R(GPU_COUNTER), [2] = N, [3] = N};
static const pf_fact counter_specs[] = {
    [1] = M(COUNTER_SPEC), [2] = M(COUNTER_BLOCK), [3] = N, [4] = N, [5] = N, [6] = M(COUNTER_GROUP), [7] = N, [8] = N};
static const pf_fact counter_spec[] = {[1] = R(GPU_COUNTER),
                                       [2] = R(NAME),
                                       [3] = R(NAME),
                                       [5] = N,
                                       [6] = N,
                                       [7] = N,
                                       [8] = N,
                                       [9] = N,
                                       [10] = N,
                                       [11] = N};
static const pf_fact counter_block[] = {[1] = N, [2] = N, [3] = R(NAME), [4] = R(NAME), [5] = LIST(GPU_COUNTER)};
static const pf_fact counter_group[] = {[1] = N, [2] = R(NAME), [3] = R(NAME), [4] = LIST(GPU_COUNTER)};
static const pf_fact gpu_info[] = {[1] = M(GPU)};
static const pf_fact gpu[] = {
    [1] = R(NAME), [2] = R(NAME), [3] = R(NAME), [4] = R(NAME), [5] = R(PRIVATE), [6] = M(GPU_EXTRA), [7] = R(PRIVATE)};
static const pf_fact gpu_extra[] = {[1] = R(KEY), [2] = R(PRIVATE)};
static const pf_fact gpu_memory[] = {[1] = R(GPU), [2] = R(PID), [3] = N};
static const pf_fact gpu_log[] = {[1] = N, [2] = R(NAME), [3] = R(VALUE)};
static const pf_fact vulkan_api[] = {[1] = M(VULKAN_OBJECT), [2] = M(VULKAN_SUBMIT)};
static const pf_fact vulkan_object[] = {[1] = R(PID), [2] = N, [3] = N, [4] = N, [5] = R(NAME)};
static const pf_fact vulkan_submit[] = {[1] = N, [2] = R(PID), [3] = R(TID), [4] = N, [5] = N, [6] = R(STAGE)};
static const pf_fact vulkan_memory[] = {[1] = N,
                                        [2] = N,
                                        [3] = R(TIME_BOOT),
                                        [4] = R(PID),
                                        [5] = N,
                                        [6] = N,
                                        [7] = IID(FUNCTION_NAMES),
                                        [8] = N,
                                        [9] = M(VULKAN_ANNOTATION),
                                        [16] = N,
                                        [17] = N,
                                        [18] = N,
                                        [19] = N,
                                        [20] = N};
static const pf_fact vulkan_annotation[] = {
    [1] = IID(VULKAN_MEMORY_KEYS), [2] = N, [3] = N, [4] = IID(VULKAN_MEMORY_KEYS)};

/* ---- the system -------------------------------------------------------------------------------------------------- */

static const pf_fact ftrace[] = {[1] = N,
                                 [2] = M(FTRACE_EVENT),
                                 [3] = N,
                                 [4] = M(COMPACT),
                                 [5] = N,
                                 [6] = R(TIME_FTRACE),
                                 [7] = R(TIME_BOOT),
                                 [8] = M(NUMBERS),
                                 [9] = R(TIME_FTRACE),
                                 [10] = R(TIME_FTRACE)};
static const pf_fact ftrace_event[] = {[1] = R(TIME_FTRACE),
                                       [2] = R(TID),
                                       [3] = M(FTRACE_PRINT),
                                       [4] = M(FTRACE_SWITCH),
                                       [5] = N,
                                       [11] = M(NUMBERS),
                                       [12] = M(NUMBERS),
                                       [13] = M(NUMBERS),
                                       [14] = M(NAMES),
                                       [15] = M(NAMES),
                                       [16] = M(NAMES),
                                       [17] = M(FTRACE_WAKING),
                                       [18] = M(FTRACE_BLOCKED),
                                       [20] = M(FTRACE_WAKING),
                                       [24] = M(NUMBERS),
                                       [25] = M(NUMBERS),
                                       [26] = M(NUMBERS),
                                       [36] = M(NAMES),
                                       [37] = M(NUMBERS),
                                       [50] = M(FTRACE_BINDER),
                                       [51] = M(FTRACE_BINDER_RECEIVED),
                                       [52] = M(FTRACE_BINDER_PRIORITY),
                                       [53] = M(NAMES),
                                       [54] = M(NAMES),
                                       [55] = M(NAMES),
                                       [57] = M(FTRACE_WORK),
                                       [58] = M(FTRACE_WORK),
                                       [80] = M(FTRACE_MDSS),
                                       [113] = M(FTRACE_SUSPEND),
                                       [114] = M(FTRACE_WAKING),
                                       [235] = M(FTRACE_TASK),
                                       [236] = M(FTRACE_RENAME),
                                       [238] = M(FTRACE_EXIT),
                                       [240] = M(FTRACE_WAKING),
                                       [313] = M(NUMBERS),
                                       [323] = M(FTRACE_BINDER_BUFFER),
                                       [324] = M(NUMBERS),
                                       [325] = M(FTRACE_SIGNAL),
                                       [326] = M(FTRACE_SCORE),
                                       [327] = M(FTRACE_GENERIC),
                                       [329] = M(NUMBERS),
                                       [330] = M(NUMBERS),
                                       [331] = M(FTRACE_ZERO),
                                       [332] = M(NUMBERS),
                                       [333] = M(FTRACE_SDE),
                                       [334] = M(FTRACE_VICTIM),
                                       [340] = M(GPU_MEMORY),
                                       [348] = M(FTRACE_DPU),
                                       [404] = M(NAMES),
                                       [405] = M(NAMES),
                                       [421] = M(NUMBERS),
                                       [485] = M(NUMBERS),
                                       [486] = M(NUMBERS),
                                       [559] = M(NUMBERS),
                                       [560] = M(NUMBERS)};
static const pf_fact compact[] = {
    [1] = LIST(TIME_FTRACE_DELTAS), [2] = N,         [3] = LIST(TID), [4] = N,  [5] = R(NAME), [6] = N,
    [7] = LIST(TIME_FTRACE_DELTAS), [8] = LIST(TID), [9] = N,         [10] = N, [11] = N,      [12] = N};
static const pf_fact ftrace_print[] = {[1] = N, [2] = R(PRINT)};
static const pf_fact ftrace_switch[] = {
    [1] = R(NAME), [2] = R(TID), [3] = N, [4] = N, [5] = R(NAME), [6] = R(TID), [7] = N};
static const pf_fact ftrace_waking[] = {[1] = R(NAME), [2] = R(TID), [3] = N, [4] = N, [5] = N};
static const pf_fact ftrace_exit[] = {[1] = R(NAME), [2] = R(TID), [3] = R(PID), [4] = N};
static const pf_fact ftrace_task[] = {[1] = R(TID), [2] = R(NAME), [3] = N, [4] = N};
static const pf_fact ftrace_rename[] = {[1] = R(TID), [2] = R(NAME), [3] = R(NAME), [4] = N};
static const pf_fact ftrace_blocked[] = {[1] = R(TID), [2] = IID(KERNEL_SYMBOLS), [3] = N};
static const pf_fact ftrace_work[] = {[1] = N, [2] = IID(KERNEL_SYMBOLS)};
static const pf_fact ftrace_signal[] = {[1] = N, [2] = R(NAME), [3] = N, [4] = R(TID), [5] = N, [6] = N};
static const pf_fact ftrace_score[] = {[1] = R(NAME), [2] = N, [3] = R(TID)};
static const pf_fact ftrace_victim[] = {[1] = R(TID)};
static const pf_fact ftrace_suspend[] = {[1] = R(DATA), [2] = N, [3] = N};
static const pf_fact ftrace_zero[] = {[1] = N, [2] = R(NAME), [3] = R(PID), [4] = N};
static const pf_fact ftrace_mdss[] = {[1] = R(PID), [2] = R(NAME), [3] = N};
static const pf_fact ftrace_sde[] = {[1] = R(PID), [2] = R(NAME), [3] = N, [4] = N, [5] = N};
static const pf_fact ftrace_dpu[] = {[1] = R(PID), [2] = R(NAME), [3] = N, [4] = R(NAME), [5] = N, [6] = N};
static const pf_fact ftrace_generic[] = {[1] = R(NAME), [2] = M(FTRACE_GENERIC_FIELD)};
static const pf_fact ftrace_generic_field[] = {[1] = R(KEY), [3] = R(VALUE), [4] = N, [5] = N};
static const pf_fact ftrace_binder[] = {[1] = R(ASYNC), [2] = N, [3] = R(PID), [4] = R(TID), [5] = N, [6] = N, [7] = N};
static const pf_fact ftrace_binder_received[] = {[1] = R(ASYNC)};
static const pf_fact ftrace_binder_buffer[] = {[1] = N, [2] = R(ASYNC), [3] = N, [4] = N};
static const pf_fact ftrace_binder_priority[] = {[1] = R(PID), [2] = R(TID), [3] = N, [4] = N, [5] = N};
static const pf_fact ftrace_stats[] = {
    [1] = N, [2] = M(NUMBERS), [3] = N,           [4] = N,  [5] = R(PRIVATE), [6] = R(PRIVATE), [7] = R(PRIVATE),
    [8] = N, [9] = N,          [10] = M(NUMBERS), [11] = N, [12] = N,         [13] = R(PRIVATE)};
static const pf_fact kernel_state[] = {[1] = N, [2] = R(NAME), [3] = R(TID), [4] = N, [5] = N};
static const pf_fact kernel_rename[] = {[1] = R(TID), [2] = R(NAME)};
static const pf_fact kernel_tree[] = {[1] = M(KERNEL_PROCESS), [2] = M(KERNEL_THREAD)};
static const pf_fact kernel_process[] = {[1] = R(PID), [2] = R(PID), [3] = R(COMMAND)};
static const pf_fact kernel_thread[] = {[1] = R(TID), [2] = R(PID), [3] = R(NAME), [4] = N, [5] = N};
static const pf_fact sys_stats[] = {[1] = M(NUMBERS),
                                    [2] = M(NUMBERS),
                                    [3] = M(NUMBERS),
                                    [4] = N,
                                    [5] = N,
                                    [6] = M(NUMBERS),
                                    [7] = N,
                                    [8] = M(NUMBERS),
                                    [9] = R(TIME_BOOT),
                                    [10] = M(NAMES),
                                    [11] = N,
                                    [12] = M(NAMES),
                                    [13] = M(NAMES),
                                    [14] = M(NUMBERS),
                                    [15] = M(NAMES),
                                    [16] = M(IDLE_STATES),
                                    [17] = N,
                                    [18] = M(NAMES)};
static const pf_fact idle_states[] = {[1] = N, [2] = M(NAMES)};
static const pf_fact android_log[] = {[1] = M(ANDROID_LOG_EVENT), [2] = M(NUMBERS)};
static const pf_fact android_log_event[] = {[1] = N, [2] = R(PID),       [3] = R(TID),
                                            [4] = N, [5] = R(TIME_REAL), [6] = R(NAME),
                                            [7] = N, [8] = R(VALUE),     [9] = M(ANDROID_LOG_ARG)};
static const pf_fact android_log_arg[] = {[1] = R(KEY), [2] = N, [3] = N, [4] = R(VALUE)};
static const pf_fact sample[] = {[1] = N,  [2] = R(PID), [3] = R(TID), [4] = IID(CALLSTACKS), [5] = N, [6] = N, [7] = N,
                                 [16] = N, [17] = N,     [18] = N,     [19] = M(NUMBERS)};
static const pf_fact samples[] = {[1] = IIDS(CALLSTACKS), [2] = N, [3] = N};

static const pf_fact frames[] = {
    [1] = M(DISPLAY_FRAME), [2] = M(DISPLAY_FRAME), [3] = M(SURFACE_FRAME), [4] = M(SURFACE_FRAME), [5] = M(FRAME_END)};
static const pf_fact display_frame[] = {
    [1] = R(ASYNC), [2] = N, [3] = R(PID), [4] = N, [5] = N, [6] = N, [7] = N, [8] = N, [9] = N};
static const pf_fact surface_frame[] = {[1] = R(ASYNC), [2] = N, [3] = N, [4] = R(PID), [5] = R(NAME), [6] = N,
                                        [7] = N,        [8] = N, [9] = N, [10] = N,     [11] = N,      [12] = N};
static const pf_fact frame_end[] = {[1] = R(ASYNC)};

/* ---- look-up ----------------------------------------------------------------------------------------------------- */

/* Facts of numbers for which an array would be mostly empty. */
static const struct {
    uint32_t number;
    uint8_t message;
    pf_fact fact;
} far_facts[] = {
    {PF_F_PACKET_ORIGIN, PF_MSG_PACKET, R(ORIGIN)},
    {PF_F_PACKET_FINDINGS, PF_MSG_PACKET, R(MARK)},
    {PF_F_INTERNED_COMPUTE_KERNELS, PF_MSG_INTERNED, M(KERNEL)},
    {PF_F_INTERNED_COMPUTE_ARG_NAMES, PF_MSG_INTERNED, M(INTERNED_KEY)},
    {PF_F_EVENT_ACTIVE_PROCESSES_EXTENSION, PF_MSG_EVENT, M(ACTIVE_PROCESSES)},
    {PF_F_EVENT_GPU_CORRELATION, PF_MSG_EVENT, M(GPU_CORRELATION)},
    {PF_F_EVENT_GPU_API, PF_MSG_EVENT, N},
    {512, PF_MSG_FTRACE, R(OPAQUE)}, /* broken_abi_trace_page */
};
enum { FAR_FIRST = 512 };

#define FACTS(message, array) [PF_MSG_##message] = {array, sizeof(array) / sizeof *(array), 0, 0}

/* Flat messages have a role for all numbers and all bytes besides. */
static const struct {
    const pf_fact *facts;
    uint16_t count;
    uint8_t number, bytes;
} messages[PF_MSGS] = {
    PF_MESSAGES(FACTS),
    [PF_MSG_NUMBERS] = {NULL, 0, PF_ROLE_NUMBER, PF_ROLE_UNKNOWN},
    [PF_MSG_NAMES] = {NULL, 0, PF_ROLE_NUMBER, PF_ROLE_NAME},
    [PF_MSG_PRIVATES] = {NULL, 0, PF_ROLE_NUMBER, PF_ROLE_PRIVATE},
};

static pf_fact fact_of(pf_message message, uint32_t number)
{
    if (number < messages[message].count) {
        return messages[message].facts[number];
    }
    for (size_t i = 0; number >= FAR_FIRST && i < sizeof far_facts / sizeof *far_facts; i++) {
        if (far_facts[i].number == number && far_facts[i].message == message) {
            return far_facts[i].fact;
        }
    }
    return (pf_fact){PF_ROLE_UNKNOWN, 0, 0};
}

pf_fact pf_role_of(pf_message message, uint32_t tag)
{
    bool bytes = (tag & 7) == PF_WIRE_BYTES;
    pf_fact f = fact_of(message, tag >> 3);
    if (!f.role) {
        f.role = bytes ? messages[message].bytes : messages[message].number;
    } else if (bytes && pf_role_is_number(f.role) ? !(f.flags & PF_FACT_LIST) : bytes == pf_role_is_number(f.role)) {
        f.role = PF_ROLE_UNKNOWN;
    }
    return f;
}
