/* Stacks of calls: frames named by id, lists of names, ends of slices, and what may be wrong with them. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define FRAMES                                                                                                         \
    "\"stackFrames\":{\"1\":{\"category\":\"lib\",\"name\":\"main\"},\"7\":{\"name\":\"step\",\"parent\":\"1\"},"      \
    "\"8\":{\"name\":\"leaf\",\"parent\":7},\"9\":{\"name\":\"p\",\"parent\":\"10\"},"                                 \
    "\"10\":{\"name\":\"q\",\"parent\":\"9\"},\"11\":{\"name\":\"self\",\"parent\":11},"                               \
    "\"12\":{\"name\":\"orphan\",\"parent\":\"none\"}}"

/* "main/step" for a callsite, its depth checked on the way; "-" for none. */
static void put_site(pf_trace *t, uint32_t site, pf_buffer *out)
{
    uint32_t path[16], n = 0;
    pf_side_table *sites = &t->sides.known[PF_SIDE_CALLSITE], *frames = &t->sides.known[PF_SIDE_STACK_FRAME];
    if (site == PF_NONE) {
        pf_buffer_text(out, "-");
    }
    for (; site != PF_NONE; site = *pf_side_ref(sites, PF_CALLSITE_PARENT, site)) {
        cr_assert_lt(n, 16);
        path[n++] = site;
    }
    for (uint32_t i = n; i-- > 0;) {
        cr_expect_eq(*pf_side_number(sites, PF_CALLSITE_DEPTH, path[i]), n - 1 - i);
        uint32_t frame = *pf_side_ref(sites, PF_CALLSITE_FRAME, path[i]);
        pf_str name = pf_trace_string(t, *pf_side_ref(frames, PF_STACK_FRAME_NAME, frame));
        pf_buffer_format(out, "%s%.*s", i + 1 < n ? "/" : "", (int)name.len, name.ptr);
    }
}

/* "SLICE: STACK END; " for every slice that has a stack. */
static void expect_stacks(const char *text, const char *want)
{
    pf_trace *t = load(text);
    pf_side_table *s = &t->sides.known[PF_SIDE_EVENT_STACK];
    pf_buffer out = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t slice = *pf_side_ref(s, PF_EVENT_STACK_SLICE, i);
        if (slice != PF_NONE) {
            pf_str name = pf_trace_string(t, pf_slice_name(pf_trace_slices(t), slice));
            pf_buffer_format(&out, "%.*s: ", (int)name.len, name.ptr);
            put_site(t, *pf_side_ref(s, PF_EVENT_STACK_SITE, i), &out);
            pf_buffer_text(&out, " ");
            put_site(t, *pf_side_ref(s, PF_EVENT_STACK_END_SITE, i), &out);
            pf_buffer_text(&out, "; ");
        }
    }
    pf_buffer_put(&out, "", 1);
    cr_expect_str_eq(out.data, want, "%s", text);
    pf_buffer_free(&out);
    pf_trace_free(t);
}

Test(stacks, complete_events_have_one_at_each_end)
{
    expect_stacks("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"sf\":7,\"esf\":\"8\"},"
                  "{\"ph\":\"X\",\"name\":\"b\",\"ts\":5,\"dur\":2,\"esf\":1}]," FRAMES "}",
                  "a: main/step main/step/leaf; b: - main; ");
}

Test(stacks, frames_may_come_first_and_be_spelled_as_texts)
{
    expect_stacks("{" FRAMES ",\"traceEvents\":[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":\"8\"}]}",
                  "a: main/step/leaf -; ");
}

Test(stacks, ends_tell_theirs_to_the_slice)
{
    expect_stacks("{\"traceEvents\":[{\"ph\":\"B\",\"name\":\"a\",\"ts\":1,\"sf\":1},{\"ph\":\"E\",\"ts\":2,\"sf\":7},"
                  "{\"ph\":\"B\",\"name\":\"b\",\"ts\":3},{\"ph\":\"E\",\"ts\":4,\"sf\":8},"
                  "{\"ph\":\"b\",\"name\":\"c\",\"cat\":\"c\",\"id\":1,\"pid\":1,\"ts\":5,\"sf\":7},"
                  "{\"ph\":\"e\",\"name\":\"c\",\"cat\":\"c\",\"id\":1,\"pid\":1,\"ts\":6,\"sf\":1}]," FRAMES "}",
                  "a: main -; a: - main/step; b: - main/step/leaf; c: main/step -; c: - main; ");
}

