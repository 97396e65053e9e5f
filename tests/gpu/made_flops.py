"""made_flops.py: floating-point operations and bytes of operators, worked out by hand next to each."""
import math

F, H, D = "float", "c10::Half", "double"


def row_of(place, x, name, dims, types, values=None, *options):
    """Of one call of 10 us without a device: its row."""
    inputs = {"Input Dims": dims}
    inputs.update({"Input type": types} if types else {})
    inputs.update({"Concrete Inputs": values} if values else {})
    found = place.of([x("cpu_op", name, 100, 1, 0, 10, **inputs)], *options)["flops"]
    return found[0] if len(found) == 1 else {}


def check_nested(place, check, x, kernel, launch):
    """linear calls addmm, which alone counts: 6 x 5 results of 8 products, 2 * 240 = 480; (48 + 40 + 5 + 30) * 4 = 492
    bytes in 10 us. At 0.001 TFLOP/s they need 480 ns, at 1 GB/s 492 ns, which is more."""
    events = [x("cpu_op", "aten::linear", 100, 1, 0, 50, **{"Input Dims": [[2, 3, 8], [5, 8], [5]], "Input type": [F] * 3}),
              x("cpu_op", "aten::addmm", 100, 1, 10, 20,
                **{"Input Dims": [[5], [6, 8], [8, 5], [], []], "Input type": [F, F, F, "Scalar", "Scalar"]}),
              launch(12, 1, 1), launch(35, 1, 2), kernel("gemm", 60, 10, correlation=1), kernel("add", 80, 5, correlation=2)]
    found = place.of(events, "--peak-tflops", "0.001", "--peak-gbs", "1")["flops"]
    expected = {"name": "aten::addmm", "kind": "matmul", "shapes": "[[5], [6, 8], [8, 5], [], []]", "type": F, "calls": 1,
                "host_ns": 20000, "launched": 1, "device_ns": 10000, "flop": 480, "bytes": 492, "tflop_per_s": 4.8e-5,
                "bandwidth_gb_per_s": 0.0492, "intensity": 480 / 492, "peak_percent": 4.92, "bound": "memory"}
    check(len(found) == 1 and all(math.isclose(found[0][key], value) if isinstance(value, float) else found[0][key] == value
                                  for key, value in expected.items()), f"flops: {found}")
    drawn = place.path("flops.pftrace")
    place.run("-q", place.write(events), "-o", drawn)
    rates = place.query(drawn, "SELECT t.name, t.unit, c.ts, c.value FROM counter c JOIN counter_track t ON t.id = c.track_id "
                        "WHERE t.name LIKE 'operator %' ORDER BY t.name, c.ts")
    check([row[:3] for row in rates] == [["operator bandwidth", "GB/s", "60000"], ["operator bandwidth", "GB/s", "70000"],
                                         ["operator throughput", "TFLOP/s", "60000"], ["operator throughput", "TFLOP/s", "70000"]]
          and all(math.isclose(float(row[3]), value) for row, value in zip(rates, (0.0492, 0, 4.8e-5, 0))), f"flops: drawn {rates}")
    found = place.of(events, "--peak-tflops", "0.0001", "--peak-gbs", "1")["flops"][0]
    check(found["bound"] == "compute" and math.isclose(found["peak_percent"], 48), f"flops: by compute {found}")
    found = place.of(events, "--peak-gbs", "1")["flops"][0]
    check(found["bound"] is None and math.isclose(found["peak_percent"], 4.92), f"flops: one peak {found}")
    found = place.of(events)["flops"][0]
    check(found["bound"] is None and found["peak_percent"] is None, f"flops: no peak {found}")


def check_page(place, check, events):
    """The picture needs operations and bytes; the table is on the terminal where a peak is given."""
    path, page = place.write(events), place.path("flops.html")
    done = place.run(path, "--peak-tflops", "1", "--peak-gbs", "1", "--html", page)
    check(b"against the peaks" in done.stderr, f"flops: terminal {done.stderr}")
    with open(page, encoding="utf-8") as file:
        check('id="gpu-roofline-t"' in file.read(), "flops: no picture")
    check(b"against the peaks" not in place.run(path).stderr, "flops: terminal without a peak")


