/* test_run.c - a run directory and a tree made by hand, with every kind of line and file: all cells of their tables. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "../../scratch.h"
#include "../../shown_args.h"
#include "postfetto/postfetto.h"

TestSuite(run, .init = scratch_enter, .fini = scratch_leave);

static void put_bytes(const char *path, const void *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f, "%s", path);
    cr_assert_eq(fwrite(bytes, 1, len, f), len);
    cr_assert_eq(fclose(f), 0);
}

static void put(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

static void make_folders(const char *const *paths)
{
    for (; *paths; paths++) {
        cr_assert_eq(mkdir(*paths, 0777), 0, "%s", *paths);
    }
}

static pf_trace *read_input(const char *path)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err;
    o.want |= PF_WANT_RECORDS;
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    return t;
}

/* ---- tables as text ---------------------------------------------------------------------------------------------- */

static void put_cell(FILE *out, const pf_trace *t, const pf_side_table *s, unsigned c, uint32_t row)
{
    pf_str text;
    switch (s->spec->columns[c].type) {
    case PF_COLUMN_INT:
        *pf_side_number(s, c, row) == INT64_MIN ? fputs("-", out)
                                                : fprintf(out, "%lld", (long long)*pf_side_number(s, c, row));
        break;
    case PF_COLUMN_REAL:
        isnan(*pf_side_real(s, c, row)) ? fputs("-", out) : fprintf(out, "%g", *pf_side_real(s, c, row));
        break;
    case PF_COLUMN_TEXT:
        text = pf_trace_string(t, *pf_side_ref(s, c, row));
        fprintf(out, "%.*s", text.ptr ? (int)text.len : 1, text.ptr ? text.ptr : "-");
        break;
    case PF_COLUMN_BLOB:
        fprintf(out, "%zu bytes", pf_side_blob(s, c, row)->len);
        break;
    case PF_COLUMN_ROW:
        *pf_side_ref(s, c, row) == PF_NONE ? fputs("-", out) : fprintf(out, "#%u", *pf_side_ref(s, c, row));
        break;
    }
}

/* The rows, cells separated by bars: "-" is NULL, "#3" row 3 of another table. */
static void expect_table(const pf_trace *t, const char *name, const char *expected)
{
    const pf_side_table *s = pf_trace_table(t, name);
    char *text;
    size_t len;
    cr_assert_not_null(s, "%s", name);
    FILE *out = open_memstream(&text, &len);
    for (uint32_t row = 0; row < s->count; row++) {
        for (unsigned c = 0; c < s->spec->column_count; c++) {
            fputs(c ? "|" : "", out);
            put_cell(out, t, s, c, row);
        }
        fputs("\n", out);
    }
    fclose(out);
    cr_expect_str_eq(text, expected, "%s:\n%s", name, text);
    free(text);
}

