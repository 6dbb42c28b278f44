"""One live episode: what people send, what partners reply, and what has happened so far."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sociolab.agents.human import LEFT, SKIPPED, SeatedPlayer, missed_turns
from sociolab.core.episode import (
    Action,
    ActionSpace,
    Answered,
    Episode,
    Event,
    Json,
    Moved,
    Trial,
    Unusable,
)
from sociolab.core.errors import ModelError, SociolabError, StoreError
from sociolab.core.metrics import Declared
from sociolab.core.ports import NoReply, Player, Question, Reply, Request, World
from sociolab.core.reading import first_problem
from sociolab.engine.checking import check_reply
from sociolab.engine.driver import drive
from sociolab.report.words import sanitize
from sociolab.studies.screen import (
    Asking,
    SeatScene,
    build_asking,
    explain_end_early,
    seat_view,
    split_sections,
)

LONGEST_TEXT = 4000
"""Characters of one action."""
LARGEST_ANSWER = 20_000
"""Characters of an answer to a question aside, as JSON."""
DEEPEST = 10
"""Levels of lists and objects in such an answer."""
CUT_OFF = "This was interrupted. It will be sent again when the conversation resumes."
OVER = "This conversation is over; nothing more can be added to it."
PATIENCE = 0.25
"""Seconds to wait for an answer to become an event before it is stored separately: where several
seats are asked at once, no answer becomes an event before all have arrived."""


class NotTaken(SociolabError):  # noqa: N818  a state of affairs
    """Something a person sent that cannot be used; it stays in their form."""


class Stale(SociolabError):  # noqa: N818  a state of affairs
    """Something sent for a turn that is over, or was answered otherwise already."""


class CutOff(SociolabError):  # noqa: N818  a state of affairs
    """Something sent while the episodes were being stopped; to be sent again when they resume."""


class GoneError(SociolabError):
    """A person left, or let too many turns in a row go by."""

    def __init__(self, seat: str, how: str) -> None:
        super().__init__(f"the person in the seat {seat} {how}")
        self.seat = seat


class SentAction(BaseModel):
    """One action of a turn; `to` holds the recipients' names as the screen shows them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Annotated[str, Field(max_length=100)]
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    to: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=16)] = ()
    fields: dict[str, Any] = {}

    @field_validator("fields")
    @classmethod
    def _not_too_deep(cls, fields: dict[str, Any]) -> dict[str, Any]:
        check_depth(fields)
        return fields


