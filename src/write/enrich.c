/* write/enrich.c - the trace outputs: a conversion (to packets or to Chrome JSON), and an input with the findings drawn
 * in.
 *
 * A Perfetto trace is a repeated field, so two of them back to back are one trace, and so are two gzip members or two
 * zstd frames. A binary input is therefore copied byte for byte and our packets go after it; or in front, which is
 * right for every trace because our packets have no clock id, but is needed only where something may swallow what comes
 * last: service events of a long recording, which let Perfetto drop packets that come late, or damage at the end of the
 * input. A trace that came in a zip is taken out of it first. Earlier findings of the pass are left behind
 * (write/file/original.c), so that drawing twice gives the same bytes as once.
 *
 * A JSON input cannot be joined with packets: it is converted, and the findings follow on a second sequence.
 */

#include "model/trace/findings_mark.h"
#include "write/chrome/chrome_event.h"
#include "write/file/original.h"
#include "write/perfetto/convert/converter.h"

static pf_budget *budget_of(const pf_trace *t)
{
    return (pf_budget *)(uintptr_t)&t->budget; /* counting does not change the trace */
}

/* What their sequence is marked with: the pass. */
static pf_str mark_of(const pf_findings *f)
{
    const pf_str category = pf_overlay_category(f), start = PF_FINDINGS_CATEGORY;
    bool named = pf_str_starts(category, start);
    pf_str mark = {named ? category.ptr + start.len : NULL, named ? category.len - start.len : 0};
    return pf_is_findings_mark(mark) ? mark : (pf_str){NULL, 0};
}

/* What a conversion is made of. */
typedef struct conversion {
    pf_identity who;
    pf_packets events, drawn;
} conversion;

static pf_status write_parts(const pf_trace *t, const pf_findings *f, pf_sink *sink, conversion *c, pf_error *err)
{
    if (f) {
        pf_overlay_mark_parents(f, &c->who);
    }
    PF_TRY(pf_convert_trace(t, &c->who, &c->events, err));
    PF_TRY(pf_packets_finish(&c->events, err));
    if (!f) {
        return PF_OK;
    }
    if (sink->in_member) { /* findings that are drawn anew leave whole members behind */
        pf_sink_end_member(sink);
        pf_sink_begin_member(sink);
    }
    pf_packets_attribute(&c->drawn, PF_STR("postfetto.version"), pf_str_of(pf_version()), 0);
    return pf_overlay_write(f, &c->who, &c->drawn, err);
}

/* The conversion, then the findings if there are any. */
static pf_status write_converted(const pf_trace *t, const pf_findings *f, pf_sink *sink, pf_error *err)
{
    enum { EVENTS = 1, DRAWN }; /* sequences */
    conversion c;
    PF_TRY(pf_identity_init(&c.who, t, budget_of(t), false, err));
    pf_packets_init(&c.events, sink, budget_of(t), EVENTS);
    pf_packets_init(&c.drawn, sink, budget_of(t), DRAWN);
    c.drawn.findings = f ? mark_of(f) : (pf_str){NULL, 0};
    pf_status st = write_parts(t, f, sink, &c, err);
    pf_packets_free(&c.events);
    pf_packets_free(&c.drawn);
    pf_identity_free(&c.who);
    return st;
}

static pf_status convert(const pf_trace *t, const pf_findings *f, const char *path, const pf_write_options *o,
                         pf_error *err)
{
    pf_sink sink;
    PF_TRY(pf_sink_open(&sink, t, path, o, err));
    if (o->gzip || pf_sink_wants_gzip(path)) {
        pf_sink_begin_member(&sink);
    } else if (o->compress_packets) {
        pf_sink_begin_bundles(&sink, 0);
    }
    return pf_sink_close(&sink, write_converted(t, f, &sink, err), err);
}

pf_status pf_convert_pftrace(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    return convert(t, NULL, path, &all, err);
}

pf_status pf_convert_json(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    pf_sink sink;
    o = &all;
    PF_TRY(pf_sink_open(&sink, t, path, o, err));
    if (o->gzip || pf_sink_wants_gzip(path)) {
        pf_sink_begin_member(&sink);
    }
    return pf_sink_close(&sink, pf_chrome_write(t, &sink, budget_of(t), err), err);
}

/* The largest id of the input, plus one; 0 and the one that the field cannot exceed are stepped over. Findings of other
 * passes have theirs, though they were not read. */
