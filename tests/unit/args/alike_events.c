/* alike_events.c - arguments of JSON events that look like those of the event before, but for something. The values
 * expected are those that the generator wrote. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "postfetto/postfetto.h"

enum { EVENTS = 20000, CHOICES = 10 };

typedef struct written {
    bool has_k, has_l;
    int64_t k, l;
} written;

static uint32_t dice(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

/* A number of one to eighteen digits; mostly as long as those before. */
static int64_t number(uint64_t *random)
{
    unsigned digits = dice(random, 20) ? 5 : 1 + dice(random, 18);
    int64_t v = 1 + dice(random, 9);
    for (unsigned i = 1; i < digits; i++) {
        v = v * 10 + dice(random, 10);
    }
    return v;
}

/* The members of an event: nearly always those of `usual`, in one of two categories. */
static written put_args(pf_buffer *b, unsigned choice, uint64_t *random)
{
    written w = {true, true, number(random), number(random)};
    const int64_t other = number(random);
    switch (choice) {
    case 0: /* a key that differs in a digit only */
        pf_buffer_format(b, "{\"x1\":%" PRId64 ",\"k\":%" PRId64 ",\"k2\":7,\"l\":%" PRId64 "}", other, w.k, w.l);
        break;
    case 1:
        pf_buffer_format(b, "{\"x2\":%" PRId64 ",\"k\":%" PRId64 ",\"k3\":7,\"l\":%" PRId64 "}", other, w.k, w.l);
        break;
    case 2: /* a needless zero, which is passed over */
        pf_buffer_format(b, "{\"x\":%" PRId64 ",\"k\":0%" PRId64 ",\"l\":%" PRId64 "}", other, w.k, w.l);
        break;
    case 3:
        pf_buffer_format(b, "{\"x\":%" PRId64 ",\"k\":%" PRId64 ".5,\"l\":-%" PRId64 "}", other, w.k % 100000, w.l);
        w.has_k = false;
        w.l = -w.l;
        break;
    case 4: /* the first of two counts; one is absent */
        pf_buffer_format(b, "{\"x\":%" PRId64 ",\"k\":%" PRId64 ",\"k\":%" PRId64 "}", other, w.k, w.l);
        w.has_l = false;
        break;
    case 5: /* a text is a number for l only */
        pf_buffer_format(b, "{\"x\":%" PRId64 ",\"k\":\"%" PRId64 "\",\"l\":\"%" PRId64 "\"}", other, w.k, w.l);
        w.has_k = false;
        break;
    case 6:
        pf_buffer_format(b, "{\"x\":%" PRId64 ",\"k\":%" PRId64 ",\"l\":%" PRId64 ",\"rest\":[1,{\"l\":2}]}", other,
                         w.k, w.l);
        break;
    case 7:
        pf_buffer_format(b, "{\"x\":%" PRId64 "}", other);
        w.has_k = w.has_l = false;
        break;
    default:
        pf_buffer_format(b, "{\"x\":%" PRId64 ",\"k\":%" PRId64 ",\"l\":%" PRId64 "}", other, w.k, w.l);
        break;
    }
    return w;
}

static pf_trace *make(written *expected, uint64_t random)
{
    char path[] = "/tmp/pf_alike_XXXXXX";
    pf_buffer b = {0};
    pf_trace *t = NULL;
    pf_error err = {0};
    pf_read_options o = pf_read_options_default();
    unsigned choice[2] = {CHOICES - 1, 0};
    for (unsigned i = 0; i < EVENTS; i++) {
        unsigned category = i % 2;
        choice[category] = dice(&random, i < EVENTS / 2 ? 8 : 40) ? choice[category] : dice(&random, CHOICES);
        pf_buffer_format(&b, "%s{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%u,\"dur\":1,\"name\":\"a\",\"cat\":\"%s\",",
                         i ? ",\n" : "[", 10 * i, category ? "launch" : "kernel");
        pf_buffer_text(&b, "\"args\":");
        expected[i] = put_args(&b, choice[category], &random);
        pf_buffer_text(&b, "}");
    }
    pf_buffer_text(&b, "]");
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, b.data, b.len), (ssize_t)b.len);
    close(fd);
    const char *inputs[] = {path};
    cr_assert_eq(pf_read(inputs, 1, &o, &t, &err), PF_OK, "%s", err.text);
    unlink(path);
    pf_buffer_free(&b);
    return t;
}

