/* analyze/aiu/ingest/aiu_ingest.c - from the trace to the store of events.
 *
 * Events of each input are paired in file order: a begin waits on the stack of its thread until an end of its name
 * comes. Then the inputs are merged by time; events of one input keep their order, as the counters of one job rely on
 * it. What is no slice passes as it is.
 *
 * Packets are written track by track: of inputs that are no JSON the order is that of the document that they were
 * converted from, else that of time.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/aiu/facts/aiu_parts.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "base/list.h"
#include "base/prefault.h"
#include "base/text/number.h"
#include "model/trace/event_pairs.h"

typedef struct pairing {
    aiu_run *run;
    const pf_events *in;
    pf_event_pairs of; /* outer: or LEFT_OUT */
    uint32_t *order; /* the rows of all inputs, each input's in the order in which they are taken; NULL: as they are */
    uint64_t unmatched;
    uint32_t hint; /* pf_trace_end_is_silent */
    pf_json_samples counters;
} pairing;

/* A begin that found no end is of no use, like an end without begin; a row that says nothing of its own. */
#define LEFT_OUT PF_NONE

static void prepare(pairing *p)
{
    aiu_run *run = p->run;
    size_t tracks = (size_t)pf_trace_tracks(run->trace)->count + 1;
    p->in = pf_trace_events(run->trace);
    p->of.t = run->trace;
    p->of.open = pf_aiu_alloc(run, 2 * tracks, sizeof *p->of.open);
    p->of.outer = p->of.open ? pf_alloc_zero(run->budget, p->in->count + 1, sizeof *p->of.outer) : NULL;
    if (p->of.outer) {
        pf_touch(p->of.outer,
                 p->in->count * sizeof *p->of.outer); /* what is read before it is written would be mapped twice */
        p->of.early = p->of.open + tracks;
        memset(p->of.open, 0xFF, 2 * tracks * sizeof *p->of.open);
    } else if (p->of.open) {
        pf_budget_refused(run->budget, p->in->count * sizeof *p->of.outer, &run->error);
    }
}

/* An end that was met before its begin makes a slice of negative length, as it does where JSON lists them so. */
static void join_reversed(pairing *p, uint32_t track)
{
    enum { FAR = 64 };
    for (uint32_t *link = &p->of.open[track]; *link != PF_NONE;) {
        uint32_t begin = *link, *end = &p->of.early[track];
        for (unsigned n = 0; *end != PF_NONE && n < FAR && p->in->name[*end] != p->in->name[begin]; n++) {
            end = &p->of.outer[*end];
        }
        if (*end != PF_NONE && p->in->name[*end] == p->in->name[begin]) {
            uint32_t row = pf_event_pairs_pull(&p->of, end);
            pf_event_pairs_join(&p->of, pf_event_pairs_pull(&p->of, link), row);
        } else {
            link = &p->of.outer[begin];
        }
    }
}

static void leave_out(pairing *p, uint32_t first)
{
    for (uint32_t row = first; row != PF_NONE;) {
        uint32_t next = p->of.outer[row];
        p->of.outer[row] = LEFT_OUT;
        p->unmatched++;
        row = next;
    }
}

static void pair_input(pairing *p, const aiu_job *job)
{
    const pf_input *input = pf_trace_input(p->run->trace, job->input);
    for (uint32_t i = input->first_event; i < input->first_event + input->events; i++) {
        uint32_t row = job->placed ? p->order[i] : i;
        uint8_t phase = p->of.outer[row] == LEFT_OUT ? 0 : p->in->phase[row];
        if (phase == 'B' || phase == 'E') {
            pf_event_pairs_add(&p->of, row);
        }
    }
    for (uint32_t t = 0; t < pf_trace_tracks(p->run->trace)->count; t++) {
        if (job->by_time) {
            join_reversed(p, t);
        }
        leave_out(p, p->of.open[t]);
        leave_out(p, p->of.early[t]);
        p->of.open[t] = p->of.early[t] = PF_NONE;
    }
}

typedef struct track_ids {
    int64_t pid, tid;
} track_ids;

/* Events of JSON may spell the id of a thread otherwise than its row does: 0 for a main thread, -1. What has no pid is
 * of process 0, as everywhere. */
