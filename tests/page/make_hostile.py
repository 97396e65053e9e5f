#!/usr/bin/env python3
"""make_hostile.py OUT.json [US]: a GPU trace of the torch profiler whose names try to be markup, are long, go from right to left
or are no UTF-8; kernels take 50 us or so many. Names that must be text on the page, one a line, go to standard output."""
import json
import sys

NAMES = ["<script>document.title='owned'</script>", "</title></style><script>document.title='owned'</script>",
         "\" onmouseover=\"document.title='owned'", "' onload='document.title=1", "<img src=x onerror=\"document.title='owned'\">",
         "&lt;b&gt; &amp; &#x41;", "]]>--><!--", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", "\u202egnp.exe", "x" * 10000,
         "javascript:document.title='owned'", "${alert(1)} {{7*7}}", "a\u0001b\u007f\ufffec"]
BYTES = b"no utf-8: \xff\xc3\x28\xed\xa0\x80"


def main():
    least = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    events = [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": NAMES[0]}},
              {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": NAMES[1]}},
              {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": NAMES[7]}}]
    for i, name in enumerate([*NAMES, "BYTES"] * 3):
        at = 1000 + i * 200
        launch = {"correlation": i}
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at - 20, "dur": 15})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at - 10, "dur": 3,
                       "args": launch})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at, "dur": least + i,
                       "args": {"device": 0, "stream": 7, **launch}})
    text = json.dumps({"schemaVersion": 1, "traceEvents": events}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    with open(sys.argv[1], "wb") as out:
        out.write(text.replace(b'"BYTES"', b'"' + BYTES + b'"'))
    print("\n".join(name for name in NAMES if name.isprintable() and len(name) <= 100))


main()
