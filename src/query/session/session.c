/* query/session/session.c - what a session knows by name. */
#include "query/session/session.h"
#include "base/str.h"

pf_sql_table *pf_sql_find(pf_query *q, pf_str name)
{
    for (size_t i = 0; i < q->table_count; i++) {
        if (pf_str_is(name, q->tables[i].spec->name)) {
            return &q->tables[i];
        }
    }
    return NULL;
}
