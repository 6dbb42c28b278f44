"""LoRA on a tiny causal model made here: it learns answers by heart and nothing else."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.core import ConfigError, WorldError
from sociolab.worlds import anteval
from sociolab.worlds.anteval.virtual_dm import finetune
from worlds.anteval.finetune_examples import causal_checkpoint, examples

FOUR = examples(4)
BY_HEART = anteval.LoraSettings(epochs=50, batch=4, learning_rate=1e-2, rank=16)


@pytest.fixture(scope="module", autouse=True)
def _extra() -> None:
    """What the tests need: imported by whoever runs them, and by nobody who only collects them."""
    for package in ("torch", "transformers", "peft"):
        pytest.importorskip(package, reason=f"needs the extra finetune: no {package} is there")


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of two layers, with a tokenizer trained on the texts of these tests."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    causal_checkpoint(folder, positions=1024)
    return folder


@pytest.fixture(scope="module")
def learned(model_folder: Path) -> anteval.LoraDM:
    dm = anteval.LoraDM(model_folder, BY_HEART)
    dm.fit(FOUR)
    return dm


def test_four_examples_are_learned_by_heart(learned: anteval.LoraDM) -> None:
    assert learned.predict(FOUR) == tuple(one.labels for one in FOUR)
    assert not learned.failures


def test_training_leaves_the_model_itself_as_it_is(model_folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in model_folder.iterdir()}
    anteval.LoraDM(model_folder, anteval.LoraSettings(epochs=1)).fit(FOUR[:1])
    assert {path.name: path.read_bytes() for path in model_folder.iterdir()} == before


def test_a_reply_that_cannot_be_used_is_counted_and_predicts_nothing(model_folder: Path) -> None:
    dm = anteval.LoraDM(model_folder, anteval.LoraSettings(epochs=1, batch=4, learning_rate=1e-9))
    dm.fit(FOUR)
    assert dm.predict(FOUR[:1]) == (frozenset(),)
    assert dm.failures == {"unreadable": 1}


def test_the_loss_is_taken_on_the_answer_and_its_end_only(learned: anteval.LoraDM) -> None:
    adapted = learned._ready()
    row = finetune.training_row(adapted, FOUR[0])
    tokens, wanted = row["input_ids"], row["labels"]
    counted = [token for token in wanted if token != finetune.NO_LOSS]
    assert tokens[-len(counted) :] == counted
    assert len(tokens) == len(wanted) == len(row["attention_mask"])
    assert adapted.tokenizer.decode(counted) == f"{anteval.expected_reply(FOUR[0])}<end>"


def test_a_chat_template_frames_the_same_prompt(learned: anteval.LoraDM) -> None:
    adapted = learned._ready()
    plain = finetune.prompt_ids(adapted, FOUR[0])
    assert (
        adapted.tokenizer.decode(plain)
        == f"{anteval.prompt_head()}\n\n{anteval.prompt_body(FOUR[0])}\n\n"
    )
    template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[it]"
    adapted.tokenizer.chat_template = template
    framed = finetune.prompt_ids(adapted, FOUR[0])
    adapted.tokenizer.chat_template = None
    assert (
        adapted.tokenizer.decode(framed)
        == f"[system]{anteval.prompt_head()}[user]{anteval.prompt_body(FOUR[0])}[it]"
    )


def test_training_leaves_the_random_state_of_torch_alone(model_folder: Path) -> None:
    import torch

    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    anteval.LoraDM(model_folder, anteval.LoraSettings(epochs=1)).fit(FOUR[:1])
    assert torch.equal(torch.rand(3), wanted)


def test_an_example_longer_than_the_model_can_read_is_refused(tmp_path: Path) -> None:
    causal_checkpoint(tmp_path / "short", positions=64)
    with pytest.raises(ConfigError, match="reads at most 64 tokens, and example e0"):
        anteval.LoraDM(tmp_path / "short").fit(FOUR)


def test_an_example_too_long_to_be_read_is_counted_and_the_others_are_answered(
    learned: anteval.LoraDM,
) -> None:
    turns = FOUR[0].turns * 20
    longer = anteval.Example("long", "g", turns, FOUR[0].candidates, FOUR[0].labels)
    assert learned.predict((longer, FOUR[1])) == (frozenset(), FOUR[1].labels)
    assert learned.failures == {"context overflow": 1}
    learned.failures.clear()


def test_a_hub_name_is_refused_and_not_looked_up() -> None:
    with pytest.raises(ConfigError, match=r"found someone/some-model; give a folder"):
        anteval.LoraDM(Path("someone/some-model"))


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    with pytest.raises(ConfigError, match="does not hold a causal model"):
        anteval.LoraDM(tmp_path).fit(FOUR)


def test_nothing_is_predicted_before_it_has_learned(model_folder: Path) -> None:
    with pytest.raises(WorldError, match="lora:tiny: expected a call of fit before predict"):
        anteval.LoraDM(model_folder).predict(FOUR)
    unlabelled = anteval.Example("u", "g", FOUR[0].turns, FOUR[0].candidates, frozenset())
    with pytest.raises(ConfigError, match="examples with labels"):
        anteval.LoraDM(model_folder).fit([unlabelled])


def test_a_gap_is_measured_end_to_end_with_an_interval(model_folder: Path) -> None:
    # Generated play teaches the skills of the last two the wrong way round. Of the test rows, in
    # six episodes, 5 of 8 are of the first two.
    swapped = [FOUR[0], FOUR[1]]
    for one, other in ((FOUR[2], FOUR[3]), (FOUR[3], FOUR[2])):
        ((who, _),), ((_, skill),) = one.labels, other.labels
        swapped.append(replace(one, labels=frozenset({anteval.Label(who, skill)})))
    drawn = ((0, 1), (0, 2), (1,), (3,), (0,), (3,))
    test = [
        replace(FOUR[place], id=f"t{group}-{place}", group=f"t{group}")
        for group, places in enumerate(drawn)
        for place in places
    ]
    table = asyncio.run(
        anteval.measure_gap(
            FOUR,
            test,
            {"made here": swapped},
            lambda: anteval.LocalDM(anteval.LoraDM(model_folder, BY_HEART)),
            settings=anteval.GapSettings(refits=0),
        )
    )
    (row,) = table.rows
    assert (table.virtual_dm, row.fr.f_o.value) == ("lora:tiny", 1.0)
    found = row.fg.f_o
    assert found.value == pytest.approx(5 / 8)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 5 / 8 < found.high <= 1
    assert row.g_o.signed.value == pytest.approx((1 - 5 / 8) / (1 + 5 / 8) * 100)
