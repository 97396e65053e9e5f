/* analyze/aiu/facts/aiu_parts.c - see aiu_parts.h. */
#include "analyze/aiu/facts/aiu_parts.h"

#include <math.h>
#include <string.h>

#include "model/args/arg_columns.h"

const pf_arg_key pf_aiu_part_arguments[AIU_PART_ARGUMENTS] = {
    [AIU_PART_LAUNCH] = {.key = "correlation", .type = PF_ARG_INT, .from_text = true},
    [AIU_PART_LAUNCH_UINT] = {.key = "correlation", .type = PF_ARG_UINT},
    [AIU_PART_FN_IDX] = {.key = "fn_idx", .type = PF_ARG_INT},
    [AIU_PART_SPEED] = {.key = "memory bandwidth (GB/s)", .type = PF_ARG_REAL, .from_text = true}};

pf_status pf_aiu_parts_arguments(aiu_run *run, const uint32_t *rows, uint32_t count, const pf_arg_key *keys,
                                 size_t key_count, pf_arg_columns **out)
{
    const aiu_parts *p = run->parts;
    const void *const values[AIU_PART_ARGUMENTS] = {[AIU_PART_LAUNCH] = p->launch,
                                                    [AIU_PART_LAUNCH_UINT] = p->launch_uint,
                                                    [AIU_PART_FN_IDX] = p->index,
                                                    [AIU_PART_SPEED] = p->speed};
    if (pf_arg_columns_make(run->trace, count, keys, key_count, out, &run->error) != PF_OK) {
        return run->error.code;
    }
    for (size_t k = 0; k < key_count; k++) {
        const pf_arg_column *c = pf_arg_column_at(*out, k);
        size_t of = 0;
        while (of < AIU_PART_ARGUMENTS && !(strcmp(pf_aiu_part_arguments[of].key, keys[k].key) == 0 &&
                                            pf_aiu_part_arguments[of].type == keys[k].type)) {
            of++;
        }
        for (uint32_t i = 0; i < count && of < AIU_PART_ARGUMENTS; i++) {
            const int64_t *from = (const int64_t *)values[of] + rows[i];
            bool there = of == AIU_PART_SPEED ? !isnan(p->speed[rows[i]]) : *from != INT64_MIN;
            if (there) {
                ((int64_t *)(uintptr_t)c->values.i)[i] = *from;
                ((uint64_t *)(uintptr_t)c->present)[i / 64] |= 1ull << i % 64;
            }
        }
    }
    return PF_OK;
}
