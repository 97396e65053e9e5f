/* test_refused_commands.c - commands that are refused memory, by the system or by --max-memory: see commands.h. */
#include <criterion/criterion.h>

#include "../../scratch.h"
#include "../../shared.h"
#include "commands.h"

#define AIE PF_FIXTURES "/aie_small.json.gz"
#define SHAPE "--M", "64", "--K", "64", "--N", "64", "--row", "2", "--col", "2", "--warmup", "1", "--iterations", "2"
#define OUTPUTS "--report", "out", "-o", "out/enriched.pftrace"
#define ONE "--jobs", "1"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A host with launches, operators and steps, and a device with kernels on two streams, copies and collectives. `slower`
 * microseconds are added to each kernel. */
static void write_gpu(const char *path, int rank, int slower)
{
    FILE *f = fopen(path, "w");
    fprintf(f,
            "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"G\",\"numSms\":10}],\"distributedInfo\":"
            "{\"rank\":%d,\"backend\":\"nccl\",\"world_size\":2},\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"GPU 0\"}}",
            rank);
    for (int i = 0; i < 8; i++) {
        int at = i * 100;
        if (i % 2 == 0) {
            fprintf(f,
                    ",\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":100,\"tid\":1,"
                    "\"ts\":%d,\"dur\":200,\"args\":{}}",
                    i / 2, at);
        }
        fprintf(f,
                ",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":100,\"tid\":1,\"ts\":%d,\"dur\":30,"
                "\"args\":{\"External id\":%d,\"Input Dims\":[[4,%d],[8,2]]}}",
                at + 1, i + 1, i % 3);
        fprintf(
            f,
            ",\n{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":100,\"tid\":1,\"ts\":%d,"
            "\"dur\":5,\"args\":{\"correlation\":%d}}",
            at + 10, i + 1);
        fprintf(f, ",\n{\"ph\":\"s\",\"cat\":\"ac2g\",\"id\":%d,\"name\":\"ac2g\",\"pid\":100,\"tid\":1,\"ts\":%d}",
                i + 1, at + 10);
        fprintf(
            f,
            ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"void gemm<%d>(float*)\",\"pid\":0,\"tid\":%d,\"ts\":%d,"
            "\"dur\":%d,\"args\":{\"device\":0,\"stream\":%d,\"correlation\":%d,\"External id\":%d,\"grid\":[%d,1,1],"
            "\"block\":[128,1,1],\"est. achieved occupancy %%\":%d}}",
            i, 7 + i % 2, at + 20, 40 + i + slower, 7 + i % 2, i + 1, i + 1, i + 3, 40 + i);
        fprintf(f,
                ",\n{\"ph\":\"f\",\"cat\":\"ac2g\",\"id\":%d,\"name\":\"ac2g\",\"pid\":0,\"tid\":%d,\"ts\":%d,\"bp\":"
                "\"e\"}",
                i + 1, 7 + i % 2, at + 20);
        if (i % 4 == 1) {
            fprintf(f,
                    ",\n{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> Device)\",\"pid\":0,"
                    "\"tid\":9,\"ts\":%d,\"dur\":10,\"args\":{\"device\":0,\"stream\":9,\"bytes\":4096}}",
                    at + 50);
            fprintf(
                f,
                ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32\",\"pid\":0,\"tid\":20,"
                "\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":20,\"Collective name\":\"allreduce\","
                "\"In msg nelems\":1024,\"dtype\":\"Float\",\"Group size\":2,\"Process Group Name\":\"0\"}}",
                at + 70 + rank, 15 + slower);
        }
        fprintf(
            f,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":100,\"tid\":1,"
            "\"ts\":%d,\"args\":{\"Total Allocated\":%d,\"Device Type\":1,\"Device Id\":0,\"Bytes\":%d,\"Addr\":%d,"
            "\"Total Reserved\":9000}}",
            at + 3, 1000 + i, i % 2 ? -64 : 64, i / 2);
    }
    fputs("\n]}\n", f);
    fclose(f);
}

