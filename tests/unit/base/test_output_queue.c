/* The queue to the thread that writes: pieces come in their order, each once, however slow it is; what it fails with is
 * told, and the pieces after that are let go. */
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "base/threads/threads.h"

typedef struct target {
    pf_buffer all;
    unsigned pieces, fail_at; /* the piece that fails, from 1; 0: none */
    bool slow;
} target;

static pf_status take(void *ctx, const pf_buffer *piece)
{
    target *t = ctx;
    if (t->slow) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    if (++t->pieces == t->fail_at) {
        return PF_ERR_OUTPUT;
    }
    pf_buffer_put(&t->all, piece->data, piece->len);
    return PF_OK;
}

Test(output_queue, pieces_come_in_their_order)
{
    for (int slow = 0; slow < 2; slow++) {
        target t = {.slow = slow};
        pf_buffer piece = {0}, expected = {0};
        pf_output_queue *q = pf_output_queue_start(take, &t);
        cr_assert_not_null(q);
        for (int i = 0; i < 40; i++) {
            cr_expect_eq(piece.len, 0, "what comes back is empty");
            pf_buffer_format(&piece, "piece %d;", i);
            pf_buffer_put(&expected, piece.data, piece.len);
            cr_expect_eq(pf_output_queue_put(q, &piece), PF_OK);
        }
        cr_expect_eq(pf_output_queue_settle(q), PF_OK);
        cr_expect_eq(t.pieces, 40);
        cr_expect(t.all.len == expected.len && memcmp(t.all.data, expected.data, expected.len) == 0);
        pf_output_queue_stop(q);
        pf_buffer_free(&t.all);
        pf_buffer_free(&piece);
        pf_buffer_free(&expected);
    }
}

Test(output_queue, an_error_stays)
{
    for (unsigned at = 1; at <= 3; at++) {
        target t = {.fail_at = at};
        pf_buffer piece = {0};
        pf_output_queue *q = pf_output_queue_start(take, &t);
        cr_assert_not_null(q);
        for (unsigned i = 1; i < at; i++) {
            pf_buffer_text(&piece, "x");
            pf_output_queue_put(q, &piece);
            cr_expect_eq(pf_output_queue_settle(q), PF_OK);
        }
        pf_buffer_text(&piece, "y");
        pf_output_queue_put(q, &piece);
        cr_expect_eq(pf_output_queue_settle(q), PF_ERR_OUTPUT);
        pf_buffer_text(&piece, "z");
        cr_expect_eq(pf_output_queue_put(q, &piece), PF_ERR_OUTPUT);
        cr_expect_eq(pf_output_queue_settle(q), PF_ERR_OUTPUT);
        cr_expect_eq(t.all.len, at - 1);
        pf_output_queue_stop(q);
        pf_buffer_free(&t.all);
        pf_buffer_free(&piece);
    }
    pf_output_queue_stop(NULL);
}

/* Stopping at once does not lose what was put. */
Test(output_queue, stopping_waits_for_what_was_put)
{
    target t = {.slow = true};
    pf_buffer piece = {0};
    pf_output_queue *q = pf_output_queue_start(take, &t);
    cr_assert_not_null(q);
    pf_buffer_text(&piece, "last");
    cr_expect_eq(pf_output_queue_put(q, &piece), PF_OK);
    pf_output_queue_stop(q);
    cr_expect_eq(t.all.len, 4);
    pf_buffer_free(&t.all);
    pf_buffer_free(&piece);
}
