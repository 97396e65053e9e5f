/* read/chrome_json/json_reader.c - the reader of Chrome's JSON traces: windows to pieces of records to rows.
 *
 * Phase 1 (tokenize.c) fills a piece with records from the window, phase 2 (json_apply.c) turns them into rows; the two
 * share nothing but the piece. All records of a window are applied before the window slides, because they point into
 * it. The memory of both, a megabyte for each piece, and the threads are kept for the next input.
 *
 * With more threads, others run phase 1 ahead of where phase 2 is, on pieces whose beginnings they guess
 * (piece_ring.c). Near the end of a file they go on with the one after it.
 *
 * Some dialects change what times and ids mean, and show themselves by the names of their processes (dialect.c). These
 * usually come first: as long as nothing was applied that depends on it, the current piece is tokenized once more and
 * goes on at the record that gave the dialect away. Otherwise the whole input is read again.
 */
#include "base/str.h"
#include "model/args/early_args.h"
#include "read/chrome_json/apply/json_applier.h"
#include "read/chrome_json/apply/json_args.h"
#include "read/chrome_json/apply/piece_ring.h"
#include "read/support/reader.h"

/* An event or text that is longer, or longer than an eighth of the memory, is taken for damage. */
#define LONGEST ((uint64_t)1 << 30)

#define PIECES_PER_STEP 32 /* of the source */
#define PIECES_PER_FILE 8  /* of small ones, so that all threads have some and few waits for others */
#define PIECE_MIN ((size_t)16 << 10)
/* A file of fewer bytes is one piece: other threads would cost more than they read. */
#define ALONE ((size_t)256 << 10)
#define HELPERS_MAX 7

typedef struct json_reader {
    pf_json_tokenizer tokenizer;
    pf_json_applier applier;
    pf_json_ring *ring; /* NULL: not started, or not to be had */
    bool no_ring;       /* it was not */
    pf_json_piece piece;
} json_reader;

typedef struct reading {
    json_reader *j;
    pf_trace *t;
    pf_source *s;
    pf_window w, next; /* next: all of the next input; empty: nothing is known of it */
    size_t pos;
    size_t piece_bytes, first_bytes; /* first: what is read before others help */
    bool redo;                       /* the dialect has shown itself: the piece is read once more, */
    uint32_t skip;                   /* but for as many records, which were applied already */
    unsigned helpers;                /* threads to start once events are seen; 0: none, or they were started */
    pf_json_ring *ring;              /* NULL: everything is read here */
    pf_reading *r;
    pf_error *err;
} reading;

/* Whether a line of what looks like a log begins a document: "[{" or "{" and a key that documents and events have. */
static bool line_opens_document(const uint8_t *p, const uint8_t *end)
{
    static const char *const keys[] = {"\"traceEvents\"", "\"displayTimeUnit\"", "\"schemaVersion\"", "\"ph\""};
    bool list = p < end && *p == '[';
    p = list ? pf_json_skip_space(p + 1, end) : p;
    if (p == end || *p != '{') {
        return false;
    }
    p = pf_json_skip_space(p + 1, end);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t len = strlen(keys[i]);
        if ((size_t)(end - p) >= len && memcmp(p, keys[i], len) == 0) {
            return true;
        }
    }
    return list && p < end && *p == '"';
}

/* Text that is no JSON, a log for instance, may stand before the document. */
static bool begins_after_text(const uint8_t *p, const uint8_t *end)
{
    for (bool line_start = false; p < end; p++) {
        if (line_start && line_opens_document(p, end)) {
            return true;
        }
        line_start = *p == '\n';
        if (*p < ' ' && *p != '\n' && *p != '\r' && *p != '\t' && *p != 0x1b) {
            return false;
        }
    }
    return false;
}

static pf_probe maybe(bool yes)
{
    return yes ? PF_PROBE_MAYBE : PF_PROBE_NO;
}

/* Recognised: '{' or '[' after an optional byte order mark and blanks, and something that fits after it; perhaps, if
 * lines of text are before that. */
