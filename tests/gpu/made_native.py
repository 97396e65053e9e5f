"""made_native.py: binary traces of GPU work, put together packet by packet.

write_torch: as PyTorch's native export lays them out. Host slices are track events with categories and debug
annotations; device work is GPU render stages: kernels with a launch and the stage category compute, copies as stages of
their own name, annotations among them; what belongs to an operation is extra data, as texts.
write_first: as the first version of that export did: track events of threads, without categories, with arguments as in
JSON, ends after all begins of a group.
write_kinds: stages with PyTorch's device, each of another kind.
write_stages: plain render stages, as graphics drivers write them.
"""
from make_fixtures_proto import field, message, packet

BEGIN, END = 1, 2
CLEARED, NEEDED = 1, 2
KERNEL, MEMCPY, ANNOTATION = 1, 2, 4
NAMES = ["gemm<float>", "ncclDevKernel_AllReduce", "step region"]


def track(uuid, pid, tid, name):
    return packet((60, message((1, uuid), (4, message((1, pid), (2, tid), (5, name))))))


def interned():
    specifications = [(KERNEL, "Kernel", 2), (MEMCPY, "Memcpy", 0), (ANNOTATION, "Annotation", 0),
                      (100, "[07] stream 7", 0), (101, "[13] stream 13", 0)]
    data = [(2, message((1, i + 1), (2, name))) for i, name in enumerate(NAMES)]
    data += [(24, message((1, iid), (2, name), (4, category))) for iid, name, category in specifications]
    data += [(1000, message((1, 1), (3, NAMES[0]))), (1001, message((1, 1), (2, "registers_per_thread"))),
             (1001, message((1, 2), (2, "shared_mem_dynamic")))]
    return packet((10, 1), (13, CLEARED), (12, message(*data)))


def host(ts, end, name, category, **numbers):
    values = lambda v: [(12, message((3, item))) for item in v] if isinstance(v, list) else [(4, v)]
    notes = [(4, message((10, key), *values(value))) for key, value in numbers.items()]
    return (packet((8, ts), (10, 1), (13, NEEDED),
                   (11, message((9, BEGIN), (11, 10), (23, name), (22, category), *notes))) +
            packet((8, end), (10, 1), (11, message((9, END), (11, 10)))))


def stage(ts, end, kind, queue, name=0, launch=None, **extra):
    fields = [(1, ts), (2, end - ts), (11, 0), (13, queue), (14, kind), (5, 1)]
    if name:
        fields.append((20, name))
    if launch:
        (grid, block), size = launch, lambda three: message((1, three[0]), (2, three[1]), (3, three[2]))
        args = [(3, message((1, 1), (4, 32))), (3, message((1, 2), (4, 1024)))]
        fields += [(19, 1), (21, message((1, size(grid)), (2, size(block)), *args))]
    fields += [(6, message((1, key), (2, value))) for key, value in extra.items()]
    return packet((8, ts), (10, 1), (13, NEEDED), (53, message(*fields)))


def write_torch(path):
    shape = ((4, 2, 1), (128, 1, 1))
    of = {"device id": "0"}
    collective = {"Collective name": "allreduce", "In msg nelems": "1000", "dtype": "Float", "Group size": "2"}
    data = track(10, 100, 101, "python") + interned()
    data += host(1000, 71000, "ProfilerStep#1", "user_annotation")
    data += host(2000, 60000, "aten::mm", "cpu_op", **{"Input Dims": [4, 2 ** 63 + 5]})
    data += host(6000, 8000, "cudaLaunchKernel", "cuda_runtime", correlation=1)
    data += host(9000, 10000, "cudaLaunchKernel", "cuda_runtime", correlation=2)
    data += stage(9000, 65000, ANNOTATION, 100, name=3, **of)
    data += stage(10000, 20000, KERNEL, 100, name=1, launch=shape, correlation="1", **of)
    data += stage(25000, 35000, KERNEL, 100, name=1, launch=shape, correlation="2", **of)
    data += stage(35000, 45000, KERNEL, 101, name=2, launch=shape, **of, **collective)
    data += stage(53000, 60000, MEMCPY, 100, bytes="7000", **of)
    with open(path, "wb") as file:
        file.write(data)


