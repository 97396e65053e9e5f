/* analyze/aiu/ingest/aiu_spelled.c - ids of processes and threads as they were before a conversion.
 *
 * A conversion of JSON numbers pids and tids that are no plain integers, and says in attributes how they were written
 * (postfetto.tid.PID.NUMBER, postfetto.pid.NUMBER; postfetto.kind.tid... where that is no text). Each input counts from
 * the same number on, while jobs of a rank share its process: so what a track's id is depends on the job.
 */
#include <stdio.h>
#include <string.h>

#include "analyze/aiu/ingest/aiu_ingest.h"
#include "base/str.h"
#include "base/text/number.h"

#define ATTRIBUTE "trace_attribute.postfetto."

typedef struct reading {
    aiu_run *run;
    aiu_spelled *out;
    pf_map rows;                   /* job and string id of an attribute -> its metadata row */
    pf_map by_tid, by_pid;         /* number -> a track */
    uint32_t *tid_next, *pid_next; /* by track: the next one of that number */
} reading;

static uint64_t in_job(uint32_t job, uint32_t what)
{
    return (uint64_t)job << 32 | what;
}

static bool begins(pf_str *text, const char *word)
{
    size_t len = strlen(word);
    bool does = text->len > len && memcmp(text->ptr, word, len) == 0;
    *text = does ? (pf_str){text->ptr + len, text->len - len} : *text;
    return does;
}

static uint32_t process_of(const pf_trace *t, uint32_t track)
{
    uint32_t utid = pf_trace_tracks(t)->utid[track], upid = pf_trace_tracks(t)->upid[track];
    return utid == PF_NONE ? upid : pf_trace_threads(t)->upid[utid];
}

static bool link_track(pf_map *first, uint32_t *next, int64_t number, uint32_t track)
{
    next[track] = pf_map_get(first, (uint64_t)number);
    return pf_map_set(first, (uint64_t)number, track);
}

static pf_status list_tracks(reading *r, pf_error *err)
{
    const pf_trace *t = r->run->trace;
    uint32_t count = pf_trace_tracks(t)->count;
    r->tid_next = pf_pass_alloc(r->run->ctx, 2 * (size_t)count + 2, sizeof *r->tid_next, err);
    if (!r->tid_next) {
        return err->code;
    }
    r->pid_next = r->tid_next + count + 1;
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++) {
        uint32_t utid = pf_trace_tracks(t)->utid[i], upid = process_of(t, i);
        ok = utid == PF_NONE || link_track(&r->by_tid, r->tid_next, pf_trace_threads(t)->tid[utid], i);
        ok = ok && (upid == PF_NONE || link_track(&r->by_pid, r->pid_next, pf_trace_processes(t)->pid[upid], i));
    }
    return ok ? PF_OK : pf_budget_refused(r->run->budget, count * sizeof *r->tid_next, err);
}

static pf_status list_attributes(reading *r, pf_error *err)
{
    const pf_metadata *m = pf_trace_metadata(r->run->trace);
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str name = pf_trace_string(r->run->trace, m->name[i]);
        if (begins(&name, ATTRIBUTE) && !pf_map_set(&r->rows, in_job(m->input[i], m->name[i]), i)) {
            return pf_budget_refused(r->run->budget, m->count, err);
        }
    }
    return PF_OK;
}

/* The id that a spelling of a kind stands for. */
static int64_t read_spelling(aiu_run *run, pf_str text, pf_str kind, pf_error *err)
{
    int64_t number;
    if (pf_str_is(kind, "absent")) {
        return AIU_ID_NONE;
    }
    bool digits = kind.len > 0;
    if (digits && pf_parse_int(text.ptr, text.len, &number)) {
        return pf_aiu_id(run, PF_ID_INT, number, 0, err);
    }
    return (digits ? AIU_ID_TEXT | AIU_ID_NUMBER : AIU_ID_TEXT) | (int64_t)pf_aiu_text(run, text);
}

