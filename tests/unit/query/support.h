/* A small trace made by hand, and results of queries as text: cells joined by "|", rows ended by newlines, NULL as "-",
 * the first line of every result the column names. */
#ifndef TESTS_QUERY_SUPPORT_H
#define TESTS_QUERY_SUPPORT_H

#include <criterion/criterion.h>

#include "base/buffer.h"
#include "model/trace/trace.h"
#include "postfetto/query.h"

typedef struct session {
    pf_trace *t;
    pf_query *q;
    pf_error err;
} session;

/* The trace (times in ns):
 *   process 10 "proc" with threads 10 (main) and 11 "thr"; process 20 without a name
 *   thread 11: X a [10, 30) category c1 {args.x 1, args.l [1, {q 2.5}, [3]], args.o {p "s", b true}, args.n null}
 *              X b [12, 17), i i 14, X b [18, 23) {args.x 1}
 *   thread 10: B x 12 {args.arr [1, 2], args.k 1}, E x 13 {args.arr [3], args.k 2, args.j "z"}
 *   global track "leaf" (uuid 8, child of "root" uuid 7, which has no events): B g 40, never closed, {debug.u 2^64-1}
 *   global track "unused" (uuid 9): nothing
 *   counter track "temp" of process 10 in unit C (uuid 6): 1.5 at 5, 2.5 at 15, 2.5 at 25
 * Slice ids: a 0, b 1, x 2, i 3, b 4, g 5. Track ids: thread 11 0, thread 10 1, root 2, leaf 3, unused 4, temp 5. */
session open_session(void);
void close_session(session *s);

/* Runs the SQL; the text is freed by the next call or by close_session. A failure is reported as "error CODE OFFSET".
 */
const char *ask(session *s, const char *sql);

/* Runs the SQL and compares the rows of the last result (without names). */
#define EXPECT_ROWS(s, sql, expected) cr_expect_str_eq(rows_of(s, sql), expected, "%s gives:\n%s", sql, rows_of(s, sql))
const char *rows_of(session *s, const char *sql);

/* Events and ids for other traces. */
uint32_t add_text(pf_trace *t, const char *text);
uint32_t add_thread_track(pf_trace *t, int64_t pid, int64_t tid);
void add_event(pf_trace *t, uint32_t track, char phase, int64_t ts, int64_t dur, const char *name,
               const char *category);

/* Gives the event added last the arguments of a case number, as the table in support.c says. */
void add_args(pf_trace *t, uint8_t number);

#endif
