/* analyze/aiu/acelyzer/acelyzer_json.c - the whole trace as acelyzer writes it: an object whose
 * traceEvents are the events that are left, counters and arrows in order of time, longer slices first, and whose other
 * members are those of the inputs. */

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "base/list.h"
#include "base/str.h"
#include "base/text/json_text.h"
#include "model/trace/json_notes.h"

/* What a key stands for: the number of an event, of a sample after them, of an arrow after those. */
static aiu_key *collect_keys(aiu_run *run, size_t room, uint32_t *count)
{
    uint32_t events = run->events.count, samples = run->samples.count, n = 0;
    aiu_key *keys = pf_alloc(run->budget, room * sizeof *keys);
    if (!keys) {
        pf_budget_refused(run->budget, room * sizeof *keys, &run->error);
        return NULL;
    }
    pf_aiu_compact(run);
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        keys[n++] = (aiu_key){run->events.ts[e], -run->events.dur[e], e};
    }
    for (uint32_t i = 0; i < samples; i++) {
        keys[n++] = (aiu_key){run->samples.ts[i], 0, events + i};
    }
    for (uint32_t i = 0; i < run->arrows.count; i++) {
        keys[n++] = (aiu_key){run->arrows.ts[i], 0, events + samples + i};
    }
    *count = n;
    pf_aiu_sort_keys(run, keys, n);
    return keys;
}

/* Whether an event, or what a stage made of a pid, is of the file of a rank. */
static bool is_of_worker(const aiu_run *run, int64_t rank, uint32_t row)
{
    uint32_t n = run->events.count, m = n + run->samples.count;
    int64_t pid = row < n ? run->events.pid[row] : row < m ? run->samples.pid[row - n] : run->arrows.pid[row - m];
    if (row < n && run->workers && run->events.flags[row] & AIU_TORCH) {
        return run->jobs[run->events.job[row]].rank == rank;
    }
    uint32_t known = row >= n && run->workers ? pf_map_get(run->ranks.by_pid, (uint64_t)pid) : PF_NONE;
    if (known != PF_NONE && run->workers[known] != AIU_ID_NONE) {
        return run->workers[known] == rank;
    }
    return pid == rank || pid == rank + AIU_HOST_PIDS;
}

static void put_row(aiu_run *run, uint32_t row, pf_buffer *b)
{
    uint32_t n = run->events.count, m = n + run->samples.count;
    if (row < n) {
        pf_aiu_put_event(run, row, AIU_SPELL_JSON, b);
    } else if (row < m) {
        pf_aiu_put_sample(run, row - n, b);
    } else {
        pf_aiu_put_arrow(run, row - m, b);
    }
}

/* Whether a member, {"name": value}, has a meaning of its own, and is written once for all inputs. */
static bool is_own(pf_str object)
{
    static const char *const names[] = {"traceEvents", "distributedInfo",  "otherData",
                                        "traceName",   "deviceProperties", "displayTimeUnit"};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is |= pf_str_is(pf_document_member_name(object), names[i]);
    }
    return is;
}

/* The other members, as the inputs have them; for acelyzer the one counts that a later input has, too. */
static void put_members(const aiu_run *run, pf_buffer *b)
{
    const pf_trace *t = run->trace;
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    pf_document_members members;
    pf_document_members_init(&members, t, run->budget);
    for (uint32_t i = 0; i < t->leftovers.count; i++) {
        pf_str object = t->leftovers.text[i];
        pf_document *d = NULL;
        bool left_out = !t->leftovers.of_document[i] || object.len <= 2 || is_own(object);
        for (uint32_t k = i + 1; k < t->leftovers.count && !want && !left_out; k++) {
            left_out = t->leftovers.of_document[k] &&
                       pf_str_equal(pf_document_member_name(t->leftovers.text[k]), pf_document_member_name(object));
        }
        object = left_out ? (pf_str){NULL, 0} : want ? pf_document_member(&members, i) : object;
        if (object.ptr && pf_aiu_parse(run, object, &d)) {
            pf_buffer_text(b, ", ");
            pf_buffer_put(b, object.ptr + 1, object.len - 2);
        }
        pf_document_free(d);
    }
    pf_document_members_free(&members);
}

