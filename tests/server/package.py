"""Perfetto's own Python package with postfetto as its trace processor (tests/server/run runs this).

usage: package.py POSTFETTO QUERIES.sql ANSWERS.jsonl|- SMALL [TRACE...]

Queries: over HTTP the answers of the engine, which ask.mjs has asked before ("-": nobody could), type by type. Then
what surrounds queries: ways to send a trace, tables as data frames, failures, batches, many clients, restarts, and
requests that the package would never send. Random parts print their seed (POSTFETTO_SEED).
"""
import gzip
import http.client
import io
import json
import os
import random
import re
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

import numpy
from perfetto.batch_trace_processor.api import BatchTraceProcessor, BatchTraceProcessorConfig
from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
from perfetto.trace_processor.api import SqlPackage
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

POSTFETTO, QUERIES, ANSWERS, SMALL, *TRACES = sys.argv[1:]
LONG = os.environ.get("POSTFETTO_LONG") == "1"
SEED = int(os.environ.get("POSTFETTO_SEED") or random.SystemRandom().randrange(10**6))
RANDOM = random.Random(SEED)
PROTOS = ProtoFactory(PlatformDelegate())
counts = {"passed": 0, "failed": 0, "skipped": 0}


def check(what, good, *details):
    counts["passed" if good else "failed"] += 1
    if not good:
        print(f"not ok {what}", *(str(d)[:700] for d in details), sep="\n    ")


def failure(call):
    """The text of the exception that the call ends in, or None."""
    try:
        call()
    except Exception as e:
        return str(e)
    return None


def start(trace=None, **config):
    return TraceProcessor(trace=trace, config=TraceProcessorConfig(bin_path=POSTFETTO, **config))


def rows(result):
    return [tuple(vars(row).values()) for row in result]


class Server:
    """A server that a person starts; it ends with the block."""

    def __init__(self, *args, before=()):
        self.args, self.before = args, before

    def __enter__(self):
        self.process = subprocess.Popen([*self.before, POSTFETTO, "server", "http", "--port", "0", *self.args],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline()
        while "serves on" not in self.said and self.process.poll() is None:
            self.said += self.process.stderr.readline()
        self.port = int(re.search(r"serves on .*, port (\d+)", self.said).group(1))
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def client(self, trace=None):
        return TraceProcessor(trace=trace, addr=f"127.0.0.1:{self.port}")

    def ask(self, path, body=b"", headers={}, method="POST", timeout=30):
        """Status, headers and body of a request on a connection of its own."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            c.request(method, path, body, dict(headers))
            r = c.getresponse()
            return r.status, r.headers, r.read()
        finally:
            c.close()

    def raw(self, data, shut=True):
        """What comes back for these bytes until the server closes, or says nothing more for a while."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=3) as s:
            got = b""
            try:
                s.sendall(data)
                if shut:
                    s.shutdown(socket.SHUT_WR)
                while piece := s.recv(65536):
                    got += piece
            except OSError:
                pass
            return got

    def query(self, sql):
        args = PROTOS.QueryArgs(sql_query=sql)
        result = PROTOS.QueryResult()
        result.ParseFromString(self.ask("/query", args.SerializeToString())[2])
        return result

    def alive(self):
        return self.query("select 1").batch[-1].varint_cells[:] == [1]

    def memory_kb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))


# ---- the answers of the engine

def sections():
    text = open(QUERIES, encoding="utf-8").read()
    return re.findall(r"^-- @name (\S+)\n(.*?)(?=^-- @name |\Z)", text, re.S | re.M)


def cell(v):
    if v is None:
        return None
    if isinstance(v, (float, numpy.floating)):
        return ["f", struct.pack("<d", v).hex()]
    if isinstance(v, (bytes, bytearray)):
        return ["b", bytes(v).hex()]
    return ["s", v] if isinstance(v, str) else ["i", str(int(v))]


