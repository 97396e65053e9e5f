/* cli/commands/compare/compare_scenarios.c - which files `compare ops` compares. */
#include <stdlib.h>
#include <string.h>

#include "base/text/number.h"
#include "cli/commands/compare/compare_ops.h"

static const struct {
    const char *name, *summary, *csv, *trace;
} built_in[] = {
    {"Qwen3 PF", "results/qwen3_prefill_m6.json", "qwen3-32b_pf_4112tok.csv", "results/qwen3_pf_trace.json"},
    {"Qwen3 DC", "results/qwen3_decode_m6.json", "qwen3-32b_dc_16tok.csv", "results/qwen3_dc_trace.json"},
    {"DSv3 PF", "results/dsv3_prefill_m6.json", "dsv3_pf_4099tok.csv", "results/dsv3_pf_trace.json"},
    {"DSv3 DC", "results/dsv3_decode_m6.json", "dsv3_dc_1tok.csv", "results/dsv3_dc_trace.json"},
};
#define BUILT_IN (sizeof built_in / sizeof *built_in)

/* FOLDER/NAME as Python joins them: no second slash. malloc'd. */
static char *join(const char *folder, const char *name)
{
    pf_buffer b = {0};
    size_t len = strlen(folder);
    pf_buffer_put(&b, folder, len);
    pf_buffer_text(&b, len && folder[len - 1] != '/' ? "/" : "");
    pf_buffer_put(&b, name, strlen(name) + 1);
    if (b.failed) {
        pf_buffer_free(&b);
        return NULL;
    }
    return b.data;
}

static bool add_built_in(const pf_cli_run *run, pf_cli_scenarios *out)
{
    for (size_t i = 0; i < BUILT_IN; i++) {
        out->list[i] = (pf_cli_scenario){.name = strdup(built_in[i].name),
                                         .summary = strdup(built_in[i].summary),
                                         .trace = strdup(built_in[i].trace),
                                         .csv = join(run->set.trace_dir, built_in[i].csv),
                                         .built_in = true};
        out->count++;
        const pf_cli_scenario *s = &out->list[i];
        if (!s->name || !s->summary || !s->trace || !s->csv) {
            return false;
        }
    }
    return true;
}

static bool read_passes(const char *text, double *passes)
{
    return pf_parse_real(text, strlen(text), passes) && *passes > 0;
}

static int wrong_scenario(const pf_cli_run *run, const char *text)
{
    return pf_cli_usage(run,
                        "--scenario '%s' does not say what to compare; write NAME,TRACE,CSV or NAME,TRACE,CSV,PASSES "
                        "with a number of forward passes above 0, or auto",
                        text);
}

/* NAME,TRACE,CSV[,PASSES] */
static int add_scenario(const pf_cli_run *run, const char *text, pf_cli_scenarios *out)
{
    char *parts = strdup(text), *part[4] = {parts};
    size_t n = 1;
    if (!parts) {
        return PF_CLI_LIMIT;
    }
    for (char *p = strchr(parts, ','); p && n < 4; p = strchr(p, ',')) {
        *p++ = '\0';
        part[n++] = p;
    }
    double passes = 1;
    bool find = n == 4 && strcmp(part[3], "auto") == 0;
    bool good = n >= 3 && *part[0] && *part[1] && *part[2] && (n == 3 || find || read_passes(part[3], &passes));
    pf_cli_scenario *s = &out->list[out->count];
    if (good) {
        *s = (pf_cli_scenario){.name = strdup(part[0]),
                               .trace = strdup(part[1]),
                               .csv = strdup(part[2]),
                               .passes = passes,
                               .find_passes = find || (run->set.anchor && n == 3)};
        out->count++;
    }
    free(parts);
    if (!good) {
        return wrong_scenario(run, text);
    }
    for (size_t i = 0; s->name && i + 1 < out->count; i++) {
        if (strcmp(out->list[i].name, s->name) == 0) {
            return pf_cli_usage(run, "two scenarios are called '%s'; give each a name of its own", s->name);
        }
    }
    return s->name && s->trace && s->csv ? PF_CLI_DONE : PF_CLI_LIMIT;
}

int pf_cli_scenarios_make(pf_cli_run *run, pf_cli_scenarios *out)
{
    const pf_option_value *given = &run->set.scenarios;
    int code = PF_CLI_DONE;
    *out = (pf_cli_scenarios){.list = calloc(given->count + BUILT_IN, sizeof *out->list)};
    if (!out->list) {
        code = PF_CLI_LIMIT;
    } else if (given->count == 0) {
        code = add_built_in(run, out) ? PF_CLI_DONE : PF_CLI_LIMIT;
    }
    for (size_t i = 0; code == PF_CLI_DONE && i < given->count; i++) {
        code = add_scenario(run, given->all[i].s.ptr, out);
    }
    if (code == PF_CLI_LIMIT) {
        pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
        pf_fail(&err, PF_ERR_MEMORY, "the system refused memory for the scenarios");
        return pf_cli_report(run, NULL, &err);
    }
    return code;
}

void pf_cli_scenarios_free(pf_cli_scenarios *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].name);
        free(s->list[i].summary);
        free(s->list[i].trace);
        free(s->list[i].csv);
    }
    free(s->list);
    *s = (pf_cli_scenarios){.list = NULL};
}
