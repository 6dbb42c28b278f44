"""What does a world declare, so that everything above it can ask instead of knowing it by name?

A package registers a `WorldPlugin` under its world's name in the entry points "sociolab.worlds":

    plugin = WorldPlugin("ultimatum", load, declared=Declared(main=("payoff",), cluster="game"))

where `load` makes the kit that plays of a setup. All else is optional: what a world does not
declare it does not offer, and whoever asks for it is told so in a sentence. So is what it breaks,
with the file and the line.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from sociolab.core.episode import Ended, Episode, Task
from sociolab.core.errors import ConfigError, SociolabError, WorldError
from sociolab.core.exam import ExamCase
from sociolab.core.instructions import Instructions
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import DataId, Play, Transcript, World, WorldKit
from sociolab.core.score import JudgeId, Score, Verdict
from sociolab.core.seeding import digest
from sociolab.core.tracebacks import describe_error, raised_in_users_file
from sociolab.engine.setup import WorldSetup
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
    """What is imported: where from, under which name, and whether the importer's flag was given."""

    source: Path
    name: str
    flag: bool = False


@dataclass(frozen=True, slots=True)
class Importer:
    """A format that a world can import as a data set.

    `read` lays the data down in a folder that it makes, and says in lines what it found. `kind` is
    what the data set is for where that is no world; `flag` the option of the command that this
    format knows; `reserved` names that a data set may not have; `then` how to go on, with {name} in
    it.
    """

    read: Callable[[Importing, Path], Sequence[str]]
    then: str
    kind: str = ""
    flag: Flag | None = None
    reserved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedJudging:
    """What a judge elsewhere said of an imported episode, by the id of its trial."""

    trial: str
    judge: JudgeId
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class EpisodeImporter:
    """A format that a world can import as a run: finished episodes, lines on what was found, and
    the judgings that were stored with them."""

    read: Callable[[Path], tuple[Sequence[Episode], Sequence[str], Sequence[ImportedJudging]]]


Revise = Callable[[Path | None, Path, str, Mapping[str, DecidedCluster]], Sequence[str]]
"""Writes what a study (named) decided, by cluster, as the next version of a folder of data (None:
the world's own) into a new one, and says in lines what it did."""


@dataclass(frozen=True, slots=True)
class PromptImporter:
    """How a world makes a set of prompts of somebody's own copy: `read` takes the source, the new
    folder, the set's name and a variant ("" or one of `variants`), and says in lines what it is."""

    read: Callable[[Path, Path, str, str], Sequence[str]]
    package: str
    variants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Writer:
    """One kind of thing that a model can write for a world, and the settings that it knows."""

    write: Callable[[WriteJob], Coroutine[Any, Any, WrittenTasks]]
    settings: type[BaseModel]


@dataclass(frozen=True, slots=True)
class RatingGuide:
    """How people rate a world's episodes: the scene of the examples, what to bear in mind, and a
    guide for each measure, in the order of the form.

    `shown` is an episode as raters see it; ConfigError where it is none of this world's. `summary`
    is what a rater's scores of a seat come to once all are there. `instructions` names the set that
    a judge of the same instructions gets.
    """

    guides: tuple[DimensionGuide, ...]
    shown: Callable[[Episode], RatedScene]
    scene: str = ""
    knew: str = ""
    summary: Callable[[tuple[Score, ...], str], Verdict] | None = None
    instructions: Instructions | None = None


