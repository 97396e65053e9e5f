/* read/perfetto/decode/packet_dispatch.c - which packet decoder this processor runs.
 *
 * BMI2 gathers the bits of a varint in one instruction, where plain code takes a dozen; AVX2 compares 32 bytes with a
 * shape. The first two generations of Zen have the instruction, but take hundreds of cycles for it.
 */
#include "read/perfetto/decode/batch.h"

pf_rows_decoder pf_rows_choose(void)
{
#ifdef PF_HAVE_BMI2
    bool able = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("avx2");
    if (able && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2")) {
        return pf_rows_decode_bmi2;
    }
#endif
    return pf_rows_decode;
}
