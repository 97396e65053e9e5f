"""Archives for Perfetto's UI (tests/columns/archive runs it).

usage: archive.py POSTFETTO CORPUS [--seed N] [--count N]

Three judges: the rules that the loader of the engine has (a TAR and its manifest byte by byte, Arrow by flat.py and pyarrow); the
archives that Perfetto v58.2 made of the same traces (CORPUS/archive), compared by meaning, since numbers of rows may differ; and
`query`, whose rows the tables must have. POSTFETTO_LONG=1: all traces of the corpus for the last one.
"""
import argparse
import collections
import glob
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import pyarrow.ipc

import flat

passed = failed = 0
WIDTH = {"uint32": 4, "int32": 4, "int64": 8, "double": 8, "string": 4}

# What is not as Perfetto v58.2 has it, and why.
EXPECTED = {
    "aie_2x2": {"thread", "track", "slice"},  # cycles, which the engine takes for microseconds; threads without slices
    "args_json": {"track", "slice"},  # v58 notes a upid at the source of async tracks, and drops arguments after ""
    "async_tracks": {"track", "slice"},  # the same
    "negative_times": {"thread", "track", "counter"},  # a counter before zero, which the importer drops
}
MORE = {"async_tracks": {"track_event_callstacks", "stack_profile_frame", "stack_profile_callsite"}, "negative_times": {"counter"}}


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok {what}", *(str(d)[:500] for d in details), sep="\n    ")


# ---- reading


def members(data):
    """The members of a TAR, whose headers must be right."""
    at, out = 0, []
    while data[at:at + 512] != bytes(512):
        header = data[at:at + 512]
        total = sum(header[:148]) + 8 * 32 + sum(header[156:])
        assert int(header[148:154], 8) == total, "checksum"
        assert header[257:265] == b"ustar\x0000" and header[156:157] == b"0", "magic and type"
        size = int(header[124:135], 8)
        out.append((header[:100].rstrip(b"\0").decode(), data[at + 512:at + 512 + size]))
        at += 512 + (size + 511) // 512 * 512
    assert data[at:] == bytes(1024), "two empty blocks at the end"
    return out


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    files = {}
    manifest = None
    with_tar = members(data) if not path.endswith("native.tar") else native(path)
    for name, content in with_tar:
        if name == "perfetto_manifest.json":
            manifest = json.loads(content)["perfetto_manifest"]
        else:
            files[name] = content
    return data, manifest, files


def native(path):
    import tarfile
    with tarfile.open(path) as archive:
        return [(m.name, archive.extractfile(m).read()) for m in archive.getmembers()]


def short(name):
    return name.replace("__intrinsic_", "").replace(".arrow", "")


def rows_of(files):
    return {short(n): pyarrow.ipc.open_file(io.BytesIO(b)).read_all().to_pylist() for n, b in files.items()}


# ---- the loader's rules


