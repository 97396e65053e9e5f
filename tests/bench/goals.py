"""goals.py: the goals of the project as rows of a table, each with what was measured next to it.

Perfetto's native engine is not at hand; its WebAssembly build takes 1.65 times as long for both forms (measured once, side by
side with v58.2 at -O2 on a quiet machine), so that a ratio to tp_query divided by that is the ratio to the native engine. The medians decide
whether a goal is met (growth: the better of both); what the least times of all runs say stands next to them, since a busy
machine disturbs those less.
"""
import collections

import everyday
from cases import (EVERYDAY, OPS_REFERENCE_S, annotate_case, build_case, columns_case, compare_case, cut_case, everyday_case, files_case, gpu_case,
                   import_case, ops_case, query_case, sched_case, start_case)

SLOWER = 1.65

FIRST_MARK, LAST_MARK = "<!-- goals: written by scripts/bench --goals --readme -->", "<!-- end of goals -->"

# `measure`: a function of the rows by case to (text by medians, text by the least times, whether the goal is met).
Goal = collections.namedtuple("Goal", "key work required stretch cases measure")


def against_engine(key, work, required, stretch, name, size):
    """How many times faster than the native engine with one thread and with two."""
    case = import_case(name, size)

    def measure(rows):
        results = rows[case.name]["results"]
        if "tp_query" not in results:
            return "not measured: tp_query is not here", "-", None
        times = {what: [results["tp_query"][what] / results[label][what] for label in ("1 thread", "2 threads")]
                 for what in ("median_s", "min_s")}
        texts = [f"x{one / SLOWER:.1f} / x{two / SLOWER:.1f} (tp_query: x{one:.0f} / x{two:.0f})" for one, two in times.values()]
        return *texts, all(time / SLOWER >= bound for time, bound in zip(times["median_s"], required))
    return Goal(key, work, f"x{required[0]} / x{required[1]}", f"x{stretch[0]} / x{stretch[1]}", [case], measure)


def scheduler(form, name):
    """How many times faster than tp_query a question to sched and one to thread_state are, imports included."""
    case = sched_case(name, 100)

    def measure(rows):
        results = rows[case.name]["results"]
        if "tp_query" not in results:
            return "not measured: tp_query is not here", "-", None
        ours = [results[f"count of {table}"] for table in ("sched", "thread_state")]
        times = {what: [results["tp_query"][what] / one[what] for one in ours] for what in ("median_s", "min_s")}
        texts = [f"x{sched:.1f}, with thread_state x{states:.1f}" for sched, states in times.values()]
        return texts[0] + f", {ours[0]['peak_rss_kb'] / 1024:.0f} MB", texts[1], times["median_s"][0] >= 20
    return Goal("sched", f"count of sched, scheduler in {form}, 100 MB, 2 threads, against tp_query", "x20", "", [case], measure)


def compressed(name, size):
    case = import_case(name, size, False)

    def measure(rows):
        results = rows[case.name]["results"]
        ratios, texts = [], []
        for what in ("median_s", "min_s"):
            ours, inflate, plain = (results[label][what] for label in ("2 threads", "inflate alone", "plain, 1 thread"))
            ratios.append(ours / max(inflate, (inflate + plain) / 2))
            texts.append(f"{ratios[-1]:.2f} x ({ours * 1000:.0f} ms; inflate {inflate * 1000:.0f}, plain {plain * 1000:.0f})")
        return *texts, ratios[0] <= 1.25
    return Goal("gzip", f"{name}, 2 threads, against max(inflate, (inflate + plain import with 1 thread) / 2)", "<= 1.25 x",
                "below zlib's time", [case], measure)


def heap(work, bound, name, size):
    case = import_case(name, size, False)

    def measure(rows):
        bytes_each = rows[case.name]["heap_per_event"]
        return f"{bytes_each:.1f} B", "-", bytes_each <= bound
    return Goal("heap", f"heap per event, {work}", f"<= {bound} B", "<= 40 B" if bound == 50 else "", [case], measure)


