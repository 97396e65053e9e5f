/* output/sink.c - see sink.h. Deflate works in one call per buffer: its state lives for one member, its output goes
 * to the atomic file in pieces of SQUEEZED_BYTES. The gzip header that zlib writes by itself has no time and no name,
 * so the bytes depend on the content alone. zstd works the same way, in one thread, for the same reason.
 */
#include "output/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "perfetto/fields.h"
#include "wire/writer.h"

#define SQUEEZED_BYTES (64u << 10)
#define POLL_BYTES (1u << 20)
#define COPY_BYTES ((size_t)16 << 20)
#define PIECE_BYTES (512u << 10)

bool pf_sink_wants_gzip(const char *path)
{
    size_t len = strlen(path);
    return len >= 3 && strcmp(path + len - 3, ".gz") == 0;
}

static bool is_input(const pf_trace *t, const char *path)
{
    const pf_file_id out = pf_file_id_of(path, STDOUT_FILENO);
    bool found = false;
    for (size_t i = 0; i < pf_trace_input_count(t) && !found; i++) {
        const char *name = pf_trace_input(t, i)->path;
        found = name && pf_file_id_is(&out, name);
    }
    return found;
}

static pf_status handle_piece(void *ctx, const pf_buffer *piece);

pf_status pf_sink_open(pf_sink *s, const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err)
{
    memset(s, 0, sizeof *s);
    s->file.fd = -1;
    s->options = o;
    s->error.offset = s->error.packet = PF_NOWHERE;
    s->since_poll = POLL_BYTES; /* the first bytes poll too */
    if (is_input(t, path)) {
        pf_fail(err, PF_ERR_OUTPUT, "the output is the input file; choose another name");
        if (err) {
            snprintf(err->file, sizeof err->file, "%s", path);
        }
        return PF_ERR_OUTPUT;
    }
    s->squeezed = malloc(SQUEEZED_BYTES);
    PF_TRY(s->squeezed ? PF_OK : pf_no_memory(err));
    pf_status st = pf_outfile_open(&s->file, path, err);
    if (st != PF_OK) {
        free(s->squeezed);
        s->squeezed = NULL;
        return st;
    }
    s->enough = PIECE_BYTES;
    s->queue = o->jobs == 1 ? NULL : pf_output_queue_start(handle_piece, s);
    return PF_OK;
}

/* Hands the piece over. */
static pf_status pass_on(pf_sink *s)
{
    if (s->piece.len == 0 || s->seen != PF_OK) {
        return s->seen;
    }
    if (s->options->progress) {
        s->options->progress(s->options->progress_ctx, s->made, s->rows ? (double)s->row / (double)s->rows : 0);
    }
    if (s->queue) {
        s->seen = pf_output_queue_put(s->queue, &s->piece);
    } else {
        s->seen = handle_piece(s, &s->piece);
        s->piece.len = 0;
    }
    return s->seen;
}

/* Everything put so far is done with: the file and the error are the caller's. */
static pf_status settle(pf_sink *s)
{
    pass_on(s);
    if (s->queue) {
        pf_output_queue_settle(s->queue);
    }
    return s->seen = s->failed;
}

static pf_status write_plain(pf_sink *s, const void *bytes, size_t len)
{
    s->failed = pf_outfile_write(&s->file, bytes, len, &s->error);
    if (s->failed == PF_OK && s->options->written) {
        *s->options->written += len;
    }
    return s->failed;
}

static pf_status squeeze(pf_sink *s, const void *bytes, size_t len, int flush)
{
    const uint8_t *at = bytes;
    int result = Z_OK;
    do {
        uInt step = len > POLL_BYTES ? POLL_BYTES : (uInt)len;
        s->gzip.next_in = (Bytef *)(uintptr_t)at;
        s->gzip.avail_in = step;
        at += step;
        len -= step;
        do {
            s->gzip.next_out = s->squeezed;
            s->gzip.avail_out = SQUEEZED_BYTES;
            result = deflate(&s->gzip, len ? Z_NO_FLUSH : flush);
            if (write_plain(s, s->squeezed, SQUEEZED_BYTES - s->gzip.avail_out) != PF_OK) {
                return s->failed;
            }
        } while (s->gzip.avail_out == 0 && result != Z_STREAM_END);
    } while (len > 0);
    return PF_OK;
}

