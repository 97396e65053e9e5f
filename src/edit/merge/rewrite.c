/* edit/merge/rewrite.c - a packet with its new ids, and with its time on the time axis of the result.
 *
 * The walk along the roles copies what stays, so that a packet in which nothing changes goes out as it came in. What
 * must be added stands at the end of its message, where protobuf reads it as well: the time of an event that said it in
 * an old way, the track of one that stood on none.
 *
 * Some packets stay away. Snapshots of an input whose times are rewritten would contradict the ones that stay. A mark
 * that all buffers were read makes Perfetto import what came so far, and drop what is earlier and comes later: the next
 * input. And a merged trace is not the trace that its first input was, so no input says which trace it is.
 */
#include "edit/merge/merge.h"

#include "perfetto/fields.h"
#include "perfetto/ftrace_names.h"

enum { GPUS_MOST = 4096 };
#define MACHINE_STEP 1000003u  /* between the machines of two inputs */
enum { CHROME_METADATA = 51 }; /* like chrome_events it counts in MONOTONIC if it names no clock */

typedef struct rewriting {
    merge *m;
    merge_input *in;
    const merge_space *space;
    const pf_raw_packet *p;
    int64_t ts;
    bool legacy;       /* the event says it in an old way */
    bool placed;       /* ts is the packet's time */
    bool without_data; /* what it sets up for others stays */
    bool alone;        /* of the message in work: its names may be mistaken */
    pf_str command;    /* of a process in a tree: the name that its command line gives */
    bool raw;          /* the bundle of ftrace counts in MONOTONIC_RAW, and is to count in BOOTTIME */
    uint32_t list;     /* tag of the list of differences in work, their sum, and what that became */
    uint64_t sum, placed_sum;
    pf_field default_event; /* goes to the default track of its space */
} rewriting;

static bool stays_away(const merge *m, const merge_input *in, const pf_raw_packet *p)
{
    switch (p->data) {
    case PF_F_PACKET_CLOCK_SNAPSHOT:
        return in->rewritten;
    case PF_F_PACKET_TRACE_UUID:
        return m->space_count > 1;
    case PF_F_PACKET_SERVICE_EVENT:
        return m->input_count > 1 &&
               pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_VARINT(PF_F_SERVICE_READ_BUFFERS_COMPLETED)).tag;
    default:
        return false;
    }
}

/* Whether other packets build on the envelope. */
static bool sets_up(const pf_raw_packet *p)
{
    return p->has & (PF_PACKET_CLEARED | PF_PACKET_FIRST | PF_PACKET_DROPPED) || p->defaults.tag || p->interned.tag;
}

/* "name (input)" where another input has the name, in the buffer. */
static bool rename(rewriting *r, pf_str name, pf_buffer *b)
{
    if (!pf_merge_name_is_shared(r->m, name)) {
        return false;
    }
    pf_buffer_put(b, name.ptr, name.len);
    pf_buffer_format(b, " (%s)", r->space->label);
    return !b->failed;
}

static void change_name(rewriting *r, pf_role_walk *w, const pf_role_field *f)
{
    pf_buffer b = {0};
    if (rename(r, pf_field_text(&f->field), &b)) {
        pf_role_walk_text(w, (pf_str){b.data, b.len});
    }
    pf_buffer_free(&b);
}

/* A command line gets it after its first part, which is the name; a line of one part is cut where its name ends. */
static void change_command(rewriting *r, pf_role_walk *w, const pf_role_field *f, pf_str name)
{
    pf_buffer b = {0};
    pf_str whole = pf_field_text(&f->field);
    if (rename(r, name, &b)) {
        pf_role_walk_text(w, (pf_str){b.data, b.len});
        if (whole.len > name.len) {
            pf_writer_bytes(w->out, pf_field_number(&f->field), whole.ptr + name.len + 1, whole.len - name.len - 1);
        }
    }
    pf_buffer_free(&b);
}

static void change_print(rewriting *r, pf_role_walk *w, const pf_role_field *f)
{
    pf_str print = pf_field_text(&f->field), rest;
    uint64_t pid = pf_ftrace_print_pid(print, &rest);
    uint64_t moved = pid ? pf_merge_id(r->space, MERGE_PEOPLE, pid) : pid;
    if (moved != pid) {
        pf_buffer b = {0};
        pf_buffer_put(&b, print.ptr, 2);
        pf_buffer_decimal(&b, moved);
        pf_buffer_put(&b, rest.ptr, rest.len);
        pf_role_walk_text(w, (pf_str){b.data, b.len});
        w->out->failed |= b.failed;
        pf_buffer_free(&b);
    }
}

