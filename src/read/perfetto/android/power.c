/* read/perfetto/android/power.c - what batteries and the rails of power supplies measured, as counters.
 *
 * Batteries that say no charge have it from energy and voltage, and power is current times voltage. Packets of rails
 * describe them by number, in any order with what was measured, so measurements wait until all packets were read. Each
 * has a time of its own; the time of its packet is an argument.
 */
#include <math.h>

#include "base/list.h"
#include "base/str.h"
#include "perfetto/fields.h"
#include "read/perfetto/android/android.h"

enum { CHARGE_UAH = 1, CAPACITY, CURRENT_UA, CURRENT_AVERAGE_UA, NAME, ENERGY_UWH, VOLTAGE_UV };
enum { RAIL_DESCRIPTOR = 1, RAIL_DATA, RAIL_SESSION };
enum { DESCRIPTOR_INDEX = 1, DESCRIPTOR_NAME, DESCRIPTOR_SUBSYSTEM, INDEX_MAX = 256 };
enum { DATA_INDEX = 1, DATA_MILLISECONDS, DATA_ENERGY };

/* ---- batteries --------------------------------------------------------------------------------------------------- */

/* It is shown whether it has samples or not. */
static uint32_t battery_track(pf_import *im, pf_str battery, const char *counter)
{
    const pf_dims dims = {pf_import_text(im, battery), pf_import_word(im, counter)};
    uint32_t track = pf_system_track(im, PF_TRACK_BATTERY, PF_NONE, dims);
    if (track != PF_NONE && battery.len) {
        pf_import_join(im, PF_STR("batt."), battery);
        pf_buffer_text(&im->scratch, ".");
        pf_buffer_text(&im->scratch, counter);
        im->t->tracks.name[track] = pf_import_scratch(im);
    }
    if (track != PF_NONE) {
        im->t->tracks.used[track] = 1;
    }
    return track;
}

static void add_battery(pf_import *im, const pf_packet *p, pf_str battery, const char *counter, double value)
{
    pf_import_add_sample(im, p->r, p->at, battery_track(im, battery, counter), value);
}

void pf_import_battery(pf_import *im, const pf_packet *p)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&p->data),
                     PF_AT_VARINT(CHARGE_UAH), [CAPACITY] = PF_TAG(CAPACITY, PF_WIRE_FIXED32), PF_AT_VARINT(CURRENT_UA),
                     PF_AT_VARINT(CURRENT_AVERAGE_UA), PF_AT_BYTES(NAME), PF_AT_VARINT(ENERGY_UWH),
                     PF_AT_VARINT(VOLTAGE_UV));
    const pf_str name = f[NAME].len ? pf_field_text(&f[NAME]) : (pf_str){NULL, 0};
    int64_t voltage = (int64_t)f[VOLTAGE_UV].value, current = (int64_t)f[CURRENT_UA].value;
    if (f[CHARGE_UAH].tag) {
        add_battery(im, p, name, "charge_uah", (double)(int64_t)f[CHARGE_UAH].value);
    } else if (f[ENERGY_UWH].tag && f[VOLTAGE_UV].tag) {
        if (voltage > 0) {
            int64_t charge = (int64_t)(f[ENERGY_UWH].value * 1000000) / voltage;
            add_battery(im, p, name, "charge_uah", (double)charge);
        } else {
            (void)battery_track(im, name, "charge_uah");
        }
    }
    if (f[CAPACITY].tag) {
        add_battery(im, p, name, "capacity_pct", pf_bits_to_float((uint32_t)f[CAPACITY].value));
    }
    if (f[CURRENT_UA].tag) {
        add_battery(im, p, name, "current_ua", (double)current);
    }
    if (f[CURRENT_AVERAGE_UA].tag) {
        add_battery(im, p, name, "current.avg_ua", (double)(int64_t)f[CURRENT_AVERAGE_UA].value);
    }
    if (f[VOLTAGE_UV].tag) {
        add_battery(im, p, name, "voltage_uv", (double)voltage);
    }
    if (f[CURRENT_UA].tag && f[VOLTAGE_UV].tag) {
        int64_t power = (int64_t)(f[CURRENT_UA].value * f[VOLTAGE_UV].value) / 1000000000;
        add_battery(im, p, name, "power_mw", fabs((double)power));
    }
}

