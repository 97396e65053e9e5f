/* read/perfetto/ftrace/driver_events.c - what drivers of GPUs and of memory say: jobs of the DRM scheduler and their
 * fences, commands of virtual GPUs, allocations.
 *
 * A ring of the scheduler runs its jobs one after the other, and so do the fences of a context: each is a line, whose
 * first entry is a slice from the moment when it came to the front until it is done. Jobs that were put into a queue on
 * a thread before are the end of an arrow. Up to Linux 6.16 a job has an id in its ring and the address of its fence,
 * later ones have the context and number of their fence.
 */
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/ftrace/ftrace.h"

static uint32_t thread_track(pf_import *im, const pf_ftrace_now *now)
{
    uint32_t utid = pf_lives_thread(im, now->event->tid);
    return utid == PF_NONE || pf_import_failed(im) ? PF_NONE : pf_trace_thread_track(im->t, utid, im->err);
}

/* The line of a track, made on first use; NULL after an error. Valid until the next one. */
static pf_driver_line *line_of(pf_import *im, pf_track_type type, const pf_dims dims, uint32_t *number)
{
    pf_driver_lines *l = &im->system.lines;
    const int64_t parts[] = {type, type == PF_TRACK_DRM_FENCE ? dims[1] : dims[0]};
    uint32_t key = pf_import_key(im, parts, sizeof parts), i = key == PF_NONE ? PF_NONE : pf_map_get(&l->known, key);
    if (i == PF_NONE && !pf_import_failed(im)) {
        uint32_t track = pf_system_track(im, type, PF_NONE, dims);
        if (PF_LIST_ROOM(&im->t->budget, l->line, l->count + 1, l->room, im->err) == PF_OK) {
            i = l->count++;
            l->line[i] = (pf_driver_line){.track = track, .first = PF_NONE, .last = PF_NONE};
            pf_import_put(im, &l->known, key, i);
        }
    }
    *number = i;
    return pf_import_failed(im) ? NULL : &l->line[i];
}

static bool append(pf_import *im, uint32_t number, pf_driver_entry e)
{
    pf_driver_lines *l = &im->system.lines;
    if (PF_LIST_ROOM(&im->t->budget, l->entry, l->entries + 1, l->entry_room, im->err) != PF_OK) {
        return false;
    }
    pf_driver_line *line = &l->line[number];
    e.next = PF_NONE;
    l->entry[l->entries] = e;
    if (line->first == PF_NONE) {
        line->first = l->entries;
    } else {
        l->entry[line->last].next = l->entries;
    }
    line->last = l->entries++;
    return line->first == line->last;
}

enum { OLD_QUEUE = 411, OLD_RUN = 412, OLD_DONE = 413, NEW_DONE = 592, NEW_QUEUE = 593, NEW_RUN = 594 };

/* What a job is known by on its ring or, while it runs, everywhere. */
static uint32_t job_key(pf_import *im, int64_t ring, uint64_t a, uint64_t b)
{
    const uint64_t parts[] = {(uint64_t)ring, PF_TRACK_DRM_RING, a, b};
    return pf_import_key(im, parts, sizeof parts);
}

static size_t job_args(const pf_driver_entry *job, pf_system_arg *args)
{
    if (job->fenced) {
        args[0] = (pf_system_arg){"fence context", PF_VALUE_UINT, (int64_t)job->a};
        args[1] = (pf_system_arg){"fence seqno", PF_VALUE_UINT, (int64_t)job->b};
        return 2;
    }
    args[0] = (pf_system_arg){"gpu sched job", PF_VALUE_UINT, (int64_t)job->b};
    return 1;
}

/* The first job of the ring runs. */
static void begin_job(pf_import *im, int64_t ts, uint32_t number)
{
    pf_driver_lines *l = &im->system.lines;
    const pf_driver_entry job = l->entry[l->line[number].first];
    pf_system_arg args[2];
    size_t count = job_args(&job, args);
    pf_system_event(im, ts, 'B', l->line[number].track, pf_import_word(im, "job"), 0, args, count);
    uint32_t key = job_key(im, number, job.fenced ? job.a : 0, job.b);
    uint32_t arrow = key == PF_NONE ? PF_NONE : pf_map_get(&l->arrows, key);
    if (arrow != PF_NONE && arrow > 0) {
        pf_system_arrow(im, arrow, PF_FLOW_ARROW_TO);
        pf_import_put(im, &l->arrows, key, 0);
    }
}

