/* What records hold: probe definitions, kernel.info and --map. */
#include <criterion/criterion.h>
#include <string.h>

#include "read/neutrino/probe_maps.h"

static pf_budget budget;
static pf_arena arena;

static void begin(void)
{
    pf_budget_init(&budget, NULL);
    pf_arena_init(&arena, &budget);
}

static void end(void)
{
    pf_arena_free(&arena);
}

TestSuite(maps, .init = begin, .fini = end);

static const char *read_toml(const char *text, neutrino_maps *maps, unsigned *line)
{
    return pf_neutrino_maps_of_toml((pf_str){text, strlen(text)}, &arena, maps, line);
}

static bool field_is(const neutrino_map *m, const char *name, unsigned bytes, unsigned offset)
{
    const neutrino_field *f = pf_neutrino_find_field(m, name);
    return f && f->bytes == bytes && f->offset == offset;
}

Test(maps, wide_fields_come_first_in_memory)
{
    neutrino_maps maps;
    unsigned line;
    cr_assert_null(
        read_toml("# comment\n[probe.\"a b\"]\nbefore = '''\n[map.not]\nsize = 3\n'''\n[map.M]\nlevel = \"thread\"\n"
                  "size = \"24\" # a text\ncap = \"dynamic\"\n[map.M.regs]\nsmall = [\"u32\", \"None\"]\n"
                  "wide = [\n  \"u64\", # why not\n  0 ]\nlast = ['u32']\n",
                  &maps, &line));
    cr_assert_eq(maps.count, 1);
    cr_expect_eq(maps.map[0].bytes, 24);
    cr_expect_eq(maps.map[0].capacity, 0);
    cr_expect_eq(maps.map[0].level, NEUTRINO_THREAD);
    cr_expect(field_is(&maps.map[0], "wide", 8, 0));
    cr_expect(field_is(&maps.map[0], "small", 4, 8));
    cr_expect(field_is(&maps.map[0], "last", 4, 12));
}

Test(maps, definitions_of_the_artifact_have_a_datamodel)
{
    neutrino_maps maps;
    unsigned line;
    cr_assert_null(read_toml("[block_sched]\ndatamodel = \"warp:16\"\n[dmat]\ndatamodel = \"thread:16:count\"\n"
                             "[progress]\ndatamodel = \"thread:8:128\"\n",
                             &maps, &line));
    cr_assert_eq(maps.count, 3);
    cr_expect_str_eq(pf_neutrino_kind(&maps.map[0]), "block_sched");
    cr_expect_eq(maps.map[0].capacity, 1);
    cr_expect_str_eq(pf_neutrino_kind(&maps.map[1]), "dmat");
    cr_expect_eq(maps.map[1].capacity, 0);
    cr_expect_str_eq(pf_neutrino_kind(&maps.map[2]), "program_progress");
    cr_expect_eq(maps.map[2].capacity, 128);
}

Test(maps, what_is_wrong_is_said_with_its_line)
{
    static const char *const bad[] = {"[map.M",
                                      "[map.M]\nlevel \"warp\"\n",
                                      "[map.M]\nlevel = \"warp\nsize = 8\n",
                                      "[map.M]\nlevel = \"lane\"\n",
                                      "[map.M]\nsize = 0\n",
                                      "[map.M]\nsize = 8\n[map.M.regs]\na = [\"u16\"]\n",
                                      "[map.M]\nsize = 8\n[map.M.regs]\na = [\"u64\"]\nb = [\"u32\"]\n",
                                      "[map.M]\nsize = 99999999\n",
                                      "a = [[[[\n",
                                      "a = 1 2 \"\n= 3\n",
                                      "[a.b.c.d.e.f.g.h.i]\n",
                                      "[x]\ndatamodel = \"warp\"\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        neutrino_maps maps;
        unsigned line = 0;
        cr_expect_not_null(read_toml(bad[i], &maps, &line), "%s", bad[i]);
        cr_expect_geq(line, 1);
    }
}

