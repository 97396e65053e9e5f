/* model/args/early_args.h - arguments that are read while a reader has their bytes at hand.
 *
 * When columns of arguments are asked for (arg_columns.h), their bytes have left the cache, and pages of a mapped file
 * have to be mapped again. Where it is known before the import which keys of which events will be asked for
 * (pf_early_args), the reader calls pf_early_args_read after each part of the input. They are read by the same code;
 * pf_arg_columns_read takes over what was read early and reads everything else as always.
 *
 * What it brings to `analyze gpu` of JSON like PyTorch's, on a quiet machine, in turns with a build without: 0.271 ->
 * 0.252 s of processor time for a million events, 4 % for 5 million.
 */
#pragma once

#include "model/args/arg_columns.h"

/* Of the arguments of slices: all; those of each that is as long as all of its name before it in its input, or longer;
 * none. */
typedef enum pf_args_kept { PF_ARGS_KEPT = 0, PF_ARGS_OF_LONGEST, PF_ARGS_LEFT_OUT } pf_args_kept;

/* What of the arguments of complete slices ("X" of JSON) of a category is kept besides what is read early, where that
 * could be read. What is not kept is absent as if it was not there, and takes no memory. */
typedef struct pf_early_keeper {
    pf_args_kept (*kept)(pf_str category); /* asked once for each */
} pf_early_keeper;

/* From now on arguments are read early, unless they are already, none are wanted (NULL, no keys) or the trace has none.
 * PF_ERR_USAGE: keys that pf_arg_columns_read refuses. */
pf_status pf_early_args_start(pf_trace *t, const pf_early_args *wanted, pf_error *err);

/* Integers that a decoder has found on its way, as those of most events are: below 2^32, each the first value of its
 * name. It lists events in the order of their arguments, those whose wanted names are all known to be there or not.
 * What the last name says mostly is another number for each; what the others say is listed once for many. So there
 * is little that one processor writes and another one reads. */
enum { PF_EARLY_NAMES = 4 };
typedef struct pf_early_names {
    unsigned count; /* 0: nobody asks */
    pf_str name[PF_EARLY_NAMES];
} pf_early_names;
enum { PF_EARLY_LAST = PF_EARLY_NAMES - 1 }; /* the place of the last name, however many there are */
typedef struct pf_early_event {
    uint32_t args; /* as in t->args, from the base */
    uint32_t last; /* what the last name says, 0 for nothing */
    uint32_t said; /* what the others do: a place in the list */
} pf_early_event;
typedef struct pf_early_said {
    uint32_t has; /* a bit per name */
    uint32_t number[PF_EARLY_LAST];
} pf_early_said;
typedef struct pf_early_found {
    const uint8_t *base;
    const pf_early_event *event;
    const pf_early_said *said;
    uint32_t events;
} pf_early_found;

/* The names that a decoder may look out for. */
pf_early_names pf_early_args_names(const pf_trace *t);

/* Reads those of the events that were added since the last call; nothing where none are wanted. found: of these, or of
 * others, too; NULL: none. */
pf_status pf_early_args_read(pf_trace *t, const pf_early_found *found, pf_error *err);

/* Whether arguments of some categories are not kept. Then a reader adds them as lasting ones, whether their bytes last
 * or not, and calls pf_early_args_leave after pf_early_args_read, while they are still there: rows that are not kept
 * go, bytes of the others become the trace's own where they do not last. */
bool pf_early_args_some_go(const pf_trace *t);
pf_status pf_early_args_leave(pf_trace *t, bool lasting, pf_error *err);

/* Once the trace is finished: where arguments went, columns that slices repeat or that only writers and queries read
 * go, too: dur and track of events, depth and end_event of slices. */
void pf_early_args_end(pf_trace *t);

/* What was read early with all keys of the columns; source[k] is the place of key k there. NULL: nothing. */
const struct pf_early_store *pf_early_args_of(const pf_trace *t, const pf_arg_columns *c, uint8_t *source);

/* How many of the events, from the first one on, were read early and say the same under the first `keys` keys of
 * `wanted`, each of them something; their numbers are put into `value`. It may be more than are counted. */
uint32_t pf_early_args_agree(const pf_trace *t, const pf_early_args *wanted, size_t keys, const uint32_t *events,
                             uint32_t count, uint64_t *value);

/* Fills the rows of a piece whose events were read early, and sets their bits in p->filled. p->early is set. Returns
 * whether these are all rows, or p->status is an error. */
bool pf_early_args_take(pf_arg_piece *p);
