"""Recipes: their numbers, their corpora, and two training steps of each with small shapes."""

from dataclasses import replace

import numpy as np
import pytest

from data.corpora.mixes import is_mix, parse_mix
from data.corpora.registry import KNOWN_CORPORA
from interacting_head import recipes
from interacting_head.config import AttentionConfig, override
from interacting_head.model.placement import check_model
from interacting_head.model.transformer import Transformer, parameter_count
from interacting_head.recipes import paper_tables
from interacting_head.recipes.command_line import print_list
from interacting_head.training.setup import make_training_model
from tests.interacting_head.tiny import V, sources, targets
from tests.parameters import mostly_slow

OF_PAPERS = {
    "Li & Luo 2022": 3 * (4 * 6 + 4),  # four schemes, and equations (10) to (12) up to 16 heads
    "Goindani & Shrivastava 2021": 4 * (3 + 7) + 9,  # two readings of DHICM, and the study of layers, score and loss
    "Iida et al. 2019": 2 * (16 + 2 + 2 + 2 + 3 * 3),  # two readings of the corpus, and two of other depths
    "Ampomah et al. 2020": 3 + 3 + 4 * 5 + 1 + 2 * (1 + 3 + 4 + 1),
}
NOT_RUN = (
    {f"ih_wmt17_en_{language}_interacting_head_h{heads}" for language in ("de", "cs") for heads in (32, 64)}
    | {
        f"ih_{corpus}_interacting_head_pairwise_h{heads}"
        for corpus in ("iwslt16_de_en", "wmt17_en_de", "wmt17_en_cs")
        for heads in (2, 4, 8, 16)
    }
    | {
        f"dhicm_iwslt14_de_en_160k_dhicm_{which}"
        for which in ("every_layer", "mlp", "without_loss", *(f"layer_{number}" for number in range(1, 7)))
    }
    | {f"mhop_iwslt17_{way}_{place}_layer_4" for way in ("de_en", "en_de") for place in ("decoder", "cross")}
    | {f"mlmha_{corpus}" for corpus in ("wmt14_en_de_m00_transparent_n6", "iwslt14_es_en_m00_transparent_n4")}
    | {"mlmha_iwslt15_en_vi_m00_transparent_n4"}
)
SIBLINGS = {
    "multi30k_de_en_knocking_heads": ("knocking_heads", 27_648),
    "multi30k_de_en_knocking_heads_mlp": ("knocking_heads", 27_648),
    "multi30k_de_en_collaborative_heads": ("collaborative_heads", 4_608),
    "multi30k_de_en_interleaved_heads": ("interleaved_heads", 1_152),
    "multi30k_de_en_differential": ("differential", 1_728),
    "multi30k_de_en_gated_heads": ("gated_heads", 147_456),
}
"""Recipes of schemes since 2020 → scheme, and parameters that it has more than multi-head attention."""
MOST_HEADS, MOST_SOURCES = 4, 3


def recipes_of(paper):
    return [entry for entry in recipes.RECIPES.values() if entry.paper == paper]


@pytest.mark.parametrize("paper", OF_PAPERS)
def test_every_experiment_of_a_paper_has_a_recipe_and_a_small_sibling(paper):
    names = {entry.name for entry in recipes_of(paper) if not entry.is_small}
    assert len(names) == OF_PAPERS[paper]
    assert {entry.name for entry in recipes_of(paper) if entry.is_small} == {f"{name}_small" for name in names}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ih_iwslt16_de_en_interacting_head_h8", "BLEU 27.44 test, 29.54 dev"),
        ("ih_iwslt16_de_en_interacting_head_h64", "BLEU 18.54 test, 19.98 dev"),
        ("ih_iwslt16_de_en_multi_head_h4", "BLEU 24.00 test, 25.71 dev"),
        ("ih_wmt17_en_de_interacting_head_h16", "BLEU 17.35 / 18.40 / 22.36 / 17.67 newstest2014–17, 17.46 dev"),
        ("dhicm_hindencorp_hi_en_dhicm", "BLEU 26.41"),
        ("dhicm_iwslt14_de_en_10k_t_optimal", "BLEU 4.39"),
        ("mhop_iwslt17_de_en_layer_4", "BLEU 34.31, 55,492 K parameters"),
        ("mhop_iwslt17_en_de_layers_3_to_6", "BLEU 27.75"),
        ("mhop_iwslt17_de_en_layer_4_of_7", "BLEU 32.55, 62,833 K parameters"),
        ("mhop_iwslt17_de_en_layer_4_of_7_h16", "BLEU 32.55, 62,833 K parameters"),
        ("mhop_iwslt17_as_told_en_de_baseline", "BLEU 27.21, 56,594 K parameters"),
        ("dhicm_ted_be_en_dhicm_wide", "BLEU 6.29"),
        ("mhop_wmt17_en_de_baseline", "BLEU 18.15"),
        ("mlmha_wmt14_en_de_m10_n5", "BLEU 29.12, 86.4 M parameters"),
        ("mlmha_iwslt15_en_vi_transparent", "BLEU 31.16"),
    ],
)
def test_expected_scores_equal_the_numbers_in_the_papers(name, expected):
    assert recipes.RECIPES[name].printed.expected == expected


