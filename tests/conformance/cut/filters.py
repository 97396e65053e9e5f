"""Random options of `cut` that select, and the condition in the words of tables.py that each stands for."""
import re


def about(track, option):
    """What an option looks at: numbers and names."""
    return {"process": (track.pid, track.process), "thread": (track.tid, track.thread),
            "track": (track.name, *track.parents, track.thread)}[option]


def literal(text):
    return re.sub(r"([*?\[\]\\])", "[\\1]", text) if not re.search(r"[\[\]\\]", text) else None


def words_of(whole, option):
    """Patterns that fit something of the trace."""
    if option == "category":
        found = {word for row in whole.slices.values() for word in (row[5] or "").split(",")}
    else:
        used = {row[6] for row in whole.slices.values()} | {row[2] for row in whole.counters}
        used -= {number for number in used if whole.tracks[number].type.startswith("gpu_")}
        if option == "track":  # those without a name have that of an event
            used -= {row[6] for row in whole.slices.values() if row[4] == whole.tracks[row[6]].name}
        found = {word for number in used for word in about(whole.tracks[number], option)}
    return sorted({literal(str(word)) for word in found if word not in (None, "", "text", "Default Track")} - {None})


def pick(whole, r):
    """(options, condition), none if the trace has nothing to select by. Tracks of documents have no names of their own."""
    option = r.choice(["process", "thread", "category", "min-dur"] + ["track"] * (whole.ids is None))
    if option in ("process", "thread") and whole.odd:
        return [], None
    if option in ("process", "thread", "track") and any(track.type == "legacy_async_global_slice" for track in whole.tracks.values()):
        return [], None  # the events are of threads, the track of none
    if option == "min-dur":
        lengths = sorted({row[2] for row in whole.slices.values() if row[2] > 0})
        if not lengths or any(row[2] == 0 for row in whole.slices.values()):  # an instant is not shorter
            return [], None
        least = r.choice(lengths) + r.choice([0, 1])
        return ["--min-dur", f"{least}ns"], lambda track, row: row is None or row[2] < 0 or row[2] >= least
    words = words_of(whole, option)
    if not words:
        return [], None
    word, drop = r.choice(words), r.random() < 0.3
    plain = re.sub(r"\[(.)\]", r"\1", word)

    def condition(track, row):
        if track.type.startswith("gpu_"):
            return drop
        if option == "category":
            return row is None or (plain in (row[5] or "").split(",")) != drop
        return (plain in map(str, about(track, option))) != drop
    return [f"--{'drop-' * drop}{option}", word], condition
