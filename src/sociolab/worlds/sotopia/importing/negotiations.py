"""Import people's negotiations: CaSiNo (Chawla et al., NAACL 2021) and Deal or No Deal (Lewis et
al., EMNLP 2017), from the user's own copies of their files.

Who divides what, and what it is worth to either side, becomes a task; all dialogues about it become
its episodes. Seat 1 is whoever spoke first. What people entered in a form is on record as what
agents enter in the same form, so that one formula scores both.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from pydantic import Field

from sociolab.core.episode import (
    ARCHIVED,
    HUMAN,
    Action,
    Agent,
    Answered,
    CastMember,
    Ended,
    Episode,
    Event,
    Happened,
    Moved,
    Trial,
)
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import ForeignRecord, json_value, read_text, record
from sociolab.core.score import Score, Verdict
from sociolab.core.seeding import digest
from sociolab.core.user_files import write_files
from sociolab.plugin.world import ImportedJudging, Importing
from sociolab.report.words import join_names, percent, plural
from sociolab.worlds.sotopia.closing_form import (
    ACCEPT_DEAL,
    DEAL,
    MISFIT,
    REJECT_DEAL,
    SELECTION,
    SUBMIT,
    selection_of,
)
from sociolab.worlds.sotopia.dataset import FILES, META, DataSet, TaskRow
from sociolab.worlds.sotopia.importing.episodes import ImportedEpisodes
from sociolab.worlds.sotopia.outcome import (
    HIGHEST,
    Established,
    RecordedOutcome,
    describe_terms,
    entered_outcome,
    score_outcome,
)
from sociolab.worlds.sotopia.scenarios import (
    Character,
    Closing,
    DivisionGoal,
    Goal,
    RelationshipType,
    Scenario,
    casting_from,
    find_facts_misfit,
    in_pieces,
)
from sociolab.worlds.sotopia.scene import LEAVE, SPEAK


@dataclass(frozen=True, slots=True)
class PeopleData:
    """What all dialogues of a source have in common.

    `context` has {goods} and `goal` has {worth}, what a `piece` of each good is worth to a seat;
    `occupation` is all that a task says of the two people.
    """

    key: str
    title: str
    license: str
    closing: Closing
    occupation: str
    walk_away: int
    piece: str
    context: str
    goal: str


CASINO = PeopleData(
    "casino",
    "CaSiNo (Chawla et al., NAACL 2021)",
    "CC BY 4.0",
    "deals",
    "camper",
    5,
    "a package of {good}",
    "Two neighbours on a campsite pack for a trip. Both have the basic supplies; packages are left "
    "over ({goods}), and they talk about who takes how many of each. Packages are not opened.",
    "Take packages that are worth as many points to you as possible: {worth}. If you agree on "
    "nothing, or walk away, you get 5 points. Your neighbour has priorities of their own.",
)
DEAL_OR_NO_DEAL = PeopleData(
    "dond",
    "Deal or No Deal (Lewis et al., EMNLP 2017)",
    "CC BY-NC 4.0",
    "selections",
    "player of a bargaining game",
    0,
    "a {good}",
    "Two people have {goods} to divide between them, and talk about who takes what. Nothing is cut "
    "in two, and what a thing is worth differs between the two.",
    "Take things that are worth as many points to you as possible: {worth}. If you agree on "
    "nothing, you get 0 points.",
)
_SOURCES = {data.key: data for data in (CASINO, DEAL_OR_NO_DEAL)}
_NAMES = ("Robin", "Kim")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What two people said and did, the first speaker being seat 0.

    `place` is file and line; `points` what the file says that they got, empty where it does not.
    `selected` is what each selected after the end, None where all that is known is that it does not
    fit; `ender` is who ended the talk.
    """

    place: str
    id: str
    goals: tuple[DivisionGoal, DivisionGoal]
    moves: tuple[tuple[int, Action], ...]
    points: tuple[int, ...] = ()
    selected: tuple[Mapping[str, Any], ...] | None = None
    ender: int = 0


