/* analyze/aiu/text/aiu_event_text.c - one event as text: its members, the arguments that it came with, what stages
 * changed of them and what they added.
 *
 * Arguments of the input are copied as they were written, except those that stages know better: the counters, which are
 * decimal texts once they are normalised, the charge, and what has an argument of that name added.
 */
#include <string.h>

#include "analyze/aiu/facts/aiu_noted.h"
#include "analyze/aiu/text/aiu_event_text.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"
#include "model/trace/json_notes.h"

typedef struct putter {
    aiu_run *run;
    uint32_t event;
    aiu_spelling spelling;
    pf_buffer *out;
    bool first;        /* no member of the innermost object was put yet */
    bool bare_args;    /* the input gives the event no arguments */
    pf_buffer nesting; /* what closes the levels below the arguments that are open */
    size_t hidden;     /* levels inside an argument that is left out */
    pf_error *err;
} putter;

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void put_text(putter *p, const char *s)
{
    pf_buffer_text(p->out, s);
}

static void put_json_text(pf_buffer *out, pf_str s, char quote)
{
    pf_buffer_put(out, &quote, 1);
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c >= 0x20 && c != (unsigned char)quote && c != '\\') {
            continue;
        }
        pf_buffer_put(out, s.ptr + from, i - from);
        from = i + 1;
        if (c == '\n') {
            pf_buffer_text(out, "\\n");
        } else if (c >= 0x20) {
            pf_buffer_put(out, (const char[]){'\\', (char)c}, 2);
        } else {
            pf_buffer_format(out, quote == '"' ? "\\u%04x" : "\\x%02x", c);
        }
    }
    pf_buffer_put(out, s.ptr + from, s.len - from);
    pf_buffer_put(out, &quote, 1);
}

static void put_string(putter *p, pf_str s)
{
    put_json_text(p->out, s, p->spelling == AIU_SPELL_JSON ? '"' : '\'');
}

static void put_real(putter *p, double v)
{
    char digits[PF_NUMBER_MAX];
    pf_buffer_put(p->out, digits, pf_format_real(v, digits));
}

static void put_key(putter *p, pf_str key)
{
    if (!p->first) {
        put_text(p, ", ");
    }
    p->first = false;
    put_string(p, key);
    put_text(p, ": ");
}

#define KEY(p, literal) put_key(p, PF_STR(literal))

static void put_id(putter *p, int64_t id)
{
    if (id == AIU_ID_NONE) {
        put_text(p, "null");
    } else if (id > 0 && id & AIU_ID_TEXT) {
        pf_str s = pf_aiu_text_of(p->run, (uint32_t)id);
        if (id & AIU_ID_NUMBER) {
            pf_buffer_put(p->out, s.ptr, s.len);
        } else {
            put_string(p, s);
        }
    } else {
        pf_buffer_int(p->out, id);
    }
}

/* ---- arguments of the input -------------------------------------------------------------------------------------- */

static bool is_extra(const putter *p, pf_str key)
{
    const aiu_run *run = p->run;
    for (uint32_t x = run->events.extra[p->event]; x != PF_NONE; x = run->extras.list[x].next) {
        pf_str name = pf_aiu_text_of(run, run->extras.list[x].key);
        if (name.len == key.len && memcmp(name.ptr, key.ptr, key.len) == 0) {
            return true;
        }
    }
    return false;
}

/* Arguments that are written from columns, or replaced. */
static bool is_left_out(const putter *p, pf_str key)
{
    uint32_t flags = p->run->events.flags[p->event];
    if (p->run->as_written) {
        return is_extra(p, key);
    }
    bool counter = key.len == 3 && key.ptr[0] == 'T' && key.ptr[1] == 'S' && key.ptr[2] >= '1' && key.ptr[2] <= '5';
    return (counter && flags & AIU_HAS_TS) || (flags & AIU_HAS_TS && pf_aiu_equals(key, "Power")) ||
           (flags & AIU_PEER_LISTED && pf_aiu_equals(key, "Peer")) || is_extra(p, key);
}

/* The key of an argument; phase 0: as it was written. */
static pf_str plain_key(pf_str key, uint8_t phase)
{
    bool args = pf_aiu_starts_with(key, "args."), debug = pf_aiu_starts_with(key, "debug.");
    size_t cut = args ? 5 : debug ? 6 : 0;
    key = (pf_str){key.ptr + cut, key.len - cut};
    return phase == 'X' && pf_aiu_equals(key, "Bytes") ? PF_STR("bytes") : key;
}

