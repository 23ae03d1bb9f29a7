import pytest

from interacting_head.translation.batches import rows_together


@pytest.mark.parametrize(
    ("width", "hypotheses", "batch_tokens", "rows"),
    [
        *((9, 4, None, 64), (128, 4, None, 64), (256, 4, None, 32), (512, 4, None, 16)),
        *((1024, 4, None, 4), (2048, 4, None, 1), (10**6, 4, None, 1)),
        *((9, 100, None, 10), (256, 100, None, 5), (1024, 100, None, 1), (1, 1, 10**6, 1024)),
        *((9, 4, 8192, 256), (128, 4, 8192, 64), (512, 4, 8192, 16), (1024, 4, 8192, 4), (10**6, 4, 8192, 1)),
    ],
)
def test_longer_sentences_and_wider_searches_are_fewer_at_a_time(width, hypotheses, batch_tokens, rows):
    assert rows_together(width, hypotheses, 64, batch_tokens) == rows
