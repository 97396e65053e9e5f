"""schema.py: what of a document breaks a JSON schema; the words of JSON schema that `--json-schema` uses, no others."""

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None),
         "boolean": bool}
KNOWN = {"$schema", "title", "description", "type", "properties", "required", "additionalProperties", "items", "const"}


def is_of(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name != "boolean")


def faults(value, outline, where="document"):
    for word in set(outline) - KNOWN:
        yield f"{where}: the schema says '{word}', which this does not know"
    if "const" in outline and value != outline["const"]:
        yield f"{where}: {value!r} is not {outline['const']!r}"
    types = outline.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, name) for name in types):
        yield f"{where}: {value!r} is no {' or '.join(types)}"
    if isinstance(value, dict):
        properties = outline.get("properties", {})
        for name in outline.get("required", []):
            if name not in value:
                yield f"{where}: {name} is missing"
        for name, member in value.items():
            if name in properties:
                yield from faults(member, properties[name], f"{where}.{name}")
            elif outline.get("additionalProperties") is False:
                yield f"{where}: {name} is unknown to the schema"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from faults(item, outline.get("items", {}), f"{where}[{i}]")


# By table what may be null: what a trace may leave out, and means and shares of nothing.
NULLABLE = {
    "devices": {"rank", "device_name", "busy_percent", "idle_cause"},
    "streams": {"stream_name", "busy_percent", "idle_cause"},
    "concurrency": set(),
    "kernels": {"rank", "share_percent", "grid", "block", "registers_per_thread", "shared_memory_bytes",
                "occupancy_percent"},
    "memcpy": {"rank", "bytes", "bandwidth_gb_per_s"},
    "collectives": {"rank", "bytes", "ranks", "type", "group", "algorithm_bandwidth_gb_per_s",
                    "bus_bandwidth_gb_per_s"},
    "operators": {"rank", "shapes"},
    "operator_kernels": {"rank", "operator", "shapes", "share_percent"},
    "flops": {"rank", "shapes", "type", "flop", "bytes", "tflop_per_s", "bandwidth_gb_per_s", "intensity", "peak_percent", "bound"},
    "modules": {"rank"},
    "module_tree": {"rank", "parent"},
    "threads": {"rank", "process", "thread", "thread_name"},
    "counters": {"rank"},
    "memory": {"rank", "device", "memory", "label"},
    "memory_holders": {"rank", "device", "memory", "operator", "python_function", "module", "bytes", "share_percent", "label"},
    "launches": {"rank", "queue_depth_mean"} | {f"{what}_{which}" for what in ("delay", "wait")
                                                for which in ("mean", "median", "p95", "min", "max")},
    "queue": {"rank"},
    "gaps": {"rank", "before", "after", "host_operator", "python_function"},
    "host_gaps": {"rank", "thread", "thread_name", "running_slice", "cpu_taken_by", "blocked_function", "wakers"},
    "host_wakers": {"rank", "thread", "thread_name", "interrupt", "blocked_ns", "runnable_ns"},
    "runtime": {"rank", "share_percent"},
    "syncs": {"rank"},
    "steps": {"rank", "device", "label", "busy_percent", "name", "host_start_ns", "host_end_ns", "start_ns", "end_ns", "period_ns", "lag_ns"},
    "step_summary": {"rank", "device", "label", "busy_percent", "exposed_communication_percent", "items_per_second", "flops_per_second"},
    "critical_path": {"rank", "name", "thread", "device", "stream"},
    "critical_path_share": {"rank", "device"} | {f"{name}_percent" for name in ("compute", "communication", "memory",
                                                                                "launch", "host", "waiting")},
    "ranks": {"rank", "median_step_ns", "clock_offset", "clock_offset_error", "clock_line_at", "clock_line_offset", "drift_ppb",
              "clock_uncertainty", "last", "caused_ns", "waited_ns", "work_correlation"},
    "stragglers": {"group", "bytes", "recorded_last_input", "recorded_last_rank", "last_input", "last_rank", "step", "cause_input", "cause_rank"},
    "rank_costs": {"rank", "share_percent", "step", "group", "cause", "name", "more_ns"},
    "rank_causes": {"rank", "name", "calls"},
    "step_spread": {"longest_rank", "most_work_rank"},
    "rank_map": {"first_rank", "last_rank", "busy_percent", "communication_percent", "exposed_communication_percent"},
}
UNITS = [("_ns", "ns"), ("bytes", "bytes"), ("_percent", "%"), ("tflop_per_s", "TFLOP/s"), ("intensity", "FLOP/byte"), ("flop", "FLOP"), ("_gb_per_s", "GB/s"), ("_ppb", "ppb"), ("items_per_second", "1/s"),
         ("flops_per_second", "FLOP/s")]


def object_faults(where, outline):
    if outline.get("type") != "object" or outline.get("additionalProperties") is not False:
        yield f"{where} is no closed object"
    if outline.get("required") != [name for name in outline["properties"] if name != "nothing"]:
        yield f"{where}: required is {outline.get('required')}"


def unit_of(name):
    """By the end of a column's name; delays, waits and clocks are in ns without saying so."""
    if name.startswith(("delay_", "wait_", "clock_", "period_")) or name.startswith("work_") and name != "work_correlation":
        return "unit: ns"
    return next((f"unit: {unit}" for end, unit in UNITS if name.endswith(end)), None)


def table_faults(table, outline):
    """A list of closed objects, with units, of which just these columns may be null; devices have two lists inside."""
    if set(outline) != {"type", "description", "items"} or outline["type"] != "array" or len(outline["description"]) < 20:
        yield f"schema of {table}: {[word for word in outline if word != 'items']}"
    yield from object_faults(f"schema of {table}", outline["items"])
    inner = ["streams", "concurrency"] if table == "devices" else []
    columns = {name: column for name, column in outline["items"]["properties"].items() if name not in inner}
    for name in inner:
        yield from table_faults(name, outline["items"]["properties"][name])
    for name, column in columns.items():
        types = column["type"] if isinstance(column["type"], list) else [column["type"]]
        if types[1:] != (["null"] if name in NULLABLE[table] else []) or types[0] not in ("integer", "number", "string"):
            yield f"schema of {table}.{name}: type {types}"
        if column.get("description") != unit_of(name):
            yield f"schema of {table}.{name}: {column.get('description')}"


def shape_faults(outline):
    """What is wrong with the schema itself: columns and tables by the documents, the rest by the lists above."""
    yield from object_faults("schema", outline)
    if set(outline["properties"]) != set(NULLABLE) - {"streams", "concurrency"} | {"schema_version", "nothing"}:
        yield f"schema: tables {list(outline['properties'])}"
    if outline.get("$schema") != "https://json-schema.org/draft/2020-12/schema" or "analyze gpu" not in outline["title"]:
        yield "schema: which schema it is, and of what"
    if outline["properties"]["nothing"]["type"] != "string" or len(outline["properties"]["nothing"]["description"]) < 20:
        yield "schema: why there is nothing"
    if outline["properties"]["schema_version"] != {"const": 2}:
        yield "schema: version"
    for table in set(outline["properties"]) - {"schema_version", "nothing"}:
        yield from table_faults(table, outline["properties"][table])