/* Of each launch its kernel, ts, params, status, code, three times and file; no launch has a shape. */
static void expect_launches(const pf_trace *t, const char *expected)
{
    static const char *const columns[] = {"kernel",      "ts",        "params",      "status", "code",
                                          "prologue_ms", "kernel_ms", "epilogue_ms", "file"};
    const pf_side_table *s = pf_trace_table(t, "neutrino_launch");
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    for (uint32_t row = 0; row < s->count; row++) {
        for (unsigned c = 0; c < sizeof columns / sizeof *columns; c++) {
            fputs(c ? "|" : "", out);
            put_cell(out, t, s, pf_side_column_named(s, columns[c]), row);
        }
        fputs("\n", out);
        cr_expect_eq(*pf_side_number(s, pf_side_column_named(s, "grid_x"), row), INT64_MIN, "launch %u", row);
        cr_expect_eq(*pf_side_number(s, pf_side_column_named(s, "probe_mem"), row), INT64_MIN, "launch %u", row);
        cr_expect_eq(*pf_side_number(s, pf_side_column_named(s, "counted"), row), INT64_MIN, "launch %u", row);
    }
    fclose(out);
    cr_expect_str_eq(text, expected, "%s", text);
    free(text);
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static const char log_text[] = "no tag at all\n"
                               "[exec\n"
                               "[init] pid 77\n"
                               "[init] cmd 12  run --all x \r\n"
                               "[init] success\n"
                               "[exec] succeed 0\n"
                               "[benchmark] prologue 9 kernel 9\n"
                               "[count] size: 9\n"
                               "[mem] cuMemAlloc_v2 0 dptr 10 bytesize 100\n"
                               "[mem] cuMemAlloc_v2 2 dptr 20 bytesize 50\n"
                               "[mem] cuMemFree_v2 zero dptr 20\n"
                               "[probe] rename k one bin here 0_a\n"
                               "[probe] find 0xa name k one bin here bin 0x7e00 size 4096\n"
                               "[exec] funcmap-find 0xa success\n"
                               "[exec] 1000 param ff 0 10\n"
                               "[exec] 2000 other\n"
                               "[exec] grid 2 3 4 block 5 6 7 shared 8\n"
                               "[exec] grid 24 warp  4 probe 16 total 10112\n"
                               "[exec] probe-mem 640 (bytes)\n"
                               "[count] size: 11\n"
                               "[exec] succeed 0\n"
                               "[exec] save some where/result/0.5.bin size 1000\n"
                               "[exec] prologue 0.5 kernel 2 epilogue 0.25 ratio 3\n"
                               "[mem] cuMemFree 0 dptr 10\n"
                               "[mem] cuMemFree 0 dptr 30\n"
                               "[mem] cuMemAlloc 0 dptr 40 bytesize 7\n"
                               "[mem] cuMemFree 1 dptr 40\n"
                               "[exec] funcmap-find 0xb fail\n"
                               "[exec] backup 1 1 1 block 32 1 1 shared 0\n"
                               "[jit] finish 0xb name second n_param 2\n"
                               "[exec] funcmap-not-find 0xc\n"
                               "[exec] funcmap-find 0xb success\n"
                               "[exec] 5000000 param\n"
                               "[exec] grid 1 1 1 block 1 1 1 shared 0\n"
                               "[exec] failed 700\n"
                               "[exec] backup 9 9 9 block 9 9 9 shared 9\n"
                               "[benchmark] prologue 1 kernel 2 epilogue 3 original 4 impact 0.5\n"
                               "[mem] cuMemFree 0 dptr 40\n";

static void make_run(void)
{
    /* A block of 33 threads, so two warps; layout v1: 16 bytes a unit. Start 5, elapsed 7, SM 3; the second is unused.
     */
    static const uint8_t trace[80] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,  33, 0, 0, 0, 1, 0, 0, 0,  1,
                                      0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 16, 0,  0, 0, 0, 0, 0, 0, 48, 0,
                                      0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0,  0,  0, 7, 0, 0, 0, 3};
    make_folders((const char *const[]){"run", "run/kernel", "run/kernel/0_a", "run/kernel/1_b", "run/kernel/2_c",
                                       "run/result", "run/result/0.9.bin", NULL});
    put("run/event.log", log_text);
    put("run/kernel/a_file", "");
    put("run/kernel/0_a/kernel.info", "k one bin here\n3\n1\n1,16\nread.py\n");
    put("run/kernel/0_a/process.log", "ptxas info    : Used 11 registers\n"
                                      "ptxas -v x/probed.ptx\n"
                                      "ptxas info    : Used 40 registers, 380 bytes\n"
                                      "ptxas -v x/pruned.ptx\n"
                                      "ptxas info    : Used 24 registers\n"
                                      "ptxas info    : Used 99 registers\n"
                                      "ptxas -v x/other.ptx\n"
                                      "ptxas info    : Used 98 registers\n");
    put("run/kernel/1_b/process.log", "ptxas info    : Compiling entry function '_Z1fv' for 'sm_80'\n"
                                      "ptxas info    : Compiling entry function '_Z1gv' for 'sm_80'\n");
    put("run/kernel/2_c/kernel.info", "x\n1\n");
    put("run/tensor.trace", "[note]  1\n"
                            "[call]  12  [2, 3]  24  4096  w  f x  a.py:3  more\n"
                            "[call]  13  []  none  0  v\n");
    put_bytes("run/result/0.5.bin", trace, sizeof trace);
    put("run/result/note.txt", "no trace");
}