def import_casino(source: Path) -> ImportedEpisodes:
    """Read a JSON file of CaSiNo, or all of a folder; ConfigError with file and dialogue where one
    cannot be read, or where the points on record are not those of its deal."""
    dialogues = []
    for path, text in _texts(source, ("*.json", "*.json.gz"), '"chat_logs"'):
        rows = json_value(str(path), text)
        if not isinstance(rows, list):
            raise ConfigError(f"{path}: expected a list of dialogues, found {type(rows).__name__}")
        for number, row in enumerate(rows, start=1):
            place = f"{path}, dialogue {number}"
            dialogues.append(_camp(place, record(place, _CasinoRow, row)))
    return _import(CASINO, dialogues)


def import_deal_or_no_deal(source: Path) -> ImportedEpisodes:
    """Read a text file of Deal or No Deal, or all of a folder; ConfigError with file and line.

    Of the two lines of a dialogue, one for each side, one counts.
    """
    read, broken = dict[str, Dialogue](), set[str]()
    for path, text in _texts(source, ("*.txt", "*.txt.gz"), "<input>"):
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                dialogue = _bargain(f"{path}, line {number}", line.strip())
                read.setdefault(dialogue.id, dialogue)
                broken |= {dialogue.id} if "<disconnect>" in line else set()
    imported = _import(DEAL_OR_NO_DEAL, [read[key] for key in read if key not in broken])
    if not broken:
        return imported
    lost = f"left out: {plural(len(broken), 'dialogue')} that broke off (<disconnect>)"
    return replace(imported, lines=(*imported.lines, lost))


def write_tasks(episodes: Sequence[Episode], config: Importing, fresh: Path) -> None:
    """Write the tasks of these episodes as a data set, so that agents can play them."""
    castings = {e.trial.task.id: casting_from(e.trial.task.content) for e in episodes}
    first = next(iter(castings.values()))
    seats = tuple(character.id for character in first.characters)
    rows = [TaskRow(id=key, scenario=key, characters=seats).line() for key in castings]
    texts = (
        "".join(f"{character.model_dump_json()}\n" for character in first.characters),
        "",  # they are strangers
        "".join(casting.scenario.line() for casting in castings.values()),
        "".join(rows),
    )
    source = _SOURCES[first.scenario.tags[0]]
    meta = {"name": config.name, "version": "1", "license": source.license, "source": source.title}
    write_files(fresh, dict(zip(FILES, texts, strict=True)) | {META: json.dumps(meta) + "\n"})


def _texts(source: Path, patterns: Sequence[str], mark: str) -> Iterator[tuple[Path, str]]:
    """The file, or those of a folder whose text has the mark; ConfigError where there is none."""
    if not source.exists():
        raise ConfigError(f"{source} cannot be read: there is no such file or folder")
    paths = [path for pattern in patterns for path in sorted(source.glob(pattern))]
    texts = [(path, read_text(path)) for path in ([source] if source.is_file() else paths)]
    if not any(mark in text for _, text in texts):
        files = "" if source.is_file() else f" in files {' or '.join(patterns)}"
        raise ConfigError(f"{source}: expected dialogues with {mark}{files}, found none")
    return ((path, text) for path, text in texts if mark in text)


# ------------------------------------------------------------------ CaSiNo

_GOODS = ("food", "water", "firewood")
_PACKAGES = 3
_POINTS = {"High": 5, "Medium": 4, "Low": 3}


class _Deal(ForeignRecord):
    issue2youget: Mapping[str, int] = Field({})
    issue2theyget: Mapping[str, int] = Field({})


class _CasinoLine(ForeignRecord):
    text: str
    task_data: _Deal
    id: str


class _CasinoOutcomes(ForeignRecord):
    points_scored: int


class _CasinoPerson(ForeignRecord):
    value2issue: Mapping[Literal["High", "Medium", "Low"], str]
    outcomes: _CasinoOutcomes


class _CasinoRow(ForeignRecord):
    dialogue_id: int
    chat_logs: tuple[_CasinoLine, ...] = Field(min_length=1)
    participant_info: Mapping[str, _CasinoPerson] = Field(min_length=2, max_length=2)