static pf_probe probe_chrome_json(const uint8_t *head, size_t len, const char *path, bool is_directory)
{
    const uint8_t *p = head;
    const uint8_t *end = head + len;
    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
    }
    bool line_feed = p < end && *p == '\n';
    p = pf_json_skip_space(p, end);
    if (p == end || (*p != '{' && *p != '[')) {
        return maybe(!line_feed && begins_after_text(p, end));
    }
    bool array = *p == '[';
    p = pf_json_skip_space(p + 1, end);
    if (p == end || *p == (array ? ']' : '}') || *p == (array ? '{' : '"')) {
        return PF_PROBE_SURE;
    }
    /* An array that begins with something else may still have events after it. */
    for (const uint8_t *q = p; array && q < end; q++) {
        const uint8_t *next = *q == '{' ? pf_json_skip_space(q + 1, end) : end;
        if (next < end && *next == '"') {
            return PF_PROBE_SURE;
        }
    }
    return maybe(begins_after_text(p, end));
}

static void set_dialect(reading *rd, const pf_dialect *d)
{
    rd->j->tokenizer.rules.cycles = d->unit == PF_UNIT_CYCLE;
    rd->j->applier.dialect = d;
    rd->j->applier.recognised = NULL;
    pf_reading_take_dialect(rd->r, d);
}

/* Applies what phase 1 found from the window's position `start` on, where the tokenizer was in the state `before`. If
 * the dialect shows itself, everything goes on from there in that dialect, but for the records applied already. */
static pf_status apply_piece(reading *rd, pf_json_piece *piece, size_t start, const pf_json_tokenizer *before)
{
    pf_json_applier *a = &rd->j->applier;
    a->piece = piece;
    a->args_go = pf_early_args_some_go(rd->t);
    a->lasting = rd->w.stable || a->args_go;
    a->end = rd->w.data + rd->w.len;
    uint32_t i = rd->skip;
    pf_status st = pf_json_apply(a, &i);
    const pf_early_found found = {piece->base, piece->found, piece->said, piece->found_count};
    st = st == PF_OK ? pf_early_args_read(rd->t, &found, rd->err) : st;
    st = st == PF_OK && a->args_go ? pf_early_args_leave(rd->t, rd->w.stable, rd->err) : st;
    rd->skip = 0;
    rd->redo = st == PF_OK && a->recognised && !a->committed;
    if (st != PF_OK || !a->recognised) {
        pf_json_merge_faults(rd->t, &piece->faults);
        return st;
    }
    if (!rd->redo) {
        rd->r->again = a->recognised;
        return PF_OK;
    }
    if (rd->ring) {
        pf_json_ring_drop(rd->ring);
    }
    rd->j->tokenizer = *before;
    rd->pos = start;
    rd->skip = i;
    a->recognise = false;
    set_dialect(rd, a->recognised);
    return PF_OK;
}

/* An outer key and its value. */
static pf_status take_entry(reading *rd)
{
    const pf_json_tokenizer *k = &rd->j->tokenizer;
    const pf_str key = {(const char *)k->entry_key.ptr, k->entry_key.len};
    PF_TRY(pf_json_add_metadata(rd->t, key, (pf_str){(const char *)k->entry.ptr, k->entry.len}, rd->err));
    if (rd->t->want & (PF_WANT_ORIGINS | PF_WANT_NOTES)) {
        pf_json_keep_entry(&rd->j->applier, &k->entry_key, &k->entry);
    }
    return rd->err->code;
}

/* Slides the window to the current position. Pieces read ahead stay valid only if their bytes stay. */
static pf_status slide(reading *rd)
{
    if (rd->ring && !rd->w.stable) {
        pf_json_ring_drop(rd->ring);
    }
    pf_status st = pf_source_more(rd->s, rd->pos, &rd->w, rd->err);
    rd->pos = 0;
    return st;
}

/* Reads a piece here, up to where the oldest one that is read ahead begins. */
static pf_status read_piece(reading *rd, pf_json_step *progress)
{
    json_reader *j = rd->j;
    const pf_json_tokenizer before = j->tokenizer;
    size_t start = rd->pos, limit = start + (start || rd->w.offset ? rd->piece_bytes : rd->first_bytes);
    const uint8_t *ahead = rd->ring ? pf_json_ring_next(rd->ring) : NULL;
    if (ahead && (size_t)(ahead - rd->w.data) < limit) {
        limit = (size_t)(ahead - rd->w.data);
    }
    *progress = pf_json_tokenize(&j->tokenizer, &rd->w, &rd->pos, limit, &j->piece);
    PF_TRY(apply_piece(rd, &j->piece, start, &before));
    if (rd->redo) {
        *progress = PF_JSON_STEP_FULL;
    } else if (*progress == PF_JSON_STEP_ENTRY) {
        PF_TRY(take_entry(rd));
    }
    return *progress == PF_JSON_STEP_MORE && !rd->r->again ? slide(rd) : PF_OK;
}

