/* chrome_json.c - the reader of Chrome's JSON traces: windows to batches of records to rows.
 *
 * Phase 1 (tokenize.c) fills a batch of records from the window, phase 2 (apply.c) turns the batch into rows; the two
 * share nothing but the batch. All records of a window are applied before the window slides, because they point into
 * it.
 *
 * Times depend on the dialect, and the AIE dialect shows itself only by the names of its processes. These usually come
 * first: as long as nothing was applied that depends on it, the current batch is tokenized once more in cycles and goes on
 * at the record that gave the dialect away. Otherwise the whole trace is read again. The other dialects only have names
 * (dialect.c).
 */
#include "read/chrome_json/apply.h"
#include "read/chrome_json/dialect.h"
#include "read/chrome_json/metadata.h"
#include "read/chrome_json/tokenize.h"
#include "read/reader.h"

/* An event or text that is longer, or longer than an eighth of the memory, is taken for damage. */
#define LONGEST ((uint64_t)1 << 30)

typedef struct json_reader {
    pf_json_tokenizer tokenizer;
    pf_json_applier applier;
    pf_json_batch batch;
} json_reader;

typedef struct reading {
    json_reader *j;
    pf_trace *t;
    pf_source *s;
    pf_window w;
    size_t pos;
    bool *again;
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
static bool begins_behind_text(const uint8_t *p, const uint8_t *end)
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

/* Recognised: '{' or '[' behind an optional byte order mark and blanks, and something that fits behind it; or lines of
 * text before that. */
static bool sniff_chrome_json(const uint8_t *head, size_t len)
{
    const uint8_t *p = head;
    const uint8_t *end = head + len;
    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
    }
    bool line_feed = p < end && *p == '\n';
    p = pf_json_skip_space(p, end);
    if (p == end || (*p != '{' && *p != '[')) {
        return !line_feed && begins_behind_text(p, end);
    }
    bool array = *p == '[';
    p = pf_json_skip_space(p + 1, end);
    if (p == end || *p == (array ? ']' : '}') || *p == (array ? '{' : '"')) {
        return true;
    }
    /* An array that begins with something else may still have events behind it. */
    for (const uint8_t *q = p; array && q < end; q++) {
        const uint8_t *next = *q == '{' ? pf_json_skip_space(q + 1, end) : end;
        if (next < end && *next == '"') {
            return true;
        }
    }
    return begins_behind_text(p, end);
}

static void set_cycles(reading *rd)
{
    rd->j->tokenizer.rules.cycles = true;
    rd->j->applier.recognise = rd->j->applier.recognised = false;
    rd->t->unit = PF_UNIT_CYCLE;
    rd->t->dialect = "aie";
}

/* Applies the batch from record `*next` on; stops early, *next on the record, where the dialect was recognised. */
static pf_status apply_batch(reading *rd, uint32_t *next, pf_error *err)
{
    pf_json_batch *batch = &rd->j->batch;
    pf_status st = PF_OK;
    rd->j->applier.stable = rd->w.stable;
    while (st == PF_OK && *next < batch->count) {
        st = pf_json_apply(&rd->j->applier, &batch->record[*next], err);
        if (rd->j->applier.recognised) {
            return st;
        }
        ++*next;
    }
    return st;
}

/* One batch through both phases. */
static pf_status read_batch(reading *rd, pf_json_progress *progress, pf_error *err)
{
    json_reader *j = rd->j;
    const pf_json_tokenizer before = j->tokenizer;
    size_t start = rd->pos;
    uint32_t next = 0;
    *progress = pf_json_tokenize(&j->tokenizer, &rd->w, &rd->pos, &j->batch);
    pf_status st = apply_batch(rd, &next, err);
    if (st == PF_OK && j->applier.recognised) {
        if (j->applier.committed) {
            rd->t->dialect = "aie";
            *rd->again = true;
            return PF_OK;
        }
        j->tokenizer = before;
        set_cycles(rd);
        rd->pos = start;
        *progress = pf_json_tokenize(&j->tokenizer, &rd->w, &rd->pos, &j->batch);
        st = apply_batch(rd, &next, err);
    }
    pf_json_merge_faults(rd->t, &j->batch.faults);
    if (st == PF_OK && *progress == PF_JSON_ENTRY) {
        st = pf_json_add_metadata(rd->t, &j->tokenizer.entry_key, &j->tokenizer.entry, err);
    }
    return st;
}

/* All windows. What lies behind the document is passed over too, so that the source sees its own end. */
static pf_status read_document(reading *rd, pf_error *err)
{
    pf_json_progress progress = PF_JSON_BATCH_FULL;
    pf_status st = PF_OK;
    while (st == PF_OK && progress != PF_JSON_FINISHED && !*rd->again) {
        st = read_batch(rd, &progress, err);
        if (st == PF_OK && progress == PF_JSON_WINDOW_USED && !*rd->again) {
            st = pf_source_more(rd->s, rd->pos, &rd->w, err);
            rd->pos = 0;
        }
    }
    const pf_json_tokenizer *k = &rd->j->tokenizer;
    if (st == PF_OK && !*rd->again && k->object_form && k->has_keys && !k->has_events &&
        rd->t->stat_count[PF_STAT_JSON_SYNTAX] == 0 && !k->truncated) {
        st = pf_fail(err, PF_ERR_INPUT,
                     "a JSON object without \"traceEvents\" is not a trace; give a Chrome JSON or Perfetto trace");
    }
    return st;
}

static pf_status read_chrome_json(pf_trace *t, pf_input *input, pf_source *s, pf_window first, const pf_read_options *o,
                                  bool *again, pf_error *err)
{
    (void)input;
    json_reader *j = pf_alloc_zero(&t->budget, 1, sizeof *j);
    if (!j) {
        return pf_budget_refused(&t->budget, sizeof *j, err);
    }
    reading rd = {.j = j, .t = t, .s = s, .w = first, .again = again};
    j->tokenizer.rules.depth = o->limits.depth;
    j->tokenizer.rules.keys = o->limits.keys;
    j->tokenizer.rules.longest = o->limits.memory / 8 < LONGEST ? o->limits.memory / 8 : LONGEST;
    pf_status st = pf_json_applier_init(&j->applier, t, o->dialect == NULL, err);
    j->applier.committed = t->events.count > 0;
    if (o->dialect && strcmp(o->dialect, "aie") == 0) {
        set_cycles(&rd);
    } else {
        t->dialect = "chrome-json";
    }
    if (st == PF_OK) {
        st = read_document(&rd, err);
    }
    if (st == PF_OK && !*again) {
        st = pf_json_group_async(&j->applier, err);
    }
    if (st == PF_OK && !*again && !o->dialect && t->unit != PF_UNIT_CYCLE) {
        t->dialect = pf_json_dialect(t, j->applier.has_attr);
    }
    pf_json_applier_free(&j->applier);
    pf_release(&t->budget, j, sizeof *j);
    return st;
}

const pf_reader pf_reader_chrome_json = {
    .format = "chrome-json",
    .sniff = sniff_chrome_json,
    .read = read_chrome_json,
};
