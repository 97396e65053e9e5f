/* analyze/opcmp/model_side.c - operators as the performance model wrote them: complete events of one process.
 *
 * An operator that profiling data was found for names the kernel types that it ran as (kernel_type, separated by
 * commas), and perhaps how long each took (sub_kernel_durations); that is a hit. Others are named by the mapping, or
 * by themselves; those are misses.
 *
 * Durations are numbers as the trace has them: where a row rounds one, lacks it (negative, beyond 64 bits) or has no
 * time, the text counts. So sums are those of the doubles that any reader of JSON gets.
 *
 * What arguments say is found out piece by piece, ahead of where the sums are (model_pieces.h); what a name means is
 * worked out once, by its string id. Sums are added in the order of the events, so they do not depend on the threads.
 */
#include <math.h>
#include <string.h>

#include "analyze/opcmp/model_pieces.h"
#include "analyze/support/pass_memory.h"
#include "base/list.h"
#include "base/str.h"
#include "base/text/number.h"
#include "base/threads/crew.h"
#include "model/trace/json_notes.h"

enum { SLOTS_MAX = 16 };

/* What an operator's name means. */
typedef struct op {
    bool known, zero_cost, all_reduces;
    uint32_t function; /* text id of its short name */
    uint32_t missed;   /* text id of the kernel type where it is a miss */
} op;

typedef struct side {
    opcmp *c;
    const pf_trace *t;
    uint32_t upid;
    const opcmp_mapping *mapping;
    op *ops; /* by string id of the name, from `lowest` on */
    uint32_t lowest;
    opcmp_piece *piece; /* slots of the crew */
    unsigned slots;
    uint32_t *type; /* text ids of the names of the piece at hand */
    uint32_t type_room;
    uint64_t operators;  /* complete events of the process */
    uint32_t row;        /* of the event at hand */
    uint32_t hint;       /* where its written duration is looked for */
    pf_str shapes;       /* of its inputs, where those count */
    uint32_t all_reduce; /* text id of hcom_allReduce_ */
} side;

