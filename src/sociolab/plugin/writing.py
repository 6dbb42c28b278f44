"""Have a model write tasks, characters or other data of a world.

A world's `Writer` is called with a `WriteJob`. Its `author` asks the model for one typed piece at a
time, and `write_all` has many written at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from sociolab.core.errors import ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.engine.setup import WorldSetup
from sociolab.prompting.structured import ask_model, estimate_needs, schema_of, typed_prompt
from sociolab.runner.local import work_all
from sociolab.runner.progress import Waits

Typed = TypeVar("Typed", bound=BaseModel)
Made = TypeVar("Made")

_TEMPERATURE = 1.0
"""High, since no two pieces should resemble one another."""

_REPORTS = 10
"""Number of progress reports, about."""


@dataclass(frozen=True, slots=True)
class Author:
    """A model that writes. In a `rehearsal`, which counts calls with made-up replies, no reply is
    rejected for what it lacks."""

    model: ChatModel
    rehearsal: bool = False

    async def write(
        self,
        kind: type[Typed],
        head: str,
        body: str,
        key: CallKey,
        lacks: Callable[[Typed], Iterable[str]] = lambda _: (),
        needs: int = 0,
    ) -> tuple[Typed, int]:
        """Have a typed piece written; returns it with the number of attempts that it took.

        It may take `needs` tokens, or what its type suggests if that is more.
        `lacks` returns clauses on what a reply lacks (empty ones do not count). A reply that lacks
        something is sent back with these, twice at most; then ReplyError says what is missing.
        ModelError passes through.
        """

        def check_reply(reply: Typed) -> Typed:
            problems = () if self.rehearsal else lacks(reply)
            if problem := "; ".join(filter(None, problems)):
                raise ReplyError(problem)
            return reply

        needs = max(needs, 2 * estimate_needs(schema_of(kind)))  # prose is longer than answers
        prompt = typed_prompt(head, body, kind, _TEMPERATURE, needs)
        reply = await ask_model(self.model, prompt, kind, key, check_reply)
        return reply.value, reply.attempts


@dataclass(frozen=True, slots=True)
class WriteJob:
    """What to write: `count` pieces in all (None: the writer's default) into `folder`, which may
    hold some already. `writer` and `today` are recorded as provenance; `tell` reports progress."""

    author: Author
    writer: str
    today: date
    folder: Path
    setup: WorldSetup
    tell: Callable[[str], None]
    count: int | None = None


@dataclass(frozen=True, slots=True)
class WrittenTasks:
    """How many pieces a model wrote, the noun for one, a sentence for each failure, and sentences
    on what to do next."""

    count: int
    what: str
    failures: tuple[str, ...]
    then: tuple[str, ...] = ()


Piece = Callable[[], Awaitable[Made]]
"""Has one piece written; raises ReplyError where no reply of the model was usable."""


async def write_all(
    what: str,
    jobs: Mapping[str, Piece[Made]],
    tell: Callable[[str], None],
    *,
    before: int = 0,
    total: int | None = None,
) -> tuple[tuple[Made, ...], tuple[str, ...]]:
    """Have all pieces written at once; returns them in order, and a sentence for each failure.

    A fatal ModelError ends all. `tell` reports progress; `before` pieces of `total` were done
    when this began.
    """

    total = before + len(jobs) if total is None else total
    written, failures = dict[str, Made](), dict[str, str]()

    async def write_piece(item: tuple[str, Piece[Made]]) -> None:
        name, job = item
        try:
            written[name] = await job()
        except (ReplyError, ModelError) as error:
            if isinstance(error, ModelError) and error.fatal:
                raise
            failures[name] = f"{name}: {error}"
        done = before + len(written) + len(failures)
        if done < total and done % max(1, total // _REPORTS) == 0:
            tell(f"{done} of {total} {what} are done")

    if error := await work_all(list(jobs.items()), write_piece, len(jobs), Waits()):
        raise error
    in_order = (written[name] for name in jobs if name in written)
    return tuple(in_order), tuple(failures[name] for name in jobs if name in failures)


async def write_until(
    what: str,
    target: int,
    count: Callable[[], int],
    choose: Callable[[int], Mapping[str, Piece[None]]],
    tell: Callable[[str], None],
) -> tuple[str, ...]:
    """Have pieces written until `count` returns `target`; returns a sentence for each failure.

    `choose` returns the next pieces, at most as many as are missing, and none if none are left.
    Others replace those that fail, until twice as many as `target` were tried.
    """
    failures, tried = list[str](), 0
    while (missing := target - count()) > 0 and tried < 2 * target and (jobs := choose(missing)):
        failures += (await write_all(what, jobs, tell, before=count(), total=target))[1]
        tried += len(jobs)
    return tuple(failures)
