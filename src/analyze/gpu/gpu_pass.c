/* analyze/gpu/gpu_pass.c - `analyze gpu` as data, and the run from trace to findings.
 *
 * After the facts are read, steps that write nothing in common run next to each other: what devices did, what the host
 * did, and the kernels by name. Findings are filled afterwards, by one thread.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/gpu/partial/gpu_partial.h"
#include "analyze/gpu/ranks/gpu_across.h"
#include "analyze/pass/partials.h"
#include "analyze/pass/passes.h"
#include "base/str.h"
#include "base/threads/threads.h"

/* Every option: its number, name, type, help, and the rest. */
#define OPTIONS(ROW)                                                                                                   \
    ROW(FOLD_NAMES, "fold-names", FLAG,                                                                                \
        .help = "kernels by folded names: template arguments are left out, numbers become '#'")                        \
    ROW(COMMUNICATION, "communication", TEXT, .value = "REGEX",                                                        \
        .help = "kernels whose name this Perl regular expression matches are communication, whatever --compute and "   \
                "the names that are known say")                                                                        \
    ROW(COMPUTE, "compute", TEXT, .value = "REGEX", .help = "kernels whose name this one matches are compute")         \
    ROW(BY_SHAPE, "by-shape", FLAG, .help = "operators by the shapes of their inputs, too")                            \
    ROW(STEP_ANNOTATION, "step-annotation", TEXT, .value = "REGEX",                                                    \
        .otherwise = "ProfilerStep#N, else the pattern that the kernels repeat",                                       \
        .help = "steps are the slices whose name this Perl regular expression matches")                                \
    ROW(STEP_PATTERN, "step-pattern", FLAG,                                                                            \
        .help = "the pattern that the kernels repeat, where no step is annotated, is a step and no part of one: it "   \
                "gets a throughput")                                                                                   \
    ROW(ITEMS_PER_STEP, "items-per-step", REAL,                                                                        \
        .help = "items (samples, tokens) that a step works on, for the throughput", .within = ">0..")                  \
    ROW(FLOPS_PER_STEP, "flops-per-step", REAL, .help = "floating-point operations of a step, for the throughput",     \
        .within = ">0..")                                                                                              \
    ROW(PEAK_TFLOPS, "peak-tflops", REAL, .value = "N",                                                                \
        .help = "TFLOP/s that a device reaches at most, for the share that matmul, convolution and attention reach",   \
        .within = ">0..")                                                                                              \
    ROW(PEAK_GBS, "peak-gbs", REAL, .value = "N", .help = "GB/s that its memory reaches at most, likewise",            \
        .within = ">0..")                                                                                              \
    ROW(CRITICAL_STEP, "critical-step", INT, .value = "N",                                                             \
        .otherwise = "the steady step whose duration is nearest to the median",                                        \
        .help = "the step whose critical path is shown", .within = "0..")                                              \
    ROW(ALIGN_CLOCKS, "align-clocks", FLAG,                                                                            \
        .help = "of several inputs -o has all on the clock of the first one, by the collectives that they took part "  \
                "in: offset and drift; refused where that is less exact than the clocks are")                          \
    ROW(PARTIAL, "partial", PATH, .value = "OUT.pfr",                                                                  \
        .help = "write what these inputs contribute to a run over more of them, for 'postfetto merge-reports'")        \
    ROW(JSON_SCHEMA, "json-schema", FLAG, .help = "print the JSON schema of what --json prints; no FILE is needed")

#define NUMBER(number, ...) GPU_OPT_##number,
#define OPTION(number, word, kind, ...) [GPU_OPT_##number] = {.name = word, .type = PF_OPTION_##kind, __VA_ARGS__},

enum { OPTIONS(NUMBER) GPU_OPTIONS };
static const pf_option options[GPU_OPTIONS] = {OPTIONS(OPTION)};

