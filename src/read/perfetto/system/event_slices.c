/* read/perfetto/system/event_slices.c - slices that single kernel events begin and end: interrupts, suspends,
 * wakelocks; instants of signals.
 */
#include <string.h>

#include "base/str.h"
#include "read/perfetto/system/kernel_events.h"

/* An argument as it is kept. */
typedef struct kept_arg {
    uint32_t key, type; /* string id, pf_value_type */
    int64_t value;
} kept_arg;

void pf_system_event(pf_import *im, int64_t ts, uint8_t phase, uint32_t track, uint32_t name, uint32_t category,
                     const pf_system_arg *args, size_t count)
{
    const pf_event e = {.ts = ts, .phase = phase, .track = track, .name = name, .category = category};
    kept_arg kept[PF_SYSTEM_ARGS_MAX];
    for (size_t i = 0; i < count; i++) {
        kept[i] = (kept_arg){pf_import_word(im, args[i].key), args[i].type, args[i].value};
    }
    bool added = track != PF_NONE && !pf_import_failed(im) && pf_trace_add_event(im->t, &e, im->err) == PF_OK;
    if (added && count && im->t->want & PF_WANT_ARGS) {
        (void)pf_trace_add_args(im->t, (const uint8_t *)kept, count * sizeof *kept, im->decoders.system, 0, true,
                                im->err);
    }
}

/* Ids far from those that programs count up; each machine has its own numbers. */
void pf_system_arrow(pf_import *im, uint32_t number, pf_flow_kind kind)
{
    const uint64_t ids = UINT64_C(0x44524d) << 40 | (uint64_t)(im->machine.number & 0xff) << 32;
    if (!pf_import_failed(im)) {
        (void)pf_trace_add_event_flow(im->t, ids | number, kind, im->err);
    }
}

pf_status pf_system_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context, const pf_arg_visitor *v,
                         pf_error *err)
{
    bool open = false;
    for (size_t at = 0; at + sizeof(kept_arg) <= len; at += sizeof(kept_arg)) {
        kept_arg a;
        memcpy(&a, bytes + at, sizeof a);
        pf_str key = pf_strings_get(&t->strings, a.key);
        bool list = key.len > 2 && key.ptr[key.len - 1] == ']';
        if (list && !open) {
            PF_TRY(v->begin(v->ctx, (pf_str){key.ptr, key.len - 2}, true));
        }
        open = list;
        pf_value value = {.type = (pf_value_type)a.type, .as.i = a.value};
        if (a.type == PF_VALUE_BOOL) {
            value.as.b = a.value != 0;
        } else if (a.type == PF_VALUE_STRING) {
            value.as.s = a.value ? pf_strings_get(&t->strings, (uint32_t)a.value) : (pf_str){NULL, 0};
        }
        PF_TRY(a.type == PF_VALUE_NULL ? PF_OK : v->value(v->ctx, list ? (pf_str){NULL, 0} : key, &value));
    }
    return open ? v->end(v->ctx) : PF_OK;
}

void pf_system_join_args(uint8_t *bytes, size_t len, const uint8_t *note, size_t note_len)
{
    for (size_t i = 0; i < note_len; i += sizeof(kept_arg)) {
        for (size_t at = 0; at < len; at += sizeof(kept_arg)) {
            if (memcmp(bytes + at, note + i, sizeof(uint32_t)) == 0) { /* the key */
                memcpy(bytes + at, note + i, sizeof(kept_arg));
            }
        }
    }
}

enum { IRQ_HANDLER_ENTRY = 36, SOFTIRQ_ENTRY = 24, LOCAL_TIMER_ENTRY = 559 };
enum { IRQ_RET = 2, IRQ_NAME = 2 };

static void add_irq(pf_import *im, const pf_ftrace_now *now, pf_track_type type, bool begin, uint32_t name,
                    const pf_system_arg *arg)
{
    uint32_t track = pf_system_track(im, type, PF_NONE, (pf_dims){now->cpu});
    pf_system_event(im, now->ts, begin ? 'B' : 'E', track, name, pf_import_word(im, "irq"), arg, arg != NULL);
}

static uint32_t irq_name(pf_import *im, pf_str name)
{
    pf_buffer *b = &im->scratch;
    b->len = 0;
    pf_buffer_text(b, "IRQ (");
    pf_buffer_put(b, name.ptr, name.len);
    pf_buffer_text(b, ")");
    return pf_import_scratch(im);
}

void pf_event_irq(pf_import *im, const pf_ftrace_now *now)
{
    if (now->event->kind == IRQ_HANDLER_ENTRY) {
        const pf_field name = pf_cursor_last(now->fields, PF_TAG_BYTES(IRQ_NAME));
        add_irq(im, now, PF_TRACK_CPU_IRQ, true, irq_name(im, pf_field_text(&name)), NULL);
        return;
    }
    bool handled = (int32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(IRQ_RET)).value == 1;
    const pf_system_arg ret = {"ret", PF_VALUE_STRING, pf_import_word(im, handled ? "handled" : "unhandled")};
    add_irq(im, now, PF_TRACK_CPU_IRQ, false, 0, &ret);
}

void pf_event_local_timer(pf_import *im, const pf_ftrace_now *now)
{
    bool begin = now->event->kind == LOCAL_TIMER_ENTRY;
    add_irq(im, now, PF_TRACK_CPU_IRQ, begin, begin ? irq_name(im, PF_STR("LocalTimer")) : 0, NULL);
}

