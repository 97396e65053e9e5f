/* read/tinygrad/tracks/tiny_places.c - where a device is shown: "AMD:1:SDMA:0" is engine "SDMA 0" of process "AMD:1",
 * "AMD Graph" is "graph" of "AMD", a device without more is "compute", and USER, TINY and GC are threads of the host.
 * Tracks with what they say of themselves, and names without the escape sequences that colour them in a terminal. */
#include <stdio.h>
#include <string.h>

#include "base/list.h"
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

/* The device itself: a name and, where it has one, a number. */
static size_t base_of(pf_str device)
{
    size_t n = part(device, 0), end = n + 1;
    while (end < device.len && pf_is_digit(device.ptr[end])) {
        end++;
    }
    bool numbered = n < device.len && device.ptr[n] == ':' && end > n + 1 && part(device, n + 1) == end - n - 1;
    return numbered ? end : n;
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

static pf_status describe(pf_tiny_tracks *l, uint32_t track, const char *key, const pf_value *v)
{
    return pf_trace_add_row_arg(l->t, PF_OWNER_TRACK_SOURCE, track, pf_str_of(key), v, l->p->err);
}

static pf_status describe_text(pf_tiny_tracks *l, uint32_t track, const char *key, const char *text)
{
    return text ? describe(l, track, key, &(pf_value){.type = PF_VALUE_STRING, .as.s = pf_str_of(text)}) : PF_OK;
}

pf_status pf_tiny_add_track(pf_tiny_tracks *l, const pf_tiny_track *k, pf_map *tracks, uint64_t key, uint32_t *track)
{
    const pf_track_row row = {.type = k->type,
                              .name = k->name,
                              .upid = k->upid,
                              .utid = PF_NONE,
                              .parent = k->parent,
                              .group = !k->packed            ? PF_NONE
                                       : k->first == PF_NONE ? l->t->tracks.count
                                                             : k->first,
                              .unit = pf_tiny_word(l->p, k->unit)};
    PF_TRY(l->p->text_status);
    *track = pf_trace_add_track(l->t, &row, l->p->err);
    PF_TRY(*track == PF_NONE ? l->p->err->code : PF_OK);
    if (k->ranked) {
        PF_TRY(describe(l, *track, "sibling_order_rank", &(pf_value){.type = PF_VALUE_INT, .as.i = k->rank}));
    }
    PF_TRY(describe_text(l, *track, "child_ordering", k->ordered ? "explicit" : NULL));
    PF_TRY(describe_text(l, *track, "y_axis_share_key", k->scale));
    PF_TRY(describe_text(l, *track, "description", k->description));
    return tracks ? pf_map_put(tracks, key, *track, l->p->err) : PF_OK;
}

pf_status pf_tiny_hold(pf_tiny_tracks *l, uint32_t kernel, double value, uint32_t track)
{
    int64_t from = pf_tiny_event_int(l, EVENT_TS, kernel), to = pf_tiny_event_int(l, EVENT_END, kernel);
    PF_TRY(pf_trace_add_sample(l->t, from, value, track, PF_NONE, l->p->err));
    return pf_trace_add_sample(l->t, to > from ? to : from, 0, track, PF_NONE, l->p->err);
}

/* Arguments are looked up in the side tables, so one byte that is never read stands for all of theirs. */
pf_status pf_tiny_draw_event(pf_tiny_tracks *l, const pf_event *e, unsigned decoder, uint32_t row)
{
    static const uint8_t nothing[1] = {0};
    PF_TRY(pf_trace_add_event(l->t, e, l->p->err));
    return l->t->want & PF_WANT_ARGS ? pf_trace_add_lasting_args(l->t, nothing, sizeof nothing, decoder, row, l->p->err)
                                     : PF_OK;
}

pf_status pf_tiny_plain_name(pf_tiny_tracks *l, uint32_t name, uint32_t *plain)
{
    pf_str s = pf_trace_string(l->t, name);
    *plain = name;
    if (!s.ptr || !memchr(s.ptr, '\x1b', s.len)) {
        return PF_OK;
    }
    *plain = pf_map_get(&l->plain_of, name); /* each name is read once */
    if (*plain != PF_NONE) {
        return PF_OK;
    }
    char *text;
    PF_TRY(PF_LIST_NEW(&l->t->budget, text, s.len, l->p->err));
    *plain = pf_tiny_id(l->p, (pf_str){text, pf_str_without_colours(s, text, s.len)});
    PF_LIST_FREE(&l->t->budget, text, s.len);
    PF_TRY(l->p->text_status);
    return pf_map_put(&l->plain_of, name, *plain, l->p->err);
}

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
    PF_TRY(*upid == PF_NONE ? l->p->err->code : PF_OK);
    l->t->processes.name[*upid] = id;
    return pf_map_put(&l->process_of, id, *upid, l->p->err);
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
    PF_TRY(*utid == PF_NONE ? l->p->err->code : PF_OK);
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
    char text[128], description[256];
    uint32_t upid, utid;
    pf_str name = pf_trace_string(l->t, device);
    pf_str engine = is_host(name) ? (name.len ? name : PF_STR("unnamed")) : engine_of(name, copy, text);
    PF_TRY(pf_tiny_process(l, device, &upid));
    PF_TRY(add_thread(l, upid, engine, &utid));
    *track = pf_trace_thread_track(l->t, utid, l->p->err);
    PF_TRY(*track == PF_NONE ? l->p->err->code : PF_OK);
    snprintf(description, sizeof description,
             "What the profile says of '%.*s'%s, on the host's clock (table tinygrad_event).",
             (int)(name.len < 160 ? name.len : 160), name.ptr ? name.ptr : "",
             is_host(name) ? ", which is the host's own work"
             : copy        ? ", its copies"
                           : "");
    PF_TRY(describe_text(l, *track, "description", description));
    return pf_map_put(&l->track_of, key, *track, l->p->err);
}
