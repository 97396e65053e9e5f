/* query/vtab/plan.c - xBestIndex: what is pushed down, and what order comes for free.
 *
 * Rows are numbered in the order of time, and every way of finding rows gives them in ascending numbers. So a range of
 * a sorted column (id, ts, arg_set_id) is a range of row numbers, whatever else is pushed down, and ORDER BY id or ts
 * is free in both directions. Of the equalities on indexed columns the one with the fewest expected rows is taken. What
 * else compares a number, or a text with a value or a pattern, is tested row by row before SQLite sees the row, at a
 * tenth of its price (row_filter.c). Without an equality or a range, ORDER BY or GROUP BY indexed columns walks their
 * indexes group by group, and DISTINCT takes one row of each group. Without any condition other numbers are sorted
 * here, too, in a tenth of the time that SQLite's sorter takes.
 */
#include <string.h>

#include "query/vtab/plan.h"

typedef struct choice {
    int constraint; /* index of the equality taken, -1 = none */
    int column;
    double rows;
    bool single; /* an equality on the row number */
    int ranges;  /* bounds on sorted columns */
    int unknown; /* those whose values the statement does not say; the others leave the row numbers `within` */
    pf_sql_bounds within;
    bool equal_sorted;
    double share; /* of the rows that is expected to pass the filters */
} choice;

static uint32_t row_count(const pf_data_table *table)
{
    if (!table->loaded && table->expected > table->rows) {
        return table->expected;
    }
    return table->visible ? table->visible_count : table->rows;
}

/* Column -1, the rowid, is the row number. */
static bool is_row_number(const pf_data_table *table, int column)
{
    return column < 0 || table->spec->columns[column].source == PF_DATA_ROW;
}

static bool is_sorted(const pf_data_table *table, int column)
{
    return is_row_number(table, column) ||
           (column < PF_PLAN_COLUMN_END && table->spec->columns[column].flags & PF_DATA_SORTED);
}

static bool is_indexed(const pf_data_table *table, int column)
{
    return column >= 0 && column < PF_PLAN_COLUMN_END && (table->spec->columns[column].flags & PF_DATA_INDEX);
}

/* No condition but how many rows are wanted. */
static bool wants_all(const sqlite3_index_info *info)
{
    int i = 0;
    while (i < info->nConstraint && info->aConstraint[i].op >= SQLITE_INDEX_CONSTRAINT_LIMIT &&
           info->aConstraint[i].op <= SQLITE_INDEX_CONSTRAINT_OFFSET) {
        i++;
    }
    return i == info->nConstraint;
}

/* Whether all rows can be put in the order of its values. */
static bool is_orderable(const pf_data_table *table, sqlite3_index_info *info, int column)
{
    if (is_indexed(table, column) || column < 0 || column >= PF_PLAN_COLUMN_END) {
        return is_indexed(table, column);
    }
    const pf_data_column *c = &table->spec->columns[column];
    bool distinct = sqlite3_vtab_distinct(info) == 2; /* SQLite has a table of its own for what was there */
    return !distinct && wants_all(info) && !table->spec->lazy_rows && !(c->flags & PF_DATA_LAZY) &&
           pf_sql_has_numbers(c->source);
}

/* Whether it is worth an index: not for one number that the statement gives. */
static bool is_lookup(const pf_data_table *table, sqlite3_index_info *info, int i, char op)
{
    int column = info->aConstraint[i].iColumn;
    sqlite3_value *given = NULL;
    return op == PF_OP_EQ && column >= 0 && column < PF_PLAN_COLUMN_END &&
           (table->spec->columns[column].flags & PF_DATA_LOOKUP) &&
           sqlite3_vtab_rhs_value(info, i, &given) == SQLITE_NOTFOUND;
}

