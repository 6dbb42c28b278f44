"""The authors' own prompts as a prompt set: read as data from a copy of the code of Generative
Agents, or of STSS, which uses the same templates; never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

import tomli_w

from sociolab.core.errors import ConfigError
from sociolab.core.reading import read_text
from sociolab.core.user_files import write_files
from sociolab.prompting.sets import MANIFEST, OURS, hashes_of_originals, load_set
from sociolab.worlds.stss.task import TaskType
from sociolab.worlds.stss.world import GENERATIVE_TEMPLATES, PACKAGE

_HEADER = "<commentblockmarker>###</commentblockmarker>"
"""The text before it in a template explains the template."""
_INPUT = re.compile(r"!<INPUT (\d+)>!")

_NOTHING = '"(nothing)"'
_SPOKEN = (
    '("\\n" ~ lines)|replace("\\n- You: ", "\\n- " ~ name ~ ": ")|replace("\\n- ", "\\n")|trim'
)
_OPTIONS = 'options[2:]|replace("\\n- ", ", ")'
_ACTIVITY = 'what.partition(" (")[0]'
_STEP = 'what.partition(" (")[2][:-1] or what'
_STATEMENTS = f"statements or {_NOTHING}"
_IMPORTANCE_INPUTS = ("name", "identity", "name", "text")
_MEMO_INPUTS = (_SPOKEN, "name", "name", "name")
_RELATION_INPUTS = (_STATEMENTS, "name", "about")
_TDP_INPUTS = ("name", "identity", "goal", f"plan or {_NOTHING}")
_OUTLINE_INPUTS = ("identity", "lifestyle", "date", "first_name", "wake")
_HOURS = "{{ start }}-{{ end }}"
_SPOKEN_ABOUT = ("performer", "other", 'lines|join("\\n")')
_MATTER = (*_SPOKEN_ABOUT, "activity", "when", "place")
_ERRANDS = (*_SPOKEN_ABOUT, *(f"errands[{n}].{part}" for n in (0, 1) for part in ("what", "place")))
_UTTER_INPUTS = (
    "identity", "name", _STATEMENTS, f"last_talk or {_NOTHING}", "place",
    "{{ name }} is {{ here }}. {{ other_name }} is {{ doing }}. "
    "{{ name if started else other_name }} began the conversation.",
    "name", "other_name", f"{_SPOKEN} or {_NOTHING}", "name", "other_name", "name", "name", "name",
    "note",
)  # fmt: skip

TEMPLATES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "tgp_prompt_templates/get_general_plan_v1": ("general_plan", _TDP_INPUTS[:3]),
        "tgp_prompt_templates/get_daily_req_reminder_v1": ("day_reminder", (*_TDP_INPUTS, "day")),
        "tgp_prompt_templates/get_conversation_reminder_v1": ("talk_reminder", _TDP_INPUTS),
        "tgp_prompt_templates/iterative_convo_v1": ("generative/utter", _UTTER_INPUTS),
        "v2/wake_up_hour_v1": (
            "generative/wake_up_hour", ("identity", "lifestyle", "first_name"),
        ),
        "v2/daily_planning_v6": ("generative/daily_plan", _OUTLINE_INPUTS),
        "tgp_prompt_templates/daily_planning_v1": (
            "generative/daily_plan", (*_OUTLINE_INPUTS, "goal", "reminder"),
        ),
        "v2/generate_hourly_schedule_v2": (
            "generative/hourly_schedule",
            (_HOURS, "identity", f"so_far or {_NOTHING}", f"outline or {_NOTHING}", '""',
             f"{_HOURS}:"),
        ),
        "v2/task_decomp_v3": (
            "generative/task_decomposition",
            ("identity", f"schedule or {_NOTHING}", "first_name", "first_name", "what", _HOURS,
             "minutes", "first_name"),
        ),
        "v1/action_location_sector_v1": (
            "generative/choose_sector",
            ("name", "home", 'home_rooms or "no rooms"', "name", 'sector or "the open air"',
             'rooms or "no rooms"', "routine", _OPTIONS, "name", _ACTIVITY, _STEP, "name"),
        ),
        "v1/action_location_object_vMar11": (
            "generative/choose_arena",
            ("name", 'inside or "the town"', _OPTIONS, "name", _ACTIVITY, _STEP, "name",
             'inside or "the town"', _OPTIONS),
        ),
        "v1/action_object_v2": ("generative/choose_object", ("what", _OPTIONS)),
        "v3_ChatGPT/generate_obj_event_v1": (
            "generative/object_state", ("thing", "name", "doing", "thing", "thing"),
        ),
        "v2/new_decomp_schedule_v1": (
            "generative/revise_schedule",
            ("name", "time", "bed", f"ahead or {_NOTHING}", "name", 'doing this ("{{ why }}")',
             "some", "name", "time", "bed", "bed", "{{ time }} ~"),
        ),
        "v2/decide_to_react_v1": (
            "generative/react",
            (f"context or {_NOTHING}", "{{ time }} on {{ date }}", "{{ name }} is {{ here }}.",
             "observation", "name", "what", 'other_name or "that"', 'doing or "over"', "what"),
        ),
        "v3_ChatGPT/poignancy_event_v1": ("generative/importance", _IMPORTANCE_INPUTS),
        "v3_ChatGPT/poignancy_thought_v1": ("generative/importance", _IMPORTANCE_INPUTS),
        "v3_ChatGPT/poignancy_chat_v1": ("generative/importance", _IMPORTANCE_INPUTS),
        "v3_ChatGPT/generate_focal_pt_v1": ("generative/salient_questions", (_STATEMENTS, "3")),
        "v2/insight_and_evidence_v1": ("generative/insights", (_STATEMENTS, "5")),
        "v3_ChatGPT/summarize_chat_relationship_v2": ("generative/relationship", _RELATION_INPUTS),
        "v3_ChatGPT/summarize_chat_relationship_v1": ("generative/relationship", _RELATION_INPUTS),
        "v3_ChatGPT/summarize_conversation_v1": ("generative/conversation_summary", (_SPOKEN,)),
        "v2/planning_thought_on_convo_v1": ("generative/planning_thought", _MEMO_INPUTS),
        "v3_ChatGPT/memo_on_convo_v1": ("generative/conversation_memo", _MEMO_INPUTS),
    }
)  # fmt: skip
"""By folder and name of the authors' file: our template, and for each of its inputs, in order, an
expression over our variables, a text with such, or a word. The folder is the one that their code
reads; if the file is missing there, one of the same name elsewhere is taken. Of two files for one
template the first counts, but for those in `_KINDS`."""

JUDGED: Mapping[TaskType, tuple[str, tuple[int, ...]]] = MappingProxyType(
    {
        "public activity": ("party", (1, 3, 2)),
        "appointment": ("appointment", (1, 2, 3)),
        "inviting companions": ("find_partner", (1, 2, 3)),
        "online activity": ("online_meeting", (1, 2)),
        "asking for help": ("ask_for_help", (1, 2, 3, 4)),
    }
)
"""The judge's templates by type of task, and the number of its question for each of our conditions,
in their order."""

_KINDS = {
    "poignancy_chat_v1": 'kind == "conversation"',
    "poignancy_thought_v1": 'kind == "thought"',
    "daily_planning_v1": "reminder",
}
"""Templates for one case of a question, with the condition for it."""
_FORM = re.compile(r"\n[^\n]*\boutput\b[^\n]*\bformat\b.*", re.DOTALL | re.IGNORECASE)
"""The form of a reply, to the end of the template."""
_CUE = re.compile(r'(?:\n+\w+:)?[\s{"]*\Z')
"""What a completion would go on from at the end of a template, such as "Answer:"."""


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
    planner = next(iter(sorted(source.rglob("main_plan.py"))), None)
    if planner is None:  # it has what the performer with TDP is told in conversations
        chosen = {key: path for key, path in chosen.items() if TEMPLATES[key][0] != _UTTER}
    if not chosen:
        raise ConfigError(
            f"{source}: expected a folder with templates of Generative Agents, such as "
            "v2/wake_up_hour_v1.txt, found none"
        )
    lines: list[str] = []
    written: dict[str, str] = {}
    for template, path in chosen.items():
        (question, inputs), stem = TEMPLATES[template], path.stem
        if question in written and stem not in _KINDS:
            continue
        body = _convert(path, inputs)
        if condition := _KINDS.get(stem):
            other = written.get(question, body)
            body = f"{{% if {condition} %}}{body}{{% else %}}{other}{{% endif %}}"
        written[question] = body
        lines.append(f"{path.relative_to(source)} -> {question}")
    if planner is not None and _UTTER in written:
        note = _conversation_note(planner)
        written[_UTTER] = f"{{% set note %}}{note}{{% endset %}}{written[_UTTER]}"
        lines.append(f"{planner.relative_to(source)} -> {_UTTER}")
    paper = files(PACKAGE).joinpath("prompts", "paper")
    texts = {
        f"{prompt}.md": paper.joinpath(f"{prompt}.md").read_text("utf-8")
        for prompt in GENERATIVE_TEMPLATES
    }
    for question, body in written.items():
        form = texts[f"{question}.md"]
        form = form[form.rindex("Answer with") :]
        opened = "{% if not plain %}" if "{% endif %}" in form and "{% if" not in form else ""
        texts[f"{question}.md"] = f"{body.strip()}\n\n{OURS}{opened}{form}"
    judged = {
        f"eval_{what}_{name}_v1": path
        for what in ("conversation", "summary")
        for name, _ in JUDGED.values()
        if (path := _find_template(f"/eval_{what}_{name}_v1", paths))
    }
    if len(judged) == 2 * len(JUDGED):
        texts["judge_body.md"] = _judge_template(judged)
        form = files(PACKAGE).joinpath("prompts", "forms", "judge.md").read_text("utf-8")
        texts |= {"judge_talk.md": form, "judge_note.md": form}
        lines += [f"{path.relative_to(source)} -> judge_body" for path in judged.values()]
    else:
        judged = {}
    own = sorted({each for each, _ in TEMPLATES.values()} - set(written))
    title = "the authors' templates, as far as they were at hand"
    settings = {"mind": "generative-agents"}
    texts[MANIFEST] = tomli_w.dumps(
        {"title": title, "instructions": "verified original", "settings": settings}
    )
    write_files(fresh, texts)
    made = load_set(PACKAGE, str(fresh), GENERATIVE_TEMPLATES)
    standing = made.standing
    if standing != "verified original" and (own or not judged):
        standing = "unverified"
        manifest = texts[MANIFEST].replace("verified original", standing)
        (fresh / MANIFEST).write_text(manifest, "utf-8", newline="\n")
    lines.append("from our set paper: how the town works, the form of each reply")
    lines += [f"no template found for: {', '.join(own)}"] if own else []
    used = {path.stem for path in (*chosen.values(), *judged.values())}
    if unused := sorted({path.stem for path in paths} - used):
        lines.append(f"asked nowhere here: {', '.join(unused)}")
    label = (
        f" (as in {known})"
        if (known := hashes_of_originals(PACKAGE).get(made.authors_hash))
        else ""
    )
    lines.append(f"{standing}{label}; used with mind=generative-agents, which it sets")
    return tuple(lines)


_UTTER = "generative/utter"


def _conversation_note(planner: Path) -> str:
    """What the performer with TDP is told in a conversation: an f-string of their planner, which is
    parsed and never run."""
    names = {
        "speaker.name": "name",
        "self.task_desc": "goal",
        "self.general_plan": "plan",
        "self.conversation_reminder": "checklist",
    }
    try:
        nodes = [*ast.walk(ast.parse(read_text(planner)))]
    except SyntaxError as error:
        raise ConfigError(
            f"{planner}, line {error.lineno}: expected Python, {error.msg}"
        ) from error
    found = [
        node.value.values
        for node in nodes
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "plan_info"
        and isinstance(node.value, ast.JoinedStr)
    ]
    if not found:
        raise ConfigError(f"{planner}: expected plan_info, what a performer with TDP is told")
    parts = [
        f"{{{{ {names[ast.unparse(part.value)]} }}}}"
        if isinstance(part, ast.FormattedValue)
        else _with_days(_escape(str(getattr(part, "value", ""))), "date")
        for part in found[0]
    ]
    return f"{{% if goal %}}{''.join(parts).strip()}{{% endif %}}"


def _judge_template(paths: Mapping[str, Path]) -> str:
    """One template of the judge's: by level and type of task, with the fields for its answers."""
    cases = []
    for what, title in (("conversation", "The talk"), ("summary", "The note")):
        for kind, (name, numbers) in JUDGED.items():
            path = paths[f"eval_{what}_{name}_v1"]
            inputs = _ERRANDS if kind == "asking for help" else _MATTER
            body = _convert(path, inputs, "today")
            fields = ", ".join(
                f"question {number} in statement_{n}" for n, number in enumerate(numbers, 1)
            )
            condition = f'title == "{title}" and type == "{kind}"'
            cases.append(f"if {condition} %}}{body.strip()}\n\nAnswer {fields}; no others.")
    return "{% " + "{% el".join(cases) + "{% endif %}\n"


