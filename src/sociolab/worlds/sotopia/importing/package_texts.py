"""Extract the prompts from a copy of the authors' package, which is parsed and never run."""

from __future__ import annotations

import ast
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from sociolab.core.errors import ConfigError
from sociolab.core.unpacking import open_unpacked, open_zip
from sociolab.worlds.sotopia.evaluation import DIMENSIONS, PUBLIC_NAMES
from sociolab.worlds.sotopia.scene import SPEAK

_FILES = (
    "sotopia/generation_utils/generate.py",
    "sotopia/envs/evaluators.py",
    "sotopia/envs/parallel.py",
    "sotopia/messages/message_classes.py",
)
"""The files with the texts."""
_DIMENSIONS = "sotopia/database/evaluation_dimensions.py"
"""The file in which some versions describe the dimensions."""
_ABOUT = ("METADATA", "PKG-INFO", "pyproject.toml")
THEIRS = {value: key for key, value in PUBLIC_NAMES.items()}
"""The package's names of dimensions that have another name here."""


@dataclass(frozen=True, slots=True)
class PackageTexts:
    """The texts of a package by name, with expressions as ⟦code⟧, and what else shapes prompts.

    `hides`: no player reads another's profile. Temperatures are None if the package sets none.
    """

    version: str
    texts: Mapping[str, str]
    actions: Mapping[str, str]
    biographies: Mapping[str, str]
    reply_fields: Mapping[str, str]
    action_names: tuple[str, ...]
    by_agent: bool
    hides: bool
    agent_temperature: float | None
    judge_temperature: float | None


def read_package(source: Path, variant: str = "") -> PackageTexts:
    """The texts of a package; ConfigError if one is missing that every version has."""
    try:
        return _read_package(source, variant)
    except LookupError as error:
        raise ConfigError(f"{source}: expected {error.args[0]}, found none") from error


def _read_package(source: Path, variant: str) -> PackageTexts:
    sources, version = _read_sources(source)
    trees = {}
    for name, text in sources.items():
        try:
            trees[name] = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError) as error:
            raise ConfigError(
                f"{source}: {name} is no Python that can be read ({error})"
            ) from error
    if missing := next((name for name in _FILES if name not in trees), ""):
        raise ConfigError(
            f"{source}: expected the package sotopia (a folder, a wheel or an sdist), found no "
            f"{missing} in it"
        )
    generate, evaluators, parallel, messages = (trees[name] for name in _FILES)
    act = _find_definition(generate, "agenerate_action")
    scorer = _first_or_raise(
        (node for node in _functions(evaluators) if any("{history}" in t for t in _texts(node))),
        "a judge's template with {history}",
    )
    background, action = (
        _find_definition(messages, name) for name in ("ScriptBackground", "AgentAction")
    )
    observation = _texts(_find_definition(messages, "Observation"))
    agent_clauses = [t for t in _texts(scorer) if "agent" in t and "⟦str(" in t]
    goals = [
        node.value.value
        for node in ast.walk(parallel)
        if isinstance(node, ast.Assign) and "goal" in ast.unparse(node.targets[0])
        and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]  # fmt: skip
    withheld = [
        (ast.unparse(node.body), node.orelse.value)
        for tree in (background, parallel)
        for node in ast.walk(tree)
        if isinstance(node, ast.IfExp) and isinstance(node.orelse, ast.Constant)
        and re.search("background|render_text_for_agent", ast.unparse(node.body))
    ]  # fmt: skip
    texts = {
        "act": _last_text(act, "{history}"),
        "judge": _last_text(scorer, "{history}"),
        "scene": "\n\n".join(t for t in _texts(background) if "self.scenario" in t or "⟧'s " in t),
        "observation": "\n\n".join(t for t in observation if "⟦self.last_turn⟧" in t),
        "judge turn": next((t for t in _texts(parallel) if t.startswith("Turn #")), ""),
        "judge agents": max(agent_clauses, key=len, default=""),
        "unknown": next(iter(goals), ""),
        "unknown profile": next((text for _, text in withheld if isinstance(text, str)), ""),
    }
    plus = "Plus" if variant == "plus" else ""
    kinds = (f"EvaluationBySocialDimensions{plus}", f"SotopiaDimensions{plus}")
    descriptions = next((_descriptions(c) for t in trees.values() for c in _classes(t, *kinds)), {})
    for dimension in DIMENSIONS:
        public_name = THEIRS.get(dimension.name, dimension.name)
        if public_name not in descriptions:
            raise LookupError(f"a description of {public_name}{plus and ' (plus)'}")
        texts[dimension.name] = descriptions[public_name]
    actions = {
        str(case.pattern.value.value): _flatten(node.value) or ""
        for case in ast.walk(action)
        if isinstance(case, ast.match_case)
        and isinstance(case.pattern, ast.MatchValue)
        and isinstance(case.pattern.value, ast.Constant)
        for node in case.body
        if isinstance(node, ast.Return) and node.value
    }
    replies = _descriptions(action)
    biographies = {
        match[1]: max(_texts(function), key=len)
        for function in _functions(parallel)
        if (match := re.fullmatch(r"_agent_profile_to_(\w+)_self", function.name))
    }
    if not biographies or SPEAK not in actions or len(replies) < 2:
        raise LookupError("how profiles and actions are written")
    names = [
        _texts(node.value)
        for node in messages.body
        if isinstance(node, ast.Assign) and "ActionType" in ast.unparse(node.targets[0])
    ]
    return PackageTexts(
        version,
        texts,
        actions,
        biographies,
        replies,
        tuple(next(iter(names), ())),
        "agent_1_evaluation" in sources[_FILES[1]],
        any("render_text_for_agent" in code for code, _ in withheld),
        _default_temperature(act),
        _default_temperature(scorer),
    )


