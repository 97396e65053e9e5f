/* perfetto/roles.h - what the fields of a packet mean to whoever changes packets.
 *
 * Cutting, merging and redacting ask the same of every message: which of its fields name something that is said
 * elsewhere (a sequence, a track, an entry of interned data, a process), which are times, which are texts that a person
 * wrote, and which are only values. The answers are a table of facts (roles.c): a row for each field of each message
 * that we know, with its role. role_walk.h walks a packet by it and rewrites what a caller wants changed.
 *
 * A field that the table lacks, or whose wire type is another one than its row allows, has no role: PF_ROLE_UNKNOWN.
 * Whoever must not miss a reference or a text has to take the worst of it.
 */
#pragma once

#include "perfetto/fields.h"
#include "postfetto/base.h"

typedef enum pf_field_role {
    PF_ROLE_UNKNOWN = 0,

    /* Numbers: varints or fixed ones, also in packed lists. */
    PF_ROLE_NUMBER,      /* a value; the walk does not show it */
    PF_ROLE_SEQUENCE,    /* id of a packet sequence */
    PF_ROLE_CLOCK,       /* id of a clock; 64 to 127 belong to the sequence */
    PF_ROLE_TRACK,       /* uuid of a track that the packet is about or speaks of */
    PF_ROLE_PARENT,      /* uuid of that track's parent */
    PF_ROLE_FLOW,        /* flow id, in the number space that all of a trace shares */
    PF_ROLE_ASYNC,       /* id of a legacy async event or flow */
    PF_ROLE_STAGE,       /* id of a GPU's render stage: own or referred to */
    PF_ROLE_GPU,         /* number of a GPU; 0 is often not said */
    PF_ROLE_GPU_COUNTER, /* id of a counter of GPUs */
    PF_ROLE_PID,
    PF_ROLE_TID,
    PF_ROLE_OWN_IID,            /* what an entry of interned data is called; of pf_role_field.kind, like the next one */
    PF_ROLE_IID,                /* refers to an entry of interned data */
    PF_ROLE_TIME,               /* in units of the packet's clock */
    PF_ROLE_TIME_US,            /* microseconds of MONOTONIC */
    PF_ROLE_TIME_DELTA_US,      /* microseconds since the reference time of the sequence */
    PF_ROLE_TIME_BOOT,          /* nanoseconds of BOOTTIME, which is trace time in nearly all traces */
    PF_ROLE_TIME_REAL,          /* nanoseconds of REALTIME */
    PF_ROLE_TIME_READ,          /* what a clock showed at a snapshot, in its unit */
    PF_ROLE_TIME_FTRACE,        /* nanoseconds of the bundle's clock */
    PF_ROLE_TIME_FTRACE_DELTAS, /* a list: the first one is such a time, the others add to the one in front */

    /* Bytes. */
    PF_ROLE_MESSAGE, /* of pf_role_field.child */
    PF_ROLE_PACKETS, /* compressed packets */
    PF_ROLE_DATA,    /* bytes or a word that says nothing about anybody; the walk does not show it */
    PF_ROLE_OPAQUE,  /* refers to nothing, but may say anything: a screenshot, the settings of a recording */
    PF_ROLE_ORIGIN,  /* ours: note of a conversion (model/trace/json_notes.h) */
    PF_ROLE_MARK,    /* ours: pass whose findings the sequence holds */
    PF_ROLE_NAME,    /* texts from here on: of an event, track, process, thread, counter, category, function */
    PF_ROLE_KEY,     /* key of an argument */
    PF_ROLE_VALUE,   /* value of an argument, or a message */
    PF_ROLE_PATH,    /* of a file, or what else names one: the id of its build */
    PF_ROLE_COMMAND, /* a part of a command line */
    PF_ROLE_JSON,    /* value of an argument as JSON text */
    PF_ROLE_PRINT,   /* what a program wrote into ftrace: phase, pid and name between bars */
    PF_ROLE_PRIVATE, /* names a machine, a system or a person */

    PF_ROLE_MALFORMED /* the rest of a message, from the first field on that cannot be read */
} pf_field_role;

