"""The five hagglers: what they say, what they concede, and that they are no players for results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, product, repeat
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from sociolab import Arena, ArenaConfig, RunConfig, run
from sociolab.analysis import rank_runs
from sociolab.core import Action, ConfigError, Json, NoReply, Reply, Request, Score
from sociolab.report import make_boards, warnings
from sociolab.store import Store
from sociolab.training import ArenaSession
from sociolab.worlds import sotopia

PAGE = (Path(__file__).parents[3] / "docs" / "training.md").read_text("utf-8")
QUIET = ArenaConfig(settings={"closing_question": "false"})
BICYCLE = "scenario=bargain-01-touring-bicycle"
MUSHROOMS = "scenario=division-01-basket-of-mushrooms"
LEAST = {1: -2.0, 2: 0.5, 3: 2.0, 4: 3.5, 5: 5.0}
Policy = Callable[[], Mapping[str, Json]]


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with Arena("sotopia", tasks="bargain,division", config=QUIET) as opened:
        yield opened


def speak(text: str) -> dict[str, Json]:
    return {"action": "speak", "text": text}


def play(arena: Arena, degree: int, task: str, seat: int, policy: Policy) -> ArenaSession:
    session = arena.begin(task, seats=seat, partner=f"haggler:{degree}")
    while not session.done:
        session.step(policy())
    return session


def one_of_each(arena: Arena, kind: str) -> list[str]:
    """The first task of each scenario of a kind."""
    found = {arena.task(name).cluster: name for name in reversed(arena.tasks())}
    return [name for cluster, name in sorted(found.items()) if cluster.startswith(kind)]


def best_line(arena: Arena, task: str, seat: int, degree: int) -> str:
    """What is best for a seat of what the haggler takes at last, worked out from its degree."""
    goals = sotopia.casting_from(arena.task(task).content).scenario.goals
    mine, theirs, least = goals[seat].facts, goals[1 - seat].facts, LEAST[degree]
    if isinstance(theirs, sotopia.PriceGoal):
        side = 1 if theirs.role == "seller" else -1
        return f"${round(theirs.target * (1 + side * 0.05 * (least - 6))):,}"
    assert isinstance(theirs, sotopia.DivisionGoal)
    assert isinstance(mine, sotopia.DivisionGoal)
    goods = list(theirs.counts)
    shares = list(product(*(range(theirs.counts[good] + 1) for good in goods)))

    def worth(share: Iterable[int], values: Mapping[str, float]) -> float:
        return sum(n * values[good] for good, n in zip(goods, share, strict=True))

    # Its last offer is the share that is worth the least of those that are worth enough.
    total = worth(tuple(theirs.counts[good] for good in goods), theirs.values)
    values = [worth(share, theirs.values) for share in shares]
    last = min(value for value in values if 10 * value / total >= least)
    left = [s for s in shares if total - worth(s, theirs.values) >= last]
    return " ".join(map(str, max(left, key=lambda s: worth(s, mine.values))))


def earned(arena: Arena, kind: str, degree: int, line: str | None) -> list[float]:
    """What a policy earns that says one line again and again, in each seat of each scenario;
    without a line the best one."""
    rewards = []
    for task in one_of_each(arena, kind):
        for seat in (0, 1):
            said = best_line(arena, task, seat, degree) if line is None else line
            action = speak(said) if said else {"action": "none", "text": ""}
            session = play(arena, degree, task, seat, repeat(action).__next__)
            reward = session.rewards[session.seats[0]]
            assert reward.value is not None
            rewards.append(reward.value)
    return rewards


ROWS = re.findall(r"(?m)^\| `haggler:(\d)` \| .* \| ([\d.]+) \| ([\d.]+) \|$", PAGE)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5])
def test_the_best_that_a_policy_can_name_earns_what_the_document_says(
    arena: Arena, degree: int
) -> None:
    told = {int(row[0]): row[1:] for row in ROWS}
    best = [mean(earned(arena, kind, degree, None)) for kind in ("bargain", "division")]
    assert tuple(f"{value:.1f}" for value in best) == told[degree]
    assert all(value > 2 for value in best)


def test_a_policy_that_gives_in_earns_next_to_nothing_and_a_mute_one_nothing(arena: Arena) -> None:
    for degree in (1, 5):
        for kind, most in (("bargain", 0.05), ("division", 0.7)):
            yielding, mute = (earned(arena, kind, degree, line) for line in ("Deal.", ""))
            assert set(mute) == {0.0}
            assert 0 < mean(yielding) < most
            assert mean(yielding) < mean(earned(arena, kind, degree, None)) - 1.9


def test_stubborn_ones_leave_less(arena: Arena) -> None:
    for kind in ("bargain", "division"):
        best = [mean(earned(arena, kind, degree, None)) for degree in (1, 3, 5)]
        assert best == sorted(best, reverse=True)


def lines_of(arena: Arena, degree: int, task: str, seat: int, *said: str) -> list[str]:
    """What the haggler says to these lines, and how it ends."""
    leave: dict[str, Json] = {"action": "leave", "text": ""}
    session = play(arena, degree, task, seat, chain(map(speak, said), repeat(leave)).__next__)
    assert session.episode is not None
    own = [move for move in session.episode.moves if move.seat not in session.seats]
    return [move.actions[0].text or move.actions[0].kind for move in own]


def test_it_names_a_price_takes_one_and_asks_for_one(arena: Arena) -> None:
    (task,) = [name for name in one_of_each(arena, "bargain") if "bicycle" in name]
    unclear = "I did not understand: name a price, or say deal."
    assert lines_of(arena, 2, task, 0, "Hello!", "$300", "Hm...", "No.", "Is $200 all right?") == [
        unclear,
        "My price is $144.",
        unclear,
        "My price is $172.",
        "Deal, $200.",
    ]
    # The seller opens with the listed price.
    assert lines_of(arena, 2, task, 1, "$100", "Yes.") == [
        "My price is $340.",
        "My price is $240.",
        "leave",
    ]


def test_it_divides_goods(arena: Arena) -> None:
    (task,) = [name for name in one_of_each(arena, "division") if "mushrooms" in name]
    unclear = "I did not understand: say how many of each you keep, or say deal."
    said = lines_of(arena, 1, task, 0, "Shall we share?", "6 3 2", "3 porcini")
    assert said[0] == unclear
    assert re.fullmatch(r"I keep .*, and you get the rest\.", said[1])
    assert re.fullmatch(r"(I keep|Deal:) .*", said[2])


@pytest.mark.parametrize(("degree", "patience"), [(1, 5), (2, 4), (3, 3), (4, 2), (5, 1)])
def test_it_leaves_when_its_patience_is_at_an_end(arena: Arena, degree: int, patience: int) -> None:
    (task,) = [name for name in one_of_each(arena, "bargain") if "bicycle" in name]
    said = lines_of(arena, degree, task, 0, *["What a day!"] * 9)
    assert len(said) == patience + 2
    assert said[-1] == "leave"
    # After its last offer, lines that are no acceptance are in vain, too.
    said = lines_of(arena, degree, task, 0, *["$9,000"] * 12)
    offers = {1: 3, 2: 4, 3: 5, 4: 6, 5: 7}[degree]
    assert len(set(said) - {"leave"}) == offers
    assert len(said) == min(offers + patience + 2, 10)


def test_it_plays_nothing_else() -> None:
    with Arena("sotopia", tasks="mutual-friend", partner="haggler:1") as arena:
        session = arena.begin()
        with pytest.raises(ConfigError, match="plays bargains and divisions between two"):
            session.step(speak("Hello."))


class Seller:
    """An agent of a user that asks for $200, and reports that it got $999."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if request.name != "act":
            expected: Any = request.expected
            claim = {"outcome": "agreed", "price": 999, "in_words": ""}
            return Reply(expected.reply(**claim, offer="", acceptance=""))
        return Reply((Action("speak", "I want $200."),))


def test_in_a_run_the_deal_is_on_record_and_the_haggler_is_labelled(tmp_path: Path) -> None:
    result = run(
        RunConfig(
            agents="python:test_haggler:Seller",
            partner="haggler:2",
            judges="none",
            tasks=BICYCLE,
            limit=1,
            name="r",
            store=tmp_path / "s.db",
        )
    ).result
    assert result.smoke == "training partner"
    (told, *_) = warnings(result)
    assert told == (
        "smoke test (training partner): r was played with a partner made for training that "
        "does not talk like a person, so its scores are not results"
    )
    assert make_boards([result]) == ()
    with Store.open(tmp_path / "s.db") as store:
        with pytest.raises(ConfigError, match="run it with another partner, or leave it out"):
            rank_runs(store, ["r"], "outcome")
        judged = [
            (judging.judge.name, type(verdict), verdict.seat)
            for judging in store.verdicts.judgings("r")
            for verdict in judging.verdicts
        ]
        seats = [trial.trial.task.seats for trial in store.trials("r")]
    assert {name for name, *_ in judged} == {"outcome"}
    assert [kind for _, kind, _ in judged] == [Score] * 4
    assert len(seats) == 2
