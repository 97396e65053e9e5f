/* base/ordering.h - what the comparisons that qsort calls return. */
#ifndef PF_BASE_ORDERING_H
#define PF_BASE_ORDERING_H

/* -1, 0 or 1, as a is less than, equal to or greater than b. */
#define PF_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

#endif
