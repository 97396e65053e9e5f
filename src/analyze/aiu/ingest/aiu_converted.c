/* analyze/aiu/ingest/aiu_converted.c - what conversions of JSON to Perfetto noted next to their packets, as events of
 * the store again: events that have no packet, counter events, and members that a packet says otherwise.
 *
 * The notes are bytes of the input and may say anything; what is no event is left out, as it is when the trace is
 * converted back.
 */
#include "analyze/aiu/facts/aiu_json_notes.h"
#include "analyze/aiu/ingest/aiu_ingest.h"

#include <math.h>
#include <string.h>

#include "base/text/number.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The text that a JSON value is; false if it is none. */
static bool read_text(aiu_run *run, pf_str json, uint32_t *text)
{
    pf_document *d = NULL;
    bool is = json.len && pf_aiu_parse(run, json, &d) && pf_document_root(d)->type == PF_NODE_TEXT;
    if (is) {
        *text = pf_aiu_text(run, pf_document_root(d)->as.s);
    }
    pf_document_free(d);
    return is;
}

/* Microseconds as whole nanoseconds; false if they are none. */
static bool read_time(const pf_node *n, int64_t *ns)
{
    if (n && n->type == PF_NODE_INT) {
        return !__builtin_mul_overflow(n->as.i, 1000, ns);
    }
    if (!n || n->type != PF_NODE_REAL || !(fabs(n->as.d) < 9e15)) {
        return false;
    }
    *ns = llround(n->as.d * 1000);
    return true;
}

static int64_t read_id(aiu_run *run, const pf_node *n)
{
    char digits[PF_NUMBER_MAX];
    if (!n) {
        return AIU_ID_NONE;
    }
    switch (n->type) {
    case PF_NODE_INT:
        return pf_aiu_id(run, PF_ID_INT, n->as.i, 0);
    case PF_NODE_TEXT:
        return AIU_ID_TEXT | (int64_t)pf_aiu_text(run, n->as.s);
    case PF_NODE_RAW:
        return AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)pf_aiu_text(run, n->as.s);
    case PF_NODE_REAL: {
        pf_str text = {digits, pf_format_real(n->as.d, digits)};
        return AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)pf_aiu_text(run, text);
    }
    default:
        return AIU_ID_NONE;
    }
}

static uint32_t text_of(aiu_run *run, const pf_node *n)
{
    return n && n->type == PF_NODE_TEXT ? pf_aiu_text(run, n->as.s) : 0;
}

/* A counter of a device: a number, or a text in decimal or 0x. */
static bool read_cycles(const pf_node *n, int64_t *v)
{
    uint64_t bits = 0;
    if (n && n->type == PF_NODE_INT) {
        *v = n->as.i;
        return *v >= 0;
    }
    pf_str s = n && n->type == PF_NODE_TEXT ? n->as.s : (pf_str){NULL, 0};
    bool hex = s.len > 2 && s.ptr[0] == '0' && (s.ptr[1] | 0x20) == 'x';
    bool is = hex ? pf_parse_hex(s.ptr + 2, s.len - 2, &bits) && bits <= INT64_MAX
                  : s.len > 0 && pf_parse_int(s.ptr, s.len, v) && *v >= 0;
    *v = hex ? (int64_t)bits : *v;
    return is;
}

/* ---- events as text ---------------------------------------------------------------------------------------------- */

static void take_cycles(aiu_run *run, uint32_t event, const pf_node *args)
{
    static const char *const keys[] = {"TS1", "TS2", "TS3", "TS4", "TS5"};
    bool all = args != NULL;
    for (unsigned n = 0; n < 5 && all; n++) {
        int64_t v = 0;
        all = read_cycles(pf_node_get(args, keys[n]), &v);
        run->events.tsx[n][event] = v;
    }
    run->events.flags[event] |= all ? AIU_HAS_TS : 0;
}

