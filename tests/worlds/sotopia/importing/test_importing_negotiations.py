"""People's negotiations: what they did on record is scored by the formula that agents get."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections import Counter
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest

from sociolab.core import Answered, Ended, Score
from sociolab.worlds import sotopia
from worlds.sotopia import human_negotiation

OURS = Path(__file__).parents[3] / "negotiations"


@pytest.fixture(scope="module")
def camps() -> sotopia.ImportedEpisodes:
    return sotopia.import_casino(OURS / "camps.json")


@pytest.fixture(scope="module")
def bargains() -> sotopia.ImportedEpisodes:
    return sotopia.import_deal_or_no_deal(OURS / "bargains.txt")


@pytest.fixture(scope="module")
def shared() -> Path:
    if not human_negotiation.folder().is_dir():
        pytest.skip(f"people's negotiations are not at hand in {human_negotiation.folder()}")
    return human_negotiation.folder()


def scores(imported: sotopia.ImportedEpisodes) -> list[tuple[float, ...]]:
    """The scores of both seats, from 0 to 10, by episode."""
    return [
        tuple(v.value for v in judging.verdicts if isinstance(v, Score))
        for judging in imported.judgings
    ]


def test_a_deal_is_worth_5_4_and_3_points_a_package(camps: sotopia.ImportedEpisodes) -> None:
    # Bea speaks first in three of them. She gets 2 water (5 each) and 3 firewood (4 each): 22 of
    # 36 points; Ann 3 food (5) and 1 water (4): 19. Then 3 water and 2 firewood: 23, and 18. The
    # last is Ann's: 2 food, 1 water, 1 firewood (3): 17; Bea 1 food (3), 2 water, 2 firewood: 21.
    points = [tuple(3.6 * value for value in both) for both in scores(camps)]
    assert points == [pytest.approx(both) for both in [(22, 19), (23, 18), (5, 5), (17, 21)]]


def test_a_refused_deal_is_none_and_a_walk_away_ends_it(
    camps: sotopia.ImportedEpisodes,
) -> None:
    ends = [episode.ended for episode in camps.episodes]
    assert [end.reason for end in ends if end] == ["deal", "deal", "left", "deal"]
    assert ends[2] == Ended("left", 2, "kim")
    reasons = [v.reason for v in camps.judgings[2].verdicts if isinstance(v, Score)]
    assert reasons[0] == "no agreement: 10 x 5 / 36 = 1.389 (recorded: no offer was accepted)"


def test_who_speaks_first_sits_first_with_their_own_values(
    camps: sotopia.ImportedEpisodes,
) -> None:
    tasks = [episode.trial.task for episode in camps.episodes]
    assert Counter(task.id for task in tasks) == {
        "casino-3.3.3-3.5.4-5.4.3": 3,
        "casino-3.3.3-5.4.3-3.5.4": 1,
    }
    assert [episode.trial.repeat for episode in camps.episodes] == [0, 1, 2, 0]
    said = [move for move in camps.episodes[3].moves if move.actions[0].kind == "speak"]
    assert [move.seat for move in said] == ["robin", "kim"]
    assert said[1].actions[0].text == "I take two water 💧 and you get two food."
    assert {member.identity.kind for member in camps.episodes[0].trial.cast} == {"person"}


def test_the_goal_says_what_a_seat_gets_and_nothing_of_the_other(
    camps: sotopia.ImportedEpisodes,
) -> None:
    scenario = json.loads(camps.episodes[0].trial.task.content)["scenario"]
    assert scenario["goals"][0]["text"] == (
        "Take packages that are worth as many points to you as possible: a package of food is "
        "worth 3 points, a package of water is worth 5 points and a package of firewood is worth "
        "4 points. If you agree on nothing, or walk away, you get 5 points. Your neighbour has "
        "priorities of their own."
    )


def test_the_judges_of_every_run_score_people_alike(camps: sotopia.ImportedEpisodes) -> None:
    for episode, judging in zip(camps.episodes, camps.judgings, strict=True):
        again = sotopia.RecordedOutcome()
        assert again.id == judging.judge
        assert asyncio.run(again.judge(episode)) == judging.verdicts
        assert asyncio.run(sotopia.ReportedOutcome().judge(episode)) == ()


def test_two_lines_of_a_dialogue_are_one_and_what_broke_off_is_left_out(
    bargains: sotopia.ImportedEpisodes,
) -> None:
    # The first takes the book and the ball, worth 4 + 2 of its 10; the other 4 hats worth 2 each.
    assert scores(bargains) == [(6, 8), (0, 0), (0, 0)]
    assert bargains.lines[0] == "3 dialogues of 2 tasks, by people"
    assert bargains.lines[-1] == "left out: 1 dialogue that broke off (<disconnect>)"
    texts = [move.actions[0].text for move in bargains.episodes[0].moves]
    assert texts == ["i take the book and the ball .", "fine , i get 4 hats"]
    answers = [event for event in bargains.episodes[0].events if isinstance(event, Answered)]
    assert [(one.seat, one.value) for one in answers] == [
        ("robin", {"outcome": "deal", "books": 1, "hats": 0, "balls": 1}),
        ("kim", {"outcome": "deal", "books": 0, "hats": 4, "balls": 0}),
    ]
    reasons = [v.verdicts[0] for v in bargains.judgings[1:]]
    assert [one.reason for one in reasons if isinstance(one, Score)] == [
        'no agreement: 0 (recorded: robin and kim selected "no deal")',
        "no agreement: 0 (recorded: the selections do not fit)",
    ]


def test_a_goal_without_points_for_walking_away_is_written_as_before() -> None:
    goal = sotopia.DivisionGoal(counts={"hats": 2}, values={"hats": 5})
    assert goal.model_dump_json() == '{"kind":"division","counts":{"hats":2},"values":{"hats":5.0}}'


# ------------------------------------------------------------------ the public files


def test_casino_comes_out_as_its_authors_count(shared: Path) -> None:
    """Chawla et al. (2021) count 11.6 utterances a dialogue in all 1,030; the rest is recomputed
    from the files, which lack the test split."""
    raw = [
        row
        for name in ("casino_train.json.gz", "casino_valid.json.gz")
        for row in json.loads(gzip.decompress((shared / name).read_bytes()))
    ]
    imported = sotopia.import_casino(shared)
    paid = [
        person["outcomes"]["points_scored"]
        for row in raw
        for person in row["participant_info"].values()
    ]
    own = [3.6 * value for both in scores(imported) for value in both]
    assert sorted(paid) == pytest.approx(sorted(own))
    walked = sum(row["chat_logs"][-1]["text"] == "Walk-Away" for row in raw)
    assert imported.lines[1] == "deals: 906 (97.4 %); walked away: 24; mean points: 18.61"
    assert walked == 24
    spoken = [
        sum(move.actions[0].kind == "speak" for move in episode.moves)
        for episode in imported.episodes
    ]
    assert round(fmean(spoken), 1) == 11.6


def test_deal_or_no_deal_comes_out_as_counted_from_the_file(shared: Path) -> None:
    text = gzip.decompress((shared / "dealornodeal_val.txt.gz").read_bytes()).decode()
    dialogues: dict[tuple[str, str], tuple[int, ...] | None] = {}
    for line in text.splitlines():
        mine, talk, output, theirs = re.findall(r"<\w+> (.*?) </\w+>", line)
        sides = [list(map(int, side.split())) for side in (mine, theirs)]
        if not talk.startswith("YOU"):
            sides.reverse()
            talk = re.sub("YOU:|THEM:", lambda who: "THEM:" if who[0] == "YOU:" else "YOU:", talk)
            output = " ".join([*output.split()[3:], *output.split()[:3]])
        if "<disconnect>" in output:
            continue
        got = [int(n) for n in re.findall(r"=(\d)", output)]
        worth = None
        if got:
            worth = tuple(
                sum(n * value for n, value in zip(part, side[1::2], strict=True))
                for part, side in zip((got[:3], got[3:]), sides, strict=True)
            )
        dialogues[talk, str(sides)] = worth
    imported = sotopia.import_deal_or_no_deal(shared)
    assert len(imported.episodes) == len(dialogues) == 559
    expected = sorted(worth or (0, 0) for worth in dialogues.values())
    assert sorted(scores(imported)) == [pytest.approx(both) for both in expected]
    agreed = sum(worth is not None for worth in dialogues.values())
    assert imported.lines[1] == (
        f"deals: {agreed} ({100 * agreed / 559:.1f} %); walked away: 0; mean points: "
        f"{sum(map(sum, expected)) / 1118:.2f}"
    )


def test_how_many_deals_of_the_split_at_hand_leave_nothing_on_the_table(shared: Path) -> None:
    """Lewis et al. (2017) call a deal Pareto optimal if neither side's points can rise without the
    other's falling. Counted in the validation split, over all divisions of the goods."""
    imported = sotopia.import_deal_or_no_deal(shared)
    optimal, points = 0, list[float]()
    for episode, judging in zip(imported.episodes, imported.judgings, strict=True):
        both = [v for v in judging.verdicts if isinstance(v, Score)]
        assert both[0].outcome is not None
        if not both[0].outcome["agreed"]:
            assert [v.value for v in both] == [0, 0]
            continue
        content = json.loads(episode.trial.task.content)
        (counts, mine), (_, theirs) = (
            (goal["facts"]["counts"].values(), goal["facts"]["values"].values())
            for goal in content["scenario"]["goals"]
        )
        got = tuple(v.value for v in both)
        points += got
        possible = [
            (
                sum(n * value for n, value in zip(kept, mine, strict=True)),
                sum((m - n) * v for m, n, v in zip(counts, kept, theirs, strict=True)),
            )
            for kept in product(*(range(count + 1) for count in counts))
        ]
        better = [p for p in possible if p[0] >= got[0] - 1e-9 and p[1] >= got[1] - 1e-9]
        optimal += max(map(sum, better)) <= sum(got) + 1e-9
    assert (optimal, len(points) / 2) == (343, 422)  # 81.3 %
    assert fmean(points) == pytest.approx(7.487, abs=5e-4)
