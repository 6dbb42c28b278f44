"""Prompt sets: folders of strict Jinja2 templates with a manifest, a world's or a user's own.

docs/prompts.md describes the manifest.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, ClassVar

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.instructions import Instructions, TextStanding
from sociolab.core.ports import Layout
from sociolab.core.reading import read_text, toml_record
from sociolab.core.seeding import digest
from sociolab.core.user_files import absolute_unless_name, imported_folder, imported_names
from sociolab.engine.setup import LayeredSettings

MANIFEST = "manifest.toml"
OURS = "{# ours: the form of the reply #}"
"""In an imported template, what stands before the form of the reply of our set `paper`."""

RequiredTemplates = Mapping[str, str]
"""The templates that a world needs, by name, with the variables that each may use, separated by
spaces; a name that ends in .toml is a table of data."""


def _format_string(form: str) -> str:
    try:
        form.format(name="", text="", turn=1, turn0=0)
    except (LookupError, ValueError, AttributeError) as error:
        message = "expected a format string of {name}, {text}, {turn} and {turn0}"
        raise ValueError(message) from error
    return form


LineForm = Annotated[str, AfterValidator(_format_string)]


class Temperatures(BaseModel):
    """Sampling temperatures of agents and judges, where no option sets them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: float | None = Field(default=None, ge=0, le=2)
    judge: float = Field(default=0.0, ge=0, le=2)


class Manifest(BaseModel):
    """The manifest of a set.

    `instructions` says how it relates to the authors' text. `settings` are defaults of the world's
    own settings. `lines` are format strings for turns, by kind of action, of name, text, turn
    (from 1) and turn0 (from 0); a kind without one reads as in the world. `judge_lines` are the
    same for judges, who otherwise read what players do. `full_names`: both call people by these.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    instructions: TextStanding = "unverified"
    temperature: Temperatures = Temperatures()
    settings: dict[str, str | bool | int | float] = {}
    layout: Layout = Layout()
    lines: dict[str, LineForm] = {}
    judge_lines: dict[str, LineForm] = {}
    full_names: bool = False


_RARE: Any = {"layout": {"keys", "kinds"}, "judge_lines": True, "full_names": True}
"""Fields of a manifest that enter its hash only where they are set, so that hashes of sets without
them stay as they were."""


@dataclass(frozen=True, eq=False)  # compared by identity, as a key of caches of rendered text
class PromptSet:
    """The validated templates of a set: `texts["act_head"].render({...})`.

    `tables` are its data files, by name; `originals` the hashes of the authors' own sets, and
    `ours` the templates of our set `paper`, parts of which may stand in those.
    """

    name: str
    manifest: Manifest
    templates: Mapping[str, PromptFile]
    tables: Mapping[str, str]
    originals: Collection[str] = ()
    ours: Mapping[str, PromptFile] = field(default_factory=dict)

    def __getitem__(self, name: str) -> PromptFile:
        return self.templates[name]

    @cached_property
    def hash(self) -> str:
        """A hash of all that could change a reply: texts, temperatures, layout."""
        return self._hash_all(self._sources)

    def hash_of(self, *names: str) -> str:
        """A hash of these templates and tables, and of the layout of turns."""
        return self._hash_texts({name: self._sources[name] for name in names})

    @property
    def _sources(self) -> dict[str, str]:
        """The texts of all templates and tables, by name."""
        return {name: one.source for name, one in self.templates.items()} | dict(self.tables)

    def _hash_all(self, texts: Mapping[str, str]) -> str:
        about: Any = {"title": True, "instructions": True, **_RARE}
        manifest = self.manifest.model_dump_json(exclude=about)
        return digest(manifest, self._hash_texts(texts))

    def _hash_texts(self, texts: Mapping[str, str]) -> str:
        usual: Any = {"layout": {"messages", "reply_form"}, "lines": True}
        rare = self.manifest.model_dump_json(include=_RARE, exclude_defaults=True)
        laid_out = self.manifest.model_dump_json(include=usual) + rare.replace("{}", "")
        return digest(laid_out, *(f"{name}\n{texts[name]}" for name in sorted(texts)))

    def instructions(self, *names: str) -> Instructions:
        """What these texts are, for reports; all of the set's where none is named."""
        hash_ = self.hash_of(*names) if names else self.hash
        return Instructions(self.name, self.standing, hash_)

    @cached_property
    def authors_hash(self) -> str:
        """`hash` without what is ours: the templates of our set, and its forms of replies."""
        theirs = {
            name: text
            for name, prompt in self.templates.items()
            if (text := self._authors_text(name, prompt.source)) is not None
        }
        return self._hash_all(theirs | dict(self.tables))

    def _authors_text(self, name: str, source: str) -> str | None:
        body, mark, form = source.partition(OURS)
        own = self.ours[name].source if name in self.ours else None
        if source == own:
            return None
        form = form.removeprefix("{% if not plain %}")
        return body if mark and own is not None and own.endswith(form) else source

    @cached_property
    def standing(self) -> TextStanding:
        """How it relates to the authors' text; only a known hash makes it a verified original."""
        if self.authors_hash in self.originals:
            return "verified original"
        declared = self.manifest.instructions
        return "modified" if declared == "verified original" else declared

    def agent_temperature(self, usual: float) -> float:
        """The temperature of a model that plays; `usual` where the manifest names none."""
        temperature = self.manifest.temperature.agent
        return usual if temperature is None else temperature

    def line(
        self, kind: str, name: str, text: str, turn: int, *, judge: bool = False
    ) -> str | None:
        """A turn in this set's form, `turn` counting from 1; None where the set has none."""
        forms = self.manifest.judge_lines if judge else {}
        form = (forms or self.manifest.lines).get(kind)
        if form is None:
            return None
        return form.format(name=name, text=text, turn=turn, turn0=turn - 1)


