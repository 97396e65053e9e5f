/* read/perfetto/system/atrace.c - what programs write into the kernel's trace_marker, as slices and counters.
 *
 * A text has fields between bars; the first letter of the first field says what it is, the second field which process
 * (docs/reference/perfetto.md):
 *
 *     B|pid|name        a slice of the thread begins         E|pid             the innermost one ends
 *     I|pid|name        an instant of the thread             C|pid|name|value  a counter of the process
 *     S|pid|name|id     a slice of the process begins,       F|pid|name|id     and ends
 *     G|pid|track|name|id, H|pid|track|name|id, N|pid|track|name: the same and an instant on a track with a name
 *
 * Drivers have events of their own with the same content as members.
 */
#include <string.h>

#include "base/str.h"
#include "base/text/utf8.h"
#include "read/perfetto/system/kernel_events.h"

typedef struct mark {
    char phase;
    bool has_pid;
    uint32_t pid;
    pf_str name, track;
    int64_t value; /* of a counter, or the id */
} mark;

/* The next field: up to a bar, a NUL or the end. */
static pf_str next_field(pf_str *rest)
{
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != '|' && rest->ptr[len] != '\0') {
        len++;
    }
    const pf_str field = {rest->ptr, len};
    size_t skip = len + (len < rest->len);
    *rest = (pf_str){rest->ptr + skip, rest->len - skip};
    return field;
}

/* A decimal number as C reads it: blanks and a sign may stand in front; *cut: it is too large. False: it is none, or
 * something follows. */
static bool read_number(pf_str s, uint64_t *magnitude, bool *negative, bool *cut)
{
    size_t i = 0;
    *magnitude = 0;
    *cut = false;
    while (i < s.len && (s.ptr[i] == ' ' || (s.ptr[i] >= '\t' && s.ptr[i] <= '\r'))) {
        i++;
    }
    *negative = i < s.len && s.ptr[i] == '-';
    i += i < s.len && (s.ptr[i] == '-' || s.ptr[i] == '+');
    size_t first = i;
    for (; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++) {
        *cut |= __builtin_mul_overflow(*magnitude, 10u, magnitude) ||
                __builtin_add_overflow(*magnitude, (uint64_t)(s.ptr[i] - '0'), magnitude);
    }
    return i > first && i == s.len;
}

static bool read_signed(pf_str s, int64_t *out)
{
    uint64_t magnitude, most;
    bool negative, cut, whole = read_number(s, &magnitude, &negative, &cut);
    most = (uint64_t)INT64_MAX + negative;
    magnitude = cut || magnitude > most ? most : magnitude;
    *out = (int64_t)(negative ? 0 - magnitude : magnitude);
    return whole;
}

static bool read_pid(pf_str s, uint32_t *out)
{
    uint64_t magnitude;
    bool negative, cut, whole = read_number(s, &magnitude, &negative, &cut);
    *out = cut ? UINT32_MAX : (uint32_t)(negative ? 0 - magnitude : magnitude);
    return whole;
}

/* G and H: the last field may be missing, then the one before it is the id. */
static bool read_named(mark *m, pf_str rest)
{
    m->track = next_field(&rest);
    m->name = next_field(&rest);
    pf_str id = next_field(&rest);
    if (m->phase == 'N') {
        return m->has_pid && m->track.len && m->name.len;
    }
    if (m->phase == 'H' && !id.len) {
        id = m->name;
    }
    return m->has_pid && m->track.len && (m->phase == 'H' || m->name.len) && read_signed(id, &m->value);
}

typedef enum reading { FAILED, READ, IGNORED } reading;

static reading read_text(pf_str text, mark *m)
{
    while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\0')) {
        text.len--;
    }
    pf_str rest = text, phase = next_field(&rest);
    if (!phase.len) {
        return FAILED;
    }
    *m = (mark){.phase = phase.ptr[0]};
    const pf_str pid = next_field(&rest);
    m->has_pid = read_pid(pid, &m->pid);
    m->pid = m->has_pid ? m->pid : 0;
    switch (m->phase) {
    case 'B':
        m->name = rest.len ? rest : PF_STR("[empty slice name]");
        return m->has_pid ? READ : FAILED;
    case 'E':
        return READ;
    case 'I':
        m->name = next_field(&rest);
        return m->has_pid && m->name.len ? READ : FAILED;
    case 'S':
    case 'F':
    case 'C':
        m->name = next_field(&rest);
        return m->has_pid && m->name.len && read_signed(next_field(&rest), &m->value) ? READ : FAILED;
    case 'G':
    case 'H':
    case 'N':
        return read_named(m, rest) ? READ : FAILED;
    default:
        return pf_str_starts(text, PF_STR("trace_event_clock_sync:")) ? IGNORED : FAILED;
    }
}

static uint32_t thread_track(pf_import *im, const pf_ftrace_now *now, const mark *m)
{
    uint32_t utid = m->pid ? pf_lives_update(im, now->event->tid, m->pid) : pf_lives_thread(im, now->event->tid);
    return utid == PF_NONE || pf_import_failed(im) ? PF_NONE : pf_trace_thread_track(im->t, utid, im->err);
}

