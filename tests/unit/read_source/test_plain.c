/* Plain inputs: the window slides over the bytes themselves. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

Test(plain, windows_of_any_size_give_the_bytes)
{
    pf_buffer stored = {0};
    char *noise = make_noise(100000, 5);
    pf_buffer_put(&stored, noise, 100000);
    static const size_t steps[] = {0, 1, 999, 4096};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        for (unsigned keep = 1; keep <= 2; keep++) {
            drained d;
            drain(&d, &stored, NULL, steps[i], keep);
            cr_expect_eq(d.status, PF_OK);
            cr_expect(d.plain.len == 100000 && memcmp(d.plain.data, noise, 100000) == 0, "step %zu keep %u", steps[i],
                      keep);
            cr_expect_str_eq(d.input.compression, "none");
            cr_expect_eq(d.input.plain_bytes, 100000);
            drained_free(&d);
        }
    }
    free(noise);
    pf_buffer_free(&stored);
}

Test(plain, windows_point_into_the_input)
{
    static const uint8_t bytes[16 + PF_SLOP] = "0123456789abcdef";
    pf_error err;
    pf_read_options o = pf_read_options_default();
    pf_trace *t = pf_trace_new(NULL, 0, &err);
    pf_input input = {.path = "test", .stored = bytes, .stored_bytes = 16};
    pf_source *s = NULL;
    pf_window w;
    cr_assert_eq(pf_source_open(&s, t, &input, &o, &err), PF_OK);
    pf_source_set_step(s, 4);
    cr_assert_eq(pf_source_more(s, 0, &w, &err), PF_OK);
    cr_expect(w.data == bytes && w.len == 4 && w.offset == 0 && !w.last && w.stable);
    cr_assert_eq(pf_source_more(s, 1, &w, &err), PF_OK);
    cr_expect(w.data == bytes + 1 && w.len == 7 && w.offset == 1 && !w.last);
    cr_assert_eq(pf_source_more(s, 0, &w, &err), PF_OK);
    cr_expect(w.data == bytes + 1 && w.len == 14 && !w.last, "the rest doubles");
    cr_assert_eq(pf_source_more(s, 14, &w, &err), PF_OK);
    cr_expect(w.data == bytes + 15 && w.len == 1 && w.offset == 15 && w.last);
    cr_assert_eq(pf_source_more(s, 1, &w, &err), PF_OK);
    cr_expect(w.len == 0 && w.offset == 16 && w.last);
    pf_source_close(s);
    pf_trace_free(t);
}

Test(plain, an_empty_input)
{
    pf_buffer stored = {0};
    drained d;
    drain(&d, &stored, NULL, 0, 1);
    cr_expect_eq(d.status, PF_OK);
    cr_expect_eq(d.plain.len, 0);
    drained_free(&d);
}

static void note_progress(void *ctx, uint64_t done, uint64_t total)
{
    uint64_t *seen = ctx;
    cr_assert(done > seen[0] && done <= total);
    seen[0] = done;
    seen[1]++;
}

Test(plain, progress_and_cancel)
{
    pf_buffer stored = {0};
    char *noise = make_noise(20 << 20, 5);
    pf_buffer_put(&stored, noise, 20 << 20);
    free(noise);
    uint64_t seen[2] = {0, 0};
    pf_read_options o = pf_read_options_default();
    o.progress = note_progress;
    o.progress_ctx = seen;
    drained d;
    drain(&d, &stored, &o, 0, 1);
    cr_expect_eq(seen[0], 20u << 20);
    cr_expect_geq(seen[1], 4);
    drained_free(&d);
    volatile int cancel = 1;
    o.cancel = &cancel;
    drain(&d, &stored, &o, 0, 1);
    cr_expect_eq(d.status, PF_ERR_CANCELLED);
    drained_free(&d);
    pf_buffer_free(&stored);
}

Test(plain, max_plain_counts_for_plain_files_too)
{
    pf_buffer stored = {0};
    pf_buffer_text(&stored, "0123456789");
    pf_read_options o = pf_read_options_default();
    o.limits.plain = 9;
    drained d;
    drain(&d, &stored, &o, 0, 1);
    cr_expect_eq(d.status, PF_ERR_LIMIT);
    drained_free(&d);
    pf_buffer_free(&stored);
}
