/* test_device_records.c - profiles with what a device recorded, written here: what becomes rows, and what is drawn. */
#include "base/buffer.h"
#include "nibbles.h"
#include "pickles.h"

/* ---- writing pickles --------------------------------------------------------------------------------------------- */

static void put_word(pf_buffer *b, char op, uint32_t v)
{
    const char bytes[5] = {op, (char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};
    pf_buffer_put(b, bytes, sizeof bytes);
}

static void put_text(pf_buffer *b, const char *text)
{
    put_word(b, 'X', (uint32_t)strlen(text));
    pf_buffer_text(b, text);
}

static void put_bytes(pf_buffer *b, const void *bytes, size_t len)
{
    put_word(b, 'B', (uint32_t)len);
    pf_buffer_put(b, bytes, len);
}

static void put_decimal(pf_buffer *b, const char *text)
{
    pf_buffer_text(b, "cdecimal\nDecimal\n");
    put_text(b, text);
    pf_buffer_text(b, "\x85R");
}

/* An object up to its fields, and after them. */
static void begin(pf_buffer *b, const char *class)
{
    pf_buffer_format(b, "ctinygrad.device\n%s\n)\x81}(", class);
}

static void end(pf_buffer *b)
{
    pf_buffer_text(b, "ub");
}

static void put_number(pf_buffer *b, const char *field, int32_t v)
{
    put_text(b, field);
    put_word(b, 'J', (uint32_t)v);
}

static void put_device(pf_buffer *b, const char *name, const char *property, int32_t v)
{
    begin(b, "ProfileDeviceEvent");
    put_text(b, "device");
    put_text(b, name);
    put_text(b, "tdiff");
    put_decimal(b, "0");
    put_text(b, "props");
    pf_buffer_text(b, "}(");
    put_number(b, property, v);
    pf_buffer_text(b, "u");
    end(b);
}

static void put_program(pf_buffer *b, const char *name, int32_t tag)
{
    begin(b, "ProfileProgramEvent");
    put_text(b, "device");
    put_text(b, "AMD");
    put_text(b, "name");
    put_text(b, name);
    put_text(b, "lib");
    pf_buffer_text(b, "N");
    put_number(b, "base", 4096);
    put_number(b, "tag", tag);
    end(b);
}

static void put_range_on(pf_buffer *b, const char *device, const char *name, const char *from, const char *to)
{
    begin(b, "ProfileRangeEvent");
    put_text(b, "device");
    put_text(b, device);
    put_text(b, "name");
    put_text(b, name);
    put_text(b, "st");
    put_decimal(b, from);
    put_text(b, "en");
    put_decimal(b, to);
    end(b);
}

static void put_range(pf_buffer *b, const char *name, const char *from, const char *to)
{
    put_range_on(b, "AMD", name, from, to);
}

static void begin_record(pf_buffer *b, const char *class, const char *device, int32_t tag, int32_t execution)
{
    begin(b, class);
    put_text(b, "device");
    put_text(b, device);
    put_number(b, "kern", tag);
    put_number(b, "exec_tag", execution);
}

static void put_stream(pf_buffer *b, int32_t tag, int32_t execution, int32_t se, const nibbles *n)
{
    begin_record(b, "ProfileSQTTEvent", "AMD", tag, execution);
    put_number(b, "se", se);
    put_text(b, "itrace");
    pf_buffer_text(b, "\x89");
    put_text(b, "blob");
    put_bytes(b, n->bytes, n->count / 2);
    end(b);
}

static pf_trace *read_list(pf_buffer *b, pf_status expected)
{
    pf_trace *t;
    pf_error err;
    pf_buffer_text(b, "e.");
    cr_assert_not(b->failed);
    cr_assert_eq(read_profile_bytes(b->data, b->len, &t, &err), expected, "%s", err.text);
    pf_buffer_free(b);
    return t;
}

static pf_buffer new_list(void)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "\x80\x04](");
    return b;
}

/* ---- reading tables ---------------------------------------------------------------------------------------------- */

