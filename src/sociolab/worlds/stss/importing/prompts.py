"""The authors' own prompts as a prompt set: read as data from a copy of the code of Generative
Agents, or of STSS, which uses the same templates; never run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

import tomli_w

from sociolab.core.errors import ConfigError
from sociolab.core.reading import read_text
from sociolab.core.user_files import write_files
from sociolab.prompting.sets import MANIFEST, load_set
from sociolab.worlds.stss.world import GENERATIVE_TEMPLATES, PACKAGE

_HEADER = "<commentblockmarker>###</commentblockmarker>"
"""The text before it in a template explains the template."""
_INPUT = re.compile(r"!<INPUT (\d+)>!")

_IMPORTANCE_INPUTS = "name identity name text"
_MEMO_INPUTS = "lines name name name"

TEMPLATES = MappingProxyType(
    {
        "v2/wake_up_hour_v1": ("wake_up_hour", "identity lifestyle first_name"),
        "v2/daily_planning_v6": ("daily_plan", "identity lifestyle date first_name wake"),
        "v2/generate_hourly_schedule_v2": (
            "hourly_schedule",
            "{{start}}-{{end}} identity so_far outline - {{start}}-{{end}}:",
        ),
        "v2/task_decomp_v3": (
            "task_decomposition",
            "identity schedule first_name first_name what {{start}}-{{end}} minutes first_name",
        ),
        "v1/action_location_sector_v1": (
            "choose_sector", "name - - name place - - options name what what name",
        ),
        "v1/action_location_object_vMar11": (
            "choose_arena", "name inside options name what what name inside options",
        ),
        "v1/action_object_v2": ("choose_object", "what options"),
        "v3_ChatGPT/generate_obj_event_v1": ("object_state", "thing name doing thing thing"),
        "v2/new_decomp_schedule_v1": (
            "revise_schedule", "name now bed ahead name why - name now bed bed -",
        ),
        "v2/decide_to_react_v1": (
            "react", "context now here observation name what other observation what",
        ),
        "v3_ChatGPT/poignancy_event_v1": ("importance", _IMPORTANCE_INPUTS),
        "v3_ChatGPT/poignancy_thought_v1": ("importance", _IMPORTANCE_INPUTS),
        "v3_ChatGPT/poignancy_chat_v1": ("importance", _IMPORTANCE_INPUTS),
        "v3_ChatGPT/generate_focal_pt_v1": ("salient_questions", "statements 3"),
        "v2/insight_and_evidence_v1": ("insights", "statements 5"),
        "v3_ChatGPT/summarize_chat_relationship_v2": ("relationship", "statements name about"),
        "v3_ChatGPT/summarize_chat_relationship_v1": ("relationship", "statements name about"),
        "v3_ChatGPT/summarize_conversation_v1": ("conversation_summary", "lines"),
        "v2/planning_thought_on_convo_v1": ("planning_thought", _MEMO_INPUTS),
        "v3_ChatGPT/memo_on_convo_v1": ("conversation_memo", _MEMO_INPUTS),
    }
)  # fmt: skip
"""By folder and name of the authors' file: our question, and our value for each of its inputs, in
order: a variable, a number, variables in braces, or "-" if we have none. The folder is the one
that their code reads; if the file is missing there, one of the same name elsewhere is taken. Of two
files for one question the first counts."""

_KINDS = {"poignancy_chat_v1": "conversation", "poignancy_thought_v1": "thought"}


def import_prompts(source: Path, fresh: Path, name: str, variant: str = "") -> tuple[str, ...]:
    """Make the set `name` in the folder `fresh` from the templates anywhere below `source`.

    Prompts without a template there are those of our set `paper`. Returns lines on the origin of
    each. ConfigError if there is no template, or one with unknown inputs.
    """
    if not source.is_dir():
        raise ConfigError(f"expected a folder at {source}, found none")
    texts_below = sorted(path for path in source.rglob("*.txt") if path.is_file())
    paths = [p for p in texts_below if _INPUT.search(p.read_text("utf-8", errors="replace"))]
    chosen = {key: path for key in TEMPLATES if (path := _find_template(key, paths)) is not None}
    if not chosen:
        raise ConfigError(
            f"{source}: expected a folder with templates of Generative Agents, such as "
            f"{next(iter(TEMPLATES))}.txt, found none"
        )
    ours = files(PACKAGE).joinpath("prompts", "paper")
    texts = {
        f"{prompt}.md": ours.joinpath(f"{prompt}.md").read_text("utf-8")
        for prompt in GENERATIVE_TEMPLATES
    }
    lines: list[str] = []
    written: dict[str, str] = {}
    for template, path in chosen.items():
        (question, inputs), stem = TEMPLATES[template], path.stem
        if question in written and stem not in _KINDS:
            continue
        body, left_out = _convert(path, inputs.split())
        if kind := _KINDS.get(stem):
            other = written.get(question, body)
            body = f'{{% if kind == "{kind}" %}}{body}{{% else %}}{other}{{% endif %}}'
        written[question] = body
        empty = f", left empty: input {', '.join(left_out)}" if left_out else ""
        lines.append(f"{path.relative_to(source)} -> {question}{empty}")
    for question, body in written.items():
        file = f"generative/{question}.md"
        form = texts[file][texts[file].rindex("Answer with") :]
        texts[file] = f"{body.strip()}\n\n{form}"
    own = sorted({each for each, _ in TEMPLATES.values()} - set(written))
    title = "the authors' templates of Generative Agents, as far as they were at hand"
    texts[MANIFEST] = tomli_w.dumps({"title": title, "instructions": "unverified"})
    write_files(fresh, texts)
    standing = load_set(PACKAGE, str(fresh), GENERATIVE_TEMPLATES).standing
    lines.append(
        "from our set paper: how the town works, TDP, what is said, the form of each reply"
    )
    lines += [f"no template found for: {', '.join(own)}"] if own else []
    if unused := sorted({path.stem for path in paths} - {path.stem for path in chosen.values()}):
        lines.append(f"asked nowhere here: {', '.join(unused)}")
    lines.append(f"{standing}; used with --set mind=generative-agents alone")
    return tuple(lines)


def _find_template(template: str, paths: Sequence[Path]) -> Path | None:
    folder, _, stem = template.partition("/")
    alike = [path for path in paths if path.stem == stem]
    return min(alike, key=lambda path: path.parent.name != folder, default=None)


def _convert(path: Path, inputs: list[str]) -> tuple[str, tuple[str, ...]]:
    """One of their templates in our syntax, and the inputs that stay empty."""
    text = read_text(path).rpartition(_HEADER)[2]
    left_out = set()

    def fill_input(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= len(inputs):
            raise ConfigError(
                f"{path}: expected inputs 0 to {len(inputs) - 1}, found <INPUT {number}>; this is "
                "not the template that we know by this name"
            )
        value = inputs[number]
        if value == "-":
            left_out.add(number)
            return ""
        return value if "{" in value or value.isdigit() else f"{{{{ {value} }}}}"

    parts = _INPUT.split(text)
    plain = [re.sub(r"[{}]", lambda brace: f'{{{{ "{brace[0]}" }}}}', part) for part in parts[::2]]
    filled = [fill_input(match) for match in _INPUT.finditer(text)]
    body = "".join(a + b for a, b in zip(plain, [*filled, ""], strict=True))
    return body, tuple(str(number) for number in sorted(left_out))
