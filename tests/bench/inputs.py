"""inputs.py: the traces that the bench reads, made when they are first asked for and kept in build/bench.

A trace is named KIND.FORMAT at a size in megabytes (of plain bytes, about). `general` comes from ../shared/tools/gen_trace.py
where that is (up to 500 MB), else from our own generator, which makes all the others: tests/bench/generate.c. `aie` is the case
large_1m of the corpus, else a trace of scripts/gen_aie.py of about the same size; `sched` comes from scripts/gen_sched.py. The folder carries a digest of the
generators, so that a changed generator makes new files.
"""
import gzip
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GENERATORS = ("generate.c", "model.c", "binary.c", "json.c")

# Bytes of an event (JSON: of a line); what a size becomes is only about right.
EVENT_BYTES = {"general.pftrace": 20.1, "interned.pftrace": 20.8, "annotated.pftrace": 33, "sequences.pftrace": 22,
               "sequence.pftrace": 21, "async.pftrace": 22, "counters.pftrace": 25, "flows.pftrace": 21,
               "disorder.pftrace": 25, "compressed.pftrace": 20.8, "general.json": 99, "interned.json": 99,
               "torch.json": 190, "torch_ends.json": 190, "torch_kernels.json": 365, "tinygrad.pkl": 133.7,
               "ops.list": 260, "sched.pftrace": 9.9, "sched_plain.pftrace": 46.2}


# Made by conversion from JSON of that size.
CONVERTED = {"torch.pftrace": "torch.json", "torch_kernels.pftrace": "torch_kernels.json"}

SLOW_FROM = 1000  # from this size on gen_trace.py would need minutes

# Name -> kind for scripts/gen_neutrino.py, bytes of a block, further options; a block has 256 threads unless they say more.
NEUTRINO = {"blocks": ("block_sched", 8 * 16, []), "warps": ("block_sched", 16, ["--threads", "32"]),
            "crowded": ("block_sched", 16, ["--threads", "32", "--slots", "32"]),
            "alike": ("block_sched", 16, ["--threads", "32", "--slots", "32", "--alike"]),
            "accesses": ("dmat", 256 * 96 * 16, ["--records", "96"])}


