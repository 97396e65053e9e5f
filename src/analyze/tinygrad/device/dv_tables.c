/* analyze/tinygrad/device/dv_tables.c - sums over all executions of a kernel: waves per shader engine, instructions,
 * stalls by kind, counters. */
#include "analyze/tinygrad/device/dv_tables.h"

#include "analyze/tinygrad/device/dv_reports.h"
#include "base/map.h"

const pf_column pf_dv_wave_columns[PF_DV_WAVE_COLUMNS] = {
    {"kernel", PF_CELL_TEXT, 0, ""},       {"se", PF_CELL_INT, 0, ""},           {"streams", PF_CELL_INT, 0, ""},
    {"waves", PF_CELL_INT, 0, ""},         {"mean", PF_CELL_REAL, 1, "cycles"},  {"shortest", PF_CELL_INT, 0, "cycles"},
    {"longest", PF_CELL_INT, 0, "cycles"}, {"most_at_once", PF_CELL_INT, 0, ""}, {"instructions", PF_CELL_INT, 0, ""},
    {"clock", PF_CELL_REAL, 1, "MHz"},
};
const pf_column pf_dv_instruction_columns[PF_DV_INSTRUCTION_COLUMNS] = {
    {"kernel", PF_CELL_TEXT, 0, ""},   {"pc", PF_CELL_INT, 0, ""},         {"hits", PF_CELL_INT, 0, ""},
    {"gap", PF_CELL_INT, 0, "cycles"}, {"wait", PF_CELL_INT, 0, "cycles"}, {"mean_gap", PF_CELL_REAL, 2, "cycles"},
};
const pf_column pf_dv_stall_columns[PF_DV_STALL_COLUMNS] = {
    {"kernel", PF_CELL_TEXT, 0, ""},
    {"reason", PF_CELL_TEXT, 0, ""},
    {"samples", PF_CELL_INT, 0, ""},
    {"share", PF_CELL_REAL, 2, "%"},
};
const pf_column pf_dv_counter_columns[PF_DV_COUNTER_COLUMNS] = {
    {"kernel", PF_CELL_TEXT, 0, ""}, {"counter", PF_CELL_TEXT, 0, ""}, {"executions", PF_CELL_INT, 0, ""},
    {"total", PF_CELL_REAL, 0, ""},  {"mean", PF_CELL_REAL, 1, ""},
};

const pf_column pf_dv_exact_columns[PF_DV_COUNTER_COLUMNS] = {
    {"kernel", PF_CELL_TEXT, 0, ""}, {"counter", PF_CELL_TEXT, 0, ""}, {"executions", PF_CELL_INT, 0, ""},
    {"total", PF_CELL_TEXT, 0, ""},  {"mean", PF_CELL_REAL, 1, ""},
};

/* A row in the making. */
typedef struct sums {
    dv_kernel kernel;
    int64_t other; /* shader engine, program counter; string id of a reason or a counter */
    int64_t count, instructions;
    int64_t waves, cycles, shortest, longest, most;
    int64_t gap, wait;
    double total, seconds;
    dv_wide exact; /* sum of a counter */
} sums;

/* Rows are found by two numbers: the kernel's, which is made here, and the other one. */
typedef struct group_list {
    const dv_input *d;
    pf_budget *budget;
    pf_findings *f;
    pf_error *err;
    pf_map kernels, others, groups;
    sums *list;
    uint32_t count, room;
    pf_table_builder *exact; /* counters with all digits */
} group_list;

static pf_status open_list(group_list *l, const dv_input *d, pf_budget *budget, uint32_t room, pf_findings *f,
                           pf_error *err)
{
    *l = (group_list){.d = d, .budget = budget, .f = f, .err = err, .room = room};
    pf_map_init(&l->kernels, budget);
    pf_map_init(&l->others, budget);
    pf_map_init(&l->groups, budget);
    l->list = pf_alloc(budget, ((size_t)room + 1) * sizeof *l->list);
    return l->list ? PF_OK : pf_budget_refused(budget, ((size_t)room + 1) * sizeof *l->list, err);
}

static void close_list(group_list *l)
{
    pf_map_free(&l->kernels);
    pf_map_free(&l->others);
    pf_map_free(&l->groups);
    pf_release(l->budget, l->list, ((size_t)l->room + 1) * sizeof *l->list);
}

