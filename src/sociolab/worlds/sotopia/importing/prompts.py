"""Import the authors' own prompts as a prompt set: from a copy of their package, which is parsed
and never run, or from their judge's contexts in public episodes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import GenericAlias
from typing import Any

import tomli_w
from pydantic import Field, create_model

from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.core.user_files import write_files
from sociolab.prompting.sets import MANIFEST, hashes_of_originals, load_set
from sociolab.worlds.sotopia.evaluation import DIMENSIONS
from sociolab.worlds.sotopia.importing.episode_text import RawEpisode
from sociolab.worlds.sotopia.importing.episodes import import_episodes
from sociolab.worlds.sotopia.importing.package_texts import THEIRS, PackageTexts, read_package
from sociolab.worlds.sotopia.importing.reading import read_rows
from sociolab.worlds.sotopia.scenarios import casting_from
from sociolab.worlds.sotopia.scene import PACKAGE, PHYSICAL, REQUIRED_TEMPLATES
from sociolab.worlds.sotopia.visibility import published_scene

_KINDS = {PHYSICAL: "action"}
"""The package's names of kinds of action that have another name here."""
_TIES = {
    "stranger": "stranger", "known-by-name": "name", "acquaintance": "aquaintance",
}  # fmt: skip
"""The package's functions that write a profile, by relationship; "friendabove" for all others."""


def import_prompts(source: Path, fresh: Path, name: str, variant: str) -> tuple[str, ...]:
    """Make a set in the folder `fresh` from the package at `source` (a folder, a wheel or an
    sdist), or from a file of episodes (.jsonl).

    `variant` "plus" takes the judge's more detailed dimensions. Returns sentences on the result;
    ConfigError if `source` is neither.
    """
    if source.suffix == ".jsonl":
        files, summary = files_from_contexts(source)
        write_files(fresh, files)
        return (summary,)
    package = read_package(source, variant)
    files = _make_set_files(package)
    write_files(fresh, files)
    by_hash, set_hash = (
        hashes_of_originals(PACKAGE),
        load_set(PACKAGE, str(fresh), REQUIRED_TEMPLATES).hash,
    )
    version = f"sotopia {package.version}" if package.version else "sotopia, version not stated"
    if set_hash in by_hash:
        standing, comparison = "verified original", f"as in {by_hash[set_hash]}"
    elif any(package.version in label.split() for label in by_hash.values()):
        standing, comparison = "modified", "its texts are not those of this version"
    else:
        standing, comparison = "unverified", "the texts of this version are not known here"
    manifest = tomllib.loads(files[MANIFEST]) | {"instructions": standing}
    (fresh / MANIFEST).write_text(tomli_w.dumps(manifest), "utf-8")
    return (f"{version}: {standing} ({comparison})",)


