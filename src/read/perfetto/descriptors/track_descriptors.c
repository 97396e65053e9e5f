/* read/perfetto/descriptors/track_descriptors.c - descriptors: tracks, processes, threads and their names.
 *
 * A name is applied to its process or thread row and also appended as an event of phase M in file order, like Chrome's
 * metadata events: passes that follow the order of the file see when a process got its name. Such an event carries one
 * argument, args.name, on the track of the process's main thread or of the thread. Chrome's processes and threads may
 * tell a type in place of a name; it serves as a name of lower rank and makes no event.
 */
#include <stdio.h>

#include "base/str.h"
#include "perfetto/chrome_names.h"
#include "read/perfetto/descriptors/descriptors.h"
#include "read/support/dialect.h"

typedef Pf__Proto__TrackDescriptor track_descriptor;
typedef Pf__Proto__ThreadDescriptor thread_descriptor;
typedef Pf__Proto__ProcessDescriptor process_descriptor;
typedef Pf__Proto__ChromeProcessDescriptor chrome_process;

/* Appends the M event `event_name` for a name; without a time of its own it stands at the time of the last event. */
static pf_status append_name(pf_import *im, uint32_t utid, uint32_t event_name, ProtobufCBinaryData name,
                             const pf_moment *at)
{
    pf_trace *t = im->t;
    int64_t last = t->events.count ? t->events.last_ts : 0;
    pf_event e = {.ts = at->when == PF_WHEN_KNOWN ? at->ts : last, .name = event_name, .phase = 'M'};
    e.track = pf_trace_thread_track(t, utid, im->err);
    if (e.track == PF_NONE) {
        return im->err->code;
    }
    PF_TRY(pf_trace_add_event(t, &e, im->err));
    return pf_trace_add_args(t, name.data, name.len, im->decoders.name, 0, true, im->err);
}

/* The name of a process or thread; key: what it is known by in people.ranks. An empty name is one, too. */
static void set_name(pf_import *im, uint32_t *name_id, uint64_t key, pf_str name, uint32_t rank)
{
    uint32_t known = pf_map_get(&im->people.ranks, key);
    if (name.ptr && (known == PF_NONE || known <= rank)) {
        *name_id = pf_import_text(im, name);
        if (known != rank) {
            pf_import_put(im, &im->people.ranks, key, rank);
        }
    }
}

void pf_import_set_process_name(pf_import *im, uint32_t upid, pf_str name, uint32_t rank)
{
    if (!pf_import_failed(im)) {
        set_name(im, &im->t->processes.name[upid], 2 * (uint64_t)upid, name, rank);
    }
}

void pf_import_set_thread_name(pf_import *im, uint32_t utid, pf_str name, uint32_t rank)
{
    if (!pf_import_failed(im)) {
        set_name(im, &im->t->threads.name[utid], 2 * (uint64_t)utid + 1, name, rank);
    }
}

void pf_import_note(pf_import *im, pf_owner owner, uint32_t row, pf_str key, const pf_value *value)
{
    pf_trace *t = im->t;
    uint64_t place = ((uint64_t)row << 2 | owner) << 30 ^ pf_import_text(im, key); /* string ids stay below 2^30 */
    uint32_t known = pf_map_get(&im->people.notes, place), added = t->row_args.count;
    pf_import_arg(im, owner, row, key, *value);
    if (known == PF_NONE) {
        pf_import_put(im, &im->people.notes, place, added);
    } else if (!pf_import_failed(im)) {
        t->row_args.type[known] = t->row_args.type[added];
        t->row_args.number[known] = t->row_args.number[added];
        t->row_args.text[known] = t->row_args.text[added];
        t->row_args.count = added;
    }
}

static void note_text(pf_import *im, uint32_t upid, const char *key, pf_str text)
{
    const pf_value v = {.type = PF_VALUE_STRING, .as.s = text};
    pf_import_note(im, PF_OWNER_PROCESS, upid, pf_str_of(key), &v);
}

static void name_process(pf_import *im, uint32_t upid, ProtobufCBinaryData name, const pf_moment *at)
{
    const pf_str text = pf_text_of(name);
    if (name.len == 0) {
        return;
    }
    pf_import_set_process_name(im, upid, text, PF_RANK_PROCESS_DESCRIPTOR);
    uint32_t utid = pf_import_main_thread(im, upid);
    im->shown = im->r->dialect || im->shown ? im->shown : pf_dialect_of_process(text);
    if (im->shown) {
        pf_reading_take_dialect(im->r, im->shown);
    }
    if (utid != PF_NONE) {
        (void)append_name(im, utid, im->people.process_key, name, at);
    }
}

