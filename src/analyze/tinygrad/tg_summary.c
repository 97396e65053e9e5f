/* analyze/tinygrad/tg_summary.c - the numbers as tables: for thresholds in SQL, as CSV files, as summary.json, and on
 * the terminal. */
#include <math.h>
#include <string.h>

#include "analyze/tinygrad/device/dv_tables.h"
#include "analyze/tinygrad/tg_work.h"
#include "base/map.h"

static const pf_column kernel_columns[] = {
    {"device", PF_CELL_TEXT, 0, ""},     {"kernel", PF_CELL_TEXT, 0, ""},
    {"runs", PF_CELL_INT, 0, ""},        {"total", PF_CELL_REAL, 3, "us"},
    {"mean", PF_CELL_REAL, 3, "us"},     {"shortest", PF_CELL_REAL, 3, "us"},
    {"longest", PF_CELL_REAL, 3, "us"},  {"gflops", PF_CELL_REAL, 3, "GFLOPS"},
    {"memory", PF_CELL_REAL, 3, "GB/s"}, {"local_memory", PF_CELL_REAL, 3, "GB/s"},
    {"operations", PF_CELL_TEXT, 0, ""},
};
static const pf_column copy_columns[] = {
    {"device", PF_CELL_TEXT, 0, ""},    {"copy", PF_CELL_TEXT, 0, ""},       {"runs", PF_CELL_INT, 0, ""},
    {"total", PF_CELL_REAL, 3, "us"},   {"mean", PF_CELL_REAL, 3, "us"},     {"shortest", PF_CELL_REAL, 3, "us"},
    {"longest", PF_CELL_REAL, 3, "us"}, {"bytes", PF_CELL_REAL, 0, "bytes"}, {"rate", PF_CELL_REAL, 3, "GB/s"},
};
static const pf_column graph_columns[] = {
    {"device", PF_CELL_TEXT, 0, ""},   {"graph", PF_CELL_TEXT, 0, ""},  {"start", PF_CELL_REAL, 3, "us"},
    {"length", PF_CELL_REAL, 3, "us"}, {"entries", PF_CELL_INT, 0, ""}, {"dependencies", PF_CELL_INT, 0, ""},
    {"work", PF_CELL_REAL, 3, "us"},
};
static const pf_column iteration_columns[] = {
    {"name", PF_CELL_TEXT, 0, ""},     {"iteration", PF_CELL_TEXT, 0, ""},   {"start", PF_CELL_REAL, 3, "us"},
    {"length", PF_CELL_REAL, 3, "us"}, {"kernels", PF_CELL_INT, 0, ""},      {"kernel_time", PF_CELL_REAL, 3, "us"},
    {"copies", PF_CELL_INT, 0, ""},    {"copy_time", PF_CELL_REAL, 3, "us"},
};
static const pf_column peak_columns[] = {
    {"device", PF_CELL_TEXT, 0, ""},
    {"peak", PF_CELL_INT, 0, "bytes"},
    {"at", PF_CELL_INT, 0, "us"},
    {"buffers", PF_CELL_INT, 0, ""},
};
static const pf_column holder_columns[] = {
    {"device", PF_CELL_TEXT, 0, ""}, {"buffer", PF_CELL_INT, 0, ""},    {"dtype", PF_CELL_TEXT, 0, ""},
    {"items", PF_CELL_INT, 0, ""},   {"size", PF_CELL_INT, 0, "bytes"}, {"since", PF_CELL_INT, 0, "us"},
    {"until", PF_CELL_INT, 0, "us"}, {"users", PF_CELL_INT, 0, ""},     {"kernels", PF_CELL_TEXT, 0, ""},
};

#define TABLE(name, help, columns)                                                                                     \
    {                                                                                                                  \
        name, help, columns, sizeof(columns) / sizeof *(columns)                                                       \
    }

enum { KERNELS, COPIES, GRAPHS, ITERATIONS, PEAKS, HOLDERS, WAVES, INSTRUCTIONS, STALLS, COUNTERS };