/* Events of all kinds that Chrome JSON has. */
static const char kinds[] =
    "{\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"host\"}},\n"
    "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"tid\":1,\"args\":{\"labels\":\"a,b\"}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"w\\u00f6rker \\\"2\\\"\"}},\n"
    "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":2,\"args\":{\"sort_index\":3}},\n"
    "{\"ph\":\"B\",\"name\":\"outer\",\"cat\":\"a,b\",\"pid\":1,\"tid\":2,\"ts\":1,\"tts\":1,\"cname\":\"good\",\"sf\":"
    "7,"
    "\"args\":{\"n\":1,\"real\":0.25,\"text\":\"x\",\"deep\":{\"list\":[1,{\"k\":true},null,\"\"]},\"big\":"
    "18446744073709551616}},\n"
    "{\"ph\":\"X\",\"name\":\"inner\",\"cat\":\"a\",\"pid\":1,\"tid\":2,\"ts\":2.5,\"dur\":3.125,\"stack\":[\"f\","
    "\"g\"]},\n"
    "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":9,\"args\":{\"late\":2}},\n"
    "{\"ph\":\"i\",\"s\":\"p\",\"name\":\"instant\",\"pid\":1,\"tid\":2,\"ts\":4},\n"
    "{\"ph\":\"I\",\"s\":\"g\",\"name\":\"global\",\"pid\":1,\"tid\":2,\"ts\":5},\n"
    "{\"ph\":\"C\",\"name\":\"memory\",\"id\":\"0x1\",\"pid\":1,\"tid\":2,\"ts\":6,\"args\":{\"used\":7,\"free\":8.5}},"
    "\n"
    "{\"ph\":\"b\",\"name\":\"async\",\"cat\":\"net\",\"id\":\"0x10\",\"pid\":1,\"tid\":2,\"ts\":7},\n"
    "{\"ph\":\"n\",\"name\":\"step\",\"cat\":\"net\",\"id\":\"0x10\",\"pid\":1,\"tid\":2,\"ts\":8},\n"
    "{\"ph\":\"e\",\"name\":\"async\",\"cat\":\"net\",\"id\":\"0x10\",\"pid\":1,\"tid\":2,\"ts\":9},\n"
    "{\"ph\":\"b\",\"name\":\"local\",\"cat\":\"net\",\"id2\":{\"local\":\"l\"},\"pid\":1,\"tid\":2,\"ts\":7},\n"
    "{\"ph\":\"e\",\"name\":\"local\",\"cat\":\"net\",\"id2\":{\"local\":\"l\"},\"pid\":1,\"tid\":2,\"ts\":9},\n"
    "{\"ph\":\"s\",\"name\":\"flow\",\"cat\":\"f\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":3},\n"
    "{\"ph\":\"t\",\"name\":\"flow\",\"cat\":\"f\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":4},\n"
    "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"flow\",\"cat\":\"f\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":5},\n"
    "{\"ph\":\"N\",\"name\":\"object\",\"id\":\"0x5\",\"pid\":1,\"tid\":2,\"ts\":5},\n"
    "{\"ph\":\"P\",\"name\":\"sample\",\"pid\":1,\"tid\":2,\"ts\":5,\"sf\":8},\n"
    "{\"ph\":\"X\",\"name\":\"no end\",\"pid\":\"text\",\"tid\":\"thread\",\"ts\":5,\"dur\":-1}\n"
    "],\"stackFrames\":{\"7\":{\"name\":\"main\",\"category\":\"exe\"},\"8\":{\"name\":\"f\",\"category\":\"exe\","
    "\"parent\":7}},\n"
    "\"displayTimeUnit\":\"ms\",\"otherData\":{\"version\":\"1\",\"nested\":{\"a\":[1,2]}},\"systemTraceEvents\":\"# "
    "tracer: nop\"}\n";

static void enter(void)
{
    scratch_enter();
    write_gpu("base.json", 0, 0);
    write_gpu("new.json", 1, 9);
    scratch_write("kinds.json", kinds);
    cr_assert_eq(symlink("out/by_link.json", "link.json"), 0);
    scratch_write("sections.sql",
                  "-- @name first\nSELECT * FROM counter;\n-- @name second\nSELECT id, name FROM track;");
    scratch_write("list.json", "{\"perfetto_manifest\":{\"version\":1,\"files\":[{\"path\":\"base.json\"},{\"path\":"
                               "\"new.json\",\"clocks\":{\"sync_to\":{\"file\":\"base.json\"},\"offset_ns\":5}}]}}");
}

TestSuite(refused_commands, .init = enter, .fini = scratch_leave, .timeout = 600);

