/* enrich.c - findings drawn into a trace: where our packets go, and what they say. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <zlib.h>

#include "support.h"

/* ORIGINAL is one packet: timestamp 1, sequence 5. */
static const uint8_t original[] = {0x0a, 0x04, 0x40, 0x01, 0x50, 0x05};

static pf_trace *binary_trace(const void *stored, size_t len, const char *compression)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_EVENTS | PF_WANT_SLICES);
    t->inputs->stored = stored;
    t->inputs->stored_bytes = len;
    t->inputs->compression = compression;
    t->inputs->max_sequence_id = 5;
    return t;
}

static char *enrich(const pf_trace *t, const pf_findings *f, size_t *len)
{
    char *folder = test_folder(), *path = test_path(folder, "out.pftrace");
    pf_error err;
    cr_assert_eq(pf_write_enriched(t, f, path, NULL, &err), PF_OK, "%s", err.text);
    char *bytes = test_read(path, len);
    cr_assert_eq(test_entries(folder), 1);
    free(path);
    test_folder_remove(folder);
    return bytes;
}

static uint32_t add_track(pf_findings *f, pf_overlay_kind kind, uint32_t parent, const char *name, const char *unit,
                          int32_t rank)
{
    const pf_overlay_track track = {.kind = kind,
                                    .parent = parent,
                                    .anchor = PF_ANCHOR_GLOBAL,
                                    .name = {name, strlen(name)},
                                    .description = PF_STR("what it means"),
                                    .unit = {unit, strlen(unit)},
                                    .rank = rank,
                                    .share_key = PF_STR("rates")};
    uint32_t id = pf_overlay_add_track(f, &track);
    cr_assert_neq(id, PF_NONE);
    return id;
}

static pf_findings *some_findings(void)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_findings_set_pass(f, PF_STR("aie"));
    uint32_t group = add_track(f, PF_OVERLAY_GROUP, PF_NONE, "tile2,1 analysis", "", 4);
    uint32_t kernels = add_track(f, PF_OVERLAY_SLICES, group, "tile2,1 kernels", "", 1);
    uint32_t rate = add_track(f, PF_OVERLAY_COUNTER, group, "tile2,1 rate", "GMAC/s", 2);
    pf_overlay_slice(f, kernels, 150, 50, PF_STR("kernel"));
    pf_overlay_arg_int(f, PF_STR("index"), 1);
    pf_overlay_arg_real(f, PF_STR("share"), 0.25);
    pf_overlay_arg_text(f, PF_STR("mark"), PF_STR("slow"));
    pf_overlay_slice(f, kernels, 100, 50, PF_STR("kernel"));
    pf_overlay_slice(f, kernels, 100, 100, PF_STR("perf 0"));
    pf_overlay_slice(f, kernels, 200, 0, PF_STR("best"));
    pf_overlay_slice(f, kernels, -7, 3, PF_STR("before time"));
    pf_overlay_sample(f, rate, 100, 140.27397260273972);
    pf_overlay_sample(f, rate, 200, 0);
    pf_findings_attribute_text(f, PF_STR("aie.M"), PF_STR("64"));
    pf_findings_attribute_int(f, PF_STR("aie.K"), 65);
    pf_findings_attribute_text(f, PF_STR("postfetto.version"), PF_STR("not ours"));
    return f;
}

