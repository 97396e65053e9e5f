/* analyze/gpu/host/gpu_host.h - host-bound gaps as windows of the thread that launched too late: from the start of the
 * gap to the end of the call, or of the gap if that is earlier. docs/reference/gpu.md, "What the host did". */
#pragma once

#include "analyze/gpu/times/gpu_times.h"
#include "analyze/scheduler/thread_windows.h"

/* Notes of which inputs the scheduler knows threads. */
void pf_gpu_host_note_inputs(gpu_facts *g, const pf_schedule *h);

/* The window of a gap; false where it has none, or where its input has no scheduler. */
bool pf_gpu_host_window_of(const gpu_facts *g, const pf_schedule *h, const gpu_listed_gap *gap, pf_interval *window);

/* Fills the tables of windows and of wakers for the gaps. */
pf_status pf_gpu_host_tabulate(const gpu_facts *g, const pf_schedule *h, const gpu_gap_list *gaps, pf_error *err);