/* What comes before a value: the key, or a comma in a list. False: it is left out. */
static bool put_before(putter *p, pf_str key)
{
    if (p->hidden) {
        return false;
    }
    size_t depth = p->nesting.len;
    if (depth && p->nesting.data[depth - 1] == ']') {
        if (!p->first) {
            put_text(p, ", ");
        }
        p->first = false;
        return true;
    }
    key = depth ? key : plain_key(key, p->run->as_written ? 0 : p->run->events.phase[p->event]);
    if (!depth && is_left_out(p, key)) {
        return false;
    }
    put_key(p, key);
    return true;
}

static pf_status done(const putter *p)
{
    return p->out->failed || p->nesting.failed
               ? pf_fail(p->err, PF_ERR_MEMORY, "the system refused memory for an event")
               : PF_OK;
}

static pf_status begin(putter *p, pf_str key, const char *opens, const char *closes)
{
    if (!put_before(p, key)) {
        p->hidden++;
        return PF_OK;
    }
    put_text(p, opens);
    pf_buffer_text(&p->nesting, closes);
    p->first = true;
    return done(p);
}

static pf_status begin_object(void *ctx, pf_str key)
{
    return begin(ctx, key, "{", "}");
}

static pf_status begin_array(void *ctx, pf_str key)
{
    return begin(ctx, key, "[", "]");
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
    bool json = p->spelling == AIU_SPELL_JSON;
    bool device = !p->nesting.len && p->run->events.flags[p->event] & AIU_TORCH &&
                  p->run->events.phase[p->event] == 'X' && pf_aiu_equals(plain_key(key, 'X'), "device");
    if (!put_before(p, key)) {
        return PF_OK;
    }
    if (device) { /* of a rank, in the trace of all ranks */
        pf_buffer_int(p->out, p->run->jobs[p->run->events.job[p->event]].rank);
        return PF_OK;
    }
    if (v->spelling.ptr) {
        pf_buffer_put(p->out, v->spelling.ptr, v->spelling.len);
        return PF_OK;
    }
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
    return PF_OK;
}

static pf_status put_noted_args(const aiu_run *run, pf_str json, const pf_arg_visitor *visitor)
{
    pf_document *d = NULL;
    const pf_node *args = pf_aiu_parse(run, json, &d) ? pf_aiu_noted_args(pf_document_root(d)) : NULL;
    pf_status st = args ? pf_aiu_visit_members(args, visitor) : PF_OK;
    pf_document_free(d);
    return st;
}

static pf_status put_input_args(putter *p)
{
    const pf_arg_visitor visitor = {.ctx = p,
                                    .begin_object = begin_object,
                                    .begin_array = begin_array,
                                    .end = end,
                                    .value = value,
                                    .raw_names = true};
    uint32_t row = p->run->events.row[p->event];
    if (p->run->events.flags[p->event] & AIU_NO_ARGS) {
        return PF_OK;
    }
    pf_str noted = pf_aiu_noted(p->run, p->event).json;
    return noted.ptr        ? put_noted_args(p->run, noted, &visitor)
           : row == PF_NONE ? PF_OK
                            : pf_trace_visit_args(p->run->trace, row, &visitor, p->err);
}

/* ---- arguments of stages ----------------------------------------------------------------------------------------- */

static void put_extra(putter *p, const aiu_extra *x)
{
    put_key(p, pf_aiu_text_of(p->run, x->key));
    switch (x->type) {
    case AIU_EXTRA_INT:
        pf_buffer_int(p->out, x->as.i);
        break;
    case AIU_EXTRA_REAL:
        put_real(p, x->as.d);
        break;
    case AIU_EXTRA_TEXT:
        put_string(p, pf_aiu_text_of(p->run, x->as.text));
        break;
    case AIU_EXTRA_JSON: {
        pf_str text = pf_aiu_text_of(p->run, x->as.text);
        pf_buffer_put(p->out, text.ptr, text.len);
        break;
    }
    }
}

