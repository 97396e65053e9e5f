"""pictures.py: every box, line and text of the pictures of `analyze neutrino --pictures`, read from the SVG files, and some
pixels of a PNG file.

Cairo writes a text as numbered shapes of letters: a text is the expected one if, over the whole picture, each number
stands for one letter. Where it begins and how wide its letters are says how it is aligned.
"""
import os
import re
import struct
import zlib

from files import load, page_addresses

BLACK, GREY, GRID = (0, 0, 0), (60, 60, 60), (88, 88, 88)
HUES = [(0, 32, 58), (62, 27, 53), (0, 48, 36), (78, 29, 0), (42, 29, 13)]
LEFT, CENTRE, RIGHT, UPRIGHT = range(4)
SCHEDULE_MAP = ("--layout", "v2", "--map", "block_sched:warp:start=u64,elapsed=u32,cuid=u32")
GAP_TITLE, GAP_AXIS = ("How long slots are empty between two blocks",
                       "length of the gap (cycles); each bar from the number at its left to twice that")


def hue(number, strength):
    return tuple(100 - (100 - part) * strength for part in HUES[number])


class Picture:
    """What an SVG file draws: (x, y, w, h, colour), (x1, y1, x2, y2, width, colour), lists of (font, shape, x, y)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            body = file.read().rpartition("</defs>")[2]
        self.boxes, self.lines, self.texts = [], [], []
        shape = r'<g (?:style|fill)=[^>]*>(.*?)</g>|<path ([^>]*?) d="([^"]*)"'  # attributes depend on cairo's version
        for group, style, drawn in re.findall(shape, body, re.S):
            colour = tuple(float(part) for part in re.findall(r"([\d.]+)%", style))
            places = [float(place) for place in re.findall(r"-?[\d.]+", drawn)]
            if group:
                self.texts.append([(font, shape, float(x), float(y)) for font, shape, x, y in re.findall(
                    r'"#(glyph-?\d+)-(\d+)" x="([\d.-]+)" y="([\d.-]+)"', group)])
            elif not re.search('fill(:|=")none', style):
                x, y, right, bottom = places[0], places[1], places[4], places[5]
                self.boxes.append((x, y, right - x, bottom - y, colour))
            else:
                self.lines.append((*places[:4], float(re.search(r'stroke-width(?::|=")([\d.]+)', style).group(1)), colour))


def is_near(given, expected):
    return len(given) == len(expected) and all(is_near(a, b) if isinstance(b, tuple) else abs(a - b) < 0.011
                                               for a, b in zip(given, expected))


def shapes_faults(what, given, expected):
    if len(given) != len(expected):
        yield f"{len(given)} {what}, not {len(expected)}"
    for a, b in zip(given, expected):
        if not is_near(a, b):
            yield f"{what}: {a} is not {b}"


def widths_of(texts):
    """By shape how far the next letter is, sideways or upwards."""
    return {(a[0], a[1]): max(b[2] - a[2], a[3] - b[3]) for text in texts for a, b in zip(text, text[1:])}


def place_faults(text, width, letters, align, x, y):
    """Texts stand 2.88 below the middle of their line; a letter whose width is unknown is a few points wide."""
    first, last = letters[0], letters[-1]
    room = width if width is not None else 4.5
    if align == UPRIGHT:
        given, expected = (first[2], (first[3] + last[3] - room) / 2), (x + 2.88, y)
    else:
        given = {LEFT: first[2], CENTRE: (first[2] + last[2] + room) / 2, RIGHT: last[2] + room}[align], first[3]
        expected = x, y + 2.88
    slack = 0.05 if width is not None or align == LEFT else 3.5
    if max(abs(a - b) for a, b in zip(given, expected)) > slack:
        yield f"'{text}' is at {given}, not {expected}"


def text_faults(texts, expected):
    """Expected: (text, alignment, x, y) in the order of drawing."""
    if len(texts) != len(expected):
        yield f"{len(texts)} texts, not {len(expected)}"
    letter_of, shape_of, widths = {}, {}, widths_of(texts)
    for letters, (text, align, x, y) in zip(texts, expected):
        shapes = [letter[:2] for letter in letters]
        if len(shapes) != len(text) or any(letter_of.setdefault(shape, letter) != letter or
                                           shape_of.setdefault((shape[0], letter), shape) != shape
                                           for shape, letter in zip(shapes, text)):
            yield f"'{text}' is '{''.join(letter_of.get(shape, '_') for shape in shapes)}'"
            continue
        yield from place_faults(text, widths.get(shapes[-1]), letters, align, x, y)


class Expected:
    """The same lists as of a picture, made with the words of charts."""

    def __init__(self):
        self.boxes, self.lines, self.texts = [], [], []

    def text(self, text, align, x, y):
        self.texts.append((text, align, x, y))

    def box(self, x, y, w, h, colour):
        self.boxes.append((x, y, w, h, colour))

    def axis_x(self, marks, place, y, left, right, height, title):
        """Marks: texts by value."""
        for value, text in marks.items():
            self.lines.append((place(value), y, place(value), y + 3, 0.5, BLACK))
            if height:
                self.lines.append((place(value), y, place(value), y - height, 0.4, GRID))
            self.text(text, CENTRE, place(value), y + 9)
        self.lines.append((left, y, right, y, 0.6, BLACK))
        self.text(title, CENTRE, (left + right) / 2, y + 21)

    def axis_y(self, marks, place, x, right, bottom, top, title):
        for value, text in marks.items():
            y = place(value)
            self.lines += [(x, y, x - 3, y, 0.5, BLACK), (x, y, right, y, 0.4, GRID)]
            self.text(text, RIGHT, x - 5, y)
        self.lines.append((x, bottom, x, top, 0.6, BLACK))
        self.text(title, UPRIGHT, x - 34, (bottom + top) / 2)

    def check(self, checks, name, report):
        given = Picture(os.path.join(report, f"{name}.svg"))
        faults = [*text_faults(given.texts, self.texts), *shapes_faults("boxes", given.boxes, self.boxes),
                  *shapes_faults("lines", given.lines, self.lines)]
        checks.equal(f"{name}.svg", [], faults[:4])


def read_png(path):
    """Width, height, and a function that says the colour of a pixel; of 3 bytes a pixel, and not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, depth, kind = struct.unpack_from(">IIBB", data, 16)
    packed, at = b"", 8
    while at < len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += size + 12
    assert (depth, kind) == (8, 2)
    rows, raw, stride = [bytes(3 * width)], zlib.decompress(packed), 3 * width
    for start in range(0, len(raw), stride + 1):
        rows.append(restore(raw[start], bytearray(raw[start + 1:start + 1 + stride]), rows[-1]))
    return width, height, lambda x, y: tuple(rows[1 + y][3 * x:3 * x + 3])


