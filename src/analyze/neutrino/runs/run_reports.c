/* analyze/neutrino/runs/run_reports.c - analyses of logs and trees of runs: launches, slowdown and registers, largest
 * memory, exposed latency (docs/reference/neutrino.md, "Analyses"). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/str.h"

#include "analyze/neutrino/runs/run_reports.h"

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* Takes the last part off a path, steps over "."; {"", 0} where nothing is left. */
static pf_str take_last(pf_str *path)
{
    pf_str part;
    do {
        while (path->len && path->ptr[path->len - 1] == '/') {
            path->len--;
        }
        size_t from = path->len;
        while (from && path->ptr[from - 1] != '/') {
            from--;
        }
        part = (pf_str){path->ptr + from, path->len - from};
        path->len = from;
    } while (part.len == 1 && part.ptr[0] == '.');
    return part;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void put_int(const neutrino_run *n, pf_node *o, const char *key, int64_t v)
{
    if (v == INT64_MIN) {
        pf_neutrino_put_null(n, o, key);
    } else {
        pf_node_add_int(n->f, o, key ? (pf_str){key, strlen(key)} : (pf_str){NULL, 0}, v);
    }
}

static void put_shape(const neutrino_run *n, pf_node *o, const char *key, neutrino_view v, uint32_t row,
                      const char *const *columns)
{
    pf_node *list = pf_neutrino_put_list(n, o, key);
    for (unsigned i = 0; i < 3; i++) {
        put_int(n, list, NULL, pf_neutrino_int(v, columns[i], row));
    }
}

/* "[1,2]": the numbers as they are. */
static void put_params(const neutrino_run *n, pf_node *o, pf_str text)
{
    if (!text.ptr) {
        pf_neutrino_put_null(n, o, "params");
        return;
    }
    pf_node *list = pf_neutrino_put_list(n, o, "params");
    for (size_t at = 1; at < text.len;) {
        size_t len = 0;
        while (at + len < text.len && text.ptr[at + len] >= '0' && text.ptr[at + len] <= '9') {
            len++;
        }
        if (len) {
            pf_node_add_raw(n->f, list, (pf_str){NULL, 0}, (pf_str){text.ptr + at, len});
        }
        at += len + 1;
    }
}

static void put_launch(const neutrino_run *n, pf_node *list, neutrino_view v, uint32_t row)
{
    static const char *const grid[] = {"grid_x", "grid_y", "grid_z"}, *const block[] = {"block_x", "block_y",
                                                                                        "block_z"};
    static const char *const times[] = {"prologue_ms", "kernel_ms", "epilogue_ms"};
    pf_node *o = pf_node_add(n->f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    pf_str name = pf_neutrino_string(n->t, v, "kernel", row);
    if (name.ptr) {
        pf_neutrino_put_text(n, o, "name", name);
    } else {
        pf_neutrino_put_null(n, o, "name");
    }
    put_int(n, o, "ts", pf_neutrino_int(v, "ts", row));
    put_shape(n, o, "grid", v, row, grid);
    put_shape(n, o, "block", v, row, block);
    put_int(n, o, "shared", pf_neutrino_int(v, "shared", row));
    put_params(n, o, pf_neutrino_string(n->t, v, "params", row));
    put_int(n, o, "probe_mem", pf_neutrino_int(v, "probe_mem", row));
    pf_neutrino_put_text(n, o, "status", pf_neutrino_string(n->t, v, "status", row));
    for (unsigned i = 0; i < 3; i++) {
        pf_neutrino_put_real(n, o, times[i], pf_neutrino_double(v, times[i], row));
    }
}

static pf_cell int_cell(int64_t v)
{
    return (pf_cell){.null = v == INT64_MIN, .as.i = v};
}

/* The product of three columns; NULL where one is. */
static pf_cell product_cell(neutrino_view v, uint32_t row, const char *const *columns)
{
    int64_t product = 1;
    bool good = true;
    for (unsigned i = 0; i < 3; i++) {
        int64_t n = pf_neutrino_int(v, columns[i], row);
        good = good && n != INT64_MIN && !__builtin_mul_overflow(product, n, &product);
    }
    return (pf_cell){.null = !good, .as.i = product};
}

static void tabulate_launch(neutrino_run *n, neutrino_view v, uint32_t row)
{
    static const char *const grid[] = {"grid_x", "grid_y", "grid_z"}, *const block[] = {"block_x", "block_y",
                                                                                        "block_z"};
    static const char *const reals[] = {"prologue_ms", "kernel_ms", "epilogue_ms", "original_ms", "impact"};
    pf_str kernel = pf_neutrino_string(n->t, v, "name", row), status = pf_neutrino_string(n->t, v, "status", row);
    pf_str path =
        pf_neutrino_string(n->t, pf_neutrino_view(n->t, "neutrino_run"), "path", pf_neutrino_row_of(v, "run", row));
    pf_cell cells[13] = {{.null = !path.ptr, .as.s = path},
                         {.null = !kernel.ptr, .as.s = kernel},
                         int_cell(pf_neutrino_int(v, "ts", row)),
                         product_cell(v, row, grid),
                         product_cell(v, row, block),
                         int_cell(pf_neutrino_int(v, "shared", row)),
                         int_cell(pf_neutrino_int(v, "probe_mem", row)),
                         {.null = !status.ptr, .as.s = status}};
    for (unsigned i = 0; i < 5; i++) {
        double d = pf_neutrino_double(v, reals[i], row);
        cells[8 + i] = (pf_cell){.null = !isfinite(d), .as.d = d};
    }
    pf_table_row(n->f, pf_neutrino_report_table(n, NEUTRINO_TABLE_LAUNCHES), cells);
}

void pf_neutrino_launches(neutrino_run *n)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_launch");
    if (v.count) {
        pf_node *list = pf_neutrino_root(n, PF_NODE_LIST);
        for (uint32_t i = 0; i < v.count; i++) {
            put_launch(n, list, v, i);
            tabulate_launch(n, v, i);
        }
        pf_neutrino_report(n, "launches", NULL, list);
    }
}

/* ---- slowdown and registers -------------------------------------------------------------------------------------- */

typedef struct slowdown {
    uint64_t launches;
    double sum, logs, max, kernel, original;
} slowdown;

static slowdown add_launches(const neutrino_run *n, uint32_t run)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_launch");
    slowdown s = {.launches = 0};
    for (uint32_t i = 0; i < v.count; i++) {
        double impact = pf_neutrino_double(v, "impact", i);
        if (pf_neutrino_row_of(v, "run", i) == run && isfinite(impact)) {
            s.launches++;
            s.sum += impact;
            s.logs += log(impact);
            s.max = s.launches == 1 || impact > s.max ? impact : s.max;
            s.kernel += pf_neutrino_double(v, "kernel_ms", i);
            s.original += pf_neutrino_double(v, "original_ms", i);
        }
    }
    return s;
}

