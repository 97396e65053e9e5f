/* write/perfetto/args_ahead.c - see debug_annotations.h.
 *
 * A crew works on blocks of events. A record of a block is entries of one size, with texts in a buffer of their own
 * (what a visitor is shown lasts as long as the call), where each event's begin is known. A block is recorded up to the
 * event that its room has no place for, or whose visit fails; that one and those after it are visited when it is their
 * turn.
 */
#include "write/perfetto/debug_annotations.h"

#include "base/threads/threads.h"

enum { BLOCK_EVENTS = 256, BLOCK_BYTES = 1 << 20, HELPERS_MAX = 3, PREFETCH_EVENTS = 8 };

/* Fewer arguments are decoded before a thread has started. */
#define ARGS_LEAST 4096u

typedef enum entry_kind { ENTRY_OBJECT, ENTRY_LIST, ENTRY_END, ENTRY_VALUE } entry_kind;

/* A text is an offset in the block's texts; NO_TEXT: there is none. */
#define NO_TEXT UINT32_MAX
typedef struct text_place {
    uint32_t at, len;
} text_place;

typedef struct entry {
    uint8_t kind; /* entry_kind */
    uint8_t type; /* pf_value_type */
    text_place key, spelling;
    union {
        uint64_t bits;
        text_place text;
    } as;
} entry;

typedef struct args_block {
    uint32_t first, count;            /* places of the order */
    uint32_t recorded;                /* so many of them, from the first on */
    uint32_t start[BLOCK_EVENTS + 1]; /* entries of each event */
    pf_buffer entries, texts;         /* of BLOCK_BYTES at most */
    bool full;
} args_block;

struct pf_args_ahead {
    const pf_trace *t;
    const uint32_t *order;
    pf_budget *budget;
    pf_crew *crew;
    uint32_t count, asked; /* places; asked: those that were put */
    uint32_t place;
    unsigned slots;
    args_block *taken; /* the one that is played back; NULL: none yet */
    args_block *blocks;
};

static text_place keep(args_block *b, pf_str s)
{
    text_place place = {s.ptr ? (uint32_t)b->texts.len : NO_TEXT, (uint32_t)s.len};
    if (s.len > BLOCK_BYTES - b->texts.len) {
        b->full = true;
    } else if (s.len) {
        pf_buffer_put(&b->texts, s.ptr, s.len);
    }
    return place;
}

static pf_status add(args_block *b, const entry *e)
{
    b->full |= b->entries.len > BLOCK_BYTES - sizeof *e;
    if (b->full) {
        return PF_ERR_LIMIT;
    }
    pf_buffer_put(&b->entries, e, sizeof *e);
    return b->entries.failed || b->texts.failed ? PF_ERR_MEMORY : PF_OK;
}

static pf_status on_begin(void *ctx, pf_str key, bool list)
{
    args_block *b = ctx;
    const entry e = {.kind = list ? ENTRY_LIST : ENTRY_OBJECT, .key = keep(b, key)};
    return add(b, &e);
}

static pf_status on_end(void *ctx)
{
    const entry e = {.kind = ENTRY_END};
    return add(ctx, &e);
}

static pf_status on_value(void *ctx, pf_str key, const pf_value *v)
{
    args_block *b = ctx;
    entry e = {.kind = ENTRY_VALUE, .type = (uint8_t)v->type, .key = keep(b, key), .spelling = keep(b, v->spelling)};
    if (v->type == PF_VALUE_STRING || v->type == PF_VALUE_JSON) {
        e.as.text = keep(b, v->as.s);
    } else if (v->type == PF_VALUE_BOOL) {
        e.as.bits = v->as.b;
    } else if (v->type != PF_VALUE_NULL) {
        e.as.bits = v->as.u;
    }
    return add(b, &e);
}

static uint32_t row_at(const pf_args_ahead *a, uint32_t place)
{
    return a->order ? a->order[place] : place;
}

/* The crew's job. */
static void record(void *ctx, unsigned slot)
{
    const pf_args_ahead *a = ctx;
    args_block *b = &a->blocks[slot];
    const pf_arg_visitor recorder = {b, on_begin, on_end, on_value, true};
    pf_error ignored;
    b->entries.len = b->texts.len = 0;
    b->full = false;
    b->start[0] = 0;
    for (b->recorded = 0; b->recorded < b->count; b->recorded++) {
        if (b->recorded + PREFETCH_EVENTS < b->count) {
            pf_trace_prefetch_args(a->t, row_at(a, b->first + b->recorded + PREFETCH_EVENTS));
        }
        if (pf_trace_visit_args(a->t, row_at(a, b->first + b->recorded), &recorder, &ignored) != PF_OK) {
            return;
        }
        b->start[b->recorded + 1] = (uint32_t)(b->entries.len / sizeof(entry));
    }
}

