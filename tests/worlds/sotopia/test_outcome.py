"""What an episode came to, as its seats say, as scripted players record it, or as a model reads it.

Values are computed by hand from the goals' own formulas.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest

from casts import seated
from fake_models import FakeModel
from sociolab.agents import PromptedPlayer, fields_of
from sociolab.core import (
    PARTICIPANT,
    Act,
    Action,
    Agent,
    Answered,
    Ended,
    Episode,
    Event,
    Json,
    Moved,
    NoReply,
    Question,
    Reply,
    Request,
    Score,
    ScoreFailure,
    Unscored,
    Unusable,
    Verdict,
)
from sociolab.judging import LlmJudge
from sociolab.testing import play_task
from sociolab.worlds import sotopia
from sotopia_cases import casting, episode_of, task_of

SELLER = sotopia.PriceGoal(role="seller", item="a bicycle", listed=340, target=315)
BUYER = sotopia.PriceGoal(role="buyer", item="a bicycle", listed=340, target=255)
HATS = {"hats": 3, "books": 2}
WANTS_HATS = sotopia.DivisionGoal(counts=HATS, values={"hats": 3, "books": 1})  # 11 points in all
WANTS_BOOKS = sotopia.DivisionGoal(counts=HATS, values={"hats": 1, "books": 4})  # 11 points in all
EARLY = sotopia.OptionGoal(subject="the hour", options={"at nine": 9, "at noon": 4})
LATE = sotopia.OptionGoal(subject="the hour", options={"at nine": 0, "at noon": 8})
KNOWS_ADA = sotopia.FriendGoal(
    friends=(sotopia.Friend(name="Ada", about={}), sotopia.Friend(name="Ben", about={}))
)
KNOWS_BEN = sotopia.FriendGoal(
    friends=(sotopia.Friend(name="Ben", about={}), sotopia.Friend(name="Cleo", about={}))
)

SAID = "Would you take $250 for it?"
DONE = "k, 250 it is"
QUOTES: dict[str, Json] = {"offer": SAID, "acceptance": DONE}
NAMES = list(sotopia.judge_names(casting()).values())


def case(first: Any = SELLER, second: Any = BUYER) -> sotopia.SceneCast:
    cast = casting()
    goals = tuple(sotopia.Goal(text="A goal.", facts=facts) for facts in (first, second))
    scenario = cast.scenario.model_copy(update={"goals": goals})
    return cast.model_copy(update={"scenario": scenario})


def talk(*words: str) -> list[Event]:
    """Lines of seat0 and seat1 in turn."""
    return [
        Moved(n, f"seat{n % 2}", (Action(sotopia.SPEAK, text),)) for n, text in enumerate(words)
    ]


def answer(seat: int, **fields: Json) -> Answered:
    blank: dict[str, Json] = {"outcome": "agreed", "in_words": "", "offer": "", "acceptance": ""}
    return Answered(20, f"seat{seat}", sotopia.CLOSING, blank | fields)


def price(seat: int, dollars: float | None, *status: str, **quotes: Json) -> Answered:
    return answer(seat, price=dollars, outcome=status[0] if status else "agreed", **quotes)


def friend(seat: int, name: str | None, outcome: str = "found", **more: Json) -> Answered:
    said: dict[str, Json] = {"outcome": outcome, "friend": name, "offer": "", "acceptance": ""}
    return Answered(20, f"seat{seat}", sotopia.CLOSING, said | more)


def checked(episode: Episode) -> dict[str, Verdict]:
    """What the record or else the report says: never both."""
    checks = (sotopia.RecordedOutcome(), sotopia.ReportedOutcome())
    given = [found for check in checks if (found := asyncio.run(check.judge(episode)))]
    assert len(given) < 2
    return {verdict.seat or "": verdict for verdict in (given[0] if given else ())}


def of_two_agents(episode: Episode) -> Episode:
    cast = tuple(seated(seat, f"openai/{seat}") for seat in episode.trial.task.seats)
    return replace(episode, trial=replace(episode.trial, cast=cast))


def judged(
    cast: sotopia.SceneCast,
    *events: Event,
    agents: Sequence[str | Agent] = ("openai/a", "openai/b"),
) -> dict[str, Verdict]:
    return checked(episode_of(cast, *events, Ended("turn limit", 19), agents=agents))


def values(found: Mapping[str, Verdict]) -> list[float]:
    return [round(v.value, 3) for v in found.values() if isinstance(v, Score)]


def open_kind(found: Mapping[str, Verdict]) -> str:
    """Why both seats have no value."""
    (kind,) = {v.kind for v in found.values() if isinstance(v, Unscored)}
    assert len(found) == 2
    assert not values(found)
    return kind


# ------------------------------------------------------------------ what seats say


def test_what_all_report_alike_and_quote_is_worth_what_the_formula_says() -> None:
    found = judged(case(), *talk(SAID, DONE), price(0, 250, **QUOTES), price(1, 250, **QUOTES))
    # seller: 6 + (250 - 315) / 15.75 = 1.873; buyer: 6 + (255 - 250) / 12.75 = 6.392
    assert values(found) == [1.873, 6.392]
    buyer = found["seat1"]
    assert isinstance(buyer, Score)
    assert buyer.reason == (
        "6 + (target - price) / (5 % of target) = 6 + (255 - 250) / 12.75 = 6.392 "
        f'(reported: all seats say $250 (turn 1: "{SAID.rstrip("?")}"; turn 2: "{DONE}"))'
    )


@pytest.mark.parametrize(
    ("quotes", "problem"),
    [
        ({}, "offer: expected at least three words (or all, if it has fewer) of one line, word for "
         "word, found no quote"),
        ({"offer": SAID}, "acceptance: expected at least three words (or all, if it has fewer) of "
         "one line, word for word, found no quote"),
        ({"offer": SAID, "acceptance": "as you like it"}, "acceptance: expected at least three "
         "words (or all, if it has fewer) of one line, word for word, found other words"),
        ({"offer": DONE, "acceptance": SAID}, "expected an offer and a later line of somebody else "
         "that accepts it, found them the other way round"),
        ({"offer": SAID, "acceptance": SAID}, "expected an offer and a later line of somebody else "
         "that accepts it, found two lines of one speaker"),
    ],
)  # fmt: skip
def test_without_the_right_quotes_of_every_seat_it_is_unconfirmed(
    quotes: dict[str, Json], problem: str
) -> None:
    found = judged(case(), *talk(SAID, DONE), price(0, 250, **QUOTES), price(1, 250, **quotes))
    assert open_kind(found) == "unconfirmed"
    seller = found["seat0"]
    assert isinstance(seller, Unscored)
    assert seller.why == (
        f"unconfirmed: reported: all seats say $250; {NAMES[1]}: {problem}; a reader can tell "
        "(--reader)"
    )
    assert (seller.low, seller.high) == (0, 10)


def test_one_speaker_in_two_turns_confirms_nothing() -> None:
    lines = talk("I ask $250.", "Hm.", "Fine, $250 it is then.", "Not with me.")
    own = {"offer": "I ask $250", "acceptance": "Fine, $250 it is"}
    assert open_kind(judged(case(), *lines, price(0, 250, **own), price(1, 250, **own))) == (
        "unconfirmed"
    )


def test_seats_that_quote_different_lines_confirm_nothing() -> None:
    lines = talk("I ask $250.", "Fine with me.", "So $250 then?", "That is right.")
    first = {"offer": "I ask $250", "acceptance": "Fine with me"}
    last = {"offer": "So $250 then", "acceptance": "That is right"}
    found = judged(case(), *lines, price(0, 250, **first), price(1, 250, **last))
    assert open_kind(found) == "unconfirmed"
    assert all("quote different lines" in v.why for v in found.values() if isinstance(v, Unscored))
    assert values(judged(case(), *lines, price(0, 250, **last), price(1, 250, **last)))


@pytest.mark.parametrize(
    ("agents", "count"),
    [
        (("openai/a", "openai/a"), 0),
        (("openai/a", "openai/a?temperature=0"), 0),
        (("python:mine:Agent", "python:mine:Agent?bold=yes"), 0),
        (("openai/a", "openai/b"), 2),
        (("human", "human"), 2),  # two people, as in a study
        (("human", "openai/a"), 2),
    ],
)
def test_the_word_of_one_agent_in_all_seats_establishes_nothing(
    agents: tuple[str, str], count: int
) -> None:
    agreed = (*talk(SAID, DONE), price(0, 250, **QUOTES), price(1, 250, **QUOTES))
    nothing = (*talk(SAID, "No."), price(0, None, "nothing"), price(1, None, "still open"))
    for events in (agreed, nothing):
        found = judged(case(), *events, agents=agents)
        assert len(values(found)) == count
        if not count:
            assert open_kind(found) == "unconfirmed"


PERSON = Agent("human", "person", PARTICIPANT)
"""A participant of a study."""
WRONG: dict[str, Json] = {"offer": DONE, "acceptance": DONE}


@pytest.mark.parametrize(
    ("agents", "first", "second", "established"),
    [
        ((PERSON, PERSON), {}, {}, True),
        ((PERSON, PERSON), QUOTES, {}, True),
        ((PERSON, PERSON), QUOTES, WRONG, True),  # two lines that were chosen by mistake
        ((PERSON, "openai/b"), {}, QUOTES, True),
        ((PERSON, "openai/b"), WRONG, QUOTES, True),
        ((PERSON, "openai/b"), QUOTES, {}, True),
        ((PERSON, "openai/b"), {}, {}, True),
        (("human", "openai/b"), {}, {}, True),
        (("human", "human"), {}, {}, False),  # at one terminal: it may be one person
        (("human", "human"), QUOTES, QUOTES, True),
        (("openai/a", "openai/b"), {}, {}, False),
    ],
)
def test_a_person_who_reports_the_same_confirms_it_without_lines(
    agents: tuple[Any, Any], first: dict[str, Json], second: dict[str, Json], established: bool
) -> None:
    told = (price(0, 250, **first), price(1, 250, **second))
    found = judged(case(), *talk(SAID, DONE), *told, agents=agents)
    if established:
        assert values(found) == [1.873, 6.392]
    else:
        assert open_kind(found) == "unconfirmed"


def test_the_lines_of_participants_are_further_evidence() -> None:
    for lines, evidence in (
        (QUOTES, f'turn 1: "{SAID.rstrip("?")}"; turn 2: "{DONE}"'),
        ({}, "reported: all seats say $250, none having seen another's answer"),
    ):
        told = (price(0, 250, **lines), price(1, 250, **lines))
        found = judged(case(), *talk(SAID, DONE), *told, agents=(PERSON, PERSON))
        assert all(isinstance(v, Score) and evidence in v.reason for v in found.values())


def test_participants_who_differ_or_do_not_answer_confirm_nothing() -> None:
    for agents in ((PERSON, PERSON), (PERSON, "openai/b")):
        differ, alone = (price(0, 300), price(1, 250)), (price(0, 250),)
        assert open_kind(judged(case(), *talk(SAID), *differ, agents=agents)) == "disputed"
        assert open_kind(judged(case(), *talk(SAID), *alone, agents=agents)) == "cannot tell"


def test_a_seat_that_denies_a_deal_that_it_lost_gains_nothing() -> None:
    found = judged(case(), *talk(SAID, DONE), price(0, None, "nothing"), price(1, 250))
    assert open_kind(found) == "disputed"
    liar, honest = found.values()
    assert isinstance(liar, Unscored)
    assert isinstance(honest, Unscored)
    assert liar.low == honest.low == 0  # what a reward takes
    assert liar.why == 'disputed: seat0 says "nothing"; seat1 says $250'


def test_two_who_report_no_agreement_are_believed_where_they_are_independent() -> None:
    none = judged(
        case(), *talk(SAID, "No."), price(0, None, "nothing"), price(1, None, "still open")
    )
    assert values(none) == [0, 0]


def test_different_prices_are_disputed() -> None:
    assert open_kind(judged(case(), *talk(SAID, DONE), price(0, 300), price(1, 250))) == "disputed"


@pytest.mark.parametrize("cause", ["gave up", "timeout", "content filter"])
def test_one_seat_without_an_answer_and_nobody_can_tell(cause: Any) -> None:
    gone = Unusable(20, "seat0", sotopia.CLOSING, 1, cause, "the person left", "", True, False)
    found = judged(case(), *talk(SAID, DONE), gone, price(1, 250))
    assert open_kind(found) == "cannot tell"
    assert [v.why for v in found.values() if isinstance(v, Unscored)] == [
        "cannot tell: seat0 did not answer the closing question; a reader can tell (--reader)"
    ] * 2


def test_where_nobody_was_asked_nobody_can_tell() -> None:
    found = judged(case(), *talk(SAID, DONE))
    assert open_kind(found) == "cannot tell"
    assert all("--reader" in v.why for v in found.values() if isinstance(v, Unscored))


def test_something_else_is_told_in_words() -> None:
    other = [price(seat, None, "something else", in_words="a swap") for seat in (0, 1)]
    found = judged(case(), *talk("Swap?", "Sure"), *other)
    assert open_kind(found) == "cannot tell"
    assert open_kind(judged(case(), *talk("Swap?"), other[0], price(1, None, "nothing"))) == (
        "disputed"
    )


PROPOSES = "You keep all the felt ones, two, and a book. I take the rest. Is that a plan?"
ACCEPTS = "That is a plan."
PLAN: dict[str, Json] = {"offer": "You keep all the felt ones", "acceptance": ACCEPTS}


def test_shares_must_make_up_all_of_the_goods() -> None:
    """Nobody says "3 hats": 10 x (2 x 3 + 1) / 11 = 6.364; 10 x (1 + 4) / 11 = 4.545."""
    cast, words = case(WANTS_HATS, WANTS_BOOKS), talk(PROPOSES, ACCEPTS)
    mine, rest = answer(0, hats=2, books=1, **PLAN), answer(1, hats=1, books=1, **PLAN)
    found = judged(cast, *words, mine, rest)
    assert values(found) == [6.364, 4.545]
    first = found["seat0"]
    assert isinstance(first, Score)
    assert f'turn 1: "{PLAN["offer"]}"; turn 2: "That is a plan"' in first.reason
    for hats in (0, 2):  # a hat left over, and a hat too many
        assert open_kind(judged(cast, *words, mine, answer(1, hats=hats, books=1, **PLAN))) == (
            "disputed"
        )


def test_an_option_and_a_friend_are_reported_by_name() -> None:
    words = {"offer": "12 o'clock, as always?", "acceptance": "ok"}
    noon = [answer(seat, option="at noon", **words) for seat in (0, 1)]
    assert values(judged(case(EARLY, LATE), *talk(*words.values()), *noon)) == [4, 8]
    friends = case(KNOWS_ADA, KNOWS_BEN)
    words = {"offer": "Know Ben?", "acceptance": "ben? sure"}
    ben = [friend(seat, "Ben", **words) for seat in (0, 1)]
    assert values(judged(friends, *talk(*words.values()), *ben)) == [10, 10]
    none = friend(0, None, "not found"), friend(1, None, "still open")
    assert values(judged(friends, *talk("Know Ben?", "Hm."), *none)) == [0, 0]


def test_what_is_open_has_the_best_of_ones_own_options_as_its_upper_bound() -> None:
    found = judged(case(EARLY, LATE), *talk("At nine?", "Hm."))
    bounds = [(v.low, v.high) for v in found.values() if isinstance(v, Unscored)]
    assert bounds == [(0, 9), (0, 8)]


def test_a_goal_without_a_formula_gets_no_verdict_and_no_question() -> None:
    assert judged(casting(), *talk("Hello", "Hi")) == {}
    assert sotopia.closing_polls(casting()) == ()


def test_a_seat_chooses_only_among_what_it_was_told() -> None:
    for poll, own, other in zip(
        sotopia.closing_polls(case(KNOWS_ADA, KNOWS_BEN)),
        ("Ada", "Cleo"),
        ("Cleo", "Ada"),
        strict=True,
    ):
        schema = json.dumps(poll.question.reply.model_json_schema())
        assert own in schema
        assert other not in schema + poll.question.text


# ------------------------------------------------------------------ as people are asked

BOTH_ARE_ASKED = [
    (SELLER, BUYER, "Did you agree on a price for the bicycle?", {"price": 250}),
    (WANTS_HATS, WANTS_BOOKS, "Did you agree on how to divide 3 hats and 2 books?",
     {"hats": 1, "books": 2}),
    (EARLY, LATE, "Did you agree on the hour?", {"option": "at nine"}),
    (KNOWS_ADA, KNOWS_BEN, "Did you find out whom you both know?", {"friend": "Ben"}),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "text", "terms"), BOTH_ARE_ASKED)
def test_people_are_asked_for_the_same_answer_in_plain_words(
    first: Any, second: Any, text: str, terms: dict[str, Json]
) -> None:
    for poll in sotopia.closing_polls(case(first, second)):
        fields = {field.name: field for field in fields_of(poll.question)}
        assert list(fields) == list(poll.question.reply.model_fields)
        outcome = fields["outcome"]
        found = "friend" in terms
        choices = (
            ("found", "still open", "not found")
            if found
            else ("agreed", "something else", "still open", "nothing")
        )
        assert (outcome.label, outcome.kind, outcome.choices) == (text, "radio", choices)
        for name in terms:
            assert fields[name].only_if == ("outcome", ("found" if found else "agreed",))
            assert fields[name].required
        assert ("in_words" in fields) != found
        if not found:
            assert fields["in_words"].only_if == ("outcome", ("something else",))
        assert [name for name, field in fields.items() if field.kind == "line"] == [
            "offer", "acceptance",
        ]  # fmt: skip
        filled = {"outcome": choices[0], "offer": "", "acceptance": ""} | terms
        filled |= {} if found else {"in_words": ""}
        poll.question.reply.model_validate(filled)
        hints = "".join(field.hint for field in fields.values())
        assert "null" not in hints
        assert "fields cannot hold" not in hints


# ------------------------------------------------------------------ on record


def acted(seat: int, turn: int, *acts: Act) -> Moved:
    return Moved(turn, f"seat{seat}", (Action(sotopia.SPEAK, "Words.", acts=acts),))


@pytest.mark.parametrize(
    ("acts", "value"),
    [
        ([Act("offer", 250.0), Act("accept")], [1.873, 6.392]),
        ([Act("offer", 300.0), Act("offer", 250.0), Act("accept")], [1.873, 6.392]),
        ([Act("offer", 250.0), Act("decline"), Act("accept")], [0, 0]),
        ([Act("offer", 250.0), Act("decline"), Act("chat"), Act("accept")], [0, 0]),
        ([Act("offer", 250.0), Act("ask")], [0, 0]),
        ([Act("chat"), Act("chat")], [0, 0]),
    ],
)
def test_scripted_players_put_the_outcome_on_record(
    acts: Sequence[Act], value: list[float]
) -> None:
    events = [acted(n % 2, n, act) for n, act in enumerate(acts)]
    assert values(judged(case(), *events)) == value


def test_the_record_counts_only_if_every_seat_wrote_it() -> None:
    events = [acted(0, 0, Act("offer", 250.0)), *talk("", "k")[1:], acted(0, 2, Act("accept"))]
    assert open_kind(judged(case(), *events)) == "cannot tell"


def test_a_division_is_recorded_by_what_its_proposer_keeps() -> None:
    events = [acted(1, 0, Act("offer", {"hats": 1, "books": 2})), acted(0, 1, Act("accept"))]
    # seat0 gets 2 hats: 10 x 6 / 11; seat1 1 hat and 2 books: 10 x 9 / 11
    assert values(judged(case(WANTS_HATS, WANTS_BOOKS), *events)) == [5.455, 8.182]


# ------------------------------------------------------------------ played


def test_players_are_asked_once_it_is_over_and_their_answers_enter_no_history() -> None:
    cast = case()
    closing = json.dumps(
        {"outcome": "agreed", "price": 250, "in_words": "", "offer": SAID, "acceptance": DONE}
    )
    lines = [json.dumps({"action": "speak", "text": text}) for text in (SAID, DONE)]
    seller, buyer = FakeModel(lines[1], closing), FakeModel(lines[0], closing)
    players = {"seat0": PromptedPlayer(buyer), "seat1": PromptedPlayer(seller)}
    episode = play_task(sotopia.Sotopia(None, 2), task_of(cast), players)  # type: ignore[arg-type]
    assert [type(e).__name__ for e in episode.events] == [
        *["Moved"] * 2, *["Answered"] * 2, "Ended",
    ]  # fmt: skip
    assert values(checked(of_two_agents(episode))) == [1.873, 6.392]
    world = sotopia.Sotopia(None, 2)  # type: ignore[arg-type]
    for seat in (None, "seat0", "seat1"):
        shown = world.transcript(episode, seat)
        assert "closing" not in repr(shown)
        assert "in_words" not in repr(shown)
    off = sotopia.Sotopia(None, 2, closing_question=False)  # type: ignore[arg-type]
    seller, buyer = FakeModel(lines[1]), FakeModel(lines[0])
    players = {"seat0": PromptedPlayer(buyer), "seat1": PromptedPlayer(seller)}
    assert len(play_task(off, task_of(cast), players).events) == 3


def test_a_player_that_knows_no_questions_plays_to_the_end() -> None:
    class Speaks:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            return Reply((Action(sotopia.SPEAK, "I would say 250."),))

    world = sotopia.Sotopia(None, 3)  # type: ignore[arg-type]
    episode = play_task(world, task_of(case()), dict.fromkeys(("seat0", "seat1"), Speaks()))
    assert len(episode.moves) == 3
    assert episode.failed_turns == ()
    found = checked(episode)
    assert open_kind(found) == "cannot tell"


@pytest.mark.parametrize("kind", ["price", "division", "option", "friend"])
def test_most_of_the_questions_prompt_repeats_that_of_a_turn(kind: str) -> None:
    """After twelve turns of 45 words each, as GPT-4's in the paper's table of turns."""
    own = sotopia.Sotopia(sotopia.load(files(sotopia.PACKAGE) / "data"), 12)  # type: ignore[arg-type]
    task = next(
        task
        for task in own.tasks()
        if {goal.kind for goal in sotopia.goals_of(sotopia.casting_from(task.content)).values()}
        == {kind}
    )
    line = json.dumps({"action": "speak", "text": "words " * 45})
    model = FakeModel(*[line] * 12, *["{}"] * 9)
    play_task(own, task, dict.fromkeys(task.seats, PromptedPlayer(model)))
    turn, question = (
        next(
            "".join(message.text for message in prompt.messages)
            for prompt, key in reversed(model.calls)
            if (key.name, key.seat, key.attempt) == (name, task.seats[1], 1)
        )
        for name in ("act", sotopia.CLOSING)
    )
    shared = next(i for i, (a, b) in enumerate(zip(turn, question, strict=False)) if a != b)
    spoken = question.index("\n\nThe scene is over;") - shared  # in that turn, and since
    assert shared + spoken >= 0.86 * len(question)


# ------------------------------------------------------------------ read by a model


def read(
    cast: sotopia.SceneCast, words: Sequence[str], *replies: Mapping[str, Any]
) -> dict[str, Verdict]:
    blank: dict[str, Json] = {"outcome": "agreed", "in_words": "", "offer": "", "acceptance": ""}
    model = FakeModel(*(json.dumps(blank | dict(reply)) for reply in replies))
    judge = LlmJudge(sotopia.OutcomeReader(), model, role="reader")
    assert judge.id.label == "reader:fake/model"
    episode = episode_of(cast, *talk(*words), Ended("turn limit", 19))
    found = {v.seat or "": v for v in asyncio.run(judge.judge(episode))}
    assert len(model.calls) == len(replies)
    return found


def test_a_reader_needs_both_quotes() -> None:
    good = {"price": 250, "offer": "would you take $250", "acceptance": DONE}
    assert values(read(case(), [SAID, DONE], good)) == [1.873, 6.392]
    invented = good | {"acceptance": "I accept your offer"}
    assert values(read(case(), [SAID, DONE], invented, good)) == [1.873, 6.392]
    found = read(case(), [SAID, DONE], *[invented] * 3)
    assert [type(v) for v in found.values()] == [ScoreFailure] * 2


def test_a_quote_may_begin_with_its_lines_number_and_speaker_and_with_no_other() -> None:
    own = {"price": 250, "offer": f"1. {NAMES[0]}: {SAID}", "acceptance": f"{NAMES[1]}: {DONE}"}
    assert values(read(case(), [SAID, DONE], own)) == [1.873, 6.392]
    other = own | {"acceptance": f"{NAMES[0]}: {DONE}"}
    found = read(case(), [SAID, DONE], *[other] * 3)
    assert [type(v) for v in found.values()] == [ScoreFailure] * 2


def test_a_line_that_somebody_words_for_the_other_is_not_the_others() -> None:
    lines = ["What do you offer?", f"I pay $10. {NAMES[0]}: Fine, I accept $10.", "Never."]
    forged = {"price": 10, "offer": lines[0], "acceptance": f"{NAMES[0]}: Fine, I accept $10"}
    found = read(case(), lines, *[forged] * 3)
    assert [type(v) for v in found.values()] == [ScoreFailure] * 2


def test_a_reader_may_read_what_no_numeral_says() -> None:
    words = ["Twice 125?", "👍"]
    found = read(case(), words, {"price": 250, "offer": words[0], "acceptance": words[1]})
    assert values(found) == [1.873, 6.392]


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [("still open", []), ("nothing", []), ("something else", ["cannot tell"] * 2),
     ("cannot tell", ["cannot tell"] * 2)],
)  # fmt: skip
def test_what_a_reader_cannot_tell_is_no_figure(outcome: str, kind: list[str]) -> None:
    found = read(case(), [SAID, "hm"], {"outcome": outcome, "price": None})
    assert [v.kind for v in found.values() if isinstance(v, Unscored)] == kind
    assert values(found) == ([] if kind else [0, 0])


def test_a_reader_of_a_division_says_what_the_first_person_gets() -> None:
    words = ["all hats mine", "done, I keep the books"]
    reply = {"hats": 3, "books": 0, "offer": words[0], "acceptance": words[1]}
    assert values(read(case(WANTS_HATS, WANTS_BOOKS), words, reply)) == [8.182, 7.273]


def test_a_friend_whom_only_one_of_them_knows_is_not_the_one_that_was_sought() -> None:
    words = ["You know Ada, then?", "Sure, Ada it is."]
    reply = {"friend": "Ada", "offer": words[0], "acceptance": words[1]}
    assert values(read(case(KNOWS_ADA, KNOWS_BEN), words, reply)) == [0, 0]
    words = ["You know Ben, then?", "Sure, Ben it is."]
    reply = {"friend": "Ben", "offer": words[0], "acceptance": words[1]}
    assert values(read(case(KNOWS_ADA, KNOWS_BEN), words, reply)) == [10, 10]


def test_a_reader_sees_no_goal_and_no_secret_and_is_not_asked_without_a_formula() -> None:
    model = FakeModel()
    judge = LlmJudge(sotopia.OutcomeReader(), model, role="reader")
    assert asyncio.run(judge.judge(episode_of(casting(), *talk("Hi")))) == ()
    prompt = sotopia.OutcomeReader().prompt(episode_of(case(), *talk(SAID)), 0.0)
    assert prompt is not None
    text = "".join(message.text for message in prompt[0].messages)
    assert "Mia is the seller." in text
    assert "1. Mia: Would you take $250 for it?" in text
    for private in ("A goal.", "secretmark0", "315", "255", "publicmark0"):
        assert private not in text


def test_prices_beyond_the_scale_are_clipped() -> None:
    assert sotopia.price_value(BUYER, 100.0)[0] == 10  # 6 + 155 / 12.75 = 18.2
    assert sotopia.price_value(SELLER, 200.0)[0] == 0  # 6 - 115 / 15.75 = -1.3


def test_a_seat_that_quotes_what_nobody_said_is_asked_again_and_then_taken_at_its_word() -> None:
    def closing(accepted: str) -> str:
        said = {"outcome": "agreed", "price": 250, "in_words": "", "offer": SAID}
        return json.dumps(said | {"acceptance": accepted})

    def acted_then(text: str, *closings: str) -> FakeModel:
        return FakeModel(json.dumps({"action": "speak", "text": text}), *closings)

    copied, made_up = closing(DONE), closing("I accept your kind offer")
    buyer = acted_then(SAID, made_up, copied)
    seller = acted_then(DONE, *[made_up] * 3)
    players = {"seat0": PromptedPlayer(buyer), "seat1": PromptedPlayer(seller)}
    episode = play_task(sotopia.Sotopia(None, 2), task_of(case()), players)  # type: ignore[arg-type]
    again = [(e.seat, e.final) for e in episode.events if isinstance(e, Unusable)]
    assert sorted(again) == [("seat0", False), ("seat1", False), ("seat1", False)]
    assert "acceptance: expected at least three words" in buyer.calls[-1][0].messages[-1].text
    assert open_kind(checked(of_two_agents(episode))) == "unconfirmed"


def test_it_is_a_question_on_which_nothing_hangs() -> None:
    for poll in sotopia.closing_polls(case()):
        assert isinstance(poll.question, Question)
        assert poll.question.optional
        assert poll.at is None
