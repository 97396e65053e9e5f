/* analyze/aie/aie_pass.c - `analyze aie` as data, and the run from trace to findings. */
#include <stddef.h>

#include "analyze/aie/aie.h"
#include "analyze/pass/passes.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

#define REQUIRED .traits = PF_OPTION_REQUIRED

/* Every option: its number, name, type, where its value belongs (hwid, the first member: nowhere), and the rest. */
#define OPTIONS(ROW)                                                                                                   \
    ROW(M, "M", INT, M, .help = "rows of the product that all cores compute together", REQUIRED)                       \
    ROW(K, "K", INT, K, .help = "inner dimension of the product", REQUIRED)                                            \
    ROW(N, "N", INT, N, .help = "columns of the product", REQUIRED)                                                    \
    ROW(TILE_M, "m", INT, m, .help = "rows of one kernel's tile; only repeated in index.json", .fallback = "0")        \
    ROW(TILE_K, "k", INT, k, .help = "inner dimension of one kernel's tile; only repeated", .fallback = "0")           \
    ROW(TILE_N, "n", INT, n, .help = "columns of one kernel's tile; only repeated", .fallback = "0")                   \
    ROW(ROWS, "row", INT, rows, .help = "rows of the array of cores", .unit = "cores", REQUIRED)                       \
    ROW(COLUMNS, "col", INT, cols, .help = "columns of the array of cores", .unit = "cores", REQUIRED)                 \
    ROW(WARMUP, "warmup", INT, warmup, .help = "iterations before the measured ones", .unit = "iterations", REQUIRED)  \
    ROW(ITERATIONS, "iterations", INT, iterations, .help = "measured iterations", .unit = "iterations", REQUIRED)      \
    ROW(HWID, "hwid", TEXT, hwid, .help = "name of the hardware; default: the file name without folder and endings")   \
    ROW(CLOCK_GHZ, "clock-ghz", REAL, clock_ghz, .help = "core clock", .fallback = "1.25", .unit = "GHz",              \
        .within = ">0..")                                                                                              \
    ROW(PAIRING, "pairing", CHOICE, hwid, .choices = "compatible|nearest",                                             \
        .help = "how entries and exits become kernels: as the source program does, or robustly",                       \
        .fallback = "compatible")                                                                                      \
    ROW(DROP_EMPTY, "drop-empty", FLAG, drop_empty, .help = "remove iterations without kernels before numbering them") \
    ROW(PEAK, "peak-macs-per-cycle", REAL, peak_macs_per_cycle,                                                        \
        .help = "what one core can do at best, for the utilisation", .fallback = "64", .unit = "MAC/cycle",            \
        .within = ">0..")                                                                                              \
    ROW(STALL_FACTOR, "stall-factor", REAL, stall_factor,                                                              \
        .help = "lock stalls of at least this length end an iteration", .fallback = "20", .unit = "median kernels",    \
        .within = ">0..")                                                                                              \
    ROW(DUPLICATE, "duplicate-fraction", REAL, duplicate_fraction,                                                     \
        .help = "a pulse that follows another one closer than this repeats it", .fallback = "0.25",                    \
        .unit = "median kernels", .within = "0..")                                                                     \
    ROW(OUTLIER_LOW, "outlier-low", REAL, outlier_low,                                                                 \
        .help = "shorter kernels are left out (the default is a third)", .fallback = "0.3333333333333333",             \
        .unit = "median kernels", .within = "0..")                                                                     \
    ROW(OUTLIER_HIGH, "outlier-high", REAL, outlier_high, .help = "longer kernels are left out", .fallback = "3",      \
        .unit = "median kernels", .within = ">0..")

