"""The authors' own prompts as a set: read from a copy of their package, as data, never run."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath
from types import GenericAlias
from typing import Any

import tomli_w
from pydantic import Field, create_model

from sociolab.core.errors import ConfigError
from sociolab.core.instructions import TextStanding
from sociolab.core.user_files import write_files
from sociolab.prompting.sets import MANIFEST, load_set
from sociolab.worlds.sotopia.evaluation import DIMENSIONS, PUBLIC_NAMES
from sociolab.worlds.sotopia.scene import PACKAGE, PHYSICAL, SPEAK, WANTED

_FILES = (
    "generation_utils/generate.py",
    "envs/evaluators.py",
    "envs/parallel.py",
    "messages/message_classes.py",
    "database/evaluation_dimensions.py",
)
"""Where the texts are, in a package called sotopia; the last one only in some versions."""
_LARGEST = 5_000_000
_THEIRS = {value: key for key, value in PUBLIC_NAMES.items()}
_KINDS = {PHYSICAL: "action"}
"""What the package calls a kind of action that has another name here."""
VARIANTS = ("plus",)
_TIES = {
    "stranger": "stranger", "known-by-name": "name", "acquaintance": "aquaintance",
}  # fmt: skip
"""The package's functions that write a profile, by relationship; "friendabove" for all others."""


def import_prompts(source: Path, fresh: Path, name: str, variant: str = "") -> tuple[str, ...]:
    """Make the set `name` in the folder `fresh` of the package at `source`: a folder, a wheel or an
    sdist. `variant` "plus" takes the judge's more detailed dimensions. Sentences on what it is;
    ConfigError for what is no such package.
    """
    if variant not in ("", *VARIANTS):
        raise ConfigError(f'--variant: expected {" or ".join(VARIANTS)}, found "{variant}"')
    package = read_package(source, variant)
    standing, told = standing_of(package.texts, variant, known_hashes())
    folder = _set_files(package, standing)
    write_files(fresh, folder)
    whole = load_set(PACKAGE, str(fresh), WANTED).hash
    manifest = tomllib.loads(folder[MANIFEST]) | {"imported": whole}
    (fresh / MANIFEST).write_text(tomli_w.dumps(manifest), "utf-8")
    version = f"sotopia {package.version}" if package.version else "sotopia, version not stated"
    return (f"{version}: {len(package.texts)} texts; {told}",)


# ------------------------------------------------------------------ the package, as data


