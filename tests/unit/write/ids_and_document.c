/* ids_and_document.c - what a JSON trace says besides its events, through a conversion and back into tables. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "postfetto/read.h"
#include "support.h"

static const char json[] =
    "{\"deviceProperties\": [ {\"id\": 0} ], \"traceName\": \"a \\\"}\\\" b\", \"scale\": 2.5, \"rank\": 3,"
    "\"traceEvents\": ["
    "{\"ph\":\"X\",\"name\":\"k\",\"pid\":\"Spans\",\"tid\":18446744073709551615,\"ts\":1,\"dur\":1},"
    "{\"ph\":\"X\",\"name\":\"k\",\"pid\":5,\"tid\":\"main\",\"ts\":2,\"dur\":1},"
    "{\"ph\":\"X\",\"name\":\"k\",\"pid\":5,\"tid\":6,\"ts\":3,\"dur\":1}]}";

static pf_trace *read_back(uint32_t want)
{
    char *folder = test_folder(), *in = test_path(folder, "in.json"), *out = test_path(folder, "out.pftrace");
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL, *back = NULL;
    pf_error err = {0};
    FILE *file = fopen(in, "w");
    cr_assert_eq(fwrite(json, 1, sizeof json - 1, file), sizeof json - 1);
    cr_assert_eq(fclose(file), 0);
    o.want |= PF_WANT_ORIGINS;
    cr_assert_eq(pf_read((const char *const *)&in, 1, &o, &t, &err), PF_OK, "%s", err.text);
    cr_assert_eq(pf_convert_pftrace(t, out, NULL, &err), PF_OK, "%s", err.text);
    o.want = want;
    cr_assert_eq(pf_read((const char *const *)&out, 1, &o, &back, &err), PF_OK, "%s", err.text);
    pf_trace_free(t);
    free(in);
    free(out);
    test_folder_remove(folder);
    return back;
}

static bool is_text(const pf_trace *t, uint32_t id, const char *text)
{
    pf_str s = pf_trace_string(t, id);
    return s.ptr && s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

Test(ids_and_document, have_their_kinds_again)
{
    pf_trace *t = read_back(PF_WANT_EVENTS | PF_WANT_SLICES);
    const pf_processes *p = pf_trace_processes(t);
    const pf_threads *th = pf_trace_threads(t);
    int texts = 0, large = 0, named = 0, plain = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        texts += p->kind[i] == PF_ID_TEXT && is_text(t, p->text[i], "Spans");
    }
    for (uint32_t i = 0; i < th->count; i++) {
        large += th->kind[i] == PF_ID_REAL && is_text(t, th->text[i], "18446744073709551615");
        named += th->kind[i] == PF_ID_TEXT && is_text(t, th->text[i], "main");
        plain += th->kind[i] == PF_ID_INT && th->tid[i] == 6;
    }
    cr_assert(texts == 1 && large == 1 && named == 1 && plain == 1, "%d %d %d %d", texts, large, named, plain);
    pf_trace_free(t);
}

Test(ids_and_document, members_of_the_document_are_metadata)
{
    pf_trace *t = read_back(PF_WANT_EVENTS);
    const pf_metadata *m = pf_trace_metadata(t);
    int found = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        found += is_text(t, m->name[i], "json.deviceProperties") && is_text(t, m->text[i], "[{\"id\":0}]");
        found += is_text(t, m->name[i], "json.traceName") && is_text(t, m->text[i], "a \"}\" b");
        found += is_text(t, m->name[i], "json.scale") && is_text(t, m->text[i], "2.5");
        found += is_text(t, m->name[i], "json.rank") && m->number[i] == 3 && !m->text[i];
    }
    cr_assert_eq(found, 4);
    cr_assert_str_eq(pf_trace_dialect(t), "torch");
    pf_trace_free(t);
}
