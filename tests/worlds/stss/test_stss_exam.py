"""The exams of STSS: fair to a good judge, hard on one that always says the same.

What conversations and notes convey, and who takes part, is read off by hand here; the files of
cases hold the scores.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest

from exam_marking import marked, right, shifted
from fake_models import FakeModel
from sociolab.app import world_plugin
from sociolab.core import Answered, ExamCase, Judge
from sociolab.engine import WorldSetup
from sociolab.plugin.api import WorldPlugin
from sociolab.town import Talked, own_map
from sociolab.worlds import stss

Quotes = tuple[str, ...]
assert stss.load.exam is not None
load_talk = world_plugin("stss-talk")
assert load_talk.exam is not None
TOWN, TALKS = tuple(stss.load.exam()), tuple(load_talk.exam())

TAKING_PART: Mapping[str, tuple[int, ...]] = {
    "quiz-played": (1, 2, 3, 4, 5),
    "concert-half-heard": (1, 2, 3),
    "kites-count-nobody": (1, 2, 3, 4, 5),
    "stars-guests-last": (1, 4, 5),
    "swap-among-much": (1, 2, 3, 4, 5),
    "choir-sings": (1, 2, 3, 4, 5),
    "market-some-buy": (1, 2, 3),
    "tournament-nobody-counts": (1, 2, 3, 4, 5),
    "lesson-others-first": (1, 4, 5),
    "picnic-with-trimmings": (1, 2, 3, 4, 5),
}
"""The lines that are taking part; in all other cases none is."""

TOLD: Mapping[str, tuple[Quotes, Quotes]] = {
    "concert-half-heard": (
        ("Will you come", "on the bandstand", "tomorrow evening at six"),
        ("Mateo invited me", "on the bandstand", "tomorrow, Tuesday, at six"),
    ),
    "supper-being-set-up": (
        ("I'd like you to come", "here in the main hall", ""),
        ("Anjali invited me", "in the main hall", ""),
    ),
    "stars-guests-last": (
        ("Do come and look", "here on the pond shore", "at nine tomorrow"),
        ("asked me to come", "on the pond shore", "At nine tomorrow evening"),
    ),
    "market-some-buy": (
        ("come to my flea market", "in the garden of", "at three in the afternoon"),
        ("invited me to his", "in the garden of", "tomorrow, Tuesday, at three"),
    ),
    "dance-afterwards": (
        ("Come and dance with us", "", "tomorrow at half past six"),
        ("asked me to a folk dance", "", "tomorrow, Tuesday, at half past"),
    ),
    "lesson-others-first": (
        ("very welcome to join", "in this room", "seven tomorrow evening"),
        ("that I'm welcome", "in the music room", "At seven tomorrow evening"),
    ),
}
"""As `CONVEYED`, of the talks on the day before."""

CONVEYED: Mapping[str, tuple[Quotes, Quotes]] = {
    "quiz-invited": (
        ("I'd like you to come", "In the back room", "Half past seven tomorrow"),
        ("invited me to her quiz night", "in the back room", "tomorrow, Tuesday, at half past"),
    ),
    "chess-agreed": (
        ("would you play a game", "Four is perfect", "Yes, the common room it is"),
        ("asked me for a game", "tomorrow, Tuesday, at four", "in the common room"),
    ),
    "concert-no-hour": (
        ("Would you come", "on the bandstand", ""),
        ("Mateo invited me", "on the bandstand", ""),
    ),
    "swap-system-says-no": (
        ("you're invited to my seed swap", "the main hall of Alder", "tomorrow at half past five"),
        ("Ingrid invited me", "the main hall of Alder", "tomorrow, Tuesday, at half past five"),
    ),
    "stargazing-hour-first": (
        ("you are most welcome", "on the pond shore", "nine tomorrow evening"),
        ("I'm welcome at his", "on the pond shore", "at nine tomorrow evening"),
    ),
    "errands-among-gossip": (
        (
            "would you post my parcel",
            "at the post office",
            "would you buy light bulbs",
            "if you pass Finch Hardware",
        ),
        (
            "asked me to post her parcel",
            "at the post office",
            "to buy light bulbs",
            "for her at Finch Hardware",
        ),
    ),
    "pottery-welcome": (
        ("come to my pottery workshop", "in my pottery at Old Mill", "Four tomorrow at"),
        ("asked me to come", "in her pottery at Old Mill", "tomorrow, on Tuesday, at four"),
    ),
    "stream-online": (
        ("I'd like you to join", "tomorrow at seven in the evening"),
        ("invited me to join", "on Tuesday evening at seven"),
    ),
    "run-place-only": (
        ("come for a morning run", "", "At the playground, fine"),
        ("asked me for a morning run", "", "at the playground in Heron"),
    ),
    "tea-ignore-all": (
        ("would you have a cup of tea", "At five tomorrow", "I'll be at Lantern Cafe"),
        ("asked me to tea", "at five o'clock", "at Lantern Cafe"),
    ),
    "choir-other-begins": (
        ("Come and sing with us", "on the stage of Alder", "tomorrow at seven"),
        ("asked me to come and sing", "on the stage of Alder", "at seven in the evening tomorrow"),
    ),
    "flea-market-among-much": (
        ("do come and bring", "in the garden of Student", "tomorrow at three"),
        ("invited me to his flea market", "in the garden of Student", "tomorrow, Tuesday, at"),
    ),
}
"""The words of the talk, and those of the note, that show each condition; "" where it is not met.
In all other cases none is."""


def conditions_in(case: ExamCase) -> int:
    return len(stss.parse_scenario(case.episode.trial.task.content).occasion.conditions)


def sheet(quotes: Sequence[str]) -> str:
    return json.dumps(
        {f"statement_{n}": {"quote": q, "met": bool(q)} for n, q in enumerate(quotes, 1)}
    )


def readings(case: ExamCase) -> tuple[Quotes, Quotes]:
    nothing = ("",) * conditions_in(case)
    return CONVEYED.get(case.id, (nothing, nothing))


def by_hand(case: ExamCase) -> FakeModel:
    return FakeModel(*map(sheet, readings(case)))


def always(met: int) -> Callable[[ExamCase], FakeModel]:
    """Finds the first conditions met, so many, and quotes the first words for each."""

    def model(case: ExamCase) -> FakeModel:
        talk, *_, note = texts_of(case)
        count = conditions_in(case)
        firsts = (" ".join(text.split()[:3]) for text in (talk, note))
        return FakeModel(
            *(sheet([first] * min(met, count) + [""] * (count - met)) for first in firsts)
        )

    return model


def texts_of(case: ExamCase) -> list[str]:
    """The lines of a talk, and the note last."""
    answers = (event.value for event in case.episode.events if isinstance(event, Answered))
    answered = [answer for answer in answers if isinstance(answer, dict)]
    return [str(answer.get("text") or answer["memo"]) for answer in answered]


def taking(numbers: Sequence[int], case: ExamCase) -> FakeModel:
    """A model that chooses these lines, and reads the talk rightly."""
    return choosing(numbers, *TOLD.get(case.id, (("",) * 3, ("",) * 3)))


def choosing(numbers: Sequence[int], *quotes: Quotes) -> FakeModel:
    return FakeModel(json.dumps({"taking_part": list(numbers)}), *map(sheet, quotes))


def judge(plugin: WorldPlugin, model: FakeModel) -> Judge:
    return plugin(WorldSetup()).model_judge(model)


def in_town(model: Callable[[ExamCase], FakeModel]) -> dict[str, int]:
    """How many cases of each form a judge of the town with these models has right."""
    return marked(TOWN, lambda case: judge(stss.load, model(case)))


def in_talks(model: Callable[[ExamCase], FakeModel]) -> dict[str, int]:
    """The same of conversations."""
    return marked(TALKS, lambda case: judge(load_talk, model(case)))


# ------------------------------------------------------------------ both


def task_in(case: ExamCase) -> stss.SocialTask:
    content = case.episode.trial.task.content
    return stss.parse_scenario(content).task if case in TALKS else stss.parse_content(content).task


@pytest.mark.parametrize("case", [*TOWN, *TALKS], ids=lambda case: case.id)
def test_a_case_is_a_task_that_could_be_played(case: ExamCase) -> None:
    task, town = task_in(case), own_map()
    assert not stss.task_faults(task, (task.performer, *task.background), town)
    if case in TALKS:
        assert town.place(stss.parse_scenario(case.episode.trial.task.content).occasion.here)


@pytest.mark.parametrize("cases", [TOWN, TALKS], ids=["stss", "stss-talk"])
def test_the_forms_share_no_matter(cases: tuple[ExamCase, ...]) -> None:
    matters = {form: {task_in(c).title for c in cases if c.form == form} for form in "AB"}
    assert matters["A"] & matters["B"] <= {"help with two errands"}


# ------------------------------------------------------------------ the town


@pytest.mark.parametrize("case", TOWN, ids=lambda case: case.id)
def test_judge_and_transcript_show_what_those_in_the_place_do(case: ExamCase) -> None:
    assert len(actions_in(case)) == 1 + len(task_in(case).background) == 5
    assert "Who took part" in dict(stss.load(WorldSetup()).world.transcript(case.episode).scene)


def by_hand_in_town(case: ExamCase) -> FakeModel:
    return taking(TAKING_PART.get(case.id, ()), case)


def test_seven_cases_of_each_form_have_a_talk_of_which_a_note_is_kept() -> None:
    calls = Counter[tuple[str, str]]()
    for case in TOWN:
        model = by_hand_in_town(case)
        right(judge(stss.load, model), case)
        calls += Counter((case.form, key.name) for _, key in model.calls)
    assert calls == {
        (form, name): number
        for form in "AB"
        for name, number in (("attendance", 10), ("talk", 7), ("note", 7))
    }


@pytest.mark.parametrize("met", [0, 3])
def test_a_judge_that_always_finds_a_talk_to_convey_the_same_fails(met: int) -> None:
    def model(case: ExamCase) -> FakeModel:
        texts = (event.value for event in case.episode.events if isinstance(event, Answered))
        memos = [str(value["memo"]) for value in texts if isinstance(value, dict)]
        talk = talk_of(case)
        firsts = [" ".join(text.split()[:3]) for text in (*talk[:1], *memos)]
        quotes = [(first,) * met + ("",) * (3 - met) for first in firsts]
        return choosing(TAKING_PART.get(case.id, ()), *quotes)

    assert max(in_town(model).values()) <= 8


def talk_of(case: ExamCase) -> list[str]:
    return [
        line.text
        for talk in stss.read_trajectory(case.episode).everybody(Talked)
        for line in talk.lines
    ]


def test_a_fair_judge_of_the_town_passes() -> None:
    assert in_town(by_hand_in_town) == {"A": 10, "B": 10}


@pytest.mark.parametrize("numbers", [(), (1,), (1, 2, 3), (1, 4, 5), (1, 2, 3, 4, 5)])
def test_a_judge_that_always_chooses_the_same_lines_fails(numbers: tuple[int, ...]) -> None:
    assert max(in_town(lambda case: taking(numbers, case)).values(), default=0) <= 5


def test_a_judge_that_goes_by_the_name_of_the_matter_fails() -> None:
    def by_name(case: ExamCase) -> FakeModel:
        words = stss.Keywords([task_in(case).activity])
        actions = enumerate(actions_in(case), 1)
        return taking([n for n, text in actions if words.matches(text)], case)

    assert max(in_town(by_name).values()) <= 6


def actions_in(case: ExamCase) -> list[str]:
    """What each does, in the order of the lines."""
    model = taking((), case)
    right(judge(stss.load, model), case)
    prompt, _ = model.calls[0]
    lines = [line for line in prompt.messages[-1].text.splitlines() if line[:1].isdigit()]
    return [line.split(": ", 1)[1] for line in lines]


@pytest.mark.parametrize("shift", range(1, 10))
def test_answers_to_other_cases_of_the_town_fail(shift: int) -> None:
    def other(case: ExamCase) -> FakeModel:
        return taking(TAKING_PART.get(shifted(TOWN, case, shift).id, ()), case)

    assert max(in_town(other).values(), default=0) <= 7


# ------------------------------------------------------------------ conversations


@pytest.mark.parametrize("case", TALKS, ids=lambda case: case.id)
def test_judge_and_transcript_show_every_line_of_a_talk(case: ExamCase) -> None:
    model, kit = by_hand(case), load_talk(WorldSetup())
    right(judge(load_talk, model), case)
    talk, note = (prompt.messages[-1].text for prompt, _ in model.calls)
    *lines, memo = texts_of(case)
    assert all(line in talk for line in lines)
    assert memo in note
    shown = kit.world.transcript(case.episode)
    assert [line.actions[0].text for line in shown.lines] == lines
    assert memo in shown.notes[-1].text


def test_a_fair_judge_of_talks_passes() -> None:
    assert in_talks(by_hand) == {"A": 10, "B": 10}


@pytest.mark.parametrize("met", range(5))
def test_a_judge_that_always_finds_as_many_conditions_met_fails(met: int) -> None:
    assert max(in_talks(always(met)).values(), default=0) <= 6


@pytest.mark.parametrize("shift", range(1, 10))
def test_as_many_conditions_as_other_talks_meet_fail(shift: int) -> None:
    def other(case: ExamCase) -> FakeModel:
        talk, _ = readings(shifted(TALKS, case, shift))
        return always(sum(map(bool, talk)))(case)

    assert max(in_talks(other).values(), default=0) <= 7
