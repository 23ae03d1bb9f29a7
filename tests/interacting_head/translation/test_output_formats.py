import json

from data.text.profiles import RAW_TEXT
from data.text.subwords import END
from interacting_head.translation.inspection import Inspection
from interacting_head.translation.output_formats import described, detailed, json_line, moses_lines
from interacting_head.translation.translator import Translation
from tests.echo_engine import Letters


class Looking:
    """An inspector that sees nothing in any translation, and remembers the sources."""

    wanted = {"attention": [("cross", 1)], "head_importance": []}  # noqa: RUF012

    def inspect(self, pairs):
        self.sources = [source for source, _ in pairs]
        return [Inspection({}, None)] * len(pairs)


def test_a_line_in_pieces_is_not_inspected_and_has_no_attention():
    inspector = Looking()
    whole, joined = Translation("x", -1.0, [120], [-1.0, 0.0]), Translation("y", -1.0, [121, END, 121], [-1.0] * 4, 2)
    found = list(detailed(["a", "bbb", "c"], [[whole, whole], [joined, joined], [whole]], inspector, Letters, RAW_TEXT))
    seen = {"source_tokens": ["a", "\x03"], "attention": []}
    nothing = {"source_tokens": None, "attention": None}
    assert found == [[seen, seen], [nothing, nothing], [{**seen, "source_tokens": ["c", "\x03"]}]]
    assert inspector.sources == [[97], [97], [], [], [99]]


def test_the_number_of_pieces_is_given_if_there_are_several():
    joined = described(Translation("y", -1.0, [121, END, 121], [-1.0] * 4, 2), Letters)
    assert (joined["tokens"], joined["pieces"]) == (["y", "\x03", "y", "\x03"], 2)
    assert "pieces" not in described(Translation("x", -1.0, [120], [-1.0, 0.0]), Letters)


def test_a_line_of_moses_has_four_fields_whatever_is_translated():
    line = moses_lines(7, [Translation("||| a ||| b |", -1.5, [], [])], None)
    assert line == "7 ||| &#124;&#124;&#124; a &#124;&#124;&#124; b | ||| score=-1.500000 ||| -1.500000\n"


def test_a_list_of_translations_may_have_a_single_one():
    one = Translation("x", -1.0, [120], [-1.0, 0.0])
    record = json.loads(json_line(0, [one], None, Letters, in_lists=False))
    assert json.loads(json_line(0, [one], None, Letters, in_lists=True)) == {**record, "n_best": [record]}