def check_all(place, check, x, kernel, launch):
    check_nested(place, check, x, kernel, launch)
    conv = ["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "2"]
    turned = ["", "", "", "[2]", "[0, 0]", "[1, 1]", "True", "[1, 1]", "2"]
    back = ["", "", "", "[6]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "2"]
    qkv = [[1, 2, 3, 4], [1, 1, 5, 4], [1, 1, 5, 6]]
    most = 2 ** 63 - 1
    cases = [
        # x [.., k] with w [n, k]: 2 * 6 * 5 * 8; (48 + 40 + 30) * 2
        ("linear", [[2, 3, 8], [5, 8], []], [H, H, ""], None, 480, 236),
        # a row and a column: one result
        ("matmul", [[8], [8]], [D, D], None, 16, 136),
        # 2 x 5 products of 3 x 6 results; 24 + 120 + 180 elements
        ("matmul", [[2, 1, 3, 4], [5, 4, 6]], [F, F], None, 1440, 1296),
        ("bmm", [[7, 2, 3], [7, 3, 4]], [F, F], None, 336, 728),
        ("baddbmm", [[7, 2, 4], [7, 2, 3], [7, 3, 4]], [F, F, F], None, 336, 952),
        # 5 x 5 places, 108 weights: 2 * 2 * 25 * 108; 800 + 108 + 6 + 300 elements
        ("convolution", [[2, 4, 10, 10], [6, 2, 3, 3], [6]], [F, F, F], conv, 10800, 4856),
        # 25 places of the input, 48 weights; the result has 6 channels of 11 x 11
        ("convolution", [[1, 4, 5, 5], [4, 3, 2, 2], []], [H, H, ""], turned, 2400, 1748),
        # the gradient of the input alone, and of the bias
        ("convolution_backward", [[2, 6, 5, 5], [2, 4, 10, 10], [6, 2, 3, 3]], [F] * 3, back + ["[True, False, True]"],
         10800, 4856),
        ("convolution_backward", [[2, 6, 5, 5], [2, 4, 10, 10], [6, 2, 3, 3]], [F] * 3, back + ["[True, True, False]"],
         21600, (300 + 1600 + 216) * 4),
        # two heads; of causal attention 1 + 2 + 3 pairs, else 15; each 4 + 6 products; 24 + 20 + 30 + 36 elements
        ("scaled_dot_product_attention", qkv, [F] * 3, ["", "", "", "", "0.", "True"], 240, 440),
        ("scaled_dot_product_attention", qkv, [F] * 3, ["", "", "", "", "0.", "False"], 600, 440),
        # more queries than keys: 1 + 2 + 2 + 2 pairs
        ("_scaled_dot_product_flash_attention", [[1, 1, 4, 2], [1, 1, 2, 2], [1, 1, 2, 2]], [F] * 3,
         ["", "", "", "0.", "True"], 56, 96),
        # 3 * 4 + 2 * 6 products for each of 30 pairs; all is read and written
        ("_scaled_dot_product_flash_attention_backward", [[]] + qkv, [F] * 4, [""] * 11 + ["False"], 1440, 880),
        # what is not said, and what does not fit
        ("convolution", [[2, 4, 10, 10], [6, 2, 3, 3], [6]], [F, F, F], None, None, None),
        ("scaled_dot_product_attention", qkv, [F] * 3, None, None, 440),
        ("mm", [[2, 3], [3, 4]], None, None, 48, None),
        ("mm", [[2, 3], [3, 4]], ["thing", F], None, 48, None),
        ("mm", [[2, 3], [4, 5]], [F, F], None, None, None),
        ("mm", [[2, 3], []], [F, F], None, None, None),
        ("mm", [[2, -3], [-3, 4]], [F, F], None, None, None),
        ("mm", [[2, "]]"], ["[", 4]], [F, F], None, None, None),
        ("mm", 5, [F, F], None, None, None),
        ("mm", [[1] * 9 + [2], [2, 3]], [F, F], None, None, None),
        ("mm", [[0, 3], [3, 4]], [F, F], None, 0, 48),
        ("mm", [[4 * 10 ** 9] * 2] * 2, [F, F], None, most, most),
        ("convolution", [[2, 4, 10, 10], [6, 2, 3, 3], [6]], [F] * 3, conv[:3] + ["[0, 0]"] + conv[4:], None, None),
    ]
    for name, dims, types, values, flop, size in cases:
        row = row_of(place, x, "aten::" + name, dims, types, values)
        check((row.get("flop"), row.get("bytes")) == (flop, size), f"flops: {name} {dims} {values}: {row}")
    row = row_of(place, x, "aten::mm", [[2, 3], [3, 4]], [F, F])
    check(math.isclose(row["tflop_per_s"], 48 / 10000 / 1e3), f"flops: without a device by the time of the host {row}")
    check(place.of([x("cpu_op", "aten::mm", 100, 1, 0, 10), x("cpu_op", "aten::add", 100, 1, 20, 5, **{"Input Dims": [[2]]})])[
        "flops"] == [], "flops: no shapes, or an operator that is not counted")
    check_page(place, check, [x("cpu_op", "aten::mm", 100, 1, 0, 10, **{"Input Dims": [[2, 3], [3, 4]], "Input type": [F, F]}),
                              launch(2, 1, 1), kernel("gemm", 20, 5, correlation=1)])
