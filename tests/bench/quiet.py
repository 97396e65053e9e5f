"""quiet.py: how much of the processors other programs took while something was measured.

/proc/stat counts the busy time of all processors in ticks of a hundredth of a second, time that a hypervisor took away
included; what the measured program and the bench used themselves is known. The rest is somebody else's, given as a share
of all processors. With patience, a measurement waits until others are idle and is repeated as long as it was disturbed.
"""
import os
import resource
import time

TICKS = os.sysconf("SC_CLK_TCK")
DISTURBED = 0.04  # a share from which on a measurement is repeated
LOOK = 0.2        # seconds that waiting looks at the processors


def busy():
    """Seconds that all processors were busy or taken away, since the machine started."""
    with open("/proc/stat", encoding="ascii") as source:
        user, nice, system, _, _, irq, softirq, steal = (int(part) for part in source.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


def own():
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class Watch:
    """From its making to `share`, the part of the processors that others took."""

    def __init__(self):
        self.start, self.busy, self.own = time.monotonic(), busy(), own()

    def share(self):
        wall = max(time.monotonic() - self.start, 1 / TICKS)
        foreign = busy() - self.busy - (own() - self.own) - 2 / TICKS  # two ticks: what rounding may add
        return max(0.0, foreign / wall / (os.cpu_count() or 1))


def wait_for_quiet(deadline):
    while time.monotonic() < deadline:
        watch = Watch()
        time.sleep(LOOK)
        if watch.share() < DISTURBED:
            return


def measure(call, patience):
    """What the call returned the time it was disturbed least, the share that others took then, and its processor time."""
    deadline = time.monotonic() + patience
    best = None
    while best is None or (best[1] >= DISTURBED and time.monotonic() < deadline):
        if patience:
            wait_for_quiet(deadline)
        watch = Watch()
        result = call()
        share, used = watch.share(), own() - watch.own
        if best is None or share < best[1]:
            best = (result, share, used)
    return best
