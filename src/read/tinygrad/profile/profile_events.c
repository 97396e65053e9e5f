/* read/tinygrad/profile/profile_events.c - the two readings. The first: devices and how far their clocks are from the
 * host's, and which generation of the format the profile is of; events may come before the device they are about. The
 * second: ranges, points and graphs become rows at once; programs and what devices recorded are kept until all programs
 * are known. */
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

static pf_status skip(pf_tiny_profile *p)
{
    p->skipped++;
    return PF_OK;
}

static pf_status read_range(pf_tiny_profile *p, uint32_t object)
{
    const pf_pickle_values *v = &p->values;
    pf_tiny_span s = {.copy = pf_tiny_number(p, object, "is_copy", 0)};
    if (!pf_tiny_read_time(p, pf_pickle_field(v, object, "st"), &s.from)) {
        return skip(p);
    }
    bool ended = pf_tiny_read_time(p, pf_pickle_field(v, object, "en"), &s.to);
    s.to = ended ? s.to : s.from;
    PF_TRY(pf_tiny_add_timed(p, PF_TINY_KIND_RANGE, object, &s, PF_NONE));
    if (!ended) {
        *pf_tiny_int_at(p, PF_TINY_EVENT, EVENT_END, pf_tiny_last(p, PF_TINY_EVENT)) = INT64_MIN;
    }
    return PF_OK;
}

static pf_status read_point(pf_tiny_profile *p, uint32_t object)
{
    pf_tiny_time ts;
    if (!pf_tiny_read_time(p, pf_pickle_field(&p->values, object, "ts"), &ts)) {
        return skip(p);
    }
    PF_TRY(pf_tiny_add_event(p, PF_TINY_KIND_POINT, object, pf_tiny_ns(ts)));
    return pf_tiny_read_point(p, object, pf_tiny_last(p, PF_TINY_EVENT));
}

uint32_t pf_tiny_event_object(const pf_tiny_profile *p, uint32_t event)
{
    uint32_t i = pf_map_get(&p->object_of, event);
    return i == PF_NONE ? PF_NONE : p->values.kept[i].value;
}

pf_status pf_tiny_name_opcode(const pf_tiny_profile *p, uint32_t event, pf_status st)
{
    uint32_t i = pf_map_get(&p->object_of, event);
    return i == PF_NONE ? st : pf_pickle_name_opcode(&p->values, p->values.kept[i].op, st, p->err);
}

/* What the driver says of a device, which the first reading met. */
static pf_status note_device(pf_tiny_profile *p, uint32_t object)
{
    uint32_t n = p->described++;
    if (n >= p->device_count) {
        return PF_OK;
    }
    *pf_tiny_ref_at(p, PF_TINY_DEVICE, DEVICE_EVENT, p->first_device + n) = pf_tiny_last(p, PF_TINY_EVENT);
    uint32_t props = pf_pickle_field(&p->values, object, "props");
    p->devices[n].highest_mhz = props == PF_NONE ? 0 : pf_tiny_number(p, props, "max_engine_clk_fcompute", 0);
    return pf_pickle_keep(&p->values, props, &p->devices[n].props, p->err);
}

/* tinygrad_event.kind, and the class of such an object; NULL: entries and batches are part of graphs. */
static const struct {
    const char *name, *class;
} kinds[PF_TINY_KINDS] = {{"range", "ProfileRangeEvent"},
                          {"point", "ProfilePointEvent"},
                          {"graph", "ProfileGraphEvent"},
                          {"entry", NULL},
                          {"batch", NULL},
                          {"device", "ProfileDeviceEvent"},
                          {"program", "ProfileProgramEvent"},
                          {"sqtt", "ProfileSQTTEvent"},
                          {"pmc", "ProfilePMCEvent"},
                          {"pma", "ProfilePMAEvent"}};

/* PF_TINY_KINDS: no event that is known. */
static pf_tiny_kind kind_of(const pf_pickle_values *v, uint32_t value)
{
    pf_str class = pf_tiny_class(v, value);
    pf_tiny_kind kind = PF_TINY_KIND_RANGE;
    while (kind < PF_TINY_KINDS && !(kinds[kind].class && pf_str_is(class, kinds[kind].class))) {
        kind++;
    }
    return kind;
}

bool pf_tiny_is_event(const pf_pickle_values *v, uint32_t value)
{
    return kind_of(v, value) != PF_TINY_KINDS;
}

pf_status pf_tiny_read_event(void *profile, uint32_t object, pf_error *err)
{
    pf_tiny_profile *p = profile;
    pf_tiny_kind kind = kind_of(&p->values, object);
    uint32_t handle;
    p->items++;
    switch (kind) {
    case PF_TINY_KIND_RANGE:
        return read_range(p, object);
    case PF_TINY_KIND_POINT:
        return read_point(p, object);
    case PF_TINY_KIND_GRAPH:
        return pf_tiny_read_graph(p, object);
    case PF_TINY_KINDS:
        return skip(p);
    default: /* has no time of its own */
        PF_TRY(pf_tiny_add_event(p, kind, object, INT64_MIN));
        if (kind == PF_TINY_KIND_DEVICE) {
            return note_device(p, object);
        }
        PF_TRY(pf_pickle_keep(&p->values, object, &handle, p->err));
        return pf_map_put(&p->object_of, pf_tiny_last(p, PF_TINY_EVENT), handle, p->err);
    }
}

pf_status pf_tiny_name_kinds(pf_tiny_profile *p)
{
    for (unsigned i = 0; i < PF_TINY_KINDS; i++) {
        p->kinds[i] = pf_tiny_word(p, kinds[i].name);
    }
    return p->text_status;
}

pf_status pf_tiny_end_events(pf_tiny_profile *p)
{
    static const char *const generations[] = {"dec25", "mid26", "aug26"};
    uint32_t generation = pf_tiny_word(p, generations[p->generation]);
    return pf_tiny_put(p, PF_TINY_PROFILE, PF_CELLS(generation, (int64_t)p->items, (int64_t)p->skipped));
}
