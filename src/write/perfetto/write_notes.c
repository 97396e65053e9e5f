/* write/perfetto/write_notes.c - see write_notes.h.
 *
 * The reader noted what an event says beyond its row; that is passed on as it is. To it comes what the packet says
 * otherwise than the row: Perfetto needs a name for every slice, and ends of JSON are matched by names. Events that
 * have no packet travel whole, as JSON text in a packet of which Perfetto knows nothing, and so does what stands next
 * to the events of a document. Such packets are compressed: in a small file they would be most of it.
 *
 * An event of a counter becomes as many samples as it has series. The first carries the note, the others one that they
 * join it. Most events of a counter are alike, so a note that equals the last one of its counter is left out. Where the
 * samples cannot give the event back (a value that is no number, an id, a name that is cut elsewhere), the first
 * carries the whole event and hides the others.
 *
 * Device events of AIUs carry counters that wrap, and how often they did follows from the order of the document, as
 * does which events a limit counts. Cores of AI Engines are listed in the order of the document, and there events
 * without a packet count. So in these two notes also say the places of events, where packets are not in that order.
 */
#include "write/perfetto/write_notes.h"

#include <math.h>
#include <string.h>

#include "base/text/json_text.h"
#include "base/text/number.h"
#include "write/perfetto/debug_annotations.h"

/* Whether it is a capture of an AIU: a dialect of its own, or PyTorch's with a device that says so. */
static bool is_of_aiu(const pf_trace *t)
{
    const pf_metadata *m = pf_trace_metadata(t);
    uint32_t name = pf_trace_find_string(t, PF_STR("json.deviceProperties"));
    bool is = strcmp(pf_trace_dialect(t), "aiu-flex") == 0;
    for (uint32_t i = 0; name != PF_NONE && i < m->count && !is; i++) {
        pf_str text = m->name[i] == name ? pf_trace_string(t, m->text[i]) : (pf_str){NULL, 0};
        is = text.len && memmem(text.ptr, text.len, "\"AIU\"", 5);
    }
    return is;
}

/* Events that are kept as texts say the pids of the packets, where those of several inputs have moved. */
static bool take_pids(pf_chrome *c, const pf_identity *who)
{
    c->pid = who->shared.count ? pf_alloc(c->budget, who->shared.count * sizeof *c->pid) : NULL;
    c->processes = c->pid ? who->shared.count : 0;
    for (uint32_t i = 0; i < c->processes; i++) {
        c->pid[i] = pf_shared_pids_moved(&who->shared, i) ? who->pid[i] : pf_trace_processes(c->t)->pid[i];
    }
    return c->pid || who->shared.count == 0;
}

pf_status pf_notes_init(pf_notes *n, const pf_identity *who, pf_packets *packets, const uint32_t *share, pf_error *err)
{
    const pf_trace *t = who->t;
    const pf_counters *k = pf_trace_counters(t);
    pf_budget *budget = packets->budget;
    *n = (pf_notes){.t = t,
                    .who = who,
                    .packets = packets,
                    .share = share,
                    .sample_of = PF_NONE,
                    .single = pf_trace_input_count(t) == 1};
    pf_chrome_start(&n->text, t, budget);
    n->wanted = t->want & PF_WANT_ORIGINS && n->text.from_json;
    n->cycles = n->text.exact && pf_trace_time_unit(t) == PF_UNIT_CYCLE;
    n->placed = n->text.exact && n->single && (n->cycles || is_of_aiu(t));
    n->by_track = t->events.has_complete;
    if (n->wanted && !take_pids(&n->text, who)) {
        return pf_budget_refused(budget, who->shared.count * sizeof *n->text.pid, err);
    }
    if (!n->wanted || !n->text.exact || k->count == 0) {
        return PF_OK;
    }
    size_t events = pf_trace_events(t)->count, tracks = pf_trace_tracks(t)->count;
    n->sampled = pf_alloc_zero(budget, events + 1, 1);
    n->habit = pf_alloc_zero(budget, tracks + 1, sizeof *n->habit);
    PF_TRY(!n->sampled || !n->habit ? pf_budget_refused(budget, events, err) : PF_OK);
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->event[i] < events && k->ts[i] >= 0) {
            n->sampled[k->event[i]] = 1;
        }
    }
    return PF_OK;
}