Test(run, tables_of_a_run_directory)
{
    make_run();
    pf_trace *t = read_input("run");
    expect_table(t, "neutrino_launch",
                 "#0|k one bin here|1000|2|3|4|5|6|7|8|[255,0,16]|640|11|ok|-|0.5|2|0.25|-|-|some where/result/0.5.bin|"
                 "k one bin here|1000|0\n"
                 "#0|-|-|1|1|1|32|1|1|0|-|-|-|backup|-|-|-|-|-|-|-|-|2751000|4\n"
                 "#0|second|5000000|1|1|1|1|1|1|0|[]|-|-|failed|700|1|2|3|4|0.5|-|second|5000000|5\n");
    expect_table(t, "neutrino_memory",
                 "#0|cuMemAlloc_v2|0|16|100|100|#0\n"
                 "#0|cuMemAlloc_v2|2|32|50|100|#0\n"
                 "#0|cuMemFree|0|16|100|0|#1\n"
                 "#0|cuMemFree|0|48|-|0|#1\n"
                 "#0|cuMemAlloc|0|64|7|7|#1\n"
                 "#0|cuMemFree|1|64|7|7|#1\n"
                 "#0|cuMemFree|0|64|7|0|-\n");
    expect_table(t, "neutrino_kernel",
                 "#0|kernel/0_a|k one bin here|3|1|40|24|k one bin here\n"
                 "#0|kernel/1_b|_Z1fv|-|-|-|-|f()\n"
                 "#0|kernel/2_c|x|-|-|-|-|x\n");
    expect_table(t, "neutrino_tensor",
                 "#0|12|[2, 3]|24|4096|w|f x|a.py:3  more\n"
                 "#0|13|[]|-|0|v||\n");
    expect_table(t, "neutrino_trace", "#0|#0|run/result/0.5.bin|0.5|v1|32|80|1|1|1|33|1|1|0|1\n");
    expect_table(t, "neutrino_section", "#0|0|block_sched|block_sched|warp|2|2|16|16|1|48|48|2|32 bytes\n");
    expect_table(t, "neutrino_field", "#0|start|0|8\n#0|elapsed|8|4\n#0|cuid|12|4\n");
    expect_table(t, "neutrino_block", "#0|0|0|0|0|5|7|3|1\n");
    expect_table(t, "neutrino_fault",
                 "run/kernel/2_c|kernel.info|0|fewer than three lines\n"
                 "run/result/0.5.bin|section 0 map|0|is in no probe definition; taken for block_sched; say --map if it "
                 "is not\n");
    const pf_side_table *run = pf_trace_table(t, "neutrino_run");
    uint32_t process = *pf_side_ref(run, pf_side_column_named(run, "process"), 0);
    cr_expect_eq(pf_trace_processes(t)->pid[process], 77);
    cr_expect_str_eq(pf_trace_string(t, pf_trace_processes(t)->name[process]).ptr, "run --all x");
    char expected[64];
    snprintf(expected, sizeof expected, "run|77|run --all x|cuda|kernel.info|#%u\n", process);
    expect_table(t, "neutrino_run", expected);
    pf_trace_free(t);
}

