"""Random captures of torch's profiler with AIUs: a document for each rank, see captures.py."""
START_US = 1475001720000.0
KERNELS = ["embedding", "layer_norm", "addmm_MatMul", "bmm-BMM_1", "softmax", "sdsc_[N]_mm", "add_1"]


class Document:
    """The events of a rank."""

    def __init__(self, rng, rank, host_pid, device_pid):
        self.rng, self.rank, self.host, self.device, self.events = rng, rank, host_pid, device_pid, []

    def slice(self, name, category, pid, tid, start, length, args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": round(START_US + start, 3),
                            "dur": round(length, 3), "args": args})

    def arrow(self, phase, number, pid, tid, start):
        event = {"ph": phase, "id": number, "pid": pid, "tid": tid, "ts": round(START_US + start, 3), "cat": "ac2g", "name": "ac2g"}
        self.events.append(dict(event, bp="e") if phase == "f" else event)

    def launch(self, name, start, correlation):
        """A launch, what it moves and the kernels, the wait. Returns the end."""
        rng = self.rng
        joined = {"correlation": correlation} if correlation is not None else {}
        self.slice("aiuLaunchControlBlocks", rng.choice(["cuda_runtime", "privateuse1_runtime"]), self.host, self.host, start, 5.0,
                   dict({"External id": 2, "cbid": 3, "num_cbs": 2}, **joined))
        arrows = correlation is not None and rng.random() < 0.7
        if arrows:
            self.arrow("s", correlation, self.host, self.host, start)
        at = start + 7
        if rng.random() < 0.4:
            self.slice("Memcpy (HtoD)", "gpu_memcpy", self.device, 100, at, 3.0,
                       dict({"device": 0, "bytes": 65536, "memory bandwidth (GB/s)": rng.choice([0, 21.8453])}, **joined))
            at += 4
        for _ in range(rng.choice([1, 1, 2])):
            length = rng.choice([14.107, 30.763, 2.0])
            args = dict({"External id": 0, "device": 0, "stream": 1, "context": "1"}, **joined)
            if "[N]" in name:
                args["fn_idx"] = rng.randrange(3)
            self.slice(name, "kernel", self.device, 1, at, length, args)
            if arrows and rng.random() < 0.8:
                self.arrow("f", correlation, self.device, 1, at)
            at += length + rng.choice([0.5, 3])
        if rng.random() < 0.6:
            begin = start + 6
            self.slice("aiuScheduleWait", "cuda_runtime", self.host, self.host + 1, begin, max(1.0, at - begin + rng.choice([4, 4, -8])),
                       dict({"External id": 2}, **joined))
        if rng.random() < 0.3:
            self.slice("Memcpy (DtoH)", "gpu_memcpy", self.device, 200, at, 3.0,
                       dict({"device": 0, "bytes": 4096, "memory bandwidth (GB/s)": 10.9227}, **joined))
            at += 4
        return at

    def metadata(self):
        for pid, label in ((self.host, "CPU"), (self.device, f"AIU {self.rng.choice(['0', '1', 'x'])}")):
            for name, args in (("process_name", {"name": "python3"}), ("process_labels", {"labels": label}),
                               ("process_sort_index", {"sort_index": pid})):
                self.events.append({"name": name, "ph": "M", "ts": START_US, "pid": pid, "tid": 0, "args": args})

    def others(self, end):
        rng = self.rng
        if rng.random() < 0.4:
            self.slice("aten::mm", "cpu_op", self.host, self.host, 2.0, 4.0, {"External id": 1, "Ev Idx": 0})
        if rng.random() < 0.3:
            self.slice("ProfilerStep#0", "user_annotation", self.host, self.host, 0.0, end + 10, {})
        if rng.random() < 0.2:
            self.slice("HCOLL Host DMA Wait for ACK", "gpu_user_annotation", self.device, 2, 12.0, 3.0, {"device": 0})
        if rng.random() < 0.2:
            self.events.append({"ph": "i", "s": "t", "name": "[memory]", "pid": self.host, "tid": self.host, "ts": START_US + 9,
                                "args": {"Bytes": 65536, "Device Id": 0}})
        if rng.random() < 0.15:
            self.events.append({"ph": "C", "name": "load", "pid": 0, "ts": START_US + 8, "args": {"v": 2}})


def make_torch(rng):
    ranks_count = rng.choice([1, 1, 1, 2, 2, 3, 4])
    names = [rng.choice(KERNELS) for _ in range(rng.choice([1, 2, 4, 7]))]
    host = rng.choice([4242, 4242, 77, 999, 1000, 300])
    equal = rng.random() < 0.4
    lost = 0.1 if rng.random() < 0.1 else 0  # the original ends where a launch has no correlation
    files = {}
    for rank in range(ranks_count):
        document = Document(rng, rank, host + rng.choice([0, rank]), rng.choice([0, 0, rank]))
        if rng.random() < 0.7:
            document.metadata()
        at, number = 50.0, 101 if rng.random() < 0.7 else 101 + 1000 * rank
        for name in names * rng.choice([1, 1, 2]):
            correlation = None if rng.random() < lost else number
            at = document.launch(name, at, correlation) + rng.choice([1, 20])
            number += 0 if equal and rng.random() < 0.5 else 1
        document.others(at)
        trace = {"schemaVersion": 1, "deviceProperties": [{"id": rank if rng.random() < 0.5 else 0, "name": "AIU", "type": "AIU"}]}
        if rng.random() < 0.02:
            trace["deviceProperties"].append({"id": 7, "name": "AIU"})
        if rng.random() < 0.8:
            trace["distributedInfo"] = {"backend": "gloo", "rank": rank, "world_size": ranks_count}
        if rng.random() < 0.5:
            trace.update({"displayTimeUnit": "ms", "baseTimeNanoseconds": 1700000000000000000 + rank, "traceName": f"trace_{rank}.json"})
        if rng.random() < 0.3:
            trace["with_flops"] = rank
        trace["traceEvents"] = document.events if rng.random() < 0.5 else sorted(document.events, key=lambda e: e["ts"])
        files[f"torch_rank_{rank}.pt.trace.json"] = trace
    return files, ranks_count, 1000.0, [name.replace("[N]", str(rng.randrange(3))) for name in names]
