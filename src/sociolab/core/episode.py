"""An episode: who sat where, and what happened, as an append-only list of events."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from pydantic import BaseModel

from sociolab.core.errors import Cause, WorldError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

ACT = "act"
"""The name of the request that asks for a turn, as opposed to a named question."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a line means, as a built-in scripted player states it: an offer, an acceptance, ...

    `what` is the content, in the form that the world's scripted players agree on.
    """

    kind: str
    what: Json = None


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a seat does. `to` names the seats that it is meant for; empty: everybody.

    `acts` are written by built-in scripted players alone, which understand each other by them and
    not by the words; whoever sees the action sees them. `fields` holds the values of the fields
    that its kind has, such as {"points": 40}.

    >>> from sociolab.agents import Action
    >>> Action("offer", "Half each.", to=("ben",), fields={"points": 50})
    Action(kind='offer', text='Half each.', to=('ben',), acts=(), fields={'points': 50})
    """

    kind: str
    text: str = ""
    to: tuple[str, ...] = ()
    acts: tuple[Act, ...] = field(default=(), hash=False)  # JSON may not be hashable
    fields: Mapping[str, Json] = field(default_factory=dict, hash=False)

    @property
    def as_text(self) -> str:
        """One line to read.

        >>> from sociolab.agents import Action
        >>> Action("offer", "Half each.", fields={"points": 50}).as_text
        'offer (points: 50): Half each.'
        """
        values = ", ".join(f"{name}: {format_value(value)}" for name, value in self.fields.items())
        done = f"{self.kind} ({values})" if values else self.kind
        return f"{done}: {' '.join(self.text.split())}" if self.text else done


