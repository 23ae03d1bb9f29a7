"""Model cards: the README.md of every export, with the front matter that the Hugging Face hub reads.

A card says what the run has recorded, and nothing else. The licence is left for people to fill in.
"""

import collections
import math
import re
import shlex

import yaml

from data.corpora.mixes import is_mix, parse_mix
from data.corpora.registry import KNOWN_CORPORA
from data.text.profiles import PROFILES
from interacting_head.console.text_tables import markdown
from interacting_head.export.trained_model import TrainedModel
from interacting_head.metrics.sacrebleu_metrics import tokenizer_for
from interacting_head.model.placement import attention_of, resolved
from interacting_head.runs.exports import UNQUANTIZED, ExportRecord
from interacting_head.runs.run_folder import PRUNING

LIBRARIES = {
    "ctranslate2": "ctranslate2",
    "huggingface": "transformers",
    "keras": "keras",
    "marian": "transformers",
    "pegasus": "transformers",
    "savedmodel": "tensorflow",
}
"""Format → `library_name` of its cards."""

SITES_IN_WORDS = {"encoder": "in the encoder", "decoder": "in the decoder", "cross": "from decoder to encoder"}
TASK = "translation"
LICENSE = "# license: fill in an identifier of https://hf.co/docs/hub/repositories-licenses"
OWN_TEXT = "own text"
LANGUAGE = re.compile("[a-z]{2,3}")
"""Codes of languages that the hub knows."""


def model_card(trained: TrainedModel, record: ExportRecord, usage: str, options: dict) -> str:
    """Return the text of README.md for an export, made with `options`; `usage` says how the format is used."""
    name = trained.run.name if trained.run else "model"
    languages = trained.languages if all(trained.languages) else ()
    corpora, scores = _corpora(trained), _scores(trained)
    attention = _attention(trained)
    matter = {
        "language": [code for code in languages if LANGUAGE.fullmatch(code)],
        "library_name": LIBRARIES[record.format],
        "pipeline_tag": TASK,
        "tags": [TASK, *dict.fromkeys(layer.scheme for layer in attention.values())],
        "datasets": [corpus for corpus in corpora if corpus in KNOWN_CORPORA],
        "metrics": ["sacrebleu"] if "bleu" in scores else [],
        "model-index": _model_index(trained, name, languages, scores),
    }
    front = yaml.safe_dump({key: value for key, value in matter.items() if value}, sort_keys=False, allow_unicode=True)
    sections = {
        "Model": _table(_model(trained, attention)),
        "Training": _table(_training(trained, corpora, scores)),
        "Scores": _table(_shown_scores(trained, scores)),
        "How to use it": usage.strip(),
        "How it was made": _made(name, record, options),
    }
    title = f"{name}: translation from {languages[0]} to {languages[1]}" if languages else f"{name}: translation"
    text = "".join(f"\n## {heading}\n\n{section}\n" for heading, section in sections.items() if section)
    return f"---\n{LICENSE}\n{front}---\n\n# {title}\n{text}"


def _corpora(trained):
    """Return the names of the corpora of the training text; none for own text."""
    name = trained.config.data.corpus
    if not (trained.run and name):
        return []
    return list(dict.fromkeys(part.corpus for part in parse_mix(name))) if is_mix(name) else [name]


def _attention(trained):
    """Return the `AttentionConfig` of each layer of attention, {(site, number): configuration}."""
    model = resolved(trained.config.model)
    return {(site, number): attention_of(model, site, number) for site, number in trained.model.attention_layers}


def _scores(trained):
    """Return the scores of the development text that the run has recorded for the weights, by name."""
    run = trained.run
    if run is None or trained.checkpoint is None:
        return {}
    log, metrics = run.read_log(), run.read_json("metrics.json")
    kind, _, step = trained.checkpoint.partition("-")
    if kind == "step":
        found = next((record for record in log if str(record["step"]) == step), {})
    else:
        # A training that went on after these metrics has other weights.
        is_present = isinstance(metrics, dict) and not any(record["step"] > metrics.get("steps", 0) for record in log)
        found = metrics.get(kind) if is_present else {}
    found = found if isinstance(found, dict) else {}
    return {name: score for name, score in found.items() if isinstance(score, int | float) and math.isfinite(score)}