pf_status pf_sink_begin_member(pf_sink *s)
{
    if (settle(s) == PF_OK) {
        memset(&s->gzip, 0, sizeof s->gzip);
        if (deflateInit2(&s->gzip, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
            s->failed = pf_no_memory(&s->error);
        } else {
            s->in_member = true;
        }
    }
    return s->failed;
}

pf_status pf_sink_end_member(pf_sink *s)
{
    settle(s);
    if (s->in_member) {
        if (s->failed == PF_OK) {
            squeeze(s, "", 0, Z_FINISH);
        }
        deflateEnd(&s->gzip);
        s->in_member = false;
    }
    return s->failed;
}

pf_status pf_sink_begin_frame(pf_sink *s)
{
    if (settle(s) == PF_OK) {
        s->zstd = ZSTD_createCStream();
        if (!s->zstd || ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1))) {
            s->failed = pf_no_memory(&s->error);
        }
    }
    return s->failed;
}

static pf_status squeeze_frame(pf_sink *s, const void *bytes, size_t len, ZSTD_EndDirective directive)
{
    ZSTD_inBuffer in = {bytes, len, 0};
    size_t left = 1;
    while (s->failed == PF_OK && (in.pos < in.size || (directive == ZSTD_e_end && left > 0))) {
        ZSTD_outBuffer out = {s->squeezed, SQUEEZED_BYTES, 0};
        left = ZSTD_compressStream2(s->zstd, &out, &in, directive);
        if (ZSTD_isError(left)) {
            s->failed = pf_fail(&s->error, PF_ERR_MEMORY, "zstd could not compress: %s", ZSTD_getErrorName(left));
        } else {
            write_plain(s, s->squeezed, out.pos);
        }
    }
    return s->failed;
}

pf_status pf_sink_end_frame(pf_sink *s)
{
    settle(s);
    if (s->zstd && s->failed == PF_OK) {
        squeeze_frame(s, "", 0, ZSTD_e_end);
    }
    ZSTD_freeCStream(s->zstd);
    s->zstd = NULL;
    return s->failed;
}

bool pf_sink_begin_bundles(pf_sink *s, size_t least)
{
    bool begins = settle(s) == PF_OK && !s->bundles && !s->in_member && !s->zstd;
    s->bundles |= begins;
    s->least = begins ? least : s->least;
    return begins;
}

static pf_status refuse_bundle(pf_sink *s)
{
    return s->failed = pf_no_memory(&s->error);
}

/* Packs whole packets; they stay as they are where that is no gain. What is only bundled from so many bytes on is
 * little and said once: it gets the best level. */
static pf_status write_bundle(pf_sink *s, const pf_buffer *b)
{
    uLongf len = compressBound((uLong)b->len);
    uint8_t head[4 * PF_VARINT_MAX], *packed = b->failed ? NULL : malloc(len), *p = head;
    if (!packed ||
        compress2(packed, &len, (const Bytef *)b->data, (uLong)b->len, s->least ? Z_BEST_COMPRESSION : 6) != Z_OK) {
        free(packed);
        return refuse_bundle(s);
    }
    uint8_t inner[2 * PF_VARINT_MAX], *q = pf_store_varint(inner, PF_TAG_BYTES(PF_F_PACKET_COMPRESSED_PACKETS));
    q = pf_store_varint(q, len);
    p = pf_store_varint(p, PF_TAG_BYTES(PF_F_TRACE_PACKET));
    p = pf_store_varint(p, (uint64_t)(q - inner) + len);
    memcpy(p, inner, (size_t)(q - inner));
    p += q - inner;
    if ((size_t)(p - head) + len < b->len) {
        write_plain(s, head, (size_t)(p - head));
        if (s->failed == PF_OK) {
            write_plain(s, packed, len);
        }
    } else {
        write_plain(s, b->data, b->len);
    }
    free(packed);
    return s->failed;
}

pf_status pf_sink_end_bundles(pf_sink *s)
{
    settle(s);
    if (s->bundles && s->failed == PF_OK && s->bundle.len < s->least) {
        write_plain(s, s->bundle.data, s->bundle.len);
    } else if (s->bundles && s->failed == PF_OK && s->bundle.len) {
        write_bundle(s, &s->bundle);
    }
    s->bundles = false;
    s->least = 0;
    pf_buffer_free(&s->bundle);
    return s->failed;
}

