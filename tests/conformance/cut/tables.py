"""The tables of a trace as Perfetto's engine gives them (sections.sql), restricted to a window and to what a filter keeps.

A slice belongs to the window [start, end) if it overlaps it (one without length: if it starts in it); it is clipped, and its
original times are its marks. One without an end never ends. Depth and parent count kept slices only. An instant or a counter
belongs if its time does; a counter's last value before the window is its value at the start. A flow belongs if both its
slices do. The same function makes the rows of what was cut, with the widest window; there the marks say what was clipped.

Row numbers (ids, utids, upids) are replaced by what they stand for.
"""
import collections
import re

WIDEST = (-1 << 63, 1 << 63)
MARK = re.compile(r"(?:^|\.)cut[._](begins_before|original_ts|ends_after|original_end|flow_outside)$")
# Row numbers (of GPUs, too: in which order they come), which lane of a track a slice found free, who made a track known first, ids of tracks.
NUMBERING = re.compile(r"(^|[._])(utid|upid|ugpu|passthrough_utid|track_compressor_idx|has_first_packet_on_sequence)$"
                       r"|^(trace_id|track_uuid|parent_track_uuid)$")
# Slices and counters whose packets postfetto understands; those of other data sources are kept as packets.
TRACK_EVENTS = re.compile("(global|process|thread)_(merged_|counter_)?track_event|"
                          "legacy_async_(global|process)_slice|gpu_render_stage|thread_execution|"
                          "thread_time|thread_instructions|(global|process|thread)_counter_track_event|"
                          "json_counter|gpu_counter|.*_overlapping_slice")

# Rows of arrows between slices open at a window's start that may be turned, where something begins at the start itself
# (docs/reference/cut.md): a chain of three.
TURNED_MOST = 4

THREAD_CLOCKS = ("thread_time", "thread_instructions")

Track = collections.namedtuple("Track", "type name unit pid process tid thread parents args")
Slice = collections.namedtuple("Slice", "track ts dur depth name category parent original args clocks")
Counter = collections.namedtuple("Counter", "track ts value args")


