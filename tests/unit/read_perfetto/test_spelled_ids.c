/* Attributes that say how an id was written before a conversion, where it was no plain integer: from 2^30 on, of the
 * input that they stand in, and of the process that they name (src/read/perfetto/descriptors/spelled_ids.c). */
#include "spelled.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Processes 1073741823 and 1073741824, and threads 1073741825 and 1073741823 of process 5. */
static const char ids[] = "1{60{1:1 3{1:1073741823}}} 1{60{1:2 3{1:1073741824}}}"
                          "1{60{1:3 4{1:5 2:1073741825}}} 1{60{1:4 4{1:5 2:1073741823}}}";

static void attribute(bytes *b, const char *key, const char *value)
{
    packet(b, NONE, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACE_ATTRIBUTES);
    pf_writer_begin(&b->w, 1);
    text(b, 1, key);
    if (value) {
        text(b, 3, value);
    } else {
        pf_writer_varint(&b->w, 2, 7);
    }
    end(b);
    end(b);
    end(b);
}

static void put_id(const pf_trace *t, char what, int64_t id, uint8_t kind, uint32_t word, pf_buffer *out)
{
    const pf_str s = pf_trace_string(t, word);
    if (kind != PF_ID_INT || s.ptr) {
        static const char *const kinds[] = {"integer", "text", "real", "absent"};
        pf_buffer_format(out, "%c%lld %s '%.*s'\n", what, (long long)id, kinds[kind], (int)s.len, s.ptr ? s.ptr : "");
    }
}

/* A line for each process and thread whose id is another than its number. */
static void show_ids(const pf_trace *t, pf_buffer *out)
{
    for (uint32_t i = 0; i < t->processes.count; i++) {
        put_id(t, 'p', t->processes.pid[i], t->processes.kind[i], t->processes.text[i], out);
    }
    for (uint32_t i = 0; i < t->threads.count; i++) {
        put_id(t, 't', t->threads.tid[i], t->threads.kind[i], t->threads.text[i], out);
    }
}

Test(spelled_ids, of_processes_and_threads)
{
    static const struct {
        const char *attributes[3][2]; /* key and text, NULL: a number */
        const char *want;
    } cases[] = {
        {{{"postfetto.pid.1073741824", "p"}}, "p1073741824 text 'p'\n"},
        {{{"postfetto.tid.5.1073741825", "t"}}, "t1073741825 text 't'\n"},
        {{{"postfetto.pid.1073741824", "p"}, {"postfetto.tid.5.1073741825", "t"}},
         "p1073741824 text 'p'\nt1073741825 text 't'\n"},
        {{{"postfetto.pid.1073741824", "1.5"}, {"postfetto.kind.pid.1073741824", "real"}}, "p1073741824 real '1.5'\n"},
        {{{"postfetto.kind.tid.5.1073741825", "real"}, {"postfetto.tid.5.1073741825", "2.5"}},
         "t1073741825 real '2.5'\n"},
        {{{"postfetto.pid.1073741824", "p"}, {"postfetto.kind.pid.1073741824", "text"}}, "p1073741824 text 'p'\n"},
        {{{"postfetto.pid.1073741824", "p"}, {"postfetto.kind.pid.1073741824", "rea"}}, "p1073741824 text 'p'\n"},
        {{{"postfetto.pid.1073741824", "p"}, {"postfetto.kind.pid.1073741824", "really"}}, "p1073741824 text 'p'\n"},
        {{{"postfetto.pid.1073741824", "p"}, {"postfetto.kind.pid.1073741824", "rear"}}, "p1073741824 text 'p'\n"},
        {{{"postfetto.pid.1073741824", "p"}, {"postfetto.kind.tid.5.1073741825", "real"}},
         "p1073741824 text 'p'\nt1073741825 real ''\n"},
        {{{"postfetto.pid.1073741824", ""}}, "p1073741824 text ''\n"},
        {{{"postfetto.pid.1073741823", "kept"}}, "p1073741823 text 'kept'\n"},
        {{{"postfetto.tid.5.1073741823", "too small"}}, ""},
        {{{"postfetto.pid.1073741825", "of a thread"}}, ""},
        {{{"postfetto.pid.1073741899", "of nobody"}}, ""},
        {{{"postfetto.tid.5.1073741899", "of nobody"}}, ""},
        {{{"postfetto.tid.6.1073741825", "of another process"}}, ""},
        {{{"postfetto.tid.x.1073741825", "of none"}}, ""},
        {{{"postfetto.tid..1073741825", "of none"}}, ""},
        {{{"postfetto.tid.1073741825", "of none"}}, ""},
        {{{"postfetto.pid.1073741824", NULL}}, ""},
        {{{"postfetto.pid.1073741824x", "no number"}}, ""},
        {{{"postfetto.pid.", "no number"}}, ""},
        {{{"postfetto.pid", "no number"}}, ""},
        {{{"postfetto.uid.1073741824", "another word"}}, ""},
        {{{"postfetto.", "nothing"}}, ""},
        {{{"other.pid.1073741824", "somebody else's"}}, ""},
        {{{"postfetto.pid.1073741899", "of nobody"}, {"postfetto.pid.1073741824", "p"}}, "p1073741824 text 'p'\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        pf_buffer got = {0};
        start(&b);
        spell(&b, ids, AS_IT_STANDS);
        for (size_t k = 0; k < 3 && cases[i].attributes[k][0]; k++) {
            attribute(&b, cases[i].attributes[k][0], cases[i].attributes[k][1]);
        }
        pf_trace *t = load(&b);
        show_ids(t, &got);
        expect_text(&got, cases[i].want);
        pf_trace_free(t);
        finish(&b);
    }
}

/* The second input has the ids of the first, and says nothing of process 1073741824. */
Test(spelled_ids, of_two_inputs)
{
    char folder[] = "/tmp/pf_ids_XXXXXX", path[2][64];
    pf_buffer got = {0};
    pf_error err = {0};
    pf_trace *t = NULL;
    cr_assert_not_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        bytes b;
        start(&b);
        spell(&b, ids, AS_IT_STANDS);
        attribute(&b, i ? "postfetto.pid.1073741899" : "postfetto.pid.1073741824", "first");
        attribute(&b, "postfetto.tid.5.1073741825", i ? "second" : "first");
        snprintf(path[i], sizeof path[i], "%s/%d", folder, i);
        FILE *f = fopen(path[i], "wb");
        cr_assert(f && fwrite(b.out.data, 1, b.out.len, f) == b.out.len && fclose(f) == 0);
        finish(&b);
    }
    const char *paths[] = {path[0], path[1]};
    cr_assert_eq(pf_read(paths, 2, NULL, &t, &err), PF_OK, "%s", err.text);
    show_ids(t, &got);
    expect_text(&got, "p1073741824 text 'first'\nt1073741825 text 'first'\nt1073741825 text 'second'\n");
    pf_trace_free(t);
    unlink(path[0]);
    unlink(path[1]);
    rmdir(folder);
}