#define NUMBER(number, ...) AIE_OPT_##number,
#define OPTION(number, word, kind, member, ...)                                                                        \
    [AIE_OPT_##                                                                                                        \
        number] = {.name = word, .type = PF_OPTION_##kind, .offset = offsetof(aie_parameters, member), __VA_ARGS__},

enum { OPTIONS(NUMBER) AIE_OPTIONS };
static const pf_option options[AIE_OPTIONS] = {OPTIONS(OPTION)};

static const char *const dialects[] = {"aie", NULL};
static const pf_role roles[] = {
    {.name = "trace",
     .kind = PF_ROLE_TRACE,
     .least = 1,
     .want = PF_WANT_EVENTS | PF_WANT_PLACES,
     .dialects = dialects,
     .help = "traces of AI Engine cores; each is a capture of its own"},
};

/* "a/b/trace.json.gz" -> "trace": the folder, the ending of a compression and one more ending go. */
static pf_str stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    static const pf_str packed[] = {PF_STR(".gz"), PF_STR(".zst"), PF_STR(".zip")};
    pf_str s = pf_str_of(slash ? slash + 1 : path);
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        if (s.len > packed[i].len && pf_str_ends(s, packed[i])) {
            s.len -= packed[i].len;
            break;
        }
    }
    const char *dot = memrchr(s.ptr, '.', s.len);
    if (dot && dot != s.ptr) {
        s.len = (size_t)(dot - s.ptr);
    }
    return s;
}

static int64_t not_negative(int64_t v)
{
    return v > 0 ? v : 0;
}

/* Checks the values, completes the derived ones in place and gathers them. */
static pf_status gather(const char *input_path, pf_option_value *v, aie_parameters *p, pf_error *err)
{
    if (!v[AIE_OPT_HWID].set) {
        if (strcmp(input_path, "-") == 0) {
            return pf_fail(err, PF_ERR_USAGE,
                           "standard input has no file name to take the hardware name from; "
                           "give --hwid");
        }
        v[AIE_OPT_HWID].s = stem_of(input_path);
    }
    if (v[AIE_OPT_OUTLIER_LOW].d > v[AIE_OPT_OUTLIER_HIGH].d) {
        return pf_fail(err, PF_ERR_USAGE, "--outlier-low is above --outlier-high: no kernel would be left");
    }
    v[AIE_OPT_WARMUP].i = not_negative(v[AIE_OPT_WARMUP].i);
    v[AIE_OPT_ITERATIONS].i = not_negative(v[AIE_OPT_ITERATIONS].i);
    for (size_t i = 0; i < AIE_OPTIONS; i++) {
        if (options[i].offset) {
            pf_option_store(&options[i], &v[i], p);
        }
    }
    p->hwid = v[AIE_OPT_HWID].s;
    p->nearest = pf_str_is(v[AIE_OPT_PAIRING].s, "nearest");
    __int128 cores = (__int128)p->rows * p->cols;
    p->macs = (double)p->M * (double)p->K * (double)p->N;
    p->macs_per_core = p->macs / (double)(cores > 1 ? cores : 1);
    return PF_OK;
}

/* From events to the kernels of every core. The scratch arena goes before the findings grow. */
static pf_status compute(const pf_trace *t, const aie_parameters *p, pf_arena *arena, aie_cores *cores, pf_error *err)
{
    pf_arena scratch;
    pf_arena_init(&scratch, arena->budget);
    pf_status st = pf_aie_collect(t, arena, &scratch, cores, err);
    st = st == PF_OK ? pf_aie_analyse(p, cores, arena, &scratch, err) : st;
    pf_arena_free(&scratch);
    return st;
}

/* The overlay: the system first, then every core. */
static void draw(const aie_result *r, pf_findings *f)
{
    pf_drawing d = {.f = f, .arena = r->arena};
    pf_aie_draw_system(r, &d);
    for (size_t i = 0; i < r->cores->count; i++) {
        pf_aie_draw_core(r, &r->cores->core[i], &d);
    }
}

/* Several captures are told apart by the names of their files; where two are alike, by a number as well. */
static pf_str name_capture(const pf_trace *t, size_t input, pf_findings *f)
{
    pf_str name = stem_of(pf_trace_input(t, input)->path);
    size_t before = 0;
    for (size_t i = 0; i < input; i++) {
        before += pf_str_equal(name, stem_of(pf_trace_input(t, i)->path));
    }
    return before ? pf_findings_format(f, "%.*s-%zu", PF_TEXT_ARG(name), before + 1) : name;
}

