/* analyze/gpu/kernels/gpu_operators.h - point 2: operators of the host and the device work that they launched. */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_OPERATORS_H
#define PF_ANALYZE_GPU_KERNELS_GPU_OPERATORS_H

#include "analyze/gpu/tables/gpu_tables.h"
#include "base/strings.h"

typedef struct gpu_operator_row {
    uint32_t input, name, shapes; /* shapes: id of gpu_operators.shapes; 0: none */
    uint32_t counted_for;         /* the operation counted last, + 1 */
    int64_t host_self;            /* host without the operators directly inside */
    uint64_t calls, host, launched, launched_self, device, device_self;
} gpu_operator_row;

/* By input, then device time, the longest first. */
typedef struct gpu_operators {
    gpu_operator_row *rows;
    uint32_t count, room;
    pf_strings shapes;
    pf_arena arena; /* of the rows */
} gpu_operators;

/* Needs the facts only, and changes none. `scratch` is reset afterwards. */
pf_status pf_gpu_operators_find(const gpu_facts *g, bool by_shape, pf_arena *scratch, gpu_operators *out,
                                pf_error *err);
void pf_gpu_operators_tabulate(const gpu_facts *g, const gpu_operators *o, gpu_tables *t, pf_findings *f);
void pf_gpu_operators_free(gpu_operators *o); /* legal on zeros */

#endif