void pf_event_softirq(pf_import *im, const pf_ftrace_now *now)
{
    static const char *const NAMES[] = {"HI",           "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                        "BLOCK_IOPOLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
    uint64_t vec = pf_cursor_last(now->fields, PF_TAG_VARINT(1)).value;
    bool begin = now->event->kind == SOFTIRQ_ENTRY;
    const pf_system_arg arg = {"vec", PF_VALUE_INT, (int64_t)vec};
    if (!begin) {
        add_irq(im, now, PF_TRACK_CPU_SOFTIRQ, false, 0, &arg);
    } else if (vec < PF_TAG_COUNT(NAMES)) {
        add_irq(im, now, PF_TRACK_CPU_SOFTIRQ, true, pf_import_word(im, NAMES[vec]), NULL);
    }
}

static void end_suspend(pf_import *im, int64_t ts, uint32_t name)
{
    pf_cookie_state *s = pf_system_cookie(im, &(pf_cookie){PF_TRACK_SUSPEND_RESUME, PF_NONE, 0, name});
    if (s && s->begins) {
        s->begins--;
    }
    pf_system_event(im, ts, 'E', s ? s->track : PF_NONE, 0, 0, NULL, 0);
}

static void begin_suspend(pf_import *im, const pf_ftrace_now *now, uint32_t name)
{
    const pf_system_arg args[] = {{"utid", PF_VALUE_UINT, pf_lives_thread(im, now->event->tid)},
                                  {"event_type", PF_VALUE_STRING, pf_import_word(im, "Main Kernel Suspend Event")},
                                  {"cpu", PF_VALUE_UINT, now->cpu},
                                  {"device_name", PF_VALUE_STRING, 0},
                                  {"driver_name", PF_VALUE_STRING, 0},
                                  {"callback_phase", PF_VALUE_STRING, 0}};
    pf_cookie_state *s = pf_system_cookie(im, &(pf_cookie){PF_TRACK_SUSPEND_RESUME, PF_NONE, 0, name});
    if (s) {
        s->begins++;
        pf_system_event(im, now->ts, 'B', s->track, name, 0, args, PF_TAG_COUNT(args));
    }
}

static uint32_t suspend_name(pf_import *im, pf_str action, int32_t val)
{
    im->scratch.len = 0;
    pf_buffer_put(&im->scratch, action.ptr, action.len);
    pf_buffer_format(&im->scratch, "(%d)", pf_str_is(action, "timekeeping_freeze") ? 0 : (int)val);
    return pf_import_scratch(im);
}

/* The end of suspend_enter may be missing: thawing ends it, too, if freezing began inside of it. */
void pf_event_suspend(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_BYTES(1), PF_AT_VARINT(2), PF_AT_VARINT(3));
    pf_str action = pf_field_text(&f[1]);
    uint32_t name = suspend_name(im, action, (int32_t)f[2].value);
    pf_system *s = &im->system;
    bool begin = f[3].value != 0;
    if (pf_str_is(action, "suspend_enter")) {
        s->suspend = begin ? name : 0;
        s->froze = false;
    }
    (void)(begin ? begin_suspend(im, now, name) : end_suspend(im, now->ts, name));
    if (pf_str_is(action, "freeze_processes") && begin) {
        s->froze = s->suspend != 0;
    } else if (pf_str_is(action, "thaw_processes") && !begin && s->froze) {
        end_suspend(im, now->ts, s->suspend);
        s->suspend = 0;
        s->froze = false;
    }
}

/* From the first activation to the last deactivation. */
void pf_event_wakelock(pf_import *im, const pf_ftrace_now *now)
{
    enum { ACTIVATE = 404 };
    const pf_field name = pf_cursor_last(now->fields, PF_TAG_BYTES(1));
    uint32_t id = pf_import_text(im, pf_field_text(&name));
    uint32_t track = pf_system_track(im, PF_TRACK_WAKELOCK, PF_NONE, (pf_dims){id});
    uint32_t held = track == PF_NONE ? 0 : pf_map_get(&im->system.wakelocks, track);
    uint32_t count = held == PF_NONE ? 0 : held;
    if (now->event->kind == ACTIVATE) {
        if (count++ == 0) {
            pf_system_event(im, now->ts, 'B', track, track == PF_NONE ? 0 : im->t->tracks.name[track], 0, NULL, 0);
        }
    } else if (count > 0 && --count == 0) {
        pf_system_event(im, now->ts, 'E', track, 0, 0, NULL, 0);
    }
    pf_import_put(im, &im->system.wakelocks, track, count);
}

static void add_thread_instant(pf_import *im, int64_t ts, uint32_t utid, const char *name, const pf_system_arg *arg)
{
    uint32_t track = utid == PF_NONE || pf_import_failed(im) ? PF_NONE : pf_trace_thread_track(im->t, utid, im->err);
    pf_system_event(im, ts, 'i', track, pf_import_word(im, name), 0, arg, arg != NULL);
}

void pf_event_signal(pf_import *im, const pf_ftrace_now *now)
{
    enum { DELIVER = 324, DELIVER_SIG = 3, GENERATE_PID = 4, GENERATE_SIG = 6 };
    bool deliver = now->event->kind == DELIVER;
    int64_t sig = (int32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(deliver ? DELIVER_SIG : GENERATE_SIG)).value;
    int64_t tid = (int32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(GENERATE_PID)).value;
    const pf_system_arg arg = {"signal.sig", PF_VALUE_INT, sig};
    add_thread_instant(im, now->ts, pf_lives_thread(im, deliver ? now->event->tid : tid),
                       deliver ? "signal_deliver" : "signal_generate", &arg);
}

void pf_event_mark_victim(pf_import *im, const pf_ftrace_now *now)
{
    int64_t tid = (int32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(1)).value;
    add_thread_instant(im, now->ts, pf_lives_thread(im, tid), "mem.oom_kill", NULL);
}