Test(maps, the_option_says_name_level_fields_and_capacity)
{
    neutrino_map m;
    cr_assert_null(pf_neutrino_map_of_option(PF_STR("mine:warp:a=u32,b=u64:7"), &m));
    cr_expect_eq(m.level, NEUTRINO_WARP);
    cr_expect_eq(m.capacity, 7);
    cr_expect_eq(m.bytes, 12);
    cr_expect(field_is(&m, "b", 8, 0) && field_is(&m, "a", 4, 8));
    cr_expect_null(pf_neutrino_map_of_option(PF_STR("DMAT:thread"), &m), "built in: its fields are known");
    cr_expect_str_eq(pf_neutrino_kind(&m), "dmat");
    static const char *const bad[] = {"", "a", "a:lane:x=u64", "a:warp:x", "a:warp:=u64", "a:warp:x=u64:-1", "a:warp:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_not_null(pf_neutrino_map_of_option((pf_str){bad[i], strlen(bad[i])}, &m), "%s", bad[i]);
    }
}

Test(maps, kernel_info_has_a_line_for_each_section)
{
    neutrino_kernel k;
    cr_assert_null(pf_neutrino_kernel_info(PF_STR("void f<int, 4>(T*)\n3\n2\n1,16\n0,-1\nread.py\n"), &k));
    cr_expect_eq(k.params, 3);
    cr_assert_eq(k.maps.count, 2);
    cr_expect_eq(k.maps.map[0].level, NEUTRINO_WARP);
    cr_expect_eq(k.maps.map[0].unit, 16);
    cr_expect_eq(k.maps.map[1].unit, 0);
    static const char *const bad[] = {"", "a\n1\n", "a\nx\n0\n", "a\n1\n1\n", "a\n1\n1\n2,8\n", "a\n1\n9999\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_not_null(pf_neutrino_kernel_info((pf_str){bad[i], strlen(bad[i])}, &k), "%s", bad[i]);
    }
}

/* The line that each fault names. */
Test(maps, faults_name_their_lines)
{
    static const struct {
        const char *text;
        unsigned line;
    } bad[] = {{"\n\n[map.M", 3},
               {"[map.M]\nlevel \"warp\"\n", 2},
               {"[map.M]\n\nlevel = \"lane\"\n", 3},
               {"[map.M]\nsize = 0\n", 2},
               {"[map.M]\nsize = 8\n[map.M.regs]\na = [\"u16\"]\n", 4},
               {"a = '''x\ny\n'''\nb = \"x\\\ny\nc\n", 5},
               {"[map.M]\ncap = []\n", 2},
               {"[map.M]\nsize = 8\n[map.M.regs]\na = 5\n", 4},
               {"[x]\ndatamodel = \"warp:8:many\"\n", 2},
               {"a = [\n1,\n\"x", 3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        neutrino_maps maps;
        unsigned line = 0;
        cr_expect_not_null(read_toml(bad[i].text, &maps, &line), "%s", bad[i].text);
        cr_expect_eq(line, bad[i].line, "%s: line %u", bad[i].text, line);
    }
}

Test(maps, names_have_escapes)
{
    neutrino_maps maps;
    unsigned line;
    cr_assert_null(read_toml("[map.\"a\\tb\\n\\\"\\\\\\r\\b\\f\\u0041\"]\nlevel = 'warp'\nsize = 16   \r\n\n"
                             "[map.'c\\t']\nlevel = \"\"\"thread\"\"\"\nsize = 8\n",
                             &maps, &line));
    cr_assert_eq(maps.count, 2);
    static const char name[] = "a\tb\n\"\\\r\b\f\\u0041";
    cr_expect(maps.map[0].name.len == strlen(name) && memcmp(maps.map[0].name.ptr, name, strlen(name)) == 0);
    cr_expect(maps.map[1].name.len == 3 && memcmp(maps.map[1].name.ptr, "c\\t", 3) == 0, "literal");
    cr_expect_eq(maps.map[1].level, NEUTRINO_THREAD);
}