def _bleu(trained):
    """Return the name of the BLEU of a run's validations."""
    tokenizer = tokenizer_for(trained.languages[1])
    if PROFILES[trained.config.data.profile].is_lowercased:
        return f"sacreBLEU ({tokenizer}), lower-cased, greedy search"
    return f"sacreBLEU ({tokenizer}, cased), greedy search"


def _model_index(trained, name, languages, scores):
    if "bleu" not in scores:
        return []
    corpus = trained.config.data.corpus or OWN_TEXT
    result = {
        "task": {"type": TASK, "name": " ".join(["Translation", "-".join(languages)]).strip()},
        "dataset": {"name": corpus, "type": corpus, "split": "dev"},
        "metrics": [{"type": "sacrebleu", "name": _bleu(trained), "value": round(scores["bleu"], 2)}],
    }
    return [{"name": name, "results": [result]}]


def _model(trained, attention):
    """Return pairs of a property of the model and its value."""
    config, model = trained.config.model, trained.model
    alike = collections.defaultdict(list)
    for (site, number), layer in attention.items():
        alike[site, layer.scheme, layer.num_heads].append(str(number))
    sizes = dict.fromkeys([model.source_vocabulary_size, model.target_vocabulary_size])
    shared = "shared" if model.shared_vocabulary else "separate"
    yield "architecture", f"Transformer, {config.normalization}-norm"
    for (site, scheme, heads), numbers in alike.items():
        yield (
            f"attention, {SITES_IN_WORDS[site]}",
            f"`{scheme}`, {heads} heads (layer{'s' * (len(numbers) > 1)} {', '.join(numbers)})",
        )
    yield "encoder and decoder layers", f"{config.encoder_layers} and {config.decoder_layers}"
    yield "model and feed-forward size", f"{config.model_dim} and {config.feed_forward_dim}"
    yield "parameters", f"{model.count_params():,}"
    yield "sub-words", f"{' and '.join(f'{size:,}' for size in sizes)} ({shared})"
    removed = trained.run and trained.run.read_json(PRUNING)
    if isinstance(removed, dict) and removed.get("removed"):
        yield "heads removed", ", ".join(map(str, removed["removed"]))


def _training(trained, corpora, scores):
    """Return pairs of a property of the training and its value."""
    if trained.run is None:
        return
    data, train = trained.config.data, trained.config.train
    yield "text", f"`{data.corpus}`" if data.corpus else OWN_TEXT
    for name in corpora:
        if corpus := KNOWN_CORPORA.get(name):
            yield f"source of {name}", corpus.citation
            yield f"licence of {name}", corpus.licence
    yield "form of the text", f"profile `{data.profile}`"
    yield "sub-words in a batch, padding included", f"{train.batch_tokens * train.gradient_accumulation_steps:,}"
    yield "precision", train.precision
    yield "seed", train.seed
    yield "checkpoint", trained.checkpoint
    if "step" in scores:
        yield "its step", scores["step"]


def _shown_scores(trained, scores):
    """Return pairs of a score of the development text and its value."""
    names = {"bleu": _bleu(trained), "validation_loss": "cross-entropy, nats per sub-word"}
    for key, name in names.items():
        if key in scores:
            yield f"development text, {name}", round(scores[key], 3)


def _made(name, record, options):
    words = ["interacting-head", "export", "-m", name, "--format", record.format]
    if record.quantization != UNQUANTIZED:
        words += ["--quantization", record.quantization]
    if record.checkpoint not in (None, "best"):
        words += ["--checkpoint", record.checkpoint]
    for option, value in options.items():
        words += [f"--{option.replace('_', '-')}", *([] if value is True else [str(value)])]
    return f"```bash\n{shlex.join(words)}\n```\n\nVersion {record.version} of interacting_head wrote this folder."


def _table(pairs):
    """Return a Markdown table of pairs, or nothing for none."""
    rows = [(name, " ".join(str(value).split())) for name, value in pairs]
    return markdown([("", ""), *rows]) if rows else ""
