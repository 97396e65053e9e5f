"""Messages of the wire format, written field by field."""
import struct


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


class Message(bytearray):
    """A message under construction; every call adds one field and gives the message back."""

    def number(self, field, value):
        self += varint(field << 3) + varint(value)
        return self

    def text(self, field, value):
        data = value.encode() if isinstance(value, str) else bytes(value)
        self += varint(field << 3 | 2) + varint(len(data)) + data
        return self

    def double(self, field, value):
        self += varint(field << 3 | 1) + struct.pack("<d", value)
        return self

    def fixed(self, field, value):
        self += varint(field << 3 | 1) + struct.pack("<Q", value & (1 << 64) - 1)
        return self
