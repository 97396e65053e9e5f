/* read/perfetto/system/system.h - what a recording says of the system that it was made on: packets of statistics and
 * descriptions, and the tracks that these and the kernel's events share. */
#pragma once

#include "read/perfetto/import/import.h"

/* ---- shared_tracks.c --------------------------------------------------------------------------------------------- */

/* The value of a dimension: a string id or a number, as the type of the track has it. */
typedef int64_t pf_dims[3];

/* The track of that type with these dimensions, made on first use; its name and unit follow from them. owner: the
 * process or thread of a type that has one, else PF_NONE. PF_NONE after an error. */
uint32_t pf_system_track(pf_import *im, pf_track_type type, uint32_t owner, const pf_dims dims);

/* The same, a new one whatever there is. */
uint32_t pf_system_new_track(pf_import *im, pf_track_type type, uint32_t owner, const int64_t *dims);

/* A CPU was seen: its row in the table of CPUs, or PF_NONE where there can be no such CPU, or after an error. */
uint32_t pf_system_cpu(pf_import *im, uint32_t cpu);

/* ---- packets ----------------------------------------------------------------------------------------------------- */

void pf_import_sys_stats(pf_import *im, const pf_packet *p);
void pf_import_cpu_info(pf_import *im, const pf_packet *p);
void pf_import_ftrace_stats(pf_import *im, const pf_packet *p);

/* perf_samples.c: a packet, in file order; the defaults of a sequence. */
void pf_import_perf_sample(pf_import *im, const pf_packet *p);
void pf_perf_defaults(pf_import *im, uint32_t sequence, const pf_field *defaults);
void pf_perf_free(pf_import *im);

/* ftrace_stats.c: a row of stats gets that value. idx: the CPU, PF_NONE where there is one value. */
void pf_system_stat(pf_import *im, const pf_record *r, pf_stat_id id, uint32_t idx, int64_t value);
void pf_system_stat_add(pf_import *im, const pf_record *r, pf_stat_id id, uint32_t idx, int64_t more);