def near(a, b):
    """The same cells, reals to 14 digits: the engine was compiled for another machine."""
    if a == b or not (a and b and a[0] == b[0] == "f"):
        return a == b
    x, y = (struct.unpack("<d", bytes.fromhex(v[1]))[0] for v in (a, b))
    return abs(x - y) <= 1e-14 * abs(x)


def answer(tp, sql):
    try:
        result = tp.query(sql)
    except Exception as e:
        return {"error": str(e)}
    return {"columns": list(result.column_names),
            "rows": [[cell(v) for v in result.cells[i:i + result.column_count]]
                     for i in range(0, result.cell_count, result.column_count or 1)]}


def agree(ours, theirs):
    if "error" in ours or "error" in theirs:
        last = [a.get("error", "").strip().split("\n")[-1] for a in (ours, theirs)]
        return "error" in ours and "error" in theirs and (last[0] == last[1] or not last[1].startswith("no such"))
    if theirs == {"columns": ["0"], "rows": []}:  # the engine's statements without rows have a column of that name
        return ours == {"columns": [], "rows": []}
    return (ours["columns"] == theirs["columns"] and len(ours["rows"]) == len(theirs["rows"]) and
            all(near(a, b) for x, y in zip(ours["rows"], theirs["rows"]) for a, b in zip(x, y)))


def compare_queries():
    if ANSWERS == "-":
        counts["skipped"] += 1
        print("skip: the engine is not here, answers are not compared")
        return
    with open(ANSWERS, encoding="utf-8") as f:
        for trace, line in zip(TRACES, f):
            theirs = json.loads(line)
            with start(trace) as tp:
                for name, sql in sections():
                    ours = answer(tp, sql)
                    check(f"{trace}: {name}", agree(ours, theirs[name]), ours, theirs[name])


# ---- traces

def send_traces():
    whole = open(SMALL, "rb").read()
    sql = "select count(*) as n, sum(dur) as d from slice"
    with start(SMALL) as tp:
        expected = rows(tp.query(sql))
    cut = sorted(RANDOM.randrange(len(whole)) for _ in range(20))
    pieces = [whole[a:b] for a, b in zip([0] + cut, cut + [len(whole)])]
    for what, trace in {"file object": io.BytesIO(whole), "generator": (p for p in pieces), "gzip": io.BytesIO(gzip.compress(whole)),
                        "pieces of a byte": iter([whole[:1], whole[1:2], whole[2:]])}.items():
        with start(trace) as tp:
            check(f"trace as {what}", rows(tp.query(sql)) == expected)
    with start() as tp:
        check("no trace: queries", rows(tp.query("select 1 + 1 as two")) == [(2,)])
        check("no trace: no slices", rows(tp.query("select count(*) from slice")) == [(0,)])
    for what, data in {"random bytes": b"\xff" + bytes(RANDOM.randrange(256) for _ in range(4000)), "text": b"hello world\n" * 100,
                       "cut gzip": gzip.compress(whole)[:60]}.items():
        said = failure(lambda data=data: start(io.BytesIO(data)).query("select 1"))
        check(f"{what}: a failure that says why", said and len(said) > 10 and "Traceback" not in said, said)
    with start(io.BytesIO(b"")) as tp:
        said = failure(lambda: tp.query("select 1"))
        check("an empty trace is answered", said is None or len(said) > 5, said)
    with Server("--max-input", "1000") as s:
        said = failure(lambda: s.client(io.BytesIO(whole)))
        check("a trace beyond --max-input", said and "--max-input" in said, said)
    with Server(before=("bash", "-c", 'ulimit -f 8; exec "$@"', "bash")) as s:
        said = failure(lambda: s.client(io.BytesIO(whole * 8)))
        check("no room for a trace", said and "could not be written to TMPDIR" in said, said)
        check("and then", s.query("select 1").error != "" and s.ask("/status")[0] == 200)
    with Server(SMALL) as s:
        status = PROTOS.StatusResult()
        status.ParseFromString(s.ask("/status", method="GET")[2])
        check("status of a file", status.loaded_trace_name.startswith(SMALL) and status.api_version == 14, status)
        with s.client() as tp:
            check("a file that was read at the start", rows(tp.query(sql)) == expected)
        with s.client(io.BytesIO(whole)) as tp:
            check("a trace after a trace", rows(tp.query(sql)) == expected)
        status.ParseFromString(s.ask("/status")[2])
        check("status of what was sent", status.loaded_trace_name == "Unnamed trace (0 MB)", status)


