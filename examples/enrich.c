/* enrich.c - draws one counter into a trace: how many slices are open.
 *
 *     cc enrich.c $(pkg-config --cflags --libs postfetto) -o enrich && ./enrich in.pftrace out.pftrace
 */
#include <postfetto/postfetto.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct edge {
    int64_t ts;
    int step;
} edge;

static int by_time(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts) : x->step - y->step;
}

static void draw(const pf_trace *trace, pf_findings *findings)
{
    const pf_slices *slices = pf_trace_slices(trace);
    pf_overlay_track row = {.kind = PF_OVERLAY_COUNTER,
                            .parent = PF_NONE,
                            .anchor = PF_ANCHOR_GLOBAL,
                            .name = PF_STR("open slices"),
                            .description = PF_STR("how many slices of the trace are open at a time"),
                            .unit = PF_STR("slices")};
    uint32_t track = pf_overlay_add_track(findings, &row), count = 0;
    edge *edges = calloc(2 * (size_t)slices->count + 1, sizeof *edges);
    for (uint32_t i = 0; edges && i < slices->count; i++) {
        if (slices->dur[i] > 0) {
            int64_t ts = pf_slice_ts(slices, i);
            edges[count++] = (edge){ts, 1};
            edges[count++] = (edge){ts + slices->dur[i], -1};
        }
    }
    if (edges) {
        qsort(edges, count, sizeof *edges, by_time);
    }
    int open = 0;
    for (uint32_t i = 0; edges && i < count; i++) {
        open += edges[i].step;
        if (i + 1 == count || edges[i + 1].ts != edges[i].ts) {
            pf_overlay_sample(findings, track, edges[i].ts, open);
        }
    }
    free(edges);
}

int main(int argc, char **argv)
{
    const char *path = argc == 3 ? argv[1] : "";
    pf_read_options options = pf_read_options_default();
    pf_trace *trace = NULL;
    pf_findings *findings = NULL;
    pf_error err = {PF_OK, 0, 0, "", "give the names of an input and an output"};
    options.want = PF_WANT_TABLES | PF_WANT_ORIGINS;
    pf_status st = argc == 3 ? pf_read(&path, 1, &options, &trace, &err) : PF_ERR_USAGE;
    if (st == PF_OK) {
        findings = pf_findings_new(NULL);
        draw(trace, findings);
        st = pf_write_enriched(trace, findings, argv[2], NULL, &err);
    }
    if (st != PF_OK) {
        fprintf(stderr, "enrich: %s\n", err.text);
    }
    pf_findings_free(findings);
    pf_trace_free(trace);
    return st == PF_OK ? 0 : 1;
}
