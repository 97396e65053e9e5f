/* How slices are shown: names without numbers, and the categories that viewers know. */
#include "aiu_support.h"

/* Numbers go with the underscores in front of them, but not where a name begins, nor after a V. */
Test(aiu_names, lose_their_numbers)
{
    static const struct {
        const char *name, *shown;
    } cases[] = {
        {"mm_1 Cmpt Exec", "mm Cmpt Exec"},
        {"a__5", "a"},
        {"a_5_6", "a"},
        {"a5b6", "ab"},
        {"a_b5_c", "a_b_c"},
        {"a-5", "a-"},
        {"_5", ""},
        {"5", "5"},
        {"12mm", "1mm"},
        {"V2_3", "V2"},
        {"V12a3", "V12a"},
        {"aV_2", "aV"},
        {"_V09", "_V09"},
        {"v2", "v"},
        {"a0", "a"},
        {"a9", "a"},
        {"a/:", "a/:"},
        {"a_", "a_"},
        {"plain", "plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const keep[] = {"keep_names", NULL, NULL};
        for (int kept = 0; kept < 2; kept++) {
            aiu_facts_run f;
            facts_open(&f, kept ? keep : NULL);
            const aiu_events *v = &f.run.events;
            uint32_t e = add_device(&f, cases[i].name, 0, 0, 1, (const int64_t[5]){1, 2, 3, 4, 5});
            uint32_t again = add_device(&f, cases[i].name, 0, 5, 1, (const int64_t[5]){1, 2, 3, 4, 5});
            uint32_t host = add_host(&f, cases[i].name, 0, 1, 0, 1);
            run_stage(&f, pf_aiu_refine_names);
            pf_str is = pf_aiu_text_of(&f.run, v->name[e]);
            cr_expect(pf_str_is(is, kept ? cases[i].name : cases[i].shown), "%s: \"%.*s\"", cases[i].name, (int)is.len,
                      is.ptr);
            cr_expect_eq(v->name[again], v->name[e]);
            cr_expect_eq(v->name[host], text_of(&f, cases[i].name), "hosts keep theirs");
            bool changed = v->name[e] != v->name[host];
            cr_assert_eq(v->extra[e] != PF_NONE, changed, "%s", cases[i].name);
            if (changed) {
                const aiu_extra *said = &f.run.extras.list[v->extra[e]];
                cr_expect(pf_str_is(pf_aiu_text_of(&f.run, said->key), "orig_name"));
                cr_expect_eq(said->as.text, v->name[host]);
            }
            facts_close(&f);
        }
    }
}

Test(aiu_names, have_categories)
{
    static const struct {
        const char *name, *category;
    } cases[] = {
        {"k Cmpt Exec", "kernel"},
        {"k Cmpt Prep", "kernel"},
        {"Input_0 DmaI", "gpu_memcpy"},
        {"Output_0 DmaO", "gpu_memcpy"},
        {"SenRdmaSend_1 DmaO", "user_annotation"},
        {"SenRdmaRecv_1 DmaI", "user_annotation"},
        {"SenRdma", "kernel"},
        {"AllReduce_all_reduce_1 Cmpt Exec", "user_annotation"},
        {"AllReduce_all_reduce_1 Cmpt Prep", "kernel"},
        {"AllReduce_1 Cmpt Exec", "kernel"},
        {"AllReduce_all_reduce_1 DmaI", "gpu_memcpy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        const aiu_events *v = &f.run.events;
        uint32_t e = add_device(&f, cases[i].name, 0, 0, 1, (const int64_t[5]){1, 2, 3, 4, 5});
        uint32_t host = add_host(&f, cases[i].name, 0, 1, 0, 1), other = add_host(&f, "h", 0, 1, 2, 1);
        f.run.events.cat[other] = text_of(&f, "own");
        f.run.events.cat[e] = text_of(&f, "own");
        run_stage(&f, pf_aiu_refine_lightly);
        pf_str is = pf_aiu_text_of(&f.run, v->cat[e]);
        cr_expect(pf_str_is(is, cases[i].category), "%s: %.*s", cases[i].name, (int)is.len, is.ptr);
        cr_expect_eq(v->cat[host], text_of(&f, "cpu_op"));
        cr_expect_eq(v->cat[other], text_of(&f, "own"));
        cr_expect_eq(v->flags[e] & (AIU_HOST_PID | AIU_SHOW_DEVICE), AIU_SHOW_DEVICE);
        cr_expect_eq(v->flags[host] & (AIU_HOST_PID | AIU_SHOW_DEVICE), AIU_HOST_PID);
        facts_close(&f);
    }
}

/* Of rank 4: the device at 3 * 4 + 1, the host before it, each at the time of its first slice. */
Test(aiu_names, of_processes_are_said_once)
{
    for (int host = 0; host < 2; host++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        const aiu_events *v = &f.run.events;
        for (int i = 0; i < 2; i++) {
            if (host) {
                add_host(&f, "h", 4, 1, 30 + 10 * i, 1);
            } else {
                add_device(&f, "k Cmpt Exec", 4, 30 + 10 * i, 1, (const int64_t[5]){1, 2, 3, 4, 5});
            }
        }
        run_stage(&f, pf_aiu_refine_names);
        run_stage(&f, pf_aiu_refine_lightly);
        static const char *const names[] = {"process_name", "process_label", "process_sort_index"};
        cr_assert_eq(f.run.alive, 5);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t e = f.run.order[2 + i];
            const aiu_extra *said = &f.run.extras.list[v->extra[e]];
            cr_expect_eq(v->phase[e], 'M');
            cr_expect_eq(v->name[e], text_of(&f, names[i]));
            cr_expect_eq(v->pid[e], 4);
            cr_expect_eq(v->ts[e], 30);
            cr_expect_eq((v->flags[e] & AIU_HOST_PID) != 0, host != 0);
            if (i < 2) {
                cr_expect_eq(said->key, text_of(&f, "name"));
                cr_expect_eq(said->as.text, text_of(&f, host ? "Host4" : "AIU Device4"));
            } else {
                cr_expect_eq(said->key, text_of(&f, "sort_index"));
                cr_expect_eq(said->as.i, host ? 12 : 13);
            }
        }
        facts_close(&f);
    }
}
