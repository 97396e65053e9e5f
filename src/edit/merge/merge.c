/* edit/merge/merge.c - several traces in one: what is done in which order, and what the result says of itself. */
#include "edit/merge/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "base/list.h"
#include "base/sized.h"
#include "base/str.h"
#include "model/trace/trace.h"
#include "perfetto/fields.h"

void pf_merge_options_init(pf_merge_options *o, size_t size)
{
    const pf_merge_options all = {.size = size, .input_size = sizeof(pf_merge_input)};
    pf_sized_give(o, size, &all, sizeof all);
}

/* One pass over one input. */
typedef struct pass {
    merge *m;
    merge_input *in;
    bool copies, foreign;
} pass;

static pf_status take_packet(void *ctx, const pf_raw_packet *p, pf_error *err)
{
    pass *s = ctx;
    merge_moment at;
    PF_TRY(pf_merge_take(s->m, s->in, p, &at, err));
    s->in->turn += p->data != PF_F_PACKET_TRACK_EVENT || p->defaults.tag || p->interned.tag ||
                   p->has & (PF_PACKET_CLEARED | PF_PACKET_DROPPED);
    return s->copies ? pf_merge_copy(s->m, s->in, p, &at, err) : pf_merge_list(s->m, s->in, p, err);
}

static pf_status take_rows(void *ctx, pf_rows *rows, pf_rows_at *at, uint64_t number, uint32_t has, pf_error *err)
{
    const pass *s = ctx;
    return pf_merge_rows(s->m, s->in, rows, at, s->copies, err);
}

/* Takes what another reader than that of packets is surer of, and does nothing with it. */
static pf_probe probe_foreign(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    const pf_reader *packets = pf_reader_find("perfetto");
    pf_probe best = packets->probe(head, size, path, is_directory), other = PF_PROBE_NO;
    for (size_t i = 0; i < pf_reader_count(); i++) {
        pf_probe probe = pf_reader_at(i)->probe(head, size, path, is_directory);
        other = probe > best ? PF_PROBE_SURE : other;
    }
    return other;
}

static pf_status read_foreign(pf_reading *r, pf_error *err)
{
    return PF_OK;
}

static pf_status go_through(pass *s, pf_error *err)
{
    static const pf_reader foreign = {
        .name = "foreign", .summary = "anything but packets", .probe = probe_foreign, .read = read_foreign};
    const pf_packet_handler handler = {.packet = take_packet, .rows = take_rows, .ctx = s};
    merge_input *in = s->in;
    pf_trace *t = NULL;
    pf_read_options read = s->m->read;
    read.input_format = NULL;
    pf_status st = pf_packets_walk(in->path, &read, &handler, &foreign, &t, err);
    s->foreign = st == PF_OK && strcmp(pf_trace_input(t, 0)->format, foreign.name) == 0;
    if (st == PF_OK && !s->foreign && !in->given->trace) {
        in->given->trace = t;
        s->m->result->bytes_in += pf_trace_input(t, 0)->plain_bytes;
    } else {
        pf_trace_free(t);
    }
    return st;
}

/* Errors are about the path that the caller gave. */
static pf_status blame(const merge_input *in, pf_status st, pf_error *err)
{
    if (st != PF_OK && st != PF_ERR_OUTPUT && err) {
        err->file[0] = 0;
        pf_error_in(err, in->given->path);
    }
    return st;
}

static pf_status list_input(merge *m, merge_input *in, pf_error *err)
{
    pass s = {.m = m, .in = in};
    const char *format = m->read.input_format;
    PF_TRY(pf_merge_keep_stream(m, in, err));
    s.foreign = format && strcmp(format, "perfetto") != 0;
    PF_TRY(s.foreign ? PF_OK : go_through(&s, err));
    if (s.foreign) {
        m->result->converted++;
        PF_TRY(pf_merge_convert(m, in, err));
        PF_TRY(go_through(&s, err));
    }
    pf_merge_state_again(m, in);
    return pf_merge_note_nameless(m, in, err);
}

static void put_attribute(merge *m, const merge_input *in, const char *what, int64_t value)
{
    pf_buffer key = {0};
    pf_buffer_format(&key, "postfetto.clock.%s.%s", in->label, what);
    pf_writer_begin(&m->writer, MERGE_ATTRIBUTE);
    pf_writer_bytes(&m->writer, MERGE_ATTRIBUTE_KEY, key.data, key.len);
    pf_writer_varint(&m->writer, MERGE_ATTRIBUTE_LONG, (uint64_t)value);
    pf_writer_end(&m->writer);
    m->writer.failed |= key.failed;
    pf_buffer_free(&key);
}

