/* edit/select/thread_events.h - of the kernel's events those that belong to threads which a selection keeps.
 *
 * An event belongs to the threads and processes that it names, else to the thread that wrote it; a transaction of
 * binder belongs to both. What a cpu does for all (frequencies, interrupts, timers) belongs to none. A switch stays
 * where one of its two threads is kept, and the other one becomes the idle thread: how long a kept thread ran, and what
 * it waited for, is as it was, and nobody seems to run in place of those that are left out. */
#pragma once

#include "edit/select/selection.h"
#include "perfetto/decode/bundle.h"

/* Takes the names of threads, and which process each belongs to, from a packet of the survey, if it is a bundle. */
pf_status pf_selection_survey_bundle(pf_selection *s, const pf_raw_packet *p, pf_error *err);

/* Whether a thread is kept; 0, the idle one, is nobody's. */
bool pf_selection_takes_tid(pf_selection *s, int32_t tid);

/* The bundle without the events of others, whose compact lists stay; *content: valid until the next one. */
pf_status pf_selection_filter_events(pf_selection *s, pf_field *content, pf_error *err);

/* The same of the compact lists, once that was decoded. */
pf_status pf_selection_filter_entries(pf_selection *s, pf_ftrace_bundle *b, pf_error *err);