def load_set(package: str, name: str, required: RequiredTemplates) -> PromptSet:
    """Load a set that ships with a package, one imported for it, or one in a folder.

    ConfigError where there is none, a file is missing or cannot be read, a template does not parse
    or uses an unknown variable, or the manifest is invalid.
    """
    if name in shipped_sets(package):
        return _shipped(package, name, tuple(sorted(required.items())))
    with set_folder(package, name) as folder:
        found = _read(folder, folder.resolve().name, required)
    for prompt in found.templates.values():
        prompt.compiled  # noqa: B018  so that nothing is played with one that is wrong
    return replace(
        found, originals=hashes_of_originals(package).keys(), ours=_ours(package, required)
    )


def _ours(package: str, required: RequiredTemplates) -> Mapping[str, PromptFile]:
    """The templates of the set `paper` of a package, if it ships one."""
    return (
        load_set(package, "paper", required).templates if "paper" in shipped_sets(package) else {}
    )


@contextmanager
def set_folder(package: str, name: str) -> Iterator[Path]:
    """The folder of a set, while this is open; ConfigError where there is none."""
    shipped = shipped_sets(package)
    if name in shipped:
        with as_file(files(package).joinpath("prompts", name)) as folder:
            yield folder
        return
    named = absolute_unless_name(name) == name and not Path(name).is_absolute()
    folder = (
        imported_folder(prompts_kind(package), name) if named else Path(absolute_unless_name(name))
    )
    if not folder.is_dir():
        names = (*shipped, *imported_names(prompts_kind(package)))
        raise ConfigError(
            f"prompts: expected {' or '.join(names)}, or the path of a folder with {MANIFEST} and "
            f'the templates, such as ./{Path(name).name or "mine"}; found "{name}"'
        )
    yield folder


def prompts_kind(package: str) -> str:
    """The kind under which sets imported for a package lie in the data folder."""
    return f"prompts-{package.rpartition('.')[2]}"


def hashes_of_originals(package: str) -> Mapping[str, str]:
    """The hash of each set that an importer makes of the authors' texts, with their versions."""
    file = files(package).joinpath("prompts", "originals.toml")
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def shipped_sets(package: str) -> tuple[str, ...]:
    """The names of the sets that come with a package."""
    folders = files(package).joinpath("prompts").iterdir()
    return tuple(sorted(folder.name for folder in folders if folder.joinpath(MANIFEST).is_file()))


@cache
def _shipped(package: str, name: str, required: tuple[tuple[str, str], ...]) -> PromptSet:
    with set_folder(package, name) as folder:
        return _read(folder, name, dict(required))


