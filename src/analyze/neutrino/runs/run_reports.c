/* analyze/neutrino/runs/run_reports.c - analyses of logs and trees of runs: launches, slowdown and registers, largest
 * memory, exposed latency (docs/reference/neutrino.md, "Analyses"). */
#include <inttypes.h>
#include <math.h>

#include "analyze/neutrino/facts/neutrino.h"

static void put_int(const neutrino_run *n, pf_node *o, const char *key, int64_t v)
{
    if (v == INT64_MIN) {
        pf_neutrino_put(n, o, key, PF_NODE_NULL);
    } else {
        pf_node_add_int(n->f, o, pf_neutrino_str(key), v);
    }
}

static void put_shape(const neutrino_run *n, pf_node *o, const char *key, const int64_t *const *shape, uint32_t row)
{
    pf_node *list = pf_neutrino_put(n, o, key, PF_NODE_LIST);
    for (unsigned i = 0; i < 3; i++) {
        put_int(n, list, NULL, shape[i][row]);
    }
}

/* "[1,2]": the numbers as they are. */
static void put_params(const neutrino_run *n, pf_node *o, pf_str text)
{
    if (!text.ptr) {
        pf_neutrino_put(n, o, "params", PF_NODE_NULL);
        return;
    }
    pf_node *list = pf_neutrino_put(n, o, "params", PF_NODE_LIST);
    for (size_t at = 1; at < text.len;) {
        size_t len = 0;
        while (at + len < text.len && pf_is_digit(text.ptr[at + len])) {
            len++;
        }
        if (len) {
            pf_node_add_raw(n->f, list, (pf_str){NULL, 0}, (pf_str){text.ptr + at, len});
        }
        at += len + 1;
    }
}

static void put_launch(const neutrino_run *n, pf_node *list, uint32_t i)
{
    static const char *const times[] = {"prologue_ms", "kernel_ms", "epilogue_ms"};
    const neutrino_launches *v = &n->launches;
    pf_node *o = pf_neutrino_put(n, list, NULL, PF_NODE_OBJECT);
    pf_node_add_text(n->f, o, PF_STR("name"), pf_neutrino_string(n, v->kernel, i));
    put_int(n, o, "ts", v->ts[i]);
    put_shape(n, o, "grid", v->grid, i);
    put_shape(n, o, "block", v->block, i);
    put_int(n, o, "shared", v->shared[i]);
    put_params(n, o, pf_neutrino_string(n, v->params, i));
    put_int(n, o, "probe_mem", v->probe_mem[i]);
    pf_neutrino_put_text(n, o, "status", pf_neutrino_string(n, v->status, i));
    for (unsigned k = 0; k < 3; k++) {
        pf_neutrino_put_real(n, o, times[k], v->ms[k][i]);
    }
}

static pf_cell int_cell(int64_t v)
{
    return pf_cell_int_if(v != INT64_MIN, v);
}

/* The product of three numbers; NULL where one is. */
static pf_cell product_cell(const int64_t *const *shape, uint32_t row)
{
    int64_t product = 1;
    bool good = true;
    for (unsigned i = 0; i < 3; i++) {
        good = good && shape[i][row] != INT64_MIN && !__builtin_mul_overflow(product, shape[i][row], &product);
    }
    return pf_cell_int_if(good, product);
}

static void tabulate_launch(neutrino_run *n, uint32_t i)
{
    const neutrino_launches *v = &n->launches;
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_LAUNCHES, pf_cell_text(pf_neutrino_string(n, n->runs.path, v->run[i])),
                    pf_cell_text(pf_neutrino_string(n, v->name, i)), int_cell(v->ts[i]), product_cell(v->grid, i),
                    product_cell(v->block, i), int_cell(v->shared[i]), int_cell(v->probe_mem[i]),
                    pf_cell_text(pf_neutrino_string(n, v->status, i)), pf_cell_real(v->ms[0][i]),
                    pf_cell_real(v->ms[1][i]), pf_cell_real(v->ms[2][i]), pf_cell_real(v->original[i]),
                    pf_cell_real(v->impact[i]));
}

void pf_neutrino_launches(neutrino_run *n)
{
    pf_node *list = n->launches.count ? pf_node_root(n->f, PF_NODE_LIST) : NULL;
    for (uint32_t i = 0; i < n->launches.count; i++) {
        put_launch(n, list, i);
        tabulate_launch(n, i);
    }
    if (list) {
        pf_neutrino_report(n, "launches", NULL, list);
    }
}

