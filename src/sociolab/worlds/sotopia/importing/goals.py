"""Contexts and private goals as plain sentences, each seat with what is meant for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.importing.tags import ENVIRONMENT, Kind, Part, parts

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
# After these words "you" reads as well as a name does; after others a verb may have to agree.
_SAFE_AFTER = re.compile(
    r"\s*(?:$|[.,;:!?)]|(?:and|or|to|for|from|with|in|on|at|about|into|by|if|because|"
    r"will|can|could|should|would|may|might|must|did|had)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """A context: what everybody reads, what each seat alone knows, what no player may read."""

    text: str
    seats: tuple[tuple[str, ...], ...]
    environment: str


def context(raw: str, seats: int, place: str, quirks: Quirks) -> Context:
    """A tagged context as sentences; parts for one seat are set aside for that seat's goal."""
    common: list[str] = []
    own: list[list[str]] = [[] for _ in range(seats)]
    kept: list[str] = []
    for part in parts(mended(raw, quirks), seats, place):
        readers = [seat for seat in range(seats) if part.is_for(seat)]
        if not part.text.strip() or len(readers) == seats:
            common.append(part.text)
        elif readers:
            quirks[Quirk.SEAT_PART] += 1
            own[readers[0]].append(sentence(part.text))
        else:
            quirks[Quirk.ENVIRONMENT_PART] += ENVIRONMENT in part.viewers
            kept.append(part.text)
    text = sentence("".join(common))
    quirks[Quirk.AGENT_NAME_LEFT] += _AGENT.search(text) is not None
    return Context(text, tuple(tuple(seat) for seat in own), flat(" ".join(kept)))


@dataclass(frozen=True, slots=True)
class GoalReader:
    """Reads the goals of one scenario; `strategy_hints` says whether those are kept."""

    seats: int
    place: str
    strategy_hints: bool = True

    def goal(self, raw: str, seat: int, knows: tuple[str, ...], quirks: Quirks) -> str:
        """A tagged goal as sentences: the goal, what the character knows, and the hints.

        `knows` is what the context tells this seat alone; it comes last, under "You know:".
        """
        found = self._readable(parts(mended(raw, quirks), self.seats, self.place), seat, quirks)
        quirks[Quirk.EXTRA_INFO] += any(part.kind == "extra_info" for part in found)
        text = composed(found)
        if knows:
            text += f"\nYou know: {' '.join(knows)}"
        return without_agent_names(text, seat, self.seats, quirks)

    def _readable(self, found: Iterable[Part], seat: int, quirks: Quirks) -> tuple[Part, ...]:
        kept = []
        for part in found:
            if not part.text.strip():
                kept.append(part)
            elif not part.is_for(seat):
                quirks[Quirk.FOREIGN_PART] += 1
            elif part.kind == "strategy_hint" and not self.strategy_hints:
                quirks[Quirk.STRATEGY_HINT_DROPPED] += 1
            else:
                if part.kind in _HINT_QUIRKS:
                    quirks[_HINT_QUIRKS[part.kind]] += 1
                kept.append(part)
        return tuple(kept)


def composed(found: Iterable[Part]) -> str:
    """Parts of a goal as one text: first what is plain, then information and hints in order."""
    plain = ""
    asides = []
    for part in found:
        if part.kind == "plain":
            plain += part.text
        elif part.text.strip():
            asides.append(_aside(part))
    # A goal writes its information in brackets; without it they are empty.
    plain = re.sub(r"\([\s,;.]*\)", "", plain)
    text = sentence(plain)
    for aside in asides:
        text += ("\n" if "\n" in aside else " ") + aside
    return text.strip()


def untagged(text: str) -> tuple[Part, ...]:
    """A goal that somebody else took the tags out of, in the parts that its labels show."""
    found = []
    for piece in re.split(r"(?=Extra information:|Hint:|You know the following friends)", text):
        if piece.startswith("Hint:"):
            found.append(Part(piece, "clarification_hint"))
        elif piece.startswith(("Extra information:", "You know the following friends")):
            found.append(Part(piece, "extra_info"))
        else:
            found.append(Part(piece))
    if found[-1].kind != "plain" and found[0].text.rstrip().endswith("("):
        found[-1] = Part(found[-1].text.rstrip().removesuffix(")"), found[-1].kind)
        found.insert(1, Part(")"))
    return tuple(found)


def without_agent_names(text: str, seat: int, seats: int, quirks: Quirks) -> str:
    """A goal that names Agent1 or Agent2 in words that its player can read.

    The seat itself (Agent1 is seat 0) becomes "you", the other one of two "the other person". The
    goal stays as it is where a verb might have to agree, or where it is not clear who is meant.
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

    def called(name: re.Match[str]) -> str:
        mine = int(name["number"]) == seat + 1
        owns = bool(name["owns"])
        words = ("your" if owns else "you") if mine else "the other person" + "'s" * owns
        starts = re.search(r"(?:^|[.!?\n])\s*$", text[: name.start()]) is not None
        return words[0].upper() + words[1:] if starts else words

    return _AGENT.sub(called, text)


def mended(text: str, quirks: Quirks) -> str:
    """The text with unescaped quotation marks and a space between any two sentences."""
    unescaped = re.sub(r"\\(['\"])", r"\1", text)
    quirks[Quirk.ESCAPED_QUOTE] += unescaped != text
    parted = re.sub(r"(?<=[a-z])([.!?])(?=[A-Z][a-z ])", r"\1 ", unescaped)
    quirks[Quirk.GLUED_SENTENCES] += parted != unescaped
    return parted


def _aside(part: Part) -> str:
    """Information or a hint as a sentence, or as a list where it comes in lines."""
    label = _LABELS[part.kind]
    text = part.text.strip()
    labelled = text.startswith(label)
    text = text.removeprefix(label)
    lines = [re.sub(r"\s{2,}", "; ", line.strip()) for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        text = flat(text)
        return stopped(f"{label} {text}") if labelled else sentence(text)
    first = lines[0] if lines[0][-1] in ":.!?" else lines[0] + ":"
    return "\n".join([f"{label} {first}" if labelled else first, *(f"- {x}" for x in lines[1:])])


def sentence(text: str) -> str:
    """The text on one line, with a capital at its beginning and a full stop at its end."""
    text = flat(text)
    return stopped(text[:1].upper() + text[1:])


def stopped(text: str) -> str:
    """The text with a full stop at its end, unless it ends in a stop or in a quotation with one."""
    return text if not text or text.rstrip("\"')")[-1:] in (".", "!", "?") else text + "."


def flat(text: str) -> str:
    """The text on one line, with single spaces."""
    return re.sub(r"\s+", " ", text).strip()
