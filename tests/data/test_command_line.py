import gc

import pytest

from data.command_line import run


@pytest.fixture
def unfrozen():
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("unfrozen")
def test_a_process_at_its_end_is_not_searched_for_garbage():
    # TensorFlow's graphs take up to a minute there.
    before = gc.get_freeze_count()
    with pytest.raises(SystemExit) as ended:
        run(lambda: None)
    assert ended.value.code == 0
    assert gc.get_freeze_count() > before
