/* read/perfetto/descriptors/track_descriptors.c - descriptors: tracks, processes, threads and their names.
 *
 * A name is applied to its process or thread row and also appended as an event of phase M in file order, like Chrome's
 * metadata events: passes that follow the order of the file see when a process got its name. Such an event carries one
 * argument, args.name, on the track of the process's main thread or of the thread. Chrome's processes and threads may
 * tell a type in place of a name; it serves as a name of lower rank and makes no event.
 */
#include <stdio.h>

#include "perfetto/fields.h"
#include "read/perfetto/descriptors/chrome_names.h"
#include "read/perfetto/descriptors/track_descriptors.h"
#include "read/reading/dialect.h"

typedef Pf__Proto__TrackDescriptor track_descriptor;
typedef Pf__Proto__ThreadDescriptor thread_descriptor;
typedef Pf__Proto__ProcessDescriptor process_descriptor;
typedef Pf__Proto__ChromeProcessDescriptor chrome_process;

/* Appends the M event `event_name` for a name; without a time of its own it stands at the time of the last event. */
static pf_status append_name(pf_import *im, uint32_t utid, uint32_t event_name, ProtobufCBinaryData name,
                             const pf_moment *at)
{
    pf_trace *t = im->t;
    uint32_t track = pf_trace_thread_track(t, utid, im->err);
    if (track == PF_NONE) {
        return im->err->code;
    }
    int64_t last = t->events.count ? t->events.last_ts : 0;
    const pf_event e = {
        .ts = at->when == PF_WHEN_KNOWN ? at->ts : last, .name = event_name, .track = track, .phase = 'M'};
    pf_status st = pf_trace_add_event(t, &e, im->err);
    return st == PF_OK ? pf_trace_add_args(t, name.data, name.len, im->decoders.name, 0, true, im->err) : st;
}

static pf_status set_name(pf_import *im, uint32_t *name_id, uint64_t key, pf_str name, uint32_t rank)
{
    uint32_t known = pf_map_get(&im->people.ranks, key);
    if (name.len == 0 || (known != PF_NONE && known > rank)) {
        return PF_OK;
    }
    uint32_t id = pf_strings_add(&im->t->strings, name.ptr, name.len, im->err);
    if (id == PF_NONE) {
        return im->err->code;
    }
    *name_id = id;
    return pf_map_set(&im->people.ranks, key, rank) ? PF_OK : pf_budget_refused(&im->t->budget, 1u << 12, im->err);
}

pf_status pf_import_set_process_name(pf_import *im, uint32_t upid, pf_str name, uint32_t rank)
{
    return set_name(im, &im->t->processes.name[upid], 2 * (uint64_t)upid, name, rank);
}