static uint32_t free_sequence(const pf_trace *t, const pf_findings *f)
{
    const pf_metadata *m = pf_trace_metadata(t);
    uint32_t largest = pf_trace_input(t, 0)->max_sequence_id, name = pf_trace_find_string(t, PF_FINDINGS_LEFT_OUT);
    for (uint32_t i = 0; name != PF_NONE && i < m->count; i++) {
        bool stays = m->name[i] == name && !pf_str_equal(pf_trace_string(t, m->text[i]), mark_of(f));
        largest = stays && (uint32_t)m->number[i] > largest ? (uint32_t)m->number[i] : largest;
    }
    return largest < UINT32_MAX ? largest + 1 : UINT32_MAX - 1;
}

/* Whether packets after the original bytes might not be seen. */
static bool must_go_first(const pf_trace *t, const pf_input *in)
{
    static const pf_stat_id damage[] = {PF_STAT_GZIP_TRUNCATED, PF_STAT_GZIP_DAMAGED, PF_STAT_GZIP_TRAILING,
                                        PF_STAT_ZSTD_TRUNCATED, PF_STAT_ZSTD_DAMAGED, PF_STAT_ZSTD_TRAILING,
                                        PF_STAT_ZIP_TRUNCATED,  PF_STAT_ZIP_DAMAGED,  PF_STAT_PROTO_TRUNCATED,
                                        PF_STAT_PROTO_DAMAGED};
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        if (pf_trace_stat(t, damage[i]).count) {
            return true;
        }
    }
    return in->has_service_events;
}

static pf_status write_drawn(const pf_trace *t, const pf_findings *f, pf_sink *sink, bool packed, pf_error *err)
{
    const pf_input *in = pf_trace_input(t, 0);
    pf_identity who;
    pf_packets drawn;
    PF_TRY(pf_identity_init(&who, t, budget_of(t), true, err));
    pf_packets_init(&drawn, sink, budget_of(t), free_sequence(t, f));
    drawn.findings = mark_of(f);
    drawn.machine = in->machine_id; /* sequences, uuids and pids are per machine */
    if (packed || strcmp(in->compression, "gzip") == 0) {
        pf_sink_begin_member(sink);
    } else if (strcmp(in->compression, "zstd") == 0) {
        pf_sink_begin_frame(sink);
    }
    pf_convert_attributes(&who, &drawn);
    pf_status st = pf_overlay_write(f, &who, &drawn, err);
    pf_sink_end_member(sink);
    pf_sink_end_frame(sink);
    pf_packets_free(&drawn);
    pf_identity_free(&who);
    return st;
}

static pf_status write_in_place(const pf_trace *t, const pf_findings *f, pf_sink *sink, bool packed, pf_error *err)
{
    bool first = must_go_first(t, pf_trace_input(t, 0));
    PF_TRY(first ? write_drawn(t, f, sink, packed, err) : PF_OK);
    if (packed) {
        pf_sink_begin_member(sink);
    }
    PF_TRY(pf_copy_original(t, sink, err));
    PF_TRY(packed ? pf_sink_end_member(sink) : PF_OK);
    return first ? PF_OK : write_drawn(t, f, sink, packed, err);
}

static pf_status enrich_binary(const pf_trace *t, const pf_findings *f, const char *path, const pf_write_options *o,
                               pf_error *err)
{
    const char *stored = pf_trace_input(t, 0)->compression;
    bool plain = strcmp(stored, "zip") == 0 || strcmp(stored, "none") == 0; /* as the original is copied */
    pf_sink sink;
    PF_TRY(pf_sink_open(&sink, t, path, o, err));
    bool packed = plain && (o->gzip || pf_sink_wants_gzip(path));
    return pf_sink_close(&sink, write_in_place(t, f, &sink, packed, err), err);
}

pf_status pf_write_enriched(const pf_trace *t, const pf_findings *f, const char *path, const pf_write_options *o,
                            pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    o = &all;
    /* No file has the events of a trace that was derived or built, nor all of those of several inputs. */
    bool one_file = !t->source && pf_trace_input_count(t) == 1;
    return one_file && strcmp(pf_trace_input(t, 0)->format, "perfetto") == 0 ? enrich_binary(t, f, path, o, err)
                                                                             : convert(t, f, path, o, err);
}
