/* analyze/aiu/ingest/aiu_ingest.c - from the trace to the store of events.
 *
 * Events of each input are paired in file order: a begin waits on the stack of its thread until an end of its name
 * comes. Then the inputs are merged by time; events of one input keep their order, as the counters of one job rely on
 * it. What is no slice passes as it is.
 *
 * A conversion of JSON with complete events writes track by track. Of such an input the order is that which its notes
 * say, else that of time; what else it noted next to its packets is taken into account as well (aiu_converted.c).
 */
#include <string.h>

#include "analyze/aiu/ingest/aiu_ingest.h"
#include "base/list.h"
#include "base/prefault.h"
#include "base/text/number.h"

typedef struct pairing {
    aiu_run *run;
    const pf_events *in;
    uint32_t *open;  /* by track: the innermost begin that waits, PF_NONE */
    uint32_t *early; /* by track: the last end that found no begin, PF_NONE; linked as begins are */
    uint32_t *outer; /* by event: a begin's next outer one; later the row of its end; LEFT_OUT */
    uint32_t *order; /* the rows of all inputs, each input's in the order in which they are taken; NULL: as they are */
    uint64_t unmatched;
    uint32_t hint; /* pf_trace_end_is_silent */
    aiu_counter_events counters;
} pairing;

/* A begin that found no end is of no use, like an end without begin; a row that says nothing of its own. */
#define LEFT_OUT PF_NONE

static void prepare(pairing *p)
{
    aiu_run *run = p->run;
    size_t tracks = (size_t)pf_trace_tracks(run->trace)->count + 1;
    p->in = pf_trace_events(run->trace);
    p->open = pf_aiu_alloc(run, 2 * tracks, sizeof *p->open);
    p->outer = p->open ? pf_alloc_zero(run->budget, p->in->count + 1, sizeof *p->outer) : NULL;
    if (p->outer) {
        pf_touch(p->outer,
                 p->in->count * sizeof *p->outer); /* what is read before it is written would be mapped twice */
        p->early = p->open + tracks;
        memset(p->open, 0xFF, 2 * tracks * sizeof *p->open);
    } else if (p->open) {
        pf_budget_refused(run->budget, p->in->count * sizeof *p->outer, &run->error);
    }
}

/* The waiting begin that an end closes: the innermost of its name, or of any name where the end has none. Begins that
 * are passed over stay. */
static uint32_t *find_begin(pairing *p, uint32_t end)
{
    enum { FAR = 64 };
    uint32_t *link = &p->open[p->in->track[end]], name = p->in->name[end];
    for (unsigned steps = 0; *link != PF_NONE && steps < FAR; steps++) {
        if (!name || p->in->name[*link] == name) {
            return link;
        }
        link = &p->outer[*link];
    }
    return NULL;
}

/* Rows that wait are linked by `outer`. */
static void push(pairing *p, uint32_t *list, uint32_t row)
{
    p->outer[row] = *list;
    *list = row;
}

static uint32_t pull(const pairing *p, uint32_t *link)
{
    uint32_t row = *link;
    *link = p->outer[row];
    return row;
}

static void join(pairing *p, uint32_t begin, uint32_t end)
{
    p->outer[begin] = end;
    p->outer[end] = begin;
}

static void pair_row(pairing *p, uint32_t row)
{
    uint8_t phase = p->in->phase[row];
    if (p->outer[row] == LEFT_OUT || (phase != 'B' && phase != 'E')) {
        return;
    }
    uint32_t *early = &p->early[p->in->track[row]], *begin = phase == 'E' ? find_begin(p, row) : NULL;
    if (begin) {
        join(p, pull(p, begin), row);
    } else if (phase == 'E') {
        push(p, early, row);
    } else if (*early != PF_NONE && p->in->ts[*early] == p->in->ts[row] && p->in->name[*early] == p->in->name[row]) {
        /* a slice of no length: conversions write what ends at a time before what begins then */
        join(p, row, pull(p, early));
    } else {
        push(p, &p->open[p->in->track[row]], row);
    }
}