static const pf_role roles[] = {
    {.name = "trace",
     .kind = PF_ROLE_TRACE,
     .want = PF_WANT_EVENTS | PF_WANT_SLICES | PF_WANT_COUNTERS | PF_WANT_ARGS,
     .early_args = &pf_gpu_early_args,
     .folders = true,
     .help = "traces of the torch profiler (JSON or .pftrace) or with GPU render stages; several files, or those of a "
             "folder, are several ranks"},
};

/* With an expression of the user for communication it is not known early which kernels have details. */
static const pf_early_args *args_of_partial(const pf_option_value *values)
{
    return values[GPU_OPT_COMMUNICATION].s.len ? NULL : &pf_gpu_early_partial;
}

/* FILE..., which only --json-schema does without. */
static pf_status gather_inputs(const pf_option_value *values, const char *const *operands, size_t count,
                               pf_pass_inputs *in, pf_error *err)
{
    if (count == 0 && !values[GPU_OPT_JSON_SCHEMA].b) {
        return pf_fail(err, PF_ERR_USAGE, "no input is named; write postfetto analyze gpu FILE... [options]");
    }
    for (size_t i = 0; i < count && !values[GPU_OPT_JSON_SCHEMA].b; i++) {
        PF_TRY(pf_pass_inputs_add(in, 0, pf_str_of(operands[i]), err));
    }
    return PF_OK;
}

static void print_schema(pf_findings *f)
{
    static const pf_json_style style = {.final_newline = true};
    pf_findings_add_report(
        f, &(pf_report){.form = PF_REPORT_JSON, .root = pf_gpu_schema(f), .json = &style, .place = PF_PLACE_STDOUT});
}

/* ---- what is found ----------------------------------------------------------------------------------------------- */

static pf_status measure_devices(void *ctx, pf_error *err)
{
    gpu_results *r = ctx;
    gpu_facts *g = &r->facts;
    PF_TRY(pf_gpu_measure(g, err));
    PF_TRY(pf_gpu_find_queues(g, err));
    return pf_gpu_gaps_list(g, &r->gaps, err);
}

/* With memory and facts of its own, as each task that changes some. */
typedef struct steps_task {
    gpu_results *r;
    gpu_facts g;
} steps_task;

static pf_status find_steps(void *ctx, pf_error *err)
{
    gpu_results *r = ((steps_task *)ctx)->r;
    gpu_facts g = ((steps_task *)ctx)->g;
    g.arena = &r->of_steps;
    pf_arena_init(&g.scratch, g.arena->budget);
    pf_status st = pf_gpu_read_steps(&g, g.ctx->values[GPU_OPT_STEP_ANNOTATION].s, &r->steps, err);
    pf_arena_free(&g.scratch);
    return st;
}

/* Tables of the host are made where somebody asks for them, where there is nothing else, and where ranks are compared.
 */
static bool lists_host(const gpu_results *r)
{
    const pf_pass_context *ctx = r->facts.ctx;
    return !ctx->skip_tables || !ctx->skip_overlay || ctx->values[GPU_OPT_PARTIAL].set || r->facts.device_count == 0 ||
           r->facts.rank_count > 1 || r->peaks.tflops > 0 || r->peaks.gbs > 0;
}

static pf_status list_operators(void *ctx, pf_error *err)
{
    gpu_results *r = ctx;
    const gpu_facts *g = &r->facts;
    pf_arena arena, scratch;
    uint32_t *around;
    if (!lists_host(r)) {
        return PF_OK;
    }
    pf_arena_init(&arena, g->arena->budget);
    pf_arena_init(&scratch, g->arena->budget);
    bool drawn = !g->ctx->skip_overlay && g->of_kind[GPU_SLICE_OPERATOR];
    pf_status st = pf_gpu_operators_around(g, drawn ? &r->of_operators : &arena, &around, err);
    if (st == PF_OK) {
        r->operators_around = drawn ? around : NULL;
        st = pf_gpu_operators_find(g, around, g->ctx->values[GPU_OPT_BY_SHAPE].b, &scratch, &r->operators, err);
    }
    st = st == PF_OK ? pf_gpu_flops_find(g, around, &scratch, &r->flops, err) : st;
    pf_arena_free(&scratch);
    pf_arena_free(&arena);
    return st;
}