def _make_set_files(package: PackageTexts) -> dict[str, str]:
    texts = package.texts
    scene = _scene_template(package)
    starts, turn = _turn_forms(texts["observation"])
    before, _, after = texts["act"].partition("{history}")
    names = {"agent": "scene.agent", "turn_number": "turn - 1"}
    head = f"{_to_template(before, names)}\n{scene}\n{_escape(starts)}\n"
    reply = create_model(
        "AgentAction",
        **{name: (str, Field(description=text)) for name, text in package.reply_fields.items()},
    )  # type: ignore[call-overload]
    schema = reply.model_json_schema()
    kind = next(iter(package.reply_fields))
    schema["properties"][kind] |= {"enum": list(package.action_names)}
    values = {
        "action_list": " ".join(package.action_names),
        "format_instructions": json.dumps(schema),
    }
    tail = _to_template(after, {"agent": "agent", "turn_number": "turn - 1"}, values)
    before, _, after = texts["judge"].partition("{history}")
    values = {"format_instructions": json.dumps(_judge_schema(package))}
    lines = '{{ lines | join("\\n") }}'
    agents = _agents_clause(texts["judge agents"])
    judge = f"{_to_template(before, {})}{scene}\n{lines}{_to_template(after, {}, values, agents)}"
    turn_names = {"name": "{name}", "text": "{text}"}
    forms = {
        name: text.replace("{", "{{").replace("}", "}}")
        .replace("⟦self.argument⟧", turn_names["text"])
        .replace("⟦self.action_type⟧", name)
        for name, text in package.actions.items()
    }  # fmt: skip
    own_kinds = {public_name: kind for kind, public_name in _KINDS.items()}
    own_forms = {own_kinds.get(name, name): f"{{name}} {form}" for name, form in forms.items()}
    number = re.sub(r"⟦[^⟧]*⟧", "{turn}", texts["judge turn"])
    temperature = {"agent": package.agent_temperature, "judge": package.judge_temperature}
    manifest: dict[str, Any] = {
        "title": f"the authors' texts: sotopia {package.version}".strip(),
        "full_names": True,
        "temperature": {name: value for name, value in temperature.items() if value is not None},
        "settings": {"names": "shown", "closing_question": False},
        "layout": {
            "messages": "one",
            "reply_form": "in prompt",
            "keys": list(package.reply_fields)[:2],
            "kinds": _KINDS,
        },
        "lines": {k: turn + ("" if k == "none" else form) for k, form in own_forms.items()},
        "judge_lines": {
            k: number + ("" if k == "none" else f"\n{form}") for k, form in own_forms.items()
        },
    }
    dimensions = {
        dimension.name: {
            "title": dimension.title, "question": texts[dimension.name], "account": "", "scale": "",
            "low_end": "", "high_end": "",
        }
        for dimension in DIMENSIONS
    }  # fmt: skip
    return {
        "act_head.md": head,
        "act_tail.md": tail,
        "judge_head.md": "",
        "judge_body.md": judge,
        "dimensions.toml": tomli_w.dumps(dimensions),
        MANIFEST: tomli_w.dumps(manifest),
    }


def _scene_template(package: PackageTexts) -> str:
    """The template of a scene: its context, participants, profiles and goals."""
    text = re.sub(r"\n +", "\n", package.texts["scene"])
    # The texts around the scenario, after a name and before its background, and so for its goal;
    # ⟦...⟧ are the package's expressions.
    intro = re.search(r"^((?:(?!⟦).)*)⟦self\.scenario⟧([^⟦]*)⟦", text, re.DOTALL | re.MULTILINE)
    about = re.search(r"⟦[^⟧]*name[^⟧]*⟧([^⟦]*)⟦[^⟧]*(?:background|bg)[^⟧]*⟧", text)
    goal = re.search(r"⟦[^⟧]*name[^⟧]*⟧([^⟦]*)⟦[^⟧]*goal[^⟧]*⟧", text)
    if not intro or not about or not goal:
        raise ConfigError(
            f"the package sotopia {package.version}: expected how a scene is written, with its "
            "scenario, names, backgrounds and goals, found another form"
        )
    unknown, hidden = (
        json.dumps(_escape(package.texts[name])) for name in ("unknown", "unknown profile")
    )
    ties = [
        f'{{% {"elif" if i else "if"} one.tie == "{tie}" %}}'
        + _profile_template(package.biographies.get(name, ""))
        for i, (tie, name) in enumerate(_TIES.items())
    ]
    otherwise = _profile_template(package.biographies["friendabove"])
    profile = f"{''.join(ties)}{{% else %}}{otherwise}{{% endif %}}"
    if package.hides:
        profile = f"{{% if one.own %}}{profile}{{% endif %}}"
    people = "scene.people | map(attribute='name')"
    return (
        f"{_escape(intro[1])}{{{{ scene.context }}}}{_escape(intro[2])}"
        f"{{{{ {people} | join(' and ' if scene.people | length < 3 else ', ') }}}}\n"
        f"{{% for one in scene.people %}}\n{{% set profile %}}{profile}{{% endset %}}\n"
        f"{{{{ one.name }}}}{_escape(about[1])}{{{{ profile | trim or {hidden} }}}}\n"
        "{% endfor %}\n{% for one in scene.people %}\n"
        f"{{{{ one.name }}}}{_escape(goal[1])}{{{{ one.goal or {unknown} }}}}\n"
        "{% endfor %}"
    )


