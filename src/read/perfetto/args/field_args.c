/* read/perfetto/args/field_args.c - fields of a TrackEvent that become arguments (docs/reference/perfetto.md,
 * "Arguments").
 *
 * Some of them are read as a whole and come in a fixed order, whatever their order in the event: source location,
 * posted task, log message, screenshot, correlation id, the id of a legacy operation. After these come the fields that
 * are shown as they are, in the order of the event, then the annotations (packet_args.c), and at last the letter of
 * those legacy phases that would otherwise be lost.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "perfetto/decode/packet.h"
#include "read/perfetto/args/args_walker.h"

/* The fields that are read as a whole. */
typedef enum whole {
    SOURCE = 1,
    TASK,
    LOG,
    SCREENSHOT,
    CORRELATION,
    CORRELATION_TEXT,
    CORRELATION_IID,
    LEGACY,
    WHOLE
} whole;

/* The last occurrence of each of them; tag 0 where there is none. */
static void choose(const uint8_t *event, size_t len, pf_field k[WHOLE])
{
    static const uint8_t wholes[] = {[PF_TAG_VARINT(PF_F_EVENT_SOURCE_LOCATION_IID)] = SOURCE,
                                     [PF_TAG_BYTES(PF_F_EVENT_TASK_EXECUTION)] = TASK,
                                     [PF_TAG_BYTES(PF_F_EVENT_LOG_MESSAGE)] = LOG,
                                     [PF_TAG_BYTES(PF_F_EVENT_SCREENSHOT)] = SCREENSHOT,
                                     [PF_TAG_VARINT(PF_F_EVENT_CORRELATION_ID)] = CORRELATION,
                                     [PF_TAG_BYTES(PF_F_EVENT_CORRELATION_ID_STR)] = CORRELATION_TEXT,
                                     [PF_TAG_VARINT(PF_F_EVENT_CORRELATION_ID_STR_IID)] = CORRELATION_IID,
                                     [PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT)] = LEGACY};
    pf_cursor c = pf_cursor_over(event, len);
    pf_field f;
    memset(k, 0, WHOLE * sizeof *k);
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        unsigned at = f.tag < sizeof wholes ? wholes[f.tag] : 0;
        k[at] = at ? f : k[at];
    }
}

/* The name of a file with slashes in one direction. */
static pf_str with_slashes(pf_walker *w, pf_str path)
{
    pf_buffer *b = &w->text;
    if (!path.len || !memchr(path.ptr, '\\', path.len)) {
        return path;
    }
    b->len = 0;
    pf_buffer_put(b, path.ptr, path.len);
    for (size_t i = 0; !b->failed && i < b->len; i++) {
        b->data[i] = b->data[i] == '\\' ? '/' : b->data[i];
    }
    return b->failed ? path : (pf_str){b->data, b->len};
}

/* Sends a text that is NULL where it is absent or empty. */
static pf_status send_or_null(pf_walker *w, const char *key, pf_str text)
{
    const pf_value value = {.type = PF_VALUE_STRING, .as.s = text.len ? text : (pf_str){NULL, 0}};
    return pf_walker_send(w, pf_str_of(key), &value);
}

/* An interned location; keys: of file, function and line. That of a log message has its function first, and a line that
 * is a signed number. */
static pf_status take_location_iid(pf_walker *w, uint64_t iid, const char *const keys[3], bool of_log)
{
    pf_str entry = pf_walker_interned(w, PF_INTERN_SOURCE_LOCATION, iid);
    if (!iid || !entry.ptr) {
        return PF_OK;
    }
    PF_CURSOR_FIELDS(f, pf_cursor_over((const uint8_t *)entry.ptr, entry.len), PF_AT_BYTES(PF_F_LOCATION_FILE_NAME),
                     PF_AT_BYTES(PF_F_LOCATION_FUNCTION_NAME), PF_AT_VARINT(PF_F_LOCATION_LINE_NUMBER));
    const pf_str path = pf_field_text(&f[PF_F_LOCATION_FILE_NAME]);
    const pf_str texts[2] = {of_log ? path : with_slashes(w, path), pf_field_text(&f[PF_F_LOCATION_FUNCTION_NAME])};
    PF_TRY(send_or_null(w, keys[of_log], texts[of_log]));
    PF_TRY(send_or_null(w, keys[!of_log], texts[!of_log]));
    return pf_walker_send_number(w, keys[2], of_log ? PF_VALUE_INT : PF_VALUE_UINT, f[PF_F_LOCATION_LINE_NUMBER].value);
}

