/* analyze/opcmp/model_side.c - operators as the performance model wrote them: complete events of one process.
 *
 * An operator that profiling data was found for names the kernel types that it ran as (kernel_type, separated by
 * commas), and perhaps how long each took (sub_kernel_durations); that is a hit. Others are named by the mapping, or
 * by themselves; those are misses.
 *
 * Operators and arguments repeat by the thousand, so what a text means is worked out once: by string id for names, by
 * text id for arguments. An event then costs a few look-ups in arrays.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/opcmp/python_literal.h"
#include "analyze/opcmp/python_set.h"
#include "analyze/support/pass_memory.h"
#include "postfetto/arg_columns.h"

/* What an operator's name means. */
typedef struct op {
    bool known, zero_cost, all_reduces;
    uint32_t function; /* text id of its short name */
    uint32_t missed;   /* text id of the kernel type where it is a miss */
} op;

/* What an argument says: kernel types, with durations or without. */
typedef struct parts {
    bool known, usable;
    uint32_t count, *type;
    double *us;   /* NULL: the event's duration is shared out evenly */
    bool reduces; /* hcom_allReduce_ is one of them */
} parts;

typedef struct side {
    opcmp *c;
    const pf_trace *t;
    const opcmp_mapping *mapping;
    const pf_arg_columns *columns;
    op *ops; /* by string id of the name, from `lowest` on */
    uint32_t lowest;
    parts *types, *durations; /* by text id of the argument */
    pf_literal_pairs pairs;
    uint32_t row;        /* of the event at hand */
    pf_str shapes;       /* of its inputs, where those count */
    uint32_t all_reduce; /* text id of hcom_allReduce_ */
} side;

static uint32_t text_id(side *s, pf_str text, pf_error *err)
{
    return pf_strings_add(&s->c->texts, text.ptr, text.len, err);
}

static void *array(side *s, size_t n, size_t size, pf_error *err)
{
    return pf_pass_array(&s->c->arena, n, size, err);
}

static bool contains_lower(pf_str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.len; i++) {
        size_t k = 0;
        while (k < n && (s.ptr[i + k] >= 'A' && s.ptr[i + k] <= 'Z' ? s.ptr[i + k] | 32 : s.ptr[i + k]) == word[k]) {
            k++;
        }
        if (k == n) {
            return true;
        }
    }
    return false;
}

/* ---- process ----------------------------------------------------------------------------------------------------- */

static uint32_t upid_of_event(const pf_trace *t, uint32_t row)
{
    const pf_tracks *tracks = pf_trace_tracks(t);
    uint32_t track = pf_trace_events(t)->track[row];
    uint32_t upid = tracks->upid[track], utid = tracks->utid[track];
    return upid == PF_NONE && utid != PF_NONE ? pf_trace_threads(t)->upid[utid] : upid;
}

static bool is_complete(const pf_events *e, uint32_t row)
{
    return (e->phase[row] & ~PF_PHASE_BAD_TS) == 'X';
}

/* A pid as Python prints it. */
static pf_str spell_pid(opcmp *c, const pf_trace *t, uint32_t upid)
{
    const pf_processes *p = pf_trace_processes(t);
    pf_str text = pf_trace_string(t, p->text[upid]);
    size_t room = text.len + 32;
    char *out = pf_arena_alloc(&c->arena, room);
    int n = 0;
    if (!out) {
        return (pf_str){NULL, 0};
    }
    switch (p->kind[upid]) {
    case PF_ID_TEXT:
        n = snprintf(out, room, "'%.*s'", PF_TEXT_ARG(text));
        break;
    case PF_ID_REAL:
        n = snprintf(out, room, "%.*s", PF_TEXT_ARG(text));
        break;
    case PF_ID_ABSENT:
        n = snprintf(out, room, "None");
        break;
    default:
        n = snprintf(out, room, "%" PRId64, p->pid[upid]);
        break;
    }
    return (pf_str){out, n > 0 ? (size_t)n : 0};
}