@dataclass(frozen=True, slots=True)
class PackageTexts:
    """The texts of a package by name, with expressions as ⟦code⟧, and what else decides prompts.

    `hides` says that a player reads no other one's profile. Temperatures are None where the
    package names none.
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
    """The texts of a package; ConfigError where one that every version has is missing."""
    found, version = _sources(source)
    trees = {}
    for name, text in found.items():
        try:
            trees[name] = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError) as error:
            raise ConfigError(
                f"{source}: {name} is no Python that can be read ({error})"
            ) from error
    if missing := next((name for name in _FILES[:4] if name not in trees), ""):
        raise ConfigError(
            f"{source}: expected the package sotopia (a folder, a wheel or an sdist), found no "
            f"sotopia/{missing} in it"
        )
    generate, evaluators, parallel, messages = (trees[name] for name in _FILES[:4])
    act = _function(generate, "agenerate_action", source)
    scorer = next(
        (f for f in _functions(evaluators) if any("{history}" in t for t in _texts(f))), None
    )
    if scorer is None:
        raise ConfigError(f"{source}: expected a judge's template with {{history}}, found none")
    background = _class(messages, "ScriptBackground", source)
    action = _class(messages, "AgentAction", source)
    texts = {
        "act": _last(act, "{history}", source),
        "judge": _last(scorer, "{history}", source),
        "scene": "\n\n".join(t for t in _texts(background) if "self.scenario" in t or "⟧'s " in t),
        "observation": "\n\n".join(
            text
            for text in _texts(_class(messages, "Observation", source))
            if "⟦self.last_turn⟧" in text
        ),
        "judge turn": next((t for t in _texts(parallel) if t.startswith("Turn #")), ""),
    }
    if agents := [t for t in _texts(scorer) if "agent" in t and "⟦str(" in t]:
        texts["judge agents"] = max(agents, key=len)
    ending = "Plus" if variant == "plus" else ""
    dimensions = next(
        (
            node
            for tree in trees.values()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            and node.name in (f"EvaluationBySocialDimensions{ending}", f"SotopiaDimensions{ending}")
        ),
        None,
    )
    asked = _descriptions(dimensions) if dimensions else {}
    for one in DIMENSIONS:
        theirs = _THEIRS.get(one.name, one.name)
        if theirs not in asked:
            raise ConfigError(f"{source}: expected a description of {theirs}{ending and ' (plus)'}")
        texts[one.name] = asked[theirs]
    actions = {
        str(case.pattern.value.value): _flat(node.value) or ""
        for case in ast.walk(action)
        if isinstance(case, ast.match_case)
        and isinstance(case.pattern, ast.MatchValue)
        and isinstance(case.pattern.value, ast.Constant)
        for node in case.body
        if isinstance(node, ast.Return) and node.value
    }
    replies = _descriptions(action)
    texts |= {f"action {name}": text for name, text in actions.items()}
    texts |= {f"reply {name}": text for name, text in replies.items()}
    biographies = {}
    for f in _functions(parallel):
        if found_name := re.fullmatch(r"_agent_profile_to_(\w+)_self", f.name):
            biographies[found_name[1]] = max(_texts(f), key=len)
            texts[f"profile {found_name[1]}"] = biographies[found_name[1]]
    if not biographies or SPEAK not in actions or len(replies) < 2:
        raise ConfigError(f"{source}: expected how profiles and actions are written, found neither")
    texts["unknown"] = next(
        (
            _flat(node.value) or ""
            for node in ast.walk(parallel)
            if isinstance(node, ast.Assign) and "goal" in ast.unparse(node.targets[0])
            and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        ),
        "",
    )  # fmt: skip
    withheld = [
        (node, node.orelse.value)
        for tree in (background, parallel)
        for node in ast.walk(tree)
        if isinstance(node, ast.IfExp) and isinstance(node.orelse, ast.Constant)
        and re.search("background|render_text_for_agent", ast.unparse(node.body))
    ]  # fmt: skip
    texts["unknown profile"] = next((one for _, one in withheld if isinstance(one, str)), "")
    hides = any("render_text_for_agent" in ast.unparse(node.body) for node, _ in withheld)
    return PackageTexts(
        version,
        texts,
        actions,
        biographies,
        replies,
        _literal_names(messages),
        "agent_1_evaluation" in found["envs/evaluators.py"],
        hides,
        _temperature(act),
        _temperature(scorer),
    )


def _sources(source: Path) -> tuple[dict[str, str], str]:
    """The files of the package that hold texts, by their path in it, and the package's version."""
    try:
        if source.is_dir():
            names = [
                path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()
            ]
            return _chosen(names, lambda name: (source / name).read_bytes())
        if zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as wheel:
                sizes = {one.filename: one.file_size for one in wheel.infolist()}
                small = [name for name, size in sizes.items() if size <= _LARGEST]
                return _chosen(small, wheel.read)
        with tarfile.open(source) as sdist:
            members = {m.name: m for m in sdist if m.isfile() and m.size <= _LARGEST}

            def read(name: str) -> bytes:
                opened = sdist.extractfile(members[name])
                return opened.read() if opened else b""

            return _chosen(members, read)
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{source}: expected the package sotopia as a folder, a wheel or an sdist, found what "
            "cannot be read as one"
        ) from error


def _chosen(names: Iterable[str], read: Callable[[str], bytes]) -> tuple[dict[str, str], str]:
    found, version = {}, ""
    for name in sorted(names, key=lambda one: (one.count("/"), one)):
        path = f"/{name}"
        for wanted in _FILES:
            if path.endswith(f"/{wanted}") and (wanted not in found):
                found[wanted] = read(name).decode()
        if PurePosixPath(name).name in ("METADATA", "PKG-INFO") and not version:
            told = re.search(r"^Name: sotopia\s(?:.*\n)*?Version: (\S+)", read(name).decode(), re.M)
            version = told[1] if told else ""
        if PurePosixPath(name).name == "pyproject.toml" and not version:
            told = re.search(r'^version = "([^"]+)"', read(name).decode(), re.M)
            version = told[1] if told else ""
    return found, version


