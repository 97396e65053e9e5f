/* read/perfetto/decode/legacy_fields.h - what the legacy_event of a TrackEvent says, read from its bytes alone. */
#ifndef PF_READ_PERFETTO_DECODE_LEGACY_FIELDS_H
#define PF_READ_PERFETTO_DECODE_LEGACY_FIELDS_H

#include "wire/cursor.h"

enum { PF_LEGACY_SCOPE_GLOBAL = 1, PF_LEGACY_SCOPE_PROCESS = 2 };

/* What legacy_event says. */
typedef struct pf_legacy {
    uint64_t name_iid;
    int64_t duration_us, thread_duration_us, instruction_delta;
    uint64_t unscoped_id, global_id, local_id, bind_id;
    pf_str id_scope; /* ptr NULL if absent */
    uint32_t phase;  /* 0 if absent */
    uint32_t scope;  /* of an instant: 1 global, 2 process, 3 thread */
    uint32_t direction;
    int32_t pid, tid;
    bool has_pid, has_tid, has_unscoped_id, has_global_id, has_local_id, has_bind_id, bind_to_enclosing;
} pf_legacy;

pf_legacy pf_legacy_read(const uint8_t *event, size_t len);

/* The id of an asynchronous operation; *local: it counts within its process. False if there is none. */
bool pf_legacy_async_id(const pf_legacy *l, uint64_t *id, bool *local);

/* Whether the phase is one of an asynchronous operation (b e n S T p F). */
bool pf_legacy_is_async(uint32_t phase);

/* Whether the event is an instant of everything, or one of its process if that is known. */
bool pf_legacy_is_wide(const pf_legacy *l, bool has_process);

#endif