static void add_kill(pf_import *im, int64_t ts, uint32_t upid)
{
    uint32_t track = pf_system_track(im, PF_TRACK_LOW_MEMORY_KILLS, upid, (pf_dims){0});
    pf_system_event(im, ts, 'i', track, pf_import_word(im, "mem.lmk"), 0, NULL, 0);
}

/* "lmk,PID,REASON,SCORE" tells of a process that is killed for its memory, and of its score. */
static void add_low_memory(pf_import *im, const pf_ftrace_now *now, pf_str name)
{
    pf_str field[4];
    int64_t pid, score;
    size_t n = 0, at = 0;
    for (; n < 4 && at <= name.len; n++, at += field[n - 1].len + 1) {
        const char *comma = memchr(name.ptr + at, ',', name.len - at);
        field[n] = (pf_str){name.ptr + at, comma ? (size_t)(comma - name.ptr) - at : name.len - at};
    }
    if (n < 4 || !read_signed(field[1], &pid) || !read_signed(field[3], &score)) {
        return;
    }
    uint32_t upid = pf_lives_process(im, pid);
    pf_system_sample(im, now->ts, pf_system_track(im, PF_TRACK_PROCESS_OOM, upid, (pf_dims){0}), (double)score);
    add_kill(im, now->ts, upid);
}

static void add_of_thread(pf_import *im, const pf_ftrace_now *now, const mark *m)
{
    if (m->phase == 'E' && !m->pid && pf_lives_find(im, now->event->tid) == PF_NONE) {
        return;
    }
    uint32_t track = thread_track(im, now, m), name = m->phase == 'E' ? 0 : pf_import_text(im, m->name);
    pf_system_event(im, now->ts, m->phase == 'I' ? 'i' : (uint8_t)m->phase, track, name, 0, NULL, 0);
    if (m->phase == 'B' && pf_str_starts(m->name, PF_STR("lmk,"))) {
        add_low_memory(im, now, m->name);
    }
}

/* However often a slice has begun, it ends once. */
static void add_of_process(pf_import *im, const pf_ftrace_now *now, const mark *m)
{
    uint32_t upid = pf_lives_process(im, m->pid), name = pf_import_text(im, m->name);
    pf_cookie_state *s = pf_system_cookie(im, &(pf_cookie){PF_TRACK_ATRACE_ASYNC, upid, name, m->value});
    if (!s) {
        return;
    }
    const pf_system_arg cookie = {"cookie", PF_VALUE_INT, m->value};
    const pf_system_arg counts[] = {{"legacy_unnestable_begin_count", PF_VALUE_INT, s->begins},
                                    {"legacy_unnestable_last_begin_ts", PF_VALUE_INT, s->last_begin}};
    bool open = s->begins > 0;
    if (m->phase == 'S') {
        s->begins++;
        s->last_begin = now->ts;
        if (!open) {
            pf_system_event(im, now->ts, 'B', s->track, name, 0, &cookie, 1);
        }
    } else {
        s->begins = 0;
        pf_system_event(im, now->ts, 'E', s->track, 0, 0, counts, open ? PF_TAG_COUNT(counts) : 0);
    }
}

static void add_named(pf_import *im, const pf_ftrace_now *now, const mark *m)
{
    const pf_system_arg utid = {m->phase == 'H' ? "end_utid" : "utid", PF_VALUE_UINT,
                                pf_lives_thread(im, now->event->tid)};
    if (m->phase == 'N' && pf_str_is(m->track, "DeviceStateChanged")) {
        uint32_t track = pf_system_track(im, PF_TRACK_DEVICE_STATE, PF_NONE, (pf_dims){0});
        pf_system_event(im, now->ts, 'i', track, pf_import_text(im, m->name), 0, NULL, 0);
        return;
    }
    uint32_t upid = pf_lives_process(im, m->pid), name = m->phase == 'H' ? 0 : pf_import_text(im, m->name);
    uint32_t track = pf_import_text(im, m->track);
    bool instant = m->phase == 'N';
    const pf_cookie cookie = {PF_TRACK_ATRACE_NAMED, upid, track, instant ? 0 : m->value, instant};
    pf_cookie_state *s = pf_system_cookie(im, &cookie);
    uint8_t phase = instant ? 'i' : m->phase == 'G' ? 'B' : 'E';
    pf_system_event(im, now->ts, phase, s ? s->track : PF_NONE, name, 0, &utid, 1);
}

