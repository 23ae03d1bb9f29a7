"""The command line of eval_metrics.py."""

import sys

from interacting_head.metrics.command_line import parse_arguments


def test_languages_of_the_text_and_of_meteor_are_separate(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["eval_metrics.py", "-r", "ref", "--language", "de", "--meteor-language", "fr"])
    arguments = parse_arguments("")
    assert (arguments.language, arguments.meteor_language) == ("de", "fr")
