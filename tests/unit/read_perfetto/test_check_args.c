/* Damage inside arguments, which only pf_trace_check_args finds: reading leaves them undecoded. Offsets by hand. */
#include "perfetto/decode/packet.h"
#include "support.h"

/* An event with one annotation "k" whose last bytes are the given ones. */
static void annotated(bytes *b, uint64_t ts, const char *tail, size_t len, bool nested)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 5);
    pf_writer_begin(&b->w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    text(b, PF_F_ANNOTATION_NAME, "k");
    if (nested) {
        pf_writer_begin(&b->w, PF_F_ANNOTATION_DICT_ENTRIES);
        text(b, PF_F_ANNOTATION_NAME, "inner");
    }
    pf_writer_raw(&b->w, tail, len);
    if (nested) {
        end(b);
    }
    end(b);
    end(b);
    end(b);
}

static pf_trace *check(const bytes *b)
{
    pf_trace *t = load(b);
    cr_expect_eq(stat_of(t, PF_STAT_ARGS_DAMAGED), 0, "not before somebody looks");
    pf_trace_check_args(t, NULL);
    return t;
}

Test(check_args, damage)
{
    bytes b;
    start(&b);
    annotated(&b, 1, "\x20\x05", 2, false); /* int_value 5 */
    size_t second = b.out.len;
    annotated(&b, 2, "\x20\x05\x7f", 3, false);    /* and a wire type that does not exist */
    annotated(&b, 3, "\x20\x05\x0a\x09", 4, true); /* a text that is longer than its annotation */
    pf_trace *t = check(&b);
    pf_stat s = pf_trace_stat(t, PF_STAT_ARGS_DAMAGED);
    cr_expect_eq(s.count, 2);
    cr_expect_eq(s.severity, PF_DATA_LOSS);
    /* After the tag and length of the packet, its time, its sequence, and the tag and length of the event. */
    cr_expect_eq(s.first_offset, second + 2 + 2 + 2 + 2);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 0);
    pf_trace_free(t);
    finish(&b);
}

Test(check_args, unknown_ids)
{
    bytes b;
    start(&b);
    annotated(&b, 1, "\x08\x4d", 2, false);     /* name_iid 77 */
    annotated(&b, 2, "\x88\x01\x09", 3, false); /* string_value_iid 9 */
    annotated(&b, 3, "\x08\x00", 2, false);     /* id 0 is none */
    pf_trace *t = check(&b);
    cr_expect_eq(stat_of(t, PF_STAT_INTERNED_ERRORS), 2);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 2);
    cr_expect_eq(stat_of(t, PF_STAT_ARGS_DAMAGED), 0);
    pf_trace_free(t);
    finish(&b);
}

Test(check_args, can_be_stopped)
{
    bytes b;
    const volatile int stop = 1;
    start(&b);
    annotated(&b, 2, "\x20\x05\x7f", 3, false);
    pf_trace *t = load(&b);
    pf_trace_check_args(t, &stop);
    cr_expect_eq(stat_of(t, PF_STAT_ARGS_DAMAGED), 0);
    pf_trace_free(t);
    finish(&b);
}

/* A second machine has rows of its own, with the same numbers; more of them than are told apart are counted. */
Test(check_args, other_machines)
{
    bytes b;
    start(&b);
    event(&b, 1, 1, PF_EVENT_INSTANT, 5, "mine");
    for (uint64_t machine = 2; machine < 2 + 258; machine++) {
        packet(&b, 2, 1, NONE);
        pf_writer_varint(&b.w, PF_F_PACKET_MACHINE_ID, machine);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&b.w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
        end(&b);
        end(&b);
    }
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_OTHER_MACHINE), 2);
    cr_expect_eq(pf_trace_slices(t)->count, 1 + 256);
    cr_expect_eq(pf_trace_threads(t)->count, 1 + 256);
    cr_expect(pf_trace_is_idle(t, 0) && pf_trace_is_idle(t, 256));
    cr_expect_eq(pf_trace_machine_of(t, PF_MACHINE_PROCESSES, 256), 256);
    cr_expect_eq(pf_trace_machine_raw_id(t, 256), 2 + 255);
    pf_trace_free(t);
    finish(&b);
}

/* Arguments of an instant of a process have the number of its thread in front. */
Test(check_args, of_instants_of_processes)
{
    bytes b;
    start(&b);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    for (uint64_t i = 0; i < 2; i++) {
        packet(&b, 1, 1, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 10);
        pf_writer_begin(&b.w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&b.w, PF_F_LEGACY_PHASE, 'i');
        pf_writer_varint(&b.w, PF_F_LEGACY_INSTANT_EVENT_SCOPE, PF_LEGACY_SCOPE_PROCESS);
        end(&b);
        pf_writer_begin(&b.w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        text(&b, PF_F_ANNOTATION_NAME, "k");
        pf_writer_raw(&b.w, i ? "\x20\x05\x7f" : "\x20\x05", i ? 3 : 2);
        end(&b);
        end(&b);
        end(&b);
    }
    pf_trace *t = check(&b);
    cr_expect_eq(stat_of(t, PF_STAT_ARGS_DAMAGED), 1);
    pf_trace_free(t);
    finish(&b);
}