static void put_counters(putter *p)
{
    static const char *const names[] = {"TS1", "TS2", "TS3", "TS4", "TS5"};
    const aiu_events *e = &p->run->events;
    for (unsigned n = 0; n < 5; n++) {
        put_key(p, (pf_str){names[n], 3});
        put_text(p, p->spelling == AIU_SPELL_JSON ? "\"" : "'");
        pf_buffer_int(p->out, e->tsx[n][p->event]);
        put_text(p, p->spelling == AIU_SPELL_JSON ? "\"" : "'");
    }
    if (e->flags[p->event] & AIU_HAS_POWER) {
        const char *quote = e->flags[p->event] & AIU_POWER_NUMBER ? "" : p->spelling == AIU_SPELL_JSON ? "\"" : "'";
        KEY(p, "Power");
        put_text(p, quote);
        pf_buffer_decimal(p->out, e->power[p->event]);
        put_text(p, quote);
    }
    if (e->flags[p->event] & AIU_EXTENDED) {
        KEY(p, "OVC");
        pf_buffer_int(p->out, e->ovc[p->event]);
    }
}

static void put_five(putter *p, double (*of)(const aiu_run *, uint32_t, unsigned), double origin)
{
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
        KEY(p, "time_adjust");
        bool outer = p->first;
        put_text(p, "{");
        p->first = true;
        KEY(p, "dur");
        put_real(p, run->events.adjust_dur[p->event]);
        KEY(p, "ts");
        put_real(p, run->events.adjust_ts[p->event]);
        put_text(p, "}");
        p->first = outer;
    }
    if (flags & AIU_ON_CLOCK && run->show_ts_dev) {
        KEY(p, "ts_dev");
        put_five(p, pf_aiu_step_time, run->clocks_matched ? -run->events.anchor_device[p->event] : 0);
    }
    if (flags & AIU_ON_CLOCK && run->show_ts_all) {
        KEY(p, "ts_all");
        put_five(p, pf_aiu_ts_all, run->origin);
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
        KEY(p, "class");
        const char *name = pf_aiu_class_name(e->class[p->event]);
        put_string(p, (pf_str){name, strlen(name)});
    }
    if (flags & AIU_CORE_USED) {
        KEY(p, "core used");
        put_text(p, p->spelling == AIU_SPELL_JSON ? "true" : "True");
    }
    if (flags & AIU_SHOW_DEVICE && !is_extra(p, PF_STR("device"))) {
        KEY(p, "device");
        put_id(p, e->pid[p->event]);
    }
    /* The program before postfetto gives metadata of flex files a rank. */
    bool metadata = e->phase[p->event] == 'M' && (flags & AIU_TORCH || run->set.compat == AIU_WANT);
    bool bare = (metadata || e->phase[p->event] == 'C') && p->spelling == AIU_SPELL_JSON &&
                (run->members_in_args || run->set.compat != AIU_WANT);
    bool shown = !bare && !(e->phase[p->event] == 'i' && p->bare_args);
    if (flags & AIU_SHOW_RANK && shown) {
        KEY(p, "rank");
        put_id(p, flags & AIU_TORCH ? job->rank : e->pid[p->event]);
    }
    if (flags & AIU_SHOW_JOB) {
        KEY(p, "jobname");
        put_string(p, job->name);
    }
    for (uint32_t x = e->extra[p->event]; x != PF_NONE; x = run->extras.list[x].next) {
        put_extra(p, &run->extras.list[x]);
    }
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Members that no argument may become, as they have places of their own. */
static bool is_own(pf_str quoted)
{
    static const char *const own[] = {"\"args\"", "\"attr\"", "\"ts\"",   "\"dur\"", "\"pid\"",
                                      "\"tid\"",  "\"ph\"",   "\"name\"", "\"cat\""};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (pf_aiu_equals(quoted, own[i])) {
            return true;
        }
    }
    return false;
}

/* The members of the input that have no place in the tables, as they were written. */
static void put_members(putter *p)
{
    uint32_t row = p->run->events.row[p->event];
    pf_str noted = pf_aiu_noted(p->run, p->event).json, key, value;
    pf_str json = noted.ptr ? noted : row == PF_NONE ? noted : pf_trace_event_members(p->run->trace, row);
    for (size_t at = 0; pf_aiu_next_member(json, &at, &key, &value);) {
        if (is_own(key) || !value.ptr || (noted.ptr && pf_aiu_equals(key, "\"s\""))) {
            continue;
        }
        put_text(p, p->first ? "" : ", ");
        p->first = false;
        pf_buffer_put(p->out, key.ptr, key.len);
        put_text(p, ": ");
        pf_buffer_put(p->out, value.ptr, value.len);
    }
}