static void add_counter(pf_import *im, const pf_ftrace_now *now, const mark *m)
{
    if (pf_str_is(m->name, "kill_one_process") && m->value) {
        add_kill(im, now->ts, pf_lives_process(im, m->value));
    }
    const pf_dims name = {pf_import_text(im, m->name)};
    bool screen = pf_str_is(m->name, "ScreenState"), battery = pf_str_starts(m->name, PF_STR("battery_stats."));
    if (screen || battery) {
        const pf_dims none = {0};
        uint32_t track = screen ? pf_system_track(im, PF_TRACK_SCREEN_STATE, PF_NONE, none)
                                : pf_system_track(im, PF_TRACK_BATTERY_STATS, PF_NONE, name);
        pf_system_sample(im, now->ts, track, (double)m->value);
        return;
    }
    uint32_t upid = pf_lives_process(im, m->pid), utid = pf_lives_find(im, now->event->tid);
    const pf_system_arg writer = {"utid", PF_VALUE_UINT, utid};
    pf_system_sample_with(im, now->ts, pf_system_track(im, PF_TRACK_ATRACE_COUNTER, upid, name), (double)m->value,
                          &writer, utid != PF_NONE);
}

static void add_mark(pf_import *im, const pf_ftrace_now *now, const mark *m)
{
    switch (m->phase) {
    case 'S':
    case 'F':
        add_of_process(im, now, m);
        break;
    case 'G':
    case 'H':
    case 'N':
        add_named(im, now, m);
        break;
    case 'C':
        add_counter(im, now, m);
        break;
    default:
        add_of_thread(im, now, m);
        break;
    }
}

/* Texts that were cut within a character, or are none, without what is no UTF-8. As in Perfetto, a byte that begins a
 * character takes all with it that it says belongs to it, unless the text ends before. */
static pf_str whole_characters(pf_import *im, pf_str text)
{
    pf_buffer *b = &im->scratch;
    size_t at = 0;
    while (at < text.len && !(text.ptr[at] & 0x80)) {
        at++;
    }
    if (at == text.len) {
        return text;
    }
    b->len = 0;
    for (at = 0; at < text.len;) {
        uint8_t first = (uint8_t)text.ptr[at];
        size_t from = at, len = first < 0x80                   ? 1
                                : first < 0xc0 || first > 0xf7 ? 0
                                                               : 2 + (first > 0xdf) + (first > 0xef);
        uint32_t code = pf_utf8_next(text, &at);
        if (at - from == len && (code < 0xd800 || code > 0xdfff)) {
            pf_buffer_put(b, text.ptr + from, len);
        }
        at = len && len <= text.len - from ? from + len : from + 1;
    }
    return pf_trace_string(im->t, pf_import_scratch(im));
}

void pf_event_print(pf_import *im, const pf_ftrace_now *now)
{
    const pf_field text = pf_cursor_last(now->fields, PF_TAG_BYTES(2));
    mark m;
    pf_event_end_write(im, now);
    reading done = read_text(whole_characters(im, pf_field_text(&text)), &m);
    if (done == READ) {
        add_mark(im, now, &m);
    } else if (done == FAILED) {
        pf_trace_count(im->t, PF_STAT_SYSTRACE_PARSE, PF_NOWHERE);
    }
}

/* Events of drivers by kind: the fields of their members, 0 where they have none. */
enum { ZERO = 331, DPU = 348 };
static const struct {
    uint32_t kind, pid, name, type, begin, value;
} MARKS[] = {
    {80, 1, 2, 0, 3, 0},   /* tracing_mark_write of mdss */
    {ZERO, 3, 2, 1, 0, 4}, /* atrace of the kernel: type is a set of bits */
    {333, 1, 2, 3, 5, 4},  /* sde_tracing_mark_write */
    {DPU, 1, 4, 5, 0, 6},  /* dpu_tracing_mark_write */
};

static char phase_of(uint32_t kind, uint64_t type, bool has_type, bool begin)
{
    if (kind == ZERO) {
        return type & 1 ? 'B' : type & 2 ? 'E' : type & 4 ? 'C' : 0;
    }
    return has_type ? (char)type : begin ? 'B' : 'E';
}

void pf_event_mark(pf_import *im, const pf_ftrace_now *now)
{
    size_t i = 0;
    while (MARKS[i].kind != now->event->kind) {
        i++;
    }
    const pf_field pid = pf_cursor_last(now->fields, PF_TAG_VARINT(MARKS[i].pid));
    const pf_field name = pf_cursor_last(now->fields, PF_TAG_BYTES(MARKS[i].name));
    const pf_field type = pf_cursor_last(now->fields, PF_TAG_VARINT(MARKS[i].type));
    const pf_field begin = pf_cursor_last(now->fields, PF_TAG_VARINT(MARKS[i].begin));
    const pf_field value = pf_cursor_last(now->fields, PF_TAG_VARINT(MARKS[i].value));
    mark m = {.phase = phase_of(now->event->kind, type.value, type.tag, begin.value),
              .has_pid = true,
              .pid = (uint32_t)pid.value,
              .name = pf_field_text(&name),
              .value = (int64_t)value.value};
    m.pid = now->event->kind == DPU && m.phase != 'C' ? 0 : m.pid;
    if (m.phase == 'B' || m.phase == 'E' || m.phase == 'C' || m.phase == 'I') {
        add_mark(im, now, &m);
    } else {
        pf_trace_count(im->t, PF_STAT_SYSTRACE_PARSE, PF_NOWHERE);
    }
}
