import pytest

from data.errors import InputError
from interacting_head.runs.alignment_choice import ALIGNMENT, AlignmentChoice
from interacting_head.runs.run_folder import run_files
from tests.interacting_head import tiny


def test_a_run_without_a_choice_has_the_default(tmp_path):
    run, _ = tiny.run(tmp_path / "run")
    assert run.alignment_choice() == AlignmentChoice(2, "mean", is_default=True)
    assert [AlignmentChoice.default(layers).layer for layers in (1, 2, 3, 6)] == [1, 2, 2, 5]


def test_a_stored_choice_is_read_and_belongs_to_the_run(tmp_path):
    run, _ = tiny.run(tmp_path / "run")
    run.write_json(ALIGNMENT, {"layer": 1, "head": "head 2", "symmetry": 0.5})
    assert run.alignment_choice() == AlignmentChoice(1, "head 2")
    assert run.path / ALIGNMENT in run_files(run.path)


@pytest.mark.parametrize(
    "record", [[], {}, {"layer": 3, "head": "mean"}, {"layer": True, "head": "mean"}, {"layer": 1, "head": 2}], ids=str
)
def test_a_wrong_choice_is_an_error_that_names_the_file(tmp_path, record):
    run, _ = tiny.run(tmp_path / "run")
    run.write_json(ALIGNMENT, record)
    with pytest.raises(
        InputError, match=r"alignment.json names no decoder layer from 1 to 2 with a head; choose again"
    ):
        run.alignment_choice()


def test_heads_are_found_by_their_names():
    names = ["head 1", "head 2"]
    assert AlignmentChoice(1, "head 2").heads(names) == [1]
    assert AlignmentChoice(1, "mean").heads(names) == [0, 1]
    with pytest.raises(InputError, match="names 'head 3', but decoder layer 1 has head 1, head 2; choose again"):
        AlignmentChoice(1, "head 3").heads(names)
