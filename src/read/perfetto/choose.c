/* read/perfetto/choose.c - which packet decoder this processor runs.
 *
 * BMI2 gathers the bits of a varint in one instruction, where plain code takes a dozen. The first two generations of Zen have
 * the instruction, but take hundreds of cycles for it.
 */
#include "read/perfetto/record.h"

pf_records_decoder pf_records_choose(void)
{
#ifdef PF_HAVE_BMI2
    bool gathers = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (gathers && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2")) {
        return pf_records_decode_bmi2;
    }
#endif
    return pf_records_decode;
}