/* As in JSON: a slice at no time has no length, one of no length goes. */
static double length_of(const pf_node *root, uint32_t flags)
{
    int64_t dur;
    bool slice = pf_str_is(pf_node_get(root, "ph")->as.s, "X") && !(flags & AIU_NO_TIME);
    return !slice ? 0 : read_time(pf_node_get(root, "dur"), &dur) ? (double)dur / 1000.0 : -1;
}

static void fill(aiu_run *run, uint32_t event, const pf_node *root)
{
    aiu_events *e = &run->events;
    int64_t ts = 0;
    e->flags[event] |= read_time(pf_node_get(root, "ts"), &ts) ? 0 : AIU_NO_TIME;
    e->ts[event] = pf_aiu_us(run, ts);
    e->dur[event] = length_of(root, e->flags[event]);
    e->tid[event] = read_id(run, pf_node_get(root, "tid"));
    e->name[event] = text_of(run, pf_node_get(root, "name"));
    e->cat[event] = text_of(run, pf_node_get(root, "cat"));
    if (e->phase[event] == 'X') {
        take_cycles(run, event, pf_aiu_noted_args(root));
    }
    pf_aiu_set_rank(run, event, read_id(run, pf_node_get(root, "pid")));
}

/* The event's object, or NULL if the text is none. */
static const pf_node *parse_event(const aiu_run *run, pf_str json, pf_document **d)
{
    bool read = json.len && pf_aiu_parse(run, json, d);
    const pf_node *root = read ? pf_document_root(*d) : NULL;
    const pf_node *phase = root && root->type == PF_NODE_OBJECT ? pf_node_get(root, "ph") : NULL;
    return phase && phase->type == PF_NODE_TEXT && phase->as.s.len ? root : NULL;
}

static void add_leftover(aiu_run *run, uint32_t job, pf_str json)
{
    pf_document *d = NULL;
    const pf_node *root = parse_event(run, json, &d);
    uint8_t phase = root ? (uint8_t)pf_node_get(root, "ph")->as.s.ptr[0] : 'E';
    if (phase != 'E') { /* an end without a packet has no begin in packets */
        uint32_t event = pf_aiu_add_event(run, phase == 'B' ? 'X' : phase);
        if (event != PF_NONE && pf_aiu_note(run, event, &(aiu_noted){.json = json}) == PF_OK) {
            run->events.job[event] = job;
            run->events.flags[event] = (run->jobs[job].torch ? AIU_TORCH : 0) | AIU_SHOW_RANK;
            fill(run, event, root);
        }
    }
    pf_document_free(d);
}

void pf_aiu_take_leftovers(aiu_run *run, uint32_t job, bool first)
{
    const pf_trace *t = run->trace;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->leftovers.count && !pf_aiu_failed(run); i++) {
        if (t->leftovers.of_document[i] || t->leftovers.input[i] != run->jobs[job].input) {
            continue;
        }
        uint32_t place = t->leftovers.place[i];
        bool leads = place == PF_NONE || place == n; /* only others of them are before it */
        n += leads;
        if (leads == first) {
            add_leftover(run, job, t->leftovers.text[i]);
        }
    }
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static bool is_sample(const pf_trace *t, uint32_t row)
{
    const pf_events *e = pf_trace_events(t);
    return row < e->count && e->phase[row] == 'C' && pf_track_type_is_counter(pf_trace_tracks(t)->type[e->track[row]]);
}