Test(enrich, bytes_of_a_binary_input_stay_and_ours_follow)
{
    pf_trace *t = binary_trace(original, sizeof original, "none");
    test_finish(t);
    pf_findings *f = some_findings();
    size_t len;
    char *bytes = enrich(t, f, &len), buf[64];
    cr_assert(len > sizeof original && memcmp(bytes, original, sizeof original) == 0);
    test_packets p = test_decode(bytes, len);
    cr_assert_eq(p.list[1].envelope->sequence_flags, 1);
    cr_assert(p.list[1].envelope->first_packet_on_sequence);
    for (size_t i = 1; i < p.count; i++) {
        cr_assert_eq(p.list[i].envelope->trusted_packet_sequence_id, 6);
        cr_assert(!p.list[i].envelope->has_timestamp_clock_id);
    }
    cr_assert_str_eq(test_attribute(&p, "aie.M", buf), "64");
    cr_assert_str_eq(test_attribute(&p, "aie.K", buf), "65");
    cr_assert_str_eq(test_attribute(&p, "postfetto.version", buf), pf_version());

    const Pf__Proto__TrackDescriptor *group = test_descriptor(&p, 0), *kernels = test_descriptor(&p, 1),
                                     *rate = test_descriptor(&p, 2);
    cr_assert(!group->has_parent_uuid && group->child_ordering == 3 && group->sibling_order_rank == 4);
    cr_assert(test_bytes_are(group->name, "tile2,1 analysis") && test_bytes_are(group->description, "what it means"));
    cr_assert_eq(kernels->parent_uuid, group->uuid);
    cr_assert_eq(kernels->sibling_merge_behavior, 2);
    cr_assert_eq(kernels->sibling_order_rank, 1);
    cr_assert(rate->parent_uuid == group->uuid && test_bytes_are(rate->counter->unit_name, "GMAC/s"));
    cr_assert(test_bytes_are(rate->counter->y_axis_share_key, "rates"));
    cr_assert_null(kernels->counter, "only counters have a scale to share");
    test_packets_free(&p);
    free(bytes);
    pf_findings_free(f);
    pf_trace_free(t);
}

Test(enrich, events_are_in_order_and_ends_come_first)
{
    static const struct {
        uint64_t ts, type;
        const char *name, *args;
    } expected[] = {{100, 1, "perf 0", ""},
                    {100, 1, "kernel", ""},
                    {100, 4, "", ""},
                    {150, 2, "", ""},
                    {150, 1, "kernel", "index=1;share=0.25d;mark='slow';"},
                    {200, 2, "", ""},
                    {200, 2, "", ""},
                    {200, 3, "best", ""},
                    {200, 4, "", ""}};
    pf_trace *t = binary_trace(original, sizeof original, "none");
    test_finish(t);
    pf_findings *f = some_findings();
    size_t len;
    char *bytes = enrich(t, f, &len);
    test_packets p = test_decode(bytes, len);
    cr_assert_eq(test_event_count(&p), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const test_packet *e = test_event(&p, i);
        cr_assert_eq(e->envelope->timestamp, expected[i].ts, "event %zu", i);
        cr_assert_eq(e->type, expected[i].type, "event %zu", i);
        cr_assert_str_eq(e->name, expected[i].name);
        cr_assert_str_eq(e->args, expected[i].args);
        bool drawn = expected[i].type == 1 || expected[i].type == 3; /* slices and instants say whose they are */
        cr_assert_str_eq(e->category, drawn ? "postfetto.aie" : "", "event %zu", i);
    }
    cr_assert_eq(test_event(&p, 2)->double_counter, 140.27397260273972);
    cr_assert(test_event(&p, 8)->has_counter && test_event(&p, 8)->counter == 0);
    test_packets_free(&p);
    free(bytes);
    pf_findings_free(f);
    pf_trace_free(t);
}

Test(enrich, service_events_and_damage_put_our_packets_in_front)
{
    for (int damaged = 0; damaged < 2; damaged++) {
        pf_trace *t = binary_trace(original, sizeof original, "none");
        t->inputs->has_service_events = !damaged;
        if (damaged) {
            pf_trace_count(t, PF_STAT_PROTO_TRUNCATED, 3);
        }
        test_finish(t);
        pf_findings *f = some_findings();
        size_t len;
        char *bytes = enrich(t, f, &len);
        cr_assert(len > sizeof original);
        cr_assert(memcmp(bytes + len - sizeof original, original, sizeof original) == 0);
        cr_assert(memcmp(bytes, original, sizeof original) != 0);
        test_packets p = test_decode(bytes, len);
        cr_assert_eq(p.list[0].envelope->trusted_packet_sequence_id, 6);
        test_packets_free(&p);
        free(bytes);
        pf_findings_free(f);
        pf_trace_free(t);
    }
}

