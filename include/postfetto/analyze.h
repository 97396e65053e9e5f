/* postfetto/analyze.h - a pass on files, in one call: from paths to findings (findings.h), as `postfetto analyze` does.
 *
 *     const char *paths[] = {"rank0.json.gz", "rank1.json.gz"};
 *     st = pf_analyze("gpu", paths, 2, NULL, &findings, &trace, &err);
 *     ... pf_findings_table_named(findings, "gpu_kernels") ...
 *     pf_findings_free(findings);
 *     pf_trace_free(trace);
 */
#ifndef POSTFETTO_ANALYZE_H
#define POSTFETTO_ANALYZE_H

#include "postfetto/findings.h"
#include "postfetto/read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An option of the pass, as text: "top", "20". value: NULL for a flag. */
typedef struct pf_analyze_setting {
    const char *name, *value;
} pf_analyze_setting;

/* Made by pf_analyze_options_default; members are added at the end in later releases. */
typedef struct pf_analyze_options {
    size_t size;                        /* of the struct as the program knows it */
    const pf_analyze_setting *settings; /* in their order; a repeatable option may come several times */
    size_t setting_count;
    const pf_read_options *read; /* how traces are read: limits, jobs, cancel, progress, dialect; `want` is the pass's
                                  * own. NULL: defaults */
    pf_trace *trace;             /* of the first file, if it was read already; it stays the caller's */
    const char *report_dir;      /* where reports would go, for passes that say so; NULL: nowhere */
    const char *output;          /* likewise, the path of the enriched trace. NULL: the findings are not drawn */
    void (*warn)(void *ctx, const pf_trace *t); /* called for each trace that was read, so that its damage can be said;
                                                 * may be NULL */
    void *warn_ctx;
} pf_analyze_options;

PF_API void pf_analyze_options_init(pf_analyze_options *o, size_t size);
static inline pf_analyze_options pf_analyze_options_default(void)
{
    pf_analyze_options o;
    pf_analyze_options_init(&o, sizeof o);
    return o;
}

/* Runs a pass ("gpu", "compare", ...) on files, which go to its roles as operands of the command do; patterns and "-"
 * are as in pf_read. "merge-reports" finishes partials of `analyze PASS --partial`, in any order. Nothing is written:
 * write.h writes reports and, where o->output is set, the enriched trace from findings and trace. *trace is the trace
 * of the first file, or NULL if the pass reads others or let it go; it is freed with pf_trace_free unless it is
 * o->trace. On failure both are NULL. Errors: PF_ERR_USAGE (no such pass or option, a value that is none, too few or
 * too many files), those of pf_read and of the pass. */
PF_API pf_status pf_analyze(const char *pass, const char *const *paths, size_t count, const pf_analyze_options *o,
                            pf_findings **findings, pf_trace **trace, pf_error *err);

#ifdef __cplusplus
}
#endif
#endif
