"""METEOR 1.5, with matches by its authors' program, and nltk's METEOR.

Denkowski and Lavie (2014), Meteor Universal: language specific translation evaluation for any target language. PyPI's
`pycocoevalcap` carries the program, a Java archive, with its English paraphrase table; nlg-eval, which the papers used,
ran the same archive the same way.
"""

import contextlib
import dataclasses
import functools
import importlib.util
import os
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.command_line import install_command
from data.errors import InputError
from data.text.languages import base_language
from interacting_head.metrics.metric import MeanMetric, Metric, MetricUnavailable, Options

MEMORY = "-Xmx2G"  # the paraphrase table alone takes most of 1 GB
# Without these, numbers and lowercase letters follow the user's language: 1,5 in German.
LOCALE = ("-Duser.language=en", "-Duser.country=US")
SEPARATOR = "|||"
CHUNKS = 20  # index of the statistic that counts runs of matches, between lengths and matches and the totals
PARAPHRASES = "paraphrase"


@dataclasses.dataclass(frozen=True)
class Formula:
    """The matchers of a language with the weights of their matches, and the score of summed statistics.

    The names are the paper's: `alpha` weighs precision against recall, `beta` and `gamma` shape the penalty of
    fragmentation, `delta` weighs content against function words.
    """

    weights: Mapping[str, float]
    alpha: float = 0.75
    beta: float = 1.4
    gamma: float = 0.7
    delta: float = 0.5

    def score(self, sums: np.ndarray) -> float:
        """Return the score, 0 to 100, of summed statistics, (23,)."""
        lengths, function_words, matches = sums[0:2], sums[2:4], sums[4:20].reshape(4, 2, 2)[: len(self.weights)]
        content, function = np.tensordot([*self.weights.values()], matches, axes=1)
        matched = self.delta * content + (1 - self.delta) * function
        if not matched.all():
            return 0.0
        precision, recall = matched / (self.delta * (lengths - function_words) + (1 - self.delta) * function_words)
        mean = precision * recall / (self.alpha * precision + (1 - self.alpha) * recall)
        fragmentation = sums[CHUNKS] / sums[CHUNKS + 1 :].mean()
        return float(100 * mean * (1 - self.gamma * fragmentation**self.beta))


# The program's own for languages that it can tokenise, and for languages that must be tokenised. It supports no others.
FULL = {
    "en": Formula({"exact": 1, "stem": 0.6, "synonym": 0.8, PARAPHRASES: 0.6}, 0.85, 0.2, 0.6, 0.75),
    "cs": Formula({"exact": 1, PARAPHRASES: 0.4}, 0.95, 0.2, 0.6, 0.8),
    "de": Formula({"exact": 1, "stem": 0.8, PARAPHRASES: 0.2}, 0.95, 1.0, 0.55, 0.55),
    "es": Formula({"exact": 1, "stem": 0.8, PARAPHRASES: 0.6}, 0.65, 1.3, 0.5, 0.8),
    "fr": Formula({"exact": 1, "stem": 0.2, PARAPHRASES: 0.4}, 0.9, 1.4, 0.6, 0.65),
    "ru": Formula({"exact": 1, "stem": 0.5, PARAPHRASES: 0.5}),
}
PARTIAL = {
    **dict.fromkeys(["da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr"], Formula({"exact": 1, "stem": 0.5})),
    "other": Formula({"exact": 1}),
}
FORMULAS = FULL | PARTIAL


class Meteor(Metric):
    """`meteor`: METEOR 1.5, ignoring case, with the program's own tokenisation if it supports the language.

    `meteor_language` defaults to English, because the papers' tool scored German and Czech with English parameters,
    stemmer and paraphrases too. `lowercase` and `tokenized` have no effect. Raises `MetricUnavailable` without Java or
    the archive, and `InputError` for an unsupported language. `score_function` needs neither Java nor the archive.
    """

    waits_for = "starting Java"

    def __init__(self, options: Options):
        super().__init__(options)
        self._language = language = options.meteor_language
        if language not in FORMULAS:
            raise InputError(
                f"METEOR does not support the language '{language}'; choose one of {', '.join(FORMULAS)} with "
                "--meteor-language"
            )
        archive = find_archive()
        self._form, words = ("norm", "its own tokenisation") if language in FULL else ("lower", "words as given")
        self._formula = FORMULAS[language]
        self._matchers = tuple(self._formula.weights)
        self.command = (find_java(), MEMORY, *LOCALE, "-jar", str(archive), "-", "-", "-stdio")
        self.command += ("-l", language, f"-{self._form}")
        notes = []
        if options.language and base_language(options.language) != language:
            notes.append(f"the text is '{options.language}', scored as '{language}'")
        if language != "en":
            notes.append("the papers' tool ran -l en for all languages")
        table = archive.parent / "data" / f"paraphrase-{language}.gz"
        if table.is_file():
            # The program finds the table by itself, unless the folder's name has a space.
            self.command += ("-a", str(table))
        elif PARAPHRASES in self._matchers:
            self._matchers = tuple(matcher for matcher in self._matchers if matcher != PARAPHRASES)
            self.command += ("-m", " ".join(self._matchers))
            notes.append("METEOR's paraphrase table for this language is missing")
        self.definition = (
            f"METEOR 1.5 (-l {language} -{self._form}): matches by {', '.join(self._matchers)}; {words}, case ignored; "
            "corpus score from summed statistics; best-matching reference" + "".join(f"; note: {one}" for one in notes)
        )

    def statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the program's 23 statistics of each sentence, (N, 23)."""
        program = _start(self.command)
        sentences = list(zip(hypotheses, zip(*references, strict=True), strict=True))
        progress = tqdm(sentences, desc="METEOR", unit="sentence", leave=False, disable=None)
        rows = np.array([program.statistics(*sentence) for sentence in progress], dtype=np.float64)
        # The single chunk of a sentence that equals its reference costs nothing: the program excludes it from the sum.
        matches, reference_matches = rows[:, 4:20:2].sum(axis=1), rows[:, 5:20:2].sum(axis=1)
        equal = (matches == rows[:, 0]) & (reference_matches == rows[:, 1]) & (rows[:, CHUNKS] == 1)
        rows[equal, CHUNKS] = 0
        return rows

    def score(self, sums: np.ndarray) -> float:
        return self._formula.score(sums)

    @classmethod
    def score_function(cls, options: Options) -> Callable[[np.ndarray], float]:
        return FORMULAS[options.meteor_language].score

    def signature(self, number_of_references: int) -> str:
        matchers = "+".join(self._matchers)
        return f"nrefs:{number_of_references}|lang:{self._language}|tok:{self._form}|match:{matchers}|version:1.5"


