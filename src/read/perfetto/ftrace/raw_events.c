/* read/perfetto/ftrace/raw_events.c - a row for each event with its members as arguments: the table ftrace_event, where
 * it is asked for (PF_WANT_RAW_EVENTS).
 *
 * What members are called is said by a table (perfetto/ftrace_names.h), for events that the kernel numbers on its own
 * by descriptors in the recording. Compact switches and wakings get the arguments that plain ones would have.
 */
#include "perfetto/ftrace_names.h"
#include "read/perfetto/ftrace/ftrace.h"

enum { SWITCH = 4, WAKING = 20, GENERIC = 327 };

/* The string id of what an event is called. */
static uint32_t name_of(pf_import *im, uint32_t kind)
{
    uint32_t *known = kind < PF_FTRACE_NAMED ? &im->ftrace->name_of[kind] : NULL;
    if (known && *known) {
        return *known - 1;
    }
    uint32_t id = pf_import_text(im, pf_ftrace_name(kind));
    if (known) {
        *known = id + 1;
    }
    return id;
}

/* A new row; PF_NONE after an error, and where nobody asked for rows. */
static uint32_t add_row(pf_import *im, int64_t ts, uint32_t cpu, uint32_t utid, uint32_t name, uint32_t flags)
{
    const pf_side_table *s = &im->t->sides.known[PF_SIDE_FTRACE_EVENT];
    uint32_t row = pf_import_side_row(im, PF_SIDE_FTRACE_EVENT);
    if (row != PF_NONE) {
        *pf_side_number(s, PF_FTRACE_EVENT_TS, row) = ts;
        *pf_side_ref(s, PF_FTRACE_EVENT_NAME, row) = name;
        *pf_side_ref(s, PF_FTRACE_EVENT_UTID, row) = utid;
        *pf_side_ref(s, PF_FTRACE_EVENT_FLAGS, row) = flags;
        *pf_side_ref(s, PF_FTRACE_EVENT_UCPU, row) = pf_import_ucpu(im, cpu);
    }
    return row;
}

static void put_int(pf_import *im, uint32_t row, const char *key, int64_t value)
{
    pf_import_arg_int(im, PF_OWNER_FTRACE_EVENT, row, key, value);
}

static void put_text(pf_import *im, uint32_t row, const char *key, pf_str text)
{
    pf_import_arg_text(im, PF_OWNER_FTRACE_EVENT, row, key, text);
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

enum { DESCRIBED_NAME = 1, DESCRIBED_FIELD, FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_TYPE = 5 };

/* The letter of a type of descriptor.proto. */
static char letter_of(uint64_t type)
{
    static const char letters[] = " ddiuiuuis  suiiiii";
    return type < sizeof letters - 1 ? letters[type] : ' ';
}

/* A member of an event that a descriptor describes. */
static pf_ftrace_member find_described(const pf_field *descriptor, uint32_t number)
{
    pf_cursor c = pf_field_cursor(descriptor);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(DESCRIBED_FIELD), &f)) {
        PF_CURSOR_FIELDS(m, pf_field_cursor(&f), PF_AT_BYTES(FIELD_NAME), PF_AT_VARINT(FIELD_NUMBER),
                         PF_AT_VARINT(FIELD_TYPE));
        if (m[FIELD_NUMBER].value == number) {
            return (pf_ftrace_member){letter_of(m[FIELD_TYPE].value), pf_field_text(&m[FIELD_NAME])};
        }
    }
    return (pf_ftrace_member){0, {NULL, 0}};
}

static void put_member(pf_import *im, uint32_t row, const pf_ftrace_event *e, pf_ftrace_member m, const pf_field *f)
{
    bool is_bytes = pf_field_wire(f) == PF_WIRE_BYTES;
    uint32_t symbol = m.type == 'k' && !is_bytes ? pf_ftrace_symbol(im, e, f->value) : 0;
    pf_value v = {.type = PF_VALUE_INT, .as.i = (int64_t)f->value};
    if (m.type == 0 || m.type == ' ' || (m.type == 's') != is_bytes) {
        return;
    }
    if (is_bytes || symbol) {
        v = (pf_value){.type = PF_VALUE_STRING, .as.s = symbol ? pf_trace_string(im->t, symbol) : pf_field_text(f)};
    } else if (m.type == 'd') {
        v = (pf_value){.type = PF_VALUE_REAL, .as.d = pf_bits_to_double(f->value)};
    } else if (m.type != 'i') {
        v = (pf_value){.type = PF_VALUE_UINT, .as.u = f->value};
    }
    pf_import_arg(im, PF_OWNER_FTRACE_EVENT, row, m.name, v);
}

