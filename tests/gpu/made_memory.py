"""made_memory.py: memory by allocation events, worked out by hand."""


def memory(ts, change, address, total=None, device=0, kind=1, tid=1, **more):
    args = dict({"Bytes": change, "Addr": address, "Device Id": device, "Device Type": kind}, **more)
    args.update({"Total Allocated": total, "Total Reserved": 2 * total} if total is not None else {})
    return {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": tid, "ts": ts, "args": args}


def check_peak(place, check, x, kernel):
    """100 bytes were there before. mm takes 40 in a module, add 30; the first 40 are freed, then 60 taken by an address
    that was used before: 190 at the most, 30 of add, 60 of mm; then all is freed but what was there."""
    events = [x("python_function", "nn.Module: Net_0", 100, 1, 0, 100), x("python_function", "forward", 100, 1, 1, 50),
              x("cpu_op", "aten::mm", 100, 1, 10, 10), x("cpu_op", "aten::empty", 100, 1, 11, 5),
              x("cpu_op", "aten::add", 100, 1, 30, 10), x("cpu_op", "aten::mm", 100, 1, 60, 20),
              memory(12, 40, 7, 140), memory(32, 30, 8, 170), memory(50, -40, 7, 130), memory(70, 60, 7, 190),
              memory(90, -60, 7, 130), memory(95, -30, 8, 100), memory(5, 16, 7, 16, -1, 0),
              memory(96, 1, 9, None, 1), memory(97, 2, 10, None, 1), memory(98, -1, 9, None, 1), kernel("k", 20, 5)]
    found = place.of(events)
    rows = {(row["memory"], row["device"]): row for row in found["memory"]}
    expected = {"allocations": 3, "frees": 3, "allocated_bytes": 130, "freed_bytes": 130, "peak_bytes": 190,
                "peak_ns": 70000, "peak_recorded_bytes": 90, "reserved_bytes": 380, "end_bytes": 100, "label": "GPU 0"}
    check({key: rows["device", 0][key] for key in expected} == expected, f"memory: {rows}")
    # Without totals the level is what the events add up to: 1, 3, 2.
    check((rows["device", 1]["peak_bytes"], rows["device", 1]["peak_ns"], rows["device", 1]["end_bytes"]) == (3, 97000, 2),
          f"memory: without totals {rows}")
    check(rows["host", None]["peak_bytes"] == 16 and rows["host", None]["label"] is None, f"memory: host {rows}")
    holders = [(row["operator"], row["python_function"], row["module"], row["allocated"], row["allocations"], row["bytes"])
               for row in found["memory_holders"] if row["label"] == "GPU 0"]
    check(holders == [(None, None, None, "before", 0, 100), ("aten::mm", "nn.Module: Net_0", "nn.Module: Net_0", "recorded", 1, 60),
                      ("aten::add", "forward", "nn.Module: Net_0", "recorded", 1, 30)], f"memory: holders {holders}")
    # The peak before the first 40 are freed: of mm through aten::empty, which only allocates.
    holders = place.of(events[:7] + [kernel("k", 20, 5)])["memory_holders"]
    check([(row["operator"], row["bytes"]) for row in holders] == [(None, 100), ("aten::mm", 40)], f"memory: {holders}")
    alone = place.of([events[3], memory(12, 40, 7, 40)])["memory_holders"]
    check([row["operator"] for row in alone] == ["aten::empty"], f"memory: nothing else around {alone}")


def check_drawn(place, check, x, kernel):
    """Of the 100 bytes from before 20 are freed at 15, so the peak has 80 of them. mm holds 40, then 40 of an address that was
    never freed in between, then nothing; add 30; an empty outside of operators 5. The host has 16 once."""
    path = place.write([x("cpu_op", "aten::mm", 100, 1, 10, 30), x("cpu_op", "aten::empty", 100, 1, 31, 2), x("cpu_op", "aten::add", 100, 1, 45, 10),
                        memory(12, 40, 7, 140), memory(15, -20, 1, 120), memory(32, 40, 7, 120), memory(46, 30, 8, 150),
                        memory(60, 5, 9, 155), memory(70, -40, 7, 115), memory(80, -30, 8, 85), memory(90, 16, 7, None, -1, 0), kernel("k", 20, 5)])
    drawn = place.path("memory.pftrace")
    place.run("-q", path, "-o", drawn)
    given = {}
    for group, row, unit, ts, value in place.query(drawn, """SELECT g.name, t.name, t.unit, c.ts, c.value FROM counter c
            JOIN counter_track t ON t.id = c.track_id JOIN track p ON p.id = t.parent_id JOIN track g ON g.id = p.parent_id
            WHERE p.name = 'memory holders' ORDER BY c.ts, c.id"""):
        given.setdefault((group, row, unit), []).append((int(ts) // 1000, float(value)))
    expected = {("GPU 0", "before the recording", "bytes"): [(12, 100), (15, 80)],
                ("GPU 0", "aten::mm", "bytes"): [(12, 40), (32, 0), (32, 40), (70, 0)],
                ("GPU 0", "aten::add", "bytes"): [(46, 30), (80, 0)], ("GPU 0", "no operator", "bytes"): [(60, 5)],
                ("host memory", "no operator", "bytes"): [(90, 16)]}
    check(given == expected, f"memory: drawn {given}")
    peaks = place.query(drawn, """SELECT p.name, s.ts, extract_arg(s.arg_set_id, 'debug.peak_bytes'), extract_arg(s.arg_set_id, 'debug.holder_1'),
        extract_arg(s.arg_set_id, 'debug.holder_2') FROM slice s JOIN track t ON t.id = s.track_id JOIN track p ON p.id = t.parent_id
        WHERE t.name = 'memory peak' ORDER BY s.ts""")
    check(peaks == [["GPU 0", "60000", "155", "before the recording: 80 bytes", "aten::mm: 40 bytes"],
                    ["host memory", "90000", "16", "no operator: 16 bytes", ""]], f"memory: peaks {peaks}")


def check_odd(place, check, kernel):
    """Numbers that do not fit, frees of what was never there, events that say nothing: an answer."""
    big = 2 ** 63 - 1
    path = place.write([kernel("k", 0, 1)] + [memory(i, big, i) for i in range(3)] + [memory(5, -big - 1, 99),
                     memory(6, "x", [1], "y", "z", "w"), memory(7, 0, 0)] +
                     [memory(10 + i, 5, 1, device=i) for i in range(500)])
    found, done = place.ask(path), place.run("-q", path, "-o", place.path("odd.pftrace"))
    check(done.returncode == 0, f"memory: odd, drawn: {done.stderr}")
    check(found is not None and len(found["memory"]) == 501 and found["memory"][0]["allocated_bytes"] == big,
          f"memory: odd {found and found['memory'][:2]}")


def check_all(place, check, x, kernel):
    check_peak(place, check, x, kernel)
    check_drawn(place, check, x, kernel)
    check_odd(place, check, kernel)
