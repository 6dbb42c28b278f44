"""An episode: who was in which seat, and what happened, as an append-only list of events."""

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
    """One action of a seat. `to` names the seats that it is meant for; empty: everybody.

    `acts` are set by built-in scripted players only, which understand each other by them and not by
    the text; whoever sees the action sees them. `fields` holds the values of the fields of its
    kind, such as {"points": 40}.

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
    """A kind of action of a world.

    `fields` is the type of its further fields, each with a name and a range: it validates every
    reply, and prompts, JSON schemas and people's forms are made from it. `ends`: such an action
    ends the episode, for this reason, such as "deal". `label` is its name in people's forms, if
    that differs.

    `recipients`: an action may name recipients if it takes a text ("optional"), it must
    ("required"), or it may not ("none"). Only its author and the recipients learn of it. With a
    single partner, a required recipient is filled in.

    >>> from pydantic import BaseModel, Field
    >>> import sociolab.plugin.api as lab
    >>> class Points(BaseModel):
    ...     points: int = Field(ge=0, le=100)
    >>> offer = lab.ActionKind("offer", fields=Points, spoken=True)
    >>> accept = lab.ActionKind("accept", has_text=False, ends="deal")
    >>> offer.takes_recipients, accept.takes_recipients
    (True, False)
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
    """The kinds of action of a world, and how many actions (`most`) a turn may hold.

    `distinct`: no kind twice in a turn, and a kind without a text stands alone. `needs` are the
    tokens that a model's reply may take for each action: a longer one is cut off and retried.

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
    # Computed once: every turn looks kinds up, and prompts and schemas are cached by the space.
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
    """A seat took its turn. `memory` is what its player gets back at its next request.

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
    """A seat answered a question; the answer never enters the history.

    `optional`: nothing depends on the answer, and nobody sees it (see `Question`).

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
    """An unusable reply: it is retried, or, if `final`, the turn failed.

    `name` is "act" or the question's; `raw` is the reply, verbatim. An `optional` question does not
    fail but stays unanswered.
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
    """Why and when the episode ended: somebody left, the limit was reached, or a turn failed.

    "time is up" ends a simulation of a town, whose turns are steps of simulated time.

    "silence": a seat had no usable reply, and the episode ended there. That occurs in conversation
    tasks under the policy "skip", which are then not scored, and in episodes of other programs,
    which stop at an empty turn.

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
    """Something that the world itself records; it is not a player's reply.

    `seat` is "" if it concerns nobody in particular; `what` names the kind of `value`.
    """

    turn: int
    seat: str
    what: str
    value: Json


ARCHIVED = "archived"
"""What happened where an imported episode came with facts of its own, such as the tag of its
experiment; no play makes it, and a replay passes over it."""

Event: TypeAlias = Moved | Answered | Unusable | Happened | Ended


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a world: its seats in order, its cluster for intervals, and its content.

    `cluster` is the scenario (SOTOPIA), session (AntEval) or task (STSS). `content` is the world's
    complete record as JSON text, so that an episode can be shown and judged without the data set.
    `roles` are the roles of seats in this task, such as {"player-1": "bard"}; results are also
    given by role.

    >>> import sociolab.plugin.api as lab
    >>> lab.Task("game-1", ("ann", "ben"), cluster="game-1", content='{"points": 100}').seats
    ('ann', 'ben')
    """

    id: str
    seats: tuple[str, ...]
    cluster: str
    content: str
    tags: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict, hash=False)


HUMAN = "human"
"""The label of an agent that is a person."""
PARTICIPANT = "participant"
"""The name of people in a study: another person in each seat, as need not be so at a terminal."""

AgentKind: TypeAlias = Literal[
    "model", "rules", "person", "own code", "program", "plugin", "imported"
]
"""What an agent is: a language model, a rule-based player of the world, a person, a user's Python
class, an agent that a package registered, or the player of an imported episode."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Who plays. `label` is its name to people; the other fields identify it.

    `name` is the model, the path of the class or the name of the player, without options;
    `endpoint` is the model's ("" if not known). `settings` is a hash of its whole configuration,
    `temperature` is that of a model if the user set one. `code` is the digest of a class's source
    (`core.code_fingerprint`), None for all others.

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
        """Whether both are the same model, class or player, with any options; people never are."""
        identity, other_identity = ((a.kind, a.endpoint, a.name or a.label) for a in (self, other))
        return identity == other_identity and self.kind != "person"


NOBODY = Agent("", "imported")
"""The agent of episodes that were written or labelled without one."""


@dataclass(frozen=True, slots=True)
class CastMember:
    seat: str
    identity: Agent = NOBODY

    @property
    def agent(self) -> str:
        return self.identity.label


@dataclass(frozen=True, slots=True)
class Trial:
    """A task with a cast, a repeat and a seed, to be played once: one cell of a plan.

    >>> import sociolab.plugin.api as lab
    >>> task = lab.Task("game-1", ("ann", "ben"), cluster="game-1", content="{}")
    >>> seats = [(seat, lab.Agent("scripted", "rules")) for seat in task.seats]
    >>> cast = tuple(lab.CastMember(seat, agent) for seat, agent in seats)
    >>> lab.Trial("t1", "ultimatum", task, cast, repeat=0, seed=1).agent("ann")
    'scripted'
    """

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
    """A trial and its events in order, complete or still being played.

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
