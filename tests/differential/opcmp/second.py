"""The operator comparison a second time, from docs/reference/opcmp.md and the rules of the recorded cases alone: plain
Python over the whole documents, slow and short. `compare` gives what `postfetto compare ops` has to write, or raises
Refused where the run has to end with status 1."""
import ast
import csv
import io
import json
import math

WIDTH = 115
NOT_MODELLED = "TC\u672a\u5efa\u6a21"
REDUCE = "hcom_allReduce_"


class Refused(Exception):
    """What the program calls any other failure."""


def number(value):
    """A duration of the model as a double; anything but a finite number ends the run."""
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Refused("duration")
    return float(value)


def the_process(events):
    for event in events:
        named = event.get("ph") == "M" and event.get("name") == "process_name"
        name = event.get("args", {}).get("name", "").lower() if named else ""
        if "profiling" in name or "empirical" in name:
            return event["pid"]
    pids = {event["pid"] for event in events if event.get("ph") == "X"}
    if len(pids) != 1:
        raise Refused("process")
    return pids.pop()


def pairs_of(text):
    """The durations of the kernels inside an operator, None where they cannot be used."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if not isinstance(found, list) or not found:
        return None
    for item in found:
        good = isinstance(item, (list, tuple)) and len(item) == 2 and isinstance(item[0], str)
        if not good or isinstance(item[1], bool) or not isinstance(item[1], (int, float)):
            return None
    return found


def parts_of(event, mapping):
    """(kernel type, microseconds, hit) for all that an operator adds."""
    name, args = event["name"], event.get("args", {})
    entry = mapping.get(name.replace("torch.ops.", "")) or mapping.get(name) or {}
    entry = entry if isinstance(entry, dict) else {}
    if entry.get("zero_cost"):
        return []
    types = args.get("kernel_type")
    if not types or types == "?":
        return [(entry.get("kernel_type") or name, number(event.get("dur", 0)), False)]
    pairs = pairs_of(args.get("sub_kernel_durations") or "")
    if pairs:
        return [(kind, number(us), True) for kind, us in pairs]
    kinds = [part.strip() for part in types.split(",") if part.strip()]
    each = number(event.get("dur", 0)) / len(kinds) if kinds else 0
    parts = [(kind, each, True) for kind in kinds]
    return parts + [(REDUCE, 0.0, True)] * ("all_reduce" in name.lower() and REDUCE not in kinds)


def model_side(document, mapping):
    events, kinds = document.get("traceEvents", []), {}
    process = the_process(events)
    for event in events:
        if event.get("ph") != "X" or event["pid"] != process:
            continue
        short = event["name"].replace("torch.ops.", "")
        for kind, us, hit in parts_of(event, mapping):
            row = kinds.setdefault(kind, {"us": 0.0, "count": 0, "hits": set(), "functions": []})
            row["us"] += us
            row["count"] += 1
            row["hits"].add(hit)
            row["functions"] += [short] * (short not in row["functions"])
    return kinds


def measured_side(text):
    kinds, calls = {}, {}
    for row in csv.DictReader(io.StringIO(text)):
        kind = (row.get("Type") or "").strip()
        if not kind:
            continue
        try:
            us = float(row.get("Duration(us)", 0))
        except (TypeError, ValueError) as problem:
            raise Refused("measured") from problem
        if kind.startswith("hcom_"):
            try:
                start = int(float((row.get("Start Time(us)", "0") or "0").strip()))
            except (ValueError, OverflowError):
                start = 0
            calls[start, kind] = max(calls.get((start, kind), 0.0), us)
        elif not kind.endswith("AicpuKernel"):
            total, count = kinds.get(kind, (0.0, 0))
            kinds[kind] = (total + us, count + 1)
    for (_, kind), us in calls.items():
        total, count = kinds.get(kind, (0.0, 0))
        kinds[kind] = (total + us, count + 1)
    return kinds


def row_of(kind, model, measured, passes):
    here = model.get(kind)
    total, count = measured.get(kind, (0, 0))
    us, calls = (here["us"], here["count"]) if here else (0, 0)
    per_pass, per_count = (total / passes, count / passes) if passes > 0 else (0, 0)
    status = {frozenset([True]): "HIT", frozenset([False]): "MISS"}.get(frozenset(here["hits"]), "PARTIAL") if here else NOT_MODELLED
    return {
        "kernel_type": kind,
        "tc_funcs": ", ".join(here["functions"][:3]) if here else "",
        "tc_total_us": round(us, 1),
        "tc_count": calls,
        "prof_per_fwd_us": round(per_pass, 1),
        "prof_count": round(per_count),
        "error_pct": round((us - per_pass) / per_pass * 100 if per_pass > 0 else 0, 1),
        "count_error_pct": round((calls - per_count) / per_count * 100 if per_count > 0 else 0, 1),
        "status": status,
    }


def compare(model_text, csv_text, mapping, passes):
    model, measured = model_side(json.loads(model_text), mapping), measured_side(csv_text)
    rows = [row_of(kind, model, measured, passes) for kind in sorted(set(model) | set(measured))]
    return sorted(rows, key=lambda row: max(row["tc_total_us"], row["prof_per_fwd_us"]), reverse=True)


def table(name, rows):
    """What stands on standard output for a scenario."""
    whole = 0.0
    for row in rows:
        whole += row["prof_per_fwd_us"]
    modelled = 0.0
    for row in rows:
        modelled += row["tc_total_us"]
    head = ("TC(\u03bcs)", "TC\u6b21\u6570", "Prof(\u03bcs)", "Prof\u6b21\u6570", "\u5ef6\u8fdf\u8bef\u5dee", "\u6b21\u6570\u8bef\u5dee",
            "Prof\u5360\u6bd4")
    lines = ["", "=" * WIDTH, f"{name} \u2014 TC vs Profiling per-forward", "=" * WIDTH,
             f"{'kernel_type':<35} " + " ".join(f"{text:>{width}}" for text, width in zip(head, (12, 7, 12, 8, 9, 9, 8))) +
             f" {chr(0x72b6) + chr(0x6001):<6}", "-" * WIDTH]
    for row in rows[:15]:
        share = row["prof_per_fwd_us"] / whole * 100 if whole > 0 else 0
        lines.append(f"{row['kernel_type']:<35} {row['tc_total_us']:>12.1f} {row['tc_count']:>7d} {row['prof_per_fwd_us']:>12.1f} "
                     f"{row['prof_count']:>8d} {row['error_pct']:>8.1f}% {row['count_error_pct']:>8.1f}% {share:>7.1f}% "
                     f"{row['status']:<6}")
    lines.append(f"{'TOTAL':<35} {modelled:>12.1f} {'':>7} {whole:>12.1f}")
    return "\n".join(lines) + "\n"
