/* read/tinygrad/profile/profile_devices.c - devices and how far their clocks are from the host's, and which generation
 * of the format the profile is of. Events may come before the device they are about, so this is a walk of its own. */
#include "base/list.h"
#include "read/tinygrad/profile/profile.h"

/* Signs of a generation are fields of objects: one is enough, the latest counts. */
static void note_generation(pf_tiny_profile *p, uint32_t object, pf_str class)
{
    const pf_pickle_values *v = &p->values;
    bool timed = pf_str_is(class, "ProfileRangeEvent") || pf_str_is(class, "ProfileGraphEntry");
    pf_tiny_generation g = p->generation;
    if ((timed || pf_str_is(class, "ProfileProgramEvent")) && pf_pickle_field(v, object, "profile_key") != PF_NONE) {
        g = PF_TINY_AUG26;
    } else if (timed && g == PF_TINY_DEC25 && pf_pickle_field(v, object, "is_copy") == PF_NONE) {
        g = PF_TINY_MID26;
    } else if (g == PF_TINY_DEC25 &&
               (pf_pickle_field(v, object, "tdiff") != PF_NONE || pf_str_is(class, "ProfilePMAEvent"))) {
        g = PF_TINY_MID26;
    }
    p->generation = g;
}

static pf_status add_device(pf_tiny_profile *p, uint32_t object)
{
    const pf_pickle_values *v = &p->values;
    uint32_t compute = pf_pickle_field(v, object, "tdiff"), copy = pf_pickle_field(v, object, "copy_tdiff"), row;
    uint32_t name = pf_tiny_id(p, pf_tiny_text(p, object, "device"));
    pf_tiny_device d = {.props = PF_NONE};
    compute = compute == PF_NONE ? pf_pickle_field(v, object, "comp_tdiff") : compute;
    pf_tiny_read_time(p, compute, &d.compute);
    d.copy = pf_tiny_read_time(p, copy, &d.copy) ? d.copy : d.compute;
    PF_TRY(PF_LIST_ROOM(&p->t->budget, p->devices, p->device_count + 1, p->device_room, p->err));
    PF_TRY(pf_tiny_put(p, PF_TINY_DEVICE, &row,
                       PF_CELLS(PF_NONE, name, pf_side_bits(pf_tiny_us(d.compute)), pf_side_bits(pf_tiny_us(d.copy)))));
    p->devices[p->device_count] = d;
    bool good = pf_map_set(&p->device_of, name, p->device_count++);
    return good ? PF_OK : pf_budget_refused(&p->t->budget, 0, p->err);
}

/* Graph entries tell the generation too; they are inside their event. */
static void note_entries(pf_tiny_profile *p, uint32_t graph)
{
    uint32_t entries = pf_pickle_field(&p->values, graph, "ents");
    for (uint32_t i = pf_pickle_first(&p->values, entries); i != PF_NONE; i = pf_pickle_next(&p->values, i)) {
        uint32_t entry = pf_pickle_member(&p->values, i);
        note_generation(p, entry, pf_tiny_class(&p->values, entry));
    }
}

pf_status pf_tiny_read_device(void *profile, uint32_t object, pf_error *err)
{
    pf_tiny_profile *p = profile;
    (void)err;
    pf_str class = pf_tiny_class(&p->values, object);
    note_generation(p, object, class);
    if (pf_str_is(class, "ProfileGraphEvent")) {
        note_entries(p, object);
    }
    return pf_str_is(class, "ProfileDeviceEvent") ? add_device(p, object) : PF_OK;
}

uint32_t pf_tiny_props(const pf_tiny_profile *p, uint32_t device)
{
    uint32_t n = device - p->first_device;
    bool known = device >= p->first_device && n < p->device_count && p->devices[n].props != PF_NONE;
    return known ? p->values.kept[p->devices[n].props] : PF_NONE;
}