Test(run, launches_on_the_timeline)
{
    static const struct {
        const char *name;
        int64_t ts, dur;
    } slices[] = {{"k one bin here", 1000, 2750000}, {"prologue", 1000, 500000},   {"kernel", 501000, 2000000},
                  {"epilogue", 2501000, 250000},     {NULL, 2751000, 0},           {"second", 5000000, 6000000},
                  {"prologue", 5000000, 1000000},    {"kernel", 6000000, 2000000}, {"epilogue", 8000000, 3000000}};
    static const struct {
        const char *name;
        int64_t ts;
        double value;
    } samples[] = {{"allocated device memory", 1000, 100},
                   {"probe memory (bytes)", 1000, 640},
                   {"allocated device memory", 2751000, 7},
                   {"probe memory (bytes)", 2751000, 0}};
    make_run();
    pf_trace *t = read_input("run");
    const pf_slices *s = pf_trace_slices(t);
    const pf_counters *k = pf_trace_counters(t);
    const pf_tracks *tr = pf_trace_tracks(t);
    cr_assert_eq(s->count, sizeof slices / sizeof *slices);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str name = pf_trace_string(t, pf_slice_name(s, i));
        cr_expect(slices[i].name ? name.ptr && strcmp(name.ptr, slices[i].name) == 0 : !name.ptr, "slice %u", i);
        cr_expect_eq(pf_slice_ts(s, i), slices[i].ts, "slice %u", i);
        cr_expect_eq(s->dur[i], slices[i].dur, "slice %u", i);
        cr_expect_eq(s->depth[i], slices[i].name && strstr("prologue kernel epilogue", slices[i].name) ? 1 : 0);
    }
    cr_assert_eq(k->count, sizeof samples / sizeof *samples);
    for (uint32_t i = 0; i < k->count; i++) {
        bool found = false; /* samples of one time come in any order */
        for (size_t j = 0; j < k->count; j++) {
            const char *name = pf_trace_string(t, tr->name[k->track[i]]).ptr;
            found |= k->ts[i] == samples[j].ts && k->value[i] == samples[j].value && strcmp(name, samples[j].name) == 0;
        }
        cr_expect(found, "sample %u", i);
        cr_expect_str_eq(pf_trace_string(t, tr->unit[k->track[i]]).ptr, "bytes");
    }
    pf_trace_free(t);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void expect_args(const pf_trace *t, uint32_t event, const char *expected)
{
    pf_buffer got = {0};
    show_args(t, event, &got);
    pf_buffer_put(&got, "", 1);
    cr_expect_str_eq((const char *)got.data, expected);
    pf_buffer_free(&got);
}

Test(run, arguments_of_launches)
{
    make_run();
    pf_trace *t = read_input("run");
    expect_args(t, 0,
                " args.status='ok' args.grid[ -=2 -=3 -=4 . args.block[ -=5 -=6 -=7 . args.shared=8"
                " args.params[ -=255 -=0 -=16 . args.probe_mem=640 args.prologue_ms=0.5 real args.kernel_ms=2 real"
                " args.epilogue_ms=0.25 real");
    expect_args(t, 4, " args.status='backup' args.grid[ -=1 -=1 -=1 . args.block[ -=32 -=1 -=1 . args.shared=0");
    expect_args(t, 5,
                " args.status='failed' args.grid[ -=1 -=1 -=1 . args.block[ -=1 -=1 -=1 . args.shared=0 args.params[ ."
                " args.code=700 args.prologue_ms=1 real args.kernel_ms=2 real args.epilogue_ms=3 real"
                " args.original_ms=4 real args.impact=0.5 real");
    pf_trace_free(t);
}

/* ---- other inputs ------------------------------------------------------------------------------------------------ */

Test(run, a_log_of_the_artifact_on_its_own)
{
    put("event.log", "[pid] 5\n"
                     "[cmd] 3 abc\n"
                     "[mem] hipMalloc 0 dptr 10 bytesize 30\n"
                     "[mem] hipMalloc 0 dptr 20 bytesize 12\n"
                     "[mem] hipFree 0 dptr 10\n"
                     "[mem] hipFree 0 dptr 10\n");
    pf_trace *t = read_input("event.log");
    const pf_side_table *run = pf_trace_table(t, "neutrino_run");
    char expected[64];
    snprintf(expected, sizeof expected, "event.log|5|abc|hip|-|#%u\n",
             *pf_side_ref(run, pf_side_column_named(run, "process"), 0));
    expect_table(t, "neutrino_run", expected);
    expect_table(t, "neutrino_memory",
                 "#0|hipMalloc|0|16|30|30|-\n"
                 "#0|hipMalloc|0|32|12|42|-\n"
                 "#0|hipFree|0|16|30|12|-\n"
                 "#0|hipFree|0|16|30|0|-\n");
    pf_trace_free(t);
}

