/* read/chrome_json/apply/json_identity.c - who an event belongs to.
 *
 * Ids compare by value: integers and integral reals are one kind, texts another, reals that are no 64-bit integer a
 * third. A process without an id is process 0, a thread without one is the main thread of its process, and so is thread
 * 0; except in dialects whose ids mean what is written: there threads are slots counted from 0, and what is absent
 * stands for itself. A text names the process or thread that it stands for. Negative ids count as 0, but the
 * event's track remembers them (pf_trace_home_track).
 *
 * Nearly all events carry plain integers that were seen before; a piece remembers the rows of those (json_record.h), so
 * that only the first event of a thread comes here.
 */
#include <math.h>

#include "base/text/number.h"
#include "read/chrome_json/apply/json_applier.h"

static uint32_t spelled_id(pf_json_applier *a, const pf_json_id *id, bool escaped, uint64_t offset)
{
    const pf_json_text view = {id->ptr, id->len, escaped};
    return id->len ? pf_json_intern(a, &view, offset) : pf_json_string(a, PF_STR(""));
}

/* The id with its text, PF_NONE after an error. */
static pf_ident make_ident(pf_json_applier *a, const pf_json_id *id, uint64_t offset)
{
    pf_ident out = {.kind = PF_ID_INT, .spelling = PF_ID_INT, .number = id->number};
    switch (id->kind) {
    case PF_JSON_ID_INT:
        return out;
    case PF_JSON_ID_TEXT:
        out.kind = out.spelling = PF_ID_TEXT;
        out.text = spelled_id(a, id, id->escaped, offset);
        return out;
    case PF_JSON_ID_REAL:
        break;
    default:
        out.kind = out.spelling = PF_ID_ABSENT;
        return out;
    }
    double d = 0;
    pf_parse_real((const char *)id->ptr, id->len, &d);
    out.spelling = PF_ID_REAL;
    if (d == trunc(d) && d >= -0x1p63 && d < 0x1p63) {
        out.number = (int64_t)d;
    } else {
        out.kind = PF_ID_REAL;
        memcpy(&out.number, &d, sizeof d);
    }
    out.text = spelled_id(a, id, false, offset);
    return out;
}

/* Perfetto takes negative ids for 0, unless they mean what is written. */
static bool take_for_zero(const pf_json_applier *a, pf_ident *id)
{
    bool negative = id->kind == PF_ID_INT && id->number < 0 && !a->dialect->ids_as_written;
    if (negative) {
        *id = (pf_ident){.kind = PF_ID_INT, .spelling = PF_ID_INT};
    }
    return negative;
}

static void find_rows(pf_json_applier *a, pf_ident pid, pf_ident tid, pf_json_thread *out)
{
    bool slots = a->dialect->ids_as_written;
    bool zero = tid.kind == PF_ID_INT && tid.number == 0;
    bool names_thread = tid.kind == PF_ID_TEXT;
    bool in_zero = pid.kind == PF_ID_ABSENT || (pid.kind == PF_ID_INT && pid.number == 0);
    if (in_zero && pid.kind == PF_ID_ABSENT && !slots) {
        pid.kind = PF_ID_INT; /* what was written stays its spelling */
        a->committed = true;
    }
    bool has_main = slots ? pid.kind == PF_ID_TEXT || (pid.kind == PF_ID_INT && !in_zero) : true;
    if (has_main && (tid.kind == PF_ID_ABSENT || (zero && !slots))) {
        a->committed |= zero || in_zero || pid.kind == PF_ID_REAL;
        tid = pid;
    }
    out->upid = pf_trace_process(a->t, &pid, a->err);
    out->utid = out->upid == PF_NONE ? PF_NONE : pf_trace_thread(a->t, out->upid, &tid, a->err);
    if (out->utid == PF_NONE) {
        return;
    }
    if (names_thread && a->t->threads.name[out->utid] == 0) {
        a->t->threads.name[out->utid] = tid.text;
    }
    out->track = pf_trace_thread_track(a->t, out->utid, a->err);
}

void pf_json_find_thread(pf_json_applier *a, pf_json_ids *known, uint64_t offset)
{
    pf_json_ids ids = *known; /* what is known stays as it is written */
    pf_json_settle_digits(&ids.pid);
    pf_json_settle_digits(&ids.tid);
    pf_ident pid = make_ident(a, &ids.pid, offset), tid = make_ident(a, &ids.tid, offset);
    bool changed = take_for_zero(a, &pid);
    changed |= take_for_zero(a, &tid);
    if (a->err->code == PF_OK) {
        find_rows(a, pid, tid, &known->thread);
    }
    if (a->err->code == PF_OK && changed) {
        a->committed = true;
        pf_json_note_ids(a, &ids, &known->thread.track);
    }
    known->found = a->err->code == PF_OK;
}
