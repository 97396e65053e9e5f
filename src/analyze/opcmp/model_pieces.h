/* analyze/opcmp/model_pieces.h - the operators of a model's trace in pieces: what their arguments say is worked out by
 * several threads, and added up by one of them in the order of the file.
 *
 *     model_process   trace -> the process that counts
 *     model_texts     events of a piece -> kernel types and durations that their arguments list
 *     model_side      pieces, mapping -> per kernel type: time and calls
 */
#ifndef PF_ANALYZE_OPCMP_MODEL_PIECES_H
#define PF_ANALYZE_OPCMP_MODEL_PIECES_H

#include "analyze/opcmp/opcmp.h"
#include "analyze/opcmp/python_literal.h"
#include "postfetto/arg_columns.h"

/* Whether the text has the word in it, which is in lower case. */
bool pf_opcmp_contains_lower(pf_str s, const char *word);

static inline uint32_t pf_opcmp_upid(const pf_trace *t, uint32_t event)
{
    return pf_trace_tracks(t)->upid[pf_trace_events(t)->track[event]];
}

static inline bool pf_opcmp_is_complete(const pf_events *e, uint32_t event)
{
    return (e->phase[event] & ~PF_PHASE_BAD_TS) == 'X';
}

/* What an argument says: kernel types, with durations or without. */
typedef struct opcmp_said {
    bool known, usable;
    bool reduces; /* hcom_allReduce_ is one of them */
    uint32_t count;
    uint32_t *type; /* ids in the piece's names */
    double *us;     /* NULL: the event's duration is shared out evenly */
} opcmp_said;

/* Where every event has a list of its own a piece takes 0.7 MB, and each thread may have two: one that it works on and
 * one that waits for its turn to be added up. Together that is less than what a thread takes to import JSON. */
enum { OPCMP_PIECE_EVENTS = 4096 };

/* Events [from, to) of the trace, and what was found out about those of the process. */
typedef struct opcmp_piece {
    uint32_t from, to;
    uint32_t count, row[OPCMP_PIECE_EVENTS]; /* complete events of the process */
    pf_arg_columns *columns;                 /* by place in `row`: kernel_type, sub_kernel_durations, maybe shapes */
    pf_arena arena;
    pf_strings names;              /* of kernel types */
    opcmp_said *types, *durations; /* by text id of the columns */
    pf_literal_pairs pairs;        /* room for durations; stays from piece to piece */
    pf_status status;
    pf_error error;
} opcmp_piece;

/* Fills a piece whose `from` and `to` are set; its status says how that went. Any thread may do so. */
void pf_opcmp_piece_read(opcmp_piece *p, const pf_trace *t, uint32_t upid, bool by_shape, pf_budget *budget);

/* Frees all but `pairs`. */
void pf_opcmp_piece_clear(opcmp_piece *p);

#endif