class MeteorProgram:
    """The running program, which reads requests from its standard input until this object or the process ends.

    All methods raise `MetricUnavailable` if it cannot be started or has ended, with its messages.
    """

    def __init__(self, command: Sequence[str]):
        self._lock = threading.Lock()
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 (a pipe that nobody reads would fill up)
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._messages
            )
        except OSError as error:
            raise MetricUnavailable(f"cannot start METEOR's program: {error}; check {command[0]}") from error
        weakref.finalize(self, _end, self._process)

    def statistics(self, hypothesis: str, references: Sequence[str]) -> list[float]:
        """Return the 23 statistics of one sentence.

        As in nlg-eval, runs of white space become one space, and the separator is removed from the hypothesis; it
        splits a reference into two.
        """
        parts = ["SCORE", *references, hypothesis.replace(SEPARATOR, "")]
        reply = self._ask(f" {SEPARATOR} ".join(" ".join(part.split()) for part in parts))
        return [float(number) for number in reply.split()]

    def _ask(self, request):
        with self._lock:
            try:
                self._process.stdin.write(request.encode("utf-8", errors="replace") + b"\n")
                self._process.stdin.flush()
                return self._receive()
            except BaseException as error:
                # After an interrupt too: an unread reply would be taken for the next one.
                _start.cache_clear()
                _end(self._process)
                if isinstance(error, OSError):
                    raise self._failure() from error
                raise

    def _receive(self):
        line = self._process.stdout.readline()
        if not line or line.startswith(b"Error"):
            raise self._failure(line)
        return line

    def _failure(self, reply=b""):
        _end(self._process)  # so that all its messages are there
        self._messages.seek(0)
        messages = " ".join((reply + self._messages.read()).decode("utf-8", errors="replace").split())
        return MetricUnavailable(f"METEOR's program ended: {messages[:300] or 'no message'}; check the Java runtime")


@functools.cache
def _start(command):
    # Starting takes seconds, most of them for the paraphrases: one program serves the whole Python process.
    return MeteorProgram(command)


def _end(process):
    with contextlib.suppress(OSError):
        process.stdin.close()
    process.kill()
    process.wait()
    process.stdout.close()


def find_java() -> str:
    """Return the path of `java`, from PATH or JAVA_HOME; raise `MetricUnavailable` if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java") or (home and shutil.which("java", path=os.path.join(home, "bin")))
    if not java:
        raise MetricUnavailable("METEOR needs Java, but 'java' was not found; install a Java runtime or set JAVA_HOME")
    return java


def find_archive() -> Path:
    """Return the path of METEOR's archive in the installed package; raise `MetricUnavailable` without it."""
    package = importlib.util.find_spec("pycocoevalcap")  # not imported: that needs further packages
    for folder in package.submodule_search_locations if package else []:
        archive = Path(folder) / "meteor" / "meteor-1.5.jar"
        if archive.is_file():
            return archive
    raise MetricUnavailable(f"METEOR's archive is not installed; {install_command('metrics')} (104 MB)")


class MeteorNltk(MeanMetric):
    """`meteor_nltk`: nltk's METEOR with its defaults, which follow Banerjee and Lavie (2005); options have no effect.

    It lacks METEOR 1.5's weights, treatment of function words, paraphrases and tokenisation; scores are some 20 points
    higher than `meteor`'s. Raises `MetricUnavailable` without nltk or WordNet.
    """

    waits_for = "loading WordNet"
    definition = (
        "METEOR of nltk (not METEOR 1.5: scores are far higher): exact, Porter stem and WordNet matches; words "
        "as given, case ignored; mean over sentences"
    )

    def __init__(self, options: Options):
        super().__init__(options)
        try:
            from nltk.corpus import wordnet

            wordnet.ensure_loaded()
        except ImportError as error:
            raise MetricUnavailable("meteor_nltk needs the package nltk; run pip install nltk") from error
        except (LookupError, OSError) as error:
            raise MetricUnavailable(
                "meteor_nltk needs WordNet, which nltk cannot find; run python -m nltk.downloader wordnet"
            ) from error

    def values(self, sentences: list) -> list[float]:
        from nltk.translate.meteor_score import meteor_score

        return [100 * meteor_score(list(map(str.split, references)), line.split()) for line, references in sentences]

    def signature(self, number_of_references: int) -> str:
        import nltk

        return f"nrefs:{number_of_references}|case:lc|tok:none|version:nltk-{nltk.__version__}"
