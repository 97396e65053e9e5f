/* read/perfetto/perfetto_reader.c - the binary reader: windows of bytes, through rows, into the trace.
 *
 * A window is decoded in batches of rows (phase 1, chunks.c), each batch is applied in file order (phase 2,
 * packet_apply.c). An incomplete packet at the end of a window waits for more bytes; at the end of the input it is
 * counted and what was read stays. A field that nobody wants is skipped without ever being in memory as a whole.
 */
#include "perfetto/fields.h"
#include "read/perfetto/apply/inventory.h"
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/apply/packet_kinds.h"
#include "read/perfetto/apply/trace_info.h"
#include "read/perfetto/args/packet_args.h"
#include "read/perfetto/decode/chunks.h"
#include "read/perfetto/descriptors/spelled_ids.h"
#include "read/perfetto/event/legacy.h"
#include "read/perfetto/event/logs_and_stacks.h"
#include "read/perfetto/event/packet_event.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/import/packet_times.h"
#include "read/perfetto/packet_probe.h"
#include "read/perfetto/stats/stats.h"
#include "read/perfetto/track/track_args.h"
#include "wire/cursor.h"

#define HELPERS_MAX 15u
#define WORTH_HELP (4 * (size_t)PF_CHUNK_BYTES) /* bytes of a window from which on helpers pay */

static pf_probe probe(const uint8_t *head, size_t size, const char *path, bool is_directory)
{
    (void)path, (void)is_directory; /* there is nothing to see in a folder */
    return pf_perfetto_probe(head, size);
}

static uint32_t wanted_kinds(const pf_trace *t)
{
    uint32_t all = (1u << PF_INTERN_KINDS) - 1,
             rows = 1u << PF_INTERN_CATEGORY | 1u << PF_INTERN_EVENT_NAME | 1u << PF_INTERN_GRAPHICS_CONTEXT |
                    1u << PF_INTERN_GPU_SPECIFICATION | 1u << PF_INTERN_GPU_COUNTER_DESCRIPTOR |
                    1u << PF_INTERN_FUNCTION_NAME | 1u << PF_INTERN_VULKAN_KEY;
    return t->want & PF_WANT_ARGS ? all : rows;
}

/* The generations of all binary inputs of a trace are numbered together, so that one decoder serves them. */
static pf_generations *share_generations(pf_trace *t)
{
    pf_generations *known = pf_perfetto_generations(t);
    return known ? known : pf_generations_new(&t->arena);
}

static pf_status open_import(pf_import *im, pf_reading *r, pf_error *err)
{
    pf_trace *t = r->t;
    *im = (pf_import){.t = t, .input = r->input, .r = r, .o = r->o, .err = err};
    pf_uuid_tracks_init(&im->tracks, t);
    pf_clocks_init(&im->clocks, &t->budget);
    pf_moves_init(&im->moves, t, t->events.count, t->counters.count);
    pf_cold_init(&im->cold, &t->budget);
    pf_map_init(&im->about.rows, &t->budget);
    pf_map_init(&im->people.ranks, &t->budget);
    pf_map_init(&im->stats.tracks, &t->budget);
    pf_map_init(&im->people.notes, &t->budget);
    pf_map_init(&im->legacy.instants, &t->budget);
    pf_map_init(&im->legacy.clock_tracks, &t->budget);
    pf_map_init(&im->legacy.operations.by_key, &t->budget);
    im->stats.trigger_track = PF_NONE;
    im->about.first_row = t->metadata.count;
    pf_generations *generations = share_generations(t);
    pf_sequences_init(&im->sequences, &t->budget, generations, &t->strings, wanted_kinds(t));
    if (!generations) {
        return pf_budget_refused(&t->budget, 1u << 12, err);
    }
    pf_status st = pf_strings_init(&im->legacy.keys, &t->budget, err);
    if (st != PF_OK) {
        return st;
    }
    im->decoders.passed = pf_trace_add_decoder(t, pf_perfetto_passed_args, generations);
    im->decoders.trigger = pf_trace_add_decoder(t, pf_perfetto_trigger_args, NULL);
    im->decoders.event = pf_trace_add_decoder(t, pf_perfetto_event_args, generations);
    im->decoders.name = pf_trace_add_decoder(t, pf_perfetto_name_args, NULL);
    if (im->decoders.passed == PF_NONE || im->decoders.trigger == PF_NONE || im->decoders.event == PF_NONE ||
        im->decoders.name == PF_NONE) {
        return pf_trace_no_decoder(err);
    }
    t->finder[im->decoders.passed] = pf_perfetto_find_passed_args;
    t->finder[im->decoders.event] = pf_perfetto_find_args;
    t->checker[im->decoders.passed] = pf_perfetto_check_passed_args;
    t->checker[im->decoders.event] = pf_perfetto_check_args;
    im->people.process_key = pf_strings_add(&t->strings, "process_name", 12, err);
    im->people.thread_key = pf_strings_add(&t->strings, "thread_name", 11, err);
    if (im->people.process_key == PF_NONE || im->people.thread_key == PF_NONE) {
        return err->code;
    }
    t->events.plain_ties = r->input->plain_ties = true;
    r->input->ends_unnamed = true;
    pf_reading_take_dialect(r, r->dialect ? r->dialect : pf_dialect_named("perfetto"));
    return PF_OK;
}

