/* cli/commands/info/info_packets.c - clocks, sequences and packet kinds, as text and as JSON.
 *
 * Clocks are listed once each, in order of their numbers, with the count of snapshots that read them; the clock that
 * the times of the trace are in is marked. Packet kinds are sorted by the bytes they take.
 */
#include "cli/commands/info/info.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/ordering.h"
#include "base/str.h"

#define CLOCKS_MAX 64u /* distinct clocks that are shown */

typedef struct clock_line {
    int64_t id;
    uint32_t name; /* string id */
    uint64_t snapshots;
} clock_line;

static int64_t trace_clock(const pf_trace *t)
{
    const pf_metadata *m = pf_trace_metadata(t);
    uint32_t name = pf_trace_find_string(t, PF_STR("trace_time_clock_id"));
    int64_t clock = -1;
    for (uint32_t i = 0; i < m->count && name != PF_NONE; i++) {
        clock = m->name[i] == name ? m->number[i] : clock;
    }
    return clock;
}

/* Fills lines, ascending by id; *more counts snapshot rows of clocks beyond CLOCKS_MAX. */
static size_t list_clocks(const pf_trace *t, clock_line *lines, uint64_t *more)
{
    const pf_clock_snapshots *c = pf_trace_clock_snapshots(t);
    size_t count = 0;
    *more = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        size_t at = 0;
        while (at < count && lines[at].id < c->clock_id[i]) {
            at++;
        }
        if (at == count || lines[at].id != c->clock_id[i]) {
            if (count == CLOCKS_MAX) {
                (*more)++;
                continue;
            }
            memmove(&lines[at + 1], &lines[at], (count - at) * sizeof *lines);
            lines[at] = (clock_line){c->clock_id[i], c->clock_name[i], 0};
            count++;
        }
        lines[at].snapshots++;
    }
    return count;
}

void pf_cli_put_clocks(pf_buffer *b, const pf_trace *t, int width)
{
    clock_line lines[CLOCKS_MAX];
    uint64_t more;
    size_t count = list_clocks(t, lines, &more);
    int64_t base = trace_clock(t);
    for (size_t i = 0; i < count; i++) {
        pf_str name = pf_trace_string(t, lines[i].name);
        pf_buffer_format(b, "%-*s  clock %" PRId64, width, i ? "" : "clocks", lines[i].id);
        if (name.ptr) {
            pf_buffer_text(b, " ");
            pf_buffer_put(b, name.ptr, name.len);
        }
        pf_buffer_format(b, ": %" PRIu64 " %s%s\n", lines[i].snapshots,
                         lines[i].snapshots == 1 ? "snapshot" : "snapshots",
                         lines[i].id == base ? ", the clock of the trace" : "");
    }
    if (more) {
        pf_buffer_format(b, "%-*s  and others: %" PRIu64 " readings\n", width, "", more);
    }
}

void pf_cli_put_sequences(pf_buffer *b, const pf_trace *t, int width)
{
    const pf_input *in = pf_trace_input(t, 0);
    if (in->packet_kinds) {
        pf_buffer_format(b, "%-*s  %" PRIu32 ", largest id %" PRIu32 "\n", width, "sequences", in->sequences,
                         in->max_sequence_id);
    }
}

PF_ORDER(by_bytes, pf_packet_kind, PF_DOWN(bytes), PF_UP(field));

/* The kinds by decreasing bytes, to be freed; NULL if there are none or memory was refused. */
static pf_packet_kind *sorted_kinds(const pf_input *in)
{
    pf_packet_kind *kinds = in->packet_kinds ? malloc(in->packet_kinds * sizeof *kinds) : NULL;
    if (kinds) {
        memcpy(kinds, in->packets, in->packet_kinds * sizeof *kinds);
        qsort(kinds, in->packet_kinds, sizeof *kinds, by_bytes);
    }
    return kinds;
}

void pf_cli_put_packets(pf_buffer *b, pf_cli_run *run)
{
    static const pf_column columns[] = {
        {"packet", PF_CELL_TEXT, 0, ""}, {"count", PF_CELL_INT, 0, ""}, {"bytes", PF_CELL_INT, 0, "bytes"}};
    const pf_input *in = pf_trace_input(run->trace, 0);
    pf_findings *f = run->findings;
    if (in->packet_kinds == 0) {
        return;
    }
    pf_packet_kind *kinds = sorted_kinds(in);
    pf_table_builder *table = kinds ? pf_table_new(f, PF_STR("Packets by kind"), columns, 3) : NULL;
    for (size_t i = 0; table && i < in->packet_kinds; i++) {
        const pf_cell cells[] = {pf_cell_text(pf_str_of(kinds[i].name)), pf_cell_count(kinds[i].packets),
                                 pf_cell_count(kinds[i].bytes)};
        pf_table_row(f, table, cells);
    }
    pf_buffer_text(b, "\n");
    pf_cli_put_table(run, b, pf_table_view(table), NULL, pf_cli_info_stream(run));
    free(kinds);
}

static void add_clocks(pf_findings *f, pf_node *root, const pf_trace *t)
{
    clock_line lines[CLOCKS_MAX];
    uint64_t more;
    size_t count = list_clocks(t, lines, &more);
    int64_t base = trace_clock(t);
    if (base < 0) {
        pf_node_add(f, root, PF_STR("trace_clock"), PF_NODE_NULL);
    } else {
        pf_node_add_int(f, root, PF_STR("trace_clock"), base);
    }
    pf_node *list = pf_node_add(f, root, PF_STR("clocks"), PF_NODE_LIST);
    for (size_t i = 0; i < count; i++) {
        pf_node *o = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_str name = pf_trace_string(t, lines[i].name);
        pf_node_add_int(f, o, PF_STR("id"), lines[i].id);
        pf_node_add_text(f, o, PF_STR("name"), name);
        pf_node_add_int(f, o, PF_STR("snapshots"), (int64_t)lines[i].snapshots);
    }
}

void pf_cli_add_packets(pf_findings *f, pf_node *root, const pf_trace *t)
{
    const pf_input *in = pf_trace_input(t, 0);
    add_clocks(f, root, t);
    pf_node_add_int(f, root, PF_STR("sequences"), in->sequences);
    pf_node *list = pf_node_add(f, root, PF_STR("packets"), PF_NODE_LIST);
    for (size_t i = 0; i < in->packet_kinds; i++) {
        const pf_packet_kind *k = &in->packets[i];
        pf_node *o = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_node_add_int(f, o, PF_STR("field"), k->field);
        pf_node_add_text(f, o, PF_STR("kind"), pf_str_of(k->name));
        pf_node_add_int(f, o, PF_STR("count"), (int64_t)k->packets);
        pf_node_add_int(f, o, PF_STR("bytes"), (int64_t)k->bytes);
    }
}
