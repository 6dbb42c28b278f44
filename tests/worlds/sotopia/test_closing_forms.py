"""Scenes that close by a form: what is entered in it is what was agreed, for agents as for people.

Points are counted by hand: of 3 food, 3 water and 3 firewood, 3 x (3 + 5 + 4) = 36 to robin, who
values water most, and 3 x (5 + 4 + 3) = 36 to kim, who values food most; 5 for no agreement.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from fake_models import FakeModel
from sociolab.agents import Action, NoReply, PromptedPlayer, Reply, Request, fields_of
from sociolab.app import load_world
from sociolab.core import (
    ActionSpace,
    Answered,
    DataId,
    Ended,
    Episode,
    Json,
    ModelError,
    Question,
    Score,
    Task,
    Unscored,
    Unusable,
)
from sociolab.testing import play_task
from sociolab.worlds import sotopia

OURS = Path(__file__).parents[2] / "negotiations"
FOOD, FIREWOOD, MOST_WATER = (
    {"food": 3, "water": 0, "firewood": 0},
    {"food": 0, "water": 0, "firewood": 3},
    {"food": 0, "water": 3, "firewood": 2},
)


class Scripted:
    """Gives these replies one after the other, then does nothing; keeps the requests."""

    def __init__(self, *replies: Action | dict[str, Any] | None) -> None:
        self._replies: Iterator[Action | dict[str, Any] | None] = iter(replies)
        self.requests: list[Request] = []

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.requests.append(request)
        given = next(self._replies, Action("none"))
        if given is None:
            return NoReply("unreadable", "no reply")
        if isinstance(request.expected, Question):
            assert isinstance(given, dict)
            return Reply(request.expected.reply.model_validate(given))
        assert isinstance(given, Action)
        return Reply((given,))


def say(text: str) -> Action:
    return Action("speak", text)


def submit(share: dict[str, int]) -> Action:
    return Action("submit deal", fields=share)


ACCEPT, REJECT, LEAVE = (
    Action("accept deal"),
    Action("reject deal", "I need the food."),
    Action("leave"),
)


def task_of(imported: sotopia.ImportedEpisodes) -> Task:
    return imported.episodes[0].trial.task


@pytest.fixture(scope="module")
def camp() -> Task:
    """The first task of our CaSiNo: robin values water, kim food."""
    return task_of(sotopia.import_casino(OURS / "camps.json"))


@pytest.fixture(scope="module")
def bargain() -> Task:
    """1 book, 4 hats and 1 ball: worth 4, 1, 2 to robin, and 1, 2, 0 or the like to kim."""
    return task_of(sotopia.import_deal_or_no_deal(OURS / "bargains.txt"))


def world(limit: int = 20) -> sotopia.Sotopia:
    return sotopia.Sotopia(sotopia.DataSet(DataId("camps", "1", "0"), {}, {}, {}, ()), limit)


def played(task: Task, robin: Any, kim: Any, limit: int = 20) -> Episode:
    return play_task(world(limit), task, {"robin": robin, "kim": kim})


def verdicts(episode: Episode) -> tuple[Any, ...]:
    return asyncio.run(sotopia.RecordedOutcome().judge(episode))


def points(episode: Episode, most: float = 36) -> list[Any]:
    found = verdicts(episode)
    assert all(isinstance(one, Score) for one in found)
    return [pytest.approx(one.value * most / 10) for one in found]


def kinds(request: Request) -> list[str]:
    assert isinstance(request.expected, ActionSpace)
    return [kind.name for kind in request.expected.kinds]


# ------------------------------------------------------------------ deals beside the talk


def test_a_deal_that_is_accepted_is_the_outcome_and_ends_the_talk(camp: Task) -> None:
    kim = Scripted(ACCEPT)
    episode = played(camp, Scripted(submit(MOST_WATER)), kim)
    assert episode.ended == Ended("deal", 1, "kim")
    # robin: 3 water and 2 firewood, 15 + 8; kim the rest: 3 food and 1 firewood, 15 + 3.
    assert points(episode) == [23, 18]
    assert kinds(kim.requests[0]) == ["accept deal", "reject deal", "leave"]
    assert kim.requests[0].observation.tail.splitlines()[1] == (
        "The other person has submitted a deal, by which you get 3 food, 0 water, 1 firewood. "
        "Accept it, reject it, or leave."
    )


def test_words_settle_nothing(camp: Task) -> None:
    robin = Scripted(say("You get all food, I get the rest. Deal?"), LEAVE)
    episode = played(camp, robin, Scripted(say("Deal!")))
    assert points(episode) == [5, 5]
    assert asyncio.run(sotopia.ReportedOutcome().judge(episode)) == ()
    assert sotopia.OutcomeReader().prompt(episode, 0.0) is None


def test_a_rejected_deal_is_off_the_table_and_another_may_follow(camp: Task) -> None:
    robin, kim = Scripted(submit(MOST_WATER), say("Why?"), ACCEPT), Scripted(REJECT, submit(FOOD))
    episode = played(camp, robin, kim)
    assert kinds(robin.requests[1])[-1] == "submit deal"
    assert [line.text for line in robin.requests[2].observation.history] == [
        "You submit a deal: 0 food, 3 water, 2 firewood for yourself, the rest for the other.",
        "The other person rejects the deal: I need the food.",
        "You: Why?",
        "The other person submits a deal: 3 food, 0 water, 0 firewood for themselves, the rest "
        "for the other.",
    ]
    assert points(episode) == [27, 15]


def test_nobody_can_talk_on_with_a_deal_on_the_table(camp: Task) -> None:
    episode = played(camp, Scripted(submit(FOOD)), Scripted(say("Hm."), submit(FOOD), ACCEPT))
    unusable = [event for event in episode.events if isinstance(event, Unusable)]
    assert [event.problem for event in unusable] == [
        f'"{kind}" is no kind of action here; choose one of: accept deal, reject deal, leave'
        for kind in ("speak", "submit deal")
    ]
    assert episode.ended == Ended("deal", 1, "kim")


@pytest.mark.parametrize("share", [FOOD | {"food": 4}, FOOD | {"water": -1}, {"food": 3}])
def test_more_than_there_is_cannot_be_submitted(camp: Task, share: dict[str, int]) -> None:
    episode = played(camp, Scripted(submit(share), LEAVE), Scripted())
    problem = next(event.problem for event in episode.events if isinstance(event, Unusable))
    assert problem.startswith('"submit deal": ')
    assert points(episode) == [5, 5]


def test_to_leave_a_deal_on_the_table_is_to_walk_away(camp: Task) -> None:
    episode = played(camp, Scripted(submit(FIREWOOD)), Scripted(LEAVE))
    assert points(episode) == [5, 5]
    told = sotopia.negotiation(episode, verdicts(episode))
    assert told is not None
    assert (told.agreed, told.walked) == (False, True)


def test_no_deal_is_submitted_that_nobody_could_answer(camp: Task) -> None:
    robin, kim = Scripted(say("Hi.")), Scripted(submit(FOOD), submit(FOOD), submit(FOOD))
    episode = played(camp, robin, kim, limit=2)
    assert "submit deal" in kinds(robin.requests[0])
    assert "submit deal" not in kinds(kim.requests[0])
    assert points(episode) == [5, 5]


def test_a_deal_that_got_no_usable_answer_is_no_refusal(camp: Task) -> None:
    robin, kim = Scripted(submit(FOOD)), Scripted(*[None] * 9)
    episode = played(camp, robin, kim, limit=4)
    (one, other) = verdicts(episode)
    assert isinstance(one, Unscored)
    assert one.kind == other.kind == "cannot tell"
    assert one.why == ("cannot tell: kim gave no usable reply, so nobody accepted or refused")
    assert one.bounds == (0, 10)


def test_an_episode_that_is_taken_up_again_still_has_its_deal_on_the_table(camp: Task) -> None:
    whole = played(camp, Scripted(submit(FOOD)), Scripted(ACCEPT))
    kim = Scripted(ACCEPT)
    again = play_task(world(), camp, {"robin": Scripted(), "kim": kim}, journal=whole.events[:1])
    assert again.events == whole.events[1:] or again.events == whole.events
    assert kinds(kim.requests[0]) == ["accept deal", "reject deal", "leave"]


def test_a_model_reads_the_form_in_its_prompt_and_fills_it_in(camp: Task) -> None:
    given = {"action": "submit deal", "food": 0, "water": 3, "firewood": 2}
    robin = FakeModel(json.dumps({"turn": given}))
    kim = FakeModel(json.dumps({"action": "accept deal", "text": ""}))
    episode = played(camp, PromptedPlayer(robin), PromptedPlayer(kim))
    assert points(episode) == [23, 18]
    told = robin.calls[0][0].messages[0].text
    assert "- submit deal: you enter how many of the 3 food, 3 water and 3 firewood you get" in told
    assert "In the last turn, turn 20, it is too late to submit a deal." in told
    assert '"food": whole number from 0 to 3 (food that you get)' in told
    answers = (
        '{"action": "accept deal" or "reject deal" or "leave", "text": the words or the deed, '
        "empty for accept deal and leave}"
    )
    assert answers in kim.calls[0][0].messages[0].text


def test_a_model_that_asks_for_more_than_there_is_is_told_so(camp: Task) -> None:
    over = {"action": "submit deal", "food": 0, "water": 4, "firewood": 2}
    less = {"action": "leave", "text": ""}
    robin = FakeModel(*(json.dumps({"turn": turn}) for turn in (over, less)))
    episode = played(camp, PromptedPlayer(robin), Scripted())
    (unusable,) = (event for event in episode.events if isinstance(event, Unusable))
    assert unusable.problem == "turn: water: expected at most 3, found 4"


def test_scripted_players_answer_a_deal_of_anybody(camp: Task) -> None:
    """kim is scripted, wants 9 points of 10 at first, and takes no less than its next offer."""
    scripted = sotopia.ScriptedPlayer()
    generous = played(camp, Scripted(submit(FIREWOOD | {"firewood": 1})), scripted)
    assert generous.ended == Ended("deal", 1, "kim")
    greedy = played(camp, Scripted(submit({"food": 3, "water": 3, "firewood": 3}), LEAVE), scripted)
    assert [move.actions[0].kind for move in greedy.moves][1] == "reject deal"
    silent = played(camp, Scripted(), scripted)
    assert [m.actions[0].kind for m in silent.moves if m.seat == "kim"][-2:] == [
        "submit deal",
        "speak",
    ]


class Refuser:
    """Says these words in talk, and refuses each deal that is submitted."""

    def __init__(self, words: str) -> None:
        self.words = words

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        assert isinstance(request.expected, ActionSpace)
        words = self.words if request.turn else "No."
        return Reply((REJECT if request.expected.get("reject deal") else say(words),))


def kims_deals(episode: Episode) -> list[int]:
    """What each deal that kim submitted was worth to kim: food 5, water 4, firewood 3."""
    shares: list[Any] = [
        action.fields
        for move in episode.moves
        for action in move.actions
        if move.seat == "kim" and action.kind == "submit deal"
    ]
    return [5 * n["food"] + 4 * n["water"] + 3 * n["firewood"] for n in shares]


def test_a_scripted_player_gives_way_and_submits_no_refused_deal_again(camp: Task) -> None:
    worths = kims_deals(played(camp, Refuser("Hm."), sotopia.ScriptedPlayer()))
    assert len(worths) > 1
    assert worths == sorted(set(worths), reverse=True)


@pytest.mark.parametrize("degree", range(1, 6))
def test_a_haggler_gives_way_and_submits_no_refused_deal_again(camp: Task, degree: int) -> None:
    # Who says "deal" to each offer has agreed in talk, and refuses in the form.
    haggler = load_world("sotopia").players[f"haggler:{degree}"]
    worths = kims_deals(played(camp, Refuser("deal"), haggler, limit=40))
    assert len(worths) > 1
    assert worths == sorted(set(worths), reverse=True)


@pytest.mark.parametrize("kim", list(permutations((3.0, 4.0, 5.0))))
def test_scripted_players_settle_even_if_both_want_the_same(
    camp: Task, kim: tuple[float, ...]
) -> None:
    """The six priorities of CaSiNo against robin's: water 5, firewood 4, food 3."""
    content = json.loads(camp.content)
    content["scenario"]["goals"][1]["facts"]["values"] = dict(zip(FOOD, kim, strict=True))
    task = replace(camp, content=json.dumps(content))
    scripted = sotopia.ScriptedPlayer()
    episode = played(task, scripted, scripted)
    assert episode.ended is not None
    assert episode.ended.reason == "deal"
    assert min(score.value for score in verdicts(episode)) >= 3