void pf_notes_free(pf_notes *n)
{
    if (!n->t) {
        return;
    }
    size_t events = pf_trace_events(n->t)->count, tracks = pf_trace_tracks(n->t)->count;
    pf_release(n->packets->budget, n->sampled, events + 1);
    pf_release(n->packets->budget, n->habit, (tracks + 1) * sizeof *n->habit);
    pf_buffer_free(&n->left);
    pf_chrome_free(&n->text);
    n->t = NULL;
}

static void fail(pf_notes *n, const pf_error *e)
{
    pf_packets_fail(n->packets, e);
}

/* An event with more series travels whole. */
#define SERIES_MAX 64u

/* Packets that are compressed together. */
#define LEFT_BYTES (256u << 10)

/* The last note of a counter was longer than what is remembered. */
#define PF_HABIT_NONE 0xff

/* What the last call of the writer of JSON appended, without the first `skip` bytes. */
static pf_str written(pf_notes *n, size_t skip)
{
    pf_buffer *b = &n->text.out;
    if (b->failed) {
        pf_error e;
        pf_no_memory(&e);
        fail(n, &e);
    }
    return b->failed || b->len <= skip ? (pf_str){"", 0} : (pf_str){b->data + skip, b->len - skip};
}

/* The event as JSON. */
static pf_str event_text(pf_notes *n, uint32_t row)
{
    pf_error e;
    n->text.out.len = 0;
    n->text.written = 0;
    if (pf_chrome_put_event(&n->text, row, &e) != PF_OK) {
        fail(n, &e);
    }
    return written(n, 1); /* a line feed comes first */
}

static pf_str args_text(pf_notes *n, uint32_t row)
{
    static const char member[] = ",\"args\":";
    pf_error e;
    n->text.out.len = 0;
    if (pf_chrome_put_args(&n->text, row, &e) != PF_OK) {
        fail(n, &e);
    }
    return written(n, sizeof member - 1);
}

static void put_string(pf_notes *n, pf_member member, uint32_t string)
{
    pf_str text = pf_trace_string(n->t, string);
    n->text.out.len = 0;
    if (text.ptr) {
        pf_json_put_text(&n->text.out, text);
    }
    pf_origin_put_text(&n->packets->note_w, member, written(n, 0));
}

static void put_clock(pf_notes *n, uint32_t row, const pf_origin *o)
{
    const pf_trace *t = n->t;
    static const pf_member members[] = {PF_MEMBER_TTS, PF_MEMBER_TDUR};
    uint32_t i = pf_rows_lower_bound(t->thread_times.event, t->thread_times.count, row);
    if (i >= t->thread_times.count || t->thread_times.event[i] != row) {
        return;
    }
    const int64_t times[] = {t->thread_times.ts[i], t->events.phase[row] == 'X' ? t->thread_times.dur[i] : INT64_MIN};
    for (size_t k = 0; k < 2; k++) {
        n->text.out.len = 0;
        if (times[k] != INT64_MIN) {
            pf_chrome_put_time(&n->text, "", times[k]);
        }
        if (!o->member[members[k]].form) {
            pf_origin_put_text(&n->packets->note_w, members[k], written(n, 0));
        }
    }
}

static size_t varint_size(uint64_t v)
{
    uint8_t bytes[PF_VARINT_MAX];
    return (size_t)(pf_store_varint(bytes, v) - bytes);
}

/* Whether the note of a flow is nothing but its number, which its packet has as well. */
static bool is_flow_number(const pf_notes *n, uint32_t row, pf_str note)
{
    uint8_t phase = pf_trace_events(n->t)->phase[row];
    if (!n->single || !note.len || (phase != 's' && phase != 't' && phase != 'f')) {
        return false;
    }
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    return o.member[PF_MEMBER_ID].form == PF_FORM_INTEGER &&
           note.len == 1 + varint_size((uint64_t)o.member[PF_MEMBER_ID].number);
}