class Tables:
    def __init__(self, answer, others=True, ids=None, ends=None, unmarked=False):
        """answer: what engine.mjs says. others: whether thread_execution may have slices of other data sources. ids: all
        that can be pids and tids; the engine makes up numbers for texts, and calls some of the threads as their text. ends: of a
        document, when asynchronous operations that begin at a time and have a name may end: those of their ids. unmarked: it
        has arguments where the engine reads none, and so no marks."""
        self.ids, self.ends, self.unmarked = ids, ends, unmarked
        self.odd = False  # a document's pids or tids are none of 32 bits: the engine gives these other numbers
        self.args, self.marks = collections.defaultdict(list), collections.defaultdict(dict)
        for number, key, kind, *value in answer["args"]:
            mark = MARK.search(key)
            value = next((cell for cell in value if cell is not None), None)
            if mark:
                self.marks[number].setdefault(mark.group(1), str(value))
            elif not NUMBERING.search(key):
                self.args[number].append((key, kind, value))
        self.errors = {(name, place): value for name, place, value in answer["errors"]}
        rows = {row[0]: row for row in answer["tracks"]}
        self.tracks = {number: self.track(rows, number) for number, row in rows.items()
                       if TRACK_EVENTS.fullmatch(row[3]) and not (others and row[3] == "thread_execution")}
        self.slices = {row[0]: (row[0], int(row[1]), int(row[2]), *row[3:]) for row in answer["slices"]
                       if row[6] in self.tracks}
        self.counters = [(row[0], int(row[1]), *row[2:]) for row in answer["counters"] if row[2] in self.tracks]
        self.flows = [row[:2] for row in answer["flows"]]
        self.marked = [row[:2] for row in answer["flows"] if row[2] is None]
        self.legacy = [row[:2] for row in answer["flows"] if row[2] is not None]  # s, t, f have arguments
        self.flow_ids = {(a, b): number for a, b, _, number in answer["flows"]}

    def ends_elsewhere(self, row):
        """Whether an operation is ended by an event of another id, or not by one of its own: the engine lets an end that fits nothing
        end what is open on the lane that it finds, which an end of another name had left, and where that belongs to nobody."""
        times = [end for (ts, name), found in (self.ends or {}).items() if name == row[4] and abs(ts - row[1]) <= 1 for end in found]
        own = any(abs(row[1] + row[2] - end) <= 1 if row[2] >= 0 else end >= row[1] for end in times)
        return self.ends is not None and self.tracks[row[6]].type.startswith("legacy_async") and own == (row[2] < 0)

    def shared_tracks(self):
        """Tracks on which operations of one id lie on those of another: an end of any of them ends the innermost one."""
        def id_of(row):
            return next((value for key, _, value in self.args.get(row[8], ()) if key == "legacy_trace_source_id"), None)
        return {self.tracks[row[6]] for row in self.slices.values() if row[7] in self.slices
                and self.tracks[row[6]].type.startswith("legacy_async") and id_of(row) != id_of(self.slices[row[7]])}

    def arguments(self, number):
        return tuple(sorted(map(repr, self.args.get(number, ()))))

    def track(self, rows, number):
        _, parent, name, kind, unit, pid, process, tid, thread, dimensions, source = rows[number]
        parents = []
        while parent is not None and len(parents) < 100:
            parents.append(rows[parent][2])
            parent = rows[parent][1]
        pid, tid = ("text" if self.ids is not None and number is not None and number not in self.ids else number
                    for number in (pid, tid))
        thread = None if tid == "text" and thread in self.ids else thread
        return Track(kind, name, unit, pid, process, tid, thread, tuple(parents),
                     self.arguments(dimensions) + self.arguments(source))

    def times(self):
        """Every point in time at which something begins or ends."""
        found = {row[1] for row in self.counters}
        for row in self.slices.values():
            found |= {row[1], row[1] + max(row[2], 0)}
        return sorted(found)

    def kept_slices(self, window, keep):
        start, end = window
        for number, row in self.slices.items():
            ts, dur = row[1:3]
            inside = start <= ts < end or (ts < start and (dur < 0 or ts + dur > start))
            if inside and (not keep or keep(self.tracks[row[6]], row)):
                yield number

    def rows(self, window=WIDEST, keep=None):
        """{section: rows as a collections.Counter}."""
        start, end = window
        kept = dict.fromkeys(self.kept_slices(window, keep))
        clipped = lambda row: (max(row[1], start), row[2] if row[2] < 0 else min(row[1] + row[2], end) - max(row[1], start))
        for number in kept:
            row = self.slices[number]
            depth, parent, above = 0, None, row[7]
            while above is not None:
                if above in kept:
                    depth, parent = depth + 1, parent or (self.slices[above][4], clipped(self.slices[above])[0])
                above = self.slices[above][7] if above in self.slices else None
            marks = self.marks[row[8]]
            before = str(row[1]) if row[1] < start else marks.get("original_ts")
            after = str(row[1] + row[2]) if row[2] >= 0 and row[1] + row[2] > end else marks.get("original_end")
            clocks = (row[9] if before is None else None, row[10] if before is None and after is None else None,
                      row[11] if before is None else None, row[12] if before is None and after is None else None)
            original = (None, None) if self.unmarked else (before, after)
            kept[number] = Slice(self.tracks[row[6]], *clipped(row), depth, row[4], row[5], parent, original,
                                 self.arguments(row[8]), clocks)
        flows = [(kept[a], kept[b]) for a, b in self.flows if a in kept and b in kept]
        twice = {(kept[b], None) for a, b in self.flows if a not in kept and b in kept} if any(
            name == "flow_duplicate_id" for name, _ in self.errors) else ()
        later, past = {b for a, b in self.flows if a not in kept}, self.flows_past(kept)
        later |= {a for a, b in self.legacy if a in self.slices and (self.slices[a][1] < start or keep)}
        outside = {a for pair in self.marked for a, b in (pair, pair[::-1]) if a in kept and b not in kept}
        outside |= {number for number in kept if "flow_outside" in self.marks[self.slices[number][8]]}
        whole_end = {number: row[1] + row[2] for number, row in self.slices.items() if row[2] >= 0}
        within = {(row[4], row[5], str(row[1])) for number, row in self.slices.items()
                  if row[7] in whole_end and whole_end.get(number) == whole_end[row[7]]}
        inside, loose = self.kept_counters(window, keep)
        elsewhere = {(row[4], row[5], self.marks[row[8]].get("original_ts", str(row[1])))
                     for row in self.slices.values() if self.ends_elsewhere(row)}
        ends = {(self.tracks[row[6]], str(row[1] + row[2])) for row in self.slices.values() if row[2] >= 0}
        at_end = {row for number, row in kept.items() if whole_end.get(number) == end}
        begun = any(self.slices[number][1] == start for number in kept)
        return {"slices": collections.Counter(kept.values()), "ends": ends, "at end": at_end, "begun at start": begun,
                "shared": self.shared_tracks(),
                "flows": collections.Counter(flows),
                "flow ids": {(kept[a], kept[b]): number for (a, b), number in self.flow_ids.items() if a in kept and b in kept},
                "on ends": set(),
                "flow marks": collections.Counter(kept[number] for number in outside),
                "counters": collections.Counter(inside), "loose": loose, "flows past": past, "begun twice": twice,
                "ended elsewhere": elsewhere, "ended with parent": within,
                "flows without start": collections.Counter((kept[a], kept[b]) for a, b in self.flows if a in kept and b in kept
                                                           and (a in later or (self.ids is not None and a == 0)))}

    def flows_past(self, kept):
        """Flows over slices that are left out: in the cut they run from one that is kept to the next."""
        onward, found = collections.defaultdict(list), collections.Counter()
        for a, b in self.flows:
            onward[a].append(b)
        for start in kept:
            seen, todo = set(), [b for b in onward[start] if b not in kept]
            while todo:
                at = todo.pop()
                if at in kept:
                    found[kept[start], kept[at]] += 1
                elif at not in seen:
                    seen.add(at)
                    todo += onward[at]
        return found

    def kept_counters(self, window, keep):
        """Rows of the window, and at its start the values before, where the track has none there; and rows that may be there:
        a thread's clock, which nothing but an event of the thread can set, at the edges what an end has that is there; older
        values at the start of a document's counter, whose events need not have the same arguments and are kept as a whole."""
        start, end = window
        inside, last, begun, loose = [], {}, set(), []
        for _, ts, number, value, args in self.counters:
            track = self.tracks[number]
            clock = track.type in THREAD_CLOCKS
            row = Counter(track, max(ts, start), value, self.arguments(args))
            if keep and not keep(track, None):
                continue
            if ts in (start, end) and clock:
                loose.append(row)
            elif start <= ts < end:
                inside.append(row)
                begun |= {number} if ts == start else set()
            elif ts < start and not clock:
                loose += [last[number]] if self.ids is not None and number in last else []
                last[number] = row
        loose += [row for number, row in last.items() if self.ids is not None and number in begun]
        inside += [row for number, row in last.items() if number not in begun]
        return inside, collections.Counter(loose)