_DEEDS = {
    "Accept-Deal": Action(ACCEPT_DEAL),
    "Reject-Deal": Action(REJECT_DEAL),
    "Walk-Away": Action(LEAVE),
}


def _camp(place: str, row: _CasinoRow) -> Dialogue:
    first = row.chat_logs[0].id
    seats = sorted(row.participant_info, key=lambda person: person != first)
    if unknown := {line.id for line in row.chat_logs} - {*seats}:
        raise ConfigError(f"{place}: expected {' or '.join(seats)} to speak, found {min(unknown)}")
    worth = []
    for seat in seats:
        levels = {good.lower(): n for n, good in row.participant_info[seat].value2issue.items()}
        if levels.keys() != {*_GOODS}:
            raise ConfigError(
                f"{place}: expected priorities of {seat} for {join_names(_GOODS)}, found "
                f"{join_names(sorted(levels)) or 'none'}"
            )
        worth.append({good: _POINTS[levels[good]] for good in _GOODS})
    return Dialogue(
        place,
        f"casino-{row.dialogue_id}",
        _goals(place, CASINO, dict.fromkeys(_GOODS, _PACKAGES), worth),
        tuple((seats.index(line.id), _casino_action(place, line)) for line in row.chat_logs),
        tuple(row.participant_info[seat].outcomes.points_scored for seat in seats),
    )


def _casino_action(place: str, line: _CasinoLine) -> Action:
    if line.text != "Submit-Deal":
        return _DEEDS.get(line.text) or Action(SPEAK, line.text)
    own, other = (
        {good: pieces.get(good.title(), 0) for good in _GOODS}
        for pieces in (line.task_data.issue2youget, line.task_data.issue2theyget)
    )
    if min(own.values()) < 0 or any(own[good] + other[good] != _PACKAGES for good in _GOODS):
        raise ConfigError(
            f"{place}: expected a deal over {_PACKAGES} packages each, found {describe_terms(own)} "
            f"and {describe_terms(other)}"
        )
    return Action(SUBMIT, fields=own)


# ------------------------------------------------------------------ Deal or No Deal

_THINGS = ("books", "hats", "balls")
_SIX = r"(\d+) (\d+) (\d+) (\d+) (\d+) (\d+)"
_LINE = re.compile(
    rf"<input> {_SIX} </input> <dialogue> (?P<talk>.+) </dialogue> "
    rf"<output> (?P<output>.+) </output> <partner_input> {_SIX} </partner_input>"
)
_SHARES = re.compile(r"item0=(\d+) item1=(\d+) item2=(\d+) " * 2)
_SAID = re.compile(r"(YOU|THEM): (.*)")
_MISFIT, _NO_AGREEMENT, _BROKEN = "<disagree>", "<no_agreement>", "<disconnect>"
_SELECTS = "<selection>"


def _bargain(place: str, line: str) -> Dialogue:
    match = _LINE.fullmatch(line)
    said = [_SAID.fullmatch(part) for part in match["talk"].split(" <eos> ")] if match else []
    if match is None or not all(said):
        raise ConfigError(
            f"{place}: expected <input> of six numbers, <dialogue> of YOU: and THEM:, <output> and "
            f"<partner_input>, found {line[:60]!r}"
        )
    numbers = [int(n) for n in match.groups()[:6] + match.groups()[-6:]]
    counts, own, other_counts, other = (
        dict(zip(_THINGS, numbers[start : start + 6 : 2], strict=True)) for start in (0, 1, 6, 7)
    )
    if counts != other_counts:
        raise ConfigError(
            f"{place}: expected the same counts in <input> and <partner_input>, found "
            f"{describe_terms(counts)} and {describe_terms(other_counts)}"
        )
    words = [(found[1], found[2]) for found in said if found]
    first = words[0][0]
    goals = _goals(place, DEAL_OR_NO_DEAL, counts, [own, other][:: 1 if first == "YOU" else -1])
    talk = [(int(who != first), text) for who, text in words]
    parts = [*map(str, talk), *(goal.model_dump_json() for goal in goals)]
    return Dialogue(
        place,
        f"dond-{digest(*parts)}",
        goals,
        tuple((who, Action(SPEAK, text)) for who, text in talk if text != _SELECTS),
        selected=_selected(place, match["output"], counts, int(first != "YOU")),
        ender=talk[-1][0],
    )


