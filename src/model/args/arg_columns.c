/* model/args/arg_columns.c - the pieces in which threads fill the columns. See arg_columns.h. */
#include "model/args/arg_columns.h"

#include "base/list.h"
#include "base/threads/threads.h"
#include "model/args/early_args.h"

#define SLOTS_MAX 32u

#define ROWS_AHEAD 16u
#define FETCHED_BYTES 192u

static bool is_filled(const pf_arg_piece *p, uint32_t row)
{
    uint32_t place = row - p->from;
    return p->filled[place / 64] >> place % 64 & 1;
}

/* All rows of the piece that have arguments: those of the table of arguments that lie in it. */
static pf_status fill_all(pf_arg_piece *p)
{
    const pf_trace *t = p->t;
    uint32_t i = pf_rows_lower_bound(t->args.event, t->args.count, p->from);
    for (; i < t->args.count && t->args.event[i] < p->to; i++) {
        p->row = t->args.event[i];
        PF_TRY(is_filled(p, p->row) ? PF_OK : pf_arg_search(p, i));
    }
    return PF_OK;
}

/* Where the arguments of the event of a row are, PF_NONE without any that are still to be read. Chosen events lie apart
 * in the input, so that the processor cannot know which bytes come next: they are asked for (with 200,000 kernels among
 * a million events: a third of the time). */
static uint32_t fetch(const pf_arg_piece *p, uint32_t row, uint32_t *at)
{
    const pf_trace *t = p->t;
    uint32_t event = p->events[row];
    if (is_filled(p, row)) {
        return PF_NONE;
    }
    uint32_t i = pf_rows_seek(t->args.event, t->args.count, event, at);
    if (i >= t->args.count || t->args.event[i] != event) {
        return PF_NONE;
    }
    for (size_t k = 0; k < FETCHED_BYTES; k += 64) {
        __builtin_prefetch(t->args.bytes[i] + k);
    }
    return i;
}

static pf_status fill_chosen(pf_arg_piece *p)
{
    uint32_t at = 0, ahead[ROWS_AHEAD], next = p->from;
    for (; next < p->to && next - p->from < ROWS_AHEAD; next++) {
        ahead[next % ROWS_AHEAD] = fetch(p, next, &at);
    }
    for (p->row = p->from; p->row < p->to; p->row++) {
        uint32_t *place = &ahead[p->row % ROWS_AHEAD], i = *place;
        if (next < p->to) {
            *place = fetch(p, next++, &at);
        }
        PF_TRY(i == PF_NONE ? PF_OK : pf_arg_search(p, i));
    }
    return PF_OK;
}

typedef struct filler {
    pf_arg_columns *columns;
    unsigned slots;
    size_t way_bytes;
    pf_arg_piece piece[];
} filler;

static void fill(void *ctx, unsigned slot)
{
    pf_arg_piece *p = &((filler *)ctx)->piece[slot];
    p->status = PF_OK;
    if (!(p->early && pf_early_args_take(p))) {
        pf_status st = p->events ? fill_chosen(p) : fill_all(p);
        p->status = p->status != PF_OK ? p->status : st;
    }
}

/* Gives the texts of a piece the ids that they have in all of them, and counts its values. */
static pf_status take_in(pf_arg_columns *c, const pf_arg_piece *p, pf_error *err)
{
    if (p->status != PF_OK) {
        if (err) {
            *err = p->error;
        }
        return p->status;
    }
    uint32_t texts = p->strings.count + !p->strings.count;
    size_t bytes = texts * sizeof(uint32_t);
    uint32_t *id = pf_alloc_zero(c->budget, texts, sizeof *id);
    pf_status st = id ? PF_OK : pf_budget_refused(c->budget, bytes, err);
    for (uint32_t i = 1; i < p->strings.count && st == PF_OK; i++) {
        pf_str s = pf_strings_get(&p->strings, i);
        id[i] = pf_strings_add(&c->strings, s.ptr, s.len, err);
        st = id[i] == PF_NONE ? err->code : PF_OK;
    }
    for (size_t k = 0; k < c->count && st == PF_OK; k++) {
        pf_arg_column *column = &c->column[k];
        uint32_t *text = column->type == PF_ARG_TEXT && texts > 1 ? (uint32_t *)(uintptr_t)column->values.text : NULL;
        for (uint32_t row = p->from; text && row < p->to; row++) {
            text[row] = id[text[row]];
        }
        for (uint32_t word = p->from / 64; word < (p->to + 63) / 64; word++) {
            column->found += (uint32_t)__builtin_popcountll(column->present[word]);
        }
    }
    pf_release(c->budget, id, bytes);
    return st;
}

