/* read/perfetto/android/frame_timelines.c - when frames of programs and of the whole display were expected, and when
 * they came: slices on two tracks of the process, called by the token of the frame.
 *
 * A start and an end are packets that share a cookie. Programs draw on surfaces, which SurfaceFlinger puts together to
 * a frame of the display: an arrow leads from each surface's frame to the display's frame that shows it, which starts
 * later. What is expected of a token is shown once for a process, however many surfaces it has.
 */
#include "base/list.h"
#include "read/perfetto/android/android.h"

enum { EXPECTED_DISPLAY = 1, ACTUAL_DISPLAY, EXPECTED_SURFACE, ACTUAL_SURFACE, FRAME_END };
enum { COOKIE = 1, TOKEN };
enum { DISPLAY_PID = 3 };
enum { SURFACE_DISPLAY_TOKEN = 3, SURFACE_PID, SURFACE_LAYER };

/* Members of actual frames, by what they say; 0: frames of that kind have none. */
typedef struct members {
    uint8_t present, in_time, gpu, jank, prediction, buffer, severity, delay, jitter, score, other_jank, other_present;
    uint8_t debug, latched, addressable, fence, animation;
} members;

static const members OF_DISPLAY = {.present = 4,
                                   .in_time = 5,
                                   .gpu = 6,
                                   .jank = 7,
                                   .prediction = 8,
                                   .severity = 9,
                                   .delay = 10,
                                   .score = 11,
                                   .other_jank = 12,
                                   .other_present = 13,
                                   .debug = 14,
                                   .latched = 15,
                                   .addressable = 16};
static const members OF_SURFACE = {.present = 6,
                                   .in_time = 7,
                                   .gpu = 8,
                                   .jank = 9,
                                   .prediction = 10,
                                   .buffer = 11,
                                   .severity = 12,
                                   .delay = 13,
                                   .jitter = 14,
                                   .score = 15,
                                   .other_jank = 16,
                                   .other_present = 17,
                                   .debug = 18,
                                   .fence = 19,
                                   .animation = 20};
#define MEMBERS 21u

/* An arrow to a frame of the display that has not started yet. */
typedef struct waiting {
    uint32_t arrow, next;
} waiting;

typedef struct pf_frames {
    pf_map open;     /* cookie -> 2 * upid, and 1 where it is an actual frame */
    pf_map expected; /* number of a process and a token -> 1 */
    pf_map arrows;   /* token of the display -> the first that waits for it */
    waiting *waiting;
    uint32_t count, room, unused; /* unused: the first one, or PF_NONE */
} pf_frames;

/* A frame that starts. */
typedef struct frame {
    const pf_packet *p;
    const pf_field *f; /* members by number, of which there are MEMBERS */
    int64_t token, display_token;
    uint32_t upid;
    bool surface, actual;
} frame;

static pf_frames *frames_of(pf_import *im)
{
    pf_budget *budget = &im->t->budget;
    if (!im->system.frames && !pf_import_failed(im)) {
        pf_frames *s = im->system.frames = pf_alloc_zero(budget, 1, sizeof *s);
        if (!s) {
            pf_import_refuse(im, sizeof *s);
            return NULL;
        }
        pf_map_init(&s->open, budget);
        pf_map_init(&s->expected, budget);
        pf_map_init(&s->arrows, budget);
        s->unused = PF_NONE;
    }
    return pf_import_failed(im) ? NULL : im->system.frames;
}

void pf_frames_free(pf_import *im)
{
    pf_frames *s = im->system.frames;
    if (s) {
        pf_map_free(&s->open);
        pf_map_free(&s->expected);
        pf_map_free(&s->arrows);
        PF_LIST_FREE(&im->t->budget, s->waiting, s->room);
        pf_release(&im->t->budget, s, sizeof *s);
        im->system.frames = NULL;
    }
}

/* ---- what the numbers mean --------------------------------------------------------------------------------------- */

