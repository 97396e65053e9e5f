/* read/perfetto/ftrace/queues.c - bundles and packets into queues, in file order.
 *
 * Queues are numbered as they are made, because ties between them are decided by their numbers: number 0 holds packets,
 * the events of tracks would have number 1, and the first entry of a kind on a cpu makes a queue of that kind for it
 * and for all cpus of smaller numbers. Times become those of the trace here, while the clocks are as they were at this
 * place of the file.
 */
#include "base/list.h"
#include "perfetto/fields.h"
#include "read/perfetto/ftrace/ftrace.h"
#include "read/perfetto/system/system.h"

enum { CLOCK_UNKNOWN = 1, CLOCK_GLOBAL, CLOCK_LOCAL, CLOCK_MONO_RAW }; /* ftrace_clock */
#define TRACK_EVENTS 1u                                                /* the number that no queue here has */

/* ---- life -------------------------------------------------------------------------------------------------------- */

static uint32_t add_queue(pf_import *im, pf_queue_kind kind, uint32_t cpu)
{
    pf_ftrace *f = im->ftrace;
    if (pf_import_failed(im) ||
        PF_LIST_ROOM(&im->t->budget, f->queue, f->queues + 1, f->queue_room, im->err) != PF_OK) {
        return PF_NONE;
    }
    f->queue[f->queues] = (pf_ftrace_queue){.kind = kind, .cpu = cpu, .last = INT64_MIN};
    return f->queues++;
}

pf_ftrace *pf_ftrace_begin(pf_import *im)
{
    if (!im->ftrace && !pf_import_failed(im)) {
        im->ftrace = pf_alloc_zero(&im->t->budget, 1, sizeof *im->ftrace);
        if (!im->ftrace) {
            pf_import_refuse(im, sizeof *im->ftrace);
            return NULL;
        }
        im->ftrace->bundle.budget = &im->t->budget;
        im->ftrace->latest_start = INT64_MIN;
        pf_map_init(&im->ftrace->described, &im->t->budget);
        (void)add_queue(im, PF_QUEUE_PACKETS, 0);
        (void)add_queue(im, PF_QUEUE_PACKETS, TRACK_EVENTS);
    }
    return pf_import_failed(im) ? NULL : im->ftrace;
}

void pf_ftrace_free(pf_import *im)
{
    pf_ftrace *f = im->ftrace;
    pf_budget *b = &im->t->budget;
    if (!f) {
        return;
    }
    for (uint32_t i = 0; i < f->queues; i++) {
        PF_LIST_FREE(b, f->queue[i].part, f->queue[i].part_room);
        pf_release(b, f->queue[i].of.any,
                   f->queue[i].room * pf_queue_entry_size(f->queue[i].kind) - f->queue[i].returned);
    }
    for (uint32_t i = 0; i < f->copies; i++) {
        pf_release(b, (void *)(uintptr_t)f->copy[i].ptr, f->copy[i].len);
    }
    PF_LIST_FREE(b, f->queue, f->queue_room);
    PF_LIST_FREE(b, f->text, f->text_room);
    PF_LIST_FREE(b, f->packet, f->packet_room);
    PF_LIST_FREE(b, f->symbols, f->bundle_room);
    PF_LIST_FREE(b, f->copy, f->copy_room);
    pf_release(b, f->state_text, f->state_text ? PF_FTRACE_STATES * sizeof *f->state_text : 0);
    PF_LIST_FREE(b, f->descriptor, f->descriptor_room);
    pf_map_free(&f->described);
    pf_ftrace_bundle_free(&f->bundle);
    pf_release(b, f, sizeof *f);
    im->ftrace = NULL;
}

/* The queue of a kind on a cpu; NULL after an error. Valid until the next one. */
static pf_ftrace_queue *queue_for(pf_import *im, pf_queue_kind kind, uint32_t cpu)
{
    pf_ftrace *f = im->ftrace;
    for (; f->cpus_of[kind] <= cpu; f->cpus_of[kind]++) {
        uint32_t number = add_queue(im, kind, f->cpus_of[kind]);
        if (number == PF_NONE) {
            return NULL;
        }
        f->queue_of[kind][f->cpus_of[kind]] = number;
    }
    return &f->queue[f->queue_of[kind][cpu]];
}

