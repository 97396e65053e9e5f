/* model/trace/json_notes.h - what an event of Chrome JSON says beyond its row.
 *
 * A row holds what tables and passes need: the thread of an asynchronous event, the spelling of an id or a member that
 * nobody knows are not in it. Whoever writes the event as JSON again wants them, so a reader that is asked for them
 * (PF_WANT_ORIGINS) notes the difference between the event and what its row would say: members to be written in place
 * of the row's, members that the event lacks, and further ones.
 *
 * A note is a protobuf message, because that is how a conversion carries it from one file to the next: as a field of
 * the packet of its event, of which Perfetto knows nothing. A member is a varint (a plain integer; for the phase, its
 * letter) or the JSON text of its value, which is empty where the event has no such member. Notes of a foreign file may
 * hold anything: texts are checked when they are written.
 *
 * Events that have no row at all, and what stands besides the events of a document, are leftovers: kept as texts.
 */
#pragma once

#include "base/buffer.h"
#include "model/trace/trace.h"
#include "wire/writer.h"

/* Field numbers of the note; members have those from PF_ORIGIN_MEMBER on. */
enum {
    PF_ORIGIN_WHOLE = 1,     /* the whole event as JSON text; nothing else counts */
    PF_ORIGIN_HIDDEN = 2,    /* the event is in another row */
    PF_ORIGIN_COMPLETES = 3, /* an end that only says how long the complete event was that its slice began with */
    PF_ORIGIN_MORE = 4,      /* an object with further members */
    PF_ORIGIN_DOCUMENT = 5,  /* of a note without an event: a member of the document, as an object with one member */
    PF_ORIGIN_JOINS = 6,     /* of a sample: one event says it and the sample in front of it */
    PF_ORIGIN_MEMBER = 7,
    PF_ORIGIN_PLACE = 40 /* where the event stood among those of the document, where that is not otherwise known */
};

typedef enum pf_member {
    PF_MEMBER_TID = 0,
    PF_MEMBER_PID,
    PF_MEMBER_ID,
    PF_MEMBER_NAME,
    PF_MEMBER_CATEGORY,
    PF_MEMBER_PHASE,
    PF_MEMBER_ARGS,
    PF_MEMBER_SCOPE,
    PF_MEMBER_TTS,
    PF_MEMBER_TDUR,
    PF_MEMBER_TS,
    PF_MEMBER_DUR,
    PF_MEMBER_COUNT
} pf_member;

typedef enum pf_member_form { PF_FORM_ROW = 0, PF_FORM_INTEGER, PF_FORM_TEXT } pf_member_form;

typedef struct pf_origin {
    bool hidden, completes, joins, placed;
    uint32_t place;               /* if placed */
    pf_str whole, more, document; /* ptr NULL: not said */
    struct {
        pf_member_form form; /* ROW: as the row says */
        int64_t number;
        pf_str text; /* len 0: the event has no such member */
    } member[PF_MEMBER_COUNT];
} pf_origin;

void pf_origin_put_text(pf_writer *w, pf_member member, pf_str json);
void pf_origin_put_number(pf_writer *w, pf_member member, int64_t number);

/* Later fields replace earlier ones; what is malformed ends the note. */
pf_origin pf_origin_read(const uint8_t *bytes, size_t len);

/* Notes what the event added last says beyond its row. The bytes are those of a note; copy as in pf_trace_add_args. */
pf_status pf_trace_add_origin(pf_trace *t, const uint8_t *bytes, size_t len, bool copy, pf_error *err);

/* The note of an event as bytes, {NULL, 0} if there is none; and what it says. row: also PF_NONE. */
pf_str pf_trace_origin(const pf_trace *t, uint32_t row);
pf_origin pf_origin_of(const pf_trace *t, uint32_t row);

/* The duration of a complete event as JSON text, where the trace was read with PF_WANT_WRITTEN_DUR and the row does not
 * say it exactly; else {NULL, 0}. Rows as below. */
pf_str pf_trace_written_dur(const pf_trace *t, uint32_t row, uint32_t *hint);

/* Whether its begin alone says all of an end event: how a conversion ends what was a complete event. Rows have to be
 * asked for in ascending order, as far as that is to be fast (pf_rows_seek). */
bool pf_trace_end_is_silent(const pf_trace *t, uint32_t row, uint32_t *hint);

/* An event without a row (JSON text) and its place among the events, PF_NONE if that is not known; or a member of the
 * document (an object with one member). */
pf_status pf_trace_add_leftover(pf_trace *t, bool of_document, pf_str text, uint32_t place, pf_error *err);

