/* perfetto/decode/row_windows.c - all rows of an input, window by window.
 *
 * A window is decoded in batches of rows, which are handed out in file order. An incomplete packet at the end of a
 * window waits for more bytes; at the end of the input it is a fault, and what was read stays. A field that nobody
 * wants is skipped without ever being in memory as a whole.
 */
#include "perfetto/decode/batch.h"
#include "perfetto/fields.h"

#define HELPERS_MAX 15u
#define WORTH_HELP (4 * (size_t)PF_CHUNK_BYTES) /* bytes of a window from which on helpers pay */

/* What phase 1 works with: helpers as soon as a window is worth it. */
static pf_status choose_chunks(const pf_row_walk *k, pf_chunks **chunks, size_t window, pf_error *err)
{
    unsigned jobs = k->jobs ? k->jobs : 2, helpers = jobs - 1 < HELPERS_MAX ? jobs - 1 : HELPERS_MAX;
    if (*chunks && (helpers == 0 || window < WORTH_HELP || pf_chunks_have_helpers(*chunks))) {
        return PF_OK;
    }
    pf_chunks *better = pf_chunks_new(window < WORTH_HELP ? 0 : helpers, k->budget);
    if (!better) {
        return *chunks ? PF_OK : pf_budget_refused(k->budget, sizeof(pf_rows), err);
    }
    pf_chunks_free(*chunks);
    pf_chunks_set_digest(better, k->digest);
    *chunks = better;
    return PF_OK;
}

/* What is skipped is a field that nobody wants, or a packet longer than anybody reads. */
static void note_skipped(const pf_row_walk *k, const pf_window *w, size_t at, uint64_t skip)
{
    if (skip > PF_FIELD_LENGTH_MAX && w->data[at] == PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
        k->fault(k->ctx, PF_ROWS_TOO_LONG, w->offset + at);
    }
}

/* Hands out what the window holds; last->stop says why it ended, with *used bytes done. */
static pf_status read_window(const pf_row_walk *k, const pf_window *w, pf_chunks *chunks, size_t *used,
                             pf_decoded *last, pf_error *err)
{
    pf_status st;
    *used = 0;
    pf_chunks_begin(chunks, w->data, w->len, w->stable);
    do {
        pf_rows *rows = pf_chunks_next(chunks, last);
        *used += last->consumed;
        st = k->rows(k->ctx, w, rows, err);
        uint64_t left = w->len - *used;
        if (last->stop == PF_STOP_SKIP && last->skip <= left) {
            note_skipped(k, w, *used, last->skip);
            *used += (size_t)last->skip;
            pf_chunks_skip(chunks, (size_t)last->skip);
            last->stop = PF_STOP_FULL;
        }
    } while (st == PF_OK && last->stop == PF_STOP_FULL);
    pf_chunks_begin(chunks, NULL, 0, w->stable);
    return st;
}

/* Slides over `skip` bytes that are not needed. */
static pf_status skip_bytes(const pf_row_walk *k, pf_window *w, size_t used, uint64_t skip, pf_error *err)
{
    while (skip > w->len - used) {
        skip -= w->len - used;
        if (w->last) {
            k->fault(k->ctx, PF_ROWS_TRUNCATED, w->offset + used);
            w->len = 0;
            return PF_OK;
        }
        PF_TRY(k->more(k->ctx, w->len, w, err));
        used = 0;
    }
    return k->more(k->ctx, used + (size_t)skip, w, err);
}

static pf_status read_windows(const pf_row_walk *k, pf_window w, pf_chunks **chunks, pf_error *err)
{
    for (;;) {
        size_t used = 0;
        pf_decoded d = {0};
        PF_TRY(choose_chunks(k, chunks, w.len, err));
        PF_TRY(read_window(k, &w, *chunks, &used, &d, err));
        if (d.stop == PF_STOP_DAMAGED) {
            k->fault(k->ctx, PF_ROWS_DAMAGED, w.offset + used);
            return PF_OK;
        }
        if (d.stop == PF_STOP_SKIP) {
            note_skipped(k, &w, used, d.skip);
            PF_TRY(skip_bytes(k, &w, used, d.skip, err));
            continue;
        }
        if (w.last) {
            if (used < w.len) {
                k->fault(k->ctx, PF_ROWS_TRUNCATED, w.offset + used);
            }
            return PF_OK;
        }
        PF_TRY(k->more(k->ctx, used, &w, err));
    }
}

pf_status pf_rows_walk(const pf_row_walk *k, pf_window first, pf_error *err)
{
    pf_chunks *chunks = NULL;
    pf_status st = read_windows(k, first, &chunks, err);
    pf_chunks_free(chunks);
    return st;
}
