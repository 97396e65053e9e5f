/* read/perfetto/import/document_rows.c - a trace that was converted from Chrome JSON, as its document had it
 * (PF_WANT_PLACES), so that nobody who reads events has to look at notes (model/trace/json_notes.h).
 *
 * What rows have from their packets is corrected by their notes. A begin with an end that says nothing is a complete
 * event again. Events without a packet, and those of counters that samples cannot say, stand in notes as JSON: they are
 * read by the reader of JSON and become rows after the others. Rows that stand for no event are PF_PHASE_LEFT_OUT. Each
 * row has its place in the document (pf_trace_places).
 *
 * Writers know nothing of that: rows that are added are hidden, as notes have what they say.
 */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/str.h"
#include "base/text/json_text.h"
#include "base/text/number.h"
#include "model/trace/event_pairs.h"
#include "model/trace/json_notes.h"
#include "postfetto/document.h"
#include "read/chrome_json/apply/json_applier.h"
#include "read/perfetto/import/import.h"
#include "json/document/tokenize.h"

/* An event as JSON. */
typedef struct whole_event {
    size_t at;      /* where it begins in the text of all */
    uint32_t place; /* PF_NONE: not known */
    uint32_t row;   /* of the first sample that it is, or PF_NONE */
} whole_event;

typedef struct document_rows {
    pf_import *im;
    pf_trace *t;
    uint32_t first, count; /* rows of packets */
    uint32_t *place;       /* pf_trace_places */
    pf_buffer text;        /* a list of the events below */
    whole_event *list;
    uint32_t listed, room, at;
    pf_map moved; /* row of a sample -> the row of its event */
} document_rows;

/* What reads JSON. */
typedef struct json_events {
    pf_json_tokenizer tokenizer;
    pf_json_applier applier;
    pf_json_piece piece;
} json_events;

/* The string id of a JSON text, 0 of anything else. */
static uint32_t read_text(pf_import *im, pf_str json)
{
    pf_document *d = NULL;
    pf_error why = {.code = PF_OK};
    bool is = json.len && pf_json_parse(json, NULL, &d, &why) == PF_OK && pf_document_root(d)->type == PF_NODE_TEXT;
    uint32_t id = is ? pf_import_text(im, pf_document_root(d)->as.s) : 0;
    if (why.code == PF_ERR_MEMORY) {
        pf_import_refuse(im, json.len);
    }
    pf_document_free(d);
    return id;
}

/* A number of microseconds as whole nanoseconds; what is none changes nothing. Cycles are whole, or cut in the row. */
static void read_time(const pf_import *im, pf_str json, int64_t *time)
{
    int64_t v, unit = im->input->unit == PF_UNIT_CYCLE ? 1 : 1000;
    double us;
    if (pf_parse_int(json.ptr, json.len, &v)) {
        *time = v <= INT64_MAX / unit && v >= INT64_MIN / unit ? v * unit : *time;
    } else if (json.len && unit != 1 && pf_parse_real(json.ptr, json.len, &us) && fabs(us) < 9e15) {
        *time = llround(us * 1000);
    }
}

static void make_complete(document_rows *d, uint32_t row, int64_t dur)
{
    pf_trace *t = d->t;
    if (!pf_import_failed(d->im) && pf_trace_grow_events(t, 'X', false, d->im->err) == PF_OK) {
        t->events.phase[row] = 'X';
        t->events.dur[row] = dur < 0 ? -1 : dur;
        t->events.has_complete |= dur > 0;
    }
}

