/* read/perfetto/apply/trace_info.c - packets in which a trace describes itself: the system it was recorded on, its
 * configuration, the milestones of the recording, what Chrome and the UI noted. They become rows of the metadata table,
 * under the names that Perfetto gives them, and the row of the machine.
 *
 * The milestones are times of the boot clock. They are kept as they are until all snapshots of clocks were read.
 */
#include <stdio.h>

#include "perfetto/fields.h"
#include "read/perfetto/apply/trace_info.h"
#include "read/perfetto/import/metadata_rows.h"

/* A field of a message and the metadata that it becomes. */
typedef struct about_field {
    uint32_t field;
    bool is_text;
    const char *name;
    int column; /* of the machine's row, or -1 */
} about_field;

static pf_status set_number(pf_import *im, const char *name, int64_t number)
{
    return pf_import_set_metadata(im, (pf_str){name, strlen(name)}, (pf_str){NULL, 0}, number);
}

static pf_status set_text(pf_import *im, const char *name, pf_str text)
{
    return pf_import_set_metadata(im, (pf_str){name, strlen(name)}, text, 0);
}

/* ---- the system -------------------------------------------------------------------------------------------------- */

static pf_status need_machine(pf_import *im)
{
    return im->t->sides.known[PF_SIDE_MACHINE].count ? PF_OK
                                                     : pf_side_add_row(&im->t->sides.known[PF_SIDE_MACHINE], im->err);
}

static pf_status set_machine(pf_import *im, const about_field *a, const pf_field *f)
{
    pf_side_table *machine = &im->t->sides.known[PF_SIDE_MACHINE];
    pf_status st = need_machine(im);
    if (st != PF_OK || a->column < 0) {
        return st;
    }
    if (!a->is_text) {
        *pf_side_number(machine, (unsigned)a->column, 0) = (int64_t)f->value;
        return PF_OK;
    }
    pf_str text = pf_field_text(f);
    uint32_t id = pf_strings_add(&im->t->strings, text.ptr, text.len, im->err);
    *pf_side_ref(machine, (unsigned)a->column, 0) = id == PF_NONE ? 0 : id;
    return id == PF_NONE ? im->err->code : PF_OK;
}

/* The fields of `c` that the list knows; the last of each counts. */
static pf_status take_fields(pf_import *im, pf_cursor c, const about_field *list, size_t count)
{
    pf_field f;
    pf_status st = PF_OK;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        for (size_t i = 0; i < count && st == PF_OK; i++) {
            const about_field *a = &list[i];
            if (f.tag != (a->is_text ? PF_TAG_BYTES(a->field) : PF_TAG_VARINT(a->field))) {
                continue;
            }
            if (a->name) {
                st = a->is_text ? set_text(im, a->name, pf_field_text(&f)) : set_number(im, a->name, (int64_t)f.value);
            }
            st = st == PF_OK ? set_machine(im, a, &f) : st;
        }
    }
    return st;
}

static pf_status take_system(pf_import *im, const pf_field *data)
{
    static const about_field NAMES[] = {
        {1, true, "system_name", PF_MACHINE_SYSNAME},
        {2, true, "system_version", PF_MACHINE_VERSION},
        {3, true, "system_release", PF_MACHINE_RELEASE},
        {4, true, "system_machine", PF_MACHINE_ARCH},
    };
    static const about_field SYSTEM[] = {
        {2, true, "android_build_fingerprint", PF_MACHINE_FINGERPRINT},
        {4, true, "tracing_service_version", -1},
        {5, false, "android_sdk_version", PF_MACHINE_SDK},
        {7, false, "timezone_off_mins", -1},
        {8, false, NULL, PF_MACHINE_CPUS},
        {16, false, "system_ram_bytes", PF_MACHINE_RAM_BYTES},
        {17, true, NULL, PF_MACHINE_NAME},
    };
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    pf_status st = need_machine(im);
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_SYSTEM_UTSNAME)) {
            st = take_fields(im, pf_field_cursor(&f), NAMES, sizeof NAMES / sizeof *NAMES);
        }
    }
    st = st == PF_OK ? take_fields(im, pf_field_cursor(data), SYSTEM, sizeof SYSTEM / sizeof *SYSTEM) : st;
    int64_t ram =
        st == PF_OK ? *pf_side_number(&im->t->sides.known[PF_SIDE_MACHINE], PF_MACHINE_RAM_BYTES, 0) : INT64_MIN;
    if (st != PF_OK || ram == INT64_MIN) {
        return st;
    }
    int64_t gb = ram / 1000000000 + (ram % 1000000000 >= 500000000);
    *pf_side_number(&im->t->sides.known[PF_SIDE_MACHINE], PF_MACHINE_RAM_GB, 0) = gb;
    return set_number(im, "system_ram_gb", gb);
}

/* ---- the recording ----------------------------------------------------------------------------------------------- */

