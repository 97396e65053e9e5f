/* What records hold: probe definitions, kernel.info and --map. */
#include <criterion/criterion.h>
#include <stdio.h>
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

/* What a definition says, in one line: "name level bytes capacity fields; ". */
static const char *shown(const neutrino_maps *maps, char *out, size_t room)
{
    *out = 0;
    for (unsigned i = 0; i < maps->count; i++) {
        const neutrino_map *m = &maps->map[i];
        size_t len = strlen(out);
        snprintf(out + len, room - len, "%.*s %d %llu %llu %u; ", (int)m->name.len, m->name.ptr,
                 m->level == NEUTRINO_WARP     ? 32
                 : m->level == NEUTRINO_THREAD ? 1
                                               : 0,
                 (unsigned long long)m->bytes, (unsigned long long)m->capacity, m->fields);
    }
    return out;
}

/* Level 32: a record by warp, 1: by thread. */
Test(maps, keys_and_tables)
{
    static const struct {
        const char *text, *maps;
    } cases[] = {
        {"[map.M]\nsize = 65536\ncap = 3", "M 0 65536 3 0; "},
        {"[map.M]\nsize = '16'\ncap = '4'\nlevel = 'warp'", "M 32 16 4 0; "},
        {"[map.M]\nsize = 16\nnothing = 5\nother = 'x'\nlist = []", "M 0 16 0 0; "},
        {"[map.M.regs]\na = 'u32'\nb = ['u64', 'x']\n[map.M]\ncap = 2\n[map.M.regs]\nc = ['u32']", "M 0 16 2 3; "},
        {"[map.M]\nsize = 8\n[map.MM]\nsize = 16\n[map.N]\nsize = 32\n[map.M]\ncap = 9",
         "M 0 8 9 0; MM 0 16 0 0; N 0 32 0 0; "},
        {"[map]\nsize = 0\n[mop.M]\nsize = 0\nlevel = 5\n[map.M]\nsize = 8", "M 0 8 0 0; "},
        {"[map.M.regs.more]\nsize = 8\n[map.M.other]\ncap = 5", "M 0 8 5 0; "},
        {"[a.b]\ndatamodel = 'warp:8'\n[c]\ndatamodel = 'thread:65536:2147483647'\n[d]\ndatamodel = 'warp:4:'\n"
         "[e]\ndatamodel = 'warp:4:count'\n[f]\ndatamodel = 5",
         "b 32 8 1 0; c 1 65536 2147483647 0; d 32 4 1 0; e 32 4 0 0; "},
        /* Those whose fields are known by their names, where the size agrees. */
        {"[x_DMat_y]\ndatamodel = 'thread:16'\n[dma]\ndatamodel = 'thread:16'\n[DMAT]\ndatamodel = 'warp:24'\n"
         "[my_gmem]\ndatamodel = 'warp:8'",
         "x_DMat_y 1 16 1 2; dma 1 16 1 0; DMAT 32 24 1 0; my_gmem 32 8 1 2; "},
        {"[map.tensorop]\n[map.Progress]\nlevel = 'warp'\n[map.SAMPLE]\n[map.block_sched]\ncap = 1",
         "tensorop 1 8 0 1; Progress 32 8 0 1; SAMPLE 1 8 0 1; block_sched 32 16 1 3; "},
        {"[map.dmat]\nsize = 8\n[map.dmat.regs]\nx = 'u64'", "dmat 0 8 0 1; "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        neutrino_maps maps;
        unsigned line;
        char out[512];
        const char *fault = read_toml(cases[i].text, &maps, &line);
        cr_expect_null(fault, "%s: %s", cases[i].text, fault ? fault : "");
        cr_expect_str_eq(shown(&maps, out, sizeof out), cases[i].maps, "%s: %s", cases[i].text, out);
    }
}

Test(maps, faults_say_what_is_wrong)
{
    static const struct {
        const char *text, *fault;
    } cases[] = {
        {"[map.M]\nlevel = 'lane'", "the level of a map is neither warp nor thread"},
        {"[map.M]\nlevel = 1", "the level of a map is neither warp nor thread"},
        {"[map.M]\nsize = 0", "the size of a map is not a number above 0"},
        {"[map.M]\nsize = -8", "the size of a map is not a number above 0"},
        {"[map.M]\nsize = 'x'", "the size of a map is not a number above 0"},
        {"[map.M]\nsize = [8]", "the size of a map is not a number above 0"},
        {"[map.M]\ncap = 'x'", "the cap of a map is neither a number nor dynamic"},
        {"[map.M]\ncap = ['dynamic']", "the cap of a map is neither a number nor dynamic"},
        {"[map.M]\ncap = 1.5", "the cap of a map is neither a number nor dynamic"},
        {"[map.M]\nsize = 65537", "the bytes of a record are not given, or above 65536"},
        {"[map.M]\ncap = 1", "the bytes of a record are not given, or above 65536"},
        {"[map.M]\nsize = 4\n[map.M.regs]\na = 'u64'", "the fields are larger than the record"},
        {"[map.M.regs]\na = 'u16'", "the type of a field is neither u64 nor u32"},
        {"[map.M.regs]\na = []", "a field is not NAME = [TYPE, ...]"},
        {"[map.M.regs]\na = 5", "a field is not NAME = [TYPE, ...]"},
        {"[x]\ndatamodel = 'lane:8'", "a datamodel is not LEVEL:BYTES or LEVEL:BYTES:CAPACITY"},
        {"[x]\ndatamodel = 'warp:65537'", "a datamodel is not LEVEL:BYTES or LEVEL:BYTES:CAPACITY"},
        {"[x]\ndatamodel = 'warp:-1'", "a datamodel is not LEVEL:BYTES or LEVEL:BYTES:CAPACITY"},
        {"[x]\ndatamodel = 'warp:8:2147483648'", "the capacity of a datamodel is not a number"},
        {"[x]\ndatamodel = 'warp:0'", "the bytes of a record are not given, or above 65536"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        neutrino_maps maps;
        unsigned line;
        const char *fault = read_toml(cases[i].text, &maps, &line);
        cr_expect_str_eq(fault ? fault : "nothing", cases[i].fault, "%s: %s", cases[i].text, fault ? fault : "nothing");
    }
}

/* 32 fields and 64 maps; one more is too many. */
Test(maps, most_fields_and_maps)
{
    neutrino_maps maps;
    unsigned line;
    char text[4096] = "[map.M.regs]\n";
    for (int i = 0; i < 33; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "f%d = 'u32'\n", i);
        const char *fault = read_toml(text, &maps, &line);
        cr_expect_str_eq(fault ? fault : "", i < 32 ? "" : "there are more than 32 fields");
    }
    static const char *const forms[][2] = {{"[map.", "]\nsize = 4\n"}, {"[", "]\ndatamodel = 'warp:4'\n"}};
    for (int form = 0; form < 2; form++) {
        text[0] = 0;
        for (int i = 0; i < 65; i++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%sm%d%s", forms[form][0], i, forms[form][1]);
            const char *fault = i < 63 ? NULL : read_toml(text, &maps, &line);
            cr_expect_str_eq(fault ? fault : "", i < 64 ? "" : "there are more than 64 maps");
        }
    }
}

Test(maps, kinds_by_fields)
{
    static const char *const cases[][2] = {{"start=u64,elapsed=u32,cuid=u32", "block_sched"},
                                           {"smid=u32,elapsed=u32,start=u64", "block_sched"},
                                           {"start=u64,elapsed=u32", ""},
                                           {"start=u64,cuid=u32", ""},
                                           {"elapsed=u64,smid=u32", ""},
                                           {"clock=u64,addr=u64", "dmat"},
                                           {"addr=u64", ""},
                                           {"clock=u64,address=u64", ""},
                                           {"sync_bytes=u32,async_bytes=u32", "gmem_bytes"},
                                           {"sync_bytes=u32", ""},
                                           {"async_bytes=u32", ""},
                                           {"count=u64", "tensorop"},
                                           {"count=u64,x=u32", ""},
                                           {"clock=u64", "program_progress"},
                                           {"clock=u64,x=u32", ""},
                                           {"clock=u32", "program_progress"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        neutrino_map m;
        char text[100];
        snprintf(text, sizeof text, "m:warp:%s", cases[i][0]);
        cr_assert_null(pf_neutrino_map_of_option((pf_str){text, strlen(text)}, &m), "%s", text);
        cr_expect_str_eq(pf_neutrino_kind(&m), cases[i][1], "%s", text);
    }
}

Test(maps, limits_of_options_and_kernel_infos)
{
    static const struct {
        const char *text, *fault; /* NULL: none */
        uint64_t bytes, capacity;
    } options[] = {{"m:thread:a=u32", NULL, 4, 0},
                   {"m:thread:a=u32:dynamic", NULL, 4, 0},
                   {"m:thread:a=u32,b=u64:2147483647", NULL, 12, 2147483647},
                   {"m:thread:a=u32:2147483648", "has a capacity that is neither a number nor 'dynamic'", 0, 0},
                   {"m:thread:a=u32:", NULL, 4, 0},
                   {":thread:a=u32", "is not NAME:LEVEL:FIELD=TYPE,...[:CAPACITY] with a level warp or thread", 0, 0},
                   {"m:thread:a=u32,,b=u32", "a field has no name", 0, 0},
                   {"m:thread:a=u32,b=u8,c=u32", "the type of a field is neither u64 nor u32", 0, 0},
                   {"m:thread", "the bytes of a record are not given, or above 65536", 0, 0},
                   {"gmem:thread", NULL, 8, 0}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        neutrino_map m;
        const char *fault = pf_neutrino_map_of_option((pf_str){options[i].text, strlen(options[i].text)}, &m);
        cr_expect_str_eq(fault ? fault : "", options[i].fault ? options[i].fault : "", "%s: %s", options[i].text,
                         fault ? fault : "");
        cr_expect(fault || (m.bytes == options[i].bytes && m.capacity == options[i].capacity), "%s", options[i].text);
    }
    static const struct {
        const char *text, *fault;
        int64_t params;
        unsigned sections;
    } infos[] = {{"f\r\n2147483647\r\n1\r\n1,16\r\n", NULL, 2147483647, 1},
                 {"f\n0\n0", NULL, 0, 0},
                 {"f\n1", "fewer than three lines", 0, 0},
                 {"f\n2147483648\n0\n", "lines two and three are not counts", 0, 0},
                 {"f\n-1\n0\n", "lines two and three are not counts", 0, 0},
                 {"f\n1\n65\n", "lines two and three are not counts", 0, 0},
                 {"f\n1\n64\n", "a line for a section is missing", 0, 0},
                 {"f\n1\n2\n1,8\n0,9\n5\n", NULL, 1, 2},
                 {"f\n1\n2\n3,8\n0,9\n", "a section is not LEVEL,SIZE with a level 0 or 1", 0, 0},
                 {"f\n1\n1\n1,-2\n", "a section is not LEVEL,SIZE with a level 0 or 1", 0, 0},
                 {"f\n1\n1\n1,\n", "a section is not LEVEL,SIZE with a level 0 or 1", 0, 0}};
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        neutrino_kernel k;
        const char *fault = pf_neutrino_kernel_info((pf_str){infos[i].text, strlen(infos[i].text)}, &k);
        cr_expect_str_eq(fault ? fault : "", infos[i].fault ? infos[i].fault : "", "%s: %s", infos[i].text,
                         fault ? fault : "");
        cr_expect(fault || (k.params == infos[i].params && k.maps.count == infos[i].sections), "%s", infos[i].text);
        cr_expect(fault || (k.name.len == 1 && k.name.ptr[0] == 'f'), "%s", infos[i].text);
    }
}
