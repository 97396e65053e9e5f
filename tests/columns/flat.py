"""Just enough of flatbuffers and of Arrow's IPC files to see what pyarrow hides: exact lengths, places, bits."""
import struct


class Table:
    def __init__(self, data, at):
        self.data, self.at = data, at
        self.vtable = at - struct.unpack_from("<i", data, at)[0]
        self.size = struct.unpack_from("<H", data, self.vtable)[0]

    def place(self, field):
        at = 4 + 2 * field
        offset = struct.unpack_from("<H", self.data, self.vtable + at)[0] if at < self.size else 0
        return self.at + offset if offset else None

    def number(self, field, form, absent=0):
        at = self.place(field)
        return absent if at is None else struct.unpack_from("<" + form, self.data, at)[0]

    def table(self, field):
        at = self.place(field)
        return None if at is None else Table(self.data, at + struct.unpack_from("<I", self.data, at)[0])

    def structs(self, field, form):
        at = self.place(field)
        at += struct.unpack_from("<I", self.data, at)[0]
        count, size = struct.unpack_from("<I", self.data, at)[0], struct.calcsize("<" + form)
        return [struct.unpack_from("<" + form, self.data, at + 4 + i * size) for i in range(count)]


def root(data):
    return Table(data, struct.unpack_from("<I", data, 0)[0])


def message(file, at, head):
    """The message in a block: its header type, its header, the length of its body."""
    mark, size = struct.unpack_from("<Ii", file, at)
    assert mark == 0xFFFFFFFF and size + 8 == head, "the prefix of a message"
    m = root(file[at + 8:at + head])
    assert m.number(0, "h") == 4, "version V5"
    return m.number(1, "B"), m.table(2), m.number(3, "q")


def batch(header):
    return header.number(0, "q"), header.structs(1, "qq"), header.structs(2, "qq")


def read(file):
    """Of an IPC file: the record batch (rows, nodes, buffers), its dictionaries, and the place of its body."""
    assert file[:8] == b"ARROW1\0\0" and file[-6:] == b"ARROW1", "the marks of a file"
    length = struct.unpack_from("<I", file, len(file) - 10)[0]
    start = len(file) - 10 - length
    footer = root(file[start:start + length])
    blocks = footer.structs(3, "qi4xq")
    assert footer.number(0, "h") == 4 and len(blocks) == 1, "one record batch"
    at, head, body = blocks[0]
    assert at + head + body + 8 == start and file[start - 8:start] == b"\xff\xff\xff\xff\0\0\0\0", "the end mark"
    kind, header, length = message(file, at, head)
    assert kind == 3 and length == body and (at + head) % 64 == 0, "the record batch"
    dictionaries = []
    for number, (place, head_of, body_of) in enumerate(footer.structs(2, "qi4xq")):
        kind, d, length = message(file, place, head_of)
        assert kind == 2 and length == body_of and place < at and d.number(0, "q") == number, "a dictionary"
        assert d.number(2, "B") == 0, "no delta"
        dictionaries.append((batch(d.table(1)), file[place + head_of:place + head_of + body_of]))
    return batch(header), dictionaries, file[at + head:at + head + body]
