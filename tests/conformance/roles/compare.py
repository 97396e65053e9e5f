"""Compares the table of roles (src/perfetto/roles.c) with Perfetto's own descriptors, as the package of PyPI has them:
every row must be a field of the message that it stands in, and a number, a text or a message as its role says. Prints
each difference; the last line counts."""
import re
import sys

from google.protobuf.descriptor import FieldDescriptor
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as trace

# Where the comparison begins; other messages are found through the fields that lead to them.
ROOTS = [("PACKET", trace.TracePacket.DESCRIPTOR), ("KERNEL", trace.InternedComputeKernel.DESCRIPTOR)]
# Extensions, which the package does not have as fields, and our own.
ELSEWHERE = {("PACKET", 76), ("PACKET", 1815), ("PACKET", 1816), ("EVENT", 1042), ("EVENT", 3000), ("EVENT", 3001), ("INTERNED", 1000),
             ("INTERNED", 1001)}
ELSEWHERE_REACHED = {"GPU_CORRELATION", "FRAMES", "DISPLAY_FRAME", "SURFACE_FRAME", "FRAME_END"}
# One row serves several messages, of which this one has fewer fields.
SHORTER = {"SchedProcessFreeFtraceEvent"}
FLAT = {"NUMBERS", "NAMES", "PRIVATES"}
TEXTS = {"DATA", "OPAQUE", "NAME", "KEY", "VALUE", "PATH", "COMMAND", "JSON", "PRINT", "PRIVATE", "PACKETS"}


def rows(source):
    """(message, number, what, argument) of each row, in the words of the table."""
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    fact = r"(N\b|\w+\(\w+\)|\{PF_ROLE_\w+, [^}]*\})"
    for name, body in re.findall(r"static const pf_fact (\w+)\[\] = \{(.*?)\};", source, re.S):
        for number, text in re.findall(r"\[(\d+)\] = " + fact, body):
            yield name.upper(), int(number), text
    with open("src/perfetto/fields.h", encoding="utf-8") as f:
        numbers = dict(re.findall(r"(PF_F_\w+) = (\d+)", f.read()))
    for number, message, text in re.findall(r"\{(\w+), PF_MSG_(\w+), " + fact + r"\}", source):
        yield message, int(numbers.get(number, number)), text


def spelled(text):
    if text == "N":
        return "N", ""
    braces = re.match(r"\{PF_ROLE_(\w+),", text)
    return (("LIST", braces[1]) if braces else re.match(r"(\w+)\((\w+)\)", text).groups())


def main():
    with open("src/perfetto/roles.c", encoding="utf-8") as f:
        table = {}
        for message, number, text in rows(f.read()):
            table.setdefault(message, {})[number] = spelled(text)
    seen, todo, wrong, checked = set(), list(ROOTS), [], 0
    while todo:
        name, descriptor = todo.pop()
        if (name, descriptor.full_name) in seen:
            continue
        seen.add((name, descriptor.full_name))
        fields = {f.number: f for f in descriptor.fields}
        if name in FLAT:
            for f in descriptor.fields:
                if f.type == FieldDescriptor.TYPE_MESSAGE or (name == "NUMBERS" and f.type in (9, 12)):
                    print(f"note: {name} {descriptor.full_name}.{f.name} has no role")
            continue
        for number, f in sorted(fields.items()):
            if number not in table[name] and name != "PACKET" and name != "FTRACE_EVENT":
                print(f"note: {descriptor.full_name}.{f.name} = {number} has no row")
        for number, (what, argument) in sorted(table[name].items()):
            f = fields.get(number)
            if f is None:
                if (name, number) not in ELSEWHERE and descriptor.name not in SHORTER:
                    wrong.append(f"{name} {number}: {descriptor.full_name} has no such field")
                continue
            checked += 1
            is_message, is_text = f.type == FieldDescriptor.TYPE_MESSAGE, f.type in (9, 12)
            if what == "M":
                if not is_message:
                    wrong.append(f"{descriptor.full_name}.{f.name} is no message")
                else:
                    todo.append((argument, f.message_type))
            elif what == "R" and argument in TEXTS:
                if not is_text and not (is_message and argument == "OPAQUE"):
                    wrong.append(f"{descriptor.full_name}.{f.name} is no text")
            elif is_message or is_text:
                wrong.append(f"{descriptor.full_name}.{f.name} is no number")
            repeated = f.is_repeated if hasattr(f, "is_repeated") else f.label == 3
            one = what in ("R", "IID") and not is_text and not is_message
            if (what in ("LIST", "IIDS") and not repeated) or (one and repeated):
                wrong.append(f"{descriptor.full_name}.{f.name}: repeated {repeated}")
    missed = set(table) - {name for name, _ in seen} - ELSEWHERE_REACHED
    wrong += [f"{name} is never reached" for name in sorted(missed)]
    for line in wrong:
        print("WRONG", line)
    print(f"{checked} rows compared, {len(wrong)} differences")
    return 1 if wrong or checked < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
