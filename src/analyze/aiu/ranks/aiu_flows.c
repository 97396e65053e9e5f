/* analyze/aiu/ranks/aiu_flows.c - the stages of --flow: names and peers of transfers, then arrows and collectives.
 *
 * Collectives are found even where no arrows are wanted, for the reports of our own.
 */
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/str.h"

/* " [524288B]" of a name: where it begins and ends; false without one. */
static bool find_size(pf_str name, size_t *from, size_t *to)
{
    for (size_t i = 0; i + 3 < name.len; i++) {
        if (name.ptr[i] != ' ' || name.ptr[i + 1] != '[') {
            continue;
        }
        size_t k = i + 2;
        while (k < name.len && pf_is_digit(name.ptr[k])) {
            k++;
        }
        if (k > i + 2 && k + 1 < name.len && name.ptr[k] == 'B' && name.ptr[k + 1] == ']') {
            *from = i;
            *to = k + 2;
            return true;
        }
    }
    return false;
}

/* The size leaves the name, unless an argument says it too: acelyzer cannot make slices of collectives without it. */
static bool keeps_size(const aiu_run *run, uint32_t e, bool corrected)
{
    return corrected && (run->events.flags[e] & AIU_HAS_BYTES);
}

static void cut_size(aiu_run *run, uint32_t e, bool corrected)
{
    size_t from, to;
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    if (!keeps_size(run, e, corrected) && find_size(name, &from, &to)) {
        pf_buffer b = {0};
        pf_buffer_put(&b, name.ptr, from);
        pf_buffer_put(&b, name.ptr + to, name.len - to);
        run->events.name[e] = pf_aiu_buffer_text(run, &b);
    }
}

/* One peer is a list of one. */
static void list_peer(aiu_run *run, uint32_t e)
{
    aiu_events *v = &run->events;
    if (v->peer[e] && !v->peers[e]) {
        v->peers[e] = v->peer[e];
        v->flags[e] |= AIU_PEER_LISTED;
        pf_aiu_add_text(run, e, PF_STR("Peers"), pf_aiu_text_of(run, v->peer[e]));
    }
}

static bool is_transfer(const aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_sync_key(pf_aiu_text_of(run, run->events.name[e])).ptr;
}

void pf_aiu_cut_sizes(aiu_run *run, bool corrected)
{
    for (uint32_t i = 0; i < run->alive; i++) {
        if (is_transfer(run, run->order[i])) {
            cut_size(run, run->order[i], corrected);
        }
    }
}

void pf_aiu_flow_names(aiu_run *run)
{
    pf_aiu_cut_sizes(run, run->set.compat != AIU_REFERENCE || run->set.build_coll);
    for (uint32_t i = 0; i < run->alive; i++) {
        if (is_transfer(run, run->order[i])) {
            list_peer(run, run->order[i]);
        }
    }
}

aiu_exchange *pf_aiu_find_collectives(aiu_run *run)
{
    aiu_exchange *x = pf_aiu_exchange(run);
    if (x) {
        pf_aiu_flows_read(run, &x->flows);
        pf_aiu_flows_free(&x->flows);
    }
    if (!pf_aiu_failed(run)) {
        pf_aiu_flow_arrows(run, &x->flows, x);
        pf_aiu_members_read(run, &x->flows, &x->members);
    }
    return pf_aiu_failed(run) ? NULL : x;
}

/* Slices of collectives in order of time. */
void pf_aiu_flows(aiu_run *run)
{
    const aiu_exchange *x = pf_aiu_find_collectives(run);
    if (x && run->set.build_coll && run->set.flow) {
        pf_aiu_collective_slices(run, &x->flows, &x->members);
        pf_aiu_sort_by_time(run);
    }
}
