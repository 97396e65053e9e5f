/* base/codec/fast_gzip.c - gzip members with ISA-L, which inflates about twice as fast as zlib.
 *
 * What is wrong with members that are not sound, and how far they go, zlib says (codec.c), so that both give the same
 * bytes and the same end. The library is loaded when the first member comes: its start would take 200 KB of every
 * command. Where ISA-L is not there, when postfetto is built or when it runs, there is no fast way.
 */
#include "base/codec/codec.h"

#ifdef PF_HAVE_ISAL

#include <isa-l/igzip_lib.h>

#include "base/library.h"

#define STEP_MAX ((size_t)1 << 30) /* ISA-L counts in 32 bits */

struct pf_fast_gzip {
    void *library;
    __typeof__(&isal_inflate_init) init;
    __typeof__(&isal_inflate) inflate;
    struct inflate_state state;
};

static bool load(pf_fast_gzip *f)
{
    f->library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
    return f->library && pf_library_find(f->library, "isal_inflate_init", &f->init) &&
           pf_library_find(f->library, "isal_inflate", &f->inflate);
}

pf_fast_gzip *pf_fast_gzip_new(pf_budget *budget)
{
    pf_fast_gzip *f = pf_alloc(budget, sizeof *f);
    if (f && !load(f)) {
        pf_fast_gzip_free(f, budget);
        f = NULL;
    }
    return f;
}

void pf_fast_gzip_free(pf_fast_gzip *f, pf_budget *budget)
{
    if (f && f->library) {
        dlclose(f->library);
    }
    pf_release(budget, f, sizeof *f);
}

void pf_fast_gzip_begin(pf_fast_gzip *f)
{
    f->init(&f->state);
    f->state.crc_flag = ISAL_GZIP;
}

pf_fast_state pf_fast_gzip_step(pf_fast_gzip *f, const uint8_t *in, size_t len, size_t *pos, uint8_t *out, size_t room,
                                size_t *made)
{
    struct inflate_state *s = &f->state;
    size_t give = len - *pos < STEP_MAX ? len - *pos : STEP_MAX, take = room < STEP_MAX ? room : STEP_MAX;
    s->next_in = (uint8_t *)(uintptr_t)(in + *pos);
    s->avail_in = (uint32_t)give;
    s->next_out = out;
    s->avail_out = (uint32_t)take;
    int result = f->inflate(s);
    *made = take - s->avail_out;
    *pos = (size_t)(s->next_in - in);
    if (result < 0) {
        return PF_FAST_GIVES_UP;
    }
    if (s->block_state == ISAL_BLOCK_FINISH) {
        return PF_FAST_ENDED;
    }
    return *pos == len && *made < take ? PF_FAST_GIVES_UP : PF_FAST_RUNNING;
}

#else

pf_fast_gzip *pf_fast_gzip_new(pf_budget *budget)
{
    return NULL;
}

void pf_fast_gzip_free(pf_fast_gzip *f, pf_budget *budget)
{
}

void pf_fast_gzip_begin(pf_fast_gzip *f)
{
}

pf_fast_state pf_fast_gzip_step(pf_fast_gzip *f, const uint8_t *in, size_t len, size_t *pos, uint8_t *out, size_t room,
                                size_t *made)
{
    *made = 0;
    return PF_FAST_GIVES_UP;
}

#endif
