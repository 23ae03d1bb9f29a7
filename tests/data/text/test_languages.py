import pytest

from data.text.languages import base_language


@pytest.mark.parametrize(
    ("code", "base"), [("de", "de"), ("pt_BR", "pt"), ("zh-Hans-CN", "zh"), ("EN", "en"), ("", "")]
)
def test_a_region_does_not_change_the_language(code, base):
    assert base_language(code) == base