static void change_text(rewriting *r, pf_role_walk *w, const pf_role_field *f)
{
    uint32_t number = pf_field_number(&f->field);
    if (f->role == PF_ROLE_PRINT) {
        change_print(r, w, f);
    } else if (f->message == PF_MSG_PROCESS && number == MERGE_PROCESS_NAME) {
        change_name(r, w, f);
    } else if (f->message == PF_MSG_TRACK && r->alone &&
               (number == MERGE_TRACK_NAME || number == MERGE_TRACK_STATIC_NAME || number == MERGE_TRACK_ATRACE_NAME ||
                number == MERGE_TRACK_MERGE_KEY)) {
        change_name(r, w, f);
    } else if (f->message == PF_MSG_TREE_PROCESS && r->alone && number == MERGE_TREE_COMMAND) {
        change_command(r, w, f, r->command);
        r->alone = false; /* the parts after the first */
    }
}

static uint64_t new_id(rewriting *r, const pf_role_field *f)
{
    uint64_t id = f->field.value;
    switch (f->role) {
    case PF_ROLE_SEQUENCE:
        return pf_merge_id(r->space, MERGE_SEQUENCES, (uint32_t)id);
    case PF_ROLE_TRACK:
    case PF_ROLE_PARENT:
        return id == 0 && f->role == PF_ROLE_TRACK && f->message == PF_MSG_TRACK /* a descriptor */
                   ? r->space->default_track
                   : pf_merge_id(r->space, MERGE_TRACKS, id);
    case PF_ROLE_PID:
    case PF_ROLE_TID:
        return pf_merge_is_idle(f) ? id : pf_merge_id(r->space, MERGE_PEOPLE, id);
    case PF_ROLE_FLOW:
        return pf_merge_ranged(r->space, MERGE_FLOWS, id);
    case PF_ROLE_ASYNC:
        return pf_merge_ranged(r->space, MERGE_OPERATIONS, id);
    case PF_ROLE_STAGE:
        return pf_merge_ranged(r->space, MERGE_STAGES, id);
    case PF_ROLE_GPU:
        return pf_merge_ranged(r->space, MERGE_GPUS, id);
    case PF_ROLE_GPU_COUNTER:
        return pf_merge_ranged(r->space, MERGE_GPU_COUNTERS, id);
    default:
        return id;
    }
}

/* A time of ftrace. Their order is that of one clock: what cannot be converted alone stays next to the others. */
static uint64_t place_ftrace(rewriting *r, int64_t value)
{
    int64_t boot;
    if (r->raw && pf_merge_place_boot(r->m, r->in, PF_CLOCK_MONOTONIC_RAW, value, &boot)) {
        return (uint64_t)boot;
    }
    return (uint64_t)pf_merge_place_clock(r->m, r->in, PF_CLOCK_BOOTTIME, value);
}

static uint64_t place_delta(rewriting *r, const pf_field *f)
{
    bool first = r->list != f->tag;
    uint64_t before = first ? 0 : r->placed_sum;
    r->list = f->tag;
    r->sum = (first ? 0 : r->sum) + f->value;
    r->placed_sum = place_ftrace(r, (int64_t)r->sum);
    return r->placed_sum - before;
}

static uint64_t new_time(rewriting *r, const pf_role_field *f)
{
    int64_t value = (int64_t)f->field.value;
    switch (f->role) {
    case PF_ROLE_TIME:
        return r->placed ? (uint64_t)r->ts : f->field.value;
    case PF_ROLE_TIME_US:
        return f->message == PF_MSG_RANGE
                   ? (uint64_t)(pf_merge_place_clock(r->m, r->in, PF_CLOCK_MONOTONIC, value * 1000) / 1000)
                   : f->field.value;
    case PF_ROLE_TIME_BOOT:
        return value ? (uint64_t)pf_merge_place_clock(r->m, r->in, PF_CLOCK_BOOTTIME, value) : 0;
    case PF_ROLE_TIME_FTRACE:
        return value ? place_ftrace(r, value) : 0;
    case PF_ROLE_TIME_FTRACE_DELTAS:
        return place_delta(r, &f->field);
    case PF_ROLE_TIME_REAL:
        return (uint64_t)pf_merge_place_clock(r->m, r->in, PF_CLOCK_REALTIME, value);
    default:
        return f->field.value;
    }
}

