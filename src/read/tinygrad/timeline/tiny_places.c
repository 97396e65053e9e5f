/* read/tinygrad/timeline/tiny_places.c - where a device is shown: "AMD:1:SDMA:0" is engine "SDMA 0" of process "AMD:1",
 * "AMD Graph" is "graph" of "AMD", a device without more is "compute", and USER, TINY and GC are threads of the host.
 */
#include <string.h>

#include "read/tinygrad/timeline/tiny_timeline.h"

static bool is_host(pf_str device)
{
    return pf_tiny_is(device, "USER") || pf_tiny_is(device, "TINY") || pf_tiny_is(device, "GC");
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
        if (text[i] < '0' || text[i] > '9') {
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

/* What follows the base: ":SDMA:0", ":COPY", " Graph". */
static pf_str engine_of(pf_str device, bool copy, char text[128])
{
    size_t base = base_of(device), left = device.len - base;
    const char *rest = device.ptr + base;
    if (left == 0) {
        return copy ? PF_STR("copy") : PF_STR("compute");
    }
    if (left == 6 && memcmp(rest, " Graph", 6) == 0) {
        return PF_STR("graph");
    }
    if (left == 5 && memcmp(rest, ":COPY", 5) == 0) {
        return PF_STR("copy");
    }
    left = left < 127 ? left : 127;
    for (size_t i = 1; i < left; i++) {
        text[i - 1] = rest[i] == ':' ? ' ' : rest[i];
    }
    return (pf_str){text, left - 1};
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static uint32_t add_process(pf_tiny_timeline *l, uint32_t name, pf_error *err)
{
    const pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = l->next_pid++};
    uint32_t upid = pf_trace_process(l->t, &id, err);
    if (upid != PF_NONE) {
        l->t->processes.name[upid] = name;
        if (!pf_map_set(&l->process_of, name, upid)) {
            pf_budget_refused(&l->t->budget, 0, err);
            return PF_NONE;
        }
    }
    return upid;
}

uint32_t pf_tiny_process(pf_tiny_timeline *l, uint32_t device, pf_error *err)
{
    pf_str name = pf_trace_string(l->t, device);
    pf_str shown = !name.ptr || name.len == 0 || is_host(name) ? PF_STR("host") : (pf_str){name.ptr, base_of(name)};
    uint32_t id;
    if (pf_trace_add_string(l->t, shown, &id, err) != PF_OK) {
        return PF_NONE;
    }
    uint32_t upid = pf_map_get(&l->process_of, id);
    return upid == PF_NONE ? add_process(l, id, err) : upid;
}

/* The first engine of a process is its main thread; further ones get numbers far away from those of processes. */
static uint32_t add_thread(pf_tiny_timeline *l, uint32_t upid, pf_str name, pf_error *err)
{
    int64_t pid = l->t->processes.pid[upid];
    pf_ident id = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = pid};
    uint32_t utid = pf_trace_thread(l->t, upid, &id, err), text;
    if (utid != PF_NONE && l->t->threads.name[utid]) {
        id.number = 1000000 + (int64_t)l->t->threads.count;
        utid = pf_trace_thread(l->t, upid, &id, err);
    }
    if (utid == PF_NONE || pf_trace_add_string(l->t, name, &text, err) != PF_OK) {
        return PF_NONE;
    }
    l->t->threads.name[utid] = text;
    return utid;
}

uint32_t pf_tiny_track(pf_tiny_timeline *l, uint32_t device, bool copy, pf_error *err)
{
    uint64_t key = 2 * (uint64_t)device + copy;
    uint32_t track = pf_map_get(&l->track_of, key);
    if (track != PF_NONE) {
        return track;
    }
    char text[128];
    pf_str name = pf_trace_string(l->t, device);
    bool host = !name.ptr || name.len == 0 || is_host(name);
    pf_str engine = host ? (name.len ? name : PF_STR("unnamed")) : engine_of(name, copy, text);
    uint32_t upid = pf_tiny_process(l, device, err);
    uint32_t utid = upid == PF_NONE ? PF_NONE : add_thread(l, upid, engine, err);
    track = utid == PF_NONE ? PF_NONE : pf_trace_thread_track(l->t, utid, err);
    if (track != PF_NONE && !pf_map_set(&l->track_of, key, track)) {
        pf_budget_refused(&l->t->budget, 0, err);
        return PF_NONE;
    }
    return track;
}

pf_status pf_tiny_describe(pf_tiny_timeline *l, uint32_t track, const char *key, const char *text, pf_error *err)
{
    const pf_value v = {.type = PF_VALUE_STRING, .as.s = {text, strlen(text)}};
    return pf_trace_add_row_arg(l->t, PF_OWNER_TRACK_SOURCE, track, (pf_str){key, strlen(key)}, &v, err);
}