void pf_aiu_find_counters(aiu_run *run, aiu_counter_events *out, void (*skip)(void *ctx, uint32_t row), void *ctx)
{
    enum { MOST = 64 };
    const pf_counters *k = pf_trace_counters(run->trace);
    pf_json_samples *s = &out->names;
    out->by_row = pf_aiu_scratch_map(run);
    pf_json_samples_init(s, run->trace, run->budget, &run->error);
    for (uint32_t i = 0; i < k->count && !pf_aiu_failed(run); i++) {
        uint32_t row = k->event[i];
        if (!is_sample(run->trace, row)) {
            continue;
        }
        pf_origin o = pf_json_samples_note(s, i);
        if (o.hidden) {
            skip(ctx, row);
            continue;
        }
        aiu_counter_event c = {.json = o.whole, .sample = i, .samples = 1, .reals = pf_json_samples_real(&o)};
        c.cat = o.member[PF_MEMBER_CATEGORY].text;
        while (i + 1 < k->count && c.samples < MOST && k->ts[i + 1] == k->ts[i] &&
               is_sample(run->trace, k->event[i + 1]) && pf_json_samples_joins(s, i + 1, &o)) {
            i++;
            skip(ctx, k->event[i]);
            c.reals |= (uint64_t)pf_json_samples_real(&o) << c.samples++;
        }
        if (AIU_ROOM(run, out->list, out->count + 1, out->room) == PF_OK) {
            out->list[out->count] = c;
            pf_aiu_map(run, out->by_row, row, out->count++);
        }
    }
}

/* The series of an event as its arguments. */
static void take_series(aiu_run *run, uint32_t event, const pf_json_samples *names, const aiu_counter_event *c)
{
    const pf_counters *k = pf_trace_counters(run->trace);
    pf_str name = {NULL, 0}, series;
    for (uint32_t n = c->samples; n-- > 0;) {
        double v = k->value[c->sample + n];
        bool whole = fabs(v) <= 0x1p53 && v == floor(v) && !(c->reals >> n & 1);
        pf_json_samples_name(names, k->track[c->sample + n], &name, &series);
        whole ? pf_aiu_add_int(run, event, series, (int64_t)v) : pf_aiu_add_real(run, event, series, v);
    }
    run->events.name[event] = pf_aiu_text(run, name);
}

void pf_aiu_take_counter(aiu_run *run, uint32_t event, const aiu_counter_events *all, uint32_t i)
{
    const aiu_counter_event *c = &all->list[i];
    pf_document *d = NULL;
    const pf_node *root = c->json.ptr ? parse_event(run, c->json, &d) : NULL;
    aiu_noted noted = {.json = root ? c->json : (pf_str){NULL, 0}, .sample = c->sample, .samples = c->samples};
    pf_aiu_note(run, event, &noted);
    if (root) {
        fill(run, event, root);
    } else {
        read_text(run, c->cat, &run->events.cat[event]);
        take_series(run, event, &all->names, c);
    }
    pf_document_free(d);
}

/* ---- notes of rows ----------------------------------------------------------------------------------------------- */

void pf_aiu_take_note(aiu_run *run, uint32_t event, const pf_origin *o)
{
    aiu_events *e = &run->events;
    pf_document *d = NULL;
    int64_t ns;
    if (o->member[PF_MEMBER_PHASE].form == PF_FORM_INTEGER) {
        uint8_t said = (uint8_t)(o->member[PF_MEMBER_PHASE].number & 0x7f);
        e->phase[event] = said == 'I' || said == 'R' ? 'i' : said; /* as in JSON */
    }
    static const pf_member texts[] = {PF_MEMBER_NAME, PF_MEMBER_CATEGORY};
    uint32_t *const ids[] = {&e->name[event], &e->cat[event]};
    for (unsigned k = 0; k < 2; k++) {
        if (o->member[texts[k]].form == PF_FORM_TEXT) {
            *ids[k] = 0;
            read_text(run, o->member[texts[k]].text, ids[k]);
        }
    }
    static const pf_member times[] = {PF_MEMBER_TS, PF_MEMBER_DUR};
    double *const places[] = {&e->ts[event], &e->dur[event]};
    for (unsigned k = 0; k < 2; k++) {
        pf_str text = o->member[times[k]].text;
        if (text.len && pf_aiu_parse(run, text, &d) && read_time(pf_document_root(d), &ns)) {
            *places[k] = k == 0 ? pf_aiu_us(run, ns) : (double)ns / 1000.0;
        }
        pf_document_free(d);
        d = NULL;
    }
}
