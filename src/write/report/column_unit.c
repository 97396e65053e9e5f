/* write/report/column_unit.c - units of a column as people read them, in tables of the terminal and of the page.
 *
 * `self_ns` with values up to 12345678 becomes "self (ms)" with 12.346. One unit holds for the whole column, so that
 * numbers below each other can be compared. Times of a clock (more than a day) stay exact.
 */

#include "base/str.h"
#include "write/report/report_text.h"

#define SCALED_FROM 10000 /* what is smaller is read as easily as it is */
#define LONGEST_SPAN 1e14 /* ns */

/* Units that names of columns end in, and what those that are scaled count in: ns or bytes. */
static const struct {
    const char *unit;
    double base;
    bool bytes;
} known[] = {{"ns", 1, false},     {"us", 1e3, false}, {"ms", 1e6, false}, {"bytes", 1, true},
             {"cycles", 0, false}, {"%", 0, false},    {"GB/s", 0, false}};
enum { KNOWN = sizeof known / sizeof *known };

/* How much of the end of a column's name says the unit: "_ns", "_percent", "_gb_per_s". */
static size_t unit_ending(pf_str name, const char *unit)
{
    char ending[40];
    size_t len = 0;
    for (const char *p = strcmp(unit, "%") == 0 ? "percent" : unit; *p && len < sizeof ending - 5; p++) {
        const char *word = *p == '/' ? "_per_" : (char[2]){pf_lower(*p), '\0'};
        while (*word) {
            ending[len++] = *word++;
        }
    }
    if (len == 0 || !pf_str_ends(name, (pf_str){ending, len})) {
        return 0;
    }
    return name.len == len ? len : name.ptr[name.len - len - 1] == '_' ? len + 1 : 0;
}

/* The unit that the column has, else the one that its name ends in. */
static const char *own_unit(const pf_column *c)
{
    for (size_t i = 0; i < KNOWN && !(c->unit && *c->unit); i++) {
        size_t ending = unit_ending(pf_str_of(c->name), known[i].unit);
        if (ending && ending < strlen(c->name)) {
            return known[i].unit;
        }
    }
    return c->unit ? c->unit : "";
}

pf_shown_unit pf_table_unit(const pf_column *column, double most)
{
    static const struct {
        double size;
        const char *name;
    } times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}, bytes[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
    pf_shown_unit shown = {own_unit(column), 1};
    size_t kind = 0;
    while (kind < KNOWN && strcmp(shown.name, known[kind].unit) != 0) {
        kind++;
    }
    double base = kind < KNOWN && column->type != PF_CELL_TEXT ? known[kind].base : 0;
    if (base == 0 || most < SCALED_FROM || (!known[kind].bytes && most * base > LONGEST_SPAN)) {
        return shown;
    }
    for (size_t i = 0; i < 3 && shown.divisor == 1; i++) {
        double size = known[kind].bytes ? bytes[i].size : times[i].size;
        if (most * base >= size && size > base) {
            shown = (pf_shown_unit){known[kind].bytes ? bytes[i].name : times[i].name, size / base};
        }
    }
    return shown;
}

void pf_table_eased_heading(pf_buffer *out, const pf_column *column, const char *unit)
{
    pf_str name = pf_str_of(column->name);
    const char *own = own_unit(column);
    size_t ending = unit_ending(name, own);
    bool all = ending == name.len, scaled = strcmp(own, unit) != 0;
    if (all && !scaled && *unit) {
        pf_buffer_text(out, unit);
        return;
    }
    name.len -= all ? 0 : ending;
    size_t start = out->len;
    for (size_t i = 0; i < name.len; i++) {
        pf_buffer_put(out, name.ptr[i] == '_' ? " " : name.ptr + i, 1);
    }
    if (*unit && !out->failed && !pf_table_says_unit((pf_str){out->data + start, out->len - start}, unit)) {
        pf_buffer_format(out, " (%s)", unit);
    }
}
