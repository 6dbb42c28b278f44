"""The exams of AntEval: fair to a good judge, hard on one that always says the same.

What answers state, and what play shows, is read off by hand here; the files of cases hold the
scores.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from exam_marking import marked, shifted
from fake_models import FakeModel
from sociolab.core import CallKey, ChatModel, ChatReply, ExamCase, Prompt, WorldKit
from sociolab.engine import WorldSetup
from sociolab.plugin.api import WorldPlugin
from sociolab.worlds import anteval

PLUGINS = (anteval.load_information, anteval.load_intention)
assert anteval.load_information.exam is not None
assert anteval.load_intention.exam is not None
INFORMATION, INTENTION = (
    tuple(anteval.load_information.exam()),
    tuple(anteval.load_intention.exam()),
)
KIT = anteval.load_information(WorldSetup(settings={"controls": "false"}))

STATED: Mapping[str, tuple[str, ...]] = {
    "ferryman-asked": (
        "to its end, you come to a chapel",
        "two wolves sleeping",
        "Under the tower's third step",
        "sold to a widow named Sera",
    ),
    "herbs-and-stew": (
        "Behind the waterfall is the cave",
        "moss is poisonous",
        "guarded by Aldo",
        "anyone who hears it falls asleep",
    ),
    "toll-zero-marks": (
        "Vesna, a woman with red hair",
        "camp is in the old quarry",
        "will not carry a horse",
        "have a single crossbow",
    ),
    "lighthouse-backwards": (
        "east from Seal Rock",
        "a lamp whose flame keeps burning",
        "sharks all around",
        "get you past the reef",
    ),
    "mill-in-one-breath": (
        "runs from there to the castle kitchen",
        "guarded by a bear",
        "is the miller's sister",
        "a green ring in the grain bin",
    ),
    "forge-asked": (
        "at the bottom of Black Pond",
        "an hour on foot",
        "attacked by an enormous pike",
        "it is Piet's",
    ),
    "inn-and-cards": (
        "a spy whose name is Renard",
        "the letters of the spy",
        "bitten by the stable's black dog",
        "invisible in his cloak",
    ),
    "sexton-do-not-count": (
        "beneath the bell tower",
        "stones come down on you",
        "It takes a glass key",
        "Lorenz the gardener has that key",
    ),
    "shepherd-backwards": (
        "on the southern side",
        "the dragon returns to its nest",
        "a spear made of bone",
        "a hunter called Kasimir",
    ),
    "cook-in-one-breath": (
        "it is Brond, the steward",
        "at the bottom of the dry well",
        "in the green jug is poisoned",
        "opens any lock",
    ),
}
"""Where the first player's answer states the facts; no other answer states any."""

INVENTED = {"inn-all-wrong": ("a spy called Roland", "buried under the apple tree")}

SHOWN: Mapping[str, str] = {
    "wall-and-mule": "Garrick: athletics, Lysa: animal handling",
    "keys-on-the-belt": "Wren: sleight of hand",
    "beam-lifted": "Garrick: athletics",
    "guard-not-frightened": "Wren: persuasion",
    "song-at-the-inn": "Garrick: performance",
    "note-to-the-judge": "Osric: investigation",
    "sheet-on-the-stairs": "Wren: stealth",
    "bandage-then-weather": "Osric: medicine",
    "fair-and-false-tale": "Wren: deception",
    "ready-for-anything": "Garrick: persuasion",
    "rope-and-threat": "Dorn: intimidation, Katja: acrobatics",
    "lute-in-the-square": "Elwin: performance",
    "tracks-in-the-dew": "Sefa: survival",
    "ledger-taken": "Katja: sleight of hand",
    "cake-at-the-bakery": "Sefa: medicine",
    "sheet-at-the-kennel": "Sefa: animal handling",
    "do-not-name-me": "Dorn: athletics",
    "shore-then-pie": "Elwin: persuasion",
    "creeping-through-the-feast": "Katja: stealth",
    "all-in-good-time": "Sefa: insight",
}
"""What play shows, and of empty talk a guess, as virtual DMs name at least one check."""