def rounding(row):
    """How much times may differ near those of the row: the engine reads microseconds as doubles."""
    return 1 + (abs((row[0] if isinstance(row[0], Slice) else row).ts) >> 51)


def near(a, b, slack):
    """Whether two rows are equal but for times that differ by a rounding."""
    if isinstance(a, Slice) and isinstance(b, Slice) and (a.dur or -1) >= 0 and (b.dur or -1) >= 0 and abs(a.dur - b.dur) <= slack:
        a = a._replace(dur=b.dur)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(near(x, y, slack) for x, y in zip(a, b))
    if isinstance(a, str) and isinstance(b, str) and a.isdigit() and b.isdigit():
        a, b = int(a), int(b)
    if isinstance(a, int) and isinstance(b, int) and abs(a) > 1000:  # a time, not a depth
        return abs(a - b) <= slack
    return a == b


def edges(rows):
    """The first and the last time of each track of GPU counters: a value holds for the time before it, so both differ."""
    times = collections.defaultdict(list)
    for row in rows:
        if row.track.type == "gpu_counter":
            times[row.track].append(row.ts)
    return {(track, time) for track, found in times.items() for time in (min(found), max(found))}


def nameless(row):
    """A row without the name of its track, which may be that of another event."""
    if isinstance(row, tuple) and not isinstance(row, (Slice, Counter)):
        return tuple(map(nameless, row))
    if isinstance(row, str) or not row.track.type.endswith(("_merged_track_event", "_slice")):
        return row
    args = tuple(arg for arg in row.track.args if not arg.startswith(("('merge_key_value'", "('name'")))
    return row._replace(track=row.track._replace(name=None, parents=len(row.track.parents), args=args))


def unpacked(row):
    """The same without its place among the slices of its track: asynchronous operations of a document share tracks with
    those whose first events have the same name."""
    if isinstance(row, tuple) and not isinstance(row, (Slice, Counter)):
        return tuple(map(unpacked, row))
    return nameless(row._replace(depth=0, parent=None) if row.track.type.startswith("legacy_async") else row)


def called_as_text(row):
    """The same without names of threads whose tid is a text: one that a thread_name is the first to speak of is called as
    that text by the engine, not by the name."""
    if isinstance(row, tuple) and not isinstance(row, (Slice, Counter)):
        return tuple(map(called_as_text, row))
    return row._replace(track=row.track._replace(thread=None)) if row.track.tid == "text" else row


def nameless_thread(row):
    return any(track.tid == "text" and track.thread is None for track in tracks_of(row))


def endless(row):
    """A slice without its end: one that lies on a begin without an end is ended by the engine with what is around that."""
    return unpacked(row)._replace(dur=None, original=row.original[0], clocks=None)


def begins_of(row):
    """What slices are in the whole, but for their ends."""
    return {(one.name, one.category, one.original[0] or str(one.ts)) for one in ((row,) if isinstance(row, Slice) else row)}


def tracks_of(row):
    return {one.track for one in ((row,) if isinstance(row, (Slice, Counter)) else row)}


