"""postfetto: traces of accelerators, read fast, measured, and written back.

    import postfetto as pf
    t = pf.read("trace.json.gz")
    t.slices["dur"]                                    # NumPy, ns
    t.query("SELECT name, sum(dur) d FROM slice GROUP BY name ORDER BY d DESC LIMIT 10").df()
    pf.analyze("gpu", "rank*.json.gz", output="out.pftrace").tables["gpu_kernels"].pl()

The version is that of the C library:

    >>> __version__.count(".")
    2

Needs nothing but Python; NumPy, pandas, Polars, pyarrow and tqdm are used where they are asked for.
"""
from ._library import Cancelled, DamagedError, Error, InputError, LimitError, OutputError, UsageError, __version__
from ._tables import Table
from .build import Annotations, Builder
from .edit import Cut, Merge, Split, cut, merge, split
from .passes import Analysis, analyze, passes
from .trace import Trace, read

__all__ = [
    "Analysis", "Annotations", "Builder", "Cancelled", "Cut", "DamagedError", "Error", "InputError", "LimitError", "Merge", "OutputError", "Split",
    "Table", "Trace", "UsageError", "__version__", "analyze", "cut", "merge", "passes", "read", "split",
]