def _flat(node: ast.AST | None) -> str | None:
    """A text as one string, with each expression in it as ⟦code⟧; None for what is none."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(
                f"⟦{ast.unparse(one.value)}⟧"
                if isinstance(one, ast.FormattedValue)
                else _flat(one) or ""
                for one in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = [_flat(side) for side in (left, right)]
            if any(side is not None for side in sides):
                return "".join(
                    f"⟦{ast.unparse(side)}⟧" if flat is None else flat
                    for side, flat in zip((left, right), sides, strict=True)
                )
    return None


def _texts(node: ast.AST) -> list[str]:
    """The texts in a piece of code, in its order, without those that are parts of others."""
    text = _flat(node)
    if text is not None:
        return [text]
    return [one for child in ast.iter_child_nodes(node) for one in _texts(child)]


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(tree: ast.AST) -> list[_Function]:
    return [node for node in ast.walk(tree) if isinstance(node, _Function)]


def _function(tree: ast.AST, name: str, source: Path) -> _Function:
    found = next((one for one in _functions(tree) if one.name == name), None)
    if found is None:
        raise ConfigError(f"{source}: expected a function {name}, found none")
    return found


def _class(tree: ast.AST, name: str, source: Path) -> ast.ClassDef:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    raise ConfigError(f"{source}: expected a class {name}, found none")


def _last(node: ast.AST, holds: str, source: Path) -> str:
    """The last text that holds something: what is used normally comes after special cases."""
    found = [text for text in _texts(node) if holds in text]
    if not found:
        raise ConfigError(f"{source}: expected a template with {holds}, found none")
    return found[-1]


def _descriptions(node: ast.ClassDef) -> dict[str, str]:
    """The descriptions of a type's fields, in order."""
    return {
        one.target.id: _flat(keyword.value) or ""
        for one in node.body
        if isinstance(one, ast.AnnAssign)
        and isinstance(one.target, ast.Name)
        and isinstance(one.value, ast.Call)
        for keyword in one.value.keywords
        if keyword.arg == "description"
    }


def _literal_names(messages: ast.Module) -> tuple[str, ...]:
    """The kinds of action, in the order of their type."""
    for node in messages.body:
        if isinstance(node, ast.Assign) and "ActionType" in ast.unparse(node.targets[0]):
            return tuple(_texts(node.value))
    return ()


def _temperature(function: _Function) -> float | None:
    """The default of the argument `temperature`, if it is a number."""
    arguments = function.args.args[::-1]
    for argument, default in zip(arguments, function.args.defaults[::-1], strict=False):
        if argument.arg == "temperature" and isinstance(default, ast.Constant):
            value = default.value
            return float(value) if isinstance(value, (int, float)) else None
    return None


# ------------------------------------------------------------------ as a set of ours


