/* read/perfetto/descriptors/spelled_ids.c - ids that were no plain integers before a conversion.
 *
 * A trace that was converted from Chrome JSON has a number in place of a pid or tid that is a text, has a fraction,
 * does not fit or is not there; an attribute for each says how it was written (postfetto.tid.PID.NUMBER,
 * postfetto.pid.NUMBER) and another one what kind it was (postfetto.kind.tid...; none for a text). Numbers of threads
 * begin at 2^30, and those of two are different, so that the number finds the thread; its process must be the one that
 * is named. A process may have kept its number (2 for 2.0, 0 for none). Attributes that fit none are left alone.
 */
#include <string.h>

#include "base/str.h"
#include "base/text/number.h"
#include "read/perfetto/descriptors/descriptors.h"

#define FIRST_NUMBER ((int64_t)1 << 30)

typedef struct spelled {
    pf_trace *t;
    uint32_t input;
    pf_map processes, threads; /* number -> row, from 2^30 on */
} spelled;

/* Which id an attribute is about. */
typedef struct subject {
    bool thread, kind;
    int64_t number, pid; /* pid: of a thread */
} subject;

static bool begins(pf_str *text, const char *word)
{
    size_t len = strlen(word);
    bool does = text->len > len && memcmp(text->ptr, word, len) == 0;
    *text = does ? (pf_str){text->ptr + len, text->len - len} : *text;
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
    return placed && pf_parse_int(from, len, &out->number) && (!out->thread || out->number >= FIRST_NUMBER);
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

static bool list_rows(spelled *s)
{
    const pf_trace *t = s->t;
    bool ok = true;
    for (uint32_t i = 0; i < t->processes.count && ok; i++) {
        if (t->processes.input[i] == s->input) {
            ok = pf_map_set(&s->processes, (uint64_t)t->processes.pid[i], i);
        }
    }
    for (uint32_t i = 0; i < t->threads.count && ok; i++) {
        uint32_t upid = t->threads.upid[i];
        if (t->threads.tid[i] >= FIRST_NUMBER && upid != PF_NONE && t->processes.input[upid] == s->input) {
            ok = pf_map_set(&s->threads, (uint64_t)t->threads.tid[i], i);
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

/* The row that an attribute is about, PF_NONE without one. */
static uint32_t row_of(const spelled *s, const subject *about)
{
    uint32_t row = pf_map_get(about->thread ? &s->threads : &s->processes, (uint64_t)about->number);
    if (row == PF_NONE || !about->thread) {
        return row;
    }
    return s->t->processes.pid[s->t->threads.upid[row]] == about->pid ? row : PF_NONE;
}

/* Spellings first, kinds in a second walk: a kind may come before its spelling. */
static void apply(spelled *s, bool kinds)
{
    pf_trace *t = s->t;
    subject about;
    for (uint32_t i = 0; i < t->metadata.count; i++) {
        bool ours = t->metadata.input[i] == s->input && t->metadata.text[i] &&
                    read_subject(pf_trace_string(t, t->metadata.name[i]), &about) && about.kind == kinds;
        uint32_t row = ours ? row_of(s, &about) : PF_NONE;
        if (row == PF_NONE) {
            continue;
        }
        uint8_t *kind = about.thread ? &t->threads.kind[row] : &t->processes.kind[row];
        uint32_t *text = about.thread ? &t->threads.text[row] : &t->processes.text[row];
        if (kinds) {
            *kind = (uint8_t)kind_named(pf_trace_string(t, t->metadata.text[i]));
            *text = *kind == PF_ID_ABSENT ? 0 : *text;
        } else {
            *kind = PF_ID_TEXT;
            *text = t->metadata.text[i];
        }
    }
}

pf_status pf_import_spelled_ids(pf_import *im)
{
    spelled s = {.t = im->t, .input = im->t->input};
    if (!any_subject(&s)) {
        return PF_OK;
    }
    pf_map_init(&s.processes, &im->t->budget);
    pf_map_init(&s.threads, &im->t->budget);
    bool ok = list_rows(&s);
    if (ok) {
        apply(&s, false);
        apply(&s, true);
    }
    pf_map_free(&s.processes);
    pf_map_free(&s.threads);
    return ok ? PF_OK : pf_import_refuse(im, 1u << 12);
}
