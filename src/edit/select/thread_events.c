/* edit/select/thread_events.c - see thread_events.h. */
#include "edit/select/thread_events.h"

#include <string.h>

#include "base/list.h"
#include "perfetto/decode/sched_events.h"
#include "perfetto/fields.h"
#include "perfetto/ftrace_names.h"
#include "perfetto/role_walk.h"

#define IDLE_NAME "swapper"
enum { IDLE_PRIO = 120 };

/* What a cpu does for all, by the number of the message in FtraceEvent: first and last. */
static const uint16_t OF_CPUS[][2] = {{11, 16},   {19, 19},   {21, 26},   {36, 37},   {60, 66},
                                      {113, 113}, {320, 322}, {332, 332}, {341, 346}, {404, 405},
                                      {481, 481}, {504, 509}, {541, 541}, {551, 560}};

static bool is_of_cpu(uint32_t kind)
{
    bool is = false;
    for (size_t i = 0; i < sizeof OF_CPUS / sizeof *OF_CPUS; i++) {
        is |= kind >= OF_CPUS[i][0] && kind <= OF_CPUS[i][1];
    }
    return is;
}

static uint64_t pid_of_print(const pf_field *text)
{
    pf_str rest;
    return text->len && memchr("BEI", text->bytes[0], 3) ? pf_ftrace_print_pid(pf_field_text(text), &rest) : 0;
}

/* The process that begins and ends of slices name, of programs and of drivers, which the thread that writes them is
 * of; 0: none. */
static uint32_t process_of_mark(const pf_ftrace_event *e)
{
    enum { PRINT = 3, PRINT_TEXT = 2, MDSS = 80, ZERO = 331, SDE = 333, TYPE_OF_ZERO = 1, TYPE_OF_SDE = 3 };
    PF_CURSOR_FIELDS(f, pf_cursor_over(e->body, e->len), PF_AT_VARINT(1), PF_AT_BYTES(2), PF_AT_VARINT(3));
    uint64_t type = f[TYPE_OF_SDE].value;
    uint64_t pid = e->kind == PRINT  ? pid_of_print(&f[PRINT_TEXT])
                   : e->kind == MDSS ? f[1].value
                   : e->kind == ZERO ? (f[TYPE_OF_ZERO].value & 3 ? f[3].value : 0)
                   : e->kind == SDE  ? (type == 'B' || type == 'E' || type == 'I' ? f[1].value : 0)
                                     : 0;
    return pid <= INT32_MAX ? (uint32_t)pid : 0;
}

static pf_status survey_event(pf_selection *s, const pf_ftrace_event *e, pf_error *err)
{
    enum { NEWTASK = 235, NEW_TID = 1, NEW_NAME = 2, CLONE_FLAGS = 3, CLONE_THREAD = 0x10000 };
    if (e->kind == PF_EVENT_SWITCH) {
        pf_str name;
        int32_t tid = pf_ftrace_switch_of(e, &name).pid;
        return pf_selection_name_thread(s, tid, name, err);
    }
    if (e->kind == NEWTASK) {
        PF_CURSOR_FIELDS(f, pf_cursor_over(e->body, e->len), PF_AT_VARINT(NEW_TID), PF_AT_BYTES(NEW_NAME),
                         PF_AT_VARINT(CLONE_FLAGS));
        uint32_t tid = (uint32_t)f[NEW_TID].value,
                 of = f[CLONE_FLAGS].value & CLONE_THREAD ? PF_SAME_PROCESS | e->tid : tid;
        PF_TRY(of == PF_NONE ? PF_OK : pf_map_put(&s->thread_processes, tid, of, err));
        return pf_selection_name_thread(s, (int32_t)tid, pf_field_text(&f[NEW_NAME]), err);
    }
    uint32_t pid = process_of_mark(e);
    return pid ? pf_map_put(&s->thread_processes, e->tid, pid, err) : PF_OK;
}