def _selected(
    place: str, output: str, counts: Mapping[str, int], you: int
) -> tuple[Mapping[str, Any], ...] | None:
    """What the two selected at the end, `you` being the seat whose share stands first."""
    match {*output.split()}:
        case tokens if tokens == {_NO_AGREEMENT}:
            return (selection_of(None, counts), selection_of(None, counts))
        case tokens if tokens in ({_MISFIT}, {_BROKEN}):
            return None
    shares = _SHARES.fullmatch(f"{output} ")
    pieces = [int(n) for n in shares.groups()] if shares else [-1] * 6
    own, other = (dict(zip(_THINGS, part, strict=True)) for part in (pieces[:3], pieces[3:]))
    if any(own[thing] + other[thing] != n for thing, n in counts.items()):
        raise ConfigError(
            f"{place}: expected <output> to divide {describe_terms(counts)}, or to say why not "
            f"({', '.join((_MISFIT, _NO_AGREEMENT, _BROKEN))}), found {output[:60]!r}"
        )
    both = [selection_of(share, counts) for share in (own, other)]
    return (both[you], both[1 - you])


# ------------------------------------------------------------------ tasks and episodes


def _goals(
    place: str, data: PeopleData, counts: Mapping[str, int], worth: Sequence[Mapping[str, int]]
) -> tuple[DivisionGoal, DivisionGoal]:
    """The goals of both seats; ConfigError for a division that cannot be played."""
    first, second = (
        record(place, DivisionGoal, {"counts": counts, "values": v, "walk_away": data.walk_away})
        for v in worth
    )
    if problem := find_facts_misfit((first, second)):
        raise ConfigError(f"{place}: {problem}")
    return first, second


def _import(data: PeopleData, dialogues: Sequence[Dialogue]) -> ImportedEpisodes:
    if not dialogues:
        raise ConfigError(f"expected dialogues of {data.title} that came to an end, found none")
    blank = {"gender": "", "pronouns": "", "age": 0, "occupation": data.occupation}
    people = {name.lower(): Character(id=name.lower(), first_name=name, **blank) for name in _NAMES}
    scenarios = {s.id: s for s in (_scenario(data, dialogue.goals) for dialogue in dialogues)}
    rows = tuple(TaskRow(id=key, scenario=key, characters=tuple(people)) for key in scenarios)
    dataset = DataSet(DataId(data.key, "", ""), people, {}, scenarios, rows)
    tasks = {task.id: task for task in dataset.tasks()}
    person = Agent(HUMAN, "person", HUMAN, settings=digest(data.title))
    cast = tuple(CastMember(seat, person) for seat in people)
    episodes, judgings, repeats = dict[str, Episode](), [], Counter[str]()
    for one in dialogues:
        if one.id in episodes:
            raise ConfigError(f"{one.place}: the dialogue {one.id} comes a second time")
        task = tasks[_problem(data, one.goals)]
        trial = Trial(one.id, "sotopia", task, cast, repeats[task.id], 0)
        repeats[task.id] += 1
        episodes[one.id] = Episode(trial, _events(data, one, task.seats))
        judgings.append(_judge(one, episodes[one.id]))
    lines = _lines(data, dialogues, list(episodes.values()), judgings)
    return ImportedEpisodes(tuple(episodes.values()), (), tuple(lines), tuple(judgings))


def _problem(data: PeopleData, goals: Sequence[DivisionGoal]) -> str:
    """An id for who divides what, with which values."""
    parts: list[Mapping[str, float]] = [goals[0].counts, *(goal.values for goal in goals)]
    return "-".join((data.key, *(".".join(f"{n:g}" for n in part.values()) for part in parts)))