pf_status pf_sink_put_bundle(pf_sink *s, const pf_buffer *packets, size_t least)
{
    if (s->bundles || s->in_member || s->zstd || packets->len < least) {
        return pf_sink_put(s, packets->data, packets->len);
    }
    return settle(s) == PF_OK ? write_bundle(s, packets) : s->failed;
}

static void gather(pf_sink *s, const void *bytes, size_t len)
{
    pf_buffer_put(&s->bundle, bytes, len);
    if (s->bundle.failed) {
        refuse_bundle(s);
    }
}

static bool cancelled(pf_sink *s, size_t len)
{
    s->since_poll += len;
    if (s->since_poll < POLL_BYTES) {
        return false;
    }
    s->since_poll = 0;
    return s->options->cancel && *s->options->cancel;
}

/* Whole packets stay together where they become bundles. */
pf_status pf_sink_put(pf_sink *s, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    while (len > 0 && s->seen == PF_OK) {
        size_t step = len > POLL_BYTES ? POLL_BYTES : len;
        if (cancelled(s, step)) {
            settle(s);
            s->seen = s->failed = pf_fail(&s->error, PF_ERR_CANCELLED, "cancelled");
            break;
        }
        pf_buffer_put(&s->piece, at, step);
        if (s->piece.failed) {
            settle(s);
            s->seen = s->failed = pf_no_memory(&s->error);
            break;
        }
        s->made += step;
        at += step;
        len -= step;
        if (s->piece.len >= s->enough && (len == 0 || !s->bundles)) {
            pass_on(s);
        }
    }
    if (s->seen != PF_OK) {
        settle(s);
    }
    return s->seen;
}

static pf_status handle_piece(void *ctx, const pf_buffer *piece)
{
    pf_sink *s = ctx;
    if (s->failed != PF_OK) {
        return s->failed;
    }
    if (s->in_member) {
        squeeze(s, piece->data, piece->len, Z_NO_FLUSH);
    } else if (s->zstd) {
        squeeze_frame(s, piece->data, piece->len, ZSTD_e_continue);
    } else if (s->bundles) {
        gather(s, piece->data, piece->len);
    } else {
        write_plain(s, piece->data, piece->len);
    }
    if (s->bundle.len >= PIECE_BYTES && s->failed == PF_OK) {
        write_bundle(s, &s->bundle);
        s->bundle.len = 0;
    }
    return s->failed;
}

pf_status pf_sink_copy(pf_sink *s, const pf_file *in, size_t from, size_t to)
{
    if (s->in_member) {
        return pf_sink_put(s, in->data + from, to - from);
    }
    settle(s);
    bool inside = pf_outfile_may_share(&s->file);
    for (size_t at = from; at < to && s->failed == PF_OK;) {
        size_t step = to - at > COPY_BYTES ? COPY_BYTES : to - at;
        if (cancelled(s, step)) {
            s->failed = pf_fail(&s->error, PF_ERR_CANCELLED, "cancelled");
        } else {
            s->failed = pf_outfile_copy(&s->file, in, at, step, inside, &s->error);
        }
        if (s->failed == PF_OK && s->options->written) {
            *s->options->written += step;
        }
        at += step;
    }
    return s->seen = s->failed;
}

pf_status pf_sink_complete(pf_sink *s, pf_error *err)
{
    if (settle(s) != PF_OK) {
        *err = s->error;
        return s->failed;
    }
    return pf_outfile_flush(&s->file, err);
}

pf_status pf_sink_close(pf_sink *s, pf_status st, pf_error *err)
{
    pf_sink_end_member(s);
    pf_sink_end_frame(s);
    pf_sink_end_bundles(s);
    pf_output_queue_stop(s->queue);
    pf_buffer_free(&s->piece);
    s->queue = NULL;
    if (st == PF_OK && s->failed == PF_OK) {
        st = pf_outfile_commit(&s->file, s->options->sync, err);
    } else {
        if (s->failed != PF_OK) {
            st = s->failed;
            if (err) {
                *err = s->error;
            }
        }
        pf_outfile_abort(&s->file);
    }
    free(s->squeezed);
    s->squeezed = NULL;
    return st;
}