static track_ids *read_ids(aiu_run *run)
{
    const pf_tracks *tracks = pf_trace_tracks(run->trace);
    const pf_threads *threads = pf_trace_threads(run->trace);
    const pf_processes *processes = pf_trace_processes(run->trace);
    track_ids *ids = pf_aiu_alloc(run, (size_t)tracks->count + 1, sizeof *ids);
    pf_str said;
    for (uint32_t i = 0; ids && i < tracks->count; i++) {
        uint32_t utid = tracks->utid[i], upid = tracks->upid[i];
        ids[i] = (track_ids){AIU_ID_NONE, AIU_ID_NONE};
        if (upid != PF_NONE) {
            uint8_t kind = processes->kind[upid];
            ids[i].pid =
                pf_aiu_id(run, kind == PF_ID_ABSENT ? PF_ID_INT : kind, processes->pid[upid], processes->text[upid]);
        }
        if (utid != PF_NONE) {
            int64_t *tid = &ids[i].tid, number;
            *tid = pf_aiu_id(run, threads->kind[utid], threads->tid[utid], threads->text[utid]);
            if (pf_trace_said_tid(run->trace, utid, &said) && said.ptr) {
                *tid = pf_parse_int(said.ptr, said.len, &number) ? number : said.len ? *tid : AIU_ID_NONE;
            }
        }
    }
    return ids;
}

/* Where the reading of an input is. */
typedef struct head {
    uint32_t at, end, job, row;
    int64_t ts;
    uint64_t place; /* of equal times the lower one is first */
} head;

static bool is_begin_or_other(const pairing *p, uint32_t row)
{
    return p->in->phase[row] != 'E' && p->in->phase[row] != PF_PHASE_LEFT_OUT && p->of.outer[row] != LEFT_OUT;
}

/* Steps to the next event that counts; false at the end. */
static bool step(const pairing *p, head *h)
{
    const aiu_parts *parts = p->run->parts;
    if (parts) {
        h->row = h->at;
        h->ts = h->at < h->end ? parts->ts[h->at] : 0;
        return h->at < h->end;
    }
    for (; h->at < h->end; h->at++) {
        h->row = p->order ? p->order[h->at] : h->at;
        if (is_begin_or_other(p, h->row)) {
            h->ts = p->in->phase[h->row] & PF_PHASE_BAD_TS ? 0 : p->in->ts[h->row];
            return true;
        }
    }
    return false;
}

static bool is_earlier(const head *a, const head *b)
{
    return a->ts < b->ts || (a->ts == b->ts && a->place < b->place);
}