static pf_status put_clocks(merge *m, pf_error *err)
{
    m->bytes.len = 0;
    pf_writer_begin(&m->writer, PF_F_TRACE_PACKET);
    pf_writer_begin(&m->writer, PF_F_PACKET_TRACE_ATTRIBUTES);
    for (uint32_t i = 0; i < m->input_count; i++) {
        const pf_merge_input *g = m->input[i].given;
        put_attribute(m, &m->input[i], "offset_ns", g->offset_ns);
        if (g->uncertainty_ns >= 0) {
            put_attribute(m, &m->input[i], "drift_ppb", llround(g->drift_ppb));
            put_attribute(m, &m->input[i], "uncertainty_ns", g->uncertainty_ns);
        }
    }
    pf_writer_end(&m->writer);
    pf_writer_end(&m->writer);
    m->result->bytes += m->bytes.len;
    return m->writer.failed ? pf_no_memory(err) : pf_sink_put(&m->sink, m->bytes.data, m->bytes.len);
}

/* The name of an input's file up to its first dot; where two have the same, the paths. */
static char *name_input(const merge *m, uint32_t i)
{
    const char *given = m->o->input_size > offsetof(pf_merge_input, label) ? m->input[i].given->label : NULL;
    const char *path = m->input[i].given->path, *name = pf_path_name(path);
    size_t len = strcspn(name, ".");
    bool same = len == 0;
    for (uint32_t k = 0; k < m->input_count; k++) {
        const char *other = pf_path_name(m->input[k].given->path);
        same |= k != i && strcspn(other, ".") == len && memcmp(other, name, len) == 0;
    }
    return given || same ? strdup(given ? given : path) : strndup(name, len);
}

/* No two are called the same: where the caller does so, or a path is given twice, the later one is "NAME #2". */
static pf_status label_inputs(merge *m, pf_error *err)
{
    for (uint32_t i = 0; i < m->input_count; i++) {
        char *name = name_input(m, i);
        size_t len = name ? strlen(name) : 0;
        unsigned same = 1;
        for (uint32_t k = 0; name && k < i; k++) {
            const char *other = m->input[k].label;
            same += strncmp(other, name, len) == 0 && (!other[len] || strncmp(other + len, " #", 2) == 0);
        }
        if (same > 1) {
            char *numbered = malloc(len + 16);
            if (numbered) {
                snprintf(numbered, len + 16, "%s #%u", name, same);
            }
            free(name);
            name = numbered;
        }
        m->space[i].label = m->input[i].label = name;
        PF_TRY(name ? PF_OK : pf_no_memory(err));
    }
    return PF_OK;
}

static bool is_moved(const merge_input *in)
{
    return in->given->offset_ns != 0 || in->given->drift_ppb != 0;
}

/* The first input keeps its clocks if its times stay; then times of the others are those of its trace clock. */
static pf_status choose_clocks(merge *m, pf_error *err)
{
    merge_input *first = &m->input[0];
    const pf_clocks *c = &first->times.all;
    first->rewritten = is_moved(first);
    m->named_clock = !first->rewritten && c->default_id && c->default_id != c->trace_id ? c->trace_id : 0;
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_input *in = &m->input[i];
        in->rewritten = i != 0 || first->rewritten;
        int64_t start = pf_merge_place(in, in->first);
        if (in->timed && in->first >= 0 && start < 0) {
            pf_fail(err, PF_ERR_USAGE,
                    "would begin %lld ns before time 0; add at least that to the offset of each input",
                    (long long)-start);
            return blame(in, err->code, err);
        }
    }
    return PF_OK;
}

static pf_status copy_inputs(merge *m, pf_error *err)
{
    PF_TRY(put_clocks(m, err));
    for (uint32_t i = 0; i < m->input_count; i++) {
        pass s = {.m = m, .in = &m->input[i], .copies = true};
        PF_TRY(pf_merge_describe_nameless(m, &m->input[i]));
        PF_TRY(blame(&m->input[i], go_through(&s, err), err));
    }
    return PF_OK;
}

static pf_status write_output(merge *m, const char *out, pf_error *err)
{
    bool gzip = m->write.gzip || pf_sink_wants_gzip(out);
    for (uint32_t i = 1; i < m->input_count; i++) {
        const pf_file_id id = pf_file_id_of(out, STDOUT_FILENO);
        if (pf_file_id_is(&id, m->input[i].given->path)) {
            pf_fail(err, PF_ERR_OUTPUT, "the output is the input file; choose another name");
            pf_error_in(err, out);
            return err->code;
        }
    }
    PF_TRY(pf_sink_open(&m->sink, m->input[0].given->trace, out, &m->write, err));
    pf_status st = gzip ? pf_sink_begin_member(&m->sink) : PF_OK;
    bool bundles = st == PF_OK && !gzip && m->write.compress_packets && pf_sink_begin_bundles(&m->sink, 0);
    st = st == PF_OK ? copy_inputs(m, err) : st;
    if (bundles) {
        pf_sink_end_bundles(&m->sink);
    } else if (gzip) {
        pf_sink_end_member(&m->sink);
    }
    return pf_sink_close(&m->sink, st, err);
}

