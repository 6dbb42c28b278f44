"""Make players and judges from their specs.

Modules for users' own classes are imported where they are used: a run of models needs none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from sociolab.app.players.models import (
    BridgeSpec,
    Models,
    ModelSpec,
    NamedSpec,
    PythonSpec,
    ServiceSpec,
    parse,
)
from sociolab.app.registry import names, plugin, python_object
from sociolab.core.episode import HUMAN, Agent, AgentKind
from sociolab.core.errors import ConfigError
from sociolab.core.ports import ChatModel, Judge, Player, ReplyStore, Role, WorldKit
from sociolab.core.seeding import digest
from sociolab.models.budget import Budget
from sociolab.models.cache import CachedModel
from sociolab.plugin.world import RatingGuide
from sociolab.runner.guard import LONGEST_REPLY
from sociolab.runner.progress import Waits

if TYPE_CHECKING:
    from sociolab.app.players.bridge import Bridge

NO_JUDGE = "none"


@dataclass(frozen=True, slots=True)
class Seatable:
    """An agent that can take a seat, with its player; `spec` is None unless it is a model."""

    id: Agent
    player: Player
    spec: ModelSpec | None = None

    @property
    def calls_model(self) -> bool:
        """Whether sociolab calls a model for it; a user's own class may call one, too."""
        return self.id.kind == "model"

    @property
    def own(self) -> bool:
        """Whether the player is a user's code or a person, which no run can vouch for."""
        return self.id.kind not in ("model", "rules")


