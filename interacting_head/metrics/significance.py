"""Is one system better than another, or lucky with this test set? Paired bootstrap resampling.

Koehn (2004), Statistical significance tests for machine translation evaluation.
"""

import dataclasses

from interacting_head.metrics import METRICS, check_names

RESAMPLES = 1000


@dataclasses.dataclass(frozen=True)
class SystemScore:
    """One system in a comparison.

    Attributes:
        system: its name.
        score: the corpus score on the papers' scale.
        mean: the mean score over the resamples.
        confidence: half the width of the 95 % confidence interval around `mean`.
        p_value: two-sided p-value of the difference from the baseline; None for the baseline itself.
        signature: the metric's signature with the number of resamples and the seed.
    """

    system: str
    score: float
    mean: float
    confidence: float
    p_value: float | None
    signature: str


def compare(systems, references, names, **options):
    """Compares systems with a baseline by sacrebleu's paired bootstrap: 1000 resamples, seed 12345.

    sacrebleu's environment variable SACREBLEU_SEED sets another seed; the signature names it.

    Args:
        systems: list of pairs (name, list of hypotheses), the baseline first.
        references: list of references, each a list of strings.
        names: metrics that sacrebleu computes.
        **options: of the metrics, as in `evaluate`.

    Returns:
        `{name: [SystemScore, …]}`, in the order of `systems`.
    """
    # Only comparing needs NumPy: without it the scripts start faster.
    from sacrebleu.significance import PairedTest

    comparisons = {}
    for name in check_names(names):
        # A test for each metric: in one test, sacrebleu would take both BLEUs for the same metric, "BLEU".
        metric = METRICS[name](**options).corpus_metric
        test = PairedTest(systems, {name: metric}, references, test_type="bs", n_samples=RESAMPLES)
        signatures, columns = test()
        (signature,) = signatures.values()
        scores = next(column for title, column in columns.items() if title != "System")
        comparisons[name] = [
            SystemScore(system, score.score, float(score.mean), float(score.ci), p_value, str(signature))
            for (system, _), score, p_value in zip(systems, scores, _p_values(scores), strict=True)
        ]
    return comparisons


def _p_values(scores):
    # sacrebleu gives p = 0.001 to a system that is the baseline: no resample differs by *more* than nothing.
    # Every resample differs by at least as much, which is p = 1.
    baseline = scores[0].score
    return [None] + [1.0 if score.score == baseline else score.p_value for score in scores[1:]]