# ------------------------------------------------------------------ selections after the end


def form(**share: int) -> dict[str, Any]:
    return {"outcome": "deal", **share}


NO_DEAL = {"outcome": "no deal", "books": None, "hats": None, "balls": None}


def closed(task: Task, robin: dict[str, Any] | None, kim: dict[str, Any] | None) -> Episode:
    blank = [None] * 3
    return played(
        task,
        Scripted(say("Four hats for you."), *([robin] if robin else blank)),
        Scripted(LEAVE, *([kim] if kim else blank)),
    )


def test_selections_count_if_they_fit(bargain: Task) -> None:
    episode = closed(bargain, form(books=1, hats=0, balls=1), form(books=0, hats=4, balls=0))
    assert episode.ended == Ended("left", 1, "kim")
    answers = [event for event in episode.events if isinstance(event, Answered)]
    assert [(one.seat, one.question, one.value) for one in answers] == [
        ("robin", "selection", {"outcome": "deal", "books": 1, "hats": 0, "balls": 1}),
        ("kim", "selection", {"outcome": "deal", "books": 0, "hats": 4, "balls": 0}),
    ]
    # As the two people of our first dialogue: 4 + 2 of 10 points, and 4 hats worth 2 each.
    assert points(episode, 10) == [6, 8]
    notes = [note.text for note in world().transcript(episode).notes]
    assert notes[0] == "Robin entered in the form: 1 book, 0 hats, 1 ball for themselves"


