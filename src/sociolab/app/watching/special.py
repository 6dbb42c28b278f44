"""What only some worlds have to show beside a transcript: facts and their ways, conditions met."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.app.watching.reading import Reading, Said
from sociolab.core.episode import Episode
from sociolab.store.sqlite import Store
from sociolab.worlds.anteval.information.record import FactWay, learned
from sociolab.worlds.stss.talk.quoted import LEVELS, OF_TALK, findings_of


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
class Conditions:
    """What one judge found in the talk, or in the note."""

    judge: str
    where: str
    met: tuple[Met, ...]


def facts_of(episode: Episode) -> tuple[FactWay, ...]:
    """Who learned which fact when, as far as it is on record; nothing in worlds without facts."""
    return learned(episode) if episode.trial.world == "anteval-information" else ()


def told_in_turns(facts: tuple[FactWay, ...]) -> dict[int, tuple[str, ...]]:
    """The facts that were said in each turn, which counts from 1."""
    found: dict[int, tuple[str, ...]] = {}
    for way in facts:
        for turn in dict.fromkeys(one.turn + 1 for one in way.told):
            found[turn] = (*found.get(turn, ()), way.fact)
    return found


def conditions_of(store: Store, run: str, read: Reading) -> tuple[Conditions, ...]:
    """What judges found of each goal condition; nothing in worlds without conditions."""
    episode = read.episode
    if episode.trial.world != "stss-talk":
        return ()
    found = []
    for row in store.judgings(run, trial=episode.trial.id):
        for verdict in row.verdicts:
            findings = findings_of(episode, verdict)
            if findings:
                spoken = verdict.measure.name in OF_TALK
                met = tuple(
                    Met(
                        one.condition.text,
                        one.met,
                        one.quote,
                        _line_of(read, one.quote) if spoken else None,
                    )
                    for one in findings
                )
                judge = f"{row.judge.name} ({row.judge.method})"
                found.append(Conditions(judge, LEVELS[verdict.measure.name], met))
    return tuple(found)


def _line_of(read: Reading, quote: str) -> int | None:
    """The first turn whose words hold the quote, whatever the white space."""
    wanted = " ".join(quote.split())
    if not wanted:
        return None
    lines = (item for item in read.course if isinstance(item, Said))
    return next((one.number for one in lines if wanted in " ".join(one.text.text.split())), None)
