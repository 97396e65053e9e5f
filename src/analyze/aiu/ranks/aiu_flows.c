/* analyze/aiu/ranks/aiu_flows.c - the stages of --flow: names and peers of transfers, then arrows and collectives.
 *
 * Collectives are found even where no arrows are wanted, for the reports of our own.
 */
#include <string.h>

#include "analyze/aiu/ranks/aiu_members.h"

/* " [524288B]" of a name: where it begins and ends; false without one. */
static bool find_size(pf_str name, size_t *from, size_t *to)
{
    for (size_t i = 0; i + 3 < name.len; i++) {
        if (name.ptr[i] != ' ' || name.ptr[i + 1] != '[') {
            continue;
        }
        size_t k = i + 2;
        while (k < name.len && name.ptr[k] >= '0' && name.ptr[k] <= '9') {
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

/* The size leaves the name, unless an argument says it too: the program before postfetto cannot make slices of
 * collectives without it. */
static bool keeps_size(const aiu_run *run, uint32_t e, bool corrected)
{
    return corrected && (run->events.flags[e] & AIU_HAS_BYTES);
}

static pf_status cut_size(aiu_run *run, uint32_t e, bool corrected)
{
    size_t from, to;
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    if (keeps_size(run, e, corrected) || !find_size(name, &from, &to)) {
        return PF_OK;
    }
    pf_buffer b = {0};
    pf_buffer_put(&b, name.ptr, from);
    pf_buffer_put(&b, name.ptr + to, name.len - to);
    uint32_t cut = b.failed ? PF_NONE : pf_aiu_text(run, (pf_str){b.data, b.len});
    pf_buffer_free(&b);
    if (cut == PF_NONE) {
        return run->error.code ? run->error.code : pf_fail(&run->error, PF_ERR_MEMORY, "no memory for a name");
    }
    run->events.name[e] = cut;
    return PF_OK;
}

/* One peer is a list of one. */
static pf_status list_peer(aiu_run *run, uint32_t e)
{
    aiu_events *v = &run->events;
    if (!v->peer[e] || v->peers[e]) {
        return PF_OK;
    }
    v->peers[e] = v->peer[e];
    v->flags[e] |= AIU_PEER_LISTED;
    return pf_aiu_add_text(run, e, PF_STR("Peers"), pf_aiu_text_of(run, v->peer[e]));
}

static bool is_transfer(const aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_sync_key(pf_aiu_text_of(run, run->events.name[e])).ptr;
}

static pf_status cut_sizes(aiu_run *run, bool corrected)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        st = is_transfer(run, run->order[i]) ? cut_size(run, run->order[i], corrected) : PF_OK;
    }
    return st;
}

pf_status pf_aiu_flow_names(aiu_run *run)
{
    pf_status st = cut_sizes(run, run->set.compat != AIU_REFERENCE || run->set.build_coll);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        st = is_transfer(run, run->order[i]) ? list_peer(run, run->order[i]) : PF_OK;
    }
    return st;
}

/* Slices of collectives; ours in order of time. Where there are none, nothing stops the sizes from leaving the names.
 */
static pf_status build_slices(aiu_run *run, const aiu_exchange *x)
{
    uint32_t made = 0;
    bool want = run->set.compat == AIU_WANT;
    pf_status st =
        want ? pf_aiu_collective_slices(run, &x->flows, &x->members) : pf_aiu_queued_slices(run, &x->flows, &made);
    st = st == PF_OK && run->set.compat == AIU_REFERENCE && !made ? cut_sizes(run, false) : st;
    return st == PF_OK && want ? pf_aiu_sort_by_time(run) : st;
}

pf_status pf_aiu_flows(aiu_run *run)
{
    aiu_exchange *x = pf_aiu_exchange(run);
    if (!x) {
        return run->error.code;
    }
    pf_status st = pf_aiu_flows_read(run, &x->flows);
    pf_aiu_flows_free(&x->flows);
    st = st == PF_OK ? pf_aiu_flow_arrows(run, &x->flows, x) : st;
    st = st == PF_OK ? pf_aiu_members_read(run, &x->flows, &x->members) : st;
    return st == PF_OK && run->set.build_coll && run->set.flow ? build_slices(run, x) : st;
}