@pytest.mark.parametrize(
    ("robin", "kim", "why"),
    [
        (
            form(books=1, hats=2, balls=1),
            form(books=0, hats=4, balls=0),
            "the selections do not fit (robin: 1 books, 2 hats, 1 balls; kim: 0 books, 4 hats, "
            "0 balls)",
        ),
        (
            form(books=1, hats=0, balls=0),
            form(books=0, hats=4, balls=0),
            "the selections do not fit (robin: 1 books, 0 hats, 0 balls; kim: 0 books, 4 hats, "
            "0 balls)",
        ),
        (NO_DEAL, form(books=0, hats=4, balls=0), 'robin selected "no deal"'),
    ],
)
def test_selections_that_do_not_fit_are_worth_nothing(
    bargain: Task, robin: dict[str, Any], kim: dict[str, Any], why: str
) -> None:
    episode = closed(bargain, robin, kim)
    assert points(episode, 10) == [0, 0]
    assert verdicts(episode)[0].reason == f"no agreement: 0 (recorded: {why})"
    told = sotopia.negotiation(episode, verdicts(episode))
    assert told is not None
    assert (told.agreed, told.walked) == (False, None)  # leaving only ended the talk


def test_a_form_that_is_not_filled_in_is_no_refusal(bargain: Task) -> None:
    episode = closed(bargain, None, form(books=0, hats=4, balls=0))
    (one, _) = verdicts(episode)
    assert isinstance(one, Unscored)
    assert one.why == "cannot tell: robin did not fill in the form"
    assert [event.name for event in episode.failed_questions] == ["selection"]


