/* analyze/aiu/ingest/aiu_jobs.c - what is known of each input before its events are looked at: its dialect and rank,
 * whether it is a conversion, and whether its events count at all; then what the ids of its events mean, and for
 * several ranks in one trace what torch inputs say of their processes: these are sorted by rank, the host's before its
 * devices, and the device in a label is the rank's. */
#include <unistd.h>

#include "analyze/aiu/ingest/aiu_ingest.h"
#include "base/files/folders.h"
#include "base/str.h"
#include "base/text/number.h"

void pf_aiu_log_ignored(aiu_run *run, const aiu_job *job)
{
    pf_aiu_log(run, "WARNING",
               "INGEST: Attempting to import a json file that had been processed by acelyzer "
               "already.Dropping ALL Events from file %.*s",
               PF_TEXT_ARG(job->name));
}

static void read_job(aiu_run *run, aiu_job *job, uint32_t i)
{
    bool there;
    const pf_input *in = pf_trace_input(run->trace, i);
    const uint32_t *place = pf_trace_places(run->trace, i);
    pf_document *d = NULL;
    *job = (aiu_job){.input = i, .name = pf_str_of(pf_path_name(in->path)), .placed = place != NULL};
    job->json = strcmp(in->format, "chrome-json") == 0;
    for (uint32_t k = 0; k < in->events && job->placed; k++) {
        job->placed = place[k] != PF_NONE;
    }
    job->by_time = !job->json && !job->placed;
    pf_aiu_said_by_input(run, i, "json.deviceProperties", &there);
    job->torch = there;
    pf_str info = pf_aiu_said_by_input(run, i, "json.distributedInfo", &there);
    job->has_rank = job->torch && there;
    if (job->torch && info.ptr && pf_aiu_parse(run, info, &d)) {
        const pf_node *root = pf_document_root(d);
        const pf_node *n = root->type == PF_NODE_OBJECT ? pf_node_get(root, "rank") : NULL;
        job->rank = n && n->type == PF_NODE_INT ? n->as.i : 0;
        pf_document_free(d);
    }
    run->any_torch |= job->torch;
    run->any_flex |= !job->torch;
    job->ignored = pf_aiu_contains(pf_aiu_said_by_input(run, i, "json.otherData", &there), "Acelyzer");
    if (job->ignored) {
        pf_aiu_log_ignored(run, job);
    }
}

/* The same file twice would count twice. */
void pf_aiu_read_jobs(aiu_run *run)
{
    pf_map *inodes = pf_aiu_scratch_map(run);
    run->jobs = pf_aiu_alloc(run, pf_trace_input_count(run->trace) + 1, sizeof *run->jobs);
    run->job_count = run->jobs ? (uint32_t)pf_trace_input_count(run->trace) : 0;
    for (uint32_t i = 0; i < run->job_count && !pf_aiu_failed(run); i++) {
        const char *path = pf_trace_input(run->trace, i)->path;
        const pf_file_id own = pf_file_id_of(path, STDIN_FILENO);
        uint32_t first = own.known && !pf_aiu_rule(run, AIU_UNCHECKED) ? pf_map_get(inodes, own.ino) : PF_NONE;
        const char *before = first == PF_NONE ? NULL : pf_trace_input(run->trace, first)->path;
        if (before && pf_file_id_is(&own, before)) {
            bool alike = strcmp(before, path) == 0;
            pf_fail(&run->error, PF_ERR_USAGE, "is an input twice%s%.200s", alike ? "" : ", also as ",
                    alike ? "" : before);
            pf_error_in(&run->error, path);
        }
        if (own.known) {
            pf_aiu_map(run, inodes, own.ino, i);
        }
        read_job(run, &run->jobs[i], i);
    }
}

