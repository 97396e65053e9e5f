/* write/perfetto/convert/converter.h - the state of a conversion, and its parts: convert.c decides in which order rows
 * are written, convert_events.c writes one, convert_names.c the metadata events that name processes and threads.
 */
#ifndef PF_WRITE_PERFETTO_CONVERT_CONVERTER_H
#define PF_WRITE_PERFETTO_CONVERT_CONVERTER_H

#include "model/trace/trace.h"
#include "write/perfetto/convert/complete_events.h"
#include "write/perfetto/convert/instants.h"
#include "write/perfetto/convert/write_order.h"
#include "write/perfetto/debug_annotations.h"
#include "write/perfetto/write_notes.h"

typedef struct pf_converter {
    const pf_trace *t;
    pf_identity *who;
    pf_packets *packets;
    pf_track_writer tracks;
    pf_complete complete;
    pf_flow_order flows;
    pf_instants instants;
    pf_notes notes;
    bool packed;
    uint32_t home;                      /* packed: the track whose events are being written */
    uint32_t sample;                    /* next row of table counter */
    uint32_t name_process, name_thread; /* string ids of the metadata events' names, PF_NONE if unused */
    pf_annotator args;
    pf_buffer text;
} pf_converter;

/* convert_names.c: the name that a metadata event gives, as a descriptor; one of another meaning is noted. All of them.
 */
void pf_convert_name(pf_converter *c, uint32_t row);
void pf_convert_names(pf_converter *c);

/* convert_events.c: a row of the event table, and the ends of instants that belong after it. */
void pf_convert_row(pf_converter *c, uint32_t row);
void pf_convert_ends(pf_converter *c, uint32_t row);

/* convert_events.c: the samples that come before a time, or all that are left; all of them counter by counter. */
void pf_convert_samples(pf_converter *c, int64_t before, bool all);
pf_status pf_convert_samples_by_track(pf_converter *c, pf_error *err);

#endif
