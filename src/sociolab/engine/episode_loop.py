"""An episode as a generator without I/O: it yields requests and events, and is sent replies."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from sociolab.core.episode import ActionSpace, Answered, Ended, Moved, Unusable
from sociolab.core.errors import WorldError
from sociolab.core.ports import NoReply, Play, Question, Reply, Request, Sent
from sociolab.engine.checking import check_reply
from sociolab.engine.journal import Recorded, reply_event, unusable_event
from sociolab.engine.scene import FailurePolicy, Scene, SeatSpaces, check_scene
from sociolab.engine.visibility import seat_leaves, visible_part

DEFAULT_POLICY = FailurePolicy()


def play(
    scene: Scene, *, trial: str = "", seed: int = 0, policy: FailurePolicy = DEFAULT_POLICY
) -> Play:
    """Play a scene to its end.

    Round-robin: turn t belongs to seat t mod N (SOTOPIA section 2.2), passing over those who left,
    and the limit counts turns. Simultaneous: each round asks all seats at once on what they saw
    before it, and the limit counts rounds. It ends when fewer than two seats remain (with two
    seats: when one leaves), where an action ends it, at the limit, or at a failed turn where the
    policy says so; then the last questions are put, and the last event says why and when it ended.

    >>> import sociolab.plugin.api as lab
    >>> space = lab.ActionSpace((lab.ActionKind("speak"),))
    >>> scene = lab.OpenScene({"ann": "You are Ann.", "ben": "You are Ben."}, space, limit=2)
    >>> game = lab.play(scene, trial="t1")
    >>> (request,) = next(game)
    >>> request.seat, request.name
    ('ann', 'act')
    >>> event = game.send([lab.Reply((lab.Action("speak", "Hello."),))])
    >>> event.seat, event.actions[0].text
    ('ann', 'Hello.')
    """
    check_scene(scene)
    seats = _SeatStates(scene, trial, seed, policy)
    turn = 0
    ended = None
    while ended is None:
        if scene.polls:
            yield from seats.poll(turn)
        failed = yield from seats.act(turn)
        if failed and policy.then == "stop":
            ended = Ended("failed turn", turn, failed)
        elif seats.over:
            ended = Ended(seats.over[0], turn, seats.over[1])
        elif len(seats.present) < 2:
            ended = Ended("left", turn, seats.last_to_leave)
        elif turn + 1 >= scene.limit:
            ended = Ended("turn limit", turn)
        turn += 1
    yield from seats.poll(turn, over=True)
    yield ended


_Asking: TypeAlias = Generator[tuple[Request, ...] | Moved | Answered | Unusable, Sent, str]
"""Returns the seat whose turn failed, or ""."""


@dataclass(slots=True)
class _Pending:
    """A request and, after its last attempt, the event that it ended in."""

    request: Request
    outcome: Moved | Answered | Unusable | None = None


class _SeatStates:
    """The seats of an episode under way: who is present, and what each has seen."""

    def __init__(self, scene: Scene, trial: str, seed: int, policy: FailurePolicy) -> None:
        self._scene = scene
        self._spaces = scene if isinstance(scene, SeatSpaces) else None
        self._seats = scene.seats
        self._trial = trial
        self._seed = seed
        self._policy = policy
        self._left: dict[str, int] = {}
        self._witnesses = {seat: scene.witness(seat) for seat in self._seats}
        self._cursor = 0
        self.over: tuple[str, str] | None = None

    @property
    def present(self) -> tuple[str, ...]:
        return tuple(seat for seat in self._seats if seat not in self._left)

    @property
    def last_to_leave(self) -> str:
        return list(self._left)[-1]

    def _next_seats(self) -> tuple[str, ...]:
        if self._scene.order == "simultaneous":
            return self.present
        seats = self._seats
        while seats[self._cursor % len(seats)] in self._left:
            self._cursor += 1
        seat = seats[self._cursor % len(seats)]
        self._cursor += 1
        return (seat,)

    def poll(self, turn: int, *, over: bool = False) -> Play:
        """Put the questions that are due after this many turns.

        Seats are asked at the same time; a seat with several questions gets one after the other.
        """
        waiting: dict[str, dict[str, Question]] = {}
        for poll in self._scene.polls:
            if poll.at != turn and not (over and poll.at is None):
                continue
            for seat in poll.seats:
                if poll.at is None or seat not in self._left:
                    waiting.setdefault(seat, {}).setdefault(poll.question.name, poll.question)
        while waiting:
            yield from self._ask(
                turn,
                {seat: next(iter(questions.values())) for seat, questions in waiting.items()},
                last=[seat for seat, questions in waiting.items() if over and len(questions) == 1],
            )
            for questions in waiting.values():
                del questions[next(iter(questions))]
            waiting = {seat: questions for seat, questions in waiting.items() if questions}

    def act(self, turn: int) -> _Asking:
        """Have the next seat, or all of them, act."""
        return self._ask(turn, {seat: self._space_of(seat, turn) for seat in self._next_seats()})

    def _space_of(self, seat: str, turn: int) -> ActionSpace:
        if self._spaces is None:
            return self._scene.space
        space = self._spaces.space_of(seat, turn)
        for kind in space.kinds:
            declared = self._scene.space.get(kind.name)
            if declared is None or replace(kind, fields=declared.fields) != declared:
                raise WorldError(
                    f'the scene lets {seat} "{kind.name}" in turn {turn + 1}, which is no kind of '
                    "action in its space; add it there"
                )
        return space

    def _ask(
        self,
        turn: int,
        expected: Mapping[str, ActionSpace | Question],
        last: Collection[str] = (),
    ) -> _Asking:
        """Ask seats at the same time, again where a reply cannot be used.

        For the seats in `last` these are the last requests of the episode.
        """
        pending = [
            _Pending(
                Request(
                    self._trial,
                    self._seed,
                    seat,
                    turn,
                    1,
                    space_or_question,
                    self._witnesses[seat].observe(turn),
                    space=self._scene.space,
                    last=seat in last,
                )
            )
            for seat, space_or_question in expected.items()
        ]
        while waiting := [item for item in pending if item.outcome is None]:
            replies = yield tuple([item.request for item in waiting])
            if replies is None or len(replies) != len(waiting):
                raise WorldError(f"{len(waiting)} requests need as many replies, found {replies}")
            for item, reply in zip(waiting, replies, strict=True):
                yield self._take(item, reply)
        failed = ""
        for item in pending:
            if isinstance(item.outcome, Unusable):
                failed = item.outcome.seat
            elif isinstance(item.outcome, Moved):
                self._apply(item.outcome)
        return failed

    def _take(self, item: _Pending, received: object) -> Moved | Answered | Unusable:
        """The event that records a reply; an unusable one is followed by another attempt."""
        request = item.request
        is_recorded = isinstance(received, Recorded)  # its `to` holds seats, not names
        seat_called = (
            (lambda seat: seat if seat in self._seats else None)
            if is_recorded
            else self._witnesses[request.seat].seat_called
        )
        reply = check_reply(request, received, self.present, seat_called)
        if isinstance(reply, Reply) and not is_recorded:
            reply = self._check_complaint(request, reply)
        if isinstance(reply, Reply):
            item.outcome = reply_event(request, reply)
            return item.outcome
        final = self._policy.is_final(request, reply)
        unusable = unusable_event(request, reply, final=final)
        if final:
            item.outcome = unusable
        else:
            item.request = request.again(reply)
        return unusable

    def _check_complaint(self, request: Request, reply: Reply) -> Reply | NoReply:
        """The reply, or its question's complaint about it if there is another attempt."""
        question = request.expected
        if not isinstance(question, Question) or question.complaint is None:
            return reply
        problem = question.complaint(reply.value, request.observation.history)
        if not problem or request.attempt >= self._policy.attempts:
            return reply
        return NoReply("not allowed", problem, reply.raw or repr(reply.value), memory=reply.memory)

    def _apply(self, move: Moved) -> None:
        """Show a move to those who may see it, and let it end the episode or empty its seat.

        A seat that left in an earlier turn sees nothing more.
        """
        for seat, witness in self._witnesses.items():
            visible = visible_part(move, seat)
            if visible is not None and move.turn <= self._left.get(seat, move.turn):
                witness.see(visible)
        for action in move.actions:
            kind = self._scene.space.get(action.kind)
            if kind is not None and kind.ends and self.over is None:
                self.over = (kind.ends, move.seat)
        if seat_leaves(move, self._scene.space):
            self._left[move.seat] = move.turn
