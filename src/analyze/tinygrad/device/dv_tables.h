/* analyze/tinygrad/device/dv_tables.h - the device's own records as tables: for thresholds in SQL, as CSV, for the
 * terminal. */
#ifndef PF_ANALYZE_TINYGRAD_DV_TABLES_H
#define PF_ANALYZE_TINYGRAD_DV_TABLES_H

#include "analyze/tinygrad/device/dv_input.h"
#include "base/budget.h"

enum { PF_DV_WAVES = 0, PF_DV_INSTRUCTIONS, PF_DV_STALLS, PF_DV_COUNTERS, PF_DV_TABLES };

enum { PF_DV_WAVE_COLUMNS = 10, PF_DV_INSTRUCTION_COLUMNS = 6, PF_DV_STALL_COLUMNS = 4, PF_DV_COUNTER_COLUMNS = 5 };
extern const pf_column pf_dv_wave_columns[PF_DV_WAVE_COLUMNS];
extern const pf_column pf_dv_instruction_columns[PF_DV_INSTRUCTION_COLUMNS];
extern const pf_column pf_dv_stall_columns[PF_DV_STALL_COLUMNS];
extern const pf_column pf_dv_counter_columns[PF_DV_COUNTER_COLUMNS];

extern const pf_column pf_dv_exact_columns[PF_DV_COUNTER_COLUMNS]; /* totals as texts: they may have 128 bits */

/* table: PF_DV_TABLES builders; exact: the counters once more, with all digits. */
pf_status pf_dv_fill_tables(const dv_input *d, pf_budget *budget, pf_table_builder *const *table,
                            pf_table_builder *exact, pf_findings *f, pf_error *err);

#endif
