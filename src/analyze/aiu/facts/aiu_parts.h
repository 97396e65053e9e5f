/* analyze/aiu/facts/aiu_parts.h - events that come from partials instead of a trace (partial/ writes and reads them).
 */
#pragma once

#include "analyze/aiu/facts/aiu_facts.h"

/* The rows of a trace of partials. Arrays are its columns, by row. */
typedef struct aiu_parts {
    uint32_t count;
    const int64_t *phase, *flags, *ts, *length, *pid, *tid, *tsx[5], *power, *bytes, *flow, *launch, *launch_uint,
        *index;
    const uint32_t *input, *name, *cat, *pid_text, *tid_text, *group, *peer, *peers, *type;
    const double *speed;
    uint32_t *first, *end; /* by job: its rows */
    const char **path;     /* by job */
    pf_str *hash;
    int64_t start; /* ns: where the capture begins */
} aiu_parts;

/* What steps ask of the arguments of events, and no more. */
enum { AIU_PART_LAUNCH, AIU_PART_LAUNCH_UINT, AIU_PART_FN_IDX, AIU_PART_SPEED, AIU_PART_ARGUMENTS };
extern const pf_arg_key pf_aiu_part_arguments[AIU_PART_ARGUMENTS];

/* pf_arg_columns_read for rows of parts, and keys that partials have. */
pf_status pf_aiu_parts_arguments(aiu_run *run, const uint32_t *rows, uint32_t count, const pf_arg_key *keys,
                                 size_t key_count, pf_arg_columns **out);