pf_status pf_import_set_uuid(pf_import *im, uint64_t msb, uint64_t lsb)
{
    char text[40];
    if (!msb && !lsb) {
        return PF_OK;
    }
    int len = snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(msb >> 32),
                       (unsigned)(msb >> 16 & 0xffff), (unsigned)(msb & 0xffff), (unsigned)(lsb >> 48),
                       (unsigned long long)(lsb & 0xffffffffffffull));
    im->about.has_uuid = true;
    return set_text(im, "trace_uuid", (pf_str){text, (size_t)len});
}

/* A buffer that stops at its end loses what comes then, if the recording goes on into a file. */
static bool discards(const pf_field *buffer)
{
    pf_cursor c = pf_field_cursor(buffer);
    pf_field f;
    uint64_t policy = 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        policy = f.tag == PF_TAG_VARINT(PF_F_BUFFER_FILL_POLICY) ? f.value : policy;
    }
    return policy == PF_BUFFER_DISCARD;
}

static pf_status take_config(pf_import *im, const pf_record *r, const pf_field *data)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    pf_status st = PF_OK;
    uint64_t msb = 0, lsb = 0, discarding = 0;
    bool to_file = false, has_flush = false;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        switch (f.tag) {
        case PF_TAG_BYTES(PF_F_CONFIG_BUFFERS):
            discarding += discards(&f);
            break;
        case PF_TAG_VARINT(PF_F_CONFIG_WRITE_INTO_FILE):
            to_file = f.value != 0;
            break;
        case PF_TAG_VARINT(PF_F_CONFIG_FLUSH_PERIOD_MS):
            has_flush = true;
            break;
        case PF_TAG_BYTES(PF_F_CONFIG_UNIQUE_SESSION_NAME):
            st = set_text(im, "unique_session_name", pf_field_text(&f));
            break;
        case PF_TAG_VARINT(PF_F_CONFIG_TRACE_UUID_MSB):
            msb = f.value;
            break;
        case PF_TAG_VARINT(PF_F_CONFIG_TRACE_UUID_LSB):
            lsb = f.value;
            break;
        default:
            break;
        }
    }
    if (to_file && !has_flush) {
        pf_trace_count(im->t, PF_STAT_CONFIG_NO_FLUSH, pf_import_offset(im, r));
    }
    for (; to_file && discarding > 0; discarding--) {
        pf_trace_count(im->t, PF_STAT_CONFIG_DISCARD, pf_import_offset(im, r));
    }
    return st == PF_OK && !im->about.has_uuid ? pf_import_set_uuid(im, msb, lsb) : st;
}

/* Data sources that were slow to start, by producer and name. */
static pf_status add_slow_sources(pf_import *im, const pf_field *list)
{
    pf_cursor c = pf_field_cursor(list);
    pf_field entry, f;
    pf_status st = PF_OK;
    while (st == PF_OK && pf_cursor_next(&c, &entry) == PF_NEXT_FIELD) {
        if (entry.tag != PF_TAG_BYTES(PF_F_SLOW_DATA_SOURCE)) {
            continue;
        }
        pf_str names[2] = {{"", 0}, {"", 0}};
        pf_cursor inner = pf_field_cursor(&entry);
        while (pf_cursor_next(&inner, &f) == PF_NEXT_FIELD) {
            if (f.tag == PF_TAG_BYTES(PF_F_SLOW_PRODUCER_NAME) || f.tag == PF_TAG_BYTES(PF_F_SLOW_SOURCE_NAME)) {
                names[f.tag == PF_TAG_BYTES(PF_F_SLOW_SOURCE_NAME)] = pf_field_text(&f);
            }
        }
        pf_buffer *b = &im->scratch;
        b->len = 0;
        pf_buffer_put(b, names[0].ptr, names[0].len);
        pf_buffer_text(b, " ");
        pf_buffer_put(b, names[1].ptr, names[1].len);
        st = b->failed ? pf_budget_refused(&im->t->budget, entry.len, im->err)
                       : pf_trace_add_metadata(im->t, PF_STR("slow_start_data_source"), (pf_str){b->data, b->len}, 0,
                                               im->err);
    }
    return st;
}

static const char *const MILESTONES[] = {[PF_F_SERVICE_ALL_DATA_SOURCES_STARTED] = "all_data_source_started_ns",
                                         [PF_F_SERVICE_TRACING_STARTED] = "tracing_started_ns",
                                         [PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED] = "all_data_source_flushed_ns",
                                         [PF_F_SERVICE_READ_BUFFERS_COMPLETED] = NULL,
                                         [PF_F_SERVICE_TRACING_DISABLED] = "tracing_disabled_ns"};
#define MILESTONE_COUNT (sizeof MILESTONES / sizeof *MILESTONES)

pf_status pf_import_service_event(pf_import *im, const pf_record *r, const pf_field *data)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    pf_status st = PF_OK;
    int64_t ts = r->has & PF_HAS_TIMESTAMP ? (int64_t)r->timestamp : 0;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t field = pf_field_number(&f);
        if (f.tag == PF_TAG_BYTES(PF_F_SERVICE_SLOW_STARTING)) {
            st = add_slow_sources(im, &f);
        } else if (f.tag == PF_TAG_VARINT(field) && f.value && field < MILESTONE_COUNT && MILESTONES[field]) {
            const char *name = MILESTONES[field];
            bool many = field == PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED;
            st = many ? pf_trace_add_metadata(im->t, (pf_str){name, strlen(name)}, (pf_str){NULL, 0}, ts, im->err)
                      : set_number(im, name, ts);
            im->about.has_milestones = true;
        }
    }
    return st;
}