static int64_t cell(const pf_trace *t, const char *table, const char *column, uint32_t row)
{
    const pf_side_table *s = pf_trace_table(t, table);
    cr_assert(s && row < s->count, "%s has %u rows", table, s ? s->count : 0);
    uint32_t c = pf_side_column_named(s, column);
    cr_assert_neq(c, PF_NONE, "%s.%s", table, column);
    return s->spec->columns[c].type == PF_COLUMN_INT ? *pf_side_number(s, c, row) : (int64_t)*pf_side_ref(s, c, row);
}

static pf_str text_cell(const pf_trace *t, const char *table, const char *column, uint32_t row)
{
    return pf_trace_string(t, (uint32_t)cell(t, table, column, row));
}

static void expect_text(pf_str found, const char *expected)
{
    cr_expect(found.len == strlen(expected) && memcmp(found.ptr, expected, found.len) == 0, "'%.*s' is not '%s'",
              (int)found.len, found.ptr, expected);
}

/* ---- thread traces ----------------------------------------------------------------------------------------------- */

/* Two waves of CU 2, SIMD 1 from cycle 10 and 20 to 110 and 150. */
static void fill_waves(nibbles *n)
{
    put_header(n, 3);
    put_packet(n, 0x01 | 10ull << 12, 12);
    put_packet(n, 0x0c | 1 << 8 | 2 << 10 | 4 << 13, 8);
    put_packet(n, 0x01 | 10ull << 12, 12);
    put_packet(n, 0x0c | 1 << 8 | 2 << 10 | 5 << 13, 8);
    put_packet(n, 0x01 | 90ull << 12, 12);
    put_packet(n, 0x15 | 1 << 9 | 2 << 11 | 4 << 15, 5);
    put_packet(n, 0x01 | 40ull << 12, 12);
    put_packet(n, 0x15 | 1 << 9 | 2 << 11 | 5 << 15, 5);
    put_tail(n);
}

/* Two executions of one kernel: the second record is the second range's. */
static pf_trace *traced(void)
{
    nibbles n = {.count = 0};
    pf_buffer b = new_list();
    fill_waves(&n);
    put_device(&b, "AMD", "gfx_target_version", 110501);
    put_program(&b, "k", 7);
    put_range(&b, "k", "1000", "1010");
    put_range(&b, "other", "1100", "1101");
    put_range(&b, "k", "2000", "2010.5");
    put_stream(&b, 7, 1, 0, &n);
    put_stream(&b, 7, 2, 3, &n);
    put_stream(&b, 8, 3, 0, &n); /* of a program that is not here */
    return read_list(&b, PF_OK);
}

Test(device_records, streams_become_rows)
{
    pf_trace *t = traced();
    cr_expect_eq(pf_trace_table(t, "tinygrad_sqtt")->count, 3);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "se", 1), 3);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "exec_tag", 1), 2);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "tag", 1), 7);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "program", 1), 0);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "program", 2), PF_NONE);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "layout", 0), 3);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "max_waves", 0), 2);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "wave_cycles", 0), 100 + 130);
    cr_expect_eq(cell(t, "tinygrad_sqtt", "instructions", 0), INT64_MIN);
    expect_text(text_cell(t, "tinygrad_program", "target", 0), "gfx1151");
    cr_expect_eq(pf_trace_table(t, "tinygrad_sqtt_wave")->count, 6);
    cr_expect_eq(cell(t, "tinygrad_sqtt_wave", "start", 1), 20);
    cr_expect_eq(cell(t, "tinygrad_sqtt_wave", "end", 1), 150);
    cr_expect_eq(cell(t, "tinygrad_sqtt_slot", "cu", 1), 2);
    cr_expect_eq(cell(t, "tinygrad_sqtt_slot", "simd", 1), 1);
    cr_expect_eq(cell(t, "tinygrad_sqtt_slot", "wave", 1), 5);
    cr_expect_eq(pf_trace_table(t, "tinygrad_sqtt_slot")->count, 2, "shared by the streams");
    cr_expect_eq(cell(t, "tinygrad_sqtt", "first_packet", 1), cell(t, "tinygrad_sqtt", "packets", 0));
    pf_trace_free(t);
}

