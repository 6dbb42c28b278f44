"""Scores of a decision by hand: who was right, what was said, and what has no score."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from decision_cases import (
    ANN,
    BEN,
    NPC,
    TALK,
    case,
    chose,
    episode,
    failed,
    passes,
    played,
)
from exam_marking import KINDS, marked, shifted
from fake_models import FakeModel
from sociolab.core import (
    Act,
    Ended,
    Episode,
    ExamCase,
    Judge,
    Measure,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
)
from sociolab.engine import WorldSetup
from sociolab.testing import JudgeContract
from sociolab.worlds import anteval
from sociolab.worlds.anteval.decision.scoring import (
    CRITICAL,
    DECISION,
    DISCLOSED,
    FULL,
    MISLED,
    NO_TALK,
    PARTY_DECISION,
    POOLED,
)

TEXTS = anteval.DecisionSettings().texts
END = 6


def judged(judge: Judge, one: Episode) -> Mapping[tuple[str, str | None], Verdict]:
    verdicts = asyncio.run(judge.judge(one))
    return {(verdict.measure.name, verdict.seat): verdict for verdict in verdicts}


def values(judge: Judge, one: Episode) -> dict[tuple[str, str | None], float]:
    scored = judged(judge, one).items()
    return {key: verdict.value for key, verdict in scored if isinstance(verdict, Score)}


# ---------------------------------------------------------------- who was right

ANSWERS = (
    chose(0, ANN, "Ada"),
    chose(0, BEN, "Bram"),
    chose(END, ANN, "Cora"),
    chose(END, BEN, "Ada"),
    chose(0, ANN, "Ada", "full_information"),
)


def test_right_is_1_and_wrong_is_0() -> None:
    assert values(anteval.ChoiceJudge(), played(*ANSWERS)) == {
        ("decision", ANN): 0,
        ("decision", BEN): 1,
        ("misled", ANN): 1,  # the falsehood, believed, leaves Cora
        ("misled", BEN): 0,
        ("no_talk", ANN): 1,
        ("no_talk", BEN): 0,
        ("full_information", ANN): 1,
        ("party_decision", None): 0,  # Ada and Cora one each
    }


def test_without_controls_there_are_none() -> None:
    scored = values(anteval.ChoiceJudge(controls=False), played(*ANSWERS))
    assert {name for name, _ in scored} == {"decision", "misled", "party_decision"}


THREE = case(
    people=[{"id": f"player-{n}", "name": f"P{n}", "called": f"P{n}"} for n in (1, 2, 3)],
    knows={f"player-{n}": () for n in (1, 2, 3)},
)


@pytest.mark.parametrize(
    ("answers", "party"),
    [
        ("Ada Ada Cora", 1),
        ("Ada Cora Cora", 0),
        ("Ada Bram Cora", 0),  # nobody leads
        ("Ada Ada -", 1),  # whatever the third says
        ("Cora Cora -", 0),
        ("Ada Bram -", None),
        ("Ada - -", None),
        ("- - -", None),
    ],
)
def test_the_party_chooses_what_most_of_it_choose(answers: str, party: int | None) -> None:
    events = [
        failed(3, f"player-{n}") if answer == "-" else chose(3, f"player-{n}", answer)
        for n, answer in enumerate(answers.split(), 1)
    ]
    talk = [passes(n, f"player-{n + 1}") for n in range(3)]
    one = episode(*talk, *events, Ended("turn limit", 2), of=THREE)
    verdict = judged(anteval.ChoiceJudge(), one)["party_decision", None]
    if party is None:
        assert isinstance(verdict, ScoreFailure)
    else:
        assert isinstance(verdict, Score)
        assert verdict.value == party


def test_an_answer_that_cannot_be_read_is_no_wrong_answer() -> None:
    found = judged(anteval.ChoiceJudge(), played(chose(END, ANN, "Ada"), failed(END, BEN)))
    wrong = found["decision", BEN]
    assert isinstance(wrong, ScoreFailure)
    assert (wrong.cause, wrong.raw, wrong.attempts) == ("unreadable", "Zoe", 3)
    assert isinstance(found["misled", BEN], ScoreFailure)
    assert isinstance(found["party_decision", None], ScoreFailure)
    assert isinstance(found["no_talk", ANN], ScoreFailure)


def test_an_answer_before_the_talk_does_not_stand_for_the_one_after_it() -> None:
    one = episode(*TALK, chose(0, ANN, "Ada"), chose(0, BEN, "Ada"))
    scored = values(anteval.ChoiceJudge(), one)
    assert scored == {("no_talk", ANN): 1, ("no_talk", BEN): 1}


def test_who_was_misled_is_open_where_clues_say_nothing() -> None:
    untyped = [{"id": one.id, "text": one.text} for one in case().clues]
    one = episode(*TALK, *ANSWERS, Ended("turn limit", 5), of=case(clues=untyped))
    found = judged(anteval.ChoiceJudge(), one)["misled", ANN]
    assert isinstance(found, Unscored)
    assert found.why == "the task does not say what its clues speak for"


class TestChoices(JudgeContract):
    def judge(self) -> Judge:
        return anteval.ChoiceJudge()

    def measures(self) -> Sequence[Measure]:
        return [DECISION, PARTY_DECISION, NO_TALK, FULL, MISLED]

    def episodes(self) -> Sequence[Episode]:
        return [played(*ANSWERS), played(failed(END, ANN))]


# ---------------------------------------------------------------- what was said

SAID = {
    ("pooled", None): 0.75,  # p1, p2 and r of p1, p2, f and r
    ("disclosed", ANN): 1,  # p1 and r
    ("disclosed", BEN): 0.5,  # p2 of p2 and f
    ("critical_known", ANN): pytest.approx(2 / 3),  # p2 was for Nell alone
    ("critical_known", BEN): 1,
}
"""What was said in the talk; Nell has no private clue."""


def recorded(one: Episode) -> Episode:
    """With the acts of scripted players."""
    ids = {0: "p1", 1: "p2", 3: "r", 5: "p1"}
    events = []
    for event in one.events:
        if event in TALK:
            move = TALK[event.turn]
            known = ids.get(move.turn)
            act = Act("tell", {"id": known, "text": ""}) if known else Act("chat")
            event = replace(move, actions=(replace(move.actions[0], acts=(act,)),))
        events.append(event)
    return Episode(one.trial, tuple(events))


def test_what_scripted_players_say_is_on_record() -> None:
    assert values(anteval.PoolingRecordJudge(), recorded(played())) == SAID
    found = judged(anteval.PoolingRecordJudge(), recorded(played()))
    assert isinstance(found["disclosed", NPC], Unscored)
    first = found["pooled", None]
    assert isinstance(first, Score)
    assert first.reason == "3 of 4: p1 (Ann, turn 1), p2 (Ben, turn 2), r (Ann, turn 4)"


def test_what_others_say_is_not_on_record() -> None:
    found = judged(anteval.PoolingRecordJudge(), played())
    assert all(isinstance(verdict, Unscored) for verdict in found.values())


def mention(fact: str, turn: int, quote: str) -> dict[str, object]:
    return {"fact": fact, "turn": turn, "quote": quote}


MENTIONS = (
    mention("p1", 6, "Bram was in jail"),
    mention("p1", 1, "he was in jail that night"),
    mention("p2", 2, "sold a pearl only yesterday"),
    mention("r", 4, "The stable stood empty"),
)


def reads(*replies: Sequence[dict[str, object]]) -> FakeModel:
    return FakeModel(*(json.dumps({"mentions": [*reply]}) for reply in replies))


def test_a_model_quotes_what_was_said() -> None:
    model = reads(MENTIONS)
    assert values(anteval.PoolingModelJudge(model, TEXTS), played()) == SAID
    ((prompt, _),) = model.calls
    text = prompt.messages[-1].text
    assert "p1: Bram was in jail that night." in text
    assert "s1" not in text  # shared clues are no news
    assert "m:" not in text
    assert "2. Ben: Ada sold a pearl only yesterday." in text


@pytest.mark.parametrize(
    "wrong",
    [
        mention("p1", 2, "he was in jail that night"),
        mention("p1", 9, "he was in jail that night"),
        mention("p1", 3, "Nell: pass"),
        mention("p1", 1, "Bram was locked up"),
        mention("p1", 1, "jail"),
        mention("s1", 1, "he was in jail that night"),
    ],
)
def test_a_quote_that_is_not_in_its_turn_is_asked_for_again(wrong: dict[str, object]) -> None:
    model = reads([wrong], MENTIONS)
    assert values(anteval.PoolingModelJudge(model, TEXTS), played()) == SAID
    assert len(model.calls) == 2
    found = judged(anteval.PoolingModelJudge(reads(*[[wrong]] * 3), TEXTS), played())
    assert all(isinstance(verdict, ScoreFailure) for verdict in found.values())


class TestTalkRecord(JudgeContract):
    def judge(self) -> Judge:
        return anteval.PoolingRecordJudge()

    def measures(self) -> Sequence[Measure]:
        return [POOLED, DISCLOSED, CRITICAL]

    def episodes(self) -> Sequence[Episode]:
        return [played(), recorded(played())]


# ---------------------------------------------------------------- the exam of judges

assert anteval.load_decision.exam is not None
EXAM = tuple(anteval.load_decision.exam())
KIT = anteval.load_decision(WorldSetup(settings={"cases": "1"}))
STATED: Mapping[str, tuple[tuple[str, int, str], ...]] = {
    "barn-all-said": (
        ("c1", 1, "the smith spent Sunday in the next town"),
        ("c3", 2, "had its bolt shut on the inside"),
        ("c2", 3, "One torch is gone from the smithy"),
        ("c4", 4, "The farmer owed the smith money"),
    ),
    "ford-half-said": (
        ("c1", 1, "the water comes up to your waist"),
        ("c2", 3, "crocodiles at the south ford"),
    ),
    "barn-zero-marks": (
        ("c1", 1, "in the next town all Sunday"),
        ("c3", 2, "bolted, and from the inside"),
        ("c2", 3, "A torch is missing"),
        ("c4", 4, "farmer owed money to the smith"),
    ),
    "ford-last-first": (
        ("c4", 1, "is asleep at noon"),
        ("c2", 2, "at the south ford there are crocodiles"),
        ("c3", 3, "What the bridge costs is four crowns"),
        ("c1", 4, "waist-deep is what the north ford is"),
    ),
    "barn-amid-supper": (
        ("c1", 1, "On Sunday the smith was away in the next town"),
        ("c2", 3, "that torch back which is missing from the smithy"),
        ("c3", 4, "The barn door, you know, was bolted from inside"),
        ("c4", 6, "The farmer is in debt to the smith"),
    ),
    "ring-all-said": (
        ("c1", 1, "At nine the ring still lay in its box"),
        ("c3", 2, "he left the house at eight"),
        ("c2", 3, "There is a key to the box, and the maid has it"),
        ("c4", 4, "was smashed from outside"),
    ),
    "camp-half-said": (
        ("c4", 1, "There will be rain tonight"),
        ("c3", 3, "when it rains, the cave is flooded"),
    ),
    "ring-do-not-count": (
        ("c1", 1, "The ring was in the box at nine"),
        ("c3", 2, "The nephew left the house at eight"),
        ("c2", 3, "The maid has a key to that box"),
        ("c4", 4, "the stone came from outside"),
    ),
    "camp-backwards": (
        ("c4", 1, "we shall have it tonight"),
        ("c2", 2, "where wolves howl at night"),
        ("c3", 3, "that is how the cave is whenever it rains"),
        ("c1", 4, "that is how the hill is"),
    ),
    "ring-amid-cards": (
        ("c1", 1, "The ring was still in its box at nine"),
        ("c3", 2, "Out of the house by eight"),
        ("c2", 3, "the maid has a key to it"),
        ("c4", 4, "Smashed from the outside"),
    ),
}
"""Which facts are stated in the cases of the exam, read off by hand; no other case states any."""


def marker(read: Callable[[ExamCase], Sequence[tuple[str, int, str]]]) -> dict[str, int]:
    def judge(one: ExamCase) -> Judge:
        entries = [mention(*entry) for entry in read(one)]
        return KIT.model_judge(reads(entries, entries, entries))

    return marked(EXAM, judge)


def test_both_forms_of_the_exam_hold_the_same_kinds_of_cases() -> None:
    for form in "AB":
        kinds = [one.kind for one in EXAM if one.form == form]
        assert {kind: kinds.count(kind) for kind in kinds} == KINDS
    seats = {form: {s for o in EXAM if o.form == form for s in o.episode.trial.task.seats}
             for form in "AB"}  # fmt: skip
    assert not seats["A"] & seats["B"]


def test_a_fair_judge_passes_the_exam() -> None:
    assert marker(lambda one: STATED.get(one.id, ())) == {"A": 10, "B": 10}


def first_words(one: ExamCase, number: int) -> list[tuple[str, int, str]]:
    """The first facts of a case, each quoted as the whole of the first turn."""
    text = one.episode.moves[0].actions[0].text
    return [(f"c{n}", 1, text) for n in range(1, number + 1)]


@pytest.mark.parametrize("number", range(5))
def test_a_judge_that_always_sees_as_many_facts_fails(number: int) -> None:
    assert max(marker(lambda one: first_words(one, number)).values(), default=0) <= 5


@pytest.mark.parametrize("shift", range(1, 10))
def test_a_judge_of_another_talk_fails(shift: int) -> None:
    def other(one: ExamCase) -> list[tuple[str, int, str]]:
        return first_words(one, len(STATED.get(shifted(EXAM, one, shift).id, ())))

    assert max(marker(other).values(), default=0) <= 7


def test_the_prompt_of_a_judge_shows_the_whole_talk() -> None:
    for one in EXAM:
        model = reads(())
        asyncio.run(KIT.model_judge(model).judge(one.episode))
        text = model.calls[0][0].messages[-1].text
        assert all(move.actions[0].text in text for move in one.episode.moves)