/* The number of a key, from 0; PF_NONE if memory was refused. */
static uint32_t number_of(pf_map *m, uint64_t key)
{
    uint32_t number = pf_map_get(m, key);
    if (number == PF_NONE && pf_map_set(m, key, (uint32_t)m->count)) {
        number = (uint32_t)m->count - 1;
    }
    return number;
}

static uint64_t kernel_key(dv_kernel k)
{
    const uint64_t text = (uint64_t)1 << 63;
    return k.name ? text | k.name : (uint64_t)k.tag & ~text;
}

/* The row of a kernel and a number; NULL if memory was refused. There are no more rows than room was asked for. */
static sums *row_of(group_list *l, dv_kernel k, int64_t other)
{
    uint32_t kernel = number_of(&l->kernels, kernel_key(k)), second = number_of(&l->others, (uint64_t)other);
    uint64_t key = (uint64_t)kernel << 32 | second;
    bool known = kernel != PF_NONE && second != PF_NONE;
    uint32_t at = known ? pf_map_get(&l->groups, key) : PF_NONE;
    if (at == PF_NONE) {
        if (!known || l->count == l->room || !pf_map_set(&l->groups, key, l->count)) {
            pf_budget_refused(l->budget, 0, l->err);
            return NULL;
        }
        at = l->count++;
        l->list[at] = (sums){.kernel = k, .other = other, .shortest = INT64_MAX};
    }
    return &l->list[at];
}

static pf_cell text(pf_str s)
{
    return (pf_cell){.null = !s.ptr, .as.s = s};
}

static pf_cell number(int64_t v)
{
    return (pf_cell){.as.i = v};
}

static pf_cell real(bool known, double v)
{
    return (pf_cell){.null = !known, .as.d = v};
}

/* ---- waves ------------------------------------------------------------------------------------------------------- */

/* Cycles and seconds between markers: their ratio is the mean clock. */
static void add_clock(const dv_input *d, uint32_t stream, sums *s)
{
    dv_span span = pf_dv_span(d->clock.stream, d->clock.count, stream);
    for (uint32_t i = span.first + 1; i < span.end; i++) {
        double cycles = (double)(d->clock.time[i] - d->clock.time[i - 1]), hz = (double)d->clock.value[i];
        if (hz > 0) {
            s->total += cycles;
            s->seconds += cycles / hz;
        }
    }
}

static void add_waves(const dv_input *d, uint32_t stream, sums *s)
{
    const dv_waves *w = &d->waves;
    dv_span span = pf_dv_span(w->stream, w->count, stream);
    for (uint32_t i = span.first; i < span.end; i++) {
        int64_t length = w->end[i] - w->start[i];
        s->shortest = length < s->shortest ? length : s->shortest;
        s->longest = length > s->longest ? length : s->longest;
    }
    s->count++;
    s->waves += span.end - span.first;
    s->cycles += d->streams.wave_cycles[stream];
    s->most = d->streams.max_waves[stream] > s->most ? d->streams.max_waves[stream] : s->most;
    s->instructions += d->streams.instructions[stream] == INT64_MIN ? 0 : d->streams.instructions[stream];
    add_clock(d, stream, s);
}

static void put_waves(const group_list *l, pf_table_builder *table)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const sums *s = &l->list[i];
        const pf_cell row[] = {text(pf_dv_kernel_name(l->d, s->kernel)),
                               {.null = s->other == INT64_MIN, .as.i = s->other},
                               number(s->count),
                               number(s->waves),
                               real(s->waves, s->waves ? (double)s->cycles / (double)s->waves : 0),
                               {.null = !s->waves, .as.i = s->shortest},
                               {.null = !s->waves, .as.i = s->longest},
                               number(s->most),
                               number(s->instructions),
                               real(s->seconds > 0, s->seconds > 0 ? s->total / s->seconds * 1e-6 : 0)};
        pf_table_row(l->f, table, row);
    }
}