/* The first process_name event whose name has one of the two words in it; PF_NONE if there is none. */
static uint32_t named_process(const pf_trace *t)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t wanted = pf_trace_find_string(t, PF_STR("process_name"));
    for (uint32_t i = 0; wanted != PF_NONE && i < e->count; i++) {
        char name[4096];
        if ((e->phase[i] & ~PF_PHASE_BAD_TS) != 'M' || e->name[i] != wanted) {
            continue;
        }
        uint64_t len = pf_trace_arg_text(t, i, PF_STR("name"), name, sizeof name);
        pf_str text = {name, len > sizeof name ? (len == PF_NOWHERE ? 0 : sizeof name) : (size_t)len};
        if (contains_lower(text, "profiling") || contains_lower(text, "empirical")) {
            return upid_of_event(t, i);
        }
    }
    return PF_NONE;
}

static pf_status ambiguous(opcmp *c, const pf_trace *t, const uint32_t *upid, size_t n, const char *path, pf_error *err)
{
    pf_python_set set = {0};
    pf_buffer b = {0};
    for (size_t i = 0; i < n; i++) {
        pf_python_set_add(&set, pf_trace_processes(t)->pid[upid[i]], upid[i]);
    }
    for (size_t i = 0; i <= set.mask && set.slots; i++) {
        if (set.slots[i].used) {
            pf_str pid = spell_pid(c, t, set.slots[i].value);
            pf_buffer_text(&b, b.len ? ", " : "{");
            pf_buffer_put(&b, pid.ptr, pid.len);
        }
    }
    pf_buffer_text(&b, b.len ? "}" : "set()");
    pf_status st = pf_fail(err, PF_ERR_INPUT, "Cannot identify profiling PID in %s. Found PIDs: %.*s", path,
                           b.failed ? 0 : (int)b.len, b.failed ? "" : b.data);
    pf_buffer_free(&b);
    pf_python_set_free(&set);
    return st;
}

pf_status pf_opcmp_find_process(opcmp *c, const pf_trace *t, const char *path, opcmp_process *out, pf_error *err)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t processes = pf_trace_processes(t)->count;
    *out = (opcmp_process){.upid = named_process(t)};
    if (out->upid != PF_NONE) {
        return PF_OK;
    }
    bool *seen = pf_pass_array(&c->arena, processes, sizeof *seen, err);
    uint32_t *order = seen ? pf_pass_array(&c->arena, processes, sizeof *order, err) : NULL;
    size_t n = 0;
    if (!order) {
        return err->code;
    }
    memset(seen, 0, processes);
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t upid = is_complete(e, i) ? upid_of_event(t, i) : PF_NONE;
        if (upid < processes && !seen[upid]) {
            seen[upid] = true;
            order[n++] = upid;
        }
    }
    if (n != 1) {
        return ambiguous(c, t, order, n, path, err);
    }
    *out = (opcmp_process){.upid = order[0], .sole = true, .spelling = spell_pid(c, t, order[0])};
    return PF_OK;
}

/* ---- what texts mean --------------------------------------------------------------------------------------------- */

static uint32_t add_short_name(side *s, pf_str name, pf_error *err)
{
    static const pf_str prefix = {"torch.ops.", 10};
    char *text = array(s, name.len + 1, 1, err);
    size_t n = 0;
    if (!text) {
        return PF_NONE;
    }
    for (size_t i = 0; i < name.len;) {
        if (name.len - i >= prefix.len && memcmp(name.ptr + i, prefix.ptr, prefix.len) == 0) {
            i += prefix.len;
        } else {
            text[n++] = name.ptr[i++];
        }
    }
    return pf_strings_add(&s->c->texts, text, n, err);
}

static pf_status learn_op(side *s, op *o, pf_str name, pf_error *err)
{
    name = name.ptr ? name : PF_STR("");
    o->function = add_short_name(s, name, err);
    if (o->function == PF_NONE) {
        return err->code;
    }
    opcmp_entry e = pf_opcmp_mapping_find(s->mapping, name, pf_strings_get(&s->c->texts, o->function));
    o->missed = text_id(s, e.kernel_type.ptr ? e.kernel_type : name, err);
    if (o->missed == PF_NONE) {
        return err->code;
    }
    o->known = true;
    o->zero_cost = e.zero_cost;
    o->all_reduces = contains_lower(name, "all_reduce");
    return PF_OK;
}

