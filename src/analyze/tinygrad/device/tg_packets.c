/* analyze/tinygrad/device/tg_packets.c - packets_N.tsv: the packets of a stream, a line each: time, kind, bits, fields.
 */
#include <stdio.h>

#include "analyze/tinygrad/device/tg_device_reports.h"

/* Kinds, their fields and the sets of names are those of the reader, whatever the profile says: fewer than this. */
enum { KINDS_MAX = 64, FIELDS_MAX = 16, CODES = 256, SETS_MAX = 8, LINE = 1024 };

typedef struct packet_field {
    pf_str name;
    int64_t high, low, shift;
    uint32_t words; /* string id; 0: its numbers have no names */
    unsigned set;   /* of names */
} packet_field;

typedef struct packet_kind {
    uint32_t id; /* string id of the name */
    pf_str name;
    unsigned fields;
    packet_field field[FIELDS_MAX];
} packet_kind;

/* What packets are made of, from the tables tinygrad_sqtt_field and tinygrad_sqtt_word. */
typedef struct packet_words {
    unsigned kinds, sets;
    packet_kind kind[KINDS_MAX];
    uint32_t set_id[SETS_MAX];
    pf_str word[SETS_MAX][CODES];
} packet_words;

static packet_kind *kind_named(packet_words *w, const tg_input *in, uint32_t id)
{
    for (unsigned i = 0; i < w->kinds; i++) {
        if (w->kind[i].id == id) {
            return &w->kind[i];
        }
    }
    packet_kind *k = &w->kind[w->kinds++];
    k->id = id;
    k->name = pf_tg_string(in, id);
    return k;
}

static unsigned set_named(packet_words *w, uint32_t id)
{
    for (unsigned i = 0; i < w->sets; i++) {
        if (w->set_id[i] == id) {
            return i;
        }
    }
    w->set_id[w->sets] = id;
    return w->sets++;
}

static void read_fields(packet_words *w, const tg_input *in)
{
    const tg_fields *t = &in->fields;
    for (uint32_t i = 0; i < t->count; i++) {
        packet_kind *k = kind_named(w, in, t->kind[i]);
        k->field[k->fields++] = (packet_field){.name = pf_tg_string(in, t->field[i]),
                                               .high = t->high[i],
                                               .low = t->low[i],
                                               .shift = t->shift[i],
                                               .words = t->words[i],
                                               .set = t->words[i] ? set_named(w, t->words[i]) : 0};
    }
    for (uint32_t i = 0; i < in->words.count; i++) {
        w->word[set_named(w, in->words.words[i])][in->words.code[i]] = pf_tg_string(in, in->words.name[i]);
    }
}

static uint64_t piece(const packet_field *f, uint64_t raw)
{
    unsigned width = (unsigned)(f->high - f->low + 1);
    return ((raw >> f->low) & (UINT64_MAX >> (64 - width))) << f->shift;
}

static size_t print_field(const packet_words *w, const packet_field *f, uint64_t value, bool first, char *out,
                          size_t room)
{
    pf_str word = f->words && value < CODES ? w->word[f->set][value] : (pf_str){NULL, 0};
    int n = word.ptr ? snprintf(out, room, "%s\"%.*s\":\"%.*s\"", first ? "" : ",", (int)f->name.len, f->name.ptr,
                                (int)word.len, word.ptr)
                     : snprintf(out, room, "%s\"%.*s\":%llu", first ? "" : ",", (int)f->name.len, f->name.ptr,
                                (unsigned long long)value);
    return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static size_t print_packet(const packet_words *w, const packet_kind *k, int64_t time, uint64_t raw, char out[LINE])
{
    int start = snprintf(out, LINE, "%lld\t%.*s\t0x%llx\t{", (long long)time, (int)k->name.len, k->name.ptr,
                         (unsigned long long)raw);
    size_t n = start < 0 ? 0 : (size_t)start;
    for (unsigned i = 0, next; i < k->fields; i = next) {
        uint64_t value = piece(&k->field[i], raw);
        for (next = i + 1; next < k->fields && k->field[next].shift; next++) { /* pieces under the same name */
            value |= piece(&k->field[next], raw);
        }
        n += print_field(w, &k->field[i], value, i == 0, out + n, LINE - 4 - n);
    }
    out[n++] = '}';
    out[n++] = '\n';
    return n;
}

static void report_stream(packet_words *w, const tg_input *in, uint32_t stream)
{
    pf_text *text = pf_text_new(in->f);
    uint32_t first = in->streams.first_packet[stream];
    char line[LINE];
    for (int64_t i = 0; i < in->streams.packets[stream]; i++) {
        uint32_t row = first + (uint32_t)i;
        const packet_kind *k = kind_named(w, in, in->packets.kind[row]);
        size_t len = print_packet(w, k, in->packets.time[row], (uint64_t)in->packets.raw[row], line);
        pf_text_put(in->f, text, (pf_str){line, len});
    }
    pf_findings_report_text(in->f, pf_findings_format(in->f, "packets_%u.tsv", stream), text, false);
}

pf_status pf_tg_report_packets(const tg_input *in, pf_error *err)
{
    packet_words *w = pf_findings_alloc(in->f, sizeof *w);
    PF_TRY(w ? PF_OK : pf_findings_status(in->f, err));
    read_fields(w, in);
    for (uint32_t i = 0; i < in->streams.count; i++) {
        if (in->streams.first_packet[i] != PF_NONE) {
            report_stream(w, in, i);
        }
    }
    return pf_findings_status(in->f, err);
}