/* A metadata row of a document, {NULL, 0} without one: of the first that has it, of the last for acelyzer. */
static pf_str said_by_input(const aiu_run *run, const char *name)
{
    const pf_metadata *m = pf_trace_metadata(run->trace);
    pf_str said = {NULL, 0};
    for (uint32_t i = 0; i < m->count; i++) {
        if ((!said.ptr || pf_aiu_rule(run, AIU_OWN_FORMS)) &&
            pf_str_is(pf_trace_string(run->trace, m->name[i]), name)) {
            said = pf_trace_string(run->trace, m->text[i]);
        }
    }
    return said;
}

/* The value of a device's member, as JSON; the id of a device of a trace that says its rank is that rank. */
static void put_value(pf_buffer *b, const pf_node *n, const aiu_job *job)
{
    if (job->has_rank && pf_str_is(n->key, "id")) {
        pf_buffer_int(b, job->rank);
    } else if (n->type == PF_NODE_TEXT) {
        pf_json_put_utf8(b, n->as.s);
    } else if (n->type == PF_NODE_INT) {
        pf_buffer_int(b, n->as.i);
    } else if (n->type == PF_NODE_REAL) {
        pf_json_put_real(b, n->as.d);
    } else if (n->type == PF_NODE_RAW) {
        pf_buffer_put(b, n->as.s.ptr, n->as.s.len);
    } else {
        pf_buffer_text(b, n->type == PF_NODE_BOOL ? (n->as.b ? "true" : "false") : "null");
    }
}

/* Whether an earlier input listed the device, which acelyzer leaves out then. */
static bool is_listed(const aiu_run *run, const aiu_job *job, const pf_node *device, pf_map *listed)
{
    const pf_node *id = device->type == PF_NODE_OBJECT ? pf_node_get(device, "id") : NULL;
    if (!id || !pf_aiu_rule(run, AIU_OWN_FORMS) || (id->type != PF_NODE_INT && !job->has_rank)) {
        return false;
    }
    uint64_t key = (uint64_t)(job->has_rank ? job->rank : id->as.i);
    uint32_t by = pf_map_get(listed, key);
    if (by == PF_NONE) {
        pf_map_set(listed, key, job->input); /* without memory for it it is listed again */
    }
    return by != PF_NONE && by != job->input;
}

static void put_job_devices(const aiu_run *run, const aiu_job *job, pf_map *listed, pf_buffer *b, bool *first)
{
    pf_document *d = NULL;
    bool there;
    pf_str text = pf_aiu_said_by_input(run, job->input, "json.deviceProperties", &there);
    if (!text.ptr || !pf_aiu_parse(run, text, &d)) {
        return;
    }
    const pf_node *root = pf_document_root(d);
    for (const pf_node *c = root->type == PF_NODE_LIST ? root->first : NULL; c; c = c->next) {
        if (is_listed(run, job, c, listed)) {
            continue;
        }
        pf_buffer_text(b, *first ? "{" : ", {");
        *first = false;
        for (const pf_node *m = c->type == PF_NODE_OBJECT ? c->first : NULL; m; m = m->next) {
            pf_buffer_text(b, m == c->first ? "" : ", ");
            pf_json_put_utf8(b, m->key);
            pf_buffer_text(b, ": ");
            put_value(b, m, job);
        }
        pf_buffer_text(b, "}");
    }
    pf_document_free(d);
}

/* The devices of all torch inputs, and one for each flex input, of which it says nothing; in a worker's file one, where
 * the rank is of a flex input and has events of a device. */
