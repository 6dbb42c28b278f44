"""Virtual DMs trained on this machine: the extra, and the encoder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.core import ConfigError, WorldError
from sociolab.worlds import anteval
from sociolab.worlds.anteval.virtual_dm import finetune
from sociolab.worlds.anteval.virtual_dm.finetune import (
    EncoderDM,
    EncoderSettings,
    masked,
    names_in_play,
    seated_candidates,
    text_of,
)
from worlds.anteval.finetune_examples import NAMES, encoder_checkpoint, examples

# ---------- without the extra everything can be imported; what needs it says so in one sentence


def test_without_the_extra_fit_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(finetune, "PACKAGES", ("torch_that_is_not_there",))
    (tmp_path / "config.json").write_text("{}")
    said = "needs torch_that_is_not_there, .* not installed; .*make extras EXTRAS=finetune"
    with pytest.raises(ConfigError, match=said):
        EncoderDM(None).fit(examples(2))
    with pytest.raises(ConfigError, match=said):
        anteval.LoraDM(tmp_path).fit(examples(2))


def test_importing_the_virtual_dms_imports_nothing_heavy() -> None:
    code = (
        "import sys; from sociolab.worlds.anteval.virtual_dm import chat, finetune; "
        "sys.exit(' '.join({'torch', 'transformers', 'peft', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "\n")


def test_the_name_tells_what_the_encoder_started_from(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert EncoderDM(tmp_path).name == f"encoder:{tmp_path.name}"
    assert EncoderDM(None).name == "encoder (random start)"


# ---------- what the encoder reads: the last tokens, who they belong to, and nobody's name


def table(*turns: tuple[str, str], candidates: Sequence[str]) -> anteval.Example:
    spoken = tuple(anteval.Turn(*turn) for turn in turns)
    return anteval.Example("e", "g", spoken, tuple(candidates), frozenset())


PLAY = table(
    ("Ysolde", "I wait ."),
    (anteval.DM, "Rain falls on Bram Oakhand ."),
    ("Kip", "Where is Ysolde ?"),
    ("a passer-by", "Good day !"),
    candidates=("Bram Oakhand", "Kip", "Ysolde"),
)


def test_whoever_spoke_last_comes_first_and_the_silent_come_last() -> None:
    assert seated_candidates(PLAY) == ("Kip", "Ysolde", "Bram Oakhand")


def test_speakers_and_names_become_numbers_whatever_they_are() -> None:
    assert text_of(PLAY) == (
        "two : I wait . master : Rain falls on three three . one : Where is two ? "
        "guest : Good day !"
    )
    assert text_of(_called(PLAY, ("Zed Quill", "Hobb", "Orla"))) == text_of(PLAY)


def test_nicknames_are_parts_and_long_starts_that_only_one_can_mean() -> None:
    names = names_in_play(["Vael'tharin", "Valdemar Brook", "Brooke", "The Crow"])
    assert names["vael"] == names["vael'tharin"] == names["thar"] == "Vael'tharin"
    assert names["vald"] == "Valdemar Brook"
    assert names["brooke"] == "Brooke"
    assert "brook" not in names  # either could be meant
    assert "val" not in names  # too short a start


def test_only_capitalised_names_are_masked_and_possessives_keep_their_owner() -> None:
    names, called = names_in_play(["Rose", "Kip"]), {"Rose": "one", "Kip": "two"}
    assert masked("A rose for Rose's sword, Kip\u2019s!", names, called) == (
        "A rose for one sword, two!"
    )


# ---------- the encoder learns plain cues from a random start, and says what it started from


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


def test_as_many_labels_as_asked_for_each_of_somebody_at_the_table(learned: EncoderDM) -> None:
    pair = replace(MANY[0], candidates=NAMES[:2])
    first, second = learned.predict([pair, MANY[1]], most=5)
    assert len(first) == len(second) == 5
    assert {label.character for label in first} <= set(NAMES[:2])
    assert learned.predict([MANY[1]])[0] < second
    assert len(learned.predict([pair], most=99)[0]) == 2 * 18


def test_what_was_learned_before_is_forgotten() -> None:
    settings = EncoderSettings(epochs=1, longest=32)
    twice, once = EncoderDM(None, settings), EncoderDM(None, settings)
    twice.fit(MANY[:8])
    twice.fit(MANY[8:16])
    once.fit(MANY[8:16])
    assert twice.predict(MANY, most=4) == once.predict(MANY, most=4)


def test_more_candidates_than_numbers_and_play_without_words_are_read() -> None:
    crowd = tuple(f"Guard{i}th" for i in range(14))
    silent = anteval.Example("s", "g", (anteval.Turn(crowd[0], ""),), crowd, frozenset())
    dm = EncoderDM(None, EncoderSettings(epochs=1, longest=32))
    dm.fit(MANY[:8])
    (found,) = dm.predict([silent], most=14 * 18)
    assert len(found) == 14 * 18


def test_nothing_is_predicted_before_fit_nor_learned_without_labels() -> None:
    with pytest.raises(WorldError, match="expected a call of fit before predict"):
        EncoderDM(None).predict(MANY)
    with pytest.raises(ConfigError, match="examples with labels"):
        EncoderDM(None).fit([replace(MANY[0], labels=frozenset())])


def test_scores_do_not_hang_on_what_stands_beside_an_example(learned: EncoderDM) -> None:
    assert learned._fitted is not None
    short = replace(MANY[0], turns=MANY[0].turns[1:])
    alone, beside = learned._fitted.scores([short]), learned._fitted.scores([short, MANY[1]])
    assert beside[0] == pytest.approx(alone[0], abs=1e-5)


def test_the_seed_decides_and_the_state_of_torch_stays() -> None:
    import torch

    def scores(seed: int) -> list[float]:
        dm = EncoderDM(None, EncoderSettings(epochs=1, longest=32, seed=seed))
        dm.fit(MANY[:8])
        assert dm._fitted is not None
        found: list[float] = dm._fitted.scores(MANY[:1])[0].tolist()
        return found

    torch.manual_seed(1)
    wanted = torch.rand(2)
    torch.manual_seed(1)
    one = scores(0)
    assert torch.equal(torch.rand(2), wanted)
    assert scores(0) == one
    assert scores(1) != one


@pytest.mark.parametrize("kind", ["bert", "distilbert"])
def test_any_checkpoint_of_an_encoder_is_trained_and_left_as_it_is(
    tmp_path: Path, kind: str
) -> None:
    encoder_checkpoint(tmp_path, kind)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    dm = EncoderDM(tmp_path, EncoderSettings(epochs=1, longest=32))
    dm.fit(MANY[:4])
    assert all(len(found) == 1 for found in dm.predict(MANY[:4]))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_of_a_checkpoint_with_few_positions_the_end_of_the_play_is_read(tmp_path: Path) -> None:
    encoder_checkpoint(tmp_path, "bert", positions=24)
    dm = EncoderDM(tmp_path, EncoderSettings(epochs=1))
    dm.fit(MANY[:4])
    assert all(len(found) == 1 for found in dm.predict(MANY[:4]))


def test_a_folder_that_holds_no_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="found someone/some-model; give a folder"):
        EncoderDM(Path("someone/some-model"))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ConfigError, match="does not hold an encoder"):
        EncoderDM(tmp_path).fit(MANY[:2])


def _renamed(one: anteval.Example) -> anteval.Example:
    return _called(one, ("Piers", "Halda", "Corrun"))


def _called(one: anteval.Example, others: Sequence[str]) -> anteval.Example:
    """The same play by people of other names."""
    names = dict(zip(one.candidates, others, strict=True))

    def renamed(text: str) -> str:
        for name, other in names.items():
            text = text.replace(name, other)
        return text

    return replace(
        one,
        turns=tuple(anteval.Turn(renamed(turn.speaker), renamed(turn.text)) for turn in one.turns),
        candidates=tuple(others),
        labels=frozenset(label._replace(character=names[label.character]) for label in one.labels),
    )
