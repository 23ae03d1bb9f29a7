"""A trained model as one `.keras` file, for every scheme."""

from pathlib import Path

from interacting_head.export import TEXT
from interacting_head.export.trained_model import TrainedModel

QUANTIZATIONS = ()

README = """\
`model.keras` is a Keras 3 model with layers of the project interacting_head. To translate with it, put the project's
folder on PYTHONPATH and run this in the folder of this file:

```python
import keras

from interacting_head import Transformer, Translator  # Transformer: makes the layers known to Keras
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.search.options import SearchOptions

model = keras.saving.load_model("model.keras")
text = RunDirectory.open("text")  # sub-words, pre- and postprocessing of text, and the settings of the run
options, trained_length = SearchOptions.of(text.config.decode, {}), text.config.data.max_length
translator = Translator(model, *text.subwords(), *text.text_forms(), options=options, trained_length=trained_length)
[[best, *_]] = translator.translate(["Ein Hund."])
print(best.text)
```

The model maps `{"source_ids": (B, S), "target_ids": (B, T)}` to logits `(B, T, vocabulary)`. Source sentences end with
3 (`</s>`), `target_ids` begin with 2 (`<s>`), 0 is padding.
"""


def write(trained: TrainedModel, folder: Path, quantization: None) -> str:
    """Write `model.keras` and the text files of its run; return how to load it."""
    trained.model.save(folder / "model.keras")
    trained.write_text_files(folder / TEXT)
    return README