/* Times that events say in an old way, and clocks that are gone. */
static bool is_gone(const rewriting *r, const pf_role_field *f)
{
    bool old = f->role == PF_ROLE_TIME_US || f->role == PF_ROLE_TIME_DELTA_US;
    return r->in->rewritten && ((old && r->legacy) || f->role == PF_ROLE_CLOCK);
}

static void change_fields(rewriting *r, pf_role_walk *w);

/* The message again, to which more can be added until its end. */
static void begin_with(rewriting *r, pf_role_walk *w, const pf_role_field *f)
{
    pf_role_walk *inner = &r->m->inner;
    pf_role_walk_drop(w);
    pf_writer_begin(w->out, pf_field_number(&f->field));
    pf_role_walk_begin(inner, f->child, f->field.bytes, f->field.len, w->out);
    change_fields(r, inner);
    if (!pf_role_walk_end(inner)) {
        pf_writer_raw(w->out, f->field.bytes, f->field.len);
    }
}

/* The message again, with one more number. */
static void put_with(rewriting *r, pf_role_walk *w, const pf_role_field *f, uint32_t field, uint64_t value)
{
    begin_with(r, w, f);
    pf_writer_varint(w->out, field, value);
    pf_writer_end(w->out);
}

/* What the GPUs of an input are, after as many others as come before. */
static void put_gpus(rewriting *r, pf_role_walk *w, const pf_role_field *f)
{
    pf_role_walk_drop(w);
    pf_writer_begin(w->out, pf_field_number(&f->field));
    for (uint64_t i = 0; i < r->space->range[MERGE_GPUS].add && i < GPUS_MOST; i++) {
        pf_writer_bytes(w->out, 1, "", 0);
    }
    pf_writer_raw(w->out, f->field.bytes, f->field.len);
    pf_writer_end(w->out);
}

static void change_gpus(rewriting *r, pf_role_walk *w, const pf_role_field *f)
{
    uint32_t silent = pf_merge_silent_gpu(f->child, f->field);
    if (f->child == PF_MSG_GPU_INFO) {
        put_gpus(r, w, f);
    } else if (silent && w == &r->m->walk) {
        put_with(r, w, f, silent, r->space->range[MERGE_GPUS].add);
    }
}

/* Whether a bundle of ftrace counts in a clock that the result has no snapshots of, and that the input relates. */
static bool is_raw(rewriting *r, pf_field bundle)
{
    enum { RAW = 4 };
    int64_t boot;
    return r->in->rewritten &&
           pf_cursor_last(pf_field_cursor(&bundle), PF_TAG_VARINT(MERGE_FTRACE_CLOCK)).value == RAW &&
           pf_merge_place_boot(r->m, r->in, PF_CLOCK_MONOTONIC_RAW, 0, &boot);
}

/* The descriptor of a track without a name, which others have too. */
static void name_track(rewriting *r, pf_role_walk *w, const pf_role_field *f, uint64_t uuid)
{
    pf_str name = pf_merge_shared_name(r->m, pf_merge_find_nameless(r->in, uuid));
    pf_buffer b = {0};
    if (name.len && rename(r, name, &b)) {
        begin_with(r, w, f);
        pf_writer_bytes(w->out, MERGE_TRACK_NAME, b.data, b.len);
        pf_writer_end(w->out);
    }
    pf_buffer_free(&b);
}

static void enter(rewriting *r, pf_role_walk *w, const pf_role_field *f)
{
    r->list = 0;
    if (r->without_data && f->message == PF_MSG_PACKET && pf_field_number(&f->field) == r->p->data) {
        pf_role_walk_drop(w);
    } else if (f->child == PF_MSG_FTRACE && is_raw(r, f->field)) {
        r->raw = true;
        put_with(r, w, f, MERGE_FTRACE_CLOCK, 0); /* the last one counts */
    } else if (f->child == PF_MSG_TRACK && w == &r->m->walk) {
        merge_track t = pf_merge_track_of(f->field);
        r->alone = t.global;
        name_track(r, w, f, t.uuid);
    } else if (f->child == PF_MSG_TREE_PROCESS) {
        r->alone = true;
        r->command = pf_merge_command_name(f->field);
    } else if (f->child == PF_MSG_EVENT && r->default_event.tag && f->field.bytes == r->default_event.bytes) {
        r->default_event.tag = 0;
        put_with(r, w, f, PF_F_EVENT_TRACK_UUID, r->space->default_track);
    } else if (r->space->range[MERGE_GPUS].add) {
        change_gpus(r, w, f);
    }
}

