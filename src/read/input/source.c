/* read/input/source.c - the window over one input.
 *
 * A plain input lies in memory as a whole; its window slides over it in steps, which costs nothing and gives every few
 * megabytes an occasion to look at cancel and to report progress. A packed input comes in blocks (read_ahead.c) and its
 * window slides over them where they lie; what the reader did not consume of one stands in front of the next. Where
 * that is more than fits there, an event larger than that, the rest and the next blocks are gathered in a buffer, at
 * least as much more as the rest is long, so that a reader that has to start again reads every byte a bounded number of
 * times.
 */
#include "read/input/source.h"

#include <string.h>

#define PLAIN_STEP ((size_t)4 << 20)
#define BLOCK_MIN ((size_t)64 << 10)
#define BLOCK_MAX ((size_t)1 << 20)
#define BLOCK_RATIO 8u                  /* plain bytes expected of a stored one */
#define WORTH_THREAD ((size_t)64 << 10) /* stored bytes that pay for a thread */
#define PIECE ((size_t)1 << 20)
#define PROGRESS_STEP ((uint64_t)4 << 20)
#define DROP_STEP ((uint64_t)16 << 20)
#define RATIO_FREE ((uint64_t)64 << 20) /* plain bytes below which the ratio is not tested */

struct pf_source {
    pf_trace *t;
    pf_input *input;
    const pf_read_options *o;
    size_t step;
    uint64_t begin;  /* plain offset of the window */
    uint64_t plain;  /* plain bytes delivered: the window's end */
    uint64_t stored; /* stored bytes they came from */
    uint64_t reported;
    uint64_t dropped; /* stored bytes whose pages were given back */
    bool packed;
    bool over; /* nothing is left to append */

    pf_unpack unpack;
    pf_ahead *ahead;
    pf_ahead_block block; /* the last one given */
    size_t block_room;
    size_t block_left;     /* bytes after the window that were given */
    const uint8_t *window; /* of a packed input; `len` bytes */
    size_t len;
    bool gathered;   /* the window lies in the buffer */
    uint8_t *buffer; /* cap bytes and PF_SLOP more */
    size_t cap;
};

static size_t block_bytes(uint64_t stored)
{
    uint64_t most = stored * BLOCK_RATIO;
    return most < BLOCK_MIN ? BLOCK_MIN : most > BLOCK_MAX ? BLOCK_MAX : (size_t)(most & ~(uint64_t)4095);
}

pf_status pf_source_open(pf_source **out, pf_trace *t, pf_input *input, const pf_read_options *o, pf_error *err)
{
    pf_source *s = pf_alloc_zero(&t->budget, 1, sizeof *s);
    PF_TRY(s ? PF_OK : pf_budget_refused(&t->budget, sizeof *s, err));
    s->t = t;
    s->input = input;
    s->o = o;
    pf_status st = pf_unpack_init(&s->unpack, input->stored, input->stored_bytes, &t->budget, err);
    input->compression = pf_packing_name(s->unpack.packing);
    input->plain_bytes = 0;
    if (st != PF_OK) {
        pf_release(&t->budget, s, sizeof *s);
        return st;
    }
    s->packed = s->unpack.packing != PF_PACKING_NONE;
    s->block_room = block_bytes(input->stored_bytes);
    s->step = s->packed ? s->block_room : PLAIN_STEP;
    if (s->packed) {
        s->window = (const uint8_t *)"";
        s->ahead =
            pf_ahead_start(&s->unpack, s->block_room, o->jobs != 1 && input->stored_bytes >= WORTH_THREAD, &t->budget);
        if (!s->ahead) {
            st = pf_budget_refused(&t->budget, s->block_room, err);
            pf_source_close(s);
            return st;
        }
    }
    *out = s;
    return PF_OK;
}

void pf_source_close(pf_source *s)
{
    if (!s) {
        return;
    }
    pf_ahead_stop(s->ahead);
    if (s->packed) {
        pf_unpack_free(&s->unpack);
    }
    pf_budget *budget = &s->t->budget;
    pf_release(budget, s->buffer, s->cap ? s->cap + PF_SLOP : 0);
    pf_release(budget, s, sizeof *s);
}

void pf_source_set_step(pf_source *s, size_t bytes)
{
    s->step = bytes;
}

size_t pf_source_step(const pf_source *s)
{
    return s->step;
}

