"""How does a model write tasks, characters or anything else that a world declares it can write?

A `Writer` is called with a `WriteJob`. Its `author` asks the model for one typed piece at a time,
and `write_all` has many written at once.
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
"""About so often it is told how far the work is."""


@dataclass(frozen=True, slots=True)
class Author:
    """A model that writes. In a `rehearsal` replies are made up, to count the calls: whatever one
    of them lacks is let pass."""

    model: ChatModel
    rehearsal: bool = False

    async def write(
        self,
        kind: type[Typed],
        head: str,
        body: str,
        key: CallKey,
        lacks: Callable[[Typed], Iterable[str]] = lambda _: (),
    ) -> tuple[Typed, int]:
        """A typed piece, and how many attempts it took.

        `lacks` gives what a reply lacks, in clauses of which empty ones do not count; such a reply
        is sent back with the problems, twice at most. Then ReplyError says what the last one lacks.
        ModelError passes through: a call failed for good.
        """

        def check_reply(reply: Typed) -> Typed:
            problems = () if self.rehearsal else lacks(reply)
            if problem := "; ".join(filter(None, problems)):
                raise ReplyError(problem)
            return reply

        needs = 2 * estimate_needs(schema_of(kind))  # texts to be read are longer than answers
        prompt = typed_prompt(head, body, kind, _TEMPERATURE, needs)
        reply = await ask_model(self.model, prompt, kind, key, check_reply)
        return reply.value, reply.attempts


@dataclass(frozen=True, slots=True)
class WriteJob:
    """What is to be written: `count` pieces (None: as many as is usual) into `folder`, which may
    hold some already. `writer` and `today` are for the provenance; `tell` hears how far it is."""

    author: Author
    writer: str
    today: date
    folder: Path
    setup: WorldSetup
    tell: Callable[[str], None]
    count: int | None = None


@dataclass(frozen=True, slots=True)
class WrittenTasks:
    """What a model wrote: how many, what one is called, a sentence for each failure, and what else
    to know or do."""

    count: int
    what: str
    failures: tuple[str, ...]
    then: tuple[str, ...] = ()


Piece = Callable[[], Awaitable[Made]]
"""Has one piece written; ReplyError where the model gives no usable reply."""


async def write_all(
    what: str,
    jobs: Mapping[str, Piece[Made]],
    tell: Callable[[str], None],
    *,
    before: int = 0,
    total: int | None = None,
) -> tuple[tuple[Made, ...], tuple[str, ...]]:
    """All of these at once, by name: those that were written, in order, and a sentence for each
    that was not. A fatal ModelError ends all.

    `tell` hears how far it is: `before` were done when it began, of `total`.
    """

    total = before + len(jobs) if total is None else total
    written, failures = dict[str, Made](), dict[str, str]()

    async def attempted(item: tuple[str, Piece[Made]]) -> None:
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

    if error := await work_all(list(jobs.items()), attempted, len(jobs), Waits()):
        raise error
    in_order = (written[name] for name in jobs if name in written)
    return tuple(in_order), tuple(failures[name] for name in jobs if name in failures)


async def write_until(
    what: str,
    target: int,
    count: Callable[[], int],
    chosen: Callable[[int], Mapping[str, Piece[None]]],
    tell: Callable[[str], None],
) -> tuple[str, ...]:
    """Have pieces written until `count` gives `target`; a sentence for each failure.

    `chosen` gives the next ones, at most as many as are missing, and none where none are left. What
    failed is replaced by others, until twice as many as `target` were tried.
    """
    failures, tried = list[str](), 0
    while (missing := target - count()) > 0 and tried < 2 * target and (jobs := chosen(missing)):
        failures += (await write_all(what, jobs, tell, before=count(), total=target))[1]
        tried += len(jobs)
    return tuple(failures)