/* The number of a recorded flow or asynchronous event: as the input wrote it, or as the table has it; those of flows
 * count on from input to input. */
static void put_recorded_id(putter *p)
{
    const pf_trace *t = p->run->trace;
    uint32_t row = p->run->events.row[p->event];
    pf_str said = pf_aiu_noted_member(p->run, p->event, "id"), note = pf_trace_origin(t, row);
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    bool flow = strchr("stf", p->run->events.phase[p->event]) != NULL;
    int64_t base = flow ? p->run->jobs[p->run->events.job[p->event]].flow_base : 0, number;
    KEY(p, "id");
    if (said.len && !(base && pf_parse_int(said.ptr, said.len, &number))) {
        pf_buffer_put(p->out, said.ptr, said.len);
    } else if (said.len) {
        pf_buffer_int(p->out, number + base);
    } else if (o.member[PF_MEMBER_ID].form == PF_FORM_INTEGER) {
        pf_buffer_int(p->out, o.member[PF_MEMBER_ID].number + base);
    } else if (o.member[PF_MEMBER_ID].form == PF_FORM_TEXT && o.member[PF_MEMBER_ID].text.len) {
        pf_buffer_put(p->out, o.member[PF_MEMBER_ID].text.ptr, o.member[PF_MEMBER_ID].text.len);
    } else {
        pf_buffer_int(p->out, pf_aiu_flow_id(p->run, p->event) + base);
    }
    if (p->run->events.phase[p->event] == 'f') {
        KEY(p, "bp");
        put_string(p, PF_STR("e"));
    }
}

/* Members that the tables have no place for move to the arguments in the end; before that they are members. */
static void put_own_members(putter *p)
{
    uint8_t phase = p->run->events.phase[p->event];
    bool recorded = p->run->events.row[p->event] != PF_NONE || pf_aiu_noted(p->run, p->event).json.ptr;
    uint32_t made = pf_map_get(&p->run->async_ids, p->event);
    bool flow = phase == 's' || phase == 't' || phase == 'f', async = phase == 'b' || phase == 'n' || phase == 'e';
    if (recorded && (flow || (async && made == PF_NONE))) {
        put_recorded_id(p);
    } else if (!p->run->members_in_args) {
        put_members(p);
    }
    if (phase == 'i') {
        KEY(p, "s");
        char scope = pf_aiu_scope(p->run, p->event);
        put_string(p, (pf_str){&scope, 1});
    }
    if (made != PF_NONE) {
        KEY(p, "id");
        pf_buffer_decimal(p->out, made);
    }
}

static void put_head(putter *p, pf_str name, uint8_t phase, int64_t pid, int64_t tid, double ts, bool timed)
{
    put_text(p, "{");
    p->first = true;
    KEY(p, "name");
    put_string(p, name.ptr ? name : PF_STR(""));
    KEY(p, "ph");
    put_string(p, (pf_str){(const char *)&phase, 1});
    KEY(p, "pid");
    put_id(p, pid);
    if (tid != AIU_ID_NONE) {
        KEY(p, "tid");
        put_id(p, tid);
    }
    if (timed) {
        KEY(p, "ts");
        put_real(p, ts + p->run->origin);
    }
}

/* Whether the input calls the arguments attr. */
static bool are_attributes(const putter *p)
{
    uint32_t row = p->run->events.row[p->event];
    pf_str note = row == PF_NONE ? (pf_str){NULL, 0} : pf_trace_origin(p->run->trace, row);
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    return o.member[PF_MEMBER_ARGS].form == PF_FORM_TEXT && !o.member[PF_MEMBER_ARGS].text.len;
}

static pf_status put_args(putter *p)
{
    uint8_t phase = p->run->events.phase[p->event];
    if (phase == 's' || phase == 't' || phase == 'f') {
        return PF_OK;
    }
    put_key(p, p->run->as_written && are_attributes(p) ? PF_STR("attr") : PF_STR("args"));
    put_text(p, "{");
    p->first = true;
    pf_status st = put_input_args(p);
    pf_buffer_free(&p->nesting);
    p->bare_args = p->first && !pf_aiu_has_args(p->run, p->event);
    if (p->run->members_in_args) {
        put_members(p);
    }
    if (phase == 'i' && p->run->members_in_args) {
        KEY(p, "s");
        char scope = pf_aiu_scope(p->run, p->event);
        put_string(p, (pf_str){&scope, 1});
    }
    put_facts(p);
    put_text(p, "}");
    p->first = false;
    return st;
}

