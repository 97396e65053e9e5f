/* model/args/early_args.c - see early_args.h. */
#include "model/args/early_args.h"

#include "base/str.h"
#include "model/args/early_values.h"

/* Events that are looked at before those of them that are wanted are read, and how far ahead their bytes are asked for:
 * another processor may have read them last. */
enum { STEP = 256, ROWS_AHEAD = 8, FETCHED_BYTES = 192 };

struct pf_early_store {
    const pf_early_args *wanted;
    struct pf_early_store *next;
    pf_early_values values;
    struct {
        uint32_t room;
        uint8_t *category, *name; /* by string id; 0: not judged yet */
        pf_columns columns;
    } verdicts;
    uint32_t next_row;              /* of t->args */
    uint32_t event[PF_EARLY_BLOCK]; /* of the open rows */
    size_t way_bytes;
    pf_arg_piece piece;
};
typedef struct pf_early_store store;

enum { UNWANTED = 1, WANTED };

static void release_early(pf_trace *t)
{
    while (t->early) {
        store *s = t->early;
        t->early = s->next;
        pf_early_values_free(&s->values);
        pf_columns_free(&s->verdicts.columns);
        pf_release(&t->budget, s->piece.ways, s->way_bytes);
        pf_strings_free(&s->piece.strings);
        pf_release(&t->budget, s, sizeof *s);
    }
}

static pf_status begin_piece(pf_trace *t, store *s, pf_error *err)
{
    const pf_arg_columns *open = s->values.open;
    s->way_bytes = pf_arg_way_bytes(open);
    s->piece = (pf_arg_piece){.columns = open, .t = t, .events = s->event, .first_values = true};
    s->piece.ways = pf_alloc_zero(&t->budget, 1, s->way_bytes);
    return s->piece.ways ? PF_OK : pf_budget_refused(&t->budget, s->way_bytes, err);
}

static pf_status add_store(pf_trace *t, const pf_early_args *wanted, pf_error *err)
{
    store *s = pf_alloc_zero(&t->budget, 1, sizeof *s);
    PF_TRY(s ? PF_OK : pf_budget_refused(&t->budget, sizeof *s, err));
    s->next = t->early;
    t->early = s;
    t->release_early = release_early;
    s->wanted = wanted;
    pf_columns_init(&s->verdicts.columns, &t->budget, "categories and names of early arguments");
    PF_TRY(pf_columns_add(&s->verdicts.columns, (void **)&s->verdicts.category, 1, err));
    PF_TRY(pf_columns_add(&s->verdicts.columns, (void **)&s->verdicts.name, 1, err));
    PF_TRY(pf_early_values_init(&s->values, t, wanted->keys, wanted->count, err));
    return begin_piece(t, s, err);
}

pf_status pf_early_args_start(pf_trace *t, const pf_early_args *wanted, pf_error *err)
{
    bool begun = t->early || !(t->want & PF_WANT_ARGS);
    for (const pf_early_args *w = wanted; w && !begun; w = w->next) {
        PF_TRY(w->count ? add_store(t, w, err) : PF_OK);
    }
    return PF_OK;
}

/* Each category and each name is judged once. */
static inline bool says_yes(const pf_trace *t, uint8_t *verdicts, uint32_t id, bool (*is_wanted)(pf_str text))
{
    uint8_t *verdict = &verdicts[id];
    if (is_wanted && !*verdict) {
        *verdict = is_wanted(pf_trace_string(t, id)) ? WANTED : UNWANTED;
    }
    return !is_wanted || *verdict == WANTED;
}

static inline bool is_wanted(const store *s, const pf_trace *t, uint32_t event)
{
    uint32_t category = event < t->events.category_room ? t->events.category[event] : 0;
    return says_yes(t, s->verdicts.category, category, s->wanted->of_category) &&
           says_yes(t, s->verdicts.name, t->events.name[event], s->wanted->of_name);
}

/* The next rows of t->args that are wanted, of STEP rows. */
static uint32_t list_step(store *s, const pf_trace *t, uint32_t *list)
{
    uint32_t count = 0, end = t->args.count - s->next_row < STEP ? t->args.count : s->next_row + STEP;
    for (; s->next_row < end; s->next_row++) {
        list[count] = s->next_row;
        count += is_wanted(s, t, t->args.event[s->next_row]);
    }
    return count;
}

/* What the quick way does not read, or what has a name that is not defined yet, is left to who asks for it. */
static pf_status read_row(store *s, uint32_t i, uint32_t event, pf_error *err)
{
    pf_status st = pf_early_values_add(&s->values, event, &s->piece.row, err);
    if (st != PF_OK) {
        return st;
    }
    s->event[s->piece.row] = event;
    st = pf_arg_search_quick(&s->piece, i);
    if (st == PF_ERR_DAMAGED) {
        pf_early_values_remove(&s->values, event);
        st = PF_OK;
    }
    if (st != PF_OK && err) {
        *err = s->piece.error;
    }
    return st;
}

/* The integers that a decoder found become the row of the event. */
static inline pf_status take_found(store *s, const pf_early_found *f, uint32_t event, pf_error *err)
{
    const pf_arg_columns *open = s->values.open;
    uint32_t row;
    PF_TRY(pf_early_values_add(&s->values, event, &row, err));
    for (size_t k = 0; k < open->count; k++) {
        uint64_t has = f->has >> k & 1;
        ((uint64_t *)(uintptr_t)open->column[k].values.u)[row] = f->number[k] & (0 - has);
        ((uint64_t *)(uintptr_t)open->column[k].present)[row / 64] |= has << row % 64;
    }
    return PF_OK;
}