static pf_str text_of(const args_block *b, text_place place)
{
    return place.at == NO_TEXT ? (pf_str){NULL, 0}
           : place.len == 0    ? (pf_str){"", 0}
                               : (pf_str){b->texts.data + place.at, place.len};
}

static pf_status play(const args_block *b, const entry *e, const pf_arg_visitor *v)
{
    pf_str key = e->kind == ENTRY_END ? (pf_str){NULL, 0} : text_of(b, e->key);
    switch ((entry_kind)e->kind) {
    case ENTRY_OBJECT:
    case ENTRY_LIST:
        return v->begin(v->ctx, key, e->kind == ENTRY_LIST);
    case ENTRY_END:
        return v->end(v->ctx);
    case ENTRY_VALUE:
        break;
    }
    pf_value value = {.type = (pf_value_type)e->type, .spelling = text_of(b, e->spelling)};
    if (value.type == PF_VALUE_STRING || value.type == PF_VALUE_JSON) {
        value.as.s = text_of(b, e->as.text);
    } else if (value.type == PF_VALUE_BOOL) {
        value.as.b = e->as.bits != 0;
    } else {
        value.as.u = e->as.bits;
    }
    return v->value(v->ctx, key, &value);
}

pf_status pf_args_ahead_visit(const pf_args_ahead *a, uint32_t row, const pf_arg_visitor *v, pf_error *err)
{
    const args_block *b = a->taken;
    uint32_t k = a->place - b->first;
    if (k >= b->recorded || row_at(a, a->place) != row) {
        return pf_trace_visit_args(a->t, row, v, err);
    }
    const entry *list = (const void *)b->entries.data;
    for (uint32_t i = b->start[k]; i < b->start[k + 1]; i++) {
        PF_TRY(play(b, &list[i], v));
    }
    return PF_OK;
}

static void ask(pf_args_ahead *a)
{
    while (a->asked < a->count && pf_crew_room(a->crew) > 0) {
        args_block *b = &a->blocks[pf_crew_next(a->crew)];
        b->first = a->asked;
        b->count = a->count - a->asked < BLOCK_EVENTS ? a->count - a->asked : BLOCK_EVENTS;
        a->asked += b->count;
        pf_crew_put(a->crew);
    }
}

void pf_args_ahead_next(pf_args_ahead *a, uint32_t i)
{
    a->place = i;
    if (i % BLOCK_EVENTS != 0) {
        return;
    }
    if (a->taken) {
        pf_crew_release(a->crew);
    }
    ask(a);
    a->taken = &a->blocks[pf_crew_take(a->crew)];
}

/* A builder's own arguments lie in memory as a visitor is shown them: a record of them costs more than it saves. */
static bool are_parsed(const pf_trace *t)
{
    return t->source || !(t->own_args >> t->args.context[0] % PF_DECODERS_MAX & 1);
}

pf_args_ahead *pf_args_ahead_start(const pf_trace *t, const uint32_t *order, uint32_t count, unsigned jobs,
                                   pf_budget *budget)
{
    unsigned helpers = jobs ? jobs - 1 : 1;
    helpers = helpers < HELPERS_MAX ? helpers : HELPERS_MAX;
    if (helpers == 0 || t->args.count < ARGS_LEAST || !are_parsed(t)) {
        return NULL;
    }
    pf_args_ahead *a = pf_alloc_zero(budget, 1, sizeof *a);
    if (!a) {
        return NULL;
    }
    *a = (pf_args_ahead){.t = t, .order = order, .budget = budget, .count = count, .slots = 3 * helpers + 3};
    a->blocks = pf_alloc_zero(budget, a->slots, sizeof *a->blocks);
    a->crew = a->blocks ? pf_crew_start(helpers, a->slots, record, a, budget) : NULL;
    if (!a->crew || pf_crew_helpers(a->crew) == 0) {
        pf_args_ahead_stop(a);
        return NULL;
    }
    return a;
}

void pf_args_ahead_stop(pf_args_ahead *a)
{
    if (!a) {
        return;
    }
    pf_crew_stop(a->crew);
    for (unsigned i = 0; a->blocks && i < a->slots; i++) {
        pf_buffer_free(&a->blocks[i].entries);
        pf_buffer_free(&a->blocks[i].texts);
    }
    pf_release(a->budget, a->blocks, a->slots * sizeof *a->blocks);
    pf_release(a->budget, a, sizeof *a);
}
