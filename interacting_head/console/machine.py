"""This machine: its processor and the versions of packages."""

import contextlib
import platform
from importlib import metadata
from pathlib import Path

INSTRUCTIONS_SHOWN = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")
"""Instruction sets that determine the speed of matrix products."""

ZEN = {("25", False): ["Zen 3"], ("25", True): ["Zen 4"], ("26", True): ["Zen 5"]}
"""AMD's family, and whether it has AVX-512 → its microarchitecture, which the names of virtual processors leave out."""

PACKAGES = ("tensorflow", "tensorflow-cpu", "keras", "numpy", "jax", "sacrebleu", "ctranslate2")


def processor() -> str:
    """Return the processor's name on Linux, and which of `INSTRUCTIONS_SHOWN` it has."""
    fields, instructions = _processor_fields(), processor_instructions()
    name = [fields.get("model name", platform.processor())]
    if fields.get("vendor_id") == "AuthenticAMD":
        name += ZEN.get((fields.get("cpu family"), "avx512f" in instructions), [])
    return " ".join([*name, *(shown for shown in INSTRUCTIONS_SHOWN if shown in instructions)])


def processor_instructions() -> set[str]:
    """Return the processor's instruction sets as Linux lists them; none on other systems."""
    fields = _processor_fields()
    return {*fields.get("flags", "").split(), *fields.get("Features", "").split()}


def versions() -> dict[str, str]:
    """Return `{package: version}` of the `PACKAGES` that are installed."""
    found = {}
    for package in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found


def _processor_fields():
    """Return {name: text} of the last processor in /proc/cpuinfo; empty on other systems."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return {key.strip(): text.strip() for key, _, text in (line.partition(":") for line in lines)}