/* The registers of each kernel of the run; returns the mean of what probes add, NaN without kernels. */
static double put_registers(neutrino_run *n, pf_node *o, uint32_t run, pf_str op, pf_str probe)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_kernel");
    pf_node *list = pf_neutrino_put_list(n, o, "registers");
    int64_t sum = 0, count = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        int64_t probed = pf_neutrino_int(v, "probed_registers", i), pruned = pf_neutrino_int(v, "pruned_registers", i);
        if (pf_neutrino_row_of(v, "run", i) != run || probed == INT64_MIN || pruned == INT64_MIN) {
            continue;
        }
        pf_str name = pf_neutrino_string(n->t, v, "name", i), written = pf_neutrino_string(n->t, v, "written", i);
        pf_node *k = pf_node_add(n->f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_neutrino_put_text(n, k, "kernel", name);
        put_int(n, k, "pruned", pruned);
        put_int(n, k, "probed", probed);
        put_int(n, k, "extra", probed - pruned);
        const pf_cell row[] = {{.as.s = op},     {.as.s = probe},  {.null = !name.ptr, .as.s = written},
                               {.as.i = pruned}, {.as.i = probed}, {.as.i = probed - pruned}};
        pf_table_row(n->f, pf_neutrino_report_table(n, NEUTRINO_TABLE_REGISTERS), row);
        sum += probed - pruned;
        count++;
    }
    return count ? (double)sum / (double)count : NAN;
}