/* An end that was met before its begin makes a slice of negative length, as it does where JSON lists them so. */
static void join_reversed(pairing *p, uint32_t track)
{
    enum { FAR = 64 };
    for (uint32_t *link = &p->open[track]; *link != PF_NONE;) {
        uint32_t begin = *link, *end = &p->early[track];
        for (unsigned n = 0; *end != PF_NONE && n < FAR && p->in->name[*end] != p->in->name[begin]; n++) {
            end = &p->outer[*end];
        }
        if (*end != PF_NONE && p->in->name[*end] == p->in->name[begin]) {
            uint32_t row = pull(p, end);
            join(p, pull(p, link), row);
        } else {
            link = &p->outer[begin];
        }
    }
}

static void leave_out(pairing *p, uint32_t first)
{
    for (uint32_t row = first; row != PF_NONE;) {
        uint32_t next = p->outer[row];
        p->outer[row] = LEFT_OUT;
        p->unmatched++;
        row = next;
    }
}

static void pair_rows(pairing *p, const pf_input *input)
{
    for (uint32_t i = input->first_event; i < input->first_event + input->events; i++) {
        pair_row(p, i);
    }
}

/* Whether a row is the begin of what was a whole slice before the conversion. */
static bool was_whole(pairing *p, uint32_t row)
{
    uint32_t end = p->outer[row];
    return p->in->phase[row] == 'B' && end < p->in->count && p->in->phase[end] == 'E' && p->outer[end] == row &&
           pf_trace_end_is_silent(p->run->trace, end, &p->hint);
}

/* An input whose rows say their places: whole slices end where their packets do, but begins and ends that came apart in
 * the document belong together by its order. */
static void pair_placed(pairing *p, const pf_input *input)
{
    uint32_t from = input->first_event, to = from + input->events, tracks = pf_trace_tracks(p->run->trace)->count;
    uint32_t *found = pf_aiu_scratch(p->run, input->events, sizeof *found);
    if (!found) {
        return;
    }
    memcpy(found, p->outer + from, input->events * sizeof *found);
    pair_rows(p, input);
    for (uint32_t row = from; row < to; row++) {
        if (was_whole(p, row)) {
            found[row - from] = p->outer[row];
        }
    }
    memcpy(p->outer + from, found, input->events * sizeof *found);
    memset(p->open, 0xFF, (2 * (size_t)tracks + 2) * sizeof *p->open);
    for (uint32_t i = from; i < to; i++) {
        uint32_t row = p->order[i];
        bool whole = p->in->phase[row] == 'E' ? pf_trace_end_is_silent(p->run->trace, row, &p->hint)
                                              : p->in->phase[row] == 'B' && p->outer[row] != 0;
        if (!whole) {
            pair_row(p, row);
        }
    }
}