static void change_fields(rewriting *r, pf_role_walk *w)
{
    pf_role_field f;
    while (pf_role_walk_next(w, &f)) {
        if (f.role == PF_ROLE_MESSAGE) {
            enter(r, w, &f);
        } else if (is_gone(r, &f)) {
            pf_role_walk_drop(w);
        } else if (pf_role_is_text(f.role)) {
            change_text(r, w, &f);
        } else if (pf_role_is_number(f.role)) {
            uint64_t value = f.role < PF_ROLE_TIME ? new_id(r, &f) : new_time(r, &f);
            if (value != f.field.value) {
                pf_role_walk_number(w, value);
            }
        }
    }
}

static pf_status put(merge *m, const void *bytes, size_t len)
{
    m->result->bytes += len;
    return pf_sink_put(&m->sink, bytes, len);
}

/* The clock that the packet must name, because it would not be read in the trace clock; 0: none. */
static uint32_t named_clock(const rewriting *r)
{
    const pf_clocks *c = &r->m->input[0].times.all;
    bool of_chrome = r->p->data == PF_F_PACKET_CHROME_EVENTS || r->p->data == CHROME_METADATA;
    if (!r->placed || (!of_chrome && !r->m->named_clock)) {
        return 0;
    }
    return r->m->named_clock                            ? r->m->named_clock
           : r->m->input[0].rewritten || !c->default_id ? PF_CLOCK_BOOTTIME
                                                        : c->trace_id;
}

/* A packet as it is. */
static pf_status put_packet(merge *m, const pf_raw_packet *p, pf_error *err)
{
    if (p->whole) {
        return put(m, p->whole, p->whole_len);
    }
    m->bytes.len = 0;
    pf_writer_bytes(&m->writer, PF_F_TRACE_PACKET, p->bytes, p->len);
    return m->writer.failed ? pf_no_memory(err) : put(m, m->bytes.data, m->bytes.len);
}

/* Of a packet, NULL: of one that is added. */
static void put_machine(merge *m, const merge_input *in, const pf_raw_packet *p)
{
    pf_cursor c = pf_cursor_over(p ? p->bytes : (const uint8_t *)"", p ? p->len : 0);
    uint64_t own = pf_cursor_last(c, PF_TAG_VARINT(PF_F_PACKET_MACHINE_ID)).value;
    if (m->o->machines && in->space > 0) { /* the last one counts */
        pf_writer_varint(&m->writer, PF_F_PACKET_MACHINE_ID, (uint32_t)(own + in->space * MACHINE_STEP));
    }
}

/* A snapshot by which REALTIME reads as the trace clock, so that logs can be placed. */
static pf_status say_real(rewriting *r)
{
    merge *m = r->m;
    bool alone = m->o->machines && r->in->space > 0, first = !alone && !m->input[0].rewritten;
    const pf_clocks *c = &m->input[0].times.all;
    const uint32_t clocks[] = {first && c->trace_id ? c->trace_id : PF_CLOCK_BOOTTIME, PF_CLOCK_REALTIME};
    m->space[alone ? r->in->space : 0].real_said = true;
    m->bytes.len = 0;
    pf_writer_begin(&m->writer, PF_F_TRACE_PACKET);
    put_machine(m, r->in, r->p);
    pf_writer_begin(&m->writer, PF_F_PACKET_CLOCK_SNAPSHOT);
    for (int i = 0; i < 2; i++) {
        pf_writer_begin(&m->writer, PF_F_SNAPSHOT_CLOCKS);
        pf_writer_varint(&m->writer, PF_F_CLOCK_ID, clocks[i]);
        pf_writer_varint(&m->writer, PF_F_CLOCK_TIMESTAMP, (uint64_t)r->ts);
        pf_writer_end(&m->writer);
    }
    pf_writer_end(&m->writer);
    pf_writer_end(&m->writer);
    return put(m, m->bytes.data, m->bytes.len);
}

/* What the packet must say besides. */
static void add_fields(rewriting *r, bool changed)
{
    pf_writer *out = &r->m->writer;
    uint32_t clock = named_clock(r);
    bool late = r->placed && !(r->p->has & PF_PACKET_TIMESTAMP);
    bool machine = r->m->o->machines && r->in->space > 0;
    if (!changed && (late || clock || machine)) {
        pf_writer_raw(out, r->p->bytes, r->p->len);
    }
    if (late) {
        pf_writer_varint(out, PF_F_PACKET_TIMESTAMP, (uint64_t)r->ts);
    }
    if (clock) {
        pf_writer_varint(out, PF_F_PACKET_TIMESTAMP_CLOCK_ID, clock);
    }
    put_machine(r->m, r->in, r->p);
}