/* Where the events of an input stood in the document that it was converted from: place[i] of its i-th row, and PF_NONE
 * for rows that stand for no event of their own. Rows whose notes say no place have those that are free, which is right
 * if the conversion says places at all; *said: how many rows say one. Needs PF_WANT_PLACES or more. */
pf_status pf_trace_json_places(const pf_trace *t, uint32_t input, pf_budget *budget, uint32_t *place, uint32_t *said,
                               pf_error *err);

/* The order of the document for the i-th row of an input that was converted from one (PF_WANT_PLACES): its place from 1
 * on, 0 of what came before all others; PF_NONE: by time, after those; PF_NO_PLACE: a name that another row says. NULL
 * for other inputs, in the order of rows. */
#define PF_NO_PLACE (PF_NONE - 1)
static inline const uint32_t *pf_trace_places(const pf_trace *t, uint32_t input)
{
    return t->places ? t->places[input] : NULL;
}

/* How events spell the id of a thread, where that is not what its row says (0 or nothing for a main thread): JSON text,
 * empty for nothing; ptr NULL: as the row says. False if nobody said anything. */
pf_status pf_trace_say_tid(pf_trace *t, uint32_t utid, pf_str json, pf_error *err);
bool pf_trace_said_tid(const pf_trace *t, uint32_t utid, pf_str *json);

/* Whether a row is a sample of a counter: its event is not in the row, as counter events of JSON are. */
static inline bool pf_trace_is_sample(const pf_trace *t, uint32_t row)
{
    return t->events.phase[row] == 'C' && pf_track_type_is_counter(t->tracks.type[t->events.track[row]]);
}

/* ---- json_samples.c ---------------------------------------------------------------------------------------------- */

/* Which counter events of Chrome JSON the samples of a conversion were.
 *
 * A counter event of JSON has a name and a series for each of its arguments. In a binary trace each series is a counter
 * of its own, called by both, and all series of one event share an axis, which has the name of the event. What else the
 * event said is a note of its first sample (model/trace/json_notes.h); a note holds for the later samples of its
 * counter as well, until there is another one, because a counter's events are much alike. Samples that one event had
 * stand next to each other: all but the first have a note that they join it. */

typedef struct pf_json_samples {
    const pf_trace *t;
    pf_budget *budget;
    uint32_t tracks;
    uint32_t *share; /* by counter track: string id of the name of the events that it came from, or 0 */
    uint32_t *habit; /* by counter track: event whose note holds for its samples, or PF_NONE */
} pf_json_samples;

pf_status pf_json_samples_init(pf_json_samples *s, const pf_trace *t, pf_budget *budget, pf_error *err);
void pf_json_samples_free(pf_json_samples *s);

/* What the note of sample i says, or the one that holds for its counter. Samples have to be asked for in their order.
 */
pf_origin pf_json_samples_note(pf_json_samples *s, uint32_t i);

/* The note of sample i if it joins the event of the sample before it; otherwise nothing has been asked. */
bool pf_json_samples_joins(pf_json_samples *s, uint32_t i, pf_origin *note);

/* The name of a counter, split where a conversion says that the event's name ends. Other counters have a name of their
 * own, and their unit is the series. */
void pf_json_samples_name(const pf_json_samples *s, uint32_t track, pf_str *name, pf_str *series);

/* Whether a sample of that note is a real, though its value may be a whole number. */
static inline bool pf_json_samples_real(const pf_origin *note)
{
    return note->member[PF_MEMBER_ARGS].form == PF_FORM_INTEGER;
}

/* ---- document_members.c ------------------------------------------------------------------------------------------ */

/* The members next to the events of several JSON documents in one document.
 *
 * Each input has its own displayTimeUnit, otherData and so on. The first input's stay as they are. What a later one
 * says with the same words is written once; what it says otherwise gets the number of its input, as in "otherData (2)",
 * since readers of JSON see one member of a name. */

typedef struct pf_document_members {
    const pf_trace *t;
    pf_map first;   /* hash of a member's name -> the first leftover that has it */
    pf_buffer text; /* of a member with another name */
} pf_document_members;

void pf_document_members_init(pf_document_members *d, const pf_trace *t, pf_budget *budget);
void pf_document_members_free(pf_document_members *d);

/* Leftover `i` of a document: an object of one member, valid until the next call; {NULL, 0} if an earlier input has it.
 * Leftovers must come in their order. */
pf_str pf_document_member(pf_document_members *d, uint32_t i);

/* The name in {"name": value} as it is spelled, without its quotes; empty if the text is no such object. */
pf_str pf_document_member_name(pf_str object);