/* Kernel types between commas. */
static pf_status learn_types(side *s, parts *p, pf_str text, pf_error *err)
{
    uint32_t commas = 0;
    p->known = true;
    p->usable = text.len > 0 && !(text.len == 1 && text.ptr[0] == '?');
    for (size_t i = 0; i < text.len; i++) {
        commas += text.ptr[i] == ',';
    }
    p->type = p->usable ? array(s, (size_t)commas + 1, sizeof *p->type, err) : NULL;
    if (!p->type) {
        return p->usable ? err->code : PF_OK;
    }
    for (size_t from = 0, to; from <= text.len; from = to + 1) {
        const char *comma = from < text.len ? memchr(text.ptr + from, ',', text.len - from) : NULL;
        to = comma ? (size_t)(comma - text.ptr) : text.len;
        pf_str part = pf_opcmp_trim((pf_str){text.ptr + from, to - from});
        if (part.len == 0) {
            continue;
        }
        uint32_t id = text_id(s, part, err);
        if (id == PF_NONE) {
            return err->code;
        }
        p->reduces |= id == s->all_reduce;
        p->type[p->count++] = id;
    }
    return PF_OK;
}

static pf_status learn_durations(side *s, parts *p, pf_str text, pf_error *err)
{
    p->known = true;
    p->usable = pf_literal_read_pairs(text, &s->pairs);
    if (s->pairs.failed || s->pairs.text.failed) {
        return pf_fail(err, PF_ERR_MEMORY, "the system refused memory for durations of sub-kernels");
    }
    if (!p->usable) {
        return PF_OK;
    }
    p->type = array(s, s->pairs.count, sizeof *p->type, err);
    p->us = p->type ? array(s, s->pairs.count, sizeof *p->us, err) : NULL;
    if (!p->us) {
        return err->code;
    }
    for (; p->count < s->pairs.count; p->count++) {
        const pf_literal_pair *pair = &s->pairs.pair[p->count];
        p->us[p->count] = pair->value;
        p->type[p->count] =
            pf_strings_add(&s->c->texts, pair->name_len ? s->pairs.text.data + pair->name : "", pair->name_len, err);
        if (p->type[p->count] == PF_NONE) {
            return err->code;
        }
    }
    return PF_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static pf_status keep_part(side *s, uint32_t type, bool hit, double us, pf_error *err)
{
    opcmp_parts *p = &s->c->parts;
    if (p->count == p->room) {
        uint32_t room = p->room ? 2 * p->room : 1024;
        opcmp_part *grown = pf_resize(&s->c->budget, p->part, p->room * sizeof *grown, room * sizeof *grown);
        if (!grown) {
            return pf_budget_refused(&s->c->budget, room * sizeof *grown, err);
        }
        p->part = grown;
        p->room = room;
    }
    p->part[p->count++] = (opcmp_part){s->row, type, us, hit};
    return PF_OK;
}

static pf_status add(side *s, uint32_t type, bool hit, double us, const op *o, pf_error *err)
{
    if (s->c->by_shape) {
        type = pf_opcmp_shaped(s->c, pf_strings_get(&s->c->texts, type), s->shapes, err);
    }
    if (type == PF_NONE || (s->c->keep_parts && keep_part(s, type, hit, us, err) != PF_OK)) {
        return err->code;
    }
    opcmp_kernel *k = pf_opcmp_kernel(s->c, type, err);
    if (!k) {
        return err->code;
    }
    k->modelled = true;
    k->hits += hit;
    k->misses += !hit;
    k->count++;
    k->model_total += us;
    unsigned i = 0;
    while (i < k->functions && k->function[i] != o->function) {
        i++;
    }
    if (i == k->functions && i < 3) {
        k->function[k->functions++] = o->function;
    }
    return PF_OK;
}

static pf_status add_event(side *s, const op *o, const parts *types, const parts *durations, double us, pf_error *err)
{
    if (o->zero_cost) {
        return PF_OK;
    }
    if (!types || !types->usable) {
        return add(s, o->missed, false, us, o, err);
    }
    const parts *list = durations && durations->usable ? durations : types;
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < list->count; i++) {
        st = add(s, list->type[i], true, list->us ? list->us[i] : us / list->count, o, err);
    }
    if (st == PF_OK && list == types && o->all_reduces && !types->reduces) {
        st = add(s, s->all_reduce, true, 0, o, err);
    }
    return st;
}

/* The row of an argument's text, worked out when first met; *out is NULL where the event has no such argument. */
static pf_status parts_of(side *s, parts *all, uint32_t id, pf_status (*learn)(side *, parts *, pf_str, pf_error *),
                          const parts **out, pf_error *err)
{
    *out = id ? &all[id] : NULL;
    return id && !all[id].known ? learn(s, &all[id], pf_arg_columns_text(s->columns, id), err) : PF_OK;
}

