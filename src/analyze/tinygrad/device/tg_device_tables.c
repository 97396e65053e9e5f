/* analyze/tinygrad/device/tg_device_tables.c - sums over all executions of a kernel: waves per shader engine,
 * instructions, stalls by kind, counters. */
#include "analyze/support/pass_tables.h"
#include "analyze/tinygrad/device/tg_device_reports.h"

#include "base/list.h"
#include "base/strings.h"

/* A row in the making. */
typedef struct sums {
    tg_kernel kernel;
    int64_t other; /* shader engine, program counter; string id of a reason or a counter */
    int64_t count, instructions;
    int64_t waves, cycles, shortest, longest, most;
    int64_t gap, wait;
    double total, seconds;
    tg_exact exact; /* sum of a counter */
} sums;

/* Rows are found by their kernel and the other number. A failure sticks. */
typedef struct group_list {
    const tg_input *in;
    pf_budget *budget;
    pf_error *err;
    pf_status status;
    pf_strings keys; /* the row of key i is list[i - 1] */
    sums *list;
    uint32_t count, room;
    sums nowhere;                    /* what cannot be summed up after a failure */
    pf_table_builder *table, *exact; /* exact: counters with all digits */
} group_list;

/* The row of a kernel and a number. There are no more rows than room was asked for. */
static sums *row_of(group_list *l, uint32_t name, int64_t tag, int64_t other)
{
    const int64_t key[] = {name, name ? 0 : tag, other};
    uint32_t id = pf_strings_add(&l->keys, (const char *)key, sizeof key, l->err);
    if (id == PF_NONE || id > l->room) {
        l->status = id == PF_NONE ? l->err->code : pf_budget_refused(l->budget, 0, l->err);
        return &l->nowhere;
    }
    if (id > l->count) {
        l->list[l->count++] = (sums){.kernel = {name, tag}, .other = other, .shortest = INT64_MAX};
    }
    return &l->list[id - 1];
}

static pf_cell kernel_cell(const group_list *l, const sums *s)
{
    return pf_cell_text(pf_tg_kernel_name(l->in, s->kernel));
}

static pf_cell name_cell(const group_list *l, const sums *s)
{
    return pf_cell_text(pf_tg_string(l->in, (uint32_t)s->other));
}

static void add_waves(const tg_input *in, uint32_t stream, sums *s)
{
    const tg_waves *w = &in->waves;
    tg_rows span = pf_tg_rows_of(w->stream, w->count, stream);
    for (uint32_t i = span.first; i < span.end; i++) {
        int64_t length = w->end[i] - w->start[i];
        s->shortest = length < s->shortest ? length : s->shortest;
        s->longest = length > s->longest ? length : s->longest;
    }
    s->count++;
    s->waves += span.end - span.first;
    s->cycles += in->streams.wave_cycles[stream];
    s->most = in->streams.max_waves[stream] > s->most ? in->streams.max_waves[stream] : s->most;
    s->instructions += in->streams.instructions[stream] == INT64_MIN ? 0 : in->streams.instructions[stream];
    span = pf_tg_rows_of(in->clock.stream, in->clock.count, stream);
    for (uint32_t i = span.first + 1; i < span.end; i++) {
        double cycles = (double)(in->clock.time[i] - in->clock.time[i - 1]), hz = (double)in->clock.hz[i];
        s->total += hz > 0 ? cycles : 0; /* the ratio of both is the mean clock */
        s->seconds += hz > 0 ? cycles / hz : 0;
    }
}

static void sum_waves(group_list *l)
{
    const tg_streams *t = &l->in->streams;
    for (uint32_t i = 0; i < t->count; i++) {
        add_waves(l->in, i, row_of(l, t->kernel[i], t->tag[i], t->se[i]));
    }
}

static void put_waves(const group_list *l, const sums *s)
{
    PF_TABLE_ROW(l->in->f, l->table, kernel_cell(l, s), pf_cell_int_if(s->other != INT64_MIN, s->other),
                 pf_cell_int(s->count), pf_cell_int(s->waves), pf_cell_real((double)s->cycles / (double)s->waves),
                 pf_cell_int_if(s->waves, s->shortest), pf_cell_int_if(s->waves, s->longest), pf_cell_int(s->most),
                 pf_cell_int(s->instructions), pf_cell_real(s->total / s->seconds * 1e-6));
}