Test(device_records, records_are_joined_with_kernels)
{
    pf_trace *t = traced();
    const pf_side_table *s = pf_trace_table(t, "tinygrad_record");
    cr_assert_eq(s->count, 2, "that of the unknown program has no kernel");
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t kernel = (uint32_t)cell(t, "tinygrad_record", "kernel", i);
        cr_expect_eq(cell(t, "tinygrad_event", "ts", kernel), i ? 2000000 : 1000000);
        cr_expect_eq(cell(t, "tinygrad_record", "event", i), cell(t, "tinygrad_sqtt", "event", i));
        cr_expect_eq(cell(t, "tinygrad_record", "run", i), i);
    }
    pf_trace_free(t);
}

/* "SQTT k n2" > "SE 3" > "waves" > "CU 2 SIMD 1", a row for both slots. Without markers cycles are nanoseconds; the
 * first wave is at the start of the kernel. */
Test(device_records, waves_are_drawn_below_their_execution)
{
    pf_trace *t = traced();
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    const char *const names[] = {"CU 2 SIMD 1", "waves", "SE 3", "SQTT k n2"};
    unsigned waves = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str name = pf_trace_string(t, pf_slice_name(s, i));
        waves += name.len == 6 && memcmp(name.ptr + 1, " wave", 5) == 0;
        if (pf_slice_ts(s, i) == 2000000 + 10) {
            uint32_t track = s->track[i];
            cr_expect_eq(s->dur[i], 130);
            expect_text(name, "5 wave");
            cr_expect_neq(tracks->group[track], track, "it joins the row of slot 4");
            for (unsigned k = 0; k < 4; k++, track = tracks->parent[track]) {
                expect_text(pf_trace_string(t, tracks->name[track]), names[k]);
            }
            cr_expect_eq(track, PF_NONE);
        }
    }
    cr_expect_eq(waves, 4);
    pf_trace_free(t);
}

/* ---- counters and samples ---------------------------------------------------------------------------------------- */

static void put_counter(pf_buffer *b, const char *name, int32_t wgp, int32_t offset)
{
    begin(b, "PMCSample");
    put_text(b, "name");
    put_text(b, name);
    put_text(b, "block");
    put_text(b, "SQ");
    for (const char *const *field = (const char *const[]){"xcc", "inst", "se", "sa", NULL}; *field; field++) {
        put_number(b, *field, 1);
    }
    put_number(b, "wgp", wgp);
    put_number(b, "off", offset);
    put_number(b, "size", wgp * 8);
    put_text(b, "regsample");
    put_text(b, "reg");
    end(b);
}

static void put_counters(pf_buffer *b, int32_t run, const void *blob, size_t len)
{
    begin_record(b, "ProfilePMCEvent", "AMD", 0, run);
    put_text(b, "blob");
    put_bytes(b, blob, len);
    put_text(b, "sched");
    pf_buffer_text(b, "](");
    put_counter(b, "LARGE", 2, 0);
    put_counter(b, "SMALL", 3, 16);
    put_counter(b, "MISSING", 3, 24); /* its last value would be beyond the bytes */
    pf_buffer_text(b, "e");
    end(b);
}

static double sample(const pf_trace *t, const char *track, int64_t ts)
{
    const pf_counters *c = pf_trace_counters(t);
    for (uint32_t i = 0; i < c->count; i++) {
        pf_str name = pf_trace_string(t, pf_trace_tracks(t)->name[c->track[i]]);
        if (c->ts[i] == ts && name.len == strlen(track) && memcmp(name.ptr, track, name.len) == 0) {
            return c->value[i];
        }
    }
    cr_assert_fail("%s has no sample at %lld", track, (long long)ts);
    return 0;
}