# ---- what the package makes of rows

def convert():
    with start(TRACES[0] if TRACES else SMALL) as tp:
        sql = "select id, ts, dur, name, dur / 3.0 as third, parent_id from slice order by id limit 3000"
        whole = rows(tp.query(sql))
        frame = tp.query(sql).as_pandas_dataframe()
        check("pandas: shape", frame.shape == (len(whole), 6) and list(frame.columns)[:2] == ["id", "ts"])
        check("pandas: cells", [tuple(None if v != v else v for v in r) for r in frame.itertuples(index=False)] == whole)
        check("polars: cells", tp.query(sql).as_polars_dataframe().rows() == whole)
        check("len", len(tp.query(sql)) == len(whole))
        check("an empty frame has its columns", list(tp.query("select id, ts from slice where 0").as_pandas_dataframe().columns) in (["id", "ts"],))
        with tempfile.TemporaryDirectory() as folder:
            tp.export(f"{folder}/x.db", "sqlite")
            with sqlite3.connect(f"{folder}/x.db") as db:
                check("export: a database", db.execute("select count(*) from slice").fetchone() == rows(tp.query("select count(*) from slice"))[0])
            tp.export(f"{folder}/x.tar", "perfetto")
            with tarfile.open(f"{folder}/x.tar") as tar:
                check("export: an archive", any(n.endswith("manifest.json") for n in tar.getnames()), tar.getnames())
        check("metrics are not known", failure(lambda: tp.metric(["android_mem"])) == "Unknown metric android_mem")
        check("summaries are not supported", "not supported" in (failure(lambda: tp.trace_summary(["x"])) or ""))
        tp.enable_metatrace()
        check("metatrace is empty", tp.disable_and_read_metatrace() == b"")
    with BatchTraceProcessor([SMALL] * 3, config=BatchTraceProcessorConfig(tp_config=TraceProcessorConfig(bin_path=POSTFETTO))) as batch:
        sizes = [int(f["n"][0]) for f in batch.query("select count(*) as n from slice")]
        check("batch: each", len(sizes) == 3 and len(set(sizes)) == 1 and sizes[0] > 0, sizes)
        check("batch: flattened", len(batch.query_and_flatten("select id from slice limit 5")) == 15)


# ---- messages as the specification has them

