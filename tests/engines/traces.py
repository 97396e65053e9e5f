"""traces.py CORPUS FOLDER: the traces of the tests of engines: ranks with collectives (tests/gpu/make_ranks.py), 16 or with POSTFETTO_LONG=1 64, gzipped,
and one whose first blocks a disk has lost."""
import glob
import gzip
import os
import pathlib
import shutil
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(root / "tests" / "gpu"))
import make_ranks

corpus, folder = sys.argv[1:]
count = 64 if os.environ.get("POSTFETTO_LONG") == "1" else 16
seed = int(os.environ.get("POSTFETTO_SEED", int(time.time()) % 1000000))
print(f"seed {seed}: POSTFETTO_SEED={seed} makes the same traces")
os.makedirs(folder)
make_ranks.make(os.path.join(corpus, "real", "torch-nccl", "trace.json.gz"), folder, seed, count)
os.remove(f"{folder}/answers.json")
for path in glob.glob(f"{folder}/rank*.json"):
    with open(path, "rb") as plain, gzip.open(f"{path}.gz", "wb", 1) as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(path)
whole = pathlib.Path(folder, "rank0.json.gz").read_bytes()
pathlib.Path(folder, "rank-damaged.json.gz").write_bytes(bytes(65536) + whole[65536:])
