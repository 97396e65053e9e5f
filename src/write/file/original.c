/* write/file/original.c - the bytes of a binary input once more, for an output that adds to them.
 *
 * Without anything to replace an input is copied byte for byte, compressed or not. Else its plain bytes have stretches
 * that go. A gzip member or zstd frame of which nothing goes is copied as it is stored, one of which all goes is left
 * out, and one that has both is compressed anew. What does not decode stays as it is: nothing was read of it. */
#include "write/file/original.h"

#include <stdio.h>
#include <string.h>

/* Plain bytes on their way to the sink; those of the stretches are left out. */
typedef struct passage {
    pf_sink *sink;
    const pf_replaced *list;
    uint32_t count, next; /* stretches from `next` on are not done with */
    uint64_t at;          /* plain offset of what comes next */
} passage;

static pf_status put_kept(void *ctx, const void *bytes, size_t len)
{
    passage *p = ctx;
    const uint8_t *from = bytes, *end = from + len;
    while (from < end) {
        const pf_replaced *r = p->next < p->count ? &p->list[p->next] : NULL;
        uint64_t left = (uint64_t)(end - from), until = !r ? UINT64_MAX : p->at < r->from ? r->from : r->to;
        size_t step = left < until - p->at ? (size_t)left : (size_t)(until - p->at);
        bool goes = r && p->at >= r->from;
        if (goes && p->at == r->from && r->instead.len) {
            PF_TRY(pf_sink_put(p->sink, r->instead.ptr, r->instead.len));
        }
        PF_TRY(!goes ? pf_sink_put(p->sink, from, step) : PF_OK);
        from += step;
        p->at += step;
        p->next += goes && p->at == r->to;
    }
    return PF_OK;
}

static pf_status copy_stored(const pf_trace *t, pf_sink *sink, uint64_t from, uint64_t to)
{
    const pf_input *in = pf_trace_input(t, 0);
    if (!t->files || !t->files->is_open) {
        return pf_sink_put(sink, in->stored + from, (size_t)(to - from));
    }
    pf_status st = pf_sink_copy(sink, t->files, (size_t)from, (size_t)to);
    if (st == PF_ERR_INPUT) {
        snprintf(sink->error.file, sizeof sink->error.file, "%s", in->path);
    }
    return st;
}

static pf_status copy_plain(const pf_trace *t, pf_sink *sink)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < t->replaced.count; i++) {
        const pf_replaced *r = &t->replaced.list[i];
        PF_TRY(copy_stored(t, sink, at, r->from));
        PF_TRY(r->instead.len ? pf_sink_put(sink, r->instead.ptr, r->instead.len) : PF_OK);
        at = r->to;
    }
    return copy_stored(t, sink, at, pf_trace_input(t, 0)->stored_bytes);
}

/* How many of the plain bytes [from, to) go, and whether something comes in their place. */
static uint64_t count_gone(const passage *p, uint64_t from, uint64_t to, bool *replaced)
{
    uint64_t gone = 0;
    *replaced = false;
    for (uint32_t i = p->next; i < p->count && p->list[i].from < to; i++) {
        uint64_t a = p->list[i].from > from ? p->list[i].from : from, b = p->list[i].to < to ? p->list[i].to : to;
        gone += b > a ? b - a : 0;
        *replaced |= p->list[i].instead.len && p->list[i].from >= from;
    }
    return gone;
}

/* The member, of which some bytes go. */
static pf_status rewrite(const pf_trace *t, passage *p, pf_packed *m, bool gzip, pf_error *err)
{
    PF_TRY(gzip ? pf_sink_begin_member(p->sink) : pf_sink_begin_frame(p->sink));
    PF_TRY(t->send_member(t, pf_trace_input(t, 0), m, put_kept, p, err));
    return gzip ? pf_sink_end_member(p->sink) : pf_sink_end_frame(p->sink);
}

static void pass_over(passage *p, uint64_t bytes)
{
    p->at += bytes;
    while (p->next < p->count && p->list[p->next].to <= p->at) {
        p->next++;
    }
}

static pf_status copy_members(const pf_trace *t, pf_sink *sink, bool gzip, pf_error *err)
{
    const pf_input *in = pf_trace_input(t, 0);
    passage p = {.sink = sink, .list = t->replaced.list, .count = t->replaced.count};
    pf_status st = PF_OK;
    pf_packed m = {0};
    for (uint64_t at = 0; st == PF_OK && at < in->stored_bytes; at += m.stored_bytes) {
        bool replaced;
        m.stored = at;
        st = t->send_member(t, in, &m, NULL, NULL, err);
        uint64_t gone = st == PF_OK ? count_gone(&p, p.at, p.at + m.plain_bytes, &replaced) : 0;
        if (st != PF_OK) {
            break;
        }
        if (!m.whole || gone == 0) {
            st = copy_stored(t, sink, at, at + m.stored_bytes);
            pass_over(&p, m.plain_bytes);
        } else if (gone < m.plain_bytes || replaced) {
            st = rewrite(t, &p, &m, gzip, err);
        } else {
            pass_over(&p, m.plain_bytes);
        }
    }
    return st;
}

pf_status pf_copy_original(const pf_trace *t, pf_sink *sink, pf_error *err)
{
    const pf_input *in = pf_trace_input(t, 0);
    bool gzip = strcmp(in->compression, "gzip") == 0, zstd = strcmp(in->compression, "zstd") == 0;
    if (strcmp(in->compression, "zip") == 0) {
        passage p = {.sink = sink, .list = t->replaced.list, .count = t->replaced.count};
        return t->send_plain(t, in, put_kept, &p, err);
    }
    return (gzip || zstd) && t->replaced.count ? copy_members(t, sink, gzip, err) : copy_plain(t, sink);
}