static const command looking[] = {
    {{"info", AIE, ONE}},
    {{"info", AIE, ONE, "--json", "-o", "out/info.json"}},
    {{"info", "kinds.json", ONE}},
    {{"info", PF_FIXTURES "/tinygrad_small.pkl", ONE, "--json"}},
    {{"info", "kinds.json", ONE, "--html", "out/info.html", "--pictures", "--report", "out"}},
    {{"info", "--formats"}},
    {{"info", "--formats", "--json"}},
    {{"info", "--help"}},
    {{"--help"}},
    {{"--version", "--json"}},
    {{"check", PF_FIXTURES "/bad/aie_cut.json", ONE}},
    {{"check", PF_FIXTURES "/bad/pf_deep_args.pftrace", ONE, "--json", "-o", "out/check.json"}},
    {{"check", PF_FIXTURES "/bad/pf_cut_packet.pftrace", PF_FIXTURES "/bad/missing_comma.json", ONE}},
};

static const command converting[] = {
    {{"convert", "kinds.json", ONE, "-o", "out/a.pftrace"}},
    {{"convert", "kinds.json", ONE, "-o", "out/a.pftrace.gz", "--json"}},
    {{"convert", "kinds.json", ONE, "-o", "out/a.pftrace", "--compress"}},
    {{"convert", "kinds.json", ONE, "-o", "out/a.json"}},
    {{"convert", "kinds.json", ONE, "-o", "out/a.json.gz"}},
    {{"convert", "kinds.json", ONE, "-o", "out/a.sqlite"}},
    {{"convert", "kinds.json", ONE, "--to", "json", "-o", "-"}},
    {{"convert", "kinds.json", ONE, "-o", "link.json"}},
    {{"convert", "kinds.json", "-o", "out/a.pftrace.gz", "--jobs", "2"}},
    {{"convert", PF_FIXTURES "/aie_small.pftrace", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/aie_small.pftrace", ONE, "-o", "out/a.pftrace"}},
    {{"convert", PF_FIXTURES "/aie_small.pftrace", ONE, "-o", "out/a.sqlite"}},
    {{"convert", PF_FIXTURES "/tinygrad_small.pkl", ONE, "-o", "out/a.pftrace"}},
    {{"convert", PF_FIXTURES "/containers/small.json.zip", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/containers/small_gzip.zip", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/containers/small_stored.zip", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/containers/small_zip64.zip", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/containers/small_zstd.zip", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/containers/small.json.zst", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/containers/small.pftrace.zst", ONE, "-o", "out/a.json"}},
    {{"convert", PF_FIXTURES "/containers/small_packets_zstd.pftrace", ONE, "-o", "out/a.json"}},
};

static const command editing[] = {
    {{"cut", PF_FIXTURES "/aie_small.pftrace", ONE, "-o", "out/a.pftrace", "--from", "+1us", "--to", "-1us", "--json"}},
    {{"cut", PF_FIXTURES "/aie_small.pftrace", ONE, "-o", "out/a.pftrace.gz", "--process", "*", "--drop-track", "b*",
      "--min-dur", "1us"}},
    {{"cut", "kinds.json", ONE, "-o", "out/a.json", "--from", "2us", "--to", "7us"}},
    {{"cut", "kinds.json", ONE, "-o", "out/a.json", "--redact", "names,args,paths", "--redact-key", "sections.sql"}},
    {{"cut", PF_FIXTURES "/aie_small.pftrace", ONE, "-o", "out/a.pftrace", "--redact", "names", "--redact-key",
      "sections.sql", "--keep", "K*"}},
    {{"split", PF_FIXTURES "/aie_small.pftrace", ONE, "-o", "out", "--parts", "3"}},
    {{"split", "kinds.json", ONE, "-o", "out", "--by", "process"}},
    {{"merge", PF_FIXTURES "/aie_small.pftrace", "kinds.json", ONE, "-o", "out/a.pftrace", "--json"}},
    {{"merge", "--manifest", "list.json", ONE, "-o", "out/a.pftrace.gz", "--machines"}},
};

static const command asking[] = {
    {{"query", "kinds.json", ONE, "SELECT * FROM slice JOIN args USING (arg_set_id)"}},
    {{"query", "kinds.json", ONE, "--json", "-o", "out/rows.json",
      "SELECT s.name, t.name, EXTRACT_ARG(s.arg_set_id, 'debug.n') FROM slice s JOIN thread_track k ON k.id = "
      "s.track_id "
      "JOIN thread t USING (utid) WHERE s.name GLOB 'i*' ORDER BY s.dur"}},
    {{"query", "kinds.json", ONE, "--format", "table", "SELECT name, sum(dur), count(*) FROM slice GROUP BY name"}},
    {{"query", "kinds.json", ONE, "--dir", "out", "-f", "sections.sql"}},
    {{"query", "kinds.json", ONE, "--format", "parquet", "-o", "out/rows.parquet", "SELECT *, NULL, x'ff' FROM slice"}},
    {{"query", "kinds.json", ONE, "--format", "arrow", "SELECT s.name, value, 0.5 FROM slice s, counter"}},
    {{"query", "base.json", ONE, "--pass", "gpu", "--by-shape", "SELECT count(*) FROM gpu_kernels"}},
    {{"query", "kinds.json", "--input", "base.json", ONE, "SELECT count(*) FROM slice"}},
    {{"query", "kinds.json", ONE,
      "CREATE PERFETTO TABLE t AS SELECT id, ts, dur, name FROM slice; CREATE PERFETTO VIEW v AS SELECT name FROM t;"
      "CREATE PERFETTO FUNCTION half(x INT) RETURNS INT AS SELECT $x / 2;"
      "CREATE PERFETTO FUNCTION some(least INT) RETURNS TABLE(id INT, name STRING) AS SELECT id, name FROM t WHERE dur "
      "> "
      "$least; CREATE PERFETTO MACRO pick(x Expr, y TableOrSubquery) RETURNS TableOrSubquery AS (SELECT $x AS a FROM "
      "$y);"
      "SELECT half(id), name FROM some(1); SELECT * FROM pick!(name, v); SELECT * FROM v"}},
    {{"query", "kinds.json", ONE,
      "INCLUDE PERFETTO MODULE slices.with_context; INCLUDE PERFETTO MODULE counters.intervals;"
      "SELECT name, thread_name FROM thread_slice; SELECT * FROM thread_or_process_slice"}},
    {{"query", "kinds.json", ONE, "SELECT * FROM ancestor_slice(1); SELECT * FROM descendant_slice(0)"}},
    {{"query", "kinds.json", ONE, "SELECT * FROM following_flow(1); SELECT * FROM directly_connected_flow(1)"}},
    {{"query", "kinds.json", ONE, "SELECT name REGEXP 'i.*r', length(name), percentile(dur, 50) FROM slice"}},
    {{"query", "kinds.json", ONE, "SELECT * FROM process; SELECT * FROM metadata; SELECT * FROM stats LIMIT 3"}},
    {{"query", PF_FIXTURES "/aie_small.pftrace", ONE, "SELECT count(*), max(ts), min(name) FROM slice WHERE dur > 5"}},
    {{"query", "kinds.json", ONE, "SELECT 1", "--fail-if", "SELECT count(*) > 100 FROM slice", "--fail-if",
      "SELECT max(dur) FROM slice", "--junit", "/dev/null", "--annotations", "github"}},
};

static const command measuring[] = {
    {{"analyze", "aie", SHAPE, AIE, ONE, OUTPUTS}},
    {{"analyze", "aie", SHAPE, AIE, ONE, "--report", "out", "--json"}},
    {{"analyze", "aie", SHAPE, AIE, "--jobs", "2", OUTPUTS}},
    {{"analyze", "aie", SHAPE, AIE, ONE, "--report", "out", "--fail-if", "SELECT 1", "--junit", "/dev/null"}},
    {{"analyze", "gpu", "base.json", ONE, OUTPUTS}},
    {{"analyze", "gpu", "base.json", ONE, "--report", "out", "--html", "out/gpu.html", "--pictures", "-q"}},
    {{"analyze", "gpu", "base.json", "new.json", ONE, "--report", "out", "--json", "--by-shape", "--fold-names"}},
    {{"analyze", "gpu", "base.json", ONE, "--report", "out", "--step-annotation", "Profiler.*", "--items-per-step",
      "4"}},
    {{"analyze", "gpu", "--json-schema"}},
    {{"analyze", "gpu", "base.json", ONE, "--report", "out", "--tables", "out"}},
    {{"analyze", "gpu", "base.json", ONE, "--report", "out", "--tables", "out", "--tables-format", "arrow"}},
    {{"analyze", "aiu", "--stages"}},
    {{"analyze", "--list"}},
    {{"compare", "base.json", "new.json", ONE, OUTPUTS}},
    {{"compare", "base.json", "new.json", ONE, "--by", "process,stream,shape", "--names", "folded", "--json"}},
    {{"compare", "base.json", "new.json", ONE, "--format", "markdown", "--fail-if", "SELECT 1"}},
};

static const command aiu[] = {
    {{"analyze", "aiu", PF_FIXTURES "/aiu/tp2-rank-0.json", PF_FIXTURES "/aiu/tp2-rank-1.json", ONE, OUTPUTS, "--flow",
      "-R"}},
    {{"analyze", "aiu", PF_FIXTURES "/aiu/tp2-rank-1.json", ONE, "--report", "out", "-o", "out/a.json", "--freq",
      "557:1100", "-C", "power_ts3,bandwidth,prep_queue", "--power-stats", "-S"}},
    {{"analyze", "aiu", PF_FIXTURES "/aiu/tp2-rank-0.json", PF_FIXTURES "/aiu/tp2-rank-1.json", ONE, "--report", "out",
      "-o", "out/a.json", "--flow", "--tb", "--compat", "acelyzer", "--comm_summarize_seq", "-O", "async"}},
    {{"analyze", "aiu", PF_FIXTURES "/aiu/tp2-rank-0.json", ONE, "--report", "out", "-o", "out/a.txt", "-f", "pddf",
      "--event_filter", "name:Cmpt", "--event_limit", "{\"skip\": 2, \"count\": 30}", "-I"}},
    {{"analyze", "aiu", PF_FIXTURES "/aiu/tp2-rank-0.json", ONE, "-V"}},
};

/* Inputs of the corpus are there below "corpus". */
static const command corpus[] = {
    {{"analyze", "neutrino", "corpus/neutrino/block_sched_small", ONE, OUTPUTS}},
    {{"analyze", "neutrino", "corpus/neutrino/two_maps", ONE, "--report", "out", "--json"}},
    {{"analyze", "neutrino", "corpus/neutrino/event_log_run", ONE, "--report", "out"}},
    {{"analyze", "neutrino", "corpus/neutrino/exposed_latency_a", ONE, "--report", "out"}},
    {{"analyze", "tinygrad", "corpus/tinygrad/syn_timeline_aug26/profile.pkl", ONE, OUTPUTS}},
    {{"analyze", "tinygrad", "corpus/tinygrad/syn_sqtt_rdna4/profile.pkl", ONE, OUTPUTS}},
    {{"analyze", "tinygrad", "corpus/tinygrad/syn_pmc_mid26/profile.pkl", ONE, "--report", "out", "--json"}},
    {{"analyze", "tinygrad", "corpus/tinygrad/syn_pma_ampere/profile.pkl", ONE, "--report", "out"}},
    {{"info", "corpus/tinygrad/syn_sqtt_cdna/profile.pkl", ONE, "--json"}},
    {{"analyze", "neutrino", "corpus/neutrino/gmem_bytes_old", ONE, "--report", "out"}},
    {{"compare", "ops", "--scenario",
      "s,corpus/opcmp/o02_four_scenarios/in/results/dsv3_dc_trace.json,corpus/opcmp/o02_four_scenarios/in/traces/"
      "dsv3_dc_1tok.csv,auto",
      "--mapping", "corpus/opcmp/o02_four_scenarios/in/data/op_mapping.yaml", ONE, "--report", "out", "-o",
      "out/o.json", "--enriched", "out/e", "--by-shape", "--top", "3"}},
};

Test(refused_commands, corpus)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/corpus", shared_folder());
    if (access(path, R_OK) != 0) {
        SKIP_WITHOUT_CORPUS();
    }
    cr_assert_eq(symlink(path, "corpus"), 0);
    refuse_memory(corpus, COUNT(corpus));
    limit_memory(corpus, COUNT(corpus));
}

Test(refused_commands, looking)
{
    refuse_memory(looking, COUNT(looking));
}

Test(refused_commands, converting)
{
    refuse_memory(converting, COUNT(converting));
}

Test(refused_commands, editing)
{
    refuse_memory(editing, COUNT(editing));
}

Test(refused_commands, asking)
{
    refuse_memory(asking, COUNT(asking));
}

Test(refused_commands, measuring)
{
    refuse_memory(measuring, COUNT(measuring));
}

Test(refused_commands, aiu)
{
    refuse_memory(aiu, COUNT(aiu));
}

Test(refused_commands, limits)
{
    limit_memory(looking, 4);
    limit_memory(converting, COUNT(converting));
    limit_memory(editing, COUNT(editing));
    limit_memory(asking, COUNT(asking));
    limit_memory(measuring, 6);
    limit_memory(measuring + 10, COUNT(measuring) - 10);
    limit_memory(aiu, COUNT(aiu));
}
