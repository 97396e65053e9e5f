/* analyze/tinygrad/device/tg_device_tables.h - the device's own records as tables: for thresholds in SQL, as CSV, for
 * the terminal. */
#ifndef PF_ANALYZE_TINYGRAD_DEVICE_TG_TABLES_H
#define PF_ANALYZE_TINYGRAD_DEVICE_TG_TABLES_H

#include "analyze/tinygrad/device/tg_device.h"
#include "base/budget.h"

enum { PF_TG_WAVES = 0, PF_TG_INSTRUCTIONS, PF_TG_STALLS, PF_TG_COUNTERS, PF_TG_DEVICE_TABLES };

enum { PF_TG_WAVE_COLUMNS = 10, PF_TG_INSTRUCTION_COLUMNS = 6, PF_TG_STALL_COLUMNS = 4, PF_TG_COUNTER_COLUMNS = 5 };
extern const pf_column pf_tg_wave_columns[PF_TG_WAVE_COLUMNS];
extern const pf_column pf_tg_instruction_columns[PF_TG_INSTRUCTION_COLUMNS];
extern const pf_column pf_tg_stall_columns[PF_TG_STALL_COLUMNS];
extern const pf_column pf_tg_counter_columns[PF_TG_COUNTER_COLUMNS];

extern const pf_column pf_tg_exact_columns[PF_TG_COUNTER_COLUMNS]; /* totals as texts: they may have 128 bits */

/* table: PF_TG_DEVICE_TABLES builders; exact: the counters once more, with all digits. */
pf_status pf_tg_fill_tables(const tg_device *d, pf_budget *budget, pf_table_builder *const *table,
                            pf_table_builder *exact, pf_error *err);

#endif
