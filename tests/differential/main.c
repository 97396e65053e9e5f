/* tests/differential/main.c - runs the comparison over every trace below the given paths.
 *
 *     test_differential PATH...      (--corpus as a path: the shared corpus)
 *
 * Every file that begins like a Trace (after gunzipping) is cut into packets; the packets inside compressed packets are
 * taken out too. Packets made of random fields come first. Each packet is compared as it is, and some of each file in
 * damaged forms. Prints what it did. Exit codes: 0 equal, 1 a difference or nothing to compare, 77 a path does not
 * exist (a skipped test for ctest; 1 with POSTFETTO_REQUIRE_SHARED=1).
 */
#include "diff.h"

#include <fts.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files/file.h"
#include "perfetto/decode/batch.h"
#include "perfetto/fields.h"
#include "shared.h"
#include "wire/cursor.h"

enum { BATCH = 256, SYNTHETIC = 5000, SKIPPED = 77, FAILURES_SHOWN = 20 };

/* Packets that are also damaged: the first ones of a file and then a few; not the big ones. */
enum { MUTATED_FIRST = 100, MUTATED_EVERY = 31, MUTATED_LEN = 8192, MUTATIONS = 20 };

#define FILE_MAX ((size_t)1 << 28)

void diff_report(diff_run *run, const char *format, ...)
{
    va_list args;
    if (run->failures++ >= FAILURES_SHOWN) {
        return;
    }
    fprintf(stderr, "%s: packet %" PRIu64 ", mutation %u: ", run->file, run->packet, run->mutation);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\n  ", stderr);
    for (size_t i = 0; i < run->len && i < 512; i++) {
        fprintf(stderr, "%02x", run->bytes[i]);
    }
    fputs(run->len > 512 ? "...\n" : "\n", stderr);
}

/* Appends everything that the stream inflates to, up to FILE_MAX; what comes before damage is kept. */
static void inflate_into(pf_buffer *out, const uint8_t *bytes, size_t len)
{
    static const int any_header = 15 + 32;
    uint8_t chunk[1 << 14];
    z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)len};
    int rc = inflateInit2(&z, any_header);
    while (rc == Z_OK && out->len < FILE_MAX) {
        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        rc = inflate(&z, Z_NO_FLUSH);
        pf_buffer_put(out, chunk, sizeof chunk - z.avail_out);
    }
    inflateEnd(&z);
}

static void close_with_slop(pf_buffer *b)
{
    static const char slop[PF_SLOP];
    pf_buffer_put(b, slop, sizeof slop);
    if (b->failed) {
        abort();
    }
}

static void mutate_packet(diff_run *run, const pf_record *r)
{
    pf_buffer mutant = {0};
    for (run->mutation = 1; run->mutation <= MUTATIONS; run->mutation++) {
        if (!diff_mutate(&mutant, r->packet, r->packet_len, run->packet * 64 + run->mutation)) {
            abort();
        }
        diff_packet(run, (const uint8_t *)mutant.data, mutant.len);
        run->counts.mutants++;
    }
    run->mutation = 0;
    pf_buffer_free(&mutant);
}

static void take_packet(diff_run *run, const pf_record *r, pf_buffer *inflated)
{
    pf_cursor c = pf_cursor_over(r->packet, r->packet_len);
    pf_field f;
    diff_packet(run, r->packet, r->packet_len);
    run->counts.packets++;
    if (r->packet_len <= MUTATED_LEN && (run->packet < MUTATED_FIRST || run->packet % MUTATED_EVERY == 0)) {
        mutate_packet(run, r);
    }
    run->packet++;
    while (inflated && r->data && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_PACKET_COMPRESSED_PACKETS)) {
            inflate_into(inflated, f.bytes, f.len);
        }
    }
}

/* The framing of the whole run of packets, by protobuf-c. */
static Pf__Hot__Frame *frame_all(const uint8_t *bytes, size_t len)
{
    return pf__hot__frame__unpack(NULL, len, bytes);
}

static bool same_packet(const Pf__Hot__Frame *frame, size_t *at, const pf_record *r)
{
    while (*at < frame->n_packet && frame->packet[*at].len == 0) {
        ++*at; /* empty packets have no record */
    }
    const ProtobufCBinaryData *theirs = *at < frame->n_packet ? &frame->packet[(*at)++] : NULL;
    return theirs && theirs->len == r->packet_len && memcmp(theirs->data, r->packet, theirs->len) == 0;
}

