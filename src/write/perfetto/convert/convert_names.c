/* write/perfetto/convert/convert_names.c - metadata events that name processes and threads, as descriptors. */
#include "base/str.h"
#include "write/perfetto/convert/converter.h"

static bool make_room(pf_buffer *b, uint64_t len)
{
    static const char blank[64];
    for (b->len = 0; b->len < len && !b->failed;) {
        pf_buffer_put(b, blank, sizeof blank);
    }
    return !b->failed;
}

/* args.name of a metadata event; {NULL, 0} if there is no such text. */
static pf_str name_argument(pf_converter *c, uint32_t row)
{
    const pf_str key = PF_STR("name");
    uint64_t len = make_room(&c->text, 1) ? pf_trace_arg_text(c->t, row, key, c->text.data, c->text.cap) : PF_NOWHERE;
    if (len != PF_NOWHERE && len > c->text.cap) {
        len = make_room(&c->text, len) ? pf_trace_arg_text(c->t, row, key, c->text.data, c->text.cap) : PF_NOWHERE;
    }
    return len == PF_NOWHERE ? (pf_str){NULL, 0} : (pf_str){c->text.data, (size_t)len};
}

/* Whether the string `id` is another name than `name`. */
static bool is_other_name(const pf_trace *t, uint32_t id, pf_str name)
{
    pf_str s = pf_trace_string(t, id);
    return s.len && !pf_str_equal(s, name);
}

/* Whether the event names its process or thread, in a descriptor that was written now. Names that others override are
 * not described: the last descriptor counts, but among events the one with the latest time (in cycles: the last one,
 * too). */
static bool write_name(pf_converter *c, uint32_t row)
{
    const pf_events *e = pf_trace_events(c->t);
    const pf_tracks *tr = pf_trace_tracks(c->t);
    uint32_t track = e->track[row];
    if (track >= tr->count || e->phase[row] != 'M') {
        return false;
    }
    bool process = e->name[row] == c->name_process && tr->upid[track] != PF_NONE;
    bool thread = e->name[row] == c->name_thread && tr->utid[track] != PF_NONE;
    pf_str name = process || thread ? name_argument(c, row) : (pf_str){NULL, 0};
    if (name.len && pf_trace_time_unit(c->t) != PF_UNIT_CYCLE &&
        is_other_name(c->t,
                      process ? pf_trace_processes(c->t)->name[tr->upid[track]]
                              : pf_trace_threads(c->t)->name[tr->utid[track]],
                      name)) {
        return false;
    }
    if (process) {
        /* Without a usable name the process has none from here on; empty names are the way to say it. A text for an id
         * stays its name. */
        if (!name.len && pf_trace_processes(c->t)->kind[tr->upid[track]] == PF_ID_TEXT) {
            pf_identity_process(c->who, c->packets, tr->upid[track]);
        }
        pf_str note = name.len ? pf_notes_named(&c->notes, row) : (pf_str){NULL, 0};
        pf_identity_name_process(c->who, c->packets, tr->upid[track], name.ptr ? name : PF_STR(""), note);
    } else if (thread && name.ptr) {
        if (!name.len && pf_trace_threads(c->t)->kind[tr->utid[track]] == PF_ID_TEXT) {
            pf_identity_thread(c->who, c->packets, tr->utid[track]);
        }
        pf_str note = name.len ? pf_notes_named(&c->notes, row) : (pf_str){NULL, 0};
        pf_identity_name_thread(c->who, c->packets, tr->utid[track], name, note);
    }
    return name.len > 0;
}

void pf_convert_name(pf_converter *c, uint32_t row)
{
    if (!write_name(c, row)) {
        pf_notes_leave(&c->notes, row);
    }
}

void pf_convert_names(pf_converter *c)
{
    const pf_events *e = pf_trace_events(c->t);
    for (uint32_t row = 0; row < e->count; row++) {
        if ((e->phase[row] & ~PF_PHASE_BAD_TS) == 'M') {
            pf_convert_name(c, row);
        }
    }
}
