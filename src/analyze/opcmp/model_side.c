/* analyze/opcmp/model_side.c - operators as the performance model wrote them: complete events of one process.
 *
 * An operator that profiling data was found for names the kernel types that it ran as (kernel_type, separated by
 * commas), and perhaps how long each took (sub_kernel_durations); that is a hit. Others are named by the mapping, or
 * by themselves; those are misses.
 *
 * Durations are numbers as the trace has them: where a row rounds one, lacks it (negative, beyond 64 bits) or has no
 * time, the text counts. So sums are those of the doubles that any reader of JSON gets.
 *
 * What arguments say is found out piece by piece, by several threads, ahead of where the sums are. They repeat by the
 * thousand, so what a text means is worked out once in a piece, by its id. Kernel types get ids of the piece, which
 * whoever adds the pieces up replaces by those of the comparison: so no thread waits for another, and a text that no
 * other event has is forgotten with its piece. What a name means is worked out once, by its string id. Sums are added
 * in the order of the events, so they do not depend on the threads.
 */
#include <math.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/list.h"
#include "base/str.h"
#include "base/text/number.h"
#include "base/threads/threads.h"
#include "model/trace/json_notes.h"

enum { SLOTS_MAX = 16 };

/* What an argument says: kernel types, with durations or without. */
typedef struct said {
    bool known, usable;
    bool reduces; /* hcom_allReduce_ is one of them */
    uint32_t count;
    uint32_t *type; /* ids in the piece's names */
    double *us;     /* NULL: the event's duration is shared out evenly */
} said;

/* Where every event has a list of its own a piece takes 0.7 MB, and each thread may have two: one that it works on and
 * one that waits for its turn to be added up. Together that is less than what a thread takes to import JSON. */
enum { PIECE_EVENTS = 4096 };

/* Events [from, to) of the trace, and what was found out about those of the process. */
typedef struct piece {
    uint32_t from, to;
    uint32_t count, row[PIECE_EVENTS]; /* complete events of the process */
    pf_arg_columns *columns;           /* by place in `row`: kernel_type, sub_kernel_durations, maybe shapes */
    pf_arena arena;
    pf_strings names;        /* of kernel types */
    said *types, *durations; /* by text id of the columns */
    pf_literal_pairs pairs;  /* room for durations; stays from piece to piece */
    pf_status status;
    pf_error error;
} piece;

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
    piece *piece; /* slots of the crew */
    unsigned slots;
    uint32_t *type; /* text ids of the names of the piece at hand */
    uint32_t type_room;
    uint64_t operators;  /* complete events of the process */
    uint32_t row;        /* of the event at hand */
    uint32_t hint;       /* where its written duration is looked for */
    pf_str shapes;       /* of its inputs, where those count */
    uint32_t all_reduce; /* text id of hcom_allReduce_ */
} side;

static pf_status add_type(piece *p, said *o, pf_str text)
{
    PF_TRY(pf_strings_put(&p->names, text, &o->type[o->count], &p->error));
    o->reduces |= pf_str_is(text, "hcom_allReduce_");
    o->count++;
    return PF_OK;
}

/* Kernel types between commas. */
static pf_status learn_types(piece *p, said *o, pf_str text)
{
    size_t commas = 0;
    o->usable = text.len > 0 && !pf_str_is(text, "?");
    for (size_t i = 0; i < text.len; i++) {
        commas += text.ptr[i] == ',';
    }
    PF_TRY(PF_PASS_ARRAY(&p->arena, o->usable ? commas + 1 : 0, o->type, &p->error));
    for (size_t from = 0, to = 0; o->usable && from <= text.len; from = to + 1) {
        const char *comma = from < text.len ? memchr(text.ptr + from, ',', text.len - from) : NULL;
        to = comma ? (size_t)(comma - text.ptr) : text.len;
        pf_str part = pf_opcmp_trim((pf_str){text.ptr + from, to - from});
        PF_TRY(part.len ? add_type(p, o, part) : PF_OK);
    }
    return PF_OK;
}

static pf_status learn_durations(piece *p, said *o, pf_str text)
{
    o->usable = pf_literal_read_pairs(text, &p->pairs);
    PF_TRY(p->pairs.failed || p->pairs.text.failed ? pf_no_memory(&p->error) : PF_OK);
    if (!o->usable) {
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(&p->arena, p->pairs.count, o->type, &p->error));
    PF_TRY(PF_PASS_ARRAY(&p->arena, p->pairs.count, o->us, &p->error));
    for (size_t i = 0; i < p->pairs.count; i++) {
        const pf_literal_pair *pair = &p->pairs.pair[i];
        o->us[i] = pair->value;
        PF_TRY(add_type(p, o, (pf_str){pair->name_len ? p->pairs.text.data + pair->name : "", pair->name_len}));
    }
    return PF_OK;
}

/* Works out what the texts of a column mean; *out is by text id, of which 0 stands for none. */
static pf_status learn_column(piece *p, size_t column, pf_status (*learn)(piece *p, said *o, pf_str text), said **out)
{
    const uint32_t *text = pf_arg_column_at(p->columns, column)->values.text;
    PF_TRY(PF_ARENA_NEW(&p->arena, *out, (size_t)pf_arg_columns_text_count(p->columns) + 1, &p->error));
    for (uint32_t i = 0; i < p->count; i++) {
        said *o = &(*out)[text[i]];
        if (text[i] && !o->known) {
            o->known = true;
            PF_TRY(learn(p, o, pf_arg_columns_text(p->columns, text[i])));
        }
    }
    return PF_OK;
}