Test(enrich, gzip_input_gets_one_more_member)
{
    uint8_t stored[256];
    z_stream z = {.next_in = (Bytef *)(uintptr_t)original,
                  .avail_in = sizeof original,
                  .next_out = stored,
                  .avail_out = sizeof stored};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t stored_len = sizeof stored - z.avail_out;
    deflateEnd(&z);
    for (int first = 0; first < 2; first++) {
        pf_trace *t = binary_trace(stored, stored_len, "gzip");
        t->inputs->has_service_events = first;
        test_finish(t);
        pf_findings *f = some_findings();
        size_t len, plain_len;
        char *bytes = enrich(t, f, &len);
        cr_assert(memcmp(first ? bytes + len - stored_len : bytes, stored, stored_len) == 0);
        char *plain = test_inflate(bytes, len, &plain_len);
        test_packets p = test_decode(plain, plain_len);
        cr_assert_eq(p.list[first ? p.count - 1 : 0].envelope->trusted_packet_sequence_id, 5);
        cr_assert_eq(test_event_count(&p), 9);
        test_packets_free(&p);
        free(plain);
        free(bytes);
        pf_findings_free(f);
        pf_trace_free(t);
    }
}

Test(enrich, uuids_do_not_collide_and_known_processes_are_not_declared_again)
{
    pf_error err;
    pf_findings *f = some_findings();
    const pf_overlay_track on_known = {.kind = PF_OVERLAY_SLICES,
                                       .parent = PF_NONE,
                                       .anchor = PF_ANCHOR_PROCESS,
                                       .anchor_id = 1,
                                       .name = PF_STR("on 7")};
    const pf_overlay_track on_unknown = {.kind = PF_OVERLAY_SLICES,
                                         .parent = PF_NONE,
                                         .anchor = PF_ANCHOR_PROCESS,
                                         .anchor_id = 2,
                                         .name = PF_STR("on 8")};
    pf_overlay_add_track(f, &on_known);
    pf_overlay_add_track(f, &on_unknown);
    pf_overlay_add_track(f, &on_unknown);

    /* The uuids that a first run gives to overlay tracks and to the process that it declares, as tracks of the trace of
     * the second run. */
    uint64_t seen[16];
    size_t seen_count = 0;
    for (int run = 0; run < 2; run++) {
        pf_trace *t = binary_trace(original, sizeof original, "none");
        test_thread(t, 7, 7);
        test_thread(t, 8, 8);
        t->processes.uuid[1] = 4711;
        for (size_t i = 0; i < seen_count; i++) {
            const pf_track_row row = {.type = PF_TRACK_GLOBAL_EVENT,
                                      .upid = PF_NONE,
                                      .utid = PF_NONE,
                                      .parent = PF_NONE,
                                      .group = PF_NONE,
                                      .uuid = seen[i]};
            cr_assert_neq(pf_trace_add_track(t, &row, &err), PF_NONE);
        }
        test_finish(t);
        size_t len;
        char *bytes = enrich(t, f, &len);
        test_packets p = test_decode(bytes, len);
        cr_assert_eq(test_descriptor(&p, 3)->parent_uuid, 4711);
        const Pf__Proto__TrackDescriptor *declared = test_descriptor(&p, 4);
        cr_assert_eq(declared->process->pid, 8);
        cr_assert_eq(test_descriptor(&p, 5)->parent_uuid, declared->uuid);
        cr_assert_eq(test_descriptor(&p, 6)->parent_uuid, declared->uuid);
        for (size_t i = 0; i < 7; i++) {
            for (size_t k = 0; k < seen_count; k++) {
                cr_assert_neq(test_descriptor(&p, i)->uuid, seen[k]);
            }
        }
        for (size_t i = 0; i < 7 && run == 0; i++) {
            seen[seen_count++] = test_descriptor(&p, i)->uuid;
        }
        test_packets_free(&p);
        free(bytes);
        pf_trace_free(t);
    }
    pf_findings_free(f);
}