Test(device_records, counters_have_128_bit_sums_and_are_drawn)
{
    uint64_t values[5] = {UINT64_MAX, UINT64_MAX, 3, 4, 5};
    pf_buffer b = new_list();
    put_device(&b, "AMD", "gfx_target_version", 110000);
    put_program(&b, "k", 0);
    put_range(&b, "k", "5", "6.5");
    put_range(&b, "k", "8", "9");
    put_counters(&b, 1, values, sizeof values);
    values[2] = 6;
    put_counters(&b, 2, values, sizeof values);
    pf_trace *t = read_list(&b, PF_OK);
    cr_expect_eq(cell(t, "tinygrad_pmc", "sum", 0), INT64_MIN);
    expect_text(text_cell(t, "tinygrad_pmc", "sum_digits", 0), "36893488147419103230");
    expect_text(text_cell(t, "tinygrad_pmc_value", "digits", 1), "18446744073709551615");
    cr_expect_eq(cell(t, "tinygrad_pmc", "sum", 1), 12);
    cr_expect_eq(cell(t, "tinygrad_pmc_value", "value", 4), 5);
    cr_expect_eq(cell(t, "tinygrad_pmc", "values", 2), 0);
    cr_expect_eq(cell(t, "tinygrad_pmc", "first_value", 2), PF_NONE);
    cr_expect_eq(sample(t, "SMALL", 5000), 12);
    cr_expect_eq(sample(t, "SMALL", 6500), 0);
    cr_expect_eq(sample(t, "SMALL", 8000), 15);
    cr_expect_eq(sample(t, "LARGE", 5000), 2 * 18446744073709551615.0);
    pf_trace_free(t);
}

Test(device_records, samples_are_summed_by_place_and_reason)
{
    uint8_t packet[32] = {0};
    pf_buffer b = new_list();
    packet[4] = 24;                          /* bytes of samples */
    packet[0] = 2, packet[8 + 1] = 1 << 5;   /* pc 0x20, key 1 */
    packet[12] = 2, packet[12 + 5] = 1 << 5; /* the same once more */
    packet[20] = 1, packet[20 + 5] = 3 << 5; /* pc 0x10, key 3 */
    put_device(&b, "NV", "sm_version", 0x890);
    begin_record(&b, "ProfilePMAEvent", "NV", 4, 1);
    put_text(&b, "blob");
    put_bytes(&b, packet, sizeof packet);
    end(&b);
    pf_trace *t = read_list(&b, PF_OK);
    cr_expect_eq(cell(t, "tinygrad_pma", "sm_version", 0), 0x890);
    cr_expect_eq(cell(t, "tinygrad_pma", "samples", 0), 3);
    cr_assert_eq(pf_trace_table(t, "tinygrad_pma_stall")->count, 2);
    cr_expect_eq(cell(t, "tinygrad_pma_stall", "pc", 0), 0x10);
    expect_text(text_cell(t, "tinygrad_pma_stall", "reason", 0), "SYNC");
    cr_expect_eq(cell(t, "tinygrad_pma_stall", "samples", 1), 2);
    expect_text(text_cell(t, "tinygrad_pma_stall", "reason", 1), "MEMORY_THROTTLE");
    cr_expect_eq(cell(t, "tinygrad_pma_sample", "pc", 2), 0x10);
    pf_trace_free(t);
}

/* Three samples: pc 0x20 with key 1 twice, and pc 0x10 with key 3, all of multiprocessor 1 of TPC 2 of GPC 3. */
static void put_samples(pf_buffer *b, int32_t tag, int32_t execution, bool dropped)
{
    uint8_t packet[64] = {0};
    packet[4] = 24;                          /* bytes of samples */
    packet[5] = 3 << 5 | 2 << 1 | 1;         /* place */
    packet[0] = 2, packet[8 + 1] = 1 << 5;   /* pc 0x20, key 1 */
    packet[12] = 2, packet[12 + 5] = 1 << 5; /* the same once more */
    packet[20] = 1, packet[20 + 5] = 3 << 5; /* pc 0x10, key 3 */
    packet[32 + 7] = dropped ? 1 << 4 : 0;   /* a packet without samples */
    begin_record(b, "ProfilePMAEvent", "NV", tag, execution);
    put_text(b, "blob");
    put_bytes(b, packet, sizeof packet);
    end(b);
}

