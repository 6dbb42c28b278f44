"""From specs to players and judges."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

from sociolab.app.players.agent_models import AgentModels, CountedJudge, CountedPlayer
from sociolab.app.players.arguments import MODELS, keyword_arguments, wants_models
from sociolab.app.players.models import Models
from sociolab.app.players.own_code import (
    OwnJudge,
    built,
    check_async,
    checked_id,
    constructed,
    own_judge,
)
from sociolab.app.players.source_code import code_of
from sociolab.app.players.specs import ModelSpec, NamedSpec, PythonSpec, parse
from sociolab.app.registry import names, plugin, python_object
from sociolab.core.code_mark import with_code
from sociolab.core.errors import ConfigError
from sociolab.core.ports import ChatModel, Judge, Player, ReplyStore, Role, WorldKit
from sociolab.core.seeding import digest
from sociolab.models.budget import Budget
from sociolab.runner.bounded import LONGEST_REPLY
from sociolab.runner.plan import AgentId
from sociolab.runner.waits import Waits

NO_JUDGE = "none"


@dataclass(frozen=True, slots=True)
class Seatable:
    """An agent that can take a seat: its id in the plan, and who plays it.

    `own`: somebody's own code plays, or a person, neither of which this package answers for.
    """

    id: AgentId
    player: Player
    calls_model: bool
    own: bool = False


@dataclass(frozen=True, slots=True)
class Casting:
    """Makes players and judges for one run.

    `patience` is how many seconds a judge of one's own may take for an episode; `waits` is told
    where it blocks.
    """

    kit: WorldKit
    models: Models
    replies: ReplyStore
    budget: Budget
    patience: float = LONGEST_REPLY
    waits: Waits = field(default_factory=Waits)

    def agent(self, text: str, role: Role) -> Seatable:
        """The agent of a spec; ConfigError if there is none."""
        match parse(text, role):
            case ModelSpec() as spec:
                return self._model_agent(spec, role)
            case PythonSpec() as spec:
                made, code, counted = self._made(spec)
                settings = digest(spec.label, str(getattr(made, "settings", "")))
                player = self._python_player(spec.label, made)
                player = CountedPlayer(player, role) if counted else player
                agent = AgentId(spec.label, with_code(settings, code))
                return Seatable(agent, player, calls_model=False, own=True)
            case NamedSpec() as spec:
                player, own = self._named_agent(spec.label), spec.label not in self.kit.players
                return Seatable(AgentId(spec.label, digest(spec.label)), player, False, own)

    def judge(self, text: str) -> Judge:
        """The judge of a spec; ConfigError if there is none."""
        match parse(text, "judge"):
            case ModelSpec() as spec:
                return self.kit.model_judge(self._kept(spec))
            case PythonSpec() as spec:
                made, code, counted = self._made(spec)
                judge = own_judge(spec.label, made, code, self.patience, self.waits)
                return replace(judge, own=CountedJudge(judge.id, judge.own)) if counted else judge
            case NamedSpec() as spec:
                own = self.kit.judges.get(spec.label)
                if own is not None:
                    return own
                if spec.label not in names("sociolab.judges"):
                    known = [*self.kit.judges, *names("sociolab.judges"), NO_JUDGE]
                    raise ConfigError(
                        f'there is no judge called "{spec.label}"; expected one of '
                        f'{", ".join(known)}, "endpoint/model" or "python:package.module:Class"'
                    )
                registered: Judge = plugin("sociolab.judges", spec.label)(self.kit)
                known_as = checked_id(spec.label, registered.id)
                return OwnJudge(spec.label, known_as, registered, self.patience, self.waits)

    def reader(self, text: str) -> Judge:
        """The model that reads off transcripts what was agreed; ConfigError if there is none."""
        spec = parse(text, "reader")
        if not isinstance(spec, ModelSpec):
            raise ConfigError(f'--reader: expected "endpoint/model", found "{text}"')
        if self.kit.reader is None:
            raise ConfigError(
                f"--reader: {self.kit.world.name} has no outcomes that could be read; leave it out"
            )
        return self.kit.reader(self._kept(spec))

    def _made(self, spec: PythonSpec) -> tuple[Any, str, bool]:
        """Somebody's object, the code that it runs, and whether it was given chat models."""
        named = python_object(spec.path)
        given, counted = keyword_arguments(spec, named), wants_models(named)
        if counted:
            given[MODELS] = AgentModels(self.models, self.replies, self.budget)
        code = code_of(spec.path.partition(":")[0], named)
        return built(spec.label, named, given), code, counted

    def _model_agent(self, spec: ModelSpec, role: Role) -> Seatable:
        from sociolab.agents.prompted import PromptedPlayer, prompts_hash  # rules need no prompts

        options = self.models.options(spec)
        temperature = options.temperature
        temperature = self.kit.temperature if temperature is None else temperature
        dialect = spec.settings.dialect
        model, own = self._kept(spec), self.kit.model_player
        player: Player = (
            own(model, role, temperature, dialect)
            if own is not None
            else PromptedPlayer(model, role=role, temperature=temperature, dialect=dialect)
        )
        address = self.models.endpoint(spec).base_url
        settings = digest(
            spec.label, address, str(temperature), dialect, prompts_hash(dialect),
            options.max_tokens or 0, *([options.key] if options.sent else []),
        )  # fmt: skip
        return Seatable(AgentId(spec.label, settings), player, True)

    def _kept(self, spec: ModelSpec) -> ChatModel:
        return self.models.kept(spec, self.replies, self.budget)

    def _named_agent(self, name: str) -> Player:
        own = self.kit.players.get(name)
        if own is not None:
            return own
        if name not in names("sociolab.agents"):
            known = [*self.kit.players, *names("sociolab.agents")]
            raise ConfigError(
                f'there is no agent called "{name}"; expected one of {", ".join(known)}, '
                '"endpoint/model" or "python:package.module:Class"'
            )
        made = constructed(name, plugin("sociolab.agents", name))
        return self._python_player(name, made)

    def _python_player(self, label: str, made: object) -> Player:
        """Somebody's object as a player of this world; ConfigError if it is none."""
        if self.kit.python_player is not None:
            return self.kit.python_player(label, made)
        if callable(getattr(made, "reply", None)):
            check_async(label, made, "reply", "self, request, memory")
            return cast("Player", made)
        raise ConfigError(
            f'"{label}" is no player: expected a class with '
            '"async def reply(self, request, memory)"; see docs/agents.md'
        )
