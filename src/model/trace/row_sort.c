/* model/trace/row_sort.c - the sort of row_sort.h for those who name their comparison at run time. */
#include "model/trace/row_sort.h"

void pf_sort_rows(uint32_t *order, uint32_t *scratch, uint32_t count, pf_sort_after after, const void *ctx)
{
    pf_sort_rows_by(order, scratch, count, after, ctx);
}

void pf_order_rows(uint32_t *order, uint32_t *scratch, uint32_t count, pf_sort_after after, const void *ctx)
{
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    pf_sort_rows(order, scratch, count, after, ctx);
}