const pf_pass_table pf_tg_tables[PF_TG_TABLES] = {
    [KERNELS] = TABLE("tinygrad_kernels", "a kernel on a device; rates with --estimates", kernel_columns),
    [COPIES] = TABLE("tinygrad_copies", "copies of one name on a device", copy_columns),
    [GRAPHS] = TABLE("tinygrad_graphs", "a launch of a graph", graph_columns),
    [ITERATIONS] = TABLE("tinygrad_iterations", "from a marker 'NAME @ N' to the next one", iteration_columns),
    [PEAKS] = TABLE("tinygrad_peaks", "the most memory that a device held", peak_columns),
    [HOLDERS] = TABLE("tinygrad_holders", "a buffer that was there at its device's peak", holder_columns),
    [WAVES] = TABLE("tinygrad_waves", "waves of a kernel on a shader engine, all executions", pf_dv_wave_columns),
    [INSTRUCTIONS] =
        TABLE("tinygrad_instructions", "an instruction of a traced kernel, all executions", pf_dv_instruction_columns),
    [STALLS] = TABLE("tinygrad_stalls", "samples of a kernel that stood for one reason", pf_dv_stall_columns),
    [COUNTERS] = TABLE("tinygrad_counters", "a hardware counter of a kernel, all executions", pf_dv_counter_columns),
};

typedef struct summary {
    const tg_work *w;
    const tg_timeline *l;
    const tg_input *in;
    pf_findings *f;
    pf_table_builder *table[PF_TG_TABLES];
    pf_table_builder *exact; /* COUNTERS as its file has them */
} summary;

static pf_cell text(pf_str s)
{
    return (pf_cell){.null = !s.ptr, .as.s = s};
}

static pf_cell real(bool known, double v)
{
    return (pf_cell){.null = !known, .as.d = v};
}

static pf_cell number(int64_t v)
{
    return (pf_cell){.as.i = v};
}

static pf_cell device(const summary *s, uint32_t id)
{
    return text(pf_tg_string(s->in, id));
}

/* ---- kernels and copies ------------------------------------------------------------------------------------------ */

static void add_kernel(summary *s, const tg_group *g)
{
    double per_second = 1e-9 / (g->total * 1e-6);
    bool known[TG_AMOUNTS];
    for (tg_amount i = TG_OPS; i < TG_AMOUNTS; i++) {
        known[i] = g->estimated && !isnan(g->amount[i]);
    }
    const pf_cell row[] = {device(s, g->device),
                           text(g->name),
                           number((int64_t)g->count),
                           real(true, g->total),
                           real(true, g->total / (double)g->count),
                           real(true, g->shortest),
                           real(true, g->longest),
                           real(known[TG_OPS], g->amount[TG_OPS] * per_second),
                           real(known[TG_MEM], g->amount[TG_MEM] * per_second),
                           real(known[TG_LDS], g->amount[TG_LDS] * per_second),
                           text(g->operations)};
    pf_table_row(s->f, s->table[KERNELS], row);
}

static void add_copy(summary *s, const tg_group *g)
{
    const pf_cell row[] = {device(s, g->device),
                           text(g->name),
                           number((int64_t)g->count),
                           real(true, g->total),
                           real(true, g->total / (double)g->count),
                           real(true, g->shortest),
                           real(true, g->longest),
                           real(g->bytes > 0, g->bytes),
                           real(g->bytes > 0, g->bytes / (g->total * 1e-6) * 1e-9)};
    pf_table_row(s->f, s->table[COPIES], row);
}

static void add_groups(summary *s)
{
    for (size_t i = 0; i < s->w->group_count; i++) {
        const tg_group *g = &s->w->groups[i];
        if (g->kind == TG_COPY) {
            add_copy(s, g);
        } else {
            add_kernel(s, g);
        }
    }
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* Entries are the rows before that of the launch, as far as they have the same graph. Dependencies are listed graph by
 * graph: `next` is the first that was not counted yet. */
static void add_graph(summary *s, uint32_t batch, uint32_t *next)
{
    const tg_events *e = &s->in->events;
    const tg_dependencies *d = &s->in->dependencies;
    int64_t entries = 0, dependencies = 0;
    double work = 0;
    uint32_t first = batch;
    for (; first > 0 && e->kind[first - 1] == s->in->kinds.entry && e->graph[first - 1] == e->graph[batch]; first--) {
        entries++;
        work += e->dur[first - 1];
    }
    for (; *next < d->count && d->after[*next] < batch; (*next)++) {
        dependencies++;
    }
    const pf_cell row[] = {device(s, e->device[batch]),
                           text(pf_tg_string(s->in, e->name[batch])),
                           real(true, (double)(e->ts[batch] - s->l->start * 1000) / 1000),
                           real(true, e->dur[batch]),
                           number(entries),
                           number(dependencies),
                           real(true, work)};
    pf_table_row(s->f, s->table[GRAPHS], row);
}

static void add_graphs(summary *s)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < s->in->events.count; i++) {
        if (s->in->events.kind[i] == s->in->kinds.batch) {
            add_graph(s, i, &next);
        }
    }
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

