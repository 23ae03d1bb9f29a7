"""The number of this project's functions between a command and an equation."""

import runpy
import sys
import traceback
from pathlib import Path

import pytest

from interacting_head.config import to_yaml
from interacting_head.model import compilation
from layers import ATTENTION_SCHEMES, MultiHeadAttention
from tests import tiny_corpus

ROOT = Path(__file__).parents[1]
PRODUCT = ("data", "interacting_head", "layers")
SETTINGS = ["model.attention.scheme=recording", "train.max_steps=1", "train.validation_interval=1"]
ONE_CALL = "interacting_head.translation.engines.keras.calls_at_a_time"  # with several, threads have their own frames


class Recording(MultiHeadAttention):
    """Multi-head attention that records the frames under which its logits are computed."""

    frames = []  # noqa: RUF012

    def score(self, q, k):
        places = (Path(frame.filename) for frame in traceback.extract_stack())
        names = [frame.name for frame in traceback.extract_stack()]
        ours = [
            f"{place.relative_to(ROOT)}: {name}"
            for place, name in zip(places, names, strict=True)
            if place.is_relative_to(ROOT) and place.relative_to(ROOT).parts[0] in (*PRODUCT, "train.py", "translate.py")
        ]
        first = next((index for index, frame in enumerate(ours) if frame.endswith(".py: main")), 0)
        self.frames.append([*ours[first:], "layers/multi_head_attention.py: score"])
        return super().score(q, k)


def frames_of(command, monkeypatch, *arguments):
    """The frames of ours, from `main` to `score`, each time that logits are computed."""
    Recording.frames.clear()
    monkeypatch.setattr(sys, "argv", [command, *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / command), run_name="__main__")
    assert ended.value.code in (0, None)
    return Recording.frames


def test_equations_are_a_few_calls_away_from_the_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compilation, "_parts_side_by_side", 1)  # which train.py sets in this process
    monkeypatch.setitem(ATTENTION_SCHEMES, "recording", Recording)
    config = tmp_path / "config.yaml"
    (tmp_path / "text").mkdir()
    files = tiny_corpus.write_corpus(tmp_path / "text")
    config.write_text(to_yaml(tiny_corpus.configuration(files, *SETTINGS)))
    training = frames_of("train.py", monkeypatch, config, "--run-dir", tmp_path / "run")
    training = next(frames for frames in training if any("train_step" in frame for frame in frames))
    assert len(training) <= 10, "\n".join(training)

    monkeypatch.setattr(ONE_CALL, lambda: 1)
    translation = frames_of("translate.py", monkeypatch, "-m", tmp_path / "run", "-i", files["dev_source"])
    translation = [
        frames for frames in translation if any("transformer_search.py: search" in frame for frame in frames)
    ]
    encoding, step = min(translation, key=len), max(translation, key=len)
    assert len(encoding) <= 11, "\n".join(encoding)
    assert len(step) <= 12, "\n".join(step)
