/* converted.h - what a converted trace holds, packet by packet. */
#ifndef TEST_WRITE_CONVERTED_H
#define TEST_WRITE_CONVERTED_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "support.h"

enum { WANT = PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS | PF_WANT_SLICES };

static inline test_packets convert(const pf_trace *t)
{
    char *folder = test_folder(), *path = test_path(folder, "out.pftrace");
    pf_error err;
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_OK, "%s", err.text);
    cr_assert_eq(test_entries(folder), 1);
    size_t len;
    char *bytes = test_read(path, &len);
    test_packets p = test_decode(bytes, len);
    free(bytes);
    free(path);
    test_folder_remove(folder);
    return p;
}

/* "B 10 name/cat" lines of all events on one track uuid, or on all (0); "X 10+2 name" with the duration in
 * microseconds. */
static inline void tell(const test_packets *p, uint64_t track, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t i = 0; i < test_event_count(p); i++) {
        const test_packet *e = test_event(p, i);
        char length[32] = "";
        if (track && e->track != track) {
            continue;
        }
        if (e->phase == 'X') {
            snprintf(length, sizeof length, "+%ld", (long)e->dur_us);
        }
        size_t len = strlen(out);
        snprintf(out + len, room - len, "%c %lu%s %s%s%s\n", e->phase ? e->phase : "?BEIC"[e->type],
                 (unsigned long)e -> envelope -> timestamp, length, e -> name, e -> category[0] ? "/" : "",
                 e->category);
    }
}

static inline void expect_events(const test_packets *p, uint64_t track, const char *expected)
{
    char out[2048];
    tell(p, track, out, sizeof out);
    cr_assert_str_eq(out, expected);
}

#endif
