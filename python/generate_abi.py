#!/usr/bin/env python3
"""generate_abi.py CC INCLUDE OUT: the public headers as a module of ctypes, so that the two cannot differ.

The compiler expands the headers, pycparser reads them, and each struct, enumeration and function becomes a line or a few
of Python. Functions that the headers define themselves (static inline) are left out: Python calls what the library
exports. Needs pycparser and pycparser-fake-libc.
"""
import pathlib
import subprocess
import sys

import pycparser_fake_libc
from pycparser import c_ast, c_parser

SCALARS = {
    "char": "c_char", "bool": "c_bool", "_Bool": "c_bool", "int": "c_int", "unsigned": "c_uint", "unsigned int": "c_uint", "double": "c_double",
    "size_t": "c_size_t", "int8_t": "c_int8", "uint8_t": "c_uint8", "int16_t": "c_int16", "uint16_t": "c_uint16", "int32_t": "c_int32",
    "uint32_t": "c_uint32", "int64_t": "c_int64", "uint64_t": "c_uint64", "float": "c_float", "long": "c_long", "unsigned long": "c_ulong",
}
RESERVED = {"as": "as_", "from": "from_", "in": "in_"}


class Generator:
    def __init__(self):
        self.classes, self.fields, self.constants, self.functions = [], [], [], []
        self.values = {}  # of enumerators
        self.types = {}  # typedef -> its Python spelling
        self.known = set()  # structs whose class is there
        self.nameless = 0

    # ---- types

    def spell(self, node):
        """A C type as ctypes says it."""
        if isinstance(node, (c_ast.TypeDecl, c_ast.Typename, c_ast.Decl)):
            return self.spell(node.type)
        if isinstance(node, c_ast.ArrayDecl):
            return f"{self.spell(node.type)} * {self.number(node.dim)}"
        if isinstance(node, c_ast.FuncDecl):
            arguments = [self.argument(p) for p in node.args.params] if node.args else []
            arguments = [] if arguments == ["None"] else arguments
            return f"CFUNCTYPE({', '.join([self.spell(node.type), *arguments])})"
        if isinstance(node, c_ast.PtrDecl):
            of = self.spell(node.type)
            if isinstance(node.type, c_ast.FuncDecl):
                return of
            return {"None": "c_void_p", "c_char": "c_char_p"}.get(of, f"POINTER({of})")
        if isinstance(node, c_ast.Enum):
            self.enumeration(node)
            return "c_int"
        if isinstance(node, (c_ast.Struct, c_ast.Union)):
            return self.record(node)
        name = " ".join(node.names)
        if name == "void":
            return "None"
        return SCALARS.get(name) or self.types[name]

    def argument(self, node):
        """The same of a parameter, where an array is a pointer."""
        if isinstance(node, c_ast.EllipsisParam):
            return None
        if isinstance(node.type, c_ast.ArrayDecl):
            of = self.spell(node.type.type)
            return {"c_char": "c_char_p"}.get(of, f"POINTER({of})")
        return self.spell(node)

    def record(self, node):
        name = node.name
        if not name:
            self.nameless += 1
            name = f"nameless_{self.nameless}"
        if name not in self.known:
            self.known.add(name)
            base = "Union" if isinstance(node, c_ast.Union) else "Structure"
            self.classes.append(f"class {name}({base}):\n    pass\n")
        if node.decls:
            fields = ", ".join(f'("{RESERVED.get(d.name, d.name)}", {self.spell(d)})' for d in node.decls)
            self.fields.append(f"{name}._fields_ = [{fields}]")
        return name

    # ---- numbers

    def number(self, node):
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.ID):
            return self.values[node.name]
        if isinstance(node, c_ast.UnaryOp):
            return {"-": int.__neg__, "~": int.__invert__, "+": int.__pos__}[node.op](self.number(node.expr))
        a, b = self.number(node.left), self.number(node.right)
        return {"+": a + b, "-": a - b, "*": a * b, "|": a | b, "&": a & b, "<<": a << b if node.op == "<<" else 0}[node.op]

    def enumeration(self, node):
        at = -1
        for e in node.values.enumerators if node.values else []:
            at = self.number(e.value) if e.value else at + 1
            self.values[e.name] = at
            self.constants.append(f"{e.name} = {at}")

    # ---- all

    def take(self, node):
        if isinstance(node, c_ast.Typedef):
            if node.name.startswith("pf_"):  # the others are the C library's
                self.types[node.name] = self.spell(node.type)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            if node.name.startswith("pf_") and "static" not in node.storage:
                arguments = [self.argument(p) for p in node.type.args.params]
                arguments = [] if arguments == ["None"] else [a for a in arguments if a]
                self.functions.append(f'    "{node.name}": ({self.spell(node.type.type)}, [{", ".join(arguments)}]),')
        elif isinstance(node, c_ast.Decl):
            self.spell(node.type)

    def text(self):
        return "\n".join([
            '"""Structs and functions of libpostfetto, generated from its headers."""', "from ctypes import *", "", *self.constants, "", *self.classes,
            *self.fields, "", "FUNCTIONS = {", *self.functions, "}", ""])


def main(compiler, include, out):
    fakes = ["-D__attribute__(x)=", "-D__restrict=", "-D_Noreturn=", "-nostdinc", "-isystem", pycparser_fake_libc.directory]
    source = '#include <postfetto/postfetto.h>\n'
    expanded = subprocess.run([compiler, "-E", "-P", "-x", "c", *fakes, "-I", include, "-"], input=source, capture_output=True, text=True, check=True).stdout
    generator = Generator()
    for node in c_parser.CParser().parse(expanded).ext:
        generator.take(node)
    pathlib.Path(out).write_text(generator.text())


if __name__ == "__main__":
    main(*sys.argv[1:])
