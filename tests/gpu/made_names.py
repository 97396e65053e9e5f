"""made_names.py: names that decide: which kernels are communication, and which categories are work of a device."""

import made_native

# Kernels as their programs call them, and whether they are communication.
KERNELS = {
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)": True,
    "my_Nccl_x": True, "mscclKernel_Sum_float_Simple": True, "void moe::all2all_dispatch<8>(int)": True, "xRCCL": True, "hcclKernel": True, "oneccl_allreduce_pcie": True,
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
    check(b"\nsend_recv      -      -      1      10.000     10.000                     -\n" in said, f"unknown size: {said}")


def categories_of_devices(place, x, check):
    """Kineto's for CUDA, ROCm, XPU and PrivateUse1 (kernel), MTIA and HPU, rocprofv3's; what only waits or marks is no work."""
    kinds = {"kernel": "compute", "mtia_ccp_events": "compute", "mtia_workloadd": "compute", "hpu_op": "compute", "kernel_dispatch": "compute",
             "gpu_memcpy": "memcpy", "memory_copy": "memcpy", "gpu_memset": "memset"}
    others = ["cuda_sync", "cuda_event", "overhead", "mtia_insight", "collective_comm", "gpu_user_annotation", "xpu_runtime",
              "xpu_driver", "mtia_runtime", "glow_runtime", "privateuse1_runtime", "privateuse1_driver", "cpu_instant_event"]
    events = [x(name, "e " + name, 0, 7, 10 * i, 5, device=0, stream=7) for i, name in enumerate([*kinds, *others])]
    found = place.of(events)
    given = {row["name"][2:]: row["class"] for row in found["kernels"]}
    given.update((row["name"][2:], row["kind"]) for row in found["memcpy"])
    check(given == kinds, f"categories: {given}")
    check(found["devices"][0]["events"] == len(kinds), f"categories: {found['devices'][0]['events']} events")
    calls = {row["name"] for row in place.of([x(c, c + "Synchronize", 0, 7, i, 1) for i, c in enumerate(others)])["syncs"]}
    check(calls == {c + "Synchronize" for c in others if c.endswith(("_runtime", "_driver"))}, f"calls: {calls}")


def agents(place, check):
    """The device is the number of the track's name."""
    path = place.path("rocprof.pftrace")
    made_native.write_rocprof(path)
    found = place.ask(path)
    given = [(d["device"], d["events"], d["busy_ns"], d["communication_ns"], d["memory_ns"], len(d["streams"]))
             for d in found["devices"]]
    check(given == [(0, 2, 15000, 10000, 0, 2), (1, 2, 7000, 0, 3000, 2)], f"agents: {given}")
    names = [s["stream_name"] for d in found["devices"] for s in d["streams"]]
    check(names == ["COMPUTE GPU [0] QUEUE [1]", "COMPUTE GPU [0] QUEUE [2]", "COMPUTE GPU [1] QUEUE [3]",
                    "COPY to AGENT [1] THREAD [0] (GPU)"], f"agents: {names}")
    check(place.passes(path) == ["gpu"], "the pass fits rocprofv3's traces")


def hosts_alone(place, x, check):
    """Operators on two threads, modules in python functions; the numbers are in us next to the events."""
    op = lambda name, tid, ts, dur: x("cpu_op", name, 100, tid, ts, dur)
    python = lambda name, ts, dur: x("python_function", name, 100, 1, ts, dur)
    events = [python("train.py(1): main", 0, 100), python("nn.Module: Net_0", 10, 60), python("forward", 11, 50),
              python("nn.Module: Linear_0", 15, 20), python("nn.Module: Linear_1", 40, 15), op("aten::linear", 1, 16, 10),
              op("aten::addmm", 1, 18, 5), op("aten::linear", 1, 41, 12), x("user_annotation", "a", 100, 2, 0, 10),
              op("aten::mm", 2, 5, 10), op("aten::mm", 2, 12, 30),
              {"ph": "M", "name": "thread_name", "pid": 100, "tid": 2, "args": {"name": "worker"}}]
    path = place.write(events)
    found = place.ask(path)
    check(found["devices"] == [] and found["kernels"] == [], "host: there are devices")
    rows = {row["name"]: (row["calls"], row["host_ns"], row["host_self_ns"], row["launched"]) for row in found["operators"]}
    check(rows == {"aten::linear": (2, 22000, 17000, 0), "aten::addmm": (1, 5000, 5000, 0), "aten::mm": (2, 40000, 40000, 0)},
          f"host: {rows}")
    check([row["name"] for row in found["operators"]] == ["aten::mm", "aten::linear", "aten::addmm"], "host: order of operators")
    rows = [(row["name"], row["calls"], row["total_ns"], row["self_ns"]) for row in found["modules"]]
    check(rows == [("nn.Module: Net_0", 1, 60000, 25000), ("nn.Module: Linear_0", 1, 20000, 20000),
                   ("nn.Module: Linear_1", 1, 15000, 15000)], f"host: {rows}")
    rows = [(r["process"], r["thread"], r["events"], r["start_ns"], r["end_ns"], r["busy_ns"], r["operator_ns"], r["thread_name"])
            for r in found["threads"]]
    check(rows == [(100, 1, 8, 0, 100000, 100000, 22000, None), (100, 2, 3, 0, 42000, 42000, 37000, "worker")], f"host: {rows}")
    check(place.passes(path) == ["gpu"], "the pass fits traces of the host alone")
    said = place.run(path).stderr.decode().splitlines()
    check([line.split("warning: ")[-1] for line in said] == [
        "No device events; the busiest of 2 threads, - (1), was busy 100.0 % of 100.0 us", "",
        f"no device event (kernel, memcpy, memset, GPU render stage) in {path}; it holds 11 events (python_function 5, "
        "cpu_op 5, user_annotation 1): the host alone was recorded; these are its numbers",
        "threads of the host by busy time", "thread  thread name  busy (us)  operator (us)  events",
        "     1  -              100.000         22.000       8", "     2  worker          42.000         37.000       3", "",
        "operators", "name          calls  host self (us)  host (us)", "aten::mm          2          40.000     40.000",
        "aten::linear      2          17.000     22.000", "aten::addmm       1           5.000      5.000", "",
        "modules (nn.Module) by self time", "name                 calls  self (us)  total (us)",
        "nn.Module: Net_0         1     25.000      60.000", "nn.Module: Linear_0      1     20.000      20.000",
        "nn.Module: Linear_1      1     15.000      15.000", "",
        "no steps: no annotation ProfilerStep#N, and kernels that repeat no pattern"], f"host: {said}")
    one = place.ask(place.write(events + [x("kernel", "k", 0, 7, 50, 5, device=0, stream=7)]))
    for table in ("operators", "modules"):
        rows = [[dict(row, input="") for row in document[table]] for document in (one, found)]
        check(rows[0] and rows[0] == rows[1], f"with a device, other {table}")
    said = place.run(place.write([x("other", "o", 1, 1, 0, 5)])).stderr
    check(b"it holds 1 event (other 1), and no host operators" in said, f"nothing: {said}")


CASES = [names_of_communication, classes_of_the_user, sizes_that_nobody_says]


def run(place, x, kernel, check):
    for case in CASES:
        case(place, kernel, check)
    categories_of_devices(place, x, check)
    agents(place, check)
    hosts_alone(place, x, check)