pf_status pf_selection_survey_bundle(pf_selection *s, const pf_raw_packet *p, pf_error *err)
{
    pf_ftrace_bundle *b = &s->bundle;
    if (!s->places || p->data != PF_F_PACKET_FTRACE_EVENTS) {
        return PF_OK;
    }
    PF_TRY(pf_ftrace_decode(p->content.bytes, p->content.len, b, err));
    for (uint32_t i = 0; i < b->switches.count; i++) {
        const pf_sched_entry *e = &b->switches.entry[i];
        PF_TRY(pf_selection_name_thread(s, e->pid, b->comm[e->comm], err));
    }
    for (uint32_t i = 0; i < b->event_count; i++) {
        PF_TRY(survey_event(s, &b->event[i], err));
    }
    return PF_OK;
}

bool pf_selection_takes_tid(pf_selection *s, int32_t tid)
{
    enum { DROPPED, KEPT };
    uint32_t known = pf_map_get(&s->taken, (uint32_t)tid);
    if (tid == 0) {
        return false;
    }
    if (known == PF_NONE) {
        known = pf_selection_takes_thread(s, pf_selection_process_of(s, tid), tid) ? KEPT : DROPPED;
        pf_map_set(&s->taken, (uint32_t)tid, known); /* without memory for it it is asked again */
    }
    return known == KEPT;
}

/* Whether an event that is no switch is kept. */
static bool takes_event(pf_selection *s, const pf_field *event, uint32_t kind, int32_t writer)
{
    enum { BINDER_TRANSACTION = 50 }; /* which is the writer's, too */
    bool writes = pf_selection_takes_tid(s, writer), named = false;
    bool taken = writes && kind == BINDER_TRANSACTION;
    pf_role_walk w;
    pf_role_field f;
    if (is_of_cpu(kind)) {
        return pf_selection_takes_others(s);
    }
    pf_role_walk_begin(&w, PF_MSG_FTRACE_EVENT, event->bytes, event->len, NULL);
    while (pf_role_walk_next(&w, &f)) {
        bool names = (f.role == PF_ROLE_PID || f.role == PF_ROLE_TID) && f.message != PF_MSG_FTRACE_EVENT;
        if (names && f.field.value) {
            named = true;
            taken |= pf_selection_takes_tid(s, (int32_t)f.field.value);
        }
    }
    return named ? taken : writes;
}

/* A switch with the idle thread in place of one that is left out. */
static void put_switch(pf_writer *w, const pf_field *body, bool before, bool next)
{
    pf_cursor c = pf_field_cursor(body);
    pf_field f;
    pf_writer_begin(w, PF_EVENT_SWITCH);
    for (const uint8_t *from = c.at; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        uint32_t number = pf_field_number(&f);
        bool idle = number <= PF_PREV_STATE ? !before : number <= PF_NEXT_PRIO && !next;
        if (!idle) {
            pf_writer_raw(w, from, (size_t)(c.at - from));
        } else if (number == PF_PREV_COMM || number == PF_NEXT_COMM) {
            pf_writer_bytes(w, number, IDLE_NAME, sizeof IDLE_NAME - 1);
        } else {
            pf_writer_varint(w, number, number == PF_PREV_PRIO || number == PF_NEXT_PRIO ? IDLE_PRIO : 0);
        }
    }
    pf_writer_end(w);
}

/* An event of the bundle: `whole` are its bytes with tag and length. */
static void filter_event(pf_selection *s, pf_writer *w, const pf_field *event, pf_bytes whole)
{
    pf_cursor c = pf_field_cursor(event);
    pf_field f, body = {.tag = 0};
    int32_t writer = 0;
    uint64_t ts = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        ts = f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_TIMESTAMP) ? f.value : ts;
        writer = f.tag == PF_TAG_VARINT(PF_F_FTRACE_EVENT_PID) ? (int32_t)f.value : writer;
        body = pf_field_wire(&f) == PF_WIRE_BYTES ? f : body;
    }
    if (pf_field_number(&body) != PF_EVENT_SWITCH) {
        if (takes_event(s, event, pf_field_number(&body), writer)) {
            pf_writer_raw(w, whole.ptr, whole.len);
            s->kept++;
        }
        return;
    }
    PF_CURSOR_FIELDS(t, pf_field_cursor(&body), PF_AT_VARINT(PF_PREV_PID), PF_AT_VARINT(PF_NEXT_PID));
    int32_t before = (int32_t)t[PF_PREV_PID].value, next = (int32_t)t[PF_NEXT_PID].value;
    bool takes_before = pf_selection_takes_tid(s, before), takes_next = pf_selection_takes_tid(s, next);
    if (!takes_before && !takes_next) {
        return;
    }
    s->kept++;
    takes_before |= before == 0; /* idle as it is */
    takes_next |= next == 0;
    if (takes_before && takes_next) {
        pf_writer_raw(w, whole.ptr, whole.len);
        return;
    }
    pf_writer_begin(w, PF_F_FTRACE_EVENT);
    pf_writer_varint(w, PF_F_FTRACE_EVENT_TIMESTAMP, ts);
    pf_writer_varint(w, PF_F_FTRACE_EVENT_PID, takes_before ? (uint32_t)writer : 0);
    put_switch(w, &body, takes_before, takes_next);
    pf_writer_end(w);
}