class FactReader:
    """Fills in the sheets of a session: these quotes state the facts, in their order."""

    def __init__(self, case: ExamCase, quotes: Mapping[str, tuple[str, ...]]) -> None:
        self.label = "fake/reader"
        self.calls: list[tuple[Prompt, CallKey]] = []
        self._case, self._quotes = case, quotes

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        self.calls.append((prompt, key))
        quotes = self._quotes.get(key.seat, ())
        return ChatReply(json.dumps(getattr(self, f"_{key.name}")(prompt, quotes)))

    def _knowledge(self, prompt: Prompt, _: tuple[str, ...]) -> object:
        k = next(k for k in range(1, 9) if f"into {k} key point" in prompt.messages[0].text)
        return {"points": [f"Key point {n}" for n in range(1, k + 1)]}

    def _summary(self, prompt: Prompt, quotes: tuple[str, ...]) -> object:
        k = next(k for k in range(1, 9) if f"into {k} key point" in prompt.messages[0].text)
        learnt = [f"Learnt point {n}" for n, quote in enumerate(quotes, 1) if quote][:k]
        return {"points": learnt or ["Something else"]}

    def _match(self, prompt: Prompt, quotes: tuple[str, ...]) -> object:
        body = prompt.messages[-1].text
        pairs = [
            {
                "known": f"p{n}",
                "known_text": f"Key point {n}",
                "learned": f"a{n}",
                "learned_text": f"Learnt point {n}",
            }
            for n, quote in enumerate(quotes, 1)
            if quote and f"a{n}: Learnt" in body
        ]
        return {"pairs": pairs}

    def _facts(self, _: Prompt, quotes: tuple[str, ...]) -> object:
        beside = [
            {"quote": quote, "kind": "hallucinated"} for quote in INVENTED.get(self._case.id, ())
        ]
        return {"facts": self._lines(quotes), "beside": beside}

    def _transcript(self, _: Prompt, __: tuple[str, ...]) -> object:
        return {"facts": self._lines(()), "small_talk": []}

    def _lines(self, quotes: tuple[str, ...]) -> list[object]:
        known = anteval.session_from(self._case.episode.trial.task.content).knowledge
        filled = (*quotes, *[""] * len(known))[: len(known)]
        return [
            {"fact": f"f{n}", "stated": bool(quote), "quote": quote}
            for n, quote in enumerate(filled, 1)
        ]


def by_hand(case: ExamCase) -> FactReader:
    first = case.episode.trial.task.seats[0]
    return FactReader(case, {first: STATED.get(case.id, ())})


def always(stated: int) -> Callable[[ExamCase], FactReader]:
    """Says of any answer that it states so many facts, and quotes its first words."""

    def reader(case: ExamCase) -> FactReader:
        answers = {seat: anteval.find_answer(case.episode, seat, None) for seat in players(case)}
        quotes = {
            seat: (" ".join(answer.text.split()[:4]),) * stated
            for seat, answer in answers.items()
            if isinstance(answer, anteval.Learned)
        }
        return FactReader(case, quotes)

    return reader


def players(case: ExamCase) -> tuple[str, ...]:
    return tuple(seat for seat in case.episode.trial.task.seats if seat != anteval.NPC)


def checks(labels: str) -> FakeModel:
    """A virtual DM that names these checks."""
    pairs = (label.split(": ") for label in labels.split(", "))
    found = [{"character": who, "skill": skill} for who, skill in pairs]
    return FakeModel(*[json.dumps({"checks": found})] * 3)


def informed(model: Callable[[ExamCase], ChatModel], kit: WorldKit = KIT) -> dict[str, int]:
    """How many cases of each form a judge of information with these models has right."""
    return marked(INFORMATION, lambda case: kit.model_judge(model(case)))


def intention(labels: Callable[[ExamCase], str]) -> dict[str, int]:
    kit = anteval.load_intention(WorldSetup())
    return marked(INTENTION, lambda case: kit.model_judge(checks(labels(case))))