pf_status pf_aiu_put_event(aiu_run *run, uint32_t event, aiu_spelling spelling, pf_buffer *out, pf_error *err)
{
    putter p = {.run = run, .event = event, .spelling = spelling, .out = out, .err = err};
    const aiu_events *e = &run->events;
    int64_t pid = e->pid[event];
    bool last = run->members_in_args || run->set.compat == AIU_WANT;
    bool no_thread = (e->phase[event] == 'M' && e->tid[event] == 0 && last) || e->phase[event] == 'C';
    put_head(&p, pf_aiu_text_of(run, e->name[event]), e->phase[event],
             pf_aiu_is_number(pid) && e->flags[event] & AIU_HOST_PID ? pid + 1000 : pid,
             no_thread ? AIU_ID_NONE : e->tid[event], e->ts[event], !(e->flags[event] & AIU_NO_TIME));
    if (e->phase[event] == 'X') {
        KEY(&p, "dur");
        put_real(&p, e->dur[event]);
    }
    if (e->cat[event]) {
        KEY(&p, "cat");
        put_string(&p, pf_aiu_text_of(run, e->cat[event]));
    } else if (last && (e->phase[event] == 'i' || e->phase[event] == 'C')) {
        KEY(&p, "cat");
        put_text(&p, e->phase[event] == 'i' ? "null" : "\"\"");
    }
    put_own_members(&p);
    pf_status st = put_args(&p);
    put_text(&p, "}");
    return st == PF_OK ? done(&p) : st;
}

pf_status pf_aiu_put_sample(aiu_run *run, uint32_t sample, pf_buffer *out, pf_error *err)
{
    putter p = {.run = run, .spelling = AIU_SPELL_JSON, .out = out, .err = err};
    const aiu_samples *s = &run->samples;
    const aiu_series_facts *f = pf_aiu_series(s->series[sample]);
    pf_str label = pf_aiu_text_of(run, s->label[sample]);
    pf_str name = {f->name, strlen(f->name)};
    bool charge = s->series[sample] == AIU_SERIES_CHARGE, last = run->members_in_args || run->set.compat == AIU_WANT;
    pf_str cat = charge ? label : (pf_str){f->cat, strlen(f->cat)};
    name = label.ptr && !charge ? label : name;
    put_head(&p, name, 'C', s->pid[sample], AIU_ID_NONE, s->ts[sample], true);
    if (cat.len || last) {
        KEY(&p, "cat");
        put_string(&p, cat);
    }
    if (charge) {
        KEY(&p, "TS_cycles");
        put_real(&p, s->ts[sample] + run->origin);
    }
    put_text(&p, ", \"args\": {");
    p.first = true;
    put_key(&p, (pf_str){f->key, strlen(f->key)});
    if (f->whole) {
        pf_buffer_int(out, (int64_t)s->value[sample]);
    } else {
        put_real(&p, s->value[sample]);
    }
    put_text(&p, "}}");
    return done(&p);
}

pf_status pf_aiu_put_arrow(aiu_run *run, uint32_t arrow, pf_buffer *out, pf_error *err)
{
    putter p = {.run = run, .spelling = AIU_SPELL_JSON, .out = out, .err = err};
    const aiu_arrows *a = &run->arrows;
    put_head(&p, pf_aiu_text_of(run, a->name[arrow]), a->phase[arrow], a->pid[arrow], a->tid[arrow], a->ts[arrow],
             true);
    KEY(&p, "cat");
    put_string(&p, pf_aiu_text_of(run, a->cat[arrow]));
    KEY(&p, "id");
    pf_buffer_int(out, a->id[arrow]);
    if (a->phase[arrow] == 'f') {
        KEY(&p, "bp");
        put_string(&p, PF_STR("e"));
    }
    put_text(&p, "}");
    return done(&p);
}

pf_status pf_aiu_event_text(aiu_run *run, uint32_t event, pf_str *out, pf_error *err)
{
    pf_buffer b = {0};
    pf_status st = pf_aiu_put_event(run, event, AIU_SPELL_PYTHON, &b, err);
    *out = pf_pass_keep_buffer(run->findings, &b);
    return st;
}