/* Lines that say less than they should, or another thing: what they say is left out, the launch goes on. */
Test(run, lines_of_a_log_that_are_odd)
{
    put("event.log", "[init] pid 5\n"
                     "[init] pid none\n"
                     "[init] cmd x run\n"
                     "[cmd] 3 artifact\n"
                     "[pidx] 9\n"
                     "xexec] funcmap-find 0xa\n"
                     " [exec] funcmap-find 0xa\n"
                     "\n"
                     "]exec] funcmap-find 0xa\n"
                     "[exec] funcmap-find zz\n"
                     "[exec] grid 9 9 9 block 9 9 9 shared 9\n"
                     "[jit] finish zz name q n_param 1\n"
                     "[jit] finish 0xa nome q n_param 1\n"
                     "[jit] finish 0xc name to the end \n"
                     "[jit] finish 0xd name n_param 3\n"
                     "[probe] find 0xe name bin bin 1\n"
                     "[exec] funcmap-find 0xa\n"
                     "[exec] 12x param ff\n"
                     "[exec] 7 params ff\n"
                     "[exec] probe-mem lots\n"
                     "[exec] grid 1 2 3 blocked 4 5 6 shared 7\n"
                     "[exec] grid 1 2 3 block 4 5 6 share 7\n"
                     "[exec] grid 1 2 x block 4 5 6 shared 7\n"
                     "[exec] save no size\n"
                     "[exec] save size 5\n"
                     "[exec] unknown 5\n"
                     "[count] size 5\n"
                     "[count] size: x\n"
                     "[exec] prologue x kernel 2 epilogue 3\n"
                     "[exec] failed\n"
                     "[exec] funcmap-find 0xc\n"
                     "[exec] prologue 1 colonel 2 epilogue 3\n"
                     "[exec] 8 param ff zz 1\n"
                     "[exec] save a size b size 5 \n"
                     "[exec] funcmap-find 0xd\n"
                     "[exec] funcmap-find 0xe\n"
                     "[exec] funcmap-find 0xf\n"
                     "[mem] cuMemAlloc 0 dptr zz bytesize 4\n"
                     "[mem] cuMemAlloc 0 addr 4 bytesize 4\n"
                     "[mem] cuMemAlloc x dptr 4 bytesize 4\n"
                     "[mem] cuMemAlloc 0 dptr 50 bytesize\n"
                     "[mem] cuMemAlloc 0 dptr 51 bytesize -3\n"
                     "[mem] cuMemAlloc 0 dptr 52 size 3\n"
                     "[mem] cuMemAlloc 0 dptr 53 bytesize 0\n"
                     "[mem] hi 0 dptr 54 bytesize 6\n");
    pf_trace *t = read_input("event.log");
    const pf_side_table *run = pf_trace_table(t, "neutrino_run");
    char expected[64];
    snprintf(expected, sizeof expected, "event.log|5|artifact|cuda|-|#%u\n",
             *pf_side_ref(run, pf_side_column_named(run, "process"), 0));
    expect_table(t, "neutrino_run", expected);
    expect_table(t, "neutrino_memory",
                 "#0|cuMemAlloc|0|80|-|0|-\n"
                 "#0|cuMemAlloc|0|81|-|0|-\n"
                 "#0|cuMemAlloc|0|82|-|0|-\n"
                 "#0|cuMemAlloc|0|83|0|0|-\n"
                 "#0|hi|0|84|6|6|-\n");
    expect_launches(t, "-|-|-|failed|-|-|2|3|-\n"
                       "to the end|8|[255]|-|-|1|-|-|a size b\n"
                       "n_param 3|-|-|-|-|-|-|-|-\n"
                       "bin|-|-|-|-|-|-|-|-\n"
                       "-|-|-|-|-|-|-|-|-\n");
    pf_trace_free(t);
}

