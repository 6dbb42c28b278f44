"""`WorldPlugin`: what a package declares to offer a world.

The package registers it under its world's name in the entry points "sociolab.worlds":

    plugin = WorldPlugin("ultimatum", load, declared=Declared(main=("payoff",), cluster="game"))

where `load` makes a `WorldKit` from a `WorldSetup`. Everything else is optional: commands that need
what a world does not declare say so. Errors of a plugin's code become `WorldError`s with the file
and the line.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel

from sociolab.core.episode import Ended, Episode, Task
from sociolab.core.errors import ConfigError, SociolabError, WorldError
from sociolab.core.exam import ExamCase
from sociolab.core.instructions import Instructions
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import (
    ClosingReport,
    DataId,
    Negotiation,
    Play,
    Transcript,
    World,
    WorldKit,
)
from sociolab.core.score import JudgeId, Score, Verdict
from sociolab.core.seeding import digest
from sociolab.core.tracebacks import describe_error, raised_in_users_file
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.exam import check_exam
from sociolab.plugin.options import Flag
from sociolab.plugin.shown import DecidedCluster, DimensionGuide, RatedScene, ReviewedTask, Sidebar
from sociolab.prompting.sets import prompt

if TYPE_CHECKING:
    from sociolab.analysis.across_worlds import TwoLevels
    from sociolab.plugin.context import Tool
    from sociolab.plugin.town import TownWorld
    from sociolab.plugin.writing import WriteJob, WrittenTasks
    from sociolab.store.verdicts import JudgingRow


@dataclass(frozen=True, slots=True)
class Importing:
    """What to import, under which name, and whether the importer's own flag was set."""

    source: Path
    name: str
    flag: bool = False


@dataclass(frozen=True, slots=True)
class Importer:
    """A format that a world can import as a data set.

    `read` writes the data into a folder that it creates, and returns lines on what was read. `then`
    is a sentence on what to do next, with {name} in it. `kind` is the kind of the data set if it is
    not for a world; `flag` an option of the command for this format alone; `reserved` are names
    that a data set must not have; `page` is the document that says what is read.
    """

    read: Callable[[Importing, Path], Sequence[str]]
    then: str
    kind: str = ""
    flag: Flag | None = None
    reserved: tuple[str, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True)
class ImportedJudging:
    """The scores that an imported episode came with; `trial` is the id of its trial."""

    trial: str
    judge: JudgeId
    verdicts: tuple[Verdict, ...]


ImportedPlay: TypeAlias = tuple[Sequence[Episode], Sequence[str], Sequence[ImportedJudging]]
"""Finished episodes, lines on what was read, and the scores that came with them."""


@dataclass(frozen=True, slots=True)
class EpisodeImporter:
    """A format that a world can import as a run.

    `page` is the document that says what is read, `then` a sentence on what to do next, with {name}
    in it. `write_tasks` writes the tasks of the episodes as a data set of the same name into a
    folder that it creates, for agents to play them.
    """

    read: Callable[[Path], ImportedPlay]
    page: str = ""
    then: str = "judge it: sociolab judge {name} --judge SPEC"
    write_tasks: Callable[[Sequence[Episode], Importing, Path], object] | None = None


@dataclass(frozen=True, slots=True)
class TwoPartyTalk:
    """A conversation of two that another program kept, to be imported as an episode.

    `task` is what was talked about, the same for repeats; `agents` are the players of `names`, with
    "" for one that is not known. `lines` are (place of the speaker in `names`, words).
    """

    id: str
    task: str
    scene: str
    names: tuple[str, str]
    agents: tuple[str, str]
    lines: tuple[tuple[int, str], ...]
    repeat: int = 0


EpisodeExporter = Callable[
    [str, Sequence[Episode], Mapping[str, ImportedJudging]], Mapping[str, str]
]
"""Writes episodes of a run in a form of another program: `(run, episodes, scores by trial)`, to the
files of a folder, by path. ConfigError where the form cannot hold them."""

Revise = Callable[[Path | None, Path, str, Mapping[str, DecidedCluster]], Sequence[str]]
"""Writes the next version of a data set: `(old folder, new folder, study, decisions)`, with None as
the old folder for the world's own data and decisions by cluster. Returns lines on what it did."""