def write_kinds(path):
    """With and without grid, of the stage category compute (kind 1) and of another (4), memcpy and memset by name."""
    names = ["computes", "has a grid", "neither", "Memset (Device)", "Memcpy HtoD"]
    data = [(2, message((1, i + 1), (2, name))) for i, name in enumerate(names)]
    data += [(24, message((1, KERNEL), (2, "Kernel"), (4, 2))), (24, message((1, ANNOTATION), (2, "Other"), (4, 0))),
             (24, message((1, 100), (2, "[07] stream 7"), (4, 0)))]
    data = packet((10, 1), (13, CLEARED), (12, message(*data)))
    of, shape = {"device id": "0"}, ((4, 2, 1), (128, 1, 1))
    rows = [(KERNEL, {}), (ANNOTATION, {"launch": shape}), (ANNOTATION, {}), (ANNOTATION, {"bytes": "300"}),
            (KERNEL, {})]
    lengths = [5000, 5000, 5000, 5000, 4000]
    for i, (kind, more) in enumerate(rows):
        data += stage(10000 * (i + 1), 10000 * (i + 1) + lengths[i], kind, 100, name=i + 1, **more, **of)
    with open(path, "wb") as file:
        file.write(data)


def first_slices(rows):
    """(track, ts, end, place of the name, arguments): all begins, then all ends, as the encoder puts a group."""
    begins, ends = b"", b""
    for uuid, ts, end, name, args in rows:
        notes = []
        for key, value in args.items():
            value = [(12, message((4, v))) for v in value] if isinstance(value, list) else [(4, value)]
            notes.append((4, message((10, key), *value)))
        begins += packet((8, ts), (10, 1), (13, NEEDED),
                         (11, message((9, BEGIN), (11, uuid), (10, name), *notes)))
        ends += packet((8, end), (10, 1), (11, message((9, END), (11, uuid))))
    return begins + ends


def write_first(path):
    names = ["gemm", "Memcpy HtoD", "cudaLaunchKernel", "aten::mm", "ProfilerStep#4"]
    data = track(10, 100, 101, "python") + track(20, 0, 7, "stream 7") + track(21, 0, 13, "stream 13")
    data += packet((10, 1), (13, CLEARED), (12, message(*[(2, message((1, i + 1), (2, name)))
                                                          for i, name in enumerate(names)])))
    on = lambda stream, correlation, **args: dict(args, device=0, stream=stream, correlation=correlation)
    data += first_slices([(20, 10000, 20000, 1, on(7, 1, grid=[4, 2, 1], block=[64, 1, 1])),
                          (21, 30000, 40000, 1, on(13, 2, grid=[1, 1, 1], block=[64, 1, 1])),
                          (20, 50000, 60000, 2, on(7, 3, bytes=5000))])
    data += first_slices([(10, 1000, 70000, 5, {"External id": 1}), (10, 2000, 65000, 4, {"External id": 2}),
                          (10, 6000, 8000, 3, {"cbid": 211, "correlation": 1}),
                          (10, 22000, 24000, 3, {"cbid": 211, "correlation": 2})])
    with open(path, "wb") as file:
        file.write(data)


def write_rocprof(path):
    """As rocprofv3 writes it: tracks of queues and copies in the process of the program, (1000 s, 1000 e] on each."""
    rows = [("COMPUTE GPU [0] QUEUE [1]", "kernel_dispatch", "gemm", 1, 11),
            ("COMPUTE GPU [0] QUEUE [2]", "kernel_dispatch", "ncclDevKernel_Generic", 6, 16),
            ("COMPUTE GPU [1] QUEUE [3]", "kernel_dispatch", "gemm", 0, 4),
            ("COPY to AGENT [1] THREAD [0] (GPU)", "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE", 6, 9),
            ("COMPUTE", "hip_api", "hipLaunchKernel", 0, 1)]
    data = packet((60, message((1, 1), (3, message((1, 100)))))) + packet((10, 1), (13, CLEARED))
    for i, (name, category, what, start, end) in enumerate(rows):
        data += packet((60, message((1, 10 + i), (2, name), (5, 1))))
        data += packet((8, 1000 * start), (10, 1), (11, message((9, BEGIN), (11, 10 + i), (23, what), (22, category))))
        data += packet((8, 1000 * end), (10, 1), (11, message((9, END), (11, 10 + i))))
    with open(path, "wb") as file:
        file.write(data)


def write_stages(path):
    def work(ts, duration, gpu, queue):
        return packet((8, ts), (10, 1), (53, message((1, ts), (2, duration), (3, queue), (4, 0), (11, gpu))))

    with open(path, "wb") as file:
        file.write(work(1000, 10000, 0, 0) + work(6000, 10000, 0, 0) + work(9000, 10000, 0, 1) +
                   work(2000, 4000, 1, 0))