@dataclass(frozen=True, slots=True)
class WorldPlugin:
    """A world as its package declares it; called with a setup it gives the kit that plays.

    `about` says in a line what it is. `declared` is stored with its runs: metrics, the main one,
    what a cluster is called. `settings` are the world's own, as --set takes them, `short` those
    that make its episodes short enough to try an agent out. `people`: a person can take a seat.
    `importers` by the name of their format, `prompts` makes a set of somebody's own copy, `writers`
    by what they have a model write. `remarks` is what the author of a data set should know, `cast`
    writes the tasks of a folder (which, how many a scenario, seed). `sidebar` is what stands beside
    a transcript. People rate by one of `guides`, the first if none is named, and review tasks
    before they are played by `reviewed`, from which `revise` makes the data's next version;
    `impressions`: they say in a word what a session is like. `levels` names another world that
    plays the same tasks, `town` is how its days are looked at. `tools` are what commands of this
    package ask for by name, `recipes` the tables of its paper that `sociolab reproduce` makes.
    `exam` is what its judges, readers and raters sit before they are believed.
    """

    name: str
    loader: Callable[[WorldSetup], WorldKit]
    declared: Declared = UNDECLARED
    settings: type[BaseModel] | None = None
    short: Mapping[str, str] | None = None
    about: str = ""
    people: bool = True
    importers: Mapping[str, Importer | EpisodeImporter] = field(default_factory=dict)
    prompts: PromptImporter | None = None
    writers: Mapping[str, Writer] = field(default_factory=dict)
    remarks: Callable[[World], Sequence[str]] | None = None
    cast: Callable[[Path, int, int], str] | None = None
    sidebar: Callable[[Episode, Sequence[JudgingRow]], Sidebar] | None = None
    guides: Mapping[str, Callable[[], RatingGuide]] = field(default_factory=dict)
    reviewed: Callable[[Task], ReviewedTask] | None = None
    revise: Revise | None = None
    impressions: bool = False
    levels: Callable[[], TwoLevels] | None = None
    town: Callable[[], TownWorld] | None = None
    tools: Mapping[str, Callable[[], Tool]] = field(default_factory=dict)
    recipes: Mapping[str, Callable[[], Tool]] = field(default_factory=dict)
    exam: Callable[[], Sequence[ExamCase]] | None = None

    def __call__(self, setup: WorldSetup) -> WorldKit:
        """The world over its data, with its players and judges.

        What breaks in somebody else's loader is a WorldError that says where.
        """
        code = code_of(self)
        if not code:
            own = self.loader(setup)
            return replace(own, declared=self._declared(own))
        kit: WorldKit = guarded(self.name, "set-up", self.loader, WorldKit)(setup)
        variants = {
            kind: replace(entry, make=guarded(self.name, f"variants {kind}", entry.make, Sequence))
            for kind, entry in kit.variants.items()
        }
        return replace(
            kit,
            world=GuardedWorld(kit.world, self.name),
            model_judge=guarded(self.name, "model judge", kit.model_judge),
            variants=variants,
            declared=self._declared(kit),
            code=code,
        )

    def _declared(self, kit: WorldKit) -> Declared:
        """What is declared, with what a run of these settings says below its tables."""
        return replace(self.declared, footnote=kit.declared.footnote)

    def guide(self, name: str = "") -> RatingGuide:
        """How people rate its episodes, or a model in their place; ConfigError where it does not
        say, or has no guide of this name."""
        if not self.guides:
            raise ConfigError(f"the world {self.name} has no guide to rate its episodes by")
        make = self.guides.get(name or next(iter(self.guides)))
        if make is None:
            names = ", ".join(self.guides)
            raise ConfigError(f'expected a guide of {self.name} ({names}), found "{name}"')
        return make()

    def __post_init__(self) -> None:
        """What is declared is checked and, of a package from outside, guarded against mistakes."""
        for what, value, kind in (
            ("declared", self.declared, Declared),
            ("importers", self.importers, Mapping),
            ("guides", self.guides, Mapping),
            ("writers", self.writers, Mapping),
            ("tools", self.tools, Mapping),
            ("recipes", self.recipes, Mapping),
            ("settings", self.settings or BaseModel, type),
        ):
            checked_type(self.name, what, value, kind)
        if _is_ours(self.loader):
            return
        for what, gives in _CALLED.items():
            if (call := getattr(self, what)) is not None:
                object.__setattr__(self, what, guarded(self.name, what, call, gives))
        guides = {name: partial(_rating, self.name, make) for name, make in self.guides.items()}
        object.__setattr__(self, "guides", guides)
        importers = {
            name: replace(entry, read=guarded(self.name, f"importer {name}", entry.read, Sequence))
            for name, entry in self.importers.items()
        }
        object.__setattr__(self, "importers", importers)
        writers = {
            name: replace(writer, write=guarded(self.name, f"writer {name}", writer.write))
            for name, writer in self.writers.items()
        }
        object.__setattr__(self, "writers", writers)
        for what in ("tools", "recipes"):
            factories = getattr(self, what).items()
            tools = {name: partial(_tool, self.name, name, make) for name, make in factories}
            object.__setattr__(self, what, tools)


