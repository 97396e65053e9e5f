/* postfetto.h - read a trace, measure what the accelerator did, write the findings back into the trace.
 *
 *     pf_trace *trace;
 *     pf_error err;
 *     const char *paths[] = {"trace.json.gz"};
 *     pf_read_options ro = pf_read_options_default();
 *     if (pf_read(paths, 1, &ro, &trace, &err) != PF_OK) { ... err.text ... }
 *     const pf_slices *s = pf_trace_slices(trace);
 *     for (uint32_t i = 0; i < s->count; i++) total += s->dur[i];
 *     pf_trace_free(trace);
 *
 * One direction: read.h fills a trace (trace.h), pass.h turns it into findings (findings.h), write.h turns both into
 * files, query.h asks the tables in SQL, export.h puts them into a database; build.h makes traces that come from no
 * file. edit.h makes smaller traces of large ones, without a model of them, and redact.h says which of their texts
 * become hashes. Include this header for all of them, and read them in that order.
 */
#ifndef POSTFETTO_H
#define POSTFETTO_H

#include "postfetto/analyze.h"
#include "postfetto/arg_columns.h"
#include "postfetto/author/option.h"
#include "postfetto/author/pass.h"
#include "postfetto/author/reader.h"
#include "postfetto/base.h"
#include "postfetto/build.h"
#include "postfetto/document.h"
#include "postfetto/edit.h"
#include "postfetto/export.h"
#include "postfetto/figure.h"
#include "postfetto/findings.h"
#include "postfetto/query.h"
#include "postfetto/read.h"
#include "postfetto/redact.h"
#include "postfetto/side_table.h"
#include "postfetto/trace.h"
#include "postfetto/write.h"

#endif
