/* analyze/tinygrad/tg_summary.c - the numbers as tables: for thresholds in SQL, as CSV files and as summary.json. */
#include <math.h>

#include "analyze/tinygrad/device/tg_device_reports.h"
#include "analyze/tinygrad/tg_work.h"
#include "base/str.h"
#include "model/trace/trace.h"

#define TEXT PF_TEXT_COLUMN
#define INT PF_INT_COLUMN
#define REAL PF_REAL_COLUMN
#define TABLE(id, ...) [id] = PF_PASS_TABLE(__VA_ARGS__)

const pf_pass_table pf_tg_tables[PF_TG_TABLES] = {
    TABLE(TG_KERNELS, "tinygrad_kernels", "a kernel on a device; rates with --estimates", TEXT("device"),
          TEXT("kernel"), INT("runs", ""), REAL("total", 3, "us"), REAL("mean", 3, "us"), REAL("shortest", 3, "us"),
          REAL("longest", 3, "us"), REAL("gflops", 3, "GFLOPS"), REAL("memory", 3, "GB/s"),
          REAL("local_memory", 3, "GB/s"), TEXT("operations"), REAL("share", 2, "%"), REAL("cumulative", 2, "%"),
          REAL("intensity", 3, "operations/byte")),
    TABLE(TG_COPIES, "tinygrad_copies", "copies of one name on a device", TEXT("device"), TEXT("copy"), INT("runs", ""),
          REAL("total", 3, "us"), REAL("mean", 3, "us"), REAL("shortest", 3, "us"), REAL("longest", 3, "us"),
          REAL("bytes", 0, "bytes"), REAL("rate", 3, "GB/s")),
    TABLE(TG_GRAPHS, "tinygrad_graphs", "a launch of a graph", TEXT("device"), TEXT("graph"), REAL("start", 3, "us"),
          REAL("length", 3, "us"), INT("entries", ""), INT("dependencies", ""), REAL("work", 3, "us")),
    TABLE(TG_ITERATIONS, "tinygrad_iterations", "from a marker 'NAME @ N' to the next one", TEXT("name"),
          TEXT("iteration"), REAL("start", 3, "us"), REAL("length", 3, "us"), INT("kernels", ""),
          REAL("kernel_time", 3, "us"), INT("copies", ""), REAL("copy_time", 3, "us")),
    TABLE(TG_PEAKS, "tinygrad_peaks", "the most memory that a device held", TEXT("device"), INT("peak", "bytes"),
          INT("at", "us"), INT("buffers", "")),
    TABLE(TG_HOLDERS, "tinygrad_holders", "a buffer that was there at its device's peak", TEXT("device"),
          INT("buffer", ""), TEXT("dtype"), INT("items", ""), INT("size", "bytes"), INT("since", "us"),
          INT("until", "us"), INT("users", ""), TEXT("kernels"), TEXT("name")),
    TABLE(TG_WAVES, "tinygrad_waves", "waves of a kernel on a shader engine, all executions", TEXT("kernel"),
          INT("se", ""), INT("streams", ""), INT("waves", ""), REAL("mean", 1, "cycles"), INT("shortest", "cycles"),
          INT("longest", "cycles"), INT("most_at_once", ""), INT("instructions", ""), REAL("clock", 1, "MHz")),
    TABLE(TG_INSTRUCTIONS, "tinygrad_instructions", "an instruction of a traced kernel, all executions", TEXT("kernel"),
          INT("pc", ""), INT("hits", ""), INT("gap", "cycles"), INT("wait", "cycles"), REAL("mean_gap", 2, "cycles")),
    TABLE(TG_STALLS, "tinygrad_stalls", "samples of a kernel that stalled for one reason", TEXT("kernel"),
          TEXT("reason"), INT("samples", ""), REAL("share", 2, "%")),
    TABLE(TG_COUNTERS, "tinygrad_counters", "a hardware counter of a kernel, all executions", TEXT("kernel"),
          TEXT("counter"), INT("executions", ""), REAL("total", 0, ""), REAL("mean", 1, "")),
};

