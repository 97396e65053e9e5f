/* query/tables/sql_columns.h - how tables.c writes down a column. */
#ifndef PF_QUERY_TABLES_SQL_COLUMNS_H
#define PF_QUERY_TABLES_SQL_COLUMNS_H

#include "query/session/session.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ARRAY(name, kind, set, type, member)                                                                           \
    {                                                                                                                  \
        name, PF_SQL_##kind, set, offsetof(type, member), NULL, 0                                                      \
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

#endif
