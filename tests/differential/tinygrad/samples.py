"""Samples of program counters, decoded a second time: tinygrad's decoder is in no release, so this one is written from the
description of the format alone (docs/reference/tinygrad.md, Samples)."""
import struct
from collections import Counter

SHORT = {1: "MEMORY_THROTTLE", 15: "MEMORY_THROTTLE", 2: "CONSTANT_MEMORY", 3: "SYNC", 6: "INST_FETCH", 11: "INST_FETCH",
         7: "EXEC_DEPENDENCY", 10: "EXEC_DEPENDENCY", 9: "MEMORY_DEPENDENCY", 12: "PIPE_BUSY", 18: "NONE"}
LONG = {1: "MEMORY_THROTTLE", 14: "MEMORY_THROTTLE", 2: "SYNC", 5: "INST_FETCH", 10: "INST_FETCH", 6: "EXEC_DEPENDENCY",
        9: "EXEC_DEPENDENCY", 8: "MEMORY_DEPENDENCY", 11: "PIPE_BUSY", 15: "PIPE_BUSY", 17: "NONE"}


def sample(raw, size):
    """(program counter, reason, key, wave, active)"""
    v = int.from_bytes(raw, "little")
    if size == 8:
        key = v >> 45 & 31
        return (v & (1 << 45) - 1) << 4, SHORT.get(key, "OTHER"), key, v >> 50 & 63, v >> 62 & 1
    key = v & 63
    return (v >> 8 & (1 << 53) - 1) << 4, LONG.get(key, "OTHER"), key, (v >> 6 & 3) << 4 | v >> 68 & 15, v >> 67 & 1


def decode(blob, sm_version):
    size, pending, found = 9 if sm_version >= 0xA04 else 8, {}, []
    for at in range(0, len(blob) - len(blob) % 32, 32):
        packet = blob[at:at + 32]
        head, = struct.unpack_from("<I", packet, 4)
        tpc = (head >> 8 & 255) | (head >> 25 & 7) << 8
        buffer = b"" if head >> 28 & 1 else pending.get(tpc, b"")
        buffer += (packet[:4] + packet[8:])[:head & 31]
        while len(buffer) >= size:
            found.append([tpc >> 5, tpc >> 1 & 15, tpc & 1, *sample(buffer[:size], size)])
            buffer = buffer[size:]
        pending[tpc] = buffer
    return found


def of_profile(profile):
    """What pma.json says of each stream."""
    versions = {e["device"]: (e["props"] or {}).get("sm_version", 0x800) for e in profile["events"]
                if e["class"] == "ProfileDeviceEvent"}
    streams = []
    for e in profile["events"]:
        if e["class"] == "ProfilePMAEvent":
            blob = bytes.fromhex(e["blob"]["bytes"])
            found = decode(blob, versions.get(e["device"], 0x800))
            by_pc = sorted([pc, reason, n] for (pc, reason), n in Counter((f[3], f[4]) for f in found).items())
            streams.append({"kern": e["kern"], "bytes": len(blob), "samples": len(found),
                            "stall_totals": dict(Counter(f[4] for f in found)), "by_pc": by_pc})
    return streams