def restore(way, line, above):
    """A line of a PNG file without the filter of its five that it has."""
    def paeth(left, up, corner):
        return min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]

    for i, given in enumerate(line if way else ()):
        left, up, corner = (line[i - 3], above[i], above[i - 3]) if i > 2 else (0, above[i], 0)
        guess = (left, up, (left + up) // 2, paeth(left, up, corner) if way == 4 else 0)[way - 1]
        line[i] = (given + guess) & 255
    return line


# ---- exposed latency -------------------------------------------------------------------------------------------------

# The last two cannot be drawn.
LATENCIES = """probe,original,ncu,neutrino,prologue,kernel,epilogue
first,2,8,6,1,2,3
a probe with a long name,1,nan,5,1,1,3
none before,4,4,8,0,4,4
negative,1,2,9,-1,5,5
unknown,1,2,nan,1,1,1
"""


def check_latencies(checks):
    """The profiler takes 4 times as long as without it, or as long; probes 3, 5 and 2 times, stacked from below. Of many
    probes the first 12 are drawn."""
    folder = os.path.join(checks.scratch, "latencies")
    os.makedirs(folder)
    with open(os.path.join(folder, "latency.csv"), "w", encoding="utf-8") as file:
        file.write(LATENCIES)
    _, report = checks.analyse(folder, "--pictures")
    e, y = Expected(), lambda v: 220 - 180 * v / 5.5
    e.text("Exposed latency of probes", LEFT, 60, 10)
    e.box(60, 20, 9, 7, GREY)
    e.text("Nsight Compute", LEFT, 72, 23.5)
    e.text("Neutrino:", LEFT, 160, 23.5)
    parts = [hue(0, 1), hue(0, 0.55), hue(0, 0.25)]
    for i, name in enumerate(("epilogue", "kernel", "prologue")):
        e.box(208 + 66 * i, 20, 9, 7, parts[i])
        e.text(name, LEFT, 220 + 66 * i, 23.5)
    e.axis_y({i: str(i) for i in range(6)}, y, 60, 490, 220, 40, "time over time without probes")
    bars = (("first", 4, (0, 1.5, 2.5, 3)), ("a probe with a l..", None, (0, 3, 4, 5)), ("none before", 1, (0, 1, 2, 2)))
    width = 430 / len(bars)
    for i, (name, profiler, stack) in enumerate(bars):
        x = 60 + i * width
        if profiler:
            e.box(x + 0.12 * width, y(profiler), 0.34 * width, 220 - y(profiler), GREY)
            e.text(f"{profiler}x", CENTRE, x + 0.29 * width, y(profiler) - 6)
        for low, high, colour in zip(stack, stack[1:], parts):
            if high > low:  # cairo leaves out what has no height
                e.box(x + 0.54 * width, y(high), 0.34 * width, y(low) - y(high), colour)
        e.text(f"{stack[-1]}x", CENTRE, x + 0.71 * width, y(stack[-1]) - 6)
        e.text(name, CENTRE, x + width / 2, 230)
    e.lines.append((60, 220, 490, 220, 0.6, BLACK))
    e.text("probe", CENTRE, 275, 244)
    e.check(checks, "exposed_latency", report)
    with open(os.path.join(folder, "latency.csv"), "a", encoding="utf-8") as file:
        file.write("".join(f"more {i},1,1,1,0.5,0.25,0.25\n" for i in range(10)))
    _, report = checks.analyse(folder, "--pictures")
    boxes = Picture(os.path.join(report, "exposed_latency.svg")).boxes[4:]
    checks.equal("exposed latency: bars", 12 * 4 - 2, len(boxes))


# ---- blocks and gaps -------------------------------------------------------------------------------------------------

# (start, elapsed, SM). SM 7 works for 540 cycles on two slots, SM 3 for 170 on one.
BLOCKS = [(1000, 100, 3), (2000, 300, 7), (1100, 50, 3), (2100, 50, 7), (2153, 100, 7), (2310, 90, 7), (1160, 20, 3),
          (2395, 0, 7)]
# By SM: (slot, start since its first block, length, number of the block, gap before or None), in the order of starts.
PLACED = {7: [(0, 0, 300, 1, None), (1, 100, 50, 3, None), (1, 153, 100, 4, 3), (0, 310, 90, 5, 10), (1, 395, 0, 7, 142)],
          3: [(0, 0, 100, 0, None), (0, 100, 50, 2, 0), (0, 160, 20, 6, 10)]}


def analyse_blocks(checks, name, blocks):
    path = os.path.join(checks.scratch, f"{name}.bin")
    with open(path, "wb") as file:
        file.write(struct.pack("<8I2IQ", len(blocks), 1, 1, 32, 1, 1, 0, 1, 16, 32, 48))
        file.write(b"".join(struct.pack("<QII", *block) for block in blocks))
    done, report = checks.analyse(path, *SCHEDULE_MAP, "--pictures")
    checks.equal(f"picture of {name}: exit code", 0, done.returncode)
    return report


def schedule_legend(e, title):
    e.text(title, LEFT, 60, 10)
    e.box(60, 20, 9, 7, hue(0, 0.4))
    e.box(71, 20, 9, 7, hue(0, 0.75))
    e.text("blocks of even and odd number", LEFT, 84, 23.5)
    e.box(235, 22, 14, 3, hue(3, 1))
    e.text("slot empty between blocks", LEFT, 253, 23.5)


def check_schedule(checks, report):
    e, x = Expected(), lambda v: 60 + 430 * v / 400
    schedule_legend(e, "Blocks on the busiest SMs, a row for each slot")
    e.axis_x({50 * i: str(50 * i) for i in range(9)}, x, 40 + 34, 60, 490, 34, "cycles since the SM's first block")
    for sm, top, middle in ((7, 40, 46), (3, 60, 63)):
        for slot, start, length, number, gap in PLACED[sm]:
            if gap:
                e.box(x(start - gap), top + 6 * slot + 1.8, x(gap) - 60, 2.4, hue(3, 1))
            e.box(x(start), top + 6 * slot, max(x(length) - 60, 0.2), 5, hue(0, 0.75 if number % 2 else 0.4))
        e.text(f"SM {sm}", RIGHT, 54, middle)
    e.check(checks, "block_schedule", report)


def check_gaps(checks, report):
    """One gap of 0, one of [2, 4), two of [8, 16), one of [128, 256) cycles."""
    e, y, width = Expected(), lambda v: 174 - 150 * v / 2.16, 430 / 9
    e.text(GAP_TITLE, LEFT, 60, 10)
    e.axis_y({0: "0", 0.5: "0.5", 1: "1", 1.5: "1.5", 2: "2"}, y, 60, 490, 174, 24, "gaps")
    for i, count in enumerate((1, 0, 1, 0, 2, 0, 0, 0, 1)):
        x = 60 + i * width
        if count:
            e.box(x + 0.08 * width, y(count), 0.84 * width, 174 - y(count), hue(0, 0.75))
        e.text(str(count), CENTRE, x + width / 2, y(count) - 5)
        e.text(str(2 ** (i - 1)) if i else "0", CENTRE, x if i else x + width / 2, 183)
    e.lines.append((60, 174, 490, 174, 0.6, BLACK))
    e.text(GAP_AXIS, CENTRE, 275, 195)
    e.check(checks, "gaps", report)
    width_of, height, pixel = read_png(os.path.join(report, "gaps.png"))
    bar = tuple(round(2.55 * part) for part in hue(0, 0.75))
    points = {(2, 2): (255, 255, 255), (60 + 8.5 * width, 170): bar, (60 + 4.5 * width, y(1.9)): bar,
              (60 + 1.5 * width, 150): (255, 255, 255), (500, 200): (255, 255, 255)}
    checks.equal("gaps.png", (1512, 3 * 206, list(points.values())),
                 (width_of, height, [pixel(int(3 * x), int(3 * y)) for x, y in points]))


def check_limits(checks):
    """Six SMs at most, the busiest first; 32 slots and 1500 blocks of each; 560 points for all of them."""
    def labels(report, count):
        texts = Picture(os.path.join(report, "block_schedule.svg")).texts
        return texts[0], [text for text in texts[3:] if len(text) == 4][-count:]

    many = [(100 + 20 * k, 10, sm) for sm in range(1, 9) for k in range(sm)] + [(100 + i, 5000, 9) for i in range(40)]
    report = analyse_blocks(checks, "many SMs", many)
    picture = Picture(os.path.join(report, "block_schedule.svg"))
    title, found = labels(report, 6)
    checks.equal("many SMs: labels", ([136.0] + [243.0 + 14 * i for i in range(5)], 46),
                 ([round(text[0][3] - 2.88, 1) for text in found], len(title)))
    checks.equal("many SMs: distinct", 6, len({text[3][1] for text in found}))
    blocks = [box for box in picture.boxes[3:] if box[4] != hue(3, 1) and box[3] == 5]
    checks.equal("many SMs: blocks", 32 + 8 + 7 + 6 + 5 + 4, len(blocks))
    report = analyse_blocks(checks, "high SMs", [(100 + i, 5000, sm) for sm in range(4) for i in range(40)])
    checks.equal("high SMs: labels", [136.0, 336.0], [round(text[0][3] - 2.88, 1) for text in labels(report, 2)[1]])
    checks.equal("high SMs: blocks", 2 * 32, len(Picture(os.path.join(report, "block_schedule.svg")).boxes) - 3)
    for count, shown, letters in ((1500, 1500, 46), (1502, 1500, 46 + len(" (the first 1500 of each SM)"))):
        report = analyse_blocks(checks, f"{count} blocks", [(100 + 10 * i, 10, 2) for i in range(count)])
        boxes = [box for box in Picture(os.path.join(report, "block_schedule.svg")).boxes[3:] if box[3] == 5]
        checks.equal(f"{count} blocks: drawn, and the title", (shown, letters), (len(boxes), len(labels(report, 1)[0])))


# ---- accesses --------------------------------------------------------------------------------------------------------

def split_tensors(folder):
    """Six tensors instead of four: the third one's pages in four parts, of which the last is nobody's."""
    path = os.path.join(folder, "tensor.trace")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    fields = lines[2].split("  ")
    size, address = (int(fields[3]) + 1) // 4, int(fields[4])
    parts = ["  ".join([*fields[:3], str(size - 1), str(address + i * size), f"part_{i}_of_value", *fields[6:]])
             for i in range(3)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines[:2] + parts + lines[3:]) + "\n")