@dataclass(frozen=True, slots=True)
class PromptImporter:
    """How a world imports a set of prompts from a copy of a paper's code.

    `read` takes the source, the new folder, the set's name and a variant ("" or one of `variants`),
    and returns lines on what was read. `package` is the one whose prompts the set replaces.
    """

    read: Callable[[Path, Path, str, str], Sequence[str]]
    package: str
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Writer:
    """A kind of data that a model can write for a world, such as scenarios, and its settings."""

    write: Callable[[WriteJob], Coroutine[Any, Any, WrittenTasks]]
    settings: type[BaseModel]


@dataclass(frozen=True, slots=True)
class RatingGuide:
    """How people rate a world's episodes: a guide for each metric, in the order of the form.

    `rated_scene` makes the view of an episode that raters get; ConfigError where the episode is
    not of this world. `scene` is the scene of the guides' examples, `knew` the heading for what a
    person was told about the others. `summary` computes one more score of a seat from all that a
    rater gave it. `instructions` is the prompt set of a judge with the same instructions.
    """

    guides: tuple[DimensionGuide, ...]
    rated_scene: Callable[[Episode], RatedScene]
    scene: str = ""
    knew: str = ""
    summary: Callable[[tuple[Score, ...], str], Verdict] | None = None
    instructions: Instructions | None = None


