/* write/file/cell_text.c - cells of report tables as text. */
#include "write/file/cell_text.h"

#include "base/text/number.h"

void pf_table_number(pf_buffer *out, const pf_column *column, const pf_cell *cell)
{
    char text[PF_FIXED_MAX];
    if (column->type == PF_CELL_INT) {
        pf_buffer_int(out, cell->as.i);
    } else if (column->decimals >= 0) {
        pf_buffer_put(out, text, pf_format_real_fixed(cell->as.d, column->decimals, text));
    } else {
        pf_buffer_put(out, text, pf_format_real(cell->as.d, text));
    }
}
