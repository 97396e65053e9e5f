/* read/tinygrad/tracks/tiny_places.c - where a device is shown: "AMD:1:SDMA:0" is engine "SDMA 0" of process "AMD:1",
 * "AMD Graph" is "graph" of "AMD", a device without more is "compute", and USER, TINY and GC are threads of the host.
 */
#include "read/tinygrad/tracks/tiny_tracks.h"

static bool is_host(pf_str device)
{
    return device.len == 0 || pf_str_is(device, "USER") || pf_str_is(device, "TINY") || pf_str_is(device, "GC");
}

/* The length of the part up to the next ':' or blank, from `at` on. */
static size_t part(pf_str s, size_t at)
{
    size_t n = at;
    while (n < s.len && s.ptr[n] != ':' && s.ptr[n] != ' ') {
        n++;
    }
    return n - at;
}

static bool is_number(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!pf_is_digit(text[i])) {
            return false;
        }
    }
    return len > 0;
}

/* The device itself: a name and, where it has one, a number. */
static size_t base_of(pf_str device)
{
    size_t n = part(device, 0);
    if (n < device.len && device.ptr[n] == ':') {
        size_t number = part(device, n + 1);
        n += is_number(device.ptr + n + 1, number) ? number + 1 : 0;
    }
    return n;
}

/* The name of an engine, from what follows the device itself: ":SDMA:0", ":COPY", " Graph". */
static pf_str engine_of(pf_str device, bool copy, char text[128])
{
    pf_str rest = pf_str_from(device, base_of(device));
    if (rest.len == 0) {
        return copy ? PF_STR("copy") : PF_STR("compute");
    }
    if (pf_str_is(rest, " Graph")) {
        return PF_STR("graph");
    }
    if (pf_str_is(rest, ":COPY")) {
        return PF_STR("copy");
    }
    rest.len = rest.len < 127 ? rest.len : 127;
    for (size_t i = 1; i < rest.len; i++) {
        text[i - 1] = rest.ptr[i] == ':' ? ' ' : rest.ptr[i];
    }
    return (pf_str){text, rest.len - 1};
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

pf_status pf_tiny_process(pf_tiny_tracks *l, uint32_t device, uint32_t *upid)
{
    pf_str name = pf_trace_string(l->t, device);
    uint32_t id = pf_tiny_id(l->p, is_host(name) ? PF_STR("host") : (pf_str){name.ptr, base_of(name)});
    PF_TRY(l->p->text_status);
    *upid = pf_map_get(&l->process_of, id);
    if (*upid != PF_NONE) {
        return PF_OK;
    }
    const pf_ident pid = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = l->next_pid++};
    *upid = pf_trace_process(l->t, &pid, l->p->err);
    if (*upid == PF_NONE) {
        return l->p->err->code;
    }
    l->t->processes.name[*upid] = id;
    return pf_map_set(&l->process_of, id, *upid) ? PF_OK : pf_budget_refused(&l->t->budget, 0, l->p->err);
}

/* The first engine of a process is its main thread; further ones get numbers far away from those of processes. */
static pf_status add_thread(pf_tiny_tracks *l, uint32_t upid, pf_str name, uint32_t *utid)
{
    pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = l->t->processes.pid[upid]};
    *utid = pf_trace_thread(l->t, upid, &id, l->p->err);
    if (*utid != PF_NONE && l->t->threads.name[*utid]) {
        id.number = 1000000 + (int64_t)l->t->threads.count;
        *utid = pf_trace_thread(l->t, upid, &id, l->p->err);
    }
    if (*utid == PF_NONE) {
        return l->p->err->code;
    }
    l->t->threads.name[*utid] = pf_tiny_id(l->p, name);
    return l->p->text_status;
}

pf_status pf_tiny_device_track(pf_tiny_tracks *l, uint32_t device, bool copy, uint32_t *track)
{
    uint64_t key = 2 * (uint64_t)device + copy;
    *track = pf_map_get(&l->track_of, key);
    if (*track != PF_NONE) {
        return PF_OK;
    }
    char text[128];
    uint32_t upid, utid;
    pf_str name = pf_trace_string(l->t, device);
    pf_str engine = is_host(name) ? (name.len ? name : PF_STR("unnamed")) : engine_of(name, copy, text);
    PF_TRY(pf_tiny_process(l, device, &upid));
    PF_TRY(add_thread(l, upid, engine, &utid));
    *track = pf_trace_thread_track(l->t, utid, l->p->err);
    if (*track == PF_NONE) {
        return l->p->err->code;
    }
    return pf_map_set(&l->track_of, key, *track) ? PF_OK : pf_budget_refused(&l->t->budget, 0, l->p->err);
}
