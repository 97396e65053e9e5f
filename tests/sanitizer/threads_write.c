/* threads_write.c - one conversion by one thread and by several: the same bytes, and no race.
 *
 * A built trace has arguments of every kind, some of them longer than what helpers record of a block of events, and a
 * trace that is derived from it takes its arguments from there. Findings are drawn into both: enough samples for a
 * thread of their own, slices with arguments and arrows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postfetto/build.h"
#include "postfetto/write.h"

enum { SLICES = 6000, SAMPLES = 6000, LONG_TEXT = 700 << 10 };

static void add_args(pf_builder *b, uint32_t i, pf_str long_text)
{
    char number[24];
    int len = snprintf(number, sizeof number, "%u", i * 2654435761u);
    pf_build_arg_text(b, PF_STR("TS1"), (pf_str){number, (size_t)len});
    pf_build_arg_int(b, PF_STR("n"), (int64_t)i - 3000);
    pf_build_arg_uint(b, PF_STR("u"), UINT64_MAX - i);
    pf_build_arg_real(b, PF_STR("r"), i / 3.0);
    pf_build_arg_bool(b, PF_STR("b"), i % 2);
    pf_build_arg_pointer(b, PF_STR("p"), i);
    if (i % 3 == 0) {
        pf_build_arg_object(b, PF_STR("o"));
        pf_build_arg_list(b, PF_STR("l"));
        pf_build_arg_int(b, (pf_str){NULL, 0}, i);
        pf_build_arg_null(b, (pf_str){NULL, 0});
        pf_build_arg_end(b);
        pf_build_arg_text(b, PF_STR("empty"), PF_STR(""));
        pf_build_arg_end(b);
    }
    if (i % 1000 < 3) {
        pf_build_arg_text(b, PF_STR("long"), long_text);
    }
}

static pf_trace *finish(pf_builder *b)
{
    pf_error err;
    pf_trace *t = NULL;
    if (pf_builder_finish(b, &t, &err) != PF_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    pf_builder_free(b);
    return t;
}

static pf_trace *build(void)
{
    pf_builder *b = pf_builder_new(NULL);
    char *text = malloc(LONG_TEXT);
    uint32_t track[3], process = pf_build_process(b, 1, PF_STR("process"));
    for (uint32_t i = 0; i < 3; i++) {
        track[i] = pf_build_thread_track(b, pf_build_thread(b, process, 10 + i, PF_STR("thread")));
    }
    for (size_t i = 0; text && i < LONG_TEXT; i++) {
        text[i] = (char)('a' + i % 26);
    }
    for (uint32_t i = 0; text && i < SLICES; i++) {
        pf_build_slice(b, track[i % 3], 1000 + 10 * (int64_t)i, 5 + i % 30, i % 7 ? PF_STR("kernel") : PF_STR("copy"));
        if (i % 5) {
            add_args(b, i, (pf_str){text, LONG_TEXT});
        }
    }
    free(text);
    return finish(b);
}

static pf_trace *derive(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    pf_builder *b = pf_builder_derive(t, NULL);
    for (uint32_t row = 0; row < e->count; row++) {
        if (e->phase[row] == 'X') {
            pf_build_slice(b, e->track[row], e->ts[row] + 7, e->dur[row], PF_STR("derived"));
            pf_build_copy_args(b, row);
            pf_build_arg_int(b, PF_STR("n"), row);
        }
    }
    return finish(b);
}

static pf_findings *draw(void)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_findings_set_pass(f, PF_STR("test"));
    const pf_overlay_track rows[] = {
        {.kind = PF_OVERLAY_COUNTER, .parent = PF_NONE, .name = PF_STR("rate"), .unit = PF_STR("count")},
        {.kind = PF_OVERLAY_SLICES,
         .parent = PF_NONE,
         .anchor = PF_ANCHOR_PROCESS,
         .anchor_id = 1,
         .name = PF_STR("s")}};
    uint32_t counter = pf_overlay_add_track(f, &rows[0]), slices = pf_overlay_add_track(f, &rows[1]);
    for (int64_t i = 0; i < SAMPLES; i++) {
        pf_overlay_sample(f, counter, 1000 + 9 * i, (double)(i % 100) / 3);
        if (i % 10 == 0) {
            pf_overlay_slice(f, slices, 1000 + 9 * i, 30, PF_STR("found"));
            pf_overlay_arg_text(f, PF_STR("why"), i % 3 ? PF_STR("late") : PF_STR("early"));
            pf_overlay_flow(f, (uint64_t)(i / 20) + 1);
        }
    }
    return f;
}

/* The bytes of the trace as so many threads write it, 0 if they cannot. */
static size_t write_it(const pf_trace *t, const pf_findings *f, unsigned jobs, const char *ending, char **bytes)
{
    char path[64];
    pf_error err = {.code = PF_OK};
    pf_write_options o = pf_write_options_default();
    o.jobs = jobs;
    o.sync = false;
    snprintf(path, sizeof path, "threads_write.%ld%s", (long)getpid(), ending);
    pf_status st = f ? pf_write_enriched(t, f, path, &o, &err) : pf_convert_pftrace(t, path, &o, &err);
    FILE *file = st == PF_OK ? fopen(path, "rb") : NULL;
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    *bytes = size > 0 ? malloc((size_t)size) : NULL;
    bool read = *bytes && fseek(file, 0, SEEK_SET) == 0 && fread(*bytes, 1, (size_t)size, file) == (size_t)size;
    if (file) {
        fclose(file);
    } else {
        fprintf(stderr, "%s: %s\n", path, err.text);
    }
    unlink(path);
    return read ? (size_t)size : 0;
}

static bool same_bytes(const pf_trace *t, const pf_findings *f, const char *ending)
{
    char *one, *many;
    size_t expected = write_it(t, f, 1, ending, &one);
    bool same = expected > 0;
    for (unsigned jobs = 2; jobs <= 4 && same; jobs++) {
        size_t len = write_it(t, f, jobs, ending, &many);
        same = len == expected && memcmp(one, many, len) == 0;
        free(many);
    }
    free(one);
    if (!same) {
        fprintf(stderr, "several threads write something else%s%s\n", f ? ", with findings" : "", ending);
    }
    return same;
}

int main(void)
{
    pf_trace *built = build(), *derived = built ? derive(built) : NULL;
    pf_findings *f = draw();
    bool good = derived && f && pf_findings_status(f, NULL) == PF_OK;
    good = good && same_bytes(built, NULL, ".pftrace") && same_bytes(derived, NULL, ".pftrace");
    good = good && same_bytes(derived, f, ".pftrace") && same_bytes(derived, f, ".pftrace.gz");
    pf_findings_free(f);
    pf_trace_free(derived);
    pf_trace_free(built);
    return good ? 0 : 1;
}