static void sum_instructions(group_list *l)
{
    const tg_instructions *t = &l->in->instructions;
    const tg_streams *streams = &l->in->streams;
    for (uint32_t i = 0; i < t->count; i++) {
        sums *s = row_of(l, streams->kernel[t->stream[i]], streams->tag[t->stream[i]], t->pc[i]);
        s->count += t->hits[i];
        s->gap += t->gap[i];
        s->wait += t->wait[i];
    }
}

static void put_instruction(const group_list *l, const sums *s)
{
    PF_TABLE_ROW(l->in->f, l->table, kernel_cell(l, s), pf_cell_int(s->other), pf_cell_int(s->count),
                 pf_cell_int(s->gap), pf_cell_int(s->wait), pf_cell_real((double)s->gap / (double)s->count));
}

static void sum_stalls(group_list *l)
{
    const tg_stalls *t = &l->in->stalls;
    const tg_samplings *streams = &l->in->samplings;
    for (uint32_t i = 0; i < t->count; i++) {
        row_of(l, streams->kernel[t->stream[i]], streams->tag[t->stream[i]], t->reason[i])->count += t->samples[i];
    }
}

static void put_stall(const group_list *l, const sums *s)
{
    const tg_samplings *t = &l->in->samplings;
    double samples = 0; /* of the kernel */
    for (uint32_t i = 0; i < t->count; i++) {
        bool same = t->kernel[i] == s->kernel.name && t->tag[i] == s->kernel.tag;
        samples += same ? (double)t->samples[i] : 0;
    }
    PF_TABLE_ROW(l->in->f, l->table, kernel_cell(l, s), name_cell(l, s), pf_cell_int(s->count),
                 pf_cell_real(100 * (double)s->count / samples));
}

static void sum_counters(group_list *l)
{
    const tg_counters *t = &l->in->counters;
    for (uint32_t i = 0; i < t->count; i++) {
        sums *s = row_of(l, t->kernel[i], t->tag[i], t->name[i]);
        s->count++;
        s->exact += pf_tg_sum_of(l->in, t->sum[i], t->sum_digits[i]);
    }
}

static pf_str print_wide(tg_exact v, char text[40])
{
    size_t at = 40;
    do {
        text[--at] = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v);
    return (pf_str){text + at, 40 - at};
}

/* For SQL with the nearest real, for the file with all digits. */
static void put_counter(const group_list *l, const sums *s)
{
    char digits[40];
    double total = (double)s->exact;
    pf_cell kernel = kernel_cell(l, s), name = name_cell(l, s), count = pf_cell_int(s->count);
    pf_cell mean = pf_cell_real(total / (double)s->count), exact = pf_cell_text(print_wide(s->exact, digits));
    PF_TABLE_ROW(l->in->f, l->table, kernel, name, count, pf_cell_real(total), mean);
    PF_TABLE_ROW(l->in->f, l->exact, kernel, name, count, exact, mean);
}

static const struct {
    void (*sum)(group_list *l);
    void (*put)(const group_list *l, const sums *s);
} fillers[PF_TG_DEVICE_TABLES] = {
    [PF_TG_WAVES] = {sum_waves, put_waves},
    [PF_TG_INSTRUCTIONS] = {sum_instructions, put_instruction},
    [PF_TG_STALLS] = {sum_stalls, put_stall},
    [PF_TG_COUNTERS] = {sum_counters, put_counter},
};

static pf_status fill_table(group_list *l, unsigned which)
{
    PF_TRY(pf_strings_init(&l->keys, l->budget, l->err));
    l->status = PF_LIST_NEW(l->budget, l->list, (size_t)l->room + 1, l->err);
    if (l->list) {
        fillers[which].sum(l);
    }
    for (uint32_t i = 0; l->status == PF_OK && i < l->count; i++) {
        fillers[which].put(l, &l->list[i]);
    }
    PF_LIST_FREE(l->budget, l->list, l->list ? (size_t)l->room + 1 : 0);
    pf_strings_free(&l->keys);
    return l->status;
}

pf_status pf_tg_fill_tables(const tg_input *in, pf_budget *budget, pf_table_builder *const *table,
                            pf_table_builder *exact, pf_error *err)
{
    const uint32_t rooms[PF_TG_DEVICE_TABLES] = {in->streams.count, in->instructions.count, in->stalls.count,
                                                 in->counters.count};
    for (unsigned i = 0; i < PF_TG_DEVICE_TABLES; i++) {
        group_list l = {.in = in, .budget = budget, .err = err, .room = rooms[i], .table = table[i], .exact = exact};
        PF_TRY(fill_table(&l, i));
    }
    return PF_OK;
}
