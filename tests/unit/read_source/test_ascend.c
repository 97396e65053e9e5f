/* test_ascend.c - tables of kernels of the Ascend profiler: rows and arguments by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "../../scratch.h"
#include "../../shown_args.h"
#include "model/trace/trace.h"
#include "postfetto/postfetto.h"

TestSuite(ascend, .init = scratch_enter, .fini = scratch_leave);

static pf_trace *read_text(const char *text)
{
    const char *path = "kernels.csv";
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err;
    scratch_write(path, text);
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    cr_assert_str_eq(pf_trace_input(t, 0)->format, "ascend-csv");
    return t;
}

static pf_probe probe(const char *head)
{
    return pf_reader_find("ascend-csv")->probe((const uint8_t *)head, strlen(head), "x", false);
}

/* "process/track ts+dur name/category key=value ..." of all events. */
static void expect_rows(const pf_trace *t, const char *expected)
{
    const pf_events *e = pf_trace_events(t);
    const pf_tracks *tr = pf_trace_tracks(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < e->count; i++) {
        pf_str category = pf_trace_string(t, e->category ? e->category[i] : 0);
        pf_buffer_format(&got, "%s/%s %lld+%lld %s/%s",
                         pf_trace_string(t, pf_trace_processes(t)->name[tr->upid[e->track[i]]]).ptr,
                         pf_trace_string(t, tr->name[e->track[i]]).ptr, (long long)e->ts[i], (long long)e->dur[i],
                         pf_trace_string(t, e->name[i]).ptr, category.ptr ? category.ptr : "");
        show_args(t, i, &got);
        pf_buffer_text(&got, "\n");
    }
    pf_buffer_put(&got, "", 1);
    cr_expect_str_eq((const char *)got.data, expected);
    pf_buffer_free(&got);
}

Test(ascend, kernels_of_the_pytorch_interface)
{
    pf_trace *t = read_text("Device_id,Name,Accelerator Core,Start Time(us),Duration(us),Input Shapes,Block Dim,Ratio,"
                            "Code,Stream ID,Note\r\n"
                            "0,Add,AI_CORE,\"1000.001\t\",2.5,\"\"\"2,3;4\"\"\",24,0.5,007,3,\"a\"\"b\\\x01.\"\r\n"
                            "1,Mul,N/A,1003,0,N/A,-7,1.,0,,\r\n"
                            "0,Add,AI_CORE,1004.5,1,x,0.25.1,-,12345678901234567,3,.5\r\n"
                            "2,Copy,,1005,1,,123456789012345678,,,N/A,\r\n"
                            "card,Late,,1006,1,,,,,3,\r\n"
                            "0,Bad,,,1,,,,,,\r\n"
                            "0,Bad,,5,-1,,,,,,\r\n"
                            "0,Bad,,-5,1,,,,,,\r\n"
                            "0,Bad,,9223372036854775,9223372036854775,,,,,,\r\n");
    expect_rows(t, "NPU 0/stream 3 1000001+2500 Add/AI_CORE args.Device_id=0 args.Accelerator Core='AI_CORE' "
                   "args.Input Shapes='2,3;4' args.Block Dim=24 args.Ratio=0.5 real args.Code='007' args.Stream ID=3 "
                   "args.Note='a\"b\\\x01.'\n"
                   "NPU 1/no stream 1003000+0 Mul/ args.Device_id=1 args.Block Dim=-7 args.Ratio='1.' args.Code=0\n"
                   "NPU 0/stream 3 1004500+1000 Add/AI_CORE args.Device_id=0 args.Accelerator Core='AI_CORE' "
                   "args.Input Shapes='x' args.Block Dim='0.25.1' args.Ratio='-' args.Code=12345678901234567 "
                   "args.Stream ID=3 args.Note='.5'\n"
                   "NPU 2/no stream 1005000+1000 Copy/ args.Device_id=2 args.Block Dim='123456789012345678'\n"
                   "card/stream 3 1006000+1000 Late/ args.Device_id='card' args.Stream ID=3\n");
    cr_expect_eq(pf_trace_stat(t, PF_STAT_CSV_ROW).count, 4);
    cr_expect_eq(pf_trace_slices(t)->count, 5);
    cr_expect_str_eq(pf_trace_input(t, 0)->dialect, "ascend");
    int64_t start, end;
    pf_trace_bounds(t, &start, &end);
    cr_expect(start == 1000001 && end == 1007000);
    pf_trace_free(t);
}