/* The track of a counter of a place, found by both names. */
static uint32_t counter_at(const pf_trace *t, const char *place, const char *name)
{
    const pf_tracks *tracks = pf_trace_tracks(t);
    for (uint32_t i = 0; i < tracks->count; i++) {
        pf_str own = pf_trace_string(t, tracks->name[i]);
        pf_str above = tracks->parent[i] == PF_NONE ? PF_STR("") : pf_trace_string(t, tracks->name[tracks->parent[i]]);
        if (own.len == strlen(name) && memcmp(own.ptr, name, own.len) == 0 && above.len == strlen(place) &&
            memcmp(above.ptr, place, above.len) == 0) {
            return i;
        }
    }
    cr_assert_fail("no counter %s of %s", name, place);
    return PF_NONE;
}

static void expect_samples(const pf_trace *t, const char *place, const char *name, const char *expected)
{
    const pf_counters *c = pf_trace_counters(t);
    uint32_t track = counter_at(t, place, name);
    char found[256] = "";
    for (uint32_t i = 0; i < c->count; i++) {
        size_t n = strlen(found);
        if (c->track[i] == track) {
            snprintf(found + n, sizeof found - n, "%lld=%g ", (long long)c->ts[i], c->value[i]);
        }
    }
    cr_expect_str_eq(found, expected, "%s of %s", name, place);
    expect_text(pf_trace_string(t, pf_trace_tracks(t)->unit[track]), "samples");
}

/* Two executions of a program; a range of that name on another maker's device is none of them. Two streams of the
 * second are summed. */
Test(device_records, samples_are_counters_of_the_kernel_they_are_of)
{
    pf_buffer b = new_list();
    put_device(&b, "NV", "sm_version", 0x890);
    put_program(&b, "k", 4);
    put_range(&b, "k", "1", "2");
    put_range_on(&b, "NV", "k", "10", "12.5");
    put_range_on(&b, "NV", "other", "20", "21");
    put_range_on(&b, "NV", "k", "30", "33");
    put_samples(&b, 4, 7, false);
    put_samples(&b, 4, 8, true);
    put_samples(&b, 4, 8, false);
    pf_trace *t = read_list(&b, PF_OK);
    expect_samples(t, "all SMs", "MEMORY_THROTTLE", "10000=2 12500=0 30000=4 33000=0 ");
    expect_samples(t, "all SMs", "SYNC", "10000=1 12500=0 30000=2 33000=0 ");
    expect_samples(t, "GPC 3 TPC 2 SM 1", "SYNC", "10000=1 12500=0 30000=2 33000=0 ");
    const pf_events *e = pf_trace_events(t);
    unsigned notes = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        pf_str name = pf_trace_string(t, e->name[i]);
        if (name.len > 15 && memcmp(name.ptr, "samples dropped", 15) == 0) {
            cr_expect_eq(e->ts[i], 30000);
            notes++;
        }
    }
    cr_expect_eq(notes, 1);
    pf_trace_free(t);
}

/* One string of a megabyte in many events is a small file and much to decode. */
Test(device_records, repeated_bytes_are_a_limit)
{
    enum { LARGE = 1 << 20, TIMES = 64 };
    pf_trace *t;
    pf_error err;
    pf_buffer b = new_list();
    char *zeros = calloc(1, LARGE);
    begin_record(&b, "ProfileSQTTEvent", "AMD", 0, 0);
    put_text(&b, "blob");
    put_bytes(&b, zeros, LARGE);
    pf_buffer_text(&b, "q\x01");
    end(&b);
    for (int i = 0; i < TIMES; i++) {
        begin_record(&b, "ProfileSQTTEvent", "AMD", 0, i);
        put_text(&b, "blob");
        pf_buffer_text(&b, "h\x01");
        end(&b);
    }
    free(zeros);
    pf_buffer_text(&b, "e.");
    cr_assert_eq(read_profile_bytes(b.data, b.len, &t, &err), PF_ERR_LIMIT, "%s", err.text);
    cr_expect(strstr(err.text, "pickle opcode 0x65: the pickle repeats its byte strings"), "%s", err.text);
    cr_expect_eq(err.offset, b.len - 2, "%llu", (unsigned long long)err.offset);
    pf_buffer_free(&b);
}
