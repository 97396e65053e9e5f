/* edit/json/json_clip.h - an event with another time: the rest of its bytes stay. */
#pragma once

#include "base/buffer.h"

#define PF_JSON_ALIEN "cut.end"

typedef struct pf_json_clip {
    bool moves;                     /* the event gets these times, in ns; a duration only where it has one */
    int64_t ts, dur;                /* dur -1: it keeps its own */
    bool begins, ends;              /* it began before, ends after the window: it is marked so, */
    int64_t original, original_end; /* with these times in ns */
    char phase;                     /* that it gets; 'X': it has no length; 0: its own */
    bool alien;                     /* an end fits no begin, its category is PF_JSON_ALIEN */
    bool has_tts;                   /* of an end: the thread's clock shows `tts` */
    int64_t tts;
    bool outside; /* another end of its arrow lies outside of the window */
    bool cycles;  /* the document's times are whole numbers, else microseconds */
} pf_json_clip;

/* Appends the event to `out`, its times replaced and marks added to its arguments; marks that are there from an earlier
 * cut stay as they are. `args_key`: where the event's arguments are. */
void pf_json_put_clipped(pf_buffer *out, pf_bytes event, pf_str args_key, const pf_json_clip *clip);

/* Appends an end of the slice that `event`, a begin or complete event of that phase, begins. */
void pf_json_put_end(pf_buffer *out, pf_bytes event, uint8_t phase, const pf_json_clip *clip);
