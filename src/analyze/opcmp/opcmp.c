/* analyze/opcmp/opcmp.c - what a comparison holds. */
#include "analyze/opcmp/opcmp.h"

#include <string.h>

pf_status pf_opcmp_begin(opcmp *c, const pf_limits *limits, pf_error *err)
{
    *c = (opcmp){.ready = true};
    pf_budget_init(&c->budget, limits);
    pf_arena_init(&c->arena, &c->budget);
    return pf_strings_init(&c->texts, &c->budget, err);
}

void pf_opcmp_end(opcmp *c)
{
    if (c->ready) {
        pf_release(&c->budget, c->kernels, c->room * sizeof *c->kernels);
        pf_strings_free(&c->texts);
        pf_arena_free(&c->arena);
        c->ready = false;
    }
}

opcmp_kernel *pf_opcmp_kernel(opcmp *c, uint32_t id, pf_error *err)
{
    if (id < c->room) {
        return &c->kernels[id];
    }
    uint32_t room = c->texts.count + c->texts.count / 2 + 64;
    opcmp_kernel *grown = pf_resize(&c->budget, c->kernels, c->room * sizeof *grown, room * sizeof *grown);
    if (!grown) {
        pf_budget_refused(&c->budget, room * sizeof *grown, err);
        return NULL;
    }
    memset(grown + c->room, 0, (room - c->room) * sizeof *grown);
    c->kernels = grown;
    c->room = room;
    return &c->kernels[id];
}