typedef struct slowdown {
    uint64_t launches;
    double sum, logs, max, kernel, original;
} slowdown;

static slowdown add_launches(const neutrino_run *n, uint32_t run)
{
    const neutrino_launches *v = &n->launches;
    slowdown s = {.launches = 0};
    for (uint32_t i = 0; i < v->count; i++) {
        double impact = v->impact[i];
        if (v->run[i] == run && isfinite(impact)) {
            s.launches++;
            s.sum += impact;
            s.logs += log(impact);
            s.max = s.launches == 1 || impact > s.max ? impact : s.max;
            s.kernel += v->ms[1][i];
            s.original += v->original[i];
        }
    }
    return s;
}

/* The registers of each kernel of the run; returns the mean of what probes add, NaN without kernels. */
static double put_registers(neutrino_run *n, pf_node *o, uint32_t run, pf_str op, pf_str probe)
{
    const neutrino_kernels *v = &n->kernels;
    pf_node *list = pf_neutrino_put(n, o, "registers", PF_NODE_LIST);
    int64_t sum = 0, count = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        int64_t probed = v->probed[i], pruned = v->pruned[i];
        int64_t extra = (int64_t)((uint64_t)probed - (uint64_t)pruned); /* a partial may say anything */
        if (v->run[i] != run || probed == INT64_MIN || pruned == INT64_MIN) {
            continue;
        }
        pf_node *k = pf_neutrino_put(n, list, NULL, PF_NODE_OBJECT);
        pf_neutrino_put_text(n, k, "kernel", pf_neutrino_string(n, v->name, i));
        put_int(n, k, "pruned", pruned);
        put_int(n, k, "probed", probed);
        put_int(n, k, "extra", extra);
        PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_REGISTERS, {.as.s = op}, {.as.s = probe},
                        {.null = !v->name[i], .as.s = pf_neutrino_string(n, v->written, i)}, pf_cell_int(pruned),
                        pf_cell_int(probed), pf_cell_int(extra));
        sum = (int64_t)((uint64_t)sum + (uint64_t)extra);
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
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_OVERHEAD, {.as.s = op}, {.as.s = probe}, pf_cell_count(s->launches),
                    {.as.d = mean}, pf_cell_real(geomean), {.as.d = s->max}, pf_cell_real(total), pf_cell_real(extra));
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
    pf_node *root = NULL;
    for (uint32_t i = 0; i < n->runs.count; i++) {
        slowdown s = add_launches(n, i);
        if (s.launches == 0) {
            continue;
        }
        pf_str probe, op;
        pf_neutrino_probe_and_op(pf_neutrino_string(n, n->runs.path, i), &probe, &op);
        root = root ? root : pf_node_root(n->f, PF_NODE_OBJECT);
        pf_node *of = root ? member(n, root, op) : NULL;
        put_slowdown(n, pf_node_add(n->f, of, probe, PF_NODE_OBJECT), &s, i, op, probe);
    }
    if (root) {
        pf_neutrino_report(n, "overhead", NULL, root);
    }
}

/* MODEL and TEST of a path MODEL/TEST/..., whose last parts have been taken off. */
static bool is_of(pf_str path, pf_str model, pf_str test)
{
    pf_str of_test = pf_neutrino_take_last(&path), of_model = pf_neutrino_take_last(&path);
    return pf_str_equal(of_test, test) && pf_str_equal(of_model, model);
}

static int64_t largest_probe(const neutrino_run *n, pf_str model, pf_str test)
{
    const neutrino_launches *v = &n->launches;
    int64_t most = 0;
    uint32_t known = PF_NONE;
    bool belongs = false;
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->run[i] != known) {
            known = v->run[i];
            pf_str path = pf_neutrino_string(n, n->runs.path, known);
            pf_neutrino_take_last(&path);
            pf_neutrino_take_last(&path);
            belongs = is_of(path, model, test);
        }
        most = belongs && v->probe_mem[i] > most ? v->probe_mem[i] : most;
    }
    return most;
}

/* Whether a row before this one is of the same model and test; else *most is the largest number of all that are. */
static bool first_of(const neutrino_run *n, uint32_t row, pf_str model, pf_str test, int64_t *most)
{
    const neutrino_outputs *v = &n->outputs;
    *most = INT64_MIN;
    for (uint32_t i = 0; i < v->count; i++) {
        pf_str path = pf_neutrino_string(n, v->folder, i);
        pf_neutrino_take_last(&path);
        if (!is_of(path, model, test)) {
            continue;
        }
        if (i < row) {
            return false;
        }
        *most = v->max_memory[i] > *most ? v->max_memory[i] : *most;
    }
    return true;
}

