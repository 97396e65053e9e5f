/* Every rule for the class of a slice, each on a name of its own; the classes are said by their names, as the
 * specification of the format lists them. */
#include "aiu_support.h"

#define TS(...) ((const int64_t[5]){__VA_ARGS__})

typedef struct class_case {
    const char *name, *is;
} class_case;

static void expect_class(aiu_facts_run *f, uint32_t e, const class_case *c)
{
    cr_expect_str_eq(pf_aiu_class_name((aiu_class)f->run.events.class[e]), c->is, "%s", c->name);
}

/* Slices after the last kernel, so that names alone decide. */
static void expect_all(const class_case *cases, size_t count, bool collective, const char *torch_cat)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (size_t i = 0; i < count; i++) {
        uint32_t e = add_device(&f, cases[i].name, 0, 10.0 * (double)i, 5, TS(1, 2, 3, 4, 5));
        f.run.events.group[e] = collective ? text_of(&f, "AllReduce_1") : 0;
        f.run.events.flags[e] |= torch_cat ? AIU_TORCH : 0;
        f.run.events.cat[e] = torch_cat ? text_of(&f, torch_cat) : 0;
    }
    run_stage(&f, pf_aiu_classify);
    for (size_t i = 0; i < count; i++) {
        expect_class(&f, (uint32_t)i, &cases[i]);
    }
    facts_close(&f);
}
#define EXPECT_ALL(cases, collective, torch_cat)                                                                       \
    expect_all(cases, sizeof(cases) / sizeof *(cases), collective, torch_cat)

Test(aiu_classes, of_collectives_through_the_host)
{
    static const class_case cases[] = {
        {"Host DMA x Wdone DmaI", "MAIU_HDMA_PROTOCOL_WAIT_DATA"},
        {"Host DMA Wait for Data Avail Notice DmaI", "MAIU_HDMA_PROTOCOL_WAIT_DATA"},
        {"HCOLL Wait for Notice (gather notifications) DmaI", "MAIU_HDMA_PROTOCOL_WAIT_DATA"},
        {"HCOLL R5 Wait DATA", "MAIU_HDMA_PROTOCOL_WAIT_DATA"},
        {"Host DMA Wait for ACK DmaI", "MAIU_HDMA_PROTOCOL_WAIT_ACK"},
        {"HCOLL R5 Wait ACK", "MAIU_HDMA_PROTOCOL_WAIT_ACK"},
        {"Host DMA Send ACK Instruction DmaO", "MAIU_HDMA_PROTOCOL_SIGNAL_ACK"},
        {"HCOLL R5 Send ACK", "MAIU_HDMA_PROTOCOL_SIGNAL_ACK"},
        {"Host DMA Send Instruction DmaO", "MAIU_HDMA_PROTOCOL_SIGNAL_DATA"},
        {"HCOLL Signal DmaO", "MAIU_HDMA_PROTOCOL_SIGNAL_DATA"},
        {"HCOLL R5 Send DATA", "MAIU_HDMA_PROTOCOL_SIGNAL_DATA"},
        {"Host DMA Wait for Notice DmaI", "MAIU_HDMA_PROTOCOL_MONITOR_NOTICE"},
        {"HCOLL Wait for Delivery Notice", "MAIU_HDMA_PROTOCOL_MONITOR_NOTICE"},
        {"Host DMA 1 DmaO", "MAIU_HDMA_PROTOCOL_SEND_DATA"},
        {"Host DMA 1 DmaI", "MAIU_HDMA_PROTOCOL_RECV_DATA"},
        {"HCOLL 1 DmaO", "MAIU_HDMA_PROTOCOL_SEND_DATA"},
        {"HCOLL sum Cmpt Exec", "COMPUTE_EXEC"},
        {"HCOLL", "OTHER"},
    };
    EXPECT_ALL(cases, true, NULL);
}

Test(aiu_classes, of_collectives_from_card_to_card)
{
    static const class_case cases[] = {
        {"x DLM Wait DmaI", "MAIU_HDMA_PROTOCOL_WAIT_DATA"},
        {"SenRdmaSend_1 - Set BcList DmaO", "MAIU_PROTOCOL_SERIAL"},
        {"SenRdmaSend_1 - Xseg to rank 2 DmaO", "MAIU_PROTOCOL_SERIAL"},
        {"SenRdmaSend_1 Data DmaO", "MAIU_P2PRDMA_PROTOCOL_SEND_DATA"},
        {"SenRdmaRecv_1 DmaI", "MAIU_P2PRDMA_PROTOCOL_RECV_DATA"},
        {"AllReduce_all_reduce_1_Add Cmpt Exec", "COMPUTE_EXEC"},
        {"AllReduce_all_reduce_1_Add Cmpt Prep", "COMPUTE_PREP"},
        {"Send ACK Instruction", "OTHER"},
    };
    EXPECT_ALL(cases, true, NULL);
}