pf_status pf_selection_filter_events(pf_selection *s, pf_field *content, pf_error *err)
{
    pf_cursor c = pf_field_cursor(content);
    pf_field f;
    s->events.len = 0;
    for (const uint8_t *from = c.at; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        const pf_bytes whole = {from, (size_t)(c.at - from)};
        if (f.tag == PF_TAG_BYTES(PF_F_FTRACE_EVENT)) {
            filter_event(s, &s->writer, &f, whole);
        } else {
            pf_writer_raw(&s->writer, whole.ptr, whole.len);
        }
    }
    *content =
        (pf_field){.tag = content->tag, .len = (uint32_t)s->events.len, .bytes = (const uint8_t *)s->events.data};
    return s->writer.failed ? pf_no_memory(err) : PF_OK;
}

/* Whether the cpu runs a kept thread at ts, as the switches among the events say, which are read up to *at. */
static bool runs_by_events(const pf_ftrace_bundle *b, uint32_t *at, int64_t ts, bool runs)
{
    for (pf_str name; *at < b->event_count && b->event[*at].ts <= ts; ++*at) {
        runs = b->event[*at].kind == PF_EVENT_SWITCH ? pf_ftrace_switch_of(&b->event[*at], &name).pid != 0 : runs;
    }
    return runs;
}

/* Texts that nothing kept refers to are empty. */
static void forget_names(pf_ftrace_bundle *b, uint32_t count)
{
    const pf_sched_list *const lists[] = {&b->switches, &b->wakings};
    pf_str *used = b->comm + count;
    for (uint32_t i = 0; i < count; i++) {
        used[i] = PF_STR("");
    }
    for (size_t n = 0; n < sizeof lists / sizeof *lists; n++) {
        for (uint32_t i = 0; i < lists[n]->count; i++) {
            used[lists[n]->entry[i].comm] = b->comm[lists[n]->entry[i].comm];
        }
    }
    memcpy(b->comm, used, count * sizeof *used);
}

/* What ran before the first switch of the bundle is not known: that one stays, whoever it is to. */
static void filter_switches(pf_selection *s, pf_ftrace_bundle *b, uint32_t idle_name)
{
    pf_sched_list *l = &b->switches;
    uint32_t at = 0, count = l->count;
    bool runs = true;
    l->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        pf_sched_entry e = l->entry[i];
        bool next = pf_selection_takes_tid(s, e.pid);
        runs = runs_by_events(b, &at, e.ts, runs);
        s->kept += next;
        if (!next && e.pid) {
            e = (pf_sched_entry){.ts = e.ts, .prio = IDLE_PRIO, .comm = idle_name, .state = e.state};
        }
        if (next || runs) {
            l->entry[l->count++] = e;
        }
        runs = next;
    }
}

pf_status pf_selection_filter_entries(pf_selection *s, pf_ftrace_bundle *b, pf_error *err)
{
    pf_sched_list *w = &b->wakings;
    uint32_t names = b->comm_count + 1, count = w->count;
    PF_TRY(PF_LIST_ROOM(b->budget, b->comm, 2 * (size_t)names, b->comm_room, err));
    b->comm[b->comm_count] = PF_STR(IDLE_NAME);
    b->comm_count = names;
    filter_switches(s, b, names - 1);
    w->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (pf_selection_takes_tid(s, w->entry[i].pid)) {
            w->entry[w->count++] = w->entry[i];
        }
    }
    s->kept += w->count;
    forget_names(b, names);
    return PF_OK;
}