/* An event of the old form that describes itself. */
static void put_generic(pf_import *im, uint32_t row, pf_cursor c)
{
    pf_field entry;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(2), &entry)) {
        PF_CURSOR_FIELDS(f, pf_field_cursor(&entry), PF_AT_BYTES(1), PF_AT_VARINT(4), PF_AT_BYTES(3), PF_AT_VARINT(5));
        const pf_field *number = f[4].tag ? &f[4] : &f[5];
        if (f[3].tag || number->tag) {
            const pf_value v = f[3].tag ? (pf_value){.type = PF_VALUE_STRING, .as.s = pf_field_text(&f[3])}
                                        : (pf_value){.type = PF_VALUE_INT, .as.i = (int64_t)number->value};
            pf_import_arg(im, PF_OWNER_FTRACE_EVENT, row, pf_field_text(&f[1]), v);
        }
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

uint32_t pf_ftrace_symbol(const pf_import *im, const pf_ftrace_event *e, uint64_t iid)
{
    const pf_generation *g = im->ftrace->symbols[e->bundle];
    uint32_t text = g ? pf_intern_get(g, PF_INTERN_KERNEL_SYMBOL, iid) : PF_NONE;
    return text == PF_NONE ? 0 : text;
}

/* All members of a switch are arguments, also those that are not written because they are 0. */
static void put_switch(pf_import *im, uint32_t row, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(1), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4), PF_AT_BYTES(5),
                     PF_AT_VARINT(6), PF_AT_VARINT(7));
    for (uint32_t i = 1; i < PF_TAG_COUNT(f_tags); i++) {
        const pf_ftrace_member m = pf_ftrace_find_member(SWITCH, i);
        bool is_tid = i == 2 || i == 6; /* never negative */
        const pf_value v = m.type == 's' ? (pf_value){.type = PF_VALUE_STRING, .as.s = pf_field_text(&f[i])}
                                         : (pf_value){.type = PF_VALUE_INT,
                                                      .as.i = is_tid ? (uint32_t)f[i].value : (int64_t)f[i].value};
        pf_import_arg(im, PF_OWNER_FTRACE_EVENT, row, m.name, v);
    }
}

void pf_ftrace_add_raw(pf_import *im, const pf_ftrace_now *now, uint32_t utid)
{
    const pf_ftrace_event *e = now->event;
    pf_field f;
    if (!(im->t->want & PF_WANT_RAW_EVENTS)) {
        return;
    }
    uint32_t number = e->kind >= PF_FTRACE_DESCRIBED ? pf_map_get(&im->ftrace->described, e->kind) : PF_NONE;
    const pf_field none = {0}, *descriptor = number == PF_NONE ? &none : &im->ftrace->descriptor[number];
    const uint32_t name_tag = PF_TAG_BYTES(1);
    pf_field said = number != PF_NONE    ? pf_cursor_last(pf_field_cursor(descriptor), name_tag)
                    : e->kind == GENERIC ? pf_cursor_last(now->fields, name_tag)
                                         : none;
    uint32_t name = said.tag ? pf_import_text(im, pf_field_text(&said)) : name_of(im, e->kind);
    uint32_t row = add_row(im, now->ts, now->cpu, utid, name, e->flags);
    if (row == PF_NONE) {
        return;
    }
    if (e->kind == GENERIC) {
        put_generic(im, row, now->fields);
    } else if (e->kind == SWITCH) {
        put_switch(im, row, now->fields);
    } else {
        for (pf_cursor c = now->fields; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
            uint32_t field = pf_field_number(&f);
            put_member(im, row, e,
                       number != PF_NONE ? find_described(descriptor, field) : pf_ftrace_find_member(e->kind, field),
                       &f);
        }
    }
}

void pf_ftrace_add_raw_switch(pf_import *im, uint32_t cpu, const pf_sched_entry *e)
{
    const pf_ftrace_cpu *c = &im->ftrace->cpu[cpu];
    uint32_t row = add_row(im, e->ts, cpu, c->utid, name_of(im, SWITCH), 0);
    put_text(im, row, "prev_comm", pf_trace_string(im->t, im->t->threads.name[c->utid]));
    put_int(im, row, "prev_pid", (uint32_t)c->pid);
    put_int(im, row, "prev_prio", c->prio);
    put_int(im, row, "prev_state", e->state);
    put_text(im, row, "next_comm", pf_trace_string(im->t, e->comm));
    put_int(im, row, "next_pid", (uint32_t)e->pid);
    put_int(im, row, "next_prio", e->prio);
}

void pf_ftrace_add_raw_waking(pf_import *im, uint32_t cpu, const pf_sched_entry *e)
{
    uint32_t row = add_row(im, e->ts, cpu, im->ftrace->cpu[cpu].utid, name_of(im, WAKING), e->state);
    put_text(im, row, "comm", pf_trace_string(im->t, e->comm));
    put_int(im, row, "pid", e->pid);
    put_int(im, row, "prio", (int16_t)e->prio);
    put_int(im, row, "target_cpu", e->cpu);
}
