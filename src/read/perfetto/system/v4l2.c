/* read/perfetto/system/v4l2.c - buffers that programs hand to video devices (Video 4 Linux 2) and get back: an instant
 * of the thread for each, with an arrow from where a buffer was queued to where it was taken out.
 *
 * Members have the same order in all of these events, but only v4l2_qbuf and v4l2_dqbuf have all of them.
 */
#include <string.h>

#include "read/perfetto/system/kernel_events.h"

enum { QBUF = 422, DQBUF = 423, BUF_QUEUE = 424 };

/* Members by their number in QBUF. */
enum {
    BYTES_USED = 1,
    FIELD,
    FLAGS,
    INDEX,
    MINOR,
    SEQUENCE,
    TC_FLAGS,
    TC_FRAMES,
    TC_HOURS,
    TC_MINUTES,
    TC_SECONDS,
    TC_TYPE,
    TC_USER_BITS,
    TIMESTAMP = TC_USER_BITS + 4,
    TYPE,
    MEMBERS
};

typedef struct bit_name {
    uint32_t mask, bits; /* bits of the mask that are set; BITS_ANY: one of them */
    const char *name;
} bit_name;

#define ALL UINT32_MAX
#define BITS_ANY UINT32_MAX
#define BIT(mask, name)                                                                                                \
    {                                                                                                                  \
        mask, BITS_ANY, name                                                                                           \
    }

static const bit_name BUFFER_FLAGS[] = {BIT(1, "MAPPED"),
                                        BIT(2, "QUEUED"),
                                        BIT(4, "DONE"),
                                        BIT(8, "KEYFRAME"),
                                        BIT(0x10, "PFRAME"),
                                        BIT(0x20, "BFRAME"),
                                        BIT(0x40, "ERROR"),
                                        BIT(0x80, "IN_REQUEST"),
                                        BIT(0x100, "TIMECODE"),
                                        BIT(0x200, "M2M_HOLD_CAPTURE_BUF"),
                                        BIT(0x400, "PREPARED"),
                                        BIT(0x800, "NO_CACHE_INVALIDATE"),
                                        BIT(0x1000, "NO_CACHE_CLEAN"),
                                        BIT(0xe000, "TIMESTAMP_MASK"),
                                        {ALL, 0, "TIMESTAMP_UNKNOWN"},
                                        BIT(0x2000, "TIMESTAMP_MONOTONIC"),
                                        BIT(0x4000, "TIMESTAMP_COPY"),
                                        BIT(0x70000, "TSTAMP_SRC_MASK"),
                                        {ALL, 0, "TSTAMP_SRC_EOF"},
                                        BIT(0x10000, "TSTAMP_SRC_SOE"),
                                        BIT(0x100000, "LAST"),
                                        BIT(0x800000, "REQUEST_FD")};

static const bit_name TIMECODE_FLAGS[] = {{ALL, 0, "USERBITS_USERDEFINED"}, BIT(1, "FLAG_DROPFRAME"),
                                          BIT(2, "FLAG_COLORFRAME"),        {0xc, 4, "USERBITS_field(01)"},
                                          {0xc, 8, "USERBITS_field(10)"},   {0xc, 0xc, "USERBITS_field(11)"},
                                          BIT(8, "USERBITS_8BITCHARS")};

static const char *const TYPES[] = {NULL,
                                    "VIDEO_CAPTURE",
                                    "VIDEO_OUTPUT",
                                    "VIDEO_OVERLAY",
                                    "VBI_CAPTURE",
                                    "VBI_OUTPUT",
                                    "SLICED_VBI_CAPTURE",
                                    "SLICED_VBI_OUTPUT",
                                    "VIDEO_OUTPUT_OVERLAY",
                                    "VIDEO_CAPTURE_MPLANE",
                                    "VIDEO_OUTPUT_MPLANE",
                                    "SDR_CAPTURE",
                                    "SDR_OUTPUT",
                                    "META_CAPTURE",
                                    "META_OUTPUT"};
static const char *const FIELDS[] = {"ANY",    "NONE",   "TOP",       "BOTTOM",        "INTERLACED",
                                     "SEQ_TB", "SEQ_BT", "ALTERNATE", "INTERLACED_TB", "INTERLACED_BT"};
static const char *const TIMECODES[] = {NULL, "24FPS", "25FPS", "30FPS", "50FPS", "60FPS"};

static pf_system_arg flags_arg(pf_import *im, const char *key, uint32_t flags, const bit_name *names, size_t count)
{
    pf_buffer *b = &im->scratch;
    b->len = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t set = flags & names[i].mask;
        if (names[i].bits == BITS_ANY ? set != 0 : set == names[i].bits) {
            pf_buffer_text(b, b->len ? "|" : "");
            pf_buffer_text(b, names[i].name);
        }
    }
    return (pf_system_arg){key, PF_VALUE_STRING, pf_import_scratch(im)};
}

static pf_system_arg name_arg(pf_import *im, const char *key, uint32_t value, const char *const *names, size_t count)
{
    const char *name = value < count ? names[value] : NULL;
    return (pf_system_arg){key, PF_VALUE_STRING, name ? pf_import_word(im, name) : 0};
}