static char operator_of(unsigned char op)
{
    static const char OPERATORS[] = {
        [SQLITE_INDEX_CONSTRAINT_EQ] = PF_OP_EQ,       [SQLITE_INDEX_CONSTRAINT_IS] = PF_OP_IS,
        [SQLITE_INDEX_CONSTRAINT_ISNULL] = PF_OP_NULL, [SQLITE_INDEX_CONSTRAINT_LT] = PF_OP_LT,
        [SQLITE_INDEX_CONSTRAINT_LE] = PF_OP_LE,       [SQLITE_INDEX_CONSTRAINT_GT] = PF_OP_GT,
        [SQLITE_INDEX_CONSTRAINT_GE] = PF_OP_GE,       [SQLITE_INDEX_CONSTRAINT_ISNOTNULL] = PF_OP_NOT_NULL,
        [SQLITE_INDEX_CONSTRAINT_LIKE] = PF_OP_LIKE,   [SQLITE_INDEX_CONSTRAINT_GLOB] = PF_OP_GLOB,
        [SQLITE_INDEX_CONSTRAINT_LIMIT] = PF_OP_LIMIT,
    };
    return op < sizeof OPERATORS ? OPERATORS[op] : 0;
}

/* Rows that one value of an indexed column is expected to have; exact where the index exists. */
static double rows_of_value(const pf_data_table *table, int column)
{
    double rows = row_count(table);
    const pf_sql_index *x = table->index[column];
    double values = x ? x->values : table->spec->columns[column].flags & PF_DATA_FEW ? rows / 4 : 32;
    return rows > values && values > 0 ? rows / values : 1;
}

static bool is_equality(char op)
{
    return op == PF_OP_EQ || op == PF_OP_IS || op == PF_OP_NULL;
}

/* Comparisons that bound a sorted column. */
static bool is_range(char op)
{
    return is_equality(op) || op == PF_OP_LT || op == PF_OP_LE || op == PF_OP_GT || op == PF_OP_GE;
}

/* A text is compared byte by byte here, a pattern whatever the collation is. */
static bool has_collation(const pf_data_table *table, sqlite3_index_info *info, int i, char op)
{
    return pf_data_is_text(table->spec->columns[info->aConstraint[i].iColumn].source) &&
           (op == PF_OP_EQ || op == PF_OP_IS) && strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0;
}

/* What a range leaves of the rows. Columns whose rows are still to be loaded, or hidden, are not looked at. */
static void narrow(const pf_data_table *table, sqlite3_index_info *info, int i, char op, choice *c)
{
    sqlite3_value *value = NULL;
    bool there = !table->visible && (!table->spec->lazy_rows || table->loaded);
    if (there && op != PF_OP_NULL && sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK) {
        pf_sql_bounds rows = pf_sql_rows_in(table, info->aConstraint[i].iColumn, pf_sql_compare(op, value));
        c->within = pf_sql_intersect(c->within, rows);
    } else {
        c->unknown++;
    }
}

static choice choose(const pf_data_table *table, sqlite3_index_info *info)
{
    choice c = {.constraint = -1, .column = -1, .share = 1, .within = {0, (int64_t)row_count(table) - 1}};
    for (int i = 0; i < info->nConstraint; i++) {
        char op = operator_of(info->aConstraint[i].op);
        int column = info->aConstraint[i].iColumn;
        if (!info->aConstraint[i].usable || !op) {
            continue;
        }
        if (is_sorted(table, column) && is_range(op)) {
            c.single |= is_row_number(table, column) && is_equality(op);
            c.equal_sorted |= is_equality(op);
            c.ranges++;
            narrow(table, info, i, op, &c);
        } else if (is_lookup(table, info, i, op) ||
                   (is_indexed(table, column) && is_equality(op) && !has_collation(table, info, i, op))) {
            double rows = rows_of_value(table, column);
            if (c.constraint < 0 || rows < c.rows) {
                c.constraint = i;
                c.column = column;
                c.rows = rows;
            }
        }
    }
    if (c.single) {
        c.constraint = c.column = -1;
    }
    return c;
}

/* Whether the constraint is tested row by row. Not where the value runs through a list: every value of it would be a
 * scan of its own. */
