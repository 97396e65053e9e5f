/* analyze/aiu/facts/aiu_event_text.c - one event as text: its members, the arguments that it came with, what stages
 * changed of them and what they added.
 *
 * Arguments of the input are copied as they were written, except those that stages know better: the counters, which are
 * decimal texts once they are normalised, the charge, and what has an argument of that name added.
 */

#include "analyze/aiu/facts/aiu_facts.h"
#include "base/files/file.h"
#include "base/text/json_text.h"
#include "base/text/number.h"
#include "model/trace/json_notes.h"
#include "json/scan/record_parts.h"

typedef struct putter {
    aiu_run *run;
    uint32_t event;
    aiu_spelling spelling;
    pf_buffer *out;
    bool first;        /* no member of the innermost object was put yet */
    bool bare_args;    /* the input gives the event no arguments */
    pf_buffer nesting; /* what closes the levels below the arguments that are open */
    size_t hidden;     /* levels inside an argument that is left out */
} putter;

static void put_text(putter *p, const char *s)
{
    pf_buffer_text(p->out, s);
}

/* As Python prints a text in single quotes. */
static void put_python_text(pf_buffer *out, pf_str s)
{
    pf_buffer_text(out, "'");
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '\n' || c >= 0x20) {
            pf_buffer_text(out, c == '\n' || c == '\'' || c == '\\' ? "\\" : "");
            pf_buffer_put(out, c == '\n' ? "n" : s.ptr + i, 1);
        } else {
            pf_buffer_format(out, "\\x%02x", c);
        }
    }
    pf_buffer_text(out, "'");
}

static void put_string(putter *p, pf_str s)
{
    (p->spelling == AIU_SPELL_JSON ? pf_json_put_utf8 : put_python_text)(p->out, s);
}

static void put_real(putter *p, double v)
{
    char digits[PF_NUMBER_MAX];
    pf_buffer_put(p->out, digits, pf_format_real(v, digits));
}

static void put_comma(putter *p)
{
    put_text(p, p->first ? "" : ", ");
    p->first = false;
}

static void put_key(putter *p, pf_str key)
{
    put_comma(p);
    put_string(p, key);
    put_text(p, ": ");
}

static void put_value(putter *p, const pf_value *v)
{
    bool json = p->spelling == AIU_SPELL_JSON;
    switch (v->type) {
    case PF_VALUE_BOOL:
        put_text(p, json ? (v->as.b ? "true" : "false") : (v->as.b ? "True" : "False"));
        break;
    case PF_VALUE_INT:
        pf_buffer_int(p->out, v->as.i);
        break;
    case PF_VALUE_UINT:
    case PF_VALUE_POINTER:
        pf_buffer_decimal(p->out, v->as.u);
        break;
    case PF_VALUE_REAL:
        put_real(p, v->as.d);
        break;
    case PF_VALUE_STRING:
        put_string(p, v->as.s);
        break;
    case PF_VALUE_JSON:
        pf_buffer_put(p->out, v->as.s.ptr, v->as.s.len);
        break;
    case PF_VALUE_NULL:
        put_text(p, json ? "null" : "None");
        break;
    }
}

#define INT(v) (&(pf_value){.type = PF_VALUE_INT, .as.i = (v)})
#define REAL(v) (&(pf_value){.type = PF_VALUE_REAL, .as.d = (v)})
#define STRING(...) (&(pf_value){.type = PF_VALUE_STRING, .as.s = __VA_ARGS__})
#define TOKEN(v) (&(pf_value){.type = PF_VALUE_JSON, .as.s = (v)}) /* what is spelled already */

static void put_member(putter *p, const char *key, const pf_value *v)
{
    put_key(p, pf_str_of(key));
    put_value(p, v);
}

/* The id of a process, a thread or a rank. */
static void put_id(putter *p, const char *key, int64_t id)
{
    if (id == AIU_ID_NONE) {
        put_member(p, key, TOKEN(PF_STR("null")));
    } else if (id <= 0 || !(id & AIU_ID_TEXT)) {
        put_member(p, key, INT(id));
    } else if (id & AIU_ID_NUMBER) {
        put_member(p, key, TOKEN(pf_aiu_text_of(p->run, (uint32_t)id)));
    } else {
        put_member(p, key, STRING(pf_aiu_text_of(p->run, (uint32_t)id)));
    }
}