static void close_import(pf_import *im)
{
    pf_gpu_free(im);
    pf_rows_free(im->unpacked.rows);
    pf_release(&im->t->budget, im->late.times, im->late.time_room * sizeof *im->late.times);
    pf_release(&im->t->budget, im->late.names, im->late.name_room * sizeof *im->late.names);
    pf_release(&im->t->budget, im->late.events, im->late.event_room * sizeof *im->late.events);
    pf_map_free(&im->about.rows);
    pf_map_free(&im->people.ranks);
    pf_map_free(&im->stats.tracks);
    pf_map_free(&im->people.notes);
    pf_map_free(&im->legacy.instants);
    pf_map_free(&im->legacy.clock_tracks);
    pf_map_free(&im->legacy.operations.by_key);
    pf_release(&im->t->budget, im->legacy.operations.list,
               im->legacy.operations.room * sizeof *im->legacy.operations.list);
    pf_strings_free(&im->legacy.keys);
    pf_buffer_free(&im->scratch);
    pf_buffer_free(&im->unpacked.left_out);
    pf_cold_free(&im->cold);
    pf_moves_free(&im->moves);
    pf_clocks_free(&im->clocks);
    pf_uuid_tracks_free(&im->tracks);
    pf_sequences_free(&im->sequences);
}

/* What phase 1 works with: helpers as soon as a window is worth it. */
static pf_status choose_chunks(pf_import *im, pf_chunks **chunks, size_t window)
{
    pf_budget *budget = &im->t->budget;
    unsigned jobs = im->o->jobs ? im->o->jobs : 2, helpers = jobs - 1 < HELPERS_MAX ? jobs - 1 : HELPERS_MAX;
    if (*chunks && (helpers == 0 || window < WORTH_HELP || pf_chunks_have_helpers(*chunks))) {
        return PF_OK;
    }
    pf_chunks *better = pf_chunks_new(window < WORTH_HELP ? 0 : helpers, budget);
    if (!better) {
        return *chunks ? PF_OK : pf_budget_refused(budget, 1u << 20, im->err);
    }
    pf_chunks_free(*chunks);
    *chunks = better;
    return PF_OK;
}

/* What is skipped is a field that nobody wants, or a packet longer than anybody reads. */
static void count_skipped(pf_import *im, const pf_window *w, size_t at, uint64_t skip)
{
    if (skip > PF_FIELD_LENGTH_MAX && w->data[at] == PF_TAG_BYTES(PF_F_TRACE_PACKET)) {
        pf_trace_count(im->t, PF_STAT_PROTO_PACKET_DAMAGED, w->offset + at);
    }
}

/* Decodes and applies what the window holds; *stop says why it ended, with *used bytes done. */
static pf_status read_window(pf_import *im, const pf_window *w, pf_chunks *chunks, size_t *used, pf_decoded *last)
{
    pf_status st = PF_OK;
    im->span = (pf_span){.data = w->data, .offset = w->offset, .stable = w->stable};
    *used = 0;
    pf_chunks_begin(chunks, w->data, w->len);
    do {
        if (im->o->cancel && *im->o->cancel) {
            st = pf_fail(im->err, PF_ERR_CANCELLED, "cancelled");
            break;
        }
        pf_rows *rows = pf_chunks_next(chunks, last);
        *used += last->consumed;
        st = pf_import_apply(im, rows);
        uint64_t left = w->len - *used;
        if (last->stop == PF_STOP_SKIP && last->skip <= left) {
            count_skipped(im, w, *used, last->skip);
            *used += (size_t)last->skip;
            pf_chunks_skip(chunks, (size_t)last->skip);
            last->stop = PF_STOP_FULL;
        }
    } while (st == PF_OK && last->stop == PF_STOP_FULL);
    pf_chunks_begin(chunks, NULL, 0);
    return st;
}