def growth(name):
    small, large = import_case(name, 100, False), import_case(name, 1000, False)

    def measure(rows):
        a, b = rows[small.name], rows[large.name]
        one, two = a["results"]["2 threads"], b["results"]["2 threads"]
        factor = two["plain_bytes"] / one["plain_bytes"]
        times = [two[what] / one[what] / factor for what in ("median_s", "min_s")]
        heaps = b["heap_per_event"] / a["heap_per_event"]
        return f"time x{times[0]:.2f}, heap x{heaps:.2f}", f"time x{times[1]:.2f}", min(times) <= 1.1 and heaps <= 1.1
    return Goal("growth", f"growth from 100 MB to 1 GB, {name}", "<= x1.1 of linear", "", [small, large], measure)


def annotate(name, size):
    case = annotate_case(name, size)

    def measure(rows):
        ours = rows[case.name]["results"]["ours"]
        rate, best = (ours["bytes"] / ours[what] / 1e9 for what in ("median_s", "min_s"))
        return f"{rate:.2f} GB/s", f"{best:.2f} GB/s", rate >= 2
    return Goal("annotate", "annotate: original bytes copied on top of the import (tmpfs, without fsync)", ">= 2 GB/s", "",
                [case], measure)


def files(form, bound, more_mb):
    case = files_case("general.json", 100)

    def measure(rows):
        imported, made = (rows[case.name]["results"][label] for label in ("import", form))
        texts = [f"x{made[what] / imported[what]:.1f} ({made[what] * 1000:.0f} ms; import {imported[what] * 1000:.0f} ms)"
                 for what in ("median_s", "min_s")]
        more = (made["peak_rss_kb"] - imported["peak_rss_kb"]) / 1024
        return texts[0] + f", +{more:.0f} MB", texts[1], made["median_s"] <= bound * imported["median_s"] and more <= more_mb
    return Goal("files", f"{form} of the 100 MB general JSON, against its import", f"<= x{bound}, <= +{more_mb} MB", "", [case], measure)


def cut(work, label, name, size):
    case = cut_case(name, size)

    def measure(rows):
        ours, imported = (rows[case.name]["results"][each] for each in (label, "import"))
        texts = [f"{size / 1000 / ours[what]:.2f} GB/s ({ours[what] * 1000:.0f} ms; import {imported[what] * 1000:.0f} ms)"
                 for what in ("median_s", "min_s")]
        return *texts, size / 1000 / ours["median_s"] >= 1.5
    return Goal("cut", f"cut {work}, {size} MB of {name}, 2 threads, input", ">= 1.5 GB/s", "", [case], measure)


def sql(sub, stretch):
    case = query_case("general.pftrace", 100)

    def measure(rows):
        row = rows[f"{case.name}: {sub}"]
        ours, engine = row["results"]["ours"], row["results"].get("tp_query")
        if engine is None:
            return f"{ours['median_s'] * 1000:.0f} ms; tp_query is not here", f"{ours['min_s'] * 1000:.0f} ms", None
        texts = [f"{ours[what] * 1000:.0f} ms (tp_query {engine[what] * 1000:.0f} ms)" for what in ("median_s", "min_s")]
        return *texts, ours["median_s"] < engine["median_s"]
    return Goal("sql", f"SQL over 2.5 M slices: {sub}", "faster than tp_query", stretch, [case], measure)


def asked(kind, sub):
    """As fast as the native engine. The first question about arguments makes their table, which the engine's import does:
    that one with both imports."""
    case = everyday_case(kind)
    imported = [import_case(EVERYDAY[kind][1], 50)] if sub == everyday.FIRST else []

    def measure(rows):
        texts, ratios = [], []
        for what in ("median_s", "min_s"):
            found = [rows[row]["results"] for row in [f"{case.name}: {sub}"] + [each.name for each in imported]]
            ours = sum(one["2 threads" if "2 threads" in one else "ours"][what] for one in found)
            if any("tp_query" not in one for one in found):
                return f"{ours * 1000:.1f} ms; tp_query is not here", "-", None
            engine = sum(one["tp_query"][what] for one in found)
            ratios.append(max(ours, 0.005) * SLOWER / max(engine, 0.005 * SLOWER))
            texts.append(f"{ours * 1000:.1f} ms (tp_query {engine * 1000:.0f} ms)")
        return *texts, ratios[0] <= 1
    required = "<= tp_query / 1.65, imports included" if imported else "<= tp_query / 1.65, or 5 ms"
    return Goal("everyday", f"everyday SQL, {kind}: {sub}", required, "", [case] + imported, measure)