def _read(folder: Path, name: str, required: RequiredTemplates) -> PromptSet:
    manifest = toml_record(folder / MANIFEST, Manifest)
    tables = {table: read_text(folder / table) for table in required if table.endswith(".toml")}
    templates = {}
    for stem, variables in required.items():
        if stem not in tables:
            file = folder / f"{stem}.md"
            templates[stem] = PromptFile(stem, read_text(file), variables.split(), str(file))
    return PromptSet(name, manifest, templates, tables)


class PromptedSettings(LayeredSettings):
    """The settings of a world with a prompt set; `prompts` is a shipped set's name or a folder.

    `told` are the templates that players get, which `sociolab write WORLD prompts` rewords.
    """

    package: ClassVar[str]
    required_templates: ClassVar[RequiredTemplates]
    told: ClassVar[tuple[str, ...]] = ()

    prompts: str = "paper"

    @classmethod
    def templates(cls, settings: Mapping[str, Any]) -> RequiredTemplates:
        """The templates that these settings require."""
        return cls.required_templates

    @classmethod
    def defaults_for(cls, settings: Mapping[str, str]) -> Mapping[str, Any]:
        """The settings in the manifest of the chosen set."""
        chosen = settings.get("prompts", cls.model_fields["prompts"].default)
        defaults = load_set(cls.package, chosen, {}).manifest.settings
        valid = cls.model_fields.keys() - {"prompts"}
        if unknown := [name for name in defaults if name not in valid]:
            raise ConfigError(
                f'{chosen}/{MANIFEST}: settings: there is no setting "{unknown[0]}"; expected '
                f"some of {', '.join(name for name in cls.model_fields if name != 'prompts')}"
            )
        return defaults

    @cached_property
    def texts(self) -> PromptSet:
        return load_set(self.package, self.prompts, self.templates(vars(self)))


# ------------------------------------------------------------------ one template


class PromptFile:
    """One template.

    It may leave out some of the `allowed` variables; without `allowed`, `render` must be given
    exactly those that it uses. `place` names it in errors. ConfigError where it does not parse, or
    uses a variable that is not allowed.
    """

    def __init__(
        self, name: str, source: str, allowed: Collection[str] | None = None, place: str = ""
    ) -> None:
        self.name, self.source = name, source
        self._place = place = place or f"prompt {name}"
        try:
            self._used = meta.find_undeclared_variables(_environment().parse(source))
        except jinja2.TemplateError as error:
            line = getattr(error, "lineno", None)
            where = f"{place}, line {line}" if line else place
            raise ConfigError(f"{where}: expected a Jinja2 template ({error})") from error
        self._known = self._used if allowed is None else frozenset(allowed)
        if unknown := sorted(self._used - self._known):
            raise ConfigError(
                f"{place}: expected variables among {', '.join(sorted(self._known)) or 'none'}, "
                f'found "{unknown[0]}"'
            )

    @cached_property
    def compiled(self) -> jinja2.Template:
        """The template for Python, made at first use: most commands render few of a set's.
        ConfigError for what only Python finds wrong, such as a keyword that is given twice."""
        try:
            return _environment().from_string(self.source)
        except SyntaxError as error:
            raise ConfigError(f"{self._place}: expected a Jinja2 template ({error.msg})") from error

    @property
    def hash(self) -> str:
        return hashlib.blake2b(self.source.encode(), digest_size=8).hexdigest()

    def render(self, values: dict[str, Any]) -> str:
        """The prompt; WorldError where a variable is missing or unknown."""
        missing, unused = self._known - set(values), set(values) - self._known
        if missing or unused:
            raise WorldError(
                f"prompt {self.name}: the template wants {sorted(self._known)}; "
                f"missing {sorted(missing)}, unused {sorted(unused)}"
            )
        try:
            return self.compiled.render(values).strip()
        except jinja2.TemplateError as error:
            raise WorldError(f"prompt {self.name}: {error}") from error


@cache
def prompt(package: str, name: str) -> PromptFile:
    """The template `prompts/NAME.md` of a package."""
    source = files(package).joinpath("prompts", f"{name}.md").read_text("utf-8")
    return PromptFile(name, source)


@cache
def _environment() -> jinja2.Environment:
    # Sandboxed, since a set may come from somebody else. No escaping: prompts are plain text.
    return ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
