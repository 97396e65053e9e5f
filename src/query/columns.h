/* query/columns.h - how tables.c and sides.c write down a column. */
#ifndef PF_QUERY_COLUMNS_H
#define PF_QUERY_COLUMNS_H

#include "query/session.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ARRAY(name, kind, set, type, member)                                                                           \
    {                                                                                                                  \
        name, PF_SQL_##kind, set, offsetof(type, member), NULL, 0                                                      \
    }
/* The values lie in another table's array; `rows` says at which rows. */
#define THROUGH(name, kind, set, type, member, rows)                                                                   \
    {                                                                                                                  \
        name, PF_SQL_##kind, set, offsetof(type, member), NULL, offsetof(type, rows)                                   \
    }
#define SIMPLE(name, kind)                                                                                             \
    {                                                                                                                  \
        name, PF_SQL_##kind, 0, 0, NULL, 0                                                                             \
    }
#define ROW_NUMBER(name) SIMPLE(name, ROW)
#define ZERO(name) SIMPLE(name, ZERO)
#define NULL_INT(name) SIMPLE(name, NULL_INT)
#define ARG_SET (PF_SQL_INDEX | PF_SQL_FEW | PF_SQL_LAZY)
#define CALL_INT(name, get)                                                                                            \
    {                                                                                                                  \
        name, PF_SQL_CALL_INT, 0, 0, get, 0                                                                            \
    }
#define CALL_REAL(name, get)                                                                                           \
    {                                                                                                                  \
        name, PF_SQL_CALL_REAL, 0, 0, get, 0                                                                           \
    }
#define CALL_TEXT(name, get)                                                                                           \
    {                                                                                                                  \
        name, PF_SQL_CALL_TEXT, 0, 0, get, 0                                                                           \
    }

/* sides.c: the columns and openers of side tables. */
extern const pf_sql_column pf_sql_machine_columns[13];
extern const pf_sql_column pf_sql_state_columns[7];
extern const pf_sql_column pf_sql_gpu_columns[11];
extern const pf_sql_column pf_sql_gpu_group_columns[5];
extern const pf_sql_column pf_sql_gpu_context_columns[4];
extern const pf_sql_column pf_sql_vulkan_columns[15];
extern const pf_sql_column pf_sql_frame_columns[7];
extern const pf_sql_column pf_sql_callsite_columns[4];
extern const pf_sql_column pf_sql_event_stack_columns[5];
extern const pf_sql_column pf_sql_log_columns[6];
extern const pf_sql_column pf_sql_mapping_columns[8];
extern const pf_sql_column pf_sql_symbol_columns[6];

pf_status pf_sql_open_machine(pf_query *q, pf_sql_table *table, pf_error *err);
pf_status pf_sql_open_side(pf_query *q, pf_sql_table *table, pf_error *err); /* that of the table's spec */

#endif