static pf_status add_events(side *s, const uint32_t *rows, uint32_t count, pf_error *err)
{
    const pf_events *e = pf_trace_events(s->t);
    const uint32_t *type = pf_arg_column_at(s->columns, 0)->values.text;
    const uint32_t *duration = pf_arg_column_at(s->columns, 1)->values.text;
    const uint32_t *shapes = s->c->by_shape ? pf_arg_column_at(s->columns, 2)->values.text : NULL;
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < count; i++) {
        uint32_t row = s->row = rows[i];
        s->shapes = shapes && shapes[i] ? pf_arg_columns_text(s->columns, shapes[i]) : PF_STR("");
        op *o = &s->ops[e->name[row] - s->lowest];
        const parts *types = NULL, *durations = NULL;
        st = o->known ? PF_OK : learn_op(s, o, pf_trace_string(s->t, e->name[row]), err);
        st = st == PF_OK ? parts_of(s, s->types, type[i], learn_types, &types, err) : st;
        st = st == PF_OK ? parts_of(s, s->durations, duration[i], learn_durations, &durations, err) : st;
        int64_t ns = e->dur && e->dur[row] > 0 ? e->dur[row] : 0;
        st = st == PF_OK ? add_event(s, o, types, durations, (double)ns / 1000, err) : st;
    }
    return st;
}

/* Tables for the texts that occur. */
static pf_status prepare(side *s, const uint32_t *rows, uint32_t count, pf_error *err)
{
    const pf_events *e = pf_trace_events(s->t);
    uint32_t lowest = PF_NONE, highest = 0, texts = pf_arg_columns_text_count(s->columns) + 2;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name = e->name[rows[i]];
        lowest = name < lowest ? name : lowest;
        highest = name > highest ? name : highest;
    }
    size_t names = count ? (size_t)highest - lowest + 1 : 1;
    s->lowest = lowest;
    s->ops = array(s, names, sizeof *s->ops, err);
    s->types = s->ops ? array(s, texts, sizeof *s->types, err) : NULL;
    s->durations = s->types ? array(s, texts, sizeof *s->durations, err) : NULL;
    if (!s->durations) {
        return err->code;
    }
    memset(s->ops, 0, names * sizeof *s->ops);
    memset(s->types, 0, texts * sizeof *s->types);
    memset(s->durations, 0, texts * sizeof *s->durations);
    s->all_reduce = text_id(s, PF_STR("hcom_allReduce_"), err);
    return s->all_reduce == PF_NONE ? err->code : PF_OK;
}

pf_status pf_opcmp_add_model(opcmp *c, const pf_trace *t, uint32_t upid, const opcmp_mapping *m, unsigned jobs,
                             pf_error *err)
{
    static const pf_arg_key keys[] = {{.key = "kernel_type", .type = PF_ARG_TEXT},
                                      {.key = "sub_kernel_durations", .type = PF_ARG_TEXT},
                                      {.key = "simulation_shapes", .type = PF_ARG_TEXT}};
    const pf_events *e = pf_trace_events(t);
    side s = {.c = c, .t = t, .mapping = m};
    pf_arg_columns *columns = NULL;
    uint32_t count = 0;
    uint32_t *rows = pf_alloc(&c->budget, ((size_t)e->count + 1) * sizeof *rows);
    if (!rows) {
        return pf_budget_refused(&c->budget, ((size_t)e->count + 1) * sizeof *rows, err);
    }
    for (uint32_t i = 0; i < e->count; i++) {
        rows[count] = i;
        count += is_complete(e, i) && upid_of_event(t, i) == upid;
    }
    pf_status st =
        pf_arg_columns_read(t, rows, count, keys, c->by_shape ? 3 : 2, &(pf_arg_options){.jobs = jobs}, &columns, err);
    if (st == PF_OK) {
        s.columns = columns;
        st = prepare(&s, rows, count, err);
        st = st == PF_OK ? add_events(&s, rows, count, err) : st;
    }
    pf_literal_free(&s.pairs);
    pf_arg_columns_free(columns);
    pf_release(&c->budget, rows, ((size_t)e->count + 1) * sizeof *rows);
    return st;
}