static pf_status follow_host(void *ctx, pf_error *err)
{
    gpu_results *r = ctx;
    const gpu_facts *g = &r->facts;
    pf_arena scratch;
    pf_arena_init(&scratch, g->arena->budget);
    pf_status st = pf_gpu_launches_find(g, &scratch, &r->host, &r->launches, err);
    pf_arena_free(&scratch);
    return st == PF_OK ? pf_gpu_find_outermost(g, &r->host, &r->outermost, err) : st;
}

static pf_status list_kernels(void *ctx, pf_error *err)
{
    gpu_results *r = ctx;
    return pf_gpu_kernels_find(&r->facts, r->facts.ctx->values[GPU_OPT_FOLD_NAMES].b, &r->kernels, err);
}

typedef struct details_task {
    gpu_results *r;
    gpu_facts g;
} details_task;

/* And the collectives, which need them. */
static pf_status read_details(void *ctx, pf_error *err)
{
    details_task *d = ctx;
    PF_TRY(pf_gpu_details_read(&d->g, &d->r->of_details, &d->g.details, err));
    return pf_gpu_groups_find(&d->g, &pf_gpu_collectives, &d->r->of_details, &d->r->collectives, err);
}

/* The longest first, so that the threads are done at the same time. */
static pf_status find_all(gpu_results *r, pf_error *err)
{
    steps_task steps = {r, r->facts};
    details_task details = {r, r->facts};
    const pf_task tasks[] = {{list_operators, r},  {find_steps, &steps}, {list_kernels, r},
                             {measure_devices, r}, {follow_host, r},     {read_details, &details}};
    pf_status st = pf_tasks_run(tasks, sizeof tasks / sizeof *tasks, pf_gpu_jobs(&r->facts), r->of_steps.budget, err);
    r->facts.details = details.g.details;
    return st;
}

static void begin(const pf_pass_context *ctx, gpu_results *r)
{
    const pf_option_value *v = ctx->values;
    pf_arena_init(&r->host, ctx->arena->budget);
    pf_arena_init(&r->of_operators, ctx->arena->budget);
    pf_arena_init(&r->of_steps, ctx->arena->budget);
    pf_arena_init(&r->of_details, ctx->arena->budget);
    r->facts = (gpu_facts){.ctx = ctx, .communication = v[GPU_OPT_COMMUNICATION].s, .compute = v[GPU_OPT_COMPUTE].s};
    r->steps = (gpu_step_facts){.items = v[GPU_OPT_ITEMS_PER_STEP].d,
                                .flops = v[GPU_OPT_FLOPS_PER_STEP].d,
                                .pattern_is_step = v[GPU_OPT_STEP_PATTERN].b,
                                .by_name = v[GPU_OPT_STEP_ANNOTATION].s.len > 0};
    r->peaks = (gpu_peaks){v[GPU_OPT_PEAK_TFLOPS].d, v[GPU_OPT_PEAK_GBS].d};
}

static pf_status compute(const pf_pass_context *ctx, gpu_results *r, pf_error *err)
{
    begin(ctx, r);
    PF_TRY(pf_gpu_facts_read(&r->facts, err));
    PF_TRY(find_all(r, err));
    PF_TRY(pf_gpu_ranks_init(&r->ranks, &r->facts, err));
    if (r->facts.rank_count > 1) {
        PF_TRY(pf_gpu_list_calls(&r->facts, &r->ranks, err));
        PF_TRY(pf_gpu_compare_ranks(&r->facts, &r->ranks, err));
        PF_TRY(pf_gpu_measure_windows(&r->facts, &r->ranks, err));
        PF_TRY(pf_gpu_gather_parts(&r->facts, &r->ranks, err));
        PF_TRY(ctx->values[GPU_OPT_PARTIAL].set ? PF_OK : pf_gpu_choose_paths(&r->facts, &r->ranks, err));
    }
    return pf_pass_poll(ctx, err);
}

