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
    uint32_t compute = pf_pickle_field(v, object, "tdiff"), copy = pf_pickle_field(v, object, "copy_tdiff");
    uint32_t name = pf_tiny_id(p, pf_tiny_text(p, object, "device"));
    pf_tiny_device d = {.props = PF_NONE};
    compute = compute == PF_NONE ? pf_pickle_field(v, object, "comp_tdiff") : compute;
    pf_tiny_read_time(p, compute, &d.compute);
    d.copy = pf_tiny_read_time(p, copy, &d.copy) ? d.copy : d.compute;
    PF_TRY(PF_LIST_ROOM(&p->t->budget, p->devices, p->device_count + 1, p->device_room, p->err));
    PF_TRY(pf_tiny_put(p, PF_TINY_DEVICE,
                       PF_CELLS(PF_NONE, name, pf_side_bits(pf_tiny_us(d.compute)), pf_side_bits(pf_tiny_us(d.copy)))));
    p->devices[p->device_count] = d;
    return pf_map_put(&p->device_of, name, p->device_count++, p->err);
}

pf_status pf_tiny_read_device(void *profile, uint32_t object, pf_error *err)
{
    pf_tiny_profile *p = profile;
    const pf_pickle_values *v = &p->values;
    (void)err;
    pf_str class = pf_tiny_class(v, object);
    bool graph = pf_str_is(class, "ProfileGraphEvent"); /* its entries tell the generation, too */
    uint32_t i = graph ? pf_pickle_first(v, pf_pickle_field(v, object, "ents")) : PF_NONE;
    note_generation(p, object, class);
    for (; i != PF_NONE; i = pf_pickle_next(v, i)) {
        note_generation(p, pf_pickle_member(v, i), pf_tiny_class(v, pf_pickle_member(v, i)));
    }
    return pf_str_is(class, "ProfileDeviceEvent") ? add_device(p, object) : PF_OK;
}

uint32_t pf_tiny_props(const pf_tiny_profile *p, uint32_t device)
{
    uint32_t n = device - p->first_device;
    bool known = device >= p->first_device && n < p->device_count && p->devices[n].props != PF_NONE;
    return known ? p->values.kept[p->devices[n].props].value : PF_NONE;
}
