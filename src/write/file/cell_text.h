/* write/file/cell_text.h - cells of report tables as text. */
#pragma once

#include "base/buffer.h"
#include "postfetto/findings.h"

/* A number that is not NULL, with the decimals of its column. */
void pf_table_number(pf_buffer *out, const pf_column *column, const pf_cell *cell);
