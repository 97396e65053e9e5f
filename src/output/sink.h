/* output/sink.h - where trace bytes go: an atomic file (or standard output), plain, as gzip members, as zstd frames
 * or as packets of compressed packets.
 *
 * Errors stick: after the first one every call returns it again and does nothing, so that a writer may check once per
 * packet or once at its end.
 */
#pragma once

#include <zlib.h>
#include <zstd.h>

#include "base/buffer.h"
#include "base/files/outfile.h"
#include "base/sized.h"
#include "base/threads/threads.h"
#include "model/trace/trace.h"
#include "postfetto/write.h"

typedef struct pf_sink {
    pf_outfile file;
    const pf_write_options *options;
    z_stream gzip;
    bool in_member;         /* between pf_sink_begin_member and pf_sink_end_member */
    bool bundles;           /* between pf_sink_begin_bundles and pf_sink_end_bundles */
    pf_buffer bundle;       /* packets that will be one of them, */
    size_t least;           /* from so many bytes on */
    ZSTD_CStream *zstd;     /* between pf_sink_begin_frame and pf_sink_end_frame */
    uint8_t *squeezed;      /* what the compressor made */
    uint64_t since_poll;    /* bytes since cancel was last read */
    pf_output_queue *queue; /* its thread does everything above with the pieces; NULL: the caller does */
    pf_buffer piece;        /* of the output, being filled, */
    size_t enough;          /* until it has so many bytes; whoever has many outputs open sets less after the opening */
    uint64_t made;          /* bytes put */
    uint64_t rows, row;     /* of the trace that is written, for the progress; rows 0: not known */
    pf_status seen;         /* what the thread failed with, as far as the caller knows */
    pf_status failed;       /* the thread's while pieces are under way, as is the error */
    pf_error error;
} pf_sink;

/* Opens the target. It must not be one of the trace's inputs: PF_ERR_OUTPUT. */
pf_status pf_sink_open(pf_sink *s, const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);

/* Bytes between these two calls are compressed as one gzip member (level 6, no time, no name). */
pf_status pf_sink_begin_member(pf_sink *s);
pf_status pf_sink_end_member(pf_sink *s);

/* The same as one zstd frame (level 3, with a checksum). */
pf_status pf_sink_begin_frame(pf_sink *s);
pf_status pf_sink_end_frame(pf_sink *s);

/* What is put between is whole packets; they leave in bundles, packets of Perfetto's whose content is compressed
 * packets (zlib, level 6, or 9 with a `least`), where that is shorter; fewer than `least` bytes stay as they are. False
 * if bundles have begun already (who began them ends them) or inside a member or frame, where they would only be in the
 * way. */
bool pf_sink_begin_bundles(pf_sink *s, size_t least);
pf_status pf_sink_end_bundles(pf_sink *s);

/* Whole packets as one bundle, or as part of those that have begun. */
pf_status pf_sink_put_bundle(pf_sink *s, const pf_buffer *packets, size_t least);

/* Polls cancel every megabyte. What is put reaches the file later, in pieces that another thread compresses and writes;
 * after an error s->error may be read. */
pf_status pf_sink_put(pf_sink *s, const void *bytes, size_t len);

/* The bytes [from, to) of an input file as they are stored: between members and frames, or compressed in a member. */
pf_status pf_sink_copy(pf_sink *s, const pf_file *in, size_t from, size_t to);

/* Whether the file has the bytes that are put and can be read; all of them after the other call, which is the last one
 * before the closing. */
static inline bool pf_sink_is_readable(const pf_sink *s)
{
    return !s->in_member && !s->zstd && !s->bundles && !s->file.direct;
}
pf_status pf_sink_complete(pf_sink *s, pf_error *err);

/* Takes st, the result of everything between, and the sink's own error; puts the file in place if both are PF_OK,
 * else removes it. The sink is closed afterwards. */
pf_status pf_sink_close(pf_sink *s, pf_status st, pf_error *err);

/* Whether the name asks for gzip. */
bool pf_sink_wants_gzip(const char *path);

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Those of a caller, who may have been compiled with another release, as ours; defaults where o is NULL. */
static inline pf_write_options pf_write_options_of(const pf_write_options *o)
{
    pf_write_options all = pf_write_options_default();
    if (o) {
        pf_sized_take(&all, sizeof all, o, o->size, PF_SIZED_UPTO(pf_write_options, loose_flows));
    }
    return all;
}
