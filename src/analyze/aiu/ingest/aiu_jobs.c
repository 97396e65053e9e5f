/* analyze/aiu/ingest/aiu_jobs.c - what is known of each input before its events are looked at: its dialect and rank,
 * whether it is a conversion, and whether its events count at all. */
#include <string.h>
#include <sys/stat.h>

#include "analyze/aiu/facts/aiu_json_notes.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "base/str.h"

/* "rank" of distributedInfo, 0 without one. */
static int64_t read_rank(const aiu_run *run, pf_str text)
{
    pf_document *d;
    int64_t rank = 0;
    if (text.ptr && pf_aiu_parse(run, text, &d)) {
        const pf_node *root = pf_document_root(d);
        const pf_node *n = root->type == PF_NODE_OBJECT ? pf_node_get(root, "rank") : NULL;
        rank = n && n->type == PF_NODE_INT ? n->as.i : 0;
        pf_document_free(d);
    }
    return rank;
}

static void read_job(aiu_run *run, aiu_job *job, uint32_t i)
{
    bool there;
    const pf_input *in = pf_trace_input(run->trace, i);
    const char *slash = strrchr(in->path, '/');
    *job = (aiu_job){.input = i, .name = pf_str_of(slash ? slash + 1 : in->path)};
    job->json = strcmp(in->format, "chrome-json") == 0;
    job->by_time = !job->json && (in->converted_pairs || !in->converted);
    pf_aiu_said_by_input(run, i, "json.deviceProperties", &there);
    job->torch = there;
    pf_str info = pf_aiu_said_by_input(run, i, "json.distributedInfo", &there);
    job->has_rank = job->torch && there;
    job->rank = job->torch ? read_rank(run, info) : 0;
    run->any_torch |= job->torch;
    run->any_flex |= !job->torch;
    pf_str other = pf_aiu_said_by_input(run, i, "json.otherData", &there);
    job->ignored = pf_aiu_contains(other, "Acelyzer");
    if (job->ignored) {
        pf_aiu_log(run, "WARNING",
                   "INGEST: Attempting to import a json file that had been processed by acelyzer "
                   "already.Dropping ALL Events from file %.*s",
                   (int)job->name.len, job->name.ptr);
    }
}

/* The same file twice would count twice. */
static void check_twice(aiu_run *run, pf_map *inodes, uint32_t i)
{
    struct stat own, other;
    const char *path = pf_trace_input(run->trace, i)->path;
    if (stat(path, &own) != 0 || !S_ISREG(own.st_mode)) {
        return;
    }
    uint32_t first = pf_map_get(inodes, own.st_ino);
    const char *before = first == PF_NONE ? NULL : pf_trace_input(run->trace, first)->path;
    if (before && stat(before, &other) == 0 && other.st_dev == own.st_dev) {
        pf_fail(&run->error, PF_ERR_USAGE, "is an input twice%s%.200s", strcmp(before, path) ? ", also as " : "",
                strcmp(before, path) ? before : "");
        pf_error_in(&run->error, path);
    }
    pf_aiu_map(run, inodes, own.st_ino, i);
}

void pf_aiu_read_jobs(aiu_run *run)
{
    pf_map inodes;
    pf_map_init(&inodes, run->budget);
    run->jobs = pf_aiu_alloc(run, pf_trace_input_count(run->trace) + 1, sizeof *run->jobs);
    run->job_count = run->jobs ? (uint32_t)pf_trace_input_count(run->trace) : 0;
    for (uint32_t i = 0; i < run->job_count && !pf_aiu_failed(run); i++) {
        if (!pf_aiu_rule(run, AIU_UNCHECKED)) {
            check_twice(run, &inodes, i);
        }
        read_job(run, &run->jobs[i], i);
    }
    pf_map_free(&inodes);
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