static pf_status fill_waves(group_list *l, pf_table_builder *table)
{
    const dv_streams *t = &l->d->streams;
    for (uint32_t i = 0; i < t->count; i++) {
        sums *s = row_of(l, (dv_kernel){t->kernel[i], t->tag[i]}, t->se[i]);
        if (!s) {
            return l->err->code;
        }
        add_waves(l->d, i, s);
    }
    put_waves(l, table);
    return PF_OK;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static pf_status fill_instructions(group_list *l, pf_table_builder *table)
{
    const dv_instructions *t = &l->d->instructions;
    const dv_streams *streams = &l->d->streams;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t stream = t->stream[i];
        sums *s = row_of(l, (dv_kernel){streams->kernel[stream], streams->tag[stream]}, t->pc[i]);
        if (!s) {
            return l->err->code;
        }
        s->count += t->hits[i];
        s->gap += t->gap[i];
        s->wait += t->wait[i];
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const sums *s = &l->list[i];
        const pf_cell row[] = {text(pf_dv_kernel_name(l->d, s->kernel)),
                               number(s->other),
                               number(s->count),
                               number(s->gap),
                               number(s->wait),
                               real(true, (double)s->gap / (double)s->count)};
        pf_table_row(l->f, table, row);
    }
    return PF_OK;
}

/* ---- stalls ------------------------------------------------------------------------------------------------------ */

static double samples_of(const group_list *l, dv_kernel k)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->d->samples.count; i++) {
        dv_kernel other = {l->d->samples.kernel[i], l->d->samples.tag[i]};
        sum += pf_dv_same_kernel(k, other) ? (double)l->d->samples.samples[i] : 0;
    }
    return sum;
}

static pf_status fill_stalls(group_list *l, pf_table_builder *table)
{
    const dv_samples *t = &l->d->samples;
    for (uint32_t i = 0; i < t->stall_count; i++) {
        uint32_t stream = t->stall_stream[i];
        sums *s = row_of(l, (dv_kernel){t->kernel[stream], t->tag[stream]}, t->stall_reason[i]);
        if (!s) {
            return l->err->code;
        }
        s->count += t->stall_samples[i];
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const sums *s = &l->list[i];
        const pf_cell row[] = {text(pf_dv_kernel_name(l->d, s->kernel)),
                               text(pf_tg_string(l->d->in, (uint32_t)s->other)), number(s->count),
                               real(true, 100 * (double)s->count / samples_of(l, s->kernel))};
        pf_table_row(l->f, table, row);
    }
    return PF_OK;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static pf_str print_wide(dv_wide v, char text[40])
{
    size_t at = 40;
    do {
        text[--at] = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v);
    return (pf_str){text + at, 40 - at};
}

/* For SQL with the nearest real, for the file with all digits. */
static void put_counter(const group_list *l, const sums *s, pf_table_builder *table)
{
    char digits[40];
    double total = (double)s->exact;
    pf_cell row[] = {text(pf_dv_kernel_name(l->d, s->kernel)), text(pf_tg_string(l->d->in, (uint32_t)s->other)),
                     number(s->count), real(true, total), real(true, total / (double)s->count)};
    pf_table_row(l->f, table, row);
    row[3] = text(print_wide(s->exact, digits));
    pf_table_row(l->f, l->exact, row);
}

static pf_status fill_counters(group_list *l, pf_table_builder *table)
{
    const dv_counters *t = &l->d->counters;
    for (uint32_t i = 0; i < t->count; i++) {
        sums *s = row_of(l, (dv_kernel){t->kernel[i], t->tag[i]}, t->name[i]);
        if (!s) {
            return l->err->code;
        }
        s->count++;
        s->exact += pf_dv_number(l->d, t->sum[i], t->digits[i]);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        put_counter(l, &l->list[i], table);
    }
    return PF_OK;
}

pf_status pf_dv_fill_tables(const dv_input *d, pf_budget *budget, pf_table_builder *const *table,
                            pf_table_builder *exact, pf_findings *f, pf_error *err)
{
    static pf_status (*const fill[PF_DV_TABLES])(group_list *, pf_table_builder *) = {
        [PF_DV_WAVES] = fill_waves,
        [PF_DV_INSTRUCTIONS] = fill_instructions,
        [PF_DV_STALLS] = fill_stalls,
        [PF_DV_COUNTERS] = fill_counters,
    };
    const uint32_t rooms[PF_DV_TABLES] = {d->streams.count, d->instructions.count, d->samples.stall_count,
                                          d->counters.count};
    pf_status st = PF_OK;
    for (unsigned i = 0; st == PF_OK && i < PF_DV_TABLES; i++) {
        group_list l;
        st = open_list(&l, d, budget, rooms[i], f, err);
        if (st == PF_OK) {
            l.exact = exact;
            st = fill[i](&l, table[i]);
            close_list(&l);
        }
    }
    return st;
}