def check_accesses(checks):
    """The cells of the report, by colour of the tensors with the most accesses."""
    folder = checks.make("picture of accesses", "dmat", "--blocks", "8")
    split_tensors(folder)
    _, report = checks.analyse(folder, "--pictures")
    clean = load(report, "dmat.json")["clean"]
    pages = page_addresses(clean)
    rows = sorted({rank * 100 // len(pages) for rank in range(len(pages))}) + [100]
    by_accesses = sorted(clean["tensors"].items(), key=lambda item: -item[1]["accesses"])
    e, y = Expected(), lambda row: 242 - 2.2 * row
    checks.equal("accesses: tensors", (7, 11751), (len(by_accesses), clean["max_clock"]))
    e.text("Memory accesses by page and time", LEFT, 92, 10)
    for i, (_, tensor) in reversed(list(enumerate(by_accesses[:5]))):
        for row, column, _, level in tensor["cells_rcnl"]:
            top = y(next(following for following in rows if following > row))
            e.box(92 + column * 290 / 160, top, 290 / 160, y(row) - top, hue(i, 0.2 * level))
    marks = {0: "0", 2000: "2000", 4000: "4000", 6000: "6000", 8000: "8000", 10000: "10k"}
    e.axis_x(marks, lambda v: 92 + 290 * v / 11752, 242, 92, 382, 0, "clock since the thread began (cycles)")
    for rank in range(0, len(pages), (len(pages) + 9) // 10):
        at = y(rank * 100 // len(pages))
        e.lines.append((89, at, 92, at, 0.5, BLACK))
        e.text(f"{pages[rank]:x}", RIGHT, 87, at - 5)
    e.lines.append((92, 22, 92, 242, 0.6, BLACK))
    e.text("page of 64 KiB (address, hexadecimal)", UPRIGHT, 10, 132)
    e.text("tensor", LEFT, 396, 28)
    e.text("few .. many", RIGHT, 504, 28)
    for i, (name, _) in enumerate(by_accesses[:5]):
        e.text(name if len(name) <= 9 else name[:9] + "..", LEFT, 396, 43 + 15 * i)
        for level in range(1, 6):
            e.box(442 + 10 * level, 39 + 15 * i, 9, 8, hue(i, 0.2 * level))
    for text, at in (("Shades: fifths of the", 123), ("tensor's own cells", 133), ("2 more not drawn", 148)):
        e.text(text, LEFT, 396, at)
    e.check(checks, "dmat", report)


def check_pictures(checks):
    check_latencies(checks)
    report = analyse_blocks(checks, "a few blocks", BLOCKS)
    check_schedule(checks, report)
    check_gaps(checks, report)
    check_limits(checks)
    check_accesses(checks)