static void name_thread(pf_import *im, uint32_t utid, const thread_descriptor *d, const pf_moment *at)
{
    bool named = d->thread_name.len > 0;
    pf_str name = named ? pf_text_of(d->thread_name) : pf_chrome_thread_name(d->chrome_thread_type);
    pf_import_set_thread_name(im, utid, name, PF_RANK_THREAD_DESCRIPTOR);
    if (named && !pf_import_failed(im)) {
        (void)append_name(im, utid, im->people.thread_key, d->thread_name, at);
    }
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

static void apply_process(pf_import *im, uint32_t upid, const process_descriptor *d, const pf_moment *at)
{
    int64_t start = d->start_timestamp_ns;
    if (start > 0 && im->t->processes.start_ts[upid] == INT64_MIN) {
        im->t->processes.start_ts[upid] = start;
    }
    bool is_renderer = d->chrome_process_type == PF_CHROME_PROCESS_RENDERER;
    name_process(im, upid, d->process_name, at);
    pf_import_set_process_name(im, upid, pf_chrome_process_name(d->chrome_process_type),
                               is_renderer ? PF_RANK_PROCESS_RENDERER : PF_RANK_PROCESS_TYPE);
    for (size_t i = 0; i < d->n_process_labels; i++) {
        char key[48];
        snprintf(key, sizeof key, "chrome.process_label[%zu]", i);
        note_text(im, upid, key, pf_text_of(d->process_labels[i]));
    }
}

static void apply_chrome_process(pf_import *im, uint32_t upid, const chrome_process *c)
{
    bool is_renderer = c->process_type == PF_CHROME_PROCESS_RENDERER || c->process_type == PF_CHROME_PROCESS_EXTENSION;
    const pf_str type = pf_chrome_process_name(c->process_type);
    pf_import_set_process_name(im, upid, type, is_renderer ? PF_RANK_PROCESS_RENDERER : PF_RANK_PROCESS_TYPE);
    note_text(im, upid, "chrome.process_type", type);
    if (c->has_host_app_package_name) {
        note_text(im, upid, "chrome.host_app_package_name", pf_text_of(c->host_app_package_name));
    }
    if (c->has_crash_trace_id) {
        const pf_value v = {.type = PF_VALUE_UINT, .as.u = c->crash_trace_id};
        pf_import_note(im, PF_OWNER_PROCESS, upid, PF_STR("chrome.crash_trace_id"), &v);
    }
}

void pf_import_track_descriptor(pf_import *im, const pf_packet *p)
{
    const track_descriptor *d = pf_import_unpack(im, &pf__proto__track_descriptor__descriptor, &p->data);
    uint32_t index = PF_NONE, upid = PF_NONE, utid = PF_NONE;
    bool conflict = false;
    if (!d || pf_uuid_track_describe(&im->tracks, d, pf_import_offset(im, p->r), &index, &conflict) != PF_OK ||
        (index == PF_NONE && !conflict)) {
        return;
    }
    if (index != PF_NONE) {
        upid = im->tracks.list[index].upid;
        utid = im->tracks.list[index].utid;
    } else if (d->thread) { /* the track is another one; the process or thread that it names is described all the same
                             */
        utid = pf_import_thread(im, d->thread->pid, d->thread->tid);
    } else if (d->process) {
        upid = pf_import_process(im, d->process->pid);
    }
    if (pf_import_failed(im)) {
        return;
    }
    if (d->thread) {
        if (index != PF_NONE) {
            set_references(p->q, d->thread, im->tracks.list[index].tid);
        }
        name_thread(im, utid, d->thread, p->at);
        if (d->chrome_thread) {
            pf_import_set_thread_name(im, utid, pf_chrome_thread_name(d->chrome_thread->thread_type),
                                      PF_RANK_THREAD_TYPE);
        }
    } else if (upid != PF_NONE && d->process) {
        apply_process(im, upid, d->process, p->at);
        if (d->chrome_process) {
            apply_chrome_process(im, upid, d->chrome_process);
        }
    }
}

/* TracePacket.thread_descriptor; one that cannot be the base of differences does not count at all. */
void pf_import_thread_descriptor(pf_import *im, const pf_packet *p)
{
    if (!p->q || !p->q->valid) {
        pf_import_count(im, p->r, p->q ? PF_STAT_THREAD_SKIPPED_STATE : PF_STAT_THREAD_NO_SEQUENCE);
        return;
    }
    const thread_descriptor *d = pf_import_unpack(im, &pf__proto__thread_descriptor__descriptor, &p->data);
    uint32_t utid = d ? pf_import_thread(im, d->pid, d->tid) : PF_NONE;
    if (utid != PF_NONE) {
        set_references(p->q, d, d->tid);
        name_thread(im, utid, d, p->at);
    }
}

/* TracePacket.process_descriptor */
void pf_import_process_descriptor(pf_import *im, const pf_packet *p)
{
    const process_descriptor *d = pf_import_unpack(im, &pf__proto__process_descriptor__descriptor, &p->data);
    uint32_t upid = d ? pf_import_process(im, d->pid) : PF_NONE;
    if (upid != PF_NONE) {
        apply_process(im, upid, d, p->at);
    }
}
