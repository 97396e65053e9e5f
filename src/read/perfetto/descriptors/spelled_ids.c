/* read/perfetto/descriptors/spelled_ids.c - ids that were no plain integers before a conversion.
 *
 * A trace that was converted from Chrome JSON has a number in place of a pid or tid that is a text, has a fraction,
 * does not fit or is not there; an attribute for each says how it was written (postfetto.tid.PID.NUMBER,
 * postfetto.pid.NUMBER) and another one what kind it was (postfetto.kind.tid...; none for a text). Their rows are given
 * back what was written, so that nobody else has to look at attributes.
 *
 * Numbers of threads begin at 2^30 and the process must be the one that is named. A process may have kept its number
 * (2 for 2.0, 0 for none), and so may a thread. A main thread has that of its process: there the attribute is about
 * what its events say (0 or nothing; pf_trace_say_tid). Attributes that fit none are left alone.
 */
#include <string.h>

#include "base/str.h"
#include "base/text/number.h"
#include "model/trace/json_notes.h"
#include "read/perfetto/descriptors/descriptors.h"

#define FIRST_NUMBER ((int64_t)1 << 30)

typedef struct spelled {
    pf_trace *t;
    uint32_t input;
    pf_map rows; /* hash of what an id is of and its numbers -> row */
    pf_map kept; /* row of a thread that kept its number -> string id of how it was written */
} spelled;

/* Which id an attribute is about. */
typedef struct subject {
    bool thread, kind;
    int64_t number, pid; /* pid: of a thread */
} subject;

static bool begins(pf_str *text, const char *word)
{
    bool does = pf_str_starts(*text, pf_str_of(word));
    *text = does ? pf_str_from(*text, strlen(word)) : *text;
    return does;
}

static bool read_subject(pf_str name, subject *out)
{
    if (!begins(&name, "trace_attribute.postfetto.")) {
        return false;
    }
    out->kind = begins(&name, "kind.");
    out->thread = begins(&name, "tid.");
    if (!out->thread && !begins(&name, "pid.")) {
        return false;
    }
    const char *dot = out->thread ? memchr(name.ptr, '.', name.len) : NULL;
    const char *from = dot ? dot + 1 : name.ptr;
    size_t len = name.len - (size_t)(from - name.ptr);
    bool placed = !out->thread || (dot && pf_parse_int(name.ptr, (size_t)(dot - name.ptr), &out->pid));
    return placed && pf_parse_int(from, len, &out->number);
}

static bool any_subject(const spelled *s)
{
    subject found;
    for (uint32_t i = 0; i < s->t->metadata.count; i++) {
        if (s->t->metadata.input[i] == s->input &&
            read_subject(pf_trace_string(s->t, s->t->metadata.name[i]), &found)) {
            return true;
        }
    }
    return false;
}

static uint64_t key_of(const spelled *s, bool thread, int64_t pid, int64_t number)
{
    uint64_t hash = pf_hash_add(s->t->budget.seed, (uint64_t)number);
    return thread ? pf_hash_add(hash, (uint64_t)pid) : hash;
}

static bool list_rows(spelled *s)
{
    const pf_trace *t = s->t;
    bool ok = true;
    for (uint32_t i = 0; i < t->processes.count && ok; i++) {
        if (t->processes.input[i] == s->input) {
            ok = pf_map_set(&s->rows, key_of(s, false, 0, t->processes.pid[i]), i);
        }
    }
    for (uint32_t i = 0; i < t->threads.count && ok; i++) {
        uint32_t upid = t->threads.upid[i];
        if (upid != PF_NONE && t->processes.input[upid] == s->input) {
            ok = pf_map_set(&s->rows, key_of(s, true, t->processes.pid[upid], t->threads.tid[i]), i);
        }
    }
    return ok;
}

/* An integer that its process could not keep is a number as it is written, as a real is. */
static pf_id_kind kind_named(pf_str text)
{
    return pf_str_is(text, "absent")                           ? PF_ID_ABSENT
           : pf_str_is(text, "real") || pf_str_is(text, "int") ? PF_ID_REAL
                                                               : PF_ID_TEXT;
}

/* The row of an id says what it was. */
static void take_id(const spelled *s, const subject *about, uint32_t row, pf_id_kind kind, uint32_t text)
{
    pf_trace *t = s->t;
    *(about->thread ? &t->threads.kind[row] : &t->processes.kind[row]) = (uint8_t)kind;
    *(about->thread ? &t->threads.text[row] : &t->processes.text[row]) = text;
}

static pf_status apply_one(spelled *s, const subject *about, uint32_t row, uint32_t text, pf_error *err)
{
    pf_id_kind kind = about->kind ? kind_named(pf_trace_string(s->t, text)) : PF_ID_TEXT;
    bool kept = about->thread && about->number < FIRST_NUMBER;
    uint32_t spelling = text;
    if (kept && !about->kind) {
        return pf_map_set(&s->kept, row, text) ? PF_OK : pf_budget_refused(&s->t->budget, 1u << 12, err);
    }
    if (about->kind) {
        spelling = kept            ? pf_map_get(&s->kept, row)
                   : about->thread ? s->t->threads.text[row]
                                   : s->t->processes.text[row];
    }
    if (kept && (spelling == PF_NONE || kind == PF_ID_TEXT)) {
        return PF_OK;
    }
    if (kept && s->t->threads.is_main[row]) {
        return pf_trace_say_tid(s->t, row, kind == PF_ID_ABSENT ? PF_STR("") : pf_trace_string(s->t, spelling), err);
    }
    take_id(s, about, row, kind, kind == PF_ID_ABSENT ? 0 : spelling);
    return PF_OK;
}

/* Spellings first, kinds in a second walk: a kind may come before its spelling. */
static pf_status apply(spelled *s, bool kinds, pf_error *err)
{
    const pf_trace *t = s->t;
    subject about;
    for (uint32_t i = 0; i < t->metadata.count; i++) {
        bool ours = t->metadata.input[i] == s->input && t->metadata.text[i] &&
                    read_subject(pf_trace_string(t, t->metadata.name[i]), &about) && about.kind == kinds;
        uint32_t row = ours ? pf_map_get(&s->rows, key_of(s, about.thread, about.pid, about.number)) : PF_NONE;
        if (row != PF_NONE) {
            PF_TRY(apply_one(s, &about, row, t->metadata.text[i], err));
        }
    }
    return PF_OK;
}

pf_status pf_import_spelled_ids(pf_import *im)
{
    spelled s = {.t = im->t, .input = im->t->input};
    if (!any_subject(&s)) {
        return PF_OK;
    }
    pf_map_init(&s.rows, &im->t->budget);
    pf_map_init(&s.kept, &im->t->budget);
    pf_status st = list_rows(&s) ? apply(&s, false, im->err) : pf_budget_refused(&im->t->budget, 1u << 12, im->err);
    st = st == PF_OK ? apply(&s, true, im->err) : st;
    pf_map_free(&s.rows);
    pf_map_free(&s.kept);
    return st;
}