/* ---- Chrome and the UI ------------------------------------------------------------------------------------------- */

static pf_status set_chrome(pf_import *im, pf_str name, pf_str text, int64_t number)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "cr-");
    pf_buffer_put(&b, name.ptr, name.len);
    pf_status st = b.failed ? pf_budget_refused(&im->t->budget, name.len, im->err)
                            : pf_import_set_metadata(im, (pf_str){b.data, b.len}, text, number);
    pf_buffer_free(&b);
    return st;
}

/* ChromeEventBundle.metadata: one value of any type. */
static pf_status take_chrome_entry(pf_import *im, const pf_record *r, pf_cursor c)
{
    pf_str name = {"", 0}, text = {NULL, 0};
    int64_t number = 0;
    bool has_number = false;
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_CHROME_METADATA_NAME)) {
            name = pf_field_text(&f);
        } else if (f.tag == PF_TAG_BYTES(PF_F_CHROME_METADATA_STRING) ||
                   f.tag == PF_TAG_BYTES(PF_F_CHROME_METADATA_JSON)) {
            text = pf_field_text(&f);
        } else if (f.tag == PF_TAG_VARINT(PF_F_CHROME_METADATA_BOOL) ||
                   f.tag == PF_TAG_VARINT(PF_F_CHROME_METADATA_INT)) {
            number = f.tag == PF_TAG_VARINT(PF_F_CHROME_METADATA_BOOL) ? f.value != 0 : (int64_t)f.value;
            has_number = true;
        }
    }
    if (!text.ptr && !has_number) {
        pf_trace_count(im->t, PF_STAT_CHROME_METADATA_EMPTY, pf_import_offset(im, r));
        return PF_OK;
    }
    return set_chrome(im, name, text, number);
}

static pf_status take_chrome_events(pf_import *im, const pf_record *r, const pf_field *data)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f;
    pf_status st = PF_OK;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_CHROME_EVENTS_METADATA)) {
            st = take_chrome_entry(im, r, pf_field_cursor(&f));
        }
    }
    return st;
}

static pf_status take_ui_state(pf_import *im, const pf_field *data)
{
    pf_buffer *b = &im->scratch;
    b->len = 0;
    pf_buffer_base64(b, data->bytes, data->len);
    return b->failed ? pf_budget_refused(&im->t->budget, data->len, im->err)
                     : set_text(im, "ui_state", (pf_str){b->len ? b->data : "", b->len});
}

static pf_status take_range(pf_import *im, const pf_record *r, const pf_field *data)
{
    pf_cursor c = pf_field_cursor(data);
    pf_field f, start = {0};
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        start = f.tag == PF_TAG_VARINT(PF_F_RANGE_START_US) ? f : start;
    }
    if (!start.tag) {
        pf_trace_count(im->t, PF_STAT_RANGE_NO_START, pf_import_offset(im, r));
        return PF_OK;
    }
    return set_number(im, "range_of_interest_start_us", (int64_t)start.value);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

pf_status pf_import_about(pf_import *im, const pf_record *r, const pf_field *data, bool *taken)
{
    *taken = true;
    switch (r->data) {
    case PF_F_PACKET_SYSTEM_INFO:
        return take_system(im, data);
    case PF_F_PACKET_TRACE_CONFIG:
        return take_config(im, r, data);
    case PF_F_PACKET_CHROME_EVENTS:
        return take_chrome_events(im, r, data);
    case PF_F_PACKET_UI_STATE:
        return take_ui_state(im, data);
    case PF_F_PACKET_RANGE_OF_INTEREST:
        return take_range(im, r, data);
    default:
        *taken = false;
        return PF_OK;
    }
}

/* Milestones are moved to the trace clock, where a snapshot relates the boot clock to it. */
pf_status pf_import_settle_milestones(pf_import *im)
{
    pf_trace *t = im->t;
    for (size_t m = 0; im->about.has_milestones && m < MILESTONE_COUNT; m++) {
        const pf_str name = {MILESTONES[m], MILESTONES[m] ? strlen(MILESTONES[m]) : 0};
        uint32_t id = name.ptr ? pf_trace_find_string(t, name) : PF_NONE;
        for (uint32_t i = im->about.first_row; id != PF_NONE && i < t->metadata.count; i++) {
            int64_t ts;
            if (t->metadata.name[i] != id) {
                continue;
            }
            pf_clock_outcome outcome =
                pf_clocks_convert(&im->clocks, (pf_clock_key){PF_CLOCK_BOOTTIME, 0}, t->metadata.number[i], &ts);
            if (outcome == PF_CLOCK_NO_MEMORY) {
                return pf_budget_refused(&t->budget, 1u << 12, im->err);
            }
            t->metadata.number[i] = outcome == PF_CLOCK_OK ? ts : t->metadata.number[i];
        }
    }
    return PF_OK;
}