def _set_files(package: PackageTexts, standing: TextStanding) -> dict[str, str]:
    texts = package.texts
    scene = _scene(package)
    starts, turn = _observation(texts["observation"])
    before, _, after = texts["act"].partition("{history}")
    names = {"agent": "scene.agent", "turn_number": "turn - 1"}
    head = f"{_template(before, names)}\n{scene}\n{_plain(starts)}\n"
    reply = create_model(
        "AgentAction",
        **{name: (str, Field(description=text)) for name, text in package.reply_fields.items()},
    )  # type: ignore[call-overload]
    schema = reply.model_json_schema()
    kind = next(iter(package.reply_fields))
    schema["properties"][kind] |= {"enum": list(package.action_names)}
    told = {
        "action_list": " ".join(package.action_names),
        "format_instructions": json.dumps(schema),
    }
    tail = _template(after, {"agent": "agent", "turn_number": "turn - 1"}, told)
    before, _, after = texts["judge"].partition("{history}")
    told = {"format_instructions": json.dumps(_judge_schema(package))}
    lines = '{{ lines | join("\\n") }}'
    agents = _numbered(texts.get("judge agents", ""))
    judge = f"{_template(before, {})}{scene}\n{lines}{_template(after, {}, told, agents)}"
    turn_names = {"name": "{name}", "text": "{text}"}
    forms = {
        name: text.replace("{", "{{").replace("}", "}}")
        .replace("⟦self.argument⟧", turn_names["text"])
        .replace("⟦self.action_type⟧", name)
        for name, text in package.actions.items()
    }  # fmt: skip
    ours = {_ours(name): f"{{name}} {form}" for name, form in forms.items()}
    number = re.sub(r"⟦[^⟧]*⟧", "{turn}", texts["judge turn"])
    temperature = {"agent": package.agent_temperature, "judge": package.judge_temperature}
    manifest: dict[str, Any] = {
        "title": f"the authors' texts: sotopia {package.version}".strip(),
        "instructions": standing,
        "full_names": True,
        "temperature": {name: value for name, value in temperature.items() if value is not None},
        "settings": {"names": "shown", "closing_question": False},
        "layout": {
            "messages": "one",
            "reply_form": "in prompt",
            "keys": list(package.reply_fields)[:2],
            "kinds": _KINDS,
        },
        "lines": {k: turn + ("" if k == "none" else form) for k, form in ours.items()},
        "judge_lines": {k: number + ("" if k == "none" else f"\n{f}") for k, f in ours.items()},
    }
    dimensions = {
        one.name: {
            "title": one.title, "question": texts[one.name], "account": "", "scale": "",
            "low_end": "", "high_end": "",
        }
        for one in DIMENSIONS
    }  # fmt: skip
    return {
        "act_head.md": head,
        "act_tail.md": tail,
        "judge_head.md": "",
        "judge_body.md": judge,
        "dimensions.toml": tomli_w.dumps(dimensions),
        MANIFEST: tomli_w.dumps(manifest),
    }


def _ours(name: str) -> str:
    return next((ours for ours, theirs in _KINDS.items() if theirs == name), name)


def _scene(package: PackageTexts) -> str:
    """The template of a scene: its context, who takes part, their profiles and goals."""
    text = re.sub(r"\n +", "\n", package.texts["scene"])
    intro = re.search(r"^((?:(?!⟦).)*)⟦self\.scenario⟧([^⟦]*)⟦", text, re.DOTALL | re.MULTILINE)
    about = re.search(r"⟦[^⟧]*name[^⟧]*⟧([^⟦]*)⟦[^⟧]*(?:background|bg)[^⟧]*⟧", text)
    goal = re.search(r"⟦[^⟧]*name[^⟧]*⟧([^⟦]*)⟦[^⟧]*goal[^⟧]*⟧", text)
    if not intro or not about or not goal:
        raise ConfigError(
            f"the package sotopia {package.version}: expected how a scene is written, with its "
            "scenario, names, backgrounds and goals, found another form"
        )
    unknown, hidden = (
        json.dumps(_plain(package.texts[name])) for name in ("unknown", "unknown profile")
    )
    ties = [
        f'{{% {"elif" if i else "if"} one.tie == "{tie}" %}}'
        + _profile(package.biographies.get(name, ""))
        for i, (tie, name) in enumerate(_TIES.items())
    ]
    profile = (
        f"{''.join(ties)}{{% else %}}{_profile(package.biographies['friendabove'])}{{% endif %}}"
    )
    if package.hides:
        profile = f"{{% if one.own %}}{profile}{{% endif %}}"
    people = "scene.people | map(attribute='name')"
    return (
        f"{_plain(intro[1])}{{{{ scene.context }}}}{_plain(intro[2])}"
        f"{{{{ {people} | join(' and ' if scene.people | length < 3 else ', ') }}}}\n"
        f"{{% for one in scene.people %}}\n{{% set profile %}}{profile}{{% endset %}}\n"
        f"{{{{ one.name }}}}{_plain(about[1])}{{{{ profile | trim or {hidden} }}}}\n"
        "{% endfor %}\n{% for one in scene.people %}\n"
        f"{{{{ one.name }}}}{_plain(goal[1])}{{{{ one.goal or {unknown} }}}}\n"
        "{% endfor %}"
    )


