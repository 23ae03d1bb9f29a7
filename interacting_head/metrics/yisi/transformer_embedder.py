"""Contextual vectors from a transformer in the format of Hugging Face's `transformers`."""

from pathlib import Path

from interacting_head.metrics.metric import MetricUnavailable
from interacting_head.metrics.yisi.embedders import Embedder

BATCH = 32  # lines


class TransformerEmbedder(Embedder):
    """The hidden states of one layer of a transformer encoder, for the sub-words of its own tokeniser.

    Tokens that the tokeniser adds, such as [CLS], are no units. Lines longer than the transformer takes are cut.

    Args:
        folder: what `save_pretrained` wrote: configuration, weights and tokeniser. Nothing is downloaded.
        layer: number of the layer, from 1; three quarters of the way up unless given, which is 9 of the 12
            of multilingual BERT.

    Raises:
        MetricUnavailable: when `transformers` or `torch` is not installed, or the folder cannot be loaded.
    """

    def __init__(self, folder, layer=None):
        folder = Path(folder)
        try:
            import transformers

            transformers.utils.logging.set_verbosity_error()
            transformers.utils.logging.disable_progress_bar()
            # Said outright: where it is left open, a folder with code of its own asks the user to run it.
            safely = {"local_files_only": True, "trust_remote_code": False}
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **safely)
            self._model = transformers.AutoModel.from_pretrained(folder, **safely)
        except ImportError as error:
            raise MetricUnavailable(
                f"a transformer as embedder needs the packages transformers and torch ({_first_line(error)}); "
                "install them, or name a file of word vectors"
            ) from error
        except Exception as error:  # whatever kind of error a file of the folder leads to
            raise MetricUnavailable(f"cannot load a transformer from {folder}: {_first_line(error)}") from error
        layers = self._model.config.num_hidden_layers
        self.layer = round(0.75 * layers) if layer is None else layer
        if not 1 <= self.layer <= layers:
            raise MetricUnavailable(f"the transformer in {folder} has no layer {layer}; choose one of 1 to {layers}")
        self._model.eval()
        self._model.requires_grad_(False)
        positions = getattr(self._model.config, "max_position_embeddings", None) or self._tokenizer.model_max_length
        self._longest = min(self._tokenizer.model_max_length, positions)
        self.name = f"{folder.name}-layer{self.layer}"
        self.description = f"sub-words' hidden states (layer {self.layer} of {layers} of {folder.name})"

    def units(self, lines):
        """Return the sub-words of each line."""
        encoded = self._encode(lines)
        units = []
        for ids, added in zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True):
            tokens = self._tokenizer.convert_ids_to_tokens(ids)
            units.append([token.encode() for token, is_added in zip(tokens, added, strict=True) if not is_added])
        return units

    def vectors(self, lines):
        """Return the hidden states of the sub-words of each line."""
        found = [None] * len(lines)
        # Lines of about equal length together need little padding.
        order = sorted(range(len(lines)), key=lambda number: len(lines[number]))
        for start in range(0, len(lines), BATCH):
            numbers = order[start : start + BATCH]
            encoded = self._encode([lines[number] for number in numbers], padding=True, return_tensors="pt")
            added = encoded.pop("special_tokens_mask").numpy().astype(bool)
            states = self._model(**encoded, output_hidden_states=True).hidden_states[self.layer]
            units = ~added & encoded["attention_mask"].numpy().astype(bool)
            for number, vectors, kept in zip(numbers, states.float().numpy(), units, strict=True):
                found[number] = vectors[kept]
        return found

    def _encode(self, lines, **kwargs):
        return self._tokenizer(
            lines, truncation=True, max_length=self._longest, return_special_tokens_mask=True, **kwargs
        )


def _first_line(error):
    return (str(error).strip() or type(error).__name__).splitlines()[0]