/* A location inside the event, as it is. */
static pf_status take_location(pf_walker *w, pf_cursor c)
{
    static const struct {
        uint32_t tag;
        const char *key;
    } parts[] = {{PF_TAG_VARINT(PF_F_LOCATION_IID), "source_location.iid"},
                 {PF_TAG_BYTES(PF_F_LOCATION_FILE_NAME), "source_location.file_name"},
                 {PF_TAG_BYTES(PF_F_LOCATION_FUNCTION_NAME), "source_location.function_name"},
                 {PF_TAG_VARINT(PF_F_LOCATION_LINE_NUMBER), "source_location.line_number"}};
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (f.tag == parts[i].tag) {
                PF_TRY(f.bytes ? pf_walker_send_text(w, parts[i].key, pf_field_text(&f))
                               : pf_walker_send_number(w, parts[i].key, PF_VALUE_UINT, f.value));
            }
        }
    }
    return PF_OK;
}

/* ---- before the annotations: what is read as a whole
 * --------------------------------------------------------------------------- */

static pf_status take_task(pf_walker *w, const pf_field *task)
{
    static const char *const keys[3] = {"task.posted_from.file_name", "task.posted_from.function_name",
                                        "task.posted_from.line_number"};
    const pf_field iid = pf_cursor_last(pf_field_cursor(task), PF_TAG_VARINT(PF_F_TASK_POSTED_FROM_IID));
    return iid.tag ? take_location_iid(w, iid.value, keys, false) : PF_OK;
}

/* A message whose text nothing defines says nothing at all. */
static pf_status take_log_message(pf_walker *w, const pf_field *log)
{
    static const char *const keys[3] = {"track_event.log_message.file_name", "track_event.log_message.function_name",
                                        "track_event.log_message.line_number"};
    PF_CURSOR_FIELDS(f, pf_field_cursor(log), PF_AT_VARINT(PF_F_LOG_SOURCE_LOCATION_IID),
                     PF_AT_VARINT(PF_F_LOG_BODY_IID), PF_AT_VARINT(PF_F_LOG_PRIORITY));
    if (!f[PF_F_LOG_BODY_IID].tag) {
        return PF_OK;
    }
    pf_str body = pf_walker_interned(w, PF_INTERN_LOG_BODY, f[PF_F_LOG_BODY_IID].value);
    if (!body.ptr) {
        return PF_OK;
    }
    PF_TRY(pf_walker_send_text(w, "track_event.log_message.message", body));
    if (f[PF_F_LOG_SOURCE_LOCATION_IID].tag) {
        PF_TRY(take_location_iid(w, f[PF_F_LOG_SOURCE_LOCATION_IID].value, keys, true));
    }
    const pf_field *priority = &f[PF_F_LOG_PRIORITY];
    return priority->tag ? pf_walker_send_number(w, "track_event.priority", PF_VALUE_INT, priority->value) : PF_OK;
}

static pf_status take_screenshot(pf_walker *w, const pf_field *screenshot)
{
    static const char *const keys[] = {"screenshot.jpg_image", "screenshot.pam_image", "screenshot.ppm_image"};
    for (uint32_t i = 0; i < 3; i++) {
        const pf_field f = pf_cursor_last(pf_field_cursor(screenshot), PF_TAG_BYTES(PF_F_SCREENSHOT_JPG + i));
        if (f.tag) {
            w->text.len = 0;
            pf_buffer_base64(&w->text, f.bytes, f.len);
            PF_TRY(w->text.failed ? pf_budget_refused(&w->t->budget, f.len, w->err) : PF_OK);
            PF_TRY(pf_walker_send_text(w, keys[i], (pf_str){w->text.len ? w->text.data : "", w->text.len}));
        }
    }
    return PF_OK;
}

static pf_status take_correlation(pf_walker *w, const pf_field *k)
{
    char text[32];
    pf_str id = {text, 0};
    if (k[CORRELATION].tag) {
        id.len = (size_t)snprintf(text, sizeof text, "tp:#%llu", (unsigned long long)k[CORRELATION].value);
    } else if (k[CORRELATION_TEXT].tag) {
        id = pf_field_text(&k[CORRELATION_TEXT]);
    } else if (k[CORRELATION_IID].tag) {
        id = pf_walker_interned(w, PF_INTERN_CORRELATION_ID, k[CORRELATION_IID].value);
    } else {
        return PF_OK;
    }
    const pf_value value = {.type = PF_VALUE_STRING, .as.s = id};
    return pf_walker_send(w, PF_STR("correlation_id"), &value);
}

static pf_status take_operation_id(pf_walker *w, const uint8_t *event, size_t len)
{
    const pf_legacy l = pf_legacy_read(event, len);
    uint64_t id;
    bool local;
    return pf_legacy_is_async(l.phase) && pf_legacy_async_id(&l, &id, &local)
               ? pf_walker_send_number(w, "legacy_trace_source_id", PF_VALUE_INT, id)
               : PF_OK;
}

