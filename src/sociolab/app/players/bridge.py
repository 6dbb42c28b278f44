"""Programs and services in seats: what a run opens for them, and closes again."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sociolab.agents.gateway import Complete, Gateway
from sociolab.agents.program import Program, ProgramModel
from sociolab.app.players.models import BridgeSpec
from sociolab.core.code_fingerprint import UNKNOWN
from sociolab.core.errors import ConfigError
from sociolab.core.ports import CallKey, Prompt
from sociolab.core.redaction import redact
from sociolab.core.seeding import digest
from sociolab.models.chat import Endpoint
from sociolab.models.config import EndpointSpec
from sociolab.models.service import SERVICE


@dataclass
class Bridge:
    """The gateway of a run, and the programs and services that reach models through it."""

    in_flight: int | None = None
    gateway: Gateway = field(default_factory=Gateway)
    _models: list[ProgramModel] = field(default_factory=list)
    _endpoints: list[Endpoint] = field(default_factory=list)

    def model(self, spec: BridgeSpec, calls: Callable[[], Complete]) -> ProgramModel:
        """The program of a spec in the place of a chat model; ConfigError where there is none."""
        if spec.address:
            endpoint = self.endpoint(spec.address)

            async def start(key: str, environment: Mapping[str, str]) -> Program | Service:
                return Service(endpoint, key, environment)
        else:
            check_command(spec.command)

            async def start(key: str, environment: Mapping[str, str]) -> Program | Service:
                return await Program.start(spec.command, key, environment)

        model = ProgramModel(spec.label, spec.model, self.gateway, calls, start)
        self._models.append(model)
        return model

    def endpoint(self, address: str) -> Endpoint:
        """The endpoint of an agent's service; ConfigError for an unusable address."""
        if "@" in urlsplit(address).netloc:
            raise ConfigError(
                f"--agent {redact(address, lookalikes=True)}: expected an address without a name "
                "and password, since addresses of agents are stored and shown"
            )
        limit = {} if self.in_flight is None else {"in_flight": self.in_flight}
        endpoint = Endpoint(EndpointSpec(name="service", base_url=address, **limit), SERVICE)
        self._endpoints.append(endpoint)
        return endpoint

    async def release(self, trial: str) -> None:
        """End what works on an episode that is over."""
        await asyncio.gather(*(model.release(trial) for model in self._models))

    async def close(self) -> None:
        await asyncio.gather(*(model.close() for model in self._models))
        for endpoint in self._endpoints:
            await endpoint.close()
        await self.gateway.close()


@dataclass
class Service:
    """A service in a seat, which is told with each observation where it reaches models."""

    endpoint: Endpoint
    key: str
    environment: Mapping[str, str]

    async def ask(self, observation: Mapping[str, Any]) -> str:
        names = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "SOCIOLAB_MODEL")
        models = {name.lower(): self.environment[name] for name in names} | {"api_key": self.key}
        sent = json.dumps({**observation, "models": models})
        episode, seat, turn = (observation[name] for name in ("episode", "seat", "turn"))
        key = CallKey(episode, "agent", seat, turn, observation["asked"], observation["attempt"])
        prompt = Prompt((), options=(("observation", sent),))
        return (await self.endpoint.model("").complete(prompt, key)).text

    async def close(self, *, at_once: bool = False) -> None:
        """Nothing of a service is ours to end."""


def check_command(command: str) -> None:
    """ConfigError unless the first word of a command can be run."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f'--agent "bridge:{command}": expected a command ({error})') from error
    if not words or shutil.which(words[0]) is None:
        raise ConfigError(
            f'--agent "bridge:{command}": expected a command such as "python my_agent.py", but '
            f'there is no program "{words[0] if words else ""}"'
        )
    if any(redact(word, lookalikes=True) != word for word in words):
        raise ConfigError(
            "--agent bridge: the command holds a secret, which does not belong in a spec; put it "
            "into an environment variable, which the program inherits"
        )
    missing = [word for word in words[1:] if word.endswith(".py") and not Path(word).is_file()]
    if missing:
        raise ConfigError(f'--agent "bridge:{command}": there is no file {missing[0]}')


def code_of_command(command: str) -> str:
    """The fingerprint of the files that a command names, such as its script; unknown for none."""
    files = [path for word in shlex.split(command) if (path := Path(word)).is_file()]
    own = [path for path in files if path.stat().st_size <= _LARGEST_SCRIPT]
    return digest(*(path.read_bytes().hex() for path in own)) if own else UNKNOWN


_LARGEST_SCRIPT = 2**20
"""Bytes; what is larger is an interpreter, or data."""