Test(ascend, kernels_of_msprof)
{
    pf_trace *t = read_text("Device ID,Op Name,Task Type,Task Start Time(us),Task Duration(us),Stream ID\n"
                            "N/A,n,N/A,7,0.125,9\n"
                            "2,k,AI_VECTOR,7.25,1,9\n");
    expect_rows(t, "NPU/stream 9 7000+125 n/ args.Stream ID=9\n"
                   "NPU 2/stream 9 7250+1000 k/AI_VECTOR args.Device ID=2 args.Task Type='AI_VECTOR' "
                   "args.Stream ID=9\n");
    pf_trace_free(t);
}

Test(ascend, what_is_recognised)
{
    cr_expect_eq(probe("Name,Start Time(us),Duration(us)"), PF_PROBE_SURE);
    cr_expect_eq(probe("\xEF\xBB\xBFName,Start Time(us),Duration(us)\r\n1"), PF_PROBE_SURE);
    cr_expect_eq(probe("a,\"Op Name\",\"Task Start Time(us)\",\"Task Duration(us)\"\n"), PF_PROBE_SURE);
    cr_expect_eq(probe("Name,Start Time(us)\nDuration(us)"), PF_PROBE_NO);
    cr_expect_eq(probe("Name,Start Time(us),Total Duration(us)"), PF_PROBE_NO);
    cr_expect_eq(probe("Names,Start Time(us),Duration(us)"), PF_PROBE_NO);
    cr_expect_eq(probe("Name,Duration(us)"), PF_PROBE_NO);
    cr_expect_eq(probe(""), PF_PROBE_NO);
    cr_expect_eq(
        pf_reader_find("ascend-csv")->probe((const uint8_t *)"Name,Start Time(us),Duration(us)", 32, "x", true),
        PF_PROBE_NO);
}

/* Blanks around values go, but for those inside; a quote alone is no pair. The last time that fits is 2^63 - 1. */
Test(ascend, values_at_their_limits)
{
    static const char text[] = "Device_id,Name,Accelerator Core,Start Time(us),Duration(us),Stream ID,Note\n"
                               "0,Zero,,0,0,3,\"x\"\"\"\n"
                               "\t0 ,  A dd ,\tAI_CORE\t, 1000 ,\t2 , 3 ,\"\"\"\"\n"
                               "0,End,,9223372036854775.806,0.001,3,\"\"\"x\"\n"
                               "0,Late,,9223372036854775.806,0.002,3,\n"
                               "0,No,,9223372036854775.808,0,3,\n"
                               "0,No,,1,,3,\n";
    pf_trace *t = read_text(text);
    expect_rows(t, "NPU 0/stream 3 0+0 Zero/ args.Device_id=0 args.Stream ID=3 args.Note='x\"'\n"
                   "NPU 0/stream 3 1000000+2000 A dd/AI_CORE args.Device_id=0 args.Accelerator Core='AI_CORE' "
                   "args.Stream ID=3 args.Note='\"'\n"
                   "NPU 0/stream 3 9223372036854775806+1 End/ args.Device_id=0 args.Stream ID=3 args.Note='\"x'\n");
    cr_expect_eq(pf_trace_stat(t, PF_STAT_CSV_ROW).count, 3);
    pf_trace_free(t);
}

/* Where a table has both names of a column, those of kernel_details.csv count; the others are arguments. */
Test(ascend, both_names_of_a_column)
{
    pf_trace *t = read_text("Op Name,Name,Task Start Time(us),Start Time(us),Task Duration(us),Duration(us)\n"
                            "b,a,2,1,4,3\n");
    expect_rows(t, "NPU/no stream 1000+3000 a/ args.Op Name='b' args.Task Start Time(us)=2 args.Task Duration(us)=4\n");
    pf_trace_free(t);
}
