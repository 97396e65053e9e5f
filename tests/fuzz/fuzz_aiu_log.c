/* fuzz_aiu_log.c - logs of the AIU compiler of any bytes, as text and as ideal_cycles.json: no crash, no leak, tables
 * whose rows are found by their names. */
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/cores/aiu_tables.h"
#include "model/findings/findings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tables(const aiu_tables *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const aiu_table *table = &t->table[i];
        for (uint32_t row = 0; row < table->count; row++) {
            if (pf_aiu_find_ideal(table, table->row[row].name) != &table->row[row]) {
                abort();
            }
        }
    }
}

static void read_tables(const pf_pass_context *ctx, pf_findings *f)
{
    aiu_run run;
    if (pf_aiu_run_init(&run, ctx, f) == PF_OK) {
        run.set.core = 1100;
        pf_aiu_read_tables(&run);
        if (!pf_aiu_failed(&run)) {
            check_tables(run.tables);
        }
    }
    pf_aiu_run_free(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"compiler.log", "kernel/perf/ideal_cycles.json"};
    pf_limits limits = pf_limits_default();
    limits.memory = 64 << 20;
    limits.hash_seed = 1;
    char *text = malloc(size + 1); /* so that a byte past the end is one past the block */
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    for (int i = 0; i < 2; i++) {
        pf_arena arena;
        pf_findings *f = pf_findings_new(&limits);
        const pf_pass_file logs[] = {{.path = names[i], .bytes = {text, size}},
                                     {.path = names[0], .bytes = {text, size}}};
        const pf_pass_files roles[] = {{NULL, 0}, {logs, 2}};
        if (!f) {
            abort();
        }
        pf_arena_init(&arena, pf_findings_budget(f));
        read_tables(&(pf_pass_context){.roles = roles, .arena = &arena}, f);
        pf_arena_free(&arena);
        pf_findings_free(f);
    }
    free(text);
    return 0;
}