@dataclass(frozen=True, slots=True)
class WorldPlugin:
    """A world as its package declares it; called with a setup, it returns the kit to play with.

    - `about`: a line on what the world is. `declared`: its metrics and what a cluster is called,
      stored with each run.
    - `settings`: the world's own, as --set takes them. `short`: settings that make episodes short
      enough to try an agent out. `people`: whether a person can take a seat.
    - Data: `importers` by format, `talk` imports a conversation that other programs keep,
      `exporters` by form, `prompts` imports prompt sets, `writers` by
      what a model writes, `remarks` are for the author of a data set, `cast` writes the tasks of a
      folder (given the folder, the number per scenario, the seed).
    - Pages: `sidebar` stands beside a transcript; `town` shows simulated days.
    - People: `guides` to rate episodes by, the first of which is the default; `reviewed` shows a
      task to reviewers, and `revise` makes the data's next version from reviews; `impressions`:
      whether people can describe a session in a word.
    - `negotiation` says what came of an episode in which something was to be agreed on, given the
      verdicts of the judge that leads among those by formula and readers. `closing_reports`: what
      each seat says was agreed, for the export of a study; empty where nothing was to be agreed on.
    - `levels`: another world that plays the same tasks. `tools`: the package's own commands.
      `recipes`: the tables of its paper, for `sociolab reproduce`. `exam`: what its judges, readers
      and raters sit before their scores count.

    >>> import sociolab.plugin.api as lab
    >>> def load(setup):
    ...     raise lab.ConfigError("no games yet")
    >>> plugin = lab.WorldPlugin("ultimatum", load, about="Who takes what of 100 points?")
    >>> plugin(lab.WorldSetup())
    Traceback (most recent call last):
        ...
    sociolab.core.errors.ConfigError: no games yet
    """

    name: str
    loader: Callable[[WorldSetup], WorldKit]
    declared: Declared = UNDECLARED
    settings: type[BaseModel] | None = None
    short: Mapping[str, str] | None = None
    about: str = ""
    people: bool = True
    importers: Mapping[str, Importer | EpisodeImporter] = field(default_factory=dict)
    talk: Callable[[TwoPartyTalk], Episode] | None = None
    exporters: Mapping[str, EpisodeExporter] = field(default_factory=dict)
    prompts: PromptImporter | None = None
    writers: Mapping[str, Writer] = field(default_factory=dict)
    remarks: Callable[[World], Sequence[str]] | None = None
    cast: Callable[[Path, int, int], str] | None = None
    sidebar: Callable[[Episode, Sequence[JudgingRow]], Sidebar] | None = None
    guides: Mapping[str, Callable[[], RatingGuide]] = field(default_factory=dict)
    reviewed: Callable[[Task], ReviewedTask] | None = None
    revise: Revise | None = None
    impressions: bool = False
    negotiation: Callable[[Episode, Sequence[Verdict]], Negotiation | None] | None = None
    closing_reports: Callable[[Episode], Mapping[str, ClosingReport]] | None = None
    levels: Callable[[], TwoLevels] | None = None
    town: Callable[[], TownWorld] | None = None
    tools: Mapping[str, Callable[[], Tool]] = field(default_factory=dict)
    recipes: Mapping[str, Callable[[], Tool]] = field(default_factory=dict)
    exam: Callable[[], Sequence[ExamCase]] | None = None

    def __call__(self, setup: WorldSetup) -> WorldKit:
        """Load the world with its data, players and judges.

        An error in the loader of another package is a WorldError that says where.
        """
        code = code_of(self)
        if not code:
            built_in = self.loader(setup)
            return replace(built_in, declared=self._declared(built_in))
        kit: WorldKit = guarded(self.name, "set-up", self.loader, WorldKit)(setup)
        variants = {
            kind: replace(entry, make=guarded(self.name, f"variants {kind}", entry.make, Sequence))
            for kind, entry in kit.variants.items()
        }
        cautions = kit.cautions and guarded(self.name, "cautions", kit.cautions, Sequence)
        return replace(
            kit,
            cautions=cautions,
            world=GuardedWorld(kit.world, self.name),
            model_judge=guarded(self.name, "model judge", kit.model_judge),
            variants=variants,
            declared=self._declared(kit),
            code=code,
        )

    def _declared(self, kit: WorldKit) -> Declared:
        """The plugin's declaration, or the kit's own where settings or data change it; with the
        footnote of the kit in any case, and its number of clusters."""
        declared, own = kit.declared if kit.declared.metrics else self.declared, kit.declared
        return replace(declared, footnote=own.footnote, clusters=own.clusters)

    def guide(self, name: str = "") -> RatingGuide:
        """The guide with this name, by default the first; ConfigError where there is none."""
        if not self.guides:
            raise ConfigError(f"the world {self.name} has no guide to rate its episodes by")
        make = self.guides.get(name or next(iter(self.guides)))
        if make is None:
            names = ", ".join(self.guides)
            raise ConfigError(f'expected a guide of {self.name} ({names}), found "{name}"')
        return make()

    def __post_init__(self) -> None:
        """Check the types of fields and, in a plugin of another package, guard its functions."""
        for what, value, kind in (
            ("declared", self.declared, Declared),
            ("importers", self.importers, Mapping),
            ("exporters", self.exporters, Mapping),
            ("guides", self.guides, Mapping),
            ("writers", self.writers, Mapping),
            ("tools", self.tools, Mapping),
            ("recipes", self.recipes, Mapping),
            ("settings", self.settings or BaseModel, type),
        ):
            checked_type(self.name, what, value, kind)
        if _is_built_in(self.loader):
            return
        for what, returns in _RETURN_TYPES.items():
            if (call := getattr(self, what)) is not None:
                object.__setattr__(self, what, guarded(self.name, what, call, returns))
        guides = {
            name: partial(_guarded_guide, self.name, make) for name, make in self.guides.items()
        }
        object.__setattr__(self, "guides", guides)
        if self.exam is not None:
            metrics = [metric.name for metric in self.declared.metrics]
            exam = partial(_checked_exam, self.name, self.exam, metrics, guides)
            object.__setattr__(self, "exam", exam)
        importers = {
            name: replace(entry, read=guarded(self.name, f"importer {name}", entry.read, Sequence))
            for name, entry in self.importers.items()
        }
        object.__setattr__(self, "importers", importers)
        exporters = {
            form: guarded(self.name, f"exporter {form}", export, Mapping)
            for form, export in self.exporters.items()
        }
        object.__setattr__(self, "exporters", exporters)
        writers = {
            name: replace(writer, write=guarded(self.name, f"writer {name}", writer.write))
            for name, writer in self.writers.items()
        }
        object.__setattr__(self, "writers", writers)
        for what in ("tools", "recipes"):
            factories = getattr(self, what).items()
            tools = {
                name: partial(_guarded_tool, self.name, name, make) for name, make in factories
            }
            object.__setattr__(self, what, tools)


_RETURN_TYPES: Mapping[str, type] = {
    "remarks": Sequence,
    "cast": str,
    "sidebar": Sidebar,
    "reviewed": ReviewedTask,
    "revise": Sequence,
    "negotiation": object,
    "closing_reports": Mapping,
    "levels": object,
    "town": object,
}
"""The optional functions of a plugin, with the types of their results."""


def _guarded_guide(world: str, make: Callable[[], RatingGuide]) -> RatingGuide:
    guide: RatingGuide = guarded(world, "rating guide", make, RatingGuide)()
    return replace(guide, rated_scene=guarded(world, "rated scene", guide.rated_scene, RatedScene))