def test_neither_sees_the_others_form_and_a_number_is_needed_for_a_deal(bargain: Task) -> None:
    robin, kim = Scripted(LEAVE, NO_DEAL), Scripted(NO_DEAL)
    played(bargain, robin, kim)
    question = robin.requests[1].expected
    assert isinstance(question, Question)
    assert not question.optional
    assert [line.text for line in kim.requests[0].observation.history] == [
        "The other person leaves."
    ]
    with pytest.raises(ValueError, match='"deal" needs a number in books, hats, balls'):
        question.reply.model_validate(NO_DEAL | {"outcome": "deal"})
    with pytest.raises(ValueError, match="less than or equal to 4"):
        question.reply.model_validate(form(books=1, hats=5, balls=0))
    outcome, books, *_ = fields_of(question)
    assert (outcome.label, outcome.words) == ("Is there a deal?", ("We have a deal", "No deal"))
    assert (books.label, books.high) == ("How many books do you get, of 1?", 1)
    assert books.only_if == ("outcome", ("deal",))


def test_no_deal_after_a_talk_that_broke_off_at_a_failed_turn_is_no_refusal(bargain: Task) -> None:
    episode = closed(bargain, NO_DEAL, NO_DEAL)
    (end,) = (event for event in episode.events if isinstance(event, Ended))
    broken = replace(end, reason="failed turn", seat="kim")
    events = tuple(broken if event is end else event for event in episode.events)
    (one, _) = verdicts(replace(episode, events=events))
    assert isinstance(one, Unscored)
    assert one.why == "cannot tell: the talk broke off at a failed turn of kim"


def test_a_scripted_player_that_reads_no_words_leaves_the_form_blank(bargain: Task) -> None:
    model = Scripted(say("Four hats for you."), LEAVE, form(books=1, hats=0, balls=1))
    episode = played(bargain, model, sotopia.ScriptedPlayer())
    (one, _) = verdicts(episode)
    assert isinstance(one, Unscored)
    assert one.why == "cannot tell: kim did not fill in the form"


def test_a_deal_that_got_no_usable_answer_before_its_author_left_is_no_refusal(
    camp: Task,
) -> None:
    episode = played(camp, Scripted(submit(FOOD), LEAVE), Scripted(None, None, None))
    assert isinstance(verdicts(episode)[0], Unscored)


def test_words_alone_cannot_settle_a_form_and_end_the_run(camp: Task) -> None:
    talker = PromptedPlayer(FakeModel("Hello."), dialect="words")
    with pytest.raises(ModelError, match="use dialect=json") as stopped:
        played(camp, talker, Scripted())
    assert stopped.value.fatal


