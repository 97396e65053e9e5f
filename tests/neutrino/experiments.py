"""experiments.py: trees of benchmarks, of memory and of latencies that are written here, and logs that say less than they
should; all numbers are worked out by hand."""
import os

from files import load, rows_of

LAUNCH = """[probe] find 0x{0:x} name {1} bin 0x0 size 1
[exec] funcmap-find 0x{0:x} success
[exec] {2} param {3}
[exec] grid {4} block {5} shared 8
"""


def put(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as out:
        out.write(text)


def bench(kernel, original, impact):
    launch = LAUNCH.format(10, "k", 1000, "ff 0", "2 1 1", "32 1 1")
    return launch + f"[benchmark] prologue 0.5 kernel {kernel} epilogue 0.25 original {original} impact {impact}\n"


def registers(probed, pruned):
    log = f"ptxas -v probed.ptx\nptxas info    : Used {probed} registers\n" if probed is not None else ""
    return log + (f"ptxas -v pruned.ptx\nptxas info    : Used {pruned} registers\n" if pruned is not None else "")


# Launches without an impact are not of the benchmark.
LOGS = {"gemm/p1/trace/event.log": bench(1, 2, 2) + LAUNCH.format(11, "other", 5000, "", "1 1 1", "1 1 1") + bench(2, 4, 8),
        "gemm/p2/trace/one/event.log": bench(2, 4, 8) + bench(1, 2, 2),
        "conv/p1/trace/event.log": bench(3, 0, 1),
        "conv/p2/trace/event.log": LAUNCH.format(10, "k", 1000, "", "1 1 1", "1 1 1")}
KERNELS = {"0_a": ("a", 40, 24), "1_b": ("b", 30, 31), "2_c": ("c", 99, None), "3_d": ("d", None, 98)}


def check_overhead(checks):
    tree = os.path.join(checks.scratch, "experiments")
    for path, log in LOGS.items():
        put(tree, path, log)
    for folder, (name, probed, pruned) in KERNELS.items():
        put(tree, f"gemm/p1/trace/kernel/{folder}/kernel.info", f"{name}\n1\n1\n1,16\n")
        put(tree, f"gemm/p1/trace/kernel/{folder}/process.log", registers(probed, pruned))
    put(tree, "conv/p1/trace/kernel/0_x/process.log", registers(12, 10))
    done, report = checks.analyse(tree, "--only", "overhead")
    checks.equal("overhead: exit code", 0, done.returncode)
    gemm = {"launches": 2, "impact_mean": 5.0, "impact_geomean": 4.0, "impact_max": 8.0, "kernel_ms": 3.0,
            "original_ms": 6.0, "total_slowdown": 0.5}
    used = [{"kernel": "a", "pruned": 24, "probed": 40, "extra": 16}, {"kernel": "b", "pruned": 31, "probed": 30, "extra": -1}]
    conv = {"launches": 1, "impact_mean": 1.0, "impact_geomean": 1.0, "impact_max": 1.0, "kernel_ms": 3.0,
            "original_ms": 0.0, "total_slowdown": None}
    expected = {"conv": {"p1": {**conv, "registers": [{"kernel": "", "pruned": 10, "probed": 12, "extra": 2}],
                                "extra_registers_mean": 2.0}},
                "gemm": {"p1": {**gemm, "registers": used, "extra_registers_mean": 7.5},
                         "p2": {**gemm, "registers": [], "extra_registers_mean": None}}}
    found = load(report, "overhead.json")
    for probes in found.values():
        for row in probes.values():
            row["impact_geomean"] = round(row["impact_geomean"], 9)
    checks.equal("overhead", expected, found)
    row = lambda op, probe, launches, mean, geomean, most, total, extra: dict(zip(
        ("op", "probe", "launches", "impact_mean", "impact_geomean", "impact_max", "total_slowdown", "extra_registers_mean"),
        (op, probe, str(launches), mean, geomean, most, total, extra)))
    checks.equal("overhead: table", [row("conv", "p1", 1, "1.0000", "1.0000", "1.0000", "", "2.00"),
                                     row("gemm", "p1", 2, "5.0000", "4.0000", "8.0000", "0.5000", "7.50"),
                                     row("gemm", "p2", 2, "5.0000", "4.0000", "8.0000", "0.5000", "")],
                 rows_of(report, "neutrino_overhead.csv"))
    checks.equal("registers: table", [("conv", "p1", "", "10", "12", "2"), ("gemm", "p1", "a", "24", "40", "16"),
                                      ("gemm", "p1", "b", "31", "30", "-1")],
                 [tuple(row.values()) for row in rows_of(report, "neutrino_registers.csv")])
    for path in ("gemm/p1/trace", "gemm/p1/trace/", "gemm/p1/trace/.", "gemm/p1/./trace/./", "gemm//p1//trace//"):
        _, report = checks.analyse(os.path.join(tree, path), "--only", "overhead")
        checks.equal(f"overhead of {path}", {"gemm": ["p1"]},
                     {op: list(probes) for op, probes in load(report, "overhead.json").items()})
    return tree


def check_launches(checks, tree):
    """A launch of which nothing is known, one of a grid that is not a number of blocks, and two plain ones."""
    most = 2 ** 63 - 1
    put(tree, "odd/event.log", "[exec] funcmap-find 0xb fail\n[exec] grid {0} 2 1 block {0} 1 1 shared 0\n"
        "[exec] funcmap-find 0xc fail\n".format(most) + LAUNCH.format(10, "k", 7, "ff 0 10", "2 3 4", "5 6 7") +
        "[exec] probe-mem 640 (bytes)\n[exec] succeed 0\n[exec] prologue 0.5 kernel 2 epilogue 0.25\n" +
        LAUNCH.format(10, "k", 8, "", "1 1 1", "1 1 1") + "[exec] failed 700\n")
    _, report = checks.analyse(os.path.join(tree, "odd"), "--only", "event_log")
    nothing = dict.fromkeys(("name", "ts", "shared", "params", "probe_mem", "prologue_ms", "kernel_ms", "epilogue_ms"))
    none = [None, None, None]
    expected = [{**nothing, "grid": [most, 2, 1], "block": [most, 1, 1], "shared": 0, "status": ""},
                {**nothing, "grid": none, "block": none, "status": ""},
                {"name": "k", "ts": 7, "grid": [2, 3, 4], "block": [5, 6, 7], "shared": 8, "params": [255, 0, 16],
                 "probe_mem": 640, "status": "ok", "prologue_ms": 0.5, "kernel_ms": 2.0, "epilogue_ms": 0.25},
                {**nothing, "name": "k", "ts": 8, "grid": [1, 1, 1], "block": [1, 1, 1], "shared": 8, "params": [],
                 "status": "failed"}]
    checks.equal("odd launches", expected, load(report, "launches.json"))
    checks.equal("odd launches: table",
                 [("", "", "", str(most), "0", "", ""), ("", "", "", "", "", "", ""), ("k", "7", "24", "210", "8", "640", "ok"),
                  ("k", "8", "1", "1", "8", "", "failed")],
                 [tuple(row.values())[1:8] for row in rows_of(report, "neutrino_launches.csv")])


def check_memory(checks):
    """The largest of a model and a test, of runs that lie next to their output; runs without output are nobody's."""
    tree = os.path.join(checks.scratch, "memory")
    memory = lambda *numbers: "".join(
        LAUNCH.format(10, "k", 1, "", "1 1 1", "1 1 1") + f"[exec] probe-mem {n} (bytes)\n" for n in numbers)
    for path, text in {"m1/t1/s1/stdout.log": "warmup\nmax memory: 100\nmax memory: 999\n", "m1/t1/s1/r1/event.log": memory(64, 640, 65),
                       "m1/t1/s2/stdout.log": "max memory: 300\n", "m1/t1/s2/r2/event.log": memory(700),
                       "m1/t1/s3/stdout.log": "max memory: 200\n", "m1/t2/s1/stdout.log": "nothing\n",
                       "m2/t1/s1/stdout.log": "max memory: 50\n", "m2/t1/s1/r1/event.log": memory(10),
                       "m2/t2/s1/r1/event.log": memory(99999)}.items():
        put(tree, path, text)
    done, report = checks.analyse(tree, "--only", "max_mem")
    rows = [("m1", "t1", 300, 700), ("m1", "t2", 0, 0), ("m2", "t1", 50, 10)]
    lines = [f"{model} {test} {original} {probe}" for model, test, original, probe in rows]
    checks.equal("largest memory", [{"model": model, "test": test, "original": original, "probe": probe, "line": line}
                                    for (model, test, original, probe), line in zip(rows, lines)], load(report, "max_mem.json"))
    checks.equal("largest memory: table", [tuple(map(str, row)) for row in rows],
                 [tuple(row.values()) for row in rows_of(report, "neutrino_max_mem.csv")])
    checks.equal("largest memory: lines", lines,
                 [line for line in done.stdout.decode().splitlines() if not line.startswith("[write]")])


def check_latency(checks):
    """Of 2 ms, 8 with NCU and 10 with probes, of which 1, 5 and 4 are before, in and after the kernel."""
    put(checks.scratch, "latency.csv", "probe,original,ncu,neutrino,prologue,kernel,epilogue\na,2,8,10,1,5,4\nb,4,1,4,2,1,1\n")
    _, report = checks.analyse(os.path.join(checks.scratch, "latency.csv"))
    first = {"probe": "a", "ncu_ratio": 4.0, "neutrino_ratio": 5.0, "epilogue_share": 0.4, "kernel_share": 0.5,
             "prologue_share": 0.1, "stack_epilogue": 2.0, "stack_middle": 4.5, "stack_top": 5.0, "ncu_label": "4.00x",
             "neutrino_label": "5.00x"}
    second = {"probe": "b", "ncu_ratio": 0.25, "neutrino_ratio": 1.0, "epilogue_share": 0.25, "kernel_share": 0.25,
              "prologue_share": 0.5, "stack_epilogue": 0.25, "stack_middle": 0.5, "stack_top": 1.0, "ncu_label": "0.25x",
              "neutrino_label": "1.00x"}
    checks.equal("latency", [first, second], load(report, "exposed_latency.json"))
    checks.equal("latency: table", [("a", "4.00", "5.00", "0.1000", "0.5000", "0.4000"),
                                    ("b", "0.25", "1.00", "0.5000", "0.2500", "0.2500")],
                 [tuple(row.values())[1:] for row in rows_of(report, "neutrino_exposed_latency.csv")])


def check_experiments(checks):
    check_launches(checks, check_overhead(checks))
    check_memory(checks)
    check_latency(checks)
