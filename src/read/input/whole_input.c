/* read/input/whole_input.c - all plain bytes of an input at once. They begin in memory, move to a file when they become
 * many, and come back if its disk is full. */
#include "read/input/source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/text/errno_text.h"

#define SPOOL_FROM (16u << 20) /* bytes that are not worth a file */

typedef struct gathering {
    pf_trace *t;
    pf_kept *k;
    const char *folder; /* NULL: memory only */
    pf_spool spool;
    bool spooled; /* all bytes are in the spool */
    size_t len;   /* bytes in memory */
} gathering;

static void release_memory(gathering *g)
{
    pf_release(&g->t->budget, g->k->memory, g->k->room);
    g->k->memory = NULL;
    g->k->room = 0;
    g->len = 0;
}

static pf_status grow_memory(gathering *g, size_t room, pf_error *err)
{
    uint8_t *more = pf_resize(&g->t->budget, g->k->memory, g->k->room, room);
    PF_TRY(more ? PF_OK : pf_budget_refused(&g->t->budget, room, err));
    g->k->memory = more;
    g->k->room = room;
    return PF_OK;
}

static pf_status put_in_memory(gathering *g, const uint8_t *bytes, size_t len, pf_error *err)
{
    bool fits = g->len + len + PF_SLOP <= g->k->room;
    PF_TRY(fits ? PF_OK : grow_memory(g, (g->len + len) * 2 + PF_SLOP, err));
    memcpy(g->k->memory + g->len, bytes, len);
    g->len += len;
    return PF_OK;
}

static void end_spool(gathering *g)
{
    close(g->spool.fd);
    g->spooled = false;
    g->folder = NULL;
}

/* Moves what is in memory to a spool, if one can be made that has room for it. */
static void begin_spool(gathering *g)
{
    g->spooled = pf_spool_open(&g->spool, g->folder);
    if (!g->spooled) {
        g->folder = NULL;
    } else if (pf_spool_write(&g->spool, g->k->memory, g->len) < g->len) {
        end_spool(g);
    } else {
        release_memory(g);
    }
}

/* The disk is full: all that was written comes back. */
static pf_status unspool(gathering *g, pf_error *err)
{
    size_t len = g->spool.size;
    pf_status st = grow_memory(g, len + len / 2 + PF_SLOP, err);
    if (st == PF_OK && !pf_spool_read(&g->spool, g->k->memory)) {
        st =
            pf_fail(err, PF_ERR_INPUT, "cannot be read back after unpacking: %s; check the disk", pf_errno_text(errno));
    }
    g->len = st == PF_OK ? len : 0;
    end_spool(g);
    return st;
}

static pf_status put(gathering *g, const uint8_t *bytes, size_t len, pf_error *err)
{
    if (!g->spooled && g->folder && g->len + len > SPOOL_FROM) {
        begin_spool(g);
    }
    size_t done = g->spooled ? pf_spool_write(&g->spool, bytes, len) : 0;
    if (!g->spooled || done == len) {
        return g->spooled ? PF_OK : put_in_memory(g, bytes, len, err);
    }
    PF_TRY(unspool(g, err));
    return put_in_memory(g, bytes + done, len - done, err);
}

static pf_status map_spool(gathering *g, pf_error *err)
{
    pf_file mapped = {.budget = &g->t->budget};
    pf_status st = pf_file_map_open(&mapped, g->spool.fd, g->spool.size, err);
    if (st == PF_ERR_INTERNAL) {
        return unspool(g, err);
    }
    end_spool(g);
    if (st == PF_OK) {
        g->k->plain = mapped;
        g->k->bytes = (pf_bytes){mapped.data, mapped.size};
    }
    return st;
}

static pf_status finish(gathering *g, pf_error *err)
{
    PF_TRY(g->spooled ? map_spool(g, err) : PF_OK);
    if (!g->k->plain.data) {
        memset(g->k->memory + g->len, 0, PF_SLOP);
        g->k->bytes = (pf_bytes){g->k->memory, g->len};
    }
    return PF_OK;
}

/* The window, and all after it. */
static pf_status put_windows(gathering *g, pf_source *s, pf_window w, pf_error *err)
{
    PF_TRY(put(g, w.data, w.len, err));
    while (!w.last) {
        PF_TRY(pf_source_more(s, w.len, &w, err));
        PF_TRY(put(g, w.data, w.len, err));
    }
    return finish(g, err);
}

pf_status pf_whole_input(pf_trace *t, pf_source *s, pf_window first, const char *spool, pf_kept *k, pf_error *err)
{
    gathering g = {.t = t, .k = k, .folder = spool};
    pf_window w = first;
    while (w.stable && !w.last) {
        PF_TRY(pf_source_more(s, 0, &w, err));
    }
    if (w.stable) {
        k->bytes = (pf_bytes){w.data, w.len};
        return PF_OK;
    }
    pf_status st = put_windows(&g, s, w, err);
    if (g.spooled) {
        end_spool(&g);
    }
    return st;
}
