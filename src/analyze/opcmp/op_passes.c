/* analyze/opcmp/op_passes.c - how many forward passes a table of kernels holds.
 *
 * A pass runs the same kernels each time, some of them once (the first of the model, the last). The calls of such an
 * anchor cut the table into parts of equal contents: a part begins with a call of the anchor, what stands before the
 * first belongs to the last, so the anchor may be anywhere in the pass. Kernels of layers cut it evenly too, but what a
 * pass runs once then lies in few of the parts; so a candidate is judged by the share of the time that types have which
 * come equally often in all parts.
 */

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

#define UNEVEN 0.001  /* share of the time that may lie in types that do not come equally often */
#define CANDIDATES 64 /* types that are tried, the most frequent first */

/* What is known of a type while candidates are tried. */
typedef struct tally {
    uint32_t part, here; /* the part that was counted last, and calls in it */
    bool uneven;
} tally;

/* The share of the time in types that do not come equally often in the parts that `anchor` begins. */
static double uneven_share(const opcmp *c, uint32_t anchor, tally *t, double total)
{
    uint64_t parts = c->kernels[anchor].measured_count;
    uint32_t first = 0, part = 0;
    while (first < c->order_count && c->order[first] != anchor) {
        first++;
    }
    memset(t, 0, c->room * sizeof *t);
    for (uint32_t i = 0; i < c->order_count; i++) {
        uint32_t at = first + i < c->order_count ? first + i : first + i - c->order_count, k = c->order[at];
        uint64_t each = c->kernels[k].measured_count / parts;
        part += k == anchor;
        if (t[k].part != part) {
            t[k].uneven |= t[k].part != part - 1 || (t[k].part != 0 && t[k].here != each);
            t[k].part = part;
            t[k].here = 0;
        }
        t[k].here++;
    }
    double uneven = 0;
    for (uint32_t k = 0; k < c->room; k++) {
        bool even =
            t[k].part == 0 || (!t[k].uneven && t[k].part == parts && t[k].here == c->kernels[k].measured_count / parts);
        uneven += even ? 0 : c->kernels[k].measured_total;
    }
    return total > 0 ? uneven / total : 1;
}

/* The next candidate: the most frequent type with fewer calls than `below`, of equally frequent ones the first of the
 * table. */
static uint32_t next_candidate(const opcmp *c, uint64_t below)
{
    uint32_t best = PF_NONE;
    for (uint32_t i = 0; i < c->order_count; i++) {
        uint32_t k = c->order[i];
        uint64_t n = c->kernels[k].measured_count;
        best = n < below && (best == PF_NONE || n > c->kernels[best].measured_count) ? k : best;
    }
    return best;
}

static pf_status find_anchor(opcmp *c, uint32_t *anchor, pf_error *err)
{
    double total = 0;
    tally *t;
    PF_TRY(PF_PASS_ARRAY(&c->arena, c->room, t, err));
    for (uint32_t i = 0; i < c->order_count; i++) {
        const opcmp_kernel *k = &c->kernels[c->order[i]];
        total += k->measured_total / (double)k->measured_count;
    }
    uint64_t below = UINT64_MAX;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        *anchor = next_candidate(c, below);
        if (*anchor == PF_NONE) {
            break;
        }
        below = c->kernels[*anchor].measured_count;
        if (uneven_share(c, *anchor, t, total) <= UNEVEN) {
            return PF_OK;
        }
    }
    return pf_fail(err, PF_ERR_INPUT,
                   "no kernel begins parts of equal contents; say how many forward passes there are, or name a "
                   "kernel that each runs once with --anchor");
}

pf_status pf_opcmp_count_passes(opcmp *c, pf_str anchor, double *passes, pf_str *found, pf_error *err)
{
    uint32_t id = PF_NONE;
    if (c->anchors) {
        *passes = (double)c->anchors;
        *found = anchor;
        return PF_OK;
    }
    if (!pf_str_equal(anchor, PF_STR("auto"))) {
        id = pf_strings_find(&c->texts, anchor.ptr, anchor.len);
        if (id == PF_NONE || id >= c->room || !c->kernels[id].measured_count) {
            return pf_fail(err, PF_ERR_INPUT,
                           "there is no kernel of type '%.*s'; name one of its column Type with --anchor",
                           PF_TEXT_ARG(anchor));
        }
    } else if (find_anchor(c, &id, err) != PF_OK) {
        return err->code;
    }
    *passes = (double)c->kernels[id].measured_count;
    *found = pf_strings_get(&c->texts, id);
    return PF_OK;
}
