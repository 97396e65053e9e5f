/* edit/split/split.c - pf_split: a trace as many.
 *
 * The parts are planned first: windows of one length between the times of the trace, or those of the caller. Windows
 * that do not overlap are written together; of those that do, the first ones of each time are written in a pass, then
 * the first ones of what is left. A part for each process of packets is a pass for each.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/files/folders.h"
#include "base/files/outfile.h"
#include "base/sized.h"
#include "base/str.h"
#include "base/text/errno_text.h"
#include "base/text/json_text.h"
#include "edit/cut/cut_run.h"
#include "postfetto/edit.h"

#define NAME_MAX_BYTES 64 /* of a part's file */

/* A part of all. */
typedef struct part {
    int64_t from, to;
    char file[NAME_MAX_BYTES];
    char *path; /* malloc'd, like the name */
    char *name; /* NULL: none */
    bool written;
} part;

typedef struct split {
    const char *folder;
    const pf_split_options *o;
    part *parts;
    uint32_t count;
    pf_cut_run *run;
    pf_cut_part *writing; /* parts of the pass */
    pf_split_result sum;
    pf_redact_options redact; /* where o->redact: with a key for all passes */
    uint8_t key[PF_REDACT_KEY_MADE];
} split;

void pf_split_options_init(pf_split_options *o, size_t size)
{
    const pf_split_options all = {.size = size};
    pf_sized_give(o, size, &all, sizeof all);
}

/* Room for the parts of a split and of a pass. */
static pf_status make_parts(split *s, uint64_t count, pf_error *err)
{
    if (count > PF_SPLIT_PARTS_MAX) {
        return pf_fail(err, PF_ERR_USAGE, "%llu parts are more than %d; ask for longer ones", (unsigned long long)count,
                       PF_SPLIT_PARTS_MAX);
    }
    s->count = (uint32_t)count;
    s->parts = calloc(count + 1, sizeof *s->parts);
    s->writing = calloc(count + 1, sizeof *s->writing);
    return s->parts && s->writing ? PF_OK : pf_no_memory(err);
}

static pf_status name_parts(split *s, pf_error *err)
{
    int digits = s->count > 99999 ? 6 : s->count > 9999 ? 5 : 4;
    for (uint32_t i = 0; i < s->count; i++) {
        part *p = &s->parts[i];
        snprintf(p->file, sizeof p->file, "part-%0*u.%s%s", digits, i + 1, s->run->json ? "json" : "pftrace",
                 s->run->write.gzip ? ".gz" : "");
        size_t room = strlen(s->folder) + sizeof p->file + 1;
        p->path = malloc(room);
        if (!p->path) {
            return pf_no_memory(err);
        }
        snprintf(p->path, room, "%s/%s", s->folder, p->file);
    }
    return PF_OK;
}

static pf_status keep_name(split *s, part *p, pf_str name, pf_error *err)
{
    if (s->o->redact) {
        PF_TRY(pf_redact_text(&s->run->redactor, PF_ROLE_NAME, name, &name, err));
    }
    p->name = strndup(name.ptr, name.len);
    return p->name ? PF_OK : pf_no_memory(err);
}

/* Windows of one length from `first` on; the last one ends after `last`. */
static pf_status plan_times(split *s, int64_t first, int64_t last, pf_error *err)
{
    uint64_t span = first > last ? 1 : (uint64_t)last - (uint64_t)first + 1;
    uint64_t length = s->o->every > 0 ? (uint64_t)s->o->every : span / s->o->parts + (span % s->o->parts != 0);
    PF_TRY(make_parts(s, span / length + (span % length != 0), err));
    for (uint32_t i = 0; i < s->count; i++) {
        s->parts[i].from = (int64_t)((uint64_t)first + i * length);
        s->parts[i].to =
            i + 1 == s->count ? (int64_t)((uint64_t)first + span) : (int64_t)((uint64_t)s->parts[i].from + length);
    }
    return PF_OK;
}