static void put_open(putter *p, const char *key)
{
    put_key(p, pf_str_of(key));
    put_text(p, "{");
    p->first = true;
}

static void put_close(putter *p)
{
    put_text(p, "}");
    p->first = false;
}

/* Arguments that are written from columns, or replaced. */
static bool is_left_out(const putter *p, pf_str key)
{
    uint32_t flags = p->run->as_written ? 0 : p->run->events.flags[p->event];
    bool counter = key.len == 3 && key.ptr[0] == 'T' && key.ptr[1] == 'S' && key.ptr[2] >= '1' && key.ptr[2] <= '5';
    return (flags & AIU_HAS_TS && (counter || pf_str_is(key, "Power"))) ||
           (flags & AIU_PEER_LISTED && pf_str_is(key, "Peer")) || pf_aiu_find_extra(p->run, p->event, key);
}

/* The key of an argument; phase 0: as it was written. */
static pf_str plain_key(pf_str key, uint8_t phase)
{
    key = pf_str_from(key, pf_str_starts(key, PF_STR("args.")) ? 5 : pf_str_starts(key, PF_STR("debug.")) ? 6 : 0);
    return phase == 'X' && pf_str_is(key, "Bytes") ? PF_STR("bytes") : key;
}

/* What comes before a value: the key, or a comma in a list. False: it is left out. */
static bool put_before(putter *p, pf_str key)
{
    size_t depth = p->nesting.len;
    bool listed = depth && p->nesting.data[depth - 1] == ']';
    key = depth ? key : plain_key(key, p->run->as_written ? 0 : p->run->events.phase[p->event]);
    if (p->hidden || (!depth && is_left_out(p, key))) {
        return false;
    }
    if (listed) {
        put_comma(p);
    } else {
        put_key(p, key);
    }
    return true;
}