def build(slices):
    case = build_case(slices)

    def measure(rows):
        made, read = (rows[f"{case.name}: {sub}"]["results"]["ours"] for sub in ("build and write", "import of the result"))
        texts = [f"x{made[what] / read[what]:.1f} ({made[what]:.2f} s; import {read[what]:.2f} s)"
                 for what in ("median_s", "min_s")]
        return *texts, made["median_s"] <= 4 * read["median_s"]
    return Goal("build", f"{slices // 1000000} M slices with two arguments built and written, against their import", "<= x4", "",
                [case], measure)


def arg_columns(name, size):
    case = columns_case(name, size)

    def measure(rows):
        ours = rows[case.name]["results"]["2 threads"]
        rate, best = (ours["bytes"] / ours[what] / 1e9 for what in ("median_s", "min_s"))
        return f"{rate:.2f} GB/s", f"{best:.2f} GB/s", rate >= 1
    return Goal("columns", "five argument columns of JSON like PyTorch's, 2 threads, argument bytes", ">= 1 GB/s", "", [case],
                measure)


def operators(size):
    """Times faster than the program before; what Python needs to load the trace says how this machine compares."""
    case = ops_case(size)

    def measure(rows):
        results = rows[case.name]["results"]
        ours, imported, load = (results[label] for label in ("ours", "import", "python json.load"))
        texts = [f"x{OPS_REFERENCE_S / ours[what]:.0f} ({ours[what]:.2f} s; x{ours[what] / imported[what]:.2f} of the import; "
                 f"json.load {load[what]:.1f} s)" for what in ("median_s", "min_s")]
        memory = ours["peak_rss_kb"] / 1024
        return texts[0] + f", {memory:.0f} MB", texts[1], OPS_REFERENCE_S / ours["median_s"] >= 30 and memory <= 120
    return Goal("ops", f"compare ops, a million operators, {size} MB of JSON: against {OPS_REFERENCE_S:.0f} s and 1,200 MB",
                "x30, a tenth of the memory", "", [case], measure)


def compared(work, name, size):
    case = compare_case(name, size)

    def measure(rows):
        ours, imported = (rows[case.name]["results"][label] for label in ("ours", "import"))
        texts = [f"x{ours[what] / 2 / imported[what]:.2f} ({ours[what]:.2f} s; imports 2 x {imported[what]:.2f} s)"
                 for what in ("median_s", "min_s")]
        return *texts, ours["median_s"] <= 1.3 * 2 * imported["median_s"]
    return Goal("compare", f"compare of two traces, {work}, against importing both", "<= x1.3", "", [case], measure)


def gpu(work, name, size):
    """As people see it, and with all tables (--json)."""
    case = gpu_case(name, size)

    def measure(rows):
        ours, all_tables, imported = (rows[case.name]["results"][label] for label in ("ours", "with --json", "import"))
        ratios = {what: [found[what] / imported[what] for found in (ours, all_tables)] for what in ("median_s", "min_s")}
        texts = [f"x{one:.2f} / x{tables:.2f}" for one, tables in ratios.values()]
        more = (ours["peak_rss_kb"] - imported["peak_rss_kb"]) / 1024
        return texts[0] + f" (import {imported['median_s'] * 1000:.0f} ms), +{more:.0f} MB", texts[1], \
            ratios["median_s"][0] <= 1.3 and ratios["median_s"][1] <= 1.5 and more <= 200
    return Goal("gpu", f"analyze gpu, {work}, and with all tables, against the import", "<= x1.3 / x1.5, <= +200 MB", "",
                [case], measure)


def tiny(name):
    case = start_case(name)

    def measure(rows):
        ours = rows[case.name]["results"]["ours"]
        time, memory = ours["median_s"] * 1000, ours["peak_rss_kb"] / 1024
        return f"{time:.2f} ms, {memory:.1f} MB", f"{ours['least'] * 1000:.2f} ms", time < 5 and memory < 6
    return Goal("tiny", f"{name}, whole process", "< 5 ms, < 6 MB", "", [case], measure)


