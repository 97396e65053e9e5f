"""What the comparison with the original leaves out, each as a rule with its name and reason (docs/conformance-aiu.md lists
them)."""
import collections
import re


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
            if args.pop("jobhash", None) is not None:
                self.used["number of a job: a hash of the file's name, which no two runs share"] += 1

    def ours(self, text):
        return text

    def table(self, _name, text):
        return re.sub(r"(\.json)\(91\d\d\)", r"\1", text)

    def log(self, text):
        return re.sub(r"np\.float64\(([^)]*)\)", r"\1", text)
