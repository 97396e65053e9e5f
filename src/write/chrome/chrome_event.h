/* write/chrome/chrome_event.h - one event row as Chrome JSON. */
#pragma once

#include "base/arena.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "base/map.h"
#include "model/trace/json_notes.h"
#include "output/sink.h"

typedef struct pf_chrome {
    const pf_trace *t;
    pf_budget *budget;
    pf_arena arena; /* of what is prepared */
    bool exact;     /* the events are those of a JSON document: each is what it was */
    bool from_json; /* they are, or a conversion of such a document */
    uint32_t events, slices, tracks;
    int64_t *pid;       /* by upid, where there are several inputs; else NULL */
    uint32_t processes; /* numbers in it */

    /* Binary traces; NULL otherwise. */
    uint32_t *slice_of; /* event row -> the slice that it begins or ends, or PF_NONE */
    uint8_t *pair;      /* slice: its begin and end are written as one complete event */
    uint8_t *said;      /* track: introduced as a thread */
    pf_json_samples samples;

    uint32_t flow_hint, thread_time_hint, args_hint; /* pf_rows_seek; events are written in order */

    pf_buffer out, nesting;
    char args_top;    /* chrome_args.c: 'o' until the first argument, then 'O' */
    uint64_t written; /* events */
} pf_chrome;

/* For the rows of a JSON document no more is needed than this. */
void pf_chrome_start(pf_chrome *c, const pf_trace *t, pf_budget *budget);
void pf_chrome_free(pf_chrome *c);

/* Appends the event to c->out, unless it is in another one. */
pf_status pf_chrome_put_event(pf_chrome *c, uint32_t row, pf_error *err);

/* Where an event stands in JSON. Asynchronous events without a process are refused by readers, Perfetto's among them,
 * so they get one that no system has. */
typedef enum pf_chrome_place {
    PF_CHROME_AS_IT_IS = 0, /* the process and thread of its track, as far as that has them */
    PF_CHROME_IN_A_PROCESS, /* in any case a process */
    PF_CHROME_OWN_THREAD    /* the track is a thread of its own */
} pf_chrome_place;

/* What an event is made of, for those that are not in a row: the opening with its phase, pid and tid of a track,
 * members by their notes. `key` is the text in front of the value, with its comma. */
void pf_chrome_begin(pf_chrome *c, char phase);
void pf_chrome_put_place(pf_chrome *c, uint32_t track, pf_chrome_place as, const pf_origin *o);
void pf_chrome_put_tid_of(pf_chrome *c, uint32_t row); /* the id of the thread alone, if it has one */
void pf_chrome_put_ns(pf_chrome *c, int64_t v);        /* a time or length without its key */

/* A member as the note says it; false if that is left to the row. */
void pf_chrome_put_noted(pf_chrome *c, const pf_origin *o, pf_member member, const char *key);
static inline bool pf_chrome_put_said(pf_chrome *c, const pf_origin *o, pf_member member, const char *key)
{
    bool said = o->member[member].form != PF_FORM_ROW;
    if (said) {
        pf_chrome_put_noted(c, o, member, key);
    }
    return said;
}

/* chrome_args.c: ,"args":{...} of an event, if it has any; a value. */
pf_status pf_chrome_put_args(pf_chrome *c, uint32_t row, pf_error *err);

/* chrome_cpus.c: events that name the cpus, where a scheduler was recorded; a row of its table. */
void pf_chrome_name_cpus(pf_chrome *c);
void pf_chrome_put_run(pf_chrome *c, uint32_t row);

void pf_chrome_put_scalar(pf_chrome *c, const pf_value *v);

static inline void pf_chrome_put(pf_chrome *c, const char *text)
{
    pf_buffer_text(&c->out, text);
}

static inline void pf_chrome_put_time(pf_chrome *c, const char *key, int64_t v)
{
    pf_chrome_put(c, key);
    pf_chrome_put_ns(c, v);
}

static inline void pf_chrome_put_int(pf_chrome *c, int64_t v)
{
    pf_buffer_int(&c->out, v);
}

/* ---- chrome.c ---------------------------------------------------------------------------------------------------- */

/* Writes the whole document, in pieces of some 64 KiB. */
pf_status pf_chrome_write(const pf_trace *t, pf_sink *sink, pf_budget *budget, pf_error *err);
