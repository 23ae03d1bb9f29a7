"""The input of a conversion: a model, its sub-words, and the forms of its text."""

import dataclasses
from pathlib import Path

from data.errors import InputError
from data.files import check_room, copy_file, sha256
from data.text.subwords import Subwords
from interacting_head import config as configuration
from interacting_head.config import OWN_FILES, ExperimentConfig
from interacting_head.model.building import load_model
from interacting_head.model.transformer import Transformer
from interacting_head.runs.exports import checkpoint_name
from interacting_head.runs.run_directory import VERSION, RunDirectory

SLACK = 1 << 20  # bytes for graphs, settings and tables


@dataclasses.dataclass(frozen=True)
class TrainedModel:
    """A model with its sub-words, configuration and run; without a run, text is not preprocessed.

    `checkpoint` is the name of its weights in the run, and `weights_sha256` the checksum of their file.
    """

    model: Transformer
    source_subwords: Subwords
    target_subwords: Subwords
    config: ExperimentConfig
    run: RunDirectory | None = None
    checkpoint: str | None = None
    weights_sha256: str | None = None

    @classmethod
    def of(cls, run: RunDirectory, checkpoint: str | None = None) -> "TrainedModel":
        """Return the trained model of a run; raise `InputError` if there is none."""
        weights = run.find_weights(checkpoint)  # raises if there are none
        digest = sha256(weights)
        subwords = run.subwords()
        run.text_forms()  # raises if files are missing
        model = load_model(run, subwords, checkpoint)
        if sha256(weights) != digest:  # a training goes on
            raise InputError(f"{weights} changed while it was being read; export the run again")
        return cls(model, *subwords, run.config, run, checkpoint_name(weights), digest)

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """The codes of source and target language, None where they are not known."""
        data = self.config.data
        return self.run.languages(data) if self.run else (data.source_language, data.target_language)

    def write_text_files(self, folder: Path) -> None:
        """Write configuration, sub-words and truecasing into a new folder with the layout of a run directory."""
        folder.mkdir()
        data = dataclasses.replace(self.config.data, **dict.fromkeys(OWN_FILES))
        config = dataclasses.replace(self.config, data=data)
        (folder / "VERSION").write_text(VERSION + "\n", encoding="utf-8")
        (folder / "config.yaml").write_text(configuration.to_yaml(config), encoding="utf-8")
        copy = RunDirectory(folder)
        for subwords, path in zip((self.source_subwords, self.target_subwords), copy.subword_paths, strict=True):
            copy_file(subwords.path, path)
        if self.run and (languages := self.run.text.get("languages")):
            copy.write_json("text.json", {"languages": languages})
        if self.run and self.run.truecasers():
            for path, copied in zip(self.run.truecasing_paths, copy.truecasing_paths, strict=True):
                copy_file(path, copied)

    def check_room(self, folder: Path) -> None:
        """Raise `OSError` if the disk has no room for the weights in float32 and the other files."""
        size = 4 * self.model.count_params() + SLACK
        size += sum(Path(subwords.path).stat().st_size for subwords in (self.source_subwords, self.target_subwords))
        check_room(folder, size)
