"""report.py: from samples to rows, and rows as Markdown: one table a group, and before -> after."""
import statistics

import collections_of_ranks

GROUPS = {"import": "Import into complete tables (`info --stats`)", "analyze": "Analysis, whole process",
          "convert": "Conversion, whole process", "annotate": "Writing findings into a trace, without the import",
          "query": "SQL, without the import", "build": "Traces made in memory",
          "columns": "Argument columns, without the import", "start": "Start to exit on a tiny trace",
          "edit": "Cuts, parts and merges, whole process", "packets": "Decoding AMD thread traces, one thread",
          "collection": "Collections of ranks, all processes"}
WHOLE = ("import", "analyze", "convert", "edit")  # groups in which the processor time of the process is that of what is measured


def middle(samples, key):
    values = [sample.stats[key] for sample in samples if key in sample.stats]
    return statistics.median(values) if values else None


def summarise(case, sub, input_bytes, results, disturbed):
    """The row of one case: what each probe took, and how many times longer than ours (the first) the others."""
    row = {"case": f"{case.name}: {sub}" if sub else case.name, "group": case.group, "input_bytes": input_bytes,
           "disturbed": disturbed, "results": {}}
    for label, samples in results.items():
        times = [sample.seconds for sample in samples]
        result = {"median_s": statistics.median(times), "min_s": min(times), "max_s": max(times), "runs": len(times)}
        for key in ("events", "plain_bytes", "output_bytes", "peak_heap_kb", "peak_rss_kb", "rows", "bytes", "least", "cpu_s"):
            value = middle(samples, key)
            if value is not None:
                result[key] = value
        row["results"][label] = result
    labels = list(row["results"])
    ours = row["results"][labels[0]]
    row["ours"] = labels[0]
    row["ratios"] = {label: row["results"][label]["median_s"] / max(ours["median_s"], 1e-9) for label in labels[1:]}
    if "events" in ours and ours["events"]:
        row["events_per_s"] = ours["events"] / max(ours["median_s"], 1e-9)
        row["heap_per_event"] = ours["peak_heap_kb"] * 1024 / ours["events"]
    return row


def seconds(value):
    return f"{value * 1000:.2f} ms" if value < 0.1 else f"{value:.3f} s"


def cell(value, form):
    return format(value, form) if value is not None else "-"


def print_group(group, rows):
    print(f"### {GROUPS[group]}\n")
    print("| case | MB | median | least | CPU | MB/s | M events/s | heap MB | B/event | RSS MB | the others, times ours |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        ours = row["results"][row["ours"]]
        plain = ours.get("plain_bytes") or (ours.get("bytes") if group in ("annotate", "columns", "packets") else None)
        rate = plain / 1e6 / max(ours["median_s"], 1e-9) if plain else None
        events = row["events_per_s"] / 1e6 if "events_per_s" in row else None
        heap = ours["peak_heap_kb"] / 1024 if "peak_heap_kb" in ours else None
        rss = ours["peak_rss_kb"] / 1024 if "peak_rss_kb" in ours else None
        others = "; ".join(f"{label} {ratio:.2f}" for label, ratio in row["ratios"].items())
        cells = [row["case"], f"{row['input_bytes'] / 1e6:.1f}", seconds(ours["median_s"]), seconds(ours["min_s"]),
                 seconds(ours["cpu_s"]) if group in WHOLE else "-", cell(rate, ".0f"), cell(events, ".1f"), cell(heap, ".1f"), cell(row.get("heap_per_event"), ".1f"),
                 cell(rss, ".1f"), others or "-"]
        print("| " + " | ".join(cells) + " |")
    print()


def print_tables(rows):
    for group in GROUPS:
        members = [row for row in rows if row["group"] == group]
        if members and group == "collection":
            print(f"### {GROUPS[group]}\n\n" + "\n".join(collections_of_ranks.lines(members)) + "\n")
        elif members:
            print_group(group, members)


def compare(old, rows):
    """Prints what became of each case that both have."""
    before = {row["case"]: row for row in old["rows"]}
    print(f"### Before ({old['commit']}) -> after\n")
    print("| case | what | median | ratio | least | ratio | heap KB |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        for label, now in row["results"].items():
            then = before.get(row["case"], {}).get("results", {}).get(label)
            if then is None or (label != row["ours"] and label != "1 thread"):
                continue
            heap = f"{then['peak_heap_kb']:.0f} -> {now['peak_heap_kb']:.0f}" if "peak_heap_kb" in now else "-"
            print(f"| {row['case']} | {label} | {seconds(then['median_s'])} -> {seconds(now['median_s'])} "
                  f"| {now['median_s'] / max(then['median_s'], 1e-9):.2f} "
                  f"| {seconds(then['min_s'])} -> {seconds(now['min_s'])} "
                  f"| {now['min_s'] / max(then['min_s'], 1e-9):.2f} | {heap} |")
    print()