enum {
    JANK_NONE = 1,
    JANK_SF_SCHEDULING = 1 << 1,
    JANK_PREDICTION_ERROR = 1 << 2,
    JANK_DISPLAY_HAL = 1 << 3,
    JANK_SF_CPU_DEADLINE = 1 << 4,
    JANK_SF_GPU_DEADLINE = 1 << 5,
    JANK_APP_DEADLINE = 1 << 6,
    JANK_BUFFER_STUFFING = 1 << 7,
    JANK_UNKNOWN = 1 << 8,
    JANK_SF_STUFFING = 1 << 9,
    JANK_DROPPED = 1 << 10,
    JANK_NON_ANIMATING = 1 << 11,
    JANK_APP_JITTER = 1 << 12,
    JANK_DISPLAY_OFF = 1 << 13,
    JANK_MODE_CHANGE = 1 << 14,
    JANK_POWER_MODE_CHANGE = 1 << 15
};
#define JANK_OF_DISPLAY                                                                                                \
    (JANK_SF_SCHEDULING | JANK_PREDICTION_ERROR | JANK_DISPLAY_HAL | JANK_SF_CPU_DEADLINE | JANK_SF_GPU_DEADLINE)
#define JANK_OF_SURFACE (JANK_APP_DEADLINE | JANK_APP_JITTER | JANK_UNKNOWN)

enum { PRESENT_DROPPED = 4, PRESENTS = 6, PREDICTIONS = 4, SEVERITIES = 4, FENCES = 4 };

static const char *const PRESENT[PRESENTS] = {"Unspecified Present", "On-time Present", "Late Present",
                                              "Early Present",       "Dropped Frame",   "Unknown Present"};
static const char *const PREDICTION[PREDICTIONS] = {"Unspecified Prediction", "Valid Prediction", "Expired Prediction",
                                                    "Unknown Prediction"};
static const char *const SEVERITY[SEVERITIES] = {"Unknown", "None", "Partial", "Full"};
static const char *const FENCE[FENCES] = {"Unknown", "Latched Signaled", "Latched Unsignaled",
                                          "Delayed Latch Fence Unsignaled"};

/* The reasons of a frame that came late, as a string id. */
static uint32_t jank_text(pf_import *im, int32_t jank)
{
    static const struct {
        int32_t bit;
        const char *text;
    } reasons[] = {{JANK_SF_SCHEDULING, "SurfaceFlinger Scheduling"},
                   {JANK_PREDICTION_ERROR, "Prediction Error"},
                   {JANK_DISPLAY_HAL, "Display HAL"},
                   {JANK_SF_CPU_DEADLINE, "SurfaceFlinger CPU Deadline Missed"},
                   {JANK_SF_GPU_DEADLINE, "SurfaceFlinger GPU Deadline Missed"},
                   {JANK_APP_DEADLINE, "App Deadline Missed"},
                   {JANK_APP_JITTER, "App Resynced Jitter"},
                   {JANK_BUFFER_STUFFING, "Buffer Stuffing"},
                   {JANK_UNKNOWN, "Unknown Jank"},
                   {JANK_SF_STUFFING, "SurfaceFlinger Stuffing"},
                   {JANK_DROPPED, "Dropped Frame"},
                   {JANK_NON_ANIMATING, "Non Animating"},
                   {JANK_DISPLAY_OFF, "Display not ON"},
                   {JANK_MODE_CHANGE, "ModeChange in progress"},
                   {JANK_POWER_MODE_CHANGE, "PowerModeChange in progress"}};
    im->scratch.len = 0;
    pf_buffer_text(&im->scratch, jank == 0 ? "Unspecified" : jank == JANK_NONE ? "None" : "");
    for (size_t i = 0; i < PF_TAG_COUNT(reasons) && jank != JANK_NONE; i++) {
        if (jank & reasons[i].bit) {
            pf_buffer_text(&im->scratch, im->scratch.len ? ", " : "");
            pf_buffer_text(&im->scratch, reasons[i].text);
        }
    }
    return pf_import_scratch(im);
}

