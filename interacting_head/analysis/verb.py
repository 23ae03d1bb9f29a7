"""The interface of an analysis: options, runs in, findings out."""

import abc
from dataclasses import dataclass, field


@dataclass
class Findings:
    """Results of an analysis.

    Attributes:
        rows: dictionaries with the same keys, flat: lines of the CSV file and of the printed table.
        summary: those of the rows that are printed where there are too many to print all; the first ones by default.
        data: further values for the JSON file, nested, of plain Python or NumPy.
        notes: lines that are printed and stand in the JSON file.
        figures: {name of the files: function that draws on an empty matplotlib `Figure`}.
        files: {name: text} of further files.
    """

    rows: list = field(default_factory=list)
    summary: list = field(default_factory=list)
    data: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)
    figures: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)


class Verb(abc.ABC):
    """An analysis of one or several runs.

    Attributes:
        name: on the command line, and of the files.
        summary: its line of the help text.
        reads_sentences: whether it has the options for sentences, `-i` to `--seed`.
        sentences: default of `--sentences`.
    """

    name: str
    summary: str
    reads_sentences = True
    sentences = 1500

    def add_arguments(self, parser):  # noqa: B027 (most have none)
        """Add options of its own to its parser."""

    def check(self, arguments):  # noqa: B027
        """Raise `InputError` for options that are wrong whatever the runs are; nothing is loaded yet."""

    @abc.abstractmethod
    def analyze(self, runs, arguments):
        """Return the `Findings`.

        Args:
            runs: list of `analysed_run.AnalysedRun`, at least one, with different names.
            arguments: the command line's.

        Raises:
            InputError: for runs or sentences that cannot be analysed so.
        """
