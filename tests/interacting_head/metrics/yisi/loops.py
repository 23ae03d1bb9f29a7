"""YiSi by name, and as a loop over its formulas."""

import math

from interacting_head.metrics import evaluate


def score(name, hypotheses, references, **options):
    return evaluate(hypotheses, references, [name], **options)[name].score


def loop_score(matrix, reference, hypothesis, sentences, n, alpha):
    """YiSi of one sentence, written as its formulas are."""

    def weight(word):
        count = sum(word in sentence for sentence in sentences)
        return math.log2(1 + (len(sentences) + 1) / (count + 1))

    def coverage(words, others, similarity):
        length = min(n, len(words), len(others))
        found = total = 0
        for start in range(len(words) - length + 1):
            weights = [weight(word) for word in words[start : start + length]]
            best = 0
            for other in range(len(others) - length + 1):
                similarities = [similarity(start + place, other + place) for place in range(length)]
                weighted = sum(w * s for w, s in zip(weights, similarities, strict=True)) / sum(weights)
                best = max(best, weighted)
            found += sum(weights) * best
            total += sum(weights)
        return found / total

    recall = coverage(reference, hypothesis, lambda i, j: matrix[i][j])
    precision = coverage(hypothesis, reference, lambda i, j: matrix[j][i])
    return precision * recall / (alpha * precision + (1 - alpha) * recall) if precision and recall else 0
