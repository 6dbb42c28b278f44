"""A party drawn by seed: traits from the tables, look and description from the grammar.

Everybody at a table has a class and a background of their own. The ideal is drawn to suit the
alignment. Abilities: four dice each, the lowest dropped, all six thrown anew until there is
something to be good at (13 or more) and something to be bad at (11 or less); the two highest go
where the class wants them, the others where they fall. A party is of one level, 1 to 5; hit points
and the number of spells follow from it as the SRD 5.1 has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.seeding import stream
from sociolab.worlds.anteval.party.tables import (
    PRONOUNS,
    Background,
    Class,
    DrawnCharacter,
    Leads,
    Names,
    PartyTables,
    Phrase,
    Spellcasting,
    Syllables,
    Trait,
    Voice,
    phrase,
    pick,
    render_phrase,
    sentence,
    tables,
)
from sociolab.worlds.anteval.session import ABILITIES, NPC, PartyMember

MOST_PLAYERS = 8

MOST_LEVEL = 5
_HIGH, _LOW = 13, 11
_WANTS = phrase("<they> want<s> to {goal}")


def draw_party(
    seed: int, session: int | str, players: int, *, npc: Collection[str] = ()
) -> tuple[PartyMember, ...]:
    """The characters of a session: "player-1", "player-2", ... and the NPC in the last seat.

    The same seed and session give the same people, however many further players there are. `npc`
    are the backgrounds that the NPC may have, any if there are none. ConfigError unless 1 to 8
    players are asked for.
    """
    drawn = draw_traits(seed, session, players, npc=npc)
    return tuple(_character(each, seed, session) for each in drawn)


def draw_traits(
    seed: int, session: int | str, players: int, *, npc: Collection[str] = ()
) -> tuple[DrawnCharacter, ...]:
    """The same party as entries of the tables; `draw_party` puts them into words."""
    if not 1 <= players <= MOST_PLAYERS:
        raise ConfigError(f"expected 1 to {MOST_PLAYERS} players, found {players}")
    table = tables()
    chance = stream(seed, "party", session)
    suitable = [row for row in table.backgrounds if row.name in npc] or table.backgrounds
    own = chance.choice(suitable)
    rest = [background for background in table.backgrounds if background is not own]
    backgrounds = [own, *chance.sample(rest, len(rest))]
    level = chance.randint(1, MOST_LEVEL)
    classes = chance.sample(table.classes, len(table.classes))
    seats = [NPC, *(f"player-{number}" for number in range(1, players + 1))]
    used_names: list[str] = []
    party = []
    for seat, kind, background in zip(
        seats, classes[: len(seats)], backgrounds[: len(seats)], strict=True
    ):
        drawn = _draw(
            table, stream(seed, "party", session, seat), seat, kind, background, level, used_names
        )
        used_names.append(drawn.first_name)
        party.append(drawn)
    return (*party[1:], party[0])


def _draw(
    table: PartyTables,
    chance: Random,
    seat: str,
    kind: Class,
    background: Background,
    level: int,
    used_names: Sequence[str],
) -> DrawnCharacter:
    race = pick(table.races, chance)
    pronouns = pick(PRONOUNS, chance)
    weights = [alignment.weight for alignment in table.alignments]
    alignment = chance.choices(table.alignments, weights)[0]
    name = full_name(table.names, race.name, chance, used_names)
    tie = first_name(table.names.friends, chance, (name,))
    contact = first_name(table.names.friends, chance, (name, tie))
    abilities = _abilities(kind, chance)
    return DrawnCharacter(
        seat=seat,
        name=name,
        pronouns=pronouns,
        race=race,
        kind=kind,
        background=background,
        alignment=alignment,
        abilities=abilities,
        level=level,
        hit_points=hit_points(kind.hit_die, level, abilities["constitution"]),
        spells=_spells(kind.casts, level, abilities, chance) if kind.casts else (),
        personality=tuple(chance.sample(background.personality, 2)),
        ideal=pick(suitable_ideals(background, alignment.name), chance),
        bond=pick(background.bonds, chance),
        flaw=pick(background.flaws, chance),
        goal=pick(table.goals, chance),
        contact=contact,
        tie=tie,
        town=invent_name(table.names.towns, chance),
    )


def suitable_ideals(background: Background, alignment: str) -> list[Trait]:
    """The ideals that go with a word of the alignment, or with any."""
    words = (*alignment.split(), "any")
    return [ideal for word in words for ideal in background.ideals.get(word, ())]


def _abilities(kind: Class, chance: Random) -> dict[str, int]:
    rolls = _rolls(chance)
    while rolls[0] < _HIGH or rolls[-1] > _LOW:
        rolls = _rolls(chance)
    rest = [ability for ability in ABILITIES if ability not in kind.best]
    order = (*kind.best, *chance.sample(rest, len(rest)))
    scores = dict(zip(order, rolls, strict=True))
    return {ability: scores[ability] for ability in ABILITIES}


def modifier(score: int) -> int:
    """What an ability adds to a roll: 0 at 10 or 11, 1 more for every two points above."""
    return (score - 10) // 2


def hit_points(die: int, level: int, constitution: int) -> int:
    """All of the hit die at the first level, its rounded mean at each further one (SRD 5.1).

    Constitution counts at every level, and a level is worth one point at least.
    """
    gains = (die, *[die // 2 + 1] * (level - 1))
    return sum(max(1, gain + modifier(constitution)) for gain in gains)


def _spells(
    casts: Spellcasting, level: int, abilities: dict[str, int], chance: Random
) -> tuple[str, ...]:
    """So many cantrips and spells as a class has at this level, the simplest first."""
    if casts.half and level == 1:
        return ()
    prepared = (level // 2 if casts.half else level) + modifier(abilities[casts.ability])
    count = casts.known[level - 1] if casts.known else max(1, prepared)
    highest = (level + 3) // 4 if casts.half else (level + 1) // 2
    within_reach = [spell for spells in casts.spells[:highest] for spell in spells]
    chosen = set(chance.sample(within_reach, min(count, len(within_reach))))
    cantrips = casts.cantrips_known[level - 1] if casts.cantrips_known else 0
    return (
        *chance.sample(casts.cantrips, cantrips),
        *(spell for spell in within_reach if spell in chosen),
    )


def _rolls(chance: Random) -> list[int]:
    """Six rolls of four dice without the lowest, highest first."""
    dice = [int(chance.random() * 6) + 1 for _ in range(24)]
    throws = (dice[at : at + 4] for at in range(0, 24, 4))
    return sorted((sum(four) - min(four) for four in throws), reverse=True)


def _character(drawn: DrawnCharacter, seed: int, session: int | str) -> PartyMember:
    voice = drawn.voice()
    telling = stream(seed, "party", session, drawn.seat, "telling")
    return PartyMember(
        id=drawn.seat,
        name=drawn.name,
        pronouns=drawn.pronouns.label,
        race=drawn.race.name,
        class_name=drawn.kind.name,
        background=drawn.background.name,
        alignment=drawn.alignment.name,
        level=drawn.level,
        hit_points=drawn.hit_points,
        hit_dice=f"{drawn.level}d{drawn.kind.hit_die}",
        spells=drawn.spells,
        abilities=drawn.abilities,
        personality=tuple(sentence(render_phrase(trait[0], voice)) for trait in drawn.personality),
        ideal=sentence(render_phrase(drawn.ideal[0], voice)),
        bond=sentence(render_phrase(drawn.bond[0], voice)),
        flaw=sentence(render_phrase(drawn.flaw[0], voice)),
        goal=sentence(render_phrase(_WANTS, voice, {"goal": drawn.goal})),
        look=look(drawn, telling),
        description=description(drawn, telling),
    )


_ALIKE = 2
"""Names that share so many first letters are alike."""

_TRIPLED = re.compile(r"(.)\1\1", re.IGNORECASE)
_SHORTEST, _LONGEST = 4, 9
"""Letters of a first name."""


def invent_name(syllables: Syllables, chance: Random) -> str:
    """One name of this grammar, with no letter three times in a row."""
    while True:
        start, middle = pick(syllables.start, chance), pick(syllables.middle, chance)
        name = start + middle + pick(syllables.end, chance)
        if not _TRIPLED.search(name):
            return name


def first_name(syllables: Syllables, chance: Random, used_names: Collection[str]) -> str:
    """A name that is not like one of those taken: its first two letters are others than theirs."""
    beginnings = {name[:_ALIKE].casefold() for name in used_names}
    while True:
        name = invent_name(syllables, chance)
        if _SHORTEST <= len(name) <= _LONGEST and name[:_ALIKE].casefold() not in beginnings:
            return name


def full_name(names: Names, race: str, chance: Random, used_names: Collection[str]) -> str:
    first = first_name(names.first[race], chance, used_names)
    return f"{first} {invent_name(names.second[race], chance)}"


SHORTEST, LONGEST = 90, 160
"""Words of a description."""


_LENGTHS = (115, 148)
"""Up to how many words a description is filled, more or less."""

_LEAD = 0.3
_LEAD_BETWEEN_SUBJECTS = 0.7
"""How likely a lead is, as a rule and where two sentences in a row would begin alike."""

_JOINED = 0.6
_SHORT = 11
"""How likely two short sentences become one, and words that are short."""

_STOPS = frozenset(".:;?")
_GOAL_LAST = 0.5
_FULL_NAME = 0.7
_NAME_AGAIN = (0.0, 0.1, 0.4, 0.7, 1.0)
"""How likely the name stands for the pronoun, by the number of sentences since it last did."""

_PLAIN = phrase("{text}")


@dataclass(frozen=True, slots=True)
class _Part:
    """One sentence to be: a frame, what fills it, and leads that may stand before it.

    Two parts of one theme may become one sentence.
    """

    frame: Phrase
    fills: dict[str, str | Phrase]
    leads: Leads | None = None
    theme: str = ""
    contact: bool = False

    @property
    def subject_first(self) -> bool:
        filled = self.fills.get("text", self.fills.get("strong"))
        if self.frame is _PLAIN and isinstance(filled, Phrase):
            return filled.subject_first
        return self.frame.subject_first

    @property
    def word_count(self) -> int:
        return self.frame.words + sum(
            (value.words if isinstance(value, Phrase) else value.count(" ") + 1) - 1
            for value in self.fills.values()
        )


def look(drawn: DrawnCharacter, chance: Random) -> str:
    """What the others see: race, build, dress and manner, in one sentence; nothing private."""
    frames = tables().frames
    race = drawn.race
    built = f"{pick(race.build, chance)} {race.name.lower()}"
    slots: dict[str, str | Phrase] = {
        "built": with_article(built),
        "feature": pick(race.feature, chance),
        "dress": pick(drawn.kind.dress, chance),
        "bearing": pick(frames.bearing, chance),
    }
    return sentence(render_phrase(pick(frames.look, chance), drawn.voice(), slots))


def description(drawn: DrawnCharacter, chance: Random) -> str:
    """Prose of 90 to 160 words that agrees with all the traits."""
    for _ in range(50):
        text = _prose(drawn, _parts(drawn, chance), chance)
        if SHORTEST <= text.count(" ") + 1 <= LONGEST:
            return text
    raise WorldError(
        f"expected a description of {SHORTEST} to {LONGEST} words, found none in 50 attempts for "
        f"the background {drawn.background.name}: change the length of its lines"
    )


def with_article(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def strongest_and_weakest(abilities: dict[str, int], chance: Random) -> tuple[str, str]:
    """Ties are broken at random."""
    high, low = max(abilities.values()), min(abilities.values())
    return (
        pick([ability for ability, score in abilities.items() if score == high], chance),
        pick([ability for ability, score in abilities.items() if score == low], chance),
    )


def _parts(drawn: DrawnCharacter, chance: Random) -> list[_Part]:
    """The sentences in order: every trait, and fillers after the one that says who this is."""
    identity = _identity(drawn, chance)
    goal = _Part(pick(tables().goal_frames, chance), {"goal": drawn.goal})
    traits = _traits(drawn, chance)
    chance.shuffle(traits)
    if chance.random() < _GOAL_LAST:
        traits.append(goal)
    else:
        traits.insert(int(chance.random() * len(traits)), goal)
    place = chance.choices((0, 1, 2), (6, 3, 1))[0]
    parts = [*traits[:place], identity, *traits[place:]]
    words = sum(part.word_count for part in parts)
    target = chance.randint(*_LENGTHS)
    frames, background = tables().frames, drawn.background
    fillers = [
        _Part(_PLAIN, {"text": pick(drawn.race.upbringing, chance)}),
        _Part(_PLAIN, {"text": pick(drawn.kind.training, chance)}),
        _Part(pick(frames.carries, chance), {"carries": pick(background.carries, chance)}),
        _Part(pick(frames.knows, chance), {"knows": pick(background.knows, chance)}, contact=True),
    ]
    chance.shuffle(fillers)
    for filler in fillers:
        if words + filler.word_count <= target:
            # Never last: a description ends with what drives the character.
            parts.insert(chance.randint(place + 1, len(parts) - 1), filler)
            words += filler.word_count
    return parts


def _identity(drawn: DrawnCharacter, chance: Random) -> _Part:
    race, kind = drawn.race.name.lower(), drawn.kind.name.lower()
    background = drawn.background.name.lower()
    fills: dict[str, str | Phrase] = {
        "kind": with_article(f"{race} {kind}"),
        "race": with_article(race),
        "class": with_article(kind),
        "bare_class": kind,
        "background": with_article(background),
        "bare_background": background,
        "did": pick(drawn.background.did, chance),
    }
    frame = pick(tables().frames.identity, chance)
    used = {text for kind_, text in frame.pieces if kind_ == "slot"}
    return _Part(frame, {slot: fills[slot] for slot in fills if slot in used})


def _traits(drawn: DrawnCharacter, chance: Random) -> list[_Part]:
    table = tables()
    wordings: list[tuple[str, Trait]] = [
        *(("personality", trait) for trait in drawn.personality),
        ("ideal", drawn.ideal),
        ("bond", drawn.bond),
        ("flaw", drawn.flaw),
    ]
    parts = [
        _Part(_PLAIN, {"text": pick(trait, chance)}, table.frames.leads[name], name)
        for name, trait in wordings
    ]
    attitude = _Part(_PLAIN, {"text": pick(drawn.alignment.attitude, chance)})
    strongest, weakest = strongest_and_weakest(drawn.abilities, chance)
    fills: dict[str, str | Phrase] = {
        "strong": pick(table.abilities[strongest].strong, chance),
        "weak": pick(table.abilities[weakest].weak, chance),
    }
    return [*parts, attitude, _Part(pick(table.frames.abilities, chance), fills)]


def _prose(drawn: DrawnCharacter, parts: list[_Part], chance: Random) -> str:
    """The sentences, the first with the name; further on a name or a lead now and then."""
    opening = parts[0]
    voice = drawn.voice(contact=opening.contact, full=chance.random() < _FULL_NAME)
    sentences = [sentence(render_phrase(opening.frame, voice, opening.fills, named=True))]
    since, subject, theme = 0, opening.subject_first, opening.theme
    for part in parts[1:]:
        voice = drawn.voice(contact=part.contact)
        text = render_phrase(part.frame, voice, part.fills)
        alike = part.theme != "" and part.theme == theme
        theme = part.theme
        if alike and _joins(sentences[-1], part, text) and chance.random() < _JOINED:
            sentences[-1] = sentence(f"{sentences[-1][:-1]}; {text}")
            since, subject = since + 1, False
            continue
        if named := chance.random() < _NAME_AGAIN[min(since, 4)]:
            text = render_phrase(part.frame, voice, part.fills, named=True)
        likely = _LEAD_BETWEEN_SUBJECTS if subject and part.subject_first else _LEAD
        lead = _lead(part, text, voice, chance, likely)
        sentences.append(sentence(lead + text))
        since = 0 if named else since + 1
        subject = part.subject_first and not lead
    return " ".join(sentences)


def _joins(before: str, part: _Part, text: str) -> bool:
    """Whether two short sentences may be one, with a semicolon."""
    return (
        part.subject_first
        and before.count(" ") < _SHORT
        and text.count(" ") < _SHORT
        and not _STOPS.intersection(before[:-1] + text[:-1])
    )


def _lead(part: _Part, text: str, voice: Voice, chance: Random, likely: float) -> str:
    if part.leads is None or chance.random() >= likely:
        return ""
    # A lead that ends in a colon goes before no text that has one of its own.
    leads = part.leads.that if part.subject_first else ()
    leads += () if ":" in text else part.leads.any
    return render_phrase(pick(leads, chance), voice) if leads else ""
