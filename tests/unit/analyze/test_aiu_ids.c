/* Ids of processes and threads in the store of `analyze aiu`. */
#include "aiu_support.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "postfetto/build.h"

/* Integers from -2^60 + 1 to 2^60 - 1 are themselves; others, and what is none, are texts. */
Test(aiu_ids, ids_by_how_they_were_written)
{
    static const struct {
        uint8_t kind;
        int64_t number;
        const char *text; /* NULL: the number itself */
        bool quoted;
    } cases[] = {{PF_ID_INT, 5, NULL, false},
                 {PF_ID_INT, -5, NULL, false},
                 {PF_ID_INT, ((int64_t)1 << 60) - 1, NULL, false},
                 {PF_ID_INT, -((int64_t)1 << 60) + 1, NULL, false},
                 {PF_ID_INT, (int64_t)1 << 60, "1152921504606846976", false},
                 {PF_ID_INT, -((int64_t)1 << 60), "-1152921504606846976", false},
                 {PF_ID_REAL, 5, "1.5", false},
                 {PF_ID_TEXT, 5, "main", true}};
    pf_builder *b = pf_builder_new(NULL);
    uint32_t upid = pf_build_process(b, 1, PF_STR("main"));
    uint32_t other = pf_build_process(b, 2, PF_STR("1.5"));
    aiu_facts_run f;
    pf_trace *t = NULL;
    facts_open(&f, NULL);
    cr_assert_eq(pf_builder_finish(b, &t, &f.err), PF_OK);
    f.run.trace = t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t text = pf_trace_processes(t)->name[cases[i].quoted ? upid : other];
        int64_t id = pf_aiu_id(&f.run, cases[i].kind, cases[i].number, text);
        cr_expect_eq(pf_aiu_is_number(id), !cases[i].text, "case %zu", i);
        if (!cases[i].text) {
            cr_expect_eq(id, cases[i].number);
            continue;
        }
        pf_str is = pf_aiu_text_of(&f.run, (uint32_t)id);
        cr_expect(pf_str_is(is, cases[i].text), "case %zu: %.*s", i, (int)is.len, is.ptr);
        cr_expect(id > 0 && id & AIU_ID_TEXT);
        cr_expect_eq((id & AIU_ID_NUMBER) == 0, cases[i].quoted, "case %zu", i);
    }
    cr_expect_eq(pf_aiu_id(&f.run, PF_ID_ABSENT, 5, 0), AIU_ID_NONE);
    facts_close(&f);
    pf_trace_free(t);
    pf_builder_free(b);
}