/* Where an event stood in its document, if the place of its packet does not tell: samples are written by time. */
static void put_place(pf_notes *n, uint32_t row, bool sample)
{
    if (n->placed && (sample || n->by_track)) {
        pf_writer_varint(&n->packets->note_w, PF_ORIGIN_PLACE, row);
    }
}

void pf_notes_event(pf_notes *n, uint32_t row, const pf_packet_form *form)
{
    const pf_events *e = pf_trace_events(n->t);
    pf_writer *w = &n->packets->note_w;
    if (!n->wanted) {
        return;
    }
    pf_str note = pf_trace_origin(n->t, row);
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    if (!n->text.exact && e->phase[row] == 'E' && !e->name[row] && !note.len) {
        pf_notes_completes(n); /* an end that said nothing in the conversion that is being converted */
        return;
    }
    pf_writer_raw(w, note.ptr, note.len);
    put_place(n, row, false);
    if (form->name != e->name[row] && !o.member[PF_MEMBER_NAME].form) {
        put_string(n, PF_MEMBER_NAME, e->name[row]);
    }
    if (form->category != (e->category ? e->category[row] : 0) && !o.member[PF_MEMBER_CATEGORY].form) {
        put_string(n, PF_MEMBER_CATEGORY, e->category ? e->category[row] : 0);
    }
    if ((form->changed || (n->cycles && e->phase[row] == 'X')) && !o.member[PF_MEMBER_PHASE].form) {
        pf_origin_put_number(w, PF_MEMBER_PHASE, e->phase[row]);
    }
    if (form->length_differs) {
        n->text.out.len = 0;
        pf_chrome_put_time(&n->text, "", e->dur[row]);
        pf_origin_put_text(w, PF_MEMBER_DUR, written(n, 0));
    }
    if (form->time_differs && !o.member[PF_MEMBER_TS].form) {
        n->text.out.len = 0;
        pf_chrome_put_time(&n->text, "", e->ts[row]);
        pf_origin_put_text(w, PF_MEMBER_TS, written(n, 0));
    }
    if (form->clock_differs) {
        put_clock(n, row, &o);
    }
    if (form->args_differ) {
        pf_origin_put_text(w, PF_MEMBER_ARGS, args_text(n, row));
    }
    if (n->packets->note.len == note.len && is_flow_number(n, row, note)) {
        n->packets->note.len = 0;
    }
}

void pf_notes_completes(pf_notes *n)
{
    if (n->wanted) {
        pf_writer_varint(&n->packets->note_w, PF_ORIGIN_COMPLETES, 1);
    }
}

void pf_notes_hide(pf_notes *n)
{
    if (n->wanted) {
        pf_writer_varint(&n->packets->note_w, PF_ORIGIN_HIDDEN, 1);
    }
}

static void pass_left(pf_notes *n)
{
    if (n->left.failed) {
        pf_error e;
        pf_no_memory(&e);
        fail(n, &e);
    } else if (n->packets->failed == PF_OK &&
               pf_sink_put_bundle(n->packets->sink, &n->left, PF_BUNDLE_LEAST) != PF_OK) {
        fail(n, &n->packets->sink->error);
    }
    n->left.len = 0;
}

/* A packet of nothing but a note. */
static void leave(pf_notes *n, uint32_t field, pf_str text, uint32_t place)
{
    pf_writer w;
    pf_writer_init(&w, &n->left);
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_ORIGIN);
    pf_writer_bytes(&w, field, text.ptr, text.len);
    if (place != PF_NONE) {
        pf_writer_varint(&w, PF_ORIGIN_PLACE, place);
    }
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_free(&w);
    if (n->left.failed || n->left.len >= LEFT_BYTES) {
        pass_left(n);
    }
}