static void queue_job(pf_import *im, const pf_ftrace_now *now, uint32_t name, const pf_driver_entry *job)
{
    pf_driver_lines *l = &im->system.lines;
    pf_system_arg args[3] = {{"gpu sched ring", PF_VALUE_STRING, name}};
    size_t count = 1 + job_args(job, args + 1);
    uint32_t track = thread_track(im, now), ring;
    pf_system_event(im, now->ts, 'i', track, pf_import_word(im, "drm_sched_job_queue"), 0, args, count);
    if (line_of(im, PF_TRACK_DRM_RING, (pf_dims){name}, &ring)) {
        pf_system_arrow(im, ++l->last_arrow, PF_FLOW_ARROW_FROM);
        pf_import_put(im, &l->arrows, job_key(im, ring, job->fenced ? job->a : 0, job->b), l->last_arrow);
    }
}

static void run_job(pf_import *im, int64_t ts, uint32_t name, const pf_driver_entry *job)
{
    pf_driver_lines *l = &im->system.lines;
    uint32_t ring, key = job_key(im, -1, job->a, job->fenced ? job->b : 0);
    if (!line_of(im, PF_TRACK_DRM_RING, (pf_dims){name}, &ring) || key == PF_NONE) {
        return;
    }
    uint32_t busy = pf_map_get(&l->busy, key);
    if (busy == PF_NONE || busy == 0) {
        pf_import_put(im, &l->busy, key, ring + 1);
    }
    if (append(im, ring, *job)) {
        begin_job(im, ts, ring);
    }
}

static void end_job(pf_import *im, int64_t ts, const pf_driver_entry *job)
{
    pf_driver_lines *l = &im->system.lines;
    uint32_t key = job_key(im, -1, job->a, job->fenced ? job->b : 0);
    uint32_t busy = key == PF_NONE ? PF_NONE : pf_map_get(&l->busy, key);
    if (busy == PF_NONE || busy == 0) {
        return;
    }
    pf_driver_line *ring = &l->line[busy - 1];
    pf_import_put(im, &l->busy, key, 0);
    ring->first = ring->first == PF_NONE ? PF_NONE : l->entry[ring->first].next;
    pf_system_event(im, ts, 'E', ring->track, 0, 0, NULL, 0);
    if (ring->first != PF_NONE) {
        begin_job(im, ts, busy - 1);
    }
}

void pf_event_drm_job(pf_import *im, const pf_ftrace_now *now)
{
    uint32_t kind = now->event->kind;
    bool fenced = kind >= NEW_DONE, named = kind != OLD_DONE && kind != NEW_DONE;
    PF_CURSOR_FIELDS(n, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(4), PF_AT_VARINT(5),
                     PF_AT_VARINT(6));
    const pf_field text = pf_cursor_last(now->fields, PF_TAG_BYTES(fenced ? 1 : 6));
    uint32_t name = named ? pf_import_text(im, pf_field_text(&text)) : 0;
    pf_driver_entry job = {.a = n[2].value, .b = n[4].value};
    if (fenced) {
        job = named ? (pf_driver_entry){.a = n[5].value, .b = n[6].value}
                    : (pf_driver_entry){.a = n[1].value, .b = n[2].value};
        job.fenced = true;
    }
    if (kind == OLD_QUEUE || kind == NEW_QUEUE) {
        queue_job(im, now, name, &job);
    } else if (named) {
        run_job(im, now->ts, name, &job);
    } else {
        job.a = fenced ? job.a : n[1].value;
        end_job(im, now->ts, &job);
    }
}

enum { FENCE_INIT = 414, FENCE_EMIT = 415, FENCE_WAIT_START = 417, FENCE_WAIT_END = 418 };