Test(stacks, lists_of_names_share_their_callsites)
{
    static const char text[] = "[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"stack\":[\"m\",\"w\"]},"
                               "{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,\"dur\":1,\"stack\":[\"m\"],\"estack\":[\"m\","
                               "\"w\",\"\\u0078\",[\"no\"],3]}]";
    expect_stacks(text, "a: m/w -; b: m m/w/x; ");
    pf_trace *t = load(text);
    cr_expect_eq(t->sides.known[PF_SIDE_CALLSITE].count, 3);
    cr_expect_eq(t->sides.known[PF_SIDE_STACK_FRAME].count, 3);
    pf_trace_free(t);
}

Test(stacks, circles_and_what_is_not_there)
{
    expect_stacks("{\"traceEvents\":[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":9},"
                  "{\"ph\":\"i\",\"name\":\"b\",\"ts\":2,\"sf\":10},{\"ph\":\"i\",\"name\":\"c\",\"ts\":3,\"sf\":11},"
                  "{\"ph\":\"i\",\"name\":\"d\",\"ts\":4,\"sf\":12},{\"ph\":\"i\",\"name\":\"e\",\"ts\":5,\"sf\":99},"
                  "{\"ph\":\"i\",\"name\":\"f\",\"ts\":6,\"sf\":{}},{\"ph\":\"i\",\"name\":\"g\",\"ts\":7,"
                  "\"stack\":\"8\"}]," FRAMES "}",
                  "a: q/p -; b: q -; c: self -; d: orphan -; e: - -; f: - -; ");
}

Test(stacks, a_chain_of_a_hundred_thousand_frames)
{
    enum { N = 100000 };
    pf_buffer b = {0};
    pf_buffer_format(&b, "{\"traceEvents\":[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":%d}],\"stackFrames\":{",
                     N - 1);
    for (int i = 0; i < N; i++) {
        pf_buffer_format(&b, "%s\"%d\":{\"name\":\"f\",\"parent\":%d}", i ? "," : "", i, i - 1);
    }
    pf_buffer_text(&b, "}}");
    pf_trace *t = load_bytes(b.data, b.len, NULL, 0, NULL);
    uint32_t site = *pf_side_ref(&t->sides.known[PF_SIDE_EVENT_STACK], PF_EVENT_STACK_SITE, 0);
    cr_assert_neq(site, PF_NONE);
    cr_expect_eq(*pf_side_number(&t->sides.known[PF_SIDE_CALLSITE], PF_CALLSITE_DEPTH, site), N - 1);
    pf_buffer_free(&b);
    pf_trace_free(t);
}

/* "NAME|CATEGORY " for every frame, in the order of the rows. */
static void expect_frames(const char *text, const char *want)
{
    pf_trace *t = load(text);
    pf_side_table *frames = &t->sides.known[PF_SIDE_STACK_FRAME];
    pf_buffer out = {0};
    for (uint32_t i = 0; i < frames->count; i++) {
        pf_str name = pf_trace_string(t, *pf_side_ref(frames, PF_STACK_FRAME_NAME, i));
        pf_str category = pf_trace_string(t, *pf_side_ref(frames, PF_STACK_FRAME_CATEGORY, i));
        pf_buffer_format(&out, "%.*s|%.*s ", (int)name.len, name.len ? name.ptr : "", (int)category.len,
                         category.len ? category.ptr : "");
    }
    pf_buffer_put(&out, "", 1);
    cr_expect_str_eq(out.data, want, "%s", text);
    pf_buffer_free(&out);
    pf_trace_free(t);
}

#define ONE(frames) "{\"traceEvents\":[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":1}],\"stackFrames\":" frames "}"

