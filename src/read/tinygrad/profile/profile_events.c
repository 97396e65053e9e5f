/* read/tinygrad/profile/profile_events.c - the second reading: ranges, points and graphs become rows at once; programs
 * and what devices recorded are kept until all programs are known. */
#include "read/tinygrad/profile/profile.h"

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

/* ---- objects that are kept --------------------------------------------------------------------------------------- */

static pf_status keep_object(pf_tiny_profile *p, uint32_t object)
{
    uint32_t handle;
    PF_TRY(pf_pickle_keep(&p->values, object, &handle, p->err));
    return pf_map_put(&p->object_of, pf_tiny_last(p, PF_TINY_EVENT), handle, p->err);
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
    return pf_pickle_keep(&p->values, pf_pickle_field(&p->values, object, "props"), &p->devices[n].props, p->err);
}

/* ---- everything -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *class;
    pf_tiny_kind kind;
} classes[] = {{"ProfileRangeEvent", PF_TINY_KIND_RANGE},     {"ProfilePointEvent", PF_TINY_KIND_POINT},
               {"ProfileGraphEvent", PF_TINY_KIND_GRAPH},     {"ProfileDeviceEvent", PF_TINY_KIND_DEVICE},
               {"ProfileProgramEvent", PF_TINY_KIND_PROGRAM}, {"ProfileSQTTEvent", PF_TINY_KIND_SQTT},
               {"ProfilePMCEvent", PF_TINY_KIND_PMC},         {"ProfilePMAEvent", PF_TINY_KIND_PMA}};

/* PF_TINY_KINDS: no event that is known. */
static pf_tiny_kind kind_of(const pf_pickle_values *v, uint32_t value)
{
    pf_str class = pf_tiny_class(v, value);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (pf_str_is(class, classes[i].class)) {
            return classes[i].kind;
        }
    }
    return PF_TINY_KINDS;
}

bool pf_tiny_is_event(const pf_pickle_values *v, uint32_t value)
{
    return kind_of(v, value) != PF_TINY_KINDS;
}

pf_status pf_tiny_read_event(void *profile, uint32_t object, pf_error *err)
{
    pf_tiny_profile *p = profile;
    pf_tiny_kind kind = kind_of(&p->values, object);
    (void)err;
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
        return kind == PF_TINY_KIND_DEVICE ? note_device(p, object) : keep_object(p, object);
    }
}

pf_status pf_tiny_name_kinds(pf_tiny_profile *p)
{
    static const char *const names[PF_TINY_KINDS] = {"range",  "point",   "graph", "entry", "batch",
                                                     "device", "program", "sqtt",  "pmc",   "pma"};
    for (unsigned i = 0; i < PF_TINY_KINDS; i++) {
        p->kinds[i] = pf_tiny_word(p, names[i]);
    }
    return p->text_status;
}

pf_status pf_tiny_end_events(pf_tiny_profile *p)
{
    static const char *const generations[] = {"dec25", "mid26", "aug26"};
    uint32_t generation = pf_tiny_word(p, generations[p->generation]);
    return pf_tiny_put(p, PF_TINY_PROFILE, PF_CELLS(generation, (int64_t)p->items, (int64_t)p->skipped));
}
