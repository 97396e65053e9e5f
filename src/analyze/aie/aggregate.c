/* analyze/aie/aggregate.c - what all cores did together, iteration by iteration.
 *
 * The perf window of a core is a range of iteration numbers, so the iterations that all cores have are the overlap of
 * ranges. The source program reads the numbers back from the report files; two cores whose tiles have one name write
 * one file, and the later one then stands for both. `source` keeps that rule.
 */
#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/strings.h"

/* The last core with each file name: the names become dense ids, the ids remember the core. */
static pf_status find_sources(const aie_cores *cores, pf_arena *arena, const uint32_t **out, pf_error *err)
{
    uint32_t *source, *last;
    PF_TRY(PF_PASS_ARRAY(arena, cores->count, source, err));
    PF_TRY(PF_PASS_ARRAY(arena, cores->count + 1, last, err));
    pf_strings names;
    pf_status st = pf_strings_init(&names, arena->budget, err);
    for (size_t i = 0; st == PF_OK && i < cores->count; i++) {
        source[i] = pf_strings_add(&names, cores->core[i].file.ptr, cores->core[i].file.len, err);
        if (source[i] == PF_NONE) {
            st = err->code;
        } else {
            last[source[i]] = (uint32_t)i;
        }
    }
    pf_strings_free(&names);
    for (size_t i = 0; st == PF_OK && i < cores->count; i++) {
        source[i] = last[source[i]];
    }
    *out = source;
    return st;
}

static aie_common combine(const aie_parameters *p, const aie_cores *cores, const uint32_t *source, size_t index)
{
    aie_common common = {.index = index};
    for (size_t i = 0; i < cores->count; i++) {
        const aie_core *core = &cores->core[source[i]];
        const aie_iteration *it = &core->iterations[index];
        if (it->calls.count == 0) {
            continue;
        }
        if (!common.drawn || it->span > common.runtime) {
            common.runtime = it->span;
            common.slowest = core;
            common.slowly = it;
        }
        common.start = !common.drawn || it->first_start < common.start ? it->first_start : common.start;
        common.end = !common.drawn || it->last_end > common.end ? it->last_end : common.end;
        common.drawn = true;
    }
    common.gmacs_per_second = common.runtime ? p->macs * p->clock_ghz / (double)common.runtime : 0.0;
    return common;
}

pf_status pf_aie_combine(const aie_parameters *p, const aie_cores *cores, pf_arena *arena, aie_aggregate *out,
                         pf_error *err)
{
    *out = (aie_aggregate){.count = 0};
    PF_TRY(find_sources(cores, arena, &out->source, err));
    if (cores->count == 0) {
        return PF_OK;
    }
    size_t first = 0, after = SIZE_MAX;
    for (size_t i = 0; i < cores->count; i++) {
        const aie_core *c = &cores->core[out->source[i]];
        first = c->perf_start > first ? c->perf_start : first;
        after = c->perf_end < after ? c->perf_end : after;
    }
    if (first >= after) {
        return PF_OK;
    }
    out->count = after - first;
    PF_TRY(PF_PASS_ARRAY(arena, out->count, out->iteration, err));
    double runtimes = 0, gmacs = 0;
    for (size_t i = 0; i < out->count; i++) {
        out->iteration[i] = combine(p, cores, out->source, first + i);
        runtimes += (double)out->iteration[i].runtime;
        gmacs += out->iteration[i].gmacs_per_second;
        if (out->iteration[i].gmacs_per_second > out->iteration[out->best].gmacs_per_second) {
            out->best = i;
        }
        if (out->iteration[i].gmacs_per_second < out->iteration[out->worst].gmacs_per_second) {
            out->worst = i;
        }
    }
    out->average_runtime = runtimes / (double)out->count;
    out->average_gmacs_per_second = gmacs / (double)out->count;
    return PF_OK;
}