static pf_status begin(void *ctx, pf_str key, bool list)
{
    putter *p = ctx;
    if (!put_before(p, key)) {
        p->hidden++;
        return PF_OK;
    }
    put_text(p, list ? "[" : "{");
    pf_buffer_text(&p->nesting, list ? "]" : "}");
    p->first = true;
    return p->nesting.failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status end(void *ctx)
{
    putter *p = ctx;
    if (p->hidden) {
        p->hidden--;
        return PF_OK;
    }
    p->nesting.len--;
    pf_buffer_put(p->out, p->nesting.data + p->nesting.len, 1);
    p->first = false;
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    putter *p = ctx;
    const aiu_events *e = &p->run->events;
    bool device = !p->nesting.len && e->flags[p->event] & AIU_TORCH && e->phase[p->event] == 'X' &&
                  pf_str_is(plain_key(key, 'X'), "device");
    if (!put_before(p, key)) {
        return PF_OK;
    }
    if (device) { /* of a rank, in the trace of all ranks */
        pf_buffer_int(p->out, p->run->jobs[e->job[p->event]].rank);
    } else if (v->spelling.ptr) {
        pf_buffer_put(p->out, v->spelling.ptr, v->spelling.len);
    } else {
        put_value(p, v);
    }
    return PF_OK;
}

/* A number in quotes. */
static void put_quoted_number(putter *p, const char *key, int64_t v)
{
    const char *quote = p->spelling == AIU_SPELL_JSON ? "\"" : "'";
    put_key(p, pf_str_of(key));
    put_text(p, quote);
    pf_buffer_int(p->out, v);
    put_text(p, quote);
}

static void put_counters(putter *p)
{
    static const char *const names[] = {"TS1", "TS2", "TS3", "TS4", "TS5"};
    const aiu_events *e = &p->run->events;
    for (unsigned n = 0; n < 5; n++) {
        put_quoted_number(p, names[n], e->tsx[n][p->event]);
    }
    if (e->flags[p->event] & AIU_POWER_NUMBER) {
        put_member(p, "Power", INT(e->power[p->event]));
    } else if (e->flags[p->event] & AIU_HAS_POWER) {
        put_quoted_number(p, "Power", e->power[p->event]);
    }
    if (e->flags[p->event] & AIU_EXTENDED) {
        put_member(p, "OVC", INT(e->ovc[p->event]));
    }
}

static void put_five(putter *p, const char *key, double (*of)(const aiu_run *, uint32_t, unsigned), double origin)
{
    put_key(p, pf_str_of(key));
    for (unsigned n = 1; n <= 5; n++) {
        put_text(p, n == 1 ? "[" : ", ");
        put_real(p, of(p->run, p->event, n) + origin);
    }
    put_text(p, "]");
}

static void put_clock(putter *p)
{
    const aiu_run *run = p->run;
    uint32_t flags = run->events.flags[p->event];
    if (flags & AIU_ADJUSTED) {
        put_open(p, "time_adjust");
        put_member(p, "dur", REAL(run->events.adjust_dur[p->event]));
        put_member(p, "ts", REAL(run->events.adjust_ts[p->event]));
        put_close(p);
    }
    if (flags & AIU_ON_CLOCK && run->show_ts_dev) {
        put_five(p, "ts_dev", pf_aiu_step_time, run->clocks_matched ? -run->events.anchor_device[p->event] : 0);
    }
    if (flags & AIU_ON_CLOCK && run->show_ts_all) {
        put_five(p, "ts_all", pf_aiu_ts_all, run->origin);
    }
}

static void put_facts(putter *p)
{
    const aiu_run *run = p->run;
    const aiu_events *e = &run->events;
    uint32_t flags = e->flags[p->event];
    const aiu_job *job = &run->jobs[e->job[p->event]];
    if (flags & AIU_HAS_TS && !run->as_written) {
        put_counters(p);
        put_clock(p);
    }
    if (flags & AIU_HAS_CLASS) {
        put_member(p, "class", STRING(pf_str_of(pf_aiu_class_name(e->class[p->event]))));
    }
    if (flags & AIU_CORE_USED) {
        put_member(p, "core used", &(pf_value){.type = PF_VALUE_BOOL, .as.b = true});
    }
    if (flags & AIU_SHOW_DEVICE && !pf_aiu_find_extra(run, p->event, PF_STR("device"))) {
        put_id(p, "device", e->pid[p->event]);
    }
    /* acelyzer gives metadata of flex files a rank. */
    bool metadata = e->phase[p->event] == 'M' && (flags & AIU_TORCH || !pf_aiu_rule(run, AIU_OWN_FORMS));
    bool bare = (metadata || e->phase[p->event] == 'C') && p->spelling == AIU_SPELL_JSON &&
                (run->members_in_args || pf_aiu_rule(run, AIU_OWN_FORMS));
    bool shown = !bare && !(e->phase[p->event] == 'i' && p->bare_args);
    if (flags & AIU_SHOW_RANK && shown) {
        put_id(p, "rank", flags & AIU_TORCH ? job->rank : e->pid[p->event]);
    }
    if (flags & AIU_SHOW_JOB) {
        put_member(p, "jobname", STRING(job->name));
    }
    for (uint32_t i = e->extra[p->event]; i != PF_NONE; i = run->extras.list[i].next) {
        const aiu_extra *x = &run->extras.list[i];
        put_key(p, pf_aiu_text_of(run, x->key));
        put_value(p, x->type == AIU_EXTRA_INT    ? INT(x->as.i)
                     : x->type == AIU_EXTRA_REAL ? REAL(x->as.d)
                     : x->type == AIU_EXTRA_TEXT ? STRING(pf_aiu_text_of(run, x->as.text))
                                                 : TOKEN(pf_aiu_text_of(run, x->as.text)));
    }
}

/* The members of the input that have no place in the tables, as they were written; none that has one of its own. */
static void put_members(putter *p)
{
    static const char *const own[] = {"args", "attr", "ts", "dur", "pid", "tid", "ph", "name", "cat"};
    static const char after[PF_SLOP];
    uint32_t row = pf_aiu_trace_row(p->run, p->event);
    pf_str json = row == PF_NONE ? (pf_str){NULL, 0} : pf_trace_event_members(p->run->trace, row);
    pf_buffer copy = {0};
    pf_json_member m;
    pf_buffer_put(&copy, json.ptr, json.len);
    pf_buffer_put(&copy, after, json.len ? sizeof after : 0);
    const uint8_t *at = (const uint8_t *)copy.data, *end = at + json.len;
    while (json.len && !copy.failed && pf_json_next_member(&at, end, &m)) {
        bool is_own = false;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
            is_own |= pf_str_is(m.key, own[i]);
        }
        if (!is_own) {
            put_comma(p);
            pf_buffer_format(p->out, "\"%.*s\": %.*s", PF_TEXT_ARG(m.key), PF_TEXT_ARG(m.value));
        }
    }
    p->out->failed |= copy.failed;
    pf_buffer_free(&copy);
}