static pf_status run(merge *m, const char *out, pf_error *err)
{
    pf_arena_init(&m->arena, &m->budget);
    PF_TRY(pf_strings_init(&m->texts, &m->budget, err));
    m->generations = pf_generations_new(&m->arena);
    PF_TRY(m->generations ? PF_OK : pf_budget_refused(&m->budget, sizeof *m->generations, err));
    PF_TRY(PF_LIST_NEW(&m->budget, m->input, m->input_count, err));
    PF_TRY(PF_LIST_NEW(&m->budget, m->space, m->input_count, err));
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_input *in = &m->input[i];
        *in = (merge_input){
            .given = (pf_merge_input *)((char *)m->o->inputs + i * m->o->input_size), .fd = -1, .number = i};
        in->path = in->given->path;
        pf_merge_state_init(m, in);
        for (int set = 0; set < MERGE_SETS; set++) {
            pf_map_init(&m->space[i].moved[set].by_id, &m->budget);
            pf_map_init(&in->shared[set].by_id, &m->budget);
        }
    }
    PF_TRY(label_inputs(m, err));
    for (uint32_t i = 0; i < m->input_count; i++) {
        PF_TRY(blame(&m->input[i], list_input(m, &m->input[i], err), err));
    }
    PF_TRY(pf_merge_plan(m, err));
    PF_TRY(choose_clocks(m, err));
    return write_output(m, out, err);
}

static void free_moved(merge *m, merge_moved *list)
{
    pf_map_free(&list->by_id);
    PF_LIST_FREE(&m->budget, list->to, list->room);
    PF_LIST_FREE(&m->budget, list->from, list->from_room);
}

static void free_all(merge *m)
{
    for (uint32_t i = 0; m->input && m->space && i < m->input_count; i++) {
        pf_merge_state_free(&m->input[i]);
        PF_LIST_FREE(&m->budget, m->input[i].nameless, m->input[i].nameless_room);
        free(m->input[i].label);
        PF_LIST_FREE(&m->budget, m->input[i].carry, m->input[i].carry_room);
        if (m->input[i].fd >= 0) {
            close(m->input[i].fd);
        }
        for (int set = 0; set < MERGE_SETS; set++) {
            free_moved(m, &m->space[i].moved[set]);
            free_moved(m, &m->input[i].shared[set]);
        }
    }
    PF_LIST_FREE(&m->budget, m->input, m->input ? m->input_count : 0);
    for (uint32_t i = 0; m->space && i < m->input_count; i++) {
        PF_LIST_FREE(&m->budget, m->space[i].last_switch, m->space[i].last_switch ? PF_FTRACE_CPUS : 0);
    }
    PF_LIST_FREE(&m->budget, m->space, m->space ? m->input_count : 0);
    pf_ftrace_bundle_free(&m->bundle);
    PF_LIST_FREE(&m->budget, m->again, m->again_room);
    PF_LIST_FREE(&m->budget, m->root, m->root_room);
    for (int set = 0; set < MERGE_SETS; set++) {
        pf_map_free(&m->owner[set]);
    }
    pf_map_free(&m->names);
    pf_map_free(&m->roots);
    pf_map_free(&m->incremental);
    pf_strings_free(&m->texts);
    pf_arena_free(&m->arena);
    pf_buffer_free(&m->carried);
    pf_writer_free(&m->carried_writer);
    pf_buffer_free(&m->bytes);
    pf_buffer_free(&m->rows);
    pf_writer_free(&m->writer);
    pf_budget_end(&m->budget);
}

pf_status pf_merge(const char *out, const pf_merge_options *options, pf_merge_result *result, pf_error *err)
{
    pf_merge_options o = pf_merge_options_default();
    pf_merge_result own = {.size = sizeof own};
    pf_sized_take(&o, sizeof o, options, options->size, PF_SIZED_UPTO(pf_merge_options, machines));
    merge *m = calloc(1, sizeof *m);
    if (!m) {
        return pf_no_memory(err);
    }
    m->o = &o;
    m->read = pf_read_options_default();
    if (o.read) {
        pf_sized_take(&m->read, sizeof m->read, o.read, o.read->size, PF_SIZED_UPTO(pf_read_options, without_findings));
    }
    m->write = pf_write_options_of(o.write);
    m->result = &own;
    m->input_count = (uint32_t)o.input_count;
    pf_budget_init(&m->budget, &m->read.limits);
    pf_map_init(&m->names, &m->budget);
    pf_map_init(&m->roots, &m->budget);
    pf_map_init(&m->incremental, &m->budget);
    for (int set = 0; set < MERGE_SETS; set++) {
        pf_map_init(&m->owner[set], &m->budget);
    }
    pf_writer_init(&m->writer, &m->bytes);
    pf_writer_init(&m->carried_writer, &m->carried);
    pf_status st = o.input_count && o.input_count < 1u << 16
                       ? run(m, out, err)
                       : pf_fail(err, PF_ERR_USAGE, "a merge takes 1 to 65535 inputs");
    free_all(m);
    free(m);
    if (result) {
        size_t size = result->size;
        pf_sized_give(result, size, &own, sizeof own);
        result->size = size;
    }
    return st;
}