/* An event without a packet. */
static void leave_event(pf_notes *n, uint32_t row)
{
    leave(n, PF_ORIGIN_WHOLE, event_text(n, row), n->placed ? row : PF_NONE);
}

void pf_notes_leave(pf_notes *n, uint32_t row)
{
    if (n->wanted && n->text.exact && !(n->sampled && n->sampled[row])) {
        leave_event(n, row);
    }
}

pf_str pf_notes_named(pf_notes *n, uint32_t row)
{
    if (!n->wanted) {
        return (pf_str){NULL, 0};
    }
    if (!n->text.exact) {
        return pf_trace_origin(n->t, row);
    }
    static const char hidden[] = {PF_TAG_VARINT(PF_ORIGIN_HIDDEN), 1};
    leave_event(n, row);
    return (pf_str){hidden, sizeof hidden};
}

void pf_notes_document(pf_notes *n)
{
    const pf_trace *t = n->t;
    pf_document_members members;
    pf_document_members_init(&members, t, n->packets->budget);
    for (uint32_t i = 0; i < t->leftovers.count && n->wanted; i++) {
        bool of_document = t->leftovers.of_document[i];
        pf_str text = of_document ? pf_document_member(&members, i) : t->leftovers.text[i];
        n->text.out.len = 0;
        if (text.ptr && pf_json_put_value(&n->text.out, text, t->budget.limits.depth)) {
            leave(n, of_document ? PF_ORIGIN_DOCUMENT : PF_ORIGIN_WHOLE, written(n, 0), t->leftovers.place[i]);
        }
    }
    pf_document_members_free(&members);
}

void pf_notes_end(pf_notes *n)
{
    pass_left(n);
}

/* The number that the id of a flow stands for: an integer, or a text of hexadecimal digits. */
static bool flow_number(pf_str json, uint64_t *number)
{
    if (json.len < 3 || json.ptr[0] != '"') {
        return pf_parse_int(json.ptr, json.len, (int64_t *)number);
    }
    return pf_parse_hex(json.ptr + 1, json.len - 2, number);
}

uint64_t pf_notes_flow_id(const pf_notes *n, uint32_t row, uint64_t otherwise)
{
    const pf_origin o = pf_origin_of(n->t, n->wanted && n->single ? row : PF_NONE);
    uint64_t number;
    if (o.member[PF_MEMBER_ID].form == PF_FORM_INTEGER) {
        return (uint64_t)o.member[PF_MEMBER_ID].number;
    }
    return o.member[PF_MEMBER_ID].form && flow_number(o.member[PF_MEMBER_ID].text, &number) ? number : otherwise;
}

/* Whether the samples of an event can give its arguments back: different numbers at the top, nothing else. */
typedef struct entries {
    bool plain;
    uint32_t count;
    uint64_t reals; /* bit of an entry: a whole number that is spelled as a real */
} entries;

static pf_status on_container(void *ctx, pf_str key, bool list)
{
    ((entries *)ctx)->plain = false;
    return PF_OK;
}

static pf_status on_end(void *ctx)
{
    return PF_OK;
}

static pf_status on_entry(void *ctx, pf_str key, const pf_value *v)
{
    entries *e = ctx;
    bool whole = v->type == PF_VALUE_INT && v->as.i >= -(1ll << 53) && v->as.i <= 1ll << 53;
    bool real = v->type == PF_VALUE_REAL && v->as.d - v->as.d == 0 && pf_real_comes_back(v);
    e->plain = e->plain && (whole || real);
    e->reals |= real && e->count < SERIES_MAX && v->as.d == floor(v->as.d) ? 1ull << e->count : 0;
    e->count++;
    return PF_OK;
}