static void put_scope(putter *p)
{
    char scope = pf_aiu_scope(p->run, p->event);
    put_member(p, "s", STRING((pf_str){&scope, 1}));
}

/* The number of a recorded flow or asynchronous event: as the input wrote it, or as the table has it; those of flows
 * count on from input to input. Members that the tables have no place for move to the arguments in the end; before that
 * they are members. */
static void put_own_members(putter *p)
{
    const aiu_run *run = p->run;
    uint8_t phase = run->events.phase[p->event];
    uint32_t row = pf_aiu_trace_row(run, p->event), made = pf_map_get(run->async_ids, p->event);
    bool flow = phase == 's' || phase == 't' || phase == 'f', async = phase == 'b' || phase == 'n' || phase == 'e';
    if (row != PF_NONE && (flow || (async && made == PF_NONE))) {
        const pf_origin o = pf_origin_of(run->trace, row);
        bool written = o.member[PF_MEMBER_ID].form == PF_FORM_TEXT && o.member[PF_MEMBER_ID].text.len;
        int64_t base = flow ? run->jobs[run->events.job[p->event]].flow_base : 0;
        put_member(p, "id", written ? TOKEN(o.member[PF_MEMBER_ID].text) : INT(pf_aiu_flow_id(run, p->event) + base));
        if (phase == 'f') {
            put_member(p, "bp", STRING(PF_STR("e")));
        }
    } else if (!run->members_in_args) {
        put_members(p);
    }
    if (phase == 'i') {
        put_scope(p);
    }
    if (made != PF_NONE) {
        put_member(p, "id", INT(made));
    }
}

static void put_head(putter *p, pf_str name, uint8_t phase, int64_t pid, int64_t tid, double ts, bool timed)
{
    put_text(p, "{");
    p->first = true;
    put_member(p, "name", STRING(name.ptr ? name : PF_STR("")));
    put_member(p, "ph", STRING((pf_str){(const char *)&phase, 1}));
    put_id(p, "pid", pid);
    if (tid != AIU_ID_NONE) {
        put_id(p, "tid", tid);
    }
    if (timed) {
        put_member(p, "ts", REAL(ts + p->run->origin));
    }
}

/* Whether the input calls the arguments attr. */
static bool are_attributes(const putter *p)
{
    const pf_origin o = pf_origin_of(p->run->trace, pf_aiu_trace_row(p->run, p->event));
    return o.member[PF_MEMBER_ARGS].form == PF_FORM_TEXT && !o.member[PF_MEMBER_ARGS].text.len;
}

static void put_args(putter *p)
{
    const pf_arg_visitor visitor = {.ctx = p, .begin = begin, .end = end, .value = value, .raw_names = true};
    aiu_run *run = p->run;
    uint8_t phase = run->events.phase[p->event];
    uint32_t row = pf_aiu_trace_row(run, p->event);
    if (phase == 's' || phase == 't' || phase == 'f') {
        return;
    }
    put_open(p, run->as_written && are_attributes(p) ? "attr" : "args");
    if (row != PF_NONE) {
        pf_trace_visit_args(run->trace, row, &visitor, &run->error);
    }
    p->bare_args = p->first && !pf_aiu_has_args(run, p->event);
    if (run->members_in_args) {
        put_members(p);
    }
    if (phase == 'i' && run->members_in_args) {
        put_scope(p);
    }
    put_facts(p);
    put_close(p);
}