void pf_aiu_number_flows(aiu_run *run)
{
    const aiu_events *v = &run->events;
    for (uint32_t i = 0; i < v->count && run->any_torch; i++) {
        bool flow = v->row[i] != PF_NONE && (v->phase[i] == 's' || v->phase[i] == 't' || v->phase[i] == 'f');
        int64_t id = flow ? pf_aiu_flow_id(run, i) : 0, *highest = &run->jobs[v->job[i]].flow_base;
        *highest = id > *highest ? id : *highest;
    }
    for (uint32_t j = 0; j < run->job_count; j++) {
        int64_t highest = run->jobs[j].flow_base;
        run->jobs[j].flow_base = run->flow_ids;
        run->flow_ids = highest > INT64_MAX / 2 - run->flow_ids ? run->flow_ids : run->flow_ids + highest;
    }
}

int64_t pf_aiu_id(aiu_run *run, uint8_t kind, int64_t number, uint32_t text)
{
    if (kind == PF_ID_ABSENT) {
        return AIU_ID_NONE;
    }
    pf_str spelled = kind == PF_ID_REAL ? pf_trace_string(run->trace, text) : (pf_str){NULL, 0};
    if (spelled.len && pf_parse_int(spelled.ptr, spelled.len, &number)) {
        kind = PF_ID_INT; /* one that its process could not keep */
    }
    if (kind != PF_ID_INT) {
        int64_t bits = kind == PF_ID_REAL ? AIU_ID_TEXT | AIU_ID_NUMBER : AIU_ID_TEXT;
        return bits | (int64_t)pf_aiu_pool_text(run, text);
    }
    if (number < AIU_ID_NUMBER && number > -AIU_ID_NUMBER) {
        return number;
    }
    pf_str digits = pf_findings_format(run->findings, "%lld", (long long)number);
    return AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)pf_aiu_text(run, digits);
}

double pf_aiu_us(const aiu_run *run, int64_t ns)
{
    int64_t since =
        (int64_t)((uint64_t)ns -
                  (uint64_t)run->origin_ns); /* in two parts: beyond 2^53 ns a double has no room for both */
    int64_t whole = since / 1000, rest = since % 1000;
    return (double)whole + (double)rest / 1000.0;
}

/* The process of an event. The original takes the first pid of a flex file for the rank of all its
 * events; a torch file says its rank, which is the pid of what has pid 0. Counters and flows it leaves as they are. */
void pf_aiu_set_rank(aiu_run *run, uint32_t event, int64_t pid)
{
    aiu_job *job = &run->jobs[run->events.job[event]];
    bool stays = pf_aiu_rule(run, AIU_KEPT_PIDS) && !strchr("XMbei", run->events.phase[event]);
    job->rank = !job->begun && !job->torch && !stays ? pid : job->rank;
    job->begun |= !stays;
    bool first_counts = !job->torch && pf_aiu_rule(run, AIU_UNCORRECTED) && pid != AIU_ID_NONE;
    run->events.pid[event] = !stays && (first_counts || (job->torch && pid == 0)) ? job->rank : pid;
    run->events.rank[event] = pf_aiu_rank(run, run->events.pid[event]);
}

void pf_aiu_place_torch_processes(aiu_run *run)
{
    enum { RANKS_APART = 123000, AFTER_HOST = 15 };
    const aiu_events *v = &run->events;
    char text[512];
    for (uint32_t e = 0; e < v->count && run->any_torch; e++) {
        if (v->phase[e] != 'M' || !(v->flags[e] & AIU_TORCH) || !pf_aiu_is_number(v->pid[e])) {
            continue;
        }
        int64_t rank = run->jobs[v->job[e]].rank;
        pf_str name = pf_aiu_text_of(run, v->name[e]);
        bool labels = pf_str_is(name, "process_labels");
        uint64_t len =
            labels ? pf_trace_arg_text(run->trace, v->row[e], PF_STR("labels"), text, sizeof text) : PF_NOWHERE;
        if (pf_str_is(name, "process_sort_index")) {
            int64_t place = rank * RANKS_APART + (v->pid[e] > rank ? 0 : AFTER_HOST);
            pf_aiu_add_int(run, e, PF_STR("sort_index"), place);
        } else if (len && len <= sizeof text && pf_is_digit(text[len - 1])) {
            pf_str said = pf_findings_format(run->findings, "%.*s%lld", (int)len - 1, text, (long long)rank);
            pf_aiu_add_text(run, e, PF_STR("labels"), said);
        }
    }
}
