"""The linear virtual DM with embeddings of turns: what it learns from them, and what it pays."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sociolab.core import CallKey, ChatReply, ConfigError, ModelError, Prompt
from sociolab.models.vectors import encode_vector
from sociolab.worlds import anteval
from sociolab.worlds.anteval import Example, Label, Turn
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM, PlayReader

SNEAK = ("I creep along", "I tiptoe past", "I move unseen", "I slip by quietly")
LOOK = ("I look about", "I search here", "I peer inside", "I watch closely")


class Meanings:
    """An embedding model that knows two meanings, which share no word; it records its prompts."""

    label = "here/meanings"

    def __init__(self, sizes: Sequence[int] = (2,)) -> None:
        self.texts: list[str] = []
        self._sizes = sizes

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        (message,) = prompt.messages
        assert message.text
        vector = [0.0] * self._sizes[min(len(self.texts), len(self._sizes) - 1)]
        self.texts.append(message.text)
        if vector:
            vector[0] = float(message.text.startswith(SNEAK))
            vector[-1] += float(message.text.startswith(LOOK))
        return ChatReply(encode_vector(vector))


def example(number: int, text: str, skill: str, speaker: str = "Ann") -> Example:
    turns = (Turn("DM", "A door."), Turn("Bo", ""), Turn(speaker, text))
    label = Label(speaker, skill)
    return Example(f"e{number}", f"g{number}", turns, ("Ann", "Bo"), frozenset({label}))


def play(phrases: int) -> list[Example]:
    """Sneaking and looking in this many wordings each, three times over."""
    return [
        example(number, text, skill)
        for number, (text, skill) in enumerate(
            3 * [(t, "stealth") for t in SNEAK[:phrases]]
            + 3 * [(t, "perception") for t in LOOK[:3]]
        )
    ]


def embedded(model: Meanings, told: list[str] | None = None) -> anteval.EmbeddedDM:
    tell = (told if told is not None else []).append
    return anteval.EmbeddedDM(anteval.TurnVectors(model, tell), PlayReader())


def test_what_was_never_worded_so_in_training_is_understood_by_its_meaning() -> None:
    unseen = [example(90, SNEAK[3], ""), example(91, LOOK[3], "")]
    skills = []
    for dm in (embedded(Meanings()), anteval.LocalDM(LinearDM())):
        asyncio.run(dm.fit_async(play(3)))
        guesses = asyncio.run(dm.predict_async(unseen))
        skills.append([label.skill for guess in guesses for label in guess])
    assert skills[0] == ["stealth", "perception"]
    assert skills[1] != skills[0]  # stems alone do not tell


def test_a_turn_is_embedded_once_and_empty_ones_never() -> None:
    model, told = Meanings(), list[str]()
    dm = embedded(model, told)
    asyncio.run(dm.fit_async(play(3)))
    assert sorted(model.texts) == sorted({"A door.", *SNEAK[:3], *LOOK[:3]})
    asyncio.run(dm.fit_async(play(2)))
    asyncio.run(dm.predict_async(play(3)))
    assert len(model.texts) == 7
    assert told == ["here/meanings: 7 turns to embed"]
    assert dm.name == "linear + here/meanings"


def test_no_name_reaches_the_embedding_model_and_long_turns_are_cut_to_their_end() -> None:
    model = Meanings()
    long = "word " * 400 + "Ann hides."
    asyncio.run(embedded(model).fit_async([example(1, long, "stealth")]))
    (text,) = set(model.texts) - {"A door."}
    assert len(text) == 1000
    assert text.endswith("someone hides.")


@pytest.mark.parametrize(("sizes", "problem"), [((2, 3), "2 numbers.* 3"), ((0,), "found 0")])
def test_vectors_of_another_length_are_refused(sizes: Sequence[int], problem: str) -> None:
    with pytest.raises(ModelError, match=f"here/meanings: expected embeddings of .*{problem}"):
        asyncio.run(embedded(Meanings(sizes)).fit_async(play(3)))


def test_without_labels_there_is_nothing_to_learn() -> None:
    with pytest.raises(ConfigError, match="at least one label"):
        asyncio.run(embedded(Meanings()).fit_async([]))


def test_no_examples_have_no_predictions() -> None:
    dm = embedded(Meanings())
    asyncio.run(dm.fit_async(play(3)))
    assert asyncio.run(dm.predict_async([])) == ()


def test_play_without_turns_can_be_predicted() -> None:
    dm = embedded(Meanings())
    asyncio.run(dm.fit_async(play(3)))
    silent = Example("s", "g", (), ("Ann", "Bo"), frozenset())
    assert len(asyncio.run(dm.predict_async([silent]))) == 1