static void put_slowdown(neutrino_run *n, pf_node *o, const slowdown *s, uint32_t run, pf_str op, pf_str probe)
{
    double count = (double)s->launches, mean = s->sum / count, geomean = exp(s->logs / count);
    double total = s->original > 0 ? s->kernel / s->original : NAN;
    pf_neutrino_put_u64(n, o, "launches", s->launches);
    pf_neutrino_put_real(n, o, "impact_mean", mean);
    pf_neutrino_put_real(n, o, "impact_geomean", geomean);
    pf_neutrino_put_real(n, o, "impact_max", s->max);
    pf_neutrino_put_real(n, o, "kernel_ms", s->kernel);
    pf_neutrino_put_real(n, o, "original_ms", s->original);
    pf_neutrino_put_real(n, o, "total_slowdown", total);
    double extra = put_registers(n, o, run, op, probe);
    pf_neutrino_put_real(n, o, "extra_registers_mean", extra);
    const pf_cell row[] = {{.as.s = op},
                           {.as.s = probe},
                           pf_neutrino_cell(s->launches),
                           {.as.d = mean},
                           {.null = !isfinite(geomean), .as.d = geomean},
                           {.as.d = s->max},
                           {.null = !isfinite(total), .as.d = total},
                           {.null = !isfinite(extra), .as.d = extra}};
    pf_table_row(n->f, pf_neutrino_report_table(n, NEUTRINO_TABLE_OVERHEAD), row);
}

/* The object of an operator, made when it is first met. */
static pf_node *member(const neutrino_run *n, pf_node *root, pf_str key)
{
    for (pf_node *c = root->first; c; c = c->next) {
        if (pf_str_equal(c->key, key)) {
            return c;
        }
    }
    return pf_node_add(n->f, root, key, PF_NODE_OBJECT);
}

/* Runs in benchmark mode: OP/PROBE/trace, or with a folder of their own in it. */
void pf_neutrino_overhead(neutrino_run *n)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_run");
    pf_node *root = NULL;
    for (uint32_t i = 0; i < v.count; i++) {
        slowdown s = add_launches(n, i);
        if (s.launches == 0) {
            continue;
        }
        pf_str path = pf_neutrino_string(n->t, v, "path", i), last = take_last(&path);
        while (path.len && !pf_neutrino_same(last, "trace")) {
            last = take_last(&path);
        }
        pf_str probe = take_last(&path), op = take_last(&path);
        root = root ? root : pf_neutrino_root(n, PF_NODE_OBJECT);
        pf_node *of = root ? member(n, root, op) : NULL;
        pf_node *o = of ? pf_node_add(n->f, of, probe, PF_NODE_OBJECT) : NULL;
        put_slowdown(n, o, &s, i, op, probe);
    }
    if (root) {
        pf_neutrino_report(n, "overhead", NULL, root);
    }
}

/* ---- largest memory ---------------------------------------------------------------------------------------------- */

static int64_t largest_probe(const neutrino_run *n, pf_str model, pf_str test)
{
    neutrino_view runs = pf_neutrino_view(n->t, "neutrino_run"), v = pf_neutrino_view(n->t, "neutrino_launch");
    int64_t most = 0;
    uint32_t known = PF_NONE;
    bool belongs = false;
    for (uint32_t i = 0; i < v.count; i++) {
        uint32_t run = pf_neutrino_row_of(v, "run", i);
        if (run != known) {
            pf_str path = pf_neutrino_string(n->t, runs, "path", run);
            known = run;
            take_last(&path);
            take_last(&path);
            pf_str of_test = take_last(&path), of_model = take_last(&path);
            belongs = pf_str_equal(of_test, test) && pf_str_equal(of_model, model);
        }
        int64_t bytes = pf_neutrino_int(v, "probe_mem", i);
        most = belongs && bytes > most ? bytes : most;
    }
    return most;
}

/* Whether a row before this one is of the same model and test; else *most is the largest number of all that are. */
static bool first_of(const neutrino_run *n, neutrino_view v, uint32_t row, pf_str model, pf_str test, int64_t *most)
{
    *most = INT64_MIN;
    for (uint32_t i = 0; i < v.count; i++) {
        pf_str path = pf_neutrino_string(n->t, v, "folder", i);
        take_last(&path);
        pf_str of_test = take_last(&path), of_model = take_last(&path);
        if (!pf_str_equal(of_test, test) || !pf_str_equal(of_model, model)) {
            continue;
        }
        if (i < row) {
            return false;
        }
        int64_t bytes = pf_neutrino_int(v, "max_memory", i);
        *most = bytes > *most ? bytes : *most;
    }
    return true;
}