/* Compares all packets of the bytes, after which there is slop. Appends the content of compressed ones to inflated. */
static void take_stream(diff_run *run, const uint8_t *bytes, size_t len, pf_buffer *inflated)
{
    pf_record records[BATCH];
    Pf__Hot__Frame *frame = frame_all(bytes, len);
    size_t at = 0, in_frame = 0;
    pf_decoded d = {.stop = PF_STOP_FULL};
    while (d.stop == PF_STOP_FULL || d.stop == PF_STOP_SKIP) {
        d = pf_records_decode(bytes + at, len - at, len - at, records, BATCH);
        for (size_t i = 0; i < d.records; i++) {
            if (frame && !same_packet(frame, &in_frame, &records[i])) {
                run->bytes = records[i].packet;
                run->len = records[i].packet_len;
                diff_report(run, "framing: protobuf-c has another packet here");
                d.stop = PF_STOP_DAMAGED;
            }
            take_packet(run, &records[i], inflated);
        }
        at += d.consumed;
        if (d.stop == PF_STOP_SKIP && d.skip <= len - at) {
            at += d.skip;
        } else if (d.stop == PF_STOP_SKIP) {
            d.stop = PF_STOP_PARTIAL;
        }
    }
    bool whole = at == len && d.stop == PF_STOP_PARTIAL;
    if (whole != (frame != NULL)) {
        run->len = 0;
        diff_report(run, "framing: read as far as byte %zu of %zu, protobuf-c %s", at, len,
                    frame ? "accepts it" : "rejects it");
    }
    pf__hot__frame__free_unpacked(frame, NULL);
}

static void take_file(diff_run *run, const char *path)
{
    pf_buffer plain = {0}, inflated = {0};
    char chunk[1 << 14];
    int got;
    gzFile in = gzopen(path, "rb"); /* plain files pass through */
    while (in && (got = gzread(in, chunk, sizeof chunk)) > 0 && plain.len < FILE_MAX) {
        pf_buffer_put(&plain, chunk, (size_t)got);
        if (plain.data && plain.data[0] != PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
            break;
        }
    }
    if (in) {
        gzclose(in);
    }
    if (plain.len && plain.data[0] == PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
        size_t len = plain.len;
        run->file = path;
        run->packet = 0;
        run->counts.files++;
        close_with_slop(&plain);
        take_stream(run, (const uint8_t *)plain.data, len, &inflated);
        len = inflated.len;
        close_with_slop(&inflated);
        take_stream(run, (const uint8_t *)inflated.data, len, NULL);
    }
    pf_buffer_free(&plain);
    pf_buffer_free(&inflated);
}

static void take_synthetic(diff_run *run)
{
    pf_buffer packet = {0};
    run->file = "(made up)";
    for (run->packet = 0; run->packet < SYNTHETIC;) {
        if (!diff_synthesize(&packet, run->packet)) {
            abort();
        }
        pf_record r = {.packet = (const uint8_t *)packet.data, .packet_len = (uint32_t)packet.len};
        if (packet.len) {
            take_packet(run, &r, NULL);
        } else {
            run->packet++;
        }
    }
    pf_buffer_free(&packet);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int print_result(const diff_run *run)
{
    const diff_counts *n = &run->counts;
    printf("%" PRIu64 " files, %" PRIu64 " packets, %" PRIu64 " mutants: protobuf-c accepted %" PRIu64 " (%" PRIu64
           " fields compared), rejected %" PRIu64 ", %" PRIu64 " left out, %" PRIu64 " damaged events, %" PRIu64
           " usual; %u differences\n",
           n->files, n->packets, n->mutants, n->accepted, n->fields, n->rejected, n->excluded, n->damaged_events,
           n->usual, run->failures);
    if (!n->files || !n->fields || !n->rejected || !n->damaged_events || !n->usual) {
        fputs("nothing was compared\n", stderr);
        return 1;
    }
    return run->failures ? 1 : 0;
}

static int compare_all(diff_run *run, char **paths)
{
    FTS *tree = run->frames && run->rows && paths[0] ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
    if (!tree) {
        fputs("usage: test_differential PATH...\n", stderr);
        return 1;
    }
    take_synthetic(run);
    for (FTSENT *e = fts_read(tree); e; e = fts_read(tree)) {
        if (e->fts_info == FTS_F) {
            take_file(run, e->fts_accpath);
        }
    }
    fts_close(tree);
    return print_result(run);
}

int main(int argc, char **argv)
{
    char corpus[1024];
    snprintf(corpus, sizeof corpus, "%s/corpus", shared_folder());
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--corpus") == 0) {
            argv[i] = corpus;
        }
        if (access(argv[i], R_OK) != 0) {
            fprintf(stderr, "%s is not here: %s\n", argv[i], shared_required() ? "but it is required" : "skipped");
            return shared_required() ? 1 : SKIPPED;
        }
    }
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    diff_run run = {.frames = diff_frames_new(), .rows = pf_rows_new(&budget)};
    int status = compare_all(&run, argv + 1);
    pf_rows_free(run.rows);
    free(run.frames);
    return status;
}