def batches():
    with Server(SMALL) as s:
        got = s.ask("/query", PROTOS.QueryArgs(sql_query="select 1").SerializeToString())
        want = bytes.fromhex("0a013120012801320873656c65637420311a0a2a000a010212010130013" + "9")
        check("select 1, byte by byte", got[2][:-8] == want, got[2].hex())
        check("headers of a query", got[1]["Transfer-Encoding"] == "chunked" and got[1]["Content-Type"] == "application/x-protobuf" and
              got[1]["Cache-Control"] == "no-cache", got[1])
        sizes = [len(b.cells) for b in s.query("with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select i, i from n").batch]
        check("200,000 rows of two integers", sizes == [32766] * 12 + [6808], sizes)
        sizes = [len(b.cells) for b in s.query("with recursive n(i) as (select 1 union all select i + 1 from n where i < 120000) select null from n").batch]
        check("rows of NULL", sizes == [50000, 50000, 20000], sizes)
        many = ", ".join(f"{i} as c{i}" for i in range(1500))
        big = s.query(f"with recursive n(i) as (select 1 union all select i + 1 from n where i < 100) select {many} from n")
        check("whole rows", all(len(b.cells) % 1500 == 0 for b in big.batch) and sum(len(b.cells) for b in big.batch) == 150000)
        check("only the last batch is the last", [b.is_last_batch for b in big.batch] == [False] * (len(big.batch) - 1) + [True])
        r = s.query("select 1; create table t as select 2; select 3 as three, 'x' as x;")
        check("counts of statements", (r.statement_count, r.statement_with_output_count, r.last_statement_sql) ==
              (3, 2, "select 3 as three, 'x' as x") and list(r.column_names) == ["three", "x"], r)
        r = s.query("with recursive n(i) as (select 1 union all select i + 1 from n where i < 70000) select case when i < 70000 then i else abs(-9223372036854775808) end from n")
        check("rows before a failing row", "integer overflow" in r.error and sum(len(b.cells) for b in r.batch) == 69999 and r.batch[-1].is_last_batch)
        r = s.query("nonsense")
        check("a failure has a last batch", len(r.batch) == 1 and r.batch[0].is_last_batch and "nonsense" in r.error)
        check("text that is not UTF-8", s.query("select cast(x'61ff62' as text)").batch[0].string_cells == "a\ufffdb\0")
        r = s.query("include perfetto module no.such.module; select * from made_there")
        check("a failure with its warning", "no such table: made_there\nwarning: " in r.error and "no.such.module" in r.error, r.error)
        check("time is told", 0 < s.query("select count(*) from slice").elapsed_time_ms < 60000)


def large_result():
    n = 5_000_000 if LONG else 400_000
    with Server(SMALL) as s:
        before = s.memory_kb()
        c = http.client.HTTPConnection("127.0.0.1", s.port, timeout=100)
        c.request("POST", "/query", PROTOS.QueryArgs(sql_query=f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {n}) "
                                                               "select i, i * 0.5, 'row ' || i from n").SerializeToString())
        r = c.getresponse()
        size = 0
        while piece := r.read(1 << 20):
            size += len(piece)
        grown = s.memory_kb() - before
        check(f"{n} rows in bounded memory", size > 20 * n and grown < 20_000, size, grown)
        print(f"    {n} rows, {size >> 20} MiB, the server grew by {grown >> 10} MiB")
        c.close()
    if LONG:
        stalled(40_000_000)
    with start(SMALL) as tp:
        sql = f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {n}) select i, 'x' || i as t from n"
        result = tp.query(sql)
        check(f"{n} rows by the package", len(result) == n and result.cells[-2] == n and result.cells[-1] == f"x{n}")


def stalled(n):
    """A client that does not read its answer keeps the others waiting, but not for ever."""
    with Server(SMALL) as s:
        body = PROTOS.QueryArgs(sql_query=f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {n}) select i, i from n").SerializeToString()
        with socket.create_connection(("127.0.0.1", s.port)) as c:
            c.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(1)
            began = time.monotonic()
            r = PROTOS.QueryResult()
            r.ParseFromString(s.ask("/query", PROTOS.QueryArgs(sql_query="select 1").SerializeToString(), timeout=100)[2])
            waited = time.monotonic() - began
            check("a client that does not read", r.batch[-1].varint_cells[:] == [1] and 30 < waited < 90, waited)


# ---- several clients, one session