static pf_status fill_pieces(filler *f, pf_crew *crew, const pf_arg_piece *like, const volatile int *cancel,
                             pf_error *err)
{
    uint32_t next = 0, rows = f->columns->rows;
    pf_status st = PF_OK;
    while (st == PF_OK && (next < rows || pf_crew_pending(crew))) {
        while (next < rows && pf_crew_room(crew)) {
            pf_arg_piece *p = &f->piece[pf_crew_next(crew)];
            uint32_t *ways = p->ways;
            *p = *like;
            p->ways = ways;
            p->from = next;
            p->to = rows - next < PF_ARG_PIECE_ROWS ? rows : next + PF_ARG_PIECE_ROWS;
            next = p->to;
            pf_crew_put(crew);
        }
        pf_arg_piece *p = &f->piece[pf_crew_take(crew)];
        st = cancel && *cancel ? pf_fail(err, PF_ERR_CANCELLED, "cancelled") : take_in(f->columns, p, err);
        pf_strings_free(&p->strings);
        pf_crew_release(crew);
    }
    return st;
}

static pf_status fill_slots(filler *f, const pf_arg_piece *like, unsigned helpers, const volatile int *cancel,
                            pf_error *err)
{
    pf_budget *budget = f->columns->budget;
    for (unsigned i = 0; i < f->slots; i++) {
        PF_TRY(pf_list_new(budget, (void **)&f->piece[i].ways, 1, f->way_bytes, err));
    }
    pf_crew *crew = pf_crew_start(helpers, f->slots, fill, f, budget);
    PF_TRY(crew ? PF_OK : pf_budget_refused(budget, f->way_bytes, err));
    pf_status st = fill_pieces(f, crew, like, cancel, err);
    pf_crew_stop(crew);
    return st;
}

static pf_status fill_columns(pf_arg_columns *c, const pf_arg_piece *like, const pf_arg_options *o, pf_error *err)
{
    unsigned jobs = o->jobs ? o->jobs : 2, pieces = c->rows / PF_ARG_PIECE_ROWS + 1;
    unsigned helpers = (jobs < pieces ? jobs : pieces) - 1;
    helpers = helpers < SLOTS_MAX / 2 ? helpers : SLOTS_MAX / 2 - 1;
    const unsigned slots = 2 * (helpers + 1);
    filler *f = pf_alloc_zero(c->budget, 1, sizeof *f + slots * sizeof *f->piece);
    PF_TRY(f ? PF_OK : pf_budget_refused(c->budget, sizeof *f + slots * sizeof *f->piece, err));
    f->columns = c;
    f->slots = slots;
    f->way_bytes = pf_arg_way_bytes(c);
    pf_status st = fill_slots(f, like, helpers, o->cancel, err);
    for (unsigned i = 0; i < slots; i++) {
        pf_release(c->budget, f->piece[i].ways, f->way_bytes);
        pf_strings_free(&f->piece[i].strings);
    }
    pf_release(c->budget, f, sizeof *f + slots * sizeof *f->piece);
    return st;
}

static pf_status check_events(const pf_trace *t, const uint32_t *events, uint32_t count, pf_error *err)
{
    for (uint32_t i = 0; events && i < count; i++) {
        if (events[i] >= t->events.count) {
            return pf_fail(err, PF_ERR_USAGE, "the arguments of event %u were asked for; there are %u events",
                           events[i], t->events.count);
        }
    }
    return t->want & PF_WANT_ARGS
               ? PF_OK
               : pf_fail(err, PF_ERR_USAGE, "the trace was read without arguments; read it with PF_WANT_ARGS");
}

pf_status pf_arg_columns_read(const pf_trace *t, const uint32_t *events, uint32_t count, const pf_arg_key *keys,
                              size_t key_count, const pf_arg_options *options, pf_arg_columns **out, pf_error *err)
{
    const pf_arg_options defaults = {0};
    pf_error local = {0};
    pf_arg_columns *c = NULL;
    err = err ? err : &local;
    *out = NULL;
    pf_status st = check_events(t, events, count, err);
    st = st == PF_OK ? pf_arg_columns_make(t, events ? count : t->events.count, keys, key_count, &c, err) : st;
    if (st == PF_OK && key_count && t->args.count) {
        uint8_t source[PF_ARG_KEYS_MAX];
        bool first = options && options->first_values;
        const pf_arg_piece like = {.columns = c,
                                   .t = t,
                                   .events = events,
                                   .first_values = first,
                                   .early = first ? pf_early_args_of(t, c, source) : NULL,
                                   .source = source};
        st = fill_columns(c, &like, options ? options : &defaults, err);
    }
    if (st != PF_OK) {
        pf_arg_columns_free(c);
        return st;
    }
    *out = c;
    return PF_OK;
}