void pf_aiu_put_event(aiu_run *run, uint32_t event, aiu_spelling spelling, pf_buffer *out)
{
    putter p = {.run = run, .event = event, .spelling = spelling, .out = out};
    const aiu_events *e = &run->events;
    uint8_t phase = e->phase[event];
    bool last = run->members_in_args || !pf_aiu_rule(run, AIU_OWN_FORMS);
    bool no_thread = (phase == 'M' && e->tid[event] == 0 && last) || phase == 'C';
    put_head(&p, pf_aiu_text_of(run, e->name[event]), phase, pf_aiu_shown_pid(run, event),
             no_thread ? AIU_ID_NONE : e->tid[event], e->ts[event], !(e->flags[event] & AIU_NO_TIME));
    if (phase == 'X') {
        put_member(&p, "dur", REAL(e->dur[event]));
    }
    if (e->cat[event]) {
        put_member(&p, "cat", STRING(pf_aiu_text_of(run, e->cat[event])));
    } else if (last && (phase == 'i' || phase == 'C')) {
        put_member(&p, "cat", TOKEN(phase == 'i' ? PF_STR("null") : PF_STR("\"\"")));
    }
    put_own_members(&p);
    put_args(&p);
    put_text(&p, "}");
    if (out->failed || p.nesting.failed) {
        pf_no_memory(&run->error);
    }
    pf_buffer_free(&p.nesting);
}

void pf_aiu_put_sample(aiu_run *run, uint32_t sample, pf_buffer *out)
{
    putter p = {.run = run, .spelling = AIU_SPELL_JSON, .out = out};
    const aiu_samples *s = &run->samples;
    const aiu_series_facts *f = pf_aiu_series(s->series[sample]);
    pf_str label = pf_aiu_text_of(run, s->label[sample]);
    bool charge = s->series[sample] == AIU_SERIES_CHARGE,
         last = run->members_in_args || !pf_aiu_rule(run, AIU_OWN_FORMS);
    pf_str cat = charge ? label : pf_str_of(f->cat), name = label.ptr && !charge ? label : pf_str_of(f->name);
    put_head(&p, name, 'C', s->pid[sample], AIU_ID_NONE, s->ts[sample], true);
    if (cat.len || last) {
        put_member(&p, "cat", STRING(cat));
    }
    if (charge) {
        put_member(&p, "TS_cycles", REAL(s->ts[sample] + run->origin));
    }
    put_open(&p, "args");
    put_member(&p, f->key, f->whole ? INT((int64_t)s->value[sample]) : REAL(s->value[sample]));
    put_text(&p, "}}");
}

void pf_aiu_put_arrow(aiu_run *run, uint32_t arrow, pf_buffer *out)
{
    putter p = {.run = run, .spelling = AIU_SPELL_JSON, .out = out};
    const aiu_arrows *a = &run->arrows;
    put_head(&p, pf_aiu_text_of(run, a->name[arrow]), a->phase[arrow], a->pid[arrow], a->tid[arrow], a->ts[arrow],
             true);
    put_member(&p, "cat", STRING(pf_aiu_text_of(run, a->cat[arrow])));
    put_member(&p, "id", INT(a->id[arrow]));
    if (a->phase[arrow] == 'f') {
        put_member(&p, "bp", STRING(PF_STR("e")));
    }
    put_text(&p, "}");
}

const char *pf_aiu_event_text(aiu_run *run, uint32_t event)
{
    pf_buffer b = {0};
    pf_aiu_put_event(run, event, AIU_SPELL_PYTHON, &b);
    pf_str kept = pf_pass_keep_buffer(run->findings, &b);
    return kept.ptr ? kept.ptr : "";
}