Test(stacks, frames_have_a_name_and_a_category)
{
    expect_frames(ONE("{\"1\":{\"category\":\"c\",\"name\":\"n\"},\"2\":{\"name\":\"m\"}}"), "n|c m| ");
    expect_frames(ONE("{\"1\":{\"name\":5,\"category\":-6},\"2\":{\"name\":1.5,\"category\":true}}"), "5|-6 | ");
    expect_frames(ONE("{\"1\":{\"name\":\"n\"},\"1\":{\"category\":\"c\"}}"), "n|c ");
    expect_frames(ONE("{\"1\":{\"name\":\"n\",\"other\":\"x\"}}"), "n| ");
}

Test(stacks, what_is_no_frame_adds_nothing)
{
    expect_frames(ONE("{\"1\":{\"name\":\"n\",\"args\":{\"name\":\"inner\",\"category\":\"c\"}},\"name\":\"outer\"}"),
                  "n| ");
    expect_frames(ONE("{\"1\":{\"name\":\"n\"},\"2\":[\"name\",{\"name\":\"x\"}],\"3\":\"s\",\"4\":7}"), "n| ");
    expect_frames(ONE("{\"1\":{\"l\":[{\"name\":\"x\"}],\"name\":\"n\"},\"2\":{\"name\":\"m\"}}"), "n| m| ");
    expect_frames(ONE("[{\"1\":{\"name\":\"n\"}}]"), "");
    expect_frames(ONE("\"{\""), "");
    expect_frames("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":1}]", "");
}

Test(stacks, lists_count_names_at_their_own_level)
{
    expect_stacks("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"stack\":[\"m\",{\"x\":\"no\"},[\"no\"],\"w\"]}]",
                  "a: m/w -; ");
    expect_stacks("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"stack\":[]}]", "a: - -; ");
    expect_stacks("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"stack\":[\"m\",\"m\"]}]", "a: m/m -; ");
    expect_frames("[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"stack\":[\"m\",\"m\"]}]", "m| ");
}

Test(stacks, only_some_members_say_a_stack)
{
    expect_stacks("{\"traceEvents\":[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":\"\"},"
                  "{\"ph\":\"i\",\"name\":\"b\",\"ts\":2,\"stack\":\"1\"},"
                  "{\"ph\":\"i\",\"name\":\"c\",\"ts\":3,\"estack\":5},"
                  "{\"ph\":\"i\",\"name\":\"d\",\"ts\":4,\"sf\":\"\",\"stack\":[\"x\"]},"
                  "{\"ph\":\"i\",\"name\":\"e\",\"ts\":5,\"e\":1,\"sfx\":1,\"essf\":1,\"stacks\":[\"x\"]}]," FRAMES "}",
                  "a: - -; d: x -; ");
}

/* Two frames below one, and one that is below both ways: callsites are shared where frame and caller are equal. */
Test(stacks, callsites_are_shared)
{
    static const char text[] =
        "{\"traceEvents\":[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":2},"
        "{\"ph\":\"i\",\"name\":\"b\",\"ts\":2,\"sf\":3},{\"ph\":\"i\",\"name\":\"c\",\"ts\":3,\"sf\":2},"
        "{\"ph\":\"i\",\"name\":\"d\",\"ts\":4,\"sf\":1}],\"stackFrames\":{\"1\":{\"name\":\"m\"},"
        "\"2\":{\"name\":\"x\",\"parent\":1},\"3\":{\"name\":\"y\",\"parent\":1}}}";
    expect_stacks(text, "a: m/x -; b: m/y -; c: m/x -; d: m -; ");
    pf_trace *t = load(text);
    cr_expect_eq(t->sides.known[PF_SIDE_CALLSITE].count, 3);
    pf_trace_free(t);
}

Test(stacks, only_with_slices)
{
    static const char text[] = "[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"sf\":1}]";
    pf_read_options o = pf_read_options_default();
    o.want &= ~(unsigned)PF_WANT_SLICES;
    pf_trace *t = load_bytes(text, sizeof text - 1, &o, 0, NULL);
    cr_expect_eq(t->sides.known[PF_SIDE_EVENT_STACK].count, 0);
    pf_trace_free(t);
}
