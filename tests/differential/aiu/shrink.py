"""The smallest capture with a property: files, options and events are taken away as long as it stays."""
import copy
import time

MOST_SECONDS = 60
# The input and the output stay.
KEPT = {"-i", "-o"}


def groups_of(options):
    """The words of each option."""
    groups = []
    for word in options:
        if word.startswith("-") and not word.lstrip("-")[:1].isdigit():
            groups.append([word])
        else:
            groups[-1].append(word)
    return groups


def fewer_options(capture):
    groups = groups_of(capture["options"])
    for i, group in enumerate(groups):
        if group[0] not in KEPT and not (group[0] == "-f" and "pddf" in group):
            yield dict(capture, options=[word for k, g in enumerate(groups) if k != i for word in g])
    if capture["fixed"]:
        yield dict(capture, fixed=False)


def fewer_files(capture):
    for name in capture["files"]:
        groups, gone = [], False
        for group in groups_of(capture["options"]):
            if group[0] in ("-i", "-c") and name in group[1].split(","):
                rest = [other for other in group[1].split(",") if other != name]
                gone = gone or (not rest and group[0] == "-i")
                group = [group[0], ",".join(rest)] if rest else []
            groups.append(group)
        if not gone:
            yield dict(capture, files={k: v for k, v in capture["files"].items() if k != name},
                       options=[word for group in groups for word in group])


def list_of(content):
    return content["traceEvents"] if isinstance(content, dict) else content


def fewer_rows(capture):
    """Events, or lines of a log, in chunks that halve. Pairs of B and E go together."""
    for name, content in capture["files"].items():
        rows = list_of(content)
        units, at = [], 0
        while at < len(rows):
            pair = isinstance(rows[at], dict) and rows[at]["ph"] == "B"
            units.append(rows[at:at + (2 if pair else 1)])
            at += len(units[-1])
        size = len(units)
        while size:
            for start in range(0, len(units), size):
                kept = [row for unit in units[:start] + units[start + size:] for row in unit]
                more = dict(content, traceEvents=kept) if isinstance(content, dict) else kept
                yield dict(capture, files=dict(capture["files"], **{name: more}))
            size //= 2


def shrink(capture, holds):
    best, until, changed = copy.deepcopy(capture), time.monotonic() + MOST_SECONDS, True
    while changed and time.monotonic() < until:
        changed = False
        for step in (fewer_files, fewer_options, fewer_rows):
            again = True
            while again and time.monotonic() < until:
                again = False
                for smaller in step(best):
                    if time.monotonic() > until:
                        break
                    if holds(smaller):
                        best, again, changed = smaller, True, True
                        break
    return best