def test_judges_and_raters_read_what_was_entered(bargain: Task, camp: Task) -> None:
    told = "In the form, Robin entered 1 book, 0 hats, 1 ball for themselves and Kim entered"
    episode = closed(bargain, form(books=1, hats=0, balls=1), NO_DEAL)
    prompt, _ = sotopia.SotopiaRubric().prompt(episode, 0.0)
    assert f'It ended because Kim left. {told} "no deal".' in prompt.messages[1].text
    assert f'{told} "no deal".' in sotopia.rated_scene(episode).context
    accepted = played(camp, Scripted(submit(FOOD)), Scripted(ACCEPT))
    prompt, _ = sotopia.SotopiaRubric().prompt(accepted, 0.0)
    assert "It ended because Kim accepted the deal." in prompt.messages[1].text


# ------------------------------------------------------------------ people and agents alike


@pytest.mark.parametrize("name", ["camps", "bargains"])
def test_agents_who_do_what_people_did_score_what_people_scored(name: str) -> None:
    read = sotopia.import_casino, sotopia.import_deal_or_no_deal
    path = OURS / f"{name}.{'json' if name == 'camps' else 'txt'}"
    imported = read[name == "bargains"](path)
    compared = 0
    for episode, judging in zip(imported.episodes, imported.judgings, strict=True):
        seats = episode.trial.task.seats
        done: dict[str, list[Any]] = {seat: [] for seat in seats}
        alternates = [move.seat for move in episode.moves] == [
            seats[n % 2] for n in range(len(episode.moves))
        ]
        answers = [event for event in episode.events if isinstance(event, Answered)]
        if not alternates or (name == "bargains" and not answers):
            continue
        for move in episode.moves:
            action = move.actions[0]
            in_words = action.text or ("No." if action.kind == "reject deal" else "")
            done[move.seat].append(replace(action, text=in_words))
        if answers:
            done[seats[len(episode.moves) % 2]].append(LEAVE)
        for event in answers:
            done[event.seat].append(event.value)
        robin, kim = (Scripted(*done[seat]) for seat in seats)
        agents = played(episode.trial.task, robin, kim)
        assert verdicts(agents) == judging.verdicts
        compared += 1
    assert compared >= 2


def scenario(**changes: Any) -> dict[str, Any]:
    goal = {"kind": "division", "counts": {"hats": 2}, "values": {"hats": 5}}
    return {
        "id": "hats",
        "family": "division",
        "context": "Two people divide hats.",
        "goals": [{"text": "Get hats.", "facts": goal}] * 2,
        "relationships": ["stranger"],
        "unconstrained": ["ages", "occupations", "ties"],
        "closing": "deals",
        **changes,
    }


def load(folder: Path, row: dict[str, Any], settings: Sequence[str] = ()) -> Any:
    people = [
        {"id": who, "first_name": who.title(), "gender": "", "pronouns": "", "age": 30,
         "occupation": "hatter"} for who in ("ann", "ben")
    ]  # fmt: skip
    task = {"id": "hats", "scenario": "hats", "characters": ["ann", "ben"]}
    texts = {
        "characters.jsonl": people,
        "relationships.jsonl": [],
        "scenarios.jsonl": [row],
        "tasks.jsonl": [task],
    }
    folder.mkdir()
    for name, rows in texts.items():
        (folder / name).write_text("".join(f"{json.dumps(one)}\n" for one in rows), "utf-8")
    (folder / "meta.json").write_text('{"name": "hats", "version": "1", "license": "ours"}')
    return sotopia.load(folder)


def test_a_form_needs_goods_to_divide(tmp_path: Path) -> None:
    assert load(tmp_path / "good", scenario()).scenarios["hats"].closing == "deals"
    without = scenario(goals=[{"text": "Talk."}] * 2)
    with pytest.raises(Exception, match='closing: "deals" divides goods, expected facts of that'):
        load(tmp_path / "none", without)
    goal = {"kind": "division", "counts": {"text": 2}, "values": {"text": 5}}
    taken = scenario(goals=[{"text": "Get hats.", "facts": goal}] * 2)
    with pytest.raises(Exception, match='a good in a form cannot be called "text"; rename it'):
        load(tmp_path / "taken", taken)


def test_a_scenario_without_a_form_is_written_as_before(tmp_path: Path) -> None:
    row = scenario()
    del row["closing"]
    plain = load(tmp_path / "plain", row).scenarios["hats"]
    assert "closing" not in plain.line()
    assert "closing" not in plain.model_dump_json()