@pytest.mark.parametrize("cases", [INFORMATION, INTENTION])
def test_the_forms_share_no_player(cases: tuple[ExamCase, ...]) -> None:
    seats = {form: {s for c in cases if c.form == form for s in players(c)} for form in "AB"}
    assert not seats["A"] & seats["B"]


@pytest.mark.parametrize(
    ("plugin", "case"),
    [
        *((anteval.load_information, case) for case in INFORMATION),
        *((anteval.load_intention, case) for case in INTENTION),
    ],
    ids=lambda value: value.id if isinstance(value, ExamCase) else "",
)
def test_whoever_sits_it_can_read_a_case(plugin: WorldPlugin, case: ExamCase) -> None:
    (guide,) = plugin.guides.values()
    transcript = plugin(WorldSetup()).world.transcript(case.episode)
    rated = guide().rated_scene(case.episode)
    assert len(transcript.lines) == len(rated.lines) == len(case.episode.moves)
    assert {one.seat for one in rated.people} == set(players(case))
    assert {one.seat for one in case.expected} <= {None, *players(case)}
    assert {one.metric for one in case.expected} <= {one.name for one in plugin.declared.metrics}


@pytest.mark.parametrize("case", INFORMATION, ids=lambda case: case.id)
def test_a_judge_of_information_is_shown_talk_and_answers(case: ExamCase) -> None:
    model = by_hand(case)
    assert KIT.model_judge is not None
    asyncio.run(KIT.model_judge(model).judge(case.episode))
    names = Counter(key.name for _, key in model.calls)
    answers = len(players(case))
    of_answers = dict.fromkeys(("summary", "match", "facts"), answers)
    assert names == {"knowledge": 1, "transcript": 1, **of_answers}
    shown = next(prompt.messages[-1].text for prompt, key in model.calls if key.name == "facts")
    texts = [action.text for move in case.episode.moves for action in move.actions]
    assert all(text in shown for text in texts)


@pytest.mark.parametrize("k", ["", "1", "2", "3"])
def test_a_fair_judge_of_information_passes_whatever_k_is(k: str) -> None:
    kit = anteval.load_information(WorldSetup(settings={"key_points": k} if k else {}))
    assert informed(by_hand, kit) == {"A": 10, "B": 10}


@pytest.mark.parametrize("stated", range(5))
def test_a_judge_that_always_sees_as_many_facts_fails(stated: int) -> None:
    assert max(informed(always(stated)).values(), default=0) <= 5


@pytest.mark.parametrize("shift", range(1, 10))
def test_what_other_answers_state_fails(shift: int) -> None:
    def other(case: ExamCase) -> FactReader:
        another = shifted(INFORMATION, case, shift)
        return always(len(STATED.get(another.id, ())))(case)

    assert max(informed(other).values(), default=0) <= 7


def test_a_fair_virtual_dm_passes() -> None:
    assert intention(lambda case: SHOWN[case.id]) == {"A": 10, "B": 10}


def test_a_virtual_dm_that_knows_what_was_meant_but_not_shown_fails() -> None:
    def meant(case: ExamCase) -> str:
        session = anteval.session_from(case.episode.trial.task.content)
        return ", ".join(f"{one.seat}: {one.skill}" for one in session.intentions)

    assert intention(meant) == {"A": 5, "B": 5}


@pytest.mark.parametrize("skill", ["persuasion", "insight", "athletics", "stealth", "perception"])
def test_a_virtual_dm_that_always_names_the_same_skill_fails(skill: str) -> None:
    def same(case: ExamCase) -> str:
        return ", ".join(f"{who}: {skill}" for who in players(case))

    assert max(intention(same).values()) <= 6


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize("constant", range(1, 6))
def test_a_rater_who_always_says_the_same_fails(plugin: WorldPlugin, constant: int) -> None:
    (scale,) = plugin.guides
    assert plugin.exam is not None
    for form in "AB":
        bound = [
            [one for one in case.expected if one.metric == scale]
            for case in plugin.exam()
            if case.form == form
        ]
        sat = [ranges for ranges in bound if ranges]
        passed = [r for r in sat if all(one.low <= constant <= one.high for one in r)]
        assert len(sat) >= 9
        assert len(passed) <= 6