static pf_status note_end(pf_source *s, pf_codec_end end, pf_error *err)
{
    static const pf_stat_id faults[][3] = {
        [PF_PACKING_GZIP] = {PF_STAT_GZIP_TRUNCATED, PF_STAT_GZIP_DAMAGED, PF_STAT_GZIP_TRAILING},
        [PF_PACKING_ZSTD] = {PF_STAT_ZSTD_TRUNCATED, PF_STAT_ZSTD_DAMAGED, PF_STAT_ZSTD_TRAILING},
        [PF_PACKING_ZIP] = {PF_STAT_ZIP_TRUNCATED, PF_STAT_ZIP_DAMAGED, PF_STAT_ZIP_DAMAGED},
    };
    s->over = end != PF_CODEC_RUNNING;
    switch (end) {
    case PF_CODEC_TRUNCATED:
    case PF_CODEC_DAMAGED:
    case PF_CODEC_TRAILING:
        pf_trace_count(s->t, faults[s->unpack.faulty][end - PF_CODEC_TRUNCATED], s->plain);
        break;
    case PF_CODEC_NO_MEMORY:
        return pf_no_memory(err);
    case PF_CODEC_LIMITED:
        return pf_fail(err, PF_ERR_LIMIT, "a zstd frame needs more memory than is allowed; raise --max-memory");
    case PF_CODEC_RATIO:
        return pf_fail(
            err, PF_ERR_LIMIT,
            "a zstd frame has a window of more than %llu times the size of the file; raise --max-ratio if it is "
            "meant to",
            (unsigned long long)s->t->budget.limits.ratio);
    case PF_CODEC_RUNNING:
    case PF_CODEC_COMPLETE:
        break;
    }
    return PF_OK;
}

/* Room for `bytes` in the buffer; grows by doubling. */
static pf_status reserve(pf_source *s, size_t bytes, pf_error *err)
{
    if (bytes <= s->cap) {
        return PF_OK;
    }
    size_t cap = s->cap * 2 > bytes ? s->cap * 2 : bytes;
    uint8_t *p = pf_resize(&s->t->budget, s->buffer, s->cap ? s->cap + PF_SLOP : 0, cap + PF_SLOP);
    PF_TRY(p ? PF_OK : pf_budget_refused(&s->t->budget, cap, err));
    memset(p + cap, 0, PF_SLOP);
    s->buffer = p;
    s->cap = cap;
    return PF_OK;
}

/* The rest of the window and at least `want` bytes more, unless the input ends, in the buffer. */
static pf_status gather(pf_source *s, size_t want, pf_error *err)
{
    if (s->gathered) {
        memmove(s->buffer, s->window, s->len);
    }
    PF_TRY(reserve(s, s->len + want + s->block_room, err));
    if (!s->gathered) {
        memcpy(s->buffer, s->window, s->len);
    }
    do {
        s->block = pf_ahead_next(s->ahead, NULL, 0);
        memcpy(s->buffer + s->len + s->block_left, s->block.data, s->block.len);
        s->block_left += s->block.len;
    } while (s->block_left < want && s->block.end == PF_CODEC_RUNNING);
    s->window = s->buffer;
    s->gathered = true;
    return PF_OK;
}

static pf_status slide_packed(pf_source *s, size_t consumed, size_t want, pf_window *w, pf_error *err)
{
    s->window += consumed;
    s->len -= consumed;
    if (!s->over && s->block_left == 0) {
        if (s->len > PF_AHEAD_HEAD) {
            PF_TRY(gather(s, want, err));
        } else {
            s->block = pf_ahead_next(s->ahead, s->window, s->len);
            s->window = s->block.data - s->len;
            s->gathered = false;
            s->block_left = s->block.len;
        }
        s->stored = s->block.stored;
    }
    size_t more = s->block_left < want ? s->block_left : want;
    s->block_left -= more;
    s->len += more;
    s->plain += more;
    w->data = s->window;
    w->len = s->len;
    w->stable = false;
    return !s->over && s->block_left == 0 ? note_end(s, s->block.end, err) : PF_OK;
}

static void slide_plain(pf_source *s, size_t want, pf_window *w)
{
    uint64_t left = s->input->stored_bytes - s->plain;
    s->plain += left < want ? left : want;
    s->stored = s->plain;
    s->over = s->plain == s->input->stored_bytes;
    w->data = s->input->stored + s->begin;
    w->len = (size_t)(s->plain - s->begin);
    w->stable = true;
}

static pf_status check_limits(const pf_source *s, pf_error *err)
{
    const pf_limits *limits = &s->t->budget.limits;
    if (s->plain > limits->plain) {
        return pf_fail_at(err, PF_ERR_LIMIT, limits->plain,
                          "more than %llu bytes after decompression; raise --max-plain",
                          (unsigned long long)limits->plain);
    }
    if (s->packed && limits->ratio && s->plain > RATIO_FREE && s->plain / limits->ratio > s->stored) {
        return pf_fail_at(err, PF_ERR_LIMIT, s->plain,
                          "decompresses to more than %llu times its size; raise --max-ratio if it is meant to",
                          (unsigned long long)limits->ratio);
    }
    return PF_OK;
}