def _scenario(data: PeopleData, goals: Sequence[DivisionGoal]) -> Scenario:
    goods = in_pieces(goals[0].counts)
    return Scenario(
        id=_problem(data, goals),
        family="division",
        stance="mixed",
        context=data.context.format(goods=join_names(goods)),
        goals=tuple(Goal(text=_goal_text(data, goal), facts=goal) for goal in goals),
        relationships=(RelationshipType.STRANGER,),
        unconstrained=("ages", "occupations", "ties"),
        tags=(data.key,),
        closing=data.closing,
    )


def _goal_text(data: PeopleData, goal: DivisionGoal) -> str:
    worth = [
        f"{data.piece.format(good=good.removesuffix('s'))} is worth {plural(round(n), 'point')}"
        for good, n in goal.values.items()
    ]
    return data.goal.format(worth=join_names(worth))


def _events(data: PeopleData, dialogue: Dialogue, seats: Sequence[str]) -> tuple[Event, ...]:
    moves = [Moved(n, seats[who], (action,)) for n, (who, action) in enumerate(dialogue.moves)]
    last = moves[-1]
    if data.closing == "deals":
        accepted = last.actions[0].kind == ACCEPT_DEAL
        return (*moves, Ended(DEAL if accepted else "left", last.turn, last.seat))
    ended = Ended("left", last.turn, seats[dialogue.ender])
    if dialogue.selected is None:
        return (*moves, Happened(last.turn + 1, "", ARCHIVED, {MISFIT: True}), ended)
    answers = zip(seats, dialogue.selected, strict=True)
    return (
        *moves,
        *(Answered(last.turn + 1, seat, SELECTION, {**v}) for seat, v in answers),
        ended,
    )


def _judge(dialogue: Dialogue, episode: Episode) -> ImportedJudging:
    """The scores by the record, as the formula gives them in every run; ConfigError where the file
    has other points."""
    casting = casting_from(episode.trial.task.content)
    verdicts = score_outcome(casting, entered_outcome(casting, episode))
    for goal, verdict, found in zip(dialogue.goals, verdicts, dialogue.points, strict=False):
        expected = _points(goal, verdict)
        if abs(expected - found) > 1e-6:
            raise ConfigError(
                f"{dialogue.place}: the deal on record is worth {expected:g} points to "
                f"{verdict.seat}, and the file says {found}; fetch it again"
            )
    return ImportedJudging(episode.trial.id, RecordedOutcome().id, verdicts)


def _points(goal: DivisionGoal, verdict: Verdict) -> float:
    """The points of a score, which is from 0 to 10."""
    assert isinstance(verdict, Score)
    most = sum(goal.values[good] * n for good, n in goal.counts.items())
    return verdict.value * most / HIGHEST


def _lines(
    data: PeopleData,
    dialogues: Sequence[Dialogue],
    episodes: Sequence[Episode],
    judgings: Sequence[ImportedJudging],
) -> Iterator[str]:
    """What was read, in figures that can be held against published ones."""
    tasks = {episode.trial.task.id for episode in episodes}
    castings = [casting_from(episode.trial.task.content) for episode in episodes]
    outcomes = map(entered_outcome, castings, episodes)
    made = sum(isinstance(one, Established) and one.terms is not None for one in outcomes)
    away = [move for e in episodes for move in e.moves if move.actions[0].kind == LEAVE]
    goals = (goal for dialogue in dialogues for goal in dialogue.goals)
    verdicts = (verdict for judging in judgings for verdict in judging.verdicts)
    points = fmean(map(_points, goals, verdicts))
    deals = f"{made} ({percent(made / len(episodes), 1)})"
    yield f"{plural(len(episodes), 'dialogue')} of {plural(len(tasks), 'task')}, by people"
    yield f"deals: {deals}; walked away: {len(away)}; mean points: {points:.2f}"
    yield f"{data.title}: your copy, {data.license}; cite it, and see its licence before you share"