static pf_status plan_windows(split *s, pf_error *err)
{
    PF_TRY(make_parts(s, s->o->window_count, err));
    for (uint32_t i = 0; i < s->count; i++) {
        const pf_split_window *w = &s->o->windows[i];
        s->parts[i].from = w->from;
        s->parts[i].to = w->to;
        if (w->from >= w->to || (i && w->from < w[-1].from)) {
            return pf_fail(err, PF_ERR_USAGE, "window %u of a split is empty, or begins before the one before it",
                           i + 1);
        }
        PF_TRY(w->name ? keep_name(s, &s->parts[i], pf_str_of(w->name), err) : PF_OK);
    }
    return PF_OK;
}

/* The next parts that can be written together. */
static void choose(split *s)
{
    pf_cut_run *run = s->run;
    run->count = 0;
    run->parts = s->writing;
    for (uint32_t i = 0; i < s->count; i++) {
        part *p = &s->parts[i];
        if (p->written || (run->count && p->from < s->writing[run->count - 1].to)) {
            continue;
        }
        p->written = true;
        s->writing[run->count++] = (pf_cut_part){.path = p->path, .from = p->from, .to = p->to};
    }
}

/* All but the first ones. */
static void drop_parts(split *s, uint32_t count)
{
    while (s->parts && s->count > count) {
        free(s->parts[--s->count].path);
        free(s->parts[s->count].name);
    }
    if (count == 0) {
        free(s->parts);
        free(s->writing);
        s->parts = NULL;
        s->writing = NULL;
    }
}

static pf_status plan(pf_cut_run *run, int64_t first, int64_t last, pf_error *err)
{
    split *s = run->ctx;
    if (s->o->every) {
        drop_parts(s, 0);
    }
    if (!s->parts) {
        PF_TRY(s->o->windows ? plan_windows(s, err) : plan_times(s, first, last, err));
        PF_TRY(name_parts(s, err));
    }
    choose(s);
    return PF_OK;
}

static pf_status plan_processes(pf_cut_run *run, const pf_json_found *found, uint32_t count, pf_error *err)
{
    split *s = run->ctx;
    PF_TRY(make_parts(s, count, err));
    PF_TRY(name_parts(s, err));
    for (uint32_t i = 0; i < count; i++) {
        PF_TRY(found[i].name.ptr ? keep_name(s, &s->parts[i], found[i].name, err) : PF_OK);
        s->parts[i].from = found[i].first;
        s->parts[i].to = found[i].last < INT64_MAX ? found[i].last + 1 : INT64_MAX;
        s->parts[i].written = true;
        s->writing[i] = (pf_cut_part){.path = s->parts[i].path, .from = INT64_MIN, .to = INT64_MAX};
    }
    run->parts = s->writing;
    run->count = count;
    return PF_OK;
}

static void put_index(const split *s, pf_buffer *b)
{
    pf_buffer_text(b, "{\n  \"schema_version\": 1,\n  \"parts\": [");
    for (uint32_t i = 0; i < s->count; i++) {
        const part *p = &s->parts[i];
        pf_buffer_format(b, "%s\n    {\"file\": \"%s\", \"start_ns\": %lld, \"end_ns\": %lld", i ? "," : "", p->file,
                         (long long)p->from, (long long)p->to);
        if (p->name) {
            pf_buffer_text(b, ", \"name\": ");
            pf_json_put_text(b, pf_str_of(p->name));
        }
        pf_buffer_text(b, "}");
    }
    pf_buffer_text(b, s->count ? "\n  ]\n}\n" : "]\n}\n");
}

static pf_status write_index(const split *s, pf_error *err)
{
    pf_buffer text = {0}, path = {0};
    pf_outfile file;
    put_index(s, &text);
    pf_buffer_format(&path, "%s/index.json", s->folder);
    pf_status st = text.failed || path.failed ? pf_no_memory(err) : pf_outfile_open(&file, path.data, err);
    if (st == PF_OK) {
        pf_outfile_write(&file, text.data, text.len, err);
        st = pf_outfile_commit(&file, s->run->write.sync, err);
    }
    pf_buffer_free(&text);
    pf_buffer_free(&path);
    return st;
}

