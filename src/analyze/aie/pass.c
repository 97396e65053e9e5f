/* pass.c - `analyze aie` as data, and the run from trace to findings. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/aie/aie.h"
#include "analyze/passes.h"
#include "model/findings.h"

static const pf_option options[AIE_OPTIONS] = {
    [AIE_OPT_M] = {"M", PF_OPTION_INT, "", NULL, NULL, "rows of the product that all cores compute together"},
    [AIE_OPT_K] = {"K", PF_OPTION_INT, "", NULL, NULL, "length of the sums"},
    [AIE_OPT_N] = {"N", PF_OPTION_INT, "", NULL, NULL, "columns of the product"},
    [AIE_OPT_TILE_M] = {"m", PF_OPTION_INT, "", "0", NULL, "rows of one kernel's tile; only repeated in index.json"},
    [AIE_OPT_TILE_K] = {"k", PF_OPTION_INT, "", "0", NULL, "length of one kernel's sums; only repeated"},
    [AIE_OPT_TILE_N] = {"n", PF_OPTION_INT, "", "0", NULL, "columns of one kernel's tile; only repeated"},
    [AIE_OPT_ROW] = {"row", PF_OPTION_INT, "cores", NULL, NULL, "rows of the array of cores"},
    [AIE_OPT_COL] = {"col", PF_OPTION_INT, "cores", NULL, NULL, "columns of the array of cores"},
    [AIE_OPT_WARMUP] = {"warmup", PF_OPTION_INT, "iterations", NULL, NULL, "iterations before the measured ones"},
    [AIE_OPT_ITERATIONS] = {"iterations", PF_OPTION_INT, "iterations", NULL, NULL, "measured iterations"},
    [AIE_OPT_HWID] = {"hwid", PF_OPTION_TEXT, "", "", NULL,
                      "name of the hardware; default: the file name without folder and endings"},
    [AIE_OPT_CLOCK_GHZ] = {"clock-ghz", PF_OPTION_REAL, "GHz", "1.25", NULL, "core clock"},
    [AIE_OPT_PAIRING] = {"pairing", PF_OPTION_CHOICE, "", "compatible", "compatible|nearest",
                         "how entries and exits become kernels: as the source program does, or robustly"},
    [AIE_OPT_DROP_EMPTY] = {"drop-empty", PF_OPTION_FLAG, "", "", NULL,
                            "remove iterations without kernels before numbering them"},
    [AIE_OPT_PEAK] = {"peak-macs-per-cycle", PF_OPTION_REAL, "MAC/cycle", "64", NULL,
                      "what one core can do at best, for the utilisation"},
};

/* "a/b/trace.json.gz" -> "trace": the folder, the ending of a compression and one more ending go. */
static pf_str stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    pf_str s = {slash ? slash + 1 : path, 0};
    s.len = strlen(s.ptr);
    const char *const packed[] = {".gz", ".zst", ".zip"};
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        size_t len = strlen(packed[i]);
        if (s.len > len && memcmp(s.ptr + s.len - len, packed[i], len) == 0) {
            s.len -= len;
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
static pf_status gather(const pf_pass_context *ctx, pf_option_value *v, aie_parameters *p, pf_error *err)
{
    if (!(v[AIE_OPT_CLOCK_GHZ].d > 0) || !(v[AIE_OPT_PEAK].d > 0)) {
        return pf_fail(err, PF_ERR_USAGE, "--%s must be greater than 0",
                       options[v[AIE_OPT_CLOCK_GHZ].d > 0 ? AIE_OPT_PEAK : AIE_OPT_CLOCK_GHZ].name);
    }
    if (!v[AIE_OPT_HWID].set) {
        if (strcmp(ctx->input_path, "-") == 0) {
            return pf_fail(err, PF_ERR_USAGE,
                           "standard input has no file name to take the hardware name from; "
                           "give --hwid");
        }
        v[AIE_OPT_HWID].s = stem_of(ctx->input_path);
    }
    v[AIE_OPT_WARMUP].i = not_negative(v[AIE_OPT_WARMUP].i);
    v[AIE_OPT_ITERATIONS].i = not_negative(v[AIE_OPT_ITERATIONS].i);
    *p = (aie_parameters){
        .M = v[AIE_OPT_M].i,
        .K = v[AIE_OPT_K].i,
        .N = v[AIE_OPT_N].i,
        .m = v[AIE_OPT_TILE_M].i,
        .k = v[AIE_OPT_TILE_K].i,
        .n = v[AIE_OPT_TILE_N].i,
        .rows = v[AIE_OPT_ROW].i,
        .cols = v[AIE_OPT_COL].i,
        .warmup = v[AIE_OPT_WARMUP].i,
        .iterations = v[AIE_OPT_ITERATIONS].i,
        .hwid = v[AIE_OPT_HWID].s,
        .clock_ghz = v[AIE_OPT_CLOCK_GHZ].d,
        .peak_macs_per_cycle = v[AIE_OPT_PEAK].d,
        .nearest = v[AIE_OPT_PAIRING].s.len == strlen("nearest"),
        .drop_empty = v[AIE_OPT_DROP_EMPTY].b,
    };
    __int128 cores = (__int128)p->rows * p->cols;
    p->macs = (double)p->M * (double)p->K * (double)p->N;
    p->macs_per_core = p->macs / (double)(cores > 1 ? cores : 1);
    return PF_OK;
}

pf_str aie_text(const aie_result *r, pf_findings *f, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int len = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    pf_error err;
    char *text = len < 0 ? NULL : aie_alloc(r->arena, (size_t)len + 1, 1, &err);
    if (!text) {
        if (len < 0) {
            pf_fail(&err, PF_ERR_LIMIT, "a name is too long to be printed; shorten it");
        }
        pf_findings_fail(f, &err);
        return (pf_str){NULL, 0};
    }
    va_start(ap, format);
    vsnprintf(text, (size_t)len + 1, format, ap);
    va_end(ap);
    return (pf_str){text, (size_t)len};
}

/* From events to numbers. The scratch arena goes before the findings grow. */
static pf_status compute(const pf_trace *t, const aie_parameters *p, pf_arena *arena, aie_cores *cores,
                         aie_aggregate *aggregate, pf_error *err)
{
    pf_arena scratch;
    pf_arena_init(&scratch, arena->budget);
    pf_status st = aie_collect(t, arena, &scratch, cores, err);
    if (st == PF_OK) {
        st = aie_analyse(p, cores, arena, &scratch, err);
    }
    pf_arena_free(&scratch);
    return st == PF_OK ? aie_combine(p, cores, arena, aggregate, err) : st;
}

static pf_status analyse(const pf_pass_context *given, pf_arena *arena, pf_findings *f, pf_error *err)
{
    pf_option_value values[AIE_OPTIONS];
    memcpy(values, given->values, sizeof values);
    pf_pass_context ctx = *given;
    ctx.values = values;
    aie_parameters parameters;
    aie_cores cores;
    aie_aggregate aggregate;
    pf_status st = gather(&ctx, values, &parameters, err);
    if (st == PF_OK) {
        st = compute(ctx.trace, &parameters, arena, &cores, &aggregate, err);
    }
    if (st != PF_OK) {
        return st;
    }
    aie_result r = {&ctx, &parameters, &cores, &aggregate, arena};
    aie_report(&r, f);
    aie_summarise(&r, f);
    if (!ctx.skip_overlay) {
        aie_draw(&r, f);
    }
    return pf_findings_status(f, err);
}

static pf_status run(const pf_pass_context *ctx, pf_findings *findings, pf_error *err)
{
    pf_arena arena;
    pf_error local = {.code = PF_OK};
    pf_arena_init(&arena, pf_findings_budget(findings));
    pf_status st = analyse(ctx, &arena, findings, &local);
    pf_arena_free(&arena);
    if (st != PF_OK && err) {
        *err = local;
    }
    return st;
}

static bool fits(const pf_trace *t)
{
    const pf_processes *p = pf_trace_processes(t);
    for (uint32_t i = 0; i < p->count; i++) {
        pf_str name = pf_trace_string(t, p->name[i]);
        if (name.ptr && memmem(name.ptr, name.len, "core_trace", strlen("core_trace"))) {
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
    .dialect = "aie",
    .example = "--M 64 --K 64 --N 16 --row 1 --col 1 --warmup 1 --iterations 2",
    .options = options,
    .option_count = AIE_OPTIONS,
    .want = PF_WANT_EVENTS,
    .fits = fits,
    .run = run,
};
