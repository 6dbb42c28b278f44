"""How did the judge of public episodes read them? As a set: their layout, with our instructions."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import tomli_w

from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.prompting.sets import MANIFEST
from sociolab.worlds.sotopia.importing.episodes import RawEpisode, import_episodes
from sociolab.worlds.sotopia.importing.reading import rows
from sociolab.worlds.sotopia.published import published_scene
from sociolab.worlds.sotopia.scene import PACKAGE, WANTED, casting_from

_PEOPLE = """

{% for one in people %}
{{ one.field }}: {{ one.name }}
{% endfor %}
"""
"""Whose sheet is which: our instructions name them so."""


def files_of_contexts(source: Path) -> tuple[dict[str, str], str]:
    """The files of a set that lays episodes out as the contexts stored in `source` do, and how many
    of these do so. Instructions, dimensions and what players read are those of `paper`.

    ConfigError where fewer than half of the contexts, or only one, have a common template.
    """
    stored = [item.row.told for item in rows(source, RawEpisode)]
    told = [text.removeprefix("Prompt after formatting:") for text in stored]
    episodes = import_episodes(source).episodes
    read = [_template(text, one) for text, one in zip(told, episodes, strict=True)]
    counted = Counter((scene, forms.get("speak")) for scene, forms in read)
    (layout, same), *_ = counted.most_common(1)
    if same < 2 or 2 * same < len(read):
        raise ConfigError(
            f"{source}: expected contexts of judges with a common template, found no two alike or "
            f"none that half of them share ({same} of {len(read)} at most)"
        )
    alike = [forms for scene, forms in read if (scene, forms.get("speak")) == layout]
    kinds = dict.fromkeys(kind for forms in alike for kind in forms)
    lines = {
        kind: Counter(forms[kind] for forms in alike if kind in forms).most_common(1)[0][0]
        for kind in kinds
    }
    paper = files(PACKAGE).joinpath("prompts", "paper")
    names = [name if name.endswith(".toml") else f"{name}.md" for name in WANTED]
    found = {name: paper.joinpath(name).read_text("utf-8") for name in names}
    found["judge_body.md"] = f'{layout[0]}\n{{{{ lines | join("\\n") }}}}{_PEOPLE}'
    manifest = {
        "title": f"as the judge's contexts in {source.name} are laid out",
        "full_names": True,
        "judge_lines": lines,
    }
    found[MANIFEST] = tomli_w.dumps(manifest)
    return found, f"the layout of {same} of {len(read)} stored contexts; instructions as in paper"


def _template(told: str, episode: Episode) -> tuple[str, dict[str, str]]:
    """A context with its fields cut out: of the scene as a template, of turns as forms by kind."""
    start = told.find("Turn #")
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
    head = re.sub(r"\{(?=[{%#])", "{{ '{' }}", re.sub(" +", " ", told[:start].strip()))
    for number, (value, variable) in enumerate(fields):  # a mark that no field holds
        # What both have alike (a gender) stands once for each, in their order.
        times = 0 if variable.endswith("name") else 1
        words = rf"(?<!\w){re.escape(re.sub(' +', ' ', value))}(?!\w)"
        head = re.sub(words, chr(0xE000 + number), head, count=times) if value else head
    for number, (_, variable) in enumerate(fields):
        head = head.replace(chr(0xE000 + number), f"{{{{ {variable} }}}}")
    forms: dict[str, str] = {}
    turns = re.split(r"\n(?=Turn #\d+)", told[start:].rstrip(", \n"))
    names = {one.id: one.name for one in casting_from(episode.trial.task.content).characters}
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
