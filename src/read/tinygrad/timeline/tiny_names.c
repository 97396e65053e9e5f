/* read/tinygrad/timeline/tiny_names.c - names of kernels carry escape sequences that colour them in a terminal. Names
 * of slices do without; each name is read once. */
#include <string.h>

#include "base/buffer.h"
#include "read/tinygrad/timeline/tiny_timeline.h"

/* Copies what is not part of ESC [ parameters letter. */
static void put_plain(pf_buffer *b, pf_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '\x1b' && i + 1 < s.len && s.ptr[i + 1] == '[') {
            for (i += 2; i < s.len && (s.ptr[i] < '@' || s.ptr[i] > '~'); i++) {
            }
        } else {
            pf_buffer_put(b, &s.ptr[i], 1);
        }
    }
}

pf_status pf_tiny_plain_name(pf_tiny_timeline *l, uint32_t name, uint32_t *plain, pf_error *err)
{
    pf_str s = pf_trace_string(l->t, name);
    *plain = name;
    if (!s.ptr || !memchr(s.ptr, '\x1b', s.len)) {
        return PF_OK;
    }
    uint32_t known = pf_map_get(&l->plain_of, name);
    if (known != PF_NONE) {
        *plain = known;
        return PF_OK;
    }
    pf_buffer b = {0};
    put_plain(&b, s);
    pf_status st = b.failed ? pf_fail(err, PF_ERR_MEMORY, "the system refused memory for a name")
                            : pf_trace_add_string(l->t, (pf_str){b.data ? b.data : "", b.len}, plain, err);
    pf_buffer_free(&b);
    if (st == PF_OK && !pf_map_set(&l->plain_of, name, *plain)) {
        return pf_budget_refused(&l->t->budget, 0, err);
    }
    return st;
}