@dataclass(frozen=True, slots=True)
class Casting:
    """Makes players and judges for one run.

    `patience` is the time limit in seconds of a user's own judge for an episode; `waits` records
    where it blocks. The methods raise ConfigError for a spec that names nothing usable.
    """

    kit: WorldKit
    models: Models
    replies: ReplyStore
    budget: Budget
    patience: float = LONGEST_REPLY
    waits: Waits = field(default_factory=Waits)

    def agent(self, text: str, role: Role) -> Seatable:
        match parse(text, role):
            case ModelSpec() as spec:
                seatable = self._model_agent(spec, role)
            case PythonSpec() as spec:
                seatable = self._own_agent(spec, role)
            case BridgeSpec() as spec:
                seatable = self._bridged_agent(spec, role)
            case ServiceSpec() as spec:
                seatable = self._service_agent(spec, role)
            case NamedSpec() as spec:
                name = spec.label
                player = self._named_player(name)
                versions = [player.version] if hasattr(player, "version") else []
                settings = digest(name, *versions)
                seatable = Seatable(
                    Agent(name, self._agent_kind(name), name, settings=settings), player
                )
        if not self.kit.embedder or self.kit.embedding_player is None:
            return seatable
        model = self.models.embedder(self.kit.embedder, self.replies, self.budget)
        return replace(seatable, player=self.kit.embedding_player(seatable.player, model))

    def _agent_kind(self, name: str) -> AgentKind:
        if name in self.kit.players:
            return self.kit.declared.agents.get(name, "rules")
        return "person" if name == HUMAN else "plugin"

    def judge(self, text: str) -> Judge:
        match parse(text, "judge"):
            case ModelSpec() as spec:
                return self.kit.model_judge(self._cached_model(spec))
            case PythonSpec() as spec:
                return self._own_judge(spec)
            case NamedSpec() as spec:
                return self.kit.judges.get(spec.label) or self._registered_judge(spec.label)
            case BridgeSpec() | ServiceSpec():
                raise ConfigError(f"--judge {text}: a program or service can play, but not judge")

    def observer(self, text: str, sheet: str, guide: RatingGuide) -> Judge:
        """A judge that fills in a sheet of the guide; `text` must be the spec of a model."""
        spec = parse(text, "judge")
        if not isinstance(spec, ModelSpec):
            raise ConfigError(f'--sheet: expected --judge endpoint/model, found "{text}"')
        from sociolab.plugin.judge import guide_judge

        return guide_judge(guide, self._cached_model(spec), sheet)

    def reader(self, text: str) -> Judge:
        """A judge that reads outcomes off transcripts; `text` must be the spec of a model."""
        spec = parse(text, "reader")
        if not isinstance(spec, ModelSpec):
            raise ConfigError(f'--reader: expected "endpoint/model", found "{text}"')
        if self.kit.reader is None:
            raise ConfigError(
                f"--reader: {self.kit.world.name} has no outcomes that could be read; leave it out"
            )
        return self.kit.reader(self._cached_model(spec))

    def _own_agent(self, spec: PythonSpec, role: Role) -> Seatable:
        from sociolab.app.players.agent_models import CountedPlayer

        instance, code, counted = self._construct(spec)
        settings = digest(spec.label, str(getattr(instance, "settings", "")))
        player = self.python_player(spec.label, instance)
        player = CountedPlayer(player, role) if counted else player
        agent = Agent(spec.label, "own code", spec.path, settings=settings, code=code)
        return Seatable(agent, player)

    def _bridged_agent(self, spec: BridgeSpec, role: Role) -> Seatable:
        """A program, whose calls to models belong to the request that it works on."""
        from sociolab.app.players.agent_models import AgentModels, CountedPlayer
        from sociolab.app.players.bridge import code_of_command

        if spec.model:
            named = parse(spec.model, role)
            if not isinstance(named, ModelSpec):
                raise ConfigError(f"--{role} {spec.label}: expected ?model=endpoint/model")
            self.models.cached(named, self.replies, self.budget)
        elif self.budget.limit is not None:
            raise ConfigError(
                f"--budget: name the model of {spec.label} after ?model=, whose price it needs"
            )
        models = AgentModels(self.models, self.replies, self.budget)
        model = self._bridge().model(spec, lambda: models.caller(spec.model))
        code = "" if spec.address else code_of_command(spec.command)
        agent = Agent(spec.label, "program", spec.command or spec.address, code=code)
        return Seatable(agent, CountedPlayer(self._observed(model, role), role))

    def _service_agent(self, spec: ServiceSpec, role: Role) -> Seatable:
        """An agent behind an address: its replies are stored, and cost nothing that is known."""
        from sociolab.agents.observation import ObservingModel

        service = self._bridge().endpoint(spec.label).model("")
        model = CachedModel(service, spec.label, self.replies, Budget(), writes=False)
        agent = Agent(spec.label, "program", spec.label)
        return Seatable(agent, self._observed(ObservingModel(model), role))

    def _bridge(self) -> Bridge:
        """The bridge of this run's models, which all programs share."""
        from sociolab.app.players.bridge import Bridge

        for opened in self.models.opened:
            if isinstance(opened, Bridge):
                return opened
        bridge = Bridge(self.models.config.in_flight)
        self.models.opened.append(bridge)
        return bridge

    def _observed(self, model: ChatModel, role: Role) -> Player:
        """The player of a program that stands in the place of a chat model."""
        from sociolab.agents.observation import ObservedPlayer
        from sociolab.agents.prompted import PromptedPlayer

        own = self.kit.model_player
        inner = own(model, role, 1.0, "json") if own else PromptedPlayer(model, role=role)
        return ObservedPlayer(inner)

    def _own_judge(self, spec: PythonSpec) -> Judge:
        from sociolab.app.players.agent_models import CountedJudge
        from sociolab.app.players.own_code import own_judge

        instance, code, counted = self._construct(spec)
        judge = own_judge(spec.label, instance, code, self.patience, self.waits)
        return replace(judge, own=CountedJudge(judge.id, judge.own)) if counted else judge

    def _construct(self, spec: PythonSpec) -> tuple[Any, str, bool]:
        """A user's object, the fingerprint of its code, and whether it was given chat models."""
        from sociolab.app.players.agent_models import AgentModels
        from sociolab.app.players.own_code import (
            MODELS,
            code_of,
            instantiate,
            keyword_arguments,
            takes_models,
        )

        target = python_object(spec.path)
        arguments, counted = keyword_arguments(spec, target), takes_models(target)
        if counted:
            arguments[MODELS] = AgentModels(self.models, self.replies, self.budget)
        code = code_of(spec.path.partition(":")[0], target)
        return instantiate(spec.label, target, arguments), code, counted

    def _registered_judge(self, name: str) -> Judge:
        if name not in names("sociolab.judges"):
            if name in {check.id.label for check in self.kit.checks}:
                raise ConfigError(
                    f'--judge: "{name}" scores every episode anyway; leave it out, or say '
                    f"--judge {NO_JUDGE} to have no other"
                )
            raise _unknown("judge", name, (*self.kit.judges, *names("sociolab.judges"), NO_JUDGE))
        from sociolab.app.players.own_code import OwnJudge, checked_id

        registered: Judge = plugin("sociolab.judges", name)(self.kit)
        judge_id = checked_id(name, registered.id)
        return OwnJudge(name, judge_id, registered, self.patience, self.waits)

    def _model_agent(self, spec: ModelSpec, role: Role) -> Seatable:
        from sociolab.agents.prompted import PromptedPlayer, prompts_hash  # rules need no prompts

        options = self.models.options(spec)
        temperature = options.temperature
        temperature = self.kit.temperature if temperature is None else temperature
        dialect = spec.settings.dialect
        model, own = self._cached_model(spec), self.kit.model_player
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
        agent = Agent(spec.label, "model", spec.model, spec.endpoint, settings, options.temperature)
        return Seatable(agent, player, spec)

    def model(self, text: str, role: Role) -> ChatModel:
        """The chat model of a spec that must be one."""
        spec = parse(text, role)
        if not isinstance(spec, ModelSpec):
            raise ConfigError(f'--{role}: expected "endpoint/model", found "{text}"')
        return self._cached_model(spec)

    def _cached_model(self, spec: ModelSpec) -> ChatModel:
        return self.models.cached(spec, self.replies, self.budget)

    def _named_player(self, name: str) -> Player:
        own = self.kit.players.get(name)
        if own is not None:
            return own
        if name not in names("sociolab.agents"):
            raise _unknown("agent", name, (*self.kit.players, *names("sociolab.agents")))
        from sociolab.app.players.own_code import construct

        instance = construct(name, plugin("sociolab.agents", name))
        return self.python_player(name, instance)

    def python_player(self, label: str, instance: object) -> Player:
        """A user's object as a player of this world; ConfigError if it is none."""
        if self.kit.python_player is not None:
            return self.kit.python_player(label, instance)
        if callable(getattr(instance, "reply", None)):
            from sociolab.app.players.own_code import check_async

            check_async(label, instance, "reply", "self, request, memory")
            return cast("Player", instance)
        raise ConfigError(
            f'"{label}" is no player: expected a class with '
            '"async def reply(self, request, memory)"; see docs/agents.md'
        )


def _unknown(what: str, name: str, choices: Iterable[str]) -> ConfigError:
    """The error for an unknown name, which suggests a class or a model that may be meant."""
    module, colon, attribute = name.partition(":")
    path = f"{module.removesuffix('.py')}:{attribute}"
    is_path = colon and all(part.isidentifier() for part in path.replace(":", ".").split("."))
    of_class = f'for a class, write "python:{path}"; ' if is_path else ""
    return ConfigError(
        f'there is no {what} called "{name}"; {of_class}for a model, name its endpoint: '
        f'"openai/{name}"; expected one of {", ".join(choices)}, "endpoint/model", '
        '"python:package.module:Class", "bridge:COMMAND" or "http://ADDRESS"'
    )
