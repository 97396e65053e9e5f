/* write/report/short_number.h - numbers as JSON text, where that is short. */
#ifndef PF_WRITE_REPORT_SHORT_NUMBER_H
#define PF_WRITE_REPORT_SHORT_NUMBER_H

#include "postfetto/trace.h"

#define PF_SHORT_NUMBER_MAX 24

/* The text of an integer, or of a real with at most three decimals that reads back to it, exactly and in the way that
 * Perfetto reads numbers (base/text/number.h). Returns its length, without a NUL; 0 if there is none. */
size_t pf_short_number(const pf_value *value, char out[PF_SHORT_NUMBER_MAX]);

#endif