GOALS = [
    against_engine("binary", "gen_trace .pftrace, 100 MB", (17, 27), (20, 40), "general.pftrace", 100),
    against_engine("annotated", "annotated .pftrace, 33 B an event", (24, 34), (40, 60), "annotated.pftrace", 100),
    against_engine("json", "gen_trace JSON, 495 MB", (8, 13), (11, 24), "general.json", 500),
    against_engine("torch", "JSON like PyTorch's", (14, 18), (24, 56), "torch.json", 200),
    against_engine("disorder", "out of order within tracks, .pftrace", (7, 10), (12, 20), "disorder.pftrace", 100),
    against_engine("disorder", "out of order within tracks, JSON", (7, 10), (17, 28), "torch_ends.json", 200),
    scheduler("compact_sched", "sched.pftrace"),
    scheduler("plain events", "sched_plain.pftrace"),
    compressed("general.pftrace.gz", 100),
    compressed("general.json.gz", 100),
    compressed("torch.json.gz", 100),
    heap("in order, .pftrace", 50, "general.pftrace", 100),
    heap("in order, JSON", 50, "general.json", 500),
    heap("in order, annotated .pftrace", 50, "annotated.pftrace", 100),
    heap("sorting, .pftrace", 110, "disorder.pftrace", 100),
    heap("sorting (tracks in order, not the whole), JSON like PyTorch's", 110, "torch.json", 200),
    heap("sorting, JSON", 110, "torch_ends.json", 200),
    growth("interned.pftrace"),
    growth("interned.json"),
    annotate("general.pftrace", 100),
    cut("to a tenth of the time", "ours", "interned.pftrace", 1000),
    cut("to a process in such a window", "a process in the window", "interned.pftrace", 1000),
    cut("to a tenth of the time", "ours", "annotated.pftrace", 100),
    sql("count, sum", "69 ms (native)"),
    sql("group by track", ""),
    sql("group by name", ""),
    *[asked(kind, sub) for kind, (queries, _, engine) in EVERYDAY.items() if engine for sub in queries],
    build(5000000),
    files("archive", 4, 100),
    files("parquet", 8, 100),
    arg_columns("torch.json", 200),
    operators(260),
    compared("5 M events each, .pftrace", "general.pftrace", 100),
    compared("JSON like PyTorch's", "torch.json", 200),
    gpu("a million events, JSON", "torch.json", 200),
    gpu("5 million events, JSON", "torch.json", 1000),
    gpu("a million events, .pftrace", "torch.pftrace", 200),
    gpu("a million kernels alone, JSON", "torch_kernels.json", 365),
    gpu("a million kernels alone, .pftrace", "torch_kernels.pftrace", 365),
    tiny("tiny.pftrace"),
    tiny("tiny.json"),
]


def cases_of(goals):
    """The cases that the goals need, each once; one with the engine serves those that want it without."""
    wanted = collections.OrderedDict()
    for goal in goals:
        for case in goal.cases:
            wanted.setdefault(case.name, case)
    return list(wanted.values())


def make_table(goals, rows):
    """The table as data and as lines of Markdown."""
    found = {row["case"]: row for row in rows}
    lines = ["| work | required, 1 / 2 threads | stretch | measured | by the least times | met | repeat with |",
             "|---|---|---|---|---|---|---|"]
    table = []
    for goal in goals:
        text, least, met = goal.measure(found)
        command = f"scripts/bench --goals --only {goal.key}"
        table.append({"work": goal.work, "required": goal.required, "stretch": goal.stretch, "measured": text,
                      "least": least, "met": met, "command": command})
        verdict = "-" if met is None else "yes" if met else "no"
        lines.append(f"| {goal.work} | {goal.required} | {goal.stretch or '-'} | {text} | {least} | {verdict} | `{command}` |")
    return table, lines


def put_into(path, lines):
    """Replaces what stands between the two marks of the file."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    before, _, rest = text.partition(FIRST_MARK)
    _, _, after = rest.partition(LAST_MARK)
    if not after:
        raise ValueError(f"{path} lacks {FIRST_MARK} or {LAST_MARK}")
    with open(path, "w", encoding="utf-8") as target:
        target.write(before + FIRST_MARK + "\n" + "\n".join(lines) + "\n" + LAST_MARK + after)
