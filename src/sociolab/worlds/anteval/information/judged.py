"""The sheets that a judge model fills in, what can be wrong with them, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from sociolab.worlds.anteval.information.measures import Reading
from sociolab.worlds.anteval.session import Fact


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KeyPoints(_Strict):
    """The NPC's knowledge in k sentences."""

    points: list[str]


class KeyPoint(_Strict):
    """A key point of an answer; `same_as` is the id of the key point that says the same, or ""."""

    text: str
    same_as: str


class Match(_Strict):
    """A statement that says a fact, by their ids."""

    statement: str
    fact: str


class AnswerSheet(_Strict):
    """A player's answer: key points, statements matched with facts, statements of a fact again."""

    key_points: list[KeyPoint]
    matches: list[Match]
    repeats: list[str]

    @property
    def shared(self) -> list[str]:
        """The ids of the key points that occur in the answer."""
        return [point.same_as for point in self.key_points if point.same_as]


class GroupSheet(_Strict):
    """The matches of one group."""

    group: str
    matches: list[Match]


class GroupSheets(_Strict):
    """A sheet for each group."""

    groups: list[GroupSheet]


@dataclass(frozen=True, slots=True)
class Group:
    """Statements to be held against facts: the control (or turn) and the seat that they are of.

    `id` is how the judge calls it; it says nothing of where the statements are from.
    """

    id: str
    name: str
    seat: str
    statements: tuple[str, ...]
    facts: tuple[Fact, ...]


def numbered(mark: str, texts: Sequence[str]) -> list[str]:
    """Lines such as "f1: ..."; line ends in a text become spaces."""
    return [f"{mark}{index}: {' '.join(text.split())}" for index, text in enumerate(texts, 1)]


def key_points_problem(sheet: KeyPoints, k: int) -> str:
    """What is wrong with the key points of the knowledge; empty if nothing is."""
    found = sum(bool(point.strip()) for point in sheet.points)
    return "" if found == k == len(sheet.points) else f"expected {k} key points, found {found}"


def answer_problem(sheet: AnswerSheet, statements: int, facts: int, points: int, k: int) -> str:
    """What is wrong with the sheet of an answer; empty if nothing is."""
    if len(sheet.key_points) > k:
        return f"expected at most {k} key points, found {len(sheet.key_points)}"
    said, known, same = _ids("s", statements), _ids("f", facts), _ids("p", points)
    return (
        (points and _ids_problem("same_as", sheet.shared, same))
        or _matches_problem(sheet.matches, said, known)
        or _ids_problem("repeats", sheet.repeats, said)
        or ""
    )


def answer_reading(sheet: AnswerSheet, statements: int, facts: Sequence[Fact]) -> Reading:
    """The matching of an answer with facts; the sheet must be in order."""
    return _reading(sheet.matches, sheet.repeats, statements, facts)


def groups_problem(sheet: GroupSheets, groups: Sequence[Group]) -> str:
    """What is wrong with the sheets of the groups; empty if nothing is."""
    problem = _ids_problem("groups", [one.group for one in sheet.groups], {g.id for g in groups})
    if problem:
        return problem
    by_id = {one.group: one for one in sheet.groups}
    for group in groups:
        if group.id not in by_id:
            return f"expected a sheet for the group {group.id}, found none"
        said, known = _ids("s", len(group.statements)), _ids("f", len(group.facts))
        problem = _matches_problem(by_id[group.id].matches, said, known)
        if problem:
            return f"group {group.id}: {problem}"
    return ""


def group_readings(sheet: GroupSheets, groups: Sequence[Group]) -> dict[str, Reading]:
    """The matching of each group, by its id; the sheets must be in order."""
    by_id = {one.group: one for one in sheet.groups}
    return {
        group.id: _reading(by_id[group.id].matches, (), len(group.statements), group.facts)
        for group in groups
    }


def _reading(
    matches: Sequence[Match], repeats: Iterable[str], statements: int, facts: Sequence[Fact]
) -> Reading:
    pairs = tuple((_index(one.statement), facts[_index(one.fact)].id) for one in matches)
    supported = {index for index, _ in pairs} | {_index(one) for one in repeats}
    return Reading(statements, pairs, frozenset(supported), len(facts))


def _matches_problem(matches: Sequence[Match], said: set[str], known: set[str]) -> str:
    return _ids_problem("statement", [one.statement for one in matches], said) or _ids_problem(
        "fact", [one.fact for one in matches], known
    )


def _ids_problem(where: str, found: Sequence[str], known: set[str]) -> str:
    """An id that is unknown, or used twice."""
    for id_ in found:
        if id_ not in known:
            return f'{where}: expected one of the ids that were given, found "{id_[:40]}"'
        if found.count(id_) > 1:
            return f'{where}: expected each id once at most, found "{id_}" {found.count(id_)} times'
    return ""


def _ids(mark: str, count: int) -> set[str]:
    return {f"{mark}{index}" for index in range(1, count + 1)}


def _index(id_: str) -> int:
    return int(id_[1:]) - 1