static void add_up(split *s)
{
    pf_split_result *sum = &s->sum;
    for (uint32_t i = 0; i < s->run->count; i++) {
        const pf_cut_part *p = &s->run->parts[i];
        sum->kept += p->kept;
        sum->changed += p->changed;
        sum->added += p->added;
        sum->begun += p->begun;
        sum->ended += p->ended;
        sum->bytes += p->bytes;
    }
    sum->parts = s->count;
    sum->packets = s->run->packets;
    sum->redacted.texts += s->run->redacted.texts;
    sum->redacted.packets += s->run->redacted.packets;
    sum->redacted.parts += s->run->redacted.parts;
}

static bool is_done(const split *s)
{
    uint32_t i = 0;
    while (i < s->count && s->parts[i].written) {
        i++;
    }
    return s->parts && i == s->count;
}

static pf_status write_parts(split *s, const char *path, pf_trace **t, pf_error *err)
{
    const pf_split_options *o = s->o;
    do {
        pf_trace_free(*t);
        *s->run = (pf_cut_run){.in = path,
                               .read = o->read ? *o->read : pf_read_options_default(),
                               .write = pf_write_options_of(o->write),
                               .plan = o->by_process ? NULL : plan,
                               .plan_processes = o->by_process ? plan_processes : NULL,
                               .wants_times = !o->windows && !s->parts,
                               .from_first = o->every > 0,
                               .every = o->every,
                               .redact = o->redact ? &s->redact : NULL,
                               .ctx = s};
        PF_TRY(pf_cut_run_parts(s->run, t, err));
        if (o->every) {
            drop_parts(s, s->run->count);
            s->parts[s->count - 1].to = s->writing[s->count - 1].to;
        }
        add_up(s);
        if (!is_done(s) && pf_outfile_is_stream(path)) {
            return pf_fail(err, PF_ERR_USAGE,
                           "parts that overlap need several passes; write the input to a file first");
        }
    } while (!is_done(s));
    return write_index(s, err);
}

static pf_status run_split(split *s, const char *path, pf_trace **t, pf_error *err)
{
    const pf_split_options *o = s->o;
    if ((o->every > 0) + (o->parts > 0) + (o->windows != NULL) + o->by_process != 1) {
        return pf_fail(err, PF_ERR_USAGE, "a split needs a length, a number of parts, windows, or processes");
    }
    int reason = pf_make_folder(s->folder);
    if (reason == ENOMEM) {
        return pf_no_memory(err);
    }
    if (reason) {
        return pf_fail(err, PF_ERR_OUTPUT, "the folder %s cannot be created: %s", s->folder, pf_errno_text(reason));
    }
    if (o->redact) {
        s->redact = *o->redact;
    }
    if (o->redact && !s->redact.key.ptr) {
        PF_TRY(pf_redact_make_key(s->key, err));
        s->redact.key = (pf_bytes){s->key, sizeof s->key};
    }
    s->run = calloc(1, sizeof *s->run);
    return s->run ? write_parts(s, path, t, err) : pf_no_memory(err);
}

static void free_split(split *s)
{
    drop_parts(s, 0);
    free(s->run);
}

pf_status pf_split(const char *path, const char *folder, const pf_split_options *options, pf_split_result *result,
                   pf_error *err)
{
    pf_error local = {.code = PF_OK};
    pf_split_options o = pf_split_options_default();
    pf_sized_take(&o, sizeof o, options, options->size, PF_SIZED_UPTO(pf_split_options, redact));
    split s = {.folder = folder, .o = &o};
    pf_trace *t = NULL;
    pf_status st = run_split(&s, path, &t, err ? err : &local);
    if (st == PF_OK && result) {
        s.sum.input = t;
        s.sum.bytes_in = pf_trace_input(t, 0)->plain_bytes;
        size_t size = result->size ? result->size : sizeof s.sum;
        pf_sized_give(result, size, &s.sum, sizeof s.sum);
        result->size = size;
    } else {
        pf_trace_free(t);
    }
    free_split(&s);
    return st;
}
