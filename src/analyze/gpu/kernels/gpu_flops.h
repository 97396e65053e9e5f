/* analyze/gpu/kernels/gpu_flops.h - floating-point operations and bytes of operators whose work follows from the shapes
 * and types of their inputs: docs/reference/gpu.md, "Floating-point operations". */
#pragma once

#include "analyze/gpu/facts/gpu_facts.h"
#include "base/strings.h"

/* ---- what a call does (gpu_flop_counts.c) ------------------------------------------------------------------------ */

/* An operator that is counted: where its operands are among its inputs. */
typedef struct gpu_formula gpu_formula;

/* The one of that name; NULL: it is not counted. */
const gpu_formula *pf_gpu_formula_of(pf_str name);
pf_str pf_gpu_formula_kind(const gpu_formula *formula); /* "matmul", "convolution", "attention" */

/* Whether "Concrete Inputs" decide how much it does. */
bool pf_gpu_formula_asks_values(const gpu_formula *formula);

/* Arguments of a call as texts: "[[1, 141], []]", "[float, Scalar]", "[, [2, 2]]". */
typedef struct gpu_operands {
    pf_str shapes, types, values;
} gpu_operands;

typedef struct gpu_flop_count {
    bool flop_known, bytes_known;
    uint64_t flop, bytes; /* of all calls; UINT64_MAX: as much or more */
    pf_str type;          /* of the first operand; empty: not recorded */
} gpu_flop_count;
gpu_flop_count pf_gpu_count_flops(const gpu_formula *formula, const gpu_operands *operands, uint64_t calls);

/* ---- calls by name and shapes (gpu_flops.c) ---------------------------------------------------------------------- */

typedef struct gpu_flop_row {
    const gpu_formula *formula;
    uint32_t input, name, shapes, types, values; /* the last three: ids of gpu_flops.texts */
    uint32_t number;                             /* in order of appearance */
    uint64_t calls, host, device, launched;
    uint64_t flop, bytes; /* of one call; 0: not known */
} gpu_flop_row;

/* A call of one row, and the time of what it launched. */
typedef struct gpu_flop_call {
    uint32_t row;                 /* in the order in which rows were met */
    uint64_t flop, bytes, device; /* 0: not known */
} gpu_flop_call;

typedef struct gpu_flops {
    gpu_flop_row *rows;
    gpu_flop_call *calls;
    uint32_t count, room, call_count, call_room;
    uint32_t *of_op; /* by operation the call that launched it, or PF_NONE; NULL where nothing is drawn */
    pf_strings texts;
    pf_arena arena; /* of all but the texts */
} gpu_flops;

/* What a device can do at most, in 10^12 operations and 10^9 bytes per second; 0: not said. */
typedef struct gpu_peaks {
    double tflops, gbs;
} gpu_peaks;

/* around: by slice the nearest operator (pf_gpu_operators_around). Needs the facts only, and changes none. `scratch` is
 * reset afterwards. */
pf_status pf_gpu_flops_find(const gpu_facts *g, const uint32_t *around, pf_arena *scratch, gpu_flops *out,
                            pf_error *err);
void pf_gpu_flops_tabulate(const gpu_facts *g, const gpu_flops *flops, gpu_peaks peaks);
void pf_gpu_flops_free(gpu_flops *flops); /* legal on zeros */