static pf_status read_columns(piece *p, const side *s)
{
    static const pf_arg_key keys[] = {{.key = "kernel_type", .type = PF_ARG_TEXT},
                                      {.key = "sub_kernel_durations", .type = PF_ARG_TEXT},
                                      {.key = "simulation_shapes", .type = PF_ARG_TEXT}};
    static const pf_arg_options alone = {.jobs = 1};
    PF_TRY(pf_strings_init(&p->names, &s->c->budget, &p->error));
    if (p->count == 0) {
        return PF_OK;
    }
    PF_TRY(pf_arg_columns_read(s->t, p->row, p->count, keys, s->c->by_shape ? 3 : 2, &alone, &p->columns, &p->error));
    PF_TRY(learn_column(p, 0, learn_types, &p->types));
    return learn_column(p, 1, learn_durations, &p->durations);
}

/* The job of the crew: fills a piece whose `from` and `to` are set. */
static void read_piece(void *ctx, unsigned slot)
{
    const side *s = ctx;
    const pf_events *e = pf_trace_events(s->t);
    piece *p = &s->piece[slot];
    p->count = 0;
    p->error = (pf_error){.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_arena_init(&p->arena, &s->c->budget);
    for (uint32_t i = p->from; i < p->to; i++) {
        p->row[p->count] = i;
        p->count += pf_opcmp_is_complete(e, i) && pf_opcmp_upid(s->t, i) == s->upid;
    }
    p->status = read_columns(p, s);
}

/* Frees all but `pairs`. */
static void clear_piece(piece *p)
{
    pf_arg_columns_free(p->columns);
    pf_strings_free(&p->names);
    pf_arena_free(&p->arena);
    p->columns = NULL;
}

static pf_status add_short_name(side *s, pf_str name, uint32_t *id, pf_error *err)
{
    char *text;
    size_t n = 0;
    PF_TRY(PF_PASS_ARRAY(&s->c->arena, name.len + 1, text, err));
    for (size_t i = 0; i < name.len;) {
        if (pf_str_starts(pf_str_from(name, i), PF_STR("torch.ops."))) {
            i += strlen("torch.ops.");
        } else {
            text[n++] = name.ptr[i++];
        }
    }
    return pf_strings_put(&s->c->texts, (pf_str){text, n}, id, err);
}

static pf_status learn_op(side *s, op *o, pf_str name, pf_error *err)
{
    name = name.ptr ? name : PF_STR("");
    PF_TRY(add_short_name(s, name, &o->function, err));
    opcmp_entry e = pf_opcmp_mapping_find(s->mapping, name, pf_strings_get(&s->c->texts, o->function));
    PF_TRY(pf_strings_put(&s->c->texts, e.kernel_type.ptr ? e.kernel_type : name, &o->missed, err));
    o->known = true;
    o->zero_cost = e.zero_cost;
    o->all_reduces = pf_str_has_word(name, "all_reduce");
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
    PF_TRY(PF_ARENA_NEW(&s->c->arena, s->ops, names, err));
    return pf_strings_put(&s->c->texts, PF_STR("hcom_allReduce_"), &s->all_reduce, err);
}

static pf_status keep_part(side *s, uint32_t type, bool hit, double us, pf_error *err)
{
    opcmp *c = s->c;
    PF_TRY(PF_LIST_ROOM(&c->budget, c->parts, c->part_count + 1, c->part_room, err));
    c->parts[c->part_count++] = (opcmp_part){s->row, type, us, hit};
    return PF_OK;
}

static pf_status refuse_duration(const side *s, pf_str text, pf_error *err)
{
    return pf_fail_at(
        err, PF_ERR_INPUT, pf_trace_event_offset(s->t, s->row),
        "the duration %.*s of an operator is not a number that can be added up; write it anew in microseconds",
        text.len > 60 ? 60 : (int)text.len, text.ptr);
}

static pf_status add(side *s, uint32_t type, bool hit, double us, const op *o, pf_error *err)
{
    if (!isfinite(us)) {
        return refuse_duration(s, PF_STR("(not finite)"), err);
    }
    if (s->c->by_shape) {
        PF_TRY(pf_opcmp_shaped(s->c, pf_strings_get(&s->c->texts, type), s->shapes, &type, err));
    }
    PF_TRY(s->c->keep_parts ? keep_part(s, type, hit, us, err) : PF_OK);
    opcmp_kernel *k = pf_opcmp_kernel(s->c, type, err);
    PF_TRY(k ? PF_OK : err->code);
    k->hits += hit;
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

static pf_status add_event(side *s, const op *o, const said *types, const said *durations, pf_error *err)
{
    const said *list = durations->usable ? durations : types;
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

static pf_status add_events(side *s, const piece *p, pf_error *err)
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

/* Gives the names of a piece the ids that they have in the comparison. */
static pf_status take_names(side *s, const piece *p, pf_error *err)
{
    uint32_t count = p->names.count;
    PF_TRY(PF_LIST_ROOM(&s->c->budget, s->type, count, s->type_room, err));
    for (uint32_t i = 1; i < count; i++) {
        PF_TRY(pf_strings_put(&s->c->texts, pf_strings_get(&p->names, i), &s->type[i], err));
    }
    return PF_OK;
}

static pf_status take_piece(side *s, const piece *p, pf_error *err)
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
            piece *p = &s->piece[pf_crew_next(crew)];
            p->from = next;
            p->to = next = events - next < PIECE_EVENTS ? events : next + PIECE_EVENTS;
            pf_crew_put(crew);
        }
        piece *p = &s->piece[pf_crew_take(crew)];
        s->operators += p->count;
        st = take_piece(s, p, err);
        clear_piece(p);
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
        clear_piece(&s.piece[i]);
        pf_literal_free(&s.piece[i].pairs);
    }
    pf_release(&c->budget, s.piece, s.piece ? s.slots * sizeof *s.piece : 0);
    PF_LIST_FREE(&c->budget, s.type, s.type_room);
    return st;
}
