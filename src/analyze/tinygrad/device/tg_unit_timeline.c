/* analyze/tinygrad/device/tg_unit_timeline.c - the timeline of a traced unit as tinygrad's viewer lays it out: the
 * clock, the execution units, the waves. */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/tinygrad/device/tg_device_reports.h"
#include "base/ordering.h"
#include "base/str.h"

/* The rows that a stream may have, fewer than this: units of arithmetic, of memory, then waves by number. */
enum { ROWS_MAX = 64 };

typedef struct layout_row {
    uint32_t name; /* string id */
    unsigned rank, met;
} layout_row;

static unsigned rank_of(pf_str name)
{
    const char *colon = memchr(name.ptr, ':', name.len);
    unsigned number = 0;
    for (const char *c = colon ? colon + 1 : NULL; c && c < name.ptr + name.len && pf_is_digit(*c); c++) {
        number = number * 10 + (unsigned)(*c - '0');
    }
    return name.ptr[0] == 'A' ? 0 : name.ptr[0] == 'V' ? 1 : 2 + number;
}

/* In the order of the ranks, and of the first packets among equals. */
PF_ORDER(compare_rows, layout_row, PF_UP(rank), PF_UP(met));

typedef struct sorted_slice {
    int64_t start;
    uint32_t slice;
} sorted_slice;

PF_ORDER(compare_slices, sorted_slice, PF_UP(start), PF_UP(slice));

static void put_slice(tg_json *j, const tg_input *in, uint32_t slice)
{
    const tg_unit_slices *t = &in->unit_slices;
    char link[64];
    pf_tg_begin_object(j, NULL);
    pf_tg_put_text(j, "name", pf_tg_string(in, t->name[slice]));
    pf_tg_put_null(j, "ref");
    pf_tg_put_null(j, "key");
    pf_tg_put_int(j, "st", t->start[slice]);
    pf_tg_put_real(j, "dur", (double)(float)t->length[slice]);
    pf_tg_begin_object(j, "fmt");
    if (t->pc[slice] != INT64_MIN) {
        pf_tg_put_int(j, "pc", t->pc[slice]);
    } else if (t->link[slice] != PF_NONE) {
        pf_str row = pf_tg_string(in, t->row[t->link[slice]]);
        snprintf(link, sizeof link, "%.*s-%lld", (int)(row.len < 32 ? row.len : 32), row.ptr,
                 (long long)t->index[t->link[slice]]);
        pf_tg_put_word(j, "link", link);
    }
    pf_tg_end(j);
    pf_tg_end(j);
}

static void put_row(tg_json *j, const tg_input *in, uint32_t name, tg_rows s, sorted_slice *scratch)
{
    const tg_unit_slices *t = &in->unit_slices;
    size_t n = 0;
    for (uint32_t i = s.first; i < s.end; i++) {
        if (t->row[i] == name && t->length[i] != 0) {
            scratch[n++] = (sorted_slice){t->start[i], i};
        }
    }
    qsort(scratch, n, sizeof *scratch, compare_slices);
    pf_tg_begin_object(j, NULL);
    pf_tg_put_text(j, "name", pf_tg_string(in, name));
    pf_tg_put_int(j, "type", 0);
    pf_tg_begin_list(j, "events");
    for (size_t i = 0; i < n; i++) {
        put_slice(j, in, scratch[i].slice);
    }
    pf_tg_end(j);
    pf_tg_end(j);
}

static int64_t largest(const int64_t *values, tg_rows s)
{
    int64_t most = 0;
    for (uint32_t i = s.first; i < s.end; i++) {
        most = values[i] > most ? values[i] : most;
    }
    return most;
}

static void put_clock_row(tg_json *j, const tg_input *in, tg_rows s)
{
    static const char *const keys[] = {"ts", "value"};
    if (s.first == s.end) {
        return;
    }
    pf_tg_begin_object(j, NULL);
    pf_tg_put_word(j, "name", "Shader Clock");
    pf_tg_put_int(j, "type", 1);
    pf_tg_begin_list(j, "events");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_tg_put_members(j, 2, keys, (const int64_t[]){in->clock.time[i], in->clock.hz[i]});
    }
    pf_tg_end(j);
    pf_tg_put_int(j, "linear", 1);
    pf_tg_put_int(j, "peak", largest(in->clock.hz, s));
    pf_tg_end(j);
}

/* The viewer's map from program counters to texts; which instructions there are is all that is known here. */
static void put_index(tg_json *j, const tg_input *in, uint32_t stream, bool any)
{
    const tg_codes *c = &in->codes;
    uint32_t program = in->streams.program[stream], code = program == PF_NONE ? PF_NONE : in->programs.code[program];
    char pc[32];
    pf_tg_begin_object(j, "index_extra");
    if (any && code != PF_NONE) {
        pf_tg_begin_object(j, "pcMap");
        for (uint32_t i = code; i < c->count && c->program[i] == program; i++) {
            snprintf(pc, sizeof pc, "%lld", (long long)c->pc[i]);
            pf_tg_put_word(j, pc, "");
        }
        pf_tg_end(j);
    }
    pf_tg_end(j);
}

static void put_layout(tg_json *j, const tg_input *in, tg_rows slices, tg_rows clock)
{
    layout_row row[ROWS_MAX];
    unsigned rows = 0;
    sorted_slice *scratch = malloc(((size_t)(slices.end - slices.first) + 1) * sizeof *scratch);
    if (!scratch) {
        j->status = j->status == PF_OK ? pf_no_memory(j->err) : j->status;
        return;
    }
    for (uint32_t i = slices.first; i < slices.end; i++) {
        uint32_t name = in->unit_slices.row[i];
        unsigned k = 0;
        while (k < rows && row[k].name != name) {
            k++;
        }
        if (k == rows) {
            row[rows++] = (layout_row){name, rank_of(pf_tg_string(in, name)), k};
        }
    }
    qsort(row, rows, sizeof *row, compare_rows);
    pf_tg_begin_list(j, "layout");
    put_clock_row(j, in, clock);
    for (unsigned i = 0; i < rows; i++) {
        put_row(j, in, row[i].name, slices, scratch);
    }
    pf_tg_end(j);
    free(scratch);
}

void pf_tg_put_unit_timeline(tg_json *j, const tg_input *in, uint32_t stream)
{
    tg_rows slices = pf_tg_rows_of(in->unit_slices.stream, in->unit_slices.count, stream);
    tg_rows clock = pf_tg_rows_of(in->clock.stream, in->clock.count, stream);
    int64_t end = largest(in->clock.time, clock);
    for (uint32_t i = slices.first; i < slices.end; i++) {
        int64_t last = in->unit_slices.start[i] + in->unit_slices.length[i];
        end = last > end ? last : end;
    }
    pf_tg_begin_object(j, "timeline");
    pf_tg_put_int(j, "dur", end);
    pf_tg_put_int(j, "peak", largest(in->clock.hz, clock));
    pf_tg_begin_object(j, "dtypeSize");
    pf_tg_end(j);
    pf_tg_begin_list(j, "markers");
    pf_tg_end(j);
    put_index(j, in, stream, slices.first < slices.end);
    put_layout(j, in, slices, clock);
    pf_tg_end(j);
}