/* The varints with that tag as a list of that name; nothing if there are none. */
static pf_status send_list(pf_walker *w, const char *key, pf_cursor c, uint32_t tag, bool is_signed)
{
    pf_field f;
    bool begun = false;
    while (pf_cursor_next_of(&c, tag, &f)) {
        const pf_value number = {.type = is_signed ? PF_VALUE_INT : PF_VALUE_UINT,
                                 .as.u = is_signed ? (uint64_t)(int64_t)(int32_t)f.value : f.value};
        if (!begun) {
            PF_TRY(w->v->begin(w->v->ctx, pf_str_of(key), true));
        }
        begun = true;
        PF_TRY(pf_walker_send(w, (pf_str){NULL, 0}, &number));
    }
    return begun ? w->v->end(w->v->ctx) : PF_OK;
}

static pf_status take_gpu_correlation(pf_walker *w, pf_cursor c)
{
    PF_TRY(send_list(w, "gpu_correlation.render_stage_submission_event_ids", c,
                     PF_TAG_VARINT(PF_F_CORRELATION_SUBMISSION_IDS), false));
    return send_list(w, "gpu_correlation.render_stage_wait_event_ids", c, PF_TAG_VARINT(PF_F_CORRELATION_WAIT_IDS),
                     false);
}

static pf_status take_gpu_api(pf_walker *w, uint64_t api)
{
    static const char *const names[] = {"UNDEFINED", "OPEN_GL", "VULKAN", "OPEN_CL", "CUDA", "HIP"};
    char text[32];
    int len = api < sizeof names / sizeof *names ? snprintf(text, sizeof text, "GPU_API_%s", names[api])
                                                 : snprintf(text, sizeof text, "%d", (int)(int32_t)api);
    return pf_walker_send_text(w, "gpu_api", (pf_str){text, (size_t)len});
}

static pf_status take_as_is(pf_walker *w, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_EVENT_SOURCE_LOCATION_IID):
        return pf_walker_send_number(w, "source_location_iid", PF_VALUE_UINT, f->value);
    case PF_TAG_BYTES(PF_F_EVENT_SOURCE_LOCATION):
        return take_location(w, pf_field_cursor(f));
    case PF_TAG_BYTES(PF_F_EVENT_ACTIVE_PROCESSES):
        return send_list(w, "chrome_active_processes.pid", pf_field_cursor(f), PF_TAG_VARINT(PF_F_ACTIVE_PROCESSES_PID),
                         true);
    case PF_TAG_BYTES(PF_F_EVENT_ACTIVE_PROCESSES_EXTENSION):
        return send_list(w, "active_processes.pid", pf_field_cursor(f), PF_TAG_VARINT(PF_F_ACTIVE_PROCESSES_PID), true);
    case PF_TAG_BYTES(PF_F_EVENT_GPU_CORRELATION):
        return take_gpu_correlation(w, pf_field_cursor(f));
    case PF_TAG_VARINT(PF_F_EVENT_GPU_API):
        return take_gpu_api(w, f->value);
    default:
        return PF_OK;
    }
}

bool pf_walker_field_gives(pf_str name)
{
    static const char *const plain[] = {"correlation_id", "legacy_trace_source_id", "source_location_iid", "gpu_api"};
    bool gives = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        gives = gives || pf_str_is(name, plain[i]);
    }
    return gives;
}

pf_status pf_walker_fields_before(pf_walker *w, const uint8_t *event, size_t len)
{
    static const char *const source[3] = {"source.file_name", "source.function_name", "source.line_number"};
    pf_cursor c = pf_cursor_over(event, len);
    pf_field f, k[WHOLE];
    choose(event, len, k);
    if (k[SOURCE].tag) {
        PF_TRY(take_location_iid(w, k[SOURCE].value, source, false));
    }
    if (k[TASK].tag) {
        PF_TRY(take_task(w, &k[TASK]));
    }
    if (k[LOG].tag) {
        PF_TRY(take_log_message(w, &k[LOG]));
    }
    if (k[SCREENSHOT].tag) {
        PF_TRY(take_screenshot(w, &k[SCREENSHOT]));
    }
    PF_TRY(take_correlation(w, k));
    if (k[LEGACY].tag) {
        PF_TRY(take_operation_id(w, event, len));
    }
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        PF_TRY(take_as_is(w, &f));
    }
    return PF_OK;
}

pf_status pf_walker_fields_after(pf_walker *w, const uint8_t *event, size_t len)
{
    const pf_legacy l = pf_legacy_read(event, len);
    const char letter = (char)l.phase;
    return l.phase == 'R' || l.phase == 'S' || l.phase == 'T' || l.phase == 'p'
               ? pf_walker_send_text(w, "legacy_event.phase", (pf_str){&letter, 1})
               : PF_OK;
}