def _find_template(template: str, paths: Sequence[Path]) -> Path | None:
    folder, _, stem = template.partition("/")
    alike = [path for path in paths if path.stem == stem]
    return min(alike, key=lambda path: path.parent.name != folder, default=None)


def _convert(path: Path, inputs: Sequence[str], today: str = "date") -> str:
    """One of their templates in our syntax, without the form of its reply."""
    text = read_text(path).rpartition(_HEADER)[2]

    def fill_input(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= len(inputs):
            raise ConfigError(
                f"{path}: expected inputs 0 to {len(inputs) - 1}, found <INPUT {number}>; this is "
                "not the template that we know by this name"
            )
        value = inputs[number]
        return value if "{" in value or value in _WORDS else f"{{{{ {value} }}}}"

    text = _CUE.sub("", _FORM.sub("", text))
    parts = _INPUT.split(text)
    filled = [fill_input(match) for match in _INPUT.finditer(text)]
    plain = [_with_days(_escape(part), today) for part in parts[::2]]
    return "".join(a + b for a, b in zip(plain, [*filled, ""], strict=True))


_WORDS = ("3", "5", "some")


def _escape(text: str) -> str:
    return re.sub(r"[{}]", lambda brace: f'{{{{ "{brace[0]}" }}}}', text)


def _with_days(text: str, today: str) -> str:
    """The text with the days that are played in place of those that it names."""
    for day, name in (("2023-02-13", today), ("2023-02-14", "tomorrow")):
        text = re.sub(rf"\w+day {day}", f"{{{{ {name} }}}}", text)
    return text