/* Takes the oldest piece that was read ahead, if it begins where we are. */
static pf_status take_piece(reading *rd)
{
    pf_json_tokenizer *t = &rd->j->tokenizer;
    const pf_json_tokenizer before = *t;
    size_t start = rd->pos;
    pf_status st = PF_OK;
    const pf_json_ahead *ahead = pf_json_ring_take(rd->ring);
    if (t->state == PF_JSON_IN_EVENTS && ahead->start == rd->w.data + start && ahead->vain == t->vain) {
        t->comma_due = true;
        rd->pos = (size_t)(ahead->stop - rd->w.data);
        st = apply_piece(rd, ahead->piece, start, &before);
        if (rd->redo) {
            return st; /* the ring was dropped */
        }
    }
    pf_json_ring_release(rd->ring);
    return st;
}

static void start_helpers(reading *rd)
{
    json_reader *j = rd->j;
    if (!j->ring && !j->no_ring) {
        j->ring = pf_json_ring_start(rd->helpers, &rd->t->budget);
        j->no_ring = !j->ring;
    }
    rd->ring = j->ring;
    rd->helpers = 0;
    if (rd->ring) {
        pf_json_ring_begin(rd->ring, &j->tokenizer, &rd->w, rd->piece_bytes);
    }
}

/* A part of the source's step, or of a file that is smaller. */
static size_t piece_bytes(const pf_window *first, const pf_source *s)
{
    size_t whole = pf_source_step(s) / PIECES_PER_STEP + 1, part = first->len / PIECES_PER_FILE + 1;
    part = part < PIECE_MIN ? PIECE_MIN : part;
    return first->last && first->len >= ALONE && part < whole ? part : whole;
}

/* All of the input after this one, where it is a plain file that is worth reading ahead; else nothing. */
static pf_window next_window(const pf_reading *r)
{
    const pf_input *in = r->after;
    if (!in || in->stored_bytes < ALONE || in->stored_bytes > pf_source_step(r->source) ||
        (*in->stored != '[' && *in->stored != '{')) {
        return (pf_window){0};
    }
    return (pf_window){.data = in->stored, .len = (size_t)in->stored_bytes, .last = true, .stable = true};
}

/* Keeps the helpers busy. They start after the first piece with events: by then most of what decides the dialect was
 * seen, and a small file needs none. */
static pf_status feed_helpers(reading *rd)
{
    const pf_json_tokenizer *t = &rd->j->tokenizer;
    if (t->state != PF_JSON_IN_EVENTS || rd->redo) {
        return PF_OK;
    }
    if (rd->helpers > 0 && rd->t->events.count > 0) {
        start_helpers(rd);
    }
    bool room = rd->ring && pf_json_ring_fill(rd->ring, t, &rd->w, rd->w.data + rd->pos);
    while (room && rd->w.stable && !rd->w.last) {
        PF_TRY(slide(rd));
        room = pf_json_ring_fill(rd->ring, t, &rd->w, rd->w.data + rd->pos);
    }
    if (room && rd->w.stable && rd->next.len) {
        pf_json_ring_look_ahead(rd->ring, t, &rd->next, PIECE_MIN, piece_bytes(&rd->next, rd->s));
    }
    return PF_OK;
}

/* All windows. What lies after the document is passed over too, so that the source sees its own end. */
static pf_status read_document(reading *rd)
{
    pf_json_step progress = PF_JSON_STEP_FULL;
    const pf_json_tokenizer *k = &rd->j->tokenizer;
    while (progress != PF_JSON_STEP_FINISHED && !rd->r->again) {
        PF_TRY(feed_helpers(rd));
        const uint8_t *ahead = rd->ring ? pf_json_ring_next(rd->ring) : NULL;
        PF_TRY(ahead && ahead <= rd->w.data + rd->pos ? take_piece(rd) : read_piece(rd, &progress));
    }
    if (!rd->r->again && k->object_form && k->has_keys && !k->has_events &&
        rd->t->stat_count[PF_STAT_JSON_SYNTAX] == 0 && !k->truncated) {
        return pf_fail(rd->err, PF_ERR_INPUT,
                       "a JSON object without \"traceEvents\" is not a trace; give a Chrome JSON or Perfetto trace");
    }
    return PF_OK;
}

