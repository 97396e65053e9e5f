/* fuzz_pickle.c - any bytes as a profile of tinygrad, read and analysed: no crash, no leak, no hang, no memory beyond
 * the limit. Rows that are there refer to rows that are there, and chains of members end. */
#include "memory_file.h"
#include "postfetto/postfetto.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every cell of every table that names a row. */
static void check_rows(const pf_trace *t)
{
    for (size_t i = 0; i < pf_trace_table_count(t); i++) {
        const pf_side_table *s = pf_trace_table_at(t, i);
        for (unsigned c = 0; c < s->spec->column_count; c++) {
            const pf_side_column *column = &s->spec->columns[c];
            const pf_side_table *of =
                column->type == PF_COLUMN_ROW && column->of ? pf_trace_table(t, column->of) : NULL;
            for (uint32_t row = 0; of && row < s->count; row++) {
                uint32_t to = *pf_side_ref(s, c, row);
                if (to != PF_NONE && to >= of->count) {
                    abort();
                }
            }
        }
    }
}

static void analyse(const pf_trace *t)
{
    const pf_pass *p = pf_pass_find("tinygrad");
    pf_limits limits = pf_limits_default();
    limits.memory = MEMORY;
    pf_findings *f = pf_findings_new(&limits);
    pf_option_value values[16];
    pf_error err;
    const pf_pass_file profile = {.path = "fuzz", .trace = t};
    const pf_pass_files roles[] = {{&profile, 1}, {NULL, 0}};
    const pf_pass_context ctx = {.trace = t, .values = values, .input_path = "fuzz", .roles = roles};
    pf_pass_defaults(p, values);
    if (f && pf_pass_run(p, &ctx, f, &err) == PF_OK) {
        for (size_t i = 0; i < pf_findings_report_count(f); i++) {
            char *text = NULL;
            size_t len;
            if (pf_format_report(pf_findings_report(f, i), &text, &len, &err) == PF_OK) {
                free(text);
            }
        }
    }
    pf_findings_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    const char *paths[] = {path};
    pf_read_options o = pf_read_options_default();
    int fd = memory_file(data, size);
    pf_trace *t = NULL;
    pf_error err;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    o.limits.memory = MEMORY;
    o.limits.hash_seed = 1; /* so that what is found is found again */
    o.input_format = "tinygrad";
    o.want = PF_WANT_TABLES;
    if (pf_read(paths, 1, &o, &t, &err) == PF_OK) {
        check_rows(t);
        analyse(t);
    }
    pf_trace_free(t);
    close(fd);
    return 0;
}
