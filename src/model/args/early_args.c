/* model/args/early_args.c - see early_args.h. */
#include "model/args/early_args.h"

#include <string.h>

#include "model/args/early_values.h"

/* Events that are looked at before those of them that are wanted are read, and how far ahead their bytes are asked for:
 * another processor may have read them last. */
enum { STEP = 256, ROWS_AHEAD = 8, FETCHED_BYTES = 192 };

struct pf_early_store {
    bool (*of_category)(pf_str category);
    pf_early_values values;
    struct {
        uint32_t room;
        uint8_t *verdict; /* by string id; 0: not judged yet */
        pf_columns columns;
    } categories;
    uint32_t next;                  /* row of t->args */
    uint32_t event[PF_EARLY_BLOCK]; /* of the open rows */
    size_t way_bytes;
    pf_arg_piece piece;
};
typedef struct pf_early_store store;

enum { UNWANTED = 1, WANTED };

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void release_early(pf_trace *t)
{
    store *s = t->early;
    pf_early_values_free(&s->values);
    pf_columns_free(&s->categories.columns);
    pf_release(&t->budget, s->piece.ways, s->way_bytes);
    pf_strings_free(&s->piece.strings);
    pf_release(&t->budget, s, sizeof *s);
    t->early = NULL;
}

static pf_status begin_piece(pf_trace *t, store *s, pf_error *err)
{
    const pf_arg_columns *open = s->values.open;
    s->way_bytes = pf_arg_way_bytes(open);
    s->piece = (pf_arg_piece){.columns = open, .t = t, .events = s->event, .first_values = true};
    s->piece.ways = pf_alloc_zero(&t->budget, 1, s->way_bytes);
    return s->piece.ways ? pf_strings_init(&s->piece.strings, &t->budget, err)
                         : pf_budget_refused(&t->budget, s->way_bytes, err);
}

pf_status pf_early_args_start(pf_trace *t, const pf_early_args *wanted, pf_error *err)
{
    if (t->early || !wanted || !wanted->count || !(t->want & PF_WANT_ARGS)) {
        return PF_OK;
    }
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->keys[i].type == PF_ARG_TEXT) {
            return pf_fail(err, PF_ERR_USAGE, "early argument %zu is a text; only numbers are read early", i);
        }
    }
    store *s = pf_alloc_zero(&t->budget, 1, sizeof *s);
    if (!s) {
        return pf_budget_refused(&t->budget, sizeof *s, err);
    }
    t->early = s;
    t->release_early = release_early;
    s->of_category = wanted->of_category;
    pf_columns_init(&s->categories.columns, &t->budget, "categories of early arguments");
    PF_TRY(pf_columns_add(&s->categories.columns, (void **)&s->categories.verdict, 1, err));
    PF_TRY(pf_early_values_init(&s->values, t, wanted->keys, wanted->count, err));
    return begin_piece(t, s, err);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Each category is judged once. */
static inline bool is_wanted(const store *s, const pf_trace *t, uint32_t event)
{
    uint32_t category = event < t->events.category_room ? t->events.category[event] : 0;
    uint8_t *verdict = &s->categories.verdict[category];
    if (!*verdict) {
        *verdict = !s->of_category || s->of_category(pf_trace_string(t, category)) ? WANTED : UNWANTED;
    }
    return *verdict == WANTED;
}

/* The next rows of t->args that are wanted, of STEP rows. */
static uint32_t list_step(store *s, const pf_trace *t, uint32_t *list)
{
    uint32_t count = 0, end = t->args.count - s->next < STEP ? t->args.count : s->next + STEP;
    for (; s->next < end; s->next++) {
        list[count] = s->next;
        count += is_wanted(s, t, t->args.event[s->next]);
    }
    return count;
}

static pf_status read_row(store *s, uint32_t i, uint32_t event, pf_error *err)
{
    pf_status st = pf_early_values_add(&s->values, event, &s->piece.row, err);
    if (st != PF_OK) {
        return st;
    }
    s->event[s->piece.row] = event;
    st = pf_arg_search(&s->piece, i);
    if (st != PF_OK && err) {
        *err = s->piece.error;
    }
    return st;
}

pf_status pf_early_args_read(pf_trace *t, pf_error *err)
{
    store *s = t->early;
    PF_TRY(s && t->strings.count > s->categories.room
               ? pf_columns_grow(&s->categories.columns, t->strings.count, &s->categories.room, err)
               : PF_OK);
    while (s && s->next < t->args.count) {
        uint32_t list[STEP] = {0}, count = list_step(s, t, list);
        for (uint32_t n = 0; n < count; n++) {
            for (size_t k = 0; n + ROWS_AHEAD < count && k < FETCHED_BYTES; k += 64) {
                __builtin_prefetch(t->args.bytes[list[n + ROWS_AHEAD]] + k);
            }
            PF_TRY(read_row(s, list[n], t->args.event[list[n]], err));
        }
    }
    return PF_OK;
}

/* ---- taking over ------------------------------------------------------------------------------------------------- */

bool pf_early_args_have(const pf_trace *t, const pf_arg_columns *c, uint8_t *source)
{
    const pf_arg_columns *open = t->early ? t->early->values.open : NULL;
    bool all = open != NULL;
    for (size_t k = 0; k < c->count && all; k++) {
        const pf_arg_wanted *w = &c->wanted[k], *early = open->wanted;
        size_t i = 0;
        while (i < open->count && (!pf_str_equal(early[i].key, w->key) || early[i].type != w->type ||
                                   early[i].from_text != w->from_text)) {
            i++;
        }
        all = i < open->count;
        source[k] = (uint8_t)i;
    }
    return all;
}

bool pf_early_args_take(pf_arg_piece *p)
{
    const pf_early_values *v = &p->t->early->values;
    uint32_t missing = 0;
    for (uint32_t first = p->from; first < p->to; first += 64) {
        uint32_t row[64], count = p->to - first < 64 ? p->to - first : 64;
        uint64_t found = 0;
        for (uint32_t i = 0; i < count; i++) {
            row[i] = pf_early_values_find(v, p->events ? p->events[first + i] : first + i);
            found |= (uint64_t)(row[i] != PF_NONE) << i;
            missing += row[i] == PF_NONE;
        }
        for (size_t k = 0; k < p->columns->count && found; k++) {
            const pf_arg_column *c = &p->columns->column[k];
            uint64_t *value = (uint64_t *)(uintptr_t)c->values.u + first;
            *(uint64_t *)(uintptr_t)&c->present[first / 64] = pf_early_values_read(v, p->source[k], row, count, value);
        }
        p->filled[(first - p->from) / 64] = found;
    }
    return missing == 0;
}
