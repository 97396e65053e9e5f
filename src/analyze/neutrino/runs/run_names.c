/* analyze/neutrino/runs/run_names.c - what a run is called: "PROBE OP", from the tree of an experiment or from the maps
 * that its probes filled. */
#include <math.h>

#include "analyze/neutrino/facts/neutrino.h"
#include "analyze/support/pass_memory.h"

pf_str pf_neutrino_take_last(pf_str *path)
{
    pf_str part;
    do {
        while (path->len && path->ptr[path->len - 1] == '/') {
            path->len--;
        }
        size_t from = path->len;
        while (from && path->ptr[from - 1] != '/') {
            from--;
        }
        part = (pf_str){path->ptr + from, path->len - from};
        path->len = from;
    } while (part.len == 1 && part.ptr[0] == '.');
    return part;
}

void pf_neutrino_probe_and_op(pf_str path, pf_str *probe, pf_str *op)
{
    pf_str last = pf_neutrino_take_last(&path);
    while (path.len && !pf_str_is(last, "trace")) {
        last = pf_neutrino_take_last(&path);
    }
    *probe = pf_neutrino_take_last(&path);
    *op = pf_neutrino_take_last(&path);
}

/* What tells runs of experiments from others. */
typedef struct run_signs {
    pf_map folders;     /* string ids of folders with a stdout.log */
    bool *in_benchmark; /* by run */
    uint32_t *section;  /* by run: its first one, or PF_NONE */
} run_signs;

static pf_status find_signs(const neutrino_run *n, run_signs *s, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(n->arena, n->runs.count, s->in_benchmark, err));
    PF_TRY(PF_PASS_ARRAY(n->arena, n->runs.count, s->section, err));
    for (uint32_t i = 0; i < n->runs.count; i++) {
        s->section[i] = PF_NONE;
        s->in_benchmark[i] = false;
    }
    for (uint32_t i = 0; i < n->launches.count; i++) {
        s->in_benchmark[n->launches.run[i]] |= isfinite(n->launches.impact[i]);
    }
    for (uint32_t i = n->sections.count; i-- > 0;) {
        s->section[n->traces.run[n->sections.trace[i]]] = i;
    }
    for (uint32_t i = 0; i < n->outputs.count; i++) {
        PF_TRY(pf_map_put(&s->folders, n->outputs.folder[i], 1, err));
    }
    return PF_OK;
}

/* The maps of its first trace: "block_sched", "block_sched+GMEMBytes". */
static pf_str name_maps(const neutrino_run *n, uint32_t section)
{
    const neutrino_sections *v = &n->sections;
    pf_str name = {"", 0};
    for (uint32_t i = section; i < v->count && v->trace[i] == v->trace[section] && i < section + 4; i++) {
        pf_str map = pf_neutrino_string(n, v->map, i);
        name = i == section ? map : pf_findings_format(n->f, "%.*s+%.*s", PF_TEXT_ARG(name), PF_TEXT_ARG(map));
    }
    return name;
}

static pf_str name_run(const neutrino_run *n, const run_signs *s, uint32_t run)
{
    pf_str path = pf_neutrino_string(n, n->runs.path, run), folder = path, probe, op, sub;
    pf_str command = pf_neutrino_string(n, n->runs.command, run), last = pf_neutrino_take_last(&folder);
    while (folder.len && folder.ptr[folder.len - 1] == '/') {
        folder.len--;
    }
    if (s->in_benchmark[run]) {
        pf_neutrino_probe_and_op(path, &probe, &op);
        if (probe.len && op.len) {
            return pf_findings_format(n->f, "%.*s %.*s", PF_TEXT_ARG(probe), PF_TEXT_ARG(op));
        }
    } else if (pf_map_get(&s->folders, pf_trace_find_string(n->t, folder)) != PF_NONE) {
        sub = pf_neutrino_take_last(&folder);
        probe = pf_neutrino_take_last(&folder);
        op = pf_neutrino_take_last(&folder);
        return pf_findings_format(n->f, "%.*s %.*s %.*s", PF_TEXT_ARG(probe), PF_TEXT_ARG(op), PF_TEXT_ARG(sub));
    }
    pf_str maps = name_maps(n, s->section[run]);
    command = command.ptr ? command : last;
    return maps.len ? pf_findings_format(n->f, "%.*s %.*s", PF_TEXT_ARG(maps), PF_TEXT_ARG(command)) : command;
}

static pf_status name_runs(const neutrino_run *n, run_signs *s, pf_str *names, pf_error *err)
{
    PF_TRY(find_signs(n, s, err));
    for (uint32_t i = 0; i < n->runs.count; i++) {
        names[i] = name_run(n, s, i);
    }
    return PF_OK;
}

pf_status pf_neutrino_name_runs(const neutrino_run *n, pf_str *names, pf_error *err)
{
    run_signs s = {.section = NULL};
    pf_map_init(&s.folders, n->arena->budget);
    pf_status st = name_runs(n, &s, names, err);
    pf_map_free(&s.folders);
    return st;
}