def _read_sources(source: Path) -> tuple[dict[str, str], str]:
    """The files of the package with texts, by path, and the package's version."""
    texts: dict[str, str] = {}
    version = ""
    try:
        for file, text in sorted(_read_files(source), key=lambda read: (len(read[0].parts), read)):
            if file.name in _ABOUT:  # the version in a wheel, an sdist, or pyproject.toml
                match = re.search(
                    r'^(?:Name: sotopia\s(?:.*\n)*?Version: |version = ")([^"\s]+)', text, re.M
                )
                version = version or (match[1] if match else "")
            else:
                texts.setdefault("/".join(file.parts[-3:]), text)
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{source}: expected the package sotopia as a folder, a wheel or an sdist, found what "
            "cannot be read as one"
        ) from error
    return texts, version


def _read_files(source: Path) -> Iterator[tuple[PurePath, str]]:
    """The relevant files of a folder, a wheel or an sdist, unpacked within the limit."""
    if source.is_dir():
        for path in source.rglob("*"):
            if path.is_file() and _is_relevant(str(path)):
                yield path, path.read_text("utf-8")
    elif zipfile.is_zipfile(source):
        with open_zip(source) as wheel:
            for name in filter(_is_relevant, wheel.namelist()):
                yield PurePath(name), wheel.read(name).decode()
    else:
        with open_unpacked(source) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as sdist:
            for member in sdist:
                file = sdist.extractfile(member) if _is_relevant(member.name) else None
                if file is not None:
                    yield PurePath(member.name), file.read().decode()


def _is_relevant(name: str) -> bool:
    return f"/{name}".endswith(tuple(f"/{path}" for path in (*_FILES, _DIMENSIONS, *_ABOUT)))


def _flatten(node: ast.AST | None) -> str | None:
    """A text expression as one string, with code in it as ⟦code⟧; None for any other node."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(
                f"⟦{ast.unparse(part.value)}⟧"
                if isinstance(part, ast.FormattedValue)
                else _flatten(part) or ""
                for part in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            flat = [(_flatten(side), side) for side in (left, right)]
            if any(text is not None for text, _ in flat):
                return "".join(f"⟦{ast.unparse(s)}⟧" if t is None else t for t, s in flat)
    return None


def _texts(node: ast.AST) -> list[str]:
    """The texts in a piece of code, in order, without those that are parts of others."""
    text = _flatten(node)
    if text is not None:
        return [text]
    return [part for child in ast.iter_child_nodes(node) for part in _texts(child)]


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(tree: ast.AST) -> list[_Function]:
    return [node for node in ast.walk(tree) if isinstance(node, _Function)]


def _classes(tree: ast.AST, *names: str) -> list[ast.ClassDef]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name in names]


def _first_or_raise(candidates: Iterator[Any], what: str) -> Any:
    """The first candidate; LookupError, which names `what`, if there is none."""
    for candidate in candidates:
        return candidate
    raise LookupError(what)


def _find_definition(tree: ast.AST, name: str) -> Any:
    nodes = (*_functions(tree), *_classes(tree, name))
    return _first_or_raise(
        (node for node in nodes if node.name == name), f"a function or class {name}"
    )


def _last_text(node: ast.AST, content: str) -> str:
    """The last text with this content, since the normal one comes after special cases."""
    texts = reversed([text for text in _texts(node) if content in text])
    return str(_first_or_raise(texts, f"a template with {content}"))


def _descriptions(node: ast.ClassDef) -> dict[str, str]:
    """The descriptions of a type's fields, in order."""
    return {
        field.target.id: _flatten(keyword.value) or ""
        for field in node.body
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(field.value, ast.Call)
        for keyword in field.value.keywords
        if keyword.arg == "description"
    }


def _default_temperature(function: _Function) -> float | None:
    """The default of the argument `temperature`; None if it is not a number."""
    arguments = function.args.args[::-1]
    for argument, default in zip(arguments, function.args.defaults[::-1], strict=False):
        if argument.arg == "temperature" and isinstance(default, ast.Constant):
            value = default.value
            return float(value) if isinstance(value, (int, float)) else None
    return None
