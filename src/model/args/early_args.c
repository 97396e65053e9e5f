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
    pf_arg_columns few;  /* the first columns of these, */
    uint32_t whole_from; /* which alone rows before this one have; UINT32_MAX: all so far */
    struct {
        uint32_t room;
        uint8_t *category, *name; /* by string id; 0: not judged yet */
        uint8_t *kept;            /* of a category: pf_args_kept + 1 */
        int64_t *longest;         /* of a name, in the input at hand */
        pf_columns columns;
    } verdicts;
    pf_args_kept (*kept)(pf_str category); /* the first one's; NULL: all are */
    uint32_t left_to;                      /* rows of t->args before it stay */
    uint32_t next_row;                     /* of t->args */
    uint32_t event[PF_EARLY_BLOCK];        /* of the open rows */
    size_t way_bytes;
    pf_arg_piece piece;
};
typedef struct pf_early_store store;

/* WANTED_WHOLE: with all keys, and what comes after, too. */
enum { UNWANTED = 1, WANTED, WANTED_WHOLE };

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

/* What follows is read into these columns. */
static void begin_columns(store *s, const pf_arg_columns *columns)
{
    s->piece = (pf_arg_piece){.columns = columns,
                              .t = s->piece.t,
                              .events = s->event,
                              .first_values = true,
                              .ways = s->piece.ways,
                              .strings = s->piece.strings};
}

static pf_status begin_piece(pf_trace *t, store *s, pf_error *err)
{
    size_t first = s->wanted->first_count;
    s->way_bytes = pf_arg_way_bytes(s->values.open);
    s->piece.t = t;
    s->piece.ways = pf_alloc_zero(&t->budget, 1, s->way_bytes);
    PF_TRY(s->piece.ways ? PF_OK : pf_budget_refused(&t->budget, s->way_bytes, err));
    s->few = *s->values.open;
    if (first && first < s->few.count && !s->kept) { /* what goes cannot be read later */
        s->few.count = first;
        for (size_t i = 0; i < sizeof s->few.names.by_first / sizeof *s->few.names.by_first; i++) {
            s->few.names.by_first[i] &= (1ull << first) - 1;
        }
        s->whole_from = UINT32_MAX;
    }
    begin_columns(s, s->whole_from ? &s->few : s->values.open);
    return PF_OK;
}

static pf_status add_store(pf_trace *t, const pf_early_args *wanted, pf_args_kept (*kept)(pf_str category),
                           pf_error *err)
{
    store *s = pf_alloc_zero(&t->budget, 1, sizeof *s);
    PF_TRY(s ? PF_OK : pf_budget_refused(&t->budget, sizeof *s, err));
    s->next = t->early;
    t->early = s;
    t->release_early = release_early;
    s->wanted = wanted;
    s->kept = kept;
    pf_columns_init(&s->verdicts.columns, &t->budget, "categories and names of early arguments");
    PF_TRY(pf_columns_add(&s->verdicts.columns, (void **)&s->verdicts.category, 1, err));
    PF_TRY(pf_columns_add(&s->verdicts.columns, (void **)&s->verdicts.name, 1, err));
    PF_TRY(kept ? pf_columns_add(&s->verdicts.columns, (void **)&s->verdicts.kept, 1, err) : PF_OK);
    PF_TRY(kept ? pf_columns_add(&s->verdicts.columns, (void **)&s->verdicts.longest, 8, err) : PF_OK);
    PF_TRY(pf_early_values_init(&s->values, t, wanted->keys, wanted->count, err));
    return begin_piece(t, s, err);
}

pf_status pf_early_args_start(pf_trace *t, const pf_early_args *wanted, pf_error *err)
{
    pf_args_kept (*kept)(pf_str) = wanted && wanted->keeper ? wanted->keeper->kept : NULL;
    bool begun = t->early || !(t->want & PF_WANT_ARGS);
    for (const pf_early_args *w = wanted; w && !begun; w = w->next) {
        PF_TRY(w->count ? add_store(t, w, kept, err) : PF_OK);
    }
    store *s = t->early;
    if (s && s->verdicts.longest) {
        memset(s->verdicts.longest, 0, s->verdicts.room * sizeof *s->verdicts.longest);
    }
    if (s) {
        s->left_to = t->args.count;
    }
    return PF_OK;
}