static bool is_filter(const pf_data_table *table, sqlite3_index_info *info, int i, bool *exact)
{
    char op = operator_of(info->aConstraint[i].op);
    int column = info->aConstraint[i].iColumn;
    return info->aConstraint[i].usable && op && column >= 0 && column < PF_PLAN_COLUMN_END &&
           !is_sorted(table, column) && pf_sql_can_filter(&table->spec->columns[column], op, exact) &&
           !has_collation(table, info, i, op) && !sqlite3_vtab_in(info, i, -1);
}

/* Guesses how many rows a filter lets through. */
static double share_of(char op)
{
    return op == PF_OP_NOT_NULL ? 0.9 : is_equality(op) ? 0.1 : 0.25;
}

/* Whether the statement says a text there. */
static bool says_text(sqlite3_index_info *info, int i)
{
    sqlite3_value *value = NULL;
    return sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK && sqlite3_value_type(value) == SQLITE_TEXT;
}

/* Hands the chosen constraints to xFilter. Numbers, and texts that the statement says, are compared exactly there, so
 * SQLite need not test them again; another text may meet a column of another affinity, so it must. */
static int pass_arguments(const pf_data_table *table, sqlite3_index_info *info, choice *c)
{
    char *operators = sqlite3_malloc(PF_PLAN_ARGUMENT * info->nConstraint + 1);
    if (!operators) {
        return SQLITE_NOMEM;
    }
    int n = 0, filters = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        char op = operator_of(info->aConstraint[i].op);
        int column = info->aConstraint[i].iColumn;
        bool sorted = info->aConstraint[i].usable && is_range(op) && is_sorted(table, column), exact = true,
             filter = false;
        if (op == PF_OP_LIMIT && info->nConstraint == 1 && (info->idxNum & PF_PLAN_MODE) == PF_PLAN_GROUPS) {
            info->aConstraintUsage[i].argvIndex = ++n;
            memcpy(operators, (char[]){PF_PLAN_ROWID, op, PF_PLAN_SEARCH}, PF_PLAN_ARGUMENT);
            continue;
        }
        if (!sorted && i != c->constraint) {
            filter = filters < PF_SQL_FILTERS_MAX && !c->single && is_filter(table, info, i, &exact);
            if (!filter) {
                continue;
            }
            filters++;
            c->share *= share_of(op);
        }
        info->aConstraintUsage[i].argvIndex = n + 1;
        info->aConstraintUsage[i].omit =
            sorted || (filter ? exact : !pf_data_is_text(table->spec->columns[column].source) || says_text(info, i));
        char *at = operators + (size_t)n++ * PF_PLAN_ARGUMENT;
        at[0] = (char)(PF_PLAN_ROWID + 1 + column);
        at[1] = op;
        at[2] = filter ? PF_PLAN_FILTER : PF_PLAN_SEARCH;
    }
    operators[n * PF_PLAN_ARGUMENT] = '\0';
    info->idxStr = operators;
    info->needToFreeIdxStr = 1;
    return SQLITE_OK;
}

/* Terms from `i` on ask for sorted columns only, all in one direction: the order of row numbers or its reverse. */
static bool in_row_order(const pf_data_table *table, const sqlite3_index_info *info, int i, bool *desc)
{
    for (int first = i; i < info->nOrderBy; i++) {
        if (!is_sorted(table, info->aOrderBy[i].iColumn)) {
            return false;
        }
        if (i == first) {
            *desc = info->aOrderBy[i].desc;
        } else if (*desc != (bool)info->aOrderBy[i].desc) {
            return false;
        }
        if (is_row_number(table, info->aOrderBy[i].iColumn)) {
            return true; /* unique: what follows decides nothing */
        }
    }
    return true;
}