static void begin_fence(pf_import *im, int64_t ts, const pf_driver_line *line)
{
    const pf_system_arg seqno = {"fence seqno", PF_VALUE_UINT, (int64_t)im->system.lines.entry[line->first].a};
    pf_system_event(im, ts, 'B', line->track, pf_import_word(im, "fence"), 0, &seqno, 1);
}

static void end_fence(pf_import *im, int64_t ts, pf_driver_line *line)
{
    line->first = im->system.lines.entry[line->first].next;
    pf_system_event(im, ts, 'E', line->track, 0, 0, NULL, 0);
}

/* Contexts that say when a fence is emitted count from there on, not from when it is made. */
void pf_event_fence(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(3), PF_AT_BYTES(4));
    pf_str name = pf_field_text(&f[4]);
    uint32_t kind = now->event->kind, seqno = (uint32_t)f[3].value, number;
    bool known = !pf_str_is(name, "unbound"); /* others hold fences, and come and go */
    const pf_dims dims = {pf_import_text(im, name), (uint32_t)f[1].value};
    pf_driver_line *line = known ? line_of(im, PF_TRACK_DRM_FENCE, dims, &number) : NULL;
    if (!line || (kind == FENCE_INIT && line->emits)) {
        return;
    }
    if (kind == FENCE_INIT || kind == FENCE_EMIT) {
        if (kind == FENCE_EMIT && !line->emits && line->first != PF_NONE) {
            end_fence(im, now->ts, line);
            line->first = PF_NONE;
        }
        line->emits = kind == FENCE_EMIT;
        if (append(im, number, (pf_driver_entry){.a = seqno})) {
            begin_fence(im, now->ts, line);
        }
    } else if (line->first != PF_NONE && seqno >= im->system.lines.entry[line->first].a) {
        end_fence(im, now->ts, line);
        if (line->first != PF_NONE) {
            begin_fence(im, now->ts, line);
        }
    }
}

void pf_event_fence_wait(pf_import *im, const pf_ftrace_now *now)
{
    bool begin = now->event->kind == FENCE_WAIT_START;
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(3));
    const pf_system_arg args[] = {{"fence context", PF_VALUE_UINT, (uint32_t)f[1].value},
                                  {"fence seqno", PF_VALUE_UINT, (uint32_t)f[3].value}};
    uint32_t track = thread_track(im, now);
    pf_system_event(im, now->ts, begin ? 'B' : 'E', track, begin ? pf_import_word(im, "dma_fence_wait") : 0, 0, args,
                    begin ? PF_TAG_COUNT(args) : 0);
}

void pf_event_vblank(pf_import *im, const pf_ftrace_now *now)
{
    enum { SIGNAL = 409 };
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(3));
    const pf_system_arg seqno = {"vblank seqno", PF_VALUE_UINT, (uint32_t)f[3].value};
    const char *name = now->event->kind == SIGNAL ? "signal" : "deliver";
    pf_system_event(im, now->ts, 'i',
                    pf_system_track(im, PF_TRACK_DRM_VBLANK, PF_NONE, (pf_dims){(uint32_t)f[1].value}),
                    pf_import_word(im, name), 0, &seqno, 1);
}

static const char *command_name(uint32_t type)
{
    static const char *const FLAT[] = {"GET_DISPLAY_INFO",
                                       "RESOURCE_CREATE_2D",
                                       "RESOURCE_UNREF",
                                       "SET_SCANOUT",
                                       "RESOURCE_FLUSH",
                                       "TRANSFER_TO_HOST_2D",
                                       "RESOURCE_ATTACH_BACKING",
                                       "RESOURCE_DETACH_BACKING",
                                       "GET_CAPSET_INFO",
                                       "GET_CAPSET",
                                       "GET_EDID",
                                       "RESOURCE_ASSIGN_UUID",
                                       "RESOURCE_CREATE_BLOB",
                                       "SET_SCANOUT_BLOB"};
    static const char *const DEEP[] = {
        "CTX_CREATE",         "CTX_DESTROY",         "CTX_ATTACH_RESOURCE",   "CTX_DETACH_RESOURCE",
        "RESOURCE_CREATE_3D", "TRANSFER_TO_HOST_3D", "TRANSFER_FROM_HOST_3D", "SUBMIT_3D",
        "RESOURCE_MAP_BLOB",  "RESOURCE_UNMAP_BLOB"};
    static const char *const CURSOR[] = {"UPDATE_CURSOR", "MOVE_CURSOR"};
    uint32_t i = type & 0xff;
    return type >> 8 == 1 && i < PF_TAG_COUNT(FLAT)     ? FLAT[i]
           : type >> 8 == 2 && i < PF_TAG_COUNT(DEEP)   ? DEEP[i]
           : type >> 8 == 3 && i < PF_TAG_COUNT(CURSOR) ? CURSOR[i]
                                                        : "";
}