Test(run, loose_files_of_a_tree)
{
    /* One page (number 5), one clock (8) with one entry: page 5, 6 times; two bytes to spare. */
    static const uint8_t dmat[16 + 8 + 16 + 12 + 2] = {
        [0] = 1, [8] = 1, [16] = 5, [24] = 8, [32] = 1, [40] = 5, [48] = 6, [52] = 9, [53] = 9};
    make_folders((const char *const[]){"tree", "tree/a", "tree/b", "tree/b/c", NULL});
    put_bytes("tree/a/x.dmat", dmat, sizeof dmat);
    put("tree/a/unknown", "?");
    put("tree/a/stdout.log", "hello\nmax memory:\nmax memory: 4 of 123  \nmax memory: 9\n");
    put("tree/b/stdout.log", "nothing of memory\n");
    put("tree/b/c/latency.csv", "kernel,probe,original,ncu,neutrino,prologue,epilogue\n"
                                "5,p one,1,2,3,4,6\n"
                                ",second,1.5,x,3,4,6\n");
    pf_trace *t = read_input("tree");
    expect_table(t, "neutrino_page", "tree/a/x.dmat|8|5|6\n");
    expect_table(t, "neutrino_stdout", "tree/a|123\ntree/b|-\n");
    expect_table(t, "neutrino_latency",
                 "tree/b/c/latency.csv|p one|1|2|3|4|5|6\n"
                 "tree/b/c/latency.csv|second|1.5|-|3|4|-|6\n");
    expect_table(t, "neutrino_fault",
                 "tree/a/x.dmat|end|0|2 trailing bytes after the last clock\n"
                 "tree/b/c/latency.csv|ncu|0|'x' is not a number\n"
                 "tree/b/c/latency.csv|kernel|0|'' is not a number\n");
    pf_trace_free(t);
}

/* Cut after each byte of a file of pages: what is complete before the cut is kept, and one fault says where it ends. */
Test(run, files_of_pages_that_are_cut)
{
    static const uint8_t dmat[16 + 8 + 16 + 12] = {[0] = 1, [8] = 1, [16] = 5, [24] = 8, [32] = 1, [40] = 5, [48] = 6};
    for (size_t len = 0; len < sizeof dmat; len++) {
        const char *path = "x.dmat";
        pf_read_options o = pf_read_options_default();
        pf_trace *t = NULL;
        pf_error err;
        put_bytes(path, dmat, len);
        cr_expect_eq(pf_read(&path, 1, &o, &t, &err), PF_ERR_INPUT, "%zu bytes", len);
        const char *field = len == 0   ? ""
                            : len < 16 ? "numPages"
                            : len < 24 ? "numPages"
                            : len < 40 ? "numClocks"
                                       : "clock";
        cr_expect_not_null(strstr(err.text, field), "%zu bytes: %s", len, err.text);
        pf_trace_free(t);
    }
}

/* ---- definitions on their own, and sections that no definition says ---------------------------------------------- */

Test(run, definitions_on_their_own)
{
    make_folders((const char *const[]){"a", "b", NULL});
    put("a/probe.toml", "[map.M]\nlevel = \"thread\"\nsize = 24\ncap = 3\n[map.M.regs]\na = [\"u64\"]\nb = [\"u32\"]\n"
                        "[map.N]\nlevel = \"warp\"\nsize = 8\ncap = \"dynamic\"\n");
    pf_trace *t = read_input("a/probe.toml");
    expect_table(t, "neutrino_map", "#0|M|thread|24|3|a=u64,b=u32\n#0|N|warp|8|-|-\n");
    pf_trace_free(t);
    put("b/kernel.info", "name of it\n2\n1\n0,-1\n");
    t = read_input("b/kernel.info");
    expect_table(t, "neutrino_kernel", "#0|b/kernel.info|name of it|2|1|-|-|name of it\n");
    pf_trace_free(t);
    pf_read_options o = pf_read_options_default();
    pf_error err;
    const char *paths[] = {"a/probe.toml", "b/kernel.info"};
    put("a/probe.toml", "[map.M]\nsize = 0\n");
    put("b/kernel.info", "x\n");
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(pf_read(&paths[i], 1, &o, &t, &err), PF_ERR_INPUT);
        cr_expect_not_null(strstr(err.text, i ? "fewer than three lines" : "line 2: the size"), "%s", err.text);
    }
}

static void put_word(FILE *f, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        fputc((int)(v >> 8 * i & 0xff), f);
    }
}

