/* Traces that were converted from Chrome JSON, as their documents had them (PF_WANT_PLACES): expected are the rows that
 * the JSON itself has. */
#include "support.h"

#include "model/trace/json_notes.h"

/* A trace that says what it is, with complete events or without. */
static void start_converted(bytes *b, bool pairs)
{
    static const char *const keys[] = {"postfetto.source", "postfetto.complete"};
    start(b);
    packet(b, NONE, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACE_ATTRIBUTES);
    for (int i = 0; i < 1 + pairs; i++) {
        pf_writer_begin(&b->w, 1);
        text(b, 1, keys[i]);
        text(b, 3, "chrome-json");
        end(b);
    }
    end(b);
    end(b);
    describe_thread(b, 1, 10, 7, 8, NULL);
}

typedef struct note {
    uint32_t field;
    uint64_t number;
    const char *text; /* NULL: the number */
} note;

static void put_note(bytes *b, const note *n)
{
    pf_writer_begin(&b->w, PF_F_PACKET_ORIGIN);
    for (; n && n->field; n++) {
        if (n->text) {
            text(b, n->field, n->text);
        } else {
            pf_writer_varint(&b->w, n->field, n->number);
        }
    }
    end(b);
}

static void leave(bytes *b, const char *json, uint64_t place)
{
    const note n[] = {{PF_ORIGIN_WHOLE, 0, json}, {place == NONE ? 0 : PF_ORIGIN_PLACE, place, NULL}, {0}};
    packet(b, NONE, NONE, NONE);
    put_note(b, n);
    end(b);
}

static void noted(bytes *b, uint64_t ts, int type, const char *name, const note *n)
{
    packet(b, ts, 1, NONE);
    if (n) {
        put_note(b, n);
    }
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, (uint64_t)type);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 10);
    if (name) {
        text(b, PF_F_EVENT_NAME, name);
    }
    end(b);
    end(b);
}

static bool is_placed_after(const void *place, uint32_t a, uint32_t b)
{
    return ((const uint32_t *)place)[a] > ((const uint32_t *)place)[b];
}

/* "PHASE name ts dur" of each row, in the order of the document, without what is left out. */
static void expect_rows(bytes *b, const char *want)
{
    enum { MOST = 32 };
    pf_read_options o = pf_read_options_default();
    pf_buffer got = {0};
    uint32_t order[MOST], scratch[MOST];
    o.want |= PF_WANT_PLACES | PF_WANT_NOTES;
    pf_trace *t = load_bytes(b->out.data, b->out.len, &o, 0, NULL);
    const pf_events *e = pf_trace_events(t);
    cr_assert(pf_trace_places(t, 0) && e->count < MOST);
    pf_order_rows(order, scratch, e->count, is_placed_after, pf_trace_places(t, 0));
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t row = order[i];
        pf_str name = pf_trace_string(t, e->name[row]);
        if (e->phase[row] == PF_PHASE_LEFT_OUT) {
            continue;
        }
        pf_buffer_format(&got, "%c%s %.*s %lld", e->phase[row] & 0x7f, e->phase[row] & PF_PHASE_BAD_TS ? "?" : "",
                         (int)name.len, name.ptr, (long long)e->ts[row]);
        if (e->phase[row] == 'X') {
            pf_buffer_format(&got, " %lld", (long long)e->dur[row]);
        }
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, want);
    pf_trace_free(t);
    finish(b);
}

/* Begins whose ends say nothing are complete events; other ends stay, and so do instants that were written as begins.
 */
Test(document_rows, complete_events)
{
    static const note ends[] = {{PF_ORIGIN_COMPLETES, 1, NULL}, {0}}, hidden[] = {{PF_ORIGIN_HIDDEN, 1, NULL}, {0}},
                      instant[] = {{PF_ORIGIN_MEMBER + PF_MEMBER_PHASE, 'i', NULL}, {0}},
                      point[] = {{PF_ORIGIN_MEMBER + PF_MEMBER_PHASE, 'X', NULL}, {0}},
                      place[] = {{PF_ORIGIN_PLACE, 0, NULL}, {0}};
    bytes b;
    start_converted(&b, true);
    noted(&b, 1000, PF_EVENT_SLICE_BEGIN, "a", place);
    noted(&b, 2000, PF_EVENT_SLICE_BEGIN, "b", NULL);
    noted(&b, 3000, PF_EVENT_SLICE_BEGIN, "i", instant);
    noted(&b, 3000, PF_EVENT_SLICE_END, NULL, hidden);
    noted(&b, 4000, PF_EVENT_SLICE_END, "b", NULL);
    noted(&b, 5000, PF_EVENT_SLICE_BEGIN, "c", NULL);
    noted(&b, 6000, PF_EVENT_SLICE_END, NULL, NULL);
    noted(&b, 6500, PF_EVENT_INSTANT, "p", point);
    noted(&b, 7000, PF_EVENT_SLICE_END, NULL, ends);
    noted(&b, 8000, PF_EVENT_SLICE_BEGIN, "open", NULL);
    expect_rows(&b, "X a 1000 6000\nB b 2000\ni i 3000\nE b 4000\nX c 5000 1000\nX p 6500 0\nB open 8000\n");
}

