/* analyze/tinygrad/device/dv_timeline.c - the timeline of a traced unit as tinygrad's viewer lays it out: the clock,
 * the execution units, the waves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tinygrad/device/dv_reports.h"

/* The rows that a stream may have, fewer than this: units of arithmetic, of memory, then waves by number. */
enum { ROWS_MAX = 64 };

typedef struct layout_row {
    uint32_t name; /* string id */
    unsigned rank;
} layout_row;

typedef struct layout {
    layout_row row[ROWS_MAX];
    unsigned count;
} layout;

static unsigned rank_of(pf_str name)
{
    const char *colon = memchr(name.ptr, ':', name.len);
    unsigned number = 0;
    for (const char *c = colon ? colon + 1 : NULL; c && c < name.ptr + name.len && *c >= '0' && *c <= '9'; c++) {
        number = number * 10 + (unsigned)(*c - '0');
    }
    return name.ptr[0] == 'A' ? 0 : name.ptr[0] == 'V' ? 1 : 2 + number;
}

static void note_row(layout *l, const dv_input *d, uint32_t name)
{
    for (unsigned i = 0; i < l->count; i++) {
        if (l->row[i].name == name) {
            return;
        }
    }
    l->row[l->count++] = (layout_row){name, rank_of(pf_tg_string(d->in, name))};
}

/* In the order of the ranks, and of the first packets among equals. */
static void sort_rows(layout *l)
{
    for (unsigned i = 1; i < l->count; i++) {
        layout_row moving = l->row[i];
        unsigned at = i;
        for (; at > 0 && l->row[at - 1].rank > moving.rank; at--) {
            l->row[at] = l->row[at - 1];
        }
        l->row[at] = moving;
    }
}

/* ---- one row ----------------------------------------------------------------------------------------------------- */

typedef struct sorted_slice {
    int64_t start;
    uint32_t slice;
} sorted_slice;

static int compare_slices(const void *a, const void *b)
{
    const sorted_slice *x = a, *y = b;
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void put_format(dv_json *j, const dv_input *d, uint32_t slice)
{
    const dv_slices *t = &d->slices;
    char link[64];
    pf_dv_object(j, "fmt");
    if (t->pc[slice] != INT64_MIN) {
        pf_dv_int(j, "pc", t->pc[slice]);
    } else if (t->link[slice] != PF_NONE) {
        pf_str row = pf_tg_string(d->in, t->row[t->link[slice]]);
        snprintf(link, sizeof link, "%.*s-%lld", (int)(row.len < 32 ? row.len : 32), row.ptr,
                 (long long)t->index[t->link[slice]]);
        pf_dv_word(j, "link", link);
    }
    pf_dv_close(j);
}

static void put_slice(dv_json *j, const dv_input *d, uint32_t slice)
{
    const dv_slices *t = &d->slices;
    pf_dv_object(j, NULL);
    pf_dv_text(j, "name", pf_tg_string(d->in, t->name[slice]));
    pf_dv_null(j, "ref");
    pf_dv_null(j, "key");
    pf_dv_int(j, "st", t->start[slice]);
    pf_dv_real(j, "dur", (double)(float)t->length[slice]);
    put_format(j, d, slice);
    pf_dv_close(j);
}

static void put_row(dv_json *j, const dv_input *d, const layout_row *row, dv_span s, sorted_slice *scratch)
{
    const dv_slices *t = &d->slices;
    size_t n = 0;
    for (uint32_t i = s.first; i < s.end; i++) {
        if (t->row[i] == row->name && t->length[i] != 0) {
            scratch[n++] = (sorted_slice){t->start[i], i};
        }
    }
    qsort(scratch, n, sizeof *scratch, compare_slices);
    pf_dv_object(j, NULL);
    pf_dv_text(j, "name", pf_tg_string(d->in, row->name));
    pf_dv_int(j, "type", 0);
    pf_dv_list(j, "events");
    for (size_t i = 0; i < n; i++) {
        put_slice(j, d, scratch[i].slice);
    }
    pf_dv_close(j);
    pf_dv_close(j);
}

static int64_t largest(const int64_t *values, dv_span s)
{
    int64_t most = 0;
    for (uint32_t i = s.first; i < s.end; i++) {
        most = values[i] > most ? values[i] : most;
    }
    return most;
}

static void put_clock_row(dv_json *j, const dv_input *d, dv_span s)
{
    if (s.first == s.end) {
        return;
    }
    pf_dv_object(j, NULL);
    pf_dv_word(j, "name", "Shader Clock");
    pf_dv_int(j, "type", 1);
    pf_dv_list(j, "events");
    for (uint32_t i = s.first; i < s.end; i++) {
        pf_dv_object(j, NULL);
        pf_dv_int(j, "ts", d->clock.time[i]);
        pf_dv_int(j, "value", d->clock.value[i]);
        pf_dv_close(j);
    }
    pf_dv_close(j);
    pf_dv_int(j, "linear", 1);
    pf_dv_int(j, "peak", largest(d->clock.value, s));
    pf_dv_close(j);
}

/* ---- the member -------------------------------------------------------------------------------------------------- */

/* The viewer's map from program counters to texts; which instructions there are is all that is known here. */
static void put_index(dv_json *j, const dv_input *d, uint32_t stream, bool any)
{
    const dv_programs *p = &d->programs;
    uint32_t program = d->streams.program[stream];
    char pc[32];
    pf_dv_object(j, "index_extra");
    if (any && program != PF_NONE && p->code[program] != PF_NONE) {
        pf_dv_object(j, "pcMap");
        for (uint32_t i = p->code[program]; i < p->code_count && p->code_program[i] == program; i++) {
            snprintf(pc, sizeof pc, "%lld", (long long)p->pc[i]);
            pf_dv_word(j, pc, "");
        }
        pf_dv_close(j);
    }
    pf_dv_close(j);
}

static void put_layout(dv_json *j, const dv_input *d, dv_span slices, dv_span clock)
{
    layout l = {.count = 0};
    sorted_slice *scratch = malloc(((size_t)(slices.end - slices.first) + 1) * sizeof *scratch);
    if (!scratch) {
        j->status = j->status == PF_OK ? PF_ERR_MEMORY : j->status;
        return;
    }
    for (uint32_t i = slices.first; i < slices.end; i++) {
        note_row(&l, d, d->slices.row[i]);
    }
    sort_rows(&l);
    pf_dv_list(j, "layout");
    put_clock_row(j, d, clock);
    for (unsigned i = 0; i < l.count; i++) {
        put_row(j, d, &l.row[i], slices, scratch);
    }
    pf_dv_close(j);
    free(scratch);
}

void pf_dv_timeline(dv_json *j, const dv_input *d, uint32_t stream)
{
    dv_span slices = pf_dv_span(d->slices.stream, d->slices.count, stream);
    dv_span clock = pf_dv_span(d->clock.stream, d->clock.count, stream);
    int64_t end = largest(d->clock.time, clock);
    for (uint32_t i = slices.first; i < slices.end; i++) {
        int64_t last = d->slices.start[i] + d->slices.length[i];
        end = last > end ? last : end;
    }
    pf_dv_object(j, "timeline");
    pf_dv_int(j, "dur", end);
    pf_dv_int(j, "peak", largest(d->clock.value, clock));
    pf_dv_object(j, "dtypeSize");
    pf_dv_close(j);
    pf_dv_list(j, "markers");
    pf_dv_close(j);
    put_index(j, d, stream, slices.first < slices.end);
    put_layout(j, d, slices, clock);
    pf_dv_close(j);
}
