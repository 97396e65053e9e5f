/* read/read.c - from a list of files to a trace.
 *
 * Each input is opened, recognised and handed to the reader of its format; all of them fill one trace. A reader that
 * finds out late which dialect it is reading asks for another go. The inputs after it are still read, to learn what
 * they are; then everything is forgotten and read once more, each input in the dialect that it turned out to have. So
 * no input is read more than twice.
 */
#include <stdio.h>

#include "base/sized.h"
#include "base/str.h"
#include "model/args/early_args.h"
#include "perfetto/fields.h"
#include "read/support/reader.h"

#define UUID_BYTES 4096u

void pf_read_options_init(pf_read_options *o, size_t size)
{
    const pf_read_options all = {.size = size, .want = PF_WANT_TABLES, .limits = pf_limits_default()};
    pf_sized_give(o, size, &all, sizeof all);
}

static pf_status check_options(const pf_read_options *o, pf_error *err)
{
    if (o->dialect && !pf_dialect_named(o->dialect)) {
        return pf_fail(err, PF_ERR_USAGE, "unknown dialect '%s'; pf_dialect_name lists those that are known",
                       o->dialect);
    }
    if (o->input_format && !pf_reader_named(o, o->input_format)) {
        return pf_fail(err, PF_ERR_USAGE, "unknown input format '%s'; pf_reader_at lists those that are known",
                       o->input_format);
    }
    return pf_reader_check_settings(o, err);
}

/* The input is what an error is about, whatever file of it failed; but for that of an output which is written
 * meanwhile. */
static void name_file(pf_error *err, const char *path)
{
    err->file[0] = err->code == PF_ERR_OUTPUT ? err->file[0] : '\0';
    pf_error_in(err, path);
}

static pf_status open_file(pf_file *f, const char *path, const pf_read_options *o, pf_budget *budget, pf_error *err)
{
    return o->map && o->spool ? pf_file_open_spooled(f, path, o->spool, budget, err)
                              : pf_file_open(f, path, o->map, budget, err);
}

/* Opens all inputs; what was opened is the trace's and closed with it. */
static pf_status open_inputs(pf_trace *t, const pf_operands *paths, const pf_read_options *o, pf_error *err)
{
    size_t count = paths->count;
    t->inputs = pf_arena_alloc(&t->arena, count * sizeof *t->inputs);
    t->files = pf_arena_alloc(&t->arena, count * sizeof *t->files);
    if (!t->inputs || !t->files) {
        return pf_budget_refused(&t->budget, count * (sizeof *t->inputs + sizeof *t->files), err);
    }
    t->send_plain = pf_source_send;
    t->send_member = pf_source_member;
    for (size_t i = 0; i < count; i++) {
        const pf_entry *operand = &paths->list[i];
        t->files[i] = (pf_file){0};
        pf_status st = operand->is_directory ? PF_OK : open_file(&t->files[i], operand->name, o, &t->budget, err);
        if (st != PF_OK) {
            name_file(err, operand->name);
            return st;
        }
        t->inputs[i] = (pf_input){.path = operand->name,
                                  .is_directory = operand->is_directory,
                                  .stored = t->files[i].data,
                                  .stored_bytes = t->files[i].size,
                                  .compression = "none"};
        t->input_count++;
        if (count > 1) {
            pf_file_release(&t->files[i]); /* findings are drawn into one input only */
        }
    }
    return PF_OK;
}

/* From now on stored bytes are read only where arguments are asked for. */
static pf_status bound_residence(pf_trace *t, pf_error *err)
{
    size_t bytes = sizeof(pf_residence) + t->input_count * sizeof(pf_resident);
    pf_residence *r = pf_arena_alloc(&t->arena, bytes);
    PF_TRY(r ? PF_OK : pf_budget_refused(&t->budget, bytes, err));
    pf_residence_init(r, t->files, t->input_count, (pf_resident *)(r + 1));
    t->residence = r->count ? r : NULL;
    return PF_OK;
}