/* Makes entries of what the queue has, and room for more; false after an error. */
static bool make_room(pf_import *im, pf_ftrace_queue *q, uint32_t more)
{
    uint64_t need = (uint64_t)q->count + q->in_parts + more;
    return (q->parts == 0 || pf_parts_expand(im, q)) &&
           (need <= q->room || pf_list_grow(&im->t->budget, &q->of.any, pf_queue_entry_size(q->kind), need, &q->room,
                                            sizeof q->room, im->err) == PF_OK);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

/* A bundle, and how its times become those of the trace. */
typedef struct times {
    pf_import *im;
    const pf_packet *p;
    const pf_ftrace_bundle *b;
    pf_str bytes; /* of the packet, which stay; ptr NULL: nobody asked for them yet */
    pf_clock_key key;
    pf_clock_known known;
    bool is_known;
    uint64_t offset;
} times;

static bool convert(times *c, int64_t value, int64_t *ns)
{
    pf_import *im = c->im;
    if (c->is_known && pf_clock_convert_known(&c->known, (uint64_t)value, ns)) {
        return true;
    }
    pf_clock_outcome outcome = pf_clocks_convert(&im->clocks, c->key, value, ns);
    c->is_known = outcome == PF_CLOCK_OK && pf_clocks_last(&im->clocks, c->key, &c->known);
    if (outcome == PF_CLOCK_NO_MEMORY) {
        pf_import_refuse(im, 1u << 12);
    } else if (outcome != PF_CLOCK_OK) {
        bool knows = pf_clocks_knows(&im->clocks, c->key);
        pf_trace_count(im->t, knows ? PF_STAT_CLOCK_NO_PATH : PF_STAT_CLOCK_UNKNOWN, c->offset);
    }
    return outcome == PF_CLOCK_OK;
}

/* Notes the time of the entry that is added to q next; false if it is none of the trace. */
static inline bool take_time(times *c, pf_ftrace_queue *q, int64_t ns)
{
    if (ns < 0) {
        pf_trace_count(c->im->t, PF_STAT_NEGATIVE_TS, c->offset);
        return false;
    }
    q->unordered |= ns < q->last;
    q->last = ns;
    return true;
}

/* A bundle may say how its clock and the boot clock relate. */
static void take_pair(pf_import *im, const pf_ftrace_bundle *b, pf_clock_key key)
{
    pf_ftrace *f = im->ftrace;
    if (!b->clock || !b->has_pair || (f->has_pair && f->pair_last == b->pair_ftrace)) {
        return;
    }
    f->has_pair = true;
    f->pair_last = b->pair_ftrace;
    const pf_clock_reading readings[] = {{.clock = key, .timestamp = (uint64_t)b->pair_ftrace},
                                         {.clock = {PF_CLOCK_BOOTTIME, 0}, .timestamp = (uint64_t)b->pair_boot}};
    pf_clock_outcome outcome = pf_clocks_snapshot(&im->clocks, readings, 2, 0);
    if (outcome == PF_CLOCK_NO_MEMORY) {
        pf_import_refuse(im, 1u << 12);
    } else if (outcome == PF_CLOCK_INVALID) {
        pf_trace_count(im->t, PF_STAT_CLOCK_INVALID_SNAPSHOT, PF_NOWHERE);
    }
}

/* ---- bundles ----------------------------------------------------------------------------------------------------- */

static pf_str copy_of(pf_import *im, const pf_field *data)
{
    pf_ftrace *f = im->ftrace;
    pf_budget *budget = &im->t->budget;
    if (PF_LIST_ROOM(budget, f->copy, f->copies + 1, f->copy_room, im->err) != PF_OK) {
        return (pf_str){NULL, 0};
    }
    char *copy = pf_alloc(budget, data->len);
    if (!copy) {
        pf_import_refuse(im, data->len);
        return (pf_str){NULL, 0};
    }
    memcpy(copy, data->bytes, data->len);
    f->copy[f->copies++] = (pf_str){copy, data->len};
    return f->copy[f->copies - 1];
}

/* Bytes of the bundle that stay until everything was applied; NULL after an error. */
static const uint8_t *keep(times *c)
{
    pf_import *im = c->im;
    const pf_field *data = &c->p->data;
    if (!c->bytes.ptr && !pf_import_failed(im)) {
        c->bytes = im->span.stable || data->len == 0 ? pf_field_text(data) : copy_of(im, data);
    }
    return (const uint8_t *)c->bytes.ptr;
}

/* Whether a list can be a part: what times would be is known, and has no effect on those of other packets. */
static bool has_known_times(times *c, int64_t first, int64_t last, int64_t *from)
{
    int64_t to;
    if (c->key.id == PF_CLOCK_SEQUENCE_FIRST) {
        return false;
    }
    if (!c->is_known) {
        pf_clock_outcome outcome = pf_clocks_convert(&c->im->clocks, c->key, first, from);
        c->is_known = outcome == PF_CLOCK_OK && pf_clocks_last(&c->im->clocks, c->key, &c->known);
    }
    return c->is_known && !c->known.running && pf_clock_peek_known(&c->known, (uint64_t)first, from) &&
           pf_clock_peek_known(&c->known, (uint64_t)last, &to) && *from >= 0 && to >= *from &&
           (uint64_t)(to - *from) == (uint64_t)last - (uint64_t)first;
}

/* Entries of a bundle as a part of the queue; from: the time of its first one, which the bundle calls `first`. */
static void add_part(times *c, pf_ftrace_queue *q, int64_t first, int64_t last, int64_t from, pf_part part)
{
    pf_import *im = c->im;
    part.shift = (int64_t)((uint64_t)from - (uint64_t)first);
    part.first = from;
    part.last = (int64_t)((uint64_t)last + (uint64_t)part.shift);
    if (part.bytes && PF_LIST_ROOM(&im->t->budget, q->part, q->parts + 1, q->part_room, im->err) == PF_OK) {
        q->unordered |= part.first < q->last;
        q->last = part.last;
        q->part[q->parts++] = part;
        q->in_parts += part.count;
    }
}

/* A list of entries in order and without damage is a part of the queue; false: they have to be entries of it. */
static bool take_part(times *c, pf_ftrace_queue *q, const pf_sched_list *l, uint32_t texts)
{
    int64_t from;
    bool fits = q->count == 0 && l->ordered && !l->damaged && l->count <= PF_PART_MOST &&
                has_known_times(c, l->first, l->last, &from);
    if (fits) {
        const pf_part part = {.bytes = keep(c), .len = c->p->data.len, .count = l->count, .texts = texts};
        add_part(c, q, l->first, l->last, from, part);
    }
    return fits;
}

/* The list with its entries; NULL after an error. */
static const pf_sched_list *read_list(times *c, pf_queue_kind kind, const pf_sched_list *l)
{
    pf_ftrace_bundle *b = &c->im->ftrace->bundle;
    const pf_field *data = &c->p->data;
    if (!l->measured) {
        return l;
    }
    pf_status st = pf_ftrace_decode_lists(data->bytes, data->len, 1u << kind, b, c->im->err);
    return st != PF_OK ? NULL : kind == PF_QUEUE_SWITCHES ? &b->switches : &b->wakings;
}

/* A damaged list counts once; the entries in front of the fault are good. Whether it is a part. */
static bool take_list(times *c, pf_queue_kind kind, const pf_sched_list *l, uint32_t texts)
{
    pf_import *im = c->im;
    pf_ftrace_queue *q = l->count ? queue_for(im, kind, c->b->cpu) : NULL;
    if (l->damaged) {
        pf_trace_count(im->t, PF_STAT_COMPACT_SCHED_ERRORS, c->offset);
    }
    if (!q || take_part(c, q, l, texts)) {
        return q;
    }
    l = read_list(c, kind, l);
    bool fine = l && make_room(im, q, l->count);
    for (uint32_t i = 0; fine && i < l->count; i++) {
        int64_t ns;
        fine = convert(c, l->entry[i].ts, &ns);
        if (fine && take_time(c, q, ns)) {
            pf_sched_entry *e = &q->of.entry[q->count++];
            *e = l->entry[i];
            e->ts = ns;
            e->comm = im->ftrace->text[texts + e->comm];
        }
    }
    return false;
}

static void take_compact(times *c)
{
    pf_import *im = c->im;
    pf_ftrace *f = im->ftrace;
    const pf_ftrace_bundle *b = c->b;
    uint32_t texts = f->texts;
    if (pf_import_failed(im) ||
        PF_LIST_ROOM(&im->t->budget, f->text, (uint64_t)texts + b->comm_count, f->text_room, im->err) != PF_OK) {
        return;
    }
    for (uint32_t i = 0; i < b->comm_count; i++) {
        f->text[f->texts++] = pf_import_text(im, b->comm[i]);
    }
    bool needed = take_list(c, PF_QUEUE_SWITCHES, &b->switches, texts);
    needed |= take_list(c, PF_QUEUE_WAKINGS, &b->wakings, texts);
    f->texts = needed ? f->texts : texts;
}

/* Events in order are parts of the queue; false: they have to be entries of it. */
static bool take_groups(times *c, pf_ftrace_queue *q)
{
    const pf_ftrace_bundle *b = c->b;
    const pf_field *data = &c->p->data;
    int64_t first = b->events_first, from;
    if (!b->events_ordered || q->count > 0 || !has_known_times(c, first, b->events_last, &from)) {
        return false;
    }
    const uint8_t *bytes = keep(c);
    for (uint32_t i = 0, next; i < b->groups && bytes; i++) {
        const pf_event_group *g = &b->group[i];
        const uint8_t *end = i + 1 < b->groups ? g[1].at : data->bytes + data->len;
        next = i + 1 < b->groups ? g[1].first : b->event_count;
        if (next > g->first) {
            add_part(c, q, g->first_ts, g->last_ts, (int64_t)((uint64_t)from + (uint64_t)g->first_ts - (uint64_t)first),
                     (pf_part){.bytes = bytes + (g->at - data->bytes),
                               .len = (uint32_t)(end - g->at),
                               .count = next - g->first,
                               .bundle = c->im->ftrace->bundles - 1,
                               .beyond = (uint32_t)(data->bytes + data->len - end)});
        }
    }
    return true;
}

/* The bundle with its events; NULL after an error. */
static const pf_ftrace_bundle *with_events(const times *c)
{
    const pf_field *data = &c->p->data;
    pf_ftrace_bundle *b = &c->im->ftrace->bundle;
    if (c->b->kept > 0) {
        return c->b;
    }
    return pf_ftrace_decode_lists(data->bytes, data->len, PF_BUNDLE_EVENTS, b, c->im->err) == PF_OK ? b : NULL;
}

static void take_events(times *c)
{
    pf_import *im = c->im;
    pf_ftrace *f = im->ftrace;
    const pf_ftrace_bundle *b = c->b;
    pf_ftrace_queue *q = b->event_count ? queue_for(im, PF_QUEUE_EVENTS, b->cpu) : NULL;
    if (!q || PF_LIST_ROOM(&im->t->budget, f->symbols, f->bundles + 1, f->bundle_room, im->err) != PF_OK) {
        return;
    }
    f->symbols[f->bundles++] = c->p->q ? c->p->q->generation : NULL;
    if (take_groups(c, q)) {
        return;
    }
    b = with_events(c);
    const uint8_t *bytes = b && make_room(im, q, b->event_count) ? keep(c) : NULL;
    for (uint32_t i = 0; bytes && i < b->event_count; i++) {
        int64_t ns;
        if (convert(c, b->event[i].ts, &ns) && take_time(c, q, ns)) {
            pf_ftrace_event *e = &q->of.event[q->count++];
            *e = b->event[i];
            e->ts = ns;
            e->bundle = f->bundles - 1;
            e->body = bytes + (e->body - c->p->data.bytes);
        }
    }
}

/* The first descriptor of an event counts. */
static void take_descriptors(pf_import *im, pf_cursor c)
{
    enum { NUMBER = 1, DESCRIPTOR = 2 };
    pf_ftrace *f = im->ftrace;
    pf_field entry;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_FTRACE_DESCRIPTORS), &entry)) {
        PF_CURSOR_FIELDS(d, pf_field_cursor(&entry), PF_AT_VARINT(NUMBER), PF_AT_BYTES(DESCRIPTOR));
        if (pf_map_get(&f->described, d[NUMBER].value) == PF_NONE && !pf_import_failed(im) &&
            PF_LIST_ROOM(&im->t->budget, f->descriptor, f->descriptors + 1, f->descriptor_room, im->err) == PF_OK) {
            f->descriptor[f->descriptors] = d[DESCRIPTOR];
            pf_import_put(im, &f->described, d[NUMBER].value, f->descriptors++);
        }
    }
}

