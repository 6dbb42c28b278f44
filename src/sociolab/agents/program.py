"""A program in a seat: one process an episode and seat, asked by lines of JSON."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from sociolab.agents.gateway import Complete, Gateway
from sociolab.agents.observation import write_observation
from sociolab.core.errors import WorldError
from sociolab.core.ports import CallKey, ChatReply, Prompt
from sociolab.core.redaction import redact

_LONGEST_LINE = 2**24
_PATIENCE = 2.0
"""Seconds that a program has to end by itself once its input is closed."""


class Program:
    """A process that reads observations from its standard input, a line of JSON each, and writes
    its replies to its standard output, likewise.

    A reply may take several lines. Whatever it prints before a reply begins, or after one has
    ended, is none, so that it may print what it likes.
    """

    def __init__(self, process: Process, key: str) -> None:
        self.key = key
        self._process = process
        self._said: deque[str] = deque(maxlen=20)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._readers = (
            asyncio.create_task(self._read_output()),
            asyncio.create_task(self._read_errors()),
        )

    @classmethod
    async def start(cls, command: str, key: str, environment: Mapping[str, str]) -> Program:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(command),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, **environment},
            limit=_LONGEST_LINE,
            start_new_session=True,  # so that all that it starts can be ended with it
        )
        return cls(process, key)

    async def ask(self, observation: Mapping[str, Any]) -> str:
        """The reply to an observation; WorldError where the program ends instead."""
        assert self._process.stdin is not None
        while not self._lines.empty():
            self._said.append(self._lines.get_nowait() or "")
        with suppress(ConnectionError):  # it has ended: the reading below says so
            self._process.stdin.write(json.dumps(observation).encode() + b"\n")
            await self._process.stdin.drain()
        reply: list[str] = []
        while (line := await self._lines.get()) is not None:
            if line.startswith("{"):
                reply = [line]
            elif reply:
                reply.append(line)
            else:
                self._said.append(line)
            if reply and _is_json(text := "\n".join(reply)):
                return text
        self._lines.put_nowait(None)
        code = await self._process.wait()
        await self._readers[1]
        self._said.extend(reply)
        last = next((line for line in reversed(self._said) if line), "")
        raise WorldError(
            f"the program ended with exit code {code} in place of a reply"
            + (f"; the last that it wrote: {redact(last)[:300]}" if last else "")
        )

    async def close(self, *, at_once: bool = False) -> None:
        """Close its input, which should end it; kill it, and all that it has started, where that
        does not, or is to be done at once."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), 0 if at_once else _PATIENCE)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        await asyncio.gather(*self._readers)

    async def _read_output(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._lines.put_nowait(line.decode(errors="replace").rstrip())
        self._lines.put_nowait(None)

    async def _read_errors(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self._said.append(line.decode(errors="replace").strip())


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


class Asked(Protocol):
    """What is asked for the replies of a seat: a process, or a service."""

    key: str

    async def ask(self, observation: Mapping[str, Any]) -> str: ...

    async def close(self, *, at_once: bool = False) -> None: ...


class ProgramModel:
    """Programs of one kind, as the chat model of a player: one for each seat of each episode.

    `start` makes one, with its key and the variables that say where it reaches models; `calls`
    makes the caller of models for the request under way. `model` is the one to ask for, if any.
    """

    def __init__(
        self,
        label: str,
        model: str,
        gateway: Gateway,
        calls: Callable[[], Complete],
        start: Callable[[str, Mapping[str, str]], Awaitable[Asked]],
    ) -> None:
        self.label = label
        self._model = model
        self._gateway = gateway
        self._calls = calls
        self._start_program = start
        self._programs: dict[tuple[str, str], Asked] = {}

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        """What the program of this seat replies; it is killed where nobody waits any longer."""
        place = (key.trial, key.seat)
        program = self._programs.get(place)
        if program is None:
            program = self._programs[place] = await self._start()
        done = False
        try:
            with self._gateway.serving(program.key, self._calls()):
                text = await program.ask(write_observation(prompt, key))
            done = True
        finally:
            if not done:
                self._drop(place)
                await program.close(at_once=True)
        return ChatReply(text)

    async def _start(self) -> Asked:
        await self._gateway.start()
        key, url = self._gateway.admit(), self._gateway.url
        environment = {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_BASE": f"{url}/v1",
            "OPENAI_API_KEY": key,
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": key,
            "SOCIOLAB_MODEL": self._model,
        }
        for name in ("NO_PROXY", "no_proxy"):  # some clients read the one, some the other
            before = os.environ.get(name, "")
            environment[name] = f"{before},127.0.0.1,localhost".removeprefix(",")
        return await self._start_program(key, environment)

    def _drop(self, place: tuple[str, str]) -> Asked | None:
        program = self._programs.pop(place, None)
        if program is not None:
            self._gateway.dismiss(program.key)
        return program

    async def release(self, trial: str) -> None:
        """End the programs of an episode that is over."""
        places = [place for place in self._programs if place[0] == trial]
        programs = [program for place in places if (program := self._drop(place))]
        await asyncio.gather(*(program.close() for program in programs))

    async def close(self) -> None:
        """End all programs."""
        for trial in {trial for trial, _ in self._programs}:
            await self.release(trial)