/* All that is said of the cores of one capture. */
static pf_status conclude(const aie_result *given, pf_findings *f, pf_node *document, pf_table_builder *const *tables,
                          pf_error *err)
{
    aie_aggregate aggregate;
    aie_warnings warnings;
    aie_result r = *given;
    r.aggregate = &aggregate;
    r.warnings = &warnings;
    PF_TRY(pf_aie_combine(r.parameters, r.cores, r.arena, &aggregate, err));
    PF_TRY(pf_aie_warn(&r, f, &warnings, err));
    pf_aie_report(&r, f);
    pf_aie_show(&r, f);
    if (document) {
        pf_aie_fill_document(&r, f, document);
    }
    pf_aie_tabulate(&r, f, tables);
    if (!r.ctx->skip_overlay) {
        draw(&r, f);
    }
    return PF_OK;
}

/* Every input is a capture: its cores, which follow each other in the table, have nothing to do with those of others.
 */
static pf_status run(const pf_pass_context *given, pf_findings *f, pf_error *err)
{
    pf_option_value values[AIE_OPTIONS];
    pf_pass_context ctx = *given;
    aie_parameters p;
    aie_cores all;
    memcpy(values, given->values, sizeof values);
    ctx.values = values;
    PF_TRY(gather(ctx.input_path, values, &p, err));
    PF_TRY(compute(ctx.trace, &p, ctx.arena, &all, err));
    size_t inputs = pf_trace_input_count(ctx.trace), at = 0;
    pf_table_builder *tables[AIE_TABLES];
    pf_aie_new_tables(f, tables);
    pf_node *root = ctx.skip_summary ? NULL : pf_node_root(f, PF_NODE_OBJECT), *list = NULL;
    pf_node_add_int(f, root, PF_STR("schema_version"), 1);
    pf_node_add_text(f, root, PF_STR("pass"), PF_STR("aie"));
    if (inputs > 1) {
        list = pf_node_add(f, root, PF_STR("captures"), PF_NODE_LIST);
    }
    for (size_t i = 0; i < (inputs ? inputs : 1); i++) {
        aie_cores cores = {all.core + at, 0};
        for (; at < all.count && all.core[at].input == i; at++) {
            cores.count++;
        }
        aie_result r = {.pass = &pf_pass_aie, .ctx = &ctx, .parameters = &p, .cores = &cores, .arena = ctx.arena};
        if (inputs > 1) {
            ctx.input_path = pf_trace_input(ctx.trace, i)->path;
            values[AIE_OPT_HWID] = given->values[AIE_OPT_HWID];
            r.name = name_capture(ctx.trace, i, f);
            PF_TRY(gather(ctx.input_path, values, &p, err));
        }
        pf_node *document = inputs > 1 ? pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT) : root;
        PF_TRY(conclude(&r, f, document, tables, err));
    }
    pf_aie_add_figures(f, tables, inputs > 1);
    if (inputs > 1) {
        pf_findings_set_headline(f, "%zu captures with %zu cores of AI Engines, each for itself", inputs, all.count);
    }
    if (root) {
        pf_findings_set_summary(f, root);
    }
    pf_findings_attribute_text(f, PF_STR("postfetto.parameters"),
                               pf_pass_parameters(&pf_pass_aie, inputs > 1 ? given->values : values, f));
    return PF_OK;
}

static bool fits(const pf_trace *t)
{
    const pf_processes *p = pf_trace_processes(t);
    for (uint32_t i = 0; i < p->count; i++) {
        if (pf_str_find(pf_trace_string(t, p->name[i]), PF_STR("core_trace")) != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

const pf_pass pf_pass_aie = {
    .name = "aie",
    .summary = "kernels, iterations, stalls and throughput of AMD AI Engine cores",
    .description =
        "Reads the event pulses of AI Engine cores (a trace made by the mlir-aie parser, as JSON or .pftrace; times "
        "are "
        "core clock cycles), pairs kernel entries with exits, cuts them into iterations at long lock stalls and "
        "measures durations, throughput, stalls and utilisation per core and for all cores together. Writes one "
        "JSON file per core, details.md, index.json, aggregate_perf.json and aie_quality.json.",
    .example = "--M 64 --K 64 --N 16 --row 1 --col 1 --warmup 1 --iterations 2",
    .options = options,
    .option_count = AIE_OPTIONS,
    .roles = roles,
    .role_count = sizeof roles / sizeof *roles,
    .tables = pf_aie_tables,
    .table_count = AIE_TABLES,
    .fits = fits,
    .run = run,
};
