"""An episode made ready to be read on a page: lines with their marks, notes with what was wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from sociolab.analysis.credit_words import with_credit
from sociolab.app.crediting.credited import credit_of
from sociolab.app.finding.worlds import told
from sociolab.core.episode import Answered, Episode, Moved, Unusable
from sociolab.core.ports import Line, Note, Transcript
from sociolab.report.html import private_part
from sociolab.report.shown import Shown, shown
from sociolab.store.sqlite import Store
from sociolab.store.watching import CallPlace, Place, call_places, place_of

LONGEST = 20_000
"""Characters of one text on a page; downloads hold all of it."""
_COLOURS = 6


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as a page shows it, and how many characters it leaves out."""

    text: str
    left: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph of the scene: what lies open, and what is private to somebody."""

    heading: str
    open: Cut
    private: Cut


@dataclass(frozen=True, slots=True)
class Said:
    """A line: `number` counts turns from 1, `colour` speakers from 1, round and round.

    `call` is the model call that it came from; `found`: holds what was searched for; `credits` are
    what a judge thinks that it moved, in words.
    """

    number: int
    who: str
    colour: int
    text: Cut
    call: int | None
    found: bool
    credits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """A note among the lines. `raw` is the reply that could not be used, if it is of one."""

    text: Cut
    trouble: bool
    raw: Cut | None = None
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """An episode to read; `seat`: only what that seat saw. `events` counts what has happened."""

    episode: Episode
    place: Place
    shown: Shown
    scene: tuple[Part, ...]
    course: tuple[Said | Aside, ...]
    seat: str | None
    events: int


def reading(
    store: Store, run: str, trial: str, seat: str | None = None, words: str = ""
) -> Reading:
    """The episode as all of it happened, or as one of its seats saw it; `words` are marked."""
    episode = store.episode(run, trial)
    transcript = told(episode, seat)
    judgings = () if seat else store.judgings(run, trial=trial)
    read = shown(episode, transcript, judgings)
    scene = tuple(_part(heading, text) for heading, text in transcript.scene)
    calls = {} if seat else _calls(call_places(store, store.run_pk(run), trial))
    credit = {} if seat else _credit(store, run, trial)
    course = tuple(_course(episode, transcript, read, calls, credit, words))
    return Reading(
        episode, place_of(store, run, trial), read, scene, course, seat, len(episode.events)
    )


def cut(text: str) -> Cut:
    """The text, its end left out where it is too long for a page."""
    return Cut(text[:LONGEST], max(0, len(text) - LONGEST))


def _part(heading: str, text: str) -> Part:
    lies_open, private = private_part(text)
    return Part(heading, cut(lies_open), cut(private))


def _calls(places: Sequence[CallPlace]) -> Mapping[tuple[int, str, str, int], int]:
    return {(one.turn, one.seat, one.name, one.attempt): one.pk for one in places}


def _credit(store: Store, run: str, trial: str) -> Mapping[int | None, tuple[str, ...]]:
    """What judges of turns said, by turn; None for the sums."""
    found: dict[int | None, tuple[str, ...]] = {}
    for note in with_credit(Transcript("", (), ()), credit_of(store, run, trial)).notes:
        found[note.turn] = (*found.get(note.turn, ()), note.text)
    return found


def _course(
    episode: Episode,
    transcript: Transcript,
    read: Shown,
    calls: Mapping[tuple[int, str, str, int], int],
    credit: Mapping[int | None, tuple[str, ...]],
    words: str,
) -> Iterator[Said | Aside]:
    speakers = list(dict.fromkeys(line.who for line in transcript.lines))
    came_from = _came_from(episode, transcript)
    failed = _failed(episode, transcript)
    wanted = [word for word in words.casefold().split() if any(map(str.isalnum, word))]
    spoken = 0
    for item in read.course:
        if isinstance(item, Note):
            yield _aside(item, failed.get(id(item)), calls)
            continue
        call = calls.get(came_from[spoken]) if came_from else None
        spoken += 1
        folded = item.text.casefold()
        yield Said(
            item.turn + 1,
            item.who,
            speakers.index(item.who) % _COLOURS + 1,
            cut(_without_name(item)),
            call,
            bool(wanted) and any(word in folded for word in wanted),
            credit.get(item.turn, ()),
        )
    yield from (Aside(cut(text), trouble=False) for text in credit.get(None, ()))


def _without_name(line: Line) -> str:
    """What follows the speaker's name, as the page shows that by itself."""
    return line.text[len(line.who) :] if line.text.startswith(line.who) else f" {line.text}"


def _came_from(episode: Episode, transcript: Transcript) -> list[tuple[int, str, str, int]]:
    """The request behind each line; nothing where lines cannot be told to be of requests."""
    moves = [e for e in episode.events if isinstance(e, Moved)]
    if moves and len(moves) == len(transcript.lines):
        return [(e.turn, e.seat, "act", e.attempt) for e in moves]
    spoken = [e for e in episode.events if isinstance(e, Answered) and e.question == "utter"]
    if spoken and len(spoken) == len(transcript.lines):
        return [(e.turn, e.seat, e.question, e.attempt) for e in spoken]
    return []


def _failed(episode: Episode, transcript: Transcript) -> Mapping[int, Unusable]:
    """The reply behind each note of trouble (by `id`): worlds note them all, as they came, but for
    answers to optional questions, which no transcript holds."""
    notes = [note for note in transcript.notes if note.trouble]
    replies = [e for e in episode.events if isinstance(e, Unusable) and not e.optional]
    if len(notes) != len(replies):
        return {}
    return {id(note): reply for note, reply in zip(notes, replies, strict=True)}


def _aside(
    note: Note, failed: Unusable | None, calls: Mapping[tuple[int, str, str, int], int]
) -> Aside:
    if failed is None:
        return Aside(cut(note.text), note.trouble)
    call = calls.get((failed.turn, failed.seat, failed.name, failed.attempt))
    return Aside(cut(note.text), note.trouble, cut(failed.raw) if failed.raw else None, call)


def words_of(episode: Episode) -> str:
    """All words of an episode, as a search looks through them."""
    read = told(episode)
    parts = chain(
        (read.title,),
        chain.from_iterable(read.scene),
        (line.text for line in read.lines),
        (note.text for note in read.notes),
    )
    return "\n".join(parts)
