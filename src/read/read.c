/* read.c - from a list of files to a trace.
 *
 * Each input is opened, recognised and handed to the reader of its format; all of them fill one trace. A reader that
 * finds out late which dialect it is reading asks for another go: everything read so far is forgotten and all inputs
 * are read again with that dialect, since a trace has one time unit.
 */
#include <stdio.h>
#include <string.h>

#include "perfetto/fields.h"
#include "read/dialect.h"
#include "read/sniff.h"

#define UUID_BYTES 4096u

pf_read_options pf_read_options_default(void)
{
    return (pf_read_options){.want = PF_WANT_ALL, .limits = pf_limits_default()};
}

const char *const *pf_read_dialects(void)
{
    return pf_dialects();
}

static pf_status check_dialect(const char *dialect, pf_error *err)
{
    if (!dialect || pf_dialect_named(dialect)) {
        return PF_OK;
    }
    return pf_fail(err, PF_ERR_USAGE, "unknown dialect '%s'; pf_read_dialects lists those that are known", dialect);
}

static void name_file(pf_error *err, const char *path)
{
    size_t len = strlen(path);
    len = len < sizeof err->file ? len : sizeof err->file - 1;
    memcpy(err->file, path, len);
    err->file[len] = 0;
}

/* Opens all inputs; what was opened is the trace's and closed with it. */
static pf_status open_inputs(pf_trace *t, const char *const *paths, size_t count, const pf_read_options *o,
                             pf_error *err)
{
    t->inputs = pf_arena_alloc(&t->arena, count * sizeof *t->inputs);
    t->files = pf_arena_alloc(&t->arena, count * sizeof *t->files);
    if (!t->inputs || !t->files) {
        return pf_budget_refused(&t->budget, count * (sizeof *t->inputs + sizeof *t->files), err);
    }
    t->send_plain = pf_source_send;
    for (size_t i = 0; i < count; i++) {
        char *path = pf_arena_copy(&t->arena, paths[i], strlen(paths[i]));
        pf_status st = path ? pf_file_open(&t->files[i], path, o->map, &t->budget, err)
                            : pf_budget_refused(&t->budget, strlen(paths[i]), err);
        if (st != PF_OK) {
            name_file(err, paths[i]);
            return st;
        }
        t->inputs[i] = (pf_input){
            .path = path, .stored = t->files[i].data, .stored_bytes = t->files[i].size, .compression = "none"};
        t->input_count++;
        if (count > 1) {
            pf_file_release(&t->files[i]); /* findings are drawn into one input only */
        }
    }
    return PF_OK;
}

static bool has_uuid(const pf_trace *t, uint32_t first_row)
{
    uint32_t name = pf_trace_find_string(t, PF_STR("trace_uuid"));
    for (uint32_t i = first_row; name != PF_NONE && i < t->metadata.count; i++) {
        if (t->metadata.name[i] == name) {
            return true;
        }
    }
    return false;
}

/* A trace without a uuid gets the one that Perfetto makes up: FNV-1a over the first bytes of the file as stored. */
static pf_status make_uuid(pf_trace *t, const pf_input *in, pf_error *err)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint64_t i = 0; i < in->stored_bytes && i < UUID_BYTES; i++) {
        hash = (hash ^ in->stored[i]) * 0x100000001b3ull;
    }
    char text[40];
    int len = snprintf(text, sizeof text, "00000000-0000-0000-%04x-%012llx", (unsigned)(hash >> 48),
                       (unsigned long long)(hash & 0xffffffffffffull));
    return pf_trace_add_metadata(t, PF_STR("trace_uuid"), (pf_str){text, (size_t)len}, 0, err);
}

