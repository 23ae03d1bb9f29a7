"""The name of a processor."""

import pytest

from interacting_head.console import machine

AMD = {"vendor_id": "AuthenticAMD", "model name": "AMD EPYC"}


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({**AMD, "cpu family": "25", "flags": "sse avx2"}, "AMD EPYC Zen 3 avx2"),
        ({**AMD, "cpu family": "25", "flags": "avx2 avx512f avx512_bf16"}, "AMD EPYC Zen 4 avx2 avx512f avx512_bf16"),
        ({**AMD, "cpu family": "26", "flags": "avx2 avx512f"}, "AMD EPYC Zen 5 avx2 avx512f"),
        ({**AMD, "cpu family": "23", "flags": "avx2"}, "AMD EPYC avx2"),
        ({"vendor_id": "GenuineIntel", "model name": "Intel(R) Xeon(R)", "cpu family": "6"}, "Intel(R) Xeon(R)"),
    ],
)
def test_a_processor_is_named_with_microarchitecture_and_instructions(monkeypatch, fields, name):
    monkeypatch.setattr(machine, "_processor_fields", lambda: fields)
    assert machine.processor() == name