static void add_iterations(summary *s)
{
    size_t empty = 0;
    for (size_t i = 0; i < s->w->iteration_count; i++) {
        const tg_iteration *it = &s->w->iterations[i];
        const pf_cell row[] = {text(it->stem),
                               text(it->label),
                               real(true, (double)(it->from - s->l->start * 1000) / 1000),
                               real(true, (double)(it->to - it->from) / 1000),
                               number((int64_t)it->kernels),
                               real(true, it->kernel_us),
                               number((int64_t)it->copies),
                               real(true, it->copy_us)};
        pf_table_row(s->f, s->table[ITERATIONS], row);
        empty += it->kernels + it->copies == 0;
    }
    if (empty) {
        pf_findings_show_line(
            s->f, PF_NOTICE,
            "%zu of %zu iterations hold neither a kernel nor a copy: their markers are in the profile, "
            "what ran between them is not, or it ran elsewhere in time",
            empty, s->w->iteration_count);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Names of the kernels that use a buffer, each once in a row, as many as fit. */
static pf_str user_names(summary *s, const tg_track *t, const tg_change *released)
{
    const tg_runs *r = &s->in->runs;
    pf_text *out = pf_text_new(s->f);
    uint32_t last = PF_NONE, shown = 0;
    for (uint32_t i = 0; i < released->user_count && shown < 16; i++) {
        uint32_t kernel = r->kernel[r->use_run[t->users[released->first_user + i]]];
        if (kernel != last) {
            pf_text_put(s->f, out, shown ? PF_STR(", ") : PF_STR(""));
            pf_text_put(s->f, out, pf_tg_plain(s->f, pf_tg_string(s->in, kernel)));
            shown++;
        }
        last = kernel;
    }
    return shown ? pf_text_view(out) : (pf_str){NULL, 0};
}

static void add_holder(summary *s, const tg_track *t, const tg_change *c, const tg_change *released)
{
    const tg_memory *m = &s->in->memory;
    int64_t items = pf_tg_items(s->in, c->row);
    const pf_cell row[] = {device(s, t->device),
                           number(c->buffer),
                           text(pf_tg_string(s->in, m->dtype[c->row])),
                           number(items),
                           number(items * m->item_bytes[c->row]),
                           number(c->us - s->l->start),
                           number(released->us - s->l->start),
                           number(released->user_count),
                           text(user_names(s, t, released))};
    pf_table_row(s->f, s->table[HOLDERS], row);
}

/* Who is there after the change that reaches the peak: backwards, a buffer that is released later is there. */
static pf_status add_peak(summary *s, const tg_track *t, pf_error *err)
{
    pf_map ends;
    struct pf_budget *budget = s->w->budget;
    int64_t buffers = 0;
    pf_map_init(&ends, budget);
    pf_status st = PF_OK;
    for (uint32_t i = t->count; st == PF_OK && i-- > t->peak_at + 1;) {
        bool good = t->changes[i].alloc || pf_map_set(&ends, (uint64_t)t->changes[i].buffer, i);
        st = good ? PF_OK : pf_budget_refused(budget, 0, err);
    }
    uint32_t *released = pf_findings_alloc(s->f, ((size_t)t->peak_at + 1) * sizeof *released);
    for (uint32_t i = t->peak_at + 1; st == PF_OK && released && i-- > 0;) {
        const tg_change *c = &t->changes[i];
        uint32_t at = pf_map_get(&ends, (uint64_t)c->buffer);
        released[i] = c->alloc && at != PF_NONE && at > t->peak_at ? at : 0;
        buffers += released[i] != 0;
        st = pf_map_set(&ends, (uint64_t)c->buffer, i) ? st : pf_budget_refused(budget, 0, err);
    }
    pf_map_free(&ends);
    const pf_cell row[] = {device(s, t->device), number((int64_t)t->peak),
                           number(t->changes[t->peak_at].us - s->l->start), number(buffers)};
    pf_table_row(s->f, s->table[PEAKS], row);
    for (uint32_t i = 0; st == PF_OK && released && i <= t->peak_at; i++) {
        if (released[i]) {
            add_holder(s, t, &t->changes[i], &t->changes[released[i]]);
        }
    }
    return st;
}

static pf_status add_memory(summary *s, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && i < s->l->track_count; i++) {
        const tg_track *t = &s->l->tracks[s->l->layout[i]];
        st = t->kind == TG_MEMORY && t->peak_at != PF_NONE ? add_peak(s, t, err) : PF_OK;
    }
    return st;
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static void add_cell(pf_findings *f, pf_node *o, const pf_column *c, const pf_cell *v)
{
    pf_str key = {c->name, strlen(c->name)};
    if (v->null) {
        pf_node_add(f, o, key, PF_NODE_NULL);
    } else if (c->type == PF_CELL_INT) {
        pf_node_add_int(f, o, key, v->as.i);
    } else if (c->type == PF_CELL_REAL) {
        pf_node_add_real(f, o, key, v->as.d);
    } else {
        pf_node_add_text(f, o, key, v->as.s);
    }
}

/* Each table as a list of objects. */
static pf_node *make_document(const summary *s)
{
    pf_node *root = pf_node_root(s->f, PF_NODE_OBJECT);
    pf_node_add_int(s->f, root, PF_STR("schema_version"), 1);
    pf_node_add_int(s->f, root, PF_STR("events"), s->in->event_count);
    pf_node_add_int(s->f, root, PF_STR("length_us"), s->l->end - s->l->start);
    for (unsigned i = 0; i < PF_TG_TABLES; i++) {
        const pf_table *t = pf_table_view(s->table[i]);
        const char *name = pf_tg_tables[i].name + sizeof "tinygrad_" - 1;
        pf_node *list = pf_node_add(s->f, root, (pf_str){name, strlen(name)}, PF_NODE_LIST);
        for (size_t r = 0; r < t->row_count; r++) {
            pf_node *o = pf_node_add(s->f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
            for (size_t c = 0; c < t->column_count; c++) {
                add_cell(s->f, o, &t->columns[c], &t->cells[r * t->column_count + c]);
            }
        }
    }
    return root;
}

static void report(summary *s)
{
    const pf_node *root = make_document(s);
    pf_findings_set_summary(s->f, root);
    pf_findings_report_json(s->f, PF_STR("summary.json"), root, true);
    for (unsigned i = 0; i < PF_TG_TABLES; i++) {
        const char *name = pf_tg_tables[i].name + sizeof "tinygrad_" - 1;
        if (pf_table_view(s->table[i])->row_count) {
            pf_findings_report_csv(s->f, pf_findings_format(s->f, "%s.csv", name),
                                   i == COUNTERS ? s->exact : s->table[i], true);
            if (i != HOLDERS && i != INSTRUCTIONS) {
                pf_findings_show_first(s->f, s->table[i], 30);
            }
        }
    }
}

pf_status pf_tg_summarise(const tg_work *w, const dv_input *device, pf_findings *f, pf_error *err)
{
    static const pf_str titles[PF_TG_TABLES] = {{"Kernels", 7},     {"Copies", 6},        {"Launches of graphs", 18},
                                                {"Iterations", 10}, {"Memory peaks", 12}, {"Buffers at the peak", 19},
                                                {"Waves", 5},       {"Instructions", 12}, {"Stalls", 6},
                                                {"Counters", 8}};
    summary s = {.w = w, .l = w->l, .in = w->l->in, .f = f};
    for (unsigned i = 0; i < PF_TG_TABLES; i++) {
        const pf_pass_table *t = &pf_tg_tables[i];
        s.table[i] = pf_table_new_named(f, t->name, titles[i], t->columns, t->column_count);
    }
    s.exact = pf_table_new(f, titles[COUNTERS], pf_dv_exact_columns, PF_DV_COUNTER_COLUMNS);
    add_groups(&s);
    add_graphs(&s);
    add_iterations(&s);
    pf_status st = add_memory(&s, err);
    st = st == PF_OK ? pf_dv_fill_tables(device, w->budget, &s.table[WAVES], s.exact, f, err) : st;
    if (st == PF_OK && pf_findings_status(f, err) == PF_OK) {
        report(&s);
    }
    return st == PF_OK ? pf_findings_status(f, err) : st;
}