/* A trace with an event that carries flow `id` (0: none), and the id of the overlay's two flow ends in its output. */
static uint64_t flow_beside(uint64_t id)
{
    pf_error err;
    pf_trace *t = binary_trace(original, sizeof original, "none");
    uint32_t track = test_thread(t, 7, 7);
    test_add(t, 'B', 10, 0, track, "traced", NULL);
    if (id) {
        cr_assert_eq(pf_trace_add_event_flow(t, id, PF_FLOW_FLOW, &err), PF_OK);
    }
    test_finish(t);
    pf_findings *f = pf_findings_new(NULL);
    uint32_t drawn = add_track(f, PF_OVERLAY_SLICES, PF_NONE, "drawn", "", 1);
    pf_overlay_instant(f, drawn, 20, PF_STR("from"));
    pf_overlay_flow(f, 1);
    pf_overlay_instant(f, drawn, 30, PF_STR("to"));
    pf_overlay_flow(f, 1);
    size_t len;
    char *bytes = enrich(t, f, &len);
    test_packets p = test_decode(bytes, len);
    uint64_t flow = test_event(&p, 0)->flow;
    cr_assert_eq(test_event(&p, 1)->flow, flow);
    test_packets_free(&p);
    free(bytes);
    pf_findings_free(f);
    pf_trace_free(t);
    return flow;
}

Test(enrich, flow_ids_do_not_collide)
{
    uint64_t first = flow_beside(0), second = flow_beside(first);
    cr_assert_neq(first, 0);
    cr_assert_neq(second, 0);
    cr_assert_neq(second, first);
}

/* Sequences, uuids and pids are per machine (docs/reference/perfetto.md): a packet without the trace's is another
 * machine's.
 */
Test(enrich, every_packet_of_ours_is_from_the_machine_of_the_trace)
{
    pf_findings *f = some_findings();
    pf_trace *t = binary_trace(original, sizeof original, "none");
    t->inputs->machine_id = 1001;
    test_finish(t);
    size_t len;
    char *bytes = enrich(t, f, &len);
    test_packets p = test_decode(bytes, len);
    cr_assert_gt(p.count, 8);
    for (size_t i = 1; i < p.count; i++) { /* the first is the original's */
        const ProtobufCMessage *m = &p.list[i].envelope->base;
        size_t k = 0;
        while (k < m->n_unknown_fields && m->unknown_fields[k].tag != 98) {
            k++;
        }
        cr_assert_lt(k, m->n_unknown_fields, "packet %zu names no machine", i);
        cr_assert_eq(m->unknown_fields[k].len, 2);
        cr_assert_arr_eq(m->unknown_fields[k].data, "\xe9\x07", 2); /* 1001 */
    }
    test_packets_free(&p);
    free(bytes);
    pf_trace_free(t);
    pf_findings_free(f);
}

Test(enrich, json_input_is_converted_and_drawn_on)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS);
    uint32_t a = test_thread(t, 7, 1);
    t->unit = PF_UNIT_CYCLE;
    test_add(t, 'M', 0, 0, a, "process_name", NULL);
    test_args(t, "tcore args.name");
    test_add(t, 'B', 10, 0, a, "K", NULL);
    test_add(t, 'E', 20, 0, a, "K", NULL);
    test_finish(t);
    pf_findings *f = pf_findings_new(NULL);
    const pf_overlay_track track = {.kind = PF_OVERLAY_SLICES,
                                    .parent = PF_NONE,
                                    .anchor = PF_ANCHOR_PROCESS,
                                    .anchor_id = t->tracks.upid[a],
                                    .name = PF_STR("kernels")};
    uint32_t kernels = pf_overlay_add_track(f, &track);
    pf_overlay_slice(f, kernels, 10, 10, PF_STR("kernel"));
    pf_overlay_flow(f, 1);
    size_t len;
    char *bytes = enrich(t, f, &len);
    test_packets p = test_decode(bytes, len);
    const Pf__Proto__TrackDescriptor *process = test_descriptor(&p, 0), *ours = test_descriptor(&p, 2);
    cr_assert(process->process->pid == 7 && process->child_ordering == 3);
    cr_assert_eq(ours->parent_uuid, process->uuid);
    cr_assert_eq(test_event_count(&p), 4);
    cr_assert_eq(test_event(&p, 1)->envelope->trusted_packet_sequence_id, 1);
    cr_assert_eq(test_event(&p, 2)->envelope->trusted_packet_sequence_id, 2);
    cr_assert_eq(test_event(&p, 2)->track, ours->uuid);
    cr_assert_neq(test_event(&p, 2)->flow, 0);
    test_packets_free(&p);
    free(bytes);
    pf_findings_free(f);
    pf_trace_free(t);
}
