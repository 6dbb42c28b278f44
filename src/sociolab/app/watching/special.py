"""What only some worlds have to show beside a transcript: facts and their ways, conditions met."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.app.registry import known_world
from sociolab.app.watching.reading import Reading, Said
from sociolab.plugin.shown import Beside, FactWay
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class Met:
    """A condition in a talk or in the note of it, as one judge found it; `quote` may be "".

    `line` is the number of the turn that holds the quote, None where none does.
    """

    condition: str
    met: bool
    quote: str
    line: int | None


@dataclass(frozen=True, slots=True)
class JudgedConditions:
    """What one judge found in the talk, or in the note."""

    judge: str
    where: str
    met: tuple[Met, ...]


def beside(store: Store, run: str, read: Reading) -> Beside:
    """What the world has to show beside this episode; nothing where it is not installed."""
    episode = read.episode
    world = known_world(episode.trial.world)
    if world is None or world.beside is None:
        return Beside()
    return world.beside(episode, tuple(store.verdicts.judgings(run, trial=episode.trial.id)))


def told_in_turns(facts: tuple[FactWay, ...]) -> dict[int, tuple[str, ...]]:
    """The facts that were said in each turn, which counts from 1."""
    found: dict[int, tuple[str, ...]] = {}
    for way in facts:
        for turn in dict.fromkeys(one.turn + 1 for one in way.told):
            found[turn] = (*found.get(turn, ()), way.fact)
    return found


def conditions_of(shown: Beside, read: Reading) -> tuple[JudgedConditions, ...]:
    """What judges found of each condition, with the turns that hold what they quote."""
    return tuple(
        JudgedConditions(
            one.judge,
            one.where,
            tuple(
                Met(
                    met.text, met.met, met.quote, _line_of(read, met.quote) if one.in_talk else None
                )
                for met in one.found
            ),
        )
        for one in shown.conditions
    )


def _line_of(read: Reading, quote: str) -> int | None:
    """The first turn whose words hold the quote, whatever the white space."""
    wanted = " ".join(quote.split())
    if not wanted:
        return None
    lines = (item for item in read.course if isinstance(item, Said))
    return next((one.number for one in lines if wanted in " ".join(one.text.text.split())), None)