static pf_status read_store(pf_trace *t, store *s, const pf_early_found *f, const pf_early_found *end, pf_error *err)
{
    PF_TRY(t->strings.count > s->verdicts.room
               ? pf_columns_grow(&s->verdicts.columns, t->strings.count, &s->verdicts.room, err)
               : PF_OK);
    while (s->next_row < t->args.count) {
        uint32_t list[STEP] = {0}, count = list_step(s, t, list);
        for (uint32_t n = 0; n < count; n++) {
            for (size_t k = 0; f == end && n + ROWS_AHEAD < count && k < FETCHED_BYTES; k += 64) {
                __builtin_prefetch(t->args.bytes[list[n + ROWS_AHEAD]] + k);
            }
            const uint8_t *bytes = t->args.bytes[list[n]];
            while (f < end && f->args < bytes) {
                f++;
            }
            PF_TRY(f < end && f->args == bytes ? take_found(s, f, t->args.event[list[n]], err)
                                               : read_row(s, list[n], t->args.event[list[n]], err));
        }
    }
    return PF_OK;
}

/* Whether all keys are names of integers without digits, few enough for pf_early_found. */
static bool has_plain_names(const pf_arg_columns *c)
{
    bool plain = c->count <= PF_EARLY_NAMES;
    for (size_t k = 0; k < c->count && plain; k++) {
        pf_str key = c->wanted[k].key;
        plain = c->wanted[k].type == PF_ARG_INT && c->levels == 1;
        for (size_t i = 0; i < key.len; i++) {
            plain &= !pf_is_digit(key.ptr[i]);
        }
    }
    return plain;
}

/* The store whose names decoders look out for: the first one whose are plain. */
static const store *plain_store(const pf_trace *t)
{
    const store *s = t->early;
    while (s && !has_plain_names(s->values.open)) {
        s = s->next;
    }
    return s;
}

pf_early_names pf_early_args_names(const pf_trace *t)
{
    const store *s = plain_store(t);
    pf_early_names names = {.count = s ? (unsigned)s->values.open->count : 0};
    for (unsigned k = 0; k < names.count; k++) {
        names.name[k] = s->values.open->wanted[k].key;
    }
    return names;
}

pf_status pf_early_args_read(pf_trace *t, const pf_early_found *found, uint32_t count, pf_error *err)
{
    const store *plain = count ? plain_store(t) : NULL;
    for (store *s = t->early; s; s = s->next) {
        PF_TRY(read_store(t, s, found, found + (s == plain ? count : 0), err));
    }
    return PF_OK;
}

static bool has_keys(const pf_arg_columns *open, const pf_arg_columns *c, uint8_t *source)
{
    bool all = true;
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

const struct pf_early_store *pf_early_args_of(const pf_trace *t, const pf_arg_columns *c, uint8_t *source)
{
    const store *s = t->early;
    while (s && !has_keys(s->values.open, c, source)) {
        s = s->next;
    }
    return s;
}

uint32_t pf_early_args_agree(const pf_trace *t, const pf_early_args *wanted, size_t keys, const uint32_t *events,
                             uint32_t count, uint64_t *value)
{
    const store *s = t->early;
    while (s && s->wanted != wanted) {
        s = s->next;
    }
    return s ? pf_early_values_agree(&s->values, keys, events, count, value) : 0;
}

/* Texts get ids of the piece. */
static bool take_texts(pf_arg_piece *p, const uint64_t *id, uint64_t present, uint32_t *text)
{
    for (; present; present &= present - 1) {
        unsigned i = (unsigned)__builtin_ctzll(present);
        text[i] = pf_arg_text_id(p, pf_strings_get(&p->early->piece.strings, (uint32_t)id[i]));
        if (text[i] == PF_NONE) {
            return false;
        }
    }
    return true;
}

bool pf_early_args_take(pf_arg_piece *p)
{
    const pf_early_values *v = &p->early->values;
    uint32_t missing = 0, last = 0, last_row = PF_NONE;
    for (uint32_t first = p->from; first < p->to; first += 64) {
        uint32_t row[64], count = p->to - first < 64 ? p->to - first : 64;
        uint64_t found = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t event = p->events ? p->events[first + i] : first + i;
            row[i] = last_row = pf_early_values_next(v, event, last, last_row);
            last = event;
            found |= (uint64_t)(row[i] != PF_NONE) << i;
            missing += row[i] == PF_NONE;
        }
        for (size_t k = 0; k < p->columns->count && found; k++) {
            const pf_arg_column *c = &p->columns->column[k];
            bool is_text = c->type == PF_ARG_TEXT;
            uint64_t ids[64], *value = is_text ? ids : (uint64_t *)(uintptr_t)c->values.u + first;
            uint64_t present = pf_early_values_read(v, p->source[k], row, count, value);
            *(uint64_t *)(uintptr_t)&c->present[first / 64] = present;
            if (is_text && !take_texts(p, ids, present, (uint32_t *)(uintptr_t)c->values.text + first)) {
                return true;
            }
        }
        p->filled[(first - p->from) / 64] = found;
    }
    return missing == 0;
}