/* What an attribute of a job says of the kind of `what`: tid.PID.NUMBER; {NULL, 0}: a text. */
static pf_str kind_of(const reading *r, uint32_t job, pf_str what)
{
    const pf_trace *t = r->run->trace;
    char key[128];
    int len = snprintf(key, sizeof key, ATTRIBUTE "kind.%.*s", (int)(what.len < 64 ? what.len : 64), what.ptr);
    uint32_t name = pf_trace_find_string(t, (pf_str){key, (size_t)len});
    uint32_t row = name == PF_NONE ? PF_NONE : pf_map_get(&r->rows, in_job(job, name));
    return row == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(t, pf_trace_metadata(t)->text[row]);
}

static pf_status add_id(reading *r, pf_map *ids, uint32_t job, uint32_t track, int64_t id, pf_error *err)
{
    aiu_spelled *s = r->out;
    void *list = s->id;
    pf_status st = pf_aiu_grow(r->run, &list, &s->room, s->count + 1, sizeof *s->id);
    s->id = list;
    if (st != PF_OK) {
        return st;
    }
    s->id[s->count] = id;
    return pf_map_set(ids, in_job(job, track), s->count++) ? PF_OK : pf_budget_refused(r->run->budget, sizeof id, err);
}

/* One attribute: the id of a thread, or of a process, whose tracks are looked up by number. */
static pf_status apply(reading *r, uint32_t row, pf_error *err)
{
    const pf_trace *t = r->run->trace;
    const pf_metadata *m = pf_trace_metadata(t);
    pf_str name = pf_trace_string(t, m->name[row]), what, text = pf_trace_string(t, m->text[row]);
    int64_t pid = 0, number;
    if (!begins(&name, ATTRIBUTE) || !m->text[row]) {
        return PF_OK;
    }
    what = name;
    bool thread = begins(&name, "tid."), process = !thread && begins(&name, "pid.");
    const char *dot = thread ? memchr(name.ptr, '.', name.len) : NULL;
    if (!(process || (dot && pf_parse_int(name.ptr, (size_t)(dot - name.ptr), &pid)))) {
        return PF_OK;
    }
    const char *digits = dot ? dot + 1 : name.ptr;
    if (!pf_parse_int(digits, name.len - (size_t)(digits - name.ptr), &number)) {
        return PF_OK;
    }
    int64_t id = read_spelling(r->run, text, kind_of(r, m->input[row], what), err);
    const uint32_t *next = thread ? r->tid_next : r->pid_next;
    pf_status st = PF_OK;
    for (uint32_t i = pf_map_get(thread ? &r->by_tid : &r->by_pid, (uint64_t)number); i != PF_NONE && st == PF_OK;
         i = next[i]) {
        uint32_t upid = process_of(t, i);
        if (process || (upid != PF_NONE && pf_trace_processes(t)->pid[upid] == pid)) {
            st = add_id(r, thread ? &r->out->tids : &r->out->pids, m->input[row], i, id, err);
        }
    }
    return st;
}

pf_status pf_aiu_read_spelled(aiu_run *run, aiu_spelled *out, pf_error *err)
{
    reading r = {.run = run, .out = out};
    pf_map *const maps[] = {&out->tids, &out->pids, &r.rows, &r.by_tid, &r.by_pid};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        pf_map_init(maps[i], run->budget);
    }
    pf_status st = list_attributes(&r, err);
    st = st == PF_OK && r.rows.count ? list_tracks(&r, err) : st;
    for (uint32_t i = 0; i < pf_trace_metadata(run->trace)->count && st == PF_OK && r.rows.count; i++) {
        st = apply(&r, i, err);
    }
    pf_map_free(&r.rows);
    pf_map_free(&r.by_tid);
    pf_map_free(&r.by_pid);
    return st;
}

void pf_aiu_spell(const aiu_spelled *s, uint32_t job, uint32_t track, int64_t *pid, int64_t *tid)
{
    uint32_t p = s->pids.count ? pf_map_get(&s->pids, in_job(job, track)) : PF_NONE;
    uint32_t t = s->tids.count ? pf_map_get(&s->tids, in_job(job, track)) : PF_NONE;
    *pid = p == PF_NONE ? *pid : s->id[p];
    *tid = t == PF_NONE ? *tid : s->id[t];
}

void pf_aiu_free_spelled(aiu_spelled *s)
{
    pf_map_free(&s->tids);
    pf_map_free(&s->pids);
}
