/* read/perfetto/apply/trace_info.c - packets in which a trace describes itself: the system it was recorded on, its
 * configuration, the milestones of the recording, what Chrome and the UI noted. They become rows of the metadata table,
 * under the names that Perfetto gives them, and the row of the machine.
 *
 * The milestones are times of the boot clock. They are kept as they are until all snapshots of clocks were read.
 */
#include <stdio.h>

#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/packet_apply.h"
#include "read/perfetto/ftrace/ftrace.h"
#include "trace_packet.pb-c.h"

/* A field of a message and the metadata that it becomes. */
typedef struct about_field {
    uint32_t field;
    bool is_text;
    const char *name;
    int column; /* of the machine's row, or -1 */
} about_field;

static void set_machine(pf_import *im, const about_field *a, const pf_field *f)
{
    const pf_side_table *machine = &im->t->sides.known[PF_SIDE_MACHINE];
    if (a->column < 0 || pf_import_failed(im)) {
        return;
    }
    if (a->is_text) {
        *pf_side_ref(machine, (unsigned)a->column, im->machine.number) = pf_import_text(im, pf_field_text(f));
    } else {
        *pf_side_number(machine, (unsigned)a->column, im->machine.number) = (int64_t)f->value;
    }
}

/* The fields of `c` that the list knows, in its order; the last of each counts. */
static void take_fields(pf_import *im, pf_cursor c, const about_field *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const about_field *a = &list[i];
        const pf_field f = pf_cursor_last(c, a->is_text ? PF_TAG_BYTES(a->field) : PF_TAG_VARINT(a->field));
        if (f.tag && a->name && a->is_text) {
            pf_import_set_text(im, a->name, pf_field_text(&f));
        } else if (f.tag && a->name) {
            pf_import_set_number(im, a->name, (int64_t)f.value);
        }
        if (f.tag) {
            set_machine(im, a, &f);
        }
    }
}

void pf_import_system_info(pf_import *im, const pf_packet *p)
{
    static const about_field NAMES[] = {
        {1, true, "system_name", PF_MACHINE_SYSNAME},
        {2, true, "system_version", PF_MACHINE_VERSION},
        {3, true, "system_release", PF_MACHINE_RELEASE},
        {4, true, "system_machine", PF_MACHINE_ARCH},
    };
    static const about_field SYSTEM[] = {
        {7, false, "timezone_off_mins", -1},
        {2, true, "android_build_fingerprint", PF_MACHINE_FINGERPRINT},
        {14, true, "android_device_manufacturer", PF_MACHINE_MANUFACTURER},
        {5, false, "android_sdk_version", PF_MACHINE_SDK},
        {4, true, "tracing_service_version", -1},
        {9, true, "android_soc_model", -1},
        {13, true, "android_guest_soc_model", -1},
        {10, true, "android_hardware_revision", -1},
        {11, true, "android_storage_model", -1},
        {12, true, "android_ram_model", -1},
        {15, true, "android_serial_console", -1},
        {8, false, NULL, PF_MACHINE_CPUS},
        {16, false, "system_ram_bytes", PF_MACHINE_RAM_BYTES},
        {17, true, NULL, PF_MACHINE_NAME},
    };
    const pf_side_table *machine = &im->t->sides.known[PF_SIDE_MACHINE];
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    if (!machine->count && pf_import_side_row(im, PF_SIDE_MACHINE) == PF_NONE) {
        return;
    }
    const pf_field page = pf_cursor_last(c, PF_TAG_VARINT(PF_F_SYSTEM_PAGE_SIZE));
    im->system.page_size = page.value ? (uint32_t)page.value : 4096;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_SYSTEM_UTSNAME), &f)) {
        take_fields(im, pf_field_cursor(&f), NAMES, sizeof NAMES / sizeof *NAMES);
    }
    take_fields(im, pf_field_cursor(&p->data), SYSTEM, sizeof SYSTEM / sizeof *SYSTEM);
    int64_t ram = *pf_side_number(machine, PF_MACHINE_RAM_BYTES, im->machine.number);
    if (ram != INT64_MIN) {
        int64_t gb = ram / 1000000000 + (ram % 1000000000 >= 500000000);
        *pf_side_number(machine, PF_MACHINE_RAM_GB, im->machine.number) = gb;
        pf_import_set_number(im, "system_ram_gb", gb);
    }
}