static void begin_cpu(pf_import *im, times *c)
{
    pf_ftrace *f = im->ftrace;
    pf_ftrace_cpu *cpu = &f->cpu[c->b->cpu];
    int64_t ns;
    if (!cpu->begun && c->b->has_start && convert(c, c->b->start, &ns)) {
        if (ns > f->latest_start) {
            f->latest_start = ns;
            pf_import_set_number(im, "ftrace_latest_data_start_ns", ns);
        }
    }
    cpu->begun = true;
}

static void count_faults(pf_import *im, const pf_ftrace_bundle *b, const pf_record *r)
{
    uint64_t offset = pf_import_offset(im, r);
    if (b->lost_events) {
        pf_system_stat(im, r, PF_STAT_FTRACE_CPU_LOSS, b->cpu, 1);
    }
    for (uint32_t i = 0; i < b->untimed; i++) {
        pf_trace_count(im->t, PF_STAT_FTRACE_BUNDLE, offset);
    }
    for (uint32_t i = 0; i < b->unnamed; i++) {
        pf_trace_count(im->t, PF_STAT_FTRACE_MISSING_EVENT, offset);
    }
}

/* The packet's bundle, which is decoded here if nobody did before; NULL after an error. */
static const pf_ftrace_bundle *bundle_of(pf_import *im, const pf_packet *p)
{
    pf_ftrace *f = pf_ftrace_begin(im);
    if (!f || p->r->bundle) {
        return f ? p->r->bundle : NULL;
    }
    return pf_ftrace_decode(p->data.bytes, p->data.len, &f->bundle, im->err) == PF_OK ? &f->bundle : NULL;
}

