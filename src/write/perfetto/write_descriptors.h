/* write/perfetto/write_descriptors.h - descriptors and attributes: the rare packets, encoded by protobuf-c. */
#ifndef PF_WRITE_PERFETTO_WRITE_DESCRIPTORS_H
#define PF_WRITE_PERFETTO_WRITE_DESCRIPTORS_H

#include "write/perfetto/packet_writer.h"

typedef enum pf_descriptor_kind {
    PF_DESCRIBE_TRACK = 0,
    PF_DESCRIBE_COUNTER,
    PF_DESCRIBE_PROCESS,
    PF_DESCRIBE_THREAD
} pf_descriptor_kind;

typedef struct pf_descriptor {
    pf_descriptor_kind kind;
    uint64_t uuid, parent; /* parent 0: none */
    pf_str name;           /* of the track, the process or the thread; ptr NULL: none */
    pf_str description;
    pf_str unit;          /* COUNTER */
    int32_t pid;          /* PROCESS, THREAD */
    int64_t tid;          /* THREAD */
    int64_t start_ts;     /* PROCESS; <= 0: unknown */
    bool orders_children; /* children are shown by rank */
    bool ranked;
    int32_t rank;
    bool apart;         /* never merged with siblings of the same name */
    uint64_t merge_key; /* merged with the siblings of this key; 0: none */
    pf_str share_key;   /* COUNTER: counters of one key share an axis; ptr NULL: none */
    pf_str note;        /* what the event that gave the name says in JSON (model/trace/json_notes.h) */
} pf_descriptor;

/* ts < 0: the packet has no time. */
void pf_packets_describe(pf_packets *p, int64_t ts, const pf_descriptor *d);

/* One trace attribute (metadata trace_attribute.KEY): a text, or a number if text.ptr is NULL. */
void pf_packets_attribute(pf_packets *p, pf_str key, pf_str text, int64_t number);

#endif
