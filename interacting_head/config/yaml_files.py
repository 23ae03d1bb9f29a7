"""YAML 1.2 of untrusted files: few plain values; `no` and dates are strings, 1e-9, 010 (ten) and 1_000 numbers."""

import collections
import itertools
import math
import re
from pathlib import Path

import yaml

from data.errors import InputError

MOST_CHARACTERS = 2**16
MOST_VALUES = 2**15  # aliases expanded: nine lines of them can stand for billions
MOST_BITS = 63  # of an integer


class _Loader(yaml.SafeLoader):
    def get_single_node(self):
        node = super().get_single_node()
        if node is not None and _size(node, {}) > MOST_VALUES:
            raise yaml.YAMLError(f"more than {MOST_VALUES:,} values, with aliases expanded")
        return node

    def construct_mapping(self, node, deep=False):
        counts = collections.Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        if repeated := [key for key, count in counts.items() if count > 1]:
            raise yaml.YAMLError(f"the key {repeated[0]} is given more than once")
        return super().construct_mapping(node, deep)

    def construct_yaml_int(self, node):
        text = self.construct_scalar(node)
        number = int(text, 0 if text[:2] in ("0o", "0x") else 10)
        if abs(number) >> MOST_BITS:
            raise yaml.YAMLError(f"a whole number of more than {MOST_BITS} bits")
        return number


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] in ("null", "merge")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("(true|false|True|False)$"), list("tfTF"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?$|[-+]?\.inf$|\.nan$"),
    list("-+.0123456789"),
)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"[-+]?\d+(_\d+)*$|0o[0-7]+$|0x[0-9a-fA-F]+$"), list("-+0123456789")
)
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


class _Dumper(yaml.SafeDumper):
    """Quote what `_Loader` would not read as a string."""

    yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers


def read_yaml(path: str | Path, kind: str) -> object:
    """Return the value in a YAML file; raise `InputError`, naming the kind of file, if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return _value(file.read(MOST_CHARACTERS + 1))
    except OSError as error:
        raise InputError(f"cannot read the {kind} {path}: {error.strerror}") from error
    except Exception as error:  # YAML's tags lead to conversions that raise many kinds
        raise InputError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error


def from_yaml(text: str, name: str) -> object:
    """Return the value of a text; raise `InputError`, which begins with `name`, if it is not YAML."""
    try:
        return _value(text)
    except Exception as error:
        raise InputError(f"{name}: {text!r} is not a valid YAML value") from error


def to_yaml(value: dict | list) -> str:
    """Return nested dictionaries and lists as text, in their order."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def scalar(value: bool | float | str) -> str:
    """Return a value that is neither a dictionary nor a list on one line."""
    style = '"' if isinstance(value, str) else None  # the only one with escapes for line breaks
    return yaml.dump(value, Dumper=_Dumper, default_style=style, width=math.inf).removesuffix("...\n").rstrip("\n")


def _value(text):
    if len(text) > MOST_CHARACTERS:
        raise yaml.YAMLError(f"more than {MOST_CHARACTERS:,} characters")
    return yaml.load(text, _Loader)


def _size(node, sizes):
    """Return the number of nodes in a node with aliases expanded, itself included; infinite if it contains itself."""
    if id(node) not in sizes:
        sizes[id(node)] = math.inf
        children = () if isinstance(node, yaml.ScalarNode) else node.value
        if isinstance(node, yaml.MappingNode):
            children = itertools.chain.from_iterable(children)
        sizes[id(node)] = 1 + sum(_size(child, sizes) for child in children)
    return sizes[id(node)]