/* What Perfetto's metadata table says of every file; its own rows begin at first_row. */
static pf_status describe_input(pf_trace *t, const pf_input *in, uint32_t first_row, pf_error *err)
{
    const pf_str none = {NULL, 0};
    bool json = in->format == pf_reader_chrome_json.format;
    pf_status st = has_uuid(t, first_row) ? PF_OK : make_uuid(t, in, err);
    if (st == PF_OK) {
        st = pf_trace_add_metadata(t, PF_STR("trace_type"), json ? PF_STR("json") : PF_STR("proto"), 0, err);
    }
    if (st == PF_OK && json) {
        st = pf_trace_add_metadata(t, PF_STR("trace_time_clock_id"), none, PF_CLOCK_TRACE_FILE, err);
    }
    return st == PF_OK ? pf_trace_add_metadata(t, PF_STR("trace_size_bytes"), none, (int64_t)in->plain_bytes, err) : st;
}

/* One input through the reader of its format. */
static pf_status read_input(pf_trace *t, pf_input *in, const pf_read_options *o, bool *again, pf_error *err)
{
    pf_source *s = NULL;
    pf_window first;
    uint32_t first_row = t->metadata.count;
    pf_status st = pf_source_open(&s, t, in, o, err);
    if (st == PF_OK) {
        st = pf_source_more(s, 0, &first, err);
    }
    if (st == PF_OK && first.len == 0 && in->stored_bytes > 0) {
        st = pf_fail(err, PF_ERR_INPUT, "nothing can be decompressed; the file is cut off or damaged, get it again");
    }
    if (st == PF_OK) {
        const pf_reader *reader = pf_sniff(first.data, first.len, err);
        in->first_event = t->events.count;
        if (reader) {
            in->format = reader->format;
            st = reader->read(t, in, s, first, o, again, err);
        } else {
            st = err->code;
        }
        in->events = t->events.count - in->first_event;
    }
    pf_source_close(s); /* plain_bytes is known */
    if (st == PF_OK) {
        st = describe_input(t, in, first_row, err);
    }
    if (st != PF_OK) {
        name_file(err, in->path);
    }
    return st;
}

static pf_status read_inputs(pf_trace *t, const pf_read_options *options, pf_error *err)
{
    pf_read_options o = *options;
    pf_status st = PF_OK;
    if (o.jobs != 1) {
        pf_budget_help(&t->budget);
    }
    for (size_t i = 0; i < t->input_count && st == PF_OK; i++) {
        bool again = false;
        st = read_input(t, &t->inputs[i], &o, &again, err);
        if (st == PF_OK && again && !o.dialect) {
            o.dialect = t->dialect;
            st = pf_trace_restart(t, err);
            i = (size_t)-1;
        }
    }
    st = st == PF_OK ? pf_trace_finish(t, err) : st;
    pf_budget_end_help(&t->budget);
    return st;
}

/* With `strict` the first kind of damage is an error. */
static pf_status judge_damage(const pf_trace *t, pf_error *err)
{
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        if (s.count > 0 && s.severity >= PF_DATA_LOSS) {
            pf_fail_at(err, PF_ERR_DAMAGED, s.first_offset, "%s: %llu (%s); without --strict this is only counted",
                       s.name, (unsigned long long)s.count, s.description);
            if (t->input_count == 1) {
                name_file(err, t->inputs[0].path);
            }
            return PF_ERR_DAMAGED;
        }
    }
    return PF_OK;
}

pf_status pf_read(const char *const *paths, size_t count, const pf_read_options *options, pf_trace **out, pf_error *err)
{
    pf_error local = {0};
    pf_read_options o = options ? *options : pf_read_options_default();
    err = err ? err : &local;
    *out = NULL;
    if (count == 0) {
        return pf_fail(err, PF_ERR_USAGE, "no input was named; give a trace file, or - for standard input");
    }
    pf_status st = check_dialect(o.dialect, err);
    if (st != PF_OK) {
        return st;
    }
    pf_trace *t = pf_trace_new(&o.limits, o.want, err);
    if (!t) {
        return err->code;
    }
    st = open_inputs(t, paths, count, &o, err);
    if (st == PF_OK) {
        st = read_inputs(t, &o, err);
    }
    if (st == PF_OK && o.strict) {
        st = judge_damage(t, err);
    }
    if (st != PF_OK) {
        pf_trace_free(t);
        return st;
    }
    *out = t;
    return PF_OK;
}