/* Commands with a fence are answered when it is reached, which says nothing of latency. */
void pf_event_virtio_gpu(pf_import *im, const pf_ftrace_now *now)
{
    enum { QUEUE = 468 };
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(3), PF_AT_BYTES(5), PF_AT_VARINT(6), PF_AT_VARINT(7),
                     PF_AT_VARINT(8));
    const pf_str queue = pf_field_text(&f[5]);
    const char *name = pf_str_is(queue, "control") ? "Control" : pf_str_is(queue, "cursor") ? "Cursor" : NULL;
    if (!name) {
        return;
    }
    const pf_dims dims = {pf_import_word(im, name)};
    pf_system_sample(im, now->ts, pf_system_track(im, PF_TRACK_VIRTGPU_FREE, PF_NONE, dims),
                     (double)(uint32_t)f[6].value);
    const pf_cookie cookie = {PF_TRACK_VIRTGPU_QUEUE, PF_NONE, (uint32_t)dims[0], (uint32_t)f[7].value, false};
    pf_cookie_state *s = pf_system_cookie(im, &cookie);
    bool begin = now->event->kind == QUEUE;
    uint32_t type = begin ? pf_import_word(im, command_name((uint32_t)f[8].value)) : 0;
    pf_system_event(im, now->ts, begin ? 'B' : 'E', s ? s->track : PF_NONE, type, 0, NULL, 0);
    if (s && begin && !f[3].value) {
        s->begins = 1;
        s->last_begin = now->ts;
    } else if (s && !begin && s->begins) {
        s->begins = 0;
        pf_system_sample(im, now->ts, pf_system_track(im, PF_TRACK_VIRTGPU_LATENCY, PF_NONE, dims),
                         (double)(now->ts - s->last_begin));
    }
}

void pf_event_dma_heap(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3));
    int64_t len = (int64_t)f[2].value;
    const pf_dims none = {0};
    const pf_system_arg inode = {"inode", PF_VALUE_UINT, (int64_t)f[1].value};
    /* An event of its own, too: copies of a trace keep the order of samples that have one. */
    pf_system_sample_with(im, now->ts, pf_system_track(im, PF_TRACK_DMA_HEAP, PF_NONE, none), (double)f[3].value,
                          &inode, 0);
    uint32_t utid = pf_lives_thread(im, now->event->tid);
    uint32_t track = utid == PF_NONE ? PF_NONE : pf_system_track(im, PF_TRACK_DMA_HEAP_CHANGE, utid, none);
    pf_system_sample_with(im, now->ts, track, (double)len, &inode, 1);
    im->scratch.len = 0;
    pf_buffer_format(&im->scratch, "%lld kB", (long long)len / 1024);
    uint32_t name = len > 0 ? pf_import_scratch(im) : 0;
    const pf_cookie cookie = {PF_TRACK_DMA_ALLOCATIONS, PF_NONE, 0, (int64_t)f[1].value, false};
    pf_cookie_state *s = pf_system_cookie(im, &cookie);
    pf_system_event(im, now->ts, len > 0 ? 'B' : 'E', s ? s->track : PF_NONE, name, 0, NULL, 0);
}