/* The words of collectives say nothing of a slice that is in none. */
Test(aiu_classes, of_slices_in_no_collective)
{
    static const class_case cases[] = {
        {"a Cmpt Prep", "COMPUTE_PREP"},
        {"a Cmpt Exec", "COMPUTE_EXEC"},
        {"a Cmpt Exec b", "OTHER"},
        {"Input_0 DmaI", "DATA_IN"},
        {"Output_0 DmaO", "DATA_OUT"},
        {"HCOLL Signal DmaO", "DATA_OUT"},
        {"DLM Wait", "OTHER"},
        {"Compute of node_1", "SEN_DATA_CONVERT"},
        {"Compute of SenFusedDeviceNode_1", "OTHER"},
        {"PrepareAndSyncRdma", "MAIU_WIREUP"},
        {"PrepareAndSyncRdma 2", "OTHER"},
        {"Barrier: 3", "MAIU_BARRIER"},
        {"a barrier: 3", "MAIU_BARRIER"},
        {"Barrier", "OTHER"},
        {"Flex RoundTrip", "ROUNDTRIP_FLEX"},
        {"a Flex RoundTrip", "OTHER"},
        {"my AIU Roundtrip", "ROUNDTRIP_AIU"},
        {"aiuDataConvert", "OTHER"},
    };
    EXPECT_ALL(cases, false, NULL);
}

Test(aiu_classes, of_torch)
{
    static const class_case kernels[] = {{"sdpa", "COMPUTE_EXEC"},
                                         {"Memcpy (HtoD)", "DATA_IN"},
                                         {"HCOLL Signal", "MAIU_HDMA_PROTOCOL_SIGNAL_DATA"},
                                         {"HCOLL sum", "COMPUTE_EXEC"}},
                            others[] = {{"a Cmpt Exec", "OTHER"},
                                        {"Memcpy (HtoD)", "DATA_IN"},
                                        {"Memcpy (DtoH)", "DATA_OUT"},
                                        {"HCOLL Memcpy (DtoH)", "MAIU_HDMA_PROTOCOL_SEND_DATA"},
                                        {"HCOLL Memcpy (HtoD)", "MAIU_HDMA_PROTOCOL_RECV_DATA"},
                                        {"aiuDataConvert", "SEN_DATA_CONVERT"},
                                        {"aiuLaunchSuperNode", "ROUNDTRIP_FLEX"},
                                        {"aiuSuperNodeExecution", "ROUNDTRIP_FLEX"},
                                        {"Set BcList", "OTHER"}};
    EXPECT_ALL(kernels, false, "kernel");
    EXPECT_ALL(others, false, "cuda_runtime");
}

/* Kernels begin at 10 and 50. 128 bytes, as a number, are a signal; what begins with the first or the last kernel, or
 * is of the host, stays what it is. */
Test(aiu_classes, of_transfers_between_kernels)
{
    static const struct {
        class_case c;
        double ts;
        uint64_t bytes;
        bool number;
    } cases[] = {{{"k Cmpt Exec", "COMPUTE_EXEC"}, 10, 0, false},
                 {{"a DmaO", "MAIU_PROTOCOL_SEND_DATA"}, 20, 0, false},
                 {{"a DmaI", "MAIU_PROTOCOL_RECV_DATA"}, 20, 0, false},
                 {{"a DmaO", "MAIU_PROTOCOL_SIGNAL_DATA"}, 30, 128, true},
                 {{"a DmaI", "MAIU_PROTOCOL_SIGNAL_ACK"}, 30, 128, true},
                 {{"a DmaO", "MAIU_PROTOCOL_SEND_DATA"}, 30, 128, false},
                 {{"a DmaI", "MAIU_PROTOCOL_RECV_DATA"}, 30, 127, true},
                 {{"a DmaO", "DATA_OUT"}, 10, 128, true},
                 {{"a DmaI", "DATA_IN"}, 50, 128, true},
                 {{"a DmaI", "DATA_IN"}, 5, 0, false},
                 {{"a DmaO", "DATA_OUT"}, 60, 0, false},
                 {{"between", "OTHER"}, 30, 128, true},
                 {{"k Cmpt Exec", "COMPUTE_EXEC"}, 50, 0, false}};
    enum { CASES = sizeof cases / sizeof *cases };
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (int i = 0; i < CASES; i++) {
        uint32_t e = add_device(&f, cases[i].c.name, 0, cases[i].ts, 5, TS(1, 2, 3, 4, 5));
        f.run.events.bytes[e] = cases[i].bytes;
        f.run.events.flags[e] |= AIU_HAS_BYTES | (cases[i].number ? AIU_BYTES_NUMBER : 0);
    }
    uint32_t host = add_host(&f, "h DmaO", 0, 1, 30, 5);
    run_stage(&f, pf_aiu_classify);
    run_stage(&f, pf_aiu_classify_between);
    for (uint32_t i = 0; i < CASES; i++) {
        expect_class(&f, i, &cases[i].c);
    }
    expect_class(&f, host, &(class_case){"h DmaO", "DATA_OUT"});
    facts_close(&f);
}