def _profile(text: str) -> str:
    """A profile as a template: what its tags name one viewer for stands only in that one's own."""
    text = re.sub(r"</?root>", "", _plain(text))
    text = re.sub(r"<p viewer=[^>]*>", "{% if one.own %}", text).replace("</p>", "{% endif %}")

    def value(found: re.Match[str]) -> str:
        name = re.search(r"profile\.(\w+)", found[1])
        lower = " | lower" if ".lower()" in found[1] else ""
        return f"{{{{ one.{name[1]}{lower} }}}}" if name else ""

    return re.sub(r"⟦([^⟧]*)⟧", value, text)


def _observation(text: str) -> tuple[str, str]:
    """What stands between the scene and the first turn, and before each turn, as a line's form."""
    first = re.search(r"⟦self\.last_turn⟧\n([^\n⟦]*)", text)
    turn = re.search(r"^([^⟦\n]*)⟦self\.turn_number ?- ?1⟧([^⟦]*)⟦self\.last_turn⟧", text, re.M)
    return (first[1] if first else "", f"{turn[1]}{{turn0}}{turn[2]}" if turn else "")


def _template(
    text: str, names: Mapping[str, str], told: Mapping[str, str] = {}, agents: str = ""
) -> str:
    """A template of the package as one of ours: laid out as it does, {name} as a variable."""

    def value(found: re.Match[str]) -> str:
        if found[1] == "agent_instruction":
            return agents
        if found[1] in told:
            return _plain(told[found[1]])
        return f"{{{{ {names[found[1]]} }}}}" if found[1] in names else found[0]

    return re.sub(r"\{(\w+)\}", value, _plain(re.sub(r"\n +", "\n", text)))


def _numbered(text: str) -> str:
    """The clause on how many agents there are: their number, then their keys."""
    keys = (
        '{% for one in scene.people %}"agent_{{ loop.index }}"{{ ", " if not loop.last }}'
        "{% endfor %}"
    )
    values = iter(("{{ scene.people | length }}", keys))
    return re.sub(r"⟦[^⟧]*⟧", lambda _: next(values, ""), _plain(text))


def _plain(text: str) -> str:
    """A text in which nothing is Jinja's."""
    return re.sub(r"\{(?=[{%#])", "{{ '{' }}", text)


def _judge_schema(package: PackageTexts) -> Any:
    """The JSON schema of the judge's reply, as the package's own types have it."""
    fields: dict[str, Any] = {
        _THEIRS.get(one.name, one.name): (
            tuple[str, int],
            Field(description=package.texts[one.name]),
        )
        for one in DIMENSIONS
    }
    sheet = create_model("SotopiaDimensions", **fields)
    if package.by_agent:
        fields = {f"agent_{i}_evaluation": (sheet, ...) for i in (1, 2)}
        return create_model("EnvResponse", **fields).model_json_schema()
    fields = {"evaluations": (GenericAlias(dict, (str, sheet)), ...)}
    return create_model("EvaluationForAgents", **fields).model_json_schema()


# ------------------------------------------------------------------ what it is to the originals


def known_hashes() -> Mapping[str, Mapping[str, str]]:
    """The versions that have a text, by its name and hash."""
    return tomllib.loads(
        files(PACKAGE).joinpath("importing", "original_texts.toml").read_text("utf-8")
    )


def standing_of(
    texts: Mapping[str, str], variant: str, known: Mapping[str, Mapping[str, str]]
) -> tuple[TextStanding, str]:
    """What a package's texts are to those of the versions that we know, and that in a sentence."""
    found = {
        name: known.get(_key(name, variant), {}).get(text_hash(text), "")
        for name, text in texts.items()
    }
    same = [set(versions.split()) for versions in found.values()]
    if whole := set.intersection(*same):
        return (
            "verified original",
            f"verified original (versions {', '.join(sorted(whole, key=_release))})",
        )
    changed = [name for name, versions in found.items() if not versions]
    if len(changed) == len(found):
        return "unverified", "unverified: none of them is from a known version"
    if not changed:
        return "modified", "modified: each is an original text, but of different versions"
    return "modified", f"modified: these are from no known version: {', '.join(changed)}"


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _key(name: str, variant: str) -> str:
    plus = variant == "plus" and any(one.name == name for one in DIMENSIONS)
    return f"{name} (plus)" if plus else name


def text_hash(text: str) -> str:
    """Of a text, whatever its spaces and line ends."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]
