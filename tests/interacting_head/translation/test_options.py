"""The command line of translate.py."""

import sys

import pytest

from data.errors import InputError
from interacting_head.translation.options import parse_arguments, search_fields


def test_options_of_sampling_reach_the_search(monkeypatch):
    words = "-m run --sample --temperature 0.5 --top-k 3 --top-p 0.9 --length-penalty-type average"
    monkeypatch.setattr(sys, "argv", ["translate.py", *words.split()])
    expected = {"sampling": True, "temperature": 0.5, "top_k": 3, "top_p": 0.9, "length_penalty_type": "average"}
    assert search_fields(parse_arguments("")) == expected


@pytest.mark.parametrize("option", ["--alignment", "--summary"])
def test_standard_output_is_for_translations_only(monkeypatch, option):
    monkeypatch.setattr(sys, "argv", ["translate.py", "-m", "run", option, "-"])
    with pytest.raises(InputError, match=f"{option} needs a file name: standard output has the translations"):
        parse_arguments("")