/* Sample `first` of an event and those after it: how many there are, and whether they can give the event back. */
static bool gives_back(pf_notes *n, uint32_t first)
{
    const pf_trace *t = n->t;
    const pf_counters *k = pf_trace_counters(t);
    const pf_events *e = pf_trace_events(t);
    uint32_t row = k->event[first], count = 0;
    const pf_origin o = pf_origin_of(t, row);
    entries found = {.plain = true};
    const pf_arg_visitor visitor = {&found, on_container, on_end, on_entry, true};
    pf_error ignored;
    bool said = o.whole.ptr || o.more.ptr;
    for (unsigned m = 0; m < PF_MEMBER_COUNT; m++) {
        said = said || (o.member[m].form && m != PF_MEMBER_TID);
    }
    if (said || !e->name[row] || pf_trace_visit_args(t, row, &visitor, &ignored) != PF_OK || !found.plain) {
        return false;
    }
    for (uint32_t i = first; i < k->count && k->event[i] == row; i++, count++) {
        if (count == SERIES_MAX || n->share[k->track[i]] != e->name[row]) {
            return false;
        }
        for (uint32_t j = first; j < i; j++) {
            if (k->track[j] == k->track[i]) {
                return false;
            }
        }
    }
    n->reals = found.reals;
    return count == found.count;
}

/* The note of the first sample of an event that the samples give back. */
static void put_habit(pf_notes *n, uint32_t row, bool joins, bool is_real)
{
    const pf_events *e = pf_trace_events(n->t);
    pf_writer *w = &n->packets->note_w;
    if (is_real) {
        pf_origin_put_number(w, PF_MEMBER_ARGS, 1);
    }
    if (joins) {
        pf_writer_varint(w, PF_ORIGIN_JOINS, 1);
        return;
    }
    pf_str note = pf_trace_origin(n->t, row);
    n->text.out.len = 0;
    pf_chrome_put_tid_of(&n->text, row);
    pf_str tid = written(n, 0);
    if (note.len) {
        pf_writer_raw(w, note.ptr, note.len);
    } else if (tid.len) {
        pf_origin_put_text(w, PF_MEMBER_TID, tid);
    }
    if (e->category && e->category[row]) {
        put_string(n, PF_MEMBER_CATEGORY, e->category[row]);
    }
    put_place(n, row, true);
}

/* Leaves the note out if it is the last one of the counter. */
static void settle_habit(pf_notes *n, uint32_t track)
{
    pf_buffer *b = &n->packets->note;
    pf_habit *h = &n->habit[track];
    if (b->len == h->len && memcmp(b->data ? b->data : "", h->bytes, h->len) == 0) {
        b->len = 0;
        return;
    }
    h->len = b->len <= PF_HABIT_MAX ? (uint8_t)b->len : PF_HABIT_NONE;
    if (h->len != PF_HABIT_NONE && b->len) {
        memcpy(h->bytes, b->data, b->len);
    }
    if (b->len == 0) { /* a note that says nothing, against the one before */
        pf_writer_varint(&n->packets->note_w, PF_ORIGIN_JOINS, 0);
    }
}

void pf_notes_sample(pf_notes *n, uint32_t i)
{
    const pf_counters *k = pf_trace_counters(n->t);
    uint32_t row = k->event[i];
    if (!n->wanted || row >= n->text.events) {
        return;
    }
    pf_writer *w = &n->packets->note_w;
    if (!n->text.exact) {
        pf_str note = pf_trace_origin(n->t, row);
        pf_writer_raw(w, note.ptr, note.len);
        return;
    }
    if (row != n->sample_of) {
        n->first = i;
        while (n->first > 0 && k->event[n->first - 1] == row) {
            n->first--;
        }
        n->sample_of = row;
        n->plain = gives_back(n, n->first);
    }
    if (n->plain) {
        put_habit(n, row, i != n->first, n->reals >> (i - n->first) & 1);
        settle_habit(n, k->track[i]);
    } else if (i == n->first) {
        pf_str text = event_text(n, row);
        pf_writer_bytes(w, PF_ORIGIN_WHOLE, text.ptr, text.len);
        put_place(n, row, true);
    } else {
        pf_writer_varint(w, PF_ORIGIN_HIDDEN, 1);
    }
}