/* Sets the mode and the direction where they give the order that is asked for. */
static void choose_order(const pf_data_table *table, sqlite3_index_info *info, const choice *c)
{
    /* 0 ordered, 1 grouped, 2 distinct, 3 distinct and ordered. A GROUP BY takes the directions of the ORDER BY after
     * it, if both have as many terms. SQLite up to 3.40 says 1 also where these are the same terms, and then sorts no
     * more: the direction counts there. */
    int kind = sqlite3_vtab_distinct(info);
    bool desc = false;
    if (info->nOrderBy == 0) {
        return;
    }
    if (in_row_order(table, info, 0, &desc)) {
        info->idxNum |= desc ? PF_PLAN_DESC : 0;
        info->orderByConsumed = 1;
        return;
    }
    int plan = PF_PLAN_GROUPS, n = 0;
    for (; n < (int)PF_PLAN_COLUMNS_MAX && n < info->nOrderBy && is_orderable(table, info, info->aOrderBy[n].iColumn) &&
           !(in_row_order(table, info, n, &desc) && !desc); /* that of rows in ascending numbers */
         n++) {
        plan |= (info->aOrderBy[n].desc && kind != 2) << (PF_PLAN_DOWN + n);
        plan |= (info->aOrderBy[n].iColumn + 1) << (PF_PLAN_COLUMN + n * PF_PLAN_WIDTH);
    }
    if (c->constraint >= 0 || c->ranges || n == 0 || !in_row_order(table, info, n, &desc) || desc) {
        return;
    }
    info->idxNum = plan;
    info->orderByConsumed = 1;
    int column = info->aOrderBy[0].iColumn;
    if (kind == 2 && info->nOrderBy == 1 && info->nConstraint == 0 && info->colUsed == 1ull << column) {
        info->idxNum |= PF_PLAN_DISTINCT;
    }
}

static void estimate(const pf_data_table *table, sqlite3_index_info *info, const choice *c)
{
    double rows = row_count(table);
    if (c->single) {
        rows = rows < 1 ? rows : 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    } else {
        double left = c->within.low > c->within.high ? 0 : (double)(c->within.high - c->within.low + 1);
        double share = rows > 0 ? left / rows : 1;
        rows = (c->constraint >= 0 ? c->rows : rows) * share;
        rows = c->equal_sorted ? (rows < 8 ? rows : 8) : rows / (c->unknown == 0 ? 1 : c->unknown == 1 ? 2 : 8);
    }
    bool groups = (info->idxNum & PF_PLAN_MODE) == PF_PLAN_GROUPS;
    info->estimatedRows = (sqlite3_int64)(rows * c->share) + 1;
    /* All rows, each handed to SQLite: as dear as it takes its own tables for, or a small made table would come first
     * and this one be gone through for each of its rows, where it could have an automatic index. */
    bool whole = !c->single && c->constraint < 0 && c->ranges == 0 && c->share == 1;
    double filtered = c->share < 1 ? 0.1 + 0.9 * c->share : 1;
    info->estimatedCost = rows * (groups ? 1.2 : 1) * (whole ? 3 : filtered) + 2;
}

bool pf_sql_plan_arguments(sqlite3_index_info *info, int first, int count)
{
    int found = 0;
    for (int argument = 0; argument < count; argument++) {
        int i = 0;
        while (i < info->nConstraint &&
               !(info->aConstraint[i].usable && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
                 info->aConstraint[i].iColumn == first + argument)) {
            i++;
        }
        if (i < info->nConstraint) {
            info->aConstraintUsage[i].argvIndex = argument + 1;
            info->aConstraintUsage[i].omit = 1;
            found++;
        }
    }
    return found == count;
}

static int plan_call(const pf_data_spec *spec, sqlite3_index_info *info)
{
    info->estimatedRows = spec->finder->expected;
    info->estimatedCost = 2.0 * spec->finder->expected;
    return pf_sql_plan_arguments(info, (int)spec->column_count, (int)spec->finder->arguments) ? SQLITE_OK
                                                                                              : SQLITE_CONSTRAINT;
}

int pf_sql_plan(const pf_data_table *table, sqlite3_index_info *info)
{
    if (table->spec->finder) {
        return plan_call(table->spec, info);
    }
    choice c = choose(table, info);
    info->idxNum = c.constraint >= 0 ? PF_PLAN_EQUAL | (c.column + 1) << PF_PLAN_COLUMN : PF_PLAN_SCAN;
    choose_order(table, info, &c);
    int rc = pass_arguments(table, info, &c);
    estimate(table, info, &c);
    return rc;
}
