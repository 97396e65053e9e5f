"""What a conversion of JSON cannot say in Perfetto's packets (docs/conformance.md, "Conversions"), so that random documents
of any seed can be compared: rows of a table that differ by exactly this are taken out on both sides.

Packets know no lengths in nanoseconds, so a complete event of a fraction of a microsecond is a begin and an end there:

  ended    a begin without an end above such an event gets the end of it
  moved    such an event that outlives one around it, and what lies on it, is on a lane: less deep, another parent or none
  arrows   an arrow from or to such an event that is over may be bound to another slice, or to none
  clocks   whether no time of the thread's clock passed, or nobody knows how much, is the same to begins, ends and instants
  numbers  where an arrow's end has no start before it, arrows have other numbers, and that of a later start is missing
"""
import collections
import csv

import check

Slice = collections.namedtuple("Slice", "ts dur parent")

SQL = "select ts, dur, ifnull(parent_id, -1) as parent from slice order by id"

# Columns of the sections as check.read_section leaves them.
DUR = {"slices": 1, "slice_thread_times": 1, "args": 1}
PLACE = {"slices": (2, 9, 10), "slice_thread_times": (2,), "args": ()}  # depth, name and time of the parent


def read_slices(postfetto, source, path):
    with open(path, "w", encoding="utf-8") as file:
        check.run([postfetto, "query", "-q", "--format", "csv", source, SQL], stdout=file)
    with open(path, newline="", encoding="utf-8") as file:
        return [Slice(*map(int, row)) for row in list(csv.reader(file))[1:]]


def around(slices, one):
    while one.parent >= 0:
        one = slices[one.parent]
        yield one


def is_fraction(dur):
    return dur > 0 and dur % 1000 != 0


class Exceptions:
    def __init__(self, slices, early_end):
        self.early_end = early_end  # an end of an arrow without a start before it
        self.ended, self.moved = collections.defaultdict(set), set()
        moved = set()
        for i, one in enumerate(slices):
            for outer in around(slices, one):
                if one.dur < 0 and is_fraction(outer.dur):
                    self.ended[str(one.ts)].add(str(outer.ts + outer.dur - one.ts))
                over = one.dur >= 0 and 0 <= outer.dur and outer.ts + outer.dur < one.ts + one.dur
                if over and is_fraction(one.dur) or one.parent in moved:
                    moved.add(i)
                    self.moved.add((str(one.ts), str(one.dur)))

    def is_ended(self, section, lost, extra):
        dur = DUR[section]
        same = lost[:dur] + lost[dur + 1:] == extra[:dur] + extra[dur + 1:]
        return same and lost[dur] == "-1" and extra[dur] in self.ended[lost[0]]

    def is_moved(self, section, lost, extra):
        keep = [i for i in range(len(lost)) if i not in PLACE[section]]
        same = all(lost[i] == extra[i] for i in keep)
        return same and (lost[0], lost[1]) in self.moved and (not PLACE[section] or int(extra[2]) < int(lost[2]))

    def is_clock(self, lost, extra):
        return lost[:7] + lost[8:] == extra[:7] + extra[8:] and {lost[7], extra[7]} == {"", "0"}

    def is_arrow(self, lost, extra):
        """The numbers are the last column; out and in are five columns each, their lengths the second ones."""
        if lost[:-1] == extra[:-1]:
            return self.early_end
        one_side = lost[:5] == extra[:5] or lost[5:10] == extra[5:10]
        return one_side and any(is_fraction(int(lost[i])) for i in (1, 6))

    def allows(self, section, lost, extra):
        if section == "flows":
            return self.is_arrow(lost, extra)
        if section == "slice_thread_times" and self.is_clock(lost, extra):
            return True
        return section in DUR and (self.is_ended(section, lost, extra) or self.is_moved(section, lost, extra))

    def allows_loss(self, section, lost):
        return section == "flows" and (self.early_end or any(is_fraction(int(lost[i])) for i in (1, 6)))

    def take_out(self, want, got):
        """What is left of the tables when allowed differences are gone, and how many there were."""
        found = 0
        want, got = ({section: table.copy() for section, table in tables.items()} for tables in (want, got))
        for section in want:
            extras = list((got[section] - want[section]).elements())
            for lost in (want[section] - got[section]).elements():
                extra = next((row for row in extras if self.allows(section, lost, row)), None)
                if extra is not None:
                    extras.remove(extra)
                    got[section][extra] -= 1
                if extra is not None or self.allows_loss(section, lost):
                    want[section][lost] -= 1
                    found += 1
        return want, got, found


def has_early_end(document):
    """Whether an arrow of the document ends before it starts. By time; names and categories may tell arrows apart or not."""
    events = document["traceEvents"] if isinstance(document, dict) else document
    arrows = [event for event in events if isinstance(event, dict) and event.get("ph") in ("s", "t", "f")]
    arrows.sort(key=lambda event: float(event.get("ts", 0)))
    started = set()
    for event in arrows:
        key = tuple(str(event.get(member)) for member in ("cat", "name", "id"))
        if event["ph"] == "s":
            started.add(key)
        elif key not in started:
            return True
    return False