/* Slides over `skip` bytes that are not needed. */
static pf_status skip_bytes(pf_import *im, pf_source *s, pf_window *w, size_t used, uint64_t skip)
{
    while (skip > w->len - used) {
        skip -= w->len - used;
        if (w->last) {
            pf_trace_count(im->t, PF_STAT_PROTO_TRUNCATED, w->offset + used);
            w->len = 0;
            return PF_OK;
        }
        pf_status st = pf_source_more(s, w->len, w, im->err);
        used = 0;
        if (st != PF_OK) {
            return st;
        }
    }
    return pf_source_more(s, used + (size_t)skip, w, im->err);
}

static pf_status read_windows(pf_import *im, pf_source *s, pf_window w, pf_chunks **chunks)
{
    for (;;) {
        size_t used = 0;
        pf_decoded d = {0};
        pf_status st = choose_chunks(im, chunks, w.len);
        st = st == PF_OK ? read_window(im, &w, *chunks, &used, &d) : st;
        if (st != PF_OK) {
            return st;
        }
        if (d.stop == PF_STOP_DAMAGED) {
            pf_trace_count(im->t, PF_STAT_PROTO_DAMAGED, w.offset + used);
            return PF_OK;
        }
        if (d.stop == PF_STOP_SKIP) {
            count_skipped(im, &w, used, d.skip);
            st = skip_bytes(im, s, &w, used, d.skip);
            if (st != PF_OK) {
                return st;
            }
            continue;
        }
        if (w.last) {
            if (used < w.len) {
                pf_trace_count(im->t, PF_STAT_PROTO_TRUNCATED, w.offset + used);
            }
            return PF_OK;
        }
        st = pf_source_more(s, used, &w, im->err);
        if (st != PF_OK) {
            return st;
        }
    }
}

static pf_status read_perfetto(pf_reading *r, pf_error *err)
{
    pf_import im;
    pf_error own;
    pf_status st = open_import(&im, r, err ? err : &own);
    pf_chunks *chunks = NULL;
    if (st == PF_OK) {
        st = read_windows(&im, r->source, r->first, &chunks);
    }
    pf_chunks_free(chunks);
    if (st == PF_OK) {
        st = pf_import_settle_names(&im);
    }
    if (st == PF_OK) {
        st = pf_import_settle_deferred(&im);
    }
    if (st == PF_OK) {
        st = pf_import_group_operations(&im);
    }
    if (st == PF_OK) {
        st = pf_gpu_finish(&im);
    }
    if (st == PF_OK) {
        pf_import_settle_waiting(&im);
        st = pf_uuid_tracks_finish(&im.tracks, &im.moves, im.err);
    }
    if (st == PF_OK) {
        st = pf_moves_apply(&im.moves, im.err);
    }
    if (st == PF_OK) {
        pf_moves_drop_thread_times(&im.moves);
        st = pf_import_logs_and_stacks(&im);
    }
    if (st == PF_OK) {
        st = pf_track_args_add(&im.tracks, &im.sequences, im.err);
    }
    if (st == PF_OK) {
        st = pf_import_settle_milestones(&im);
    }
    if (st == PF_OK) {
        st = pf_import_note_clock(&im);
    }
    if (st == PF_OK) {
        st = pf_import_list_packets(&im);
    }
    if (st == PF_OK) {
        st = pf_import_spelled_ids(&im);
    }
    if (st == PF_OK && im.clocks.refused) { /* when a time was asked for that may be missing */
        st = pf_budget_refused(&r->t->budget, 1u << 12, im.err);
    }
    close_import(&im);
    if (st == PF_OK && !r->dialect && !im.shown) {
        const pf_dialect *seen = pf_dialect_recognised(r->t, r->input);
        r->input->dialect = seen ? seen->name : r->input->dialect;
    }
    return st;
}

const pf_reader pf_reader_perfetto = {
    .name = "perfetto",
    .summary = "binary Perfetto traces, as recorded or as the SDK writes them",
    .trace_type = "proto",
    .probe = probe,
    .read = read_perfetto,
};