def _profile_template(text: str) -> str:
    """The template of a profile; parts tagged for one viewer show only in that viewer's own."""
    text = re.sub(r"</?root>", "", _escape(text))
    text = re.sub(r"<p viewer=[^>]*>", "{% if one.own %}", text).replace("</p>", "{% endif %}")

    def value(match: re.Match[str]) -> str:
        name = re.search(r"profile\.(\w+)", match[1])
        lower = " | lower" if ".lower()" in match[1] else ""
        return f"{{{{ one.{name[1]}{lower} }}}}" if name else ""

    return re.sub(r"⟦([^⟧]*)⟧", value, text)


def _turn_forms(text: str) -> tuple[str, str]:
    """The text between the scene and the first turn, and the form of what precedes each turn."""
    first = re.search(r"⟦self\.last_turn⟧\n([^\n⟦]*)", text)
    turn = re.search(r"^([^⟦\n]*)⟦self\.turn_number ?- ?1⟧([^⟦]*)⟦self\.last_turn⟧", text, re.M)
    return (first[1] if first else "", f"{turn[1]}{{turn0}}{turn[2]}" if turn else "")


def _to_template(
    text: str, names: Mapping[str, str], values: Mapping[str, str] = {}, agents: str = ""
) -> str:
    """A template of the package as a Jinja2 template, with the same layout.

    A {name} becomes the variable that `names` has for it, or the text that `values` has.
    """

    def value(match: re.Match[str]) -> str:
        if match[1] == "agent_instruction":
            return agents
        if match[1] in values:
            return _escape(values[match[1]])
        return f"{{{{ {names[match[1]]} }}}}" if match[1] in names else match[0]

    return re.sub(r"\{(\w+)\}", value, _escape(re.sub(r"\n +", "\n", text)))


def _agents_clause(text: str) -> str:
    """The template of the clause on the number of agents and their keys."""
    keys = (
        '{% for one in scene.people %}"agent_{{ loop.index }}"{{ ", " if not loop.last }}'
        "{% endfor %}"
    )
    values = iter(("{{ scene.people | length }}", keys))
    return re.sub(r"⟦[^⟧]*⟧", lambda _: next(values, ""), _escape(text))


def _escape(text: str) -> str:
    """The text with Jinja2's delimiters escaped."""
    return re.sub(r"\{(?=[{%#])", "{{ '{' }}", text)


def _judge_schema(package: PackageTexts) -> Any:
    """The JSON schema of the judge's reply by the package's own types."""
    fields: dict[str, Any] = {
        THEIRS.get(dimension.name, dimension.name): (
            tuple[str, int],
            Field(description=package.texts[dimension.name]),
        )
        for dimension in DIMENSIONS
    }
    sheet = create_model("SotopiaDimensions", **fields)
    if package.by_agent:
        fields = {f"agent_{i}_evaluation": (sheet, ...) for i in (1, 2)}
        return create_model("EnvResponse", **fields).model_json_schema()
    fields = {"evaluations": (GenericAlias(dict, (str, sheet)), ...)}
    return create_model("EvaluationForAgents", **fields).model_json_schema()


# ------------------------------------------------------------------ from stored contexts


_PEOPLE = """

{% for one in people %}
{{ one.field }}: {{ one.name }}
{% endfor %}
"""
"""Which name belongs to which field, since our instructions use the fields."""