def test_only_experiments_that_were_not_run_lack_a_score():
    without = {x.name for x in recipes.RECIPES.values() if "–" in x.printed.expected.replace("newstest2014–17", "")}
    assert {name for name in without if not name.endswith("_small")} == NOT_RUN | {
        "mix_de_en",
        "multi30k_en_de",
        *SIBLINGS,
    }


def test_a_number_that_the_papers_do_not_print_is_a_dash():
    assert paper_tables.number("multi_hop", table="table99") is None
    assert paper_tables.bleu("multi_hop", table="table99") == "–"


@pytest.mark.parametrize("paper", [*OF_PAPERS, "-"])
def test_the_list_of_one_recipe_ends_with_its_command(paper, capsys):
    for entry in recipes_of(paper):
        print_list(entry.name)
        corpora = " --corpora-dir DIR" if entry.name != "quickstart" else ""
        assert capsys.readouterr().out.endswith(f"{entry.note}\n\ninteracting-head train {entry.name}{corpora}\n")


@pytest.mark.parametrize("paper", OF_PAPERS)
def test_lab_notes_are_filled_in(paper):
    for entry in recipes_of(paper):
        assert entry.note
        assert "{" not in entry.note
        assert "BLEU" in entry.printed.definition, entry.name


def test_recipes_since_2020_differ_from_multi30k_in_the_attention_only():
    ours = recipes.get("multi30k_de_en")
    base = replace(ours.model, attention=AttentionConfig("multi_head"))
    siblings = [name for name in recipes.RECIPES if name.startswith("multi30k_de_en_")]
    assert siblings == list(SIBLINGS)
    for name, (scheme, more) in SIBLINGS.items():
        config, note = recipes.get(name), recipes.RECIPES[name].note
        assert config.model.attention.scheme == scheme
        assert replace(config, model=replace(config.model, attention=ours.model.attention)) == ours
        assert parameter_count(config.model, 6000, 6000) - parameter_count(base, 6000, 6000) == more, name
        assert f"{more:,}" in note
        assert "arXiv:" in note


@pytest.mark.parametrize(
    ("name", "setting", "more"),
    [
        ("multi30k_de_en_collaborative_heads", "model.attention.key_dim=8", None),
        ("multi30k_de_en_gated_heads", "model.attention.options.gate=headwise", 4_608),
        ("multi30k_de_en_differential", "model.attention.num_heads=4", 9 * (4 * 16 + 32)),
    ],
)
def test_other_settings_in_notes_of_schemes_can_be_built(name, setting, more):
    assert setting in recipes.RECIPES[name].note
    model = override(recipes.get(name), [setting]).model
    check_model(model)
    if more:
        base = replace(model, attention=AttentionConfig("multi_head"))
        assert parameter_count(model, 6000, 6000) - parameter_count(base, 6000, 6000) == more


def test_corpora_are_known_and_have_the_languages():
    for entry in recipes.RECIPES.values():
        data = entry.make().data
        parts = parse_mix(data.corpus) if is_mix(data.corpus) else []
        for name in {part.corpus for part in parts} or {data.corpus} - {"quickstart"}:
            assert {data.source_language, data.target_language} <= set(KNOWN_CORPORA[name].languages), entry.name


def without_sizes(config):
    """The `ExperimentConfig` without the one option that is a size."""

    def cleaned(attention):
        options = {name: value for name, value in (attention.options or {}).items() if name != "importance_dim"}
        return replace(attention, options=options)

    model = config.model
    placements = model.placements and tuple(replace(p, attention=cleaned(p.attention)) for p in model.placements)
    return replace(config, model=replace(model, attention=cleaned(model.attention), placements=placements))