static void put_devices(aiu_run *run, const acelyzer_json_form *form, pf_buffer *b)
{
    const aiu_events *v = &run->events;
    bool first = true, any = false;
    pf_map *listed = pf_aiu_scratch_map(run);
    for (uint32_t i = 0; i < run->job_count && form->with_head; i++) {
        if (run->jobs[i].torch) {
            put_job_devices(run, &run->jobs[i], listed, b, &first);
        } else {
            pf_buffer_text(b, first ? "{}" : ", {}");
            first = false;
        }
    }
    for (uint32_t i = 0; i < run->alive && form->one_rank && !any; i++) {
        uint32_t e = run->order[i];
        any = v->pid[e] == form->rank && (v->flags[e] & (AIU_HAS_TS | AIU_TORCH)) == AIU_HAS_TS;
    }
    if (any) {
        pf_buffer_format(b, "{\"core\": \"PT Array\", \"id\": %lld, \"name\": \"AIU\", \"type\": \"AIU\"}",
                         (long long)form->rank);
    }
}

static void put_tail(aiu_run *run, const acelyzer_json_form *form, pf_buffer *b)
{
    pf_str unit = form->with_head ? said_by_input(run, "json.displayTimeUnit") : (pf_str){NULL, 0};
    pf_str name = form->with_head ? said_by_input(run, "json.traceName") : (pf_str){NULL, 0};
    pf_buffer_text(b, "\n], \"deviceProperties\": [");
    put_devices(run, form, b);
    pf_buffer_text(b, "]");
    if (form->with_head) {
        put_members(run, b);
    }
    pf_buffer_text(b, ", \"displayTimeUnit\": ");
    pf_json_put_utf8(b, unit.ptr ? unit : pf_str_of(form->stage ? "ms" : run->set.time_unit));
    pf_buffer_text(b, ", \"traceName\": ");
    pf_json_put_utf8(b, name.ptr ? name : form->trace_name);
    pf_buffer_format(b, ", \"otherData\": {\"Application\": \"%s\"}}\n",
                     pf_aiu_rule(run, AIU_OWN_FORMS) ? "Acelyzer: Trace Post-Processing Tool"
                                                     : "postfetto (Acelyzer events)");
}

void pf_acelyzer_pass_on(aiu_run *run, pf_text *text, pf_buffer *gathered, size_t least)
{
    if (gathered->len > least || gathered->failed) {
        pf_text_put(run->findings, text, (pf_str){gathered->data ? gathered->data : "", gathered->len});
        gathered->len = 0;
        pf_pass_poll(run->ctx, &run->error);
    }
    if (gathered->failed && !pf_aiu_failed(run)) {
        pf_no_memory(&run->error);
    }
}

pf_text *pf_acelyzer_json(aiu_run *run, const acelyzer_json_form *form)
{
    size_t room = (size_t)run->alive + run->samples.count + run->arrows.count + 1;
    uint32_t count = 0;
    aiu_key *keys = collect_keys(run, room, &count);
    pf_text *text = pf_text_new(run->findings);
    pf_buffer b = {0};
    bool first = true;
    run->members_in_args = !form->stage;
    pf_buffer_text(&b, "{\"traceEvents\": [");
    for (uint32_t i = 0; i < count && !pf_aiu_failed(run); i++) {
        if (!form->one_rank || is_of_worker(run, form->rank, keys[i].row)) {
            pf_buffer_text(&b, first ? "\n" : ",\n");
            first = false;
            put_row(run, keys[i].row, &b);
            pf_acelyzer_pass_on(run, text, &b, ACELYZER_PIECE);
        }
    }
    put_tail(run, form, &b);
    pf_acelyzer_pass_on(run, text, &b, 0);
    pf_buffer_free(&b);
    PF_LIST_FREE(run->budget, keys, keys ? room : 0);
    return pf_aiu_failed(run) ? NULL : text;
}

uint64_t pf_acelyzer_exported(aiu_run *run)
{
    pf_aiu_compact(run);
    return (uint64_t)run->alive + run->samples.count + run->arrows.count;
}
