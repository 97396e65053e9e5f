/* read/perfetto/perfetto_reader.c - the binary reader: windows of bytes, through rows, into the trace.
 *
 * Windows are decoded in batches of rows (phase 1, perfetto/decode), each batch is applied in file order (phase 2,
 * packet_apply.c).
 */
#include "base/list.h"
#include "model/args/early_args.h"
#include "perfetto/decode/batch.h"
#include "read/perfetto/android/android.h"
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/args/packet_args.h"
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/event/draft.h"
#include "read/perfetto/ftrace/ftrace.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/import/import.h"
#include "read/perfetto/system/kernel_events.h"

static uint32_t wanted_kinds(const pf_trace *t)
{
    uint32_t all = (1u << PF_INTERN_KINDS) - 1,
             rows = 1u << PF_INTERN_CATEGORY | 1u << PF_INTERN_EVENT_NAME | 1u << PF_INTERN_GRAPHICS_CONTEXT |
                    1u << PF_INTERN_GPU_SPECIFICATION | 1u << PF_INTERN_GPU_COUNTER_DESCRIPTOR |
                    1u << PF_INTERN_FUNCTION_NAME | 1u << PF_INTERN_VULKAN_KEY | 1u << PF_INTERN_KERNEL_SYMBOL;
    return t->want & PF_WANT_ARGS ? all : rows;
}

/* The generations of all binary inputs of a trace are numbered together, so that one decoder serves them. */
static pf_generations *share_generations(pf_trace *t)
{
    pf_generations *known = pf_perfetto_generations(t);
    return known ? known : pf_generations_new(&t->arena);
}

#define MAPS 23

static pf_map *map_of(pf_import *im, size_t i)
{
    pf_map *const maps[MAPS] = {&im->about.rows,
                                &im->people.ranks,
                                &im->people.notes,
                                &im->system.tracks,
                                &im->system.cpus,
                                &im->system.names,
                                &im->system.disk_of,
                                &im->system.stat_rows,
                                &im->system.stopped,
                                &im->system.cookie_of,
                                &im->system.groups,
                                &im->system.wakelocks,
                                &im->system.memory_users,
                                &im->system.ftrace_began,
                                &im->system.lines.known,
                                &im->system.lines.busy,
                                &im->system.lines.arrows,
                                &im->system.lines.pages_of,
                                &im->system.syscalls,
                                &im->system.writers,
                                &im->legacy.instants,
                                &im->legacy.clock_tracks,
                                &im->legacy.operations.by_key};
    return maps[i];
}

static pf_status open_decoders(pf_import *im, pf_generations *generations)
{
    pf_trace *t = im->t;
    pf_decoders *d = &im->decoders;
    d->passed = pf_trace_add_decoder(t, pf_perfetto_passed_args, generations);
    d->trigger = pf_trace_add_decoder(t, pf_perfetto_trigger_args, NULL);
    d->event = pf_trace_add_decoder(t, pf_perfetto_event_args, generations);
    d->name = pf_trace_add_decoder(t, pf_perfetto_name_args, NULL);
    d->system = pf_trace_add_decoder(t, pf_system_args, NULL);
    if (d->system == PF_NONE || d->passed == PF_NONE || d->trigger == PF_NONE || d->event == PF_NONE ||
        d->name == PF_NONE) {
        return pf_trace_no_decoder(im->err);
    }
    t->finder[d->passed] = pf_perfetto_find_passed_args;
    t->finder[d->event] = pf_perfetto_find_args;
    t->joiner[d->system] = pf_system_join_args;
    t->checker[d->passed] = pf_perfetto_check_passed_args;
    t->checker[d->event] = pf_perfetto_check_args;
    return PF_OK;
}

