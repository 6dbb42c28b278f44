"""What holds in every SOTOPIA episode, whatever its players say and do."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from importlib.resources import as_file, files
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings, strategies as st

from event_strategies import texts
from sociolab.core import Action, Json, NoReply, Observation, Player, Reply, Request
from sociolab.prompting import PromptSet, load_set
from sociolab.testing import AnyPlayer, Exchange, WatchedPlayer, as_bytes, play_scene, play_task
from sociolab.worlds import sotopia
from sotopia_cases import (
    AGE,
    GENDER,
    GOAL,
    INNER,
    NAMES,
    OCCUPATION,
    PRONOUNS,
    PUBLIC,
    SECRET,
    casting,
    character,
    task_of,
    world,
)

STRANGER = sotopia.RelationshipType.STRANGER
ALL = tuple(sotopia.RelationshipType)
CLOSE = (
    sotopia.RelationshipType.FRIEND,
    sotopia.RelationshipType.ROMANTIC,
    sotopia.RelationshipType.FAMILY,
)

WORDS = (*(name for pair in NAMES for name in pair), "I am", "and", "hello,", "'s", ".", "\n", "—")
sentences = st.lists(st.sampled_from(WORDS) | texts(8), min_size=1, max_size=6).map(" ".join)
"""Sentences that often hold somebody's name."""


class Scripted:
    """Says and does what it is given, one after the other."""

    def __init__(self, actions: list[Action]) -> None:
        self._actions = actions

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return Reply((self._actions[request.turn % len(self._actions)],))


def observed(
    cast: sotopia.SceneCast, players: Mapping[str, Player], limit: int = 12
) -> list[Observation]:
    """All that anybody was shown."""
    found: list[Observation] = []

    def note(_: Request, heard: Exchange) -> None:
        found.append(heard.request.observation)

    scene = sotopia.SotopiaScene(cast, limit=limit)
    play_scene(scene, {seat: WatchedPlayer(player, note) for seat, player in players.items()})
    return found


def told(shown: Observation) -> str:
    """All that a seat can read in what it is shown, in text and in records."""
    return repr(shown)


spoken_or_done = st.builds(
    Action,
    st.sampled_from((sotopia.SPEAK, sotopia.NON_VERBAL, sotopia.PHYSICAL)),
    sentences.filter(lambda s: s.strip()),
)


@settings(max_examples=300)
@given(said=st.lists(spoken_or_done, min_size=1, max_size=8))
def test_a_strangers_name_is_shown_to_nobody_before_it_is_spoken(said: list[Action]) -> None:
    cast = casting(STRANGER)
    players = dict.fromkeys(("seat0", "seat1"), Scripted(said))
    for shown in observed(cast, players):
        other = 1 - int(shown.seat[-1])
        heard = [
            action.text
            for line in shown.history
            for action in line.actions
            if action.kind == sotopia.SPEAK
        ]
        for name in NAMES[other]:
            if not any(name in text for text in heard):
                assert name not in told(shown)


@given(done=st.lists(sentences.filter(lambda s: s.strip()), min_size=1, max_size=6))
def test_deeds_never_give_a_strangers_name_away(done: list[str]) -> None:
    actions = [
        Action(kind, text) for text in done for kind in (sotopia.PHYSICAL, sotopia.NON_VERBAL)
    ]
    for shown in observed(casting(STRANGER), dict.fromkeys(("seat0", "seat1"), Scripted(actions))):
        other = 1 - int(shown.seat[-1])
        assert not any(name in told(shown) for name in NAMES[other])
        assert shown.others == (sotopia.STRANGER_LABEL,)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", ALL)
def test_nobodys_secret_or_goal_is_shown_to_another(
    kind: sotopia.RelationshipType, seats: int
) -> None:
    cast = casting(kind, seats)
    players = dict.fromkeys(
        (person.id for person in cast.characters), AnyPlayer(leave_rate=0.02, whisper_rate=0.3)
    )
    shown_to = {person.id: 0 for person in cast.characters}
    for shown in observed(cast, players, limit=3 * seats):
        me = int(shown.seat[-1])
        shown_to[shown.seat] += 1
        assert f"{SECRET}{me}" in shown.head
        assert f"{GOAL}{me}" in shown.head
        for other in set(range(seats)) - {me}:
            assert f"{SECRET}{other}" not in told(shown)
            assert f"{GOAL}{other}" not in told(shown)
    assert all(shown_to.values())


PARTS = {
    "name": "Noah Berg",
    "occupation": f"{OCCUPATION}1",
    "pronouns": f"{PRONOUNS}1",
    "public information": f"{PUBLIC}1",
    "gender": f"{GENDER}1",
    "age": "32",
    "personality and values": f"{INNER}1",
    "secret": f"{SECRET}1",
}
ACQUAINTED = ("name", "occupation", "pronouns", "public information")
VISIBLE: dict[sotopia.RelationshipType, tuple[str, ...]] = {
    sotopia.RelationshipType.STRANGER: (),
    sotopia.RelationshipType.KNOWN_BY_NAME: ("name",),
    sotopia.RelationshipType.ACQUAINTANCE: ACQUAINTED,
    **dict.fromkeys(CLOSE, (*ACQUAINTED, "gender", "age", "personality and values")),
}


