/* model/findings/findings.h - findings as their own files see them (the public view is postfetto/findings.h).
 *
 * Two kinds of memory: small things that never grow (texts, nodes, table heads) live in one arena; lists that grow are
 * pf_columns of one column, so that their rows count against pf_limits.rows and the bytes against pf_limits.memory.
 */
#pragma once

#include <stdarg.h>

#include "base/arena.h"
#include "base/columns.h"
#include "model/findings/table_parts.h"

/* Texts copied lately. A pass repeats a few keys and names a million times: a direct-mapped cache, compared by content,
 * makes them cost one copy. What falls out of it is copied again, which is harmless. */
#define PF_TEXT_CACHE 256

#define PF_HIGHLIGHTS 3

typedef struct pf_shown_row {
    const pf_table_builder *table;
    const pf_error *error;
    pf_severity severity;
    pf_str line;
    const char *path, *columns;
} pf_shown_row;

/* An event of the overlay: most are samples, which need no more than this. */
typedef struct pf_drawn {
    int64_t ts;
    union {
        int64_t dur;  /* SLICE */
        double value; /* SAMPLE */
    } as;
    uint32_t track;
    uint32_t more; /* row of `more`; PF_NONE: a sample without arguments and flow */
} pf_drawn;

typedef struct pf_drawn_more {
    pf_str name;
    uint64_t flow;
    uint32_t first_arg, arg_count;
    pf_overlay_event_kind kind;
} pf_drawn_more;

/* A growing list of T. */
#define PF_LIST(T)                                                                                                     \
    struct {                                                                                                           \
        uint32_t count, room;                                                                                          \
        T *row;                                                                                                        \
        pf_columns columns;                                                                                            \
    }

/* A text that grows, with a NUL at its end. */
struct pf_text {
    char *data;
    size_t len, room;
    pf_text *next;
};

/* The rows of a table, to be freed. */
typedef struct pf_table_memory {
    pf_columns columns;
    struct pf_table_memory *next;
} pf_table_memory;

struct pf_findings {
    pf_budget budget;
    pf_arena arena;
    pf_error error; /* error.code != PF_OK: failed for good */
    pf_str cache[PF_TEXT_CACHE];

    pf_str category; /* of what the overlay draws; ptr NULL: no pass is named */

    PF_LIST(pf_report) reports;
    PF_LIST(pf_shown_row) shown;
    PF_LIST(pf_attribute) attributes;
    PF_LIST(pf_overlay_track) tracks;
    PF_LIST(pf_drawn) drawn; /* the events of the overlay, in order of addition */
    PF_LIST(pf_drawn_more) more;
    PF_LIST(pf_overlay_arg) args;

    pf_text *texts;                        /* all of them, to be freed */
    pf_document *adopted;                  /* likewise */
    pf_table_builder *tables, *last_table; /* all of them, in order */
    pf_table_memory *table_memory;         /* of these */
    size_t table_count;
    struct pf_figure_row *figures, *last_figure; /* likewise */
    size_t figure_count;
    const pf_node *summary;
    const char *verdict, *headline;
    pf_highlight highlights[PF_HIGHLIGHTS];
    size_t highlight_count;
    pf_status outcome;
    pf_str nothing; /* what pf_pass_nothing said */
};

static inline pf_overlay_event_kind pf_drawn_kind(const pf_findings *f, const pf_drawn *d)
{
    return d->more == PF_NONE ? PF_OVERLAY_SAMPLE : f->more.row[d->more].kind;
}

/* How long an event is drawn; 0: it is a moment. */
static inline int64_t pf_drawn_length(const pf_findings *f, const pf_drawn *d)
{
    bool slice = pf_drawn_kind(f, d) == PF_OVERLAY_SLICE;
    return slice && d->as.dur > 0 && d->as.dur <= INT64_MAX - d->ts ? d->as.dur : 0;
}

/* The budget that the findings live under; a pass takes its working memory from it too. */
pf_budget *pf_findings_budget(pf_findings *f);

/* As pf_findings_format. */
__attribute__((format(printf, 2, 0))) pf_str pf_findings_keep_formatted(pf_findings *f, const char *format,
                                                                        va_list list);

/* Makes room for one more row after `count`; false, and noted, if refused. */
static inline bool pf_findings_room(pf_findings *f, pf_columns *columns, uint32_t count, uint32_t *room)
{
    if (f->error.code != PF_OK) {
        return false;
    }
    if (__builtin_expect(count < *room, 1)) {
        return true;
    }
    pf_error err;
    if (pf_columns_grow(columns, (uint64_t)count + 1, room, &err) != PF_OK) {
        pf_findings_fail(f, &err);
        return false;
    }
    return true;
}
