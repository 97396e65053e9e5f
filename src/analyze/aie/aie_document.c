/* analyze/aie/aie_document.c - the document of `analyze aie --json`, and the pieces of it that reports are. */
#include "analyze/aie/aie.h"

#include <inttypes.h>

#include "base/str.h"
#include "base/text/number.h"

static const pf_str in_list = {NULL, 0};

static void add_length(pf_findings *f, pf_node *parent, pf_str key, uint64_t v)
{
    if (v <= INT64_MAX) {
        pf_node_add_int(f, parent, key, (int64_t)v);
        return;
    }
    pf_node_add_raw(f, parent, key, pf_findings_format(f, "%" PRIu64, v));
}

static void add_median(pf_findings *f, pf_node *parent, pf_str key, pf_median m)
{
    if (m.whole) {
        add_length(f, parent, key, m.length);
    } else {
        pf_node_add_real(f, parent, key, m.value);
    }
}

/* A pid that is written as a number but no int64: an integer stays as it is, a real is printed as a double. */
static void add_number(pf_findings *f, pf_node *parent, pf_str text)
{
    size_t digits = 0;
    for (size_t i = text.len && text.ptr[0] == '-'; i < text.len; i++) {
        digits += pf_is_digit(text.ptr[i]);
    }
    if (text.len && digits + (text.ptr[0] == '-') == text.len) {
        pf_node_add_raw(f, parent, PF_STR("pid"), text);
        return;
    }
    double v = 0;
    (void)pf_parse_real_or_infinity(text.ptr, text.len, &v); /* the reader took the text for a number */
    pf_node_add_real(f, parent, PF_STR("pid"), v);
}

static void add_pid(pf_findings *f, pf_node *parent, const pf_trace *t, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(t);
    switch (p->kind[upid]) {
    case PF_ID_TEXT:
        pf_node_add_text(f, parent, PF_STR("pid"), pf_trace_string(t, p->text[upid]));
        break;
    case PF_ID_REAL:
        add_number(f, parent, pf_trace_string(t, p->text[upid]));
        break;
    case PF_ID_ABSENT:
        pf_node_add(f, parent, PF_STR("pid"), PF_NODE_NULL);
        break;
    default:
        pf_node_add_int(f, parent, PF_STR("pid"), p->pid[upid]);
    }
}

static void add_iteration(pf_findings *f, pf_node *object, const aie_core *c, size_t i)
{
    const aie_iteration *it = &c->iterations[i];
    add_length(f, object, PF_STR("num_kernels"), it->calls.count);
    pf_node_add_real(f, object, PF_STR("avg_duration_cycles"), it->average);
    add_length(f, object, PF_STR("min_duration_cycles"), it->shortest);
    add_length(f, object, PF_STR("max_duration_cycles"), it->longest);
    add_length(f, object, PF_STR("total_span_cycles"), it->span);
    if (it->calls.count) {
        pf_node_add_int(f, object, PF_STR("first_start"), it->first_start);
        pf_node_add_int(f, object, PF_STR("last_end"), it->last_end);
    } else {
        pf_node_add(f, object, PF_STR("first_start"), PF_NODE_NULL);
        pf_node_add(f, object, PF_STR("last_end"), PF_NODE_NULL);
    }
    pf_node_add_real(f, object, PF_STR("gmacs_per_second"), it->gmacs_per_second);
    add_length(f, object, PF_STR("iteration_index"), i);
    pf_node_add_text(f, object, PF_STR("phase"), aie_phase(c, i));
}

/* What the summary says of an iteration besides. */
static void add_shares(pf_findings *f, pf_node *object, const aie_iteration *it)
{
    pf_node_add_real(f, object, PF_STR("utilisation_percent"), it->utilisation_percent);
    pf_node *stalled = pf_node_add(f, object, PF_STR("stall_percent"), PF_NODE_OBJECT);
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        pf_node_add_real(f, stalled, aie_stall_name(k), it->stalled.percent[k]);
    }
    pf_node_add_real(f, object, PF_STR("any_stall_percent"), it->stalled.percent[AIE_ANY_STALL]);
    pf_node_add_real(f, object, PF_STR("vector_percent"), it->vector_percent);
}

static void add_window(pf_findings *f, pf_node *parent, const aie_core *c)
{
    pf_node *window = pf_node_add(f, parent, PF_STR("performance_window"), PF_NODE_LIST);
    for (size_t i = c->perf_start; i < c->perf_end; i++) {
        add_length(f, window, in_list, i);
    }
}

/* The summary says more, and all of it for a core without kernels, too; the window stands where the source program's
 * report has it, or before the long list. */
void pf_aie_add_core(pf_findings *f, pf_node *o, const aie_result *r, const aie_core *c, bool summary)
{
    add_pid(f, o, r->ctx->trace, c->upid);
    pf_node_add_text(f, o, PF_STR("tile_name"), c->tile);
    if (summary) {
        add_length(f, o, PF_STR("num_kernels"), c->kernel_count);
    }
    if (c->kernel_count) {
        add_median(f, o, PF_STR("median_kernel_duration_cycles"), c->median);
    } else if (summary) {
        pf_node_add(f, o, PF_STR("median_kernel_duration_cycles"), PF_NODE_NULL);
    }
    if (c->kernel_count || summary) {
        add_length(f, o, PF_STR("lock_stall_boundary_count"), c->boundary_count);
    }
    add_length(f, o, PF_STR("detected_total_iterations"), c->iteration_count);
    add_length(f, o, PF_STR("expected_total_iterations"), c->expected_iterations);
    pf_node_add_text(f, o, PF_STR("mismatch_note"), c->note);
    if (summary) {
        add_window(f, o, c);
    }
    pf_node *list = pf_node_add(f, o, PF_STR("iterations"), PF_NODE_LIST);
    for (size_t i = 0; i < c->iteration_count; i++) {
        pf_node *item = pf_node_add(f, list, in_list, PF_NODE_OBJECT);
        add_iteration(f, item, c, i);
        if (summary) {
            add_shares(f, item, &c->iterations[i]);
        }
    }
    if (!summary) {
        add_window(f, o, c);
    }
}

