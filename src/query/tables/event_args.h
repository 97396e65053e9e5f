/* query/tables/event_args.h - the arguments of events as rows of the argument table. */
#ifndef PF_QUERY_TABLES_EVENT_ARGS_H
#define PF_QUERY_TABLES_EVENT_ARGS_H

#include "query/session/arg_sets.h"

/* flatten_args.c: adds the arguments of an event to the set in work. */
pf_status pf_arg_set_event(pf_arg_store *s, const pf_trace *t, uint32_t event, pf_error *err);

/* event_arg_sets.c: makes the sets of all slices, counters, states and flows, once. */
pf_status pf_arg_store_load_events(pf_arg_store *s, const pf_trace *t, pf_error *err);

#endif
