/* analyze/gpu/gpu_report.c - the summary on the terminal. */
#include "analyze/gpu/gpu_report.h"

#include <inttypes.h>

void pf_gpu_summarise(const gpu_facts *g, const gpu_tables *t, pf_findings *f)
{
    if (g->unusable) {
        pf_findings_show_line(f, PF_NOTICE, "%" PRIu32 " device events have no end and are left out", g->unusable);
    }
    pf_findings_show_table(f, t->table[GPU_TABLE_DEVICES]);
}