static inline bool pf_role_is_number(pf_field_role role)
{
    return role >= PF_ROLE_NUMBER && role <= PF_ROLE_TIME_FTRACE_DELTAS;
}

static inline bool pf_role_is_text(pf_field_role role)
{
    return role >= PF_ROLE_NAME && role <= PF_ROLE_PRIVATE;
}

/* Messages, by what they are about: X(NAME, name) is PF_MSG_NAME, and its facts are the array `name` of roles.c.
 * FTRACE_WAKING is also wakeup and process_free. */
#define PF_MESSAGES(X)                                                                                                 \
    X(PACKET, packet), X(DEFAULTS, defaults), X(EVENT_DEFAULTS, event_defaults), X(INTERNED, interned),                \
        X(INTERNED_NAME, interned_name), X(INTERNED_KEY, interned_key), X(INTERNED_VALUE, interned_value),             \
        X(INTERNED_PATH, interned_path), X(LOCATION, location), X(FRAME, frame), X(CALLSTACK, callstack),              \
        X(MAPPING, mapping), X(UNSYMBOLIZED, unsymbolized), X(GRAPHICS_CONTEXT, graphics_context),                     \
        X(STAGE_SPEC, stage_spec), X(KERNEL, kernel), X(COUNTERS_ENTRY, counters_entry), X(EVENT, event),              \
        X(LEGACY, legacy), X(ANNOTATION, annotation), X(NESTED, nested), X(TASK, task), X(LOG_MESSAGE, log_message),   \
        X(INLINE_LOCATION, inline_location), X(INLINE_STACK, inline_stack), X(INLINE_FRAME, inline_frame),             \
        X(HISTOGRAM, histogram), X(LATENCY, latency), X(PUMP, pump), X(MOJO, mojo),                                    \
        X(ACTIVE_PROCESSES, active_processes), X(GPU_CORRELATION, gpu_correlation), X(TRACK, track),                   \
        X(PROCESS, process), X(THREAD, thread), X(COUNTER, counter), X(PROCESS_TREE, process_tree),                    \
        X(TREE_PROCESS, tree_process), X(TREE_THREAD, tree_thread), X(PROCESS_STATS, process_stats),                   \
        X(STATS_PROCESS, stats_process), X(STATS_THREAD, stats_thread), X(STATS_FILE, stats_file), X(CLOCKS, clocks),  \
        X(CLOCK_READING, clock_reading), X(CONFIG, config), X(ATTRIBUTES, attributes), X(ATTRIBUTE, attribute),        \
        X(SYSTEM_INFO, system_info), X(UTSNAME, utsname), X(CPU_INFO, cpu_info), X(CPU, cpu), X(TRIGGER, trigger),     \
        X(CHROME_TRIGGER, chrome_trigger), X(SERVICE, service), X(SLOW_SOURCES, slow_sources),                         \
        X(TRACE_STATS, trace_stats), X(WRITER_STATS, writer_stats), X(UI_STATE, ui_state), X(UI_PROCESS, ui_process),  \
        X(CHROME_EVENTS, chrome_events), X(CHROME_METADATA, chrome_metadata), X(RANGE, range), X(STAGE, stage),        \
        X(STAGE_SPECS, stage_specs), X(STAGE_CONTEXT, stage_context), X(STAGE_EXTRA, stage_extra), X(LAUNCH, launch),  \
        X(COMPUTE_ARG, compute_arg), X(GPU_COUNTERS, gpu_counters), X(GPU_SAMPLE, gpu_sample),                         \
        X(COUNTER_SPECS, counter_specs), X(COUNTER_SPEC, counter_spec), X(COUNTER_BLOCK, counter_block),               \
        X(COUNTER_GROUP, counter_group), X(GPU_INFO, gpu_info), X(GPU, gpu), X(GPU_EXTRA, gpu_extra),                  \
        X(GPU_MEMORY, gpu_memory), X(GPU_LOG, gpu_log), X(VULKAN_API, vulkan_api), X(VULKAN_OBJECT, vulkan_object),    \
        X(VULKAN_SUBMIT, vulkan_submit), X(VULKAN_MEMORY, vulkan_memory), X(VULKAN_ANNOTATION, vulkan_annotation),     \
        X(FTRACE, ftrace), X(FTRACE_EVENT, ftrace_event), X(COMPACT, compact), X(FTRACE_PRINT, ftrace_print),          \
        X(FTRACE_SWITCH, ftrace_switch), X(FTRACE_WAKING, ftrace_waking), X(FTRACE_EXIT, ftrace_exit),                 \
        X(FTRACE_TASK, ftrace_task), X(FTRACE_RENAME, ftrace_rename), X(FTRACE_BLOCKED, ftrace_blocked),               \
        X(FTRACE_WORK, ftrace_work), X(FTRACE_SIGNAL, ftrace_signal), X(FTRACE_SCORE, ftrace_score),                   \
        X(FTRACE_VICTIM, ftrace_victim), X(FTRACE_SUSPEND, ftrace_suspend), X(FTRACE_ZERO, ftrace_zero),               \
        X(FTRACE_MDSS, ftrace_mdss), X(FTRACE_SDE, ftrace_sde), X(FTRACE_DPU, ftrace_dpu),                             \
        X(FTRACE_GENERIC, ftrace_generic), X(FTRACE_GENERIC_FIELD, ftrace_generic_field),                              \
        X(FTRACE_BINDER, ftrace_binder), X(FTRACE_BINDER_RECEIVED, ftrace_binder_received),                            \
        X(FTRACE_BINDER_BUFFER, ftrace_binder_buffer), X(FTRACE_BINDER_PRIORITY, ftrace_binder_priority),              \
        X(FRAMES, frames), X(DISPLAY_FRAME, display_frame), X(SURFACE_FRAME, surface_frame), X(FRAME_END, frame_end),  \
        X(FTRACE_STATS, ftrace_stats), X(KERNEL_STATE, kernel_state), X(KERNEL_RENAME, kernel_rename),                 \
        X(KERNEL_TREE, kernel_tree), X(KERNEL_PROCESS, kernel_process), X(KERNEL_THREAD, kernel_thread),               \
        X(SYS_STATS, sys_stats), X(IDLE_STATES, idle_states), X(ANDROID_LOG, android_log),                             \
        X(ANDROID_LOG_EVENT, android_log_event), X(ANDROID_LOG_ARG, android_log_arg), X(SAMPLE, sample),               \
        X(SAMPLES, samples)

