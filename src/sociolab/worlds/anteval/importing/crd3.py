"""Labelled examples from CRD3's transcripts: who was asked for a check, and the play before it."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sociolab.report.words import percent
from sociolab.worlds.anteval.importing.crd3_speech import (
    ShowEpisode,
    Signal,
    SpokenTurn,
    announcements,
    checked_skills,
    episode_files,
    named_at,
    own_voice,
    read_episode,
    reported_total,
    requests,
    sentences,
)
from sociolab.worlds.anteval.importing.dnd import ImportedPlay, keep
from sociolab.worlds.anteval.session import PACKAGE, SKILLS
from sociolab.worlds.anteval.virtual_dm.example import (
    DM,
    HALF_WINDOW,
    Example,
    Label,
    Turn,
)

CONTEXT = 30
"""An example holds at most so many turns."""

CUT = 6
"""A context ends at most so many turns before the request, where the skill is named early."""

OPENERS = 3
"""So many words before a request ("Okay.", a name) belong to it, not to the play."""

NEAR = 3
"""In the last turns of a context the skill must not be named as a check."""


HAND_CHECK = (85, 88)
HAND_CHECKED = ("C1E049", "C2E012")
"""So many of the examples of these episodes had no wrong label, when a reader read both in full
before the rules that came of their faults were added."""


def hand_checked() -> str:
    """How far labels that rules make can be trusted, and what that was read in."""
    from scipy.stats import binomtest

    right, read = HAND_CHECK
    wilson = binomtest(right, read).proportion_ci(method="wilson")
    return (
        f"checked by hand in {' and '.join(HAND_CHECKED)} only: {right} of {read} examples had no "
        f"wrong label ({percent(right / read, 1)}, 95 % interval {percent(wilson.low, 1)} to "
        f"{percent(wilson.high, 1)})"
    )


def import_crd3(source: Path, target: Path) -> tuple[str, ...]:
    """Import a clone of CRD3, its cleaned or aligned data, or one file; returns lines to print."""
    files = episode_files(source)
    examples: list[Example] = []
    read: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    nobodies: dict[str, list[str]] = {}
    for file in files:
        episode = read_episode(file)
        extracted = extract(episode)
        examples += extracted.examples
        for speaker in extracted.nobodies:
            nobodies.setdefault(speaker, []).append(episode.id)
        dropped.update(extracted.dropped)
        read.update({"episodes": 1, "turns": len(episode.turns)})
    read["exchanges about a check"] = len(examples) + dropped.total()
    play = ImportedPlay("crd3", tuple(examples), read, dict(dropped.most_common()), "CC BY-SA 4.0")
    lines = [*keep(play, source, files, target), hand_checked()]
    if nobodies:
        listing = "; ".join(f"{name} ({', '.join(ids)})" for name, ids in sorted(nobodies.items()))
        lines.append(f"no candidates, since crd3_cast.toml has no character of theirs: {listing}")
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class Extracted:
    """The examples of an episode, and how many exchanges gave none, by reason.

    `nobodies` speak as often as players and play nobody (crew, visitors).
    """

    examples: tuple[Example, ...]
    dropped: Mapping[str, int]
    nobodies: tuple[str, ...] = ()


def extract(episode: ShowEpisode, facts: CastFacts | None = None) -> Extracted:
    """All examples that an episode gives; `facts` of who plays whom, of CRD3 if none are given."""
    cast = cast_of(episode, facts)
    dropped: Counter[str] = Counter()
    examples = []
    past = -1
    every = exchanges(episode, cast)
    borders = [*(later.first.turn for later in every[1:]), len(episode.turns)]
    for exchange, border in zip(every, borders, strict=False):
        result = _example(episode, cast, exchange, past)
        past = exchange.end if exchange.reports else past
        if isinstance(result, Example):
            examples.append(replace(result, after=_after(episode.turns, cast, exchange, border)))
        else:
            dropped[result] += 1
    return Extracted(tuple(examples), dropped, cast.nobodies)


def _example(episode: ShowEpisode, cast: Cast, exchange: CheckExchange, past: int) -> Example | str:
    """The example of an exchange, or why it gives none. `past` is the end of the one before."""
    if exchange.fault:
        return exchange.fault
    who = rollers(episode.turns, cast, exchange)
    if who.fault:
        return who.fault
    cut = _cut(episode.turns, exchange, past)
    if cut is None:
        return "skill just checked before"
    turns = _context(episode.turns, cast, *cut)
    if not turns:
        return "no play before"
    skill = exchange.skill
    return Example(
        id=f"{episode.id}_{exchange.first.turn:05d}",
        group=episode.id,
        turns=turns,
        candidates=tuple(cast.characters.values()),
        labels=frozenset(Label(cast.characters[player], skill) for player in who.players),
        strict=who.grade != "C" and all(named_at(skill, turn.text) is None for turn in turns),
    )


def _cut(turns: Sequence[SpokenTurn], exchange: CheckExchange, past: int) -> tuple[int, int] | None:
    """The turn and the character at which the context ends; None where it cannot be clean."""
    turn, start = exchange.first.turn, exchange.first.start
    skill = exchange.skill
    for number in range(turn, max(past, turn - CUT - 1, -1), -1):
        text = turns[number].text[: start if number == turn else None]
        for sentence in sentences(text):
            if named_at(skill, sentence.words) is not None:
                turn, start = number, sentence.start
                break
    near = [turns[number].text for number in range(max(0, turn - NEAR), turn)]
    near.append(turns[turn].text[:start])
    if any(skill in checked_skills(text.casefold()) for text in near):
        return None
    return turn, start


def _context(turns: Sequence[SpokenTurn], cast: Cast, turn: int, start: int) -> tuple[Turn, ...]:
    partial = re.sub(r"[\s\"-]+$", "", turns[turn].text[:start])
    spoken = list(turns[max(0, turn - CONTEXT) : turn])
    if len(partial.split()) > OPENERS:
        spoken.append(SpokenTurn(turns[turn].speaker, partial))
    return tuple(Turn(_voice(each.speaker, cast), each.text) for each in spoken if each.text)[
        -CONTEXT:
    ]


def _after(
    turns: Sequence[SpokenTurn], cast: Cast, exchange: CheckExchange, border: int
) -> tuple[Turn, ...]:
    """The play after the roll, up to the next request, without what the DM makes of the roll."""
    start = exchange.end + 1
    while start < border and turns[start].speaker == cast.dm:
        start += 1
    spoken = turns[start : min(border, start + HALF_WINDOW)]
    return tuple(Turn(_voice(each.speaker, cast), each.text) for each in spoken if each.text)


def _voice(speaker: str, cast: Cast) -> str:
    return DM if speaker == cast.dm else cast.characters.get(speaker, speaker)


SPEAKS = 25
"""Whoever speaks in fewer turns is not counted as sitting at the table."""


class CastSeat(BaseModel):
    """Who plays whom, from which episode to which."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    campaign: int
    player: str
    character: str
    also: tuple[str, ...] = ()
    first: Annotated[int, Field(alias="from")] = 1
    last: Annotated[int, Field(alias="to")] = 10_000


