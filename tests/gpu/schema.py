"""schema.py: what of a document breaks a JSON schema; the words of JSON schema that `--json-schema` uses, no others."""

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None),
         "boolean": bool}
KNOWN = {"$schema", "title", "description", "type", "properties", "required", "additionalProperties", "items", "const"}


def is_of(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name != "boolean")


def faults(value, outline, where="document"):
    for word in set(outline) - KNOWN:
        yield f"{where}: the schema says '{word}', which this does not know"
    if "const" in outline and value != outline["const"]:
        yield f"{where}: {value!r} is not {outline['const']!r}"
    types = outline.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, name) for name in types):
        yield f"{where}: {value!r} is no {' or '.join(types)}"
    if isinstance(value, dict):
        properties = outline.get("properties", {})
        for name in outline.get("required", []):
            if name not in value:
                yield f"{where}: {name} is missing"
        for name, member in value.items():
            if name in properties:
                yield from faults(member, properties[name], f"{where}.{name}")
            elif outline.get("additionalProperties") is False:
                yield f"{where}: {name} is unknown to the schema"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from faults(item, outline.get("items", {}), f"{where}[{i}]")