#define PF_MESSAGE(NAME, name) PF_MSG_##NAME
typedef enum pf_message {
    PF_MESSAGES(PF_MESSAGE),
    /* Flat ones: any number is a value, and any bytes are nothing that is known, or such texts. */
    PF_MSG_NUMBERS,
    PF_MSG_NAMES,
    PF_MSG_PRIVATES,
    PF_MSGS
} pf_message;

enum {
    PF_FACT_LIST = 1, /* a repeated number, which may be packed */
    PF_FACT_FIXED = 2 /* packed as 8 bytes each, else as varints */
};

typedef struct pf_fact {
    uint8_t role, flags;
    uint16_t what; /* MESSAGE: which; IID: the field of InternedData that lists the entries */
} pf_fact;

/* The fact of a field; its role is PF_ROLE_UNKNOWN where there is none or its wire type contradicts. */
pf_fact pf_role_of(pf_message message, uint32_t tag);

/* Whether the table knows what a field of TracePacket holds: data of that kind, or a part of the envelope. It may hold
 * parts that the table does not know all the same. */
static inline bool pf_packet_field_known(uint32_t number)
{
    return pf_role_of(PF_MSG_PACKET, number << 3).role || pf_role_of(PF_MSG_PACKET, number << 3 | 2).role;
}
