/* fuzz_json.c - the JSON reader on any bytes: no crash, no leak, no hang, and the same result wherever windows are cut.
 *
 * The middle byte chooses the windows and the dialect; the whole is the document (gzip works too). Each document is
 * read once in one piece and once in small windows with a thread that reads ahead; events, stats and the text of all
 * arguments must be equal.
 */
#include <stdlib.h>
#include <string.h>

#include "read/support/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A running hash of everything that the visitor says. */
static void mix(uint64_t *h, const void *bytes, size_t len)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < len; i++) {
        *h = (*h ^ p[i]) * 0x100000001b3ull;
    }
}

static pf_status begin(void *ctx, pf_str key, bool list)
{
    mix(ctx, list ? "[" : "(", 1);
    mix(ctx, key.ptr, key.len);
    return PF_OK;
}

static pf_status end(void *ctx)
{
    mix(ctx, ")", 1);
    return PF_OK;
}

static pf_status value(void *ctx, pf_str key, const pf_value *v)
{
    mix(ctx, key.ptr, key.len);
    mix(ctx, &v->type, sizeof v->type);
    if (v->type == PF_VALUE_STRING) {
        mix(ctx, v->as.s.ptr, v->as.s.len);
    } else if (v->type == PF_VALUE_INT) {
        mix(ctx, &v->as.i, sizeof v->as.i);
    }
    return PF_OK;
}

static uint64_t hash_trace(const pf_trace *t)
{
    uint64_t h = 0xcbf29ce484222325ull;
    const pf_events *e = pf_trace_events(t);
    const pf_arg_visitor v = {&h, begin, end, value, false};
    pf_error err;
    for (uint32_t i = 0; i < e->count; i++) {
        mix(&h, &e->ts[i], sizeof e->ts[i]);
        mix(&h, &e->phase[i], 1);
        mix(&h, &e->name[i], sizeof e->name[i]);
        mix(&h, &e->track[i], sizeof e->track[i]);
        if (pf_trace_visit_args(t, i, &v, &err) != PF_OK) {
            abort();
        }
    }
    mix(&h, t->stat_count, sizeof t->stat_count);
    mix(&h, t->stat_offset, sizeof t->stat_offset);
    return h;
}

/* Reads the document; the status, and the hash of the trace if it was read. */
static pf_status read_once(const uint8_t *bytes, size_t size, pf_read_options o, size_t step, uint64_t *hash)
{
    pf_error err;
    pf_trace *t = pf_trace_new(&o.limits, o.want, &err);
    pf_input input = {.path = "fuzz", .stored = bytes, .stored_bytes = size};
    pf_status st = t ? PF_OK : PF_ERR_MEMORY;
    pf_reading r = {.t = t, .input = &input, .o = &o};
    r.again = o.dialect ? pf_dialect_named(o.dialect) : NULL;
    do {
        r.source = NULL;
        r.dialect = r.again;
        r.again = NULL;
        st = st == PF_OK ? pf_source_open(&r.source, t, &input, &o, &err) : st;
        if (st == PF_OK) {
            if (step) {
                pf_source_set_step(r.source, step);
            }
            st = pf_source_more(r.source, 0, &r.first, &err);
        }
        if (st == PF_OK) {
            st = pf_reader_chrome_json.read(&r, &err);
        }
        pf_source_close(r.source);
        if (st == PF_OK && r.again) {
            st = pf_trace_restart(t, &err);
        }
    } while (st == PF_OK && r.again);
    if (st == PF_OK) {
        st = pf_trace_finish(t, &err);
    }
    if (st == PF_OK) {
        *hash = hash_trace(t);
    }
    pf_trace_free(t);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    /* An exact copy with the slop that every input has. */
    uint8_t *bytes = malloc(size + PF_SLOP);
    if (!bytes) {
        return 0;
    }
    memcpy(bytes, data, size);
    memset(bytes + size, '"', PF_SLOP);
    uint8_t choice = data[size / 2];
    pf_read_options o = pf_read_options_default();
    o.limits.memory = 256u << 20;
    o.limits.hash_seed = 1; /* so that what is found is found again */
    o.limits.plain = 16u << 20;
    o.limits.depth = 16;
    o.limits.keys = 64;
    o.jobs = 1;
    o.dialect = choice & 1 ? "aie" : NULL;
    uint64_t whole = 0, parts = 0;
    pf_status a = read_once(bytes, size, o, 0, &whole);
    o.jobs = 2;
    pf_status b = read_once(bytes, size, o, (size_t)(choice >> 1) + 1, &parts);
    free(bytes);
    if (a == PF_OK && b == PF_OK && whole != parts) {
        abort();
    }
    return 0;
}
