"""A party drawn by seed: traits from the tables, look and description from the grammar.

Everybody at a table has a class and a background of their own. The ideal is drawn to suit the
alignment. Abilities: four dice each, the lowest dropped, all six thrown anew until there is
something to be good at (13 or more) and something to be bad at (11 or less); the two highest go
where the class wants them, the others where they fall.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from sociolab.core.errors import ConfigError
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.party.describing import description, look
from sociolab.worlds.anteval.party.names import first_name, full_name, invented
from sociolab.worlds.anteval.party.phrases import PRONOUNS, phrase, sentence, told
from sociolab.worlds.anteval.party.tables import Background, Class, Tables, Trait, pick, tables
from sociolab.worlds.anteval.party.traits import Drawn
from sociolab.worlds.anteval.session import NPC, Character
from sociolab.worlds.anteval.skills import ABILITIES

MOST_PLAYERS = 8

_LEARNED = 4
"""How many times as likely as another a background of the learned is the NPC's."""

_HIGH, _LOW = 13, 11
_WANTS = phrase("<they> want<s> to {goal}")


def draw_party(seed: int, session: int | str, players: int) -> tuple[Character, ...]:
    """The characters of a session: "player-1", "player-2", ... and the NPC in the last seat.

    The same seed and session give the same people, however many further players there are.
    ConfigError unless 1 to 8 players are asked for.
    """
    return tuple(_character(drawn, seed, session) for drawn in draw_traits(seed, session, players))


def draw_traits(seed: int, session: int | str, players: int) -> tuple[Drawn, ...]:
    """The same party as entries of the tables, before it is told."""
    if not 1 <= players <= MOST_PLAYERS:
        raise ConfigError(f"expected 1 to {MOST_PLAYERS} players, found {players}")
    table = tables()
    chance = stream(seed, "party", session)
    backgrounds = _shuffled_for_npc(table.backgrounds, chance)
    classes = chance.sample(table.classes, len(table.classes))
    seats = [NPC, *(f"player-{number}" for number in range(1, players + 1))]
    taken: list[str] = []
    party = []
    for seat, kind, background in zip(
        seats, classes[: len(seats)], backgrounds[: len(seats)], strict=True
    ):
        drawn = _draw(table, stream(seed, "party", session, seat), seat, kind, background, taken)
        taken.append(drawn.first_name)
        party.append(drawn)
    return (*party[1:], party[0])


def _shuffled_for_npc(backgrounds: Sequence[Background], chance: Random) -> list[Background]:
    """In random order, the NPC's first."""
    weights = [_LEARNED if background.learned else 1 for background in backgrounds]
    npc = chance.choices(backgrounds, weights)[0]
    others = [background for background in backgrounds if background is not npc]
    return [npc, *chance.sample(others, len(others))]


def _draw(
    table: Tables,
    chance: Random,
    seat: str,
    kind: Class,
    background: Background,
    taken: Sequence[str],
) -> Drawn:
    race = pick(table.races, chance)
    pronouns = pick(PRONOUNS, chance)
    weights = [alignment.weight for alignment in table.alignments]
    alignment = chance.choices(table.alignments, weights)[0]
    name = full_name(table.names, race.name, chance, taken)
    tie = first_name(table.names.friends, chance, (name,))
    contact = first_name(table.names.friends, chance, (name, tie))
    return Drawn(
        seat=seat,
        name=name,
        pronouns=pronouns,
        race=race,
        kind=kind,
        background=background,
        alignment=alignment,
        abilities=_abilities(kind, chance),
        personality=tuple(chance.sample(background.personality, 2)),
        ideal=pick(suiting(background, alignment.name), chance),
        bond=pick(background.bonds, chance),
        flaw=pick(background.flaws, chance),
        goal=pick(table.goals, chance),
        contact=contact,
        tie=tie,
        town=invented(table.names.towns, chance),
    )


def suiting(background: Background, alignment: str) -> list[Trait]:
    """The ideals of this background that go with an alignment."""
    words = (*alignment.split(), "any")
    return [ideal for word in words for ideal in background.ideals.get(word, ())]


def _abilities(kind: Class, chance: Random) -> dict[str, int]:
    rolls = _rolls(chance)
    while rolls[0] < _HIGH or rolls[-1] > _LOW:
        rolls = _rolls(chance)
    others = [ability for ability in ABILITIES if ability not in kind.best]
    order = (*kind.best, *chance.sample(others, len(others)))
    scores = dict(zip(order, rolls, strict=True))
    return {ability: scores[ability] for ability in ABILITIES}


def _rolls(chance: Random) -> list[int]:
    """Six times four dice, the lowest dropped; highest first."""
    dice = [int(chance.random() * 6) + 1 for _ in range(24)]
    throws = (dice[at : at + 4] for at in range(0, 24, 4))
    return sorted((sum(four) - min(four) for four in throws), reverse=True)


def _character(drawn: Drawn, seed: int, session: int | str) -> Character:
    voice = drawn.voice()
    telling = stream(seed, "party", session, drawn.seat, "telling")
    return Character(
        id=drawn.seat,
        name=drawn.name,
        pronouns=drawn.pronouns.label,
        race=drawn.race.name,
        class_name=drawn.kind.name,
        background=drawn.background.name,
        alignment=drawn.alignment.name,
        abilities=drawn.abilities,
        personality=tuple(sentence(told(trait[0], voice)) for trait in drawn.personality),
        ideal=sentence(told(drawn.ideal[0], voice)),
        bond=sentence(told(drawn.bond[0], voice)),
        flaw=sentence(told(drawn.flaw[0], voice)),
        goal=sentence(told(_WANTS, voice, {"goal": drawn.goal})),
        look=look(drawn, telling),
        description=description(drawn, telling),
    )