def pair_off(lost, extra, alike):
    """Takes out rows that have one alike on the other side."""
    for row in list(lost) if len(lost) + len(extra) < 4000 else ():
        match = next((other for other in extra if alike(row, other)), None)
        if match is not None:
            lost.remove(row)
            extra.remove(match)


def with_turned_arrow(one, other):
    """Whether an arrow between slices that are both open at the window's start is turned, or the next one begins at the other."""
    if one == other[::-1]:
        return None not in (one[0].original[0], one[1].original[0])
    return one[1] == other[1] and None not in (one[0].original[0], other[0].original[0])


def turned_by_begins(one, other, on_ends):
    """Whether an arrow is turned whose flow is on the end of the slice that began first. The engine turns such an arrow in the
    whole; in the cut both begin where the window does."""
    return (one == other[::-1] and one[0].ts == one[1].ts and one[0].original[0] is not None and one in on_ends)


def with_end_of_neighbour(one, other, ends):
    """Whether a slice differs by nothing but its original end, which is that of another one of its track."""
    return (one._replace(original=None) == other._replace(original=None) and one.original[0] == other.original[0]
            and None not in (one.original[1], other.original[1]) and (one.track, other.original[1]) in ends)


def differences(want, got, document=False, selected=False, unordered=False):
    """[(section, rows that are missing, rows that are not expected)]. In a document of Chrome JSON times are rounded, and the
    ends of arrows, which have the marks, are events of their own. A track without a name has that of its first event, which
    may not be in the cut. Operations that an event of another id ends are left out. The clocks of threads are selected with their events; a
    counter's value at the window's end is not in it, and how long the slice took that ends there by it is not known. A flow over a slice that is left out
    may run from its neighbour to its neighbour; Chrome's arrows have no step without a start, which may lie
    before the window, and some ends without a start come from slice 0 in the engine. Where a damaged event is missing whose time
    others count from, events may not be in the order of time: ends that the window cuts are paired as they come then."""
    problems = []
    for section in ("slices", "flows", "counters") if document else ("slices", "flows", "flow marks", "counters"):
        lost, extra = list((want[section] - got[section]).elements()), got[section] - want[section]
        if section == "counters":
            extra -= want["loose"]
        if section == "flows":
            extra -= want["flows past"]
        extra = list(extra.elements())
        if section == "counters" and selected:
            lost = [row for row in lost if row.track.type not in THREAD_CLOCKS]
        if section == "counters":
            loose = edges(want[section]) | edges(got[section])
            lost, extra = ([row for row in rows if (row.track, row.ts) not in loose] for rows in (lost, extra))
        else:
            pair_off(lost, extra, lambda one, other: nameless(one) == nameless(other))
        if document:
            pair_off(lost, extra, lambda one, other: near(unpacked(one), unpacked(other), rounding(one)))
        if document:
            pair_off(lost, extra, lambda one, other: (nameless_thread(one) or nameless_thread(other)) and near(
                unpacked(called_as_text(one)), unpacked(called_as_text(other)), rounding(one)))
        if section == "flows":
            lost = list((collections.Counter(lost) - want["flows without start"]).elements())
        if section == "flows":
            pair_off(lost, extra, lambda one, other: turned_by_begins(one, other, want["on ends"]))
        if section == "flows" and want["begun at start"] and not document and len(lost) + len(extra) <= TURNED_MOST:
            pair_off(lost, extra, with_turned_arrow)
        if section == "slices":
            pair_off(lost, extra, lambda one, other: one in want["at end"] and one._replace(
                clocks=(one.clocks[0], None, one.clocks[2], None)) == other)
        if section == "slices" and unordered:
            pair_off(lost, extra, lambda one, other: with_end_of_neighbour(one, other, want["ends"]))
        if section == "slices" and document:
            pair_off(lost, extra, lambda one, other: begins_of(one) <= want["ended with parent"] and near(
                endless(one), endless(other), rounding(one)))
        if section == "flows":
            past = list(want["flows past"])
            extra = [row for row in extra if not any(near(unpacked(row), unpacked(other), rounding(row)) for other in past)]
            extra = [row for row in extra if (row[1], None) not in want["begun twice"]]
        if section != "counters":
            lost, extra = ([row for row in rows if not tracks_of(row) & want["shared"]] for rows in (lost, extra))
        elsewhere = want["ended elsewhere"] | got["ended elsewhere"]
        if section != "counters" and elsewhere:
            lost, extra = ([row for row in rows if not begins_of(row) & elsewhere] for rows in (lost, extra))
        if lost or extra:
            problems.append((section, lost, extra))
    return problems


def new_errors(whole, part):
    return [name for name, place in part.errors if (name, place) not in whole.errors]