Test(alike_events, every_value_is_the_one_that_was_written)
{
    static const pf_arg_key keys[] = {{"k", PF_ARG_INT, false}, {"l", PF_ARG_INT, true}};
    const pf_arg_options o = {.jobs = 2, .first_values = true};
    written *expected = calloc(EVENTS, sizeof *expected);
    uint32_t *events = calloc(EVENTS, sizeof *events);
    cr_assert(expected && events);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        pf_trace *t = make(expected, seed);
        const pf_slices *s = pf_trace_slices(t);
        pf_arg_columns *c = NULL;
        pf_error err = {0};
        uint32_t wrong = 0;
        cr_assert_eq(s->count, EVENTS);
        memcpy(events, s->event, EVENTS * sizeof *events);
        cr_assert_eq(pf_arg_columns_read(t, events, EVENTS, keys, 2, &o, &c, &err), PF_OK, "%s", err.text);
        const pf_arg_column *k = pf_arg_column_at(c, 0), *l = pf_arg_column_at(c, 1);
        for (uint32_t i = 0; i < EVENTS; i++) {
            const written *w = &expected[i];
            wrong += pf_arg_has(k, i) != w->has_k || (w->has_k && k->values.i[i] != w->k);
            wrong += pf_arg_has(l, i) != w->has_l || (w->has_l && l->values.i[i] != w->l);
        }
        cr_expect_eq(wrong, 0, "seed %" PRIu64, seed);
        pf_arg_columns_free(c);
        pf_trace_free(t);
    }
    free(events);
    free(expected);
}

/* A key that leads into objects is found by a walk over all arguments only. So reading with such a key besides the
 * others must give the same. */
static void expect_the_walk_to_agree(const pf_trace *t, bool first_values)
{
    static const pf_arg_key keys[] = {{"k", PF_ARG_INT, false},
                                      {"l", PF_ARG_INT, true},
                                      {"l", PF_ARG_TEXT, false},
                                      {"x", PF_ARG_REAL, false},
                                      {"no.such", PF_ARG_INT, false}};
    enum { QUICK = sizeof keys / sizeof *keys - 1 };
    const pf_arg_options o = {.jobs = 1, .first_values = first_values};
    pf_arg_columns *quick = NULL, *walked = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_arg_columns_read(t, NULL, 0, keys, QUICK, &o, &quick, &err), PF_OK, "%s", err.text);
    cr_assert_eq(pf_arg_columns_read(t, NULL, 0, keys, QUICK + 1, &o, &walked, &err), PF_OK, "%s", err.text);
    cr_assert_gt(pf_arg_column_at(quick, 0)->found, 0);
    for (size_t k = 0; k < QUICK; k++) {
        const pf_arg_column *a = pf_arg_column_at(quick, k), *b = pf_arg_column_at(walked, k);
        uint32_t wrong = 0;
        cr_expect_eq(a->found, b->found, "%s", keys[k].key);
        for (uint32_t i = 0; i < pf_trace_events(t)->count; i++) {
            bool has = pf_arg_has(a, i);
            wrong += has != pf_arg_has(b, i);
            wrong += has && (a->type == PF_ARG_TEXT ? a->values.text[i] != b->values.text[i]
                                                    : a->values.u[i] != b->values.u[i]);
        }
        cr_expect_eq(wrong, 0, "%s", keys[k].key);
    }
    cr_expect_eq(pf_arg_columns_text_count(quick), pf_arg_columns_text_count(walked));
    pf_arg_columns_free(quick);
    pf_arg_columns_free(walked);
}

Test(alike_events, packets_and_json_give_what_a_walk_gives)
{
    char folder[] = "/tmp/pf_alike_XXXXXX", path[64];
    const char *inputs[] = {path};
    written *expected = calloc(EVENTS, sizeof *expected);
    pf_read_options o = pf_read_options_default();
    pf_trace *json = make(expected, 7), *packets = NULL;
    pf_error err = {0};
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.pftrace", folder);
    cr_assert_eq(pf_convert_pftrace(json, path, NULL, &err), PF_OK, "%s", err.text);
    cr_assert_eq(pf_read(inputs, 1, &o, &packets, &err), PF_OK, "%s", err.text);
    for (int first = 0; first < 2; first++) {
        expect_the_walk_to_agree(json, first);
        expect_the_walk_to_agree(packets, first);
    }
    unlink(path);
    rmdir(folder);
    pf_trace_free(packets);
    pf_trace_free(json);
    free(expected);
}