static pf_status report(pf_source *s, pf_error *err)
{
    if (s->o->cancel && *s->o->cancel) {
        return pf_fail(err, PF_ERR_CANCELLED, "cancelled");
    }
    if (s->o->progress && (s->stored - s->reported >= PROGRESS_STEP || s->over)) {
        s->reported = s->stored;
        s->o->progress(s->o->progress_ctx, s->stored, s->input->stored_bytes);
    }
    return PF_OK;
}

/* What was read of a mapped file leaves the resident memory, which would else grow to the size of the file. */
static void drop_read(pf_source *s)
{
    uint64_t read = s->packed ? s->stored : s->begin;
    if (read - s->dropped >= DROP_STEP) {
        pf_trace_drop_bytes(s->t, (pf_bytes){s->input->stored + s->dropped, (size_t)(read - s->dropped)});
        s->dropped = read;
    }
}

pf_status pf_source_more(pf_source *s, size_t consumed, pf_window *w, pf_error *err)
{
    s->begin += consumed;
    drop_read(s);
    size_t rest = (size_t)(s->plain - s->begin);
    size_t want = s->over ? 0 : rest > s->step ? rest : s->step;
    if (s->packed) {
        PF_TRY(slide_packed(s, consumed, want, w, err));
    } else {
        slide_plain(s, want, w);
    }
    w->offset = s->begin;
    w->last = s->over;
    s->input->plain_bytes = s->plain;
    PF_TRY(check_limits(s, err));
    return report(s, err);
}

pf_status pf_source_send(const pf_trace *t, const pf_input *input, pf_bytes_taker take, void *ctx, pf_error *err)
{
    pf_budget *budget = (pf_budget *)(uintptr_t)&t->budget; /* counting does not change the trace */
    pf_unpack u;
    pf_status st = pf_unpack_init(&u, input->stored, input->stored_bytes, budget, err);
    if (st != PF_OK || u.packing == PF_PACKING_NONE) {
        return st == PF_OK ? take(ctx, input->stored, input->stored_bytes) : st;
    }
    uint8_t *piece = pf_alloc(budget, PIECE);
    st = piece ? PF_OK : pf_budget_refused(budget, PIECE, err);
    uint64_t left = input->plain_bytes;
    while (st == PF_OK && left > 0) {
        size_t made = pf_unpack_fill(&u, piece, left < PIECE ? (size_t)left : PIECE);
        st = made ? take(ctx, piece, made)
                  : pf_fail(err, PF_ERR_INPUT, "gives other bytes than before; it was changed while it was in use");
        left -= made;
    }
    pf_release(budget, piece, piece ? PIECE : 0);
    pf_unpack_free(&u);
    return st;
}

/* What follows the last member or frame is one that is not whole, without plain bytes. */
pf_status pf_source_member(const pf_trace *t, const pf_input *input, pf_packed *m, pf_bytes_taker take, void *ctx,
                           pf_error *err)
{
    pf_budget *budget = (pf_budget *)(uintptr_t)&t->budget;
    const uint8_t *bytes = input->stored + m->stored;
    uint64_t left = input->stored_bytes - m->stored;
    bool gzip = pf_codec_is_gzip(bytes, (size_t)left), zstd = !gzip && pf_codec_is_zstd(bytes, (size_t)left);
    *m = (pf_packed){.stored = m->stored, .stored_bytes = left};
    if (!gzip && !zstd) {
        return PF_OK;
    }
    pf_codec c;
    pf_codec_init(&c, gzip ? PF_CODEC_ZLIB : PF_CODEC_FRAME, PF_CODEC_WINDOW, budget);
    c.in = bytes;
    c.len = (size_t)left;
    c.final = true;
    uint8_t *piece = pf_alloc(budget, PIECE);
    pf_status st = piece ? PF_OK : pf_budget_refused(budget, PIECE, err);
    while (st == PF_OK && c.end == PF_CODEC_RUNNING) {
        size_t made = pf_codec_fill(&c, piece, PIECE);
        m->plain_bytes += made;
        st = take && made ? take(ctx, piece, made) : PF_OK;
    }
    if (st == PF_OK && (c.end == PF_CODEC_NO_MEMORY || c.end == PF_CODEC_LIMITED)) {
        st = pf_budget_refused(budget, PIECE, err);
    }
    m->whole = c.end == PF_CODEC_COMPLETE;
    m->stored_bytes = m->whole ? c.pos : left;
    pf_release(budget, piece, piece ? PIECE : 0);
    pf_codec_free(&c);
    return st;
}
