/* read/perfetto/android/system_properties.c - properties of Android that recordings watch (debug.tracing.*), and what
 * the display was like when a recording began: counters and instants that atrace has under the same names.
 */
#include "base/str.h"
#include "base/text/number.h"
#include "read/perfetto/android/android.h"

#define PREFIX PF_STR("debug.tracing.")

static void add_number(pf_import *im, const pf_packet *p, pf_str name, int64_t value)
{
    static const struct {
        const char *name, *shown;
    } counters[] = {{"mcc", "mcc"},
                    {"mnc", "mnc"},
                    {"desktop_mode_visible_tasks", "desktop_mode_visible_tasks"},
                    {"battery_status", "BatteryStatus"},
                    {"plug_type", "PlugType"}};
    const pf_str key = pf_str_from(name, PREFIX.len);
    uint32_t track = PF_NONE;
    if (pf_str_is(key, "profile_boot_classpath") || pf_str_is(key, "profile_system_server")) {
        pf_import_set_metadata(im, pf_import_join(im, PF_STR("android_"), key), (pf_str){NULL, 0}, value);
    } else if (pf_str_is(key, "screen_state")) {
        track = pf_system_track(im, PF_TRACK_SCREEN_STATE, PF_NONE, (pf_dims){0});
    } else if (pf_str_starts(key, PF_STR("battery_stats."))) {
        track = pf_system_track(im, PF_TRACK_BATTERY_STATS, PF_NONE, (pf_dims){pf_import_text(im, key)});
    }
    for (size_t i = 0; i < PF_TAG_COUNT(counters); i++) {
        if (pf_str_is(key, counters[i].name)) {
            track = pf_system_track(im, PF_TRACK_PROPERTY, PF_NONE, (pf_dims){pf_import_text(im, name)});
            if (track != PF_NONE) {
                im->t->tracks.name[track] = pf_import_word(im, counters[i].shown);
            }
        }
    }
    if (track != PF_NONE) {
        pf_import_add_sample(im, p->r, p->at, track, (double)value);
    }
}

static void take_property(pf_import *im, const pf_packet *p, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(1), PF_AT_BYTES(2));
    const pf_str name = pf_field_text(&f[1]), text = pf_field_text(&f[2]);
    int64_t value;
    if (pf_str_is(name, "debug.tracing.device_state")) {
        pf_event e = {.phase = 'i',
                      .name = pf_import_text(im, text),
                      .track = pf_system_track(im, PF_TRACK_DEVICE_STATE, PF_NONE, (pf_dims){0})};
        pf_import_add_event(im, p->r, p->at, &e);
    } else if (pf_str_starts(name, PREFIX) && pf_parse_int(text.ptr, text.len, &value) && value == (int32_t)value) {
        add_number(im, p, name, value);
    }
}

void pf_import_system_property(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(1), &f)) {
        take_property(im, p, pf_field_cursor(&f));
    }
}

void pf_import_display_state(pf_import *im, const pf_packet *p)
{
    int32_t state = (int32_t)pf_cursor_last(pf_field_cursor(&p->data), PF_TAG_VARINT(1)).value;
    uint32_t track = pf_system_track(im, PF_TRACK_SCREEN_STATE, PF_NONE, (pf_dims){0});
    pf_import_add_sample(im, p->r, p->at, track, state);
}
