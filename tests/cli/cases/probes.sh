# Binary traces are believed by what lies in their packets, not by their first byte. The files are made by hand.
mkdir p && cd p
python3 - <<'END'
import struct

def varint(v):
    out = b""
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])

def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value

def plane(name, number=0, lines=1):
    body = (field(1, number) if number else b"") + field(2, name)
    line = field(1, 7) + field(2, b"XLA Ops") + field(3, 5) + field(4, field(1, 1) + field(2, 10) + field(3, 20))
    return field(1, body + field(3, line) * lines + field(4, field(1, 1) + field(2, field(1, 1) + field(2, b"fusion"))))

def write(name, data):
    open(name, "wb").write(data)

write("host.xplane.pb", plane(b"/host:CPU") + plane(b"/device:TPU:0", 2))
write("one.xplane.pb", plane(b"/device:GPU:0", 1))
write("long.xplane.pb", plane(b"/host:CPU", 3, 1000))
write("metadata.xplane.pb", field(1, field(2, b"/host:metadata")) + field(1, field(2, b"Task Environment")))
write("note.txt", b"\nDear reader, this is a text and no trace.\n\nIts first byte is a line feed.\n")
write("log.txt", b"\n\n\nstep 1\nstep 2\n")

slice_ = lambda ts, kind: field(1, field(8, ts) + field(10, 1) + field(11, field(9, kind) + field(11, 5)))
begin, end = slice_(100, 1), slice_(200, 2)
write("trace", begin + end)
write("uid_first", field(1, field(3, 0) + field(10, 1)) + begin + end)
write("empty_first", field(1, b"") + begin + end)
write("damaged_first", field(1, field(8, 50) + b"\xff\xff\xff") + begin + end)
write("wrong_first", field(1, field(8, b"text")) + begin + end)
write("tree_first", field(1, field(2, field(1, field(1, 4)))) + begin + end)
write("cut", begin[:9])
END
for f in host one long metadata; do
    run check $f.xplane.pb
    expect "$f.xplane.pb is no trace" 3 out= "err~^postfetto: $f\.xplane\.pb: is an XSpace \(\.xplane\.pb\) of the JAX or TensorFlow"
done
gzip -k one.xplane.pb
run info one.xplane.pb.gz
expect "nor if it is packed" 3 out= "err~is an XSpace"
run info one.xplane.pb --input-format perfetto
expect "a named format is believed" 0 "out~perfetto"
for f in note.txt log.txt; do
    run info $f
    expect "$f is no trace" 3 out= "err~^postfetto: $f: is not a trace \(begins with bytes 0a "
done
for f in trace uid_first empty_first damaged_first wrong_first tree_first; do
    run query $f --format csv "select ts, dur from slice"
    expect "$f is read" 0 $'out="ts","dur"\n100,100'
done
run info cut
expect "what is cut in its first packet is read" 0 "out~perfetto"
cd .. && rm -r p