/* Each category and each name is judged once. */
static uint8_t of_category(const store *s, const pf_trace *t, uint32_t id)
{
    const pf_early_args *w = s->wanted;
    uint8_t *verdict = &s->verdicts.category[id];
    if (!*verdict) {
        pf_str category = pf_trace_string(t, id);
        bool wanted = !w->of_category || w->of_category(category), whole = w->of_more && w->of_more(category);
        *verdict = !wanted ? UNWANTED : whole ? WANTED_WHOLE : WANTED;
    }
    return *verdict;
}

static inline bool is_name_wanted(const store *s, const pf_trace *t, uint32_t id)
{
    uint8_t *verdict = s->wanted->of_name ? &s->verdicts.name[id] : NULL;
    if (verdict && !*verdict) {
        *verdict = s->wanted->of_name(pf_trace_string(t, id)) ? WANTED : UNWANTED;
    }
    return !verdict || *verdict == WANTED;
}

/* The next rows of t->args that are wanted, of STEP rows; fewer where all keys of a row are and they were not before.
 */
static uint32_t list_step(store *s, const pf_trace *t, uint32_t *list)
{
    uint32_t count = 0, end = t->args.count - s->next_row < STEP ? t->args.count : s->next_row + STEP, last = PF_NONE;
    uint8_t verdict = UNWANTED;
    for (; s->next_row < end; s->next_row++) {
        uint32_t event = t->args.event[s->next_row];
        uint32_t category = event < t->events.category_room ? t->events.category[event] : 0;
        verdict = category == last ? verdict : of_category(s, t, category);
        last = category;
        if (__builtin_expect(verdict == WANTED_WHOLE && s->whole_from == UINT32_MAX, 0)) {
            if (count) {
                break;
            }
            s->whole_from = s->values.rows;
            begin_columns(s, s->values.open);
        }
        list[count] = s->next_row;
        count += verdict != UNWANTED && is_name_wanted(s, t, t->events.name[event]);
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

/* What a decoder found, and how far it was taken. */
typedef struct finding {
    const pf_early_found *f; /* NULL: nothing */
    uint32_t event;
    const pf_early_said *last; /* what the row before says, if that was found */
} finding;

/* Whether the event with these arguments was found. */
static inline bool is_found(finding *at, const uint8_t *args)
{
    const pf_early_found *f = at->f;
    uint64_t place = f ? (uintptr_t)args - (uintptr_t)f->base : UINT64_MAX;
    if (place > UINT32_MAX) {
        return false;
    }
    while (at->event < f->events && f->event[at->event].args < place) {
        at->event++;
    }
    return at->event < f->events && f->event[at->event].args == place;
}

/* Its integers become the row of the event. */
static inline pf_status take_found(store *s, finding *at, uint32_t event, pf_error *err)
{
    const pf_arg_columns *columns = s->piece.columns;
    const size_t last = s->values.open->count - 1;
    const pf_early_event *e = &at->f->event[at->event];
    const pf_early_said *said = &at->f->said[e->said];
    if (said == at->last && columns->count <= last && pf_early_values_add_alike(&s->values, event)) {
        return PF_OK;
    }
    uint32_t row;
    PF_TRY(pf_early_values_add(&s->values, event, &row, err));
    at->last = said;
    for (size_t k = 0; k < columns->count; k++) {
        uint64_t has = said->has >> (k < last ? k : PF_EARLY_LAST) & 1;
        ((uint64_t *)(uintptr_t)columns->column[k].values.u)[row] = k < last ? said->number[k] : e->last;
        ((uint64_t *)(uintptr_t)columns->column[k].present)[row / 64] |= has << row % 64;
    }
    return PF_OK;
}

static pf_status read_store(pf_trace *t, store *s, const pf_early_found *found, pf_error *err)
{
    finding at = {.f = found && found->events ? found : NULL};
    PF_TRY(t->strings.count > s->verdicts.room
               ? pf_columns_grow(&s->verdicts.columns, t->strings.count, &s->verdicts.room, err)
               : PF_OK);
    while (s->next_row < t->args.count) {
        uint32_t list[STEP] = {0}, count = list_step(s, t, list);
        for (uint32_t n = 0; n < count; n++) {
            bool over = !at.f || at.event == at.f->events;
            for (size_t k = 0; over && n + ROWS_AHEAD < count && k < FETCHED_BYTES; k += 64) {
                __builtin_prefetch(t->args.bytes[list[n + ROWS_AHEAD]] + k);
            }
            if (is_found(&at, t->args.bytes[list[n]])) {
                PF_TRY(take_found(s, &at, t->args.event[list[n]], err));
            } else {
                at.last = NULL;
                PF_TRY(read_row(s, list[n], t->args.event[list[n]], err));
            }
        }
    }
    pf_early_values_settle(&s->values);
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

pf_status pf_early_args_read(pf_trace *t, const pf_early_found *found, pf_error *err)
{
    const store *plain = found ? plain_store(t) : NULL;
    for (store *s = t->early; s; s = s->next) {
        PF_TRY(read_store(t, s, s == plain ? found : NULL, err));
    }
    return PF_OK;
}

bool pf_early_args_some_go(const pf_trace *t)
{
    return t->early && t->early->kept;
}

/* Whether all that was wanted of an event was read. */
static bool is_read(const pf_trace *t, uint32_t event)
{
    uint32_t category = event < t->events.category_room ? t->events.category[event] : 0;
    bool read = true;
    for (const store *s = t->early; s && read; s = s->next) {
        read = of_category(s, t, category) == UNWANTED || !is_name_wanted(s, t, t->events.name[event]) ||
               pf_early_values_find(&s->values, event) != PF_NONE;
    }
    return read;
}

static bool is_kept(store *s, const pf_trace *t, uint32_t event)
{
    uint32_t category = event < t->events.category_room ? t->events.category[event] : 0, name = t->events.name[event];
    uint8_t *verdict = &s->verdicts.kept[category];
    if (!*verdict) {
        *verdict = (uint8_t)(s->kept(pf_trace_string(t, category)) + 1);
    }
    if (*verdict == PF_ARGS_KEPT + 1 || t->events.phase[event] != 'X' || !name || !is_read(t, event)) {
        return true;
    }
    int64_t dur = t->events.dur[event], end;
    if (dur < 0 || __builtin_add_overflow(t->events.ts[event], dur, &end)) {
        return true; /* no slice that counts */
    }
    bool longest = *verdict == PF_ARGS_OF_LONGEST + 1 && dur >= s->verdicts.longest[name];
    s->verdicts.longest[name] = longest ? dur : s->verdicts.longest[name];
    return longest;
}

static pf_status keep_row(pf_trace *t, uint32_t row, uint32_t to, bool lasting, pf_error *err)
{
    const uint8_t *bytes = t->args.bytes[row];
    uint32_t len = t->args.len[row];
    if (!lasting) {
        bytes = (const uint8_t *)pf_arena_copy(&t->arena, (const char *)bytes, len);
        PF_TRY(bytes ? PF_OK : pf_budget_refused(&t->budget, len, err));
    }
    t->args.event[to] = t->args.event[row];
    t->args.bytes[to] = bytes;
    t->args.len[to] = len;
    t->args.context[to] = t->args.context[row];
    return PF_OK;
}

pf_status pf_early_args_leave(pf_trace *t, bool lasting, pf_error *err)
{
    store *s = t->early;
    uint32_t to = s->left_to;
    for (uint32_t row = to; row < t->args.count; row++) {
        if (is_kept(s, t, t->args.event[row])) {
            PF_TRY(keep_row(t, row, to++, lasting, err));
        }
    }
    t->args.count = s->left_to = to;
    for (; s; s = s->next) {
        s->next_row = to;
    }
    return PF_OK;
}

void pf_early_args_end(pf_trace *t)
{
    if (pf_early_args_some_go(t)) {
        pf_columns_free(&t->events.dur_columns);
        pf_columns_drop(&t->events.columns, (void **)&t->events.track);
        pf_columns_drop(&t->slices.columns, (void **)&t->slices.depth);
        pf_columns_drop(&t->slices.columns, (void **)&t->slices.end_event);
        pf_trace_set_views(t);
    }
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
    uint32_t missing = 0, last = 0, last_row = PF_NONE, from = 0; /* the first row with all that is asked for */
    for (size_t k = 0; k < p->columns->count; k++) {
        from = p->source[k] < p->early->few.count ? from : p->early->whole_from;
    }
    for (uint32_t first = p->from; first < p->to; first += 64) {
        uint32_t row[64], count = p->to - first < 64 ? p->to - first : 64;
        uint64_t found = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t event = p->events ? p->events[first + i] : first + i;
            last_row = pf_early_values_next(v, event, last, last_row);
            row[i] = last_row < from ? PF_NONE : last_row;
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
