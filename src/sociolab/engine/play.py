"""An episode as a generator without I/O: it yields requests and events, and is sent replies."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from sociolab.core.episode import (
    Action,
    ActionSpace,
    Answered,
    Ended,
    Moved,
    Unusable,
)
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Play, Question, Reply, Request
from sociolab.engine.scene import FailurePolicy, Poll, Scene, Witness
from sociolab.engine.visibility import seen_by

DEFAULT_POLICY = FailurePolicy()


def play(
    scene: Scene, *, trial: str = "", seed: int = 0, policy: FailurePolicy = DEFAULT_POLICY
) -> Play:
    """Play a scene to its end.

    Round-robin: turn t belongs to the seat t mod N of those present (SOTOPIA section 2.3), and the
    limit counts turns. Simultaneous: each round asks all seats at once on the same observation,
    and the limit counts rounds. It ends when fewer than two seats remain (with two seats: when one
    leaves) or at the limit; the last event says why.
    """
    if len(scene.seats) < 2:
        raise WorldError(f"a scene needs at least 2 seats, this one has {len(scene.seats)}")
    table = _Table(scene, trial, seed, policy)
    turn = 0
    while turn < scene.limit:
        yield from table.poll(turn)
        failed = yield from table.ask(table.next_seats(turn), turn, scene.space)
        if failed and policy.then == "stop":
            yield Ended("failed turn", turn, failed)
            return
        turn += 1
        if len(table.present) < 2:
            yield from table.poll(turn)
            yield from table.poll(None)
            yield Ended("left", turn - 1, table.last_to_leave)
            return
    yield from table.poll(turn)
    yield from table.poll(None)
    yield Ended("turn limit", turn - 1)


@dataclass(slots=True)
class _Pending:
    """A request and, when its attempts are over, what came of it."""

    request: Request
    outcome: Moved | Answered | Unusable | None = None


class _Table:
    """The seats of an episode under way: who is present, and what each has seen."""

    def __init__(self, scene: Scene, trial: str, seed: int, policy: FailurePolicy) -> None:
        self.scene = scene
        self.trial = trial
        self.seed = seed
        self.policy = policy
        self.present = list(scene.seats)
        self.last_to_leave: str | None = None
        self.witnesses: dict[str, Witness] = {seat: scene.witness(seat) for seat in scene.seats}
        self._cursor = 0

    def next_seats(self, turn: int) -> tuple[str, ...]:
        """The seats that act at this turn."""
        if self.scene.order == "simultaneous":
            return tuple(self.present)
        seats = self.scene.seats
        while seats[self._cursor % len(seats)] not in self.present:
            self._cursor += 1
        seat = seats[self._cursor % len(seats)]
        self._cursor += 1
        return (seat,)

    def poll(self, at: int | None) -> Play:
        """The questions that are due before this turn, or at the end."""
        for poll in self.scene.polls:
            if poll.at == at:
                yield from self._put(poll, len(self.scene.seats) if at is None else at)

    def _put(self, poll: Poll, turn: int) -> Play:
        seats = tuple(seat for seat in poll.seats if seat in self.present or poll.at is None)
        if seats:
            yield from self.ask(seats, turn, poll.question)

    def ask(
        self, seats: tuple[str, ...], turn: int, wanted: ActionSpace | Question
    ) -> Generator[tuple[Request, ...] | Moved | Answered | Unusable, list[Reply | NoReply], str]:
        """Ask seats at once, again where a reply cannot be used; the seat that failed, or ""."""
        pending = [_Pending(self._request(seat, turn, wanted)) for seat in seats]
        while waiting := [p for p in pending if p.outcome is None]:
            replies = yield tuple(p.request for p in waiting)
            if replies is None or len(replies) != len(waiting):
                raise WorldError(f"{len(waiting)} requests need as many replies, got {replies}")
            for item, reply in zip(waiting, replies, strict=True):
                yield from self._take(item, reply)
        failed = ""
        for item in pending:
            if isinstance(item.outcome, Unusable):
                failed = item.outcome.seat
            elif isinstance(item.outcome, Moved):
                self._happen(item.outcome)
        return failed

    def _request(self, seat: str, turn: int, wanted: ActionSpace | Question) -> Request:
        observation = self.witnesses[seat].observe(turn)
        return Request(self.trial, self.seed, seat, turn, 1, wanted, observation)

    def _take(self, item: _Pending, reply: Reply | NoReply) -> Iterator[Moved | Answered | Unusable]:
        """Turn one reply into the one event that it is."""
        request = item.request
        if isinstance(reply, Reply):
            reply = self._checked(request, reply)
        if isinstance(reply, NoReply):
            final = not reply.again or request.attempt >= self.policy.attempts
            event = Unusable(
                request.turn,
                request.seat,
                request.name,
                request.attempt,
                reply.cause,
                reply.problem,
                reply.raw,
                final,
                reply.again,
                reply.memory,
            )
            yield event
            if final:
                item.outcome = event
            else:
                item.request = replace(
                    request, attempt=request.attempt + 1, problem=reply.problem
                )
            return
        item.outcome = _event(request, reply)
        yield item.outcome

    def _checked(self, request: Request, reply: Reply) -> Reply | NoReply:
        """The reply with seats for names, or why the scene does not allow it."""
        if isinstance(request.wanted, Question):
            if isinstance(reply.value, request.wanted.reply):
                return reply
            raise WorldError(
                f"the player of {request.seat} answered {request.name} with a "
                f"{type(reply.value).__name__}, expected a {request.wanted.reply.__name__}"
            )
        if not isinstance(reply.value, tuple):
            raise WorldError(
                f"the player of {request.seat} must act with a tuple of actions, "
                f"found a {type(reply.value).__name__}"
            )
        actions: list[Action] = []
        for action in reply.value:
            problem = _problem(action, request.wanted)
            seats: list[str] = []
            for name in action.to:
                known_seat = name in self.scene.seats  # a journaled reply holds seats already
                seat = name if known_seat else self.witnesses[request.seat].seat_called(name)
                if seat is None:
                    known = ", ".join(request.observation.others)
                    problem = problem or f'there is nobody called "{name}" here, but {known}'
                else:
                    seats.append(seat)
            if problem:
                return NoReply("not allowed", problem, raw=reply.raw or repr(reply.value), memory=reply.memory)
            actions.append(replace(action, to=tuple(seats)) if action.to else action)
        problem = _count_problem(len(actions), request.wanted.most)
        if problem:
            return NoReply("not allowed", problem, raw=reply.raw or repr(reply.value), memory=reply.memory)
        return Reply(tuple(actions), reply.memory)

    def _happen(self, move: Moved) -> None:
        for seat, witness in self.witnesses.items():
            seen = seen_by(move, seat)
            if seen is not None:
                witness.see(seen)
        if any(self.scene.space[action.kind].leaves for action in move.actions):
            self.present.remove(move.seat)
            self.last_to_leave = move.seat


def _event(request: Request, reply: Reply) -> Moved | Answered:
    if isinstance(reply.value, tuple):
        return Moved(request.turn, request.seat, reply.value, request.attempt, reply.memory)
    value = reply.value.model_dump(mode="json")
    return Answered(
        request.turn, request.seat, request.name, value, request.attempt, reply.memory
    )


def _problem(action: Action, space: ActionSpace) -> str:
    try:
        kind = space[action.kind]
    except KeyError:
        names = ", ".join(k.name for k in space.kinds)
        return f'"{action.kind}" is no kind of action here; choose one of: {names}'
    if kind.has_text and not action.text.strip():
        return f'"{action.kind}" needs a text'
    return ""


def _count_problem(found: int, most: int) -> str:
    if 1 <= found <= most:
        return ""
    return f"a turn holds 1 action, found {found}" if most == 1 else (
        f"a turn holds 1 to {most} actions, found {found}"
    )