def check_file(what, content, schema):
    (rows, nodes, buffers), dictionaries, body = flat.read(content)
    columns = schema["columns"]
    assert [c["name"] for c in columns][0] == "id" and rows == schema["row_count"], "id first, the rows"
    at = used = 0
    for node, column in zip(nodes, columns[1:], strict=True):
        (bits_at, bits), (_, values) = buffers[at], buffers[at + 1]
        nullable = column["nullability"] != "non_null"
        assert node[0] == rows and bits == ((rows + 7) // 8 if nullable else 0), "the bits of " + column["name"]
        there = sum(body[bits_at + (i >> 3)] >> (i & 7) & 1 for i in range(rows)) if nullable else rows
        assert node[1] == rows - there, "the NULLs of " + column["name"]
        assert values == rows * WIDTH[column["type"]], "the values of " + column["name"]
        if column["type"] == "string":
            (count, _, parts), texts = dictionaries[used]
            offsets = [int.from_bytes(texts[parts[1][0] + 4 * i:parts[1][0] + 4 * i + 4], "little") for i in range(count + 1)]
            assert parts[0][1] == 0 and parts[1][1] == 4 * (count + 1) and offsets[0] == 0, "offsets of " + column["name"]
            assert offsets == sorted(offsets) and offsets[-1] == parts[2][1], "texts of " + column["name"]
            used += 1
        at += 2
    assert at == len(buffers) and used == len(dictionaries), "nothing else"
    assert all(offset % 64 == 0 for offset, _ in buffers), "alignment"


def check_rows(what, tables, schemas):
    for name, rows in tables.items():
        for c in schemas[name]["columns"]:
            if c["sort"] == "sorted":
                values = [r[c["name"]] for r in rows]
                assert values == sorted(values), f"{name}.{c['name']} is sorted"
    args = tables.get("args", [])
    seen = set()
    for i, r in enumerate(args):
        assert r["arg_set_id"] == i or (i and r["arg_set_id"] == args[i - 1]["arg_set_id"]), "a set is its first row"
        assert (r["arg_set_id"], r["key"]) not in seen, "a key once a set"
        seen.add((r["arg_set_id"], r["key"]))
    slices = tables.get("slice", [])
    for i, r in enumerate(slices):
        parent = r["parent_id"]
        assert (parent is None) == (r["depth"] == 0), "depth 0 has no parent"
        if parent is not None:
            assert parent < i and slices[parent]["track_id"] == r["track_id"], "a parent is earlier, on the track"
            assert slices[parent]["depth"] + 1 == r["depth"], "depth"
    tracks = tables.get("track", [])
    for name in ("slice", "counter", "state"):
        assert all(r["track_id"] < len(tracks) for r in tables.get(name, [])), "a track"
    idle = tables["thread"][0]
    assert (idle["tid"], idle["upid"], idle["is_idle"]) == (0, 0, 1), "the idle thread"
    idle = [r["machine_id"] for r in tables["thread"] if r["is_idle"]]
    assert idle == list(range(len(tables["machine"]))), "an idle thread of each machine"


def check_rules(what, data, manifest, files):
    try:
        names = [n for n, _ in members(data)]
        assert names[0] == "perfetto_manifest.json" and b'"postfetto.content":"' in data[:4096], "manifest first"
        assert data.index(b'"postfetto.content"') < data.index(b'"files"'), "the hash in front of the files"
        assert all(len(n) < 100 for n in names) and manifest["version"] == 1, "names, version"
        assert all(isinstance(v, (str, int)) for v in manifest["attributes"].values()), "attributes"
        schemas = {}
        for f in manifest["files"]:
            schema = f["__exported_table_schema"]
            assert f["path"] == schema["name"] + ".arrow" and schema["format"] == 1 and schema["row_count"] > 0, "a file"
            schemas[short(schema["name"])] = schema
            check_file(what, files[f["path"]], schema)
        assert sorted(files) == sorted(s["name"] + ".arrow" for s in schemas.values()), "no other member"
        check_rows(what, rows_of(files), schemas)
        check(f"{what}: rules", True)
    except (AssertionError, ValueError, KeyError, IndexError) as e:
        check(f"{what}: rules", False, repr(e))


# ---- the recorded archives, by meaning


def meanings(t, text_ids):
    """Every row of every table with what its ids stand for in their places, as text."""
    sets = collections.defaultdict(list)
    for r in t.get("args", []):
        sets[r["arg_set_id"]].append(r)

    def process(u):
        if u is None:
            return None
        p = dict(t["process"][u])
        p["pid"] = None if text_ids and u else p["pid"]
        p["parent_upid"], p["arg_set_id"] = process(p["parent_upid"]), args(p["arg_set_id"])
        return p

    def thread(u):
        if u is None:
            return None
        x = dict(t["thread"][u])
        x["tid"] = None if text_ids and u else x["tid"]
        x["upid"], x["arg_set_id"] = process(x["upid"]), args(x["arg_set_id"])
        return x

    def args(number):
        if number is None:
            return None
        out = []
        for r in sets[number]:
            value = (r["int_value"], r["string_value"], r["real_value"], r["value_type"])
            value = thread(value[0]) if r["key"] == "utid" else process(value[0]) if r["key"] == "upid" else value
            value = "any" if r["key"] == "track_compressor_idx" or (text_ids and r["key"] in ("track_uuid", "trace_id")) else value
            out.append((r["flat_key"], r["key"], value))
        return sorted(map(repr, out))

    def track(i):
        if i is None:
            return None
        x = dict(t["track"][i])
        for k in ("dimension_arg_set_id", "source_arg_set_id"):
            x[k] = args(x[k])
        x["utid"], x["upid"], x["parent_id"] = thread(x["utid"]), process(x["upid"]), track(x["parent_id"])
        x["track_group_id"] = x["track_group_id"] is not None
        return x

    def piece(i):
        if i is None:
            return None
        s = dict(t["slice"][i])
        s["track_id"], s["parent_id"], s["arg_set_id"] = track(s["track_id"]), piece(s["parent_id"]), args(s["arg_set_id"])
        return s

    of_column = {"track_id": track, "slice_id": piece, "slice_out": piece, "slice_in": piece, "arg_set_id": args, "upid": process}
    out = {"process": map(process, range(len(t["process"]))), "thread": map(thread, range(len(t["thread"]))),
           "track": map(track, range(len(t.get("track", [])))), "slice": map(piece, range(len(t.get("slice", []))))}
    for name, rows in t.items():
        if name not in out and name not in ("args", "cpu", "trace_diagnostics"):
            out[name] = [{k: of_column[k](v) if k in of_column else None if text_ids and k == "trace_id" else v
                          for k, v in r.items()} for r in rows]
    return {name: collections.Counter(map(repr, rows)) for name, rows in out.items()}


def exact_schemas(manifest):
    return {f["__exported_table_schema"]["name"]: [
        {k: v == "non_null" if k == "nullability" else v for k, v in c.items()} for c in f["__exported_table_schema"]["columns"]
    ] for f in manifest["files"]}


def compare_recorded(program, corpus):
    for folder in sorted(glob.glob(os.path.join(corpus, "archive", "*/"))):
        case = os.path.basename(folder[:-1])
        source = glob.glob(folder + "source.*")[0]
        subprocess.run([program, "convert", source, "-o", "a.perfetto.tar", "-q"], check=True)
        data, manifest, files = load("a.perfetto.tar")
        check_rules(case, data, manifest, files)
        _, recorded, theirs = load(folder + "native.tar")
        a, b = exact_schemas(recorded), exact_schemas(manifest)
        tables, ours = ({short(n) for n in manifest} - {"cpu", "trace_diagnostics"} for manifest in (a, b))
        check(f"{case}: tables", tables - ours == set() and ours - tables == MORE.get(case, set()), tables ^ ours)
        check(f"{case}: schemas", all(a[n] == b[n] for n in a if n in b), [n for n in a if n in b and a[n] != b[n]])
        text_ids = case == "torch_triton"
        x, y = meanings(rows_of(theirs), text_ids), meanings(rows_of(files), text_ids)
        for name in sorted(x.keys() & y.keys()):
            expected = name in EXPECTED.get(case, ())
            check(f"{case}: {name}", (x[name] == y[name]) != expected, *(list((x[name] - y[name]) + (y[name] - x[name]))[:2]))


# ---- queries


def names_a_track(table, column):
    return column == "track_id" or (table == "track" and column == "parent_id")


def compare_query(program, source):
    made = subprocess.run([program, "convert", source, "-o", "b.perfetto.tar", "-q"], capture_output=True, text=True, check=False)
    if made.returncode == 3 and "is not a trace" in made.stderr:
        return
    if made.returncode:
        check(f"{source}: convert", False, made.stderr)
        return
    data, manifest, files = load("b.perfetto.tar")
    check_rules(source, data, manifest, files)
    piped = subprocess.run([program, "convert", source, "-o", "-", "--to", "archive", "-q"], capture_output=True, check=True)
    check(f"{source}: a pipe has the same bytes", piped.stdout == data)
    tables, schemas = rows_of(files), {short(f["__exported_table_schema"]["name"]): f["__exported_table_schema"] for f in manifest["files"]}
    sql, asked = [], []
    for name in sorted(tables.keys() - {"machine", "cpu", "trace_diagnostics", "track_event_callstacks", "stack_profile_frame"}):
        columns = [c["name"] for c in schemas[name]["columns"][1:]]
        inside = {"track": "__intrinsic_track", "gpu_context": "__intrinsic_gpu_context"}.get(name, name)
        order = {"thread": "utid", "process": "upid", "gpu": "ugpu"}.get(name, "id")
        sql.append(f"SELECT {','.join(columns)} FROM {inside} ORDER BY {order};")
        asked.append((name, schemas[name]["columns"][1:]))
    sql.append("SELECT id FROM __intrinsic_track ORDER BY id;")
    said = subprocess.run([program, "query", source, "-q", "--format", "json", "\n".join(sql)], capture_output=True, check=True)
    results = [r["rows"] for r in json.loads(said.stdout.decode("utf-8", "surrogatepass"))["results"]]
    number = {r[0]: i for i, r in enumerate(results.pop())}
    for (name, columns), want in zip(asked, results, strict=True):
        got = [list(r.values()) for r in tables[name]]
        for r in want:
            for i, c in enumerate(columns):
                if r[i] is None and c["nullability"] == "non_null":
                    r[i] = 0
                elif r[i] is not None and names_a_track(name, c["name"]):
                    r[i] = number[r[i]]
        idle = 1 if name == "thread" else 0  # its name in binary traces is the engine's
        same = len(got) == len(want) and all(equal(a, b) for a, b in zip(got[idle:], want[idle:]))
        first = next(((a, b) for a, b in zip(got[idle:], want[idle:]) if not equal(a, b)), (len(got), len(want)))
        check(f"{source}: {name} is what query prints", same, *first)


def equal(a, b):
    return a == b or all(x == y or (x != x and y is None) for x, y in zip(a, b))


def sample(corpus, seed, count):
    found = sorted(p for p in glob.glob(os.path.join(corpus, "**", "*"), recursive=True)
                   if re.search(r"(trace|source|input)[^/]*\.(json|json\.gz|pftrace|pftrace\.gz|pb|perfetto-trace)$", p)
                   and "/aiu/" not in p and os.path.getsize(p) < 3_000_000)
    return found if os.environ.get("POSTFETTO_LONG") == "1" else random.Random(seed).sample(found, min(count, len(found)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("corpus")
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--count", type=int, default=12)
    a = p.parse_args()
    seed = random.SystemRandom().randrange(1 << 31) if a.seed is None else a.seed
    program, corpus = os.path.abspath(a.program), os.path.abspath(a.corpus)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        compare_recorded(program, corpus)
        for source in [f"{corpus}/real/android-startup-warm/trace.pftrace", *sample(corpus, seed, a.count)]:
            compare_query(program, source)
        os.chdir("/")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