static void release(gpu_results *r)
{
    pf_gpu_ranks_free(&r->ranks);
    pf_gpu_kernels_free(&r->kernels);
    pf_gpu_operators_free(&r->operators);
    pf_gpu_flops_free(&r->flops);
    pf_arena_free(&r->host);
    pf_arena_free(&r->of_operators);
    pf_arena_free(&r->of_steps);
    pf_arena_free(&r->of_details);
    pf_gpu_facts_free(&r->facts);
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

static pf_status tabulate(gpu_results *r, pf_error *err)
{
    const pf_option_value *number = &r->facts.ctx->values[GPU_OPT_CRITICAL_STEP];
    gpu_facts *g = &r->facts;
    PF_TRY(lists_host(r) ? pf_gpu_find_stream_gaps(g, err) : PF_OK);
    pf_gpu_tabulate_devices(g);
    pf_gpu_kernels_tabulate(g, &r->kernels);
    pf_gpu_groups_tabulate(g, &pf_gpu_collectives, &r->collectives);
    if (lists_host(r)) {
        PF_TRY(pf_gpu_tabulate_groups(g, &pf_gpu_memcpy, err));
        pf_gpu_operators_tabulate(g, &r->operators);
        pf_gpu_flops_tabulate(g, &r->flops, r->peaks);
        PF_TRY(pf_gpu_modules(g, &r->module_calls, err));
        PF_TRY(pf_gpu_threads(g, err));
        PF_TRY(pf_gpu_counters(g, &r->counters, err));
        PF_TRY(pf_gpu_tabulate_groups(g, &pf_gpu_runtime, err));
        PF_TRY(pf_gpu_read_memory(g, &r->memory, err));
        PF_TRY(pf_gpu_tabulate_memory(g, &r->memory, err));
        pf_gpu_queue(g);
    }
    pf_gpu_launches_tabulate(g, r->launches);
    pf_gpu_gaps_tabulate(g, &r->gaps);
    PF_TRY(pf_schedule_read(g->trace, g->f, g->arena, &r->scheduler, err));
    pf_gpu_host_note_inputs(g, &r->scheduler);
    PF_TRY(pf_gpu_host_tabulate(g, &r->scheduler, &r->gaps, err));
    PF_TRY(pf_gpu_tabulate_groups(g, &pf_gpu_syncs, err));
    pf_gpu_tabulate_steps(g, &r->steps);
    PF_TRY(pf_findings_status(g->f, err)); /* the tables are there */
    PF_TRY(pf_gpu_critical_paths(g, &r->steps, r->outermost, number->set ? &number->i : NULL, &r->path, err));
    return pf_gpu_tabulate_ranks(g, &r->steps, &r->ranks, err);
}

/* Why steps or a throughput that were asked for are not there. */
static void explain_steps(const gpu_results *r, const pf_option_value *v, pf_findings *f)
{
    const gpu_steps *steps = r->steps.of_input;
    bool asked = v[GPU_OPT_ITEMS_PER_STEP].set || v[GPU_OPT_FLOPS_PER_STEP].set, pattern = false, none = true;
    for (uint32_t i = 0; i < r->facts.rank_count; i++) {
        pattern |= steps[i].count && steps[i].source == GPU_STEP_PATTERN;
        none &= steps[i].count == 0;
    }
    pf_str said = v[GPU_OPT_STEP_ANNOTATION].s;
    if (none && said.len) {
        pf_findings_show_line(f, PF_NOTICE, "no steps: no annotation, operator or python function is called '%.*s'",
                              (int)said.len, said.ptr);
    } else if (none && asked) {
        pf_findings_show_line(f, PF_NOTICE, "no throughput: there are no steps");
    }
    if (asked && pattern && !v[GPU_OPT_STEP_PATTERN].b) {
        pf_findings_show_line(f, PF_NOTICE,
                              "no throughput: the pattern may be a layer; --step-pattern says that it is a step");
    }
}

static void make_tables(gpu_results *r, pf_findings *f)
{
    bool cycles = false;
    for (uint32_t i = 0; i < r->facts.rank_count; i++) {
        cycles |= pf_gpu_has_cycles(&r->steps, i);
    }
    pf_gpu_tables_make(&r->facts, f, cycles);
}

/* All that tables, devices, steps and ranks say: of traces and of partials. */
static pf_status show_tables(const pf_pass_context *ctx, gpu_results *r, pf_findings *f, pf_error *err)
{
    if (!ctx->skip_summary || ctx->report_dir) {
        const pf_node *document = pf_gpu_document(&r->facts);
        pf_findings_set_summary(f, document);
        if (ctx->report_dir) {
            pf_gpu_report(r, document);
        }
    }
    PF_TRY(pf_gpu_top_kernels(r, err));
    PF_TRY(pf_gpu_summarise(r, err));
    explain_steps(r, ctx->values, f);
    return PF_OK;
}

static pf_status show(const pf_pass_context *ctx, gpu_results *r, pf_findings *f, pf_error *err)
{
    make_tables(r, f);
    PF_TRY(tabulate(r, err));
    PF_TRY(show_tables(ctx, r, f, err));
    PF_TRY(ctx->values[GPU_OPT_PARTIAL].set ? pf_gpu_add_parts(r, err) : PF_OK);
    if (!ctx->skip_figures) {
        pf_gpu_add_figures(r);
    }
    if (ctx->skip_overlay) {
        return PF_OK;
    }
    pf_findings_attribute_text(f, PF_STR("postfetto.parameters"), pf_pass_parameters(&pf_pass_gpu, ctx->values, f));
    return pf_gpu_draw(r, err);
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    gpu_results r = {.outermost = NULL};
    if (ctx->values[GPU_OPT_JSON_SCHEMA].b) {
        print_schema(f);
        return PF_OK;
    }
    pf_status st = pf_partials_refuse(ctx->trace, err);
    st = st == PF_OK ? compute(ctx, &r, err) : st;
    st = st == PF_OK ? show(ctx, &r, f, err) : st;
    release(&r);
    return st;
}

static pf_status merge_parts(gpu_merge *m, bool partial)
{
    gpu_results *r = m->r;
    const pf_pass_context *ctx = r->facts.ctx;
    const pf_option_value *number = &ctx->values[GPU_OPT_CRITICAL_STEP];
    pf_error *err = m->err;
    PF_TRY(pf_gpu_merge_read(m));
    bool nothing = r->facts.device_count == 0;
    if (nothing && (!partial || ctx->report_dir)) {
        return pf_fail(err, PF_ERR_INPUT,
                       "no partial has a device event; 'postfetto analyze gpu' says what the traces hold");
    }
    PF_TRY(partial ? PF_OK : pf_gpu_choose_paths(&r->facts, &r->ranks, err));
    make_tables(r, r->facts.f);
    PF_TRY(pf_gpu_merge_tabulate(m, number->set ? &number->i : NULL));
    PF_TRY(nothing ? PF_OK : show_tables(ctx, r, r->facts.f, err));
    if (!nothing && !ctx->skip_figures) {
        PF_TRY(r->ranks.dropped ? PF_OK : pf_gpu_gather_parts(&r->facts, &r->ranks, err));
        pf_gpu_add_figures(r);
    }
    return partial ? pf_gpu_merge_add_parts(m) : PF_OK;
}

static pf_status merge(const pf_pass_context *ctx, gpu_results *r, bool partial, pf_findings *f, pf_error *err)
{
    gpu_merge *m = pf_findings_alloc(f, sizeof *m);
    begin(ctx, r);
    r->facts.trace = ctx->trace;
    r->facts.arena = ctx->arena;
    r->facts.f = f;
    pf_arena_init(&r->facts.scratch, ctx->arena->budget);
    PF_TRY(pf_findings_status(f, err));
    m->r = r;
    m->err = err;
    pf_status st = pf_strings_init(&m->paths, ctx->arena->budget, err);
    st = st == PF_OK ? merge_parts(m, partial) : st;
    pf_strings_free(&m->paths);
    return st;
}

/* With the options of the partials, which were judged when they were written. */
static pf_status run_merge(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    pf_option_value values[GPU_OPTIONS];
    pf_pass_context own = *ctx;
    gpu_results r = {.outermost = NULL};
    own.values = values;
    pf_status st = pf_partials_options(ctx, &pf_pass_gpu, values, err);
    st = st == PF_OK ? merge(&own, &r, ctx->values[PF_MERGE_OPT_PARTIAL].set, f, err) : st;
    release(&r);
    pf_options_release(values, GPU_OPTIONS);
    return st;
}

static bool fits(const pf_trace *t)
{
    static const pf_str marks[] = {PF_STR("kernel"),          PF_STR("gpu_memcpy"),     PF_STR("gpu_memset"),
                                   PF_STR("mtia_ccp_events"), PF_STR("mtia_workloadd"), PF_STR("hpu_op"),
                                   PF_STR("cpu_op")};
    const pf_tracks *k = pf_trace_tracks(t);
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->type[i] == PF_TRACK_GPU_RENDER_STAGE) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (strcmp(pf_trace_dialect(t), "torch") == 0 && pf_trace_find_string(t, marks[i]) != PF_NONE) {
            return true;
        }
    }
    return pf_trace_find_string(t, PF_STR("kernel_dispatch")) != PF_NONE;
}

