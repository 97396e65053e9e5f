"""What the comparison with the original leaves out, each as a rule with its name and reason (docs/conformance-aiu.md lists
them)."""
import collections
import re


# Log lines are compared by kind, count and numbers, as their texts are not ours: (the original's, ours, what stands for
# both). A group is a number or name that both say.
SAME_LINES = [
    (r"(zero duration\. .*) Events skipped: (\d+)", r"(zero duration\. .*) Events: (\d+)", r"\1 \2"),
    (r"mp_gather_events delta_t5: (.*)", r"MP_SYNC_v2: delta_t5: (.*)", r"SYNC: ends \1"),
    (r"MP_SYNC_V2 delta_t5, (\w+ ?\w*: .*)", r"MP_SYNC_v2: delta_t5, (.*)", r"SYNC: \1"),
    (r"Detected an event/process that has no contribution.*", r"MP SYNC: .* give -M to keep .*", "SYNC: unmatched"),
    (r"FLOW: AllReduce algorithm type not supported.*", r"FLOW: collectives of which no end of the ranks.*", "FLOW: neither"),
    (r"To be finished, Only chain AllReduce.*", r"FLOW: collectives that go as a tree.*", "FLOW: tree"),
    (r"UTL: Event with \+100% util.*", r"UTL: more than 100 percent: .*", "UTL: full"),
    (r"UTL: Encountered (\d+) Events with >100% .*", r"UTL: (\d+) samples are of more than 100 percent", r"UTL: full \1"),
    (r"UTL: Kernel already has an entry with different cycle count: (.*)", r"UTL: cycles of (.*) differ: (.*)", None),
    (r"UTL: Kernel->Category map already has an entry with different category: (.*)", r"UTL: categories of (.*) differ: (.*)", None),
    (r"UTL: Fingerprint of current table already exists.*", r"UTL: a table of ideal cycles occurs twice.*", "UTL: twice"),
    (r"UTL: Counter embedding detected.*", r"UTL: a job lies inside the one before.*", "UTL: inside"),
    (r"UTL: Overlapping kernel events detected.*: (\S+)", r"UTL: kernels of a job overlap by (\S+) us", r"UTL: overlap \1"),
    (r"UTL: Found obsolete 'Ideal Cycle Scaling'.*", r"UTL: the log's 'Ideal Clock Scaling' is obsolete.*", "UTL: obsolete"),
]


def kind_of_line(text):
    """A log line with what stands for its kind in place of its text."""
    for theirs, ours, kind in SAME_LINES:
        for pattern in (theirs, ours):
            found = re.search(pattern, text)
            if found:
                kind = kind or " ".join(found.groups())
                return text[:found.start()] + found.expand(kind)
    return text

# What arrows carry from stage to stage.
CARRIED = ["jobhash", "sync", "dur", "step", "io_type"]


class Masks:
    """The rules for one capture; `used` counts those that changed something."""

    def __init__(self, capture):
        self.capture, self.used = capture, collections.Counter()

    def events(self, events):
        """Events of the original, changed in place."""
        for event in events:
            args = event.get("args", {})
            if "jobname" in args:
                args["jobname"] = re.sub(r"\(\d+\)$", "", args["jobname"])
            if [a for a in (args, event.get("attr", {})) if a.pop("jobhash", None) is not None]:
                self.used["number of a job: a hash of the file's name, which no two runs share"] += 1

    def of_stage(self, events):
        """A file of a stage (-I): ours has what becomes of events, not what stages hand on in them until another one takes it."""
        left = [event for event in events if event["ph"] != "F" and not
                (event["ph"] == "C" and event["name"] == "PT Active" and event["args"] == {"Percent": 0.0})]
        for event in left:
            for member in {"C": ["dur", "cat"], "s": CARRIED, "f": CARRIED}.get(event["ph"], []):
                if member != "cat" or event.get("cat") == "":
                    event.pop(member, None)
        if left != events:
            self.used["what stages hand on to others in counters and events of kind F (-I)"] += 1
        return left

    def table(self, name, text):
        lines = text.splitlines()
        if name.endswith("_stats_summary.csv") and len(lines) == 1:  # the order of columns without rows is pandas' own
            return ",".join(sorted(lines[0].split(",")))
        return re.sub(r"(\.json)\(\d+\)", r"\1", text)

    def log(self, text):
        text = re.sub(r"np\.float64\(([^)]*)\)", r"\1", text)
        lines = [line for line in text.splitlines() if "zero wallclock but nonzero HW time" not in line]  # the release has none
        return "\n".join(map(kind_of_line, lines))
