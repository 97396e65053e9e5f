"""with_dask.py TRACES SCRATCH: postfetto.dask on a LocalCluster of two workers, one of which is killed in the middle."""
import doctest
import functools
import http.server
import os
import pathlib
import subprocess
import sys
import threading

import distributed
import postfetto.dask

import same
from same import check

traces, scratch = sys.argv[1:]


def names(dask_scheduler):
    return {prefix.name: prefix.state_counts["memory"] for prefix in dask_scheduler.task_prefixes.values()}


def of_files(client, cluster):
    paths, before = same.ranks(traces), {worker.pid for worker in cluster.workers.values()}
    same.deadly(same.PACKAGED, "$PPID")
    result = postfetto.dask.analyze(f"{traces}/rank*.json.gz", "gpu", client, report=f"{scratch}/report")
    same.check_killed(same.PACKAGED, "a worker")
    check("and another one took its place", len(before & {worker.pid for worker in cluster.workers.values()}) == 1, before)
    same.at_once(paths, f"{scratch}/at_once")
    same.check_report("dask", f"{scratch}/report", f"{scratch}/at_once", f"{traces}/{same.DAMAGED}")
    subprocess.run([same.COMMAND, "analyze", "gpu", "-q", "--collection", traces, "--cache", f"{scratch}/cache", "--report", f"{scratch}/collection"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # exit code 1: one failed
    engine, command = (open(f"{scratch}/{name}/failures.csv", "rb").read() for name in ("report", "collection"))
    check("failures are those of --collection, byte for byte", engine == command, engine, command)
    check("the analysis itself", result.headline and len(result["gpu_ranks"]) == len(paths), repr(result))
    check("its page", result.page().startswith("<!DOCTYPE html>") and os.path.basename(paths[0]) in result.page())
    check("names of tasks", client.run_on_scheduler(names).get("postfetto-gpu", 0) > len(paths), client.run_on_scheduler(names))


def of_a_store(client):
    """By a URL: what fsspec reads goes through a pipe."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=traces)
    handler.func.log_message = lambda *_: None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        few = [f"{url}/{os.path.basename(p)}" for p in [*same.ranks(traces)[:3], f"{traces}/{same.DAMAGED}"]]
        postfetto.dask.analyze([*few, f"{url}/none.json.gz"][:4], "gpu", client, report=f"{scratch}/store")
        lost = postfetto.dask.analyze([few[0], f"{url}/none.json.gz"], "gpu", client)
        check("an object that is not there", [row[:2] for row in lost.failures.rows()] == [(f"{url}/none.json.gz", 3)], list(lost.failures.rows()))
        server.shutdown()
    os.makedirs(f"{scratch}/local/http:")
    os.symlink(traces, f"{scratch}/local/{url.replace('//', '/')}")
    same.at_once(few[:3], f"{scratch}/store_at_once", cwd=f"{scratch}/local")
    same.check_report("a store", f"{scratch}/store", f"{scratch}/store_at_once", few[3])


def options(client):
    """What options make of a trace that breaks off, and of one that is too large."""
    whole = pathlib.Path(same.ranks(traces)[0]).read_bytes()
    broken = pathlib.Path(scratch, "broken.json.gz")
    broken.write_bytes(whole[:-1000])
    files = [same.ranks(traces)[1], broken]
    done = postfetto.dask.analyze(files, "gpu", client)
    check("a warning", len(done.warnings) >= 1 and all(str(broken) in line for line in done.warnings) and not len(done.failures), done.warnings)
    done = postfetto.dask.analyze(files, "gpu", client, strict=True)
    check("strict", [row[:2] for row in done.failures.rows()] == [(str(broken), 4)], list(done.failures.rows()))
    small = os.path.getsize(files[0]) if os.path.getsize(files[0]) < len(whole) - 1000 else len(whole) - 1000
    large = {str(f) for f in files if os.path.getsize(f) > small}
    done = postfetto.dask.analyze(files, "gpu", client, limits={"input": small})
    check("a limit", {row[:2] for row in done.failures.rows()} == {(f, 5) for f in large} and len(large) == 1, list(done.failures.rows()))


def deadly_trace(client):
    """One that kills each worker that touches it, as often as Dask allows."""
    same.deadly(same.PACKAGED, "$PPID", again=True)
    done = postfetto.dask.analyze([p for p in same.ranks(traces) if "rank4." in p or "rank0." in p], "gpu", client)
    check("a trace that kills workers", [row[:2] for row in done.failures.rows()] == [(f"{traces}/rank4.json.gz", 137)], list(done.failures.rows()))


def refusals(client):
    try:
        postfetto.dask.analyze(f"{traces}/{same.DAMAGED}", "gpu", client)
        check("no trace at all", False)
    except postfetto.InputError as e:
        check("no trace at all", same.DAMAGED in e.path, e)
    try:
        postfetto.dask.analyze(same.ranks(traces)[0], "gpu", client, no_such_option=1)
        check("an option that is not there", False)
    except postfetto.UsageError as e:
        check("an option that is not there", "no-such-option" in e.text, e)


def of_recordings(client):
    """A folder is an input; in a tree it is what lies in it."""
    runs, files = same.recordings(f"{scratch}/recordings")
    postfetto.dask.analyze([*runs[::-1], files[0]], "neutrino", client, report=f"{scratch}/recorded")
    same.check_pass("dask", "neutrino", [files[0], *runs], f"{scratch}/recorded", "block_sched_2.json")


def of_aiu(client):
    """Ranks whose clocks are matched when all have come."""
    postfetto.dask.analyze(same.aiu_ranks()[::-1], "aiu", client, report=f"{scratch}/aiu", flow=True)
    same.check_pass("dask", "aiu", ["--flow", *same.aiu_ranks()], f"{scratch}/aiu", "processed_trace_summary.csv")


def main():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        of_files(client, cluster)
        of_a_store(client)
        refusals(client)
        options(client)
        deadly_trace(client)
        of_recordings(client)
        of_aiu(client)
    results = doctest.testmod(postfetto.dask)
    check("examples", results.attempted > 3 and not results.failed, results)
    same.end()


if __name__ == "__main__":
    main()
