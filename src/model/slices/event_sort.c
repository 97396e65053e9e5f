/* model/slices/event_sort.c - the sort of sort.h for those who name their comparison at run time. */
#include "model/slices/event_sort.h"

void pf_sort_rows(uint32_t *order, uint32_t *scratch, uint32_t count, pf_sort_after after, const void *ctx)
{
    pf_sort_rows_by(order, scratch, count, after, ctx);
}