/* Restores the heap below place i. */
static void sink(head *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        child += child + 1 < count && is_earlier(&heap[child + 1], &heap[child]);
        if (!is_earlier(&heap[child], &heap[i])) {
            return;
        }
        head swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

/* The length of a slice in us. Where begin and end came apart, their times are each rounded to a double, as in the
 * input's own unit; what was a whole slice before a conversion had its length in one number. */
static double length_of(pairing *p, const aiu_job *job, uint32_t event, double ts)
{
    aiu_run *run = p->run;
    uint32_t row = run->events.row[event], end = p->in->phase[row] == 'B' ? p->of.outer[row] : PF_NONE;
    int64_t length = end != PF_NONE                           ? p->in->ts[end] - p->in->ts[row]
                     : p->in->phase[row] == 'X' && p->in->dur ? p->in->dur[row]
                                                              : 0;
    bool whole = end == PF_NONE || (job->by_time && length >= 0 && pf_trace_end_is_silent(run->trace, end, &p->hint));
    run->events.flags[event] |= whole ? 0 : AIU_APART;
    if (run->lengths) {
        run->lengths[event] = length;
    }
    return whole ? (double)length / 1000.0 : pf_aiu_us(run, p->in->ts[end]) - ts;
}

/* An id that was written otherwise than the row has it: a number, or JSON. */
static void note_id(aiu_run *run, const pf_origin *o, pf_member member, int64_t *id)
{
    bool is_text = o->member[member].form == PF_FORM_TEXT;
    pf_str text = o->member[member].text;
    if (o->member[member].form == PF_FORM_INTEGER) {
        *id = o->member[member].number;
    } else if (is_text && (!text.len || (text.len > 1 && text.ptr[0] == '"'))) {
        *id = text.len ? AIU_ID_TEXT | (int64_t)pf_aiu_text(run, (pf_str){text.ptr + 1, text.len - 2}) : AIU_ID_NONE;
    }
}

/* What the input said otherwise than its row does: no time, another spelling of the thread. */
static void apply_note(aiu_run *run, uint32_t event, uint32_t row, int64_t *pid)
{
    pf_str note = pf_trace_origin(run->trace, row);
    bool noted = run->trace->want & PF_WANT_ORIGINS && run->events.phase[event] == 'M';
    if (note.len || noted) {
        const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
        bool untimed = noted && pf_trace_events(run->trace)->ts[row] == 0 && o.member[PF_MEMBER_TS].form == PF_FORM_ROW;
        run->events.flags[event] |= untimed ? AIU_NO_TIME : 0; /* a time of 0 that was written is noted */
        note_id(run, &o, PF_MEMBER_TID, &run->events.tid[event]);
        int64_t said = *pid;
        note_id(run, &o, PF_MEMBER_PID, &said);
        *pid = said == AIU_ID_NONE ? *pid : said;
    }
}

static void add_event(pairing *p, const head *h, const track_ids *ids)
{
    aiu_run *run = p->run;
    aiu_events *e = &run->events;
    const aiu_job *job = &run->jobs[h->job];
    uint32_t row = h->row;
    uint8_t phase = p->in->phase[row] & (uint8_t)~PF_PHASE_BAD_TS;
    uint32_t i = pf_aiu_add_event(run, phase == 'B' ? 'X' : phase);
    if (i == PF_NONE) {
        return;
    }
    track_ids id = ids[p->in->track[row]];
    e->row[i] = row;
    e->job[i] = h->job;
    e->flags[i] =
        (job->torch ? AIU_TORCH : 0) | AIU_SHOW_RANK | (p->in->phase[row] & PF_PHASE_BAD_TS ? AIU_NO_TIME : 0);
    e->ts[i] = pf_aiu_us(run, h->ts);
    e->dur[i] = length_of(p, job, i, e->ts[i]);
    e->tid[i] = id.tid;
    e->name[i] = pf_aiu_pool_text(run, p->in->name[row]);
    e->cat[i] = p->in->category ? pf_aiu_pool_text(run, p->in->category[row]) : 0;
    apply_note(run, i, row, &id.pid);
    pf_aiu_set_rank(run, i, id.pid);
    if (phase == 'C' && run->counters.count) {
        pf_aiu_take_counter(run, i, &p->counters);
    }
}

/* Of events at a time that of the first input comes first; in the original that of the input that was read last. */
static void merge_inputs(pairing *p)
{
    aiu_run *run = p->run;
    const aiu_parts *parts = run->parts;
    const track_ids *ids = parts ? NULL : read_ids(run);
    head *heap = pf_aiu_alloc(run, (size_t)run->job_count + 1, sizeof *heap);
    bool in_order = !pf_aiu_rule(run, AIU_LAST_INPUT_FIRST);
    uint64_t last = UINT64_MAX;
    size_t count = 0;
    uint32_t events = 0;
    for (uint32_t i = 0; i < run->job_count && heap; i++) {
        uint32_t first, end;
        if (parts) {
            first = parts->first[i];
            end = parts->end[i];
            events += end - first;
        } else {
            const pf_input *in = pf_trace_input(run->trace, run->jobs[i].input);
            first = in->first_event;
            end = run->jobs[i].ignored ? first : first + in->events;
            for (uint32_t row = first; row < end; row++) {
                events += is_begin_or_other(p, row);
            }
        }
        heap[count] = (head){.at = first, .end = end, .job = i, .place = in_order ? i : --last};
        count += step(p, &heap[count]);
    }
    pf_aiu_expect_events(run, events);
    run->lengths = run->keeps && !parts ? pf_aiu_alloc(run, events, sizeof *run->lengths) : NULL;
    for (size_t i = count; i-- > 0;) {
        sink(heap, count, i);
    }
    while (count && !pf_aiu_failed(run)) {
        if (parts) {
            pf_aiu_take_part(run, heap[0].job, heap[0].row);
        } else {
            add_event(p, &heap[0], ids);
        }
        heap[0].at++;
        heap[0].place = in_order ? heap[0].job : --last;
        if (!step(p, &heap[0])) {
            heap[0] = heap[--count];
        }
        sink(heap, count, 0);
        if (run->events.count % 65536 == 0) {
            pf_pass_poll(run->ctx, &run->error);
        }
    }
}

typedef struct odd_lengths {
    uint64_t negative, zero;
    uint64_t counted;   /* of zero: those whose cycle counters moved */
    uint32_t last_zero; /* event */
} odd_lengths;

static void say_lengths(aiu_run *run, const odd_lengths *odd)
{
    pf_aiu_warn(run, "Ingestion: detected negative duration event(s). Events ignored:", odd->negative, "");
    if (odd->zero) {
        pf_str name = run->jobs[run->events.job[odd->last_zero]].name;
        pf_aiu_log(run, "WARNING",
                   "Ingestion: ..%.*s Detected 'CompleteEvent' type (ph=X) with zero duration. This should be an "
                   "'InstantEvent' type (ph=i). Events: %" PRIu64,
                   PF_TEXT_ARG(pf_str_from(name, name.len > 15 ? name.len - 15 : 0)), odd->zero);
    }
    pf_aiu_warn(run, "Ingestion: ..level_multifile Detected ", odd->counted,
                " events with zero wallclock but nonzero HW time. Indication of time calibration errors during trace "
                "capture.");
}

/* One line for all inputs; with --compat a line for each, as acelyzer has it. */
static void check_lengths(aiu_run *run)
{
    aiu_events *v = &run->events;
    odd_lengths *all = pf_aiu_alloc(run, (size_t)run->job_count + 1, sizeof *all);
    for (uint32_t e = 0; all && e < v->count; e++) {
        odd_lengths *odd = &all[pf_aiu_rule(run, AIU_OTHER_WORDS) ? v->job[e] : 0];
        if (v->phase[e] == 'X' && v->dur[e] < 0) {
            v->flags[e] |= AIU_DROPPED;
            odd->negative++;
        } else if (v->phase[e] == 'X' && v->dur[e] == 0) {
            odd->last_zero = e;
            odd->zero++;
            odd->counted += (v->flags[e] & AIU_HAS_TS) && v->tsx[0][e] != v->tsx[4][e];
        }
    }
    for (uint32_t i = 0; all && i <= run->job_count; i++) {
        say_lengths(run, &all[i]);
    }
}

/* How rows of an input are sorted: by their places, or by time. */
typedef struct row_order {
    const uint32_t *place; /* NULL: none has any */
    const int64_t *ts;
    uint32_t first;
} row_order;

static bool is_later(const void *order, uint32_t a, uint32_t b)
{
    const row_order *o = order;
    uint32_t x = o->place ? o->place[a - o->first] : PF_NONE, y = o->place ? o->place[b - o->first] : PF_NONE;
    return x != y ? x > y : x == PF_NONE && o->ts[a] > o->ts[b];
}

/* Lists the rows of each input in the order in which they are taken. */
static void order_rows(pairing *p)
{
    aiu_run *run = p->run;
    uint32_t count = p->in->count, *scratch = pf_aiu_scratch(run, count, sizeof *scratch);
    p->order = pf_aiu_scratch(run, count, sizeof *p->order);
    for (uint32_t i = 0; i < count && p->order; i++) {
        p->order[i] = i;
    }
    for (uint32_t j = 0; j < run->job_count && !pf_aiu_failed(run); j++) {
        const pf_input *in = pf_trace_input(run->trace, run->jobs[j].input);
        const row_order o = {pf_trace_places(run->trace, run->jobs[j].input), p->in->ts, in->first_event};
        for (uint32_t i = 0; o.place && i < in->events; i++) {
            p->of.outer[o.first + i] = o.place[i] == PF_NO_PLACE ? LEFT_OUT : p->of.outer[o.first + i];
        }
        if (!run->jobs[j].json) {
            pf_sort_rows(p->order + in->first_event, scratch, in->events, is_later, &o);
        }
    }
}

/* The begins and ends of all inputs, joined, as events of the store. */
static void take_events(aiu_run *run)
{
    pairing p = {.run = run};
    bool packets = false;
    prepare(&p);
    for (uint32_t i = 0; i < run->job_count; i++) {
        packets |= !run->jobs[i].json;
    }
    if (packets && !pf_aiu_failed(run)) {
        pf_aiu_find_counters(run, &p.counters, p.of.outer);
        order_rows(&p);
    }
    for (uint32_t i = 0; i < run->job_count && !pf_aiu_failed(run); i++) {
        pair_input(&p, &run->jobs[i]);
    }
    if (!pf_aiu_failed(run)) {
        merge_inputs(&p);
    }
    PF_LIST_FREE(run->budget, p.of.outer, p.of.outer ? (size_t)p.in->count + 1 : 0);
    pf_json_samples_free(&p.counters);
    run->odd.unmatched = p.unmatched;
}

/* The begin of the capture is where times count from, unless the sums of another program are repeated. */
pf_status pf_aiu_ingest(aiu_run *run)
{
    int64_t start, end;
    if (run->parts) {
        start = run->parts->start;
    } else {
        pf_trace_bounds(run->trace, &start, &end);
    }
    run->origin_ns = pf_aiu_rule(run, AIU_FROM_ZERO) ? 0 : start - start % 1000;
    end = run->origin_ns / 1000;
    run->origin = (double)end;
    if (run->parts) {
        merge_inputs(&(pairing){.run = run});
        pf_aiu_say_odd_counters(run);
    } else {
        pf_aiu_read_jobs(run);
        take_events(run);
        pf_aiu_end_stage(run);
        pf_aiu_read_arguments(run);
        pf_aiu_end_stage(run);
        pf_trace_leave_inputs(run->trace);
        pf_aiu_place_torch_processes(run);
    }
    if (run->keeps) {
        return run->error.code;
    }
    pf_aiu_warn(run, "Ingestion: ", run->odd.unmatched, " begin or end events without their counterpart were left out");
    check_lengths(run);
    if (!pf_aiu_rule(run, AIU_UNCHECKED) && !pf_aiu_failed(run)) {
        pf_aiu_number_flows(run);
        pf_aiu_check_duplicate_ranks(run);
        pf_aiu_check_missing_ranks(run);
    }
    return run->error.code;
}
