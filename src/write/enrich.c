/* write/enrich.c - the trace outputs: a conversion (to packets or to Chrome JSON), and an input with the findings drawn
 * in.
 *
 * A Perfetto trace is a repeated field, so two of them back to back are one trace, and so are two gzip members or two
 * zstd frames. A binary input is therefore copied byte for byte and our packets go after it; or in front, which is
 * right for every trace because our packets have no clock id, but is needed only where something may swallow what comes
 * last: service events of a long recording, which let Perfetto drop packets that come late, or damage at the end of the
 * input. A trace that came in a zip is taken out of it first. Earlier findings of the pass are left behind
 * (write/file/original.h), so that drawing twice gives the same bytes as once.
 *
 * A JSON input cannot be joined with packets: it is converted, and the findings follow on a second sequence.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/trace/findings_mark.h"
#include "model/trace/trace.h"
#include "write/chrome/chrome.h"
#include "write/file/original.h"
#include "write/file/write_options.h"
#include "write/perfetto/convert/convert.h"
#include "write/perfetto/overlay_packets.h"

static pf_budget *budget_of(const pf_trace *t)
{
    return (pf_budget *)(uintptr_t)&t->budget; /* counting does not change the trace */
}

static bool is_binary(const pf_input *in)
{
    return strcmp(in->format, "perfetto") == 0;
}

/* What their sequence is marked with: the pass. */
static pf_str mark_of(const pf_findings *f)
{
    const pf_str category = pf_overlay_category(f), start = PF_FINDINGS_CATEGORY;
    bool named = pf_str_starts(category, start);
    pf_str mark = {named ? category.ptr + start.len : NULL, named ? category.len - start.len : 0};
    return pf_is_findings_mark(mark) ? mark : (pf_str){NULL, 0};
}

/* ---- conversion -------------------------------------------------------------------------------------------------- */

/* The conversion, then the findings if there are any. */
static pf_status write_converted(const pf_trace *t, const pf_findings *f, pf_sink *sink, pf_error *err)
{
    enum { EVENTS = 1, DRAWN }; /* sequences */
    pf_identity who;
    pf_packets events, drawn;
    pf_overlay_writer *overlay = NULL;
    pf_status st = pf_identity_init(&who, t, budget_of(t), false, err);
    if (st != PF_OK) {
        return st;
    }
    pf_packets_init(&events, sink, budget_of(t), EVENTS);
    pf_packets_init(&drawn, sink, budget_of(t), DRAWN);
    drawn.findings = f ? mark_of(f) : (pf_str){NULL, 0};
    if (f) {
        pf_overlay_mark_parents(f, &who);
        st = pf_overlay_open(&overlay, f, &who, err);
    }
    if (st == PF_OK && overlay && sink->options->jobs != 1 && pf_sink_is_plain(sink)) {
        pf_overlay_begin(overlay, sink, DRAWN);
    }
    st = st == PF_OK ? pf_convert_trace(t, &who, &events, err) : st;
    st = st == PF_OK ? pf_packets_finish(&events, err) : st;
    if (st == PF_OK && overlay && sink->in_member) { /* findings that are drawn anew leave whole members behind */
        pf_sink_end_member(sink);
        st = pf_sink_begin_member(sink);
    }
    if (st == PF_OK && overlay) {
        pf_packets_attribute(&drawn, PF_STR("postfetto.version"), pf_str_of(pf_version()), 0);
        st = pf_overlay_write(overlay, &drawn, err);
        st = st == PF_OK ? pf_packets_finish(&drawn, err) : st;
    }
    pf_overlay_close(overlay);
    pf_packets_free(&events);
    pf_packets_free(&drawn);
    pf_identity_free(&who);
    return st;
}

static pf_status convert(const pf_trace *t, const pf_findings *f, const char *path, const pf_write_options *o,
                         pf_error *err)
{
    pf_sink sink;
    pf_status st = pf_sink_open(&sink, t, path, o, err);
    if (st != PF_OK) {
        return st;
    }
    if (o->gzip || pf_sink_wants_gzip(path)) {
        st = pf_sink_begin_member(&sink);
    } else if (o->compress_packets) {
        pf_sink_begin_bundles(&sink, 0);
    }
    st = st == PF_OK ? write_converted(t, f, &sink, err) : st;
    return pf_sink_close(&sink, st, err);
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
    pf_status st = pf_sink_open(&sink, t, path, o, err);
    if (st != PF_OK) {
        return st;
    }
    if (o->gzip || pf_sink_wants_gzip(path)) {
        st = pf_sink_begin_member(&sink);
    }
    st = st == PF_OK ? pf_chrome_write(t, &sink, budget_of(t), err) : st;
    return pf_sink_close(&sink, st, err);
}

/* ---- in place ---------------------------------------------------------------------------------------------------- */

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
    bool gzip = packed || strcmp(in->compression, "gzip") == 0, zstd = strcmp(in->compression, "zstd") == 0;
    pf_identity who;
    pf_packets drawn;
    pf_status st = pf_identity_init(&who, t, budget_of(t), true, err);
    if (st != PF_OK) {
        return st;
    }
    pf_packets_init(&drawn, sink, budget_of(t), free_sequence(t, f));
    drawn.findings = mark_of(f);
    drawn.machine = in->machine_id; /* sequences, uuids and pids are per machine */
    st = gzip ? pf_sink_begin_member(sink) : zstd ? pf_sink_begin_frame(sink) : PF_OK;
    if (st == PF_OK) {
        pf_convert_attributes(&who, &drawn);
        pf_overlay_writer *overlay;
        st = pf_overlay_open(&overlay, f, &who, err);
        st = st == PF_OK ? pf_overlay_write(overlay, &drawn, err) : st;
        pf_overlay_close(overlay);
    }
    st = st == PF_OK ? pf_packets_finish(&drawn, err) : st;
    st = st == PF_OK && gzip ? pf_sink_end_member(sink) : st == PF_OK && zstd ? pf_sink_end_frame(sink) : st;
    pf_packets_free(&drawn);
    pf_identity_free(&who);
    return st;
}

static pf_status enrich_binary(const pf_trace *t, const pf_findings *f, const char *path, const pf_write_options *o,
                               pf_error *err)
{
    const pf_input *in = pf_trace_input(t, 0);
    bool first = must_go_first(t, in);
    bool packed = strcmp(in->compression, "zip") == 0 && (o->gzip || pf_sink_wants_gzip(path));
    pf_sink sink;
    pf_status st = pf_sink_open(&sink, t, path, o, err);
    if (st != PF_OK) {
        return st;
    }
    st = first ? write_drawn(t, f, &sink, packed, err) : st;
    st = st == PF_OK && packed ? pf_sink_begin_member(&sink) : st;
    st = st == PF_OK ? pf_copy_original(t, &sink, err) : st;
    st = st == PF_OK && packed ? pf_sink_end_member(&sink) : st;
    st = st == PF_OK && !first ? write_drawn(t, f, &sink, packed, err) : st;
    return pf_sink_close(&sink, st, err);
}

pf_status pf_write_enriched(const pf_trace *t, const pf_findings *f, const char *path, const pf_write_options *o,
                            pf_error *err)
{
    const pf_write_options all = pf_write_options_of(o);
    o = &all;
    if (t->source || pf_trace_input_count(t) == 0) { /* derived or built: no file has these events */
        return convert(t, f, path, o, err);
    }
    if (pf_trace_input_count(t) != 1) { /* no file holds all of them */
        return convert(t, f, path, o, err);
    }
    return is_binary(pf_trace_input(t, 0)) ? enrich_binary(t, f, path, o, err) : convert(t, f, path, o, err);
}