static uint32_t text_id(side *s, pf_str text, pf_error *err)
{
    return pf_strings_add(&s->c->texts, text.ptr, text.len, err);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static uint32_t add_short_name(side *s, pf_str name, pf_error *err)
{
    static const pf_str prefix = {"torch.ops.", 10};
    char *text = pf_pass_array(&s->c->arena, name.len + 1, 1, err);
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
    o->all_reduces = pf_opcmp_contains_lower(name, "all_reduce");
    return PF_OK;
}

/* A table for the names that occur. */
static pf_status prepare_ops(side *s, pf_error *err)
{
    const pf_events *e = pf_trace_events(s->t);
    uint32_t lowest = PF_NONE, highest = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        lowest = e->name[i] < lowest ? e->name[i] : lowest;
        highest = e->name[i] > highest ? e->name[i] : highest;
    }
    size_t names = e->count ? (size_t)highest - lowest + 1 : 1;
    s->lowest = lowest;
    s->ops = pf_pass_array(&s->c->arena, names, sizeof *s->ops, err);
    if (!s->ops) {
        return err->code;
    }
    memset(s->ops, 0, names * sizeof *s->ops);
    s->all_reduce = text_id(s, PF_STR("hcom_allReduce_"), err);
    return s->all_reduce == PF_NONE ? err->code : PF_OK;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static pf_status keep_part(side *s, uint32_t type, bool hit, double us, pf_error *err)
{
    opcmp_parts *p = &s->c->parts;
    PF_TRY(PF_LIST_ROOM(&s->c->budget, p->part, p->count + 1, p->room, err));
    p->part[p->count++] = (opcmp_part){s->row, type, us, hit};
    return PF_OK;
}

static pf_status refuse_duration(const side *s, pf_str text, pf_error *err)
{
    return pf_fail_at(
        err, PF_ERR_INPUT, pf_trace_event_offset(s->t, s->row),
        "the duration %.*s of an operator is no number that can be added up; write it anew in microseconds",
        text.len > 60 ? 60 : (int)text.len, text.ptr);
}

static pf_status add(side *s, uint32_t type, bool hit, double us, const op *o, pf_error *err)
{
    if (!isfinite(us)) {
        return refuse_duration(s, PF_STR("(not finite)"), err);
    }
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

/* The duration of the event at hand. */
static pf_status duration_of(side *s, double *us, pf_error *err)
{
    const pf_events *e = pf_trace_events(s->t);
    pf_str text = pf_trace_written_dur(s->t, s->row, &s->hint);
    if (!text.ptr) {
        *us = e->dur && e->dur[s->row] > 0 ? (double)e->dur[s->row] / 1000 : 0;
        return PF_OK;
    }
    bool is_true = pf_str_equal(text, PF_STR("true"));
    *us = is_true;
    return is_true || pf_str_equal(text, PF_STR("false")) || pf_parse_real(text.ptr, text.len, us)
               ? PF_OK
               : refuse_duration(s, text, err);
}

static pf_status add_event(side *s, const op *o, const opcmp_said *types, const opcmp_said *durations, pf_error *err)
{
    const opcmp_said *list = durations->usable ? durations : types;
    double us = 0;
    if (o->zero_cost) {
        return PF_OK;
    }
    if (!types->usable || (!list->us && list->count)) {
        PF_TRY(duration_of(s, &us, err));
    }
    if (!types->usable) {
        return add(s, o->missed, false, us, o, err);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        PF_TRY(add(s, s->type[list->type[i]], true, list->us ? list->us[i] : us / list->count, o, err));
    }
    bool implied = list == types && o->all_reduces && !types->reduces;
    return implied ? add(s, s->all_reduce, true, 0, o, err) : PF_OK;
}

static pf_status add_events(side *s, const opcmp_piece *p, pf_error *err)
{
    const pf_events *e = pf_trace_events(s->t);
    const uint32_t *type = pf_arg_column_at(p->columns, 0)->values.text;
    const uint32_t *duration = pf_arg_column_at(p->columns, 1)->values.text;
    const uint32_t *shapes = s->c->by_shape ? pf_arg_column_at(p->columns, 2)->values.text : NULL;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t row = s->row = p->row[i];
        s->shapes = shapes && shapes[i] ? pf_arg_columns_text(p->columns, shapes[i]) : PF_STR("");
        op *o = &s->ops[e->name[row] - s->lowest];
        if (!o->known) {
            PF_TRY(learn_op(s, o, pf_trace_string(s->t, e->name[row]), err));
        }
        PF_TRY(add_event(s, o, &p->types[type[i]], &p->durations[duration[i]], err));
    }
    return PF_OK;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void read_piece(void *ctx, unsigned slot)
{
    const side *s = ctx;
    pf_opcmp_piece_read(&s->piece[slot], s->t, s->upid, s->c->by_shape, &s->c->budget);
}

/* Gives the names of a piece the ids that they have in the comparison. */
static pf_status take_names(side *s, const opcmp_piece *p, pf_error *err)
{
    uint32_t count = p->names.count;
    PF_TRY(PF_LIST_ROOM(&s->c->budget, s->type, count, s->type_room, err));
    for (uint32_t i = 1; i < count; i++) {
        s->type[i] = text_id(s, pf_strings_get(&p->names, i), err);
        if (s->type[i] == PF_NONE) {
            return err->code;
        }
    }
    return PF_OK;
}

static pf_status take_piece(side *s, const opcmp_piece *p, pf_error *err)
{
    if (p->status != PF_OK) {
        *err = p->error;
        return p->status;
    }
    if (p->count) {
        PF_TRY(take_names(s, p, err));
        PF_TRY(add_events(s, p, err));
    }
    return PF_OK;
}

static pf_status add_pieces(side *s, pf_crew *crew, pf_error *err)
{
    uint32_t next = 0, events = pf_trace_events(s->t)->count;
    pf_status st = PF_OK;
    while (st == PF_OK && (next < events || pf_crew_pending(crew))) {
        while (next < events && pf_crew_room(crew)) {
            opcmp_piece *p = &s->piece[pf_crew_next(crew)];
            p->from = next;
            p->to = next = events - next < OPCMP_PIECE_EVENTS ? events : next + OPCMP_PIECE_EVENTS;
            pf_crew_put(crew);
        }
        opcmp_piece *p = &s->piece[pf_crew_take(crew)];
        s->operators += p->count;
        st = take_piece(s, p, err);
        pf_opcmp_piece_clear(p);
        pf_crew_release(crew);
    }
    return st;
}

pf_status pf_opcmp_add_model(opcmp *c, const pf_trace *t, uint32_t upid, const opcmp_mapping *m, unsigned jobs,
                             pf_error *err)
{
    side s = {.c = c, .t = t, .upid = upid, .mapping = m};
    jobs = jobs ? jobs : 2;
    s.slots = 2 * jobs < SLOTS_MAX ? 2 * jobs : SLOTS_MAX;
    pf_status st = prepare_ops(&s, err);
    s.piece = st == PF_OK ? pf_alloc_zero(&c->budget, s.slots, sizeof *s.piece) : NULL;
    pf_crew *crew = s.piece ? pf_crew_start(s.slots / 2 - 1, s.slots, read_piece, &s, &c->budget) : NULL;
    if (st == PF_OK && !crew) {
        st = pf_budget_refused(&c->budget, s.slots * sizeof *s.piece, err);
    }
    st = st == PF_OK ? add_pieces(&s, crew, err) : st;
    pf_crew_stop(crew);
    if (st == PF_OK && s.operators == 0 && c->strict) {
        st = pf_fail(err, PF_ERR_INPUT,
                     "the process has no complete events (ph X), so there is nothing to compare; "
                     "give the trace that the model wrote");
    }
    for (unsigned i = 0; s.piece && i < s.slots; i++) {
        pf_opcmp_piece_clear(&s.piece[i]);
        pf_literal_free(&s.piece[i].pairs);
    }
    pf_release(&c->budget, s.piece, s.piece ? s.slots * sizeof *s.piece : 0);
    PF_LIST_FREE(&c->budget, s.type, s.type_room);
    return st;
}
