/* analyze/aiu/ingest/aiu_torch_metadata.c - what torch inputs say of their processes, for several ranks in one trace:
 * processes are sorted by rank, the host's before its devices, and the device in a label is the rank's. */
#include "analyze/aiu/facts/aiu_json_notes.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "base/str.h"

enum { RANKS_APART = 123000, AFTER_HOST = 15 };

/* args.labels; the length of the text, PF_NOWHERE if there is none. */
static uint64_t read_label(const aiu_run *run, uint32_t e, char *text, size_t room)
{
    pf_str noted = pf_aiu_noted(run, e).json;
    pf_document *d = NULL;
    if (!noted.ptr) {
        return pf_trace_arg_text(run->trace, run->events.row[e], PF_STR("labels"), text, room);
    }
    const pf_node *args = pf_aiu_parse(run, noted, &d) ? pf_aiu_noted_args(pf_document_root(d)) : NULL;
    const pf_node *label = args ? pf_node_get(args, "labels") : NULL;
    uint64_t len = label && label->type == PF_NODE_TEXT ? label->as.s.len : PF_NOWHERE;
    if (len != PF_NOWHERE) {
        memcpy(text, label->as.s.ptr, len < room ? len : room);
    }
    pf_document_free(d);
    return len;
}

static void label(aiu_run *run, uint32_t e, int64_t rank)
{
    char text[512];
    uint64_t len = read_label(run, e, text, sizeof text);
    if (len != PF_NOWHERE && len > 0 && len <= sizeof text && pf_is_digit(text[len - 1])) {
        pf_str said = pf_findings_format(run->findings, "%.*s%lld", (int)len - 1, text, (long long)rank);
        pf_aiu_add_text(run, e, PF_STR("labels"), said);
    }
}

pf_status pf_aiu_place_torch_processes(aiu_run *run)
{
    const aiu_events *v = &run->events;
    for (uint32_t i = 0; i < v->count && run->any_torch; i++) {
        if (v->phase[i] != 'M' || !(v->flags[i] & AIU_TORCH) || !pf_aiu_is_number(v->pid[i])) {
            continue;
        }
        int64_t rank = run->jobs[v->job[i]].rank;
        pf_str name = pf_aiu_text_of(run, v->name[i]);
        if (pf_str_is(name, "process_sort_index")) {
            int64_t place = rank * RANKS_APART + (v->pid[i] > rank ? 0 : AFTER_HOST);
            pf_aiu_add_int(run, i, PF_STR("sort_index"), place);
        } else if (pf_str_is(name, "process_labels")) {
            label(run, i, rank);
        }
    }
    return run->error.code;
}