class CastFacts(BaseModel):
    """Who plays whom in all campaigns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dm: str
    companions: tuple[str, ...]
    seats: tuple[CastSeat, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """The table of an episode. `characters` by player, in the order in which they first speak.

    `names` tells which player is meant by a name in lower case; `companions` are animals and
    things that a player rolls for, `nobodies` speakers who play none.
    """

    dm: str
    characters: Mapping[str, str]
    names: Mapping[str, str]
    companions: tuple[str, ...]
    nobodies: tuple[str, ...] = ()


def cast_of(episode: ShowEpisode, facts: CastFacts | None = None) -> Cast:
    """The DM and the players who speak in at least `SPEAKS` turns and have a character."""
    facts = facts or _facts()
    spoken = Counter(turn.speaker for turn in episode.turns)
    seats = {
        seat.player: seat
        for seat in facts.seats
        if seat.campaign == episode.campaign and seat.first <= episode.number <= seat.last
    }
    speakers = [
        speaker
        for speaker, turns in spoken.items()
        if turns >= SPEAKS and speaker not in (facts.dm, "ALL") and "&" not in speaker
    ]
    players = [seats[speaker] for speaker in speakers if speaker in seats]
    return Cast(
        dm=facts.dm,
        characters={seat.player: seat.character for seat in players},
        names={
            name.casefold(): seat.player
            for seat in players
            for name in (seat.player, seat.character, *seat.also)
        },
        companions=tuple(name.casefold() for name in facts.companions),
        nobodies=tuple(speaker for speaker in speakers if speaker not in seats),
    )


@lru_cache(maxsize=1)
def _facts() -> CastFacts:
    text = files(PACKAGE).joinpath("data", "crd3_cast.toml").read_text("utf-8")
    return CastFacts.model_validate(tomllib.loads(text))


JOINS = 6
"""A request this many turns after the last one, with no roll between, is of one exchange, ..."""

JOINS_SAME = 10
"""... and one for the same skill even so many turns after."""

PATIENCE = 10
"""How many turns after the request the first total may come, and ..."""

GAP = 5
"""... how many after one total the next."""

NARRATES = 10
"""With more words than this, and without a question, the DM has left the exchange behind."""

# A roll that is no skill check (save, attack, damage, bare ability), or the next turn of a fight.
_OTHER_ROLL = re.compile(
    r"saving throw|\bsaves?\b|initiative|\bdamage\b|to hit|hit dice|hit die|percentile|"
    r"\battack rolls?\b|\b(?:roll|make) (?:an?|the|your|for|another) (?:\w+ )?attacks?\b|"
    r"\byou're up\b|\bends (?:your|\w+'s) (?:turn|go)\b|"
    r"\bd(?:4|6|8|10|12|20|100)\b|"
    r"\b(?:strength|dexterity|constitution|intelligence|wisdom|charisma)"
    r"(?: (?:check|roll|modifier|score))?\b|\bstraight roll\b|\bluck\b"
)


@dataclass(frozen=True, slots=True)
class Report:
    """A player says what the roll came to, in turn `turn`; `natural`: what the die shows."""

    player: str
    turn: int
    total: int
    natural: bool


@dataclass(frozen=True, slots=True)
class CheckExchange:
    """The signals of one check, in order, and the totals that were reported; `fault` why not."""

    signals: tuple[Signal, ...]
    reports: tuple[Report, ...]
    fault: str | None = None

    @property
    def first(self) -> Signal:
        return self.signals[0]

    @property
    def skill(self) -> str:
        """The skill that is checked; meaningful only where there is no fault."""
        return min(self.first.skills)

    @property
    def end(self) -> int:
        """The number of the last turn that belongs to the exchange."""
        return max([signal.turn for signal in self.signals] + [r.turn for r in self.reports])


def exchanges(episode: ShowEpisode, cast: Cast) -> tuple[CheckExchange, ...]:
    """All exchanges of an episode, in order, the faulty among them."""
    groups = list(_groups(episode.turns, cast))
    borders = [*(group[0].turn for group in groups), len(episode.turns)][1:]
    result = []
    for group, border in zip(groups, borders, strict=True):
        reports = tuple(_reports(episode.turns, cast, group, border))
        fault = _fault(episode.turns, cast, group, reports)
        result.append(CheckExchange(group, reports, fault))
    return tuple(result)


def _signals(turns: Sequence[SpokenTurn], cast: Cast) -> Iterator[Signal]:
    for number, turn in enumerate(turns):
        if turn.speaker == cast.dm:
            yield from requests(number, turn.speaker, turn.text)
        elif turn.speaker in cast.characters:
            yield from announcements(number, turn.speaker, turn.text)


def _groups(turns: Sequence[SpokenTurn], cast: Cast) -> Iterator[tuple[Signal, ...]]:
    """Signals that belong together: close to each other, and no total reported between them."""
    group: list[Signal] = []
    for signal in _signals(turns, cast):
        if group and not _continues(turns, group, signal):
            yield tuple(group)
            group = []
        group.append(signal)
    if group:
        yield tuple(group)


def _continues(turns: Sequence[SpokenTurn], group: Sequence[Signal], signal: Signal) -> bool:
    last = group[-1]
    if signal.turn - last.turn > (JOINS_SAME if signal.skills == last.skills else JOINS):
        return False
    since = last.turn + 1 if last.by_dm else last.turn
    return all(reported_total(turn.text) is None for turn in turns[since : signal.turn])


def _reports(
    turns: Sequence[SpokenTurn], cast: Cast, group: Sequence[Signal], border: int
) -> Iterator[Report]:
    last = group[-1]
    reported: Report | None = None
    latest = last.turn + PATIENCE
    for number in range(last.turn if not last.by_dm else last.turn + 1, border):
        turn = turns[number]
        if number > latest or (turn.speaker == cast.dm and _leaves(turn, reported is not None)):
            return
        total = reported_total(turn.text) if turn.speaker in cast.characters else None
        if total is not None and not _echoes(turn, total, number, reported):
            reported = Report(turn.speaker, number, total, "natural" in turn.text.casefold())
            latest = number + GAP
            yield reported


def _leaves(turn: SpokenTurn, reported: bool) -> bool:
    """Whether the DM goes on to something else: the story, or another kind of roll."""
    own = own_voice(turn.text).casefold()
    if _OTHER_ROLL.search(own):
        return True
    return reported and len(turn.text.split()) > NARRATES and "?" not in own


def _echoes(turn: SpokenTurn, total: int, number: int, before: Report | None) -> bool:
    """Whether a player only repeats what another has just reported."""
    if before is None or before.player == turn.speaker or number - before.turn > 2:
        return False
    return total == before.total and bool(re.search(r"\?|!|natural", turn.text.casefold()))


def _fault(
    turns: Sequence[SpokenTurn], cast: Cast, group: Sequence[Signal], reports: Sequence[Report]
) -> str | None:
    skills = set[str]().union(*(signal.skills for signal in group))
    if len(skills.union(*(_named(signal.sentence) for signal in group))) > 1:
        return "two skills"
    if any(name in signal.sentence for signal in group for name in cast.companions):
        return "for a companion"
    if not reports:
        return "no total reported"
    between = range(group[0].turn, reports[0].turn)
    if _corrected(turns, cast, group[0], between):
        return "skill corrected"
    if _left_open(turns, cast, min(skills), between):
        return "skill left open"
    return None


def _corrected(turns: Sequence[SpokenTurn], cast: Cast, first: Signal, between: range) -> bool:
    """Whether the DM names another skill after the request and before the first total."""
    for number in between:
        if turns[number].speaker != cast.dm:
            continue
        own = own_voice(turns[number].text)[first.start if number == first.turn else 0 :]
        if _named(own) - first.skills:
            return True
    return False


def _left_open(turns: Sequence[SpokenTurn], cast: Cast, skill: str, between: range) -> bool:
    """Whether a player asks which of two skills, and the DM does not say that it is this one."""
    unanswered = False
    for number in between:
        named = _named(turns[number].text)
        if turns[number].speaker == cast.dm:
            unanswered = unanswered and skill not in named
        elif skill in named and len(named) > 1:
            unanswered = True
    return unanswered


def _named(text: str) -> set[str]:
    return {skill for skill in SKILLS if named_at(skill, text) is not None}


Grade: TypeAlias = Literal["A", "B", "C"]
"""How a roller is known: A called by name, announced, asked as a group, or the last to speak;
B among those who spoke just before; C only because the total follows at once."""

SPOKE = 4
"""How many player turns before the request count as just before."""

AT_ONCE = 2
"""How many turns after the request are at once."""

AROUND = 15
"""So many characters before and after a request may hold the name of who is asked."""

# Requests to several players at once; the plural "checks" makes one, too.
_ALL = re.compile(
    r"\b(?:every(?:one|body)|you all|y'all|all of you|you guys|guys|each of you|my friends|"
    r"the (?:rest|three|four|five|six) of you|everyone's|the group|the party|you both|"
    r"those of you|anyone|anybody|the two of you|both of you|you two|the both of you)\b|"
    r"\b(?:checks|rolls)\b(?! with)"
)
_BOTH = re.compile(r"\b(?:you both|the two of you|both of you|you two|the both of you)\b")
_JOINS = re.compile(
    r"\b(?:as well|too|join|also|i'll (?:do|roll|make)|for me|same|i got|i rolled|mine|me and)\b"
)
_OWN = re.compile(r"\b(?:same|i rolled|i got|mine)\b")


@dataclass(frozen=True, slots=True)
class Rollers:
    """The players who rolled, and how that is known; none of them, and why."""

    players: frozenset[str]
    grade: Grade
    fault: str | None = None


def rollers(turns: Sequence[SpokenTurn], cast: Cast, exchange: CheckExchange) -> Rollers:
    """Who rolled in an exchange without fault, or why that is unclear."""
    reported = list(dict.fromkeys(report.player for report in exchange.reports))
    called = _find_called(turns, cast, exchange)
    if called:
        rolled = [player for player in reported if player in called]
        return (
            Rollers(frozenset(rolled), "A")
            if reported[0] in called
            else _unclear("somebody else was asked")
        )
    request_text = " ".join(signal.sentence for signal in exchange.signals if signal.by_dm)
    if _BOTH.search(request_text):
        return (
            Rollers(frozenset(reported), "A")
            if len(reported) <= 2
            else _unclear("more rolls than were asked for")
        )
    if _ALL.search(request_text):
        return Rollers(frozenset(reported), "A")
    grade = _grade(turns, cast, exchange)
    if grade is None:
        return _unclear("unclear who rolled")
    if _read_by_another(turns, exchange):
        return _unclear("one roll, read out by two")
    joined = [player for player in reported[1:] if _joins(turns, cast, exchange, player)]
    if len(joined) < len(reported) - 1:
        return _unclear("further totals, unclear whose")
    return Rollers(frozenset(reported), grade)


def _unclear(why: str) -> Rollers:
    return Rollers(frozenset(), "C", why)


def _grade(turns: Sequence[SpokenTurn], cast: Cast, exchange: CheckExchange) -> Grade | None:
    """How the first to report is known to be the one who was asked; None if not at all."""
    first = exchange.reports[0]
    announced = [signal.speaker for signal in exchange.signals if not signal.by_dm]
    if announced:
        return "A" if first.player in announced else None
    before = _spoke_before(turns, cast, exchange.first.turn)
    if before[:1] == [first.player]:
        return "A"
    if first.player in before[:SPOKE]:
        return "B"
    at_once = first.turn - exchange.signals[-1].turn <= AT_ONCE
    return "C" if at_once and first.player in before else None


def _spoke_before(turns: Sequence[SpokenTurn], cast: Cast, turn: int) -> list[str]:
    """Who spoke in the 12 turns before, latest first, once for each turn; players only."""
    spoken = (turns[number].speaker for number in range(turn - 1, max(-1, turn - 13), -1))
    return [speaker for speaker in spoken if speaker in cast.characters]


def _joins(turns: Sequence[SpokenTurn], cast: Cast, exchange: CheckExchange, player: str) -> bool:
    """Whether a further player says to roll too, or took part in the play just before."""
    last = max(report.turn for report in exchange.reports if report.player == player)
    own = (
        turns[number].text.casefold()
        for number in range(exchange.first.turn, last + 1)
        if turns[number].speaker == player
    )
    before = _spoke_before(turns, cast, exchange.first.turn)
    return player in before[:SPOKE] or any(_JOINS.search(text) for text in own)


def _read_by_another(turns: Sequence[SpokenTurn], exchange: CheckExchange) -> bool:
    """Whether two players read one die: the same total at once, or the die and then the total."""
    pairs = zip(exchange.reports, exchange.reports[1:], strict=False)
    return any(
        earlier.player != later.player
        and later.turn - earlier.turn <= AT_ONCE
        and (earlier.natural or earlier.total == later.total)
        and not _OWN.search(turns[later.turn].text.casefold())
        for earlier, later in pairs
    )


def _find_called(
    turns: Sequence[SpokenTurn], cast: Cast, exchange: CheckExchange
) -> frozenset[str]:
    """The players whom the DM calls by name in a request or, if it names nobody, around it."""
    called: set[str] = set()
    for signal in exchange.signals:
        if signal.by_dm:
            text = own_voice(turns[signal.turn].text).casefold()
            start, sentence = signal.start, signal.sentence
            around = text[max(0, start - AROUND) : start + len(sentence) + AROUND]
            called.update(
                player
                for name, player in cast.names.items()
                if _vocative(name).search(sentence if name in sentence else around)
            )
    return frozenset(called)


@lru_cache(maxsize=256)
def _vocative(name: str) -> re.Pattern[str]:
    """The name where it calls somebody; "follow Otto down the stairs" calls nobody."""
    return re.compile(
        rf"(?:^|[,.?!-]\s*|\b(?:so|okay|and|all right|well|then|for|from) ){re.escape(name)}"
        rf"(?=\s*(?:[,.?!-]|$|\b(?:and|make|roll|you|go|give|i need|i want|as)\b))"
    )