static void fill_common(pf_findings *f, pf_node *o, const aie_common *c)
{
    add_length(f, o, PF_STR("iteration_index"), c->index);
    add_length(f, o, PF_STR("runtime_cycles"), c->runtime);
    pf_node_add_real(f, o, PF_STR("gmacs_per_second"), c->gmacs_per_second);
}

void pf_aie_fill_aggregate(pf_findings *f, pf_node *o, const aie_result *r)
{
    const aie_aggregate *a = r->aggregate;
    if (a->count == 0) {
        pf_node_add_text(f, o, PF_STR("note"),
                         r->cores->count ? PF_STR("No common perf iterations across all cores.")
                                         : PF_STR("No cores to aggregate."));
        return;
    }
    pf_node *considered = pf_node_add(f, o, PF_STR("iterations_considered"), PF_NODE_LIST);
    for (size_t i = 0; i < a->count; i++) {
        add_length(f, considered, in_list, a->iteration[i].index);
    }
    add_length(f, o, PF_STR("count"), a->count);
    pf_node *average = pf_node_add(f, o, PF_STR("average"), PF_NODE_OBJECT);
    pf_node_add_real(f, average, PF_STR("runtime_cycles"), a->average_runtime);
    pf_node_add_real(f, average, PF_STR("gmacs_per_second"), a->average_gmacs_per_second);
    fill_common(f, pf_node_add(f, o, PF_STR("best"), PF_NODE_OBJECT), &a->iteration[a->best]);
    fill_common(f, pf_node_add(f, o, PF_STR("worst"), PF_NODE_OBJECT), &a->iteration[a->worst]);
    pf_node *each = pf_node_add(f, o, PF_STR("per_iteration"), PF_NODE_LIST);
    for (size_t i = 0; i < a->count; i++) {
        fill_common(f, pf_node_add(f, each, in_list, PF_NODE_OBJECT), &a->iteration[i]);
    }
    pf_node_add_text(f, o, PF_STR("note"), PF_STR("Only iterations present on all cores are considered."));
}

/* Warnings [first, after) of the result; with the tile where `tiles` is set. */
static void add_warnings(pf_findings *f, pf_node *parent, const aie_result *r, size_t first, size_t after, bool tiles)
{
    pf_node *list = pf_node_add(f, parent, PF_STR("warnings"), PF_NODE_LIST);
    for (size_t i = first; i < after; i++) {
        const aie_warning *w = &r->warnings->list[i];
        pf_node *o = pf_node_add(f, list, in_list, PF_NODE_OBJECT);
        if (tiles) {
            pf_node_add_text(f, o, PF_STR("tile_name"), w->core ? w->core->tile : (pf_str){NULL, 0});
        }
        pf_node_add_text(f, o, PF_STR("kind"), pf_str_of(w->kind));
        pf_node_add_text(f, o, PF_STR("text"), w->text);
    }
}

void pf_aie_fill_quality(pf_findings *f, pf_node *list, const aie_result *r)
{
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        pf_node *o = pf_node_add(f, list, in_list, PF_NODE_OBJECT);
        add_pid(f, o, r->ctx->trace, c->upid);
        pf_node_add_text(f, o, PF_STR("tile_name"), c->tile);
        add_length(f, o, PF_STR("open_intervals"), c->open_intervals);
        add_length(f, o, PF_STR("lost_entries"), c->pairing.lost_entries);
        add_length(f, o, PF_STR("lost_exits"), c->pairing.lost_exits);
        add_length(f, o, PF_STR("duplicate_entries"), c->pairing.duplicate_entries);
        add_length(f, o, PF_STR("duplicate_exits"), c->pairing.duplicate_exits);
        add_length(f, o, PF_STR("discarded_pairs"), c->discarded_pairs);
        add_length(f, o, PF_STR("kernels"), c->kernel_count);
        add_length(f, o, PF_STR("kernels_nearest"), c->nearest_count);
        add_warnings(f, o, r, r->warnings->first[i], r->warnings->first[i + 1], false);
    }
}

void pf_aie_fill_document(const aie_result *r, pf_findings *f, pf_node *o)
{
    pf_node_add_text(f, o, PF_STR("input_path"), pf_str_of(r->ctx->input_path));
    pf_pass_add_parameters(r->pass, r->ctx->values, f, pf_node_add(f, o, PF_STR("parameters"), PF_NODE_OBJECT));
    pf_node *cores = pf_node_add(f, o, PF_STR("cores"), PF_NODE_LIST);
    for (size_t i = 0; i < r->cores->count; i++) {
        pf_aie_add_core(f, pf_node_add(f, cores, in_list, PF_NODE_OBJECT), r, &r->cores->core[i], true);
    }
    pf_aie_fill_aggregate(f, pf_node_add(f, o, PF_STR("aggregate"), PF_NODE_OBJECT), r);
    pf_aie_fill_quality(f, pf_node_add(f, o, PF_STR("quality"), PF_NODE_LIST), r);
    add_warnings(f, o, r, 0, r->warnings->count, true);
}