static int64_t between(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

/* The thread clock of a begin gets its duration. */
static void join_clocks(pf_trace *t, uint32_t begin, uint32_t end)
{
    uint32_t i = pf_rows_find(t->thread_times.event, t->thread_times.count, begin, NULL);
    uint32_t k = pf_rows_find(t->thread_times.event, t->thread_times.count, end, NULL);
    if (i != PF_NONE && k != PF_NONE && t->thread_times.ts[i] != INT64_MIN && t->thread_times.ts[k] != INT64_MIN) {
        t->thread_times.dur[i] = between(t->thread_times.ts[i], t->thread_times.ts[k]);
    }
}

/* Begins and ends that were one event, by the order of packets. */
static void join_pairs(document_rows *d, pf_event_pairs *p)
{
    uint8_t *phase = d->t->events.phase;
    uint32_t hint = 0, to = d->first + d->count;
    for (uint32_t row = d->first; row < to; row++) {
        if (phase[row] == 'B' || phase[row] == 'E') {
            pf_event_pairs_add(p, row);
        }
    }
    for (uint32_t row = d->first; row < to; row++) {
        uint32_t begin = phase[row] == 'E' ? p->outer[row] : PF_NONE;
        if (begin < to && phase[begin] == 'B' && p->outer[begin] == row && pf_trace_end_is_silent(d->t, row, &hint)) {
            make_complete(d, begin, between(d->t->events.ts[begin], d->t->events.ts[row]));
            join_clocks(d->t, begin, row);
            phase[row] = PF_PHASE_LEFT_OUT;
        }
    }
}

static pf_status find_complete(document_rows *d)
{
    size_t tracks = d->t->tracks.count, rows = d->t->events.count;
    pf_event_pairs p = {.t = d->t};
    pf_status st = PF_LIST_NEW(&d->t->budget, p.open, 2 * tracks, d->im->err);
    st = st == PF_OK ? PF_LIST_NEW(&d->t->budget, p.outer, rows, d->im->err) : st;
    if (st == PF_OK) {
        p.early = p.open + tracks;
        memset(p.open, 0xff, 2 * tracks * sizeof *p.open);
        join_pairs(d, &p);
    }
    PF_LIST_FREE(&d->t->budget, p.outer, p.outer ? rows : 0);
    PF_LIST_FREE(&d->t->budget, p.open, p.open ? 2 * tracks : 0);
    return d->im->err->code;
}

static void list_whole(document_rows *d, pf_str json, uint32_t place, uint32_t row)
{
    bool refused = false;
    json = pf_str_trim(json);
    if (json.len && json.ptr[0] == '{' && pf_json_is_value(json, &refused) && !pf_import_failed(d->im) &&
        PF_LIST_ROOM(&d->t->budget, d->list, d->listed + 1, d->room, d->im->err) == PF_OK) {
        pf_buffer_text(&d->text, d->listed ? "," : "[");
        d->list[d->listed++] = (whole_event){d->text.len, place, row};
        pf_buffer_put(&d->text, json.ptr, json.len);
    }
    if (refused) {
        pf_import_refuse(d->im, json.len);
    }
}

/* What is no event, and other phases; complete events are found afterwards. */
static void take_phase(document_rows *d, uint32_t row, const pf_origin *o)
{
    uint8_t *phase = &d->t->events.phase[row];
    uint8_t said = (uint8_t)(o->member[PF_MEMBER_PHASE].number & 0x7f);
    if (o->hidden) {
        *phase = *phase == 'M' ? 'M' : PF_PHASE_LEFT_OUT; /* writers see names in their turn */
    } else if (o->whole.ptr && pf_trace_is_sample(d->t, row)) {
        list_whole(d, o->whole, PF_NONE, row);
    } else if (o->member[PF_MEMBER_PHASE].form == PF_FORM_INTEGER && said == 'X' && *phase != 'B' && *phase != 'X') {
        make_complete(d, row, 0);
    } else if (o->member[PF_MEMBER_PHASE].form == PF_FORM_INTEGER && said != 'X') {
        *phase = said == 'I' || said == 'R' ? 'i' : said; /* as in JSON */
    }
}

static void take_members(document_rows *d, uint32_t row, const pf_origin *o)
{
    pf_trace *t = d->t;
    if (o->completes && t->events.phase[row] == 'E') {
        t->events.phase[row] = PF_PHASE_LEFT_OUT;
    }
    if (t->events.phase[row] == 'B' && o->member[PF_MEMBER_PHASE].form == PF_FORM_INTEGER) {
        make_complete(d, row, -1); /* its end is lost */
    }
    if (o->member[PF_MEMBER_NAME].form == PF_FORM_TEXT) {
        t->events.name[row] = read_text(d->im, o->member[PF_MEMBER_NAME].text);
    }
    uint32_t category = o->member[PF_MEMBER_CATEGORY].form ? read_text(d->im, o->member[PF_MEMBER_CATEGORY].text) : 0;
    if (category && !pf_import_failed(d->im)) {
        pf_trace_grow_events(t, 0, true, d->im->err);
    }
    if (o->member[PF_MEMBER_CATEGORY].form == PF_FORM_TEXT && row < t->events.category_room) {
        t->events.category[row] = category;
    }
    read_time(d->im, o->member[PF_MEMBER_TS].text, &t->events.ts[row]);
    if (t->events.phase[row] == 'X') {
        int64_t dur = t->events.dur[row];
        read_time(d->im, o->member[PF_MEMBER_DUR].text, &dur);
        make_complete(d, row, dur);
    }
}

static void each_note(document_rows *d, void (*take)(document_rows *d, uint32_t row, const pf_origin *o))
{
    const pf_trace *t = d->t;
    uint32_t i = t->origins.count ? pf_rows_lower_bound(t->origins.event, t->origins.count, d->first) : 0;
    for (; i < t->origins.count && !pf_import_failed(d->im); i++) {
        const pf_origin o = pf_origin_read(t->origins.bytes[i], t->origins.len[i]);
        take(d, t->origins.event[i], &o);
    }
}

static pf_status find_places(document_rows *d)
{
    pf_trace *t = d->t;
    bool any = false;
    uint32_t said;
    if (!t->places) {
        PF_TRY(PF_ARENA_NEW(&t->arena, t->places, t->input_count, d->im->err));
        memset(t->places, 0, t->input_count * sizeof *t->places);
    }
    PF_TRY(PF_ARENA_NEW(&t->arena, d->place, (size_t)d->count + d->listed, d->im->err));
    PF_TRY(pf_trace_json_places(t, t->input, &t->budget, d->place, &said, d->im->err));
    for (uint32_t i = 0; i < d->listed; i++) {
        d->list[i].place = d->list[i].row == PF_NONE ? d->list[i].place : d->place[d->list[i].row - d->first];
        any |= d->list[i].place != PF_NONE;
    }
    bool by_time = !said && d->im->input->converted_pairs, by_row = !said && !by_time && !any;
    for (uint32_t i = 0; i < d->count; i++) {
        bool named = d->place[i] == PF_NONE && t->events.phase[d->first + i] == 'M';
        d->place[i] = named ? PF_NO_PLACE : by_time ? PF_NONE : (by_row ? i : d->place[i]) + 1;
    }
    for (uint32_t i = 0; i < d->listed; i++) {
        d->list[i].place++; /* of PF_NONE: those that were nowhere are first */
    }
    t->places[t->input] = d->place;
    return PF_OK;
}

static void list_leftovers(document_rows *d)
{
    const pf_trace *t = d->t;
    for (uint32_t i = 0; i < t->leftovers.count; i++) {
        if (!t->leftovers.of_document[i] && t->leftovers.input[i] == t->input) {
            list_whole(d, t->leftovers.text[i], t->leftovers.place[i], PF_NONE);
        }
    }
}

/* More of the note of the row added last. */
static pf_status add_to_note(document_rows *d, pf_str more)
{
    pf_trace *t = d->t;
    pf_buffer *b = &d->im->scratch;
    uint32_t last = t->origins.count - 1;
    b->len = 0;
    if (t->origins.count && t->origins.event[last] == t->events.count - 1) {
        pf_buffer_put(b, t->origins.bytes[last], t->origins.len[last]);
        t->origins.count = last;
    }
    pf_buffer_put(b, more.ptr, more.len);
    return b->failed ? pf_import_refuse(d->im, b->len)
                     : pf_trace_add_origin(t, (const uint8_t *)b->data, b->len, true, d->im->err);
}

/* The row added last is the event at `at` in the text. */
static pf_status take_row(document_rows *d, size_t at)
{
    static const char hidden[] = {PF_TAG_VARINT(PF_ORIGIN_HIDDEN), 1};
    pf_trace *t = d->t;
    uint32_t row = t->events.count - 1;
    for (; d->at + 1 < d->listed && d->list[d->at + 1].at <= at; d->at++) {
    }
    const whole_event *e = &d->list[d->at];
    d->place[row - d->first] = e->place;
    if (e->row == PF_NONE) {
        return add_to_note(d, (pf_str){hidden, sizeof hidden});
    }
    t->events.track[row] = t->events.track[e->row];
    t->events.phase[e->row] = PF_PHASE_LEFT_OUT;
    pf_import_put(d->im, &d->moved, e->row, row);
    return add_to_note(d, pf_trace_origin(t, e->row));
}

static pf_status read_list(document_rows *d, json_events *j)
{
    const pf_window w = {.data = (const uint8_t *)d->text.data, .len = d->text.len - PF_SLOP, .last = true};
    pf_json_step step = PF_JSON_STEP_FULL;
    j->applier.piece = &j->piece;
    j->applier.end = w.data + w.len;
    for (size_t pos = 0; step == PF_JSON_STEP_FULL && pos < w.len;) {
        step = pf_json_tokenize(&j->tokenizer, &w, &pos, w.len, &j->piece);
        uint32_t records = j->piece.count;
        for (uint32_t i = 0; i < records && d->t->events.count - d->first < d->count + d->listed;) { /* one each */
            size_t at = (size_t)(j->piece.base - w.data) + j->piece.record[i].offset;
            j->piece.count = i + 1;
            PF_TRY(pf_json_apply(&j->applier, &i));
            PF_TRY(take_row(d, at));
        }
    }
    return PF_OK;
}

/* Rows and nothing else: names, flows and counters are known, damage was counted when the document was read. */
static pf_status add_events(document_rows *d, json_events *j)
{
    pf_trace *t = d->t;
    pf_fault_counts faults;
    uint32_t want = t->want, unnamed = t->unnamed_slice, offsets = t->offsets.count;
    memcpy(faults.count, t->stat_count, sizeof faults.count);
    memcpy(faults.offset, t->stat_offset, sizeof faults.offset);
    PF_TRY(pf_trace_know_ids(t, d->im->err));
    pf_status st = pf_json_applier_init(&j->applier, t, false, d->im->err);
    j->applier.dialect = pf_dialect_named(d->im->input->unit == PF_UNIT_CYCLE ? "aie" : "chrome-json");
    j->applier.names_known = true;
    j->tokenizer.rules = (pf_json_rules){.depth = d->im->o->limits.depth,
                                         .keys = d->im->o->limits.keys,
                                         .longest = d->text.len,
                                         .cycles = d->im->input->unit == PF_UNIT_CYCLE};
    pf_json_rules_set_args_key(&j->tokenizer.rules, pf_str_of(pf_dialect_with_args_key()->args_key));
    j->tokenizer.kernel = pf_json_best_kernel();
    t->want &= PF_WANT_EVENTS | PF_WANT_ARGS | PF_WANT_ORIGINS | PF_WANT_NEW_SLICES;
    st = st == PF_OK ? read_list(d, j) : st;
    pf_json_applier_free(&j->applier);
    t->want = want;
    t->unnamed_slice = unnamed;
    t->offsets.count = offsets;
    memcpy(t->stat_count, faults.count, sizeof faults.count);
    memcpy(t->stat_offset, faults.offset, sizeof faults.offset);
    return st;
}

static pf_status add_whole(document_rows *d)
{
    static const char after[PF_SLOP];
    pf_trace *t = d->t;
    pf_buffer_text(&d->text, "]");
    pf_buffer_put(&d->text, after, sizeof after);
    json_events *j = d->text.failed ? NULL : pf_alloc_zero(&t->budget, 1, sizeof *j);
    if (!j) {
        return pf_import_refuse(d->im, sizeof *j);
    }
    pf_status st = pf_import_failed(d->im) ? d->im->err->code : add_events(d, j);
    pf_release(&t->budget, j, sizeof *j);
    for (uint32_t i = d->im->moves.first_sample; i < t->counters.count && d->moved.count; i++) {
        uint32_t row = pf_map_get(&d->moved, t->counters.event[i]);
        t->counters.event[i] = row == PF_NONE ? t->counters.event[i] : row;
    }
    return st;
}

static pf_status restore(document_rows *d)
{
    list_leftovers(d);
    each_note(d, take_phase);
    PF_TRY(d->im->err->code);
    PF_TRY(find_places(d));
    if (d->im->input->converted_pairs) {
        PF_TRY(find_complete(d));
    }
    each_note(d, take_members);
    PF_TRY(d->im->err->code);
    return d->listed ? add_whole(d) : PF_OK;
}

pf_status pf_import_document_rows(pf_import *im)
{
    pf_trace *t = im->t;
    document_rows d = {.im = im, .t = t, .first = im->input->first_event};
    if (!(t->want & PF_WANT_PLACES) || !im->input->converted) {
        return PF_OK;
    }
    im->input->events = d.count = t->events.count - d.first;
    pf_map_init(&d.moved, &t->budget);
    pf_status st = restore(&d);
    pf_map_free(&d.moved);
    pf_buffer_free(&d.text);
    PF_LIST_FREE(&t->budget, d.list, d.room);
    return st;
}
