/* read/perfetto/apply/packet_apply.h - from batches to the trace. */
#pragma once

#include "read/perfetto/import/import.h"

/* packet_apply.c: applies a batch. */
pf_status pf_import_apply(pf_import *im, pf_rows *rows);

/* other_machines.c: keeps a packet until this machine was read. */
pf_status pf_import_put_aside(pf_import *im, const pf_record *r, uint32_t raw_id);

/* The same file: how the clocks of this machine relate to the first one's. */
void pf_import_clock_sync(pf_import *im, const pf_packet *p);

/* ---- packet_apply_fast.c ----------------------------------------------------------------------------------------- */

/* Makes room for what the places and labels of a batch stand for, once; false if memory was refused. pf_rows_free frees
 * it. */
bool pf_known_make(pf_rows *b);

/* Applies rows as long as they are plain events and all that they refer to is known. Nothing has changed by the first
 * that is not taken. */
pf_status pf_import_rows_fast(pf_import *im, pf_rows *rows, pf_rows_at *at);

/* ---- packet_kinds.c: everything that is no TrackEvent, by its kind ----------------------------------------------- */

/* Data that takes effect before times and state matter; false: this is none. */
bool pf_import_early(pf_import *im, const pf_record *r);

/* Everything else. */
pf_status pf_import_packet(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at);

/* Lists the packets that were counted in the input. */
void pf_import_list_packets(pf_import *im);

/* What findings that are left out say of where they came from. */
void pf_import_left_out_attributes(pf_import *im, const pf_record *r);

/* ---- own_findings.c: packets of findings that were drawn into the input earlier ---------------------------------- */

/* Whether a packet is one of them, and is left out (pf_read_options.without_findings). begins: its sequence begins with
 * it, or begins anew; mark: model/trace/findings_mark.h, or empty; q: its sequence, or NULL. */
pf_status pf_import_leave_out(pf_import *im, const pf_record *r, pf_sequence *q, bool begins, pf_str mark, bool *left);

/* After the packets of a compressed one were applied, `len` bytes of them: if some were left out, what is to stand in
 * the place of the outer packet `r` is remembered. */
pf_status pf_import_left_out_inside(pf_import *im, const pf_record *r, size_t len);

/* ---- trace_info.c: packets in which the trace describes itself --------------------------------------------------- */

void pf_import_system_info(pf_import *im, const pf_packet *p);
void pf_import_trace_config(pf_import *im, const pf_packet *p);
void pf_import_trace_uuid(pf_import *im, const pf_packet *p);
void pf_import_service_event(pf_import *im, const pf_packet *p);
void pf_import_chrome_events(pf_import *im, const pf_packet *p);
void pf_import_ui_state(pf_import *im, const pf_packet *p);
void pf_import_range_of_interest(pf_import *im, const pf_packet *p);

/* All clocks are known: times of the recording's milestones become times of the trace. */
void pf_import_settle_milestones(pf_import *im);

/* ---- process_stats.c, triggers.c --------------------------------------------------------------------------------- */

/* Memory and run time of processes, as counters. */
void pf_import_process_stats(pf_import *im, const pf_packet *p);

/* What started or stopped the recording, as instants; and their arguments. */
void pf_import_trigger(pf_import *im, const pf_packet *p);
pf_status pf_perfetto_trigger_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                   const pf_arg_visitor *v, pf_error *err);

/* ---- android_logs.c ---------------------------------------------------------------------------------------------- */

void pf_import_android_log(pf_import *im, const pf_packet *p);

/* ---- undecoded_times.c: times of packets that nothing decodes count for the bounds, where Perfetto's do -----------
 */

void pf_import_cover_packet(pf_import *im, const pf_packet *p); /* that of the packet itself */