def _checked_exam(
    world: str,
    make: Callable[[], Sequence[ExamCase]],
    metrics: Sequence[str],
    guides: Mapping[str, Callable[[], RatingGuide]],
) -> Sequence[ExamCase]:
    cases: Sequence[ExamCase] = guarded(world, "exam", make, Sequence)()
    of_guides = [each.measure for guide in guides.values() for each in guide().guides]
    check_exam(world, cases, metrics, of_guides)
    return cases


def _guarded_tool(world: str, name: str, make: Callable[[], Tool]) -> Tool:
    tool: Tool = guarded(world, f"command {name}", make)()
    return replace(tool, run=guarded(world, f"command {name}", tool.run))


def _is_built_in(loader: Callable[..., Any]) -> bool:
    return str(getattr(loader, "__module__", "")).partition(".")[0] == "sociolab"


def code_of(plugin: WorldPlugin) -> str:
    """A hash of the Python files of a plugin's package, so that an edit of its rules makes another
    world; "" for the built-in worlds, which have a version."""
    module = sys.modules.get(plugin.loader.__module__)
    if module is None or _is_built_in(plugin.loader):
        return ""
    top = sys.modules[module.__name__.partition(".")[0]]
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    own_file = getattr(top, "__file__", None)  # a notebook has none
    files += [Path(own_file)] if not folders and own_file else []
    # The prompt by which models are asked for typed actions is a part of the plugin's prompts.
    fields_hash = prompt("sociolab.agents", "fields").hash
    return digest(fields_hash, *(file.read_text("utf-8") for file in files))


# ------------------------------------------------------------------ errors in plugins


def guarded(world: str, what: str, call: Callable[..., Any], returns: Any = object) -> Any:
    """Wrap a function of a plugin: any error other than sociolab's own becomes a WorldError, and so
    does a result that is not of the type that it `returns`."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            result = call(*map(_unwrap, args), **kwargs)
        except Exception as error:  # a bug in a plugin
            raise _world_error(world, what, error, call) from error
        if inspect.iscoroutine(result):
            return _guarded_await(world, what, result)
        return checked_type(world, what, result, returns, call)

    return wrapper


def checked_type(world: str, what: str, value: Any, returns: Any, call: object = None) -> Any:
    """The value if it is of this type; otherwise WorldError, with the line of the function that
    returned it."""
    if isinstance(value, returns):
        return value
    raise WorldError(
        f'the world "{world}": expected the type {returns.__name__} for its {what}, found '
        f"{value!r:.80}{_definition_line(call)}"
    )


async def _guarded_await(world: str, what: str, coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await coroutine
    except Exception as error:
        raise _world_error(world, what, error) from error


def _world_error(world: str, what: str, error: Exception, call: object = None) -> Exception:
    if isinstance(error, SociolabError):
        return error
    problem = describe_error(error)
    # A function called with wrong arguments never began, and is in no traceback.
    place = "" if raised_in_users_file(error) else _definition_line(call)
    return WorldError(f'the world "{world}" breaks in its {what}: {problem}{place}')


def _definition_line(call: object) -> str:
    code = getattr(call, "__code__", None)
    return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code else ""


def _unwrap(value: Any) -> Any:
    return value.inner if isinstance(value, GuardedWorld) else value


class GuardedWorld:
    """A plugin's world, whose errors become WorldErrors; `inner` is the author's own object."""

    def __init__(self, inner: World, name: str) -> None:
        self.inner = inner
        self.name = name
        self.tasks: Callable[[], Sequence[Task]] = guarded(name, "tasks", inner.tasks, Sequence)
        self._transcript = guarded(name, "transcript", inner.transcript, Transcript)

    @property
    def data(self) -> DataId:
        data: DataId = guarded(self.name, "data", lambda: self.inner.data, DataId)()
        return data

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        transcript: Transcript = self._transcript(episode, seat)
        return transcript

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """The author's play; WorldError where it does not end with an `Ended`."""
        last, sent, over = None, None, False
        play = guarded(self.name, "play", self.inner.play, Generator)(task, trial, seed)
        while not over:
            try:
                last = play.send(sent)
            except StopIteration:
                over = True
            except Exception as error:
                raise _world_error(self.name, "play", error, self.inner.play) from error
            else:
                sent = yield last
        checked_type(self.name, "last event of a play", last, Ended, self.inner.play)