/* One block of one warp, layout v2, one section of units of `unit` bytes (lanes 1: threads), all bytes 1. */
static void put_trace(const char *path, uint32_t threads, uint32_t unit, uint32_t lanes)
{
    FILE *f = fopen(path, "wb");
    const uint32_t words[8] = {1, 1, 1, threads, 1, 1, 0, 1};
    for (unsigned i = 0; i < 8; i++) {
        put_word(f, words[i], 4);
    }
    put_word(f, unit, 4);
    put_word(f, lanes, 4);
    put_word(f, 48, 8);
    for (uint32_t i = 0; i < unit * (lanes == 1 ? threads : 1); i++) {
        fputc(1, f);
    }
    fclose(f);
}

Test(run, sections_that_nothing_describes)
{
    static const struct {
        uint32_t unit, lanes;
        const char *section;
    } cases[] = {{16, 32, "#0|0|block_sched|block_sched|warp|1|1|16|16|1|48|48|1|16 bytes\n"},
                 {8, 1, "#0|0|GMEMBytes|gmem_bytes|thread|2|2|8|8|1|48|48|2|16 bytes\n"},
                 {1024, 1, "#0|0|Sample|program_progress|thread|2|2|1024|8|128|48|48|2|2048 bytes\n"},
                 {48, 1, "#0|0|DMAT|dmat|thread|2|2|48|16|3|48|48|2|96 bytes\n"},
                 {24, 1, "#0|0|Sample|program_progress|thread|2|2|24|8|3|48|48|2|48 bytes\n"},
                 {24, 32, "#0|0|words||warp|1|1|24|8|3|48|48|1|24 bytes\n"},
                 {12, 32, "#0|0|words||warp|1|1|12|4|3|48|48|1|12 bytes\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_trace("0.5.bin", 2, cases[i].unit, cases[i].lanes);
        pf_trace *t = read_input("0.5.bin");
        expect_table(t, "neutrino_section", cases[i].section);
        if (cases[i].unit == 12) {
            expect_table(t, "neutrino_value",
                         "#0|0|0|0|word|16843009\n#0|0|0|1|word|16843009\n#0|0|0|2|word|16843009\n");
        } else if (cases[i].unit == 24 && cases[i].lanes == 1) {
            expect_table(t, "neutrino_sample",
                         "#0|0|0|0|72340172838076673\n#0|0|0|1|72340172838076673\n#0|0|0|2|72340172838076673\n"
                         "#0|0|1|0|72340172838076673\n#0|0|1|1|72340172838076673\n#0|0|1|2|72340172838076673\n");
        }
        pf_trace_free(t);
    }
}

/* A definition that says otherwise than the trace: notes, or an error where records cannot be. */
Test(run, definitions_that_the_trace_contradicts)
{
    make_folders((const char *const[]){"r", "r/result", NULL});
    put_trace("r/result/0.5.bin", 2, 16, 1);
    put("r/probe.toml", "[map.M]\nlevel = \"warp\"\nsize = 8\ncap = 2\n[map.M.regs]\na = [\"u64\"]\n");
    pf_trace *t = read_input("r");
    expect_table(t, "neutrino_fault",
                 "r/result/0.5.bin|section 0 map|0|the probe definition says warp, the section header thread, which "
                 "counts\n");
    pf_trace_free(t);
    put("r/probe.toml", "[map.M]\nlevel = \"thread\"\nsize = 8\ncap = 3\n");
    t = read_input("r");
    expect_table(t, "neutrino_fault",
                 "r/result/0.5.bin|section 0 map|0|the probe definition says 3 records, there are 2\n");
    expect_table(t, "neutrino_field", "#0|word|0|8\n");
    pf_trace_free(t);
    put("r/probe.toml", "[map.M]\nlevel = \"thread\"\nsize = 12\n");
    pf_read_options o = pf_read_options_default();
    const char *path = "r";
    pf_error err;
    cr_expect_eq(pf_read(&path, 1, &o, &t, &err), PF_ERR_INPUT);
    cr_expect_not_null(strstr(err.text, "section 0 size: is not a multiple of the bytes of a record"), "%s", err.text);
}