/* Counters as their file has them: totals as texts, for they may have 128 bits. */
static const pf_column exact_columns[] = {TEXT("kernel"), TEXT("counter"), INT("executions", ""), TEXT("total"),
                                          REAL("mean", 1, "")};

typedef struct summary {
    const tg_work *w;
    const tg_timeline *l;
    const tg_input *in;
    pf_findings *f;
    pf_table_builder *const *table;
    pf_table_builder *exact;  /* TG_COUNTERS as its file has them */
    double kernel_us, so_far; /* of all kernels, of those that have their row */
} summary;

static pf_cell device(const summary *s, uint32_t id)
{
    return pf_cell_text(pf_tg_string(s->in, id));
}

static void add_kernel(summary *s, const tg_group *g)
{
    double per_second = g->estimated ? 1e-9 / (g->total * 1e-6) : (double)NAN;
    s->so_far += g->total;
    PF_TABLE_ROW(s->f, s->table[TG_KERNELS], device(s, g->device), pf_cell_text(g->name),
                 pf_cell_int((int64_t)g->count), pf_cell_real(g->total), pf_cell_real(g->total / (double)g->count),
                 pf_cell_real(g->shortest), pf_cell_real(g->longest), pf_cell_real(g->amount[TG_OPS] * per_second),
                 pf_cell_real(g->amount[TG_MEM] * per_second), pf_cell_real(g->amount[TG_LDS] * per_second),
                 pf_cell_text(g->operations), pf_cell_real(100 * g->total / s->kernel_us),
                 pf_cell_real(100 * s->so_far / s->kernel_us),
                 pf_cell_real_if(g->estimated && g->amount[TG_MEM] > 0, g->amount[TG_OPS] / g->amount[TG_MEM]));
}

static void add_copy(summary *s, const tg_group *g)
{
    PF_TABLE_ROW(s->f, s->table[TG_COPIES], device(s, g->device), pf_cell_text(g->name), pf_cell_int((int64_t)g->count),
                 pf_cell_real(g->total), pf_cell_real(g->total / (double)g->count), pf_cell_real(g->shortest),
                 pf_cell_real(g->longest), pf_cell_real(g->bytes > 0 ? g->bytes : (double)NAN),
                 pf_cell_real(g->bytes > 0 ? g->bytes / (g->total * 1e-6) * 1e-9 : (double)NAN));
}

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
    PF_TABLE_ROW(s->f, s->table[TG_GRAPHS], device(s, e->device[batch]),
                 pf_cell_text(pf_tg_string(s->in, e->name[batch])),
                 pf_cell_real((double)(e->ts[batch] - s->l->start * 1000) / 1000), pf_cell_real(e->dur[batch]),
                 pf_cell_int(entries), pf_cell_int(dependencies), pf_cell_real(work));
}

static void add_iterations(summary *s)
{
    size_t empty = 0;
    for (size_t i = 0; i < s->w->iteration_count; i++) {
        const tg_iteration *it = &s->w->iterations[i];
        PF_TABLE_ROW(s->f, s->table[TG_ITERATIONS], pf_cell_text(it->stem), pf_cell_text(it->label),
                     pf_cell_real((double)(it->from - s->l->start * 1000) / 1000),
                     pf_cell_real((double)(it->to - it->from) / 1000), pf_cell_int((int64_t)it->sum.kernels),
                     pf_cell_real(it->sum.kernel_us), pf_cell_int((int64_t)it->sum.copies),
                     pf_cell_real(it->sum.copy_us));
        empty += it->sum.kernels + it->sum.copies == 0;
    }
    if (empty) {
        pf_findings_show_line(
            s->f, PF_NOTICE,
            "%zu of %zu iterations hold neither a kernel nor a copy: their markers are in the profile, "
            "what ran between them is not, or it ran elsewhere in time",
            empty, s->w->iteration_count);
    }
}

