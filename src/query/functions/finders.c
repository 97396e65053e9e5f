/* query/functions/finders.c - the table-valued functions that every session has. */
#include "query/session/session.h"

#define FINDER(name, call, arguments, rows) static const pf_sql_finder name = {call, arguments, rows}
FINDER(ANCESTORS, pf_sql_ancestors, 1, 16);
FINDER(DESCENDANTS, pf_sql_descendants, 1, 16);
FINDER(FOLLOWING, pf_sql_following, 1, 16);
FINDER(PRECEDING, pf_sql_preceding, 1, 16);
FINDER(CONNECTED, pf_sql_connected, 1, 16);
FINDER(PEERS, pf_sql_arg_peers, 3, 2);

/* The row numbers are those of sets. */
static const pf_data_column PEER[] = {{.name = "peer", .source = PF_DATA_ROW}};

const pf_data_spec pf_sql_finders[] = {
    {.name = "ancestor_slice", .of = "slice", .load = pf_data_args_load, .finder = &ANCESTORS},
    {.name = "descendant_slice", .of = "slice", .load = pf_data_args_load, .finder = &DESCENDANTS},
    {.name = "following_flow", .of = "flow", .load = pf_data_args_load, .finder = &FOLLOWING},
    {.name = "preceding_flow", .of = "flow", .load = pf_data_args_load, .finder = &PRECEDING},
    {.name = "directly_connected_flow", .of = "flow", .load = pf_data_args_load, .finder = &CONNECTED},
    {.name = "__intrinsic_arg_peers", .columns = PEER, .column_count = 1, .finder = &PEERS},
};
const size_t pf_sql_finder_count = sizeof pf_sql_finders / sizeof *pf_sql_finders;