/* ---- rails ------------------------------------------------------------------------------------------------------- */

typedef struct measured {
    int64_t ts, packet_ts;
    uint64_t energy, offset;
    uint32_t rail; /* number of what it is known by */
} measured;

typedef struct pf_rails {
    pf_map track_of; /* number of a session and an index -> track */
    measured *list;
    uint32_t count, room;
} pf_rails;

static pf_rails *rails_of(pf_import *im)
{
    if (!im->system.rails && !pf_import_failed(im)) {
        im->system.rails = pf_alloc_zero(&im->t->budget, 1, sizeof *im->system.rails);
        if (!im->system.rails) {
            pf_import_refuse(im, sizeof *im->system.rails);
            return NULL;
        }
        pf_map_init(&im->system.rails->track_of, &im->t->budget);
    }
    return pf_import_failed(im) ? NULL : im->system.rails;
}

void pf_rails_free(pf_import *im)
{
    pf_rails *s = im->system.rails;
    if (s) {
        pf_map_free(&s->track_of);
        PF_LIST_FREE(&im->t->budget, s->list, s->room);
        pf_release(&im->t->budget, s, sizeof *s);
        im->system.rails = NULL;
    }
}

static uint32_t rail_key(pf_import *im, uint64_t session, uint64_t index)
{
    const uint64_t parts[] = {PF_TRACK_POWER_RAIL, session, (uint32_t)index};
    return pf_import_key(im, parts, sizeof parts);
}

/* What rails of known phones supply, by how their names end; NULL: it is none of these. */
static const char *supplied(pf_str rail)
{
    static const char *const known[][2] = {{"M_VDD_CPUCL0", "cpu.little"},
                                           {"M_VDD_CPUCL0_M", "cpu.little.mem"},
                                           {"M_VDD_CPUCL1", "cpu.mid"},
                                           {"M_VDD_CPUCL1_M", "cpu.mid.mem"},
                                           {"M_VDD_CPUCL2", "cpu.big"},
                                           {"M_VDD_INT", "system.fabric"},
                                           {"M_VDD_TPU", "tpu"},
                                           {"VSYS_PWR_DISP", "display"},
                                           {"VSYS_PWR_DISPLAY", "display"},
                                           {"M_DISP", "ldo.main.a.display"},
                                           {"VSYS_PWR_MODEM", "modem"},
                                           {"M_VDD_MIF", "memory.interface"},
                                           {"VSYS_PWR_WLAN_BT", "wifi.bt"},
                                           {"VSYS_PWR_MMWAVE", "mmwave"},
                                           {"S_VDD_AOC_RET", "aoc.memory"},
                                           {"S_VDD_AOC", "aoc.logic"},
                                           {"S_VDDQ_MEM", "ddr.a"},
                                           {"S_VDD2L", "ddr.b"},
                                           {"S_VDD2L_MEM", "ddr.b"},
                                           {"S_VDD2H_MEM", "ddr.c"},
                                           {"S_VDD_G3D", "gpu"},
                                           {"S_VDD_G3D_L2", "gpu.l2"},
                                           {"S_GNSS_CORE", "gps"},
                                           {"VSYS_PWR_RFFE", "radio.frontend"},
                                           {"VSYS_PWR_CAMERA", "camera"},
                                           {"S_VDD_CAM", "multimedia"},
                                           {"S_UDFPS", "udfps"},
                                           {"S_PLL_MIPI_UFS", "ufs"},
                                           {"M_LLDO1", "ldo.main.a"},
                                           {"M_LLDO2", "ldo.main.b"},
                                           {"S_LLDO1", "ldo.sub"}};
    for (size_t i = 0; i < PF_TAG_COUNT(known); i++) {
        if (pf_str_ends(rail, pf_str_of(known[i][0]))) {
            return known[i][1];
        }
    }
    return NULL;
}

