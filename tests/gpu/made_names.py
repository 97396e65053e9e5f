"""made_names.py: names that decide: which kernels are communication, and which categories are work of a device."""

# Kernels as their programs call them, and whether they are communication.
KERNELS = {
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)": True,
    "my_Nccl_x": True, "xRCCL": True, "hcclKernel": True, "oneccl_allreduce_pcie": True,
    "void mscclpp::collective::allreducePacket<float>(float*, unsigned long)": True,
    "void nvshmemi_barrier_on_stream_kernel(int)": True,
    "void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*, float*, int*)": True,
    "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(__nv_bfloat16*, float*)": True,
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals)": True,
    "void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*, int)": True,
    "void aiter::allreduce_fusion_kernel_1stage<int>(int)": True,
    "void quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<__half>, __half>(int)": True,
    "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long)": True,
    "two_shot_all_reduce_kernel_inplace": True, "multimem_one_shot": True, "userbuffers_fp16_sum": True,
    "void tensorrt_llm::kernels::oneShotAllReduceKernel<float, 8>(int)": True,
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)": True,
    "all_gather_kernel": True, "reduce_scatter_push": True, "dlslime::intranode_alltoall_kernel": True,
    # The words in arguments only, words that are like these, and what a compiler calls by the operators that it fused.
    "softmax<float, BlockAllReduce<Max>>(float*)": False, "void f(vllm::cross_device_reduce_args)": False,
    "triton_poi_fused_all_gather_into_tensor_0": False, "ncc": False, "cccl": False, "nccXl": False, "n_ccl": False,
    "void reduce_kernel<512, 1>(int)": False, "scatter_gather_elementwise": False}


def classes(found):
    return {row["name"]: row["class"] for row in found["kernels"]}


def names_of_communication(place, kernel, check):
    given = classes(place.of([kernel(name, 10 * i, 5) for i, name in enumerate(KERNELS)]))
    for name, is_one in KERNELS.items():
        check(given[name] == ("communication" if is_one else "compute"), f"communication: {name} is {given[name]}")


def classes_of_the_user(place, kernel, check):
    """--communication goes before --compute, and both before the names that are known."""
    events = [kernel(name, 10 * i, 10) for i, name in enumerate(["ncclA", "ncclFused", "my_ring", "gemm"])]
    expected = {(): "ncclA ncclFused", ("--communication", "^my_"): "ncclA ncclFused my_ring",
                ("--compute", "Fused$"): "ncclA", ("--communication", "^my_", "--compute", "."): "my_ring",
                ("--communication", "A$", "--compute", "^nccl"): "ncclA"}
    for options, names in expected.items():
        found = place.of(events, *options)
        given = [name for name, word in classes(found).items() if word == "communication"]
        check(sorted(given) == sorted(names.split()), f"{options}: {given} are communication")
        check(found["devices"][0]["communication_ns"] == 10000 * len(given), f"{options}: communication_ns")
    for option in ("--communication", "--compute"):
        done = place.run(option, "a(b", place.write(events))
        check(done.returncode == 2 and option.encode() in done.stderr, f"{option}: {done.stderr.decode()}")


def sizes_that_nobody_says(place, kernel, check):
    path = place.write([kernel("ncclDevKernel_SendRecv", 0, 10)])
    row = place.ask(path)["collectives"][0]
    check(row["kind"] == "send_recv" and row["bytes"] is None, f"unknown size: {row}")
    said = place.run(path).stderr
    check(b"collectives: first send_recv of unknown size: 10.0 us in 1 calls" in said, f"unknown size: {said}")


CASES = [names_of_communication, classes_of_the_user, sizes_that_nobody_says]


def run(place, x, kernel, check):
    for case in CASES:
        case(place, kernel, check)