/* A packet that says a complete event itself, with its length. */
Test(document_rows, complete_events_of_packets)
{
    static const note whole[] = {{PF_ORIGIN_MEMBER + PF_MEMBER_PHASE, 'X', NULL}, {0}};
    bytes b;
    start_converted(&b, true);
    packet(&b, 1000, 1, NONE);
    put_note(&b, whole);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 10);
    text(&b, PF_F_EVENT_NAME, "a");
    pf_writer_begin(&b.w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&b.w, PF_F_LEGACY_PHASE, 'X');
    pf_writer_varint(&b.w, PF_F_LEGACY_DURATION_US, 4);
    end(&b);
    end(&b);
    end(&b);
    expect_rows(&b, "X a 1000 4000\n");
}

/* Members that a packet says otherwise; what is no value of its kind changes nothing, or is none. */
Test(document_rows, members_of_rows)
{
#define MEMBER(member) (PF_ORIGIN_MEMBER + PF_MEMBER_##member)
    static const struct {
        note said[2];
        const char *want;
    } cases[] = {
        {{{MEMBER(NAME), 0, "\"a\\\"b\""}}, "i a\"b 9000\n"},
        {{{MEMBER(NAME), 0, "5"}}, "i  9000\n"},
        {{{MEMBER(NAME), 0, ""}}, "i  9000\n"},
        {{{MEMBER(TS), 0, "20.25"}}, "i n 20250\n"},
        {{{MEMBER(TS), 0, "-20"}}, "i n -20000\n"},
        {{{MEMBER(TS), 0, "\"20\""}}, "i n 9000\n"},
        {{{MEMBER(TS), 0, "20,"}}, "i n 9000\n"},
        {{{MEMBER(TS), 0, "9223372036854776"}}, "i n 9000\n"},
        {{{MEMBER(PHASE), 'I', NULL}}, "i n 9000\n"},
        {{{MEMBER(PHASE), 'R', NULL}}, "i n 9000\n"},
        {{{MEMBER(PHASE), 'N' + 256, NULL}}, "N n 9000\n"},
        {{{MEMBER(PHASE), 0, "\"long\""}}, "i n 9000\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        start_converted(&b, false);
        noted(&b, 9000, PF_EVENT_INSTANT, "n", cases[i].said);
        expect_rows(&b, cases[i].want);
    }
}

/* Events without a packet are where they were; those of which that is not known come first. */
Test(document_rows, events_without_a_packet)
{
    static const note fourth[] = {{PF_ORIGIN_PLACE, 3, NULL}, {0}};
    bytes b;
    start_converted(&b, false);
    leave(&b, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":7,\"args\":{\"name\":\"p\"}}", 0);
    leave(&b, " {\"ph\":\"X\",\"name\":\"early\",\"pid\":7,\"tid\":8,\"ts\":-1.5,\"dur\":1} ", 2);
    leave(&b, "{\"ph\":\"X\",\"name\":\"never\",\"pid\":7,\"tid\":8,\"dur\":1}", 9);
    leave(&b, "{\"ph\":\"M\",\"name\":\"first\",\"pid\":9}", NONE);
    leave(&b, "[1]", 5);
    leave(&b, "{\"ph\":\"M\"},{\"ph\":\"M\"}", 5);
    leave(&b, "{\"ph\":\"M\"", 5);
    leave(&b, "", 5);
    noted(&b, 1000, PF_EVENT_INSTANT, "second", NULL);
    noted(&b, 500, PF_EVENT_INSTANT, "fourth", fourth);
    noted(&b, 2000, PF_EVENT_INSTANT, "fifth", NULL);
    expect_rows(&b, "M first 0\nM process_name 0\ni second 1000\nX early -1500 1000\ni fourth 500\ni fifth 2000\n"
                    "X? never 0\n");
}

/* Where no place is said, complete events were sorted; nobody knows more than their times. */
Test(document_rows, order_of_time)
{
    bytes b;
    pf_read_options o = pf_read_options_default();
    start_converted(&b, true);
    leave(&b, "{\"ph\":\"M\",\"name\":\"first\",\"pid\":9}", NONE);
    noted(&b, 1000, PF_EVENT_SLICE_BEGIN, "a", NULL);
    noted(&b, 2000, PF_EVENT_SLICE_END, NULL, NULL);
    o.want |= PF_WANT_PLACES;
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    const uint32_t want[] = {PF_NONE, PF_NONE, 0}, *place = pf_trace_places(t, 0);
    cr_assert_eq(pf_trace_events(t)->count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_eq(place[i], want[i], "%u", i);
    }
    cr_expect_eq(t->leftovers.count, 1, "writers have it from there");
    cr_expect(pf_origin_of(t, 2).hidden);
    pf_trace_free(t);
    t = load(&b);
    cr_expect_null(pf_trace_places(t, 0), "nobody wants them");
    cr_expect_eq(pf_trace_events(t)->count, 2);
    pf_trace_free(t);
    finish(&b);
}