def format_value(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ActionKind:
    """A kind of action that a world knows, with what the rules need to know of it.

    `fields` is the type of what else belongs to it, each with a name and a range: it checks every
    reply, and prompts, JSON schemas and forms for people are made from it. `ends`: the episode is
    over once this was done, for this reason, such as "deal". `label` is what people choose it by,
    where that is not its name.

    `recipients`: an action may name those it is meant for if it takes a text ("optional"), it must
    ("required"), or it may not ("none"). Only its author and those it names learn of it. A seat
    that deals with one other names nobody: a required recipient is filled in.
    """

    name: str
    has_text: bool = True
    leaves: bool = False
    spoken: bool = False
    ends: str = ""
    fields: type[BaseModel] | None = None
    label: str = ""
    recipients: Literal["optional", "required", "none"] = "optional"

    @property
    def takes_recipients(self) -> bool:
        return self.recipients == "required" or (self.recipients == "optional" and self.has_text)

    def __post_init__(self) -> None:
        reserved = {"action", "text", "to"} & set(self.fields.model_fields if self.fields else ())
        if reserved:
            raise WorldError(
                f'the action "{self.name}" has a field "{min(reserved)}", which every action has; '
                "call it otherwise"
            )


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """The kinds of action of a world, and how many of them one turn may hold.

    `distinct`: no kind twice in a turn, and a kind without a text stands alone. `needs` are the
    tokens that a model's reply may take for each action: what is longer is cut and asked for again.

    >>> from sociolab.agents import ActionSpace
    >>> from sociolab.core import ActionKind
    >>> space = ActionSpace((ActionKind("speak", spoken=True), ActionKind("pass", has_text=False)))
    >>> space["speak"].has_text, space.get("leave")
    (True, None)
    """

    kinds: tuple[ActionKind, ...]
    most: int = 1
    distinct: bool = False
    needs: int = field(default=300, compare=False)
    # Worked out once: every turn looks kinds up, and prompts and schemas are kept by the space.
    _named: dict[str, ActionKind] = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_named", {kind.name: kind for kind in self.kinds})
        object.__setattr__(self, "_hash", hash((self.kinds, self.most, self.distinct)))

    def __hash__(self) -> int:
        return self._hash

    def __getitem__(self, name: str) -> ActionKind:
        return self._named[name]

    def get(self, name: str) -> ActionKind | None:
        return self._named.get(name)


@dataclass(frozen=True, slots=True)
class Moved:
    """A seat took its turn. `memory` is what its player carries to its next turn.

    >>> from sociolab.agents import Action
    >>> from sociolab.judging import Moved
    >>> move = Moved(0, "ann", (Action("speak", "Hello."),))
    >>> [action.text for action in move.actions if action.kind == "speak"]
    ['Hello.']
    """

    turn: int
    seat: str
    actions: tuple[Action, ...]
    attempt: int = 1
    memory: Json = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A seat answered a question that never enters the history.

    `optional`: nothing hangs on the answer, and it is shown to nobody (see `Question`).

    >>> from sociolab.judging import Answered
    >>> Answered(6, "ann", "closing", {"outcome": "agreed", "price": 220}).value["price"]
    220
    """

    turn: int
    seat: str
    question: str
    value: Json
    attempt: int = 1
    memory: Json = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply that could not be used: asked for again, or, if `final`, the turn failed.

    `name` is "act" or the question's; `raw` is the reply, verbatim. Where the question was
    `optional`, nothing failed: it stays unanswered.
    """

    turn: int
    seat: str
    name: str
    attempt: int
    cause: Cause
    problem: str
    raw: str
    final: bool
    again: bool = True
    memory: Json = None
    optional: bool = False


EndReason: TypeAlias = str
"""Why an episode ended: "left", "turn limit", "failed turn", "silence", "time is up", or in the
words of an action that ends it (`ActionKind.ends`)."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Why and when it was over: somebody left, the limit was reached, or a turn failed for good.

    "time is up" ends a life in a town, whose turns are steps of town time.

    "silence": somebody had nothing usable to say, and it ended there (a conversation task under a
    policy that goes on, which is not scored then; episodes of other programs, which stop at an
    empty turn).

    >>> from sociolab.testing import AnyPlayer, StockScene, play_scene
    >>> players = {"first": AnyPlayer(leave_rate=0), "second": AnyPlayer(leave_rate=0)}
    >>> play_scene(StockScene(limit=4), players)[-1]
    Ended(reason='turn limit', turn=3, seat=None)
    """

    reason: EndReason
    turn: int
    seat: str | None = None


@dataclass(frozen=True, slots=True)
class Happened:
    """What the world itself records: no reply of a player, and none is asked again for it.

    `seat` is "" where it is of nobody in particular; `what` says in which form `value` is.
    """

    turn: int
    seat: str
    what: str
    value: Json


Event: TypeAlias = Moved | Answered | Unusable | Happened | Ended


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a world: its seats in order, what its intervals cluster by, and its content.

    `cluster` is the scenario (SOTOPIA), session (AntEval) or task (STSS). `content` is the world's
    own record as JSON text, complete: an episode can be shown and judged without the data set.
    `roles` say what seats are in this task, such as {"player-1": "bard"}; figures stand by role.
    """

    id: str
    seats: tuple[str, ...]
    cluster: str
    content: str
    tags: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict, hash=False)


HUMAN = "human"
"""The label of an agent that is a person."""

AgentKind: TypeAlias = Literal["model", "rules", "person", "own code", "plugin", "imported"]
"""Who plays: a language model, rules of the world, a person, somebody's Python class, an agent that
a package registered, or whoever played what was imported."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Who plays. `label` is what people call it; what it is stands in the other fields.

    `name` is the model, the path of the class or the name of the player, whatever its options;
    `endpoint` is the model's ("" where nobody knows it). `settings` is a hash of everything that it
    was set up with, `temperature` that of a model where the user chose one. `code` is the digest of
    a class's source (`core.code_fingerprint`), None for all others.

    >>> from sociolab.core import Agent
    >>> Agent("lab/m?top_p=1", "model", "m", "lab").same_player(Agent("lab/m", "model", "m", "lab"))
    True
    """

    label: str
    kind: AgentKind
    name: str = ""
    endpoint: str = ""
    settings: str = ""
    temperature: float | None = None
    code: str | None = None

    def same_player(self, other: Agent) -> bool:
        """Whether both are one model, class or player, with any options. Two people are not."""
        identity, other_identity = ((a.kind, a.endpoint, a.name or a.label) for a in (self, other))
        return identity == other_identity and self.kind != "person"


NOBODY = Agent("", "imported")
"""Whoever played an episode that was made up, or labelled, without saying who did."""


@dataclass(frozen=True, slots=True)
class CastMember:
    seat: str
    identity: Agent = NOBODY

    @property
    def agent(self) -> str:
        return self.identity.label


@dataclass(frozen=True, slots=True)
class Trial:
    """A task with a cast, to be played once: one cell of a plan."""

    id: str
    world: str
    task: Task
    cast: tuple[CastMember, ...]
    repeat: int
    seed: int

    def agent(self, seat: str) -> str:
        """The label of the agent in this seat; KeyError if there is no such seat."""
        for member in self.cast:
            if member.seat == seat:
                return member.agent
        raise KeyError(seat)


class TurnCounts(NamedTuple):
    """How many turns failed for good, of all that were requested of a seat."""

    failed: int
    total: int


@dataclass(frozen=True, slots=True)
class Episode:
    """A trial and its events, in order; while it is being played, those so far.

    >>> from sociolab.app import load_world
    >>> from sociolab.testing import AnyPlayer, play_task
    >>> world = load_world("sotopia").world
    >>> task = world.tasks()[0]
    >>> episode = play_task(world, task, dict.fromkeys(task.seats, AnyPlayer(leave_rate=1)))
    >>> len(episode.moves), episode.ended.reason, episode.trial.task == task
    (1, 'left', True)
    """

    trial: Trial
    events: tuple[Event, ...]

    @property
    def moves(self) -> tuple[Moved, ...]:
        return tuple(event for event in self.events if isinstance(event, Moved))

    @property
    def failed_turns(self) -> tuple[Unusable, ...]:
        """The turns that failed for good, with their last reply; unanswered questions excluded."""
        return tuple(event for event in self._failed() if event.name == ACT)

    @property
    def failed_questions(self) -> tuple[Unusable, ...]:
        """The questions that failed for good, with their last reply; optional ones excluded."""
        return tuple(event for event in self._failed() if event.name != ACT)

    def _failed(self) -> Iterator[Unusable]:
        for event in self.events:
            if isinstance(event, Unusable) and event.final and not event.optional:
                yield event

    @property
    def turns_by_seat(self) -> dict[str, TurnCounts]:
        """The turns requested of each seat; a seat of which none was requested has no entry.

        Attempts at one turn count once. Questions count only in an episode without turns (a
        simulation of a town).

        >>> from sociolab.core import Action, Episode, Moved, Task, Trial, Unusable
        >>> moved = Moved(0, "ann", (Action("speak", "Hello."),))
        >>> failed = Unusable(2, "ann", "act", 3, "unreadable", "no JSON", "hm", final=True)
        >>> task = Task("t", ("ann", "ben"), "scenario", "{}")
        >>> Episode(Trial("x", "w", task, (), 0, 0), (moved, failed)).turns_by_seat
        {'ann': TurnCounts(failed=1, total=2)}
        """
        usable = Counter(event.seat for event in self.events if isinstance(event, Moved))
        failed = Counter(event.seat for event in self.failed_turns)
        if not usable and not failed:
            answers = [e for e in self.events if isinstance(e, Answered) and not e.optional]
            usable = Counter(event.seat for event in answers)
            failed = Counter(event.seat for event in self.failed_questions)
        counts = usable + failed
        return {seat: TurnCounts(failed[seat], count) for seat, count in counts.items()}

    @property
    def ended(self) -> Ended | None:
        """The last event of a finished episode; None while it is still being played."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Ended) else None