static void set_uuid(pf_import *im, uint64_t msb, uint64_t lsb)
{
    char text[40];
    if (!msb && !lsb) {
        return;
    }
    int len = snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(msb >> 32),
                       (unsigned)(msb >> 16 & 0xffff), (unsigned)(msb & 0xffff), (unsigned)(lsb >> 48),
                       (unsigned long long)(lsb & 0xffffffffffffull));
    im->about.has_uuid = true;
    pf_import_set_text(im, "trace_uuid", (pf_str){text, (size_t)len});
}

void pf_import_trace_uuid(pf_import *im, const pf_packet *p)
{
    const Pf__Proto__TraceUuid *uuid = pf_import_unpack(im, &pf__proto__trace_uuid__descriptor, &p->data);
    if (uuid) {
        set_uuid(im, (uint64_t)uuid->msb, (uint64_t)uuid->lsb);
    }
}

/* A buffer that stops at its end loses what comes then, if the recording goes on into a file. */
static bool discards(const pf_field *buffer)
{
    return pf_cursor_last(pf_field_cursor(buffer), PF_TAG_VARINT(PF_F_BUFFER_FILL_POLICY)).value == PF_BUFFER_DISCARD;
}

/* The order in which the kernel's packets and others are applied is decided before the first of them. */
static void expect_ftrace(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field source;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_CONFIG_DATA_SOURCES), &source)) {
        const pf_field config = pf_cursor_last(pf_field_cursor(&source), PF_TAG_BYTES(PF_F_DATA_SOURCE_CONFIG));
        const pf_field name = pf_cursor_last(pf_field_cursor(&config), PF_TAG_BYTES(PF_F_DATA_SOURCE_NAME));
        if (pf_str_is(pf_field_text(&name), "linux.ftrace")) {
            (void)pf_ftrace_begin(im);
        }
    }
}

void pf_import_trace_config(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field buffer;
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(PF_F_CONFIG_WRITE_INTO_FILE), PF_AT_VARINT(PF_F_CONFIG_FLUSH_PERIOD_MS),
                     PF_AT_BYTES(PF_F_CONFIG_UNIQUE_SESSION_NAME), PF_AT_VARINT(PF_F_CONFIG_TRACE_UUID_MSB),
                     PF_AT_VARINT(PF_F_CONFIG_TRACE_UUID_LSB));
    bool to_file = f[PF_F_CONFIG_WRITE_INTO_FILE].value != 0;
    expect_ftrace(im, p);
    if (f[PF_F_CONFIG_UNIQUE_SESSION_NAME].tag) {
        pf_import_set_text(im, "unique_session_name", pf_field_text(&f[PF_F_CONFIG_UNIQUE_SESSION_NAME]));
    }
    if (to_file && !f[PF_F_CONFIG_FLUSH_PERIOD_MS].tag) {
        pf_import_count(im, p->r, PF_STAT_CONFIG_NO_FLUSH);
    }
    while (to_file && pf_cursor_next(&c, &buffer) == PF_NEXT_FIELD) {
        if (buffer.tag == PF_TAG_BYTES(PF_F_CONFIG_BUFFERS) && discards(&buffer)) {
            pf_import_count(im, p->r, PF_STAT_CONFIG_DISCARD);
        }
    }
    if (!im->about.has_uuid) {
        set_uuid(im, f[PF_F_CONFIG_TRACE_UUID_MSB].value, f[PF_F_CONFIG_TRACE_UUID_LSB].value);
    }
}