void pf_ftrace_take(pf_import *im, const pf_packet *p)
{
    const pf_ftrace_bundle *b = bundle_of(im, p);
    uint64_t offset = pf_import_offset(im, p->r);
    if (!b) {
        return;
    }
    if (!b->has_cpu || b->cpu >= PF_FTRACE_CPUS || b->clock > CLOCK_MONO_RAW || b->clock == CLOCK_UNKNOWN) {
        pf_trace_count(im->t, PF_STAT_FTRACE_BUNDLE, offset);
        return;
    }
    static const uint32_t clocks[] = {[0] = PF_CLOCK_BOOTTIME,
                                      [CLOCK_GLOBAL] = PF_CLOCK_SEQUENCE_FIRST,
                                      [CLOCK_LOCAL] = PF_CLOCK_SEQUENCE_FIRST,
                                      [CLOCK_MONO_RAW] = PF_CLOCK_MONOTONIC_RAW};
    uint32_t id = clocks[b->clock];
    times c = {
        .im = im, .p = p, .b = b, .key = {id, id == PF_CLOCK_SEQUENCE_FIRST ? p->r->sequence : 0}, .offset = offset};
    take_pair(im, b, c.key);
    begin_cpu(im, &c);
    count_faults(im, b, p->r);
    take_compact(&c);
    take_events(&c);
    const uint8_t *bytes = b->has_descriptors ? keep(&c) : NULL;
    if (bytes) {
        take_descriptors(im, pf_cursor_over(bytes, p->data.len));
    }
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static void add_turn(pf_import *im, uint32_t queue, int64_t ts, uint32_t packet)
{
    pf_ftrace_queue *q = &im->ftrace->queue[queue];
    if (!pf_import_failed(im) && PF_LIST_ROOM(&im->t->budget, q->of.turn, q->count + 1, q->room, im->err) == PF_OK) {
        q->unordered |= ts < q->last;
        q->last = ts;
        q->of.turn[q->count++] = (pf_turn){ts, packet};
    }
}

void pf_ftrace_note_packet(pf_import *im, const pf_moment *at)
{
    if (at->when == PF_WHEN_KNOWN && at->ts >= 0) {
        add_turn(im, 0, at->ts, PF_NONE);
    }
}

void pf_ftrace_note_events(pf_import *im)
{
    const pf_trace *t = im->t;
    for (uint32_t i = im->moves.first_event; i < t->events.count; i++) {
        if (t->events.phase[i] != 'M' && t->events.ts[i] >= 0) {
            add_turn(im, TRACK_EVENTS, t->events.ts[i], PF_NONE);
        }
    }
}

void pf_ftrace_put_off(pf_import *im, const pf_packet *p, void (*take)(pf_import *im, const pf_packet *p))
{
    pf_ftrace *f = im->ftrace;
    pf_put_off off = {.take = take, .record = *p->r, .data = p->data, .offset = pf_import_offset(im, p->r)};
    pf_moment at = *p->at;
    if (at.when == PF_WHEN_LATER) {
        pf_import_retry(im, &at, off.offset);
    }
    if (pf_import_now(im, &at) < 0) {
        pf_import_count(im, p->r, PF_STAT_NEGATIVE_TS);
        return;
    }
    off.data.bytes = off.record.packet = pf_import_keep(im, &p->data);
    if (!pf_import_failed(im) &&
        PF_LIST_ROOM(&im->t->budget, f->packet, f->packets + 1, f->packet_room, im->err) == PF_OK) {
        f->packet[f->packets] = off;
        add_turn(im, 0, pf_import_now(im, &at), f->packets++);
    }
}
