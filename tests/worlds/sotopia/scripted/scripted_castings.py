"""Small castings of every kind of goal, and ways to play them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sociolab.core.episode import Action, Event, Json, Moved
from sociolab.core.ports import NoReply, Player, Reply, Request
from sociolab.engine.drive import drive
from sociolab.engine.play import play
from sociolab.worlds.sotopia.profiles import (
    BigFive,
    Character,
    Level,
    Relationship,
    RelationshipType,
)
from sociolab.worlds.sotopia.scenarios import (
    AskGoal,
    DivisionGoal,
    Facts,
    Friend,
    FriendGoal,
    Goal,
    OptionGoal,
    PriceGoal,
    Scenario,
)
from sociolab.worlds.sotopia.scene import LEAVE, SPEAK, Casting, SotopiaScene
from sociolab.worlds.sotopia.scripted.player import ScriptedPlayer

NAMES = ("Mina", "Tobias")
SECRETS = (
    "Pawned the silver candelabra of a great-aunt to pay gambling debts in Macau.",
    "Plagiarised the prize-winning limerick from a dead lighthouse keeper's notebook.",
)


def character(
    index: int,
    *,
    agreeableness: Level = "average",
    conscientiousness: Level = "average",
    extraversion: Level = "average",
    neuroticism: Level = "average",
) -> Character:
    """The first or second person of a casting."""
    name = NAMES[index]
    return Character(
        id=name.lower(),
        first_name=name,
        last_name=("Okello", "Brandt")[index],
        gender="woman" if index == 0 else "man",
        pronouns="she/her" if index == 0 else "he/him",
        age=34 + index,
        occupation=("florist", "welder")[index],
        big_five=BigFive(
            openness="average",
            conscientiousness=conscientiousness,
            extraversion=extraversion,
            agreeableness=agreeableness,
            neuroticism=neuroticism,
        ),
        moral_values=("fairness",),
        schwartz_values=("security",),
        decision_style="analytical",
        secret=SECRETS[index],
    )


def firm(index: int) -> Character:
    """Somebody who hardly moves."""
    return character(index, agreeableness="low", conscientiousness="high", neuroticism="low")


def soft(index: int) -> Character:
    """Somebody who gives in."""
    return character(index, agreeableness="high", conscientiousness="low", neuroticism="high")


def casting(
    facts: Sequence[Facts | None],
    people: Sequence[Character] = (),
    relationship: RelationshipType = RelationshipType.STRANGER,
    context: str = "Two people meet at an annual charity event in a town hall.",
) -> Casting:
    """A casting of two with these goals."""
    a, b = people or (character(0), character(1))
    scenario = Scenario(
        id="tiny",
        family="other",
        context=context,
        goals=tuple(
            Goal(text=f"Nobody else is to know about plan {word}.", facts=fact)
            for word, fact in zip(("zebrawood", "quicksilver"), facts, strict=True)
        ),
        relationships=(relationship,),
    )
    tie = Relationship(a=a.id, b=b.id, type=relationship)
    return Casting(scenario=scenario, characters=(a, b), relationships=(tie,))


def prices(seller: float, buyer: float, listed: float = 200.0) -> tuple[PriceGoal, PriceGoal]:
    """A bargain, the seller first."""
    return (
        PriceGoal(role="seller", item="an oak writing desk", listed=listed, target=seller),
        PriceGoal(role="buyer", item="an oak writing desk", listed=listed, target=buyer),
    )


def goods() -> tuple[DivisionGoal, DivisionGoal]:
    """Goods which the two value differently."""
    counts = {"ropes": 2, "helmets": 3, "ice axes": 4}
    return (
        DivisionGoal(counts=counts, values={"ropes": 6, "helmets": 3, "ice axes": 1}),
        DivisionGoal(counts=counts, values={"ropes": 1, "helmets": 3, "ice axes": 5}),
    )


def lists() -> tuple[FriendGoal, FriendGoal]:
    """Two lists of friends which share Ulrike alone."""

    def friend(name: str, school: str, hobby: str, employer: str) -> Friend:
        return Friend(name=name, about={"school": school, "hobby": hobby, "employer": employer})

    ulrike = friend("Ulrike", "Fernley", "chess", "Kite Radio")
    return (
        FriendGoal(
            friends=(
                friend("Kofi", "Fernley", "archery", "Otter Law"),
                ulrike,
                friend("Jelena", "Upland", "chess", "Tern Shipping"),
                friend("Ramona", "Eastgate", "fencing", "Kite Radio"),
            )
        ),
        FriendGoal(
            friends=(
                friend("Bertil", "Fernley", "fencing", "Tern Shipping"),
                friend("Orla", "Dunmore", "chess", "Otter Law"),
                friend("Katya", "Upland", "archery", "Kite Radio"),
                ulrike,
            )
        ),
    )


def evenings(
    first: Sequence[float] = (9, 7, 4, 0), second: Sequence[float] = (0, 6, 8, 9)
) -> tuple[OptionGoal, OptionGoal]:
    """Four evenings and what each is worth to the two."""
    days = ("Monday", "Tuesday", "Thursday", "Sunday")
    aliases = {"Sunday": ("sundays", "sunday night")}

    def goal(values: Sequence[float]) -> OptionGoal:
        options = dict(zip(days, values, strict=True))
        return OptionGoal(subject="the evening for the choir", options=options, aliases=aliases)

    return goal(first), goal(second)


def cards() -> tuple[AskGoal, AskGoal]:
    """A wish and a counter-wish, with a middle that suits both."""
    return (
        AskGoal(
            ask="I would like to go on dictating quietly until five o'clock.",
            reasons=("I have to send this off today.", "I keep my voice as low as I can."),
            middle="I could move to the far corner and be done within the hour.",
        ),
        AskGoal(
            ask="Please stop talking in here; I came because this room is silent.",
            reasons=("I have read one page four times.", "My exam is tomorrow."),
            middle="If you go over to the far corner, I can bear it for an hour.",
        ),
    )


EVERY_KIND: dict[str, tuple[Facts | None, Facts | None]] = {
    "price": prices(120, 150),
    "division": goods(),
    "friend": lists(),
    "option": evenings(),
    "ask": cards(),
    "none": (None, None),
}


class Puppet:
    """A partner who says these lines, one a turn, and then leaves."""

    def __init__(self, *lines: str) -> None:
        self._lines = lines

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """The next line."""
        spoken = int(str(memory or 0))
        if spoken >= len(self._lines):
            return Reply((Action(LEAVE),), memory=spoken)
        return Reply((Action(SPEAK, self._lines[spoken]),), memory=spoken + 1)


def events(
    cast: Casting, seed: int = 0, trial: str = "trial", puppets: dict[str, Player] | None = None
) -> tuple[Event, ...]:
    """The events of the casting, played by rules where no puppet sits."""
    scene = SotopiaScene(cast)
    players: dict[str, Player] = {seat: ScriptedPlayer() for seat in scene.seats}
    found: list[Event] = []
    asyncio.run(
        drive(play(scene, trial=trial, seed=seed), {**players, **(puppets or {})}, found.append)
    )
    return tuple(found)


def moves(found: Sequence[Event]) -> list[Moved]:
    """The turns among these events."""
    return [event for event in found if isinstance(event, Moved)]


def said(found: Sequence[Event], seat: str = "") -> list[str]:
    """All texts of spoken words, or those of one seat."""
    return [
        action.text
        for move in moves(found)
        if not seat or move.seat == seat
        for action in move.actions
        if action.kind == SPEAK
    ]