_CALLED: Mapping[str, type] = {
    "remarks": Sequence,
    "cast": str,
    "sidebar": Sidebar,
    "reviewed": ReviewedTask,
    "revise": Sequence,
    "levels": object,
    "town": object,
    "exam": Sequence,
}
"""What a plugin may hold to be called, and of which type it is what they give."""


def _rating(world: str, make: Callable[[], RatingGuide]) -> RatingGuide:
    guide: RatingGuide = guarded(world, "rating guide", make, RatingGuide)()
    return replace(guide, shown=guarded(world, "rated scene", guide.shown, RatedScene))


def _tool(world: str, name: str, make: Callable[[], Tool]) -> Tool:
    tool: Tool = guarded(world, f"command {name}", make)()
    return replace(tool, run=guarded(world, f"command {name}", tool.run))


def _is_ours(loader: Callable[..., Any]) -> bool:
    return str(getattr(loader, "__module__", "")).partition(".")[0] == "sociolab"


def code_of(plugin: WorldPlugin) -> str:
    """A hash of the Python files of a plugin's package, so that an edit of its rules is another
    world; "" for the worlds of this package, which have a version."""
    module = sys.modules.get(plugin.loader.__module__)
    if module is None or _is_ours(plugin.loader):
        return ""
    top = sys.modules[module.__name__.partition(".")[0]]
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    files += [Path(top.__file__)] if not folders and top.__file__ else []
    # How models are asked for typed actions belongs to the prompts of those who declare some.
    fields_hash = prompt("sociolab.agents", "fields").hash
    return digest(fields_hash, *(file.read_text("utf-8") for file in files))


# ------------------------------------------------------------------ what somebody's plugin breaks


def guarded(world: str, what: str, call: Callable[..., Any], gives: Any = object) -> Any:
    """The function of a plugin; whatever it raises that is no error of ours is a WorldError, and so
    is a value that is none of the type that it `gives`."""

    def calling(*args: Any, **named: Any) -> Any:
        try:
            result = call(*map(_unwrapped, args), **named)
        except Exception as error:  # somebody's code
            raise _broke(world, what, error, call) from error
        if inspect.iscoroutine(result):
            return _awaited(world, what, result)
        return checked_type(world, what, result, gives, call)

    return calling


def checked_type(world: str, what: str, value: Any, gives: Any, call: object = None) -> Any:
    """What a plugin gave; WorldError, with the place of what gave it, where it is none of this
    type."""
    if isinstance(value, gives):
        return value
    raise WorldError(
        f'the world "{world}": expected the type {gives.__name__} for its {what}, found '
        f"{value!r:.80}{_place(call)}"
    )


async def _awaited(world: str, what: str, coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await coroutine
    except Exception as error:  # as above
        raise _broke(world, what, error) from error


def _broke(world: str, what: str, error: Exception, call: object = None) -> Exception:
    if isinstance(error, SociolabError):
        return error
    problem = describe_error(error)
    # What was called in a wrong way never began, and is in no traceback.
    place = "" if raised_in_users_file(error) else _place(call)
    return WorldError(f'the world "{world}" breaks in its {what}: {problem}{place}')


def _place(call: object) -> str:
    code = getattr(call, "__code__", None)
    return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code else ""


def _unwrapped(value: Any) -> Any:
    return value.inner if isinstance(value, GuardedWorld) else value


class GuardedWorld:
    """A world from outside. `inner` is the author's own object."""

    def __init__(self, inner: World, name: str) -> None:
        self.inner = inner
        self.name = name
        self.tasks: Callable[[], Sequence[Task]] = guarded(name, "tasks", inner.tasks, Sequence)
        self._transcript = guarded(name, "transcript", inner.transcript, Transcript)

    @property
    def data(self) -> DataId:
        """The author's."""
        data: DataId = guarded(self.name, "data", lambda: self.inner.data, DataId)()
        return data

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The author's."""
        transcript: Transcript = self._transcript(episode, seat)
        return transcript

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """The author's; WorldError where it ends without saying why."""
        last, sent, over = None, None, False
        play = guarded(self.name, "play", self.inner.play, Generator)(task, trial, seed)
        while not over:
            try:
                last = play.send(sent)
            except StopIteration:
                over = True
            except Exception as error:  # as above
                raise _broke(self.name, "play", error, self.inner.play) from error
            else:
                sent = yield last
        checked_type(self.name, "last event of a play", last, Ended, self.inner.play)