class Inputs:
    def __init__(self, folder, shared, postfetto, programs, scale, say):
        digest = hashlib.sha256(repr(EVENT_BYTES).encode())
        self.gen_trace = os.path.join(shared, "tools", "gen_trace.py")
        self.gen_aiu = os.path.join(shared, "tools", "gen_aiu_big.py")
        self.gen_sched = os.path.join(ROOT, "scripts", "gen_sched.py")
        for path in [os.path.join(HERE, name) for name in GENERATORS] + [self.gen_trace, self.gen_aiu, self.gen_sched]:
            if os.path.isfile(path):
                with open(path, "rb") as source:
                    digest.update(source.read())
        self.parent = folder
        self.folder = os.path.join(folder, "inputs-" + digest.hexdigest()[:8])
        self.large_1m = os.path.join(shared, "corpus", "aie", "large_1m")
        self.is_large_1m = scale == 1 and os.path.isdir(self.large_1m)
        self.generate = os.path.join(programs, "bench_generate")
        self.postfetto, self.scale, self.say = postfetto, scale, say
        self.remove_others()
        if scale == 1:
            self.say_what_is_missing()

    def say_what_is_missing(self):
        if not self.is_large_1m:
            self.say(f"skipped: the case large_1m ({self.large_1m} is not here); a trace of scripts/gen_aie.py stands in")
        if not os.path.isfile(self.gen_trace):
            self.say(f"skipped: gen_trace.py ({self.gen_trace} is not here); bench_generate stands in")

    def remove_others(self):
        os.makedirs(self.folder, exist_ok=True)
        for name in os.listdir(self.parent):
            path = os.path.join(self.parent, name)
            if name.startswith("inputs-") and path != self.folder:
                shutil.rmtree(path)

    def clean(self):
        shutil.rmtree(self.folder)

    def get(self, name, size=10):
        """The path of the trace, which is made if it is not there."""
        plain = name[:-3] if name.endswith(".gz") else name
        label = f"{size}-" if plain in EVENT_BYTES or plain in CONVERTED else ""
        path = os.path.join(self.folder, ("quick-" if self.scale < 1 else "") + label + name)
        if not os.path.isfile(path):
            self.say(f"making {os.path.basename(path)}")
            started = os.path.join(self.folder, "unfinished-" + os.path.basename(path))
            if name.endswith(".gz") and name != "aie.json.gz":
                self.compress(self.get(plain, size), started)
            else:
                self.make(name, size, started)
            os.rename(started, path)
        return path

    def make(self, name, size, path):
        kind, ending = name.split(".", 1)
        if kind == "tiny":
            self.run([self.generate, "interned", "20", path])
        elif kind == "aie":
            self.make_aie(ending, path)
        elif name in CONVERTED:
            self.run([self.postfetto, "convert", self.get(CONVERTED[name], size), "-o", path])
        elif kind in NEUTRINO:
            self.make_neutrino(kind, size, path)
        elif kind == "aiu":
            self.make_aiu(path)
        elif kind == "ops":
            self.make_ops(size, path)
        else:
            events = int(size * 1e6 * self.scale / EVENT_BYTES[name])
            if kind.startswith("sched"):
                form = ["--plain"] if kind == "sched_plain" else []
                self.run([sys.executable, self.gen_sched, path, "--events", str(events), *form])
            elif kind == "tinygrad":
                program = os.path.join(ROOT, "scripts", "make_fixtures_tinygrad.py")
                self.run([sys.executable, program, "--large", str(events), path])
            elif kind == "general" and size < SLOW_FROM and os.path.isfile(self.gen_trace):
                self.run([sys.executable, self.gen_trace, "--events", str(events), f"--{ending}", path])
            else:
                self.run([self.generate, "interned" if kind == "general" else kind, str(events), path])

    def make_aie(self, ending, path):
        if ending == "json.gz" and self.is_large_1m:
            shutil.copyfile(os.path.join(self.large_1m, "trace.json.gz"), path)
        elif ending == "json.gz":
            self.compress(self.get("aie.json"), path)
        elif ending == "pftrace":
            self.run([self.postfetto, "convert", self.get("aie.json"), "-o", path])
        elif self.is_large_1m:
            with gzip.open(self.get("aie.json.gz"), "rb") as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        else:
            small = ["--cores", "2", "--iterations", "3"] if self.scale < 1 else []
            self.run([sys.executable, os.path.join(ROOT, "scripts", "gen_aie.py"), path] + small)

    def make_aiu(self, path):
        """A list of the files of a capture, which lie in a folder of their own: that of gen_aiu_big.py where it is, else
        two small ranks."""
        folder = os.path.join(self.folder, ("quick-" if self.scale < 1 else "") + "aiu-capture")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        if os.path.isfile(self.gen_aiu):
            self.run([sys.executable, self.gen_aiu, folder, str(int(300000 * self.scale))])
        else:
            self.run([sys.executable, os.path.join(ROOT, "scripts", "make_fixtures_aiu.py"), folder])
        found = [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names]
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{name}\n" for name in sorted(found)))

    def make_ops(self, size, path):
        """A list of the files of a comparison of operators: trace, kernels, mapping."""
        folder = os.path.join(self.folder, ("quick-" if self.scale < 1 else "") + f"{size}-ops")
        self.run([sys.executable, os.path.join(ROOT, "scripts", "gen_ops.py"), folder, "--events",
                  str(int(size * 1e6 * self.scale / EVENT_BYTES["ops.list"]))])
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{os.path.join(folder, name)}\n" for name in ("model.json", "kernels.csv",
                                                                             "op_mapping.yaml")))

    def ops_files(self, size):
        with open(self.get("ops.list", size), encoding="utf-8") as file:
            return file.read().split("\n")[:-1]

    def aiu_files(self):
        """Traces and logs of the capture."""
        with open(self.get("aiu.list"), encoding="utf-8") as file:
            names = file.read().split("\n")[:-1]
        return [n for n in names if n.endswith(".json")], [n for n in names if n.endswith(".log")]

    def make_neutrino(self, kind, size, path):
        """The binary trace of a recording: blocks of 8 warps or of one, 8 or 32 of them on an SM, or 96 accesses of a thread."""
        section, block_bytes, more = NEUTRINO[kind]
        blocks = max(int(size * 1e6 * self.scale / block_bytes), 1)
        folder = path + ".run"
        self.run([sys.executable, os.path.join(ROOT, "scripts", "gen_neutrino.py"), section, folder, "--blocks", str(blocks),
                  "--threads", "256", "--sms", "132", "--slots", "8"] + more)
        os.rename(os.path.join(folder, "result", "0.500000.bin"), path)
        shutil.rmtree(folder)

    def aie_parameters(self):
        if not self.is_large_1m:
            warmup, iterations = (1, 2) if self.scale < 1 else (4, 28)
            values = {"M": 4096, "K": 2048, "N": 4096, "row": 4, "col": 8, "hwid": "generated", "warmup": warmup,
                      "iterations": iterations}
            return [part for name, value in values.items() for part in (f"--{name}", str(value))]
        with open(os.path.join(self.large_1m, "cmd.txt"), encoding="utf-8") as source:
            settings = dict(line.rstrip("\n").split("=", 1) for line in source if "=" in line)
        names = ["M", "K", "N", "m", "k", "n", "row", "col", "hwid", "warmup", "iterations"]
        return [part for name in names if name in settings for part in (f"--{name}", settings[name])]

    @staticmethod
    def compress(plain, path):
        with open(plain, "rb") as source, open(path, "wb") as packed:
            with gzip.GzipFile("", "wb", 6, packed, mtime=0) as target:
                shutil.copyfileobj(source, target, 1 << 20)

    @staticmethod
    def run(command):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {done.returncode}:\n{done.stderr.decode(errors='replace')}")