/* Names of the kernels that use a buffer, each once in a row, as many as fit. */
static pf_str user_names(summary *s, const tg_track *t, const tg_change *released)
{
    const tg_runs *r = &s->in->runs;
    pf_text *out = pf_text_new(s->f);
    uint32_t last = PF_NONE, shown = 0;
    for (uint32_t i = 0; i < released->user_count && shown < 16; i++) {
        uint32_t kernel = r->kernel[s->in->uses.run[t->users[released->first_user + i]]];
        if (kernel != last) {
            pf_text_put(s->f, out, shown ? PF_STR(", ") : PF_STR(""));
            pf_text_put(s->f, out, pf_tg_plain(s->f, pf_tg_string(s->in, kernel)));
            shown++;
        }
        last = kernel;
    }
    return shown ? pf_text_view(out) : (pf_str){NULL, 0};
}

static int64_t size_of(const summary *s, const tg_change *c)
{
    return pf_tg_items(s->in, c->row) * s->in->memory.item_bytes[c->row];
}

static void add_holder(summary *s, const tg_track *t, const tg_change *c, const tg_change *released)
{
    pf_str dtype = pf_tg_string(s->in, s->in->memory.dtype[c->row]);
    int64_t items = pf_tg_items(s->in, c->row);
    pf_str name = pf_findings_format(s->f, "%.*s[%lld] #%lld", (int)(dtype.len < 80 ? dtype.len : 80),
                                     dtype.ptr ? dtype.ptr : "", (long long)items, (long long)c->buffer);
    PF_TABLE_ROW(s->f, s->table[TG_HOLDERS], device(s, t->device), pf_cell_int(c->buffer), pf_cell_text(dtype),
                 pf_cell_int(items), pf_cell_int(size_of(s, c)), pf_cell_int(c->us - s->l->start),
                 pf_cell_int(released->us - s->l->start), pf_cell_int(released->user_count),
                 pf_cell_text(user_names(s, t, released)), pf_cell_text(name));
}

/* For each change up to the peak that allocates a buffer which is there then: the change that releases it, else 0. So
 * it is found backwards, with a map of where buffers end. */
static pf_status find_holders(const tg_track *t, pf_map *ends, uint32_t *released, int64_t *holders, pf_error *err)
{
    for (uint32_t i = t->count; i-- > 0;) {
        const tg_change *c = &t->changes[i];
        if (i <= t->peak_at) {
            uint32_t at = pf_map_get(ends, (uint64_t)c->buffer);
            released[i] = c->alloc && at != PF_NONE && at > t->peak_at ? at : 0;
            *holders += released[i] != 0;
        }
        PF_TRY(i <= t->peak_at || !c->alloc ? pf_map_put(ends, (uint64_t)c->buffer, i, err) : PF_OK);
    }
    return PF_OK;
}

/* Changes that allocate what is held at the peak. */
typedef struct holders {
    const summary *s;
    const tg_track *t;
    uint32_t *change;
} holders;

static bool is_smaller(const void *ctx, uint32_t a, uint32_t b)
{
    const holders *h = ctx;
    return size_of(h->s, &h->t->changes[h->change[a]]) < size_of(h->s, &h->t->changes[h->change[b]]);
}

/* Who is there after the change that reaches the peak, the largest first. */
static pf_status add_peak(summary *s, const tg_track *t, pf_map *ends, pf_error *err)
{
    int64_t count = 0;
    size_t changes = (size_t)t->peak_at + 1;
    uint32_t *released = pf_findings_alloc(s->f, 4 * changes * sizeof *released), n = 0;
    PF_TRY(released ? PF_OK : pf_findings_status(s->f, err));
    const holders h = {s, t, released + changes};
    uint32_t *order = released + 2 * changes;
    pf_map_clear(ends);
    PF_TRY(find_holders(t, ends, released, &count, err));
    int64_t at = t->changes[t->peak_at].us - s->l->start;
    PF_TABLE_ROW(s->f, s->table[TG_PEAKS], device(s, t->device), pf_cell_int((int64_t)t->peak), pf_cell_int(at),
                 pf_cell_int(count));
    for (uint32_t i = 0; i < changes; i++) {
        if (released[i]) {
            h.change[n++] = i;
        }
    }
    pf_order_rows(order, order + changes, n, is_smaller, &h);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t change = h.change[order[i]];
        add_holder(s, t, &t->changes[change], &t->changes[released[change]]);
    }
    return PF_OK;
}

