from interacting_head.config import ExperimentConfig, flattened, to_dict
from interacting_head.config_page import PAGE, page


def test_the_page_is_the_one_that_its_command_writes():
    assert PAGE.read_text(encoding="utf-8") == page(), "write it again: python -m interacting_head.config_page"


def test_a_default_that_depends_on_the_layer_is_not_a_number():
    assert "| `differential` | `lambda_init` (depends on the layer) |" in page().splitlines()


def test_the_page_has_every_key_with_a_meaning():
    lines = [line.split(" | ") for line in page().splitlines() if line.startswith("| `")]
    meanings = {cells[0].strip("| `"): cells[-1] for cells in lines if len(cells) == 5}
    assert set(flattened(to_dict(ExperimentConfig()))) <= set(meanings)
    assert all(len(meaning) > len(" |") for meaning in meanings.values())
