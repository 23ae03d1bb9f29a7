"""YAML as its version 1.2 has it: `no` is a language and not false, 1e-9 is a number and not a word."""

import re

import yaml

from data.errors import InputError


class _Loader(yaml.SafeLoader):
    pass


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] not in ("bool", "float")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("(true|false|True|False)$"), list("tfTF"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][-+]?\d+)?$|[-+]?\.inf$|\.nan$"),
    list("-+.0123456789"),
)


class _Dumper(yaml.SafeDumper):
    """Quotes what `_Loader` would not read as a word."""

    yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers


def read_yaml(path, kind):
    """The value in a YAML file.

    Raises:
        InputError: when it cannot be read; `kind` names the kind of file.
    """
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.load(file, _Loader)
    except OSError as error:
        raise InputError(f"cannot read the {kind} {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not YAML: {' '.join(str(error).split())}") from error


def from_yaml(text, name):
    """The value of a text. Raises `InputError`, which begins with `name`, where it is not YAML."""
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise InputError(f"{name}: {text!r} is not a YAML value") from error


def to_yaml(value):
    """Nested dictionaries and lists as text, in their order."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