static void put_memory(neutrino_run *n, pf_node *list, pf_str model, pf_str test, int64_t original, int64_t probe)
{
    pf_node *o = pf_node_add(n->f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    pf_str line = pf_findings_format(n->f, "%.*s %.*s %" PRId64 " %" PRId64, (int)model.len, model.ptr, (int)test.len,
                                     test.ptr, original, probe);
    pf_neutrino_put_text(n, o, "model", model);
    pf_neutrino_put_text(n, o, "test", test);
    put_int(n, o, "original", original);
    put_int(n, o, "probe", probe);
    pf_neutrino_put_text(n, o, "line", line);
    const pf_cell row[] = {{.as.s = model}, {.as.s = test}, {.as.i = original}, {.as.i = probe}};
    pf_table_row(n->f, pf_neutrino_report_table(n, NEUTRINO_TABLE_MAX_MEM), row);
    pf_neutrino_print(n, line);
}

/* MODEL/TEST/SUB/stdout.log, with run directories next to it. */
void pf_neutrino_max_memory(neutrino_run *n)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_stdout");
    pf_node *list = v.count ? pf_neutrino_root(n, PF_NODE_LIST) : NULL;
    for (uint32_t i = 0; i < v.count; i++) {
        pf_str path = pf_neutrino_string(n->t, v, "folder", i);
        take_last(&path);
        pf_str test = take_last(&path), model = take_last(&path);
        int64_t original;
        if (first_of(n, v, i, model, test, &original)) {
            put_memory(n, list, model, test, original == INT64_MIN ? 0 : original, largest_probe(n, model, test));
        }
    }
    if (list) {
        pf_neutrino_report(n, "max_mem", NULL, list);
    }
}

/* ---- exposed latency --------------------------------------------------------------------------------------------- */

static void put_latency(neutrino_run *n, pf_node *list, neutrino_view v, const neutrino_group *g, uint32_t i)
{
    double original = pf_neutrino_double(v, "original", i), all = pf_neutrino_double(v, "neutrino", i);
    double ncu = pf_neutrino_double(v, "ncu", i) / original, ratio = all / original;
    double epilogue = pf_neutrino_double(v, "epilogue", i) / all, kernel = pf_neutrino_double(v, "kernel", i) / all;
    double prologue = pf_neutrino_double(v, "prologue", i) / all;
    pf_str probe = pf_neutrino_string(n->t, v, "probe", i);
    pf_node *o = pf_node_add(n->f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    pf_neutrino_put_text(n, o, "probe", probe);
    pf_neutrino_put_real(n, o, "ncu_ratio", ncu);
    pf_neutrino_put_real(n, o, "neutrino_ratio", ratio);
    pf_neutrino_put_real(n, o, "epilogue_share", epilogue);
    pf_neutrino_put_real(n, o, "kernel_share", kernel);
    pf_neutrino_put_real(n, o, "prologue_share", prologue);
    pf_neutrino_put_real(n, o, "stack_epilogue", epilogue * ratio);
    pf_neutrino_put_real(n, o, "stack_middle", epilogue * ratio + kernel * ratio);
    pf_neutrino_put_real(n, o, "stack_top", epilogue * ratio + kernel * ratio + prologue * ratio);
    pf_text *a = pf_text_new(n->f), *b = pf_text_new(n->f);
    pf_text_put_real(n->f, a, ncu, 2, 0);
    pf_text_put_real(n->f, b, ratio, 2, 0);
    pf_text_put(n->f, a, PF_STR("x"));
    pf_text_put(n->f, b, PF_STR("x"));
    pf_neutrino_put_text(n, o, "ncu_label", pf_text_view(a));
    pf_neutrino_put_text(n, o, "neutrino_label", pf_text_view(b));
    if (g->r.of_kind > 1) {
        pf_neutrino_put_text(n, o, "file", g->r.file);
    }
    const pf_cell row[] = {{.as.s = g->r.file}, {.as.s = probe},  {.as.d = ncu},     {.as.d = ratio},
                           {.as.d = prologue},  {.as.d = kernel}, {.as.d = epilogue}};
    pf_table_row(n->f, pf_neutrino_report_table(n, NEUTRINO_TABLE_LATENCY), row);
}

void pf_neutrino_latencies(neutrino_run *n, neutrino_view v, const neutrino_group *g)
{
    pf_node *list = pf_neutrino_root(n, PF_NODE_LIST);
    for (uint32_t i = g->first; i < g->past; i++) {
        put_latency(n, list, v, g, i);
    }
    pf_neutrino_report(n, "exposed_latency", &g->r, list);
}