static size_t make_args(pf_import *im, const uint64_t *v, bool whole, pf_system_arg *args)
{
    static const struct {
        const char *key;
        int member;
    } numbers[] = {{"timecode_frames", TC_FRAMES},
                   {"timecode_seconds", TC_SECONDS},
                   {"timecode_minutes", TC_MINUTES},
                   {"timecode_hours", TC_HOURS},
                   {"timecode_userbits0", TC_USER_BITS},
                   {"timecode_userbits1", TC_USER_BITS + 1},
                   {"timecode_userbits2", TC_USER_BITS + 2},
                   {"timecode_userbits3", TC_USER_BITS + 3},
                   {"sequence", SEQUENCE}};
    size_t n = 0;
    args[n++] = (pf_system_arg){"minor", PF_VALUE_INT, (int32_t)v[MINOR]};
    if (whole) {
        args[n++] = (pf_system_arg){"index", PF_VALUE_INT, (uint32_t)v[INDEX]};
        args[n++] = v[TYPE] == 0x80 ? (pf_system_arg){"type", PF_VALUE_STRING, pf_import_word(im, "PRIVATE")}
                                    : name_arg(im, "type", (uint32_t)v[TYPE], TYPES, PF_TAG_COUNT(TYPES));
        args[n++] = (pf_system_arg){"bytesused", PF_VALUE_INT, (uint32_t)v[BYTES_USED]};
    }
    args[n++] = flags_arg(im, "flags", (uint32_t)v[FLAGS], BUFFER_FLAGS, PF_TAG_COUNT(BUFFER_FLAGS));
    args[n++] = name_arg(im, "field", (uint32_t)v[FIELD], FIELDS, PF_TAG_COUNT(FIELDS));
    args[n++] = (pf_system_arg){"timestamp", PF_VALUE_INT, (int64_t)v[TIMESTAMP]};
    args[n++] = name_arg(im, "timecode_type", (uint32_t)v[TC_TYPE], TIMECODES, PF_TAG_COUNT(TIMECODES));
    args[n++] = flags_arg(im, "timecode_flags", (uint32_t)v[TC_FLAGS], TIMECODE_FLAGS, PF_TAG_COUNT(TIMECODE_FLAGS));
    for (size_t i = 0; i < PF_TAG_COUNT(numbers); i++) {
        args[n++] = (pf_system_arg){numbers[i].key, PF_VALUE_INT, (uint32_t)v[numbers[i].member]};
    }
    return n;
}

static uint32_t make_name(pf_import *im, uint32_t kind, const uint64_t *v)
{
    static const char *const names[] = {"VIDIOC_QBUF",       "VIDIOC_DQBUF",  "vb2_v4l2_buf_queue",
                                        "vb2_v4l2_buf_done", "vb2_v4l2_qbuf", "vb2_v4l2_qbuf"};
    enum { LONGEST = 63 }; /* that Perfetto shows */
    im->scratch.len = 0;
    pf_buffer_format(&im->scratch, "%s minor=%d seq=%u type=%u index=%u", names[kind - QBUF], (int)(int32_t)v[MINOR],
                     (unsigned)v[SEQUENCE], (unsigned)v[TYPE], (unsigned)v[INDEX]);
    im->scratch.len = im->scratch.len > LONGEST ? LONGEST : im->scratch.len;
    return pf_import_scratch(im);
}

/* The first one that queued a buffer is where the arrow begins. */
static void add_arrow(pf_import *im, uint32_t kind, const uint64_t *v)
{
    const uint64_t parts[] = {QBUF, (uint32_t)v[MINOR], (uint32_t)v[SEQUENCE], (uint32_t)v[TYPE], (uint32_t)v[INDEX]};
    uint32_t key = pf_import_key(im, parts, sizeof parts);
    uint32_t arrow = key == PF_NONE ? PF_NONE : pf_map_get(&im->system.lines.arrows, key);
    bool queued = arrow != PF_NONE && arrow > 0;
    if (queued != (kind == DQBUF)) {
        return;
    }
    arrow = queued ? arrow : ++im->system.lines.last_arrow;
    pf_system_arrow(im, arrow, queued ? PF_FLOW_ARROW_TO : PF_FLOW_ARROW_FROM);
    pf_import_put(im, &im->system.lines.arrows, key, queued ? 0 : arrow);
}

void pf_event_v4l2(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4),
                     PF_AT_VARINT(5), PF_AT_VARINT(6), PF_AT_VARINT(7), PF_AT_VARINT(8), PF_AT_VARINT(9),
                     PF_AT_VARINT(10), PF_AT_VARINT(11), PF_AT_VARINT(12), PF_AT_VARINT(13), PF_AT_VARINT(14),
                     PF_AT_VARINT(15), PF_AT_VARINT(16), PF_AT_VARINT(17), PF_AT_VARINT(18));
    uint64_t v[MEMBERS] = {0};
    pf_system_arg args[PF_SYSTEM_ARGS_MAX];
    uint32_t kind = now->event->kind;
    bool whole = kind < BUF_QUEUE;
    for (int i = 1; i < (whole ? MEMBERS : 16); i++) {
        v[whole ? i : i + (i < 3 ? 1 : 2)] = f[i].value;
    }
    uint32_t utid = pf_lives_thread(im, now->event->tid), name = make_name(im, kind, v);
    uint32_t track = pf_import_failed(im) ? PF_NONE : pf_trace_thread_track(im->t, utid, im->err);
    size_t count = make_args(im, v, whole, args);
    pf_system_event(im, now->ts, 'i', track, name, pf_import_word(im, "Video 4 Linux 2"), args, count);
    if (whole) {
        add_arrow(im, kind, v);
    }
}