static void put_memory(neutrino_run *n, pf_node *list, pf_str model, pf_str test, int64_t original, int64_t probe)
{
    pf_node *o = pf_neutrino_put(n, list, NULL, PF_NODE_OBJECT);
    pf_str line = pf_findings_format(n->f, "%.*s %.*s %" PRId64 " %" PRId64, (int)model.len, model.ptr, (int)test.len,
                                     test.ptr, original, probe);
    pf_neutrino_put_text(n, o, "model", model);
    pf_neutrino_put_text(n, o, "test", test);
    put_int(n, o, "original", original);
    put_int(n, o, "probe", probe);
    pf_neutrino_put_text(n, o, "line", line);
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_MAX_MEM, {.as.s = model}, {.as.s = test}, pf_cell_int(original),
                    pf_cell_int(probe));
    pf_neutrino_print(n, line);
}

/* MODEL/TEST/SUB/stdout.log, with run directories next to it. */
void pf_neutrino_max_memory(neutrino_run *n)
{
    pf_node *list = n->outputs.count ? pf_node_root(n->f, PF_NODE_LIST) : NULL;
    for (uint32_t i = 0; i < n->outputs.count; i++) {
        pf_str path = pf_neutrino_string(n, n->outputs.folder, i);
        pf_neutrino_take_last(&path);
        pf_str test = pf_neutrino_take_last(&path), model = pf_neutrino_take_last(&path);
        int64_t original;
        if (first_of(n, i, model, test, &original)) {
            put_memory(n, list, model, test, original == INT64_MIN ? 0 : original, largest_probe(n, model, test));
        }
    }
    if (list) {
        pf_neutrino_report(n, "max_mem", NULL, list);
    }
}

static pf_str ratio_label(const neutrino_run *n, double ratio)
{
    pf_text *t = pf_text_new(n->f);
    pf_text_put_real(n->f, t, ratio, 2, 0);
    pf_text_put(n->f, t, PF_STR("x"));
    return pf_text_view(t);
}

static void put_latency(neutrino_run *n, pf_node *list, const neutrino_group *g, uint32_t i)
{
    const neutrino_latencies *v = &n->latencies;
    double all = v->neutrino[i], ncu = v->ncu[i] / v->original[i], ratio = all / v->original[i];
    double epilogue = v->part[0][i] / all, kernel = v->part[1][i] / all, prologue = v->part[2][i] / all;
    pf_str probe = pf_neutrino_string(n, v->probe, i);
    pf_node *o = pf_neutrino_put(n, list, NULL, PF_NODE_OBJECT);
    pf_neutrino_put_text(n, o, "probe", probe);
    pf_neutrino_put_real(n, o, "ncu_ratio", ncu);
    pf_neutrino_put_real(n, o, "neutrino_ratio", ratio);
    pf_neutrino_put_real(n, o, "epilogue_share", epilogue);
    pf_neutrino_put_real(n, o, "kernel_share", kernel);
    pf_neutrino_put_real(n, o, "prologue_share", prologue);
    pf_neutrino_put_real(n, o, "stack_epilogue", epilogue * ratio);
    pf_neutrino_put_real(n, o, "stack_middle", epilogue * ratio + kernel * ratio);
    pf_neutrino_put_real(n, o, "stack_top", epilogue * ratio + kernel * ratio + prologue * ratio);
    pf_neutrino_put_text(n, o, "ncu_label", ratio_label(n, ncu));
    pf_neutrino_put_text(n, o, "neutrino_label", ratio_label(n, ratio));
    if (g->r.of_kind > 1) {
        pf_neutrino_put_text(n, o, "file", g->r.file);
    }
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_LATENCY, {.as.s = g->r.file}, {.as.s = probe}, {.as.d = ncu}, {.as.d = ratio},
                    {.as.d = prologue}, {.as.d = kernel}, {.as.d = epilogue});
}

void pf_neutrino_latencies(neutrino_run *n, const neutrino_group *g)
{
    pf_node *list = pf_node_root(n->f, PF_NODE_LIST);
    for (uint32_t i = g->first; i < g->past; i++) {
        put_latency(n, list, g, i);
    }
    pf_neutrino_report(n, "exposed_latency", &g->r, list);
}