/* Whose fault it was. */
static const char *jank_tag(int32_t jank, bool surface, bool dropped)
{
    bool none = jank == JANK_NONE || jank == JANK_NON_ANIMATING || jank == JANK_DISPLAY_OFF;
    bool of_display = !none && jank & JANK_OF_DISPLAY, of_surface = !none && surface && jank & JANK_OF_SURFACE;
    return jank == 0                                                       ? "Unspecified"
           : of_surface || (of_display && !surface)                        ? "Self Jank"
           : of_display                                                    ? "Other Jank"
           : surface && jank == JANK_BUFFER_STUFFING                       ? "Buffer Stuffing"
           : jank == JANK_SF_STUFFING                                      ? "SurfaceFlinger Stuffing"
           : (surface ? dropped : jank == JANK_DROPPED)                    ? "Dropped Frame"
           : (none && jank != JANK_NONE) || jank == JANK_POWER_MODE_CHANGE ? "Non-perceivable Jank"
                                                                           : "No Jank";
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

typedef struct arg_list {
    pf_import *im;
    size_t count;
    pf_system_arg list[PF_SYSTEM_ARGS_MAX];
} arg_list;

static void put(arg_list *a, const char *key, pf_value_type type, int64_t value)
{
    a->list[a->count++] = (pf_system_arg){key, type, value};
}

static void put_word(arg_list *a, const char *key, const char *word)
{
    put(a, key, PF_VALUE_STRING, pf_import_word(a->im, word));
}

static void put_real(arg_list *a, const char *key, const pf_field *f)
{
    double value = pf_bits_to_float((uint32_t)f->value);
    int64_t stored;
    memcpy(&stored, &value, sizeof stored);
    put(a, key, PF_VALUE_REAL, stored);
}

/* The number of a member from 1 on that has `count` meanings; 0 where it has none of them, which is counted. */
static uint32_t choice(arg_list *a, const frame *s, uint32_t member, uint32_t count)
{
    int32_t value = (int32_t)s->f[member].value;
    bool fits = value >= 1 && value < (int32_t)count;
    if (s->f[member].tag && !fits) {
        pf_import_count(a->im, s->p->r, PF_STAT_FRAME_ERRORS);
    }
    return s->f[member].tag && fits ? (uint32_t)value : 0;
}

static void put_layer(arg_list *a, const frame *s)
{
    const pf_field *layer = &s->f[SURFACE_LAYER];
    put(a, "Layer name", PF_VALUE_STRING, layer->tag ? pf_import_text(a->im, pf_field_text(layer)) : 0);
}

static void put_number(arg_list *a, const frame *s, const char *key, uint32_t member)
{
    if (member && s->f[member].tag) {
        put(a, key, PF_VALUE_INT, (int64_t)s->f[member].value);
    }
}

/* How the frame came onto the display, and why late. */
static void put_outcome(arg_list *a, const frame *s, const members *m)
{
    const pf_field *f = s->f;
    uint32_t present = choice(a, s, m->present, PRESENTS), other = choice(a, s, m->other_present, PRESENTS);
    int32_t jank = (int32_t)f[m->jank].value, other_jank = (int32_t)f[m->other_jank].value;
    uint32_t severity = f[m->severity].tag ? (uint32_t)f[m->severity].value : jank == JANK_NONE;
    put_word(a, "Present type", PRESENT[present]);
    put_word(a, "Present type (experimental)", PRESENT[other]);
    put(a, "On time finish", PF_VALUE_INT, f[m->in_time].value != 0);
    put(a, "GPU composition", PF_VALUE_INT, f[m->gpu].value != 0);
    put(a, "Jank type", PF_VALUE_STRING, jank_text(a->im, jank));
    put(a, "Jank type (experimental)", PF_VALUE_STRING, jank_text(a->im, other_jank));
    put_word(a, "Jank severity type", SEVERITY[severity < SEVERITIES ? severity : 0]);
    put_real(a, "Jank Severity Score", &f[m->score]);
    put_word(a, "Prediction type", PREDICTION[choice(a, s, m->prediction, PREDICTIONS)]);
    put_word(a, "Jank tag", jank_tag(jank, s->surface, present == PRESENT_DROPPED));
    put_word(a, "Jank tag (experimental)", jank_tag(other_jank, s->surface, other == PRESENT_DROPPED));
}

static void put_args(arg_list *a, const frame *s)
{
    const members *m = s->surface ? &OF_SURFACE : &OF_DISPLAY;
    const pf_field *f = s->f;
    if (s->surface) {
        put(a, "Surface frame token", PF_VALUE_INT, s->token);
    }
    put(a, "Display frame token", PF_VALUE_INT, s->display_token);
    if (s->actual && m->animation && f[m->animation].tag) {
        put_real(a, "Animation Time (ms)", &f[m->animation]);
    }
    if (s->actual) {
        put_real(a, "Present Delay (ms)", &f[m->delay]);
    }
    if (s->actual && s->surface) {
        put_real(a, "Vsync Resynced Jitter (ms)", &f[m->jitter]);
    }
    if (s->surface) {
        put_layer(a, s);
    }
    if (!s->actual) {
        return;
    }
    put_outcome(a, s, m);
    if (s->surface) {
        put_word(a, "Is Buffer?", !f[m->buffer].tag ? "Unspecified" : f[m->buffer].value ? "Yes" : "No");
    }
    put_real(a, "Jank Metadata (debugging only)", &f[m->debug]);
    put_number(a, s, "Latched unsignaled count", m->latched);
    put_number(a, s, "Addressable unsignaled latch count", m->addressable);
    if (m->fence && f[m->fence].tag) {
        put_word(a, "Latched fence state", FENCE[f[m->fence].value < FENCES ? f[m->fence].value : 0]);
    }
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static uint32_t track_of(pf_import *im, uint32_t upid, bool actual, int64_t cookie)
{
    const pf_cookie_state *s = pf_system_cookie(
        im, &(pf_cookie){actual ? PF_TRACK_ACTUAL_FRAMES : PF_TRACK_EXPECTED_FRAMES, upid, 0, cookie, false});
    return s ? s->track : PF_NONE;
}

/* An arrow leaves from the frame of a surface that was added last. */
static void leave(pf_import *im, pf_frames *s, int64_t display_token)
{
    uint32_t first = pf_map_get(&s->arrows, (uint64_t)display_token), i = s->unused;
    if (i != PF_NONE) {
        s->unused = s->waiting[i].next;
    } else if (PF_LIST_ROOM(&im->t->budget, s->waiting, s->count + 1, s->room, im->err) == PF_OK) {
        i = s->count++;
    } else {
        return;
    }
    s->waiting[i] = (waiting){++im->system.lines.last_arrow, first};
    pf_system_arrow(im, s->waiting[i].arrow, PF_FLOW_ARROW_FROM);
    pf_import_put(im, &s->arrows, (uint64_t)display_token, i);
}

/* All that wait for the frame of the display that was added last come to it. */
static void arrive(pf_import *im, pf_frames *s, int64_t token)
{
    uint32_t i = pf_map_get(&s->arrows, (uint64_t)token);
    pf_map_drop(&s->arrows, (uint64_t)token);
    while (i != PF_NONE) {
        uint32_t next = s->waiting[i].next;
        pf_system_arrow(im, s->waiting[i].arrow, PF_FLOW_ARROW_TO);
        s->waiting[i].next = s->unused;
        s->unused = i;
        i = next;
    }
}

/* Whether the process has the token on its track already. */
static bool is_expected(pf_import *im, pf_frames *s, const frame *f)
{
    const int64_t parts[] = {PF_TRACK_EXPECTED_FRAMES, f->upid, f->token};
    uint32_t key = pf_import_key(im, parts, sizeof parts);
    bool known = key != PF_NONE && pf_map_get(&s->expected, key) != PF_NONE;
    if (!known && key != PF_NONE) {
        pf_import_put(im, &s->expected, key, 1);
    }
    return known;
}

static void begin_frame(pf_import *im, const frame *s, int64_t cookie)
{
    pf_frames *frames = frames_of(im);
    if (!frames || s->upid == PF_NONE) {
        return;
    }
    pf_import_put(im, &frames->open, (uint64_t)cookie, 2 * s->upid + s->actual);
    if (s->surface && !s->actual && is_expected(im, frames, s)) {
        return;
    }
    arg_list args = {.im = im};
    put_args(&args, s);
    im->scratch.len = 0;
    pf_buffer_format(&im->scratch, "%lld", (long long)s->token);
    uint32_t name = pf_import_scratch(im);
    pf_system_event(im, s->p->at->ts, 'B', track_of(im, s->upid, s->actual, cookie), name, 0, args.list, args.count);
    if (s->actual && s->surface) {
        leave(im, frames, s->display_token);
    } else if (s->actual) {
        arrive(im, frames, s->token);
    }
}

static void end_frame(pf_import *im, const pf_packet *p, pf_cursor c)
{
    const pf_field cookie = pf_cursor_last(c, PF_TAG_VARINT(COOKIE));
    pf_frames *s = frames_of(im);
    uint32_t open = s && cookie.tag ? pf_map_get(&s->open, cookie.value) : PF_NONE;
    if (open == PF_NONE) {
        pf_import_count(im, p->r, cookie.tag ? PF_STAT_FRAME_UNPAIRED : PF_STAT_FRAME_ERRORS);
        return;
    }
    pf_system_event(im, p->at->ts, 'E', track_of(im, open / 2, open % 2, (int64_t)cookie.value), 0, 0, NULL, 0);
    pf_map_drop(&s->open, cookie.value);
}

static void start_frame(pf_import *im, const pf_packet *p, uint32_t kind, pf_cursor c)
{
    frame s = {.p = p,
               .surface = kind == EXPECTED_SURFACE || kind == ACTUAL_SURFACE,
               .actual = kind == ACTUAL_DISPLAY || kind == ACTUAL_SURFACE};
    pf_field f[MEMBERS] = {{0}};
    for (pf_field each; pf_cursor_next(&c, &each) == PF_NEXT_FIELD;) {
        if (pf_field_number(&each) < MEMBERS) {
            f[pf_field_number(&each)] = each;
        }
    }
    uint32_t pid = s.surface ? SURFACE_PID : DISPLAY_PID;
    if (!f[COOKIE].tag || !f[TOKEN].tag || !f[pid].tag || (s.surface && !f[SURFACE_DISPLAY_TOKEN].tag)) {
        pf_import_count(im, p->r, PF_STAT_FRAME_ERRORS);
        return;
    }
    s.f = f;
    s.token = (int64_t)f[TOKEN].value;
    s.display_token = s.surface ? (int64_t)f[SURFACE_DISPLAY_TOKEN].value : s.token;
    s.upid = pf_lives_process(im, (int32_t)f[pid].value);
    begin_frame(im, &s, (int64_t)f[COOKIE].value);
}

void pf_import_frame_timeline(pf_import *im, const pf_packet *p)
{
    enum { LAST_SECONDS = 10 }; /* of the time that 64 bits hold: nobody's frame */
    const int64_t latest = INT64_MAX - LAST_SECONDS * INT64_C(1000000000);
    pf_cursor c = pf_cursor_over(p->data.bytes, p->data.len);
    uint32_t kind = EXPECTED_DISPLAY;
    pf_field event = {0};
    for (; kind <= FRAME_END && !event.tag; kind++) {
        event = pf_cursor_last(c, PF_TAG_BYTES(kind));
    }
    pf_cursor inner = pf_cursor_over(event.bytes, event.len);
    if (!event.tag || p->at->ts >= latest) {
        pf_import_count(im, p->r, PF_STAT_FRAME_ERRORS);
    } else if (kind - 1 == FRAME_END) {
        end_frame(im, p, inner);
    } else {
        start_frame(im, p, kind - 1, inner);
    }
}