def clients():
    with Server(SMALL) as s:
        with s.client() as a, s.client() as b:
            a.query("create perfetto table mine as select 5 as five")
            check("tables are shared", rows(b.query("select five from mine")) == [(5,)])
            s.ask("/restore_initial_tables")
            check("tables are dropped", "no such table: mine" in (failure(lambda: b.query("select * from mine")) or ""))
            check("and the trace is there", rows(a.query("select count(*) > 0 from slice")) == [(1,)])
        wrong = []

        def work(k):
            chance = random.Random(SEED + k)
            with s.client() as tp:
                for _ in range(20):
                    n = chance.randrange(1, 3000)
                    got = rows(tp.query(f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {n}) select sum(i), {k} from n"))
                    if got != [(n * (n + 1) // 2, k)]:
                        wrong.append((k, n, got))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        check("eight clients", not wrong, wrong)
        endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select sum(i) from n"
        body = PROTOS.QueryArgs(sql_query=endless).SerializeToString()
        c = socket.create_connection(("127.0.0.1", s.port))
        c.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        time.sleep(0.3)
        began = time.monotonic()
        check("status while a query runs", s.ask("/status", timeout=20)[0] == 200)
        c.close()
        check("a query ends with its client", s.alive() and time.monotonic() - began < 30, time.monotonic() - began)
    with Server(SMALL, "--query-timeout", "500ms") as s:
        began = time.monotonic()
        error = s.query("with recursive n(i) as (select 1 union all select i + 1 from n) select sum(i) from n").error
        check("a query that takes too long", "--query-timeout" in error and time.monotonic() - began < 30, error)
        check("and the next one", s.alive())
    with Server(SMALL, "--max-memory", "100M") as s:
        error = s.query("select zeroblob(90000000)").error
        check("a row that wants too much memory", "--max-memory" in error, error)
        error = s.query("create table big as with recursive n(i) as (select 1 union all select i + 1 from n) select hex(randomblob(1000)) from n").error
        check("a query that wants too much memory", "--max-memory" in error or "out of memory" in error, error)
        check("and the next one again", s.alive())


# ---- starting and ending

def lives():
    with Server(SMALL) as s:
        taken = subprocess.run([POSTFETTO, "-D", "--http-port", str(s.port)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        check("a port that is taken", taken.returncode == 6 and "is taken by postfetto" in taken.stderr, taken)
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server(SMALL) as other:
                c = http.client.HTTPConnection("127.0.0.1", other.port)
                c.request("POST", "/query", PROTOS.QueryArgs(sql_query="with recursive n(i) as (select 1 union all select i + 1 from n) select sum(i) from n").SerializeToString())
                time.sleep(0.2)
                other.process.send_signal(number)
                check(f"signal {number} ends it within a query", other.process.wait(30) == 128 + number)
                c.close()
        s.process.kill()
        s.process.wait()
        again = subprocess.Popen([POSTFETTO, "server", "http", SMALL, "--port", str(s.port)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        again.stderr.readline()
        with s.client() as tp:
            check("a new server on the port of one that was killed", rows(tp.query("select count(*) > 0 from slice")) == [(1,)])
        again.kill()
        again.wait()
        again.stderr.close()
    for _ in range(5):
        with start(SMALL) as tp:
            pid = tp.subprocess.pid
        check("closed", failure(lambda: os.kill(pid, 0)) is not None or open(f"/proc/{pid}/stat").read().split()[2] == "Z")
    # a client that is gone takes its server along
    code = f"from perfetto.trace_processor import *; import os; tp = TraceProcessor(config=TraceProcessorConfig(bin_path={POSTFETTO!r})); print(tp.subprocess.pid, flush=True); os._exit(0)"
    pid = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
    for _ in range(200):
        if not os.path.exists(f"/proc/{pid}") or open(f"/proc/{pid}/stat").read().split()[2] == "Z":
            break
        time.sleep(0.1)
    else:
        os.kill(pid, signal.SIGKILL)
        check("an orphan ends", False)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/mine")
        with open(f"{folder}/mine/tables.sql", "w", encoding="utf-8") as f:
            f.write("CREATE PERFETTO TABLE made AS SELECT count(*) AS n FROM slice;")
        for package, name in ((f"{folder}/mine", "mine"), (SqlPackage(f"{folder}/mine", package="other"), "other")):
            with start(SMALL, add_sql_packages=[package]) as tp:
                got = rows(tp.query(f"INCLUDE PERFETTO MODULE {name}.tables; SELECT n > 0 AS some FROM made"))
                said = failure(lambda tp=tp, name=name: tp.query(f"INCLUDE PERFETTO MODULE {name}.nothing"))
            check(f"a package of SQL as {name}", got == [(1,)] and "unknown module" in (said or ""), got, said)
    check("flags of the package", failure(lambda: start(SMALL, ingest_ftrace_in_raw=True, enable_dev_features=True, extra_flags=["--full-sort", "--dev-flag", "a=b"]).close()) is None)


# ---- requests that nobody should send

def security():
    with Server(SMALL) as s:
        status = PROTOS.QueryArgs(sql_query="create table was_here as select 1").SerializeToString()
        for origin in ("https://evil.example", "null", "https://ui.perfetto.dev.evil.example", "http://localhost:10001"):
            got = s.ask("/query", status, {"Origin": origin})
            check(f"origin {origin}", got[0] == 403 and got[2] == b"Origin not allowed" and "Access-Control-Allow-Origin" not in got[1], got)
        check("nothing ran", "no such table" in s.query("select * from was_here").error)
        for origin in ("https://ui.perfetto.dev", "http://LOCALHOST:10000", "http://127.0.0.1:10000"):
            got = s.ask("/status", headers={"Origin": origin})
            check(f"origin {origin}", got[0] == 200 and got[1]["Access-Control-Allow-Origin"] == origin and got[1]["Vary"] == "Origin", got)
        for origin, allowed in (("https://ui.perfetto.dev", True), ("https://evil.example", False)):
            got = s.ask("/anything", headers={"Origin": origin}, method="OPTIONS")
            check(f"OPTIONS of {origin}", got[0] == 204 and got[1]["Access-Control-Allow-Methods"] == "POST, GET, OPTIONS" and
                  got[1]["Access-Control-Allow-Headers"] == "*" and got[1]["Access-Control-Max-Age"] == "86400" and
                  got[1]["Access-Control-Allow-Private-Network"] == "true" and (got[1]["Access-Control-Allow-Origin"] == origin) == allowed, got[1])
        for host, code in (("evil.example", 403), (f"evil.example:{s.port}", 403), ("localhost", 200), (f"127.0.0.1:{s.port}", 200), ("[::1]:80", 200)):
            check(f"host {host}", s.ask("/status", headers={"Host": host})[0] == code)
        for sql in ("attach 'x.db' as x", "select load_extension('x')", "vacuum into 'x.db'", "select readfile('/etc/passwd')", "select writefile('x', 'y')",
                    "pragma temp_store_directory = '/tmp'", "pragma writable_schema = 1", "create virtual table v using fts5(a)", "detach main",
                    "select * from pragma_database_list; attach ':memory:' as y", "delete from slice", "drop table slice", "update sqlite_master set sql = ''"):
            check(f"refused: {sql}", s.query(sql).error != "", s.query(sql))
        check("the trace is as it was", s.query("select count(*) from slice").batch[0].varint_cells[0] > 0)
    with Server(SMALL, "--additional-cors-origins", "https://a.example, http://b.example:8080") as s:
        check("an origin of one's own", s.ask("/status", headers={"Origin": "http://b.example:8080"})[0] == 200)
        check("and no other", s.ask("/status", headers={"Origin": "http://b.example"})[0] == 403)
    with Server(SMALL, "--ip-address", "0.0.0.0") as s:
        check("another address is warned of", "can read the trace" in s.said, s.said)
        check("and a strange name refused", s.ask("/status", headers={"Host": "evil.example"})[0] == 403)


def malformed():
    with Server(SMALL) as s:
        for path, code in (("/nothing", 404), ("/query?x", 404), ("/query/", 404), ("//", 404), ("/rpc", 501), ("/websocket", 501), ("/", 200)):
            check(f"path {path}", s.ask(path, method="GET")[0] == code)
        for method in ("GET", "POST", "PUT", "DELETE", "FOO"):
            check(f"{method} /status", s.ask("/status", method=method)[0] == 200)
        check("too long", s.ask("/query", b"", {"Content-Length": str(1 << 40)})[0] == 413)
        long = PROTOS.QueryArgs(sql_query="select 1 /*" + "x" * 25_000_000 + "*/").SerializeToString()
        r = PROTOS.QueryResult()
        r.ParseFromString(s.ask("/query", long)[2])
        check("SQL that is too long", "too long" in r.error and r.batch[-1].is_last_batch, r)
        r = s.query("select /*" + "x" * 10000 + "*/ nowhere /*" + "x" * 10000 + "*/")
        check("of a long line what is near", len(r.error) < 1700 and "line 1 col 10013\n" in r.error and re.search(r"\n {504}\^\nno such column: nowhere$", r.error), r.error)
        check("other arguments that are too long", s.ask("/compute_metric", long)[0] == 413)
        check("no format", s.ask("/export")[0:3:2] == (400, b"Export format is required"))
        check("no such format", s.ask("/export", b"\x08\x02")[0] == 400)
        chunked = b"POST /query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n\x0a\x08sel\r\n5\r\nect 1\r\n0\r\n\r\n"
        check("a chunked request", b"\x32\x08select 1" in s.raw(chunked, shut=False))
        two = b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2
        check("two requests at once", s.raw(two).count(b"HTTP/1.1 200") == 2)
        check("a request of HTTP/1.0", b" 200 OK" in s.raw(b"GET /status HTTP/1.0\r\n\r\n"))
        for damaged in (b"", b"\x0a", b"\x0a\xff", b"\x0a\x08sele", b"\xff" * 30, b"\x00", b"\x0a\x08select 1\x0a", b"\x1a\x02x"):
            r = PROTOS.QueryResult()
            r.ParseFromString(s.ask("/query", damaged)[2])
            check(f"arguments {damaged!r}", r.batch[-1].is_last_batch and (r.error == "No valid SQL to run" or r.last_statement_sql == "select 1"), r)
        for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /status\r\n\r\n", b"nonsense\r\n\r\n", b"GET /status HTTP/9.9\r\n\r\n", b"GET /status HTTP/1.1\r\nno colon\r\n\r\n",
                     b"GET /status HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20000 + b"\r\n", b"GET /" + b"a" * 600000 + b" HTTP/1.1\r\n\r\n",
                     b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc",
                     b"POST /query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100):
            s.raw(data)
        check("alive after nonsense", s.ask("/status")[0] == 200)
        paths = [b"/status", b"/query", b"/parse", b"/notify_eof", b"/export", b"/compute_metric", b"/trace_summary", b"/restore_initial_tables"]
        for _ in range(2000 if LONG else 200):
            body = bytes(RANDOM.randrange(256) for _ in range(RANDOM.randrange(60)))
            length = len(body) if RANDOM.random() < 0.8 else RANDOM.randrange(100)
            request = bytearray(b"%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (RANDOM.choice([b"GET", b"POST"]), RANDOM.choice(paths), length) + body)
            for _ in range(RANDOM.choice([0, 0, 1, 3])):
                request[RANDOM.randrange(len(request))] = RANDOM.randrange(256)
            s.raw(bytes(request))
        check(f"alive after random requests (seed {SEED})", s.process.poll() is None and s.ask("/status")[0] == 200)
        s.ask("/notify_eof")
        with s.client(SMALL) as tp:
            check("and a trace can be sent", rows(tp.query("select count(*) > 0 from slice")) == [(1,)])
        keep = http.client.HTTPConnection("127.0.0.1", s.port)
        for _ in range(50):
            keep.request("GET", "/status")
            keep.getresponse().read()
        check("one connection for many requests", keep.sock is not None)
        idle = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(60)]
        check("idle connections do no harm", s.alive())
        for c in idle:
            c.close()


def main():
    print(f"seed {SEED}")
    for part in (compare_queries, send_traces, convert, batches, large_result, clients, lives, security, malformed):
        began = time.monotonic()
        part()
        print(f"    {part.__name__}: {time.monotonic() - began:.1f} s")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
