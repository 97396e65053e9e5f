/* query/modules.c - Perfetto's modules of SQL: which ones the tables and views here stand for.
 *
 * Scripts begin with INCLUDE PERFETTO MODULE. What such a module would make is either a view of every session or
 * missing, and the statements that use it fail; whoever reads that message should know why.
 */
#include <stdio.h>

#include "query/session/session.h"

static bool is_built_in(pf_str name)
{
    return pf_str_is(name, "slices.with_context") || pf_str_is(name, "prelude") ||
           pf_str_starts(name, PF_STR("prelude."));
}

void pf_sql_include(pf_query *q, pf_str name)
{
    if (q->warn && !is_built_in(name)) {
        char text[256];
        snprintf(text, sizeof text,
                 "the module %.*s is not built in; tables, views, functions and macros that it would make are missing",
                 (int)(name.len < 100 ? name.len : 100), name.ptr);
        q->warn(q->warn_ctx, text);
    }
}

void pf_query_set_warning(pf_query *q, pf_query_warning warn, void *ctx)
{
    q->warn = warn;
    q->warn_ctx = ctx;
}