static pf_status open_import(pf_import *im, pf_reading *r, pf_error *err)
{
    pf_trace *t = r->t;
    *im = (pf_import){.t = t, .input = r->input, .r = r, .o = r->o, .err = err};
    pf_uuid_tracks_init(&im->tracks, t, err);
    pf_clocks_init(&im->clocks, &t->budget);
    im->moves = (pf_moves){.t = t, .first_event = t->events.count, .first_sample = t->counters.count};
    pf_cold_init(&im->cold, &t->budget);
    for (size_t i = 0; i < MAPS; i++) {
        pf_map_init(map_of(im, i), &t->budget);
    }
    im->system.trigger_track = PF_NONE;
    im->machine.first_process = t->processes.count;
    im->about.first_row = t->metadata.count;
    pf_generations *generations = share_generations(t);
    pf_sequences_init(&im->sequences, &t->budget, generations, &t->strings, wanted_kinds(t));
    PF_TRY(generations ? PF_OK : pf_import_refuse(im, 1u << 12));
    PF_TRY(pf_strings_init(&im->legacy.keys, &t->budget, err));
    PF_TRY(open_decoders(im, generations));
    im->people.process_key = pf_import_word(im, "process_name");
    im->people.thread_key = pf_import_word(im, "thread_name");
    t->events.plain_ties = r->input->plain_ties = true;
    r->input->ends_unnamed = true;
    return err->code;
}

static void close_import(pf_import *im)
{
    pf_budget *b = &im->t->budget;
    pf_gpu_free(im);
    pf_binder_free(im);
    pf_frames_free(im);
    pf_rails_free(im);
    pf_perf_free(im);
    pf_lives_free(im);
    pf_ftrace_free(im);
    pf_rows_free(im->unpacked.rows);
    if (im->others) {
        PF_LIST_FREE(b, im->others->packet, im->others->room);
        pf_release(b, im->others, sizeof *im->others);
    }
    PF_LIST_FREE(b, im->late.times, im->late.time_room);
    PF_LIST_FREE(b, im->late.names, im->late.name_room);
    PF_LIST_FREE(b, im->late.events, im->late.event_room);
    PF_LIST_FREE(b, im->logs.list, im->logs.room);
    PF_LIST_FREE(b, im->system.cookies, im->system.cookie_room);
    PF_LIST_FREE(b, im->system.late, im->system.late_room);
    PF_LIST_FREE(b, im->system.disks, im->system.disk_room);
    PF_LIST_FREE(b, im->system.lines.line, im->system.lines.room);
    PF_LIST_FREE(b, im->system.lines.entry, im->system.lines.entry_room);
    PF_LIST_FREE(b, im->system.lines.pages, im->system.lines.page_room);
    PF_LIST_FREE(b, im->legacy.operations.list, im->legacy.operations.room);
    for (size_t i = 0; i < MAPS; i++) {
        pf_map_free(map_of(im, i));
    }
    pf_strings_free(&im->legacy.keys);
    pf_buffer_free(&im->scratch);
    pf_buffer_free(&im->unpacked.left_out);
    pf_cold_free(&im->cold);
    PF_LIST_FREE(b, im->moves.moved, im->moves.moved_room);
    pf_clocks_free(&im->clocks);
    pf_uuid_tracks_free(&im->tracks);
    pf_sequences_free(&im->sequences);
}

static pf_status more_bytes(void *ctx, size_t consumed, pf_window *w, pf_error *err)
{
    const pf_import *im = ctx;
    return pf_source_more(im->r->source, consumed, w, err);
}

static pf_status apply_rows(void *ctx, const pf_window *w, pf_rows *rows, pf_error *err)
{
    pf_import *im = ctx;
    if (im->o->cancel && *im->o->cancel) {
        return pf_fail(err, PF_ERR_CANCELLED, "cancelled");
    }
    im->span = (pf_span){.data = w->data, .offset = w->offset, .stable = w->stable};
    PF_TRY(pf_import_apply(im, rows));
    return pf_early_args_read(im->t, NULL, err);
}

static void count_fault(void *ctx, pf_row_fault fault, uint64_t offset)
{
    static const pf_stat_id ids[] = {PF_STAT_PROTO_DAMAGED, PF_STAT_PROTO_TRUNCATED, PF_STAT_PROTO_PACKET_DAMAGED};
    const pf_import *im = ctx;
    pf_trace_count(im->t, ids[fault], offset);
}

