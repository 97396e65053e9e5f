/* analyze/compare/calls.c - from slices to calls: row, length and own time of each, and the iteration it is in.
 *
 * Own time is the length less the lengths of the slices directly inside. An iteration goes from the start of one anchor
 * to the start of the next; the anchors are the slices of the name that was given, else those of PyTorch's profiler
 * ("ProfilerStep#12"), which number the steps.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"

pf_status pf_compare_begin(compare *c, const compare_options *options, const pf_limits *limits, pf_error *err)
{
    *c = (compare){.options = *options, .ready = true};
    pf_budget_init(&c->budget, limits);
    pf_arena_init(&c->arena, &c->budget);
    return pf_strings_init(&c->names, &c->budget, err);
}

void pf_compare_end(compare *c)
{
    if (c->ready) {
        pf_strings_free(&c->names);
        pf_arena_free(&c->arena);
        c->ready = false;
    }
}

/* The id of the row that marks iterations, PF_NONE without. */
static uint32_t anchor_row(compare *c, pf_error *err)
{
    pf_str anchor = c->options.anchor.ptr ? c->options.anchor : PF_STR("ProfilerStep#*");
    (void)err;
    return pf_strings_find(&c->names, anchor.ptr, anchor.len);
}

/* Whether a row is the anchor, possibly with more to it than the name. */
static bool is_anchor(const compare *c, uint32_t row, uint32_t anchor)
{
    if (row == anchor || !c->options.by) {
        return row == anchor;
    }
    pf_str text = pf_strings_get(&c->names, row);
    pf_str word = c->options.anchor.ptr ? c->options.anchor : PF_STR("ProfilerStep#*");
    return text.len > word.len && memcmp(text.ptr, word.ptr, word.len) == 0 && text.ptr[word.len] == ' ';
}

/* Numbers the iterations; the calls are in order of time. Anchors inside one of the same start count once. */
static pf_status find_iterations(compare *c, const pf_trace *t, const uint32_t *slice, compare_calls *out,
                                 pf_error *err)
{
    const pf_slices *s = pf_trace_slices(t);
    uint32_t anchor = anchor_row(c, err), iteration = PF_NONE;
    int64_t last = INT64_MIN;
    if (anchor == PF_NONE) {
        return PF_OK;
    }
    out->iteration = pf_pass_array(&c->arena, out->count, sizeof *out->iteration, err);
    if (!out->iteration) {
        return err->code;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        int64_t ts = pf_slice_ts(s, slice[i]);
        if (is_anchor(c, out->row[i], anchor) && (iteration == PF_NONE || ts > last)) {
            iteration = out->iterations++;
            last = ts;
        }
        out->iteration[i] = iteration;
    }
    return PF_OK;
}

static pf_status fill(compare *c, const pf_trace *t, compare_namer *namer, uint32_t *slice, compare_calls *out,
                      pf_error *err)
{
    const pf_slices *s = pf_trace_slices(t);
    uint64_t *inside = pf_alloc_zero(&c->budget, (size_t)s->count + 1, sizeof *inside);
    if (!inside) {
        return pf_budget_refused(&c->budget, (s->count + 1) * sizeof *inside, err);
    }
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < s->count; i++) {
        if (pf_compare_counts(t, s, i) && s->parent[i] != PF_NONE) {
            inside[s->parent[i]] += (uint64_t)s->dur[i];
        }
    }
    for (uint32_t i = 0; st == PF_OK && i < s->count; i++) {
        out->open += s->dur[i] < 0;
        if (!pf_compare_counts(t, s, i)) {
            continue;
        }
        uint64_t length = (uint64_t)s->dur[i];
        uint32_t row = pf_compare_name(namer, i, err);
        st = row == PF_NONE ? err->code : PF_OK;
        out->busy += s->parent[i] == PF_NONE ? length : 0;
        out->row[out->count] = row;
        out->length[out->count] = length;
        out->own[out->count] = length > inside[i] ? length - inside[i] : 0;
        slice[out->count++] = i;
    }
    pf_release(&c->budget, inside, ((size_t)s->count + 1) * sizeof *inside);
    return st;
}

pf_status pf_compare_read(compare *c, const pf_trace *t, compare_calls *out, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(t);
    *out = (compare_calls){.count = 0};
    out->row = pf_pass_array(&c->arena, s->count, sizeof *out->row, err);
    out->length = out->row ? pf_pass_array(&c->arena, s->count, sizeof *out->length, err) : NULL;
    out->own = out->length ? pf_pass_array(&c->arena, s->count, sizeof *out->own, err) : NULL;
    uint32_t *slice = out->own ? pf_alloc(&c->budget, ((size_t)s->count + 1) * sizeof *slice) : NULL;
    compare_namer *namer = slice ? pf_compare_namer_new(c, t, err) : NULL;
    pf_status st = namer   ? fill(c, t, namer, slice, out, err)
                   : slice ? err->code
                           : pf_budget_refused(&c->budget, s->count * sizeof *slice, err);
    st = st == PF_OK ? find_iterations(c, t, slice, out, err) : st;
    pf_compare_namer_free(namer);
    pf_release(&c->budget, slice, slice ? ((size_t)s->count + 1) * sizeof *slice : 0);
    return st;
}
