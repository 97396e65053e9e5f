/* Which events have clocks of their thread: those that are or end slices of a thread, and say one. */
#include "spelled.h"

static const char tracks[] = "1{10:7 13:1} 1{10:7 60{1:51 4{1:100 2:101}}} 1{10:7 60{1:60 3{1:9}}}"
                             "1{10:7 60{1:61 2'c' 8{}}} 1{10:7 60{1:62 2'thread_time' 8{}}}";

static const struct {
    const char *packets;
    uint32_t rows;
} cases[] = {
    {"1{8:5 10:7 11{9:1 11:51}}", 0},
    {"1{8:5 10:7 11{9:1 11:51 17:5}}", 1},
    {"1{8:5 10:7 11{9:1 11:51 20:5}}", 1},
    {"1{8:5 10:7 11{9:2 11:51 17:5}}", 1},
    {"1{8:5 10:7 11{9:3 11:51 17:5}}", 1},
    {"1{8:5 10:7 11{11:51 17:5 6{2:88}}}", 1},                         /* X */
    {"1{8:5 10:7 11{11:51 17:5 6{2:98 10:1}}}", 0},                    /* b */
    {"1{8:5 10:7 11{11:51 17:5 6{2:115 6:1}}}", 0},                    /* s */
    {"1{8:5 10:7 11{11:51 17:5 6{2:80}}}", 0},                         /* P: a sample */
    {"1{8:5 10:7 11{9:4 11:61 30:1 17:5}}", 0},                        /* a counter */
    {"1{8:5 10:7 11{9:1 11:60 17:5}}", 0},                             /* of a process */
    {"1{8:5 10:7 11{9:1 11:99 17:5}}", 0},                             /* of nobody */
    {"1{8:5 10:7 11{9:1 11:98 17:5}} 1{10:7 60{1:98 4{1:5 2:6}}}", 1}, /* of a thread that is described later */
    {"1{10:7 11{9:1 11:51 17:5}}", 0},                                 /* at no time */
    {"1{8:5 10:7 11{9:1 11:51 12:5 31:62}}", 1},                       /* a counter with the name of the clock */
    {"1{8:5 10:7 11{9:1 11:51 12:5 31:61}}", 0},
    {"1{8:5 10:7 11{9:1 11:51 17:5}} 1{8:6 10:7 11{9:2 11:51}} 1{8:7 10:7 11{9:2 11:51 17:6}}", 2},
};

Test(thread_clocks, of_which_events)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        start(&b);
        spell(&b, tracks, AS_IT_STANDS);
        spell(&b, cases[i].packets, AS_IT_STANDS);
        pf_trace *t = load(&b);
        cr_expect_eq(t->thread_times.count, cases[i].rows, "%s: %u", cases[i].packets, t->thread_times.count);
        pf_trace_free(t);
        finish(&b);
    }
}