pf_status pf_import_set_thread_name(pf_import *im, uint32_t utid, pf_str name, uint32_t rank)
{
    return set_name(im, &im->t->threads.name[utid], 2 * (uint64_t)utid + 1, name, rank);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

pf_status pf_import_note(pf_import *im, pf_owner owner, uint32_t row, pf_str key, const pf_value *value)
{
    pf_trace *t = im->t;
    uint32_t id = pf_strings_add(&t->strings, key.ptr, key.len, im->err);
    if (id == PF_NONE) {
        return im->err->code;
    }
    uint64_t place = ((uint64_t)row << 2 | owner) << 30 ^ id; /* string ids stay below 2^30 */
    uint32_t known = pf_map_get(&im->people.notes, place), added = t->row_args.count;
    pf_status st = pf_trace_add_row_arg(t, owner, row, key, value, im->err);
    if (st != PF_OK || known == PF_NONE) {
        return st != PF_OK || pf_map_set(&im->people.notes, place, added)
                   ? st
                   : pf_budget_refused(&t->budget, 1u << 12, im->err);
    }
    t->row_args.type[known] = t->row_args.type[added];
    t->row_args.number[known] = t->row_args.number[added];
    t->row_args.text[known] = t->row_args.text[added];
    t->row_args.count = added;
    return PF_OK;
}

static pf_status note_text(pf_import *im, uint32_t upid, const char *key, pf_str text)
{
    const pf_value v = {.type = PF_VALUE_STRING, .as.s = text};
    return pf_import_note(im, PF_OWNER_PROCESS, upid, (pf_str){key, strlen(key)}, &v);
}

static pf_str text_of(ProtobufCBinaryData text)
{
    return (pf_str){text.len ? (const char *)text.data : "", text.len};
}

static pf_status note_labels(pf_import *im, uint32_t upid, const process_descriptor *d)
{
    pf_status st = PF_OK;
    for (size_t i = 0; i < d->n_process_labels && st == PF_OK; i++) {
        char key[48];
        snprintf(key, sizeof key, "chrome.process_label[%zu]", i);
        st = note_text(im, upid, key, text_of(d->process_labels[i]));
    }
    return st;
}

static pf_status note_chrome_process(pf_import *im, uint32_t upid, const chrome_process *c)
{
    pf_status st = note_text(im, upid, "chrome.process_type", pf_chrome_process_name(c->process_type));
    if (st == PF_OK && c->has_host_app_package_name) {
        st = note_text(im, upid, "chrome.host_app_package_name", text_of(c->host_app_package_name));
    }
    if (st == PF_OK && c->has_crash_trace_id) {
        const pf_value v = {.type = PF_VALUE_UINT, .as.u = c->crash_trace_id};
        st = pf_import_note(im, PF_OWNER_PROCESS, upid, PF_STR("chrome.crash_trace_id"), &v);
    }
    return st;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static pf_status name_by_type(pf_import *im, uint32_t upid, int32_t type, bool is_renderer)
{
    return pf_import_set_process_name(im, upid, pf_chrome_process_name(type),
                                      is_renderer ? PF_RANK_PROCESS_RENDERER : PF_RANK_PROCESS_TYPE);
}

static pf_status name_process(pf_import *im, uint32_t upid, ProtobufCBinaryData name, const pf_moment *at)
{
    pf_trace *t = im->t;
    const pf_str text = {(const char *)name.data, name.len};
    if (name.len == 0) {
        return PF_OK;
    }
    pf_status st = pf_import_set_process_name(im, upid, text, PF_RANK_PROCESS_DESCRIPTOR);
    uint32_t utid = st == PF_OK ? pf_uuid_main_thread(t, upid, im->err) : PF_NONE;
    if (utid == PF_NONE) {
        return im->err->code;
    }
    im->shown = im->r->dialect || im->shown ? im->shown : pf_dialect_of_process(text);
    if (im->shown) {
        pf_reading_take_dialect(im->r, im->shown);
    }
    return append_name(im, utid, im->people.process_key, name, at);
}

static pf_status name_thread(pf_import *im, uint32_t utid, const thread_descriptor *d, const pf_moment *at)
{
    pf_str name = text_of(d->thread_name);
    if (name.len == 0) {
        return pf_import_set_thread_name(im, utid, pf_chrome_thread_name(d->chrome_thread_type),
                                         PF_RANK_THREAD_DESCRIPTOR);
    }
    pf_status st = pf_import_set_thread_name(im, utid, name, PF_RANK_THREAD_DESCRIPTOR);
    return st == PF_OK ? append_name(im, utid, im->people.thread_key, d->thread_name, at) : st;
}

/* The thread of a descriptor becomes the thread of its sequence, its times the base of differences. */
static void set_references(pf_sequence *q, const thread_descriptor *d, int64_t tid)
{
    if (!q || !q->valid) {
        return;
    }
    q->has_thread = true;
    q->pid = d->pid;
    q->tid = tid;
    q->has_reference = true;
    q->reference_ts = (int64_t)((uint64_t)d->reference_timestamp_us * 1000);
    q->reference_thread_ts = (int64_t)((uint64_t)d->reference_thread_time_us * 1000);
    q->reference_instructions = d->reference_thread_instruction_count;
}

static pf_status apply_process(pf_import *im, uint32_t upid, const process_descriptor *d, const pf_moment *at)
{
    int64_t start = d->start_timestamp_ns;
    if (start > 0 && im->t->processes.start_ts[upid] == INT64_MIN) {
        im->t->processes.start_ts[upid] = start;
    }
    pf_status st = name_process(im, upid, d->process_name, at);
    if (st == PF_OK) {
        st = name_by_type(im, upid, d->chrome_process_type, d->chrome_process_type == PF_CHROME_PROCESS_RENDERER);
    }
    return st == PF_OK ? note_labels(im, upid, d) : st;
}

static pf_status apply_chrome_process(pf_import *im, uint32_t upid, const chrome_process *c)
{
    bool is_renderer = c->process_type == PF_CHROME_PROCESS_RENDERER || c->process_type == PF_CHROME_PROCESS_EXTENSION;
    pf_status st = name_by_type(im, upid, c->process_type, is_renderer);
    return st == PF_OK ? note_chrome_process(im, upid, c) : st;
}

/* The process or thread that a descriptor names whose track is another one. */
static pf_status find_described(pf_import *im, const track_descriptor *d, uint32_t *upid, uint32_t *utid)
{
    if (!d->thread) {
        *upid = pf_uuid_process(im->t, d->process->pid, im->err);
        return *upid == PF_NONE ? im->err->code : PF_OK;
    }
    *utid = pf_uuid_thread(im->t, d->thread->pid, d->thread->tid, im->err);
    return *utid == PF_NONE ? im->err->code : PF_OK;
}

static pf_status apply_track(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                             const pf_moment *at)
{
    const track_descriptor *d = (const track_descriptor *)pf_cold_unpack(
        &im->cold, &pf__proto__track_descriptor__descriptor, data->bytes, data->len, im->err);
    uint32_t index;
    if (!d) {
        return im->err->code;
    }
    bool conflict;
    pf_status st = pf_uuid_track_describe(&im->tracks, d, pf_import_offset(im, r), &index, &conflict, im->err);
    if (st != PF_OK || (index == PF_NONE && !conflict)) {
        return st;
    }
    const pf_uuid_track *s = index == PF_NONE ? NULL : &im->tracks.list[index];
    uint32_t upid = s ? s->upid : PF_NONE, utid = s ? s->utid : PF_NONE;
    if (!s && (d->thread || d->process)) {
        st = find_described(im, d, &upid, &utid);
        if (st != PF_OK) {
            return st;
        }
    }
    if (d->thread) {
        if (s) {
            set_references(q, d->thread, s->tid);
        }
        st = name_thread(im, utid, d->thread, at);
        if (st == PF_OK && d->chrome_thread) {
            st = pf_import_set_thread_name(im, utid, pf_chrome_thread_name(d->chrome_thread->thread_type),
                                           PF_RANK_THREAD_TYPE);
        }
    } else if (upid != PF_NONE && d->process) {
        st = apply_process(im, upid, d->process, at);
        st = st == PF_OK && d->chrome_process ? apply_chrome_process(im, upid, d->chrome_process) : st;
    }
    return st;
}

/* TracePacket.thread_descriptor; one that cannot be the base of differences does not count at all. */
static pf_status apply_old_thread(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                                  const pf_moment *at)
{
    if (!q || !q->valid) {
        pf_trace_count(im->t, q ? PF_STAT_THREAD_SKIPPED_STATE : PF_STAT_THREAD_NO_SEQUENCE, pf_import_offset(im, r));
        return PF_OK;
    }
    const thread_descriptor *d = (const thread_descriptor *)pf_cold_unpack(
        &im->cold, &pf__proto__thread_descriptor__descriptor, data->bytes, data->len, im->err);
    if (!d) {
        return im->err->code;
    }
    set_references(q, d, d->tid);
    uint32_t utid = pf_uuid_thread(im->t, d->pid, d->tid, im->err);
    return utid == PF_NONE ? im->err->code : name_thread(im, utid, d, at);
}

/* TracePacket.process_descriptor */
static pf_status apply_old_process(pf_import *im, const pf_field *data, const pf_moment *at)
{
    const process_descriptor *d = (const process_descriptor *)pf_cold_unpack(
        &im->cold, &pf__proto__process_descriptor__descriptor, data->bytes, data->len, im->err);
    if (!d) {
        return im->err->code;
    }
    uint32_t upid = pf_uuid_process(im->t, d->pid, im->err);
    return upid == PF_NONE ? im->err->code : apply_process(im, upid, d, at);
}

pf_status pf_import_descriptor(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                               const pf_moment *at)
{
    switch (pf_field_number(data)) {
    case PF_F_PACKET_THREAD_DESCRIPTOR:
        return apply_old_thread(im, r, data, q, at);
    case PF_F_PACKET_PROCESS_DESCRIPTOR:
        return apply_old_process(im, data, at);
    default:
        return apply_track(im, r, data, q, at);
    }
}