/* How many threads read ahead; one more unpacks. */
static unsigned helpers_of(const pf_read_options *o, const pf_window *w)
{
    unsigned jobs = o->jobs ? o->jobs : 2, busy = w->stable ? 1 : 2;
    unsigned helpers = jobs > busy ? jobs - busy : 0;
    return helpers < HELPERS_MAX ? helpers : HELPERS_MAX;
}

static void release_reader(pf_trace *t)
{
    json_reader *j = t->reader_memory;
    pf_json_ring_stop(j->ring);
    pf_release(&t->budget, j, sizeof *j);
    t->reader_memory = NULL;
}

/* The memory that the input before left, or new one. */
static json_reader *take_reader(const pf_reading *r)
{
    pf_trace *t = r->t;
    const pf_limits *limits = &r->o->limits;
    if (!t->reader_memory) {
        t->reader_memory = pf_alloc_zero(&t->budget, 1, sizeof(json_reader));
        t->release_reader = release_reader;
    }
    json_reader *j = t->reader_memory;
    if (j) {
        memset(&j->tokenizer, 0, sizeof j->tokenizer);
        memset(&j->applier, 0, sizeof j->applier);
        pf_json_piece_forget(&j->piece);
        j->tokenizer.rules.names = pf_early_args_names(t);
        j->tokenizer.rules.depth = limits->depth;
        j->tokenizer.rules.keys = limits->keys;
        j->tokenizer.rules.longest = limits->memory / 8 < LONGEST ? limits->memory / 8 : LONGEST;
        pf_json_rules_set_args_key(&j->tokenizer.rules, pf_str_of(pf_dialect_with_args_key()->args_key));
        j->tokenizer.kernel = pf_json_best_kernel();
    }
    return j;
}

/* A short piece, unless the file is read alone. */
static size_t first_bytes(const pf_window *first, size_t piece)
{
    bool alone = first->last && first->len < ALONE;
    return alone || piece < PIECE_MIN ? piece : PIECE_MIN;
}

/* The whole input, with an applier that the caller frees. */
static pf_status read_all(reading *rd)
{
    json_reader *j = rd->j;
    pf_reading *r = rd->r;
    pf_status st = pf_json_applier_init(&j->applier, rd->t, r->dialect == NULL, rd->err);
    set_dialect(rd, r->dialect ? r->dialect : pf_dialect_named("chrome-json"));
    if (j->ring && pf_json_ring_begin(j->ring, &j->tokenizer, &rd->w, rd->piece_bytes)) {
        rd->ring = j->ring;
        rd->helpers = 0;
    }
    st = st == PF_OK ? read_document(rd) : st;
    if (rd->ring) {
        pf_json_ring_leave(rd->ring);
    }
    if (st != PF_OK || r->again) {
        return st;
    }
    pf_json_group_async(&j->applier);
    pf_json_resolve_stacks(&j->applier);
    PF_TRY(rd->err->code);
    if (j->applier.recognise) {
        const pf_dialect *seen = pf_dialect_recognised(rd->t, r->input);
        pf_reading_take_dialect(r, seen                        ? seen
                                   : j->applier.has_other_args ? pf_dialect_with_args_key()
                                                               : j->applier.dialect);
    }
    return PF_OK;
}

static pf_status read_chrome_json(pf_reading *r, pf_error *err)
{
    json_reader *j = take_reader(r);
    PF_TRY(j ? PF_OK : pf_budget_refused(&r->t->budget, sizeof *j, err));
    reading rd = {.j = j,
                  .t = r->t,
                  .s = r->source,
                  .w = r->first,
                  .next = next_window(r),
                  .piece_bytes = piece_bytes(&r->first, r->source),
                  .helpers = helpers_of(r->o, &r->first),
                  .r = r,
                  .err = err};
    rd.first_bytes = first_bytes(&rd.w, rd.piece_bytes);
    err->code = PF_OK;
    pf_status st = read_all(&rd);
    pf_json_applier_free(&j->applier);
    return st;
}

const pf_reader pf_reader_chrome_json = {
    .name = "chrome-json",
    .summary = "Chrome JSON, as a list of events or an object with traceEvents, truncated or damaged too",
    .trace_type = "json",
    .own_clock = true,
    .probe = probe_chrome_json,
    .read = read_chrome_json,
};