/* Data sources that were slow to start, by producer and name. */
static void add_slow_sources(pf_import *im, const pf_field *list)
{
    pf_cursor c = pf_field_cursor(list);
    pf_field entry;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_SLOW_DATA_SOURCE), &entry)) {
        const pf_field producer = pf_cursor_last(pf_field_cursor(&entry), PF_TAG_BYTES(PF_F_SLOW_PRODUCER_NAME));
        const pf_field source = pf_cursor_last(pf_field_cursor(&entry), PF_TAG_BYTES(PF_F_SLOW_SOURCE_NAME));
        pf_buffer *b = &im->scratch;
        b->len = 0;
        pf_buffer_put(b, producer.bytes, producer.len);
        pf_buffer_text(b, " ");
        pf_buffer_put(b, source.bytes, source.len);
        pf_import_add_metadata(im, PF_STR("slow_start_data_source"), pf_import_scratch_text(im), 0);
    }
}

static const char *const MILESTONES[] = {[PF_F_SERVICE_ALL_DATA_SOURCES_STARTED] = "all_data_source_started_ns",
                                         [PF_F_SERVICE_TRACING_STARTED] = "tracing_started_ns",
                                         [PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED] = "all_data_source_flushed_ns",
                                         [PF_F_SERVICE_READ_BUFFERS_COMPLETED] = NULL,
                                         [PF_F_SERVICE_TRACING_DISABLED] = "tracing_disabled_ns"};
#define MILESTONE_COUNT (sizeof MILESTONES / sizeof *MILESTONES)

/* Flush and read markers of a long recording decide where annotations may stand, too (docs/reference/perfetto.md,
 * "Writing into a trace"). */
void pf_import_service_event(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    int64_t ts = p->r->has & PF_HAS_TIMESTAMP ? (int64_t)p->r->timestamp : 0;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t field = pf_field_number(&f);
        if (f.tag == PF_TAG_BYTES(PF_F_SERVICE_SLOW_STARTING)) {
            add_slow_sources(im, &f);
        } else if (f.tag == PF_TAG_VARINT(PF_F_SERVICE_READ_BUFFERS_COMPLETED) && f.value) {
            im->input->has_service_events = true;
        } else if (f.tag == PF_TAG_VARINT(field) && f.value && field < MILESTONE_COUNT && MILESTONES[field]) {
            bool many = field == PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED;
            im->input->has_service_events |= many && ++im->about.flushes >= 2;
            (many ? pf_import_add_metadata : pf_import_set_metadata)(im, pf_str_of(MILESTONES[field]),
                                                                     (pf_str){NULL, 0}, ts);
            im->about.has_milestones = true;
        }
    }
}

/* ChromeEventBundle.metadata: one value of any type. */
static void take_chrome_entry(pf_import *im, const pf_record *r, pf_cursor c)
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
        pf_import_count(im, r, PF_STAT_CHROME_METADATA_EMPTY);
        return;
    }
    pf_import_set_metadata(im, pf_import_join(im, PF_STR("cr-"), name), text, number);
}

void pf_import_chrome_events(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_CHROME_EVENTS_METADATA), &f)) {
        take_chrome_entry(im, p->r, pf_field_cursor(&f));
    }
}

void pf_import_ui_state(pf_import *im, const pf_packet *p)
{
    im->scratch.len = 0;
    pf_buffer_base64(&im->scratch, p->data.bytes, p->data.len);
    pf_import_set_text(im, "ui_state", pf_import_scratch_text(im));
}

void pf_import_range_of_interest(pf_import *im, const pf_packet *p)
{
    const pf_field start = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_VARINT(PF_F_RANGE_START_US));
    if (start.tag) {
        pf_import_set_number(im, "range_of_interest_start_us", (int64_t)start.value);
    } else {
        pf_import_count(im, p->r, PF_STAT_RANGE_NO_START);
    }
}

/* Milestones are moved to the trace clock, where a snapshot relates the boot clock to it. */
void pf_import_settle_milestones(pf_import *im)
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
                pf_import_refuse(im, 1u << 12);
                return;
            }
            t->metadata.number[i] = outcome == PF_CLOCK_OK ? ts : t->metadata.number[i];
        }
    }
}
