/* analyze/gpu/facts/gpu_places.c - device and stream of a track, for operations whose arguments name none: pid and tid,
 * or what the dimensions of a render stage's track say. */
#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

static gpu_place of_thread(const pf_trace *t, uint32_t track)
{
    const pf_tracks *k = pf_trace_tracks(t);
    const pf_processes *p = pf_trace_processes(t);
    const pf_threads *threads = pf_trace_threads(t);
    gpu_place place = {.stream = track, .stream_text = k->name[track]};
    uint32_t utid = k->utid[track], upid = k->upid[track];
    if (utid != PF_NONE) {
        upid = threads->upid[utid];
        place.stream = threads->tid[utid];
        place.stream_text = threads->kind[utid] == PF_ID_INT ? 0 : threads->text[utid];
    }
    if (upid != PF_NONE) {
        place.device = p->pid[upid];
        place.device_text = p->kind[upid] == PF_ID_INT ? 0 : p->text[upid];
    }
    return place;
}

/* The number in "COMPUTE GPU [1] QUEUE [0]" and "COPY to AGENT [1] ...": tracks of rocprofv3 lie in the process of the
 * program, and their names say whose they are. */
static bool agent_of(pf_str name, int64_t *agent)
{
    static const pf_str starts[] = {{"COMPUTE ", 8}, {"COPY to ", 8}};
    const char *p = NULL, *end = name.ptr ? name.ptr + name.len : NULL;
    for (size_t i = 0; end && i < sizeof starts / sizeof *starts; i++) {
        if (pf_str_starts(name, starts[i])) {
            p = memchr(name.ptr, '[', name.len);
        }
    }
    *agent = 0;
    for (p = p ? p + 1 : end; p < end && pf_is_digit(*p) && *agent < 1000000; p++) {
        *agent = *agent * 10 + (*p - '0');
    }
    return p < end && *p == ']';
}

static gpu_place of_track(const pf_trace *t, uint32_t track, bool stage)
{
    const gpu_place nowhere = {.stage = true};
    gpu_place place = stage ? nowhere : of_thread(t, track);
    int64_t agent;
    if (!stage && pf_trace_tracks(t)->utid[track] == PF_NONE &&
        agent_of(pf_trace_string(t, pf_trace_tracks(t)->name[track]), &agent)) {
        place.device = agent;
        place.device_text = 0;
    }
    return place;
}

/* What the dimensions of render stage tracks say; they hold for all tracks of a group. */
static void read_dimensions(const pf_trace *t, gpu_place *place)
{
    const pf_row_args *a = pf_trace_row_args(t);
    const pf_tracks *k = pf_trace_tracks(t);
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t row = a->row[i];
        if (a->owner[i] != PF_OWNER_TRACK_DIMENSION || row >= k->count || k->type[row] != PF_TRACK_GPU_RENDER_STAGE) {
            continue;
        }
        pf_str key = pf_trace_string(t, a->key[i]);
        if (pf_str_is(key, "gpu")) {
            place[row].device = a->number[i];
        } else if (pf_str_is(key, "hwqueue_id")) {
            place[row].stream = a->number[i];
        } else if (pf_str_is(key, "hwqueue_name")) {
            place[row].stream_text = a->text[i];
        }
    }
    for (uint32_t row = 0; row < k->count; row++) {
        uint32_t group = k->group[row];
        if (k->type[row] == PF_TRACK_GPU_RENDER_STAGE && group != PF_NONE && group != row) {
            place[row] = place[group];
        }
    }
}

pf_status pf_gpu_places(gpu_facts *g, gpu_place **by_track, pf_error *err)
{
    const pf_tracks *k = pf_trace_tracks(g->trace);
    gpu_place *place;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, k->count, place, err));
    bool stages = false;
    for (uint32_t i = 0; i < k->count; i++) {
        bool stage = k->type[i] == PF_TRACK_GPU_RENDER_STAGE;
        place[i] = of_track(g->trace, i, stage);
        stages = stages || stage;
    }
    if (stages) {
        read_dimensions(g->trace, place);
    }
    *by_track = place;
    return PF_OK;
}