static pf_status add_memory(summary *s, pf_map *ends, pf_error *err)
{
    for (uint32_t i = 0; i < s->l->track_count; i++) {
        const tg_track *t = &s->l->tracks[s->l->layout[i]];
        PF_TRY(t->kind == TG_MEMORY && t->peak_at != PF_NONE ? add_peak(s, t, ends, err) : PF_OK);
    }
    return PF_OK;
}

/* Each table as a list of objects. */
static pf_node *make_document(const summary *s)
{
    pf_node *root = pf_node_root(s->f, PF_NODE_OBJECT);
    pf_node_add_int(s->f, root, PF_STR("schema_version"), 1);
    pf_node_add_int(s->f, root, PF_STR("events"), s->in->event_count);
    pf_node_add_int(s->f, root, PF_STR("length_us"), s->l->end - s->l->start);
    for (unsigned i = 0; i < PF_TG_TABLES; i++) {
        const char *name = pf_tg_tables[i].name + sizeof "tinygrad_" - 1;
        pf_node_add_rows(s->f, root, pf_str_of(name), s->table[i], 0);
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
        if (pf_table_rows(s->table[i])) {
            pf_findings_report_csv(s->f, pf_findings_format(s->f, "%s.csv", name),
                                   i == TG_COUNTERS ? s->exact : s->table[i], true);
        }
    }
}

static pf_status fill(summary *s, pf_error *err)
{
    const tg_work *w = s->w;
    for (size_t i = 0; i < w->group_count; i++) {
        s->kernel_us += w->groups[i].kind == TG_KERNEL ? w->groups[i].total : 0;
    }
    for (size_t i = 0; i < w->group_count; i++) {
        (w->groups[i].kind == TG_COPY ? add_copy : add_kernel)(s, &w->groups[i]);
    }
    for (uint32_t i = 0, next = 0; i < s->in->events.count; i++) {
        if (s->in->events.kind[i] == s->in->kinds.batch) {
            add_graph(s, i, &next);
        }
    }
    add_iterations(s);
    pf_map ends;
    pf_map_init(&ends, w->budget);
    pf_status st = add_memory(s, &ends, err);
    pf_map_free(&ends);
    PF_TRY(st);
    return pf_tg_fill_tables(s->in, w->budget, &s->table[TG_WAVES], s->exact, err);
}

pf_status pf_tg_summarise(const tg_work *w, pf_findings *f, pf_table_builder *table[PF_TG_TABLES], pf_error *err)
{
    static const pf_str titles[PF_TG_TABLES] = {{"Kernels", 7},     {"Copies", 6},        {"Launches of graphs", 18},
                                                {"Iterations", 10}, {"Memory peaks", 12}, {"Buffers at the peak", 19},
                                                {"Waves", 5},       {"Instructions", 12}, {"Stalls", 6},
                                                {"Counters", 8}};
    for (unsigned i = 0; i < PF_TG_TABLES; i++) {
        const pf_pass_table *t = &pf_tg_tables[i];
        table[i] = pf_table_new_named(f, t->name, titles[i], t->columns, t->column_count);
    }
    summary s = {.w = w, .l = w->l, .in = w->l->in, .f = f, .table = table};
    s.exact = pf_table_new(f, titles[TG_COUNTERS], exact_columns, sizeof exact_columns / sizeof *exact_columns);
    PF_TRY(fill(&s, err));
    if (pf_findings_status(f, err) == PF_OK) {
        report(&s);
    }
    return pf_findings_status(f, err);
}
