"""Turn tagged public contexts and goals into plain sentences, each seat with its own part.

First come the tags: which parts are for whom, and which are hints; then the sentences; last the
facts of goals with a formula, parsed from those sentences: of all seats or of none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from pydantic import ValidationError

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.reading import Quirk, Quirks
from sociolab.worlds.sotopia.scenarios import (
    DivisionGoal,
    Facts,
    Family,
    Friend,
    FriendGoal,
    PriceGoal,
    find_facts_misfit,
)

Kind: TypeAlias = Literal["plain", "extra_info", "strategy_hint", "clarification_hint"]


ENVIRONMENT = "environment"
_HINTS = ("extra_info", "strategy_hint", "clarification_hint")
_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z_]+)(?P<rest>(?:\s[^<>]*)?)>")
_VIEWER = re.compile(r"""\s+viewer\s*=\s*(['"])(\w+)\1\s*""")


@dataclass(frozen=True, slots=True)
class TaggedPart:
    """A part of a text, and the viewers that its tags name; without any it is for everybody.

    Several viewers mean nested tags: such a part is only for a viewer whom all of them name.
    """

    text: str
    kind: Kind = "plain"
    viewers: tuple[str, ...] = ()

    def is_for(self, seat: int) -> bool:
        """Whether the player of this seat (from 0) may read it."""
        return all(viewer == viewer_of(seat) for viewer in self.viewers)


def viewer_of(seat: int) -> str:
    """The tags' name of a seat, counted from 0."""
    return f"agent_{seat}"


def split_parts(text: str, seats: int, place: str) -> tuple[TaggedPart, ...]:
    """Split a text into its parts, in order, without tags.

    ConfigError for an unknown tag or viewer, and for one that does not close: a guess could show a
    private part to the wrong seat.
    """
    viewers = {ENVIRONMENT, *(viewer_of(seat) for seat in range(seats))}
    tagged: list[TaggedPart] = []
    open_tags: list[tuple[str, str]] = []
    end = 0
    for tag in _TAG.finditer(text):
        tagged.append(_make_part(text[end : tag.start()], open_tags))
        end = tag.end()
        if not tag["slash"]:
            open_tags.append((tag["name"], _read_viewer(tag, viewers, place)))
        elif not open_tags or open_tags.pop()[0] != tag["name"]:
            raise ConfigError(f"{place}: {tag[0]} closes nothing that is open")
    if open_tags:
        raise ConfigError(f"{place}: <{open_tags[-1][0]}> is opened and never closed")
    tagged.append(_make_part(text[end:], open_tags))
    return tuple(part for part in tagged if part.text)


def strip_tags(text: str) -> str:
    """The text without its tags, but with all parts."""
    return _TAG.sub("", text)


def _make_part(text: str, open_tags: list[tuple[str, str]]) -> TaggedPart:
    kinds = [name for name, _ in open_tags if name in _HINTS]
    viewers = tuple(viewer for _, viewer in open_tags if viewer)
    return TaggedPart(text, cast(Kind, kinds[-1]) if kinds else "plain", viewers)


def _read_viewer(tag: re.Match[str], viewers: set[str], place: str) -> str:
    """The viewer that an opening tag names; "" for a hint."""
    if tag["name"] in _HINTS:
        return ""
    attribute = _VIEWER.fullmatch(tag["rest"]) if tag["name"] == "p" else None
    if attribute is None:
        raise ConfigError(
            f"{place}: the tag {tag[0]} is not known; expected <p viewer=...>, "
            f"<{'>, <'.join(_HINTS)}>"
        )
    if attribute[2] not in viewers:
        raise ConfigError(
            f"{place}: the viewer {attribute[2]!r} is not known here; "
            f"expected one of {', '.join(sorted(viewers))}"
        )
    return attribute[2]


_HINT_QUIRKS = {
    "strategy_hint": Quirk.STRATEGY_HINT,
    "clarification_hint": Quirk.CLARIFICATION_HINT,
}
_LABELS: dict[Kind, str] = {
    "extra_info": "Extra information:",
    "strategy_hint": "Hint:",
    "clarification_hint": "Hint:",
}
_AGENT = re.compile(r"\bagent[ _]?(?P<number>\d+)\b(?P<owns>['\u2019]s)?", re.IGNORECASE)
# Before these words "you" can replace a name; before others a verb may have to agree with it.
_SAFE_AFTER = re.compile(
    r"\s*(?:$|[.,;:!?)]|(?:and|or|to|for|from|with|in|on|at|about|into|by|if|because|"
    r"will|can|could|should|would|may|might|must|did|had)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GoalContext:
    """A context: the text for everybody, the sentences for each seat alone, and the environment's
    part, which no player may read."""

    text: str
    seats: tuple[tuple[str, ...], ...]
    environment: str


def read_context(raw: str, seats: int, place: str, quirks: Quirks) -> GoalContext:
    """Split a tagged context by reader; parts for one seat will go into that seat's goal."""
    common: list[str] = []
    own: list[list[str]] = [[] for _ in range(seats)]
    environment: list[str] = []
    for part in split_parts(repair_text(raw, quirks), seats, place):
        readers = [seat for seat in range(seats) if part.is_for(seat)]
        if not part.text.strip() or len(readers) == seats:
            common.append(part.text)
        elif readers:
            quirks[Quirk.SEAT_PART] += 1
            own[readers[0]].append(make_sentence(part.text))
        else:
            quirks[Quirk.ENVIRONMENT_PART] += ENVIRONMENT in part.viewers
            environment.append(part.text)
    text = make_sentence("".join(common))
    quirks[Quirk.AGENT_NAME_LEFT] += _AGENT.search(text) is not None
    return GoalContext(text, tuple(tuple(seat) for seat in own), join_lines(" ".join(environment)))


@dataclass(frozen=True, slots=True)
class GoalReader:
    """Converts the goals of one scenario; `strategy_hints`: whether to keep these."""

    seats: int
    place: str
    strategy_hints: bool = True

    def goal(self, raw: str, seat: int, knows: tuple[str, ...], quirks: Quirks) -> str:
        """A tagged goal as sentences for its seat: the goal, information, and hints.

        `knows` is the context's part for this seat alone; it comes last, under "You know:".
        """
        readable = self._readable(
            split_parts(repair_text(raw, quirks), self.seats, self.place), seat, quirks
        )
        quirks[Quirk.EXTRA_INFO] += any(part.kind == "extra_info" for part in readable)
        text = compose_goal(readable)
        if knows:
            text += f"\nYou know: {' '.join(knows)}"
        return replace_agent_names(text, seat, self.seats, quirks)

    def _readable(
        self, tagged: Iterable[TaggedPart], seat: int, quirks: Quirks
    ) -> tuple[TaggedPart, ...]:
        readable = []
        for part in tagged:
            if not part.text.strip():
                readable.append(part)
            elif not part.is_for(seat):
                quirks[Quirk.FOREIGN_PART] += 1
            elif part.kind == "strategy_hint" and not self.strategy_hints:
                quirks[Quirk.STRATEGY_HINT_DROPPED] += 1
            else:
                if part.kind in _HINT_QUIRKS:
                    quirks[_HINT_QUIRKS[part.kind]] += 1
                readable.append(part)
        return tuple(readable)


def compose_goal(tagged: Iterable[TaggedPart]) -> str:
    """The parts of a goal as one text: first the plain ones, then information and hints."""
    plain = ""
    hints = []
    for part in tagged:
        if part.kind == "plain":
            plain += part.text
        elif part.text.strip():
            hints.append(_format_hint(part))
    # Goals have their information in brackets, which are empty once it is taken out.
    plain = re.sub(r"\([\s,;.]*\)", "", plain)
    text = make_sentence(plain)
    for hint in hints:
        text += ("\n" if "\n" in hint else " ") + hint
    return text.strip()


def split_untagged(text: str) -> tuple[TaggedPart, ...]:
    """Split a goal whose tags have been removed, by the labels of its information and hints."""
    pieces = []
    for piece in re.split(r"(?=Extra information:|Hint:|You know the following friends)", text):
        if piece.startswith("Hint:"):
            pieces.append(TaggedPart(piece, "clarification_hint"))
        elif piece.startswith(("Extra information:", "You know the following friends")):
            pieces.append(TaggedPart(piece, "extra_info"))
        else:
            pieces.append(TaggedPart(piece))
    if pieces[-1].kind != "plain" and pieces[0].text.rstrip().endswith("("):
        pieces[-1] = TaggedPart(pieces[-1].text.rstrip().removesuffix(")"), pieces[-1].kind)
        pieces.insert(1, TaggedPart(")"))
    return tuple(pieces)


def replace_agent_names(text: str, seat: int, seats: int, quirks: Quirks) -> str:
    """Replace Agent1 and Agent2 in a goal by words for its player.

    The seat itself (Agent1 is seat 0) becomes "you", the other of two "the other person". The goal
    stays as it is where a verb might have to agree, or where it is not clear who is meant.
    """
    names = list(_AGENT.finditer(text))
    if not names:
        return text
    safe = seats == 2 and all(
        name["number"] in ("1", "2")
        and (
            int(name["number"]) != seat + 1
            or bool(name["owns"])
            or _SAFE_AFTER.match(text, name.end()) is not None
        )
        for name in names
    )
    if not safe:
        quirks[Quirk.AGENT_NAME_LEFT] += 1
        return text
    quirks[Quirk.AGENT_NAMED] += 1

    def replacement(name: re.Match[str]) -> str:
        is_self = int(name["number"]) == seat + 1
        owns = bool(name["owns"])
        phrase = ("your" if owns else "you") if is_self else "the other person" + "'s" * owns
        starts_sentence = re.search(r"(?:^|[.!?\n])\s*$", text[: name.start()]) is not None
        return phrase[0].upper() + phrase[1:] if starts_sentence else phrase

    return _AGENT.sub(replacement, text)


def repair_text(text: str, quirks: Quirks) -> str:
    """Unescape quotation marks, and put a space between sentences that have none."""
    unescaped = re.sub(r"\\(['\"])", r"\1", text)
    quirks[Quirk.ESCAPED_QUOTE] += unescaped != text
    spaced = re.sub(r"(?<=[a-z])([.!?])(?=[A-Z][a-z ])", r"\1 ", unescaped)
    quirks[Quirk.GLUED_SENTENCES] += spaced != unescaped
    return spaced


def _format_hint(part: TaggedPart) -> str:
    """Information or a hint as a sentence, or as a list if it has several lines."""
    label = _LABELS[part.kind]
    text = part.text.strip()
    has_label = text.startswith(label)
    text = text.removeprefix(label)
    lines = [re.sub(r"\s{2,}", "; ", line.strip()) for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        text = join_lines(text)
        return add_full_stop(f"{label} {text}") if has_label else make_sentence(text)
    first = lines[0] if lines[0][-1] in ":.!?" else lines[0] + ":"
    return "\n".join([f"{label} {first}" if has_label else first, *(f"- {x}" for x in lines[1:])])


def make_sentence(text: str) -> str:
    """The text on one line, with a capital first letter and a full stop."""
    text = join_lines(text)
    return add_full_stop(text[:1].upper() + text[1:])


def add_full_stop(text: str) -> str:
    """The text with a full stop, unless it ends in a stop or in a quotation with one."""
    return text if not text or text.rstrip("\"')")[-1:] in (".", "!", "?") else text + "."


def join_lines(text: str) -> str:
    """The text on one line, with single spaces."""
    return re.sub(r"\s+", " ", text).strip()


_PRICE = r"\$(?P<price>\d[\d,]*(?:\.\d+)?)"
_OFFER = re.compile(
    r"(?:selling|offering|put up|sells|offers)\s+(?P<owned>(?:their|his|her|its)\s+)?"
    rf"(?P<item>.+?)\s+(?:for sale (?:at|for)|for a price of|for|at)\s+{_PRICE}"
)
_GOODS = re.compile(r"(?<![\d$.,])(?P<count>\d+)\s+(?P<good>[a-z]+)\b")
_POINTS = re.compile(r"(?P<points>\d+(?:\.\d+)?)\s+points?\b")


def read_facts(family: Family, context: str, goals: tuple[str, ...]) -> tuple[Facts, ...] | None:
    """The facts of all goals, in order; None if one of them cannot be read with certainty.

    `context` and `goals` are plain sentences as this module makes them.
    """
    facts: tuple[Facts, ...] | None = None
    try:
        if family == "bargain":
            facts = _read_prices(context, goals)
        elif family == "division":
            facts = _read_division(context, goals)
        elif family == "mutual-friend":
            facts = _read_friends(goals)
    except ValidationError:  # a price of 0, a million pieces of a good
        return None
    return None if facts is None or find_facts_misfit(facts) else facts


def family_of(context: str, goals: tuple[str, ...]) -> Family:
    """The family whose facts a scenario holds; "other" without facts."""
    families: tuple[Family, ...] = ("bargain", "division", "mutual-friend")
    for family in families:
        if read_facts(family, context, goals) is not None:
            return family
    return "other"


def _read_prices(context: str, goals: tuple[str, ...]) -> tuple[PriceGoal, ...] | None:
    offer = _OFFER.search(context)
    if offer is None:
        return None
    item = f"the {offer['item']}" if offer["owned"] else offer["item"]
    facts = []
    for goal in goals:
        roles = {word.lower() for word in re.findall(r"\b(?:buyer|seller)\b", goal, re.IGNORECASE)}
        targets = re.findall(_PRICE, goal)
        if len(roles) != 1 or len(targets) != 1:
            return None
        facts.append(
            PriceGoal.model_validate(
                {
                    "role": roles.pop(),
                    "item": item,
                    "listed": _number(offer["price"]),
                    "target": _number(targets[0]),
                }
            )
        )
    return tuple(facts)


def _read_division(context: str, goals: tuple[str, ...]) -> tuple[DivisionGoal, ...] | None:
    counts: dict[str, int] = {}
    for match in _GOODS.finditer(context):
        good = match["good"] if match["good"].endswith("s") else f"{match['good']}s"
        if good in counts:
            return None
        counts[good] = int(match["count"])
    if len(counts) < 2:
        return None
    values = [_read_values(goal, counts) for goal in goals]
    if any(worth is None for worth in values):
        return None
    return tuple(DivisionGoal(counts=counts, values=worth) for worth in values if worth)


def _read_values(goal: str, counts: dict[str, int]) -> dict[str, float] | None:
    """The points for a piece of each good; None unless each good has exactly one figure.

    A figure belongs to a good if there are only words between the two. It must be for one piece:
    the goal says "each", or names a single one ("the ball at 1 point").
    """
    values: dict[str, float] = {}
    for good in counts:
        singular = good.removesuffix("s")
        worth = rf"\b{singular}(?P<many>s)?\b[a-z= ]*?{_POINTS.pattern}(?P<each>\s+each\b)?"
        figures = list(re.finditer(worth, goal, re.IGNORECASE))
        if len(figures) != 1 or (figures[0]["many"] and not figures[0]["each"]):
            return None
        values[good] = float(figures[0]["points"])
    return values if len(_POINTS.findall(goal)) == len(counts) else None


def _read_friends(goals: tuple[str, ...]) -> tuple[FriendGoal, ...] | None:
    lists = [_read_friend_list(goal) for goal in goals]
    if any(len(friends) < 2 for friends in lists):
        return None
    names = [{friend.name for friend in friends} for friends in lists]
    if len(set.intersection(*names)) != 1:
        return None
    return tuple(FriendGoal(friends=friends) for friends in lists)


def _read_friend_list(goal: str) -> tuple[Friend, ...]:
    """The friends of a goal, one per line; empty if a line cannot be read."""
    friends = []
    for line in goal.split("\n"):
        if not line.startswith("- "):
            continue
        name, _, about = line[2:].partition(": ")
        pairs = [item.partition(": ") for item in about.split("; ")]
        if not name or not all(key and value for key, _, value in pairs):
            return ()
        friends.append(Friend(name=name, about={key.lower(): value for key, _, value in pairs}))
    return tuple(friends)


def _number(text: str) -> float:
    return float(text.replace(",", ""))
