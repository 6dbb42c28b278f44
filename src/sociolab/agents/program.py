"""A program in a seat: one process an episode and seat, asked by lines of JSON."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
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

    Lines that hold no JSON object are none of its replies, so that it may print what it likes.
    """

    def __init__(self, process: Process, key: str) -> None:
        self.key = key
        self._process = process
        self._said: deque[str] = deque(maxlen=20)
        self._errors = asyncio.create_task(self._read_errors())

    @classmethod
    async def start(cls, command: str, key: str, environment: Mapping[str, str]) -> Program:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(command),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, **environment},
            limit=_LONGEST_LINE,
        )
        return cls(process, key)

    async def ask(self, observation: Mapping[str, Any]) -> str:
        """The reply to an observation; WorldError where the program ends instead."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(ConnectionError):  # it has ended: the reading below says so
            self._process.stdin.write(json.dumps(observation).encode() + b"\n")
            await self._process.stdin.drain()
        while line := await self._process.stdout.readline():
            text = line.decode(errors="replace").strip()
            if text.startswith("{"):
                return text
            self._said.append(text)
        code = await self._process.wait()
        await self._errors
        last = next((line for line in reversed(self._said) if line), "")
        raise WorldError(
            f"the program ended with exit code {code} in place of a reply"
            + (f"; the last that it wrote: {redact(last)[:300]}" if last else "")
        )

    async def close(self) -> None:
        """Close its input, which should end it; kill it where it does not."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _PATIENCE)
        except TimeoutError:
            self.kill()
            await self._process.wait()
        self._errors.cancel()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _read_errors(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self._said.append(line.decode(errors="replace").strip())


class Asked(Protocol):
    """What is asked for the replies of a seat: a process, or a service."""

    key: str

    async def ask(self, observation: Mapping[str, Any]) -> str: ...

    def kill(self) -> None: ...

    async def close(self) -> None: ...


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
                program.kill()
                self._drop(place)
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
            "NO_PROXY": ",".join(filter(None, [os.environ.get("NO_PROXY"), "127.0.0.1"])),
        }
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
