/* edit/json/json_walk.c - see json_walk.h. The input is read by a reader of our own, which makes no rows: it hands the
 * records of each piece to the visitor before the window slides. */
#include "edit/json/json_walk.h"

#include "base/list.h"
#include "model/trace/aie_names.h"
#include "postfetto/author/reader.h"
#include "json/document/tokenize.h"

#define PIECE_BYTES ((size_t)256 << 10)
/* An event or text that is longer, or longer than an eighth of the memory, is taken for damage. */
#define LONGEST ((uint64_t)1 << 30)

typedef struct walk {
    const pf_json_source *from;
    const pf_json_visitor *v;
    pf_json_document *d;
    pf_json_piece *piece;
    bool knows; /* the dialect is given, or shown */
} walk;

/* How the row finds the walk that it is part of. */
typedef struct walk_row {
    pf_reader reader;
    walk *walk;
} walk_row;

static pf_probe probe_any(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    return is_directory ? PF_PROBE_NO : PF_PROBE_SURE;
}

/* Whether a process of the piece has a name that only traces in cycles have. */
static bool shows_cycles(const pf_json_piece *piece)
{
    for (uint32_t i = 0; i < piece->count; i++) {
        const pf_json_record *r = &piece->record[i];
        if (r->phase != 'M' || !pf_str_is(pf_json_name_of(piece, r), "process_name")) {
            continue;
        }
        const pf_json_text args = pf_json_args_of(piece, r);
        const uint8_t *p = args.ptr ? args.ptr + 1 : NULL;
        pf_json_member m;
        while (p && pf_json_next_member(&p, args.ptr + args.len, &m)) {
            if (pf_str_is(m.key, "name") && *m.value.ptr == '"' && m.value.len > 2 &&
                pf_is_aie_process((pf_str){m.value.ptr + 1, m.value.len - 2})) {
                return true;
            }
        }
    }
    return false;
}

/* The next piece. The first one that shows that times are cycles is taken once more, in cycles; the tools that write
 * such traces name processes before events. */
static pf_json_step next_piece(walk *k, pf_json_tokenizer *t, const pf_window *w, size_t *at)
{
    const pf_json_tokenizer before = *t;
    const size_t start = *at;
    pf_json_step step = pf_json_tokenize(t, w, at, start + PIECE_BYTES, k->piece);
    if (!k->knows && shows_cycles(k->piece)) {
        k->knows = true;
        *t = before;
        *at = start;
        t->rules.cycles = true;
        step = pf_json_tokenize(t, w, at, start + PIECE_BYTES, k->piece);
    }
    return step;
}

static pf_status visit_events(const walk *k, const pf_json_tokenizer *t, const pf_window *w, pf_error *err)
{
    pf_json_piece *piece = k->piece;
    k->d->visited += piece->count;
    pf_json_seen seen = {.piece = piece, .limit = w->data + w->len, .stable = w->stable, .cycles = t->rules.cycles};
    for (uint32_t i = 0; i < piece->count; i++) {
        seen.r = &piece->record[i];
        seen.bytes = piece->base + seen.r->offset;
        PF_TRY(k->v->event(k->v->ctx, &seen, err));
    }
    return PF_OK;
}

static pf_status visit_entry(const walk *k, const pf_json_tokenizer *t, pf_error *err)
{
    pf_str key = {(const char *)t->entry_key.ptr, t->entry_key.len};
    pf_str value = {(const char *)t->entry.ptr, t->entry.len};
    return k->v->entry ? k->v->entry(k->v->ctx, key, value, err) : PF_OK;
}

static pf_status next_window(const walk *k, pf_reading *r, size_t used, pf_window *w, pf_error *err)
{
    if (!k->from->reading) {
        return pf_reading_next(r, used, w, err);
    }
    *w = (pf_window){.data = k->from->whole.ptr + used,
                     .len = k->from->whole.len - used,
                     .offset = used,
                     .last = true,
                     .stable = true};
    return PF_OK;
}

static pf_status walk_pieces(walk *k, pf_reading *r, pf_json_tokenizer *t, pf_error *err)
{
    pf_window w;
    size_t at = 0;
    pf_json_step step = PF_JSON_STEP_ON;
    PF_TRY(next_window(k, r, 0, &w, err));
    while (step != PF_JSON_STEP_FINISHED) {
        step = next_piece(k, t, &w, &at);
        k->d->object = t->object_form;
        k->d->events = t->has_events;
        if (k->v->counts) {
            pf_json_merge_faults(k->d->trace, &k->piece->faults);
        }
        PF_TRY(visit_events(k, t, &w, err));
        if (step == PF_JSON_STEP_ENTRY) {
            PF_TRY(visit_entry(k, t, err));
        } else if (step == PF_JSON_STEP_MORE) {
            PF_TRY(next_window(k, r, at, &w, err));
            at = 0;
        }
    }
    if (t->object_form && t->has_keys && !t->has_events && !t->truncated) {
        return pf_fail(err, PF_ERR_INPUT,
                       "a JSON object without \"traceEvents\" is not a trace; give a Chrome JSON or Perfetto trace");
    }
    return PF_OK;
}

static pf_status walk_reading(walk *k, pf_reading *r, pf_error *err)
{
    const pf_limits *limits = &pf_reading_options(r)->limits;
    const char *dialect = pf_reading_options(r)->dialect;
    pf_json_tokenizer t = {.kernel = pf_json_best_kernel()};
    t.rules.depth = limits->depth;
    t.rules.keys = limits->keys;
    t.rules.longest = limits->memory / 8 < LONGEST ? limits->memory / 8 : LONGEST;
    t.rules.cycles = dialect && strcmp(dialect, "aie") == 0;
    k->knows = dialect;
    pf_json_rules_set_args_key(&t.rules, PF_STR(PF_JSON_OTHER_ARGS_KEY));
    k->d->trace = pf_reading_trace(r);
    pf_budget *budget = &k->d->trace->budget;
    PF_TRY(PF_LIST_NEW(budget, k->piece, 1, err));
    pf_status st = walk_pieces(k, r, &t, err);
    PF_LIST_FREE(budget, k->piece, 1);
    return st;
}

static pf_status read_document(pf_reading *r, pf_error *err)
{
    return walk_reading(((const walk_row *)pf_reading_reader(r))->walk, r, err);
}

pf_status pf_json_walk(const pf_json_source *from, const pf_json_visitor *v, pf_json_document *d, pf_error *err)
{
    walk k = {.from = from, .v = v, .d = d};
    walk_row row = {{.name = "chrome-json", .trace_type = "json", .probe = probe_any, .read = read_document}, &k};
    const pf_reader *rows[] = {&row.reader};
    *d = (pf_json_document){0};
    if (from->reading) {
        return walk_reading(&k, from->reading, err);
    }
    pf_read_options mine = *from->read;
    mine.readers = rows;
    mine.reader_count = 1;
    mine.input_format = NULL;
    d->owned = true;
    return pf_read(&from->path, 1, &mine, &d->trace, err);
}

void pf_json_document_end(pf_json_document *d)
{
    if (d->owned) {
        pf_trace_free(d->trace);
    }
    d->trace = NULL;
}

pf_bytes pf_json_event_bytes(const pf_json_seen *e)
{
    const uint8_t *end = e->bytes;
    pf_json_scan scan;
    pf_json_scan_start(&scan);
    pf_json_scan_value(&scan, &end, e->limit);
    return (pf_bytes){e->bytes, (size_t)(end - e->bytes)};
}