static bool has_uuid(const pf_trace *t, const pf_input *in)
{
    uint32_t name = pf_trace_find_string(t, PF_STR("trace_uuid"));
    for (uint32_t i = in->first_metadata; name != PF_NONE && i < t->metadata.count; i++) {
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

/* What Perfetto's metadata table says of every file. */
static pf_status describe_input(pf_trace *t, pf_input *in, const pf_reader *reader, pf_error *err)
{
    const pf_str none = {NULL, 0};
    const char *type = reader->trace_type ? reader->trace_type : reader->name;
    PF_TRY(in->is_directory || has_uuid(t, in) ? PF_OK : make_uuid(t, in, err));
    PF_TRY(pf_trace_add_metadata(t, PF_STR("trace_type"), pf_str_of(type), 0, err));
    if (reader->own_clock) {
        PF_TRY(pf_trace_add_metadata(t, PF_STR("trace_time_clock_id"), none, PF_CLOCK_TRACE_FILE, err));
    }
    PF_TRY(pf_trace_add_metadata(t, PF_STR("trace_size_bytes"), none, (int64_t)in->plain_bytes, err));
    in->metadata = t->metadata.count - in->first_metadata;
    return PF_OK;
}

/* The group of processes that an input of this dialect belongs to. */
static const char *group_of(const pf_reading *r, const pf_dialect *d)
{
    return r->o->merge_pids ? "" : d ? d->group : NULL;
}

/* An input whose dialect has turned out to share processes with others, or not to, is read again if it was read
 * otherwise and there are others. */
static void check_group(pf_reading *r, const char *group)
{
    const pf_dialect *d = pf_dialect_named(r->input->dialect);
    const char *right = group_of(r, d);
    bool same = right == group || (right && group && strcmp(right, group) == 0);
    if (d && !same && r->t->input_count > 1) {
        r->again = d;
    }
}

/* Has the reader that was chosen fill the trace. */
static pf_status fill(pf_reading *r, pf_error *err)
{
    pf_input *in = r->input;
    if (in->is_directory) { /* what is read in it counts */
        in->stored_bytes = in->plain_bytes = 0;
    }
    in->format = r->reader->name;
    in->dialect = r->dialect ? r->dialect->name : r->reader->name;
    in->unit = r->dialect ? r->dialect->unit : PF_UNIT_NS;
    in->first_event = r->t->events.count;
    in->first_metadata = r->t->metadata.count;
    const char *group = group_of(r, r->dialect ? r->dialect : r->hint);
    PF_TRY(pf_trace_begin_input(r->t, (uint32_t)(in - r->t->inputs), group, err));
    PF_TRY(pf_reader_add_tables(r->reader, r->t, err));
    PF_TRY(pf_early_args_start(r->t, r->o->early_args, err));
    PF_TRY(r->reader->read(r, err));
    in->events = r->t->events.count - in->first_event;
    if (!r->dialect && !r->again) {
        check_group(r, group);
    }
    return PF_OK;
}

/* Finds the reader, by the name that the caller gave or by the first bytes. */
static pf_status choose_and_read(pf_reading *r, pf_error *err)
{
    const pf_read_options *o = r->o;
    const pf_input *in = r->input;
    r->reader = o->input_format ? pf_reader_named(o, o->input_format)
                                : pf_reader_choose(o, r->first.data, r->first.len, in->path, in->is_directory, err);
    pf_option_value *values = r->reader ? pf_reader_values(r->reader, o, &r->t->arena, err) : NULL;
    PF_TRY(values ? PF_OK : err->code);
    r->values = values;
    pf_status st = fill(r, err);
    pf_options_release(values, r->reader->option_count);
    return st;
}

/* The first bytes of a file, by which its reader is chosen. */
static pf_status open_source(pf_reading *r, pf_error *err)
{
    PF_TRY(pf_source_open(&r->source, r->t, r->input, r->o, err));
    PF_TRY(pf_source_more(r->source, 0, &r->first, err));
    return r->first.len > 0 || r->input->stored_bytes == 0
               ? PF_OK
               : pf_fail(err, PF_ERR_INPUT,
                         "nothing can be decompressed; the file is truncated or damaged, get it again");
}

/* One input through the reader of its format. *dialect: what to read it as, NULL = recognise; set if it is to be read
 * again. */
static pf_status read_input(pf_trace *t, pf_input *in, const pf_read_options *o, const pf_dialect **dialect,
                            const pf_dialect *hint, bool *again, pf_error *err)
{
    const pf_input *after = in + 1 < t->inputs + t->input_count ? in + 1 : NULL;
    pf_reading r = {.t = t, .input = in, .after = after, .o = o, .dialect = *dialect, .hint = hint};
    pf_status st = in->is_directory ? PF_OK : open_source(&r, err);
    st = st == PF_OK ? choose_and_read(&r, err) : st;
    pf_source_close(r.source); /* plain_bytes is known */
    if (st == PF_OK && r.again) {
        *dialect = r.again;
        *again = true;
    } else if (st == PF_OK) {
        st = describe_input(t, in, r.reader, err);
    }
    if (st != PF_OK) {
        name_file(err, in->path);
    }
    return st;
}

/* What was read of small files leaves the resident memory when it is enough; of large ones the source sees to that. */
static void drop_read(const pf_trace *t, size_t *from, size_t to)
{
    enum { DROP_BYTES = 4 << 20 };
    uint64_t bytes = 0;
    for (size_t i = *from; i < to; i++) {
        bytes += t->files[i].size;
    }
    if (bytes >= DROP_BYTES) {
        for (; *from < to; ++*from) {
            pf_file_drop(&t->files[*from], 0, t->files[*from].size);
        }
    }
}

/* All inputs in their order, in the dialects that are known of them. What the first one is asked to be read again for
 * is done at once, and taken as a hint for those after it: inputs of one kind are not all read twice. */
static pf_status read_all(pf_trace *t, const pf_read_options *o, const pf_dialect **dialects, bool *again,
                          pf_error *err)
{
    size_t resident = 0;
    *again = false;
    for (size_t i = 0; i < t->input_count; i++) {
        PF_TRY(read_input(t, &t->inputs[i], o, &dialects[i], dialects[0], again, err));
        drop_read(t, &resident, i + 1);
        if (*again && i == 0) {
            PF_TRY(pf_trace_restart(t, err));
            *again = false;
            i = (size_t)-1;
        }
    }
    return PF_OK;
}

/* Twice, if an input turned out to be of another dialect than it was read in. */
static pf_status read_in_dialects(pf_trace *t, const pf_read_options *o, const pf_dialect **dialects, pf_error *err)
{
    bool again;
    PF_TRY(read_all(t, o, dialects, &again, err));
    if (again) {
        PF_TRY(pf_trace_restart(t, err));
        PF_TRY(read_all(t, o, dialects, &again, err));
    }
    t->events.plain_ties = true;
    for (size_t i = 0; i < t->input_count; i++) {
        t->events.plain_ties &= t->inputs[i].plain_ties;
    }
    return pf_trace_finish(t, err);
}

static pf_status read_inputs(pf_trace *t, const pf_read_options *o, pf_error *err)
{
    size_t bytes = t->input_count * sizeof(const pf_dialect *);
    const pf_dialect **dialects = pf_arena_alloc(&t->arena, bytes);
    PF_TRY(dialects ? PF_OK : pf_budget_refused(&t->budget, bytes, err));
    for (size_t i = 0; i < t->input_count; i++) {
        dialects[i] = o->dialect ? pf_dialect_named(o->dialect) : NULL;
    }
    t->leaves_findings = o->without_findings != NULL;
    if (o->jobs != 1) {
        pf_budget_help(&t->budget);
    }
    pf_status st = read_in_dialects(t, o, dialects, err);
    pf_budget_end_help(&t->budget);
    if (st == PF_OK) {
        pf_early_args_end(t);
    }
    pf_columns_trim(&t->events.columns);
    pf_columns_trim(&t->events.dur_columns);
    pf_columns_trim(&t->events.category_columns);
    return st;
}

/* With `strict` the first kind of damage is an error. */
static pf_status judge_damage(const pf_trace *t, pf_error *err)
{
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        if (s.count > 0 && s.loss) {
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

static pf_status open_paths(pf_trace *t, const char *const *paths, size_t count, const pf_read_options *o,
                            pf_error *err)
{
    pf_operands operands;
    PF_TRY(pf_operands_expand(&operands, paths, count, &t->arena, err));
    return open_inputs(t, &operands, o, err);
}

static pf_status read_paths(pf_trace *t, const char *const *paths, size_t count, const pf_read_options *o,
                            pf_error *err)
{
    PF_TRY(open_paths(t, paths, count, o, err));
    PF_TRY(read_inputs(t, o, err));
    PF_TRY(bound_residence(t, err));
    return o->strict ? judge_damage(t, err) : PF_OK;
}

pf_status pf_read(const char *const *paths, size_t count, const pf_read_options *options, pf_trace **out, pf_error *err)
{
    pf_error local = {0};
    pf_read_options o = pf_read_options_default();
    if (options) {
        pf_sized_take(&o, sizeof o, options, options->size, PF_SIZED_UPTO(pf_read_options, without_findings));
    }
    err = err ? err : &local;
    *out = NULL;
    if (count == 0) {
        return pf_fail(err, PF_ERR_USAGE, "no input was named; give a trace file, or - for standard input");
    }
    PF_TRY(check_options(&o, err));
    pf_trace *t = pf_trace_new(&o.limits, o.want, err);
    if (!t) {
        pf_error_in(err, paths[0]);
        return err->code;
    }
    pf_status st = read_paths(t, paths, count, &o, err);
    if (st != PF_OK) {
        pf_trace_free(t);
        *out = NULL; /* a reader of the caller's may have put it there */
        return st;
    }
    *out = t;
    return PF_OK;
}