/* Pages of the allocation that the thread is in. */
static pf_driver_pages *pages_of(pf_import *im, uint32_t utid)
{
    pf_driver_lines *l = &im->system.lines;
    uint32_t i = pf_map_get(&l->pages_of, utid);
    if (i == PF_NONE && PF_LIST_ROOM(&im->t->budget, l->pages, l->page_count + 1, l->page_room, im->err) == PF_OK) {
        i = l->page_count++;
        l->pages[i] = (pf_driver_pages){0};
        pf_import_put(im, &l->pages_of, utid, i);
    }
    return pf_import_failed(im) ? NULL : &l->pages[i];
}

static pf_system_arg number(const char *key, uint64_t value)
{
    return (pf_system_arg){key, PF_VALUE_UINT, (int64_t)value};
}

/* Before 6.1 one event says all of it. */
static size_t info_args(pf_import *im, pf_cursor c, pf_system_arg *args)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4), PF_AT_VARINT(5), PF_AT_BYTES(6),
                     PF_AT_VARINT(7), PF_AT_VARINT(8), PF_AT_VARINT(9), PF_AT_VARINT(10));
    const pf_system_arg all[] = {{"cma_name", PF_VALUE_STRING, pf_import_text(im, pf_field_text(&f[6]))},
                                 number("cma_pfn", f[10].value),
                                 number("cma_req_pages", (uint32_t)f[2].value),
                                 number("cma_nr_migrated", f[8].value),
                                 number("cma_nr_reclaimed", f[9].value),
                                 number("cma_nr_mapped", f[7].value),
                                 number("cma_nr_isolate_fail", (uint32_t)f[3].value),
                                 number("cma_nr_migrate_fail", (uint32_t)f[4].value),
                                 number("cma_nr_test_fail", (uint32_t)f[5].value)};
    memcpy(args, all, sizeof all);
    return PF_TAG_COUNT(all);
}

static size_t finish_args(pf_import *im, pf_cursor c, const pf_driver_pages *p, pf_system_arg *args)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(1), PF_AT_VARINT(2), PF_AT_VARINT(4));
    const pf_system_arg all[] = {{"cma_name", PF_VALUE_STRING, pf_import_text(im, pf_field_text(&f[1]))},
                                 number("cma_pfn", f[2].value),
                                 number("cma_req_pages", f[4].value),
                                 number("cma_nr_migrated", p->migrated),
                                 number("cma_nr_reclaimed", p->reclaimed),
                                 number("cma_nr_mapped", p->mapped)};
    memcpy(args, all, sizeof all);
    return PF_TAG_COUNT(all);
}

enum { CMA_START = 465, CMA_INFO = 466, CMA_MIGRATED = 577 };
enum { WITH_INFO = 5 << 8 | 10, WITH_FINISH = 6 << 8 | 1 }; /* kernels */

void pf_event_cma(pf_import *im, const pf_ftrace_now *now)
{
    uint32_t kind = now->event->kind, kernel = im->ftrace->kernel;
    bool late = kernel >= WITH_FINISH, fits = kind == CMA_START || (kind == CMA_INFO) != late;
    uint32_t utid = fits && kernel >= WITH_INFO ? pf_lives_thread(im, now->event->tid) : PF_NONE;
    pf_driver_pages *pages = utid == PF_NONE ? NULL : pages_of(im, utid);
    pf_system_arg args[PF_SYSTEM_ARGS_MAX];
    if (!pages) {
        return;
    }
    if (kind == CMA_MIGRATED) {
        PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(3), PF_AT_VARINT(4), PF_AT_VARINT(5));
        *pages = (pf_driver_pages){f[3].value, f[4].value, f[5].value};
    } else if (kind == CMA_START) {
        *pages = (pf_driver_pages){0};
        pf_system_event(im, now->ts, 'B', thread_track(im, now), pf_import_word(im, "mm_cma_alloc"), 0, NULL, 0);
    } else {
        size_t count = kind == CMA_INFO ? info_args(im, now->fields, args) : finish_args(im, now->fields, pages, args);
        pf_system_event(im, now->ts, 'E', thread_track(im, now), 0, 0, args, count);
    }
}
