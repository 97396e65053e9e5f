/* read/support/read_bytes.c - a whole file as bytes, unpacked, for what is no trace. */
#include "postfetto/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/list.h"
#include "read/input/unpack.h"

#define FIRST_ROOM 65536
#define RATIO_FREE ((uint64_t)64 << 20)

typedef struct content {
    char *bytes;
    size_t len, room;
    uint64_t stored;
    const pf_limits *limits;
} content;

static pf_status check_limits(const content *c, pf_error *err)
{
    const pf_limits *l = c->limits;
    uint64_t most = l->plain < l->memory ? l->plain : l->memory;
    if (c->len > most) {
        return pf_fail(err, PF_ERR_LIMIT, "more than %llu bytes after decompression; raise --max-%s",
                       (unsigned long long)most, l->plain < l->memory ? "plain" : "memory");
    }
    if (l->ratio && c->len > RATIO_FREE && c->len / l->ratio > c->stored) {
        return pf_fail(err, PF_ERR_LIMIT,
                       "decompresses to more than %llu times its size; raise --max-ratio if it is "
                       "meant to",
                       (unsigned long long)l->ratio);
    }
    return PF_OK;
}

static pf_status end_of(const pf_unpack *u, pf_error *err)
{
    switch (u->end) {
    case PF_CODEC_NO_MEMORY:
        return pf_no_memory(err);
    case PF_CODEC_LIMITED:
        return pf_fail(err, PF_ERR_LIMIT, "a zstd frame needs more memory than is allowed; raise --max-memory");
    case PF_CODEC_RUNNING:
    case PF_CODEC_COMPLETE:
        return PF_OK;
    default:
        return pf_fail(err, PF_ERR_INPUT, "the %s data is damaged or truncated; make the file once more",
                       pf_packing_name(u->faulty));
    }
}

/* What is packed, with a byte of room after it. */
static pf_status unpack_all(content *c, pf_unpack *u, pf_error *err)
{
    while (u->end == PF_CODEC_RUNNING) {
        PF_TRY(PF_LIST_ROOM(NULL, c->bytes, c->len + 2 > FIRST_ROOM ? c->len + 2 : FIRST_ROOM, c->room, err));
        c->len += pf_unpack_fill(u, (uint8_t *)c->bytes + c->len, c->room - c->len - 1);
        PF_TRY(check_limits(c, err));
    }
    return end_of(u, err);
}

static pf_status unpack(content *c, const pf_file *f, pf_budget *budget, pf_error *err)
{
    pf_unpack u;
    PF_TRY(pf_unpack_init(&u, f->data, f->size, budget, err));
    if (u.packing != PF_PACKING_NONE) {
        pf_status st = unpack_all(c, &u, err);
        pf_unpack_free(&u);
        return st;
    }
    c->bytes = malloc(f->size + 1);
    PF_TRY(c->bytes ? PF_OK : pf_no_memory(err));
    memcpy(c->bytes, f->data, f->size);
    c->len = f->size;
    return PF_OK;
}

pf_status pf_read_bytes(const char *path, const pf_limits *limits, char **bytes, size_t *len, pf_error *err)
{
    pf_budget budget;
    pf_file file;
    pf_budget_init(&budget, limits);
    *bytes = NULL;
    *len = 0;
    PF_TRY(pf_file_open(&file, path, false, &budget, err));
    content c = {.stored = file.size, .limits = &budget.limits};
    pf_status st = unpack(&c, &file, &budget, err);
    pf_file_close(&file);
    if (st != PF_OK) {
        free(c.bytes);
        return st;
    }
    c.bytes[c.len] = '\0';
    *bytes = c.bytes;
    *len = c.len;
    return PF_OK;
}