/* A track that nothing describes, with the input's name. */
static pf_status describe_track(merge *m, const merge_input *in, uint64_t uuid, pf_str its_name)
{
    pf_buffer name = {0};
    pf_buffer_put(&name, its_name.ptr, its_name.len);
    pf_buffer_format(&name, " (%s)", m->space[in->space].label);
    m->bytes.len = 0;
    pf_writer_begin(&m->writer, PF_F_TRACE_PACKET);
    put_machine(m, in, NULL);
    pf_writer_begin(&m->writer, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&m->writer, MERGE_TRACK_UUID, uuid);
    pf_writer_bytes(&m->writer, MERGE_TRACK_NAME, name.data, name.len);
    pf_writer_end(&m->writer);
    pf_writer_end(&m->writer);
    m->writer.failed |= name.failed;
    pf_buffer_free(&name);
    return put(m, m->bytes.data, m->bytes.len);
}

pf_status pf_merge_describe_nameless(merge *m, const merge_input *in)
{
    for (uint32_t i = 0; i < in->nameless_count; i++) {
        const merge_nameless *k = &in->nameless[i];
        pf_str name = k->described ? (pf_str){"", 0} : pf_merge_shared_name(m, k);
        uint64_t uuid = pf_merge_id(&m->space[in->space], MERGE_TRACKS, k->uuid);
        PF_TRY(name.len ? describe_track(m, in, uuid, name) : PF_OK);
    }
    return PF_OK;
}

static pf_status rewrite(rewriting *r, pf_error *err)
{
    merge *m = r->m;
    if (m->space[r->in->space].default_track && r->p->data == PF_F_PACKET_TRACK_EVENT &&
        pf_merge_on_default_track(pf_merge_sequence(r->in, r->p), r->p->content)) {
        r->default_event = r->p->content;
        if (!r->space->default_described) {
            m->space[r->in->space].default_described = true;
            PF_TRY(describe_track(m, r->in, r->space->default_track, PF_STR("Default Track")));
        }
    }
    bool of_machine = m->o->machines && r->in->space > 0;
    if (r->p->data == PF_F_PACKET_ANDROID_LOG && !m->space[of_machine ? r->in->space : 0].real_said &&
        pf_merge_lacks_real(m, r->in)) {
        PF_TRY(say_real(r));
    }
    m->bytes.len = 0;
    pf_writer_begin(&m->writer, PF_F_TRACE_PACKET);
    size_t empty = m->bytes.len;
    pf_role_walk_begin(&m->walk, PF_MSG_PACKET, r->p->bytes, r->p->len, &m->writer);
    change_fields(r, &m->walk);
    add_fields(r, pf_role_walk_end(&m->walk));
    bool same = m->bytes.len == empty;
    pf_writer_end(&m->writer);
    if (m->writer.failed) {
        return pf_no_memory(err);
    }
    m->result->changed += !same;
    return same ? put_packet(m, r->p, err) : put(m, m->bytes.data, m->bytes.len);
}

/* Whether nothing in a packet of that kind can change. */
static bool is_as_it_was(const merge *m, const merge_input *in, const pf_raw_packet *p)
{
    return !in->rewritten && !pf_merge_describes(p);
}

pf_status pf_merge_copy(merge *m, merge_input *in, const pf_raw_packet *packet, const merge_moment *at, pf_error *err)
{
    pf_raw_packet p = *packet;
    bool joined = pf_merge_is_joined(m, in, &p, at);
    rewriting r = {.m = m, .in = in, .space = &m->space[in->space], .p = &p};
    m->result->packets++;
    r.without_data = stays_away(m, in, &p) || joined || (in->rewritten && at->when == PF_TIME_UNKNOWN);
    PF_TRY(joined ? pf_merge_keep_value(m, in, &p, err) : pf_merge_mend(m, in, &p, at, err));
    if (r.without_data) {
        m->result->left_out++;
        if (!sets_up(&p)) {
            return PF_OK;
        }
    } else if (is_as_it_was(m, in, &p)) {
        return put_packet(m, &p, err);
    }
    r.placed = in->rewritten && at->when == PF_TIME_KNOWN;
    r.ts = r.placed ? pf_merge_place(in, at->ts) : 0;
    r.ts = r.ts < 0 && at->ts >= 0 && pf_merge_describes(&p) ? 0 : r.ts;
    r.legacy = at->legacy;
    return rewrite(&r, err);
}
