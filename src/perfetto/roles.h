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
#ifndef PF_PERFETTO_ROLES_H
#define PF_PERFETTO_ROLES_H

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

/* Messages, by what they are about. */
typedef enum pf_message {
    PF_MSG_PACKET = 0,
    PF_MSG_DEFAULTS,
    PF_MSG_EVENT_DEFAULTS,

    PF_MSG_INTERNED,
    PF_MSG_INTERNED_NAME,
    PF_MSG_INTERNED_KEY,
    PF_MSG_INTERNED_VALUE,
    PF_MSG_INTERNED_PATH,
    PF_MSG_LOCATION,
    PF_MSG_FRAME,
    PF_MSG_CALLSTACK,
    PF_MSG_MAPPING,
    PF_MSG_UNSYMBOLIZED,
    PF_MSG_GRAPHICS_CONTEXT,
    PF_MSG_STAGE_SPEC,
    PF_MSG_KERNEL,
    PF_MSG_COUNTERS_ENTRY,

    PF_MSG_EVENT,
    PF_MSG_LEGACY,
    PF_MSG_ANNOTATION,
    PF_MSG_NESTED,
    PF_MSG_TASK,
    PF_MSG_LOG_MESSAGE,
    PF_MSG_INLINE_LOCATION,
    PF_MSG_INLINE_STACK,
    PF_MSG_INLINE_FRAME,
    PF_MSG_HISTOGRAM,
    PF_MSG_LATENCY,
    PF_MSG_PUMP,
    PF_MSG_MOJO,
    PF_MSG_ACTIVE_PROCESSES,
    PF_MSG_GPU_CORRELATION,

    PF_MSG_TRACK,
    PF_MSG_PROCESS,
    PF_MSG_THREAD,
    PF_MSG_COUNTER,
    PF_MSG_PROCESS_TREE,
    PF_MSG_TREE_PROCESS,
    PF_MSG_TREE_THREAD,
    PF_MSG_PROCESS_STATS,
    PF_MSG_STATS_PROCESS,
    PF_MSG_STATS_THREAD,
    PF_MSG_STATS_FILE,

    PF_MSG_CLOCKS,
    PF_MSG_CLOCK_READING,
    PF_MSG_CONFIG,
    PF_MSG_ATTRIBUTES,
    PF_MSG_ATTRIBUTE,
    PF_MSG_SYSTEM_INFO,
    PF_MSG_UTSNAME,
    PF_MSG_CPU_INFO,
    PF_MSG_CPU,
    PF_MSG_TRIGGER,
    PF_MSG_CHROME_TRIGGER,
    PF_MSG_SERVICE,
    PF_MSG_SLOW_SOURCES,
    PF_MSG_TRACE_STATS,
    PF_MSG_WRITER_STATS,
    PF_MSG_UI_STATE,
    PF_MSG_UI_PROCESS,
    PF_MSG_CHROME_EVENTS,
    PF_MSG_CHROME_METADATA,
    PF_MSG_RANGE,

    PF_MSG_STAGE,
    PF_MSG_STAGE_SPECS,
    PF_MSG_STAGE_CONTEXT,
    PF_MSG_STAGE_EXTRA,
    PF_MSG_LAUNCH,
    PF_MSG_COMPUTE_ARG,
    PF_MSG_GPU_COUNTERS,
    PF_MSG_GPU_SAMPLE,
    PF_MSG_COUNTER_SPECS,
    PF_MSG_COUNTER_SPEC,
    PF_MSG_COUNTER_BLOCK,
    PF_MSG_COUNTER_GROUP,
    PF_MSG_GPU_INFO,
    PF_MSG_GPU,
    PF_MSG_GPU_EXTRA,
    PF_MSG_GPU_MEMORY,
    PF_MSG_GPU_LOG,
    PF_MSG_VULKAN_API,
    PF_MSG_VULKAN_OBJECT,
    PF_MSG_VULKAN_SUBMIT,
    PF_MSG_VULKAN_MEMORY,
    PF_MSG_VULKAN_ANNOTATION,

    PF_MSG_FTRACE,
    PF_MSG_FTRACE_EVENT,
    PF_MSG_COMPACT,
    PF_MSG_FTRACE_PRINT,
    PF_MSG_FTRACE_SWITCH,
    PF_MSG_FTRACE_WAKING, /* also wakeup, process_free */
    PF_MSG_FTRACE_EXIT,
    PF_MSG_FTRACE_TASK,
    PF_MSG_FTRACE_RENAME,
    PF_MSG_FTRACE_BLOCKED,
    PF_MSG_FTRACE_WORK,
    PF_MSG_FTRACE_SIGNAL,
    PF_MSG_FTRACE_SCORE,
    PF_MSG_FTRACE_VICTIM,
    PF_MSG_FTRACE_SUSPEND,
    PF_MSG_FTRACE_ZERO,
    PF_MSG_FTRACE_MDSS,
    PF_MSG_FTRACE_SDE,
    PF_MSG_FTRACE_DPU,
    PF_MSG_FTRACE_GENERIC,
    PF_MSG_FTRACE_GENERIC_FIELD,
    PF_MSG_FTRACE_STATS,
    PF_MSG_KERNEL_STATE,
    PF_MSG_KERNEL_RENAME,
    PF_MSG_KERNEL_TREE,
    PF_MSG_KERNEL_PROCESS,
    PF_MSG_KERNEL_THREAD,
    PF_MSG_SYS_STATS,
    PF_MSG_IDLE_STATES,
    PF_MSG_ANDROID_LOG,
    PF_MSG_ANDROID_LOG_EVENT,
    PF_MSG_ANDROID_LOG_ARG,
    PF_MSG_SAMPLE,
    PF_MSG_SAMPLES,

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

#endif