static void pair_input(pairing *p, const aiu_job *job)
{
    const pf_input *input = pf_trace_input(p->run->trace, job->input);
    (job->placed ? pair_placed : pair_rows)(p, input);
    for (uint32_t t = 0; t < pf_trace_tracks(p->run->trace)->count; t++) {
        if (job->by_time && !job->placed) {
            join_reversed(p, t);
        }
        leave_out(p, p->open[t]);
        leave_out(p, p->early[t]);
        p->open[t] = p->early[t] = PF_NONE;
    }
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* How events of JSON spell the id of a thread, where that is not as its row has it: 0 for a main thread, -1. */
static void apply_habit(const aiu_run *run, uint32_t utid, int64_t *tid)
{
    pf_str said;
    int64_t number;
    if (pf_trace_said_tid(run->trace, utid, &said) && said.ptr) {
        *tid = pf_parse_int(said.ptr, said.len, &number) ? number : said.len ? *tid : AIU_ID_NONE;
    }
}

typedef struct track_ids {
    int64_t pid, tid;
} track_ids;

static track_ids *read_ids(aiu_run *run)
{
    const pf_tracks *tracks = pf_trace_tracks(run->trace);
    const pf_threads *threads = pf_trace_threads(run->trace);
    const pf_processes *processes = pf_trace_processes(run->trace);
    track_ids *ids = pf_aiu_alloc(run, (size_t)tracks->count + 1, sizeof *ids);
    for (uint32_t i = 0; ids && i < tracks->count; i++) {
        uint32_t utid = tracks->utid[i], upid = tracks->upid[i];
        ids[i] = (track_ids){AIU_ID_NONE, AIU_ID_NONE};
        if (upid != PF_NONE) {
            ids[i].pid = pf_aiu_id(run, processes->kind[upid], processes->pid[upid], processes->text[upid]);
        }
        if (utid != PF_NONE) {
            ids[i].tid = pf_aiu_id(run, threads->kind[utid], threads->tid[utid], threads->text[utid]);
            apply_habit(run, utid, &ids[i].tid);
        }
    }
    return ids;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

/* Where the reading of an input is. */
typedef struct head {
    uint32_t at, end, job, row;
    int64_t ts;
    uint64_t place; /* of equal times the lower one is first */
} head;

static bool is_begin_or_other(const pairing *p, uint32_t row)
{
    return p->in->phase[row] != 'E' && p->in->phase[row] != PF_PHASE_LEFT_OUT && p->outer[row] != LEFT_OUT;
}

/* Steps to the next event that counts; false at the end. */
static bool step(const pairing *p, head *h)
{
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
    for (;;) {
        size_t least = i, left = 2 * i + 1, right = left + 1;
        least = left < count && is_earlier(&heap[left], &heap[least]) ? left : least;
        least = right < count && is_earlier(&heap[right], &heap[least]) ? right : least;
        if (least == i) {
            return;
        }
        head swap = heap[i];
        heap[i] = heap[least];
        heap[least] = swap;
        i = least;
    }
}

/* The length of a slice in us. Where begin and end came apart, their times are each rounded to a double, as in the
 * input's own unit; what was a whole slice before a conversion had its length in one number. */
static double length_of(pairing *p, const aiu_job *job, uint32_t row, double ts)
{
    if (p->in->phase[row] == 'B') {
        uint32_t end = p->outer[row];
        int64_t length = p->in->ts[end] - p->in->ts[row];
        if (job->by_time && length >= 0 && pf_trace_end_is_silent(p->run->trace, end, &p->hint)) {
            return (double)length / 1000.0;
        }
        return pf_aiu_us(p->run, p->in->ts[p->outer[row]]) - ts;
    }
    return p->in->phase[row] == 'X' && p->in->dur ? (double)p->in->dur[row] / 1000.0 : 0;
}

/* An id that was written otherwise than the row has it: a number, or JSON. */
static void note_id(aiu_run *run, const pf_origin *o, pf_member member, int64_t *id)
{
    pf_str text = o->member[member].text;
    if (o->member[member].form == PF_FORM_INTEGER) {
        *id = o->member[member].number;
    } else if (o->member[member].form == PF_FORM_TEXT && !text.len) {
        *id = AIU_ID_NONE;
    } else if (o->member[member].form == PF_FORM_TEXT && text.len > 1 && text.ptr[0] == '"') {
        *id = AIU_ID_TEXT | (int64_t)pf_aiu_text(run, (pf_str){text.ptr + 1, text.len - 2});
    }
}

/* What the input said otherwise than its row does: no time, another spelling of the thread; in a conversion more. */
static void apply_note(aiu_run *run, uint32_t event, uint32_t row, int64_t *pid)
{
    pf_str note = pf_trace_origin(run->trace, row);
    bool noted = run->trace->want & PF_WANT_ORIGINS && run->events.phase[event] == 'M';
    if (!note.len && !noted) {
        return;
    }
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    if (noted && pf_trace_events(run->trace)->ts[row] == 0 && o.member[PF_MEMBER_TS].form == PF_FORM_ROW) {
        run->events.flags[event] |= AIU_NO_TIME; /* a time of 0 that was written is noted */
    }
    note_id(run, &o, PF_MEMBER_TID, &run->events.tid[event]);
    note_id(run, &o, PF_MEMBER_PID, pid);
    if (!run->jobs[run->events.job[event]].json) {
        pf_aiu_take_note(run, event, &o);
    }
}

static void add_event(pairing *p, const head *h, const track_ids *ids)
{
    aiu_run *run = p->run;
    aiu_events *e = &run->events;
    const aiu_job *job = &run->jobs[h->job];
    uint32_t row = h->row, counter = p->counters.count ? pf_map_get(p->counters.by_row, row) : PF_NONE;
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
    e->dur[i] = length_of(p, job, row, e->ts[i]);
    e->tid[i] = id.tid;
    e->name[i] = pf_aiu_pool_text(run, p->in->name[row]);
    e->cat[i] = p->in->category ? pf_aiu_pool_text(run, p->in->category[row]) : 0;
    apply_note(run, i, row, &id.pid);
    pf_aiu_set_rank(run, i, id.pid);
    if (counter != PF_NONE) {
        pf_aiu_take_counter(run, i, &p->counters, counter);
    }
}

/* Makes room for the events that merge_inputs adds. */
static void make_room(pairing *p)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->run->job_count; i++) {
        const pf_input *in = pf_trace_input(p->run->trace, p->run->jobs[i].input);
        for (uint32_t row = in->first_event; !p->run->jobs[i].ignored && row < in->first_event + in->events; row++) {
            count += is_begin_or_other(p, row);
        }
    }
    pf_aiu_expect_events(p->run, count);
}