def files_from_contexts(source: Path) -> tuple[dict[str, str], str]:
    """The files of a set with the layout of the contexts stored in `source`, and a summary.

    Instructions, dimensions and the prompts of players are those of `paper`. ConfigError where
    fewer than half of the contexts, or only one, have a common template.
    """
    stored = {item.row.pk: item.row.judge_prompt for item in read_rows(source, RawEpisode)}
    contexts = {key: text.removeprefix("Prompt after formatting:") for key, text in stored.items()}
    episodes = import_episodes(source).episodes
    templates = [_extract_template(contexts[episode.trial.id], episode) for episode in episodes]
    counts = Counter((scene, forms.get("speak")) for scene, forms in templates)
    (layout, same), *_ = counts.most_common(1)
    if same < 2 or 2 * same < len(templates):
        raise ConfigError(
            f"{source}: expected contexts of judges with a common template, found no two alike or "
            f"none that half of them share ({same} of {len(templates)} at most)"
        )
    alike = [forms for scene, forms in templates if (scene, forms.get("speak")) == layout]
    kinds = dict.fromkeys(kind for forms in alike for kind in forms)
    lines = {
        kind: Counter(forms[kind] for forms in alike if kind in forms).most_common(1)[0][0]
        for kind in kinds
    }
    paper = files(PACKAGE).joinpath("prompts", "paper")
    names = [name if name.endswith(".toml") else f"{name}.md" for name in REQUIRED_TEMPLATES]
    texts = {name: paper.joinpath(name).read_text("utf-8") for name in names}
    texts["judge_body.md"] = f'{layout[0]}\n{{{{ lines | join("\\n") }}}}{_PEOPLE}'
    manifest = {
        "title": f"as the judge's contexts in {source.name} are laid out",
        "full_names": True,
        "judge_lines": lines,
    }
    texts[MANIFEST] = tomli_w.dumps(manifest)
    summary = f"the layout of {same} of {len(templates)} stored contexts; instructions as in paper"
    return texts, summary


def _extract_template(context: str, episode: Episode) -> tuple[str, dict[str, str]]:
    """The template behind a context: of the scene, and forms of turns by kind of action."""
    start = context.find("Turn #")
    scene = published_scene(casting_from(episode.trial.task.content))
    fields = [(scene["context"], "scene.context")]
    for name in (
        "goal", "public_info", "personality_and_values", "secret", "name", "first_name",
        "occupation", "gender_pronoun", "gender", "age",
    ):  # fmt: skip
        for index, person in enumerate(scene["people"]):
            lower = " | lower" if name == "occupation" else ""
            value = person[name].lower() if lower else person[name]
            fields.append((value, f"scene.people[{index}].{name}{lower}"))
    head = re.sub(r"\{(?=[{%#])", "{{ '{' }}", re.sub(" +", " ", context[:start].strip()))
    # First each value becomes a private-use character, which no other value can match.
    for number, (value, variable) in enumerate(fields):
        # A value that both share (a gender) occurs once for each, in their order.
        times = 0 if variable.endswith("name") else 1
        pattern = rf"(?<!\w){re.escape(re.sub(' +', ' ', value))}(?!\w)"
        head = re.sub(pattern, chr(0xE000 + number), head, count=times) if value else head
    for number, (_, variable) in enumerate(fields):
        head = head.replace(chr(0xE000 + number), f"{{{{ {variable} }}}}")
    forms: dict[str, str] = {}
    turns = re.split(r"\n(?=Turn #\d+)", context[start:].rstrip(", \n"))
    names = {c.id: c.name for c in casting_from(episode.trial.task.content).characters}
    for move, turn in zip(episode.moves, turns, strict=False):
        (action,) = move.actions
        form = turn.replace("{", "{{").replace("}", "}}")
        form = re.sub(rf"^Turn #{move.turn}\b", "Turn #{turn0}", form)
        form = re.sub(rf"^Turn #{move.turn + 1}\b", "Turn #{turn}", form)
        form = form.replace(names[move.seat], "{name}", 1)
        if action.text:
            form = form.replace(action.text.replace("{", "{{").replace("}", "}}"), "{text}")
        forms.setdefault(action.kind, form)
    return head, forms
