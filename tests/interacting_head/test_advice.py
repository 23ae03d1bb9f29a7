"""Advice in messages names settings that exist."""

import dataclasses
import inspect
import re

import pytest

from interacting_head import config
from interacting_head.analysis import analysed_run
from interacting_head.model.allocation import MODEL_ADVICE, TRAINING_ADVICE
from interacting_head.search.options import SearchOptions
from interacting_head.serve import __main__ as serve
from interacting_head.serve import service
from interacting_head.training import validation
from interacting_head.translation import files, line_encoder, options, translator

KEYS = config.flattened(config.to_dict(config.ExperimentConfig()))


@pytest.mark.parametrize(
    "advice", [MODEL_ADVICE, TRAINING_ADVICE, validation.SEARCH_ADVICE, analysed_run.SEARCH_ADVICE, service.ADVICE]
)
def test_keys_of_the_configuration_exist(advice):
    keys = re.findall(r"\b(?:train|data|model|decode)\.\w+", advice)
    assert keys
    assert set(keys) <= set(KEYS)


@pytest.mark.parametrize(
    ("advice", "parse"),
    [
        (files.ADVICE, lambda: options.parse_arguments("")),
        (line_encoder.ADVICE, lambda: options.parse_arguments("")),
        (service.ADVICE, serve.parse_arguments),
    ],
)
def test_options_of_the_command_line_exist(advice, parse, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["command", "--help"])
    with pytest.raises(SystemExit):
        parse()
    flags = re.findall(r"--[a-z-]+", advice)
    assert flags
    assert set(flags) <= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


def test_arguments_of_the_translator_exist():
    known = {*inspect.signature(translator.Translator).parameters, *(f.name for f in dataclasses.fields(SearchOptions))}
    assert set(re.findall(r"\w+_\w+", translator.ADVICE)) <= known