def searched(name):
    """The recipe of the search that found a small recipe's number of heads, or None; test_searches.py checks it."""
    if not name.startswith("dhicm_") or name.endswith("t_base_small"):
        return None
    corpora = {"_hi_": "hindencorp_hi_en", "_be_": "ted_be_en", "_de_": "iwslt14_de_en_10k"}
    [corpus] = [corpus for languages, corpus in corpora.items() if languages in name]
    return recipes.get(f"dhicm_{corpus}_t_optimal_small")


def test_small_siblings_keep_what_the_experiment_is_about():
    for name, entry in recipes.RECIPES.items():
        if not entry.is_small:
            continue
        ours, papers = (without_sizes(config) for config in (entry.make(), recipes.get(name.removesuffix("_small"))))
        for part in ("scheme", "dropout", "options"):
            assert getattr(ours.model.attention, part) == getattr(papers.model.attention, part), name
        for part in ("placements", "memory", "memory_layers", "activation_dropout"):
            assert getattr(ours.model, part) == getattr(papers.model, part), name
        tuned = searched(name) or papers
        assert ours.model.attention.num_heads == tuned.model.attention.num_heads, name
        regularized = tuned if "_de_" in name else papers  # the other searches found the paper's values
        assert ours.model.dropout == regularized.model.dropout, name
        assert ours.train.label_smoothing == regularized.train.label_smoothing, name
        assert ours.data.train_pairs == papers.data.train_pairs


@pytest.mark.parametrize("name", [x.name for x in recipes_of("Ampomah et al. 2020") if " M " in x.printed.expected])
def test_models_of_ampomah_have_the_printed_number_of_parameters(name):
    vocabulary = 33_395  # see test_paper_figures.py
    millions = parameter_count(recipes.get(name).model, vocabulary, vocabulary) / 1e6
    assert f"{millions:.1f} M parameters" in recipes.RECIPES[name].printed.expected


def small_shapes(config):
    """The `ExperimentConfig` with other sizes, and no more heads and sources than are needed to have several."""
    model, attention = config.model, config.model.attention
    sources = model.memory_layers and min(model.memory_layers, MOST_SOURCES)
    layers = {"encoder": {sources or 1}, "decoder": {1}}
    for placement in model.placements or ():
        layers["encoder" if placement.site == "encoder" else "decoder"].update(placement.layers)
    attention = replace(attention, num_heads=min(attention.num_heads, MOST_HEADS))
    if attention.key_dim:
        attention = replace(attention, key_dim=3, value_dim=5)
    sizes = {f"{side}_layers": max(numbers) for side, numbers in layers.items()}
    model = replace(model, attention=attention, memory_layers=sources, model_dim=8, feed_forward_dim=12, **sizes)
    return replace(config, model=model)


def same_structure(model):
    """The `ModelConfig` without what changes numbers only."""
    attention = replace(model.attention, dropout=0.0)
    plain = {"feed_forward_dim": 1, "normalization": "post", "dropout": 0.0, "activation_dropout": 0.0}
    return replace(model, attention=attention, **plain)


def different_structures():
    """Lists of the names of recipes that have the same structure in small shapes."""
    found = {}
    for name, entry in recipes.RECIPES.items():
        found.setdefault(str(same_structure(small_shapes(entry.make()).model)), []).append(name)
    return found.values()


@pytest.mark.parametrize("paper", ["-", *OF_PAPERS])
def test_every_recipe_has_a_model_that_can_be_built(paper):
    models = (same_structure(entry.make().model) for entry in recipes_of(paper))
    for model in {str(model): model for model in models}.values():
        check_model(model)


def first_of_each_paper():
    """The first structures of the papers, which stand for the others in `make test`."""
    first = {}
    for names in different_structures():
        first.setdefault(recipes.RECIPES[names[0]].paper, names)
    return first.values()


@pytest.mark.parametrize("names", mostly_slow(different_structures(), *first_of_each_paper()), ids=lambda n: n[0])
def test_every_recipe_takes_two_steps(names):
    config = small_shapes(recipes.get(names[0]))
    model = Transformer(config.model, V, V, config.data.shared_vocabulary)
    training_model = make_training_model(model, config, total_steps=100)
    training_model.optimizer.build(model.trainable_variables)
    target_ids, labels = targets([4, 3])
    before = model.get_weights()
    for _ in range(2):
        logs = training_model.train_step(({"source_ids": sources([5, 2]), "target_ids": target_ids}, labels))
        assert np.isfinite(float(logs["loss"]))
    assert all(np.isfinite(weight).all() for weight in model.get_weights())
    assert any((a != b).any() for a, b in zip(before, model.get_weights(), strict=True))