/* All packets of a machine were read: what could not be settled before. */
static pf_status settle_machine(pf_import *im)
{
    PF_TRY(pf_import_settle_names(im));
    PF_TRY(pf_import_settle_deferred(im));
    PF_TRY(pf_import_group_operations(im));
    PF_TRY(pf_gpu_finish(im));
    pf_import_settle_waiting(im);
    PF_TRY(pf_uuid_tracks_finish(&im->tracks, &im->moves));
    PF_TRY(pf_moves_apply(&im->moves, im->err));
    pf_moves_drop_thread_times(&im->moves);
    PF_TRY(pf_import_track_args(im));
    pf_import_settle_milestones(im);
    pf_ftrace_apply(im);
    pf_rails_settle(im);
    pf_gpu_settle_numbers(im);
    return pf_import_logs_and_stacks(im);
}

/* Applies the packets of the i-th of the further machines to `im`, which was made for it. */
static pf_status take_packets(pf_import *im, const pf_other_machines *others, uint32_t i)
{
    pf_rows_decoder decode = pf_rows_choose();
    pf_rows *rows = pf_rows_new(&im->t->budget);
    pf_status st = rows ? PF_OK : pf_import_refuse(im, sizeof *rows);
    for (uint32_t at = others->list[i].first; at != PF_NONE && st == PF_OK; at = others->packet[at].next) {
        const pf_other_packet *p = &others->packet[at];
        pf_rows_renew(rows);
        (void)decode(p->bytes, p->len, p->len, rows);
        im->span = (pf_span){.data = p->bytes, .offset = p->offset, .fixed = p->fixed, .stable = true};
        st = pf_import_apply(im, rows);
    }
    pf_rows_free(rows);
    return st == PF_OK ? pf_early_args_read(im->t, NULL, im->err) : st;
}

/* The i-th of the further machines, in the trace's time. */
static pf_status read_machine(const pf_import *first, uint32_t i, pf_error *err)
{
    const pf_other_machines *others = first->others;
    pf_trace *t = first->t;
    pf_import im;
    pf_this_machine machine = {.first_process = t->processes.count};
    pf_status st = pf_trace_begin_machine(t, others->list[i].raw_id, &machine.idle_upid, &machine.idle_utid, err);
    PF_TRY(st);
    st = open_import(&im, first->r, err);
    machine.number = t->machine;
    im.machine = machine;
    im.about.machine_known = true;
    im.about.machine = others->list[i].raw_id;
    im.clocks.trace_id = first->clocks.trace_id;
    if (first->ftrace) {
        (void)pf_ftrace_begin(&im);
    }
    pf_import_set_thread_name(&im, machine.idle_utid, PF_STR("swapper"), PF_RANK_THREAD_CONSTANT);
    st = st == PF_OK ? take_packets(&im, others, i) : st;
    st = st == PF_OK ? settle_machine(&im) : st;
    if (st == PF_OK && im.clocks.refused) {
        st = pf_import_refuse(&im, 1u << 12);
    }
    close_import(&im);
    return st;
}

static pf_status settle(pf_import *im)
{
    pf_group *group = im->t->group;
    PF_TRY(settle_machine(im));
    if (im->clocks.claimed) {
        pf_import_set_number(im, "trace_time_clock_id", im->clocks.trace_id);
    }
    for (uint32_t i = 0; im->others && i < im->others->count; i++) {
        PF_TRY(read_machine(im, i, im->err));
        PF_TRY(pf_trace_end_machine(im->t, group, im->err));
    }
    pf_import_list_packets(im);
    PF_TRY(pf_import_spelled_ids(im));
    PF_TRY(pf_import_document_rows(im));
    if (im->clocks.refused) { /* a time that was asked for may be missing */
        pf_import_refuse(im, 1u << 12);
    }
    return im->err->code;
}

static pf_status read_all(pf_import *im, pf_reading *r, pf_error *err)
{
    err->code = PF_OK; /* an error sticks from here on, also while further machines are read */
    PF_TRY(open_import(im, r, err));
    pf_reading_take_dialect(r, r->dialect ? r->dialect : pf_dialect_named("perfetto"));
    const pf_row_walk walk = {&r->t->budget, im->o->jobs,           im, more_bytes, apply_rows,
                              count_fault,   pf_rows_decode_bundles};
    PF_TRY(pf_rows_walk(&walk, r->first, err));
    return settle(im);
}

static pf_status read_perfetto(pf_reading *r, pf_error *err)
{
    pf_import im;
    pf_error own;
    pf_status st = read_all(&im, r, err ? err : &own);
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
    .probe = pf_perfetto_probe,
    .read = read_perfetto,
};