static const pf_pass_partials of_partials = {
    .merge = &pf_pass_gpu_merge, .rules = pf_gpu_merge_rules, .early_args = args_of_partial};

const pf_pass pf_pass_gpu = {
    .name = "gpu",
    .summary = "what GPUs did: busy and idle time, kernels, memcpy, collectives, launches, steps, ranks",
    .description =
        "Reads traces of the torch profiler (JSON, JSON.gz, .pftrace) and GPU render stages; several files are several "
        "ranks.\n"
        "Device events are the complete events of the categories kernel, gpu_memcpy and gpu_memset, mtia_ccp_events, "
        "mtia_workloadd, hpu_op, rocprofv3's kernel_dispatch and memory_copy, and render stages. "
        "Their device is args.device, else the pid (render stages: gpu_id); their stream args.stream, else the tid "
        "(render stages: the hardware queue). Communication are kernels with the name of a library or an algorithm of "
        "collectives (--communication, --compute), compute all other kernels, memory is memcpy and memset. Every time "
        "is the length of a set of intervals: span from the "
        "first start to the last end; busy the union of all device events; compute, communication and memory the "
        "union of their class (classes may overlap); idle = span - busy; exposed communication = communication "
        "without compute. docs/reference/gpu.md defines everything else.",
    .example = "--items-per-step 32",
    .options = options,
    .option_count = GPU_OPTIONS,
    .roles = roles,
    .role_count = sizeof roles / sizeof *roles,
    .tables = pf_gpu_tables,
    .table_count = GPU_TABLES,
    .reports_on_request = true,
    .joins_ranks = true,
    .inputs = gather_inputs,
    .fits = fits,
    .run = run,
    .partials = &of_partials,
};

static const pf_role partials[] = {
    {.name = "partial",
     .want = PF_WANT_MEMBERS,
     .least = 1,
     .folders = false,
     .reader = "partial",
     .help = "what --partial wrote, in any order"},
};

static pf_status gather_partials(const pf_option_value *values, const char *const *operands, size_t count,
                                 pf_pass_inputs *in, pf_error *err)
{
    (void)values;
    for (size_t i = 0; i < count; i++) {
        PF_TRY(pf_pass_inputs_add(in, 0, pf_str_of(operands[i]), err));
    }
    return PF_OK;
}

const pf_pass pf_pass_gpu_merge = {
    .name = "gpu",
    .summary = "what partials of 'analyze gpu' say together",
    .options = pf_partials_merge_options,
    .option_count = PF_MERGE_OPTIONS,
    .roles = partials,
    .role_count = sizeof partials / sizeof *partials,
    .inputs = gather_partials,
    .tables = pf_gpu_tables,
    .table_count = GPU_TABLES,
    .reports_on_request = true,
    .run = run_merge,
};