VISIBLE_BY_PACKAGE = {
    **VISIBLE,
    sotopia.RelationshipType.ACQUAINTANCE: (*ACQUAINTED, "gender", "age"),
}
"""The public code shows acquaintances more than section 2.1 says."""


@pytest.fixture(scope="module")
def by_package(tmp_path_factory: pytest.TempPathFactory) -> PromptSet:
    """A set that shows the scene as the public code tells it, and all of that."""
    folder = tmp_path_factory.mktemp("sets") / "theirs"
    with as_file(files(sotopia.PACKAGE) / "prompts" / "paper") as paper_set:
        shutil.copytree(paper_set, folder)
    (folder / "act_head.md").write_text("{{ scene }}\n{{ goal }}", "utf-8")
    return load_set(sotopia.PACKAGE, str(folder), sotopia.REQUIRED_TEMPLATES)


def marks(number: int) -> dict[str, str]:
    """What stands for each part of a person's profile."""
    return {
        part: mark.replace("Noah Berg", " ".join(NAMES[number])).replace("1", str(number))
        for part, mark in PARTS.items()
    } | {"age": str(31 + number)}


ties_of_four = st.fixed_dictionaries(
    {pair: st.sampled_from(ALL) for pair in combinations(range(4), 2)}
)


@given(seats=st.integers(2, 4), ties=ties_of_four)
@pytest.mark.parametrize("rule", ["section 2.1", "the public code"])
def test_each_seat_is_shown_of_each_other_what_the_rule_of_its_prompts_says(
    by_package: PromptSet,
    rule: str,
    seats: int,
    ties: dict[tuple[int, int], sotopia.RelationshipType],
) -> None:
    texts, visible = (
        (sotopia.paper_prompts(), VISIBLE)
        if rule == "section 2.1"
        else (by_package, VISIBLE_BY_PACKAGE)
    )
    cast = casting(seats=seats, kinds=ties)
    for me, other in permutations(range(seats), 2):
        shown = sotopia.SotopiaScene(cast, texts=texts).witness(f"seat{me}").observe(0)
        tie, parts = ties[min(me, other), max(me, other)], marks(other)
        text = f"{shown.head}\n{shown.tail}".casefold()  # the public code has pronouns in capitals
        seen = tuple(part for part, mark in parts.items() if mark.casefold() in text)
        assert seen == visible[tie]
        on_record = tuple(part for part, mark in parts.items() if mark in repr(shown.view))
        assert on_record == VISIBLE[tie], "records follow the paper under any prompts"
        assert f"{GOAL}{other}" not in repr(shown)
        assert AGE not in text


@given(seed=st.integers(0, 1000), kind=st.sampled_from(ALL), share=st.floats(0, 1))
def test_a_replay_from_any_prefix_equals_the_original(
    seed: int, kind: sotopia.RelationshipType, share: float
) -> None:
    task = task_of(casting(kind))
    players = dict.fromkeys(task.seats, AnyPlayer())
    whole = play_task(world(), task, players, seed=seed)
    cut = round(share * len(whole.events))
    again = play_task(world(), task, players, seed=seed, journal=whole.events[:cut])
    assert as_bytes(again.events) == as_bytes(whole.events)


@given(text=texts(80))
def test_a_turn_is_one_line_whatever_is_in_it(text: str) -> None:
    """Nobody writes a line of another, or a heading, into what others read."""
    for shown in observed(
        casting(), dict.fromkeys(("seat0", "seat1"), Scripted([Action(sotopia.SPEAK, text)])), 3
    ):
        for line in shown.history:
            assert len(line.text.splitlines()) == 1
            assert line.text.startswith("You: " if line.you else f"{line.who[0].upper()}")


@given(seats=st.integers(3, 5), seed=st.integers(0, 500))
def test_of_many_strangers_no_two_are_called_alike(seats: int, seed: int) -> None:
    cast = casting(STRANGER, seats)
    introduced = [Action(sotopia.SPEAK, f"I am {NAMES[n][0]}.") for n in range(seats)]
    players = {f"seat{n}": Scripted(introduced) for n in range(seats)}
    for shown in observed(cast, players):
        assert len(set(shown.others)) == len(shown.others) == seats - 1
        assert set(shown.others) == set(shown.view.others)


def test_there_are_all_kinds_of_action_in_these_episodes() -> None:
    """A guard for the tests above: what they play is not empty."""
    seen = set()
    for seed in range(20):
        task = task_of(casting())
        episode = play_task(world(), task, dict.fromkeys(task.seats, AnyPlayer()), seed=seed)
        seen |= {action.kind for move in episode.moves for action in move.actions}
    assert seen == {kind.name for kind in sotopia.ACTIONS.kinds}
    assert character(0).secret