static void describe_rail(pf_import *im, pf_rails *s, uint64_t session, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(DESCRIPTOR_INDEX), PF_AT_BYTES(DESCRIPTOR_NAME),
                     PF_AT_BYTES(DESCRIPTOR_SUBSYSTEM));
    if ((uint32_t)f[DESCRIPTOR_INDEX].value > INDEX_MAX) {
        return;
    }
    const pf_str name = f[DESCRIPTOR_NAME].len ? pf_field_text(&f[DESCRIPTOR_NAME]) : (pf_str){NULL, 0};
    const pf_dims dims = {pf_import_text(im, name), (int64_t)session};
    uint32_t before = im->t->tracks.count, track = pf_system_track(im, PF_TRACK_POWER_RAIL, PF_NONE, dims);
    if (track == PF_NONE) {
        return;
    }
    if (im->t->tracks.count > before) {
        const char *known = supplied(name);
        pf_import_arg_text(im, PF_OWNER_TRACK_SOURCE, track, "raw_name", name);
        pf_import_arg_text(im, PF_OWNER_TRACK_SOURCE, track, "subsystem_name",
                           pf_field_text_or_null(&f[DESCRIPTOR_SUBSYSTEM]));
        if (known) {
            pf_str shown = pf_import_join(im, PF_STR("power.rails."), pf_str_of(known));
            im->t->tracks.name[track] = pf_import_text(im, shown);
        }
    }
    im->t->tracks.used[track] = 1;
    pf_import_put(im, &s->track_of, rail_key(im, session, f[DESCRIPTOR_INDEX].value), track);
}

static void take_measured(pf_import *im, pf_rails *s, const pf_packet *p, uint64_t session, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(DATA_INDEX), PF_AT_VARINT(DATA_MILLISECONDS), PF_AT_VARINT(DATA_ENERGY));
    pf_moment at = {.clock = {PF_CLOCK_BOOTTIME, 0}, .ts = (int64_t)(f[DATA_MILLISECONDS].value * 1000000)};
    uint64_t offset = pf_import_offset(im, p->r);
    if (f[DATA_MILLISECONDS].tag && !pf_import_settle(im, &at, offset)) {
        return;
    }
    const measured m = {.ts = f[DATA_MILLISECONDS].tag ? at.ts : pf_import_now(im, p->at),
                        .packet_ts = pf_import_now(im, p->at),
                        .energy = f[DATA_ENERGY].value,
                        .offset = offset,
                        .rail = rail_key(im, session, f[DATA_INDEX].value)};
    if (m.ts < 0) {
        pf_import_count(im, p->r, PF_STAT_NEGATIVE_TS);
    } else if (!pf_import_failed(im) &&
               PF_LIST_ROOM(&im->t->budget, s->list, s->count + 1, s->room, im->err) == PF_OK) {
        s->list[s->count++] = m;
    }
}

void pf_import_power_rails(pf_import *im, const pf_packet *p)
{
    uint64_t session = pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_VARINT(RAIL_SESSION)).value;
    pf_rails *s = rails_of(im);
    bool measures = false;
    pf_field f;
    for (pf_cursor c = pf_field_cursor(&p->data); s && pf_cursor_next_of(&c, PF_TAG_BYTES(RAIL_DESCRIPTOR), &f);) {
        describe_rail(im, s, session, pf_field_cursor(&f));
    }
    for (pf_cursor c = pf_field_cursor(&p->data); s && pf_cursor_next_of(&c, PF_TAG_BYTES(RAIL_DATA), &f);) {
        take_measured(im, s, p, session, pf_field_cursor(&f));
        measures = true;
    }
    if (!measures) {
        pf_import_count(im, p->r, PF_STAT_RAIL_EMPTY);
    }
}

void pf_rails_settle(pf_import *im)
{
    const pf_rails *s = im->system.rails;
    for (uint32_t i = 0; s && i < s->count && !pf_import_failed(im); i++) {
        const measured *m = &s->list[i];
        uint32_t track = pf_map_get(&s->track_of, m->rail);
        const pf_system_arg packet = {"packet_ts", PF_VALUE_UINT, m->packet_ts};
        if (track == PF_NONE) {
            pf_trace_count(im->t, PF_STAT_RAIL_UNKNOWN, m->offset);
        }
        pf_system_sample_with(im, m->ts, track, (double)m->energy, &packet, 1);
    }
}