class Sent(BaseModel):
    """An answer and the request that it answers, so that a resubmission counts once.

    `skipped`: an optional question is left unanswered.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial: Annotated[str, Field(max_length=64)]
    turn: Annotated[int, Field(ge=0, le=1_000_000)]
    name: Annotated[str, Field(max_length=100)] = "act"
    attempt: Annotated[int, Field(ge=1, le=1000)] = 1
    actions: Annotated[tuple[SentAction, ...], Field(max_length=16)] = ()
    answer: dict[str, Any] | None = None
    skipped: bool = False

    @field_validator("answer")
    @classmethod
    def _not_too_deep(cls, answer: dict[str, Any] | None) -> dict[str, Any] | None:
        check_depth(answer)
        return answer

    @property
    def key(self) -> Key:
        return Key(self.turn, self.name, self.attempt)

    @property
    def content(self) -> dict[str, Any]:
        """What it says, as JSON."""
        return self.model_dump(mode="json", include={"actions", "answer", "skipped"})


@dataclass(frozen=True, slots=True)
class Key:
    """Identifies a request to a seat in an episode."""

    turn: int
    name: str
    attempt: int

    @classmethod
    def from_request(cls, request: Request) -> Key:
        return cls(request.turn, request.name, request.attempt)


@dataclass(frozen=True, slots=True)
class EpisodeContext:
    """What a live episode needs of its study.

    `write` puts an event on disk, `keep` an answer that is no event yet; `changed` is called when a
    screen may look different. `release` lets the person in a seat continue while others still
    answer their last question; it gets their answer if that is no event yet.
    """

    world: World
    declared: Declared
    partners: Mapping[str, Player]
    turn_seconds: float
    missed: int
    write: Callable[[Event], None]
    keep: Callable[[str, Sent], None]
    changed: Callable[[], None]
    release: Callable[[str, Sent | None], None]


@dataclass
class LiveEpisode:
    """A trial played by `drive`. For one that is resumed, `journal` holds its events, `answers` the
    last answers by seat, and `released` the seats whose people have gone on."""

    context: EpisodeContext
    trial: Trial
    people: Sequence[str]
    journal: tuple[Event, ...] = ()
    answers: Mapping[str, Sent] = field(default_factory=dict)
    released: Collection[str] = ()

    def __post_init__(self) -> None:
        self._interrupted = False
        self._events = list(self.journal)
        self._requests: dict[str, Request] = {}
        self._optional: set[str] = set()
        self._finished: dict[str, Request] = {}
        self._latest: Request | None = None
        self._accepted: dict[tuple[str, Key], _AcceptedAnswer] = {}
        self._scenes: dict[str, tuple[int, SeatScene]] = {}
        self._seats = {
            seat: SeatedPlayer(self.context.turn_seconds, self.context.changed)
            for seat in self.people
        }
        for seat in self.released:
            if seat not in self.answers:
                self._seats[seat].leave()

    # ------------------------------------------------------------------ playing

    async def play(self) -> Episode:
        """Play to the end; GoneError where a person leaves, ModelError and others where a partner
        fails."""
        trial = self.trial
        players: dict[str, Player] = {
            seat: _AnnouncedPlayer(
                self, self._seats[seat] if seat in self._seats else self.context.partners[agent]
            )
            for seat, agent in ((member.seat, member.agent) for member in trial.cast)
        }
        play = self.context.world.play(trial.task, trial.id, trial.seed)
        try:
            return Episode(trial, await drive(play, players, self._record, self.journal))
        except (asyncio.CancelledError, StoreError):
            self._interrupted = True  # it will be resumed from what is on disk
            raise
        finally:
            for answer in self._accepted.values():
                if not answer.written.done():
                    answer.written.cancel()

    def _record(self, event: Event) -> None:
        self.context.write(event)
        self._events.append(event)
        if isinstance(event, Moved | Answered | Unusable):
            answer = self._accepted.get((event.seat, event_key(event)))
            if answer is not None and not answer.written.done():
                answer.written.set_result(None)
        # A partner that will be asked again is not shown: people are never asked so.
        hidden = isinstance(event, Unusable) and not event.final and event.seat not in self._seats
        if not hidden:
            self.context.changed()
        if isinstance(event, Unusable) and event.name in self._optional:
            return
        if isinstance(event, Unusable) and event.seat in self._seats and event.final:
            missed = missed_turns(event.memory)
            if event.problem == LEFT:
                raise GoneError(event.seat, "left")
            if missed >= self.context.missed:
                raise GoneError(event.seat, f"let {missed} turns go by unanswered")
        elif isinstance(event, Unusable) and event.final and event.cause == "timeout":
            self._miss(event.seat)

    def _miss(self, seat: str) -> None:
        """Fail a partner that lets as many turns go by as a person may."""
        own = [
            event
            for event in self._events
            if getattr(event, "seat", None) == seat
            and not (isinstance(event, Unusable) and event.name in self._optional)
        ]
        missed = own[-self.context.missed :]
        if len(missed) == self.context.missed and all(
            isinstance(e, Unusable) and e.final and e.cause == "timeout" for e in missed
        ):
            raise ModelError(
                f"the partner in the seat {seat} let {len(missed)} turns go by", cause="timeout"
            )

    def begin(self, request: Request) -> None:
        """Called when a seat is asked."""
        self._requests[request.seat] = self._latest = request
        if request.optional:
            self._optional.add(request.name)
        self._release()
        if request.attempt == 1 or request.seat in self._seats:
            self.context.changed()
        sent = self.answers.get(request.seat)
        if sent is not None and sent.key == Key.from_request(request):
            # It was answered before the server stopped.
            asyncio.get_running_loop().call_soon(self._take, request.seat, request, sent)

    def end(self, request: Request) -> None:
        """Called when the seat has replied, or failed to."""
        self._requests.pop(request.seat, None)

    def replied(self, request: Request) -> None:
        """Release the person if this was the last, optional question: they need not wait for
        others."""
        if request.last and request.optional and request.seat in self._seats:
            self._finished[request.seat] = request
            self._release()

    def _release(self) -> None:
        """Release those who have nothing more to answer, if others still have."""
        while self._requests and self._finished:
            seat, request = self._finished.popitem()
            answer = self._accepted.get((seat, Key.from_request(request)))
            unwritten = answer is not None and not answer.written.done()
            self.context.release(seat, answer.sent if answer and unwritten else None)
            if answer and unwritten:
                answer.written.set_result(None)

    # ------------------------------------------------------------------ people

    async def act(self, seat: str, sent: Sent) -> None:
        """Accept an answer; it is on disk when this returns.

        NotTaken where it cannot be used, Stale where it answers what is not asked (any more).
        Sending the same answer again has no effect.
        """
        answer = self._accepted.get((seat, sent.key)) or self._find_in_journal(seat, sent)
        if answer is None:
            if self._latest is None:
                raise CutOff(CUT_OFF)  # it is just being resumed
            pending = self._seats[seat].pending
            if pending is None or Key.from_request(pending.request) != sent.key:
                raise Stale("It is no longer your turn. Please look at what has happened since.")
            answer = self._take(seat, pending.request, sent)
        elif answer.sent.content != sent.content:
            raise Stale("You have already taken this turn, perhaps in another window.")
        try:
            await asyncio.wait_for(asyncio.shield(answer.written), PATIENCE)
        except TimeoutError:
            self.context.keep(seat, sent)
        except asyncio.CancelledError:
            if not answer.written.cancelled():
                raise
            raise (CutOff(CUT_OFF) if self._interrupted else Stale(OVER)) from None

    def leave(self, seat: str) -> None:
        """The person leaves: the episode ends when it is their turn, at the latest."""
        self._seats[seat].leave()

    def _take(self, seat: str, request: Request, sent: Sent) -> _AcceptedAnswer:
        value = decode_reply(sent, request)
        if not self._seats[seat].answer(value):
            raise Stale("The time for this turn is over.")
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        answer = self._accepted[seat, sent.key] = _AcceptedAnswer(sent, written)
        return answer

    def _find_in_journal(self, seat: str, sent: Sent) -> _AcceptedAnswer | None:
        """An answer that was accepted before the server restarted."""
        for event in self.journal:
            if not isinstance(event, Moved | Answered) or event.seat != seat:
                continue
            if event_key(event) == sent.key and _matches(event, sent):
                written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                written.set_result(None)
                return _AcceptedAnswer(sent, written)
        return None

    # ------------------------------------------------------------------ screens

    def asking(self, seat: str) -> Asking | None:
        pending = self._seats[seat].pending
        if pending is None or (seat, Key.from_request(pending.request)) in self._accepted:
            return None
        seconds_left = pending.deadline - asyncio.get_running_loop().time()
        over, request = "", pending.request
        if request.last:
            over = explain_end_early(
                self._events, seat, len(self.trial.cast), request.space, self.context.declared
            )
        return build_asking(request, seconds_left, over)

    def scene(self, seat: str) -> SeatScene:
        cached = self._scenes.get(seat)
        if cached is None or cached[0] != len(self._events):
            cached = self._scenes[seat] = (len(self._events), self._scene(seat))
        latest, request = self._latest, self._requests.get(seat)
        return cached[1].model_copy(
            update={
                "you": request.observation.you if request else cached[1].you,
                "turn": latest.turn + 1 if latest else None,
                "limit": latest.observation.limit if latest else None,
                "others_busy": any(other != seat for other in self._requests),
            }
        )

    def _scene(self, seat: str) -> SeatScene:
        episode = Episode(self.trial, tuple(self._events))
        head, lines = seat_view(self.context.world, self.context.declared, episode, seat)
        intro, sections = split_sections(head)
        return SeatScene(
            trial=self.trial.id,
            you=self._scenes[seat][1].you if seat in self._scenes else "",
            intro=intro,
            sections=sections,
            history=lines,
            turn=None,
            limit=None,
            others_busy=False,
            several=len(self.trial.cast) > 2,
        )


@dataclass(slots=True)
class _AcceptedAnswer:
    """An accepted answer; `written` is done when it is on disk."""

    sent: Sent
    written: asyncio.Future[None]


@dataclass(frozen=True, slots=True)
class _AnnouncedPlayer:
    """Tells the episode who is asked."""

    episode: LiveEpisode
    player: Player

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.episode.begin(request)
        try:
            reply = await self.player.reply(request, memory)
        except ModelError as error:
            if not request.optional:
                raise
            # Raised anew, as an error of this call alone: the conversation is over, and a budget
            # that is spent now only stops later episodes.
            raise ModelError(str(error), cause=error.cause, tries=error.tries) from error
        finally:
            self.episode.end(request)
        self.episode.replied(request)
        return reply


def _matches(event: Moved | Answered, sent: Sent) -> bool:
    """Whether an event records what was sent; recipients are not compared, since the event has
    seats and `sent` has names."""
    if isinstance(event, Answered):
        return sent.answer is not None
    recorded = [(act.kind, act.text, act.fields.keys()) for act in event.actions]
    return recorded == [(act.kind, act.text.strip(), act.fields.keys()) for act in sent.actions]


def event_key(event: Moved | Answered | Unusable) -> Key:
    match event:
        case Moved():
            return Key(event.turn, "act", event.attempt)
        case Answered():
            return Key(event.turn, event.question, event.attempt)
        case Unusable():
            return Key(event.turn, event.name, event.attempt)


def decode_reply(sent: Sent, request: Request) -> tuple[Action, ...] | BaseModel | NoReply:
    """Decode what was sent as a reply; NotTaken says what is wrong with it."""
    requested = request.expected
    if sent.skipped and request.optional:
        return NoReply("gave up", SKIPPED, again=False)
    if not isinstance(requested, Question):
        return _decode_actions(sent, requested, request)
    if sent.answer is None:
        raise NotTaken("This is a question: please fill in its form.")
    try:
        value = requested.reply.model_validate(_clean_all(sent.answer))
        long = len(value.model_dump_json()) > LARGEST_ANSWER
    except ValidationError as error:
        raise NotTaken(f"{first_problem(error)}.") from error
    if long:
        raise NotTaken(f"This answer is too long: please use at most {LARGEST_ANSWER} characters.")
    return value


def _decode_actions(sent: Sent, space: ActionSpace, request: Request) -> tuple[Action, ...]:
    actions = tuple(
        Action(
            action.kind,
            _clean(action.text) if _takes_text(space, action.kind) else "",
            action.to,
            fields=_clean_all(action.fields),
        )
        for action in sent.actions
    )
    seats = request.observation.others
    result = check_reply(
        request, Reply(actions), seats, lambda name: name if name in seats else None
    )
    if isinstance(result, NoReply):
        raise NotTaken(f"{result.problem[:1].upper()}{result.problem[1:]}.")
    assert isinstance(result.value, tuple)
    return result.value


def _takes_text(space: ActionSpace, kind: str) -> bool:
    spec = space.get(kind)
    return spec is None or spec.has_text


def _clean(text: str) -> str:
    return sanitize(text).strip()


def _clean_all(value: Any) -> Any:
    match value:
        case str():
            return _clean(value)
        case list():
            return [_clean_all(item) for item in value]
        case dict():
            return {str(key): _clean_all(item) for key, item in value.items()}
        case _:
            return value


def check_depth(answer: dict[str, Any] | None) -> None:
    """ValueError where an answer is nested deeper than any form asks for."""
    if not _shallow(answer, DEEPEST):
        raise ValueError(f"an answer holds at most {DEEPEST} lists inside each other")


def _shallow(value: Any, most: int) -> bool:
    if not isinstance(value, list | dict):
        return True
    inside = value.values() if isinstance(value, dict) else value
    return most > 0 and all(_shallow(item, most - 1) for item in inside)
