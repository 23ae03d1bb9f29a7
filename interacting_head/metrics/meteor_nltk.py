"""METEOR as nltk computes it: another metric than METEOR 1.5, with far higher scores."""

from interacting_head.metrics.metric import MeanMetric, MetricUnavailable


class MeteorNltk(MeanMetric):
    """`meteor_nltk`: nltk's METEOR with its defaults, which are those of Banerjee and Lavie (2005).

    Exact words, Porter stems and WordNet's English synonyms; words as given, split at white space; case
    ignored; the best of the references; mean over sentences. Weights, treatment of function words, paraphrases
    and tokenisation of METEOR 1.5 are missing, and scores are some 20 points higher than `meteor`'s.

    Args:
        options: none has an effect.

    Raises:
        MetricUnavailable: without nltk or without WordNet.
    """

    waits_for = "loading WordNet"

    definition = (
        "METEOR of nltk (not METEOR 1.5: scores are far higher): exact, Porter stem and WordNet matches; words "
        "as given, case ignored; mean over sentences"
    )

    def __init__(self, options):
        super().__init__(options)
        try:
            from nltk.corpus import wordnet

            wordnet.ensure_loaded()
        except ImportError as error:
            raise MetricUnavailable("meteor_nltk needs the package nltk; pip install nltk") from error
        except (LookupError, OSError) as error:
            raise MetricUnavailable(
                "meteor_nltk needs WordNet, and nltk does not find it; python -m nltk.downloader wordnet"
            ) from error

    def values(self, hypotheses, references):
        """Return the scores of the sentences, in per cent."""
        from nltk.translate.meteor_score import meteor_score

        return [
            100 * meteor_score([reference.split() for reference in sentence_references], hypothesis.split())
            for hypothesis, sentence_references in zip(hypotheses, zip(*references, strict=True), strict=True)
        ]

    def signature(self, number_of_references):
        """Return what must be equal for two scores to be comparable."""
        import nltk

        return f"nrefs:{number_of_references}|case:lc|tok:none|version:nltk-{nltk.__version__}"
