"""tinygrad_stand_in.py: as much of tinygrad as docs/recipes/tinygrad.md uses, for machines without it. Like tinygrad it leaves a
profile in the folder for temporary files when the program ends: the one of fixtures/."""
import atexit
import os
import shutil
import tempfile


class Tensor:
    @staticmethod
    def rand(*_):
        return Tensor()

    def __matmul__(self, other):
        return self

    def realize(self):
        return self


def _leave_profile():
    if os.environ.get("PROFILE") == "1":
        shutil.copy(os.path.join(os.environ["FIX"], "tinygrad_small.pkl"), os.path.join(tempfile.gettempdir(), "profile.pkl"))


atexit.register(_leave_profile)