static void take_leftovers(aiu_run *run, bool first)
{
    for (uint32_t i = 0; i < run->job_count && !pf_aiu_failed(run); i++) {
        if (!run->jobs[i].ignored) {
            pf_aiu_take_leftovers(run, i, first);
        }
    }
}

/* Of events at a time that of the first input comes first; in the original that of the input that was read last. */
static void merge_inputs(pairing *p)
{
    aiu_run *run = p->run;
    const track_ids *ids = read_ids(run);
    head *heap = pf_aiu_alloc(run, (size_t)run->job_count + 1, sizeof *heap);
    bool in_order = !pf_aiu_rule(run, AIU_LAST_INPUT_FIRST);
    uint64_t last = UINT64_MAX;
    size_t count = 0;
    make_room(p);
    take_leftovers(run, true);
    for (uint32_t i = 0; i < run->job_count && heap; i++) {
        const pf_input *in = pf_trace_input(run->trace, run->jobs[i].input);
        heap[count] = (head){
            .at = in->first_event, .end = in->first_event + in->events, .job = i, .place = in_order ? i : --last};
        count += !run->jobs[i].ignored && step(p, &heap[count]);
    }
    for (size_t i = count; i-- > 0;) {
        sink(heap, count, i);
    }
    while (count && !pf_aiu_failed(run)) {
        add_event(p, &heap[0], ids);
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
    take_leftovers(run, false);
}

/* ---- slices of no use -------------------------------------------------------------------------------------------- */

typedef struct odd_lengths {
    uint64_t negative, zero;
    uint64_t counted;   /* of zero: those whose cycle counters moved */
    uint32_t last_zero; /* event */
} odd_lengths;

static void count_length(aiu_events *e, uint32_t i, odd_lengths *odd)
{
    if (e->dur[i] < 0) {
        e->flags[i] |= AIU_DROPPED;
        odd->negative++;
    } else if (e->dur[i] == 0) {
        odd->last_zero = i;
        odd->zero++;
        odd->counted += (e->flags[i] & AIU_HAS_TS) && e->tsx[0][i] != e->tsx[4][i];
    }
}

static void say_lengths(aiu_run *run, const odd_lengths *odd)
{
    if (odd->negative) {
        pf_aiu_log(run, "WARNING", "Ingestion: detected negative duration event(s). Events ignored:%llu",
                   (unsigned long long)odd->negative);
    }
    if (odd->zero) {
        pf_str name = run->jobs[run->events.job[odd->last_zero]].name;
        size_t shown = name.len > 15 ? 15 : name.len;
        pf_aiu_log(run, "WARNING",
                   "Ingestion: ..%.*s Detected 'CompleteEvent' type (ph=X) with zero duration. This should be an "
                   "'InstantEvent' type (ph=i). Events: %llu",
                   (int)shown, name.ptr + name.len - shown, (unsigned long long)odd->zero);
    }
    if (odd->counted) {
        pf_aiu_log(run, "WARNING",
                   "Ingestion: ..level_multifile Detected %llu events with zero wallclock but nonzero HW time. "
                   "Indication of time calibration errors during trace capture.",
                   (unsigned long long)odd->counted);
    }
}

/* One line for all inputs; with --compat a line for each, as acelyzer has it. */
static void check_lengths(aiu_run *run)
{
    aiu_events *e = &run->events;
    odd_lengths *odd = pf_aiu_alloc(run, (size_t)run->job_count + 1, sizeof *odd);
    for (uint32_t i = 0; odd && i < e->count; i++) {
        if (e->phase[i] == 'X') {
            count_length(e, i, &odd[pf_aiu_rule(run, AIU_OTHER_WORDS) ? e->job[i] : 0]);
        }
    }
    for (uint32_t i = 0; odd && i <= run->job_count; i++) {
        say_lengths(run, &odd[i]);
    }
}

/* The begin of the capture is where times count from, unless the sums of another program are repeated. */
static void set_origin(aiu_run *run)
{
    int64_t start, end;
    pf_trace_bounds(run->trace, &start, &end);
    run->origin_ns = pf_aiu_rule(run, AIU_FROM_ZERO) ? 0 : start - start % 1000;
    int64_t whole = run->origin_ns / 1000;
    run->origin = (double)whole;
}

static void skip_row(void *pairs, uint32_t row)
{
    ((pairing *)pairs)->outer[row] = LEFT_OUT;
}

/* Rows that a conversion added: their events are said elsewhere. */
static void skip_hidden(pairing *p)
{
    const pf_trace *t = p->run->trace;
    for (uint32_t i = 0; i < t->origins.count; i++) {
        if (pf_origin_read(t->origins.bytes[i], t->origins.len[i]).hidden) {
            skip_row(p, t->origins.event[i]);
        }
    }
}

static bool is_later(const void *run, uint32_t a, uint32_t b)
{
    const int64_t *ts = pf_trace_events(((const aiu_run *)run)->trace)->ts;
    return ts[a] > ts[b];
}

static bool is_placed_after(const void *place, uint32_t a, uint32_t b)
{
    return ((const uint32_t *)place)[a] > ((const uint32_t *)place)[b];
}

/* Lists the rows of each input in the order in which they are taken. */
static void order_rows(pairing *p)
{
    aiu_run *run = p->run;
    uint32_t count = p->in->count;
    uint32_t *place = pf_aiu_scratch(run, count, sizeof *place), *scratch = pf_aiu_scratch(run, count, sizeof *scratch);
    p->order = pf_aiu_scratch(run, count, sizeof *p->order);
    for (uint32_t i = 0; i < count && p->order; i++) {
        p->order[i] = i;
    }
    for (uint32_t j = 0; j < run->job_count && !pf_aiu_failed(run); j++) {
        const pf_input *in = pf_trace_input(run->trace, run->jobs[j].input);
        uint32_t said = 0;
        if (!run->jobs[j].json) {
            pf_trace_json_places(run->trace, run->jobs[j].input, run->budget, place, &said, &run->error);
        }
        run->jobs[j].placed = said > 0;
        if (said || run->jobs[j].by_time) {
            pf_sort_rows(p->order + in->first_event, scratch, in->events, said ? is_placed_after : is_later,
                         said ? (const void *)place : run);
        }
    }
}

/* What inputs that are no JSON need. */
static void look_at_conversions(pairing *p)
{
    bool any = false;
    for (uint32_t i = 0; i < p->run->job_count; i++) {
        any |= !p->run->jobs[i].json;
    }
    if (any && !pf_aiu_failed(p->run)) {
        skip_hidden(p);
        pf_aiu_find_counters(p->run, &p->counters, skip_row, p);
        order_rows(p);
    }
}

/* The begins and ends of all inputs, joined, as events of the store; how many of them were left out. */
static uint64_t take_events(aiu_run *run)
{
    pairing p = {.run = run};
    prepare(&p);
    look_at_conversions(&p);
    for (uint32_t i = 0; i < run->job_count && !pf_aiu_failed(run); i++) {
        pair_input(&p, &run->jobs[i]);
    }
    if (!pf_aiu_failed(run)) {
        merge_inputs(&p);
    }
    PF_LIST_FREE(run->budget, p.outer, p.outer ? (size_t)p.in->count + 1 : 0);
    pf_json_samples_free(&p.counters.names);
    return p.unmatched;
}

pf_status pf_aiu_ingest(aiu_run *run)
{
    set_origin(run);
    pf_aiu_read_jobs(run);
    uint64_t unmatched = take_events(run);
    pf_aiu_end_stage(run);
    pf_aiu_read_arguments(run);
    pf_aiu_end_stage(run);
    pf_trace_leave_inputs(run->trace);
    pf_aiu_place_torch_processes(run);
    if (unmatched) {
        pf_aiu_log(run, "WARNING", "Ingestion: %llu begin or end events without their counterpart were left out",
                   (unsigned long long)unmatched);
    }
    check_lengths(run);
    if (!pf_aiu_rule(run, AIU_UNCHECKED) && !pf_aiu_failed(run)) {
        pf_aiu_number_flows(run);
        pf_aiu_check_duplicate_ranks(run);
        pf_aiu_check_missing_ranks(run);
    }
    return run->error.code;
}
